"""Expressions written at random mean the same everywhere: to the interpreter, as Python functions, as WebAssembly, as circuits."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pwtool.boards.proofs import Analysis, position_with
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.kernel.compiler import Compiler
from pwtool.play.game import Game
from tests import daily
from tests.daily import numbers
from tests.kernel.asking import Asked, Question, positions, some_arguments
from tests.kernel.batches import GAMES, Author, Batch, checked
from tests.laws.test_circuits import in_bulk, random_boards

# What is not met with two values, with the reason.
ALWAYS_ALIKE: dict[type[ir.Node], str] = {
    ir.After: "it stands in rules of an action alone; the games `siege` and `ko` ask it in lock-step",
    ir.Places: "a loop goes through it and does not make it",
}
# What kernels leave to the engine: collections that are neither piles nor gone through.
MOST_LEFT_OUT = 0.12


@dataclass(slots=True)
class Met:
    """How much was compared, and what was seen of each operation."""

    asked: int = 0
    left_out: int = 0
    large: int = 0
    compared: int = 0
    beyond: int = 0
    in_circuits: int = 0
    values: dict[type[ir.Node], set[str]] = field(default_factory=lambda: defaultdict(set))

    def note(self, game: Game) -> None:
        """What the interpreter computed."""
        for traced in game.interpreter.trace or ():
            seen = self.values[type(traced.expr)]
            if len(seen) < 2:
                seen.add(repr(traced.value))


def compare(met: Met, game: str, seed: int, size: int, depth: int, count: int) -> None:
    """A batch of expressions in some positions of games."""
    rng = random.Random(f"{game} {seed}")
    batch, ruleset, _ = checked(Author(game, rng, depth).batch(size))
    asked = Asked(ruleset, game)
    met.asked += len(asked.questions)
    met.left_out += len(asked.left_out)
    met.large += len(asked.large)
    playing, whole = Game(asked.ruleset), Game(ruleset)
    quick = [whole.fast.backend.compile(question.expr) for question in asked.questions]
    for record, play in positions(playing, rng, count):
        assert asked.position(asked.packer.pack(record))
        asked.score()
        for number in range(len(asked.questions)):
            actors = range(play.state.players) if count < 4 else [rng.randrange(play.state.players)]
            for actor in actors:
                play.state.player = actor
                check_question(met, asked, whole, play, number, quick[number], rng, batch)
    check_circuits(met, whole, [q.name for q in asked.questions if q.objective], rng)


def check_question(
    met: Met, asked: Asked, game: Game, play: Any, number: int, quick: Any, rng: random.Random, batch: Batch
) -> None:
    """One question in one position: of an objective all evaluators look at the actor's board."""
    question, state = asked.questions[number], play.state
    game.interpreter.trace = []
    if question.objective:
        board = game.ruleset.board
        assert board is not None
        grid = state.zones[board.number][state.player if board.dimensions else 0]
        right = game.interpreter.objective(question.objective)(state, grid)
        assert isinstance(game.fast.backend, Compiler)
        compiled = game.fast.backend.objective(question.objective)(state, grid)
        words: list[int] = []
    else:
        bound = bind(game, play, question, rng)
        if bound is None:
            return
        arguments, e = bound
        words = asked.words(question.model, arguments) if question.model else []
        right, compiled = game.interpreter.evaluate(question.expr, state, list(e)), quick(state, list(e))
    met.note(game)

    def told() -> Any:
        return question.name, source(batch, question.name), words, state.player, right

    for traced in game.interpreter.trace:
        assert asked.bounds.hold(traced.expr, traced.value), (told(), traced.expr, traced.value)
    assert asked.word(right, question.expr) == asked.word(compiled, question.expr), told()
    answer = asked.answer(number, words, state.player)
    if answer is None:
        met.beyond += 1
    else:
        assert answer == asked.word(right, question.expr), (told(), answer)
        met.compared += 1


def bind(game: Game, play: Any, question: Question, rng: random.Random) -> tuple[list[Any], list[Any]] | None:
    """Arguments for the parameters that a question speaks of, and the locals with these and the named values."""
    model = question.model
    if model is None:
        return [], game.locals()
    arguments = some_arguments(game, play, model, rng)
    if arguments is None:
        return None
    e: list[Any] = [None] * (game.ruleset.slots + len(model.parameters))
    for parameter, value in zip(model.parameters, arguments, strict=True):
        e[parameter.slot] = [face for _, face in value] if parameter.kind == "tops" else value
    for _, slot, value in model.lets:
        e[slot] = game.interpreter.evaluate(value, play.state, e)
    return arguments, e


def source(batch: Batch, name: str) -> str:
    """The text of an expression and of the definitions in it."""
    lines = [w.line for w in batch.expressions() if w.name == name.rpartition(".")[2]]
    return "\n".join([*lines, *(str(d) for d in batch.definitions if any(d.name in line for line in lines))])


def check_circuits(met: Met, game: Game, names: list[str], rng: random.Random) -> None:
    """Those objectives that ask about the board alone, on boards of all kinds."""
    board = game.ruleset.board
    assert board is not None
    foreign = {
        name for name in names if speaks_of_others(game.ruleset.objectives[name].condition, board.element.component)
    }
    analysis = Analysis(game, [name for name in names if name not in foreign], patient=False)
    decided = list(analysis.roots)
    if not decided:
        return
    grids = [analysis.space.grid(board) for board in random_boards(analysis, 60, rng)]
    for name, found in zip(decided, in_bulk(analysis, decided, grids), strict=True):
        holds = game.interpreter.objective(name)
        assert found == [bool(holds(position_with(game, grid), grid)) for grid in grids], name
    met.in_circuits += len(decided)


def speaks_of_others(expr: ir.Expr, component: str) -> bool:
    """Whether an objective speaks of things that do not lie on the board, or of variables: circuits do not know them."""
    return any(
        isinstance(p, ir.Variable) or (getattr(p, "component", "") or p.type.component or component) != component
        for p in walk(expr)
    )


EACH = 8
"""The seeds of each part of a full run, for each game."""


def check_met(met: Met) -> None:
    met_twice = {kind for kind, values in met.values.items() if len(values) > 1}
    assert set(ir.OPERATIONS) - met_twice == set(ALWAYS_ALIKE)
    assert met.left_out < MOST_LEFT_OUT * met.asked and met.beyond < met.compared // 50, met
    assert met.in_circuits > 5, met.in_circuits


@pytest.mark.parametrize("seeds", numbers(1, 6))
def test_all_evaluators_agree_on_every_operation(seeds: Sequence[int]) -> None:
    met = Met()
    for game in GAMES:
        for seed in seeds:
            compare(met, game, seed, size=70, depth=4, count=4)
    assert met.compared > 375 * len(seeds), met.compared
    if len(seeds) == 6:
        check_met(met)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_all_evaluators_agree_on_many_expressions(part: int) -> None:
    """Other ones in each full run."""
    start, met = (2 * daily.seed() + part) * EACH, Met()
    for game in GAMES:
        for seed in range(100 + start, 100 + start + EACH):
            compare(met, game, seed, size=80, depth=2 + seed % 5, count=10)
    check_met(met)
    assert met.compared > 650 * EACH, met.compared
