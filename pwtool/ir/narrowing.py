"""Restrictions on a cell, and on the things of a collection, that follow from an action's rules and from what is known
before it is chosen. The search for legal actions only tries what they leave.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Literal

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, ParameterModel, RuleModel
from pwtool.ir.nodes import TURNED, Expr, Sign
from pwtool.ir.types import combined, join, number
from pwtool.ir.walk import free_locals, parts_of


class Narrowing(msgspec.Struct, frozen=True):
    """If `when` holds: the column (axis 0) or row (axis 1) of the cell compares with `value`, or the cell is in the collection `value`."""

    kind: Literal["column", "row", "in"]
    sign: Sign
    value: Expr
    when: Expr | None


class Sorting(msgspec.Struct, frozen=True):
    """If `when` holds: of the things that a collection may have, it has all (`taken`) or none for which `test` of the local
    `slot` is `outcome`.
    """

    taken: bool
    slot: int
    test: Expr
    outcome: bool
    when: Expr | None


def sortings(rules: Iterable[RuleModel], parameter: ParameterModel, known: Iterable[int]) -> list[Sorting]:
    """What rules say of each thing in a collection, and of each that is left where it comes from, in terms of the locals
    that are known before it.
    """
    before, found, origin = frozenset(known), list[Sorting](), parameter.origin
    if parameter.kind == "tops" and origin is not None:
        origin = ir.Each(type=parameter.type, piles=origin, part="top")
    for rule in rules:
        for part in parts_of(rule.require) if free_locals(rule.when) <= before else ():
            if not isinstance(part, ir.Quantified) or part.kind not in ("every", "no"):
                continue
            named, is_left = part.domain, False
            if isinstance(named, ir.Without) and named.left == origin:
                named, is_left = named.right, True
            is_named = isinstance(named, ir.Local) and named.slot == parameter.slot
            if is_named and free_locals(part.body) <= before | {part.slot}:
                found.append(Sorting(is_left, part.slot, part.body, part.kind == "no", rule.when))
    return found


def narrowings(model: ActionModel, parameter: ParameterModel, known: Iterable[int]) -> list[Narrowing]:
    """The restrictions that rules put on a cell, in terms of the locals that are known before it."""
    before = frozenset(known)
    found: list[Narrowing] = []
    for rule in model.rules:
        if free_locals(rule.when) <= before:
            for part in parts_of(rule.require):
                found += _said(part, parameter.slot, before, rule.when)
                if isinstance(part, ir.Or | ir.Let):
                    found += _said_by_all(part, parameter.slot, before, rule.when)
    return found


def said_of_alone(rule: RuleModel, parameter: ParameterModel) -> Iterator[Expr]:
    """What a rule always requires of the value of a parameter alone."""
    if rule.when is None:
        for part in parts_of(rule.require):
            if free_locals(part) == {parameter.slot}:
                yield part


def without_parts(rule: RuleModel, said: Container[Expr]) -> RuleModel | None:
    """What a rule requires besides `said`; None if that is nothing."""
    parts = [part for part in parts_of(rule.require) if part not in said]
    if not parts:
        return None
    require = parts[0]
    for part in parts[1:]:
        require = ir.And(left=require, right=part)
    return msgspec.structs.replace(rule, require=require)


def _said(part: Expr, slot: int, known: frozenset[int], when: Expr | None) -> Iterator[Narrowing]:
    if isinstance(part, ir.In) and part.item == ir.Local(type=part.item.type, slot=slot):
        if free_locals(part.items) <= known:
            yield Narrowing("in", "==", part.items, when)
        return
    if not isinstance(part, ir.Compare) or part.sign == "!=":
        return
    for side, other, sign in ((part.left, part.right, part.sign), (part.right, part.left, TURNED[part.sign])):
        alone = _alone(side, other)
        if alone is None:
            continue
        coordinate, value = alone
        of = coordinate.cell
        if isinstance(of, ir.Local) and of.slot == slot and free_locals(value) <= known and not value.type.optional:
            yield Narrowing("row" if coordinate.axis else "column", sign, value, when)


def _said_by_all(part: Expr, slot: int, known: frozenset[int], when: Expr | None) -> Iterator[Narrowing]:
    """The rows and columns that contain the cell whichever of several conditions holds, or according to a definition."""
    for kind in ("column", "row"):
        low, high = _between(part, kind, slot, known)
        if low is not None:
            yield Narrowing(kind, ">=", low, when)
        if high is not None:
            yield Narrowing(kind, "<=", high, when)


def _between(part: Expr, kind: str, slot: int, known: frozenset[int]) -> tuple[Expr | None, Expr | None]:
    """The least and the greatest row (or column) that a condition allows, as far as it restricts them."""
    if isinstance(part, ir.And | ir.Or):
        (low, high), (other_low, other_high) = (
            _between(side, kind, slot, known) for side in (part.left, part.right)
        )  # fmt: skip
        if isinstance(part, ir.And):
            return low or other_low, high or other_high
        return _outer("<", low, other_low), _outer(">", high, other_high)
    if isinstance(part, ir.Let) and isinstance(part.value, ir.Local) and part.value.slot == slot:
        return _between(part.body, kind, part.slot, known)
    if isinstance(part, ir.Let) and free_locals(part.value) <= known:
        low, high = _between(part.body, kind, slot, known | {part.slot})
        return _inside(part, low), _inside(part, high)
    for said in _said(part, slot, known, None):
        if said.kind == kind:
            more, less = (_moved(said.value, by) if said.sign in ("<", ">") else said.value for by in (1, -1))
            return more if said.sign in ("==", ">", ">=") else None, less if said.sign in ("==", "<", "<=") else None
    return None, None


def _inside(let: ir.Let, value: Expr | None) -> Expr | None:
    """A number with named values in it expanded."""
    if value is None or let.slot not in free_locals(value):
        return value
    return ir.Let(slot=let.slot, value=let.value, body=value)


def _outer(sign: Sign, one: Expr | None, other: Expr | None) -> Expr | None:
    """The lesser (or greater) of two numbers."""
    if one is None or other is None or one == other:
        return one if other is not None else None
    condition = ir.Compare(sign=sign, left=one, right=other)
    return ir.If(type=join(one.type, other.type) or one.type, condition=condition, then=one, otherwise=other)


def _moved(value: Expr, by: int) -> Expr:
    far = ir.Const(type=number(by, by), value=by)
    return ir.Arithmetic(type=combined("+", value.type, far.type), sign="+", left=value, right=far)


def _alone(side: Expr, other: Expr) -> tuple[ir.Coordinate, Expr] | None:
    """A coordinate alone on one side of a comparison, and the other side with the rest moved to it."""
    if isinstance(side, ir.Coordinate):
        return side, other
    if isinstance(side, ir.Arithmetic) and isinstance(side.left, ir.Coordinate) and side.sign != "*":
        moved: Literal["+", "-"] = "-" if side.sign == "+" else "+"
        type_ = combined(moved, other.type, side.right.type)
        return side.left, ir.Arithmetic(type=type_, sign=moved, left=other, right=side.right)
    return None


__all__ = ["Narrowing", "Sorting", "narrowings", "parts_of", "said_of_alone", "sortings", "without_parts"]
