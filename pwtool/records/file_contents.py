"""What the bytes of a file say: the format of another program, or JSON that is no record."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pwtool.records.containers import open_unpacked
from pwtool.text import Diagnostic
from pwtool.text.regex import regex

_GAME_KEYS = frozenset(("turns", "players", "ruleset", "zones", "setup", "moves", "actions", "game", "games"))
"""Keys of records and of what may be one in the form of some program."""
_GAME_KEY = regex(rb'"(?:format|' + "|".join(sorted(_GAME_KEYS)).encode() + rb')"')
_KEY = regex(rb'[{,]\s*"[^"\\]+"\s*:')
_OWN = b'"pwtool'
_HEAD = 4096
"""How many bytes of a file tell in most cases that it is a record."""
_MOST = 64 << 20
"""How much of a file is looked at; larger ones are refused when they are read."""


def format_in(data: bytes) -> str | None:
    """The format of another program in which a file is written, judging by its contents. Other programs write JSON, too."""
    if b'"format"' in data:
        return None
    from pwtool.records.importers.installed import recognised

    return recognised(data)


def is_foreign(data: bytes) -> bool:
    """Whether a JSON file is of another kind, such as the settings of a program: none of its keys is one of a record or of
    another program's games, and no importer knows it. A damaged record has one of them, unless there is nothing left of
    it; but then it is no object or list.
    """
    if _OWN in data:
        return False
    try:
        value = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # Settings may have comments, or another encoding.
        return bool(_KEY.search(data)) and not _GAME_KEY.search(data) and format_in(data) is None
    parts = value if isinstance(value, list) else [value]
    keys = {key for part in parts if isinstance(part, dict) for key in part}
    # What is in lists of lists, or a text, nobody looks at.
    is_seen = isinstance(value, dict | list) and not any(isinstance(part, list) for part in parts)
    return is_seen and keys.isdisjoint(_GAME_KEYS) and format_in(data) is None


def is_foreign_file(path: Path) -> bool:
    """Whether a file, compressed or not, is JSON of another kind. One that cannot be read is not: reading it says why."""
    opened = open_unpacked(str(path)) if path.is_file() else None
    if opened is None or isinstance(opened, Diagnostic):
        return False
    try:
        with opened as file:
            begin = file.read(_HEAD)
            return _OWN not in begin and is_foreign(begin + file.read(_MOST))
    except OSError:
        return False
