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
_GAME = re.compile(rb"\(\s*+;")
# Only the first node of a game says what kind of game it is, so that another one begins even if a bracket is missing.
_ROOT = re.compile(rb"\(\s*+;\s*+(?:FF|GM|CA|AP|SZ)\s*+\[")
# Where the end of a value is missing, the next game is in it, up to the end of its own first value.
_LOST = re.compile(rb"\n\s*+(\(\s*+;\s*+(?:FF|GM|CA|AP|SZ)\s*+\[[^\]\\]*+\])")
_CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([\w.:-]+)\s*\]")


class _Sgf(Format):
    holds = "Go, Othello, gomoku"
    shares_lines = True
    extra = ("sgfmill", "import")
    is_written = True
    names_moves_of = ("go", "gomoku")
    counts_moves = True

    def recognises(self, begin: bytes) -> bool:
        return _BEGIN.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        """A game is a bracket with everything in it, and the text behind it; at the latest, it ends where another begins."""
        yield 0
        at, found = 0, False
        while begin := _GAME.search(data, at):
            if found:
                yield begin.start()
            found, depth = True, 0
            for part in _PART.finditer(data, begin.start()):
                if not is_end and part.end() == len(data):
                    # It may go on.
                    return
                if (lost := _LOST.search(data, *part.span())) is not None:
                    at = lost.start(1)
                    break
                if depth and part[0] == b"(" and _ROOT.match(data, part.start()):
                    at = part.start()
                    break
                depth += {b"(": 1, b")": -1}.get(part[0], 0)
                if depth == 0:
                    at = part.end()
                    break
            else:
                return

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
