"""Selections: what may be chosen together, as the enumeration of legal actions finds it and as every selection tried alone."""

from __future__ import annotations

import random
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.selfplay import deal_at_random
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import numbers

GAME = """
game odd "Odd"
players 2..2
component card { color: a "A" | b "B"  value: 1..3 }
deck small of card = { A1 A1 A2 A3 B1 B2 B2 B3 B3 }
deck large of card = { A1 A2 A2 A3 B1 B1 B2 B3 }
zone hand: bag of card per player
zone table: bag of card
zone supply[4]: pile of card
setup {
  deal hand "All get cards": 4 each of small to hand by chance
  deal supply "The piles": all of large to supply by chance
}
turn = keep | put | pick
action keep "Keep" (one: card from hand, chosen: cards from hand) { KEEP  move one to table  move chosen to table }
action put "Put" (key: color or value, chosen: cards from hand) { PUT  move chosen to table }
action pick "Pick" (key: color or value, chosen: cards from tops of supply) { PICK  move chosen to hand }
ending empty "Empty" when hand is empty then stop
score cards "Cards" = count hand
ranking most total, shared
"""
CONDITIONS = (
    "c.value > 1", "c.value == 2", "c.color == a", "some d in hand: d.value == c.value + 1", "c.color == a or c.value < 3",
)  # fmt: skip
WITH = {
    "keep": ("c.color == one.color", "c.value != one.value", "c.value >= one.value"),
    "put": ("c.color == key or c.value == key", "not (c.value == key)"),
    "pick": ("c.color == key or c.value == key", "not (c.color == key)"),
}
WHEN = {"keep": ("one.value > 1", "one.color == b"), "put": ("key == 2", "count hand > 2"), "pick": ("key == a",)}
FROM = {"keep": "hand", "put": "hand", "pick": "tops of supply"}


def some_rules(action: str, rng: random.Random) -> str:
    """Rules about each chosen thing and each one that is left, and about their number."""
    found = []
    for number in range(rng.randrange(1, 4)):
        condition = rng.choice((*CONDITIONS, *WITH[action], *WITH[action]))
        domain = rng.choice(("chosen", f"{FROM[action]} - chosen", f"{rng.choice([*FROM.values()])} - chosen"))
        when = rng.choice(("", "", f"when {rng.choice(WHEN[action])} "))
        kind = rng.choice(("every", "no"))
        found.append(f'rule r{number} "R" {when}require {kind} c in {domain}: {condition}')
    size = rng.choice(("count chosen >= 1", "count chosen == 2", "count chosen <= 3"))
    return "\n  ".join((*found, f'rule size "S" require {size}'))


def selections(play: Play, game: Game, kind: str, taken: list[int]) -> list[Any]:
    """Every selection from a hand without what was `taken` of it, or from the tops of the piles."""
    zones = game.ruleset.zones
    if kind == "tops":
        piles = play.state.zones[zones["supply"].number]
        tops = [(number, pile[-1]) for number, pile in enumerate(piles, 1) if pile]
        return [list(some) for count in range(len(tops) + 1) for some in combinations(tops, count)]
    hand = sorted(play.state.zones[zones["hand"].number][play.state.player])
    for face in taken:
        hand.remove(face)
    return sorted({some for count in range(len(hand) + 1) for some in combinations(hand, count)})


def legal_one_by_one(play: Play, game: Game, name: str) -> set[str]:
    """The arguments of an action that are legal, of all that can be named."""
    number, player = game.action_numbers[name], play.owner
    first, several = game.ruleset.actions[name].parameters
    if first.kind == "element":
        firsts: list[Any] = sorted(set(play.state.zones[game.ruleset.zones["hand"].number][player]))
    else:
        firsts = LegalActions(game).values(play.state, first)
    every = (
        (one, list(some))
        for one in firsts
        for some in selections(play, game, several.kind, [one] if first.kind == "element" else [])
    )
    return {repr(given) for given in every if play.is_legal(number, player, given)}


@pytest.mark.parametrize("seeds", numbers(8, 200))
def test_selections_are_those_that_are_legal_one_by_one(seeds: list[int], tmp_path: Path) -> None:
    found = 0
    for seed, careful in product(seeds, (False, True)):
        rng = random.Random(seed)
        text = GAME
        for action in FROM:
            text = text.replace(action.upper(), some_rules(action, rng))
        path = tmp_path / "odd.rules"
        path.write_text(text, "utf-8")
        ruleset = load_ruleset(str(path), Library())
        assert ruleset.value is not None, (text, [d.message for d in ruleset.diagnostics])
        game = Game(ruleset.value)
        if careful:
            game.fast = game.careful
        play, problems = opening(game, deal_at_random(game, ["Ana", "Ben"], Chance(seed)), LegalActions(game))
        assert not problems
        play.begin_turn(0)
        for name in FROM:
            listed = [repr(given) for given in play.arguments(game.action_numbers[name], 0)]
            assert len(listed) == len(set(listed))
            assert set(listed) == legal_one_by_one(play, game, name), (seed, name, text)
            found += len(listed)
    assert found
