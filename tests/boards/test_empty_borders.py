"""Cells of a picture that need no card may lie beyond what is used of a grid that floats, as far as the grid is wide and high."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.boards.proofs import Analysis
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.boards.by_hand import Asked, Seen, check, game_with
from tests.daily import one_day_in, some

PICTURES = ("# _", "_ #", "_ # _", "_ / #", "# / _", "_ _ / _ #", "# . / . _", ". #", "_ _ #", "_ # / # _")
BORDERED = (
    "# . turned", "# . . mirrored", "# . / . . turned", "# # . mirrored", "_ # . turned", "# . / . _ turned",
    "# . turned mirrored", ". . / # # turned mirrored", "# . / . . mirrored",
)  # fmt: skip


def places(seen: Seen, picture: str, floating: bool) -> int:
    """In how many ways a picture lies when the whole grid is laid around the stones in all ways: on other stones, or with other
    cells empty.
    """
    signs = picture.replace("turned", "").replace("mirrored", "")
    rows = [row.split() for row in signs.split("/")]
    ways = [rows]
    if "mirrored" in picture:
        ways += [[row[::-1] for row in rows]]
    if "turned" in picture:
        for _ in range(3):
            ways += [[list(row) for row in zip(*way[::-1], strict=True)] for way in ways]
    return len({cells for way in ways for cells in _lying(seen, way, floating)})


def _lying(seen: Seen, rows: list[list[str]], floating: bool) -> Iterator[tuple[frozenset[Any], ...]]:
    used = [max((stone.x, stone.y)[axis] for stone in seen) + 1 if seen else 0 for axis in (0, 1)]
    shifts = [
        range(-(size - most), 1) if floating else [0]
        for size, most in zip((seen.width, seen.height), used, strict=True)
    ]
    taken = {(stone.x, stone.y) for stone in seen}
    for first in shifts[0]:
        for top in shifts[1]:
            for x in range(first, first + seen.width - len(rows[0]) + 1):
                for y in range(top, top + seen.height - len(rows) + 1):
                    signs = {(x + c, y + r): s for r, row in enumerate(rows) for c, s in enumerate(row)}
                    if all(sign == "." or (sign == "#") == (at in taken) for at, sign in signs.items()):
                        yield tuple(frozenset(at for at, sign in signs.items() if sign == kind) for kind in "#_")


@one_day_in(4)
@pytest.mark.parametrize("grid", some(["floating grid 4x4", "grid 4x4", "floating grid 4x3"], 1))
def test_a_picture_is_found_where_a_player_sees_it(grid: str) -> None:
    floating = grid.startswith("floating")
    asked: list[Asked] = []
    for picture in PICTURES:
        asked.append((f"some [ {picture} ]", lambda b, p=picture: places(b, p, floating) > 0))
        asked.append((f"exactly 2 [ {picture} ]", lambda b, p=picture: places(b, p, floating) == 2))
    for picture in BORDERED:
        signs, *turning = picture.partition(" turned" if "turned" in picture else " mirrored")
        written = f"[ {signs} ]{''.join(turning)}"
        asked.append((f"some {written}", lambda b, p=picture: places(b, p, floating) > 0))
        asked += [
            (f"exactly {number} {written}", lambda b, p=picture, k=number: places(b, p, floating) == k)
            for number in (1, 2, 5)
        ]
    check(asked, grid, 25)


@pytest.mark.parametrize(
    "condition",
    ["exactly 1 [ # . . ] turned", "some [ # # . ] turned: ascending size", "some [ x y . ] mirrored: x.size < y.size"],
)
def test_a_border_that_makes_the_place_decide_is_refused(condition: str) -> None:
    """Which cells the same stones may have around them, or in which order they are read, would depend on where they lie."""
    with pytest.raises(AssertionError, match="lies on the same cells in several ways"):
        game_with("floating grid 3x3", condition)


def test_such_a_border_may_decide_whether_there_is_a_place() -> None:
    asked: list[Asked] = []
    for signs in ("# . .", ". # ."):
        asked.append((f"some [ {signs} ] turned", lambda b, p=f"{signs} turned": places(b, p, True) > 0))
        asked.append((f"no [ {signs} ] turned", lambda b, p=f"{signs} turned": places(b, p, True) == 0))
    check(asked, "floating grid 3x3", 50)


GRID = """game g "G"
players 2..2
component card { color: red "R" | blue "B" }
deck cards of card = { 4 R 4 B }
zone hand: bag of card per player
zone board: floating grid 3x2 of card per player
setup { deal hand "All": all of cards to hand by chance }
turn = place
action place "Place" (card: card from hand, at: cell of board) { move card to board[at] }
ending over "Over" when hand is empty then stop
score cards "Cards" = - count hand
ranking most total, shared
objective lonely "A card between two gaps" = some [ _ # _ ] turned
"""


def test_a_turned_picture_has_to_fit_the_grid(tmp_path: Path) -> None:
    """What lies beyond the cards too: upright, this one would need three rows of a grid of two. Counted over all boards."""

    def holds(board: set[tuple[int, int]]) -> bool:
        left, right = min(x for x, _ in board), max(x for x, _ in board)
        return any(not {(x - 1, y), (x + 1, y)} & board and max(right, x + 1) - min(left, x - 1) < 3 for x, y in board)

    path = tmp_path / "game.rules"
    path.write_text(GRID, "utf-8")
    game = RulesetStore(Library()).get(str(path)).value
    assert game is not None
    cells = list(product(range(3), range(2)))
    boards = [{c for c, face in zip(cells, faces, strict=True) if face} for faces in product(range(3), repeat=6)]
    assert Analysis(game.game, ["lonely"]).number("lonely") == sum(holds(board) for board in boards if board)
