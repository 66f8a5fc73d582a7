"""Reading records from tables: packed ones from Parquet, row group by row group, and tables of other programs.

Packed rows come in blocks for the kernels; each row is also available as the text of a record, named by the file and
its number, counted from 1.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from pwtool.records.containers import Lines, damage_of, open_seekable, spooled, suffix_of
from pwtool.records.file_names import has_groups
from pwtool.records.inputs import MAX_FILE, Document, Text
from pwtool.records.tables.arrow import arrow_batches, arrow_groups
from pwtool.records.tables.bounds import Chunk, Group, Malformed, TooLarge, chunks_of, footer_of, rows_at_once
from pwtool.records.tables.compact import MAX_GAME, Damaged
from pwtool.records.tables.foreign import NoRecords, column_of, rows_of
from pwtool.records.tables.rows import Row, is_beside, unpacked
from pwtool.records.tables.vocabulary import Vocabulary
from pwtool.records.tables.writing import COLUMNS, FORM, KEY, Header, schema
from pwtool.records.words import MAX_NAME, MAX_PLAYERS
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.text.terminal import dump_json

_DICTIONARIES = ("ruleset", "version", "players.list.element")
_BATCH = 4096
MAX_ID = 1000


class Unreadable(Exception):
    """A file that is not a table of records, or is damaged; the argument says why."""


class Block(Struct, frozen=True):
    """Consecutive rows of packed records: `first` is the number of the first one in its file."""

    file: str
    first: int
    vocabularies: tuple[Vocabulary, ...]
    batch: Any

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def name(self, at: int) -> str:
        """The name of a row."""
        return f"{self.file}:{self.first + at}"

    def row(self, at: int) -> Row:
        """A row; raises `ValueError` if it has no text where it should."""
        try:
            return Row(*(self.batch.column(number)[at].as_py() for number in range(len(COLUMNS))))
        except IndexError as error:
            # A dictionary value whose index is out of range.
            raise Damaged from error

    def text(self, at: int) -> Text | Document:
        """The record of a row as text, or the problem with the row."""
        name, line = self.name(at), self.first + at
        try:
            row = self.row(at)
            if row.text is not None:
                # A record of several lines is treated as a separate file: its findings name the line in it.
                if b"\n" in row.text:
                    return Text(name, name, row.text, limit=MAX_FILE, command=name)
                return Text(name, self.file, row.text, line, MAX_FILE, name)
            if row.words is None or not 0 <= row.words < len(self.vocabularies):
                raise Damaged
            data = dump_json(unpacked(row, self.vocabularies[row.words])).encode()
        except ValueError:
            problem = Diagnostic(
                "PW703", Told("row {line} of the table is damaged: it cannot be unpacked", line=str(line)), file=name
            )
            return Document(name, None, (problem,), name)
        return Text(name, self.file, data, line, MAX_FILE, name)

    def texts(self) -> Iterator[Text | Document]:
        """All rows as text."""
        return map(self.text, range(len(self)))

    def head(self, at: int) -> tuple[list[str], str | None]:
        """The players of a packed row, and its id."""
        return self.column("players")[at].as_py(), self.column("id")[at].as_py()

    def rulesets(self) -> list[str]:
        """The rulesets that the records name."""
        said = self.column("ruleset")
        return [name for name in _plain(said.dictionary if hasattr(said, "dictionary") else said.unique()) if name]

    def contents(self) -> Iterator[bytes]:
        """Everything that determines the result: names, places and bytes."""
        import pyarrow as pa

        yield self.name(0).encode("utf-8", "surrogatepass")
        yield msgspec.json.encode(self.vocabularies)
        # Not `serialize`, which leaves out dictionaries that are written once.
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.batch.schema) as writer:
            writer.write_batch(self.batch)
        yield sink.getvalue().to_pybytes()

    def size(self) -> int:
        """Its size in bytes."""
        return int(self.batch.nbytes)

    def column(self, name: str) -> Any:
        """A column as an Arrow array."""
        return self.batch.column(COLUMNS.index(name))


def groups_of(file: str) -> list[Group] | Document:
    """The groups of rows of a table that can be read separately, or the problem with it."""
    try:
        with _opened(file) as stream:
            if has_groups(file):
                return _Table(stream).groups()
            with _guarded():
                return arrow_groups(stream)
    except Unreadable as problem:
        return _problem(file, problem)


def read_blocks(file: str, part: range | None = None, before: int = 0) -> Iterator[Block | Text | Document]:
    """The rows of a table, or those from the beginning of one group to the end of another, after this many rows."""
    try:
        with _opened(file) as stream:
            yield from _blocks(stream, file, part, before)
    except Unreadable as problem:
        yield _problem(file, problem)


def blocks_of(stream: BinaryIO, file: str) -> Iterator[Block | Text | Document]:
    """The rows of a table that is a member of something else."""
    try:
        _need_pyarrow(file)
        try:
            copy = spooled(stream)
        except OSError as error:
            raise Unreadable(damage_of(error)) from error
        with copy as whole:
            for block in _blocks(whole, file, None, 0):
                if isinstance(stream, Lines):
                    stream.found_game()
                yield block
    except Unreadable as problem:
        yield _problem(file, problem)


def _blocks(stream: BinaryIO, file: str, part: range | None, before: int) -> Iterator[Block | Text | Document]:
    table = _Table(stream) if has_groups(file) else None
    with _guarded():
        for batch in arrow_batches(stream, part) if table is None else table.batches(part):
            if table is None or table.vocabularies is None:
                yield from rows_of(batch, file, before)
            else:
                yield Block(file, before + 1, table.vocabularies, batch)
            before += batch.num_rows
    if part is None and not before:
        found = Diagnostic("PW705", Told("the table is empty"), file=file)
        yield Document(file, None, (found,), file)


def read_row(file: str, number: int) -> Text | Document:
    """The record in one row."""
    groups = groups_of(file)
    if isinstance(groups, Document):
        return groups
    name = f"{file}:{number}"
    for group in groups:
        if not group.before < number <= group.before + group.rows:
            continue
        for one in read_blocks(file, range(group.start, group.stop), group.before):
            if isinstance(one, Block) and one.first <= number < one.first + len(one):
                return one.text(number - one.first)
            if not isinstance(one, Block) and one.name in (name, file):
                return one
    missing = Diagnostic("PW705", Told("`{file}` has no row {number}", file=file, number=str(number)), file=name)
    return Document(name, None, (missing,), name)


def _problem(file: str, problem: Unreadable) -> Document:
    found = problem.args[0]
    if not isinstance(found, Diagnostic):
        found = Diagnostic("PW703", found, file=file)
    return Document(file, None, (found,), file)


class _Layout(Struct, frozen=True):
    """The metadata of a Parquet file: where its chunks are, pyarrow's view of it, and the vocabularies of packed
    records (None: a table of another program).
    """

    chunks: list[list[Chunk]]
    metadata: Any
    dictionaries: list[str]
    vocabularies: tuple[Vocabulary, ...] | None


@lru_cache(maxsize=4)
def _layout(footer: bytes) -> _Layout:
    """Parse a footer. Each piece of a long table is read separately, and the footer grows with the table, so this is cached."""
    from pyarrow import parquet

    chunks = chunks_of(footer)
    # A file that consists of its end only: all that is read here is in it.
    metadata = parquet.read_metadata(BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"))
    fields = metadata.schema
    if len(chunks) != metadata.num_row_groups or any(len(group) != len(fields) for group in chunks):
        raise Malformed
    said = (metadata.metadata or {}).get(KEY.encode())
    if said is None:
        column_of(fields.to_arrow_schema())
        texts = [c.path for c in map(fields.column, range(len(fields))) if c.physical_type == "BYTE_ARRAY"]
        return _Layout(chunks, metadata, texts, None)
    if tuple(fields.to_arrow_schema().names) != COLUMNS:
        raise Unreadable(Told("the columns are not those of packed records"))
    return _Layout(chunks, metadata, list(_DICTIONARIES), read_header(said))


class _Table:
    """An open Parquet file: packed records with their vocabularies, or a table of another program (None)."""

    def __init__(self, stream: BinaryIO) -> None:
        from pyarrow import parquet

        self.stream = stream
        with _guarded():
            layout = _layout(footer_of(stream))
            self.chunks, self.vocabularies = layout.chunks, layout.vocabularies
            self.schema = layout.metadata.schema
            self.file = parquet.ParquetFile(
                stream, metadata=layout.metadata, read_dictionary=layout.dictionaries, pre_buffer=False,
                buffer_size=1 << 20,
            )  # fmt: skip

    def groups(self) -> list[Group]:
        """The row groups."""
        found, before = [], 0
        for number in range(self.file.metadata.num_row_groups):
            group = self.file.metadata.row_group(number)
            size = sum(chunk.size for chunk in self.chunks[number])
            found.append(Group(number, number + 1, before, group.num_rows, size))
            before += group.num_rows
        return found

    def batches(self, numbers: range | None) -> Iterator[Any]:
        """The record batches of these row groups."""
        for number in numbers if numbers is not None else range(self.file.metadata.num_row_groups):
            if not self.file.metadata.row_group(number).num_rows:
                continue
            rows = rows_at_once(self.stream, self.chunks[number], self.schema, _BATCH)
            for batch in self.file.iter_batches(rows, row_groups=[number], use_threads=False):
                if batch.num_rows:
                    yield batch if self.vocabularies is None else _of_columns(batch)


def _need_pyarrow(file: str) -> None:
    if find_spec("pyarrow") is None:
        message = Told(
            "reading {suffix} files needs the package {package}", suffix=suffix_of(file), package="`pyarrow`"
        )
        help_line = Told("install it with the extra: {command}", command="`pip install pwtool[archive]`")
        raise Unreadable(Diagnostic("PW703", message, file=file, help=help_line))


def _opened(file: str) -> BinaryIO:
    _need_pyarrow(file)
    try:
        opened = open_seekable(file)
    except OSError as error:
        raise Unreadable(damage_of(error)) from error
    if isinstance(opened, Diagnostic):
        raise Unreadable(opened)
    return opened


class _guarded:
    """Turn the exceptions for damaged files into `Unreadable`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import pyarrow as pa

        if error is None or isinstance(error, Unreadable | GeneratorExit):
            return
        if isinstance(error, OSError) and error.errno == errno.EIO:
            raise Unreadable(damage_of(error)) from error
        if isinstance(error, TooLarge):
            raise Unreadable(Told("the rest of the table is not read: {reason}", reason=error.args[0])) from error
        if isinstance(error, NoRecords):
            raise Unreadable(error.args[0]) from error
        if isinstance(error, pa.ArrowException | OSError | ValueError | MemoryError | LookupError | TypeError):
            raise Unreadable(Told("the table is damaged, the rest of it cannot be read")) from error


def _of_columns(batch: Any) -> Any:
    """A batch with the types of packed records; repeated texts stay as they are stored."""
    for column, (name, kind) in zip(batch.columns, zip(COLUMNS, schema().types, strict=True), strict=True):
        found = column.type
        if name in ("ruleset", "version") and hasattr(found, "value_type"):
            found = found.value_type
        if name == "players" and hasattr(found.value_type, "value_type"):
            continue
        if found != kind:
            raise Unreadable(Told("the column `{name}` does not have the form of packed records", name=name))
    return batch


@lru_cache(maxsize=64)
def read_header(said: bytes) -> tuple[Vocabulary, ...]:
    """The vocabularies of a file; raises `Unreadable`."""
    try:
        header = msgspec.json.decode(said, type=Header)
    except msgspec.MsgspecError as error:
        raise Unreadable(Told("the description of the packed records is damaged")) from error
    if header.form != FORM:
        raise Unreadable(Told("the records are packed in a format that this version does not know"))
    for words in header.vocabularies:
        if problem := words.problem():
            raise Unreadable(Told("a vocabulary of the packed records cannot be used: {reason}", reason=problem))
    return header.vocabularies


class Packed(Struct, frozen=True):
    """The rows of a block that kernels of a vocabulary can judge directly: their places in the block, the bytes of
    their games in one piece, and for each its offset, size and number of players.
    """

    rows: Any
    block: memoryview
    table: bytes


def packed_rows(block: Block, words: Vocabulary, ruleset: str | None, version: str | None) -> Packed:
    """The packed rows of a block with this vocabulary, or with that of games alone; with a `ruleset`, those that name it,
    and no other version.
    """
    import numpy as np

    known = (words, words.without_positions())
    alike = [number for number, other in enumerate(block.vocabularies) if other in known]
    good = _are_among(_integers(block.column("words")), alike)
    if ruleset is not None:
        good &= _texts_are(block.column("ruleset"), ruleset)
        said = block.column("version")
        good &= ~_valid(said) | _texts_are(said, version)
    good &= ~_valid(block.column("text")) & _are_texts(block.column("id"))
    rest = block.column("rest")
    if rest.null_count < len(rest):
        good &= [text is None or is_beside(text) for text in _plain(rest)]
    seats, named = _seats(block.column("players"))
    good &= named
    games = block.column("game")
    data, starts = _bytes_of(games)
    sizes = starts[1:] - starts[:-1]
    good &= _valid(games) & (sizes <= MAX_GAME)
    rows = np.flatnonzero(good)
    begin, end = int(starts[0]), int(starts[-1])
    table = np.stack([starts[:-1][rows] - begin, sizes[rows], seats[rows]], 1).astype(np.uint32)
    return Packed(rows, data[begin:end], table.tobytes())


def _valid(column: Any) -> Any:
    """Which values are not null. pyarrow's own function would import all of its compute module."""
    import numpy as np

    bits, count = column.buffers()[0], len(column)
    if bits is None:
        return np.ones(count, bool)
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[column.offset :][:count].astype(bool)


def _integers(column: Any) -> Any:
    """The values of a column of integers, -1 for null."""
    import numpy as np

    if not column.null_count:
        return np.asarray(column)
    kind = np.dtype(column.type.to_pandas_dtype())
    values = np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)
    return np.where(_valid(column), values, -1)


def _are_among(values: Any, numbers: list[int]) -> Any:
    """Which values are among these numbers."""
    import numpy as np

    # Usually there is one, and comparing is much faster than searching.
    return values == numbers[0] if len(numbers) == 1 else np.isin(values, numbers)


def _plain(column: Any) -> list[str | None]:
    try:
        found: list[str | None] = column.to_pylist()
    except UnicodeDecodeError:
        return ["no text"] * len(column)
    return found


def _texts_are(column: Any, text: str | None) -> Any:
    """Which texts of a column equal this one; null does not."""

    if not hasattr(column, "dictionary"):
        column = column.dictionary_encode()
    numbers = [number for number, value in enumerate(_plain(column.dictionary)) if value == text]
    return _are_among(_integers(column.indices), numbers if text is not None else [])


def _are_texts(column: Any) -> Any:
    """Which values are short texts or null."""
    import numpy as np
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return np.zeros(len(column), bool)
    _, starts = _bytes_of(column)
    return starts[1:] - starts[:-1] <= MAX_ID


def _seats(column: Any) -> tuple[Any, Any]:
    """How many players each row names, and whether these are valid, distinct player names."""
    import numpy as np

    starts = np.asarray(column.offsets)
    seats = starts[1:] - starts[:-1]
    values = column.values
    if not hasattr(values, "dictionary"):
        values = values.dictionary_encode()
    names = _plain(values.dictionary)
    known = np.array([name is not None and 0 < len(name) <= MAX_NAME for name in names] + [False])
    # Among equal names in the dictionary the first one counts.
    first = {name: number for number, name in reversed(list(enumerate(names)))}
    numbers = np.array([first[name] for name in names] + [len(names)])[_integers(values.indices)]
    begin, end = int(starts[0]), int(starts[-1])
    rows = np.repeat(np.arange(len(seats)), seats)
    named = _valid(column)
    inside = numbers[begin:end]
    named[rows[~known[inside]]] = False
    named[seats > MAX_PLAYERS] = False
    for apart in range(1, min(int(seats.max(initial=0)), MAX_PLAYERS)):
        alike = (inside[apart:] == inside[:-apart]) & (rows[apart:] == rows[:-apart])
        named[rows[apart:][alike]] = False
    return seats, named


def _bytes_of(column: Any) -> tuple[memoryview, Any]:
    """The bytes of a column of bytes, and where each value begins in them, with the end of the last one."""
    import numpy as np

    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int32, len(column) + 1, column.offset * 4)
    return memoryview(data if data is not None else b"").cast("B"), starts.astype(np.int64)
