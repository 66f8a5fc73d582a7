"""Records with cards that nobody saw: undetermined is neither clean nor a violation, and what turns up has to be possible."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from pwtool.play.replay import replay_record
from tests.daily import one_day_in
from tests.support import ADDRESSES, book, causes, full_record, message, random_game, raw_games, replay

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


@one_day_in(7)
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


def hidden_anywhere(address: str, record: dict[str, Any], share: float, rng: random.Random) -> dict[str, Any]:
    """The record with cards of its setup and of its actions unread, each by itself, whatever else tells them."""
    ruleset = book(address).game.ruleset
    hidden = copy.deepcopy(record)

    def unread(value: Any) -> Any:
        if isinstance(value, list):
            return [unread(part) for part in value]
        if isinstance(value, dict):
            return {key: unread(part) for key, part in value.items()}
        return "?" if isinstance(value, str) and rng.random() < share else value

    for step in ruleset.setup:
        zone = list(ruleset.zones.values())[step.zone] if step.recorded and step.kind == "deal" else None
        if zone is not None and zone.element.kind == "face" and zone.kind != "grid":
            hidden["setup"][step.name] = unread(hidden["setup"][step.name])
    for turn in hidden["turns"]:
        for action in turn["actions"]:
            model = ruleset.actions.get(action["action"])
            for p in model.parameters if model is not None else ():
                if p.kind in ("element", "elements", "tops") and p.type.kind in ("face", "list"):
                    action[p.name] = unread(action[p.name])
    return hidden


def check_hidden(seed: int) -> int:
    rng = random.Random(seed)
    address = rng.choice([*ADDRESSES, "pierre_papier_morpion+bonus"])
    data, _ = random_game(address, 2 if "pierre" in address else rng.choice([2, 3]), seed)
    hidden = hidden_anywhere(address, data, rng.choice([0.03, 0.1, 0.4]), rng)
    rules = book(address)
    findings = replay_record(rules.game, rules.decoder.record(hidden), rules.legal).findings
    wrong = [(f.code, f.rule, f.path) for f in findings if not f.undetermined and f.code != "PW612"]
    assert not wrong, (address, seed, wrong)
    return json.dumps(hidden).count('"?"')


@one_day_in(7)
def test_whatever_nobody_could_read_a_legal_game_is_never_wrong() -> None:
    assert sum(check_hidden(seed) > 5 for seed in (*range(16), 831)) > 8


@pytest.mark.slow
def test_whatever_nobody_could_read_many_legal_games_are_never_wrong() -> None:
    for seed in range(16, 1500):
        check_hidden(seed)
