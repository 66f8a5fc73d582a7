"""The schema and the decoder say the same of a form, whatever a zone is divided by, and a report is the same in every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import pwtool
from pwtool.records.encoding import encode_state
from pwtool.records.json_form import Malformed
from pwtool.records.schema import record_schema, state_schema
from pwtool.records.states import decode_state
from tests.daily import one_day_in
from tests.support import book, random_game

ROOT = Path(__file__).resolve().parents[2]
RULES = [
    "paper_world/gamepark",
    "pierre_papier_morpion+bonus+binoculars",
    # Here zones are divided by number and by player or objective at once, and such zones are dealt to.
    *(str(ROOT / "tests" / "kernel" / "rules" / name / "game.rules") for name in ("quarry", "weir")),
]


@pytest.mark.parametrize("address", RULES)
def test_what_is_written_is_read_and_fits_the_schema(address: str) -> None:
    rules = book(address)
    for seed in range(3):
        record, play = random_game(address, 2, seed, max_turns=4)
        state = encode_state(rules.game, play.state, record["players"])
        rules.decoder.record(record)
        assert encode_state(rules.game, decode_state(rules.decoder, state).state, record["players"]) == state
        for schema, data in ((record_schema(rules.game), record), (state_schema(rules.game), state)):
            assert [e.message for e in Draft202012Validator(schema).iter_errors(data)] == []


@one_day_in(7)
def test_a_file_with_many_mistakes_gets_the_same_report_in_every_run(tmp_path: Path) -> None:
    state = json.loads((ROOT / "examples" / "states" / "final.json").read_text("utf-8"))
    state["zones"]["hand"] = {f"player {number}": number for number in range(60)}
    (tmp_path / "state.json").write_text(json.dumps(state))
    reports = {
        subprocess.run(
            [sys.executable, "-m", "pwtool", "check", str(tmp_path / "state.json"), "-f", "concise"],
            cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "123"
    }  # fmt: skip
    assert len(reports) == 1 and "PW702" in reports.pop()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"players": ["", "Ben"]}, "an empty text is not possible here"),
        ({"players": ["x" * 300, "Ben"]}, "a text of at most 80 characters is possible here"),
        ({"players": [3, "Ben"]}, "a text is needed here"),
    ],
)
def test_what_does_not_fit_is_said_in_words(wrong: dict[str, object], message: str, tmp_path: Path) -> None:
    record, _ = random_game("paper_world/gamepark", 2, 0, max_turns=1)
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({**record, "turns": [], **wrong}), "utf-8")
    result = pwtool.check(path)
    assert [d.message for d in result.findings][:1] == [message]


def test_records_and_positions_may_name_their_schema() -> None:
    rules = book("paper_world/fr")
    record, _ = random_game("paper_world/fr", 2, 1)
    schema = record_schema(rules.game)
    assert schema["$id"] == "urn:pwtool:pwtool/1:paper_world/fr"
    assert state_schema(rules.game)["$id"] == "urn:pwtool:pwtool-state/1:paper_world/fr"
    for value, good in (("./paper_world.schema.json", True), (3, False)):
        named = {"$schema": value, **record}
        assert Draft202012Validator(schema).is_valid(named) is good
        try:
            rules.decoder.record(named)
            assert good
        except Malformed as malformed:
            assert malformed.path == ("$schema",) and not good


def test_kernels_read_records_that_name_their_schema() -> None:
    from tests.kernel.judging import bench, dumped, judged, sample

    game = {"$schema": "./x.json", **sample("paper_world/gamepark", 12)[0]}
    (said,) = judged(bench("paper_world/gamepark"), [dumped(game)])
    assert said.verdict == 0
    (said,) = judged(bench("paper_world/gamepark"), [dumped({**game, "$schema": 1})])
    assert said.verdict == 2


def test_nobody_else_does_what_the_rules_do() -> None:
    from tests.kernel.judging import bench, dumped, judged, sample

    address = "paper_world/gamepark"
    game, number, at = next(
        (game, number, at)
        for game in sample(address, 12)
        for number, turn in enumerate(game["turns"])
        for at, action in enumerate(turn["actions"])
        if action["action"] == "claim"
    )
    rules, schema = book(address), Draft202012Validator(record_schema(book(address).game))
    actor = game["turns"][number]["player"]
    other = next(name for name in game["players"] if name != actor)
    for key, value, place in (("by", actor, None), ("by", other, "by"), ("reveal", {"discard": "K1"}, "reveal")):
        changed = json.loads(json.dumps(game))
        changed["turns"][number]["actions"][at][key] = value
        (said,) = judged(bench(address), [dumped(changed)])
        assert said.verdict == (2 if place else 0)
        # Who else it was is more than a schema can tell.
        assert schema.is_valid(changed) is (key == "by")
        try:
            rules.decoder.record(changed)
            assert place is None
        except Malformed as malformed:
            assert malformed.path == ("turns", number, "actions", at, place)
