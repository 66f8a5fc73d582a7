"""Rounds, joint actions, tables, picks, deals by cell and by owner, shapes on any grid: mistakes in them are told where
they are, and they mean what the language page says.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.eval.kleene import high_of, is_unknown, low_of
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random
from pwtool.play.setup import build_state
from pwtool.play.state import State
from pwtool.records.decoding import Decoder
from pwtool.records.encoding import encode_record
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from pwtool.why.examples import check_examples
from tests.daily import some

MINI = """\
game mini "Mini"
players 2..3
component card { color: red "R" | blue "B"  value: 1..3 }
component pawn {
  side: north "N" | south "S" | east "E"
  owner: player by side { north: 1  south: 2  east: 3 }
}
deck pack of card = { 2 R1  2 R2  2 R3  2 B1  2 B2  2 B3 }
deck pawns of pawn = { 9 N  9 S  9 E }
zone board: grid 3x3 of pawn
zone shown: grid 2x2 of card
zone free: floating grid 2x2 of card
zone left: bag of card
zone piles[3]: pile of card
zone stock: pile of pawn per player
zone own: bag of card per player
setup deal stock "Each has the pawns of a side": all of pawns to stock by owner
setup deal shown "A card on each cell": 1 each of pack to shown by chance
setup deal left "What is left": rest of pack to left
var spot: cell = first c in cells of board: board[c] is empty per round
var winner: player per round
var passes: 0..9 = 0 per game
define loser = player after winner
round = (bid when (winner == none))+
        lay by (winner)
        (lay | pass) by (loser)
anytime pass by any
action bid "Bid" (offer: 0..3 per player) {
  winner = first q in players: offer[q] > offer[player after q]
}
action lay "Lay" () {
  rule empty "The cell is empty" require board[spot] is empty
  move top of stock to board[spot]
}
action pass "Pass" () { passes += 1 }
shape line = [ # # # ] turned, [ # . . / . # . / . . # ] mirrored
ending full "The board is full" when count board == 9 then stop
ending done "Nine passes" when passes == 9 then stop at once
score lines "Lines" = count (line on board: all owner == player)
score worth "Cards" = by count left { 0: 0  1: 1  else 8 }
ranking most total, replayed
"""

TURNS = """\
game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck pack of card = { R1 R2 B3 }
zone stock: pile of card
zone hand: bag of card per player
setup deal stock "Stock": all of pack to stock
turn = draw
action draw "Draw" () { rule left "A card is left" require stock is not empty  move top of stock to hand }
ending empty "The stock is empty" when stock is empty then 1 more turn for the others
score cards "Cards" = count hand
ranking most total, shared
"""


def load(folder: Path, text: str) -> tuple[Game | None, tuple[Diagnostic, ...]]:
    path = folder / "mini" / "game.rules"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    found = load_ruleset("mini", Library(folder))
    return (Game(found.value) if found.value is not None else None), found.diagnostics


def loaded(folder: Path, text: str) -> Game:
    game, findings = load(folder, text)
    assert game is not None and findings == (), [(d.code, d.message, d.span and d.span.line) for d in findings]
    return game


# ---- mistakes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mistake:
    """A line of the small game written wrongly: what is told of it, at which words, and in which."""

    name: str
    old: str
    new: str
    code: str
    at: str
    says: str
    text: str = MINI


END = "ranking most total, replayed"


def score(name: str, expression: str, code: str, at: str, says: str) -> Mistake:
    """A score line more."""
    return Mistake(name, END, f'score probe "Probe" = {expression}\n{END}', code, at, says)


def more(name: str, line: str, code: str, at: str, says: str) -> Mistake:
    return Mistake(name, END, f"{line}\n{END}", code, at, says)


def stir(name: str, parameters: str, effects: str, code: str, at: str, says: str) -> Mistake:
    """An action more, at any time."""
    line = f'zone tally: pile of 1..3\nanytime stir by any\naction stir "Stir" ({parameters}) {{ {effects} }}'
    return more(name, line, code, at, says)


MISTAKES = [
    # ---- rounds: who acts
    Mistake("joint action with an actor", "(bid when (winner == none))+", "(bid by (winner) when (winner == none))+", "PW301",
            "winner", "at once"),
    Mistake("joint action in brackets with an actor", "(bid when (winner == none))+", "(bid | pass) by (winner)", "PW301",
            "winner", "at once"),
    # The place is where the actor is named, not where the name is defined.
    Mistake("joint action with a defined actor", "(bid when (winner == none))+", "(bid by (loser) when (winner == none))+", "PW301",
            "", "at once"),
    Mistake("step without an actor", "lay by (winner)", "lay", "PW301", "lay", "who does `lay`?"),
    Mistake("alternative without an actor", "(lay | pass) by (loser)", "(lay by (loser) | pass)", "PW301", "pass",
            "who does `pass`?"),
    Mistake("number acts", "lay by (winner)", "lay by (passes)", "PW301", "passes", "not a player"),
    Mistake("cell acts", "lay by (winner)", "lay by (spot)", "PW301", "spot", "not a player"),
    Mistake("player acts in a round", "lay by (winner)", "lay by (player)", "PW301", "player", "no meaning here"),
    Mistake("player in a condition on the moment", "lay by (winner)", "lay by (winner) when (player == winner)", "PW301",
            "player", "no meaning here"),
    Mistake("zone of nobody in a condition on the moment", "lay by (winner)", "lay by (winner) when (count stock > 0)", "PW302",
            "stock", "belongs to a player"),
    Mistake("player in the end of a round", "count board == 9", "player == winner", "PW301", "player", "no meaning here"),
    Mistake("zone of nobody in the end of a round", "count board == 9", "stock is empty", "PW302", "stock", "belongs to a player"),
    Mistake("player in an end at once", "passes == 9", "player == winner", "PW301", "player", "no meaning here"),
    Mistake("player at any time", "anytime pass by any", "anytime pass by (player)", "PW301", "player", "no meaning here"),
    Mistake("perhaps nobody at any time", "anytime pass by any", "anytime pass by (winner)", "PW301", "winner", "no such player"),
    more("player at the end of a round", 'rule round.x "X" require player == winner', "PW301", "player", "no meaning here"),
    more("rule of a turn in a round", 'rule turn.x "X" require passes < 9', "PW201", "turn.x", "belongs to no action"),
    Mistake("player in a joint action", "winner = first q in players: offer[q] > offer[player after q]", "winner = player",
            "PW301", "player", "no meaning here"),
    Mistake("own zone in a joint action", 'action bid "Bid" (offer: 0..3 per player) {',
            'action bid "Bid" (offer: 0..3 per player) {\n  rule x "X" require stock is not empty', "PW302", "stock",
            "belongs to a player"),
    Mistake("can, of nobody", "count board == 9", "not can lay", "PW301", "can lay", ""),
    Mistake("token of nobody", "count board == 9 then stop", "holds shears then stop\nzone land: grid 2x2 of card per player\n"
            "token shears on land", "PW301", "holds shears", ""),
    Mistake("place of the token of nobody", "count board == 9 then stop", "place of shears == spot then stop\nzone land: grid 3x3 of "
            "card per player\ntoken shears on land", "PW301", "place of shears", ""),
    Mistake("joint action at any time by somebody", "turn = draw", "turn = draw\nanytime bid by (player)\naction bid \"Bid\" (offer: "
            "0..3 per player) { }", "PW301", "player", "at once", TURNS),
    Mistake("turns for the others in a round", "count board == 9 then stop", "count board == 9 then 1 more turn for the others",
            "PW301", "ending full", "round"),
    Mistake("empty round", "round = (bid when (winner == none))+\n        lay by (winner)\n        (lay | pass) by (loser)",
            "round = bid*", "PW301", "round = bid*", "round may be empty"),
    more("turn and round", "turn = pass", "PW202", "turn = pass", ""),
    # ---- orders that chance makes
    stir("order of a bag", "o: order of left", "shuffle o", "PW301", "left", "a pile has an order"),
    stir("order of all piles", "o: order of piles", "shuffle o", "PW301", "piles", "a pile has an order"),
    stir("order of a grid", "o: order of shown", "shuffle o", "PW301", "shown", "a pile has an order"),
    stir("order of a number", "o: order of passes", "shuffle o", "PW301", "passes", "a pile has an order"),
    stir("order of numbers", "o: order of tally", "shuffle o", "PW301", "tally", "things with faces"),
    stir("order of everybody", "o: order of piles[1] per player", "shuffle o", "PW301", "o: order", "a value or a number"),
    stir("shuffled by nothing", "o: order of piles[1]", "shuffle p", "PW201", "p", "there is no order `p`"),
    stir("shuffled by a card", "o: card from left", "shuffle o", "PW201", "o", "there is no order `o`"),
    stir("shuffled twice", "o: order of piles[1], p: order of piles[2]", "shuffle o", "PW301", "p: order", "shuffles once"),
    stir("shuffled too late", "o: order of piles[1]", "passes += 1 shuffle o", "PW301", "shuffle o", "before it does anything else"),
    stir("rule on chance", "o: order of piles[1]", 'rule x "X" require count o > 1 shuffle o', "PW301", "o", "is random, only"),
    stir("named value of chance", "o: order of piles[1]", "let n = count o shuffle o", "PW301", "o", "is random, only"),
    stir("moved by chance", "o: order of piles[1]", "move o to left", "PW201", "o", "to move"),
    stir("pile that chance chooses", "o: order of piles[1], p: card from piles[count o]", "shuffle o", "PW301", "o", "is random, only"),
    # ---- joint parameters
    Mistake("parameter per goal", "0..3 per player", "0..3 per goal", "PW201", "goal", "goal"),
    Mistake("cards of every player", "offer: 0..3 per player", "offer: card from left per player", "PW301",
            "offer: card from left per player", "a value or a number"),
    Mistake("cell of every player", "offer: 0..3 per player", "offer: cell of board per player", "PW301",
            "offer: cell of board per player", "a value or a number"),
    Mistake("offer of nobody", "offer[q] > offer[player after q]", "offer[winner] > 1", "PW301", "winner", "may be no player"),
    Mistake("offer of a number", "offer[q] > offer[player after q]", "offer[1] > 1", "PW302", "1", "player is needed"),
    Mistake("all offers compared", "offer[q] > offer[player after q]", "offer > 1", "PW301", "offer", "a number is needed"),
    # ---- variables
    Mistake("turn in a game of rounds", "winner: player per round", "winner: player per turn", "PW201", "turn", "turn"),
    Mistake("round in a game of turns", "turn = draw", "var n: 0..3 = 0 per round\nturn = draw", "PW201", "round", "round", TURNS),
    Mistake("first value of a cell that is none", "board[c] is empty per round", "board[c] is empty and player == winner per round",
            "PW301", "player", "no meaning here"),
    Mistake("cell variable of a number", "spot: cell = first c in cells of board: board[c] is empty", "spot: cell = 3", "PW301", "3",
            "a number"),
    # ---- tables
    score("table without a row", "by count board { 0: 0  1: 1  2: 2 }", "PW209", "by count board", "no row for 3"),
    score("table without a row, small", "by count (line on board: same side) { 0: 0 1: 1 2: 2 3: 3 4: 4 5: 5 6: 6 7: 7 }", "PW209",
          "by count", "no row for 8"),
    score("row that can never be", "by count (line on board: same side) { 0: 0  9: 1  else 2 }", "PW306", "by count", "never 9"),
    score("row there twice", "by count board { 0: 0  1: 1  0: 2  else 3 }", "PW202", "by count board", "two rows for 0"),
    score("table of a player", "by player { 0: 0  else 1 }", "PW301", "player", "a number is needed"),
    score("table of perhaps nothing", "by spot.row { 0: 0  else 1 }", "PW301", "spot.row", "no value"),
    # ---- cells and picks
    score("cells of a floating grid", "count (c in cells of free: free[c] is empty)", "PW301", "cells of free", "floats"),
    score("cells of a bag", "count (c in cells of left: c.row == 0)", "PW301", "cells of left", "has no cells"),
    score("cells of a pile on a cell", "count (c in cells of board[spot]: c.row == 0)", "PW301", "cells of board[spot]", "has no cells"),
    score("first of piles", "(if (first p in piles: p is empty) is empty then 1 else 0)", "PW301", "piles", "cannot be picked"),
    score("first of a grid", "(if (first p in board: p is empty) is empty then 1 else 0)", "PW301", "board", "cannot be picked"),
    score("first of a number", "((first p in passes: p == 1) else 0)", "PW301", "passes", "no elements"),
    score("first that is perhaps none", "1 + (first v in 1..3: v > passes)", "PW301", "first v in 1..3", "no value"),
    score("first by a number", "((first v in 1..3: v) else 0)", "PW301", "v", "a condition is needed"),
    score("player after a number", "(if player after passes == player then 1 else 0)", "PW301", "player after passes", "no player"),
    score("row of a player", "winner.row", "PW303", "row", "no attributes"),
    score("row of a number", "passes.row", "PW303", "row", "no attributes"),
    score("row of a card", "sum (c in left: c.row)", "PW303", "row", "card"),
    score("other attribute of a cell", "(spot.line else 0)", "PW303", "line", "attribute of a cell"),
    score("row counted with that is perhaps none", "1 + spot.row", "PW301", "spot.row", "no value"),
    # ---- shapes
    score("shape on a bag", "count (line on left: same color)", "PW301", "left", "looked for on a grid"),
    score("shape on several zones", "count (line on piles: same color)", "PW301", "piles", "looked for on a grid"),
    score("shape on a number", "count (line on passes: same color)", "PW301", "passes", "looked for on a grid"),
    score("shape on a grid that is too small", "count (line on shown: same color)", "PW305", "[ # # # ]", "2x2"),
    score("shape misspelt", "count (lin on board: same side)", "PW201", "lin", "`line`"),
    score("card of another grid", "count (card on board: value == 1)", "PW201", "card", "`card`"),
    score("attribute of another component", "count (line on board: same value)", "PW303", "value", "pawn"),
    score("shape without a grid", "(if some line: same side then 1 else 0)", "PW301", "some line: same side", "none is meant"),
    score("card without a grid", "(if some pawn: side == north then 1 else 0)", "PW301", "some pawn: side == north", "none is meant"),
    score("sum of shapes", "sum (line on board: 1)", "PW301", "", "only after `count`"),
    more("names in one of several pictures", "shape s = [ # # ], [ a b ]", "PW102", "[ a b ]", "all have the same ones"),
    more("names that one picture has more often", "shape s = [ a b ], [ a / a ]", "PW102", "[ a / a ]", "each as often"),
    more("pictures read in other orders", "shape s = [ a b ] turned, [ a . / . b ]", "PW102", "[ a . / . b ]", "in other orders"),
    more("pictures on the same cells", "shape s = [ a b ], [ b a ]", "PW102", "[ b a ]", "the same cells as one before it"),
    more("ragged second picture", "shape s = [ # # ], [ # / # # ]", "PW102", "", "same number"),
    score("reading of pictures that differ", "(if some duo on shown: value reads 1 2 then 1 else 0)\nshape duo = [ # # ], [ # ]", "PW301",
          "value reads 1 2", "differ"),
    # ---- deals
    Mistake("deck dealt whole and in part", "rest of pack to left", "all of pack to left", "PW306", "deal left", "dealt whole"),
    Mistake("deck dealt whole twice", "1 each of pack to shown", "1 each of pack to shown by chance\nsetup deal own \"Own\": 1 each of "
            "pawns to board", "PW306", "deal stock", "dealt whole"),
    more("rest dealt twice", 'setup deal free "Free": rest of pack to piles', "PW306", "deal", "twice"),
    more("rest before others", 'setup deal own "Own": 1 each of pack to own by chance', "PW306", "deal left", "after its rest"),
    Mistake("by nobody", "to stock by owner", "to stock by nobody", "PW201", "deal stock", "`by nobody` is unknown"),
    Mistake("by what is not a player", "to stock by owner", "to stock by side", "PW201", "deal stock", "`by side` is unknown"),
    Mistake("by owner where there is none", "rest of pack to left", "rest of pack to left by owner", "PW201", "deal left",
            "`by owner` is unknown"),
    Mistake("so many by owner", "all of pawns to stock by owner", "2 each of pawns to stock by owner", "PW301", "deal stock", "all of"),
    Mistake("rest by owner", "all of pawns to stock by owner", "rest of pawns to stock by owner", "PW301", "deal stock", "all of"),
    Mistake("by owner to what all share", "zone stock: pile of pawn per player", "zone stock: pile of pawn per player\nzone shared: pile of "
            "pawn\nsetup deal shared \"Shared\": all of others to shared by owner\ndeck others of pawn = { N S }", "PW301", "deal shared",
            "each player has"),
    Mistake("all to the cells of a grid", "1 each of pack to shown", "all of pack to shown", "PW301", "deal shown", "at 0, 0"),
    Mistake("so many to cells that float", "1 each of pack to shown", "1 each of pack to free", "PW301", "deal shown", "does not float"),
    Mistake("cell of a bag", "rest of pack to left", "rest of pack to left at 0, 0", "PW301", "deal left", "only a grid has cells"),
    Mistake("cards of another kind", "rest of pack to left", "rest of pack to board at 0, 0", "PW301", "pack", "other components"),
    # ---- owners
    Mistake("seat that does not exist", "east: 3 }", "east: 4 }", "PW306", "owner", "no seat 4"),
    Mistake("seat nought", "north: 1 ", "north: 0 ", "PW306", "owner", "no seat 0"),
    Mistake("owner of a side left out", "  east: 3 }", " }", "PW209", "owner", "no row for side east"),
    Mistake("owner of a side that is none", "east: 3 }", "east: 3  west: 1 }", "PW306", "owner", "west"),
    Mistake("owner by nothing", "player by side", "player by sid", "PW303", "sid", "`side`"),
]  # fmt: skip


@pytest.mark.parametrize("text", [MINI, TURNS], ids=["rounds", "turns"])
def test_the_small_games_are_right(text: str, tmp_path: Path) -> None:
    loaded(tmp_path, text)


@pytest.mark.parametrize("mistake", MISTAKES, ids=[m.name for m in MISTAKES])
def test_a_mistake_is_told_where_it_is(mistake: Mistake, tmp_path: Path) -> None:
    assert mistake.text.count(mistake.old) == 1, mistake.old
    before, after = mistake.text.split(mistake.old)
    text = before + mistake.new + after
    game, findings = load(tmp_path, text)
    told = [(d.code, d.message, d.span.line if d.span else 0, d.span.text if d.span else "") for d in findings]
    assert game is None, told
    found = [d for d in findings if d.code == mistake.code and d.span and mistake.at in d.span.text]
    found = [d for d in found if mistake.says in f"{d.message} {d.help or ''}"]
    assert found, told
    # It stands in the lines that were changed, or names what they contradict.
    lines = [text[: text.index(mistake.at)].count("\n") + 1] if mistake.at else []
    changed = range(before.count("\n") + 1, (before + mistake.new).count("\n") + 2)
    assert any(d.span and (d.span.line in changed or d.span.line in lines) for d in found), (told, changed)
    assert all(not d.message.endswith(".") for d in findings)
    # One mistake is not told as many of other kinds.
    assert len({d.code for d in findings if not d.code.startswith("PW4")}) <= 2, told


def test_the_number_of_a_table_stands_in_brackets_unless_it_is_one_word(tmp_path: Path) -> None:
    for expression, right in (("by passes + 1 { 1: 5  else 6 }", False), ("by (passes + 1) { 1: 5  else 6 }", True)):
        game, findings = load(tmp_path, probe(expression))
        assert (game is not None) == right
        assert [d.code for d in findings][:1] == ([] if right else ["PW101"])


def test_a_grid_that_a_definition_is_given_has_to_be_one(tmp_path: Path) -> None:
    for given, says in (
        ("stock", "a pile of pawns has no cells, a grid has"),
        ("piles", "several zones has no cells, a grid has"),
    ):
        _, found = load(tmp_path, probe(f"count row_of({given}, 0)"))
        assert says in [d.message for d in found]


def test_there_are_many_mistakes() -> None:
    assert len({m.name for m in MISTAKES}) == len(MISTAKES) >= 60
    assert len({m.code for m in MISTAKES}) >= 9


@pytest.mark.parametrize("text", some([MINI, TURNS], 1), ids=["rounds", "turns"])
def test_a_game_with_a_word_missing_never_crashes(text: str, tmp_path: Path) -> None:
    """Whatever is left out, the ruleset loads or says what is wrong with it."""
    words = text.split(" ")
    refused = 0
    for at in range(1, len(words), 3):
        game, findings = load(tmp_path, " ".join(words[:at] + words[at + 1 :]))
        assert game is not None or findings
        assert all(d.code != "PW901" and d.message for d in findings)
        refused += game is None
    assert refused > len(words) // 8


@pytest.mark.slow
def test_a_game_with_words_exchanged_never_crashes(tmp_path: Path) -> None:
    rng = random.Random(3)
    words = MINI.split(" ")
    for _ in range(600):
        changed = list(words)
        for _ in range(rng.choice([1, 1, 2])):
            changed[rng.randrange(len(words))] = rng.choice(words).strip("\n") or "("
        game, findings = load(tmp_path, " ".join(changed))
        assert game is not None or findings
        assert all(d.code != "PW901" for d in findings)


# ---- what the constructs mean ----------------------------------------------------------------------------------------


BOTH = "[ N S N / N N S / S E N ]"
MEANING: list[tuple[str, str, int]] = [
    # The expression, what is given, and its value.
    ("((first c in cells of board: board[c] is empty).row else 9)", "", 0),
    ("((first c in cells of board: board[c] is empty).row else 9)", "board = [ N S N / N . S ]", 1),
    ("((first c in cells of board: board[c] is empty).column else 9)", "board = [ N S N / N . S ]", 1),
    ("((first c in cells of board: board[c] is empty).column else 9)", "board = [ N S ]", 2),
    ("((first c in cells of board: board[c] is empty).row else 9)", f"board = {BOTH}", 9),
    ("((last c in cells of board: board[c] is not empty).row else 9)", "board = [ N S N / N . S ]", 1),
    ("((last c in cells of board: board[c] is not empty).column else 9)", "board = [ N S N / N . S ]", 2),
    ("((last c in cells of board: board[c] is not empty).column else 9)", "", 9),
    ("((first v in 1..9: v * v > 20) else 0)", "", 5),
    ("((last v in 1..9: v * v < 20) else 0)", "", 4),
    ("((first v in 1..9: v > 20) else 0)", "", 0),
    ("count (q in players: q == player after player)", "", 1),
    ("(if (player after player) == player then 1 else 0)", "", 0),
    ("(if (player after (player after player)) == player then 1 else 0)", "", 1),
    ("(if (player after (player after player)) == player then 1 else 0)", "3 players", 0),
    ("(if (player after (player after (player after player))) == player then 1 else 0)", "3 players", 1),
    ("count stock[player after player]", "stock[2] = { S S }", 2),
    ("count stock[player after (last q in players: q == q else player)]", "stock[1] = { N N N }", 3),
    ("(if (first q in players: count stock[q] > 1) == player then 1 else 0)", "stock[1] = { N N }", 1),
    ("(if (first q in players: count stock[q] > 1) == player then 1 else 0)", "stock[2] = { S S }", 0),
    ("(if (first q in players: count stock[q] > 1) == none then 1 else 0)", "stock[2] = { S }", 1),
    ("count (q in players: q == winner)", "", 0),
    ("(if player after winner == none then 1 else 0)", "", 1),
    *(("by count left { 0: 0  1: 1  2: 2  3: 5  4: 3  else 8 }", f"left = {{ {'R1 ' * n}}}", worth)
      for n, worth in enumerate([0, 1, 2, 5, 3, 8, 8])),
    ("by passes { 0: -5  1: 4  2: 0  3: 0  4: 0  5: 0  6: 0  7: 0  8: 0  9: 7 }", "passes = 0", -5),
    ("by passes { 0: -5  1: 4  2: 0  3: 0  4: 0  5: 0  6: 0  7: 0  8: 0  9: 7 }", "passes = 9", 7),
    ("2 * by passes { 0: 1  else 3 } + 1", "passes = 4", 7),
    ("(spot.row else 9)", "spot = (2, 1)", 1),
    ("(spot.column else 9)", "spot = (2, 1)", 2),
    ("(if spot.row > spot.column then 1 else 0)", "spot = (2, 1)", 0),
    ("sum (c in cells of board: 3 * c.row + c.column)", "", 36),
    ("count (c in cells of board: c.row == c.column and board[c] is not empty)", f"board = {BOTH}", 3),
    # ---- shapes on a grid
    ("count (line on board: same side)", "board = [ N N N / N N N / N N N ]", 8),
    ("count (line on board: all owner == player)", "board = [ N N N / N N N / N N N ]", 8),
    ("count (line on board: all owner == player)", "board = [ S S S / S S S / S S S ]", 0),
    ("count (line on board: all owner == player)", "board = [ N S S / N N S / N S N ]", 2),
    ("count (line on board: same side)", "board = [ N S S / N N S / N S N ]", 2),
    ("count (line on board: same side)", "board = [ N . N / N N . / N S S ]", 2),
    ("count (line on board: distinct side)", "board = [ N S E / S E N / E N S ]", 7),
    ("(if some line on board: same side then 1 else 0)", "board = [ S S S ]", 1),
    ("(if every line on board: same side then 1 else 0)", "board = [ S S S / N N N ]", 1),
    ("(if every line on board: same side then 1 else 0)", "board = [ S S S / N N S / S N S ]", 0),
    ("(if exactly 2 line on board: same side then 1 else 0)", "board = [ S S S / N N N ]", 1),
    ("(if no line on board: any side == east then 1 else 0)", "board = [ S S S / N N N ]", 1),
    ("(if no line on board: any side == east then 1 else 0)", "board = [ S E S / N N N ]", 0),
    ("count (pawn on board: owner == player)", f"board = {BOTH}", 5),
    ("count (pawn on board: owner == player after player)", f"board = {BOTH}", 3),
    ("count (pile on shown: height >= 2)", "shown = [ R1+R2 B1 / B2+B3+B1 . ]", 2),
    ("count (card on shown: value == 1)", "shown = [ R1+R2 B1 / B2+B3+B1 . ]", 2),
    ("count (two on shown: sum value > 3)", "shown = [ R1 R2 / B3 B2 ]", 3),
    # Turned, two cells can be read both ways: three pairs differ, the two 2s do not.
    ("count (two on shown: ascending value)", "shown = [ R1 R2 / B3 B2 ]", 3),
    # What two pictures cover alike counts once.
    ("count (twice on shown: same color)", "shown = [ R1 R2 / R3 R2 ]", 4),
    ("count (sizes on shown: all color == red)", "shown = [ R1 R2 / R3 B2 ]", 4),
    ("count (gaps on board: same side)", "board = [ N . N / . . . / N . N ]", 2),
    ("count (gaps on board: same side)", "board = [ N S N / . . . / N . S ]", 0),
    ("count (line on board: not same side)", "board = [ N S N ]", 1),
    # A definition's grid stands for itself: its cells, its size and shapes on it are known.
    ("count (c in row_of(board, 2): c.column > 0)", "", 2), ("count row_of(shown, 1)", "", 2),
    ("count (c in row_of(shown, 0): shown[c] is not empty)", "shown = [ R1 . / B2 B3 ]", 1),
    ("(if whole(shown) and not whole(board) then 1 else 0)", "shown = [ R1 B1 / B2 B3 ]", 1),
    ("reds(shown) + reds(free)", "shown = [ R1 B1 / R2 R3 ]", 3),
    ("count (c in held(row_of(shown, 1), shown): c.row == 1)", "shown = [ R1 . / . R3 ]", 1),
    # A floating grid is looked at wherever it lies.
    ("count (two on free: same color)", "free = [ R1 R2 ]", 1),
]  # fmt: skip

SHAPES = """
shape two = [ # # ] turned
shape twice = [ # # ], [ # # ] turned
shape sizes = [ # ], [ # # ]
shape gaps = [ # _ # ]
define row_of(g, y) = (c in cells of g where c.row == y)
define whole(g) = g is full
define reds(board) = count (card on board: color == red)
define held(some_cells, g) = (c in some_cells where g[c] is not empty)
"""


def probe(expression: str) -> str:
    """The small game with one score line more, called `probe`."""
    return MINI.replace(END, f'score probe "Probe" = {expression}\n{END}') + SHAPES


@pytest.mark.parametrize(("expression", "given", "value"), MEANING)
def test_what_an_expression_means(expression: str, given: str, value: int, tmp_path: Path) -> None:
    givens = f"given {given}" if given else ""
    for number in (value, value + 1):
        text = probe(expression) + f"example score {{ {givens} then probe = {number} }}\n"
        game = loaded(tmp_path, text)
        for machine in (game.fast, game.careful):
            game.fast = machine
            found = [(d.code, d.message) for d in check_examples(game)]
            wrong = [("PW402", f"example of `score`: `probe` is {value}, not {number}")] if number != value else []
            assert found == wrong


# ---- with cards that nobody saw --------------------------------------------------------------------------------------


def filled(game: Game, **zones: Any) -> State:
    """A position of two players with these zones filled: codes, `?` for an unseen one; grids by cell."""
    state = State(game.ruleset, 2, [])
    Play(game, state, LegalActions(game))
    game.fresh_variables(state, "game")
    for name, content in zones.items():
        model = game.ruleset.zones[name]
        numbers = {**game.ruleset.components[model.element.component].numbers, "?": UNSEEN}
        if isinstance(content, dict):
            state.zones[model.number][0] = {cell: [numbers[c] for c in codes] for cell, codes in content.items()}
        else:
            for at, codes in enumerate(content if isinstance(content, list) else [content]):
                state.zones[model.number][at] = [numbers[c] for c in codes.split()]
    game.fresh_variables(state, "turn")
    return state


def completed(zones: dict[str, Any], codes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every way that the unseen cards may be."""

    def with_cards(content: Any, cards: Iterator[str]) -> Any:
        if isinstance(content, dict):
            return {key: with_cards(part, cards) for key, part in content.items()}
        if isinstance(content, list):
            return [with_cards(part, cards) for part in content]
        return " ".join(next(cards) if code == "?" else code for code in content.split())

    return [with_cards(zones, iter(choice)) for choice in product(codes, repeat=repr(zones).count("?"))]


CARDS = ("R1", "R2", "R3", "B1", "B2", "B3")
ONES = "count (c in left: c.value == 1)"
UNSEEN_CASES: list[tuple[str, dict[str, Any], bool]] = [
    # The expression, what lies where, and whether the bounds are as close as can be.
    *((f"by {ONES} {{ 0: 0  1: 1  2: 2  3: 5  4: 3  else 8 }}", {"left": left}, True)
      for left in ("?", "R1 ?", "R1 R1 ?", "R1 B1 ? ?", "R1 R1 R1 ?", "R1 R1 B1 B1 ?", "R2 ? ? ?", "R1 R1 B1 B1 R1 ? ?", "R2 R3")),
    (f"by {ONES} {{ 0: 4  2: 4  else 4 }}", {"left": "? ?"}, True),
    (f"by {ONES} {{ 7: 9  else 1 }}", {"left": "? ?"}, True),
    ("by sum value of left { 2: 1  3: 0  4: 7  else -3 }", {"left": "R1 ?"}, True),
    ("by (sum value of left) { 0: 1  else 2 }", {"left": "R1 ?"}, True),
    ("by count piles[((top of left_pile).value else 1)] { 0: 0  else 5 }", {"left_pile": "?", "piles": ["R1", "", ""]}, False),
    ("by count piles[((top of left_pile).value else 1)] { 0: 3  1: 4  else 5 }", {"left_pile": "?", "piles": ["R1", "B1", "R1 R1"]},
     False),
    ("((first c in left: c.value == 2).value else 0)", {"left": "R1 ?"}, False),
    ("((first c in left: c.value == 2).value else 0)", {"left": "R2 ?"}, False),
    ("((first c in left: c.value == 3).value else 7)", {"left": "? R3"}, False),
    ("((last v in 1..3: some c in left: c.value == v) else 0)", {"left": "R1 ?"}, False),
    ("((first c in cells of shown: (top of shown[c]).value == 1).row else 5)", {"shown": {(0, 0): ["?"], (1, 1): ["R1"]}}, False),
    ("(if (first q in players: some c in own[q]: c.value == 1) == player then 1 else 0)", {"own": ["?", "R1"]}, False),
    ("(if player after (first q in players: some c in own[q]: c.value == 1) == player then 1 else 0)", {"own": ["?", "R1"]}, False),
    ("count (card on shown: value >= 2)", {"shown": {(0, 0): ["?"], (1, 1): ["R2"], (0, 1): ["R1", "?"]}}, True),
    ("count (pile on shown: height == 2)", {"shown": {(0, 0): ["?"], (1, 1): ["R2"], (0, 1): ["R1", "?"]}}, True),
    ("count (two on shown: same color)", {"shown": {(0, 0): ["?"], (1, 0): ["R2"], (0, 1): ["B1"]}}, False),
    ("count (two on shown: sum value > 3)", {"shown": {(0, 0): ["?"], (1, 0): ["R2"], (0, 1): ["B3"]}}, False),
    ("count (sizes on shown: all value == 2)", {"shown": {(0, 0): ["?"], (1, 0): ["R2"], (0, 1): ["B3"]}}, True),
    ("by count (two on shown: same color) { 0: 0  1: 3  2: 1  3: 9  4: 2 }", {"shown": {(0, 0): ["?"], (1, 0): ["R2"], (0, 1): ["B1"]}},
     False),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "zones", "tight"), UNSEEN_CASES)
def test_with_unseen_cards_a_number_lies_between_its_bounds(
    expression: str, zones: dict[str, Any], tight: bool, tmp_path: Path
) -> None:
    text = probe(expression).replace("zone left:", "zone left_pile: pile of card\nzone left:")
    game = loaded(tmp_path, text)
    at = [s.name for s in game.ruleset.scores].index("probe")
    claimed = game.careful.scores[at](filled(game, **zones), game.locals())
    values = set()
    for whole in completed(zones, CARDS):
        state = filled(game, **whole)
        fast, careful = (m.scores[at](state, game.locals()) for m in (game.fast, game.careful))
        assert fast == careful and not is_unknown(careful)
        values.add(fast)
    if claimed is UNKNOWN:
        assert not tight
        return
    assert low_of(claimed) <= min(values) and max(values) <= high_of(claimed), (claimed, values)
    if tight:
        assert (low_of(claimed), high_of(claimed)) == (min(values), max(values))


def test_the_first_value_of_a_variable_claims_nothing_of_an_unseen_card(tmp_path: Path) -> None:
    value = "first c in cells of shown: (top of shown[c]).value == 3"
    text = MINI.replace("var winner", f"var best: cell = {value} per round\nvar winner")
    game = loaded(tmp_path, text)
    number = game.ruleset.variables["best"].number
    zones = {"shown": {(0, 0): ["?"], (1, 0): ["R3"], (0, 1): ["R1"], (1, 1): ["R1"]}}

    def first_value(content: dict[str, Any]) -> Any:
        state = filled(game, **content)
        state.unseen = "?" in repr(content)
        game.fresh_variables(state, "turn")
        return state.variables[number]

    values = {first_value(whole) for whole in completed(zones, CARDS)}
    assert values == {(0, 0), (1, 0)}
    assert first_value(zones) is UNKNOWN


# ---- rounds, played --------------------------------------------------------------------------------------------------


def begin(game: Game) -> Play:
    record = deal_at_random(game, ["A", "B"], Chance(1))
    play = Play(game, build_state(game, record)[0])
    play.begin_turn(play.next_player())
    return play


def steps(play: Play) -> set[tuple[str, int]]:
    return {(play.game.action(number).name, actor) for number, actor in play.next_steps()}


def do(play: Play, name: str, actor: int, *arguments: Any) -> None:
    play.do(play.game.action_numbers[name], actor, arguments)


def test_a_round_goes_its_way(tmp_path: Path) -> None:
    game = loaded(tmp_path, MINI)
    play = begin(game)
    anytime = {("pass", 0), ("pass", 1)}
    assert play.owner == EVERYBODY == play.next_player()
    assert steps(play) == {("bid", EVERYBODY)} | anytime
    do(play, "bid", EVERYBODY, (2, 2))
    assert steps(play) == {("bid", EVERYBODY)} | anytime and not play.may_end_turn()
    do(play, "bid", EVERYBODY, (1, 3))
    assert steps(play) == {("lay", 1)} | anytime
    do(play, "lay", 1)
    # The place of the round is taken now: the loser can only pass.
    assert steps(play) == {("lay", 0)} | anytime
    assert play.legal_actions() == [(game.action_numbers["pass"], actor, ()) for actor in (0, 1)]
    do(play, "pass", 0)
    assert play.may_end_turn()
    play.end_turn()
    play.begin_turn(play.next_player())
    # The variables of a round begin anew, those of the game do not.
    values = {v.name: play.state.variables[v.number] for v in game.variable_list}
    assert values == {"spot": (1, 0), "winner": None, "passes": 1}
    assert steps(play) == {("bid", EVERYBODY)} | anytime


def test_an_ending_at_once_stops_in_the_middle_of_a_round(tmp_path: Path) -> None:
    game = loaded(tmp_path, MINI)
    play = begin(game)
    for turn in range(9):
        assert not play.over
        do(play, "pass", turn % 2)
    assert play.over and play.trigger == (1, 1)
    assert play.next_steps() == [] and play.legal_actions() == []


def test_joint_actions_are_offered_with_a_value_for_everybody(tmp_path: Path) -> None:
    game = loaded(tmp_path, MINI)
    play = begin(game)
    bids = [arguments for number, actor, arguments in play.legal_actions() if actor == EVERYBODY]
    assert sorted(bids) == [((a, b),) for a in range(4) for b in range(4)]


def test_a_game_of_turns_gives_the_others_their_turns(tmp_path: Path) -> None:
    game = loaded(tmp_path, TURNS)
    record = deal_at_random(game, ["A", "B"], Chance(1))
    play = Play(game, build_state(game, record)[0])
    for seat in (0, 1, 0):
        assert play.next_player() == seat and not play.over
        play.begin_turn(seat)
        if play.legal_actions():
            do(play, "draw", seat)
        play.end_turn()
    # The first player took the last card; the second has one turn more.
    assert play.left == 1 and play.next_player() == 1


# ---- deals -----------------------------------------------------------------------------------------------------------


def small_record(**setup: Any) -> dict[str, Any]:
    return {"format": "pwtool/1", "players": ["A", "B"], "setup": setup, "turns": []}


SHOWN = [["R1", "B2"], ["R3", "R1"]]
LEFT = ["R2", "R2", "R3", "B1", "B1", "B2", "B3", "B3"]


def check_setup(folder: Path, text: str, **setup: Any) -> tuple[Game, State, list[tuple[str, str | None, Any]]]:
    game = loaded(folder, text)
    record = Decoder(game).record(small_record(**setup))
    found = replay_record(game, record)
    return game, build_state(game, record)[0], [(f.code, f.rule, f.path) for f in found.findings]


def test_cards_are_dealt_to_cells_row_by_row(tmp_path: Path) -> None:
    game, state, findings = check_setup(tmp_path, MINI, shown=SHOWN, left=LEFT)
    codes = game.ruleset.components["card"].codes
    assert findings == []
    grid = state.zones[game.ruleset.zones["shown"].number][0]
    found = {cell: [codes[f] for f in pile] for cell, pile in grid.items()}
    assert found == {(0, 0): ["R1"], (1, 0): ["B2"], (0, 1): ["R3"], (1, 1): ["R1"]}
    left = state.zones[game.ruleset.zones["left"].number][0]
    assert Counter(codes[f] for f in left) == Counter(LEFT)


def test_several_cards_are_dealt_to_each_cell(tmp_path: Path) -> None:
    text = MINI.replace("1 each of pack", "2 each of pack")
    pairs = [[["R1", "B2"], ["R3", "R1"]], [["R2", "R2"], ["B1", "B1"]]]
    game, state, findings = check_setup(tmp_path, text, shown=pairs, left=["R3", "B2", "B3", "B3"])
    codes = game.ruleset.components["card"].codes
    assert findings == []
    grid = state.zones[game.ruleset.zones["shown"].number][0]
    assert {cell: [codes[f] for f in pile] for cell, pile in grid.items()} == {
        (x, y): pairs[y][x] for x in range(2) for y in range(2)
    }
    pairs[1][0] = ["R2"]
    _, _, findings = check_setup(tmp_path, text, shown=pairs, left=["R2", "R3", "B2", "B3", "B3"])
    assert [f for f in findings if f[1] == "setup.shown"] == [("PW609", "setup.shown", ("setup", "shown", 1, 0))]


def test_a_second_deal_to_the_same_cells_lies_on_the_first(tmp_path: Path) -> None:
    """No card is lost: it lies on the other, or the ruleset is refused."""
    text = MINI.replace(
        "setup deal left",
        'deck extra of card = { 4 R1 }\nsetup deal over "Over": 1 each of extra to shown\nsetup deal left',
    )
    game, findings = load(tmp_path, text)
    if game is None:
        assert {d.code for d in findings} == {"PW306"}
        return
    record = Decoder(game).record(small_record(shown=SHOWN, left=LEFT, over=[["R1", "R1"], ["R1", "R1"]]))
    state, _ = build_state(game, record)
    codes = game.ruleset.components["card"].codes
    grid = state.zones[game.ruleset.zones["shown"].number][0]
    assert {cell: [codes[f] for f in pile] for cell, pile in grid.items()} == {
        (x, y): [SHOWN[y][x], "R1"] for x in range(2) for y in range(2)
    }


def test_each_has_what_belongs_to_him(tmp_path: Path) -> None:
    for names in (["A", "B"], ["A", "B", "C"]):
        game = loaded(tmp_path, MINI)
        data = small_record(shown=SHOWN, left=LEFT) | {"players": names}
        record = Decoder(game).record(data)
        state, findings = build_state(game, record)
        codes = game.ruleset.components["pawn"].codes
        assert findings == [] and encode_record(game, record)["setup"] == {"shown": SHOWN, "left": LEFT}
        stocks = state.zones[game.ruleset.zones["stock"].number]
        # With two players the pawns of the third side stay in the box.
        assert [[codes[f] for f in stock] for stock in stocks] == [[s] * 9 for s in "NSE"[: len(names)]]


def test_a_rest_is_what_the_other_deals_left(tmp_path: Path) -> None:
    for left, rule in ((LEFT[1:], "setup.left"), ([*LEFT, "R2"], "setup.left"), ([*LEFT[1:], "R1"], "setup.left")):
        _, _, findings = check_setup(tmp_path, MINI, shown=SHOWN, left=left)
        assert findings and {(code, found) for code, found, _ in findings} == {("PW609", rule)}
        assert all(path[:2] == ("setup", "left") for _, _, path in findings)


def test_a_card_dealt_too_often_is_told_where_it_lies(tmp_path: Path) -> None:
    shown = [["R1", "B2"], ["R1", "R1"]]
    _, _, findings = check_setup(tmp_path, MINI, shown=shown, left=LEFT)
    assert ("PW609", "setup.shown", ("setup", "shown", 1, 1)) in findings


def test_cards_dealt_in_part_by_nobody_seen(tmp_path: Path) -> None:
    unseen = [["?", "B2"], ["R3", "?"]]
    _, state, findings = check_setup(tmp_path, MINI, shown=unseen, left=["?"] * 8)
    assert findings == [] and state.pool["card"].total() == 10
    _, _, findings = check_setup(tmp_path, MINI, shown=unseen, left=["?"] * 7)
    assert findings == [("PW609", "setup.left", ("setup", "left"))]


def test_a_deal_at_random_gives_the_whole_deck(tmp_path: Path) -> None:
    game = loaded(tmp_path, MINI)
    for seed in range(20):
        record = deal_at_random(game, ["A", "B", "C"], Chance(seed))
        faces = [f for dealt in record.setup.values() for faces in dealt for f in faces]
        assert Counter(faces) == Counter(dict.fromkeys(range(6), 2))
        assert set(record.setup) == {"shown", "left"}
        assert [len(faces) for faces in record.setup["shown"]] == [1] * 4
        data = encode_record(game, record)
        assert Decoder(game).record(data).setup == record.setup
