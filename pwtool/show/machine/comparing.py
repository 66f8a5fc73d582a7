"""The comparison of rulesets as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pwtool.comparing.impact import Impact
from pwtool.comparing.matrix import Matrix
from pwtool.comparing.row import NATURES, Row
from pwtool.show.machine.markdown import cell
from pwtool.show.text.comparing import (
    SHOWN_GAMES,
    Comparison,
    and_more,
    cause_name,
    change_name,
    game_file,
    heading,
    item_name,
    letters_line,
    open_points,
    row_labels,
    same_by_names,
    sources_of,
    unread_lines,
)
from pwtool.text.speech import Told
from pwtool.why.voice import PLAIN, Voice, lowered, raised


def render_comparison(found: Comparison, folder: str = ".") -> str:
    """A table for each kind of difference, the impact on an archive, and the open points of the second ruleset. Links
    to games that show a difference are relative to `folder`, where the page will be.
    """
    voice, (first, second) = found.voice, found.labels()
    lines = [
        "# " + voice.caption("against", cell(first), cell(second)),
        "",
        *([f"{cell(raised(found.remark()))}.", ""] if found.remark() else []),
        f"{raised(found.summary())}.",
        "",
        f"{cell(raised(found.versions()))}.",
    ]
    for nature in NATURES:
        rows = [r for r in found.rows if r.nature == nature]
        if not rows:
            continue
        lines += ["", f"## {heading(nature, voice)}", ""]
        lines += [f"| {voice.say('item')} | | {cell(first)} | {cell(second)} | {row_labels(voice)['shown']} |"]
        lines += ["| --- | --- | --- | --- | --- |", *(_row(found, row, folder) for row in rows)]
    if found.impact is not None:
        lines += ["", f"## {_games(len(found.impact.games), voice)}", "", *impact_table(found.impact, folder, voice)]
        unread = unread_lines(found.impact, voice)
        lines += ["", *(f"- {cell(line)}" for line in unread)] if unread else []
    points = open_points(found.games[1])
    if points:
        lines += ["", "## " + voice.say("What {ruleset} leaves open", ruleset=cell(second)), ""]
        for kind, name, text, others, sources in points:
            readings = "; ".join(f"`--reading {name}={other}`: {cell(words)}" for other, words in others)
            source = f" ({cell('; '.join(sources))})" if sources else ""
            what = voice.say("misprint") if kind == "erratum" else voice.about("compare", "open")
            lines.append(f"- {voice.headed(what, cell(text) + source)}; {readings}")
    return "\n".join(lines) + "\n"


def _row(found: Comparison, row: Row, folder: str) -> str:
    sides = []
    tell = found.voice.tell
    for game, text in zip(found.games, found.texts(row), strict=True):
        sources = "; ".join(sources_of(game, row, found.voice))
        sides.append(cell(text) + (f" ({cell(sources)})" if sources and text else ""))
    links = [_link(file, folder) for file in row.witness]
    shown = "; ".join([*([cell(tell(row.example))] if row.example else []), *links, *map(cell, map(tell, row.without))])
    shown += f" ({cell(tell(row.proof))})" if row.proof else ""
    return f"| {cell(found.name(row))} | {found.verdict(row)} | {sides[0]} | {sides[1]} | {shown} |"


def _link(name: str, folder: str) -> str:
    file = game_file(name, folder)
    label = cell(Path(name).name)
    return f"[{label}](<{file}>)" if file else label


def _games(count: int, voice: Voice) -> str:
    return voice.many("{count} game", "{count} games", count)


def impact_table(impact: Impact, folder: str = ".", voice: Voice = PLAIN) -> list[str]:
    """A table of what happens to the games of an archive, by rule; the games are links relative to a folder."""

    def linked(names: Sequence[str]) -> str:
        few = ", ".join(_link(name, folder) for name in names[:SHOWN_GAMES])
        return and_more(few, len(names) - SHOWN_GAMES, voice)

    lines = [f"| | {voice.caption('how_many')} | |", "| --- | --- | --- |"]
    for change, cause, names in impact.table():
        told = cause_name(cause, voice) if isinstance(cause, Told) else f"`{cause}`"
        label = f"… {voice.say('by {cause}', cause=told)}" if cause else change_name(change, voice)
        lines.append(f"| {label} | {len(names)} | {linked(names)} |")
    return lines


def render_matrix(matrix: Matrix, addresses: Sequence[str], voice: Voice = PLAIN) -> str:
    """More than two rulesets: a column for each; equal letters mean the same."""
    lines = ["# " + ", ".join(cell(a) for a in addresses), ""]
    lines += [
        f"| {voice.say('item')} | " + " | ".join(cell(a) for a in addresses) + " | |",
        "| --- |" + " --- |" * (len(addresses) + 1),
    ]
    for row in matrix.rows:
        note = lowered(heading(row.nature, voice)) + (voice.say(", not all decided") if row.undecided else "")
        lines.append(f"| {cell(item_name(row, voice))} | {' | '.join(row.letters)} | {note} |")
    lines += ["", *(letters_line(voice), *same_by_names(matrix, voice)), ""]
    for row in matrix.rows:
        lines.append(f"- {cell(item_name(row, voice))}")
        lines += [f"  - {letter}: {cell(voice.tell(text))}" for letter, text in row.readings]
    return "\n".join(lines) + "\n"
