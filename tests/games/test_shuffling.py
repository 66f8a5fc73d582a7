"""Orders that chance makes in the middle of a game: what a record says of them is judged by the rules that know them, alike by
engine and kernel, and refused by the others.
"""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pwtool.kernel.run import CLEAN, NOT_MINE
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.selfplay import Option, deal_at_random, legal_options, play_game, random_policy
from pwtool.records.encoding import encode_record
from pwtool.records.json_form import Malformed
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.text.source import SourceFile
from pwtool.why.causes import mark_causes
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer
from tests.kernel.judging import agree, bench, dumped, judged, of_text
from tests.support import EDITIONS, book, causes, few_or_many, message, replay

DE = "paper_world/de"
MOLE = str(Path(__file__).resolve().parents[1] / "rulesets" / "mole" / "game.rules")
STIRRED = {DE: "reshuffle", f"{DE}+advanced": "reshuffle", MOLE: "stir"}
Data = dict[str, Any]


def shuffled_game(address: str, players: int, seed: int, share: float = 0.2, most: int = 400) -> Data:
    """A random legal game in which piles are shuffled again and again."""
    rules, chance = book(address), Chance(seed)
    record = deal_at_random(rules.game, [f"P{i}" for i in range(1, players + 1)], chance)
    plain, rng = random_policy(chance), random.Random(seed)

    def policy(play: Play, options: list[Option], may_end: bool) -> Option | None:
        if rng.random() < share:
            idle = [o for o in legal_options(play, chance, idle=True) if o[0] in play.game.idle]
            if idle:
                return rng.choice(idle)
        return plain(play, options, may_end)

    play_game(rules.game, record, policy, rules.legal, most, chance)
    return encode_record(rules.game, record)


@cache
def _game(address: str) -> Data:
    return shuffled_game(address, 2, 1)


def game(address: str = DE) -> Data:
    return copy.deepcopy(_game(address))


def shuffles(record: Data, name: str = "reshuffle") -> list[tuple[int, int, Data]]:
    """Every shuffle of a record: turn, place in the turn, the action."""
    found = [(t, at, action) for t, turn in enumerate(record["turns"]) for at, action in enumerate(turn["actions"])]
    return [place for place in found if place[2]["action"] == name]


# ---- legal games ---------------------------------------------------------------------------------------------------------


@one_day_in(4)
@pytest.mark.parametrize("seeds", few_or_many(3, 60))
@pytest.mark.parametrize("address", STIRRED, ids=["de", "de advanced", "mole"])
def test_games_with_shuffles_are_clean_by_engine_and_kernel(address: str, seeds: int) -> None:
    here, orders = bench(address), 0
    for seed in range(seeds):
        record = shuffled_game(address, 2 + seed % 2, seed)
        found = shuffles(record, STIRRED[address])
        orders += sum(list(a.values())[-1] != sorted(list(a.values())[-1]) for _, _, a in found)
        assert replay(address, record).clean
        (said,) = judged(here, [dumped(record)], own=True)
        assert said.verdict == CLEAN and said == of_text(here, dumped(record)), seed
        record_again = here.rules.decoder.record(record)
        assert here.packer.unpack(here.packer.pack(record_again), record["players"]).turns == record_again.turns
    assert orders > 3


@pytest.mark.parametrize("address", STIRRED, ids=["de", "de advanced", "mole"])
def test_a_shuffle_is_written_down_and_read_again(address: str) -> None:
    rules, record = book(address), game(address)
    text = format_notation(record, rules.game)
    tree = parse_notation(SourceFile("game.pwn", text)).value
    assert tree is not None
    read = read_notation(tree, rules.game)
    assert read.value is not None and not read.diagnostics
    assert read.value.data == record
    assert encode_record(rules.game, rules.decoder.record(record)) == record


def test_later_draws_come_from_the_new_order() -> None:
    """With another order than the recorded one a later take is refused, or what it took is."""
    record = game()
    refused = 0
    for turn, at, action in shuffles(record):
        other = copy.deepcopy(record)
        other["turns"][turn]["actions"][at]["order"] = action["order"][::-1]
        if len(set(action["order"])) > 1 and not replay(DE, other).clean:
            refused += 1
            assert all(f.path[:2] >= ("turns", turn) for f in replay(DE, other).findings)
    assert refused


def test_random_play_shuffles_nothing_of_its_own_accord() -> None:
    rules = book(DE)
    record = deal_at_random(rules.game, ["A", "B"], Chance(3))
    play = play_game(rules.game, record, random_policy(Chance(3)), rules.legal, 6)
    assert not shuffles(encode_record(rules.game, record))
    steps = play.all_steps()
    number = rules.game.action_numbers["reshuffle"]
    assert {step for step in steps if step not in play.next_steps()} == {(number, play.owner)}
    ways = play.arguments(number, play.owner)
    # One for each pile, whatever chance will make of it.
    assert [pile for pile, _ in ways] == [n for n, pile in enumerate(play.state.zones[0], 1) if len(pile) > 1]


# ---- refused by the others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [e for e in EDITIONS if e != DE])
def test_other_editions_know_no_shuffle(address: str) -> None:
    record = game()
    turn, at, _ = shuffles(record)[0]
    with pytest.raises(Malformed) as problem:
        book(address).decoder.record(record)
    assert problem.value.message == "there is no action `reshuffle`"
    assert problem.value.path[:4] == ("turns", turn, "actions", at)
    (said,) = judged(bench(address), [dumped(record)])
    assert said.verdict == NOT_MINE


# ---- illegal orders ------------------------------------------------------------------------------------------------------


def with_order(change: Any) -> tuple[Data, tuple[int, int]]:
    """The game with the order of its longest shuffle changed, and where that stands."""
    record = game()
    turn, at, action = max(shuffles(record), key=lambda place: len(place[2]["order"]))
    change(action)
    return record, (turn, at)


def top_of(turn: int, at: int, pile: int) -> str:
    """The top of a supply pile before an action."""
    from pwtool.play.replay import replay_record

    rules, found = book(DE), []

    def look(play: Play, t: int, a: int | None) -> None:
        if (t, a) == (turn, at):
            found.append(play.state.zones[0][pile - 1][-1])

    replay_record(rules.game, rules.decoder.record(game()), rules.legal, look)
    return rules.game.ruleset.components["card"].codes[found[0]]


def replaced(action: Data) -> None:
    other = next(code for code in ("Y5", "B5", "G5", "K5") if code not in action["order"])
    action["order"][0] = other


def doubled(action: Data) -> None:
    first = action["order"][0]
    at = next(at for at, code in enumerate(action["order"]) if code != first)
    action["order"][at] = first


WRONG = {
    "one left out": lambda action: action["order"].pop(),
    "nothing named": lambda action: action.update(order=[]),
    "one too much": lambda action: action["order"].append(action["order"][0]),
    "another card": replaced,
    "one twice": doubled,
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_an_order_has_every_card_once(change: Any) -> None:
    record, (turn, at) = with_order(change)
    findings = [f for f in replay(DE, record).findings if f.path[:4] == ("turns", turn, "actions", at)]
    assert [(f.code, f.rule, f.path[4:]) for f in findings] == [("PW602", "reshuffle.order", ("order",))]
    here = bench(DE)
    (said,) = judged(here, [dumped(record)])
    assert agree(here, said, of_text(here, dumped(record)))
    assert (said.code, said.rule, said.turn, said.action) == ("PW602", "reshuffle.order", turn + 1, at)


def test_what_is_wrong_with_an_order_is_said() -> None:
    record, _ = with_order(lambda action: action["order"].pop())
    found = replay(DE, record)
    text = message(found, found.findings[0])
    assert text.startswith("the new order of supply below the top leaves out `") and " and " not in text
    record, _ = with_order(doubled)
    found = replay(DE, record)
    first = found.findings[0]
    assert "leaves out `" in message(found, first) and message(found, first).endswith("` too many")


def test_the_top_card_keeps_its_place() -> None:
    for turn, at, action in shuffles(game())[:3]:
        top = top_of(turn, at, action["pile"])
        if top in action["order"]:
            continue
        record = game()
        named = record["turns"][turn]["actions"][at]["order"]
        named[0] = top
        assert ("PW602", "reshuffle.order") in {(f.code, f.rule) for f in causes(DE, record)}


def test_a_pile_that_is_not_there_cannot_be_read() -> None:
    record, _ = with_order(lambda action: action.update(pile=6))
    with pytest.raises(Malformed):
        book(DE).decoder.record(record)


def test_a_pile_without_cards_below_its_top_is_not_shuffled() -> None:
    record = game()
    for pile in record["setup"]["supply"][2:]:
        record["setup"]["supply"][1] += pile[2:]
        del pile[2:]
    record["setup"]["supply"][1] += record["setup"]["supply"][4][1:] + record["setup"]["supply"][3]
    record["setup"]["supply"][3:] = [[], record["setup"]["supply"][4][:1]]
    del record["result"]
    player = record["players"][0]
    for pile in (4, 5):
        action = {"action": "reshuffle", "pile": pile, "order": []}
        record["turns"] = [{"player": player, "actions": [action]}]
        assert [(f.code, f.rule) for f in replay(DE, record).findings] == [("PW601", "reshuffle.left")]


def test_a_shuffle_is_noted_with_the_player_whose_turn_it_is() -> None:
    record = game()
    turn, _at, action = shuffles(record)[0]
    owner = record["turns"][turn]["player"]
    action["by"] = next(name for name in record["players"] if name != owner)
    assert ("PW603", "turn") in {(f.code, f.rule) for f in replay(DE, record).findings}


def test_a_shuffle_is_no_turn() -> None:
    record = game()
    record["turns"] = record["turns"][:1]
    del record["result"]
    pile = record["setup"]["supply"][0]
    action = {"action": "reshuffle", "pile": 1, "order": pile[:-1]}
    record["turns"] = [
        {"player": record["players"][0], "actions": [action]},
        {"player": record["players"][1], "actions": []},
    ]
    assert "PW615" in {f.code for f in replay(DE, record).findings}


# ---- damaged games -------------------------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("count", few_or_many(60, 3000))
@pytest.mark.parametrize("address", STIRRED, ids=["de", "de advanced", "mole"])
def test_damaged_games_are_judged_alike_by_engine_and_kernel(address: str, count: int) -> None:
    here, rng = bench(address), random.Random(5)
    changer = Changer(address, rng)
    records = [shuffled_game(address, 2, seed, 0.5, 12) for seed in range(6)]
    for record in records:
        # Only what is near shuffles is damaged.
        record["turns"] = [t for t in record["turns"] if shuffles({"turns": [t]}, STIRRED[address])] or record["turns"]
    texts = []
    for number in range(count):
        record = copy.deepcopy(records[number % len(records)])
        if number % 2:
            texts.append(dumped(changer.changed(record)))
            continue
        found = shuffles(record, STIRRED[address])
        if found:
            _, _, action = rng.choice(found)
            order = list(action.values())[-1]
            rng.choice(
                (rng.shuffle, lambda o: o.pop() if o else None, lambda o: o.extend(o[:1]), lambda o: o.reverse())
            )(order)
        texts.append(dumped(record))
    for text, said in zip(texts, judged(here, texts), strict=True):
        assert agree(here, said, of_text(here, text)), text


# ---- cards that nobody saw -----------------------------------------------------------------------------------------------


def hidden(address: str, record: Data, share: float, rng: random.Random) -> Data:
    """The record with cards of its setup and of its orders unread, each by itself."""
    name, found = STIRRED[address], copy.deepcopy(record)
    step = "supply" if address != MOLE else "holes"
    for pile in found["setup"][step]:
        pile[:] = ["?" if rng.random() < share else code for code in pile]
    for _, _, action in shuffles(found, name):
        key = list(action)[-1]
        action[key] = ["?" if rng.random() < share else code for code in action[key]]
    return found


@pytest.mark.parametrize("seeds", few_or_many(8, 150))
@pytest.mark.parametrize("address", some([*STIRRED], 1), ids=["de", "de advanced", "mole"])
def test_whatever_nobody_saw_a_legal_game_is_never_wrong(address: str, seeds: int) -> None:
    for seed in range(seeds):
        rng = random.Random(seed)
        record = hidden(address, shuffled_game(address, 2, seed), rng.choice((0.05, 0.3, 1.0)), rng)
        wrong = [(f.code, f.rule, f.path) for f in replay(address, record).findings if not f.undetermined]
        assert not wrong, (seed, wrong)
        (said,) = judged(bench(address), [dumped(record)])
        assert said.verdict == NOT_MINE or "?" not in json.dumps(record)


def unseen_start(pile: list[str]) -> Data:
    """A game of which nothing is told but one pile."""
    record = game()
    del record["result"]
    record["turns"] = []
    record["setup"]["supply"] = [["?"] * len(p) for p in record["setup"]["supply"]]
    rest = len(record["setup"]["supply"][0]) - len(pile)
    record["setup"]["supply"][0] = pile
    record["setup"]["supply"][1] += ["?"] * rest
    return record


def stirred(record: Data, order: list[str], *more: Data) -> list[tuple[str, str | None]]:
    """What is wrong with a game in which the first pile is shuffled."""
    actions = [{"action": "reshuffle", "pile": 1, "order": order}, *more]
    record["turns"] = [{"player": record["players"][0], "actions": actions}]
    return [(f.code, f.rule) for f in replay(DE, record).findings if not f.undetermined]


MISSING = [("PW602", "reshuffle.order")]


def test_an_order_may_name_what_nobody_saw_and_leave_unread_what_is_known() -> None:
    for order in (["?", "?", "?"], ["K4", "?", "?"], ["Y1", "K4", "G2"], ["?", "Y1", "K4"]):
        assert stirred(unseen_start(["?", "Y1", "?", "G5"]), order) == []
    # The known card has to be there, or something unread that may be it.
    assert stirred(unseen_start(["?", "Y1", "?", "G5"]), ["K4", "G2", "B3"]) == MISSING
    assert stirred(unseen_start(["?", "Y1", "?", "G5"]), ["?", "?"]) == MISSING
    assert stirred(unseen_start(["G2", "Y1", "B3", "G5"]), ["?", "?", "K4"]) == MISSING


def test_an_order_names_no_card_that_the_deck_has_no_more_of() -> None:
    # With two players there is one yellow 5.
    assert stirred(unseen_start(["?", "?", "?", "Y5"]), ["?", "Y5", "?"]) == MISSING
    assert stirred(unseen_start(["?", "?", "?", "G1"]), ["Y5", "Y5", "?"]) == MISSING
    assert stirred(unseen_start(["?", "?", "?", "G1"]), ["Y5", "?", "?"]) == []


def test_what_turns_up_after_a_shuffle_need_not_have_lain_there_before() -> None:
    """The lowest card comes to lie under the top by the shuffle: it is not a witness of what lay there from the start."""
    record = unseen_start(["K4", "Y1", "G5"])
    take = {"action": "take", "announced": 5, "cards": {"1": "G5"}, "reveal": {"supply": {"1": "K4"}}}
    assert stirred(record, ["?", "?"], take) == []
    assert stirred(record, ["Y1", "?"], take) == []
    assert ("PW614", "setup.supply") in stirred(record, ["K4", "Y1"], take)


def test_an_unread_card_that_can_only_be_one_is_known() -> None:
    take = {"action": "take", "announced": 5, "cards": {"1": "G5"}, "reveal": {"supply": {"1": "B2"}}}
    assert ("PW614", "setup.supply") in stirred(unseen_start(["K4", "K4", "G5"]), ["?", "K4"], take)
    assert ("PW614", "setup.supply") in stirred(unseen_start(["K4", "B2", "G5"]), ["B2", "?"], take)
    assert stirred(unseen_start(["K4", "B2", "G5"]), ["?", "B2"], take) == []


def test_the_correction_of_an_order_is_the_nearest_one() -> None:
    right, (_, (turn, at)) = game(), with_order(doubled)
    order = right["turns"][turn]["actions"][at]["order"]

    def swapped(action: Data) -> None:
        # The card is put where it belongs: of equal ones the last is taken for the slip.
        action["order"][-1] = next(code for code in order if code != order[-1])

    record, _ = with_order(swapped)
    found = replay(DE, record)
    rules = book(DE)
    (move,) = mark_causes(rules.game, found, rules.legal).moves.values()
    assert move.arguments[1] == rules.decoder.record(right).turns[turn].moves[at].arguments[1]
