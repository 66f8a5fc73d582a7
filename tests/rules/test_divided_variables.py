"""Variables divided by an attribute or by numbers: what is played is what a model with tables of its own says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.linting import lint_target
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.encoding import encode_record
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from tests.support import book

VEINS = str(Path(__file__).resolve().parents[1] / "kernel" / "rules" / "veins" / "game.rules")
ORES = ("gold", "iron", "coal")


class Model:
    """The game of `veins`, written with dictionaries."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.left = dict.fromkeys(ORES, 6)
        self.own = [dict.fromkeys(ORES, 0) for _ in range(players)]
        self.often = {(many, ore): 0 for many in (1, 2, 3) for ore in ORES}
        self.cheap: str | None = None
        self.sold = dict.fromkeys(ORES, False)

    def legal(self) -> set[tuple[str, str, int]]:
        return {
            ("dig", what, many)
            for what in ORES
            for many in (1, 2, 3)
            if self.left[what] >= many and not self.sold[what] and (self.often[3, what] < 2 or many < 3)
        }

    def dig(self, player: int, what: str, many: int) -> None:
        self.left[what] -= many
        self.own[player][what] += many
        self.often[many, what] += 1
        self.sold[what] = True
        if self.cheap is not None and self.sold["gold"] + self.sold["iron"] == 1:
            self.left[next((ore for ore in ORES if self.left[ore] <= 2), "coal")] += 1
        following = self.own[(player + 1) % self.players]
        self.cheap = next((ore for ore in ORES if following[ore] < 4), None)
        if self.cheap is not None:
            following[self.cheap] += 1

    def score(self, player: int) -> int:
        own = self.own[player]
        return own["gold"] * 3 + own["iron"] * 2 + own["coal"] + self.often[1, "gold"]


@pytest.mark.parametrize("players", [2, 3])
def test_parts_are_read_and_set_as_a_table_is(players: int) -> None:
    here, ended = book(VEINS), 0
    for seed in range(40):
        rng = Chance(seed)
        record = deal_at_random(here.game, [f"p{at}" for at in range(players)], rng)
        model = Model(players)
        play = play_game(here.game, record, random_policy(rng), here.legal)
        data: dict[str, Any] = encode_record(here.game, record)
        for at, turn in enumerate(data["turns"]):
            model.sold = dict.fromkeys(ORES, False)
            for action in turn["actions"]:
                if action["action"] == "dig":
                    assert ("dig", action["what"], action["many"]) in model.legal()
                    model.dig(at % players, action["what"], action["many"])
        values = {v.name: play.state.variables[v.number] for v in here.game.variable_list}
        assert {ore: values[f"left_{ore}"] for ore in ORES} == model.left
        assert [{ore: values[f"own_{ore}"][seat] for ore in ORES} for seat in range(players)] == model.own
        assert {key: values[f"often_{key[0]}_{key[1]}"] for key in model.often} == model.often
        ended += sum(model.left.values()) <= 3
    assert ended > 20


BEGIN = """game parts "Parts"
players 2..2
component card { color: red | blue  value: 2..4 }
choice way { up | down }
turn = go
action go "Go" (at: 0..3, c: color, n: 1..5) { rule yes "Yes" require true  TRY }
score none "None" = 0
ranking most total, shared
"""


@pytest.mark.parametrize(
    ("declared", "tried", "said"),
    [
        ("var a: 0..9 = 0 per colour per game", "", "there is no division `colour`"),
        ("var a: 0..9 = 0 per turn per game", "", "there is no division `game`"),
        ("var a: 0..9 = 0 per 5..2 per game", "", "the range is empty"),
        ("var a: 0..9 = 0 per 1..65 per game", "", "`a` would have more than 64 values"),
        ("var a: 0..9 = 0 per 1..20 per value per way per game", "", "`a` would have more than 64 values"),
        ("var a: 0..9 = 0 per color per game\nvar a_red: 0..9 = 0 per game", "", "`a_red` already names something else"),
        ("var a: 0..9 = 0 per 1..2 per 1..2 per game\nvar a_1: 0..9 = 0 per 1..2 per game", "", "which is another variable"),
        ("var a: 0..9 = 0 per color per game", "a += 1", "`a` has a value for each color"),
        ("var a: 0..9 = 0 per color per game", "a[at] += 1", "`a` is indexed by color, this is a number"),
        ("var a: 0..9 = 0 per color per game", "a[c, c] += 1", "`a` is indexed by color"),
        ("var a: 0..9 = 0 per color per game", "a[up] += 1", "`a` is indexed by color, this is a way"),
        ("var a: 0..9 = 0 per 1..3 per game", "a[at] += 1", "there are values for 1 to 3, this goes from 0 to 3"),
        ("var a: 0..9 = 0 per value per game", "a[5] += 1", "there are values for 2 to 4, there is no 5"),
        ("var a: 0..9 = 0 per value per game\nvar b: color per game", "a[b] += 1", "`a` is indexed by value, this is"),
        ("var a: 0..9 = 0 per color per game\nvar b: color per game", "a[b] += 1", "this may have no value"),
        ("var a: 0..9 = 0 per player per color", "a[at, c] += 1", "a player is needed here"),
        ("var a: 0..9 = 0 per color per game", "a[c] = c", "this is a color"),
        ("zone z: pile of card per colour", "", "there is no division `colour`"),
        ("component tile { number: 1..80 }\nzone z: pile of tile per number", "", "`z` would have more than 64 values"),
        ("zone z: pile of card per color per value", "", "`z` is divided into places twice"),
        ("zone z[3]: pile of card per color", "", "`z` is divided into places twice"),
        ("zone z: pile of card per color", "move top of z[n] to z[red]", "`z` is indexed by color, this is a number"),
        ("zone z: pile of card per color", "move top of z[up] to z[red]", "`z` is indexed by color, this is a way"),
        ("zone z: pile of card per value", "move top of z[n] to z[2]", "there are values for 2 to 4, this goes from 1 to 5"),
        ("zone z: pile of card per value", "move top of z[1] to z[2]", "there are values for 2 to 4, there is no 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(declared: str, tried: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "parts.rules"
    path.write_text(BEGIN.replace("turn = go", f"{declared}\nturn = go").replace("TRY", tried), "utf-8")
    found = load_ruleset(str(path), Library()).diagnostics
    assert [d.message for d in found if said in d.message], [d.message for d in found]


TWO = """game two "Two"
players 2..2
component card { color: red "R" | blue "B" }
component road "L" { color: black "K" | red "R"  length: 1..2 }
deck roads of road = all
zone stock: pile of road
zone kept: pile of road per color
setup deal stock "All" : all of roads to stock by chance
turn = go
var n: 0..9 = 0 per color per game
var m: color per game
action go "Go" () {
  let line = top of stock
  let hue = line.color
  rule left "One is left" require stock is not empty
  TRY
  move top of stock to kept[(hue else black)]
}
ending bare "None is left" when stock is empty then stop
score black "Black ones" = count kept[black]
ranking most total, shared
"""


def told(text: str, path: Path) -> list[str]:
    path.write_text(text, "utf-8")
    return [d.message for d in load_ruleset(str(path), Library()).diagnostics]


def test_a_zone_is_divided_by_the_attribute_of_its_own_things(tmp_path: Path) -> None:
    assert not told(TWO.replace("TRY", ""), tmp_path / "two.rules")


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        ("n[(hue else black)] += 1", "`n` is indexed by color, this is a color of `road`"),
        ("m = hue", "`m` is a color of `card`, this is a color of `road`"),
        ("rule r \"R\" require m == hue", "a color of `card` is never equal to a color of `road`"),
        ("rule r \"R\" require (if m == red then m else hue) == blue", "one branch is a color of `card`, the other a color"),
        ("n[lost] += 1", "there is no name `lost`"),
        ("rule r \"R\" require kept[lost] is empty", "there is no name `lost`"),
        ("move line.length of stock to kept[black]", "this may have no value"),
    ],
)  # fmt: skip
def test_two_attributes_of_one_name_are_told_apart_and_one_mistake_is_said_once(
    tried: str, said: str, tmp_path: Path
) -> None:
    found = told(TWO.replace("TRY", tried), tmp_path / "two.rules")
    assert len(found) == 1 and said in found[0], found


@pytest.mark.parametrize(
    ("place", "warned"),
    [("((top of stock).color else black)", True), ("(hue else black)", False), ("((top of kept[red]).color else red)", False)],
)  # fmt: skip
def test_a_place_that_depends_on_what_has_left_is_warned_of(place: str, warned: bool, tmp_path: Path) -> None:
    """The place is found when the thing has left its pile, whose top is another one by then."""
    text = TWO.replace("TRY", "").replace("kept[(hue else black)]", f"kept[{place}]")
    found = told(text if "hue" in place else text.replace("  let hue = line.color\n", ""), tmp_path / "two.rules")
    assert [m for m in found if "`top of stock` has left" in m] == found and bool(found) == warned, found


@pytest.mark.parametrize(
    "tried", ["hue == red", "hue != red", "(hue else red) == black", "kept[red] is empty", "n[red] < 3"]
)
def test_a_value_of_two_attributes_is_one_of_the_attribute_beside_it(tried: str, tmp_path: Path) -> None:
    assert not told(TWO.replace("TRY", f'rule red "Red" require {tried}'), tmp_path / "two.rules")


SET_ALONE = """game parts "Parts"
players 2..2
choice color { red | blue }
var rounds: 0..9 = 0 per game
var left: 0..9 = 0 per color per game
turn = go
action go "Go" (c: color) { left[c] += 1  rounds += 1 }
ending over "Over" when rounds == 5 then stop
score none "None" = rounds
ranking most total, shared
"""


def test_a_variable_whose_parts_are_set_is_not_removed(tmp_path: Path) -> None:
    """Nothing reads it; without its declaration the effect that sets it would be a mistake."""
    path = tmp_path / "parts.rules"
    path.write_text(SET_ALONE, "utf-8")
    (target,), _ = find_targets([str(path)], Library())
    found = [d for d in lint_target(target, Library()) if d.code == "PW401"]
    assert [d.fix for d in found] == [None], found
