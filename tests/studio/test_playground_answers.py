"""What the playground's Python answers is what the command line says: analyses and comparisons, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from tests.studio.test_bundle import ROOT, checkout, installed
from tests.studio.test_playground_page import site

__all__ = ["installed", "site"]
pytestmark = [pytest.mark.slow, checkout, pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")]
EDITIONS = [f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark")]
HOUSE = """edition house of paper_world/en "House"

objective twos "Two 2s side by side" = some [ # # ] turned: all value == 2
change rule turn.hand_limit "At most seven cards stay in hand" see taking
  require count hand <= 7
  because "seven are enough for two"
"""
CHANGES = [
    'change objective two_5s "Three visible 5s" = at least 3 card: value == 5',
    'change objective two_5s "Two 5s" = at least 2 card: value >= 5',
    "remove rule turn.hand_limit",
    'objective tall "A tall pile" = at least 1 pile: height >= 4',
    'objective row "A row" = some [ # # # ] turned: same color',
    'objective none "No scissors" = no card: scissors',
    'objective never "Never" = at least 10 card: value == 5',
    'objective sums "Small" = some [ # # / # # ]: sum value <= 6',
]
MOST = 1800
"""So many seconds may all cases take."""
ANALYZED = [["analyze", address] for address in (*EDITIONS, "paper_world/en+advanced", "house.rules")]
COMPARED = [
    *(["compare", one, other] for at, one in enumerate(EDITIONS) for other in EDITIONS[at + 1 :]),
    *(["compare", address, f"{address}+advanced"] for address in EDITIONS if not address.endswith("bga")),
    ["compare", "paper_world", "paper_world/en"],
    ["compare", "paper_world/en", "house.rules"],
    *(["compare", "paper_world/en", f"house{number}.rules"] for number in range(len(CHANGES))),
    *(["compare", "house.rules", f"house{number}.rules"] for number in range(3)),
    ["compare", "checkers", "checkers+flying_kings"],
    ["compare", "tic_tac_toe", "connect_four"],
    ["compare", "nim", "nim"],
    ["compare", "othello", "othello"],
    ["compare", "pierre_papier_morpion", "paper_world/en"],
    ["compare", "gomoku", "tic_tac_toe"],
]


def test_there_are_forty_cases() -> None:
    assert len(ANALYZED) + len(COMPARED) >= 40


def write_houses(folder: Path) -> None:
    """The house rules of the cases."""
    (folder / "house.rules").write_text(HOUSE, "utf-8")
    for number, change in enumerate(CHANGES):
        text = HOUSE.replace("edition house", f"edition house{number}")
        if change.startswith("remove rule"):
            text = text[: text.index("change rule")]
        (folder / f"house{number}.rules").write_text(f"{text}{change}\n", "utf-8")


def agree(here: dict[str, Any], there: dict[str, Any]) -> bool:
    """Whether the playground gives the answer of the command line, or leaves some of it undecided: it has no solver. How many cases
    a proof looked at depends on what looked at them.
    """
    if "rows" not in here:
        return here == there
    rows = list(zip(here.pop("rows"), there.pop("rows"), strict=True))
    for one, other in rows:
        if other["status"] == "undecided":
            one["status"] = "undecided"
        for row in (one, other):
            row["proof"] = row.get("proof", "").partition(" cases ")[2]
    return here == there and all(one == other for one, other in rows)


def test_the_answers_are_those_of_the_command_line(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_houses(tmp_path)
    monkeypatch.chdir(tmp_path)
    cases = [*ANALYZED, *COMPARED]
    command = [
        "node",
        str(Path(__file__).with_name("command_lines.mjs")),
        str(site),
        str(ROOT / "pwtool" / "cli"),
        str(tmp_path),
    ]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False, timeout=MOST)
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["words"] for one in said] == cases
    differ = []
    for one in said:
        options = ["--json"] if one["words"][0] == "analyze" else ["--format", "json"]
        status = run([*one["words"], *options])
        printed = capsys.readouterr().out
        there = json.loads(one["printed"])
        may_be_open = one["status"] == 3 and any(row["status"] == "undecided" for row in there.get("rows", ()))
        if not (agree(json.loads(printed), there) and (one["status"] == status or may_be_open)):
            differ.append((one["words"], one["status"], status))
    assert differ == []
