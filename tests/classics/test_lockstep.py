"""Every classic that OpenSpiel has, beside OpenSpiel: by the public interface, and many games by kernels."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.text.data import data_folder
from tests import daily
from tests.classics.lockstep import Disagreement, Match, play
from tests.classics.matches import MATCHES
from tests.classics.mutants import MUTANTS
from tests.classics.tables import ByInterface, ByKernel, Compiled
from tests.daily import one_day_in, some
from tests.support import book

pyspiel = pytest.importorskip("pyspiel")

GAMES = [pytest.param(match, id=match.address) for match in MATCHES]
BASES = {m.address.partition("+")[0]: m for m in MATCHES}
CHANGED = [pytest.param(m, n, id=f"{name}-{n}") for name, m in BASES.items() for n in range(len(MUTANTS[name]))]


@cache
def spiel(name: str) -> Any:
    return pyspiel.load_game(name)


def seats(match: Match) -> list[str]:
    return [f"P{seat + 1}" for seat in range(spiel(match.spiel).num_players())]


@pytest.mark.parametrize("match", some(GAMES, 3))
def test_the_interface_plays_as_open_spiel_does(match: Match) -> None:
    names, rules = seats(match), pwtool.load(match.address)
    for seed in range(max(1, match.few // 10)):
        table = ByInterface(rules, len(names), seed)
        assert play(match, table, names, spiel(match.spiel).new_initial_state(), random.Random(seed)) > 0


@one_day_in(4)
@pytest.mark.parametrize("match", some(GAMES, 3))
def test_kernels_play_as_open_spiel_does(match: Match) -> None:
    check_kernels(match, range(match.few))


@pytest.mark.slow
@pytest.mark.parametrize("match", GAMES)
def test_kernels_play_many_games_as_open_spiel_does(match: Match) -> None:
    start = 100 * daily.seed()
    check_kernels(match, range(start, start + 100))


def check_kernels(match: Match, games: Sequence[int]) -> None:
    names, compiled = seats(match), Compiled(book(match.address))
    for seed in games:
        table = ByKernel(compiled, len(names), seed)
        assert play(match, table, names, spiel(match.spiel).new_initial_state(), random.Random(seed)) > 0


def written(name: str) -> str:
    """The rules of a game, without its examples."""
    return (data_folder("rulesets") / "classics" / name / "game.rules").read_text("utf-8").split("# ---- examples")[0]


def places(old: str, text: str) -> list[str]:
    return re.findall(r"\s+".join(map(re.escape, old.split())), text)


@pytest.mark.parametrize("name", BASES)
def test_each_game_has_mutants(name: str) -> None:
    assert len(MUTANTS[name]) >= 3
    for old, _ in MUTANTS[name]:
        assert len(places(old, written(name))) == 1, old


@one_day_in(8)
@pytest.mark.parametrize(("match", "number"), some(CHANGED, 3))
def test_mutants_are_noticed(match: Match, number: int, tmp_path: Path) -> None:
    name, plus, variant = match.address.partition("+")
    old, new = MUTANTS[name][number]
    text = written(name)
    path = tmp_path / "mutant.rules"
    path.write_text(text.replace(places(old, text)[0], new), "utf-8")
    mutant = Compiled(book(f"{path}{plus}{variant}"))
    with pytest.raises(Disagreement):
        for seed in range(400):
            table = ByKernel(mutant, len(seats(match)), seed)
            play(match, table, seats(match), spiel(match.spiel).new_initial_state(), random.Random(seed))
