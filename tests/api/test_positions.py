"""Positions: which actions they take, what they show, and where a record stops within a turn."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from tests.records.test_goals_in_play import RULES

ROOT = Path(__file__).resolve().parents[2]
CLEAN = ROOT / "examples" / "records" / "clean.json"
TIC_TAC_TOE = ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules"
CONNECT_FOUR = ROOT / "rulesets" / "classics" / "connect_four" / "game.rules"
AIMS = RULES.replace("RULE", "won[aim] is empty")


def _first(address: str | Path, players: int = 0) -> pwtool.Position:
    rules = pwtool.load(address)
    return rules.replay(rules.play(players or rules.players[0], seed=3)).at(1)


def test_an_action_of_a_game_with_other_objectives_is_not_legal(tmp_path: Path) -> None:
    path = tmp_path / "aims.rules"
    path.write_text(AIMS, "utf-8")
    rules = pwtool.load(path)
    record = {"format": "pwtool/1", "players": ["A"], "setup": {"row": ["Y", "G"]}, "turns": []}
    ours, other = (rules.replay(record | {"setup": {"goals": [g], "row": ["Y", "G"]}}).at(1) for g in "ab")
    (pick,) = ours.legal()
    assert pick.arguments == {"aim": "a"} and ours.play(pick).may_end_turn
    with pytest.raises(ValueError, match="not legal here"):
        other.play(pick)


def test_an_action_of_another_game_is_not_legal() -> None:
    harbour = ROOT / "tests" / "rulesets" / "harbour" / "game.rules"
    gulls, sandwich = (ROOT / "tests" / "rulesets" / name / "game.rules" for name in ("gulls", "sandwich"))
    several = [
        _first(TIC_TAC_TOE), _first(CONNECT_FOUR), _first(harbour, 4), _first(harbour), _first(gulls), _first(sandwich),
        _first("paper_world/en"), _first("paper_world/fr+advanced", 4), _first("pierre_papier_morpion+binoculars"),
    ]  # fmt: skip
    played = 0
    for ours, other in itertools.permutations(several, 2):
        legal = [(a.name, a.player, json.dumps(a.arguments)) for a in other.legal()]
        for action in ours.legal(60):
            if (action.name, action.player, json.dumps(action.arguments)) in legal:
                other.play(action)
                played += 1
                continue
            with pytest.raises(ValueError, match="not legal here"):
                other.play(action)
    assert played
    for position in several:
        for action in position.legal(60):
            position.play(action)


def test_what_an_action_says_decides() -> None:
    position = _first(TIC_TAC_TOE)
    action = position.legal()[0]
    assert action.arguments == {"at": [0, 0]}
    wrong: list[dict[str, Any]] = [
        {"arguments": {"at": [0, 5]}}, {"arguments": {"at": [-1, 0]}}, {"arguments": {"at": "x"}}, {"arguments": {}},
        {"arguments": None}, {"arguments": {"at": [0, 0], "by": "P1"}}, {"name": "drop"}, {"name": []},
        {"player": "P2"}, {"player": "Nobody"}, {"player": None}, {"player": 0},
    ]  # fmt: skip
    for change in wrong:
        with pytest.raises(ValueError, match="not legal here"):
            position.play(replace(action, **change))
    other = position.play(replace(action, arguments={"at": [2, 1]}))
    assert other.board().splitlines()[2].split() == ["2", ".", ".", "X"]
    for nothing in (None, 5, "x", object()):
        with pytest.raises(TypeError, match="an Action is needed"):
            position.play(nothing)  # type: ignore[arg-type]


def test_an_unseen_card_is_no_card_to_play() -> None:
    rules = pwtool.load("paper_world/gamepark")
    position = rules.replay(CLEAN).at(12)
    action = position.legal()[0]
    with pytest.raises(ValueError, match="not legal here"):
        position.play(replace(action, arguments={**action.arguments, "cards": {"5": "?"}}))


def test_a_zone_is_shown_whole() -> None:
    rules = pwtool.load("paper_world")
    game = rules.replay(rules.play(4, seed=1))
    position = game.at(3)
    drawn = position.draw().splitlines()
    for zone in ("prizes", "supply"):
        line = next(line for line in drawn if line.startswith(zone))
        for player in (None, *game.players):
            assert f"{zone}  {position.board(player, zone)}" == line
    assert position.board("P1", "won") == "-"
    won = [line.strip() for line in game.end.draw().splitlines() if line.strip().startswith("won")]
    shown = [game.end.board(player, "won") for player in game.players]
    assert won and won == [f"won  {line}" for line in shown if line != "-"]
    later = game.at(14)
    assert later.player is not None
    hands = [later.board(player, "hand") for player in game.players]
    assert later.board(None, "hand") == later.board(later.player, "hand") and len(set(hands)) > 1
    for wrong in ("Nobody", "", 5):
        with pytest.raises(ValueError, match="there is no player"):
            position.board(wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="there is no player"):
            position.draw(wrong)  # type: ignore[arg-type]


def test_nothing_is_done_after_the_end() -> None:
    end = pwtool.replay(CLEAN).end
    assert end.over and not end.may_end_turn and end.legal() == [] and end.player is None
    with pytest.raises(ValueError, match="the game is over"):
        end.end_turn()


def _stopped(rules: pwtool.Rules, turn: int, actions: int) -> dict[str, Any]:
    """A record that stops after so many actions of a turn."""
    record = rules.play(2, seed=3)
    del record["result"], record["turns"][turn:]
    del record["turns"][-1]["actions"][actions:]
    return record


def test_a_record_that_stops_within_a_turn_goes_on_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = pwtool.load("pierre_papier_morpion")
    record = _stopped(rules, 2, 1)
    game = rules.replay(record)
    assert game.verdict.clean and game.turns == 2
    (done,) = record["turns"][1]["actions"]
    before = game.at(2)
    first = next(a for a in before.legal() if {"action": a.name, **a.arguments} == done)
    by_hand = before.play(first)
    for here in (game.end, game.at(3)):
        assert (here.turn, here.player, here.over) == (2, by_hand.player, False) and not here.may_end_turn
        assert here.legal() == by_hand.legal() and here.state() == by_hand.state()
    path = tmp_path / "unfinished.json"
    path.write_text(json.dumps(record), "utf-8")
    for arguments in ([], ["--at", "3"]):
        assert run(["legal", str(path), *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"round 2: {len(by_hand.legal())} legal actions"
        assert lines[1].endswith(str(by_hand.legal()[0]))
    assert run(["legal", str(path), "--at", "2"]) == 0
    assert capsys.readouterr().out.startswith("round 2:")


def test_a_record_that_stops_between_turns_begins_the_next_one() -> None:
    rules = pwtool.load("pierre_papier_morpion")
    record = rules.play(2, seed=3, max_turns=2)
    game = rules.replay(record)
    assert (game.end.turn, game.at(3).turn, game.at(2).turn) == (3, 3, 2)


def test_a_turn_that_stops_too_early_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a next turn is recorded the one before it is over, right or wrong."""
    rules = pwtool.load("pierre_papier_morpion")
    record = _stopped(rules, 3, 9)
    del record["turns"][1]["actions"][1:]
    game = rules.replay(record)
    assert not game.verdict.clean and game.at(3).turn == 3
    path = tmp_path / "early.json"
    path.write_text(json.dumps(record), "utf-8")
    assert run(["legal", str(path), "--at", "3"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("round 2") and "round 2" in told.err
