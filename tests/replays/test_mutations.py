"""Every kind of damage to a clean recorded game is caught at its action, under the right rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from pwtool.engine.repair import mark_followers
from pwtool.engine.replay import replay_record
from tests.replays.damage import KINDS, Case, Damaged, prepare
from tests.support import book, full_record, raw_games

# How many of the 72 games must offer a place for a kind; the rare ones need a situation that few games have.
LEAST = {
    "second_skip": 2,
    "build_on_the_blocked_pile": 15,
    "claim_twice": 20,
    "claim_too_high": 10,
    "claim_missing": 20,
    "gap_of_two": 20,
}
USUAL = 25


@cache
def cases() -> list[Case]:
    found = [prepare(name, full_record(raw)) for name, raw in raw_games("base", "advanced")]
    assert len(found) == 72
    return found


@pytest.mark.parametrize("kind", KINDS, ids=[k.__name__ for k in KINDS])
def test_damage_is_caught_at_its_action_under_its_rule(kind: Callable[[Case, random.Random], Damaged | None]) -> None:
    caught = 0
    for case in cases():
        damaged = kind(case, random.Random(case.name))
        if damaged is None:
            continue
        record, code, rule, place = damaged
        rules = book(record["ruleset"])
        replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
        mark_followers(rules.game, replay, rules.legal)
        where = f"{case.name}: {[(f.code, f.rule, f.path) for f in replay.findings[:5]]}"
        first = replay.findings[0]
        assert first.path[: len(place)] == place, where
        here = [(f.code, f.rule) for f in replay.findings if f.path[: len(place)] == place and not f.follows]
        assert (code, rule) in here, where
        assert not first.follows, where
        exact(here, code, rule, where)
        caught += 1
    assert caught >= LEAST.get(kind.__name__, USUAL), caught


def exact(here: list[tuple[str, str | None]], code: str | None, rule: str, where: str) -> None:
    """Nothing else is reported of the damaged action itself, but what is the same thing said twice."""
    # An empty take of a value that nobody shows breaks no other rule; a turn of another player's may break any.
    if code in ("PW601", "PW602") and rule.partition(".")[0] in ("take", "place", "grab", "trim"):
        assert {r for _, r in here} == {rule}, where


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 22


def test_every_rule_of_the_edition_is_broken_by_some_kind() -> None:
    broken: set[Any] = set()
    for kind in KINDS:
        for case in cases():
            damaged = kind(case, random.Random(case.name))
            if damaged:
                broken.add(damaged[2])
                break
    game = book("paper_world/gamepark").game
    rules = {r.id for a in (*game.ruleset.actions.values(), *game.ruleset.consequences.values()) for r in a.rules}
    # No recorded game has a place where a token ran out while somebody still fulfils its objective and claims it.
    assert rules - broken <= {"claim.left"}
