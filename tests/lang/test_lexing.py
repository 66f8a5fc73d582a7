"""Rules and records in color: nothing is left over, nothing is lost, and the words are those of the grammar."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from pygments.token import Error, Keyword, Name, String

from pwtool.lang.parser import keywords
from pwtool.lexing import RecordLexer, RulesLexer, grammar_phrases, grammar_words
from pwtool.text.data import data_folder

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted(data_folder("rulesets").rglob("*.rules"))
RECORDS = sorted((ROOT / "examples").rglob("*.pwn"))
assert len(RULES) > 30 and RECORDS


@pytest.mark.parametrize("path", [*RULES, *RECORDS], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_files_are_read_without_a_rest(path: Path) -> None:
    lexer = (RulesLexer if path.suffix == ".rules" else RecordLexer)(stripnl=False, ensurenl=False)
    text = path.read_text("utf-8")
    tokens = list(lexer.get_tokens(text))
    assert "".join(value for _, value in tokens) == text
    assert [value for kind, value in tokens if kind is Error] == []


def test_words_are_those_of_the_grammar() -> None:
    # These are names of signs of the grammar; what they stand for are phrases.
    assert grammar_words() == keywords() - {"comment", "extreme", "other", "separate", "group"}
    assert len(grammar_phrases()) > 20 and any("least" in phrase for phrase in grammar_phrases())


def test_what_is_shown_as_what() -> None:
    text = 'objective two "Two" = at least 2 [ # # ]: same color and top == 3\n'
    found = {value: kind for kind, value in RulesLexer().get_tokens(text)}
    assert found["objective"] is Keyword.Declaration and found["two"] is Name.Class
    assert found['"Two"'] in String and found["[ # # ]"] in String
    assert found["at least"] is Keyword and found["and"] is Keyword
    assert found["top"] is Name, "a word of a phrase alone is a name"


def test_pygments_finds_them() -> None:
    names = {e.name: e.value for e in entry_points(group="pygments.lexers")}
    if "pwtool" not in names:
        pytest.skip("this environment was installed before there were lexers")
    assert names["pwtool"] == "pwtool.lexing:RulesLexer" and names["pwtool-record"] == "pwtool.lexing:RecordLexer"


def test_they_import_nothing_heavy() -> None:
    code = "import sys, pwtool.lexing; print(sorted({'lark', 'pydantic', 'typer', 'pygls', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
