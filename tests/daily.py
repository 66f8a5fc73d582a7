"""What one day tries of many cases: a few of them, others each day, and all of them in the full run.

The cases of a day follow from its number, or from `PWTOOL_SEED`, which is told if a test fails: all runs of a day try the
same, both processes of a run collect the same, and a failure comes again.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])
_everyday = False


def begin(everyday: bool = False) -> None:
    """Let this process, and those that it starts, try the cases of today, also if the day ends before they do.

    `everyday` says that the slow tests are left out.
    """
    global _everyday  # noqa: PLW0603 - said once, by pytest's options
    _everyday = _everyday or everyday
    os.environ.setdefault("PWTOOL_DAY", str(date.today().toordinal()))


def seed() -> int:
    """What the cases of this run follow from."""
    begin()
    return int(os.environ.get("PWTOOL_SEED") or os.environ["PWTOOL_DAY"])


def numbers(few: int, many: int) -> list[Any]:
    """A parameter, the numbers of the cases that are tried: a few of those below `many` every day, and all in the full run, or
    a quarter where they are hundreds.

    What is tried on a day follows what was tried on the day before, until everything was.
    """
    today = [(seed() * few + number) % many for number in range(few)]
    full = range(seed() % 4, many, 4) if many >= 200 else range(many)
    return [pytest.param(today, id=str(few)), pytest.param(full, id=str(many), marks=pytest.mark.slow)]


def some(cases: Sequence[Any], few: int) -> list[Any]:
    """Cases (values, tuples of several, or each a `pytest.param`) as parameters: a day tries about `few` of them, the full run all.

    Cases that are alike should stand beside each other: those of a day are as far apart as they can be.
    """
    step = -(-len(cases) // few)
    return [case if (at - seed()) % step == 0 else _slow(case) for at, case in enumerate(cases)]


def times(few: int, many: int) -> int:
    """How many examples at random are tried: a few where the slow tests are left out, the many wherever they are not."""
    return few if _everyday else many


def one_day_in(days: int, together: str = "") -> Callable[[Test], Test]:
    """A whole test that takes turns with others: it is run on one day of each so many, and in the full run.

    For tests that take long and find what others find, too. The day follows from the name of the test, or from a name that
    several have `together`, because they share what takes long. It is another one each time: with the same one, a test that
    takes a few of its cases each day could have the same few for ever. `PWTOOL_TURNS=all` lets all of them be run: where
    somebody changes what they watch, none waits for its turn.
    """

    def decorate(test: Test) -> Test:
        name = together or f"{test.__module__}.{test.__qualname__}"
        round_, day = divmod(seed(), days)
        is_today = zlib.crc32(f"{name} {round_}".encode()) % days == day
        return test if is_today or os.environ.get("PWTOOL_TURNS") == "all" else pytest.mark.slow(test)

    return decorate


def _slow(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.slow])
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
