"""The results of a simulation as a page of charts: for each number of players one chart per group of measures, rulesets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pwtool.ir.model import Ruleset
from pwtool.play.selfplay import MAX_TURNS
from pwtool.show.html.charted import Cell, Figure, Section, render_charted, text
from pwtool.show.svg.charts import Range, draw_ranges
from pwtool.show.text.simulations import ends_text, mean_text, number_text, side_lines, told_rows
from pwtool.simulating.measures import GROUPS, Measure
from pwtool.simulating.results import Results, Row
from pwtool.simulating.runs import Simulation
from pwtool.text.speech import mark
from pwtool.why.voice import PLAIN, Voice, raised

_ITEMS = {
    "ending": "ending", "line": "score", "action": "action", "consequence": "consequence", "claimed": "objective",
    "claims": "objective", "claim turn": "objective",
}  # fmt: skip
"""The kind of names in each group of measures."""
AXES = {
    "end": mark("share of games"), "ending": mark("share of games"), "choice": mark("share of turns"), "score": mark("points"),
    "line": mark("points"), "wins": mark("share of games"), "seat": mark("points"), "action": mark("times in a game"),
    "consequence": mark("times in a game"), "claimed": mark("share of games"), "claims": mark("times in a game"),
    "length": mark("number in a game"), "claim turn": mark("turn"),
}  # fmt: skip
"""What the axis of each group of measures counts."""
_NAMES = {
    "over": mark("over"), "nobody can move": mark("nobody can move"), "no setup": mark("no setup"), "turns": mark("turns"),
    "rounds": mark("rounds"), "actions": mark("actions"), "turns passed": mark("turns passed"), "rounds passed": mark("rounds passed"),
    "no choice": mark("no choice"), "of a player": mark("of a player"), "of the first": mark("of the first"), "shared": mark("shared"),
    "by nobody": mark("by nobody"), "endless turn": mark("endless turn"), "endless round": mark("endless round"),
    "out of bounds": mark("out of bounds"),
}  # fmt: skip


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
    sides = "; ".join(side_lines(simulation, rulesets, voice.say("as printed")))
    lead = voice.say(
        "{rulesets}. {games}. Bands are 95 % intervals.",
        rulesets=sides, games=_games(simulation, voice, bool(page.letters[1:])),
    )  # fmt: skip
    return render_charted(title, lead, facts, sections, voice)


def _games(simulation: Simulation, voice: Voice, several: bool) -> str:
    """How many games are played, and how."""
    first, last = simulation.seed, simulation.seed + simulation.games - 1
    number = voice.number(simulation.games)
    if simulation.policy == "random":
        games = voice.many("{games} random game", "{games} random games", simulation.games, games=number)
    else:
        games = voice.many("{games} greedy game", "{games} greedy games", simulation.games, games=number)
    if several:
        return voice.say(
            "{games} under each, for each number of players, seeds {first} to {last}",
            games=games,
            first=first,
            last=last,
        )
    return voice.say("{games} for each number of players, seeds {first} to {last}", games=games, first=first, last=last)


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

    def _name(self, measure: Measure) -> str:
        """The label of a measure: an item's name as players know it; in English, its name in the rules."""
        voice, name = self.voice, measure.name
        if measure.group in _ITEMS:
            titles = (voice.translated(ruleset, (_ITEMS[measure.group], name)) for ruleset in self.rulesets)
            return next((title for title in titles if title), name)
        if name.startswith("seat "):
            return voice.say("seat {seat}", seat=name.removeprefix("seat "))
        if name in _NAMES:
            return voice.say(_NAMES[name])
        # What remains is the number of turns or rounds after which a game is abandoned.
        number = voice.number(MAX_TURNS)
        return (
            voice.say("{number} turns", number=number)
            if name.endswith("turns")
            else voice.say("{number} rounds", number=number)
        )

    def _cells(self, row: Row) -> list[Cell]:
        measure, digits = row.measure, self.voice.digits
        first, *others = row.estimates

        def between(low: float | None, high: float | None, signed: bool = False) -> Cell:
            ends = ends_text(measure, low, high, signed)
            said = self.voice.say("{low} to {high}", low=digits(ends[0]), high=digits(ends[1])) if ends else ""
            return Cell(said, number=True)

        cells = [text(self._name(measure)), Cell(digits(mean_text(measure, first)), number=True)]
        if not others:
            cells.append(between(first.low, first.high) if first else Cell("", number=True))
        for estimate, difference in zip(others, row.differences, strict=True):
            cells.append(Cell(digits(mean_text(measure, estimate)), number=True))
            if difference is None:
                cells += [Cell("", number=True), Cell("", number=True), text("")]
            else:
                cells.append(Cell(digits(number_text(measure, difference.difference, signed=True)), number=True))
                cells.append(between(difference.low, difference.high, signed=True))
                cells.append(text(self.voice.say("yes") if difference.beyond_chance else ""))
        return cells
