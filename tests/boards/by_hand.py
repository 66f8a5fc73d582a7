"""Objectives beside the same in Python, on random boards: interpreter, functions, kernel and circuit."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import wasmtime

from pwtool.boards.proofs import Analysis, position_with
from pwtool.eval.values import Grid
from pwtool.kernel.wasm.bitboards import LONG
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import PAGE
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.play.game import Game
from tests import daily
from tests.laws.test_circuits import in_bulk, load

GRIDS = ("floating grid 3x3", "grid 3x3", "grid 4x4", "floating grid 4x4", "grid 2x5")
GAME = """
game stones "Stones"
players 2..2
component stone {{ tone: pale "P" | dark "D" | red "R"  size: 1..4 }}
deck stones of stone = {{ 9 P1 9 P2 9 P3 9 P4 9 D1 9 D2 9 D3 9 D4 9 R1 9 R2 9 R3 9 R4 }}
zone board: {grid} of stone
zone stock: bag of stone
zone prizes: pile of 1..2 per goal
setup {{
  choose goals "One goal": 1 of objective
  deal stock "All": all of stones to stock by chance
  put prizes "A prize": 1
}}
turn = lay
action lay "Lay" (stone: stone from stock, at: cell of board) {{ move stone to board[at] }}
ending full "Full" when count board == 4 then stop
score done "Done" = (if some g in goals: board fulfils g then 1 else 0)
ranking most total, shared
"""


@dataclass(frozen=True)
class Stone:
    """The visible stone of a cell, counted from the upper left stone, and those below it."""

    x: int
    y: int
    tone: str
    size: int
    below: tuple[str, ...] = ()

    @property
    def high(self) -> int:
        """How high its pile is."""
        return 1 + len(self.below)


class Seen(list[Stone]):
    """What a player sees of a board, row by row; `width` and `height` are those of the grid."""

    width: int
    height: int

    def beside(self, stone: Stone) -> list[Stone]:
        return [other for other in self if abs(other.x - stone.x) + abs(other.y - stone.y) == 1]

    def group(self, stone: Stone, holds: Callable[[Stone], bool]) -> list[Stone]:
        found = [stone] if holds(stone) else []
        for one in found:
            found += [other for other in self.beside(one) if other not in found and holds(other)]
        return found


Asked = tuple[str, Callable[[Seen], Any]]
"""An objective and the same in Python."""


@cache
def game_with(grid: str, *conditions: str) -> Game:
    lines = (f'objective o{at} "O" = {condition}' for at, condition in enumerate(conditions))
    return load(GAME.format(grid=grid) + "\n".join(lines))


def boards(
    game: Game, count: int, rng: random.Random, heights: Sequence[int] = (1, 1, 1, 2)
) -> list[tuple[Grid, Seen]]:
    """Boards of few kinds of stones, so that equal ones lie there; one that floats lies anywhere. `heights`: of its piles."""
    board = game.ruleset.board
    assert board is not None
    numbers, found = game.ruleset.components["stone"].numbers, []
    for _ in range(count):
        few, full = rng.sample(list(numbers), rng.choice([1, 2, 3, 5, 12])), rng.choice([0.3, 0.6, 0.9, 1])
        used = [(c, r) for r in range(board.height) for c in range(board.width) if rng.random() < full]
        used = [cell for cell in used if board.grid.has(cell)]
        if board.floating:
            width, height = rng.randint(1, board.width), rng.randint(1, board.height)
            used = [(c, r) for c, r in used if c < width and r < height]
        left, top = (min((cell[axis] for cell in used), default=0) * board.floating for axis in (0, 1))
        seen, grid = Seen(), {}
        for column, row in used:
            pile = [rng.choice(few) for _ in range(rng.choice(heights))]
            tone = {"P": "pale", "D": "dark", "R": "red"}[pile[-1][0]]
            seen.append(Stone(column - left, row - top, tone, int(pile[-1][1:]), tuple(pile[:-1])))
            shift = 2 * board.floating
            grid[column - shift, row - shift] = [numbers[code] for code in pile]
        seen.width, seen.height = board.width, board.height
        found.append((grid, seen))
    return found


def check(
    asked: list[Asked],
    grid: str,
    count: int = 30,
    seed: int | None = None,
    proven: bool = True,
    heights: Sequence[int] = (1, 1, 1, 2),
) -> None:
    """Every objective means to every evaluator what its function says; without `proven` to those that judge single boards.
    Without a seed, boards are those of the day.
    """
    game = game_with(grid, *(condition for condition, _ in asked))
    found = boards(game, count, random.Random(f"{grid} {daily.seed() if seed is None else seed}"), heights)
    kernels = [in_kernel(game, grid_) for grid_, _ in found]
    for at, (condition, function) in enumerate(asked):
        careful, fast = game.interpreter.objective(f"o{at}"), game.fast.backend.objective(f"o{at}")
        for (grid_, seen), kernel in zip(found, kernels, strict=True):
            state, expected = position_with(game, grid_), bool(function(seen))
            told = (condition, grid, expected, list(seen))
            assert careful(state, grid_) == expected, told
            assert bool(fast(state, grid_)) == expected, told
            assert kernel[at] == expected, told
    if not proven:
        return
    analysis = Analysis(game, list(game.ruleset.objectives), patient=False)
    assert analysis.undecided == {}
    grids = [grid_ for grid_, _ in found]
    for (condition, function), verdicts in zip(asked, in_bulk(analysis, list(analysis.roots), grids), strict=True):
        assert verdicts == [bool(function(seen)) for _, seen in found], condition


def in_kernel(game: Game, grid: Grid) -> list[int]:
    """What a kernel says of a board, of each objective."""
    module, engine = _module(game)
    store = wasmtime.Store(engine)
    exports: Any = wasmtime.Instance(store, module, []).exports(store)
    exports["reset"](store)
    for (x, y), pile in grid.items():
        for face in pile:
            exports["lay"](store, (y << 16) | (x & 0xFFFF), face)
    answers = [exports[name](store) for name in game.ruleset.objectives]
    assert not exports["beyond"](store)
    return answers


_modules: dict[int, tuple[Game, wasmtime.Module, wasmtime.Engine]] = {}


def _module(game: Game) -> tuple[wasmtime.Module, wasmtime.Engine]:
    if id(game) not in _modules:
        kernel = KernelWriter(game.ruleset)
        shared, board = ModuleFunctions(kernel), game.ruleset.board
        assert board is not None
        address = kernel.place(board.number).address
        _, code = kernel.function("lay", 2, None, exported=True)
        code.do(shared.grids.push(board.number), address, *code.arguments)
        for name in game.ruleset.objectives:
            _, code = kernel.function(name, 0, exported=True)
            code.call(shared.objective(name), address).write()
        _, code = kernel.function("beyond", 0, exported=True)
        code.global_(kernel.beyond).write()
        shared.grids.finish()
        _, code = kernel.function("reset", 0, None, exported=True)
        shared.grids.reset(code, board.number)
        for begun, content in kernel.watch.begun:
            for at in range(0, len(content), LONG):
                code.store_long(begun + at, int.from_bytes(content[at : at + LONG], "little"))
        kernel.module.pages = kernel.layout.free // PAGE + 2
        engine = wasmtime.Engine()
        _modules[id(game)] = game, wasmtime.Module(engine, kernel.module.encode()), engine
    return _modules[id(game)][1:]
