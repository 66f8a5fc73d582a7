"""Who may act at the first ply after a record, where the order of play says it by an expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.classics.tables import ByInterface, ByKernel, Compiled
from tests.daily import one_day_in
from tests.support import book

GAME = """game g "G"
players 2..3
component stone { }
supply bowl "Bowl": 20 of stone
zone heap: pile of stone
ORDER
var last_one: player per game
action take "Take" () {
  move top of bowl to heap
}
action MORE "More" (n: 1..3) { last_one = player }
ending empty "Empty" when bowl is empty then stop
score heap "Heap" = count heap
ranking most total
"""
ORDERS = {
    "the next player": "turn = give by (player after player) take",
    "the one before": "turn = give by (last q in players: player after q == player) take",
    "brackets": "turn = (give take) by (player after player) take",
    "anytime": "turn = take anytime shout by (player after player)",
}


@one_day_in(8)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("players", [2, 3])
def test_they_are_those_of_the_engine(order: str, players: int, tmp_path: Path) -> None:
    path = tmp_path / "g.rules"
    more = "shout" if order == "anytime" else "give"
    path.write_text(GAME.replace("ORDER", ORDERS[order]).replace("MORE", more), "utf-8")
    compiled = Compiled(book(str(path)))
    engine, kernel = ByInterface(compiled.rules, players, 1), ByKernel(compiled, players, 1)
    for _ in range(5):
        told = [[(o.name, o.player, o.arguments) for o in table.options] for table in (engine, kernel)]
        assert told[0] == told[1]
        chosen = len(told[0]) - 1
        for table in (engine, kernel):
            table.play(table.options[chosen])
