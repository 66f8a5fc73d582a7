"""The parser's tables beside the grammar: fresh, and the parser made from them does what the built one does."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lark
import pytest
from lark import Token, Tree, UnexpectedInput

from pwtool.lang import tables
from pwtool.lang.parser import parse_rules
from pwtool.text.data import data_folder
from pwtool.text.source import SourceFile
from tests.daily import numbers, one_day_in

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [p.read_text("utf-8") for p in sorted((ROOT / "rulesets").rglob("*.rules"))]
STORED = data_folder("grammar") / tables.TABLES
MADE_FOR = json.loads(STORED.read_text("utf-8"))["made for"][0]
same_lark = pytest.mark.skipif(
    not lark.__version__.startswith(f"{MADE_FOR}."), reason="the stored tables are of another version of Lark"
)


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    tables.rules_parser.cache_clear()
    yield
    tables.rules_parser.cache_clear()


@same_lark
def test_the_tables_are_those_of_the_grammar() -> None:
    assert STORED.read_text("utf-8") == tables.tables_text(), "run `python -m pwtool.lang.tables`"


@same_lark
def test_the_parser_comes_from_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(every_token: bool = False) -> Any:
        raise AssertionError("built anew")

    monkeypatch.setattr(tables, "build_parser", build)
    assert parse_rules(SourceFile("x", TEXTS[0])).value is not None
    tables.rules_parser(every_token=True).parse(TEXTS[0])


def told(parser: lark.Lark, text: str) -> tuple[Any, ...]:
    """What a parser makes of a text: the tree with all places, or the error with what could have followed."""
    try:
        tree = parser.parse(text)
    except UnexpectedInput as error:
        expected = (
            getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None)
        )
        return type(error).__name__, error.pos_in_stream, expected
    places: list[tuple[Any, ...]] = []
    for part in tree.iter_subtrees_topdown():
        places.append((part.data, getattr(part.meta, "start_pos", None), getattr(part.meta, "end_pos", None)))
        places += [(c.type, c.start_pos, str(c)) for c in part.children if isinstance(c, Token)]
        places += [(None,) for c in part.children if not isinstance(c, Token | Tree)]
    return tuple(places)


def changed(text: str, rng: random.Random) -> str:
    """The text with one word left out or exchanged for another of its words, or for one that ends in an odd character."""
    words = list(re.finditer(r"\w+|\S", text))
    word, other = rng.choice(words), rng.choice(words)
    return (
        text[: word.start()]
        + rng.choice(("", other.group(), *(other.group() + odd for odd in "ö²_·")))
        + text[word.end() :]
    )


@same_lark
@pytest.mark.parametrize("every_token", [False, True])
@pytest.mark.parametrize("texts", numbers(len(TEXTS) // 8, len(TEXTS)))
def test_both_parsers_read_alike(texts: Sequence[int], every_token: bool) -> None:
    stored = tables.read_tables()
    assert stored is not None
    ready, built = tables.parser_from(stored, every_token), tables.build_parser(every_token)
    assert {t.name for t in ready.terminals} == {t.name for t in built.terminals}
    for at in texts:
        rng, text = random.Random(at), TEXTS[at]
        for variant in (text, changed(text, rng), changed(text, rng), changed(text, rng)):
            assert told(ready, variant) == told(built, variant)


def damaged(text: str) -> Iterator[str]:
    """Tables that are cut off, of another kind, of another Lark, or lack a part."""
    whole = json.loads(text)
    yield from ("", text[:500], "[]", "null", "{}")
    yield json.dumps({**whole, "made for": ["0.0", whole["made for"][1]]})
    for name in whole:
        yield json.dumps({key: value for key, value in whole.items() if key != name})
    yield json.dumps({**whole, "states": [[10**6, []]]})
    yield json.dumps({**whole, "rules": whole["rules"][:5]})


@one_day_in(3)
def test_tables_that_do_not_fit_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(data_folder("grammar"), tmp_path / "grammar")
    folder = tmp_path / "grammar"
    for module in ("pwtool.text.data", "pwtool.lang.tables"):
        monkeypatch.setattr(f"{module}.data_folder", lambda name: tmp_path / name)
    built = tables.build_parser()
    monkeypatch.setattr(tables, "build_parser", lambda every_token: built)
    for text in damaged((folder / tables.TABLES).read_text("utf-8")):
        (folder / tables.TABLES).write_text(text, "utf-8")
        tables.rules_parser.cache_clear()
        assert tables.rules_parser() is built, text[:200]
    (folder / tables.TABLES).unlink()
    tables.rules_parser.cache_clear()
    assert tables.rules_parser() is built


@one_day_in(3)
def test_another_grammar_has_other_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(data_folder("grammar"), tmp_path / "grammar")
    for module in ("pwtool.text.data", "pwtool.lang.tables"):
        monkeypatch.setattr(f"{module}.data_folder", lambda name: tmp_path / name)
    grammar = tmp_path / "grammar" / tables.GRAMMAR
    grammar.write_text(grammar.read_text("utf-8").replace('players: "players"', 'players: "persons"'), "utf-8")
    tree = tables.rules_parser().parse('game a "A"\npersons 2..4\n')
    assert next(tree.find_data("players"))
