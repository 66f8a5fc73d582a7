"""Numbers at the edges of their bounds, and of words, on boards: circuits say what the interpreter and the functions say."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec
import pytest

from pwtool.boards.proofs import Analysis, position_with
from pwtool.eval.values import Grid, by_cell
from pwtool.ir import nodes as ir
from pwtool.ir.model import ObjectiveModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import number
from pwtool.ir.walk import free_locals, walk
from pwtool.play.game import Game
from tests.daily import one_day_in
from tests.kernel.asking import Bounds
from tests.kernel.mixing import SIGNS, SLOTS, Mixer
from tests.laws.test_circuits import in_bulk, load

SEED = int(os.environ.get("PWTOOL_SEED", random.SystemRandom().randrange(1 << 32)))
GAME = """
game brink_board "The board of edges"
players 2..2
component card {{ tone: pale "P" | dark "D"  size: 46340..46342  owed: by tone {{ pale: -3 dark: 2 }} }}
deck cards of card = all
zone board: {grid} of card
zone stock: bag of card
setup {{ deal stock "All": all of cards to stock by chance }}
turn = lay
action lay "Lay" (card: card from stock, at: cell of board) {{ move card to board[at] }}
ending full "Full" when count board == 4 then stop
score done "Done" = count board
ranking most total, shared
objective a1 "A" = sum size of card * 3 > count card * 46341 + sum (c in card: c.size * c.size)
objective a2 "A" = largest group of same tone > smallest group of same size
objective a3 "A" = count (c in card: c.size == 46341) == count distinct size of card
objective a4 "A" = some card: tone == dark or size > 46340
objective a5 "A" = some [ a b ] turned: same tone
objective a6 "A" = (max size of card else 0) - (min size of card else 46342) < count (card - card)
objective a7 "A" = every [ # # ]: distinct size
objective a8 "A" = same tone of card and no card: size == 46342
"""
GRIDS = ("grid 2x2", "floating grid 2x2", "grid 3x2")


class _BoardMixer(Mixer):
    """Puts conditions on a board together from the parts of objectives, which read its piles and its tops. Many compare a
    number with what it is on one of some boards.
    """

    def __init__(self, game: Game, edges: list[int], rng: random.Random, grids: list[Grid]) -> None:
        super().__init__(game.ruleset, edges, rng)
        self.game, self.grids = game, grids
        for objective in game.ruleset.objectives.values():
            for part in walk(objective.condition):
                self._keep_part(part)

    def any(self) -> Expr:
        """A condition."""
        self.slot = self.first
        return self.condition(self.rng.randint(2, 4), ())

    def condition(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        if known or self.rng.random() < 0.5:
            return super().condition(depth, known)
        value, grid = self.number(depth, ()), self.rng.choice(self.grids)
        board = self.game.ruleset.board
        assert board is not None
        e: list[Any] = [None] * SLOTS
        e[0] = by_cell(grid, board.width, board.height, board.floating)
        e[1] = [pile[-1] for pile in e[0] if pile]
        there = self.game.interpreter.evaluate(value, position_with(self.game, grid), e) + self.rng.choice((-1, 0, 1))
        return ir.Compare(self.rng.choice(SIGNS), value, ir.Const(number(there, there), there))

    def _keep_part(self, x: Expr) -> None:
        if x.type.optional or not free_locals(x) <= {0, 1} or isinstance(x, ir.Const | ir.Local):
            return
        if x.type.kind in ("int", "bool"):
            (self.numbers if x.type.kind == "int" else self.conditions).append(x)
        elif x.type.element is not None and x.type.element in self.elements:
            self.collections.append(x)


@dataclass(slots=True)
class Met:
    """How many conditions were asked, of how many nothing is proven, how many verdicts were compared, and how many conditions depend
    on the board."""

    asked: int = 0
    left_out: int = 0
    compared: int = 0
    held: int = 0
    mixed: int = 0
    largest: int = 0


def boards(game: Game, rng: random.Random, count: int) -> Iterator[Grid]:
    """Boards of few kinds of cards, the empty one among them."""
    board = game.ruleset.board
    assert board is not None
    faces = range(len(game.ruleset.components["card"].codes))
    for at in range(count):
        few = rng.sample(faces, rng.choice([1, 2, 4]))
        cells = [(x, y) for y in range(board.height) for x in range(board.width) if at and rng.random() < 0.7]
        yield {cell: [rng.choice(few)] for cell in cells}


def mix(met: Met, grid: str, seed: str, size: int) -> None:
    """So many conditions on a few dozen boards."""
    rng = random.Random(seed)
    own = load(GAME.format(grid=grid))
    edges = {0, 1, 46340, 46341, 46342, 1 << 15, 1 << 16, 46341**2, 1 << 28, 1 << 31, -(1 << 31)}
    grids = list(boards(own, rng, 24))
    mixer = _BoardMixer(own, sorted({n + step for n in edges for step in (-1, 0, 1)}), rng, grids)
    bounds = Bounds(own.ruleset)
    span = next(iter(own.ruleset.objectives.values())).span
    written = islice(filter(bounds.is_allowed, iter(mixer.any, None)), size)
    asked = {f"q{at}": ObjectiveModel(f"q{at}", "Q", x, SLOTS, span) for at, x in enumerate(written)}
    game = Game(msgspec.structs.replace(own.ruleset, objectives=asked))
    analysis = Analysis(game, list(asked), patient=False)
    met.asked += size
    met.left_out += len(analysis.undecided)
    proven = [name for name in asked if name in analysis.roots]
    for name, verdicts in zip(proven, in_bulk(analysis, proven, grids), strict=True):
        careful, fast = game.interpreter.objective(name), game.fast.backend.objective(name)
        for found, verdict in zip(grids, verdicts, strict=True):
            state = position_with(game, found)
            told = seed, name, asked[name].condition, found
            assert careful(state, found) is verdict, told
            assert bool(fast(state, found)) is verdict, told
            met.compared += 1
            met.held += verdict
        met.mixed += len(set(verdicts)) > 1
        met.largest = max(met.largest, *(bounds.found[id(x)].magnitude for x in walk(asked[name].condition)))


def check(met: Met) -> None:
    assert met.left_out < met.asked // 10 and met.compared > met.asked, met
    assert met.compared // 5 < met.held < met.compared * 4 // 5 and met.largest > 1 << 31, met
    assert met.mixed > met.asked // 5, met


@one_day_in(8)
def test_circuits_compute_at_the_edges() -> None:
    met = Met()
    for grid in GRIDS:
        mix(met, grid, f"edges {grid}", 60)
    check(met)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_circuits_compute_very_many_numbers(part: int) -> None:
    """Thirty thousand conditions, with other ones each time (`PWTOOL_SEED` repeats them)."""
    print(f"PWTOOL_SEED={SEED}")
    met = Met()
    for run in range(50):
        mix(met, GRIDS[run % len(GRIDS)], f"{SEED} {part} {run}", 200)
    print(met)
    check(met)
    assert met.asked == 10_000
