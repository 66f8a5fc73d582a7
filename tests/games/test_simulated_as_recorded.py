"""Random games beside the random games of another implementation, whose bot chooses what to take in another way."""

from __future__ import annotations

from statistics import mean, stdev
from typing import Any

import pytest

from pwtool.kernel import run
from pwtool.simulating.games import Played, Player
from tests.daily import one_day_in
from tests.support import book, raw_games

pytestmark = pytest.mark.skipif(not run.is_installed(), reason="kernels need wasmtime")
STUDENT = {3: 9.925, 4: 5.841}
"""For so many games how many standard errors hold the true mean in 99 of 100 cases."""
GAMES = 300
Raw = dict[str, Any]


def played(address: str, players: int) -> list[Played]:
    return [game for game in Player(book(address)).play(players, 1, GAMES) if game.over]


def recorded(folder: str, players: int, policy: str | None = None) -> list[Raw]:
    games = [raw for _, raw in raw_games(folder) if len(raw["players"]) == players]
    return [raw for raw in games if policy in (None, raw["policy"])]


def turns(raw: Raw) -> int:
    return max(int(event["turn"]) for event in raw["events"])


def placing(raw: Raw) -> int:
    """In how many turns cards were placed, not taken."""
    return turns(raw) - sum(event["event"] == "take" for event in raw["events"])


def between(values: list[int]) -> tuple[float, float]:
    away = STUDENT[len(values)] * stdev(values) / len(values) ** 0.5
    return mean(values) - away, mean(values) + away


@one_day_in(8)
@pytest.mark.parametrize(
    ("folder", "variant", "players"),
    [("base", "", 2), ("base", "", 4), ("advanced", "+advanced", 3), ("advanced", "+advanced", 4)],
)
def test_lengths_are_those_of_recorded_random_games(folder: str, variant: str, players: int) -> None:
    address = f"paper_world/gamepark{variant}"
    games, raw = played(address, players), recorded(folder, players, "random")
    take = list(book(address).game.ruleset.actions).index("take")
    low, high = between([placing(one) for one in raw])
    assert low <= mean(game.turns - game.counts[take] for game in games) <= high
    if folder == "base":
        # With the variant the other bot's games are shorter (59 turns of three players, not 67): it takes more cards at once.
        low, high = between([turns(one) for one in raw])
        assert low <= mean(game.turns for game in games) <= high
    shortest, longest = min(game.turns for game in games), max(game.turns for game in games)
    assert all(shortest <= turns(one) <= longest for one in raw)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_worth_what_they_are_in_recorded_games(players: int) -> None:
    """By all 24 games of so many players, whoever plays: what a seat wins over an even share."""
    games = played("paper_world/gamepark", players)
    raw = recorded("base", players) + recorded("advanced", players)
    assert len(raw) == 24
    for seat in range(players):
        won = [one["final"]["scores"][str(one["players"][seat])] == max(one["final"]["scores"].values()) for one in raw]
        share = mean(game.places[seat] == 0 for game in games)
        error = (share * (1 - share) * (1 / len(raw) + 1 / len(games))) ** 0.5
        assert abs(mean(won) - share) < 2.576 * error
