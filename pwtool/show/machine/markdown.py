"""Markdown: a table for a comment or a page."""

from __future__ import annotations

from pwtool.checking.report import Report
from pwtool.show.text.full import VERDICTS
from pwtool.text.speech import Speech
from pwtool.text.terminal import escape


def cell(text: str) -> str:
    """Text for a cell of a table: no markup, no line break."""
    escaped = escape(text.replace("\n", " "))
    for sign in "\\`|<>*_[]":
        escaped = escaped.replace(sign, "\\" + sign)
    return escaped


def render_markdown(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """A table of files, and for each file with findings a table of these."""
    speech = Speech(report.language)
    say = speech.say
    columns = (say("place"), say("code"), say("rule"), say("finding"))
    heads = (say("file"), say("ruleset"), say("version"), say("verdict"), "")
    lines = [f"| {' | '.join(heads)}|", "| --- | --- | --- | --- | --- |"]
    for result in report.results:
        summary = cell(say("; ").join(map(speech.tell, result.summary)))
        rules = f"{cell(result.ruleset or '')} | {result.version or ''}"
        verdict = say(VERDICTS[result.verdict]) if result.documents else ""
        lines.append(f"| {cell(result.name)} | {rules} | {verdict} | {summary} |")
    for result in report.results:
        shown = result.told(show_all)
        if not shown:
            continue
        lines += ["", f"### {cell(result.name)}", "", f"| {' | '.join(columns)} |", "| --- | --- | --- | --- |"]
        for d in shown:
            place = f"{d.span.line}:{d.span.column}" if d.span else ""
            where = f" ({d.where})" if d.where else ""
            lines.append(f"| {place} | {d.code} | {cell(d.rule or '')} | {cell(d.message + where)} |")
        hidden = len(result.diagnostics) - len(shown)
        if hidden:
            lines += [
                "",
                speech.many(
                    "{count} later finding follows from these.", "{count} later findings follow from these.", hidden
                ),
            ]
    return "\n".join(lines) + "\n"
