"""What the package says of itself: versions, extras, addresses and Pythons stand in one place each and agree everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pwtool

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ABOUT = PROJECT["project"]
EXTRAS: dict[str, list[str]] = ABOUT["optional-dependencies"]
DEVELOPMENT = {"test", "docs", "release", "classics", "fuzz", "benchmark"}
TEXTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "pyproject.toml")),
    *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "pwtool").rglob("*.py")), *sorted((ROOT / ".github").rglob("*.yml")),
]  # fmt: skip


def bare(requirement: str) -> str:
    """The name of a package that is required."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return found[0]


def composed(extra: str) -> set[str]:
    """The extras that an extra is made of."""
    return {one for r in EXTRAS[extra] if bare(r) == "pwtool" for one in re.findall(r"[\w-]+", r.partition("[")[2])}


def test_the_version_stands_in_one_place() -> None:
    assert "version" in ABOUT["dynamic"] and "version" not in ABOUT
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "pwtool/__init__.py"
    version = pwtool.__version__
    assert re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE) == [version]
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0] == version
    shown = re.findall(r"\bv(\d+\.\d+\.\d+)\b", (ROOT / "docs" / "teams.md").read_text("utf-8"))
    assert shown and set(shown) == {version}


def test_all_is_every_extra_for_users() -> None:
    assert composed("all") == set(EXTRAS) - DEVELOPMENT - {"all"}
    assert {"all", "docs", "release"} <= composed("test")


def test_no_package_is_required_in_two_ways() -> None:
    wanted: dict[str, set[str]] = {}
    for requirement in [*ABOUT["dependencies"], *(r for extra in EXTRAS.values() for r in extra)]:
        if bare(requirement) != "pwtool":
            assert ">=" in requirement, f"{requirement} has no lower bound"
            wanted.setdefault(bare(requirement), set()).add(requirement)
    assert [sorted(found) for found in wanted.values() if len(found) > 1] == []
    assert set(PROJECT["build-system"]["requires"]) <= set(EXTRAS["release"])


def test_extras_that_are_named_exist() -> None:
    named = {one for path in TEXTS for one in re.findall(r"pwtool\[([\w,-]+)\]", path.read_text("utf-8"))}
    assert len(named) > 5 and {one for group in named for one in group.split(",")} <= set(EXTRAS), sorted(named)


def test_pythons_are_the_same_everywhere() -> None:
    said = [c.rpartition(" :: ")[2] for c in ABOUT["classifiers"] if re.fullmatch(r".*Python :: 3\.\d+", c)]
    first = ABOUT["requires-python"].removeprefix(">=")
    minors = [int(version.partition(".")[2]) for version in said]
    assert said[0] == first and minors == list(range(minors[0], minors[-1] + 1))
    assert PROJECT["tool"]["mypy"]["python_version"] == first
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{first.replace('.', '')}"


def test_addresses_of_the_project_are_one() -> None:
    """Whoever publishes it changes `project.urls`, and what this test names."""
    home = ABOUT["urls"]["Homepage"]
    assert all(url.startswith(home) for url in ABOUT["urls"].values())
    found = {(path.name, url) for path in TEXTS for url in re.findall(r"https?://[^\s\"'`)>]*\bpwtool\b", path.read_text("utf-8"))}  # fmt: skip
    assert {url for _, url in found} == {home}, sorted(found)
