"""Numbers of legal sequences of actions, depth by depth: a change of the rules' meaning anywhere changes them.

Tic-tac-toe's are known from theory (9, 72, 504, ... and 255,168 games in all), Connect Four's first six are the powers
of seven.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.selfplay import deal_at_random
from pwtool.play.setup import build_state
from tests.daily import one_day_in, some
from tests.games.counting import count_sequences
from tests.support import book

TIC_TAC_TOE = "rulesets/classics/tic_tac_toe/game.rules"
CONNECT_FOUR = "rulesets/classics/connect_four/game.rules"


SETUPS = json.loads((Path(__file__).parent / "data" / "setups.json").read_text("utf-8"))


def start(address: str, players: int = 2) -> Play:
    """The first position of a game; where its setup decides, of one that is kept beside this file."""
    rules = book(address)
    names = [f"P{i}" for i in range(1, players + 1)]
    setup = SETUPS.get(f"{address} {players}")
    if setup is None:
        record = deal_at_random(rules.game, names, Chance(1))
    else:
        record = rules.decoder.record({"format": "pwtool/1", "players": names, "setup": setup, "turns": []})
    state, findings = build_state(rules.game, record)
    assert not findings
    return Play(rules.game, state, rules.legal)


def finished_games(play: Play) -> int:
    """How many games there are from here, each counted where it ends; every turn is one action."""
    play = play.copy()
    play.begin_turn(play.next_player())
    games = 0
    for action in play.legal_actions():
        following = play.copy()
        following.do(*action)
        following.end_turn()
        games += 1 if following.over else finished_games(following)
    return games


TIC_TAC_TOE_COUNTS = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


@one_day_in(4)
def test_tic_tac_toe() -> None:
    assert count_sequences(start(TIC_TAC_TOE), 6) == TIC_TAC_TOE_COUNTS[:6]


@pytest.mark.slow
def test_tic_tac_toe_to_the_end_of_every_game() -> None:
    play = start(TIC_TAC_TOE)
    assert count_sequences(play, 10) == [*TIC_TAC_TOE_COUNTS, 0]
    assert finished_games(play) == 255_168


def test_connect_four() -> None:
    assert count_sequences(start(CONNECT_FOUR), 5) == [7**depth for depth in range(1, 6)]


@pytest.mark.slow
def test_connect_four_deeper() -> None:
    # The seventh disc is the first that can win or find a column full.
    assert count_sequences(start(CONNECT_FOUR), 7) == [*(7**depth for depth in range(1, 7)), 823_536]


@pytest.mark.parametrize(
    ("address", "players", "counts"),
    some(
        [
            ("pierre_papier_morpion/fr", 2, [9, 45, 171, 549, 1971, 7533, 28755, 106029]),
            ("pierre_papier_morpion/fr+binoculars", 2, [27, 693, 15711, 296223]),
            ("paper_world/en", 2, [6, 38, 447, 5070]),
            ("paper_world/en", 4, [6, 35, 210, 1316]),
            ("paper_world/fr", 3, [8, 62, 464, 3940]),
            # Beside each of 6 ways to take, one of 5 piles may be shuffled: before, behind in the same turn, or in the next.
            ("paper_world/de+advanced", 2, [6 + 5, 6 * (6 + 5 + 5) + 5 * (6 + 5), 2254, 35978]),
            ("paper_world/gamepark", 2, [6, 36, 329, 3414]),
        ],
        2,
    ),
)
def test_the_games_of_the_library(address: str, players: int, counts: list[int]) -> None:
    assert count_sequences(start(address, players), len(counts)) == counts
