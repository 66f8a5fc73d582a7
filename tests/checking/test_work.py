"""Judging has a budget of steps: rules under which it would go on for ever end in a finding, never in a hang."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.checking.archives import Checker
from pwtool.checking.report import Verdict
from pwtool.cli.app import run
from pwtool.comparing.accepting import addresses_of
from pwtool.eval.work import MAX_WORK, TooMuchWork, Work, game_work
from pwtool.kernel import run as kernels
from pwtool.play.candidates import choices_of
from pwtool.play.replay import replay_record
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.kernel.judging import bench
from tests.support import book, random_game, ruleset_store

LIBRARY = Library()
EVERY_RULESET = [address for game in LIBRARY.games() for address in addresses_of(LIBRARY, game)]
CARDS = [f"{color}{value}" for color in "AB" for value in range(1, 31)]
GAME = """
game many "Many"
players 2..2
component card { color: a "A" | b "B"  value: 1..30 }
deck all_cards of card = { CARDS }
zone hand: bag of card per player
zone table: pile of card
setup { deal hand "All get cards": all of all_cards to hand by chance }
turn = play
action play "Play" (chosen: cards from hand) {
  rule one "One card" require RULE
  move chosen to table
}
ENDING
score cards "Cards" = count hand
ranking most total, shared
"""
LOOPS = "some a in hand: some b in hand: some c in hand: some d in hand: a.value + b.value + c.value + d.value > 999"
CASES = {
    # Far more choices than can be tried of a hand, none of them legal.
    "possible": ("count chosen >= 1", 'ending stuck "Stuck" when not (can dream) then stop'),
    "loops": (f"not ({LOOPS} or {LOOPS})", 'ending empty "Empty" when hand is empty then stop'),
}
DREAM = 'action dream "Dream" (chosen: cards from hand) {\n  rule never "Never" require sum value of chosen > 9999\n  move chosen to table\n}\n'


@pytest.fixture(autouse=True)
def any_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such rules are refused when they are loaded; here they show what holds whatever an estimate misses."""
    monkeypatch.setattr("pwtool.rules.build.check_cost", lambda ruleset: [])


def game(case: str, folder: Path) -> tuple[str, dict[str, Any]]:
    rule, ending = CASES[case]
    text = GAME.replace("CARDS", " ".join(CARDS)).replace("RULE", rule)
    if case == "possible":
        text = text.replace("turn = play", "turn = play | dream").replace("ENDING", DREAM + "ENDING")
    path = folder / "many.rules"
    path.write_text(text.replace("ENDING", ending), "utf-8")
    hands = {"Ana": CARDS, "Ben": []}
    turns = [{"player": "Ana", "actions": [{"action": "play", "chosen": ["A1"]}]}]
    return str(path), {"format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"hand": hands}, "turns": turns}


@one_day_in(8)
@pytest.mark.parametrize("case", CASES)
def test_a_game_that_takes_too_much_work_is_undetermined(case: str, tmp_path: Path) -> None:
    rules, record = game(case, tmp_path)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    (result,) = Checker(RulesetStore(Library()), [rules]).check([str(path)])
    assert [d.code for d in result.diagnostics] == ["PW617"], result.diagnostics
    assert result.verdict is Verdict.UNDETERMINED and str(result.summary[-1]) == "not judged to the end"
    assert result.diagnostics[0].turn == 1


@one_day_in(8)
def test_commands_say_so_and_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, record = game("possible", tmp_path)
    record["turns"] = []
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    assert run(["legal", str(path), "--rules", rules]) == 3
    assert run(["play", rules, "--seed", "1", "-o", str(tmp_path / "played.json")]) == 3
    assert capsys.readouterr().err.count("PW617") == 2


@one_day_in(4)
@pytest.mark.skipif(not kernels.is_installed(), reason="kernels are an extra")
def test_kernels_leave_such_games_to_the_engine(tmp_path: Path) -> None:
    rules, record = game("possible", tmp_path)
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([json.dumps({**record, "turns": []})] * 21 + [json.dumps(record)]), "utf-8")
    verdicts = [result.verdict for result in Checker(RulesetStore(Library()), [rules]).check([str(path)])]
    assert verdicts[-1] is Verdict.UNDETERMINED


@cache
def long_game(rules: str) -> dict[str, Any]:
    """Played once: some seconds of the engine."""
    return next(pwtool.load(rules).play_many(1, seed=3))


@one_day_in(8)
@pytest.mark.skipif(not kernels.is_installed(), reason="kernels are an extra")
@pytest.mark.parametrize("form", some(["json", "jsonl", "pwn"], 1))
def test_a_kernel_judges_a_single_game_at_which_the_engine_gives_up(form: str, tmp_path: Path) -> None:
    rules = str(Path(__file__).parents[1] / "rules" / "outside" / "antichess.rules")
    record = long_game(rules)
    away = {**record["turns"][60], "actions": [{"action": "step", "start": [0, 0], "target": [7, 6]}]}
    refused = {**record, "turns": [*record["turns"][:60], away]} | {"result": {}}
    for game, expected in ((record, (Verdict.CLEAN, None)), (refused, (Verdict.FINDINGS, 61))):
        (tmp_path / "game.json").write_text(json.dumps(game) + "\n", "utf-8")
        path = tmp_path / f"game.{form}"
        if form == "pwn":
            assert run(["convert", str(tmp_path / "game.json"), "-o", str(path), "--rules", rules, "--force"]) == 0
        elif form == "jsonl":
            path.write_text(json.dumps(game) + "\n", "utf-8")
        (told,) = Checker(RulesetStore(Library()), [rules]).check([str(path)])
        assert (told.verdict, told.diagnostics[0].turn if told.diagnostics else None) == expected
        assert told.played is not None and list(told.played.players) == record["players"]
        assert pwtool.load(rules).check(path).status == told.verdict.value
        (told,) = Checker(RulesetStore(Library()), [rules], kernel=False).check([str(path)])
        assert [found.code for found in told.diagnostics] == ["PW617"]


@one_day_in(8)
@pytest.mark.skipif(not kernels.is_installed(), reason="kernels are an extra")
def test_what_a_kernel_refuses_is_refused_though_the_engine_gives_up(tmp_path: Path) -> None:
    rules = str(Path(__file__).parents[1] / "rules" / "outside" / "antichess.rules")
    record = long_game(rules)
    away = {**record["turns"][60], "actions": [{"action": "step", "start": [0, 0], "target": [7, 6]}]}
    refused = {**record, "turns": [*record["turns"][:60], away]} | {"result": {}}
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(map(json.dumps, [record] * 20 + [refused])), "utf-8")
    told = list(Checker(RulesetStore(Library()), [rules]).check([str(path)]))
    assert [result.verdict for result in told] == [Verdict.CLEAN] * 20 + [Verdict.FINDINGS]


def test_recorded_games_need_less_than_a_hundredth() -> None:
    for address, players in (("paper_world/fr", 4), ("pierre_papier_morpion/fr", 2)):
        record, _ = random_game(address, players, 3)
        rules = book(address)
        rules.game.work.left = MAX_WORK
        try:
            replay_record(rules.game, rules.decoder.record(record), rules.legal)
            assert MAX_WORK - rules.game.work.left < MAX_WORK / 100
        finally:
            rules.game.work.left = sys.maxsize


def test_what_is_spent_inside_counts_outside() -> None:
    work = Work()
    with work.limited(10):
        with work.limited(100):
            work.spend(6)
        with pytest.raises(TooMuchWork):
            work.spend(5)


def test_many_choices_come_one_by_one_in_the_same_order() -> None:
    faces = sorted([1, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    few = list(choices_of(faces[:9], 4))
    assert few == sorted(few) and len({tuple(choice) for choice in few}) == len(few)
    many = list(choices_of(faces, 6))
    assert many == sorted(many) and len({tuple(choice) for choice in many}) == len(many)


@one_day_in(4)
@pytest.mark.parametrize("address", some(EVERY_RULESET, 8))
def test_the_longest_of_many_games_takes_no_third_of_the_steps(address: str) -> None:
    if ruleset_store().get(address).value is None:
        pytest.skip("these exclude each other")
    here, rules = bench(address), book(address)
    players = rules.game.ruleset.min_players
    longest = max(here.instance.play(1, 40, players, 2000), key=len)
    record = here.packer.unpack(longest, list("ABCDEF"[:players]))
    work, moves = rules.game.work, len(record.turns) + sum(len(turn.moves) for turn in record.turns)
    before = work.left
    found = replay_record(rules.game, record, rules.legal).findings
    assert {finding.code for finding in found} <= {"PW612"}
    assert before - work.left < game_work(moves) / 3


def test_a_huge_record_does_not_buy_a_huge_budget() -> None:
    assert game_work(400) == MAX_WORK + 400 * 8_000
    assert game_work(600) == MAX_WORK + 500 * 8_000 + 100 * 1_000
    assert game_work(200_000) - game_work(100_000) == 100 * 100_000
