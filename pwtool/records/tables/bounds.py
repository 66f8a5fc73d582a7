"""Limits on what a table may unpack to, checked before it is unpacked from the metadata of its pages and messages.

pyarrow allocates as much memory as a page or a buffer claims to need, and a few bytes may claim gigabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from pwtool.text.speech import Told

MAX_PAGE = 64 << 20
MAX_VALUES = 16 << 20
MAX_BATCH = 128 << 20
"""Limits in Parquet: the bytes of a page, the values of a column in a row group, and approximately the bytes of a batch of rows."""
MAX_MESSAGE = 256 << 20
MAX_LENGTH = 64 << 20
"""Limits in Arrow: the bytes of a message, and the values of a column in it."""
MAX_RECORD = 2 << 20
"""The limit for the bytes of a record that is not a text."""
_HEADER = 64 << 10


class TooLarge(Exception):
    """Something exceeds a limit; the argument says what."""


class Malformed(ValueError):
    """The description of a page or a message is invalid."""


# ---- Parquet


class Group(NamedTuple):
    """Rows of a table that can be read separately: start and end (row groups of Parquet by number, messages of Arrow by
    offset), the number of rows before them, their number, and their bytes in the file.
    """

    start: int
    stop: int
    before: int
    rows: int
    size: int


class Chunk(NamedTuple):
    """The part of a column in a row group: its values, its bytes in the file, and where its first page begins."""

    values: int = 0
    size: int = 0
    start: int = 0


def footer_of(stream: BinaryIO) -> bytes:
    """The footer at the file's end, which describes all of it; raises `Malformed`."""
    end = stream.seek(0, 2)
    stream.seek(max(0, end - 8))
    size, mark = struct.unpack("<I4s", stream.read(8)) if end >= 12 else (0, b"")
    if mark != b"PAR1" or not 0 < size <= end - 12:
        raise Malformed
    stream.seek(end - 8 - size)
    return stream.read(size)


def chunks_of(footer: bytes) -> list[list[Chunk]]:
    """The chunks of each row group, by column, as described in a footer; raises `Malformed`. pyarrow crashes the
    process if it is asked for a chunk with contradictory metadata.
    """
    reader = _Thrift(footer)
    groups: list[list[Chunk]] = []
    try:
        for number, kind in reader.fields():
            if number == 4 and kind == 9:
                groups = [_chunks(reader) for _ in reader.items(12)]
            else:
                reader.skip(kind)
    except IndexError as error:
        raise Malformed from error
    return groups


def _chunks(reader: _Thrift) -> list[Chunk]:
    found: list[Chunk] = []
    for number, kind in reader.fields():
        if number == 1 and kind == 9:
            found = [_chunk(reader) for _ in reader.items(12)]
        else:
            reader.skip(kind)
    return found


def _chunk(reader: _Thrift) -> Chunk:
    found = Chunk()
    for number, kind in reader.fields():
        if number != 3 or kind != 12:
            reader.skip(kind)
            continue
        said: dict[int, int] = {}
        for inner, inner_kind in reader.fields():
            if inner in (5, 7, 9, 11) and inner_kind in (4, 5, 6):
                said[inner] = reader.number()
            else:
                reader.skip(inner_kind)
        starts = [said.get(9, 0), *([said[11]] if said.get(11, 0) > 0 else [])]
        found = Chunk(said.get(5, 0), said.get(7, 0), min(starts))
    if min(found) < 0:
        raise Malformed
    return found


def rows_at_once(stream: BinaryIO, chunks: list[Chunk], schema: Any, most: int) -> int:
    """How many rows of a row group may be read at once; raises `TooLarge`, `Malformed`. `schema` is the file's schema."""
    largest, whole = 1, 0
    for at, chunk in enumerate(chunks):
        place, values = chunk.start, 0
        repeats = False
        end = place + chunk.size
        pages = []
        while place < end and values < max(1, chunk.values):
            stream.seek(place)
            size, page = _page(stream.read(_HEADER))
            if not 0 <= page.unpacked <= MAX_PAGE:
                raise TooLarge(Told("a page unpacks to more than {most} MiB", most=MAX_PAGE >> 20))
            if page.packed < 0 or page.values < 0:
                raise Malformed
            if page.encoding == _DELTA_BYTES and schema.column(at).max_repetition_level:
                raise TooLarge(Told("lists of texts in delta encoding are not read, because their size has no limit"))
            repeats = repeats or page.encoding in _REPEATING
            pages.append(page.unpacked)
            values += page.values
            place += size + page.packed
        if values > MAX_VALUES or chunk.values > MAX_VALUES:
            raise TooLarge(Told("a row group has more than {most} values of a column", most=MAX_VALUES))
        # If values refer to others, each may be as long as a page.
        whole += values * max(pages, default=0) if repeats else sum(pages)
        largest = max([largest, *pages])
    return most if whole <= MAX_BATCH else max(1, min(most, MAX_BATCH // largest))


_DELTA_BYTES = 7
_REPEATING = (2, 7, 8)
"""Encodings in which a value may refer to another one, or to its difference from it."""


class _Page:
    unpacked = packed = values = encoding = 0


def _page(data: bytes) -> tuple[int, _Page]:
    """The size of a page's header, and its contents: if a field is repeated, the last one counts, as in other readers."""
    reader, page = _Thrift(data), _Page()
    try:
        for number, kind in reader.fields():
            if number in (2, 3) and kind in (4, 5, 6):
                value = reader.number()
                if number == 2:
                    page.unpacked = value
                else:
                    page.packed = value
            elif number in (5, 8) and kind == 12:
                page.values = 0
                for inner, inner_kind in reader.fields():
                    if inner == 1 and inner_kind in (4, 5, 6):
                        page.values = reader.number()
                    elif inner == (2 if number == 5 else 4) and inner_kind in (4, 5, 6):
                        page.encoding = reader.number()
                    else:
                        reader.skip(inner_kind)
            else:
                reader.skip(kind)
    except IndexError as error:
        raise Malformed from error
    return reader.at, page


class _Thrift:
    """The compact protocol of Thrift, as far as it is needed here."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        raise Malformed

    def number(self) -> int:
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """The fields of a struct, by number and kind; each has to be read before the next one."""
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.number()
            yield number, head & 15

    def items(self, kind: int) -> range:
        """The numbers of a list's items, which have to be of this kind."""
        count, found = self._list()
        if found != kind and count:
            raise Malformed
        return range(count)

    def _list(self) -> tuple[int, int]:
        head = self.byte()
        count = head >> 4
        if count == 15:
            count = self.unsigned()
        if count > len(self.data):
            raise Malformed
        return count, head & 15

    def skip(self, kind: int, depth: int = 0) -> None:
        if depth > 8:
            raise Malformed
        if kind in (1, 2):
            return
        if kind in (3, 7):
            self.at += 1 if kind == 3 else 8
        elif kind in (4, 5, 6):
            self.unsigned()
        elif kind == 8:
            size = self.unsigned()
            self.at += size
        elif kind == 12:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in (9, 10):
            count, inner = self._list()
            for _ in range(count):
                # A Boolean field is encoded in its kind; in a list it is a byte.
                self.skip(3 if inner in (1, 2) else inner, depth + 1)
        else:
            raise Malformed


# ---- Arrow


def check_message(metadata: bytes, body: memoryview) -> None:
    """Raise `TooLarge` or `Malformed` for a message whose buffers claim too much."""
    try:
        root = _Table(metadata, struct.unpack_from("<I", metadata)[0])
        kind, header = root.scalar(1, "<B"), root.table(2)
        if kind == 2 and header is not None:
            header = header.table(1)
        if kind not in (2, 3) or header is None:
            return
        if not 0 <= header.scalar(0, "<q") <= MAX_VALUES:
            raise TooLarge(Told("a batch has more than {most} rows", most=MAX_VALUES))
        for length, _ in header.pairs(1):
            if not 0 <= length <= MAX_LENGTH:
                raise TooLarge(Told("a batch has more than {most} values of a column", most=MAX_LENGTH))
        packed, size = header.table(3) is not None, 0
        for offset, length in header.pairs(2):
            if offset < 0 or length < 0 or offset + length > len(body):
                raise Malformed
            asked = struct.unpack_from("<q", body, offset)[0] if packed and length >= 8 else -1
            size += length if asked < 0 else asked
        if size > MAX_MESSAGE:
            raise TooLarge(Told("a batch unpacks to more than {most} MiB", most=MAX_MESSAGE >> 20))
    except (struct.error, IndexError) as error:
        raise Malformed from error


def rows_of_batch(metadata: bytes) -> int | None:
    """The number of rows of a record batch, None for other messages; raises `Malformed`."""
    try:
        root = _Table(metadata, struct.unpack_from("<I", metadata)[0])
        header = root.table(2)
        if root.scalar(1, "<B") != 3 or header is None:
            return None
        return max(0, header.scalar(0, "<q"))
    except (struct.error, IndexError) as error:
        raise Malformed from error


def length_of_body(metadata: bytes) -> int:
    """The number of bytes that follow the description of a message; raises `Malformed`."""
    try:
        return _Table(metadata, struct.unpack_from("<I", metadata)[0]).scalar(3, "<q")
    except (struct.error, IndexError) as error:
        raise Malformed from error


class _Table:
    """A table of FlatBuffers, as far as messages of Arrow need it."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]
        if self.fields < 0:
            raise Malformed
        self.size = struct.unpack_from("<H", data, self.fields)[0]

    def _place(self, number: int) -> int:
        """The offset of a field, 0 if it is absent."""
        place = 4 + 2 * number
        if place + 2 > self.size:
            return 0
        offset = int(struct.unpack_from("<H", self.data, self.fields + place)[0])
        return self.at + offset if offset else 0

    def scalar(self, number: int, form: str) -> int:
        place = self._place(number)
        return int(struct.unpack_from(form, self.data, place)[0]) if place else 0

    def table(self, number: int) -> _Table | None:
        place = self._place(number)
        return _Table(self.data, place + struct.unpack_from("<I", self.data, place)[0]) if place else None

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """A vector of pairs of 64-bit numbers."""
        place = self._place(number)
        if not place:
            return
        start = place + struct.unpack_from("<I", self.data, place)[0]
        count = struct.unpack_from("<I", self.data, start)[0]
        for at in range(count):
            yield struct.unpack_from("<qq", self.data, start + 4 + 16 * at)


# ---- values


def check_value(column: Any, at: int) -> None:
    """Raise `TooLarge` for a value of a column that would be large as data, and `Malformed` for a type that no record has."""
    part = column.slice(at, 1)
    if _size(part) > MAX_RECORD:
        raise TooLarge(Told("a record in columns takes more than {most} MiB", most=MAX_RECORD >> 20))


def _size(part: Any) -> int:
    """The approximate number of bytes that a part of a column refers to."""
    import pyarrow as pa
    from pyarrow import compute

    kind = part.type
    if getattr(kind, "extension_name", "") == "arrow.json":
        return _size(part.storage)
    if pa.types.is_struct(kind):
        return sum(map(_size, part.flatten())) + len(part)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _size(part.flatten()) + 8 * len(part)
    if pa.types.is_map(kind):
        start, end = part.offsets[0].as_py(), part.offsets[-1].as_py()
        return sum(_size(x.slice(start, end - start)) for x in (part.keys, part.items)) + 8 * len(part)
    if pa.types.is_dictionary(kind):
        if len(part) > MAX_RECORD:
            return len(part)
        lengths = compute.binary_length(part.dictionary).take(part.indices)
        return (compute.sum(lengths).as_py() or 0) + 4 * len(part)
    if pa.types.is_null(kind) or pa.types.is_boolean(kind):
        return 8 * len(part)
    if pa.types.is_primitive(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind):
        return int(part.nbytes) + 8 * len(part)
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return int(part.nbytes) + 8 * len(part)
    raise Malformed
