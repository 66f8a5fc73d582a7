"""Variables and orders of play of two games: a rewording that no game shows is proven by induction, however large the game is."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")

from pwtool.comparing.evidence import GAMES as GAMES_EACH
from pwtool.comparing.evidence import play_both
from pwtool.comparing.induction.proving import prove_same
from pwtool.comparing.renames import named_alike
from pwtool.comparing.rows import differing_items
from pwtool.records.ruleset_store import Rulebook
from tests import daily
from tests.comparing.mutants import built, mutants
from tests.comparing.test_false_proofs import Edits, made
from tests.comparing.test_houses import HOUSES, base_text, loaded
from tests.daily import one_day_in, some
from tests.support import book

MARCH = """game march "March"
players 2..4
component card { kind: foot "F" | horse "H"  length: 1..3 }
deck cards of card = { 6 F1 6 F2 2 F3 4 H2 4 H3 }
zone hand: bag of card per player
zone stock: pile of card
zone road: pile of card
setup {
  deal hand "h": 4 each of cards to hand by chance
  deal stock "s": rest of cards to stock by chance
}
var miles: 0..90 = 0 per game
var gone: 0..9 = 0 per turn
var rests: 0..9 = 0 per turn
var fed: flag per turn
var rider: player per game
turn = (go | feed)+ rest? | draw
anytime look by any
action look "Look" () { rule tired "t" require rests > 0 }
action go "Go" (card: card from hand) {
  rule once "o" require gone == 0 or card.kind == horse
  rule small "s" require card.length <= 3 - gone
  let before = count road
  move card to road
  gone += card.length
  miles += card.length
  rider = player
}
action feed "Feed" (card: card from hand) {
  rule once "o" require not fed
  move card to stock
  fed = true
}
action rest "Rest" () {
  rule late "l" require gone > 0 or fed
  rests += 1
}
action draw "Draw" () {
  rule left "l" require stock is not empty
  move top of stock to hand
}
rule turn.far "Not too far" require gone <= 3
ending there "There" when miles >= 12 then 1 more turn for the others
ending empty "No card is left" when some q in players: hand[q] is empty then stop
score cards "Cards" = - count hand
score last "The last rider" = if rider == player then 2 else 0
ranking most total, shared
"""
SAME: tuple[Edits, ...] = (
    (("miles: 0..90", "miles: 0..60"),),
    (("miles: 0..90 = 0", "miles: 0..99 = 5"), ("miles >= 12", "miles >= 17")),
    (("miles += card.length", "miles += 2 * card.length"), ("miles >= 12", "miles >= 24")),
    (("card.length <= 3 - gone", "card.length + gone < 4"), ("rule turn.far \"Not too far\" require gone <= 3\n", "")),
    (("gone: 0..9 = 0", "gone: 0..9 = 3"), ("gone == 0 or", "gone == 3 or"), ("3 - gone", "gone"), ("gone += card.length", "gone += - card.length"),
     ("gone > 0 or fed", "gone < 3 or fed"), ("gone <= 3", "gone >= 0")),
    (("rest? |", "(rest when (gone > 0 or fed))? |"),),
    (("| draw", "| (draw when (stock is not empty))"),),
    (("rest? |", "(rest when (not (gone == 0 and not fed)))? |"), ('  rule late "l" require gone > 0 or fed\n', "")),
    (("rests += 1", "rests = 1"),),
    (("require rests > 0", "require rests == 1"),),
    (("fed: flag per turn", "fed: flag per turn"), ("require not fed", "require not fed and rests == 0")),
    (("  fed = true\n", "  fed = true\n  rests += 0\n"),),
    (("when miles >= 12", "when miles >= 12 and rider != none"),),
    # Only who goes makes miles.
    (("when miles >= 12", "when miles >= 12 and rider == player"),),
)  # fmt: skip
OTHER: tuple[Edits, ...] = (
    (("miles: 0..90", "miles: 0..13"),),
    (("miles: 0..90 = 0", "miles: 0..99 = 5"),),
    (("miles += card.length", "miles += 2 * card.length"), ("miles >= 12", "miles >= 25")),
    (("rule turn.far \"Not too far\" require gone <= 3\n", ""), ("card.length <= 3 - gone", "card.length <= 4 - gone")),
    (("gone == 0 or card.kind", "gone <= 1 or card.kind"),),
    (("gone += card.length", "gone += before"),),
    (("rest? |", "(rest when (fed))? |"),),
    (("| draw", "| (draw when (stock is empty))"),),
    (("require rests > 0", "require rests > 1"),),
    (("fed: flag per turn", "fed: flag per game"),),
    (("rider = player\n", "rider = player when fed\n"),),
    (("when miles >= 12 then 1 more turn for the others", "when miles >= 12 then 2 more turns for the others"),),
    (("(go | feed)+ rest?", "(go | feed)+ rest*"),),
)  # fmt: skip


def reworded(text: str, edits: Edits, folder: Path) -> tuple[Rulebook, Rulebook]:
    """A game, and what it is with these changes."""
    other = text
    for old, new in edits:
        assert other.count(old) == 1, old
        other = other.replace(old, new)
    return made(folder / "base", text), made(folder / "other", other)


def both(edits: Edits, folder: Path) -> tuple[Rulebook, Rulebook]:
    """The game of this file, and what it is with these changes."""
    return reworded(MARCH, edits, folder)


def is_proven(first: Rulebook, second: Rulebook, effort: float = 1.0) -> bool:
    rows = differing_items(first.game, second.game)
    return prove_same(first.game, named_alike(second.game, first.game).game, rows, effort) is not None


def is_shown(one: Rulebook, other: Rulebook, games: int = 300) -> bool:
    """Whether one of about so many games at random, half of them under each, tells two rulesets apart."""
    rows = differing_items(one.game, other.game)
    seats = one.game.ruleset.max_players - one.game.ruleset.min_players + 1
    return bool(play_both(one, other, rows, games / (2 * GAMES_EACH * seats)).differ)


@one_day_in(8)
@pytest.mark.parametrize(
    "edits", some([pytest.param(edits) for edits in SAME], 1), ids=lambda edits: edits[-1][1].strip()[:40]
)
def test_what_no_game_shows_is_proven(edits: Edits, tmp_path: Path) -> None:
    one, other = both(edits, tmp_path)
    assert is_proven(one, other)
    assert not is_shown(one, other)


@one_day_in(8)
@pytest.mark.parametrize(
    "edits", some([pytest.param(edits) for edits in OTHER], 1), ids=lambda edits: edits[-1][1].strip()[:40]
)
def test_what_a_game_shows_is_not_proven(edits: Edits, tmp_path: Path) -> None:
    one, other = both(edits, tmp_path)
    assert not is_proven(one, other) and not is_proven(other, one)
    assert is_shown(one, other)


@one_day_in(8)
def test_no_value_of_a_number_is_left_out_of_what_a_variable_becomes(tmp_path: Path) -> None:
    """The cards are compared with small numbers only, and what they add up to with a large one."""
    edits = (("length: 1..3", "length: 1..80"), ("2 F3 4 H2 4 H3", "2 F80"), ("card.length <= 3 - gone", "card.length != 1"), ("0..9 = 0", "0..99 = 0"),
             ("miles >= 12", "miles >= 79"), ("<= 3\n", "<= 99\n"))  # fmt: skip
    changed = (*edits[:4], ("miles >= 12", "miles >= 81"), edits[-1])
    texts = [MARCH, MARCH]
    for at, changes in enumerate((edits, changed)):
        for old, new in changes:
            texts[at] = texts[at].replace(old, new)
    books = [loaded(tmp_path / f"{at}.rules", text) for at, text in enumerate(texts)]
    assert not is_proven(*books)


BIDS = """game bids "Bids"
players 2..2
component chip { kind: tin "T" | gold "G" }
deck chips of chip = { 6 T 6 G }
zone hand: bag of chip per player
zone bank: pile of chip
setup { deal hand "h": 2 each of chips to hand by chance deal bank "b": rest of chips to bank by chance }
var won: 0..9 = 0 per game
turn = bid | steal | draw
action bid "Bid" (n: 1..100) { move top of bank to hand when bank is not empty }
action steal "Steal" (other: player, chip: chip from hand[other]) {
  rule other "o" require other != player and count hand[other] >= 2
  move chip to hand
}
action draw "Draw" () { won += 1 }
ending bank "b" when bank is empty then stop
ending won "w" when won >= 3 then stop at once
score chips "c" = count hand + won
ranking most total, shared
"""
BIDS_OTHER: tuple[Edits, ...] = (
    (("n: 1..100", "n: 1..200"),),
    # The game is over at once, and the score is another one.
    (("won += 1", "won += (if won == 2 then 2 else 1)"),),
    (("count hand[other] >= 2", "count hand[other] >= 1"),),
)


@one_day_in(8)
@pytest.mark.parametrize("edits", BIDS_OTHER, ids=lambda edits: edits[0][1])
def test_bounds_of_arguments_and_scores_at_once_are_not_overlooked(edits: Edits, tmp_path: Path) -> None:
    text = BIDS
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    one, other = made(tmp_path / "one", BIDS), made(tmp_path / "other", text)
    assert not is_proven(one, other) and not is_proven(other, one)


@one_day_in(8)
def test_the_place_that_an_argument_is_from_may_depend_on_another(tmp_path: Path) -> None:
    text = BIDS.replace(">= 2", ">= 1").replace("other != player and count hand[other] >= 1", "other != player")
    one, other = made(tmp_path / "one", BIDS.replace(">= 2", ">= 1")), made(tmp_path / "other", text)
    assert is_proven(one, other) and is_proven(other, one)


def pairs(name: str, folder: Path, most: int) -> list[tuple[Rulebook, Rulebook, Any]]:
    """A game and so many of its mutants, each day the next ones."""
    base = loaded(folder / "base.rules", base_text(name)) if name in HOUSES["games"] else book(name)
    found = list(mutants(base.game.ruleset))
    random.Random(name).shuffle(found)
    start = daily.seed() * most % len(found)
    return [
        (base, other, key)
        for key, new in (found[start:] + found)[:most]
        if (other := built(base.game.ruleset, key, new)) is not None
    ]


LARGE = ["counter", "stairs", "mix", "play", "bids", "moves"]


@one_day_in(4)
@pytest.mark.parametrize("name", some(LARGE, 1))
def test_some_mutants_that_are_proven_to_be_the_same_play_alike(name: str, tmp_path: Path) -> None:
    play_alike(name, 6, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_mutants_that_are_proven_to_be_the_same_play_alike(name: str, tmp_path: Path) -> None:
    assert play_alike(name, 40, tmp_path) or name == "moves"


def play_alike(name: str, most: int, folder: Path) -> int:
    """How many mutants of a game are proven, with a fifth of the work; games at random find no difference."""
    proven = 0
    for one, other, key in pairs(name, folder, most):
        if is_proven(one, other, 0.2):
            proven += 1
            assert not is_shown(one, other, 200), key
    return proven
