"""The cells of grids and their geometry.

A cell is `(column, row)`, counted from the top left corner; a step is a number of columns and rows. On a hexagonal
grid, each row is shifted by half a cell to the right of the one above: a cell has six neighbours, in the steps right
and left, down and up, up right and down left.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import msgspec

Cell = tuple[int, int]
Step = tuple[int, int]
Cells = tuple[Cell, ...]

BESIDE: tuple[Step, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL: tuple[Step, ...] = ((1, 1), (-1, 1), (1, -1), (-1, -1))
HEXAGONAL: tuple[Step, ...] = (*BESIDE, (1, -1), (-1, 1))

AROUND: tuple[Step, ...] = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1))
"""The steps of at most one column and one row, in the order of their numbers."""

FAR = 999
"""On a floating grid, no cell is further away than this."""


class Grid(msgspec.Struct, frozen=True):
    """The cells of a grid. `mask` gives them row by row, `#` for a cell; without a mask, the grid has all. A floating
    grid has every cell. If cells are `joined` by lines, those that follow each other on a line are adjacent, and no
    others.
    """

    width: int = 0
    height: int = 0
    mask: str = ""
    hexagonal: bool = False
    floating: bool = False
    joined: tuple[Cells, ...] = ()

    def has(self, cell: Cell) -> bool:
        """Whether this is one of its cells."""
        x, y = cell
        if self.floating:
            return -FAR <= x <= FAR and -FAR <= y <= FAR
        inside = 0 <= x < self.width and 0 <= y < self.height
        return inside and (not self.mask or self.mask[y * self.width + x] == "#")

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.mask.count("#") if self.mask else self.width * self.height

    @property
    def beside(self) -> tuple[Step, ...]:
        """The steps to the cells adjacent to a cell."""
        return HEXAGONAL if self.hexagonal else BESIDE


FLOATING = Grid(floating=True)


@cache
def cells_of(grid: Grid) -> Cells:
    """All cells in reading order."""
    return tuple((x, y) for y in range(grid.height) for x in range(grid.width) if grid.has((x, y)))


def moved(grid: Grid, cell: Cell, step: Step) -> Cell | None:
    """The cell that a step leads to; None outside the grid."""
    there = cell[0] + step[0], cell[1] + step[1]
    return there if grid.has(there) else None


def near(grid: Grid, cell: Cell, diagonally: bool = False) -> Cells:
    """The cells adjacent to a cell, or those that touch it at a corner."""
    if grid.joined:
        return () if diagonally else _joined(grid).get(cell, ())
    steps = DIAGONAL if diagonally else grid.beside
    if grid.floating:
        x, y = cell
        if -FAR < x < FAR and -FAR < y < FAR:
            return tuple([(x + right, y + down) for right, down in steps])
    return tuple(there for step in steps if (there := moved(grid, cell, step)) is not None)


@cache
def _joined(grid: Grid) -> dict[Cell, Cells]:
    """The cells that lines lead to from each cell."""
    found: dict[Cell, dict[Cell, None]] = {}
    for line in grid.joined:
        for one, other in pairwise(line):
            found.setdefault(one, {})[other] = None
            found.setdefault(other, {})[one] = None
    return {cell: tuple(sorted(others, key=lambda c: c[::-1])) for cell, others in found.items()}


def ray(grid: Grid, cell: Cell, step: Step) -> Cells:
    """The cells reached by repeating a step, in order, to the edge of the grid."""
    found: list[Cell] = []
    there = moved(grid, cell, step) if any(step) else None
    while there is not None:
        found.append(there)
        there = moved(grid, there, step)
    return tuple(found)


def towards(grid: Grid, cell: Cell, other: Cell) -> Step | None:
    """The step that leads in a line from one cell towards another: to an adjacent cell or (not on a hexagonal grid) to one at a corner."""
    x, y = other[0] - cell[0], other[1] - cell[1]
    straight = not x or not y or x == -y or (x == y and not grid.hexagonal)
    return ((x > 0) - (x < 0), (y > 0) - (y < 0)) if straight and (x or y) else None


def cells_between(grid: Grid, cell: Cell, other: Cell) -> Cells:
    """The cells between two in a line; none if the two are not in a line, or a cell between them is missing."""
    step = towards(grid, cell, other)
    found = () if step is None else ray(grid, cell, step)
    return found[: found.index(other)] if other in found else ()


@cache
def near_all(grid: Grid, diagonally: bool) -> dict[Cell, Cells]:
    """The neighbourhoods of all cells."""
    return {cell: near(grid, cell, diagonally) for cell in cells_of(grid)}


Reach = tuple[bool, ...]
"""Which cells touch another one: those adjacent to it (False), those at its corners (True), or both."""
SIDE_BY_SIDE: Reach = (False,)


@cache
def numbers_beside(grid: Grid, reach: Reach = SIDE_BY_SIDE) -> tuple[tuple[int, ...], ...]:
    """For each cell the indices in `cells_of` of the cells that touch it."""
    places = {cell: at for at, cell in enumerate(cells_of(grid))}
    return tuple(tuple(places[other] for by in reach for other in near(grid, cell, by)) for cell in cells_of(grid))


@cache
def rays_all(grid: Grid, step: Step) -> dict[Cell, Cells]:
    """The rays in a direction from each cell."""
    return {cell: ray(grid, cell, step) for cell in cells_of(grid)}
