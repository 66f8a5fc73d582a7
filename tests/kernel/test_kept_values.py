"""Variables of every kind: the engine and the kernel play and judge alike, records keep all of it, unseen cards never claim
too much, and the reference interpreter agrees with compiled functions about every position.
"""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest

from pwtool.play.replay import replay_record
from pwtool.records.encoding import encode_record
from tests.kernel.judging import bench, engine_game, played_alike

LEDGER = str(Path(__file__).parent / "rules" / "ledger" / "game.rules")
SEEDS = [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)]


def hidden(part: Any, rng: random.Random) -> None:
    """Make some cards of a recorded setup unseen, in place."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(value, str):
            part[key] = "?" if rng.random() < 0.4 else value
        else:
            hidden(value, rng)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("players", [2, 3])
def test_engine_and_kernel_play_and_judge_alike(players: int, seeds: range) -> None:
    over = sum(played_alike(LEDGER, players, seed, 200).over for seed in seeds)
    assert over > len(seeds) // 2


@pytest.mark.parametrize("seeds", SEEDS)
def test_unseen_cards_leave_open_and_never_refuse_what_was_played(seeds: range) -> None:
    here = bench(LEDGER)
    for seed in seeds:
        data = encode_record(here.rules.game, engine_game(LEDGER, 3, seed, 200))
        unseen = copy.deepcopy(data)
        hidden(unseen["setup"], random.Random(seed))
        found = replay_record(here.rules.game, here.rules.decoder.record(unseen), here.rules.legal).findings
        assert {f.code for f in found} <= {"PW611"}, seed


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_interpreter_agrees_with_functions_in_every_position(seeds: range) -> None:
    here = bench(LEDGER)
    game = here.rules.game
    compared = 0

    def compare(play: Any, turn: int, action: int | None) -> None:
        nonlocal compared
        state = play.state.copy()
        for player in range(state.players):
            state.player = player
            for fast, careful in zip(game.fast.scores, game.careful.scores, strict=True):
                assert fast(state, game.locals()) == careful(state, game.locals())
            for ending, fast in zip(game.ruleset.endings, game.fast.endings, strict=True):
                value = game.interpreter.evaluate(ending.condition, state, game.locals())
                assert bool(value) == bool(fast(state, game.locals()))
            for one, other in zip(game.fast.actions, game.careful.actions, strict=True):
                for arguments in list(play.legal.arguments(state, one.model.number))[:3]:
                    ends = []
                    for runner in (one, other):
                        after = state.copy()
                        e = runner.bind(arguments)
                        runner.compute(after, e)
                        assert runner.overflow(after, e) is None
                        runner.apply(after, e)
                        ends.append((after.variables, after.zones))
                        compared += 1
                    assert ends[0] == ends[1]

    for seed in seeds:
        record = engine_game(LEDGER, 2 + seed % 2, seed, 200)
        replay_record(game, record, here.rules.legal, compare)
    assert compared > 100
