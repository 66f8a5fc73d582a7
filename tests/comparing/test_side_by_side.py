"""Two rulesets in lock-step: what a kernel says of the other's games is what the engine says."""

from __future__ import annotations

import pytest

from pwtool.comparing.side_by_side import Pair
from pwtool.play.replay import replay_record
from pwtool.records.encoding import encode_record
from tests.daily import one_day_in
from tests.kernel.judging import names
from tests.support import book

PAIRS = [
    ("paper_world/fr", "paper_world/de", 2),
    ("paper_world/gamepark", "paper_world/bga", 3),
    ("paper_world/gamepark", "paper_world/gamepark+advanced", 4),
    ("paper_world/en", "paper_world/fr", 2),
    ("pierre_papier_morpion", "pierre_papier_morpion/fr", 2),
    ("pierre_papier_morpion+binoculars", "pierre_papier_morpion+bonus+binoculars", 2),
]


@one_day_in(8)
@pytest.mark.parametrize(("first", "second", "players"), PAIRS)
def test_the_engine_says_the_same(first: str, second: str, players: int) -> None:
    books = (book(first), book(second))
    asked = list(Pair(*books).play(list(names(players)), 7, 6, 60))
    assert [(a.seed, a.under) for a in asked] == [(seed, under) for seed in range(7, 13) for under in (0, 1)]
    for one in asked:
        own, other = books[one.under], books[1 - one.under]
        record = one.record
        assert record is not None
        assert not [f for f in replay_record(own.game, record, own.legal).findings if f.code != "PW612"]
        if one.same is None:
            continue
        data = {k: v for k, v in encode_record(own.game, record).items() if k not in ("ruleset", "version")}
        findings = replay_record(other.game, other.decoder.record(data), other.legal).findings
        assert one.same == (not findings)
        if findings:
            found = findings[0]
            action = found.path[3] if found.path[2:3] == ("actions",) else None
            assert (one.code, one.rule, one.turn, one.action) == (found.code, found.rule or "", found.turn, action)


def test_a_ruleset_beside_itself_is_the_same() -> None:
    rules = book("paper_world/gamepark+advanced")
    pair = Pair(rules, rules)
    assert pair.packed
    assert all(asked.same for asked in pair.play(["Ana", "Ben", "Cleo"], 0, 20, 400))


def test_what_only_one_refuses_is_found_in_one_direction() -> None:
    pair = Pair(book("paper_world/fr"), book("paper_world/de"))
    asked = list(pair.play(["Ana", "Ben"], 1, 20, 400))
    assert all(a.same for a in asked if a.under == 0)
    assert any(a.same is False for a in asked if a.under == 1)


def test_what_the_other_cannot_read_is_not_decided() -> None:
    pair = Pair(book("pierre_papier_morpion"), book("pierre_papier_morpion+bonus"))
    assert not pair.packed
    assert {a.same for a in pair.play(["Ana", "Ben"], 0, 4, 400)} == {None}


def test_games_of_another_form_are_asked_as_text() -> None:
    pair = Pair(book("paper_world/bga"), book("paper_world/gamepark"))
    assert not pair.packed
    asked = list(pair.play(["Ana", "Ben"], 1, 20, 400))
    assert {a.same for a in asked} == {True, False} and {a.code for a in asked} >= {"", "PW608"}


def test_a_kernel_reads_only_words_that_it_has_room_for() -> None:
    # Other decks: more cards may lie in a zone than the other kernel keeps room for.
    assert not Pair(book("paper_world/en"), book("paper_world/fr")).packed
    assert Pair(book("paper_world/fr"), book("paper_world/de")).packed
