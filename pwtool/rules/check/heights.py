"""Heights: of the piles of a shape, and of the pile under a visible card whose cell is known.

Expressions about several heights (`same height`, `max height of ...`) are translated into loops over the cells.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, COUNT, ERROR, MAX_NUMBER, NOTHING, Type
from pwtool.lang import tree as n
from pwtool.rules.check.dispatch import check_condition
from pwtool.rules.check.places import at_places, card_at, known_with_cell, with_local
from pwtool.rules.check.scope import AsksWhere, Board, Matched, Scope, is_marked, marked_thing
from pwtool.text.source import Span

HEIGHT = "height"
_TYPE = t.number(1, MAX_NUMBER)


def is_height(name: str, type_: Type, scope: Scope) -> bool:
    """Whether a word after a card means the height of its pile: an attribute of that name takes precedence."""
    component = scope.declared.components.get(type_.component) if type_.kind in ("face", "place") else None
    return name == HEIGHT and component is not None and HEIGHT not in component.attributes


def has_height(card: Expr) -> bool:
    """Whether the cell of a card is known, or becomes known where it is needed."""
    return isinstance(card, ir.TopAt) or is_marked(card)


def height_at(board: Board, place: Expr, span: Span | None, optional: bool = False) -> Expr:
    """The height of the pile on a cell given by its number."""
    return ir.HeightAt(replace(_TYPE, optional=optional), board.cells, place, span=span)


def height_of(card: Expr, span: Span | None, scope: Scope) -> Expr | None:
    """The height of the pile on which a card lies; None if its cell is unknown. Absent for no card."""
    known_with_cell(card, scope)
    if not isinstance(card, ir.TopAt):
        return None
    return ir.HeightAt(replace(_TYPE, optional=card.type.optional), card.piles, card.at, span=span)


# ---- several heights


def cells_of(cards: Expr, scope: Scope) -> tuple[Expr, Board] | None:
    """The cells of several cards; None if they are unknown."""
    if isinstance(cards, ir.Where) and (inside := cells_of(cards.domain, scope)) is not None:
        cells, board = inside
        card = card_at(board, ir.Local(_element(cells), cards.slot), None)
        return replace(cards, type=cells.type, domain=cells, body=with_local(cards.body, cards.slot, card)), board
    placed, matched = at_places(cards, scope), scope.matched
    held = cards
    if isinstance(cards, ir.Values) and cards.items and isinstance(cards.items[0], ir.Element):
        held = cards.items[0].of
    if placed is None and matched is not None and held == ir.Local(matched.held, matched.slot):
        raise AsksWhere(matched.slot)
    return placed


def summed(cards: Expr, span: Span | None, scope: Scope) -> Expr | None:
    """The sum of the heights of several cards."""
    found = cells_of(cards, scope)
    if found is None:
        return None
    cells, board = found
    if isinstance(cells, ir.Where):
        zero = ir.Const(t.number(0, 0), 0)
        height = height_at(board, ir.Local(_element(cells), cells.slot), span)
        worth = ir.If(COUNT, cells.body, height, zero, span=span)
        return ir.SumWhere(cells.slot, cells.domain, worth, span=span)
    slot = scope.new_slot()
    return ir.SumWhere(slot, cells, height_at(board, ir.Local(_element(cells), slot), span), span=span)


def alike(operator: str, cards: Expr, span: Span | None, scope: Scope) -> Expr | None:
    """Whether several cards have the `same` height, or different ones (`distinct`)."""

    def agree(one: Expr, other: Expr, board: Board) -> Expr:
        sign: ir.Sign = "==" if operator == "same" else "!="
        heights = ir.Compare(sign, height_at(board, one, span), height_at(board, other, span), span=span)
        return heights if sign == "==" else ir.Or(ir.Compare("==", one, other, span=span), heights, span=span)

    found = cells_of(cards, scope)
    if found is None:
        return None
    one, first = _held(found[0], scope)
    other, second = _held(found[0], scope)
    each = ir.Quantified("every", 0, second, found[0], agree(one, other, found[1]), span=span)
    return ir.Quantified("every", 0, first, found[0], each, span=span)


def extreme(which: Literal["max", "min"], cards: Expr, span: Span | None, scope: Scope) -> Expr | None:
    """The greatest or least height of several cards, absent if there are none: the height of a card that no other exceeds, or falls
    below.
    """
    found = cells_of(cards, scope)
    if found is None:
        return None
    cells, board = found
    one, first = _held(cells, scope)
    other, second = _held(cells, scope)
    sign: ir.Sign = "<=" if which == "max" else ">="
    body = ir.Compare(sign, height_at(board, other, span), height_at(board, one, span), span=span)
    each = ir.Quantified("every", 0, second, cells, body, span=span)
    picked = ir.Pick(replace(one.type, optional=True), "first", first, cells, each, span=span)
    return height_at(board, picked, span, optional=True)


def distinct_heights(cards: Expr, span: Span | None, scope: Scope) -> Expr | None:
    """The number of different heights of several cards: how many are the first with their height."""
    found = cells_of(cards, scope)
    if found is None:
        return None
    cells, board = found
    one, first = _held(cells, scope)
    other, second = _held(cells, scope)
    alike_ = ir.Compare("==", height_at(board, other, span), height_at(board, one, span), span=span)
    leader = ir.Pick(replace(one.type, optional=True), "first", second, cells, alike_, span=span)
    return ir.CountWhere(first, cells, ir.Compare("==", leader, one, span=span), span=span)


def _held(cells: Expr, scope: Scope) -> tuple[Expr, int]:
    slot = scope.new_slot()
    return ir.Local(_element(cells), slot), slot


def _element(cells: Expr) -> Type:
    return cells.type.element or ERROR


# ---- the cells of a shape


def over_piles(kind: ir.Counting, number: int, cells: Expr, node: n.Node, body: n.Node, scope: Scope) -> Expr:
    """The number of piles of a shape for which a condition holds."""
    assert scope.matched is not None
    board, slot = scope.matched.board, scope.new_slot()
    pile = Type("pile", element=board.zone.element)
    inner = scope.copy(subject=(slot, pile), places={**scope.places, slot: board})
    return ir.counted(kind, number, slot, cells, check_condition(body, inner), node.span)


def ascending(matched: Matched, span: Span, scope: Scope) -> Expr:
    """Whether the heights of a shape ascend in the order of its picture, ignoring missing cells."""
    heights = _in_order(matched, span)
    scope.declared.count(len(heights) ** 2 if matched.missing else len(heights))
    found: Expr = ir.Const(BOOL, True, span=span)
    for at, low in enumerate(heights):
        for high in heights[at + 1 :] if matched.missing else heights[at + 1 : at + 2]:
            one: Expr = ir.Compare("<", low, high, span=span)
            if matched.missing:
                for side in (high, low):
                    one = ir.Or(ir.Compare("==", side, ir.Const(NOTHING, None), span=span), one, span=span)
            found = one if isinstance(found, ir.Const) else ir.And(found, one, span=span)
    return found


def reads(matched: Matched, values: tuple[int, ...], span: Span) -> Expr:
    """Whether the heights of a shape are these, in the order of its picture."""
    found: Expr | None = None
    for height, value in zip(_in_order(matched, span), values, strict=True):
        one = ir.Compare("==", height, ir.Const(t.number(value, value), value, span=span), span=span)
        found = one if found is None else ir.And(found, one, span=span)
    assert found is not None
    return found


def _in_order(matched: Matched, span: Span) -> list[Expr]:
    """The heights of the cells of a shape, absent for a missing one."""
    if not matched.by_cell:
        raise AsksWhere(matched.slot)
    held = ir.Local(matched.held, matched.slot, span=span)
    items = [marked_thing(matched.held, held, at, span) for at in range(matched.marked or 0)]
    return [height_at(matched.board, item, span, matched.missing) for item in items]
