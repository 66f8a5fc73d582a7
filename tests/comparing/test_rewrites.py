"""Numbers and conditions that are written in two ways: the same where games say so, and never where they do not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pwtool.comparing.evidence import play_both, weigh_rows
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some

GAME = """game heaps "Heaps"
players 2..3
component card { color: red "R" | blue "B" | gold "G"  value: 1..4  points: by value { 1: 0  2: 3  3: 3  4: 7 } }
deck cards of card = { 3 R1 2 R2 2 R3 1 R4 3 B1 2 B2 2 B3 1 B4 2 G1 2 G2 2 G3 2 G4 }
zone hand: bag of card per player
zone won: bag of card per player
zone board: grid 3x3 of card
STEPS
var n: 0..99 = 0 per turn
turn = keep* lay
action keep "Keep" (card: card from hand) {
  rule like "l" require RULE
  move card to won
  n += 1
}
action lay "Lay" (card: card from hand, at: cell of board) {
  rule near "n" when board is not empty require NEAR
  move card to board[at]
}
ending out "o" when some q in players: hand[q] is empty then stop
score s "s" = SCORE
ranking RANKING
"""
BASE = {
    "STEPS": 'setup { deal hand "h": 5 each of cards to hand by chance deal won "w": 1 each of cards to won by chance }',
    "RULE": "count hand > 1", "NEAR": "some c in neighbours of at: board[c] is not empty", "SCORE": "sum points of won",
    "RANKING": "most total, fewest count hand, shared",
}  # fmt: skip
SUMS = (
    "sum points of won",
    "sum (c in won: c.points)",
    "3 * count (c in won: c.value == 2 or c.value == 3) + 7 * count (c in won: c.value == 4)",
    "7 * count won - 7 * count (c in won: c.value == 1) - 4 * count (c in won: c.value == 2) - 4 * count (c in won: c.value == 3)",
    "sum (c in won: by c.value { 1: 0  2: 3  3: 3 else 7 })",
    "sum (c in won: (if c.value == 1 then 0 else if c.value == 4 then 7 else 3))",
    "sum points of (won + hand) - sum (c in hand: c.points)",
)
TABLES = (
    "by count won { 0: 0  1: 1  2: 3 else 6 }",
    "(if count won == 0 then 0 else if count won == 1 then 1 else if count won == 2 then 3 else 6)",
    "by count won { 2: 3  1: 1  0: 0 else 6 }",
    "(if count won > 2 then 6 else by count won { 0: 0  1: 1 else 3 })",
)
ALIKE = (
    "same color of won + card",
    "every c in won: c.color == card.color",
    "no c in won: c.color != card.color",
    "count (c in won: c.color == card.color) == count won",
)
SAME = [
    *(("SCORE", a, b) for a, b in pairwise(SUMS)),
    *(("SCORE", a, b) for a, b in pairwise(TABLES)),
    *(("RULE", a, b) for a, b in pairwise(ALIKE)),
    ("RULE", "count (c in won: c.value == 1) + count (c in won: c.value == 2) < 2", "count (c in won: c.value <= 2) < 2"),
    ("RULE", "count (c in won + hand: c.value == 1) < 3", "count (c in won: c.value == 1) + count (c in hand: c.value < 2) <= 2"),
    ("RULE", "sum value of (won + hand) > 12", "sum value of won > 12 - sum (c in hand: c.value)"),
    ("RANKING", BASE["RANKING"], "most total, fewest count hand, most total, shared"),
    ("RANKING", BASE["RANKING"], "most total, most 7, fewest count hand, shared"),
    ("RANKING", BASE["RANKING"], "most total, most - 2 * count hand, most count hand, shared"),
    ("STEPS", BASE["STEPS"],
     'setup { deal won "w": 1 each of cards to won by chance deal hand "h": 5 each of cards to hand by chance }'),
]  # fmt: skip
OTHER = [
    ("SCORE", SUMS[0], "sum value of won"),
    ("SCORE", SUMS[0], SUMS[2].replace("7 *", "6 *")),
    ("SCORE", SUMS[0], "sum (c in won: by c.value { 1: 1  2: 3  3: 3 else 7 })"),
    ("SCORE", SUMS[0], SUMS[6].replace("+ hand", "+ won")),
    ("SCORE", TABLES[0], TABLES[3].replace("> 2", "> 1")),
    ("SCORE", TABLES[0], "by count won { 0: 0  1: 1  2: 3  3: 6 else 7 }"),
    ("RULE", ALIKE[0], "same color of won"),
    ("RULE", ALIKE[0], "same value of won + card"),
    (
        "RULE",
        "count (c in won: c.value == 1) + count (c in won: c.value == 2) < 2",
        "count (c in won: c.value <= 3) < 2",
    ),
    ("RULE", "sum value of won > count won", "some c in won: c.value >= 3"),
    ("NEAR", BASE["NEAR"], "some c in neighbours of at: board[c] is empty"),
    ("RANKING", BASE["RANKING"], "most total, most count hand, shared"),
]


def heaps(folder: Path, key: str, value: str) -> Rulebook:
    text = GAME
    for name, held in (BASE | {key: value}).items():
        text = text.replace(name, held)
    folder.mkdir(exist_ok=True)
    path = folder / "game.rules"
    path.write_text(text, "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def compared(folder: Path, key: str, first: str, second: str) -> tuple[list[list[Row]], bool]:
    """The rows of both ways round, and whether games under both were judged alike."""
    books = heaps(folder / "first", key, first), heaps(folder / "second", key, second)
    found = play_both(*books, [], effort=0.5)
    assert found.games, found.why
    rows = [compare_rulesets(a.game, b.game) for a, b in (books, books[::-1])]
    return rows, found.games == found.alike


@pytest.mark.parametrize(("key", "first", "second"), some(SAME, 4))
def test_what_means_the_same_is_the_same(key: str, first: str, second: str, tmp_path: Path) -> None:
    rows, alike = compared(tmp_path, key, first, second)
    assert alike and [exit_code(found) for found in rows] == [0, 0], rows


@one_day_in(4)
@pytest.mark.parametrize(("key", "first", "second"), some(OTHER, 2))
def test_what_games_tell_apart_is_not(key: str, first: str, second: str, tmp_path: Path) -> None:
    rows, alike = compared(tmp_path, key, first, second)
    assert not alike and [exit_code(found) for found in rows] == [1, 1], rows


def test_a_zone_that_nothing_uses_makes_no_difference(tmp_path: Path) -> None:
    attic = heaps(tmp_path / "attic", "STEPS", "zone attic: bag of card\n" + BASE["STEPS"])
    plain = heaps(tmp_path / "plain", "STEPS", BASE["STEPS"])
    assert [exit_code(compare_rulesets(a.game, b.game)) for a, b in ((attic, plain), (plain, attic))] == [0, 0]
    used = heaps(tmp_path / "used", "STEPS", "zone attic: bag of card\n" + BASE["STEPS"])
    text = Path(used.game.ruleset.address).read_text("utf-8").replace("move card to won", "move card to attic")
    Path(used.game.ruleset.address).write_text(text, "utf-8")
    moved = RulesetStore(Library()).get(used.game.ruleset.address).value
    assert moved is not None and exit_code(compare_rulesets(plain.game, moved.game)) == 1


@one_day_in(4)
@pytest.mark.parametrize(
    ("rule", "wanted"), some([("count hand[q] == 5", "no_effect"), ("sum value of hand[q] > 6", "only_second")], 1)
)
def test_a_rule_of_the_setup_has_to_forbid_a_deal(rule: str, wanted: str, tmp_path: Path) -> None:
    plain = heaps(tmp_path / "plain", "STEPS", BASE["STEPS"])
    ruled = heaps(
        tmp_path / "ruled", "STEPS", f'{BASE["STEPS"]}\nrule setup.low "l" require every q in players: {rule}'
    )
    rows, _ = weigh_rows(plain, ruled, compare_rulesets(plain.game, ruled.game), effort=0.1)
    assert [(r.name, r.status) for r in rows] == [("setup.low", wanted)]
