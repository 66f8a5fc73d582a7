"""Moves in words for players: the titles of actions, objectives and values, never their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgspec import Struct

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, ParameterModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.why.describe import describe_action, face_code, format_value
from pwtool.why.voice import Voice, plain, raised


class Thing(Struct, frozen=True):
    """A thing in a sentence: its component, its face and its code."""

    component: str
    face: int
    code: str


Words = tuple[str | Thing, ...]
"""A sentence in parts."""


def as_text(words: Words) -> str:
    """A sentence as text."""
    return "".join(part if isinstance(part, str) else part.code for part in words)


def tell_action(
    voice: Voice,
    game: Game,
    model: ActionModel,
    arguments: tuple[Any, ...],
    names: list[str],
    goals: list[str],
    to_come: bool = False,
) -> str:
    """An action on one line: in English as in a record, in other languages by its title."""
    if voice.language == "en":
        return describe_action(game, model, arguments, names, goals, to_come)
    return as_text(Moves(game, names, goals, voice).words(model, arguments, to_come=to_come))


def tell_move(voice: Voice, game: Game, record: Record, turn: int, move: Move, goals: list[str]) -> str:
    """One move of a turn in a record, with the player if it is not the player whose turn it is."""
    model = list(game.ruleset.consequences.values())[move.number] if move.consequence else game.action(move.number)
    # An objective may be named by its name, while the position has it by number.
    named = any(
        isinstance(a, str) and p.type.kind == "goal" for p, a in zip(model.parameters, move.arguments, strict=True)
    )
    if named and voice.language == "en":
        return model.name
    arguments = move.arguments if voice.language != "en" else tuple("" if a is None else a for a in move.arguments)
    text = tell_action(voice, game, model, arguments, record.players, goals)
    own = move.actor in (record.turns[turn].player, EVERYBODY)
    return text if own else voice.say("{player}: {action}", player=record.players[move.actor], action=text)


def tell_turn(voice: Voice, game: Game, record: Record, turn: int, goals: list[str]) -> str:
    """All moves of a turn in a record, on one line."""
    return voice.say("; ").join(tell_move(voice, game, record, turn, move, goals) for move in record.turns[turn].moves)


class Moves(Struct, frozen=True):
    """Describes the moves of a game between these players, with these objectives in play."""

    game: Game
    names: Sequence[str]
    goals: Sequence[str]
    voice: Voice

    def model(self, move: Move) -> ActionModel:
        """The action or consequence of a move."""
        if move.consequence:
            return [*self.game.ruleset.consequences.values()][move.number]
        return self.game.action(move.number)

    def title(self, model: ActionModel) -> str:
        """The title of an action or a consequence."""
        kind = "consequence" if model.is_consequence else "action"
        return raised(self.voice.text(self.game.ruleset, (kind, model.name), model.text or plain(model.name)))

    def goal(self, name: str) -> str:
        """The title of an objective."""
        return self.voice.item(self.game, ("objective", name))

    def zone(self, zone: ZoneModel) -> str:
        """The title of a zone."""
        return raised(self.voice.called(self.game.ruleset, "zone", zone.name))

    def words(
        self, model: ActionModel, arguments: Sequence[Any], hidden: frozenset[str] = frozenset(), to_come: bool = False
    ) -> Words:
        """An action with its arguments, or a consequence: `Place a card: G3 (1, 0)`. The arguments of `hidden` parameters are not
        shown; for an action `to_come`, what chance will decide is not known yet.
        """
        if not model.parameters:
            return (self.title(model),)
        said: list[str | Thing] = []
        from_cell = False
        for parameter, argument in zip(model.parameters, arguments, strict=True):
            if to_come and (parameter.kind == "order" or parameter.chance):
                words: Words = (self.voice.caption("by_chance"),)
            elif parameter.name in hidden:
                words = ("?",)
            else:
                words = self._argument(parameter, argument)
            if words:
                is_cell = parameter.type.kind == "cell"
                between = " → " if from_cell and is_cell else ", "
                said += [between, *words] if said else words
                from_cell = is_cell
        return (self.voice.caption("move_told", self.title(model)), *said) if said else (self.title(model),)

    def move(self, move: Move, hidden: frozenset[str] = frozenset()) -> Words:
        """A recorded move."""
        return self.words(self.model(move), move.arguments, hidden)

    def _argument(self, parameter: ParameterModel, argument: Any) -> Words:
        if argument is None:
            return ()
        element = parameter.type.element or parameter.type
        if parameter.each:
            pairs = zip(self.names, argument, strict=True)
            return _joined([(f"{name} ", *self._value(element, value)) for name, value in pairs], ", ")
        if parameter.kind == "tops":
            return _joined([(*self._value(element, face), f" ({number})") for number, face in argument], " ")
        if parameter.listed or (
            isinstance(argument, list | tuple) and parameter.type.kind not in ("cell", "direction")
        ):
            return _joined([self._value(element, item) for item in argument], " ")
        return self._value(parameter.type, argument)

    def _value(self, type_: Type, value: Any) -> Words:
        if type_.kind == "face" and isinstance(value, int):
            return (Thing(type_.component, value, face_code(self.game, type_.component, value)),)
        if type_.kind == "goal":
            name = self.goals[value] if isinstance(value, int) and value < len(self.goals) else str(value)
            return (self.goal(name),)
        if isinstance(value, str):
            return (self.voice.member(self.game.ruleset, value) or plain(value),)
        return (format_value(self.game, type_, value, list(self.names), self.voice) or "",)


def hidden_parameters(
    game: Game, model: ActionModel, arguments: Sequence[Any], may_see: bool, shown: Collection[tuple[str, int]]
) -> frozenset[str]:
    """The parameters whose arguments somebody cannot see, possibly not even the player who acts (`may_see`): values that are only
    kept in variables which not everybody sees; things from places that only their owner or nobody sees, if they are not among
    those `shown` afterwards, each (component, face).
    """
    found = set()
    for parameter, argument in zip(model.parameters, arguments, strict=True):
        element = parameter.type.element or parameter.type
        if parameter.zone < 0 and not may_see and _is_kept_secret(game, model, parameter):
            found.add(parameter.name)
        if element.kind != "face" or parameter.each:
            continue
        seen = game.zone_list[parameter.zone].seen if parameter.zone >= 0 else "all"
        faces = [item[1] if isinstance(item, tuple) else item for item in _listed(argument)]
        covered = seen != "all" and not (seen == "owner" and may_see)
        if covered and any((element.component, face) not in shown for face in faces):
            found.add(parameter.name)
    return frozenset(found)


def _is_kept_secret(game: Game, model: ActionModel, parameter: ParameterModel) -> bool:
    """Whether the argument of a parameter goes into variables that not everybody sees, and into no others."""
    kept = [
        game.variable_list[effect.number].seen
        for effect in model.all_effects
        if effect.kind in ("set", "add") and effect.value is not None and _names(effect.value, parameter.slot)
    ]
    return bool(kept) and "all" not in kept


def _names(expr: Expr, slot: int) -> bool:
    return any(isinstance(part, ir.Local) and part.slot == slot for part in walk(expr))


def _listed(argument: Any) -> Iterable[Any]:
    return argument if isinstance(argument, list | tuple) else (argument,)


def _joined(parts: Sequence[Words], between: str) -> Words:
    joined: list[str | Thing] = []
    for number, words in enumerate(parts):
        joined += [between, *words] if number else words
    return tuple(joined)
