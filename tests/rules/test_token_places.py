"""Where a token lies, compared with players and cells of which not everything is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pwtool.eval.values import UNKNOWN
from pwtool.ir import nodes as ir
from pwtool.ir.grids import FLOATING
from pwtool.ir.types import PLAYER, cell
from tests.support import book

THERE = ir.Compare("==", ir.TokenIndex(0), ir.Local(PLAYER, 0))
ON = ir.And(THERE, ir.Compare("==", ir.TokenCell(0, FLOATING), ir.Local(cell(FLOATING), 1)))


@pytest.mark.parametrize(
    ("player", "at", "wanted"),
    [
        (1, (0, 2), True), (1, (0, 1), False), (0, (0, 2), False), (UNKNOWN, (0, 2), UNKNOWN), (1, UNKNOWN, UNKNOWN),
        (UNKNOWN, UNKNOWN, UNKNOWN), (UNKNOWN, (0, 1), False), (0, UNKNOWN, False),
    ],
)  # fmt: skip
def test_on_a_cell(player: Any, at: Any, wanted: Any) -> None:
    game = book("paper_world/en").game
    position = SimpleNamespace(tokens=[(1, (0, 2))], player=0)
    assert game.interpreter.evaluate(ON, position, [player, at]) is wanted
    if UNKNOWN not in (player, at):
        assert game.fast.backend.compile(ON)(position, [player, at]) is wanted


def test_on_no_cell() -> None:
    game = book("paper_world/en").game
    position = SimpleNamespace(tokens=[None], player=0)
    for player, at in ((0, (0, 0)), (UNKNOWN, (0, 0)), (0, UNKNOWN)):
        assert game.interpreter.evaluate(ON, position, [player, at]) is not True
