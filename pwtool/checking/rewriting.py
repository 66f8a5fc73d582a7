"""Changing rules files in place: atomically, and without touching anything else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from pwtool.text.source import SourceFile
from pwtool.text.store import write_whole

_BOM = b"\xef\xbb\xbf"


def holds_text(path: Path, file: SourceFile) -> bool:
    """Whether a file still holds the text that was read from it."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return text.replace("\r\n", "\n") == file.text


def write_rules(path: Path, text: str) -> None:
    """Write a file, whole or not at all, keeping its line ends and byte order mark. Raises `OSError`, also if the file
    is read-only: it is replaced, which the system would allow.
    """
    data = path.read_bytes()
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    new = text.encode("utf-8")
    if b"\r\n" in data:
        new = new.replace(b"\n", b"\r\n")
    if data.startswith(_BOM):
        new = _BOM + new
    real = path.resolve()
    write_whole(real, new)
