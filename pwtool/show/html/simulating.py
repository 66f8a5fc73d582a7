"""The results of a simulation as a page of charts: for each number of players one chart per group of measures, rulesets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pwtool.ir.model import Ruleset
from pwtool.show.html.charted import Cell, Figure, Section, render_charted, text
from pwtool.show.svg.charts import Range, draw_ranges
from pwtool.show.text.simulations import games_line, letters, measure_name, row_cells, side_lines, told_rows
from pwtool.simulating.measures import GROUPS, Measure
from pwtool.simulating.results import Results, Row
from pwtool.simulating.runs import Simulation
from pwtool.text.speech import mark
from pwtool.why.voice import PLAIN, Voice, raised

AXES = {
    "end": mark("share of games"), "ending": mark("share of games"), "choice": mark("share of turns"), "score": mark("points"),
    "line": mark("points"), "wins": mark("share of games"), "seat": mark("points"), "action": mark("times in a game"),
    "consequence": mark("times in a game"), "claimed": mark("share of games"), "claims": mark("times in a game"),
    "length": mark("number in a game"), "claim turn": mark("turn"),
}  # fmt: skip
"""What the axis of each group of measures counts."""


def render_simulation(
    simulation: Simulation, rulesets: Sequence[Ruleset], results: Sequence[Results], voice: Voice = PLAIN
) -> str:
    """The page; several rulesets are identified by letters."""
    page = _Page(rulesets, voice)
    games = voice.say("games under each") if page.letters[1:] else voice.say("games for each number of players")
    facts = [(voice.number(simulation.games), games)]
    differences = [d for found in results for row in found.rows for d in row.differences if d is not None]
    if differences:
        of = voice.many("of {count} difference beyond chance", "of {count} differences beyond chance", len(differences))
        facts.append((voice.number(sum(d.beyond_chance for d in differences)), of))
    sections = [
        Section(voice.many("{count} player", "{count} players", found.players), "", page.figures(found))
        for found in results
    ]
    titles = voice.joined([side.address for side in simulation.sides], "and")
    title = voice.say("What play is like under {rulesets}", rulesets=titles)
    sides = "; ".join(side_lines(simulation, rulesets, voice))
    lead = voice.say(
        "{rulesets}. {games}. Dots are means, bands their 95 % intervals.",
        rulesets=sides, games=games_line(simulation, voice),
    )  # fmt: skip
    return render_charted(title, lead, facts, sections, voice)


@dataclass(frozen=True, slots=True)
class _Page:
    """The figures of a page, for these rulesets and in this language."""

    rulesets: Sequence[Ruleset]
    voice: Voice

    @property
    def letters(self) -> list[str]:
        return letters(len(self.rulesets))

    def figures(self, found: Results) -> list[Figure]:
        """A figure for each group of measures."""
        grouped = groupby(told_rows(found), key=lambda row: row.measure.group)
        return [self._figure(group, list(rows), found.players) for group, rows in grouped]

    def _figure(self, group: str, rows: Sequence[Row], players: int) -> Figure:
        voice, names = self.voice, self.letters
        ranges = []
        for row in rows:
            measure = row.measure
            for name, found in zip(names, row.estimates, strict=True):
                if found is not None:
                    low, high = (found.mean if end is None else end for end in (found.low, found.high))
                    even = 1 / players if measure.group == "wins" and measure.name.startswith("seat ") else None
                    shown = self._name(measure)
                    ranges.append(Range(shown, low, found.mean, high, name if names[1:] else "", even))
        columns = ["", *([voice.say("mean"), "95 %"] if not names[1:] else [names[0]])]
        for name in names[1:]:
            columns += [name, f"{name} - {names[0]}", "95 %", voice.say("beyond chance")]
        note = voice.say("The tick marks an even share.") if any(r.even is not None for r in ranges) else ""
        axis = voice.say(AXES[group]) if group in AXES else ""
        chart = draw_ranges(ranges, axis, voice, rows[0].measure.percent, rows[0].measure.share)
        return Figure(raised(voice.say(GROUPS[group])), note, columns, [self._cells(row) for row in rows], chart)

    def _cells(self, row: Row) -> list[Cell]:
        cells = row_cells(row, self.voice.say("yes"), self.voice)
        # Whether a difference is beyond chance is no number.
        return [
            text(self._name(row.measure)),
            *(Cell(said, number=at == 0 or at % 4 > 0) for at, said in enumerate(cells)),
        ]

    def _name(self, measure: Measure) -> str:
        return measure_name(measure, self.rulesets, self.voice)
