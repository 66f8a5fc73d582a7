"""Mistakes that designers make, each in a file of its own, and the whole answer that they get.

The answers stand beside the files. `PWTOOL_UPDATE_GOLDEN=1 pytest tests/golden` writes them anew, on purpose and never
where tests run by themselves: read the difference before it is kept.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.cli.app import run
from pwtool.lang.mistakes.stuck import declarations
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Diagnostic, Severity
from pwtool.text.source import SourceFile
from tests.daily import some

FOLDER = Path(__file__).resolve().parent / "mistakes"
FILES = sorted(FOLDER.glob("*.rules"))
UPDATE = bool(os.environ.get("PWTOOL_UPDATE_GOLDEN")) and not os.environ.get("CI")
# What a designer cannot be expected to know, and what belongs to the program's own making.
PROGRAMMERS_WORDS = {
    "nonetype",
    "tuple",
    "dict",
    "bool",
    "str",
    "int",
    "traceback",
    "lark",
    "token",
    "terminal",
    "ast",
    "eof",
}


def answer(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What the tool says of a file: `lint`, and `test` where that finds nothing."""
    code = run(["lint", file.name])
    said = f"$ pwtool lint {file.name}\n{capsys.readouterr().out}"
    if code == 0:
        code = run(["test", file.name])
        said += f"\n$ pwtool test {file.name}\n{capsys.readouterr().out}"
    return f"{said}(exit code {code})\n"


def test_there_are_many_mistakes() -> None:
    assert len(FILES) >= 40
    assert {f.stem for f in FILES} == {f.stem for f in FOLDER.glob("*.txt")} or UPDATE


@pytest.mark.parametrize("file", some(FILES, len(FILES) // 3), ids=[f.stem for f in FILES])
def test_a_mistake_gets_its_answer(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("NO_COLOR", "1")
    said = answer(file, capsys)
    expected = file.with_suffix(".txt")
    if UPDATE:
        expected.write_text(said, "utf-8")
    assert said == expected.read_text("utf-8")


@pytest.mark.parametrize("file", FILES, ids=[f.stem for f in FILES])
def test_an_answer_is_plain(file: Path) -> None:
    said = file.with_suffix(".txt").read_text("utf-8")
    heads = re.findall(r"^(?:error|warning)\[PW\d+\]: (.*)$", said, re.MULTILINE)
    assert heads, "a mistake is told"
    assert "(exit code 0)" not in said
    for message in heads:
        assert not message.endswith("."), "messages have no full stop"
        assert not message[:1].isupper(), "messages begin with a small letter"
        plain = re.sub(r"`[^`]*`", "", message).lower()
        assert not set(re.findall(r"[a-z]+", plain)) & PROGRAMMERS_WORDS


@pytest.mark.parametrize("file", some(FILES, len(FILES) // 13), ids=[f.stem for f in FILES])
def test_a_fix_changes_something_and_leaves_nothing_new_wrong(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = _findings(file)
    for finding in findings:
        assert finding.fix is None or finding.fix.text != finding.fix.span.text, finding.message
    found = _errors(findings)
    if not any(d.fix is not None and d.fix.safe for d in found):
        return
    copy = tmp_path / file.name
    copy.write_bytes(file.read_bytes())
    before = {d.span.line for d in found if d.span is not None}
    run(["lint", "--fix", str(copy)])
    capsys.readouterr()
    left = _errors(_findings(copy))
    was, now = (SourceFile(file.name, f.read_text("utf-8-sig")) for f in (file, copy))
    if len(declarations(was)[0]) == len(declarations(now)[0]):
        changed = {at for at, (a, b) in enumerate(zip(_parts(was), _parts(now), strict=True), 1) if a != b}
        wrong = {
            bisect_right(declarations(now)[0], d.span.start)
            for d in left
            if d.span is not None and not d.code.startswith("PW5")
        }
        assert not changed & wrong, "no fix is written that does not check"
    assert {d.span.line for d in left if d.span is not None and d.code == "PW101"} <= before
    assert all(d.fix is None or not d.fix.safe for d in left), "what can be fixed is fixed in one go"


def _parts(file: SourceFile) -> list[str]:
    starts, _ = declarations(file)
    return [file.text[a:b] for a, b in pairwise([*starts, len(file.text)])]


def _findings(file: Path) -> list[Diagnostic]:
    targets, _ = find_targets([str(file)], Library())
    return lint_target(targets[0], Library())


def _errors(findings: list[Diagnostic]) -> list[Diagnostic]:
    return [d for d in findings if d.level is Severity.ERROR]
