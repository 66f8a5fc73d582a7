"""What `compare` says of a classic and its variants: never that they are the same, and what differs by its name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import pwtool
from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.rows import compare_rulesets
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some
from tests.support import book

pytest.importorskip("wasmtime")


@dataclass(frozen=True)
class Pair:
    """A classic with a variant: the items that are known to differ, those of which at least nobody says that they are the same,
    and whether a few games at random show it.
    """

    address: str
    differ: frozenset[str]
    open: frozenset[str] = frozenset()
    shown: bool = True


def pair(address: str, differ: str, undecided: str = "", shown: bool = True) -> Pair:
    return Pair(address, frozenset(differ.split()), frozenset(undecided.split()), shown)


PAIRS = (
    pair("tic_tac_toe+misere", "line"),
    pair("nim+misere", "won"),
    pair("connect_four+pop_out", "pop", "full"),
    pair("gomoku+exactly_five", "", "five"),
    pair("gomoku+renju_like", "", "place.five place.fours stuck", shown=False),
    pair("checkers+flying_kings", "jump", "step.must step.near step.free jump.near jump.free turn.goes_on stuck won"),
    pair("go+open_spiel", "", "place place.superko place.ko again long", shown=False),
    pair("go+thirteen", "bowl board place", "place.alive area"),
    pair("go+nineteen", "bowl board place", "place.alive area"),
    pair("go+simple_ko", "", "place.superko place.ko", shown=False),
    pair("go+situational", "", "place.superko", shown=False),
    pair("go+suicide", "place.alive", "place", shown=False),
    pair("go+handicap", "lay", "turn.handicap komi"),
    pair("go+agreed", "concede passed", "passes"),
    pair("nine_mens_morris+open_spiel", "long", "place step", shown=False),
    pair("nine_mens_morris+third_repetition", "", "repeated", shown=False),
    pair("checkers+open_spiel", "", "claim dull", shown=False),
    pair("crazy_eights+open_spiel", "long", "blocked cards"),
    pair("pig+open_spiel", "roll.enough", shown=False),
    pair("chess+three_check", "counted dead third", "repeated won"),
    pair("chess+automatic_draws", "", "claim fifty repeated seventy_five", shown=False),
    pair("chess+chess960", "officers others row across aside board"),
)  # fmt: skip
EVERY_DAY = ("nim+misere", "tic_tac_toe+misere", "connect_four+pop_out")
ADDRESSES = [pytest.param(p, id=p.address, marks=[] if p.address in EVERY_DAY else pytest.mark.slow) for p in PAIRS]


def test_every_variant_of_the_shelf_is_compared() -> None:
    library = Library()
    ruleset_store = [game for game in library.games() if library.home(game).parent.name == "classics"]
    found = {f"{game}+{variant}" for game in ruleset_store for variant in library.overlays(game)["variant"]}
    assert found == {p.address for p in PAIRS}


@pytest.mark.parametrize("pair", some([*ADDRESSES], 1))
def test_what_differs_is_named(pair: Pair) -> None:
    first, second = book(pair.address.partition("+")[0]), book(pair.address)
    for a, b in ((first, second), (second, first)):
        rows = compare_rulesets(a.game, b.game)
        weighed, _ = weigh_rows(a, b, rows, effort=0.25)
        assert exit_code(weighed) in (1, 3)
        real = {row.name: row.status for row in weighed if row.status not in ("reworded", "no_effect")}
        assert pair.differ | pair.open <= real.keys(), real
        assert all(real[name] != "undecided" for name in pair.differ), real


@one_day_in(8)
@pytest.mark.parametrize("pair", ADDRESSES)
def test_games_of_a_variant_are_its_own(pair: Pair) -> None:
    base, variant = pwtool.load(pair.address.partition("+")[0]), pwtool.load(pair.address)
    played = [variant.play(variant.players[0], seed=seed) for seed in range(24)]
    for record in played:
        del record["version"]
    assert all(verdict.status == "clean" for verdict in variant.check_many(played))
    refused = [verdict for verdict in base.check_many(played) if verdict.status != "clean"]
    assert refused or not pair.shown
