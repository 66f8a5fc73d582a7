"""Objectives on boards about which nothing can be proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.rows import compare_rulesets
from tests.comparing.test_houses import loaded

GAME = """game g "G"
players 2..2
component card {{ color: red "R" | blue "B"  value: 1..3 }}
deck cards of card = {{ 3 R1 3 B1 }}
zone hand: bag of card per player
zone board: {board} of card
setup {{
  choose goals "O": 1 of objective
  deal hand "H": 2 each of cards to hand by chance
}}
turn = put_it
action put_it "Put" (card: card from hand, at: cell of board) {{ move card to board[at] }}
objective p "P" = {condition}
ending out "Out" when every q in players: hand[q] is empty then stop
score prizes "Prizes" = count (g in goals: board fulfils g)
ranking most total
"""


@pytest.mark.parametrize("board", ["grid [ # # / # . ]", "hex grid 2x2"])
@pytest.mark.parametrize("other", ["some pile: height == 2", "at least 1 card: color == red", "count card == 3"])
def test_objectives_that_differ_are_told_without_a_proof(
    board: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [GAME.format(board=board, condition=c) for c in ("at least 2 card: color == red", other)]
    first, second = (loaded(tmp_path / f"{n}.rules", text) for n, text in enumerate(texts))
    (row,) = compare_rulesets(first.game, second.game)
    assert (row.kind, row.name) == ("objective", "p") and row.status in ("undecided", "different")
    for one, two in ((0, 1), (1, 0)):
        assert run(["compare", str(tmp_path / f"{one}.rules"), str(tmp_path / f"{two}.rules")]) in (1, 3)
        assert "PW901" not in capsys.readouterr().err
