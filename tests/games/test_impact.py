"""The page on what each rulebook makes of the recorded games is what the script makes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_impact", ROOT / "docs" / "make_impact.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.make_page()
    assert page.count("\n## ") == 7, "the script inspected nothing"
    assert (ROOT / "docs" / "impact.md").read_text("utf-8") == page
