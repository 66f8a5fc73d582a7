"""A recorded game in the engine's form: players by seat, cards as faces. `pwtool/records` reads it from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from pwtool.play.state import State

EVERYBODY = -1
"""The seat for actions of all players at once, and for rounds."""


class Move(Struct):
    """An action (or, with `consequence`, a recorded consequence).

    `arguments` are in the order of the action's parameters; `actor` is the seat of the player who did it (`EVERYBODY`:
    all at once); `reveals` are (zone, index among its kind, face) of the cards that turned up afterwards; `index` is
    its index in the record's list of the turn.
    """

    number: int
    arguments: tuple[Any, ...]
    index: int
    actor: int
    consequence: bool = False
    reveals: tuple[tuple[int, int, int], ...] = ()


class Turn(Struct):
    """One recorded turn: the player (`EVERYBODY`: a round) and the actions. `index` is its index in the record, None if
    that is its index in the list.
    """

    player: int
    moves: list[Move]
    index: int | None = None


class Outcome(Struct):
    """The recorded end of a game; None for what is not recorded. Players are seats, best first in `ranking`. `stopped`
    says why the players ended it, if the rules did not have to.
    """

    scores: dict[int, int] | None = None
    parts: dict[int, dict[str, int]] | None = None
    ranking: list[list[int]] | None = None
    ending: str | None = None
    ending_turn: int | None = None
    stopped: str | None = None


class Start(Struct):
    """The position that a game begins from, between two turns: who plays the first recorded turn (`EVERYBODY`: it is a
    round), the number of turns before it, and the ending that was triggered in one of them: its number, and the number
    of the turn.
    """

    state: State
    player: int
    before: int = 0
    trigger: tuple[int, int] | None = None


class Record(Struct):
    """A whole game. `setup` maps the name of a setup step to what was dealt; `recorded` names the consequences that are
    recorded completely; `labels` says where in the file, below the step, each step's zones are, for findings; `whole`
    says that the last turn is over although there is no outcome; `start` is the position that the game begins from instead of
    a setup.
    """

    players: list[str]
    goals: list[str]
    setup: dict[str, Any]
    turns: list[Turn]
    ruleset: str | None = None
    version: str | None = None
    id: str | None = None
    recorded: frozenset[str] = frozenset()
    outcome: Outcome | None = None
    whole: bool = False
    has_unseen: bool = False
    labels: dict[str, list[tuple[str | int, ...]]] = field(default_factory=dict)
    start: Start | None = None

    @property
    def first(self) -> int:
        """The number of the first recorded turn: 1 unless the game begins from a position."""
        return 1 if self.start is None else self.start.before + 1

    @property
    def end(self) -> int:
        """The number of the turn after the last recorded one."""
        return self.first + len(self.turns)

    @property
    def is_whole(self) -> bool:
        """Whether the record says that the rules ended the game: its last turn is over, and the game too."""
        return self.whole or (self.outcome is not None and self.outcome.stopped is None)
