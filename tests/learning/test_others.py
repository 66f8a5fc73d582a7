"""What is told of other explanations is true of all changes that were tried, as a count of another kind shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.learning import Change, Explanation
from pwtool.learning.judging import CLEAN, Rules, Sample, Seen, judge_all
from pwtool.learning.kinds import Variant
from pwtool.learning.learned import Slip
from pwtool.learning.noting import Noted
from pwtool.learning.others import Others
from pwtool.learning.search import Search
from pwtool.learning.sisters import trimmed
from pwtool.learning.states import State, Step, Trial
from pwtool.show.html.learned import _sure
from pwtool.show.text.learning import _refused, other_lines
from pwtool.text import Diagnostic
from pwtool.text.speech import Speech
from pwtool.why.voice import Voice
from tests.daily import some
from tests.learning.truths import base_rules, store

DICE = """game dice "Dice"
players 2..2
var pts: 0..60 = 0 per player
var got: 0..60 = 0 per turn
var rolls: 0..9 = 0 per turn
turn = roll+ (keep | drop)
action roll "Roll" (die: 1..6 by chance) {
  rule most "At most three times" require rolls < 3
  rolls += 1
  got += die when die > 1
}
action keep "Keep" () { rule enough "Enough" require got >= 4 pts += got }
action drop "Drop" () { rule few "Few" require got < 8 pts += 1 }
ending far "Far" when some q in players: pts[q] >= 12 then stop
score pts "Points" = pts
ranking most total, shared
"""
PLAYED = "got >= 4 or rolls == 2"
"""A condition that no small change has, so that looser ones explain the games, each of them some."""


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game in a folder of its own, beside which it is played by another rule."""
    path = tmp_path_factory.mktemp("others") / "dice" / "game.rules"
    path.parent.mkdir()
    path.write_text(DICE, "utf-8")
    house = path.parent / "house.rules"
    house.write_text(f'edition house of dice "House"\nchange rule keep.enough "Enough" require {PLAYED}\n', "utf-8")
    return path


def games(dice: Path, seed: int, count: int) -> list[dict[str, Any]]:
    """Games by the other rule that name the known one."""
    rules = pwtool.load(dice.parent / "house.rules")
    played = [rules.play(seed=1000 * seed + number) | {"ruleset": str(dice)} for number in range(count)]
    return [{key: part for key, part in game.items() if key != "version"} for game in played]


def clean(dice: Path, played: list[dict[str, Any]], change: str) -> set[int]:
    """The games that are clean after a change, which a check of its own says."""
    path = dice.parent / "tried.rules"
    path.write_text(f'edition tried of dice "Tried"\n{change}\n', "utf-8")
    rules = pwtool.load(path)
    return {at for at, game in enumerate(played) if rules.check(game | {"ruleset": str(path)}).status == "clean"}


def looser() -> Iterator[tuple[str, str | None]]:
    """Changes that are tried of the rule, with what is told of them; 1 is the same in play as 2."""
    yield "remove rule keep.enough", None
    for number in (0, 2, 3):
        yield f'change rule keep.enough "Enough" require got >= {number}', f"require got >= {number}"


@pytest.mark.parametrize("seed", some(range(6), 1))
def test_what_accepts_the_same_games_or_more_is_told(seed: int, dice: Path) -> None:
    played = games(dice, seed, 16)
    data = pwtool.learn(played, of=str(dice), quick=True).data
    if not data["changes"]:
        return
    (change,) = data["changes"]
    accepts = {after: clean(dice, played, text) for text, after in looser()}
    learned = next(at for after, at in accepts.items() if after == change["after"])
    assert len(learned) == data["clean"]
    alike = [after for after, at in accepts.items() if at >= learned and after != change["after"]]
    assert len(change["others"]) + change["more"] >= len(alike)
    more = [after for after, at in accepts.items() if at > learned]
    assert change["sure"] <= (not more) and bool(more) <= any(other["games"] for other in change["others"])
    for other in change["others"]:
        if other["after"] in accepts and other["item"] == "rule keep.enough":
            names = {int(name.rpartition(":")[2]) - 1 if ":" in name else int(name) for name in other["games"]}
            assert len(names) == len(accepts[other["after"]] - learned)
    for slip, at in zip(data["probably_wrong"], sorted({*range(16)} - learned), strict=True):
        assert (slip["explained_by"] is not None) >= any(at in accepts[after] for after in more)


def test_another_explanation_that_accepts_more_is_not_sure() -> None:
    key = ("rule", "keep.enough")
    other = Explanation(key, "dropped", "require got >= 4", None, 9.0, "", None, ("g.jsonl:7",))
    change = Change(key, "number", "Enough", "got >= 4", "got >= 2", "", ("g.jsonl:1",), others=(other,))
    assert change.exceeded and not change.unsure and not change.sure
    assert not replace(change, others=(), more=2).exceeded
    text = "\n".join(other_lines(other, Speech("en")))
    assert "keep.enough: require got >= 4 -> (nothing)" in text and "it accepts 1 game more: g.jsonl:7" in text
    assert "not sure: another rule that was tried accepts more games" in _sure(change, Voice("en"))
    # Nothing else is said to explain the games only if there is nothing else.
    assert "nothing else" in _sure(replace(change, others=()), Voice("en"))
    assert "nothing else" not in _sure(replace(change, others=(), more=1), Voice("en"))


def test_what_is_tried_together_with_others_is_counted() -> None:
    """But not if what it was tried with explains the games alone, or if it is told in place of a change."""
    rules = base_rules("pig")
    one, two, three = (Variant(("ending", name), "number", "") for name in ("one", "two", "three"))
    seen = [Seen(CLEAN), Seen(CLEAN), Seen((0, 0, 0), "PW601", "one")]
    before = State("pig", rules, [seen[2]] * 3)
    state = State("pig", rules, seen, (Step(Trial(one, rules, seen), [], before, []),))
    search = Search(store(), [Sample(str(number), {}) for number in range(3)])

    def counted(accepts: int, *changes: Variant, address: str = "pig", already: int = 0) -> int:
        search.notes.tried = {(address, "x"): {(two.key, None): Noted(address, changes, accepts)}}
        search.notes.before = {(address, "x"): already}
        return Others(search, state, []).elsewhere(0)

    assert counted(0b011, two, three) == counted(0b111, two, three) == 1
    assert counted(0b010, two, three) == 0 and counted(0b011, two, three, already=0b111) == 0
    assert counted(0b011, two) == 0 and counted(0b011, two, address="pig+other") == 1
    assert counted(0b011, one, two) == 0


def test_a_game_that_is_called_wrong_names_what_would_explain_it(dice: Path, tmp_path: Path) -> None:
    played = games(dice, 4, 6)
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{json.dumps(game)}\n" for game in played), "utf-8")
    book = store().get(str(dice)).value
    assert book is not None
    rules = Rules.of(str(dice), trimmed(book.game.ruleset.merged))
    assert rules is not None
    samples = [Sample(str(at), game) for at, game in enumerate(played)]
    search = Search(store(), samples)
    seen = judge_all(rules, samples)
    refused = next(at for at, one in enumerate(seen) if not one.clean)
    gone = Variant(("rule", "keep.enough"), "dropped", None, 0.25)
    notes = search.notes.under(str(dice), rules, seen)
    notes[gone.key, None] = Noted(str(dice), (gone,), (1 << len(played)) - 1)
    found = Others.of(search, State(str(dice), rules, seen))
    # In a collection of which only some games were looked at, the others are judged.
    for name in (str(refused), "another"):
        told = found.explaining(name, samples[refused])
        assert told is not None and (told.key, told.after) == (gone.key, None) and str(refused) in told.games
    slip = Slip("g.jsonl:3", Diagnostic("PW601", "broken: Enough", None), told)
    lines = list(_refused([slip], Speech("en")))
    assert "it is clean with another change that was tried: rule keep.enough" in lines[1] and "(nothing)" in lines[1]
    # What refuses a game that is clean explains nothing.
    notes[gone.key, None] = Noted(str(dice), (gone,), 1 << refused)
    assert any(one.clean for one in seen) and not Others.of(search, State(str(dice), rules, seen)).wider
