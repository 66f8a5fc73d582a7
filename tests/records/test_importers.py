"""Formats of other packages: found by their names, used, and never trusted to be right."""

from __future__ import annotations

import io
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
from pwtool.records.importers import GameText, SourceFile
from pwtool.records.importers.installed import find_format, format_names
from tests.support import offer_package

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "importer"
OWN = ("gamepark", "pdn", "pgn", "sgf", "wtb")
Importing = Any


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Importing:
    """Makes a package `odd` of one module whose format `odd` has this body."""

    def made(body: str, name: str = "odd", points: str = 'odd = "MODULE:ODD"') -> None:
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
    files = [str(tmp_path / name) for name in ("one.odd", "two.txt")]
    for name in files:
        Path(name).write_text("stones")
    code = run(["import", *(names or ("odd",)), *files, "-o", str(tmp_path / "out")])
    return code, capsys.readouterr().err


# ---- the example -----------------------------------------------------------------------------------------------------


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_package(EXAMPLE, tmp_path / "packages", monkeypatch)


@pytest.mark.usefixtures("example")
def test_the_games_of_the_example_are_read_like_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert format_names() == tuple(sorted((*OWN, "fourclub")))
    assert complete_importers("f") == ["fourclub"] and "fourclub" in complete_importers("")
    games = (EXAMPLE / "evening.fourclub").read_bytes()
    assert [v.status for v in pwtool.check_many(EXAMPLE / "evening.fourclub")] == ["clean", "clean", "findings"]
    assert [v.status for v in pwtool.check_many(games)] == ["clean", "clean", "findings"], "by its contents"
    found = "evening.fourclub:3:26: error[PW606] line"
    assert run(["check", str(EXAMPLE), "--format", "concise"]) == 1 and found in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(games)))
    assert run(["check", "-", "--format", "concise"]) == 1
    assert "<stdin>:3:26: error[PW606] line" in capsys.readouterr().out
    other = tmp_path / "evening.log"
    other.write_bytes(b"\n" + games.replace(b"Ana - Ben", b"  Ana - Ben"))
    assert run(["check", str(other), "--from", "fourclub", "--format", "concise", "--jobs", "1"]) == 1
    assert "evening.log:4:26: error[PW606] line" in capsys.readouterr().out
    out = tmp_path / "records.jsonl"
    assert run(["import", "fourclub", str(other), "-o", str(out)]) == 0
    assert [v.status for v in pwtool.check_many(out)] == ["clean", "clean", "findings"]
    assert run(["convert", str(other), "--from", "fourclub", "-o", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()


@pytest.mark.usefixtures("example")
def test_the_example_says_where_a_game_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.fourclub"
    game.write_text("Ana - Ben: 4 4 4 4 4 4\n\nAna - Ben: 4 4 4 4 4 4 4 9\nAna:")
    assert run(["check", str(game), "--format", "concise"]) == 2
    said = capsys.readouterr().out
    assert "game.fourclub:3:24: error[PW704]: column 4 is full" in said and "fourclub:1: clean" in said
    assert "game.fourclub:3:26: error[PW704]: `9` is not a column" in said
    assert "game.fourclub:4:1: error[PW704]: a game begins with its players" in said


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import"]) == 0
    rows = [re.split(r"\s{2,}", line) for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == [*OWN] and {len(row) for row in rows} == {4}
    # Where the games are: an export is JSON, whatever the name of its format.
    assert [row[1] for row in rows] == [".json" if name == "gamepark" else f".{name}" for name in OWN]
    assert {row[0]: row[2] for row in rows}["pdn"] == "checkers"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["import", "pgm", "a.pgn", "-o", "out"], "did you mean `pgn`?"),
        (["check", "--from", "xyz", "a.pgn"], "known here: `gamepark`"),
        (["convert", "--from", "xyz", "a.pgn", "-o", "out.json"], "there is no importer `xyz`"),
        (["import", "pgn", "-o", "out"], "there is nothing to import"),
        (["import", "pgn", "a.pgn"], "where do the records go?"),
    ],
)
def test_what_is_missing_is_said(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line) == 2 and said in capsys.readouterr().err


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
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[0])["ruleset"] == "connect_four", done.stderr


def test_the_importer_of_the_page_works() -> None:
    text = (ROOT / "docs" / "importers.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(code, names)
    assert pwtool.check(names["NOTES"].read(GameText(SourceFile("a", "b2 a1 c3")))).status == "clean"
    game = GameText(SourceFile("a", "b2 d9"))
    names["NOTES"].read(game)
    assert [d.message for d in game.problems] == ["`d9` is not a cell"] and game.problems[0].span == game.span(3, 5)


# ---- broken ones -----------------------------------------------------------------------------------------------------

TOP = """from pwtool.records.importers import Format
class Odd(Format):
    def read(self, game):
        return {read}
    def starts(self, data, is_end):
        return {starts}
    def encoding(self, data):
        return {encoding}
    def recognises(self, begin):
        return begin == b"stones"
ODD = Odd()
"""
GOOD = {"read": '{"format": "pwtool/1"}', "starts": "[0]", "encoding": '"utf-8"'}
WRONG = {
    ("read", "None"): "returned neither a record nor findings",
    ("read", "5"): "returned something that is not a record",
    ("read", '{"turns": []}'): "returned something that is not a record",
    ("read", '{"format": "pwtool/1", "players": {"Ana"}}'): "returned a record with values that JSON does not have",
    (
        "read",
        '{"format": "pwtool/1", "players": float("nan")}',
    ): "returned a record with values that JSON does not have",
    ("read", '{"format": "pwtool/1", 1: 2}'): "returned a record with values that JSON does not have",
    ("read", "1 / 0"): "failed: ZeroDivisionError: division by zero",
    ("read", "self.read(game)"): "failed: RecursionError: maximum recursion depth exceeded",
    ("read", "exit(0)"): "failed: SystemExit: 0",
    ("read", 'open("no")'): "failed: FileNotFoundError: [Errno 2] No such file or directory: 'no'",
    ("starts", "1 / 0"): "failed: ZeroDivisionError: division by zero",
    ("starts", "None"): "failed: TypeError",
    ("starts", "[]"): "failed: ValueError: the first game begins at 0",
    ("starts", "[0, 9]"): "failed: ValueError: games begin one after another, within the data",
    ("starts", "[0, 3, 2]"): "failed: ValueError: games begin one after another, within the data",
    ("starts", "[3]"): "failed: ValueError: the first game begins at 0",
    ("encoding", "1 / 0"): "failed: ZeroDivisionError: division by zero",
    ("encoding", '"klingon"'): "failed: LookupError: unknown encoding: klingon",
}


@pytest.mark.parametrize(("method", "returned"), WRONG)
def test_what_an_importer_does_wrong_is_a_finding(
    method: str, returned: str, package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(TOP.format(**GOOD | {method: returned}))
    code, said = imported(tmp_path, capsys)
    assert code == 2 and said.count(f"error[PW704]: the importer `odd` of odd 3 {WRONG[method, returned]}") == 2, said
    assert "one.odd" in said and "two.txt" in said and "0 of 2 imported" in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()
    assert run(["check", str(tmp_path / "one.odd"), "--format", "concise"]) == 2
    # What is wrong with one game is told at that game.
    place = "one.odd:1:1: " if method == "read" else "one.odd: " if method == "starts" else "one.odd"
    told = f"error[PW704]: the importer `odd` of odd 3 {WRONG[method, returned]}"
    out = capsys.readouterr().out
    assert told in out and place in out, out


@pytest.mark.parametrize(
    ("body", "points", "message"),
    [
        ("import nowhere_at_all", 'odd = "MODULE:ODD"', "cannot be loaded: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", 'odd = "MODULE:ODD"', "cannot be loaded: SystemExit: 3"),
        ("def other(): pass", 'odd = "MODULE:ODD"', "cannot be loaded: AttributeError"),
        ("ODD = 5", 'odd = "MODULE:ODD"', "is not a format"),
        ("def (", 'odd = "MODULE:ODD"', "cannot be loaded: SyntaxError"),
        ("", 'odd = "not a module"', "cannot be loaded: "),
    ],
)
def test_an_importer_that_cannot_be_loaded_is_a_finding(
    body: str, points: str, message: str, package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(body, points=points)
    code, said = imported(tmp_path, capsys)
    assert code == 2 and f"error[PW704]: the importer `odd` of odd 3 {message}" in said and "Traceback" not in said
    assert format_names() == tuple(sorted((*OWN, "odd"))), "only its name is read"
    assert run(["check", str(tmp_path / "one.odd"), "--format", "concise"]) == 2
    assert f"error[PW704]: the importer `odd` of odd 3 {message}" in capsys.readouterr().out
    assert run(["check", str(tmp_path / "two.txt"), "--format", "concise"]) == 2, "nobody recognises it"
    assert "odd 3" not in capsys.readouterr().out


def test_an_exception_is_shown_to_who_asks_for_it(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package(TOP.format(**GOOD | {"read": "1 / 0"}))
    monkeypatch.setenv("PWTOOL_TRACEBACK", "1")
    code, said = imported(tmp_path, capsys)
    assert code == 101 and "Traceback" in said and "return 1 / 0" in said


def test_one_name_of_two_packages_is_refused(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package("", "mine", 'gamepark = "MODULE:ODD"')
    code, said = imported(tmp_path, capsys, "gamepark")
    assert code == 2 and "`gamepark` is an importer of several packages: mine 3 and pwtool" in said
    assert format_names() == OWN


def test_what_an_importer_reports_is_said(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(TOP.format(**GOOD | {"read": 'game.problem(0, 3, "no game")'}))
    assert imported(tmp_path, capsys)[1].count("error[PW704]: no game") == 2
    found = find_format("odd")
    assert found is not None and found.value is not None
    assert [d.message for d in found.value.read(SourceFile("a", "abc")).diagnostics] == ["no game"]


# ---- names of moves --------------------------------------------------------------------------------------------------


def test_a_format_names_the_moves_of_its_game(
    package: Importing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those of records in JSON, and a turn that has several moves."""
    package("""
        from pwtool.records.importers import Format

        class Odd(Format):
            names_moves_of = ("connect_four", "nim")

            def name_moves(self, position):
                whose = position["players"].index(position["player"]) + 1
                return lambda action: f"{whose}>{'abcdefg'[action['at'][0]]}" if action["action"] == "drop" else None

            def number_of(self, turn, seat):
                return f"#{turn}/{seat}"

        ODD = Odd()
    """)
    path = tmp_path / "game.json"
    turns = [{"player": "AB"[n % 2], "actions": [{"action": "drop", "at": [n, 5]}]} for n in range(3)]
    turns.append({"player": "B", "actions": [{"action": "drop", "at": [0, 3]}]})
    path.write_text(
        json.dumps(
            {"format": "pwtool/1", "ruleset": "connect_four", "players": ["A", "B"], "setup": {}, "turns": turns}
        ),
        "utf-8",
    )
    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "        #4/1 2>a, turn 4, B\n" in out and "  legal    2>a, 2>b, 2>c, 2>d, 2>e, 2>f, 2>g\n" in out
    assert run(["replay", str(path)]) == 1
    assert "turn 3  A: #3/0 1>c\n" in capsys.readouterr().out
