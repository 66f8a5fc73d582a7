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

from pwtool.lang import reading, stored_tables, tables
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
    reading.automaton.cache_clear()
    yield
    tables.rules_parser.cache_clear()
    reading.automaton.cache_clear()


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


@one_day_in(4)
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


def read(tree: reading.Tree | None) -> object:
    """What our own reader makes of a text, in plain form."""

    def plain(part: reading.Tree | reading.Word | None) -> object:
        if isinstance(part, reading.Tree):
            return part.data, max(part.start, 0), max(part.end, 0), [plain(one) for one in part.parts]
        return None if part is None else (part.kind, part.text, part.first, part.last)

    return plain(tree)


def read_by_lark(parser: lark.Lark, text: str) -> object:
    def plain(part: Any) -> object:
        if isinstance(part, Tree):
            start, end = getattr(part.meta, "start_pos", 0), getattr(part.meta, "end_pos", 0)
            return str(part.data), start, end, [plain(one) for one in part.children]
        return None if part is None else (part.type, str(part), part.start_pos, part.end_pos)

    try:
        return plain(parser.parse(text))
    except UnexpectedInput:
        return None


@pytest.mark.parametrize("texts", numbers(len(TEXTS) // 4, len(TEXTS)))
def test_lark_reads_what_our_reader_reads(texts: Sequence[int]) -> None:
    """The same trees with the same places, and the same texts that cannot be read."""
    ours, theirs = reading.automaton(), tables.rules_parser()
    wrong = 0
    for at in texts:
        rng, text = random.Random(at), TEXTS[at]
        for variant in (
            text,
            text.replace("\n", "\r\n"),
            "",
            *(changed(text, rng) for _ in range(4)),
            text[: rng.randrange(len(text))],
        ):
            expected = read_by_lark(theirs, variant)
            assert read(ours.tree(variant)) == expected
            wrong += expected is None
    assert wrong > len(texts)


def test_our_reader_knows_what_may_follow() -> None:
    ours, theirs = reading.automaton(), tables.rules_parser()
    for text in (
        "",
        "game a ",
        'game a "A"\n',
        'part a of a score a "" = ',
        "part a of a action a () { a = 1 ",
        "part a of a turn = a when (a) ",
    ):
        parser = theirs.parse_interactive(text)
        parser.exhaust_lexer()
        state = parser.parser_state
        assert ours.expected(text) == set(state.parse_conf.parse_table.states[state.position])


def damaged(text: str) -> Iterator[str]:
    """Tables that are cut off, of another kind, of another Lark, or lack a part."""
    whole = json.loads(text)
    yield from ("", text[:500], "[]", "null", "{}")
    yield json.dumps({**whole, "made for": ["0.0", whole["made for"][1]]})
    for name in whole:
        yield json.dumps({key: value for key, value in whole.items() if key != name})
    yield json.dumps({**whole, "states": [[10**6, []]]})
    yield json.dumps({**whole, "rules": whole["rules"][:5]})


@one_day_in(7)
def test_tables_that_do_not_fit_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(data_folder("grammar"), tmp_path / "grammar")
    folder = tmp_path / "grammar"
    for module in ("pwtool.text.data", "pwtool.lang.tables", "pwtool.lang.stored_tables"):
        monkeypatch.setattr(f"{module}.data_folder", lambda name: tmp_path / name)
    built = tables.build_parser()
    monkeypatch.setattr(tables, "build_parser", lambda every_token=False: built)
    for text in damaged((folder / tables.TABLES).read_text("utf-8")):
        (folder / tables.TABLES).write_text(text, "utf-8")
        tables.rules_parser.cache_clear()
        assert tables.rules_parser() is built, text[:200]
        reading.automaton.cache_clear()
        assert stored_tables.stored_tables() is None
        assert reading.automaton().tree(TEXTS[0]) is not None
    (folder / tables.TABLES).unlink()
    tables.rules_parser.cache_clear()
    assert tables.rules_parser() is built


@one_day_in(7)
def test_another_grammar_has_other_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(data_folder("grammar"), tmp_path / "grammar")
    for module in ("pwtool.text.data", "pwtool.lang.tables", "pwtool.lang.stored_tables"):
        monkeypatch.setattr(f"{module}.data_folder", lambda name: tmp_path / name)
    grammar = tmp_path / "grammar" / tables.GRAMMAR
    grammar.write_text(grammar.read_text("utf-8").replace('players: "players"', 'players: "persons"'), "utf-8")
    tree = tables.rules_parser().parse('game a "A"\npersons 2..4\n')
    assert next(tree.find_data("players"))
    assert reading.automaton().tree('game a "A"\npersons 2..4\n') is not None
    assert reading.automaton().tree('game a "A"\nplayers 2..4\n') is None
