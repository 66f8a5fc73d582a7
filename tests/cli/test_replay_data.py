"""`pwtool replay --json`: positions that other commands read, and the same verdict as everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "examples" / "records"
Capture = pytest.CaptureFixture[str]


def shown(capsys: Capture, *words: str) -> tuple[int, Any]:
    code = run(["replay", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_every_position_is_the_one_that_the_library_gives(capsys: Capture) -> None:
    path = RECORDS / "clean.json"
    code, data = shown(capsys, str(path))
    game = pwtool.replay(path)
    assert code == 0 and data["findings"] == [] and data["finished"] and len(data["turns"]) == game.turns
    for turn in data["turns"]:
        assert turn["position"] == game.at(turn["turn"]).state() and turn["player"] == game.at(turn["turn"]).player
    assert data["end"] == game.end.state()
    written = json.loads(path.read_text("utf-8"))["turns"]
    assert [t["actions"] for t in data["turns"]] == [t["actions"] for t in written]


def test_a_position_is_a_file_that_other_commands_read(capsys: Capture, tmp_path: Path) -> None:
    code, data = shown(capsys, str(RECORDS / "clean.json"), "--at", "12")
    _, after = shown(capsys, str(RECORDS / "clean.json"), "--after", "11")
    assert code == 0 and data == after and data["turn"] == 12 and "turns" not in data
    state = tmp_path / "state.json"
    state.write_text(json.dumps(data["position"]), "utf-8")
    assert run(["check", str(state)]) == 0
    capsys.readouterr()
    assert run(["score", str(state), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == pwtool.replay(RECORDS / "clean.json").at(12).score().scores


def test_what_is_wrong_is_told_as_check_tells_it(capsys: Capture) -> None:
    path = str(RECORDS / "illegal.json")
    code, data = shown(capsys, path)
    assert code == run(["check", path, "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["files"][0]["findings"]
    assert [f["code"] for f in data["findings"]] == [f["code"] for f in findings]
    code, data = shown(capsys, path, "--at", "23")
    assert code == 1 and {f["turn"] for f in data["findings"]} <= {23, None}
    assert shown(capsys, path, "--at", "3")[0] == 0


def test_it_goes_to_a_file(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "game.json"
    path = str(RECORDS / "clean.json")
    assert run(["replay", path, "--json", "-o", str(out)]) == 0
    assert capsys.readouterr().out == "" and json.loads(out.read_text("utf-8"))["players"] == ["Ana", "Ben"]
    assert run(["replay", path, "--json", "-o", str(out)]) == 2
    assert run(["replay", path, "--json", "-o", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["players"] == ["Ana", "Ben"]
    assert run(["replay", path, "--json", "--html"]) == 2
    assert "cannot be combined" in capsys.readouterr().err
