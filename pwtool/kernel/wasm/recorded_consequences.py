"""Whether the recorded consequences at the end of a turn are those of the rules: the rules' consequences are carried
out and compared as they happen.
"""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import ActionModel
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.actions import ILLEGAL
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.operands import Expression, Local


class RecordedConsequences:
    """Writes code that compares consequences, as they happen, with those that a record notes for a turn."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel = kernel
        self.outcomes = list(kernel.ruleset.consequences.values())
        variable = kernel.module.variable
        self.next, self.end = variable(), variable()
        """The address of the next recorded consequence that should happen (0: nothing is compared), and the end of the last one."""
        self.action = variable()
        """The index of the next one in the turn."""
        self.kinds, self.unlike = variable(), variable()
        """The kinds that the record writes down, as bits; whether anything different happened."""
        self.wrong, self.wrong_action = variable(), variable()
        """The first recorded value that differs from the computed one, as a rule, and the index of its consequence."""
        self.open_end = variable()
        """Whether more may happen than the record contains."""

    def happens(self, code: Code, number: int, model: ActionModel, values: list[Expression]) -> None:
        """Code for a consequence that happens: is it the next one in the record?"""
        if model.each_action:
            return
        next_, end, unlike = (code.global_(variable) for variable in (self.next, self.end, self.unlike))
        told = code.local(code.both(next_, (code.global_(self.kinds) & 1 << number).differs(0)))
        with code.when(code.both(told, next_ >= end)):
            unlike.set(unlike | code.global_(self.open_end).is_zero())
        with code.when(code.both(told, next_ < end)):
            same = next_.word().equals(-1 - number)
            for at, (p, value) in enumerate(zip(model.parameters, values, strict=True)):
                if p.kind != "derived":
                    same = code.both(same, next_.word((2 + at) * WORD).equals(value))
            with code.when(same):
                self._computed(code, model, values)
                next_.set(next_ + (2 + len(values)) * WORD)
                code.global_(self.action).set(code.global_(self.action) + 1)
                code.otherwise()
                unlike.set(1)

    def _computed(self, code: Code, model: ActionModel, values: list[Expression]) -> None:
        """Check the recorded values of derived parameters against the computed ones."""
        next_, wrong = code.global_(self.next), code.global_(self.wrong)
        for at, (p, value) in enumerate(zip(model.parameters, values, strict=True)):
            if p.kind == "derived":
                said = next_.word((2 + at) * WORD)
                differs = code.both(said.differs(NONE), said.differs(value))
                with code.when(code.both(wrong.is_zero(), differs)):
                    wrong.set(ILLEGAL << 16 | self.kernel.rule_number(f"{model.name}.{p.name}"))
                    code.global_(self.wrong_action).set(code.global_(self.action))

    def compare(
        self,
        code: Code,
        at: Local,
        done: Local,
        moves: Local,
        recorded: Expression,
        open_end: Callable[[Local], Expression],
        bring: Callable[[], None],
    ) -> Local:
        """Code that carries out the consequences, if the record has some from `at` on: whether they are the recorded
        ones. If so, they have happened and `at` is after them; otherwise the position is unchanged.
        """
        undo = self.kernel.undo
        alike, end, left = code.local(0), code.local(at), code.local(moves - done)
        with code.block() as others:
            code.branch_if(others, left <= 0)
            kinds = code.global_(self.kinds)
            kinds.set(recorded)
            with code.block() as through, code.loop() as again:
                code.branch_if(through, left.is_zero())
                left.add(-1)
                code.branch_if(others, end.word() >= 0)
                kinds.set(kinds | code.value(1) << (code.value(-1) - end.word()))
                for number, model in enumerate(self.outcomes):
                    with code.when(end.word().equals(-1 - number)):
                        end.add((2 + len(model.parameters)) * WORD)
                        code.branch(again)
                code.branch(others)
            for variable, value in (
                (self.next, at), (self.end, end), (self.action, done), (self.unlike, 0), (self.wrong, 0),
                (self.open_end, open_end(end)),
            ):  # fmt: skip
                code.global_(variable).set(value)
            before = undo.begin(code)
            bring()
            alike.set(code.both(code.global_(self.unlike).is_zero(), code.global_(self.next).equals(end)))
            code.global_(self.next).set(0)
            with code.when(alike):
                at.set(end)
                undo.keep(code, before)
                code.otherwise()
                undo.take_back(code, before)
        return alike
