"""What commands that write files and pictures tell as data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run

ROOT = Path(__file__).resolve().parents[2]
RULES = """edition house of paper_world/en "House rules"

objective high "All high" =   all value >= 3
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("records/clean", "records/illegal", "records/duels", "states/final"):
        shutil.copy(ROOT / "examples" / f"{name}.json", tmp_path)
    (tmp_path / "house.rules").write_text(RULES, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    def tell(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert run([*words, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return tell


def test_formatting(told: Any, here: Path) -> None:
    changed = {"files": [{"file": "house.rules", "changed": True}], "problems": []}
    assert told("fmt", "house.rules", "--check", code=1) == changed
    difference = told("fmt", "house.rules", "--diff", code=1)["files"][0]["diff"]
    assert '-objective high "All high" =   all' in difference and (here / "house.rules").read_text("utf-8") == RULES
    assert told("fmt", "house.rules") == changed and (here / "house.rules").read_text("utf-8") != RULES
    assert told("fmt", "house.rules", "--check")["files"] == [{"file": "house.rules", "changed": False}]
    missing = told("fmt", "house.rules", "no.rules", code=2)
    assert [p["code"] for p in missing["problems"]] == ["PW104"] and len(missing["files"]) == 1


def test_new_files(told: Any, here: Path) -> None:
    assert told("new", "game", "mine") == {"kind": "game", "name": "mine", "files": ["mine/game.rules"]}
    assert (here / "mine" / "game.rules").exists()


def test_packed_records(told: Any, here: Path) -> None:
    packed = told("pack", "clean.json", "illegal.json", "-o", "games.parquet")
    size = (here / "games.parquet").stat().st_size
    assert packed == {"file": "games.parquet", "packed": 2, "kept": 0, "unread": 0, "bytes": size}


def test_pictures(told: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = told("render", "l_of_2s", "--rules", "paper_world/fr", "--lang", "fr")
    assert (named["kind"], named["title"], named["written"]) == ("objective", "L de 2", "some L: all value == 2")
    assert [len(picture["cells"]) for picture in named["pictures"]] == [3]
    assert told("render", "corners", "--rules", "paper_world/en")["kind"] == "shape"
    board = told("render", "[ Y1+Y2 _ / . G2 ]", "--rules", "paper_world/en")
    assert board["cells"] == [{"at": [0, 0], "cards": ["Y1", "Y2"]}, {"at": [1, 1], "cards": ["G2"]}]
    assert run(["render", "l_of_2s", "--rules", "paper_world/en", "-o", "l.json"]) == 0
    assert json.loads((here / "l.json").read_text("utf-8"))["name"] == "l_of_2s"


def test_positions(told: Any, here: Path) -> None:
    drawn = told("render", "clean.json", "--at", "7")
    assert (drawn["turn"], drawn["player"], drawn["seen_by"]) == (7, "Ana", None)
    assert drawn["position"] == told("replay", "clean.json", "--at", "7")["position"]
    refused = told("render", "illegal.json", code=1)
    assert (
        refused["turn"] == 23
        and refused["position"] == told("replay", "illegal.json", "--at", "23", code=1)["position"]
    )
    duel = told("render", "duels.json", "--at", "5")
    seen = told("render", "duels.json", "--at", "5", "--player", "Leo")
    assert seen["seen_by"] == "Leo" and seen["position"] != duel["position"]
    state = told("render", "final.json")
    assert state["turn"] is None and run(["check", "final.json"]) == 0
    (here / "again.json").write_text(json.dumps(state["position"]), "utf-8")
    assert run(["check", "again.json"]) == 0


@pytest.mark.parametrize(
    "words",
    [["new", "game", "mine", "-o", "-"], ["pack", "clean.json", "-o", "-"], ["fmt", "-"], ["render", "clean.json", "-o", "a.svg"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_one_place_is_not_asked_for_twice(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "cannot be combined" in said.err
