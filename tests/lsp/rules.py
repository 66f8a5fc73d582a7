"""A game for the tests of the language server, with a line for each thing that is asked of it."""

GAME = """game rows "Rows"
players 2..2

# What lies on the table.
# Two lines of it.
component card {
  color: red "R" | blue "B"
  value: 1..4
}
deck cards of card = all
zone hand: bag of card per player seen by owner
zone board: grid 3x3 of card
zone stock: pile of card seen by none
setup {
  deal hand "Two cards each": 2 each of cards to hand by chance
  deal stock "The others": rest of cards to stock by chance
}
var laid: 0..9 = 0 per turn

define free(at) = board[at] is empty

turn = place | pass

action place "Place a card" (card: card from hand "The card comes from the hand", at: cell of board) {
  let higher = card.value - 1
  rule empty "The cell is empty" require free(at)
  rule small "No large card" when laid > 0 require higher < 3
  move card to board[at]
  laid += 1
}
action pass "Pass" () {
  rule stuck "Only without cards" require hand is empty
}

ending full "All cells are taken" when count board == 9 then stop
score cards "Cards of the own color" = count hand
ranking most total, shared

shape row = [ a b ] turned
objective twins "Two of one color" = some row: same color
objective stairs "A step up" = some row: b.value == a.value + 1

example twins {
  yes [ R1 R2 ]
  no  [ R1 B2 ]
}
example stairs { yes [ R1 B2 ]  no [ R1 B4 ] }
example place.empty { given hand = { R1 }  yes place(R1, (0, 0)) }
"""


def mark(text: str, at: str, behind: bool = False) -> int:
    """The offset of a piece of a text that is there once, or of its end."""
    assert text.count(at) == 1, (text.count(at), at)
    return text.index(at) + (len(at) if behind else 0)
