"""Bounds of variables: play keeps them whatever was done before, so proofs may believe in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.api.rules import load
from pwtool.comparing.evidence import play_both
from pwtool.comparing.rows import compare_rulesets
from pwtool.play.finding import Finding
from pwtool.play.replay import replay_record
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, times

TALLY = """game tally "Tally"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck cards of card = { 4 R1 4 R2 4 R3 4 B1 4 B2 4 B3 }
zone hand: bag of card per player
zone table: pile of card
setup { deal hand "h": 8 each of cards to hand by chance }
var n: 0..BOUND = 0 per game
var m: 0..5 = 0 per turn
var turns: 0..99 = 0 per game
turn = TURN
action lay "Lay" (card: card from hand) { EFFECTS }
action wait "Wait" () { turns += 1 }
MORE
ending long "l" when turns >= 3 or (every q in players: hand[q] is empty) then stop
score hand "h" = sum value of hand
score n "n" = SCORE
ranking most total, shared
"""
FIRST = {
    "BOUND": "5", "TURN": "lay+ | wait", "EFFECTS": "move card to table n += 1", "MORE": "", "SCORE": "n",
}  # fmt: skip
SAME = {
    "an effect before another": {"EFFECTS": "n += 1 move card to table"},
    "set to one more": {"EFFECTS": "move card to table n = n + 1"},
    "a rule that bounds keep": {"EFFECTS": 'rule cap "c" require n <= 5 move card to table n += 1'},
    "a score that bounds keep": {"SCORE": "(if n > 5 then 99 else n)"},
}
TWICE = {"EFFECTS": "move card to table n += 1 n += 1", "BOUND": "5"}
FOLLOWS = {
    "EFFECTS": "move card to table",
    "MORE": 'consequence tick "t" (who: player) { rule a "a" require turns >= 0 n += 1 }',
}
READS = {"EFFECTS": "move card to table n = count table", "BOUND": "5"}


def tally(folder: Path, changes: dict[str, str]) -> Rulebook:
    text = TALLY
    for key, value in (FIRST | changes).items():
        text = text.replace(key, value)
    path = folder / "game.rules"
    path.write_text(text, "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def lays(folder: Path, changes: dict[str, str], count: int) -> list[Finding]:
    """What is wrong with a game in which so many cards are laid, by each in turn."""
    book = tally(folder, changes)
    data = load(book.game.ruleset.address).play(["Ana", "Ben"], seed=1)
    hands = {name: list(cards) for name, cards in data["setup"]["hand"].items()}
    data["turns"] = [
        {"player": name, "actions": [{"action": "lay", "card": hands[name].pop()}]}
        for name in (["Ana", "Ben"] * count)[:count]
    ]
    data.pop("result", None)
    data.pop("recorded", None)
    return replay_record(book.game, book.decoder.record(data), book.legal).findings


@pytest.mark.parametrize("changes", [{}, SAME["an effect before another"]], ids=["behind", "before"])
def test_a_number_stays_in_its_bounds_behind_a_move(changes: dict[str, str], tmp_path: Path) -> None:
    assert lays(tmp_path, changes, 5) == []
    (found,) = lays(tmp_path, changes, 6)
    assert (found.code, found.rule) == ("PW602", "lay.n")


def test_effects_on_one_number_see_each_other(tmp_path: Path) -> None:
    assert lays(tmp_path, TWICE, 2) == []
    assert [f.code for f in lays(tmp_path, TWICE, 3)] == ["PW602"]
    assert lays(tmp_path, {"EFFECTS": "n = 0 n += 5 n += - 5 move card to table"}, 6) == []
    assert [f.code for f in lays(tmp_path, {"EFFECTS": "n += 6 n += - 6 move card to table"}, 1)] == ["PW602"]


@one_day_in(8)
@pytest.mark.parametrize("name", SAME)
def test_what_bounds_keep_is_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first, second = tally(tmp_path, {}), tally(tmp_path / "other", SAME[name])
    assert exit_code(compare_rulesets(first.game, second.game)) == 0
    found = play_both(first, second, [], effort=0.5)
    assert found.games == found.alike > 0


@pytest.mark.parametrize("change", [{"SCORE": "(if n > 5 then 99 else n)"}, {"SCORE": "(if n <= 5 then n else 98)"}])
def test_bounds_hold_for_what_consequences_change(change: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first, second = tally(tmp_path, FOLLOWS), tally(tmp_path / "other", FOLLOWS | change)
    assert exit_code(compare_rulesets(first.game, second.game)) == 0
    book = tally(tmp_path, FOLLOWS | {"BOUND": "99"})
    game = load(book.game.ruleset.address).play(["Ana", "Ben"], seed=1)
    under = tally(tmp_path, FOLLOWS)
    assert game["turns"][2:] and "PW619" in {
        f.code
        for f in replay_record(under.game, under.decoder.record(game | {"ruleset": "tally"}), under.legal).findings
    }


BEGINS = {"var m: 0..5 = 0 per turn": "var m: 0..5 = n per turn", "SCORE": "m"}


@pytest.mark.parametrize("base", [READS, FOLLOWS], ids=["a count behind a move", "a consequence"])
def test_a_variable_keeps_its_bounds_as_what_it_begins_with_does(base: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    changes = base | BEGINS
    first, second = (
        tally(tmp_path, changes),
        tally(tmp_path / "other", changes | {"SCORE": "(if m > 5 then 99 else m)"}),
    )
    assert exit_code(compare_rulesets(first.game, second.game)) == 0


@pytest.mark.parametrize("effects", ["n += 1 n += 1 move card to table", "n = 2 move card to table n += count table"])
def test_a_number_changed_twice_is_set_as_it_is_added_to(effects: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    at = effects.rindex("n += ")
    changed = f"{effects[:at]}n = n + {effects[at + 5 :]}"
    first, second = (tally(f, {"EFFECTS": e}) for f, e in ((tmp_path, effects), (tmp_path / "other", changed)))
    assert exit_code(compare_rulesets(first.game, second.game)) == 0
    found = play_both(first, second, [], effort=0.5)
    assert found.alike == found.games > 0


@one_day_in(8)
def test_engine_and_kernel_keep_the_same_bounds(tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    for at, changes in enumerate(
        [{}, TWICE, FOLLOWS | {"BOUND": "99"}, {"EFFECTS": "n = 0 n += 5 n += - card.value move card to table"}]
    ):
        (tmp_path / str(at)).mkdir()
        book = tally(tmp_path / str(at), changes)
        rules = load(book.game.ruleset.address)
        games = [g for seed in range(times(3, 10)) for g in [rules.play(["Ana", "Ben"], seed=seed)]]
        other = load(tally(tmp_path / str(at), changes | {"BOUND": "3"}).game.ruleset.address)
        for judged in (rules, other):
            fast = [(v.status, [c.code for c in v.causes[:1]]) for v in judged.check_many(games * 3)]
            slow = [(v.status, [c.code for c in v.causes[:1]]) for v in judged.check_many(games * 3, kernel=False)]
            assert fast == slow
