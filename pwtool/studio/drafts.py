"""Unsaved texts, kept outside of the folder until they are saved or discarded."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import msgspec

from pwtool.text.store import write_whole


class Draft(msgspec.Struct):
    """An unsaved text: its file, and a hash of what the file held when the draft was begun."""

    path: str
    text: str
    base: str


class Drafts:
    """Drafts in their own folder, one file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _place(self, path: Path) -> Path:
        return self.folder / f"{sum_of(str(path))}.json"

    def find(self, path: Path) -> Draft | None:
        """The draft of a file; None if there is no readable one."""
        with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            found = msgspec.json.decode(self._place(path).read_bytes(), type=Draft)
            return found if found.path == str(path) else None
        return None

    def keep(self, path: Path, text: str, base: str) -> bool:
        """Store a draft atomically; returns whether that was possible."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._place(path), msgspec.json.encode(Draft(str(path), text, base)))
        except (OSError, UnicodeError):
            return False
        return True

    def drop(self, path: Path) -> None:
        """Delete a draft."""
        with suppress(OSError):
            self._place(path).unlink(missing_ok=True)


def sum_of(text: str) -> str:
    """A hash of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
