"""Setups that deal to other places: a game of one cannot be laid out under the other, which is a difference and no crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.search import find_witnesses
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from tests.daily import some

GAME = """game rows "Rows"
players 2..2
component card { value: 1..6 }
deck cards of card = all
zone supply[2]: pile of card
zone hand: bag of card per player
setup {
  deal row "A row of piles": 1 each of cards to supply by chance
  deal hands "A card each": 1 each of cards to hand by chance
}
turn = take
action take "Take a pile" (from: 1..2) {
  rule there "Something lies there" require not (supply[from] is empty)
  move top of supply[from] to hand
}
ending out "Nothing is left" when every p in supply: p is empty then stop
score cards "Cards" = count hand
ranking most total, shared
"""


def made(folder: Path, name: str, text: str) -> Rulebook:
    path = folder / f"{name}.rules"
    path.write_text(text, "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, found.diagnostics
    return found.value


@pytest.mark.parametrize(
    ("old", "new"),
    some(
        [
            ("supply[2]", "supply[3]"),
            ("hand: bag of card per player", "hand: bag of card"),
        ],
        1,
    ),
)
def test_a_deal_to_other_places_is_a_difference(tmp_path: Path, old: str, new: str) -> None:
    first, second = made(tmp_path, "first", GAME), made(tmp_path, "second", GAME.replace(old, new))
    for one, other in ((first, second), (second, first)):
        rows = compare_rulesets(one.game, other.game)
        assert any(row.nature in ("setup", "material", "semantic") for row in rows)
        assert weigh_rows(one, other, rows, effort=0.2)[0]
        find_witnesses(one.game, other.game, rows, steps=400_000, starts=True)
