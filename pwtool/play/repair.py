"""Telling first causes from findings that only follow: what would be left if the first mistake had not been made?

For the first cause, each legal action that is like the illegal one (the same action with one parameter different,
another action of the same player, the same action by another one), and leaving the action out, is tried in its place
and the whole record is replayed; where a turn ends too early, each action that could go on is added. The repair that
leaves the fewest findings shows which of the later ones followed. Then the next cause is taken, with that repair in
place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record, Turn
from pwtool.play.replay import Replay, replay_record

MAX_CAUSES = 4
MAX_REPAIRS = 24
MAX_OTHERS = 4
MAX_TRIED = 5000

_OF_ORDER = ("PW603", "PW606", "PW615")
_Key = tuple[str, str | None, Path]
_Repair = tuple[Record, Move | None]


def _key(finding: Finding) -> _Key:
    return finding.code, finding.rule, finding.path


def mark_followers(game: Game, replay: Replay, legal: LegalActions) -> dict[Path, Move]:
    """Mark the findings of a replay that follow from earlier ones. The best repair of each cause: its path and what
    would have been legal there.
    """
    repairs: dict[Path, Move] = {}
    record = replay.record
    current = replay.findings
    remaining = {_key(f) for f in replay.findings}
    passed: set[_Key] = set()
    causes: set[_Key] = set()
    for _ in range(MAX_CAUSES):
        cause = next((f for f in current if _key(f) not in passed and not f.undetermined), None)
        if cause is None:
            break
        same_place = [f for f in current if f.path[:4] == cause.path[:4]]
        passed |= {_key(f) for f in same_place}
        causes |= {_key(f) for f in same_place if not f.follows}
        found = _best(game, record, cause, legal, current)
        if found is None:
            continue
        better, move, left = found
        if move is not None:
            repairs[cause.path[:4]] = move
        left_keys = {_key(f) for f in left}
        remaining &= left_keys | passed
        record, current = better, left
    for finding in replay.findings:
        # Once a turn is out of order, what comes next in it is so too: leaving one action out proves nothing.
        independent = _key(finding) in causes and finding.code not in _OF_ORDER
        finding.follows = _key(finding) not in remaining or (finding.follows and not independent)
    return repairs


def _best(
    game: Game, record: Record, cause: Finding, legal: LegalActions, current: list[Finding]
) -> tuple[Record, Move | None, list[Finding]] | None:
    """The repaired record with the fewest findings, what was put in (None: nothing), and the findings left."""
    if cause.state is None:
        return None
    best: tuple[Record, Move | None, list[Finding]] | None = None
    for repaired, move in _repairs(game, record, cause, legal):
        findings = replay_record(game, repaired, legal).findings
        if best is None or len(findings) < len(best[2]):
            best = (repaired, move, findings)
        if not findings:
            break
    return best if best is not None and len(best[2]) < len(current) else None


def _move_of(record: Record, cause: Finding) -> tuple[int, int] | None:
    """The turn and the position in its list of the move that a finding is about."""
    path = cause.path
    if len(path) < 4 or path[0] != "turns" or path[2] != "actions":
        return None
    turn = path[1]
    assert isinstance(turn, int)
    moves = record.turns[turn].moves
    at = next((i for i, m in enumerate(moves) if m.index == path[3]), None)
    return None if at is None else (turn, at)


def _repairs(game: Game, record: Record, cause: Finding, legal: LegalActions) -> Iterator[_Repair]:
    assert cause.state is not None
    play = Play(game, cause.state.copy(), legal)
    play.places, play.owner = cause.places, EVERYBODY if game.ruleset.rounds else cause.owner
    play.act(play.owner)
    place = _move_of(record, cause)
    if place is None:
        if cause.code == "PW615" and isinstance(cause.path[1], int):
            yield from _additions(record, cause.path[1], play)
        return
    turn, at = place
    move = record.turns[turn].moves[at]
    if not move.consequence:
        for other in islice(_like(play, move), MAX_REPAIRS):
            yield _with(record, turn, at, 1, other), other
    yield _with(record, turn, at, 1, None), None


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


def _additions(record: Record, turn: int, play: Play) -> Iterator[_Repair]:
    """The record with a turn that ends too early played on by one action."""
    moves = record.turns[turn].moves
    done = next((at for at, move in enumerate(moves) if move.consequence), len(moves))
    for number, actor in play.next_steps():
        for arguments in play.arguments(number, actor, MAX_OTHERS):
            yield _with(record, turn, done, 0, Move(number, arguments, len(moves), actor)), None


def _with(record: Record, turn: int, at: int, instead_of: int, move: Move | None) -> Record:
    """The record with a move put in, or with one left out."""
    moves = list(record.turns[turn].moves)
    moves[at : at + instead_of] = [] if move is None else [move]
    turns = list(record.turns)
    turns[turn] = Turn(turns[turn].player, moves)
    return replace(record, turns=turns)
