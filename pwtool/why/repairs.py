"""Small corrections of a record at its first mistake, in order of preference: leaving it as recorded comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.replay import turn_path

MAX_LIKE = 24
MAX_OTHERS = 4
MAX_TRIED = 5000

Key = tuple[str, str | None, Path]
DUE, OUT_OF_ORDER = "due", "order"
"""With the path of a turn as a key: whatever is due in it and not recorded; whatever is out of order in it."""
ORDER = facts.OutOfOrder | facts.TooEarly | facts.AfterConsequences


def key_of(finding: Finding) -> Key:
    """What makes two findings the same."""
    return finding.code, finding.rule, finding.path


@dataclass(frozen=True, slots=True)
class Repair:
    """A record to be judged on with, findings in `allowed` passed over. `whole`: its setup is another one; `move`: the
    action that was put in the place of a recorded one.
    """

    record: Record
    allowed: frozenset[Key] = frozenset()
    whole: bool = False
    move: Move | None = None


def repairs(game: Game, current: Repair, turn: int | None, findings: Sequence[Finding]) -> Iterator[Repair]:
    """Corrections of what is wrong in one place; `turn` is its number, None before the first one."""
    record = current.record
    keys = {key_of(f) for f in findings}
    first = findings[0]
    if turn is None:
        yield Repair(record, current.allowed | keys)
        yield from _setups(current, findings)
    elif isinstance(first.fact, facts.AfterTheEnd):
        yield Repair(_stopped(record, turn, first.path), current.allowed)
    else:
        at = _move_at(record, turn, first.path)
        if at is not None and record.turns[turn].moves[at].consequence:
            keys.add((DUE, None, turn_path(record, turn)))
        if isinstance(first.fact, ORDER):
            # Once a turn is out of order, what comes next in it is so too.
            keys.add((OUT_OF_ORDER, None, turn_path(record, turn)))
        yield Repair(record, current.allowed | keys)
        if at is not None:
            yield from _moves(game, current, turn, at, first)
        elif isinstance(first.fact, facts.WrongPlayer):
            yield Repair(_with_turn(record, turn, Turn(first.fact.expected, *_of(record, turn))), current.allowed)
            yield Repair(_with_turn(record, turn, None), current.allowed)
        elif first.play is not None and isinstance(first.fact, facts.TooEarly | facts.Broken):
            yield from _additions(current, turn, first.play)


def _of(record: Record, turn: int) -> tuple[list[Move], int]:
    """The moves of a turn and its place in the file."""
    place = record.turns[turn].index
    return record.turns[turn].moves, turn if place is None else place


def _with_turn(record: Record, turn: int, other: Turn | None) -> Record:
    """The record with a turn exchanged or left out; the others keep their places in the file."""
    turns = [t if t.index is not None else replace(t, index=number) for number, t in enumerate(record.turns)]
    turns[turn : turn + 1] = [] if other is None else [other]
    return replace(record, turns=turns)


def _with_moves(record: Record, turn: int, moves: list[Move]) -> Record:
    return _with_turn(record, turn, replace(record.turns[turn], moves=moves, index=_of(record, turn)[1]))


def _stopped(record: Record, turn: int, path: Path) -> Record:
    """The record up to where something is played after the end."""
    at = _move_at(record, turn, path)
    if at is None:
        return replace(record, turns=record.turns[:turn])
    return _with_moves(replace(record, turns=record.turns[: turn + 1]), turn, record.turns[turn].moves[:at])


def _move_at(record: Record, turn: int, path: Path) -> int | None:
    """Which move of the turn a finding is about; None where it is about the turn."""
    if path[2:3] != ("actions",):
        return None
    return next((at for at, move in enumerate(record.turns[turn].moves) if move.index == path[3]), None)


# ---- the setup


def _setups(current: Repair, findings: Sequence[Finding]) -> Iterator[Repair]:
    """The deal with a card that is there too often exchanged for one that is missing."""
    often = next((f for f in findings if isinstance(f.fact, facts.TooOften)), None)
    missing = {face for f in findings if isinstance(f.fact, facts.Missing) for face in f.fact.faces}
    if often is None or not isinstance(often.fact, facts.TooOften):
        return
    record, step = current.record, str(often.path[1])
    allowed = current.allowed | {key_of(f) for f in findings}
    for face in sorted(missing):
        for at, faces in enumerate(record.setup[step]):
            for place, dealt in enumerate(faces):
                if dealt == often.fact.face:
                    dealt_otherwise = [list(f) for f in record.setup[step]]
                    dealt_otherwise[at][place] = face
                    setup = {**record.setup, step: dealt_otherwise}
                    yield Repair(replace(record, setup=setup), allowed, whole=True)


# ---- a turn


def _moves(game: Game, current: Repair, turn: int, at: int, finding: Finding) -> Iterator[Repair]:
    """Another action in the place of one, none, the next one before it, one more before it."""
    record, play = current.record, finding.play
    moves = record.turns[turn].moves
    move = moves[at]

    def instead(*others: Move, count: int = 1) -> Record:
        return _with_moves(record, turn, [*moves[:at], *others, *moves[at + count :]])

    if not move.consequence and play is not None:
        play = play.copy()
        play.act(play.owner)
        for other in islice(_like(play, move), MAX_LIKE):
            yield Repair(instead(other), current.allowed, move=other)
    due: Key = (DUE, None, turn_path(record, turn))
    yield Repair(instead(), current.allowed | ({due} if move.consequence else frozenset()))
    if at + 1 < len(moves) and moves[at + 1].consequence == move.consequence:
        yield Repair(instead(moves[at + 1], move, count=2), current.allowed)
    if play is not None and isinstance(finding.fact, facts.OutOfOrder | facts.NotThere):
        for more in _next_moves(play, move.index):
            yield Repair(instead(more, move), current.allowed)


def _like(play: Play, move: Move) -> Iterator[Move]:
    """Legal moves that are like an illegal one."""
    for arguments in play.arguments(move.number, move.actor, MAX_TRIED):
        if sum(a != b for a, b in zip(arguments, move.arguments, strict=True)) == 1:
            yield replace(move, arguments=arguments)
    for number, actor in play.next_steps():
        if (number == move.number) == (actor == move.actor):
            continue
        for arguments in play.arguments(number, actor, MAX_OTHERS):
            if number != move.number or arguments == move.arguments:
                yield replace(move, number=number, actor=actor, arguments=arguments)


def _next_moves(play: Play, index: int) -> Iterator[Move]:
    for number, actor in play.next_steps():
        for arguments in play.arguments(number, actor, MAX_OTHERS):
            yield Move(number, arguments, index, actor)


def _additions(current: Repair, turn: int, play: Play) -> Iterator[Repair]:
    """A turn that ends too early played on by one action."""
    play = play.copy()
    play.act(play.owner)
    moves = current.record.turns[turn].moves
    done = next((at for at, move in enumerate(moves) if move.consequence), len(moves))
    for more in _next_moves(play, len(moves)):
        record = _with_moves(current.record, turn, [*moves[:done], more, *moves[done:]])
        yield Repair(record, current.allowed)
