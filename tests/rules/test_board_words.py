"""Words for boards: what touches a cell, lines, joined cells, supplies, owners, choices. What they mean is counted by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import some

Cell = tuple[int, int]
GAME = """\
game stones "Stones"
players 2..2
component stone { color: black "B" | white "W"  owner: player by color }
supply bowl "Each takes a color": 30 of stone per player
zone board: ZONE
turn = lay
var left: 0..30 = 30 per game
var marked: cells of board per game
action lay "Lay a stone" (at: cell of board) {
  rule free "The cell is empty" require board[at] is empty
  move top of bowl to board[at]
  left -= 1
  marked += at
  marked -= (first c in marked: c.row == 0) when at.row == 1
}
ending full "The board is full" when board is full then stop
SCORES
ranking most total, shared
"""
SQUARE = 'grid 5x4 of stone named "a4".."e1"'
HOLES = "grid [ # # . # # / # # # # # / . # # . # / # # # # # ] of stone"
HIVE = "hex grid 4x4 of stone"
ROADS = 'grid [ # . # / . # . / # . # ] of stone named [ a . b / . m . / c . d ] joined "a m d" "b m c" "a b"'
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
OBLIQUE = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
SIX = [*STRAIGHT, (1, -1), (-1, 1)]


def load(tmp_path: Path, text: str) -> tuple[Any, list[str]]:
    path = tmp_path / "stones.rules"
    path.write_text(text, "utf-8")
    result = load_ruleset(str(path), Library())
    return result.value, [d.message for d in result.diagnostics]


def game(tmp_path: Path, zone: str, **scores: str) -> pwtool.Rules:
    lines = "\n".join(f'score {name} "S" = {text}' for name, text in scores.items())
    _, problems = load(tmp_path, GAME.replace("ZONE", zone).replace("SCORES", lines))
    assert [p for p in problems if "nothing reads" not in p] == []
    return pwtool.load(str(tmp_path / "stones.rules"))


def positions(rules: pwtool.Rules, games: int = 3) -> Iterator[tuple[pwtool.Position, dict[Cell, str]]]:
    """Every position of some random games, with what lies on its board. Kernels play them, and the engine judges them."""
    for record in rules.play_many(games, 2, seed=5):
        assert rules.check(record).clean
        replayed = rules.replay(record)
        for position in (*map(replayed.at, range(1, replayed.turns + 1)), replayed.end):
            yield position, {(x, y): things[-1] for x, y, things in position.state()["zones"]["board"]}


def reached(start: Any, ways: Callable[[Any], Iterable[Any]], through: Callable[[Any], bool]) -> set[Any]:
    found, pending = set[Any](), [start] if through(start) else []
    while pending:
        at = pending.pop()
        if at not in found:
            found.add(at)
            pending += [to for to in ways(at) if through(to)]
    return found


def of(held: Mapping[Any, str], code: str) -> Callable[[Any], bool]:
    return lambda at: held.get(at) == code


def lines_of(cells: Iterable[Cell], steps: Iterable[Cell], length: int) -> set[frozenset[Cell]]:
    known, found = set(cells), set()
    for x, y in known:
        for right, down in steps:
            line = [(x + right * by, y + down * by) for by in range(length)]
            if known >= set(line):
                found.add(frozenset(line))
    return found


def cells_of(rules: pwtool.Rules) -> list[Cell]:
    return [tuple(a.arguments["at"]) for a in rules.replay(next(rules.play_many(1, 2, seed=1))).at(1).legal()]


@pytest.mark.parametrize(("zone", "steps"), [(SQUARE, STRAIGHT + OBLIQUE), (HOLES, STRAIGHT + OBLIQUE), (HIVE, SIX)])
def test_a_line_goes_in_every_direction_of_the_grid(zone: str, steps: list[Cell], tmp_path: Path) -> None:
    rules = game(tmp_path, zone, black="count { some line of 3 on board: all color == black }")
    lines = lines_of(cells_of(rules), steps, 3)
    seen = set()
    for position, board in positions(rules):
        black = any(all(board.get(c) == "B" for c in line) for line in lines)
        assert position.score().lines["P1"]["black"] == black
        seen.add(black)
    assert seen == {False, True}


def test_lines_through_a_cell_have_it(tmp_path: Path) -> None:
    rules = game(
        tmp_path,
        SQUARE,
        own="count { some line of 3 through (2, 1) of board on board: all owner == player }",
        every="count { every line of 3 through (2, 1) of board on board: all owner == player }",
        many="count { at least 2 line of 3 through (2, 1) of board on board: all owner == player }",
    )
    lines = [line for line in lines_of(cells_of(rules), STRAIGHT + OBLIQUE, 3) if (2, 1) in line]
    seen = set()
    for position, board in positions(rules, 8):
        for name, code in (("P1", "B"), ("P2", "W")):
            full = [line for line in lines if all(c in board for c in line)]
            held = [line for line in full if all(board[c] == code for c in line)]
            found = {"own": bool(held), "every": len(held) == len(full), "many": len(held) > 1}
            assert position.score().lines[name] == found
            seen.add(tuple(found.values()))
    assert len(seen) > 3


WAYS = [("", STRAIGHT), (" diagonally", OBLIQUE), (" in all directions", STRAIGHT + OBLIQUE)]


@pytest.mark.parametrize("zone", [SQUARE, HOLES])
@pytest.mark.parametrize(("reach", "steps"), some(WAYS, 1))
def test_groups_and_neighbours_reach_as_far_as_is_said(
    zone: str, reach: str, steps: list[Cell], tmp_path: Path
) -> None:
    rules = game(
        tmp_path,
        zone,
        group=f"count (group n around (1, 1) of board{reach}: board[n] belongs to player)",
        near=f"count (n in neighbours of (1, 1) of board{reach}: board[n] is empty)",
    )
    cells, largest = set(cells_of(rules)), 0

    def ways(at: Cell) -> list[Cell]:
        return [to for x, y in steps if (to := (at[0] + x, at[1] + y)) in cells]

    for position, board in positions(rules):
        for name, code in (("P1", "B"), ("P2", "W")):
            group = len(reached((1, 1), ways, of(board, code)))
            near = sum(to not in board for to in ways((1, 1)))
            assert position.score().lines[name] == {"group": group, "near": near}
            largest = max(largest, group)
    assert largest > 2


def test_cells_are_listed_and_what_is_no_cell_is_none_of_them(tmp_path: Path) -> None:
    empty = "(first c in cells of board: board[c] is empty and c.column == 4)"
    rules = game(
        tmp_path,
        SQUARE,
        known="count (c in cells at { (4, 1), (0, 0) of board, (4, 1) }: board[c] is empty)",
        some=f"count cells at {{ (1, 1), {empty}, (0, 0) of board + up }}",
        same=f"count {{ count cells at {{ {empty} }} == count {{ {empty} != none }} }}",
        first="count { (first c in cells at { (4, 3), (2, 0), (0, 1) }: true) == (2, 0) of board }",
    )
    stepper = rules.stepper(["P1", "P2"], seed=3)
    stepper.play_out([lambda s: s.random.choice(s.moves)] * 2)
    result = rules.check(stepper.record()).result
    assert result is not None
    assert result.scores == dict(zip(("P1", "P2"), stepper.totals(), strict=True))
    seen = set()
    for position, board in positions(rules):
        known = sum(cell not in board for cell in ((4, 1), (0, 0)))
        left = any((4, y) not in board for y in range(4))
        assert position.score().lines["P1"] == {"known": known, "some": 1 + left, "same": 1, "first": 1}
        seen.add((known, left))
    assert len(seen) > 2


def test_kernels_list_the_same_cells(tmp_path: Path) -> None:
    late = "cells at { (0, 0), (first c in cells of board: board[c] is empty and c.column == 2), (0, 0) of board + up }"
    rule = f'rule late "Some cells come late" require at is not in {late} or left < 15\n  move top of bowl'
    text = GAME.replace("move top of bowl", rule).replace("ZONE", SQUARE).replace("SCORES", 'score s "S" = 0')
    assert not load(tmp_path, text)[1]
    rules = pwtool.load(str(tmp_path / "stones.rules"))
    stepper = rules.stepper(seed=6)
    for turn in range(20):
        legal = rules.replay(stepper.record()).end.legal()
        assert [action.arguments for action in map(stepper.action, stepper.moves)] == [a.arguments for a in legal]
        assert (len(legal) < 20 - turn) == (turn < 16)
        stepper.play(stepper.random.choice(stepper.moves))
    assert stepper.finished


def test_a_variable_begins_with_the_cells_that_are_listed(tmp_path: Path) -> None:
    begin = "var marked: cells of board = cells at { (3, 0), (0, 0) of board + up, (1, 1) } per game"
    text = GAME.replace("var marked: cells of board per game", begin)
    text = text.replace("ZONE", SQUARE).replace("SCORES", 'score s "S" = count marked')
    assert not load(tmp_path, text)[1]
    rules = pwtool.load(str(tmp_path / "stones.rules"))
    record = next(rules.play_many(1, 2, seed=2))
    assert rules.check(record).clean
    marked = [(3, 0), (1, 1)]
    for turn, position in enumerate(map(rules.replay(record).at, range(1, 21))):
        assert position.score().lines["P1"] == {"s": len(marked)}
        x, y = record["turns"][turn]["actions"][0]["at"]
        marked.append((x, y))  # Once more, if it is there.
        if y == 1 and (first := next((cell for cell in marked if cell[1] == 0), None)) is not None:
            marked.remove(first)


def test_rays_go_in_each_of_several_directions(tmp_path: Path) -> None:
    asked = {
        "straight": "directions",
        "oblique": "diagonals",
        "both": "all directions",
        "sum": "(directions + diagonals)",
    }
    rules = game(
        tmp_path,
        SQUARE,
        **{n: f"count (c in cells from (1, 1) of board towards {d}: board[c] is empty)" for n, d in asked.items()},
    )
    for position, board in positions(rules, 1):
        found = {}
        for name, steps in (("straight", STRAIGHT), ("oblique", OBLIQUE)):
            ray = [(1 + x * by, 1 + y * by) for x, y in steps for by in range(1, 5)]
            found[name] = sum(0 <= x < 5 and 0 <= y < 4 and (x, y) not in board for x, y in ray)
        both = found["straight"] + found["oblique"]
        assert position.score().lines["P1"] == {**found, "both": both, "sum": both}


def test_joined_cells_are_side_by_side_along_the_lines_alone(tmp_path: Path) -> None:
    joined = {"a": "mb", "b": "ma", "m": "adbc", "c": "m", "d": "m"}
    places = {"a": (0, 0), "b": (2, 0), "m": (1, 1), "c": (0, 2), "d": (2, 2)}
    names = {cell: name for name, cell in places.items()}
    rules = game(
        tmp_path,
        ROADS,
        group="count (group n around (0, 0) of board: board[n] belongs to player)",
        near="count (n in neighbours of (1, 1) of board: board[n] is empty)",
        roads="count { some line of 3 on board: all owner == player }",
    )
    seen = set()
    for position, board in positions(rules, 12):
        held = {names[cell]: code for cell, code in board.items()}
        for name, code in (("P1", "B"), ("P2", "W")):
            lines = position.score().lines[name]
            group = reached("a", lambda at: joined[at], of(held, code))
            roads = any(all(held.get(at) == code for at in road) for road in ("amd", "bmc"))
            assert lines == {"group": len(group), "near": sum(at not in held for at in joined["m"]), "roads": roads}
            seen.add((len(group), roads))
    assert {roads for _, roads in seen} == {False, True} and max(size for size, _ in seen) > 1


def test_names_that_join_cells_are_part_of_the_version(tmp_path: Path) -> None:
    text = GAME.replace("SCORES", "")
    plain = [
        load(tmp_path, text.replace("ZONE", f'grid 2x2 of stone named "{names}"{more}'))[0].version
        for names in ('a2".."b1', 'b2".."a1')
        for more in ("", ' joined "a2 a1" "a2 b2"')
    ]
    assert plain[0] == plain[2] and len(set(plain)) == 3


def test_taking_away_is_what_adding_undoes(tmp_path: Path) -> None:
    rules = game(tmp_path, SQUARE, left="left", marked="count marked", top="count (c in marked: c.row == 0)")
    for position, board in positions(rules):
        lines = position.score().lines["P1"]
        assert lines["left"] == 30 - len(board)
        upper, second = (sum(y == row for _, y in board) for row in (0, 1))
        assert lines["marked"] >= len(board) - min(upper, second) and lines["top"] <= upper


def test_a_supply_is_a_deck_piles_and_a_deal(tmp_path: Path) -> None:
    model, problems = load(tmp_path, GAME.replace("ZONE", SQUARE).replace("SCORES", ""))
    assert not [p for p in problems if "nothing reads" not in p]
    assert model.decks["bowl"].parts == ((((0, 30), (1, 30)), None),)
    assert model.zones["bowl"].dimensions == (("player", 0),)
    (dealt,) = model.setup
    assert (dealt.name, dealt.deck, dealt.owner, dealt.recorded) == ("bowl", "bowl", "owner", False)


CHOICE = """\
game walls "Walls"
players 2..2
choice way { across | down "D" }
component wall { }
zone board: grid 3x3 of wall
zone pile: pile of wall
deck walls of wall = { 9 wall }
setup deal pile "All walls": all of walls to pile
turn = build
var late: way per game
var doubled: flag per game
action build "Build a wall" (at: cell of board, along: way, double: flag) {
  rule free "The cell is empty" require board[at] is empty
  rule turned "Ways change" require along != late
  move top of pile to board[at]
  late = along
  doubled = double
}
ending full "The board is full" when board is full then stop
score s "S" = count { doubled, late == down, every k in way: k != late }
ranking most total, shared
example build.turned {
  given late = across
  yes build((0, 0), down, true)
  no  build((0, 0), across, false)
}
"""


def test_a_choice_and_a_flag_are_named_by_players(tmp_path: Path) -> None:
    path = tmp_path / "walls.rules"
    path.write_text(CHOICE, "utf-8")
    rules = pwtool.load(str(path))
    for record in rules.play_many(5, 2, seed=3):
        assert rules.check(record).clean
        named = [turn["actions"][0] for turn in record["turns"]]
        assert {a["along"] for a in named} == {"across", "down"}
        assert all(a["along"] != b["along"] for a, b in pairwise(named))
        last = named[-1]
        found = rules.replay(record).end.score().lines["P1"]["s"]
        assert found == last["double"] + (last["along"] == "down")
        record["turns"][1]["actions"][0]["along"] = named[0]["along"]
        assert [f.rule for f in rules.check(record).findings][:1] == ["build.turned"]
    assert {a.arguments["double"] for a in rules.replay(record).at(1).legal()} == {False, True}


WRONG = [
    ("score s \"S\" = count { left }", "this is a number, a condition is needed"),
    ("score s \"S\" = count { board is full, marked is full }", "a collection of cells is never full, a grid that does not float is"),
    ("score s \"S\" = count { left belongs to player }", "a number belongs to nobody, a thing does"),
    ("score s \"S\" = count { some stone through (0, 0) of board on board: true }", "the places of a shape go through a cell"),
    ("score s \"S\" = count { some line of 3 through left on board: true }", "this is a number, a cell of `board` is needed"),
    ("score s \"S\" = count { some line of 999999999 on board: true }", "the grid has no `line of 999999999`"),
    ("score s \"S\" = count { some line of 9 on board: true }", "the grid has no `line of 9`"),
    ("score s \"S\" = count { some line of 1 on board: true }", "a line has two cells or more"),
    ("zone z: grid 2x2 of stone joined \"a b\"", "lines join cells by their names, and these have none"),
    ("zone z: grid 2x2 of stone named \"a2\"..\"b1\" joined \"a2 c1\"", "`z` has no cell `c1`"),
    ("zone z: grid 2x2 of stone named \"a2\"..\"b1\" joined \"a2\"", "`a2` joins no two cells"),
    ("zone z: pile of stone joined \"a b\"", "only the cells of a grid that does not float are joined"),
    ("zone z: hex grid 3x3 of stone\nscore s \"S\" = count neighbours of (0, 0) of z in all directions", "a hexagonal grid has no diagonals"),
    ("score s \"S\" = count cells at { (0, 0), left }", "this is a number, a cell is needed"),
    ("score s \"S\" = count cells at { (0, 0), (5, 0) }", "the grid has no cell (5, 0)"),
    ("score s \"S\" = count cells at { right }", "this is a direction, a cell is needed"),
    ("zone z: grid 2x2 of stone\nscore s \"S\" = count cells at { (0, 0) of z, (0, 0) of board }", "these are cells of several grids"),
    ("zone z: floating grid 2x2 of stone\nscore s \"S\" = count cells at { (0, 0) of z }", "cells of a grid that floats have no order"),
    ("choice way { up_or_down }\nvar w: wya per game", "there is no type `wya`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), some(WRONG, 2))
def test_what_makes_no_sense_is_told(text: str, message: str, tmp_path: Path) -> None:
    _, problems = load(tmp_path, GAME.replace("ZONE", SQUARE).replace("SCORES", text))
    assert message in problems


def test_the_other_player_is_one_of_two(tmp_path: Path) -> None:
    text = GAME.replace("ZONE", SQUARE).replace("SCORES", 'score s "S" = count bowl[other player]')
    assert not load(tmp_path, text)[1]
    _, problems = load(
        tmp_path, text.replace("players 2..2", "players 2..3").replace('white "W"', 'white "W" | red "R"')
    )
    assert "`other player` has a meaning where two play" in problems
