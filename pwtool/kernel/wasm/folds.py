"""Reducing a sequence to one value: some, all, counts, sums, first, attributes equal or distinct."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD, GridPlace
from pwtool.kernel.wasm.bindings import (
    Binding,
    BoardOf,
    PlaceOf,
    Scope,
    ValueOf,
    VectorOf,
    WrittenOut,
)
from pwtool.kernel.wasm.cellbits import in_reading_order
from pwtool.kernel.wasm.module import I32, I64
from pwtool.kernel.wasm.operands import Expression
from pwtool.kernel.wasm.sequences import PILES, Sequences


class Folds(Sequences):
    """Writes folds over sequences into one function."""

    def _seek(self, x: ir.Quantified, scope: Scope, found: Callable[[], None]) -> None:
        code = self.code
        cells = self.found_cells(x, scope)
        where = self.lies_anywhere(x, scope) if cells is None else cells[0]
        if where is not None:
            with ExitStack() as stack, code.when(self.any_of(where(stack))):
                found()
            return

        def holds(_: Binding, condition: Expression) -> None:
            with code.when(condition):
                found()

        self._through(x, scope, holds)

    def _at_least(self, x: ir.Quantified, scope: Scope) -> None:
        code = self.code
        cells = self.found_cells(x, scope)
        if cells is not None:
            with ExitStack() as stack:
                (self.size_of(cells[0](stack)) >= x.number).write()
            return
        with code.borrowed() as count:
            count.set(0)
            with code.block(I32) as found:

                def holds(_: Binding, condition: Expression) -> None:
                    with code.when(condition):
                        count.add(1)
                        with code.when(count >= x.number):
                            code.value(1).write()
                            code.branch(found)

                self._through(x, scope, holds)
                code.value(0).write()

    def _separate(self, x: ir.Quantified, places: ir.Places, scope: Scope) -> None:
        """List all places for which the body holds, each as the cells of its cards; then look for enough separate ones."""
        code = self.code
        marked = places.cells or [needs for needs, _ in places.places]
        size = (1 + max(map(len, marked), default=0)) * WORD
        space = self.kernel.layout.reserve(size * len(marked))
        with code.borrowed() as end, code.borrowed() as count:
            end.set(space)

            def found(binding: Binding) -> None:
                assert isinstance(binding, PlaceOf)
                with code.when(self.value(x.body, {**scope, x.slot: binding})):
                    count.set(0)
                    for cell in binding.values if binding.by_cell else binding.needs:
                        if binding.by_cell:
                            with code.when(cell.differs(NONE)), code.when((binding.tops + cell * WORD).word() >= 0):
                                code.store(end + count * WORD, cell * WORD, WORD)
                                count.add(1)
                        else:
                            code.store(end + count * WORD, cell, WORD)
                            count.add(1)
                    code.store(end, count)
                    end.add(size)

            self.each(places, scope, found)
            code.call(self.shared.separate(), code.value(space), end, code.value(size), code.value(x.number)).write()

    def _count_where(self, x: ir.CountWhere, scope: Scope) -> None:
        cells = self.found_cells(x, scope)
        if cells is not None:
            with ExitStack() as stack:
                self.size_of(cells[0](stack)).write()
            return
        with self.code.borrowed() as total:
            total.set(0)
            self._through(x, scope, lambda _, condition: total.add(condition.differs(0)))
            total.write()

    def _size(self, x: Expr, scope: Scope) -> Expression:
        """The number of elements in a sequence."""
        code = self.code
        if isinstance(x, PILES):
            bound = scope[x.slot] if isinstance(x, ir.Local) else None
            if isinstance(bound, VectorOf):
                return code.value(len(bound.values))
            if not isinstance(bound, WrittenOut | BoardOf):
                return self.address(x, scope).word()
        if isinstance(x, ir.Piles):
            return self.address(x.grid, scope).word(GridPlace.USED)
        return code.written(lambda: self._number_of_all(x, scope))

    def _number_of_all(self, x: Expr, scope: Scope) -> None:
        """The number of elements in a sequence, counted one by one."""
        cells = None
        if isinstance(x, ir.Where):
            cells = self.cells_through(x, scope) or self.found_cells(ir.CountWhere(x.slot, x.domain, x.body), scope)
        if cells is None:
            self._totalled(x, scope, lambda _: self.code.value(1))
            return
        with ExitStack() as stack:
            self.size_of(cells[0](stack)).write()

    def _totalled(self, x: Expr, scope: Scope, of: Callable[[Binding], Expression]) -> None:
        with self.code.borrowed() as total:
            total.set(0)
            self.each(x, scope, lambda binding: total.add(of(binding)), ordered=False)
            total.write()

    def _sum(self, x: ir.Sum, scope: Scope) -> None:
        def of(binding: Binding) -> Expression:
            assert isinstance(binding, ValueOf)
            return binding.value

        self._totalled(x.of, scope, of)

    def _sum_where(self, x: ir.SumWhere, scope: Scope) -> None:
        self._totalled(x.domain, scope, lambda binding: self.value(x.body, {**scope, x.slot: binding}))

    def _first(self, x: ir.Pick, scope: Scope) -> None:
        code = self.code
        with code.borrowed() as found:
            found.set(NONE)
            at_once = in_reading_order(x.domain) and x.which == "first"
            cells = self.found_cells(x, scope) if at_once else None
            with code.block() as done:

                def take(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    found.set(binding.value)
                    if x.which == "first":
                        code.branch(done)

                def holds(binding: Binding, condition: Expression) -> None:
                    with code.when(condition):
                        take(binding)

                if cells is None:
                    self._through(x, scope, holds, ordered=True)
                else:
                    with ExitStack() as stack:
                        self.each_cell(cells[0](stack), cells[1], take)
            found.write()

    def _contains(self, x: ir.In, scope: Scope, found: Callable[[], None]) -> None:
        with self.held(self.value(x.item, scope)) as item:

            def same(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                with self.code.when(binding.value.equals(item)):
                    found()

            self.each(x.items, scope, same, ordered=False)

    def _alike(self, x: ir.Alike, scope: Scope) -> None:
        code = self.code
        if x.kind == "distinct":
            self._distinct(x.of, scope)
            return
        with code.borrowed() as before:
            # No value, and not that one is absent.
            before.set(NONE + 1)
            with code.block(I32) as found:

                def differs(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    with self.held(binding.value) as value:
                        wrong = value.differs(before) if x.kind == "same" else value <= before
                        with code.when(code.both(before.differs(NONE + 1), wrong)):
                            code.value(0).write()
                            code.branch(found)
                        before.set(value)

                self.each(x.of, scope, differs)
                code.value(1).write()

    def _numbered(self, x: ir.Attributes) -> int:
        """The address of a table that numbers the few values of an attribute."""
        values = self.kernel.ruleset.components[x.component].attributes[x.name].table
        numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
        if len(numbers) > 64:
            raise Uncompilable(f"`{x.name}` has too many values to tell apart")
        return self.kernel.table([numbers[value] for value in values])

    def _different(self, x: ir.CountDistinct, scope: Scope) -> None:
        code, table = self.code, self._numbered(x.of)
        with code.borrowed(I64) as seen:
            seen.set(0)

            def note(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                seen.set(seen | (code.value(1, I64) << (binding.value * WORD).word(table).wide()))

            self.each(x.of.of, scope, note)
            seen.bit_count().narrow().write()

    def _extreme(self, x: ir.Extreme, scope: Scope) -> None:
        code = self.code
        with code.borrowed() as found:
            found.set(NONE)

            def compare(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                with self.held(binding.value) as value:
                    better = value > found if x.which == "max" else value < found
                    with code.when(code.one_of(found.equals(NONE), better)):
                        found.set(value)

            self.each(x.of, scope, compare)
            found.write()

    def _distinct(self, x: ir.Attributes, scope: Scope) -> None:
        code, table = self.code, self._numbered(x)
        with code.borrowed(I64) as seen, code.borrowed(I64) as bit:
            seen.set(0)
            with code.block(I32) as found:

                def again(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    bit.set(code.value(1, I64) << (binding.value * WORD).word(table).wide())
                    with code.when((seen & bit).differs(0)):
                        code.value(0).write()
                        code.branch(found)
                    seen.set(seen | bit)

                self.each(x.of, scope, again)
                code.value(1).write()

    def _fits(self, x: ir.Fits, scope: Scope) -> None:
        zone = self.zone_of(x.grid, scope)
        cell = self.code.value(NONE) if x.cell is None else self.value(x.cell, scope)
        fits = self.shared.grids.fits(zone, x.width, x.height)
        self.code.call(fits, self.address(x.grid, scope), cell).write()

    def _group(self, x: ir.GroupSize, scope: Scope) -> None:
        board = self.board(x.piles, scope)
        if board is None:
            raise Uncompilable("it looks for groups on what is not a board")
        table = self.kernel.attribute_table(x.component, x.name)
        group = self.shared.grids.group(x.width, board.size // x.width)
        self.code.call(group, board.tops, self.code.value(table), self.code.value(x.which == "largest")).write()
