"""Games of other programs in text formats: the formats by file suffix, and where each game in a file begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.records.notation.places import Notes

__all__ = ["TEXTS", "Text", "games_of", "import_text"]


class Reader(Protocol):
    """The record of one game, with the places of its parts in `notes`; None if a problem was reported there."""

    def __call__(self, notes: Notes) -> dict[str, object] | None: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A text format: how a file is split into games, what reads one, and the library it needs."""

    split: Callable[[bytes], Iterator[int]]
    reader: Callable[[], Reader]
    library: str


_BRACES = re.compile(rb"[{}]|;.*")


def _split_pgn(data: bytes) -> Iterator[int]:
    """A game begins where tags follow moves; tags in comments do not count."""
    at, moves, comment = 0, False, False
    yield 0
    for line in data.splitlines(keepends=True):
        if line.startswith(b"[") and not comment:
            if moves:
                yield at
            moves = False
        elif line.strip() and not line.startswith(b"%"):
            moves = True
            for brace in _BRACES.findall(line):
                comment = brace == b"{" or (comment and brace != b"}")
        at += len(line)


# An unterminated value counts as one value, so that nothing is scanned twice.
_SGF_PART = re.compile(rb"\[(?:[^\]\\]++|\\.)*+\]?|[()]", re.DOTALL)


def _split_sgf(data: bytes) -> Iterator[int]:
    """A game is a bracket with everything in it."""
    depth = 0
    found = False
    for part in _SGF_PART.finditer(data):
        if part.group() == b"(":
            if depth == 0:
                yield part.start() if found else 0
                found = True
            depth += 1
        elif part.group() == b")":
            depth = max(0, depth - 1)
    if not found:
        yield 0


def _pgn() -> Reader:
    from pwtool.records.importers.pgn import read_pgn

    return read_pgn


def _sgf() -> Reader:
    from pwtool.records.importers.sgf import read_sgf

    return read_sgf


TEXTS: Mapping[str, Text] = MappingProxyType(
    {".pgn": Text(_split_pgn, _pgn, "chess"), ".sgf": Text(_split_sgf, _sgf, "sgfmill")}
)


def games_of(data: bytes, suffix: str) -> list[tuple[int, bytes]]:
    """The games of a file, each with the line (counted from 1) in which it begins."""
    starts = list(TEXTS[suffix].split(data))
    games: list[tuple[int, bytes]] = []
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        line += data.count(b"\n", before, start)
        before = start
        games.append((line, data[start:end]))
    return games


def import_text(file: SourceFile, suffix: str) -> Result[tuple[dict[str, object], Notes]]:
    """The record of one game and the places of its parts, or PW704 findings that say why there is none."""
    # Imported here: a plain check reads no such text and does not need the libraries.
    from pwtool.records.notation.places import Notes

    form, notes = TEXTS[suffix], Notes(file)
    try:
        read = form.reader()
    except ModuleNotFoundError as missing:
        if missing.name != form.library:
            raise
        help_line = Told("install it with the extra: {command}", command="`pip install 'pwtool[import]'`")
        message = Told(
            "reading {suffix} files needs the package {package}", suffix=f"`{suffix}`", package=f"`{form.library}`"
        )
        return Result(None, (Diagnostic("PW704", message, notes.locate(()), help=help_line),))
    record = read(notes)
    return Result(None if record is None else (record, notes), tuple(notes.problems))
