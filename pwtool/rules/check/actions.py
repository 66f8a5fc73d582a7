"""Actions, consequences, rules and effects."""

from __future__ import annotations

import itertools

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.access import read_by, written_by_effect
from pwtool.ir.bounds import made_by_chance, moved_by_chance
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, ERROR, GOAL, PLAYER, Type
from pwtool.ir.walk import free_locals, operands
from pwtool.lang import tree as n
from pwtool.lang.merged import quoted as quoted_key
from pwtool.rules.check.effects import build_effect, found_in, origin_of
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.scope import Declared, Scope, This
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line

MAX_PARAMETERS = 150
MAX_STATEMENTS = 500
MAX_ROUNDS = 10_000


def build_rule(node: n.Rule, scope: Scope) -> RuleModel:
    scope.declared.begin(quoted_key(("rule", node.name.name)), node.span)
    when = check_condition(node.when, scope) if node.when else None
    require = check_condition(node.require, scope)
    if isinstance(require, ir.Const) and require.type.kind == "bool":
        scope.pointless("PW306", "this condition never changes", node.require)
    return RuleModel(node.name.name, node.text, check_sees(node.sees, scope.declared), when, require, node.span)


def check_sees(sees: tuple[n.Name, ...], declared: Declared) -> tuple[str, ...]:
    for name in sees:
        if ("section", name.name) not in declared.used:
            declared.unknown("section", name, [s for kind, s in declared.used if kind == "section"])
    return tuple(s.name for s in sees)


def build_action(node: n.Action, rules: list[n.Rule], declared: Declared) -> ActionModel:
    """An action with its rules (they are separate items in a ruleset)."""
    declared.begin(quoted_key(("action", node.name.name)), node.span)
    _check_number(node, declared)
    # An action of all players at once belongs to no single player.
    scope = Scope(declared, has_player=all(p.per is None for p in node.parameters), in_action=True)
    parameters: list[ParameterModel] = []
    for parameter in node.parameters:
        scope, model = _parameter(parameter, scope)
        parameters.append(model)
    return _built(node, declared.actions[node.name.name], parameters, rules, scope)


def _check_number(node: n.Action | n.Consequence, declared: Declared) -> None:
    if len(node.parameters) > MAX_PARAMETERS:
        message = "`{name}` has more than {most} parameters"
        raise declared.stop(message, node.parameters[MAX_PARAMETERS].span, name=node.name.name, most=MAX_PARAMETERS)
    if len(node.statements) > MAX_STATEMENTS:
        message = "`{name}` has more than {most} named values and effects"
        raise declared.stop(message, node.statements[MAX_STATEMENTS].span, name=node.name.name, most=MAX_STATEMENTS)


def _built(
    node: n.Action | n.Consequence, number: int, parameters: list[ParameterModel], rules: list[n.Rule], scope: Scope
) -> ActionModel:
    lets, scope = _lets(node.statements, scope)
    timing = (node.each_action, node.repeated, node.rounds) if isinstance(node, n.Consequence) else ()
    effects = [build_effect(s, scope, parameters) for s in node.statements if isinstance(s, n.Effect | n.ForEach)]
    _check_shuffles(node, parameters, scope.declared)
    _check_moves(node, parameters, scope.declared)
    if isinstance(node, n.Action) and not any(p.kind == "order" or p.chance for p in parameters):
        locals_ = tuple(ir.Local(p.type, p.slot) for p in parameters)
        scope = scope.copy(this=This(node.name.name, locals_))
    model = ActionModel(
        node.name.name, number, node.text or node.name.name, tuple(parameters), lets,
        tuple(build_rule(rule, scope) for rule in rules), tuple(e for e in effects if e is not None),
        scope.next_slot[0], node.span, isinstance(node, n.Consequence), *timing,
    )  # fmt: skip
    _check_order_of_moves(model, scope.declared)
    _check_turns(model, scope.declared)
    _check_chance(model, scope.declared)
    return model


def _check_moves(node: n.Action | n.Consequence, parameters: list[ParameterModel], declared: Declared) -> None:
    """A thing that moves twice would be in two places."""
    names, moved = {p.name for p in parameters}, dict[str, n.Effect]()
    for effect in node.statements:
        if not isinstance(effect, n.Effect) or effect.kind != "move" or not isinstance(effect.what, n.Name):
            continue
        name = effect.what.name
        first = moved.setdefault(name, effect)
        if name in names and first is not effect and (first.when is None or effect.when is None):
            message = "`{name}` moves twice, and would lie in two places"
            declared.report("PW301", message, effect.span, "say with `when` which of the two it is", name=name)


def _check_order_of_moves(model: ActionModel, declared: Declared) -> None:
    """The things that a player names are there when the action begins, but not after an effect that takes things out of the same
    zone.
    """
    named = {p.slot: p for p in model.parameters}
    emptied: list[_Place] = []
    alone = declared.min_players == 1
    for effect in model.effects:
        if effect.moves_parameter:
            parameter = named[effect.slot]
            if any(_may_be_one(a, b, alone) for a in _places(parameter.origin) for b in emptied):
                message = "an effect takes things out of where `{parameter}` lies before it moves"
                declared.report("PW301", message, parameter.span, "move `{parameter}` first", parameter=parameter.name)
            continue
        for inner in effect.all:
            if inner.kind == "move":
                emptied += _places(inner.value if inner.origin is None else inner.origin)


def _check_turns(model: ActionModel, declared: Declared) -> None:
    """A thing that is turned is another one for whatever names it: it moves before, and is not turned twice. Of equal things in a
    pile, a loop turns those before the others.
    """
    alone = declared.min_players == 1
    origins = {p.slot: p.origin for p in model.parameters}
    named = [(slot, effect) for effect in model.all_effects if (slot := _slot_of(effect)) is not None]
    twice = {
        slot for at, (slot, effect) in enumerate(named)
        if effect.kind == "turn"
        and any(other == slot and n != at and not _exclude(e.when, effect.when) for n, (other, e) in enumerate(named))
    }  # fmt: skip
    left: list[_Place] = []
    turned: list[_Place] = []

    def visit(effects: tuple[EffectModel, ...], loops: frozenset[int]) -> None:
        for effect in effects:
            slot = _slot_of(effect)
            if effect.kind == "each":
                _check_equal(effect, model, declared)
                visit(effect.effects, loops | {effect.slot})
                continue
            places = _places(effect.value if effect.origin is None else effect.origin)
            if slot is not None and effect.moves_parameter:
                places = _places(origins[slot])
            changed = turned if effect.kind == "move" else [*left, *turned]
            meets = slot not in loops and any(_may_be_one(a, b, alone) for a in places for b in changed)
            if slot is not None and (slot in twice or meets):
                parameter = next((p for p in model.parameters if p.slot == slot), None)
                span = (effect.value.span if effect.value is not None else None) or model.span
                where, name = (span, one_line(span.text)) if parameter is None else (parameter.span, parameter.name)
                message = "`{name}` may have left, or be turned, before an effect moves or turns it"
                declared.report("PW301", message, where, "move it first, and turn it where it lies then", name=name)
            if effect.kind == "turn":
                turned.extend(places)
            elif effect.kind == "move" and not effect.moves_parameter:
                left.extend(places)

    if any(effect.kind == "turn" for effect in model.all_effects):
        visit(model.effects, frozenset())


def _exclude(one: Expr | None, other: Expr | None) -> bool:
    """Whether of two conditions at most one holds, as they say the opposite of a thing that is named, which stays as it was named."""
    if one is None or other is None or read_by(one, other):
        return False
    if isinstance(one, ir.Not) or isinstance(other, ir.Not):
        return (isinstance(one, ir.Not) and one.operand == other) or (
            isinstance(other, ir.Not) and other.operand == one
        )
    sides = [x for x in (one, other) if isinstance(x, ir.Compare) and x.sign == "==" and isinstance(x.right, ir.Const)]
    return len(sides) == 2 and sides[0].left == sides[1].left and sides[0].right != sides[1].right


def _slot_of(effect: EffectModel) -> int | None:
    """The local that names what an effect moves or turns."""
    if effect.moves_parameter:
        return effect.slot
    return effect.value.slot if effect.kind in ("move", "turn") and isinstance(effect.value, ir.Local) else None


def _check_equal(loop: EffectModel, model: ActionModel, declared: Declared) -> None:
    """Report a turn in a loop over a pile that depends on what the loop changes: it turns another one of equal things then."""
    place = loop.value
    while isinstance(place, ir.Where):
        place = place.domain
    if place is None or place.type.kind != "pile":
        return
    written = frozenset().union(*(written_by_effect(inner, model) for inner in loop.effects))
    for effect in loop.effects:
        if effect.kind == "turn" and _slot_of(effect) == loop.slot and effect.when and read_by(effect.when) & written:
            message = "which of equal things is turned depends on what the loop changes"
            declared.report(
                "PW301",
                message,
                effect.when.span or model.span,
                "say it by what the thing is, or by a value that stays",
            )


_Place = ir.Zone | ir.Family


def _places(value: Expr | None) -> list[_Place]:
    """The zones in an expression, without those that only choose a place in them."""
    match value:
        case ir.Zone() | ir.Family():
            return [value]
        case ir.PileAt():
            return _places(value.grid)
    return [] if value is None else [place for part in operands(value) for place in _places(part)]


def _may_be_one(one: _Place, other: _Place, alone: bool) -> bool:
    def differ(a: Expr, b: Expr) -> bool:
        if isinstance(a, ir.Const) and isinstance(b, ir.Const):
            return bool(a.value != b.value)
        return not alone and (a == ir.PlayerAfter(b) or b == ir.PlayerAfter(a))

    return one.zone == other.zone and not any(map(differ, one.indices, other.indices))


def _check_chance(model: ActionModel, declared: Declared) -> None:
    """Chance never decides what is legal: random parameters come after those that players name, and neither rules nor
    slots depend on them.
    """
    drawn = made_by_chance(model)
    for before, parameter in itertools.pairwise(model.parameters):
        if before.chance and not parameter.chance:
            help_line = "write `{parameter}` before it"
            declared.report(
                "PW301", "`{before}` is drawn, so it comes after what players name", before.span, help_line, parameter=parameter.name,
                before=before.name,
            )  # fmt: skip
    for rule in model.rules:
        for part in (rule.when, rule.require):
            if part is not None and not drawn.isdisjoint(free_locals(part)):
                message = "what is legal never depends on what chance draws"
                help_line = (
                    "let chance draw in an action of its own, keep it in a variable, and ask for that in the next"
                )
                declared.report("PW301", message, part.span, help_line)
    for effect in dict.fromkeys(moved_by_chance(model)):
        zone = declared.zone_of(effect.target)
        if zone is not None and (zone.kind == "slot" or (effect.cell is not None and effect.cell.type.optional)):
            place = effect.cell or effect.target
            span = None if place is None else place.span
            declared.report("PW301", "whether there is room never depends on what chance draws", span)


def _check_shuffles(node: n.Action | n.Consequence, parameters: list[ParameterModel], declared: Declared) -> None:
    """An action has at most one order, and shuffles before anything else: the order consists of the things that lie there."""
    for parameter in [p for p in parameters if p.kind == "order"][1:]:
        declared.report("PW301", "an action shuffles once", parameter.span)
    effects = [s for s in node.statements if isinstance(s, n.Effect | n.ForEach)]
    for before, effect in itertools.pairwise(effects):
        if _is_shuffle(effect) and not _is_shuffle(before):
            declared.report("PW301", "an action shuffles before it does anything else", effect.span)


def _is_shuffle(node: n.Node) -> bool:
    return isinstance(node, n.Effect) and node.kind == "shuffle"


def _lets(statements: tuple[n.Node, ...], scope: Scope) -> tuple[tuple[tuple[str, int, Expr], ...], Scope]:
    lets: list[tuple[str, int, Expr]] = []
    for statement in statements:
        if isinstance(statement, n.Let):
            value = check(statement.value, scope)
            if statement.name.name in scope.locals:
                scope.declared.report("PW202", "`{name}` is declared twice", statement.name.span, name=statement.name.name)  # fmt: skip
            elif statement.name.name in scope.declared.variables:
                message, help_line = (
                    "`let {name}` would hide the variable `{name}`",
                    "a variable is set without `let`: `{name} = ...`",
                )
                scope.declared.report("PW202", message, statement.name.span, help_line, name=statement.name.name)
            scope, slot = scope.bind(statement.name.name, value.type)
            scope = found_in(scope, slot, origin_of(value, scope))
            lets.append((statement.name.name, slot, value))
    return tuple(lets), scope


def _parameter(node: n.Parameter, scope: Scope) -> tuple[Scope, ParameterModel]:
    declared = scope.declared
    name, kind, zone, origin = node.name.name, node.kind, -1, None
    if name in scope.locals:
        declared.report("PW202", "`{name}` is declared twice", node.name.span, name=name)
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
        type_ = t.cell(None if model is None else model.grid)
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
    if node.chance and (kind in ("order", "elements", "tops") or node.per is not None):
        help_line = "an order is always random" if kind == "order" else "write a parameter for each"
        declared.report("PW301", "chance draws one thing, value, number or cell", node.span, help_line)
    floats = 0 <= zone < len(declared.zones) and list(declared.zones.values())[zone].floating
    if node.chance and kind == "cell" and floats:
        declared.report("PW301", "chance draws a cell of a grid that does not float", node.span)
    # Nothing depends on what chance decides: nothing reads it.
    seen = Type("order") if kind == "order" else type_
    scope, slot = scope.bind(name, seen if node.per is None else Type("each", element=seen))
    return scope, ParameterModel(
        name, slot, kind, type_, zone, origin, node.text, node.span, each=node.per is not None, below=node.below,
        chance=node.chance,
    )  # fmt: skip


def _value_type(name: n.Name, declared: Declared) -> Type:
    if name.name == "goal" and declared.goal_zone:
        return GOAL
    if name.name == "player":
        return PLAYER
    if name.name == "flag":
        return BOOL
    for component in declared.components.values():
        if name.name in component.attributes:
            return component.attributes[name.name].type
    known = [a for c in declared.components.values() for a in c.attributes]
    zone = declared.zones.get(name.name)
    named = None
    if zone is not None:
        things = zone.element.component or "..."
        named = Told("a thing of it: `{things} from {zone}`", things=things, zone=zone.name)
        if zone.kind == "grid":
            named = Told(
                "a cell of it, or a thing: `cell of {zone}`, `{things} from {zone}`", things=things, zone=zone.name
            )
    declared.unknown("attribute", name, [*known, "goal", "player", "flag"], help_line=named)
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
    if isinstance(origin, ir.Each) and origin.part == "top" and several and isinstance(origin.piles, ir.Family):
        family = origin.piles
        if family.open != 1:
            declared.report("PW301", "the piles have to be divided by one number", node.origin.span)
        return "tops", t.list_of(element), family.zone, family
    place = origin.grid if isinstance(origin, ir.PileAt) else origin
    if not isinstance(place, ir.Zone) or origin.type.kind not in ("bag", "pile"):
        declared.report("PW301", "{singular}s come from a zone, this is {type}", node.origin.span, singular=singular, type=origin.type)  # fmt: skip
        return "element", element, -1, None
    if origin.type.element != element:
        declared.report("PW301", "no {singular} lies in this zone", node.origin.span, singular=singular)
    return ("elements" if several else "element"), t.list_of(element) if several else element, place.zone, origin


def _order(node: n.Parameter, scope: Scope) -> tuple[Type, int, Expr | None]:
    """`order of stock`, `order of supply[n] below top`."""
    assert node.origin is not None
    origin = check(node.origin, scope)
    place = origin.grid if isinstance(origin, ir.PileAt) else origin
    element = origin.type.element
    if origin.type.kind != "error" and not (isinstance(place, ir.Zone) and origin.type.kind == "pile"):
        help_line = "name one of them: `supply[1]`" if isinstance(origin, ir.Family) else None
        scope.declared.report("PW301", "a pile has an order, this is {type}", node.origin.span, help_line, type=origin.type)  # fmt: skip
    elif isinstance(place, ir.Zone) and element is not None and element.kind == "face":
        return t.list_of(element), place.zone, origin
    elif origin.type.kind != "error":
        scope.declared.report("PW301", "the order of things with faces can be named, not of numbers", node.origin.span)
    return t.list_of(ERROR), -1, None


def build_consequence(node: n.Consequence, rules: list[n.Rule], declared: Declared) -> ActionModel:
    """A consequence: like an action that the rules themselves take, for every value of its parameters."""
    declared.begin(quoted_key(("consequence", node.name.name)), node.span)
    _check_number(node, declared)
    # Between the actions of a round no player acts; after an action `player` is the one who did it, unless all players did.
    scope = Scope(declared, has_player=not (node.each_action and declared.rounds))
    if node.repeated and node.rounds > MAX_ROUNDS:
        declared.report("PW306", "at most {most} times are possible", node.span, most=MAX_ROUNDS)
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
            number, type_ = (-1, t.cell(None)) if grid is None else (grid.number, t.cell(grid.grid))
            scope, slot = scope.bind(parameter.name.name, type_)
            parameters.append(
                ParameterModel(parameter.name.name, slot, "cell", type_, number, None, "", parameter.span)
            )
            continue
        assert parameter.value is not None
        value = check(parameter.value, scope)
        if value.type.is_collection or value.type.kind in ("nothing", "each"):
            message = "one value is computed here, this is {type}"
            value = declared.report("PW301", message, value.span, "`let` names what a rule or an effect needs", type=value.type)  # fmt: skip
        scope, slot = scope.bind(parameter.name.name, value.type)
        scope = found_in(scope, slot, origin_of(value, scope))
        parameters.append(
            ParameterModel(parameter.name.name, slot, "derived", value.type, -1, value, "", parameter.span)
        )
    return _built(node, len(declared.actions), parameters, rules, scope)


def rules_of(name: str, rules: list[n.Rule]) -> list[n.Rule]:
    """The rules whose id begins with the name of an action."""
    return [r for r in rules if r.name.name.partition(".")[0] == name]


def unplaced(rules: list[n.Rule], places: set[str]) -> list[tuple[n.Rule, Span]]:
    """Rules that belong to no action."""
    return [(r, r.name.span) for r in rules if r.name.name.partition(".")[0] not in places or "." not in r.name.name]
