"""Random games of Pierre, Papier, Morpion: they replay clean, and everything that plain Python says of them is so."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.eval.kleene import is_unknown
from pwtool.ir.model import refusal
from pwtool.lang import tree as n
from pwtool.play.game import Game, Machine
from pwtool.play.play import Play
from pwtool.play.position import check_position
from pwtool.play.replay import replay_record
from pwtool.play.state import State, all_faces
from pwtool.records.encoding import encode_action, encode_record, encode_state
from pwtool.records.ruleset_store import RulesetStore
from pwtool.records.states import decode_state
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.why.examples import check_examples
from tests import daily
from tests.daily import one_day_in, some
from tests.games.duels import ADDRESSES, GAME, REWARDS, all_tokens, by_hand, moments, played_out, winner_of
from tests.support import Drawn, book, outcome, random_game

SEEDS = range(50)
MANY_SEEDS = range(1000, 2000)


def codes(game: Game, state: State, *zones: str) -> Counter[str]:
    """What lies in these zones, in codes."""
    models = [game.ruleset.zones[z] for z in zones]
    names = game.ruleset.components[models[0].element.component].codes
    return Counter(names[face] for z in models for face in all_faces(state.zones[z.number]))


def known_actions(play: Play, names: list[str]) -> list[dict[str, Any]]:
    """The engine's legal actions as a record writes them."""
    found = []
    for number, actor, arguments in play.legal_actions():
        by = None if actor < 0 else actor
        found.append(encode_action(play.game, play.game.action(number), arguments, names, [], by))
    return found


def in_order(actions: list[dict[str, Any]]) -> list[str]:
    return sorted(map(repr, (sorted(a.items(), key=str) for a in actions)))


def check_game(address: str, seed: int, choices: random.Random | None = None) -> dict[str, Any]:
    """Play, replay, and tell the game again in plain Python beside it; the record."""
    rules = book(address)
    data, play = random_game(address, 2, seed, choices=choices)
    names = data["players"]
    assert play.over
    told = moments(data)
    tokens = all_tokens(address)
    assert tokens.total() == 22

    def observe(at: Play, turn: int, action: int | None) -> None:
        table, here, moment = next(told)
        assert (here, moment) == (turn, action)
        game, state = rules.game, at.state
        assert codes(game, state, "upturned", "downturned", "spares", "won") == tokens == table.tokens
        assert codes(game, state, "gang", "shopfront") == Counter({"O": 9, "B": 9})
        assert codes(game, state, "upturned") == Counter(table.up.values())
        assert codes(game, state, "downturned") == Counter(table.down.values())
        assert [Counter(table.won[n]) for n in names] == [
            Counter(game.ruleset.components["reward"].codes[f] for f in held)
            for held in state.zones[game.ruleset.zones["won"].number]
        ]
        if action is not None:
            assert in_order(known_actions(at, names)) == in_order(list(table.possible()))
        elif not table.crowned:
            assert sorted(table.taken) == sorted(REWARDS) and len(table.gangs) == table.rounds

    replay = replay_record(rules.game, rules.decoder.record(data), rules.legal, observe)
    assert next(told, None) is None
    assert replay.findings == []
    result = played_out(data).result()
    assert result == data["result"] == outcome(replay.play, names)
    assert replay.result is not None and replay.result.replayed == (len(result["ranking"]) == 1)
    assert encode_state(rules.game, replay.play.state, names) == encode_state(rules.game, play.state, names)
    assert encode_record(rules.game, rules.decoder.record(data)) == data
    return data


@pytest.mark.parametrize("address", some([*ADDRESSES], 1))
def test_random_games_are_what_plain_python_says(address: str) -> None:
    for seed in SEEDS:
        check_game(address, seed)


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_many_random_games_are_what_plain_python_says(address: str) -> None:
    seen = Counter(kind for seed in MANY_SEEDS for kind in kinds_of(check_game(address, seed)))
    assert all(seen[kind] >= 5 for kind in ("crowns", "nine_rounds", "by lines", "tied", "set of 4", "set of 5")), seen
    # Whoever has the three crowns wins, also with fewer points.
    assert seen["crowned with fewer points"] >= 1, seen


@one_day_in(8)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    address=st.sampled_from(ADDRESSES),
    seed=st.integers(0, 2**32),
    given_choices=st.lists(st.floats(0, 1, exclude_max=True), max_size=120),
)
def test_any_random_game_is_what_plain_python_says(address: str, seed: int, given_choices: list[float]) -> None:
    check_game(address, seed, Drawn(given_choices, seed))


def kinds_of(data: dict[str, Any]) -> set[str]:
    """What is special about a game."""
    table, result = played_out(data), data["result"]
    found = {result["end"]["rule"]}
    scores = set(result["scores"].values())
    if result["end"]["rule"] == "nine_rounds" and len(scores) == 1:
        found.add("tied" if len(result["ranking"]) == 1 else "by lines")
    if table.crowned and result["scores"][table.crowned] < max(scores):
        found.add("crowned with fewer points")
    found |= {f"set of {n}" for won in table.won.values() for code, n in Counter(won).items() if code in "GTR"}
    return found


@one_day_in(7)
def test_random_games_are_of_many_kinds() -> None:
    seen: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for address in ADDRESSES:
        for seed in range(120):
            data, _ = random_game(address, 2, seed)
            seen.update(kinds_of(data))
            done.update(a["action"] for turn in data["turns"] for a in turn["actions"])
    assert all(seen[k] >= 3 for k in ("crowns", "nine_rounds", "by lines", "tied", "set of 4", "set of 5")), seen
    assert all(done[kind] >= 500 for kind in ("duel", "face_up", "face_down", "place", "peek")), done


def test_every_round_has_one_duel_that_decides_and_three_rewards_in_their_order() -> None:
    """Read off the records themselves, without the table of `duels.py`."""
    for address in ADDRESSES:
        for seed in range(20):
            data, _ = random_game(address, 2, seed)
            for number, turn in enumerate(data["turns"]):
                actions = [a for a in turn["actions"] if a["action"] != "peek"]
                duels = [winner_of(data["players"], a["sign"]) for a in actions if a["action"] == "duel"]
                rewards = [a for a in actions if a["action"] != "duel"]
                assert "player" not in turn and actions[: len(duels)] == [a for a in actions if a["action"] == "duel"]
                assert duels[:-1] == [None] * (len(duels) - 1) and duels[-1] is not None
                winner = duels[-1]
                loser = next(n for n in data["players"] if n != winner)
                assert [a["by"] for a in rewards] == [winner, loser, winner][: len(rewards)]
                last = number == len(data["turns"]) - 1
                assert len(rewards) == 3 or (last and data["result"]["end"]["rule"] == "crowns")
            assert len(data["turns"]) == 9 or data["result"]["end"]["rule"] == "crowns"


def test_a_record_may_stop_anywhere() -> None:
    for address in ADDRESSES:
        for stop in range(9):
            data, _ = random_game(address, 2, 7, max_turns=stop)
            data.pop("result", None)
            rules = book(address)
            replay = replay_record(rules.game, rules.decoder.record(data), rules.legal)
            assert replay.findings == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(address=st.sampled_from(ADDRESSES), seed=st.integers(0, 2**32), stop=st.integers(0, 9))
def test_positions_survive_their_file(address: str, seed: int, stop: int) -> None:
    rules = book(address)
    data, _ = random_game(address, 2, seed, max_turns=stop)
    record = rules.decoder.record(data)
    state = replay_record(rules.game, record, rules.legal).play.state
    written = encode_state(rules.game, state, record.players)
    read = decode_state(rules.decoder, written)
    assert encode_state(rules.game, read.state, read.names) == written
    assert check_position(rules.game, read.state, read.names, read.missing) == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_schema_allows_what_the_decoder_reads(address: str) -> None:
    from jsonschema import Draft202012Validator

    from pwtool.records.schema import record_schema, state_schema

    game = book(address).game
    data, play = random_game(address, 2, 3)
    written = encode_state(game, play.state, data["players"])
    for schema, value in ((record_schema(game), data), (state_schema(game), written)):
        problems = [(list(e.absolute_path), e.message) for e in Draft202012Validator(schema).iter_errors(value)]
        assert problems == []


# ---- both evaluators -------------------------------------------------------------------------------------------------


def verdicts(game: Game, machine: Machine, play: Play, rng: random.Random) -> dict[tuple[Any, ...], Any]:
    """Everything that a machine says of a position; conditions as truth values."""
    state, backend = play.state, machine.backend
    found: dict[tuple[Any, ...], Any] = {}

    def truth(verdict: Any) -> Any:
        assert not is_unknown(verdict)
        return bool(verdict)

    for number, ending in enumerate(machine.endings):
        found["ending", number] = truth(ending(state, game.locals()))
    for number, (actor, guard) in enumerate(machine.guards):
        if actor is not None:
            found["actor", number] = actor(state, game.locals())
        if guard is not None:
            found["guard", number] = truth(guard(state, game.locals()))
    for variable, initial in machine.initial.items():
        found["initial", variable] = initial(state, game.locals())
    faces = range(len(game.ruleset.components["reward"].codes))
    mover = state.player
    for seat in range(state.players):
        state.player = seat
        for line, score in zip(game.ruleset.scores, machine.scores, strict=True):
            found["score", state.player, line.name] = score(state, game.locals())
        for invariant in game.ruleset.invariants:
            refuses = backend.compile(refusal(invariant.when, invariant.require))
            found["invariant", state.player, invariant.name] = truth(refuses(state, game.locals()))
        for runner in machine.actions:
            for _ in range(3):
                arguments: tuple[Any, ...] = tuple(
                    ("rock", rng.choice(["rock", "paper"])) if p.each
                    else (rng.randrange(3), rng.randrange(3)) if p.kind == "cell"
                    else rng.choice(faces)
                    for p in runner.model.parameters
                )  # fmt: skip
                e = runner.bind(arguments)
                runner.compute(state, e)
                missing = [(p.name, what) for p, what in runner.unavailable(state, e)]
                broken, unknown = runner.judge(state, e)
                assert unknown == []
                found["action", state.player, runner.model.name, arguments] = missing, [r.id for r in broken]
    state.player = mover
    return found


def check_agreement(address: str, seed: int) -> Counter[str]:
    """Both machines at every moment of a random game; how many actions were judged and refused."""
    rules = book(address)
    data, _ = random_game(address, 2, seed)
    counts: Counter[str] = Counter()

    def observe(play: Play, turn: int, action: int | None) -> None:
        fast, careful = (
            verdicts(rules.game, m, play, random.Random(turn)) for m in (rules.game.fast, rules.game.careful)
        )
        assert fast == careful
        for key, value in fast.items():
            if key[0] == "action":
                counts["judged"] += 1
                counts["refused"] += value != ([], [])
        # What a position allows is the same when the machine for unseen cards is asked.
        other = play.copy()
        other.state.unseen = True
        assert known_actions(other, data["players"]) == known_actions(play, data["players"])

    replay_record(rules.game, rules.decoder.record(data), rules.legal, observe)
    return counts


@pytest.mark.parametrize("address", some([*ADDRESSES], 1))
def test_both_evaluators_agree(address: str) -> None:
    counts = check_agreement(address, ADDRESSES.index(address))
    assert counts["judged"] > 250 and 0 < counts["refused"] < counts["judged"]


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_both_evaluators_agree_in_many_games(address: str) -> None:
    """Other games in each full run."""
    start = 8 * daily.seed()
    counts = sum((check_agreement(address, seed) for seed in range(start, start + 8)), Counter[str]())
    assert counts["judged"] > 2400 and 0 < counts["refused"] < counts["judged"]


def test_both_evaluators_replay_alike() -> None:
    for address in ADDRESSES:
        game = Game(book(address).game.ruleset)
        for seed in range(5):
            data, _ = random_game(address, 2, seed)
            record = book(address).decoder.record(data)
            fast = replay_record(game, record)
            machine, game.fast = game.fast, game.careful
            try:
                careful = replay_record(game, record)
            finally:
                game.fast = machine
            assert fast.findings == careful.findings == []
            assert fast.result == careful.result


# ---- single games, written by hand -----------------------------------------------------------------------------------


def finish(data: dict[str, Any], **result: Any) -> list[tuple[str, str | None]]:
    rules = book(GAME)
    data["result"] = result
    return [(f.code, f.rule) for f in replay_record(rules.game, rules.decoder.record(data), rules.legal).findings]


UP = "G G G G T T T C C".split()
DOWN = "P P P P R R R R T".split()


def test_four_of_a_kind_are_three_points_and_three_rows_nine() -> None:
    # P1 wins every duel and takes the face-up token first and the place last; P2 has all the hidden ones.
    data = by_hand(UP, DOWN, [("1", "udp")] * 9)
    parts = {
        "P1": {"gang_lines": 8 * 3, "glue": 3, "tape": 5, "ruler": 0, "plus_two": 0},
        "P2": {"gang_lines": 0, "glue": 0, "tape": 1, "ruler": 3, "plus_two": 8},
    }
    right = {"parts": parts, "scores": {"P1": 32, "P2": 12}, "ranking": [["P1"], ["P2"]]}
    assert finish(data, **right, end={"rule": "nine_rounds", "turn": 9}) == []
    assert finish(data, **{**right, "scores": {"P1": 31, "P2": 12}}) == [("PW608", "score")]


def test_the_third_crown_ends_the_game_in_the_middle_of_a_round() -> None:
    up = "C C C G G G G G T".split()
    down = "P P P P R R R R T".split()
    data = by_hand(up, down, [("1", "udp"), ("1", "pdu"), ("1", "u")])
    end = {"rule": "crowns", "turn": 3}
    assert finish(data, ranking=[["P1"], ["P2"]], scores={"P1": 0, "P2": 4}, end=end) == []
    assert finish(data, ranking=[["P2"], ["P1"]]) == [("PW608", "ranking")]
    assert finish(data, end={"rule": "nine_rounds", "turn": 3}) == [("PW608", "crowns")]
    # Two crowns are not three.
    data["turns"].pop()
    assert finish(data, ranking=[["P2"], ["P1"]]) == [("PW607", "crowns")]


def test_the_loser_of_a_duel_may_be_crowned() -> None:
    up = "C C C G G G G G T".split()
    data = by_hand(up, DOWN, [("1", "dup"), ("2", "upd"), ("2", "u")])
    end = {"rule": "crowns", "turn": 3}
    assert finish(data, ranking=[["P2"], ["P1"]], end=end) == []
    data = by_hand(up, DOWN, [("1", "dup"), ("1", "dup"), ("1", "du")])
    assert finish(data, ranking=[["P2"], ["P1"]], end=end) == []


PAGE = Path(__file__).resolve().parents[2] / "docs" / "pierre_papier_morpion.md"


def reading_cases() -> list[tuple[str, str]]:
    """Every other reading of an open point, with each of the rulesets that offer it."""
    found = []
    for address in ADDRESSES:
        for node in book(address).game.ruleset.merged.items.values():
            if isinstance(node, n.Ambiguity):
                found += [(address, f"{node.name.name}={a.name.name}") for a in node.alternatives]
    return found


@pytest.mark.parametrize(("address", "reading"), some([*reading_cases()], 4))
def test_examples_hold_under_every_other_reading(address: str, reading: str) -> None:
    result = load_ruleset(address, Library(), (reading,))
    assert result.diagnostics == () and result.value is not None
    assert check_examples(Game(result.value)) == []
    assert result.value.version != book(address).game.ruleset.version


def test_the_page_names_all_readings_and_only_those() -> None:
    shown = set(re.findall(r"`(\w+=\w+)`", PAGE.read_text("utf-8")))
    assert shown == {reading for _, reading in reading_cases()}


def judged(data: dict[str, Any], reading: str) -> list[tuple[str, str]]:
    rules = RulesetStore(Library(), (reading,)).get(GAME).value
    assert rules is not None
    return [(f.code, f.rule) for f in replay_record(rules.game, rules.decoder.record(data), rules.legal).findings]


def test_the_order_of_the_places_decides_which_token_is_turned_up() -> None:
    # Every place holds another hidden token than the one beside it; the fourth place is the first that differs.
    data = by_hand(UP, "P T P T R P R P R".split(), [("1", "udp")] * 4)
    assert judged(data, "two_lines=five") == []
    assert ("PW602", "face_down.token") not in judged(by_hand(UP, DOWN, [("1", "udp")] * 3), "order_of_places=inward")
    for order in ("back_and_forth", "inward"):
        assert judged(data, f"order_of_places={order}") == [("PW602", "face_down.token")]


def test_two_lines_may_be_five_points_and_a_victory_by_crowns_may_be_without_points() -> None:
    # The first player wins the duels for the places of the first row and the middle row.
    data = by_hand(UP, DOWN, [("1", "udp")] * 6 + [("1", "upd")] * 3)
    data["result"] = {"parts": {"P1": {"gang_lines": 6}}}
    assert judged(data, "crown_points=not_counted") == []
    assert judged(data, "two_lines=five") == [("PW608", "score.gang_lines")]
    crowned = by_hand("C C C G G G G G T".split(), DOWN, [("1", "udp"), ("1", "pdu"), ("1", "u")])
    crowned["result"] = {"scores": {"P1": 0, "P2": 4}, "ranking": [["P1"], ["P2"]]}
    assert judged(crowned, "two_lines=five") == []
    crowned["result"] = {"scores": {"P1": 0, "P2": 0}, "ranking": [["P1"], ["P2"]]}
    assert judged(crowned, "crown_points=not_counted") == []
    assert judged(crowned, "two_lines=five") != []
