"""The command: what it opens, what it says where it cannot, and that it ends as it should."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from pwtool.cli.app import run
from pwtool.studio.folder import Folder
from pwtool.studio.running import Register
from tests.daily import one_day_in
from tests.studio.speaking import TOKEN, studio


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is asked of what runs on this machine besides."""
    found = tmp_path / "state"
    monkeypatch.setattr("pwtool.cli.studio_command.state_folder", lambda: found)
    return found


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "uvicorn" or name == "pwtool.studio.app"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run(["studio"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "pip install pwtool[studio]" in said.err and "`uvicorn`" in said.err


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("hous.rules", "did you mean `house.rules`"), ("nowhere/house.rules", "--of GAME/EDITION"), ("paper_wrld", "did you mean"),
        ("notes.txt", "notes.txt"), ("", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str, words: str
) -> None:
    (tmp_path / "house.rules").write_text('edition house of paper_world "House"\n', "utf-8")
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["studio", what, "--no-browser"]) == 2
    assert words in capsys.readouterr().err


@one_day_in(4)
def test_a_file_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    served = []
    monkeypatch.setattr("pwtool.studio.app.serve", lambda folder, *_: served.append(folder.first))
    monkeypatch.chdir(tmp_path)
    assert run(["studio", "our club.rules", "--of", "paper_world/en", "--no-browser"]) == 0
    begun = (tmp_path / "our club.rules").read_text("utf-8")
    assert "edition our_club of paper_world/en" in begun and served == [tmp_path / "our club.rules"]
    assert run(["test", "our club.rules"]) == 0
    assert run(["studio", "our club.rules", "--of", "paper_world/fr", "--no-browser"]) == 0
    assert (tmp_path / "our club.rules").read_text("utf-8") == begun
    capsys.readouterr()
    for words in (["--of", "paper_world"], ["house", "--of", "paper_world"], ["a.rules", "--of", "paper_wrld"]):
        assert run(["studio", *words, "--no-browser"]) == 2
    assert not (tmp_path / "a.rules").exists() and len(served) == 2


@pytest.mark.parametrize(
    ("address", "shown"),
    [("paper_world/en", "paper_world/en.rules"), ("paper_world/en+advanced", "paper_world/advanced.rules"), ("chess", "chess/game.rules")],
)  # fmt: skip
def test_a_ruleset_of_the_library_can_be_looked_at(monkeypatch: pytest.MonkeyPatch, address: str, shown: str) -> None:
    served: list[Folder] = []
    monkeypatch.setattr("pwtool.studio.app.serve", lambda folder, *_: served.append(folder))
    assert run(["studio", address, "--no-browser"]) == 0
    assert served[0].first is not None and served[0].first.as_posix().endswith(shown) and not served[0].writable


def test_a_studio_that_runs_is_known(tmp_path: Path, state: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    register = Register(state)
    with studio(tmp_path / "a", tmp_path / "drafts") as running:
        address = f"http://127.0.0.1:{running.port}/?token={TOKEN}"
        assert register.near(tmp_path / "a") is None
        register.enter(tmp_path / "a", address)
        for folder in ("a", "a/b", "."):
            found = register.near(tmp_path / folder)
            assert found is not None and found.address == address
        assert register.near(tmp_path / "c") is None
        # Somebody else listens there by now.
        register.enter(tmp_path / "c", f"http://127.0.0.1:{running.port}/?token=old")
        assert register.near(tmp_path / "c") is None
    assert list(state.iterdir()) and register.near(tmp_path / "a") is None and not list(state.iterdir())


def test_another_program_on_the_port_is_no_studio(tmp_path: Path, state: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Photos</title>", "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        register = Register(state)
        register.enter(tmp_path, f"http://127.0.0.1:{server.server_port}/?token={TOKEN}")
        assert register.near(tmp_path) is None and not list(state.iterdir())
    finally:
        server.shutdown()
        server.server_close()


@one_day_in(8)
@pytest.mark.parametrize(("language", "words"), [("en", "runs already"), ("fr", "tourne déjà"), ("de", "läuft schon")])
def test_a_second_program_leads_to_the_first(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
    words: str,
) -> None:
    """Two on one folder would overwrite each other's drafts."""
    home = tmp_path / "rules"
    home.mkdir()
    (home / "a b.rules").write_text('edition house of paper_world "House"\n', "utf-8")
    monkeypatch.setattr("pwtool.studio.app.serve", lambda *_: pytest.fail("two of them"))
    with studio(home, tmp_path / "drafts") as running:
        address = f"http://127.0.0.1:{running.port}/?token={TOKEN}"
        Register(state / "studios").enter(home, address)
        assert run(["studio", str(home / "a b.rules"), "--no-browser", "--lang", language]) == 0
        said = capsys.readouterr()
        assert said.out == f"{address}&lang={language}&file=a%20b.rules\n" and words in said.err
        assert run(["studio", str(tmp_path), "--no-browser", "--lang", language]) == 2
        assert words in capsys.readouterr().err


@one_day_in(8)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send to a single process")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_interrupted(tmp_path: Path, sent: signal.Signals) -> None:
    (tmp_path / "house.rules").write_text('edition house of paper_world "House"\n', "utf-8")
    command = [sys.executable, "-m", "pwtool", "studio", str(tmp_path), "--no-browser"]
    own = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    # With it, nothing would show that the address is not held back.
    own.pop("PYTHONUNBUFFERED", None)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own) as started:
        assert started.stdout is not None and started.stderr is not None
        address = urlsplit(started.stdout.readline().strip())
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        connection.request("GET", f"/?{address.query}")
        assert connection.getresponse().status in (200, 404)
        connection.close()
        assert list((tmp_path / "state").glob("**/studios/*.json"))
        started.send_signal(sent)
        assert started.wait(60) == 0
        assert not list((tmp_path / "state").glob("**/studios/*.json"))
        said = started.stderr.read()
        assert "Traceback" not in said and "on this machine alone" in said
