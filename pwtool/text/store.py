"""Files written whole or not at all, and a folder of stored data that may be damaged, shared or read-only."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_SUM = 16
_STREAM = re.compile(r"/dev/(fd/\d+|stdout|stderr)$|/proc/")


def reason_of(error: OSError) -> str:
    """Why a file could not be read or written, as a part of a sentence."""
    return (error.strerror or "unknown reason").lower()


def is_stream(path: Path) -> bool:
    """Whether what is written to a path goes on from there: a device, a pipe, or a stream of this process by its name."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or bool(_STREAM.match(os.path.abspath(path)))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; raises `OSError`."""
    with written_whole(path) as stream:
        stream.write(data)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A stream into a file that is there when all is written; what comes in between leaves it as it was. Raises `OSError`.
    Others may write it at the same time: one of them wins. A device or a pipe is written to and stays what it is.
    """
    if is_stream(path):
        with path.open("wb") as stream:
            yield stream
        return
    part = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as stream:
            yield stream
        if path.exists():
            shutil.copymode(path, part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


class Store:
    """Data by key in a folder. What is damaged is not there; what cannot be written is not kept.

    A folder that somebody else can write to is not used: what lies there would decide what is legal.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """The data stored under a key, None where there is none."""
        try:
            if not _is_ours(self.folder):
                return None
            with open(self.folder / key, "rb") as stream:
                data = stream.read()
        except OSError:
            return None
        found = data[_SUM:]
        return found if _sum(found) == data[:_SUM] else None

    def put(self, key: str, data: bytes) -> None:
        """Store data under a key."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(self.folder):
                write_whole(self.folder / key, _sum(data) + data)
        except OSError:
            return


def cache_folder() -> Path | None:
    """The user's cache folder; None when `PWTOOL_NO_CACHE` is set."""
    if os.environ.get("PWTOOL_NO_CACHE"):
        return None
    from platformdirs import user_cache_path

    return user_cache_path("pwtool", appauthor=False)


def _sum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_SUM).digest()


def _is_ours(folder: Path) -> bool:
    """Whether a folder is the user's own and nobody else may write to it, as far as the system tells."""
    if os.name != "posix":
        return True
    found = [os.stat(folder), os.stat(folder.parent)]
    return all(status.st_uid == os.getuid() and not status.st_mode & 0o022 for status in found)
