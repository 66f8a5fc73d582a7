"""Splitting the input into pieces that can be judged in parallel.

Long files of lines are only searched for line ends; the worker that judges a piece reads it. Input that is compressed
or packed, or comes from standard input, is read here, once and in order.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pwtool.records.containers import Joined, damage_of, holds_files, is_compressed, suffix_of
from pwtool.records.file_names import ARCHIVES, is_table, split_line
from pwtool.records.inputs import Document, Text, read_parts, read_texts, texts_of
from pwtool.text import Diagnostic
from pwtool.text.addresses import is_address
from pwtool.text.blake2b import blake2b
from pwtool.text.files import open_regular

if TYPE_CHECKING:
    from pwtool.records.tables.bounds import Group
    from pwtool.records.tables.reading import Block

MANY = 96
"""The number of documents in a piece, unless they are lines of a long file."""
ROWS = 2048
"""The number of rows of a table in a piece if its row groups are smaller."""
SIZE = 1 << 20
"""The approximate number of bytes in a piece of a long file."""
LARGE = 4 << 20
"""The same for a cluster, whose tasks have more overhead than calls of a local process, and where each piece is a file."""
BATCH = 96
MAX_BATCH = 4 << 20
"""How many documents, and bytes, go to kernels in one call."""


class Piece(Struct, frozen=True):
    """Documents to be judged together, in this order: files still to be read; or the bytes from `start` to `stop` of
    one file (of a table: the row groups), after `lines` lines or rows; or documents already read. `size` is the number
    of bytes read for it. `data` are the bytes of a file if they are held.
    """

    paths: tuple[str, ...] = ()
    start: int = 0
    stop: int = 0
    lines: int = 0
    texts: tuple[Text | Document | Block, ...] = ()
    size: int = 0
    data: bytes = b""

    def held(self) -> Piece:
        """The same with the bytes of a long file, so that what is hashed is what is judged, and is read once."""
        if not self.stop or is_table(self.paths[0]):
            return self
        opened = open_regular(Path(self.paths[0]))
        if isinstance(opened, Diagnostic):
            return self
        with opened as stream:
            try:
                stream.seek(self.start)
                data = stream.read(self.stop - self.start)
            except OSError:
                return self
        # What is missing is reported when it is read.
        return replace(self, data=data) if len(data) == self.stop - self.start else self

    def documents(self) -> Iterator[Text | Document | Block]:
        """The documents, read now if they have not been read yet."""
        if self.texts:
            yield from self.texts
        elif self.stop and is_table(self.paths[0]):
            from pwtool.records.tables.reading import read_blocks

            yield from read_blocks(self.paths[0], range(self.start, self.stop), self.lines)
        elif self.data:
            yield from texts_of(io.BytesIO(self.data), str(Path(self.paths[0])), self.lines)
        elif self.stop:
            yield from _part(Path(self.paths[0]), self.start, self.stop, self.lines)
        else:
            for path in self.paths:
                yield from read_parts(path)

    def unpacked(self) -> Iterator[Text | Document]:
        """The documents, with packed ones as text."""
        for document in self.documents():
            yield from (document,) if isinstance(document, Text | Document) else document.texts()

    def contents(self) -> Iterator[bytes]:
        """The contents and where they come from: names, places and bytes."""
        for path in self.paths:
            yield path.encode("utf-8", "surrogatepass")
            if self.data:
                yield self.data
                continue
            opened = open_regular(Path(path))
            if isinstance(opened, Diagnostic):
                yield opened.message.encode()
                continue
            if self.stop and is_table(path):
                opened.close()
                yield _digest(path, _stamp(path))
                continue
            with opened as stream:
                stream.seek(self.start)
                left = self.stop - self.start if self.stop else None
                # What is missing is reported when it is read.
                with suppress(OSError):
                    while block := stream.read(SIZE if left is None else min(SIZE, left)):
                        yield block
                        left = None if left is None else left - len(block)
        yield f"{self.start} {self.lines}".encode()
        for text in self.texts:
            if isinstance(text, Text):
                yield text.name.encode("utf-8", "surrogatepass")
                yield text.data
            elif isinstance(text, Document):
                yield text.name.encode("utf-8", "surrogatepass")
                yield repr([(d.code, d.message) for d in text.diagnostics]).encode()
            else:
                yield from text.contents()


@lru_cache(maxsize=64)
def _digest(path: str, stamp: object) -> bytes:
    """A hash of a table, whose row groups lie anywhere in it; computed again if its `stamp` has changed."""
    made = blake2b()
    with open(path, "rb") as stream:
        while block := stream.read(SIZE):
            made.update(block)
    return made.digest()


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size


def cut(paths: Iterable[str], size: int = SIZE) -> Iterator[Piece]:
    """The pieces of these files, in order."""
    small: list[str] = []
    held = 0
    for path in paths:
        # Anything else is read once, here: a worker may not be able to reach it.
        bytes_ = None if is_address(path) else _size(path)
        is_small = (
            bytes_ is not None
            and bytes_ <= size
            and not is_table(path)
            and not holds_files(path)
            and not is_compressed(path)
        )
        if small and (not is_small or len(small) == MANY or held + (bytes_ or 0) > size):
            yield Piece(tuple(small), size=held)
            small, held = [], 0
        if is_small:
            small.append(path)
            held += bytes_ or 0
        elif bytes_ is not None and is_table(path):
            yield from _groups(path)
        elif bytes_ is not None and suffix_of(path) in ARCHIVES and not is_compressed(path):
            yield from _ranges(Path(path), size)
        else:
            yield from of_texts(read_parts(path), size)
    if small:
        yield Piece(tuple(small), size=held)


def of_texts(texts: Iterable[Text | Document | Block], size: int = SIZE) -> Iterator[Piece]:
    """Pieces of documents that have already been read."""
    for batch in batches(texts, MANY, size):
        if isinstance(batch, list):
            yield Piece(texts=tuple(batch), size=sum(len(text.data) for text in batch if isinstance(text, Text)))
        else:
            yield Piece(texts=(batch,), size=batch.size())


def _size(path: str) -> int | None:
    """The size in bytes of a file that is read as a whole; None if it is not a file that can be read again."""
    if path == "-" or split_line(path)[1] is not None:
        return None
    try:
        return Path(path).stat().st_size if Path(path).is_file() else None
    except (OSError, ValueError):
        return None


def _groups(path: str) -> Iterator[Piece]:
    """A table, cut between row groups."""
    from pwtool.records.tables.reading import groups_of

    groups = groups_of(path)
    if isinstance(groups, Document):
        yield Piece(texts=(groups,))
        return
    held = []
    for group in groups:
        held.append(group)
        if sum(g.rows for g in held) >= ROWS:
            yield _of_groups(path, held)
            held = []
    if held or not groups:
        yield _of_groups(path, held)


def _of_groups(path: str, groups: list[Group]) -> Piece:
    if not sum(group.rows for group in groups):
        return Piece((path,))
    first, last = groups[0], groups[-1]
    size = sum(group.size for group in groups)
    return Piece((path,), first.start, last.stop, first.before, size=size)


def _ranges(path: Path, size: int) -> Iterator[Piece]:
    """A long file of lines, cut after line ends."""
    opened = open_regular(path)
    if isinstance(opened, Diagnostic):
        yield Piece(texts=(Document(str(path), None, (opened,), str(path)),))
        return
    with opened as stream:
        start = lines = end = counted = 0
        # Whether there is nothing between `start` and the end of the last line, nor after that.
        blank = rest = True
        # The same memory for all of the file: new memory for each block takes as long as reading it.
        block = bytearray(size)
        problem = None
        try:
            while read := stream.readinto(block):
                last = block.rfind(b"\n", 0, read) + 1
                if last:
                    counted += block.count(b"\n", 0, last)
                    blank = blank and rest and not block[:last].strip()
                    rest = True
                    if start or not blank:
                        stop = end + last
                        yield Piece((str(path),), start, stop, lines, size=stop - start)
                        start, lines = stop, counted
                rest = rest and not block[last:read].strip()
                end += read
        except OSError as error:
            problem = damage_of(error, line=counted)
        if start == 0 and blank and rest:
            yield Piece((str(path),), size=end)
        elif end > start:
            yield Piece((str(path),), start, end, lines, size=end - start)
        if problem is not None:
            yield Piece(texts=(_unread(path, problem),))


def _unread(path: Path, problem: str) -> Document:
    return Document(str(path), None, (Diagnostic("PW703", problem, file=str(path)),), str(path))


def _part(path: Path, start: int, stop: int, lines: int) -> Iterator[Text | Document]:
    opened = open_regular(path)
    if isinstance(opened, Diagnostic):
        yield Document(str(path), None, (opened,), str(path))
        return
    with opened as stream:
        stream.seek(start)
        part, last = Joined(b"", stream, stop - start), None
        for last in texts_of(io.BufferedReader(part, 1 << 20), str(path), lines):
            yield last
        if part.left and not isinstance(last, Document):
            yield _unread(path, "the file became shorter while it was read")


def written_in(paths: Iterable[str], form: str) -> Iterator[Piece]:
    """Pieces of files in the format of another program, whatever they are called."""
    return of_texts(chain.from_iterable(read_parts(path, form) for path in paths))


def chosen(
    paths: Iterable[str], numbers: Iterable[int] | None = None, most: int | None = None, form: str | None = None
) -> Iterator[Piece]:
    """Pieces of the documents with these numbers (in order, counted from 0), or of this many from the beginning; `form`:
    as for `read_texts`.
    """
    read = chain.from_iterable(read_texts(path, form) for path in paths)
    texts: Iterator[Text | Document] = (text for text in read if not text.is_note)
    if numbers is not None:
        wanted = iter(numbers)
        texts = _with_numbers(texts, wanted)
    elif most is not None:
        texts = (text for _, text in zip(range(most), texts, strict=False))
    return of_texts(texts)


def _with_numbers(texts: Iterator[Text | Document], wanted: Iterator[int]) -> Iterator[Text | Document]:
    number = next(wanted, None)
    for at, text in enumerate(texts):
        if number is None:
            return
        if at == number:
            yield text
            number = next(wanted, None)


def batches(
    texts: Iterable[Text | Document | Block], most: int = BATCH, size: int = MAX_BATCH
) -> Iterator[list[Text | Document] | Block]:
    """Documents in batches of at most so many, and of about so many bytes; by default those that go to kernels in one call."""
    batch: list[Text | Document] = []
    held = 0
    parts = iter(texts)
    while True:
        try:
            text = next(parts, None)
        except Exception:
            # What came before is judged all the same.
            if batch:
                yield batch
            raise
        if batch and not isinstance(text, Text | Document):
            yield batch
            batch, held = [], 0
        if text is None:
            return
        if not isinstance(text, Text | Document):
            yield text
            continue
        batch.append(text)
        held += len(text.data) if isinstance(text, Text) else 0
        if len(batch) >= most or held >= size:
            yield batch
            batch, held = [], 0
