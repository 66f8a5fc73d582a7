"""A finding about a position that comes again says when it was there before."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool

KO = "B[dc];W[ec];B[cd];W[fd];B[de];W[ee];B[ed];W[dd];B[ed]"


def notes(verdict: pwtool.Verdict) -> list[str]:
    """The lines of the report that say it."""
    return [line.split(None, 1)[1] for line in verdict.report().splitlines() if "the position was the same" in line]


@pytest.mark.parametrize("rules", ["Chinese", "AGA"])
def test_superko_names_the_move_after_which_the_position_was_the_same(rules: str, tmp_path: Path) -> None:
    path = tmp_path / "ko.sgf"
    path.write_text(f"(;GM[1]FF[4]SZ[9]RU[{rules}];{KO})", "utf-8")
    verdict = pwtool.check(path)
    assert [(found.rule, found.turn) for found in verdict.causes] == [("place.superko", 9)]
    assert notes(verdict) == ["the position was the same after move 7"]


def test_the_beginning_of_a_record_is_no_move(tmp_path: Path) -> None:
    """A problem that begins where black may take, and white took back at once."""
    path = tmp_path / "problem.sgf"
    path.write_text("(;GM[1]FF[4]SZ[9]RU[Chinese]AB[dc][cd][de][ed]AW[ec][fd][ee]PL[W];W[dd];B[ed])", "utf-8")
    assert notes(pwtool.check(path)) == ["the position was the same at the beginning"]


def test_a_claim_is_told_which_positions_count() -> None:
    moves = [([6, 7], [5, 5]), ([6, 0], [5, 2]), ([5, 5], [6, 7]), ([5, 2], [6, 0])]
    turns = [
        {"player": ["Ana", "Ben"][n % 2], "actions": [{"action": "step", "start": start, "target": target}]}
        for n, (start, target) in enumerate(moves)
    ]
    turns[-1]["actions"].append({"action": "claim"})  # type: ignore[attr-defined]
    record = {"format": "pwtool/1", "ruleset": "chess", "players": ["Ana", "Ben"], "turns": turns}
    verdict = pwtool.check(record)
    assert [found.rule for found in verdict.causes] == ["claim.due"]
    assert notes(verdict) == ["the position was the same at the beginning"]


def test_what_is_played_after_the_end_is_told_how_the_game_ended(tmp_path: Path) -> None:
    path = tmp_path / "again.pgn"
    moves = ["Nf3", "Nf6", "Ng1", "Ng8"] * 4 + ["Nf3"]
    words = [m if n % 2 else f"{n // 2 + 1}. {m}" for n, m in enumerate(moves)]
    path.write_text(" ".join([*words, "*"]), "utf-8")
    [found] = pwtool.check(path).causes
    assert (found.code, found.message) == ("PW606", "the game is over: The same position for the fifth time")


def test_who_claims_before_moving_is_not_told_the_position_itself() -> None:
    claim = {"player": "Ana", "actions": [{"action": "claim"}]}
    record = {"format": "pwtool/1", "ruleset": "chess", "players": ["Ana", "Ben"], "turns": [claim]}
    verdict = pwtool.check(record)
    assert [found.rule for found in verdict.causes] == ["claim.due"] and notes(verdict) == []
    moves = [([6, 7], [5, 5]), ([6, 0], [5, 2]), ([5, 5], [6, 7]), ([5, 2], [6, 0])]
    turns = [
        {"player": ["Ana", "Ben"][n % 2], "actions": [{"action": "step", "start": start, "target": target}]}
        for n, (start, target) in enumerate(moves)
    ]
    assert notes(pwtool.check({**record, "turns": [*turns, claim]})) == ["the position was the same at the beginning"]
