"""Files that may come from anybody: only regular ones are opened."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from pwtool.text.diagnostic import Diagnostic

MISSING = "there is no such file"


def open_regular(path: Path) -> BinaryIO | Diagnostic:
    """A regular file, opened, or why it cannot be: a pipe or a device might never end."""
    name = str(path)
    try:
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            help_line = "pipe it in: `-` reads standard input"
            return Diagnostic("PW703", "this is no regular file", file=name, help=help_line)
        return path.open("rb")
    except FileNotFoundError:
        message = MISSING
    except IsADirectoryError:
        message = "this is a folder, no file"
    except PermissionError:
        message = "the file may not be read"
    except (OSError, ValueError) as error:
        message = f"cannot be read: {(getattr(error, 'strerror', None) or 'the name is no path').lower()}"
    return Diagnostic("PW703", message, file=name)
