"""Tables that others have written: Parquet and Arrow with a column of texts or of records, and harmless whatever they hold."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking import pieces
from pwtool.cli.app import run
from pwtool.records import containers
from pwtool.records.inputs import Text, find_paths, read_texts
from pwtool.records.tables import bounds, reading
from tests.daily import one_day_in
from tests.support import few_or_many, random_game

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")
GAMES = [random_game("pierre_papier_morpion", 2, seed)[0] for seed in range(30)]
LINES = [json.dumps(game) for game in GAMES]


def _stream(table: Any, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def _file(table: Any, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=7)


def write_members(members: dict[str, bytes], path: Path) -> None:
    """An archive of files, compressed as its name says."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return
    with (
        path.open("wb") as whole,
        containers.compressing(whole, path.name) as stream,
        tarfile.open(fileobj=stream, mode="w|") as archive,
    ):
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


WRITE: dict[str, Callable[[Any, Path], None]] = {
    "a.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=8),
    "b.parquet": lambda table, path: parquet.write_table(table, path, compression="gzip", use_dictionary=False),
    "a.arrow": _file, "a.arrows": _stream, "a.feather": feather.write_feather,
}  # fmt: skip


def texts(path: Path | str) -> list[bytes]:
    return [text.data for text in read_texts(str(path)) if isinstance(text, Text)]


def told(path: Path | str) -> list[str]:
    return [d.message for text in read_texts(str(path)) if not isinstance(text, Text) for d in text.diagnostics]


@pytest.mark.parametrize("name", WRITE)
@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_a_column_of_texts(name: str, kind: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    WRITE[name](pa.table({"number": range(30), "record": pa.array(LINES, pa.string()).cast(kind)}), path)
    assert texts(path) == [line.encode() for line in LINES] and not told(path)
    assert [text.name for text in read_texts(str(path))] == [f"{path}:{n}" for n in range(1, 31)]
    assert texts(f"{path}:17") == [LINES[16].encode()]
    assert find_paths([str(tmp_path)])[0] == [str(path)]
    assert run(["check", str(path), "--jobs", "1"]) == 0
    assert "30 games" in capsys.readouterr().out


@one_day_in(8)
@pytest.mark.parametrize("name", WRITE)
@pytest.mark.parametrize("column", ["game", None])
def test_records_in_columns(name: str, column: str | None, tmp_path: Path) -> None:
    path = tmp_path / name
    table = pa.Table.from_pylist(GAMES if column is None else [{column: game} for game in GAMES])
    WRITE[name](table, path)
    assert [json.loads(text) for text in texts(path)] == GAMES and not told(path)


@one_day_in(4)
@pytest.mark.parametrize("address", ["nim", "hearts", "paper_world/fr", "chess", "pig"])
def test_records_in_columns_as_duckdb_makes_them(address: str, tmp_path: Path) -> None:
    """Its type JSON is for what differs from row to row, its numbers have a point where a row has none."""
    duckdb = pytest.importorskip("duckdb")
    players = 4 if address == "hearts" else 2
    lines, path = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    lines.write_text("\n".join(json.dumps(random_game(address, players, seed)[0]) for seed in range(6)), "utf-8")
    duckdb.execute(f"COPY (SELECT * FROM read_json_auto('{lines}')) TO '{path}' (FORMAT parquet)")
    results = [tmp_path / f"{one.suffix[1:]}.jsonl" for one in (lines, path)]
    found = []
    for one, kept in zip((lines, path), results, strict=True):
        assert run(["check", str(one), "--results", str(kept), "-q"]) == 0
        found.append([json.loads(line) for line in kept.read_text("utf-8").splitlines()])
    asked = ("verdict", "scores", "turns", "ending")
    assert [[r.get(k) for k in asked] for r in found[0]] == [[r.get(k) for k in asked] for r in found[1]]


@pytest.mark.parametrize("name", WRITE)
@pytest.mark.parametrize("around", ["x.zip", "x.tar", "x.tar.zst"])
def test_tables_in_archives(name: str, around: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, archive = tmp_path / name, tmp_path / around
    WRITE[name](pa.table({"record": LINES}), path)
    write_members({f"t/{name}": path.read_bytes(), "b.json": LINES[0].encode()}, archive)
    assert texts(archive) == [line.encode() for line in (*LINES, LINES[0])] and not told(archive)
    assert texts(f"{archive}/t/{name}") == [line.encode() for line in LINES]
    assert texts(f"{archive}/t/{name}:17") == [LINES[16].encode()]
    assert told(f"{archive}/t/{name}:31") == [f"`{archive}/t/{name}` has no game in line 31"]
    for jobs in ("1", "2"):
        assert run(["check", str(archive), "--jobs", jobs]) == 0
        assert f"{archive}/t/{name}: clean" in capsys.readouterr().out
    write_members({name: path.read_bytes()[: path.stat().st_size // 2], "b.json": LINES[0].encode()}, archive)
    assert texts(archive)[-1] == LINES[0].encode() and len(told(archive)) == 1


@pytest.mark.parametrize("around", ["x.zip", "x.tar.zst"])
def test_tables_in_archives_that_unpack_to_anything(
    around: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MAX_SPOOLED", 1 << 20)
    write_members({"a.parquet": bytes(2 << 20), "b.json": LINES[0].encode()}, tmp_path / around)
    (problem,) = told(tmp_path / around)
    assert problem.endswith("it has more than 1 MiB and can only be read from its beginning")
    assert texts(tmp_path / around) == [LINES[0].encode()]


@pytest.mark.parametrize("name", ["a.arrow", "a.arrows"])
def test_batches_of_arrow_are_read_by_themselves(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    table = pa.table({"id": pa.array(["a", "b"] * 15).dictionary_encode(), "record": LINES})
    with (pa.ipc.new_file if name == "a.arrow" else pa.ipc.new_stream)(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)
    groups = reading.groups_of(str(path))
    assert isinstance(groups, list)
    assert [(group.before, group.rows) for group in groups] == [(0, 7), (7, 7), (14, 7), (21, 7), (28, 2)]
    found = [list(reading.read_blocks(str(path), range(g.start, g.stop), g.before)) for g in groups]
    assert [t.data for part in found for t in part if isinstance(t, Text)] == [line.encode() for line in LINES]
    assert [t.name for part in found for t in part if isinstance(t, Text)] == [f"{path}:{n}" for n in range(1, 31)]
    monkeypatch.setattr(pieces, "ROWS", 7)
    cut = list(pieces.cut([str(path)]))
    assert len(cut) == 5 and [t.name for p in cut for t in p.unpacked()] == [f"{path}:{n}" for n in range(1, 31)]


def test_dictionaries_that_change_keep_batches_together(tmp_path: Path) -> None:
    path = tmp_path / "a.arrows"
    batches = [pa.record_batch({"record": pa.array(LINES[at : at + 3]).dictionary_encode()}) for at in range(0, 30, 3)]
    with pa.ipc.new_stream(path, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    groups = reading.groups_of(str(path))
    assert isinstance(groups, list) and [group.rows for group in groups] == [30]
    assert [t.data for p in pieces.cut([str(path)]) for t in p.unpacked() if isinstance(t, Text)] == [
        line.encode() for line in LINES
    ]


def test_rows_without_a_record(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": [LINES[0], None, "", LINES[1]]}), path)
    assert told(path) == ["there is no record in this row"] and len(texts(path)) == 3
    assert run(["check", str(path), "-q"]) == 2


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_what_holds_no_records_is_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITE[name](pa.table({"a": [1]}), path)
    assert "no column contains records" in told(path)[0]
    WRITE[name](pa.table({"record": [1]}), path)
    assert "has the type `int64`: texts (`string`, `binary`) and records (`struct`) are read" in told(path)[0]
    WRITE[name](pa.table({"record": pa.array([{"a": b"\xff"}])}), path)
    assert told(path) == ["the columns of this row are not a record"]
    WRITE[name](pa.table({"record": pa.array([], pa.string())}), path)
    assert told(path) == ["the table is empty"]
    path.write_bytes(b"")
    assert told(path)
    (tmp_path / "x").rename(path) if (tmp_path / "x").exists() else path.unlink()
    assert told(path) == ["there is no such file"]


@one_day_in(8)
@pytest.mark.parametrize("times", few_or_many(20, 600))
@pytest.mark.parametrize("name", WRITE)
def test_damaged_tables_are_findings(name: str, times: int, tmp_path: Path) -> None:
    """In a process of its own: what must not happen might end it."""
    path, columns = tmp_path / name, tmp_path / f"columns_{name}"
    WRITE[name](pa.table({"record": LINES}), path)
    WRITE[name](pa.Table.from_pylist(GAMES), columns)
    script = f"""
import random
from pathlib import Path
from pwtool.checking.pieces import cut
from pwtool.records.inputs import read_texts
rng = random.Random({times})
for path in map(Path, {[str(path), str(columns)]!r}):
    data = path.read_bytes()
    for _ in range({times}):
        made = bytearray(data)
        if rng.random() < 0.2:
            del made[rng.randrange(len(made)):]
        for _ in range(rng.randrange(1, 6)):
            at = rng.choice([rng.randrange(len(made) or 1), max(0, len(made) - 1 - rng.randrange(3000)), rng.randrange(400)])
            made[at:at + 1] = bytes([rng.randrange(256)])
        path.write_bytes(made)
        for text in (*read_texts(str(path)), *(text for piece in cut([str(path)]) for text in piece.unpacked())):
            text.document() if hasattr(text, "data") else text
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def bombs(folder: Path) -> list[Path]:
    """Small files that would unpack to gigabytes."""
    big, rows = "x" * (8 << 20), 4096
    found = []

    def put(name: str, table: Any, **options: Any) -> None:
        found.append(folder / name)
        parquet.write_table(table, found[-1], compression="zstd", **options)

    one = pa.array([big])
    put("repeated.parquet", pa.table({"record": pa.DictionaryArray.from_arrays(pa.array([0] * rows), one)}))
    lists = pa.ListArray.from_arrays([0, 1 << 20], pa.DictionaryArray.from_arrays(pa.array([0] * (1 << 20)), one))
    put("lists.parquet", pa.table({"record": pa.StructArray.from_arrays([lists], ["a"])}))
    many = pa.ListArray.from_arrays([0, 30 << 20], pa.nulls(30 << 20, pa.int32()))
    put("nulls.parquet", pa.table({"record": pa.StructArray.from_arrays([many], ["a"])}))
    put("page.parquet", pa.table({"record": ["x" * (80 << 20)]}), use_dictionary=False, data_page_size=1 << 30)
    put("differences.parquet", pa.table({"record": [[big[: 1 << 20]] * 40]}), use_dictionary=False,
        column_encoding={"record.list.element": "DELTA_BYTE_ARRAY"})  # fmt: skip
    room = pa.py_buffer(bytes(260 << 20))
    for name, compression in (("a.arrow", "zstd"), ("b.feather", "lz4")):
        found.append(folder / name)
        table = pa.table(
            {
                "record": pa.Array.from_buffers(
                    pa.binary(), 1, [None, pa.py_buffer(bytes(4) + (260 << 20).to_bytes(4, "little")), room]
                )
            }
        )
        with pa.ipc.new_file(found[-1], table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out:
            out.write_table(table)
    return found


@one_day_in(7)
def test_bombs_are_told_within_bounds(tmp_path: Path) -> None:
    for path in bombs(tmp_path):
        script = f"""
import resource
from pwtool.records.inputs import Text, read_texts
import pyarrow.parquet, pyarrow.ipc, pyarrow.compute
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = 0
for text in read_texts({str(path)!r}):
    count += 1
    if count > 20:
        break
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (path.name, done.stderr[-2000:])
        count, more = map(int, done.stdout.split())
        assert count and more < 700, (path.name, more)


def test_bounds_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"record": LINES}), path)
    monkeypatch.setattr(bounds, "MAX_PAGE", 100)
    assert told(path) == ["the rest of the table is not read: a page unpacks to more than 0 MiB"]


def test_a_second_record_in_a_row_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    parquet.write_table(pa.table({"game": [LINES[0], "a title", None], "record": LINES[1:4]}), path)
    assert texts(path) == [line.encode() for line in LINES[1:4]]
    assert told(path) == ["another record, in the column `game`, is not read: the one in `record` is"]
