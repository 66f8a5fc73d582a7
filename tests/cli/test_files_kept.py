"""What a command writes replaces nothing that it was not told to replace; the cache and its commands."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.rules.library import Library
from pwtool.rules.stored import load_ruleset
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PWTOOL_NO_CACHE", raising=False)
    for name in ("clean", "illegal"):
        shutil.copy(ROOT / "examples" / "records" / f"{name}.json", tmp_path)
    return tmp_path


@pytest.mark.parametrize("target", ["clean.json", "./clean.json", "link.json", "../{here}/clean.json"])
@pytest.mark.parametrize("more", [[], ["--force"]])
def test_a_report_never_replaces_what_is_checked(
    target: str, more: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "link.json").symlink_to("clean.json")
    before = (here / "clean.json").read_bytes()
    target = target.format(here=here.name)
    assert run(["check", "illegal.json", "clean.json", "--report", f"json={target}", *more]) == 2
    assert "one of the files to check" in capsys.readouterr().err
    assert (here / "clean.json").read_bytes() == before


HOUSE = """edition house of paper_world/gamepark "House rules"
include more
"""


@one_day_in(8)
@pytest.mark.parametrize("target", ["house.rules", "more.rules", "./house.rules", "house.link"])
@pytest.mark.parametrize("asked", [["--rules", "house.rules"], ["--rules-from", "."]])
def test_a_report_never_replaces_the_rules_that_judge(
    target: str, asked: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "house.rules").write_text(HOUSE, "utf-8")
    (here / "more.rules").write_text("part more of paper_world\n", "utf-8")
    (here / "house.link").symlink_to("house.rules")
    data = json.loads((here / "clean.json").read_text("utf-8"))
    data = {**{key: value for key, value in data.items() if key != "version"}, "ruleset": "house.rules"}
    (here / "game.json").write_text(json.dumps(data), "utf-8")
    # Once with the rules read anew and once from the cache.
    for _ in range(2):
        words = ["check", "game.json", *asked]
        assert run([*words, "--report", f"json={target}", "--force"]) == 2
        said = capsys.readouterr()
        assert "is an input of this command" in said.err and (said.out == "" or asked[0] == "--rules-from")
        assert run(words) == 0
        capsys.readouterr()
    assert (here / "house.rules").read_text("utf-8") == HOUSE
    assert "part more" in (here / "more.rules").read_text("utf-8")


@one_day_in(8)
@pytest.mark.parametrize(
    "words",
    [
        ["convert", "clean.json", "-o", "clean.json"],
        ["convert", "clean.json", "-o", "./clean.json"],
        ["convert", "sub", "-o", "sub/game.json"],
        ["convert", "sub", "--to", "json", "-o", "sub"],
        ["compare", "paper_world/fr", "paper_world/fr", "--games", "clean.json", "-o", "clean.json"],
    ],
    ids=lambda words: words[0],
)
def test_what_is_read_is_never_replaced(words: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sub").mkdir()
    shutil.copy(here / "clean.json", here / "sub" / "game.json")
    assert run([*words, "--force"]) == 2
    assert "is an input of this command" in capsys.readouterr().err
    for name in ("clean.json", "sub/game.json"):
        assert (here / name).read_bytes() == (ROOT / "examples" / "records" / "clean.json").read_bytes()
    assert len(list((here / "sub").iterdir())) == 1


@pytest.mark.parametrize("second", ["out", "./out", "sub/../out", "link/out"])
def test_two_reports_have_two_files(second: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sub").mkdir()
    (here / "link").symlink_to(".")
    assert run(["check", "clean.json", "--report", "json=out", "--report", f"sarif={second}", "--force"]) == 2
    said = capsys.readouterr()
    assert "two reports would be written to" in said.err and said.out == "" and not (here / "out").exists()


def test_a_report_replaces_a_file_when_it_is_told_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "notes.txt").write_text("mine", "utf-8")
    assert run(["check", "clean.json", "--report", "concise=notes.txt"]) == 2
    said = capsys.readouterr()
    assert "`notes.txt` already exists" in said.err and said.out == ""
    assert (here / "notes.txt").read_text("utf-8") == "mine"
    assert run(["check", "clean.json", "--report", "concise=notes.txt", "--force"]) == 0
    assert (here / "notes.txt").read_text("utf-8").startswith("clean.json: clean [paper_world/gamepark ")


def test_standard_input_is_never_replaced(here: Path) -> None:
    before = (here / "clean.json").read_bytes()
    with (here / "clean.json").open("rb") as given:
        words = ["check", "-", "--report", "json=clean.json", "--force"]
        variables = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.run(
            [sys.executable, "-m", "pwtool", *words], stdin=given, capture_output=True, env=variables, check=False
        )
    assert process.returncode == 2 and b"is an input of this command" in process.stderr
    assert (here / "clean.json").read_bytes() == before


@one_day_in(8)
@pytest.mark.parametrize("target", [".", "..", "/", "folder"])
@pytest.mark.parametrize(
    "words",
    [
        ["check", "clean.json", "--force", "--report", "json={}"], ["play", "paper_world/fr", "--force", "-o", "{}"],
        ["rules", "show", "paper_world/fr", "--html", "--force", "-o", "{}"],
        ["convert", "clean.json", "--to", "jsonl", "--force", "-o", "{}"],
    ],
    ids=lambda words: str(words[0]),
)  # fmt: skip
def test_a_folder_is_no_file_to_write(
    words: list[str], target: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "folder").mkdir()
    before = sorted(here.rglob("*"))
    assert run([word.format(target) for word in words]) == 2
    assert "error: " in capsys.readouterr().err
    assert [path for path in sorted(here.rglob("*")) if "cache" not in path.parts] == before


def test_a_link_to_nothing_is_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "out.json").symlink_to("nowhere")
    assert run(["check", "clean.json", "--report", "json=out.json"]) == 2
    assert "already exists" in capsys.readouterr().err and (here / "out.json").is_symlink()


def test_a_planted_link_is_replaced_and_not_followed(here: Path) -> None:
    (here / "victim.txt").write_text("mine", "utf-8")
    for name in ("out.txt.part", ".out.txt.part"):
        (here / name).symlink_to("victim.txt")
    (here / "out.txt").symlink_to("victim.txt")
    assert run(["check", "clean.json", "--report", "concise=out.txt", "--force"]) == 0
    assert (here / "victim.txt").read_text("utf-8") == "mine"
    assert (here / "out.txt").read_text("utf-8").startswith("clean.json: clean [paper_world/gamepark ") and not (
        here / "out.txt"
    ).is_symlink()
    assert (here / "out.txt.part").is_symlink()


def test_the_cache_is_named_and_cleared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "clean.json"]) == 0
    capsys.readouterr()
    assert run(["cache", "path"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert folder.is_relative_to(here) and list(folder.rglob("rulesets/*"))
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*") if path.is_dir())
    assert run(["cache", "clear"]) == 0 and not folder.exists()
    assert run(["cache", "clear"]) == 0
    assert run(["check", "clean.json"]) == 0 and folder.exists()


def test_there_is_no_cache_without_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PWTOOL_NO_CACHE", "1")
    assert run(["cache", "path"]) == run(["cache", "clear"]) == 2
    assert "PWTOOL_NO_CACHE" in capsys.readouterr().err


def test_a_cache_that_is_a_link_is_left_alone(here: Path) -> None:
    target = here / "elsewhere"
    target.mkdir()
    (target / "file").write_text("mine", "utf-8")
    (here / "cache").mkdir()
    (here / "cache" / "pwtool").symlink_to(target)
    assert run(["cache", "clear"]) == 2 and (target / "file").exists()
    # A ruleset loads all the same.
    assert load_ruleset("paper_world", Library(cache=here / "cache" / "pwtool")).value is not None


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX systems")
@pytest.mark.parametrize(
    "command",
    [
        ["check", "clean.json", "--report", "json=pipe"],
        ["play", "paper_world/fr", "--seed", "1", "-o", "pipe"],
        ["play", "paper_world/fr", "--games", "2", "--seed", "1", "-o", "pipe.jsonl"],
        ["render", "clean.json", "-o", "pipe.svg"],
    ],
)
def test_a_pipe_or_a_device_is_written_to_and_stays(command: list[str], here: Path) -> None:
    pipe = here / command[-1].removeprefix("json=")
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run(command) == 0
    reader.join(20)
    assert read and len(read[0]) > 100
    assert stat.S_ISFIFO(pipe.stat().st_mode) and not list(here.glob(".*part"))
