"""Markdown: a table for a comment or a page."""

from __future__ import annotations

from pwtool.checking.report import Report
from pwtool.text.terminal import escape


def cell(text: str) -> str:
    """Text for a cell of a table: no markup, no line break."""
    escaped = escape(text.replace("\n", " "))
    for sign in "\\`|<>*_[]":
        escaped = escaped.replace(sign, "\\" + sign)
    return escaped


def render_markdown(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """A table of files, and for each file with findings a table of these."""
    lines = ["| file | ruleset | version | verdict | |", "| --- | --- | --- | --- | --- |"]
    for result in report.results:
        summary = cell("; ".join(result.summary))
        rules = f"{cell(result.ruleset or '')} | {result.version or ''}"
        lines.append(f"| {cell(result.name)} | {rules} | {result.verdict.value} | {summary} |")
    for result in report.results:
        shown = [d for d in result.diagnostics if show_all or not d.follows]
        if not shown:
            continue
        lines += ["", f"### {cell(result.name)}", "", "| place | code | rule | finding |", "| --- | --- | --- | --- |"]
        for d in shown:
            place = f"{d.span.line}:{d.span.column}" if d.span else ""
            where = f" ({d.where})" if d.where else ""
            lines.append(f"| {place} | {d.code} | {cell(d.rule or '')} | {cell(d.message + where)} |")
        hidden = len(result.diagnostics) - len(shown)
        if hidden:
            lines += ["", f"{hidden} later findings follow from these."]
    return "\n".join(lines) + "\n"
