"""The command itself: what it says where its extra is missing, and where nobody speaks to it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pygls" or name == "pwtool.lsp.server"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert run(["lsp"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "pip install pwtool[lsp]" in said.err and "`pygls`" in said.err


@one_day_in(8)
@pytest.mark.parametrize("said", [b"", b"hello\r\n\r\nContent-Length: 9\r\n\r\nno json {"])
def test_who_says_nothing_sensible_gets_no_crash(said: bytes) -> None:
    command = [sys.executable, "-m", "pwtool", "lsp"]
    done = subprocess.run(command, input=said, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0 and b"PW901" not in done.stderr


def test_nothing_of_it_is_imported_before_it_is_asked_for() -> None:
    code = "import sys, pwtool.cli.app, pwtool.lsp.model.workspace; print({'pygls', 'lsprotocol'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
