"""Operators: arithmetic, comparisons, logic, tokens, tests."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import permutations
from typing import Literal

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import cells_of, numbers_beside
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, NOTHING, Type
from pwtool.lang import tree as n
from pwtool.rules.check.cells import (
    cells_between,
    cells_towards,
    check_as,
    check_step,
    grid_of,
    moved,
    no_diagonals,
    opposite,
)  # fmt: skip
from pwtool.rules.check.collections import each_matched, flatten, nobody, sum_matched, sum_where
from pwtool.rules.check.dispatch import (
    attribute_of,
    check,
    check_condition,
    checks,
    counting,
    expect_bool,
    expect_number,
)
from pwtool.rules.check.loops import comprehension, count_of, faces_compared
from pwtool.rules.check.places import REACH, known_with_cell, neighbours
from pwtool.rules.check.quantifiers import count_placements
from pwtool.rules.check.scope import Scope
from pwtool.rules.check.slips import all_for_one, brackets_missing, counted_value
from pwtool.rules.check.unknown import numbers_of
from pwtool.text import Fix
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line, quoted

MAX_LISTED = 8
_SIGNS: dict[str, ir.Sign] = {"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@checks(n.Binary)
def _binary(node: n.Binary, scope: Scope) -> Expr:
    told = len(scope.declared.diagnostics)
    made = _operation(node, scope)
    if len(scope.declared.diagnostics) > told and node.operator in ("+", "-", "*"):
        return brackets_missing(node, told, lambda meant: check(meant, scope), scope) or made
    return made


def _operation(node: n.Binary, scope: Scope) -> Expr:
    operator = node.operator
    if operator in ("and", "or"):
        return _joined(node, scope)
    if operator == "on":
        return _token_on(node, scope)
    if operator == "belongs":
        return _belongs(node, scope)
    if operator in ("towards", "between"):
        return cells_towards(node, scope) if operator == "towards" else cells_between(node, scope)
    right: Expr | None = None
    if isinstance(node.left, n.Pair) and node.left.grid is None:
        # The other operand decides what two numbers mean.
        right = check_step(node.right, scope) if operator in ("+", "-", "*") else check(node.right, scope)
        meant = Type("direction") if operator in ("+", "-", "*") else right.type
        left = check_as(node.left, meant, scope)
    else:
        left = check(node.left, scope)
    if operator == "fulfils":
        goal = check(node.right, scope)
        if left.type.kind not in ("grid", "error") or goal.type.kind not in ("goal", "error"):
            return scope.declared.report("PW301", "`fulfils` stands between a grid and an objective", node.span)
        return ir.Fulfils(left, goal, span=node.span)
    if right is None:
        right = _beside(node.right, left, scope) if operator in ("==", "!=") else _with(node, left, scope)
    if operator == "else":
        joined = t.join(left.type, right.type)
        if joined is None:
            one, other = t.apart(left.type, right.type)
            return scope.declared.report(
                "PW301", Told("{type} cannot become {other}", type=one, other=other), node.span
            )
        if left.type.kind != "error" and not left.type.optional:
            never = scope.pointless("PW301", "this always has a value, `else` is never used", node.left)
            if never is not None:
                return never
        return ir.Else(replace(joined, optional=right.type.optional), left, right, span=node.span)
    if operator == "in":
        element = right.type.element
        if right.type.kind != "error" and (element is None or not t.comparable(left.type, element)):
            return scope.declared.report("PW301", Told("{type} can never be in {other}", type=left.type, other=right.type), node.span)  # fmt: skip
        if isinstance(left, ir.TopAt) and isinstance(right, ir.TopsAt) and left.piles == right.piles:
            left, right = left.at, right.cells
        return ir.In(left, right, span=node.span)
    if operator in _SIGNS:
        return _compare(node, left, right, scope)
    return _arithmetic(node, left, right, scope)


def _with(node: n.Binary, left: Expr, scope: Scope) -> Expr:
    """The right operand; two numbers are a direction if the left one is a cell."""
    if node.operator in ("+", "-", "*") and left.type.kind in ("cell", "direction", "int"):
        return check_step(node.right, scope)
    return check_as(node.right, left.type, scope)


def _joined(node: n.Binary, scope: Scope) -> Expr:
    """Two conditions."""
    left, right = check_condition(node.left, scope), check(node.right, scope)
    again = _compared_again(node.operator, left, right, scope)
    return again or (ir.And if node.operator == "and" else ir.Or)(left, expect_bool(right, scope), span=node.span)


def _compared_again(operator: str, left: Expr, right: Expr, scope: Scope) -> Expr | None:
    """`value == 2 or 3`: the finding about a comparison without its left side."""
    while isinstance(left, ir.And | ir.Or):
        left = left.right
    if not isinstance(left, ir.Compare) or right.type.kind in ("bool", "error"):
        return None
    if not t.comparable(left.left.type, right.type):
        return None
    if left.span is None or left.left.span is None or right.span is None:
        return None
    sign = left.sign
    if (operator, sign) == ("or", "!="):
        # One of two different values is always another one.
        operator = "and"
    first, meant = one_line(left.span.text), f"{left.left.span.text} {sign} {right.span.text}"
    # With a sign other than `==`, or with `and`, another condition may have been meant.
    place = Span(right.span.file, left.span.start, right.span.end)
    fix = Fix(place, f"{left.span.text} {operator} {meant}", safe=(operator, sign) == ("or", "=="))
    message = "this is {type}, a condition is needed"
    return scope.declared.report("PW301", message, right.span, "write `{text}`", fix, type=right.type, text=f"{first} {operator} {meant}")  # fmt: skip


def _compare(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> Expr:
    if node.operator in ("==", "!="):
        for held, against, side in ((left, right, node.left), (right, left, node.right)):
            if held.type.is_collection and against.type.kind == "nothing":
                asked = f"{one_line(side.span.text)} is {'not ' if node.operator == '!=' else ''}empty"
                written = Fix(node.span, asked, safe=True)
                message = "{type} is never `none`: it is there, with nothing in it"
                return scope.declared.report("PW301", message, node.span, written.title, written, type=held.type)
        if not t.comparable(left.type, right.type):
            help_line = (
                all_for_one(left, right, scope)
                or _attribute_meant(node, left, right)
                or _values_of(left, scope)
                or _values_of(right, scope)
                or _numbers_compared(node, left, right, scope)
            )
            if left.type.is_collection and right.type.is_collection:
                message = "collections are not compared as a whole"
                help_line = "compare what they have: `count ... == count ...`, `same ATTRIBUTE of ...`"
                return scope.declared.report("PW301", message, node.span, help_line)
            one, other = t.apart(left.type, right.type)
            fix = counting(left) if right.type.kind == "int" else counting(right) if left.type.kind == "int" else None
            return scope.declared.report("PW301", "{type} is never equal to {other}", node.span, help_line, fix, type=one, other=other)  # fmt: skip
    elif left.type.kind == right.type.kind == "face" and numbers_of(left.type, scope):
        message = "{type} is not more or less than another"
        return scope.declared.report("PW301", message, node.span, _numbers_compared(node, left, right, scope), type=left.type)  # fmt: skip
    elif not (t.is_numeric(left.type) and t.is_numeric(right.type)):
        left, right = expect_number(left, scope), expect_number(right, scope)
    if isinstance(left, ir.Const) and isinstance(right, ir.Const) and "error" not in (left.type.kind, right.type.kind):
        fixed = scope.pointless("PW306", "this condition never changes", node)
        if fixed is not None:
            return fixed
        return ir.Compare(_SIGNS[node.operator], left, right, span=node.span)
    if left.type.kind == "face" and node.operator in ("==", "!="):
        faces_compared(node, left, right, scope)
    never = _never_changes(node.operator, left, right, scope)
    if never:
        # Not an error: a printed rule may ask for something that no card has, and such a reading can be adopted.
        scope.declared.warn("PW306", never, node.span)
    return ir.Compare(_SIGNS[node.operator], left, right, span=node.span)


def _numbers_compared(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> str | None:
    """The hint for comparing numbers or counts of things instead of the things."""
    sides = [one_line(side.span.text) for side in (node.left, node.right)]
    things = [value.type.is_collection for value in (left, right)]
    if "int" in (left.type.kind, right.type.kind) and any(things):
        counted = [f"count {side}" if many else side for side, many in zip(sides, things, strict=True)]
        return Told("to count them write `{text}`", text=f"{counted[0]} {node.operator} {counted[1]}")
    numbers = [numbers_of(value.type, scope) for value in (left, right)]
    if not any(numbers):
        return None
    written = [attribute_of(side, names[0]) if names else side for side, names in zip(sides, numbers, strict=True)]
    return Told("compare a number of it: `{text}`", text=f"{written[0]} {node.operator} {written[1]}")


def _attribute_meant(node: n.Binary, left: Expr, right: Expr) -> str | None:
    """What to write for `c == yellow`."""
    for (thing, said), (value, meant) in permutations(((left, node.left), (right, node.right))):
        if thing.type.kind == "face" and value.type.kind == "member" and thing.type.component == value.type.component:
            name = value.type.attribute
            return Told("write `{text}`", text=f"{one_line(said.span.text)}.{name} {node.operator} {one_line(meant.span.text)}")  # fmt: skip
    return None


def _values_of(value: Expr, scope: Scope) -> str | None:
    """The possible values of an enumerated attribute, in words."""
    names = _members(value, scope)
    listed = quoted(names[:MAX_LISTED])
    return Told("a {attribute} is one of {listed}", attribute=value.type.attribute, listed=listed) if names else None


def _members(value: Expr, scope: Scope) -> list[str]:
    component = scope.declared.components.get(value.type.component)
    if value.type.kind != "member" or component is None or value.type.attribute not in component.attributes:
        return []
    return [str(v) for v in dict.fromkeys(component.attributes[value.type.attribute].table)]


def _beside(node: n.Node, left: Expr, scope: Scope) -> Expr:
    """The operand that an enumerated attribute is compared with: an unknown name is then a misspelt value of it."""
    names = _members(left, scope)
    diagnostics = scope.declared.diagnostics
    before = len(diagnostics)
    right = check_as(node, left.type, scope)
    if names and isinstance(node, n.Name) and right.type.kind == "error" and len(diagnostics) == before + 1:
        told = diagnostics.pop()
        if told.code != "PW201":
            diagnostics.append(told)
        else:
            known = names if len(names) <= MAX_LISTED else [*names, *scope.locals]
            return scope.declared.unknown(left.type.attribute, node, known)
    return right


def _never_changes(operator: str, left: Expr, right: Expr, scope: Scope) -> str | None:
    """In words, when a bounded number compared with a constant can only be true or only be false."""
    if not isinstance(right, ir.Const):
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        left, right, operator = right, left, turned.get(operator, operator)
    known = _bounds(left, scope)
    if known is None or not isinstance(right, ir.Const) or right.type.kind != "int" or isinstance(left, ir.Const):
        return None
    (low, high), value = known, right.value
    possible = {
        "==": (low <= value <= high, low == high == value), "!=": (not low == high == value, not low <= value <= high),
        "<": (low < value, high < value), "<=": (low <= value, high <= value),
        ">": (high > value, low > value), ">=": (high >= value, low >= value),
    }[operator]  # fmt: skip
    named = isinstance(left, ir.Attribute)
    if not possible[0]:
        message = "no {text} is {value}, it goes from {low} to {high}" if named else "`{text}` is never {value}, it goes from {low} to {high}"  # fmt: skip
    elif possible[1]:
        message = "every {text} is {value}, it goes from {low} to {high}" if named else "`{text}` is always {value}, it goes from {low} to {high}"  # fmt: skip
    else:
        return None
    text = left.name if isinstance(left, ir.Attribute) else one_line(left.span.text) if left.span else "this"
    shown = f"{operator if named and possible[0] else operator.removeprefix('==')} {value}".strip()
    return Told(message, text=text, value=shown, low=str(low), high=str(high))


def _bounds(value: Expr, scope: Scope) -> tuple[int, int] | None:
    """The bounds of a number, if they are certain."""
    if value.type.kind != "int" or (value.type.optional and not isinstance(value, ir.Attribute)):
        return None
    if isinstance(value, ir.Attribute | ir.Variable | ir.Element | ir.Coordinate | ir.Table | ir.GroupSize):
        return value.type.low, value.type.high
    matched, board = scope.matched, scope.board
    if (
        isinstance(value, ir.Sum)
        and isinstance(value.of, ir.Attributes)
        and matched is not None
        and matched.size
        and ir.is_local(value.of.of, matched.slot)
    ):
        attribute = scope.declared.components[value.of.component].attributes[value.of.name].type
        return matched.size * attribute.low, matched.size * attribute.high
    if isinstance(value, ir.Count) and board is not None and isinstance(value.of, ir.Local) and value.of == board.faces:
        return 0, board.zone.width * board.zone.height
    return None


def _arithmetic(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> Expr:
    a, b = left.type, right.type
    if "error" in (a.kind, b.kind):
        return left if a.kind == "error" else right
    stepped = moved(node.operator, left, right, node, scope)
    if stepped is not None:
        return stepped
    if a.is_collection and node.operator in "+-" and a.element is not None:
        if b.is_collection and b.element is not None and t.comparable(a.element, b.element):
            joined = ir.Concat if node.operator == "+" else ir.Without
            if joined is ir.Concat and a == b and isinstance(left, ir.Const) and isinstance(right, ir.Const):
                return ir.Const(a, (*left.value, *right.value), span=node.span)
            element = a.element if joined is ir.Without else t.join(a.element, b.element) or a.element
            return joined(t.list_of(element), left, right, span=node.span)
        if node.operator == "-" and t.comparable(a.element, b):
            one = ir.Values(t.list_of(a.element), (right,), span=right.span)
            return ir.Without(t.list_of(a.element), left, one, span=node.span)
        if node.operator == "+" and t.comparable(a.element, b):
            added: Expr = ir.Values(t.list_of(b), (right,), span=right.span)
            if b.optional:
                # What is absent is no part of a collection.
                slot = scope.new_slot()
                there = ir.Compare("!=", ir.Local(b, slot), ir.Const(NOTHING, None))
                b = replace(b, optional=False)
                added = ir.Where(t.list_of(b), slot, added, there, span=right.span)
            return ir.Concat(t.list_of(t.join(a.element, b) or a.element), left, added, span=node.span)
    left, right = expect_number(left, scope), expect_number(right, scope)
    if "error" in (left.type.kind, right.type.kind):
        return left if left.type.kind == "error" else right
    sign: Literal["+", "-", "*"] = "+" if node.operator == "+" else "-" if node.operator == "-" else "*"
    return ir.Arithmetic(t.combined(sign, left.type, right.type), sign, left, right, span=node.span)


def _belongs(node: n.Binary, scope: Scope) -> Expr:
    """`x belongs to q`: the owner of a thing, or of the top of a pile, is a player."""
    thing: n.Node = node.left
    value = check(thing, scope)
    if value.type.kind == "error":
        return value
    if value.type.kind in ("pile", "bag"):
        thing, value = n.Unary(thing.span, "top", thing), ir.Top(value.type.element or ERROR, value, span=value.span)
    component = scope.declared.components.get(value.type.component)
    if value.type.kind != "face" or component is None:
        return scope.declared.report("PW301", "{type} belongs to nobody, a thing does", node.span, type=value.type)
    owners = [name for name, attribute in component.attributes.items() if attribute.type.kind == "player"]
    if len(owners) != 1:
        message = "a {component} has more than one owner" if owners else "a {component} has no owner"
        help_line = "compare an attribute: `(top of board[at]).side == white`"
        return scope.declared.report("PW301", message, node.span, help_line, component=component.name)
    owner = n.Attribute(thing.span, thing, n.Name(thing.span, owners[0]))
    return check(n.Binary(node.span, "==", owner, node.right), scope)


def _token_on(node: n.Binary, scope: Scope) -> Expr:
    token = scope.declared.tokens.get(node.left.name) if isinstance(node.left, n.Name) else None
    if token is None:
        name = node.left if isinstance(node.left, n.Name) else n.Name(node.left.span, node.left.span.text)
        return scope.declared.unknown("token", name, scope.declared.tokens)
    scope.declared.used.add(("token", token.name))
    place = check(node.right, scope)
    if place.type.kind == "error":
        return place
    zone = place.grid if isinstance(place, ir.PileAt) else None
    if not isinstance(place, ir.PileAt) or not isinstance(zone, ir.Zone) or zone.zone != token.zone:
        return scope.declared.report("PW301", "`{token}` lies on a cell of its zone, not here", node.right.span, token=token.name)  # fmt: skip
    index = ir.ZoneIndex(zone.zone, zone.indices, span=zone.span)
    there = ir.Compare("==", ir.TokenIndex(token.number), index)
    on_cell = ir.Compare("==", ir.TokenCell(token.number, scope.declared.grid_of(token)), place.cell)
    return ir.And(there, on_cell, span=node.span)


@checks(n.TokenQuery)
def _token_query(node: n.TokenQuery, scope: Scope) -> Expr:
    token = scope.declared.tokens.get(node.token.name)
    if token is None:
        return scope.declared.unknown("token", node.token, scope.declared.tokens)
    scope.declared.used.add(("token", token.name))
    if not scope.has_player:
        return nobody(node, scope)
    holds = ir.Compare("==", ir.TokenIndex(token.number), ir.Actor(), span=node.span)
    if node.operator == "holds":
        return holds
    there = ir.TokenCell(token.number, scope.declared.grid_of(token))
    return ir.If(there.type, holds, there, ir.Const(there.type, None), span=node.span)


@checks(n.CountTrue)
def _count_true(node: n.CountTrue, scope: Scope) -> Expr:
    """How many of several conditions hold: a sum of ones and zeros."""
    zero, one = (ir.Const(t.number(value, value), value) for value in (0, 1))
    held = [check_condition(part, scope) for part in node.conditions]
    counted: list[Expr] = [ir.If(t.number(0, 1), part, one, zero, span=part.span) for part in held]
    return reduce(lambda a, b: ir.Arithmetic(t.combined("+", a.type, b.type), "+", a, b, span=node.span), counted)


@checks(n.Unary)
def _unary(node: n.Unary, scope: Scope) -> Expr:
    operator, span = node.operator, node.span
    if operator == "not":
        return ir.Not(check_condition(node.operand, scope), span=span)
    if operator in ("all", "any"):
        return each_matched(node, scope)
    if operator in ("count", "sum") and isinstance(node.operand, n.Comprehension):
        return comprehension(node, node.operand, scope)
    if operator == "count" and isinstance(node.operand, n.Placements):
        return count_placements(node.operand, scope)
    if operator == "sum" and isinstance(node.operand, n.Name) and scope.matched:
        return sum_matched(node, node.operand, scope)
    if operator == "count":
        told = counted_value(node, scope)
        if told is not None:
            return told
    value = check_step(node.operand, scope) if operator == "-" else check(node.operand, scope)
    if value.type.kind == "error":
        return value
    if operator == "-" and value.type.kind == "direction":
        return opposite(value)
    if operator == "-":
        value = expect_number(value, scope)
        return value if value.type.kind == "error" else negated(value, span)
    if operator == "count":
        if not value.type.is_collection:
            return scope.declared.report("PW301", "{type} cannot be counted", span, type=value.type)
        return count_of(value, span)
    if operator == "sum":
        flat = flatten(value)
        if flat is None or not t.is_numeric(flat.type.element or NOTHING):
            return scope.declared.report("PW301", "{type} has no sum", span, "write `sum ATTRIBUTE of ...`", type=value.type)  # fmt: skip
        if isinstance(flat, ir.Where):
            return sum_where(flat, ir.Local(flat.type.element or ERROR, flat.slot), span)
        return ir.Sum(flat, span=span)
    if operator in ("neighbours", "diagonal", "surrounding"):
        board = known_with_cell(value, scope)
        if board is not None and operator != "neighbours" and (board.zone.hexagonal or board.zone.joined):
            return no_diagonals(span, scope)
        if board is not None:
            return neighbours(value, node, scope)
        if value.type.kind == "face" and value.type.optional:
            return scope.declared.report("PW301", "this may be no card at all", span)
        if value.type.kind != "cell":
            return scope.declared.report("PW301", "{type} has no neighbours, a cell has", span, type=value.type)
        if value.type.optional:
            return scope.declared.report(
                "PW301", "this may be no cell at all", span, "give a default: `(... else ...)`"
            )
        grid = grid_of(value, scope)
        if operator != "neighbours" and (grid.hexagonal or grid.joined):
            return no_diagonals(span, scope)
        if grid.joined:
            return ir.Beside(t.list_of(t.cell(grid)), value, cells_of(grid), numbers_beside(grid), span=span)
        touching: list[Expr] = [ir.Neighbours(value, grid, by, span=span) for by in REACH[operator]]
        return touching[0] if len(touching) == 1 else ir.Concat(touching[0].type, *touching, span=span)
    if operator == "cells_of":
        return _cells_of(value, node, scope)
    if operator == "player_after":
        if value.type.kind != "player":
            return scope.declared.report("PW301", "after {type} comes no player", span, type=value.type)
        return ir.PlayerAfter(value, span=span)
    if operator == "top":
        if value.type.kind not in ("pile", "bag"):
            return scope.declared.report("PW301", "{type} has no top", span, type=value.type)
        top = replace(value.type.element or ERROR, optional=True)
        return ir.Top(top, value, span=span)
    if operator == "tops":
        if (
            value.type.kind not in ("grid", "family")
            or value.type.element is None
            or value.type.element.element is None
        ):
            return scope.declared.report("PW301", "{type} has no tops, several piles have", span, type=value.type)
        return ir.Each(t.list_of(value.type.element.element), value, "top", span=span)
    flat = flatten(value)  # cards of
    if flat is None:
        return scope.declared.report("PW301", "{type} holds no cards", span, type=value.type)
    return flat


def negated(number: Expr, span: Span | None) -> Expr:
    """Minus a number."""
    type_ = t.number(-number.type.high, -number.type.low)
    if isinstance(number, ir.Const):
        return ir.Const(type_, -number.value, span=span)
    return ir.Arithmetic(type_, "-", ir.Const(t.number(0, 0), 0), number, span=span)


def _cells_of(value: Expr, node: n.Unary, scope: Scope) -> Expr:
    """All cells of a grid in reading order; they are known when the ruleset is loaded."""
    zone = scope.declared.zone_of(value)
    if zone is None and value.type.kind == "grid":
        return scope.declared.report("PW301", "the grid has to be named here", node.span)
    if zone is None or zone.kind != "grid":
        return scope.declared.report("PW301", "{type} has no cells, a grid has", node.span, type=value.type)
    if zone.floating:
        return scope.declared.report("PW301", "`{zone}` floats, its cells have no fixed places", node.span, zone=zone.name)  # fmt: skip
    return ir.Const(t.list_of(t.cell(zone.grid)), cells_of(zone.grid), span=node.span)


@checks(n.Table)
def _table(node: n.Table, scope: Scope) -> Expr:
    operand = expect_number(check(node.operand, scope), scope)
    keys = {key: None for key, _ in node.rows}
    scope.declared.count(len(node.rows))
    if len(keys) < len(node.rows):
        twice = Counter(key for key, _ in node.rows).most_common(1)[0][0]
        return scope.declared.report("PW202", "the table has two rows for {number}", node.span, number=str(twice))
    if operand.type.kind == "int":
        low, high = operand.type.low, operand.type.high
        never = next((key for key in keys if not low <= key <= high), None)
        if never is not None:
            told = scope.pointless(
                "PW306", "this is never {value}, it goes from {low} to {high}", node, value=str(never), low=str(low), high=str(high),
            )  # fmt: skip
            if told is not None:
                return told
        if node.otherwise is None and sum(low <= key <= high for key in keys) <= high - low:
            missing = next(v for v in range(low, high + 1) if v not in keys)
            message = "the table has no row for {number}"
            return scope.declared.report("PW209", message, node.span, "add the row, or an `else` for all others", number=str(missing))  # fmt: skip
    values = [value for _, value in node.rows] + ([] if node.otherwise is None else [node.otherwise])
    type_ = t.number(min(values), max(values))
    return ir.Table(type_, operand, node.rows, node.otherwise, span=node.span)
