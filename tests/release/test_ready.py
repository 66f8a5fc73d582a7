"""No release is built with addresses that lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hatch_build import absolute
from tests.release.ready import ROOT, hindrances


def project(root: Path, address: str, heading: str, contact: str = "security@club.net") -> list[str]:
    (root / "pyproject.toml").write_text(f'[project.urls]\nHomepage = "{address}"\n', "utf-8")
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n", "utf-8")
    (root / "SECURITY.md").write_text(f"# Security\n\nReports go to {contact}.\n", "utf-8")
    return hindrances(root)


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert project(tmp_path, "https://github.com/club/pwtool", "## 0.1.0 (2027-01-31)") == []
    for address in (
        "https://example.org/pwtool",
        "http://www.example.com",
        "https://pwtool.invalid/a",
        "https://localhost",
    ):
        (told,) = project(tmp_path, address, "## 0.1.0 (2027-01-31)")
        assert f"`Homepage` of [project.urls] is {address}" in told
    assert project(tmp_path, "https://example.org.club.net/", "## 0.1.0 (2027-01-31)") == []
    for heading in ("## 0.1.0 (unreleased)", "## 0.1.0", ""):
        (told,) = project(tmp_path, "https://github.com/club/pwtool", heading)
        assert "has no date" in told
    (told,) = project(tmp_path, "https://github.com/club/pwtool", "## 0.1.0 (2027-01-31)", "**none yet**")
    assert told.startswith("SECURITY.md: ")


def test_who_can_be_told_of_a_hole_is_named_or_missing() -> None:
    """The page has an address, or the words by which a release is refused."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    refused = any(told.startswith("SECURITY.md: ") for told in hindrances(ROOT))
    assert refused != bool(re.search(r"[\w.+-]+@[\w-]+\.\w+|https?://", text))


def test_a_release_is_refused_as_long_as_something_is_missing() -> None:
    """The first thing that `make release` does is to ask."""
    lines = (ROOT / "Makefile").read_text("utf-8").split("\nrelease:")[1].splitlines()
    assert "tests.release.ready" in lines[1]


@pytest.mark.parametrize("home", ["https://github.com/club/pwtool", "https://club.example/pwtool"])
def test_links_of_the_readme_lead_to_files(home: str) -> None:
    """On a package index; a forge shows files and pictures at two addresses."""
    text = "![A game](docs/a.svg) [first](docs/first.md) [there](https://a.b/c) [here](#here)"
    files = f"{home}/blob/main"
    assert absolute(text, files) == (
        f"![A game]({home}/raw/main/docs/a.svg) [first]({files}/docs/first.md) [there](https://a.b/c) [here](#here)"
    )
