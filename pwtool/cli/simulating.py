"""`pwtool simulate`: statistics of random games, and the effect of a rule change on them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

from pwtool.cli.common import deliver, fail, keep_file, open_book, open_store, print_lines
from pwtool.cli.output_settings import output_settings
from pwtool.cli.reporting import need_charts
from pwtool.cli.start import collect_garbage
from pwtool.cli.streams import Pace, show_progress
from pwtool.ir.model import Ruleset
from pwtool.show.text.simulations import simulation_data, simulation_lines
from pwtool.simulating.oddities import usual_counts
from pwtool.simulating.results import results_of
from pwtool.simulating.runs import Side, Simulation, Table
from pwtool.simulating.sums import Tally
from pwtool.text.cores import cores
from pwtool.text.speech import Told
from pwtool.text.terminal import dump_json, escape
from pwtool.why.voice import Voice


class Asked(NamedTuple):
    """The options and arguments of the command line; `readings` and `as_printed` apply to the last ruleset, `jobs` 0 means all cores."""

    addresses: list[str]
    games: int
    players: list[int]
    seed: int | None
    jobs: int
    form: str
    readings: list[str]
    as_printed: bool
    policy: str = "random"
    output: Path | None = None
    force: bool = False


def run_simulate(asked: Asked) -> int:
    """Play games, sum up and print the results, or write a page."""
    if asked.form == "html":
        need_charts()
    if asked.output is not None:
        keep_file(asked.output, asked.force)
    *others, last = asked.addresses
    sides = [*map(Side, others), Side(last, tuple(asked.readings), asked.as_printed)]
    ruleset_store = open_store()
    books = [open_book(s.address, open_store(list(s.readings), s.as_printed), quiet=True) for s in sides]
    rulesets = [book.game.ruleset for book in books]
    players = _players(rulesets, asked.players)
    seed = random.SystemRandom().randrange(1 << 32) if asked.seed is None else asked.seed
    library = ruleset_store.library
    simulation = Simulation(tuple(sides), players, asked.games, seed, library.folder, library.cache, asked.policy)
    table = Table(books, asked.policy)
    collect_garbage()
    tallies = _run(simulation, table, asked.jobs or cores())
    results = results_of({count: (tally, table.measures(count)) for count, tally in tallies.items()})
    voice = Voice(output_settings.speech.language)
    if asked.form == "html":
        from pwtool.show.html.simulating import render_simulation

        text = render_simulation(simulation, rulesets, results, voice)
    elif asked.form == "json":
        text = dump_json(simulation_data(simulation, rulesets, results), indent=2)
    elif asked.output is None:
        print_lines(simulation_lines(simulation, rulesets, results, voice))
        return 0
    else:
        text = "\n".join(map(escape, simulation_lines(simulation, rulesets, results, voice)))
    deliver(text, asked.output, asked.force)
    return 0


def _players(rulesets: list[Ruleset], asked: list[int]) -> tuple[int, ...]:
    """The numbers of players to simulate: the requested ones, otherwise those that every ruleset allows."""
    least = max(ruleset.min_players for ruleset in rulesets)
    most = min(ruleset.max_players for ruleset in rulesets)
    if least > most:
        fail(Told("no number of players is allowed by all of these rulesets"))
    for count in asked:
        if not least <= count <= most:
            one, more = (
                "{count} player, the game is for {low} to {high}",
                "{count} players, the game is for {low} to {high}",
            )
            fail(Told(one, more, count, low=least, high=most))
    return tuple(dict.fromkeys(asked)) or usual_counts(least, most)


def _run(simulation: Simulation, table: Table, jobs: int) -> dict[int, Tally]:
    tallies = {players: Tally.empty(len(simulation.sides)) for players in simulation.players}
    pace, played, whole = Pace(), 0, simulation.games * len(simulation.players)
    for unit, tally in simulation.run(table, jobs):
        tallies[unit.players].merge(tally)
        played += unit.games
        if pace.is_due():
            show_progress(f"playing game {played:,} of {whole:,}")
    return tallies
