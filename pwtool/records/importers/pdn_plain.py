"""The moves of plain games of checkers, read quickly: most games of an archive are legal and have nothing unusual.

Only captures that are not told completely need to know which squares have pieces. That is one number, to which each move adds
another one; of which side a piece is seldom matters, and whether it is a king hardly ever. So it is right for legal games alone,
and others are read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise, repeat
from typing import Any, NamedTuple

from pwtool.records.importers.formats import Actions
from pwtool.records.importers.pdn_board import CELLS, MEN, OVER, SQUARES, START, STEPS, Board, passes
from pwtool.text.regex import regex

__all__ = ["TURNS", "actions_of", "turns_of"]

_CAPTURE = regex(r"(?:[1-9]|[12]\d|3[012])(?:x(?:[1-9]|[12]\d|3[012]))+")
_MOST_KEPT = 1 << 14
_PLACED = sum(1 << n for n, piece in enumerate(START) if piece)
"""The squares with pieces at the beginning, as bits. In the bits behind them, the pieces taken are counted."""
_BITS = SQUARES + 1
_ON_BOARD = (1 << _BITS) - 1


def actions_of(way: Sequence[int]) -> list[dict[str, object]]:
    """What a piece does that stands on these squares one after the other: it jumps or steps from each to the next."""
    return [
        {"action": "jump", "start": [*CELLS[start]], "over": [*CELLS[OVER[start, to]]]}
        if (start, to) in OVER
        else {"action": "step", "start": [*CELLS[start]], "target": [*CELLS[to]]}
        for start, to in pairwise(way)
    ]


@lru_cache(maxsize=_MOST_KEPT)
def _way(word: str) -> Sequence[int]:
    """The squares that a capture names; none for anything else."""
    return tuple(map(int, word.split("x"))) if _CAPTURE.fullmatch(word) else ()


def _change(start: int, to: int, taken: int = 0) -> int:
    """What a move adds to what is `_PLACED`; `taken`: the squares of the pieces that it takes, as bits."""
    return (1 << to) - (1 << start) - taken + (taken.bit_count() << _BITS)


_CHANGES: Mapping[str, int] = {f"{start}-{to}": _change(start, to) for start, to in STEPS} | {
    f"{start}x{to}": _change(start, to, 1 << over) for (start, to), over in OVER.items()
}
"""What steps and single jumps add."""


class _Turns(dict[int | str, Actions]):
    """The actions of turns: of steps and single jumps by what they add, of other captures by words that name all squares."""

    def __missing__(self, key: int | str) -> Actions:
        found = self[key] = tuple(actions_of([*map(int, str(key).split("x"))]))
        return found


TURNS = _Turns({_change(start, to): tuple(actions_of((start, to))) for start, to in STEPS})
TURNS.update({_change(*jump, 1 << over): tuple(actions_of(jump)) for jump, over in OVER.items()})


def _fits(placed: int) -> bool:
    """Whether as many pieces are left as were not taken. There are more if a move took one where none was."""
    return (placed & _ON_BOARD).bit_count() + (placed >> _BITS) == 2 * MEN


_JUMPS: Mapping[int, Sequence[tuple[int, int]]] = {
    n: [(1 << over, to) for (start, to), over in OVER.items() if start == n] for n in range(1, SQUARES + 1)
}
"""Of the jumps from each square: the one between, as a bit, and that to which they lead."""


class _Way(NamedTuple):
    """A way of jumps, with its word and what it adds; as bits, the squares that have to have pieces before it, and these with
    those that have to be empty.
    """

    squares: tuple[int, ...]
    word: str
    change: int
    full: int
    seen: int


@cache
def _ways_from(start: int) -> Mapping[int, Sequence[_Way]]:
    """The ways from a square, as if every piece could take all others, by the squares where they end."""
    found: dict[int, list[_Way]] = {end: [] for end in range(1, SQUARES + 1)}
    ways = [_Way((start,), str(start), 0, 1 << start, 1 << start)]
    # It grows.
    for way in ways:
        for over, to in _JUMPS[way.squares[-1]]:
            if not way.full & over:
                full = way.full | over
                change = _change(start, to, full ^ 1 << start)
                ways.append(_Way((*way.squares, to), f"{way.word}x{to}", change, full, way.seen | over | 1 << to))
                found[to].append(ways[-1])
    return found


def _goes_on(words: Sequence[str], placed: int) -> bool:
    """Whether a game's last move is a capture that has to go on. `placed`: the squares with pieces after it, of which a jump may
    lead over one; only then is it looked at whose that is.
    """
    way = [*_way(words[-1])] if words else []
    if not way or not any(placed & (over | 1 << to) == over for over, to in _JUMPS[way[-1]]):
        return False
    return bool(_board_after(words[:-1]).play(way))


def turns_of(words: list[str]) -> list[int | str] | None:
    """The turns of a game by the keys of `TURNS`; None if a capture could go several ways, if the last one has to go on, or if
    there is something else. The words of captures that are not told completely are changed to those that are.
    """
    turns: list[Any] = [*map(_CHANGES.get, words, repeat(0)), 0]
    placed, done = _PLACED, 0
    while True:
        at = turns.index(0, done)
        before = placed + sum(turns[done:at])
        if not _fits(before):
            # A king that seems to jump once went round.
            at, before = done, placed
            while _fits(before + turns[at]):
                before, at = before + turns[at], at + 1
        elif at == len(words):
            turns.pop()
            return None if _goes_on(words, before) else turns
        squares = _way(words[at])
        if not squares:
            return None
        ways = [way for way in _ways_from(squares[0])[squares[-1]] if before & way.seen == way.full]
        if len(squares) > 2:
            ways = [way for way in ways if passes(way.squares, squares)]
        if len(ways) > 1:
            exact = _board_after(words[:at]).captures([*squares])
            ways = [way for way in ways if [*way.squares] in exact]
        if len(ways) != 1:
            return None
        turns[at] = words[at] = ways[0].word
        placed, done = before + ways[0].change, at + 1


def _board_after(words: Sequence[str]) -> Board:
    """The board behind moves of which all squares are told."""
    board = Board()
    for start, to, over in map(_move, words):
        board.move(start, to, over)
    return board


@lru_cache(maxsize=_MOST_KEPT)
def _move(word: str) -> tuple[int, int, Sequence[int]]:
    """From which square to which a move goes, and over which."""
    way = _way(word) or [*map(int, word.split("-"))]
    return way[0], way[-1], [OVER[jump] for jump in pairwise(way)] if "x" in word else ()
