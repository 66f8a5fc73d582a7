"""From the form to code: values on the stack, loops over sequences, addresses of piles.

A local of the form is bound to what holds it at run time: a local variable, the address of a pile, several local
variables (a vector), or another form that is written out where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import assert_never

from pwtool.kernel import form as f
from pwtool.kernel.closures import Compiler
from pwtool.kernel.form import Form
from pwtool.kernel.layout import NONE, WORD, GridPlace, Uncompilable
from pwtool.kernel.wasm.code import Code, Expression, Local
from pwtool.kernel.wasm.grids import Grids
from pwtool.kernel.wasm.kernel import Kernel
from pwtool.kernel.wasm.module import I32, I64, Function

_UNROLLED = 6


@dataclass(frozen=True, slots=True)
class ValueOf:
    """A value. `grid` is the width and height of a grid when it is surely one of its cells."""

    value: Expression
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PileOf:
    """The address of a pile, or (with its `zone`) of a grid."""

    address: Expression
    zone: int = -1


@dataclass(frozen=True, slots=True)
class VectorOf:
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """A word for each player."""

    address: Expression


@dataclass(frozen=True, slots=True)
class BoardOf:
    """A grid by cell number: the tops (-1: none), and its piles (`pile(cell)` is an address)."""

    tops: Expression
    pile: Callable[[Expression], Expression]
    size: int


@dataclass(frozen=True, slots=True)
class WrittenOut:
    form: Form
    scope: Scope


Binding = ValueOf | PileOf | VectorOf | ArrayOf | BoardOf | WrittenOut
Scope = Mapping[int, Binding]
Body = Callable[[Binding], None]


class Expressions:
    """Writes the code of forms into one function."""

    def __init__(self, kernel: Kernel, code: Code, shared: Shared) -> None:
        self.kernel, self.code, self.shared = kernel, code, shared
        self.layout = kernel.layout
        self.known: dict[f.PileAt, Expression] = {}
        """The addresses of piles that were computed before and that nothing has changed since."""

    # ---- values

    def value(self, x: Form, scope: Scope) -> Expression:
        """A value: a number, 0 or 1 for a condition."""
        code = self.code
        match x:
            case f.Const():
                return code.value(self.layout.atom(x.value))
            case f.Face():
                return code.value(x.face)
            case f.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.value(bound.form, bound.scope)
                assert isinstance(bound, ValueOf), bound
                return bound.value
            case f.Let():
                return code.written(lambda: self._let(x, scope))
            case f.Variable():
                return code.value(self.layout.variables[x.number]).word()
            case f.Actor():
                return code.global_(self.kernel.actor)
            case f.Total():
                return (code.global_(self.kernel.actor) * WORD).word(self.layout.totals)
            case f.TokenIndex():
                return code.value(self.layout.tokens[x.token]).word()
            case f.TokenCell():
                return code.value(self.layout.tokens[x.token]).word(WORD)
            case f.ZoneIndex():
                return self.value(x.indices[0], scope) if x.indices else code.value(0)
            case f.Not():
                return self.value(x.operand, scope).is_zero()
            case f.And():
                return code.both(self.value(x.left, scope), self.value(x.right, scope))
            case f.Or():
                return code.one_of(self.value(x.left, scope), self.value(x.right, scope))
            case f.If():
                condition = self.value(x.condition, scope)
                return code.either(condition, self.value(x.then, scope), self.value(x.otherwise, scope))
            case f.Else():
                return code.written(lambda: self._else(x, scope))
            case f.Equal():
                return self.value(x.left, scope).equals(self.value(x.right, scope))
            case f.Less():
                return self.value(x.left, scope) < self.value(x.right, scope)
            case f.Add():
                return self.value(x.left, scope) + self.value(x.right, scope)
            case f.Subtract():
                return self.value(x.left, scope) - self.value(x.right, scope)
            case f.Multiply():
                return self.value(x.left, scope) * self.value(x.right, scope)
            case f.Lookup():
                return code.written(lambda: self._lookup(x, scope))
            case f.Attribute():
                table = self.kernel.attribute_table(x.component, x.name)
                return self._optional(x.of, scope, x.optional, lambda face: (face * WORD).word(table))
            case f.ByFace():
                table = self.kernel.table([self.layout.atom(value) for value in x.table])
                return (self.value(x.of, scope) * WORD).word(table)
            case f.Coordinate():
                return self._optional(x.cell, scope, x.optional, lambda cell: coordinate(cell, x.axis))
            case f.Offset():
                return code.written(lambda: self._offset(x, scope))
            case f.Next():
                return self._optional(x.player, scope, x.optional, self._next)
            case f.Top():
                return code.written(lambda: self._top(x, scope))
            case f.Element():
                return self._element(x, scope)
            case f.Can():
                return code.call(self.shared.can(x.action))
            case f.Fulfils():
                return code.call(self.shared.fulfils(), self.address(x.grid, scope), self.value(x.goal, scope))
            case f.Any_():
                return code.written(lambda: self._any(x, scope))
            case f.AtLeast():
                return code.written(lambda: self._at_least(x, scope))
            case f.Count():
                return self._count(x, scope)
            case f.Sum():
                return code.written(lambda: self._sum(x, scope))
            case f.First():
                return code.written(lambda: self._first(x, scope))
            case f.Alike():
                return code.written(lambda: self._alike(x, scope))
            case f.Contains():
                return code.written(lambda: self._contains(x, scope))
            case f.Connected():
                grids = self.shared.grids
                return code.call(grids.connected(self.zone_of(x.grid, scope)), self.address(x.grid, scope))
            case f.Fits():
                return code.written(lambda: self._fits(x, scope))
            case f.Group():
                return code.written(lambda: self._group(x, scope))
            case (
                f.Pile() | f.PileAt() | f.Values() | f.Held() | f.Seats() | f.GoalsInPlay() | f.Piles() | f.Used()
                | f.Board() | f.Each() | f.Attributes() | f.Chain() | f.Minus() | f.Places()
            ):  # fmt: skip
                raise Uncompilable(f"it takes a collection for a value ({type(x).__name__})")
            case _:
                assert_never(x)

    @contextmanager
    def held(self, value: Expression) -> Iterator[Local]:
        """A local variable that holds a value for a while."""
        with self.code.borrowed() as local:
            local.set(value)
            yield local

    def _optional(self, x: Form, scope: Scope, optional: bool, of: Callable[[Expression], Expression]) -> Expression:
        """A function of a value; of nothing, nothing."""
        value = self.value(x, scope)
        if not optional:
            return of(value)

        def write() -> None:
            with self.held(value) as local:
                self.code.either(local.equals(NONE), NONE, of(local)).write()

        return self.code.written(write)

    def _let(self, x: f.Let, scope: Scope) -> None:
        with self.binding(x.value, scope) as bound:
            self.value(x.body, {**scope, x.slot: bound}).write()

    @contextmanager
    def binding(self, x: Form, scope: Scope) -> Iterator[Binding]:
        """What a local is bound to that holds this."""
        match x:
            case f.Local():
                yield scope[x.slot]
            case f.Pile() | f.PileAt():
                with self.held(self.address(x, scope)) as local:
                    yield PileOf(local, self.zone_of(x, scope))
            case f.Variable() if self._is_list(x):
                yield PileOf(self.address(x, scope))
            case (
                f.Values() | f.Held() | f.Seats() | f.GoalsInPlay() | f.Piles() | f.Used() | f.Board() | f.Each()
                | f.Attributes() | f.Chain() | f.Minus() | f.Places()
            ):  # fmt: skip
                yield WrittenOut(x, scope)
            case f.If() if not self._is_value(x):
                yield WrittenOut(x, scope)
            case _:
                with self.held(self.value(x, scope)) as local:
                    yield ValueOf(local)

    def _is_list(self, x: f.Variable) -> bool:
        return list(self.kernel.ruleset.variables.values())[x.number].type.is_collection

    def _is_value(self, x: Form) -> bool:
        if isinstance(x, f.If):
            return self._is_value(x.then) and self._is_value(x.otherwise)
        sequences = (
            f.Values | f.Held | f.Seats | f.GoalsInPlay | f.Piles | f.Used | f.Each | f.Attributes | f.Chain | f.Minus
        )
        return not isinstance(x, sequences | f.Pile | f.PileAt | f.Board | f.Places)

    def _else(self, x: f.Else, scope: Scope) -> None:
        with self.held(self.value(x.value, scope)) as local:
            self.code.either(local.equals(NONE), self.value(x.default, scope), local).write()

    def _lookup(self, x: f.Lookup, scope: Scope) -> None:
        rows = dict(x.rows)
        low, high = min(rows), max(rows)
        default = NONE if x.otherwise is None else x.otherwise
        if high - low > 4096:
            raise Uncompilable("a table has too wide a range")
        table = self.kernel.table([rows.get(key, default) for key in range(low, high + 1)])
        with self.held(self.value(x.operand, scope) - low) as at:
            self.code.either(at.below(high - low + 1), (at * WORD).word(table), default).write()

    def _offset(self, x: f.Offset, scope: Scope) -> None:
        with self.held(self.value(x.cell, scope)) as cell:
            column = (cell + x.columns) & 0xFFFF
            row = (cell & -0x10000) + (x.rows << 16)
            (column | row).write()

    def _next(self, seat: Expression) -> Expression:
        code = self.code

        def write() -> None:
            with self.held(seat + 1) as following:
                code.choose(following < code.global_(self.kernel.players), following, 0).write()

        return code.written(write)

    def _top(self, x: f.Top, scope: Scope) -> None:
        with self.held(self.address(x.pile, scope)) as pile, self.code.borrowed() as count:
            count.set(pile.word())
            self.code.either(count.is_zero(), NONE, (pile + count * WORD).word()).write()

    def _element(self, x: f.Element, scope: Scope) -> Expression:
        match x.vector:
            case f.Local():
                bound = scope[x.vector.slot]
                if isinstance(bound, WrittenOut):
                    return self._element(f.Element(bound.form, x.index), bound.scope)
                if isinstance(bound, VectorOf) and isinstance(x.index, f.Const):
                    return bound.values[int(x.index.value)]
                if isinstance(bound, ArrayOf):
                    return (bound.address + self.value(x.index, scope) * WORD).word()
            case f.Values() if isinstance(x.index, f.Const):
                return self.value(x.vector.items[x.index.value], scope)
        raise Uncompilable("it takes an element of a collection that changes")

    # ---- piles

    def address(self, x: Form, scope: Scope) -> Expression:
        """The address of a pile or a grid."""
        code = self.code
        match x:
            case f.Pile():
                return self.kernel.zone_address(code, x.zone, [self.value(i, scope) for i in x.indices])
            case f.PileAt():
                return self.known[x] if x in self.known else self._pile_at(x, scope)
            case f.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.address(bound.form, bound.scope)
                assert isinstance(bound, PileOf), bound
                return bound.address
            case f.Variable():
                return code.value(self.layout.variables[x.number])
            case f.If():
                condition = self.value(x.condition, scope)
                return code.either(condition, self.address(x.then, scope), self.address(x.otherwise, scope))
            case f.Held():
                return self.address(x.pile, scope)
            case f.Let():
                if isinstance(x.value, f.Local | f.Pile | f.PileAt | f.Variable):
                    return self.address(x.body, {**scope, x.slot: WrittenOut(x.value, scope)})
        raise Uncompilable("it moves things from or to a collection that is no pile")

    def _pile_at(self, x: f.PileAt, scope: Scope) -> Expression:
        number = self.zone_of(x.grid, scope)
        grid, cell = self.address(x.grid, scope), self.value(x.cell, scope)
        bound = scope[x.cell.slot] if isinstance(x.cell, f.Local) else None
        zone, place = self.kernel.zone(number), self.kernel.grid(number)
        inside = isinstance(bound, ValueOf) and bound.grid == (zone.width, zone.height)
        if zone.floating or not inside:
            return self.code.call(self.shared.grids.find(number), grid, cell)
        slot = (cell >> 16) * zone.width + (cell & 0xFFFF)
        return grid + slot * place.pile_size + place.piles

    def zone_of(self, x: Form, scope: Scope) -> int:
        """The zone that a grid or pile belongs to."""
        match x:
            case f.Pile():
                return x.zone
            case f.PileAt():
                return self.zone_of(x.grid, scope)
            case f.If():
                return self.zone_of(x.then, scope)
            case f.Let():
                return self.zone_of(x.body, {**scope, x.slot: WrittenOut(x.value, scope)})
            case f.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.zone_of(bound.form, bound.scope)
                if isinstance(bound, PileOf):
                    return bound.zone
        raise Uncompilable("it looks at a grid that is not known")

    # ---- sequences

    def each(self, x: Form, scope: Scope, body: Body) -> None:
        """Code that does something for every element of a sequence, in order."""
        code = self.code
        match x:
            case f.Values():
                self._each_value(x, body, scope)
            case f.Held():
                self._each_held(x.pile, scope, body)
            case f.Seats():
                self._count_up(code.value(0), code.global_(self.kernel.players), body)
            case f.GoalsInPlay():
                self._count_up(code.value(0), code.value(self.layout.goals), body)
            case f.Piles():
                place = self.kernel.place(x.zone)
                with self.held(self.kernel.zone_address(code, x.zone, self.first_of(x, scope))) as first:
                    self.each_zone(x.zone, len(place.zone.dimensions) - x.open, first, body)
            case f.Used():
                self._each_used(x, scope, body)
            case f.Each():
                self._each_part(x, scope, body)
            case f.Attributes():
                table = self.kernel.attribute_table(x.component, x.name)

                def attribute(face: Binding) -> None:
                    assert isinstance(face, ValueOf)
                    body(ValueOf((face.value * WORD).word(table)))

                self.each(x.of, scope, attribute)
            case f.Chain():
                if isinstance(x.right, f.Values) and len(x.right.items) == 1:
                    # The body is written once for both.
                    with self.listed(x, scope) as pile:
                        self.loop(pile.address, body)
                    return
                self.each(x.left, scope, body)
                self.each(x.right, scope, body)
            case f.Minus():
                self._each_less(x, scope, body)
            case f.Places():
                self._each_place(x, scope, body)
            case f.If():
                with code.when(self.value(x.condition, scope)):
                    self.each(x.then, scope, body)
                    code.otherwise()
                    self.each(x.otherwise, scope, body)
            case f.Let():
                with self.binding(x.value, scope) as bound:
                    self.each(x.body, {**scope, x.slot: bound}, body)
            case f.Local():
                self._each_held(x, scope, body)
            case _:
                raise Uncompilable(f"it goes through what is no collection ({type(x).__name__})")

    def first_of(self, x: f.Piles, scope: Scope) -> list[Expression]:
        """The indices of the first of several zones."""
        place = self.kernel.place(x.zone)
        indices = [self.value(i, scope) for i in x.indices]
        for dimension, _ in place.zone.dimensions[len(indices) :]:
            indices.append(self.code.value(1 if dimension == "number" else 0))
        return indices

    def _count_up(self, first: Expression, end: Expression, body: Body) -> None:
        code = self.code
        with code.borrowed() as at, code.block() as done:
            at.set(first)
            with code.loop() as again:
                code.branch_if(done, at >= end)
                body(ValueOf(at))
                at.add(1)
                code.branch(again)

    def _each_value(self, x: f.Values, body: Body, scope: Scope) -> None:
        code = self.code
        constants = [part.value if isinstance(part, f.Const) else None for part in x.items]
        grid = whole_grid(constants)
        if len(x.items) <= _UNROLLED or None in constants:
            for item in x.items:
                with self.held(self.value(item, scope)) as local:
                    body(ValueOf(local, grid))
            return
        atoms = [self.layout.atom(value) for value in constants]
        if atoms == list(range(atoms[0], atoms[0] + len(atoms))):
            self._count_up(code.value(atoms[0]), code.value(atoms[0] + len(atoms)), body)
            return
        self.loop(code.value(self.kernel.table([len(atoms), *atoms])), body, grid)

    def narrowed(
        self, x: f.Any_ | f.AtLeast | f.Count | f.First, scope: Scope
    ) -> tuple[Expression, Form, tuple[int, int] | None] | None:
        """Where what is gone through are cells that never change, and part of the condition speaks of them and of one other
        cell alone: the address of a list of those that fulfil it, looked up by the other cell, and the rest of the condition.
        """
        constants = (
            [p.value for p in x.sequence.items if isinstance(p, f.Const)] if isinstance(x.sequence, f.Values) else []
        )
        if x.body is None or len(constants) <= _UNROLLED or len(constants) < len(list(f.parts(x.sequence))):
            return None
        conditions = list(_conjuncts(x.body))
        known = [part for part in conditions if _of_locals_alone(part)]
        others = {slot for part in known for slot in _locals_of(part)} - {x.slot}
        if len(others) != 1:
            return None
        other = others.pop()
        bound = scope.get(other)
        if not isinstance(bound, ValueOf) or bound.grid is None:
            return None
        width, height = bound.grid
        holds = [Compiler(self.kernel.ruleset).closure(part) for part in known]
        lists = []
        e = [None] * (1 + max(x.slot, other))
        try:
            for at in range(width * height):
                e[other] = (at % width, at // width)  # type: ignore[call-overload]
                found = []
                for value in constants:
                    e[x.slot] = value
                    if all(condition(None, e) for condition in holds):
                        found.append(value)
                lists.append(found)
        except (TypeError, AttributeError):
            # It asks for more than the two cells, or is only said where something else holds.
            return None
        addresses = [self.kernel.table([len(found), *map(self.layout.atom, found)]) for found in lists]
        table = self.kernel.table(addresses)
        cell = bound.value
        rest: Form = f.TRUE
        for part in conditions:
            if part not in known:
                rest = part if rest == f.TRUE else f.And(rest, part)
        return (((cell >> 16) * width + (cell & 0xFFFF)) * WORD).word(table), rest, whole_grid(constants)

    def _through(
        self, x: f.Any_ | f.AtLeast | f.Count | f.First, scope: Scope, body: Callable[[Binding, Expression], None]
    ) -> None:
        """For each element of a sequence, with whether the condition holds for it."""
        assert x.body is not None
        condition, narrowed = x.body, self.narrowed(x, scope)

        def holds(binding: Binding) -> Expression:
            return self.value(condition, {**scope, x.slot: binding})

        if narrowed is not None:
            address, condition, grid = narrowed
            self.loop(address, lambda binding: body(binding, holds(binding)), grid)
        elif isinstance(x.sequence, f.Minus):
            # Equal things are alike in all that is asked of them, so only those that fulfil it need be struck off.
            with self.listed(x.sequence.right, scope) as removed:

                def left_over(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    struck = self.code.call(self.shared.strike(), removed.address, binding.value)
                    body(binding, self.code.both(holds(binding), struck.is_zero()))

                self.each(x.sequence.left, scope, left_over)
        else:
            self.each(x.sequence, scope, lambda binding: body(binding, holds(binding)))

    def loop(self, pile: Expression, body: Body, grid: tuple[int, int] | None = None) -> None:
        """For each thing in a pile, from bottom to top."""
        code = self.code
        with self.held(pile) as at, code.borrowed() as end, code.borrowed() as item, code.block() as done:
            end.set(at + at.word() * WORD)
            with code.loop() as again:
                code.branch_if(done, at >= end)
                at.add(WORD)
                item.set(at.word())
                body(ValueOf(item, grid))
                code.branch(again)

    def _each_held(self, x: Form, scope: Scope, body: Body) -> None:
        bound = scope[x.slot] if isinstance(x, f.Local) else None
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
        with code.borrowed() as at, code.borrowed() as end, code.block() as done:
            at.set(first)
            end.set(first + (count if count is not None else code.value(size)) * place.strides[dimension])
            with code.loop() as again:
                code.branch_if(done, at >= end)
                self.each_zone(zone, dimension + 1, at, body)
                at.add(place.strides[dimension])
                code.branch(again)

    def _each_slot(self, x: f.Used, scope: Scope, body: Callable[[Local, Local], None]) -> None:
        """For each used slot of a grid: the address of the grid, and the slot."""
        code = self.code
        with self.held(self.address(x.grid, scope)) as grid, code.borrowed() as at, code.borrowed() as slot:
            at.set(0)
            with code.block() as done, code.loop() as again:
                code.branch_if(done, at >= grid.word(GridPlace.USED))
                slot.set((grid + at * WORD).word(GridPlace.ORDER))
                body(grid, slot)
                at.add(1)
                code.branch(again)

    def _each_used(self, x: f.Used, scope: Scope, body: Body) -> None:
        zone = self.zone_of(x.grid, scope)
        place = self.kernel.grid(zone)

        def used(grid: Local, slot: Local) -> None:
            with self.held(grid + slot * place.pile_size + place.piles) as pile:
                body(PileOf(pile, zone))

        self._each_slot(x, scope, used)

    def _each_part(self, x: f.Each, scope: Scope, body: Body) -> None:
        code = self.code
        board = self.board(x.piles, scope)
        if board is not None:
            with code.borrowed() as cell, code.borrowed() as top, code.block() as done:
                cell.set(0)
                with code.loop() as again:
                    code.branch_if(done, cell >= board.size)
                    top.set((board.tops + cell * WORD).word())
                    with code.when(top >= 0):
                        if x.part == "top":
                            body(ValueOf(top))
                        else:
                            with self.held(board.pile(cell)) as pile:
                                self._part(x.part, pile, body)
                    cell.add(1)
                    code.branch(again)
            return
        if isinstance(x.piles, f.Used) and x.part == "top":
            place = self.kernel.grid(self.zone_of(x.piles.grid, scope))

            def top_of_slot(grid: Local, slot: Local) -> None:
                with self.held((grid + slot * WORD).word(place.tops)) as top:
                    body(ValueOf(top))

            self._each_slot(x.piles, scope, top_of_slot)
            return

        def pile_of(binding: Binding) -> None:
            assert isinstance(binding, PileOf)
            with code.when(binding.address.word().differs(0)):
                self._part(x.part, binding.address, body, binding.zone)

        self.each(x.piles, scope, pile_of)

    def _part(self, part: str, pile: Expression, body: Body, zone: int = -1) -> None:
        """What an `Each` gives of a pile that is not empty."""
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
                with self.held(pile) as at, code.borrowed() as end, code.borrowed() as item, code.block() as done:
                    end.set(at + at.word() * WORD - WORD)
                    with code.loop() as again:
                        code.branch_if(done, at >= end)
                        at.add(WORD)
                        item.set(at.word())
                        body(ValueOf(item))
                        code.branch(again)

    def board(self, x: Form, scope: Scope) -> BoardOf | None:
        """The board that piles by cell number are; None where they are something else."""
        if isinstance(x, f.Held):
            return self.board(x.pile, scope)
        if isinstance(x, f.Local):
            bound = scope[x.slot]
            if isinstance(bound, WrittenOut):
                return self.board(bound.form, bound.scope)
            return bound if isinstance(bound, BoardOf) else None
        if not isinstance(x, f.Board):
            return None
        zone = self.zone_of(x.grid, scope)
        return self.shared.board_of(self.code, zone, self.address(x.grid, scope))

    @contextmanager
    def listed(self, x: Form, scope: Scope) -> Iterator[PileOf]:
        """The values of a sequence as a list in scratch memory."""
        code, most = self.code, self.kernel.most_things
        space = self.kernel.list_space(most)
        whole = x.left if isinstance(x, f.Chain) else x
        one = x.right.items if isinstance(x, f.Chain) and isinstance(x.right, f.Values) else ()
        if self._is_pile(whole, scope) and (whole is x or len(one) == 1):
            # No pile is as long as there is room.
            with self.held(self.address(whole, scope)) as pile, code.borrowed() as count:
                count.set(pile.word())
                code.copy_words(space, pile, count + 1)
                if whole is not x:
                    code.store(count * WORD, self.value(one[0], scope), space + WORD)
                    code.store(space, count + 1)
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

            if isinstance(x, f.Chain):
                self.each(x.left, scope, put)
                self.each(x.right, scope, put)
            else:
                self.each(x, scope, put)
            code.store(space, count)
        yield PileOf(code.value(space))

    def _is_pile(self, x: Form, scope: Scope) -> bool:
        """Whether a sequence is what lies in one pile."""
        if not isinstance(x, f.Held):
            return False
        bound = scope.get(x.pile.slot) if isinstance(x.pile, f.Local) else None
        return not isinstance(bound, VectorOf | WrittenOut | BoardOf)

    def _each_less(self, x: f.Minus, scope: Scope, body: Body) -> None:
        code = self.code
        with self.listed(x.right, scope) as removed:

            def unless_removed(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                taken = code.call(self.shared.strike(), removed.address, binding.value)
                with code.when(taken.is_zero()):
                    body(binding)

            self.each(x.left, scope, unless_removed)

    def _each_place(self, x: f.Places, scope: Scope, body: Body) -> None:
        """Placements with as many cells are gone through in one loop over a table of their cells."""
        code = self.code
        board = self.board(x.piles, scope)
        if board is None:
            raise Uncompilable("it looks for a shape on what is no board")
        kinds = sorted(x.places, key=lambda place: (len(place[0]), len(place[1])))
        for (needs, free), group in groupby(kinds, key=lambda place: (len(place[0]), len(place[1]))):
            cells = [[cell * WORD for cell in (*need, *empty)] for need, empty in group]
            table = self.kernel.table([at for place in cells for at in place])
            size = (needs + free) * WORD
            with self.held(board.tops) as tops, code.borrowed() as at, code.block() as done:
                at.set(table)
                with code.loop() as again:
                    code.branch_if(done, at >= table + size * len(cells))
                    with code.block() as not_here:
                        values = [code.local() for _ in range(needs)]
                        for number, value in enumerate(values):
                            value.set((tops + at.word(number * WORD)).word())
                            code.branch_if(not_here, value < 0)
                        for number in range(needs, needs + free):
                            code.branch_if(not_here, (tops + at.word(number * WORD)).word() >= 0)
                        body(VectorOf(tuple(values)))
                    at.add(size)
                    code.branch(again)

    # ---- what goes through a sequence

    def _any(self, x: f.Any_, scope: Scope) -> None:
        code = self.code
        if x.body is None:
            (self._size(x.sequence, scope).differs(0)).write()
            return
        with code.block(I32) as found:

            def holds(_: Binding, condition: Expression) -> None:
                with code.when(condition):
                    code.value(1).write()
                    code.branch(found)

            self._through(x, scope, holds)
            code.value(0).write()

    def _at_least(self, x: f.AtLeast, scope: Scope) -> None:
        code = self.code
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

    def _count(self, x: f.Count, scope: Scope) -> Expression:
        if x.body is None:
            return self._size(x.sequence, scope)
        return self.code.written(lambda: self._counted(x, scope))

    def _counted(self, x: f.Count, scope: Scope) -> None:
        with self.code.borrowed() as total:
            total.set(0)
            self._through(x, scope, lambda _, condition: total.add(condition.differs(0)))
            total.write()

    def _size(self, x: Form, scope: Scope) -> Expression:
        """How many elements a sequence has."""
        code = self.code
        if isinstance(x, f.Held):
            bound = scope[x.pile.slot] if isinstance(x.pile, f.Local) else None
            if isinstance(bound, VectorOf):
                return code.value(len(bound.values))
            if not isinstance(bound, WrittenOut | BoardOf):
                return self.address(x.pile, scope).word()
        if isinstance(x, f.Used):
            return self.address(x.grid, scope).word(GridPlace.USED)
        return code.written(lambda: self._totalled(x, scope, lambda _: code.value(1)))

    def _totalled(self, x: Form, scope: Scope, of: Callable[[Binding], Expression]) -> None:
        with self.code.borrowed() as total:
            total.set(0)
            self.each(x, scope, lambda binding: total.add(of(binding)))
            total.write()

    def _sum(self, x: f.Sum, scope: Scope) -> None:
        def of(binding: Binding) -> Expression:
            if x.body is not None:
                return self.value(x.body, {**scope, x.slot: binding})
            assert isinstance(binding, ValueOf)
            return binding.value

        self._totalled(x.sequence, scope, of)

    def _first(self, x: f.First, scope: Scope) -> None:
        code = self.code
        with code.borrowed() as found:
            found.set(NONE)
            with code.block() as done:

                def holds(binding: Binding, condition: Expression) -> None:
                    assert isinstance(binding, ValueOf)
                    with code.when(condition):
                        found.set(binding.value)
                        if not x.backwards:
                            code.branch(done)

                self._through(x, scope, holds)
            found.write()

    def _contains(self, x: f.Contains, scope: Scope) -> None:
        code = self.code
        with self.held(self.value(x.item, scope)) as item, code.block(I32) as found:

            def same(binding: Binding) -> None:
                assert isinstance(binding, ValueOf)
                with code.when(binding.value.equals(item)):
                    code.value(1).write()
                    code.branch(found)

            self.each(x.sequence, scope, same)
            code.value(0).write()

    def _alike(self, x: f.Alike, scope: Scope) -> None:
        code = self.code
        if not isinstance(x.sequence, f.Attributes):
            raise Uncompilable("it compares values that are no attributes")
        vector = self._vector(x.sequence.of, scope)
        if vector is not None and len(vector) <= _UNROLLED and (x.kind != "distinct" or len(vector) <= 4):
            self._alike_in(x.kind, vector, x.sequence)
            return
        if x.kind == "distinct":
            self._distinct(x.sequence, scope)
            return
        with code.borrowed() as before:
            before.set(NONE)
            with code.block(I32) as found:

                def differs(binding: Binding) -> None:
                    assert isinstance(binding, ValueOf)
                    with self.held(binding.value) as value:
                        wrong = value.differs(before) if x.kind == "same" else value <= before
                        with code.when(code.both(before.differs(NONE), wrong)):
                            code.value(0).write()
                            code.branch(found)
                        before.set(value)

                self.each(x.sequence, scope, differs)
                code.value(1).write()

    def _vector(self, x: Form, scope: Scope) -> tuple[Expression, ...] | None:
        """The values of a sequence whose number is known."""
        match x:
            case f.Held(pile=f.Local() as local):
                bound = scope[local.slot]
                if isinstance(bound, WrittenOut):
                    return self._vector(bound.form, bound.scope)
                return bound.values if isinstance(bound, VectorOf) else None
            case f.Values():
                return tuple(self.value(item, scope) for item in x.items)
        return None

    def _alike_in(self, kind: str, vector: Sequence[Expression], x: f.Attributes) -> None:
        """The same for a few values: each is compared with the one before, or with all."""
        code = self.code
        table = self.kernel.attribute_table(x.component, x.name)
        holds: Expression | None = None
        with ExitStack() as stack:
            values = [stack.enter_context(code.borrowed()) for _ in vector]
            if values:
                values[0].set((vector[0] * WORD).word(table))
            for at in range(1, len(values)):
                # Each is read when those before it are as they should be.
                read = values[at].tee((vector[at] * WORD).word(table))
                before = values[at - 1]
                match kind:
                    case "same":
                        one = read.equals(before)
                    case "ascending":
                        one = read > before
                    case _:
                        one = read.differs(values[0])
                        for other in values[1:at]:
                            one = code.both(one, values[at].differs(other))
                holds = one if holds is None else code.both(holds, one)
            (code.value(1) if holds is None else holds).write()

    def _distinct(self, x: f.Attributes, scope: Scope) -> None:
        code = self.code
        values = self.kernel.ruleset.components[x.component].attributes[x.name].table
        numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
        words = (len(numbers) + 63) // 64
        if words > 1:
            raise Uncompilable(f"`{x.name}` has too many values to tell apart")
        table = self.kernel.table([numbers[value] for value in values])
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

    def _fits(self, x: f.Fits, scope: Scope) -> None:
        zone = self.zone_of(x.grid, scope)
        cell = self.code.value(NONE) if x.cell is None else self.value(x.cell, scope)
        fits = self.shared.grids.fits(zone, x.width, x.height)
        self.code.call(fits, self.address(x.grid, scope), cell).write()

    def _group(self, x: f.Group, scope: Scope) -> None:
        board = self.board(x.piles, scope)
        if board is None:
            raise Uncompilable("it looks for groups on what is no board")
        table = self.kernel.attribute_table(x.component, x.name)
        group = self.shared.grids.group(x.width, board.size // x.width)
        self.code.call(group, board.tops, self.code.value(table), self.code.value(x.which == "largest")).write()


def piles_of_cells(forms: Iterable[Form], slots: frozenset[int]) -> list[f.PileAt]:
    """The piles on cells that are asked for more than once, of those that these locals lead to."""
    found = Counter(part for x in forms for part in f.walk(x) if isinstance(part, f.PileAt))
    return [pile for pile, times in found.items() if times > 1 and _locals_of(pile) <= slots and _locals_of(pile)]


def whole_grid(cells: Sequence[object]) -> tuple[int, int] | None:
    """The width and height of the grid whose cells these are, row by row; None where they are others."""
    last = cells[-1] if cells else None
    if not isinstance(last, tuple):
        return None
    width, height = last[0] + 1, last[1] + 1
    return (width, height) if list(cells) == [(x, y) for y in range(height) for x in range(width)] else None


def _conjuncts(x: Form) -> Iterator[Form]:
    if isinstance(x, f.And):
        yield from _conjuncts(x.left)
        yield from _conjuncts(x.right)
    else:
        yield x


_ALONE = (
    f.Const | f.Local | f.Not | f.And | f.Or | f.If | f.Equal | f.Less | f.Add | f.Subtract | f.Multiply | f.Coordinate
    | f.Offset | f.Lookup
)  # fmt: skip


def _of_locals_alone(x: Form) -> bool:
    """Whether a condition reads locals and nothing of the position."""
    return all(isinstance(part, _ALONE) for part in f.walk(x))


def _locals_of(x: Form) -> set[int]:
    return {part.slot for part in f.walk(x) if isinstance(part, f.Local)}


class Shared:
    """The functions that expressions call."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.grids = Grids(kernel)
        self._removes: Function | None = None
        self._strikes: Function | None = None
        self._holds: Function | None = None
        self._fulfils: Function | None = None
        self._objectives: dict[str, Function] = {}
        self.exists: dict[str, Function] = {}

    def can(self, action: str) -> Function:
        """The function that tells whether the actor can do an action at all; `legal.py` writes it."""
        if action not in self.exists:
            self.exists[action], _ = self.kernel.function(f"can {action}")
        return self.exists[action]

    def remove(self) -> Function:
        """`(pile, thing)`: take the first such thing out of a pile; whether there was one."""
        if self._removes is None:
            made, code = self.kernel.function("remove", 2)
            self._removes = made
            pile, thing = code.arguments
            at, end = code.local(pile + WORD), code.local(pile + pile.word() * WORD)
            with code.loop() as again:
                with code.when(at > end):
                    code.leave(0)
                with code.when(at.word().differs(thing)):
                    at.add(WORD)
                    code.branch(again)
            code.copy_words(at, at + WORD, (end - at).shifted_down(2))
            code.store(pile, pile.word() - 1)
            code.value(1).write()
        return self._removes

    def strike(self) -> Function:
        """`(list, thing)`: take one such thing out of a list whose order does not matter; whether there was one."""
        if self._strikes is None:
            made, code = self.kernel.function("strike", 2)
            self._strikes = made
            pile, thing = code.arguments
            at, end = code.local(pile + WORD), code.local(pile + pile.word() * WORD)
            with code.loop() as again:
                with code.when(at > end):
                    code.leave(0)
                with code.when(at.word().differs(thing)):
                    at.add(WORD)
                    code.branch(again)
            code.store(at, end.word())
            code.store(pile, pile.word() - 1)
            code.value(1).write()
        return self._strikes

    def holds(self) -> Function:
        """`(pile, thing)`: whether a pile holds a thing."""
        if self._holds is None:
            made, code = self.kernel.function("holds", 2)
            self._holds = made
            pile, thing = code.arguments
            at, end = code.local(pile + WORD), code.local(pile + pile.word() * WORD)
            with code.loop() as again, code.when(at <= end):
                with code.when(at.word().equals(thing)):
                    code.leave(1)
                at.add(WORD)
                code.branch(again)
            code.value(0).write()
        return self._holds

    def push(self, code: Code, pile: Expression, thing: Expression, capacity: int) -> None:
        """Lay a thing on a pile."""
        count = code.local(pile.word() + 1)
        with code.when(count > capacity):
            self.kernel.give_up(code)
            code.otherwise()
            code.store(pile + count * WORD, thing)
            code.store(pile, count)

    def board_of(self, code: Code, zone: int, grid: Expression) -> BoardOf:
        """A grid by cell number."""
        place = self.kernel.grid(zone)
        size = place.zone.width * place.zone.height
        if not place.zone.floating:
            return BoardOf(
                grid + place.tops, lambda cell: grid + place.piles + cell * place.pile_size, size
            )  # fmt: skip
        buffer = code.local(code.call(self.grids.board(zone), grid))
        return BoardOf(buffer, lambda cell: (buffer + cell * WORD).word(size * WORD), size)

    def objective(self, name: str) -> Function:
        """`(grid)`: whether a grid fulfils an objective."""
        from pwtool.kernel.lower import lower

        found = self._objectives.get(name)
        if found is None:
            model, board = self.kernel.ruleset.objectives[name], self.kernel.ruleset.board
            assert board is not None
            found, code = self.kernel.function(f"objective {name}", 1)
            self._objectives[name] = found
            piles = self.board_of(code, board.number, code.arguments[0])
            scope: dict[int, Binding] = {0: piles}
            scope[1] = WrittenOut(f.Each(f.Local(0), "top"), dict(scope))
            Expressions(self.kernel, code, self).value(lower(model.condition), scope).write()
        return found

    def fulfils(self) -> Function:
        """`(grid, goal)`: whether a grid fulfils an objective in play, from memory where the grid is as it was."""
        if self._fulfils is not None:
            return self._fulfils
        kernel, layout = self.kernel, self.kernel.layout
        objectives, board = list(kernel.ruleset.objectives), kernel.ruleset.board
        if board is None:
            raise Uncompilable("it asks for objectives without a board")
        made, code = kernel.function("fulfils", 2)
        self._fulfils = made
        place = kernel.grid(board.number)
        known = kernel.remembered(place.count * len(objectives) * 2 * WORD)
        grid, goal = code.arguments
        number = code.local((goal * WORD).word(layout.goal_table))
        at = code.local(((grid - place.address) // place.size * len(objectives) + number) * (2 * WORD) + known)
        with code.when(at.word().equals(grid.word())):
            code.leave(at.word(WORD))
        code.store(at, grid.word())
        verdict = code.local(0)
        functions = [self.objective(name) for name in objectives]
        code.switch(number, [lambda of=of: verdict.set(code.call(of, grid)) for of in functions])  # type: ignore[misc]
        code.store(at, verdict, WORD)
        verdict.write()
        return made


def coordinate(cell: Expression, axis: int) -> Expression:
    """The column or row of a cell."""
    return cell >> 16 if axis else (cell << 16) >> 16


__all__ = ["BoardOf", "Expressions", "PileOf", "Shared", "ValueOf", "VectorOf"]
