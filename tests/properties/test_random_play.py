"""Random legal play replays clean in every edition and variant, and no position on the way breaks an invariant."""

from __future__ import annotations

import copy
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.engine.legal import LegalActions
from pwtool.engine.order import may_end
from pwtool.engine.play import Play
from pwtool.engine.position import check_position
from pwtool.engine.replay import replay_record
from pwtool.engine.setup import build_state
from pwtool.formats.decoding import Malformed
from pwtool.formats.encoding import encode_state
from pwtool.formats.states import decode_state
from tests.support import ADDRESSES, book, random_game

CASES = [(address, players) for address in ADDRESSES for players in (2, 3, 4)]


def check_game(address: str, players: int, seed: int) -> bool:
    """Play, replay, compare; True when the game reached its end."""
    rules = book(address)
    data, play = random_game(address, players, seed)
    record = rules.decoder.record(data)
    broken: list[Any] = []

    def observe(at: Play, turn: int, action: int | None) -> None:
        if action is None:
            broken.extend(check_position(rules.game, at.state.copy(), record.players, []))

    replay = replay_record(rules.game, record, rules.legal, observe)
    assert broken == []
    if play.over:
        assert replay.findings == []
        assert replay.result is not None and "result" in data
    else:
        # Only where nobody can move and the edition knows no pass a game stops before its end.
        assert [f.code for f in replay.findings] == ["PW612"] and "gamepark" in address
    assert encode_state(rules.game, replay.play.state, record.players) == encode_state(
        rules.game, play.state, record.players
    )
    return play.over


@pytest.mark.parametrize(("address", "players"), CASES)
def test_random_games_replay_clean(address: str, players: int) -> None:
    assert any(check_game(address, players, seed) for seed in range(2))


@pytest.mark.slow
@pytest.mark.parametrize(("address", "players"), CASES)
def test_many_random_games_replay_clean(address: str, players: int) -> None:
    ended = sum(check_game(address, players, seed) for seed in range(100, 130))
    assert ended >= 25


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32))
def test_any_random_game_replays_clean(case: tuple[str, int], seed: int) -> None:
    check_game(case[0], case[1], seed)


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


def damage(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One random change of a record."""
    damaged = copy.deepcopy(data)
    turn = rng.choice(damaged["turns"])
    actions = turn["actions"]
    kind = rng.choice(["card", "cell", "player", "drop", "double", "swap", "pay", "announced"])
    action = rng.choice(actions)
    cards = ["Y1", "Y3", "BS2", "B4", "G5", "K2", "KS3", "G1", "?"]
    if kind == "card" and "card" in action:
        action["card"] = rng.choice(cards[:-1])
    elif kind == "cell" and "at" in action:
        action["at"] = [action["at"][0] + rng.choice([-1, 0, 1]), action["at"][1] + rng.choice([-1, 1])]
    elif kind == "player":
        turn["player"] = rng.choice(damaged["players"])
    elif kind == "drop":
        actions.remove(action)
    elif kind == "double":
        actions.insert(actions.index(action), copy.deepcopy(action))
    elif kind == "swap":
        rng.shuffle(actions)
    elif kind == "pay" and "pay" in action:
        action["pay"] = rng.sample(cards[:-1], rng.randint(0, 2))
    elif kind == "announced" and "announced" in action:
        action["announced"] = rng.choice(["yellow", "blue", 1, 2, 5])
    return damaged


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
        recorded = []
        for move in turn.moves:
            if move.consequence:
                recorded.append((move.number, move.arguments))
                continue
            if recorded or not any(same_action(a, (move.number, move.arguments), play) for a in play.legal_actions()):
                return False
            play.do(move.number, move.arguments)
        if not may_end(rules.game, play.places) or play.broken_turn_rules():
            return False
        done = [(0, tuple(e[p.slot] for p in r.model.parameters)) for r, e in play.derive_consequences()]
        if sorted(done) != sorted(recorded):
            return False
        play.end_turn()
    if "result" not in data:
        return True
    from pwtool.engine.score import score_game

    result = score_game(rules.game, play.state)
    names = data["players"]
    return (
        play.over
        and {names[p]: t for p, t in enumerate(result.totals)} == data["result"]["scores"]
        and [sorted(names[p] for p in g) for g in result.ranking or []]
        == [sorted(g) for g in data["result"]["ranking"]]
        and {names[p]: lines for p, lines in enumerate(result.parts)} == data["result"]["parts"]
    )


def same_action(a: tuple[int, Any], b: tuple[int, Any], play: Play) -> bool:
    """Equal but for the order in which cards of a collection are named."""
    if a[0] != b[0]:
        return False
    return all((sorted(x) == sorted(y)) if isinstance(x, list) else x == y for x, y in zip(a[1], b[1], strict=True))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=st.sampled_from(CASES), seed=st.integers(0, 200), change=st.integers(0, 2**32))
def test_a_damaged_record_is_refused_or_truly_legal(case: tuple[str, int], seed: int, change: int) -> None:
    address, players = case
    rules = book(address)
    data, _ = random_game(address, players, seed, max_turns=60)
    damaged = damage(data, random.Random(change))
    try:
        record = rules.decoder.record(damaged)
    except Malformed:
        return
    replay = replay_record(rules.game, record, rules.legal)
    refused = any(f.code != "PW612" for f in replay.findings)
    assert refused == (not really_legal(address, damaged))


def test_the_deck_is_conserved_in_random_play() -> None:
    _, play = random_game("paper_world", 3, 5)
    from pwtool.engine.setup import deck_counts
    from pwtool.engine.state import all_faces

    game = book("paper_world").game
    held = Counter(f for z in game.zone_list if z.element.kind == "face" for f in all_faces(play.state.zones[z.number]))
    assert sum(held.values()) == sum(deck_counts(game, "main", 3).values()) + 3
