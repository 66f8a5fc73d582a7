"""Sets of cells of a grid that does not float: one bit per cell, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pwtool.ir.grids import Cell, Grid
from pwtool.kernel.layout import packed_cell
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
        self.left = kernel.layout.reserve(self.longs * LONG)
        self.one = code.local(kind=I64) if self.longs == 1 else None
        """The remaining cells, if they fit in one word."""
        whole = sum(1 << y * grid.width + x for x, y in {*cells}).to_bytes(self.longs * LONG, "little")
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

    def keep_bits(self, bits: Sequence[Expression]) -> None:
        """Keep the cells of a set."""
        for at, part in enumerate(bits):
            self._set(at * LONG, self._get(at * LONG) & part)

    def each(self, cell: Local, then: Callable[[], None]) -> None:
        """For each remaining cell, row by row."""
        code, grid = self.code, self.grid
        table = self.kernel.table(
            [packed_cell(n % grid.width, n // grid.width) for n in range(grid.width * grid.height)]
        )
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
