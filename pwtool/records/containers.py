"""Compressed files and archives, read piece by piece.

The author of an archive decides what it unpacks to, so nothing here trusts its metadata: memory is limited to a buffer,
reading stops if there is no game for a long stretch, and the names of members are only labels, never used to write
files.
"""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, Self, cast

from msgspec import Struct

from pwtool.text import Diagnostic
from pwtool.text.addresses import is_address, open_input, path_begins, path_of
from pwtool.text.speech import Told
from pwtool.text.store import reason_of

if TYPE_CHECKING:
    import zstandard

COMPRESSED = (".gz", ".xz", ".zst")
_SHORT = {".tgz": ".tar.gz", ".txz": ".tar.xz", ".tzst": ".tar.zst"}
MAX_BARREN = 256 << 20
"""The number of bytes that may be unpacked without finding a game."""
MAX_MEMBERS = 1_000_000
MAX_SWELL = 1000
"""A member of a zip archive that claims to be this many times larger than its compressed data is not read."""
_SMALL = 16 << 20
MAX_SPOOLED = 256 << 20
"""The size limit for a copy of a stream that cannot seek, and how much of it is held in memory."""
_IN_MEMORY = 8 << 20
_BUFFER = 1 << 20
# Even a kilobyte may unpack to 32 MiB.
_PIECE = 1 << 10
_INSIDE = r"(.+?\.(?:zip|tar(?:\.(?:gz|xz|zst))?|tgz|txz|tzst))[/%s](.+)"


class Member(Struct, frozen=True):
    """A file of an archive: its name in it, and its unpacked bytes; None if they are not read."""

    name: str
    stream: BinaryIO | None = None
    problem: str = ""
    help: str | None = None


@lru_cache(maxsize=1024)
def suffix_of(name: str) -> str:
    """The type of a file, judging by its name without compression: `.jsonl` of `games.jsonl.gz`, `.tar` of `games.tgz`."""
    return Path(_uncompressed(path_of(name))).suffix.lower()


def is_compressed(name: str) -> bool:
    """Whether a file is compressed, judging by its name."""
    path = path_of(name)
    return _uncompressed(path) != path


def holds_files(name: str) -> bool:
    """Whether a file is an archive of files, judging by its name."""
    return suffix_of(name) in (".zip", ".tar")


def inside_of(name: str, separator: str = os.sep) -> tuple[str, str] | None:
    """The archive and the member in a name such as `games.zip/evening/1.json`; None for other names."""
    begin = path_begins(name)
    found = re.compile(_INSIDE % re.escape(separator), re.DOTALL).fullmatch(name, begin)
    # In a URL, the member comes after the path.
    if found is None or (is_address(name) and "::" in name[begin:]):
        return None
    return name[:begin] + found[1], found[2].replace(separator, "/")


def _uncompressed(name: str) -> str:
    for short, long in _SHORT.items():
        if name.lower().endswith(short):
            name = name[: -len(short)] + long
    return next((name[: -len(s)] for s in COMPRESSED if name.lower().endswith(s)), name)


class Unpacked(io.RawIOBase):
    """The bytes that something compressed unpacks to. Damaged data, and data that goes on without a game, raise `OSError`."""

    def __init__(self, source: IO[bytes], beneath: BinaryIO | None = None) -> None:
        self._source, self._beneath = source, beneath
        # The size of one read: a reader that waits for more loses everything if the rest is damaged.
        self._read = getattr(source, "read1", source.read)
        self._barren = 0

    def found_game(self) -> None:
        """Called when a game was found in the data."""
        self._barren = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if self._barren > MAX_BARREN:
            raise OSError(errno.EFBIG, Told("it unpacks to {size} MiB without a game", size=MAX_BARREN >> 20))
        try:
            data = self._read(len(view))
        except OSError as error:
            raise error if error.errno is not None else OSError(errno.EIO, _DAMAGED) from error
        except (EOFError, tarfile.ReadError) as error:
            raise OSError(errno.EIO, _CUT) from error
        except Exception as error:
            # The exceptions of the decompressors: `zlib.error`, `LZMAError`, `ZstdError`, `BadZipFile`, `RuntimeError`.
            if isinstance(error, zlib.error | lzma.LZMAError | zipfile.BadZipFile) or "zst" in type(error).__module__:
                raise OSError(errno.EIO, _DAMAGED) from error
            raise
        view[: len(data)] = data
        self._barren += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._source.close()
            if self._beneath is not None:
                self._beneath.close()


_CUT = Told("it is cut off")
_DAMAGED = Told("the compressed data is damaged")
_NO_ZSTANDARD = Told("reading {suffix} files needs the package {package}", suffix=".zst", package="`zstandard`")
_PACK_AGAIN = Told("put the files into one archive, in one go")
_INSTALL_IT = Told("install it with the extra: {command}", command="`pip install pwtool[archive]`")


class Lines(io.BufferedReader):
    """The unpacked bytes, to be read line by line. `outer`: the archive that they are a part of; `beneath`: what is closed with them."""

    raw: Unpacked

    def __init__(self, source: IO[bytes], outer: BinaryIO | None = None, beneath: BinaryIO | None = None) -> None:
        super().__init__(Unpacked(source, beneath), _BUFFER)
        self._outer = outer

    def found_game(self) -> None:
        """Called when a game was found here, and so in the outer archive."""
        self.raw.found_game()
        if isinstance(self._outer, Lines):
            self._outer.found_game()


def open_unpacked(name: str) -> BinaryIO | Diagnostic:
    """Open a file or a URL; it is unpacked while it is read if its name says that it is compressed."""
    opened = open_input(name)
    if isinstance(opened, Diagnostic):
        return opened
    if not is_compressed(name):
        if not is_address(name):
            return opened
        # A file has an end, but a server may send data forever; what has arrived counts.
        return cast(BinaryIO, Lines(cast(io.BufferedReader, opened).detach()))  # type: ignore[arg-type]
    source = _decompressed(opened, name)
    if source is None:
        opened.close()
        return Diagnostic("PW703", _NO_ZSTANDARD, file=name, help=_INSTALL_IT)
    return cast(BinaryIO, Lines(source, beneath=opened))


def open_seekable(name: str) -> BinaryIO | Diagnostic:
    """Open a file or a URL for random access. Raises `OSError`."""
    opened = open_input(name, seeks=True)
    if isinstance(opened, Diagnostic) or opened.seekable():
        return opened
    with opened:
        return spooled(opened)


def spooled(stream: BinaryIO) -> BinaryIO:
    """The contents of a stream for random access: a copy of limited size in memory, or in an unnamed file that is
    deleted when it is closed. Raises `OSError`.
    """
    copy = cast(BinaryIO, tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - closed by who reads it
    try:
        left = MAX_SPOOLED
        while block := stream.read(min(_BUFFER, left + 1)):
            left -= len(block)
            if left < 0:
                raise OSError(
                    errno.EFBIG, f"it has more than {MAX_SPOOLED >> 20} MiB and can only be read from its beginning"
                )
            copy.write(block)
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return copy


def _decompressed(stream: BinaryIO, name: str) -> IO[bytes] | None:
    match path_of(name).lower().rpartition(".")[2]:
        case "gz" | "tgz":
            return cast(IO[bytes], gzip.GzipFile(fileobj=stream))
        case "xz" | "txz":
            # `LZMAFile` leaves out whatever follows the compressed data.
            return cast(IO[bytes], _Frames(stream, lzma.LZMADecompressor))
    try:
        import zstandard
    except ImportError:
        return None
    # A frame may request a window of gigabytes; 128 MiB is the limit of the format's own tools.
    return cast(IO[bytes], _Frames(stream, zstandard.ZstdDecompressor(max_window_size=128 << 20).decompressobj))


class _Frames:
    """Consecutive frames of zstd or streams of xz. The package of zstd does not report a truncated one."""

    def __init__(
        self, stream: BinaryIO, begin: Callable[[], zstandard.ZstdDecompressionObj | lzma.LZMADecompressor]
    ) -> None:
        self._stream, self._begin = stream, begin
        self._frame: zstandard.ZstdDecompressionObj | lzma.LZMADecompressor | None = None
        self._packed = self._ready = b""
        self._has_frames = False

    def read(self, size: int) -> bytes:
        """Some bytes; none at the end."""
        while not self._ready:
            self._packed = self._packed or self._stream.read(_PIECE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError
                return b""
            if self._frame is None and self._has_frames:
                # Padding between frames.
                self._packed = self._packed.lstrip(b"\0")
                if not self._packed:
                    continue
            self._frame, self._has_frames = self._frame or self._begin(), True
            self._ready = self._frame.decompress(self._packed)
            self._packed = b""
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        self._stream.close()


@contextmanager
def compressing(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """A stream that compresses what is written to another one, as the name of the file says; the same text gives the
    same bytes. Raises `OSError` if a required package is not installed.
    """
    match name.lower().rpartition(".")[2]:
        case "gz" | "tgz":
            packing: IO[bytes] = cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=stream, mtime=0))
        case "xz" | "txz":
            packing = cast(IO[bytes], lzma.LZMAFile(stream, "wb"))  # noqa: SIM115 - closed below
        case "zst" | "tzst":
            try:
                import zstandard
            except ImportError as error:
                raise OSError(errno.ENOSYS, "it needs `pip install pwtool[archive]`") from error
            packing = cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(stream, closefd=False))
        case _:
            yield stream
            return
    with packing:
        yield cast(BinaryIO, packing)


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
            yield Member(info.filename, problem=_DAMAGED)
            continue
        with opened:
            yield _member(opened, info.filename)


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
                    yield Member(info.name, problem=problem or _DAMAGED)
                    continue
                yield _member(opened, info.name, stream)
        while block := stream.read(_BUFFER):
            if block.strip(b"\0"):
                yield Member("", problem=Told("there is more data behind its end"), help=_PACK_AGAIN)
                break
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise OSError(errno.EIO, _CUT if is_tar else Told("it is not a tar archive, or a damaged one")) from error


def _member(opened: IO[bytes], name: str, outer: BinaryIO | None = None) -> Member:
    """A file of an archive, unpacked if it is compressed itself."""
    source = _decompressed(cast(BinaryIO, opened), name) if is_compressed(name) else opened
    if source is None:
        return Member(name, problem=_NO_ZSTANDARD, help=_INSTALL_IT)
    return Member(name, cast(BinaryIO, Lines(source, outer)))


def _escape(name: str) -> str:
    """Why the name of a member is invalid: it points outside the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    outside = path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name)
    return Told("its name points outside the archive") if outside else ""


def damage_of(error: OSError, last: str | None = None, line: int = 0) -> str:
    """A sentence on what is wrong with a file: after which member or line, if some of it could be read."""
    reason = reason_of(error)
    if last is not None:
        return Told("the file cannot be read after {name}: {reason}", name=f"`{last}`", reason=reason)
    if line:
        return Told("the file cannot be read after line {line}: {reason}", line=str(line), reason=reason)
    return Told("the file cannot be read: {reason}", reason=reason)
