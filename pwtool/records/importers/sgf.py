"""SGF: games of Go, Othello and gomoku as trees, several in a file. `sgf_reading` reads a game with sgfmill."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pwtool.records.importers.formats import Draft, Format, GameText

__all__ = ["SGF"]

# Brackets, and everything between two of them. An unterminated value counts as one value, so that nothing is scanned twice.
_PART = re.compile(rb"[()]|(?:[^()\[]++|\[(?:[^\]\\]++|\\.)*+\])++|\[(?:[^\]\\]++|\\.)*+", re.DOTALL)
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*\(\s*;")
_CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([\w.:-]+)\s*\]")


class _Sgf(Format):
    holds = "Go, Othello, gomoku"
    shares_lines = True
    extra = ("sgfmill", "import")
    is_written = True

    def recognises(self, begin: bytes) -> bool:
        return _BEGIN.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        """A game is a bracket with everything in it."""
        depth = 0
        yield 0
        found = False
        for part in _PART.finditer(data):
            if not is_end and part.end() == len(data):
                # It may go on.
                return
            if part.group() == b"(":
                if depth == 0:
                    if found:
                        yield part.start()
                    found = True
                depth += 1
            elif part.group() == b")":
                depth = max(0, depth - 1)

    def encoding(self, data: bytes) -> str:
        """The charset that the game names; that is not always true."""
        named = _CHARSET.search(data)
        try:
            name = codecs.lookup(named[1].decode("ascii")).name if named else "utf-8"
            data.decode(name)
        except (LookupError, UnicodeDecodeError):
            return super().encoding(data)
        return name

    def read(self, game: GameText) -> dict[str, object] | None:
        from pwtool.records.importers.sgf_reading import read_sgf

        return read_sgf(game)

    def draft(self, game: GameText) -> Draft | None:
        from pwtool.records.importers.sgf_reading import draft_sgf

        return draft_sgf(game)

    def write(self, record: Mapping[str, Any]) -> str:
        from pwtool.records.importers.sgf_writing import write_sgf

        return write_sgf(record)


SGF = _Sgf()
