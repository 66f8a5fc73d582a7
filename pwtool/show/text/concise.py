"""The concise report: one line per finding."""

from __future__ import annotations

from pwtool.checking.report import Report, Verdict
from pwtool.text.terminal import escape


def render_concise(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """`file:line:column: error[PW601] rule: message [ruleset version]`, and `file: clean [ruleset version]` for clean files."""
    lines = []
    for result in report.results:
        under = f" [{result.rules}]" if result.rules else ""
        if result.verdict is Verdict.CLEAN and not result.diagnostics:
            lines.append(escape(f"{result.name}: clean{under}"))
        for d in result.diagnostics:
            if d.follows and not show_all:
                continue
            place = str(d.span) if d.span else d.file or result.name
            rule = f" {d.rule}:" if d.rule else ":"
            where = f" ({d.where})" if d.where else ""
            lines.append(escape(f"{place}: {d.level.value}[{d.code}]{rule} {d.message}{where}{under}"))
    return "\n".join(lines) + "\n" if lines else ""
