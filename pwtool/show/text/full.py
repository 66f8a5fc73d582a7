"""The full form: for each finding its place in the text, the rule, the values, the source, the board, what would
be legal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.text import Diagnostic, Severity
from pwtool.text.source import Span
from pwtool.text.words import counted

WIDTH = 100
_COLORS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.UNDETERMINED: "36;1"}
_BOLD, _BLUE, _GREEN = "1", "34;1", "32"


def clean_text(text: str) -> str:
    """Text that cannot move the cursor or colour the terminal: control characters are written as escapes."""
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode("ascii") for c in text)


def _paint(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color else text


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _plain(text: str) -> str:
    """A stretch of a source line as it is shown: tabs indent, other control characters are escapes."""
    return clean_text(text.replace("\t", "    "))


def _excerpt(span: Span) -> tuple[str, int, int]:
    """The line of a span, cut around it when long: the text, where the span begins in columns and how wide it is."""
    line, column = span.file.line_column(span.start)
    text = span.file.line_text(line)
    start = column - 1
    end = min(start + max(1, span.end - span.start), max(len(text), start + 1))
    prefix = suffix = ""
    left, right = 0, len(text)
    if right > WIDTH:
        left = max(0, start - WIDTH // 3)
        right = min(len(text), left + WIDTH)
        prefix, suffix = "…" * (left > 0), "…" * (right < len(text))
        end = min(end, right)
    before = prefix + _plain(text[left:start])
    marked = _plain(text[start:end])
    return before + marked + _plain(text[end:right]) + suffix, _columns(before), max(1, _columns(marked))


def _place(span: Span, color: bool, marker: str = "^", note: str = "") -> list[str]:
    text, start, width = _excerpt(span)
    number = str(span.line)
    bar = _paint("|", _BLUE, color)
    pad = " " * len(number)
    marks = _paint(marker * width + (f" {note}" if note else ""), _BLUE if note else "31;1", color)
    return [f" {_paint(number, _BLUE, color)} {bar} {text}", f" {pad} {bar} {' ' * start}{marks}"]


def render_diagnostic(diagnostic: Diagnostic, color: bool = False) -> list[str]:
    """One finding as lines."""
    level = diagnostic.level
    rule = f" {diagnostic.rule}:" if diagnostic.rule else ":"
    head = _paint(f"{level.value}[{diagnostic.code}]", _COLORS[level], color)
    lines = [f"{head}{clean_text(rule)} {_paint(clean_text(diagnostic.message), _BOLD, color)}"]
    where = f"        {clean_text(diagnostic.where)}" if diagnostic.where else ""
    if diagnostic.span is not None:
        lines.append(f"  {_paint('-->', _BLUE, color)} {clean_text(str(diagnostic.span))}{where}")
        lines += _place(diagnostic.span, color)
    elif diagnostic.file or where:
        lines.append(f"  {_paint('-->', _BLUE, color)} {clean_text(diagnostic.file or '')}{where}")
    for label in diagnostic.labels:
        lines.append(f"  {_paint(':::', _BLUE, color)} {clean_text(str(label.span))}")
        lines += _place(label.span, color, "-", clean_text(label.text))
    for detail in diagnostic.details:
        for number, text in enumerate(detail.lines):
            lines.append(f"  {detail.title if number == 0 else '':<8} {clean_text(text)}".rstrip())
    lines += [f"  {'note':<8} {clean_text(note)}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"  {_paint('help', _GREEN, color)}     {clean_text(diagnostic.help)}")
    return lines


def render_diagnostics(diagnostics: Sequence[Diagnostic], color: bool = False) -> str:
    """Findings that belong to no checked file, such as those of a ruleset."""
    return "".join("\n".join(render_diagnostic(d, color)) + "\n" for d in diagnostics)


def _file_lines(result: FileResult, color: bool, show_all: bool) -> list[str]:
    name = clean_text(result.name)
    under = f" under {clean_text(result.ruleset)}" if result.ruleset else ""
    if result.verdict is Verdict.CLEAN and not result.diagnostics:
        summary = f"  ({'; '.join(result.summary)})" if result.summary else ""
        return [f"{name}: {_paint('clean', _GREEN, color)}{under}{clean_text(summary)}"]
    lines: list[str] = []
    hidden = 0
    for diagnostic in result.diagnostics:
        if diagnostic.follows and not show_all:
            hidden += 1
            continue
        lines += [*render_diagnostic(diagnostic, color), ""]
    if hidden:
        follow = counted(hidden, "later finding", "follows", "follow")
        lines += [f"  {'note':<8} {follow} from the above (--all shows them)", ""]
    shown = sum(1 for d in result.diagnostics if show_all or not d.follows)
    words = {
        Verdict.CLEAN: "clean, with warnings",
        Verdict.FINDINGS: counted(shown, "finding"),
        Verdict.UNDETERMINED: "undetermined: nothing is wrong, but not everything can be known",
        Verdict.UNREADABLE: "could not be checked",
    }
    lines.append(f"{name}: {_paint(words[result.verdict], _BOLD, color)}{under}")
    return lines


def render_full(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """Every file with its findings, and a line that adds them up when there are several files."""
    lines: list[str] = []
    for result in report.results:
        lines += _file_lines(result, color, show_all)
        if result.diagnostics:
            lines.append("")
    if len(report.results) > 1:
        counts = ", ".join(f"{count} {verdict.value}" for verdict, count in report.counts.items() if count)
        lines.append(f"{sum(report.counts.values())} checked: {counts}")
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n" if lines else ""
