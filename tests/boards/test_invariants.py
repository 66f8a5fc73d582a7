"""What invariants say of piles bounds the boards that proofs go through; what else they say of the board is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pwtool.boards.invariants import not_looked_at
from pwtool.boards.proofs import Analysis
from pwtool.boards.study import study_objectives
from pwtool.cli.app import run
from pwtool.show.text.studies import study_data, study_lines
from tests.boards.by_hand import GAME
from tests.laws.test_circuits import load

HEEDED = (
    "every p in board: count p <= 2",
    "every p in board: 3 > count p",
    "no p in board: count p > 2",
    "every p in board: not count p >= 3",
    "every p in board: count p == 1 or count p == 2",
    "every p in board: same tone of p and count p < 3",
    "(every p in board: same tone of p) and (no p in board: count p >= 3)",
)
OF_CELLS = (
    "every c in cells of board: count board[c] <= 2",
    "no c in cells of board: count board[c] > 2",
    "every c in cells of board: board[c] is empty or count board[c] + 1 <= 3",
)
LEFT = (
    "count board <= 4",
    "every p in board: count p != 2",
    "no p in board: (some c in p: c.size == 4)",
    "every p in board: some q in board: count q >= count p",
    "board is not empty",
    "board fits 2x2",
)


def analysis(grid: str, invariant: str, objective: str = "some pile: height == 3") -> Analysis:
    text = GAME.format(grid=grid) + f'invariant low "Low" {invariant}\nobjective high "High" = {objective}\n'
    return Analysis(load(text))


@pytest.mark.parametrize("invariant", [*HEEDED, *OF_CELLS])
def test_a_bound_of_the_height_is_kept(invariant: str) -> None:
    found = analysis("grid 2x1", f"require {invariant}")
    assert found.encoding.tallest == 2
    assert found.number("high") == 0
    assert not_looked_at(found.game.ruleset, 2) == []


def test_what_cells_say_of_piles_is_what_piles_say() -> None:
    told = "{}: ascending size of {} and same tone of {}"
    by_pile = analysis("grid 2x1", "require " + told.format("every p in board", "p", "p"))
    by_cell = analysis("grid 2x1", "require " + told.format("every c in cells of board", "board[c]", "board[c]"))
    assert by_pile.encoding.tallest == by_cell.encoding.tallest == 4
    # The lowest of three is a 1 and a 2 or 3 or a 2, and so on: four ways in each of three tones, beside any pile but these.
    assert by_pile.number("high") == by_cell.number("high") == 12 * 12 + 2 * 12 * (1 + 3 * 15 - 12)


@pytest.mark.parametrize("invariant", [*(f"require {said}" for said in LEFT), f"between turns require {HEEDED[0]}"])
def test_what_is_not_kept_is_named(invariant: str) -> None:
    text = (
        GAME.format(grid="grid 2x2")
        + f'invariant low "Low" {invariant}\nobjective high "High" = some stone: size == 3\n'
    )
    game = load(text.replace("grid 2x2", "grid 3x2") if "fits" in invariant else text)
    study = study_objectives(game, ["high"], ["high"])
    assert study_lines(game, study)[-1] == "not looked at: invariant `low`; some boards above may be against it"
    assert study_data(game, study)["invariants_not_looked_at"] == ["low"]


def test_what_is_kept_is_not_named() -> None:
    text = GAME.format(grid="floating grid 3x3") + 'objective high "High" = some stone: size == 3\n'
    kept = ("board is connected", "board is not empty", "board fits 3x3", "every p in board: ascending size of p")
    game = load(text + "\n".join(f'invariant i{at} "I" require {said}' for at, said in enumerate(kept)))
    study = study_objectives(game, ["high"], ["high"])
    assert not any("not looked at" in line for line in study_lines(game, study))


def test_a_board_that_would_do_and_cannot_arise_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fewest changes are sought among all boards: what the deck lacks and what an invariant forbids is said of the one shown."""
    rules = tmp_path / "low.rules"
    text = GAME.format(grid="grid 3x2").replace("9 D1", "2 D1").replace("9 P1", "1 P1")
    text += 'invariant low "Low" require count board <= 3\nobjective high "High" = '
    for condition, lacking, broken in (
        ("at least 3 stone: size >= 1", [], []),
        ("at least 4 stone: size >= 1", [], ["low"]),
        ("exactly 3 stone: size == 1 and tone == dark", ["D1"], []),
        ("exactly 3 stone: size == 1 and tone != red", [], []),
        ("exactly 4 stone: size == 1 and tone == dark", ["D1"], ["low"]),
    ):
        rules.write_text(f"{text}{condition}\n")
        assert run(["match", "high", "[ D1 ]", "--rules", str(rules), "--json"]) == 1
        (data,) = json.loads(capsys.readouterr().out)
        assert (data["missing"]["beyond_deck"], data["missing"]["broken_invariants"]) == (lacking, broken), condition
        assert run(["match", "high", "[ D1 ]", "--rules", str(rules)]) == 1
        printed = capsys.readouterr().out
        assert ("there are fewer `D1`" in printed, "the invariant `low` forbids it" in printed) == (
            bool(lacking),
            bool(broken),
        )


def test_a_card_is_laid_where_it_may_lie(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On what an invariant does not allow below it, it is not laid."""
    rules = tmp_path / "up.rules"
    text = GAME.format(grid="grid 3x2") + 'invariant up "Up" require every p in board: ascending size of p\n'
    rules.write_text(f'{text}objective high "High" = no stone: size >= 3\n')
    assert run(["match", "high", "[ P1+P3 P1+P2+P4 ]", "--rules", str(rules), "--json"]) == 1
    (data,) = json.loads(capsys.readouterr().out)
    missing = data["missing"]
    assert len(missing["changes"]) == 2 and missing["broken_invariants"] == []
    for change in missing["changes"]:
        sizes = [face[1] for face in change["after"]]
        assert sizes == sorted(set(sizes)) and (not sizes or sizes[-1] in "12")
