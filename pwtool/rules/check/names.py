"""Names, zones, attributes and definitions."""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import FAR
from pwtool.ir.model import AttributeModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, ERROR, GOAL, NOTHING, PLAYER, Type
from pwtool.lang import tree as n
from pwtool.rules.check.cells import check_cell, direction
from pwtool.rules.check.dispatch import check, checks, value_beside
from pwtool.rules.check.divided import fits, place_of, read_part, seat_meant
from pwtool.rules.check.heights import HEIGHT, has_height, height_at, height_of, is_height
from pwtool.rules.check.places import card_at, cards_at, filled
from pwtool.rules.check.scope import AsksWhere, Board, Matched, Scope, marked_thing, marked_things
from pwtool.rules.check.unknown import no_height, of_one_thing, player_missing, unknown_call, unknown_name
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line


@checks(n.Number)
def _number(node: n.Number, scope: Scope) -> Expr:
    return ir.Const(t.number(node.value, node.value), node.value, span=node.span)


@checks(n.Nothing)
def _nothing(node: n.Nothing, scope: Scope) -> Expr:
    return ir.Const(NOTHING, None, span=node.span)


@checks(n.Seat)
def _seat(node: n.Seat, scope: Scope) -> Expr:
    fewest = scope.declared.min_players
    if not 1 <= node.number <= fewest:
        message = "there may be no seat {number}, the game is for {players} players"
        help_line = "`seat 1` to `seat {fewest}` are always there" if fewest > 1 else "`seat 1` is always there"
        return scope.declared.report("PW306", message, node.span, help_line, number=node.number, players=scope.declared.players, fewest=fewest)  # fmt: skip
    return ir.Const(PLAYER, node.number - 1, span=node.span)


@checks(n.Name)
def _name(node: n.Name, scope: Scope) -> Expr:
    name, span, declared = node.name, node.span, scope.declared
    if name in scope.locals:
        slot, type_ = scope.locals[name]
        if type_.kind == "order":
            return declared.report("PW301", "`{name}` is random, only `shuffle {name}` speaks of it", span, name=name)
        if slot in scope.grids:
            return replace(scope.grids[slot], span=span)
        local = ir.Local(type_, slot, span=span)
        return card_at(scope.places[slot], local, span) if type_.kind == "place" else local
    if scope.matched and name in scope.matched.names:
        return _cells_named(node, scope.matched, scope)
    if scope.subject and scope.subject[1].kind == "pile" and name == "height":
        return _height_of_subject(scope.subject, node, scope)
    if scope.subject:
        slot, type_ = scope.subject
        # A condition on a pile is about its visible card.
        told = type_.element if type_.kind == "pile" and type_.element else type_
        attribute = attribute_model(told, name, scope)
        if attribute:
            subject: Expr = ir.Local(type_, slot, span=span)
            if slot in scope.places:
                subject = card_at(scope.places[slot], _cell_of(slot, told, span), span)
            elif type_.kind == "pile":
                subject = ir.Top(told, subject, span=span)
            type_ = replace(attribute.type, optional=told.optional or attribute.type.optional)
            return _seated(ir.Attribute(type_, subject, told.component, name, span=span), attribute, scope)
    if name == "player":
        if not scope.has_player:
            help_line = "an objective looks at one grid" if scope.in_objective else scope.nobody
            return declared.report("PW301", "`player` has no meaning here", span, help_line)
        return ir.Actor(span=span)
    if name == "other player":
        return _other_player(span, scope)
    if name == "players":
        return ir.Players(span=span)
    if name == "goals" and declared.goal_zone:
        return ir.Goals(span=span)
    if name in ("true", "false"):
        return ir.Const(BOOL, name == "true", span=span)
    if name == "total" and scope.in_ranking:
        return ir.Total(span=span)
    if name in declared.variables:
        declared.used.add(("var", name))
        variable = declared.variables[name]
        held = ir.Variable(variable.held, variable.number, span=span)
        if not variable.each:
            return held
        if not scope.has_player:
            message = "every player has a `{name}`, and no player is meant here"
            return declared.report("PW302", message, span, player_missing(name, scope), name=name)
        return ir.Element(variable.type, held, ir.Actor(span=span), span=span)
    if name in declared.divided:
        help_line = Told("name one of them: {example}", example=f"`{name}[...]`")
        message = "`{name}` has a value for each {indices}"
        return declared.report("PW302", message, span, help_line, name=name, indices=declared.divided[name].indices)
    if name in declared.zones:
        return _zone(declared.zones[name], (), node, scope)
    if name in declared.defines:
        return _call(n.Call(span, node, ()), scope)
    if scope.matched is not None and name != "pile" and scope.matched.holds(name, scope.board):
        return matched_faces(scope.matched, node, scope)
    for component in declared.components.values():
        if scope.board is not None and name == component.name and scope.board.zone.element == t.face(name):
            return replace(scope.board.faces, span=span)
    if scope.board is not None and name == "buried":
        return buried_cards(scope.board, node)
    for component in declared.components.values():
        for attribute in component.attributes.values():
            if attribute.type.kind == "member" and name in attribute.table:
                return ir.Const(attribute.type, name, span=span)
    for component in declared.components.values():
        if name in component.numbers:
            return ir.Const(t.face(component.name), component.numbers[name], span=span)
    return direction(name, span, scope) or unknown_name(node, scope)


def _other_player(span: Span, scope: Scope) -> Expr:
    """The one who does not act, in a game of two."""
    declared = scope.declared
    if (declared.min_players, declared.max_players) != (2, 2):
        help_line = "`player after player` is the next one in seat order"
        return declared.report("PW301", "`other player` has a meaning where two play", span, help_line)
    if not scope.has_player:
        return declared.report("PW301", "`other player` has no meaning here", span, scope.nobody)
    return ir.PlayerAfter(ir.Actor(span=span), span=span)


def _cell_of(slot: int, card: Type, span: Span | None) -> Expr:
    return ir.Local(t.place(card.component), slot, span=span)


def _height_of_subject(subject: tuple[int, Type], node: n.Name, scope: Scope) -> Expr:
    """The height of the current pile, or of the cell of a shape."""
    slot, pile = subject
    if slot in scope.places and pile.element is not None:
        return height_at(scope.places[slot], _cell_of(slot, pile.element, node.span), node.span)
    return ir.Count(ir.Local(pile, slot, span=node.span), span=node.span)


def _cells_named(node: n.Name, matched: Matched, scope: Scope) -> Expr:
    cells = matched.names[node.name]
    if len(cells) == 1:
        return matched_card(matched, cells[0], node.span)
    held = ir.Local(matched.held, matched.slot, span=node.span)
    several = marked_things(matched.held, held, cells, node.span)
    if matched.by_cell:
        return _on_cells(matched, several, not matched.maybe.isdisjoint(cells), node, scope)
    return several


def matched_card(matched: Matched, at: int, span: Span) -> Expr:
    """The card on a cell of a shape, by its number in the picture."""
    held = ir.Local(matched.held, matched.slot, span=span)
    one = marked_thing(matched.held, held, at, span)
    return card_at(matched.board, one, span, optional=at in matched.maybe) if matched.by_cell else one


def matched_faces(matched: Matched, node: n.Node, scope: Scope) -> Expr:
    """The cards of a shape."""
    held = ir.Local(matched.held, matched.slot, span=node.span)
    return _on_cells(matched, held, matched.missing, node, scope) if matched.by_cell else held


def matched_cells(matched: Matched, node: n.Node, scope: Scope) -> Expr:
    """The cells of a shape with a card, by their numbers."""
    if not matched.by_cell:
        raise AsksWhere(matched.slot)
    held = ir.Local(matched.held, matched.slot, span=node.span)
    return filled(matched.board, held, scope) if matched.missing else held


def _on_cells(matched: Matched, cells: Expr, missing: bool, node: n.Node, scope: Scope) -> Expr:
    """The cards on some cells of a shape; all of them have one unless some may be `missing`."""
    return cards_at(matched.board, filled(matched.board, cells, scope) if missing else cells, node.span)


def buried_cards(board: Board, node: n.Node) -> Expr:
    """The covered cards of a grid."""
    return ir.Each(t.list_of(board.zone.element), board.cells, "covered", span=node.span)


def attribute_model(type_: Type, name: str, scope: Scope) -> AttributeModel | None:
    component = scope.declared.components.get(type_.component) if type_.kind in ("face", "place") else None
    return component.attributes.get(name) if component else None


def container_type(zone: ZoneModel) -> Type:
    """The type of one zone, with all its indices given."""
    if zone.kind == "grid":
        return Type("grid", component=zone.element.component, element=Type("pile", element=zone.element))
    return Type("bag" if zone.kind == "bag" else "pile", element=zone.element)


def _zone(zone: ZoneModel, indices: tuple[n.Node, ...], node: n.Node, scope: Scope) -> Expr:
    """A zone with its indices; a missing `player` index is the player whose turn it is."""
    declared = scope.declared
    declared.used.add(("zone", zone.name))
    dimensions = list(zone.dimensions)
    of = zone.grid if zone.kind == "grid" else None
    written = [check_cell(i, of, scope) for i in indices]
    cell = None
    if zone.kind == "grid" and written and written[-1].type.kind in ("cell", "error"):
        cell = written.pop()
    args: list[Expr] = []
    for position, (dimension, size) in enumerate(dimensions):
        left = len(dimensions) - position
        if dimension == "player" and len(written) < left and not (written and written[0].type.kind == "player"):
            if not scope.has_player:
                message = "`{zone}` belongs to a player, and none is meant here"
                return declared.report("PW302", message, node.span, player_missing(zone.name, scope), zone=zone.name)
            args.append(ir.Actor(span=node.span))
            continue
        if not written:
            break
        index = written.pop(0)
        division = declared.zone_divisions.get(zone.name) if dimension == "number" else None
        if division is not None:
            index = value_beside(index, division.type, scope)
            if not fits(index, division, zone.name, _dimensions(zone, scope), declared):
                return ir.Const(ERROR, None, span=node.span)
            args.append(place_of(index, division))
            continue
        wanted = {"player": PLAYER, "goal": GOAL}.get(dimension, t.number(1, size))
        if index.type.optional:
            return declared.report(
                "PW301", "this may have no value", index.span, "an index needs one: `(... else ...)`"
            )
        if dimension == "number" and index.type.kind == "int" and not (index.type.low >= 1 and index.type.high <= size):
            low, high = index.type.low, index.type.high
            beyond = (
                Told("there is no {number}", number=str(low)) if low == high else Told("this goes from {low} to {high}", low=str(low), high=str(high))
            )  # fmt: skip
            message = "`{zone}` has places 1 to {size}, {beyond}"
            return declared.report(
                "PW302" if isinstance(index, ir.Const) else "PW306", message, index.span, zone=zone.name, size=size, beyond=beyond,
            )  # fmt: skip
        if index.type.kind not in (wanted.kind, "error"):
            return declared.report(
                "PW302", "`{zone}` is indexed by {dimensions}, this is {type}", index.span, seat_meant(index, wanted), zone=zone.name,
                dimensions=_dimensions(zone, scope), type=index.type,
            )  # fmt: skip
        args.append(index)
    if written and not dimensions:
        return declared.report(
            "PW302", "there is one `{zone}` for all: it has no index", written[0].span, zone=zone.name
        )
    if written:
        return declared.report(
            "PW302", "`{zone}` is indexed by {dimensions}, nothing more", written[0].span, zone=zone.name, dimensions=_dimensions(zone, scope),
        )  # fmt: skip
    if len(args) < len(dimensions):
        family = Type("family", element=container_type(zone))
        if cell is not None:
            return declared.report(
                "PW302", "`{zone}` needs {dimensions} before the cell", node.span, zone=zone.name, dimensions=_dimensions(zone, scope),
            )  # fmt: skip
        return ir.Family(family, zone.number, len(dimensions) - len(args), tuple(args), span=node.span)
    whole = ir.Zone(container_type(zone), zone.number, tuple(args), span=node.span)
    if cell is None:
        return whole
    return ir.PileAt(Type("pile", element=zone.element), whole, cell, span=node.span)


def _dimensions(zone: ZoneModel, scope: Scope) -> list[Told | str]:
    division = scope.declared.zone_divisions.get(zone.name)
    known: dict[str, Told | str] = {"player": Told("player"), "goal": Told("goal")}
    known |= {} if division is None else {"number": division.told}
    names: list[Told | str] = [
        known.get(name) or Told("a number from {low} to {high}", low=1, high=size) for name, size in zone.dimensions
    ]
    return [*names, Told("cell")] if zone.kind == "grid" else names or [Told("nothing")]


@checks(n.Index)
def _index(node: n.Index, scope: Scope) -> Expr:
    if (
        isinstance(node.value, n.Name)
        and node.value.name in scope.declared.zones
        and node.value.name not in scope.locals
    ):
        return _zone(scope.declared.zones[node.value.name], node.indices, node, scope)
    divided = scope.declared.divided.get(node.value.name) if isinstance(node.value, n.Name) else None
    if divided is not None and isinstance(node.value, n.Name) and node.value.name not in scope.locals:
        return read_part(node, divided, scope)
    value = _held_by_each(node, scope) or check(node.value, scope)
    if value.type.kind == "grid" and len(node.indices) == 1:
        zone = scope.declared.zone_of(value)
        cell = check_cell(node.indices[0], zone.grid if zone else None, scope)
        if cell.type.kind in ("cell", "error"):
            element = value.type.element or ERROR
            return ir.PileAt(element, value, cell, span=node.span)
    if value.type.kind == "each" and len(node.indices) == 1:
        return _of_player(value, check(node.indices[0], scope), scope)
    if value.type.kind == "error":
        return value
    together = None
    if isinstance(node.value, n.Index):
        indices = [one_line(index.span.text) for index in (*node.value.indices, *node.indices)]
        together = Told("write `{text}`", text=f"{one_line(node.value.value.span.text)}[{', '.join(indices)}]")
    return scope.declared.report("PW302", "{type} cannot be indexed", node.span, together, type=value.type)


def _held_by_each(node: n.Index, scope: Scope) -> Expr | None:
    """All values of a variable per player; None for anything else."""
    name = node.value
    if not isinstance(name, n.Name) or name.name in scope.locals or len(node.indices) != 1:
        return None
    variable = scope.declared.variables.get(name.name)
    if variable is None or not variable.each:
        return None
    scope.declared.used.add(("var", variable.name))
    return ir.Variable(variable.held, variable.number, span=node.span)


def _of_player(value: Expr, index: Expr, scope: Scope) -> Expr:
    """One player's value of a variable per player, or of a parameter that all players name at once."""
    if index.type.kind not in ("player", "error"):
        return scope.declared.report("PW302", "a player is needed here, this is {type}", index.span, type=index.type)
    if index.type.optional:
        return scope.declared.report("PW301", "this may be no player", index.span, "an index needs one")
    return ir.Element(value.type.element or ERROR, value, index, span=value.span)


_COORDINATES = {"column": 0, "row": 1}
_STEPS = {"columns": 0, "rows": 1}


@checks(n.Attribute)
def _attribute(node: n.Attribute, scope: Scope) -> Expr:
    value = check(node.value, scope)
    if value.type.kind == "error":
        return value
    if value.type.kind == "cell":
        at = _COORDINATES.get(node.name.name)
        if at is None:
            return scope.declared.unknown("attribute of a cell", node.name, _COORDINATES, "PW303")
        grid = value.type.grid
        low, high = (-FAR, FAR) if grid is None or grid.floating else (0, (grid.width, grid.height)[at] - 1)
        number = Type("int", low=low, high=high, optional=value.type.optional)
        return ir.Coordinate(number, value, at, span=node.span)
    if value.type.kind == "direction":
        at = _STEPS.get(node.name.name)
        if at is None:
            return scope.declared.unknown("attribute of a direction", node.name, _STEPS, "PW303")
        number = Type("int", low=value.type.low, high=value.type.high, optional=value.type.optional)
        return ir.Coordinate(number, value, at, span=node.span)
    attribute = attribute_model(value.type, node.name.name, scope)
    if is_height(node.name.name, value.type, scope):
        return height_of(value, node.span, scope) or no_height(value, node.name, scope)
    if attribute is None:
        if value.type.kind != "face":
            help_line = of_one_thing(value, node.name, scope)
            return scope.declared.report("PW303", "{type} has no attributes", node.name.span, help_line, type=value.type)  # fmt: skip
        component = scope.declared.components[value.type.component]
        known = [*component.attributes, *([HEIGHT] if has_height(value) else [])]
        return scope.declared.unknown(Told("attribute of {component}", component=component.name), node.name, known, "PW303")  # fmt: skip
    type_ = replace(attribute.type, optional=value.type.optional or attribute.type.optional)
    return _seated(ir.Attribute(type_, value, value.type.component, node.name.name, span=node.span), attribute, scope)


def _seated(owner: ir.Attribute, model: AttributeModel, scope: Scope) -> Expr:
    """An attribute as written; an owner only if that seat is taken: with few players, some things have no owner."""
    if owner.type.kind != "player" or all(seat is None or seat < scope.declared.min_players for seat in model.table):
        return owner
    held = ir.Local(PLAYER, scope.new_slot())
    there = ir.Compare("==", held, owner, span=owner.span)
    return ir.Pick(replace(PLAYER, optional=True), "first", held.slot, ir.Players(), there, span=owner.span)


@checks(n.Call)
def _call(node: n.Call, scope: Scope) -> Expr:
    declared = scope.declared
    define = declared.defines.get(node.name.name)
    if define is None:
        return unknown_call(node, scope)
    declared.used.add(("define", node.name.name))
    if node.name.name in scope.defining:
        return declared.report("PW208", "`{name}` is defined by itself", node.span, name=node.name.name)
    if len(node.arguments) != len(define.parameters):
        return declared.report(
            "PW301", "`{name}` takes {count} values, here are {given}", node.span, name=node.name.name, count=len(define.parameters),
            given=len(node.arguments),
        )  # fmt: skip
    arguments = [check(a, scope) for a in node.arguments]
    inner = scope.copy(defining=(*scope.defining, node.name.name), locals={}, subject=None)
    slots = []
    for parameter, argument in zip(define.parameters, arguments, strict=True):
        inner, slot = inner.bind(parameter.name, argument.type)
        slots.append(slot)
        if isinstance(argument, ir.Zone) and argument.type.kind == "grid":
            # What has to know which grid is meant (its cells, shapes on it) may be asked of it.
            inner.grids = {**inner.grids, slot: argument}
    body = check(define.body, inner)
    for slot, argument in reversed(list(zip(slots, arguments, strict=True))):
        body = body if slot in inner.grids else ir.Let(slot, argument, body, span=node.span)
    return body
