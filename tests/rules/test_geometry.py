"""Cells, directions, rays and what lies between: what they mean is counted by hand on many grids, and nothing leaves one."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

import pwtool
from pwtool.ir import nodes as ir
from pwtool.ir.grids import AROUND, DIAGONAL, FLOATING, HEXAGONAL, Grid, cells_between, cells_of, near, ray, towards
from pwtool.ir.types import cell
from pwtool.kernel.compiler import Compiler
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import some
from tests.support import book

RULES = """\
game rays "Rays"
players 2..2
component man { side: black "b" | white "w" }
deck men of man = { 12 b  12 w }
zone board: grid 5x4 of man
zone yard: grid 3x3 of man
zone off: bag of man
setup {
  deal board "One on each cell": 1 each of men to board by chance
  deal off "The others are kept": rest of men to off
}
var moves: 0..200 = 0 per game
turn = hop
action hop "Move" (at: cell of board, to: cell of board) {
  PARTS
  moves += 1
}
ending done "Done" when moves == 12 then stop
score men "Men" = count board
ranking most total, shared
"""


def rules(parts: str, more: str = "") -> str:
    return RULES.replace("PARTS", parts) + more


def load(tmp_path: Path, text: str) -> tuple[object, list[str]]:
    path = tmp_path / "rays" / "game.rules"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    result = load_ruleset(str(path), Library())
    return result.value, [d.message for d in result.diagnostics]


# ---- the cells themselves


def some_grids() -> list[Grid]:
    rng = random.Random(12)
    found = [Grid(1, 1), Grid(5, 4), Grid(1, 6), Grid(4, 4, hexagonal=True)]
    for _ in range(24):
        width, height = rng.randint(1, 7), rng.randint(1, 7)
        mask = "".join(rng.choice("###.") for _ in range(width * height))
        found.append(Grid(width, height, mask if "#" in mask else "", rng.random() < 0.4))
    return found


@pytest.mark.parametrize("grid", some_grids(), ids=str)
def test_what_lies_around_a_cell_is_what_one_counts_by_hand(grid: Grid) -> None:
    cells = cells_of(grid)
    assert len(cells) == grid.size == len(set(cells))
    known = set(cells)
    for x, y in cells:
        beside = [c for c in known if (c[0] - x, c[1] - y) in (HEXAGONAL if grid.hexagonal else HEXAGONAL[:4])]
        assert sorted(near(grid, (x, y))) == sorted(beside)
        corners = [c for c in known if abs(c[0] - x) == abs(c[1] - y) == 1]
        assert sorted(near(grid, (x, y), diagonally=True)) == sorted(corners)
        for dx, dy in (*AROUND, (1, 2), (-3, 1)):
            line = []
            for times in range(1, 9):
                cell = (x + times * dx, y + times * dy)
                if cell not in known or not (dx or dy):
                    break
                line.append(cell)
            assert list(ray(grid, (x, y), (dx, dy))) == line


@pytest.mark.parametrize("grid", some_grids(), ids=str)
def test_tables_have_what_steps_find(grid: Grid) -> None:
    steps = [*HEXAGONAL, *(() if grid.hexagonal else DIAGONAL[:1] + DIAGONAL[3:])]
    compiler = Compiler(book("othello").game.ruleset)
    one, other = (ir.Local(cell(grid), slot) for slot in (0, 1))
    between = compiler.of(ir.Between(one, other, grid))
    rays = compiler.of(ir.Ray(one, other, grid))
    for a, b in product(cells_of(grid), repeat=2):
        found = [line[: line.index(b)] for step in steps if b in (line := ray(grid, a, step))]
        assert cells_between(grid, a, b) == (found[0] if found else ())
        assert between(None, [a, b]) == cells_between(grid, a, b)
        assert (towards(grid, a, b) in steps) or not found
    for a, step in product(cells_of(grid), AROUND):
        assert rays(None, [a, step]) == ray(grid, a, step)
    # What is not a cell of the grid has nothing around it.
    assert between(None, [(-1, 0), (2, 0)]) == rays(None, [(-1, 0), (1, 0)]) == ()


def test_a_grid_that_floats_has_every_cell_that_can_be_written() -> None:
    assert FLOATING.has((-999, 999)) and not FLOATING.has((1000, 0))


# ---- what is said of them


def away(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return abs(a[0] - b[0]), abs(a[1] - b[1])


def queen(a: tuple[int, int], b: tuple[int, int]) -> bool:
    x, y = away(a, b)
    return a != b and (not x or not y or x == y)


SAID = [
    ("some d in directions + diagonals: to is in cells from at towards d", queen),
    ("count cells between at and to == 2", lambda a, b: queen(a, b) and max(away(a, b)) == 3),
    ("to is in neighbours of at diagonally", lambda a, b: away(a, b) == (1, 1)),
    ("to is in neighbours of at + neighbours of at diagonally", lambda a, b: max(away(a, b)) == 1),
    ("(to - at).columns * (to - at).columns + (to - at).rows * (to - at).rows == 5", lambda a, b: sorted(away(a, b)) == [1, 2]),
    ("some d in directions: at + 2 * d == to", lambda a, b: sorted(away(a, b)) == [0, 2]),
    ("at + (1, 2) == to or at - (2, - 1) == to", lambda a, b: (b[0] - a[0], b[1] - a[1]) in ((1, 2), (-2, 1))),
    ("(at.column + 1, at.row - 1) == to", lambda a, b: b == (a[0] + 1, a[1] - 1)),
    ("to == (4, 3)", lambda a, b: b == (4, 3)),
    ("(at + right + down_left else at) == to", lambda a, b: b == ((a[0], a[1] + 1) if a[0] < 4 and a[1] < 3 else a)),
    ("(first n in cells from at towards up: n.row < 2) == to", lambda a, b: b[0] == a[0] and b[1] == min(1, a[1] - 1) >= 0),
    ("(last n in cells from at towards (2, 0): true and moves < 200) == to", lambda a, b: a[1] == b[1] and b[0] > a[0] and b[0] == 4 - a[0] % 2),
    ("(some d in diagonals: d == to - at) and - (to - at) == at - to", lambda a, b: away(a, b) == (1, 1)),
    ("to is in cells from at towards - up_left", lambda a, b: b[0] - a[0] == b[1] - a[1] > 0),
    ("board[at + left] is empty and to == at", lambda a, b: a == b and a[0] == 0),
    ("to is in (group n around at: n.column != 2)", lambda a, b: 2 not in (a[0], b[0]) and (a[0] < 2) == (b[0] < 2)),
    ("count (group n around at: n.column < 3 and n.row < 2 and n != (1, 0)) == 5 and to == at", lambda a, b: a == b and a[0] < 3 and a[1] < 2 and a != (1, 0)),
    ("count neighbours of at == 2 and to == at", lambda a, b: a == b and a[0] in (0, 4) and a[1] in (0, 3)),
]  # fmt: skip


def test_conditions_on_cells_mean_what_they_say(tmp_path: Path) -> None:
    """All pairs of cells, by the engine and by the interpreter."""
    cells = list(product(range(5), range(4)))
    for condition, means in SAID:
        text = rules(f'rule asked "Asked" require {condition}')
        model, problems = load(tmp_path, text)
        assert not problems and model is not None, (condition, problems)
        game = pwtool.load(str(tmp_path / "rays" / "game.rules"))
        start = {**game.play(["A", "B"], seed=1, max_turns=0), "turns": []}
        start.pop("result", None)
        legal = {tuple(map(tuple, a.arguments.values())) for a in game.replay(start).at(1).legal()}
        wanted = {(a, b) for a in cells for b in cells if means(a, b)}
        assert legal == wanted, condition
        state, careful = game.replay(start).at(1)._play.state, Game(model).careful.actions[0]
        for pair in product(cells, repeat=2):
            e = careful.bind(pair)
            careful.compute(state, e)
            broken, unknown = careful.judge(state, e)
            assert not unknown and bool(broken) == (pair not in wanted), (condition, pair)


WRONG = [
    ("rule a \"A\" require at == (5, 0)", "the grid has no cell (5, 0)"),
    ("rule a \"A\" require at == (0, 0) of yard and board[(0, 4)] is empty", "the grid has no cell (0, 4)"),
    ("rule a \"A\" require yard[to] is empty and (0, 0) of hand == at", "there is no grid `hand`"),
    ("let c = (1, 1)\n rule a \"A\" require at == c", "`(1, 1)` may be a cell of several grids"),
    ("rule a \"A\" require to is in cells from at towards at", "this is a cell, a direction is needed"),
    ("rule a \"A\" require to is in cells from at towards (0, 0)", "this points nowhere"),
    ("rule a \"A\" require to is in cells from at towards (to - at)", "this may lead further than to the next cell"),
    ("rule a \"A\" require to is in cells from moves towards up", "this is a number, a cell is needed"),
    ("rule a \"A\" require to is in cells from (at + up) towards up", "this may be no cell at all"),
    ("rule a \"A\" require count cells between at and (0, 0) of yard > 0", "these are cells of two grids"),
    ("rule a \"A\" require (to - at).column == 1", "there is no attribute of a direction `column`"),
    ("rule a \"A\" require at + to == to", "this is a cell, a number is needed"),
    ("rule a \"A\" require to - at == at", "a direction is never equal to a cell"),
    ("rule a \"A\" require at + right * 9999 * 9999 == to", "this direction may go further than 9,999 cells"),
    ("rule a \"A\" require at in directions == to", None),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "message"), WRONG)
def test_mistakes_are_told(tmp_path: Path, parts: str, message: str | None) -> None:
    model, problems = load(tmp_path, rules(parts))
    assert model is None and problems
    assert message is None or message in problems, problems


# ---- nothing leaves a grid


MOVES = [
    "move top of board[at] to board[at + (to - at) * 2] when board[at] is not empty",
    "move top of board[at] to yard[to] when board[at] is not empty",
    "move top of board[at] to board[(to.column * 2, at.row - 1)] when board[at] is not empty",
]


@pytest.mark.parametrize("move", some([*MOVES], 1))
def test_no_man_ever_stands_outside_of_a_grid(tmp_path: Path, move: str) -> None:
    model, problems = load(tmp_path, rules(move))
    assert model is not None, problems
    game = pwtool.load(str(tmp_path / "rays" / "game.rules"))
    count = 6
    games = list(game.play_many(count, 2, seed=5))
    assert games == [game.play(2, seed=5 + number) for number in range(count)]
    refused = 0
    for record in games[:4]:
        record.pop("result", None)
        verdict = game.check(record)
        assert verdict.clean or all(f.code == "PW612" for f in verdict.findings), verdict.findings
        turns = len(record["turns"])
        for turn in range(1, turns + 1):
            zones = game.replay(record).at(turn)._play.state.zones
            assert all(cell in cells_of(Grid(5, 4)) for cell in zones[0][0])
            assert all(cell in cells_of(Grid(3, 3)) for cell in zones[1][0])
        rng = random.Random(turns)
        for _ in range(10):
            action = {
                "action": "hop",
                "at": [rng.randrange(5), rng.randrange(4)],
                "to": [rng.randrange(5), rng.randrange(4)],
            }
            damaged = {**record, "turns": [*record["turns"][:2], {"player": record["players"][0], "actions": [action]}]}
            refused += not game.check(damaged).clean
    assert refused


def test_what_nobody_judges_cannot_lead_outside(tmp_path: Path) -> None:
    consequence = """
consequence fall "Everything falls" (c: cell of board) {
  rule there "A man is there" require board[c] is not empty
  move top of board[c] to TARGET
}
"""
    for target, message in (
        ("board[c + down]", "this may be no cell at all"),
        ("yard[c]", "this may be a cell that the grid does not have"),
    ):
        _, problems = load(tmp_path, rules("", consequence.replace("TARGET", target)))
        assert message in problems
    _, problems = load(tmp_path, rules("", consequence.replace("TARGET", "board[(c + down else c)]")))
    assert not problems
    _, problems = load(tmp_path, rules("").replace("1 each of men to board", "1 each of men to board at 5, 0"))
    assert "`board` has no cell (5, 0)" in problems


# ---- grids with a mask, hexagonal grids

CROSS = """\
game cross "Cross"
players 2..2
component peg { kind: peg "o" | other "x" }
deck spare of peg = { 3 x }
zone board: KIND of peg
zone off: bag of peg
setup {
  put board "All but one": LAID
  deal off "Others": all of spare to off
}
SHAPE
turn = jump | halt
action jump "Jump" (at: cell of board, to: cell of board) {
  rule there "A peg" require board[at] is not empty and board[to] is empty
  rule over "Over one" require some d in directions: at + 2 * d == to and board[at + d] is not empty
  move top of board[at] to board[to]
  move top of board[((first n in cells between at and to: true) else at)] to off
}
action halt "Stop" () { rule nothing "Nothing" require not can jump }
consequence fall "Single pegs fall" (c: cell of board) {
  rule single "Nothing beside it" require board[c] is not empty and count (group n around c: board[n] is not empty) == 1
  move top of board[c] to off
}
define open(c) = c != none and board[c] is empty
ending stuck "Nothing left"
  when no a in cells of board: some d in directions: board[a] is not empty and board[a + d] is not empty and open(a + 2 * d)
  then stop at once
score left "Left" = - count board
score rows "Rows" = count (row on board: true)
ranking most total, shared
"""
MASK = (
    "[ . . # # # . . / . . # # # . . / # # # # # # # / # # # # # # # / # # # # # # # / . . # # # . . / . . # # # . . ]"
)
HIVE = "[ . . # # # / . # # # # / # # # # # / # # # # . / # # # . . ]"


def crossed(mask: str, kind: str) -> str:
    laid = mask.replace("#", "o")
    middle = len(laid) // 2
    laid = laid[:middle] + laid[middle:].replace("o", ".", 1)
    shape = "shape row = [ # # # ] turned mirrored, [ # _ # ]"
    return CROSS.replace("KIND", kind + mask).replace("LAID", laid).replace("SHAPE", shape)


@pytest.mark.parametrize(
    ("mask", "kind", "cells", "rows"), some([(MASK, "grid ", 33, 38), (HIVE, "hex grid ", 19, 27)], 1)
)
def test_a_grid_has_the_cells_of_its_picture(mask: str, kind: str, cells: int, rows: int, tmp_path: Path) -> None:
    model, problems = load(tmp_path, crossed(mask, kind))
    assert model is not None, problems
    zone = model.zones["board"]  # type: ignore[attr-defined]
    assert len(cells_of(zone.grid)) == zone.grid.size == cells
    game = pwtool.load(str(tmp_path / "rays" / "game.rules"))
    games = list(game.play_many(6, 2, seed=2))
    assert games == [game.play(2, seed=2 + number) for number in range(6)]
    seen = set()
    for record in games:
        assert game.check(record).clean
        for turn in range(1, len(record["turns"]) + 1):
            position = game.replay(record).at(turn)
            assert set(position._play.state.zones[0][0]) <= set(cells_of(zone.grid))
            seen |= set(position._play.state.zones[0][0])
    assert len(seen) == cells
    record = {
        **games[0],
        "turns": [{"player": games[0]["players"][0], "actions": [{"action": "jump", "at": [0, 0], "to": [0, 2]}]}],
    }
    record.pop("result", None)
    assert [f.code for f in game.check(record).findings][:1] == ["PW602"]
    first = game.replay({**record, "turns": []}).at(1)
    assert {tuple(a.arguments["at"]) for a in first.legal()} <= set(cells_of(zone.grid))
    drawn = first.board(None).splitlines()
    assert len(drawn) == zone.height + 1
    placed = model.scores[1].value.domain.places  # type: ignore[attr-defined]
    assert all(zone.grid.has((at % zone.width, at // zone.width)) for needs, free in placed for at in (*needs, *free))
    # Straight rows of three, and two cells around an empty one in a row.
    straight = {
        frozenset((cell, *line[:2])) for cell in cells_of(zone.grid) for step in zone.grid.beside
        if len(line := ray(zone.grid, cell, step)) >= 2
    }  # fmt: skip
    assert len({frozenset(needs) for needs, free in placed if not free}) == len(straight) == rows


WRONG_GRIDS = [
    ("zone more: hex grid 3x3 of man\nscore s \"S\" = count neighbours of (0, 0) of more diagonally", "a hexagonal grid has no diagonals"),
    ("zone more: hex grid 3x3 of man\ninvariant i \"I\" require more is connected", "this works on grids of squares alone"),
    ("zone more: hex grid 3x3 of man\nscore s \"S\" = count diagonals", "`diagonals` means something else on a hexagonal grid, and there are both kinds"),
    ("zone more: grid [ # x ] of man", "`x` is neither a cell (`#`) nor none (`.`)"),
    ("zone more: grid [ . . ] of man", "the picture asks for nothing"),
    ("zone more: grid [ # . # ] of man\nsetup put more \"M\": [ b b b ]", "the grid has no cell (1, 0)"),
    ("zone more: grid [ # . # ] of man\nscore s \"S\" = count more[(1, 0)]", "the grid has no cell (1, 0)"),
    ("zone more: grid [ # . # ] of man\nscore s \"S\" = largest group of same side in more + count (r on more: true)\nshape r = [ # # ]", None),
]  # fmt: skip


@pytest.mark.parametrize(("more", "message"), WRONG_GRIDS)
def test_what_a_grid_does_not_have_is_told(tmp_path: Path, more: str, message: str | None) -> None:
    _, problems = load(tmp_path, rules("", more + "\n"))
    assert message is None or message in problems, problems
