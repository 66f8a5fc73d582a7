"""What the rules of an action say of a cell by what is known before it is chosen. Looking for legal actions, only such cells
are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr, Sign
from pwtool.ir.types import number
from pwtool.ir.walk import free_locals

TURNED: dict[Sign, Sign] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
MANY = 1 << 20


class Narrowing(msgspec.Struct, frozen=True):
    """Where `when` holds: the column (axis 0) or row (axis 1) of the cell compares so with `value`, or the cell is in the
    collection `value`.
    """

    kind: Literal["column", "row", "in"]
    sign: Sign
    value: Expr
    when: Expr | None


def narrowings(model: ActionModel, parameter: ParameterModel, known: Iterable[int]) -> list[Narrowing]:
    """What rules say of a cell, with the locals that are known before it."""
    before = frozenset(known)
    found: list[Narrowing] = []
    for rule in model.rules:
        if free_locals(rule.when) <= before:
            for part in _conjuncts(rule.require):
                found += _said(part, parameter.slot, before, rule.when)
    return found


def left_to_ask(rule: RuleModel, parameter: ParameterModel, known: Iterable[int]) -> RuleModel | None:
    """What a rule still asks where only the cells that it and others leave are tried; None where that is nothing."""
    before = frozenset(known)
    if not free_locals(rule.when) <= before:
        return rule
    parts = [p for p in _conjuncts(rule.require) if not any(_said(p, parameter.slot, before, rule.when))]
    if not parts:
        return None
    require = parts[0]
    for part in parts[1:]:
        require = ir.And(left=require, right=part)
    return msgspec.structs.replace(rule, require=require)


def _conjuncts(condition: Expr) -> Iterator[Expr]:
    if isinstance(condition, ir.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


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


def _alone(side: Expr, other: Expr) -> tuple[ir.Coordinate, Expr] | None:
    """A coordinate by itself on one side of a comparison, and the other side with what stood beside it."""
    if isinstance(side, ir.Coordinate):
        return side, other
    if isinstance(side, ir.Arithmetic) and isinstance(side.left, ir.Coordinate) and side.sign != "*":
        moved: Literal["+", "-"] = "-" if side.sign == "+" else "+"
        return side.left, ir.Arithmetic(type=number(-MANY, MANY), sign=moved, left=other, right=side.right)
    return None


__all__ = ["Narrowing", "left_to_ask", "narrowings"]
