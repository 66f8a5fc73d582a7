"""`examples/objectives` and `docs/objectives.md`: every construct of the pattern language is used, every objective holds
what it promises, can be laid, and is none of the official ones in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lark import Lark, Token, Tree

from pwtool.boards.study import Study, own_objectives, study_objectives
from pwtool.cli.app import run
from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.examples import check_examples, missing_examples
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
CLUB = ROOT / "examples" / "objectives" / "club.rules"
PAGE = ROOT / "docs" / "objectives.md"
GRAMMAR = ROOT / "grammar" / "rules.lark"

# What a condition on a board can be made of, by the names of the grammar.
CONSTRUCTS = {
    *("q_some", "q_every", "q_no", "q_least", "q_most", "q_exactly"),
    *("over_named", "over_picture", "over_domain", "range_domain"),
    *("same", "distinct", "ascending", "reads", "all_cells", "any_cell", "total", "sum_of", "count", "group_size"),
    *("attribute_of", "compare", "plus", "and_expr", "or_expr", "not_expr"),
}
WORDS = {"card", "pile", "buried", "height", "stars", "turned", "mirrored", "largest", "smallest"}


@cache
def game() -> Game:
    result = load_ruleset(str(CLUB), Library())
    assert result.diagnostics == ()
    assert result.value is not None
    return Game(result.value)


@cache
def names() -> tuple[str, ...]:
    return tuple(own_objectives(game().ruleset, CLUB))


@cache
def study() -> Study:
    official = [name for name in game().ruleset.objectives if name not in names()]
    assert len(official) == 20
    return study_objectives(game(), names(), official)


def patterns() -> Iterator[Tree[Token]]:
    """The declarations of shapes and objectives as the grammar sees them."""
    tree = Lark(GRAMMAR.read_text("utf-8"), parser="lalr", maybe_placeholders=True).parse(CLUB.read_text("utf-8"))
    for node in tree.iter_subtrees():
        if node.data in ("shape", "objective"):
            yield node


def blocks(file: str = r"\S+") -> list[str]:
    """The rules files shown on the page."""
    return re.findall(rf"^```rules file={file}\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


# ---- the file


def test_there_are_more_than_a_dozen_objectives() -> None:
    assert len(names()) >= 12


def test_the_examples_hold_and_none_is_missing() -> None:
    assert not check_examples(game())
    assert not missing_examples(game())


def test_the_cards_of_the_examples_are_cards_of_the_decks() -> None:
    code = re.compile(r"\b[YBGK]S?[1-5]\b")
    dealt = set(code.findall((ROOT / "rulesets" / "paper_world" / "game.rules").read_text("utf-8")))
    assert len(dealt) == 36
    for text in (CLUB.read_text("utf-8"), *blocks()):
        assert set(code.findall(text)) - dealt == set()


@pytest.mark.parametrize("language", ["fr", "de"])
def test_every_text_is_translated(language: str) -> None:
    (block,) = re.findall(rf"^texts {language} {{\n(.*?)^}}", CLUB.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert tuple(re.findall(r"^  objective (\w+) ", block, re.MULTILINE)) == names()


@one_day_in(4)
@pytest.mark.parametrize(
    "command",
    [
        *some(["lint", "fmt --check", "test --coverage", "test --mutate --only twist_color"], 1),
        pytest.param("test --mutate", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_left_to_say(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), str(CLUB.parent)]) == 0
    printed = capsys.readouterr().out
    assert not re.search(r"^(error|warning|note)", printed, re.MULTILINE), printed
    if "coverage" in command:
        (shown, of), *_ = re.findall(r"^(\d+) of (\d+) outcomes", printed, re.MULTILINE)
        assert shown == of


@one_day_in(8)
def test_the_whole_pattern_language_is_used() -> None:
    used: set[str] = set()
    words: set[str] = set()
    several = False
    for declaration in patterns():
        tokens = list(declaration.scan_values(lambda v: isinstance(v, Token)))
        words |= {word for token in tokens for word in re.findall(r"[a-z]+|[#._1-5]", str(token))}
        used |= {str(node.data) for node in declaration.iter_subtrees()}
        several |= len(list(declaration.find_data("picture"))) > 1
    assert CONSTRUCTS - used == set()
    assert (WORDS | {"#", ".", "_", "1", "a"}) - words == set()
    assert several


# ---- what is proven


# What `lint` finds soon, above, is proven here with all patience.
@pytest.mark.slow
def test_every_objective_can_be_laid_with_the_deck() -> None:
    assert study().findings == ()


@pytest.mark.slow
def test_no_objective_is_another_one_in_other_words() -> None:
    found = [(one.name, r.second) for one in study().studied for r in one.relations if r.kind == "same"]
    assert found == []


# ---- the page


def test_the_rules_on_the_page_parse() -> None:
    assert len(blocks()) >= 4
    for block in blocks():
        assert parse_rules(SourceFile("page.rules", block)).diagnostics == ()


def test_the_table_names_every_objective_of_the_file_and_no_other() -> None:
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == set(names())


def test_the_picture_on_the_page_is_what_render_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    Path("bridge.rules").write_text(blocks(r"bridge\.rules")[-1], "utf-8")
    assert run(["render", "bridge.rules:bridge", "-o", "bridge.svg"]) == 0
    assert Path("bridge.svg").read_bytes() == (ROOT / "docs" / "images" / "bridge.svg").read_bytes()
