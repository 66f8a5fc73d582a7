"""Rules files that ask for very much: each is refused with the bound and the place, or is read as fast as any other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import Grid
from pwtool.ir.model import AttributeModel, ComponentModel, Ruleset, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.lang import limits
from pwtool.lang.parser import parse_rules
from pwtool.rules import bounds, cost
from pwtool.rules.build import MAX_ITEMS, load_ruleset
from pwtool.rules.check import actions, scope
from pwtool.rules.library import MAX_FILES, Library
from pwtool.rules.readings import MAX_OPEN
from pwtool.text import MAX_MISTAKES, Diagnostic
from pwtool.text.diagnostic import MAX_PROBLEMS
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some

ROOM = 50
# What looks ahead, or follows lines and groups over a large board, comes nearer to the bounds.
LARGE = {
    "amazons": 40, "chess": 10, "go": 40, "go+thirteen": 9, "go+nineteen": 2, "gomoku+exactly_five": 9, "gomoku+renju_like": 4, "nine_mens_morris": 20,
    str(Path(__file__).resolve().parents[1] / "rulesets" / "sandwich" / "game.rules"): 30,
}  # fmt: skip
"""How many times as much as the dearest ruleset that comes with the program may be asked for."""

HEAD = """game g "G"
players 2..2
component card { color: red "R" | blue "B"  value: 1..8 }
deck cards of card = { R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 B6 B7 B8 }
zone hand: bag of card per player
zone stack: pile of card
zone board: grid 20x20 of card
setup { deal hand "h": 8 each of cards to hand by chance }
"""
TURN = "turn = play | pass\n"
PLAY = 'action play "Play" (card: card from hand) { move card to stack }\n'
PASS = 'action pass "Pass" () { }\n'
TAIL = 'ending out "out" when hand is empty then stop\nscore hand "h" = - count hand\nranking most total, shared\n'


def rules(*more: str, head: str = HEAD, play: str = PLAY, passing: str = PASS, turn: str = TURN) -> str:
    return head + turn + play + passing + TAIL + "".join(more)


def load(tmp_path: Path, text: str) -> tuple[Ruleset | None, list[Diagnostic]]:
    path = tmp_path / "g.rules"
    path.write_text(text, "utf-8")
    found = load_ruleset(str(path), Library())
    return found.value, list(found.diagnostics)


def refused(tmp_path: Path, text: str, code: str, *words: str) -> Diagnostic:
    """The one finding that refuses a text: with its code, these words and a place."""
    value, found = load(tmp_path, text)
    assert value is None
    finding = found[-1]
    assert finding.code == code, finding
    for word in words:
        assert word in finding.message, finding.message
    assert finding.span is not None
    return finding


def test_the_plain_game_loads(tmp_path: Path) -> None:
    value, found = load(tmp_path, rules())
    assert value is not None and not found


# ---- what is judged


def parameters(count: int, kind: str) -> str:
    named = ", ".join(f"p{i}: {kind}" for i in range(count))
    total = " + ".join(f"p{i}" if ".." in kind else f"p{i}.value" for i in range(count))
    return f'action swap "Swap" ({named}) {{ rule never "n" require {total} < 0 }}\n'


@pytest.mark.parametrize("kind", ["1..9", "card from hand"])
def test_an_action_with_twelve_parameters_is_too_dear(tmp_path: Path, kind: str) -> None:
    passing = 'action pass "Pass" () { rule stuck "s" require not can swap }\n'
    text = rules(parameters(12, kind), passing=passing, turn="turn = play | pass | swap\n")
    finding = refused(tmp_path, text, "PW308", "`swap`", "ways", "at most 100,000,000")
    assert finding.help is not None and "`p10` and `p11` in two actions" in finding.help
    assert len(load(tmp_path, text)[1]) == 1, "what asks for it is not blamed as well"


NESTED = {
    "every": 'invariant i "i" require {0} a in {3}: {0} b in {3}: {0} c in {3}: a == b or b == c or a != c\n',
    "count": 'score s "s" = count (a in {3}: 0 < count (b in {3}: 1 > count (c in {3}: a == b or b == c)))\n',
    "sum": 'score s "s" = sum (a in {3}: sum (b in {3}: count (c in {3}: a == b or b == c)))\n',
    "first": 'ending e "e" when (first a in {3}: (first b in {3}: (first c in {3}: a == c and b != c) == b) == a) != none then stop\n',
    "last": 'ending e "e" when (last a in {3}: (last b in {3}: (last c in {3}: a == c and b != c) == b) == a) != none then stop\n',
}


@pytest.mark.parametrize(
    "word", ["every", "some", "no", "at least 2", "at most 2", "exactly 2", "count", "sum", "first", "last"]
)
def test_three_loops_over_four_hundred_cells_are_too_dear(tmp_path: Path, word: str) -> None:
    pattern = NESTED.get(word, NESTED["every"])
    refused(tmp_path, rules(pattern.format(word, "", "", "cells of board")), "PW308", "steps, at most 100,000,000")


def test_shapes_inside_each_other_are_too_dear(tmp_path: Path) -> None:
    refused(tmp_path, rules('objective o "o" = ' + "some [ # # ]: " * 4 + "sum value > 3\n"), "PW308", "objective `o`")


def test_a_consequence_of_many_cells_is_too_dear(tmp_path: Path) -> None:
    cells = ", ".join(f"a{i}: cell of board" for i in range(5))
    text = f'consequence c "c" ({cells}) {{ rule r "r" require a0 == a4 and a1 == a2 and a3 == a2 }}\n'
    refused(tmp_path, rules(text), "PW308", "consequence `c`", "ways")


@one_day_in(8)
def test_many_dear_things_are_too_dear_together(tmp_path: Path) -> None:
    line = 'score s{0} "s" = count (a in cells of board: count (b in cells of board: a == b) == 1)\n'
    text = rules(*(line.format(number) for number in range(600)))
    refused(tmp_path, text, "PW308", "judging one position", "at most 300,000,000")


def test_a_parameter_of_a_huge_range_is_too_dear(tmp_path: Path) -> None:
    play = 'action play "Play" (n: 0..999999999) { rule r "r" require n < 0 }\n'
    refused(tmp_path, rules(play=play), "PW308", "1,000,000,000 ways")


def test_a_variable_cannot_double_each_time_it_is_set(tmp_path: Path) -> None:
    play = 'action play "Play" (card: card from hand) { move card to stack  seen = seen + seen }\n'
    refused(tmp_path, rules("var seen: cells per game\n", play=play), "PW308", "`seen` could hold twice as much")
    one = 'action play "Play" (card: card from hand) { move card to stack  seen += (0, 0) }\n'.replace("(0, 0)", "at")
    one = one.replace("(card: card from hand)", "(card: card from hand, at: cell of board)")
    assert load(tmp_path, rules("var seen: cells per game\n", play=one))[0] is not None


# ---- what is put in wherever it is named


def doubled(times: int, first: str = "define a0 = 1\n", line: str = "define a{0} = a{1} + a{1}\n") -> str:
    return first + "".join(line.format(i, i - 1) for i in range(1, times + 1))


@one_day_in(8)
@pytest.mark.parametrize(
    ("first", "line", "used"),
    [
        ("define a0 = 1\n", "define a{0} = a{1} + a{1}\n", 'score s "s" = a24\n'),
        ("define a0 = 1\n", "define a{0} = a{1} + a{1}\n", ""),
        ("define a0(x) = x\n", "define a{0}(x) = a{1}(a{1}(x))\n", 'score s "s" = a24(1)\n'),
        ("define a0(x) = x + x\n", "define a{0}(x) = a{1}(x) + a{1}(x)\n", 'score s "s" = a24(1)\n'),
        ("define a0 = some card: value == 1\n", "define a{0} = (a{1}) and (a{1})\n", "objective o = a24\n"),
        ("define a0 = hand + hand\n", "define a{0} = a{1} + a{1}\n", 'score s "s" = count (a24)\n'),
    ],
)  # fmt: skip
def test_definitions_that_double_are_refused(tmp_path: Path, first: str, line: str, used: str) -> None:
    refused(tmp_path, rules(doubled(24, first, line) + used), "PW308", f"more than {scope.MAX_PARTS:,} parts")


def test_decks_that_double_are_refused(tmp_path: Path) -> None:
    decks = "deck d0 of card = { R1 }\n" + "".join(f"deck d{i} of card = d{i - 1}, d{i - 1}\n" for i in range(1, 26))
    refused(tmp_path, rules(decks), "PW308", "deck `d", "parts")


def test_orders_of_pictures_count_once_for_each(tmp_path: Path) -> None:
    objective = "objective o = " + "some [ # # / # # ] turned mirrored: " * 6 + "ascending value\n"
    refused(tmp_path, rules(objective), "PW308", "objective `o`")


def test_a_long_chain_of_definitions_is_refused(tmp_path: Path) -> None:
    chain = doubled(400, line="define a{0} = a{1}\n")
    refused(tmp_path, rules(chain + 'score s "s" = a400\n'), "PW308", f"more than {scope.MAX_LEVELS} levels deep")


def test_numbers_do_not_grow_without_end(tmp_path: Path) -> None:
    lets = "".join(f"let b{i} = b{i - 1} * b{i - 1}\n" for i in range(1, 40))
    play = f'action play "Play" (card: card from hand) {{ let b0 = card.value\n{lets} rule r "r" require b39 > 0 }}\n'
    refused(tmp_path, rules(play=play), "PW306", "1,000,000,000,000,000")


# ---- the text


@pytest.mark.parametrize(
    ("more", "words"),
    some([
        (f'score big "{"x" * 900_000}" = 3\n', "a text has at most 10000 characters"),
        (f"define {'n' * 900_000} = 3\n", "a name has at most 200 characters"),
        (f"objective o = some [ {'# ' * 440_000}]\n", "a picture has at most 1000 cells"),
        (f"objective o = some [ {'# / ' * 220_000}# ]\n", "a picture has at most 1000 cells"),
        (f"setup put board \"b\": [ R1{'+R1' * 290_000} ]\n", "a picture has at most 20000 characters"),
        (f"score b \"b\" = {'(' * 400_000}1{')' * 400_000}\n", "nested more than 60 levels deep"),
        (f"score b \"b\" = hand{'.a' * 14_000}\n", "nested too deeply"),
        (f"score b \"b\" = {'if hand is empty then 1 else ' * 4_000}1\n", "nested too deeply"),
        (f"score b \"b\" = {' + '.join(['1'] * 250)} + 1 + 1\n", "more than 250 operators"),
        ('source s "t"\n' * 80_000, "more than 30000 words and signs"),
        ('score x "' + '\\"' * 400_000 + "\n", "a text has at most"),
    ], 2),
)  # fmt: skip
def test_a_text_beyond_its_bounds_is_refused(tmp_path: Path, more: str, words: str) -> None:
    refused(tmp_path, rules(more), "PW103", words)


def test_many_errors_are_told_in_one_pass() -> None:
    filler = "".join(f'source s{{0}}_{i} "some words of a document"\n' for i in range(100))
    text = HEAD + "".join(filler.format(k) + "source = = x\n" for k in range(25))
    found = parse_rules(SourceFile("g.rules", text)).diagnostics
    assert len(found) == MAX_PROBLEMS
    assert [f.notes for f in found[:-1]] == [()] * (MAX_PROBLEMS - 1)
    assert "there are more errors" in " ".join(found[-1].notes)
    lines = [f.span.line for f in found if f.span is not None]
    assert lines == [len(HEAD.splitlines()) + 101 * (k + 1) for k in range(MAX_PROBLEMS)]


def test_what_follows_an_error_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from pwtool.lang import parser
    from pwtool.lang.reading import Tree, automaton

    filler = "".join(f'source s{{0}}_{i} "t"\n' for i in range(100))
    text = HEAD + "".join(filler.format(k) + "source = = x\n" for k in range(15))
    read: list[int] = []
    whole = automaton()

    class Counting:
        def tree(self, text: str) -> Tree | None:
            read.append(len(text.split()))
            return whole.tree(text)

    monkeypatch.setattr(parser, "automaton", Counting)
    assert len(parser.parse_rules(SourceFile("g.rules", text)).diagnostics) == 15
    # Each parse ends at the next error and begins behind the last one.
    assert all(b < a for a, b in pairwise(read[:15]))


# ---- files and items


def test_an_include_that_repeats_is_told_and_read_once(tmp_path: Path) -> None:
    (tmp_path / "inc.rules").write_text('part inc of g\nsource s "t"\n', "utf-8")
    _, found = load(tmp_path, HEAD + "include inc\n" * 2000 + TAIL)
    assert found and all(f.code == "PW202" and "included twice" in f.message for f in found)
    assert len(found) == MAX_MISTAKES


def test_a_ruleset_of_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        (tmp_path / f"p{number}.rules").write_text(f"part p{number} of g\n", "utf-8")
    include = "".join(f"include p{number}\n" for number in range(MAX_FILES + 1))
    refused(tmp_path, rules(include), "PW308", f"more than {MAX_FILES} files")


@one_day_in(8)
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('source s{0} "t"\n', f"more than {MAX_ITEMS:,} items"),
        ('erratum e{0} "e" printed {{ change score hand "h" = {0} }}\n', f"more than {MAX_OPEN} open points"),
        ('score s{0} "s" = foo{0}\n', f"only the first {MAX_MISTAKES}"),
        ("component t{0} {{ x: 1..9999 }}\n", "values of attributes"),
        ("zone z{0}[400]: pile of card per player\n", "zones, at most 20,000"),
    ],
)
def test_too_many_of_something_are_refused(tmp_path: Path, more: str, words: str) -> None:
    count = MAX_ITEMS + 1 if "items" in words else 600
    refused(tmp_path, rules("".join(more.format(number) for number in range(count))), "PW308", words)


def test_too_many_cards_are_refused(tmp_path: Path) -> None:
    refused(tmp_path, rules(head=HEAD.replace("{ R1 R2", "{ 10000 R1 10000 R2")), "PW308", "20,014 things")


def test_an_order_of_too_many_steps_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, rules(turn="turn = " + "play? " * 2000 + "pass\n"), "PW308", "more than 1000 steps")


def test_an_action_of_too_many_parts_is_refused(tmp_path: Path) -> None:
    play = PLAY.replace("(card: card from hand)", f"({', '.join(f'p{i}: 1..1' for i in range(160))})")
    refused(
        tmp_path, rules(play=play.replace("move card to stack", "")), "PW308", f"{actions.MAX_PARAMETERS} parameters"
    )
    play = PLAY.replace("move card to stack", "move top of stack to stack\n" * 600)
    refused(tmp_path, rules(play=play), "PW308", f"{actions.MAX_STATEMENTS} named values and effects")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ('score r "r" = sum (x in 0..999999999: x)\n', "PW306"),
        ("zone huge: grid 99999x99999 of card\n", "PW306"),
        ("deck many of card = { 999999999 R1 }\n", "PW306"),
    ],
)
def test_a_huge_number_is_refused_where_it_stands(tmp_path: Path, more: str, code: str) -> None:
    refused(tmp_path, rules(more), code)


def test_a_variable_of_huge_bounds_costs_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, rules("var v: 0..999999999 = 0 per turn\n"))[0] is not None


# ---- the estimate


CELLS = ir.Const(t.list_of(t.cell(None)), tuple((x, 0) for x in range(7)))
BODY: Expr = ir.Compare("==", ir.Local(t.cell(None), 9), ir.Const(t.cell(None), (0, 0)))
GRID = ir.Zone(t.Type("grid", component="card"), 0, ())
LOOPS: dict[type[ir.Node], tuple[Expr, int]] = {
    ir.Quantified: (ir.Quantified("every", 0, 9, CELLS, BODY), 7),
    ir.CountWhere: (ir.CountWhere(9, CELLS, BODY), 7),
    ir.SumWhere: (ir.SumWhere(9, CELLS, BODY), 7),
    ir.Where: (ir.Where(CELLS.type, 9, CELLS, BODY), 7),
    ir.Around: (ir.Around(CELLS.type, 9, BODY, CELLS.value, ((),) * 7, BODY), 7),
    ir.Pick: (ir.Pick(t.cell(None), "first", 9, CELLS, BODY), 7),
}


def estimator() -> cost.Estimator:
    zone = ZoneModel("board", 0, "grid", t.face("card"), (), 5, 5, False, "all")
    value = AttributeModel("value", t.number(1, 8), (1, 8), in_code=True)
    card = ComponentModel("card", ("1", "8"), {"1": 0, "8": 1}, {"value": value})
    return cost.Estimator(cost.Table(2, 3, {"card": card}, [zone], {"card": 11}, 0))


def test_every_loop_counts_its_body_for_each_element() -> None:
    assert set(LOOPS) == set(ir.Loop.__args__), "a class that loops is not looked at here"
    one = estimator().cost(BODY)
    for loop, rounds in LOOPS.values():
        assert estimator().cost(loop) >= rounds * one


def test_every_class_has_an_estimate() -> None:
    """Each class is really walked, with operands that loop."""
    for operation in ir.OPERATIONS:
        made = example(operation)
        below = max((estimator().cost(part) for part in parts(made)), default=0)
        assert estimator().cost(made) > below or not below, operation.__name__


FIELDS: dict[str, object] = {
    "type": t.BOOL, "value": GRID, "slot": 9, "number": 0, "zone": 0, "indices": (), "open": 0, "grid": GRID, "cell": BODY, "width": 5,
    "height": 5, "floating": False, "piles": GRID, "pile": GRID, "of": GRID, "component": "card", "name": "value", "axis": 0, "player": BODY,
    "values": GRID, "items": GRID, "at": 0, "operand": BODY, "rows": ((0, 0),), "otherwise": BODY, "left": CELLS, "right": CELLS,
    "item": BODY, "which": "first", "token": 0, "index": BODY, "action": "play", "goal": BODY, "condition": BODY, "then": BODY,
    "default": BODY, "sign": "==", "domain": CELLS, "body": BODY, "kind": "some", "places": (((0,), ()),),
    "on": Grid(5, 5), "diagonally": False, "column": BODY, "row": BODY, "step": BODY,
    "cells": ((0, 0),), "part": "top", "beside": ((),), "start": BODY, "separate": True, "parameters": (BODY,),
}  # fmt: skip
VALUES = ir.Attributes(t.list_of(t.number(1, 8)), GRID, "card", "value")
SPECIAL: dict[type[ir.Node], dict[str, object]] = {
    ir.Const: {"value": 1}, ir.TopAt: {"at": BODY}, ir.HeightAt: {"at": BODY}, ir.Reads: {"values": (1, 2), "of": VALUES},
    ir.CountDistinct: {"of": VALUES}, ir.Extreme: {"of": VALUES}, ir.Alike: {"of": VALUES}, ir.Values: {"items": (BODY, GRID)},
    ir.Element: {"at": BODY}, ir.Each: {"part": "top"},
    ir.Table: {"otherwise": 0}, ir.TopsAt: {"cells": CELLS}, ir.Family: {"open": 0}, ir.ZoneIndex: {"indices": (BODY,)}, ir.Repeats: {"items": (GRID,)},
}  # fmt: skip


def example(operation: type[ir.Node]) -> Expr:
    if operation is ir.Can:
        return GRID
    names = [name for name in operation.__struct_fields__ if name != "span"]
    made: Expr = operation(**{name: SPECIAL.get(operation, {}).get(name, FIELDS[name]) for name in names})  # type: ignore[assignment, arg-type]
    return made


def parts(expr: Expr) -> list[Expr]:
    from pwtool.ir.walk import operands

    return operands(expr)


SHIPPED = [
    *(a for g in Library().games() for a in (g, *(f"{g}/{e}" for e in Library().overlays(g)["edition"]))),
    *(f"{g}+{v}" for g in Library().games() for v in Library().overlays(g)["variant"]),
    *sorted(str(p) for p in Path(__file__).resolve().parents[1].glob("rulesets/*/game.rules")),
]


@pytest.mark.parametrize("address", some(SHIPPED, 5))
def test_shipped_rulesets_have_much_room(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room = LARGE.get(address) or LARGE.get(address.partition("+")[0].partition("/")[0], ROOM)
    monkeypatch.setattr(bounds, "MAX_STEPS", bounds.MAX_STEPS // room)
    monkeypatch.setattr(bounds, "MAX_ALL_STEPS", bounds.MAX_ALL_STEPS // room)
    for name in ("MAX_PARTS", "MAX_ALL_PARTS"):
        monkeypatch.setattr(scope, name, getattr(scope, name) // room)
    found = load_ruleset(address, Library())
    assert found.value is not None and not found.diagnostics, [d.message for d in found.diagnostics]


def test_the_page_names_every_bound() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text("utf-8").replace(" ", "")
    page = page[page.index("##Bounds") :]
    for number in (
        limits.MAX_WORDS, limits.MAX_NAME, limits.MAX_TEXT, limits.MAX_CELLS, limits.MAX_ON_CELLS, limits.MAX_CHAIN,
        scope.MAX_PARTS, scope.MAX_ALL_PARTS, scope.MAX_LEVELS, MAX_MISTAKES, MAX_ITEMS, MAX_OPEN, MAX_FILES,
        bounds.MAX_STEPS, bounds.MAX_ALL_STEPS, bounds.MAX_JOINT_STEPS, bounds.MAX_ZONES, bounds.MAX_CARDS,
        actions.MAX_PARAMETERS, actions.MAX_STATEMENTS,
    ):  # fmt: skip
        assert str(number) in page, number
