"""Small games of which every position can be compared: what is the same is proven whatever the wording, and what differs is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.evidence import BATCH, play_both, weigh_rows
from pwtool.comparing.evidence import GAMES as GAMES_EACH
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.text.comparing import exit_code
from tests.comparing.test_false_proofs import Edits, made
from tests.comparing.test_pairs import LOCKSTEP
from tests.daily import one_day_in, some

SPRINT = """game sprint "Sprint"
players 2..3
component peg { }
zone spare: pile of peg
var place: 0..6 = 0 per player
var left: 0..2 = 2 per turn
var steps: 0..9 = 0 per turn
var rests: 0..20 = 0 per game
var latest: player per game
turn = step+ rest?
action step "Step" (n: 1..2) {
  rule enough "Steps are left" require n <= left
  rule inside "The track has five fields" require place + n <= 5
  left += - n
  steps += 1
  place += n
  latest = player
}
action rest "Rest" () {
  rule late "After a step" require steps >= 1
  rests += 1
}
ending there "One is there" when some q in players: place[q] == 5 then stop
score place "Fields" = place
score first "First" = if latest == player then 2 else 0
ranking most total, shared
"""
FILLED = """game filled "Filled"
players 2..2

component card {
  color: red "R" | blue "B"
}
deck cards of card = { R R B B }
zone row: grid 3x1 of card
zone hand: bag of card per player seen by owner
zone prize: pile of 1..3 per goal
setup {
  choose goals "One objective" : 1 of objective
  put prize "A token": 2
  deal hand "Two each": 2 each of cards to hand by chance
}
objective lefty "Left" = some c in card: c.color == red
turn = lay claim?

action lay "Lay" (card: card from hand, at: cell of row) {
  rule free "Empty" require row[at] is empty
  rule next "From the left" require no c in cells of row: c.column < at.column and row[c] is empty
  move card to row[at]
}
var points: 0..3 = 0 per player
action claim "Claim" (goal: goal) {
  rule there "There is a token" require prize[goal] is not empty
  rule full "The objective is fulfilled" require row fulfils goal
  points = 2
  move top of prize[goal] to box
}
zone box: bag of 1..3
ending full "Full" when row is full then stop
score points "Points" = points
ranking most total, shared
"""
ROWS = """game rows "Rows"
players 1..1
component card { kind: sun "S" | moon "M" }
deck cards of card = { S M }
zone board: grid 2x1 of card
zone hand: bag of card
setup { deal hand "h": all of cards to hand }
var tries: 0..3 = 0 per game
turn = put | try | rest
action put "Put" (card: card from hand, at: cell of board) {
  rule free "The cell is empty" require board[at] is empty
  move card to board[at]
}
action try "Try" () {
  rule all "All cards lie" require hand is empty
  rule sun "With the sun" require (first s in tops of board: s.kind == sun or s.kind == moon).kind == sun
  tries += 1
}
action rest "Rest" () { tries += 1 }
ending over "Twice" when tries >= 2 then stop
score sum "Sum" = count board
ranking most total, shared
"""
DRAWS = """game draws "Draws"
players 2..2
component card { kind: sun "S" | moon "M"  worth: 1..2 }
deck cards of card = { S1 S2 M1 M2 }
zone stock: pile of card seen by none
zone hand: bag of card per player seen by owner
zone out: pile of card
setup { deal stock "s": all of cards to stock by chance }
var got: 0..4 = 0 per player
var gave: flag per turn
turn = draw (give | keep)
action draw "Draw" () {
  rule some "Something is left" require stock is not empty
  move top of stock to hand
  got += 1
}
action give "Give" (card: card from hand) {
  rule low "A low one" require card.worth == 1
  rule other "Not the same again" when out is not empty require card.kind != (top of out).kind
  move card to out
  gave = true
}
action keep "Keep" () { rule few "Not too many" require count hand <= 2 }
ending dry "Nothing is left" when stock is empty then stop
score worth "Worth" = sum worth of hand
score got "Drawn" = got
ranking most total, shared
"""
SECRET = """game secret "Secret"
players 2..2
component chip { }
zone pot: pile of chip
var gold: 0..6 = 2 per player
var best: player per round
var rounds: 0..4 = 0 per game
round = bid (take | leave) by (best)
action bid "Bid" (offer: 0..2 per player) {
  rule has "So much is there" require every q in players: offer[q] <= gold[q]
  best = first q in players: every p in players: offer[q] >= offer[p]
  for each q in players: gold[q] += - offer[q]
  rounds += 1
}
action take "Take" () {
  rule poor "Not too rich" require gold <= 3
  gold += 1
}
action leave "Leave" () { gold[player after player] += 1 }
ending done "Three rounds" when rounds >= 3 then stop
score gold "Gold" = gold
ranking most total, shared
"""
SHUTTLE = """game shuttle "Shuttle"
players 2..2
component man { side: white "W" | black "B"  owner: player by side { white: 1 black: 2 } }
zone board: grid 4x1 of man
setup { put board "p": [ W . . B ] }
turn = slide
action slide "Slide" (from: cell of board, to: cell of board) {
  let man = top of board[from]
  rule own "One's own" require man.owner == player
  rule near "One field" require to is in neighbours of from
  rule free "It is free" require board[to] is empty
  move top of board[from] to board[to]
}
ending edge "At the edge" when (first c in cells of board: board[c] is not empty).column == 2 then stop
ending again "Once more" when repeats of { board, player } >= 1 then stop
score column "Columns" = sum (c in cells of board: if (top of board[c]).owner == player then c.column else 0)
ranking most total, shared
"""
TROPHIES = """game trophies "Trophies"
players 2..2
component tile { tone: light "L" | dark "D" }
deck tiles of tile = { 3 L 3 D }
zone stock: bag of tile
zone won: bag of tile per player
setup { deal stock "s": all of tiles to stock by chance }
var points: 0..9 = 0 per player
var paid: flag per player
var taken: 0..9 = 0 per game
turn = take
action take "Take" (tile: tile from stock) {
  rule not_more "Not a third dark one" when tile.tone == dark require count (t in won: t.tone == dark) < 2
  move tile to won
}
consequence tally "Counted" after each action () {
  rule new "A new one" require taken + count stock < 6
  taken += 1
}
consequence bonus "Bonus" (who: player) {
  rule two "Two light ones" require count (t in won[who]: t.tone == light) >= 2
  rule once "Once" require not paid[who]
  points[who] += 2
  paid[who] = true
}
ending gone "Nothing is left" when taken == 4 then 1 more turn for the others
score points "Points" = points
score tiles "Tiles" = count won
ranking most total, shared
"""
DICE = """game dice "Dice"
players 2..2
component chip { }
zone pot: pile of chip
var pips: 0..9 = 0 per player
var rolled: 0..3 = 0 per turn
var turns: 0..6 = 0 per game
turn = roll+ stop
action roll "Roll" (die: 1..3 by chance) {
  rule twice "Twice at most" require rolled < 2
  pips += die when rolled == 0 or die > 1
  rolled += 1
}
action stop "Stop" () { turns += 1 }
ending over "Both" when turns == 2 then stop
score pips "Pips" = pips
ranking most total, shared
"""
PILES = """game piles "Piles"
players 2..2
component card { kind: sun "S"  worth: 1..3 }
deck cards of card = { S1 S2 S3 }
zone hand: bag of card per player
zone table: pile of card
setup { deal hand "h": all of cards to hand by chance }
var turns: 0..9 = 0 per game
turn = lay | pass
action lay "Lay" (cards: cards from hand) {
  rule some "Something" require count cards > 0
  move cards to table
  turns += 1
}
action pass "Pass" () { turns += 1 }
ending over "Each had a turn" when turns == 2 then stop
score top "On top" = if (top of table).worth == 3 then 1 else 0
score left "Left" = count hand
ranking most total, shared
"""
GAMES = {
    "piles": PILES, "rows": ROWS,
    "sprint": SPRINT, "draws": DRAWS, "secret": SECRET, "shuttle": SHUTTLE, "trophies": TROPHIES, "dice": DICE, "filled": FILLED,
}  # fmt: skip
SAME: dict[str, tuple[str, Edits]] = {
    # objectives that differ only on boards to which no game comes
    "nothing lies to the right of an empty cell": (
        "filled", (("some c in card: c.color == red", "(some card: color == red) and no [ _ # ]: any color == blue"),)
    ),
    # reachability, bounds
    "no more than two steps are ever taken": ("sprint", (("require steps >= 1", "require steps >= 1 and steps <= 2"),)),
    "a bound that is never reached": ("sprint", (("place: 0..6", "place: 0..5"),)),
    "a wider bound": ("sprint", (("rests: 0..20", "rests: 0..99"),)),
    "a guard that always holds": ("sprint", (("turn = step+ rest?", "turn = step+ (rest when (steps > 0))?"),)),
    "a rule that the order makes true": ("sprint", (('  rule late "After a step" require steps >= 1\n', ""),)),
    "a rule of the end of a turn that always holds": ("sprint", (("ending there", 'rule turn.some "s" require left < 2\nending there'),)),
    "one more field to choose that no rule allows": ("sprint", (("(n: 1..2)", "(n: 1..4)"),)),
    "an ending that is exceeded by nobody": ("sprint", (("place[q] == 5", "place[q] >= 5"),)),
    "a stock that is never empty": ("draws", (('  rule some "Something is left" require stock is not empty\n', ""),)),
    "nobody ever has three": ("draws", (('{ rule few "Not too many" require count hand <= 2 }', "{ }"),)),
    "another ending at the same time": ("draws", (("when stock is empty", "when got + got[player after player] == 4"),)),
    # counting, aliases, affine changes
    "counted up instead of down": (
        "sprint", (("left: 0..2 = 2", "left: 0..2 = 0"), ("require n <= left", "require n + left <= 2"), ("left += - n", "left += n"))
    ),
    "counted twice": ("dice", (("turns += 1", "turns += 2"), ("turns == 2", "turns == 4"))),
    "counted from one": ("secret", (("rounds: 0..4 = 0", "rounds: 0..4 = 1"), ("rounds >= 3", "rounds >= 4"))),
    "a number is computed from others": (
        "draws", (('"Drawn" = got', '"Drawn" = count hand + (if count hand < got then got - count hand else 0)'),)
    ),
    "what is counted lies there": ("trophies", (("when taken == 4", "when count stock == 2"),)),
    "set instead of added": ("sprint", (("steps += 1", "steps = (if left < 0 then 0 else steps + 1)"),)),
    "the last player is the one on the last field": ("sprint", (("if latest == player then 2", "if place == 5 then 2"),)),
    # life of variables
    "a variable of the turn is kept and set anew": (
        "dice", (("rolled: 0..3 = 0 per turn", "rolled: 0..3 = 0 per game"), ("{ turns += 1 }", "{ turns += 1  rolled = 0 }"))
    ),
    "kept by all for the game": ("secret", (("best: player per round", "best: player per game"),)),
    "a variable that nobody reads": ("draws", (("  gave = true\n", ""),)),
    "what two low cards never are": ("draws", (("when out is not empty require", "when count out > 1 require"),)),
    "counted later and to less": (
        "trophies", (("require taken + count stock < 6", "require taken + count stock < 5"), ("taken == 4", "taken == 3"))
    ),
    # quantifiers, geometry
    "both instead of every": ("secret", (("every q in players: offer[q] <= gold[q]", "no q in players: offer[q] > gold[q]"),)),
    "the greater offer": ("secret", (("every p in players: offer[q] >= offer[p]", "offer[q] >= offer[player after q]"),)),
    "neighbours by their columns": ("shuttle", (("to is in neighbours of from", "to.column == from.column + 1 or from.column == to.column + 1"),)),
    "one's own man by its side": ("shuttle", (("require man.owner == player", "require (man.side == white) == (player == seat 1)"),)),
    "at the edge, seen from the other side": (
        "shuttle",
        ((
            "(first c in cells of board: board[c] is not empty).column == 2",
            "(no c in cells of board: c.column < 2 and board[c] is not empty)",
        ),),
    ),
    "repeats of the board alone: it is the same player's every second turn": (
        "shuttle", (("repeats of { board, player }", "repeats of board"),)
    ),
    # implied conditions
    "what is free is another field": ("shuttle", (("require board[to] is empty", "require board[to] is empty and from != to"),)),
    "a low card that is not high": ("draws", (("require card.worth == 1", "require card.worth < 2 and card.worth != 2"),)),
    "the bonus of who has not yet got it": ("trophies", (("require not paid[who]", "require points[who] == 0"),)),
    "a count after each action": ("trophies", (("require taken + count stock < 6", "require taken < 6 - count stock"),)),
    "other names": ("dice", (("(die: 1..3", "(face: 1..3"), ("pips += die when rolled == 0 or die > 1", "pips += face when rolled == 0 or face > 1"))),
    "another name of a variable and of an ending": (
        "dice", (("var turns", "var stops"), ("turns += 1", "stops += 1"), ('ending over "Both" when turns == 2', 'ending twice "Both" when stops == 2'))
    ),
    "tops seen otherwise": ("draws", (("card.kind != (top of out).kind", "(card.kind == sun) == ((top of out).kind == moon)"),)),
}  # fmt: skip
DIFFERENT: dict[str, tuple[str, Edits]] = {
    "something lies to the left of an empty cell": (
        "filled", (("some c in card: c.color == red", "(some card: color == red) and no [ # _ ]: any color == blue"),)
    ),
    "what was laid first, also where the same lies on the board": (
        "rows", (("(first s in tops of board: s.kind == sun or s.kind == moon).kind == sun", "some s in tops of board: s.kind == sun"),)
    ),
    "what was laid last": (
        "rows", (("(first s in tops of board: s.kind == sun or s.kind == moon).kind", "(last s in tops of board: s.kind == sun or s.kind == moon).kind"),)
    ),
    "one step less in a turn": ("sprint", (("require steps >= 1", "require steps == 1"),)),
    "a bound that is reached": ("sprint", (("place: 0..6", "place: 0..4"),)),
    "a bound of rests that is reached at last": ("sprint", (("rests: 0..20", "rests: 0..10"),)),
    "a guard that holds mostly": ("sprint", (("turn = step+ rest?", "turn = step+ (rest when (left < 2 and steps < 2))?"),)),
    "the end comes for the next player": ("sprint", (("some q in players: place[q] == 5", "place[player after player] == 5"),)),
    "the end comes one turn later": ("sprint", (("place[q] == 5 then stop", "place[q] == 5 then 1 more turn for the others"),)),
    "another first player scores": ("sprint", (("if latest == player then 2", "if latest != player and place == 5 then 2"),)),
    "a card less in hand": ("draws", (("count hand <= 2", "count hand <= 1"),)),
    "the same kind again": ("draws", (("when out is not empty require card.kind !=", "when out is not empty require card.kind =="),)),
    "a high card may be given if it is the moon": ("draws", (("require card.worth == 1", "require card.worth == 1 or card.kind == moon and got == 2"),)),
    "the ending one card earlier": ("draws", (("when stock is empty", "when count stock < 2"),)),
    "ties go to the last": ("secret", (("first q in players", "last q in players"),)),
    "one more coin may be offered": ("secret", (("offer[q] <= gold[q]", "offer[q] <= gold[q] + 1"), ("gold: 0..6 = 2", "gold: -2..6 = 2"))),
    "a richer one may take": ("secret", (("require gold <= 3", "require gold <= 2"),)),
    "another player's coin": ("secret", (("{ gold[player after player] += 1 }", "{ gold += 1 }"),)),
    "the third time": ("shuttle", ((">= 1 then stop", ">= 2 then stop"),)),
    "repeats of the player alone": ("shuttle", (("repeats of { board, player }", "repeats of player"),)),
    "what lies on top depends on how a record lists the cards": (
        "piles", (("if (top of table).worth == 3 then 1", "if table is not empty and count (c in table: c.worth == 3) == 1 then 1"),)
    ),
    "the first in a bag is the one that a record lists first": (
        "piles", (("= count hand", "= count hand + (if (first c in hand: c.worth > 0).worth == 2 and count hand == 2 then 1 else 0)"),)
    ),
    "the end is triggered a turn earlier": (
        "piles", (("turns == 2 then stop", "turns == 1 then 1 more turn for the others"),)
    ),
    "one more dark tile": ("trophies", (("tone == dark) < 2", "tone == dark) < 3"),)),
    "a bonus for three": ("trophies", (("== light) >= 2", "== light) >= 3"),)),
    "a bonus again and again": ("trophies", (("require not paid[who]", "require points[who] <= 2"),)),
    "a count that is late": ("trophies", (("require taken + count stock < 6", "require taken + count stock < 5"),)),
    "the second roll of one counts": ("dice", (("pips += die when rolled == 0 or die > 1", "pips += die"),)),
    "another die": ("dice", (("die: 1..3 by chance", "die: 1..4 by chance"),)),
    "three rolls": ("dice", (("rolled < 2", "rolled <= 2"),)),
    "counted to four": ("dice", (("turns == 2", "turns == 4"),)),
}  # fmt: skip
TOLD_OTHERWISE = ("a bonus again and again",)


def pair(folder: Path, game: str, edits: Edits) -> tuple[Rulebook, Rulebook]:
    text = other = GAMES[game]
    for old, new in edits:
        assert other.count(old) >= 1, old
        other = other.replace(old, new)
    return made(folder / "first", text), made(folder / "second", other)


@one_day_in(4)
@pytest.mark.parametrize("name", some([*SAME], 3))
def test_the_same_game_in_other_words_is_proven(name: str, tmp_path: Path) -> None:
    first, second = pair(tmp_path, *SAME[name])
    assert [exit_code(compare_rulesets(a.game, b.game)) for a, b in ((first, second), (second, first))] == [0, 0]


@pytest.mark.parametrize("name", some([*DIFFERENT], 5))
def test_a_difference_is_shown_by_a_game(name: str, tmp_path: Path) -> None:
    first, second = pair(tmp_path, *DIFFERENT[name])
    for a, b in ((first, second), (second, first)):
        rows = compare_rulesets(a.game, b.game)
        assert exit_code(rows) != 0
        # Without random games, unless a record may tell the same consequences in several orders.
        assert exit_code(weigh_rows(a, b, rows, effort=0.3 if name in TOLD_OTHERWISE else 0)[0]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", SAME)
def test_what_is_proven_is_played_the_same(name: str, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    first, second = pair(tmp_path, *SAME[name])
    counts = first.game.ruleset.max_players - first.game.ruleset.min_players + 1
    rows, effort = compare_rulesets(first.game, second.game), LOCKSTEP / (2 * GAMES_EACH * counts)
    found = play_both(first, second, rows, effort)
    if found.games < LOCKSTEP - 2 * BATCH:
        # Games that come to a standstill are not counted: as many others take their place.
        found = play_both(first, second, rows, 1.1 * effort * LOCKSTEP / found.games)
    assert not found.why and found.games >= LOCKSTEP - 2 * BATCH and not found.differ
