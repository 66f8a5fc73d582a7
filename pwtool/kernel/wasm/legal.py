"""Legal actions in a kernel: parameters are tried one after the other, and each rule is evaluated as soon as everything
that it reads is known. The order is that of `pwtool/play/legal.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.ir.ahead import looks_ahead, rank
from pwtool.ir.model import ActionModel, RuleModel
from pwtool.ir.narrowing import without_parts
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, unchanged
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.candidates import Candidates
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.effects import Arguments
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Label, Local


@dataclass(frozen=True, slots=True)
class Before:
    """The checks on each candidate for a parameter: the rules, when they apply, whether they do if that is known
    before, and the writer of their conditions.
    """

    rules: list[tuple[RuleModel, Expr | None, Local | None]]
    write: Expressions


class Legal(Candidates):
    """Writes loops over the legal ways to do an action."""

    def exists(self, model: ActionModel, made: Function) -> None:
        """Write `()`: whether the actor can do an action at all."""
        code = Code(self.kernel.module, made)
        self.each_way(code, model, lambda _: code.leave(1))
        code.value(0).write()

    # ---- one parameter after the other

    def each_way(self, code: Code, model: ActionModel, found: Callable[[Arguments], None], early: bool = False) -> None:
        """Code that runs for every legal way to do an action, `early` without the rules that look ahead; a refused way is skipped."""
        arguments = Arguments({}, {}, [])
        stages = self._stages(model, early)
        origins: dict[str, Local] = {}
        once: dict[Expr, tuple[Local, Local]] = {}

        def settle(before: Before, refused: Label) -> None:
            for whole, when, applies in before.rules:
                rule = without_parts(whole, {part for asked, part in arguments.said if asked == when})
                if rule is None:
                    continue
                self._compute(code, model, free_locals(rule.when) | free_locals(rule.require), arguments)
                with code.when(applies) if applies is not None else nullcontext():
                    self.actions.judge(code, arguments.scope, rule, lambda: code.branch(refused), before.write)

        def deeper(at: int) -> None:
            if at == len(model.parameters):
                with code.block() as refused:
                    self._compute(code, model, self.actions.asked_of_bounds(model), arguments)
                    self.actions.bounds(code, model, arguments, lambda _: code.branch(refused))
                    found(arguments)
                return
            p = model.parameters[at]
            known = self._known(model, p)
            later = {q.slot for q in model.parameters} | {slot for _, slot, _ in model.lets}
            for rule in (rule for stage in stages[at + 1 :] for rule in stage):
                for x in unchanged(lower(rule.require), later - known):
                    if x not in once:
                        once[x] = code.local(0), code.local()
            before = self._before(code, model, stages[at + 1], known, arguments, once)

            def candidate() -> None:
                bound = dict(arguments.scope)
                with code.block() as refused:
                    settle(before, refused)
                    deeper(at + 1)
                arguments.scope = bound

            self._candidates(code, model, p, arguments, origins, candidate)

        with code.block() as impossible:
            settle(self._before(code, model, stages[0], set(), arguments, once), impossible)
            deeper(0)

    def _before(
        self,
        code: Code,
        model: ActionModel,
        rules: list[RuleModel],
        known: set[int],
        arguments: Arguments,
        once: dict[Expr, tuple[Local, Local]],
    ) -> Before:
        """Code that computes, before a parameter is tried, what its rules say about `known` values: named values and
        whether a rule applies; the rest is computed on first use (`once`).
        """
        write = Expressions(self.kernel, code, self.shared)
        write.once = dict(once)
        found: list[tuple[RuleModel, Expr | None, Local | None]] = []
        for rule in rules if known else ():
            self._compute(code, model, (free_locals(rule.when) | free_locals(rule.require)) & known, arguments)
        for rule in rules:
            applies, asked = None, rule
            if known and rule.when is not None and free_locals(rule.when) <= known:
                applies = code.local(write.value(lower(rule.when), arguments.scope))
                asked = replace(rule, when=None)
            found.append((asked, rule.when, applies))
        return Before(found, write)

    def _stages(self, model: ActionModel, early: bool) -> list[list[RuleModel]]:
        """The rules by the number of parameters that they need, `early` without those that look ahead."""
        known = {p.slot: number for number, p in enumerate(model.parameters, start=1)}
        for _, slot, value in model.lets:
            known[slot] = max((known[s] for s in free_locals(value)), default=0)
        stages: list[list[RuleModel]] = [[] for _ in range(len(model.parameters) + 1)]
        for rule in model.rules:
            asked = None if early and looks_ahead(rule) else self._without_told(model, rule)
            if asked is not None:
                slots = free_locals(asked.when) | free_locals(asked.require)
                stages[max((known[s] for s in slots), default=0)].append(asked)
        lets = [(slot, value) for _, slot, value in model.lets]
        return [sorted(stage, key=lambda rule: rank(rule, lets)) for stage in stages]

    def _without_told(self, model: ActionModel, rule: RuleModel) -> RuleModel | None:
        """What a rule asks besides what it always requires of cells alone, for only such cells are tried."""
        asked: RuleModel | None = rule
        for p in model.parameters:
            if asked is not None and p.kind == "cell" and not self.kernel.zone(p.zone).floating and rule.when is None:
                asked = without_parts(asked, self.told(model, p))
        return asked
