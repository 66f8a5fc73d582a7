"""What expressions read, and what effects read and write; defined only here."""

from __future__ import annotations

from collections.abc import Collection

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, EffectModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import operands, walk

Place = tuple[str, int | str]
"""A part of a position by its number: `("variable", 2)`, `("zone", 0)`, `("token", 1)`; or, by name, an action whose
possibility is checked: `("action", "pass")`; or the history of positions, which every turn extends: `("history", 0)`.
"""


def read_by(*exprs: Expr | None) -> frozenset[Place]:
    """The parts of a position that expressions read. For the actions whose possibility they check, see `action_reads`."""
    found: set[Place] = set()
    for expr in exprs:
        for part in walk(expr) if expr is not None else ():
            match part:
                case ir.Variable():
                    found.add(("variable", part.number))
                case ir.Zone() | ir.Family():
                    found.add(("zone", part.zone))
                case ir.TokenIndex() | ir.TokenCell():
                    found.add(("token", part.token))
                case ir.Can() | ir.After():
                    found.add(("action", part.action))
                case ir.Repeats():
                    found.add(("history", part.number))
    return frozenset(found)


def read_by_rules(action: ActionModel) -> frozenset[Place]:
    """The parts that decide whether an action is legal: those read by its parameters, named values and rules."""
    parameters = [expr for p in action.parameters for expr in (p.origin, p.exact)]
    rules = [expr for r in action.rules for expr in (r.when, r.require)]
    zones = frozenset(("zone", p.zone) for p in action.parameters if p.kind in ("element", "elements", "tops", "order"))
    return read_by(*parameters, *rules, *(value for _, _, value in action.lets)) | zones


def read_by_effect(effect: EffectModel) -> frozenset[Place]:
    """The parts that an effect reads; those that it moves things from or to count as read too."""
    return read_by(*(part for inner in effect.all for part in inner.parts))


def written_by_effect(effect: EffectModel, action: ActionModel) -> frozenset[Place]:
    """The parts that an effect changes: a variable, a token, or the zones between which it moves something or in which it shuffles."""
    match effect.kind:
        case "add" | "set":
            return frozenset({("variable", effect.number)})
        case "put" | "return":
            return frozenset({("token", effect.number)})
        case "each":
            return frozenset().union(*(written_by_effect(inner, action) for inner in effect.effects))
    return taken_from(effect, action) | _moved_to(effect)


def taken_from(effect: EffectModel, action: ActionModel) -> frozenset[Place]:
    """The zones from which an effect moves something."""
    named = [p for p in action.parameters if effect.source in ("parameter", "tops") and p.slot == effect.slot]
    zones = read_by(effect.value, effect.origin, *(p.origin for p in named))
    return frozenset(place for place in zones if place[0] == "zone") | {("zone", p.zone) for p in named}


def _moved_to(effect: EffectModel) -> frozenset[Place]:
    return frozenset(place for place in read_by(effect.target) if place[0] == "zone")


def in_conflict(
    first: EffectModel, second: EffectModel, action: ActionModel, bags: Collection[int] = (), is_ordered: bool = False
) -> bool:
    """Whether the order of two effects of an action may make a difference. `bags` are the zones in which things have no
    order: named things are taken out of them, and things are put into them, in any order, unless something asks for the
    order in which they came (`is_ordered`).
    """
    if (
        first.kind == second.kind == "move"
        and first.source == second.source == "parameter"
        and first.slot != second.slot
    ):
        taken, put = [taken_from(e, action) for e in (first, second)], [_moved_to(e) for e in (first, second)]
        apart = not (taken[0] & put[1] or taken[1] & put[0])
        shared = (taken[0] & taken[1]) | (put[0] & put[1])
        in_order = is_ordered and bool(put[0] & put[1])
        # The other reads of each: whether it applies, which zone of a family it goes to and, on a grid, the target cell.
        rest = [read_by(e.when, e.cell, *(operands(e.target) if e.target is not None else ())) for e in (first, second)]
        kept = not any(r & (t | p) for r in rest for t, p in zip(taken, put, strict=True))
        if apart and kept and not in_order and all(number in bags for _, number in shared):
            return False
    reads = read_by_effect(first), read_by_effect(second)
    if any(place[0] == "action" for place in reads[0] | reads[1]):
        return True
    writes = written_by_effect(first, action), written_by_effect(second, action)
    # A token lies in a zone: whatever moves there may move under it.
    tokens = any(place[0] == "token" for place in writes[0] | reads[0]) and any(p[0] == "zone" for p in writes[1])
    tokens |= any(place[0] == "token" for place in writes[1] | reads[1]) and any(p[0] == "zone" for p in writes[0])
    return tokens or bool(writes[0] & (reads[1] | writes[1]) or writes[1] & reads[0])


def is_simultaneous(action: ActionModel) -> bool:
    """Whether no effect of an action reads what an earlier one changes: all of them see the position before the action."""
    written: frozenset[Place] = frozenset()
    for effect in action.effects:
        reads = read_by_effect(effect)
        if effect.kind == "each":
            # One iteration after the other.
            written |= written_by_effect(effect, action)
        if written & reads or (any(place[0] == "action" for place in reads) and written):
            return False
        written |= written_by_effect(effect, action)
    return True
