"""The hooks for pre-commit and the action: what they run works, with the words that they are given."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.records.file_names import names_record
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "pwtool-check": ("games/clean.json", "notes.json"),
    "pwtool-fmt": ("house.rules", "house.txt"),
    "pwtool-lint": ("house.rules", "house.txt"),
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games").mkdir()
    shutil.copy(ROOT / "examples/records/clean.json", tmp_path / "games")
    shutil.copy(ROOT / "examples/records/illegal.json", tmp_path / "games")
    (tmp_path / "house.rules").write_text('edition house of paper_world/en "House"\n', "utf-8")
    monkeypatch.chdir(tmp_path)


def test_the_hooks_run() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    hooks = re.findall(r"- id: (\S+)\n.*?  entry: pwtool ([^\n]+)\n.*?  files: '([^']+)'", text, re.DOTALL)
    assert [name for name, _, _ in hooks] == list(FILES)
    for name, entry, pattern in hooks:
        meant, other = FILES[name]
        assert re.search(pattern, meant) and not re.search(pattern, other)
        assert run([*shlex.split(entry), meant]) == 0, name


@pytest.mark.parametrize("name", ["settings.json", "settings.json.gz"])
def test_the_hook_leaves_out_json_of_another_kind(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """pre-commit names the files of a commit."""
    text = b'{"editor.tabSize": 4}'
    Path("games", name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    entry = re.findall(
        r"id: pwtool-check\n.*?  entry: pwtool ([^\n]+)\n", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.DOTALL
    )
    words = shlex.split(entry[0])
    for others, code in (([], 0), (["games/clean.json"], 0), (["games/illegal.json"], 1)):
        assert run([*words, *others, f"games/{name}"]) == code
        assert f"1 file is not read, because it is JSON of another kind: `games/{name}`" in "".join(capfd.readouterr())
    assert run(["check", f"games/{name}"]) == 2
    Path("games", "damaged.json").write_bytes(b'{"format": "pwtool/1"')
    assert run([*words, "games/damaged.json"]) == 2


@pytest.mark.parametrize(
    "name", ["a.json", "club.pgn", "deep/er/go.sgf.gz", "a.zip", "draughts.pdn", "a.wtb", "all.jsonl.zst"]
)
def test_the_hook_takes_files_of_every_format(name: str) -> None:
    (pattern,) = re.findall(
        r"id: pwtool-check\n.*?  files: '([^']+)'", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.DOTALL
    )
    assert re.search(pattern, f"games/{name}") and re.search(pattern, f"records/{name}")
    assert not re.search(pattern, f"src/{name}") and not re.search(pattern, f"games/{name}.txt")
    suffix = name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    assert names_record(name) and suffix in pattern


def test_what_nobody_saw_may_be_allowed() -> None:
    unseen, illegal = (str(ROOT / "examples" / "records" / name) for name in ("unseen.json", "illegal.json"))
    assert run(["check", unseen]) == 3 and run(["check", unseen, "--allow-undetermined"]) == 0
    assert run(["check", illegal, unseen, "--allow-undetermined"]) == 1


@one_day_in(8)
@pytest.mark.parametrize(("files", "code"), [("games/clean.json", 0), ("games/clean.json\ngames/illegal.json", 1)])
def test_the_action_checks(tmp_path: Path, files: str, code: int) -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    block = re.search(r"      run: \|\n((?:        .*\n)+)", text)
    assert block is not None
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "pwtool").write_text(f'#!/bin/sh\nexec {sys.executable} -m pwtool "$@"\n')
    (commands / "pwtool").chmod(0o755)
    environment = {
        "PATH": f"{commands}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "FILES": files,
        "ARGUMENTS": "--lang en", "REPORT": str(tmp_path / "pwtool.sarif"), "GITHUB_OUTPUT": str(tmp_path / "out"),
    }  # fmt: skip
    script = re.sub("^        ", "", block[1], flags=re.MULTILINE)
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=environment, check=True, capture_output=True)
    assert (tmp_path / "out").read_text() == f"exit-code={code}\n"
    assert ("place.inside_3x3" in (tmp_path / "pwtool.sarif").read_text("utf-8")) is bool(code)
