"""Every recorded game of the independent implementation is imported and compared with what it says happened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.records.importers.gamepark import GAMEPARK, follow_moves
from pwtool.records.importers.gamepark_moves import read_moves
from pwtool.records.importers.gamepark_setup import COLOURS, GOALS, read_setup
from pwtool.records.importers.installed import find_format, format_names
from pwtool.records.importers.json_exports import Part, Problems
from pwtool.records.record_text import format_record
from pwtool.text.source import SourceFile

DATA = Path(__file__).parent / "data" / "gamepark"
EXAMPLE = Path(__file__).parents[2] / "examples" / "records" / "gamepark-b2-0005.json"
FILES = sorted(DATA.glob("*/*.json"))
NAMES = [f"{path.parent.name}/{path.name}" for path in FILES]
FILE = SourceFile("game.json", "{}")

# The implementation's names of the objectives beside ours.
THEIR_GOALS = {
    "OneColumnWith252": "column_2_5_2",
    "OneColumnWithValueOf12": "column_sum_12",
    "FourCornersWithTheSameValue": "corners_value",
    "CrossOfDifferentColors": "cross_colors",
    "CrossOfDifferentValues": "cross_values",
    "OneDiagonalWith234": "diagonal_2_3_4",
    "OneDiagonalOfSameColor": "diagonal_color",
    "FiveStacksOf1s": "five_1s",
    "LOf2s": "l_of_2s",
    "LOfSameColor": "l_same_color",
    "NineStacks": "nine_piles",
    "OneTwoThreeFourFiveVisible": "one_to_five",
    "OneLineOf3s": "row_of_3s",
    "OneLineWithValueOf9": "row_sum_9",
    "SquareOfDifferentColors": "square_4_colors",
    "SquareOf3": "square_of_3s",
    "SquareOfSameColor": "square_same_color",
    "ThreeStacksOf4s": "three_4s",
    "ThreeStacksWithScissors": "three_scissors",
    "TwoStacksOf5s": "two_5s",
}


@cache
def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def raw(name: str) -> dict[str, Any]:
    return json.loads(text_of(name))


def record_of(data: object) -> dict[str, Any]:
    result = GAMEPARK.convert(data, FILE)
    assert result.value is not None, [d.message for d in result.diagnostics]
    assert not result.diagnostics
    return result.value


def test_the_games_are_there() -> None:
    kinds = Counter(path.parent.name for path in FILES)
    assert kinds == {"base": 36, "advanced": 36, "anomalies": 8}
    vectors = (DATA / "objective_vectors.sample.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(vectors) == 1000


def test_the_importer_is_found_by_name() -> None:
    found = find_format("gamepark")
    assert found is not None and found.value is not None and not found.diagnostics
    text = FILES[0].read_text("utf-8")
    read = found.value.read(SourceFile("game", text)).value
    assert read is not None and read[0] == GAMEPARK.convert(json.loads(text), SourceFile("game", "")).value
    assert find_format("elsewhere") is None
    assert "gamepark" in format_names()


@pytest.mark.parametrize("path", FILES[::20], ids=lambda path: path.stem)
def test_exports_are_judged_like_records(path: Path) -> None:
    verdict, record = pwtool.check(path), GAMEPARK.convert(json.loads(path.read_text("utf-8")), FILE).value
    assert record is not None
    expected = pwtool.check(record)
    assert (verdict.status, verdict.ruleset) == (expected.status, expected.ruleset)
    assert [f.code for f in verdict.findings] == [f.code for f in expected.findings]


# ---- the recorded games ----------------------------------------------------------------------------------------------


def told_by_events(game: dict[str, Any]) -> list[tuple[object, ...]]:
    """What the implementation says happened, claims and declined tokens aside: turn, player, what, details."""
    told: list[tuple[object, ...]] = []
    for event in game["events"]:
        start = (event["turn"], COLOURS[event["player"]])
        match event["event"]:
            case "take":
                piles = [str(pile + 1) for pile in event["piles"]]
                told.append((*start, "take", event["key"], dict(zip(piles, event["cards"], strict=True))))
            case "place":
                told.append((*start, "place", event["card"], event["at"]))
            case "discard":
                told.append((*start, {"skip": "pay", "limit": "trim"}[event["why"]], event["card"]))
            case "scissors" if event["take"]:
                told.append((*start, "grab", event["at"]))
            case "scissors" | "claim":
                pass
            case other:
                raise AssertionError(f"unknown event {other}")
    return told


def told_by_record(record: dict[str, Any]) -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = []
    for number, turn in enumerate(record["turns"], start=1):
        for action in turn["actions"]:
            start = (number, turn["player"])
            match action:
                case {"action": "take", "announced": key, "cards": cards, **rest}:
                    told.append((*start, "take", key, cards))
                case {"action": "place", "card": card, "at": at, "pay": pay, **rest}:
                    told.append((*start, "place", card, at))
                    told.extend((*start, "pay", paid) for paid in pay)
                case {"action": "grab", "at": at, **rest}:
                    told.append((*start, "grab", at))
                case {"action": "trim", "card": card, **rest}:
                    told.append((*start, "trim", card))
                case other:
                    raise AssertionError(f"unknown action {other}")
            assert not rest
    return told


@pytest.mark.parametrize("name", NAMES)
def test_the_record_tells_what_the_events_tell(name: str) -> None:
    game = raw(name)
    assert told_by_record(record_of(game)) == told_by_events(game)


@pytest.mark.parametrize("name", NAMES)
def test_playing_the_record_gives_the_final_position(name: str) -> None:
    """The record alone holds enough to get everything where the implementation had it at the end."""
    game = raw(name)
    record = record_of(game)
    piles = [list(pile) for pile in record["setup"]["supply"]]
    landscapes = {p: {(0, 0): [card]} for p, card in record["setup"]["start"].items()}
    hands: dict[str, Counter[str]] = {p: Counter() for p in record["players"]}
    skip: dict[str, list[str]] = {p: [] for p in record["players"]}
    limit: dict[str, list[str]] = {p: [] for p in record["players"]}
    scissors: dict[str, object] | None = None
    for turn in record["turns"]:
        player = turn["player"]
        for action in turn["actions"]:
            for number, card in action.get("cards", {}).items():
                assert piles[int(number) - 1].pop() == card
                hands[player][card] += 1
            gone = [action["card"]] if "card" in action else []
            gone += action.get("pay", [])
            hands[player].subtract(gone)
            assert min(hands[player].values(), default=0) >= 0
            skip[player] += action.get("pay", [])
            if action["action"] == "trim":
                limit[player].append(action["card"])
            if action["action"] == "place":
                landscapes[player].setdefault(tuple(action["at"]), []).append(action["card"])
            if action["action"] == "grab":
                top = landscapes[player][tuple(action["at"])][-1]
                scissors = {"holder": player, "card": top, "at": action["at"]}
    final = game["final"]
    for number in game["players"]:
        player, key = COLOURS[number], str(number)
        assert sorted([x, y, pile] for (x, y), pile in landscapes[player].items()) == sorted(final["landscapes"][key])
        assert +hands[player] == Counter(final["hands"][key])
        assert sorted(skip[player]) == sorted(final["discards"][key]["skip"])
        assert sorted(limit[player]) == sorted(final["discards"][key]["limit"])
    assert piles == final["piles"]
    wanted = final["scissors"]
    assert scissors == (wanted and {**wanted, "holder": COLOURS[wanted["holder"]]})


@pytest.mark.parametrize("name", NAMES)
def test_the_tracked_table_is_the_final_position(name: str) -> None:
    game = raw(name)
    problems = Problems(FILE, None, {})
    export = Part(problems, (), game)
    setup = read_setup(export)
    assert setup is not None
    moves = read_moves(export, setup.players, len(setup.cards))
    assert moves is not None
    table = follow_moves(setup, moves)
    assert not problems.found

    def codes(cards: Sequence[int]) -> list[str]:
        return [setup.cards[card].code for card in cards]

    final = game["final"]
    assert [codes(pile) for pile in table.piles] == final["piles"]
    for player in setup.players:
        key = str(player)
        landscape = [[x, y, codes(pile)] for (x, y), pile in table.landscapes[player].items()]
        assert sorted(landscape) == sorted(final["landscapes"][key])
        assert sorted(codes(table.hands[player])) == sorted(final["hands"][key])
        assert sorted(codes(table.paid[player])) == sorted(final["discards"][key]["skip"])
        assert sorted(codes(table.trimmed[player])) == sorted(final["discards"][key]["limit"])
    if table.scissors is None:
        assert final["scissors"] is None
    else:
        holder, cell, card = table.scissors
        assert final["scissors"] == {"holder": holder, "card": setup.cards[card].code, "at": list(cell)}


@pytest.mark.parametrize("name", NAMES)
def test_the_head_of_the_record(name: str) -> None:
    game = raw(name)
    record = record_of(game)
    assert list(record) == ["format", "ruleset", "id", "players", "setup", "turns"]
    assert record["format"] == "pwtool/1"
    assert record["id"] == game["id"]
    advanced = game["options"]["advancedMode"]
    assert record["ruleset"] == ("paper_world/gamepark+advanced" if advanced else "paper_world/gamepark")
    assert record["players"] == [COLOURS[number] for number in game["players"]]
    assert record["setup"]["start"] == {p: {"black": "K"}.get(p, p[0].upper()) + "1" for p in record["players"]}
    assert len(record["setup"]["supply"]) == 5
    assert record["setup"]["goals"] == [THEIR_GOALS[goal] for goal in game["final"]["objectives"]]
    # Turns go round the table from the first player on.
    seats = [turn["player"] for turn in record["turns"]]
    assert seats == [record["players"][n % len(record["players"])] for n in range(len(seats))]


def test_every_objective_is_in_some_game() -> None:
    """Else the comparison of names above would leave some of the table of objectives untried."""
    assert {goal for name in NAMES for goal in raw(name)["final"]["objectives"]} == set(THEIR_GOALS)
    assert sorted(THEIR_GOALS.values()) == sorted(GOALS.values())


def test_only_the_raw_export_is_read() -> None:
    game = raw(NAMES[0])
    bare = {key: game[key] for key in ("id", "options", "players", "setup", "moves")}
    misled = {**game, "events": "nonsense", "final": [], "policy": 3}
    assert record_of(bare) == record_of(misled) == record_of(game)


def test_the_player_to_move_begins() -> None:
    game = raw("base/b2-0005.json")
    game["players"].reverse()
    assert record_of(game) == record_of(raw("base/b2-0005.json"))


def test_the_example_is_the_imported_game() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") == format_record(record_of(raw("base/b2-0005.json")))
