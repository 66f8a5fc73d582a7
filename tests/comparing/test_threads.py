"""Proofs in several threads at once, as the studio makes them."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.daily import one_day_in

pytest.importorskip("z3")


def proofs(folder: Path) -> list[bool]:
    """What is proven of rewordings and of differences, each in a thread of its own."""
    from tests.comparing.test_variables_in_play import BIDS, BIDS_OTHER, is_proven, reworded

    same = ((" and count hand[other] >= 2", " and not count hand[other] < 2"),)
    pairs = enumerate((same, BIDS_OTHER[2], same, BIDS_OTHER[2]))
    asked = [reworded(BIDS, edits, folder / str(number)) for number, edits in pairs]
    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(lambda pair: is_proven(*pair), asked))


@one_day_in(8)
def test_proofs_in_several_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    """The solver ends the whole process where two threads use the same memory of it."""
    for number in range(4):
        (tmp_path / str(number)).mkdir()
    code = f"from pathlib import Path; from {__name__} import proofs; print(proofs(Path({str(tmp_path)!r})))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "[True, False, True, False]\n"), found.stderr
