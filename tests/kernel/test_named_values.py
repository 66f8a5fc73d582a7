"""A flag of a thing that is not there is nothing, also where an action names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import Runner
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random
from pwtool.play.setup import build_state
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import one_day_in
from tests.kernel.packing import Packer

RULES = """game flags "Flags"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3  sharp: flag "S" }
deck cards of card = { 2 R1 2 R2S 2 B1S }
zone hand: bag of card per player
zone board: grid 3x1 of card
setup { deal hand "h": 3 each of cards to hand by chance }
turn = play | pass
action play "Play" (card: card from hand, at: cell of board) {
  let sharp_there = (top of board[at]).sharp
  rule there "Only where RULE" require RULE
  move card to board[at]
}
action pass "Pass" () { rule stuck "Only who cannot play passes" require not can play }
ending out "out" when hand is empty then stop
score hand "h" = - count hand
ranking most total, shared
"""


def cells(game: Game, legal: LegalActions, put: dict[tuple[int, int], int], interpreted: bool) -> set[tuple[int, int]]:
    """Where cards may be put on a board with these faces."""
    record = deal_at_random(game, ["a", "b"], Chance(1))
    state, _ = build_state(game, record)
    zone = game.ruleset.zones["board"].number
    for cell, face in put.items():
        state.zones[zone][0][cell] = [face]
    # In a position with unseen cards everything is interpreted.
    state.unseen = interpreted
    return {arguments[1] for arguments in legal.arguments(state, game.ruleset.actions["play"].number)}


@one_day_in(8)
@pytest.mark.parametrize(
    ("rule", "free"),
    [
        ("sharp_there == none", {(0, 0)}),
        ("sharp_there != none", {(1, 0), (2, 0)}),
        ("sharp_there", {(1, 0)}),
        ("not sharp_there", {(0, 0), (2, 0)}),
        ("sharp_there == false", {(2, 0)}),
        ("(sharp_there else true)", {(0, 0), (1, 0)}),
    ],
)
def test_engine_interpreter_and_kernel_agree(rule: str, free: set[tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    path.write_text(RULES.replace("RULE", rule), "utf-8")
    ruleset = load_ruleset(str(path), Library()).value
    assert ruleset is not None
    game = Game(ruleset)
    legal = LegalActions(game)
    faces = ruleset.components["card"].numbers
    for interpreted in (False, True):
        assert cells(game, legal, {(1, 0): faces["R2S"], (2, 0): faces["R1"]}, interpreted) == free
    instance, packer = Runner(compile_kernel(ruleset)).instance(), Packer(ruleset)
    for words in instance.play(1, 40, 2, 20):
        record = packer.unpack(words, ["a", "b"])
        assert not [f for f in replay_record(game, record, legal).findings if f.code != "PW612"]
        reply = instance.judge([packer.pack(record)])[0]
        assert reply.is_clean or reply.code == "PW612"
