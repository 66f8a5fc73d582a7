"""Games that share nothing are told apart at once, and games are looked for only where some are asked for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.evidence import is_related
from pwtool.comparing.witness.shrink import shrink
from tests.daily import one_day_in
from tests.support import book, random_game

UNRELATED = ["compare", "paper_world/en", "chess"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


@one_day_in(4)
def test_rulesets_are_related_by_their_actions() -> None:
    english, chess = book("paper_world/en").game, book("chess").game
    assert not is_related(english, chess) and is_related(english, book("paper_world/fr").game)


@one_day_in(4)
@pytest.mark.parametrize("more", [[], ["--witness", "games"]], ids=" ".join)
def test_games_that_share_no_action_are_told_apart_at_once(
    more: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = time.process_time()
    assert run([*UNRELATED, *more]) == 1
    # It took minutes.
    assert time.process_time() < begun + 20
    said = capsys.readouterr()
    assert "without an action in common" in said.out and "games played" not in said.out
    assert ("none is looked for" in said.err) == bool(more) and not (here / "games").exists()


@one_day_in(4)
def test_data_tell_that_nothing_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*UNRELATED, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["games"]["played"] == 0


def test_without_effort_no_games_are_looked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = ["compare", "paper_world/en", "paper_world/fr"]
    assert run([*same, "--effort", "0", "--witness", "games"]) == 2
    assert "plays no games" in capsys.readouterr().err and not (here / "games").exists()


def test_witnesses_need_a_folder_with_a_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "paper_world/en", "paper_world/fr", "--witness", ""]) == 2
    assert "names no folder" in capsys.readouterr().err and not [*here.iterdir()]


def test_a_game_is_made_smaller_only_while_there_is_time() -> None:
    rules = book("paper_world/en")
    data, _ = random_game("paper_world/en", 2, 0, max_turns=9)
    record = rules.decoder.record(data)
    assert shrink(rules.game, record, lambda _: True, 400, lambda: False) == record
