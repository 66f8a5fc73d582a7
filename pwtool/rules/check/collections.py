"""Expressions about collections: sums, same, distinct, ascending, reads; tests of grids."""

from __future__ import annotations

import re
from typing import Literal

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import AttributeModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, ERROR
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.rules.check.dispatch import check, check_condition, checks
from pwtool.rules.check.heights import (
    HEIGHT,
    alike,
    ascending,
    distinct_heights,
    extreme,
    is_height,
    over_piles,
    reads,
    summed,
)
from pwtool.rules.check.names import attribute_model, matched_cells, matched_faces
from pwtool.rules.check.scope import Scope, This
from pwtool.rules.check.unknown import no_height
from pwtool.text import Fix
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line


def flatten(value: Expr) -> Expr | None:
    """All elements of a collection, or of all its piles; None if it is not a collection."""
    if value.type.kind in ("grid", "family"):
        inner = value.type.element
        if inner is None or inner.element is None:
            return None
        return ir.Each(t.list_of(inner.element), value, "all", span=value.span)
    return value if value.type.is_collection else None


def faces_of(value: Expr, attribute: n.Name, scope: Scope) -> tuple[Expr, AttributeModel] | None:
    flat = flatten(value)
    element = flat.type.element if flat else None
    if flat is None or element is None or element.kind != "face":
        if value.type.kind != "error":
            what = Told("a number") if element is not None and element.kind == "int" else value.type
            scope.declared.report("PW301", "{what} has no `{attribute}`", value.span, what=what, attribute=attribute.name)  # fmt: skip
        return None
    model = attribute_model(element, attribute.name, scope)
    if model is None:
        component = scope.declared.components[element.component]
        scope.declared.unknown(Told("attribute of {component}", component=component.name), attribute, component.attributes, "PW303")  # fmt: skip
        return None
    return flat, model


def attributes(flat: Expr, model: AttributeModel, span: Span | None = None) -> ir.Attributes:
    """An attribute of each thing in a collection."""
    component = (flat.type.element or ERROR).component
    return ir.Attributes(t.list_of(model.type), flat, component, model.name, span=span)


@checks(n.SumOf)
def _sum_of(node: n.SumOf, scope: Scope) -> Expr:
    value = check(node.operand, scope)
    return sum_attribute(value, node.attribute, node, scope)


def sum_attribute(value: Expr, attribute: n.Name, node: n.Node, scope: Scope) -> Expr:
    if _of_heights(value, attribute, scope):
        return summed(value, node.span, scope) or no_height(value, attribute, scope)
    found = faces_of(value, attribute, scope)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    flat, model = found
    if not t.is_numeric(model.type):
        return scope.declared.report("PW301", "a {attribute} is not a number and has no sum", attribute.span, attribute=attribute.name)  # fmt: skip
    component = (flat.type.element or ERROR).component
    of = flat.cells if isinstance(flat, ir.TopsAt) else flat
    if isinstance(of, ir.Where):
        held: Expr = ir.Local(of.type.element or ERROR, of.slot)
        if isinstance(flat, ir.TopsAt):
            held = ir.TopAt(flat.type.element or ERROR, flat.piles, held)
        return sum_where(of, ir.Attribute(model.type, held, component, attribute.name), node.span)
    return ir.Sum(attributes(flat, model), span=node.span)


def sum_where(of: ir.Where, worth: Expr, span: Span | None) -> Expr:
    """The sum over the elements of a restricted collection."""
    zero = ir.Const(t.number(0, 0), 0)
    return ir.SumWhere(
        of.slot, of.domain, ir.If(t.join(worth.type, zero.type) or worth.type, of.body, worth, zero), span=span
    )


def _of_heights(value: Expr, attribute: n.Name, scope: Scope) -> bool:
    """Whether the heights of several cards are asked for."""
    flat = flatten(value)
    return flat is not None and is_height(attribute.name, flat.type.element or ERROR, scope)


@checks(n.CountDistinct)
def _count_distinct(node: n.CountDistinct, scope: Scope) -> Expr:
    things = _asked_of(node, node.operand, scope)
    if things is not None and _of_heights(things, node.attribute, scope):
        return distinct_heights(things, node.span, scope) or no_height(things, node.attribute, scope)
    found = None if things is None else faces_of(things, node.attribute, scope)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    return ir.CountDistinct(attributes(*found), span=node.span)


@checks(n.Extreme)
def _extreme(node: n.Extreme, scope: Scope) -> Expr:
    which: Literal["max", "min"] = "min" if node.which == "min" else "max"
    things = check(node.operand, scope)
    if _of_heights(things, node.attribute, scope):
        return extreme(which, things, node.span, scope) or no_height(things, node.attribute, scope)
    found = faces_of(things, node.attribute, scope)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    flat, model = found
    if not t.is_numeric(model.type):
        message = "a {attribute} is not a number, none is the greatest or least"
        return scope.declared.report("PW301", message, node.attribute.span, attribute=node.attribute.name)
    return ir.Extreme(replace(model.type, optional=True), which, attributes(flat, model), span=node.span)


def _asked_of(node: n.Node, operand: n.Node | None, scope: Scope) -> Expr | None:
    """The things whose attribute is read: those of a shape if none are named; None after a finding."""
    if operand is not None:
        return check(operand, scope)
    if scope.matched is None:
        text = one_line(node.span.text)
        scope.declared.report("PW301", "`{text}` of what?", node.span, "add `of` and a collection", text=text)
        return None
    return matched_faces(scope.matched, node, scope)


@checks(n.Alike)
def _alike(node: n.Alike, scope: Scope) -> Expr:
    things = _asked_of(node, node.operand, scope)
    if things is not None and _of_heights(things, node.attribute, scope):
        return _heights_alike(node, things, scope)
    found = None if things is None else faces_of(things, node.attribute, scope)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    flat, model = found
    if node.operator == "ascending" and not t.is_numeric(model.type):
        return scope.declared.report(
            "PW301", "a {attribute} is not a number and cannot ascend", node.attribute.span, attribute=node.attribute.name,
        )  # fmt: skip
    kind: Literal["same", "distinct", "ascending"] = node.operator  # type: ignore[assignment]
    return ir.Alike(kind, attributes(flat, model), span=node.span)


def _heights_alike(node: n.Alike, things: Expr, scope: Scope) -> Expr:
    if node.operator != "ascending":
        return alike(node.operator, things, node.span, scope) or no_height(things, node.attribute, scope)
    if node.operand is not None or scope.matched is None:
        help_line = "without `of`, behind a shape: `some [ # # # ]: ascending height`"
        return scope.declared.report("PW301", "heights go up in the order of a picture", node.span, help_line)
    if scope.matched.marked is None:
        message = "the pictures of this shape differ in their number of cells"
        return scope.declared.report("PW301", message, node.span, "use letters: `a.height < b.height`")
    return ascending(scope.matched, node.span, scope)


def sum_matched(node: n.Unary, attribute: n.Name, scope: Scope) -> Expr:
    assert scope.matched is not None
    return sum_attribute(matched_faces(scope.matched, node, scope), attribute, node, scope)


def each_matched(node: n.Unary, scope: Scope) -> Expr:
    if scope.matched is None:
        return scope.declared.report(
            "PW301", "`{operator}` is about the cells of a shape, and there is none here", node.span,
            "of things in a zone say `every c in ZONE: ...`, `some c in ZONE: ...`; of players `some q in players: ...`", operator=node.operator,
        )  # fmt: skip
    kind: ir.Kind = "every" if node.operator == "all" else "some"
    if is_height(HEIGHT, scope.matched.element, scope) and _speaks_of_height(node.operand):
        return over_piles(kind, 1, matched_cells(scope.matched, node, scope), node, node.operand, scope)
    faces = matched_faces(scope.matched, node, scope)
    slot = scope.new_slot()
    body = check_condition(node.operand, scope.copy(subject=(slot, faces.type.element)))
    return ir.Quantified(kind, 1, slot, faces, body, span=node.span)


def _speaks_of_height(node: n.Node) -> bool:
    return any(isinstance(part, n.Name) and part.name == HEIGHT for part in walk(node))


@checks(n.Reads)
def _reads(node: n.Reads, scope: Scope) -> Expr:
    if scope.matched is None or not isinstance(node.operand, n.Name):
        return scope.declared.report("PW301", "`reads` stands after an attribute of the cells of a shape", node.span)
    if scope.matched.size is None:
        message = "the pictures of this shape differ in their number of cells"
        if scope.matched.missing:
            message = "cells of this shape may be missing, not always as many are there to read"
        return scope.declared.report("PW301", message, node.span)
    if len(node.values) != scope.matched.size:
        return _wrong_length(node, scope.matched.size, scope)
    if is_height(node.operand.name, scope.matched.element, scope):
        if min(node.values) < 1:
            return scope.declared.report("PW306", "no height is {height}, it is 1 or more", node.span, height=min(node.values))  # fmt: skip
        return reads(scope.matched, node.values, node.span)
    found = faces_of(matched_faces(scope.matched, node, scope), node.operand, scope)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    flat, model = found
    for value in node.values:
        if not model.type.low <= value <= model.type.high:
            message = "no {name} is {value}, it goes from {low} to {high}"
            return scope.pointless(
                "PW306",
                message,
                node,
                name=model.name,
                value=str(value),
                low=str(model.type.low),
                high=str(model.type.high),
            ) or ir.Const(BOOL, False, span=node.span)
    return ir.Reads(attributes(flat, model), node.values, span=node.span)


def _wrong_length(node: n.Reads, size: int, scope: Scope) -> Expr:
    count = len(node.values)
    message = (
        "the shape has {cells}, here is 1 value" if count == 1 else "the shape has {cells}, here are {count} values"
    )
    last = re.search(r"\d+\Z", node.span.text)
    help_line, fix = "one value for each marked cell, row by row", None
    if count == 1 and last is not None and len(last[0]) == size:
        meant = " ".join(last[0])
        fix = Fix(Span(node.span.file, node.span.end - size, node.span.end), meant, safe=True)
        help_line = Told("spaces go between the values: `{meant}`", meant=meant)
    return scope.declared.report("PW301", message, node.span, help_line, fix, cells=Told("{count} cell", "{count} cells", size), count=count)  # fmt: skip


def _is_own_board(node: n.Node, scope: Scope) -> bool:
    """Whether a word refers to what an objective is about: its cards, or a grid per player."""
    if not isinstance(node, n.Name) or scope.board is None:
        return False
    zone = scope.board.zone
    return node.name == zone.element.component or (node.name == zone.name and bool(zone.dimensions))


@checks(n.Test)
def _test(node: n.Test, scope: Scope) -> Expr:
    if node.operator == "connected" and scope.in_objective and _is_own_board(node.operand, scope):
        help_line = "compare a group with all: `some c in {name}: count (group d around c: true) == count {name}`"
        name = "" if scope.board is None else scope.board.zone.element.component
        message = "an objective does not ask what is connected"
        return scope.declared.report("PW301", message, node.span, help_line, name=name)
    value = check(node.operand, scope)
    if value.type.kind == "error":
        return value
    if node.operator == "empty":
        if not value.type.is_collection:
            grids = [
                z.name for z in scope.declared.zones.values() if value.type.kind == "cell" and z.grid == value.type.grid
            ]
            place = f"{grids[0]}[{one_line(node.operand.span.text)}]" if grids else ""
            lies = Told("ask what lies on it: `{place} is empty`", place=place) if grids else None
            return scope.declared.report("PW301", "{type} is never empty", node.span, lies, type=value.type)
        if isinstance(value, ir.Family):
            help_line = "ask each of them: `every p in {operand}: p is empty`"
            return scope.declared.report("PW301", "the places of a zone are always there", node.span, help_line, operand=node.operand.span.text)  # fmt: skip
        if isinstance(value, ir.Where):
            return ir.Quantified("no", 0, value.slot, value.domain, value.body, span=node.span)
        return ir.Empty(value, span=node.span)
    if node.operator == "full":
        return _full(node, value, scope)
    if value.type.kind != "grid":
        return scope.declared.report("PW301", "{type} is not connected or apart, a grid is", node.span, type=value.type)
    zone = scope.declared.zone_of(value)
    if any(z.hexagonal or z.joined for z in ([zone] if zone is not None else scope.declared.zones.values())):
        help_line = "use cells: `group n around c: ...`"
        return scope.declared.report("PW301", "this works on grids of squares alone", node.span, help_line)
    return ir.Connected(value, span=node.span)


def _full(node: n.Test, value: Expr, scope: Scope) -> Expr:
    """Whether no cell of a grid is empty."""
    zone = scope.declared.zone_of(value)
    if zone is None or zone.kind != "grid" or zone.floating or value.type.kind != "grid":
        return scope.declared.report("PW301", "{type} is never full, a grid that does not float is", node.span, type=value.type)  # fmt: skip
    size = ir.Const(t.number(zone.grid.size, zone.grid.size), zone.grid.size)
    return ir.Compare("==", ir.Count(value, span=node.operand.span), size, span=node.span)


@checks(n.Fits)
def _fits(node: n.Fits, scope: Scope) -> Expr:
    board = check(node.board, scope)
    if board.type.kind not in ("grid", "error"):
        return scope.declared.report("PW301", "{type} has no extent, a grid has", node.board.span, type=board.type)
    cell = None
    if node.cell is not None:
        cell = check(node.cell, scope)
        if cell.type.kind not in ("cell", "error"):
            return scope.declared.report("PW301", "this is {type}, a cell is needed", node.cell.span, type=cell.type)
        if cell.type.optional:
            return scope.declared.report("PW301", "this may be no cell at all", node.cell.span)
    return ir.Fits(board, cell, node.width, node.height, span=node.span)


@checks(n.If)
def _if(node: n.If, scope: Scope) -> Expr:
    condition = check_condition(node.condition, scope)
    then, otherwise = check(node.then, scope), check(node.otherwise, scope)
    joined = t.join(then.type, otherwise.type)
    if joined is None:
        one, another = t.apart(then.type, otherwise.type)
        return scope.declared.report(
            "PW301", "one branch is {type}, the other {other}", node.span, type=one, other=another
        )
    return ir.If(joined, condition, then, otherwise, span=node.span)


def nobody(node: n.Node, scope: Scope) -> Expr:
    """A finding: this depends on the player who acts, but there is none here."""
    message = "`{text}` asks about a player, and none is meant here"
    return scope.declared.report(
        "PW301", message, node.span, "write `for each player` before, or ask about the grids", text=one_line(node.span.text),
    )  # fmt: skip


@checks(n.Can)
def _can(node: n.Can, scope: Scope) -> Expr:
    if node.action.name not in scope.declared.actions:
        return scope.declared.unknown("action", node.action, scope.declared.actions)
    if node.player is not None and not scope.in_objective:
        player = check(node.player, scope)
        if player.type.kind not in ("player", "error") or player.type.optional:
            message = "this may be no player" if player.type.kind == "player" else "this is {type}, no player"
            return scope.declared.report("PW301", message, node.player.span, type=player.type)
        return ir.Can(node.action.name, player, span=node.span)
    if not scope.has_player:
        return nobody(node, scope)
    return ir.Can(node.action.name, span=node.span)


@checks(n.AfterThis)
def _after_this(node: n.AfterThis, scope: Scope) -> Expr:
    if scope.this is None:
        help_line = "a rule of an action asks what comes of it"
        return scope.declared.report("PW301", "no action is meant here", node.span, help_line)
    if scope.this.name == "":
        return scope.declared.report("PW301", "one action is looked ahead, not two", node.span)
    body = check_condition(node.body, scope.copy(this=This("", ())))
    return ir.After(scope.this.name, scope.this.parameters, body, span=node.span)
