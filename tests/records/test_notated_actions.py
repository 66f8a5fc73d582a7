"""What is legal is shown as the notation of a record writes it: whatever is shown can be written into the record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.notation.writing import format_notation
from tests.daily import some
from tests.support import book, random_game


def begun(address: str, turns: int, folder: Path) -> Path:
    data, _ = random_game(address, 2, 4, max_turns=turns)
    path = folder / "game.pwn"
    path.write_text(format_notation({**data, "ruleset": address}, book(address).game), "utf-8")
    return path


@pytest.mark.parametrize(
    "address", some(["tic_tac_toe", "connect_four", "othello", "checkers", "chess", "paper_world/en"], 2)
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_legal_can_be_pasted(
    address: str, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = begun(address, 2, tmp_path)
    assert run(["legal", str(path), "--lang", language, "--limit", "7"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    shown = [line.strip() for line in lines if "--limit" not in line]
    player = re.search(r"  (\w+): ", head)
    assert shown and player is not None
    for action in shown:
        one = tmp_path / "one.pwn"
        one.write_text(f"{path.read_text('utf-8').rstrip()}\n3. {player[1]}: {action}\n", "utf-8")
        assert not [f.code for f in pwtool.check(one).findings if f.code not in ("PW615",)], action


def test_findings_show_what_is_legal_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pwn"
    path.write_text("ruleset: tic_tac_toe\nplayers: Ana, Ben\n\nsetup\n\n1. Ana: lay b2  2. Ben: lay b2\n", "utf-8")
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert re.search(r"legal +lay b3$", said, re.MULTILINE) and "(0, 0)" not in said


def test_other_records_show_it_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    record = Path(__file__).parents[2] / "examples/records/clean.json"
    assert run(["legal", str(record), "--at", "5"]) == 0
    assert " from 3" in capsys.readouterr().out
