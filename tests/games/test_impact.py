"""The page on what each rulebook makes of the recorded games is what the script makes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "impact.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_impact", ROOT / "docs" / "make_impact.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@one_day_in(8)
@pytest.mark.parametrize("mode", ["base", "advanced"])
def test_what_the_page_says_of_some_games_is_up_to_date(mode: str, script: ModuleType) -> None:
    """A line names its first games, so what the first games of all do can be read there."""
    text = PAGE.read_text("utf-8")
    impacts = script.measure(RulesetStore(Library()), mode, 2)
    assert len(impacts) >= 3
    for impact in impacts:
        names = {game.name for game in impact.games}
        said = {(what, name) for what, found in script.rows(impact) for name in found}
        section = text.split(f"\n## {impact.second}\n")[1].partition("\n## ")[0]
        lines = (line.split(" | ") for line in section.splitlines() if line.startswith("| "))
        shown = {
            (line[0].removeprefix("| "), name) for line in lines for name in re.findall(r"\[([^\]]+)\]\(", line[-1])
        }
        assert said and said == {pair for pair in shown if pair[1] in names}


@pytest.mark.slow
def test_the_page_is_up_to_date(script: ModuleType) -> None:
    page = script.make_page()
    assert page.count("\n## ") == 7, "the script inspected nothing"
    assert PAGE.read_text("utf-8") == page
