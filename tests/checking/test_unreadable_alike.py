"""Games that cannot be judged for the same reason: told once on the screen, and each of them in every report."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pwtool.cli.app import run

GAMES = 7


@pytest.fixture
def archive(tmp_path: Path) -> str:
    """Games whose tag and moves end differently, each of which is unreadable alike."""
    path = tmp_path / "games.pgn"
    path.write_text("".join(f'[Event "G{n}"]\n[Result "0-1"]\n\n1. e4 e5 1-0\n\n' for n in range(GAMES)))
    return str(path)


def test_the_screen_tells_one(archive: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", archive]) == 2
    printed = capsys.readouterr().out
    assert printed.count("error[PW704]") == 1 and f"{GAMES - 1} more games of this file" in printed
    assert f"{GAMES} checked: {GAMES} unreadable" in printed


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("form", ["sarif", "markdown", "html", "json", "junit"])
def test_a_report_has_all(
    archive: str, form: str, kept: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"report.{form}"
    assert run(["check", archive, "-f", form, *(["-o", str(file)] if kept else [])]) == 2
    text = file.read_text(encoding="utf-8") if kept else capsys.readouterr().out
    if form == "sarif":
        (done,) = json.loads(text)["runs"]
        lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in done["results"]]
        assert lines == [2 + 5 * n for n in range(GAMES)]
    elif form == "json":
        assert sum(result["verdict"] == "unreadable" for result in json.loads(text)["files"]) == GAMES
    elif form == "junit":
        assert len(ElementTree.fromstring(text).findall(".//error")) == GAMES
    elif form == "markdown":
        assert text.count("the moves end with 1-0") == GAMES
    else:
        assert f'PW704</code></td><td class="number">{GAMES}</td>' in text
