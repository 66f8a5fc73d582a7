"""Values gone through, restricted collections, greatest and least, others: beside the same in Python."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import pytest

from pwtool.boards.proofs import Analysis, position_with
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.boards.by_hand import GAME, GRIDS, Asked, Seen, Stone, check, game_with
from tests.daily import some

T = ("pale", "dark", "red")


def grow(sizes: list[int]) -> bool:
    return all(a < b for a, b in pairwise(sizes))


ASKED: list[Asked] = [
    ("every k in tone: some stone: tone == k", lambda b: all(any(c.tone == k for c in b) for k in T)),
    ("exactly 2 v in size: some stone: size == v", lambda b: len({c.size for c in b}) == 2),
    ("exactly 2 v in 1..4: some stone: size == v", lambda b: len({c.size for c in b}) == 2),
    (
        "at least 2 k in tone: (exactly 2 stone: tone == k)",
        lambda b: sum(1 for k in T if sum(c.tone == k for c in b) == 2) >= 2,
    ),
    ("count (v in size: some stone: size == v) == 3", lambda b: len({c.size for c in b}) == 3),
    ("sum (v in size: if some stone: size == v then v else 0) >= 6", lambda b: sum({c.size for c in b}) >= 6),
    (
        "((first v in size: no stone: size == v) else 9) == 2",
        lambda b: next((v for v in range(1, 5) if v not in {c.size for c in b}), 9) == 2,
    ),
    (
        "((last k in tone: some stone: tone == k) else red) == dark",
        lambda b: next((k for k in reversed(T) if k in {c.tone for c in b}), "red") == "dark",
    ),
    ("count distinct tone of stone == 2", lambda b: len({c.tone for c in b}) == 2),
    ("max size of stone == 3", lambda b: max((c.size for c in b), default=None) == 3),
    ("min size of stone > 1", lambda b: bool(b) and min(c.size for c in b) > 1),
    (
        "(max size of stone else 0) - (min size of stone else 0) == 2",
        lambda b: (max((c.size for c in b), default=0) - min((c.size for c in b), default=0)) == 2,
    ),
    ("(sum size of stone where tone == red) >= 4", lambda b: sum(c.size for c in b if c.tone == "red") >= 4),
    ("(count stone where size >= 3) == 2", lambda b: sum(c.size >= 3 for c in b) == 2),
    ("9 > 2 * count stone where size >= 3", lambda b: 2 * sum(c.size >= 3 for c in b) < 9),
    (
        "distinct tone of (stone where size == 2)",
        lambda b: max(Counter(c.tone for c in b if c.size == 2).values(), default=0) < 2,
    ),
    ("same tone of stone where size >= 2", lambda b: len({c.tone for c in b if c.size >= 2}) <= 1),
    (
        "every c in stone where tone == red: count neighbours of c >= 2",
        lambda b: all(len(b.beside(c)) >= 2 for c in b if c.tone == "red"),
    ),
    (
        "some c in (d in stone where count neighbours of d == 2): c.size == 3",
        lambda b: any(c.size == 3 for c in b if len(b.beside(c)) == 2),
    ),
    ("no c in stone where size == 4: c.tone == red", lambda b: not any(c.tone == "red" for c in b if c.size == 4)),
    (
        "exactly 1 c in stone where size == 4: c.tone == red",
        lambda b: sum(c.tone == "red" for c in b if c.size == 4) == 1,
    ),
    (
        "at most 1 c in stone where c.size == 4: some d in neighbours of c: d.tone != c.tone",
        lambda b: sum(any(d.tone != c.tone for d in b.beside(c)) for c in b if c.size == 4) <= 1,
    ),
    (
        "((first c in stone where size >= 2: count neighbours of c == 1).size else 0) == 3",
        lambda b: next((c.size for c in b if c.size >= 2 and len(b.beside(c)) == 1), 0) == 3,
    ),
    (
        "sum (c in stone where tone == red: c.size * c.size) > 9",
        lambda b: sum(c.size**2 for c in b if c.tone == "red") > 9,
    ),
    (
        "some c in stone: (sum size of neighbours of c where tone == red) == c.size",
        lambda b: any(sum(d.size for d in b.beside(c) if d.tone == "red") == c.size for c in b),
    ),
    (
        "some c in stone: (count neighbours of c where tone == red) == c.size",
        lambda b: any(sum(1 for d in b.beside(c) if d.tone == "red") == c.size for c in b),
    ),
    (
        "some c in stone: count distinct tone of (group d around c: d.size != 2) == 3",
        lambda b: any(len({d.tone for d in b.group(c, lambda d: d.size != 2)}) == 3 for c in b),
    ),
    (
        "some c in stone: (max size of neighbours of c else 0) < c.size",
        lambda b: any(max((d.size for d in b.beside(c)), default=0) < c.size for c in b),
    ),
    ("(stone where tone == red) is empty", lambda b: not any(c.tone == "red" for c in b)),
    ("(c in stone where count neighbours of c == 4) is not empty", lambda b: any(len(b.beside(c)) == 4 for c in b)),
    ("ascending size of stone where tone != red", lambda b: grow([c.size for c in b if c.tone != "red"])),
    (
        "every c in stone: some other d in stone: d.tone == c.tone",
        lambda b: all(any(d.tone == c.tone for d in b if d is not c) for c in b),
    ),
    (
        "some c in stone: every other d in stone: d.size < c.size",
        lambda b: any(all(d.size < c.size for d in b if d is not c) for c in b),
    ),
    (
        "exactly 2 c in stone: some other d in stone: d == c",
        lambda b: sum(any((d.tone, d.size) == (c.tone, c.size) for d in b if d is not c) for c in b) == 2,
    ),
    (
        "some c in stone where tone == red: (count (other d in stone where tone == red: d.size >= c.size)) == 1",
        lambda b: any(
            sum(d.size >= c.size for d in b if d is not c and d.tone == "red") == 1 for c in b if c.tone == "red"
        ),
    ),
    (
        "some c in stone: some d in neighbours of c: some other e in neighbours of c: d.size == e.size",
        lambda b: any(any(d.size == e.size for d in b.beside(c) for e in b.beside(c) if d is not e) for c in b),
    ),
    (
        "some c in stone: ((first other d in stone: d.size == c.size).tone else red) == pale",
        lambda b: any(next((d.tone for d in b if d is not c and d.size == c.size), "red") == "pale" for c in b),
    ),
    ("no pile: height > 1", lambda b: all(not c.below for c in b)),
]


def rows(seen: Seen) -> list[list[Stone]]:
    """The places of three stones in a row."""
    at = {(stone.x, stone.y): stone for stone in seen}
    found = [[at.get((x + i, y)) for i in range(3)] for x in range(seen.width - 2) for y in range(seen.height)]
    return [[stone for stone in row if stone] for row in found if None not in row]


OF_SHAPES: list[Asked] = [
    (
        "every [ # # # ]: exactly 1 stone: tone == red",
        lambda b: all(sum(c.tone == "red" for c in row) == 1 for row in rows(b)),
    ),
    (
        "some [ # # # ]: (sum size of stone where tone == red) == 5",
        lambda b: any(sum(c.size for c in row if c.tone == "red") == 5 for row in rows(b)),
    ),
    (
        "some [ # # # ]: some c in stone: every other d in stone: d.size < c.size",
        lambda b: any(any(all(d.size < c.size for d in row if d is not c) for c in row) for row in rows(b)),
    ),
    ("some [ # # # ]: count distinct tone == 2", lambda b: any(len({c.tone for c in row}) == 2 for row in rows(b))),
    ("some [ # # # ]: max size of stone == 4", lambda b: any(max(c.size for c in row) == 4 for row in rows(b))),
]


@pytest.mark.parametrize("grid", ["floating grid 3x3", "grid 3x3", "floating grid 4x4"])
def test_the_cards_of_a_shape_are_those_alone(grid: str) -> None:
    check(OF_SHAPES, grid, 80)


@pytest.mark.parametrize("grid", some(GRIDS, 1))
def test_they_mean_what_a_player_counts(grid: str) -> None:
    check(ASKED, grid, 40)


def test_counts_are_exact() -> None:
    """Of all boards of one row of two stones those are counted one by one that a player counts."""
    game = game_with("grid 2x1", "count distinct tone of stone == 2", "(max size of stone else 0) == 3")
    analysis = Analysis(game, ["o0", "o1"])
    assert analysis.measure("o0").count == 12 * 8
    # Twelve stones and none on each of two cells; no stone above 3 is on (9 + 1) ** 2 boards, none above 2 on (6 + 1) ** 2.
    assert analysis.measure("o1").count == 10**2 - 7**2


def test_a_restriction_is_one_condition_more() -> None:
    texts = (
        "some c in stone where size == 2: c.tone == red",
        "every c in stone where size == 2: c.tone == red",
        "(count stone where size == 2) > 1",
        "(sum size of stone where tone == red) > 4",
    )
    game = game_with("grid 3x3", *texts)
    for objective in game.ruleset.objectives.values():
        assert not any(isinstance(part, ir.Where) for part in walk(objective.condition)), objective.name


UNSEEN_ASKED = [
    "count distinct tone of (stone where size >= 2) == 2",
    "(max size of stone where tone == red) == 3",
    "((min size of (stone where tone != red) else 4)) <= 2",
    "same tone of (stone where size == 2)",
    "distinct size of (stone where tone == red)",
    "ascending size of (stone where tone != pale)",
    "(sum size of (stone where tone == red)) >= 5",
    "count (c in stone where size == 2) >= 2",
    "(stone where tone == red) is empty",
    "some c in stone: sum size of (group d around c: d.tone == c.tone) >= 5",
    "some c in stone: count (group d around c: d.tone == red) >= 2",
    "some c in stone: max size of neighbours of c == 3",
    "some c in stone where tone == red: every other d in stone: d.size != c.size",
]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_of_unseen_cards_is_so_whatever_they_are(seed: int) -> None:
    """Boards with up to two stones that nobody saw: what is told holds with every stone in their places."""
    rng = random.Random(seed)
    game = game_with("grid 2x2", *UNSEEN_ASKED)
    numbers = list(game.ruleset.components["stone"].numbers.values())
    told = 0
    for _ in range(25):
        grid = {(x, y): [rng.choice(numbers)] for x in range(2) for y in range(2) if rng.random() < 0.8}
        hidden = rng.sample(list(grid), min(len(grid), rng.choice([1, 1, 2])))
        seen = {cell: [UNSEEN] if cell in hidden else pile for cell, pile in grid.items()}
        state = position_with(game, seen)
        for name in game.ruleset.objectives:
            holds = game.interpreter.objective(name)
            verdict = holds(state, seen)
            if verdict is UNKNOWN:
                continue
            told += 1
            for faces in product(numbers[:: 1 + len(hidden) // 2], repeat=len(hidden)):
                whole = {**seen, **{cell: [face] for cell, face in zip(hidden, faces, strict=True)}}
                assert holds(position_with(game, whole), whole) == verdict, (name, seen, whole)
    assert told > 60


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("at least 3 tone in stone: true", "`tone` is an attribute of a stone, a variable needs another name"),
        ("some c in stone: count (group size around c: true) > 1", "`size` is an attribute of a stone"),
        ("sum size of stone where tone == red >= 9", "unexpected `>=`"),
        ("sum size of stone where (tone == red) >= 9", "`where` reaches as far to the right as it can"),
        ("some other d in stone: d.size == 1", "other than which? no variable around goes through `stone`"),
        ("max tone of stone == red", "a tone is not a number, none is the greatest or least"),
        ("max size of stone + 1 == 3", "this may have no value"),
        ("count distinct tone == 2", "`count distinct tone` of what?"),
        ("some c in cells of board where true: board[c] is empty", ""),
        ("count cells of board where true > 3", "`where` reaches as far to the right as it can"),
        ("(count cells of board where true) > 3", "a cell has no attributes"),
        ("some c in stone: some d in stone: c == d and c.size > 1", "`c == d` compares faces: two equal ones are alike here"),
        ("some c in stone: some other d in stone: c == d", ""),
    ],
)  # fmt: skip
def test_mistakes_are_told(condition: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    path.write_text(GAME.format(grid="grid 3x3") + f'objective o "O" = {condition}\n', "utf-8")
    found = [d.message for d in load_ruleset(str(path), Library()).diagnostics]
    assert any(message in text for text in found) if message else not found, found


def test_behind_pile_attributes_are_those_of_the_card_on_top() -> None:
    def height(stone: Stone) -> int:
        return len(stone.below) + 1

    asked: list[Asked] = [
        ("some pile: height == 2 and size == 3", lambda b: any(height(s) == 2 and s.size == 3 for s in b)),
        (
            "exactly 2 pile: height == 1 and tone == red",
            lambda b: sum(height(s) == 1 and s.tone == "red" for s in b) == 2,
        ),
        ("no pile: size > height + 1", lambda b: not any(s.size > height(s) + 1 for s in b)),
    ]
    for grid in ("floating grid 2x2", "grid 2x2"):
        check(asked, grid, 40)


def test_a_collection_without_one_thing() -> None:
    def less(seen: Seen) -> list[int]:
        sizes = sorted(stone.size for stone in seen if (stone.tone, stone.size) != ("red", 1))
        ones = sum((stone.tone, stone.size) == ("red", 1) for stone in seen)
        return [*sizes, *[1] * max(0, ones - 1)]

    asked: list[Asked] = [
        ("count (stone - R1) == 3", lambda b: len(less(b)) == 3),
        ("sum size of (stone - R1) == 6", lambda b: sum(less(b)) == 6),
        ("some c in stone: R1 is in stone - c", lambda b: any(
            sum((o.tone, o.size) == ("red", 1) for o in b) > ((s.tone, s.size) == ("red", 1)) for s in b)),
        ("some c in stone: distinct size of stone - c", lambda b: any(
            len({o.size for o in b if o is not s}) == len(b) - 1 for s in b)),
    ]  # fmt: skip
    for grid in ("floating grid 2x2", "grid 2x2"):
        check(asked, grid, 40)


def test_words_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "stones.rules"
    names = "".join(f"define {word} = count board\n" for word in ("max", "min", "where", "around", "group"))
    condition = "(some other in 1..2: other == group) and max > min * where and around == 1"
    path.write_text(GAME.format(grid="grid 3x3") + names + f'objective o "O" = {condition}\n', "utf-8")
    found = load_ruleset(str(path), Library())
    assert found.value is not None, found.diagnostics
