"""Everything that mutation ever found stays found: the inputs are kept as files and tried each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.campaign import CORPUS, file_name
from tests.fuzz.seeds import corpus
from tests.fuzz.targets import TARGETS
from tests.fuzz.watching import SLOW, attempt

FILES = list(corpus(CORPUS))


@pytest.mark.parametrize(("target", "path"), FILES, ids=[path.name for _, path in FILES])
def test_what_was_found_once_is_answered_now(target: str, path: Path) -> None:
    data = path.read_bytes()
    assert path.name == file_name(target, data)
    outcome = attempt(TARGETS[target], data)
    assert not outcome.problem, outcome.trace or outcome.problem
    # The first one loads what it needs; a tenth of what ends an input is promised.
    assert outcome.seconds < 10 * SLOW


def test_files_are_small() -> None:
    assert FILES
    assert all(path.stat().st_size <= 20_000 for _, path in FILES)
