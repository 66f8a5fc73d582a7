"""The compiled closures and the reference interpreter agree, and with unknowns the interpreter never claims too much."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pwtool.engine.play import Play
from pwtool.engine.replay import replay_record
from pwtool.engine.state import State
from pwtool.evaluation.values import UNKNOWN, UNSEEN
from tests.support import ADDRESSES, DATA, book, full_record, random_game, raw_games


def sample_states(address: str, seed: int, count: int) -> list[Play]:
    """Positions at the beginning of turns of a random game."""
    rules = book(address)
    rng = random.Random(seed)
    data, _ = random_game(address, rng.choice([2, 3, 4]), seed, max_turns=60)
    data.pop("result", None)
    found: list[Play] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is not None and rng.random() < 0.3:
            found.append(play.copy())

    replay_record(rules.game, rules.decoder.record(data), rules.legal, observe)
    assert found
    return rng.sample(found, min(count, len(found)))


def random_arguments(address: str, action: Any, state: State, rng: random.Random) -> tuple[Any, ...]:
    """Arguments of the right form, mostly illegal."""
    game = book(address).game
    faces = range(len(game.ruleset.components["card"].codes))
    arguments: list[Any] = []
    for parameter in action.parameters:
        hand = state.zones[game.ruleset.zones["hand"].number][state.player]
        if parameter.kind == "element":
            arguments.append(rng.choice(hand) if hand and rng.random() < 0.8 else rng.choice(faces))
        elif parameter.kind == "elements":
            arguments.append(rng.sample(hand, min(len(hand), rng.choice([0, 0, 1, 2]))))
        elif parameter.kind == "tops":
            piles = state.zones[parameter.zone]
            tops = [(i + 1, p[-1]) for i, p in enumerate(piles) if p]
            arguments.append(sorted(rng.sample(tops, rng.randint(0, len(tops)))))
        elif parameter.kind == "cell":
            arguments.append((rng.randint(-3, 3), rng.randint(-3, 3)))
        else:
            arguments.append(rng.choice(["yellow", "blue", "green", "black", 1, 2, 3, 4, 5]))
    return tuple(arguments)


@pytest.mark.parametrize("address", ADDRESSES)
def test_both_evaluators_agree_on_rules_scores_and_endings(address: str) -> None:
    game = book(address).game
    rng = random.Random(7)
    judged = refused = 0
    for seed in range(3):
        for play in sample_states(address, seed, 12):
            state = play.state
            for fast, careful in zip(game.fast.actions, game.careful.actions, strict=True):
                for _ in range(4):
                    arguments = random_arguments(address, fast.model, state, rng)
                    e, f = fast.bind(arguments), careful.bind(arguments)
                    assert fast.unavailable(state, e) == careful.unavailable(state, f)
                    fast.compute(state, e)
                    careful.compute(state, f)
                    broken = [r.id for r in fast.broken(state, e)]
                    other, unknown = careful.judge(state, f)
                    assert broken == [r.id for r in other] and unknown == []
                    judged += 1
                    refused += bool(broken)
            everything = [s.value for s in game.ruleset.scores] + [e.condition for e in game.ruleset.endings]
            everything += [i.require for i in game.ruleset.invariants]
            for player in range(state.players):
                state.player = player
                for expr in everything:
                    fast_value = game.fast.backend.compile(expr)(state, game.locals())
                    careful_value = game.careful.backend.compile(expr)(state, game.locals())
                    assert (fast_value or False) == (careful_value or False)
    assert judged > 400 and 0 < refused < judged


def test_both_evaluators_agree_on_all_objectives_of_the_boards() -> None:
    game = book("paper_world").game
    numbers = game.ruleset.components["card"].numbers
    boards = (DATA / "objective_vectors.sample.jsonl").read_text("utf-8").splitlines()
    assert len(boards) == 1000
    state = State(game.ruleset, 2, [])
    for line in boards:
        grid = {(x, y): [numbers[c] for c in pile] for x, y, pile in json.loads(line)["cells"]}
        for name in game.ruleset.objectives:
            assert bool(game.fast.backend.objective(name)(state, grid)) == bool(
                game.interpreter.objective(name)(state, grid)
            )


@pytest.mark.parametrize("address", ["paper_world/en", "paper_world/fr", "paper_world/gamepark+advanced"])
def test_with_unknown_cards_a_verdict_is_unknown_or_the_true_one(address: str) -> None:
    game = book(address).game
    rng = random.Random(3)
    known = unknown = 0
    for seed in range(4):
        for play in sample_states(address, seed, 10):
            hidden = play.state.copy()
            for zones in hidden.zones:
                for zone in zones:
                    piles = zone.values() if isinstance(zone, dict) else [zone]
                    for pile in piles:
                        for at in range(len(pile)):
                            if rng.random() < 0.3 and game.zone_list[hidden.zones.index(zones)].element.kind == "face":
                                pile[at] = UNSEEN
            hidden.unseen = True
            for runner in game.careful.actions:
                for _ in range(5):
                    arguments = random_arguments(address, runner.model, play.state, rng)
                    e, f = runner.bind(arguments), runner.bind(arguments)
                    runner.compute(play.state, e)
                    runner.compute(hidden, f)
                    true = {r.id for r in runner.judge(play.state, e)[0]}
                    broken, open_ = runner.judge(hidden, f)
                    claimed, undecided = {r.id for r in broken}, {r.id for r in open_}
                    if "pass" in runner.model.name:
                        continue  # what is possible with unseen cards is a lower bound only
                    assert claimed <= true
                    assert true - claimed <= undecided
                    known += len(runner.model.rules) - len(undecided)
                    unknown += len(undecided)
            for expr in [s.value for s in game.ruleset.scores]:
                value = game.interpreter.evaluate(expr, hidden, game.locals())
                real = game.interpreter.evaluate(expr, play.state, game.locals())
                low, high = getattr(value, "low", value), getattr(value, "high", value)
                assert value is UNKNOWN or low <= real <= high
    assert known > 100 and unknown > 100


def test_recorded_games_judge_alike_with_both_machines() -> None:
    for name, raw in raw_games("base", "advanced")[::9]:
        data = full_record(raw)
        rules = book(data["ruleset"])
        record = rules.decoder.record(data)
        fast = replay_record(rules.game, record, rules.legal)
        machine = rules.game.fast
        rules.game.fast = rules.game.careful
        try:
            careful = replay_record(rules.game, record, rules.legal)
        finally:
            rules.game.fast = machine
        assert fast.findings == careful.findings == [], name
        assert fast.result == careful.result and fast.consequences == careful.consequences
