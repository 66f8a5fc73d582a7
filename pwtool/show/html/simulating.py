"""The results of a simulation as a page of charts: for each number of players one chart per group of measures, rulesets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pwtool.ir.model import Ruleset
from pwtool.show.html.charted import Cell, Figure, Section, render_charted, text
from pwtool.show.svg.charts import Range, draw_ranges
from pwtool.show.text.simulations import (
    between_text,
    games_line,
    mean_text,
    measure_name,
    number_text,
    side_lines,
    told_rows,
)
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
        return [chr(ord("A") + at) for at in range(len(self.rulesets))]

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
        measure, voice = row.measure, self.voice
        first, *others = row.estimates

        def number(said: str) -> Cell:
            return Cell(said, number=True)

        cells = [text(self._name(measure)), number(mean_text(measure, first, voice))]
        if not others:
            cells.append(number(between_text(measure, first.low, first.high, voice) if first else ""))
        for estimate, difference in zip(others, row.differences, strict=True):
            cells.append(number(mean_text(measure, estimate, voice)))
            if difference is None:
                cells += [number(""), number(""), text("")]
            else:
                cells.append(number(voice.digits(number_text(measure, difference.difference, signed=True))))
                cells.append(number(between_text(measure, difference.low, difference.high, voice, signed=True)))
                cells.append(text(voice.say("yes") if difference.beyond_chance else ""))
        return cells

    def _name(self, measure: Measure) -> str:
        return measure_name(measure, self.rulesets, self.voice)
