"""A whole simulation, on one core or on all: units of seeds, each played under every ruleset, merged in order. What a unit adds
up to depends on its seeds alone, so the result is the same on any number of cores.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from msgspec import Struct

from pwtool.records.shelf import Rulebook, Shelf
from pwtool.rules.library import Library
from pwtool.simulating.games import Player
from pwtool.simulating.measures import Measures
from pwtool.simulating.sums import Tally

UNIT = 500
"""How many seeds are played at once."""
AHEAD = 3
"""How many units wait for each worker: none of them has to wait, and little is held."""
WORTH = 1.5
"""After so many seconds it is worth the while to start workers: each loads and compiles the rulesets for itself."""


class Side(Struct, frozen=True):
    """A ruleset as another process finds it."""

    address: str
    readings: tuple[str, ...] = ()
    as_printed: bool = False

    def load(self, folder: Path, cache: Path | None) -> Rulebook:
        book = Shelf(Library(folder, cache), self.readings, self.as_printed).get(self.address).value
        assert book is not None, "it was loaded before"
        return book


class Unit(Struct, frozen=True):
    """Some seeds for so many players."""

    players: int
    seed: int
    games: int


class Table:
    """Where rulesets are played side by side."""

    def __init__(self, books: Sequence[Rulebook]) -> None:
        self._players = [Player(book) for book in books]
        self._measures: dict[int, list[Measures]] = {}

    def measures(self, players: int) -> list[Measures]:
        """The measures of each ruleset with so many players."""
        if players not in self._measures:
            self._measures[players] = [Measures(player.ruleset, players) for player in self._players]
        return self._measures[players]

    def play(self, unit: Unit) -> Tally:
        """What the games of a unit add up to."""
        tally = Tally.empty(len(self._players))
        measures = self.measures(unit.players)
        played = [player.play(unit.players, unit.seed, unit.games) for player in self._players]
        for games in zip(*played, strict=True):
            tally.add([each.of(game) for each, game in zip(measures, games, strict=True)])
        return tally


class Simulation(Struct, frozen=True):
    """What is asked for: so many games, of `seed` and those after it, under each ruleset and for each number of players."""

    sides: tuple[Side, ...]
    players: tuple[int, ...]
    games: int
    seed: int
    folder: Path
    cache: Path | None = None

    def units(self) -> Iterator[Unit]:
        for players in self.players:
            for start in range(0, self.games, UNIT):
                yield Unit(players, self.seed + start, min(UNIT, self.games - start))

    def open_table(self) -> Table:
        return Table([side.load(self.folder, self.cache) for side in self.sides])

    def run(self, table: Table, jobs: int) -> Iterator[tuple[Unit, Tally]]:
        """The units in order, each with what it adds up to: in this process, or in so many others as soon as there is enough to
        do for them.
        """
        units, begun = self.units(), monotonic()
        for unit in units:
            yield unit, table.play(unit)
            if jobs > 1 and monotonic() > begun + WORTH:
                break
        yield from self._in_processes(units, table, jobs)

    def _in_processes(self, units: Iterator[Unit], table: Table, jobs: int) -> Iterator[tuple[Unit, Tally]]:
        following = next(units, None)
        if following is None:
            return
        pool = self._start(jobs)
        waiting = deque([(following, pool.submit(_play_here, following))])
        finished = False
        try:
            while waiting:
                while len(waiting) < jobs * AHEAD and (unit := next(units, None)) is not None:
                    waiting.append((unit, pool.submit(_play_here, unit)))
                unit, future = waiting.popleft()
                try:
                    tally = future.result()
                except BrokenProcessPool:
                    # A worker that dies takes nothing with it: what it had is played here.
                    _stop(pool, at_once=True)
                    tally = table.play(unit)
                    pool = self._start(jobs)
                    waiting = deque((lost, pool.submit(_play_here, lost)) for lost, _ in waiting)
                yield unit, tally
            finished = True
        finally:
            _stop(pool, at_once=not finished)

    def _start(self, jobs: int) -> ProcessPoolExecutor:
        # A fresh process on every platform: what threads of this one may hold is not copied.
        return ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (self,))


_table: list[Table] = []
"""In a worker: where it plays."""


def _begin(simulation: Simulation) -> None:
    # Who interrupts the command interrupts this process too; the first one says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _table[:] = [simulation.open_table()]


def _play_here(unit: Unit) -> Tally:
    return _table[0].play(unit)


def _stop(pool: ProcessPoolExecutor, at_once: bool) -> None:
    """Let the workers go; `at_once`: whatever they are at."""
    if at_once:
        for process in list((pool._processes or {}).values()):
            process.terminate()
    pool.shutdown(wait=True, cancel_futures=True)


def cores() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
