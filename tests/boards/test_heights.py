"""How high the piles of a shape are, and those of cards that are known with their cells: beside the same in Python."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest

from pwtool.boards.matching import find_places
from pwtool.boards.proofs import Analysis, position_with
from pwtool.eval.values import UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests import daily
from tests.boards.by_hand import GAME, Asked, Seen, Stone, check, in_kernel
from tests.boards.drawn import Way, places, stones
from tests.daily import one_day_in, some
from tests.laws.test_circuits import in_bulk, load

HEIGHTS = (1, 1, 1, 2, 2, 3, 4)


def highs(way: Way) -> list[int]:
    return [stone.high for stone in stones(way)]


def in_rows(way: Way) -> list[int]:
    return [stone.high for stone in sorted(stones(way), key=lambda stone: (stone.y, stone.x))]


def grows(heights: list[int]) -> bool:
    return all(a < b for a, b in pairwise(heights))


def one(way: Way, sign: str) -> Stone:
    (stone,) = way[sign]
    assert stone is not None
    return stone


def corners(seen: Seen, stone: Stone) -> list[Stone]:
    return [other for other in seen if abs(other.x - stone.x) == 1 == abs(other.y - stone.y)]


ASKED: list[Asked] = [
    (
        "some [ # . / . # ] mirrored: same tone and all height >= 3",
        lambda b: any(
            len({s.tone for s in stones(w)}) == 1 and min(highs(w)) >= 3 for w in places(b, "# . / . #", mirrored=True)
        ),
    ),
    ("some [ # # ]: every pile: height >= 3", lambda b: any(min(highs(w)) >= 3 for w in places(b, "# #"))),
    (
        "no [ # # ] turned: some pile: height == 2 and tone == red",
        lambda b: not any(s.high == 2 and s.tone == "red" for w in places(b, "# #", True) for s in stones(w)),
    ),
    (
        "every [ # # / # # ]: at least 2 pile: height == size",
        lambda b: all(sum(s.high == s.size for s in stones(w)) >= 2 for w in places(b, "# # / # #")),
    ),
    (
        "exactly 1 [ # # # ]: (exactly 1 pile: height > 1) and at most 1 pile: height == 3",
        lambda b: sum(
            sum(h > 1 for h in highs(w)) == 1 and sum(h == 3 for h in highs(w)) <= 1 for w in places(b, "# # #")
        ) == 1,
    ),
    (
        "at least 2 [ # # ]: any height == 1 and not all height == 1",
        lambda b: sum(1 in highs(w) and set(highs(w)) != {1} for w in places(b, "# #")) >= 2,
    ),
    ("some [ # # # ]: same height", lambda b: any(len(set(highs(w))) == 1 for w in places(b, "# # #"))),
    (
        "some [ # # / # # ] : distinct height and sum height == 10",
        lambda b: any(len(set(highs(w))) == 4 and sum(highs(w)) == 10 for w in places(b, "# # / # #")),
    ),
    (
        "some [ # # / # . ] turned mirrored: distinct height",
        lambda b: any(len(set(highs(w))) == 3 for w in places(b, "# # / # .", True, True)),
    ),
    ("some [ # # # ]: ascending height", lambda b: any(grows(in_rows(w)) for w in places(b, "# # #"))),
    (
        "some [ # / # / # ] turned: ascending height",
        lambda b: any(grows([s.high for s in stones(w)]) for w in places(b, "# / # / #", True)),
    ),
    (
        "no [ # # ] turned: height reads 1 2",
        lambda b: not any([s.high for s in stones(w)] == [1, 2] for w in places(b, "# #", True)),
    ),
    ("some [ # # # ]: height reads 2 1 1", lambda b: any(in_rows(w) == [2, 1, 1] for w in places(b, "# # #"))),
    (
        "some [ a b / . c ] turned: a.height < b.height and b.height + c.height == 5",
        lambda b: any(
            one(w, "a").high < one(w, "b").high and one(w, "b").high + one(w, "c").high == 5
            for w in places(b, "a b / . c", True)
        ),
    ),
    (
        "every [ a b ]: a.height != b.height or a.size == b.height",
        lambda b: all(
            one(w, "a").high != one(w, "b").high or one(w, "a").size == one(w, "b").high for w in places(b, "a b")
        ),
    ),
    (
        "some [ a # a ] turned: sum height of a == 4 and same height of a",
        lambda b: any([s.high for s in w["a"] if s] == [2, 2] for w in places(b, "a # a", True)),
    ),
    (
        "some [ a b? ]: (b == none or b.height > a.height) and (b.height else 9) > 2",
        lambda b: any(
            (w["b?"][0].high if w["b?"][0] else 9) > max(2, one(w, "a").high if w["b?"][0] else 2)
            for w in places(b, "a b?")
        ),
    ),
    (
        "every [ # #? # ]: ascending height or same height or sum height > 6",
        lambda b: all(
            grows(in_rows(w)) or len(set(highs(w))) == 1 or sum(highs(w)) > 6 for w in places(b, "# #? #")
        ),
    ),
    (
        "at least 2 [ # # # / . #? . ]: (every pile: height >= 2) or (any height == 4) or distinct height",
        lambda b: sum(
            min(highs(w)) >= 2 or 4 in highs(w) or len(set(highs(w))) == len(highs(w))
            for w in places(b, "# # # / . #? .")
        ) >= 2,
    ),
    (
        "some [ #? # #? ]: no pile: height != 3",
        lambda b: any(set(highs(w)) == {3} for w in places(b, "#? # #?")),
    ),
    ("some c in stone: c.height >= 3 and c.tone == red", lambda b: any(c.high >= 3 and c.tone == "red" for c in b)),
    (
        "some c in stone: c.height >= 2 and every d in neighbours of c: d.height < c.height",
        lambda b: any(c.high >= 2 and all(d.high < c.high for d in b.beside(c)) for c in b),
    ),
    (
        "exactly 2 c in stone: some d in neighbours of c diagonally: d.tone == c.tone and c.height + d.height > 4",
        lambda b: sum(any(d.tone == c.tone and c.high + d.high > 4 for d in corners(b, c)) for c in b) == 2,
    ),
    (
        "some c in stone: count (group d around c: d.height == c.height) >= 3",
        lambda b: any(len(b.group(c, lambda d: d.high == c.high)) >= 3 for c in b),  # noqa: B023
    ),
    (
        "some c in stone: sum height of (group d around c: d.tone == c.tone) == 6",
        lambda b: any(sum(d.high for d in b.group(c, lambda d: d.tone == c.tone)) == 6 for c in b),  # noqa: B023
    ),
    ("sum height of stone >= 12", lambda b: sum(c.high for c in b) >= 12),
    ("(max height of stone else 0) == 3", lambda b: max((c.high for c in b), default=0) == 3),
    (
        "((min height of (stone where tone == red)) else 9) == 2",
        lambda b: min((c.high for c in b if c.tone == "red"), default=9) == 2,
    ),
    ("count distinct height of stone == 3", lambda b: len({c.high for c in b}) == 3),
    (
        "some [ # # # ]: count distinct height == 2",
        lambda b: any(len(set(highs(w))) == 2 for w in places(b, "# # #")),
    ),
    (
        "sum (c in stone where c.height == 2: c.size) > 4",
        lambda b: sum(c.size for c in b if c.high == 2) > 4,
    ),
    (
        "((first c in stone: c.height == 3).height else 1) == ((first c in stone: c.size == 2).height else 2)",
        lambda b: next((3 for c in b if c.high == 3), 1) == next((c.high for c in b if c.size == 2), 2),
    ),
    (
        "some [ a ]: by a.height { 1: 4 2: 3 else 0 } == a.size",
        lambda b: any({1: 4, 2: 3}.get(c.high, 0) == c.size for c in b),
    ),
    ("some pile: height == 3 and some [ # # ]: every pile: height == 3", lambda b: any(set(highs(w)) == {3} for w in places(b, "# #"))),
    (
        "at least 2 separate [ # # ] turned: same height",
        lambda b: apart([frozenset((s.x, s.y) for s in stones(w)) for w in places(b, "# #", True) if len(set(highs(w))) == 1]),
    ),
]  # fmt: skip


def apart(found: list[frozenset[tuple[int, int]]]) -> bool:
    return any(one.isdisjoint(other) for one in found for other in found)


GRIDS = ("floating grid 3x3", "grid 3x3", "floating grid 4x4")


@one_day_in(4)
@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_heights_are_what_a_player_counts(grid: str) -> None:
    check(ASKED, grid, 40, proven=grid != "floating grid 4x4", heights=HEIGHTS)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_thousands_of_boards(grid: str) -> None:
    check(ASKED, grid, 500, seed=daily.seed(), heights=HEIGHTS)


HEXAGONS: list[Asked] = [
    ("some [ # # ] turned: all height >= 3", lambda b: any(c.high >= 3 and d.high >= 3 for c in b for d in six(b, c))),
    (
        "some c in stone: sum height of neighbours of c == 5",
        lambda b: any(sum(d.high for d in six(b, c)) == 5 for c in b),
    ),
    (
        "exactly 2 [ a b ] turned: a.height < b.height and a.tone == b.tone",
        lambda b: sum(c.high < d.high and c.tone == d.tone for c in b for d in six(b, c)) == 2,
    ),
]  # fmt: skip


def six(seen: Seen, stone: Stone) -> list[Stone]:
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
    return [other for other in seen if (other.x - stone.x, other.y - stone.y) in steps]


def test_on_hexagons() -> None:
    check(HEXAGONS, "hex grid 3x3", 60, proven=False, heights=HEIGHTS)


# ---- all boards of a few cells, judged by what lies on each and nothing else

CODES = ("P1", "D1")
Pile = tuple[int, ...]
LOW = (
    GAME.replace("9 P1 9 P2 9 P3 9 P4 9 D1 9 D2 9 D3 9 D4 9 R1 9 R2 9 R3 9 R4", "20 P1 20 D1")
    + 'invariant low "Low" require every p in board: count p <= {tallest}\n'
)


def corner(piles: tuple[Pile, ...], way: tuple[int, int], least: int) -> bool:
    one, other = (piles[at] for at in way)
    return len(one) >= least and len(other) >= least and one[-1] == other[-1]


def row(piles: tuple[Pile, ...]) -> list[int]:
    return [len(pile) for pile in piles]


SQUARE = {
    "some [ # . / . # ] mirrored: same tone and all height >= 2": lambda p: corner(p, (0, 3), 2) or corner(p, (1, 2), 2),
    "exactly 1 [ # # ] turned: every pile: height == 2": lambda p: sum(
        len(p[a]) == 2 == len(p[b]) for a, b in ((0, 1), (2, 3), (0, 2), (1, 3))
    ) == 1,
    "some c in stone: count neighbours of c == c.height and c.tone == dark": lambda p: any(
        p[at] and CODES[p[at][-1]] == "D1" and sum(bool(p[b]) for b in (at ^ 1, at ^ 2)) == len(p[at]) for at in range(4)
    ),
    "every [ a b? ]: b == none or a.height < b.height": lambda p: all(
        not p[a] or not p[b] or len(p[a]) < len(p[b]) for a, b in ((0, 1), (2, 3))
    ),
    "some [ # # / # # ]: sum height == 6 and not same height": lambda p: all(p) and sum(row(p)) == 6 and len(set(row(p))) > 1,
}  # fmt: skip
LINE = {
    "some [ # # # ]: height reads 1 2 3": lambda p: row(p) == [1, 2, 3],
    "some [ # # # ]: ascending height": lambda p: row(p) == [1, 2, 3],
    "some [ # #? # ]: ascending height": lambda p: p[0] != () and p[2] != () and grows([h for h in row(p) if h]),
    "some [ # # # ] turned: ascending height": lambda p: row(p) in ([1, 2, 3], [3, 2, 1]),
    "some [ # # # ]: distinct height and any height == 3": lambda p: sorted(row(p)) == [1, 2, 3],
    "no [ # # ]: (at least 1 pile: height == 2) and at most 1 pile: height > 1": lambda p: (
        not any(p[a] and p[a + 1] and 2 in row(p)[a : a + 2] and min(row(p)[a : a + 2]) < 2 for a in (0, 1))
    ),
}


@pytest.mark.parametrize(("grid", "tallest", "asked"), some([("grid 2x2", 2, SQUARE), ("grid 3x1", 3, LINE)], 1))
def test_all_boards_one_by_one(grid: str, tallest: int, asked: dict[str, Callable[..., bool]]) -> None:
    lines = "".join(f'objective o{at} "O" = {condition}\n' for at, condition in enumerate(asked))
    game = load(LOW.format(grid=grid, tallest=tallest) + lines)
    zone = game.ruleset.board
    assert zone is not None
    numbers = [game.ruleset.components["stone"].numbers[code] for code in CODES]
    piles = [pile for high in range(tallest + 1) for pile in product(range(2), repeat=high)]
    found = list(product(piles, repeat=zone.width * zone.height))
    grids = [
        {(at % zone.width, at // zone.width): [numbers[n] for n in pile] for at, pile in enumerate(board) if pile}
        for board in found
    ]
    analysis = Analysis(game)
    assert analysis.undecided == {}
    names = list(game.ruleset.objectives)
    proven = in_bulk(analysis, names, grids)
    assert analysis.encoding.tallest == tallest
    for at, (condition, meant) in enumerate(asked.items()):
        expected = [bool(meant(board)) for board in found]
        assert proven[at] == expected, condition
        assert analysis.number(f"o{at}") * len(found) == sum(expected) * analysis.space.size, condition
        # One in seven also by those that judge single boards.
        for grid_, verdict in [*zip(grids, expected, strict=True)][at::7]:
            state = position_with(game, grid_)
            assert game.interpreter.objective(f"o{at}")(state, grid_) == verdict, (condition, grid_)
            assert bool(game.fast.backend.objective(f"o{at}")(state, grid_)) == verdict, (condition, grid_)
            assert bool(in_kernel(game, grid_)[at]) == verdict, (condition, grid_)
            # Where it holds because something is there, it is told where.
            if grid_ and condition.startswith("some ["):
                assert bool(find_places(game, f"o{at}", grid_)) == verdict, (condition, grid_)


def test_heights_are_kept_only_where_they_are_asked_for() -> None:
    first, second = (
        load(GAME.format(grid="grid 3x3") + f'objective o "O" = some [ # # ]: {said}').ruleset.objectives["o"].condition
        for said in ("every stone: size == 2", "every pile: height == 2")
    )
    assert not any(isinstance(part, ir.TopAt | ir.HeightAt) for part in walk(first))
    assert any(isinstance(part, ir.HeightAt) for part in walk(second))


def test_an_attribute_of_that_name_counts() -> None:
    text = GAME.format(grid="grid 3x3").replace("size: 1..4", "height: 1..4")
    lines = (
        "some [ # # ]: all height >= 3",
        "some c in stone: c.height == 4",
        "some [ a b ]: sum height == 5 and a.height == 2",
    )
    game = load(text + "".join(f'objective o{at} "O" = {said}\n' for at, said in enumerate(lines)))
    for objective in game.ruleset.objectives.values():
        assert not any(isinstance(part, ir.HeightAt) for part in walk(objective.condition))


def test_what_a_pile_holds_need_not_be_known() -> None:
    """Cards that nobody saw have a height."""
    game = load(GAME.format(grid="grid 3x3") + 'objective o "O" = some [ # . / . # ] mirrored: all height >= 2\n')
    grid = {(1, 0): [UNSEEN, UNSEEN], (0, 1): [UNSEEN, UNSEEN, UNSEEN]}
    assert game.interpreter.objective("o")(position_with(game, grid), grid) is True
    grid[1, 0] = [UNSEEN]
    assert game.interpreter.objective("o")(position_with(game, grid), grid) is False


@pytest.mark.parametrize(
    ("condition", "message", "help_line"),
    [
        ("some [ # # ]: height >= 3", "there is no name `height` here", "`all height ...`"),
        ("some [ # # ]: some stone: height >= 3", "there is no name `height` here", "`every pile: height ...`"),
        ("some buried: height == 2", "there is no name `height` here", "`some pile: height ...`"),
        ("some c in buried: c.height == 2", "it is not known where this lies", "`some c in stone: c.height ...`"),
        ("sum height of buried > 2", "it is not known where this lies", "`some c in stone: c.height ...`"),
        ("some [ a a ]: a.height == 2", "a collection of stones has no attributes", "every c in a: c.height ..."),
        ("some [ # # ]: height reads 0 1", "no height is 0, it is 1 or more", ""),
        ("some [ # # ]: height reads 1", "the shape has 2 cells, here is 1 value", ""),
        ("some [ a b? ]: b.height + 1 == 2", "this may have no value", "(b.height else 0)"),
        ("some c in stone: ascending height of neighbours of c", "heights go up in the order of a picture", ""),
        ("some row: ascending height", "the pictures of this shape differ in their number of cells", "a.height < b.height"),
        ("some c in stone: c.hight == 2", "there is no attribute of stone `hight`", "did you mean `height`?"),
    ],
)  # fmt: skip
def test_mistakes_are_told(condition: str, message: str, help_line: str, tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    text = GAME.format(grid="grid 3x3") + f'shape row = [ # # ], [ # # # ]\nobjective o "O" = {condition}\n'
    path.write_text(text, "utf-8")
    found = [(d.message, d.help or "") for d in load_ruleset(str(path), Library()).diagnostics]
    assert any(message in told and help_line in more for told, more in found), found
