"""Cells of a floating grid that lie apart from what is there: judging, listing, `can` and random play agree on them."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool

RULES = """game apart "Apart"
players 1..1
component card { color: y "Y" | g "G" }
deck main of card = { 4 Y }
zone hand: bag of card per player
zone row: floating grid WIDTHxHEIGHT of card
var n: 0..9 = 0 per game
setup {
  deal row "r": 1 each of main to row at 0, 0 by choice
  deal hand "h": rest of main to hand
}
turn = far | stuck
action far "Far" (card: card from hand, at: cell of row) {
  rule empty "An empty cell" require row[at] is empty
  rule fit "Within the size" require row with at fits WIDTHxHEIGHT
  rule apart "Not beside another" require no k in neighbours of at: row[k] is not empty
  move card to row[at]
  n += 1
}
action stuck "Stuck" () { rule no "Only who cannot play far" require not can far  n += 1 }
ending out "Out" when n == 2 then stop
score count "Cards" = count row
ranking most total, shared
"""


@pytest.mark.parametrize(("width", "height"), [(3, 1), (1, 4), (4, 2), (2, 2)])
def test_legal_is_what_is_judged_legal(width: int, height: int, tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    path.write_text(RULES.replace("WIDTH", str(width)).replace("HEIGHT", str(height)), "utf-8")
    rules = pwtool.load(str(path))
    record = {**rules.play(["A"], seed=1, max_turns=1), "turns": []}
    record.pop("result", None)

    def fine(action: dict[str, object]) -> bool:
        return rules.check({**record, "turns": [{"player": "A", "actions": [action]}]}).clean

    box = [(x, y) for y in range(-height, height + 1) for x in range(-width, width + 1)]
    far = {cell for cell in box if fine({"action": "far", "card": "Y", "at": list(cell)})}
    legal = rules.replay({**record, "turns": []}).at(1).legal()
    assert {tuple(a.arguments["at"]) for a in legal if a.name == "far"} == far
    assert fine({"action": "stuck"}) == (not far) == any(a.name == "stuck" for a in legal)
    games = list(rules.play_many(24, 1, seed=3))
    assert games == [rules.play(1, seed=3 + n) for n in range(24)]
    assert all(rules.check(game).clean for game in games)
    assert bool(far) == (len({str(game["turns"]) for game in games}) > 1)


def test_games_without_score_lines_are_the_same_by_kernel_and_engine(tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    lines = [line for line in RULES.splitlines() if not line.startswith(("score", "ranking"))]
    path.write_text("\n".join(lines).replace("WIDTH", "3").replace("HEIGHT", "1"), "utf-8")
    rules = pwtool.load(str(path))
    games = list(rules.play_many(24, 1, seed=3))
    assert games == [rules.play(1, seed=3 + n) for n in range(24)]
