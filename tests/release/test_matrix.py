"""Other Pythons and other versions of packages: what CI asks for is what pyproject.toml says, and a few tests pass there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.matrix import PYTHONS, SAMPLE, find_pythons, run_in
from tests.release.test_metadata import ABOUT, ROOT

WORKFLOW = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
FEW = ["tests/cli/test_quick.py", "tests/cli/test_windows.py", "tests/records/test_importers.py"]


def test_ci_has_every_system_and_every_python() -> None:
    assert re.findall(r"^ +python: \[(.*)\]$", WORKFLOW, re.MULTILINE) == [", ".join(f'"{v}"' for v in PYTHONS)]
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in WORKFLOW and "versions: lowest" in WORKFLOW
    shown = [c.rpartition(" :: ")[2] for c in ABOUT["classifiers"] if re.fullmatch(r".*Python :: 3\.\d+", c)]
    assert list(PYTHONS[: len(shown)]) == shown, "classifiers name what tests have shown"


def test_the_sample_is_there() -> None:
    assert [name for name in SAMPLE if not Path(ROOT / name).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize("versions", ["newest", "lowest"])
def test_a_plain_install_works_elsewhere(versions: str) -> None:
    """With the newest packages under the newest Python of this machine, with the lowest ones under the oldest."""
    found = find_pythons()
    assert found, "no Python of those that are supported"
    python = list(found.values())[-1 if versions == "newest" else 0]
    passed, said = run_in(python, versions, "", FEW)
    assert passed, said
