"""A variant includes parts as a game and an edition do, whether it is added to an address or named by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

GAME = """game g "G"
players 2..2
component card { color: red "R" }
deck cards of card = { 4 R }
zone hand: pile of card per player
zone table: pile of card
setup { deal hand "Cards": 2 each of cards to hand }
turn = play
action play "Play" () { move top of hand to table }
ending over "Over" when no q in players: count hand[q] > 0 then stop
score cards "Cards" = count table
ranking most total, shared
"""
VARIANT = 'variant v of g "V"\ninclude more\n'
PART = 'part more of g\nscore more "More" = 1\n'


def library(tmp_path: Path, **files: str) -> Library:
    (tmp_path / "g").mkdir()
    for name, text in files.items():
        (tmp_path / "g" / f"{name}.rules").write_text(text, "utf-8")
    return Library(tmp_path)


@pytest.mark.parametrize("address", ["g+v", "g/v.rules"])
def test_what_a_variant_includes_applies(address: str, tmp_path: Path) -> None:
    known = library(tmp_path, game=GAME, v=VARIANT, more=PART)
    found = load_ruleset(str(tmp_path / address) if ".rules" in address else address, known)
    assert found.value is not None, [d.message for d in found.diagnostics]
    assert [score.name for score in found.value.scores] == ["cards", "more"]


def test_a_part_that_a_variant_misses_is_told(tmp_path: Path) -> None:
    found = load_ruleset("g+v", library(tmp_path, game=GAME, v=VARIANT))
    assert found.value is None and [d.code for d in found.diagnostics] == ["PW203"]


def test_a_variant_that_is_named_twice_is_told(tmp_path: Path) -> None:
    found = load_ruleset("g+v+v", library(tmp_path, game=GAME, v=VARIANT, more=PART))
    assert [(d.code, d.message) for d in found.diagnostics] == [("PW203", "the variant `v` is named twice")]


def test_the_edition_that_has_no_such_variant_is_named(tmp_path: Path) -> None:
    edition = 'edition e of g "E"\nsource s "S"\nwithout v because s "1": "too much"\n'
    known = library(tmp_path, game=GAME, v=VARIANT, more=PART, e=edition, w='variant w of g "W"\nchange players 2..2\n')
    found = load_ruleset("g/e+w+v", known)
    assert "`e` has no variant `v`: too much" in [d.message for d in found.diagnostics]


def test_nothing_is_said_of_the_parts_of_a_variant_that_an_edition_does_not_have(tmp_path: Path) -> None:
    """The edition includes one of them itself."""
    edition = 'edition e of g "E"\ninclude more\nsource s "S"\nwithout v because s "1": "this is the rule"\n'
    found = load_ruleset("g/e+v", library(tmp_path, game=GAME, v=VARIANT, more=PART, e=edition))
    assert [(d.code, d.message) for d in found.diagnostics] == [("PW207", "`e` has no variant `v`: this is the rule")]
