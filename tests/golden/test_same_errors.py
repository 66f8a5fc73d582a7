"""Every way to load a rules file reports the same errors of it, at the same places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.lsp.model.findings import thorough_findings
from pwtool.lsp.model.workspace import Workspace
from pwtool.text import Severity
from tests.daily import one_day_in, some
from tests.golden.test_mistakes import FILES, FOLDER

RECORD = FOLDER.parents[2] / "examples" / "records" / "clean.json"
Error = tuple[str, int, int]


def errors(capsys: pytest.CaptureFixture[str], file: str, *words: str) -> set[Error]:
    """The errors that a command reports of a rules file: code, line, column."""
    run([*words])
    printed = capsys.readouterr()
    told = re.findall(r"^error\[(PW\d+)\].*\n +--> (\S+):(\d+):(\d+)", printed.out + printed.err, re.MULTILINE)
    return {(code, int(line), int(column)) for code, name, line, column in told if name == file}


def of_loading(found: set[Error]) -> set[Error]:
    """Those that keep a ruleset from loading; what is proven of objectives and examples is told on request."""
    return {error for error in found if error[0] < "PW4"}


@pytest.mark.parametrize("file", some([file.name for file in FILES], len(FILES) // 24))
def test_a_broken_file_has_the_same_errors_everywhere(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("NO_COLOR", "1")
    linted = errors(capsys, file, "lint", file)
    tested = errors(capsys, file, "test", file)
    compiled = errors(capsys, file, "rules", "compile", file, "-o", str(tmp_path / "rules.wasm"))
    checked = errors(capsys, file, "check", str(RECORD), "--rules", file)
    assert of_loading(linted) == of_loading(tested) == compiled == checked
    # An example that can never hold is known without running it.
    assert {e for e in linted if e[0] == "PW402"} <= tested
    made = thorough_findings(Workspace([FOLDER]), FOLDER / file, lambda: False)
    assert made is not None
    shown = {(d.code, d.span.line, d.span.column) for d in made[1] if d.level is Severity.ERROR and d.span is not None}
    assert shown == linted | {e for e in tested if e[0] == "PW402"}


@one_day_in(7)
def test_many_files_do_not_load(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("NO_COLOR", "1")
    assert sum(bool(of_loading(errors(capsys, f.name, "lint", f.name))) for f in FILES[:40]) > 20
