"""SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), which code hosts and editors read."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import Any
from urllib.parse import quote

from pwtool.checking.report import FileResult, Report
from pwtool.text import CODES, Diagnostic, Severity
from pwtool.text.files import quote_path
from pwtool.text.source import Span
from pwtool.text.terminal import dump_json

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error", Severity.WARNING: "warning", Severity.UNDETERMINED: "note", Severity.NOTE: "note",
}  # fmt: skip


def _uri(name: str) -> str:
    """The name of a file as a URI: relative as it was given (a colon would make a scheme of what precedes it, so it
    is encoded), `file:` when absolute.
    """
    path = quote_path(name.replace("\\", "/"))
    if path.startswith("/"):
        return f"file://{path}"
    drive = PureWindowsPath(name).drive
    return f"file:///{drive}{path[len(quote(drive)) :]}" if drive and PureWindowsPath(name).root else path


def _location(span: Span | None, name: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(span.file.name if span else name)}}
    if span is not None:
        place["region"] = _region(span, max(span.end, span.start + 1))
    return {"physicalLocation": place}


def _result(d: Diagnostic, result: FileResult) -> dict[str, Any]:
    text = f"{d.rule}: {d.message}" if d.rule else d.message
    data: dict[str, Any] = {
        "ruleId": d.code,
        "level": _LEVELS[d.level],
        "message": {"text": text + (f" ({d.where})" if d.where else "")},
        "locations": [_location(d.span, d.file or result.name)],
        "properties": {
            "rule": d.rule,
            "ruleset": d.ruleset or result.ruleset,
            "rulesetVersion": result.version,
            "turn": d.turn,
            "follows": d.follows,
        },
    }
    if d.labels:
        data["relatedLocations"] = [{**_location(x.span, result.name), "message": {"text": x.text}} for x in d.labels]
    if d.fix is not None:
        place = _location(d.fix.span, result.name)["physicalLocation"]
        span = d.fix.span
        replacement = {"deletedRegion": _region(span, span.end), "insertedContent": {"text": d.fix.text}}
        change = {"artifactLocation": place["artifactLocation"], "replacements": [replacement]}
        data["fixes"] = [{"description": {"text": d.fix.title}, "artifactChanges": [change]}]
    return data


def _region(span: Span, end: int) -> dict[str, Any]:
    line, column = span.file.line_column(span.start)
    end_line, end_column = span.file.line_column(end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def render_sarif(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """One run with all findings; those that only follow from others are kept and marked."""
    used = sorted({d.code for r in report.results for d in r.diagnostics})
    rules = [
        {
            "id": code,
            "name": CODES[code].slug,
            "shortDescription": {"text": CODES[code].summary},
            "properties": {"severity": CODES[code].severity},
        }
        for code in used
    ]
    driver = {"name": report.tool, "semanticVersion": report.version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "properties": {"rulesets": {r.ruleset: r.version for r in report.results if r.ruleset is not None}},
        "results": [_result(d, r) for r in report.results for d in r.diagnostics],
    }
    return dump_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"
