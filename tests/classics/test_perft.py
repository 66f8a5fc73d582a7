"""All ways in which a game of chess can begin, counted by its kernel."""

from __future__ import annotations

from copy import copy

import pytest

from pwtool.play.record import Record, Turn
from tests.classics.tables import Compiled
from tests.support import book, few_or_many

pytest.importorskip("wasmtime")

BEGINNINGS = (1, 20, 400, 8_902, 197_281)


def count(here: Compiled, record: Record, depth: int) -> int:
    """How many ways there are to go on by so many moves."""
    assert here.stepper.begin(here.packer.pack(record)).is_clean
    moment = here.stepper.legal()
    if depth == 1:
        return moment.count
    total = at = 0
    for _ in range(moment.count):
        move, at = here.packer.unpack_move(moment.options, at, 0, 2)
        following = copy(record)
        following.turns = [*record.turns, Turn(move.actor, [move])]
        total += count(here, following, depth - 1)
    return total


@pytest.mark.parametrize("depth", few_or_many(3, 4))
def test_the_beginnings_of_chess_are_counted(depth: int) -> None:
    here = Compiled(book("chess"))
    start = here.book.decoder.record(here.rules.play(2, seed=0, max_turns=0))
    assert count(here, start, depth) == BEGINNINGS[depth]
