"""Positions between turns and within them: every one that arises is accepted, and of changed ones those that can arise."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.archives import Checker
from pwtool.checking.report import FileResult, Verdict
from pwtool.play.play import Play
from pwtool.play.position import check_position
from pwtool.play.replay import replay_record
from pwtool.records.encoding import encode_state
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.support import ADDRESSES, book, few_or_many, random_game

DUELS = "pierre_papier_morpion"
CASES = [*ADDRESSES, DUELS, f"{DUELS}+bonus", f"{DUELS}+binoculars"]


def positions(address: str, seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Every position of a random game between two turns, and every one within a turn."""
    rules = book(address)
    data, _ = random_game(address, 2, seed)
    record = rules.decoder.record(data)
    between, within = [], []

    def observe(play: Play, turn: int, action: int | None) -> None:
        assert check_position(rules.game, play.state.copy(), record.players, []) == []
        whole = action is None and not (play.over and rules.game.ruleset.endings[play.trigger[0]].at_once)  # type: ignore[index]
        (between if whole else within).append(encode_state(rules.game, play.state, record.players))

    replay_record(rules.game, record, rules.legal, observe)
    return between, within


def checked(positions: list[dict[str, Any]], folder: Path) -> list[FileResult]:
    """What `pwtool check` says of each position."""
    path = folder / "positions.jsonl"
    path.write_text("\n".join(map(json.dumps, positions)), "utf-8")
    return list(Checker(RulesetStore(Library()), []).check([str(path)]))


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(1, 3))
@pytest.mark.parametrize("address", some(CASES, 2))
def test_what_arises_is_accepted_at_any_moment(address: str, games: int, tmp_path: Path) -> None:
    for seed in range(games):
        between, within = positions(address, seed)
        sure = [{**p, "moment": "between"} for p in between] + [{**p, "moment": "within"} for p in within]
        assert {r.verdict for r in checked([*between, *within, *sure], tmp_path)} == {Verdict.CLEAN}


def test_a_position_between_two_rounds_leaves_nothing_half_done(tmp_path: Path) -> None:
    half = [p for p in positions(DUELS, 1)[1] if is_half(p)]
    assert half
    for plain, claimed in zip(
        checked(half, tmp_path), checked([{**p, "moment": "between"} for p in half], tmp_path), strict=True
    ):
        assert [*map(str, plain.summary)] == ["position within a round"]
        assert [d.rule for d in claimed.diagnostics] == ["invariant.no_leftovers"]


def test_a_hand_over_the_limit_is_one_within_a_turn(tmp_path: Path) -> None:
    position = next(
        p for seed in range(9) for p in positions("paper_world/fr", seed)[0] if len(p["zones"]["supply"][0]) > 3
    )
    pile, hand = position["zones"]["supply"], position["zones"]["hand"]["P1"]
    for cards in pile:
        while cards and len(hand) < 10:
            hand.append(cards.pop())
    told = checked([position, {**position, "moment": "within"}, {**position, "moment": "between"}], tmp_path)
    assert [str(r.summary[0]) for r in told[:2]] == ["position within a turn"] * 2
    assert [d.rule for d in told[2].diagnostics] == ["invariant.hand_limit"]


@one_day_in(8)
@pytest.mark.parametrize("moment", ["", "now", None, 3, ["within"], {}])
def test_a_moment_is_between_or_within(moment: Any, tmp_path: Path) -> None:
    position = {**positions(DUELS, 1)[0][0], "moment": moment}
    (told,) = checked([position], tmp_path)
    assert (told.verdict is Verdict.CLEAN) == (moment is None)
    assert moment is None or "`moment` is `between` or `within`" in told.diagnostics[0].message


# ---- an oracle for the duels -----------------------------------------------------------------------------------------


def cells(position: dict[str, Any], zone: str) -> dict[tuple[int, int], list[str]]:
    return {(x, y): things for x, y, things in position["zones"][zone]}


def is_half(position: dict[str, Any]) -> bool:
    there = [cells(position, zone) for zone in ("shopfront", "upturned", "downturned")]
    states = {tuple(bool(zone.get((x, y))) for zone in there) for x, y in product(range(3), range(3))}
    return bool(states - {(True, False, False), (False, True, True)})


@cache
def outcomes() -> dict[tuple[int | None, bool, bool], set[tuple[int, int, int | None]]]:
    """What a round does to its place, step by step: from whose token lies there and which rewards are gone to what the
    two players may have got, and who took a reward in the last step.
    """
    found: dict[tuple[int | None, bool, bool], set[tuple[int, int, int | None]]] = {}
    for winner in (0, 1):
        for steps in product(("place", "up", "down"), repeat=3):
            token, gone, got = None, set(), [0, 0]
            found.setdefault((None, False, False), set()).add((0, 0, None))
            for step, who in zip(steps, (winner, 1 - winner, winner), strict=True):
                if step in gone:
                    break
                gone.add(step)
                if step == "place":
                    token = who
                else:
                    got[who] += 1
                last = None if step == "place" else who
                found.setdefault((token, "up" in gone, "down" in gone), set()).add((got[0], got[1], last))
    return found


def can_arise(position: dict[str, Any]) -> bool:
    """Whether nine rounds, one place after the other, can lead to what lies there."""
    front, up, down = (cells(position, zone) for zone in ("shopfront", "upturned", "downturned"))
    zones = position["zones"]
    totals: set[tuple[int, int, int | None]] = {(0, 0, None)}
    settled = True
    for y, x in product(range(3), range(3)):
        there = front.get((x, y), []), up.get((x, y), []), down.get((x, y), [])
        if any(len(things) > 1 for things in there):
            return False
        token = None if not there[0] else "OB".index(there[0][0])
        state = (token, not there[1], not there[2])
        if not settled and state != (None, False, False):
            return False
        if state not in outcomes():
            return False
        begun = state != (None, False, False)
        totals = {(a + c, b + d, who if begun else last) for a, b, last in totals for c, d, who in outcomes()[state]}
        settled = settled and token is not None and not there[1] and not there[2]
    # Who has the three crowns has just taken the third.
    crowns = [seat for seat, player in enumerate(("P1", "P2")) if zones["won"][player].count("C") == 3]
    if not any(
        (a, b) == (len(zones["won"]["P1"]), len(zones["won"]["P2"])) and crowns in ([], [last]) for a, b, last in totals
    ):
        return False
    rewards = [r for zone in (up, down) for things in zone.values() for r in things]
    rewards += zones["won"]["P1"] + zones["won"]["P2"] + zones["spares"]
    gangs = Counter(g for things in front.values() for g in things) + Counter(zones["gang"]["P1"] + zones["gang"]["P2"])
    own = set(zones["gang"]["P1"]) <= {"O"} and set(zones["gang"]["P2"]) <= {"B"}
    return (
        Counter(rewards) == Counter({"G": 5, "T": 5, "R": 5, "C": 3, "P": 4})
        and gangs == Counter(O=9, B=9)
        and own
        and len(zones["spares"]) == 4
    )


def changed(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The position with one or two things lying elsewhere."""
    made = copy.deepcopy(position)
    zones = made["zones"]
    for _ in range(rng.choice((1, 1, 2))):
        piles = [zones["won"]["P1"], zones["won"]["P2"], zones["spares"]]
        grids = [c[2] for name in ("upturned", "downturned") for c in zones[name]]
        match rng.randrange(5):
            case 0 | 1:
                source = rng.choice([p for p in piles + grids if p])
                target = rng.choice(piles + grids)
                target.append(source.pop(rng.randrange(len(source))))
            case 2 if zones["shopfront"]:
                cell = rng.choice(zones["shopfront"])
                other = {"O": "B", "B": "O"}[cell[2][0]]
                owner = zones["gang"]["P1" if other == "O" else "P2"]
                if other in owner:
                    owner.remove(other)
                    zones["gang"]["P1" if cell[2][0] == "O" else "P2"].append(cell[2][0])
                    cell[2][0] = other
            case 3 if zones["shopfront"]:
                cell = rng.choice(zones["shopfront"])
                free = {(x, y) for x, y in product(range(3), range(3))} - set(cells(made, "shopfront"))
                if free:
                    cell[0], cell[1] = rng.choice(sorted(free))
            case _:
                first, second = rng.choice((zones["upturned"], zones["downturned"])), zones["won"]["P1"]
                if first and second:
                    cell = rng.choice(first)
                    cell[2][0], second[0] = second[0], cell[2][0]
        for name in ("upturned", "downturned"):
            zones[name] = [c for c in zones[name] if c[2]]
    return made


def crowned(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The position with the three crowns, wherever they lie, exchanged for rewards of one player."""
    made = copy.deepcopy(position)
    zones = made["zones"]
    own = next((w for w in rng.sample([zones["won"]["P1"], zones["won"]["P2"]], 2) if len(w) >= 3), None)
    if own is not None:
        others = [zones["won"]["P1"], zones["won"]["P2"], zones["spares"]]
        others += [c[2] for name in ("upturned", "downturned") for c in zones[name]]
        for pile in others:
            for at, reward in enumerate(pile if pile is not own else []):
                if reward == "C":
                    given = next(i for i, other in enumerate(own) if other != "C")
                    pile[at], own[given] = own[given], "C"
    return made


def check_changed(
    seeds: range, count: int, folder: Path, change: Callable[[dict[str, Any], random.Random], dict[str, Any]]
) -> None:
    rng = random.Random(seeds.start)
    made = []
    for seed in seeds:
        between, within = positions(DUELS, seed)
        made += [change(rng.choice(between + within), rng) for _ in range(count)]
    right = [can_arise(p) for p in made]
    assert count // 10 < sum(right) < len(right) - count // 10
    for position, arises, told in zip(made, right, checked(made, folder), strict=True):
        assert (told.verdict is Verdict.CLEAN) == arises, (position["zones"], [d.message for d in told.diagnostics])


@one_day_in(8)
def test_the_oracle_accepts_what_arises() -> None:
    for seed in range(5):
        assert all(can_arise(p) for some in positions(DUELS, seed) for p in some)


@one_day_in(7)
@pytest.mark.parametrize("change", [changed, crowned])
def test_of_changed_positions_those_are_accepted_that_can_arise(change: Any, tmp_path: Path) -> None:
    check_changed(range(3), 40, tmp_path, change)


@pytest.mark.slow
@pytest.mark.parametrize("change", [changed, crowned])
def test_of_many_changed_positions_those_are_accepted_that_can_arise(change: Any, tmp_path: Path) -> None:
    check_changed(range(100, 140), 150, tmp_path, change)
