"""The estimate of costs against what is really evaluated, and the games that it must let in or keep out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.rules import bounds
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.rules.counting import counted
from tests.rules.test_bounds import SHIPPED

OUTSIDE = Path(__file__).resolve().parent / "outside"
"""Games as somebody wrote them who only knew the page of the language."""
NAIVE = [str(OUTSIDE / "antichess.rules"), *sorted(map(str, OUTSIDE.glob("*/game.rules")))]
QUICK = ["go", "hex", "checkers", "nine_mens_morris", "paper_world/fr", NAIVE[-1]]


@pytest.mark.parametrize(
    "address",
    [
        *some([a for a in (*SHIPPED, *NAIVE) if a in QUICK], 1),
        *(pytest.param(a, marks=pytest.mark.slow) for a in (*SHIPPED, *NAIVE) if a not in QUICK and "gulls" not in a),
    ],
)
def test_no_estimate_is_far_below_what_is_counted(address: str) -> None:
    found = list(counted(address))
    assert any(count > 0 for _, _, count in found)
    # A rule may let more through than half, and the interpreter evaluates the one or other part twice.
    assert [(name, cost, count) for name, cost, count in found if count > 1 + 2 * cost] == []


@one_day_in(8)
@pytest.mark.parametrize("address", NAIVE)
def test_games_of_outsiders_load_with_room(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_STEPS", bounds.MAX_STEPS * 2 // 3)
    monkeypatch.setattr(bounds, "MAX_ALL_STEPS", bounds.MAX_ALL_STEPS * 2 // 3)
    found = load_ruleset(address, Library())
    assert found.value is not None, [d.message for d in found.diagnostics]


GRID = """game g "G"
players 2..2
component stone { color: black "B" | white "W" }
deck stones of stone = { 400 B }
zone board: grid 20x20 of stone
zone bowl: pile of stone
setup { deal bowl "Stones": all of stones to bowl }
turn = place
define alone(c) = count (group n around c: board[n] is empty) == 1
RULES
ending full "Full" when bowl is empty then stop
score s "S" = count board
ranking most total
"""
PLACE = """action place "Place" (PARAMETERS) {
  RULE
  move top of bowl to board[at]
}"""
DEAR = {
    # The rule before lets everything through, the dear one is really evaluated for each cell.
    "behind a rule": ("at: cell of board", "rule free require board[at] is empty rule dear require no a in cells of board: "
                      "some b in cells of board: a != b and b == at and board[b] is not empty"),
    "two cells": ("at: cell of board, to: cell of board", "rule dear require every c in cells of board: c != at or c != to"),
    # The condition of a group reads the parameter: it has to be found for each.
    "groups of one": ("at: cell of board", "rule dear require every c in cells of board: "
                      "count (group n around c: board[n] is empty and n != at) < 400"),
    "ahead of all": ("at: cell of board, to: cell of board", "rule dear require after this: every c in cells of board: "
                     "some b in cells of board: board[b] is empty"),
}  # fmt: skip
CHEAP = {
    "free first": ("at: cell of board", "rule dear require every c in cells of board: c != at or board[c] is empty "
                   "rule free require board[at] is empty"),
    "groups": ("at: cell of board", "rule alone require alone(at) or (every c in cells of board: alone(c))"),
    "whatever it is": ("at: cell of board", "rule dear require board[at] is empty or (every a in cells of board: "
                       "some b in cells of board: a == b)"),
    "ahead": ("at: cell of board", "rule ahead require after this: every c in cells of board: board[c] is empty"),
}  # fmt: skip


def written(parameters: str, rule: str) -> str:
    rules = rule.replace("rule ", "\n  rule ").replace(" require", ' "r" require')
    return GRID.replace("RULES", PLACE.replace("PARAMETERS", parameters).replace("RULE", rules))


@pytest.mark.parametrize("case", DEAR)
def test_what_would_hang_is_refused_at_its_loop(case: str, tmp_path: Path) -> None:
    (tmp_path / "g.rules").write_text(written(*DEAR[case]), "utf-8")
    found = load_ruleset(str(tmp_path / "g.rules"), Library())
    assert found.value is None and [d.code for d in found.diagnostics] == ["PW308"], found.diagnostics
    (problem,) = found.diagnostics
    assert problem.help is not None and problem.span is not None
    assert "`place.dear`" in problem.help or "`at` and `to` in two actions" in problem.help
    assert "parameters" not in problem.help


@pytest.mark.parametrize("case", CHEAP)
def test_what_is_found_once_or_rarely_costs_little(case: str, tmp_path: Path) -> None:
    (tmp_path / "g.rules").write_text(written(*CHEAP[case]), "utf-8")
    found = load_ruleset(str(tmp_path / "g.rules"), Library())
    assert found.value is not None, [(d.message, d.help) for d in found.diagnostics]
