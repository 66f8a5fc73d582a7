"""What was there before: held against the same game written in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtool.comparing.rows import compare_rulesets
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from tests.rules.test_ahead import written
from tests.rules.test_constructs import loaded
from tests.support import book

KO = Path(__file__).resolve().parents[1] / "kernel" / "rules" / "ko" / "game.rules"
CELLS = [(x, y) for y in range(2) for x in range(3)]
Board = dict[tuple[int, int], int]


def after(board: Board, at: tuple[int, int], player: int) -> Board:
    """The board after a stone of a player is put down."""
    board = {**board, at: player}
    for owner in (1 - player, player):
        for cell in CELLS:
            beside = [c for c in CELLS if abs(c[0] - cell[0]) + abs(c[1] - cell[1]) == 1]
            # What is taken on the way gives room to what is looked at behind it.
            if board.get(cell) == owner and all(board.get(c) == 1 - owner for c in beside):
                del board[cell]
    return board


def owners(play: Play, zone: str) -> Board:
    ruleset = play.game.ruleset
    table = ruleset.components["stone"].attributes["owner"].table
    return {c: table[p[-1]] for c, p in play.state.zones[ruleset.zones[zone].number][0].items()}


@pytest.mark.parametrize("seed", range(10))
def test_what_was_there_before_is_what_the_same_game_in_python_says(seed: int) -> None:
    rules = book(str(KO))
    rng = Chance(seed)
    record = deal_at_random(rules.game, ["a", "b"], rng)
    play_game(rules.game, record, random_policy(rng), rules.legal, 60, rng)
    boards: list[Board] = []
    thrice: list[Any] = []
    names = [a.name for a in rules.game.ruleset.actions.values()]

    def observe(play: Play, turn: int, action: int | None) -> None:
        board = owners(play, "board")
        if not boards:
            boards.append(board)
            thrice.append((board, owners(play, "ring"), 1))
        if action is not None:
            found = {a[0] for n, _, a in play.legal_actions() if names[n] == "put"}
            free = [c for c in CELLS if c not in board]
            then = {c: after(board, c, play.owner) for c in free}
            assert found == {c for c in free if c in then[c] and then[c] not in boards}, (turn, board)
            return
        boards.append(board)
        thrice.append((board, owners(play, "ring"), play.owner))
        third = thrice.count(thrice[-1]) >= 3
        assert (play.trigger is not None and play.trigger[0] == 0) == third

    assert not [f for f in replay_record(rules.game, record, rules.legal, observe).findings if f.code != "PW612"]


CHANGES = "n = 1 - n move top of stock to hand when not (stock is empty)"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("repeats of { heap, stock } > 1", "repeats of { stock, heap } >= 2", True),
        ("repeats of { heap, stock } > 1", "repeats of heap > 1", False),
        ("repeats of { heap, player } > 1", "repeats of heap > 1", False),
        ("repeats of { heap, n } > 1", "repeats of heap > 1", False),
    ],
)
def test_what_differs_is_never_called_the_same(first: str, second: str, same: bool, tmp_path: Path) -> None:
    games = []
    for name, asked in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        games.append(loaded(tmp_path / name, written(END=asked, OTHER=CHANGES)))
    assert all(row.nature == "wording" for row in compare_rulesets(*games)) == same
