"""Writing packed records as Parquet: one row for each, with the vocabularies in the file's metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.records.tables.rows import Row
from pwtool.records.tables.vocabulary import Vocabulary

FORM = "pwtool-packed/1"
KEY = "pwtool"
GROUP = 4096
"""The number of rows of a row group: what one process takes at a time."""
LEVEL = 9
COLUMNS = ("id", "ruleset", "version", "players", "turns", "scores", "words", "game", "rest", "text")
_BYTES = 8 << 20
"""The approximate limit for unpacked texts in a row group."""


class Header(Struct, frozen=True):
    """The metadata of a file of packed records."""

    form: str
    vocabularies: tuple[Vocabulary, ...]


def schema() -> Any:
    """The columns as an Arrow schema."""
    import pyarrow as pa

    text = pa.string()
    types = (
        text, text, text, pa.list_(text), pa.int32(), pa.list_(pa.int64()), pa.int16(), pa.binary(), text, pa.binary(),
    )  # fmt: skip
    return pa.schema(list(zip(COLUMNS, types, strict=True)))


class PackedWriter(Struct):
    """Writes rows, group by group."""

    writer: Any
    vocabularies: dict[Vocabulary, int] = field(default_factory=dict)
    _held: list[Row] = field(default_factory=list)
    _size: int = 0

    def add(self, rows: Sequence[Row], vocabularies: Sequence[Vocabulary]) -> None:
        """Add rows that refer to these vocabularies by number."""
        numbers = [self.vocabularies.setdefault(words, len(self.vocabularies)) for words in vocabularies]
        for row in rows:
            self._held.append(row if row.words is None else replace(row, words=numbers[row.words]))
            self._size += len(row.game or b"") + len(row.text or b"")
            if len(self._held) >= GROUP or self._size >= _BYTES:
                self.flush()

    def flush(self) -> None:
        """Write the pending rows as a row group."""
        import pyarrow as pa

        if self._held:
            columns = [[getattr(row, name) for row in self._held] for name in COLUMNS]
            made = schema()
            arrays = [pa.array(values, kind) for values, kind in zip(columns, made.types, strict=True)]
            self.writer.write_table(pa.Table.from_arrays(arrays, schema=made), row_group_size=GROUP)
        self._held, self._size = [], 0


@contextmanager
def packed_writer(stream: BinaryIO, level: int = LEVEL) -> Iterator[PackedWriter]:
    """A writer of rows into a stream; the same rows give the same bytes."""
    from pyarrow import parquet

    dictionary = ["ruleset", "version", "players.list.element", "words"]
    with parquet.ParquetWriter(
        stream, schema(), compression="zstd", compression_level=level, use_dictionary=dictionary,
        data_page_size=8 << 20, write_statistics=["id", "ruleset", "turns"], store_schema=False,
    ) as written:  # fmt: skip
        made = PackedWriter(written)
        yield made
        made.flush()
        header = Header(FORM, tuple(made.vocabularies))
        written.add_key_value_metadata({KEY: msgspec.json.encode(header).decode()})
