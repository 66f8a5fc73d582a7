"""A recorded result against what unseen tokens leave possible, held against every filling of them."""

from __future__ import annotations

import copy
import random
from collections import Counter
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from pwtool.eval.kleene import OneOf
from pwtool.play import facts
from pwtool.play.outcome import MAX_NUMBERS
from pwtool.play.replay import Replay, replay_record
from tests.daily import one_day_in
from tests.games.duels import GAME
from tests.games.test_duel_unseen import HIDDEN, covered
from tests.support import book, few_or_many, random_game

Result = dict[str, Any]


def replay(record: dict[str, Any]) -> Replay:
    rules = book(record["ruleset"])
    return replay_record(rules.game, rules.decoder.record(record), rules.legal)


def hidden_game(seed: int) -> tuple[dict[str, Any], tuple[tuple[Any, ...], ...]]:
    """A game of which a few tokens were never read, neither where they lay nor when they were taken."""
    rng = random.Random(seed)
    record, _ = random_game(GAME, 2, seed)
    taken = [
        (("downturned", *divmod(turn, 3)), turn, at)
        for turn, data in enumerate(record["turns"])
        for at, action in enumerate(data["actions"])
        if action["action"] == "face_down"
    ]
    chosen = rng.sample(taken, min(len(taken), rng.choice((1, 2, 3))))
    spares = [p for p in HIDDEN if p[0] == "spares"][: rng.randint(0, 2)]
    found = covered(record, (*(place for place, _, _ in chosen), *spares))
    for _, turn, at in chosen:
        found["turns"][turn]["actions"][at]["token"] = "?"
    return found, (*(place for place, _, _ in chosen), *spares)


def filled_results(seed: int) -> list[Result]:
    """The results of the games that the hidden tokens may have been, found by playing each of them."""
    original, _ = random_game(GAME, 2, seed)
    _, places = hidden_game(seed)
    things = []
    for zone, *at in places:
        value = original["setup"][zone]
        for key in at:
            value = value[key]
        things.append(value)
    results = []
    for filling in sorted(set(permutations(things))):
        game = copy.deepcopy(original)
        for (zone, *at), thing in zip(places, filling, strict=True):
            holder = game["setup"][zone]
            for key in at[:-1]:
                holder = holder[key]
            holder[at[-1]] = thing
            if zone == "downturned":
                turn = at[0] * 3 + at[1]
                for action in game["turns"][turn]["actions"]:
                    if action["action"] == "face_down":
                        action["token"] = thing
        game.pop("result")
        played = replay(game)
        if played.findings or not played.play.over or played.play.turn != len(game["turns"]):
            continue
        assert played.result is not None
        names = game["players"]
        results.append(
            {
                "scores": dict(zip(names, played.result.totals, strict=True)),
                "parts": dict(zip(names, played.result.parts, strict=True)),
                "ranking": [sorted(names[p] for p in group) for group in played.result.ranking or []],
            }
        )
    return results


@cache
def case(seed: int) -> tuple[dict[str, Any], list[Result]]:
    return hidden_game(seed)[0], filled_results(seed)


def cases(count: int) -> list[tuple[dict[str, Any], list[Result]]]:
    found = [case(seed) for seed in range(count) if case(seed)[1]]
    assert len(found) > count // 2
    return found


def codes(record: dict[str, Any], result: Result) -> Counter[str]:
    return Counter(f.code for f in replay({**record, "result": result}).findings)


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(8, 24))
def test_what_a_filling_gives_is_never_wrong(games: int) -> None:
    for record, results in cases(games):
        for result in results:
            assert set(codes(record, result)) <= {"PW611"}


@one_day_in(7)
@pytest.mark.parametrize("games", few_or_many(8, 24))
def test_what_no_filling_gives_is_wrong(games: int) -> None:
    rng = random.Random(1)
    refused = 0
    for record, results in cases(games):
        names = record["players"]
        rankings = [r["ranking"] for r in results]
        for ranking in ([[names[0]], [names[1]]], [[names[1]], [names[0]]], [sorted(names)]):
            wrong = "PW608" in codes(record, {"ranking": ranking})
            assert wrong == (ranking not in rankings), (ranking, rankings)
            refused += wrong
        name = rng.choice(names)
        for number in range(-3, 60, 3):
            wrong = "PW608" in codes(record, {"scores": {name: number}})
            assert wrong == (number not in {r["scores"][name] for r in results})
        line = rng.choice(["tape", "glue", "ruler", "plus_two", "gang_lines"])
        for number in (0, 1, 2, 3, 5, 8, 50):
            wrong = "PW608" in codes(record, {"parts": {name: {line: number}}})
            assert wrong == (number not in {r["parts"][name][line] for r in results})
    assert refused > games


@one_day_in(7)
@pytest.mark.parametrize("games", few_or_many(12, 36))
def test_numbers_that_are_possible_one_by_one_and_not_together_are_wrong(games: int) -> None:
    found = 0
    for record, results in cases(games):
        names = record["players"]
        scores = {(r["scores"][names[0]], r["scores"][names[1]]) for r in results}
        for one in {a for a, _ in scores}:
            for other in {b for _, b in scores}:
                wrong = "PW608" in codes(record, {"scores": {names[0]: one, names[1]: other}})
                assert wrong == ((one, other) not in scores)
                found += wrong
    assert found


@pytest.mark.parametrize("games", few_or_many(8, 16))
def test_bounds_are_those_of_the_fillings(games: int) -> None:
    for record, results in cases(games):
        played = replay({**record, "result": {}})
        assert played.result is not None
        for seat, name in enumerate(record["players"]):
            numbers = {r["scores"][name] for r in results}
            total = played.result.totals[seat]
            low, high = (total, total) if isinstance(total, int) else (total.low, total.high)
            assert (low, high) == (min(numbers), max(numbers))


@pytest.mark.parametrize("games", few_or_many(12, 16))
def test_few_possible_numbers_with_gaps_are_told_one_by_one(games: int) -> None:
    gaps = 0
    for record, results in cases(games):
        for name in record["players"]:
            numbers = {r["scores"][name] for r in results}
            (finding,) = replay({**record, "result": {"scores": {name: 500}}}).findings
            assert isinstance(finding.fact, facts.WrongTotal)
            right = finding.fact.right
            if isinstance(right, OneOf):
                gaps += 1
                assert right.values == numbers and str(right) == " or ".join(map(str, sorted(numbers)))
            else:
                low, high = (right, right) if isinstance(right, int) else (right.low, right.high)
                assert (low, high) == (min(numbers), max(numbers))
                assert len(numbers) in (1, high - low + 1) or len(numbers) > MAX_NUMBERS
    assert gaps


@one_day_in(7)
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_paper_world_results_stay_possible_and_absurd_ones_are_wrong(share: float) -> None:
    rng = random.Random(3)
    for seed in range(6):
        record, _ = random_game("paper_world/fr", 2, seed)
        hidden = copy.deepcopy(record)
        for pile in hidden["setup"]["supply"]:
            for at in range(len(pile)):
                if rng.random() < share:
                    pile[at] = "?"
        assert {f.code for f in replay(hidden).findings} <= {"PW611"}
        for result in ({"scores": {"P1": 500}}, {"parts": {"P1": {"stars": 400}}}):
            assert "PW608" in {f.code for f in replay({**hidden, "result": result}).findings}
