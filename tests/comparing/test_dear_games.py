"""Games that cost the engine too many steps: what kernels say of them counts."""

from __future__ import annotations

import pytest

from pwtool.comparing.evidence import play_both
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.judging import Pair, Refusal
from pwtool.play.replay import replay_record
from tests.daily import one_day_in
from tests.support import book

pytest.importorskip("wasmtime")
ENDING = ("ending", "five")


@one_day_in(8)
def test_what_a_kernel_refuses_is_a_difference_where_the_engine_has_too_few_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pwtool.eval.work.WORK_EACH", (100, 100))
    first, second = book("gomoku"), book("gomoku+exactly_five")
    rows = compare_rulesets(first.game, second.game)
    found = play_both(first, second, rows, effort=0.25)
    assert found.alike < found.games
    assert (ENDING, 0) in found.shown
    assert (ENDING, 1) in found.shown
    # The engine alone would not have come through.
    for side, record in found.differ:
        assert side in (0, 1)
        findings = replay_record(second.game, record, second.legal).findings
        assert [finding.code for finding in findings] == ["PW617"]


@one_day_in(8)
def test_the_engine_is_believed_where_it_comes_through() -> None:
    first, second = book("tic_tac_toe"), book("tic_tac_toe+misere")
    rows = compare_rulesets(first.game, second.game)
    found = play_both(first, second, rows, effort=0.1)
    assert found.differ
    (under, record), *_ = found.differ
    judges = Pair(first.game, second.game, rows)
    judges = judges.turned() if under else judges
    assert judges.judge(record, Refusal("PW606", "nothing of this name", 1, 0)) == judges.judge(record)
