"""Corrections of a record in another place than the mistake: in the setup, or in earlier actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pwtool.play import facts
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record, Turn
from pwtool.why.repairs import MAX_OTHERS, Repair, differing, next_moves, whole_turns, with_moves

MAX_EXCHANGES = 150
MAX_LISTED = 400
MAX_ALIKE = 12
MAX_ADDED = 60


class Passed(Struct, frozen=True):
    """A turn that was judged: the game before it, and (when that is asked for) before each of its actions and after the last one."""

    begun: Play
    positions: Callable[[], list[Play]]


def elsewhere(
    game: Game, record: Record, turn: int, findings: Sequence[Finding], passed: Mapping[int, Passed]
) -> Iterator[Repair]:
    """Corrections of a `numbered` record for findings in a turn, or after the last one: an objective exchanged, two cards of the
    setup exchanged, then of each turn, the latest first, the turn or an action left out, an action added or changed. `passed`
    are the turns by number.
    """
    yield from _goals_exchanged(game, record, findings)
    yield from _cards_exchanged(game, record, findings)
    for number in sorted((number for number in passed if number <= turn), reverse=True):
        yield from _done_less(record, number)
        yield from _done_more(record, number, passed[number], MAX_OTHERS if number < turn else MAX_ADDED)
        yield from _done_otherwise(record, number, passed[number])


def _goals_exchanged(game: Game, record: Record, findings: Sequence[Finding]) -> Iterator[Repair]:
    """Another objective in play, for the one that is named, or for any if the finding is about one of them."""
    objectives = game.ruleset.objectives
    for finding in findings:
        fact = finding.fact
        changes: list[tuple[int, str]] = []
        if isinstance(fact, facts.NotInPlay) and fact.name in objectives:
            changes = [(at, fact.name) for at in range(len(record.goals))]
        elif isinstance(fact, facts.Due | facts.Broken) and fact.runner is not None:
            given = fact.values if isinstance(fact, facts.Due) else fact.arguments
            about = [v for p, v in zip(fact.runner.model.parameters, given, strict=False) if p.type.kind == "goal"]
            changes = [(at, name) for at in about if at in range(len(record.goals)) for name in objectives]
        for at, name in changes:
            if name not in record.goals:
                yield Repair(_with_goal(game, record, at, name), whole=True, single=True)


def _with_goal(game: Game, record: Record, at: int, name: str) -> Record:
    """The record with another objective in play; actions still name the objectives that they named."""
    named: dict[Any, Any] = {name: at, at: record.goals[at]}

    def renamed(move: Move) -> Move:
        models = game.ruleset.consequences if move.consequence else game.ruleset.actions
        parameters = list(models.values())[move.number].parameters
        given = zip(parameters, move.arguments, strict=True)
        return replace(move, arguments=tuple(named.get(v, v) if p.type.kind == "goal" else v for p, v in given))

    turns = [replace(turn, moves=list(map(renamed, turn.moves))) for turn in record.turns]
    return replace(record, goals=[*record.goals[:at], name, *record.goals[at + 1 :]], turns=turns)


def _cards_exchanged(game: Game, record: Record, findings: Sequence[Finding]) -> Iterator[Repair]:
    """Two different cards of one step of the setup swapped: one of them is missing where an action takes it, or any two if there
    are few.
    """
    missing = next((f.fact for f in findings if isinstance(f.fact, facts.NotThere)), None)
    zone = missing.parameter.zone if missing is not None else None
    for step in game.ruleset.setup:
        dealt = record.setup.get(step.name)
        if not isinstance(dealt, list) or not all(isinstance(faces, list) for faces in dealt):
            continue
        places = [(pile, at) for pile, faces in enumerate(dealt) for at in range(len(faces))]
        pairs = list(combinations(places, 2)) if len(places) ** 2 < 2 * MAX_EXCHANGES else []
        if missing is not None and step.zone == zone:
            pile, face = missing.item if isinstance(missing.item, tuple) else (None, missing.item)
            there = [place for place in places if dealt[place[0]][place[1]] == face]
            others = [place for place in places if pile is None or place[0] == pile - 1]
            pairs = [(one, other) for one in there for other in others]
        for (pile, at), (other, place) in pairs[:MAX_EXCHANGES]:
            if dealt[pile][at] == dealt[other][place]:
                continue
            changed = [list(faces) for faces in dealt]
            changed[pile][at], changed[other][place] = dealt[other][place], dealt[pile][at]
            yield Repair(replace(record, setup={**record.setup, step.name: changed}), whole=True, single=True)


def _done_more(record: Record, number: int, passed: Passed, most: int) -> Iterator[Repair]:
    """A turn with one more action; also a round that was lost before it."""
    own = record.turns[number]
    if own.player == EVERYBODY:
        lost = passed.begun.copy()
        lost.begin_turn(own.player)
        for moves in whole_turns(lost):
            turns = record.turns.copy()
            turns.insert(number, Turn(own.player, moves, -1))
            yield Repair(replace(record, turns=turns), turn=number, single=True)
    for at, position in reversed(list(enumerate(passed.positions()))):
        for more in next_moves(position, len(own.moves), most):
            changed = [*own.moves[:at], more, *own.moves[at:]]
            yield Repair(with_moves(record, number, changed), turn=number, single=True)


def _done_less(record: Record, number: int) -> Iterator[Repair]:
    """A turn left out, swapped with the next one, or without one of its actions."""
    turns = record.turns
    yield Repair(replace(record, turns=[*turns[:number], *turns[number + 1 :]]), turn=number, single=True)
    if number + 1 < len(turns):
        exchanged = [*turns[:number], turns[number + 1], turns[number], *turns[number + 2 :]]
        yield Repair(replace(record, turns=exchanged), turn=number, single=True)
    moves = turns[number].moves
    for at, move in enumerate(moves):
        if not move.consequence:
            yield Repair(with_moves(record, number, [*moves[:at], *moves[at + 1 :]]), turn=number, single=True)


def _done_otherwise(record: Record, number: int, passed: Passed) -> Iterator[Repair]:
    """A turn in which one argument of an action is changed, or an action of another kind is done."""
    own = record.turns[number]
    moves = [move for move in own.moves if not move.consequence]
    for at, (position, move) in reversed(list(enumerate(zip(passed.positions(), moves, strict=False)))):
        for other in _alike(position, move):
            changed = [*own.moves[:at], other, *own.moves[at + 1 :]]
            yield Repair(with_moves(record, number, changed), turn=number, single=True)


def _alike(play: Play, move: Move) -> Iterator[Move]:
    """The same action with one argument changed, if that is legal; an action of another kind."""
    found = 0
    for arguments in play.arguments(move.number, move.actor, MAX_LISTED) if play.after(move.number, move.actor) else ():
        if differing(move, replace(move, arguments=arguments)) == 1 and found < MAX_ALIKE:
            found += 1
            yield replace(move, arguments=arguments)
    for more in next_moves(play, move.index):
        if more.number != move.number:
            yield more
