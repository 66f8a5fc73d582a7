"""Rules about the position after their action. They cost more than all others, so random play only evaluates them for the chosen action."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, RuleModel
from pwtool.ir.walk import walk


def looks_ahead(rule: RuleModel) -> bool:
    """Whether a rule looks ahead."""
    return any(isinstance(part, ir.After) for x in (rule.when, rule.require) if x is not None for part in walk(x))


def judged_late(action: ActionModel) -> bool:
    """Whether random play judges a way to do an action only after choosing it."""
    return not action.joint and not action.shuffles and any(map(looks_ahead, action.rules))


__all__ = ["judged_late", "looks_ahead"]
