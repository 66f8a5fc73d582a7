"""Variables that not everybody sees: what is refused, what each player is shown, what editions differ in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import pwtool
from pwtool.cli.app import run

GAME = """game secret "Secret"
players 2..2
component chip "C" { }
deck chips of chip = { 2 C }
zone pot: pile of chip
setup { deal pot "All in the middle": all of chips to pot by chance }

var die: 0..6 = 0 per player seen by owner
var bonus: 0..9 = 0 per game seen by none
var bid: 0..9 = 0 per game

turn = roll | name
action roll "Roll in secret" (face: 1..6 by chance) {
  die = face
}
action name "Name a number" (number: 1..9, extra: 1..2) {
  bid = number
  bonus += extra when bonus < 5
}
ending done "Done" when bid > 0 and bonus > 0 and (every q in players: die[q] > 0) then stop
score points "Points" = die + bonus
ranking most total, shared
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "secret.rules"
    path.write_text(GAME, "utf-8")
    return path


def record(rules: Path) -> dict[str, Any]:
    roll = [{"action": "roll", "face": face} for face in (4, 2)]
    turns = [
        {"player": "Ana", "actions": [roll[0]]},
        {"player": "Ben", "actions": [roll[1]]},
        {"player": "Ana", "actions": [{"action": "name", "number": 7, "extra": 2}]},
    ]
    setup = {"pot": ["C", "C"]}
    return {
        "format": "pwtool/1", "ruleset": str(rules), "players": ["Ana", "Ben"], "setup": setup, "turns": turns
    }  # fmt: skip


def test_who_sees_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, said in (
        (GAME.replace("per player seen by owner", "per player seen by owners"), "there is no kind of sight `owners`"),
        (GAME.replace("per game seen by none", "per game seen by owner"), "`bonus` has no owner"),
    ):
        path = tmp_path / "wrong.rules"
        path.write_text(wrong, "utf-8")
        assert run(["lint", str(path)]) == 1
        assert said in capsys.readouterr().out


def test_a_player_is_shown_what_they_see(rules: Path) -> None:
    position = pwtool.load(str(rules)).replay(record(rules)).at(3)
    lines = {viewer: position.draw(viewer).split() for viewer in (None, "Ana", "Ben")}
    shown = {viewer: " ".join(said[3:]) for viewer, said in lines.items()}
    assert shown[None] == "bonus 0 bid 0 Ana die 4 Ben die 2"
    assert shown["Ana"] == "bonus unknown bid 0 Ana die 4 Ben die unknown"
    assert shown["Ben"] == "bonus unknown bid 0 Ana die unknown Ben die 2"


def test_pages_turn_it_over_for_others(rules: Path, tmp_path: Path) -> None:
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    path.write_text(json.dumps(record(rules)), "utf-8")
    assert run(["replay", str(path), "--rules", str(rules), "--html", "-o", str(page)]) == 0
    root = ElementTree.fromstring(page.read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
    data = json.loads(next(e.text or "" for e in root.iter("{http://www.w3.org/1999/xhtml}script") if e.get("type")))
    assert [place.get("s") for place in data["places"] if place["k"] == "value"] == ["owner", "owner", "none", None]
    steps = data["steps"]
    # Who rolls sees the die; what is named for all to see is heard by all, what goes where nobody looks by who names it.
    assert steps[0]["v"] == {"1": "Roll in secret: ?"} and steps[1]["v"] == {"0": "Roll in secret: ?"}
    assert steps[2]["v"] == {"1": "Name a number: 7, ?"}


def test_editions_may_differ_in_it(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "shown.rules"
    other.write_text(GAME.replace("per player seen by owner", "per player"), "utf-8")
    assert run(["compare", str(rules), str(other)]) == 1
    told = capsys.readouterr().out
    assert "Material\n  var die: different" in told and "the rules of play are the same" in told
    assert run(["compare", str(rules), str(other), "--sheet", "--lang", "de"]) in (0, 1)
    assert "„die“ sieht jeder" in capsys.readouterr().out


def test_it_is_formatted_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "loose.rules"
    path.write_text(GAME.replace("per player seen by owner", "per  player   seen\n by owner"), "utf-8")
    assert run(["fmt", str(path)]) == 0
    assert "var die: 0..6 = 0 per player seen by owner" in path.read_text("utf-8")
