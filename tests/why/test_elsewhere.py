"""What was changed somewhere else than where it shows is one cause: in the setup, in an earlier turn, a turn that is lost."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.daily import one_day_in
from tests.games import test_mutations
from tests.support import few_or_many, random_game
from tests.why.test_causes import causes_of

Change = Callable[[dict[str, Any], random.Random], None]
DUELS = "pierre_papier_morpion"


def actions(record: dict[str, Any], name: str) -> list[tuple[int, int]]:
    return [(i, j) for i, t in enumerate(record["turns"]) for j, a in enumerate(t["actions"]) if a["action"] == name]


def two_cards_exchanged(record: dict[str, Any], rng: random.Random) -> None:
    pile = rng.choice(record["setup"]["supply"])
    one, other = rng.sample(range(len(pile)), 2)
    pile[one], pile[other] = pile[other], pile[one]


def another_card_dealt(record: dict[str, Any], rng: random.Random) -> None:
    pile = rng.choice(record["setup"]["supply"])
    pile[rng.randrange(len(pile))] = rng.choice(["K1", "Y5", "GS3"])


def another_goal(record: dict[str, Any], rng: random.Random) -> None:
    record["setup"]["goals"][rng.randrange(3)] = rng.choice(["l_of_2s", "five_1s", "nine_piles", "diagonal_2_3_4"])


def lost(name: str) -> Change:
    def change(record: dict[str, Any], rng: random.Random) -> None:
        turn, at = rng.choice(actions(record, name))
        del record["turns"][turn]["actions"][at]

    change.__name__ = f"{name}_lost"
    return change


def another_cell(record: dict[str, Any], rng: random.Random) -> None:
    turn, at = rng.choice(actions(record, "place"))
    record["turns"][turn]["actions"][at]["at"][rng.randrange(2)] += rng.choice([-1, 1])


def another_announcement(record: dict[str, Any], rng: random.Random) -> None:
    turn, at = rng.choice(actions(record, "take"))
    record["turns"][turn]["actions"][at]["announced"] = rng.choice([1, 2, 3, 4, 5, "black", "yellow", "green", "blue"])


def lost_turn(record: dict[str, Any], rng: random.Random) -> None:
    del record["turns"][rng.randrange(len(record["turns"]))]


def another_token(record: dict[str, Any], rng: random.Random) -> None:
    row = rng.choice(record["setup"]["upturned"])
    row[rng.randrange(3)] = rng.choice("GTRCP")


def done_twice(record: dict[str, Any], rng: random.Random) -> None:
    done = rng.choice(record["turns"])["actions"]
    at = rng.randrange(len(done))
    done.insert(at, copy.deepcopy(done[at]))


CARDS: list[Change] = [
    two_cards_exchanged, another_card_dealt, another_goal, lost("grab"), lost("place"), lost("trim"), lost("claim"),
    another_cell, another_announcement,
]  # fmt: skip
ROUNDS: list[Change] = [lost_turn, another_token, done_twice]


def damaged(change: Change, count: int, seed: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(f"{change.__name__} {seed}")
    whole = [case.record for case in test_mutations.cases() if "result" in case.record]
    for number in range(count):
        if change in CARDS:
            record = copy.deepcopy(whole[(seed + number) % len(whole)])
        else:
            record = random_game(DUELS, 2, seed + number)[0]
        before = copy.deepcopy(record)
        try:
            change(record, rng)
        except IndexError:
            continue
        if record != before:
            yield record


def mean(changes: list[Change], count: int, seed: int) -> float:
    numbers = [
        len(causes) for change in changes for record in damaged(change, count, seed) if (causes := causes_of(record))
    ]
    assert len(numbers) > count
    return sum(numbers) / len(numbers)


@one_day_in(8)
@pytest.mark.parametrize("changes", [CARDS, ROUNDS], ids=["cards", "rounds"])
def test_one_change_is_one_cause(changes: list[Change]) -> None:
    assert mean(changes, 4, 1) <= 1.15


@pytest.mark.slow
@pytest.mark.parametrize("changes", [CARDS, ROUNDS], ids=["cards", "rounds"])
def test_one_change_is_one_cause_in_many_games(changes: list[Change]) -> None:
    assert mean(changes, 30, 100) <= 1.1


def test_two_changes_are_seldom_one_cause() -> None:
    """An announcement that is wrong and a score that is wrong have nothing to do with each other."""
    single = of = 0
    for record in damaged(another_announcement, 8, 3):
        if not causes_of(record):
            continue
        record["result"]["scores"][record["players"][0]] += 50
        of += 1
        single += len(causes_of(record)) < 2
    assert of >= 4 and single == 0


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(6, 72))
def test_a_result_is_not_explained_by_a_game_that_goes_on(games: int) -> None:
    """A card that is not there, and a score that no game has: without the last turns nothing would be said of the score."""
    told = of = 0
    for case in test_mutations.cases()[:: 72 // games]:
        record = copy.deepcopy(case.record)
        if "result" not in record or not actions(record, "take"):
            continue
        turn, at = actions(record, "take")[len(record["turns"]) // 3]
        taken = record["turns"][turn]["actions"][at]["cards"]
        pile = next(iter(taken))
        taken[pile] = "G5" if taken[pile] != "G5" else "B5"
        record["result"]["scores"][record["players"][0]] = 99
        causes = causes_of(record)
        of += 1
        told += any(cause.path[0] == "result" for cause in causes)
    assert of >= games - games // 6 and told == of
