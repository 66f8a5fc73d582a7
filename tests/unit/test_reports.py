"""Every report format: what it says, that its readers can read it, and that no text of a record can break it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from junitparser import Error, Failure, JUnitXml, Skipped

from pwtool.diagnostics import Detail, Diagnostic, Label
from pwtool.reports import FORMATS, render
from pwtool.reports.full import render_diagnostics
from pwtool.reports.report import FileResult, Report, Verdict
from pwtool.source import SourceFile, Span

SARIF = json.loads((Path(__file__).parent / "reports" / "sarif-2.1.0.json").read_text("utf-8"))
TEXT = '{"turns": [\n  {"card": "K2"},\n  {"card": "K3"}\n]}\n'
FILE = SourceFile("game.json", TEXT)


def span(text: str) -> Span:
    at = TEXT.index(text)
    return Span(FILE, at, at + len(text))


def finding(**changes: object) -> Diagnostic:
    fields: dict[str, object] = {
        "code": "PW601", "message": "one step at a time", "span": span('"K2"'), "rule": "move.once", "ruleset": "g/e",
        "where": "turn 1, Ana", "turn": 1, "labels": (Label(span('"K3"'), "and here"),),
        "details": (Detail("rule", ("g.rules:3   require x", "x is 2, at most 1 allowed")),), "notes": ("a note",), "help": "a help",
    }  # fmt: skip
    return Diagnostic(**(fields | changes))  # type: ignore[arg-type]


def report(*diagnostics: Diagnostic) -> Report:
    return Report(
        (
            FileResult("clean.json", "g/e", Verdict.CLEAN, (), ("2 turns",)),
            FileResult("game.json", "g/e", Verdict.FINDINGS, diagnostics or (finding(), finding(follows=True))),
            FileResult("dark.json", "g/e", Verdict.UNDETERMINED, (finding(code="PW611"),)),
            FileResult(
                "odd name%.json",
                None,
                Verdict.UNREADABLE,
                (Diagnostic("PW703", "no such file", file="odd name%.json"),),
            ),
        ),
        "pwtool",
        "1.2.3",
    )


def test_full_shows_place_details_notes_and_hides_followers() -> None:
    text = render(report(), "full")
    assert text.startswith("clean.json: clean under g/e  (2 turns)\n")
    assert "error[PW601] move.once: one step at a time\n  --> game.json:2:12        turn 1, Ana\n" in text
    assert ' 2 |   {"card": "K2"},\n   |            ^^^^\n' in text
    assert "  ::: game.json:3:12\n" in text and "---- and here" in text
    assert "  rule     g.rules:3   require x\n           x is 2, at most 1 allowed\n" in text
    assert "1 later finding follows from the above (--all shows them)" in text
    assert text.endswith("4 checked: 1 clean, 1 findings, 1 undetermined, 1 unreadable\n")
    assert render(report(), "full", show_all=True).count("one step at a time") == 3
    assert "\x1b" not in text and "\x1b[31;1m" in render(report(), "full", color=True)


def test_a_long_line_is_cut_around_its_place() -> None:
    long = SourceFile("long.json", "x" * 5000 + "HERE" + "y" * 5000)
    text = render_diagnostics([Diagnostic("PW601", "m", Span(long, 5000, 5004))])
    line, marks = text.splitlines()[2:4]
    assert len(line) < 130 and line.count("…") == 2
    assert line[marks.index("^") : marks.rindex("^") + 1] == "HERE"


def test_concise_is_one_line_a_finding() -> None:
    lines = render(report(), "concise").splitlines()
    assert lines[0] == "clean.json: clean"
    assert lines[1] == "game.json:2:12: error[PW601] move.once: one step at a time (turn 1, Ana)"
    assert len(lines) == 4


def test_json_and_jsonl_say_everything() -> None:
    data = json.loads(render(report(), "json"))
    assert data["exit_code"] == 2 and data["counts"] == {"clean": 1, "findings": 1, "undetermined": 1, "unreadable": 1}
    first = data["files"][1]["findings"][0]
    assert first["code"] == "PW601" and first["rule"] == "move.once" and first["follows"] is False
    assert first["span"] == {"file": "game.json", "line": 2, "column": 12, "end_line": 2, "end_column": 16}
    lines = [json.loads(line) for line in render(report(), "jsonl").splitlines()]
    assert lines == data["files"]


def test_sarif_is_valid_and_complete() -> None:
    data = json.loads(render(report(), "sarif"))
    Draft7Validator(SARIF).validate(data)
    run = data["runs"][0]
    assert (
        {r["id"] for r in run["tool"]["driver"]["rules"]}
        == {r["ruleId"] for r in run["results"]}
        == {"PW601", "PW611", "PW703"}
    )
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 12, "endLine": 2, "endColumn": 16,
    }  # fmt: skip
    assert run["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "odd%20name%25.json"


def test_junit_is_read_by_a_junit_library() -> None:
    xml = JUnitXml.fromstring(render(report(), "junit").encode())
    cases = [case for suite in xml for case in suite]
    assert [c.name for c in cases] == ["clean.json", "game.json", "dark.json", "odd name%.json"]
    assert [type(c.result[0]) if c.result else None for c in cases] == [None, Failure, Skipped, Error]
    assert (xml.tests, xml.failures, xml.errors) == (4, 1, 1)


def test_github_and_markdown() -> None:
    commands = render(report(), "github").splitlines()
    assert commands[0] == "::error file=game.json,line=2,col=12,title=PW601 move.once::one step at a time (turn 1, Ana)"
    assert commands[1].startswith("::notice ") and "odd name%25.json" in commands[2]
    table = render(report(), "markdown")
    assert (
        "| game.json | g/e | findings |" in table
        and "| 2:12 | PW601 | move.once | one step at a time (turn 1, Ana) |" in table
    )


@given(st.text(max_size=60))
def test_no_text_breaks_a_format(text: str) -> None:
    one = report(finding(message=text, where=text, notes=(text,), help=text, rule=text, file=text))
    for form in FORMATS:
        rendered = render(one, form, show_all=True)
        assert "\x1b" not in rendered and "\x07" not in rendered
    json.loads(render(one, "json"))
    ElementTree.fromstring(render(one, "junit"))
    assert all(line.startswith("::") for line in render(one, "github").split("\n") if line)
    Draft7Validator(SARIF).validate(json.loads(render(one, "sarif")))


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ((), 0), (("clean",), 0), (("clean", "findings"), 1), (("undetermined", "clean"), 3), (("undetermined", "findings"), 1),
        (("unreadable", "findings"), 2),
    ],
)  # fmt: skip
def test_exit_codes_and_their_precedence(verdicts: tuple[str, ...], code: int) -> None:
    assert Report(tuple(FileResult("x", None, Verdict(v)) for v in verdicts), "pwtool", "1").exit_code == code


def test_a_mistake_of_the_program_outweighs_all() -> None:
    results = (FileResult("x", None, Verdict.UNREADABLE, (Diagnostic("PW901", "oops"),)),)
    assert Report(results, "pwtool", "1").exit_code == 101
