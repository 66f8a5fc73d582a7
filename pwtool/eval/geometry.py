"""Geometry of cells, directions and numbers: computed by steps from cell to cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pwtool.ir import nodes as ir
from pwtool.ir.grids import DIAGONAL, Cell, Step, cells_between, moved, ray

_Cell = Cell | None


def _neighbours(x: ir.Neighbours, cell: Cell) -> list[Cell]:
    steps = DIAGONAL if x.diagonally else x.on.beside
    there = [(cell[0] + columns, cell[1] + rows) for columns, rows in steps]
    if x.on.floating:
        return there
    return [c for c in there if x.on.has(c)] if x.on.has(cell) else []


def _cell_at(x: ir.CellAt, column: int | None, row: int | None) -> _Cell:
    return (column, row) if column is not None and row is not None and x.on.has((column, row)) else None


def _direction(_: ir.Direction, column: int, row: int) -> Step:
    return column, row


def _steps(x: ir.Steps, left: Step | None, right: Any) -> Step | None:
    if left is None or right is None:
        return None
    if x.sign == "*":
        return left[0] * right, left[1] * right
    sign = 1 if x.sign == "+" else -1
    return left[0] + sign * right[0], left[1] + sign * right[1]


def _moved(x: ir.Moved, cell: _Cell, step: Step | None) -> _Cell:
    return None if cell is None or step is None else moved(x.on, cell, step)


def _ray(x: ir.Ray, cell: Cell, step: Step) -> list[Cell]:
    return list(ray(x.on, cell, step)) if x.on.has(cell) else []


def _between(x: ir.Between, left: Cell, right: Cell) -> list[Cell]:
    return list(cells_between(x.on, left, right)) if x.on.has(left) else []


GEOMETRY: dict[type[ir.Node], Callable[..., Any]] = {
    ir.Neighbours: _neighbours, ir.CellAt: _cell_at, ir.Direction: _direction, ir.Steps: _steps, ir.Moved: _moved,
    ir.Ray: _ray, ir.Between: _between,
}  # fmt: skip
"""Functions of an operation and its operands, all of which are known."""
