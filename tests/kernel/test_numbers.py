"""Numbers at the edges of their bounds, and of words: all evaluators agree, kernels do not wrap, no bound is wrong."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from itertools import islice

import pytest

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.prover import compare_conditions
from pwtool.ir import nodes as ir
from pwtool.kernel.layout import MAX_NUMBER
from pwtool.play.game import Game
from tests.daily import one_day_in
from tests.kernel.asking import Asked, Bounds, Question, positions
from tests.kernel.batches import EDGES, Author, base, checked, numbers_at_edges
from tests.kernel.mixing import SLOTS, Mixer

SEED = int(os.environ.get("PWTOOL_SEED", random.SystemRandom().randrange(1 << 32)))


@dataclass(slots=True)
class Met:
    """How many expressions were asked, which were refused, and how many answers were compared."""

    asked: int = 0
    large: int = 0
    left_out: int = 0
    compared: int = 0
    compared_large: int = 0
    beyond: int = 0
    implied: int = 0
    largest: int = 0


def mix(met: Met, game: str, seed: str, size: int, pairs: int, count: int = 3) -> None:
    """So many expressions in so many positions; so many pairs of conditions are compared with each other."""
    rng = random.Random(seed)
    _, ruleset, _ = checked(Author(game, rng, 2).batch(40))
    mixer = Mixer(ruleset, numbers_at_edges(game), rng)
    bounds = Bounds(ruleset)
    written = islice(filter(bounds.is_allowed, iter(mixer.any, None)), size)
    asked = Asked(ruleset, game, [Question(f"q{at}", x) for at, x in enumerate(written)])
    met.asked += size
    met.large += len(asked.large)
    met.left_out += len(asked.left_out)
    playing, whole = Game(asked.ruleset), Game(ruleset)
    compiled = {q.name: whole.fast.backend.compile(q.expr) for q in (*asked.questions, *asked.large)}
    numbers = {q.name: at for at, q in enumerate(asked.questions)}
    conditions = [q for q in (*asked.questions, *asked.large) if q.expr.type.kind == "bool"]
    held: dict[str, list[bool]] = {q.name: [] for q in conditions}
    for record, play in positions(playing, rng, count):
        assert asked.position(asked.packer.pack(record))
        state = play.state
        state.player = rng.randrange(state.players)
        for question in (*asked.questions, *asked.large):
            right = whole.interpreter.evaluate(question.expr, state, [None] * SLOTS)
            told = seed, question.name, question.expr, right
            assert compiled[question.name](state, [None] * SLOTS) == right, told
            assert asked.bounds.hold(question.expr, right), told
            if question.name in held:
                held[question.name].append(bool(right))
            if question.name not in numbers:
                met.compared_large += 1
                continue
            met.largest = max(met.largest, abs(int(right)))
            answer = asked.answer(numbers[question.name], [], state.player)
            if answer is None:
                met.beyond += 1
                continue
            assert answer == asked.word(right, question.expr), (told, answer)
            met.compared += 1
    names = Normalizer(ruleset), Normalizer(ruleset)
    for _ in range(pairs):
        first, second = rng.sample(conditions, 2)
        found = compare_conditions(names[0].condition(first.expr), names[1].condition(second.expr), names)
        for one, other, without in ((first, second, found.only_first), (second, first, found.only_second)):
            if without is False:
                met.implied += 1
                values = zip(held[one.name], held[other.name], strict=True)
                assert all(b for a, b in values if a), (seed, one.expr, other.expr, found)


def check(met: Met) -> None:
    assert met.large > met.asked // 20 and met.compared > met.asked and met.compared_large, met
    assert met.left_out < met.asked // 20 and met.beyond < met.compared // 50, met
    assert met.implied and MAX_NUMBER >> 5 < met.largest <= MAX_NUMBER, met


@one_day_in(4)
def test_evaluators_agree_at_the_edges() -> None:
    met = Met()
    for game in EDGES:
        mix(met, game, f"edges {game}", 250, pairs=40)
    check(met)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_evaluators_agree_on_very_many_numbers(part: int) -> None:
    """Thirty thousand expressions, with other ones each time (`PWTOOL_SEED` repeats them)."""
    print(f"PWTOOL_SEED={SEED}")
    met = Met()
    for number in range(10):
        for game in EDGES:
            mix(met, game, f"{SEED} {part} {number} {game}", 1000, pairs=50)
    print(met)
    check(met)
    assert met.asked == 10_000


@one_day_in(4)
def test_a_token_that_lies_nowhere_has_no_cell() -> None:
    """At the beginning, and when it was taken back: positions that are the same are the same words."""
    ruleset = base("quarry")
    grids = {zone.number: zone.grid for zone in ruleset.zones.values() if zone.kind == "grid"}
    met = set()
    for token in ruleset.tokens.values():
        there = ir.TokenCell(token.number, grids[token.zone])
        asked = Asked(ruleset, "quarry", [Question("none", ir.Compare("==", there, ir.Const(there.type, None)))])
        for record, play in positions(Game(asked.ruleset), random.Random(1), 15):
            assert asked.position(asked.packer.pack(record))
            place = play.state.tokens[token.number]
            assert asked.answer(0, [], play.state.player) == (place is None)
            met.add(place is None)
    assert met == {True, False}


def test_the_game_of_edges_has_them() -> None:
    variables = [v.type for game in EDGES for v in base(game).variables.values() if v.type.kind == "int"]
    assert {0, 60000, 46341, MAX_NUMBER} <= {t.high for t in variables}
    assert {0, -46341, -MAX_NUMBER} <= {t.low for t in variables}
