"""Records with cards that nobody saw: undetermined is neither clean nor a violation, and what turns up has to be possible."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from tests.support import causes, full_record, message, raw_games, replay

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "records"


def example() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((EXAMPLES / "clean.json").read_text("utf-8"))
    return data


def covered(record: dict[str, Any], depth: int) -> dict[str, Any]:
    """The record with the lowest cards of every pile unseen."""
    hidden = copy.deepcopy(record)
    for pile in hidden["setup"]["supply"]:
        pile[:depth] = ["?"] * min(depth, len(pile))
    return hidden


def test_a_clean_game_with_unseen_cards_is_never_a_violation() -> None:
    for _name, raw in raw_games("base", "advanced")[::6]:
        record = full_record(raw)
        for depth in (2, 6, 99):
            findings = replay(record["ruleset"], covered(record, depth)).findings
            assert {f.code for f in findings} <= {"PW611"}


def test_cards_that_turn_up_later_have_lain_there_all_the_time() -> None:
    record = example()
    first = replay(record["ruleset"], covered(record, 4))
    # One card was never taken: which it is follows from the deck, and so that no take left it behind wrongly.
    assert first.findings == []
    assert first.result is not None and first.result.totals == [7, 13]
    damaged = covered(record, 4)
    taken = next(
        t
        for t in reversed(damaged["turns"])
        if t["actions"][0]["action"] == "take" and len(t["actions"][0]["cards"]) > 1
    )
    left = taken["actions"][0]["cards"].popitem()
    findings = causes(record["ruleset"], damaged)
    assert any(f.rule == "take.all" for f in findings), left


def test_an_unreadable_card_leaves_what_follows_from_it_open() -> None:
    record = example()
    record["turns"][9]["actions"][0]["card"] = "?"
    result = replay(record["ruleset"], record)
    assert result.findings and {f.code for f in result.findings} <= {"PW611"}
    assert {"place.own_color", "place.ascends"} <= {f.rule for f in result.findings}


def start() -> dict[str, Any]:
    """A game of which only the first turns are recorded, all piles unseen. The two-player deck holds one yellow 5."""
    record = covered(example(), 99)
    del record["result"]
    record["turns"] = []
    return record


def test_a_card_that_the_deck_has_no_more_of_is_refused_where_it_turns_up() -> None:
    record = start()
    for player, pile in (("Ana", "1"), ("Ben", "2")):
        record["turns"].append(
            {"player": player, "actions": [{"action": "take", "announced": 5, "cards": {pile: "Y5"}}]}
        )
    findings = [f for f in causes(record["ruleset"], record) if not f.undetermined]
    assert [(f.code, f.rule, f.path[:4]) for f in findings] == [("PW602", "take.cards", ("turns", 1, "actions", 0))]


def test_what_is_revealed_must_be_possible() -> None:
    record = start()
    action: dict[str, Any] = {
        "action": "take",
        "announced": 5,
        "cards": {"3": "B5"},
        "reveal": {"supply": {"1": "Y5", "2": "Y5"}},
    }
    record["turns"].append({"player": "Ana", "actions": [action]})
    found = replay(record["ruleset"], record)
    findings = [f for f in found.findings if f.code == "PW614"]
    assert [f.path for f in findings] == [("turns", 0, "actions", 0, "reveal", "supply")]
    assert "every one that the deck has" in message(found, findings[0])
