"""Rules files are read in several threads, as in a studio or by a worker of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pwtool.lang.reading import Automaton
from pwtool.lang.stored_tables import stored_tables
from pwtool.text.data import data_folder
from tests.daily import one_day_in

TEXT = (data_folder("rulesets") / "classics" / "hearts" / "game.rules").read_text("utf-8")
ROUNDS = 12


@pytest.fixture
def often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@one_day_in(8)
@pytest.mark.usefixtures("often")
def test_threads_that_read_for_the_first_time_together_all_read() -> None:
    tables = stored_tables()
    assert tables is not None
    with ThreadPoolExecutor(4) as pool:
        for _ in range(ROUNDS):
            fresh = Automaton(tables)
            assert all(tree is not None for tree in pool.map(fresh.tree, [TEXT] * 4))
