"""House editions whose truth is known: what is only said in another way, and what is another game."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.evidence import Contradiction, weigh_rows
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some
from tests.support import book

EN = "paper_world/en"
GRAB = """
remove rule grab.scissors_card because "a test"
remove rule grab.which_card because "a test"
"""

HARMLESS = {
    "nothing below": 'change rule place.touches "T" see placement when below == none'
    " require some n in neighbours of at: top of landscape[n] != none",
    "something below": 'change rule place.own_color "T" see placement when below != none require card.color == below.color',
    "counted": 'change rule take.some "T" see turns require cards is not empty',
    "at most none": 'change rule take.all "T" see taking require at most 0 c in tops of supply - cards: matches(c, announced)',
    "every not": 'change rule take.all "T" see taking require every c in tops of supply - cards: not matches(c, announced)',
    "De Morgan": 'change rule take.all "T" see taking'
    " require every c in tops of supply - cards: c.color != announced and c.value != announced",
    "the empty ones": 'change ending exhausted "T" see the_end when count (p in supply: p is empty) >= 3 then 1 more turn each',
    "most of the contrary": "change ranking most total, most - count discard, shared",
    "most of the rest": "change ranking most total, most 5 - count discard, shared",
    "cards in another order": "change deck start of card = { K1 G1 B1 Y1 }",
    "cases in another order": 'change setup put prizes "T": 1 2 4 when count players >= 3, 1 2 see set_up',
    "written out": 'change rule place.ascends "T" see placement require card.value > base_value(at)',
    "one more": 'change rule place.skip_one "T" see skipping require gap < 2',
    "two cases": 'change rule place.skip_price "T" see skipping, token when gap >= 0'
    " require (gap > 0 and not holds shears and count pay == 1) or ((gap <= 0 or holds shears) and count pay == 0)",
    "turned if": 'change score token "T" see scoring = (if not holds shears then 0 else 2)',
    "turned minus": 'change score hand "T" see scoring = 0 - count hand',
    "neither": 'change rule pass.no_choice "T" require not (can take or can place)',
    "turned bound": 'change rule trim.only_excess "T" see taking require not count hand <= 9',
    "turned or": 'change rule place.one_announcement "T" see placing'
    " require same value of placed + card or same color of placed + card",
    "each of them like the card": 'change rule place.one_announcement "T" see placing'
    " require (every c in placed: c.color == card.color) or (every c in placed: c.value == card.value)",
    "each of them and the card like the card": 'change rule place.one_announcement "T" see placing'
    " require (every c in placed + card: c.color == card.color) or (every c in placed + card: c.value == card.value)",
    "ranked by the same again": "change ranking most total, fewest count discard, most total, shared",
    "turned turn": "change turn = ((place grab?)+ | take | pass) trim*",
    "unrolled turn": "change turn = (take | place grab? (place grab?)* | pass) trim*",
}
ADDED = {
    "an action that no turn contains": 'action sing "S" (card: card from hand "x") { move card to discard }',
    "a rule that is always true": 'rule place.fine "F" require skips >= 0',
    "a rule that another implies": 'rule place.near "N" require gap <= 5',
    "a variable that nobody asks": "var extra: 0..9 = 0 per game",
}
RENAMED = {
    "an ending": 'remove ending exhausted because "a test"\n'
    'ending finished "T" see the_end when count (p in supply: p is not empty) <= 2 then 1 more turn each',
    "a rule": 'remove rule place.skip_one because "a test"\nrule place.hop "T" require gap <= 1',
    "one rule as two": 'remove rule pass.no_choice because "a test"\n'
    'rule pass.no_take "T" require not can take\nrule pass.no_place "T" require not can place',
    "a parameter": 'change action grab "T" (spot: cell of landscape) { put shears on landscape[spot] fresh = none } because "a test"\n'
    'rule grab.scissors_card "S" see token require (top of landscape[spot]).scissors\n'
    'rule grab.which_card "W" see at_once require spot == fresh',
    "effects that commute": 'change action grab "T" (at: cell of landscape) { fresh = none put shears on landscape[at] } because "a test"\n'
    'rule grab.scissors_card "S" see token require (top of landscape[at]).scissors\n'
    'rule grab.which_card "W" see at_once require at == fresh',
}  # fmt: skip

SEMANTIC = {
    "the life of a variable": "change var skips: 0..99 = 0 per game",
    "its first value": "change var skips: 0..99 = 1 per turn",
    "its bounds": "change var skips: 0..0 = 0 per turn",
    "a smaller box": 'change rule place.inside_3x3 "T" see placement require landscape with at fits 3x2',
    "the order of what is joined": 'change rule take.some "T" see turns require ascending value of cards + cards',
    "a score": 'change score token "T" see scoring = (if holds shears then 3 else 0)',
    "a constant for all": 'change score hand "T" see scoring = - (count hand + 1)',
    "another tie": "change ranking most total, fewest count hand, shared",
    "who plays last": 'change ending exhausted "T" see the_end when count (p in supply: p is not empty) <= 2'
    " then 1 more turn for the others",
    "an earlier end": 'change ending exhausted "T" see the_end when count (p in supply: p is not empty) <= 3 then 1 more turn each',
    "no token": "change turn = (take | place+ | pass) trim*",
    "colors alone": 'change rule place.one_announcement "T" see placing require same color of placed + card',
    "other prizes": 'change setup put prizes "T": 1 3 when count players == 2, 1 2 4 see set_up',
    "a larger board": "change zone landscape: floating grid 4x4 of card per player",
}
DIRECTIONS = {"a smaller box": "stricter", "colors alone": "stricter", "no token": "stricter"}


def house(folder: Path, text: str) -> Rulebook:
    path = folder / "house.rules"
    path.write_text(f'edition house of {EN} "House"\n\n{text}\n', "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def changed(text: str) -> str:
    return f'{text}\n  because "a test"'


def both_ways(first: Rulebook, second: Rulebook) -> tuple[list[Row], list[Row]]:
    return compare_rulesets(first.game, second.game), compare_rulesets(second.game, first.game)


SAME = {**{k: changed(v) for k, v in HARMLESS.items()}, **ADDED, **RENAMED}


@one_day_in(8)
@pytest.mark.parametrize("name", some([*SAME], 2))
def test_what_is_only_said_otherwise_is_the_same(name: str, tmp_path: Path) -> None:
    other = house(tmp_path, SAME[name])
    pairs = (book(EN), other), (other, book(EN))
    for (first, second), rows in zip(pairs, both_ways(book(EN), other), strict=True):
        assert exit_code(rows) == 0, [(r.kind, r.name, r.status) for r in rows]
        # What records name otherwise is the same game all the same.
        weighed, found = weigh_rows(first, second, rows, effort=0.1)
        assert exit_code(weighed) == 0 and found.games == found.alike > 0


def test_what_records_name_otherwise_is_told(tmp_path: Path) -> None:
    rows = compare_rulesets(book(EN).game, house(tmp_path, SAME["a parameter"]).game)
    assert "in records `at` is `spot`" in [row.proof for row in rows]
    rows = compare_rulesets(book(EN).game, house(tmp_path, SAME["an ending"]).game)
    assert [(r.name, r.twin) for r in rows if r.kind == "ending"] == [("exhausted", "finished")]


@pytest.mark.parametrize("name", some([*SEMANTIC], 3))
def test_another_game_is_never_the_same(name: str, tmp_path: Path) -> None:
    other = house(tmp_path, changed(SEMANTIC[name]))
    there, back = both_ways(book(EN), other)
    assert exit_code(there) == exit_code(back) == 1
    if name in DIRECTIONS:
        turned = {"stricter": "permissive", "permissive": "stricter"}
        told = [[r.direction for r in rows if r.nature == "semantic"] for rows in (there, back)]
        assert told == [[DIRECTIONS[name]], [turned[DIRECTIONS[name]]]]


@one_day_in(8)
@pytest.mark.parametrize("name", ["a score", "colors alone", "an earlier end"])
def test_games_bear_out_what_differs(name: str, tmp_path: Path) -> None:
    other = house(tmp_path, changed(SEMANTIC[name]))
    rows = compare_rulesets(book(EN).game, other.game)
    weighed, found = weigh_rows(book(EN), other, rows, effort=0.2)
    assert weighed == rows and found.alike < found.games
    assert all(found.sides(row) for row in rows if row.nature == "semantic")


@one_day_in(7)
def test_what_no_game_shows_is_not_decided(tmp_path: Path) -> None:
    other = house(tmp_path, changed("change var fresh: cell per game"))
    rows = compare_rulesets(book(EN).game, other.game)
    assert exit_code(rows) == 1
    weighed, found = weigh_rows(book(EN), other, rows, effort=0.1)
    assert exit_code(weighed) == 3 and found.alike == found.games
    assert [r.status for r in weighed if r.kind == "var"] == ["undecided"]


@one_day_in(8)
def test_a_game_refutes_a_wrong_proof(tmp_path: Path) -> None:
    other = house(tmp_path, changed(SEMANTIC["a score"]))
    with pytest.raises(Contradiction, match="nothing differs"):
        weigh_rows(book(EN), other, [], effort=0.1)


@one_day_in(8)
def test_what_is_reworded_beside_a_real_difference_refutes_nothing(tmp_path: Path) -> None:
    """The line says the same and is worth something else, because other things were done."""
    text = changed('change score hand "T" see scoring = 0 - count hand') + "\n" + changed(
        'change rule place.skip_once "T" see skipping when gap > 0 require skips < 1'
    ) + "\n" + changed("change var skips: 0..99 = 1 per turn")  # fmt: skip
    other = house(tmp_path, text)
    rows = compare_rulesets(book(EN).game, other.game)
    assert {r.name: r.status for r in rows if r.kind in ("score", "rule")} == {
        "hand": "reworded",
        "place.skip_once": "reworded",
    }
    weighed, found = weigh_rows(book(EN), other, rows, effort=0.3)
    assert exit_code(weighed) == 1 and found.alike < found.games


@one_day_in(8)
def test_a_condition_on_what_can_be_done_differs_with_it() -> None:
    """Who could place more could pass less: a game of the base game shows it under the advanced mode."""
    advanced = book(f"{EN}+advanced")
    rows, found = weigh_rows(book(EN), advanced, compare_rulesets(book(EN).game, advanced.game))
    assert (("rule", "pass.no_choice"), 0) in found.shown
    told = {(r.kind, r.name): r for r in rows if r.nature == "semantic"}
    assert "asks whether `place` and `take` can be done" in told["rule", "pass.no_choice"].proof


# ---- other games -----------------------------------------------------------------------------------------------------

GULLS = Path(__file__).resolve().parents[1] / "rulesets" / "gulls" / "game.rules"
ROUND = "round = tide by (caller) bid (pay by (winner) when (winner != none))?"
GUARDS = {
    "stricter": ROUND.replace("winner != none", "winner != none and price > 0"),
    "permissive": ROUND.replace(" when (winner != none)", " when (winner != none or price == 0)"),
    "": ROUND.replace("winner != none", "not winner == none"),
}


@one_day_in(8)
@pytest.mark.parametrize("direction", GUARDS)
def test_a_guard_that_implies_another_allows_less(direction: str, tmp_path: Path) -> None:
    text = GULLS.read_text("utf-8")
    assert text.count(ROUND) == 1
    path = tmp_path / "game.rules"
    path.write_text(text.replace(ROUND, GUARDS[direction]), "utf-8")
    first, second = (RulesetStore(Library()).get(str(p)).value for p in (GULLS, path))
    assert first is not None and second is not None
    turned = {"stricter": "permissive", "permissive": "stricter", "": ""}
    for rows, wanted in zip(both_ways(first, second), (direction, turned[direction]), strict=True):
        (row,) = [r for r in rows if r.kind == "turn"]
        assert (row.direction, row.status) == (wanted, "different" if wanted else "reworded")
