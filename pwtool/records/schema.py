"""The JSON Schema (draft 2020-12) of a ruleset's records and state files, generated from the ruleset."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pwtool.ir.model import ActionModel, ParameterModel, SetupModel, VariableModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import STOPPED
from pwtool.play.game import Game
from pwtool.records.json_form import is_list
from pwtool.records.variables_json import kept
from pwtool.records.words import (
    FORMAT,
    MARKS,
    MAX_CELL,
    MAX_GOALS,
    MAX_ITEMS,
    MAX_NAME,
    MAX_PLAYERS,
    MAX_TURNS,
    SCHEMA,
    STATE_FORMAT,
    UNSEEN_CODE,
)
from pwtool.rules.library import split_address

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_COORDINATE = {"type": "integer", "minimum": -MAX_CELL, "maximum": MAX_CELL}
_CELL = {
    "description": "a cell: x to the right, y downwards", "type": "array", "prefixItems": [_COORDINATE] * 2,
    "minItems": 2, "maxItems": 2,
}  # fmt: skip
_GOALS = {"type": "array", "items": {"$ref": "#/$defs/objective"}, "maxItems": MAX_GOALS}
_TEXT = {"type": "string"}
_NAME = {"type": "string", "minLength": 1, "maxLength": MAX_NAME}
_PLAYERS = {"type": "array", "items": _NAME, "minItems": 1, "maxItems": MAX_PLAYERS, "uniqueItems": True}


def record_schema(game: Game) -> dict[str, Any]:
    """The schema of a whole recorded game."""
    ruleset = game.ruleset
    followed = [ruleset.consequences[name] for name in ruleset.recordable]
    actions = [_action(game, a) for a in (*ruleset.actions.values(), *followed)]
    setup = {step.name: _dealt(game, step) for step in ruleset.setup if step.recorded}
    turn: dict[str, Any] = {"actions": {"type": "array", "items": {"$ref": "#/$defs/action"}}, "comment": _TEXT}
    if not ruleset.rounds:
        turn = {"player": _NAME, **turn}
    if ruleset.goal_zone:
        setup[ruleset.goal_zone] = dict(_GOALS)
    position, required = _position(game)
    # Nobody knows how to play on with a zone that is not given.
    position["zones"] = {**position["zones"], "required": [zone.name for zone in game.zone_list]}
    return {
        "$schema": DRAFT,
        **_name(ruleset.address, FORMAT),
        "title": f"A recorded game of {ruleset.title}",
        "description": f"Ruleset {ruleset.address}, version {ruleset.version}",
        "type": "object",
        "required": ["format", "players", "turns"],
        "if": {"required": ["start"]},
        "then": {"properties": {"setup": False}},
        **({"else": {"required": ["setup"]}} if setup else {}),
        "additionalProperties": False,
        "properties": {
            SCHEMA: _TEXT,
            "format": {"const": FORMAT},
            "ruleset": {"type": "string"},
            "version": {"type": "string"},
            "id": {"type": "string"},
            "players": _PLAYERS,
            "recorded": {"type": "array", "items": {"enum": list(ruleset.recordable)}}
            if ruleset.recordable
            else {"type": "array", "maxItems": 0},
            "meta": {"type": "object"},
            "comment": _TEXT,
            "setup": {"type": "object", "properties": setup, "required": list(setup), "additionalProperties": False},
            "start": {
                "description": "the position that the game begins from, instead of a setup",
                "type": "object",
                "required": required if ruleset.rounds else ["player", *required],
                "additionalProperties": False,
                "properties": position,
            },
            "turns": {
                "type": "array",
                "maxItems": MAX_TURNS,
                "items": {
                    "type": "object",
                    "required": ["actions"] if ruleset.rounds else ["player", "actions"],
                    "additionalProperties": False,
                    "properties": turn,
                },
            },
            "result": _result(game),
        },
        "$defs": {**_definitions(game), "action": {"type": "object", "required": ["action"], "oneOf": actions}},
    }


def _name(address: str, form: str) -> dict[str, str]:
    """The name of a schema, the same for every version of a ruleset; rules from a file have none, because it would not be unique."""
    return {} if split_address(address)[0] is not None else {"$id": f"urn:pwtool:{form}:{quote(address)}"}


def state_schema(game: Game) -> dict[str, Any]:
    """The schema of a position alone."""
    ruleset = game.ruleset
    properties: dict[str, Any] = {
        SCHEMA: _TEXT,
        "format": {"const": STATE_FORMAT},
        "ruleset": {"type": "string"},
        "version": {"type": "string"},
        "id": {"type": "string"},
        "meta": {"type": "object"},
        "players": _PLAYERS,
        "moment": {
            "description": f"whether the position stands between two {ruleset.cycle}s or within one",
            "enum": ["between", "within"],
        },
    }
    position, required = _position(game)
    return {
        "$schema": DRAFT,
        **_name(ruleset.address, STATE_FORMAT),
        "title": f"A position of {ruleset.title}",
        "description": f"Ruleset {ruleset.address}, version {ruleset.version}",
        "type": "object",
        "required": ["format", "players", *required],
        "additionalProperties": False,
        "properties": properties | position,
        "$defs": _definitions(game),
    }


def _position(game: Game) -> tuple[dict[str, Any], list[str]]:
    """The members of a position that is whole or the start of a record, and those that it needs."""
    ruleset = game.ruleset
    turn = {"type": "integer", "minimum": 1, "maximum": MAX_TURNS}
    properties: dict[str, Any] = {} if ruleset.rounds else {"player": {"description": "whose turn it is", **_NAME}}
    properties |= {
        "turn": {"description": f"the number of the {ruleset.cycle} that comes next, counted from 1", **turn},
        "end": {
            "description": f"the ending that was triggered in an earlier {ruleset.cycle}",
            "type": "object",
            "required": ["rule", "turn"],
            "additionalProperties": False,
            "properties": {"rule": {"enum": [e.name for e in ruleset.endings]}, "turn": turn},
        },
        "zones": {
            "type": "object",
            "additionalProperties": False,
            "properties": {z.name: _zone(game, z) for z in game.zone_list},
        },
        "tokens": {
            "type": "object",
            "additionalProperties": False,
            "properties": {t.name: _token(game, game.zone_list[t.zone]) for t in ruleset.tokens.values()},
        },
    }
    if variables := {name: _kept(game, v) for name, v in kept(ruleset).items()}:
        properties["variables"] = {"type": "object", "additionalProperties": False, "properties": variables}
    if ruleset.goal_zone:
        properties[ruleset.goal_zone] = dict(_GOALS)
    return properties, ["zones", ruleset.goal_zone] if ruleset.goal_zone else ["zones"]


def _kept(game: Game, variable: VariableModel) -> dict[str, Any]:
    """The schema of a variable in a position."""
    t = variable.type
    unknown = {"const": UNSEEN_CODE, "description": "not known, because it depends on what nobody saw"}
    if t.is_collection:
        return {"anyOf": [unknown, {"type": "array", "items": _value(game, t.element or t), "maxItems": MAX_ITEMS}]}
    one = _value(game, t)
    if t.grid is not None and not t.grid.floating:
        sides = (t.grid.width, t.grid.height)
        one["prefixItems"] = [{"type": "integer", "minimum": 0, "maximum": side - 1} for side in sides]
    one = {"anyOf": [unknown, *([{"type": "null"}] if t.optional else []), one]}
    return {"type": "object", "additionalProperties": one} if variable.each else one


def _definitions(game: Game) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"component_{c.name}": {
            "description": f"a {c.name}; `{UNSEEN_CODE}` for one that nobody saw",
            "enum": [*c.codes, UNSEEN_CODE],
        }
        for c in game.ruleset.components.values()
    }
    if game.ruleset.objectives:
        definitions["objective"] = {"description": "an objective", "enum": list(game.ruleset.objectives)}
    return definitions


def _action(game: Game, action: ActionModel) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "action": {"const": action.name},
        "by": _NAME,
        "mark": {"enum": list(MARKS)},
        "comment": _TEXT,
    }
    if action.joint or (action.is_consequence and game.ruleset.rounds):
        del properties["by"]
    piles = [z for z in game.zone_list if z.kind == "pile" and z.element.kind == "face"]
    if piles and not action.is_consequence:
        properties["reveal"] = {
            "description": "what shows on piles afterwards",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                z.name: {"type": "object", "additionalProperties": _value(game, z.element)}
                if z.dimensions
                else _value(game, z.element)
                for z in piles
            },
        }
    required = ["action"]
    if game.ruleset.rounds and not action.joint and not action.is_consequence:
        required.append("by")
    for parameter in action.parameters:
        properties[parameter.name] = _parameter(game, parameter)
        if parameter.kind != "derived":
            required.append(parameter.name)
    return {
        "description": action.text,
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


def _parameter(game: Game, p: ParameterModel) -> dict[str, Any]:
    if p.kind == "tops":
        element = _value(game, p.type.element or p.type)
        schema: dict[str, Any] = {
            "type": "object", "propertyNames": {"pattern": "^[1-9][0-9]{0,3}$"}, "additionalProperties": element,
        }  # fmt: skip
    elif p.listed:
        schema = {"type": "array", "items": _value(game, p.type.element or p.type), "maxItems": MAX_ITEMS}
    elif p.each:
        schema = {"type": "object", "additionalProperties": _value(game, p.type.element or p.type)}
    else:
        schema = _value(game, p.type)
    return {"description": p.text, **schema} if p.text and "$ref" not in schema else schema


def _value(game: Game, t: Type) -> dict[str, Any]:
    match t.kind:
        case "face":
            return {"$ref": f"#/$defs/component_{t.component}"}
        case "member":
            return {"enum": list(dict.fromkeys(game.ruleset.components[t.component].attributes[t.attribute].table))}
        case "int":
            return {"type": "integer", "minimum": t.low, "maximum": t.high}
        case "bool":
            return {"type": "boolean"}
        case "cell":
            return dict(_CELL)
        case "goal":
            return {"$ref": "#/$defs/objective"}
        case "key":
            return {"anyOf": [_value(game, o) for o in t.options]}
    return dict(_NAME)


def _items(game: Game, zone: ZoneModel) -> dict[str, Any]:
    return {"type": "array", "items": _value(game, zone.element), "maxItems": MAX_ITEMS}


def _divided(zone: ZoneModel, content: dict[str, Any], flat: bool = False) -> dict[str, Any]:
    if is_list(zone):
        size = zone.dimensions[0][1]
        return {"type": "array", "items": content, "minItems": size, "maxItems": size}
    for _ in zone.dimensions[:1] if flat else zone.dimensions:
        content = {"type": "object", "additionalProperties": content}
    return content


def _dealt(game: Game, step: SetupModel) -> dict[str, Any]:
    zone = game.zone_list[step.zone]
    content = _value(game, zone.element) if step.amount == 1 else _items(game, zone)
    if step.spread:
        row = {"type": "array", "items": content, "minItems": zone.width, "maxItems": zone.width}
        return {
            "description": step.text, "type": "array", "items": row, "minItems": zone.height, "maxItems": zone.height,
        }  # fmt: skip
    return {"description": step.text, **_divided(zone, content, True)} if zone.dimensions else content


def _zone(game: Game, zone: ZoneModel) -> dict[str, Any]:
    if zone.kind == "grid":
        parts = [_COORDINATE, _COORDINATE, {**_items(game, zone), "minItems": 1}]
        cell = {"type": "array", "prefixItems": parts, "minItems": 3, "maxItems": 3}
        return _divided(zone, {"type": "array", "items": cell, "maxItems": MAX_ITEMS})
    if zone.kind == "slot":
        return _divided(zone, {"anyOf": [{"type": "null"}, _value(game, zone.element)]})
    return _divided(zone, _items(game, zone))


def _token(game: Game, zone: ZoneModel) -> dict[str, Any]:
    properties: dict[str, Any] = {"at": dict(_CELL)}
    if zone.dimensions:
        properties = {"player": _NAME, **properties}
    place = {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}
    return {"anyOf": [{"type": "null"}, place]}


def _result(game: Game) -> dict[str, Any]:
    lines = {s.name: {"type": "integer"} for s in game.ruleset.scores}
    end = {
        "rule": {"enum": [e.name for e in game.ruleset.endings]},
        "turn": {"type": "integer", "minimum": 1, "description": "the turn that triggered the end, counted from 1"},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
            "parts": {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": lines, "additionalProperties": False},
            },
            "ranking": {"type": "array", "items": {"type": "array", "items": _NAME, "minItems": 1}},
            "end": {"type": "object", "properties": end, "additionalProperties": False},
            "stopped": {
                "enum": list(STOPPED),
                "description": "why the players ended the game, if the rules did not have to",
            },
        },
    }
