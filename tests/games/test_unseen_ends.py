"""Endings that unseen cards may have reached: what every filling says is certain, what none says is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.archives import Checker
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library

REDS = """
game reds "Reds"
players 2..2
component card { color: red "R" | blue "B" }
deck pack of card = { DECK }
zone hand: bag of card per player
zone table: pile of card
setup {
  deal hand "Two each": 2 each of pack to hand
  deal table "The fifth": rest of pack to table
}
turn = pass
action pass "Pass" () { }
ending two_reds "Two red cards in a hand" when some q in players: count (c in hand[q]: c.color == red) == 2 then STOP
ANY
score reds "Red cards" = count (c in hand: c.color == red)
ranking most total, shared
"""
ANY = 'ending any "One turn" when count table == 1 then stop'
BOX = """
game box "Box"
players 2..2
component card { color: red "R" | blue "B" }
deck pack of card = { R B }
zone box: pile of card seen by none
setup { deal box "Never touched": all of pack to box }
var tally: 0..99 = 0 per game
turn = say
action say "Say a number" (number: 1..3) {
  rule small "Four at most" require tally + number <= 4
  tally += number
}
ending five "Five is reached" when tally >= 5 then stop
score tally "What was counted" = tally
ranking most total, shared
"""
LINES = """
game lines "Two lines"
players 2..2
component card { color: red "R" | blue "B"  value: 1..2 }
deck pack of card = { R1 R2 B1 B2 }
zone hand: bag of card per player
setup { deal hand "All": 2 each of pack to hand }
turn = pass
action pass "Pass" () { }
ending at_once "One turn" when count hand == 2 then stop
score values "Values" = sum value of hand
score cards "Cards" = count hand
ranking most total, shared
"""
TOP = """
game top "Top"
players 2..2
component card { color: red "R" | blue "B" }
deck pack of card = { 2 R 2 B }
zone hand: bag of card per player
zone table: pile of card
setup { deal hand "Two each": 2 each of pack to hand }
turn = lay
action lay "Lay" (card: card from hand "From hand") { move card to table }
ending red "Red on top" when (top of table).color == red then stop
score left "Cards left" = count hand
ranking most total, shared
"""
UNSEEN = {"Ana": ["?", "?"], "Ben": ["?", "?"]}


def told(rules: str, folder: Path, record: dict[str, Any]) -> list[str]:
    name = rules.split()[1]
    (folder / f"{name}.rules").write_text(rules, "utf-8")
    path = folder / "game.json"
    path.write_text(json.dumps({"format": "pwtool/1", "players": ["Ana", "Ben"], **record}), "utf-8")
    (result,) = Checker(RulesetStore(Library()), [str(folder / f"{name}.rules")]).check([str(path)])
    return [d.code for d in result.diagnostics]


def passes(count: int) -> list[dict[str, Any]]:
    return [{"player": ("Ana", "Ben")[number % 2], "actions": [{"action": "pass"}]} for number in range(count)]


def reds(deck: str = "2 R 3 B", ending: str = ANY, stop: str = "stop") -> str:
    return REDS.replace("DECK", deck).replace("ANY", ending).replace("STOP", stop)


def ended(rule: str | None = None, turn: int | None = None, **more: Any) -> dict[str, Any]:
    end = {key: value for key, value in (("rule", rule), ("turn", turn)) if value is not None}
    return {**({"end": end} if end else {}), **more}


@pytest.mark.parametrize(
    ("rules", "table", "turns", "result", "codes"),
    [
        (reds(), "B", 1, ended("two_reds", 1), ["PW611"]),
        (reds(), "B", 1, ended("any", 1), ["PW611"]),
        (reds(), "B", 1, ended("any", scores={"Ana": 1, "Ben": 1}), ["PW611"]),
        (reds(), "B", 1, ended("two_reds", scores={"Ana": 1, "Ben": 1}), ["PW608"]),
        (reds(), "B", 1, ended("any", scores={"Ana": 2, "Ben": 0}), ["PW608"]),
        (reds(), "R", 1, ended("two_reds"), ["PW608"]),
        # One red card is left for four places.
        (reds(ending=""), "R", 1, ended("two_reds", 1), ["PW607"]),
        (reds(ending=""), "B", 1, ended("two_reds", 1), ["PW611"]),
        (reds(ending=""), "B", 2, ended("two_reds", 7, scores={"Ana": 0, "Ben": 2}), ["PW607"]),
        # Play went on, so that the first turn was not the last, and nothing changed in the second.
        (reds(ending=""), "B", 2, ended("two_reds", 1), ["PW607"]),
        # One turn is left in every filling.
        (reds(ending="", stop="1 more turn for the others"), "B", 1, ended(), ["PW607"]),
        # Every filling ends here.
        (reds("4 R 1 B", ""), "?", 1, ended("two_reds", 1), []),
    ],
)
def test_an_ending_is_held_against_every_filling(
    rules: str, table: str, turns: int, result: dict[str, Any], codes: list[str], tmp_path: Path
) -> None:
    record = {"setup": {"hand": UNSEEN, "table": [table]}, "turns": passes(turns), "result": result}
    found = [code for code in told(rules, tmp_path, record) if code in ("PW607", "PW608", "PW611")]
    assert sorted(set(found)) == sorted(set(codes))


def test_the_doubt_of_an_earlier_turn_is_gone_when_play_goes_on(tmp_path: Path) -> None:
    turns = [
        {"player": "Ana", "actions": [{"action": "lay", "card": "?"}]},
        {"player": "Ben", "actions": [{"action": "lay", "card": "B"}]},
    ]
    record = {"setup": {"hand": {"Ana": ["?", "?"], "Ben": ["B", "?"]}}, "turns": turns, "result": ended("red", 2)}
    assert told(TOP, tmp_path, record) == ["PW607"]


def test_a_wrong_line_beside_an_open_one_is_told(tmp_path: Path) -> None:
    result = {"scores": {"Ana": 9}, "parts": {"Ana": {"cards": 3}}}
    assert told(LINES, tmp_path, {"setup": {"hand": UNSEEN}, "turns": passes(1), "result": result})[0] == "PW608"


@pytest.mark.parametrize("box", [["R", "B"], ["R", "?"], ["?", "?"]])
def test_nobody_can_go_on_whatever_was_not_seen(box: list[str], tmp_path: Path) -> None:
    turns = [
        {"player": "Ana", "actions": [{"action": "say", "number": 1}]},
        {"player": "Ben", "actions": [{"action": "say", "number": 3}]},
    ]
    assert told(BOX, tmp_path, {"setup": {"box": box}, "turns": turns}) == ["PW612"]
    assert told(BOX, tmp_path, {"setup": {"box": box}, "turns": [*turns, {"player": "Ana", "actions": []}]}) == [
        "PW615"
    ]
