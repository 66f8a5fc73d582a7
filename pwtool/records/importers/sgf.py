"""SGF: games of Go, Othello and gomoku as trees, several in a file. `sgf_reading` reads a game with sgfmill."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pwtool.records.importers.formats import Draft, Format, GameText
from pwtool.text.regex import regex

__all__ = ["SGF"]

# Brackets, and everything between two of them. An unterminated value counts as one value, so that nothing is scanned twice.
_PART = regex(rb"[()]|(?:[^()\[]++|\[(?:[^\]\\]++|\\.)*+\])++|\[(?:[^\]\\]++|\\.)*+", re.DOTALL)
_BEGIN = regex(rb"(?:\xef\xbb\xbf)?\s*\(\s*;")
_GAME = regex(rb"\(\s*+;")
_PROPERTY = rb"\s*+[A-Za-z]++(?:\s*+\[(?:[^\]\\]++|\\.)*+\])++"


def _one_of(names: str) -> bytes:
    # Old files write names in full; their capital letters count.
    return rb"\s*+(?:" + re.sub(r"([A-Z])", r"\1[a-z]*+", names).replace(" ", "|").encode() + rb")\s*+\["


def _node_with(names: str) -> re.Pattern[bytes]:
    """The beginning of a node, up to one of these properties."""
    return regex(rb"\(\s*+;(?:(?!" + _one_of(names) + rb")" + _PROPERTY + rb")*+" + _one_of(names), re.DOTALL)


_KIND, _ABOUT = "FF GM CA AP SZ ST", "PB PW BR WR RE KM RU HA EV RO DT PC"
# Only the first node of a game says what kind of game it is, and no more than one node on the way to a leaf says who played
# it and when: another game begins even if a bracket is missing.
_FIRST, _INFO = _node_with(_KIND), _node_with(_ABOUT)
# Where the end of a value is missing, the next game is in it, up to the end of its own first value.
_LOST = regex(rb"\n\s*+(\(\s*+;" + _one_of(f"{_KIND} {_ABOUT}") + rb"[^\]\\]*+\])")
_CHARSET = regex(rb"(?<![A-Z])CA\s*\[\s*([\w.:-]+)\s*\]")


class _Sgf(Format):
    holds = "Go, Othello, gomoku"
    shares_lines = True
    extra = ("sgfmill", "import")
    is_written = True
    names_moves_of = ("go", "gomoku")
    counts_moves = True
    own_notes = frozenset("GM FF CA SZ PB PW RU RE HA PL AE".split())

    def recognises(self, begin: bytes) -> bool:
        return _BEGIN.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        """A game is a bracket with everything in it, and the text behind it; at the latest, it ends where another begins:
        at a second node that only one can be, or, if its bracket is never closed, at the first node that says who played.
        """
        yield 0
        at, found = 0, False
        while begin := _GAME.search(data, at):
            if found:
                yield begin.start()
            found, depth, infos = True, 0, list[int]()
            for part in _PART.finditer(data, begin.start()):
                if not is_end and part.end() == len(data):
                    # It may go on.
                    return
                if (lost := _LOST.search(data, *part.span())) is not None:
                    at = lost.start(1)
                    break
                if depth and part[0] == b"(" and _is_node(_FIRST, data, part.start()):
                    at = part.start()
                    break
                if part[0] == b"(" and _is_node(_INFO, data, part.start()):
                    infos.append(part.start())
                    if len(infos) > 1 and infos[0] == begin.start():
                        at = infos[1]
                        break
                depth += {b"(": 1, b")": -1}.get(part[0], 0)
                if depth == 0:
                    at = part.end()
                    break
            else:
                if not infos or infos[0] == begin.start():
                    return
                at = infos[0]

    def encoding(self, data: bytes) -> str:
        """The charset that the game names; that is not always true."""
        named = _CHARSET.search(data) if b"CA" in data else None
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


def _is_node(pattern: re.Pattern[bytes], data: bytes, at: int) -> bool:
    """Whether a node begins so, and all of it belongs to one game."""
    node = pattern.match(data, at)
    return node is not None and _LOST.search(data, *node.span()) is None


SGF = _Sgf()
