"""Files that are written atomically, and a folder of stored data that may be damaged, shared or read-only."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from pwtool import __version__
from pwtool.text.blake2b import blake2b
from pwtool.text.diagnostic import Diagnostic
from pwtool.text.files import MISSING, open_regular
from pwtool.text.regex import regex
from pwtool.text.speech import Told

STANDARD = Path("-")
"""Standard output, in place of the name of a file to write."""
_SUM = 16
_MAX_ENTRY = 64 << 20
_STREAM = regex(r"/dev/(fd/\d+|stdout|stderr)$|/proc/")


_REASONS = {
    errno.ENOENT: Told("no such file or directory"), errno.EACCES: Told("permission denied"), errno.EPERM: Told("operation not permitted"),
    errno.EISDIR: Told("is a directory"), errno.ENOTDIR: Told("not a directory"), errno.EEXIST: Told("file exists"),
    errno.ENOSPC: Told("no space left on device"), errno.EROFS: Told("read-only file system"),
    errno.ENAMETOOLONG: Told("file name too long"), errno.ELOOP: Told("too many levels of symbolic links"),
}  # fmt: skip
"""The most common messages of operating systems, in all languages."""


def reason_of(error: OSError) -> str:
    """Why a file could not be read or written, as a part of a sentence."""
    reason = error.strerror or Told("unknown reason")
    if isinstance(reason, Told):
        return reason
    known = _REASONS.get(error.errno or 0)
    if known is not None:
        return known
    return reason[:1].lower() + reason[1:]


def is_stream(path: Path) -> bool:
    """Whether a path is a stream: standard output as `-`, a device, a pipe, or a stream of this process by its name."""
    if path == STANDARD:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or bool(_STREAM.match(os.path.abspath(path)))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically. Raises `OSError`."""
    with written_whole(path) as stream:
        stream.write(data)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A stream into a file that appears when everything is written; an error leaves the old file as it was. Raises
    `OSError`. Others may write it at the same time: one of them wins. A device or a pipe is written to directly.
    """
    if path == STANDARD:
        sys.stdout.flush()
        yield cast(BinaryIO, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    if is_stream(path):
        with path.open("wb") as stream:
            yield stream
        return
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as stream:
            yield stream
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


damaged: set[Path] = set()
"""Entries of stores that were found damaged. A command reports them; nobody else has to know."""


class Store:
    """Data by key in a folder. Damaged data counts as missing, and data that cannot be written is not kept.

    A folder that somebody else can write to is not used, because its contents would decide what is legal.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """The data stored under a key, or None."""
        path = self.folder / key
        try:
            if not _is_ours(self.folder):
                return None
            opened = open_regular(path)
            if isinstance(opened, Diagnostic):
                if opened.message != MISSING:
                    damaged.add(path)
                return None
            with opened as stream:
                data = stream.read(_MAX_ENTRY + 1)
        except OSError:
            return None
        found = data[_SUM:]
        if len(data) > _MAX_ENTRY or _sum(found) != data[:_SUM]:
            damaged.add(path)
            return None
        return found

    def put(self, key: str, data: bytes) -> None:
        """Store data under a key."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(self.folder):
                path = self.folder / key
                if is_stream(path):
                    # Written to, it would keep the writer waiting or lead out of the folder.
                    path.unlink()
                write_whole(path, _sum(data) + data)
        except OSError:
            return


@cache
def fingerprint(packages: tuple[str, ...]) -> list[Any]:
    """A hash of these packages of the program: a change makes everything that they stored useless."""
    program = Path(__file__).parent.parent
    files, folders = [], [os.path.join(program, part) for part in packages]
    for folder in folders:
        for entry in os.scandir(folder):
            if entry.name.endswith(".py"):
                status = entry.stat()
                files.append([entry.name, status.st_size, status.st_mtime_ns])
            elif entry.name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
    return [__version__, sorted(files)]


def cache_folder() -> Path | None:
    """The user's cache folder; None if `PWTOOL_NO_CACHE` is set, and in a browser."""
    if os.environ.get("PWTOOL_NO_CACHE") or sys.platform == "emscripten":
        return None
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        # As there: loading the package takes as long as loading a ruleset.
        given = os.environ.get("XDG_CACHE_HOME", "")
        return Path(given if given.strip() else os.path.expanduser("~/.cache")) / "pwtool"
    from platformdirs import user_cache_path

    return user_cache_path("pwtool", appauthor=False)


def state_folder() -> Path:
    """Where drafts that the user has not saved are kept, for this user only."""
    from platformdirs import user_state_path

    return user_state_path("pwtool", appauthor=False)


def _sum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_SUM).digest()


def _is_ours(folder: Path) -> bool:
    """Whether a folder belongs to the user and nobody else may write to it, as far as the system tells."""
    if os.name != "posix":
        return True
    found = [os.stat(folder), os.stat(folder.parent)]
    return all(status.st_uid == os.getuid() and not status.st_mode & 0o022 for status in found)
