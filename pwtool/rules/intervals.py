"""The bounds of every number in a ruleset, proven from its parts: declared ranges, attributes, how many things there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pwtool.ir.model import ActionModel, EffectModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import MAX_NUMBER
from pwtool.ir.walk import operands
from pwtool.rules.bounds import on_board, table_for
from pwtool.rules.extents import MOST, Extent, Extents
from pwtool.text import Diagnostic

MAX_STEP = 9_999
"""No direction in a ruleset leads further."""

Watch = Callable[[Expr, Extent], None]


class Intervals:
    """Computes the bounds of all expressions of a ruleset. `kept` and `turns` are the maximum numbers of things in a
    variable and of turns.
    """

    def __init__(self, ruleset: Ruleset, watch: Watch | None = None, kept: int = MOST, turns: int = MOST) -> None:
        self.ruleset = ruleset
        self.extents = Extents(table_for(ruleset), kept, turns, proven=True, watch=watch)

    def of(self, expr: Expr, inside: Mapping[int, Extent] | None = None) -> Extent:
        """The bounds of an expression, given those of its locals."""
        self.extents.locals = dict(inside or {})
        return self.extents.of(expr)

    def total(self) -> Extent:
        """The bounds of a player's total, and of the sum of the first lines of the score."""
        lines = [self.of(score.value) for score in self.ruleset.scores]
        return Extent(low=sum(min(0, line.low) for line in lines), high=sum(max(0, line.high) for line in lines))

    def everything(self) -> Iterator[tuple[Expr, Extent]]:
        """Every expression that is evaluated by itself, with its bounds."""
        ruleset = self.ruleset
        for variable in ruleset.variables.values():
            yield from self._all(variable.initial)
        for deck in ruleset.decks.values():
            yield from self._all(*(when for _, when in deck.parts))
        for step in ruleset.setup:
            yield from self._all(*(when for _, when in step.cases))
        for rule in (*ruleset.setup_rules, *ruleset.turn_rules):
            yield from self._all(rule.when, rule.require)
        for place in (*ruleset.order.steps, *ruleset.anytime):
            yield from self._all(place.actor, place.guard)
        for invariant in ruleset.invariants:
            yield from self._all(invariant.when, invariant.require)
        yield from self._all(*(ending.condition for ending in ruleset.endings))
        for history in ruleset.histories:
            yield from self._all(*history)
        for objective in ruleset.objectives.values():
            yield from self._all(objective.condition, inside=on_board(ruleset, self.extents.table))
        for model in (*ruleset.actions.values(), *ruleset.consequences.values()):
            yield from self._of_action(model)
        yield from self._all(*(score.value for score in ruleset.scores))
        self.extents.total = self.total()
        yield from self._all(*(criterion.value for criterion in ruleset.ranking))

    def _all(self, *parts: Expr | None, inside: Mapping[int, Extent] | None = None) -> Iterator[tuple[Expr, Extent]]:
        for part in parts:
            if part is not None:
                yield part, self.of(part, inside)

    def _of_action(self, model: ActionModel) -> Iterator[tuple[Expr, Extent]]:
        inside = self.extents.bound(model)
        for p in model.parameters:
            yield from self._all(p.origin, p.exact, inside=inside)
        yield from self._all(*(value for _, _, value in model.lets), inside=inside)
        for rule in model.rules:
            yield from self._all(rule.when, rule.require, inside=inside)
        for effect in model.effects:
            yield from self._of_effect(effect, inside)

    def _of_effect(self, effect: EffectModel, inside: Mapping[int, Extent]) -> Iterator[tuple[Expr, Extent]]:
        yield from self._all(*effect.parts, inside=inside)
        if effect.kind == "each" and effect.value is not None:
            domain = self.of(effect.value, inside)
            for inner in effect.effects:
                yield from self._of_effect(inner, {**inside, effect.slot: domain.sized(domain.each)})


def check_numbers(ruleset: Ruleset) -> list[Diagnostic]:
    """A finding for each number that may be too large, and for each variable whose first value may be out of range."""
    found: list[Diagnostic] = []
    large: set[int] = set()

    def watch(x: Expr, extent: Extent) -> None:
        is_step = x.type.kind == "direction"
        if extent.magnitude <= (MAX_STEP if is_step else MAX_NUMBER):
            return
        if not large & {id(part) for part in operands(x)}:
            message = "this direction may go further than {most} cells"
            message = message if is_step else "this may be larger than {number}"
            found.append(Diagnostic.of("PW306", message, x.span, most=MAX_STEP, number=MAX_NUMBER))
        large.add(id(x))

    intervals = Intervals(ruleset, watch)
    for _ in intervals.everything():
        pass
    total = intervals.total()
    if total.magnitude > MAX_NUMBER and not found:
        found.append(Diagnostic.of("PW306", "a total may be larger than {most}", ruleset.scores[0].span, most=MAX_NUMBER))  # fmt: skip
    for name, variable in ruleset.variables.items():
        low, high = variable.type.low, variable.type.high
        if variable.initial is not None and variable.type.kind == "int":
            first = intervals.of(variable.initial)
            if not low <= first.low <= first.high <= high:
                found.append(Diagnostic.of("PW306", "`{name}` goes from {low} to {high}", variable.initial.span, name=name, low=low, high=high))  # fmt: skip
    return found
