"""The output of `pwtool simulate`: a table for people, or data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from pwtool.ir.model import Ruleset
from pwtool.play.selfplay import MAX_TURNS
from pwtool.simulating.estimates import CONFIDENCE, Difference, Estimate
from pwtool.simulating.measures import GROUPS, STUCK, Measure
from pwtool.simulating.results import Results, Row
from pwtool.simulating.runs import Simulation
from pwtool.text.speech import mark
from pwtool.text.words import shorten
from pwtool.why.voice import PLAIN, Voice

LABEL = 32
"""The most characters of a label in a table: a text for players can be a whole sentence."""
LEFT_OUT = ("end", "wins")
"""Rows of these groups are not shown to people if they occur in no game."""
DIGITS = 6

_ITEMS = {
    "ending": "ending", "line": "score", "action": "action", "consequence": "consequence", "claimed": "objective",
    "claims": "objective", "claim turn": "objective",
}  # fmt: skip
"""The kind of names in each group of measures."""
_NAMES = {
    "over": mark("over"), "nobody can move": mark("nobody can move"), "no setup": mark("no setup"), "turns": mark("turns"),
    "rounds": mark("rounds"), "actions": mark("actions"), "turns passed": mark("turns passed"), "rounds passed": mark("rounds passed"),
    "no choice": mark("no choice"), "of a player": mark("of a player"), "of the first": mark("of the first"), "shared": mark("shared"),
    "by nobody": mark("by nobody"), "endless turn": mark("endless turn"), "endless round": mark("endless round"),
    "out of bounds": mark("out of bounds"),
}  # fmt: skip
PLACES, MOST_PLACES = 2, 6
"""The decimal places of a number, and the most that are used if an interval would otherwise collapse to a point."""


def simulation_lines(
    simulation: Simulation, rulesets: Sequence[Ruleset], results: Sequence[Results], voice: Voice = PLAIN
) -> Iterator[str]:
    """The results as tables, one for each number of players."""
    names = letters(len(rulesets))
    yield from side_lines(simulation, rulesets, voice)
    yield games_line(simulation, voice)
    yield from _stranded_lines(simulation, results, voice)
    for found in results:
        yield ""
        yield from _table(found, names, rulesets, voice)
    if names[1:]:
        differences = [d for found in results for row in found.rows for d in row.differences if d is not None]
        yield ""
        if all(d.p is None for d in differences):
            yield voice.say("too few games to say what is beyond chance")
        else:
            beyond = sum(d.beyond_chance for d in differences)
            yield voice.many(
                "*  beyond chance: {beyond} of {count} difference", "*  beyond chance: {beyond} of {count} differences",
                len(differences), beyond=beyond,
            )  # fmt: skip


def letters(count: int) -> list[str]:
    """The letters of so many rulesets."""
    return [chr(ord("A") + at) for at in range(count)]


def games_line(simulation: Simulation, voice: Voice = PLAIN) -> str:
    """How many games are played, and how."""
    first, last = simulation.seed, simulation.seed + simulation.games - 1
    number = voice.number(simulation.games)
    if simulation.policy == "random":
        games = voice.many("{games} random game", "{games} random games", simulation.games, games=number)
    else:
        games = voice.many("{games} greedy game", "{games} greedy games", simulation.games, games=number)
    each = (
        mark("{games} under each, for each number of players, seeds {first} to {last}")
        if simulation.sides[1:]
        else mark("{games} for each number of players, seeds {first} to {last}")
    )
    return voice.say(each, games=games, first=first, last=last)


def side_lines(simulation: Simulation, rulesets: Sequence[Ruleset], voice: Voice = PLAIN) -> Iterator[str]:
    """The rulesets that are played, one per line, with their letters if they are several."""
    for letter, side, ruleset in zip(letters(len(rulesets)), simulation.sides, rulesets, strict=True):
        adopted = [*side.readings, *[voice.say("as printed")] * side.as_printed]
        label = f"{side.address} {ruleset.version}" + (f" ({', '.join(adopted)})" if adopted else "")
        yield f"{letter}  {label}" if rulesets[1:] else label


def _stranded_lines(simulation: Simulation, results: Sequence[Results], voice: Voice) -> Iterator[str]:
    """A warning for each ruleset under which games get stuck: what people should read first."""
    whole = simulation.games * len(results)
    for at, side in enumerate(simulation.sides):
        rows = [row.estimates[at] for found in results for row in found.rows if row.measure.key == STUCK]
        stuck = sum(round(e.mean * e.games) for e in rows if e is not None)
        if stuck:
            said = voice.say(
                "nobody can move although the game is not over: {stuck} of {whole} games under {ruleset}",
                stuck=voice.number(stuck), whole=voice.number(whole), ruleset=side.address,
            )  # fmt: skip
            yield voice.headed(voice.say("warning"), said)


def measure_name(measure: Measure, rulesets: Sequence[Ruleset], voice: Voice) -> str:
    """The label of a measure: an item's name as players know it; in English, its name in the rules."""
    name = measure.name
    if measure.group in _ITEMS:
        titles = (voice.translated(ruleset, (_ITEMS[measure.group], name)) for ruleset in rulesets)
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


def told_rows(found: Results) -> list[Row]:
    """The rows shown to people: all but those that say that something does not happen."""
    return [row for row in found.rows if row.measure.group not in LEFT_OUT or any(e and e.mean for e in row.estimates)]


def _table(found: Results, names: Sequence[str], rulesets: Sequence[Ruleset], voice: Voice) -> Iterator[str]:
    percent = voice.digits(f"{CONFIDENCE:.0%}".replace("%", " %"))
    heading = [
        voice.many("{count} player", "{count} players", found.players),
        names[0] if names[1:] else voice.say("mean"),
    ]
    heading += [] if names[1:] else [percent]
    for name in names[1:]:
        heading += [name, f"{name} - {names[0]}", percent, ""]
    lines: list[list[str]] = [heading]
    for group, members in groupby(told_rows(found), key=lambda row: row.measure.group):
        share = voice.digits(f"{100 / found.players:.2f} %")
        even = voice.say(" (even: {share})", share=share) if group == "wins" else ""
        lines.append([f"  {voice.say(GROUPS[group])}{even}"])
        for row in members:
            lines.append(
                [f"    {shorten(measure_name(row.measure, rulesets, voice), LABEL)}", *row_cells(row, "*", voice)]
            )
    columns = len(heading)
    widths = [max(len(line[at]) for line in lines if len(line) == columns) for at in range(columns)]
    for line in lines:
        first, *rest = line
        if rest:
            cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
            yield "  ".join([f"{first:<{widths[0]}}", *cells]).rstrip()
        else:
            yield first


def row_cells(row: Row, beyond_chance: str, voice: Voice) -> list[str]:
    """The mean under the first ruleset: with its interval if it is the only one, otherwise with four cells for each other: the mean, the
    difference, its interval, and whether it is beyond chance.
    """
    measure = row.measure
    first, *others = row.estimates
    cells = [mean_text(measure, first, voice)]
    if not others:
        cells.append(between_text(measure, first.low, first.high, voice) if first else "")
    for estimate, difference in zip(others, row.differences, strict=True):
        cells.append(mean_text(measure, estimate, voice))
        if difference is None:
            cells += ["", "", ""]
        else:
            between = between_text(measure, difference.low, difference.high, voice, signed=True)
            beyond = voice.digits(number_text(measure, difference.difference, signed=True))
            cells += [beyond, between, beyond_chance * difference.beyond_chance]
    return cells


def mean_text(measure: Measure, estimate: Estimate | None, voice: Voice = PLAIN) -> str:
    """A mean for people."""
    if estimate is None:
        return "-"
    return voice.digits(number_text(measure, estimate.mean) + (" %" if measure.percent else ""))


def between_text(
    measure: Measure, low: float | None, high: float | None, voice: Voice = PLAIN, signed: bool = False
) -> str:
    """An interval for people; empty if there is none."""
    ends = ends_text(measure, low, high, signed)
    return voice.say("{low} to {high}", low=voice.digits(ends[0]), high=voice.digits(ends[1])) if ends else ""


def ends_text(measure: Measure, low: float | None, high: float | None, signed: bool = False) -> list[str]:
    """The two ends of an interval; nothing if there is none."""
    if low is None or high is None:
        return []
    ends: list[str] = []
    for places in range(PLACES, MOST_PLACES + 1):
        # An interval is not shown as a point, and its ends have the same decimal places.
        ends = [number_text(measure, end, signed, places) for end in (low, high)]
        if (ends[0] != ends[1] or low == high) and len({len(end.partition(".")[2]) for end in ends}) == 1:
            break
    return ends


def number_text(measure: Measure, value: float, signed: bool = False, places: int = PLACES) -> str:
    """A number of a measure, in percent if it is a share. Only nothing and all are shown as 0 and 100 %: what rounds to
    them has more decimal places.
    """
    exact = value * (100 if measure.percent else 1)
    for digits in range(places, MOST_PLACES + 1):
        # A value that rounds to zero has no sign.
        shown, places = round(exact, digits) or 0.0, digits
        if (shown or not exact) and not (measure.percent and abs(shown) == 100 != abs(exact)):
            break
    else:
        least, most = 10**-places, 100 - 10**-places
        return f"<{least:.{places}f}" if exact > 0 and not shown else f">{-least if not shown else most:.{places}f}"
    return f"{shown:+,.{places}f}" if signed and shown else f"{shown:,.{places}f}"


# ---- data --------------------------------------------------------------------------------------------------------------


def simulation_data(simulation: Simulation, rulesets: Sequence[Ruleset], results: Sequence[Results]) -> dict[str, Any]:
    """The results as data: means and intervals for each ruleset, and for all but the first the differences from the first."""
    return {
        "rulesets": [
            {"ruleset": side.address, "version": ruleset.version, "readings": list(side.readings), "as_printed": side.as_printed}
            for side, ruleset in zip(simulation.sides, rulesets, strict=True)
        ],
        "policy": simulation.policy,
        "games": simulation.games,
        "seed": simulation.seed,
        "confidence": CONFIDENCE,
        "results": [
            {"players": found.players, "measures": [_row_data(row) for row in found.rows]} for found in results
        ],
    }  # fmt: skip


def _row_data(row: Row) -> dict[str, Any]:
    measure = row.measure
    return {
        "group": measure.group,
        "name": measure.name,
        "share": measure.percent,
        "rulesets": [None if e is None else _data(e) for e in row.estimates],
        "differences": [None if d is None else {**_data(d), "beyond_chance": d.beyond_chance} for d in row.differences],
    }


def _data(found: Estimate | Difference) -> dict[str, Any]:
    values = found._asdict().items()
    return {key: one if one is None or key == "games" else float(f"{one:.{DIGITS}g}") for key, one in values}
