"""A collection and a thing that may be absent: nothing is added then, to the engine and to kernels alike."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool
from tests.daily import one_day_in

GAME = """game bare "Bare"
players 2..2
component card { kind: tin "T" | gold "G"  worth: 1..3 }
deck cards of card = 2 all
zone bank: pile of card
zone hand: bag of card per player
zone out: bag of card
setup { deal hand "h": 3 each of cards to hand by chance deal bank "b": rest of cards to bank by chance }
turn = act
action act "A" (card: card from hand) { move card to out move top of bank to hand }
ending bare "b" when bank is empty then stop
score same "s" = count { SAME }
score other "o" = count { OTHER }
ranking most total, shared
"""
ALIKE = (
    ("same kind of hand + top of bank", "same kind of hand"),
    ("distinct worth of hand + top of bank", "distinct worth of hand"),
    ("ascending worth of (hand + top of bank)", "ascending worth of hand"),
    ("sum worth of (hand + top of bank) > 5", "sum worth of hand > 5"),
    ("(max worth of (hand + top of bank) else 0) > 2", "(max worth of hand else 0) > 2"),
    ("count distinct worth of (hand + top of bank) > 2", "count distinct worth of hand > 2"),
    ("every v in hand + top of bank: v.worth > 1", "every v in hand: v.worth > 1"),
    ("count (hand + top of bank) == 3", "count hand == 3"),
)


@one_day_in(8)
@pytest.mark.parametrize(("with_none", "without"), ALIKE)
def test_what_is_absent_is_no_part_of_a_collection(with_none: str, without: str, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    path = tmp_path / "bare.rules"
    path.write_text(GAME.replace("SAME", with_none).replace("OTHER", without), "utf-8")
    rules = pwtool.load(path)
    games = list(rules.play_many(30, seed=1))
    for game in games:
        assert rules.check(game).clean
        assert all(lines["same"] == lines["other"] for lines in game["result"]["parts"].values())
    assert all(verdict.clean for verdict in rules.check_many(games))


OWNED = """game owned "Owned"
players 2..2
component card { kind: tin "T" | gold "G" | iron "I" | lead "L"  owner: player by kind { tin: 1 gold: 2 iron: none lead: none } }
deck cards of card = 2 all
zone bank: pile of card
zone hand: bag of card per player
zone stack: pile of card
setup { deal hand "h": 3 each of cards to hand by chance deal bank "b": rest of cards to bank by chance }
turn = act | test
action act "A" (card: card from hand) { move card to stack move top of bank to hand }
action test "T" () { rule alike "a" require CONDITION move top of bank to hand }
ending owned "o" when bank is empty then stop
score stack "s" = count stack
ranking most total, shared
"""


@one_day_in(8)
@pytest.mark.parametrize("things", ["hand", "hand + top of stack"])
@pytest.mark.parametrize("kind", ["same", "distinct"])
def test_an_attribute_that_is_absent_is_a_value_like_any_other(kind: str, things: str, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    path, free = tmp_path / "owned.rules", tmp_path / "free.rules"
    path.write_text(OWNED.replace("CONDITION", f"{kind} owner of {things}"), "utf-8")
    free.write_text(OWNED.replace("CONDITION", "bank is not empty"), "utf-8")
    rules = pwtool.load(path)
    games = [{**game, "ruleset": "owned"} for game in pwtool.load(free).play_many(60, seed=1)]
    for game in games:
        game.pop("version", None)
    clean = [rules.check(game).clean for game in games]
    assert [verdict.clean for verdict in rules.check_many(games, audit=0)] == clean
    assert 0 < sum(clean) < len(games)
