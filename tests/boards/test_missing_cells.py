"""Cells of a picture on which a card may lie or not, and where the cards of a picture lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.boards.proofs import Analysis
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.why.examples import check_examples
from tests import daily
from tests.boards.by_hand import GAME, GRIDS, Asked, Seen, Stone, check, game_with
from tests.boards.drawn import Way, places, stones
from tests.daily import one_day_in, some
from tests.laws.test_circuits import load


def one(way: Way, sign: str) -> int:
    """The size of the only stone with a sign, 0 where it is missing."""
    (stone,) = way[sign]
    return stone.size if stone is not None else 0


ASKED: list[Asked] = [
    (
        "some [ a b? ]: a.size == (b.size else 4)",
        lambda b: any(one(w, "a") == (one(w, "b?") or 4) for w in places(b, "a b?")),
    ),
    (
        "every [ a b? ]: b == none or a.size <= b.size",
        lambda b: all(not one(w, "b?") or one(w, "a") <= one(w, "b?") for w in places(b, "a b?")),
    ),
    (
        "exactly 2 [ # # #? ]: same tone and count stone == 2",
        lambda b: sum(len(stones(w)) == 2 and len({s.tone for s in stones(w)}) == 1 for w in places(b, "# # #?")) == 2,
    ),
    (
        "at least 2 [ . b? . / b? a b? / . b? . ]: sum size of b == a.size",
        lambda b: sum(
            sum(s.size for s in w["b?"] if s) == one(w, "a") for w in places(b, ". b? . / b? a b? / . b? .")
        ) >= 2,
    ),
    (
        "some [ # # #? ] turned: distinct tone and sum size >= 8",
        lambda b: any(
            len({s.tone for s in stones(w)}) == len(stones(w)) and sum(s.size for s in stones(w)) >= 8
            for w in places(b, "# # #?", turned=True)
        ),
    ),
    (
        "no [ a b / . c? ] turned mirrored: a.tone == b.tone and (c == none or c.tone != b.tone)",
        lambda b: not any(
            w["a"][0].tone == w["b"][0].tone and (w["c?"][0] is None or w["c?"][0].tone != w["b"][0].tone)
            for w in places(b, "a b / . c?", True, True)
        ),
    ),
    ("at most 1 [ 2 3? ]", lambda b: sum(one(w, "2") == 2 and one(w, "3?") in (0, 3) for w in places(b, "2 3?")) <= 1),
    (
        "every [ a? b a? ] : count a != 1 and all size < 4",
        lambda b: all(
            len([s for s in w["a?"] if s]) != 1 and all(s.size < 4 for s in stones(w)) for w in places(b, "a? b a?")
        ),
    ),
    (
        "exactly 1 [ a a? ]: count stone == 2 and every c in a: some other d in a: c.size == d.size",
        lambda b: sum(len(s := stones(w)) == 2 and s[0].size == s[1].size for w in places(b, "a a?")) == 1,
    ),
    (
        "some [ #? # / # . ]: ascending size and count distinct tone of stone == count stone",
        lambda b: any(
            all(a.size < c.size for a, c in zip(by_rows(w), by_rows(w)[1:], strict=False))
            and len({s.tone for s in stones(w)}) == len(stones(w))
            for w in places(b, "#? # / # .")
        ),
    ),
]  # fmt: skip


def by_rows(way: Way) -> list[Stone]:
    return sorted(stones(way), key=lambda stone: (stone.y, stone.x))


@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_a_cell_that_may_be_missing_is_empty_or_beyond_the_grid(grid: str) -> None:
    check(ASKED, grid)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_thousands_of_boards(grid: str) -> None:
    check(ASKED, grid, 500, seed=daily.seed())


LETTERS: list[Asked] = [
    (
        "some [ a b ]: count neighbours of a == 1 and count neighbours of b >= 2",
        lambda b: any(
            len(b.beside(w["a"][0])) == 1 and len(b.beside(w["b"][0])) >= 2 for w in places(b, "a b")
        ),
    ),
    (
        "some [ a # a ] turned: every c in a: some d in neighbours of c: d.tone == c.tone",
        lambda b: any(
            all(any(d.tone == c.tone for d in b.beside(c)) for c in w["a"]) for w in places(b, "a # a", True)
        ),
    ),
    (
        "at least 2 [ a b ]: sum size of (group c around a: c.tone == b.tone) >= 5",
        lambda b: sum(
            sum(c.size for c in b.group(w["a"][0], lambda c: c.tone == w["b"][0].tone)) >= 5  # noqa: B023
            for w in places(b, "a b")
        ) >= 2,
    ),
    (
        "no [ # # / # # ]: some c in stone: count neighbours of c diagonally > 2",
        lambda b: not any(
            sum(abs(d.x - c.x) == 1 == abs(d.y - c.y) for d in b) > 2 for w in places(b, "# # / # #") for c in w["#"]
        ),
    ),
    (
        "some [ a b? ]: (b == none or b.tone == a.tone) and neighbours of a is empty",
        lambda b: any(
            (w["b?"][0] is None or w["b?"][0].tone == w["a"][0].tone) and not b.beside(w["a"][0])
            for w in places(b, "a b?")
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_the_cards_of_a_shape_are_known_with_their_cells(grid: str) -> None:
    check(LETTERS, grid)


def on_hexagons(seen: Seen, signs: str, sides: list[tuple[int, int]]) -> list[Way]:
    """A row of signs in each of some directions."""
    at = {(s.x, s.y): s for s in seen}
    found = []
    for x, y in at:
        for right, down in sides:
            way: Way = {}
            for number, sign in enumerate(signs.split()):
                way.setdefault(sign, []).append(at.get((x + number * right, y + number * down)))
            if all(stone is not None for sign, of in way.items() for stone in of if not sign.endswith("?")):
                found.append(way)
    return found


SIX = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
HEXAGONAL: list[Asked] = [
    (
        "some [ a b c? ] turned: a.size < b.size and (c == none or c.tone == a.tone)",
        lambda b: any(
            one(w, "a") < one(w, "b") and (w["c?"][0] is None or w["c?"][0].tone == w["a"][0].tone)  # type: ignore[union-attr]
            for w in on_hexagons(b, "a b c?", SIX)
        ),
    ),
    (
        "exactly 2 [ a b? ]: a.size == (b.size else 3)",
        lambda b: sum(one(w, "a") == (one(w, "b?") or 3) for w in on_hexagons(b, "a b?", [(1, 0)])) == 2,
    ),
]  # fmt: skip


@pytest.mark.parametrize("grid", ["hex grid 4x3", "hex grid [ . # # / # # # / # # . ]"])
def test_on_hexagons(grid: str) -> None:
    check(HEXAGONAL, grid, proven=False)


def test_on_a_grid_with_holes() -> None:
    check([*ASKED, *LETTERS], "grid [ # # . # / # # # # / . # # # ]", proven=False)


SAME = [
    ("some [ #? a ]: a.size == 2", "some stone: size == 2"),
    ("every [ a b? ]: b == none", "no [ # # ]"),
    ("some shape_or_less: same tone and count stone == 3", "some [ # # # ] turned: same tone"),
    ("no [ a b? ] turned: b != none and b.size > a.size", "every [ # # ] turned: same size"),
    ("some [ 1 2? ]: count stone == 2", "some [ 1 2 ]"),
    ("some either: a.size < (b.size else 4)", "(some [ a b? ]: a.size < (b.size else 4)) or some [ a / b? ]: a.size < (b.size else 4)"),
    ("some [ # _ a? ]: a != none and a.size == 1", "some [ # _ 1 ]"),
    ("at least 2 [ a #? ]: a.size == 3", "at least 2 stone: size == 3"),
]  # fmt: skip
SHAPE = """
shape shape_or_less = [ # # #? ] turned
shape either = [ a b? ], [ a / b? ]
"""


@one_day_in(8)
@pytest.mark.parametrize("grid", ["floating grid 3x3", "grid 3x3"])
@pytest.mark.parametrize(("one_way", "other_way"), SAME)
def test_said_in_two_ways_it_is_the_same(grid: str, one_way: str, other_way: str) -> None:
    game = load(GAME.format(grid=grid) + SHAPE + f'objective o "O" = {one_way}\nobjective p "P" = {other_way}\n')
    analysis = Analysis(game, ["o", "p"])
    assert analysis.relation("o", "p").kind == "same"


def test_faces_alone_are_kept_where_nobody_asks_for_cells() -> None:
    game = game_with("grid 3x3", "some [ a b ]: a.size < b.size", "some [ a b ]: count neighbours of a > b.size")
    first, second = (game.ruleset.objectives[name].condition for name in ("o0", "o1"))
    assert [x.cells == () for c in (first, second) for x in walk(c) if isinstance(x, ir.Places)] == [True, False]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("some [ #? b? ]: same tone", "every card of this picture may be missing"),
        ("some [ # .? ]", "`.?` says nothing: no card is asked for"),
        ("some [ # _? ]", "`_?` says nothing: no card is asked for"),
        ("exactly 2 [ # #? ] turned: same tone", "this shape lies on the same cells in several ways, each with its `?` over other cells"),
        ("every [ a b? ] turned: a.size > (b.size else 0)", "this shape lies on the same cells in several ways"),
        ("some [ a b? ]: size reads 1 2", "cells of this shape may be missing"),
        ("some [ a b? ]: b.size == a.size + b.size", "this may have no value"),
        ("some [ a b? ]: count neighbours of b == 1", "this may be no card at all"),
        ("some [ a b? ]: count (group c around b: true) == 1", "this may be no card at all"),
        ("some [ a b ]: neighbours of 2 is empty", "a number has no neighbours, a cell has"),
        ("some [ # # ? ]", "`?` is not a sign of a picture"),
    ],
)  # fmt: skip
def test_mistakes_are_told(condition: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    path.write_text(GAME.format(grid="grid 3x3") + f'objective o "O" = {condition}\n', "utf-8")
    found = [d.message for d in load_ruleset(str(path), Library()).diagnostics]
    assert len(found) == 1 and message in found[0], found


def test_boards_show_what_lies_there(tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    path.write_text(
        GAME.format(grid="grid 3x3") + 'objective o "O" = some stone: size == 1\nexample o { yes [ P1? P2 ] }\n',
        "utf-8",
    )
    ruleset = load_ruleset(str(path), Library()).value
    assert ruleset is not None
    assert any("`P1?`" in d.message for d in check_examples(Game(ruleset)))
