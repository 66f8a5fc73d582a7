"""Full disks, closed pipes, standard input: what was not written is told, and nothing else changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in, some
from tests.support import feed

ROOT = Path(__file__).resolve().parents[2]
CLEAN = ROOT / "examples" / "records" / "clean.json"
ILLEGAL = ROOT / "examples" / "records" / "illegal.json"
COMMANDS = [
    ["check", str(CLEAN)], ["check", str(ILLEGAL), "--format", "json"], ["rules"], ["explain", "PW601"], ["replay", str(CLEAN)],
    ["score", str(CLEAN)], ["schema", "paper_world"], ["play", "paper_world", "--games", "3"], ["check", "--help"],
]  # fmt: skip
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX systems")


def started(words: list[str], **options: object) -> subprocess.Popen[bytes]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pwtool", *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, env=variables, cwd=ROOT, **options)  # type: ignore[call-overload,no-any-return]


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("words", some(COMMANDS, 2), ids=lambda words: words[0])
def test_a_full_disk_is_told(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        process = started(words, stdout=full)
        said = process.communicate()[1].decode()
    assert process.returncode == 2 and said == "error: the output cannot be written: no space left on device\n", said


@one_day_in(8)
@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", str(CLEAN)], 2), (["rules"], 2), (["bogus"], 2), (["check", "--nope"], 2), (["check", "nothing.json"], 2),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_said_anywhere_is_no_finding(words: list[str], code: int) -> None:
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "pwtool", *words], stdout=full, stderr=full, cwd=ROOT, check=False
        )
    assert process.returncode == code


@one_day_in(8)
@posix
@pytest.mark.parametrize("words", some(COMMANDS, 2), ids=lambda words: words[0])
def test_a_reader_that_has_gone_ends_the_command_quietly(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = started(words, stdout=writer)
    os.close(writer)
    said = process.communicate()[1].decode()
    # The code is the one that it had, whoever reads.
    monkeypatch.chdir(ROOT)
    assert process.returncode == run(words) and said == ""


@posix
@pytest.mark.parametrize("words", some([*COMMANDS, ["fmt", "-"]], 2), ids=lambda words: words[0])
def test_closed_standard_output_is_told(words: list[str]) -> None:
    process = started(words, stdin=subprocess.PIPE, stdout=None, preexec_fn=lambda: os.close(1))
    said = process.communicate(b"part more of paper_world\n")[1].decode()
    assert process.returncode == 2 and said == "error: the output cannot be written: standard output is closed\n", said


@posix
def test_standard_output_that_is_only_read_is_told() -> None:
    with open(os.devnull, "rb") as nothing:
        process = started(["check", str(CLEAN)], stdout=nothing)
        said = process.communicate()[1].decode()
    assert process.returncode == 2 and said == "error: the output cannot be written: bad file descriptor\n"


@posix
def test_a_command_that_prints_nothing_needs_no_standard_output(tmp_path: Path) -> None:
    process = started(
        ["check", str(CLEAN), "-o", str(tmp_path / "out.txt")], stdout=None, preexec_fn=lambda: os.close(1)
    )
    said = process.communicate()[1].decode()
    assert process.returncode == 0 and said == ""


@one_day_in(8)
@posix
@pytest.mark.parametrize(
    "words", [["check", "-"], ["fmt", "-"], ["score", "-"], ["which", "-"]], ids=lambda words: words[0]
)
def test_closed_standard_input_is_an_empty_one(words: list[str]) -> None:
    process = started(words, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(0))
    out, err = process.communicate(timeout=60)
    assert b"PW901" not in out + err and process.returncode in (0, 2)


@posix
def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    os.mkfifo(tmp_path / "pipe.jsonl")
    shutil.copy(CLEAN, tmp_path / "clean.json")
    for path in (tmp_path / "pipe.json", tmp_path / "pipe.jsonl", Path("/dev/zero"), tmp_path):
        process = started(["check", str(path), "-f", "concise"], stdout=subprocess.PIPE)
        out = process.communicate(timeout=60)[0].decode()
        assert process.returncode == 2 and "this is not a regular file" in out
    assert f"{tmp_path / 'clean.json'}: clean" in out


@one_day_in(8)
@posix
@pytest.mark.parametrize(
    "words",
    [["check", str(CLEAN), "--rules"], ["lint"], ["rules", "show"], ["fmt"], ["test"]],
    ids=lambda words: words[0],
)
def test_rules_that_are_no_regular_file_are_not_read(words: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "house.rules")
    process = started([*words, str(tmp_path / "house.rules")], stdout=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2 and b"this is not a regular file" in out + err, out + err


@posix
def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"password": "hunter2"}', "utf-8")
    folder = tmp_path / "games"
    folder.mkdir()
    shutil.copy(CLEAN, folder / "clean.json")
    (folder / "inside.json").symlink_to("clean.json")
    (folder / "out.json").symlink_to(secret)
    (folder / "loop.json").symlink_to("loop.json")
    (folder / "up").symlink_to(tmp_path)
    process = started(["check", str(folder)], stdout=subprocess.PIPE)
    out = process.communicate()[0].decode()
    assert process.returncode == 2 and "hunter2" not in out and "up/" not in out
    assert out.count("the link points outside the folder") == 2 and out.count(": clean under") == 2
    assert f"--> {folder / 'up'}\n" in out and out.count("the link leads in a circle") == 1


def test_standard_input_is_read_line_by_line() -> None:
    """The first games are judged before the last one is there."""
    game = json.dumps(json.loads(CLEAN.read_text("utf-8")))
    process = started(["check", "-", "--format", "jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    writer = feed(process.stdin, (game.encode() + b"\n") * 300)
    told = [process.stdout.readline() for _ in range(200)]
    assert json.loads(told[0])["verdict"] == "clean"
    writer.join()
    process.stdin.close()
    rest = process.stdout.read().splitlines()
    assert process.wait() == 0 and len(rest) == 100


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b"])
def test_only_line_ends_end_lines(separator: str) -> None:
    data = json.loads(CLEAN.read_text("utf-8"))
    odd = json.dumps({**data, "comment": f"a{separator}b"}, ensure_ascii=False)
    games = [json.dumps(data), odd, json.dumps(data)]
    if separator == "\x0b":
        games[1] = json.dumps({**data, "comment": "a"}) + separator
    process = started(["check", "-", "-f", "concise"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = process.communicate("\n\n".join(games).encode())[0].decode()
    told = [line.split(":")[1] for line in out.splitlines()]
    assert told == ["1", "3", "5"], out


@one_day_in(8)
def test_a_game_behind_a_line_that_is_too_long_is_judged(tmp_path: Path) -> None:
    game = json.dumps(json.loads(CLEAN.read_text("utf-8"))).encode()
    path = tmp_path / "games.jsonl"
    with path.open("wb") as stream:
        stream.write(game + b"\n")
        for size in ((16 << 20) + 1, 40 << 20):
            stream.write(b" " * (size * (size > 20 << 20)) + b"[" + b" " * size + b"]\n" + game + b"\n")
        stream.write(b'{"a": "\0"}\n' + game)
    begun = time.monotonic()
    process = started(["check", str(path), "-f", "concise"], stdout=subprocess.PIPE)
    out = process.communicate()[0].decode().splitlines()
    assert process.returncode == 2 and time.monotonic() - begun < 60
    assert [line.split(":")[1] for line in out] == ["1", "2", "3", "4", "5", "6", "7"]
    assert [": clean [" in line for line in out] == [True, False, True, False, True, False, True]
    assert "larger than 16 MiB" in out[1] and "larger than 16 MiB" in out[3]
    assert out[5].startswith(f"{path}:6:8: error[PW703]: there is a NUL character here")


def test_one_game_on_standard_input_may_fill_more_than_an_archives_line() -> None:
    data = json.loads(CLEAN.read_text("utf-8"))
    game = json.dumps(data) + " " * (17 << 20)
    process = started(["check", "-", "-f", "concise"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = process.communicate(game.encode())[0].decode()
    assert process.returncode == 0 and ": clean [" in out, out


def test_games_behind_a_damaged_line_are_judged_as_they_come() -> None:
    game = json.dumps(json.loads(CLEAN.read_text("utf-8"))).encode()
    process = started(["check", "-", "--format", "jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    writer = feed(process.stdin, b"garbage\n" + (game + b"\n") * 300)
    first, second, *_ = [process.stdout.readline() for _ in range(201)]
    assert json.loads(first)["verdict"] == "unreadable" and json.loads(second)["verdict"] == "clean"
    writer.join()
    process.stdin.close()
    assert len(process.stdout.read().splitlines()) == 100 and process.wait() == 2


@one_day_in(8)
def test_games_behind_a_line_beyond_all_limits_are_judged() -> None:
    game = json.dumps(json.loads(CLEAN.read_text("utf-8"))).encode()
    long = b"[" + b" " * (70 << 20) + b"]\n"
    process = started(["check", "-", "-f", "concise"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = process.communicate(long + game + b"\ngarbage\n" + game)[0].decode().splitlines()
    assert process.returncode == 2 and "larger than 64 MiB" in out[0]
    assert [line.split(":")[1] for line in out[1:]] == ["2", "3", "4"]
    assert [": clean [" in line for line in out[1:]] == [True, False, True]
