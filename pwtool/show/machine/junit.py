"""JUnit XML for test servers: one test case for each file."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec.structs import replace

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.show.text.concise import render_concise
from pwtool.text import Severity
from pwtool.text.terminal import escape

_TAGS = {Verdict.FINDINGS: "failure", Verdict.UNREADABLE: "error", Verdict.UNDETERMINED: "skipped"}


def _case(suite: Element, result: FileResult, report: Report) -> None:
    # XML 1.0 (W3C, section 2.2) has no place for most control characters, not even as references: they are written
    # as escapes, like in the forms for people.
    names = {"name": escape(result.name), "classname": escape(result.ruleset or "records")}
    case = SubElement(suite, "testcase", names)
    known = {"ruleset_version": result.version, "cut_short": "true" if result.cut_short else None}
    values = {name: value for name, value in known.items() if value is not None}
    properties = SubElement(case, "properties") if values else case
    for name, value in values.items():
        SubElement(properties, "property", {"name": name, "value": value})
    tag = _TAGS.get(result.verdict)
    if tag is None:
        return
    errors = (d for d in result.diagnostics if d.level is Severity.ERROR)
    first = next(errors, result.diagnostics[0] if result.diagnostics else None)
    element = SubElement(case, tag, {"message": escape(first.message) if first else result.verdict.value})
    if tag != "skipped":
        element.set("type", first.code if first else result.verdict.value)
    element.text = render_concise(Report((result,), report.tool, report.version), show_all=True)


def render_junit(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """One suite with a case for each file: findings are failures, unreadable files errors, undetermined ones
    skipped.
    """
    # A suite counts the cases in it.
    counts, results = replace(report, whole=None).counts, [result for result in report.results if result.documents]
    numbers = {
        "tests": str(len(results)),
        "failures": str(counts[Verdict.FINDINGS]),
        "errors": str(counts[Verdict.UNREADABLE]),
        "skipped": str(counts[Verdict.UNDETERMINED]),
    }
    root = Element("testsuites", {"name": report.tool, **{k: v for k, v in numbers.items() if k != "skipped"}})
    suite = SubElement(root, "testsuite", {"name": report.tool, **numbers})
    for result in results:
        _case(suite, result, report)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, "unicode") + "\n"
