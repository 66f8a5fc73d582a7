"""Compressed files and archives of files: read as what they unpack to, and harmless whatever they unpack to."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records import containers
from pwtool.records.inputs import Document, find_paths, read_documents
from tests.daily import one_day_in, some

zstandard = pytest.importorskip("zstandard")
ROOT = Path(__file__).resolve().parents[2]
GAME = json.dumps(json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))).encode()
NOTATION = (ROOT / "examples" / "notation" / "club.pwn").read_bytes()
LINES = b"\n".join([GAME] * 5) + b"\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.ZstdCompressor().compress,
}  # fmt: skip


def texts(path: Path | str) -> list[str]:
    return [d.source.text.strip() for d in read_documents(str(path)) if d.source is not None]


def told(path: Path | str) -> list[str]:
    return [d.message for document in read_documents(str(path)) for d in document.diagnostics]


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return into.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return into.getvalue()


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize(
    ("name", "data"),
    [("g.json", GAME), ("g.jsonl", LINES), ("g.ndjson", LINES), ("g.pwn", NOTATION)],
    ids=lambda x: str(x)[:9],
)
def test_a_compressed_file_is_what_it_unpacks_to(suffix: str, name: str, data: bytes, tmp_path: Path) -> None:
    plain, packed = tmp_path / name, tmp_path / f"{name}{suffix}"
    plain.write_bytes(data)
    packed.write_bytes(PACK[suffix](data))
    assert texts(packed) == texts(plain)
    assert [d.is_notation for d in read_documents(str(packed))] == [d.is_notation for d in read_documents(str(plain))]
    if "jsonl" in name or "ndjson" in name:
        assert [d.name for d in read_documents(str(packed))] == [f"{packed}:{n}" for n in range(1, 6)]
        assert texts(f"{packed}:3") == [GAME.decode()]
        assert told(f"{packed}:9") == [f"`{packed}` has no game in line 9"]


MEMBERS = {
    "a.json": GAME,
    "more/b.jsonl": LINES,
    "more/c.pwn": NOTATION,
    "read.me": b"hello",
    "d.jsonl.gz": gzip.compress(LINES),
}


@pytest.mark.parametrize("name", ["g.zip", "g.tar", "g.tar.gz", "g.tgz", "g.tar.xz", "g.tar.zst"])
def test_an_archive_of_files_is_its_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = zipped(MEMBERS) if name.endswith("zip") else tarred(MEMBERS)
    suffix = {"g.tgz": ".gz"}.get(name, path.suffix)
    path.write_bytes(PACK[suffix](data) if suffix in PACK else data)
    *documents, note = read_documents(str(path))
    assert note.is_note and [d.code for d in note.diagnostics] == ["PW717"]
    assert "1 file is not read" in note.diagnostics[0].message and "`read.me`" in note.diagnostics[0].message
    lines = [f"{path}/more/b.jsonl:{n}" for n in range(1, 6)]
    inner = [f"{path}/d.jsonl.gz:{n}" for n in range(1, 6)]
    assert [d.name for d in documents] == [f"{path}/a.json", *lines, f"{path}/more/c.pwn", *inner]
    assert all(d.source is not None for d in documents)
    assert texts(f"{path}/more/b.jsonl:2") == [GAME.decode()]
    assert texts(f"{path}/a.json") == [GAME.decode()]
    assert told(f"{path}/z.json") == [f"`{path}` contains no `z.json`"]
    assert find_paths([str(tmp_path)])[0] == [str(path)]


def test_a_finding_in_an_archive_can_be_asked_for_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = GAME.replace(b'"turn": 40', b'"turn": 39', 1)
    path = tmp_path / "g.tar.gz"
    path.write_bytes(gzip.compress(tarred({"x/g.jsonl": GAME + b"\n" + damaged + b"\n"})))
    assert run(["check", str(path)]) == 1
    assert f"{path}/x/g.jsonl:2" in capsys.readouterr().out
    assert run(["check", f"{path}/x/g.jsonl:1"]) == 0
    assert run(["check", f"{path}/x/g.jsonl:2"]) == 1


@one_day_in(4)
@pytest.mark.parametrize("suffix", some([*PACK], 1))
def test_what_is_cut_off_is_told_behind_the_games_before_it(suffix: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = b"".join(json.dumps({"format": "x", "n": rng.getrandbits(4000)}).encode() + b"\n" for _ in range(3000))
    path = tmp_path / f"g.jsonl{suffix}"
    packed = PACK[suffix](lines)
    path.write_bytes(packed[: len(packed) * 9 // 10])
    documents = list(read_documents(str(path)))
    assert documents[-1].source is None
    read = len([d for d in documents if d.source is not None])
    assert documents[-1].diagnostics[0].message == f"the file cannot be read after line {read}: it is cut off"
    assert read > 100


def test_a_small_file_that_is_cut_off_keeps_its_first_games(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl.gz"
    packed = gzip.compress(LINES)
    path.write_bytes(packed[:-20])
    assert texts(path)[:4] == [GAME.decode()] * 4
    assert told(path)[-1] == "the file cannot be read after line 4: it is cut off"


@pytest.mark.parametrize("suffix", ["", *PACK])
def test_an_archive_of_files_that_is_cut_off_names_the_last_whole_one(suffix: str, tmp_path: Path) -> None:
    packed = PACK.get(suffix, bytes)(tarred({f"{number}.json": GAME for number in range(9)}))
    for part in range(1, 20):
        path = tmp_path / f"{part}.tar{suffix}"
        path.write_bytes(packed[: len(packed) * part // 20])
        found = len(texts(path))
        if not told(path):
            # Nothing is missing but what fills the last block.
            assert found == 9
            continue
        last = f" after `{found - 1}.json`" if found else ""
        # A game that is cut off within is told by its own name; its archive by the one before it.
        assert told(path)[-1] in (f"the file cannot be read{last}: it is cut off", *NOT_AT_ALL), (part, told(path))


NOT_AT_ALL = [
    f"the file cannot be read: {reason}"
    for reason in ("it is not a tar archive, or a damaged one", "the compressed data is damaged")
]


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_archive_is_a_finding(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    name = rng.choice(["g.zip", "g.tar", "g.tar.gz", "g.tar.xz", "g.jsonl.zst", "g.json.gz", "g.jsonl.xz"])
    data = {"zip": zipped, "tar": tarred}.get(name.split(".")[1], lambda _: LINES)(MEMBERS)
    suffix = "." + name.rpartition(".")[2]
    packed = bytearray(PACK[suffix](data) if suffix in PACK else data)
    for _ in range(rng.randrange(1, 6)):
        packed[rng.randrange(len(packed))] = rng.randrange(256)
    path = tmp_path / name
    path.write_bytes(packed)
    documents = list(read_documents(str(path)))
    assert documents
    assert all(isinstance(d, Document) for d in documents)


@pytest.mark.parametrize(
    ("fill", "suffix"), some([(f, s) for s in PACK for f in (b"\0", b"\n", b" ", b"[", b'{"a":')], 2)
)
def test_a_bomb_ends(fill: bytes, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_BARREN", 4 << 20)
    bomb = fill * ((9 << 20) // len(fill))
    path = tmp_path / f"g.jsonl{suffix}"
    path.write_bytes(PACK[suffix](LINES + bomb))
    assert texts(path)[:5] == [GAME.decode()] * 5
    assert told(path)[-1].startswith("the file cannot be read after line 5: it unpacks to")
    inside = tmp_path / "g.tar.gz"
    inside.write_bytes(gzip.compress(tarred({"a.json": GAME, "bomb.jsonl": bomb, "b.json": GAME})))
    assert told(inside)[-1].startswith("the file cannot be read after `a.json`: it unpacks to")


def test_a_zip_that_swells_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "g.zip"
    path.write_bytes(zipped({"bomb.json": b"[" * (80 << 20), "good.json": GAME}))
    assert told(path) == ["it would unpack to more than 1,000 times its size"]
    assert texts(path) == [GAME.decode()]


@pytest.mark.parametrize("name", ["../../x.json", "/etc/x.json", "C:\\x.json", "a/../../x.json", "..\\x.json"])
def test_a_name_that_leads_out_is_no_member(name: str, tmp_path: Path) -> None:
    for made, file in ((zipped, "g.zip"), (tarred, "g.tar")):
        path = tmp_path / file
        path.write_bytes(made({name: GAME, "b.json": GAME}))
        assert told(path) == ["its name points outside the archive"]
        assert texts(path) == [GAME.decode()]


def test_links_and_devices_of_an_archive_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(GAME)
    path = tmp_path / "g.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name in ((tarfile.SYMTYPE, "l.json"), (tarfile.LNKTYPE, "h.json"), (tarfile.CHRTYPE, "d.json")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "secret.json"
            archive.addfile(info)
    assert told(path) == ["this is a link or a device, not a file"] * 3
    zipped_link = tmp_path / "g.zip"
    with zipfile.ZipFile(zipped_link, "w") as packed:
        link = zipfile.ZipInfo("l.json")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "secret.json")
    assert told(zipped_link) == ["this is a link"]


@pytest.mark.parametrize("suffix", ["", *PACK])
def test_convert_writes_what_it_reads(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(LINES)
    out = tmp_path / f"out.ndjson{suffix}"
    assert run(["convert", str(source), "-o", str(out)]) == 0
    assert len(texts(out)) == 5
    assert run(["check", str(out)]) == 0
    first = out.read_bytes()
    assert run(["convert", str(source), "-o", str(out), "--force"]) == 0
    assert out.read_bytes() == first
    assert run(["convert", str(out), "--to", "pwn", "-o", str(tmp_path / "folder")]) == 0
    assert sorted(p.name for p in (tmp_path / "folder").iterdir()) == [f"out-{n}.pwn" for n in range(1, 6)]
    capsys.readouterr()


def test_zst_without_its_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / "g.jsonl.zst"
    path.write_bytes(PACK[".zst"](LINES))
    assert told(path) == ["reading .zst files needs the package `zstandard`"]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_member_that_needs_the_package_is_told(
    pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / ("g.zip" if pack is zipped else "g.tar")
    path.write_bytes(pack({"a.json": GAME, "b.jsonl.zst": PACK[".zst"](LINES)}))
    assert len(texts(path)) == 1
    assert told(path) == ["reading .zst files needs the package `zstandard`"]


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".json"])
def test_compressed_data_under_a_wrong_name_is_told_once(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    path.write_bytes(gzip.compress(bytes(range(256)) * 40, mtime=0) + b"\n\x01\n\x02\n")
    (document,) = read_documents(str(path))
    assert document.name == str(path)
    (found,) = document.diagnostics
    assert "gzip" in found.message and found.help == "end its name in `.gz`"


NOT_OPENED = ["b.zip", "b.tar", "c/b.tar.gz", "b.json.bz2", "b.tgz", "b.7z", "b.rar", "b.zip.gz"]


@pytest.mark.parametrize("name", NOT_OPENED)
def test_what_may_contain_records_and_is_not_opened_is_a_finding(name: str, tmp_path: Path) -> None:
    members = {"a.json": GAME, name: zipped({"b.json": GAME})}
    for file, data in (("g.zip", zipped(members)), ("g.tar", tarred(members))):
        path = tmp_path / file
        path.write_bytes(data)
        first, second = read_documents(str(path))
        assert first.source is not None and second.name == f"{path}/{name}"
        [found] = second.diagnostics
        assert found.code == "PW703" and "not opened" in found.message


def test_a_folder_says_what_it_leaves_out(tmp_path: Path) -> None:
    for name in ("a.json", ".b.json", "c.json/d.json", "e.json.bz2", "f.rar", "g.txt", ".h", "i/j.md", "k"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(GAME)
    paths, problems = find_paths([str(tmp_path)])
    assert paths == [str(tmp_path / name) for name in (".b.json", "a.json", "c.json/d.json")]
    assert [(d.code, Path(d.file or "").name) for d in problems] == [
        ("PW703", "e.json.bz2"),
        ("PW703", "f.rar"),
        ("PW717", tmp_path.name),
    ]
    assert (
        problems[-1].message.startswith("4 files are not read") and "`.h`, `g.txt`, `i/j.md`, …" in problems[-1].message
    )
    # A warning is about no document.
    assert [verdict.status for verdict in pwtool.check_many(tmp_path)] == ["unreadable"] * 2 + ["clean"] * 3


def test_a_folder_that_cannot_be_listed_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.json").write_bytes(GAME)
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    paths, problems = find_paths([str(tmp_path)])
    assert paths == [str(tmp_path / "a.json")]
    assert [(d.code, d.file) for d in problems] == [("PW703", str(tmp_path / "closed"))]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("g.tar", tarred({"a.json": GAME}) + tarred({"b.json": GAME}), "there is more data behind its end"),
        ("g.tar.gz", gzip.compress(tarred({"a.json": GAME}) + b"x"), "there is more data behind its end"),
        ("g.zip", zipped({"b.json": GAME}) + zipped({"a.json": GAME}), "not in its list of files"),
        ("g.zip", zipped({"b.json": GAME}) + GAME, "there is more data behind its end"),
        ("g.json.xz", lzma.compress(GAME) + b"x" + GAME, "the compressed data is damaged"),
        ("g.json.zst", PACK[".zst"](GAME) + b"x" + GAME, "the compressed data is damaged"),
        ("g.json.gz", gzip.compress(GAME) + b"x" + GAME, "the compressed data is damaged"),
    ],
    ids=lambda x: str(x)[:12],
)
def test_nothing_behind_or_before_an_archive_is_lost(name: str, data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert says in told(path)[-1] + told(path)[0]


def test_streams_of_one_file_follow_each_other(tmp_path: Path) -> None:
    for suffix, pack in PACK.items():
        path = tmp_path / f"g.jsonl{suffix}"
        path.write_bytes(pack(LINES) + b"\0" * 8 * (suffix != ".zst") + pack(LINES))
        assert len(texts(path)) == 10, suffix


def test_members_of_one_name_and_games_of_one_line_are_all_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.zip"
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "w") as archive:
        for _ in range(3):
            archive.writestr("a.json", GAME)
    assert len(texts(f"{path}/a.json")) == 3
    assert run(["check", str(path), "--statistics"]) == 0
    assert "3 documents" in capsys.readouterr().out
