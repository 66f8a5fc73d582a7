"""What one day tries of many cases: a few of them, others each day, and all of them in the full run.

The cases of a day follow from its number, or from `PWTOOL_SEED`, which is told if a test fails: all runs of a day try the
same, both processes of a run collect the same, and a failure comes again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest


def begin() -> None:
    """Let this process, and those that it starts, try the cases of today, also if the day ends before they do."""
    os.environ.setdefault("PWTOOL_DAY", str(date.today().toordinal()))


def seed() -> int:
    """What the cases of this run follow from."""
    begin()
    return int(os.environ.get("PWTOOL_SEED") or os.environ["PWTOOL_DAY"])


def numbers(few: int, many: int) -> list[Any]:
    """A parameter, the numbers of the cases that are tried: a few of those below `many` every day, all in the full run.

    What is tried on a day follows what was tried on the day before, until everything was.
    """
    today = [(seed() * few + number) % many for number in range(few)]
    return [pytest.param(today, id=str(few)), pytest.param(range(many), id=str(many), marks=pytest.mark.slow)]


def some(cases: Sequence[Any], few: int) -> list[Any]:
    """Cases (values, tuples of several, or each a `pytest.param`) as parameters: a day tries about `few` of them, the full run all.

    Cases that are alike should stand beside each other: those of a day are as far apart as they can be.
    """
    step = -(-len(cases) // few)
    return [case if (at - seed()) % step == 0 else _slow(case) for at, case in enumerate(cases)]


def _slow(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.slow])
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
