"""The actions that a position allows, and finding an action again by its name and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pwtool.ir.model import ParameterModel
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.records.encoding import encode_action
from pwtool.records.json_form import Context, Wrong
from pwtool.records.ruleset_store import Rulebook
from pwtool.why.moves import tell_action
from pwtool.why.voice import Voice

Option = tuple[int, int, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Action:
    """A legal action: its name, the player (None if all act at once), and its arguments as in a record."""

    name: str
    player: str | None
    arguments: dict[str, Any] = field(hash=False)
    text: str

    def __str__(self) -> str:
        return self.text


def make_action(book: Rulebook, play: Play, names: list[str], option: Option, language: str = "en") -> Action:
    """Convert an action of the engine."""
    game, goals = book.game, play.state.goals
    number, actor, arguments = option
    model = game.action(number)
    told = encode_action(game, model, arguments, names, goals)
    del told["action"]
    player = None if actor == EVERYBODY else names[actor]
    return Action(model.name, player, told, tell_action(Voice(language), game, model, arguments, names, goals, True))


def find_legal(book: Rulebook, play: Play, names: list[str], action: Action) -> Option | None:
    """The legal action of this position with the same name, player and arguments, whichever position the given one
    comes from; None if there is none.
    """
    option = read_action(book, play, names, action)
    if option is None or option[:2] not in play.all_steps():
        return None
    model = book.game.action(option[0])
    arguments = zip(model.parameters, option[2], strict=True)
    if not all(_is_in_play(book, parameter, value) for parameter, value in arguments):
        return None
    return option if play.is_legal(*option) else None


def read_action(book: Rulebook, play: Play, names: list[str], action: Action) -> Option | None:
    """The given action for the engine, legal or not; None if there is no such action."""
    if not isinstance(action.name, str) or not isinstance(action.arguments, Mapping):
        return None
    found = book.decoder.actions.get(action.name)
    if found is None or (action.player is not None and action.player not in names):
        return None
    number, is_consequence, _, parameters, _ = found
    if is_consequence or action.arguments.keys() != {name for name, _, _ in parameters}:
        return None
    context = Context(names, play.state.goals)
    try:
        arguments = tuple(decode(action.arguments[name], context) for name, decode, _ in parameters)
    except Wrong:
        return None
    # A card that nobody has read is not a card to play.
    return None if context.unseen else (number, _seat(names, action.player), arguments)


def _seat(names: list[str], player: str | None) -> int:
    return EVERYBODY if player is None else names.index(player)


def _is_in_play(book: Rulebook, parameter: ParameterModel, value: Any) -> bool:
    """Whether a cell is on its grid and an objective belongs to this game; a record may contain others, which the
    rules then refuse.
    """
    zone = book.game.zone_list[parameter.zone] if parameter.kind == "cell" else None
    if zone is not None and not zone.floating:
        return zone.grid.has(value)
    kind = parameter.type.element or parameter.type
    if "goal" not in (kind.kind, *(option.kind for option in kind.options)):
        return True
    # One that is in play is read as its place.
    values = value if isinstance(value, list | tuple) else [value]
    return not any(isinstance(one, str) and one in book.game.ruleset.objectives for one in values)
