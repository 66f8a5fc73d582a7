"""The order of play in a kernel: the set of possible places in a turn, as bits of global variables."""

from __future__ import annotations

from functools import reduce
from operator import or_

from pwtool.ir.model import ActionModel, OrderStep
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I32, I64, Function
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression

EVERYBODY = -1
MAX_PLAYERS = 60


class Order:
    """Writes checks of the order of play."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions) -> None:
        self.kernel, self.shared = kernel, shared
        self.order, self.anytime = kernel.ruleset.order, kernel.ruleset.anytime
        self.models = list(kernel.ruleset.actions.values())
        if kernel.layout.max_players > MAX_PLAYERS:
            raise Uncompilable(f"more than {MAX_PLAYERS} can play")

    def start(self, code: Code) -> None:
        """Code that sets the places to the beginning of a turn."""
        for number, place in enumerate(self.kernel.places):
            code.global_(place, I64).set(int(number == 0))

    def _among(self, code: Code, places: frozenset[int]) -> Expression:
        """Whether the turn may be at one of these places."""
        found: list[Expression] = []
        for number, word in enumerate(self.kernel.places):
            mask = sum(1 << place % 64 for place in places if place // 64 == number)
            if mask:
                found.append((code.global_(word, I64) & mask).differs(0))
        return reduce(or_, found) if found else code.value(0)

    def may_end(self, code: Code) -> Expression:
        """Whether the turn may end here."""
        return self._among(code, self.order.last)

    def _comes_next(self, code: Code, position: int) -> Expression:
        before = frozenset(place for place, following in enumerate(self.order.follow) if position in following)
        return self._among(code, before)

    def _who(self, code: Code, step: OrderStep) -> Expression:
        """The actor of a step; `EVERYBODY` for what all players do at once."""
        if self.models[step.action].joint:
            return code.value(EVERYBODY)
        if step.actor is None:
            return code.global_(self.kernel.actor)
        return Expressions(self.kernel, code, self.shared).value(lower(step.actor), {})

    def _guard(self, code: Code, step: OrderStep) -> Expression:
        if step.guard is None:
            return code.value(1)
        return Expressions(self.kernel, code, self.shared).value(lower(step.guard), {})

    def advance(self, code: Code, action: ActionModel, actor: Expression) -> None:
        """Set `reached` to the places after an action of `actor`; none if it is not its time."""
        reached = [code.global_(word, I64) for word in self.kernel.reached]
        for word in reached:
            word.set(0)
        for position, step in enumerate(self.order.steps, start=1):
            if step.action == action.number:
                allowed = code.both(self._who(code, step).equals(actor), self._guard(code, step))
                with code.when(code.both(self._comes_next(code, position), allowed)):
                    word = reached[position // 64]
                    bit = 1 << position % 64
                    word.set(word | bit)
        steps = [step for step in self.anytime if step.action == action.number]
        if steps:
            none = reduce(or_, [word.differs(0) for word in reached]).is_zero()
            may = reduce(or_, [self._at_any_time(code, step, actor) for step in steps])
            with code.when(code.both(none, may)):
                for word, place in zip(reached, self.kernel.places, strict=True):
                    word.set(code.global_(place, I64))

    def _at_any_time(self, code: Code, step: OrderStep, actor: Expression) -> Expression:
        if self.models[step.action].joint:
            return actor.equals(EVERYBODY)
        if step.actor is None:
            return actor.below(code.global_(self.kernel.players))
        return self._who(code, step).equals(actor)

    def actors(self, action: ActionModel) -> Function:
        """`()`: who may act next by the order of play, as bits: `EVERYBODY` is the lowest, followed by the seats."""
        made, code = self.kernel.function(f"actors of {action.name}", 0, I64)
        bits = code.local(0, I64)
        who = code.local()

        def add(actor: Expression) -> None:
            who.set(actor + 1)
            with code.when(who.below(MAX_PLAYERS + 1)):
                bits.set(bits | (code.value(1, I64) << who.wide()))

        for position, step in enumerate(self.order.steps, start=1):
            if step.action == action.number:
                with code.when(code.both(self._comes_next(code, position), self._guard(code, step))):
                    add(self._who(code, step))
        for step in self.anytime:
            if step.action == action.number and step.actor is None and not action.joint:
                everybody = (code.value(1, I64) << code.global_(self.kernel.players).wide()) - 1
                bits.set(bits | everybody << 1)
            elif step.action == action.number:
                add(self._who(code, step))
        bits.write()
        return made


__all__ = ["EVERYBODY", "I32", "Order"]
