"""The comparison of rulesets as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pwtool.comparing.impact import SETUP, Impact
from pwtool.comparing.matrix import Matrix
from pwtool.comparing.row import NATURES, Row
from pwtool.show.machine.markdown import cell
from pwtool.show.text.comparing import (
    HEADINGS,
    SHOWN_GAMES,
    Comparison,
    game_file,
    item_name,
    open_points,
    sources_of,
    unread_lines,
)
from pwtool.why.voice import raised


def render_comparison(found: Comparison, folder: str = ".") -> str:
    """A table for each kind of difference, the impact on an archive, and the open points of the second ruleset. Links
    to games that show a difference are relative to `folder`, where the page will be.
    """
    first, second = found.labels()
    lines = [
        f"# {cell(first)} against {cell(second)}",
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
        lines += ["", f"## {HEADINGS[nature]}", "", f"| item | | {cell(first)} | {cell(second)} | shown by |"]
        lines += ["| --- | --- | --- | --- | --- |", *(_row(found, row, folder) for row in rows)]
    if found.impact is not None:
        lines += ["", f"## {len(found.impact.games)} games", "", *impact_table(found.impact, folder)]
        unread = unread_lines(found.impact)
        lines += ["", *(f"- {cell(line)}" for line in unread)] if unread else []
    points = open_points(found.games[1])
    if points:
        lines += ["", f"## What {cell(second)} leaves open", ""]
        for kind, name, text, others, sources in points:
            readings = "; ".join(f"`--reading {name}={other}`: {cell(words)}" for other, words in others)
            source = f" ({cell('; '.join(sources))})" if sources else ""
            lines.append(f"- {'misprint' if kind == 'erratum' else 'open'}: {cell(text)}{source}; {readings}")
    return "\n".join(lines) + "\n"


def _row(found: Comparison, row: Row, folder: str) -> str:
    sides = []
    for game, text in zip(found.games, (row.first, row.second), strict=True):
        sources = "; ".join(sources_of(game, row))
        sides.append(cell(text) + (f" ({cell(sources)})" if sources and text else ""))
    links = [_link(file, folder) for file in row.witness]
    shown = "; ".join([*([cell(row.example)] if row.example else []), *links, *map(cell, row.without)])
    shown += f" ({cell(row.proof)})" if row.proof else ""
    return f"| {cell(item_name(row))} | {found.verdict(row)} | {sides[0]} | {sides[1]} | {shown} |"


def _link(name: str, folder: str) -> str:
    file = game_file(name, folder)
    label = cell(Path(name).name)
    return f"[{label}](<{file}>)" if file else label


def impact_table(impact: Impact, folder: str = ".") -> list[str]:
    """A table of what happens to the games of an archive, by rule; the games are links relative to a folder."""

    def linked(names: Sequence[str]) -> str:
        few = ", ".join(_link(name, folder) for name in names[:SHOWN_GAMES])
        return few + (f" and {len(names) - SHOWN_GAMES} more" if len(names) > SHOWN_GAMES else "")

    lines = ["| | games | |", "| --- | --- | --- |"]
    for change, cause, names in impact.table():
        label = "… by " + (cause if cause == SETUP else f"`{cause}`") if cause else change
        lines.append(f"| {label} | {len(names)} | {linked(names)} |")
    return lines


def render_matrix(matrix: Matrix, addresses: Sequence[str]) -> str:
    """More than two rulesets: a column for each; equal letters mean the same."""
    lines = ["# " + ", ".join(cell(a) for a in addresses), ""]
    lines += [
        "| item | " + " | ".join(cell(a) for a in addresses) + " | |",
        "| --- |" + " --- |" * (len(addresses) + 1),
    ]
    for row in matrix.rows:
        note = HEADINGS[row.nature].lower() + (", not all decided" if row.undecided else "")
        lines.append(f"| {cell(f'{row.kind} {row.name}'.strip())} | {' | '.join(row.letters)} | {note} |")
    lines += ["", "Equal letters in a row mean the same, `-`: there is no such item.", ""]
    for row in matrix.rows:
        lines.append(f"- {cell(f'{row.kind} {row.name}'.strip())}")
        lines += [f"  - {letter}: {cell(text)}" for letter, text in row.readings]
    return "\n".join(lines) + "\n"
