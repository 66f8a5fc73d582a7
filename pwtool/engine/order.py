"""Where a turn stands in the order of play: the set of places that the actions so far may have led to."""

from __future__ import annotations

from pwtool.engine.game import Game
from pwtool.engine.state import State
from pwtool.evaluation.values import UNKNOWN

START = frozenset([0])


def advance(game: Game, state: State, places: frozenset[int], action: int, actor: int) -> frozenset[int]:
    """The places after an action of `actor`; empty when the order does not allow it here."""
    order = game.ruleset.order
    reached = set()
    for place in places:
        for following in order.follow[place]:
            if order.steps[following - 1].action == action and _allowed(game, state, following, actor):
                reached.add(following)
    if not reached and any(
        step.action == action and (step.actor is None or game.fast.anytime[i](state, game.locals()) == actor)  # type: ignore[misc]
        for i, step in enumerate(game.ruleset.anytime)
    ):
        return places
    return frozenset(reached)


def _allowed(game: Game, state: State, place: int, actor: int) -> bool:
    who, guard = game.machine(state).guards[place - 1]
    if (state.player if who is None else who(state, game.locals())) != actor:
        return False
    if guard is None:
        return True
    verdict = guard(state, game.locals())
    return verdict is UNKNOWN or bool(verdict)


def next_actions(game: Game, state: State, places: frozenset[int]) -> list[int]:
    """The actions that the order allows the player whose turn it is, without regard to their rules."""
    order = game.ruleset.order
    found = {
        order.steps[f - 1].action for p in places for f in order.follow[p] if _allowed(game, state, f, state.player)
    }
    found |= {step.action for step in game.ruleset.anytime if step.actor is None}
    return sorted(found)


def may_end(game: Game, places: frozenset[int]) -> bool:
    """Whether the turn may end here."""
    return not places.isdisjoint(game.ruleset.order.last)
