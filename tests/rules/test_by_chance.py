"""What chance draws: never asked of anybody, as likely as it should be, and nothing that is legal depends on it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import Runner as Kernels
from pwtool.kernel.wasm.chance import FAILED
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.record import Move
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import OutOfBounds, deal_at_random, play_game, random_policy
from pwtool.play.setup import build_state
from pwtool.why.describe import describe_action
from tests.daily import some
from tests.kernel.packing import Packer
from tests.rules.test_constructs import load, loaded
from tests.support import book

DICE = Path(__file__).resolve().parents[1] / "kernel" / "rules" / "dice" / "game.rules"
GAME = """game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck pack of card = { 3 R1 R2 B1 }
zone hand: bag of card per player
zone stock: pile of card
zone shown[3]: slot of card
zone land: floating grid 3x3 of card
zone row[3]: pile of card
setup deal stock "s": all of pack to stock
var n: 0..5 = 0 per game
turn = go
action go "Go" (PARAMETERS) { EFFECTS }
ending out "o" when stock is empty then stop
score s "s" = count hand
ranking most total, shared
"""
MISTAKES = [
    ("die: 1..6 by chance", 'rule r "r" require die > 1', "die > 1", "never depends on what chance draws"),
    ("die: 1..6 by chance", 'let high = die > 3 rule r "r" when high require n > 1', "high", "never depends on what chance draws"),
    ("die: 1..6 by chance, card: card from hand", "move card to stock", "die: 1..6 by chance", "after what players name"),
    ("card: card from stock by chance", 'rule r "r" require card.value > 1', "card.value > 1", "never depends on what chance draws"),
    ("cards: cards from stock by chance", "move cards to hand", "cards: cards from stock by chance", "chance draws one thing"),
    ("o: order of stock by chance", "shuffle o", "o: order of stock by chance", "chance draws one thing"),
    ("die: 1..6 per player by chance", "n += 1", "die: 1..6 per player by chance", "chance draws one thing"),
    ("at: cell of land by chance", "n += 1", "at: cell of land by chance", "does not float"),
    ("die: 1..3 by chance", "move top of stock to shown[die]", "shown[die]", "whether there is room"),
    ("die: 1..3 by chance", "n = die move top of stock to shown[1] when n > 2", "shown[1]", "whether there is room"),
    ("die: 1..3 by chance", "move top of shown[1] to stock when die > 2 move top of stock to shown[1]", "shown[1]", "whether there is room"),
    ("o: order of stock", "shuffle o move top of stock to shown[1] when (top of stock).value == 1", "shown[1]", "whether there is room"),
]  # fmt: skip


def written(parameters: str, effects: str) -> str:
    return GAME.replace("PARAMETERS", parameters).replace("EFFECTS", effects)


@pytest.mark.parametrize(("parameters", "effects", "at", "says"), MISTAKES, ids=[f"{m[0]} {m[1]}" for m in MISTAKES])
def test_a_mistake_is_told(parameters: str, effects: str, at: str, says: str, tmp_path: Path) -> None:
    game, findings = load(tmp_path, written(parameters, effects))
    assert game is None
    told = [(d.message, d.span and d.span.text) for d in findings]
    assert any(d.span and at in d.span.text and says in d.message for d in findings), told


def test_what_chance_draws_stands_once_among_what_is_legal(tmp_path: Path) -> None:
    game = loaded(
        tmp_path,
        written("many: 1..2, die: 1..6 by chance, card: card from stock by chance", "n += die move card to hand"),
    )
    play = Play(game, build_state(game, deal_at_random(game, ["a", "b"], Chance(1)))[0])
    play.begin_turn(0)
    options = play.legal_actions()
    assert [arguments[0] for _, _, arguments in options] == [1, 2]
    action = game.action(0)
    assert describe_action(game, action, options[0][2], ["a", "b"], [], True) == "go 1 die by chance card by chance"
    # Any outcome is legal; one that takes a number out of its bounds is a fault of the rules. Nothing else is legal.
    faces = game.ruleset.components["card"].numbers
    for die in range(1, 7):
        assert play.is_legal(0, 0, (1, die, faces["R2"]))
    assert not play.is_legal(0, 0, (1, 3, faces["B3"]))


@pytest.mark.parametrize(
    ("parameters", "effects", "asked"),
    some([
        ("die: 1..6 by chance", "n += die", ""),
        ("die: 1..6 by chance", "n = die  m = n", ""),
        ("die: 1..6 by chance", "n = die  m = 5", "m"),
        ("die: 1..6 by chance", "m = 5  n = die", "m"),
        ("die: 1..6 by chance", "for each v in 1..3 { n = m  m += die }", ""),
        ("die: 1..6 by chance", "move top of stock to hand when die > 3  m = 3 + count hand", ""),
        ("card: card from stock by chance", "move card to hand  m = (max value of hand else 0)", ""),
        ("card: card from stock by chance", "move card to hand  m = 3 + count hand", "m"),
        ("card: card from stock by chance", "move card to shown[1]  move top of shown[1] to hand  m = 3 + count hand", "m"),
        ("o: order of stock", "shuffle o  m = (if (top of stock).value == 3 then 4 else 5)", ""),
        ("o: order of stock", "shuffle o  m = count stock", "m"),
        ("o: order of stock", "shuffle o  move top of stock to hand  m = (sum value of hand) + 2", ""),
    ], 2),
)  # fmt: skip
def test_bounds_that_depend_on_chance_do_not_decide_what_is_legal(
    parameters: str, effects: str, asked: str, tmp_path: Path
) -> None:
    game = loaded(tmp_path, written(parameters, effects).replace("turn = go", "var m: 0..3 = 0 per game\nturn = go"))
    play = Play(game, build_state(game, deal_at_random(game, ["a", "b"], Chance(1)))[0])
    play.begin_turn(0)
    assert bool(play.legal_actions()) == (not asked)
    (words,) = Kernels(compile_kernel(game.ruleset)).instance().play(1, 1, 2, 1)
    rng = Chance(1)
    record = deal_at_random(game, ["a", "b"], rng)
    try:
        play_game(game, record, random_policy(rng), max_turns=1, rng=rng)
    except OutOfBounds:
        # What was drawn shows that the rules are at fault.
        assert not asked and list(words) == [FAILED]
        return
    assert bool(record.turns) == (not asked) and Packer(game.ruleset).pack(record) == words


def test_what_chance_draws_is_as_likely_as_it_should_be(tmp_path: Path) -> None:
    game = loaded(tmp_path, written("die: 1..4 by chance, card: card from stock by chance", "move card to hand"))
    rng, dice, cards = Chance(7), Counter[int](), Counter[str]()
    record = deal_at_random(game, ["a", "b"], rng)
    play = Play(game, build_state(game, record)[0])
    play.begin_turn(0)
    codes = game.ruleset.components["card"].codes
    for _ in range(4000):
        die, face = play.drawn(0, 0, (1, 0), rng)
        dice[die] += 1
        cards[codes[face]] += 1
    assert all(900 < count < 1100 for count in dice.values()) and len(dice) == 4
    assert 2200 < cards["R1"] < 2600 and 700 < cards["R2"] < 900 and 700 < cards["B1"] < 900


@pytest.mark.parametrize("seed", range(6))
def test_other_outcomes_in_a_record_are_as_right(seed: int) -> None:
    rules = book(str(DICE))
    rng = Chance(seed)
    record = deal_at_random(rules.game, ["a", "b"], rng)
    play_game(rules.game, record, random_policy(rng), rules.legal, 30, rng)
    assert replay_record(rules.game, record, rules.legal).clean
    # In the last turn nothing comes behind it that would be something else then.
    turn = record.turns[-1]
    record.outcome, record.recorded = None, frozenset()
    first = turn.moves[0]
    for die in range(1, 7):
        arguments = (die, *first.arguments[1:])
        turn.moves[:] = [Move(first.number, arguments, 0, first.actor)]
        assert {f.code for f in replay_record(rules.game, record, rules.legal).findings} <= {"PW612"}
