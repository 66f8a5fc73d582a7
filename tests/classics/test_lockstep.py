"""Every classic that OpenSpiel has, beside OpenSpiel: by the public interface, and many games by kernels."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.text.data import data_folder
from tests.classics.lockstep import Disagreement, Match, play
from tests.classics.matches import MATCHES
from tests.classics.mutants import MUTANTS
from tests.classics.tables import ByInterface, ByKernel, Compiled
from tests.support import book, few_or_many

pyspiel = pytest.importorskip("pyspiel")

GAMES = [pytest.param(match, id=match.address) for match in MATCHES]
BASES = [pytest.param(match, id=name) for name, match in {m.address.partition("+")[0]: m for m in MATCHES}.items()]


@cache
def spiel(name: str) -> Any:
    return pyspiel.load_game(name)


def seats(match: Match) -> list[str]:
    return [f"P{seat + 1}" for seat in range(spiel(match.spiel).num_players())]


@pytest.mark.parametrize("match", GAMES)
def test_the_interface_plays_as_open_spiel_does(match: Match) -> None:
    names, rules = seats(match), pwtool.load(match.address)
    for seed in range(max(1, match.few // 10)):
        table = ByInterface(rules, len(names), seed)
        assert play(match, table, names, spiel(match.spiel).new_initial_state(), random.Random(seed)) > 0


@pytest.mark.parametrize("games", few_or_many(0, 1000))
@pytest.mark.parametrize("match", GAMES)
def test_kernels_play_as_open_spiel_does(match: Match, games: int) -> None:
    names, compiled = seats(match), Compiled(book(match.address))
    for seed in range(games or match.few):
        table = ByKernel(compiled, len(names), seed)
        assert play(match, table, names, spiel(match.spiel).new_initial_state(), random.Random(seed)) > 0


@pytest.mark.parametrize("match", BASES)
def test_mutants_are_noticed(match: Match, tmp_path: Path) -> None:
    name, plus, variant = match.address.partition("+")
    text = (data_folder("rulesets") / "classics" / name / "game.rules").read_text("utf-8").split("# ---- examples")[0]
    assert len(MUTANTS[name]) >= 3
    for number, (old, new) in enumerate(MUTANTS[name]):
        found = re.findall(r"\s+".join(map(re.escape, old.split())), text)
        assert len(found) == 1, old
        path = tmp_path / f"mutant_{number}.rules"
        path.write_text(text.replace(found[0], new), "utf-8")
        mutant = Compiled(book(f"{path}{plus}{variant}"))
        with pytest.raises(Disagreement):
            for seed in range(400):
                table = ByKernel(mutant, len(seats(match)), seed)
                play(match, table, seats(match), spiel(match.spiel).new_initial_state(), random.Random(seed))
