"""Small corrections of a record at a mistake, those that change least first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn

MAX_LIKE = 24
MAX_OTHERS = 4
MAX_LAST = 400
MAX_LOST = 300
MAX_TRIED = 5000
MAX_DEALS = 120


@dataclass(frozen=True, slots=True)
class Repair:
    """A corrected record. `whole`: its setup is another one; `move`: the action that was put in the place of a recorded
    one.
    """

    record: Record
    whole: bool = False
    move: Move | None = None


def repairs(game: Game, record: Record, turn: int | None, findings: Sequence[Finding], begun: Play) -> Iterator[Repair]:
    """Corrections of what is wrong in one place of a `numbered` record; `turn` is its number, None before the first one, `begun` the game before
    that turn.
    """
    first = findings[0]
    if turn is None:
        yield from _setups(record, findings)
        return
    if isinstance(first.fact, facts.AfterTheEnd):
        yield Repair(_stopped(record, turn, first.path))
        return
    at = _move_at(record, turn, first.path)
    if at is not None:
        yield from _moves(record, turn, at, first)
    elif isinstance(first.fact, facts.WrongPlayer):
        yield Repair(_with_player(record, turn, first.fact.expected))
        yield Repair(_with_turn(record, turn, None))
        if turn + 1 < len(record.turns):
            yield Repair(_turns_exchanged(record, turn))
        yield from _lost_turns(record, turn, first.fact.expected, begun)
    elif first.play is not None and isinstance(first.fact, facts.TooEarly | facts.Broken):
        yield from _additions(record, turn, first.play)
    if first.path[0] == "turns":
        yield from _other_turns(record, turn, begun)


def numbered(record: Record) -> Record:
    """The record with the place of each turn in the file, which it keeps when others are left out."""
    turns = [t if t.index is not None else replace(t, index=number) for number, t in enumerate(record.turns)]
    return replace(record, turns=turns)


def _with_turn(record: Record, turn: int, other: Turn | None) -> Record:
    """The record with a turn exchanged or left out."""
    turns = record.turns.copy()
    turns[turn : turn + 1] = [] if other is None else [other]
    return replace(record, turns=turns)


def _with_player(record: Record, turn: int, player: int) -> Record:
    """The record with a turn, and what its player did in it, given to another one."""
    own = record.turns[turn]
    given = [replace(move, actor=player) if move.actor == own.player else move for move in own.moves]
    return _with_turn(record, turn, Turn(player, given, own.index))


def _turns_exchanged(record: Record, turn: int) -> Record:
    """The record with a turn behind the next one."""
    turns = record.turns.copy()
    turns[turn], turns[turn + 1] = turns[turn + 1], turns[turn]
    return replace(record, turns=turns)


def _with_moves(record: Record, turn: int, moves: list[Move]) -> Record:
    return _with_turn(record, turn, replace(record.turns[turn], moves=moves))


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


def _setups(record: Record, findings: Sequence[Finding]) -> Iterator[Repair]:
    """The deal with a card that is there too often exchanged for one that is missing, or left out; with a missing card
    put in somewhere.
    """
    step = str(findings[0].path[1]) if len(findings[0].path) > 1 else ""
    dealt = record.setup.get(step)
    if not isinstance(dealt, list):
        return
    often = {f.fact.face for f in findings if isinstance(f.fact, facts.TooOften)}
    missing = sorted({face for f in findings if isinstance(f.fact, facts.Missing) for face in f.fact.faces})
    places = [(at, place) for at, faces in enumerate(dealt) for place in range(len(faces) + 1)]
    changes: list[tuple[int, int, int, list[int]]] = []
    for at, place in places:
        if place < len(dealt[at]) and dealt[at][place] in often:
            changes += [(at, place, 1, [face]) for face in missing] or [(at, place, 1, [])]
        elif not often:
            changes += [(at, place, 0, [face]) for face in missing]
    for at, place, count, put in changes[:MAX_DEALS]:
        other = [list(faces) for faces in dealt]
        other[at][place : place + count] = put
        yield Repair(replace(record, setup={**record.setup, step: other}), whole=True)


# ---- a turn


def _moves(record: Record, turn: int, at: int, finding: Finding) -> Iterator[Repair]:
    """Another action in the place of one, none, the next one before it, one more before it."""
    play = finding.play
    moves = record.turns[turn].moves
    move = moves[at]

    def instead(*others: Move, count: int = 1) -> Record:
        return _with_moves(record, turn, [*moves[:at], *others, *moves[at + count :]])

    if not move.consequence and play is not None:
        play = play.copy()
        play.act(play.owner)
        for other in islice(_like(play, move), MAX_LIKE):
            yield Repair(instead(other), move=other)
    yield Repair(instead())
    if at + 1 < len(moves) and moves[at + 1].consequence == move.consequence:
        yield Repair(instead(moves[at + 1], move, count=2))
    if play is not None and isinstance(finding.fact, facts.OutOfOrder | facts.NotThere):
        for more in _next_moves(play, move.index):
            yield Repair(instead(more, move))


def _like(play: Play, move: Move) -> Iterator[Move]:
    """Legal moves that are like an illegal one, the most like it first."""
    same = play.arguments(move.number, move.actor, MAX_TRIED)
    differing = [(sum(a != b for a, b in zip(given, move.arguments, strict=True)), given) for given in same]
    for count, arguments in sorted(differing, key=lambda found: found[0]):
        if count:
            yield replace(move, arguments=arguments)
    for number, actor in play.next_steps():
        if (number, actor) != (move.number, move.actor):
            for arguments in play.arguments(number, actor, MAX_OTHERS):
                yield replace(move, number=number, actor=actor, arguments=arguments)


def _next_moves(play: Play, index: int, most: int = MAX_OTHERS) -> Iterator[Move]:
    for number, actor in play.next_steps():
        for arguments in play.arguments(number, actor, most):
            yield Move(number, arguments, index, actor)


def _additions(record: Record, turn: int, play: Play) -> Iterator[Repair]:
    """A turn that ends too early played on by one action, then by two; of the last turn many more are tried."""
    play = play.copy()
    play.act(play.owner)
    moves = record.turns[turn].moves
    done = next((at for at, move in enumerate(moves) if move.consequence), len(moves))
    last = turn == len(record.turns) - 1
    first = list(islice(_next_moves(play, len(moves), MAX_LAST if last else MAX_OTHERS), MAX_LAST))

    def with_more(*more: Move) -> Repair:
        return Repair(_with_moves(record, turn, [*moves[:done], *more, *moves[done:]]))

    yield from map(with_more, first)
    for more in first:
        other = play.copy()
        other.do(more.number, more.actor, more.arguments)
        if not other.over:
            for second in islice(_next_moves(other, len(moves)), MAX_OTHERS):
                yield with_more(more, second)


def _lost_turns(record: Record, turn: int, player: int, begun: Play) -> Iterator[Repair]:
    """A turn before one that is another player's: one action, or two."""
    play = begun.copy()
    play.begin_turn(player)
    for moves in islice(_whole_turns(play), MAX_LOST):
        turns = record.turns.copy()
        # It stands nowhere in the file.
        turns.insert(turn, Turn(player, moves, -1))
        yield Repair(replace(record, turns=turns))


def _whole_turns(play: Play) -> Iterator[list[Move]]:
    """Turns that may end after one action or two, from where one has begun."""
    for first in _next_moves(play, 0, MAX_LOST):
        other = play.copy()
        other.do(first.number, first.actor, first.arguments)
        if other.may_end_turn():
            yield [first]
            continue
        for second in islice(_next_moves(other, 1), MAX_OTHERS):
            after = other.copy()
            after.do(second.number, second.actor, second.arguments)
            if after.may_end_turn():
                yield [first, second]


def _other_turns(record: Record, turn: int, begun: Play) -> Iterator[Repair]:
    """Another turn in the place of one: a single action and what the record has followed from it."""
    play = begun.copy()
    play.begin_turn(record.turns[turn].player)
    moves = record.turns[turn].moves
    followed = [move for move in moves if move.consequence]
    for more in islice(_next_moves(play, 0, MAX_LIKE), MAX_LIKE):
        yield Repair(_with_moves(record, turn, [more, *followed]))
