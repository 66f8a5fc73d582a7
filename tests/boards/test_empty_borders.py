"""Cells of a picture that need no card may lie beyond what is used of a grid that floats, as far as the grid is wide and high."""

from __future__ import annotations

import pytest

from tests.boards.by_hand import Asked, Seen, check

PICTURES = ("# _", "_ #", "_ # _", "_ / #", "# / _", "_ _ / _ #", "# . / . _", ". #", "_ _ #", "_ # / # _")


def places(seen: Seen, picture: str, floating: bool) -> int:
    """Where a picture lies when the whole grid is laid around the stones in all ways."""
    rows = [row.split() for row in picture.split("/")]
    used = [max((stone.x, stone.y)[axis] for stone in seen) + 1 if seen else 0 for axis in (0, 1)]
    shifts = [
        range(-(size - most), 1) if floating else [0]
        for size, most in zip((seen.width, seen.height), used, strict=True)
    ]
    taken = {(stone.x, stone.y) for stone in seen}
    found = set()
    for first in shifts[0]:
        for top in shifts[1]:
            for x in range(first, first + seen.width - len(rows[0]) + 1):
                for y in range(top, top + seen.height - len(rows) + 1):
                    signs = [(s, (x + c, y + r) in taken) for r, row in enumerate(rows) for c, s in enumerate(row)]
                    if all(sign == "." or (sign == "#") == there for sign, there in signs):
                        found.add((x, y))
    return len(found)


@pytest.mark.parametrize("grid", ["floating grid 4x4", "grid 4x4", "floating grid 4x3"])
def test_a_picture_is_found_where_a_player_sees_it(grid: str) -> None:
    floating = grid.startswith("floating")
    asked: list[Asked] = []
    for picture in PICTURES:
        asked.append((f"some [ {picture} ]", lambda b, p=picture: places(b, p, floating) > 0))
        if "." not in picture:
            asked.append((f"exactly 2 [ {picture} ]", lambda b, p=picture: places(b, p, floating) == 2))
    check(asked, grid, 50)
