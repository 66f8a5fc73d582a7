"""The tests in parts: each test is in one of them, and always in the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def collected(*options: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-q", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    return [line for line in done.stdout.splitlines() if "::" in line or ": " in line]


def numbers(lines: list[str]) -> int:
    return sum(int(line.rpartition(": ")[2]) for line in lines)


@pytest.mark.slow
def test_parts_are_the_whole_and_share_nothing() -> None:
    folder = str(Path(__file__).parent)
    whole = numbers(collected(folder))
    assert whole > 10
    assert sum(numbers(collected(folder, "--part", f"{part}/3")) for part in (1, 2, 3)) == whole


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "1", "a/b", "/"])
def test_what_is_no_part_is_told(wrong: str, pytester_config: pytest.Config) -> None:
    from tests.conftest import pytest_collection_modifyitems

    pytester_config.option.part = wrong
    with pytest.raises(pytest.UsageError, match="2/8"):
        pytest_collection_modifyitems(pytester_config, [])


@pytest.fixture
def pytester_config(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> pytest.Config:
    monkeypatch.setattr(request.config.option, "part", None)
    return request.config
