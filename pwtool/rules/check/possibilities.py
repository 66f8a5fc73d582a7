"""`can ACTION` asks for legal actions while rules are judged: it must not ask in a circle."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.rules.check.scope import Declared


def _asked(expr: Expr | None) -> set[str]:
    return set() if expr is None else {part.action for part in walk(expr) if isinstance(part, ir.Can)}


def check_possibilities(actions: list[ActionModel], declared: Declared) -> None:
    """A finding for every action whose rules ask, perhaps through others, whether it is possible itself."""
    asks = {
        a.name: set().union(
            *(_asked(r.when) | _asked(r.require) for r in a.rules), *(_asked(value) for _, _, value in a.lets)
        )
        for a in actions
    }
    for action in actions:
        reached: set[str] = set()
        pending = set(asks[action.name])
        while pending:
            name = pending.pop()
            reached.add(name)
            pending |= asks.get(name, set()) - reached
        if action.name in reached:
            declared.report(
                "PW208", f"whether `{action.name}` is possible depends on whether it is possible", action.span
            )
