"""Rules about the position after their action. They cost more than all others, so random play only evaluates them for the chosen action."""

from __future__ import annotations

from collections.abc import Sequence

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, loops_in, walk


def looks_ahead(rule: RuleModel) -> bool:
    """Whether a rule looks ahead."""
    return any(isinstance(part, ir.After) for x in (rule.when, rule.require) if x is not None for part in walk(x))


def rank(rule: RuleModel, lets: Sequence[tuple[int, Expr]] = ()) -> tuple[bool, int]:
    """In this order rules are evaluated if one refusal is enough: what looks ahead last, then what has more loops inside
    one another, in the rule or in the named values (`lets`) that it reads.
    """
    parts = [x for x in (rule.when, rule.require) if x is not None]
    wanted = frozenset().union(*map(free_locals, parts))
    for slot, value in reversed(lets):
        if slot in wanted:
            wanted |= free_locals(value)
            parts.append(value)
    return looks_ahead(rule), max(map(loops_in, parts))


def judged_late(action: ActionModel) -> bool:
    """Whether random play judges a way to do an action only after choosing it."""
    return not action.joint and not action.shuffles and any(map(looks_ahead, action.rules))


__all__ = ["judged_late", "looks_ahead", "rank"]
