"""How hard objectives are to reach in play: the share of the games with an objective in play in which somebody claims it."""

from __future__ import annotations

from msgspec import Struct

from pwtool.simulating.estimates import Estimate
from pwtool.simulating.results import results_of
from pwtool.simulating.runs import Simulation, Table
from pwtool.simulating.sums import Tally


class Difficulty(Struct, frozen=True):
    """The share of games in which an objective is claimed, the turn of the first claim (None: never claimed), and how
    many of the `others` are claimed more often.
    """

    players: int
    claimed: Estimate
    turn: Estimate | None
    rarer: int
    others: int


def difficulties(simulation: Simulation, table: Table, jobs: int) -> dict[str, Difficulty]:
    """The difficulty of every objective in play under the one ruleset of a simulation, with its first number of players."""
    players = simulation.players[0]
    tally = Tally.empty(1)
    for _, found in simulation.run(table, jobs):
        tally.merge(found)
    (results,) = results_of({players: (tally, table.measures(players))})
    by = {row.measure.key: row.estimates[0] for row in results.rows}
    shares = {name: found for (group, name), found in by.items() if group == "claimed" and found is not None}
    return {
        name: Difficulty(
            players, share, by.get(("claim turn", name)), sum(other.mean > share.mean for other in shares.values()), len(shares) - 1
        )
        for name, share in shares.items()
    }  # fmt: skip
