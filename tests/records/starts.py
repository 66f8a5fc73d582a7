"""Records that begin from a position: the rest of a recorded game, from any of its turns on."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record, Start
from pwtool.play.replay import replay_record


def plays(game: Game, record: Record) -> list[Play]:
    """The game before each of its turns and after the last one."""
    found = [opening(game, record)[0]]

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is None:
            found.append(play.copy())

    replay_record(game, record, observer=observe)
    return found


def start_at(play: Play) -> Start:
    """A position between two turns, for a record to begin from."""
    player = EVERYBODY if play.game.ruleset.rounds else play.next_player()
    return Start(play.state.copy(), player, play.turn, play.trigger)


def cut(record: Record, play: Play) -> Record:
    """The rest of a record, which begins from this position of it."""
    return replace(record, setup={}, labels={}, turns=record.turns[play.turn :], start=start_at(play))


def asks_what_was(game: Game, whole: Record, first: int) -> bool:
    """Whether a game comes back, from its turn of this number on, to what was there before it, or breaks a rule about
    that: only then may the rest of it be another game.
    """
    replay = replay_record(game, whole)
    last = replay.play.state.copy()
    game.remember(last)
    histories = [list(map(str, kept)) for kept in last.history]
    if any(not set(kept[: first - 1]).isdisjoint(kept[first - 1 :]) for kept in histories):
        return True
    rules = game.ruleset
    asking = {
        rule.id
        for action in (*rules.actions.values(), *rules.consequences.values())
        for rule in action.rules
        for part in (rule.when, rule.require)
        if part is not None and any(isinstance(x, ir.Repeats) for x in walk(part))
    }
    return any(finding.rule in asking for finding in replay.findings)


def said(game: Game, record: Record) -> tuple[Any, ...]:
    """What the engine says of a game: its first findings, and how it ends."""
    replay = replay_record(game, record)
    found = [
        (f.code, f.rule, f.turn, f.player, f.path[2:] if f.path[:1] == ("turns",) else f.path) for f in replay.findings
    ]
    result = replay.result
    ended = None if result is None else (result.totals, result.parts, result.ranking, result.ended)
    return found[:3], replay.play.over, replay.play.turn, replay.play.trigger, ended
