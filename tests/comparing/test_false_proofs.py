"""Differences that something beside them once hid: no proof may say that the two are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.induction.proving import prove_same
from pwtool.comparing.renames import named_alike
from pwtool.comparing.rows import compare_rulesets
from pwtool.play.replay import replay_record
from pwtool.records.random_records import play_many
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.comparing.pairs import MARKS, STEPS
from tests.daily import one_day_in, some
from tests.support import book

TAKE = """variant house of nim "House"
var dead: {kind} = {first} per turn
change action take "Take sticks from a heap" (heap: cell of heaps, number: 1..{most}) {{
  rule enough "So many sticks lie there" require number <= count heaps[heap]
  move number of heaps[heap] to taken
  taker = {taker}
  {effect}
}}
"""
DEAD = {"kind": "0..9", "first": "0", "most": "7", "taker": "player", "effect": "dead += 1"}
ENDINGS = (
    'ending gone "g" when bank is empty then 1 more turn for the others\n',
    'ending poor "p" when some q in players: hand[q] is empty then stop\n',
)
NEAR = '  rule near "n" when runs > 0 require fresh is in neighbours of at\n'
ONCE = (
    STEPS.replace("draw* (lay | skip)+ (rest | draw)?", "draw? (lay | skip)+ rest?").replace("taken < 2", "taken < 1")
)  # fmt: skip
"""Nobody draws twice in a turn, whatever the rule says."""
BETWEEN = (
    STEPS.replace("var high", "var one: flag per turn\nvar two: flag per turn\nvar high").replace(" and not high", "")
    .replace("  laid += 1", "  one = true\n  kept += 1 when can draw\n  two = true\n  laid += 1")
)  # fmt: skip
"""Whether something can be drawn is asked where only one of two flags is set."""
FAR = (
    STEPS.replace("var high", "var far: 0..99 = 70 per turn\nvar high").replace("4 T1 4 T2", "60 T1 60 T2")
    .replace('rule turn.hand "h" require count hand <= 7\n', "").replace("require taken < 2", "require taken < 5")
)  # fmt: skip
Edits = tuple[tuple[str, str], ...]
DIFFERENT: dict[str, tuple[str, Edits]] = {
    "another variable gets another value beside one that nobody reads": (
        STEPS,
        (("var high", "var dead: flag per turn\nvar high"), ("  kept += 1\n}\naction rest", "  kept += 2\n  dead = true\n}\naction rest")),
    ),
    "both change a variable of a turn, by different numbers": (STEPS, (("  taken += 1", "  taken += 2"),)),
    "a variable of a turn that only one changes gets into one of the game": (
        STEPS,
        (("var high", "var more: 0..9 = 0 per turn\nvar high"), ("  taken += 1", "  taken += 1\n  more += 1\n  kept += more")),
    ),
    "two changes of which the second reads the first": (
        STEPS.replace("var high", "var more: 0..9 = 0 per turn\nvar high")
        .replace("  taken += 1", "  taken += 1\n  more = taken")
        .replace("require taken == 0", "require more == 0"),
        (("  taken += 1\n  more = taken", "  more = taken\n  taken += 1"),),
    ),
    "a variable that nobody reads leaves its bounds": (
        STEPS, (("var high", "var more: 0..1 = 0 per turn\nvar high"), ("  taken += 1", "  taken += 1\n  more += 1")),
    ),
    "a variable that nobody reads leaves its bounds by a number that is not followed": (
        STEPS, (("var high", "var more: 0..9 = 0 per turn\nvar high"), ("  taken += 1", "  taken += 1\n  more += kept")),
    ),
    "a variable of a turn is set to a number that another action compares": (
        STEPS.replace("var high", "var held: 0..20 = 0 per turn\nvar high").replace("  taken += 1", "  taken += 1\n  held = count hand")
        .replace("require taken == 0", "require taken < 2"),
        (('rule late "t" require taken < 2', 'rule late "t" require taken < 2 and held <= 6'),),
    ),
    "endings under other names change places": (
        STEPS, ((ENDINGS[0] + ENDINGS[1], ENDINGS[1] + ENDINGS[0].replace("gone", "away")),)
    ),
    "a variable of a turn comes into play with a wide gap": (
        STEPS.replace('rule few "f" require taken < 2', 'rule few "f" require taken < 5').replace("4 ", "40 ")
        .replace("40 each", "4 each").replace('rule turn.hand "h" require count hand <= 7\n', ""),
        (('require taken < 5', 'require taken < 5 and count hand < 30 * taken + 170'),),
    ),
    "an eleventh cell of a grid": (
        MARKS.replace("3x3", "4x4").replace("runs < 3", "count built <= 12").replace(NEAR, ""),
        (("count built <= 12", "count built <= 11"),),
    ),
    "a rule asks whether an action can be done that the order does not allow by then": (
        ONCE.replace("laid == 0 and not high", "laid == 0 and not can draw"), (("taken < 1", "taken < 5"),)
    ),
    "an effect asks the same": (
        ONCE.replace("  kept += 1\n}\naction rest", "  kept += 1 when can draw\n}\naction rest"), (("taken < 1", "taken < 5"),)
    ),
    "an effect asks whether an action can be done between two changes": (
        BETWEEN, (('rule few "f" require taken < 2', 'rule few "f" require taken < 2 and (not one or two)'),),
    ),
    "a variable of a turn begins farther out than it is followed": (
        FAR, (("require taken < 5", "require taken < 5 and count bank < far + 48"),)
    ),
    "a variable of a turn is set farther out than it is followed": (
        FAR.replace("= 70 per turn", "= 0 per turn").replace("  taken += 1", "  taken += 1\n  far = 70"),
        (("require taken < 5", "require taken < 5 and (far == 0 or count bank < far + 48)"),),
    ),
    "another zone is dealt to": (STEPS, (("coins to hand by chance", "coins to out by chance"),)),
}  # fmt: skip
SAME: dict[str, tuple[str, Edits]] = {
    "a flag of a turn that nobody reads": (
        STEPS, (("var high", "var dead: flag per turn\nvar high"), ("  taken += 1", "  taken += 1\n  dead = true")),
    ),
    "a rule that the order never asks twice": (ONCE, (("taken < 1", "taken < 5"),)),
    "a rule about a variable that never gets so far": (STEPS, (("require taken < 2", "require taken != 2"),)),
}  # fmt: skip

PURSE = """game purse "Purse"
players 2..2
component card {{ kind: tin "T" | gold "G"  worth: 1..3 }}
deck cards of card = {{ {deck} }}
zone bank: pile of card
zone hand: bag of card per player
zone out: bag of card
zone box: bag of card
zone pots[2]: bag of card
setup {{ deal hand "h": 2 each of cards to hand by chance deal bank "b": rest of cards to bank by chance {setup} }}
var x: 0..{most} = {first} per game
var z: 1..9 = 1 per game
var owner: player per game
turn = act | wait
define lower(k) = every v in hand: v.worth < 3 + k + k
action act "A" ({named}) {{ {act} }}
action wait "W" () {{ {wait} }}
ending bank "b" when bank is empty then stop
ending won "w" when {won} then stop
score chips "c" = count hand + 3 * count box - count pots[1]
ranking most total, shared
"""
FEW = {
    "deck": "2 T1 2 T2 T3 G1 G2 G3", "setup": "", "most": "20", "first": "0", "named": "", "act": "x += 1", "wait": "x += 2",
    "won": "x >= 7",
}  # fmt: skip
TOLD = "let nobody = owner == none move top of bank to hand owner = player x += 1 when {when}"
ODD = {"setup": 'rule odd "o" require x == 0 or count hand[seat 1] < 2'}
MANY = {"deck": "50 T1 40 T2", "won": "hand is empty"}
NAMED = {"named": "card: card from hand, cards: cards from hand", "won": "x >= 9"}
ASKS = {
    "deck": "9 T1 9 T2 9 T3 4 G1", "most": "40", "named": "card: card from hand", "wait": "move top of bank to hand x += 1",
    "won": "x >= 30",
}  # fmt: skip
KEPT = 'rule r "r" require {asks} move card to out x += 1'
LOOPS = 'rule a "a" require some w in 1..2: w + x > 0 rule b "b" require {rule} move top of bank to hand x += 1'
BURST = {
    "named": "n: 1..6 by chance",
    "first": "9",
    "most": "9",
    "wait": "move top of bank to hand",
    "won": "hand is empty",
}
Slots = dict[str, str]
UNLIKE: dict[str, tuple[Slots, Slots]] = {
    "a named value keeps whether a variable had a value": (
        {"act": TOLD.format(when="nobody"), "won": "x >= 5"}, {"act": TOLD.format(when="owner == none"), "won": "x >= 5"},
    ),
    "a rule of the setup reads a variable": (ODD, ODD | {"first": "1", "won": "x >= 8"}),
    "nobody is refused what chance draws": (
        {"named": "n: 1..6 by chance", "act": "move top of bank to hand x = n", "most": "6", "wait": "", "won": "hand is empty"},
        {"named": "n: 1..7 by chance", "act": "move top of bank to hand x = n", "most": "6", "wait": "", "won": "hand is empty"},
    ),
    "chance exceeds a bound, whatever it draws": (
        BURST | {"act": "x += n"}, BURST | {"act": 'rule r "r" require x < 9 x += n'},
    ),
    "a variable goes farther in the second": (
        MANY | {"most": "1", "act": "x = 1", "wait": 'rule r "r" require x == 0 move top of bank to hand'},
        MANY | {"most": "90", "act": "x = 85", "wait": 'rule r "r" require count bank >= x move top of bank to hand'},
    ),
    "loops over other numbers at the same depth": (
        {"act": LOOPS.format(rule="count (w in 1..9: w < z + 4) <= count (w in 1..9: w < z + 2)")},
        {"act": LOOPS.format(rule="z != 9 or z == 9")},
    ),
    "a loop asks about the element of the one around it": (
        ASKS | {"act": KEPT.format(asks="every v in hand: (count (w in out: v.worth == 3)) + (count (w in out: w.worth == 3)) < 4")},
        ASKS | {"act": KEPT.format(asks="every v in hand: 2 * (count (w in out: v.worth == 3)) < 4")},
    ),
    "a definition counts what it is given, not what its loop goes through": (
        ASKS | {"act": KEPT.format(asks="lower(count (w in out: w.worth == 3))")},
        ASKS | {"act": KEPT.format(asks="every v in hand: v.worth < 3 + 2 * count (w in out: v.worth == 3)")},
    ),
    "what is named goes where the first condition that holds says": (
        NAMED | {"act": "move card to out when x < 5 move card to box when z < 2 move cards to out x += 1"},
        NAMED | {"act": "move card to box when z < 2 move card to out when x < 5 move cards to out x += 1"},
    ),
    "where one thing goes depends on where another one went": (
        NAMED | {"act": "move card to pots[if box is empty then 1 else 2] move cards to box x += 1"},
        NAMED | {"act": "move cards to box move card to pots[if box is empty then 1 else 2] x += 1"},
    ),
}  # fmt: skip

COUNTED = """game counted "Counted"
players 2..2
component card {{ kind: tin "T" | gold "G"  shiny: flag "S"  worth: 1..2 }}
deck cards of card = all
zone bank: pile of card
zone hand: bag of card per player
zone out: bag of card
zone won: pile of card
zone spare: pile of card
zone land: grid 3x3 of card
setup {{ deal hand "h": 3 each of cards to hand by chance deal bank "b": rest of cards to bank by chance }}
turn = {turn}
var x: 0..60 = 0 per game
var k: 0..20 = 0 per game
var n: 0..40 = 0 per game
var place: cell of land per game
action act "A" ({named}) {{ {act} n += 1 }}
action take "T" () {{ {take} n += 1 }}
{more}
ending end "e" when n >= {most} then stop
score points "p" = {score}
ranking most total, shared
"""
PLAIN = {
    "turn": "act | take", "named": "", "act": "", "take": "move top of bank to out", "more": "", "most": "8", "score": "x",
}  # fmt: skip
CAN = {"turn": "act when (n < 5) | take when (n >= 5)", "most": "8"}
DUE = 'rule r "r" require n >= {least}'
ONCE_DONE = 'consequence c "c"{when} () {{ {what} }}'
GOLD = "count { (top of won).kind == gold and player == seat 1 }"
TWO = {"named": "a: card from hand, b: card from hand", "most": "3"}
ATTACKED: dict[str, tuple[Slots, Slots]] = {
    f"{told}, a consequence asks whether an action can be done": (
        CAN | {"take": DUE.format(least=4), "more": ONCE_DONE.format(when=when, what=what)},
        CAN | {"take": DUE.format(least=3), "more": ONCE_DONE.format(when=when, what=what)},
    )
    for told, when, what in (
        ("whether it comes", "", 'rule r "r" require can take x += 1'),
        ("what it does", "", "x += 1 when can take"),
        ("after each action", " after each action", 'rule r "r" require can take x += 1'),
    )
} | {
    "things come into a bag in another order, and the first is looked for": (
        TWO | {"act": "move a to out move b to out", "take": "let taken = (first v in out: true) move taken to won", "score": GOLD},
        TWO | {"act": "move b to out move a to out", "take": "let taken = (first v in out: true) move taken to won", "score": GOLD},
    ),
    "things come into a bag in another order, and are moved on one by one": (
        TWO | {"act": "move a to out move b to out", "take": "for each v in out: move v to won", "score": GOLD},
        TWO | {"act": "move b to out move a to out", "take": "for each v in out: move v to won", "score": GOLD},
    ),
    "things come into a bag in another order, and are moved on together": (
        TWO | {"act": "move a to out move b to out", "take": "move out to won", "score": GOLD},
        TWO | {"act": "move b to out move a to out", "take": "move out to won", "score": GOLD},
    ),
    "a flag of a thing that is not there": (
        {"take": "", "score": "if ((top of won).shiny else true) then 3 else 1"},
        {"take": "", "score": "if ((top of won).shiny else false) then 3 else 1"},
    ),
}  # fmt: skip
CELLS = ("require place + 2 * right == none or place.row < 9", "require place == none or place.row < 9 or n < 0")

ALIKE: dict[str, Edits] = {
    "a deck of which another one is made": (
        ("deck cards of card = { 2 T1 2 T2 ", "deck tins of card = { 2 T1 2 T2 }\ndeck cards of card = tins, { "),
    ),
    "a component that lies nowhere": (("zone bank", "component seed { }\ndeck seeds of seed = { 2 seed }\nzone bank"),),
    "a tie that is meant to be": ((", shared", ""),),
}  # fmt: skip


def made(folder: Path, text: str) -> Rulebook:
    folder.mkdir(exist_ok=True)
    path = folder / "house.rules"
    path.write_text(text, "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def codes(first: Rulebook, second: Rulebook) -> list[int]:
    """The exit codes of both ways round, by proofs alone."""
    return [exit_code(compare_rulesets(a.game, b.game)) for a, b in ((first, second), (second, first))]


def edited(folder: Path, text: str, edits: Edits) -> list[int]:
    other = text
    for old, new in edits:
        assert other.count(old) == 1
        other = other.replace(old, new)
    return codes(made(folder / "first", text), made(folder / "second", other))


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_called_the_same(name: str, tmp_path: Path) -> None:
    assert 0 not in edited(tmp_path, *DIFFERENT[name])


@pytest.mark.parametrize("name", UNLIKE)
def test_what_a_game_shows_is_not_called_the_same(name: str, tmp_path: Path) -> None:
    one, other = (
        made(tmp_path / which, PURSE.format(**FEW | slots)) for which, slots in zip("ab", UNLIKE[name], strict=True)
    )
    assert 0 not in codes(one, other)


@pytest.mark.parametrize("name", some([*ATTACKED], 2))
def test_no_proof_says_that_what_a_game_shows_is_the_same(name: str, tmp_path: Path) -> None:
    one, other = (
        made(tmp_path / which, COUNTED.format(**PLAIN | slots))
        for which, slots in zip("ab", ATTACKED[name], strict=True)
    )
    rows = compare_rulesets(one.game, other.game)
    assert exit_code(rows) != 0
    assert prove_same(one.game, named_alike(other.game, one.game).game, rows) is None
    shown = [
        not replay_record(other.game, game, other.legal).clean for game in play_many(one, ["Ana", "Ben"], 3, 60, 60)
    ]
    assert any(shown), "games tell them apart"


def test_a_variable_of_one_game_only_that_a_consequence_reads_ends_no_proof_with_a_mistake(tmp_path: Path) -> None:
    late = 'rule r "r" require {rule} move top of bank to out {more}'
    bodies = (late.format(rule="x == 3", more="x = 4"), late.format(rule="count out == 3", more=""))
    first, second = (
        {"act": act, "more": ONCE_DONE.format(when="", what=body)}
        for act, body in zip(("x += 1 move top of bank to out", "move top of bank to out"), bodies, strict=True)
    )
    texts = [COUNTED.format(**PLAIN | slots | {"take": "", "score": "count out"}) for slots in (first, second)]
    texts[1] = texts[1].replace("var x: 0..60 = 0 per game\n", "")
    one, other = (made(tmp_path / which, text) for which, text in zip("ab", texts, strict=True))
    rows = compare_rulesets(one.game, other.game)
    assert prove_same(one.game, named_alike(other.game, one.game).game, rows, 0.2) is None


@one_day_in(8)
def test_a_cell_that_nobody_has_named_yet_has_none_beside_it(tmp_path: Path) -> None:
    act = {"named": "at: cell of land", "act": "move top of bank to land[at] place = at", "score": "count land"}
    one, other = (
        made(tmp_path / which, COUNTED.format(**PLAIN | act | {"take": f'rule r "r" {rule}'}))
        for which, rule in zip("ab", CELLS, strict=True)
    )
    rows = compare_rulesets(one.game, other.game)
    assert prove_same(one.game, named_alike(other.game, one.game).game, rows, 0.2) is not None


@pytest.mark.parametrize("name", ALIKE)
def test_what_no_game_has_is_no_difference(name: str, tmp_path: Path) -> None:
    assert edited(tmp_path, PURSE.format(**FEW), ALIKE[name]) == [0, 0]


@pytest.mark.parametrize("name", SAME)
def test_what_a_turn_cannot_show_is_still_proven(name: str, tmp_path: Path) -> None:
    assert edited(tmp_path, *SAME[name]) == [0, 0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, 0),
        ({"taker": "player after player"}, 1),
        ({"most": "6"}, 1),
        ({"effect": "dead += 10"}, 1),
        ({"kind": "flag", "first": "false", "effect": "dead = true"}, 0),
    ],
)
def test_a_variable_that_nobody_reads_hides_nothing(change: dict[str, str], expected: int, tmp_path: Path) -> None:
    house = made(tmp_path, TAKE.format(**DEAD | change))
    assert codes(book("nim"), house) == [expected] * 2
