"""`can ACTION` asks for legal actions while rules are judged, or bounds checked: it must not depend on itself."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir.bounds import carried_out, on_trial
from pwtool.ir.model import ActionModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.rules.check.scope import Declared


def _asked(expr: Expr | None) -> set[str]:
    return set() if expr is None else {part.action for part in walk(expr) if isinstance(part, ir.Can)}


def _expressions(action: ActionModel) -> list[Expr | None]:
    """Everything that is evaluated when an action is carried out."""
    found: list[Expr | None] = [part for e in action.all_effects for part in e.parts]
    found += [value for _, _, value in action.lets]
    if action.is_consequence:
        found += [p.origin for p in action.parameters] + [x for r in action.rules for x in (r.when, r.require)]
    return found


def _judged(action: ActionModel, declared: Declared) -> list[Expr | None]:
    """Everything that is evaluated to find out whether an action is possible."""
    found: list[Expr | None] = [x for r in action.rules for x in (r.when, r.require)]
    found += [value for _, _, value in action.lets] + [p.origin for p in action.parameters]
    return found + [part for step in carried_out(on_trial(action, declared)) for part in step.effect.parts]


def _check_ahead(actions: list[ActionModel], asks: dict[str, set[str]], declared: Declared) -> None:
    """A finding for every action that is looked ahead while another one is: neither the condition on the position after an action nor
    anything evaluated on the way there may depend on an action that looks ahead.
    """
    looks = {
        a.name: [
            p for r in a.rules for x in (r.when, r.require) if x is not None for p in walk(x) if isinstance(p, ir.After)
        ]
        for a in actions
    }
    ahead = {name for name, parts in looks.items() if parts}
    before = -1
    while before != len(ahead):
        before = len(ahead)
        ahead |= {name for name, asked in asks.items() if asked & ahead}
    following = [x for a in actions if a.each_action for x in _expressions(a)]
    for action in actions:
        for part in looks[action.name]:
            there = set().union(*map(_asked, [part.body, *_expressions(action), *following]))
            for name in sorted(there & ahead):
                message = "one action is looked ahead, and `{name}` looks ahead itself"
                declared.report("PW208", message, part.span, name=name)


def check_possibilities(actions: list[ActionModel], declared: Declared) -> None:
    """A finding for every action whose rules, or effects whose bounds are checked, ask, directly or through others,
    whether the action itself is possible.
    """
    asks = {a.name: set().union(*map(_asked, _judged(a, declared))) for a in actions}
    for action in actions:
        reached: set[str] = set()
        pending = set(asks[action.name])
        while pending:
            name = pending.pop()
            reached.add(name)
            pending |= asks.get(name, set()) - reached
        if action.name in reached:
            declared.report("PW208", "whether `{action}` is possible depends on whether it is possible", action.span, action=action.name)  # fmt: skip
    _check_ahead(actions, asks, declared)
