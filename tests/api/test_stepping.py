"""Games stepped through by a kernel: the same moves as the engine has, forwards and back; the examples run."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.api.stepping import Move
from tests.daily import one_day_in, some

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "bots"
GAMES = [
    "tic_tac_toe", "breakthrough", "chess", "nim", "pierre_papier_morpion", "paper_world/en", "paper_world/gamepark+advanced",
    "mancala", "pig", "liars_dice", "othello", "dots_and_boxes", "checkers", "go", "nine_mens_morris", "amazons",
]  # fmt: skip


def said(action: pwtool.Action) -> str:
    return json.dumps([action.name, action.player, action.arguments], sort_keys=True)


@pytest.mark.parametrize("address", some(GAMES, 2))
def test_moves_are_those_of_the_engine(address: str) -> None:
    rules, rng = pwtool.load(address), random.Random(address)
    stepper, compared = rules.stepper(seed=4), 0
    for _ in range(25):
        if stepper.over:
            break
        # A record that may end its turn where it stops has ended it.
        if pwtool.END not in stepper.moves:
            position = rules.replay(stepper.record()).end
            ours = sorted(said(stepper.action(move)) for move in stepper.moves)
            assert ours == sorted(said(action) for action in position.legal())
            assert position.player == stepper.player
            compared += 1
        stepper.play(rng.choice(stepper.moves))
        assert rules.check(stepper.record()).clean
    assert compared > 2


@one_day_in(4)
@pytest.mark.parametrize("address", some(GAMES, 3))
def test_what_is_taken_back_is_as_it_was(address: str) -> None:
    rng = random.Random(address)
    stepper = pwtool.load(address).stepper(seed=7)
    stack: list[tuple[list[Move], int, int, dict[str, Any]]] = []
    for _ in range(120):
        if stack and (stepper.over or rng.random() < 0.35):
            stepper.undo()
            assert stack.pop() == (stepper.moves, stepper.seat, stepper.turn, stepper.record())
        else:
            stack.append((list(stepper.moves), stepper.seat, stepper.turn, stepper.record()))
            stepper.play(rng.choice(stepper.moves))
    while stack:
        stepper.undo()
        assert stack.pop() == (stepper.moves, stepper.seat, stepper.turn, stepper.record())
    with pytest.raises(ValueError, match="nothing has been played"):
        stepper.undo()


@pytest.mark.parametrize("address", some(GAMES, 3))
def test_whole_games_are_clean_and_scored_as_the_engine_does(address: str) -> None:
    rules = pwtool.load(address)
    names = ["Ana", "Ben"]
    for seed in range(3):
        stepper = rules.stepper(names, seed=seed)
        stepper.play_out([lambda s: s.random.choice(s.moves)] * 2, most=400)
        verdict = rules.check(stepper.record())
        # Nobody may be able to go on.
        stopped = stepper.over and not stepper.finished
        assert verdict.clean or (stopped and [f.code for f in verdict.findings] == ["PW612"])
        assert (verdict.result is not None) == stepper.finished
        if verdict.result is not None:
            assert verdict.result.scores == dict(zip(names, stepper.totals(), strict=True))
            assert verdict.result.ranking == [[names[seat] for seat in seats] for seats in stepper.ranking()]
            assert stepper.over
        else:
            with pytest.raises(ValueError, match="not over"):
                stepper.totals()
        stepper.restart()
        assert stepper.turn == 1 and stepper.played == []


def test_what_is_no_move_is_told() -> None:
    stepper = pwtool.load("tic_tac_toe").stepper()
    with pytest.raises(ValueError, match="not legal here"):
        stepper.play((9, 9, 9))
    with pytest.raises(ValueError, match="not legal here"):
        stepper.play(pwtool.END)
    for wrong in (None, 0, set()):
        with pytest.raises(TypeError, match="one of `moves`, not"):
            stepper.action(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no move of this game"):
        stepper.action(("a", "b"))  # type: ignore[arg-type]
    for policies in (None, ["a", "a"]):
        with pytest.raises(TypeError, match="a list of functions"):
            stepper.play_out(policies)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="whole number"):
        stepper.play_out([min, min], most=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="one of `moves`, not list"):
        stepper.play(list(stepper.moves[0]))  # type: ignore[arg-type]
    for move in ((99, 0, 0), (0, 0), (*stepper.moves[0], 5), (-1, 0), (0, 7, 0)):
        with pytest.raises(ValueError, match="no move of this game"):
            stepper.action(move)
    assert len(stepper.moves) == 9


def test_two_steppers_share_nothing() -> None:
    first, second = (pwtool.load("nim").stepper(seed=1) for _ in range(2))
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            copied(first)
    first.play(first.moves[0])
    second.play(second.moves[-1])
    assert first.record()["turns"] != second.record()["turns"]
    first.undo()
    assert first.played == [] and len(second.played) == 1


def test_every_seat_has_a_policy() -> None:
    with pytest.raises(ValueError, match="each of 2 players has a policy"):
        pwtool.load("nim").stepper().play_out([lambda stepper: stepper.moves[0]])


@one_day_in(4)
@pytest.mark.parametrize(("words", "end"), [(["tic_tac_toe"], "[0, 0] after 9 turns")])
def test_the_search_of_the_examples_finds_the_value(words: list[str], end: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "search.py"), *words], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.splitlines()[-1].startswith(end)


def test_the_environment_of_the_examples_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from environment import Environment  # type: ignore[import-not-found]

    for address in ("connect_four", "pierre_papier_morpion"):
        env, rng = Environment(address), random.Random(3)
        env.reset(seed=3)
        for _ in env.agent_iter():
            observation, reward, over, stuck, _ = env.last()
            assert not over and not stuck and reward == 0
            env.step(rng.randrange(len(observation["moves"])))
        assert all(env.terminations.values()) and abs(sum(env.rewards.values())) < 1e-9


DRAW = """game draw "Draw"
players 2..2
component card { color: red "R" | blue "B" | green "G" | pink "P"  value: 1..2 }
deck cards of card = 25 all
zone bank: pile of card
zone got: bag of card per player
setup deal bank "b": all of cards to bank by chance
turn = draw
action draw "D" (drawn: color or value by chance) { move top of bank to got }
ending bare "b" when bank is empty then stop
score got "s" = count got
ranking most total, shared
"""


def test_chance_draws_each_of_several_kinds_of_values_as_often(tmp_path: Path) -> None:
    path = tmp_path / "draw.rules"
    path.write_text(DRAW, "utf-8")
    stepper = pwtool.load(path).stepper(seed=1)
    stepper.play_out([lambda stepper: stepper.moves[0]] * 2)
    drawn = Counter(turn["actions"][0]["drawn"] for turn in stepper.record()["turns"])
    assert len(drawn) == 6 and drawn.total() == 200 and max(drawn.values()) < 50
