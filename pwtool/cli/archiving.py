"""Writing several games into one file: archives of files (`.zip`, `.tar`) and tables (Parquet, Arrow)."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from pwtool.cli.common import fail, keep_file, open_store
from pwtool.records.containers import compressing, suffix_of
from pwtool.records.file_names import has_groups
from pwtool.records.inputs import Text
from pwtool.text.speech import Told
from pwtool.text.store import reason_of, written_whole
from pwtool.text.terminal import dump_json


def write_members(members: Mapping[str, str], output: Path, force: bool) -> None:
    """Write texts by name into an archive of files; the same texts give the same bytes."""
    keep_file(output, force)
    try:
        with written_whole(output) as whole:
            if suffix_of(output.name) == ".zip":
                _zip(members, whole)
                return
            with (
                compressing(whole, output.name) as stream,
                tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
            ):
                for name, text in members.items():
                    data = text.encode()
                    info = tarfile.TarInfo(name)
                    info.size = len(data)
                    archive.addfile(info, io.BytesIO(data))
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=output, reason=reason_of(error)))


def _zip(members: Mapping[str, str], whole: BinaryIO) -> None:
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def write_table(games: Sequence[Mapping[str, object]], output: Path, force: bool, rules_from: Sequence[str]) -> None:
    """Write records into a table: packed ones into Parquet, their texts into Arrow."""
    if find_spec("pyarrow") is None:
        fail(
            Told("writing {suffix} files needs the package {package}", suffix=output.suffix, package="`pyarrow`"),
            Told("install it with the extra: {command}", command="`pip install pwtool[archive]`"),
        )
    keep_file(output, force)
    texts = [dump_json(game) for game in games]
    try:
        with written_whole(output) as whole:
            if has_groups(output.name):
                _pack(texts, whole, rules_from)
            else:
                _arrow(texts, whole, output.suffix.lower())
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=output, reason=reason_of(error)))


def _pack(texts: Sequence[str], whole: BinaryIO, rules_from: Sequence[str]) -> None:
    from pwtool.checking.packing import Packer
    from pwtool.checking.pieces import of_texts
    from pwtool.records.tables.writing import packed_writer

    packer = Packer(open_store(rules_from=list(rules_from)))
    with packed_writer(whole) as writer:
        for piece in of_texts(Text("record", "record", text.encode()) for text in texts):
            rows = packer.pack(piece)
            writer.add(rows.rows, rows.vocabularies)


def _arrow(texts: Sequence[str], whole: BinaryIO, suffix: str) -> None:
    import pyarrow as pa

    table = pa.table({"record": pa.array(texts, pa.string())})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    new = pa.ipc.new_stream if suffix == ".arrows" else pa.ipc.new_file
    with new(whole, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1024)
