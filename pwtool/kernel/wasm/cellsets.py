"""Sets of cells of a grid that does not float: one bit per cell, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from struct import pack

from pwtool.ir.grids import Cell, Grid, cells_of
from pwtool.kernel.layout import packed_cell
from pwtool.kernel.wasm.bindings import Binding, Body, ValueOf
from pwtool.kernel.wasm.bitboards import LONG
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I64
from pwtool.kernel.wasm.operands import Expression, Local


class CellSet:
    """The remaining cells of a grid, and the code that reduces them."""

    def __init__(self, kernel: KernelWriter, code: Code, grid: Grid, cells: Iterable[Cell]) -> None:
        self.kernel, self.code, self.grid = kernel, code, grid
        self.longs = (grid.width * grid.height + 63) // 64
        self.left, self.found = (kernel.layout.reserve(self.longs * LONG) for _ in range(2))
        self.one = code.local(kind=I64) if self.longs == 1 else None
        """The remaining cells, if they fit in one word."""
        whole = self._bits(cells)
        for at in range(0, self.longs * LONG, LONG):
            self._set(at, code.value(int.from_bytes(whole[at : at + LONG], "little"), I64))

    def _get(self, at: int) -> Expression:
        """One word of the remaining cells."""
        return self.code.value(self.left).long(at) if self.one is None else self.one

    def _set(self, at: int, value: Expression) -> None:
        if self.one is None:
            self.code.store_long(self.left, value, at)
        else:
            self.one.set(value)

    def _bits(self, cells: Iterable[Cell]) -> bytes:
        width = self.grid.width
        bits = sum(1 << y * width + x for x, y in {*cells})
        return bits.to_bytes(self.longs * LONG, "little")

    def keep_bits(self, bits: Sequence[Expression]) -> None:
        """Keep the cells of a set."""
        for at, part in enumerate(bits):
            self._set(at * LONG, self._get(at * LONG) & part)

    def keep(self, each: Callable[[Body], None]) -> None:
        """Keep the cells of a collection, which `each` traverses."""
        code, grid = self.code, self.grid
        for at in range(0, self.longs * LONG, LONG):
            code.store_long(self.found, 0, at)

        def put(found: Binding) -> None:
            assert isinstance(found, ValueOf)
            with code.borrowed() as cell, code.borrowed() as number:
                cell.set(found.value)
                number.set((cell >> 16) * grid.width + (cell & 0xFFFF))
                if found.grid == (grid.width, grid.height):
                    self._note(number)
                    return
                with code.when(code.both((cell >> 16).below(grid.height), (cell & 0xFFFF).below(grid.width))):
                    self._note(number)

        each(put)
        for at in range(0, self.longs * LONG, LONG):
            self._set(at, self._get(at) & code.value(self.found).long(at))

    def keep_those_by(self, cell: Expression, lists: Mapping[Cell, Iterable[Cell]]) -> None:
        """Keep the cells that a table has for a cell; none if it is not a cell of the grid."""
        code, grid = self.code, self.grid
        size = grid.width * grid.height
        rows = [lists.get((at % grid.width, at // grid.width), ()) for at in range(size + 1)]
        table = self.kernel.data(b"".join(self._bits(cells) for cells in rows))
        with code.borrowed() as place:
            place.set(cell)
            number = (place >> 16) * grid.width + (place & 0xFFFF)
            inside = (place & 0xFFFF).below(grid.width) & (place >> 16).below(grid.height)
            place.set(code.choose(inside, number, size) * (self.longs * LONG))
            for at in range(0, self.longs * LONG, LONG):
                self._set(at, self._get(at) & place.long(table + at))

    def _note(self, number: Local) -> None:
        code = self.code
        with code.borrowed() as place:
            place.set(number.shifted_down(6) * LONG)
            code.store_long(place, place.long(self.found) | (code.value(1, I64) << number.wide()), self.found)

    def within(self, box: list[Local]) -> None:
        """Keep the cells between two columns and two rows, which may lie outside the grid."""
        code = self.code
        for axis, most in ((0, self.grid.width), (1, self.grid.height)):
            behind = [self._bits(c for c in cells_of(self.grid) if c[axis] >= first) for first in range(most + 1)]
            table = self.kernel.data(b"".join(behind))
            low, high = box[2 * axis : 2 * axis + 2]
            with code.borrowed() as first, code.borrowed() as end:
                for place, value in ((first, low), (end, high + 1)):
                    place.set(code.choose(value < 0, 0, value))
                    place.set(code.choose(place > most, most, place) * (self.longs * LONG))
                for at in range(0, self.longs * LONG, LONG):
                    between = first.long(table + at) & (end.long(table + at) ^ -1)
                    self._set(at, self._get(at) & between)

    def each(self, cell: Local, then: Callable[[], None]) -> None:
        """For each remaining cell, row by row."""
        code, grid = self.code, self.grid
        numbered = [packed_cell(at % grid.width, at // grid.width) for at in range(grid.width * grid.height)]
        table = self.kernel.data(b"".join(pack("<i", number) for number in numbered))
        at, bits = code.local(0), code.local(kind=I64)
        with code.loop() as longs:
            bits.set((at * LONG).long(self.left) if self.one is None else self.one)
            with code.until(bits.equals(0)):
                cell.set(((at * 64 + bits.trailing_zeros().narrow()) * 4).word(table))
                bits.set(bits & (bits - 1))
                then()
            if self.one is None:
                at.add(1)
                code.branch_if(longs, at < self.longs)
