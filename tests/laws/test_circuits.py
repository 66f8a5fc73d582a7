"""Interpreter, functions, circuit and decision diagrams say the same of every board."""

from __future__ import annotations

import itertools
import json
import random
from functools import cache
from pathlib import Path

import pytest

from pwtool.boards.bulk import Program
from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis, position_with
from pwtool.boards.search import Search
from pwtool.eval.values import Grid, by_cell
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import one_day_in, some, times
from tests.support import DATA, book

# Every operation that an objective can be made of; one line each.
OBJECTIVES = """
shape ell = [ # # / # . ] turned mirrored
shape plus = [ . a . / a c a / . a . ]
shape line = [ # # # ] turned, [ # . . / . # . / . . # ] mirrored
objective a1 "A" = some ell: same color
objective a2 "A" = some plus: distinct color of a and c.value >= 3
objective a3 "A" = some [ # # # ] turned: sum value <= 6
objective a4 "A" = some [ 2 2 ] turned
objective a5 "A" = some [ # # # ]: ascending value and not any scissors
objective a6 "A" = some [ x y z ]: x.value < y.value and y.value < z.value
objective a7 "A" = some [ # _ # ]: all value >= 3
objective a8 "A" = every h in 1..3: some pile: height == h
objective a9 "A" = no card: scissors
objective b1 "A" = at most 1 card: value == 5 and exactly 2 card: value == 1
objective b2 "A" = at least 2 [ # # # ]: same value
objective b3 "A" = some [ # / # / # ]: value reads 2 5 2
objective b4 "A" = every card: stars <= 3
objective b5 "A" = largest group of same color >= 4
objective b6 "A" = smallest group of same value >= 2
objective b7 "A" = some buried: value == 1
objective b8 "A" = sum value of card >= 20
objective b9 "A" = count buried < count card
objective c1 "A" = every ell: distinct value
objective c2 "A" = exactly 2 line: same color
objective c3 "A" = at most 1 line: any value == 5
objective c4 "A" = no ell: all color == yellow or all color == blue
objective c5 "A" = same color of card and not same value of card
objective c6 "A" = distinct value of card
objective c7 "A" = ascending value of card
objective c8 "A" = (sum stars of card) * 2 - count card == 3
objective c9 "A" = (if some card: scissors then count card else 7) > 5
objective d1 "A" = by count card { 0: 3  1: 2  else 0 } == 2
objective d2 "A" = some c in card: every d in card: d.value <= c.value
objective d3 "A" = ((first c in card: c.value == 4).color) == black
objective d4 "A" = ((last c in card: c.scissors).value else 2) == 2
objective d5 "A" = YS1 is in card or K3 is in card
objective d6 "A" = count (card - buried) == 2
objective d7 "A" = count (c in card: c.value == 4) > count (c in card: c.value == 3)
objective d8 "A" = sum (c in card: c.value * c.stars) > 12
objective d9 "A" = some [ a b ]: a == b
objective e1 "A" = some [ _ # / # _ ]: same color
objective e2 "A" = some [ # _ _ / _ . . ]
objective e3 "A" = count (c in card: c.value == 1) * count (c in card: c.scissors) == 4
objective e4 "A" = count card - count (c in card: c.value == 1) < 3
objective e5 "A" = some pile: height >= 3 and at most 2 pile: height == 1
objective e6 "A" = smallest group of same scissors == 1
objective e7 "A" = - count card < -4
objective e8 "A" = count (card + card) == 8
objective e9 "A" = (first c in card: c.value == 4) == (last c in card: c.value == 4)
"""


@cache
def own_game(text: str, base: str = "paper_world") -> Game:
    """The game with more objectives."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.rules"
        path.write_text(f'edition own of {base} "Own"\n{text}', "utf-8")
        result = load_ruleset(str(path), Library())
        assert result.value is not None, [f"{d.code} {d.message} {d.span}" for d in result.diagnostics]
        return Game(result.value)


def judged(game: Game, names: list[str], grids: list[Grid]) -> list[list[bool]]:
    """The verdicts of the interpreter, held equal to those of the compiled functions."""
    found = []
    for name in names:
        careful, fast = game.interpreter.objective(name), game.fast.backend.objective(name)
        verdicts = [careful(position_with(game, grid), grid) for grid in grids]
        assert verdicts == [bool(fast(position_with(game, grid), grid)) for grid in grids], name
        found.append([bool(v) for v in verdicts])
    return found


def in_bulk(analysis: Analysis, names: list[str], grids: list[Grid]) -> list[list[bool]]:
    """The verdicts of the circuit, all boards at once."""
    board = analysis.game.ruleset.board
    assert board is not None
    program = Program(analysis.circuit, [analysis.roots[n] for n in names])
    cells = [by_cell(grid, board.width, board.height, board.floating) for grid in grids]
    columns = [[tuple(row[at] or ()) for row in cells] for at in range(board.width * board.height)]
    planes = analysis.encoding.planes(columns, program.inputs)
    numbers = program.run(planes, len(grids))
    return [[bool(number >> at & 1) for at in range(len(grids))] for number in numbers]


def in_diagram(analysis: Analysis, name: str, board: tuple[int, ...]) -> bool:
    diagram = analysis.diagram(name)
    node = diagram.root
    while node > 1:
        level = diagram.levels[node]
        node = diagram.kids[node][diagram.classes[level][board[analysis.space.order[level]]]]
    return node == 1


def random_boards(analysis: Analysis, count: int, rng: random.Random) -> list[tuple[int, ...]]:
    values = range(len(analysis.space.values))
    boards = []
    for _ in range(count):
        few = rng.choices(values, k=rng.choice([2, 3, 5, 9])) + [0] * rng.choice([0, 1, 3])
        boards.append(tuple(rng.choice(few) for _ in analysis.space.order))
    return boards


@pytest.mark.parametrize("address", some(["paper_world", "paper_world/gamepark"], 1))
def test_all_evaluators_agree_on_the_thousand_boards(address: str) -> None:
    game = book(address).game
    numbers = game.ruleset.components["card"].numbers
    lines = (DATA / "objective_vectors.sample.jsonl").read_text("utf-8").splitlines()
    grids = [{(x, y): [numbers[c] for c in pile] for x, y, pile in json.loads(line)["cells"]} for line in lines]
    assert len(grids) == 1000
    analysis = Analysis(game)
    names = list(analysis.roots)
    assert len(names) == 20 and not analysis.undecided
    expected = judged(game, names, grids)
    assert in_bulk(analysis, names, grids) == expected
    value_of = {pile: v for v, pile in enumerate(analysis.space.values)}
    tall = analysis.space.tall
    by_top = {(len(pile), pile[-1]): v for pile, v in value_of.items() if pile}
    for at, grid in enumerate(grids):
        cells = by_cell(grid, 3, 3, True)
        board = tuple(by_top[len(p) if tall else 1, p[-1]] if p else 0 for p in cells)
        for name, verdicts in zip(names, expected, strict=True):
            assert in_diagram(analysis, name, board) == verdicts[at], (name, grid)


@one_day_in(8)
def test_every_operation_means_the_same_in_all_evaluators() -> None:
    game = own_game(OBJECTIVES)
    names = [n for n in game.ruleset.objectives if len(n) == 2]
    assert len(names) > 40
    analysis = Analysis(game, names)
    assert analysis.undecided == {}
    rng = random.Random(5)
    boards = random_boards(analysis, times(300, 700), rng)
    grids = [analysis.space.grid(b) for b in boards]
    expected = judged(game, names, grids)
    for name, by_rule, by_circuit in zip(names, expected, in_bulk(analysis, names, grids), strict=True):
        assert by_rule == by_circuit, (
            name,
            [g for g, a, b in zip(grids, by_rule, by_circuit, strict=True) if a != b][:1],
        )
    for name, verdicts in zip(names, expected, strict=True):
        if name == "d6":
            # Every card compared with every covered one: more than a diagram can hold, and told so.
            with pytest.raises(TooLarge):
                analysis.diagram(name)
            assert "too many" in analysis.undecided[name].reason
            continue
        for board, verdict in zip(boards[::7], verdicts[::7], strict=True):
            assert in_diagram(analysis, name, board) == verdict, (name, board)


SHARED = """
game patches "Patches"
players 2..2
component stone {{ tone: pale "P" | dark "D" | red "R"  size: 1..2 }}
deck stones of stone = {{ 9 P1 9 P2 9 D1 9 D2 9 R1 }}
zone board: grid {width}x{height} of stone
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
objective a1 "A" = some [ # # ] turned: same tone
objective a2 "A" = at least 2 stone: size == 2
objective a3 "A" = some [ # _ ] turned
objective a4 "A" = board is connected and count board >= 2
objective a5 "A" = some c in cells of board: board[c] is empty and c.row == 0
objective a6 "A" = some c in cells of board: some n in neighbours of c: (top of board[n]).tone == (top of board[c]).tone
objective a7 "A" = ((first c in cells of board: board[c] is not empty).column else 7) == 1
objective a8 "A" = board fits 1x2
objective a9 "A" = some p in board: (top of p).size == 2 and count p == 1
objective b1 "A" = every p in board: same tone of p
objective b2 "A" = sum size of tops of board == 5
objective b3 "A" = largest group of same tone == 3
objective b4 "A" = count (stone on board: tone == red) == count (c in stone: c.size == 2)
"""


def patches(width: int, height: int) -> Game:
    text = SHARED.format(width=width, height=height)
    return load(text)


def load(text: str) -> Game:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "patches.rules"
        path.write_text(text, "utf-8")
        result = load_ruleset(str(path), Library())
        assert result.value is not None, [f"{d.code} {d.message} {d.span}" for d in result.diagnostics]
        return Game(result.value)


@one_day_in(8)
@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 1), (1, 3)])
def test_counts_are_those_of_all_boards_one_by_one(width: int, height: int) -> None:
    game = patches(width, height)
    names = list(game.ruleset.objectives)
    analysis = Analysis(game, [n for n in names if n not in ("b1", "a9")])
    assert analysis.undecided == {}
    space = analysis.space
    assert len(space.values) == 6 and not space.tall
    boards = list(itertools.product(range(len(space.values)), repeat=width * height))
    assert space.size == len(boards)
    grids = [space.grid(b) for b in boards]
    connected = [in_one_piece(grid) for grid in grids]
    assert analysis.count(analysis.connected) == sum(connected)
    kept = list(analysis.roots)
    expected = judged(game, kept, grids)
    assert in_bulk(analysis, kept, grids) == expected
    for name, verdicts in zip(kept, expected, strict=True):
        measure = analysis.measure(name)
        assert measure.count == sum(verdicts), name
        assert measure.connected == sum(v and c for v, c in zip(verdicts, connected, strict=True)), name
        least = min((space.cards(b) for b, v in zip(boards, verdicts, strict=True) if v), default=None)
        assert (None if measure.smallest is None else space.cards(measure.smallest)) == least, name
    for first, second in itertools.permutations(kept, 2):
        a, b = expected[kept.index(first)], expected[kept.index(second)]
        for wanted in ((True, False), (False, True), (True, True)):
            fits = [x for x, v, w in zip(boards, a, b, strict=True) if (v, w) == wanted]
            found = analysis.smallest({first: wanted[0], second: wanted[1]})
            assert (found is None) == (not fits), (first, second, wanted)
            if found is not None:
                assert space.cards(found) == min(space.cards(x) for x in fits)


def in_one_piece(grid: Grid) -> bool:
    from pwtool.eval.values import connected

    return bool(grid) and connected(grid)


def test_piles_are_counted_with_what_lies_below() -> None:
    text = SHARED.format(width=2, height=1).replace(
        'ending full "Full"', 'invariant one "One tone" require every p in board: same tone of p\n'
        'invariant up "Upwards" require every p in board: ascending size of p\nending full "Full"',
    )  # fmt: skip
    text += 'objective z1 "Z" = some stone: size == 2 and some buried: size == 1\nobjective z2 "Z" = some pile: height == 2\n'
    game = load(text)
    analysis = Analysis(game, ["b1", "a9", "z1", "z2"])
    space = analysis.space
    faces = game.ruleset.components["stone"].numbers
    piles = [
        (),
        *((faces[c],) for c in ("P1", "P2", "D1", "D2", "R1")),
        (faces["P1"], faces["P2"]),
        (faces["D1"], faces["D2"]),
    ]
    assert sorted(space.values) == sorted(piles) and set(space.weights) == {1}
    grids = [space.grid(b) for b in itertools.product(range(len(piles)), repeat=2)]
    for name, verdicts in zip(analysis.roots, judged(game, list(analysis.roots), grids), strict=True):
        assert Search(space, [analysis.diagram(name)]).count() == sum(verdicts), name


def test_what_depends_on_more_than_the_board_is_told_and_nothing_else() -> None:
    game = own_game(
        'objective fine "F" = count card == 3\nobjective other "O" = some q in players: count hand[q] > 2\n'
        'objective rich "R" = some p in supply: p is empty\n'
    )
    analysis = Analysis(game, ["fine", "other", "rich"])
    assert list(analysis.roots) == ["fine"]
    assert set(analysis.undecided) == {"other", "rich"}
    assert all(u.span is not None and u.span.line in (3, 4) for u in analysis.undecided.values())


def test_piles_of_too_many_kinds_are_told_and_harm_no_other_objective() -> None:
    game = patches(2, 2)
    analysis = Analysis(game)
    assert set(analysis.undecided) == {"b1", "a9"}
    assert all("kinds of piles" in u.reason for u in analysis.undecided.values())
    assert not analysis.space.tall and analysis.measure("a1").count > 0


def test_a_mistake_of_the_circuit_would_be_noticed() -> None:
    from pwtool.text import InternalError

    analysis = Analysis(book("paper_world").game, ["two_5s"])
    with pytest.raises(InternalError):
        analysis.confirm((0,) * 9, {"two_5s": True})
