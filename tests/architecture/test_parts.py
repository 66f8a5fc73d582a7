"""The tests in parts, each of them in one and always in the same, and the cases of a day."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import daily

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


def every_day(cases: list[Any]) -> list[Any]:
    return [case for case in cases if not getattr(case, "marks", ())]


@pytest.mark.parametrize(("few", "many"), [(1, 1), (3, 10), (4, 8), (7, 100), (5, 3)])
def test_after_some_days_all_numbers_were_tried(few: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = set[int]()
    for day in range(1, 1 + -(-many // few)):
        monkeypatch.setenv("PWTOOL_SEED", str(day))
        today, full = daily.numbers(few, many)
        assert [today.id, full.id] == [str(few), str(many)] and not today.marks and full.marks
        tried |= set(today.values[0])
        assert set(today.values[0]) <= set(full.values[0]) == set(range(many))
    assert tried == set(range(many))


@pytest.mark.parametrize(("few", "many"), [(1, 1), (3, 10), (4, 8), (7, 100), (5, 3)])
def test_after_some_days_all_cases_were_tried(few: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [pytest.param(n, id=f"case {n}") if n % 2 else n for n in range(many)]
    tried: list[Any] = []
    for day in range(-(-many // few)):
        monkeypatch.setenv("PWTOOL_SEED", str(1000 + day))
        found = daily.some(cases, few)
        told = [case.values[0] if hasattr(case, "values") else case for case in found]
        assert told == list(range(many)) and 0 < len(every_day(found)) <= few
        tried += every_day(found)
    assert len(tried) == many and all(case in tried for case in cases)


def test_the_cases_of_a_day_are_those_of_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both processes of a run have the same, and a failure can be repeated."""
    monkeypatch.delenv("PWTOOL_SEED", raising=False)
    monkeypatch.setenv("PWTOOL_DAY", "739000")
    daily.begin()
    assert daily.seed() == 739000
    monkeypatch.setenv("PWTOOL_SEED", "5")
    assert daily.seed() == 5


@pytest.mark.parametrize("step", [2, 3, 4, 6])
@pytest.mark.parametrize("days", [2, 3, 4, 6, 7])
def test_all_cases_of_a_test_that_has_its_own_day_are_tried(
    days: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []
    for day in range(730_000, 730_000 + 12 * days * step):
        monkeypatch.setenv("PWTOOL_SEED", str(day))

        def one() -> None: ...

        if not hasattr(daily.one_day_in(days)(one), "pytestmark"):
            tried += every_day(daily.some(range(step), 1))
    assert set(tried) == set(range(step))


@pytest.mark.parametrize("together", ["", "what several share"])
@pytest.mark.parametrize("days", [1, 2, 3, 5])
def test_a_whole_test_has_its_turn_once(days: int, together: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one of each so many days; those that share what takes long, on the same."""
    monkeypatch.delenv("PWTOOL_TURNS", raising=False)
    turns = []
    for day in range(700 * days, 702 * days):
        monkeypatch.setenv("PWTOOL_SEED", str(day))

        def one() -> None: ...
        def other() -> None: ...

        slow = [hasattr(daily.one_day_in(days, together)(test), "pytestmark") for test in (one, other)]
        assert not together or slow[0] is slow[1]
        turns.append(slow[0])
    assert turns[:days].count(False) == turns[days:].count(False) == 1


def test_examples_are_few_where_the_slow_tests_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "_everyday", True)
    assert daily.times(5, 50) == 5
    monkeypatch.setattr(daily, "_everyday", False)
    assert daily.times(5, 50) == 50
