"""Which objectives are claimed, and when: the first turn in which an action or a consequence names each objective in
play.
"""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.ir.model import ParameterModel
from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.bindings import ArrayOf, Binding, ValueOf
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.operands import Expression


class Claims:
    """Writes code that notes claims; claims noted while looking ahead are undone with it."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel, self.goals = kernel, kernel.layout.goals
        self.claimed = kernel.remembered(max(1, self.goals) * WORD)
        """For each objective in play the turn of its first claim, 0 if it was not claimed."""

    def note(self, code: Code, named: Iterable[tuple[ParameterModel, Binding]]) -> None:
        """The current action names these things, objectives among them."""
        for p, bound in named:
            if p.type.kind != "goal" or not self.goals:
                continue
            if isinstance(bound, ValueOf):
                self._claim(code, bound.value)
            elif isinstance(bound, ArrayOf):
                seat = code.local(0)
                with code.while_below(seat, code.global_(self.kernel.players)):
                    self._claim(code, code.local((bound.address + seat * WORD).word()))

    def _claim(self, code: Code, goal: Expression) -> None:
        # Nobody's choice is less than zero.
        with code.when(goal.below(self.goals)), code.borrowed() as place:
            place.set(goal * WORD + self.claimed)
            with code.when(place.word().is_zero()):
                self.kernel.undo.store(code, place, code.global_(self.kernel.turn))

    def answer(self, code: Code, to: Expression) -> None:
        """For each objective in play its number and the turn of its first claim."""
        for goal in range(self.goals):
            code.store(to, code.value(self.kernel.layout.goal_table + goal * WORD).word(), 2 * goal * WORD)
            code.store(to, code.value(self.claimed + goal * WORD).word(), (2 * goal + 1) * WORD)
