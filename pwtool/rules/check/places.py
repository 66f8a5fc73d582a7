"""Visible cards with their cells: variables that range over the visible cards of a grid, their neighbours, groups.

Internally such a card is the number of its cell (`place`), and is read as its face wherever a face is needed: a name bound to
a place is a `TopAt`, a collection of places a `TopsAt`.
"""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import SIDE_BY_SIDE, Reach, cells_of, near, numbers_beside
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, NOTHING
from pwtool.ir.walk import operands, rebuilt
from pwtool.lang import tree as n
from pwtool.rules.check.cells import no_diagonals, on_a_grid
from pwtool.rules.check.dispatch import check, check_condition, checks
from pwtool.rules.check.scope import AsksWhere, Board, Scope
from pwtool.rules.check.unknown import no_attribute
from pwtool.text.source import Span

REACH: dict[str, Reach] = {
    "": SIDE_BY_SIDE, "neighbours": SIDE_BY_SIDE, "diagonally": (True,), "diagonal": (True,),
    "in all directions": (False, True), "surrounding": (False, True),
}  # fmt: skip
"""Which cells touch a cell, by what is written."""


def beside(board: Board, reach: Reach) -> tuple[tuple[int, ...], ...]:
    """For each cell of a grid, by number, the cells that touch it."""
    zone = board.zone
    lies = zone.lying
    cells = [(x, y) for y in range(zone.height) for x in range(zone.width)]
    touching = [[other for by in reach for other in near(lies, c, by)] if lies.has(c) else [] for c in cells]
    return tuple(tuple(y * zone.width + x for x, y in others) for others in touching)


def card_at(board: Board, place: Expr, span: Span | None, optional: bool = False) -> Expr:
    """The card on a cell given by its number."""
    component = board.zone.element.component
    return ir.TopAt(t.Type("face", component=component, optional=optional), board.cells, place, span=span)


def cards_at(board: Board, places: Expr, span: Span | None) -> Expr:
    return ir.TopsAt(t.list_of(board.zone.element), board.cells, places, span=span)


def filled(board: Board, places: Expr, scope: Scope) -> Expr:
    """Those of some cells that are not empty."""
    slot = scope.new_slot()
    return ir.Where(places.type, slot, places, _filled(board, slot))


def _filled(board: Board, slot: int) -> Expr:
    at = ir.Local(t.place(board.zone.element.component), slot)
    return ir.Compare("!=", card_at(board, at, None, optional=True), ir.Const(NOTHING, None))


def all_places(board: Board, scope: Scope) -> Expr:
    """The cells that are not empty."""
    return filled(board, ir.Const(_places(board), _cells(board)), scope)


def board_of(value: Expr, scope: Scope) -> Board | None:
    """The grid of the cells on which cards lie, None if the cells are unknown."""
    if not isinstance(value, ir.TopAt | ir.TopsAt):
        return None
    boards = [scope.board, *scope.places.values()]
    return next((b for b in boards if b is not None and b.cells == value.piles), None)


def at_places(domain: Expr, scope: Scope) -> tuple[Expr, Board] | None:
    """A collection of cards on cells of a grid, as a collection of these cells."""
    if scope.board is not None and domain == scope.board.faces:
        return all_places(scope.board, scope), scope.board
    board = board_of(domain, scope)
    return (domain.cells, board) if board is not None and isinstance(domain, ir.TopsAt) else None


def with_local(x: Expr, slot: int, value: Expr) -> Expr:
    """An expression in which something else replaces a local."""
    if isinstance(x, ir.Local):
        return replace(value, span=x.span) if x.slot == slot else x
    return rebuilt(x, lambda part: with_local(part, slot, value))


def as_faces(slot: int, body: Expr, board: Board) -> Expr | None:
    """A body that depends only on the faces of the cards that its local ranges over, rewritten so that the local holds these faces;
    None if it depends on where they lie.
    """
    return None if _asks_where(slot, body) else _with_faces(slot, body, board)


def _is_card(x: Expr, slot: int) -> bool:
    return isinstance(x, ir.TopAt) and isinstance(x.at, ir.Local) and x.at.slot == slot and not x.type.optional


def _asks_where(slot: int, x: Expr) -> bool:
    if _is_card(x, slot):
        return False
    return (isinstance(x, ir.Local) and x.slot == slot) or any(_asks_where(slot, part) for part in operands(x))


def _with_faces(slot: int, x: Expr, board: Board) -> Expr:
    if _is_card(x, slot):
        return ir.Local(board.zone.element, slot, span=x.span)
    return rebuilt(x, lambda part: _with_faces(slot, part, board))


def known_with_cell(value: Expr, scope: Scope) -> Board | None:
    """The grid on whose cell a card certainly lies, None if unknown; raises `AsksWhere` if it may become known."""
    matched = scope.matched
    if value.type.kind == "face" and matched is not None and not matched.by_cell and board_of(value, scope) is None:
        raise AsksWhere(matched.slot)
    return None if value.type.optional else board_of(value, scope)


def neighbours(value: Expr, node: n.Unary, scope: Scope) -> Expr:
    """The cards that touch a card on a grid."""
    board = board_of(value, scope)
    assert board is not None and isinstance(value, ir.TopAt)
    near = ir.Beside(_places(board), value.at, _cells(board), beside(board, REACH[node.operator]))
    return cards_at(board, filled(board, near, scope), node.span)


def _places(board: Board) -> t.Type:
    return t.list_of(t.place(board.zone.element.component))


def _cells(board: Board) -> tuple[int, ...]:
    return tuple(range(board.zone.width * board.zone.height))


@checks(n.Around)
def _around(node: n.Around, scope: Scope) -> Expr:
    no_attribute(node.variable, node.start, scope)
    start = check(node.start, scope)
    board = known_with_cell(start, scope)
    if start.type.kind == "error":
        return start
    reach = REACH[node.reach]
    if start.type.kind == "cell":
        return _cells_around(node, start, reach, scope)
    if start.type.optional and start.type.kind == "face":
        return scope.declared.report("PW301", "this may be no card at all", node.start.span)
    if board is None or not isinstance(start, ir.TopAt):
        message = "this is {type}, a group is connected around a cell or a card of the grid"
        return scope.declared.report("PW301", message, node.start.span, "loop over the cards first: `some c in card: ...`", type=start.type)  # fmt: skip
    if (board.zone.hexagonal or board.zone.joined) and True in reach:
        return no_diagonals(node.span, scope)
    inner, slot = scope.bind(node.variable.name, _places(board).element or ERROR)
    body = check_condition(node.body, inner.copy(places={**scope.places, slot: board}))
    whole = ir.And(_filled(board, slot), body, span=node.body.span)
    group = ir.Around(_places(board), slot, start.at, _cells(board), beside(board, reach), whole, span=node.span)
    return cards_at(board, group, node.span)


def _cells_around(node: n.Around, start: Expr, reach: Reach, scope: Scope) -> Expr:
    """The cells that are connected with a cell."""
    grid = on_a_grid(start, scope)
    if grid is None:
        return ir.Const(ERROR, None, span=node.span)
    if (grid.hexagonal or grid.joined) and True in reach:
        return no_diagonals(node.span, scope)
    inner, slot = scope.bind(node.variable.name, t.cell(grid))
    body = check_condition(node.body, inner)
    type_ = t.list_of(t.cell(grid))
    return ir.Around(type_, slot, start, cells_of(grid), numbers_beside(grid, reach), body, span=node.span)
