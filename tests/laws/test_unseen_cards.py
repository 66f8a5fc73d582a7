"""Of a legal game of which somebody saw only a part, nothing is wrong, whatever the order of play depends on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in, times
from tests.support import book, random_game, replay

DEALT = (
    "crazy_eights", "crazy_eights+open_spiel", "chess+chess960", "hearts", "kuhn_poker", "leduc_poker", "paper_world/en",
    "paper_world/de", "paper_world/gamepark+advanced", "pierre_papier_morpion", "pierre_papier_morpion+bonus+binoculars",
)  # fmt: skip
"""Rulesets of which something is dealt by chance."""
FEWEST = 30

# Who acts, and whether, depends on the top of a pile.
GUARDED = """game guarded "Guarded"
players 2..2
component card { color: red "R" | blue "B"  owner: player by color { red: 1 blue: 2 } }
deck cards of card = { 3 R 3 B }
zone pile: pile of card
zone gone: pile of card
setup { deal pile "p": all of cards to pile by chance }
round = draw by ((top of pile).owner) skip by ((top of gone).owner) when ((top of pile).color == red)? draw by ((top of pile).owner)
anytime peek by (((top of pile).owner else seat 1))
action draw "Draw" () { move top of pile to gone }
action skip "Skip" () {}
action peek "Peek" () {}
ending over "Over" when pile is empty then stop
score none "None" = 0
ranking most total, shared
"""


def hidden(held: Any, share: float, rng: random.Random) -> Any:
    if isinstance(held, dict):
        return {key: hidden(value, share, rng) for key, value in held.items()}
    if isinstance(held, list):
        return [hidden(value, share, rng) for value in held]
    return "?" if rng.random() < share else held


@one_day_in(4)
@pytest.mark.parametrize("address", DEALT)
def test_a_legal_game_is_never_wrong(address: str) -> None:
    ruleset = book(address).game.ruleset
    dealt = [step.name for step in ruleset.setup if step.kind in ("deal", "put") and step.recorded]
    for seed in range(times(2, FEWEST)):
        rng = random.Random(seed)
        data, _ = random_game(address, rng.randint(ruleset.min_players, ruleset.max_players), seed)
        share = rng.choice((0.05, 0.3, 1.0))
        # Some rulesets let games at random come to a standstill.
        known = {(f.code, f.rule, f.path) for f in replay(address, data).findings}
        data["setup"] |= {name: hidden(data["setup"][name], share, rng) for name in dealt if name in data["setup"]}
        found = replay(address, data).findings
        assert {(f.code, f.rule, f.path) for f in found if not f.undetermined} <= known, seed


@pytest.mark.parametrize(
    ("pile", "actions", "told"),
    [
        # The top is the last one; of two that nobody saw, one is red and one is blue.
        ("BBBRRR", "draw Ana, draw Ana", []),
        ("BBBRRR", "draw Ben, draw Ana", ["PW603"]),
        ("BBR?R?", "draw Ana, draw Ana", ["PW611"]),
        ("BBR??R", "draw Ana, skip Ana, draw Ben", ["PW611", "PW611"]),
        ("RBRBBR", "draw Ana, skip Ana, draw Ben", ["PW603"]),
        ("BBR?R?", "peek Ben, draw Ben, draw Ana", ["PW611", "PW611"]),
        ("BBBRRR", "peek Ben, draw Ana, draw Ana", ["PW603"]),
        ("BBBRRR", "peek Ana, draw Ana, draw Ana", []),
    ],
)
def test_who_may_act_cannot_be_known(pile: str, actions: str, told: list[str], tmp_path: Path) -> None:
    path = tmp_path / "guarded.rules"
    path.write_text(GUARDED, "utf-8")
    assert RulesetStore(Library()).get(str(path)).value is not None
    acts = [dict(zip(("action", "by"), action.split(), strict=True)) for action in actions.split(", ")]
    record = {
        "format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"pile": [*pile]}, "turns": [{"actions": acts}],
    }  # fmt: skip
    assert [f.code for f in replay(str(path), record).findings] == told
