"""`repeats of ...`: which parts of the position have to be the same for it to count as repeated."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR
from pwtool.ir.walk import free_locals, walk
from pwtool.lang import tree as n
from pwtool.rules.check.dispatch import check, checks
from pwtool.rules.check.scope import Scope
from pwtool.text.words import one_line

_KEPT = ("bool", "int", "member", "face", "player", "cell", "goal", "list", "pile", "bag", "grid")


@checks(n.Repeats)
def _repeats(node: n.Repeats, scope: Scope) -> Expr:
    declared = scope.declared
    if scope.in_objective:
        return declared.report("PW301", "an objective looks at one grid, it knows no earlier positions", node.span)
    items = [check(item, scope) for item in node.items]
    if any(item.type.kind == "error" for item in items):
        return ir.Const(ERROR, None, span=node.span)
    for item in items:
        text = one_line(item.span.text) if item.span else "this"
        kind = (
            item.type.element.kind if item.type.kind == "family" and item.type.element is not None else item.type.kind
        )
        if kind not in _KEPT:
            return declared.report("PW301", "{type} cannot be compared with earlier ones", item.span, type=item.type)
        if free_locals(item):
            message = "`{text}` depends on a name of this place, which earlier positions do not know"
            return declared.report("PW301", message, item.span, "name zones, variables and `player`", text=text)
        if not isinstance(item, ir.Actor) and any(isinstance(part, ir.Actor) for part in walk(item)):
            message = "`{text}` belongs to a player, and another one acted in earlier turns"
            return declared.report("PW302", message, item.span, "say whose: `{text}[seat 1], {text}[seat 2]`", text=text)  # fmt: skip
        if any(isinstance(part, ir.Repeats | ir.Can | ir.Total) for part in walk(item)):
            return declared.report("PW301", "`{text}` is not part of a position", item.span, text=text)
    kept = tuple(items)
    number = declared.histories.setdefault(kept, len(declared.histories))
    return ir.Repeats(number=number, items=kept, span=node.span)
