"""Values of the rules language at run time.

Faces are numbers (`-1` is an unseen face), members of an enumerated attribute are strings, players and goals are
numbers, cells are `(x, y)` pairs, piles, bags and slots are lists, grids are dictionaries from cell to pile, `none` is
None.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

UNSEEN = -1


class Unknown:
    """Something that cannot be known from a record. There is one instance, `UNKNOWN`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()

Cell = tuple[int, int]
Grid = dict[Cell, list[int]]


def bounds(cells: Collection[Cell]) -> tuple[int, int, int, int]:
    """Smallest x, smallest y, largest x, largest y of cells, such as those that a grid uses; there has to be at least one."""
    xs = [c[0] for c in cells]
    ys = [c[1] for c in cells]
    return min(xs), min(ys), max(xs), max(ys)


def fits(grid: Grid, width: int, height: int, extra: Cell | None = None) -> bool:
    """Whether the used cells, and one more, fit in a box of this size."""
    return not grid or within(bounds(grid), width, height, extra)


def within(box: tuple[int, int, int, int], width: int, height: int, extra: Cell | None = None) -> bool:
    """Whether a box, and one more cell, fit in a box of this size."""
    left, top, right, bottom = box
    if extra is not None:
        x, y = extra
        if x < left:
            left = x
        elif x > right:
            right = x
        if y < top:
            top = y
        elif y > bottom:
            bottom = y
    return right - left < width and bottom - top < height


def connected(grid: Grid) -> bool:
    """Whether the used cells are connected side by side."""
    if not grid:
        return True
    cells = set(grid)
    reached = [cells.pop()]
    for x, y in reached:
        for neighbour in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if neighbour in cells:
                cells.remove(neighbour)
                reached.append(neighbour)
    return not cells


def group_sizes(cells: list[Any], width: int, alike: Callable[[Any, Any], bool]) -> list[int]:
    """The sizes of the groups of used cells that are connected side by side and alike; `cells` by cell number."""
    sizes: list[int] = []
    left = {at for at, cell in enumerate(cells) if cell is not None}
    while left:
        group = [left.pop()]
        for at in group:
            beside = [at - width, at + width]
            beside += [at - 1] * (at % width > 0) + [at + 1] * (at % width < width - 1)
            for other in beside:
                if other in left and alike(cells[at], cells[other]):
                    left.remove(other)
                    group.append(other)
        sizes.append(len(group))
    return sizes


def around(start: int | None, beside: Sequence[Sequence[int]], holds: Callable[[int], bool]) -> list[int]:
    """The places connected to `start` through places that hold, in order; `beside` lists the neighbours of each."""
    if start is None or not holds(start):
        return []
    seen, reached = {start}, [start]
    for at in reached:
        for other in beside[at]:
            if other not in seen:
                seen.add(other)
                if holds(other):
                    reached.append(other)
    return sorted(reached)


def by_cell(grid: Grid, width: int, height: int, floating: bool) -> list[list[int] | None]:
    """The piles of a grid by cell number; a floating grid is moved to the upper left corner first."""
    cells: list[list[int] | None] = [None] * (width * height)
    if not grid:
        return cells
    left = top = 0
    if floating:
        left, top = next(iter(grid))
        for x, y in grid:
            if x < left:  # noqa: PLR1730 - asked for every objective of every turn; `min` costs three times as much
                left = x
            if y < top:  # noqa: PLR1730
                top = y
    for (x, y), pile in grid.items():
        column, row = x - left, y - top
        # A board that breaks the size rule is still judged: cells outside are not part of any picture.
        if pile and column < width and row < height:
            cells[row * width + column] = pile
    return cells


def without(items: list[Any], removed: list[Any]) -> list[Any]:
    """The multiset difference of two collections: two equal cards less one leave one."""
    left = list(items)
    for item in removed:
        if item in left:
            left.remove(item)
    return left


def holds_unseen(position: Any) -> bool:
    """Whether a variable of a position holds a card that nobody saw: it may be one that an action has named since, and that
    the deck has no more.
    """
    held = (position.variables[number] for number in position.faces)
    return any(UNSEEN in value if isinstance(value, list) else value == UNSEEN for value in held)
