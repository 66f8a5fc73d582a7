"""Where a picture lies on a board, found with nothing of the engine: each way is tried at each cell."""

from __future__ import annotations

from collections.abc import Iterator

from tests.boards.by_hand import Seen, Stone

Way = dict[str, list[Stone | None]]
"""The stones of a place by the signs of the picture, in its order: of `a?` None where none lies."""


def places(seen: Seen, picture: str, turned: bool = False, mirrored: bool = False) -> Iterator[Way]:
    """All ways in which a picture lies there."""
    rows = [row.split() for row in picture.split("/")]
    cells = [(x, y, sign) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign != "."]
    at = {(stone.x, stone.y): stone for stone in seen}
    for flip in (1, -1) if mirrored else (1,):
        for quarter in range(4 if turned else 1):
            way = [(flip * x, y, sign) for x, y, sign in cells]
            for _ in range(quarter):
                way = [(-y, x, sign) for x, y, sign in way]
            for down in range(-9, 10):
                for aside in range(-9, 10):
                    found = _found([(x + aside, y + down, sign) for x, y, sign in way], at)
                    if found is not None:
                        yield found


def _found(way: list[tuple[int, int, str]], at: dict[tuple[int, int], Stone]) -> Way | None:
    found: Way = {}
    for x, y, sign in way:
        stone = at.get((x, y))
        if stone is None and not sign.endswith("?"):
            return None
        found.setdefault(sign, []).append(stone)
    return found


def stones(way: Way) -> list[Stone]:
    """All stones of a place."""
    return [stone for of_sign in way.values() for stone in of_sign if stone is not None]


def separate(found: list[frozenset[tuple[int, int]]]) -> int:
    """How many of some places share no cell: each is tried, taken and left."""
    if not found:
        return 0
    first, *others = found
    without = separate(others)
    return max(without, 1 + separate([other for other in others if first.isdisjoint(other)]))
