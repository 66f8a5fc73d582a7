"""Questions about expressions before they have a normal form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec.structs import asdict, replace

from pwtool.comparing.forms import NormalForm
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, GOAL, PLAYER, Type, list_of
from pwtool.ir.walk import bound_in, operands, rebuilt, unused_slot, walk

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


Counting = TypeVar("Counting", bound=ir.CountWhere | ir.SumWhere | ir.Quantified)


class OverTops(NamedTuple, Generic[Counting]):
    """A loop over what lies on top of piles; what is asked of an empty pile, None if no pile is empty."""

    loop: Counting
    of_empty: Expr | None


def over_tops(loop: Counting, ruleset: Ruleset) -> OverTops[Counting] | None:
    """A loop over piles that asks only whether they are empty and what lies on top; None if it is another one."""
    match loop.domain:
        case ir.Piles(grid=piles) | ir.Each(part="pile", piles=piles):
            may_be_empty = False
        case ir.Family() as piles:
            may_be_empty = True
        case _:
            return None
    pile = loop.domain.type.element
    thing = None if pile is None or pile.kind != "pile" else pile.element
    if thing is None or thing.kind != "face" or loop.slot in bound_in(loop.body):
        return None
    body = _asked_of(loop.body, loop.slot, ir.Local(thing, loop.slot), ruleset)
    if any(part.slot == loop.slot and part.type != thing for part in walk(body) if isinstance(part, ir.Local)):
        return None
    of_empty = _asked_of(loop.body, loop.slot, None, ruleset) if may_be_empty else None
    return OverTops(replace(loop, domain=ir.Each(list_of(thing), piles, "top"), body=body), of_empty)


def _asked_of(expr: Expr, pile: int, top: Expr | None, ruleset: Ruleset) -> Expr:
    """An expression about a pile that has this top; None: it is empty."""
    match expr:
        case ir.Top(pile=ir.Local(slot=slot)) if slot == pile:
            return ir.Const(expr.type, None) if top is None else top
        case ir.Empty(of=ir.Local(slot=slot)) if slot == pile:
            return ir.Const(BOOL, top is None)
        case ir.Let(value=ir.Local(slot=slot)) if slot == pile and expr.slot not in bound_in(expr.body):
            # A definition that is asked about the pile.
            named = _asked_of(_asked_of(expr.body, expr.slot, top, ruleset), pile, top, ruleset)
            return expr if any(x.slot == expr.slot for x in walk(named) if isinstance(x, ir.Local)) else named
    made = rebuilt(expr, lambda part: _asked_of(part, pile, top, ruleset))
    if made is expr:
        return expr
    match made:
        case ir.Attribute(of=ir.Const(value=None)):
            return ir.Const(made.type, None)
        case ir.Attribute() if not made.of.type.optional:
            return replace(made, type=ruleset.components[made.component].attributes[made.name].type)
        case (
            ir.Compare(left=ir.Const(value=None), right=other) | ir.Compare(left=other, right=ir.Const(value=None))
        ) if made.sign not in ("==", "!=") or not may_lack(other):
            return ir.Const(BOOL, made.sign == "!=")
        case ir.Else(value=ir.Const(value=None)):
            return made.default
        case ir.Else() if not may_lack(made.value):
            return made.value
    return made


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
