"""How fast `pwtool simulate` adds up random games, beside a kernel that only plays them.

python benchmarks/simulate.py [--rounds N] [--quick]
"""

from __future__ import annotations

import argparse
from collections import deque
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from measuring import Table, best_seconds, rate

from pwtool.play.selfplay import MAX_TURNS
from pwtool.rules.library import Library
from pwtool.simulating import runs
from pwtool.simulating.games import BLOCK
from pwtool.simulating.runs import Side, Simulation, Unit

GAMES = (("paper_world/gamepark", 2), ("paper_world/gamepark", 4), ("connect_four", 2))
SLICES = 10


def alone(table: Table, address: str, players: int, games: int, rounds: int) -> None:
    """On one core, in slices."""
    folder = Library().folder
    side = Side(address)
    instance = side.load(folder, None).runner().instance()
    played = Simulation((side,), (players,), games, 0, folder).open_table()
    each = games // SLICES
    starts = range(0, games, each)

    def only_play(start: int) -> None:
        for seed in range(start, start + each, BLOCK):
            deque(instance.play(seed, min(BLOCK, start + each - seed), players, MAX_TURNS), maxlen=0)

    best = best_seconds(
        {
            "kernel": [partial(only_play, start) for start in starts],
            "simulate": [partial(played.play, Unit(players, start, each)) for start in starts],
        },
        rounds,
    )
    name = f"{address}, {players} players"
    table.value(f"{name}, kernel alone", rate(games, best["kernel"], "games"))
    table.ratio(
        f"{name}, added up", rate(games, best["simulate"], "games"), best["kernel"] / best["simulate"], "kernel"
    )


def whole(table: Table, games: int) -> None:
    """A whole simulation by one process and by two."""
    runs.WORTH = 0
    address, players = GAMES[0]
    taken = {}
    for jobs in (1, 2):
        simulation = Simulation((Side(address),), (players,), games, 0, Path(Library().folder))
        start = perf_counter()
        deque(simulation.run(simulation.open_table(), jobs), maxlen=0)
        taken[jobs] = perf_counter() - start
    table.value("a whole run, one process", rate(games, taken[1], "games"))
    table.ratio("a whole run, two processes", rate(games, taken[2], "games"), taken[1] / taken[2], "one")


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--quick", action="store_true", help="few games, once: only whether it works")
    options = parser.parse_args()
    if not find_spec("wasmtime"):
        raise SystemExit("wasmtime is not installed: no kernels (`pip install 'pwtool[fast]'`)")
    table = Table("Simulation")
    for address, players in GAMES:
        alone(table, address, players, 50 if options.quick else 2_000, 1 if options.quick else max(1, options.rounds))
    whole(table, 1_000 if options.quick else 40_000)
    table.print()


if __name__ == "__main__":
    main()
