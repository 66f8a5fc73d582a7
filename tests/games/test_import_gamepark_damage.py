"""Exports with something wrong in them become findings in words, and nothing makes the importer fail."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.importers.json_exports import MOST_FINDINGS
from pwtool.records.record_text import format_record
from pwtool.text import Result
from pwtool.text.source import SourceFile, Span
from tests.daily import one_day_in

DATA = Path(__file__).parent / "data" / "gamepark"
ADVANCED = min(path.relative_to(DATA).as_posix() for path in DATA.glob("advanced/a3-*.json"))
FILE = SourceFile("game.json", "{}")


@cache
def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def raw(name: str) -> dict[str, Any]:
    return json.loads(text_of(name))


def messages(result: Result[dict[str, object]]) -> list[str]:
    assert result.value is None
    assert result.diagnostics
    assert len(result.diagnostics) <= MOST_FINDINGS
    assert {d.code for d in result.diagnostics} == {"PW704"}
    return [d.message for d in result.diagnostics]


Damage = Callable[[dict[str, Any]], object]


def first(game: dict[str, Any], kind: int, number: int | None) -> int:
    """The index of the first move of a kind, and with that location type (kind 1) or custom type (kind 3)."""
    for index, entry in enumerate(game["moves"]):
        move = entry["move"]
        found = move["location"]["type"] if move["kind"] == 1 else move["type"]
        if move["kind"] == kind and found == number:
            return index
    raise AssertionError(f"no move of kind {kind}, {number}")


def location(game: dict[str, Any], number: int) -> dict[str, Any]:
    return game["moves"][first(game, 1, number)]["move"]["location"]


def card_item(game: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return game["setup"]["items"]["LandscapeCard"][index]


DAMAGES: dict[str, tuple[Damage, str]] = {
    "no id": (lambda g: g.pop("id"), "the export lacks `id`"),
    "number as id": (lambda g: g.update(id=7), "`id` is `7` where a text is needed"),
    "no mode": (lambda g: g["options"].clear(), "`options` lacks `advancedMode`"),
    "mode is a number": (lambda g: g["options"].update(advancedMode=1), "`options.advancedMode` is `1`"),
    "no players": (lambda g: g["players"].clear(), "`players` lists 0 players"),
    "player twice": (lambda g: g.update(players=[4, 4]), "`players` lists a player twice"),
    "unknown player": (lambda g: g["players"].append(5), "`players[2]` is `5` where a colour from 1 to 4"),
    "stranger begins": (lambda g: g["setup"]["rule"].update(player=1), "says that yellow begins"),
    "unknown objective": (
        lambda g: g["setup"]["items"]["ObjectiveCard"][0].update(id=21),
        "`setup.items.ObjectiveCard[0].id` is `21` where an objective from 1 to 20 is needed",
    ),
    "objective lost": (lambda g: g["setup"]["items"]["ObjectiveCard"].pop(), "lists 2 objectives"),
    "unknown card": (
        lambda g: card_item(g).update(id=10),
        "`setup.items.LandscapeCard[0].id` is `10`, which is not a card",
    ),
    "negative height": (lambda g: card_item(g)["location"].update(x=-1), "is `-1` where a height from 0 up"),
    "gap in a pile": (lambda g: card_item(g)["location"].update(x=99), "leaves a gap in pile 1"),
    "card in hand": (lambda g: card_item(g)["location"].update(type=5), "which is not a place for a card before"),
    "start card lost": (lambda g: g["setup"]["items"]["LandscapeCard"].pop(), "has no start card for"),
    "start card elsewhere": (lambda g: card_item(g, -1)["location"].update(x=1), "is `1` where 0, the cell of a start"),
    "two tokens": (lambda g: g["setup"]["items"].update(ScissorsToken=[{}, {}]), "lists 2 scissors tokens"),
    "moves an object": (lambda g: g.update(moves={}), "`moves` is an object where a list is needed"),
    "unknown kind": (lambda g: g["moves"][3]["move"].update(kind=2), "move 4: `move` is of the unknown kind `2`"),
    "unknown custom move": (
        lambda g: g["moves"][1]["move"].update(type=9),
        "move 2: `move` is of the unknown type `9`",
    ),
    "unknown target": (lambda g: location(g, 3).update(type=5), "where no move of this game leads"),
    "token moved": (lambda g: g["moves"][0]["move"].update(itemType=4), "does `1` to an item of type `4`"),
    "index out of range": (
        lambda g: g["moves"][0]["move"].update(itemIndex=58),
        "move 1: `move.itemIndex` is `58` where the index of one of the 58 cards is needed",
    ),
    "negative index": (lambda g: g["moves"][0]["move"].update(itemIndex=-1), "`move.itemIndex` is `-1`"),
    "index is true": (lambda g: g["moves"][0]["move"].update(itemIndex=True), "`move.itemIndex` is `true`"),
    "huge index": (lambda g: g["moves"][0]["move"].update(itemIndex=10**5000), "is a huge number where"),
    "pile out of range": (lambda g: g["moves"][0]["move"]["location"].update(id=5), "is `5` where a pile from 0 to 4"),
    "unknown mover": (lambda g: g["moves"][0].update(playerId=1), "move 1: `playerId` is `1` (yellow), who is not in"),
    "another's landscape": (lambda g: location(g, 3).update(player=4), "is `4` (black) in a move of blue"),
    "not the top": (lambda g: g["moves"][0]["move"]["location"].update(id=3), "as the top of pile 4, whose top is"),
    "take unfinished": (lambda g: g["moves"].pop(1), "although a take was begun and not finished"),
    "take half at the end": (lambda g: g.update(moves=g["moves"][:1]), "begins a take that is never finished"),
    "take not begun": (lambda g: g["moves"].pop(0), "move 1 (black) announces `4` without having pointed at a pile"),
    "take changes hands": (lambda g: g["moves"][1].update(playerId=2), "finishes a take that black began"),
    "announces another": (lambda g: g["moves"][1]["move"]["data"].update(value=5), "although it pointed at `B4`"),
    "card from nowhere": (lambda g: g["moves"].__delitem__(slice(0, 2)), "places `G1`, which lies in pile 2"),
    "wrong height": (lambda g: location(g, 3).update(id=7), "places a card on a pile of height 7"),
    "place twice": (
        lambda g: g["moves"].insert(first(g, 1, 3) + 1, copy.deepcopy(g["moves"][first(g, 1, 3)])),
        "which lies in blue's landscape at",
    ),
    "end of nothing": (
        lambda g: g["moves"].insert(2, {"playerId": 4, "move": {"kind": 3, "type": 3, "data": {}}}),
        "ends a placing turn without having placed a card",
    ),
    "paying for nothing": (
        lambda g: g["moves"].insert(
            2,
            {
                "playerId": 4,
                "move": {"kind": 1, "type": 1, "itemType": 1, "itemIndex": 0, "location": {"type": 6, "player": 4}},
            },
        ),
        "for a skip without having placed a card just before",
    ),
    "trimming from a pile": (
        lambda g: g["moves"].insert(
            2, {"playerId": 4, "move": {"kind": 1, "type": 1, "itemType": 1, "itemIndex": 0, "location": {"type": 6}}}
        ),
        "for the hand limit, which lies in pile 1",
    ),
    "token on a hidden card": (
        lambda g: g["moves"][first(g, 3, 4)]["move"]["data"].update(scissorsCardIndex=0),
        "puts the scissors token on",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_broken_exports_are_refused_in_words(name: str) -> None:
    damage, expected = DAMAGES[name]
    game = raw("base/b2-0005.json")
    damage(game)
    found = messages(GAMEPARK.convert(game, FILE))
    assert any(expected in message for message in found), found


@pytest.mark.parametrize("data", [None, True, 3, 0.5, "text", [], [{}]])
def test_what_is_no_object_is_refused(data: object) -> None:
    (message,) = messages(GAMEPARK.convert(data, FILE))
    assert message == "the export is not an object"


def test_independent_problems_are_reported_together_and_not_without_end() -> None:
    game = raw("base/b2-0005.json")
    game["id"] = None
    game["setup"]["rule"]["player"] = "black"
    for move in game["moves"]:
        del move["playerId"]
    found = messages(GAMEPARK.convert(game, FILE))
    assert found[0].startswith("`id`")
    assert found[1].startswith("`setup.rule.player`")
    assert found[2] == "move 1 lacks `playerId`"
    assert len(found) == MOST_FINDINGS


def test_options_and_material_of_other_rules_are_refused() -> None:
    game = raw(ADVANCED)
    game["options"] |= {"solo": True, "timer": None}
    game["setup"]["items"] |= {"RiverTile": [{"id": 1}], "Cat": []}
    assert messages(GAMEPARK.convert(game, FILE)) == [
        "`options.solo` is an option that is not known",
        "`setup.items.RiverTile` is material that is not known",
    ]


def test_a_name_that_moves_the_cursor_is_escaped() -> None:
    game = raw(ADVANCED)
    game["options"]["\x1f"] = True
    (said,) = messages(GAMEPARK.convert(game, FILE))
    assert said.isprintable() and "u001f" in said


def test_a_finding_points_at_its_place() -> None:
    game = raw("base/b2-0005.json")
    del game["moves"][2]["move"]["location"]
    span = Span(FILE, 0, 1)

    def locate(path: Sequence[str | int]) -> Span | None:
        return span if list(path) == ["moves", 2, "move"] else None

    finding = GAMEPARK.convert(game, FILE, locate).diagnostics[0]
    assert finding.message == "move 3: `move` lacks `location`"
    assert finding.where == "moves[2].move"
    assert finding.span is span
    assert finding.file == "game.json"


# ---- nothing makes it fail -------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def check_sound(data: object) -> None:
    """A record or findings, never both and never neither; and findings lie at places that the file has."""

    def locate(path: Sequence[str | int]) -> Span | None:
        here: Any = data
        for step in path:
            here = here[step]
        return Span(FILE, 0, 2)

    result = GAMEPARK.convert(data, FILE, locate)
    if result.value is None:
        assert all(message and message.isprintable() for message in messages(result))
        assert all(d.span is not None for d in result.diagnostics)
    else:
        assert not result.diagnostics
        assert json.loads(format_record(result.value)) == result.value


def paths_of(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, part in value.items():
            found += paths_of(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            found += paths_of(part, (*path, index))
    return found


@given(json_values)
@settings(max_examples=100, deadline=None)
def test_any_json_is_a_record_or_findings(data: object) -> None:
    check_sound(data)


keys = st.sampled_from(["id", "options", "players", "setup", "moves", "items", "rule", "location", "kind", "type"])
lookalikes = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 6) | st.just("x"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=25,
)


@given(lookalikes)
@settings(max_examples=100, deadline=None)
def test_json_with_familiar_keys_is_a_record_or_findings(data: object) -> None:
    check_sound(data)


DAMAGED = ("base/b2-0005.json", ADVANCED)
READ = {"id", "options", "players", "setup", "moves"}


@cache
def damage_paths(name: str) -> list[tuple[str | int, ...]]:
    return [path for path in paths_of({k: v for k, v in raw(name).items() if k in READ}) if path]


@one_day_in(8)
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_game_is_a_record_or_findings(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(DAMAGED))
    game: Any = raw(name)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(damage_paths(name)))
        here: Any = game
        try:
            for step in path[:-1]:
                here = here[step]
            here[path[-1]]
        except (LookupError, TypeError):
            continue  # an earlier damage took this place away
        if isinstance(here, str):
            continue
        how = data.draw(st.sampled_from(["delete", "swap", "near", "repeat"]))
        if how == "delete":
            del here[path[-1]]
        elif how == "near" and isinstance(here[path[-1]], int):
            here[path[-1]] += data.draw(st.sampled_from([-1, 1]))
        elif how == "repeat" and isinstance(here, list):
            here.insert(int(path[-1]), copy.deepcopy(here[path[-1]]))
        else:
            here[path[-1]] = data.draw(json_values)
    check_sound(game)
