"""What players call the moves and turns of a game: as the format says in which they write it down.

Everything that people read asks here; programs get the action. If no format names the moves of a game, or the package
that it needs is not installed, an action is shown as it stands in a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pwtool.ir.model import ActionModel
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record, Turn
from pwtool.play.state import State
from pwtool.play.stepping import try_action
from pwtool.records.encoding import encode_action, encode_state
from pwtool.why.moves import tell_action, tell_move
from pwtool.why.voice import Voice

if TYPE_CHECKING:
    from pwtool.records.importers.installed import Installed

Here = Callable[[ActionModel, tuple[Any, ...]], str | None]
"""The names of actions in a position, legal or not; None for an action that has none."""


class MoveNames:
    """The names of moves in games of one ruleset between these players."""

    def __init__(self, game: Game, players: list[str], voice: Voice) -> None:
        self.game, self.players, self.voice = game, players, voice

    @cached_property
    def _form(self) -> Installed | None:
        # Imported here: most of what is checked is clean, and nothing of it is named.
        from pwtool.records.importers.installed import naming_format

        return naming_format(self.game.ruleset.merged.headers[0].name.name)

    def here(self, state: State, seat: int) -> Here:
        """The names of the actions of a seat in a position. Asking for several costs one position."""
        name = None
        if self._form is not None and seat != EVERYBODY:
            position = {**encode_state(self.game, state, self.players), "player": self.players[seat]}
            name = self._form.name_moves(position)
        if name is None:
            return _nameless

        def called(model: ActionModel, arguments: tuple[Any, ...]) -> str | None:
            if model.is_consequence:
                return None
            action = encode_action(self.game, model, arguments, self.players, state.goals)
            return name(action) or self._cell(model, arguments)

        return called

    def _cell(self, model: ActionModel, arguments: tuple[Any, ...]) -> str | None:
        """The name of the cell if an action has nothing else."""
        parameter = model.parameters[0] if len(model.parameters) == 1 else None
        if parameter is None or parameter.kind != "cell":
            return None
        return self.game.zone_list[parameter.zone].own_name(arguments[0]) or None

    def written_cell(self, action: Mapping[str, Any]) -> str | None:
        """The name of the cell of an action in a record, if a format names the moves of the game and it has nothing else."""
        model = None if self._form is None else self.game.ruleset.actions.get(action["action"])
        cell = None if model is None or len(model.parameters) != 1 else action.get(model.parameters[0].name)
        if model is None or not (isinstance(cell, list) and len(cell) == 2 and all(type(at) is int for at in cell)):
            return None
        return self._cell(model, (tuple(cell),))

    def tell(self, state: State, seat: int, model: ActionModel, arguments: tuple[Any, ...]) -> str:
        """One action on a line: its name, otherwise as `tell_action` has it."""
        name = self.here(state, seat)(model, arguments)
        return name or tell_action(self.voice, self.game, model, arguments, self.players, state.goals)

    def tell_turn(self, record: Record, turn: int, play: Play, goals: list[str]) -> str:
        """All moves of a turn in a record on one line, with their number; `play` is the game before it."""
        played, names = record.turns[turn], self._names(record.turns[turn], play)
        told = None
        if self._form is not None and len(names) > 1:
            told = self._form.join_moves([name for name in names if name is not None]) if all(names) else None
        if told is None:
            told = self.voice.say("; ").join(
                name or tell_move(self.voice, self.game, record, turn, move, goals)
                for move, name in zip(played.moves, names, strict=True)
            )
        number = self.number(record.first + turn, played.player) if any(names) else None
        return told if number is None else f"{number} {told}"

    def _names(self, turn: Turn, play: Play) -> list[str | None]:
        """The names of the moves of a turn, as far as it can be played."""
        names: list[str | None] = [None] * len(turn.moves)
        if self._form is None or not names:
            return names
        if len(names) > 1:
            play = play.copy()
            play.begin_turn(turn.player)
        for at, move in enumerate(turn.moves):
            if move.consequence or move.actor != turn.player:
                break
            names[at] = self.here(play.state, move.actor)(self.game.action(move.number), move.arguments)
            if at + 1 < len(names) and not try_action(play, move.number, move.actor, move.arguments):
                break
        return names

    def number(self, turn: int, seat: int | None) -> str | None:
        """What players write before the moves of a turn instead of its number: `4...`."""
        if self._form is None or seat is None or seat == EVERYBODY:
            return None
        return self._form.number_of(turn, seat)

    def cycle(self, turn: int) -> str:
        """`turn 8`, `round 8`, or `move 8` if players call it that."""
        if self._form is not None and self._form.form.counts_moves:
            return self.voice.say("move {number}", number=str(turn))
        return self.voice.cycle(self.game.ruleset, turn)

    def place(self, turn: int, seat: int | None, name: str | None = None) -> str:
        """A turn, or a move called `name` in it, as a place: `4... Nd5, turn 8, Ben`."""
        number = self.number(turn, seat)
        parts = [self.cycle(turn)]
        if number is not None:
            parts.insert(0, number if name is None else f"{number} {name}")
        elif name is not None:
            parts.append(name)
        if seat is not None and seat != EVERYBODY:
            parts.append(self.players[seat])
        return ", ".join(parts)


def _nameless(model: ActionModel, arguments: tuple[Any, ...]) -> None:
    return None
