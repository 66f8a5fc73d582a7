"""Single random boards, for objectives about which nothing can be proven. Only possible boards are used: with faces from a
deck and with piles that the invariants allow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pwtool.boards.invariants import pile_rules
from pwtool.boards.proofs import Analysis, position_with
from pwtool.boards.spaces import deck_faces, pile_allows, tallest_pile
from pwtool.eval.values import UNKNOWN, Grid, bounds
from pwtool.play.game import Game

BOARDS = 600
# How many boards of the sample are examined for one with few cards.
LOOKED_AT = 60


class Chance:
    """Random boards, and random changes to boards."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        board = game.ruleset.board
        assert board is not None
        self.game, self.board, self.rng = game, board, rng
        component = game.ruleset.components[board.element.component]
        self.faces = deck_faces(game, component.name)
        self.tallest = tallest_pile(game)
        self.rules = [(kind, component.attributes[name].table) for kind, name in pile_rules(game.ruleset)]

    def grid(self, tall: bool) -> Grid:
        """A random board, with piles that may be tall or with visible cards only."""
        rng = self.rng
        chance = rng.choice((0.4, 0.7, 1.0))
        # With few different faces, more cards agree with each other.
        pool = [rng.choice(self.faces) for _ in range(rng.choice((2, 4, 9, len(self.faces))))]
        cells = [(x, y) for y in range(self.board.height) for x in range(self.board.width)]
        return {cell: self.pile(rng.choice(pool), tall) for cell in cells if rng.random() < chance}

    def pile(self, top: int, tall: bool) -> list[int]:
        """A pile with this card on top."""
        pile = [top]
        most = self.rng.randint(1, min(self.tallest, 6)) if tall else 1
        while len(pile) < most:
            fitting = [face for face in self.faces if pile_allows(self.rules, face, pile[0])]
            if not fitting:
                break
            pile.insert(0, self.rng.choice(fitting))
        return pile

    def varied(self, grid: Grid, tall: bool) -> Grid:
        """A board with a few cells changed."""
        rng = self.rng
        varied = {cell: list(pile) for cell, pile in grid.items()}
        for _ in range(rng.choice((1, 1, 2, 3))):
            cell = (rng.randrange(self.board.width), rng.randrange(self.board.height))
            if rng.random() < 0.25:
                varied.pop(cell, None)
            elif rng.random() < 0.5 and varied:
                varied[rng.choice(list(varied))] = self.pile(rng.choice(self.faces), tall)
            else:
                like = varied and rng.random() < 0.4
                top = rng.choice(list(varied.values()))[-1] if like else rng.choice(self.faces)
                varied[cell] = self.pile(top, tall)
        return varied


def shrunk(grid: Grid, wanted: Callable[[Grid], bool]) -> Grid:
    """The board without the cards that make no difference, moved to the corner if its position makes none."""
    for cell in sorted(grid, reverse=True):
        smaller = {c: pile for c, pile in grid.items() if c != cell}
        if smaller and wanted(smaller):
            grid = smaller
    for cell in sorted(grid):
        while len(grid[cell]) > 1 and wanted({**grid, cell: grid[cell][1:]}):
            grid = {**grid, cell: grid[cell][1:]}
    left, top = bounds(grid)[:2]
    corner = {(x - left, y - top): pile for (x, y), pile in grid.items()}
    return corner if wanted(corner) else grid


def found_board(analysis: Analysis, name: str, holds: bool) -> Grid | None:
    """A board on which an objective holds, or does not; judged by the rules, with few cards but perhaps not the fewest. None if
    none was found, which proves nothing.
    """
    game = analysis.game
    judge = game.interpreter.objective(name)

    def wanted(grid: Grid) -> bool:
        verdict = judge(position_with(game, grid), grid)
        return verdict is not UNKNOWN and bool(verdict) == holds

    if wanted({}):
        return {}
    found = [shrunk(grid, wanted) for grid in _candidates(analysis, name, holds) if grid and wanted(grid)]
    return min(found, key=lambda grid: sum(map(len, grid.values())), default=None)


def _candidates(analysis: Analysis, name: str, holds: bool) -> Iterator[Grid]:
    if name not in analysis.roots:
        chance = Chance(analysis.game, random.Random(name))
        yield from (chance.grid(number % 2 == 0) for number in range(BOARDS))
        return
    sample, space = analysis.sample, analysis.space
    left = sample.verdicts[name] if holds else ~sample.verdicts[name] & sample.full
    for _ in range(LOOKED_AT):
        if not left:
            return
        lowest = left & -left
        at = lowest.bit_length() - 1
        yield space.grid([column[at] for column in sample.columns])
        # Neighbours use the same few faces, so move on to other boards.
        left = left >> at + sample.boards // LOOKED_AT << at + sample.boards // LOOKED_AT
