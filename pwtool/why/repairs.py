"""Small corrections of a record at a mistake, smallest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

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
MAX_ACTIONS = 4
"""The actions of a lost turn."""


class Repair(Struct, frozen=True):
    """A corrected record. `whole`: its setup is changed; `turn`: the first turn that is changed, None for the one in which the
    mistake shows; `move`: the action that replaces a recorded one; `single`: only one value of it was changed.
    """

    record: Record
    whole: bool = False
    move: Move | None = None
    turn: int | None = None
    single: bool = False


def repairs(game: Game, record: Record, turn: int | None, findings: Sequence[Finding], begun: Play) -> Iterator[Repair]:
    """Corrections of the findings in one place of a `numbered` record; `turn` is its number, None before the first one, `begun` the
    game before that turn.
    """
    first = findings[0]
    if turn is None:
        yield from _setups(game, record, findings)
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
    """The record with the place of each turn in the file, which is kept when others are left out."""
    turns = [t if t.index is not None else replace(t, index=number) for number, t in enumerate(record.turns)]
    return replace(record, turns=turns)


def _with_turn(record: Record, turn: int, other: Turn | None) -> Record:
    """The record with a turn replaced or left out."""
    turns = record.turns.copy()
    turns[turn : turn + 1] = [] if other is None else [other]
    return replace(record, turns=turns)


def _with_player(record: Record, turn: int, player: int) -> Record:
    """The record with a turn, and what its player did in it, assigned to another player."""
    own = record.turns[turn]
    given = [replace(move, actor=player) if move.actor == own.player else move for move in own.moves]
    return _with_turn(record, turn, Turn(player, given, own.index))


def _turns_exchanged(record: Record, turn: int) -> Record:
    """The record with a turn swapped with the next one."""
    turns = record.turns.copy()
    turns[turn], turns[turn + 1] = turns[turn + 1], turns[turn]
    return replace(record, turns=turns)


def with_moves(record: Record, turn: int, moves: list[Move]) -> Record:
    return _with_turn(record, turn, replace(record.turns[turn], moves=moves))


def _stopped(record: Record, turn: int, path: Path) -> Record:
    """The record up to the point where something is played after the end."""
    at = _move_at(record, turn, path)
    if at is None:
        return replace(record, turns=record.turns[:turn])
    return with_moves(replace(record, turns=record.turns[: turn + 1]), turn, record.turns[turn].moves[:at])


def _move_at(record: Record, turn: int, path: Path) -> int | None:
    """The index of the move in the turn that a finding is about; None if it is about the turn."""
    if path[2:3] != ("actions",):
        return None
    return next((at for at, move in enumerate(record.turns[turn].moves) if move.index == path[3]), None)


# ---- the setup


def _setups(game: Game, record: Record, findings: Sequence[Finding]) -> Iterator[Repair]:
    """The deal with a surplus card exchanged for a missing one, or left out; or with a missing card inserted somewhere."""
    often = {f.fact.face for f in findings if isinstance(f.fact, facts.TooOften)}
    missing = sorted({face for f in findings if isinstance(f.fact, facts.Missing) for face in f.fact.faces})
    steps = {str(f.path[1]) for f in findings if len(f.path) > 1}
    if often:
        # A deck may be dealt in several steps; the surplus shows at the last one.
        steps |= set(record.setup)
    changes: list[tuple[str, int, int, int, list[int]]] = []
    for step in sorted(steps):
        dealt = record.setup.get(step)
        if not isinstance(dealt, list) or not all(isinstance(faces, list) for faces in dealt):
            continue
        for at, place in [(at, place) for at, faces in enumerate(dealt) for place in range(len(faces) + 1)]:
            if place < len(dealt[at]) and dealt[at][place] in often:
                faces = missing or _not_dealt(game, record, step)
                changes += [(step, at, place, 1, [face]) for face in faces] + [(step, at, place, 1, [])]
            elif not often:
                changes += [(step, at, place, 0, [face]) for face in missing]
    for step, at, place, count, put in changes[:MAX_DEALS]:
        other = [list(faces) for faces in record.setup[step]]
        other[at][place : place + count] = put
        yield Repair(replace(record, setup={**record.setup, step: other}), whole=True)


def _not_dealt(game: Game, record: Record, name: str) -> list[int]:
    """The faces that the deck of a step of the setup has more often than they are dealt."""
    steps = game.ruleset.setup
    of = next((step.deck for step in steps if step.name == name), None)
    deck = game.ruleset.decks.get(of or "")
    if deck is None:
        return []
    there = Counter[int]()
    for step in steps:
        dealt = record.setup.get(step.name)
        if step.deck == of and isinstance(dealt, list):
            there.update(face for faces in dealt if isinstance(faces, list) for face in faces)
    left = Counter[int]()
    for faces, _ in deck.parts:
        left.update(dict(faces))
    return sorted(left - there)


# ---- a turn


def _moves(record: Record, turn: int, at: int, finding: Finding) -> Iterator[Repair]:
    """An action replaced by another, left out, swapped with the next one, or preceded by an additional one."""
    play = finding.play
    moves = record.turns[turn].moves
    move = moves[at]

    def instead(*others: Move, count: int = 1) -> Record:
        return with_moves(record, turn, [*moves[:at], *others, *moves[at + count :]])

    if not move.consequence and play is not None:
        play = play.copy()
        play.act(play.owner)
        likely = [] if not isinstance(finding.fact, facts.WrongOrder) else _reordered(play, move, finding.fact)
        for other in islice(chain(likely, _like(play, move)), MAX_LIKE):
            yield Repair(instead(other), move=other, single=differing(move, other) == 1)
    yield Repair(instead())
    if at + 1 < len(moves) and moves[at + 1].consequence == move.consequence:
        yield Repair(instead(moves[at + 1], move, count=2))
    if play is not None and isinstance(finding.fact, facts.OutOfOrder | facts.NotThere):
        for more in next_moves(play, move.index):
            yield Repair(instead(more, move))


def _reordered(play: Play, move: Move, fact: facts.WrongOrder) -> Iterator[Move]:
    """The same order with the missing things in place of the surplus ones, if there are as many."""
    left_out, too_much = list(fact.difference.left_out.elements()), Counter(fact.difference.too_much)
    if len(left_out) != too_much.total():
        return
    at_order = play.game.action(move.number).parameters.index(fact.parameter)
    mended = list(move.arguments[at_order])
    for at in reversed(range(len(mended))):
        if too_much[mended[at]] > 0:
            too_much[mended[at]] -= 1
            mended[at] = left_out.pop()
    yield replace(move, arguments=(*move.arguments[:at_order], mended, *move.arguments[at_order + 1 :]))


def _like(play: Play, move: Move) -> Iterator[Move]:
    """Legal moves similar to an illegal one, the most similar first."""
    same = play.arguments(move.number, move.actor, MAX_TRIED)
    others = [replace(move, arguments=given) for given in same if given != move.arguments]
    yield from sorted(others, key=lambda other: differing(move, other))
    for number, actor in play.next_steps():
        if (number, actor) != (move.number, move.actor):
            for arguments in play.arguments(number, actor, MAX_OTHERS):
                yield replace(move, number=number, actor=actor, arguments=arguments)


def differing(move: Move, other: Move) -> int:
    """The number of values in which two actions differ, including the kind of action and who does it."""
    kinds = (move.number != other.number) + (move.actor != other.actor)
    return kinds + len([1 for a, b in zip(move.arguments, other.arguments, strict=False) if a != b])


def next_moves(play: Play, index: int, most: int = MAX_OTHERS) -> Iterator[Move]:
    for number, actor in play.next_steps():
        for arguments in play.arguments(number, actor, most):
            yield Move(number, arguments, index, actor)


def _additions(record: Record, turn: int, play: Play) -> Iterator[Repair]:
    """A turn that ends too early, continued by one action, then by two; for the last turn many more are tried."""
    play = play.copy()
    play.act(play.owner)
    moves = record.turns[turn].moves
    done = next((at for at, move in enumerate(moves) if move.consequence), len(moves))
    last = turn == len(record.turns) - 1
    first = list(islice(next_moves(play, len(moves), MAX_LAST if last else MAX_OTHERS), MAX_LAST))

    def with_more(*more: Move) -> Repair:
        return Repair(with_moves(record, turn, [*moves[:done], *more, *moves[done:]]))

    yield from map(with_more, first)
    for more in first:
        other = play.copy()
        other.do(more.number, more.actor, more.arguments)
        if not other.over:
            for second in islice(next_moves(other, len(moves)), MAX_OTHERS):
                yield with_more(more, second)


def _lost_turns(record: Record, turn: int, player: int, begun: Play) -> Iterator[Repair]:
    """A turn inserted before one that is another player's: one action, or two."""
    play = begun.copy()
    play.begin_turn(player)
    for moves in islice(whole_turns(play), MAX_LOST):
        turns = record.turns.copy()
        # It has no place in the file.
        turns.insert(turn, Turn(player, moves, -1))
        yield Repair(replace(record, turns=turns))


def whole_turns(play: Play) -> Iterator[list[Move]]:
    """Turns that may end, of at most `MAX_ACTIONS` actions, from the beginning of a turn; the shortest first."""
    begun: list[tuple[Play, list[Move]]] = [(play, [])]
    for length in range(MAX_ACTIONS):
        longer: list[tuple[Play, list[Move]]] = []
        for before, moves in begun:
            for move in islice(next_moves(before, length, MAX_OTHERS if length else MAX_LOST), MAX_LOST):
                other = before.copy()
                other.do(move.number, move.actor, move.arguments)
                if other.may_end_turn():
                    yield [*moves, move]
                elif not other.over and len(longer) < MAX_LOST:
                    longer.append((other, [*moves, move]))
        begun = longer


def _other_turns(record: Record, turn: int, begun: Play) -> Iterator[Repair]:
    """Another turn in place of a turn: a single action and the consequences that the record has for it."""
    play = begun.copy()
    play.begin_turn(record.turns[turn].player)
    moves = record.turns[turn].moves
    followed = [move for move in moves if move.consequence]
    for more in islice(next_moves(play, 0, MAX_LIKE), MAX_LIKE):
        yield Repair(with_moves(record, turn, [more, *followed]))
