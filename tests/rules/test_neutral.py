"""Things that belong to nobody, things that are all alike, and narrowed cells: the same games by engine and kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.kernel.run import Runner
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in
from tests.kernel.packing import Packer
from tests.support import book

RUBBLE = """\
game rubble "Rubble"
players 2..2
component man {
  side: black "B" | white "W" | rubble "R"
  owner: player by side { black: 1  white: 2  rubble: none }
}
component seed { }
component leaf { kind: green }
deck seeds of seed = { 6 seed }
deck leaves of leaf = { 2 green }
zone board: grid 4x3 of man
zone pot: pile of seed
zone heap: bag of leaf
zone eaten: bag of seed per player
setup {
  put board "Rubble between men": [ B R W . / . B . W / R . . . ]
  deal pot "All seeds": all of seeds to pot
  deal heap "All leaves": all of leaves to heap
}
turn = eat | step
action eat "Eat" (meal: seeds from pot) {
  rule few "One or two" require count meal >= 1 and count meal <= 2
  move meal to eaten
}
action step "Step" (start: cell of board, at: cell of board) {
  rule own "Own" require (top of board[start]).owner == player
  rule free "Free" require board[at] is empty
  rule near "Near" when pot is not empty require at is in neighbours of start
  rule below "In the next row, or right of it"
    when pot is empty
    require at.row - start.row == 1 and at.column >= start.column or start.row + 1 > at.row and start.column < at.column
  rule not_far "Not far" require at.column < start.column + 2 and at.row <= start.row + 1
  move top of board[start] to board[at]
}
ending done "Done" when pot is empty and (some q in players: count eaten[q] > 4) then stop
score men "Men that belong to somebody" = count (man on board: owner == player)
score rubble "Rubble belongs to nobody" = count (man on board: owner == none)
ranking most total, shared
"""

FEW = """\
game few "A few"
players 2..3
component man {
  side: black "B" | white "W" | grey "G"
  owner: player by side { black: 1  white: 2  grey: 3 }
}
deck men of man = { 3 B 3 W 3 G }
zone pool: bag of man
zone hand: bag of man per player
setup deal pool "All men": all of men to pool by chance
turn = give | drop
action give "Give it to whom it belongs" (man: man from pool) {
  rule owned "It belongs to somebody" require man.owner != none
  rule others "Not to who acts" require man.owner != player or every m in pool: m.owner == player or m.owner == none
  move man to hand[(man.owner else player)]
}
action drop "Keep what is nobody's" (man: man from pool) {
  rule nobodys "It is nobody's" require man.owner == none
  move man to hand
}
ending done "Nothing is left" when pool is empty then stop
score men "Men" = count hand + 10 * count (man in hand where man.owner == player)
ranking most total, shared
"""


def rules(tmp_path: Path, text: str = RUBBLE) -> str:
    path = tmp_path / "game.rules"
    path.write_text(text, "utf-8")
    return str(path)


@one_day_in(4)
@pytest.mark.parametrize(("text", "players"), [(RUBBLE, 2), (FEW, 2), (FEW, 3)])
def test_engine_and_kernel_play_the_same_games(text: str, players: int, tmp_path: Path) -> None:
    found = book(rules(tmp_path, text))
    instance = Runner(found.runner().kernel).instance()
    packer = Packer(found.game.ruleset)
    for seed, words in enumerate(instance.play(0, 40, players, 60)):
        rng = Chance(seed)
        record = deal_at_random(found.game, list("abc"[:players]), rng)
        play_game(found.game, record, random_policy(rng), found.legal, 60, rng)
        assert packer.pack(record) == words


def test_what_belongs_to_nobody_is_dealt_to_nobody(tmp_path: Path) -> None:
    text = RUBBLE.replace(
        "deck seeds", "deck men of man = { B R }\nzone stock: pile of man per player\ndeck seeds"
    ).replace("setup {", 'setup {\n  deal stock "By owner": all of men to stock by owner')
    found = RulesetStore(Library()).get(rules(tmp_path, text))
    assert [d.message for d in found.diagnostics] == ["`R` belongs to nobody"]


@pytest.mark.parametrize("seat", ["0", "3"])
def test_a_seat_that_is_not_there_is_told(seat: str, tmp_path: Path) -> None:
    found = RulesetStore(Library()).get(rules(tmp_path, RUBBLE.replace("rubble: none", f"rubble: {seat}")))
    assert [d.message for d in found.diagnostics] == [f"there is no seat {seat}, players sit from 1 to 2"]
