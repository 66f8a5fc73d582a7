"""Actions, consequences, rules and effects."""

from __future__ import annotations

import itertools

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import CELL, ERROR, GOAL, PLAYER, Type
from pwtool.lang import tree as n
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.scope import Declared, Scope
from pwtool.text import did_you_mean
from pwtool.text.source import Span

MAX_PARAMETERS = 150
MAX_STATEMENTS = 500


def build_rule(node: n.Rule, scope: Scope) -> RuleModel:
    scope.declared.begin(f"rule `{node.name.name}`", node.span)
    when = check_condition(node.when, scope) if node.when else None
    require = check_condition(node.require, scope)
    if isinstance(require, ir.Const) and require.type.kind == "bool":
        scope.declared.report("PW306", "this condition never changes", require.span)
    return RuleModel(node.name.name, node.text, check_sees(node.sees, scope.declared), when, require, node.span)


def check_sees(sees: tuple[n.Name, ...], declared: Declared) -> tuple[str, ...]:
    for name in sees:
        if ("section", name.name) not in declared.used:
            declared.unknown("section", name, [s for kind, s in declared.used if kind == "section"])
    return tuple(s.name for s in sees)


def build_action(node: n.Action, rules: list[n.Rule], declared: Declared) -> ActionModel:
    """An action with the rules that belong to it (they are items of their own in a ruleset)."""
    declared.begin(f"action `{node.name.name}`", node.span)
    _check_number(node, declared)
    # What all players do at once is nobody's own action.
    scope = Scope(declared, has_player=all(p.per is None for p in node.parameters), in_action=True)
    parameters: list[ParameterModel] = []
    for parameter in node.parameters:
        scope, model = _parameter(parameter, scope)
        parameters.append(model)
    return _built(node, declared.actions[node.name.name], parameters, rules, scope)


def _check_number(node: n.Action | n.Consequence, declared: Declared) -> None:
    if len(node.parameters) > MAX_PARAMETERS:
        message = f"`{node.name.name}` has more than {MAX_PARAMETERS} parameters"
        raise declared.stop(message, node.parameters[MAX_PARAMETERS].span)
    if len(node.statements) > MAX_STATEMENTS:
        message = f"`{node.name.name}` has more than {MAX_STATEMENTS} named values and effects"
        raise declared.stop(message, node.statements[MAX_STATEMENTS].span)


def _built(
    node: n.Action | n.Consequence, number: int, parameters: list[ParameterModel], rules: list[n.Rule], scope: Scope
) -> ActionModel:
    lets, scope = _lets(node.statements, scope)
    effects = [_effect(s, scope, parameters) for s in node.statements if isinstance(s, n.Effect)]
    _check_shuffles(node, parameters, scope.declared)
    return ActionModel(
        node.name.name, number, node.text or node.name.name, tuple(parameters), lets,
        tuple(build_rule(rule, scope) for rule in rules), tuple(e for e in effects if e is not None),
        scope.next_slot[0], node.span, isinstance(node, n.Consequence),
    )  # fmt: skip


def _check_shuffles(node: n.Action | n.Consequence, parameters: list[ParameterModel], declared: Declared) -> None:
    """One order in an action, and carried out before anything else: what lies there is what the order was made of."""
    for parameter in [p for p in parameters if p.kind == "order"][1:]:
        declared.report("PW301", "an action shuffles once", parameter.span)
    effects = [s for s in node.statements if isinstance(s, n.Effect)]
    for before, effect in itertools.pairwise(effects):
        if effect.kind == "shuffle" and before.kind != "shuffle":
            declared.report("PW301", "an action shuffles before it does anything else", effect.span)


def _lets(statements: tuple[n.Node, ...], scope: Scope) -> tuple[tuple[tuple[str, int, Expr], ...], Scope]:
    lets: list[tuple[str, int, Expr]] = []
    for statement in statements:
        if isinstance(statement, n.Let):
            value = check(statement.value, scope)
            if statement.name.name in scope.locals:
                scope.declared.report("PW202", f"`{statement.name.name}` is declared twice", statement.name.span)
            scope, slot = scope.bind(statement.name.name, value.type)
            lets.append((statement.name.name, slot, value))
    return tuple(lets), scope


def _parameter(node: n.Parameter, scope: Scope) -> tuple[Scope, ParameterModel]:
    declared = scope.declared
    name, kind, zone, origin = node.name.name, node.kind, -1, None
    if name in scope.locals:
        declared.report("PW202", f"`{name}` is declared twice", node.name.span)
    if kind == "element":
        kind, type_, zone, origin = _element(node, scope)
    elif kind == "order":
        type_, zone, origin = _order(node, scope)
    elif kind == "cell":
        model = declared.zones.get(node.names[0].name)
        if model is None or model.kind != "grid":
            declared.unknown("grid", node.names[0], [z.name for z in declared.zones.values() if z.kind == "grid"])
        else:
            zone = model.number
            origin = check(node.names[0], scope)
        type_ = CELL
    elif kind == "number":
        if node.low > node.high:
            declared.report("PW306", "the range is empty", node.span)
        type_ = t.number(node.low, node.high)
    else:
        options = [_value_type(n_, declared) for n_ in node.names]
        type_ = options[0] if len(options) == 1 else Type("key", options=tuple(options))
    if node.per is not None:
        if node.per.name != "player":
            declared.unknown("division", node.per, ["player"])
        if kind not in ("number", "value"):
            declared.report("PW301", "all players at once name a value or a number", node.span)
    # What chance makes is no reason for anything: nothing reads it.
    seen = Type("order") if kind == "order" else type_
    scope, slot = scope.bind(name, seen if node.per is None else Type("each", element=seen))
    return scope, ParameterModel(
        name, slot, kind, type_, zone, origin, node.text, node.span, each=node.per is not None, below=node.below
    )  # fmt: skip


def _value_type(name: n.Name, declared: Declared) -> Type:
    if name.name == "goal" and declared.goal_zone:
        return GOAL
    if name.name == "player":
        return PLAYER
    for component in declared.components.values():
        if name.name in component.attributes:
            return component.attributes[name.name].type
    known = [a for c in declared.components.values() for a in c.attributes]
    declared.unknown("attribute", name, [*known, "goal", "player"])
    return ERROR


def _element(node: n.Parameter, scope: Scope) -> tuple[str, Type, int, Expr | None]:
    """`card from hand`, `cards from hand`, `cards from tops of supply`."""
    declared = scope.declared
    word = node.names[0]
    singular = word.name if word.name in declared.components else word.name.removesuffix("s")
    if singular not in declared.components:
        declared.unknown("component", word, [*declared.components, *(c + "s" for c in declared.components)])
        return "element", ERROR, -1, None
    several = word.name != singular
    assert node.origin is not None
    origin = check(node.origin, scope)
    element = t.face(singular)
    if origin.type.kind == "error":
        return ("elements" if several else "element"), t.list_of(element) if several else element, -1, None
    if isinstance(origin, ir.Tops) and several and isinstance(origin.piles, ir.Family):
        family = origin.piles
        if family.open != 1:
            declared.report("PW301", "the piles have to be divided by one number", node.origin.span)
        return "tops", t.list_of(element), family.zone, family
    place = origin.grid if isinstance(origin, ir.PileAt) else origin
    if not isinstance(place, ir.Zone) or origin.type.kind not in ("bag", "pile"):
        declared.report("PW301", f"{singular}s come from a zone, this is {origin.type}", node.origin.span)
        return "element", element, -1, None
    if origin.type.element != element:
        declared.report("PW301", f"no {singular} lies in this zone", node.origin.span)
    return ("elements" if several else "element"), t.list_of(element) if several else element, place.zone, origin


def _order(node: n.Parameter, scope: Scope) -> tuple[Type, int, Expr | None]:
    """`order of stock`, `order of supply[n] below top`."""
    assert node.origin is not None
    origin = check(node.origin, scope)
    place = origin.grid if isinstance(origin, ir.PileAt) else origin
    element = origin.type.element
    if origin.type.kind != "error" and not (isinstance(place, ir.Zone) and origin.type.kind == "pile"):
        help_line = "name one of them: `supply[1]`" if isinstance(origin, ir.Family) else None
        scope.declared.report("PW301", f"a pile has an order, this is {origin.type}", node.origin.span, help_line)
    elif isinstance(place, ir.Zone) and element is not None and element.kind == "face":
        return t.list_of(element), place.zone, origin
    elif origin.type.kind != "error":
        scope.declared.report("PW301", "the order of things with faces can be named, not of numbers", node.origin.span)
    return t.list_of(ERROR), -1, None


def _effect(node: n.Effect, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    scope.declared.count()
    when = check_condition(node.when, scope) if node.when else None
    if node.kind == "move":
        return _move(node, when, scope, parameters)
    assert isinstance(node.what, n.Name)
    if node.kind == "shuffle":
        return _shuffle(node.what, scope, parameters)
    if node.kind in ("put", "return"):
        return _token_effect(node, node.what, when, scope)
    return _variable_effect(node, node.what, when, scope)


def _target(node: n.Node, scope: Scope, may_lack: bool = False) -> tuple[Expr, Expr | None] | None:
    """Where something goes: the zone, and the cell of a grid. `may_lack`: whether there is a cell is seen in play."""
    target = check(node, scope)
    if target.type.kind == "error":
        return None
    if isinstance(target, ir.PileAt):
        if target.cell.type.optional and not may_lack:
            scope.declared.report(
                "PW301", "this may be no cell at all", node.span, "say what counts then: `(... else ...)`"
            )
            return None
        return target.grid, target.cell
    if isinstance(target, ir.Zone) and target.type.kind in ("bag", "pile"):
        return target, None
    scope.declared.report("PW301", f"things move to a zone, this is {target.type}", node.span)
    return None


def _move(node: n.Effect, when: Expr | None, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    declared = scope.declared
    assert node.target is not None
    target = _target(node.target, scope, may_lack=bool(scope.in_action))
    if isinstance(node.what, n.Name):
        parameter = next((p for p in parameters if p.name == node.what.name), None)
        if parameter and parameter.kind in ("element", "elements", "tops"):
            if target is None:
                return None
            element = parameter.type if parameter.kind == "element" else parameter.type.element
            _check_place(element, target, node, declared)
            source = "tops" if parameter.kind == "tops" else "parameter"
            return EffectModel("move", when, source, parameter.slot, None, *target, origin=parameter.origin)
        if node.what.name not in declared.zones:
            declared.unknown("parameter or zone to move", node.what, [*(p.name for p in parameters), *declared.zones])
            return None
    value = check(node.what, scope)
    if value.type.kind == "error" or target is None:
        return None
    if isinstance(value, ir.Top) and isinstance(value.pile, ir.Zone | ir.PileAt):
        _check_place(value.type, target, node, declared)
        return EffectModel("move", when, "top", 0, value.pile, *target)
    if isinstance(value, ir.Zone) and value.type.kind in ("bag", "pile"):
        _check_place(value.type.element, target, node, declared)
        return EffectModel("move", when, "whole", 0, value, *target)
    declared.report("PW301", "what moves is a parameter, a zone or the top of one", node.what.span)
    return None


def _check_place(element: Type | None, target: tuple[Expr, Expr | None], node: n.Effect, declared: Declared) -> None:
    zone = declared.zone_of(target[0])
    if (
        zone
        and element
        and element.kind != "error"
        and (zone.element.kind, zone.element.component) != (element.kind, element.component)
    ):
        declared.report("PW301", f"`{zone.name}` holds other things than {element}", node.span)


def _shuffle(name: n.Name, scope: Scope, parameters: list[ParameterModel]) -> EffectModel | None:
    orders = [p for p in parameters if p.kind == "order"]
    parameter = next((p for p in orders if p.name == name.name), None)
    if parameter is None:
        help_line = did_you_mean(name.name, [p.name for p in orders])
        help_line = help_line or "write it among the parameters: `deck: order of stock`, and then `shuffle deck`"
        scope.declared.report("PW201", f"there is no order `{name.name}` to shuffle by", name.span, help_line)
        return None
    return EffectModel("shuffle", None, "parameter", parameter.slot, origin=parameter.origin)


def _token_effect(node: n.Effect, name: n.Name, when: Expr | None, scope: Scope) -> EffectModel | None:
    token = scope.declared.tokens.get(name.name)
    if token is None:
        scope.declared.unknown("token", name, scope.declared.tokens)
        return None
    scope.declared.used.add(("token", token.name))
    if node.target is None:
        return EffectModel("return", when, number=token.number)
    target = _target(node.target, scope)
    if target is None:
        return None
    zone = target[0]
    if not isinstance(zone, ir.Zone) or zone.zone != token.zone or target[1] is None:
        scope.declared.report("PW301", f"`{token.name}` lies on a cell of its zone, not here", node.target.span)
        return None
    index = ir.ZoneIndex(zone.zone, zone.indices, span=zone.span)
    return EffectModel("put", when, target=index, cell=target[1], number=token.number)


def _variable_effect(node: n.Effect, name: n.Name, when: Expr | None, scope: Scope) -> EffectModel | None:
    declared = scope.declared
    variable = declared.variables.get(name.name)
    if variable is None:
        declared.unknown("variable", name, declared.variables)
        return None
    assert node.target is not None
    value = check(node.target, scope)
    if value.type.kind == "error":
        return None
    wanted = variable.type
    if node.kind == "add" and wanted.is_collection:
        fits = wanted.element is not None and t.comparable(wanted.element, value.type)
    elif node.kind == "add":
        fits = wanted.kind == "int" and value.type.kind == "int"
    else:
        fits = t.join(wanted, value.type) is not None and (wanted.optional or not value.type.optional)
    if not fits:
        declared.report("PW301", f"`{name.name}` is {wanted}, this is {value.type}", node.target.span)
        return None
    return EffectModel(node.kind, when, value=value, number=variable.number)


def build_consequence(node: n.Consequence, rules: list[n.Rule], declared: Declared) -> ActionModel:
    """A consequence: like an action that the rules themselves take, for every value of its parameters."""
    declared.begin(f"consequence `{node.name.name}`", node.span)
    _check_number(node, declared)
    scope = Scope(declared)
    parameters: list[ParameterModel] = []
    for parameter in node.parameters:
        if parameter.domain is not None:
            type_ = {"goal": GOAL, "player": PLAYER}.get(parameter.domain.name)
            if type_ is None or (type_ is GOAL and not declared.goal_zone):
                declared.unknown("domain", parameter.domain, ["goal", "player"])
                type_ = ERROR
            scope, slot = scope.bind(parameter.name.name, type_)
            parameters.append(ParameterModel(parameter.name.name, slot, "value", type_, -1, None, "", parameter.span))
            continue
        if parameter.grid is not None:
            grid = declared.zones.get(parameter.grid.name)
            if grid is None or grid.kind != "grid":
                declared.unknown("grid", parameter.grid, [z.name for z in declared.zones.values() if z.kind == "grid"])
            else:
                declared.used.add(("zone", grid.name))
            scope, slot = scope.bind(parameter.name.name, CELL)
            number = -1 if grid is None else grid.number
            parameters.append(ParameterModel(parameter.name.name, slot, "cell", CELL, number, None, "", parameter.span))
            continue
        assert parameter.value is not None
        value = check(parameter.value, scope)
        scope, slot = scope.bind(parameter.name.name, value.type)
        parameters.append(
            ParameterModel(parameter.name.name, slot, "derived", value.type, -1, value, "", parameter.span)
        )
    return _built(node, len(declared.actions), parameters, rules, scope)


def rules_of(name: str, rules: list[n.Rule]) -> list[n.Rule]:
    """The rules whose id begins with the name of an action."""
    return [r for r in rules if r.name.name.partition(".")[0] == name]


def unplaced(rules: list[n.Rule], places: set[str]) -> list[tuple[n.Rule, Span]]:
    """Rules that belong to nothing."""
    return [(r, r.name.span) for r in rules if r.name.name.partition(".")[0] not in places or "." not in r.name.name]
