"""Loops over sequences: piles, cells, players, parts of grids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from pwtool.ir import nodes as ir
from pwtool.ir.grids import Grid
from pwtool.ir.nodes import Expr
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD, GridPlace
from pwtool.kernel.wasm.bindings import (
    Among,
    Binding,
    BoardOf,
    Body,
    PileOf,
    PlaceOf,
    Scope,
    ValueOf,
    VectorOf,
    WrittenOut,
)
from pwtool.kernel.wasm.bitboards import LONG, longs_of
from pwtool.kernel.wasm.cellbits import Sought
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.graphs import Graphs
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local

if TYPE_CHECKING:
    from pwtool.kernel.wasm.module_functions import ModuleFunctions

UNROLLED = 6
PILES = ir.Local | ir.Zone | ir.PileAt | ir.Variable
"""What may be a pile."""


class Sequences(Graphs):
    """Writes loops into one function. Values and addresses come from `Expressions`."""

    def __init__(self, kernel: KernelWriter, code: Code, shared: ModuleFunctions) -> None:
        self.kernel, self.code, self.shared = kernel, code, shared
        self.layout = kernel.layout
        self.known: dict[ir.PileAt, Expression] = {}
        """The addresses of piles that were computed before and are still valid."""
        self.once: dict[Expr, tuple[Local, Local]] = {}
        """Values that are computed on first use: whether that has happened, and the value."""

    @abstractmethod
    def binding(self, x: Expr, scope: Scope) -> AbstractContextManager[Binding]:
        """The binding for a local that holds this value."""

    def each(self, x: Expr, scope: Scope, body: Body, ordered: bool = True) -> None:
        """Code that runs for every element of a sequence, in order, or in the order in which they are found."""
        code = self.code
        match x:
            case ir.Values():
                self._each_value(x, body, scope)
            case ir.Local() | ir.Zone() | ir.PileAt() | ir.Variable():
                self._each_held(x, scope, body)
            case ir.Players():
                self._count_up(code.value(0), code.global_(self.kernel.players), body, self.layout.max_players)
            case ir.Goals():
                self._count_up(code.value(0), code.value(self.layout.goals), body)
            case ir.Neighbours():
                self.each_near(x, scope, body)
            case ir.Ray():
                self.each_on_ray(x, scope, body)
            case ir.Between():
                self.each_between(x, scope, body)
            case ir.Family():
                place = self.kernel.place(x.zone)
                with self.held(self.kernel.zone_address(code, x.zone, self.first_of(x, scope))) as first:
                    self.each_zone(x.zone, len(place.zone.dimensions) - x.open, first, body)
            case ir.Piles():
                self._each_used(x, scope, body)
            case ir.Each():
                self._each_part(x, scope, body)
            case ir.Attributes():
                table = self.kernel.attribute_table(x.component, x.name)

                def attribute(face: Binding) -> None:
                    assert isinstance(face, ValueOf)
                    body(ValueOf((face.value * WORD).word(table)))

                self.each(x.of, scope, attribute)
            case ir.TopsAt():
                self._each_top(x, scope, body)
            case ir.Beside():
                self.each_beside(x, scope, body)
            case ir.Around() if self.each_of_group(x, scope, body):
                pass
            case ir.Around():
                self.each_around(x, scope, body, ordered)
            case ir.Where() if self.each_of_set(x, scope, body, ordered):
                pass
            case ir.Where():

                def kept(binding: Binding) -> None:
                    with code.when(self.value(x.body, {**scope, x.slot: binding})):
                        body(binding)

                self.each(x.domain, scope, kept, ordered)
            case ir.Concat():
                if isinstance(x.right, ir.Values) and len(x.right.items) == 1:
                    if self._is_pile(x.left, scope):
                        self._each_and_one(x.left, x.right.items[0], scope, body)
                        return
                    # The body is written once for both cases.
                    with self.listed(x, scope) as pile:
                        self.loop(pile.address, body)
                    return
                self.each(x.left, scope, body)
                self.each(x.right, scope, body)
            case ir.Without():
                self._each_less(x, scope, body)
            case ir.Places():
                self._each_place(x, scope, body)
            case ir.If():
                with code.when(self.value(x.condition, scope)):
                    self.each(x.then, scope, body)
                    code.otherwise()
                    self.each(x.otherwise, scope, body)
            case ir.Let():
                with self.binding(x.value, scope) as bound:
                    self.each(x.body, {**scope, x.slot: bound}, body)
            case _:
                raise Uncompilable(f"it goes through what is not a collection ({type(x).__name__})")

    def filling(self, grid: Grid, beside: Sequence[Sequence[int]]) -> tuple[Function, int]:
        key = grid, tuple(map(tuple, beside))
        if key not in self.shared.fills:
            made, code = self.kernel.function(f"fill {len(self.shared.fills)}", 1, None)
            space = self.layout.reserve(longs_of(grid.width * grid.height) * LONG)
            self.shared.fills[key] = made, space
            type(self)(self.kernel, code, self.shared).fill_from(code.arguments[0], space, grid, beside)
        return self.shared.fills[key]

    def first_of(self, x: ir.Family, scope: Scope) -> list[Expression]:
        """The indices of the first of several zones."""
        place = self.kernel.place(x.zone)
        indices = [self.value(i, scope) for i in x.indices]
        for dimension, _ in place.zone.dimensions[len(indices) :]:
            indices.append(self.code.value(1 if dimension == "number" else 0))
        return indices

    def _count_up(self, first: Expression, end: Expression, body: Body, seats: int = 0) -> None:
        code = self.code
        with code.borrowed() as at:
            at.set(first)
            with code.while_below(at, end):
                body(ValueOf(at, among=Among(tuple(range(seats)), at) if seats else None))

    def _each_value(self, x: ir.Values, body: Body, scope: Scope) -> None:
        code = self.code
        constants = [part.value if isinstance(part, ir.Const) else None for part in x.items]
        grid = self.kernel.grid_of(constants)
        if len(x.items) <= UNROLLED or None in constants:
            for item in x.items:
                among = Among((item.value,), code.value(0)) if isinstance(item, ir.Const) else None
                with self.held(self.value(item, scope)) as local:
                    body(ValueOf(local, grid, among))
            return
        atoms = [self.layout.atom(value) for value in constants]
        if atoms == list(range(atoms[0], atoms[0] + len(atoms))):
            self._count_up(code.value(atoms[0]), code.value(atoms[0] + len(atoms)), body)
            return
        self.loop(code.value(self.kernel.table([len(atoms), *atoms])), body, grid, tuple(constants))

    def _through(
        self,
        x: Sought,
        scope: Scope,
        body: Callable[[Binding, Expression], None],
        ordered: bool = False,
    ) -> None:
        """Code for each element of a sequence, given whether the condition holds for it."""

        def holds(binding: Binding) -> Expression:
            return self.value(x.body, {**scope, x.slot: binding})

        if isinstance(x.domain, ir.Without):
            # Equal things are alike in every respect, so only those that meet the condition need be struck off.
            with self.listed(x.domain.right, scope) as removed:

                def left_over(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    struck = self.code.call(self.shared.strike(), removed.address, binding.value)
                    body(binding, self.code.both(holds(binding), struck.is_zero()))

                self.each(x.domain.left, scope, left_over)
        else:
            self.each(x.domain, scope, lambda binding: body(binding, holds(binding)), ordered)

    def loop(
        self,
        pile: Expression,
        body: Body,
        grid: tuple[int, int] | None = None,
        values: tuple[object, ...] | None = None,
    ) -> None:
        """For each thing in a pile, from bottom to top; `values` are all of them, if they are known."""
        code = self.code
        with self.held(pile) as at, code.borrowed() as end, code.borrowed() as item:
            end.set(at + at.word() * WORD)
            with code.until(at >= end):
                at.add(WORD)
                item.set(at.word())
                among = None if values is None or grid else Among(values, (at - pile - WORD).shifted_down(2))
                body(ValueOf(item, grid, among))

    def _each_and_one(self, x: Expr, one: Expr, scope: Scope, body: Body) -> None:
        """For each thing in a pile, and for one more value behind them. The body is written once."""
        code = self.code
        with (
            self.held(self.value(one, scope)) as other,
            self.held(self.address(x, scope)) as at,
            code.borrowed() as end,
            code.borrowed() as item,
            code.block() as done,
        ):
            end.set(at + at.word() * WORD)
            with code.loop() as again:
                code.branch_if(done, at > end)
                at.add(WORD)
                # Behind the pile there is always another word.
                item.set(code.choose(at <= end, at.word(), other))
                body(ValueOf(item))
                code.branch(again)

    def _each_held(self, x: Expr, scope: Scope, body: Body) -> None:
        bound = scope[x.slot] if isinstance(x, ir.Local) else None
        match bound:
            case VectorOf():
                for value in bound.values:
                    body(ValueOf(value))
            case WrittenOut():
                self.each(bound.form, bound.scope, body)
            case BoardOf():
                raise Uncompilable("it goes through the cells of a board")
            case _:
                self.loop(self.address(x, scope), body)

    def each_zone(self, zone: int, dimension: int, first: Expression, body: Body) -> None:
        place, code = self.kernel.place(zone), self.code
        if dimension == len(place.zone.dimensions):
            body(PileOf(first, zone))
            return
        name, size = place.zone.dimensions[dimension]
        count = {"player": code.global_(self.kernel.players), "goal": code.value(self.layout.goals)}.get(name)
        with code.borrowed() as at, code.borrowed() as end:
            at.set(first)
            end.set(first + (count if count is not None else code.value(size)) * place.strides[dimension])
            with code.while_below(at, end, place.strides[dimension]):
                self.each_zone(zone, dimension + 1, at, body)

    @contextmanager
    def _each_slot(self, x: ir.Piles, scope: Scope) -> Iterator[tuple[Local, Local]]:
        """For each used slot of a grid: the address of the grid, and the slot."""
        code = self.code
        self.kernel.in_order.add(self.zone_of(x.grid, scope))
        with self.held(self.address(x.grid, scope)) as grid, code.borrowed() as at, code.borrowed() as slot:
            at.set(0)
            with code.while_below(at, grid.word(GridPlace.USED)):
                slot.set((grid + at * WORD).word(GridPlace.ORDER))
                yield grid, slot

    def _each_used(self, x: ir.Piles, scope: Scope, body: Body) -> None:
        zone = self.zone_of(x.grid, scope)
        place = self.kernel.grid(zone)
        with self._each_slot(x, scope) as (grid, slot), self.held(grid + slot * place.pile_size + place.piles) as pile:
            body(PileOf(pile, zone))

    def _each_part(self, x: ir.Each, scope: Scope, body: Body) -> None:
        code = self.code
        board = self.board(x.piles, scope)
        if board is not None:
            with code.borrowed() as cell, code.borrowed() as top:
                cell.set(0)
                with code.while_below(cell, board.size):
                    top.set((board.tops + cell * WORD).word())
                    with code.when(top >= 0):
                        if x.part == "top":
                            body(ValueOf(top))
                        else:
                            with self.held(board.pile(cell)) as pile:
                                self._part(x.part, pile, body)
            return
        if isinstance(x.piles, ir.Piles) and x.part == "top":
            place = self.kernel.grid(self.zone_of(x.piles.grid, scope))
            with (
                self._each_slot(x.piles, scope) as (grid, slot),
                self.held((grid + slot * WORD).word(place.tops)) as top,
            ):
                body(ValueOf(top))
            return

        def pile_of(binding: Binding) -> None:
            assert isinstance(binding, PileOf)
            with code.when(binding.address.word().differs(0)):
                self._part(x.part, binding.address, body, binding.zone)

        self.each(x.piles, scope, pile_of)

    def _part(self, part: str, pile: Expression, body: Body, zone: int = -1) -> None:
        """The element that an `Each` yields for a nonempty pile."""
        code = self.code
        match part:
            case "pile":
                body(PileOf(pile, zone))
            case "top":
                with self.held((pile + pile.word() * WORD).word()) as top:
                    body(ValueOf(top))
            case "all":
                self.loop(pile, body)
            case _:
                with self.held(pile) as at, code.borrowed() as end, code.borrowed() as item:
                    end.set(at + at.word() * WORD - WORD)
                    with code.until(at >= end):
                        at.add(WORD)
                        item.set(at.word())
                        body(ValueOf(item))

    # ---- cells by number, and known graphs

    def top_at(self, board: BoardOf | None, number: Expression) -> Expression:
        """The top on a cell of a board, negative if it is empty."""
        if board is None:
            raise Uncompilable("it looks at a cell by its number on what is not a board")
        return (board.tops + number * WORD).word()

    def _each_top(self, x: ir.TopsAt, scope: Scope, body: Body) -> None:
        board = self.board(x.piles, scope)

        def top(binding: Binding) -> None:
            assert isinstance(binding, ValueOf)
            with self.held(self.top_at(board, binding.value)) as face:
                body(ValueOf(face))

        self.each(x.cells, scope, top)

    def board(self, x: Expr, scope: Scope) -> BoardOf | None:
        """The board that piles by cell number come from; None if they are something else."""
        if isinstance(x, ir.Local):
            bound = scope[x.slot]
            if isinstance(bound, WrittenOut):
                return self.board(bound.form, bound.scope)
            return bound if isinstance(bound, BoardOf) else None
        if not isinstance(x, ir.PilesByCell):
            return None
        zone = self.zone_of(x.grid, scope)
        return self.shared.board_of(self.code, zone, self.address(x.grid, scope))

    @contextmanager
    def listed(self, x: Expr, scope: Scope) -> Iterator[PileOf]:
        """The values of a sequence as a list in scratch memory."""
        code, most = self.code, self.kernel.most_things
        space = self.kernel.list_space(most)
        if self._is_pile(x, scope):
            # The list has room for more than the longest pile.
            with self.held(self.address(x, scope)) as pile:
                code.copy_words(space, pile, pile.word() + 1)
            yield PileOf(code.value(space))
            return
        with code.borrowed() as count:
            count.set(0)

            def put(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                with code.when(count >= most):
                    self.kernel.give_up(code)
                    code.otherwise()
                    count.add(1)
                    code.store(count * WORD, binding.value, space)

            if isinstance(x, ir.Concat):
                self.each(x.left, scope, put)
                self.each(x.right, scope, put)
            else:
                self.each(x, scope, put)
            code.store(space, count)
        yield PileOf(code.value(space))

    def _is_pile(self, x: Expr, scope: Scope) -> bool:
        """Whether a sequence is the content of one pile."""
        if not isinstance(x, PILES):
            return False
        bound = scope.get(x.slot) if isinstance(x, ir.Local) else None
        return not isinstance(bound, VectorOf | WrittenOut | BoardOf)

    def _each_less(self, x: ir.Without, scope: Scope, body: Body) -> None:
        code = self.code
        with self.listed(x.right, scope) as removed:

            def unless_removed(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                taken = code.call(self.shared.strike(), removed.address, binding.value)
                with code.when(taken.is_zero()):
                    body(binding)

            self.each(x.left, scope, unless_removed)

    def _each_place(self, x: ir.Places, scope: Scope, body: Body) -> None:
        """Placements with the same number of cells are traversed in one loop over a table of their cells."""
        code = self.code
        board = self.board(x.piles, scope)
        if board is None:
            raise Uncompilable("it looks for a shape on what is not a board")
        marked = x.cells or ((),) * len(x.places)
        places = [(*place, cells) for place, cells in zip(x.places, marked, strict=True)]

        def lengths(place: tuple[Sequence[object], ...]) -> tuple[int, ...]:
            return tuple(map(len, place))

        for (needs, free, shown), group in groupby(sorted(places, key=lengths), key=lengths):
            cells = [
                [*(cell * WORD for cell in (*need, *empty)), *(NONE if cell is None else cell for cell in held)]
                for need, empty, held in group
            ]
            table = self.kernel.table([at for place in cells for at in place])
            size = (needs + free + shown) * WORD
            with self.held(board.tops) as tops, code.borrowed() as at:
                at.set(table)
                with code.while_below(at, table + size * len(cells), size), code.block() as not_here:
                    values = [code.local() for _ in range(needs)]
                    for number, value in enumerate(values):
                        value.set((tops + at.word(number * WORD)).word())
                        code.branch_if(not_here, value < 0)
                    for number in range(needs, needs + free):
                        code.branch_if(not_here, (tops + at.word(number * WORD)).word() >= 0)
                    if shown:
                        values = [code.local(at.word((needs + free + number) * WORD)) for number in range(shown)]
                    cells_of = tuple(at.word(number * WORD) for number in range(needs))
                    body(PlaceOf(tuple(values), tops, cells_of, shown > 0))
