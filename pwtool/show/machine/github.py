"""Workflow commands: findings as annotations in a pull request."""

from __future__ import annotations

from pwtool.checking.report import Report
from pwtool.text import Severity
from pwtool.text.terminal import escape

_COMMANDS = {
    Severity.ERROR: "error", Severity.WARNING: "warning", Severity.UNDETERMINED: "notice", Severity.NOTE: "notice",
}  # fmt: skip


def _data(text: str) -> str:
    """Text as the runner reads it back: line ends stay line ends there, other control characters are escapes."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(map(escape, lines)).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def render_github(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """One workflow command for each finding."""
    lines = []
    for result in report.results:
        for d in result.told(show_all):
            properties = {"file": d.span.file.name if d.span else d.file or result.name}
            if d.span is not None:
                properties |= {"line": str(d.span.line), "col": str(d.span.column)}
            properties["title"] = f"{d.code} {d.rule or d.slug}"
            listed = ",".join(f"{k}={_property(v)}" for k, v in properties.items())
            where = f" ({d.where})" if d.where else ""
            under = f" [{result.rules}]" if result.rules else ""
            lines.append(f"::{_COMMANDS[d.level]} {listed}::{_data(d.message + where + under)}")
    return "\n".join(lines) + "\n" if lines else ""
