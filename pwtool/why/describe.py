"""Values and actions as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pwtool.eval.kleene import Between, OneOf
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir.model import ActionModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.why.voice import PLAIN, Voice

MAX_ITEMS = 12


def face_code(game: Game, component: str, face: int) -> str:
    """The code of a face, `?` for an unseen one."""
    return "?" if face == UNSEEN else game.ruleset.components[component].codes[face]


def format_value(game: Game, type_: Type, value: Any, names: list[str], voice: Voice = PLAIN) -> str | None:
    """A value as people write it; None if it is too large to show."""
    if value is UNKNOWN:
        return voice.about("value", "unknown")
    if value is None:
        return voice.about("value", "nothing")
    if isinstance(value, Between):
        return format_bounds(value, voice)
    if isinstance(value, OneOf):
        parts = sorted(str(format_value(game, type_, one, names, voice)) for one in value.values)
        return voice.joined(parts, "or")
    if type_.kind == "bool" or isinstance(value, bool):
        return voice.about("value", "true") if value else voice.about("value", "false")
    if type_.kind == "face":
        return face_code(game, type_.component, value)
    if type_.kind == "player":
        return names[value] if 0 <= value < len(names) else str(value)
    if type_.kind == "cell" and isinstance(value, tuple):
        return game.ruleset.cell_name(value, type_.grid)
    if type_.kind == "direction" and isinstance(value, tuple):
        return f"({value[0]}, {value[1]})"
    if isinstance(value, str):
        return voice.member(game.ruleset, value) or value
    if isinstance(value, int):
        return str(value)
    element = type_.element
    if isinstance(value, list | tuple) and element is not None and len(value) <= MAX_ITEMS:
        shown = [format_value(game, element, item, names, voice) for item in value]
        if all(p is not None for p in shown):
            return "{" + " ".join(str(p) for p in shown) + "}"
    return None


def table_value(game: Game, type_: Type, value: Any, names: Sequence[str], goals: Sequence[str], voice: Voice) -> str:
    """The value of a variable as the table shows it."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return voice.caption("yes" if value else "no")
    if type_.kind == "goal" and isinstance(value, int):
        return voice.item(game, ("objective", goals[value]))
    return format_value(game, type_, value, list(names), voice) or "…"


def format_bounds(value: Any, voice: Voice = PLAIN) -> str:
    """A number, or its bounds as far as they are known."""
    if isinstance(value, Between):
        return voice.say("{low} to {high}", low=value.low, high=value.high)
    if value is UNKNOWN:
        return voice.about("value", "unknown")
    return voice.joined([*map(str, sorted(value.values))], "or") if isinstance(value, OneOf) else str(value)


def describe_action(
    game: Game,
    action: ActionModel,
    arguments: tuple[Any, ...],
    names: list[str],
    goals: list[str],
    to_come: bool = False,
) -> str:
    """An action on one line as in a record: `place G3 at (1, 0)`, `take blue, cards B1 from 3`. For an action `to_come`, what chance
    will decide is not known yet.
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


def _describe_joint(game: Game, action: ActionModel, arguments: tuple[Any, ...], names: list[str]) -> str:
    """What all players did at once: `bid Ana 3, Ben 5`."""
    said: list[list[str]] = [[name] for name in names]
    shared: list[str] = []
    for parameter, argument in zip(action.parameters, arguments, strict=True):
        if not parameter.each:
            shared.append(f"{parameter.name} {format_value(game, parameter.type, argument, names)}")
            continue
        for words, value in zip(said, argument, strict=True):
            words.append(str(format_value(game, parameter.type.element or parameter.type, value, names)))
    return f"{action.name} " + ", ".join([*(" ".join(words) for words in said), *shared])
