"""What conditions, variables and zones have to do with each other: proven where a rewording needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("z3")

from tests.comparing.test_false_proofs import Edits
from tests.comparing.test_variables_in_play import is_proven, is_shown, reworded
from tests.daily import one_day_in, some

VAULT = """game vault "Vault"
players 2..2
component coin { kind: gold "G" | iron "I" | tin "T" }
deck coins of coin = 4 all
zone mint: pile of coin
zone chest: bag of coin per player
zone tray: pile of coin
zone rest: pile of coin
zone scrap: pile of coin
setup deal mint "Minted": all of coins to mint by chance
var dial: 0..9 = 1 per game
var steps: 0..2 = 0 per game
var owed: -40..40 = 0 per player per game
var opener: player per game
var loud: 0..3 = 0 per game
var shouter: player per game
turn = fetch | turn_dial | pay | sort
anytime shout by any
action fetch "Two coins" () {
  rule two "Two are left" require count mint >= 2
  move 2 of mint to tray
}
action turn_dial "Turn the dial" (n: 1..4) {
  steps = if n == dial then (if steps < 2 then steps + 1 else 2) else 0
  dial = if n == dial then (if dial == 1 then 4 else (if dial == 4 then 2 else 1)) else dial
  opener = player when steps == 2
}
action pay "Pay" () {
  rule some "There is a coin" require tray is not empty
  move top of tray to chest
  owed[player] -= 1
  owed[player after player] += 1
}
action sort "Iron goes away" () {
  let bad = first c in chest: c.kind == iron
  rule some "There is one" require bad != none
  move bad to rest
}
action shout "Shout" () {
  rule few "Not often" require loud < 2
  shouter = player
  loud += 1
}
consequence recast "Iron is cast again" () {
  rule three "Three are there" require count rest >= 3
  move top of rest to scrap
  move top of rest to tray
}
ending open "The vault is open" when opener != none then stop
ending empty "Nothing is left" when mint is empty and tray is empty then stop
ending again "It is as before" when repeats of { dial, mint, tray } >= 3 then stop
score coins "Coins" = count (c in chest: c.kind == gold) - count (c in chest: c.kind == tin)
score owed "Owed" = owed
score loud "Who shouted" = if shouter == player then 1 else 0
score open "Opened" = if opener == player then 5 else 0
ranking most total, shared
"""
SAME: tuple[Edits, ...] = (
    (("when opener != none then", "when steps == 2 then"),),
    (("if opener == player then", "if steps == 2 and opener == player then"),),
    (("if shouter == player then", "if loud > 0 and shouter == player then"),),
    (("n == dial then (if steps", "n == dial and n != 3 then (if steps"),),
    (("count mint >= 2", "count mint >= 1"),),
    (("= owed\n", "= - sum (q in players where q != player: owed[q])\n"),),
    (("require bad != none", "require some c in chest: c.kind == iron"),),
    (("require loud < 2", "require loud < 2 and (shouter != none or loud == 0)"),),
    (("loud: 0..3", "loud: 0..2"),),
    (("move top of rest to tray", "move top of rest to tray when count rest >= 2"),),
    (("require count rest >= 3", "require count rest > 2 and rest is not empty"),
     ("move top of rest to scrap", "move top of rest to scrap when count rest != 1")),
)  # fmt: skip
OTHER: tuple[Edits, ...] = (
    (("when opener != none then", "when steps == 1 then"),),
    (("if opener == player then", "if steps == 1 and opener == player then"),),
    (("if shouter == player then", "if loud > 2 and shouter == player then"),),
    (("n == dial then (if steps", "n == dial and n != 4 then (if steps"),),
    (("count mint >= 2", "count mint >= 3"),),
    (("= owed\n", "= sum (q in players where q != player: owed[q])\n"),),
    (("require bad != none", "require some c in chest: c.kind == tin"),),
    (("require loud < 2", "require loud < 2 and (shouter != none or loud == 1)"),),
    (("move 2 of mint", "move 3 of mint"),),
    (("repeats of { dial, mint", "repeats of { mint"),),
    (("move top of rest to tray", "move top of rest to tray when count rest >= 3"),),
    (("move top of rest to scrap\n  move top of rest to tray", "move 2 of rest to tray"),),
)


@one_day_in(8)
@pytest.mark.parametrize("edits", some([pytest.param(e) for e in SAME], 1), ids=lambda edits: edits[0][1][:30])
def test_what_follows_from_something_else_is_proven(edits: Edits, tmp_path: Path) -> None:
    pair = reworded(VAULT, edits, tmp_path)
    assert is_proven(*pair) and not is_shown(*pair)


@one_day_in(8)
@pytest.mark.parametrize("edits", some([pytest.param(e) for e in OTHER], 2), ids=lambda edits: edits[0][1][:30])
def test_what_does_not_follow_is_not(edits: Edits, tmp_path: Path) -> None:
    pair = reworded(VAULT, edits, tmp_path)
    assert not is_proven(*pair) and is_shown(*pair)


CELLS = """game grid_order "Grid order"
players 2..2
component card { kind: ash "A" | elm "B" | oak "C" }
deck cards of card = 4 all
zone board: grid 3x2 of card
zone left: pile of card
zone right: pile of card
setup {
  deal left "Left": 6 each of cards to left by chance
  deal right "Right": rest of cards to right by chance
}
var points: 0..20 = 0 per player
action lay "Lay" () {
  rule free "Free" require board[(1, 1) of board] is empty and board[(2, 1) of board] is empty and left is not empty and right is not empty
  move top of left to board[(1, 1) of board]
  move top of right to board[(2, 1) of board]
}
action pick "Pick" () {
  let a = first c in tops of board: c.kind != oak
  rule some "There is one" require a != none
  points[player] += 1 when a.kind == ash
}
action clear "Clear" () {
  rule some "One" require board[(1, 1) of board] is not empty
  move top of board[(1, 1) of board] to left
  move top of board[(2, 1) of board] to right
}
turn = lay | pick | clear
ending end "End" when some q in players: points[q] >= 3 then stop
score hand "H" = points
ranking most total, shared
"""


@one_day_in(8)
def test_cells_that_come_into_use_in_another_order_are_not_alike(tmp_path: Path) -> None:
    """The first of the cells in use is asked for."""
    left, right = "top of left to board[(1, 1) of board]", "top of right to board[(2, 1) of board]"
    edits = ((f"move {left}\n  move {right}", f"move {right}\n  move {left}"),)
    pair = reworded(CELLS, edits, tmp_path)
    assert not is_proven(*pair) and is_shown(*pair)
