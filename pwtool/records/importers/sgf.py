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
_NAMES = "FF GM CA AP SZ ST PB PW BR WR RE KM RU HA EV RO DT PC"
"""What a node says of a whole game. No other node says more of it on the way to the same leaf."""
# Old files write names in full; their capital letters count.
_NAMED = b"(?:" + re.sub(r"([A-Z])", r"\1[a-z]*+", _NAMES).replace(" ", "|").encode() + b")"
_PROPERTY = rb"\s*+[A-Za-z]++(?:\s*+\[(?:[^\]\\]++|\\.)*+\])++"
_HEAD = re.compile(
    rb"\(\s*+;(?:(?!\s*+" + _NAMED + rb"\s*+\[)" + _PROPERTY + rb")*+\s*+" + _NAMED + rb"\s*+\[", re.DOTALL
)
# Where the end of a value is missing, the next game is in it, up to the end of its own first value.
_LOST = re.compile(rb"\n\s*+(\(\s*+;\s*+" + _NAMED + rb"\s*+\[[^\]\\]*+\])")
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
        """A game is a bracket with everything in it, and the text behind it; at the latest, it ends where another begins:
        at a second node that names players and the like, or, if its bracket is never closed, at the first one.
        """
        yield 0
        at, found = 0, False
        while begin := _GAME.search(data, at):
            if found:
                yield begin.start()
            found, depth, heads = True, 0, list[int]()
            for part in _PART.finditer(data, begin.start()):
                if not is_end and part.end() == len(data):
                    # It may go on.
                    return
                if (lost := _LOST.search(data, *part.span())) is not None:
                    at = lost.start(1)
                    break
                head = _HEAD.match(data, part.start()) if part[0] == b"(" else None
                if head is not None and _LOST.search(data, *head.span()) is None:
                    heads.append(part.start())
                    if len(heads) > 1 and heads[0] == begin.start():
                        at = heads[1]
                        break
                depth += {b"(": 1, b")": -1}.get(part[0], 0)
                if depth == 0:
                    at = part.end()
                    break
            else:
                if not heads or heads[0] == begin.start():
                    return
                at = heads[0]

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
