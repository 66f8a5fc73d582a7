"""The effects of actions on a position in a kernel, and checks that they exceed no bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property

from pwtool.ir import nodes as ir
from pwtool.ir.bounds import Step, carried_out, in_full
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, locals_of
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.layout import MAX_LIST, NONE, WORD
from pwtool.kernel.limits import loose_variables
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
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.orders import Orders
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


Exceeds = Callable[[str], None]
"""Writes the code that runs if a bound is exceeded, given of what; it leaves the effects."""


class Effects:
    """Writes the code of effects into functions of actions."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions) -> None:
        self.kernel, self.shared = kernel, shared
        self.layout, self.ruleset = kernel.layout, kernel.ruleset
        self.orders = Orders(kernel, shared)

    @cached_property
    def loose(self) -> dict[int, Extent]:
        """The variables that may leave their ranges."""
        return loose_variables(self.ruleset)

    def family(self, code: Code, write: Expressions, p: ParameterModel, scope: Scope) -> tuple[Local, Expression, int]:
        """The first of the piles that a parameter's tops lie on, the number of piles, and the distance between them."""
        assert p.origin is not None
        origin = lower(p.origin)
        assert isinstance(origin, ir.Family)
        place = self.kernel.place(origin.zone)
        first = self.kernel.zone_address(code, origin.zone, write.first_of(origin, scope))
        name, size = place.zone.dimensions[-1]
        count = code.value({"goal": self.layout.goals}.get(name, size))
        return code.local(first), code.global_(self.kernel.players) if name == "player" else count, place.strides[-1]

    def bounds(self, code: Code, model: ActionModel, arguments: Arguments, broken: Callable[[str], None]) -> None:
        """Code for effects that would exceed a bound; `broken` gets which one. They are carried out one after the other,
        and undone.
        """
        steps = self.kernel.trial[model.name]
        write = Expressions(self.kernel, code, self.shared)
        if not any(step.changes for step in steps):
            self._carry_out(code, write, model, steps, arguments, broken)
            return
        names: list[str] = []
        before, which = self.kernel.undo.begin(code), code.local(0)
        with code.block() as stop:

            def exceeds(name: str) -> None:
                names.extend([] if name in names else [name])
                which.set(names.index(name) + 1)
                code.branch(stop)

            self._carry_out(code, write, model, steps, arguments, exceeds)
        self.kernel.undo.take_back(code, before)
        for number, name in enumerate(names, start=1):
            with code.when(which.equals(number)):
                broken(name)

    def asked_of_bounds(self, model: ActionModel) -> frozenset[int]:
        """The locals that `bounds` may read."""
        steps = carried_out(self.kernel.trial[model.name])
        return frozenset[int]().union(*(free_locals(part) for step in steps for part in step.effect.parts))

    def _variable(self, write: Expressions, effect: EffectModel, scope: Scope) -> Expression:
        """The address of the variable that an effect changes."""
        address = write.code.value(self.layout.variables[effect.number])
        return address if effect.seat is None else write.value(lower(effect.seat), scope) * WORD + address

    def _loop(
        self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, body: Callable[[Scope], None]
    ) -> None:
        """Code for each element of the collection of a `for each`, as it is before the first iteration."""
        assert effect.value is not None
        made = lower(effect.value)
        items = (
            [i.value if isinstance(i, ir.Const) else None for i in made.items] if isinstance(made, ir.Values) else []
        )
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
                compiler.of(part)
                for part in conjuncts_inside(lower(inner.when) if inner.when is not None else ir.TRUE)
                if of_locals_alone(part) and locals_of(part) == {effect.slot}
            ]
            for inner in effect.effects
        ]

        def may_apply(item: object) -> bool:
            e[effect.slot] = item  # type: ignore[call-overload]
            return any(all(condition(None, e) for condition in conditions) for conditions in asked)

        found = [self.layout.atom(item) for item in items if may_apply(item)]
        return self.kernel.table([len(found), *found])

    # ---- effects

    def effects(self, code: Code, model: ActionModel, arguments: Arguments) -> None:
        """Carry out the effects of an action, one after the other; the engine says which bound one exceeds."""
        write = Expressions(self.kernel, code, self.shared)
        with code.block() as stop:

            def exceeds(_: str) -> None:
                self.kernel.give_up(code)
                code.branch(stop)

            self._carry_out(code, write, model, in_full(model, self.ruleset), arguments, exceeds)

    def _carry_out(
        self,
        code: Code,
        write: Expressions,
        model: ActionModel,
        steps: tuple[Step, ...],
        arguments: Arguments,
        exceeds: Exceeds,
    ) -> None:
        """Carry out effects; `exceeds` writes the code that runs if one exceeds the bound that it is asked about."""
        moves = Counter(s.effect.slot for s in steps if s.effect.moves_parameter)
        moved = {slot: code.local(0) for slot, count in moves.items() if count > 1}
        for step in steps:
            effect = step.effect
            with ExitStack() as applies:
                mark = moved.get(effect.slot) if effect.moves_parameter else None
                if mark is not None:
                    # Whatever has moved is no longer there to be moved.
                    applies.enter_context(code.when(mark.is_zero()))
                if effect.when is not None:
                    applies.enter_context(code.when(write.value(lower(effect.when), arguments.scope)))
                if mark is not None:
                    mark.set(1)
                self._effect(code, write, model, step, arguments, exceeds)

    def _effect(
        self,
        code: Code,
        write: Expressions,
        model: ActionModel,
        step: Step,
        arguments: Arguments,
        exceeds: Exceeds,
    ) -> None:
        scope, undo, effect = arguments.scope, self.kernel.undo, step.effect
        asked = exceeds if step.asked else None
        match effect.kind:
            case "move":
                self._move(code, write, model, step, arguments, asked)
            case "put":
                assert effect.target is not None and effect.cell is not None
                cell = code.local(write.value(lower(effect.cell), scope))
                undo.store(code, self.layout.tokens[effect.number], write.value(lower(effect.target), scope))
                undo.store(code, self.layout.tokens[effect.number], cell, WORD)
            case "return":
                undo.store(code, self.layout.tokens[effect.number], NONE)
                undo.store(code, self.layout.tokens[effect.number], NONE, WORD)
            case "turn":
                self._turn(code, write, effect, scope)
            case "shuffle":
                self.orders.shuffle(code, model, effect, scope)
            case "set" | "add":
                if list(self.ruleset.variables.values())[effect.number].type.is_collection:
                    (self._set_list if effect.kind == "set" else self._push)(code, write, effect, scope)
                else:
                    self._set(code, write, step, scope, asked)
            case "each":

                def inside(inner: Scope) -> None:
                    bound = Arguments(dict(inner), arguments.numbers, arguments.values)
                    self._carry_out(code, write, model, step.steps, bound, exceeds)

                self._loop(code, write, effect, scope, inside)
            case _:
                raise Uncompilable(f"it has an effect of the kind `{effect.kind}`")

    def _set(self, code: Code, write: Expressions, step: Step, scope: Scope, exceeds: Exceeds | None) -> None:
        """Give a variable a value, or add to it."""
        effect = step.effect
        assert effect.value is not None
        address = self._variable(write, effect, scope)
        value = write.value(lower(effect.value), scope)
        if effect.kind == "add":
            address = code.local(address) if step.done else address
            value = address.word() + (code.local(value) if step.done else value)
        elif step.done:
            value = code.local(value)
        variable = list(self.ruleset.variables.values())[effect.number]
        if exceeds is not None:
            value = code.local(value) if step.done else value
            low, high = variable.type.low, variable.type.high
            with code.when((value - low).below(high - low + 1).is_zero()):
                exceeds(variable.name)
        elif variable.number in self.loose:
            value = code.local(value)
            self._within(code, variable, value)
        if step.done:
            self.kernel.undo.store(code, address, value)

    def _set_list(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope) -> None:
        assert effect.value is not None
        address = self.layout.variables[effect.number]
        with write.listed(lower(effect.value), scope) as pile, code.when(pile.address.word() > MAX_LIST):
            self.kernel.give_up(code)
            code.otherwise()
            self.kernel.undo.note_all(code, code.value(address), pile.address.word() + 1)
            code.copy(code.value(address), pile.address, (pile.address.word() + 1) * WORD)

    def _push(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope) -> None:
        assert effect.value is not None
        address = self._variable(write, effect, scope)
        # Adding nothing has no effect.
        thing = code.local(write.value(lower(effect.value), scope))
        with code.when(thing.differs(NONE)):
            self.shared.push(code, address, thing, MAX_LIST)

    def _within(self, code: Code, variable: VariableModel, value: Expression) -> None:
        """Give up if a variable goes too far where nothing refuses that: all bounds of numbers rely on it."""
        far = self.loose[variable.number].high
        with code.when((value + far).below(2 * far + 1).is_zero()):
            self.kernel.give_up(code)

    def _move(
        self,
        code: Code,
        write: Expressions,
        model: ActionModel,
        step: Step,
        arguments: Arguments,
        exceeds: Exceeds | None,
    ) -> None:
        scope, effect = arguments.scope, step.effect
        if effect.source in ("parameter", "tops"):
            parameter = next(p for p in model.parameters if p.slot == effect.slot)
            if not step.done:
                # Whether there is room for it is all that matters.
                assert exceeds is not None
                self._room(code, write, effect, scope, exceeds)
                return
            if effect.source == "tops":
                self._lift_tops(code, write, parameter, arguments)
            else:
                self._take_out(code, write, parameter, arguments)
            bound = scope[effect.slot]
            if isinstance(bound, ValueOf):
                self._put_down(code, write, effect, scope, bound.value, exceeds)
            else:
                assert isinstance(bound, PileOf)
                self._put_all(code, write, effect, scope, bound.address, exceeds)
            return
        assert effect.value is not None
        if effect.source in ("found", "last"):
            assert effect.origin is not None
            thing = code.local(write.value(lower(effect.value), scope))
            pile = code.local(write.address(lower(effect.origin), scope))
            taken = self.shared.remove_last() if effect.source == "last" else self.shared.remove()
            with code.when(code.both(thing.differs(NONE), code.call(taken, pile, thing))):
                self._settle(code, write, effect.origin, scope)
                self._put_down(code, write, effect, scope, thing, exceeds)
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
                self._put_all(code, write, effect, scope, space, exceeds)
            return
        with code.when(pile.word().differs(0)):
            if not step.done:
                assert exceeds is not None
                self._room(code, write, effect, scope, exceeds)
                return
            thing = code.local((pile + pile.word() * WORD).word())
            self.kernel.undo.store(code, pile, pile.word() - 1)
            self._settle(code, write, effect.value, scope)
            self._put_down(code, write, effect, scope, thing, exceeds)

    def _turn(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope) -> None:
        """Give things another state where they lie."""
        assert effect.value is not None
        table, undo = self.kernel.table(list(effect.faces)), self.kernel.undo
        place = effect.value if effect.origin is None else effect.origin
        if effect.origin is None:
            pile, index = code.local(write.address(lower(place), scope)), code.local(0)
            with code.until(index >= pile.word()):
                index.add(1)
                at = code.local(pile + index * WORD)
                undo.store(code, at, (at.word() * WORD).word(table))
            self._settle(code, write, place, scope)
            return
        pile = code.local(write.address(lower(place), scope))
        find = self.shared.find_last() if effect.source == "last" else self.shared.find()

        def turn(thing: Local) -> None:
            with code.when(thing.differs(NONE)):
                at = code.local(code.call(find, pile, thing))
                with code.when(at):
                    undo.store(code, at, (thing * WORD).word(table))

        bound = scope[effect.value.slot] if isinstance(effect.value, ir.Local) else None
        if isinstance(bound, PileOf):
            index = code.local(0)
            with code.until(index >= bound.address.word()):
                index.add(1)
                turn(code.local((bound.address + index * WORD).word()))
        else:
            turn(code.local(write.value(lower(effect.value), scope)))
        self._settle(code, write, place, scope)

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
            with code.until(index >= bound.address.word()):
                index.add(1)
                code.do(self.shared.remove(), pile, (bound.address + index * WORD).word())
        self._settle(code, write, p.origin, arguments.scope)

    def _lift_tops(self, code: Code, write: Expressions, p: ParameterModel, arguments: Arguments) -> None:
        first, count, stride = self.family(code, write, p, arguments.scope)
        faces, numbers = arguments.scope[p.slot], arguments.numbers[p.slot]
        assert isinstance(faces, PileOf)
        index, number, pile = code.local(0), code.local(), code.local()
        with code.until(index >= faces.address.word()):
            number.set((numbers + index * WORD).word() - 1)
            index.add(1)
            with code.when(number.below(count)):
                pile.set(first + number * stride)
                with code.when(pile.word().differs(0)):
                    self.kernel.undo.store(code, pile, pile.word() - 1)

    def _settle(self, code: Code, write: Expressions, source: ir.Expr, scope: Scope) -> None:
        """Update the cell of a grid after something has left it."""
        if isinstance(source, ir.PileAt):
            grid, cell = lower(source.grid), lower(source.cell)
            settle = self.shared.grids.settle(write.zone_of(grid, scope))
            code.do(settle, write.address(grid, scope), write.value(cell, scope))

    def _room(self, code: Code, write: Expressions, effect: EffectModel, scope: Scope, exceeds: Exceeds) -> None:
        """Code that runs if there is no room for another thing."""
        assert isinstance(effect.target, ir.Zone)
        if effect.cell is None:
            full = write.address(lower(effect.target), scope).word().differs(0)
        else:
            full = write.value(lower(effect.cell), scope).equals(NONE)
        with code.when(full):
            exceeds(self.kernel.zone(effect.target.zone).name)

    def _put_down(
        self,
        code: Code,
        write: Expressions,
        effect: EffectModel,
        scope: Scope,
        thing: Expression,
        exceeds: Exceeds | None,
    ) -> None:
        assert isinstance(effect.target, ir.Zone)
        if exceeds is not None:
            self._room(code, write, effect, scope, exceeds)
        zone, target = effect.target.zone, write.address(lower(effect.target), scope)
        if effect.cell is None:
            self.shared.push(code, code.local(target), thing, self.kernel.place(zone).capacity)
        else:
            code.do(self.shared.grids.push(zone), target, write.value(lower(effect.cell), scope), thing)

    def _put_all(
        self,
        code: Code,
        write: Expressions,
        effect: EffectModel,
        scope: Scope,
        things: Expression,
        exceeds: Exceeds | None,
    ) -> None:
        index = code.local(0)
        with code.until(index >= things.word()):
            index.add(1)
            self._put_down(code, write, effect, scope, code.local((things + index * WORD).word()), exceeds)
