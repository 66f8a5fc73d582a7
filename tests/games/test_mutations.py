"""Every kind of damage to a clean recorded game is caught at its action, under the right rule."""

from __future__ import annotations

import copy
import dataclasses
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest

from pwtool.play.play import Play
from pwtool.play.replay import Replay, replay_record
from pwtool.why.causes import mark_causes
from tests.daily import one_day_in, some
from tests.games.damage import KINDS, Case, Damaged, Path, Spot, prepare
from tests.support import book, full_record, imported, random_game, raw_games

Kind = Callable[[Case, random.Random], Damaged | None]

# ---- more kinds: whole turns made up, and what only a change of several things can break -----------------------------


def _turn_replaced(case: Case, turn: int, actions: list[dict[str, Any]]) -> dict[str, Any]:
    damaged = copy.deepcopy(case.record)
    damaged["turns"][turn]["actions"] = actions
    return damaged


def _inserted(case: Case, turn: int, at: int, action: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(case.record)
    damaged["turns"][turn]["actions"].insert(at, action)
    return damaged


def _place(spot: Spot, code: str, cell: tuple[int, int], pay: list[str]) -> tuple[dict[str, Any], Spot]:
    """The action, and the moment after it."""
    hand = list(spot.hand)
    for card in (code, *pay):
        hand.remove(card)
    board = {**spot.board, cell: [*spot.board.get(cell, []), code]}
    skips = spot.skips + (spot.gap(code, cell) > 0)
    after = dataclasses.replace(spot, hand=hand, board=board, placed=[*spot.placed, code], skips=skips)
    return {"action": "place", "card": code, "at": list(cell), "pay": pay}, after


def _skips(spot: Spot, price: int) -> Iterator[tuple[dict[str, Any], Spot]]:
    """Every way to skip one value, paid with so many cards; all other rules are kept."""
    for code in dict.fromkeys(spot.hand):
        rest = list(spot.hand)
        rest.remove(code)
        if spot.shares(code) and len(rest) >= price:
            for cell in spot.good_cells(code, 1):
                # What is paid comes from both ends of the hand, so that what fits together may stay.
                for pay in (rest[:price], rest[len(rest) - price :])[: 1 + (price > 0)]:
                    yield _place(spot, code, cell, pay)


def _turn_starts(case: Case, rng: random.Random) -> list[Spot]:
    found = [s for s in case.spots if s.at == 0]
    rng.shuffle(found)
    return found


def two_skips_in_a_turn(case: Case, rng: random.Random) -> Damaged | None:
    if case.advanced:
        return None
    for spot in _turn_starts(case, rng):
        price = 0 if spot.holds else 1
        for first, after in _skips(spot, price):
            for second, _ in _skips(after, price):
                damaged = _turn_replaced(case, spot.turn, [first, second])
                return damaged, "PW601", "place.skip_once", ("turns", spot.turn, "actions", 1)
    return None


def second_discount(case: Case, rng: random.Random) -> Damaged | None:
    if not case.advanced:
        return None
    for spot in _turn_starts(case, rng):
        if spot.holds:
            for first, after in _skips(spot, 0):
                for second, _ in _skips(after, 0):
                    damaged = _turn_replaced(case, spot.turn, [first, second])
                    return damaged, "PW601", "place.skip_price", ("turns", spot.turn, "actions", 1)
    return None


def take_twice(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _turn_starts(case, rng):
        left = {p: t for p, t in spot.tops.items() if p not in spot.action.get("cards", {})}
        if spot.action["action"] == "take" and left:
            pile, top = next(iter(left.items()))
            again = {"action": "take", "announced": int(top[-1]), "cards": {pile: top}}
            return _inserted(case, spot.turn, 1, again), "PW603", "turn", ("turns", spot.turn, "actions", 1)
    return None


def action_of_another_player(case: Case, rng: random.Random) -> Damaged | None:
    spot = rng.choice(case.spots)
    damaged = copy.deepcopy(case.record)
    other = next(p for p in case.record["players"] if p != spot.player)
    damaged["turns"][spot.turn]["actions"][spot.at]["by"] = other
    return damaged, "PW603", "turn", ("turns", spot.turn, "actions", spot.at)


def action_after_a_claim(case: Case, rng: random.Random) -> Damaged | None:
    for turn, at, _ in _claims(case):
        actions = case.record["turns"][turn]["actions"]
        last = max(i for i, a in enumerate(actions) if a["action"] != "claim")
        if at == last + 1:
            moved = [*actions[:last], actions[at], actions[last], *actions[at + 1 :]]
            if last > 0 and actions[last]["action"] == "trim":
                return _turn_replaced(case, turn, moved), "PW603", "turn", ("turns", turn, "actions", at)
            again = {"action": "grab", "at": [0, 0]}
            return _inserted(case, turn, at + 1, again), "PW603", "turn", ("turns", turn, "actions", at + 1)
    return None


def _claims(case: Case) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for turn, data in enumerate(case.record["turns"]):
        for at, action in enumerate(data["actions"]):
            if action["action"] == "claim":
                yield turn, at, action


def claim_too_low(case: Case, rng: random.Random) -> Damaged | None:
    for turn, at, claim in _claims(case):
        if claim["prize"] > 1:
            damaged = copy.deepcopy(case.record)
            damaged["turns"][turn]["actions"][at]["prize"] = 1
            return damaged, "PW601", "claim.prize", ("turns", turn, "actions", at)
    return None


def claim_of_a_goal_not_in_play(case: Case, rng: random.Random) -> Damaged | None:
    goals = case.record["setup"]["goals"]
    names = [g for g in book(case.record["ruleset"]).game.ruleset.objectives if g not in goals]
    turn = rng.randrange(len(case.record["turns"]))
    at = len(case.record["turns"][turn]["actions"])
    claim = {"action": "claim", "goal": rng.choice(names)}
    return _inserted(case, turn, at, claim), "PW602", "claim.goal", ("turns", turn, "actions", at)


def claim_with_no_token_left(case: Case, rng: random.Random) -> Damaged | None:
    """The same moves with other objectives in play: the last of four players to fulfil one finds no token."""
    if len(case.record["players"]) < 4:
        return None
    reached = _reached(case)
    for goal in dict.fromkeys(goal for goal, _ in reached):
        turns = sorted(turn for (name, _), turn in reached.items() if name == goal)
        if len(turns) == 4:
            damaged = copy.deepcopy(case.record)
            damaged["recorded"] = []
            damaged.pop("result")
            others = [g for g in damaged["setup"]["goals"] if g != goal]
            damaged["setup"]["goals"] = [goal, *others[:2]]
            for turn in damaged["turns"]:
                turn["actions"] = [a for a in turn["actions"] if a["action"] != "claim"]
            late = damaged["turns"][turns[-1]]["actions"]
            late.append({"action": "claim", "goal": goal})
            return damaged, "PW601", "claim.left", ("turns", turns[-1], "actions", len(late) - 1)
    return None


def _reached(case: Case) -> dict[tuple[str, int], int]:
    """In which turn each player's landscape first fulfilled each of the twenty objectives."""
    rules = book(case.record["ruleset"])
    objectives = {name: rules.game.interpreter.objective(name) for name in rules.game.ruleset.objectives}
    landscape = rules.game.ruleset.zones["landscape"].number
    found: dict[tuple[str, int], int] = {}

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is None:
            player = play.state.player
            for name, holds in objectives.items():
                if (name, player) not in found and holds(play.state, play.state.zones[landscape][player]):
                    found[name, player] = turn

    replay_record(rules.game, rules.decoder.record(case.record), rules.legal, observe)
    return found


def wrong_end_turn(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    damaged["result"]["end"]["turn"] += rng.choice([-1, 1])
    return damaged, "PW608", "exhausted", ("result", "end", "turn")


MORE: tuple[Kind, ...] = (
    two_skips_in_a_turn, second_discount, take_twice, action_of_another_player, action_after_a_claim, claim_too_low,
    claim_of_a_goal_not_in_play, claim_with_no_token_left, wrong_end_turn,
)  # fmt: skip
ALL: tuple[Kind, ...] = (*KINDS, *MORE)

# How many base and advanced games must offer a place for a kind, where it is not the usual number of each.
USUAL = (25, 25)
LEAST = {
    "gap_of_two": (30, 0),
    "second_skip": (25, 0),
    "two_skips_in_a_turn": (30, 0),
    "second_discount": (0, 15),
    "build_on_the_blocked_pile": (20, 15),
    "tenth_card_kept": (25, 14),
    "claim_too_high": (15, 18),
    "claim_too_low": (20, 20),
    # Few recorded games have four landscapes that fulfil the same objective.
    "claim_with_no_token_left": (2, 1),
}

# ---- the tests -------------------------------------------------------------------------------------------------------


@cache
def cases() -> list[Case]:
    found = [prepare(name, full_record(raw)) for name, raw in raw_games("base", "advanced")]
    assert len(found) == 72
    return found


def stands_before(path: Path, place: Path) -> bool:
    """Whether a finding lies before a place: an earlier turn, or an earlier action of its turn."""
    parts = ("setup", "turns", "result")
    if path[0] != place[0]:
        return path[0] in parts and parts.index(path[0]) < parts.index(place[0])
    if path[0] != "turns" or path[1] != place[1]:
        return bool(path[0] == "turns" and path[1] < place[1])
    if path[2:3] == ("player",):
        return place[2:3] != ("player",)
    return path[2:3] == place[2:3] == ("actions",) and path[3] < place[3]


def check_caught(name: str, damaged: Damaged) -> Replay:
    """The damage is the first finding of the replay, under its rule; nothing before it, and nothing else about it."""
    record, code, rule, place = damaged
    rules = book(record["ruleset"])
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    mark_causes(rules.game, replay, rules.legal)
    where = f"{name}: {[(f.code, f.rule, f.path) for f in replay.findings[:5]]}"
    first = replay.findings[0]
    assert first.path[: len(place)] == place and not first.follows, where
    assert not any(stands_before(f.path, place) for f in replay.findings), where
    here = [f for f in replay.findings if f.path[: len(place)] == place]
    assert (code, rule) in [(f.code, f.rule) for f in here if not f.follows], where
    if code in ("PW601", "PW602") and rule.partition(".")[0] in ("take", "place", "grab", "trim", "turn"):
        # Of an action that takes a card that is not there, what the rules say follows from that.
        assert {f.rule for f in here if not f.follows} == {rule}, where
        assert code == "PW602" or not any(f.follows for f in here), where
    if replay.prefix is not None and place[0] == "turns":
        assert replay.prefix[0] == place[1], where
    return replay


# Of so many base and as many advanced games each kind is caught every day: finding out what follows from the damage
# takes longest. `make test-full` has all games.
EVERYDAY = 5


def mixed(kind: Kind) -> list[Case]:
    """The games in an order of their own for each kind, so that the first of them are not always the same."""
    return sorted(cases(), key=lambda case: random.Random(f"{kind.__name__} {case.name}").random())


@pytest.mark.parametrize("kind", some([*ALL], 4), ids=[k.__name__ for k in ALL])
def test_damage_is_caught_at_its_action_under_its_rule(kind: Kind) -> None:
    caught = [0, 0]
    for case in mixed(kind):
        damaged = kind(case, random.Random(case.name)) if caught[case.advanced] < EVERYDAY else None
        if damaged is not None:
            check_caught(case.name, damaged)
            caught[case.advanced] += 1
    least = LEAST.get(kind.__name__, USUAL)
    assert caught[0] >= min(EVERYDAY, least[0]) and caught[1] >= min(EVERYDAY, least[1]), caught


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL, ids=[k.__name__ for k in ALL])
def test_damage_in_all_games_is_caught_at_its_action_under_its_rule(kind: Kind) -> None:
    for case in cases():
        damaged = kind(case, random.Random(case.name))
        if damaged is not None:
            check_caught(case.name, damaged)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL, ids=[k.__name__ for k in ALL])
def test_damage_in_many_places_is_caught_at_its_action_under_its_rule(kind: Kind) -> None:
    caught = 0
    for case in cases():
        for seed in range(2):
            damaged = kind(case, random.Random(f"{case.name} {seed}"))
            if damaged is not None:
                check_caught(f"{case.name} {seed}", damaged)
                caught += 1
    assert caught >= 2 * sum(LEAST.get(kind.__name__, USUAL))


def test_there_are_enough_kinds() -> None:
    assert len({k.__name__ for k in ALL}) == len(ALL) >= 40
    assert set(LEAST) <= {k.__name__ for k in ALL}


@one_day_in(7)
def test_every_rule_of_the_edition_is_broken_by_some_kind() -> None:
    broken = set()
    for kind in ALL:
        possible = [0, 0]
        for case in cases():
            damaged = kind(case, random.Random(case.name))
            if damaged is not None:
                broken.add(damaged[2])
                possible[case.advanced] += 1
        least = LEAST.get(kind.__name__, USUAL)
        assert possible[0] >= least[0] and possible[1] >= least[1], (kind.__name__, possible)
    ruleset = book("paper_world/gamepark").game.ruleset
    actions = (*ruleset.actions.values(), *ruleset.consequences.values())
    rules = {r.id for action in actions for r in action.rules} | {r.id for r in ruleset.turn_rules}
    assert rules and rules <= broken, rules - broken


def test_the_record_is_clean_before_the_damage() -> None:
    for case in cases():
        rules = book(case.record["ruleset"])
        assert replay_record(rules.game, rules.decoder.record(case.record), rules.legal).clean, case.name


# ---- rules that only other editions have, broken in random games of theirs -------------------------------------------


def grab_left_out(record: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Each turn whose only grab comes after its last card, with the grab taken out."""
    for turn, data in enumerate(record["turns"]):
        kinds = [a["action"] for a in data["actions"]]
        if kinds.count("grab") == 1 and "place" not in kinds[kinds.index("grab") :]:
            grab = data["actions"].pop(kinds.index("grab"))
            yield "turn.must_take", ("turns", turn)
            data["actions"].insert(kinds.index("grab"), grab)


def pass_instead_of_a_take(record: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    for turn, data in enumerate(record["turns"]):
        if data["actions"][0]["action"] == "take":
            actions = data["actions"]
            data["actions"] = [{"action": "pass"}, *(a for a in actions if a["action"] == "claim")]
            yield "pass.no_choice", ("turns", turn, "actions", 0)
            data["actions"] = actions


@pytest.mark.parametrize("games", [2, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("address", "change"),
    some([
        *((a, grab_left_out) for a in ("paper_world/fr", "paper_world/fr+advanced", "paper_world/de", "paper_world/de+advanced")),
        *((a, pass_instead_of_a_take) for a in ("paper_world/en", "paper_world/fr", "paper_world/de", "paper_world/bga")),
    ], 2),
)  # fmt: skip
def test_rules_of_the_other_editions_are_caught(
    address: str, change: Callable[[dict[str, Any]], Iterator[tuple[str, Path]]], games: int
) -> None:
    caught = 0
    for seed in range(games):
        record, _ = random_game(address, 2 + seed % 3, seed)
        for rule, place in islice(change(record), 4):
            check_caught(f"{address} {seed}", (record, "PW601", rule, place))
            caught += 1
    assert caught >= games + games // 4


def test_what_an_edition_allows_depends_on_the_edition() -> None:
    """Where the token has to be taken, the recorded games, in which it may be declined, are not all legal."""
    found: dict[str, set[str | None]] = {"paper_world/fr": set(), "paper_world/de": set()}
    for address, rules_broken in found.items():
        rules = book(address)
        for _, raw in raw_games("base"):
            record = {**imported(raw), "ruleset": address}
            replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
            rules_broken |= {f.rule for f in replay.findings if not f.follows}
    assert all("turn.must_take" in broken for broken in found.values()), found
