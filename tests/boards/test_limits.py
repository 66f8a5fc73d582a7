"""What proofs do where a diagram would be too large, and what is said where nothing can be proven."""

from __future__ import annotations

import json
import random
import re
import time
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import pytest

from pwtool.boards import nearest_boards, splitting
from pwtool.boards.chance import Chance, found_board
from pwtool.boards.circuit import CONST
from pwtool.boards.diagrams import TooLarge, build_diagram
from pwtool.boards.faults import prove_faults
from pwtool.boards.matching import Farther, NearMiss, nearest_miss
from pwtool.boards.multisets import counted_diagram, reads_cards_alone
from pwtool.boards.proofs import Analysis, position_with
from pwtool.boards.set_counts import SetCounts
from pwtool.boards.spaces import deck_faces, pile_rules
from pwtool.boards.splitting import SplitBoards
from pwtool.boards.study import study_objectives
from pwtool.boards.symbols import Unsupported
from pwtool.boards.symmetry import Symmetry
from pwtool.cli.app import run
from pwtool.cli.matching import read_board
from pwtool.eval.values import Grid
from pwtool.kernel.lower import lower
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.why.mutation import Survivor, Tally, items_to_mutate, mutate
from tests.daily import one_day_in
from tests.support import book

KNIGHTS = "some [ a . / . . / . a ] turned mirrored: same color of a and same value of a"
THREE_PAIRS = "exactly 3 [ # # ] turned: same color and sum value == 6"
ISLANDS = "smallest group of same color >= 3 and largest group of same value <= 2"
GROUPS = "largest group of same color == largest group of same value"
SUMS = "(sum value of card where scissors) == 6 and (no [ # _ # ]: same color) and (at least 2 card: value == 1)"
FIVES = "some c in card: c.value == 5 and at least 3 d in card: d.value == c.value and d.color != c.color"
# Every card compared with every other one in two attributes, and in three: more than all ways of counting.
AGAINST = "some c in card: at least 3 d in card: d.value == c.value and d.color != c.color"
OPEN = AGAINST + " and d.scissors != c.scissors"


def written(folder: Path, more: str) -> Path:
    path = folder / "house.rules"
    path.write_text('edition house of paper_world/en "House"\n' + more, "utf-8")
    return path


def game_with(folder: Path, **conditions: str) -> Game:
    lines = (f'objective {name} "{name}" = {condition}\n' for name, condition in conditions.items())
    result = load_ruleset(str(written(folder, "".join(lines))), Library())
    assert result.value is not None, [d.message for d in result.diagnostics]
    return Game(result.value)


def verdict(game: Game, name: str, grid: Grid) -> bool:
    return bool(game.interpreter.objective(name)(position_with(game, grid), grid))


def board(game: Game, text: str) -> Grid:
    grid = read_board(game, text)
    assert isinstance(grid, dict)
    return grid


# ---- counted without a diagram


@one_day_in(8)
@pytest.mark.parametrize(
    "name", ["l_same_color", "two_5s", "one_to_five", "row_sum_9", "square_4_colors", "nine_piles"]
)
def test_both_ways_of_counting_agree(name: str) -> None:
    analysis = Analysis(book("paper_world").game, [name])
    apart = SplitBoards(
        analysis.circuit, analysis.encoding, analysis.space, analysis.roots[name], analysis.symmetry(name)
    )
    boards = SetCounts(apart, analysis.space.width)
    measure = analysis.measure(name)
    assert boards.count() == measure.count and boards.count(together=True) == measure.connected
    for together, smallest in ((False, measure.smallest), (True, measure.smallest_connected)):
        found = boards.smallest(together)
        assert found is not None and smallest is not None
        analysis.confirm(found, {name: True})
        assert analysis.space.cards(found) == analysis.space.cards(smallest)


def test_pairs_a_knights_move_apart_are_counted_as_by_hand(tmp_path: Path) -> None:
    game = game_with(tmp_path, knights=KNIGHTS)
    analysis = Analysis(game, ["knights"])
    measure = analysis.measure("knights")
    with pytest.raises(TooLarge):
        analysis.diagram("knights")
    assert not analysis.undecided
    # The eight cells around the middle lie on one ring of knight's moves: what fails goes round without two alike.
    component = analysis.encoding.component
    color, value = (component.attributes[name].table for name in ("color", "value"))
    kinds: list[tuple[object, object] | None] = [None]
    kinds += [(color[face], value[face]) for face in deck_faces(game, "card")]
    single = list(dict.fromkeys(kinds))
    weights = [kinds.count(kind) for kind in single]
    fail = 0
    for first, weight in zip(single, weights, strict=True):
        ways = [weight if kind == first else 0 for kind in single]
        for _ in range(7):
            total = sum(ways)
            ways = [
                w * (total - (ways[at] if kind is not None else 0))
                for at, (kind, w) in enumerate(zip(single, weights, strict=True))
            ]
        fail += sum(w for w, kind in zip(ways, single, strict=True) if kind is None or kind != first)
    assert measure.count == 37**9 - 37 * fail
    assert measure.smallest is not None and analysis.space.cards(measure.smallest) == 2
    assert measure.smallest_connected is not None and analysis.space.cards(measure.smallest_connected) == 4
    assert {players: found is not None for players, found in measure.decks.items()} == {2: True, 3: True, 4: True}


@one_day_in(8)
@pytest.mark.parametrize("condition", [ISLANDS, GROUPS])
def test_groups_of_two_attributes_are_counted(tmp_path: Path, condition: str) -> None:
    game = game_with(tmp_path, mine=condition)
    start = time.process_time()
    analysis = Analysis(game, ["mine"])
    measure = analysis.measure("mine")
    assert time.process_time() - start < 10
    # Against the reference, on boards drawn evenly: within five standard deviations.
    rng, tries = random.Random(8), 4000
    values = range(len(analysis.space.values))
    grids = [analysis.space.grid([rng.choice(values) for _ in range(9)]) for _ in range(tries)]
    share = measure.count / analysis.space.size
    hits = sum(verdict(game, "mine", grid) for grid in grids)
    assert abs(hits - share * tries) <= 5 * (tries * share * (1 - share)) ** 0.5 + 1


@one_day_in(8)
def test_how_it_stands_to_others_is_proven_without_a_diagram(tmp_path: Path) -> None:
    game = game_with(tmp_path, islands=ISLANDS, again=f"({ISLANDS}) and not (count card == 1)", three="count card >= 3")
    analysis = Analysis(game, ["islands", "again", "three", "row_of_3s"])
    assert analysis.relation("islands", "again").kind == "same"
    assert analysis.relation("islands", "row_of_3s").kind == "excludes"
    assert analysis.relation("islands", "three").kind == "implies"
    alone = analysis.smallest({"islands": False, "three": True})
    assert alone is not None and analysis.space.cards(alone) == 3


def test_what_decks_do_not_hold_evenly_does_not_come_apart() -> None:
    # No 5 has the third attribute, so value and that one know of each other, and no two parts are left.
    analysis = Analysis(book("paper_world").game, ["three_scissors", "two_5s"])
    root = analysis.circuit.and_(analysis.roots["three_scissors"], analysis.roots["two_5s"])
    apart = SplitBoards(analysis.circuit, analysis.encoding, analysis.space, root, Symmetry())
    assert all(len(classes[1]) == 1 or len(classes[2]) == 1 for classes in apart.classes)


def test_too_many_cases_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = Analysis(game_with(tmp_path, mine=GROUPS), ["mine"])
    monkeypatch.setattr(splitting, "MAX_CASES", 3)
    apart = SplitBoards(analysis.circuit, analysis.encoding, analysis.space, analysis.roots["mine"], Symmetry())
    with pytest.raises(TooLarge):
        SetCounts(apart, 3).count()
    few = SplitBoards(
        analysis.circuit, analysis.encoding, analysis.space, analysis.roots["mine"], Symmetry(), most=2000
    )
    with pytest.raises(TooLarge):
        SetCounts(few, 3).count()


# ---- where it does not matter where the cards lie


@pytest.mark.parametrize("name", ["two_5s", "three_4s", "one_to_five", "three_scissors"])
def test_the_diagram_of_a_multiset_is_that_of_the_circuit(name: str) -> None:
    analysis = Analysis(book("paper_world").game, [name])
    assert reads_cards_alone(lower(analysis.game.ruleset.objectives[name].condition))
    parts = analysis.circuit, analysis.encoding, analysis.space, analysis.roots[name]
    assert analysis.count(counted_diagram(*parts)) == analysis.count(build_diagram(*parts))


def test_what_reads_places_is_no_multiset(tmp_path: Path) -> None:
    conditions = {
        "picture": "some [ # # ]: same value", "group": "largest group of same color >= 3", "first": "some row: all value == 3",
    }  # fmt: skip
    game = game_with(tmp_path, **conditions)
    assert not any(reads_cards_alone(game.ruleset.objectives[name].condition) for name in conditions)


def test_a_sum_of_some_cards_is_counted_with_little_patience(tmp_path: Path) -> None:
    game = game_with(tmp_path, mine=SUMS)
    number = Analysis(game, ["mine"], patient=False).number("mine")
    # Against the reference, on boards drawn evenly: within five standard deviations.
    space = Analysis(game, ["mine"]).space
    rng, tries = random.Random(8), 3000
    grids = [space.grid([rng.choice(range(len(space.values))) for _ in range(9)]) for _ in range(tries)]
    share = number / space.size
    hits = sum(verdict(game, "mine", grid) for grid in grids)
    assert abs(hits - share * tries) <= 5 * (tries * share * (1 - share)) ** 0.5 + 1


def test_a_value_that_is_said_need_not_be_compared(tmp_path: Path) -> None:
    game = game_with(tmp_path, fives=FIVES, swapped=FIVES.replace("d.value == c.value", "c.value == d.value"))
    analysis = Analysis(game, ["fives", "swapped", "two_5s"])
    measure = analysis.measure("fives")
    # By hand: how many 5s of each of the four colors lie there, one face each; 33 kinds of other cells.
    from math import factorial, prod

    by_hand = 0
    for counts in product(range(10), repeat=4):
        total = sum(counts)
        if total <= 9 and any(c and total - c >= 3 for c in counts):
            others = 9 - total
            by_hand += factorial(9) // prod(map(factorial, (*counts, others))) * 33**others
    assert measure.count == by_hand
    assert analysis.relation("fives", "swapped").kind == "same"
    assert analysis.relation("fives", "two_5s").kind == "implies"


# ---- pictures that notice where the grid begins


def test_a_picture_with_an_empty_border_notices_the_border(tmp_path: Path) -> None:
    conditions = {
        "beside": "some [ . # / . # ]: same value", "middle": "some [ . . . / . # . / . . . ]: all value == 2",
        "tight": "some [ # / # ]: same value",
    }  # fmt: skip
    game = game_with(tmp_path, **conditions)
    analysis = Analysis(game, list(conditions))
    rng = random.Random(4)
    chance = Chance(game, rng)
    for _ in range(400):
        grid = chance.grid(tall=False)
        found = {name: verdict(game, name, grid) for name in conditions}
        for name, holds in found.items():
            assert lies_in(analysis, name, grid) == holds, (name, grid)
    smallest = analysis.smallest({"beside": True})
    # Two cards leave room beside them, wherever on the floating grid they lie.
    assert smallest is not None and analysis.space.cards(smallest) == 2
    assert analysis.relation("beside", "tight").kind == "implies"


def lies_in(analysis: Analysis, name: str, grid: Grid) -> bool:
    diagram, space = analysis.diagram(name), analysis.space
    node = diagram.root
    while node > 1:
        level = diagram.levels[node]
        cell = space.order[level]
        pile = grid.get((cell % space.width, cell // space.width))
        value = space.values.index((pile[-1],)) if pile else 0
        node = diagram.kids[node][diagram.classes[level][value]]
    return node == 1


# ---- what is not decided


def test_what_does_not_lie_on_the_board_is_not_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = (
        'component gem { shape: round "O" | square "Q" }\n'
        'objective odd "Odd" = O.shape == round and some card: color == yellow\n'
    )
    assert run(["analyze", f"{written(tmp_path, more)}:odd"]) == 3
    assert "not decided, it reads a gem, which does not lie on the board" in capsys.readouterr().out


@one_day_in(7)
def test_boards_are_found_where_nothing_is_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_with(tmp_path, mine=OPEN)
    # It takes seconds, so all three look at the same study.
    studied = cache(lambda: study_objectives(game, ["mine"], ["two_5s"]))
    monkeypatch.setattr("pwtool.boards.study.study_objectives", lambda *_: studied())
    start = time.process_time()
    study = studied()
    assert time.process_time() - start < 12
    (still,) = study.open
    assert still.fulfils is not None and verdict(game, "mine", still.fulfils)
    assert still.fails is not None and not verdict(game, "mine", still.fails)
    assert not study.studied and [d.code for d in study.findings] == ["PW505"]
    assert run(["analyze", f"{tmp_path / 'house.rules'}:mine"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "mine  mine" and lines[1].startswith("  condition   some c in card")
    assert lines[2] == "  boards      not decided, there are too many boards to examine"
    assert re.fullmatch(r"  fulfilled   \d cards  \[ .* \], found, perhaps not with the fewest cards", lines[3])
    assert lines[4] == "  not         0 cards  [ . ]"
    assert run(["analyze", f"{tmp_path / 'house.rules'}:mine", "--json"]) == 3
    data = json.loads(capsys.readouterr().out)
    assert data["undecided"] == ["mine"] and data["found"][0]["fulfils"].startswith("[ ")


def test_a_board_that_is_found_is_made_small(tmp_path: Path) -> None:
    game = game_with(tmp_path, tall="some pile: height >= 4", none="count card > 9")
    analysis = Analysis(game, ["tall", "none"])
    found = found_board(analysis, "tall", True)
    assert found is not None and [len(pile) for pile in found.values()] == [4]
    assert found_board(analysis, "tall", False) == {}
    assert found_board(analysis, "none", True) is None


# ---- the nearest boards


@one_day_in(4)
@pytest.mark.parametrize(
    ("condition", "text", "changes"),
    [
        (THREE_PAIRS, "[ Y1 Y5 Y1 ]", 1),
        (THREE_PAIRS, "[ Y1 . . / . . K3 ]", 3),
        (GROUPS, "[ Y1 Y5 Y1 ]", 1),
        (ISLANDS, "[ Y1 B5 Y1 / K2 K3 . ]", 2),
        (AGAINST, "[ Y4 Y4 / . B1 ]", 2),
        (AGAINST, "[ Y4+Y5 Y4 Y4 / . B4 . ]", 1),
    ],
)
def test_the_nearest_miss_without_a_diagram(tmp_path: Path, condition: str, text: str, changes: int) -> None:
    game = game_with(tmp_path, mine=condition)
    grid = board(game, text)
    start = time.process_time()
    found = nearest_miss(game, "mine", grid)
    assert time.process_time() - start < 8
    assert isinstance(found, NearMiss) and len(found.changes) == changes
    assert verdict(game, "mine", found.grid) and not verdict(game, "mine", grid)


def test_the_nearest_by_search_is_as_near_as_the_proven_one() -> None:
    game = book("paper_world").game
    rng = random.Random(2)
    chance = Chance(game, rng)
    for name in ("l_of_2s", "row_sum_9", "square_of_3s", "diagonal_2_3_4"):
        for _ in range(6):
            grid = chance.grid(tall=False)
            if verdict(game, name, grid):
                continue
            proven = nearest_miss(game, name, grid)
            assert isinstance(proven, NearMiss)
            analysis = Analysis(game, [name])
            values = {pile: v for v, pile in enumerate(analysis.space.values)}
            from pwtool.boards.matching import _frames

            found = _frames(game, grid)
            frames = [[values[tuple(pile)] if pile else 0 for pile in cells] for _, _, cells, _ in found]
            outside = [count for *_, count in found]
            near = nearest_boards.Neighbours(analysis, name).nearest(frames, outside, False)
            if near.board is None:
                assert near.changes < len(proven.changes)
                continue
            assert near.changes == len(proven.changes)
            analysis.confirm(near.board, {name: True})


def test_what_is_too_far_to_find_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = game_with(tmp_path, mine=OPEN)
    monkeypatch.setattr(nearest_boards, "MAX_STEPS", 30_000)
    found = nearest_miss(game, "mine", {})
    assert isinstance(found, Farther) and found.than >= 1
    assert run(["match", f"{tmp_path / 'house.rules'}:mine", "[ . ]"]) == 1
    assert re.search(
        r"more than \d changes? (is|are) needed; the exact number could not be determined", capsys.readouterr().out
    )


def test_a_board_larger_than_the_grid_is_told() -> None:
    game = book("paper_world").game
    with pytest.raises(Unsupported, match="it covers 4x1 cells, but objectives are proven on a grid of 3x3"):
        nearest_miss(game, "two_5s", {(x, 0): [0] for x in range(4)})


def test_what_depends_on_more_than_the_grid_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, 'objective mine "M" = some q in players: count hand[q] >= 5\n')
    assert run(["match", f"{tmp_path / 'house.rules'}:mine", "[ Y1 ]"]) in (1, 3)
    said = capsys.readouterr().out
    assert "could not be determined: it depends on more than the grid" in said or "nobody saw" in said


# ---- what is wrong


def test_a_repeated_objective_is_told_once_with_the_first(tmp_path: Path) -> None:
    game = game_with(
        tmp_path, a="at least 3 card: value == 2", b="not (at most 2 card: value == 2)",
        c="not (no card: value == 2) and not (exactly 1 card: value == 2) and not (exactly 2 card: value == 2)",
        d=ISLANDS, e=f"({ISLANDS}) or count card > 9",
    )  # fmt: skip
    names = list("abcde")
    start = time.process_time()
    told = [(d.code, d.message) for d in prove_faults(game, names)]
    assert time.process_time() - start < 12
    assert told == [
        ("PW503", "`b` is fulfilled by the same boards as `a`"), ("PW503", "`c` is fulfilled by the same boards as `a`"),
        ("PW503", "`e` is fulfilled by the same boards as `d`"),
    ]  # fmt: skip
    study = study_objectives(game, ["a", "b", "c"], ["two_5s"])
    assert [d.message for d in study.findings] == [message for _, message in told[:2]]


def test_faults_agree_with_the_study(tmp_path: Path) -> None:
    game = game_with(
        tmp_path, never="at least 5 card: value == 3 and at most 2 card: value == 3", always="count card >= 0 or some card: scissors",
        deck="at least 5 card: value == 5 and color == yellow", fine="count card == 4", same="at least 2 card: value >= 5",
    )  # fmt: skip
    names = ["never", "always", "deck", "fine", "same"]
    names = [name for name in names if name in game.ruleset.objectives]
    faults = {(d.code, d.message) for d in prove_faults(game, names)}
    study = study_objectives(game, names, [n for n in game.ruleset.objectives if n not in names])
    assert faults == {(d.code, d.message) for d in study.findings}
    assert {code for code, _ in faults} == {"PW501", "PW502", "PW503", "PW504"}


def test_many_objectives_are_looked_through_soon(tmp_path: Path) -> None:
    conditions = {f"m{v}{n}": f"at least {n} card: value == {v}" for v in range(1, 6) for n in range(2, 8)}
    conditions |= {f"r{s}": f"some row: sum value == {s}" for s in range(4, 15)}
    conditions |= {
        f"p{n}{w}": f"at least {n} [ # # ] turned: same {w}" for n in range(2, 9) for w in ("color", "value")
    }
    conditions |= {
        f"x{a}{b}": f"some [ x y ] turned: x.value == {a} and y.value == {b}" for a, b in product(range(1, 6), repeat=2)
    }
    game = game_with(tmp_path, **conditions)
    start = time.process_time()
    found = prove_faults(game, list(conditions))
    assert time.process_time() - start < 6
    assert {d.code for d in found} <= {"PW503", "PW504"}


# ---- ranks and shares


@one_day_in(8)
def test_what_is_counted_among_other_boards_is_ranked_by_cards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = game_with(tmp_path, mine="count buried >= 12")
    officials = [n for n in game.ruleset.objectives if n != "mine"]
    (one,) = study_objectives(game, ["mine"], officials).studied
    assert one.rank is not None and (one.rank.by, one.rank.of, one.rank.rarer) == ("cards", 20, 0)
    (other,) = study_objectives(game, ["two_5s"], ["mine", *officials]).studied
    assert other.rank is not None and (other.rank.by, other.rank.of, other.rank.apart) == ("share", 19, 1)
    assert run(["analyze", f"{tmp_path / 'house.rules'}:mine"]) == 0
    said = capsys.readouterr().out
    assert "boards      nearly all: " in said and ", all but " in said and "1 in 1:" not in said
    assert "needs more cards than 20 of 20 others; not ranked by its share of boards" in said


def test_several_objectives_and_a_bare_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "paper_world", "--objective", "two_5s", "--objective", "three_4s"]) == 0
    assert re.findall(r"^(\w+)  ", capsys.readouterr().out, re.MULTILINE) == ["two_5s", "three_4s"]
    assert run(["analyze", "two_5s"]) == 2
    assert "`pwtool analyze paper_world:two_5s`" in capsys.readouterr().err
    assert run(["analyze", "paper_world:two_5s"]) == 0


# ---- changes that examples do not notice


def survivors(folder: Path, more: str, only: str) -> tuple[Game, list[Survivor], Tally]:
    result = load_ruleset(str(written(folder, more)), Library())
    assert result.value is not None
    game = Game(result.value)
    return game, *mutate(game, items_to_mutate(game.ruleset, only))


@one_day_in(8)
def test_what_is_proposed_can_be_laid(tmp_path: Path) -> None:
    more = (
        'objective mine "M" = at least 2 pile: height >= 3 and no buried: value == 3\n'
        "example mine { yes [ Y1+Y2+Y4 B1+B4+B5 ] no [ Y1+Y2+Y4 B1+B4 ] no [ Y1+Y2+Y4 B1+B3+B5 ] }\n"
    )
    game, found, _ = survivors(tmp_path, more, "mine")
    by_change = {s.mutant.after: s for s in found}
    assert by_change["exactly 2"].witness and all(s.witness for s in found)
    numbers = game.ruleset.components["card"].numbers
    faces = set(deck_faces(game, "card"))
    rules = [(kind, game.ruleset.components["card"].attributes[name].table) for kind, name in pile_rules(game.ruleset)]
    for survivor in found:
        for pile in re.findall(r"[A-Z]+\d(?:\+[A-Z]+\d)*", survivor.witness[0]):
            cards = [numbers[code] for code in pile.split("+")]
            assert set(cards) <= faces
            for under, above in pairwise(cards):
                for kind, table in rules:
                    assert table[under] == table[above] if kind == "same" else table[under] < table[above]


@one_day_in(7)
def test_a_change_that_is_proven_to_say_the_same_is_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = (
        'objective mine "M" = some [ # # / # # ]: same color and distinct value and sum value == 10\n'
        "example mine { yes [ Y1 Y2 / Y3 Y4 ] no [ Y1 Y2 / Y3 Y5 ] no [ Y1 Y2 / Y3 B4 ] no [ Y1 Y1 / Y4 Y4 ] }\n"
    )
    _, found, tally = survivors(tmp_path, more, "mine")
    assert tally.same and tally.tried == tally.noticed + len(found) + len(tally.same)
    assert all(s.witness for s in found)
    assert run(["test", str(tmp_path / "house.rules"), "--mutate", "--only", "mine"]) == 0
    said = capsys.readouterr().out
    assert "the same, proven for all boards:" in said and f", {len(tally.same)} the same" in said


@one_day_in(7)
def test_a_change_that_is_not_decided_is_looked_for_by_chance(tmp_path: Path) -> None:
    more = f'objective mine "M" = {OPEN}\nexample mine {{ yes [ YS4 B4 / B4 B4 ] no [ YS4 YS4 / B4 B4 ] }}\n'
    start = time.process_time()
    game, found, tally = survivors(tmp_path, more, "mine")
    assert time.process_time() - start < 40
    assert found and any(s.witness for s in found)
    faces = {game.ruleset.components["card"].codes[face] for face in deck_faces(game, "card")}
    for survivor in found:
        assert set(re.findall(r"[A-Z]+\d", " ".join(survivor.witness))) <= faces
    assert tally.tried == tally.noticed + len(found) + len(tally.same)


def test_constants_are_no_leaves_of_a_cell(tmp_path: Path) -> None:
    # A condition that simplifies to one truth value has no cell at all.
    game = game_with(tmp_path, mine="count card >= 0")
    analysis = Analysis(game, ["mine"])
    root = analysis.roots["mine"]
    if analysis.circuit.ops[root] == CONST:
        apart = SplitBoards(analysis.circuit, analysis.encoding, analysis.space, root, Symmetry())
        assert SetCounts(apart, 3).count() == analysis.space.size


def test_room_is_made_on_a_floating_grid(tmp_path: Path) -> None:
    """Where the cards at an edge are removed, the board may grow on the other side: by a proof, and by a search."""
    game = game_with(tmp_path, mine="some [ 1 _ _ / _ 1 _ / _ _ 1 ]")
    grid = board(game, "[ Y2 . Y2 / Y1 . . / . B1 . ]")
    found = nearest_miss(game, "mine", grid)
    assert isinstance(found, NearMiss) and len(found.changes) == 3
    assert verdict(game, "mine", found.grid)
    assert [change.kind for change in found.changes] == ["remove", "place", "remove"]


def test_an_objective_that_looks_at_too_much_leaves_the_others(tmp_path: Path) -> None:
    game = game_with(
        tmp_path,
        gaps="at least 6 separate [ # _ ] turned",
        ones="some card: value == 1",
        never="some card: value == 1 and value == 2",
    )
    analysis = Analysis(game, ["gaps", "ones", "never"])
    assert list(analysis.undecided) == ["gaps"] and list(analysis.roots) == ["ones", "never"]
