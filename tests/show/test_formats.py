"""Results as text in every format: complete, well-formed, and harmless whatever a user's file holds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from msgspec.structs import replace

from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.show import FORMATS, render
from pwtool.show.text.full import render_diagnostics
from pwtool.text import CODES, Detail, Diagnostic, Label, Severity
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told
from tests.daily import one_day_in

SCHEMA = Path(__file__).with_name("reports") / "sarif-2.1.0.json"
TEXT = """{
  "turns": [
    {"player": "Ana", "actions": [{"action": "go", "steps": 3}]}
  ]
}
"""
FILE = SourceFile("games/one.json", TEXT)
STEPS = Span(FILE, TEXT.index("3}"), TEXT.index("3}") + 1)
BROKEN = Diagnostic(
    "PW601", "one step in a turn", STEPS, None, "move.once", "game/first", "turn 1, Ana", 1,
    labels=(Label(Span(FILE, TEXT.index('"Ana"'), TEXT.index('"Ana"') + 5), "her turn"),),
    details=(Detail("rule", ("game.rules:88   require steps <= 1", "steps = 3")), Detail("legal", ("go 1", "end the turn"))),
    notes=("legal under game/second",), help="leave out the other steps", data={"path": ["turns", 0]},
)  # fmt: skip
LATER = replace(BROKEN, message="nothing is left to do", labels=(), details=(), notes=(), help=None, follows=True)
UNKNOWN = Diagnostic("PW611", "what lies below is not known", file="games/two.json")
NOT_JSON = Diagnostic("PW701", "a comma too many", Span(SourceFile("games/three.json", "[1,]"), 2, 3))
LINT = replace(UNKNOWN, code="PW401", message="never used", severity=Severity.WARNING)
INTERNAL = Diagnostic("PW901", "an internal error", file="games/one.json")
VERSION = "0123456789abcdef"
REPORT = Report(
    (
        FileResult(
            "games/zero.json",
            "game",
            Verdict.CLEAN,
            (),
            (Told("3 turns, 4 actions"), Told("won by Ana with 9")),
            version=VERSION,
        ),
        FileResult(
            "games/one.json", "game/first", Verdict.FINDINGS, (BROKEN, LATER, LATER), (Told("1 turn"),), version=VERSION
        ),
        FileResult("games/two.json", "game", Verdict.UNDETERMINED, (UNKNOWN,), version=VERSION),
        FileResult("games/three.json", None, Verdict.UNREADABLE, (NOT_JSON,)),
    ),
    "pwtool",
    "0.1.0",
)


def report_of(*diagnostics: Diagnostic, verdict: Verdict = Verdict.FINDINGS, name: str = "games/one.json") -> Report:
    return Report((FileResult(name, "game", verdict, diagnostics),), "pwtool", "0.1.0")


def at(text: str, start: int, end: int, name: str = "x.json") -> Diagnostic:
    return Diagnostic("PW702", "here", Span(SourceFile(name, text), start, end))


# --- the report itself


@pytest.mark.parametrize(
    ("verdicts", "diagnostics", "code"),
    [
        ([], (), 0), (["clean"], (), 0), (["clean", "findings"], (), 1), (["unreadable", "findings"], (), 2),
        (["undetermined", "clean"], (), 3), (["undetermined", "findings"], (), 1), (["undetermined", "unreadable"], (), 2),
        (["clean"], (LINT,), 0), (["unreadable"], (INTERNAL,), 101), (["findings"], (INTERNAL, BROKEN), 101),
    ],
)  # fmt: skip
def test_exit_codes(verdicts: list[str], diagnostics: tuple[Diagnostic, ...], code: int) -> None:
    results = tuple(FileResult("x", None, Verdict(verdict), diagnostics) for verdict in verdicts)
    assert Report(results, "pwtool", "0").exit_code == code


def test_counts_name_every_verdict() -> None:
    assert REPORT.counts == {"clean": 1, "findings": 1, "undetermined": 1, "unreadable": 1}
    archive = FileResult("games.jsonl", "game", Verdict.CLEAN, documents=12)
    assert Report((archive,), "pwtool", "0").counts["clean"] == 12  # type: ignore[index]


def test_importing_the_registry_imports_no_format() -> None:
    code = (
        "import sys, pwtool.show; "
        "print(sorted(m for m in sys.modules if m.startswith(('pwtool.show.', 'pwtool.diag', 'xml', 'json'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_takes_an_empty_report(form: str) -> None:
    text = render(Report((), "pwtool", "0.1.0"), form)
    assert text == "" or text.endswith("\n")


# --- the full form

FULL = """\
games/zero.json: clean under game 0123456789abcdef  (3 turns, 4 actions; won by Ana with 9)
error[PW601] move.once: one step in a turn
  --> games/one.json:3:61        turn 1, Ana
 3 |     {"player": "Ana", "actions": [{"action": "go", "steps": 3}]}
   |                                                             ^
  ::: games/one.json:3:16
 3 |     {"player": "Ana", "actions": [{"action": "go", "steps": 3}]}
   |                ----- her turn
  rule     game.rules:88   require steps <= 1
           steps = 3
  legal    go 1
           end the turn
  note     legal under game/second
  help     leave out the other steps

  note     2 later findings follow from the above (--all shows them)

games/one.json: 1 finding under game/first 0123456789abcdef

undetermined[PW611]: what lies below is not known
  --> games/two.json

games/two.json: undetermined: nothing wrong was found, but not everything can be known under game 0123456789abcdef

error[PW701]: a comma too many
  --> games/three.json:1:3
 1 | [1,]
   |   ^

games/three.json: could not be checked

4 checked: 1 clean, 1 findings, 1 undetermined, 1 unreadable
"""


def test_the_full_form() -> None:
    assert render(REPORT, "full") == FULL


def test_findings_that_follow_are_shown_when_asked_for() -> None:
    text = render(REPORT, "full", show_all=True)
    assert text.count("nothing is left to do") == 2
    assert "--all" not in text
    assert "games/one.json: 3 findings" in text


def test_colour_changes_nothing_but_the_colour() -> None:
    text = render(REPORT, "full", color=True)
    assert "\x1b[31;1merror[PW601]\x1b[0m" in text
    assert re.sub(r"\x1b\[[0-9;]*m", "", text) == FULL


def marked(text: str, start: int, end: int) -> tuple[str, str]:
    """The excerpt of a span and the part of it above the carets, by the columns of a terminal."""
    lines = render_diagnostics([at(text, start, end)]).splitlines()
    number, _, shown = lines[2].partition("| ")
    carets = lines[3][len(number) + 2 :]
    assert set(carets) == {" ", "^"} or set(carets) == {"^"}
    cells: list[str] = []
    for sign in shown:
        if unicodedata.category(sign) in ("Mn", "Me"):
            cells[-1] += sign
        else:
            cells += [sign, ""] if unicodedata.east_asian_width(sign) in "WF" else [sign]
    first, last = carets.index("^"), len(carets)
    return shown, "".join(cells[first:last])


@pytest.mark.parametrize(
    "before", ["", "\t\t", "日本語", "ＡＢ", "e\u0301", "❤\ufe0f", "\x1b[31m", "x" * 5000, "日" * 500, "\t" * 200]
)
@pytest.mark.parametrize("after", ["", "y" * 5000])
def test_the_carets_stand_under_the_span(before: str, after: str) -> None:
    text = f'"{before}": 12345{after}'
    start = text.index("12345")
    shown, under = marked(text, start, start + 5)
    assert under == "12345"
    assert len(shown) <= 500


def test_a_long_line_is_cut_around_the_span() -> None:
    text = "[" + "1, " * 4000 + '"here"' + ", 1" * 4000 + "]"
    start = text.index('"here"')
    shown, under = marked(text, start, start + 6)
    assert under == '"here"'
    assert shown.startswith("…") and shown.endswith("…")
    assert len(shown) <= 110
    shown, _ = marked(text, 0, len(text))
    assert not shown.startswith("…") and shown.endswith("…")
    assert len(shown) <= 110


def test_spans_at_the_edges_of_a_text() -> None:
    assert marked("", 0, 0) == ("", "")
    assert marked("ab", 2, 2) == ("ab", "")
    assert marked("ab\ncd", 1, 5) == ("ab", "b")
    assert marked("ab\r\ncd", 2, 3) == ("ab", "")
    assert marked("ab\r\ncd\r\n", 4, 6) == ("cd", "cd")


def test_the_line_of_an_archive_is_shown_under_its_number() -> None:
    file = SourceFile("games.jsonl", '{"a": 1}', first_line=120)
    text = render_diagnostics([Diagnostic("PW702", "here", Span(file, 6, 7))])
    assert "--> games.jsonl:120:7" in text
    assert ' 120 | {"a": 1}' in text


# --- the concise form, workflow commands, Markdown


def test_the_concise_form() -> None:
    assert render(REPORT, "concise") == (
        "games/zero.json: clean [game 0123456789abcdef]\n"
        "games/one.json:3:61: error[PW601] move.once: one step in a turn (turn 1, Ana) [game/first 0123456789abcdef]\n"
        "games/two.json: undetermined[PW611]: what lies below is not known [game 0123456789abcdef]\n"
        "games/three.json:1:3: error[PW701]: a comma too many\n"
    )
    assert render(REPORT, "concise", show_all=True).count("nothing is left") == 2


def test_the_github_form() -> None:
    assert render(REPORT, "github") == (
        "::error file=games/one.json,line=3,col=61,title=PW601 move.once::one step in a turn (turn 1, Ana) [game/first 0123456789abcdef]\n"
        "::notice file=games/two.json,title=PW611 unknowable::what lies below is not known [game 0123456789abcdef]\n"
        "::error file=games/three.json,line=1,col=3,title=PW701 not-json::a comma too many\n"
    )
    assert render(REPORT, "github", show_all=True).count("nothing is left") == 2
    assert render(report_of(LINT), "github").startswith("::warning ")


def test_workflow_commands_cannot_be_smuggled_in() -> None:
    evil = Diagnostic("PW702", "100%\n::set-env name=A::b", file="a,b:c\n::error::x%0A", rule="r,title=x:y")
    (line,) = render(report_of(evil), "github").splitlines()
    assert line == (
        "::error file=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax%250A,title=PW702 r%2Ctitle=x%3Ay"
        "::100%25%0A::set-env name=A::b [game]"
    )


def test_the_markdown_form() -> None:
    assert render(REPORT, "markdown").splitlines() == [
        "| file | ruleset | version | verdict | |", "| --- | --- | --- | --- | --- |",
        "| games/zero.json | game | 0123456789abcdef | clean | 3 turns, 4 actions; won by Ana with 9 |",
        "| games/one.json | game/first | 0123456789abcdef | findings | 1 turn |",
        "| games/two.json | game | 0123456789abcdef | undetermined |  |",
        "| games/three.json |  |  | unreadable |  |",
        "", "### games/one.json", "", "| place | code | rule | finding |", "| --- | --- | --- | --- |",
        "| 3:61 | PW601 | move.once | one step in a turn (turn 1, Ana) |",
        "", "2 later findings follow from these.",
        "", "### games/two.json", "", "| place | code | rule | finding |", "| --- | --- | --- | --- |",
        "|  | PW611 |  | what lies below is not known |",
        "", "### games/three.json", "", "| place | code | rule | finding |", "| --- | --- | --- | --- |",
        "| 1:3 | PW701 |  | a comma too many |",
    ]  # fmt: skip


def test_markdown_cells_stay_cells() -> None:
    evil = Diagnostic("PW702", "a | b\n<script>`*_[x](y) \\| c", file="x")
    line = render(report_of(evil), "markdown").splitlines()[-1]
    assert line == "|  | PW702 |  | a \\| b \\<script\\>\\`\\*\\_\\[x\\](y) \\\\\\| c |"


# --- JSON


def test_the_json_form() -> None:
    data = json.loads(render(REPORT, "json"))
    assert list(data) == ["tool", "version", "exit_code", "counts", "files"]
    assert data["exit_code"] == 2
    assert data["counts"] == {"clean": 1, "findings": 1, "undetermined": 1, "unreadable": 1}
    clean, one, _, three = data["files"]
    assert clean == {
        "name": "games/zero.json", "ruleset": "game", "ruleset_version": VERSION, "verdict": "clean",
        "cut_short": False, "explained": True, "summary": ["3 turns, 4 actions", "won by Ana with 9"], "findings": [],
    }  # fmt: skip
    assert three["ruleset"] is None
    assert [f["follows"] for f in one["findings"]] == [False, True, True]
    assert one["findings"][0] == {
        "code": "PW601", "slug": "rule-broken", "severity": "error", "rule": "move.once", "ruleset": "game/first",
        "message": "one step in a turn", "file": "games/one.json", "turn": 1, "where": "turn 1, Ana", "follows": False,
        "span": {"file": "games/one.json", "line": 3, "column": 61, "end_line": 3, "end_column": 62},
        "labels": [
            {"span": {"file": "games/one.json", "line": 3, "column": 16, "end_line": 3, "end_column": 21}, "text": "her turn"}
        ],
        "details": {"rule": ["game.rules:88   require steps <= 1", "steps = 3"], "legal": ["go 1", "end the turn"]},
        "notes": ["legal under game/second"], "help": "leave out the other steps", "data": {"path": ["turns", 0]}, "fix": None,
    }  # fmt: skip


def test_the_jsonl_form_is_the_json_form_line_by_line() -> None:
    lines = render(REPORT, "jsonl").split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json.loads(render(REPORT, "json"))["files"]


def test_the_keys_are_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "reports.md").read_text("utf-8")
    data = json.loads(render(REPORT, "json"))
    finding = data["files"][1]["findings"][0]
    keys = {*data, *data["files"][0], *finding, *finding["span"], *finding["labels"][0]}
    assert len(keys) > 20
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
    assert [form for form in FORMATS if f"`{form}`" not in page] == []


# --- JUnit


def cases(report: Report) -> list[TestCase]:
    parsed = JUnitXml.fromstring(render(report, "junit").encode())
    return [case for suite in parsed for case in suite]


def test_the_junit_form() -> None:
    parsed = JUnitXml.fromstring(render(REPORT, "junit").encode())
    assert (parsed.tests, parsed.failures, parsed.errors) == (4, 1, 1)
    (suite,) = parsed
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == ("pwtool", 4, 1, 1, 1)
    clean, one, two, three = suite
    assert (clean.name, clean.classname, clean.result) == ("games/zero.json", "game", [])
    (failure,) = one.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("PW601", "one step in a turn")
    # A server shows nothing else: here is everything, also what only follows.
    assert "games/one.json:3:61: error[PW601] move.once" in (failure.text or "")
    assert (failure.text or "").count("nothing is left to do") == 2
    assert [type(r) for r in two.result] == [Skipped]
    assert two.result[0].message == "what lies below is not known"
    assert [type(r) for r in three.result] == [Error]
    assert three.classname == "records"


def test_warnings_alone_do_not_fail_a_case() -> None:
    (case,) = cases(report_of(LINT, verdict=Verdict.CLEAN))
    assert case.result == []


# --- SARIF


@pytest.fixture(scope="module")
def sarif() -> Draft4Validator:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema)


def test_the_sarif_form_follows_the_schema(sarif: Draft4Validator) -> None:
    for report in (REPORT, Report((), "pwtool", "0.1.0"), report_of(INTERNAL, LINT, at("", 0, 0), at("a\n", 1, 2))):
        data = json.loads(render(report, "sarif"))
        assert [error.message for error in sarif.iter_errors(data)] == []
    # The schema does judge.
    del data["runs"][0]["results"][0]["message"]
    assert list(sarif.iter_errors(data)) != []


def test_the_sarif_form() -> None:
    data = json.loads(render(REPORT, "sarif"))
    assert data["version"] == "2.1.0"
    (run,) = data["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("pwtool", "0.1.0")
    assert [rule["id"] for rule in driver["rules"]] == ["PW601", "PW611", "PW701"]
    assert driver["rules"][0]["shortDescription"]["text"] == CODES["PW601"].summary
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("PW601", "error"), ("PW601", "error"), ("PW601", "error"), ("PW611", "note"), ("PW701", "error"),
    ]  # fmt: skip
    first, second, _, unknown, _ = run["results"]
    assert first["message"]["text"] == "move.once: one step in a turn (turn 1, Ana)"
    assert first["properties"] == {
        "rule": "move.once",
        "ruleset": "game/first",
        "rulesetVersion": VERSION,
        "turn": 1,
        "follows": False,
    }
    assert second["properties"]["follows"] is True
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "games/one.json"},
        "region": {"startLine": 3, "startColumn": 61, "endLine": 3, "endColumn": 62},
    }
    (related,) = first["relatedLocations"]
    assert related["message"]["text"] == "her turn"
    assert related["physicalLocation"]["region"]["startColumn"] == 16
    assert unknown["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "games/two.json"}}


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a b/é.json", "a%20b/%C3%A9.json"), ("a:b.json", "a%3Ab.json"), ("100%.json", "100%25.json"), ("a#b?.json", "a%23b%3F.json"),
        ("sub\\x.json", "sub/x.json"), ("<stdin>", "%3Cstdin%3E"), ("/games/a b.json", "file:///games/a%20b.json"),
        ("C:\\a b\\x.json", "file:///C:/a%20b/x.json"), ("bad\udcff.json", "bad%FF.json"), ("\ud800.json", "%EF%BF%BD.json"),
    ],
)  # fmt: skip
def test_sarif_names_files_by_uri(name: str, uri: str) -> None:
    data = json.loads(render(report_of(at("[]", 0, 1, name)), "sarif"))
    assert data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


# --- whatever a user's file holds

ANY = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    [
        "\x1b[31m",
        "\x9b2J",
        "\x07",
        "\u202e",
        "\u2028",
        "\x85",
        "\ud800",
        "\udcff",
        "]]>",
        "&<\"'",
        "\x00",
        "a\r\nb",
        "\t",
        "|",
        "%0A",
    ]
)


@pytest.mark.parametrize("form", FORMATS)
def test_terminal_commands_and_odd_file_names_are_written_as_escapes(form: str) -> None:
    # A C1 control is a command of its own for a terminal; a name that is not UTF-8 holds a surrogate.
    evil = replace(at("[\x9b2J]", 1, 4, "bad\udcff.json"), message="\x1b[31m \x9b2J", rule="\x9b2J", help="\x9b2J")
    text = render(report_of(evil, name="bad\udcff.json"), form)
    assert text.encode("utf-8")
    assert "\x1b" not in text and "\x9b" not in text


@st.composite
def any_report(draw: st.DrawFn) -> Report:
    text = draw(st.text(st.characters(codec=None), max_size=30) | ANY)
    start = draw(st.integers(0, len(text)))
    span = Span(SourceFile(draw(ANY), text), start, draw(st.integers(start, len(text))))
    diagnostic = Diagnostic(
        draw(st.sampled_from(sorted(CODES))), draw(ANY), draw(st.none() | st.just(span)), draw(st.none() | ANY),
        draw(st.none() | ANY), draw(st.none() | ANY), draw(st.none() | ANY),
        labels=(Label(span, draw(ANY)),), details=(Detail("rule", (draw(ANY),)),), notes=(draw(ANY),), help=draw(ANY),
        follows=draw(st.booleans()), data={"value": draw(ANY)},
    )  # fmt: skip
    verdict = draw(st.sampled_from(Verdict))
    result = FileResult(
        draw(ANY), draw(st.none() | ANY), verdict, draw(st.sampled_from([(), (diagnostic,)])), (Told(draw(ANY)),)
    )
    return Report((result,), "pwtool", "0.1.0")


@one_day_in(8)
@given(any_report(), st.booleans())
def test_no_text_of_a_user_breaks_a_format(sarif: Draft4Validator, report: Report, show_all: bool) -> None:
    for form in FORMATS:
        text = render(report, form, color=False, show_all=show_all)
        text.encode("utf-8")
        # Neither the terminal nor the direction of reading is the file's to change.
        unsafe = [
            c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029\u202e")
        ]
        assert unsafe == [], form
    (result,) = report.results
    data = json.loads(render(report, "json"))["files"][0]
    assert (data["name"], data["ruleset"], data["summary"]) == (
        result.name,
        result.ruleset,
        [*map(str, result.summary)],
    )
    assert [f["message"] for f in data["findings"]] == [d.message for d in result.diagnostics]
    assert json.loads(render(report, "jsonl")) == data
    assert len(render(report, "jsonl").splitlines()) == 1
    root = ElementTree.fromstring(render(report, "junit"))
    assert [e.tag for e in root] == ["testsuite"]
    assert len(cases(report)) == 1
    found = json.loads(render(report, "sarif"))
    assert list(sarif.iter_errors(found)) == []
    for entry in found["runs"][0]["results"]:
        uri = entry["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii() and not re.search(r"[\s<>\"{}|\\^`]", uri)
        assert unquote(uri) is not None
    commands = render(report, "github", show_all=True).splitlines()
    assert len(commands) == len(result.diagnostics)
    assert all(re.match(r"::(error|warning|notice) file=", line) for line in commands)


@given(any_report())
def test_the_places_of_json_and_sarif_are_real(report: Report) -> None:
    for result in json.loads(render(report, "json"))["files"]:
        for finding in result["findings"]:
            span: dict[str, Any] | None = finding["span"]
            if span is not None:
                assert 1 <= span["line"] <= span["end_line"]
                assert span["line"] < span["end_line"] or span["column"] <= span["end_column"]
