"""Random legal play replays clean in every edition and variant, and no position on the way breaks an invariant."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.position import check_position
from pwtool.play.replay import replay_record
from pwtool.play.setup import build_state, deck_counts
from pwtool.play.state import State
from pwtool.records.encoding import encode_state
from pwtool.records.json_form import Malformed
from pwtool.records.states import decode_state
from tests import daily
from tests.daily import one_day_in, some
from tests.support import ADDRESSES, Drawn, book, faces_of, outcome, random_game

CASES = [(address, players) for address in ADDRESSES for players in (2, 3, 4)]
Condition = Callable[[State, list[Any]], Any] | None


@cache
def invariants(address: str) -> list[tuple[str, bool, list[tuple[Condition, Any]]]]:
    """Each invariant, whether it is asked of each player, and its condition by both evaluators."""
    game = book(address).game
    backends = (game.fast.backend, game.interpreter)
    return [
        (i.name, i.each_player, [(b.condition(i.when), b.compile(i.require)) for b in backends])
        for i in game.ruleset.invariants
    ]


def broken_invariants(address: str, state: State) -> list[tuple[str, int]]:
    """What is not true of a position although it always has to be; both evaluators say the same."""
    game = book(address).game
    found, mover = [], state.player
    for name, each_player, ways in invariants(address):
        for player in range(state.players) if each_player else [mover]:
            state.player = player
            holds = {
                bool(when is not None and not when(state, game.locals())) or bool(require(state, game.locals()))
                for when, require in ways
            }
            assert len(holds) == 1, name
            if holds == {False}:
                found.append((name, player))
    state.player = mover
    return found


def check_game(address: str, players: int, seed: int, choices: random.Random | None = None) -> bool:
    """Play, replay, compare; True when the game reached its end."""
    rules = book(address)
    data, play = random_game(address, players, seed, choices=choices)
    record = rules.decoder.record(data)
    start, _ = build_state(rules.game, record)
    cards = faces_of(rules.game, start)
    dealt = deck_counts(rules.game, "main", players)
    assert cards == dealt + Counter(face for faces in record.setup["start"] for face in faces)
    between = 0

    def observe(at: Play, turn: int, action: int | None) -> None:
        nonlocal between
        assert faces_of(rules.game, at.state) == cards
        if action is None or turn == action == 0:
            assert broken_invariants(address, at.state) == []
            assert check_position(rules.game, at.state.copy(), record.players, []) == []
            between += 1

    replay = replay_record(rules.game, record, rules.legal, observe)
    assert between == len(data["turns"]) + 1
    if play.over:
        assert replay.findings == []
        assert replay.result is not None and outcome(replay.play, record.players) == data["result"]
    else:
        # Only where nobody can move and the edition knows no pass a game stops before its end.
        assert [f.code for f in replay.findings] == ["PW612"] and "gamepark" in address
        assert replay.result is None
    assert encode_state(rules.game, replay.play.state, record.players) == encode_state(
        rules.game, play.state, record.players
    )
    return play.over


@pytest.mark.parametrize(("address", "players"), some(CASES, 4))
def test_random_games_replay_clean(address: str, players: int) -> None:
    assert any(check_game(address, players, seed) for seed in range(2))


@pytest.mark.slow
@pytest.mark.parametrize(("address", "players"), CASES)
def test_many_random_games_replay_clean(address: str, players: int) -> None:
    start = 10 * daily.seed()
    ended = sum(check_game(address, players, seed) for seed in range(start, start + 10))
    assert ended >= 7


# Many more are played in the full run, above.
@one_day_in(8)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    case=st.sampled_from(CASES),
    seed=st.integers(0, 2**32),
    given_choices=st.lists(st.floats(0, 1, exclude_max=True), max_size=200),
)
def test_any_random_game_replays_clean(case: tuple[str, int], seed: int, given_choices: list[float]) -> None:
    check_game(case[0], case[1], seed, Drawn(given_choices, seed))


def test_random_play_places_skips_and_moves_the_token() -> None:
    done: Counter[str] = Counter()
    for address, players in CASES[::4]:
        data, _ = random_game(address, players, 11)
        for action in (a for turn in data["turns"] for a in turn["actions"]):
            done[action["action"]] += 1
            done["skip"] += bool(action.get("pay"))
    assert all(done[kind] >= 5 for kind in ("take", "place", "grab", "trim", "claim", "skip")), done


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32), stop=st.integers(0, 30))
def test_positions_survive_their_file(case: tuple[str, int], seed: int, stop: int) -> None:
    address, players = case
    rules = book(address)
    data, _ = random_game(address, players, seed, max_turns=stop)
    data.pop("result", None)
    record = rules.decoder.record(data)
    state = replay_record(rules.game, record, rules.legal).play.state
    written = encode_state(rules.game, state, record.players)
    read = decode_state(rules.decoder, written)
    assert encode_state(rules.game, read.state, read.names) == written
    assert check_position(rules.game, read.state, read.names, read.missing) == []


# ---- a damaged record is refused or is truly legal -------------------------------------------------------------------


CARDS = ("Y1", "Y3", "BS2", "B4", "G5", "K2", "KS3", "G1")
KINDS = tuple("card cell player drop double shuffle pay announced by goal prize turn swap score".split())


def damage(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One random change of a record, which it really changes."""
    for _ in range(200):
        damaged = copy.deepcopy(data)
        change(damaged, rng)
        if damaged != data:
            return damaged
    raise AssertionError("nothing could be changed")


def change(damaged: dict[str, Any], rng: random.Random) -> None:
    turns, setup = damaged["turns"], damaged["setup"]
    turn = rng.choice(turns)
    actions = turn["actions"]
    action = rng.choice(actions)
    match rng.choice(KINDS):
        case "card" if "card" in action:
            action["card"] = rng.choice(CARDS)
        case "cell" if "at" in action:
            action["at"] = [action["at"][0] + rng.choice([-1, 0, 1]), action["at"][1] + rng.choice([-1, 0, 1])]
        case "player":
            turn["player"] = rng.choice(damaged["players"])
        case "drop":
            actions.remove(action)
        case "double":
            actions.insert(actions.index(action), copy.deepcopy(action))
        case "shuffle":
            rng.shuffle(actions)
        case "pay" if "pay" in action:
            action["pay"] = rng.sample(CARDS, rng.randint(0, 2))
        case "announced" if "announced" in action:
            action["announced"] = rng.choice(["yellow", "blue", 1, 2, 5])
        case "by":
            action["by"] = rng.choice(damaged["players"])
        case "goal" if "goal" in action:
            action["goal"] = rng.choice([*setup["goals"], "nine_piles", "row_of_3s"])
        case "prize" if "prize" in action:
            action["prize"] = rng.choice([1, 2, 4])
        case "turn":
            at = turns.index(turn)
            turns[at : at + 1] = rng.choice([[], [turn, copy.deepcopy(turn)]])
        case "swap":
            # Two cards of the setup change places: very often nothing becomes illegal by it.
            a, b = (rng.choice([pile for pile in setup["supply"] if pile]) for _ in range(2))
            i, j = rng.randrange(len(a)), rng.randrange(len(b))
            a[i], b[j] = b[j], a[i]
        case "score" if "result" in damaged:
            damaged["result"]["scores"][rng.choice(damaged["players"])] += rng.choice([-1, 1])


def really_legal(address: str, data: dict[str, Any]) -> bool:
    """Step by step: every action of the record is among the legal ones at its time."""
    rules = book(address)
    record = rules.decoder.record(data)
    state, findings = build_state(rules.game, record)
    if findings:
        return False
    play = Play(rules.game, state, LegalActions(rules.game))
    for turn in record.turns:
        if play.over or turn.player != play.next_player():
            return False
        play.begin_turn(turn.player)
        recorded: list[Any] = []
        for move in turn.moves:
            if move.consequence:
                recorded.append((move.number, move.arguments))
                continue
            doing = (move.number, move.actor, move.arguments)
            if recorded or play.over or not any(same_action(a, doing) for a in play.legal_actions()):
                return False
            play.do(*doing)
        stops = turn is record.turns[-1] and "result" not in data
        if not play.may_end_turn():
            # Without a result a record may stop wherever somebody can go on.
            return stops and not recorded and not play.over and bool(play.legal_actions())
        numbers = rules.game.consequence_numbers
        done = [
            (numbers[r.model.name], tuple(e[p.slot] for p in r.model.parameters)) for r, e in play.derive_consequences()
        ]
        if Counter(recorded) - Counter(done) or (not stops and Counter(done) - Counter(recorded)):
            return False
        play.end_turn()
    return "result" not in data or (play.over and same_result(outcome(play, data["players"]), data["result"]))


def same_result(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    places = [[sorted(group) for group in result["ranking"]] for result in (ours, theirs)]
    return places[0] == places[1] and all(ours[key] == theirs[key] for key in ("scores", "parts", "end"))


def same_action(a: tuple[int, int, Any], b: tuple[int, int, Any]) -> bool:
    """Equal but for the order in which cards of a collection are named."""
    if a[:2] != b[:2]:
        return False
    return all((sorted(x) == sorted(y)) if isinstance(x, list) else x == y for x, y in zip(a[2], b[2], strict=True))


def check_damage(address: str, players: int, seed: int, change_seed: int, max_turns: int) -> str:
    """Damage a random game; whether the damage was malformed, refused, or left the record legal."""
    rules = book(address)
    data, _ = random_game(address, players, seed, max_turns=max_turns)
    damaged = damage(data, random.Random(change_seed))
    try:
        record = rules.decoder.record(damaged)
    except Malformed:
        return "malformed"
    replay = replay_record(rules.game, record, rules.legal)
    # That a legal game came to a standstill is not an objection to any of its actions.
    refused = any(f.code != "PW612" for f in replay.findings)
    assert refused == (not really_legal(address, damaged)), [(f.code, f.rule, f.path) for f in replay.findings[:3]]
    return "refused" if refused else "legal"


# Thousands are damaged in the full run, below.
@one_day_in(8)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=st.sampled_from(CASES), seed=st.integers(0, 200), change_seed=st.integers(0, 2**32))
def test_a_damaged_record_is_refused_or_truly_legal(case: tuple[str, int], seed: int, change_seed: int) -> None:
    check_damage(case[0], case[1], seed, change_seed, 40)


@one_day_in(4)
def test_some_damage_is_refused_and_some_leaves_a_legal_record() -> None:
    kinds = Counter(check_damage(*CASES[seed % len(CASES)], seed, seed, 8) for seed in range(66))
    assert kinds["refused"] >= 20 and kinds["legal"] >= 5, kinds


@pytest.mark.slow
@pytest.mark.parametrize(("address", "players"), CASES)
def test_many_damaged_records_are_refused_or_truly_legal(address: str, players: int) -> None:
    # In a short game more of what is changed never comes into play.
    kinds = Counter(check_damage(address, players, seed % 7, seed, 8 if seed % 2 else 400) for seed in range(60))
    assert kinds["refused"] >= 20 and kinds["legal"] >= 2, kinds
