"""Games at random in lock-step, pwtool beside OpenSpiel. At every ply both name who moves, what is legal and whether the game
is over; at the end both name the result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pwtool import Action
from tests.classics.tables import Table

Ply = int | str
Plies = tuple[Ply, ...]
Setup = dict[str, Any]


def winner_takes_one(table: Table) -> list[float]:
    """One for the only winner, minus one for the others, nothing where the first place is shared."""
    winners, seats = table.winners(), range(len(table.points()))
    return [0.0 if len(winners) != 1 else 1.0 if seat in winners else -1.0 for seat in seats]


def points(table: Table) -> list[float]:
    """The points themselves."""
    return [float(value) for value in table.points()]


@dataclass(frozen=True)
class Match:
    """A game in both. `say` is what an action is in OpenSpiel: one ply or several, each by its number or its text; `deal` the
    outcomes of chance before the first action, `chance` those that an action brings in a state of OpenSpiel.
    """

    address: str
    spiel: str
    say: Callable[[Action], Plies]
    deal: Callable[[Setup], Iterable[Ply]] = lambda setup: ()
    chance: Callable[[Action, Setup, Any], Iterable[Ply]] = lambda action, setup, state: ()
    draw: Callable[[str], dict[str, Any]] | None = None
    """What an outcome of OpenSpiel's chance is among the arguments of the action that leaves it to chance. An action that is
    nothing else is not a ply.
    """
    result: Callable[[Table], list[float]] = winner_takes_one
    text: Callable[[str], str] = str
    """How OpenSpiel's texts are put into the words of `say`."""
    words: Callable[[Any, int], str] | None = None
    """What an action of a state of OpenSpiel is in these words, where its texts do not say it."""
    seats: Sequence[int] = tuple(range(8))
    """The seat in OpenSpiel of each player."""
    few: int = 20
    """How many games are played every day by a kernel; one in ten by the interface."""
    stop: Ply | None = None
    """What it is in OpenSpiel to end a turn that could go on; None where a turn that may end has no further action."""


class Disagreement(AssertionError):
    """Where the two part."""


def named_plies(match: Match, state: Any) -> dict[Ply, int]:
    """What OpenSpiel calls legal, or possible to chance, by number and in the words of the match."""
    found: dict[Ply, int] = {}
    player = state.current_player()
    for number in state.legal_actions():
        found[number] = number
        words = (
            match.text(state.action_to_string(player, number)) if match.words is None else match.words(state, number)
        )
        found[words] = number
    return found


def by_chance(match: Match, state: Any, outcomes: Iterable[Ply]) -> None:
    """Carry out what chance gave in pwtool, as far as OpenSpiel asks for it."""
    left = list(outcomes)
    while state.is_chance_node():
        possible = named_plies(match, state)
        if not left or left[0] not in possible:
            raise Disagreement(f"chance gives one of {sorted(map(str, possible))}, not {left}:\n{state}")
        state.apply_action(possible[left.pop(0)])


def drawn(match: Match, state: Any, action: Action, rng: random.Random) -> Action:
    """An action with what OpenSpiel's chance makes of it."""
    if not state.is_chance_node() or match.draw is None:
        return action
    outcome = rng.choice(state.legal_actions())
    text = state.action_to_string(state.current_player(), outcome)
    state.apply_action(outcome)
    return replace(action, arguments={**action.arguments, **match.draw(text)})


def compare(match: Match, state: Any, options: Iterable[Plies]) -> None:
    """Both call the same legal, ply by ply of what is one action in pwtool."""
    after: dict[Ply, list[Plies]] = {}
    for plies in options:
        after.setdefault(plies[0], []).append(plies[1:])
    legal = set(state.legal_actions())
    numbers = after if all(isinstance(ply, int) for ply in after) else None
    possible = named_plies(match, state) if numbers is None else {}
    ours = {possible.get(ply, ply) for ply in after} if numbers is None else set(numbers)
    if ours != legal or len(ours) != len(after):
        said = named_plies(match, state)
        more = sorted(str(ply) for ply in after if ply not in said)
        less = sorted(str(ply) for ply, number in said.items() if number not in ours and isinstance(ply, str))
        raise Disagreement(f"only pwtool has {more}, only OpenSpiel {less}:\n{state}")
    for ply, rests in after.items():
        if rests != [()]:
            following = state.clone()
            following.apply_action(possible.get(ply, ply))
            compare(match, following, rests)


def play(match: Match, table: Table, names: Sequence[str], state: Any, rng: random.Random, most: int = 20_000) -> int:
    """One game; how many plies it had. Raises `Disagreement`."""
    if match.draw is None:
        by_chance(match, state, match.deal(table.setup))
    plies = 0
    while not table.over and plies < most:
        if state.is_terminal():
            raise Disagreement(f"only OpenSpiel calls this the end:\n{state}")
        options = {match.say(action): action for action in table.options}
        if () in options and state.is_chance_node():
            table.play(drawn(match, state, options[()], rng))
            continue
        if len(options) != len(table.options):
            raise Disagreement("two actions of pwtool are one in OpenSpiel")
        if table.may_end and match.stop is None:
            raise Disagreement(f"the turn may end or go on:\n{state}")
        movers = {action.player for action in table.options}
        if len(movers) != 1 or match.seats[names.index(str(*movers))] != state.current_player():
            raise Disagreement(f"{movers} to move, not {state.current_player()}:\n{state}")
        ends: list[Plies] = [(match.stop,)] if table.may_end and match.stop is not None else []
        compare(match, state, (*options, *ends))
        chosen = rng.choice([*options, *ends])
        for ply in chosen:
            state.apply_action(ply if isinstance(ply, int) else named_plies(match, state)[ply])
        if chosen in options and match.draw is not None:
            table.play(drawn(match, state, options[chosen], rng))
        elif chosen in options:
            table.play(options[chosen])
            by_chance(match, state, match.chance(options[chosen], table.setup, state) if state.is_chance_node() else ())
        else:
            table.end_turn()
        plies += len(chosen)
    if not table.over:
        return plies
    if not state.is_terminal():
        raise Disagreement(f"only pwtool calls this the end:\n{state}")
    ours = match.result(table)
    theirs = [state.returns()[seat] for seat in match.seats[: len(names)]]
    if [round(value, 6) for value in ours] != [round(value, 6) for value in theirs]:
        raise Disagreement(f"the result is {ours}, not {theirs}:\n{state}")
    return plies
