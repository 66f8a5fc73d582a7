"""Draws that players claim: nothing ends a game before somebody does, and a claim that a record writes down has to be right."""

from __future__ import annotations

from typing import Any

import pytest

import pwtool
from tests.daily import one_day_in

KNIGHTS = [((6, 7), (5, 5)), ((6, 0), (5, 2)), ((5, 5), (6, 7)), ((5, 2), (6, 0))]


def step(start: tuple[int, int], target: tuple[int, int]) -> dict[str, Any]:
    return {"action": "step", "start": list(start), "target": list(target)}


def record(ruleset: str, moves: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    turns = [{"player": "AB"[at % 2], "actions": [move]} for at, move in enumerate(moves)]
    return {"format": "pwtool/1", "ruleset": ruleset, "players": ["A", "B"], "turns": turns, **more}


def there_and_back(turns: int) -> list[dict[str, Any]]:
    """Knights that go out and home again: the first position comes again after every fourth turn."""
    return [step(*KNIGHTS[at % 4]) for at in range(turns)]


def claimed(game: dict[str, Any], before: bool) -> dict[str, Any]:
    """The game with a claim: by the next player before a move, or by the last one after the move."""
    claim = {"action": "claim"}
    if before:
        game["turns"].append({"player": "AB"[len(game["turns"]) % 2], "actions": [claim]})
    else:
        game["turns"][-1]["actions"].append(claim)
    return {**game, "result": {"ranking": [["A", "B"]], "end": {"rule": "claimed", "turn": len(game["turns"])}}}


@one_day_in(8)
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(("turns", "due"), [(8, True), (7, False), (4, False), (12, True)])
def test_a_third_repetition_is_claimed_in_the_turn_before_or_after(turns: int, due: bool, before: bool) -> None:
    verdict = pwtool.check(claimed(record("chess", there_and_back(turns)), before))
    assert verdict.clean == due, verdict.findings
    if due:
        assert verdict.result is not None and verdict.result.ending == "claimed"
        assert verdict.result.winners == ["A", "B"]
    else:
        assert verdict.causes[0].rule == "claim.due" and verdict.causes[0].turn == turns + before


def test_without_a_claim_a_game_goes_on_until_the_fifth_time() -> None:
    assert pwtool.check(record("chess", there_and_back(15))).clean
    # A record that stops without a result says nothing of why it stops: a draw by agreement, a resignation, the clock.
    assert pwtool.check(record("chess", there_and_back(10))).clean
    verdict = pwtool.check(record("chess", there_and_back(17)))
    assert [(f.code, f.rule, f.turn) for f in verdict.causes] == [("PW606", "repeated", 17)]


def test_nothing_follows_a_claim() -> None:
    game = claimed(record("chess", there_and_back(8)), before=False)
    game["turns"].append({"player": "A", "actions": [step((4, 6), (4, 4))]})
    assert [f.code for f in pwtool.check(game).causes] == ["PW606"]


def test_a_draw_that_nobody_claimed_is_not_the_end_by_the_rules() -> None:
    game = record("chess", there_and_back(8), result={"ranking": [["A", "B"]]})
    assert [f.code for f in pwtool.check(game).causes] == ["PW607"]
    assert pwtool.check({**game, "ruleset": "chess+automatic_draws"}).clean


@one_day_in(8)
@pytest.mark.parametrize(
    "address", ["chess", "chess+chess960", "chess+three_check", "checkers", "checkers+flying_kings"]
)
def test_a_claim_before_the_first_move_is_refused(address: str) -> None:
    rules = pwtool.load(address)
    game = rules.play(2, seed=1, max_turns=0)
    game["turns"] = [{"player": game["players"][0], "actions": [{"action": "claim"}]}]
    assert "claim.due" in [f.rule for f in rules.check(game).causes]


PGN = """[White "Ana"]
[Black "Ben"]
[Termination "{termination}"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 {result}
"""


@one_day_in(8)
@pytest.mark.parametrize("result", ["1/2-1/2", "1-0", "0-1", "*"])
@pytest.mark.parametrize("termination", ["normal", "time forfeit", "abandoned", "unterminated"])
def test_a_game_in_pgn_may_end_in_any_way(result: str, termination: str, tmp_path: Any) -> None:
    pytest.importorskip("chess")
    path = tmp_path / "game.pgn"
    path.write_text(PGN.format(result=result, termination=termination), "utf-8")
    verdict = pwtool.check(path)
    assert verdict.clean and verdict.result is None


@one_day_in(8)
def test_draughts_are_drawn_by_a_claim_alone() -> None:
    """Forty moves in a row without a capture end a game in OpenSpiel."""
    rules, spiel = pwtool.load("checkers"), pwtool.load("checkers+open_spiel")
    longer = 0
    for game in rules.play_many(40, ["A", "B"], seed=1):
        assert rules.check(game).clean
        del game["version"]
        verdict = spiel.check({**game, "ruleset": "checkers+open_spiel"})
        longer += any(f.rule == "dull" for f in verdict.causes)
    assert longer
