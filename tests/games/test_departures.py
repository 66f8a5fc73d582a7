"""The page on the recorded games under the rulebooks is what the script makes, with every finding explained."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date_and_every_finding_is_explained() -> None:
    spec = importlib.util.spec_from_file_location("make_departures", ROOT / "docs" / "make_departures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.make_page()
    assert page.count("\n| ") > 100, "the script inspected nothing"
    assert (ROOT / "docs" / "departures.md").read_text("utf-8") == page
