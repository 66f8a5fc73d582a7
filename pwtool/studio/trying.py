"""A board that somebody lays out: what it fulfils and where, or the fewest changes that are missing."""

from __future__ import annotations

from typing import Any

from pwtool.boards.matching import Farther, find_places, nearest_miss
from pwtool.boards.proofs import position_with
from pwtool.boards.symbols import Unsupported
from pwtool.eval.values import Grid
from pwtool.eval.work import MAX_WORK, TooMuchWork
from pwtool.play.game import Game
from pwtool.show.text.studies import why_impossible
from pwtool.studio.cells import Board, cells_data, draw_grid, grid_of
from pwtool.studio.document_context import DocumentContext, game_of
from pwtool.studio.refusing import Refused
from pwtool.text.speech import Told
from pwtool.why.voice import Voice


def match(asked: DocumentContext, name: str, board: Board, voice: Voice) -> dict[str, Any]:
    """Whether a board fulfils an objective: where, or what is missing; and which other objectives it fulfils."""
    ruleset = asked.ruleset
    asked.objective(name, ruleset)
    game, grid = game_of(ruleset), grid_of(ruleset, board)
    others = [{"name": other, "fulfilled": _holds(game, other, grid)} for other in ruleset.objectives]
    fulfilled = _holds(game, name, grid)
    places = find_places(game, name, grid) if fulfilled else []
    changes, reason = (None, []) if fulfilled else _missing(game, name, grid, voice)
    return {
        "fulfilled": fulfilled,
        "places": [[list(cell) for cell in place] for place in places],
        "reason": reason,
        "changes": changes,
        "others": others,
        "svg": draw_grid(game, grid, voice, {cell for place in places[:1] for cell in place}),
    }


def _holds(game: Game, name: str, grid: Grid) -> bool:
    """Whether a board fulfils an objective."""
    try:
        with game.work.limited(MAX_WORK):
            return bool(game.interpreter.objective(name)(position_with(game, grid), grid))
    except TooMuchWork as error:
        raise Refused(Told("it takes too long to judge this board: let fewer loops stand inside each other")) from error


def _missing(game: Game, name: str, grid: Grid, voice: Voice) -> tuple[dict[str, Any] | None, list[str]]:
    try:
        found = nearest_miss(game, name, grid)
    except Unsupported as cause:
        reason = voice.tell(cause.reason)
        return None, [voice.say("What is missing cannot be worked out: {reason}.", reason=reason)]
    if found is None:
        return None, [voice.say("No board does: the condition can never be fulfilled.")]
    if isinstance(found, Farther):
        more = voice.many(
            "More than {count} change would be needed.", "More than {count} changes would be needed.", found.than
        )
        return None, [more]
    return {
        "count": len(found.changes),
        "board": cells_data(game.ruleset, found.grid),
        "cells": [list(change.cell) for change in found.changes],
    }, why_impossible(game, found, voice)
