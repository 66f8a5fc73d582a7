"""The progress of a turn (or round) in the order of play: the set of places to which the actions so far may have led."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from pwtool.eval.kleene import all_of, equal, is_unknown
from pwtool.eval.values import UNKNOWN
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY
from pwtool.play.state import State

START = frozenset([0])


class Waiting(Struct, frozen=True):
    """An action that cannot come yet: its player does not exist, or its guard does not hold."""

    action: int
    lacks: Literal["player", "guard"]
    written: str


def advance(
    game: Game, state: State, places: frozenset[int], action: int, actor: int, surely: bool = False
) -> frozenset[int]:
    """The places after an action of `actor`; empty if the order does not allow it here. `state.player` is the player
    whose turn it is. What depends on unseen cards is allowed, unless it has to be so `surely`.
    """
    known = game.steps.get((places, action))
    if known is None:
        known = game.steps[places, action] = _plain(game, places, action), game.action(action).joint
    after, joint = known
    if after and actor == (EVERYBODY if joint else state.player):
        return after
    order = game.ruleset.order
    reached = set()
    for place in places:
        for following in order.follow[place]:
            if order.steps[following - 1].action == action:
                allowed = _allowed(game, state, following, actor)
                if allowed is True or (allowed is UNKNOWN and not surely):
                    reached.add(following)
    if not reached and any(
        step.action == action and actor in _at_any_time(game, state, number, surely)
        for number, step in enumerate(game.ruleset.anytime)
    ):
        return places
    return frozenset(reached)


def _plain(game: Game, places: frozenset[int], action: int) -> frozenset[int] | None:
    """The places after an action of the player whose turn it is, or of all; None if they depend on the position."""
    order = game.ruleset.order
    reached = {at for place in places for at in order.follow[place] if order.steps[at - 1].action == action}
    steps = [order.steps[at - 1] for at in reached]
    return None if any(s.guard is not None or s.actor is not None for s in steps) else frozenset(reached)


def _who(game: Game, state: State, place: int) -> Any:
    """The player who does the step at a place, None if there is none; it may depend on unseen cards."""
    step = game.ruleset.order.steps[place - 1]
    if game.action(step.action).joint:
        return EVERYBODY
    who = game.machine(state).guards[place - 1][0]
    return state.player if who is None else who(state, game.locals())


def _allowed(game: Game, state: State, place: int, actor: int) -> Any:
    """Whether a player may do the step at a place: True, False or UNKNOWN."""
    who = _who(game, state, place)
    mine = who == actor or (actor != EVERYBODY and equal(who, actor))
    guard = game.machine(state).guards[place - 1][1]
    if mine is False or guard is None:
        return mine
    return all_of([mine, guard(state, game.locals())])


def _at_any_time(game: Game, state: State, number: int, surely: bool = False) -> list[int]:
    """The players who may do an `anytime` action; with `surely` without those who may only if unseen cards are so."""
    if game.action(game.ruleset.anytime[number].action).joint:
        return [EVERYBODY]
    players, who = list(range(state.players)), game.machine(state).anytime[number]
    if who is None:
        return players
    actor = who(state, game.locals())
    return [p for p in players if (may := equal(actor, p)) is True or (may is UNKNOWN and not surely)]


def next_steps(game: Game, state: State, places: frozenset[int]) -> list[tuple[int, int]]:
    """The actions that the order of play allows next, regardless of their own rules: (action, actor)."""
    order = game.ruleset.order
    found: set[tuple[int, int]] = set()
    for place in frozenset().union(*(order.follow[at] for at in places)):
        who = _who(game, state, place)
        for actor in range(state.players) if is_unknown(who) else () if who is None else (who,):
            if _allowed(game, state, place, actor) is not False:
                found.add((order.steps[place - 1].action, actor))
    for number, step in enumerate(game.ruleset.anytime):
        found |= {(step.action, actor) for actor in _at_any_time(game, state, number)}
    return sorted(found)


def waiting_steps(game: Game, state: State, places: frozenset[int]) -> list[Waiting]:
    """The next actions in the order that are not possible now: each with what it waits for, as written."""
    found: list[Waiting] = []
    for place in sorted(frozenset().union(*(game.ruleset.order.follow[at] for at in places))):
        step = game.ruleset.order.steps[place - 1]
        actor = _who(game, state, place)
        if actor is None and step.actor is not None and step.actor.span is not None:
            found.append(Waiting(step.action, "player", " ".join(step.actor.span.text.split())))
        elif (
            actor is not None
            and not is_unknown(actor)
            and _allowed(game, state, place, actor) is False
            and step.guard is not None
            and step.guard.span is not None
        ):
            found.append(Waiting(step.action, "guard", " ".join(step.guard.span.text.split())))
    return found


def may_end(game: Game, places: frozenset[int]) -> bool:
    """Whether the turn may end here."""
    return not places.isdisjoint(game.ruleset.order.last)
