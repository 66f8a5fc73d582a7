"""JSON: one document for a run, or one line for each file. The keys are stable and documented in `docs/reports.md`."""

from __future__ import annotations

from typing import Any

from pwtool.checking.report import FileResult, Report
from pwtool.text import Diagnostic, Fix
from pwtool.text.source import Span
from pwtool.text.terminal import dump_json


def _span(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    line, column = span.file.line_column(span.start)
    end_line, end_column = span.file.line_column(span.end)
    return {"file": span.file.name, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {"span": _span(fix.span), "text": fix.text, "title": fix.title, "safe": fix.safe}


def diagnostic_data(d: Diagnostic) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "code": d.code,
        "slug": d.slug,
        "severity": d.level.value,
        "rule": d.rule,
        "ruleset": d.ruleset,
        "message": d.message,
        "span": _span(d.span),
        "file": d.span.file.name if d.span else d.file,
        "turn": d.turn,
        "where": d.where,
        "follows": d.follows,
        "labels": [{"span": _span(label.span), "text": label.text} for label in d.labels],
        "details": {detail.title: list(detail.lines) for detail in d.details},
        "notes": list(d.notes),
        "help": d.help,
        "fix": _fix(d.fix),
        "data": d.data,
    }


def file_data(result: FileResult) -> dict[str, Any]:
    """The verdict on a file as plain data."""
    return {
        "name": result.name,
        "ruleset": result.ruleset,
        "ruleset_version": result.version,
        "verdict": result.verdict.value if result.documents else None,
        "cut_short": result.cut_short,
        "explained": result.explained,
        "summary": [*map(str, result.summary)],
        "findings": [diagnostic_data(d) for d in result.diagnostics],
    }


def render_json(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """One document with all files."""
    data = {
        "tool": report.tool,
        "version": report.version,
        "exit_code": report.exit_code,
        "counts": {verdict.value: count for verdict, count in report.counts.items()},
        "files": [file_data(r) for r in report.results],
    }
    return dump_json(data, indent=2) + "\n"


def render_jsonl(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """One line for each file."""
    return "".join(dump_json(file_data(r)) + "\n" for r in report.results)
