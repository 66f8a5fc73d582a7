"""A game in which too much is wrong is not judged to the end: that is told, and nothing is derived of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.archives import Checker
from pwtool.checking.report import Verdict
from pwtool.cli.app import run
from pwtool.play.replay import MAX_FINDINGS
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.support import random_game

GAME, _ = random_game("paper_world/fr", 2, 5)


def flooded(turn: int) -> dict[str, Any]:
    """A game one turn of which repeats its first action, which is illegal from the second time on."""
    game: dict[str, Any] = json.loads(json.dumps(GAME))
    actions = game["turns"][turn]["actions"]
    actions[:] = actions[:1] * (MAX_FINDINGS + 50)
    return game


@pytest.mark.parametrize("turn", [0, 3, -1])
def test_what_was_not_judged_is_told_and_nothing_is_derived_of_it(turn: int, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(flooded(turn)), "utf-8")
    (result,) = Checker(RulesetStore(Library()), []).check([str(path)])
    codes = [d.code for d in result.diagnostics]
    number = range(len(GAME["turns"]))[turn] + 1
    last = result.diagnostics[-1]
    assert result.verdict is Verdict.FINDINGS and codes.count("PW616") == 1
    assert last.code == "PW616" and last.turn == number and last.span is not None
    # No score line, no ranking, no ending, nothing of a later turn.
    assert all(d.code in ("PW601", "PW602", "PW603", "PW616") and d.turn == number for d in result.diagnostics)
    assert str(result.summary[-1]) == "not judged to the end"


@pytest.mark.parametrize("form", ["full", "concise", "json", "jsonl", "sarif", "junit", "github", "markdown"])
def test_every_format_tells_it(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(flooded(1)), "utf-8")
    assert run(["check", str(path), "--format", form]) == 1
    assert "PW616" in capsys.readouterr().out


def test_a_replay_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(flooded(1)), "utf-8")
    assert run(["replay", str(path)]) == 1
    assert "PW616" in capsys.readouterr().out
