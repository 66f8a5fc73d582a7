"""The results of a simulation: a row for each measure under each ruleset, and the difference from the first ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pwtool.simulating.estimates import Difference, Estimate, corrected, difference, estimate, within
from pwtool.simulating.measures import GROUPS, Measure, Measures
from pwtool.simulating.sums import Tally


class Row(Struct, frozen=True):
    """A measure: its value under each ruleset (None: it does not exist there, or occurs in no game), and for all
    rulesets but the first the difference from the first.
    """

    measure: Measure
    estimates: tuple[Estimate | None, ...]
    differences: tuple[Difference | None, ...]


class Results(Struct, frozen=True):
    """The rows for this number of players."""

    players: int
    rows: tuple[Row, ...]


def results_of(tallies: Mapping[int, tuple[Tally, Sequence[Measures]]]) -> list[Results]:
    """The results for each number of players. Differences are corrected for their total number."""
    rows = [(players, row) for players, (tally, measures) in tallies.items() for row in _rows(tally, measures)]
    right = iter(corrected([d for _, row in rows for d in row.differences if d is not None]))
    found: dict[int, list[Row]] = {players: [] for players in tallies}
    for players, row in rows:
        differences = tuple(None if d is None else next(right) for d in row.differences)
        found[players].append(Row(row.measure, row.estimates, differences))
    return [Results(players, tuple(rows)) for players, rows in found.items()]


def _rows(tally: Tally, measures: Sequence[Measures]) -> list[Row]:
    known = [{measure.key: measure for measure in each.all} for each in measures]
    rows = []
    keys = dict.fromkeys(key for each in known for key in each)
    for key in sorted(keys, key=lambda key: list(GROUPS).index(key[0])):
        sums = [s.of.get(key) if key in each else None for s, each in zip(tally.sums, known, strict=True)]
        if not any(sums):
            continue
        estimates = [
            within(estimate(row, each[key].divisor, each[key].share), each[key].percent) if row else None
            for row, each in zip(sums, known, strict=True)
        ]
        differences = []
        for row, each, pairs in zip(sums[1:], known[1:], tally.pairs, strict=True):
            first = sums[0]
            found = None
            if first and row:
                found = difference(first, row, pairs.of.get(key), (known[0][key].divisor, each[key].divisor))
            differences.append(found)
        measure = next(each[key] for each in known if key in each)
        rows.append(Row(measure, tuple(estimates), tuple(differences)))
    return rows
