"""The order of play in an arbitrary position: where an action leads to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import conj, disj, equal, negated
from pwtool.ir.model import ActionModel


def ways(
    reader: Reader, owner: int, reached: frozenset[int], name: str, actor: int
) -> Iterator[tuple[Any, frozenset[int]]]:
    """The places that an action of a player may lead to, each with its condition; `reader` reads for the owner of the turn."""
    ruleset = reader.ruleset
    action = ruleset.actions[name]
    follow = sorted(frozenset[int]().union(*(ruleset.order.follow[at] for at in reached)))
    options: list[tuple[int, Any]] = []
    for at in follow:
        step = ruleset.order.steps[at - 1]
        if step.action != action.number:
            continue
        guard = reader.condition(step.guard, {})
        if action.joint:
            who: Any = True
        elif step.actor is None:
            who = actor == max(0, owner)
        else:
            found = reader.value(step.actor, {})
            who = conj(negated(found.absent), equal(found.parts[0], actor))
        options.append((at, conj(who, guard)))
    options = [(at, met) for at, met in options if met is not False]
    sure = frozenset(at for at, met in options if met is True)
    unsure = [(at, met) for at, met in options if met is not True]
    for taken in product((True, False), repeat=len(unsure)):
        met = conj(*(c if t else negated(c) for (_, c), t in zip(unsure, taken, strict=True)))
        there = sure | {at for (at, _), t in zip(unsure, taken, strict=True) if t}
        if there:
            yield met, there
            continue
        anytime = conj(met, disj(*_anytime(reader, action, actor)))
        if anytime is not False:
            yield anytime, reached


def _anytime(reader: Reader, action: ActionModel, actor: int) -> Iterator[Any]:
    for step in reader.ruleset.anytime:
        if step.action != action.number:
            continue
        if action.joint or step.actor is None:
            yield True
        else:
            found = reader.value(step.actor, {})
            yield conj(negated(found.absent), equal(found.parts[0], actor))
