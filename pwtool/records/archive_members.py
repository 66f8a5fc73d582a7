"""The files of zip and tar archives. `containers` says what is trusted of them: nothing."""

from __future__ import annotations

import errno
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, BinaryIO, Self, cast

from pwtool.records.containers import (
    BUFFER,
    CUT,
    DAMAGED,
    INSTALL_IT,
    NO_ZSTANDARD,
    Lines,
    Member,
    decompressed,
    is_compressed,
    open_seekable,
    open_unpacked,
    suffix_of,
)
from pwtool.text import Diagnostic
from pwtool.text.speech import Told

MAX_MEMBERS = 1_000_000
MAX_SWELL = 1000
"""A member of a zip archive that claims to be this many times larger than its compressed data is not read."""
_SMALL = 16 << 20
_PACK_AGAIN = Told("put the files into one archive, in one go")
_MORE = Told("there is more data behind its end")
_END, _LONGEST_END = 22, 22 + 0xFFFF
"""The size of the record with which a zip archive ends, without a comment and with the longest one."""


@contextmanager
def opened_members(name: str) -> Iterator[Iterator[Member] | Diagnostic]:
    """The files of an archive in order, or the reason why it cannot be read. Damage found on the way raises `OSError`."""
    is_zip = suffix_of(name) == ".zip"
    stream = open_seekable(name) if is_zip and not is_compressed(name) else open_unpacked(name)
    if isinstance(stream, Diagnostic):
        yield stream
        return
    with stream:
        yield _of_zip(stream) if is_zip else _of_tar(stream)


def _of_zip(stream: BinaryIO) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
        raise OSError(errno.EIO, Told("it is not a zip archive, or a damaged one")) from error
    yield from _before_the_first(stream, archive)
    for number, info in enumerate(archive.infolist()):
        if number == MAX_MEMBERS:
            raise OSError(errno.EFBIG, f"it holds more than {MAX_MEMBERS:,} files")
        if info.is_dir():
            continue
        problem = _escape(info.filename)
        if stat.S_ISLNK(info.external_attr >> 16):
            problem = Told("this is a link")
        elif info.flag_bits & 1:
            problem = Told("it is encrypted")
        elif info.file_size > max(_SMALL, MAX_SWELL * info.compress_size):
            problem = Told("it would unpack to more than {most} times its size", most=MAX_SWELL)
        if problem:
            yield Member(info.filename, problem=problem)
            continue
        try:
            opened = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError):
            yield Member(info.filename, problem=DAMAGED)
            continue
        with opened:
            yield _member(opened, info.filename)
    if _goes_on(stream):
        yield Member("", problem=_MORE, help=_PACK_AGAIN)


def _goes_on(stream: BinaryIO) -> bool:
    """Whether there is data behind the record with which a zip archive ends (PKWARE, APPNOTE.TXT, 4.3.16)."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _LONGEST_END))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    return at >= 0 and at + _END + int.from_bytes(tail[at + _END - 2 : at + _END], "little") < len(tail)


def _before_the_first(stream: BinaryIO, archive: zipfile.ZipFile) -> Iterator[Member]:
    """A member that cannot be read if the files of another archive, or ones that are not listed, come first."""
    stream.seek(0)
    if stream.read(4) == b"PK\x03\x04" and min((info.header_offset for info in archive.infolist()), default=1) > 0:
        yield Member("", problem=Told("files at its beginning are not in its list of files"), help=_PACK_AGAIN)


class _Header(tarfile.TarInfo):
    """The header of a file in a tar archive, or the end marker. The library takes truncated data for that marker."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except (tarfile.TruncatedHeaderError, tarfile.EmptyHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError("unexpected end of data") from error


def _of_tar(stream: BinaryIO) -> Iterator[Member]:
    is_tar = False
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
            for number, info in enumerate(archive):
                if number == MAX_MEMBERS:
                    raise OSError(errno.EFBIG, f"it holds more than {MAX_MEMBERS:,} files")
                archive.members = []  # type: ignore[attr-defined]
                is_tar = True
                problem = _escape(info.name)
                if info.isdir():
                    continue
                if not info.isreg():
                    problem = problem or Told("this is a link or a device, not a file")
                opened = None if problem else archive.extractfile(info)
                if opened is None:
                    yield Member(info.name, problem=problem or DAMAGED)
                    continue
                yield _member(opened, info.name, stream)
        while block := stream.read(BUFFER):
            if block.strip(b"\0"):
                yield Member("", problem=_MORE, help=_PACK_AGAIN)
                break
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise OSError(errno.EIO, CUT if is_tar else Told("it is not a tar archive, or a damaged one")) from error


def _member(opened: IO[bytes], name: str, outer: BinaryIO | None = None) -> Member:
    """A file of an archive, unpacked if it is compressed itself."""
    source = decompressed(cast(BinaryIO, opened), name) if is_compressed(name) else opened
    if source is None:
        return Member(name, problem=NO_ZSTANDARD, help=INSTALL_IT)
    return Member(name, cast(BinaryIO, Lines(source, outer)))


def _escape(name: str) -> str:
    """Why the name of a member is invalid: it points outside the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    outside = path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name)
    return Told("its name points outside the archive") if outside else ""
