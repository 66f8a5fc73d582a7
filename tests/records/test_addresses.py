"""Addresses elsewhere: read as files are, and harmless whatever answers there."""

from __future__ import annotations

import gzip
import http.server
import io
import json
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtool.checking.accepted import seen_from
from pwtool.cli.app import run
from pwtool.cli.writing import Game
from pwtool.records import containers
from pwtool.records.file_names import names_record, split_line
from pwtool.records.inputs import find_paths, inside_of, read_documents, suffix_of
from pwtool.show.text.comparing import game_file
from pwtool.text.addresses import is_address, local_path, path_of
from pwtool.text.files import quote_path
from tests.daily import one_day_in

fsspec = pytest.importorskip("fsspec")
ROOT = Path(__file__).resolve().parents[2]
GAME = json.dumps(json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))).encode()
NOTATION = (ROOT / "examples" / "notation" / "club.pwn").read_bytes()
LINES = b"\n".join([GAME] * 5) + b"\n"


def texts(name: str) -> list[str]:
    return [d.source.text.strip() for d in read_documents(name) if d.source is not None]


def told(name: str) -> list[str]:
    return [d.message for document in read_documents(name) for d in document.diagnostics]


def zipped(members: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return into.getvalue()


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    found = fsspec.filesystem("memory")
    found.store.clear()
    found.pipe_file("/d/a.json", GAME)
    found.pipe_file("/d/more/b.jsonl", LINES)
    found.pipe_file("/d/more/c.pwn", NOTATION)
    found.pipe_file("/d/d.jsonl.gz", gzip.compress(LINES))
    found.pipe_file("/d/e.zip", zipped({"f.json": GAME, "g/h.jsonl": LINES}))
    found.pipe_file("/d/read.me", b"hello")
    yield found
    found.store.clear()


NAMES = [
    # name, an address, the path that counts, the suffix, a file and a line
    ("memory://d/a.json", True, "d/a.json", ".json", None),
    ("https://host/a/g.jsonl.gz?x=1.zip#y", True, "host/a/g.jsonl.gz", ".jsonl", None),
    ("https://host:80/g.jsonl?x=1:17", True, "host:80/g.jsonl", ".jsonl", 17),
    ("http://host:8000", True, "host:8000", "", None),
    ("zip://m/g.jsonl::https://host/x.zip:3", True, "m/g.jsonl", ".jsonl", 3),
    ("simplecache::https://host/g.parquet", True, "host/g.parquet", ".parquet", None),
    ("s3://bucket/what?.json:3", True, "bucket/what?.json:3", ".json:3", None),
    ("s3://bucket/games.tar.zst/g.jsonl:4", True, "bucket/games.tar.zst/g.jsonl", ".jsonl", 4),
    ("games/a.json", False, "games/a.json", ".json", None),
    ("C:\\games\\a.json", False, "C:\\games\\a.json", ".json", None),
    ("https:/a.json", False, "https:/a.json", ".json", None),
    ("file:///tmp/a.json", False, "file:///tmp/a.json", ".json", None),
]


@pytest.mark.parametrize(("name", "known", "path", "suffix", "line"), NAMES, ids=str)
def test_what_an_address_says_of_itself(name: str, known: bool, path: str, suffix: str, line: int | None) -> None:
    file, at = split_line(name)
    assert (is_address(name), path_of(file), suffix_of(file), at) == (known, path, suffix, line)


def test_members_of_archives_that_stand_elsewhere() -> None:
    assert inside_of("https://h/a.zip/m/g.json") == ("https://h/a.zip", "m/g.json")
    assert inside_of("memory://a.zip/m.json") == ("memory://a.zip", "m.json")
    assert inside_of("https://example.zip/m.json") is None
    assert inside_of("https://example.zip/a.zip/m.json") == ("https://example.zip/a.zip", "m.json")
    assert inside_of("zip://a.zip/b.json::https://h/x.zip") is None
    assert inside_of("zip://b.json::https://h/x.zip/c") is None
    assert names_record("https://h/a.zip?key=1") and not names_record("https://h/a.txt?b.zip")


def test_a_file_of_this_machine_is_one_by_its_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.jsonl"
    path.write_bytes(LINES)
    assert local_path(path.as_uri()) == str(path)
    assert find_paths([tmp_path.as_uri()]) == ([str(path)], [])
    assert texts(path.as_uri()) == texts(str(path)) and texts(f"{path.as_uri()}:2") == [GAME.decode()]
    assert run(["check", path.as_uri()]) == 0
    assert str(path) in capsys.readouterr().out
    assert run(["convert", path.as_uri(), "-o", str(path), "--force"]) == 2
    assert "is an input of this command" in capsys.readouterr().err and path.read_bytes() == LINES


def test_an_address_is_read_as_a_file_is(memory: object) -> None:
    assert texts("memory://d/a.json") == [GAME.decode()]
    names = [d.name for d in read_documents("memory://d/more/b.jsonl")]
    assert names == [f"memory://d/more/b.jsonl:{n}" for n in range(1, 6)]
    assert texts("memory://d/more/b.jsonl:5") == [GAME.decode()]
    assert texts("memory://d/d.jsonl.gz") == [GAME.decode()] * 5
    assert texts("memory://d/e.zip") == [GAME.decode()] * 6
    assert texts("memory://d/e.zip/g/h.jsonl:2") == [GAME.decode()]
    assert texts("zip://g/h.jsonl::memory://d/e.zip") == [GAME.decode()] * 5
    assert told("memory://d/d.jsonl.gz:9") == ["`memory://d/d.jsonl.gz` has no game in line 9"]


def test_pages_link_to_the_web_alone() -> None:
    assert game_file("https://h/a b.json?x=1", ".") == "https://h/a b.json?x=1"
    assert quote_path("https://h/a b.json?x=<1>&y=2") == "https://h/a%20b.json?x=%3C1%3E&y=2"
    assert game_file("<stdin>:3", ".") is game_file("<stdin>", ".") is None
    assert game_file("memory://d/a.json", ".") is None and game_file("javascript://x/a.json", ".") is None
    assert seen_from("games", "https://h/a.json:3") == "https://h/a.json:3"


def test_folders_and_patterns(memory: object) -> None:
    everything = ["a.json", "d.jsonl.gz", "e.zip", "more/b.jsonl", "more/c.pwn"]
    for folder in ("memory://d", "memory://d/", "memory:///d/"):
        paths, [note] = find_paths([folder])
        assert paths == [f"{folder.rstrip('/')}/{name}" for name in everything], folder
        assert note.code == "PW717" and note.message.endswith("not that of a record: `read.me`")
    assert find_paths(["memory://d/*.js*"]) == (["memory://d/a.json", "memory://d/d.jsonl.gz"], [])
    assert find_paths(["memory://d/**/?.pwn"]) == (["memory://d/more/c.pwn"], [])
    assert find_paths(["zip://::memory://d/e.zip"])[0] == [
        f"zip://{n}::memory://d/e.zip" for n in ("f.json", "g/h.jsonl")
    ]
    assert find_paths(["zip://g/*::memory://d/e.zip"])[0] == ["zip://g/h.jsonl::memory://d/e.zip"]
    assert find_paths(["memory://d/*.sgf"]) == (["memory://d/*.sgf"], [])
    memory.mkdir("/empty")  # type: ignore[attr-defined]
    assert [p.message for p in find_paths(["memory://empty/"])[1]] == ["`memory://empty/` contains no record"]


def test_a_whole_check(memory: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "r.jsonl"
    asked = ["check", "memory://d/", "--results", str(results), "--resume", "-f", "concise"]
    assert run(asked) == 0
    said = capsys.readouterr()
    assert "memory://d/more/b.jsonl:5: clean" in said.out
    first = results.read_bytes()
    assert [json.loads(row)["file"] for row in first.splitlines()][:2] == ["memory://d/a.json", "memory://d/d.jsonl.gz"]
    assert run(asked) == 0
    assert "18 documents known from an earlier run" in capsys.readouterr().err and results.read_bytes() == first
    memory.pipe_file("/d/a.json", GAME.replace(b'"Ana"', b'"Eva"'))  # type: ignore[attr-defined]
    assert run(asked) == 0
    assert "17 documents known" in capsys.readouterr().err and results.read_bytes() != first


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_packed_and_converted(memory: object, jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    packed, arrow = tmp_path / "p.parquet", tmp_path / "p.arrow"
    assert run(["pack", "memory://d/more/b.jsonl", "-o", str(packed), "--jobs", jobs]) == 0
    assert run(["convert", "memory://d/more/b.jsonl", "-o", str(arrow)]) == 0
    for path in (packed, arrow):
        memory.pipe_file(f"/t/{path.name}", path.read_bytes())  # type: ignore[attr-defined]
        assert [json.loads(t) for t in texts(f"memory://t/{path.name}")] == [json.loads(GAME)] * 5
        assert json.loads(texts(f"memory://t/{path.name}:3")[0]) == json.loads(GAME)
    capsys.readouterr()
    assert run(["check", "memory://t/", "--jobs", jobs]) == 0
    said = capsys.readouterr().out
    assert (
        "memory://t/p.parquet: clean" in said and "memory://t/p.arrow: clean" in said and said.count("(5 games)") == 2
    )
    memory.pipe_file("/t/p.parquet", packed.read_bytes()[:-40])  # type: ignore[attr-defined]
    assert told("memory://t/p.parquet") == ["the table is damaged, the rest of it cannot be read"]


def test_what_is_written_is_named_by_the_path() -> None:
    names = [
        "memory://d/more/b.jsonl:2",
        "https://h/x/g.json?a=b/c",
        "zip://m/g.jsonl::https://h/x.zip:3",
        "https://h/x.zip/g.pwn",
    ]
    assert [Game(name, {}, "").stem for name in names] == ["b-2", "g", "g-3", "g"]


def test_what_cannot_be_reached_is_a_finding(memory: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told("memory://no.json") == ["there is no such file"]
    assert told("memroy://no.json") == ["the protocol `memroy` is not known"]
    assert told("zip://no.json::memory://d/e.zip") == ["there is no such file"]
    assert told("zip://no.json::memory://d/a.json")[0].startswith("cannot be read: ")
    assert told("zip://no.json::https:") and told("::memory://x.json") and told("https://") and told("s3://")
    assert find_paths(["memroy://d/"])[1][0].help == "did you mean `memory`?"
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "not a regular file" in told(f"zip://a.json::file://{tmp_path}/pipe")[0]
        assert "not a regular file" in told(f"zip://a.json::{tmp_path}/pipe")[0]
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    (found,) = [d for document in read_documents("memory://d/a.json") for d in document.diagnostics]
    assert found.message == "reading addresses needs the package `fsspec`" and "pwtool[remote]" in str(found.help)
    assert find_paths(["memory://d/"])[1] == [
        found.__class__(found.code, found.message, file="memory://d/", help=found.help)
    ]


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    (found,) = [d for document in read_documents("s3://bucket/a.json") for d in document.diagnostics]
    assert (found.message, found.help) == ("a package that reads this address is missing", "Install s3fs to access S3")


@one_day_in(7)
def test_what_goes_on_for_ever_is_left(memory: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_BARREN", 4 << 20)
    memory.pipe_file("/blank.jsonl", b"\n" * (12 << 20))  # type: ignore[attr-defined]
    assert told("memory://blank.jsonl")[-1].endswith("without a game")
    memory.pipe_file("/x.zip", zipped({"blank.jsonl": b"\n" * (12 << 20), "g.json": GAME}))  # type: ignore[attr-defined]
    assert told("zip://blank.jsonl::memory://x.zip")[-1].endswith("without a game")
    assert texts("memory://x.zip") == [GAME.decode()]


# ---- the web


class _Server(http.server.BaseHTTPRequestHandler):
    """Gives what is in `files`; `faults`: what goes wrong with an address."""

    files: dict[str, bytes]
    faults: dict[str, str]
    asked: list[str]
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(False)

    def do_GET(self) -> None:
        self._answer(True)

    def _answer(self, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        fault = self.faults.get(path, "")
        self.asked.append(f"{self.command} {path}")
        data = self.files.get(path)
        if fault.isdigit() or data is None:
            self.send_response(int(fault or 404))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        whole = len(data)
        wanted = self.headers.get("Range")
        if wanted and fault != "no ranges":
            start, _, stop = wanted.removeprefix("bytes=").partition("-")
            begin, end = int(start), min(whole, int(stop) + 1)
            data = data[begin:end]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{whole}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        if path.endswith("/"):
            self.send_header("Content-Type", "text/html")
        if fault == "encoded":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_body:
            self.wfile.write(data[: len(data) // 2] if fault == "breaks off" else data)
            if fault == "breaks off":
                self.close_connection = True

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def web() -> Iterator[tuple[str, type[_Server]]]:
    pytest.importorskip("aiohttp")
    handler = type("Handler", (_Server,), {"files": {}, "faults": {}, "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
        server.shutdown()


@one_day_in(8)
def test_the_web(web: tuple[str, type[_Server]], capsys: pytest.CaptureFixture[str]) -> None:
    host, server = web
    server.files |= {
        "/a.json": GAME, "/g.jsonl": LINES, "/g.jsonl.gz": gzip.compress(LINES), "/x.zip": zipped({"m/g.jsonl": LINES}),
        "/d/": b"<a href='a.json'>a</a> <a href='/d/g.jsonl'>g</a> <a href='b/'>b</a> <a href='http://127.0.0.2/z.json'>z</a>",
        "/d/a.json": GAME, "/d/g.jsonl": LINES,
    }  # fmt: skip
    assert texts(f"{host}/a.json?key=1") == [GAME.decode()]
    assert texts(f"{host}/g.jsonl") == texts(f"{host}/g.jsonl.gz") == [GAME.decode()] * 5
    assert texts(f"{host}/x.zip/m/g.jsonl:2") == texts(f"zip://m/g.jsonl::{host}/x.zip:2") == [GAME.decode()]
    assert find_paths([f"{host}/d/"]) == ([f"{host}/d/a.json", f"{host}/d/g.jsonl"], [])
    assert find_paths([f"{host}/d/*.jsonl"]) == ([f"{host}/d/g.jsonl"], [])
    server.asked.clear()
    assert find_paths([f"{host}/a.json"]) == ([f"{host}/a.json"], []) and not server.asked
    assert run(["check", f"{host}/d/", "-f", "concise"]) == 0
    assert f"{host}/d/g.jsonl:5: clean" in capsys.readouterr().out
    server.faults["/g.jsonl.gz"] = "encoded"
    assert texts(f"{host}/g.jsonl.gz") == [GAME.decode()] * 5


def test_a_server_that_gives_no_parts(web: tuple[str, type[_Server]], monkeypatch: pytest.MonkeyPatch) -> None:
    host, server = web
    server.files |= {"/x.zip": zipped({"g.jsonl": LINES}), "/g.jsonl": LINES}
    server.faults |= dict.fromkeys(server.files, "no ranges")
    assert texts(f"{host}/g.jsonl") == texts(f"{host}/x.zip") == [GAME.decode()] * 5
    monkeypatch.setattr(containers, "MAX_SPOOLED", 100)
    assert "can only be read from its beginning" in told(f"{host}/x.zip")[0]


def test_what_goes_wrong_on_the_web(web: tuple[str, type[_Server]], tmp_path: Path) -> None:
    host, server = web
    server.files |= {
        "/a.json": GAME, "/g.jsonl": LINES * 100, "/x.zip": zipped({"g.jsonl": LINES}), "/secret.json": GAME, "/broken.json": GAME,
        "/g.tar.gz": gzip.compress(tarred()),
    }  # fmt: skip
    server.faults |= dict.fromkeys(["/a.json", "/g.jsonl", "/x.zip", "/g.tar.gz"], "breaks off")
    server.faults |= {"/secret.json": "403", "/broken.json": "500"}
    assert told(f"{host}/no.json") == ["there is no such file"]
    assert told(f"{host}/secret.json")[0].startswith("cannot be read: 403, message='Forbidden'")
    assert told(f"{host}/broken.json")[0].startswith("cannot be read: 500")
    assert told(f"{host}/a.json")[0].startswith("the file cannot be read: ")
    assert (
        told(f"{host}/g.jsonl")[-1].startswith("the file cannot be read after line ")
        and len(texts(f"{host}/g.jsonl")) >= 1
    )
    assert told(f"{host}/x.zip") and told(f"{host}/g.tar.gz")
    assert told("http://127.0.0.1:9/a.json")[0].startswith("cannot be read: ")
    assert find_paths(["http://127.0.0.1:9/d/"])[1][0].message.startswith("cannot be read: ")


def tarred() -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        info = tarfile.TarInfo("g.jsonl")
        info.size = len(LINES)
        archive.addfile(info, io.BytesIO(LINES))
    return into.getvalue()
