"""Untrusted files: only regular ones are opened, and links must not lead out of the folder where they were found."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, FileIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING
from urllib.parse import quote

from pwtool.text.diagnostic import Diagnostic
from pwtool.text.regex import regex
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Surrogates that stand for no byte of a file's name, unlike U+DC80 to U+DCFF (PEP 383).
_NO_BYTE = regex("[\ud800-\udc7f\udd00-\udfff]")
_WEB = regex("https?://", re.I)
MISSING = Told("there is no such file")
_SHORTER = Told("it became shorter in the meantime")
LEADS_OUT = Told("the link points outside the folder")


_noted: list[set[tuple[int, int]]] = []
"""The files read so far, by device and number, while they are being recorded."""


@contextmanager
def noting_inputs() -> Iterator[None]:
    """Record which files are read, including standard input if it is a file, so that the output of a command
    overwrites none of them.
    """
    _noted.append(set())
    with suppress(OSError):
        status = os.fstat(0)
        if S_ISREG(status.st_mode):
            _noted[-1].add((status.st_dev, status.st_ino))
    try:
        yield
    finally:
        _noted.pop()


def is_input(path: Path) -> bool:
    """Whether a file has been read since recording began, under whatever name."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return any((status.st_dev, status.st_ino) in files for files in _noted)


class _Steady(FileIO):
    """A file that cannot be read on where it ends before it did when it was opened."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.size = os.fstat(self.fileno()).st_size

    def readinto(self, buffer: Buffer, /) -> int | None:
        read = super().readinto(buffer)
        if not read and memoryview(buffer).nbytes and self.tell() < self.size:
            raise OSError(errno.EIO, _SHORTER)
        return read


def open_regular(path: Path) -> BufferedReader | Diagnostic:
    """Open a regular file, or return why that is impossible: a pipe or a device might never end."""
    name = str(path)
    try:
        status = path.stat()
        mode = status.st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            help_line = Told("pipe it in: `-` reads standard input")
            return Diagnostic("PW703", Told("this is not a regular file"), file=name, help=help_line)
        for files in _noted:
            files.add((status.st_dev, status.st_ino))
        return BufferedReader(_Steady(path))
    except FileNotFoundError:
        message = MISSING
    except IsADirectoryError:
        message = Told("this is a folder, not a file")
    except PermissionError:
        message = Told("the file may not be read")
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None)
        message = Told("cannot be read: {reason}", reason=told.lower() if told else Told("the name is not a path"))
    return Diagnostic("PW703", message, file=name)


def is_folder(path: Path) -> bool:
    """Whether a name given by a user is that of a folder; a name that is no valid path is not."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def strays(path: Path, *folders: Path) -> str | None:
    """Why a file is not in one of the allowed folders; None if it is."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ELOOP:
            return Told("the link leads in a circle")
    try:
        real = path.resolve()
        inside = any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError):
        return Told("the name points nowhere")
    return None if inside else LEADS_OUT


def quote_path(name: str, separator: str = os.sep) -> str:
    """The name of a file in a link: percent-encoded, with the bytes of names that are not UTF-8. A web address already
    is a link.
    """
    safe = "/:?&=%+,;@~#" if _WEB.match(name) else "/"
    return quote(_NO_BYTE.sub("\ufffd", name.replace(separator, "/")), safe, errors="surrogateescape")
