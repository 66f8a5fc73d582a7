"""From checked expressions to the fewer ones that the back ends run.

What is only another way to say something is expressed by the rest: a quantifier of any kind by `some` and `least`, a
comparison by `==` and `<`, a grid that is traversed by its piles, a missing truth value by false.
"""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import FALSE, TRUE, Expr
from pwtool.ir.types import BOOL, COUNT, ERROR, list_of, number
from pwtool.ir.walk import rebuilt, replaced


def lower(x: Expr) -> Expr:
    """An expression as the back ends run it; its locals keep their slots. A condition that may be nothing is then false."""
    made = lower_value(x)
    return ir.Else(BOOL, made, FALSE) if x.type.kind == "bool" and x.type.optional else made


def lower_value(x: Expr) -> Expr:
    """A named value as the back ends run it: a condition that may be nothing stays nothing."""
    match x:
        case ir.Local() | ir.Actor():
            return x
        case ir.Const() if isinstance(x.value, tuple) and x.type.element is not None:
            element = x.type.element
            return ir.Values(x.type, tuple(ir.Const(element, value) for value in x.value))
        case ir.Let():
            return _let(x, lower_value(x.body))
        case ir.If():
            return replace(
                x, condition=lower(x.condition), then=lower_value(x.then), otherwise=lower_value(x.otherwise)
            )
        case ir.Else():
            default = lower_value(x.default) if x.type.optional else lower(x.default)
            return replace(x, value=lower_value(x.value), default=default)
        case ir.Not():
            return _negated(lower(x.operand))
        case ir.Compare():
            return _compared(x)
        case ir.Reads():
            found: Expr = TRUE
            things, of = _elements(x.of.of), x.of
            for at, value in enumerate(x.values):
                read = ir.Attribute(of.type.element or ERROR, _at(things, at), of.component, of.name)
                one = ir.Compare("==", read, ir.Const(number(value, value), value))
                found = ir.And(found, one) if at else one
            return found
        case ir.Repeats():
            # A history compares them itself.
            return replace(x, items=())
        case ir.Quantified():
            return _quantified(replace(x, domain=_elements(x.domain), body=lower(x.body)))
        case ir.CountWhere(domain=ir.Places(separate=True) as places):
            return _counted_apart(replace(x, domain=rebuilt(places, _elements), body=lower(x.body)), places.most)
    # What has a `grid` is about the grid itself; everything else goes through its piles.
    return rebuilt(x, lower if hasattr(x, "grid") else _elements)


def _at(of: Expr, at: int) -> Expr:
    return ir.Element(of.type.element or ERROR, of, ir.Const(number(at, at), at))


def _elements(x: Expr) -> Expr:
    """A collection that is traversed: of a grid, its piles."""
    match x:
        case _ if x.type.kind != "grid":
            return lower(x)
        case ir.Let():
            return _let(x, _elements(x.body))
        case ir.If():
            return replace(x, condition=lower(x.condition), then=_elements(x.then), otherwise=_elements(x.otherwise))
    made = lower(x)
    return made if x.type.element is None else ir.Piles(list_of(x.type.element), made)


def _negated(x: Expr) -> Expr:
    return x.operand if isinstance(x, ir.Not) else ir.Not(x)


def _compared(x: ir.Compare) -> Expr:
    left, right = lower_value(x.left), lower_value(x.right)
    match x.sign:
        case "==":
            return replace(x, left=left, right=right)
        case "!=":
            return ir.Not(ir.Compare("==", left, right, span=x.span))
        case "<":
            compared: Expr = ir.Compare("<", left, right, span=x.span)
        case ">":
            compared = ir.Compare("<", right, left, span=x.span)
        case "<=":
            compared = ir.Not(ir.Compare("<", right, left, span=x.span))
        case ">=":
            compared = ir.Not(ir.Compare("<", left, right, span=x.span))
    # An absent number is neither greater nor less than another.
    for side, made in ((x.right, right), (x.left, left)):
        if side.type.optional:
            compared = ir.And(ir.Not(ir.Compare("==", made, ir.NOTHING)), compared)
    return compared


def _quantified(x: ir.Quantified) -> Expr:
    match x.kind:
        case "some":
            return x
        case "no":
            return ir.Not(replace(x, kind="some"))
        case "every":
            return ir.Not(replace(x, kind="some", body=_negated(x.body)))
        case "least":
            return _at_least(x.number, x)
        case "most":
            return _negated(_at_least(x.number + 1, x))
        case "exactly":
            more = _negated(_at_least(x.number + 1, x))
            return ir.And(_at_least(x.number, x), more) if x.number else more


def _at_least(wanted: int, x: ir.Quantified) -> Expr:
    if wanted <= 0:
        return TRUE
    if isinstance(x.domain, ir.Places) and wanted > x.domain.most:
        return FALSE
    return replace(x, kind="some" if wanted == 1 else "least", number=wanted)


def _counted_apart(x: ir.CountWhere, most: int) -> Expr:
    """The number of places that share no card: the largest for which there are at least so many."""
    of = ir.Quantified("least", 0, x.slot, x.domain, x.body, span=x.span)
    found: Expr = ir.Const(number(most, most), most)
    for fewer in reversed(range(most)):
        found = ir.If(COUNT, _at_least(fewer + 1, of), found, ir.Const(number(fewer, fewer), fewer))
    return found


def _let(x: ir.Let, body: Expr) -> Expr:
    """A body with a local bound to a value; a value that is another local, the actor or a constant is substituted instead."""
    value = lower_value(x.value)
    if isinstance(value, ir.Local | ir.Const | ir.Actor):
        return replaced(body, x.slot, value)
    return replace(x, value=value, body=body)
