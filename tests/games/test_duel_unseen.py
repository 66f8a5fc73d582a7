"""Games of Pierre, Papier, Morpion with hidden tokens that nobody wrote down: never wrong, and never more than 22."""

from __future__ import annotations

import copy
import random
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.eval.values import UNSEEN
from pwtool.play.play import Play
from pwtool.play.replay import Replay, replay_record
from pwtool.play.state import all_faces
from pwtool.why.causes import mark_causes
from tests import daily
from tests.daily import one_day_in
from tests.games.duels import ADDRESSES, GAME, all_tokens, by_hand, played_out
from tests.games.test_duel_damage import ALL, check_caught, damages
from tests.support import book, few_or_many, outcome, random_game

Path = tuple[Any, ...]
LOOKS = GAME + "+binoculars"
HIDDEN: tuple[Path, ...] = (
    *(("downturned", y, x) for y in range(3) for x in range(3)),
    *(("spares", at) for at in range(4)),
)
ZONES = ("upturned", "downturned", "spares", "won")


def covered(record: dict[str, Any], places: tuple[Path, ...]) -> dict[str, Any]:
    """The record with these tokens unseen."""
    hidden = copy.deepcopy(record)
    for zone, *at in places:
        holder = hidden["setup"][zone]
        for key in at[:-1]:
            holder = holder[key]
        holder[at[-1]] = "?"
    return hidden


def some(rng: random.Random, share: float) -> tuple[Path, ...]:
    return tuple(p for p in HIDDEN if rng.random() < share)


def replay(record: dict[str, Any]) -> Replay:
    rules = book(record["ruleset"])
    return replay_record(rules.game, rules.decoder.record(record), rules.legal)


def told(record: dict[str, Any]) -> list[tuple[str, str | None, Path]]:
    """What is certainly wrong and a cause of its own: code, rule and place."""
    found = replay(record)
    mark_causes(book(record["ruleset"]).game, found, book(record["ruleset"]).legal)
    return [(f.code, f.rule, f.path) for f in found.findings if not f.undetermined and not f.follows]


def check_conserved(record: dict[str, Any]) -> None:
    """At every moment there are 22 tokens, and what is not seen can only be what the box still has."""
    rules = book(record["ruleset"])
    game = rules.game
    codes = game.ruleset.components["reward"].codes
    everything = all_tokens(record["ruleset"])
    moments = 0

    def observe(play: Play, turn: int, action: int | None) -> None:
        nonlocal moments
        moments += 1
        state = play.state
        faces = [f for z in ZONES for f in all_faces(state.zones[game.ruleset.zones[z].number])]
        assert len(faces) == 22
        known = Counter(codes[f] for f in faces if f != UNSEEN)
        left = Counter({codes[f]: n for f, n in state.pool.get("reward", Counter()).items() if n})
        assert left.total() >= faces.count(UNSEEN)
        assert known + left == everything if UNSEEN in faces else known == everything

    replay_record(game, rules.decoder.record(record), rules.legal, observe)
    assert moments == sum(len(t["actions"]) + 1 for t in record["turns"])


# ---- clean games -----------------------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_clean_game_with_unseen_tokens_is_never_wrong(address: str) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        record, _ = random_game(address, 2, seed, max_turns=rng.choice([3, 9, 9]))
        for share in (0.2, 0.6, 1.0):
            hidden = covered(record, some(rng, share))
            assert {f.code for f in replay(hidden).findings} <= {"PW611"}, (seed, share)


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_many_clean_games_with_unseen_tokens_are_never_wrong(address: str) -> None:
    for seed in range(10, 400):
        rng = random.Random(seed)
        record, _ = random_game(address, 2, seed, max_turns=rng.choice([2, 5, 9, 9]))
        hidden = covered(record, some(rng, rng.random()))
        assert {f.code for f in replay(hidden).findings} <= {"PW611"}, seed
        check_conserved(hidden)


@one_day_in(4)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    address=st.sampled_from(ADDRESSES),
    seed=st.integers(0, 2**32),
    stop=st.integers(0, 9),
    unseen=st.lists(st.sampled_from(HIDDEN), unique=True),
)
def test_tokens_that_never_turn_up_may_be_unseen(address: str, seed: int, stop: int, unseen: list[Path]) -> None:
    record, _ = random_game(address, 2, seed, max_turns=stop)
    named = {
        (y, x)
        for turn, data in enumerate(record["turns"])
        for a in data["actions"]
        for y, x in (
            [divmod(turn, 3)] if a["action"] == "face_down" else [a["at"][::-1]] if a["action"] == "peek" else []
        )
    }
    never = tuple(p for p in unseen if p[0] == "spares" or p[1:] not in named)
    # What nobody ever sees decides nothing: the game is as clean as it was, and its result is known.
    hidden = replay(covered(record, never))
    assert hidden.findings == []
    if "result" in record:
        assert outcome(hidden.play, record["players"]) == record["result"] == played_out(record).result()
    assert {f.code for f in replay(covered(record, tuple(unseen))).findings} <= {"PW611"}


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(6, 20))
def test_all_hidden_tokens_unseen_and_the_result_is_known_all_the_same(games: int) -> None:
    for address in ADDRESSES:
        for seed in range(games):
            record, _ = random_game(address, 2, seed)
            hidden = covered(record, HIDDEN)
            result = replay(hidden)
            assert result.findings == []
            assert outcome(result.play, record["players"]) == record["result"]
            # A result that is wrong is still wrong.
            hidden["result"]["scores"]["P1"] += 1
            assert told(hidden) == [("PW608", "score", ("result", "scores", "P1"))]


@pytest.mark.parametrize("address", daily.some([*ADDRESSES], 1))
def test_the_tokens_are_conserved_when_they_are_not_seen(address: str) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        record, _ = random_game(address, 2, seed)
        for places in ((), HIDDEN[9:], HIDDEN[:9], HIDDEN, some(rng, 0.5)):
            check_conserved(covered(record, places))


def test_a_token_becomes_known_when_it_is_taken() -> None:
    record = by_hand(UP, DOWN, [("1", "dup"), ("2", "upd"), ("1", "ud")])
    hidden = covered(record, HIDDEN)
    rules = book(GAME)
    codes = rules.game.ruleset.components["reward"].codes
    known: list[list[str]] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is None:
            won = play.state.zones[rules.game.ruleset.zones["won"].number]
            known.append(sorted(codes[f] for f in all_faces(won)))

    replay_record(rules.game, rules.decoder.record(hidden), rules.legal, observe)
    assert known[0] == sorted([UP[0], DOWN[0]])
    assert known[-1] == sorted([*UP[:3], *DOWN[:3]])


# ---- more than there are ---------------------------------------------------------------------------------------------

UP = "G T R G T R P P C".split()
DOWN = "C T G C R G T P R".split()


def hand(up: str, down: str, rounds: list[tuple[str, str]], address: str = GAME) -> dict[str, Any]:
    """A game by hand of which no hidden token was written down but where it is taken; `down` is what is taken."""
    taken = by_hand(up.split(), down.split(), rounds, address)
    taken["setup"]["spares"] = ["?"] * 4
    return covered(taken, HIDDEN)


def at_token(turn: int, at: int) -> Path:
    return ("turns", turn, "actions", at, "token")


TOO_MANY = [
    # The face-up tokens, the hidden ones as they are said to be, and the round in which one is too many.
    ("fourth crown", "C G T G T G T G R", "C C C G T R R P P", 2, GAME),
    ("fourth crown, two face up", "C T C G T G T G R", "C C R G T R R P P", 1, GAME),
    ("fourth crown, three face up", "G T R C T C T C R", "C G G G T R R P P", 0, GAME),
    ("sixth glue", "G G G G T T T R R", "T G G C T R R P P", 2, GAME),
    ("sixth glue, five face up", "G G G G G T T R R", "T R G C T R R P P", 2, GAME),
    ("fifth token of two points", "P P G P T T T R R", "T P P C T R R G G", 2, GAME),
    ("second bonus for glue", "G T R G T R BT BR C", "T BG BG C T R R G G", 2, GAME + "+bonus"),
    ("bonus that lies face up", "G T R G BG R BT BR C", "T T BG C T R R G G", 2, GAME + "+bonus"),
]


@pytest.mark.parametrize(("up", "down", "turn", "address"), [t[1:] for t in TOO_MANY], ids=[t[0] for t in TOO_MANY])
def test_more_than_there_are_is_refused_where_it_turns_up(up: str, down: str, turn: int, address: str) -> None:
    # Nobody has three crowns by it: P1 takes the first hidden token, P2 the others.
    order = [("1", "dpu"), ("2", "dup"), ("1", "pdu")]
    record = hand(up, down, order[: turn + 1], address)
    at = 1 + order[turn][1].index("d")
    assert told(record) == [("PW602", "face_down.token", at_token(turn, at))]
    # Without it the record is clean: it is the last one alone that is too many.
    record["turns"] = record["turns"][:turn]
    assert replay(record).findings == []


def test_what_is_known_of_the_spares_counts() -> None:
    record = hand("C G T G T G T G R", "C C R G T R R P P", [("1", "dup"), ("2", "dup")])
    assert told(record) == []
    record["setup"]["spares"][1] = "C"
    assert told(record) == [("PW602", "face_down.token", at_token(1, 1))]


def test_unseen_spares_are_counted_with_the_setup() -> None:
    record = hand(" ".join(UP), " ".join(DOWN), [])
    assert replay(record).findings == []
    for spares, place in ((["?"] * 5, "spares"), (["?"] * 3, "spares"), (["?"] * 4 + ["G"], "spares")):
        record["setup"]["spares"] = spares
        assert {(code, rule, path[:2]) for code, rule, path in told(record)} == {
            ("PW609", f"setup.{place}", ("setup", place))
        }
    record["setup"]["spares"] = ["?"] * 4
    record["setup"]["upturned"] = [["C", "G", "C"], ["C", "G", "T"], ["C", "T", "R"]]
    found = told(record)
    assert found[0] == ("PW609", "setup.upturned", ("setup", "upturned", 2, 0))
    # Thirteen unseen tokens cannot be the fourteen that are left in the box.
    assert {f[1:] for f in found[1:]} <= {("setup.spares", ("setup", "spares"))}


def test_after_a_crown_too_many_the_game_goes_on_and_only_it_is_blamed() -> None:
    record = hand("C G T G T G T G R", "C C C G T R R P P", [("1", "dpu"), ("2", "dup"), ("1", "pdu"), ("2", "dup")])
    assert told(record) == [("PW602", "face_down.token", at_token(2, 2))]


def test_a_crown_victory_by_a_crown_too_many_follows_from_it() -> None:
    # P2 would have three of the four crowns, and the record goes on.
    record = hand("C G T G T G T G R", "C C C G T R R P P", [("1", "dup"), ("2", "dup"), ("1", "pdu"), ("2", "dup")])
    assert told(record) == [("PW602", "face_down.token", at_token(2, 2))]


# ---- looking at hidden tokens ----------------------------------------------------------------------------------------


def look(by: str, cell: tuple[int, int], token: str) -> dict[str, Any]:
    return {"action": "peek", "by": by, "at": list(cell), "token": token}


def looked_at(looks: list[dict[str, Any]], rounds: list[tuple[str, str]], down: str = " ".join(DOWN)) -> dict[str, Any]:
    """A game by hand in which these looks come before the first duel."""
    record = hand(" ".join(UP), down, rounds, LOOKS)
    record["turns"][0]["actions"][:0] = looks
    return record


def test_looks_that_agree_are_fine() -> None:
    looks = [look("P1", (0, 0), "C"), look("P2", (0, 0), "C"), look("P2", (1, 0), "T"), look("P1", (2, 2), "R")]
    record = looked_at(looks, [("1", "dup"), ("2", "udp"), ("2", "pdu")])
    assert replay(record).findings == []
    check_conserved(record)


def test_a_token_is_what_was_seen_before() -> None:
    # P1 saw glue on the second place; in the second round tape is taken from it.
    record = looked_at([look("P1", (1, 0), "G")], [("1", "dup"), ("2", "udp")])
    assert record["turns"][1]["actions"][2]["token"] == "T"
    assert told(record) == [("PW602", "face_down.token", at_token(1, 2))]
    record["turns"][1]["actions"][2]["token"] = "G"
    assert replay(record).findings == []


def test_two_looks_at_one_token_have_to_agree() -> None:
    record = looked_at([look("P1", (1, 1), "G"), look("P2", (1, 1), "T")], [("1", "dup")])
    assert told(record) == [("PW602", "peek.token", at_token(0, 1))]


def test_a_look_cannot_show_a_fourth_crown() -> None:
    looks = [look("P1", (0, 0), "C"), look("P1", (1, 1), "C"), look("P2", (2, 2), "C")]
    record = looked_at(looks, [("1", "dup")])
    assert UP.count("C") == 1
    assert told(record) == [("PW602", "peek.token", at_token(0, 2))]
    # The crown that P1 saw and takes is one crown, not two.
    record["turns"][0]["actions"].pop(2)
    assert replay(record).findings == []


def test_what_a_look_showed_is_missing_elsewhere() -> None:
    looks = [look("P1", (2, 2), "C"), look("P2", (1, 2), "C")]
    record = looked_at(looks, [("1", "dup")])
    assert told(record) == [("PW602", "face_down.token", at_token(0, 3))]


def test_a_look_at_an_unseen_token_needs_binoculars_and_a_token() -> None:
    record = looked_at([look("P1", (2, 2), "R")] * 3, [("1", "dup")])
    assert told(record) == [("PW601", "peek.unspent", ("turns", 0, "actions", 2))]
    record = looked_at([], [("1", "dup")])
    record["turns"][0]["actions"].append(look("P2", (0, 0), "C"))
    assert told(record) == [("PW602", "peek.token", at_token(0, 4))]


# ---- tokens that somebody took and nobody could read -----------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(8, 25))
def test_a_token_taken_unread_leaves_open_what_follows_from_it(games: int) -> None:
    seen: Counter[str] = Counter()
    for address in ADDRESSES:
        for seed in range(games):
            record, _ = random_game(address, 2, seed)
            hidden = covered(record, HIDDEN)
            rng = random.Random(seed)
            for turn in hidden["turns"]:
                for action in turn["actions"]:
                    if action["action"] == "face_down" and rng.random() < 0.3:
                        action["token"] = "?"
            found = replay(hidden).findings
            assert {f.code for f in found} <= {"PW611"}, (address, seed, [(f.code, f.rule, f.path) for f in found])
            seen.update(f.code for f in found)
    assert seen["PW611"] > 2 * games


def test_an_unread_token_may_have_been_the_third_crown() -> None:
    """The record says so by its result; what nobody read cannot contradict it."""
    record = by_hand("C C G T R T R P P".split(), "G G C T T R R P P".split(), [("1", "udp"), ("1", "udp"), ("1", "d")])
    record["result"] = {"ranking": [["P1"], ["P2"]], "end": {"rule": "crowns", "turn": 3}}
    assert replay(record).findings == []
    hidden = covered(record, HIDDEN)
    assert replay(hidden).findings == []
    hidden["turns"][2]["actions"][1]["token"] = "?"
    assert {f.code for f in replay(hidden).findings} <= {"PW611"}
    # Where no crown is left for it, it was none.
    hidden["setup"]["spares"][0] = "C"
    assert [(code, path) for code, _, path in told(hidden)] == [("PW615", ("turns", 2))]
    assert "PW607" in {f.code for f in replay(hidden).findings}


def test_an_unread_token_may_not_have_been_the_third_crown() -> None:
    """The same, only that the record goes on."""
    record = by_hand(
        "C C G T R T R P P".split(), "G G T T R R P P C".split(), [("1", "udp"), ("1", "udp"), ("1", "dup")]
    )
    hidden = covered(record, HIDDEN)
    hidden["turns"][2]["actions"][1]["token"] = "?"
    assert told(hidden) == []


def test_a_look_that_nobody_could_read_makes_nobody_forget() -> None:
    record = by_hand(UP, DOWN, [("1", "dup"), ("2", "udp")], LOOKS)
    record["setup"]["spares"] = ["?"] * 4
    record["turns"][0]["actions"][:0] = [look("P1", (1, 0), "?")]
    assert {f.code for f in replay(record).findings} <= {"PW611"}
    # The setup says what lies there: tape.
    record["turns"][1]["actions"][2]["token"] = "G"
    assert told(record) == [("PW602", "face_down.token", at_token(1, 2))]


# ---- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("games", few_or_many(8, 30))
@pytest.mark.parametrize("kind", daily.some([*ALL], 8), ids=[k.__name__ for k in ALL])
def test_damage_is_caught_when_the_spares_are_unseen(kind: Any, games: int) -> None:
    caught = 0
    for name, (record, code, rule, place) in islice(damages(kind), games):
        check_caught(name, (covered(record, HIDDEN[9:]), code, rule, place))
        caught += 1
    assert caught
