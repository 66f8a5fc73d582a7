"""A board that somebody lays out: what it fulfils, where, and the fewest changes that would do."""

from __future__ import annotations

from typing import Any

from pwtool.boards.matching import Change, Farther, NearMiss, find_places, nearest_miss
from pwtool.boards.proofs import position_with
from pwtool.boards.symbols import Unsupported
from pwtool.eval.values import Grid
from pwtool.eval.work import MAX_WORK, TooMuchWork
from pwtool.play.game import Game
from pwtool.studio.asking import Asked, game_of
from pwtool.studio.cells import Board, cells_data, draw_grid, grid_of
from pwtool.studio.meaning import face_words
from pwtool.studio.refusing import Refused
from pwtool.text.words import counted


def match(asked: Asked, name: str, board: Board) -> dict[str, Any]:
    """Whether a board fulfils an objective: where, or what is missing; which of the others it fulfils."""
    ruleset = asked.ruleset
    asked.objective(name, ruleset)
    game, grid = game_of(ruleset), grid_of(ruleset, board)
    others = [{"name": other, "fulfilled": _holds(game, other, grid)} for other in ruleset.objectives]
    fulfilled = _holds(game, name, grid)
    places = find_places(game, name, grid) if fulfilled else []
    changes, reason = (None, _where(len(places))) if fulfilled else _missing(game, name, grid)
    return {
        "fulfilled": fulfilled,
        "places": [[list(cell) for cell in place] for place in places],
        "reason": reason,
        "changes": changes,
        "others": others,
        "svg": draw_grid(game, grid, {cell for place in places[:1] for cell in place}),
    }


def _holds(game: Game, name: str, grid: Grid) -> bool:
    """Whether a board fulfils an objective."""
    try:
        with game.work.limited(MAX_WORK):
            return bool(game.interpreter.objective(name)(position_with(game, grid), grid))
    except TooMuchWork as error:
        raise Refused("it takes too long to judge this board: let fewer loops stand inside each other") from error


def _where(places: int) -> list[str]:
    return [f"It counts in {counted(places, 'place')}."] if places else []


def _missing(game: Game, name: str, grid: Grid) -> tuple[dict[str, Any] | None, list[str]]:
    try:
        found = nearest_miss(game, name, grid)
    except Unsupported as cause:
        return None, [f"What is missing cannot be worked out: {cause.reason}."]
    if found is None:
        return None, ["No board does: the condition can never be fulfilled."]
    if isinstance(found, Farther):
        return None, [f"More than {counted(found.than, 'change')} would be needed."]
    return _changes(game, found), []


def _changes(game: Game, miss: NearMiss) -> dict[str, Any]:
    return {
        "count": len(miss.changes),
        "words": [_words(game, change) for change in miss.changes],
        "board": cells_data(game.ruleset, miss.grid),
        "cells": [list(change.cell) for change in miss.changes],
    }


def _words(game: Game, change: Change) -> str:
    """A change in the words of a player."""
    board = game.ruleset.board
    assert board is not None
    component = game.ruleset.components[board.element.component]
    where = f"column {change.cell[0] + 1}, row {change.cell[1] + 1}"
    if min(change.cell) < 0:
        # A board that grows may grow to the left and up.
        where = f"({change.cell[0]}, {change.cell[1]})"

    def pile(faces: tuple[int, ...]) -> str:
        words = [face_words(component, face, component.codes[face]) for face in reversed(faces)]
        return " on ".join(words)

    match change.kind:
        case "place":
            return f"put {pile(change.after)} at {where}"
        case "remove":
            return f"take away {pile(change.before)} at {where}"
        case _:
            return f"put {pile(change.after)} in place of {pile(change.before)} at {where}"
