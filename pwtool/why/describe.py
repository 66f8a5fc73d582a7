"""Values and actions as a person writes them."""

from __future__ import annotations

from typing import Any

from pwtool.eval.kleene import Between, OneOf
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir.model import ActionModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Move, Record

MAX_ITEMS = 12


def face_code(game: Game, component: str, face: int) -> str:
    """The code of a face, `?` for one nobody saw."""
    return "?" if face == UNSEEN else game.ruleset.components[component].codes[face]


def format_value(game: Game, type_: Type, value: Any, names: list[str]) -> str | None:
    """A value as a person writes it; None for what is too large to show."""
    if value is UNKNOWN:
        return "unknown"
    if value is None:
        return "nothing"
    if isinstance(value, Between):
        return str(value)
    if isinstance(value, OneOf):
        return " or ".join(sorted(str(format_value(game, type_, one, names)) for one in value.values))
    if type_.kind == "bool" or isinstance(value, bool):
        return "true" if value else "false"
    if type_.kind == "face":
        return face_code(game, type_.component, value)
    if type_.kind == "player":
        return names[value] if 0 <= value < len(names) else str(value)
    if type_.kind in ("cell", "direction") and isinstance(value, tuple):
        return f"({value[0]}, {value[1]})"
    if isinstance(value, int | str):
        return str(value)
    element = type_.element
    if isinstance(value, list | tuple) and element is not None and len(value) <= MAX_ITEMS:
        parts = [format_value(game, element, item, names) for item in value]
        if all(p is not None for p in parts):
            return "{" + " ".join(str(p) for p in parts) + "}"
    return None


def describe_action(
    game: Game,
    action: ActionModel,
    arguments: tuple[Any, ...],
    names: list[str],
    goals: list[str],
    to_come: bool = False,
) -> str:
    """An action on one line: `place G3 at (1, 0)`, `take blue, cards B1 from 3`. Of one `to_come` nobody knows yet what chance
    makes of it.
    """
    parts = [action.name]
    if action.joint:
        return _describe_joint(game, action, arguments, names)
    for number, (parameter, argument) in enumerate(zip(action.parameters, arguments, strict=True)):
        if to_come and (parameter.kind == "order" or parameter.chance):
            text = "by chance"
        elif parameter.kind == "tops":
            element = parameter.type.element or parameter.type
            text = " ".join(f"{format_value(game, element, face, names)} from {pile}" for pile, face in argument)
        elif parameter.type.kind == "goal":
            text = goals[argument]
        elif parameter.listed:
            element = parameter.type.element or parameter.type
            text = " ".join(str(format_value(game, element, face, names)) for face in argument)
            if not text:
                continue
        else:
            text = str(format_value(game, parameter.type, argument, names))
        parts.append(text if number == 0 else f"{parameter.name} {text}")
    return " ".join(parts)


def describe_move(game: Game, record: Record, turn: int, move: Move, goals: list[str]) -> str:
    """What is done in a turn of a record, with who does it where it is not the player whose turn it is."""
    model = list(game.ruleset.consequences.values())[move.number] if move.consequence else game.action(move.number)
    # An objective may be named by its name, where the position has it by its place.
    if any(isinstance(a, str) and p.type.kind == "goal" for p, a in zip(model.parameters, move.arguments, strict=True)):
        return model.name
    arguments = tuple("" if a is None else a for a in move.arguments)
    text = describe_action(game, model, arguments, record.players, goals)
    own = move.actor in (record.turns[turn].player, EVERYBODY)
    return text if own else f"{record.players[move.actor]}: {text}"


def describe_turn(game: Game, record: Record, turn: int, goals: list[str]) -> str:
    """All that is done in a turn of a record, on one line."""
    return "; ".join(describe_move(game, record, turn, move, goals) for move in record.turns[turn].moves)


def _describe_joint(game: Game, action: ActionModel, arguments: tuple[Any, ...], names: list[str]) -> str:
    """What all did at once: `bid Ana 3, Ben 5`."""
    said: list[list[str]] = [[name] for name in names]
    shared: list[str] = []
    for parameter, argument in zip(action.parameters, arguments, strict=True):
        if not parameter.each:
            shared.append(f"{parameter.name} {format_value(game, parameter.type, argument, names)}")
            continue
        for words, value in zip(said, argument, strict=True):
            words.append(str(format_value(game, parameter.type.element or parameter.type, value, names)))
    return f"{action.name} " + ", ".join([*(" ".join(words) for words in said), *shared])
