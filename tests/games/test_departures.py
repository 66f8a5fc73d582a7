"""The page on the recorded games under the rulebooks is what the script makes, with every finding explained."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "departures.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_departures", ROOT / "docs" / "make_departures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@one_day_in(7)
def test_what_the_page_says_of_some_games_is_up_to_date(script: ModuleType) -> None:
    games = script.paths()[::20]
    names = tuple(f"| {path.stem} |" for path in games)
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(names)]
    assert len(lines) > 3 * len(games) and lines == script.table(script.judge(games)[0])


@pytest.mark.slow
def test_the_page_is_up_to_date_and_every_finding_is_explained(script: ModuleType) -> None:
    page = script.make_page()
    assert page.count("\n| ") > 100, "the script inspected nothing"
    assert PAGE.read_text("utf-8") == page
