"""What authors of whole games write who know other languages, or none: each slip gets the line that helps, where it was made."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text import Diagnostic, Severity
from tests.daily import some

SHED = """game shed "Shed"
players 2..4

component card { suit: clubs | hearts  rank: 1..5 }
deck cards of card = 2 all
zone hand: bag of card per player seen by owner
zone stock: pile of card seen by none
zone pile: pile of card

setup deal hands "Four each": 4 each of cards to hand by chance
setup deal rest "The stock": rest of cards to stock by chance

turn = play | draw
var drawn: 0..40 = 0 per game
action play "Play a card" (card: card from hand "The card comes from the hand") {
  rule higher "It is not lower" require pile is empty or card.rank >= (top of pile).rank
  move card to pile
}
action draw "Draw" () {
  rule left "There are cards" require stock is not empty
  move top of stock to hand
  drawn += 1
}
ending out "Somebody has no card" when hand is empty then stop at once
score cards "Cards left" = - count hand
ranking most total, shared
"""
ROWS = """game rows "Rows"
players 2..2

component stone { side: black "B" | white "W"  owner: player by side { black: 1 white: 2 }  state king: flag "K" }
deck stones of stone = { 8 B 8 W }
zone stock: pile of stone per player
zone board: grid 4x4 of stone
token pin on board

setup deal stock "All": all of stones to stock by owner

turn = place
var passed: 0..9 = 0 per player
action place "Place a stone" (at: cell of board) {
  rule free "The cell is free" require board[at] is empty
  move top of stock to board[at]
}
ending line "Three in line" when some line of 3 on board: same side then stop at once
ending full "The board is taken" when board is full then stop
shape three = line of 3
score rows "Rows" = count (three on board: all side == black)
ranking most total
objective corner "A corner" = some [ # # / # . ] turned mirrored: same side
"""
# What stands there, what is written instead, and what the help line says; the finding is on the line of the slip.
WRITTEN_RIGHT = (
    ("players 2..4", "players 2-4", "write `2..4`"),
    ("players 2..4", "players 2 to 4", "write `2..4`"),
    ("players 2..4", "players 2, 3, 4", "write `2..4`"),
    ("players 2..4", "player 2..4", "write `players`"),
    ("per player seen by owner", "seen by owner per player", "write `per player seen by owner`"),
    ("seen by none", "hidden", "write `seen by none`"),
    ("zone stock: pile", "stock: pile", "write `zone stock:`"),
    ("(card: card from hand", "(card: a card from hand", "write `card from`"),
    ("(card: card from hand", "(card: card in hand", "write `from`"),
    ("move card to pile", "move the card to pile", "write `move`"),
    ("move card to pile", "move card onto pile", "write `to`"),
    ("move top of stock", "move top card of stock", "write `of`"),
    ("stop at once", "stop immediately", "write `at once`"),
    ("most total, shared", "most total then shared", "write `,`"),
    ("pile is empty or", "pile empty or", "write `is empty`"),
    ("card.rank >= (top", "card.rank equals (top", "write `==`"),
    ("card.rank >= (top", "card.rank is greater than (top", "write `>`"),
    ("suit: clubs | hearts", "suit: clubs, hearts", "write `clubs | hearts`"),
    ("suit: clubs | hearts", "suit: clubs or hearts", "write `| hearts`"),
    ("rank: 1..5", "rank = 1..5", "write `rank:`"),
    ("component card {", "component card: {", "write `card`"),
    ("deck cards of card = 2 all", "deck cards = 2 all card", "write `of card = 2 all`"),
    ("bag of card per player", "bag of card, per player", "leave `,` out"),
    ("turn = play", "turn: play", "write `turn =`"),
    (
        'action play "Play a card" (card: card from hand "The card comes from the hand")',
        'action play (card: card from hand "The card comes from the hand") "Play a card"',
        'write `"Play a card" (card: card from hand "The card comes from the hand")`',
    ),
    ('action draw "Draw" ()', 'action draw "Draw"', 'write `"Draw" ()`'),
    ("require stock is not empty", "if stock is not empty", "write `require`"),
    ('cards" require stock', 'cards": stock', "write `cards\" require`"),
    ("drawn += 1", "increase drawn by 1", "write `drawn +=`"),
    ("drawn += 1", "add 1 to drawn", "write `drawn += 1`"),
    ("drawn += 1", "set drawn to 1", "write `drawn =`"),
    ("drawn += 1", "drawn += 1 if stock is empty", "write `when`"),
    ("drawn += 1", "if stock is empty then drawn += 1", "write `drawn += 1 when stock is empty`"),
    ("move top of stock to hand", "move 1 card from stock to hand", "write `of`"),
    ("move card to pile", "move card from hand to pile", "write `to`"),
    ("rule left", "rule is-left", "write `is_left`"),
    ("ranking most total", "ranking highest total", "write `most`"),
    ("- count hand", "- sum of rank in hand", "write `rank of hand`"),
    ("card.rank >= (top of pile).rank", "card has same suit as top of pile", "write `card.suit == (top of pile).suit`"),
    ('score cards "Cards left" =', "score cards =", 'write `"..." =`'),
    ("when hand is empty", "when size of hand == 0", "write `count`"),
    ("players 2..4", "players: 2..4", "write `players`"),
    ("players 2..4", "players = 2..4", "write `players`"),
    ("zone pile: pile", "zone pile = pile", "write `pile:`"),
    ("of card = 2 all", "of card: 2 all", "write `card =`"),
    ('rule left "There', 'rule "There', 'write `there_are_cards "There are cards"`'),
    ('score cards "Cards left"', 'score "Cards left"', 'write `cards_left "Cards left"`'),
    ('ending out "Somebody has', 'ending "Somebody has', 'write `somebody_has_no "Somebody has no card"`'),
    ("stock is not empty", "stock is not empty, drawn < 3", "write `and`"),
    ("stock is not empty", "not stock empty", "write `is empty`"),
    ("stock is not empty", "current player == seat 1", "write `player`"),
    ("stock is not empty", "at most 3 cards in hand", "write `count hand <= 3`"),
    ("stock is not empty", "if drawn == 3 then stock is not empty else no", "write `false`"),
    ("drawn += 1", "when stock is empty: drawn += 1", "write `drawn += 1 when stock is empty`"),
    ("drawn += 1", "gain 1 drawn", "write `drawn += 1`"),
    ("require stock is not empty", "stock is not empty", "require`"),
)  # fmt: skip
TOLD = (
    ("hand is empty then", "some q in player: hand[q] is empty then", "all of them are `players`"),
    ("stock is not empty", "player", "compare it: `player == ...`"),
    ("(top of pile).rank", "pile.rank", "`(top of pile).rank`"),
    ("ranking most total, shared", "ranking most total, fewest cards in hand", "write `count`"),
    ("score cards", "function twice(x) = 2\nscore cards", "`define NAME(x) = ...`"),
    ("when hand is empty", "when hand(player) is empty", "`hand[player]`"),
    ("when hand is empty", "when hand[player][1] is empty", "`hand[player, 1]`"),
    ("when hand is empty then stop at once", "if hand is empty", "`when ... then stop`"),
    (" then stop at once", "", "`then stop at once`"),
    ("then stop at once", 'then stop at once because "it is over"', "rules of one's own have a text"),
    (" = 0 per game", " = 0", "`per turn`"),
    ("drawn: 0..40 = 0 per game", "drawn = 0", "`var NAME: 0..9 = 0 per game`"),
    ("turn = play | draw", "turn = play, draw", "side by side"),
    ("turn = play | draw", "turn = play or draw", "side by side"),
    ("turn = play | draw", "turn = play then draw", "side by side"),
    ('deal rest "The stock": rest of cards to stock by chance', "shuffle stock", "is shuffled"),
    ("4 each of cards to hand by chance", "4 cards each to hand", "`4 each of cards to hand`"),
    ("move card to pile", "discard card", "`move THING to ZONE`"),
    ("move card to pile", "put card on pile", "`move card to pile`"),
    ("move top of stock", "move stock.top", "`top of stock`"),
    ("(top of pile).rank", "top of pile.rank", "`(top of pile).rank`"),
    ("hand is empty then", "any player has no cards then", "`some q in players: ...`"),
    ("move card to pile", "turn 2 of pile to up", "`turn ZONE to STATE`"),
    ("ranking most total, shared", "winner most cards", "`ranking most total`"),
    ("- count hand", "max(count hand, 3)", "`if count hand > 3 then count hand else 3`"),
    ("turn = play | draw", "turn = play + draw", "side by side"),
    ('rule left "There are cards" require', "require", '`rule NAME "..." require ...`'),
    ("stock is not empty", "stock contains hand", "`some c in ZONE: c.ATTRIBUTE == ...`"),
    ("hand is empty then", "len(hand) == 0 then", "write `count hand`"),
    ("hand is empty then", "some player: count hand == 0 then", "`some q in players: ...`"),
    ("move card to pile", "card -> pile", "`move THING to ZONE`"),
    ("of card = 2 all", "= { 5 }", "`deck NAME of COMPONENT = ...`"),
    ("of card = 2 all", "{ 5 }", "`deck NAME of COMPONENT = ...`"),
    ("drawn: 0..40 = 0", "drawn: number = 0", "`0..9`"),
    ("stock is not empty", "other player has no cards", "`count ZONE[q] == 0`"),
)  # fmt: skip


MORE_WRITTEN_RIGHT = (
    ("drawn += 1", "drawn == 1", "write `=`"),
    ("drawn += 1", "drawn: 1", "write `drawn =`"),
    ("drawn += 1", "drawn is 1", "write `=`"),
    ("drawn += 1", "drawn =+ 1", "write `+=`"),
    ("drawn += 1", "for every q in players: move top of stock to hand[q]", "write `each q in`"),
    ("drawn += 1", "each q in players: move top of stock to hand[q]", "write `for each q in`"),
    ("move card to pile", "move card to pile if stock is empty", "write `when`"),
    ("stock is not empty", "stock isn't empty", "write `is not`"),
    ("stock is not empty", "can't play", "write `not can play`"),
    ("card.rank >= (top of pile).rank", "rank of card >= 2", "write `card.rank`"),
    ("card.rank >= (top of pile).rank", "card.rank >= rank of top of pile", "write `(top of pile).rank`"),
    ("stock is not empty", "drawn less than 3", "write `<`"),
    ("stock is not empty", "drawn more than 3", "write `>`"),
    ("require stock is not empty", "require if drawn < 3 then stock is not empty", "write `when drawn < 3 require stock is not empty`"),
    ("- count hand", "2 x count hand", "write `*`"),
    ("- count hand", "2 times count hand", "write `*`"),
    ("then stop at once", "then 1 more turn", "write `turn each`"),
    ("turn = play | draw", "turn = up to 3 draw", "write `draw? draw? draw?`"),
    ("hand is empty then", "every hand is empty then", "write `q in players: hand[q] is empty`"),
    ("hand is empty then", "no hand is empty then", "write `q in players: hand[q] is empty`"),
    ("hand is empty then", "a hand is empty then", "write `some q in players: hand[q] is empty`"),
    ("stock is not empty", "stock not empty", "write `is not empty`"),
    ("stock is not empty", "the stock is not empty", "leave `the` out"),
    ("stock is not empty", "either stock is empty or drawn < 3", "leave `either` out"),
    ("stock is not empty", "drawn is at least 3", "write `>=`"),
    ("stock is not empty", "drawn is below 3", "write `<`"),
    ("stock is not empty", "drawn is 3 or more", "write `>= 3`"),
    ("stock is not empty", "drawn != 3 or 4", "write `drawn != 3 and drawn != 4`"),
    ('action draw "Draw" ()', 'action draw "Draw" (n: 1-6)', "write `1..6`"),
    ('action draw "Draw" ()', 'action draw "Draw" (n: 0..20 each player)', "write `per player`"),
    ("= play | draw", "{ play | draw }", "write `= play | draw`"),
    ("= play", "order = play", "write `=`"),
    ("turn =", "each turn:", "write `turn =`"),
    ("clubs | hearts", '"clubs" | "hearts"', "write `clubs | hearts`"),
    ("clubs | hearts", "{ clubs hearts }", "write `clubs | hearts`"),
    ("clubs | hearts", "[clubs, hearts]", "write `clubs | hearts`"),
    ("all", "of each", "write `all`"),
    ("all", "each", "write `all`"),
    ("2 all", "all x 2", "write `2 all`"),
    ("2 all", "all * 2", "write `2 all`"),
    ("hand: bag of card per player", "hand per player: bag of card", "write `hand: bag of card per player`"),
    ("per player", "for every player", "write `per player`"),
    ("bag", "hand", "write `bag of`"),
    ("seen by owner", "visible to owner", "write `seen by`"),
    ("by owner", "only by owner", "write `by`"),
    ("card per", "5 card per", "write `of`"),
    ("pile of card seen", "stack of card seen", "write `pile of`"),
    ("none", "no one", "write `none`"),
    ('hands "Four', '"Four', 'write `four_each "Four each"`'),
    ('hands "Four each":', "hands:", 'write `hands "...":`'),
    ("setup deal hands", "setup: deal hands", "write `setup`"),
    ("setup deal hands", "deal hands", "write `setup deal`"),
    ("each of", "of", "write `each of cards to`"),
    ("hand by chance", "hand randomly", "write `by chance`"),
    ("per game", "each turn", "write `per turn`"),
    ("per game", "in game", "write `per game`"),
    ("= 0 per game", "per game = 0", "write `= 0 per game`"),
    ("per game", "per each player", "write `player`"),
    ("0..40", "from 0 to 40", "write `0..40`"),
    ("drawn:", "drawn in", "write `drawn:`"),
    ('draw "Draw"', '"Draw"', 'write `draw "Draw"`'),
    ('draw "Draw" ()', 'draw() "Draw"', 'write `draw "Draw" ()`'),
    ('(card: card from hand "The card comes from the hand")', "(card from hand)", "write `(card: card from`"),
    ('(card: card from hand "The card comes from the hand")', "(cards: 1..3 card from hand)", "write `cards from`"),
    ('(card: card from hand "The card comes from the hand")', "(cards: many card from hand)", "write `cards from`"),
    ("card.rank >= (top of pile).rank", "card's rank >= 3", "write `card.rank`"),
    ("card.rank >= (top of pile).rank", "card.suit = (top of pile).suit", "values are compared with `==`"),
    ("card.rank >= (top of pile).rank", "number of players > 2", "write `count`"),
    ("card.rank >= (top of pile).rank", "players > 2", "to count them write `count players`"),
    ("card.rank >= (top of pile).rank", "hand of player is empty", "write `hand[player]`"),
    ("card.rank >= (top of pile).rank", "player's hand is empty", "write `hand[player]`"),
    ("card.rank >= (top of pile).rank", "next player == seat 1", "write `(player after player)`"),
    ("to pile", "to top of pile", "write `to`"),
    ("move card to pile", "shuffle pile into stock", "write `move pile to stock  shuffle stock`"),
    ("stop at once", "one more turn", "write `1 more turn each`"),
    ("-", "minus", "write `-`"),
    ("- count hand", "5 if hand is empty", "write `if hand is empty then 5 else 0`"),
    ("- count hand", "5 when hand is empty", "write `if hand is empty then 5 else 0`"),
    ("shared", "tie shared", "write `shared`"),
    ("most total, shared", "by total", "write `most`"),
    ("most total, shared", "fewest count of hand", "write `count`"),
)  # fmt: skip
MORE_TOLD = (
    ("play | draw", "play? draw optional", "`STEP{2}`"),
    ("play | draw", "play{1..2}", "`STEP{2}`"),
    ("play | draw", "play{2,}", "`STEP{2}`"),
    ("{ suit: clubs | hearts  rank: 1..5 }", "(suit: clubs | hearts, rank: 1..5)", "`component NAME { ATTRIBUTE: VALUE | VALUE }`"),
    ("{ suit: clubs | hearts  rank: 1..5 }", "with suit: clubs | hearts  rank: 1..5", "`component NAME { ATTRIBUTE: VALUE | VALUE }`"),
    ("component card", "card", "`component NAME { ... }`"),
    ("cards of card", "of cards", "`deck NAME of COMPONENT = ...`"),
    ("card = 2 all", "20 card", "`deck NAME of COMPONENT = ...`"),
    ("bag of card", "cards", "`bag of COMPONENT`"),
    ("bag of card per player seen by owner", "private bag of card per player", "`bag of COMPONENT`"),
    ("each of cards to hand", "cards to each player", "`4 each of cards to hand by chance`"),
    ("4 each of cards to hand by chance", "each player gets 4 cards", "`4 each of cards to hand`"),
    ("()", "(x)", "`at: cell of ZONE`"),
    ("()", "(card: top of stock)", "`move top of ZONE to ZONE`"),
    ('"The card comes from the hand")', "where card.rank > 2)", '`rule NAME "..." require ...`'),
    ("card.rank >= (top of pile).rank", "card >= top of pile", "`card.rank >= (top of pile).rank`"),
    ("(top of pile).rank", "pile.top.rank", "`top of pile`"),
    ("card.rank >= (top of pile).rank", "hand has card", "write `is not empty`"),
    ("card.rank >= (top of pile).rank", "hand[1] is empty", "`seat 1`"),
    ("to pile", "to bottom of pile", "things are laid on top; what is to lie below is laid first"),
    ("to pile", "under pile", "things are laid on top; what is to lie below is laid first"),
    ("move card to pile", "remove card from hand", "`move THING to ZONE`"),
    ("move card to pile", "pile += card", "`move card to pile`"),
    ("move card to", "exchange card with top of", "`let NAME = ...`"),
    ("card to", "2 cards to", "`move 2 of ZONE to ZONE`"),
    ("card to", "one card to", "`move 2 of ZONE to ZONE`"),
    ("to pile", "to hand of next player", "`ZONE[player after player]`"),
    ("to pile", "to pile then draw", "another rule or effect may follow"),
    ("to pile", "to pile and end turn", "another rule or effect may follow"),
    ("move card to pile", "reveal card", "`seen by all`"),
    ("move card to pile", "skip next player", "`turn`"),
    ("move card to pile", "end game", "`turn`"),
    ("move card to pile", "score += 2", "`var NAME: 0..99 = 0 per player`"),
    ("move card to pile", "for each player move top of stock to hand", "`for each q in players: move ... to ZONE[q]`"),
    ("move card to pile", "for each player: move top of stock to hand", "`for each q in players: move ... to ZONE[q]`"),
    ("move card to pile", "each player draws a card", "`for each q in players: move ... to ZONE[q]`"),
    ("move card to pile", "all players: move top of stock to hand", "`for each q in players: move ... to ZONE[q]`"),
    ('card" when hand is empty then stop at once', 'card": hand is empty', "`when ... then stop`"),
    ("ending", "end", "`ending`"),
    ("stop at once", "game over", "`then stop`"),
    ("stop at once", "finish round", "`then stop`"),
    ("empty then stop at once", "empty", "`then stop`"),
    ("turn = play | draw", "turn = (play | draw) + draw", "side by side"),
    ("turn = play | draw", "turn = (play | draw) ? draw", "side by side"),
    ("drawn += 1", "let drawn = 3", "`drawn = ...`"),
    ('action play "Play a card" (card: card from hand "The card comes from the hand") {', "change action play {", "`add effect to ACTION ...`"),
    ("hand is", "any hand is", "`every c in ZONE: ...`"),
    ("- count", "-1 per card in", "`3 * count ...`"),
    ("- count hand", "if hand is empty then 5", "`else`"),
    ("- count hand", "count hand / 2", "`2 * 3`"),
)  # fmt: skip
ROWS_WRITTEN_RIGHT = (
    ("some [ # # / # . ] turned mirrored: same side", "a [ # # ]", "write `some [ # # ]`"),
    ("some [ # # / # . ] turned mirrored: same side", "two [ # # ]", "write `at least 2 [ # # ]`"),
    (
        "some [ # # / # . ] turned mirrored: same side",
        "neither [ # # ] nor [ # . # ]",
        "write `no [ # # ] and no [ # . # ]`",
    ),
    ("some [ # # / # . ] turned mirrored: same side", "some [ # # ] without [ # . # ]", "write `and no [ # . # ]`"),
    ("some [ # # / # . ] turned mirrored: same side", "some ( # # )", "write `[ # # ]`"),
    ("board[at] is empty", "player owns board[at]", "write `board[at] belongs to player`"),
    ("board[at] is empty", "board[at] has owner player", "write `belongs to player`"),
    ("board[at] is empty", "board[at] does not belong to player", "write `not board[at] belongs to`"),
    ("board[at] is empty", "board[at] not belongs to player", "write `not board[at] belongs to`"),
    ("move top of stock to board[at]", "turn top of board[at] into king", "write `to`"),
    ("move top of stock to board[at]", "turn top of board[at] to a king", "write `king`"),
    ("move top of stock to board[at]", "move board[at] stock", "write `to stock`"),
    ("grid 4x4 of", "grid 4 x 4 of", "write `4x4`"),
    ("grid 4x4 of", "4x4 grid of", "write `grid 4x4`"),
    ("{ black: 1 white: 2 }", "{ black: 1, white: 2 }", "leave `,` out"),
    ("{ 8 B 8 W }", "8 B, 8 W", "write `{ 8 B 8 W }`"),
    ("turn = place", "turn = 2 place", "write `place{2}`"),
    ("turn = place", "turn = [place]", "write `place?`"),
    ("per player\naction", "for each player\naction", "write `per player`"),
    ("move top of stock to board[at]", "put pin at board[at]", "write `on`"),
    ("move top of stock to board[at]", "shuffle stock and move top of stock to board[at]", "leave `and` out"),
    (
        "move top of stock to board[at]",
        "for c in neighbours of at { move top of stock to board[c] }",
        "write `each c in`",
    ),
    ('objective corner "A', 'objective corner: "A', "write `corner`"),
    ("board is full", "stock[current player] is empty", "write `player`"),
    ("board is full", "my stock is empty", "leave `my` out"),
    ("some line of 3", "line of 3", "write `some line of 3 on`"),
    ("turned mirrored", "rotated or mirrored", "write `turned mirrored`"),
    ("mirrored: same", "mirrored of same", "write `mirrored: same`"),
    ("board[at] is empty", "board[at] == none", "write `board[at] is empty`"),
    ("0..9 = 0", "yes/no = false", "write `flag`"),
    ("0..9 = 0", "true or false = false", "write `flag`"),
)
ROWS_TOLD = (
    ("move top of stock to board[at]", "move top of stock to at", "write `ZONE[at]`"),
    ("move top of stock to board[at]", "move top of stock to board", "write `board[CELL]`"),
    ("grid 4x4 of stone", "grid 4x4", "`of COMPONENT`"),
    ("token pin on board", "token pin", "`token NAME on ZONE`"),
    ("zone board: grid", "board: grid", "`zone NAME: pile of COMPONENT`"),
    (
        'owner: player by side { black: 1 white: 2 }  state king: flag "K" }',
        "owner: player }",
        "`owner: player by ATTRIBUTE`",
    ),
    ("(at: cell of board)", "(at: cell)", "`at: cell of ZONE`"),
    ("(at: cell of board)", "(cell)", "`at: cell of ZONE`"),
    ("(at: cell of board)", "(at: board)", "`cell of board`"),
    ("board[at] is empty", "at is empty", "`board[at] is empty`"),
    ("board[at] is empty", "board[at] == empty", "`... is empty`"),
    ("some line of 3 on board: same side", "3 in a row", "`some line of 3 on ZONE: same ATTRIBUTE`"),
    ("then stop at once", "then player wins", "said by `ranking`"),
    ("count (three on board: all side == black)", "3 per three", "`3 * count ...`"),
    ("move top of stock to board[at]", "board[at] = top of stock", "`move top of stock to board[at]`"),
    ("move top of stock to board[at]", "move pin to board[at]", "`put pin on board[at]`"),
    ("move top of stock to board[at]", "place top of stock on board[at]", "write `move top of stock to`"),
    ("move top of stock to board[at]", "swap board[at] and stock", "`let NAME = ...`"),
    ("move top of stock to board[at]", "flip board[at]", "`turn ZONE to STATE`"),
    (
        "move top of stock to board[at]",
        "while stock is not empty move top of stock to board[at]",
        "`for each NAME in ...: ...`",
    ),
    ("board is full", "stock[opponent] is empty", "`other player`"),
    ("turn = place", "turn = place | pass", 'action NAME "..." ()'),
    ("turn = place", "turn = place{1,2}", "at least once: `STEP+`"),
    ("passed: 0..9", "passed: int", "`0..9`"),
    ("passed: 0..9 = 0", "passed: bool", "`flag`"),
    ("board[at] is empty", "some neighbour of at is empty", "`some c in neighbours of ...: ...`"),
    ("board[at] is empty", "some neighbours of at: board[at] is empty", "`some c in neighbours of ...: ...`"),
)


# Right, and by it what authors wrote in plain words, with what helps: with a fix, and without.
PLAIN_WORDS = {
    "stock is not empty": (
        ("stock has at  least 3 cards", "write `count stock >= 3`"),
        ("every q in players hand[q] is empty", "write `players:`"),
        ("no q of players: hand[q] is empty", "write `in players`"),
        ("drawn reaches 3", "write `>=`"),
        ("neither stock is empty nor pile is empty", "write `not stock is empty and not`"),
        ("hand of q is empty", "write `hand[q]`"),
        ("count suits of hand > 2", "write `distinct suit of hand`"),
        ("number of suits in hand > 2", "write `count distinct suit of hand`"),
        ("drawn == 0 unless stock is empty", "write `when not (stock is empty) require drawn == 0`"),
        ("drawn == three", "numbers are written in digits: `3`"),
        ('drawn == "3"', "write `3`"),
        ("drawn < 3, unless stock is empty", "write `when not (stock is empty) require drawn < 3`"),
        ("stock is not empty but drawn < 3", "write `and`"),
        ("drawn is between 1 and 3", "write `drawn >= 1 and drawn <= 3`"),
        ("drawn is one of 1, 2", "write `(drawn == 1 or drawn == 2)`"),
        ("drawn == 1 or 2", "write `drawn == 1 or drawn == 2`"),
        ("drawn == 1 | 2", "write `or`"),
        ("drawn in {1, 2}", "write `(drawn == 1 or drawn == 2)`"),
        ("drawn in 1..2", "write `drawn >= 1 and drawn <= 2`"),
        ("1 <= drawn <= 2", "two comparisons are joined by `and`: `... and drawn <= ...`"),
        ("not stock is empty && drawn < 2", "write `and`"),
        ("stock has cards", "write `is not empty`"),
        ("stock has 3 cards", "write `count stock == 3`"),
        ("there are cards in stock", "write `stock is not empty`"),
        ("there is a card in stock", "write `stock is not empty`"),
        ("stock contains a card", "write `is not empty`"),
        ("no cards in stock", "write `stock is empty`"),
        ("only if stock is empty", "write `require`"),
        ("only when stock is empty", "write `require`"),
        ("stock is not empty.", "leave `.` out"),
    ),
    "4 each of cards to hand by chance": (
        ("4 cards to all players", "write `4 each of cards to hand`"),
        ("4 cards each", "write `4 each of cards to hand`"),
        ("4 of cards to each hand", "write `4 each of cards to hand`"),
        ("deal 4 cards to each player", "write `4 each of cards to hand`"),
        ("4 to hand", "write `4 each of cards to hand`"),
        ("4 each to hand", "write `4 each of cards to hand`"),
        ("four each of cards to hand by chance", "write `4 each of cards to hand by chance`"),
        ("4 per player of cards to hand by chance", "write `4 each of cards to hand by chance`"),
        ("4 cards from cards to hand", "write `4 each of cards to hand`"),
        ("all cards to hand by chance", "write `all of cards to hand by chance`"),
        ("4 each of cards in hand by chance", "write `4 each of cards to hand by chance`"),
        ("4 each of cards -> hand by chance", "write `4 each of cards to hand by chance`"),
        ("4 each of cards to hand randomly", "write `by chance`"),
        ("4 each of cards to hand at random", "write `by chance`"),
        ("4 each of cards to each hand by chance", "write `4 each of cards to hand by chance`"),
        ("random 4 of cards to hand", "write `4 each of cards to hand by chance`"),
        ("4 random of cards to hand", "write `4 each of cards to hand by chance`"),
    ),
    "rest of cards to stock by chance": (
        ("rest to stock", "write `rest of cards to stock`"),
        ("the rest of cards to stock by chance", "leave `the` out"),
        ("rest of the cards to stock by chance", "leave `the` out"),
        ("remaining of cards to stock by chance", "write `rest of cards to stock by chance`"),
        ("remaining cards to stock", "write `rest of cards to stock`"),
        ("the remaining cards go to stock", "write `rest of cards to stock`"),
        ("everything else to stock by chance", "write `rest of cards to stock by chance`"),
        ("rest of cards to stock shuffled", "write `rest of cards to stock by chance`"),
        ("rest of cards into stock by chance", "write `rest of cards to stock by chance`"),
        ("others of cards to stock by chance", "write `rest of cards to stock by chance`"),
    ),
    "turn = play | draw": (
        ("turn = play / draw", "write `|`"),
        ("turn = [play | draw]", "write `(play | draw)`"),
        ("turn: play | draw", "write `turn =`"),
        ("turns = play | draw", "write `turn =`"),
        ("turn = draw 2 times", "write `draw{2}`"),
        ("turn = draw*2", "write `draw{2}`"),
        ("turn = draw when drawn < 3", "write `(drawn < 3)`"),
        ("turn = (play | draw when stock is not empty)", "write `(stock is not empty)`"),
    ),
    'action draw "Draw" () {': (
        ('action draw "Draw" {', 'write `"Draw" ()`'),
        ("action draw Draw () {", 'write `"Draw"`'),
        ('action "Draw" draw () {', 'write `draw "Draw"`'),
        ('action draw "Draw" (): {', "write `)`"),
        ('action draw "Draw" () = {', "write `)`"),
        ('action draw: "Draw" () {', "write `draw`"),
        ('action draw("Draw") {', 'write `draw "Draw" ()`'),
        ('action draw "Draw" (n: 1-3) {', "write `1..3`"),
        ('action draw "Draw" (card: card in hand) {', "write `from`"),
        ('action draw "Draw" (the card: card from hand) {', "leave `the` out"),
        ('action draw "Draw" (q: other player) {', "write `player`"),
        ('action draw "Draw" (die: 1–6) {', "write `1..6`"),
        ('action draw "Draw" (die: roll d6) {', "write `1..6 by chance`"),
        ('action draw "Draw" (die: random 1..6) {', "write `1..6 by chance`"),
        ('Action draw "Draw" () {', "keywords are written in lower case: `action`"),
    ),
    "move top of stock to hand": (
        ("move top of stock to hand;", "nothing goes between declarations: leave it out"),
        ("move the top card of stock to hand", "write `top of`"),
        ("move one card from stock to hand", "write `1 of`"),
        ("move a card from stock to hand", "write `1 of`"),
        ("move first of stock to hand", "write `top of`"),
        ("move last of stock to hand", "write `top of`"),
        ("move top of stock to your hand", "write `hand`"),
        ("move top of stock to hand of player", "write `hand[player]`"),
        ("move top of stock hand", "write `to hand`"),
        ("move top of stock from stock to hand", "write `to`"),
        ("add top of stock to hand", "write `move top of stock to hand`"),
        ("hand.add(top of stock)", "write `move top of stock to hand`"),
        ("move(top of stock, hand)", "write `move top of stock to hand`"),
        ("top of stock moves to hand", "write `move top of stock to`"),
        ("put top of stock in hand", "write `move top of stock to`"),
        ("put top of stock on hand", "write `move top of stock to`"),
        ("shuffle pile into stock", "write `move pile to stock  shuffle stock`"),
        ("if stock is empty then move pile to stock", "write `move pile to stock when stock is empty`"),
        ("move pile to stock if stock is empty", "write `when`"),
        ("move top of stock to hand and drawn += 1", "leave `and` out"),
        ("move top of stock to hand, drawn += 1", "leave `,` out"),
        ("move top of stock to hand twice", "write `2 of stock to hand`"),
        ("move top of stock to hand 2 times", "write `2 of stock to hand`"),
        ("move top 2 of stock to hand", "write `2 of`"),
        ("move 2 top of stock to hand", "write `of`"),
        ("let c be top of stock", "write `=`"),
        ("drawn++", "write `drawn += 1`"),
        ("increase drawn", "write `drawn += 1`"),
        ("drawn increases by 1", "write `+=`"),
        ("add 1 to drawn", "write `drawn += 1`"),
        ("reset drawn", "write `drawn = 0`"),
    ),
    'ending out "Somebody has no card" when hand is empty then stop at once': (
        ('ending out "x" when hand is empty stop', "write `then stop`"),
        ('ending out "x" when hand is empty: stop at once', "write `then stop`"),
        ('ending "x" when hand is empty then stop', 'write `x "x"`'),
        ('ending out "x" when hand empty then stop', "write `is empty`"),
        ('ending out "x" when stock and hand are empty then stop', "write `is empty and hand is empty`"),
        ('ending out "x" when both stock and hand are empty then stop', "write `stock is empty and hand is empty`"),
        ('ending out "x" when neither player can play then stop', "write `no q in players: can play for q`"),
        ('ending out "x" when nobody can play then stop', "write `no q in players: can play for q`"),
        ('ending out "x" when player cannot play then stop', "write `not can play`"),
        ('ending out "x" when hand is empty then last turn', "write `1 more turn each`"),
        ('ending out "x" when hand is empty then 1 more turn', "write `turn each`"),
        ('ending out "x" when all hands are empty then stop', "write `every q in players: hand[q] is empty`"),
        ('ending out "x" when every hand is empty then stop', "write `q in players: hand[q] is empty`"),
        ('ending out "x" when count hand = 0 then stop', "values are compared with `==`"),
    ),
    'score cards "Cards left" = - count hand': (
        ('score cards "x" = count cards in hand', "write `count`"),
        ('score cards "x" = number of cards in hand', "write `count`"),
        ('score cards "x" = sum rank hand', "write `of hand`"),
        ('score cards "x" = sum rank in hand', "write `of hand`"),
        ('score cards "x" = sum of ranks of hand', "write `rank of hand`"),
        ('score cards "x" = sum(rank of hand)', "write `sum rank of hand`"),
        ('score cards "x" = total rank of hand', "write `sum`"),
        ('score cards "x" = hand', "to count them write `count hand`"),
        ('score cards "x" = minus count hand', "write `-`"),
        ("score cards = - count hand", 'write `"..." =`'),
        ('score "x" = - count hand', 'write `x "x"`'),
        ('score x y "x" = - count hand', "a name is one word: `x_y`"),
        ('score cards "x" = 10 if hand is empty', "write `if hand is empty then 10 else 0`"),
        ('score cards "x" = hand is empty ? 10 : 0', "write `if hand is empty then 10 else 0`"),
        ('score cards "x" = max rank of hand', "give a default: `(max rank of hand else 0)`"),
        ('score cards "x" = highest rank in hand', "write `(max rank of hand else 0)`"),
        ('score cards "x" = 5 when hand is empty', "write `if hand is empty then 5 else 0`"),
        ('score cards "x" = count c in hand where c.suit == hearts', "write `(c in hand: c.suit == hearts)`"),
        ('score cards "x" = count (c in hand if c.suit == hearts)', "write `hand:`"),
        ('score cards "x" = number of different suits in hand', "write `count distinct suit of hand`"),
    ),
    "ranking most total, shared": (
        ("ranking total", "write `ranking most`"),
        ("ranking most points wins", "leave `wins` out"),
        ("ranking most total wins", "leave `wins` out"),
        ("ranking highest score", "write `most`"),
        ("ranking fewest hand", "to count them write `count hand`"),
        ("ranking least cards in hand", "write `fewest count`"),
        ("ranking most total, ties shared", "write `shared`"),
        ("ranking most total, tie: shared", "write `shared`"),
        ("ranking total descending", "write `most total`"),
        ("ranking by total", "write `most`"),
        ("ranking max total", "write `most`"),
        ("ranking winner most total", "write `ranking`"),
        ("ranking most total then fewest count hand", "write `,`"),
        ("ranking most total, then fewest count hand, shared", "write `,`"),
        ("ranking most total, draw", "write `shared`"),
    ),
    "require stock is not empty": (
        ("if drawn < 3 then require stock is not empty", "write `when drawn < 3 require`"),
        ("unless drawn < 3 require stock is not empty", "write `when not (drawn < 3) require`"),
    ),
    "drawn += 1": (
        ("drawn += 1 unless stock is empty", "write `when not (stock is empty)`"),
        ("drawn += 1, when stock is empty", "write `when`"),
        ("if (stock is empty) { drawn += 1 }", "write `drawn += 1 when stock is empty`"),
        ("if stock is empty, drawn += 1", "write `drawn += 1 when stock is empty`"),
        ("subtract 1 from drawn", "write `drawn -= 1`"),
        ("for each q in players drawn += 1", "write `players:`"),
    ),
    "var drawn: 0..40 = 0 per game": (
        ("var drawn: 0..40 == 0 per game", "write `=`"),
        ("var drawn: 0..40 starts at 0 per game", "write `=`"),
        ("variable drawn: 0..40 = 0 per game", "write `var drawn:`"),
        ("drawn: 0..40 = 0 per game", "write `var drawn:`"),
    ),
    "- count hand": (
        ("rank of hand", "write `sum rank of hand`"),
        ("sum hand's rank", "write `rank of hand`"),
        ("sum rank of cards in hand", "write `hand`"),
        ("1 if hand is empty else 0", "write `if hand is empty then 1 else 0`"),
        ("if hand is empty then 1 otherwise 0", "write `else`"),
        ("2 count hand", "write `2 *`"),
        ("two times count hand", "write `2 *`"),
    ),
    "then stop at once": (
        ("then 1 more round", "write `turn each`"),
        ("then each 1 more turn", "write `1 more turn each`"),
    ),
    "players 2..4": (
        ("2..4 players", "write `players 2..4`"),
        ("2 to 4 players", "write `players 2..4`"),
    ),
    "most total, shared": (
        ("most total if tied most count hand", "write `,`"),
        ("most total, tie: fewest count hand", "leave `tie:` out"),
    ),
    "deck cards of card = 2 all": (
        ("deck cards of card = each twice", "write `2 all`"),
        ("deck cards of card = two all", "write `2`"),
    ),
}
PLAIN_WORDS_TOLD = {
    # How many each gets is not said.
    "4 each of cards to hand by chance": (("all 10 cards to hand by chance", "`4 each of DECK to ZONE by chance`"),),
    "stock is not empty": (
        ("player cannot play and can not draw", "`not can play`"),
        ("count hearts in hand > 2", "`count (c in ZONE: c.ATTRIBUTE == VALUE)`"),
        ("stock.count > 2", "`count stock`"),
        ("stock.size > 2", "`count stock`"),
        ("len(stock) > 2", "`count stock`"),
        ("drawn is even", "`value == 2 or value == 4`"),
        ("drawn % 2 == 0", "`by n { 2: 1 4: 1 else 0 }`"),
        ("player has drawn", "`count ZONE[q] == 0`"),
        ("stock not empty and drawn = 1", "`is not empty`"),
    ),
    "turn = play | draw": (
        ("turn = every player play", "a turn is one player's, and in a round a"),
        ("turn = each play", "a turn is one player's, and in a round a"),
        ("turn = play if possible else draw", "`STEP when (...)`"),
        ("turn = (draw if must)", "`STEP when (...)`"),
        ("turn = play, then draw", "`|`"),
        ("turn = choose play or draw", "`|`"),
        ("turn = one of play, draw", "`|`"),
        ("turn = optional play, draw", "`|`"),
        ("turn = draw then maybe play", "`|`"),
        ("turn = either play or draw", "`|`"),
        ("turn = draw{1..3}", "`STEP{2}`"),
        ("turn = play | draw | pass", '`action NAME "..." ()`'),
        ("turn = play | nothing", '`action NAME "..." ()`'),
        ("turn = play until stock is empty", "`STEP{2}`"),
        ("turn = while stock is not empty: draw", "`STEP when (...)`"),
        ("turn = draw unless stock is empty", "`STEP when (...)`"),
        ("turn = (draw if drawn < 3) play", "`STEP when (...)`"),
    ),
    'action draw "Draw" () {': (
        ('action draw "Draw" (player) {', "`at: cell of ZONE`"),
        ("def draw() {", "`define NAME(x) = ...`"),
        ('action draw "Draw" () when stock is not empty {', '`rule NAME "..." require ...`'),
        ('action draw "Draw" () requires stock is not empty {', '`rule NAME "..." require ...`'),
        ('action draw "Draw" (card) {', "`at: cell of ZONE`"),
        ('action draw "Draw" (from stock) {', "`at: cell of ZONE`"),
        ('action draw "Draw" (card: hand) {', "`card from hand`"),
        ('optional action draw "Draw" () {', "`turn`"),
    ),
    "move top of stock to hand": (
        ("draw a card", "`move THING to ZONE`"),
        ("draw 1 card from stock", "`move THING to ZONE`"),
        ("draw from stock", "`move THING to ZONE`"),
        ("take top of stock", "`move THING to ZONE`"),
        ("move random of stock to hand", "`thing: COMPONENT from ZONE by chance`"),
        ("move bottom of stock to hand", "`top of ZONE`"),
        ("move top of stock to hand of next player", "`ZONE[player after player]`"),
        ("move top of stock to all hands", "`for each q in players: move ... to ZONE[q]`"),
        ("stock -> hand", "`move THING to ZONE`"),
        ("hand = hand + top of stock", "`move hand + top of stock to hand`"),
        ("hand += top of stock", "`move top of stock to hand`"),
        ("give top of stock to player", "`move THING to ZONE`"),
        ("shuffle stock", "`deck: order of stock`"),
        ("when stock is empty move pile to stock", "`move ... to ZONE when ...`"),
        ("repeat 2: move top of stock to hand", "`for each NAME in ...: ...`"),
        ("2 times: move top of stock to hand", "`for each NAME in ...: ...`"),
        ("discard hand", "`move THING to ZONE`"),
        ("discard card", "`move THING to ZONE`"),
        ("end turn", "`turn`"),
        ("next player", "`turn`"),
        ("score += 3", "`var NAME: 0..99 = 0 per player`"),
        ("player scores 3", "`var NAME: 0..99 = 0 per player`"),
        ("win", "`ranking`"),
        ("player wins", "`ranking`"),
        ("end game", "`turn`"),
        ("stop", "`turn`"),
        ("next player", "`turn`"),
    ),
    'ending out "Somebody has no card" when hand is empty then stop at once': (
        ('ending out "Somebody has no card" when hand is empty', "`then stop`"),
        ('ending out "x" when hand is empty then end', "`then stop`"),
        ('ending out "x" when hand is empty then end game', "`then stop`"),
        ('ending out "x" when hand is empty then game over', "`then stop`"),
        ('ending out "x" when hand is empty then player wins', "`then stop`"),
        ("ending out when hand is empty then stop", '`"`'),
        ('ending out "x" after 10 turns then stop', "`var NAME: 0..99 = 0 per game`"),
        ('ending out "x" when turn > 10 then stop', "`var NAME: 0..99 = 0 per game`"),
        ('ending out "x" when any hand is empty then stop', "`every c in ZONE: ...`"),
        ('ending out "x" when a player has no cards then stop', "`count ZONE[q] == 0`"),
        ('ending out "x" when player has no cards then stop', "`count ZONE[q] == 0`"),
        ('ending out "x" when stock or hand is empty then stop', "`... is empty`"),
        ('ending out "x" when no player can move then stop', "`some q in players: ...`"),
        ('ending out "x" when no moves then stop', "`can ACTION`"),
        ('ending out "x" when no legal moves then stop', "`can ACTION`"),
        ('ending out "x" when 3 in a row then stop', "`some line of 3 on ZONE: same ATTRIBUTE`"),
        ('ending out "x" when hand is empty then finish round', "`then stop`"),
        ('ending out "x" when hand is empty then everyone else has one more turn', "`then stop`"),
        ('ending out "x" when total >= 10 then stop', "`var NAME: 0..99 = 0 per player`"),
        ('ending out "x" when score >= 10 then stop', "`var NAME: 0..99 = 0 per player`"),
        ('ending out "x" when someone has 10 points then stop', "`var NAME: 0..99 = 0 per player`"),
    ),
    'score cards "Cards left" = - count hand': (
        ('score cards "x" = -1 per card in hand', "`3 * count ...`"),
        ('score cards "x" = 1 point per card in hand', "`3 * count ...`"),
        ('score cards "x" = 1 point for each card in hand', "`3 * count ...`"),
        ('score cards "x" = count hand points', "`3 * count ...`"),
        ('score cards "x" = sum hand', "`sum ATTRIBUTE of ...`"),
        ('score cards "x" = if hand is empty then 10', "`else`"),
        ('score cards "x" = (count hand) / 2', "`2 * 3`"),
        ('score cards "x" = count hand ** 2', "`count ...`"),
    ),
    "ranking most total, shared": (
        ("ranking most points", "`total`"),
        ("ranking the player with most total wins", "`the player with`"),
        ("ranking most score", "`total`"),
        ("ranking most total; shared", "nothing goes between declarati"),
        ("winner most total", "`ranking`"),
        ("wins most total", "`ranking`"),
    ),
    "drawn += 1": (
        ("drawn = random 1..6", "`die: 1..6 by chance`"),
        ("drawn = 1..6", "`die: 1..6 by chance`"),
        ("player pays 3", "`NAME += 2`"),
        ("if drawn < 3 then drawn += 1 else drawn -= 1", "`... when CONDITION`"),
        ("capture card", "`move THING to ZONE`"),
    ),
    "- count hand": (("hand is empty", "`if hand is empty then 1 else 0`"),),
}


def findings(text: str) -> list[Diagnostic]:
    found = RulesetStore(Library(drafts={"shed.rules": text})).get("shed.rules").diagnostics
    return [d for d in found if d.level is Severity.ERROR]


@pytest.mark.parametrize(
    ("game", "slips"),
    [
        (SHED, WRITTEN_RIGHT),
        (SHED, TOLD),
        (SHED, MORE_WRITTEN_RIGHT),
        (SHED, MORE_TOLD),
        (ROWS, ROWS_WRITTEN_RIGHT),
        (ROWS, ROWS_TOLD),
    ],
)
def test_a_slip_gets_the_line_that_helps(game: str, slips: tuple[tuple[str, str, str], ...]) -> None:
    assert not findings(game)
    told(game, slips, has_fix=slips in (WRITTEN_RIGHT, MORE_WRITTEN_RIGHT, ROWS_WRITTEN_RIGHT))


@pytest.mark.parametrize("right", some([*PLAIN_WORDS], 3))
def test_plain_words_get_what_to_write(right: str) -> None:
    told(SHED, ((right, wrong, said) for wrong, said in PLAIN_WORDS[right]), has_fix=True)


@pytest.mark.parametrize("right", some([*PLAIN_WORDS_TOLD], 3))
def test_plain_words_get_the_line_that_helps(right: str) -> None:
    told(SHED, ((right, wrong, said) for wrong, said in PLAIN_WORDS_TOLD[right]), has_fix=False)


def told(game: str, slips: Iterable[tuple[str, str, str]], has_fix: bool) -> None:
    for right, wrong, said in slips:
        assert game.count(right) == 1, right
        (finding,) = findings(game.replace(right, wrong))
        assert said in str(finding.help), (wrong, str(finding.help))
        assert finding.span is not None
        assert finding.span.line == game[: game.index(right)].count("\n") + 1, wrong
        if has_fix:
            assert finding.fix is not None
            begin, end = finding.fix.span.start, finding.fix.span.end
            text = finding.span.file.text
            mended = text[:begin] + finding.fix.text + text[end:]
            assert not [d for d in findings(mended) if d.code == "PW101"], wrong


# What authors of editions write.
CHANGES = (
    ("change players 2", "write `2..2`"),
    ("change players = 3", "write `3..3`"),
    ("change players to 2..6", "write `players`"),
    ("players 2..6", "write `change players ...`"),
    ("change deck main = 2 all", "`deck NAME of COMPONENT = ...`"),
    ("change hand_limit to 10", "`change rule NAME ...`"),
    ("hand_limit = 10", "`change rule NAME ...`"),
    ('change rule turn.hand_limit = "Ten" require count hand <= 10', "write `turn.hand_limit`"),
    ('change rule hand_limit "Ten" require count hand <= 10', "did you mean `turn.hand_limit`?"),
    ('change rule turn.hand_limit "Ten" require count hand <= ten', "numbers are written in digits: `10`"),
    ('remove rule turn.hand_limit "we like it"', "write `turn.hand_limit because`"),
    ("remove trim", "`remove rule NAME`"),
    ("remove all rules", "`remove rule NAME`"),
    ("remove objective nowhere_near", "known here: `"),
    ('add rule place.more "More" require count hand > 0', "leave `add` out"),
    ('new objective sq "Square" = some [ # # / # # ]', "`objective NAME ...`"),
)


def test_what_editions_say_otherwise_gets_the_line_that_helps() -> None:
    for line, said in CHANGES:
        (finding,) = findings(f'edition club of paper_world/en "Club"\n{line}\n')
        assert said in str(finding.help), (line, str(finding.help))
        assert finding.span is not None
        assert finding.span.line == 2, line


def test_what_all_share_has_no_index() -> None:
    (finding,) = findings(SHED.replace("move card to pile", "move card to pile[player]"))
    assert str(finding.message) == "there is one `pile` for all: it has no index"


def test_what_is_declared_wrongly_is_one_finding() -> None:
    """Its name is known: who uses it made no mistake."""
    for right, wrong in (
        ("zone pile: pile of card", "zone pile: pile of cards"),
        ("deck cards of card", "deck cards of carts"),
    ):
        (finding,) = findings(SHED.replace(right, wrong))
        assert "did you mean `card`" in str(finding.help)
