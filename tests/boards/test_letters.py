"""Letters in shapes of several pictures: a letter is the cell that has it in the picture that lies there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pwtool.boards.chance import Chance
from pwtool.boards.proofs import Analysis, position_with
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import one_day_in, some

SAME = [
    ("[ a b ], [ a / b ]", "some {}: a.value < b.value", ["[ a b ]", "[ a / b ]"]),
    ("[ c # / # . ], [ # c / . # ]", "some {}: c.value == 5 and distinct value", ["[ c # / # . ]", "[ # c / . # ]"]),
    ("[ a # b ] turned, [ a . / # b ] turned mirrored", "some {}: a.value + 2 == b.value and same color",
     ["[ a # b ] turned", "[ a . / # b ] turned mirrored"]),
    ("[ 5 a a ], [ a . / 5 a ]", "some {}: same color of a", ["[ 5 a a ]", "[ a . / 5 a ]"]),
    ("[ a _ b ], [ b / . / a ]", "some {}: a.value > b.value", ["[ a _ b ]", "[ b / . / a ]"]),
    ("[ a # b ], [ b . / # a ]", "some {}: value reads 1 2 3 and a.scissors", ["[ a # b ]", "[ b . / # a ]"]),
]  # fmt: skip


def game_of(folder: Path, shape: str, condition: str, pictures: list[str]) -> Game:
    each = " or ".join(f"({condition.format(picture)})" for picture in pictures)
    if "reads" in condition:
        # In the order of the first picture: of the second the card below, the one beside it, the one on top.
        each = f"({condition.format(pictures[0])}) or some [ z . / y x ]: x.value == 1 and y.value == 2 and z.value == 3 and x.scissors"
    path = folder / "letters.rules"
    path.write_text(
        f'edition letters of paper_world/en "Letters"\nshape several = {shape}\n'
        f'objective mine "M" = {condition.format("several")}\nobjective other "O" = {each}\n',
        "utf-8",
    )
    ruleset = load_ruleset(str(path), Library())
    assert ruleset.value is not None, ruleset.diagnostics
    return Game(ruleset.value)


@pytest.mark.parametrize(("shape", "condition", "pictures"), some([*SAME], 1))
def test_a_shape_of_several_pictures_is_one_or_the_other(
    tmp_path: Path, shape: str, condition: str, pictures: list[str]
) -> None:
    game = game_of(tmp_path, shape, condition, pictures)
    analysis = Analysis(game, ["mine", "other"])
    assert analysis.relation("mine", "other").kind == "same"
    assert 0 < analysis.number("mine") < analysis.space.size


@one_day_in(8)
@pytest.mark.parametrize(("shape", "condition", "pictures"), SAME)
def test_interpreter_and_functions_judge_alike(tmp_path: Path, shape: str, condition: str, pictures: list[str]) -> None:
    game = game_of(tmp_path, shape, condition, pictures)
    rng = random.Random(3)
    chance = Chance(game, rng)
    slow = [game.interpreter.objective(name) for name in ("mine", "other")]
    fast = [game.fast.backend.objective(name) for name in ("mine", "other")]
    state, seen = State(game.ruleset, 2, []), set()
    for _ in range(400):
        grid = chance.grid(False)
        verdicts = [bool(judge(position_with(game, grid), grid)) for judge in slow]
        verdicts += [bool(judge(state, grid)) for judge in fast]
        assert len(set(verdicts)) == 1, grid
        seen.add(verdicts[0])
    assert True in seen or "reads" in condition
