"""Plain games in SGF, read quickly: a first node, then at most one move a node and what is said of it, without side lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import cache, lru_cache
from typing import Protocol

from msgspec import Struct

from pwtool.records.importers.formats import Actions

__all__ = [
    "COLORS",
    "LARGEST_WITH_TT",
    "Plain",
    "Properties",
    "Written",
    "laid_stones",
    "read_plain",
    "text_of",
    "written",
]

COLORS = ("B", "W")
LARGEST_WITH_TT = 19
"""The size of the largest board on which `tt` is a pass."""
_VALUE = r"\[(?:[^\]\\]++|\\.)*+\]"
_HEAD = re.compile(rf"\s*+\(\s*+;(?:\s*+[A-Z]++(?:\s*+{_VALUE})++)*+", re.DOTALL)
_PROPERTY = re.compile(rf"([A-Z]++)((?:\s*+{_VALUE})++)", re.DOTALL)
# Properties that set nothing up, begin no other game, and are no moves.
_SAID = rf"(?!(?:[BW]|A[BWE]|PL|FF|GM|SZ|HA)(?![A-Z]))[A-Z]++(?:\s*+{_VALUE})++\s*+"
_MOVE = r"([BW]\[(?:[a-z][a-z])?+\])\s*+"
_NODE = re.compile(rf";\s*+(?:{_SAID})*+(?:{_MOVE}(?:{_SAID})*+)?+", re.DOTALL)
_NODES = re.compile(rf"(?:{_NODE.pattern})*+\)\s*+", re.DOTALL)
_PLAIN_VALUE = re.compile(_VALUE, re.DOTALL)


class Properties(Protocol):
    """The properties of a node: of sgfmill, or of the first node of a plain game."""

    def has_property(self, identifier: str) -> bool: ...

    def get_raw(self, identifier: str) -> bytes: ...

    def get_raw_list(self, identifier: str) -> Sequence[bytes]: ...

    def properties(self) -> Sequence[str]: ...


class Plain(Struct):
    """The first node of a game with the places of its properties, and the moves as they are written, such as `B[pd]`."""

    values: dict[str, list[bytes]]
    places: dict[str, tuple[int, int]]
    moves: list[str]

    def has_property(self, identifier: str) -> bool:
        return identifier in self.values

    def get_raw(self, identifier: str) -> bytes:
        return self.values[identifier][0]

    def get_raw_list(self, identifier: str) -> Sequence[bytes]:
        return self.values[identifier]

    def properties(self) -> Sequence[str]:
        return [*self.values]


def read_plain(text: str) -> Plain | None:
    """A game, if it is plain."""
    head = _HEAD.match(text)
    if head is None:
        return None
    plain = Plain({}, {}, [])
    for found in _PROPERTY.finditer(text, text.index(";") + 1, head.end()):
        name = found[1]
        if name in plain.values or name in ("B", "W"):
            return None
        values = list(_PLAIN_VALUE.finditer(found[2]))
        plain.values[name] = [value[0][1:-1].encode() for value in values]
        plain.places[name] = found.start(), found.start(2) + values[0].end()
    rest = text[head.end() :].lstrip()
    if rest.count(";") == rest.count("["):
        # Nothing is said of the moves. Whatever is none is told later: no move is written so.
        rest, closed, behind = rest.rpartition(")")
        before, *plain.moves = map(str.strip, rest.split(";"))
        return plain if closed and not before and not behind.strip() else None
    if not _NODES.fullmatch(rest):
        return None
    plain.moves = [move for move in _NODE.findall(rest) if move]
    return plain


def text_of(node: Properties, name: str) -> str:
    """The first value of a property, without escapes."""
    raw: bytes = node.get_raw(name)
    return re.sub(r"\\(.)", r"\1", raw.decode("utf-8", "replace"), flags=re.DOTALL)


class Written(dict[Hashable, Actions]):
    """The actions of turns on a board: of moves as they are usually written, of a handicap by its cells."""

    def __init__(self, place: str, size: int, handicap: str) -> None:
        letters = [chr(ord("a") + at) for at in range(size)]
        cells = {f"{a}{b}": (x, y) for y, b in enumerate(letters) for x, a in enumerate(letters)}
        passes = ("",) if size > LARGEST_WITH_TT else ("", "tt")
        self.handicap = handicap
        self.passes = {f"{color}[{cell}]" for color in COLORS for cell in passes}
        self.moves = tuple(frozenset(f"{color}[{cell}]" for cell in (*cells, *passes)) for color in COLORS)
        """The moves of each color."""
        super().__init__(dict.fromkeys(self.passes, ({"action": "pass"},)))
        for cell, (x, y) in cells.items():
            self.update(dict.fromkeys((f"{color}[{cell}]" for color in COLORS), ({"action": place, "at": [x, y]},)))

    def __missing__(self, key: Hashable) -> Actions:
        if not isinstance(key, tuple):
            raise KeyError(key)
        return laid_stones(self.handicap, key)

    def alternate(self, moves: Sequence[str], omits_passes: bool) -> tuple[int, list[Hashable] | None]:
        """The seat that moves first, and the turns; None if something is no move, or the colors do not alternate although
        no pass is left out.
        """
        first = COLORS.index(moves[0][0]) if moves and moves[0][:1] in COLORS else 0
        if self.moves[first].issuperset(moves[::2]) and self.moves[1 - first].issuperset(moves[1::2]):
            return first, [*moves]
        return first, self._with_passes(moves, first) if omits_passes else None

    def _with_passes(self, moves: Sequence[str], seat: int) -> list[Hashable] | None:
        """The turns with the passes that are left out."""
        turns: list[Hashable] = []
        for move in moves:
            if move not in self.moves[seat]:
                turns.append(f"{COLORS[seat]}[]")
                seat = 1 - seat
            if move not in self.moves[seat]:
                return None
            turns.append(move)
            seat = 1 - seat
        return turns


written = cache(Written)


@lru_cache(maxsize=1024)
def laid_stones(kind: str, cells: tuple[tuple[int, int], ...]) -> Actions:
    """The stones of a handicap."""
    return tuple({"action": kind, "at": [*cell]} for cell in cells)
