"""Places of a shape that share no card."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pwtool.boards.proofs import Analysis, position_with
from pwtool.eval.disjoint_sets import bits, most_apart
from pwtool.eval.values import UNKNOWN
from pwtool.eval.work import TooMuchWork, Work
from pwtool.ir import nodes as ir
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests import daily
from tests.boards.by_hand import GAME, GRIDS, Asked, Seen, check, game_with
from tests.boards.drawn import Way, places, separate, stones
from tests.daily import one_day_in, some
from tests.laws.test_circuits import load


def apart(seen: Seen, picture: str, holds: Callable[[Way], bool], turned: bool = False, mirrored: bool = False) -> int:
    found = {
        frozenset((s.x, s.y) for s in stones(way)) for way in places(seen, picture, turned, mirrored) if holds(way)
    }
    return separate(sorted(found, key=sorted))


def same_tone(way: Way) -> bool:
    return len({s.tone for s in stones(way)}) == 1


ASKED: list[Asked] = [
    ("at least 2 separate [ # # ] turned: same tone", lambda b: apart(b, "# #", same_tone, True) >= 2),
    ("at least 3 separate [ # # ] turned: same tone", lambda b: apart(b, "# #", same_tone, True) >= 3),
    ("exactly 2 separate [ # # ]: same tone", lambda b: apart(b, "# #", same_tone) == 2),
    ("at most 1 separate [ # # ] turned", lambda b: apart(b, "# #", lambda w: True, True) <= 1),
    (
        "exactly 1 separate [ a b / . c ] turned mirrored: a.size < b.size and b.size < c.size",
        lambda b: apart(
            b, "a b / . c", lambda w: w["a"][0].size < w["b"][0].size < w["c"][0].size, True, True
        ) == 1,
    ),
    ("at least 2 separate [ # # / # . ] turned", lambda b: apart(b, "# # / # .", lambda w: True, True) >= 2),
    (
        "at least 2 separate [ # # #? ] turned: same tone",
        lambda b: apart(b, "# # #?", same_tone, True) >= 2,
    ),
    (
        "exactly 2 separate [ a b? ]: (b.size else 4) >= a.size",
        lambda b: apart(b, "a b?", lambda w: (w["b?"][0].size if w["b?"][0] else 4) >= w["a"][0].size) == 2,
    ),
    (
        "at most 2 separate [ b? # # b? ]: same tone and count b < 2",
        lambda b: apart(b, "b? # # b?", lambda w: same_tone(w) and None in w["b?"]) <= 2,
    ),
    ("at least 1 separate [ # # # ] turned: same size", lambda b: apart(b, "# # #", lambda w: len({s.size for s in stones(w)}) == 1, True) >= 1),
    ("exactly 0 separate [ # / # ]: same size", lambda b: apart(b, "# / #", lambda w: len({s.size for s in stones(w)}) == 1) == 0),
    (
        "at least 2 separate [ a b ]: count neighbours of a > count neighbours of b",
        lambda b: apart(b, "a b", lambda w: len(b.beside(w["a"][0])) > len(b.beside(w["b"][0]))) >= 2,
    ),
]  # fmt: skip


@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_the_most_places_that_share_no_card(grid: str) -> None:
    check(ASKED, grid)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_thousands_of_boards(grid: str) -> None:
    check(ASKED, grid, 500, seed=daily.seed())


COUNTED: list[Asked] = [
    (
        "count (separate two on board: same tone) == 2\nshape two = [ # # ] turned",
        lambda b: apart(b, "# #", same_tone, True) == 2,
    ),
    (
        "count (separate two on board: same tone) + 1 == count (two on board: same tone)",
        lambda b: apart(b, "# #", same_tone, True) + 1 == sum(map(same_tone, places(b, "# #"))) + sum(map(same_tone, places(b, "# / #"))),
    ),
    (
        "count (separate corner on board: count stone >= 3) >= 2\nshape corner = [ # # / # #? ]",
        lambda b: apart(b, "# # / # #?", lambda w: True) >= 2,
    ),
]  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize("grid", ["grid 3x3", "grid 4x4", "grid 2x5"])
def test_counted_on_a_grid(grid: str) -> None:
    # On the largest, up to eight lie apart in too many ways for a proof.
    check(COUNTED, grid, proven=grid != "grid 4x4")


def test_cards_that_nobody_saw() -> None:
    game = game_with(
        "grid 2x5", "at least 2 separate [ # # ] turned: same tone", "at most 1 separate [ # # ] turned: same tone"
    )
    numbers = game.ruleset.components["stone"].numbers
    for codes, sure, perhaps in (
        ("P1 P2 / P3 ?", 1, 2),
        ("P1 P1 / D1 ?", 1, 2),
        ("P1 ? / P1 P1", 1, 2),
        ("P1 P1 / ? P1 / P1 P1", 2, 3),
    ):
        rows = [row.split() for row in codes.split("/")]
        grid = {(x, y): [numbers.get(code, -1)] for y, row in enumerate(rows) for x, code in enumerate(row)}
        least, most = (game.interpreter.objective(name)(position_with(game, grid), grid) for name in ("o0", "o1"))
        known = True if sure >= 2 else False if perhaps < 2 else UNKNOWN
        assert least is known, codes
        assert most is (UNKNOWN if known is UNKNOWN else not known), codes


def test_all_boards_are_counted() -> None:
    """Two dominoes of one tone beside each other, on all boards of four cells."""
    game = game_with("grid 2x2", "at least 2 separate [ # # ] turned: same tone")
    analysis = Analysis(game, ["o0"])
    kinds, tones = 12, 3
    each = kinds // tones
    # Above and below, or left and right; all four of one tone are both.
    assert analysis.measure("o0").count == 2 * (tones * each**2) ** 2 - tones * each**4


SAME = [
    ("exactly 2 separate two: same tone", "not (at least 3 separate two: same tone) and at least 2 separate two: same tone"),
    ("at most 4 separate two: same tone", "true"),
    ("at least 1 separate two: same tone", "some two: same tone"),
    ("exactly 3 separate [ # # # ]", "every row in 1..3: count stone >= 9"),
    ("at least 2 separate [ # # # ] turned: same size", "(at least 2 [ # # # ]: same size) or at least 2 [ # / # / # ]: same size"),
]  # fmt: skip


@pytest.mark.parametrize(("one_way", "other_way"), SAME)
def test_said_in_two_ways_it_is_the_same(one_way: str, other_way: str) -> None:
    shape = "shape two = [ # # ] turned\n"
    text = f'objective o "O" = {one_way}\nobjective p "P" = {other_way}\n'
    analysis = Analysis(load(GAME.format(grid="grid 3x3") + shape + text), ["o", "p"])
    assert analysis.relation("o", "p").kind == "same"


def test_the_search_is_exact_and_bounded() -> None:
    work = Work()
    rows = [0b11 << at for at in range(9)]
    assert [most_apart(rows, most, work) for most in (0, 1, 4, 5, 9)] == [0, 1, 4, 5, 5]
    assert most_apart([0b111, 0b1, 0b110, 0b111, 0b10], 9, work) == 2
    with work.limited(3), pytest.raises(TooMuchWork):
        most_apart([1 << at for at in range(40)], 40, work)
    game = game_with("grid 3x3", "at least 3 separate [ # # ] turned")
    whole = game.ruleset.objectives["o0"].condition
    assert isinstance(whole, ir.Quantified) and isinstance(whole.domain, ir.Places)
    before = work.left
    assert most_apart([bits(needs) for needs, _ in whole.domain.places], whole.asked or 0, work) == 3
    assert before - work.left <= whole.domain.tries(whole.asked) == (1 + 12 + 66) * 12


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("some separate [ # # ]", "`separate` says how many places share no card"),
        ("every separate [ # # ]: same tone", "`separate` says how many places share no card"),
        ("at least 2 separate stone: size == 1", "only places of a shape may share a card: leave `separate` out"),
        ("at least 2 separate [ _ _ ]", "no card lies on this shape that could be shared"),
        ("at least 5 separate [ # # ] turned", "there are never 5 that share no card, 4 would fill the grid"),
    ],
)  # fmt: skip
def test_mistakes_are_told(condition: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    path.write_text(GAME.format(grid="grid 3x3") + f'objective o "O" = {condition}\n', "utf-8")
    found = [d.message for d in load_ruleset(str(path), Library()).diagnostics]
    assert len(found) == 1 and message in found[0], found


def test_what_takes_too_many_steps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    for number, wrong in ((2, False), (7, True)):
        path.write_text(
            GAME.format(grid="grid 12x12")
            + f'objective o "O" = at least {number} separate [ # # # ] turned: same tone\n',
            "utf-8",
        )
        found = [d for d in load_ruleset(str(path), Library()).diagnostics if d.code == "PW308"]
        assert bool(found) == wrong, found


def test_a_word_like_any_other_elsewhere() -> None:
    game = game_with("grid 3x3", "at least 2 separate: same tone\nshape separate = [ # # ]")
    assert game.ruleset.objectives["o0"].condition.domain.separate is False  # type: ignore[union-attr]
