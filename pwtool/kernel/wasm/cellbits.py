"""Sets of cells of a grid as bits: iterating over them, and set operations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import reduce
from operator import or_

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.grids import AROUND, Cell, Cells, Grid, near_all, rays_all
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, cell
from pwtool.ir.walk import replaced, unused_slot
from pwtool.kernel.layout import WORD, packed_cell
from pwtool.kernel.wasm.bindings import Body, Scope, ValueOf, coordinate
from pwtool.kernel.wasm.bitboards import LONG, MOST_LONGS, longs_of
from pwtool.kernel.wasm.module import I64
from pwtool.kernel.wasm.operands import Expression
from pwtool.kernel.wasm.tables import Tables

Bits = list[Expression]
"""The 64-bit words of a set of cells."""
Sought = ir.Quantified | ir.CountWhere | ir.Pick
"""Loops over elements for which a condition holds."""
Write = Callable[[ExitStack], Bits]
"""Writes a set; the variables that it borrows are returned with the stack."""


class CellBits(Tables):
    """Writes sets of cells."""

    # ---- loops

    def found_cells(self, x: Sought, scope: Scope) -> tuple[Write, Grid] | None:
        """The cells of a loop for which the condition holds, and their grid; None if they cannot be found all at once."""
        if not isinstance(x, ir.Pick) and (tops := tops_through(x.domain, x.slot, x.body)) is not None:
            pile, slot, asked = tops
            grid = self.kernel.zone(pile.zone).grid
            found = self.cells_where(asked, slot, grid, scope) if is_small(grid) else None
            return None if found is None else (found, grid)
        through = self.cells_through(x.domain, scope, isinstance(x, ir.Quantified) and x.kind == "some")
        if through is None:
            return None
        first, grid = through
        holds = self.cells_where(x.body, x.slot, grid, scope)
        return None if holds is None else (joined(first, holds, lambda a, b: a & b), grid)

    def cells_through(self, x: Expr, scope: Scope, again: bool = False) -> tuple[Write, Grid] | None:
        """The cells of a loop, and the grid that numbers them; for several sequences only if it does not matter that a
        cell comes `again`.
        """
        match x:
            case ir.Values():
                cells = [part.value if isinstance(part, ir.Const) else None for part in x.items]
                grid = self.kernel.grid_with(cells)
                if grid is None or len(set(cells)) < len(cells) or not is_small(grid):
                    return None
                return self.constant(self.bits_of(cells, grid), grid), grid
            case ir.Where():
                through = self.cells_through(x.domain, scope, again)
                if through is None:
                    return None
                holds = self.cells_where(x.body, x.slot, through[1], scope)
                return None if holds is None else (joined(through[0], holds, lambda a, b: a & b), through[1])
            case ir.Neighbours() if is_small(x.on):
                lists = near_all(x.on, x.diagonally)
                return lambda stack: self._row(x.cell, x.on, lists, scope, stack), x.on
            case ir.Ray() if is_small(x.on):
                return lambda stack: self._ray(x, scope, stack), x.on
            case ir.Around():
                return self.group_of(x, scope)
            case ir.Concat() if again:
                left, right = (self.cells_through(side, scope, again) for side in (x.left, x.right))
                if left is None or right is None or left[1] != right[1]:
                    return None
                return joined(left[0], right[0], or_), left[1]
        return None

    def _row(self, x: Expr, grid: Grid, lists: dict[Cell, Cells], scope: Scope, stack: ExitStack) -> Bits:
        """The cells that a table has for a cell; none if it is not a cell of the grid."""
        number = stack.enter_context(self.number_in(x, grid, scope))
        return self.loaded(number, self.kernel.data(self._rows(lists, grid)), grid)

    def _rows(self, lists: dict[Cell, Cells], grid: Grid) -> bytes:
        cells = [(at % grid.width, at // grid.width) for at in range(grid.width * grid.height)]
        return b"".join(self.bits_of(lists.get(cell, ()), grid) for cell in [*cells, None])  # type: ignore[arg-type]

    def _ray(self, x: ir.Ray, scope: Scope, stack: ExitStack) -> Bits:
        grid = x.on
        if isinstance(x.step, ir.Const):
            return self._row(x.cell, grid, rays_all(grid, x.step.value), scope, stack)
        number = stack.enter_context(self.number_in(x.cell, grid, scope))
        step = stack.enter_context(self.held(self.value(x.step, scope)))
        turn = coordinate(step, 0) + coordinate(step, 1) * 3 + 4
        table = self.kernel.data(b"".join(self._rows(rays_all(grid, step), grid) for step in AROUND))
        return self.loaded(turn * (grid.width * grid.height + 1) + number, table, grid)

    def loaded(self, number: Expression, table: int, grid: Grid) -> Bits:
        longs = longs_of(grid.width * grid.height)
        return [(number * (longs * LONG)).long(table + at * LONG) for at in range(longs)]

    def constant(self, bits: bytes, grid: Grid) -> Write:
        longs = [bits[at : at + LONG] for at in range(0, len(bits), LONG)]
        return lambda stack: [self.code.value(int.from_bytes(part, "little"), I64) for part in longs]

    def bits_of(self, cells: Iterable[object], grid: Grid) -> bytes:
        numbers: set[int] = {cell[1] * grid.width + cell[0] for cell in cells}  # type: ignore[index]
        return bytes_of(sum(1 << number for number in numbers), grid)

    def each_of_set(self, x: ir.Where, scope: Scope, body: Body, ordered: bool) -> bool:
        """Code for each cell for which a condition holds, if these are known all at once; whether they are."""
        found = self.cells_through(x, scope) if not ordered or in_reading_order(x) else None
        if found is None:
            return False
        write, grid = found
        with ExitStack() as stack:
            self.each_cell(write(stack), grid, body)
        return True

    def each_cell(self, bits: Bits, grid: Grid, body: Body) -> None:
        """For each cell of a set, row by row."""
        code, dims = self.code, (grid.width, grid.height)
        table = self.kernel.table([packed_cell(at % dims[0], at // dims[0]) for at in range(dims[0] * dims[1])])
        with code.borrowed() as cell, code.borrowed(I64) as left:

            def each_bit(of: Expression | int) -> None:
                with code.until(left.equals(0)):
                    cell.set(((left.trailing_zeros().narrow() + of) * WORD).word(table))
                    left.set(left & (left - 1))
                    body(ValueOf(cell, dims))

            if len(bits) == 1:
                left.set(bits[0])
                each_bit(0)
                return
            space = self.kernel.layout.reserve(len(bits) * LONG)
            for at, part in enumerate(bits):
                code.store_long(space, part, at * LONG)
            with code.borrowed() as number:
                number.set(0)
                with code.loop() as longs:
                    left.set((number * LONG).long(space))
                    each_bit(number * 64)
                    number.add(1)
                    code.branch_if(longs, number < len(bits))

    @abstractmethod
    def cells_where(self, x: Expr, slot: int, grid: Grid, scope: Scope) -> Write | None:
        """The cells of a grid for which a condition on a local holds."""

    @abstractmethod
    def group_of(self, x: ir.Around, scope: Scope) -> tuple[Write, Grid] | None:
        """The cells that are connected with a cell, and their grid; None if they cannot be found as bits."""

    # ---- operations on a set

    def any_of(self, bits: Bits) -> Expression:
        """Whether a set is not empty."""
        return reduce(or_, bits).differs(0)

    def size_of(self, bits: Bits) -> Expression:
        """The number of cells in a set."""
        return sum((part.bit_count() for part in bits[1:]), start=bits[0].bit_count()).narrow()


def tops_through(x: Expr, slot: int, body: Expr) -> tuple[ir.Zone, int, Expr] | None:
    """For a loop over the tops of a grid: the grid, a local for a cell, and the condition on the top there."""
    if isinstance(x, ir.Where):
        element = ir.Local(x.type.element or ERROR, slot)
        return tops_through(x.domain, slot, ir.And(replaced(x.body, x.slot, element), body))
    if not isinstance(x, ir.Each) or x.part != "top":
        return None
    match x.piles:
        case (
            ir.Piles(grid=ir.Zone(indices=()) as pile)
            | ir.PilesByCell(grid=ir.Zone(indices=()) as pile, floating=False)
        ):
            free = max(slot + 1, unused_slot(body))
            lies = ir.Not(ir.Empty(pile_on(pile, free)))
            return pile, free, lies if body == ir.TRUE else ir.And(lies, replaced(body, slot, top_on(pile, free)))
    return None


def pile_on(grid: ir.Zone, slot: int) -> ir.PileAt:
    """The pile on the cell that a local holds."""
    return ir.PileAt(grid.type.element or ERROR, grid, ir.Local(cell(None), slot))


def top_on(grid: ir.Zone, slot: int) -> ir.Top:
    """The top on the cell that a local holds."""
    pile = pile_on(grid, slot)
    return ir.Top(replace(pile.type.element or ERROR, optional=True), pile)


def in_reading_order(x: Expr) -> bool:
    """Whether cells are traversed row by row."""
    if isinstance(x, ir.Where):
        return in_reading_order(x.domain)
    found = (
        [part.value if isinstance(part, ir.Const) else None for part in x.items] if isinstance(x, ir.Values) else [None]
    )
    cells = [value for value in found if isinstance(value, tuple)]
    return cells == found and cells == sorted(cells, key=lambda cell: cell[::-1])


def bytes_of(bits: int, grid: Grid) -> bytes:
    """A set of cells of a grid, one bit for each, as stored in memory."""
    return bits.to_bytes(longs_of(grid.width * grid.height) * LONG, "little")


def is_small(grid: Grid) -> bool:
    return not grid.floating and longs_of(grid.width * grid.height) <= MOST_LONGS


def joined(left: Write, right: Write, join: Callable[[Expression, Expression], Expression]) -> Write:
    """Two sets combined word by word."""
    return lambda stack: [join(a, b) for a, b in zip(left(stack), right(stack), strict=True)]
