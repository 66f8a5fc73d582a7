"""The concise form: one line a finding."""

from __future__ import annotations

from pwtool.checking.report import Report, Verdict
from pwtool.show.text.full import clean_text


def render_concise(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """`file:line:column: error[PW601] rule: message`, and `file: clean` for clean files."""
    lines = []
    for result in report.results:
        if result.verdict is Verdict.CLEAN and not result.diagnostics:
            lines.append(f"{clean_text(result.name)}: clean")
        for d in result.diagnostics:
            if d.follows and not show_all:
                continue
            place = str(d.span) if d.span else d.file or result.name
            rule = f" {d.rule}:" if d.rule else ":"
            where = f" ({d.where})" if d.where else ""
            lines.append(clean_text(f"{place}: {d.level.value}[{d.code}]{rule} {d.message}{where}"))
    return "\n".join(lines) + "\n" if lines else ""
