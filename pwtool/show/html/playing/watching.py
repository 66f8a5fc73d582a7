"""A game observed while it is replayed: the position before everything that happens in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from pwtool.ir.model import ActionModel
from pwtool.play.finding import Path
from pwtool.play.paths import turn_path
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.ruleset_store import Rulebook

ACTION, CONSEQUENCE, TURN_END, END = range(4)

BEFORE_PLAY = ("setup", "start", "players", "goals")


class Moment(Struct):
    """Something that happens, with the game just before: an action, a consequence, the end of a turn, or the end of the
    game. `turn` counts from 0; `actor` is a seat or `EVERYBODY`; `path` is its path in the record.
    """

    kind: int
    play: Play
    turn: int
    path: Path = ()
    actor: int = EVERYBODY
    model: ActionModel | None = None
    arguments: tuple[Any, ...] = ()
    move: Move | None = None


class Watched(Struct):
    """A replay with everything that happened in it; the end comes last."""

    book: Rulebook
    record: Record
    replay: Replay
    moments: list[Moment]

    def place(self, path: Path) -> int:
        """The number of the moment for a path of the record: the setup belongs to the first, the result to the last."""
        if path[:1] and path[0] in BEFORE_PLAY:
            return 0
        if path[:1] != ("turns",) or len(path) < 2:
            return len(self.moments) - 1
        exact = [n for n, moment in enumerate(self.moments) if moment.path and moment.path == path[: len(moment.path)]]
        within = [n for n in exact if len(self.moments[n].path) > 2]
        if within and len(path) > 2:
            return within[0]
        ends = [n for n in exact if self.moments[n].kind == TURN_END]
        return (ends or exact or [len(self.moments) - 1])[-1]


def watch(book: Rulebook, record: Record, told: Sequence[Path] = ()) -> Watched:
    """Replay a record and keep every moment. The end of a turn is only kept if a finding, or one of those `told`, is about it."""
    moments: list[Moment] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        path = turn_path(record, turn)
        if action is None:
            moments.append(Moment(TURN_END, play.copy(), turn, path, record.turns[turn].player))
            return
        move = record.turns[turn].moves[action]
        where = (*path, "actions", move.index)
        moments.append(
            Moment(ACTION, play.copy(), turn, where, move.actor, book.game.action(move.number), move.arguments, move)
        )

    def follow(play: Play, path: Path, name: str, values: tuple[Any, ...]) -> None:
        model = book.game.ruleset.consequences[name]
        # Immediate consequences of an action share its place.
        path = path if path[2:3] == ("actions",) and not _is_action(record, path) else ()
        moments.append(
            Moment(CONSEQUENCE, play.copy(), max(0, play.turn - record.first), path, play.owner, model, values)
        )

    replay = replay_record(book.game, record, book.legal, observe, follow)
    moments.append(_end(replay, moments))
    watched = Watched(book, record, replay, moments)
    paths = [*told, *(finding.path for finding in replay.findings)]
    about = {id(moments[watched.place(path)]) for path in paths}
    watched.moments = [m for m in moments if m.kind != TURN_END or id(m) in about]
    return watched


def _end(replay: Replay, moments: list[Moment]) -> Moment:
    """The end of what was judged. Where that took too much work, nothing is known behind the action that was judged last."""
    if not (replay.cut and moments):
        return Moment(END, replay.play, max(0, len(replay.record.turns) - 1))
    last = moments[-1]
    if last.kind == ACTION and replay.findings and replay.findings[-1].undetermined:
        return Moment(END, last.play, last.turn, move=last.move)
    return Moment(END, replay.play, last.turn)


def _is_action(record: Record, path: Path) -> bool:
    """Whether there is an action (not a consequence) at a path."""
    turns = [turn for number, turn in enumerate(record.turns) if turn_path(record, number) == path[:2]]
    return any(move.index == path[3] and not move.consequence for turn in turns for move in turn.moves)
