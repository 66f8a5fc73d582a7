"""The full report: for each finding its place in the text, the rule, the values, the source, the board and the legal alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.text import Diagnostic, Severity
from pwtool.text.source import Span
from pwtool.text.speech import ENGLISH, Speech, mark, mark_many, marked
from pwtool.text.terminal import BLUE, BOLD, CYAN, GREEN, RED, YELLOW, escape, paint

WIDTH = 100
_COLORS = {Severity.ERROR: RED, Severity.WARNING: YELLOW, Severity.UNDETERMINED: CYAN, Severity.NOTE: CYAN}


VERDICTS = {
    Verdict.CLEAN: mark("clean"), Verdict.FINDINGS: mark("findings"), Verdict.UNDETERMINED: mark("undetermined"),
    Verdict.UNREADABLE: mark("unreadable"),
}  # fmt: skip
"""The words for documents with each verdict."""
_COUNTED = {
    Verdict.CLEAN: mark_many("{count} clean", "{count} clean"),
    Verdict.FINDINGS: mark_many("{count} findings", "{count} findings"),
    Verdict.UNDETERMINED: mark_many("{count} undetermined", "{count} undetermined"),
    Verdict.UNREADABLE: mark_many("{count} unreadable", "{count} unreadable"),
}
LEVELS = {
    Severity.ERROR: mark("error"), Severity.WARNING: mark("warning"), Severity.UNDETERMINED: mark("undetermined"),
    Severity.NOTE: mark("note"),
}  # fmt: skip


def _columns(text: str) -> int:
    """The number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _plain(text: str) -> str:
    """A part of a source line as shown: tabs indent, other control characters are escaped."""
    return escape(text.replace("\t", "    "))


def excerpt(span: Span) -> tuple[str, str, str]:
    """The line of a span, shortened around it if it is long: the text before the span, the span, and the text after it."""
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
    return prefix + _plain(text[left:start]), _plain(text[start:end]), _plain(text[end:right]) + suffix


def _place(span: Span, color: bool, marker: str = "^", note: str = "") -> list[str]:
    before, marked, behind = excerpt(span)
    text, start, width = before + marked + behind, _columns(before), max(1, _columns(marked))
    number = str(span.line)
    bar = paint("|", BLUE, color)
    pad = " " * len(number)
    marks = paint(marker * width + (f" {note}" if note else ""), BLUE if note else RED, color)
    return [f" {paint(number, BLUE, color)} {bar} {text}", f" {pad} {bar} {' ' * start}{marks}"]


def render_diagnostic(diagnostic: Diagnostic, color: bool = False, speech: Speech = ENGLISH) -> list[str]:
    """One finding as lines."""
    diagnostic = diagnostic.within(speech)
    level = diagnostic.level
    rule = f" {diagnostic.rule}" if diagnostic.rule else ""
    head = paint(f"{speech.say(LEVELS[level])}[{diagnostic.code}]", _COLORS[level], color)
    lines = [speech.headed(f"{head}{escape(rule)}", paint(escape(diagnostic.message), BOLD, color))]
    where = f"        {escape(diagnostic.where)}" if diagnostic.where else ""
    if diagnostic.span is not None:
        lines.append(f"  {paint('-->', BLUE, color)} {escape(str(diagnostic.span))}{where}")
        lines += _place(diagnostic.span, color)
    elif diagnostic.file or where:
        lines.append(f"  {paint('-->', BLUE, color)} {escape(diagnostic.file or '')}{where}")
    for label in diagnostic.labels:
        lines.append(f"  {paint(':::', BLUE, color)} {escape(str(label.span))}")
        lines += _place(label.span, color, "-", escape(label.text))
    for detail in diagnostic.details:
        for number, text in enumerate(detail.shown):
            lines.append(f"  {title(detail.title, speech) if number == 0 else '':<8} {escape(text)}".rstrip())
    lines += [f"  {title('note', speech):<8} {escape(note)}" for note in diagnostic.notes]
    if diagnostic.help:
        name = title("help", speech)
        lines.append(f"  {paint(name, GREEN, color)}{' ' * (8 - len(name))} {escape(diagnostic.help)}")
    return lines


def title(title: str, speech: Speech) -> str:
    """The label of a part of a finding, at most eight letters."""
    return speech.about(f"detail_{title}", title)


_TITLES = marked(
    {
        "detail_rule": "rule", "detail_source": "source", "detail_board": "board", "detail_legal": "legal", "detail_more": "more",
        "detail_note": "note", "detail_help": "help", "detail_because": "because", "detail_see": "see",
        "detail_expected": "expected", "detail_actual": "actual", "detail_given": "given", "detail_add": "add",
    }
)  # fmt: skip


def render_diagnostics(diagnostics: Sequence[Diagnostic], color: bool = False, speech: Speech = ENGLISH) -> str:
    """Findings that belong to no checked file, such as those of a ruleset."""
    return "".join("\n".join(render_diagnostic(d, color, speech)) + "\n" for d in diagnostics)


def _file_lines(result: FileResult, color: bool, show_all: bool, speech: Speech) -> list[str]:
    name = escape(result.name)
    under = f" {speech.say('under {ruleset}', ruleset=escape(result.rules))}" if result.rules else ""
    if result.verdict is Verdict.CLEAN and not result.diagnostics:
        summary = f"  ({speech.say('; ').join(map(speech.tell, result.summary))})" if result.summary else ""
        return [f"{speech.headed(name, paint(speech.say('clean'), GREEN, color))}{under}{escape(summary)}"]
    if not result.explained:
        from pwtool.show.text.concise import one_line

        said = [(d, speech.say(LEVELS[d.level])) for d in result.diagnostics]
        return [escape(one_line(result, d, level)) + under for d, level in said]
    lines: list[str] = []
    shown = result.told(show_all)
    for diagnostic in shown:
        lines += [*render_diagnostic(diagnostic, color, speech), ""]
    if hidden := len(result.diagnostics) - len(shown):
        follow = speech.many(
            "{count} later finding follows from the above ({option} shows them)",
            "{count} later findings follow from the above ({option} shows them)",
            hidden, option="--all",
        )  # fmt: skip
        lines += [f"  {title('note', speech):<8} {follow}", ""]
    if not result.documents:
        return lines[:-1]
    if result.documents > 1:
        others = speech.many(
            "{count} more game of this file cannot be judged for this reason",
            "{count} more games of this file cannot be judged for this reason",
            result.documents - 1,
        )
        lines[-1:] = [f"  {title('note', speech):<8} {others}", ""]
    words = {
        Verdict.CLEAN: (
            speech.say("clean, with notes")
            if all(d.level is Severity.NOTE for d in result.diagnostics)
            else speech.say("clean, with warnings")
        ),
        # Rulesets share what is wrong with the rules that they build on.
        Verdict.FINDINGS: speech.many("{count} finding", "{count} findings", len(shown))
        if shown
        else speech.say("what was found is told above"),
        Verdict.UNDETERMINED: speech.say("undetermined: nothing wrong was found, but not everything can be known"),
        Verdict.UNREADABLE: speech.say("could not be checked"),
    }
    lines.append(f"{speech.headed(name, paint(words[result.verdict], BOLD, color))}{under}")
    return lines


def render_results(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """Every file with its findings."""
    lines: list[str] = []
    speech = Speech(report.language)
    was_line = False
    for result in report.results:
        if was_line and result.explained:
            lines.append("")
        lines += _file_lines(result, color, show_all, speech)
        if result.diagnostics and result.explained:
            lines.append("")
        was_line = not result.explained
    return "\n".join(lines) + "\n" if lines else ""


def total_line(counts: Mapping[Verdict, int], speech: Speech) -> str:
    """The number of documents checked, and the number for each verdict."""
    verdicts = ", ".join(speech.many(*_COUNTED[v], count) for v, count in counts.items() if count)
    return speech.many(
        "{count} checked: {verdicts}", "{count} checked: {verdicts}", sum(counts.values()), verdicts=verdicts
    )


def render_full(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """Every file with its findings, and a total if there are several files."""
    text = render_results(report, color=color, show_all=show_all)
    if len(report.results) > 1:
        return f"{text}{total_line(report.counts, Speech(report.language))}\n"
    return text.rstrip("\n") + "\n" if text else ""


def matrix_lines(found: Sequence[FileResult], width: int, show_all: bool, speech: Speech) -> list[str]:
    """Several rulesets: for each record, which of them accept it, and the first action that each refuses."""
    by_name: dict[str, list[FileResult]] = {}
    for result in found:
        by_name.setdefault(result.name, []).append(result)
    words = {
        Verdict.UNDETERMINED: speech.say("undecided"), Verdict.FINDINGS: speech.say("refused"), Verdict.UNREADABLE: speech.say("unreadable"),
        Verdict.CLEAN: speech.say("accepted"),
    }  # fmt: skip
    column = max(10, *map(len, words.values()))
    lines: list[str] = []
    for name, results in by_name.items():
        lines.append(name)
        for result in results:
            address, rules = result.ruleset or "", result.rules
            if result.verdict is Verdict.CLEAN:
                summary = ", ".join(map(speech.tell, result.summary))
                lines.append(f"  {rules:<{width}}  {words[result.verdict]:<{column}}  {summary}")
                continue
            causes = result.told(show_all)
            first = causes[0] if causes else result.diagnostics[0]
            told = speech.say("{head}: {text}", head=first.where, text=first.message) if first.where else first.message
            rule = f" ({first.rule})" if first.rule else ""
            place = f"  {first.span}" if first.span else ""
            lines.append(f"  {rules:<{width}}  {words[result.verdict]:<{column}}  {told}{rule}{place}")
            if len(causes) > 1:
                more = speech.many(
                    "and {count} more; {command} shows them", "and {count} more; {command} shows them",
                    len(causes) - 1, command=f"`pwtool check {name} --rules {address}`",
                )  # fmt: skip
                lines.append(f"  {'':<{width}}  {'':<{column}}  {more}")
    return lines
