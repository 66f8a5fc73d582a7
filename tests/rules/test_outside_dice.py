"""Backgammon, written from the page of the language alone: beside a model of its rules and, turn by turn, beside OpenSpiel, which
is one action there. What is legal at every ply, where the men stand, and the result.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from pwtool import Action
from tests.classics.tables import ByInterface, Table
from tests.daily import one_day_in
from tests.rules.test_outside_games import NAMES, play_with, table
from tests.support import few_or_many

SPOTS = (
    (13, 14, 15, 16, 17, 18, 0, 19, 20, 21, 22, 23, 24),
    (12, 11, 10, 9, 8, 7, 25, 6, 5, 4, 3, 2, 1),
)
"""How White counts the cells of the board."""
Move = tuple[int, int]
Key = tuple[tuple[Move, ...], tuple[Move, ...], tuple[int, int]]


class Men:
    """Where the men of both stand, each as their player counts: 25 is the bar."""

    def __init__(self, men: list[dict[int, int]], off: list[int]) -> None:
        self.men, self.off = men, off

    def moves(self, seat: int, die: int) -> list[int]:
        """The points from which a man can go so far."""
        own, other = self.men[seat], self.men[1 - seat]
        last = max(own, default=0)
        starts = [25] if last == 25 else list(own)
        return [
            start
            for start in starts
            if (other.get(25 - start + die, 0) < 2 if start > die else last <= 6 and start in (die, last))
        ]

    def after(self, seat: int, die: int, start: int) -> Men:
        men, off = [dict(self.men[0]), dict(self.men[1])], list(self.off)
        own, other = men[seat], men[1 - seat]
        own[start] -= 1
        if start <= die:
            off[seat] += 1
        else:
            own[start - die] = own.get(start - die, 0) + 1
            if other.pop(25 - start + die, 0):
                other[25] = other.get(25, 0) + 1
        return Men([{point: n for point, n in side.items() if n} for side in men], off)

    def turns(self, seat: int, dice: list[int]) -> set[tuple[Move, ...]]:
        """All ways to use as many dice as possible; of two of which one can be used, the larger."""
        found: list[tuple[Move, ...]] = [()]

        def go(men: Men, left: list[int], done: tuple[Move, ...]) -> None:
            found.append(done)
            for at, die in enumerate(left):
                for start in men.moves(seat, die) if die not in left[:at] else ():
                    go(men.after(seat, die, start), left[:at] + left[at + 1 :], (*done, (die, start)))

        go(self, dice, ())
        longest = {done for done in found if len(done) == max(map(len, found))}
        if len(dice) == 2 and max(map(len, longest)) == 1:
            longest = {done for done in longest if done[0][0] == max(one for ((one, _),) in longest)}
        return longest

    def key(self) -> Key:
        return tuple(sorted(self.men[0].items())), tuple(sorted(self.men[1].items())), (self.off[0], self.off[1])

    def value(self, seat: int) -> int:
        if self.off[seat] < 15:
            return 0
        return 1 if self.off[1 - seat] else 3 if max(self.men[1 - seat]) > 18 else 2


def at_first() -> Men:
    return Men([{24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5}], [0, 0])


def named(option: Action, seat: int) -> Move:
    x, y = option.arguments["start"]
    return option.arguments["die"], SPOTS[y][x] if seat == 0 else 25 - SPOTS[y][x]


def seen(ours: Table) -> list[dict[int, int]] | None:
    """The board as pwtool has it."""
    if not isinstance(ours, ByInterface):
        return None
    men: list[dict[int, int]] = [{}, {}]
    for x, y, pile in ours.position.state()["zones"]["board"]:
        seat = "WB".index(pile[0])
        men[seat][SPOTS[y][x] if seat == 0 else 25 - SPOTS[y][x]] = len(pile)
    return men


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(1, 60))
def test_backgammon_beside_a_model(games: int) -> None:
    for seed in range(games):
        rng, ours, men, seat = random.Random(seed), table("backgammon", seed), at_first(), 0
        while not ours.over:
            assert max(men.off) < 15
            (roll,) = ours.options
            dice = [rng.randint(1, 6), rng.randint(1, 6)]
            play_with(ours, roll, {"first_die": dice[0], "second_die": dice[1]})
            ways = men.turns(seat, dice * 2 if dice[0] == dice[1] else dice)
            if ways == {()}:
                (stay,) = ours.options
                assert stay.name == "stay"
                ours.play(stay)
            while ways != {()}:
                options = {named(option, seat): option for option in ours.options}
                assert len(options) == len(ours.options) and {o.player for o in ours.options} == {NAMES[seat]}
                assert set(options) == {way[0] for way in ways} and not ours.may_end, (seed, men.key(), dice)
                move = rng.choice(sorted(options))
                ours.play(options[move])
                men, ways = men.after(seat, *move), {way[1:] for way in ways if way[0] == move}
                if len(next(iter(ways))):
                    assert seen(ours) in (None, men.men)
            seat = 1 - seat
        assert ours.points() == [men.value(0), men.value(1)], seed


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(1, 60))
def test_the_model_beside_open_spiel(games: int) -> None:
    """There, doubles are two actions after each other."""
    spiel = pytest.importorskip("pyspiel").load_game("backgammon(scoring_type=full_scoring)")
    for seed in range(games):
        rng, state, men, seat, dice = random.Random(seed), spiel.new_initial_state(), at_first(), 0, [0]
        while not state.is_terminal():
            outcome = rng.choice(state.legal_actions())
            said = state.action_to_string(state.current_player(), outcome)
            state.apply_action(outcome)
            seat = state.current_player()
            dice = [int(die) for die in re.findall(r"roll: (\d)(\d)", said)[0]]
            ways = {}
            for way in men.turns(seat, dice * 2 if dice[0] == dice[1] else dice):
                there = men
                for move in way:
                    there = there.after(seat, *move)
                ways[there.key()] = there
            actions = ends(state, dice[0] == dice[1])
            assert set(actions) == set(ways), (seed, str(state))
            chosen = rng.choice(sorted(actions))
            for action in actions[chosen]:
                state.apply_action(action)
            men = ways[chosen]
        assert [men.value(0) - men.value(1), men.value(1) - men.value(0)] == state.returns(), seed


def ends(state: Any, again: bool) -> dict[Key, tuple[int, ...]]:
    """Where the men can be after a turn, and by which actions."""
    found: dict[Key, tuple[int, ...]] = {}
    for action in state.legal_actions():
        after = state.child(action)
        if not again or after.is_terminal() or after.is_chance_node():
            found[_key(after)] = (action,)
        else:
            found |= {key: (action, *rest) for key, rest in ends(after, False).items()}
    return found


def _key(state: Any) -> Key:
    men = [{}, {}]
    for seat, point in ((seat, point) for seat in (0, 1) for point in range(24) if state.board(seat, point)):
        men[seat][24 - point if seat == 0 else point + 1] = state.board(seat, point)
    text = str(state)
    for sign in text.partition("Bar:")[2].partition("\n")[0].strip():
        side = men["xo".index(sign)]
        side[25] = side.get(25, 0) + 1
    off = [int(n) for n in re.findall(r"[XO]: (\d+)", text)]
    return Men(men, off).key()
