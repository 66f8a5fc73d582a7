"""`some`, `every`, `no`, counts and sums over a domain, and shapes on a board."""

from __future__ import annotations

import re
from typing import Literal

from msgspec.structs import replace
from msgspec.structs import replace as with_

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, ERROR, NOTHING, Type
from pwtool.ir.walk import walk
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk as all_parts
from pwtool.rules.check.cells import check_cell
from pwtool.rules.check.dispatch import check, check_condition, checks
from pwtool.rules.check.heights import is_height, over_piles
from pwtool.rules.check.loops import KINDS
from pwtool.rules.check.names import buried_cards, matched_card, matched_cells, matched_faces
from pwtool.rules.check.patterns import Shape, check_shape, orders_of
from pwtool.rules.check.scope import AsksWhere, Board, Matched, Scope, is_marked, marked_things
from pwtool.rules.check.slips import shape_missing
from pwtool.rules.check.unknown import attribute_alone
from pwtool.text import Fix, closest
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark
from pwtool.text.words import one_line

# The cells on which a shape can lie are plain numbers: this many of them count as one part of an expression.
_CELLS = 10
_BY_ITSELF = mark("an objective looks at this grid by itself and cannot name it")


# ---- things on a grid ------------------------------------------------------------------------------------------------


def _on(grid: n.Node | None, scope: Scope) -> Scope | None:
    """The scope for an expression about a grid: the grid that is named, otherwise the one of the objective."""
    if grid is None:
        return scope
    if _looked_at(grid, scope):
        before = re.search(r"\s+(?:on|in)\s+\Z", grid.span.file.text[: grid.span.start])
        whole = Span(grid.span.file, before.start() if before else grid.span.start, grid.span.end)
        written = one_line(whole.text)
        fix = Fix(whole, "", "leave `{written}` out", safe=True)
        scope.declared.report("PW302", _BY_ITSELF, grid.span, "leave `{written}` out", fix, written=written)
        return None
    value = check(grid, scope)
    zone = scope.declared.zone_of(value)
    if zone is None or zone.kind != "grid" or zone.element.kind != "face":
        if value.type.kind != "error":
            scope.declared.report("PW301", "shapes are looked for on a grid, this is {type}", grid.span, type=value.type)  # fmt: skip
        return None
    pile = Type("pile", element=zone.element)
    cells = ir.PilesByCell(t.list_of(pile), value, zone.width, zone.height, zone.floating)
    faces = ir.Each(t.list_of(zone.element), value, "top")
    return scope.copy(board=Board(zone, cells, faces))


def _looked_at(grid: n.Node, scope: Scope) -> bool:
    """Whether an objective names the grid that it is about anyway, and that it cannot name: each player has one."""
    board = scope.declared.board
    own = board is not None and any(dimension == "player" for dimension, _ in board.dimensions)
    return scope.in_objective and own and board is not None and isinstance(grid, n.Name) and grid.name == board.name


_Counting = tuple[ir.Counting, int]


def _counting(quantifier: n.Quantifier) -> _Counting:
    return KINDS[quantifier.kind], quantifier.number


@checks(n.OverNamed)
def _over_named(node: n.OverNamed, scope: Scope) -> Expr:
    inner = _on(node.grid, scope)
    if inner is None:
        return ir.Const(ERROR, None, span=node.span)
    if node.separate and not _separate_shapes(node, node.quantifier, node.subject, scope):
        return ir.Const(ERROR, None, span=node.span)
    return _named(node, node.subject, node.body, _counting(node.quantifier), inner, node.separate)


def _separate_shapes(node: n.Node, quantifier: n.Quantifier | None, subject: n.Name | None, scope: Scope) -> bool:
    """Whether `separate` is used where it has a meaning: with a number of placements of a shape."""
    if subject is not None and subject.name not in scope.declared.shapes:
        message = "only places of a shape may share a card: leave `separate` out"
        scope.declared.report("PW301", message, subject.span)
        return False
    if quantifier is not None and quantifier.kind not in ("least", "most", "exactly"):
        message = "`separate` says how many places share no card"
        scope.declared.report("PW301", message, node.span, "write `at least 2 separate ...`, `exactly 2 separate ...`")
        return False
    return True


def count_placements(inside: n.Placements, scope: Scope) -> Expr:
    """`count (line on board: ...)`: how often a shape, a card or a pile of the grid fulfils the condition."""
    if inside.grid is not None and _looked_at(inside.grid, scope):
        return _counted_in_objective(inside, scope)
    inner = _on(inside.grid, scope)
    if inner is None:
        return ir.Const(ERROR, None, span=inside.span)
    if not isinstance(inside.subject, n.Name):
        known = [*scope.declared.shapes, *scope.declared.components, "pile"]
        name = n.Name(inside.subject.span, inside.subject.span.text)
        return scope.declared.unknown("shape or component", name, known)
    if inside.separate and not _separate_shapes(inside, None, inside.subject, scope):
        return ir.Const(ERROR, None, span=inside.span)
    return _named(inside, inside.subject, inside.body, ("count", 0), inner, inside.separate)


def _counted_in_objective(inside: n.Placements, scope: Scope) -> Expr:
    subject, declared = inside.subject, scope.declared
    name = one_line(subject.span.text)
    if name not in (*declared.components, "buried"):
        help_line = "say how many there are: `at least 2 {name}: ...`, `exactly 2 {name}: ...`"
        return declared.report("PW302", _BY_ITSELF, inside.grid.span, help_line, name=name)
    body = _said_of_each("c", inside.body, scope)
    meant = f"(c in {name}: {body or '...'})"
    fix = Fix(inside.span, meant, safe=True) if body else None
    return declared.report("PW302", _BY_ITSELF, inside.grid.span, "write `count {meant}`", fix, meant=meant)


def _said_of_each(letter: str, body: n.Node, scope: Scope) -> str | None:
    """A condition on an unnamed element, rewritten for one with a name; None if it is more than that."""
    places: list[int] = []
    pending = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, n.Binary):
            pending += (node.left, node.right)
        elif isinstance(node, n.Unary) and node.operator in ("not", "-"):
            pending.append(node.operand)
        elif isinstance(node, n.Name):
            if node.name == letter:
                return None
            places += [node.span.start] * (attribute_alone(node, scope) is not None)
        elif not isinstance(node, n.Number):
            return None
    text = body.span.text
    for place in sorted(places, reverse=True):
        at = place - body.span.start
        text = f"{text[:at]}{letter}.{text[at:]}"
    return one_line(text)


def _named(
    node: n.Node, subject: n.Name, body: n.Node, counting: _Counting, scope: Scope, separate: bool = False
) -> Expr:
    name, declared, board = subject.name, scope.declared, scope.board
    if name in declared.shapes:
        declared.used.add(("shape", name))
        shape = declared.shapes[name]
        through = node.through if isinstance(node, n.OverNamed) else None
        return _over_shape(node, counting, (shape.picture, *shape.more), body, scope, separate, through)
    if isinstance(node, n.OverNamed) and node.through is not None:
        return declared.report("PW301", "the places of a shape go through a cell", subject.span)
    if scope.matched is not None and scope.matched.holds(name, board):
        if name == "pile":
            return over_piles(*counting, matched_cells(scope.matched, subject, scope), node, body, scope)
        return _over_items(node, matched_faces(scope.matched, subject, scope), body, counting, scope)
    if board is not None and name == board.zone.element.component:
        return _over_items(node, board.faces, body, counting, scope)
    if board is not None and name == "pile":
        piles = ir.Each(board.cells.type, board.cells, "pile", span=subject.span)
        return _over_items(node, piles, body, counting, scope)
    if board is not None and name == "buried":
        return _over_items(node, buried_cards(board, subject), body, counting, scope)
    if board is None and name in (*declared.components, "pile", "buried"):
        return _no_board(node, scope)
    known = [*declared.shapes, *declared.components, "pile", "buried"]
    attribute = attribute_alone(subject, scope) if closest(name, known) is None else None
    if attribute is not None:
        component = attribute[0].name
        help_line = "a {component} has it: `some {component}: {name} ...`"
        return declared.report("PW201", "there is no shape or component `{name}`", subject.span, help_line, component=component, name=name)  # fmt: skip
    if board is not None and any(
        isinstance(part, n.Attribute) and isinstance(part.value, n.Name) and part.value.name == name
        for part in all_parts(body)
    ):
        help_line = "say what it loops over: `{name} in {component}: ...`"
        return declared.report(
            "PW201", "there is no shape or component `{name}`", subject.span, help_line, name=name, component=board.zone.element.component,
        )  # fmt: skip
    drawn = shape_missing(subject, known, scope)
    if drawn is not None:
        return declared.report("PW201", "there is no shape or component `{name}`", subject.span, drawn, name=name)
    said = None
    if name in ("player", "players"):
        from pwtool.lang.mistakes.rewordings import PLAYER_NAMED

        said = PLAYER_NAMED
    return declared.unknown("shape or component", subject, known, help_line=said)


@checks(n.GroupSize)
def _group_size(node: n.GroupSize, scope: Scope) -> Expr:
    inner = _on(node.grid, scope)
    if inner is None:
        return ir.Const(ERROR, None, span=node.span)
    board = inner.board
    if board is None:
        return _no_board(node, scope)
    if board.zone.hexagonal or board.zone.joined:
        help_line = "use cells: `count (group n around c: ...)`"
        return scope.declared.report("PW301", "this works on grids of squares alone", node.span, help_line)
    component = scope.declared.components[board.zone.element.component]
    if is_height(node.attribute.name, board.zone.element, scope):
        help_line = "loop over the cards: `some c in {component}: count (group d around c: d.height == c.height) ...`"
        return scope.declared.report("PW303", "groups agree in an attribute", node.attribute.span, help_line, component=component.name)  # fmt: skip
    if node.attribute.name not in component.attributes:
        return scope.declared.unknown(Told("attribute of {component}", component=component.name), node.attribute, component.attributes, "PW303")  # fmt: skip
    size = t.number(0, board.zone.width * board.zone.height)
    which: Literal["largest", "smallest"] = "smallest" if node.which == "smallest" else "largest"
    name, width = node.attribute.name, board.zone.width
    return ir.GroupSize(size, board.cells, which, component.name, name, width, span=node.span)


def _no_board(node: n.Node, scope: Scope) -> Expr:
    message = "this looks at a grid, and none is meant here"
    return scope.declared.report("PW301", message, node.span, "name it: `some ... on GRID: ...`")


def _over_items(node: n.Node, items: Expr, body: n.Node, counting: _Counting, scope: Scope) -> Expr:
    slot = scope.new_slot()
    condition = check_condition(body, scope.copy(subject=(slot, items.type.element)))
    zone = scope.board.zone if scope.board is not None and items == scope.board.faces else None
    if zone is not None and counting[0] in ("least", "exactly") and counting[1] > zone.width * zone.height:
        cells = zone.width * zone.height
        scope.declared.warn("PW306", "there are never {many}, the grid has {cells} cells", node.span, many=counting[1], cells=cells)  # fmt: skip
    return ir.counted(*counting, slot, items, condition, node.span)


@checks(n.OverPicture)
def _over_picture(node: n.OverPicture, scope: Scope) -> Expr:
    inner = _on(node.grid, scope)
    if inner is None:
        return ir.Const(ERROR, None, span=node.span)
    if node.separate and not _separate_shapes(node, node.quantifier, None, scope):
        return ir.Const(ERROR, None, span=node.span)
    return _over_shape(node, _counting(node.quantifier), (node.picture,), node.body, inner, node.separate, node.through)


_ROOM_BY_PLACE = mark("turned or mirrored, this picture lies on the same cells in several ways, each with its `.` over other cells")  # fmt: skip
_NO_BORDER = mark("leave out the rows and columns that are only `.`, or write each way as a picture of its own")
_MISSING_BY_PLACE = mark("this shape lies on the same cells in several ways, each with its `?` over other cells")
_NOT_TURNED = mark("only `some`, `no` and numbers that are `separate` can be asked of it; leave out `turned` and `mirrored`, or the `?`")  # fmt: skip


def _over_shape(
    node: n.Node,
    counting: _Counting,
    pictures: tuple[n.Picture, ...],
    body: n.Node | None,
    scope: Scope,
    separate: bool = False,
    through: n.Node | None = None,
) -> Expr:
    declared, board = scope.declared, scope.board
    if board is None:
        return _no_board(node, scope)
    number = None if through is None else _number_of(through, board, scope)
    if number is not None and number.type.kind == "error":
        return number
    found = check_shape(pictures, board.zone, declared)
    if found is None:
        return ir.Const(ERROR, None, span=node.span)
    placements, span = found.placements, pictures[0].span
    if separate and not all(needs for needs, _ in placements):
        return declared.report("PW102", "no card lies on this shape that could be shared", span, "leave `separate` out")
    if not found.once and found.missing and not separate and counting[0] not in ("some", "no"):
        return declared.report("PW102", _MISSING_BY_PLACE, span, _NOT_TURNED)
    if not found.once and not separate and counting[0] not in ("some", "every", "no"):
        return declared.report("PW102", _ROOM_BY_PLACE, span, _NO_BORDER)
    slot = scope.new_slot()
    matched = Matched(
        slot,
        found.size,
        found.names,
        board.zone.element,
        board,
        found.missing or number is not None,
        found.missing,
        found.maybe,
        found.marked,
    )
    declared.count(sum(len(needs) + len(free) for needs, free in placements) // _CELLS)
    before, told = declared.parts, len(declared.diagnostics)
    try:
        condition = _of_the_cells(node, found, matched, span, body, scope)
    except AsksWhere as asked:
        if asked.slot != slot:
            raise
        del declared.diagnostics[told:]
        matched = with_(matched, by_cell=True)
        condition = _of_the_cells(node, found, matched, span, body, scope)
    orders = orders_of(pictures, board.zone.hexagonal) if _reads_order(condition) else []
    if orders is None:
        return declared.report("PW102", _ROOM_BY_PLACE, span, _NO_BORDER)
    if len(orders) > 1:
        # The condition occurs once for each order.
        declared.count((len(orders) - 1) * (declared.parts - before + 1))
        read, slot = slot, scope.new_slot()
        condition = _in_any_order(condition, slot, read, matched.held, orders)
    if number is not None:
        has = ir.In(number, ir.Local(matched.held, slot), span=number.span)
        either = ir.Not(has) if counting[0] == "every" else has
        condition = (ir.Or if counting[0] == "every" else ir.And)(either, condition, span=node.span)
    cells = found.cells if matched.by_cell else ()
    places = ir.Places(t.list_of(matched.held), placements, board.cells, cells, separate, span=span)
    if separate and counting[0] in ("least", "exactly") and counting[1] > places.most:
        message = "there are never {many} that share no card, {most} would fill the grid"
        declared.warn("PW306", message, node.span, many=counting[1], most=places.most)
    return ir.counted(*counting, slot, places, condition, node.span)


def _number_of(cell: n.Node, board: Board, scope: Scope) -> Expr:
    """The number of a cell of the grid on which a shape lies."""
    zone, found = board.zone, check_cell(cell, board.zone.grid, scope)
    if found.type.kind == "error":
        return found
    if found.type.kind != "cell" or zone.floating or found.type.grid != zone.grid:
        message = "this is a grid that floats" if zone.floating else "this is {type}, a cell of `{zone}` is needed"
        return scope.declared.report("PW301", message, cell.span, type=found.type, zone=zone.name)
    if found.type.optional:
        return scope.declared.report(
            "PW301", "this may be no cell at all", cell.span, "give a default: `(... else ...)`"
        )
    if isinstance(found, ir.Const):
        column, row = found.value
        return ir.Const(t.place(zone.element.component), row * zone.width + column, span=cell.span)
    column, row = (
        ir.Coordinate(t.number(0, size - 1), found, axis) for axis, size in enumerate((zone.width, zone.height))
    )
    above = ir.Arithmetic(
        t.number(0, zone.width * zone.height), "*", row, ir.Const(t.number(0, zone.width), zone.width)
    )
    return ir.Arithmetic(t.place(zone.element.component), "+", above, column, span=cell.span)


def _of_the_cells(node: n.Node, shape: Shape, matched: Matched, span: Span, body: n.Node | None, scope: Scope) -> Expr:
    """The condition on the cells of a shape: the numbers in its picture, and the condition after it."""
    conditions: list[Expr] = []
    for at, attribute, value in shape.fixed:
        component, name = attribute
        model, number = scope.declared.components[component].attributes[name].type, t.number(value, value)
        card = matched_card(matched, at, span)
        if card.type.optional:
            # A missing cell has no number.
            read = ir.Attribute(replace(model, optional=True), card, *attribute)
            known = (ir.Compare("==", read, c) for c in (ir.Const(number, value), ir.Const(NOTHING, None)))
            conditions.append(ir.Or(*known))
            continue
        conditions.append(
            ir.Compare("==", ir.Attribute(model, card, *attribute), ir.Const(number, value, span=span), span=span)
        )
    if body is not None:
        conditions.append(check_condition(body, scope.copy(matched=matched, subject=None)))
    condition: Expr = conditions[0] if conditions else ir.Const(BOOL, True, span=span)
    for part in conditions[1:]:
        condition = ir.And(condition, part, span=node.span)
    return condition


def _reads_order(expr: Expr) -> bool:
    return any(
        is_marked(part) or isinstance(part, ir.Reads) or (isinstance(part, ir.Alike) and part.kind == "ascending")
        for part in walk(expr)
    )


def _in_any_order(condition: Expr, slot: int, read: int, faces: Type, orders: list[tuple[int, ...]]) -> Expr:
    """The condition on the faces of a placement (local `slot`), read (local `read`) in one of the orders in which the shape can lie
    there.
    """
    whole = ir.Local(faces, slot)
    found: Expr | None = None
    for order in orders:
        one = ir.Let(read, marked_things(faces, whole, order, None), condition, span=condition.span)
        found = one if found is None else ir.Or(found, one, span=condition.span)
    assert found is not None
    return found
