"""What a change of rules means for an archive: kernels and the engine say the same."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from pwtool.comparing import measuring
from pwtool.comparing.measuring import measure_impact
from pwtool.kernel.run import is_installed
from pwtool.records.encoding import encode_record
from pwtool.records.inputs import Text
from pwtool.records.random_records import play_many
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import impact_data, impact_lines, unread_lines
from tests.daily import one_day_in, some
from tests.support import book, few_or_many, full_record, raw_games

pytestmark = pytest.mark.skipif(not is_installed(), reason="kernels need Wasmtime")
PAIRS = [("gamepark", "en"), ("gamepark", "bga"), ("fr", "de"), ("bga", "gamepark+advanced")]


def _texts(records: list[dict[str, Any]]) -> list[Text]:
    return [Text(f"games:{i}", "games", json.dumps(r).encode()) for i, r in enumerate(records)]


def _changed(record: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The record with something about it that a ruleset minds, or does not."""
    record = copy.deepcopy(record)
    turn = rng.choice(record["turns"])
    kind = rng.randrange(8)
    if kind == 0:
        record["turns"].remove(turn)
    elif kind == 1:
        record["result"]["scores"][record["players"][0]] += 1
    elif kind == 2:
        turn["actions"] += [{"action": "claim", "objective": record["setup"]["goals"][0]}]
    elif kind == 3:
        record["result"] = 3
    elif kind == 4:
        turn["actions"] = turn["actions"][:-1]
    elif kind == 5:
        del record["result"]
        record["turns"] = record["turns"][: rng.randrange(3, 20)]
    elif kind == 6:
        record["ruleset"] = "paper_world/nowhere"
    return record


@one_day_in(8)
@pytest.mark.parametrize("count", few_or_many(24, 200))
@pytest.mark.parametrize("pair", some([pytest.param(pair) for pair in PAIRS], 1), ids=" ".join)
def test_kernels_measure_what_the_engine_does(
    pair: tuple[str, str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "MAX_SEARCHED", 1)
    rng = random.Random(f"{pair}")
    games = [full_record(raw) for _, raw in raw_games("base")]
    records = games[: count // 2] + [_changed(rng.choice(games), rng) for _ in range(count)]
    addresses = f"paper_world/{pair[0]}", f"paper_world/{pair[1]}"
    shelves = RulesetStore(Library()), RulesetStore(Library())
    fast, slow = (impact_data(measure_impact(_texts(records), addresses, shelves, kernel=k)) for k in (True, False))
    assert fast == slow
    assert fast["games"] == len(records) and fast["unreadable"]


@one_day_in(7)
@pytest.mark.parametrize("pair", [("go", "go/japanese"), ("chess+three_check", "chess")], ids=" ".join)
def test_recorded_results_and_claims_are_not_read(pair: tuple[str, str]) -> None:
    """The other ruleset may have no such score lines, endings, consequences or even players."""
    played = [encode_record(book(pair[0]).game, game) for game in play_many(book(pair[0]), ["A", "B"], 1, 20, 40)]
    shelves = RulesetStore(Library()), RulesetStore(Library())
    strange = {"scores": {"C": 1}, "parts": {"A": {"charm": 3}}, "ranking": [["C"]], "end": {"rule": "rain", "turn": 1}}
    assert any("result" in game or "recorded" in game for game in played)
    ways = [
        played,
        [{**game, **({"result": strange} if "result" in game else {})} for game in played],
        [{**game, "recorded": ["rain"]} for game in played],
        [{key: value for key, value in game.items() if key != "result"} for game in played],
    ]
    for addresses in (pair, pair[::-1]):
        first, *others = (
            impact_data(measure_impact(_texts(games), addresses, shelves, kernel))
            for games in ways
            for kernel in (True, False)
        )
        assert first["stays_legal"] and all(other == first for other in others)
        assert not any("form of the record" in one["rule"] for one in first["by_rule"])


def test_the_result_of_a_game_in_notation_is_not_read_either() -> None:
    """Nor if it names no ruleset, so that its words can be those of either."""
    text = "players: A, B\n\n1. A: pass  2. B: pass\n\nresult\n  parts: A stones 0 area 0 komi 0\n  end: passed 2\n"
    shelves = RulesetStore(Library()), RulesetStore(Library())
    for head in ("", "ruleset: go\n"):
        game = Text("game.pwn", "game.pwn", (head + text).encode())
        for addresses in (("go", "go/japanese"), ("go/japanese", "go")):
            found = measure_impact([game], addresses, shelves)
            assert found.named("stays legal") == found.other_scores == ["game.pwn"]


def test_root_causes_are_looked_for_in_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [full_record(raw) for _, raw in raw_games("base")]
    addresses = "paper_world/bga", "paper_world/fr"
    shelves = RulesetStore(Library()), RulesetStore(Library())
    monkeypatch.setattr(measuring, "MAX_SEARCHED", 0)
    impact = measure_impact(_texts(records), addresses, shelves)
    assert impact.unsearched and any("root causes" in line for line in unread_lines(impact))
    # What is told instead of all causes is still one cause for each game.
    told = [game for change, _, games in impact.by_rule if change == "becomes illegal" for game in games]
    assert sorted(told) == sorted(impact.named("becomes illegal"))


@one_day_in(7)
@pytest.mark.parametrize("most", [0, 3])
def test_what_was_not_looked_for_is_not_blamed_on_the_setup_alone(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = "paper_world/en", "paper_world/fr"
    played = play_many(book(addresses[0]), ["A", "B", "C"], 1, 6, 200)
    texts = _texts([encode_record(book(addresses[0]).game, game) for game in played])
    shelves = RulesetStore(Library()), RulesetStore(Library())
    known = measure_impact(texts, addresses, shelves)
    assert not known.perhaps_setup_only and len(known.setup_only) < len(known.named("becomes illegal")) == 6
    monkeypatch.setattr(measuring, "MAX_SEARCHED", most)
    found = measure_impact(texts, addresses, shelves)
    assert set(found.setup_only) <= set(known.setup_only) <= {*found.setup_only, *found.perhaps_setup_only}
    assert len(found.perhaps_setup_only) == found.unsearched == 6 - most
    lines = " ".join(impact_lines(found))
    assert ("by the setup, perhaps alone" in lines) and ("by the setup alone" in lines) == bool(found.setup_only)


def test_games_that_are_over_under_one_ruleset_only_are_told() -> None:
    """A blocked game goes on in one of them until somebody passes twice."""
    addresses = "crazy_eights", "crazy_eights+open_spiel"
    games = [
        encode_record(book(addresses[0]).game, game) for game in play_many(book(addresses[0]), [*"ABC"], 1, 20, 300)
    ]
    shelves = RulesetStore(Library()), RulesetStore(Library())
    fast, slow = (measure_impact(_texts(games), addresses, shelves, kernel) for kernel in (True, False))
    assert impact_data(fast) == impact_data(slow)
    other = {game.name for game in fast.games if (game.first.totals is None) != (game.second.totals is None)}
    assert other and set(fast.over_under_one) == other == {one["name"] for one in impact_data(fast)["details"]} - {
        *fast.other_scores
    }
    assert any(line.split()[:5] == ["over", "under", "one", "only", str(len(other))] for line in impact_lines(fast))
