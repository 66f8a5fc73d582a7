"""Importers of other packages: found by their names, used, and never trusted to be right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.cli.completing import complete_importers
from pwtool.records.importers import Locate, Result, SourceFile, find_importer, importer_names
from tests.support import offer_package

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "importer"
Importing = Any


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Importing:
    """Makes a package `odd` of one module whose importer `odd` has this body."""

    def made(body: str, name: str = "odd", points: str = 'odd = "MODULE:read"') -> None:
        source = tmp_path / "source" / name
        source.mkdir(parents=True)
        entries = points.replace("MODULE", f"{name}_module")
        (source / "pyproject.toml").write_text(
            f'[project]\nname = "{name}"\nversion = "3"\n[project.entry-points."pwtool.importers"]\n{entries}\n'
        )
        (source / f"{name}_module.py").write_text(textwrap.dedent(body))
        offer_package(source, tmp_path / "packages", monkeypatch)
        monkeypatch.delitem(sys.modules, f"{name}_module", raising=False)

    return made


def imported(tmp_path: Path, capsys: pytest.CaptureFixture[str], *names: str) -> tuple[int, str]:
    """The exit code of an import of two files, and what is said on standard error."""
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text('{"stones": [1]}')
    files = [str(tmp_path / name) for name in ("one.json", "two.json")]
    code = run(["import", *(names or ("odd",)), *files, "-o", str(tmp_path / "out")])
    return code, capsys.readouterr().err


# ---- the example -----------------------------------------------------------------------------------------------------


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_package(EXAMPLE, tmp_path / "packages", monkeypatch)


@pytest.mark.usefixtures("example")
def test_the_example_imports_a_game_that_is_clean(tmp_path: Path) -> None:
    assert importer_names() == ["fourclub", "gamepark"]
    assert complete_importers("f") == ["fourclub"] and complete_importers("") == ["fourclub", "gamepark"]
    out = tmp_path / "record.json"
    assert run(["import", "fourclub", str(EXAMPLE / "evening.fourclub"), "-o", str(out)]) == 0
    verdict = pwtool.check(out)
    assert verdict.status == "clean" and verdict.result is not None and verdict.result.ranking == [["Ana"], ["Ben"]]


@pytest.mark.usefixtures("example")
def test_the_example_says_at_which_line_a_game_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.json"
    game.write_text('{"red": "Ana",\n "stones": [\n  4, 4, 4, 4, 4, 4,\n  4,\n  9]}')
    assert run(["import", "fourclub", str(game), "-o", str(tmp_path / "out.json")]) == 2
    said = capsys.readouterr().err
    assert "the export lacks `yellow`" in said and "stone 8 is `9` where a column from 1 to 7 is needed" in said
    assert "stone 7 falls into column 4, which is full" in said and "game.json:4:3" in said
    assert not (tmp_path / "out.json").exists()


@pytest.mark.slow
def test_the_example_can_be_installed_without_a_network(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(tmp_path / "packages")]
    for source in (ROOT, EXAMPLE):
        done = subprocess.run([*pip, *offline, str(source)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    command = [sys.executable, "-m", "pwtool", "import", "fourclub", str(EXAMPLE / "evening.fourclub"), "-o", "-"]
    environment = {"PYTHONPATH": str(tmp_path / "packages"), "PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and json.loads(done.stdout)["ruleset"] == "connect_four", done.stderr


def test_the_importer_of_the_page_works() -> None:
    text = (ROOT / "docs" / "importers.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"Locate": Locate}
    exec(code, names)
    found = names["import_notes"]({"players": {"first": "Ana"}}, SourceFile("a", ""))
    assert pwtool.check(found.value).status == "clean"
    (problem,) = names["import_notes"]({"players": {}}, SourceFile("a", "")).diagnostics
    assert problem.message == "`players` lacks `first`"


# ---- broken ones -----------------------------------------------------------------------------------------------------

TOP = "from pwtool.records.importers import Result\nfrom pwtool.text import Diagnostic\n"
RETURNED = {
    "None": "returned no result but NoneType",
    '{"format": "pwtool/1"}': "returned no result but dict",
    "Result(None)": "returned neither a record nor findings",
    "Result(5)": "returned something that is not a record",
    'Result({"turns": []})': "returned something that is not a record",
    'Result({"format": "pwtool/1", "players": {"Ana"}})': "returned a record with values that JSON does not have",
    'Result({"format": "pwtool/1", "players": float("nan")})': "returned a record with values that JSON does not have",
    'Result({"format": "pwtool/1", 1: 2})': "returned a record with values that JSON does not have",
    'Result(None, ["wrong"])': "returned findings that are none",
    'Result(None, (Diagnostic("X1", "wrong"),))': "returned findings that are none",
    "1 / 0": "failed: ZeroDivisionError: division by zero",
    "read(data, file, locate)": "failed: RecursionError: maximum recursion depth exceeded",
    "exit(0)": "failed: SystemExit: 0",
    'open("no")': "failed: FileNotFoundError: [Errno 2] No such file or directory: 'no'",
}


@pytest.mark.parametrize("returned", RETURNED)
def test_what_an_importer_does_wrong_is_a_finding(
    returned: str, package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(f"{TOP}def read(data, file, locate=None):\n    return {returned}\n")
    code, said = imported(tmp_path, capsys)
    assert code == 2 and said.count(f"error[PW704]: the importer `odd` of odd 3 {RETURNED[returned]}") == 2, said
    assert "one.json" in said and "two.json" in said and "0 of 2 imported" in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("body", "points", "message"),
    [
        ("import nowhere_at_all", 'odd = "MODULE:read"', "cannot be loaded: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", 'odd = "MODULE:read"', "cannot be loaded: SystemExit: 3"),
        ("def other(): pass", 'odd = "MODULE:read"', "cannot be loaded: AttributeError"),
        ("read = 5", 'odd = "MODULE:read"', "is not a function"),
        ("def (", 'odd = "MODULE:read"', "cannot be loaded: SyntaxError"),
        ("", 'odd = "not a module"', "cannot be loaded: "),
    ],
)
def test_an_importer_that_cannot_be_loaded_is_a_finding(
    body: str, points: str, message: str, package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(body, points=points)
    code, said = imported(tmp_path, capsys)
    assert code == 2 and f"error[PW704]: the importer `odd` of odd 3 {message}" in said and "Traceback" not in said
    assert importer_names() == ["gamepark", "odd"], "only its name is read"


def test_an_exception_is_shown_to_who_asks_for_it(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package("def read(data, file, locate=None):\n    return 1 / 0\n")
    monkeypatch.setenv("PWTOOL_TRACEBACK", "1")
    code, said = imported(tmp_path, capsys)
    assert code == 101 and "Traceback" in said and "return 1 / 0" in said


def test_one_name_of_two_packages_is_refused(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package("", "mine", 'gamepark = "MODULE:read"')
    code, said = imported(tmp_path, capsys, "gamepark")
    assert code == 2 and "`gamepark` is an importer of several packages: mine 3 and pwtool" in said
    assert importer_names() == ["gamepark"]


def test_what_an_importer_finds_is_said(package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package(f'{TOP}def read(data, file, locate=None):\n    return Result(None, (Diagnostic("PW704", "no game"),))\n')
    assert imported(tmp_path, capsys)[1].count("error[PW704]: no game") == 2
    found = find_importer("odd")
    assert found is not None and found.value is not None
    assert isinstance(found.value({}, SourceFile("a", "")), Result)
