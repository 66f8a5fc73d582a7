"""What has to be true of every answer: of findings, of reports, of verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from xml.etree import ElementTree
from zlib import crc32

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.show import FORMATS, render
from pwtool.text import CODES, Diagnostic
from pwtool.text.terminal import NARROW

Said = frozenset[str]
_VALUES = re.compile(r"`[^`]*`|-?\d+|\([^)]*\)")


class Broken(AssertionError):
    """A promise that was not kept."""


def hold(condition: object, promise: str) -> None:
    if not condition:
        raise Broken(promise)


def choice(data: bytes, count: int, salt: int = 0) -> int:
    """One of so many ways, always the same for the same bytes."""
    return crc32(data, salt) % count


# ---- findings and reports


def check_findings(found: Iterable[Diagnostic]) -> Said:
    """Findings have a known code, words, and places inside of their texts; none of them is an internal error."""
    said = set()
    for d in found:
        hold(d.code in CODES and d.message, f"{d.code} is a known code with a message")
        hold(d.code != "PW901", d.message)
        for span in (d.span, *(label.span for label in d.labels), d.fix and d.fix.span):
            if span is not None:
                size = len(span.file.text)
                hold(
                    0 <= span.start <= span.end <= size,
                    f"{d.code} stands inside of its text: {_VALUES.sub('', d.message)}",
                )
        said.add(f"{d.code} {d.rule or ''} {_VALUES.sub('', d.message)[:80]}")
    return frozenset(said)


def check_report(results: tuple[FileResult, ...], data: bytes) -> None:
    """Every format can be written and read again."""
    report = Report(results, "pwtool", "0")
    hold(report.exit_code != 101, "the exit code is not that of an internal error")
    form = FORMATS[choice(data, len(FORMATS))]
    text = render(report, form, show_all=choice(data, 2, 1) == 0)
    text.encode("utf-8")
    if form in ("json", "sarif"):
        json.loads(text)
    elif form == "jsonl":
        hold(
            len([json.loads(line) for line in text.splitlines()]) == len(results), "one line of jsonl for each document"
        )
    elif form == "junit":
        ElementTree.fromstring(text)
    elif form != "markdown":
        strange = next((c for c in text if not c.isprintable() and c not in ("\n", NARROW)), None)
        hold(strange is None, f"{form} holds no control character")


def check_results(results: Iterable[FileResult], data: bytes) -> Said:
    results = tuple(results)
    said: set[str] = set()
    for result in results:
        hold(isinstance(result.verdict, Verdict), "there is a verdict")
        hold(result.verdict is Verdict.CLEAN or result.diagnostics, f"a finding says why it is {result.verdict}")
        said |= check_findings(result.diagnostics) | {f"{result.verdict} {result.ruleset}"}
    check_report(results, data)
    return frozenset(said)
