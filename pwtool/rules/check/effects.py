"""Effects: moves, assignments to variables, and loops over the elements of a collection."""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import FAR
from pwtool.ir.model import ComponentModel, EffectModel, ParameterModel, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type
from pwtool.ir.walk import walk
from pwtool.lang import tree as n
from pwtool.rules.check.cells import check_as
from pwtool.rules.check.dispatch import instead_of_nothing
from pwtool.rules.check.divided import set_part
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.loops import domain_of
from pwtool.rules.check.operators import negated
from pwtool.rules.check.scope import Declared, Scope
from pwtool.rules.check.unknown import no_attribute
from pwtool.text import did_you_mean
from pwtool.text.speech import Told
from pwtool.text.words import one_line

MAX_EFFECTS = 500


def build_effect(node: n.Node, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    """A checked effect; None if it has an error."""
    scope.declared.count()
    if isinstance(node, n.ForEach):
        return _for_each(node, scope, parameters)
    assert isinstance(node, n.Effect)
    when = check_condition(node.when, scope) if node.when else None
    if node.kind == "move":
        return _move(node, when, scope, parameters)
    if node.kind in ("add", "take", "set"):
        return _variable_effect(node, when, scope)
    if node.kind == "turn":
        return _turn(node, when, scope, parameters)
    assert isinstance(node.what, n.Name)
    if node.kind == "shuffle":
        return _shuffle(node.what, scope, parameters)
    return _token_effect(node, node.what, when, scope)


def _target(node: n.Node, scope: Scope, may_lack: bool = False) -> tuple[Expr, Expr | None] | None:
    """The target of a move: the zone, and the cell of a grid. `may_lack`: the cell may be missing, which is checked in
    play.
    """
    target = check(node, scope)
    if target.type.kind == "error":
        return None
    if isinstance(target, ir.PileAt):
        cell = inside(target.cell, scope.declared.zone_of(target.grid))
        if cell.type.optional and not may_lack:
            if not target.cell.type.optional:
                scope.declared.report("PW301", "this may be a cell that the grid does not have", node.span)
                return None
            scope.declared.report("PW301", "this may be no cell at all", node.span, "give a default: `(... else ...)`")
            return None
        return target.grid, cell
    if isinstance(target, ir.Zone) and target.type.kind in ("bag", "pile"):
        return target, None
    help_line: str | None = None
    if target.type.kind in ("cell", "grid"):
        what = (
            f"ZONE[{one_line(node.span.text)}]" if target.type.kind == "cell" else f"{one_line(node.span.text)}[CELL]"
        )
        help_line = Told("write `{text}`", text=what)
    scope.declared.report("PW301", "things move to a zone, this is {type}", node.span, help_line, type=target.type)
    return None


def inside(cell: Expr, zone: ZoneModel | None) -> Expr:
    """A cell of a grid that does not float: None if it may be a cell of another grid and not of this one."""
    if zone is None or zone.floating or cell.type.kind == "error" or cell.type.grid == zone.grid:
        return cell
    number = replace(t.number(-FAR, FAR), optional=cell.type.optional)
    column, row = (ir.Coordinate(number, cell, axis, span=cell.span) for axis in (0, 1))
    return ir.CellAt(column, row, zone.grid, span=cell.span)


def _move(node: n.Effect, when: Expr | None, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    declared = scope.declared
    assert node.target is not None
    target = _target(node.target, scope, may_lack=bool(scope.in_action) and not scope.in_loop)
    _check_slot(node, target, scope)
    if isinstance(node.what, n.Name) and node.amount is None:
        parameter = next((p for p in parameters if p.name == node.what.name), None)
        if parameter and parameter.kind in ("element", "elements", "tops"):
            if target is None:
                return None
            element = parameter.type if parameter.kind == "element" else parameter.type.element
            _check_place(element, target, node, declared)
            if scope.in_loop:
                declared.report("PW301", "`{parameter}` moves once, not for each of several", node.what.span, parameter=parameter.name)  # fmt: skip
            source = "tops" if parameter.kind == "tops" else "parameter"
            return EffectModel("move", when, source, parameter.slot, None, *target, origin=parameter.origin)
        found = node.what.name in scope.locals and (parameter is None or parameter.kind == "derived")
        if node.what.name not in declared.zones and not found:
            put = None
            if node.what.name in declared.tokens and node.target is not None:
                put = Told(
                    "a token is put: `put {token} on {place}`",
                    token=node.what.name,
                    place=one_line(node.target.span.text),
                )
            known = [*(p.name for p in parameters), *declared.zones]
            declared.unknown("parameter or zone to move", node.what, known, help_line=put)
            return None
    if node.amount is not None:
        return _move_some(node, node.amount, when, target, scope)
    value = check(node.what, scope)
    if value.type.kind == "error" or target is None:
        return None
    if isinstance(value, ir.Top) and isinstance(value.pile, ir.Zone | ir.PileAt):
        if any(part == value for place in target if place is not None for part in walk(place)):
            declared.warn(
                "PW301", "`{what}` has left when this place is found: the next one is meant", node.target.span, "name where it goes with `let`",
                what=one_line(node.what.span.text),
            )  # fmt: skip
        _check_place(value.type, target, node, declared)
        return EffectModel("move", when, "top", 0, value.pile, *target)
    if isinstance(value, ir.Zone | ir.PileAt) and value.type.kind in ("bag", "pile"):
        if not _has_cell(value, node, scope):
            return None
        _check_place(value.type.element, target, node, declared)
        return EffectModel("move", when, "whole", 0, value, *target)
    origin = origin_of(value, scope)
    if origin is not None:
        if not _has_cell(origin[0], node, scope):
            return None
        _check_place(value.type, target, node, declared)
        source = "last" if origin[1] else "found"
        return EffectModel("move", when, source, 0, value, *target, origin=origin[0])
    message, help_line = "only a parameter, a zone, the top of one or a thing found in one can move", None
    if value.type.kind in ("face", "int"):
        message = "it is not known where this lies"
        help_line = "name the zone that it is taken from: `move (first c in hand: ...) to ...`"
    declared.report("PW301", message, node.what.span, help_line)
    return None


def _move_some(
    node: n.Effect, amount: n.Node, when: Expr | None, target: tuple[Expr, Expr | None] | None, scope: Scope
) -> EffectModel | None:
    """`move 3 of stock to hand`: the top three."""
    declared = scope.declared
    many, value = check(amount, scope), check(node.what, scope)
    if many.type.kind == "error" or value.type.kind == "error" or target is None:
        return None
    if many.type.kind != "int":
        declared.report("PW301", "this is {type}, how many move is a number", amount.span, type=many.type)
        return None
    if many.type.optional:
        declared.report("PW301", "this may have no value", amount.span, instead_of_nothing(many))
        return None
    if not isinstance(value, ir.Zone | ir.PileAt) or value.type.kind not in ("bag", "pile"):
        declared.report("PW301", "so many things move out of a zone, this is {type}", node.what.span, type=value.type)
        return None
    element = value.type.element
    if value.type.kind == "bag" and not _all_alike(element, declared):
        help_line = "let the players name them with a parameter, or chance"
        declared.report("PW301", "it is not clear which things of the bag move", node.what.span, help_line)
        return None
    if not _has_cell(value, node, scope):
        return None
    _check_place(element, target, node, declared)
    return EffectModel("move", when, "some", 0, value, *target, amount=many)


def _all_alike(element: Type | None, declared: Declared) -> bool:
    """Whether there is only one kind of thing, so that it does not matter which ones are taken."""
    if element is None or element.kind != "face":
        return element is not None and element.kind == "int" and element.low == element.high
    return len(declared.components[element.component].codes) == 1


def _has_cell(place: Expr, node: n.Effect, scope: Scope) -> bool:
    """Whether the source of a move always exists."""
    if not isinstance(place, ir.PileAt) or not place.cell.type.optional:
        return True
    help_line = "give a default: `(... else ...)`"
    scope.declared.report("PW301", "this may be no cell at all", node.what.span, help_line)
    return False


def _check_slot(node: n.Effect, target: tuple[Expr, Expr | None] | None, scope: Scope) -> None:
    """A slot takes one thing: `for each` has to put each thing into a different slot."""
    zone = scope.declared.zone_of(target[0]) if target is not None else None
    if zone is None or zone.kind != "slot" or not scope.in_loop or not isinstance(target and target[0], ir.Zone):
        return
    assert target is not None and isinstance(target[0], ir.Zone)
    named = {index.slot for index in target[0].indices if isinstance(index, ir.Local)}
    if not named >= set(scope.in_loop):
        help_line = "loop over numbers or players, and name one of them in `{zone}[...]`"
        scope.declared.report("PW301", "a slot of `{zone}` holds one thing", node.span, help_line, zone=zone.name)


def origin_of(value: Expr, scope: Scope) -> tuple[Expr, bool] | None:
    """The zone in which a computed thing is found, and whether it is the last such thing there; None if unknown."""
    match value:
        case ir.Local():
            return scope.origins.get(value.slot)
        case ir.Top():
            place = value.pile
            last = True
        case ir.Pick():
            place = value.domain
            last = value.which == "last"
        case ir.Else() | ir.If():
            parts = (value.value, value.default) if isinstance(value, ir.Else) else (value.then, value.otherwise)
            one, other = (origin_of(part, scope) for part in parts)
            return one if one == other else None
        case _:
            return None
    place = _restricted(place)
    return (place, last) if isinstance(place, ir.Zone | ir.PileAt) and place.type.kind in ("bag", "pile") else None


def _restricted(value: Expr) -> Expr:
    """The zone that a collection is a part of: `hand where ...` is in the hand."""
    while isinstance(value, ir.Where):
        value = value.domain
    return value


def found_in(scope: Scope, slot: int, origin: tuple[Expr, bool] | None) -> Scope:
    """A scope that knows where a thing was found."""
    return scope if origin is None else scope.copy(origins={**scope.origins, slot: origin})


def _turn(node: n.Effect, when: Expr | None, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    """`turn top of board[at] to king`: a thing, or everything in a place, gets another state and stays where it is."""
    declared = scope.declared
    value = check(node.what, scope)
    named = node.what.name if isinstance(node.what, n.Name) else ""
    parameter = next((p for p in parameters if p.name == named and p.kind in ("element", "elements")), None)
    whole = isinstance(value, ir.Zone | ir.PileAt) and value.type.kind in ("bag", "pile")
    thing = value.type.element if whole or (parameter is not None and parameter.kind == "elements") else value.type
    if thing is None or thing.kind == "error":
        return None
    if thing.kind != "face":
        declared.report("PW301", "a thing in a zone is turned, this is {type}", node.what.span, type=value.type)
        return None
    faces = _states(node, declared.components[thing.component], declared)
    if faces is None:
        return None
    if whole:
        return EffectModel("turn", when, "whole", 0, value, faces=faces) if _has_cell(value, node, scope) else None
    if parameter is not None and parameter.origin is not None:
        return EffectModel("turn", when, "found", 0, value, origin=parameter.origin, faces=faces)
    origin = origin_of(value, scope)
    if origin is None:
        help_line = "name the zone in which it lies: `turn (first c in hand: ...) to ...`"
        declared.report("PW301", "it is not known where this lies", node.what.span, help_line)
        return None
    if not _has_cell(origin[0], node, scope):
        return None
    return EffectModel("turn", when, "last" if origin[1] else "found", 0, value, origin=origin[0], faces=faces)


def _states(node: n.Effect, component: ComponentModel, declared: Declared) -> tuple[int, ...] | None:
    """What each face becomes by a `turn`; None if the component has no such state."""
    wanted = node.target
    back = isinstance(wanted, n.Unary)
    name = wanted.operand if isinstance(wanted, n.Unary) else wanted
    assert isinstance(name, n.Name)
    flags = {a.name for a in component.attributes.values() if a.state and a.type.kind == "bool"}
    values = {v: a.name for a in component.attributes.values() if a.state and a.type.kind == "member" for v in a.table}
    if name.name in flags:
        return component.turned(name.name, not back)
    if name.name in values and not back:
        return component.turned(values[name.name], name.name)
    if name.name in values:
        declared.report("PW301", "`{value}` has no opposite", node.span, "say which value it gets", value=name.name)
        return None
    fixed = next((a.name for a in component.attributes.values() if name.name == a.name or name.name in a.table), None)
    if fixed is not None:
        help_line = Told(
            "write {state} before it where {component} is declared", state="`state`", component=f"`{component.name}`"
        )
        declared.report("PW301", "`{attribute}` of a {component} never changes", name.span, help_line, attribute=fixed, component=component.name)  # fmt: skip
        return None
    declared.unknown("state", name, [*flags, *values])
    return None


def _for_each(node: n.ForEach, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    """`for each x in ...: ...`."""
    declared = scope.declared
    name = node.variable.name
    if name in scope.locals:
        declared.report("PW202", "`{name}` is declared twice", node.variable.span, name=name)
    if len(node.effects) > MAX_EFFECTS:
        raise declared.stop("more than {most} effects stand here", node.effects[MAX_EFFECTS].span, most=MAX_EFFECTS)
    written = node.domain
    if isinstance(written, n.Where) and written.variable is None:
        written = replace(written, variable=node.variable)
    no_attribute(node.variable, node.domain, scope)
    domain = domain_of(written, scope)
    element = domain.type.element or t.ERROR
    if element.is_collection:
        help_line = "loop over their numbers or cells: `for each at in cells of board: ...`"
        declared.report("PW301", "an effect is done for each thing or value, not for {element}", node.domain.span, help_line, element=element)  # fmt: skip
        element = ERROR
    inner, slot = scope.bind(name, element)
    distinct = isinstance(domain, ir.Const | ir.Players | ir.Goals)
    inner = inner.copy(in_loop=(*scope.in_loop, slot if distinct else -1))
    place = _restricted(domain)
    if isinstance(place, ir.Zone | ir.PileAt):
        inner = found_in(inner, slot, (place, False))
    effects = [build_effect(effect, inner, parameters) for effect in node.effects]
    for effect in node.effects:
        if isinstance(effect, n.Effect) and effect.kind == "shuffle":
            declared.report("PW301", "an action shuffles once", effect.span)
    if element.kind == "error" or any(effect is None for effect in effects):
        return None
    return EffectModel("each", None, slot=slot, value=domain, effects=tuple(e for e in effects if e is not None))


def _check_place(element: Type | None, target: tuple[Expr, Expr | None], node: n.Effect, declared: Declared) -> None:
    zone = declared.zone_of(target[0])
    if (
        zone
        and element
        and element.kind != "error"
        and (zone.element.kind, zone.element.component) != (element.kind, element.component)
    ):
        declared.report("PW301", "`{zone}` holds other things than {element}", node.span, zone=zone.name, element=element)  # fmt: skip


def _shuffle(name: n.Name, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    orders = [p for p in parameters if p.kind == "order"]
    parameter = next((p for p in orders if p.name == name.name), None)
    if parameter is None:
        help_line = did_you_mean(name.name, [p.name for p in orders])
        help_line = help_line or "write it among the parameters: `deck: order of stock`, and then `shuffle deck`"
        scope.declared.report("PW201", "there is no order `{name}` to shuffle by", name.span, help_line, name=name.name)
        return None
    return EffectModel("shuffle", None, "parameter", parameter.slot, origin=parameter.origin)


def _token_effect(node: n.Effect, name: n.Name, when: Expr | None, scope: Scope) -> EffectModel | None:
    token = scope.declared.tokens.get(name.name)
    if token is None:
        moved = None
        if node.target is not None and (name.name in scope.locals or name.name in scope.declared.zones):
            to = one_line(node.target.span.text)
            moved = Told("things are moved: `move {thing} to {zone}`", thing=name.name, zone=to)
        scope.declared.unknown("token", name, scope.declared.tokens, help_line=moved)
        return None
    scope.declared.used.add(("token", token.name))
    if node.target is None:
        return EffectModel("return", when, number=token.number)
    target = _target(node.target, scope)
    if target is None:
        return None
    zone = target[0]
    if not isinstance(zone, ir.Zone) or zone.zone != token.zone or target[1] is None:
        scope.declared.report("PW301", "`{token}` lies on a cell of its zone, not here", node.target.span, token=token.name)  # fmt: skip
        return None
    index = ir.ZoneIndex(zone.zone, zone.indices, span=zone.span)
    return EffectModel("put", when, target=index, cell=target[1], number=token.number)


def _variable_effect(node: n.Effect, when: Expr | None, scope: Scope) -> EffectModel | None:
    declared = scope.declared
    name = node.what.value if isinstance(node.what, n.Index) else node.what
    assert isinstance(name, n.Name) and node.target is not None
    divided = declared.divided.get(name.name)
    if divided is not None and not isinstance(node.what, n.Index):
        check(name, scope)
        return None
    variable = declared.variables.get(name.name) if divided is None else next(iter(divided.parts.values()))
    if variable is None:
        moved = None
        if name.name in declared.zones:
            moved = Told("things are moved: `move {thing} to {zone}`", thing=one_line(node.target.span.text), zone=one_line(node.what.span.text))  # fmt: skip
        declared.unknown("variable", name, {**declared.variables, **declared.divided}, help_line=moved)
        return None
    seat = _seat(node.what, variable, scope) if divided is None else None
    wanted, help_line = variable.type, None
    value = check_as(node.target, wanted, scope)
    if value.type.kind == "error" or (seat is not None and seat.type.kind == "error"):
        return None
    if node.kind != "set" and wanted.is_collection:
        wanted = wanted.element or ERROR
        fits = t.comparable(wanted, value.type)
    elif node.kind != "set":
        fits = wanted.kind == "int" and value.type.kind == "int"
    else:
        fits = t.join(wanted, value.type) is not None
    if fits and not _of_its_grid(wanted, value.type):
        declared.report("PW301", "this is a cell of another grid than `{name}`", node.target.span, name=name.name)
        return None
    if value.type.kind == "nothing" and not wanted.optional:
        fits, help_line = False, "only a variable without a first value may be `none` again"
    if not fits:
        held, given = t.apart(variable.type, value.type)
        declared.report(
            "PW301", "`{name}` is {type}, this is {other}", node.target.span, help_line, name=name.name, type=held, other=given,
        )  # fmt: skip
        return None
    if value.type.optional and not wanted.optional and not (node.kind != "set" and variable.type.is_collection):
        declared.report("PW301", "this may have no value", node.target.span, instead_of_nothing(value))
        return None

    def changed(variable: VariableModel, also: Expr | None, seat: Expr | None) -> EffectModel:
        kind, changing, asked = node.kind, value, when if also is None else also
        if also is not None and when is not None:
            asked = ir.And(also, when, span=when.span)
        if kind == "take" and variable.type.is_collection:
            kind, changing = "set", _left(variable, value)
        elif kind == "take":
            kind, changing = "add", negated(value, value.span)
        return EffectModel(kind, asked, value=changing, number=variable.number, seat=seat)

    if divided is None:
        return changed(variable, None, seat)
    assert isinstance(node.what, n.Index)
    return set_part(node.what, divided, scope, changed)


def _left(variable: VariableModel, taken: Expr) -> Expr:
    """What a collection holds without something; nothing is taken that it does not hold."""
    held = ir.Variable(variable.held, variable.number, span=taken.span)
    one = ir.Values(t.list_of(taken.type), (taken,), span=taken.span)
    return ir.Without(t.list_of(variable.type.element or ERROR), held, one, span=taken.span)


def _of_its_grid(wanted: Type, type_: Type) -> bool:
    """Whether a variable for cells of one grid may hold a cell."""
    of = wanted.element or wanted
    return of.grid is None or type_.kind != "cell" or type_.grid == of.grid


def _seat(what: n.Node, variable: VariableModel, scope: Scope) -> Expr | None:
    """The owner of a variable per player: `points[q]`, or else the player who acts."""
    if isinstance(what, n.Index) and not variable.each:
        return scope.declared.report("PW302", "there is one `{variable}`, not one of each player", what.span, variable=variable.name)  # fmt: skip
    found = check(what, scope) if variable.each else None
    return found.at if isinstance(found, ir.Element) else found
