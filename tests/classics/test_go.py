"""Go on 9, 13 and 19 lines against a board in plain Python, sgfmill's board and its area score: what is legal, what is taken,
what counts, by the engine and by the kernel.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import pwtool
from pwtool.kernel import run as kernels
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.stepping import Stepper
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from tests.classics.go_board import Cell, Game
from tests.daily import one_day_in, some
from tests.kernel.judging import bench
from tests.kernel.test_random_play import check_seed
from tests.support import book, few_or_many

RULES = [
    ("go", 9, "positional", 7), ("go+thirteen", 13, "positional", 7), ("go+nineteen", 19, "positional", 7),
    ("go/chinese+nineteen", 19, "positional", 7), ("go/aga", 9, "situational", 7), ("go+situational+thirteen", 13, "situational", 7),
    ("go/japanese", 9, "simple", 6), ("go/japanese+nineteen", 19, "simple", 6), ("go+simple_ko", 9, "simple", 7),
    ("go/new_zealand", 9, "situational with suicide", 7), ("go/new_zealand+nineteen", 19, "situational with suicide", 7),
    ("go+suicide+thirteen", 13, "positional with suicide", 7), ("go+simple_ko+suicide", 9, "simple with suicide", 7),
]  # fmt: skip
MOST = {9: 160, 13: 260, 19: 400}


@cache
def played(size: int, ko: str, count: int) -> list[Game]:
    rng, games = random.Random(f"{size} {ko}"), []
    for number in range(count):
        games.append(Game(size, ko))
        # Some fights stay in a corner: there is more taking back.
        games[-1].play_at_random(rng, MOST[size] if number % 2 else MOST[size] // 4)
    return games


def totals(game: Game, address: str, komi: int) -> list[int]:
    found = []
    for color, (stones, territory) in enumerate(game.points()):
        more = game.taken[color] if "japanese" in address else stones
        found.append(more + territory + (komi if color else 0))
    return found


@cache
def stepper(address: str) -> Stepper:
    return Stepper(kernels.Runner(compile_kernel(book(address).game.ruleset)))


@pytest.fixture(scope="module", autouse=True)
def kernels_end_before_the_interpreter() -> Iterator[None]:
    yield
    stepper.cache_clear()


def by_kernel(kernel: Stepper, record: dict[str, object]) -> tuple[Any, set[Cell]]:
    """The kernel's answer for a record, and where a stone may be placed next."""
    packed = kernel.pack(json.dumps(record).encode(), own=False)
    assert packed is not None
    reply, words, found = kernel.begin(packed), list(kernel.legal().options), set()
    place = book("go").game.action_numbers["place"]
    while words:
        if words[0] == place:
            found.add((words[2] & 0xFFFF, words[2] >> 16))
        del words[: 3 if words[0] == place else 2]
    return reply, found


@pytest.mark.parametrize("games", few_or_many(2, 30))
@pytest.mark.parametrize(("address", "size", "ko", "komi"), some(RULES, 2))
def test_the_engine_says_what_a_plain_board_says(address: str, size: int, ko: str, komi: int, games: int) -> None:
    rules, names = book(address), {a.number: a.name for a in book(address).game.ruleset.actions.values()}
    board = rules.game.ruleset.zones["board"].number
    owner = rules.game.ruleset.components["stone"].attributes["owner"].table
    rng = random.Random(games)
    for game in played(size, ko, games):
        asked = set(rng.sample(range(len(game.moves)), 5))

        def observe(play: Play, turn: int, action: int | None, game: Game = game, asked: set[int] = asked) -> None:
            if action is None:
                stones = {cell: owner[pile[-1]] for cell, pile in play.state.zones[board][0].items()}
                assert stones == game.boards[turn + 1], turn
            elif turn in asked:
                before = Game(size, ko, game.boards[: turn + 1], game.moves[:turn])
                found = {a[0] for number, _, a in play.legal_actions() if names[number] == "place"}
                assert found == before.legal(), turn

        replay = replay_record(rules.game, rules.decoder.record(game.record()), rules.legal, observe)
        assert not replay.findings
        verdict = rules_of(address).check(game.record())
        assert verdict.result is not None and list(verdict.result.scores.values()) == totals(game, address, komi)


@cache
def rules_of(address: str) -> pwtool.Rules:
    return pwtool.load(address)


@one_day_in(4)
@pytest.mark.skipif(not kernels.is_installed(), reason="kernels are an extra")
@pytest.mark.parametrize("games", few_or_many(6, 100))
@pytest.mark.parametrize(("address", "size", "ko", "komi"), some(RULES, 2))
def test_the_kernel_says_what_a_plain_board_says(address: str, size: int, ko: str, komi: int, games: int) -> None:
    kernel, rng = stepper(address), random.Random(games)
    for game in played(size, ko, games):
        reply, found = by_kernel(kernel, game.record())
        assert reply.is_clean and reply.totals == totals(game, address, komi) and not found
        for turn in rng.sample(range(len(game.moves) - 2), 8):
            before = Game(size, ko, game.boards[: turn + 1], game.moves[:turn])
            reply, found = by_kernel(kernel, before.record())
            assert reply.is_clean and found == before.legal(), turn


VARIANTS = [
    *(address for address, *_ in RULES), "go+handicap", "go+agreed", "go/japanese+agreed", "go/aga+nineteen+handicap+agreed",
    "go/chinese+thirteen+handicap+situational", "go/japanese+nineteen+handicap",
]  # fmt: skip


@pytest.mark.skipif(not kernels.is_installed(), reason="kernels are an extra")
@pytest.mark.parametrize("seeds", few_or_many(4, 60))
@pytest.mark.parametrize("address", some(VARIANTS, 3))
def test_engine_and_kernel_play_the_same_games(address: str, seeds: int) -> None:
    for seed in range(seeds):
        check_seed(address, 2, seed, most=80)
    bench.cache_clear()


HANDICAP = ("go+handicap", 3), ("go/aga+handicap", 2), ("go/japanese+nineteen+handicap", 0)


@one_day_in(8)
@pytest.mark.parametrize(("address", "worth"), HANDICAP)
def test_handicap_is_laid_in_one_turn_and_made_up_for_in_area(address: str, worth: int) -> None:
    rules = pwtool.load(address)
    stones = [{"action": "lay", "at": [x, x]} for x in (2, 4, 6)]
    turns = [{"player": "a", "actions": stones}, {"player": "b", "actions": [{"action": "place", "at": [3, 3]}]}]
    passes = [{"player": player, "actions": [{"action": "pass"}]} for player in "ab"]
    verdict = rules.check({"format": "pwtool/1", "players": ["a", "b"], "turns": [*turns, *passes]})
    assert verdict.clean and verdict.result is not None and verdict.result.lines["b"]["komi"] == worth
    for wrong, refused in (
        ([{"player": "a", "actions": stones[:1]}, turns[1]], "turn.handicap"),
        ([*turns, {"player": "a", "actions": stones}], "lay.first"),
        ([{"player": "a", "actions": [*stones, *stones[:1]]}], "lay.free"),
    ):
        assert refused in {
            f.rule for f in rules.check({"format": "pwtool/1", "players": ["a", "b"], "turns": wrong}).findings
        }


def test_dead_stones_are_given_up_after_two_passes() -> None:
    """The white stone is dead: given up, it is a prisoner in Japan, and the whole board is black."""
    rules = pwtool.load("go/japanese+agreed")
    place = [("a", [2, 2]), ("b", [0, 0]), ("a", [1, 1]), ("b", None), ("a", None)]
    turns = [
        {"player": player, "actions": [{"action": "pass"} if at is None else {"action": "place", "at": at}]}
        for player, at in place
    ]
    last = [{"player": "b", "actions": [{"action": "concede", "at": [0, 0]}, {"action": "pass"}]}]
    last.append({"player": "a", "actions": [{"action": "pass"}]})
    verdict = rules.check({"format": "pwtool/1", "players": ["a", "b"], "turns": turns + last})
    assert verdict.clean and verdict.result is not None
    assert verdict.result.lines["a"] == {"area": 79, "komi": 0, "prisoners": 1}
    last[0]["actions"][0]["at"] = [1, 1]
    refused = rules.check({"format": "pwtool/1", "players": ["a", "b"], "turns": turns + last})
    assert refused.causes[0].rule == "concede.own"


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(4, 100))
@pytest.mark.parametrize(
    ("size", "ko"), [*((size, "positional") for size in (9, 13, 19)), (9, "situational with suicide")]
)
def test_the_plain_board_is_that_of_sgfmill(size: int, ko: str, games: int) -> None:
    boards = pytest.importorskip("sgfmill.boards")
    for game in played(size, ko, games):
        board = boards.Board(size)
        for turn, at in enumerate(game.moves):
            if at is not None:
                board.play(size - 1 - at[1], at[0], "bw"[turn % 2])
            stones = {(x, size - 1 - y): "bw".index(color) for color, (y, x) in board.list_occupied_points()}
            assert stones == game.boards[turn + 1]
        (black, own), (white, other) = game.points()
        assert board.area_score() == black + own - white - other
