"""Objectives that differ, beside all boards that a small deck allows, one by one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from pwtool.boards.proofs import position_with
from pwtool.comparing.rows import differing_items
from pwtool.play.game import Game
from tests.comparing.test_houses import loaded
from tests.daily import numbers

GAME = """game mini "Mini"
players 2..2
component card {{ color: red "R" | blue "B"  value: 1..3 }}
deck cards of card = {{ {deck} }}
zone board: grid 2x2 of card
zone stock: pile of card
zone hand: bag of card per player
setup {{
  deal hand "h": 1 each of cards to hand by chance
  deal stock "s": rest of cards to stock by chance
}}
turn = lay
action lay "Lay" (it: card from hand, at: cell of board) {{
  rule free "f" require board[at] is empty
  move it to board[at]
  move top of stock to hand
}}
shape row = [ # # ]
shape column = [ # / # ]
objective one "One" = {objective}
ending out "Out" when hand is empty then stop
ranking most total
"""
ASKED = ("value == 1", "value == 2", "value >= 2", "color == red", "color == blue", "color == red and value == 1")
TOLD = {"stricter": {True}, "permissive": {False}, "incomparable": {True, False}}


def objective(rng: random.Random) -> str:
    match rng.randrange(5):
        case 0:
            return f"at least {rng.randint(1, 4)} card: {rng.choice(ASKED)}"
        case 1:
            return f"count card == {rng.randint(0, 4)}"
        case 2:
            return f"some row: same {rng.choice(['color', 'value'])}"
        case 3:
            return f"some column: sum value == {rng.randint(2, 6)}"
        case _:
            return f"({objective(rng)}) {rng.choice(['and', 'or'])} ({objective(rng)})"


def differing(games: Sequence[Game], deck: Counter[str]) -> set[bool]:
    """What the first game says of the boards that the deck allows and of which the second says something else."""
    codes = [*games[0].ruleset.components["card"].codes]
    found = set()
    for board in product(["", *deck], repeat=4):
        if Counter(filter(None, board)) <= deck:
            grid = {(at % 2, at // 2): [codes.index(code)] for at, code in enumerate(board) if code}
            said = [bool(g.interpreter.holds(g.ruleset.objectives["one"], position_with(g, grid), grid)) for g in games]
            if said[0] != said[1]:
                found.add(said[0])
    return found


@pytest.mark.parametrize("seeds", numbers(5, 400))
def test_what_is_said_is_so_on_all_boards_of_the_deck(seeds: Sequence[int], tmp_path: Path) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        deck = Counter({code: rng.randint(1, 3) for code in ("R1", "R2", "R3", "B1", "B2") if rng.random() < 0.7})
        deck["B3"] = 2
        texts = [objective(rng), objective(rng)]
        written = " ".join(f"{many} {code}" for code, many in deck.items())
        games = [
            loaded(tmp_path / f"{at}.rules", GAME.format(deck=written, objective=text)).game
            for at, text in enumerate(texts)
        ]
        # Before it is asked which boards play can reach.
        rows = [row for row in differing_items(games[0], games[1]) if row.kind == "objective"]
        differ = differing(games, deck)
        told = (written, texts, [(r.status, r.direction, r.proof) for r in rows])
        if not rows or rows[0].status in ("reworded", "no_effect"):
            assert not differ, told
        else:
            assert (rows[0].status, TOLD.get(rows[0].direction)) == ("different", differ), told


@pytest.mark.parametrize("seeds", numbers(4, 200))
def test_with_other_things_only_boards_of_those_that_both_have_show_something(
    seeds: Sequence[int], tmp_path: Path
) -> None:
    """Of the cards that only one game has, the other one says nothing: no objective is the same, or never fulfilled."""
    for seed in seeds:
        rng = random.Random(seed)
        highest = rng.sample((2, 3, 4), 2)
        least = min(highest)
        deck = Counter({f"{color}{value}": 4 for color in "RB" for value in range(1, least + 1)})
        texts = [objective(rng), objective(rng)]
        games = []
        for at, (most, text) in enumerate(zip(highest, texts, strict=True)):
            written = " ".join(f"4 {color}{value}" for color in "RB" for value in range(1, most + 1))
            house = GAME.format(deck=written, objective=text).replace("value: 1..3", f"value: 1..{most}")
            games.append(loaded(tmp_path / f"{at}.rules", house).game)
        rows = [row for row in differing_items(games[0], games[1]) if row.kind == "objective"]
        told = (highest, texts, [(r.status, r.direction, r.proof) for r in rows])
        if not rows:
            continue
        assert "never" not in rows[0].proof, told
        found = differing_by_code(games, deck)
        if rows[0].status == "different":
            assert found and (rows[0].direction == "incomparable") == (len(found) == 2), told
        else:
            # In the same form, or nobody knows.
            assert rows[0].status == "undecided" or rows[0].proof == "the same form", told
            assert not found, told


def differing_by_code(games: Sequence[Game], deck: Counter[str]) -> set[bool]:
    """What the first game says of the boards of these cards of which the second says something else."""
    codes = [[*game.ruleset.components["card"].codes] for game in games]
    found = set()
    for board in product(["", *deck], repeat=4):
        said = []
        for game, known in zip(games, codes, strict=True):
            grid = {(at % 2, at // 2): [known.index(code)] for at, code in enumerate(board) if code}
            said.append(bool(game.interpreter.holds(game.ruleset.objectives["one"], position_with(game, grid), grid)))
        if said[0] != said[1]:
            found.add(said[0])
    return found
