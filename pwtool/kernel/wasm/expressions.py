"""From expressions to code: values on the stack and the addresses of piles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.bindings import (
    Among,
    ArrayOf,
    Binding,
    PileOf,
    Scope,
    ValueOf,
    VectorOf,
    WrittenOut,
    coordinate,
)
from pwtool.kernel.wasm.folds import Folds
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.text import InternalError


class Expressions(Folds):
    """Writes the code of expressions into one function."""

    # ---- values

    def value(self, x: Expr, scope: Scope) -> Expression:
        """A value: a number, 0 or 1 for a condition."""
        code = self.code
        if self.once and x in self.once:
            return code.written(lambda: self._once(x, scope))
        found = self.looked_up(x, scope)
        if found is not None:
            return found
        match x:
            case ir.Const():
                return code.value(self.layout.atom(x.value))
            case ir.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.value(bound.form, bound.scope)
                if not isinstance(bound, ValueOf):
                    raise Uncompilable("it takes a collection for a value")
                return bound.value
            case ir.Let():
                return code.written(lambda: self._let(x, scope))
            case ir.Variable():
                return code.value(self.layout.variables[x.number]).word()
            case ir.Actor():
                return code.global_(self.kernel.actor)
            case ir.Total():
                return (code.global_(self.kernel.actor) * WORD).word(self.layout.totals)
            case ir.TokenIndex():
                return code.value(self.layout.tokens[x.token]).word()
            case ir.TokenCell():
                return code.value(self.layout.tokens[x.token]).word(WORD)
            case ir.ZoneIndex():
                return self.value(x.indices[0], scope) if x.indices else code.value(0)
            case ir.Not():
                return self.value(x.operand, scope).is_zero()
            case ir.And():
                return code.both(self.value(x.left, scope), self.value(x.right, scope))
            case ir.Or():
                return code.one_of(self.value(x.left, scope), self.value(x.right, scope))
            case ir.If():
                condition = self.value(x.condition, scope)
                return code.either(condition, self.value(x.then, scope), self.value(x.otherwise, scope))
            case ir.Else():
                return code.written(lambda: self._else(x, scope))
            case ir.Compare(sign="=="):
                return self.value(x.left, scope).equals(self.value(x.right, scope))
            case ir.Compare():
                return self.value(x.left, scope) < self.value(x.right, scope)
            case ir.Arithmetic():
                left, right = self.value(x.left, scope), self.value(x.right, scope)
                return left + right if x.sign == "+" else left - right if x.sign == "-" else left * right
            case ir.Table():
                return code.written(lambda: self._lookup(x, scope))
            case ir.Attribute():
                table = self.kernel.attribute_table(x.component, x.name)
                top = self.top_word(x.of.pile, scope) if isinstance(x.of, ir.Top) else None
                if top is not None:
                    # The table has nothing before the attribute of the first face.
                    return ((top + 1) * WORD).word(self.kernel.attribute_table(x.component, x.name, optional=True))
                return self._optional(x.of, scope, lambda face: (face * WORD).word(table))
            case ir.Coordinate():
                return self._optional(x.cell, scope, lambda cell: coordinate(cell, x.axis))
            case ir.CellAt():
                return code.written(lambda: self.cell_at(x, scope))
            case ir.Direction():
                return (self.value(x.row, scope) << 16) | (self.value(x.column, scope) & 0xFFFF)
            case ir.Steps():
                return code.written(lambda: self.steps(x, scope))
            case ir.Moved():
                return code.written(lambda: self.moved(x, scope))
            case ir.PlayerAfter():
                return self._optional(x.player, scope, self._next)
            case ir.Top():
                return code.written(lambda: self._top(x, scope))
            case ir.TopAt():
                return code.written(lambda: self._top_at(x, scope))
            case ir.HeightAt():
                return code.written(lambda: self._height_at(x, scope))
            case ir.Element():
                return self._element(x, scope)
            case ir.Can():
                if x.player is not None:
                    return code.written(lambda: self._can_of(x, scope))
                return code.call(self.shared.can(x.action))
            case ir.After():
                return code.written(lambda: self._after(x, scope))
            case ir.Fulfils():
                board = self.kernel.ruleset.board
                if board is None or self.zone_of(x.grid, scope) != board.number:
                    raise Uncompilable("it judges a grid that is not the one of objectives")
                return code.call(self.shared.fulfils(), self.address(x.grid, scope), self.value(x.goal, scope))
            case ir.Empty():
                return self._size(x.of, scope).is_zero()
            case ir.Quantified(kind="some"):
                return code.sought(lambda found: self._seek(x, scope, found))
            case ir.Quantified(kind="least", domain=ir.Places(separate=True) as places):
                return code.written(lambda: self._separate(x, places, scope))
            case ir.Quantified(kind="least"):
                return code.written(lambda: self._at_least(x, scope))
            case ir.Count():
                return self._size(x.of, scope)
            case ir.CountWhere():
                return code.written(lambda: self._count_where(x, scope))
            case ir.Sum():
                return code.written(lambda: self._sum(x, scope))
            case ir.SumWhere():
                return code.written(lambda: self._sum_where(x, scope))
            case ir.Pick():
                return code.written(lambda: self._first(x, scope))
            case ir.Alike():
                return code.written(lambda: self._alike(x, scope))
            case ir.CountDistinct():
                return code.written(lambda: self._different(x, scope))
            case ir.Extreme():
                return code.written(lambda: self._extreme(x, scope))
            case ir.In():
                return code.sought(lambda found: self._contains(x, scope, found))
            case ir.Connected():
                grids = self.shared.grids
                return code.call(grids.connected(self.zone_of(x.grid, scope)), self.address(x.grid, scope))
            case ir.Fits():
                return code.written(lambda: self._fits(x, scope))
            case ir.Repeats():
                return code.call(self.shared.histories.repeats(x.number))
            case ir.GroupSize():
                return code.written(lambda: self._group(x, scope))
            case (
                ir.Zone() | ir.PileAt() | ir.Values() | ir.Players() | ir.Goals() | ir.Neighbours() | ir.Ray() | ir.Between()
                | ir.Family() | ir.Piles() | ir.PilesByCell() | ir.Each() | ir.Attributes() | ir.TopsAt() | ir.Beside() | ir.Around()
                | ir.Where() | ir.Concat() | ir.Without() | ir.Places()
            ):  # fmt: skip
                raise Uncompilable(f"it takes a collection for a value ({type(x).__name__})")
            case ir.Quantified() | ir.Reads():
                raise InternalError(f"{type(x).__name__} is not lowered")
            case _:
                assert_never(x)

    def _once(self, x: Expr, scope: Scope) -> None:
        """A value that is computed on first use."""
        known, value = self.once.pop(x)
        with self.code.when(known.is_zero()):
            value.set(self.value(x, scope))
            known.set(1)
        self.once[x] = (known, value)
        value.write()

    @contextmanager
    def held(self, value: Expression) -> Iterator[Local]:
        """A local variable that temporarily holds a value."""
        with self.code.borrowed() as local:
            local.set(value)
            yield local

    def _optional(self, x: Expr, scope: Scope, of: Callable[[Expression], Expression]) -> Expression:
        """A function of a value; nothing for nothing."""
        value = self.value(x, scope)
        if not x.type.optional:
            return of(value)

        def write() -> None:
            with self.held(value) as local:
                self.code.either(local.equals(NONE), NONE, of(local)).write()

        return self.code.written(write)

    def _can_of(self, x: ir.Can, scope: Scope) -> None:
        """Whether another player can do an action."""
        assert x.player is not None
        acting = self.code.global_(self.kernel.actor)
        with self.held(self.value(x.player, scope)) as player, self.code.borrowed() as before:
            before.set(acting)
            acting.set(player)
            player.set(self.code.call(self.shared.can(x.action)))
            acting.set(before)
            player.write()

    def _after(self, x: ir.After, scope: Scope) -> None:
        """Do an action, evaluate the body, and undo the action."""
        code, undo = self.code, self.kernel.undo
        before = undo.begin(code)
        self.shared.leads(code, x.action, scope)
        # What is known about the piles does not hold in the other position.
        with self.held(Expressions(self.kernel, code, self.shared).value(x.body, scope)) as verdict:
            undo.take_back(code, before)
            verdict.write()

    def _let(self, x: ir.Let, scope: Scope) -> None:
        with self.binding(x.value, scope) as bound:
            self.value(x.body, {**scope, x.slot: bound}).write()

    @contextmanager
    def binding(self, x: Expr, scope: Scope) -> Iterator[Binding]:
        """The binding for a local that holds this value."""
        if not isinstance(x, ir.Local) and self.tabled(x, scope, ir.Local) is not None:
            # Mostly it is looked up as part of a larger value.
            yield WrittenOut(x, scope)
            return
        match x:
            case ir.Local():
                yield scope[x.slot]
            case ir.Zone() | ir.PileAt():
                with self.held(self.address(x, scope)) as local:
                    yield PileOf(local, self.zone_of(x, scope))
            case ir.Variable() if self._is_list(x):
                yield PileOf(self.address(x, scope))
            case (
                ir.Values() | ir.Players() | ir.Goals() | ir.Neighbours() | ir.Ray() | ir.Between() | ir.Family() | ir.Piles()
                | ir.PilesByCell() | ir.Each() | ir.Attributes() | ir.TopsAt() | ir.Beside() | ir.Around() | ir.Where() | ir.Concat()
                | ir.Without() | ir.Places()
            ):  # fmt: skip
                yield WrittenOut(x, scope)
            case ir.If() | ir.Let() if not self._is_value(x, scope):
                yield WrittenOut(x, scope)
            case ir.Actor() | ir.PlayerAfter() if not x.type.optional:
                with self.held(self.value(x, scope)) as local:
                    yield ValueOf(local, among=Among(tuple(range(self.layout.max_players)), local))
            case _:
                with self.held(self.value(x, scope)) as local:
                    yield ValueOf(local)

    def _is_list(self, x: ir.Variable) -> bool:
        return list(self.kernel.ruleset.variables.values())[x.number].type.is_collection

    def _is_value(self, x: Expr, scope: Scope) -> bool:
        match x:
            case ir.If():
                return self._is_value(x.then, scope) and self._is_value(x.otherwise, scope)
            case ir.Let():
                return self._is_value(x.body, {**scope, x.slot: WrittenOut(x.value, scope)})
            case ir.Variable():
                return not self._is_list(x)
            case ir.Local():
                bound = scope[x.slot]
                return (
                    self._is_value(bound.form, bound.scope)
                    if isinstance(bound, WrittenOut)
                    else isinstance(bound, ValueOf)
                )
        sequences = (
            ir.Values | ir.Players | ir.Goals | ir.Neighbours | ir.Ray | ir.Between | ir.Family | ir.Piles | ir.Each | ir.Attributes
            | ir.TopsAt | ir.Beside | ir.Around | ir.Where | ir.Concat | ir.Without
        )  # fmt: skip
        return not isinstance(x, sequences | ir.Zone | ir.PileAt | ir.PilesByCell | ir.Places)

    def _else(self, x: ir.Else, scope: Scope) -> None:
        with self.held(self.value(x.value, scope)) as local:
            self.code.either(local.equals(NONE), self.value(x.default, scope), local).write()

    def _lookup(self, x: ir.Table, scope: Scope) -> None:
        rows = dict(x.rows)
        low, high = min(rows), max(rows)
        default = NONE if x.otherwise is None else x.otherwise
        if high - low > 4096:
            raise Uncompilable("a table has too wide a range")
        table = self.kernel.table([rows.get(key, default) for key in range(low, high + 1)])
        with self.held(self.value(x.operand, scope) - low) as at:
            self.code.either(at.below(high - low + 1), (at * WORD).word(table), default).write()

    def _next(self, seat: Expression) -> Expression:
        # A seat named by an attribute may belong to a game with more players.
        return (seat + 1).remainder(self.code.global_(self.kernel.players))

    def _top(self, x: ir.Top, scope: Scope) -> None:
        top = self.top_word(x.pile, scope)
        if top is not None:
            with self.held(top) as face:
                self.code.choose(face < 0, NONE, face).write()
            return
        with self.held(self.address(x.pile, scope)) as pile, self.code.borrowed() as count:
            count.set(pile.word())
            self.code.either(count.is_zero(), NONE, (pile + count * WORD).word()).write()

    def _top_at(self, x: ir.TopAt, scope: Scope) -> None:
        board, at = self.board(x.piles, scope), self.value(x.at, scope)
        if not x.type.optional:
            self.top_at(board, at).write()
            return
        with self.held(at) as number, self.code.borrowed() as face:
            face.set(self.code.either(number.equals(NONE), -1, self.top_at(board, number)))
            self.code.choose(face < 0, NONE, face).write()

    def _height_at(self, x: ir.HeightAt, scope: Scope) -> None:
        board, at = self.board(x.piles, scope), self.value(x.at, scope)
        if board is None:
            raise Uncompilable("it looks at a cell by its number on what is not a board")
        if not x.type.optional:
            board.pile(at).word().write()
            return
        with self.held(at) as number, self.code.borrowed() as lies:
            lies.set(self.code.either(number.equals(NONE), -1, self.top_at(board, number)))
            self.code.either(lies < 0, NONE, board.pile(number).word()).write()

    def _element(self, x: ir.Element, scope: Scope) -> Expression:
        match x.of:
            case ir.Local():
                bound = scope[x.of.slot]
                if isinstance(bound, WrittenOut):
                    return self._element(replace(x, of=bound.form), bound.scope)
                if isinstance(bound, VectorOf) and isinstance(x.at, ir.Const):
                    return bound.values[int(x.at.value)]
                if isinstance(bound, ArrayOf):
                    return (bound.address + self.value(x.at, scope) * WORD).word()
            case ir.Values() if isinstance(x.at, ir.Const):
                return self.value(x.of.items[x.at.value], scope)
            case ir.Variable():
                return (self.value(x.at, scope) * WORD).word(self.layout.variables[x.of.number])
        raise Uncompilable("it takes an element of a collection that changes")

    # ---- piles

    def address(self, x: Expr, scope: Scope) -> Expression:
        """The address of a pile or a grid."""
        code = self.code
        match x:
            case ir.Zone():
                return self.kernel.zone_address(code, x.zone, [self.value(i, scope) for i in x.indices])
            case ir.PileAt():
                return self.known[x] if x in self.known else self._pile_at(x, scope)
            case ir.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.address(bound.form, bound.scope)
                assert isinstance(bound, PileOf), bound
                return bound.address
            case ir.Variable():
                return code.value(self.layout.variables[x.number])
            case ir.If():
                condition = self.value(x.condition, scope)
                return code.either(condition, self.address(x.then, scope), self.address(x.otherwise, scope))
            case ir.Let():
                return self.address(x.body, {**scope, x.slot: WrittenOut(x.value, scope)})
        raise Uncompilable("it moves things from or to a collection that is not a pile")

    def _pile_at(self, x: ir.PileAt, scope: Scope) -> Expression:
        number = self.zone_of(x.grid, scope)
        place = self.kernel.grid(number)
        found = self.spot(x, scope, place.piles, place.pile_size, self.layout.empty)
        if found is not None:
            return found
        return self.code.call(self.shared.grids.find(number), self.address(x.grid, scope), self.value(x.cell, scope))

    def zone_of(self, x: Expr, scope: Scope) -> int:
        """The zone of a grid or pile."""
        match x:
            case ir.Zone():
                return x.zone
            case ir.PileAt():
                return self.zone_of(x.grid, scope)
            case ir.If():
                zone = self.zone_of(x.then, scope)
                if zone == self.zone_of(x.otherwise, scope):
                    return zone
            case ir.Let():
                return self.zone_of(x.body, {**scope, x.slot: WrittenOut(x.value, scope)})
            case ir.Local():
                bound = scope[x.slot]
                if isinstance(bound, WrittenOut):
                    return self.zone_of(bound.form, bound.scope)
                if isinstance(bound, PileOf):
                    return bound.zone
        raise Uncompilable("it looks at a grid that is not known")
