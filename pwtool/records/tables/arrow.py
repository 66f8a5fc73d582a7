"""Arrow files, streams and Feather: a sequence of messages, first the schema, then batches of rows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from pwtool.records.containers import Joined
from pwtool.records.tables.bounds import (
    MAX_MESSAGE,
    Group,
    Malformed,
    TooLarge,
    check_message,
    length_of_body,
    rows_of_batch,
)
from pwtool.records.tables.foreign import NoRecords, column_of
from pwtool.text.speech import Told


class _Message(NamedTuple):
    """Where a message begins and ends; its rows if it is a batch, None if it is a schema."""

    start: int
    stop: int
    rows: int | None


def arrow_groups(stream: BinaryIO) -> list[Group]:
    """The batches as groups that can be read separately; a single group if the schema changes between them. Raises
    `NoRecords`, `TooLarge`, `Malformed`.
    """
    found: list[Group] = []
    changes, before = False, 0
    for start, stop, rows in _messages(stream):
        if rows is None:
            changes = changes or bool(found)
            continue
        found.append(Group(start, stop, before, rows, stop - start))
        before += rows
    if not changes:
        return found
    start, stop = found[0].start, found[-1].stop
    return [Group(start, stop, 0, before, stop - start)]


def arrow_batches(stream: BinaryIO, part: range | None = None) -> Iterator[Any]:
    """The batches of an Arrow file or stream, or those between two offsets. Raises the errors of `arrow_groups`, and those of pyarrow."""
    from pyarrow import ipc

    _check(_from_the_first(stream, part))
    with ipc.open_stream(_from_the_first(stream, part)) as reader:
        column_of(reader.schema)
        for batch in reader:
            # The file may contain offsets beyond its end.
            batch.validate(full=True)
            yield batch


def _from_the_first(stream: BinaryIO, part: range | None) -> BinaryIO:
    """The messages to be read, as a stream."""
    begin = _to_messages(stream)
    if part is None:
        return stream
    end = next((message.start for message in _messages(stream) if message.rows is not None), begin)
    stream.seek(begin)
    head = stream.read(end - begin)
    stream.seek(part.start)
    return io.BufferedReader(Joined(head, stream, part.stop - part.start))


def _to_messages(stream: BinaryIO) -> int:
    """Seek to the first message and return its offset: a file is a stream after a magic number."""
    stream.seek(0)
    begin = stream.read(8)
    if begin.startswith(b"FEA1"):
        raise NoRecords(Told("this is a Feather file of version 1; write it as version 2"))
    return stream.seek(8 if begin.startswith(b"ARROW1") else 0)


def _messages(stream: BinaryIO) -> Iterator[_Message]:
    """All messages; their contents are not read."""
    start = _to_messages(stream)
    while (metadata := _metadata(stream)) is not None:
        stop = stream.seek(_length(metadata), io.SEEK_CUR)
        yield _Message(start, stop, rows_of_batch(metadata))
        start = stop
        stream.seek(start)


def _check(stream: BinaryIO) -> None:
    """Check all messages before any of them is unpacked."""
    while (metadata := _metadata(stream)) is not None:
        length = _length(metadata)
        body = stream.read(length)
        if len(body) < length:
            raise Malformed
        check_message(metadata, memoryview(body))


def _metadata(stream: BinaryIO) -> bytes | None:
    """The metadata of the next message; None at the end."""
    head = stream.read(4)
    if head == b"\xff\xff\xff\xff":
        head = stream.read(4)
    size = int.from_bytes(head, "little") if len(head) == 4 else 0
    if size == 0:
        return None
    if size > MAX_MESSAGE:
        raise TooLarge(_TOO_LONG)
    metadata = stream.read(size)
    if len(metadata) < size:
        raise Malformed
    return metadata


def _length(metadata: bytes) -> int:
    length = length_of_body(metadata)
    if not 0 <= length <= MAX_MESSAGE:
        raise TooLarge(_TOO_LONG)
    return length


_TOO_LONG = Told("a message has more than {most} MiB", most=MAX_MESSAGE >> 20)
