"""How fast games are played at random: by kernels, by the engine, and by OpenSpiel driven from Python.

    python benchmarks/random_play.py [--rounds N] [--quick]

Each plays tic-tac-toe and Connect Four, every legal move as likely as any other, and is measured in the same run:
compare the ratios, not the numbers of different machines. README.md says what each line means.
"""

from __future__ import annotations

import argparse
import random
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, cast

from measuring import ROOT, Table, best_seconds, rate

from pwtool.kernel.run import FUEL_EACH_PLAYED, Instance
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.shelf import Rulebook, Shelf
from pwtool.rules.library import Library

GAMES = {"tic_tac_toe": "Tic-tac-toe", "connect_four": "Connect Four"}
NAMES = ["X", "O"]
MAX_TURNS = 10_000
ROOM = 16 << 20
SLICES = 10


@dataclass(slots=True)
class Played:
    """How many games and plies were played."""

    games: int = 0
    plies: int = 0


class Playing:
    """A kernel that is called as any program in any language would call it: one call plays many games."""

    def __init__(self, book: Rulebook) -> None:
        import wasmtime

        self.runner = book.runner()
        self.kernel = self.runner.kernel
        self.store = wasmtime.Store(self.runner.engine)
        exports = wasmtime.Instance(self.store, self.runner.module, []).exports(self.store)
        self.play_all = cast(Any, exports["play all"])
        self.memory = cast(Any, exports["memory"])
        self.out = (self.kernel.free + 63) // 64 * 64
        self.memory.grow(self.store, ROOM // 65536 + 1)

    def play(self, seed: int, games: int) -> int:
        """Play games of this seed and the following ones in one call; how many were played."""
        if self.runner.metered:
            self.store.set_fuel(FUEL_EACH_PLAYED * games)
        return int(self.play_all(self.store, seed, games, len(NAMES), MAX_TURNS, self.out, ROOM))

    def count(self, seed: int, games: int, counted: Played) -> None:
        """Count the plies of these games, as the kernel judges what it played."""
        played = self.play(seed, games)
        words = array("i")
        words.frombytes(bytes(self.memory.read(self.store, self.out, self.out + ROOM)))
        at = 0
        for _ in range(played):
            at += max(1, words[at])
        answers = self.runner.instance().judge_block(words[:at].tobytes(), played)
        assert all(answers[number].is_clean and answers[number].over for number in range(played))
        assert played == games, "the room is too small"
        counted.games += played
        counted.plies += sum(answers.column(self.kernel.answer.ACTIONS))


def by_engine(book: Rulebook, seed: int, games: int, counted: Played | None = None) -> None:
    """The same games of the same seeds."""
    for number in range(games):
        rng = Chance(seed + number)
        record = deal_at_random(book.game, list(NAMES), rng)
        play_game(book.game, record, random_policy(rng), book.legal, MAX_TURNS, rng)
        if counted is not None:
            counted.games += 1
            counted.plies += sum(not move.consequence for turn in record.turns for move in turn.moves)


def by_open_spiel(game: Any, seed: int, games: int, counted: Played | None = None) -> None:
    """Games of OpenSpiel, in the shortest loop that Python has for it."""
    chance = random.Random(seed).random
    for _ in range(games):
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(chance() * len(actions))])
            plies += 1
        if counted is not None:
            counted.games += 1
            counted.plies += plies


def slices(play: Callable[[int, int], object], games: int) -> list[Callable[[], object]]:
    """The playing of so many games, a few at a time."""
    each = games // SLICES
    return [partial(play, seed, each) for seed in range(0, games, each)]


def measure(table: Table, name: str, book: Rulebook, rounds: int, games: int) -> None:
    """One game, by everybody: so many games by the kernel, fewer by those that take longer."""
    kernel, title = Playing(book), GAMES[name]
    fewer, few = games // 8, max(SLICES, games // 100)
    works = {
        "kernel": slices(kernel.play, games),
        "read": slices(partial(reading, kernel.runner.instance()), games),
        "engine": slices(partial(by_engine, book), few),
    }
    played = {"kernel": Played(), "engine": Played()}
    for seed in range(0, games, games // SLICES):
        kernel.count(seed, games // SLICES, played["kernel"])
    by_engine(book, 0, few, played["engine"])
    if find_spec("pyspiel"):
        import pyspiel

        game = pyspiel.load_game(name)
        works["spiel"] = slices(partial(by_open_spiel, game), fewer)
        played["spiel"] = Played()
        for seed in range(0, fewer, fewer // SLICES):
            by_open_spiel(game, seed, fewer // SLICES, played["spiel"])
    played["read"] = played["kernel"]
    best = best_seconds(works, rounds)
    speeds = {key: found.plies / best[key] for key, found in played.items()}
    shown = {key: rate(speed, 1, "plies") for key, speed in speeds.items()}
    table.value(f"{title}, engine", shown["engine"])
    if "spiel" in speeds:
        same_game(played["kernel"], played["spiel"])
        table.value(f"{title}, OpenSpiel from Python", shown["spiel"])
        table.ratio(
            f"{title}, kernel in one call", shown["kernel"], speeds["kernel"] / speeds["spiel"], "OpenSpiel", least=3
        )
        table.ratio(
            f"{title}, kernel, games read by Python", shown["read"], speeds["read"] / speeds["spiel"], "OpenSpiel"
        )
    else:
        table.missing(f"{title}, OpenSpiel from Python")
    table.ratio(f"{title}, kernel in one call", shown["kernel"], speeds["kernel"] / speeds["engine"], "engine")


def reading(instance: Instance, seed: int, games: int) -> int:
    """Play games and take each as Python gets it."""
    return sum(len(words) > 1 for words in instance.play(seed, games, len(NAMES), MAX_TURNS))


def same_game(ours: Played, theirs: Played) -> None:
    """Both play the same game if their games are of the same length, as far as a sample tells."""
    one, other = ours.plies / ours.games, theirs.plies / theirs.games
    if theirs.games >= 1000 and abs(one - other) > one / 20:
        raise SystemExit(f"not the same game: {one:.2f} and {other:.2f} plies a game")


def found_games() -> Iterator[tuple[str, Rulebook]]:
    """The games of the examples."""
    shelf = Shelf(Library())
    for name in GAMES:
        book = shelf.get(str(ROOT / "examples" / name / "game.rules")).value
        assert book is not None, name
        yield name, book


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is measured (7)")
    parser.add_argument("--quick", action="store_true", help="few games, once: only whether it works")
    options = parser.parse_args()
    if not find_spec("wasmtime"):
        raise SystemExit("wasmtime is not installed: no kernels (`pip install 'pwtool[fast]'`)")
    table = Table("Random play")
    for name, book in found_games():
        measure(table, name, book, 1 if options.quick else max(1, options.rounds), 800 if options.quick else 20_000)
    table.print()


if __name__ == "__main__":
    main()
