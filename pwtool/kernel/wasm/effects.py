"""The effects of actions on a position in a kernel, and checks that they exceed no bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property

from pwtool.ir import nodes as ir
from pwtool.ir.access import changed_by_chance, may_lack_its_cell
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals
from pwtool.kernel import form as f
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.closures import Compiler
from pwtool.kernel.layout import MAX_LIST, NONE, WORD
from pwtool.kernel.limits import loose_variables
from pwtool.kernel.locals import locals_of
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.bindings import (
    Binding,
    PileOf,
    Scope,
    ValueOf,
    conjuncts_inside,
    of_locals_alone,
)
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.kernel import Kernel
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.orders import Orders
from pwtool.kernel.wasm.shared import Shared
from pwtool.rules.extents import Extent


@dataclass(slots=True)
class Arguments:
    """The arguments of one action while its code is written: the bindings of its locals, and for parameters taken from
    the tops of piles, the addresses of the pile numbers; `said` are requirements of rules that are known to hold, each
    with its condition.
    """

    scope: dict[int, Binding]
    numbers: dict[int, Local]
    values: list[Local]
    said: set[tuple[Expr | None, Expr]] = field(default_factory=set)


class Effects:
    """Writes the code of effects into functions of actions."""

    def __init__(self, kernel: Kernel, shared: Shared) -> None:
        self.kernel, self.shared = kernel, shared
        self.layout, self.ruleset = kernel.layout, kernel.ruleset
        self.orders = Orders(kernel, shared)
        # The value that the checked variable would have, for each seat if it is per player.
        self.held = kernel.layout.reserve(kernel.layout.max_players * WORD)

    @cached_property
    def loose(self) -> dict[int, Extent]:
        """The variables that may leave their ranges."""
        return loose_variables(self.ruleset)

    def family(self, code: Code, write: Expressions, p: ParameterModel, scope: Scope) -> tuple[Local, Expression, int]:
        """The first of the piles that a parameter's tops lie on, the number of piles, and the distance between them."""
        assert p.origin is not None
        origin = lower(p.origin)
        assert isinstance(origin, f.Piles)
        place = self.kernel.place(origin.zone)
        first = self.kernel.zone_address(code, origin.zone, write.first_of(origin, scope))
        name, size = place.zone.dimensions[-1]
        count = code.value({"goal": self.layout.goals}.get(name, size))
        return code.local(first), code.global_(self.kernel.players) if name == "player" else count, place.strides[-1]

    def bounds(self, code: Code, model: ActionModel, scope: Scope, broken: Callable[[str], None]) -> None:
        """Code for effects that would exceed a bound; `broken` gets which one."""
        write = Expressions(self.kernel, code, self.shared)
        unasked = changed_by_chance(model)
        for at, effect in enumerate(model.effects):
            if effect.kind == "each":
                self._bounds_in_loop(code, write, effect, model.effects[:at], unasked, scope, broken)
                continue
            if effect.kind in ("add", "set") and effect.number in unasked:
                continue
            if _makes_room(model.effects[:at], effect):
                continue
            wrong, name = self._overflow(code, write, effect, model.effects[:at], scope)
            if wrong is None:
                continue
            if effect.when is not None:
                wrong = code.both(write.value(lower(effect.when), scope), wrong)
            with code.when(wrong):
                broken(name)

    def asked_of_bounds(self, model: ActionModel) -> frozenset[int]:
        """The locals that `bounds` may read."""
        found: frozenset[int] = frozenset()
        for at, effect in enumerate(model.effects):
            if any(self._may_overflow(e) for e in effect.all):
                parts = (part for step in model.effects[: at + 1] for e in step.all for part in e.parts)
                found = found.union(*map(free_locals, parts))
        return found

    def _may_overflow(self, effect: EffectModel) -> bool:
        if effect.kind in ("add", "set"):
            return list(self.ruleset.variables.values())[effect.number].type.kind == "int"
        return self._fills_slot(effect) or may_lack_its_cell(effect)

    def _overflow(
        self, code: Code, write: Expressions, effect: EffectModel, earlier: tuple[EffectModel, ...], scope: Scope
    ) -> tuple[Expression | None, str]:
        if effect.kind in ("add", "set") and effect.value is not None:
            variable = list(self.ruleset.variables.values())[effect.number]
            if variable.type.kind != "int":
                return None, ""
            change = write.value(lower(effect.value), scope)
            if effect.kind == "add":
                change = change + self._held_before(code, write, effect, earlier, scope)
            low, high = variable.type.low, variable.type.high
            return (change - low).below(high - low + 1).is_zero(), variable.name
        if effect.kind != "move" or not isinstance(effect.target, ir.Zone):
            return None, ""
        zone = self.kernel.zone(effect.target.zone)
        if effect.cell is not None:
            if not may_lack_its_cell(effect):
                return None, ""
            return write.value(lower(effect.cell), scope).equals(NONE), zone.name
        if zone.kind != "slot":
            return None, ""
        return write.address(lower(effect.target), scope).word().differs(0), zone.name

    def _held_before(
        self, code: Code, write: Expressions, effect: EffectModel, earlier: tuple[EffectModel, ...], scope: Scope
    ) -> Expression:
        """The value of a variable after earlier effects of the same action."""
        if not any(_changes(e, effect.number) for e in earlier):
            return self._variable(write, effect, scope).word()
        self._go_through(code, write, effect.number, earlier, scope)
        return self._variable(write, effect, scope, self.held).word()

    def _go_through(
        self, code: Code, write: Expressions, number: int, earlier: tuple[EffectModel, ...], scope: Scope
    ) -> None:
        """Apply effects to a variable, held at `held`."""
        variable = list(self.ruleset.variables.values())[number]
        size = (self.layout.max_players if variable.each else 1) * WORD
        code.copy(code.value(self.held), code.value(self.layout.variables[number]), size)
        for step in earlier:
            if _changes(step, number):
                self._step(code, write, step, number, scope, lambda now: None)

    def _variable(self, write: Expressions, effect: EffectModel, scope: Scope, at: int = 0) -> Expression:
        """The address of the variable that an effect changes, or of the copy at `at`."""
        address = write.code.value(at or self.layout.variables[effect.number])
        return address if effect.seat is None else write.value(lower(effect.seat), scope) * WORD + address

    def _step(
        self,
        code: Code,
        write: Expressions,
        effect: EffectModel,
        number: int,
        scope: Scope,
        changed: Callable[[Expression], None],
    ) -> None:
        """Apply an effect to a variable, held at `held`, based on the position before the action; `changed` writes the
        checks on the new number.
        """
        if effect.kind == "each":
            inside = [e for e in effect.effects if _changes(e, number)]

            def go_through(inner: Scope) -> None:
                for step in inside:
                    self._step(code, write, step, number, inner, changed)

            if inside:
                self._loop(code, write, effect, scope, go_through)
            return
        assert effect.value is not None
        with ExitStack() as applies:
            if effect.when is not None:
                applies.enter_context(code.when(write.value(lower(effect.when), scope)))
            at = code.local(self._variable(write, effect, scope, self.held))
            value = code.local(write.value(lower(effect.value), scope))
            code.store(at, at.word() + value if effect.kind == "add" else value)
            changed(at.word())

    def _loop(
        self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, body: Callable[[Scope], None]
    ) -> None:
        """Code for each element of the collection of a `for each`, as it is before the first iteration."""
        assert effect.value is not None
        made = _elements(lower(effect.value))
        items = [i.value if isinstance(i, f.Const) else None for i in made.items] if isinstance(made, f.Values) else []
        grid = self.kernel.grid_of(items)
        if items and None not in items:
            table = self._that_matter(effect, items)
            write.loop(code.value(table), lambda element: body({**scope, effect.slot: element}), grid)
            return
        with write.listed(made, scope) as pile:
            write.loop(pile.address, lambda element: body({**scope, effect.slot: element}), grid)

    def _that_matter(self, effect: EffectModel, items: list[object]) -> int:
        """The address of a list of the constant things for which an effect may apply, as far as that depends on them alone."""
        compiler, e = Compiler(self.ruleset), [None] * (1 + effect.slot)
        asked = [
            [
                compiler.closure(part)
                for part in conjuncts_inside(lower(inner.when) if inner.when is not None else f.TRUE)
                if of_locals_alone(part) and locals_of(part) == {effect.slot}
            ]
            for inner in effect.effects
        ]

        def may_apply(item: object) -> bool:
            e[effect.slot] = item  # type: ignore[call-overload]
            return any(all(condition(None, e) for condition in conditions) for conditions in asked)

        found = [self.layout.atom(item) for item in items if may_apply(item)]
        return self.kernel.table([len(found), *found])

    def _bounds_in_loop(
        self,
        code: Code,
        write: Expressions,
        effect: EffectModel,
        earlier: tuple[EffectModel, ...],
        unasked: frozenset[int],
        scope: Scope,
        broken: Callable[[str], None],
    ) -> None:
        for variable in self.ruleset.variables.values():
            if variable.number not in unasked and variable.type.kind == "int" and _changes(effect, variable.number):
                low, high, name = variable.type.low, variable.type.high, variable.name
                self._go_through(code, write, variable.number, earlier, scope)

                def checked(held: Expression, low: int = low, high: int = high, name: str = name) -> None:
                    with code.when((held - low).below(high - low + 1).is_zero()):
                        broken(name)

                self._step(code, write, effect, variable.number, scope, checked)
        if any(self._fills_slot(e) for e in effect.all):
            self._slots_in_loop(code, write, effect, scope, broken)

    def _fills_slot(self, effect: EffectModel) -> bool:
        return (
            effect.kind == "move"
            and isinstance(effect.target, ir.Zone)
            and self.kernel.zone(effect.target.zone).kind == "slot"
        )

    def _slots_in_loop(
        self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, broken: Callable[[str], None]
    ) -> None:
        """A slot that `for each` puts something into although it is occupied."""

        def inside(inner: Scope) -> None:
            for at, e in enumerate(effect.effects):
                if _makes_room(effect.effects[:at], e):
                    continue
                if e.kind == "each":
                    self._slots_in_loop(code, write, e, inner, broken)
                elif self._fills_slot(e):
                    wrong, name = self._overflow(code, write, e, (), inner)
                    assert wrong is not None
                    if e.when is not None:
                        wrong = code.both(write.value(lower(e.when), inner), wrong)
                    with code.when(wrong):
                        broken(name)

        if any(self._fills_slot(e) for e in effect.all):
            self._loop(code, write, effect, scope, inside)

    # ---- effects

    def effects(self, code: Code, model: ActionModel, arguments: Arguments) -> None:
        """Carry out the effects of an action, one after the other."""
        write = Expressions(self.kernel, code, self.shared)
        self._carry_out(code, write, model, model.effects, arguments)

    def _carry_out(
        self, code: Code, write: Expressions, model: ActionModel, effects: tuple[EffectModel, ...], arguments: Arguments
    ) -> None:
        moves = Counter(e.slot for e in effects if e.moves_parameter)
        moved = {slot: code.local(0) for slot, count in moves.items() if count > 1}
        for effect in effects:
            with ExitStack() as applies:
                mark = moved.get(effect.slot) if effect.moves_parameter else None
                if mark is not None:
                    # Whatever has moved is no longer there to be moved.
                    applies.enter_context(code.when(mark.is_zero()))
                if effect.when is not None:
                    applies.enter_context(code.when(write.value(lower(effect.when), arguments.scope)))
                if mark is not None:
                    mark.set(1)
                self._effect(code, write, model, effect, arguments)

    def _effect(
        self, code: Code, write: Expressions, model: ActionModel, effect: EffectModel, arguments: Arguments
    ) -> None:
        scope, undo = arguments.scope, self.kernel.undo
        match effect.kind:
            case "move":
                self._move(code, write, model, effect, arguments)
            case "put":
                assert effect.target is not None and effect.cell is not None
                cell = code.local(write.value(lower(effect.cell), scope))
                undo.store(code, self.layout.tokens[effect.number], write.value(lower(effect.target), scope))
                undo.store(code, self.layout.tokens[effect.number], cell, WORD)
            case "return":
                undo.store(code, self.layout.tokens[effect.number], NONE)
            case "shuffle":
                self.orders.shuffle(code, model, effect, scope)
            case "set":
                self._set(code, write, effect, scope)
            case "add":
                self._add(code, write, effect, scope)
            case "each":

                def inside(inner: Scope) -> None:
                    bound = Arguments(dict(inner), arguments.numbers, arguments.values)
                    self._carry_out(code, write, model, effect.effects, bound)

                self._loop(code, write, effect, scope, inside)
            case _:
                raise Uncompilable(f"it has an effect of the kind `{effect.kind}`")

    def _set(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope) -> None:
        assert effect.value is not None
        address = self.layout.variables[effect.number]
        variable = list(self.ruleset.variables.values())[effect.number]
        if not variable.type.is_collection:
            value = code.local(write.value(lower(effect.value), scope))
            self._within(code, variable, value)
            self.kernel.undo.store(code, self._variable(write, effect, scope), value)
            return
        with write.listed(_elements(lower(effect.value)), scope) as pile, code.when(pile.address.word() > MAX_LIST):
            self.kernel.give_up(code)
            code.otherwise()
            self.kernel.undo.note_all(code, code.value(address), pile.address.word() + 1)
            code.copy(code.value(address), pile.address, (pile.address.word() + 1) * WORD)

    def _add(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope) -> None:
        assert effect.value is not None
        address = self._variable(write, effect, scope)
        variable = list(self.ruleset.variables.values())[effect.number]
        value = write.value(lower(effect.value), scope)
        if variable.type.is_collection:
            # Adding nothing has no effect.
            thing = code.local(value)
            with code.when(thing.differs(NONE)):
                self.shared.push(code, address, thing, MAX_LIST)
        else:
            address, value = code.local(address), code.local(value)
            value.set(address.word() + value)
            self._within(code, variable, value)
            self.kernel.undo.store(code, address, value)

    def _within(self, code: Code, variable: VariableModel, value: Expression) -> None:
        """Give up if a variable goes too far where nothing refuses that: all bounds of numbers rely on it."""
        if variable.number in self.loose:
            far = self.loose[variable.number].high
            with code.when((value + far).below(2 * far + 1).is_zero()):
                self.kernel.give_up(code)

    def _move(
        self, code: Code, write: Expressions, model: ActionModel, effect: EffectModel, arguments: Arguments
    ) -> None:
        scope = arguments.scope
        if effect.source in ("parameter", "tops"):
            parameter = next(p for p in model.parameters if p.slot == effect.slot)
            if effect.source == "tops":
                self._lift_tops(code, write, parameter, arguments)
            else:
                self._take_out(code, write, parameter, arguments)
            bound = scope[effect.slot]
            if isinstance(bound, ValueOf):
                self._put_down(code, write, effect, scope, bound.value)
            else:
                assert isinstance(bound, PileOf)
                self._put_all(code, write, effect, scope, bound.address)
            return
        assert effect.value is not None
        if effect.source in ("found", "last"):
            assert effect.origin is not None
            thing = code.local(write.value(lower(effect.value), scope))
            pile = code.local(write.address(lower(effect.origin), scope))
            taken = self.shared.remove_last() if effect.source == "last" else self.shared.remove()
            with code.when(code.both(thing.differs(NONE), code.call(taken, pile, thing))):
                self._settle(code, write, effect.origin, scope)
                self._put_down(code, write, effect, scope, thing)
            return
        pile = code.local(write.address(lower(effect.value), scope))
        if effect.source in ("whole", "some"):
            many = code.local(pile.word())
            if effect.amount is not None:
                wanted = code.local(write.value(lower(effect.amount), scope))
                many.set(code.choose(wanted < many, wanted, many))
            with code.when(many > 0):
                space = code.value(self.kernel.list_space(self.kernel.most_things))
                self.kernel.undo.store(code, pile, pile.word() - many)
                code.store(space, many)
                code.copy_words(space + WORD, pile + (pile.word() + 1) * WORD, many)
                self._settle(code, write, effect.value, scope)
                self._put_all(code, write, effect, scope, space)
            return
        with code.when(pile.word().differs(0)):
            thing = code.local((pile + pile.word() * WORD).word())
            self.kernel.undo.store(code, pile, pile.word() - 1)
            self._settle(code, write, effect.value, scope)
            self._put_down(code, write, effect, scope, thing)

    def _take_out(self, code: Code, write: Expressions, p: ParameterModel, arguments: Arguments) -> None:
        """Take the things of a parameter from where they lie."""
        assert p.origin is not None
        pile = code.local(write.address(lower(p.origin), arguments.scope))
        bound = arguments.scope[p.slot]
        if isinstance(bound, ValueOf):
            code.do(self.shared.remove(), pile, bound.value)
        else:
            assert isinstance(bound, PileOf)
            index = code.local(0)
            with code.block() as done, code.loop() as again:
                code.branch_if(done, index >= bound.address.word())
                index.add(1)
                code.do(self.shared.remove(), pile, (bound.address + index * WORD).word())
                code.branch(again)
        self._settle(code, write, p.origin, arguments.scope)

    def _lift_tops(self, code: Code, write: Expressions, p: ParameterModel, arguments: Arguments) -> None:
        first, count, stride = self.family(code, write, p, arguments.scope)
        faces, numbers = arguments.scope[p.slot], arguments.numbers[p.slot]
        assert isinstance(faces, PileOf)
        index, number, pile = code.local(0), code.local(), code.local()
        with code.block() as done, code.loop() as again:
            code.branch_if(done, index >= faces.address.word())
            number.set((numbers + index * WORD).word() - 1)
            index.add(1)
            with code.when(number.below(count)):
                pile.set(first + number * stride)
                with code.when(pile.word().differs(0)):
                    self.kernel.undo.store(code, pile, pile.word() - 1)
            code.branch(again)

    def _settle(self, code: Code, write: Expressions, source: ir.Expr, scope: Scope) -> None:
        """Update the cell of a grid after something has left it."""
        if isinstance(source, ir.PileAt):
            grid, cell = lower(source.grid), lower(source.cell)
            settle = self.shared.grids.settle(write.zone_of(grid, scope))
            code.do(settle, write.address(grid, scope), write.value(cell, scope))

    def _put_down(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, thing: Expression) -> None:
        assert isinstance(effect.target, ir.Zone)
        zone, target = effect.target.zone, write.address(lower(effect.target), scope)
        if effect.cell is None:
            self.shared.push(code, code.local(target), thing, self.kernel.place(zone).capacity)
        else:
            code.do(self.shared.grids.push(zone), target, write.value(lower(effect.cell), scope), thing)

    def _put_all(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, things: Expression) -> None:
        index = code.local(0)
        with code.block() as done, code.loop() as again:
            code.branch_if(done, index >= things.word())
            index.add(1)
            self._put_down(code, write, effect, scope, code.local((things + index * WORD).word()))
            code.branch(again)


def _elements(x: f.Form) -> f.Form:
    return f.Held(x) if isinstance(x, f.Pile | f.PileAt | f.Local | f.Variable) else x


def _makes_room(earlier: tuple[EffectModel, ...], effect: EffectModel) -> bool:
    """Whether the thing at the target has left before, by an effect of the same action."""
    moves = [e for e in earlier if e.kind == "move" and e.when is None]
    return effect.kind == "move" and any(effect.target in (e.value, e.origin) for e in moves)


def _changes(effect: EffectModel, number: int) -> bool:
    """Whether an effect changes a variable."""
    return any(e.kind in ("add", "set") and e.number == number for e in effect.all)
