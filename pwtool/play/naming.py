"""The arguments of an action, and whether they are possible at all."""

from __future__ import annotations

from pwtool.ir.model import ParameterModel
from pwtool.play.actions import Runner
from pwtool.play.game import Game
from pwtool.play.record import Move


def part_id(runner: Runner, parameter: ParameterModel) -> str:
    """The id of a parameter in findings."""
    return f"{runner.model.name}.{parameter.name}"


def not_in_play(runner: Runner, move: Move) -> tuple[ParameterModel, str] | None:
    """An objective that is not in play: it has a name but no number."""
    for at, parameter in runner.goals:
        argument = move.arguments[at]
        for value in argument if parameter.each else (argument,):
            if isinstance(value, str):
                return parameter, value
    return None


def outside(game: Game, runner: Runner, move: Move) -> tuple[ParameterModel, tuple[int, int]] | None:
    """A cell outside a grid that does not float."""
    for at, parameter in runner.cells:
        if not game.zone_list[parameter.zone].grid.has(move.arguments[at]):
            return parameter, move.arguments[at]
    return None
