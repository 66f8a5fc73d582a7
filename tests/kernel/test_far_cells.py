"""Cells of a floating grid that lie apart from what is there: judging, listing, `can` and random play agree on them."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool
from pwtool.ir.grids import FAR
from pwtool.kernel.run import CLEAN
from tests.daily import one_day_in, some
from tests.kernel.judging import bench, dumped, engine_game, judged, of_text, written

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


@one_day_in(8)
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


EDGE = """game edge "Edge"
players 1..1
component card { color: y "Y" | g "G" }
deck main of card = { 4 Y  4 G }
zone hand: bag of card per player
zone row: floating grid 3x3 of card
setup {
  deal row "r": 1 each of main to row at COLUMN, ROW by choice
  deal hand "h": rest of main to hand
}
turn = put
action put "Put" (card: card from hand, at: cell of row) {
  rule empty "An empty cell" require row[at] is empty
  rule fit "Within the size" require row with at fits 3x3
  rule few "Few cells beside it are empty" require count (n in neighbours of atKIND: row[n] is empty) FEW
  move card to row[at]
}
ending out "Out" when count row > 4 then stop
score count "Cards" = count row
ranking most total, shared
"""


BESIDE, DIAGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1)), ((1, 1), (-1, 1), (1, -1), (-1, -1))


@pytest.mark.parametrize("few", ["<= 2", "== 3"])
@pytest.mark.parametrize(("diagonally", "steps"), [("", BESIDE), (" diagonally", DIAGONAL)])
@pytest.mark.parametrize(("column", "row"), some([(999, -999), (-999, 999), (998, 0), (0, -999)], 1))
def test_nothing_is_beside_the_farthest_cells(
    column: int, row: int, diagonally: str, steps: tuple[tuple[int, int], ...], few: str, tmp_path: Path
) -> None:
    """What lies beyond them is no cell, for engine and kernel."""
    path = tmp_path / "game.rules"
    text = EDGE.replace("COLUMN", str(column)).replace("ROW", str(row)).replace("KIND", diagonally).replace("FEW", few)
    path.write_text(text, "utf-8")
    here = bench(str(path))
    record = written(str(path), engine_game(str(path), 1, 1, max_turns=1))
    record.pop("result", None)
    card, seen = record["setup"]["hand"]["P1"][0], set()
    for x, y in ((column + i, row + j) for i in range(-2, 3) for j in range(-2, 3)):
        if max(abs(x), abs(y)) > FAR or (x, y) == (column, row):
            continue
        around = {(x + i, y + j) for i, j in steps} - {(column, row)}
        empty = sum(max(abs(i), abs(j)) <= FAR for i, j in around)
        action = {"action": "put", "card": card, "at": [x, y]}
        game = dumped({**record, "turns": [{"player": "P1", "actions": [action]}]})
        (said,) = judged(here, [game])
        right = of_text(here, game)
        fine = empty <= 2 if few == "<= 2" else empty == 3
        # Where nobody can go on, the game is refused in its next turn.
        assert said == right and (right.verdict == CLEAN or right.code == "PW612") == fine, (x, y, said, right)
        seen.add(fine)
    assert True in seen


@pytest.mark.parametrize(("column", "row"), [(999, -999), (-998, 999), (0, 0)])
def test_no_legal_action_names_a_cell_beyond_the_farthest(column: int, row: int, tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    text = EDGE.replace("COLUMN", str(column)).replace("ROW", str(row)).replace("KIND", "").replace("FEW", ">= 0")
    path.write_text(text, "utf-8")
    rules = pwtool.load(str(path))
    start = {**rules.play(["A"], seed=1, max_turns=1), "turns": []}
    start.pop("result", None)
    named = {tuple(action.arguments["at"]) for action in rules.replay(start).at(1).legal()}
    box = [(column + x, row + y) for x in range(-2, 3) for y in range(-2, 3)]
    assert named == {cell for cell in box if max(map(abs, cell)) <= FAR} - {(column, row)}
    games = list(rules.play_many(24, 1, seed=3))
    assert games == [rules.play(1, seed=3 + n) for n in range(24)]
    assert all(rules.check(game).clean for game in games)
