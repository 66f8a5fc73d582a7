"""Telling first causes from findings that only follow: what would be left if the first mistake had not been made?

For the first cause, each legal action that is like the illegal one (the same action, one parameter different), and
leaving the action out, is tried
in its place and the whole record is replayed. The repair that leaves the fewest findings shows which of the later
ones followed. Then the next
cause is taken, with that repair in place.
"""

from __future__ import annotations

from dataclasses import replace

from pwtool.engine.finding import Finding, Path
from pwtool.engine.game import Game
from pwtool.engine.legal import Arguments, LegalActions
from pwtool.engine.play import Play
from pwtool.engine.record import Move, Record, Turn
from pwtool.engine.replay import Replay, replay_record

MAX_CAUSES = 4
MAX_REPAIRS = 24
MAX_TRIED = 5000

_Key = tuple[str, str | None, Path]


def _key(finding: Finding) -> _Key:
    return finding.code, finding.rule, finding.path


def mark_followers(game: Game, replay: Replay, legal: LegalActions) -> dict[Path, tuple[int, Arguments]]:
    """Mark the findings of a replay that follow from earlier ones. The best repair of each cause: its path, the
    action and its arguments.
    """
    repairs: dict[Path, tuple[int, Arguments]] = {}
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
        better, arguments, left = found
        if arguments is not None:
            repairs[cause.path[:4]] = arguments
        left_keys = {_key(f) for f in left}
        remaining &= left_keys | passed
        record, current = better, left
    for finding in replay.findings:
        finding.follows = _key(finding) not in remaining or (finding.follows and _key(finding) not in causes)
    return repairs


def _best(
    game: Game, record: Record, cause: Finding, legal: LegalActions, current: list[Finding]
) -> tuple[Record, tuple[int, Arguments] | None, list[Finding]] | None:
    """The repaired record with the fewest findings, its action (None: left out), and the findings left."""
    place = _move_of(record, cause)
    if place is None or cause.state is None:
        return None
    turn, at = place
    move = record.turns[turn].moves[at]
    best: tuple[Record, tuple[int, Arguments] | None, list[Finding]] | None = None
    for repaired, arguments in _repairs(game, record, turn, at, move, cause, legal):
        findings = replay_record(game, repaired, legal).findings
        if best is None or len(findings) < len(best[2]):
            best = (repaired, arguments, findings)
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


def _repairs(
    game: Game, record: Record, turn: int, at: int, move: Move, cause: Finding, legal: LegalActions
) -> list[tuple[Record, tuple[int, Arguments] | None]]:
    found: list[tuple[Record, tuple[int, Arguments] | None]] = []
    if not move.consequence and cause.state is not None:
        play = Play(game, cause.state.copy(), legal)
        for tried, arguments in enumerate(legal.arguments(play.state, move.number)):
            if tried >= MAX_TRIED or len(found) >= MAX_REPAIRS:
                break
            if sum(a != b for a, b in zip(arguments, move.arguments, strict=True)) == 1:
                found.append((_with(record, turn, at, replace(move, arguments=arguments)), (move.number, arguments)))
    found.append((_with(record, turn, at, None), None))
    return found


def _with(record: Record, turn: int, at: int, move: Move | None) -> Record:
    moves = list(record.turns[turn].moves)
    moves[at : at + 1] = [] if move is None else [move]
    turns = list(record.turns)
    turns[turn] = Turn(turns[turn].player, moves)
    return replace(record, turns=turns)
