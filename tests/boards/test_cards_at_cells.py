"""Visible cards that are known with their cells: what lies beside them, and what hangs together with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.boards.proofs import Analysis
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.boards.by_hand import GAME, GRIDS, Asked, Seen, Stone, check, game_with
from tests.daily import some


def alike(seen: Seen, stone: Stone) -> list[Stone]:
    return seen.group(stone, lambda other: other.tone == stone.tone)


def by_sides(seen: Seen, stone: Stone) -> list[int]:
    sides = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    found = sorted(seen.beside(stone), key=lambda other: sides.index((other.x - stone.x, other.y - stone.y)))
    return [other.size for other in found]


def at_corners(seen: Seen, stone: Stone) -> list[Stone]:
    return [other for other in seen if abs(other.x - stone.x) == 1 == abs(other.y - stone.y)]


ASKED: list[Asked] = [
    ("some c in stone: count neighbours of c diagonally == c.size", lambda b: any(len(at_corners(b, c)) == c.size for c in b)),
    (
        "every c in stone: some d in neighbours of c diagonally: d.tone == c.tone and c is in neighbours of d diagonally",
        lambda b: all(any(d.tone == c.tone for d in at_corners(b, c)) for c in b),
    ),
    (
        "some c in stone: sum size of (neighbours of c + neighbours of c diagonally) == 9",
        lambda b: any(sum(d.size for d in [*b.beside(c), *at_corners(b, c)]) == 9 for c in b),
    ),
    ("every c in stone: count neighbours of c == c.size", lambda b: all(len(b.beside(c)) == c.size for c in b)),
    (
        "every c in stone: c.tone != red or count neighbours of c == c.size",
        lambda b: all(c.tone != "red" or len(b.beside(c)) == c.size for c in b),
    ),
    (
        "every c in stone: some d in neighbours of c: d.tone == c.tone",
        lambda b: all(any(d.tone == c.tone for d in b.beside(c)) for c in b),
    ),
    ("some c in stone: same tone of neighbours of c", lambda b: any(len({d.tone for d in b.beside(c)}) < 2 for c in b)),
    (
        "at least 2 c in stone: ascending size of neighbours of c and count neighbours of c >= 2",
        lambda b: sum(len(s := by_sides(b, c)) > 1 and s == sorted(set(s)) for c in b) >= 2,
    ),
    (
        "some c in stone: count (group d around c: d.tone == c.tone) >= 3",
        lambda b: any(len(alike(b, c)) >= 3 for c in b),
    ),
    (
        "exactly 3 c in stone: sum size of (group d around c: d.tone == c.tone) >= 6",
        lambda b: sum(sum(d.size for d in alike(b, c)) >= 6 for c in b) == 3,
    ),
    (
        "some c in stone: every d in (group e around c: e.size <= c.size): d.tone != red or some f in neighbours of d: f.size > d.size",
        lambda b: any(
            all(d.tone != "red" or any(f.size > d.size for f in b.beside(d)) for d in b.group(c, lambda e: e.size <= c.size))  # noqa: B023
            for c in b
        ),
    ),
    (
        "some c in stone: (group d around c: d.size > 2) is empty and c is in neighbours of c",
        lambda b: False,
    ),
    (
        "some c in stone: some d in neighbours of c: c is in neighbours of d",
        lambda b: any(b.beside(c) for c in b),
    ),
    (
        "((first c in stone: count neighbours of c == 2).size else 0) == 3",
        lambda b: next((c.size for c in b if len(b.beside(c)) == 2), 0) == 3,
    ),
]  # fmt: skip


@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_they_mean_what_a_player_counts(grid: str) -> None:
    check(ASKED, grid)


def test_counts_are_exact() -> None:
    """All 3**4 boards with a stone or none of two sizes on four cells."""
    game = game_with("grid 2x2", "some c in stone: count (group d around c: d.size == 1 and d.tone == pale) == 3")
    analysis = Analysis(game, ["o0"])
    kinds = len(analysis.space.values)
    # Three pale 1s that hang together lie on any three cells of four; the fourth holds anything else.
    assert analysis.measure("o0").count == 4 * (kinds - 1)


def test_where_a_card_lies_is_kept_only_where_it_is_asked_for() -> None:
    game = game_with("floating grid 3x3", "some c in stone: c.size == 2", "some c in stone: neighbours of c is empty")
    first, second = (game.ruleset.objectives[name].condition for name in ("o0", "o1"))
    assert not any(isinstance(part, ir.TopAt | ir.Where) for part in walk(first))
    assert any(isinstance(part, ir.Beside) for part in walk(second))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("some [ a ]: count (group d around a.size: true) > 1", "a group is connected around a cell or a card of the grid"),
        ("count (group d around (first c in stone: c.size == 2): true) > 1", "this may be no card at all"),
        ("some c in stone: group d around c: d.tone", "this is a tone, a condition is needed"),
        ("some c in stone: group d around c: true", "this is a collection of stones, a condition is needed"),
        ("some c in stone: neighbours of c.size == 2", "a number has no neighbours, a cell has"),
    ],
)  # fmt: skip
def test_mistakes_are_told(condition: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    path.write_text(GAME.format(grid="grid 3x3") + f'objective o "O" = {condition}\n', "utf-8")
    found = [d.message for d in load_ruleset(str(path), Library()).diagnostics]
    assert any(message in text for text in found), found
