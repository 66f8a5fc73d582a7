"""A whole simulation, on one core or on all: units of seeds, each played under every ruleset, merged in order. The
result of a unit depends only on its seeds, so the total is the same on any number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from time import monotonic

from msgspec import Struct

from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.simulating.games import Player
from pwtool.simulating.measures import Measures
from pwtool.simulating.sums import Tally
from pwtool.text.processes import in_processes

UNIT = 500
"""The number of seeds played at once."""
WORTH = 1.5
"""The number of seconds after which starting workers pays off: each loads and compiles the rulesets for itself."""


class Side(Struct, frozen=True):
    """A ruleset in the form that another process can load."""

    address: str
    readings: tuple[str, ...] = ()
    as_printed: bool = False

    def load(self, folder: Path, cache: Path | None) -> Rulebook:
        book = RulesetStore(Library(folder, cache), self.readings, self.as_printed).get(self.address).value
        assert book is not None, "it was loaded before"
        return book


class Unit(Struct, frozen=True):
    """Some seeds for a number of players."""

    players: int
    seed: int
    games: int


class Table:
    """Plays rulesets side by side."""

    def __init__(self, books: Sequence[Rulebook], policy: str = "random") -> None:
        self._players = [Player(book, policy=policy) for book in books]
        self._measures: dict[int, list[Measures]] = {}

    def measures(self, players: int) -> list[Measures]:
        """The measures of each ruleset with this number of players."""
        if players not in self._measures:
            self._measures[players] = [Measures(player.ruleset, players) for player in self._players]
        return self._measures[players]

    def play(self, unit: Unit) -> Tally:
        """The sums over the games of a unit."""
        tally = Tally.empty(len(self._players))
        measures = self.measures(unit.players)
        played = [player.play(unit.players, unit.seed, unit.games) for player in self._players]
        for games in zip(*played, strict=True):
            tally.add([each.of(game) for each, game in zip(measures, games, strict=True)])
        return tally


class Simulation(Struct, frozen=True):
    """A simulation: this many games, of `seed` and the seeds after it, under each ruleset and for each number of
    players, played by this policy.
    """

    sides: tuple[Side, ...]
    players: tuple[int, ...]
    games: int
    seed: int
    folder: Path
    cache: Path | None = None
    policy: str = "random"

    def units(self) -> Iterator[Unit]:
        for players in self.players:
            for start in range(0, self.games, UNIT):
                yield Unit(players, self.seed + start, min(UNIT, self.games - start))

    def open_table(self) -> Table:
        return Table([side.load(self.folder, self.cache) for side in self.sides], self.policy)

    def run(self, table: Table, jobs: int) -> Iterator[tuple[Unit, Tally]]:
        """The units in order, each with its sums: in this process, or in `jobs` others once there is enough work for them."""
        units, begun = self.units(), monotonic()
        for unit in units:
            yield unit, table.play(unit)
            if jobs > 1 and monotonic() > begun + WORTH:
                break
        following = next(units, None)
        if following is not None:
            yield from in_processes(chain([following], units), jobs, _playing, self, table.play)


def _playing(simulation: Simulation) -> Callable[[Unit], Tally]:
    """The function that a worker applies to a unit."""
    return simulation.open_table().play
