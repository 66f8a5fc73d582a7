"""Variables that begin with something."""

from __future__ import annotations

from pathlib import Path

from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

GAME = """\
game corners "Corners"
players 2..2
component card { side: left "L" | right "R"  value: 1..3 }
deck pack of card = { 3 L1  3 R2  3 L3 }
zone board: grid 3x3 of card
zone stock: pile of card
setup deal stock "All": all of pack to stock by chance
var free: cells = cells of board per game
var last_cell: cell per game
turn = go
action go "Go" (at: cell of board) {
  rule open "The cell is free" require at is in free
  rule odd "Odd" require HERE
  move top of stock to board[at]
  free += at
  last_cell = at
}
ending full "Full" when stock is empty then stop
score cards "Cards" = count board
ranking most total, shared
"""


def load(folder: Path, condition: str) -> list[str]:
    path = folder / "corners.rules"
    path.write_text(GAME.replace("HERE", condition), "utf-8")
    return [f"{d.code} {d.message}" for d in load_ruleset(str(path), Library()).diagnostics]


def test_cells_that_a_variable_begins_with_are_added_to(tmp_path: Path) -> None:
    assert load(tmp_path, "count free >= 9") == []
    book = RulesetStore(Library()).get(str(tmp_path / "corners.rules")).value
    assert book is not None
    rng = Chance(1)
    record = deal_at_random(book.game, ["Ana", "Ben"], rng)
    play = play_game(book.game, record, random_policy(rng), book.legal)
    (free,) = (play.state.variables[v.number] for v in book.game.variable_list if v.name == "free")
    assert play.over and len(free) == 18 and all(isinstance(cell, tuple) and len(cell) == 2 for cell in free)
