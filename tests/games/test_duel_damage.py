"""Every kind of damage to a legal game of Pierre, Papier, Morpion is caught at its place, under its rule."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.play.replay import Replay, replay_record
from pwtool.records.json_form import Malformed
from pwtool.why.causes import mark_causes
from tests.daily import one_day_in, some
from tests.games.duels import ADDRESSES, GAME, KINDS, WORTH, Table, moments, played_out
from tests.support import book, few_or_many, random_game

Path = tuple[Any, ...]
Damaged = tuple[dict[str, Any], str, str, Path]


@dataclass
class Spot:
    """The moment before an action of a clean game."""

    turn: int
    at: int
    action: dict[str, Any]
    table: Table

    @property
    def path(self) -> Path:
        return ("turns", self.turn, "actions", self.at)

    @property
    def kind(self) -> str:
        return str(self.action["action"])

    @property
    def is_reward(self) -> bool:
        return self.kind in ("face_up", "face_down", "place")


@dataclass
class Case:
    """A clean game, every moment of it, and its end."""

    name: str
    record: dict[str, Any]
    spots: list[Spot]
    end: Table

    def rewards(self, taken: int) -> list[Spot]:
        """The moments before the first (0), second (1) or third (2) reward of each round."""
        return [s for s in self.spots if s.is_reward and len(s.table.taken) == taken]

    def changed(self) -> dict[str, Any]:
        return json.loads(json.dumps(self.record))  # type: ignore[no-any-return]

    @property
    def crowned(self) -> bool:
        return self.end.crowned is not None


def prepare(name: str, record: dict[str, Any]) -> Case:
    spots = [
        Spot(turn, at, record["turns"][turn]["actions"][at], table.copy())
        for table, turn, at in moments(record)
        if at is not None
    ]
    return Case(name, record, spots, played_out(record))


def without_looks(record: dict[str, Any], name: str) -> None:
    """The same game, only that a player has looked at nothing: random play soon spends all binoculars."""
    for turn in record["turns"]:
        turn["actions"] = [a for a in turn["actions"] if (a["action"], a.get("by")) != ("peek", name)]
    record["result"] = played_out(record).result()


@cache
def cases() -> tuple[Case, ...]:
    found = []
    for address in ADDRESSES:
        for seed in range(60):
            record, _ = random_game(address, 2, seed)
            if seed % 2:
                without_looks(record, "P1" if seed % 4 == 1 else "P2")
            found.append(prepare(f"{address} {seed}", record))
    return tuple(found)


def chosen(spots: list[Spot], rng: random.Random) -> Spot | None:
    return rng.choice(spots) if spots else None


def actions_of(record: dict[str, Any], spot: Spot) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = record["turns"][spot.turn]["actions"]
    return actions


def reward(kind: str, by: str, table: Table) -> dict[str, Any]:
    token = {"token": table.down.get(table.contested, "G")} if kind == "face_down" else {}
    return {"action": kind, "by": by} | token


# ---- the order of a round --------------------------------------------------------------------------------------------


def loser_takes_first(case: Case, rng: random.Random) -> Damaged | None:
    """The first two rewards change places: everybody gets what he got, only the loser before the winner."""
    spot = chosen([s for s in case.rewards(1) if not case.crowned or s.turn < len(case.record["turns"]) - 1], rng)
    if spot is None:
        return None
    record = case.changed()
    actions = actions_of(record, spot)
    first = next(s for s in case.rewards(0) if s.turn == spot.turn)
    actions[first.at], actions[spot.at] = actions[spot.at], actions[first.at]
    return record, "PW603", "round", first.path


def first_reward_for_the_loser(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen(case.rewards(0), rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["by"] = spot.table.other(spot.action["by"])
    return record, "PW603", "round", spot.path


def winner_takes_twice(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen(case.rewards(1), rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["by"] = spot.table.winner
    return record, "PW603", "round", spot.path


def loser_takes_twice(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen(case.rewards(2), rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["by"] = spot.table.other(spot.action["by"])
    return record, "PW603", "round", spot.path


def token_refused(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.rewards(2) if s.kind != "place"], rng)
    if spot is None:
        return None
    record = case.changed()
    del actions_of(record, spot)[spot.at]
    return record, "PW615", "round", ("turns", spot.turn)


def last_place_refused(case: Case, rng: random.Random) -> Damaged | None:
    """In the ninth round; the next one is begun, for in its last round a record may stop anywhere."""
    spot = chosen([s for s in case.rewards(2) if s.kind == "place" and s.turn == 8], rng)
    if spot is None:
        return None
    record = case.changed()
    record.pop("result")
    del actions_of(record, spot)[spot.at]
    record["turns"].append({"actions": []})
    return record, "PW615", "round", ("turns", spot.turn)


def no_reward_at_all(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.rewards(0) if s.turn == len(case.record["turns"]) - 1], rng)
    if spot is None:
        return None
    record = case.changed()
    record.pop("result")
    del actions_of(record, spot)[spot.at :]
    record["turns"].append({"actions": []})
    return record, "PW615", "round", ("turns", spot.turn)


def fourth_reward(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen(case.rewards(2), rng)
    if spot is None or (case.crowned and spot.turn == len(case.record["turns"]) - 1):
        return None
    record = case.changed()
    again = reward("face_up", spot.table.other(spot.action["by"]), spot.table)
    actions_of(record, spot).insert(spot.at + 1, again)
    return record, "PW603", "round", (*spot.path[:3], spot.at + 1)


def tied_duel_not_repeated(case: Case, rng: random.Random) -> Damaged | None:
    duels = [s for s in case.spots if s.kind == "duel"]
    tied = [s for s, after in pairwise(duels) if s.turn == after.turn]
    spot = chosen(tied, rng)
    if spot is None:
        return None
    record = case.changed()
    actions = actions_of(record, spot)
    actions[spot.at + 1 :] = [a for a in actions[spot.at + 1 :] if a["action"] != "duel"]
    first = next(i for i, a in enumerate(actions) if a["action"] in ("face_up", "face_down", "place"))
    return record, "PW603", "round", (*spot.path[:3], first)


def duel_left_out(case: Case, rng: random.Random) -> Damaged | None:
    turn = rng.randrange(len(case.record["turns"]))
    record = case.changed()
    actions = [a for a in record["turns"][turn]["actions"] if a["action"] != "duel"]
    record["turns"][turn]["actions"] = actions
    first = next(i for i, a in enumerate(actions) if a["action"] != "peek")
    return record, "PW603", "round", ("turns", turn, "actions", first)


def _deciding(case: Case) -> list[Spot]:
    return [s for s in case.spots if s.kind == "duel" and len(set(s.action["sign"].values())) == 2]


def duel_repeated_once_decided(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen(_deciding(case), rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot).insert(spot.at + 1, copy.deepcopy(spot.action))
    return record, "PW603", "round", (*spot.path[:3], spot.at + 1)


def duel_after_a_reward(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([*case.rewards(1), *case.rewards(2)], rng)
    if spot is None:
        return None
    record = case.changed()
    duel = next(s for s in _deciding(case) if s.turn == spot.turn)
    actions_of(record, spot).insert(spot.at, copy.deepcopy(duel.action))
    return record, "PW603", "round", spot.path


def other_sign_shown(case: Case, rng: random.Random) -> Damaged | None:
    """The signs of the two change sides: the other one won."""
    spot = chosen(_deciding(case), rng)
    if spot is None:
        return None
    record = case.changed()
    sign = actions_of(record, spot)[spot.at]["sign"]
    sign["P1"], sign["P2"] = sign["P2"], sign["P1"]
    first = next(s for s in case.rewards(0) if s.turn == spot.turn)
    return record, "PW603", "round", first.path


# ---- the end ---------------------------------------------------------------------------------------------------------


def crown_victory_ignored(case: Case, rng: random.Random) -> Damaged | None:
    """The same round goes on."""
    if not case.crowned:
        return None
    record, turn = case.changed(), len(case.record["turns"]) - 1
    actions, table = record["turns"][turn]["actions"], case.end
    left = [k for k in ("face_up", "face_down", "place") if k not in table.taken]
    if not left:
        return None
    assert table.picker is not None
    actions.append(reward(rng.choice(left), table.picker, table))
    return record, "PW606", "crowns", ("turns", turn, "actions", len(actions) - 1)


def crown_victory_ignored_in_the_next_round(case: Case, rng: random.Random) -> Damaged | None:
    if not case.crowned:
        return None
    record = case.changed()
    record["turns"].append({"actions": [{"action": "duel", "sign": {"P1": "rock", "P2": "rock"}}]})
    return record, "PW606", "crowns", ("turns", len(record["turns"]) - 1)


def tenth_round(case: Case, rng: random.Random) -> Damaged | None:
    if case.crowned:
        return None
    record = case.changed()
    turn = copy.deepcopy(rng.choice(record["turns"]))
    turn["actions"] = [a for a in turn["actions"] if a["action"] != "peek"]
    record["turns"].append(turn)
    return record, "PW606", "nine_rounds", ("turns", 9)


def round_missing(case: Case, rng: random.Random) -> Damaged | None:
    """The record stops before the ninth round and gives a result all the same."""
    if case.crowned:
        return None
    record = case.changed()
    record["turns"].pop()
    return record, "PW607", "nine_rounds", ("result",)


# ---- rewards ---------------------------------------------------------------------------------------------------------


def place_taken_twice(case: Case, rng: random.Random) -> Damaged | None:
    spots = [s for s in case.spots if s.is_reward and "place" in s.table.taken]
    spot = chosen(spots, rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at] = reward("place", spot.action["by"], spot.table)
    return record, "PW601", "place.unclaimed", spot.path


def face_up_token_taken_twice(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.spots if s.is_reward and "face_up" in s.table.taken and s.kind != "place"], rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at] = reward("face_up", spot.action["by"], spot.table)
    return record, "PW601", "face_up.left", spot.path


def hidden_token_taken_twice(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.spots if s.is_reward and "face_down" in s.table.taken and s.kind != "place"], rng)
    if spot is None:
        return None
    record = case.changed()
    actions = actions_of(record, spot)
    earlier = next(a for a in actions if a["action"] == "face_down")
    actions[spot.at] = {**earlier, "by": spot.action["by"]}
    return record, "PW602", "face_down.token", spot.path


def hidden_token_named_wrong(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.spots if s.kind == "face_down"], rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["token"] = rng.choice([c for c in "GTRC" if c != spot.action["token"]])
    return record, "PW602", "face_down.token", (*spot.path, "token")


# ---- binoculars ------------------------------------------------------------------------------------------------------


def _look(spot: Spot, name: str, cell: tuple[int, int], token: str) -> dict[str, Any]:
    return {"action": "peek", "by": name, "at": list(cell), "token": token}


def third_look(case: Case, rng: random.Random) -> Damaged | None:
    spots = [s for s in case.spots if s.table.down and 0 in s.table.looks.values()]
    if "+binoculars" not in case.name or not spots:
        return None
    spot = rng.choice(spots)
    name = rng.choice([n for n, left in spot.table.looks.items() if left == 0])
    record = case.changed()
    cell, token = rng.choice(list(spot.table.down.items()))
    actions_of(record, spot).insert(spot.at, _look(spot, name, cell, token))
    return record, "PW601", "peek.unspent", spot.path


def look_at_a_token_that_is_gone(case: Case, rng: random.Random) -> Damaged | None:
    spots = [s for s in case.spots if s.kind == "peek" and len(s.table.down) < 9]
    if not spots:
        return None
    spot = rng.choice(spots)
    record = case.changed()
    gone = next((x, y) for y in range(3) for x in range(3) if (x, y) not in spot.table.down)
    actions_of(record, spot)[spot.at]["at"] = list(gone)
    return record, "PW602", "peek.token", spot.path


def look_shows_another_token(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.spots if s.kind == "peek"], rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["token"] = rng.choice([c for c in "GTRC" if c != spot.action["token"]])
    return record, "PW602", "peek.token", (*spot.path, "token")


def look_outside_of_the_window(case: Case, rng: random.Random) -> Damaged | None:
    spot = chosen([s for s in case.spots if s.kind == "peek"], rng)
    if spot is None:
        return None
    record = case.changed()
    actions_of(record, spot)[spot.at]["at"] = rng.choice([[3, 0], [0, 3], [-1, 1], [7, -7]])
    return record, "PW602", "peek.token", spot.path


# ---- the result ------------------------------------------------------------------------------------------------------


def _line(case: Case, name: str, line: str, value: int, whole: bool) -> Damaged:
    """A score line written wrongly; with `whole` the total goes with it, as of somebody who counts so."""
    record = case.changed()
    result = record["result"]
    if whole:
        result["scores"][name] += value - result["parts"][name][line]
    result["parts"][name][line] = value
    return record, "PW608", f"score.{line}", ("result", "parts", name, line)


def wrong_line_count(case: Case, rng: random.Random) -> Damaged | None:
    name = rng.choice(case.record["players"])
    lines = case.end.lines(name)
    wrong = rng.choice([n for n in range(9) if n != lines])
    return _line(case, name, "gang_lines", 3 * wrong, rng.random() < 0.5)


def _sets(case: Case, number: int) -> list[tuple[str, str]]:
    return [(n, k) for n in case.record["players"] for k, c in KINDS.items() if case.end.won[n].count(c) == number]


def set_of_four_as_five_points(case: Case, rng: random.Random) -> Damaged | None:
    sets = _sets(case, 4)
    return _line(case, *rng.choice(sets), 5, rng.random() < 0.5) if sets else None


def set_of_four_as_eight_points(case: Case, rng: random.Random) -> Damaged | None:
    sets = _sets(case, 4)
    return _line(case, *rng.choice(sets), 8, rng.random() < 0.5) if sets else None


def set_of_five_as_five_points(case: Case, rng: random.Random) -> Damaged | None:
    sets = _sets(case, 5)
    return _line(case, *rng.choice(sets), 5, rng.random() < 0.5) if sets else None


def set_of_three_as_three_points(case: Case, rng: random.Random) -> Damaged | None:
    sets = _sets(case, 3)
    return _line(case, *rng.choice(sets), 3, rng.random() < 0.5) if sets else None


def any_set_worth_something_else(case: Case, rng: random.Random) -> Damaged | None:
    number = rng.randrange(6)
    sets = _sets(case, number)
    wrong = rng.choice([v for v in (*range(11), 99) if v != WORTH[number]])
    return _line(case, *rng.choice(sets), wrong, rng.random() < 0.5) if sets else None


def two_points_each_forgotten(case: Case, rng: random.Random) -> Damaged | None:
    names = [n for n in case.record["players"] if "P" in case.end.won[n]]
    return _line(case, rng.choice(names), "plus_two", 0, True) if names else None


def bonus_forgotten(case: Case, rng: random.Random) -> Damaged | None:
    lines = [(n, k) for n in case.record["players"] for k in ("bonus", "crown_bonus") if case.end.parts(n).get(k)]
    return _line(case, *rng.choice(lines), 0, True) if lines else None


def unspent_binoculars_forgotten(case: Case, rng: random.Random) -> Damaged | None:
    names = [n for n, left in case.end.looks.items() if left]
    return _line(case, rng.choice(names), "binoculars", 0, True) if names else None


def wrong_total(case: Case, rng: random.Random) -> Damaged | None:
    record, name = case.changed(), rng.choice(case.record["players"])
    record["result"]["scores"][name] += rng.choice([-3, -1, 1, 2])
    return record, "PW608", "score", ("result", "scores", name)


def wrong_ranking(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    right = record["result"]["ranking"]
    wrong = [r for r in ([["P1"], ["P2"]], [["P2"], ["P1"]], [["P1", "P2"]]) if r != right]
    record["result"]["ranking"] = rng.choice(wrong)
    return record, "PW608", "ranking", ("result", "ranking")


def tie_not_broken_by_lines(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    result = record["result"]
    if case.crowned or len(set(result["scores"].values())) > 1 or len(result["ranking"]) == 1:
        return None
    result["ranking"] = rng.choice([[["P1", "P2"]], result["ranking"][::-1]])
    return record, "PW608", "ranking", ("result", "ranking")


def full_tie_has_a_winner(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    if len(record["result"]["ranking"]) == 2:
        return None
    record["result"]["ranking"] = rng.choice([[["P1"], ["P2"]], [["P2"], ["P1"]]])
    return record, "PW608", "ranking", ("result", "ranking")


def crowned_ranked_by_points(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    result = record["result"]
    if not case.crowned or result["scores"][case.end.crowned] > min(result["scores"].values()):
        return None
    result["ranking"] = result["ranking"][::-1]
    return record, "PW608", "ranking", ("result", "ranking")


def wrong_end(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    end = record["result"]["end"]
    right = str(end["rule"])
    end["rule"] = "nine_rounds" if right == "crowns" else "crowns"
    return record, "PW608", right, ("result", "end", "rule")


def wrong_round_of_the_end(case: Case, rng: random.Random) -> Damaged | None:
    record = case.changed()
    record["result"]["end"]["turn"] += rng.choice([-1, 1])
    return record, "PW608", record["result"]["end"]["rule"], ("result", "end", "turn")


Kind = Callable[[Case, random.Random], Damaged | None]
ALL: tuple[Kind, ...] = (
    loser_takes_first, first_reward_for_the_loser, winner_takes_twice, loser_takes_twice, token_refused, last_place_refused,
    no_reward_at_all, fourth_reward, tied_duel_not_repeated, duel_left_out, duel_repeated_once_decided, duel_after_a_reward,
    other_sign_shown, crown_victory_ignored, crown_victory_ignored_in_the_next_round, tenth_round, round_missing,
    place_taken_twice, face_up_token_taken_twice, hidden_token_taken_twice, hidden_token_named_wrong, third_look,
    look_at_a_token_that_is_gone, look_shows_another_token, look_outside_of_the_window, wrong_line_count,
    set_of_four_as_five_points, set_of_four_as_eight_points, set_of_five_as_five_points, set_of_three_as_three_points,
    any_set_worth_something_else, two_points_each_forgotten, bonus_forgotten, unspent_binoculars_forgotten, wrong_total,
    wrong_ranking, tie_not_broken_by_lines, full_tie_has_a_winner, crowned_ranked_by_points, wrong_end,
    wrong_round_of_the_end,
)  # fmt: skip

# On how many of the 240 games a kind has to be possible, where these are not most of them.
USUAL = 150
LEAST = {
    "last_place_refused": 40,
    "crown_victory_ignored": 10,
    "crown_victory_ignored_in_the_next_round": 15,
    "third_look": 100,
    "look_at_a_token_that_is_gone": 60,
    "look_shows_another_token": 80,
    "look_outside_of_the_window": 80,
    "set_of_four_as_five_points": 40,
    "set_of_four_as_eight_points": 40,
    "set_of_five_as_five_points": 5,
    "set_of_three_as_three_points": 80,
    "any_set_worth_something_else": 100,
    "two_points_each_forgotten": 80,
    "bonus_forgotten": 60,
    "unspent_binoculars_forgotten": 50,
    "tie_not_broken_by_lines": 3,
    "full_tie_has_a_winner": 3,
    "crowned_ranked_by_points": 1,
}


def check_caught(name: str, damaged: Damaged, mark: bool = True) -> Replay:
    """The damage is the first finding, under its code and rule, and nothing before it is blamed."""
    record, code, rule, place = damaged
    rules = book(record["ruleset"])
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    where = f"{name}: {code} {rule} {place}: {[(f.code, f.rule, f.path) for f in replay.findings[:6]]}"
    assert replay.findings, where
    first = replay.findings[0]
    assert first.path[: len(place)] == place and not first.follows, where
    assert (first.code, first.rule) == (code, rule), where
    if place[0] == "turns":
        assert replay.prefix is not None and replay.prefix[0] == place[1], where
    if mark:
        mark_causes(rules.game, replay, rules.legal)
    assert not first.follows, where
    return replay


def others(replay: Replay, place: Path) -> list[tuple[str, str | None, Path]]:
    """What is told as a cause of its own and is not about this place. A score line and its total are one place."""
    places = [place, ("result", "scores", place[2])] if place[:2] == ("result", "parts") else [place]
    return [
        (f.code, f.rule, f.path)
        for f in replay.findings
        if not f.follows and not any(f.path[: len(p)] == p for p in places)
    ]


def damages(kind: Kind, seeds: int = 1) -> Iterator[tuple[str, Damaged]]:
    for case in cases():
        for seed in range(seeds):
            damaged = kind(case, random.Random(f"{case.name} {seed}"))
            if damaged is not None:
                yield f"{case.name} {seed}", damaged


@pytest.mark.parametrize("games", few_or_many(12, 60))
@pytest.mark.parametrize("kind", some([*ALL], 4), ids=[k.__name__ for k in ALL])
def test_only_the_damage_is_told_at_its_place_under_its_rule(kind: Kind, games: int) -> None:
    found = list(damages(kind))
    # From the whole row, so that no ruleset and no sort of game is left out.
    chosen = found[:: -(-len(found) // games)]
    told = Counter(
        finding[:2] for name, damaged in chosen for finding in others(check_caught(name, damaged), damaged[3])
    )
    assert chosen and not told, told


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL, ids=[k.__name__ for k in ALL])
def test_damage_in_all_games_is_caught_at_its_place_under_its_rule(kind: Kind) -> None:
    for at, (name, damaged) in enumerate(damages(kind)):
        # Looking for followers takes longest.
        check_caught(name, damaged, mark=at % 5 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL, ids=[k.__name__ for k in ALL])
def test_damage_in_many_places_is_caught_at_its_place_under_its_rule(kind: Kind) -> None:
    for name, damaged in damages(kind, 3):
        check_caught(name, damaged)


def test_there_are_enough_kinds() -> None:
    assert len({k.__name__ for k in ALL}) == len(ALL) >= 40
    assert set(LEAST) <= {k.__name__ for k in ALL}


@one_day_in(8)
def test_every_rule_of_the_game_is_broken_by_some_kind() -> None:
    broken = set()
    for kind in ALL:
        rules = [damaged[2] for _, damaged in damages(kind)]
        assert len(rules) >= LEAST.get(kind.__name__, USUAL), (kind.__name__, len(rules))
        broken.update(rules)
    ruleset = book(ADDRESSES[3]).game.ruleset
    known = {r.id for action in ruleset.actions.values() for r in action.rules}
    # Where no token lies none can be named: whoever looks there breaks both at once.
    assert known - broken == {"peek.token_there", "face_down.left"}
    assert {e.name for e in ruleset.endings} | {f"score.{s.name}" for s in ruleset.scores} <= broken


def test_the_rules_of_a_token_that_is_gone_follow_from_its_absence() -> None:
    for kind, rule in (
        (look_at_a_token_that_is_gone, "peek.token_there"),
        (hidden_token_taken_twice, "face_down.left"),
    ):
        for name, damaged in list(damages(kind))[:40]:
            replay = check_caught(name, damaged)
            found = [f for f in replay.findings if f.rule == rule and f.path[:4] == damaged[3]]
            assert found and all(f.code == "PW601" and f.follows for f in found)


def test_a_place_refused_in_the_middle_of_a_game() -> None:
    """The place stays contested: what the record does in the next round does not fit, and that follows."""
    caught = 0
    for case in cases()[:60]:
        spots = [s for s in case.rewards(2) if s.kind == "place" and 2 <= s.turn <= 6]
        if not spots or case.crowned:
            continue
        record = case.changed()
        del actions_of(record, spots[0])[spots[0].at]
        damaged = record, "PW615", "round", ("turns", spots[0].turn)
        assert others(check_caught(case.name, damaged), damaged[3]) == [], case.name
        caught += 1
    assert caught >= 20


# ---- the setup -------------------------------------------------------------------------------------------------------


def setup_findings(record: dict[str, Any]) -> list[tuple[str, str | None, Path]]:
    rules = book(record["ruleset"])
    record.pop("result", None)
    record["turns"] = []
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    return [(f.code, f.rule, f.path) for f in replay.findings if not f.follows]


@pytest.mark.parametrize("address", ADDRESSES)
def test_tokens_too_many_and_too_few(address: str) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        record, _ = random_game(address, 2, seed)
        spares = record["setup"]["spares"]
        more = copy.deepcopy(record)
        extra = rng.choice("GTRC")
        more["setup"]["spares"].insert(rng.randrange(5), extra)
        found = setup_findings(more)
        # The 23rd is one more of its kind than there are.
        assert found and {(code, rule) for code, rule, _ in found} == {("PW609", "setup.spares")}
        assert all(path[:2] == ("setup", "spares") for _, _, path in found)
        less = copy.deepcopy(record)
        less["setup"]["spares"].remove(rng.choice(spares))
        assert setup_findings(less) == [("PW609", "setup.spares", ("setup", "spares"))]
        assert setup_findings(record) == []


@pytest.mark.parametrize("zone", ["upturned", "downturned"])
def test_a_fourth_crown_is_refused_where_it_lies(zone: str) -> None:
    for seed in range(30):
        record, _ = random_game(GAME, 2, seed)
        grid = record["setup"][zone]
        row, column = divmod(random.Random(seed).randrange(9), 3)
        replaced = grid[row][column]
        if replaced == "C":
            continue
        grid[row][column] = "C"
        # The deals are counted one after the other: the last crown is the one too many, and what it replaced is missing.
        found = setup_findings(record)
        lying = [
            ("setup", name, *at)
            for name in ("downturned", "upturned")
            for at in ((y, x) for y in range(3) for x in range(3))
            if record["setup"][name][at[0]][at[1]] == "C"
        ] + [("setup", "spares", at) for at, code in enumerate(record["setup"]["spares"]) if code == "C"]
        assert len(lying) == 4
        assert ("PW609", f"setup.{lying[3][1]}", lying[3]) in found, (found, lying)
        assert {f for f in found if f[2] != lying[3]} <= {("PW609", "setup.spares", ("setup", "spares"))}


def test_a_crown_too_many_shown_before_the_first_duel_blames_nothing_else() -> None:
    """Only what is wrong with the setup, also in a game that is played to its end by it."""
    record, _ = random_game(GAME, 2, 3)
    spare = record["setup"]["spares"]
    spare[next(at for at, code in enumerate(spare) if code != "C")] = "C"
    rules = book(GAME)
    replay = replay_record(rules.game, rules.decoder.record(record), rules.legal)
    assert replay.findings and {f.code for f in replay.findings} == {"PW609"}
    assert {f.path[:2] for f in replay.findings} == {("setup", "spares")}


# ---- what is not a record of this game at all ---------------------------------------------------------------------------


def by_left_out(record: dict[str, Any]) -> Path:
    actions = record["turns"][1]["actions"]
    at = next(i for i, a in enumerate(actions) if a["action"] == "place")
    del actions[at]["by"]
    return ("turns", 1, "actions", at)


def by_nobody_known(record: dict[str, Any]) -> Path:
    actions = record["turns"][1]["actions"]
    at = next(i for i, a in enumerate(actions) if a["action"] == "place")
    actions[at]["by"] = "P3"
    return ("turns", 1, "actions", at, "by")


def duel_by_somebody(record: dict[str, Any]) -> Path:
    record["turns"][2]["actions"][0]["by"] = "P1"
    return ("turns", 2, "actions", 0, "by")


def sign_of_one_missing(record: dict[str, Any]) -> Path:
    del record["turns"][0]["actions"][0]["sign"]["P2"]
    return ("turns", 0, "actions", 0, "sign")


def sign_of_a_stranger(record: dict[str, Any]) -> Path:
    record["turns"][0]["actions"][0]["sign"]["P3"] = "rock"
    return ("turns", 0, "actions", 0, "sign")


def sign_that_does_not_exist(record: dict[str, Any]) -> Path:
    record["turns"][0]["actions"][0]["sign"]["P2"] = "well"
    return ("turns", 0, "actions", 0, "sign")


def sign_of_nobody(record: dict[str, Any]) -> Path:
    record["turns"][0]["actions"][0]["sign"] = "rock"
    return ("turns", 0, "actions", 0, "sign")


def signs_in_a_list(record: dict[str, Any]) -> Path:
    record["turns"][0]["actions"][0]["sign"] = ["rock", "paper"]
    return ("turns", 0, "actions", 0, "sign")


def round_of_a_player(record: dict[str, Any]) -> Path:
    record["turns"][3]["player"] = "P1"
    return ("turns", 3, "player")


def row_missing(record: dict[str, Any]) -> Path:
    record["setup"]["upturned"].pop()
    return ("setup", "upturned")


def place_missing(record: dict[str, Any]) -> Path:
    record["setup"]["downturned"][1].pop()
    return ("setup", "downturned")


def all_in_one_row(record: dict[str, Any]) -> Path:
    record["setup"]["downturned"] = [code for row in record["setup"]["downturned"] for code in row]
    return ("setup", "downturned")


def token_of_no_kind(record: dict[str, Any]) -> Path:
    record["setup"]["downturned"][2][1] = "X"
    return ("setup", "downturned", 2, 1)


def nothing_on_a_place(record: dict[str, Any]) -> Path:
    record["setup"]["upturned"][0][2] = None
    return ("setup", "upturned", 0, 2)


def two_tokens_on_a_place(record: dict[str, Any]) -> Path:
    record["setup"]["upturned"][0][2] = ["G", "G"]
    return ("setup", "upturned", 0, 2)


def spares_missing(record: dict[str, Any]) -> Path:
    del record["setup"]["spares"]
    return ("setup",)


def gang_tokens_written_down(record: dict[str, Any]) -> Path:
    """What goes to its owner leaves nothing open and stands in no record."""
    record["setup"]["gang"] = {"P1": ["O"] * 9, "P2": ["B"] * 9}
    return ("setup", "gang")


MALFORMED: tuple[Callable[[dict[str, Any]], Path], ...] = (
    by_left_out, by_nobody_known, duel_by_somebody, sign_of_one_missing, sign_of_a_stranger, sign_that_does_not_exist,
    sign_of_nobody, signs_in_a_list, round_of_a_player, row_missing, place_missing, all_in_one_row, token_of_no_kind,
    nothing_on_a_place, two_tokens_on_a_place, spares_missing, gang_tokens_written_down,
)  # fmt: skip


def whole_game() -> dict[str, Any]:
    record, _ = random_game(GAME, 2, 3)
    assert len(record["turns"]) == 9
    return record


@pytest.mark.parametrize("damage", MALFORMED, ids=[k.__name__ for k in MALFORMED])
def test_what_is_no_record_is_refused_where_it_is_wrong(damage: Callable[[dict[str, Any]], Path]) -> None:
    record = whole_game()
    book(GAME).decoder.record(record)
    place = damage(record)
    with pytest.raises(Malformed) as refused:
        book(GAME).decoder.record(record)
    assert refused.value.path == place
    assert refused.value.message and not refused.value.message.endswith(".")


@one_day_in(8)
@pytest.mark.parametrize("damage", MALFORMED, ids=[k.__name__ for k in MALFORMED])
def test_the_command_tells_what_is_no_record(
    damage: Callable[[dict[str, Any]], Path], tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    record = whole_game()
    place = damage(record)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record, indent=1), "utf-8")
    assert run(["check", str(file), "--format", "json"]) == 2
    findings = json.loads(capsys.readouterr().out)["files"][0]["findings"]
    assert {f["code"] for f in findings} == {"PW702"}
    first, last = lines_of(record, place)
    # Nothing else of the record is objected to: every finding lies at the place or inside of it.
    outside = [(f["span"]["line"], f["message"]) for f in findings if not first <= f["span"]["line"] <= last]
    assert outside == []


def lines_of(record: dict[str, Any], place: Path) -> tuple[int, int]:
    """The first and the last line of a value in the file of a record."""
    marked = copy.deepcopy(record)
    holder: Any = marked
    for key in place[:-1]:
        holder = holder[key]
    value, holder[place[-1]] = holder[place[-1]], "@@@"
    before = json.dumps(marked, indent=1).partition("@@@")[0]
    first = before.count("\n") + 1
    return first, first + json.dumps(value, indent=1).count("\n")
