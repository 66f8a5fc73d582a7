"""What a simulation found as a page of charts: for each number of players a chart of every group of measures, rulesets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pwtool.ir.model import Ruleset
from pwtool.show.html.charted import Cell, Figure, Section, render_charted, text
from pwtool.show.svg.charts import Range, draw_ranges
from pwtool.show.text.simulations import between_text, heading_lines, mean_text, number_text, told_rows
from pwtool.simulating.measures import GROUPS
from pwtool.simulating.results import Results, Row
from pwtool.simulating.runs import Simulation
from pwtool.text.words import counted


def render_simulation(simulation: Simulation, rulesets: Sequence[Ruleset], results: Sequence[Results]) -> str:
    """The page; with several rulesets each is told by its letter."""
    names = [chr(ord("A") + at) for at in range(len(rulesets))]
    titles = [side.address for side in simulation.sides]
    *labels, played = heading_lines(simulation, rulesets)
    facts = [(f"{simulation.games:,}", "games each" if names[1:] else "games for each number of players")]
    differences = [d for found in results for row in found.rows for d in row.differences if d is not None]
    if differences:
        facts.append(
            (
                f"{sum(d.beyond_chance for d in differences)}",
                f"of {counted(len(differences), 'difference')} beyond chance",
            )
        )
    sections = [
        Section(counted(found.players, "player"), "", [_figure(group, list(rows), names, found.players) for group, rows in
                groupby(told_rows(found), key=lambda row: row.measure.group)])
        for found in results
    ]  # fmt: skip
    title = "What play is like under " + " and ".join(titles)
    return render_charted(
        title,
        f"{'; '.join(labels)}. {played}. Bands hold what is true of all such games in 95 of 100 cases.",
        facts,
        sections,
    )


def _figure(group: str, rows: Sequence[Row], names: Sequence[str], players: int) -> Figure:
    ranges = []
    for row in rows:
        measure = row.measure
        for name, found in zip(names, row.estimates, strict=True):
            if found is not None:
                low, high = (found.mean if end is None else end for end in (found.low, found.high))
                even = 1 / players if measure.group == "wins" and measure.name.startswith("seat ") else None
                ranges.append(Range(measure.name, low, found.mean, high, name if names[1:] else "", even))
    columns = ["", *(["mean", "95 %"] if not names[1:] else [names[0]])]
    for name in names[1:]:
        columns += [name, f"{name} - {names[0]}", "95 %", "beyond chance"]
    title = GROUPS[group][:1].upper() + GROUPS[group][1:]
    note = "The tick is what is even." if any(r.even is not None for r in ranges) else ""
    return Figure(
        title,
        note,
        columns,
        [_cells(row) for row in rows],
        draw_ranges(ranges, "", rows[0].measure.percent, rows[0].measure.share),
    )


def _cells(row: Row) -> list[Cell]:
    measure = row.measure
    first, *others = row.estimates
    cells = [text(measure.name), Cell(mean_text(measure, first), number=True)]
    if not others:
        cells.append(Cell(between_text(measure, first.low, first.high) if first else "", number=True))
    for estimate, difference in zip(others, row.differences, strict=True):
        cells.append(Cell(mean_text(measure, estimate), number=True))
        if difference is None:
            cells += [Cell("", number=True), Cell("", number=True), text("")]
        else:
            cells.append(Cell(number_text(measure, difference.difference, signed=True), number=True))
            cells.append(Cell(between_text(measure, difference.low, difference.high, signed=True), number=True))
            cells.append(text("yes" if difference.beyond_chance else ""))
    return cells
