"""A condition behind brackets of the order of play is one of every step inside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.ir.model import OrderModel
from tests.rules.test_constructs import MINI, loaded

PLAIN = "lay by (winner)\n        (lay | pass) by (loser)"
SAME = [
    ("lay by (winner)\n (lay | pass) by (loser) when (passes < 3)",
     "lay by (winner)\n (lay when (passes < 3) | pass when (passes < 3)) by (loser)"),
    ("(lay by (winner) lay by (loser)) when (passes < 3)",
     "lay by (winner) when (passes < 3) lay by (loser) when (passes < 3)"),
    ("((lay pass when (passes > 1)) lay) by (winner) when (passes < 3)",
     "(lay when (passes < 3) pass when (passes < 3 and passes > 1)) by (winner) lay by (winner) when (passes < 3)"),
    ("((lay | pass) when (passes < 3) lay) by (winner) when (passes < 5)",
     "(lay when (passes < 5 and passes < 3) | pass when (passes < 5 and passes < 3)) by (winner)"
     " lay by (winner) when (passes < 5)"),
]  # fmt: skip


@pytest.mark.parametrize(("short", "meant"), SAME)
def test_a_condition_behind_brackets_is_one_of_each_step(short: str, meant: str, tmp_path: Path) -> None:
    one, other, before = (
        without_spans(loaded(tmp_path, MINI.replace(PLAIN, o)).ruleset.order) for o in (short, meant, PLAIN)
    )
    assert one == other != before


def without_spans(order: OrderModel) -> str:
    return re.sub(r"span=Span\(file=SourceFile\([^)]*\), start=\d+, end=\d+\)", "", repr(order))
