"""Games played at random in a kernel are those that the engine plays from the same seeds, and legal throughout."""

from __future__ import annotations

from array import array

import pytest

from pwtool.kernel.run import BLOCK, CLEAN, MAX_SEED, NOT_MINE
from pwtool.kernel.wasm.chance import FAILED
from pwtool.play.chance import Chance
from pwtool.play.selfplay import NoSetup, deal_at_random
from tests.daily import one_day_in, some
from tests.kernel.judging import bench, by_engine, engine_game, labels, names, plays, verdicts

EVERY_TABLE = pytest.mark.parametrize(("address", "players"), some(plays(), 7), ids=labels(plays()))
SEEDS = (0, 1, 2**31, 2**32 + 5, MAX_SEED // 2, MAX_SEED - 1)


def check_seed(address: str, players: int, seed: int, most: int = 400) -> bool:
    """One game by both; whether it came to its end."""
    here = bench(address)
    (played,) = here.instance.play(seed, 1, players, most)
    record = engine_game(address, players, seed, most)
    assert played == here.packer.pack(record), seed
    (said,) = verdicts(here, here.instance.judge([played]))
    assert said == by_engine(here, here.packer.unpack(played, names(players))), seed
    # Only a game that came to a standstill or was cut short is not over, and only a standstill is refused.
    assert said.verdict == CLEAN or said.code == "PW612", said
    assert said.over or said.verdict != CLEAN or len(record.turns) == most
    return said.over


@one_day_in(8)
@EVERY_TABLE
def test_the_same_seed_gives_the_same_game(address: str, players: int) -> None:
    ended = [check_seed(address, players, seed) for seed in (3, 4)]
    check_seed(address, players, 5, most=6)
    assert any(ended)


@pytest.mark.slow
@EVERY_TABLE
def test_many_seeds_give_the_same_games(address: str, players: int) -> None:
    ended = [check_seed(address, players, seed) for seed in (*SEEDS, *range(200, 250))]
    ended += [check_seed(address, players, seed, most=seed % 30) for seed in range(300, 320)]
    assert sum(ended) > 30


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_is_taken(seed: int) -> None:
    check_seed("pierre_papier_morpion", 2, seed)


@pytest.mark.parametrize(("address", "players"), [("paper_world/gamepark", 3), ("pierre_papier_morpion", 2)])
def test_many_games_at_once_are_those_of_one_seed_after_the_other(address: str, players: int) -> None:
    here = bench(address)
    alone: list[array[int]] = [game for seed in range(50, 70) for game in here.instance.play(seed, 1, players, 400)]
    assert list(here.instance.play(50, 20, players, 400)) == alone
    assert list(here.runner.instance().play(50, 20, players, 400)) == alone
    # The seeds go round.
    first, second = here.instance.play(MAX_SEED - 1, 2, players, 400)
    assert [first] == list(here.instance.play(-1, 1, players, 400))
    assert [second] == list(here.instance.play(0, 1, players, 400))


def test_no_more_memory_is_read_than_twice_what_games_take(monkeypatch: pytest.MonkeyPatch) -> None:
    here = bench("tic_tac_toe")
    alone = [game for seed in range(700) for game in here.instance.play(seed, 1, 2, 400)]
    sizes: list[int] = []
    read = here.instance._machine.read
    monkeypatch.setattr(here.instance._machine, "read", lambda start, size: sizes.append(size) or read(start, size))
    assert list(here.instance.play(0, 700, 2, 400)) == alone
    assert BLOCK < sum(sizes) <= 2 * sum(4 * len(game) for game in alone)


@pytest.mark.parametrize(("address", "players"), some(plays(), 4), ids=labels(plays()))
def test_what_the_kernel_plays_is_clean_in_the_engine(address: str, players: int) -> None:
    """Many games of kernels, judged by kernels; a few of them by the engine."""
    here = bench(address)
    played = list(here.instance.play(1000, 60, players, 400))
    for number, said in enumerate(verdicts(here, here.instance.judge(played))):
        assert said.verdict in (CLEAN, NOT_MINE) or said.code == "PW612"
        if number % 20 == 0 or said.verdict == NOT_MINE:
            theirs = by_engine(here, here.packer.unpack(played[number], names(players)))
            # Where nobody can go on, the engine looks whether the last turn could have.
            assert said == theirs if said.verdict != NOT_MINE else theirs.code == "PW612"


def test_a_number_of_players_that_the_rules_do_not_allow_is_told() -> None:
    here = bench("paper_world")
    assert list(here.instance.play(1, 2, 1, 10)) == [array("i", [FAILED])] * 2
    with pytest.raises(NoSetup):
        deal_at_random(here.rules.game, names(1), Chance(1))
