"""Root causes: one damage is one cause, two damages are two, and what was not told apart is said."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import pytest

from pwtool.kernel import MIN_GAMES
from pwtool.play.finding import Finding, Path
from pwtool.play.replay import replay_record
from pwtool.why import causes
from pwtool.why.causes import mark_causes
from pwtool.why.judging import whole
from tests.daily import one_day_in, some
from tests.games import test_duel_damage, test_mutations
from tests.support import book, ruleset_store


def causes_of(record: dict[str, Any]) -> list[Finding]:
    """What is not told as following from something else."""
    rules = book(record["ruleset"])
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    mark_causes(rules.game, replay, rules.legal)
    return [finding for finding in replay.findings if not finding.follows]


def told(record: dict[str, Any]) -> set[Path]:
    """The places of the causes of what is wrong with a record."""
    return {f.place if f.path[0] != "result" else ("result",) for f in causes_of(record)}


def counts(kinds: ModuleType, cases: int) -> Iterator[tuple[str, int]]:
    """Each kind of damage in a few games, with how many causes are told."""
    for kind in kinds.ALL:
        found: Iterator[Any] = (
            damaged
            for case in kinds.cases()
            if (damaged := kind(case, random.Random(f"{case.name} causes"))) is not None
        )
        for damaged in islice(found, cases):
            yield kind.__name__, len(causes_of(damaged[0]))


def check(kinds: ModuleType, cases: int, most: float) -> None:
    numbers = list(counts(kinds, cases))
    assert len(numbers) > 20 and all(number >= 1 for _, number in numbers)
    mean = sum(number for _, number in numbers) / len(numbers)
    assert mean <= most, (mean, [found for found in numbers if found[1] > 1])


@pytest.mark.parametrize("kinds", some([test_mutations, test_duel_damage], 1), ids=["cards", "duels"])
def test_one_damage_is_one_cause(kinds: ModuleType) -> None:
    check(kinds, 1, 1.15)


@pytest.mark.parametrize("kinds", some([test_mutations, test_duel_damage], 1), ids=["cards", "duels"])
def test_a_kernel_that_judges_the_corrections_finds_the_same(kinds: ModuleType) -> None:
    pytest.importorskip("wasmtime")
    from pwtool.checking.kernels import Kernels

    kernels, compared = Kernels(ruleset_store()), 0
    for kind in kinds.ALL:
        case = next(iter(kinds.cases()))
        damaged = kind(case, random.Random(f"{case.name} kernel"))
        if damaged is None:
            continue
        rules = book(damaged[0]["ruleset"])
        kernels.get(rules.game.ruleset.address, MIN_GAMES)
        trials = kernels.trials(rules.game.ruleset.address)
        found = []
        for judges in (None, trials):
            record = rules.decoder.record(damaged[0])
            judge = None if judges is None else whole(rules.game, record, rules.legal)
            replay = replay_record(rules.game, record, rules.legal) if judge is None else judge.replay
            marked = mark_causes(rules.game, replay, rules.legal, judges, judge)
            found.append(([f.follows for f in replay.findings], sorted(marked.moves), marked.complete))
        assert trials is not None and found[0] == found[1], kind.__name__
        compared += 1
    assert compared > 15


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [test_mutations, test_duel_damage], ids=["cards", "duels"])
def test_one_damage_is_one_cause_in_many_games(kinds: ModuleType) -> None:
    check(kinds, 12, 1.1)


def dropped_action(record: dict[str, Any], turn: int) -> None:
    del record["turns"][turn]["actions"][-1]


def wrong_score(record: dict[str, Any], turn: int) -> None:
    name = record["players"][0]
    record["result"]["scores"][name] += 50


def other_player(record: dict[str, Any], turn: int) -> None:
    players = record["players"]
    record["turns"][turn]["player"] = players[(players.index(record["turns"][turn]["player"]) + 1) % len(players)]


@one_day_in(4)
@pytest.mark.parametrize(
    ("first", "second", "place"),
    some([(other_player, wrong_score, ("result",)), (other_player, other_player, ("turns", 30))], 1),
)
def test_two_damages_are_two_causes(
    first: Callable[[dict[str, Any], int], None], second: Callable[[dict[str, Any], int], None], place: Path
) -> None:
    alone = both = 0
    for case in list(test_mutations.cases())[:8]:
        if len(case.record["turns"]) < 32 or "result" not in case.record:
            continue
        record = copy.deepcopy(case.record)
        first(record, 6)
        alone += told(record) == {("turns", 6)}
        second(record, 30)
        both += {("turns", 6), place} <= told(record)
    assert alone >= 3 and both >= 3, (alone, both)


# Of few games a single one counts for more.
@one_day_in(7)
@pytest.mark.parametrize(("games", "most"), [(12, 1.2), pytest.param(72, 1.1, marks=pytest.mark.slow)])
def test_a_last_turn_without_its_actions_is_one_cause(games: int, most: float) -> None:
    numbers = []
    for case in test_mutations.cases()[:: 72 // games]:
        record = copy.deepcopy(case.record)
        if "result" not in record or not record["turns"][-1]["actions"]:
            continue
        record["turns"][-1]["actions"] = []
        numbers.append(len(told(record)))
    assert len(numbers) >= games // 2 and sum(numbers) / len(numbers) <= most, numbers


def test_a_search_that_is_given_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    case = test_mutations.cases()[0]
    record = copy.deepcopy(case.record)
    other_player(record, 6)
    monkeypatch.setattr(causes, "MAX_JUDGED", 10)
    rules = book(record["ruleset"])
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    found = mark_causes(rules.game, replay, rules.legal)
    assert not found.complete and [f.place for f in replay.findings if not f.follows] == [("turns", 6)]
