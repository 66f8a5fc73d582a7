"""Games in a terminal: which position is meant, colors, what moved, the pager."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in
from tests.support import started

ROOT = Path(__file__).resolve().parents[2]
CLEAN = str(ROOT / "examples" / "records" / "clean.json")
ILLEGAL = str(ROOT / "examples" / "records" / "illegal.json")


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command prints."""
    assert run([*words]) == code
    return capsys.readouterr().out


def test_at_is_before_a_turn_and_after_behind_it(capsys: pytest.CaptureFixture[str]) -> None:
    before = said(capsys, "replay", CLEAN, "--at", "4")
    assert before.startswith("before turn 4\n") and before.endswith("place Y1 at (0, -2)\n")
    assert "hand  G1 K1 Y1 YS1" in before
    after = said(capsys, "replay", CLEAN, "--after", "4")
    assert after.startswith("turn 4  Ben: place YS1 at (0, -1)")
    # The position is the one before the next turn; what came to lie stands in brackets.
    following = said(capsys, "replay", CLEAN, "--at", "5")
    assert "[YS1]" in after and re.sub(r"[][ ]", "", after.partition("\n")[2]) in re.sub(r"[][ ]", "", following)
    assert said(capsys, "legal", CLEAN, "--after", "4") == said(capsys, "legal", CLEAN, "--at", "5")
    assert said(capsys, "render", CLEAN, "--after", "4") == said(capsys, "render", CLEAN, "--at", "5")
    match = ("match", "two_5s", CLEAN)
    assert said(capsys, *match, "--after", "41", code=1) == said(capsys, *match, "--at", "42", code=1)


def test_the_end_and_beyond(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "replay", CLEAN, "--after", "42").startswith("turn 42")
    assert said(capsys, "replay", CLEAN, "--at", "43").startswith("before turn 43")
    assert run(["replay", CLEAN, "--after", "43"]) == 2
    assert run(["replay", CLEAN, "--at", "3", "--after", "3"]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def test_the_output_file_has_what_would_be_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    for words, code in (([CLEAN], 0), ([CLEAN, "--at", "4"], 0), ([ILLEGAL], 1)):
        printed = said(capsys, "replay", *words, code=code)
        assert said(capsys, "replay", *words, "-o", "-", code=code) == printed
        assert said(capsys, "replay", *words, "--force", "-o", str(path), code=code) == ""
        assert path.read_text("utf-8") == printed
    assert run(["replay", CLEAN, "-o", str(path)]) == 2


def test_a_finding_is_told_with_its_turn(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("--at", "--after"):
        assert "place.inside_3x3" in said(capsys, "replay", ILLEGAL, word, "23", code=1)
    assert "place.inside_3x3" not in said(capsys, "replay", ILLEGAL, "--at", "22")


def test_a_game_is_told_as_far_as_it_is_legal(capsys: pytest.CaptureFixture[str]) -> None:
    """As `legal`, `score` and `render` do: what comes behind the first error was played from a position that cannot be."""
    told = said(capsys, "replay", ILLEGAL, code=1)
    assert "\nturn 22  Ben" in told and "\nturn 23  Ana" in told and "turn 24" not in told
    assert told.count("error[") == 1
    for word in ("--at", "--after"):
        beyond = said(capsys, "replay", ILLEGAL, word, "30", code=1)
        assert beyond == said(capsys, "replay", ILLEGAL, "--at", "23", code=1)
        data = json.loads(said(capsys, "replay", ILLEGAL, word, "30", "--json", code=1))
        assert data["turn"] == 23 and [f["turn"] for f in data["findings"]] == [23]


def test_codes_have_the_colors_of_their_cards(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = said(capsys, "replay", CLEAN)
    assert "\x1b" not in plain
    monkeypatch.setenv("NO_COLOR", "1")
    painted = said(capsys, "--color", "always", "replay", CLEAN)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain
    # Blue, yellow and green are told apart; black has the color of the text around.
    found = dict(re.findall(r"\x1b\[1;38;5;(\d+)m([A-Z])", painted))
    assert sorted(found.values()) == ["B", "G", "Y"] and "\x1b[1mturn 1  Ana" in painted


@one_day_in(8)
@pytest.mark.skipif(os.name != "posix", reason="no terminal to try it on")
def test_the_pager_is_used_when_it_is_asked_for() -> None:
    import pty

    command = [sys.executable, "-m", "pwtool", "replay", CLEAN, "--after", "4"]
    for words, first in ((["--pager"], "paged:turn 4"), ([], "turn 4")):
        parent, child = pty.openpty()
        environment = {**os.environ, "PAGER": "sed s/^/paged:/", "NO_COLOR": "1", "TERM": "xterm"}
        with started(
            [*command, *words], stdin=child, stdout=child, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT
        ):
            os.close(child)
            text = b""
            while True:
                try:
                    read = os.read(parent, 4096)
                except OSError:
                    break
                if not read:
                    break
                text += read
        os.close(parent)
        assert text.decode().startswith(first), text[:200]


def test_variables_that_a_look_hides_are_not_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    assert run(["play", "nine_mens_morris", "--seed", "2", "-o", str(record)]) == 0
    capsys.readouterr()
    assert run(["replay", str(record), "--at", "8"]) == 0
    shown = capsys.readouterr().out
    assert "mover" not in shown and "stock" in shown
    assert run(["replay", str(record), "--at", "8", "--json"]) == 0
    assert '"mover"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "suffix", "shown", "not_shown"),
    [
        ("1. e4 e5 *", "pgn", "taken", ["box", "\n  White"]),
        ("(;GM[1]SZ[9]PB[Ana]PW[Ben];B[ee];W[ef])", "sgf", "E5", ["bowl", "Ana\n", "passes"]),
        ("1. 11-15 22-18 *", "pdn", "taken", ["claimed"]),
    ],
)
def test_zones_that_a_look_hides_are_not_shown(
    text: str, suffix: str, shown: str, not_shown: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the rules need and nobody sees at the table, such as pieces that lie ready; a player without anything is no heading."""
    (tmp_path / f"game.{suffix}").write_text(text)
    assert run(["replay", str(tmp_path / f"game.{suffix}"), "--after", "1"]) == 0
    told = capsys.readouterr().out.partition("turn 2 ")[0]
    assert shown in told and not [word for word in not_shown if word in told]
