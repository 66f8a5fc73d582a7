"""How fast games are played at random: by kernels, by the engine, by OpenSpiel driven from Python, and chess by python-chess.

    python benchmarks/random_play.py [--rounds N] [--quick]

Each plays the classics, every legal move as likely as any other, and is measured in the same run: compare the ratios, not
the numbers of different machines. README.md says what each line means. `--only NAME` measures one game.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any, cast

from measuring import Table, best_seconds, rate

from pwtool.kernel.run import FUEL_EACH_PLAYED
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from tests.classics.lockstep import Match
from tests.classics.matches import MATCHES

MAX_TURNS = 10_000
ROOM = 16 << 20
SLICES = 10


class Playing:
    """A kernel that is called as any program in any language would call it: one call plays many games."""

    def __init__(self, book: Rulebook, players: int) -> None:
        import wasmtime

        self.players = players
        self.runner = book.runner()
        self.kernel = self.runner.kernel
        self.ruleset_store = wasmtime.Store(self.runner.engine)
        exports = wasmtime.Instance(self.ruleset_store, self.runner.module, []).exports(self.ruleset_store)
        self.play_all = cast(Any, exports["play all"])
        self.memory = cast(Any, exports["memory"])
        self.out = (self.kernel.free + 63) // 64 * 64
        self.memory.grow(self.ruleset_store, ROOM // 65536 + 1)

    def play(self, seed: int, games: int) -> int:
        """Play games of this seed and the following ones in one call; how many were played."""
        if self.runner.metered:
            self.ruleset_store.set_fuel(FUEL_EACH_PLAYED * games)
        return int(self.play_all(self.ruleset_store, seed, games, self.players, MAX_TURNS, self.out, ROOM))


def by_engine(book: Rulebook, players: int, seed: int, games: int) -> int:
    """The same games of the same seeds; how many actions they had."""
    actions = 0
    for number in range(games):
        rng = Chance(seed + number)
        record = deal_at_random(book.game, [f"P{seat + 1}" for seat in range(players)], rng)
        play_game(book.game, record, random_policy(rng), book.legal, MAX_TURNS, rng)
        actions += sum(not move.consequence for turn in record.turns for move in turn.moves)
    return actions


def by_open_spiel(game: Any, seed: int, games: int) -> None:
    """Games of OpenSpiel, in the shortest loop that Python has for it."""
    chance = random.Random(seed).random
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(chance() * len(actions))])


def by_python_chess(seed: int, games: int) -> None:
    """Games of chess that end where the ruleset ends them, also by what a player would have to claim."""
    import chess

    chance = random.Random(seed).random
    for _ in range(games):
        board = chess.Board()
        while not (board.halfmove_clock >= 100 or board.is_repetition(3) or board.is_insufficient_material()):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[int(chance() * len(moves))])


ALSO = {"chess": {"python-chess": ("chess", by_python_chess)}}
"""Who else plays a game: by name the module that it takes, and how."""


def slices(play: Callable[[int, int], object], games: int) -> list[Callable[[], object]]:
    """The playing of so many games, a few at a time."""
    each = games // SLICES
    return [partial(play, seed, each) for seed in range(0, games, each)]


def measure(table: Table, match: Match, rounds: int, seconds: float) -> float:
    """One game, by everybody: of each so many games as take about so many seconds. Returns the ratio to OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game(match.spiel)
    players = game.num_players()
    book = RulesetStore(Library()).get(match.address).value
    assert book is not None, match.address
    kernel = Playing(book, players)
    ways: dict[str, Callable[[int, int], object]] = {
        "kernel": kernel.play,
        "spiel": partial(by_open_spiel, game),
        "engine": partial(by_engine, book, players),
    }
    others = {name: play for name, (module, play) in ALSO.get(match.address, {}).items() if find_spec(module)}
    ways |= others
    games = {name: enough(play, seconds) for name, play in ways.items()}
    best = best_seconds({name: slices(play, games[name]) for name, play in ways.items()}, rounds)
    speeds = {name: games[name] / best[name] for name in ways}
    actions = by_engine(book, players, 0, games["engine"]) / games["engine"]
    shown = {name: rate(speed, 1, "games") for name, speed in speeds.items()}
    ratio = speeds["kernel"] / speeds["spiel"]
    table.value(f"{match.address}, OpenSpiel from Python", shown["spiel"])
    table.ratio(f"{match.address}, kernel in one call", shown["kernel"], ratio, "OpenSpiel", least=1)
    for other in others:
        table.value(f"{match.address}, {other}", shown[other])
        table.ratio(f"{match.address}, kernel in one call", shown["kernel"], speeds["kernel"] / speeds[other], other)
    table.value(f"{match.address}, engine", rate(speeds["engine"] * actions, 1, "actions"))
    return ratio


def enough(play: Callable[[int, int], object], seconds: float) -> int:
    """How many games take about so long, a multiple of the number of slices."""
    games, taken = 1, 0.0
    while games < 20_000 and taken < seconds / 4:
        games *= 2
        start = perf_counter()
        play(0, games)
        taken = perf_counter() - start
    return SLICES * max(1, min(2_000, round(games * seconds / max(taken, 1e-6) / SLICES)))


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is measured (7)")
    parser.add_argument("--only", help="the address of one game")
    parser.add_argument("--quick", action="store_true", help="few games, once: only whether it works")
    options = parser.parse_args()
    if not find_spec("wasmtime"):
        raise SystemExit("wasmtime is not installed: no kernels (`pip install 'pwtool[fast]'`)")
    if not find_spec("pyspiel"):
        raise SystemExit("OpenSpiel is not installed (`pip install 'pwtool[classics]'`)")
    table = Table("Random play")
    matches = [match for match in MATCHES if options.only in (None, match.address)]
    rounds, seconds = (1, 0.0) if options.quick else (max(1, options.rounds), 0.2)
    ratios = [measure(table, match, rounds, seconds) for match in matches]
    half = sorted(ratios)[len(ratios) // 2]
    table.ratio("the middle of all games", "", half, "OpenSpiel", least=5)
    table.print()


if __name__ == "__main__":
    main()
