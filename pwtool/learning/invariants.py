"""Invariants of a known ruleset that the games break, so that an edition with what was learned cannot keep them."""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.eval.work import TooMuchWork
from pwtool.lang.merged import Key
from pwtool.play.changes import FaultyRules
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.position import check_position
from pwtool.play.record import Record
from pwtool.play.replay import replay_record


def broken_invariants(game: Game, legal: LegalActions, records: Iterable[Record]) -> set[Key]:
    """The invariants that do not hold between the turns of games which are clean otherwise."""
    broken: set[Key] = set()

    def look(play: Play, turn: int, action: int | None) -> None:
        if action is None and not play.over:
            # A copy, because the invariants change who acts.
            found = check_position(game, play.state.copy(), names, [], True, play.state.player)
            broken.update(("invariant", f.rule.partition(".")[2]) for f in found if f.code == "PW610" and f.rule)

    for record in records if game.ruleset.invariants else ():
        names = record.players
        try:
            replay_record(game, record, legal, look)
        except (TooMuchWork, FaultyRules, RecursionError):
            continue
    return broken
