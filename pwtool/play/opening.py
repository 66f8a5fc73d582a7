"""The beginning of a recorded game: from its setup, or from a given position."""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.play import facts
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play, turns_after
from pwtool.play.position import check_position
from pwtool.play.record import EVERYBODY, Record, Start
from pwtool.play.setup import build_state


def opening(game: Game, record: Record, legal: LegalActions | None = None) -> tuple[Play, list[Finding]]:
    """The game before its first recorded turn, and the errors in its setup, or in the position that it begins from."""
    start = record.start
    if start is None:
        state, findings = build_state(game, record)
        return Play(game, state, legal), findings
    play = Play(game, start.state.copy(), legal)
    play.state.history, play.state.blurred = [[] for _ in game.ruleset.histories], False
    play.turn, play.trigger, play.left = start.before, start.trigger, turns_left(game, start)
    if start.player != EVERYBODY:
        play.owner = (start.player - 1) % len(record.players)
    elif start.before:
        play.owner = EVERYBODY
    play.act(play.owner)
    game.fresh_variables(play.state, "turn")
    # A copy, because the invariants change who acts. A game may be over within a turn.
    found = check_position(game, play.state.copy(), record.players, [], between=not play.over, last=play.state.player)
    if play.state.lost:
        found.append(Finding("PW611", (), None, facts.PerhapsTurned()))
    return play, [f if f.path == ("players",) else replace(f, path=("start", *f.path)) for f in found]


def turns_left(game: Game, start: Start) -> int | None:
    """How many turns are left to play after the ending that was triggered before a position; negative if there would
    have been fewer before it. None if no ending was.
    """
    if start.trigger is None:
        return None
    number, turn = start.trigger
    return turns_after(game, number, start.state.players) - (start.before - turn)


def begins_at_the_end(play: Play, record: Record) -> bool:
    """Whether an ending holds in the position that a record without turns begins from, which then is its end."""
    probe = play.copy()
    if record.start is None or record.turns:
        return False
    probe.end_turn()
    if probe.over:
        play.trigger, play.left = probe.trigger, probe.left
    return probe.over
