"""A recorded game step by step: before each of its turns, and within one."""

from __future__ import annotations

from typing import Any

from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import Record, Turn
from pwtool.play.replay import Replay, replay_record


def step_through(game: Game, record: Record, legal: LegalActions | None = None) -> tuple[Replay, list[Play]]:
    """Replay a record, with the game before each turn that was played through and after the last of them."""
    plays = [opening(game, record, legal)[0]]

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is None:
            plays.append(play.copy())

    return replay_record(game, record, legal, observe), plays


def within_turn(before: Play, turn: Turn) -> Play:
    """The game after the actions of a turn, which goes on; as far as they are legal. Consequences follow by themselves."""
    play = before.copy()
    play.begin_turn(turn.player)
    for move in turn.moves:
        if not (move.consequence or try_action(play, move.number, move.actor, move.arguments)):
            break
    return play


def try_action(play: Play, action: int, actor: int, arguments: tuple[Any, ...]) -> bool:
    """Do an action if it is legal, and whether it was done."""
    try:
        with play.game.work.limited(MAX_TOLD_WORK):
            if not play.after(action, actor) or not play.is_legal(action, actor, arguments):
                return False
            play.do(action, actor, arguments)
    except TooMuchWork:
        return False
    return True
