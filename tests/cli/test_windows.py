"""What is otherwise on Windows, as far as it can be tried elsewhere: encodings, line ends, names of files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pwtool.cli import common
from pwtool.cli.app import run
from pwtool.records import archive_members, containers
from pwtool.records.file_names import format_of, split_line
from pwtool.rules.library import split_address
from pwtool.show.machine import sarif
from pwtool.text.addresses import is_address
from pwtool.text.files import quote_path
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NAME = "Zoë 你\N{GRINNING FACE}"
DATA = [
    ["check", "FILE", "--format", "json"], ["check", "FILE", "--format", "jsonl"], ["check", "FILE", "--format", "sarif"],
    ["legal", "FILE", "--at", "3", "--format", "json"], ["score", "FILE", "--format", "json"],
    ["convert", "FILE", "--to", "json", "-o", "-"], ["which", "FILE", "--rules", "paper_world/gamepark", "--format", "json"],
]  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    text = (EXAMPLES / "records" / "illegal.json").read_text("utf-8")
    path.write_text(text.replace('"Ana"', f'"{NAME}"'), "utf-8")
    return path


def printed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What a command prints where the system's encoding is that of western Windows."""
    below = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(below, encoding="cp1252", newline="\r\n"))
        patch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
        assert run(words) in (0, 1)
        sys.stdout.flush()
        return below.getvalue()


# ---- encodings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", DATA, ids=" ".join)
def test_data_are_utf8_in_every_encoding(words: list[str], record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = printed([str(record) if word == "FILE" else word for word in words], monkeypatch)
    assert NAME in data.decode("utf-8")
    for text in data.decode("utf-8").splitlines() if "jsonl" in words else [data]:
        json.loads(text)


@one_day_in(8)
def test_other_formats_for_programs_are_utf8_too(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    junit = printed(["check", str(record), "--format", "junit"], monkeypatch)
    assert NAME in "".join(ElementTree.fromstring(junit).itertext()) + junit.decode("utf-8")
    for form in ("html", "markdown", "github"):
        assert NAME in printed(["check", str(record), "--format", form], monkeypatch).decode("utf-8")
    notation = printed(["convert", str(record), "-o", "-", "--to", "pwn"], monkeypatch)
    assert f'"{NAME}"' in notation.decode("utf-8") and b"\r" not in notation


@pytest.mark.parametrize("form", ["full", "concise"])
def test_texts_for_people_are_in_the_encoding_that_they_read(
    form: str, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = printed(["check", str(record), "--format", form], monkeypatch).decode("cp1252")
    assert "Zoë \\u4f60\\U0001f600" in text, "what the encoding lacks is told, the rest is as it is"


@one_day_in(8)
def test_a_process_with_the_encoding_of_windows_neither_crashes_nor_garbles(record: Path) -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "LC_ALL": "C", "NO_COLOR": "1"}
    for form, encoding in (("json", "utf-8"), ("full", "cp1252")):
        command = [sys.executable, "-m", "pwtool", "check", str(record), "--format", form]
        done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=environment)
        assert done.returncode == 1 and done.stderr == b"", done.stderr
        assert "Zoë" in done.stdout.decode(encoding)


@one_day_in(8)
def test_files_are_read_and_written_in_utf8(tmp_path: Path, record: Path) -> None:
    """Where the locale says otherwise: no file is opened in the encoding of the system."""
    code = (
        "import sys\nfrom pwtool.cli.app import run\n"
        f"assert run(['convert', {str(record)!r}, '-o', {str(tmp_path / 'game.pwn')!r}]) == 0\n"
        f"assert run(['convert', {str(tmp_path / 'game.pwn')!r}, '-o', {str(tmp_path / 'again.json')!r}]) == 0\n"
        f"assert run(['check', {str(record)!r}, '--report', {'html=' + str(tmp_path / 'page.html')!r}, '-q']) == 1\n"
        f"assert run(['rules', 'show', 'paper_world/fr', '--html', '-o', {str(tmp_path / 'rules.html')!r}]) == 0\n"
    )
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", code]
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.returncode == 0 and "EncodingWarning" not in done.stderr, done.stderr
    assert NAME in (tmp_path / "game.pwn").read_text("utf-8") and NAME in (tmp_path / "page.html").read_text("utf-8")
    assert json.loads((tmp_path / "again.json").read_bytes()) == json.loads(record.read_bytes())


# ---- line ends -------------------------------------------------------------------------------------------------------


def with_returns(source: Path, folder: Path) -> Path:
    """A copy of a file as an editor on Windows saves it: with carriage returns, and a mark of the encoding."""
    target = folder / source.name
    target.write_bytes(b"\xef\xbb\xbf" + source.read_bytes().replace(b"\n", b"\r\n"))
    return target


@pytest.mark.parametrize("name", ["records/clean.json", "records/illegal.json", "notation/club.pwn", "notation/illegal.pwn", "states/final.json"])  # fmt: skip
def test_a_file_with_other_line_ends_gets_the_same_verdict(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for path in (EXAMPLES / name, with_returns(EXAMPLES / name, tmp_path)):
        code = run(["check", str(path), "--format", "full", "--all"])
        found.append((code, capsys.readouterr().out.replace(str(path), "FILE")))
    assert found[0] == found[1] and "\r" not in found[1][1]


def test_archives_and_settings_with_other_line_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps(json.loads((EXAMPLES / "records" / f"{name}.json").read_text("utf-8"))) for name in ("clean", "illegal")]  # fmt: skip
    (tmp_path / "games.jsonl").write_bytes(("\r\n".join(lines) + "\r\n\r\n").encode())
    (tmp_path / "pwtool.toml").write_bytes(b'rules = ["paper_world/gamepark"]\r\nformat = "concise"\r\n')
    monkeypatch.chdir(tmp_path)
    assert run(["check", "games.jsonl", "--write-baseline", "known.json"]) == 1
    known = Path("known.json")
    known.write_bytes(known.read_bytes().replace(b"\n", b"\r\n"))
    capsys.readouterr()
    assert run(["check", "games.jsonl", "--baseline", "known.json"]) == 0
    assert "games.jsonl:2: clean" in capsys.readouterr().out


def test_rules_with_other_line_ends_are_the_same_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules"
    other = with_returns(source, tmp_path)
    versions = []
    for path in (source, other):
        assert run(["rules", "show", str(path), "--format", "json"]) == 0
        versions.append(json.loads(capsys.readouterr().out)["version"])
        assert run(["test", str(path)]) == 0 and run(["lint", str(path)]) in (0, 1)
        capsys.readouterr()
    assert versions[0] == versions[1]


# ---- names of files --------------------------------------------------------------------------------------------------


def test_addresses_may_have_a_drive() -> None:
    assert split_address(r"C:\rules\own.rules+more") == (r"C:\rules\own.rules", "+more")
    assert not is_address(r"C:\games\game.json") and not is_address("C:/games/game.json")
    assert split_line(r"C:\games\all.jsonl:17") == (r"C:\games\all.jsonl", 17)
    assert split_line(r"C:\games\all.jsonl") == (r"C:\games\all.jsonl", None)
    assert split_line(r"C:\games\all.pgn:3") == (r"C:\games\all.pgn", 3)
    assert format_of(r"C:\games\all.pgn") == "pgn"


@pytest.mark.parametrize("path", [r"C:\rules\own.rules", "C:/rules/own.rules", r"..\own.rules"])
def test_names_behind_a_file_may_stand_behind_a_drive(path: str) -> None:
    name, under = common.split_name(f"{path}:row", common.Under())
    assert name == "row" and under.address == path
    assert common.split_name(path, common.Under()) == (path, common.Under())


def test_files_of_archives_are_named_with_either_sign() -> None:
    assert containers.inside_of(r"C:\games\all.zip\may\g.json", "\\") == (r"C:\games\all.zip", "may/g.json")
    assert containers.inside_of("games/all.tar.gz/may/g.json", "\\") == ("games/all.tar.gz", "may/g.json")


def test_members_that_lead_out_of_an_archive_as_windows_reads_them() -> None:
    for name in (r"..\x.json", r"a\..\..\x.json", r"C:\x.json", "C:x.json", r"\x.json", r"\\host\x.json", "/x.json"):
        assert archive_members._escape(name), name
    assert not archive_members._escape("a/b.json")


def test_links_to_files_have_slashes() -> None:
    assert sarif._uri(r"C:\my games\a.json") == "file:///C:/my%20games/a.json"
    assert sarif._uri(r"games\a.json") == "games/a.json"
    assert quote_path(r"my games\a.json", "\\") == "my%20games/a.json"
