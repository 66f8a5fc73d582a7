"""The concise report: one line per finding."""

from __future__ import annotations

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.text import Diagnostic
from pwtool.text.terminal import escape


def one_line(result: FileResult, diagnostic: Diagnostic, level: str) -> str:
    """A finding of a document, with its place and the word for its level."""
    place = str(diagnostic.span) if diagnostic.span else diagnostic.file or result.name
    rule = f" {diagnostic.rule}:" if diagnostic.rule else ":"
    where = f" ({diagnostic.where})" if diagnostic.where else ""
    return f"{place}: {level}[{diagnostic.code}]{rule} {diagnostic.message}{where}"


def render_concise(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """`file:line:column: error[PW601] rule: message [ruleset version]`, and `file: clean [ruleset version]` for clean files."""
    lines = []
    for result in report.results:
        under = f" [{result.rules}]" if result.rules else ""
        if result.verdict is Verdict.CLEAN and not result.diagnostics:
            lines += [escape(f"{name}: clean{under}") for name in result.names or (result.name,)]
            continue
        lines += [escape(f"{one_line(result, d, d.level.value)}{under}") for d in result.told(show_all)]
    return "\n".join(lines) + "\n" if lines else ""
