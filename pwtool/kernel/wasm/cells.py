"""Cells of grids that do not float: whether a cell exists, and lists of cells by cell.

The neighbourhood of a cell is known when the kernel is generated: a table indexed by the number of the cell has the
start and the length of its list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from pwtool.ir import nodes as ir
from pwtool.ir.grids import AROUND, DIAGONAL, Cell, Cells, Grid, near_all, rays_all
from pwtool.ir.nodes import Expr
from pwtool.kernel.layout import NONE, WORD, packed_cell
from pwtool.kernel.wasm.bindings import Body, Scope, ValueOf, coordinate
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.operands import Expression, Local


class OnGrids(ABC):
    """Writes operations on cells into one function."""

    kernel: KernelWriter
    code: Code

    @abstractmethod
    def value(self, x: Expr, scope: Scope) -> Expression:
        """A value: a number, 0 or 1 for a condition."""

    @abstractmethod
    def held(self, value: Expression) -> AbstractContextManager[Local]:
        """A local variable that temporarily holds a value."""

    def number_of(self, cell: Expression, width: int) -> Expression:
        """The number of a cell of a grid of this width."""
        return (cell >> 16) * width + (cell & 0xFFFF)

    def cell_at(self, x: ir.CellAt, scope: Scope) -> None:
        """The cell at a column and row, `NONE` if the grid has none there."""
        with self.held(self.value(x.column, scope)) as column, self.held(self.value(x.row, scope)) as row:
            cell = (row << 16) | (column & 0xFFFF)
            self.code.choose(self.kernel.inside(self.code, column, row, x.on), cell, NONE).write()

    def steps(self, x: ir.Steps, scope: Scope) -> None:
        """Two steps combined, or a multiple of a step."""
        with self.held(self.value(x.left, scope)) as left, self.held(self.value(x.right, scope)) as right:
            columns, rows = (coordinate(left, 0), coordinate(left, 1))
            if x.sign == "*":
                columns, rows = columns * right, rows * right
            else:
                more = [coordinate(right, axis) for axis in (0, 1)]
                add = x.sign == "+"
                columns, rows = (
                    (columns + more[0], rows + more[1]) if add else (columns - more[0], rows - more[1])
                )  # fmt: skip
            made = (rows << 16) | (columns & 0xFFFF)
            if x.left.type.optional or x.right.type.optional:
                made = self.code.choose(left.equals(NONE) | right.equals(NONE), NONE, made)
            made.write()

    def moved(self, x: ir.Moved, scope: Scope) -> None:
        """The cell that a step leads to, `NONE` outside the grid and for nothing."""
        code = self.code
        with (
            self.held(self.value(x.cell, scope)) as cell,
            self.held(self.value(x.step, scope)) as step,
            code.borrowed() as column,
            code.borrowed() as row,
        ):
            column.set(coordinate(cell, 0) + coordinate(step, 0))
            row.set(coordinate(cell, 1) + coordinate(step, 1))
            # Nothing is so far above all cells that no step leads from there to a cell.
            code.choose(self.kernel.inside(self.code, column, row, x.on), (row << 16) | (column & 0xFFFF), NONE).write()

    def each_near(self, x: ir.Neighbours, scope: Scope, body: Body) -> None:
        """For each cell adjacent to another."""
        if x.on.floating:
            self._each_beside(x, scope, body)
            return
        with self.number_in(x.cell, x.on, scope) as number:
            self._each_listed(number, near_all(x.on, x.diagonally), x.on, body)

    def _each_beside(self, x: ir.Neighbours, scope: Scope, body: Body) -> None:
        """The same on a floating grid, up to its farthest cells."""
        code = self.code
        with self.held(self.value(x.cell, scope)) as cell, code.borrowed() as column, code.borrowed() as row:
            for columns, rows in DIAGONAL if x.diagonally else x.on.beside:
                column.set(coordinate(cell, 0) + columns)
                row.set(coordinate(cell, 1) + rows)
                with (
                    code.when(self.kernel.inside(code, column, row, x.on)),
                    self.held((row << 16) | (column & 0xFFFF)) as there,
                ):
                    body(ValueOf(there))

    def each_on_ray(self, x: ir.Ray, scope: Scope, body: Body) -> None:
        """For each cell in a direction."""
        with self.number_in(x.cell, x.on, scope) as number:
            if isinstance(x.step, ir.Const):
                self._each_listed(number, rays_all(x.on, x.step.value), x.on, body)
                return
            with self.held(self.value(x.step, scope)) as step:
                turn = coordinate(step, 0) + coordinate(step, 1) * 3 + 4
                self._run((self._entry(number, turn, x.on)).word, self._rays(x.on), body, x.on)

    def each_between(self, x: ir.Between, scope: Scope, body: Body) -> None:
        """For each cell between two in a line: as many as needed of the cells in that direction."""
        code, on = self.code, x.on
        with (
            self.number_in(x.left, on, scope) as number,
            self.held(self.value(x.left, scope)) as left,
            self.held(self.value(x.right, scope)) as right,
            code.borrowed() as columns,
            code.borrowed() as rows,
            code.borrowed() as entry,
            code.borrowed() as line,
        ):
            columns.set(coordinate(right, 0) - coordinate(left, 0))
            rows.set(coordinate(right, 1) - coordinate(left, 1))
            # Checked here and not by the caller, where these are already distances, which say less.
            line.set(columns.is_zero() | rows.is_zero() | (columns + rows).is_zero())
            if not on.hexagonal:
                line.set(line | columns.equals(rows))
            turn = (columns > 0) - (columns < 0) + ((rows > 0) - (rows < 0)) * 3 + 4
            entry.set(self._entry(number, turn, on))
            # The distance to the other cell; no further than the grid extends in that direction.
            for part in (columns, rows):
                part.set(code.choose(part < 0, code.value(0) - part, part))
            columns.set(code.choose(columns < rows, rows, columns))
            table = self._rays(on)
            with code.when(code.both(line, columns <= entry.word(table + WORD))):
                self._through_cells(entry.word(table), columns - 1, body, on)

    def _entry(self, number: Expression, turn: Expression, grid: Grid) -> Expression:
        """The offset of the entry for a cell and a direction in a table of rays."""
        return (turn * (grid.width * grid.height + 1) + number) * (2 * WORD)

    def _rays(self, grid: Grid) -> int:
        """The address of a table of the rays from all cells in the eight directions (and in none)."""
        if grid not in self.kernel.rays:
            entries = [word for step in AROUND for word in self._entries(rays_all(grid, step), grid)]
            self.kernel.rays[grid] = self.kernel.table(entries)
        return self.kernel.rays[grid]

    @contextmanager
    def number_in(self, x: Expr, grid: Grid, scope: Scope) -> Iterator[Expression]:
        """The number of a cell; one more than the last if the grid does not have it."""
        bound = scope.get(x.slot) if isinstance(x, ir.Local) else None
        with self.held(self.value(x, scope)) as cell:
            number = self.number_of(cell, grid.width)
            if not (isinstance(bound, ValueOf) and bound.grid == (grid.width, grid.height)):
                inside = (cell & 0xFFFF).below(grid.width) & (cell >> 16).below(grid.height)
                number = self.code.choose(inside, number, grid.width * grid.height)
            yield number

    def _each_listed(self, number: Expression, lists: Mapping[Cell, Cells], grid: Grid, body: Body) -> None:
        self._run((number * (2 * WORD)).word, self.kernel.table(self._entries(lists, grid)), body, grid)

    def _entries(self, lists: Mapping[Cell, Cells], grid: Grid) -> list[int]:
        """By cell number, the start and the size of a list of cells; nothing if it is not a cell."""
        entries: list[int] = []
        for number in range(grid.width * grid.height + 1):
            found = lists.get((number % grid.width, number // grid.width), ())
            entries += [self.kernel.table([packed_cell(*cell) for cell in found]) if found else 0, len(found)]
        return entries

    def _run(self, word: Callable[[int], Expression], table: int, body: Body, grid: Grid) -> None:
        """For each cell in an entry of a table of lists."""
        self._through_cells(word(table), word(table + WORD), body, grid)

    def _through_cells(self, first: Expression, count: Expression, body: Body, grid: Grid) -> None:
        code = self.code
        with self.held(first) as at, code.borrowed() as end, code.borrowed() as cell:
            end.set(count * WORD + at)
            with code.while_below(at, end, WORD):
                cell.set(at.word())
                body(ValueOf(cell, (grid.width, grid.height)))
