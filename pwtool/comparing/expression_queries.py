"""Questions about expressions before they have a normal form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict, replace

from pwtool.comparing.forms import NormalForm
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import GOAL, PLAYER, Type
from pwtool.ir.walk import operands, unused_slot, walk

Env = Mapping[int, NormalForm | Expr]
"""The expressions or forms that the locals stand for."""

_OF_FACES = ir.Attribute | ir.Const | ir.Compare | ir.And | ir.Or | ir.Not | ir.Arithmetic | ir.If | ir.Table


def written_out(expr: Expr, env: Env) -> Expr:
    """The expression that a named value stands for."""
    while isinstance(expr, ir.Local) and isinstance(held := env.get(expr.slot), ir.Node):
        expr = held
    return expr


def may_lack(expr: Expr) -> bool:
    """Whether the expression may have no value, itself or through the expression that it takes its value from."""
    match expr:
        case ir.Else():
            return may_lack(expr.default)
        case ir.If():
            return may_lack(expr.then) or may_lack(expr.otherwise)
        case ir.Let():
            return may_lack(expr.body)
    return expr.type.optional


def type_of(expr: Expr) -> Type:
    return replace(expr.type, optional=True) if may_lack(expr) else expr.type


def faces_in(expr: Expr) -> list[Expr]:
    """The faces that a condition is about; empty if it asks about anything else."""
    if expr.type.kind == "face" and not isinstance(expr, ir.Const):
        return [expr]
    if not isinstance(expr, _OF_FACES):
        return []
    found = []
    for part in operands(expr):
        inner = faces_in(part)
        if not inner and not isinstance(part, ir.Const):
            return []
        found += inner
    return found


def split(family: ir.Family, env: Env, ruleset: Ruleset) -> ir.SumWhere | None:
    """The sum of the numbers in all zones of players, or of objectives, as what lies in each of them; None if the zones are others."""
    zone = next(z for z in ruleset.zones.values() if z.number == family.zone)
    known: dict[str, tuple[Expr, Type]] = {"player": (ir.Players(), PLAYER), "goal": (ir.Goals(), GOAL)}
    every, one = known.get(zone.dimensions[-1][0], (None, PLAYER))
    if zone.kind == "grid" or every is None or family.open != 1 or family.type.element is None:
        return None
    at = ir.Local(one, max([unused_slot(family) - 1, *env]) + 1)
    return ir.SumWhere(at.slot, every, ir.Sum(ir.Zone(family.type.element, family.zone, (*family.indices, at))))


def form_of(expr: Expr, *parts: NormalForm, **named: Any) -> NormalForm:
    """The class, the fields (some of them by name) and the operands; the type follows from these."""
    fields = {
        name: held
        for name, held in asdict(expr).items()
        if name not in ("type", "span", "slot")
        and not any(_is_part(p) for p in (held if isinstance(held, tuple) else (held,)))
    }
    return (type(expr).__name__, tuple((fields | named).items()), *parts)


def _is_part(held: Any) -> bool:
    return isinstance(held, ir.Node)


def each_like(expr: ir.Alike, rest: Expr, one: Expr, ruleset: Ruleset) -> Expr:
    """That some things and one more agree: each of them agrees with the additional one."""
    component, name = expr.of.component, expr.of.name
    attribute = ruleset.components[component].attributes[name].type
    slot = min((part.slot for part in walk(expr) if isinstance(part, ir.Local)), default=0)
    slot = min(slot, 0) - 1
    mine, theirs = (ir.Attribute(attribute, of, component, name) for of in (ir.Local(one.type, slot), one))
    return ir.Quantified("every", 0, slot, rest, ir.Compare("==", mine, theirs))
