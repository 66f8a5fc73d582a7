"""Results that are written to a file, with finished pieces kept so that an interrupted run can continue.

The findings of a piece are stored in a file of their own (a *part*), named by a hash of everything that determines it:
the bytes that were judged, their place, and the rules and program. A part is complete or absent; if a run finds the
part of a piece, it need not judge the piece again, whatever else was added, changed or removed. At the end the parts
are joined in the order of the files.
"""

from __future__ import annotations

import errno
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pwtool import __version__
from pwtool.checking.accepted import Accepted
from pwtool.checking.archives import Checker
from pwtool.checking.pieces import Piece
from pwtool.checking.report import NotKept
from pwtool.checking.rows import Part, pack_part, unpack_part
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text.regex import regex
from pwtool.text.store import reason_of, write_whole, written_whole

FORMATS = (".jsonl", ".parquet", ".duckdb")
# Parts, and the files that a killed run left unfinished.
_PART = regex(r"[0-9a-f]{64}|\.[0-9a-f]{64}\.[0-9a-f]{8}\.part")
_RUN = "run"
"""The name of the file beside the parts that says which run they belong to."""
_SUM = 4
"""The bytes of a checksum, with which a part begins."""
_BATCH = 20_000
"""The number of rows written at once."""


class Run(Struct, frozen=True):
    """What a run judges, and what else determines its results: files by their absolute names, and options by theirs."""

    files: list[str]
    options: dict[str, str]

    def differs(self, earlier: Run) -> list[str]:
        """The options that are not those of an earlier run, and `FILE` if one of its files is missing."""
        files = ["FILE"] if set(earlier.files) - set(self.files) else []
        names = {**earlier.options, **self.options}
        return files + [name for name in names if self.options.get(name) != earlier.options.get(name)]


class Parts(Struct, frozen=True):
    """The parts of a run in their folder. `judged_by` names what else determines the results: rulesets, readings,
    language; `reused`: whether parts of an earlier run may be used for pieces.
    """

    folder: Path
    judged_by: str
    reused: bool = False

    @staticmethod
    def beside(target: Path, checker: Checker, reused: bool, accepted: Accepted | None = None) -> Parts:
        """The parts for a results file, in a folder next to it."""
        ruleset_store = checker.ruleset_store
        asked = [
            __version__, *checker.addresses, "readings", *ruleset_store.readings, str(ruleset_store.as_printed), *ruleset_store.rules_from,
            checker.language, str(checker.causes), str(checker.budget.most), repr(accepted or Accepted()),
        ]  # fmt: skip
        return Parts(folder_of(target), "\0".join(asked), reused)

    def run(self) -> Run | None:
        """The run that these parts and the results belong to; None if it is not known."""
        try:
            return msgspec.json.decode((self.folder / _RUN).read_bytes(), type=Run)
        except (OSError, msgspec.MsgspecError):
            return None

    def begin(self, run: Run) -> None:
        """Store which run the parts belong to; raises `NotKept`."""
        try:
            write_whole(self.folder / _RUN, msgspec.json.encode(run))
        except OSError as error:
            raise NotKept(reason_of(error)) from error

    def name(self, piece: Piece) -> str:
        """The name of a piece's part."""
        # Of the hashes that are safe, the one for which processors have instructions.
        made = sha256(self.judged_by.encode("utf-8", "surrogatepass"))
        for chunk in piece.contents():
            made.update(len(chunk).to_bytes(8, "little"))
            made.update(chunk)
        return made.hexdigest()

    def find(self, name: str, ruleset_store: RulesetStore) -> Part | None:
        """A part of an earlier run that is still valid; None if there is none, or its rules have changed since."""
        if not self.reused:
            return None
        try:
            part = self.read(name)
        except (OSError, ValueError):
            return None
        return part if all(_version(ruleset_store, a) == version for a, version in part.versions.items()) else None

    def read(self, name: str) -> Part:
        """Read an existing part; raises `OSError`, `ValueError`."""
        data = (self.folder / name).read_bytes()
        try:
            if zlib.crc32(data[_SUM:]).to_bytes(_SUM, "little") == data[:_SUM]:
                return unpack_part(data[_SUM:])
        except msgspec.MsgspecError as error:
            raise ValueError(f"{name} is damaged") from error
        raise ValueError(f"{name} is damaged")

    def write(self, name: str, part: Part, ruleset_store: RulesetStore) -> None:
        """Write a part; raises `NotKept`."""
        part.versions = {address: _version(ruleset_store, address) for address in part.versions}
        try:
            # Not compressed: that would take longer than judging another such piece.
            data = pack_part(part)
            write_whole(self.folder / name, zlib.crc32(data).to_bytes(_SUM, "little") + data)
        except OSError as error:
            raise NotKept(reason_of(error)) from error

    def rows(self, names: list[str], told: Sequence[Mapping[int, bytes]]) -> Iterator[bytes]:
        """All rows of these parts, in order; `told` are those of each part that are told in full, by number."""
        for name, instead in zip(names, told, strict=True):
            for number, row in enumerate(self.read(name).rows):
                yield instead.get(number, row)

    def kept(self) -> list[Path]:
        """The existing parts; other files in their folder are ignored."""
        try:
            return [path for path in self.folder.iterdir() if _PART.fullmatch(path.name)]
        except OSError:
            return []

    def remove(self) -> None:
        """Delete the parts, and their folder if nothing else is in it."""
        for path in (*self.kept(), self.folder / _RUN):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()


def folder_of(target: Path) -> Path:
    """The folder with the parts of a results file."""
    return target.with_name(f"{target.name}.parts")


def _version(ruleset_store: RulesetStore, address: str) -> str | None:
    book = ruleset_store.get(address).value
    return None if book is None else book.game.ruleset.version


# ---- formats


def write_results(target: Path, rows: Iterator[bytes]) -> None:
    """Write rows (lines of JSON), whole or not at all, to a file whose extension gives the format. Raises `OSError`, and `ImportError`
    if the package that writes it is missing.
    """
    _WRITERS[target.suffix.lower()](target, rows)


def needs(target: Path) -> str | None:
    """The package needed to write such a file, if it is missing."""
    from importlib.util import find_spec

    wanted = {".parquet": ["pyarrow"], ".duckdb": ["duckdb", "pyarrow"]}.get(target.suffix.lower(), [])
    return next((name for name in wanted if find_spec(name) is None), None)


def _write_lines(target: Path, rows: Iterator[bytes]) -> None:
    with written_whole(target) as stream:
        while some := list(islice(rows, _BATCH // 10)):
            stream.write(b"\n".join(some) + b"\n")


def _write_parquet(target: Path, rows: Iterator[bytes]) -> None:
    from pyarrow import RecordBatch, parquet

    schema = _schema()
    with written_whole(target) as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for batch in _batches(rows):
            writer.write_batch(RecordBatch.from_pylist(batch, schema=schema))


def _write_duckdb(target: Path, rows: Iterator[bytes]) -> None:
    import duckdb
    import pyarrow as pa
    from pyarrow import Table

    schema = _schema().append(pa.field("game", pa.int64()))
    part = target.with_name(f".{target.name}.part")
    log = part.with_name(f"{part.name}.wal")
    _remove(part, log)
    try:
        with duckdb.connect(str(part)) as database:
            batch = Table.from_pylist([], schema=schema)
            database.register("batch", batch)
            database.execute("create table games as select * exclude (findings) from batch")
            database.execute(f"create table findings as select {_FINDING} from batch")
            for found in _batches(rows):
                database.register("batch", Table.from_pylist(found, schema=schema))
                database.execute("insert into games select * exclude (findings) from batch")
                database.execute(f"insert into findings select {_FINDING} from batch")
            # Flush explicitly: errors that occur when a file is closed are not reported.
            database.execute("checkpoint")
        part.replace(target)
    except duckdb.Error as error:
        raise OSError(errno.EIO, str(error).splitlines()[0].rpartition(": ")[2]) from error
    finally:
        _remove(part, log)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


_FINDING = "game, file, line as document_line, id, ruleset, unnest(findings, recursive := true)"
_WRITERS: dict[str, Callable[[Path, Iterator[bytes]], None]] = {
    ".jsonl": _write_lines, ".parquet": _write_parquet, ".duckdb": _write_duckdb,
}  # fmt: skip


def _batches(rows: Iterator[bytes]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for number, row in enumerate(rows, 1):
        data = {**msgspec.json.decode(row), "game": number}
        # A map in Arrow: its keys depend on the ruleset.
        data["lines"] = [list(lines.items()) for lines in data["lines"]]
        batch.append(data)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _schema() -> Any:
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    finding = pa.struct(
        [
            ("code", text), ("severity", text), ("rule", text), ("turn", number), ("action", number), ("line", number),
            ("column", number), ("message", text), ("follows", pa.bool_()),
        ]
    )  # fmt: skip
    claim = pa.struct([("objective", text), ("turn", number)])
    return pa.schema(
        [
            ("file", text), ("line", pa.int64()), ("id", text), ("ruleset", text), ("version", text), ("verdict", text),
            ("cut_short", pa.bool_()), ("code", text), ("rule", text), ("turn", number), ("action", number), ("players", pa.list_(text)),
            ("turns", number), ("actions", number), ("over", pa.bool_()), ("ending", text), ("ending_turn", number),
            ("scores", pa.list_(pa.int64())), ("places", pa.list_(number)),
            ("lines", pa.list_(pa.map_(text, pa.int64()))),
            ("claims", pa.list_(claim)), ("engine", text), ("findings", pa.list_(finding)),
            ("explained", pa.bool_()),
        ]
    )  # fmt: skip
