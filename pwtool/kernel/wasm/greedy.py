"""Greedy play in a kernel: of the legal actions, the one that gives the most points at once. The choice, and how ties
are broken, are those of `pwtool/play/selfplay.py`.
"""

from __future__ import annotations

from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.actions import APPLY
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.judge import Judge
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I64, Function
from pwtool.kernel.wasm.operands import Expression, Local

LEAST = -(1 << 31)
KIND = 4 * WORD
"""The number of bytes for one kind of possible action: its number, the actor, its first way, the number of ways."""


class Greedy:
    """Writes the function that chooses. `kinds` and `pointers` are where the legal actions are listed, `most` is the
    largest number of ways, `below` draws a number.
    """

    def __init__(
        self, kernel: KernelWriter, judge: Judge, kinds: int, pointers: int, most: int, below: Function
    ) -> None:
        self.kernel, self.judge, self.kinds, self.pointers, self.below = kernel, judge, kinds, pointers, below
        self.each = (1 + len(kernel.ruleset.scores)) * WORD
        self.standing = kernel.layout.reserve(kernel.layout.max_players * self.each)
        self.best = kernel.layout.reserve(2 * most * WORD)
        self.pick = self._pick(self._after())

    def _after(self) -> Function:
        """`(action, arguments, seat)`: the actor's score after an action; the position does not change."""
        kernel, judge = self.kernel, self.judge
        made, code = kernel.function("after", 3)
        action, arguments, seat = code.arguments
        words = [kernel.ending, kernel.ending_turn, kernel.left, judge.actions.next_argument]
        kept = [(code.global_(word), code.local(code.global_(word))) for word in words]
        wide = [(code.global_(word, I64), code.local(code.global_(word, I64), I64)) for word in kernel.places]
        before = kernel.undo.begin(code)
        nothing = code.local()
        code.switch(
            action,
            [lambda f=f: nothing.set(code.call(f, arguments, seat, APPLY)) for f, _ in judge.acts],  # type: ignore[misc]
        )
        code.do(judge.score)
        found = code.local((seat * self.each).word(judge.scores))
        kernel.undo.take_back(code, before)
        for word, value in (*kept, *wide):
            word.set(value)
        found.write()
        return made

    def _pick(self, after: Function) -> Function:
        """`(kinds, ends)`: the address of the chosen kind and way, out of this many kinds; 0: the turn ends, if it may."""
        kernel, judge = self.kernel, self.judge
        made, code = kernel.function("pick", 2)
        kinds, ends = code.arguments
        code.do(judge.score)
        code.copy(code.value(self.standing), code.value(judge.scores), code.global_(kernel.players) * self.each)
        most, count = code.local(LEAST), code.local(0)
        kind, number, at, value, seat = (code.local() for _ in range(5))
        number.set(0)
        with code.until(number >= kinds):
            kind.set(number * KIND + self.kinds)
            number.add(1)
            seat.set(kind.word(WORD))
            at.set(kind.word(2 * WORD) * WORD + self.pointers)
            last = code.local(at + kind.word(3 * WORD) * WORD)
            with code.while_(at < last):
                value.set(0)
                with code.when(code.both(seat >= 0, self._by_chance(kind.word()).is_zero())):
                    value.set(code.call(after, kind.word(), at.word(), seat) - (seat * self.each).word(self.standing))
                self._offer(code, value, most, count, kind, at)
                at.add(WORD)
        with code.when(ends):
            value.set(0)
            kind.set(0)
            self._offer(code, value, most, count, kind, at)
        chosen = code.local(code.call(self.below, count) * (2 * WORD) + self.best)
        code.choose(chosen.word(), chosen, 0).write()
        return made

    def _by_chance(self, number: Expression) -> Expression:
        """Whether chance decides what an action does."""
        found = number < 0
        for model in self.judge.models:
            if model.shuffles:
                found = found | number.equals(model.number)
        return found

    def _offer(self, code: Code, value: Local, most: Local, count: Local, kind: Local, at: Local) -> None:
        """Offer a way that gives this many points: it replaces all others if it gives more."""
        with code.when(value > most):
            most.set(value)
            count.set(0)
        with code.when(value.equals(most)):
            place = code.local(count * (2 * WORD) + self.best)
            code.store(place, kind)
            code.store(place, at, WORD)
            count.add(1)
