"""Every small change of a ruleset: what is called the same is never refuted by a game, and nothing crashes."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from pwtool.comparing.evidence import play_both, weigh_rows
from pwtool.comparing.rows import compare_rulesets
from pwtool.show.text.comparing import exit_code
from tests import daily
from tests.comparing.mutants import built, mutants
from tests.daily import one_day_in, some
from tests.support import book

HERE = Path(__file__).resolve().parents[1] / "rulesets"
RULESETS = (
    "paper_world/en",
    "paper_world/gamepark+advanced",
    "paper_world/de",
    "pierre_papier_morpion/fr+bonus+binoculars",
    str(HERE / "gulls" / "game.rules"),
    str(HERE / "harbour" / "game.rules"),
    str(HERE.parent / "kernel" / "rules" / "sweep" / "game.rules"),
)
PARTS, AT_ONCE = 8, 1
"""The parts of all changes, and how many of them a full run judges; the next run judges the next ones."""
APART = 150
"""One change in so many is judged on a day, the next ones on the next."""
SAME, UNDECIDED = 0, 3


def judge(address: str, step: int, start: int, effort: float) -> Counter[int]:
    """How many changes were called what; each that is called the same is played."""
    base = book(address)
    every = list(mutants(base.game.ruleset))
    # The same order wherever the folder lies.
    random.Random(f"{Path(address).parent.name} 1").shuffle(every)
    start %= len(every)
    told: Counter[int] = Counter()
    for at, (key, new) in enumerate((*every[start:], *every[:start])):
        # The first of each step that can be built.
        other = built(base.game.ruleset, key, new) if at // step >= told.total() else None
        if other is None:
            continue
        rows = compare_rulesets(base.game, other.game)
        back = compare_rulesets(other.game, base.game)
        assert exit_code(rows) == exit_code(back), key
        if exit_code(rows) == SAME:
            found = play_both(base, other, rows, effort)
            assert not found.differ, (key, found.differ[0])
        else:
            rows, _ = weigh_rows(base, other, rows, effort=0.1) if told[UNDECIDED] < 3 else (rows, None)
        told[exit_code(rows)] += 1
    return told


@one_day_in(8)
@pytest.mark.parametrize("address", some([*RULESETS], 1))
def test_some_changes_are_judged_rightly(address: str) -> None:
    assert judge(address, APART, daily.seed() % APART, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(AT_ONCE))
@pytest.mark.parametrize("address", RULESETS)
def test_no_change_is_wrongly_called_the_same(address: str, number: int) -> None:
    told = judge(address, PARTS, (daily.seed() * AT_ONCE + number) % PARTS, 4)
    assert told[SAME] and told[1] and told[UNDECIDED] <= told.total() / 8
