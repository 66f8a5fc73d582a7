"""Actions and consequences as functions: whether their things are where they have to be, whether the rules allow them,
and their effects.

Arguments are in consecutive memory: a thing, cell, seat or number as a word; several things as a pile; tops as a pile
followed by the numbers of their places; the values that each player names as one word per seat. `docs/kernel.md`
documents this form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import or_

from pwtool.ir import nodes as ir
from pwtool.ir.bounds import kept_values
from pwtool.ir.model import ActionModel, ParameterModel, RuleModel
from pwtool.ir.walk import walk
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.lower import lower, lower_value
from pwtool.kernel.wasm.bindings import ArrayOf, Binding, PileOf, Scope, ValueOf, piles_of_cells
from pwtool.kernel.wasm.claims import Claims
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.effects import Arguments, Effects
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.grids import column, row
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I64, Function
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local

ILLEGAL, MISSING, ORDER, PLAYER, NOT_RECORDED, OVER, RESULT, WRONG, SETUP, STALLED, CUT_SHORT = (
    601, 602, 603, 604, 605, 606, 607, 608, 609, 612, 615,
)  # fmt: skip


IN_TURN, JUDGE, APPLY = 1, 2, 4
"""The steps that a caller can ask of the function of an action."""


class Actions(Effects):
    """Writes the functions of a ruleset's actions and consequences."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions) -> None:
        super().__init__(kernel, shared)
        self.next_argument = kernel.module.variable()
        self.claims = Claims(kernel)
        self._stored: dict[int, frozenset[int]] = {}
        self.after_action = kernel.function("after each action", 0, None)
        """The consequences of any action; written by `judge.py`."""

    # ---- arguments

    def read(self, code: Code, model: ActionModel, at: Local) -> Arguments:
        """Bind the parameters of an action to the memory from `at` on, and move `at` past it."""
        found = Arguments({}, {}, [])
        for p in model.parameters:
            local = code.local()
            found.values.append(local)
            if p.each:
                local.set(at)
                found.scope[p.slot] = ArrayOf(local)
                at.add(code.global_(self.kernel.players) * WORD)
            elif p.listed or p.kind == "tops":
                local.set(at)
                found.scope[p.slot] = PileOf(local)
                at.add((at.word() + 1) * WORD)
                if p.kind == "tops":
                    found.numbers[p.slot] = code.local(at)
                    at.add(local.word() * WORD)
            else:
                local.set(at.word())
                grid = self.kernel.zone(p.zone) if p.kind == "cell" else None
                found.scope[p.slot] = ValueOf(
                    local, None if grid is None or grid.floating else (grid.width, grid.height)
                )
                at.add(WORD)
        return found

    def prepared(self, code: Code, model: ActionModel, scope: Scope) -> Expressions:
        """A writer for the named values and rules of an action; piles that these use repeatedly are looked up once."""
        write = Expressions(self.kernel, code, self.shared)
        conditions = [x for rule in model.rules for x in (rule.when, rule.require) if x is not None]
        forms = [*(lower_value(value) for _, _, value in model.lets), *map(lower, conditions)]
        for pile in piles_of_cells(forms, frozenset(p.slot for p in model.parameters)):
            write.known[pile] = code.local(write.address(pile, scope))
        return write

    def lets(self, code: Code, model: ActionModel, scope: dict[int, Binding], write: Expressions | None = None) -> None:
        """Compute the named values of an action."""
        write = write or Expressions(self.kernel, code, self.shared)
        for _, slot, _ in model.lets:
            scope[slot] = self.let(code, write, model, slot, scope)

    def let(self, code: Code, write: Expressions, model: ActionModel, slot: int, scope: Scope) -> Binding:
        """Compute a named value; a collection that changes before it is read is stored."""
        value = next(value for _, at, value in model.lets if at == slot)
        scope, x = dict(scope), lower_value(value)
        if slot in self._kept(model):
            if value.type.element is None or value.type.element.is_collection or value.type.kind == "grid":
                raise Uncompilable("it reads piles as they were before they changed")
            with write.listed(x, scope) as stored:
                return stored
        with write.binding(x, scope) as bound:
            if isinstance(bound, ValueOf | PileOf):
                # The variable that holds it is kept for the rest of the function.
                kept = code.local(bound.value if isinstance(bound, ValueOf) else bound.address)
                return ValueOf(kept) if isinstance(bound, ValueOf) else PileOf(kept, bound.zone)
            if isinstance(
                x, ir.Values | ir.Neighbours | ir.Ray | ir.Between | ir.Attributes | ir.Concat | ir.Without
            ) or (isinstance(x, ir.Each) and x.part != "pile"):
                with write.listed(x, scope) as pile:
                    return pile
            return bound

    def _kept(self, model: ActionModel) -> frozenset[int]:
        if id(model) not in self._stored:
            self._stored[id(model)] = kept_values(model)
        return self._stored[id(model)]

    # ---- rules

    def refuse(self, code: Code, number: int, rule: str) -> None:
        """Return from the function because a rule refuses."""
        code.global_(self.kernel.rule).set(number << 16 | self.kernel.rule_number(rule))
        code.leave(1)

    def judge(
        self, code: Code, scope: Scope, rule: RuleModel, broken: Callable[[], None], write: Expressions | None = None
    ) -> None:
        """Code that runs if a rule does not hold."""
        write = write or Expressions(self.kernel, code, self.shared)
        refused = write.value(lower(rule.require), scope).is_zero()
        if rule.when is not None:
            refused = code.both(write.value(lower(rule.when), scope), refused)
        with code.when(refused):
            broken()

    # ---- actions

    def action(
        self, model: ActionModel, made: tuple[Function, Code], order: Callable[[Code, Expression], None]
    ) -> None:
        """`(arguments, actor, steps)`: `steps` says what to do: whether the order of play allows the action now
        (`IN_TURN`), whether its things are there and its rules allow it (`JUDGE`), carry it out (`APPLY`). 0, or 1 if
        it is refused.
        """
        code, kernel = made[1], self.kernel
        at, actor, steps = code.arguments
        acting, owner = code.global_(kernel.actor), code.global_(kernel.owner)
        with code.when(steps & (IN_TURN | APPLY)):
            order(code, actor)
            with code.when(steps & IN_TURN):
                reached = [code.global_(word, I64).differs(0) for word in kernel.reached]
                with code.when(reduce(or_, reached).is_zero()):
                    self.refuse(code, ORDER, self.ruleset.cycle)
        acting.set(code.choose(actor > 0, actor, 0))
        arguments = self.read(code, model, at)
        code.global_(self.next_argument).set(at)
        scope = arguments.scope
        with code.when(steps & JUDGE):
            self._available(code, model, arguments)
        write = self.prepared(code, model, scope)
        self.lets(code, model, scope, write)
        with code.when(steps & JUDGE):
            for rule in model.rules:
                broken = partial(self.refuse, code, ILLEGAL, rule.id)
                self.judge(code, scope, rule, broken, write)
            self.bounds(code, model, arguments, lambda name: self.refuse(code, MISSING, f"{model.name}.{name}"))
        with code.when(steps & APPLY):
            self.claims.note(code, ((p, scope[p.slot]) for p in model.parameters))
            self.effects(code, model, arguments)
            if any(c.each_action for c in self.ruleset.consequences.values()):
                code.do(self.after_action[0])
            for place, reached_ in zip(kernel.places, kernel.reached, strict=True):
                code.global_(place, I64).set(code.global_(reached_, I64))
        acting.set(code.choose(owner > 0, owner, 0))
        code.value(0).write()

    def _available(self, code: Code, model: ActionModel, arguments: Arguments) -> None:
        """Refuse arguments that name things that are not where they have to be, or cells outside a grid."""
        write = Expressions(self.kernel, code, self.shared)
        # Whether a cell is on its grid is checked last: until then nothing relies on it.
        scope: Scope = {s: ValueOf(b.value) if isinstance(b, ValueOf) else b for s, b in arguments.scope.items()}
        taken: list[tuple[int, ParameterModel, Local, Local]] = []
        for p, value in zip(model.parameters, arguments.values, strict=True):
            name = f"{model.name}.{p.name}"
            if p.kind == "tops":
                self._tops_lie(code, write, p, arguments, name)
            elif p.kind == "order":
                self.orders.check(code, p, value, scope, lambda name=name: self.refuse(code, MISSING, name))  # type: ignore[misc]
            elif p.kind in ("element", "elements") and p.origin is not None:
                held = code.local(write.address(lower(p.origin), scope))
                sharing = [(other, at, bound) for zone, other, at, bound in taken if zone == p.zone]
                taken.append((p.zone, p, held, value))
                if p.kind == "element" and not sharing:
                    with code.when(code.call(self.shared.holds(), held, value).is_zero()):
                        self.refuse(code, MISSING, name)
                    continue
                self._lie_among(code, p, held, value, sharing, name)
        for p, value in zip(model.parameters, arguments.values, strict=True):
            grid = self.kernel.zone(p.zone) if p.kind == "cell" else None
            if grid is not None and not grid.floating:
                inside = self.kernel.inside(code, column(value), row(value), grid.grid)
                with code.when(inside.is_zero()):
                    self.refuse(code, MISSING, f"{model.name}.{p.name}")

    def _lie_among(
        self,
        code: Code,
        p: ParameterModel,
        held: Local,
        value: Local,
        sharing: list[tuple[ParameterModel, Local, Local]],
        name: str,
    ) -> None:
        """Refuse things that are not in a pile after earlier parameters have taken theirs from it."""
        left = code.value(self.kernel.list_space(self.kernel.place(p.zone).capacity))

        def strike(of: ParameterModel, bound: Local, missing: Callable[[], None]) -> None:
            if of.kind == "element":
                with code.when(code.call(self.shared.strike(), left, bound).is_zero()):
                    missing()
                return
            index = code.local(0)
            with code.until(index >= bound.word()):
                index.add(1)
                with code.when(code.call(self.shared.strike(), left, (bound + index * WORD).word()).is_zero()):
                    missing()

        with code.block() as nothing:
            if p.kind == "elements":
                code.branch_if(nothing, value.word().is_zero())
            code.copy_words(left, held, held.word() + 1)
            for other, place, bound in sharing:
                with code.when(place.equals(held)):
                    strike(other, bound, lambda: None)
            strike(p, value, lambda: self.refuse(code, MISSING, name))

    def _tops_lie(self, code: Code, write: Expressions, p: ParameterModel, arguments: Arguments, name: str) -> None:
        first, count, stride = self.family(code, write, p, arguments.scope)
        faces, numbers = arguments.scope[p.slot], arguments.numbers[p.slot]
        assert isinstance(faces, PileOf)
        index, number, pile = code.local(0), code.local(), code.local()
        with code.until(index >= faces.address.word()):
            number.set((numbers + index * WORD).word() - 1)
            index.add(1)
            with code.when(number.below(count).is_zero()):
                self.refuse(code, MISSING, name)
            pile.set(first + number * stride)
            size = pile.word()
            there = code.both(
                size.differs(0), (pile + size * WORD).word().equals((faces.address + index * WORD).word())
            )
            with code.when(there.is_zero()):
                self.refuse(code, MISSING, name)

    # ---- consequences

    def due(self, model: ActionModel) -> Function:
        """`(given...)`: whether a consequence is due for these values of its parameters."""
        given = [p for p in model.parameters if p.kind != "derived"]
        made, code = self.kernel.function(f"due {model.name}", len(given))
        scope = self._given(code, model, code.arguments)
        # A consequence is rarely due: cheap rules are evaluated first.
        for rule in sorted(model.rules, key=_is_costly):
            self.judge(code, scope, rule, lambda: code.leave(0))
        code.value(1).write()
        return made

    def _given(self, code: Code, model: ActionModel, values: list[Local]) -> dict[int, Binding]:
        """The locals of a consequence: given ones, derived ones, named values."""
        write = Expressions(self.kernel, code, self.shared)
        given = iter(values)
        scope: dict[int, Binding] = {p.slot: ValueOf(next(given)) for p in model.parameters if p.kind != "derived"}
        for p in model.parameters:
            if p.kind == "derived":
                assert p.origin is not None
                scope[p.slot] = ValueOf(code.local(write.value(lower(p.origin), dict(scope))))
        self.lets(code, model, scope)
        return scope

    def happen(self, model: ActionModel, log: Callable[[Code, list[Expression]], None]) -> Function:
        """`(given...)`: carry out a consequence; `log` writes code that records its arguments."""
        given = [p for p in model.parameters if p.kind != "derived"]
        made, code = self.kernel.function(f"happen {model.name}", len(given), None)
        scope = self._given(code, model, code.arguments)
        values = [scope[p.slot] for p in model.parameters]
        log(code, [v.value for v in values if isinstance(v, ValueOf)])
        self.claims.note(code, zip(model.parameters, values, strict=True))
        self.effects(code, model, Arguments(scope, {}, []))
        return made

    def recorded(self, model: ActionModel, happen: Function) -> Function:
        """`(arguments)`: a consequence as written in a record; 0, or 1 if it is refused."""
        made, code = self.kernel.function(f"recorded {model.name}", 1)
        at = code.arguments[0]
        values = [code.local(at.word(number * WORD)) for number in range(len(model.parameters))]
        code.global_(self.next_argument).set(at + len(values) * WORD)
        given = [v for p, v in zip(model.parameters, values, strict=True) if p.kind != "derived"]
        scope = self._given(code, model, given)
        for rule in model.rules:
            self.judge(code, scope, rule, lambda rule=rule: self.refuse(code, ILLEGAL, rule.id))  # type: ignore[misc]
        for p, value in zip(model.parameters, values, strict=True):
            if p.kind == "derived":
                right = scope[p.slot]
                assert isinstance(right, ValueOf)
                with code.when(code.both(value.differs(NONE), value.differs(right.value))):
                    self.refuse(code, ILLEGAL, f"{model.name}.{p.name}")
        code.do(happen, *given)
        code.value(0).write()
        return made


def _is_costly(rule: RuleModel) -> bool:
    return any(isinstance(part, ir.Fulfils) for part in walk(rule.require))
