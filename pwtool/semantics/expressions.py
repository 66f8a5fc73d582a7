"""Checking expressions: every name resolved, every type right, several findings at once."""

from __future__ import annotations

from typing import Any

from pwtool.semantics import types as t
from pwtool.semantics.model import AttributeModel, Expr, ZoneModel
from pwtool.semantics.patterns import check_picture
from pwtool.semantics.scope import Matched, Scope
from pwtool.semantics.types import BOOL, CELL, ERROR, GOAL, NOTHING, PLAYER, Type
from pwtool.syntax import nodes as n

_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
MANY = 999


def check_condition(node: n.Node, scope: Scope) -> Expr:
    """An expression that has to be a condition."""
    return _expect_bool(check(node, scope), scope)


def check(node: n.Node, scope: Scope) -> Expr:
    """The resolved form of an expression; findings go to the scope's ruleset."""
    expr: Expr = _CHECKS[type(node)](node, scope)
    return expr


def _expect_bool(expr: Expr, scope: Scope) -> Expr:
    if expr.type.kind not in ("bool", "error"):
        return scope.declared.report("PW301", f"this is {expr.type}, a condition is needed", expr.span)
    return expr


def _expect_number(expr: Expr, scope: Scope) -> Expr:
    if not t.is_numeric(expr.type):
        return scope.declared.report("PW301", f"this is {expr.type}, a number is needed", expr.span)
    if expr.type.optional:
        return scope.declared.report(
            "PW301", "this may have no value", expr.span, "say what counts then: `(... else 0)`"
        )
    return expr


def _number(node: n.Number, scope: Scope) -> Expr:
    return Expr("const", t.number(node.value, node.value), data=node.value, span=node.span)


def _nothing(node: n.Nothing, scope: Scope) -> Expr:
    return Expr("const", NOTHING, data=None, span=node.span)


# ---- names ---------------------------------------------------------------------------------------------------------


def _name(node: n.Name, scope: Scope) -> Expr:
    name, span, declared = node.name, node.span, scope.declared
    if name in scope.locals:
        slot, type_ = scope.locals[name]
        return Expr("slot", type_, data=slot, span=span)
    if scope.matched and name in scope.matched.names:
        return _cells_named(node, scope.matched, scope)
    if scope.subject and scope.subject[1].kind == "pile" and name == "height":
        pile = Expr("slot", scope.subject[1], data=scope.subject[0], span=span)
        return Expr("count", t.number(0, MANY), (pile,), span=span)
    if scope.subject:
        attribute = _attribute_model(scope.subject[1], name, scope)
        if attribute:
            subject = Expr("slot", scope.subject[1], data=scope.subject[0], span=span)
            return Expr("attr", attribute.type, (subject,), (scope.subject[1].component, name), span)
    if name == "player":
        if not scope.has_player:
            return declared.report("PW301", "`player` has no meaning here", span, "write `for each player` or name one")
        return Expr("player", PLAYER, span=span)
    if name == "players":
        return Expr("players", t.list_of(PLAYER), span=span)
    if name == "goals" and declared.goal_zone:
        return Expr("goals", t.list_of(GOAL), span=span)
    if name == "total":
        return Expr("total", t.number(-MANY, MANY), span=span)
    if name in declared.variables:
        declared.used.add(("var", name))
        variable = declared.variables[name]
        return Expr("var", variable.type, data=variable.number, span=span)
    if name in declared.zones:
        return _zone(declared.zones[name], (), node, scope)
    if name in declared.defines:
        return _call(n.Call(span, node, ()), scope)
    for component in declared.components.values():
        if scope.on_board and name == component.name:
            return Expr("slot", t.list_of(t.face(name)), data=1, span=span)
        for attribute in component.attributes.values():
            if attribute.type.kind == "member" and name in attribute.table:
                return Expr("const", attribute.type, data=name, span=span)
    for component in declared.components.values():
        if name in component.numbers:
            return Expr("const", t.face(component.name), data=component.numbers[name], span=span)
    return declared.unknown("name", node, _known_names(scope))


def _known_names(scope: Scope) -> list[str]:
    declared = scope.declared
    names = [*scope.locals, *declared.variables, *declared.zones, *declared.defines, "player", "players", "total"]
    for component in declared.components.values():
        names += component.attributes
        for attribute in component.attributes.values():
            if attribute.type.kind == "member":
                names += [str(v) for v in attribute.table]
    if scope.matched:
        names += scope.matched.names
    return names


def _cells_named(node: n.Name, matched: Matched, scope: Scope) -> Expr:
    face = t.face(_board_component(scope))
    cells = matched.names[node.name]
    source = Expr("slot", t.list_of(face), data=matched.slot, span=node.span)
    if len(cells) == 1:
        return Expr("item", face, (source,), cells[0], node.span)
    return Expr("items", t.list_of(face), (source,), cells, node.span)


def _board_component(scope: Scope) -> str:
    board = scope.declared.board
    return board.element.component if board else ""


def _attribute_model(type_: Type, name: str, scope: Scope) -> AttributeModel | None:
    component = scope.declared.components.get(type_.component) if type_.kind == "face" else None
    return component.attributes.get(name) if component else None


def container_type(zone: ZoneModel) -> Type:
    """The type of one zone, all its indices given."""
    if zone.kind == "grid":
        return Type("grid", component=zone.element.component, element=Type("pile", element=zone.element))
    return Type("bag" if zone.kind == "bag" else "pile", element=zone.element)


def _zone(zone: ZoneModel, indices: tuple[n.Node, ...], node: n.Node, scope: Scope) -> Expr:
    """A zone with the indices written; a missing `player` index is the player whose turn it is."""
    declared = scope.declared
    declared.used.add(("zone", zone.name))
    dimensions = list(zone.dimensions)
    written = [check(i, scope) for i in indices]
    cell = None
    if zone.kind == "grid" and written and written[-1].type.kind in ("cell", "error"):
        cell = written.pop()
    args: list[Expr] = []
    for position, (dimension, size) in enumerate(dimensions):
        left = len(dimensions) - position
        if dimension == "player" and len(written) < left and not (written and written[0].type.kind == "player"):
            if not scope.has_player:
                return declared.report(
                    "PW302", f"`{zone.name}` belongs to a player, and none is meant here", node.span,
                    "write `for each player` before, or index it: `" + zone.name + "[q]`",
                )  # fmt: skip
            args.append(Expr("player", PLAYER, span=node.span))
            continue
        if not written:
            break
        index = written.pop(0)
        wanted = {"player": PLAYER, "goal": GOAL}.get(dimension, t.number(1, size))
        if index.type.kind not in (wanted.kind, "error"):
            return declared.report(
                "PW302", f"`{zone.name}` is indexed by {_dimensions(zone)}, this is {index.type}", index.span
            )
        if dimension == "number" and index.op == "const" and not 1 <= index.data <= size:
            return declared.report("PW302", f"`{zone.name}` has {size} places, counted from 1", index.span)
        args.append(index)
    if written:
        return declared.report(
            "PW302", f"`{zone.name}` is indexed by {_dimensions(zone)}, nothing more", written[0].span
        )
    if len(args) < len(dimensions):
        family = Type("family", element=container_type(zone))
        if cell is not None:
            return declared.report("PW302", f"`{zone.name}` needs {_dimensions(zone)} before the cell", node.span)
        return Expr("family", family, tuple(args), (zone.number, len(dimensions) - len(args)), node.span)
    whole = Expr("zone", container_type(zone), tuple(args), zone.number, node.span)
    if cell is None:
        return whole
    return Expr("pile_at", Type("pile", element=zone.element), (whole, cell), None, node.span)


def _dimensions(zone: ZoneModel) -> str:
    names = [name if name != "number" else f"a number from 1 to {size}" for name, size in zone.dimensions]
    return " and ".join([*names, "cell"] if zone.kind == "grid" else names) or "nothing"


def _index(node: n.Index, scope: Scope) -> Expr:
    if (
        isinstance(node.value, n.Name)
        and node.value.name in scope.declared.zones
        and node.value.name not in scope.locals
    ):
        return _zone(scope.declared.zones[node.value.name], node.indices, node, scope)
    value = check(node.value, scope)
    if value.type.kind == "grid" and len(node.indices) == 1:
        cell = check(node.indices[0], scope)
        if cell.type.kind in ("cell", "error"):
            element = value.type.element or ERROR
            return Expr("pile_at", element, (value, cell), None, node.span)
    if value.type.kind == "error":
        return value
    return scope.declared.report("PW302", f"{value.type} cannot be indexed", node.span)


def _attribute(node: n.Attribute, scope: Scope) -> Expr:
    value = check(node.value, scope)
    if value.type.kind == "error":
        return value
    attribute = _attribute_model(value.type, node.name.name, scope)
    if attribute is None:
        if value.type.kind != "face":
            return scope.declared.report("PW303", f"{value.type} has no attributes", node.name.span)
        component = scope.declared.components[value.type.component]
        return scope.declared.unknown(f"attribute of {component.name}", node.name, component.attributes, "PW303")
    a = attribute.type
    type_ = Type(a.kind, a.low, a.high, a.component, a.attribute, optional=value.type.optional)
    return Expr("attr", type_, (value,), (value.type.component, node.name.name), node.span)


def _call(node: n.Call, scope: Scope) -> Expr:
    declared = scope.declared
    define = declared.defines.get(node.name.name)
    if define is None:
        return declared.unknown("definition", node.name, declared.defines)
    declared.used.add(("define", node.name.name))
    if node.name.name in scope.defining:
        return declared.report("PW208", f"`{node.name.name}` is defined by itself", node.span)
    if len(node.arguments) != len(define.parameters):
        return declared.report(
            "PW301",
            f"`{node.name.name}` takes {len(define.parameters)} values, here are {len(node.arguments)}",
            node.span,
        )
    arguments = [check(a, scope) for a in node.arguments]
    inner = scope.copy(defining=(*scope.defining, node.name.name), locals={}, subject=None)
    slots = []
    for parameter, argument in zip(define.parameters, arguments, strict=True):
        inner, slot = inner.bind(parameter.name, argument.type)
        slots.append(slot)
    body = check(define.body, inner)
    for slot, argument in reversed(list(zip(slots, arguments, strict=True))):
        body = Expr("let", body.type, (argument, body), slot, node.span)
    return body


# ---- operators -----------------------------------------------------------------------------------------------------


def _binary(node: n.Binary, scope: Scope) -> Expr:
    operator = node.operator
    if operator in ("and", "or"):
        left, right = check_condition(node.left, scope), check_condition(node.right, scope)
        return Expr(operator, BOOL, (left, right), span=node.span)
    if operator == "on":
        return _token_on(node, scope)
    left = check(node.left, scope)
    if operator == "fulfils":
        goal = check(node.right, scope)
        if left.type.kind not in ("grid", "error") or goal.type.kind not in ("goal", "error"):
            return scope.declared.report("PW301", "`fulfils` stands between a grid and an objective", node.span)
        return Expr("fulfils", BOOL, (left, goal), span=node.span)
    right = check(node.right, scope)
    if operator == "else":
        joined = t.join(left.type, right.type)
        if joined is None:
            return scope.declared.report("PW301", f"{left.type} cannot become {right.type}", node.span)
        if left.type.kind != "error" and not left.type.optional:
            return scope.declared.report("PW301", "this always has a value, `else` is never used", node.left.span)
        return Expr(
            "else",
            Type(joined.kind, joined.low, joined.high, joined.component, joined.attribute),
            (left, right),
            span=node.span,
        )
    if operator == "in":
        element = right.type.element
        if right.type.kind != "error" and (element is None or not t.comparable(left.type, element)):
            return scope.declared.report("PW301", f"{left.type} can never be in {right.type}", node.span)
        return Expr("in", BOOL, (left, right), span=node.span)
    if operator in _COMPARE:
        return _compare(node, left, right, scope)
    return _arithmetic(node, left, right, scope)


def _compare(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> Expr:
    if node.operator in ("==", "!="):
        if not t.comparable(left.type, right.type):
            return scope.declared.report("PW301", f"{left.type} is never equal to {right.type}", node.span)
    elif not (t.is_numeric(left.type) and t.is_numeric(right.type)):
        left, right = _expect_number(left, scope), _expect_number(right, scope)
    a, b = left.type, right.type
    if a.kind == b.kind == "int" and (left.op == "attr" or right.op == "attr") and "const" in (left.op, right.op):
        low, high, value = (a.low, a.high, right.data) if left.op == "attr" else (b.low, b.high, left.data)
        if node.operator == "==" and not low <= value <= high:
            attribute = (left if left.op == "attr" else right).data[1]
            return scope.declared.report("PW306", f"no {attribute} is {value}, it goes from {low} to {high}", node.span)
    return Expr(_COMPARE[node.operator], BOOL, (left, right), span=node.span)


def _arithmetic(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> Expr:
    a, b = left.type, right.type
    if a.is_collection and node.operator in "+-" and a.element is not None:
        if b.is_collection and b.element is not None and t.comparable(a.element, b.element):
            return Expr(
                "concat" if node.operator == "+" else "without", t.list_of(a.element), (left, right), span=node.span
            )
        if node.operator == "+" and t.comparable(a.element, b):
            return Expr("append", t.list_of(a.element), (left, right), span=node.span)
    left, right = _expect_number(left, scope), _expect_number(right, scope)
    a, b = left.type, right.type
    if node.operator == "+":
        low, high = a.low + b.low, a.high + b.high
    elif node.operator == "-":
        low, high = a.low - b.high, a.high - b.low
    else:
        products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(products), max(products)
    return Expr({"+": "add", "-": "sub", "*": "mul"}[node.operator], t.number(low, high), (left, right), span=node.span)


def _token_on(node: n.Binary, scope: Scope) -> Expr:
    token = scope.declared.tokens.get(node.left.name) if isinstance(node.left, n.Name) else None
    if token is None:
        name = node.left if isinstance(node.left, n.Name) else n.Name(node.left.span, node.left.span.text)
        return scope.declared.unknown("token", name, scope.declared.tokens)
    scope.declared.used.add(("token", token.name))
    place = check(node.right, scope)
    if place.type.kind == "error":
        return place
    if place.op != "pile_at" or place.args[0].op != "zone" or place.args[0].data != token.zone:
        return scope.declared.report("PW301", f"`{token.name}` lies on a cell of its zone, not here", node.right.span)
    zone = place.args[0]
    index = Expr("zone_index", PLAYER, zone.args, zone.data, zone.span)
    return Expr("token_on", BOOL, (index, place.args[1]), token.number, node.span)


def _token_query(node: n.TokenQuery, scope: Scope) -> Expr:
    token = scope.declared.tokens.get(node.token.name)
    if token is None:
        return scope.declared.unknown("token", node.token, scope.declared.tokens)
    scope.declared.used.add(("token", token.name))
    if node.operator == "holds":
        return Expr("holds", BOOL, (), token.number, node.span)
    return Expr("token_place", Type("cell", optional=True), (), token.number, node.span)


def _unary(node: n.Unary, scope: Scope) -> Expr:
    operator, span = node.operator, node.span
    if operator == "not":
        return Expr("not", BOOL, (check_condition(node.operand, scope),), span=span)
    if operator in ("all", "any"):
        return _each_matched(node, scope)
    if operator in ("count", "sum") and isinstance(node.operand, n.Comprehension):
        return _comprehension(node, node.operand, scope)
    if operator == "sum" and isinstance(node.operand, n.Name) and scope.matched:
        return _sum_matched(node, node.operand, scope)
    value = check(node.operand, scope)
    if value.type.kind == "error":
        return value
    if operator == "-":
        value = _expect_number(value, scope)
        return Expr("neg", t.number(-value.type.high, -value.type.low), (value,), span=span)
    if operator == "count":
        if not value.type.is_collection:
            return scope.declared.report("PW301", f"{value.type} cannot be counted", span)
        return Expr("count", t.number(0, MANY), (value,), span=span)
    if operator == "sum":
        flat = _flat(value)
        if flat is None or not t.is_numeric(flat.type.element or NOTHING):
            return scope.declared.report("PW301", f"{value.type} has no sum", span, "write `sum ATTRIBUTE of ...`")
        return Expr("sum", t.number(-MANY, MANY), (flat,), span=span)
    if operator == "neighbours":
        if value.type.kind != "cell":
            return scope.declared.report("PW301", f"{value.type} has no neighbours, a cell has", span)
        return Expr("neighbours", t.list_of(CELL), (value,), span=span)
    if operator == "top":
        if value.type.kind not in ("pile", "bag"):
            return scope.declared.report("PW301", f"{value.type} has no top", span)
        e = value.type.element or ERROR
        top = Type(e.kind, e.low, e.high, e.component, e.attribute, optional=True)
        return Expr("top", top, (value,), span=span)
    if operator == "tops":
        if (
            value.type.kind not in ("grid", "family")
            or value.type.element is None
            or value.type.element.element is None
        ):
            return scope.declared.report("PW301", f"{value.type} has no tops, several piles have", span)
        return Expr("tops", t.list_of(value.type.element.element), (value,), span=span)
    flat = _flat(value)  # cards of
    if flat is None:
        return scope.declared.report("PW301", f"{value.type} holds no cards", span)
    return flat


def _flat(value: Expr) -> Expr | None:
    """All elements of a collection, of all piles when it has piles; None when it is no collection."""
    if value.type.kind in ("grid", "family"):
        inner = value.type.element
        if inner is None or inner.element is None:
            return None
        return Expr("flat", t.list_of(inner.element), (value,), span=value.span)
    return value if value.type.is_collection else None


def _faces(value: Expr, attribute: n.Name, scope: Scope) -> tuple[Expr, AttributeModel] | None:
    flat = _flat(value)
    element = flat.type.element if flat else None
    if flat is None or element is None or element.kind != "face":
        if value.type.kind != "error":
            scope.declared.report("PW301", f"{value.type} has no {attribute.name}", value.span)
        return None
    model = _attribute_model(element, attribute.name, scope)
    if model is None:
        component = scope.declared.components[element.component]
        scope.declared.unknown(f"attribute of {component.name}", attribute, component.attributes, "PW303")
        return None
    return flat, model


def _sum_of(node: n.SumOf, scope: Scope) -> Expr:
    value = check(node.operand, scope)
    return _sum(value, node.attribute, node, scope)


def _sum(value: Expr, attribute: n.Name, node: n.Node, scope: Scope) -> Expr:
    found = _faces(value, attribute, scope)
    if found is None:
        return Expr("const", ERROR, span=node.span)
    flat, model = found
    if not t.is_numeric(model.type):
        return scope.declared.report("PW301", f"a {attribute.name} is no number and has no sum", attribute.span)
    element = (flat.type.element or ERROR).component
    return Expr("sum_attr", t.number(-MANY, MANY), (flat,), (element, attribute.name), node.span)


def _alike(node: n.Alike, scope: Scope) -> Expr:
    if node.operand is not None:
        value = check(node.operand, scope)
    elif scope.matched:
        value = _matched_faces(scope.matched, node, scope)
    else:
        return scope.declared.report(
            "PW301", f"`{node.operator} {node.attribute.name}` of what?", node.span, "add `of` and a collection"
        )
    found = _faces(value, node.attribute, scope)
    if found is None:
        return Expr("const", ERROR, span=node.span)
    flat, model = found
    if node.operator == "ascending" and not t.is_numeric(model.type):
        return scope.declared.report(
            "PW301", f"a {node.attribute.name} is no number and cannot ascend", node.attribute.span
        )
    component = (flat.type.element or ERROR).component
    return Expr(node.operator, BOOL, (flat,), (component, node.attribute.name), node.span)


def _matched_faces(matched: Matched, node: n.Node, scope: Scope) -> Expr:
    return Expr("slot", t.list_of(t.face(_board_component(scope))), data=matched.slot, span=node.span)


def _sum_matched(node: n.Unary, attribute: n.Name, scope: Scope) -> Expr:
    assert scope.matched is not None
    return _sum(_matched_faces(scope.matched, node, scope), attribute, node, scope)


def _each_matched(node: n.Unary, scope: Scope) -> Expr:
    if scope.matched is None:
        return scope.declared.report(
            "PW301", f"`{node.operator}` speaks of the cells of a shape, and there is none here", node.span
        )
    faces = _matched_faces(scope.matched, node, scope)
    slot = scope.new_slot()
    body = check_condition(node.operand, scope.copy(subject=(slot, faces.type.element)))
    kind = "every" if node.operator == "all" else "some"
    return Expr("quant", BOOL, (faces, body), (kind, 1, slot), node.span)


def _reads(node: n.Reads, scope: Scope) -> Expr:
    if scope.matched is None or not isinstance(node.operand, n.Name):
        return scope.declared.report("PW301", "`reads` stands after an attribute of the cells of a shape", node.span)
    if len(node.values) != scope.matched.size:
        return scope.declared.report(
            "PW301", f"the shape has {scope.matched.size} cells, here are {len(node.values)} values", node.span
        )
    found = _faces(_matched_faces(scope.matched, node, scope), node.operand, scope)
    if found is None:
        return Expr("const", ERROR, span=node.span)
    flat, model = found
    for value in node.values:
        if not model.type.low <= value <= model.type.high:
            return scope.declared.report(
                "PW306", f"no {model.name} is {value}, it goes from {model.type.low} to {model.type.high}", node.span
            )
    component = (flat.type.element or ERROR).component
    return Expr("reads", BOOL, (flat,), (component, model.name, node.values), node.span)


def _test(node: n.Test, scope: Scope) -> Expr:
    value = check(node.operand, scope)
    if value.type.kind == "error":
        return value
    if node.operator == "empty":
        if not value.type.is_collection:
            return scope.declared.report("PW301", f"{value.type} is never empty", node.span)
        return Expr("empty", BOOL, (value,), span=node.span)
    if value.type.kind != "grid":
        return scope.declared.report("PW301", f"{value.type} is not connected or apart, a grid is", node.span)
    return Expr("connected", BOOL, (value,), span=node.span)


def _fits(node: n.Fits, scope: Scope) -> Expr:
    board = check(node.board, scope)
    if board.type.kind not in ("grid", "error"):
        return scope.declared.report("PW301", f"{board.type} has no extent, a grid has", node.board.span)
    args = [board]
    if node.cell is not None:
        cell = check(node.cell, scope)
        if cell.type.kind not in ("cell", "error"):
            return scope.declared.report("PW301", f"this is {cell.type}, a cell is needed", node.cell.span)
        args.append(cell)
    return Expr("fits", BOOL, tuple(args), (node.width, node.height), node.span)


def _if(node: n.If, scope: Scope) -> Expr:
    condition = check_condition(node.condition, scope)
    then, otherwise = check(node.then, scope), check(node.otherwise, scope)
    joined = t.join(then.type, otherwise.type)
    if joined is None:
        return scope.declared.report("PW301", f"one branch is {then.type}, the other {otherwise.type}", node.span)
    return Expr("if", joined, (condition, then, otherwise), span=node.span)


def _can(node: n.Can, scope: Scope) -> Expr:
    if node.action.name not in scope.declared.actions:
        return scope.declared.unknown("action", node.action, scope.declared.actions)
    return Expr("can", BOOL, (), node.action.name, node.span)


# ---- quantifiers ---------------------------------------------------------------------------------------------------


def _domain(node: n.Node, scope: Scope) -> tuple[Expr, Type]:
    if isinstance(node, n.Range):
        if node.low > node.high:
            return scope.declared.report("PW306", "the range is empty", node.span), ERROR
        type_ = t.number(node.low, node.high)
        return Expr("const", t.list_of(type_), data=tuple(range(node.low, node.high + 1)), span=node.span), type_
    value = check(node, scope)
    if value.type.kind == "error":
        return value, ERROR
    if not value.type.is_collection or value.type.element is None:
        return scope.declared.report("PW301", f"{value.type} has no elements to go through", node.span), ERROR
    if value.type.kind == "grid":
        return Expr("piles", t.list_of(value.type.element), (value,), span=node.span), value.type.element
    return value, value.type.element


def _over_domain(node: n.OverDomain, scope: Scope) -> Expr:
    domain, element = _domain(node.domain, scope)
    inner, slot = scope.bind(node.variable.name, element)
    body = check_condition(node.body, inner)
    return Expr("quant", BOOL, (domain, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)


def _comprehension(node: n.Unary, inside: n.Comprehension, scope: Scope) -> Expr:
    domain, element = _domain(inside.domain, scope)
    inner, slot = scope.bind(inside.variable.name, element)
    if node.operator == "count":
        body = check_condition(inside.body, inner)
        return Expr("count_where", t.number(0, MANY), (domain, body), slot, node.span)
    body = _expect_number(check(inside.body, inner), inner)
    return Expr("sum_where", t.number(-MANY, MANY), (domain, body), slot, node.span)


def _loose_comprehension(node: n.Comprehension, scope: Scope) -> Expr:
    return scope.declared.report("PW301", "this stands only after `count` or `sum`", node.span)


def _over_named(node: n.OverNamed, scope: Scope) -> Expr:
    name, declared = node.subject.name, scope.declared
    if name in declared.shapes:
        declared.used.add(("shape", name))
        return _over_shape(node, node.quantifier, declared.shapes[name].picture, node.body, scope)
    if name in declared.components and scope.on_board:
        slot = scope.new_slot()
        type_ = t.face(name)
        body = check_condition(node.body, scope.copy(subject=(slot, type_)))
        tops = Expr("slot", t.list_of(type_), data=1, span=node.subject.span)
        return Expr("quant", BOOL, (tops, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)
    if name == "pile" and scope.on_board and declared.board is not None:
        slot = scope.new_slot()
        type_ = Type("pile", element=declared.board.element)
        body = check_condition(node.body, scope.copy(subject=(slot, type_)))
        piles = Expr(
            "filled",
            t.list_of(type_),
            (Expr("slot", t.list_of(type_), data=0, span=node.subject.span),),
            span=node.subject.span,
        )
        return Expr("quant", BOOL, (piles, body), (node.quantifier.kind, node.quantifier.number, slot), node.span)
    known = [*declared.shapes, *declared.components, "pile"]
    return declared.unknown("shape", node.subject, known)


def _over_picture(node: n.OverPicture, scope: Scope) -> Expr:
    return _over_shape(node, node.quantifier, node.picture, node.body, scope)


def _over_shape(node: n.Node, quantifier: n.Quantifier, picture: n.Picture, body: n.Node | None, scope: Scope) -> Expr:
    declared = scope.declared
    if not scope.on_board or declared.board is None:
        return declared.report("PW301", "shapes are looked for in objectives, where a board is meant", node.span)
    found = check_picture(picture, declared.board, declared.components, declared.diagnostics)
    if found is None:
        return Expr("const", ERROR, span=node.span)
    placements, size, names, fixed = found
    slot = scope.new_slot()
    matched = Matched(slot, size, names)
    inner = scope.copy(matched=matched, subject=None)
    faces = _matched_faces(matched, node, scope)
    conditions = [
        Expr(
            "eq",
            BOOL,
            (
                Expr(
                    "attr",
                    t.number(value, value),
                    (Expr("item", faces.type.element or ERROR, (faces,), cell, picture.span),),
                    attribute,
                ),
                Expr("const", t.number(value, value), data=value, span=picture.span),
            ),
            span=picture.span,
        )
        for cell, attribute, value in fixed
    ]
    if body is not None:
        conditions.append(check_condition(body, inner))
    condition = Expr("const", BOOL, data=True, span=picture.span)
    for number, part in enumerate(conditions):
        condition = part if number == 0 else Expr("and", BOOL, (condition, part), span=node.span)
    return Expr("shape", BOOL, (condition,), (quantifier.kind, quantifier.number, slot, placements), node.span)


_CHECKS: dict[type[n.Node], Any] = {
    n.Number: _number, n.Name: _name, n.Nothing: _nothing, n.Call: _call, n.Attribute: _attribute, n.Index: _index,
    n.Unary: _unary, n.SumOf: _sum_of, n.TokenQuery: _token_query, n.Can: _can, n.Binary: _binary, n.Test: _test,
    n.Fits: _fits, n.Reads: _reads, n.Alike: _alike, n.If: _if, n.Comprehension: _loose_comprehension,
    n.OverNamed: _over_named, n.OverPicture: _over_picture, n.OverDomain: _over_domain,
}  # fmt: skip
