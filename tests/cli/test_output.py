"""`--output` means the same everywhere: what a command prints, in a file that is whole or not there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
GAMEPARK = str(min((ROOT / "tests" / "games" / "data" / "gamepark").glob("*/*.json")))
PRINTING = (
    ["legal", "clean.json"], ["score", "clean.json"], ["which", "clean.json"], ["match", "two_5s", "clean.json"],
    ["explain", "PW601"], ["explain", "place.inside_3x3", "--rules", "paper_world"], ["lint", "house.rules"], ["test", "house.rules"],
    ["rules", "list"], ["analyze", "paper_world/en:two_5s"],
)  # fmt: skip
WRITING = (
    ["play", "paper_world/en", "--seed", "1"], ["schema", "paper_world/en"], ["compare", "paper_world/en", "paper_world/fr", "--effort", "0"],
    ["convert", "clean.json", "--to", "pwn"], ["render", "two_5s", "--rules", "paper_world/en"], ["replay", "clean.json"],
    ["new", "game", "mine"], ["rules", "show", "paper_world/en"], ["check", "clean.json"], ["pack", "clean.json"],
    ["import", "gamepark", GAMEPARK], ["report", "results.jsonl"], ["rules", "compile", "nim"], ["simulate", "nim", "--games", "3"],
)  # fmt: skip
# Some commands read all rulesets each time: every day they print to standard output alone.
FILES = [pytest.param(line, marks=[pytest.mark.slow] if line[0] in ("rules", "which") else []) for line in PRINTING]
# Those that write files of one kind only say so before they write.
LASTING = ("legal", "score", "match", "explain", "lint", "test", "analyze", "schema", "replay", "rules", "check")
HOUSE = """edition house of paper_world "House rules"
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("clean", "illegal"):
        shutil.copy(ROOT / f"examples/records/{name}.json", tmp_path)
    (tmp_path / "house.rules").write_text(HOUSE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


@pytest.mark.parametrize("line", some(FILES, 2), ids=" ".join)
def test_what_is_printed_goes_to_a_file(line: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(line)
    printed = capsys.readouterr().out
    assert run([*line, "-o", "out.txt"]) == code and capsys.readouterr().out == ""
    assert (here / "out.txt").read_text("utf-8") == printed
    assert run([*line, "--output", "out.txt"]) == 2 and "already exists" in capsys.readouterr().err
    assert run([*line, "-o", "out.txt", "--force"]) == code


@pytest.mark.parametrize("line", some(FILES, 2), ids=" ".join)
def test_the_name_of_the_file_may_say_the_format(
    line: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run([*line, "--json"])
    printed = capsys.readouterr().out
    assert run([*line, "-o", "out.json"]) == code
    assert json.loads((here / "out.json").read_text("utf-8")) == json.loads(printed)
    first = line[0]
    form = "full" if first == "lint" else "text"
    assert run([*line, "-o", "other.json", "--format", form]) == code
    assert not (here / "other.json").read_text("utf-8").startswith("{")


@pytest.mark.parametrize("line", some([*PRINTING, *WRITING], 4), ids=" ".join)
def test_a_dash_is_standard_output(line: list[str], here: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    if line[0] == "report":
        assert run(["check", "clean.json", "--results", "results.jsonl"]) == 0
        capsysbinary.readouterr()
    before = {path.name for path in here.iterdir()}
    assert run([*line, "-o", "-"]) in (0, 1, 3)
    assert capsysbinary.readouterr().out
    assert {path.name for path in here.iterdir()} == before


@one_day_in(8)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("line", [line for line in (*PRINTING, *WRITING) if line[0] in LASTING], ids=" ".join)
def test_a_full_disk_is_told(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A device is written to like a file, and nothing goes to standard output instead."""
    assert run([*line, "-o", "/dev/full"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and "cannot write `/dev/full`: no space left on device" in told.err


def test_a_folder_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["score", "clean.json"], ["replay", "clean.json"], ["check", "clean.json"]):
        assert run([*line, "-o", "no/such/out.txt"]) == 2
        assert "cannot write `no/such/out.txt`: no such file" in capsys.readouterr().err.replace("\\", "/")


@pytest.mark.parametrize("name", some(["x" * 300, f"{'x' * 300}.parquet", "clean.json/x", "loop/x"], 1), ids=range(4))
def test_a_name_that_no_file_can_have_is_told(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "loop").symlink_to("loop")
    reports = [["check", "clean.json", option, name] for option in ("--results", "--baseline")]
    reports += [
        ["check", "illegal.json", "--write-baseline", name],
        ["check", "clean.json", "--report", f"json={name}"],
    ]
    others = [["convert", "clean.json"], ["play", "nim"], ["import", "gamepark", "clean.json"], ["pack", "clean.json"]]
    for line in [*([*line, "-o", name] for line in (*PRINTING, *WRITING, *others)), *reports]:
        assert run(line) in (1, 2), line
        assert "PW901" not in capsys.readouterr().err, line


def test_a_command_that_stops_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["legal", "clean.json", "--at", "99", "-o", "out.txt"]) == 2
    assert run(["explain", "nothing.such", "-o", "out.txt"]) == 2
    assert not (here / "out.txt").exists()


def test_an_exit_code_is_kept(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "illegal.json", "-o", "out.txt"]) == 1 and (here / "out.txt").exists()


def test_what_is_read_is_not_replaced(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (here / "clean.json").read_bytes()
    assert run(["legal", "clean.json", "-o", "clean.json", "--force"]) == 2
    assert (here / "clean.json").read_bytes() == before and "is an input of this command" in capsys.readouterr().err


def test_misprints_are_read_as_printed_by_analyze(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "paper_world/en:two_5s", "--as-printed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def is_whole_json(data: bytes) -> bool:
    return data[:1] in b"{[" and bool(json.loads(data))


IS_OF = {
    ".json": is_whole_json,
    ".jsonl": lambda data: all(map(is_whole_json, data.splitlines())),
    ".sarif": lambda data: "runs" in json.loads(data),
    ".sarif.json": lambda data: "runs" in json.loads(data),
    ".html": lambda data: data.startswith(b"<!DOCTYPE html>"),
    ".HTML": lambda data: data.startswith(b"<!DOCTYPE html>"),
    ".md": lambda data: b"|" in data or b"# " in data,
    ".xml": lambda data: data.startswith(b"<?xml"),
    ".svg": lambda data: b"<svg" in data[:100],
    ".png": lambda data: data.startswith(b"\x89PNG"),
    ".wasm": lambda data: data.startswith(b"\0asm"),
    ".json.gz": lambda data: data.startswith(b"\x1f\x8b"),
    ".zip": lambda data: data.startswith(b"PK"),
    ".parquet": lambda data: data.startswith(b"PAR1"),
    ".csv": lambda data: False,
    ".pdf": lambda data: data.startswith(b"%PDF"),
}
"""Whether a file is what its name tells."""
QUICK = [line for line in (*PRINTING, *WRITING) if line[0] not in ("which", "new") and line != ["rules", "list"]]


@one_day_in(8)
@pytest.mark.parametrize("line", some([*QUICK], 4), ids=" ".join)
def test_a_file_is_what_its_name_tells(line: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or it is not there, and standard error says so."""
    if line[0] == "report":
        assert run(["check", "clean.json", "--results", "results.jsonl"]) == 0
    written = []
    plain = [word for word in line if word not in ("--to", "pwn")]
    for suffix, is_of in IS_OF.items():
        if suffix == ".sarif.json" and line[0] in ("play", "convert", "import", "schema"):
            # To them this is a name in `.json` like any other.
            continue
        path = here / f"out{suffix}"
        capsys.readouterr()
        code = run([*plain, "-o", path.name])
        if path.exists():
            assert code != 2 and is_of(path.read_bytes()), (line, suffix)
            written.append(suffix)
        else:
            told = capsys.readouterr().err
            assert code == 2 and path.name in told and ("help" in told or "ends in" in told), (line, suffix, told)
    assert written, "at least one form is written"


def test_a_format_that_is_named_counts_more_than_the_file_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, name, begins in (
        (["check", "clean.json", "-f", "sarif"], "out.json", b'{"$schema"'), (["score", "clean.json", "-f", "text"], "out.html", b"Ana Ben"),
        (["rules", "show", "nim", "--html"], "out.txt", b"<!DOCTYPE html>"), (["replay", "clean.json", "--json"], "out.html", b"{"),
        (["simulate", "nim", "--games", "3", "--json"], "out.md", b"{"), (["lint", "house.rules", "-f", "concise"], "out.json", b"house"),
    ):  # fmt: skip
        assert run([*words, "-o", name]) in (0, 1), words
        assert (
            (here / name).read_bytes().replace(b"\n", b"").replace(b" ", b"").startswith(begins.replace(b" ", b""))
        ), words
        (here / name).unlink()
    # A file whose name says how it is read again is not written in another form.
    for words in (["render", "clean.json", "-f", "json", "-o", "a.svg"], ["convert", "clean.json", "--to", "json", "-o", "a.pwn"],
                  ["render", "clean.json", "-f", "svg", "-o", "a.json"]):  # fmt: skip
        assert run(words) == 2 and not (here / words[-1]).exists(), words
