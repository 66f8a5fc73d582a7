"""The manual page: made from the command line's own description."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pwtool.1"


def test_the_page_is_what_the_command_line_says_of_itself() -> None:
    command = [sys.executable, str(ROOT / "docs" / "make_man.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"`python docs/make_man.py` writes it anew\n{done.stderr}"


def test_the_page_names_every_variable_of_the_environment() -> None:
    text = PAGE.read_text("ascii")
    named = {name for path in (ROOT / "pwtool").rglob("*.py") for name in re.findall(r"\bPWTOOL_[A-Z_]*[A-Z]", path.read_text("utf-8"))}  # fmt: skip
    assert named and all(name in text for name in named), sorted(named)


def test_every_line_is_a_request_or_text() -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".EX", ".EE", '.\\"'}
    odd = [line for line in PAGE.read_text("ascii").splitlines() if line[:1] in (".", "'") and line.split(" ")[0] not in known]  # fmt: skip
    assert odd == []


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_shows_it_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(PAGE)], capture_output=True, text=True, check=True, encoding="utf-8"
    )  # fmt: skip
    assert done.stderr == ""
    assert "--format, -f FORMAT" in done.stdout and "pwtool convert game.json -o game.pwn" in done.stdout
