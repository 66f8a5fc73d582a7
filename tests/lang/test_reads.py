"""`reads` takes numbers below zero too."""

from __future__ import annotations

from itertools import product

from pwtool.boards.proofs import Analysis, position_with
from pwtool.lang.fmt.text import format_rules
from pwtool.text.source import SourceFile
from tests.boards.by_hand import GAME
from tests.laws.test_circuits import load


def test_numbers_below_zero_are_read() -> None:
    text = GAME.format(grid="grid 2x1").replace("size: 1..4", "size: -1..2")
    text = text.replace(text[text.index("= { 9 P1") : text.index("\nzone board")], "= all")
    condition = "some [ # # ]: size reads -1 2 or some [ # # ]: size reads 0 -1"
    game = load(f'{text}objective o "O" = {condition}\n')
    sizes = game.ruleset.components["stone"].attributes["size"].table
    fulfilled = 0
    for one, other in product(range(len(sizes)), repeat=2):
        grid = {(0, 0): [one], (1, 0): [other]}
        expected = (sizes[one], sizes[other]) in ((-1, 2), (0, -1))
        state = position_with(game, grid)
        assert (
            game.interpreter.objective("o")(state, grid)
            == expected
            == bool(game.fast.backend.objective("o")(state, grid))
        )
        fulfilled += expected
    assert Analysis(game, ["o"]).measure("o").count == fulfilled == 18


def test_the_formatter_leaves_them_together() -> None:
    text = 'part p of g\n\nobjective o "O" = some [ # # ]: size reads -1 2 and size reads 0 -1\n'
    assert format_rules(SourceFile("p.rules", text)).value == text
