"""Loops over graphs that are known when the kernel is generated: the neighbours of an element, and what is reached from it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from pwtool.ir import nodes as ir
from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.bindings import Binding, Body, Scope, ValueOf, coordinate
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.shape_bits import ShapeBits


class Graphs(ShapeBits):
    """Writes loops over graphs into one function."""

    @abstractmethod
    def loop(self, pile: Expression, body: Body) -> None:
        """For each thing in a pile."""

    def _number_in(self, cells: Sequence[object], value: Local) -> Expression:
        """The index of a value among the elements of a graph, -1 if it is not one of them."""
        if list(cells) == list(range(len(cells))):
            return self.code.choose(value.below(len(cells)), value, -1)
        known = {cell: at for at, cell in enumerate(cells)}
        width, height = (1 + max(cell[axis] for cell in known) for axis in (0, 1))  # type: ignore[index]
        table = self.kernel.table([known.get((x, y), -1) for y in range(height) for x in range(width)])
        column, row = coordinate(value, 0), coordinate(value, 1)
        at = (row * width + column) * WORD
        return self.code.either(column.below(width) & row.below(height), at.word(table), -1)

    def _beside(self, x: ir.Beside | ir.Around, of: Sequence[int]) -> int:
        """The address of a table: for each element of a graph the address of a list of its neighbours, represented by these words."""
        lists = [self.kernel.table([len(near), *(of[at] for at in near)]) for near in x.beside]
        return self.kernel.table(lists)

    def each_beside(self, x: ir.Beside, scope: Scope, body: Body) -> None:
        code, atoms = self.code, [self.kernel.layout.atom(cell) for cell in x.cells]
        table = self._beside(x, atoms)
        with self.held(self.value(x.of, scope)) as of, code.borrowed() as number:
            number.set(self._number_in(x.cells, of))
            near = code.either(number < 0, self.kernel.layout.empty, (number * WORD).word(table))
            self.loop(near, body)

    def each_around(self, x: ir.Around, scope: Scope, body: Body, ordered: bool) -> None:
        """Traverse the elements that are reached; if the order matters, all elements are traversed once more."""
        code, size, grid = self.code, len(x.cells), self.kernel.grid_of(x.cells)
        found, reached = self.kernel.layout.reserve(size * WORD), self.kernel.layout.reserve(size * WORD)
        near, atoms = (
            self._beside(x, range(size)),
            self.kernel.table([self.kernel.layout.atom(cell) for cell in x.cells]),
        )
        code.fill(found, 0, size * WORD)
        with code.borrowed() as count, code.borrowed() as asked, code.borrowed() as here, code.borrowed() as cell:
            with self.held(self.value(x.start, scope)) as start:
                here.set(self._number_in(x.cells, start))
            asked.set(0)
            count.set(here >= 0)
            with code.when(count):
                code.store(reached, here)
                code.store(here * WORD, 1, found)
            with code.until(asked >= count) as (_, again):
                here.set((asked * WORD).word(reached))
                asked.add(1)
                cell.set((here * WORD).word(atoms))
                code.branch_if(again, self.value(x.body, {**scope, x.slot: ValueOf(cell, grid)}).is_zero())
                if ordered:
                    code.store(here * WORD, 2, found)
                else:
                    body(ValueOf(cell, grid))

                def reach(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    with code.when((binding.value * WORD).word(found).is_zero()):
                        code.store(binding.value * WORD, 1, found)
                        code.store(count * WORD, binding.value, reached)
                        count.add(1)

                self.loop((here * WORD).word(near), reach)
            if not ordered:
                return
            here.set(0)
            with code.while_below(here, size), code.when((here * WORD).word(found).equals(2)):
                cell.set((here * WORD).word(atoms))
                body(ValueOf(cell, grid))
