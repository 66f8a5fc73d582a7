"""What lies between two cells of which both are chosen: in a line or not, on square and hexagonal grids, masked or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.daily import some
from tests.kernel.judging import bench, dumped, judged, of_text

RULES = """game lines "Lines"
players 2..2
component stone { side: white "W" | black "B"  owner: player by side { white: 1 black: 2 } }
deck stones of stone = { 40 W 40 B }
zone board: GRID of stone
zone bowl: pile of stone per player
zone gone: bag of stone
setup deal bowl "Stones": all of stones to bowl by owner
turn = place | take
action place "Place" (at: cell of board) {
  rule free "Free" require board[at] is empty
  move top of bowl to board[at]
}
action take "Take" (at: cell of board, to: cell of board) {
  rule there "There" require board[at] is not empty
  rule clear "None of the other in between" require no c in cells between at and to: (top of board[c]).owner == player after player
  rule mine "None of one's own on the way back" require count (c in cells between to and at: (top of board[c]).owner == player) == 0
  move board[at] to gone
}
ending all_gone "All are gone" when count gone == 80 then stop
score taken "Taken" = count gone
ranking most total, shared
"""
MASK = "grid [ # # # # # # / # # . # # # / # # # # # # / . # # # # # / # # # # . # / # # # # # # ]"
GRIDS = {
    "square": "grid 8x8",
    "oblong": "grid 9x4",
    "hexagonal": "hex grid 6x6",
    "small": "hex grid 4x3",
    "masked": MASK,
}


@pytest.mark.parametrize("grid", some([*GRIDS], 1))
def test_kernel_and_engine_see_the_same_cells_between_two(grid: str, tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    path.write_text(RULES.replace("GRID", GRIDS[grid]), "utf-8")
    here, rng = bench(str(path)), random.Random(grid)
    zone = here.ruleset.zones["board"].grid
    cells = [(x, y) for y in range(zone.height) for x in range(zone.width) if zone.has((x, y))]
    texts = []
    for _ in range(600):
        filled = rng.sample(cells, len(cells) // 4)
        turns = [{"player": "ab"[n % 2], "actions": [{"action": "place", "at": cell}]} for n, cell in enumerate(filled)]
        take = {"action": "take", "at": filled[0], "to": rng.choice(cells)}
        turns.append({"player": "ab"[len(filled) % 2], "actions": [take]})
        texts.append(dumped({"format": "pwtool/1", "players": ["a", "b"], "setup": {}, "turns": turns}))
    said, right = judged(here, texts), [of_text(here, text) for text in texts]
    assert said == right
    assert {"take.clear", "take.mine", ""} == {verdict.rule for verdict in right}
