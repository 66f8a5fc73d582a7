"""What the functions that `python.py` writes call, and the tables that they look into."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, pairwise
from operator import eq
from typing import Any

from pwtool.eval.backend import stored
from pwtool.eval.disjoint_sets import bits, most_apart
from pwtool.eval.values import bounds, by_cell, connected, fits, group_sizes, within, without
from pwtool.eval.work import TooMuchWork
from pwtool.ir.grids import AROUND, Cell, Cells, Grid, Step, cells_of, moved, near, rays_all, towards

Rays = dict[Step, dict[Cell, Cells]]


@cache
def themselves(grid: Grid) -> dict[Cell, Cell]:
    """The cells of a grid, to look up which are."""
    return {cell: cell for cell in cells_of(grid)}


@cache
def all_moved(grid: Grid, step: Step) -> dict[Cell, Cell | None]:
    """Where a step leads from each cell."""
    return {cell: moved(grid, cell, step) for cell in cells_of(grid)}


@cache
def rays(grid: Grid) -> Rays:
    return {around: rays_all(grid, around) for around in AROUND}


def _cell_at(grid: Grid, x: int | None, y: int | None) -> Cell | None:
    return (x, y) if x is not None and y is not None and grid.has((x, y)) else None


def _cell_from(grid: Grid, cell: Cell | None, step: Step | None) -> Cell | None:
    return None if cell is None or step is None else moved(grid, cell, step)


def _between(rays: Rays, grid: Grid, one: Cell, other: Cell) -> Cells:
    step = towards(grid, one, other)
    found = () if step is None else rays[step].get(one, ())
    distance = max(abs(other[0] - one[0]), abs(other[1] - one[1]))
    return found[: distance - 1] if len(found) >= distance else ()


def _family(s: Any, zone: int, open_: int, *indices: int) -> Any:
    """The zones of a name, with the last dimensions left open."""
    strides = s.strides[zone]
    start = sum(stride * index for stride, index in zip(strides, indices, strict=False))
    return s.zones[zone][start : start + strides[-open_ - 1]]


def _same(values: Any) -> bool:
    return values.count(values[0]) == len(values) if values else True


def _distinct(values: Any) -> bool:
    return len(set(values)) == len(values)


def _ascending(values: Any) -> bool:
    return all(a < b for a, b in pairwise(values))


def _group(piles: Any, table: tuple[Any, ...], width: int, choose: Callable[..., int]) -> int:
    return choose(group_sizes([table[pile[-1]] if pile else None for pile in piles], width, eq), default=0)


def _taken(cells: Iterable[int | None], piles: list[Any]) -> int:
    """Those cells on which something lies, as bits."""
    return bits(at for at in cells if at is not None and piles[at] is not None)


CALLED: dict[str, Any] = {
    "TooMuchWork": TooMuchWork, "ascending": _ascending, "between": _between, "bits": bits, "bounds": bounds, "by_cell": by_cell,
    "cell_at": _cell_at, "cell_from": _cell_from, "chain": chain, "connected": connected, "distinct": _distinct,
    "family": _family, "fits": fits, "group": _group, "most_apart": most_apart, "near": near, "same": _same, "stored": stored,
    "taken": _taken, "within": within, "without": without,
}  # fmt: skip
"""What functions call besides what Python has, by name."""
