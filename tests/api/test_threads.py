"""One object used by several threads gives each the answers that it gives alone."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import pwtool
from tests.daily import one_day_in

THREADS = 6


def games(rules: pwtool.Rules, number: int = 8) -> list[dict[str, Any]]:
    """Games of which every second has a turn twice."""
    found = list(rules.play_many(number, max_turns=25))
    for game in found[::2]:
        game["turns"].insert(1, game["turns"][0])
    return found


def told(verdicts: Iterator[pwtool.Verdict]) -> list[Any]:
    return [(v.status, v.cut_short, [(f.code, f.turn, f.message) for f in v.findings]) for v in verdicts]


@one_day_in(4)
@pytest.mark.parametrize("kernel", [True, False])
@pytest.mark.parametrize("address", ["checkers", "paper_world/gamepark"])
def test_archives_are_judged_as_alone(address: str, kernel: bool) -> None:
    rules = pwtool.load(address)
    records = games(rules)
    alone = told(rules.check_many(records, kernel=kernel))
    assert {status for status, *_ in alone} == {"clean", "findings"}
    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(lambda _: told(rules.check_many(records, kernel=kernel)), range(THREADS)))
    assert all(answer == alone for answer in answers)
    # Two archives in one thread, a game of each in turn.
    first, second = rules.check_many(records, kernel=kernel), rules.check_many(records[::-1], kernel=kernel)
    pairs = list(zip(first, second, strict=True))
    assert told(iter([one for one, _ in pairs])) == alone == told(iter([other for _, other in pairs]))[::-1]


def test_positions_are_looked_at_as_alone() -> None:
    rules = pwtool.load("othello")
    game = rules.replay(rules.play(seed=5))

    def looked_at(turn: int) -> Any:
        position = game.at(turn)
        actions = position.legal()
        return actions, [str(position.play(action).state()) for action in actions[:2]], position.board()

    turns = list(range(1, 25))
    alone = [looked_at(turn) for turn in turns]
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(looked_at, turns)) == alone
        played = list(pool.map(lambda seed: rules.play(seed=seed, max_turns=6), range(6)))
    assert played == [rules.play(seed=seed, max_turns=6) for seed in range(6)]


def test_a_copy_may_be_made_of_rules_in_use() -> None:
    rules = pwtool.load("nim")
    record = rules.play(seed=1)
    assert rules.check(record).clean
    assert copy.deepcopy(rules).check(record).clean and copy.copy(rules).check(record).clean
