"""Boards that a deck allows: every card of them is in the deck, covered ones too, beside all boards one by one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

import pytest

from pwtool.boards.study import study_objectives
from pwtool.show.text.studies import study_data
from tests.daily import numbers
from tests.laws.test_circuits import load

FACES = {"Y1": ("yellow", 1), "Y2": ("yellow", 2), "G2": ("green", 2)}
GAME = """game tower "Tower"
players 2..2
component card {{ color: yellow "Y" | green "G"  value: 1..2 }}
deck main of card = {{ {deck} }}
zone stock: pile of card seen by none
zone board: grid 3x1 of card per player
setup {{
  choose goals "One objective": 1 of objective
  deal stock "The stock": all of main to stock by chance
}}
turn = place
action place "Place" (at: cell of board) {{ move top of stock to board[at] }}
invariant low "Two at most" for each player require every p in board: count p <= 2
{rule}
ending done "Done" when stock is empty then 1 more turn each
score prizes "Prizes" = count (g in goals: board fulfils g)
ranking most total, shared
"""
RULES = {
    "": lambda pile: True,
    'invariant same "One color" for each player require every p in board: same color of p':
        lambda pile: len({FACES[face][0] for face in pile}) <= 1,
    'invariant up "Ascending" for each player require every p in board: ascending value of p':
        lambda pile: all(FACES[a][1] < FACES[b][1] for a, b in pairwise(pile)),
}  # fmt: skip
OBJECTIVES = {
    "count buried >= 2": lambda piles: sum(len(p) - 1 for p in piles if p) >= 2,
    "some pile: height == 2": lambda piles: any(len(p) == 2 for p in piles),
    "at least 2 buried: color == yellow": lambda piles: (
        sum(FACES[f][0] == "yellow" for p in piles for f in p[:-1]) >= 2
    ),
    "sum value of card >= 4": lambda piles: sum(FACES[p[-1]][1] for p in piles if p) >= 4,
    "some buried: value == 2": lambda piles: any(FACES[f][1] == 2 for p in piles for f in p[:-1]),
}


@pytest.mark.parametrize("tried", numbers(4, 40))
def test_what_a_deck_allows_can_be_laid(tried: Sequence[int]) -> None:
    for number in tried:
        beside_all_boards(number)


def beside_all_boards(number: int) -> None:
    """What is said of a random deck, beside all boards."""
    rng = random.Random(number)
    deck = {face: rng.randint(0, 3) for face in FACES}
    if sum(deck.values()) < 2:
        deck = {"Y1": 3, "Y2": 0, "G2": 1}
    rule = rng.choice(list(RULES))
    text = GAME.format(deck=" ".join(f"{n} {face}" for face, n in deck.items() if n), rule=rule)
    text += "".join(f'objective o{n} "O{n}" = {written}\n' for n, written in enumerate(OBJECTIVES))
    found = load(text)
    here = [face for face, n in deck.items() if n]
    piles = [(), *((face,) for face in here), *(pile for pile in product(here, repeat=2) if RULES[rule](pile))]
    laid = [b for b in product(piles, repeat=3) if all(n <= deck[f] for f, n in Counter(sum(b, ())).items())]
    names = list(found.ruleset.objectives)
    data = study_data(found, study_objectives(found, names, names), "en")
    assert {one["name"] for one in data["objectives"]} == set(names)
    for one, meant in zip(data["objectives"], OBJECTIVES.values(), strict=True):
        fewest = min((sum(map(len, board)) for board in laid if meant(board)), default=None)
        for told in one["deck"].values():
            assert (told or {}).get("cards") == fewest, (text, one["name"])
            if told is not None:
                shown = tuple(
                    () if cell == "." else tuple(cell.split("+")) for cell in told["board"].strip("[ ]").split()
                )
                assert shown + ((),) * (3 - len(shown)) in laid and meant(shown), (text, told)
        assert one["deck"] or one["deck_undecided"] or (one["fewest"] is None and fewest is None)


def test_covered_cards_are_of_the_deck() -> None:
    """Two piles of one color need two cards of it each."""
    rule = next(text for text in RULES if "same" in text)
    found = load(GAME.format(deck="3 Y1 1 G2", rule=rule) + 'objective deep "Deep" = count buried >= 2\n')
    (one,) = study_data(found, study_objectives(found, ["deep"], []), "en")["objectives"]
    assert one["deck"] == {} and one["deck_undecided"] == [2]
