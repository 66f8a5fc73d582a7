"""Compressed files and archives, read piece by piece.

The author of an archive decides what it unpacks to, so nothing here trusts its metadata: memory is limited to a buffer,
reading stops if there is no game for a long stretch, and the names of members are only labels, never used to write
files.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from msgspec import Struct

from pwtool.text import Diagnostic
from pwtool.text.addresses import is_address, open_input, path_begins, path_of
from pwtool.text.speech import Told
from pwtool.text.store import reason_of

if TYPE_CHECKING:
    import lzma

    import zstandard

COMPRESSED = (".gz", ".xz", ".zst")
_SHORT = {".tgz": ".tar.gz", ".txz": ".tar.xz", ".tzst": ".tar.zst"}
MAX_BARREN = 256 << 20
"""The number of bytes that may be unpacked without finding a game."""
MAX_SPOOLED = 256 << 20
"""The size limit for a copy of a stream that cannot seek, and how much of it is held in memory."""
_IN_MEMORY = 8 << 20
BUFFER = 1 << 20
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
    if ".zip" not in name and ".t" not in name:
        return None
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


class Joined(io.RawIOBase):
    """Some bytes, followed by those of a stream from its current position, or by so many of them (`left`)."""

    def __init__(self, head: bytes, stream: BinaryIO, left: int = sys.maxsize) -> None:
        self._head, self._read, self.left = io.BytesIO(head), getattr(stream, "read1", stream.read), left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._head.read(len(view))
        if not data:
            data = self._read(min(len(view), self.left))
            self.left -= len(data)
        view[: len(data)] = data
        return len(data)


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
            raise error if error.errno is not None else OSError(errno.EIO, DAMAGED) from error
        except EOFError as error:
            raise OSError(errno.EIO, CUT) from error
        except Exception as error:
            # The exceptions of archives and decompressors, which are not imported here: `ReadError`, `BadZipFile`,
            # `zlib.error`, `LZMAError`, `ZstdError`.
            module = type(error).__module__
            if module == "tarfile":
                raise OSError(errno.EIO, CUT) from error
            if module in ("zlib", "_lzma", "zipfile") or "zst" in module:
                raise OSError(errno.EIO, DAMAGED) from error
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


CUT = Told("it is cut off")
DAMAGED = Told("the compressed data is damaged")
NO_ZSTANDARD = Told("reading {suffix} files needs the package {package}", suffix=".zst", package="`zstandard`")
INSTALL_IT = Told("install it with the extra: {command}", command="`pip install pwtool[archive]`")


class Lines(io.BufferedReader):
    """The unpacked bytes, to be read line by line. `outer`: the archive that they are a part of; `beneath`: what is closed with them."""

    raw: Unpacked

    def __init__(self, source: IO[bytes], outer: BinaryIO | None = None, beneath: BinaryIO | None = None) -> None:
        super().__init__(Unpacked(source, beneath), BUFFER)
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
    source = decompressed(opened, name)
    if source is None:
        opened.close()
        return Diagnostic("PW703", NO_ZSTANDARD, file=name, help=INSTALL_IT)
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
    import tempfile

    copy = cast(BinaryIO, tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - closed by who reads it
    try:
        left = MAX_SPOOLED
        while block := stream.read(min(BUFFER, left + 1)):
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


def decompressed(stream: BinaryIO, name: str) -> IO[bytes] | None:
    match path_of(name).lower().rpartition(".")[2]:
        case "gz" | "tgz":
            import gzip

            return cast(IO[bytes], gzip.GzipFile(fileobj=stream))
        case "xz" | "txz":
            import lzma

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
            import gzip

            packing: IO[bytes] = cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=stream, mtime=0))
        case "xz" | "txz":
            import lzma

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


def damage_of(error: OSError, last: str | None = None, line: int = 0) -> str:
    """A sentence on what is wrong with a file: after which member or line, if some of it could be read."""
    reason = reason_of(error)
    if last is not None:
        return Told("the file cannot be read after {name}: {reason}", name=f"`{last}`", reason=reason)
    if line:
        return Told("the file cannot be read after line {line}: {reason}", line=str(line), reason=reason)
    return Told("the file cannot be read: {reason}", reason=reason)
