"""Components, decks, zones, tokens, variables and the steps of the setup."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from math import isqrt
from typing import Any

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import (
    AttributeModel,
    ComponentModel,
    DeckModel,
    SetupModel,
    TokenModel,
    VariableModel,
    ZoneModel,
)
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, GOAL, PLAYER, Type
from pwtool.ir.walk import walk
from pwtool.lang import tree as n
from pwtool.rules.check.cell_names import CODE, cell_names, joined_cells
from pwtool.rules.check.dispatch import instead_of_nothing
from pwtool.rules.check.divided import divide, division_of, divisions_of, too_many
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.scope import Declared, Scope
from pwtool.text import codes_like, did_you_mean
from pwtool.text.speech import Told

MAX_FACES = 10_000
MAX_COUNT = 10_000
MAX_GRID = 400
MAX_VALUES = 200_000
"""The maximum number of faces of all components, each counted once for every attribute."""


def build_component(node: n.Component, declared: Declared) -> ComponentModel:
    """All faces of a component: every combination of its attributes, numbered."""
    name = node.name.name
    choices: list[list[tuple[Any, str]]] = []
    written: list[tuple[str, Type]] = []
    states = {a.name.name for a in node.attributes if a.state}
    for attribute in node.attributes:
        if any(attribute.name.name == other for other, _ in written):
            declared.report("PW202", "attribute `{name}` is declared twice", attribute.name.span, name=attribute.name.name)  # fmt: skip
        if attribute.kind == "enum":
            choices.append([(m.name, m.code) for m in attribute.members])
            written.append((attribute.name.name, Type("member", component=name, attribute=attribute.name.name)))
        elif attribute.kind == "range":
            if attribute.low > attribute.high or attribute.high - attribute.low > MAX_FACES:
                declared.report("PW306", "the range is empty or too large", attribute.span)
                continue
            choices.append([(v, str(v).replace("-", "m")) for v in range(attribute.low, attribute.high + 1)])
            written.append((attribute.name.name, t.number(attribute.low, attribute.high)))
        elif attribute.kind == "flag":
            choices.append([(False, ""), (True, attribute.code)])
            written.append((attribute.name.name, BOOL))
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_FACES:
        declared.report(
            "PW306", "`{name}` has {count} faces, at most {most} are possible", node.name.span, name=name, count=count, most=str(MAX_FACES),
        )  # fmt: skip
        choices, written = choices[:1], written[:1]
    tables = sum(a.kind in ("table", "owner") for a in node.attributes)
    declared.faces += len(choices[0]) if count > MAX_FACES else count * max(1, len(written) + tables)
    if declared.faces > MAX_VALUES:
        message = "with `{name}` there are more than {most} values of attributes, counting each face"
        raise declared.stop(message, node.span, "give components fewer faces or fewer attributes", name=name, most=MAX_VALUES)  # fmt: skip
    faces = list(product(*choices))
    # A face without attributes has the name of the component.
    codes = tuple(node.code + "".join(code for _, code in face) or name for face in faces)
    wrong = next((code for code in codes if not CODE.fullmatch(code)), None)
    if wrong is not None:
        message = "`{wrong}` is not a code, codes are made of letters from a to z, digits and `_`"
        declared.report("PW306", message, node.name.span, 'write another code after the name: `big "B"`', wrong=wrong)
    elif len(set(codes)) < len(codes):
        twice = Counter(codes).most_common(1)[0][0]
        declared.report(
            "PW202", "two faces of `{name}` have the code `{twice}`", node.name.span, "give members codes that differ", name=name, twice=twice,
        )  # fmt: skip
    attributes = {
        attribute: AttributeModel(attribute, type_, tuple(face[i][0] for face in faces), True, attribute in states)
        for i, (attribute, type_) in enumerate(written)
    }
    for table in (a for a in node.attributes if a.kind in ("table", "owner")):
        model = _table(table, attributes, declared)
        if model:
            attributes[model.name] = model
    numbers = {code: i for i, code in enumerate(codes)}
    return ComponentModel(name, codes, numbers, attributes, node.choice, _at_first(choices, written, states))


def _at_first(
    choices: list[list[tuple[Any, str]]], written: list[tuple[str, Type]], states: set[str]
) -> tuple[int, ...]:
    """What each face is with the first value of everything that may change; empty if nothing may."""
    changing = [attribute in states for attribute, _ in written]
    if not any(changing):
        return ()
    faces = list(product(*(range(len(choice)) for choice in choices)))
    numbers = {face: number for number, face in enumerate(faces)}
    return tuple(numbers[tuple(0 if c else at for at, c in zip(face, changing, strict=True))] for face in faces)


def _table(
    node: n.AttributeDeclaration, attributes: dict[str, AttributeModel], declared: Declared
) -> AttributeModel | None:
    key = attributes.get(node.key.name) if node.key else None
    if key is None:
        if node.key:
            declared.unknown("attribute", node.key, attributes, "PW303")
        return None
    wanted = {str(v) for v in key.table}
    rows = dict(node.rows)
    if node.kind == "owner" and not rows:
        rows = {str(value): seat for seat, value in enumerate(dict.fromkeys(key.table), 1)}
    for missing in sorted(wanted - rows.keys()):
        declared.report("PW209", "`{name}` has no row for {key} {missing}", node.span, name=node.name.name, key=key.name, missing=missing)  # fmt: skip
    for extra in sorted(rows.keys() - wanted):
        declared.report("PW306", "no {name} is {value}", node.span, did_you_mean(extra, wanted), name=key.name, value=extra)  # fmt: skip
    values = rows.values()
    if node.kind == "owner":
        wrong = next((v for v in values if v != n.NOBODY and not 1 <= v <= declared.max_players), None)
        if wrong is not None:
            message = "there is no seat {wrong}, players sit from 1 to {most}"
            declared.report("PW306", message, node.span, wrong=wrong, most=declared.max_players)
        owners = [rows.get(str(v), 1) for v in key.table]
        seats = tuple(None if owner == n.NOBODY else owner - 1 for owner in owners)
        return AttributeModel(node.name.name, Type("player", optional=None in seats), seats, False)
    type_ = t.number(min(values, default=0), max(values, default=0))
    return AttributeModel(node.name.name, type_, tuple(rows.get(str(v), 0) for v in key.table), False)


def _no_things(name: n.Name, declared: Declared) -> None:
    declared.report("PW301", "`{name}` is a choice: there are no such things", name.span, "declare a `component`", name=name.name)  # fmt: skip


def build_deck(node: n.Deck, declared: Declared) -> DeckModel | None:
    """A deck with the decks it refers to expanded."""
    component = declared.components.get(node.component.name)
    if component is None:
        declared.unknown("component", node.component, declared.components)
        return None
    if component.choice:
        _no_things(node.component, declared)
    parts: list[tuple[tuple[tuple[int, int], ...], Expr | None]] = []
    for part in node.parts:
        if part.every > MAX_COUNT or (not part.every and part.deck is None and not part.cards):
            declared.report("PW306", "a deck holds from 1 to {most} of a card", part.span, most=str(MAX_COUNT))
        when = check_condition(part.when, Scope(declared, has_player=False)) if part.when else None
        if part.deck is not None:
            other = declared.decks.get(part.deck.name)
            if other is None:
                declared.unknown("deck", part.deck, declared.decks)
                continue
            declared.used.add(("deck", other.name))
            for cards, condition in other.parts:
                declared.count(1 + len(cards) + _conditions(condition) + _conditions(when))
                both = when if condition is None else condition
                if when is not None and condition is not None:
                    both = ir.And(when, condition, span=part.span)
                parts.append((cards, both))
            continue
        counts: list[tuple[int, int]] = []
        if part.every:
            declared.count(len(component.codes))
            counts = [(face, part.every) for face, _ in enumerate(component.codes) if component.at_first(face) == face]
        for code, count in part.cards:
            number = component.numbers.get(code.name)
            if number is None:
                declared.report(
                    "PW304", "`{code}` is no {component}", code.span, _parted(code.name, component) or codes_like(code.name, component.codes),
                    code=code.name, component=component.name,
                )  # fmt: skip
            elif component.at_first(number) != number:
                declared.report(
                    "PW306", "`{code}` is what actions make of it, a deck holds things in their first state", code.span,
                    Told("write `{text}`", text=component.codes[component.at_first(number)]), code=code.name,
                )  # fmt: skip
            elif not 0 < count <= MAX_COUNT:
                help_line = "leave the card out" if count == 0 else None
                declared.report("PW306", "a deck holds from 1 to {most} of a card", code.span, help_line, most=str(MAX_COUNT))  # fmt: skip
            else:
                counts.append((number, count))
        parts.append((tuple(counts), when))
    return DeckModel(node.name.name, component.name, tuple(parts))


def _parted(code: str, component: ComponentModel) -> str | None:
    """What is probably meant by a number next to a code."""
    found = re.fullmatch("([0-9]+)(.+)", code)
    return Told("write `{text}`", text=f"{found[1]} {found[2]}") if found and found[2] in component.numbers else None


def _conditions(expr: Expr | None) -> int:
    """The number of parts of a condition."""
    return 0 if expr is None else sum(1 for _ in walk(expr))


def build_zone(node: n.Zone, declared: Declared) -> ZoneModel | None:
    """A zone and its divisions."""
    if node.kind.component is not None:
        if node.kind.component.name not in declared.components:
            declared.unknown("component", node.kind.component, declared.components)
            return None
        if declared.components[node.kind.component.name].choice:
            _no_things(node.kind.component, declared)
        element = t.face(node.kind.component.name)
    else:
        if node.kind.low > node.kind.high:
            declared.report("PW306", "the range is empty", node.kind.span)
        element = t.number(node.kind.low, node.kind.high)
    dimensions: list[tuple[str, int]] = []
    places: tuple[str, ...] = ()
    for per in node.per:
        if (per.name, 0) in dimensions:
            declared.report("PW202", "`{name}` is divided by {per} twice", per.span, name=node.name.name, per=per.name)
            continue
        if per.name in ("player", "goal"):
            dimensions.append((per.name, 0))
        elif node.name.name in declared.zone_divisions or node.size is not None:
            declared.report("PW202", "`{name}` is divided into places twice", per.span, name=node.name.name)
        elif (division := division_of(per, ["player", "goal"], declared, element.component)) is not None:
            if too_many([division], node, declared):
                return None
            declared.zone_divisions[node.name.name] = division
            places = tuple(map(str, division.values))
    # Whoever plays or whatever is played for comes first in an index.
    if places:
        dimensions.append(("number", len(places)))
    if node.size is not None:
        if not 0 < node.size <= MAX_GRID:
            declared.report("PW306", "a zone has from 1 to {most} places", node.span, most=MAX_GRID)
        dimensions.append(("number", node.size))
    width, height = node.kind.width, node.kind.height
    if node.kind.kind == "grid" and not 0 < width * height <= MAX_GRID:
        declared.report("PW306", "a grid has from 1 to {most} cells", node.kind.span, most=MAX_GRID)
        # Shapes are still placed, on a grid of the maximum size.
        width, height = min(width, isqrt(MAX_GRID)), min(height, isqrt(MAX_GRID))
    seen = _seen(node.seen, declared)
    kind = node.kind
    zone = ZoneModel(
        node.name.name,
        len(declared.zones),
        kind.kind,
        element,
        tuple(dimensions),
        width,
        height,
        kind.floating,
        seen,
        _mask(kind.mask, declared) if kind.mask is not None else "",
        kind.hexagonal,
        *cell_names(node.called, kind, declared),
        places=places,
    )
    return zone if node.joins is None else replace(zone, joined=joined_cells(node.joins, zone, declared))


def _seen(by: n.Name | None, declared: Declared) -> str:
    """Who sees the contents of a zone or a variable."""
    if by is not None and by.name not in ("all", "owner", "none"):
        declared.unknown("kind of sight", by, ["all", "owner", "none"])
    return by.name if by is not None else "all"


def _mask(picture: n.Picture, declared: Declared) -> str:
    """The cells of a grid, row by row; None if it has all."""
    strange = next((cell for cell in picture.cells if cell.sign != "#"), None)
    if strange is not None:
        message = "`{sign}` is neither a cell (`#`) nor none (`.`)"
        declared.report("PW102", message, strange.span, sign=strange.sign)
    cells = {(cell.column, cell.row) for cell in picture.cells}
    signs = ["#" if (x, y) in cells else "." for y in range(picture.height) for x in range(picture.width)]
    return "".join(signs) if "." in signs else ""


def build_token(node: n.Token, declared: Declared) -> TokenModel | None:
    zone = declared.zones.get(node.zone.name)
    if zone is None or zone.kind != "grid" or zone.dimensions not in ((), (("player", 0),)):
        if zone is None:
            declared.unknown("zone", node.zone, declared.zones)
        else:
            declared.report("PW301", "a token lies on a grid that is shared or each player's own", node.zone.span)
        return None
    return TokenModel(node.name.name, len(declared.tokens), zone.number)


def declare_variable(node: n.Var, declared: Declared) -> None:
    """Check a variable and declare it, or those that it stands for."""
    variable, divisions = _variable(node, declared), divisions_of(node, declared)
    if variable is None or divisions is None:
        declared.broken.add(node.name.name)
    elif divisions:
        divide(variable, node, divisions, declared)
    else:
        declared.variables[variable.name] = variable


def _variable(node: n.Var, declared: Declared) -> VariableModel | None:
    """A variable; one with an initial value always has a value."""
    cycle = "round" if declared.rounds else "turn"
    name, each = node.name.name, node.each is not None
    if node.per.name not in (cycle, "game", "player"):
        declared.unknown("time", node.per, [cycle, "game", "player"])
    type_ = _variable_type(node, declared)
    if type_ is None:
        return None
    if each and type_.is_collection:
        declared.report("PW301", "`{name}` is {type}, a player has one value", node.span, "a zone may be `per player`", name=name, type=type_)  # fmt: skip
        return None
    initial = check(node.initial, Scope(declared, has_player=each)) if node.initial else None
    if initial is not None and initial.type.kind != "error":
        joined = t.join(initial.type, type_)
        outside = type_.grid is not None and initial.type.grid not in (None, type_.grid)
        if joined is None or outside or (initial.type.kind == "nothing" and not type_.optional):
            given, held = t.apart(initial.type, type_)
            declared.report("PW301", "this is {type}, `{name}` is {other}", initial.span, type=given, name=name, other=held)  # fmt: skip
        elif type_.kind == "int" and initial.type.optional:
            declared.report("PW301", "this may have no value", initial.span, instead_of_nothing(initial))
        elif not initial.type.optional:
            type_ = replace(type_, optional=False)
    if initial is None and type_.kind == "int":
        declared.report("PW209", "`{name}` needs a first value", node.name.span, "write `= {low}`", name=name, low=type_.low)  # fmt: skip
    per = "game" if node.per.name in ("game", "player") else "turn"
    if per == "game" and initial is not None:
        _check_begun(initial, declared)
    seen = _seen(node.seen, declared)
    if node.seen is not None and seen == "owner" and not each:
        declared.report("PW301", "`{name}` has no owner", node.seen.span, "write `per player`, or `seen by none`", name=name)  # fmt: skip
    return VariableModel(name, len(declared.variables), type_, initial, per, each, seen)


def _check_begun(initial: Expr, declared: Declared) -> None:
    """A finding if a first value depends on a variable that has no value yet when the game begins."""
    fresh = {v.number: name for name, v in declared.variables.items() if v.per == "turn"}
    for part in walk(initial):
        if isinstance(part, ir.Variable) and part.number in fresh:
            message = "`{name}` has no value before the first turn"
            declared.report("PW301", message, part.span or initial.span, name=fresh[part.number])


def _variable_type(node: n.Var, declared: Declared) -> Type | None:
    """The type of a variable; one that may have any value is absent until it is set."""
    if node.kind == "number":
        if node.low > node.high:
            declared.report("PW306", "the range is empty", node.span)
        return t.number(node.low, node.high)
    named = node.type_name
    assert named is not None
    if node.kind == "bag":
        if named.name not in declared.components:
            declared.unknown("component", named, declared.components)
            return None
        return Type("bag", element=t.face(named.name))
    if node.kind in ("cell", "cells"):
        zone = declared.zones.get(named.name)
        if zone is None or zone.kind != "grid":
            declared.unknown("grid", named, [z.name for z in declared.zones.values() if z.kind == "grid"])
            return None
        return t.cell(zone.grid, optional=True) if node.kind == "cell" else t.list_of(t.cell(zone.grid))
    known = {
        "flag": BOOL, "cell": t.cell(declared.grid), "cells": t.list_of(t.cell(declared.grid)), "player": PLAYER,
        **({"goal": GOAL} if declared.goal_zone else {}),
        **{name: t.face(name) for name, component in declared.components.items() if not component.choice},
    }  # fmt: skip
    for component in declared.components.values():
        for attribute in component.attributes.values():
            known.setdefault(attribute.name, attribute.type)
    found = known.get(named.name)
    if found is None:
        said = Told("a number has bounds: `0..9`") if named.name in ("int", "integer", "number") else None
        said = Told("what is true or false is a `flag`") if named.name in ("bool", "boolean") else said
        declared.unknown("type", named, [*known, "bag of ..."], help_line=said)
        return None
    return replace(found, optional=found.kind not in ("bool", "int", "list"))


Laid = tuple[tuple[tuple[int, int], tuple[int, ...]], ...]


def _board(node: n.SetupStep, zone: ZoneModel, declared: Declared) -> Laid:
    """The contents of a grid at the start, from a picture."""
    picture = node.board
    assert picture is not None
    if zone.kind != "grid" or zone.element.kind != "face":
        declared.report("PW301", "`{zone}` is not a grid of things with faces", node.span, "numbers are put as a list", zone=zone.name)  # fmt: skip
        return ()
    if picture.width > zone.width or picture.height > zone.height:
        declared.report("PW305", "the grid has {size} cells", picture.span, size=f"{zone.width}x{zone.height}")
        return ()
    component = declared.components[zone.element.component]
    laid = []
    for cell in picture.cells:
        codes = cell.sign.split("+")
        wrong = next((code for code in codes if code not in component.numbers), None)
        if wrong is not None:
            help_line = codes_like(wrong, component.codes)
            declared.report("PW304", "`{code}` is no {component}", cell.span, help_line, code=wrong, component=component.name)  # fmt: skip
            continue
        if not zone.grid.has((cell.column, cell.row)):
            declared.report("PW305", "the grid has no cell {cell}", cell.span, cell=f"({cell.column}, {cell.row})")
            continue
        laid.append(((cell.column, cell.row), tuple(component.numbers[code] for code in codes)))
    return tuple(laid)


def _check_put(node: n.SetupStep, zone: ZoneModel, declared: Declared) -> None:
    if zone.element.kind != "int" or zone.kind == "grid":
        declared.report("PW301", "`{zone}` holds no numbers, `put` lays out numbers", node.span, "cards are dealt: `deal`", zone=zone.name)  # fmt: skip
        return
    for values, _ in node.cases:
        wrong = next((v for v in values if not zone.element.low <= v <= zone.element.high), None)
        if wrong is not None:
            low, high = zone.element.low, zone.element.high
            declared.report(
                "PW306", "`{zone}` holds numbers from {low} to {high}, not {wrong}", node.span, zone=zone.name, low=low, high=high, wrong=wrong,
            )  # fmt: skip
        if zone.kind == "slot" and len(values) > 1:
            declared.report("PW306", "a slot holds one thing, here are {count}", node.span, count=len(values))


def build_setup(node: n.SetupStep, declared: Declared) -> SetupModel | None:
    """A step of the setup; `put` and `deal` name the zone that they fill."""
    zone_name = node.to or (node.name if node.kind == "put" else None)
    zone = -1
    deck = owner = ""
    spread = False
    if zone_name is not None:
        model = declared.zones.get(zone_name.name)
        if model is None:
            declared.unknown("zone", zone_name, declared.zones)
            return None
        declared.used.add(("zone", model.name))
        zone = model.number
        if node.kind == "deal":
            spread = _check_deal(node, model, declared)
    board: Laid = ()
    if node.kind == "put" and zone >= 0:
        model = next(z for z in declared.zones.values() if z.number == zone)
        if node.board is not None:
            board = _board(node, model, declared)
        else:
            _check_put(node, model, declared)
    if node.kind == "deal" and node.what is not None:
        if node.what.name not in declared.decks:
            declared.unknown("deck", node.what, declared.decks)
            return None
        deck = node.what.name
        declared.used.add(("deck", deck))
        if (
            zone >= 0
            and declared.decks[deck].component
            != next(z for z in declared.zones.values() if z.number == zone).element.component
        ):
            declared.report("PW301", "`{deck}` holds other components than the zone", node.what.span, deck=deck)
    if node.manner is not None and node.manner not in ("choice", "chance"):
        owner = _check_owner(node, deck, declared)
    scope = Scope(declared, has_player=False)
    cases = tuple((values, check_condition(when, scope) if when else None) for values, when in node.cases)
    sees = tuple(s.name for s in node.sees)
    return SetupModel(
        node.name.name,
        node.kind,
        node.text,
        node.amount,
        deck,
        zone,
        node.cell,
        node.manner or "chance",
        cases,
        sees,
        node.span,
        node.rest,
        board,
        spread,
        owner,
    )


def _check_deal(node: n.SetupStep, zone: ZoneModel, declared: Declared) -> bool:
    """Whether a deal goes to each cell of a grid; a finding if its target is impossible."""
    if zone.kind != "grid":
        if node.cell is not None:
            declared.report("PW301", "only a grid has cells", node.span)
        return False
    if node.cell is not None:
        if not zone.grid.has(node.cell):
            declared.report("PW302", "{name} has no cell {cell}", node.span, name=f"`{zone.name}`", cell=f"({node.cell[0]}, {node.cell[1]})")  # fmt: skip
        return False
    if zone.floating or zone.dimensions or not node.amount or zone.mask:
        help_line = (
            "write `at 0, 0`, or how many each cell receives of a shared grid that does not float and has all its cells"
        )
        declared.report("PW301", "cards dealt to a grid need a cell", node.span, help_line)
    return True


def _check_owner(node: n.SetupStep, deck: str, declared: Declared) -> str:
    """The attribute by which everything is dealt to its owner."""
    manner = node.manner or ""
    component = declared.components.get(declared.decks[deck].component) if deck else None
    attribute = component.attributes.get(manner) if component else None
    if attribute is None or attribute.type.kind != "player":
        owners = [a.name for a in component.attributes.values() if a.type.kind == "player"] if component else []
        known = ", ".join(f"`by {k}`" for k in ["choice", "chance", *owners])
        if manner not in node.span.text and component is not None:
            message = "a supply per player deals to owners, and no `{component}` has one"
            declared.report("PW201", message, node.span, "declare it: `{manner}: player by ...`", component=component.name, manner=manner)  # fmt: skip
            return ""
        declared.report("PW201", "`by {manner}` is unknown", node.span, "known here: {known}", manner=manner, known=known)  # fmt: skip
        return ""
    assert component is not None
    for face in dict.fromkeys(f for part in declared.decks[deck].parts for f, _ in part[0]):
        if attribute.table[face] is None:
            declared.report("PW306", "`{code}` belongs to nobody", node.span, "deal it by another step", code=component.codes[face])  # fmt: skip
            return ""
    zone = declared.zones.get(node.to.name) if node.to else None
    if (zone is not None and (zone.dimensions != (("player", 0),) or zone.kind == "grid")) or node.amount or node.rest:
        declared.report("PW301", "this deals all of a deck to a zone that each player has", node.span)
    return manner


def check_deals(steps: list[SetupModel], declared: Declared) -> None:
    """Only one step deals a whole deck; if several steps share it, they deal parts and a rest."""
    deals = [s for s in steps if s.kind == "deal"]
    for step in deals:
        others = [s for s in deals if s is not step and s.deck == step.deck]
        if not step.amount and not step.rest and others:
            message = "`{deck}` is dealt whole here and also by `{other}`"
            declared.report(
                "PW306", message, step.span, "write `rest of {deck}` and put it after the others", deck=step.deck, other=others[0].name,
            )  # fmt: skip
        if step.rest and any(s.rest for s in others):
            declared.report("PW306", "the rest of `{deck}` is dealt twice", step.span, deck=step.deck)
        if step.rest and deals.index(step) < max((deals.index(s) for s in others), default=-1):
            declared.report("PW306", "others deal `{deck}` after its rest", step.span, deck=step.deck)
