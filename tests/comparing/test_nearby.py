"""A finding names the near rulesets that accept what it refuses: a variant more or less, another edition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.accepting import MAX_KINDS, MAX_NEAR, MAX_TRIED, Nearby, near_rulesets
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.classics.test_claims import record, there_and_back
from tests.daily import one_day_in

LONG = record("chess+automatic_draws", there_and_back(10))
"""Accepted by the rules of chess; the variant ends it after eight turns."""
TOO_LONG = record("chess+automatic_draws", there_and_back(20))


def notes(game: Any) -> list[str]:
    return [note for finding in pwtool.check(game).causes for note in finding.notes]


def test_a_variant_less_or_more_is_named() -> None:
    assert notes(LONG) == ["`chess` accepts it"]
    drawn = record("chess", there_and_back(8), result={"ranking": [["A", "B"]]})
    assert notes(drawn)[-1] == "`chess+automatic_draws` accepts it"
    pop = {"action": "pop", "at": [0, 5]}
    game = record("connect_four", [{"action": "drop", "at": [0, 5]}, {"action": "drop", "at": [1, 5]}, pop])
    assert pwtool.check(game).status == "unreadable" and notes(game) == ["`connect_four+pop_out` accepts it"]


def test_another_edition_is_named() -> None:
    game = pwtool.load("paper_world/gamepark").play(3, seed=1)
    del game["version"]
    found = pwtool.load("paper_world/en").check(game)
    assert found.status == "findings"
    assert [note for f in found.causes for note in f.notes if "accepts it" in note or "accept it" in note] == [
        "`paper_world/gamepark` accepts it"
    ]


def test_nothing_is_named_where_none_accepts_it() -> None:
    assert notes(TOO_LONG) == []
    own = record("chess", [{"action": "step", "start": [4, 6], "target": [4, 1]}])
    assert not any("accept" in note for note in notes(own))
    assert near_rulesets(Library(), "house.rules") == near_rulesets(Library(), "no_such_game") == []
    assert all(len(near_rulesets(Library(), address)) <= MAX_NEAR for address in pwtool.rulesets())


def test_the_first_few_of_each_kind_of_finding_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "pwtool.comparing.accepting._accepts", lambda loaded, ruleset_store, address: bool(asked.append(address))
    )
    games = [LONG] * (MAX_TRIED + 3)
    assert [v.status for v in pwtool.check_many(games)] == ["findings"] * len(games)
    assert asked == near_rulesets(Library(), "chess+automatic_draws") * MAX_TRIED


def test_what_is_found_is_told_once() -> None:
    told = [bool([n for f in v.causes for n in f.notes]) for v in pwtool.check_many([TOO_LONG, LONG, LONG])]
    assert told == [False, True, False]


def test_there_is_a_limit_to_the_kinds() -> None:
    nearby = Nearby(RulesetStore(Library()), "en")
    nearby.tried.update(("a", "b", str(number)) for number in range(MAX_KINDS + 1))
    told = pwtool.check(LONG)._told
    assert told is not None

    def load() -> Any:
        raise AssertionError

    assert nearby.tell(told, load) is told


@one_day_in(8)
def test_the_first_of_an_archive_tells_it_however_many_processes_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    games = [TOO_LONG, *[LONG] * 12, LONG | {"id": "last"}]
    path.write_text("".join(json.dumps(game) + "\n" for game in games), "utf-8")
    said = []
    for jobs in ("1", "2"):
        assert run(["check", str(path), "--format", "jsonl", "--jobs", jobs]) == 1
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert ["accepts it" in line for line in said[0].splitlines()] == [False, True, *[False] * 12]
