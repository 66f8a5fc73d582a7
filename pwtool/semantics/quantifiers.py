"""`some`, `every`, `no`, counts and sums over a domain, and shapes on a board."""

from __future__ import annotations

from pwtool.semantics import types as t
from pwtool.semantics.collections import matched_faces
from pwtool.semantics.dispatch import MANY, check, check_condition, checks, expect_number
from pwtool.semantics.model import Expr
from pwtool.semantics.patterns import check_picture
from pwtool.semantics.scope import Matched, Scope
from pwtool.semantics.types import BOOL, ERROR, Type
from pwtool.syntax import nodes as n

MAX_CASES = 10_000


def _domain(node: n.Node, scope: Scope) -> tuple[Expr, Type]:
    if isinstance(node, n.Range):
        if node.low > node.high:
            return scope.declared.report("PW306", "the range is empty", node.span), ERROR
        if (node.high - node.low + 1) * scope.cases > MAX_CASES:
            message = f"these are more than {MAX_CASES} cases to go through"
            return scope.declared.report("PW306", message, node.span), ERROR
        type_ = t.number(node.low, node.high)
        return Expr("const", t.list_of(type_), data=tuple(range(node.low, node.high + 1)), span=node.span), type_
    value = check(node, scope)
    if value.type.kind == "error":
        return value, ERROR
    if not value.type.is_collection or value.type.element is None:
        return scope.declared.report("PW301", f"{value.type} has no elements to go through", node.span), ERROR
    if value.type.kind == "grid":
        return Expr("piles", t.list_of(value.type.element), (value,), span=node.span), value.type.element
    return value, value.type.element


def _inside(scope: Scope, domain: n.Node) -> Scope:
    """The scope of a body that is gone through once for every case."""
    size = domain.high - domain.low + 1 if isinstance(domain, n.Range) else 1
    return scope.copy(cases=scope.cases * max(1, size))


@checks(n.OverDomain)
def _over_domain(node: n.OverDomain, scope: Scope) -> Expr:
    domain, element = _domain(node.domain, scope)
    inner, slot = _inside(scope, node.domain).bind(node.variable.name, element)
    body = check_condition(node.body, inner)
    return Expr("quant", BOOL, (domain, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)


def comprehension(node: n.Unary, inside: n.Comprehension, scope: Scope) -> Expr:
    domain, element = _domain(inside.domain, scope)
    inner, slot = _inside(scope, inside.domain).bind(inside.variable.name, element)
    if node.operator == "count":
        body = check_condition(inside.body, inner)
        return Expr("count_where", t.number(0, MANY), (domain, body), slot, node.span)
    body = expect_number(check(inside.body, inner), inner)
    return Expr("sum_where", t.number(-MANY, MANY), (domain, body), slot, node.span)


@checks(n.Comprehension)
def _loose_comprehension(node: n.Comprehension, scope: Scope) -> Expr:
    return scope.declared.report("PW301", "this stands only after `count` or `sum`", node.span)


@checks(n.OverNamed)
def _over_named(node: n.OverNamed, scope: Scope) -> Expr:
    name, declared = node.subject.name, scope.declared
    if name in declared.shapes:
        declared.used.add(("shape", name))
        return _over_shape(node, node.quantifier, declared.shapes[name].picture, node.body, scope)
    if name in declared.components and scope.on_board:
        slot = scope.new_slot()
        type_ = t.face(name)
        body = check_condition(node.body, scope.copy(subject=(slot, type_)))
        tops = Expr("slot", t.list_of(type_), data=1, span=node.subject.span)
        return Expr("quant", BOOL, (tops, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)
    if name == "pile" and scope.on_board and declared.board is not None:
        slot = scope.new_slot()
        type_ = Type("pile", element=declared.board.element)
        body = check_condition(node.body, scope.copy(subject=(slot, type_)))
        piles = Expr(
            "filled",
            t.list_of(type_),
            (Expr("slot", t.list_of(type_), data=0, span=node.subject.span),),
            span=node.subject.span,
        )
        return Expr("quant", BOOL, (piles, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)
    known = [*declared.shapes, *declared.components, "pile"]
    return declared.unknown("shape", node.subject, known)


@checks(n.OverPicture)
def _over_picture(node: n.OverPicture, scope: Scope) -> Expr:
    return _over_shape(node, node.quantifier, node.picture, node.body, scope)


def _over_shape(node: n.Node, quantifier: n.Quantifier, picture: n.Picture, body: n.Node | None, scope: Scope) -> Expr:
    declared = scope.declared
    if not scope.on_board or declared.board is None:
        return declared.report("PW301", "shapes are looked for in objectives, where a board is meant", node.span)
    found = check_picture(picture, declared.board, declared.components, declared.diagnostics)
    if found is None:
        return Expr("const", ERROR, span=node.span)
    placements, size, names, fixed = found
    slot = scope.new_slot()
    matched = Matched(slot, size, names)
    inner = scope.copy(matched=matched, subject=None)
    faces = matched_faces(matched, node, scope)
    conditions = [
        Expr(
            "eq",
            BOOL,
            (
                Expr(
                    "attr",
                    t.number(value, value),
                    (Expr("item", faces.type.element or ERROR, (faces,), cell, picture.span),),
                    attribute,
                ),
                Expr("const", t.number(value, value), data=value, span=picture.span),
            ),
            span=picture.span,
        )
        for cell, attribute, value in fixed
    ]
    if body is not None:
        conditions.append(check_condition(body, inner))
    condition = Expr("const", BOOL, data=True, span=picture.span)
    for number, part in enumerate(conditions):
        condition = part if number == 0 else Expr("and", BOOL, (condition, part), span=node.span)
    return Expr("shape", BOOL, (condition,), (quantifier.kind, quantifier.number, slot, placements), node.span)
