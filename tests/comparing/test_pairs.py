"""Random pairs of rulesets: what is called the same, games judge alike.

The pairs are others in each run. `PWTOOL_PAIRS` is the seed, which is printed: with it the same pairs come again.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from pwtool.comparing.evidence import GAMES, play_both
from pwtool.comparing.items import expressions
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.text.comparing import exit_code
from tests.comparing.pairs import random_pair
from tests.daily import one_day_in, times

SEED = int(os.environ.get("PWTOOL_PAIRS") or random.randrange(10**9))
PARTS = 4
PAIRS = 10
"""How many pairs that are called the same each part plays."""
LOCKSTEP = 10_000
"""The number of games for each of them."""
SAME = 0


def one_way(rows: list[Row], *books: Rulebook) -> int | None:
    """The ruleset (0 or 1) whose games the other one accepts, according to all rows together; None if none is named so. What asks
    about actions may allow more because a rule allows less.
    """
    real = [r for r in rows if r.nature in ("semantic", "material", "setup", "position")]
    directions = {r.direction if r.kind in ("rule", "turn", "action") and r.status != "undecided" else "" for r in real}
    asked = any(isinstance(p, ir.Can | ir.After) for b in books for x in expressions(b.game.ruleset) for p in walk(x))
    if asked or len(directions) != 1:
        return None
    return {"permissive": 0, "stricter": 1}.get(directions.pop())


def judge(seed: int, games: int) -> tuple[str, str]:
    """How a pair is called, and what of that games contradict."""
    pair = random_pair(seed)
    if pair is None:
        return "no ruleset", ""
    name, words, first, second = pair
    rows, back = compare_rulesets(first.game, second.game), compare_rulesets(second.game, first.game)
    told = f"{seed}: {name}, {words}: {[(r.kind, r.name, r.status, r.direction, r.proof) for r in rows]}"
    code = exit_code(rows)
    if code != exit_code(back):
        return "uneven", told
    way = one_way(rows, first, second)
    if code != SAME and way is None:
        return "other", ""
    models = first.game.ruleset, second.game.ruleset
    counts = min(r.max_players for r in models) - max(r.min_players for r in models) + 1
    found = play_both(first, second, rows, games / (2 * GAMES * max(counts, 1)))
    if found.why:
        return "not played", ""
    wrong = [record for under, record in found.differ if code == SAME or under == way]
    return ("same" if code == SAME else "one way"), (told if wrong else "")


def judged(start: int, same: int, games: int) -> Counter[str]:
    """How many pairs were called what, until so many were called the same; fails at the first one that a game contradicts."""
    told: Counter[str] = Counter()
    seed = start
    while told["same"] < same:
        called, wrong = judge(seed, games)
        assert not wrong, wrong
        told[called] += 1
        seed += 1
    return told


@one_day_in(8)
def test_some_pairs_that_are_called_the_same_are_played_the_same() -> None:
    pytest.importorskip("wasmtime")
    pairs = times(2, 4)
    assert judged(0, pairs, 200)["same"] == pairs


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_called_the_same_is_played_the_same(part: int) -> None:
    pytest.importorskip("wasmtime")
    print(f"PWTOOL_PAIRS={SEED}")
    print(judged(SEED + part * 10**6, PAIRS, LOCKSTEP))
