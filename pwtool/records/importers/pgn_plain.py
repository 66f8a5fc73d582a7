"""The moves of plain chess games, read quickly: most games of an archive are legal and have nothing unusual.

It takes the only piece that gets to the cell on the board as it stands, and does not ask whether the king is safe then
unless several pieces do. So it is right for legal games alone; others are read again, with python-chess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pwtool.records.importers.formats import Actions

__all__ = ["TURNS", "PlainMoves"]

_PART = re.compile(
    r"""\s*+(?:(?P<number>\d++)\.(?P<dots>\.\.)?+\s*+)?+(?:
    (?P<piece>[KQRBN]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<sign>x?)(?P<target>[a-h][1-8])
        (?:=(?P<into>[QRBN]))?(?P<end>[+\#]?)(?:[!?]{1,2}+)?+
    |(?P<castle>O-O(?:-O)?)(?P<castle_end>[+\#]?)(?:[!?]{1,2}+)?+
    |(?P<said>\{[^{}]*+\}|\$\d{1,3}+|[!?]{1,2}+)
    |(?P<result>1-0|0-1|1/2-1/2|\*))(?=\s|\Z)""",
    re.VERBOSE,
)
_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
_OBLIQUE = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
_WAYS = {"R": _STRAIGHT, "B": _OBLIQUE, "Q": _STRAIGHT + _OBLIQUE}
_STEPS = {"N": _JUMPS, "K": _STRAIGHT + _OBLIQUE}
# Cells are numbered by rows from the top left corner as White sees the board: a8 is 0, h1 is 63.
_CELLS = {f"{file}{rank}": 8 * (8 - rank) + at for at, file in enumerate("abcdefgh") for rank in range(1, 9)}
_FILES = {file: at for at, file in enumerate("abcdefgh")}
_FIRST = [*"rnbqkbnr", *"pppppppp", *[""] * 32, *"PPPPPPPP", *"RNBQKBNR"]
"""The first position, White's pieces in capitals."""


def _line(cell: int, way: tuple[int, int], length: int = 8) -> tuple[int, ...]:
    """The cells from a cell in a direction, at most so many."""
    found: list[int] = []
    x, y = cell % 8 + way[0], cell // 8 + way[1]
    while 0 <= x < 8 and 0 <= y < 8 and len(found) < length:
        found.append(8 * y + x)
        x, y = x + way[0], y + way[1]
    return tuple(found)


@cache
def _rays(piece: str, cell: int) -> tuple[tuple[int, ...], ...]:
    """The cells around a cell from which a piece gets there, nearest first in each direction."""
    ways, length = (_WAYS[piece], 8) if piece in _WAYS else (_STEPS[piece], 1)
    return tuple(line for way in ways if (line := _line(cell, way, length)))


Turn = tuple[str, int, int, str]
"""A step or a promotion from a cell to another one (into what), or castling with the rook on a cell."""


class _Turns(dict[Turn, Actions]):
    """The actions of turns."""

    def __missing__(self, turn: Turn) -> Actions:
        action, start, target, into = turn
        begin, end = [start % 8, start // 8], [target % 8, target // 8]
        told: dict[str, object] = {"start": begin, "target": end}
        if action == "castle":
            told = {"tower": begin}
        elif action == "promote":
            told = {"start": begin, "aside": end[0] - begin[0], "into": into}
        found = self[turn] = ({"action": action, **told},)
        return found


TURNS = _Turns()


class PlainMoves:
    """The turns of a game, the result behind the moves, and whether the last move claims to mate. `is_plain`: whether all
    of it could be read.
    """

    def __init__(self, text: str, start: int) -> None:
        self.turns: list[Turn] = []
        self.result = ""
        self.claims_mate = False
        self._board = [*_FIRST]
        self._kings = {True: _CELLS["e1"], False: _CELLS["e8"]}
        self.is_plain = self._read(text, start)
        self.result = self.result or "*"

    def _read(self, text: str, at: int) -> bool:
        end = len(text.rstrip())
        turns = self.turns
        while at < end:
            part = _PART.match(text, at)
            if part is None or self.result:
                return False
            at = part.end()
            number, dots, piece, file, rank, sign, target, into, mark, castle, castle_mark, said, result = part.groups()
            whites = len(turns) % 2 == 0
            if number is not None and (int(number) != len(turns) // 2 + 1 or (dots is not None) == whites):
                return False
            if said is not None:
                if number is not None:
                    return False
                continue
            if result is not None:
                self.result = result
                continue
            if self.claims_mate:
                return False
            if castle is not None:
                turn, mark = self._castle(castle == "O-O", whites), castle_mark
            else:
                turn = self._move(piece, file, rank, sign, _CELLS[target], into, whites)
            if turn is None or (mark and not self._is_attacked(self._kings[not whites], whites)):
                return False
            self.claims_mate = mark == "#"
            turns.append(turn)
        return True

    def _castle(self, is_short: bool, whites: bool) -> Turn | None:
        board, king, tower = self._board, *(("K", "R") if whites else ("k", "r"))
        row = 56 if whites else 0
        start, corner, step = row + 4, row + (7 if is_short else 0), 1 if is_short else -1
        if board[start] != king or board[corner] != tower or any(board[min(start, corner) + 1 : max(start, corner)]):
            return None
        board[start] = board[corner] = ""
        board[start + 2 * step], board[start + step] = king, tower
        self._kings[whites] = start + 2 * step
        return "castle", corner, corner, ""

    def _move(
        self, piece: str, file: str, rank: str, sign: str, target: int, into: str | None, whites: bool
    ) -> Turn | None:
        board = self._board
        taken = board[target]
        if taken and taken.isupper() == whites:
            return None
        if not piece:
            return self._pawn(file, rank, sign, target, into, whites)
        if bool(taken) != bool(sign) or into:
            return None
        man = piece if whites else piece.lower()
        starts = []
        for ray in _rays(piece, target):
            for cell in ray:
                if board[cell]:
                    if board[cell] == man:
                        starts.append(cell)
                    break
        if file:
            starts = [cell for cell in starts if cell % 8 == _FILES[file]]
        if rank:
            starts = [cell for cell in starts if cell // 8 == 8 - int(rank)]
        if len(starts) > 1:
            starts = [cell for cell in starts if self._is_safe(cell, target, whites)]
        if len(starts) != 1:
            return None
        (start,) = starts
        board[start], board[target] = "", man
        if piece == "K":
            self._kings[whites] = target
        return "step", start, target, ""

    def _pawn(self, file: str, rank: str, sign: str, target: int, into: str | None, whites: bool) -> Turn | None:
        board, man, back = self._board, *(("P", 8) if whites else ("p", -8))
        if rank or (target // 8 == (0 if whites else 7)) != (into is not None) or bool(file) != bool(sign):
            return None
        start = target + back
        if not 0 <= start < 64:
            return None
        if file:
            start += _FILES[file] - target % 8
            if abs(start % 8 - target % 8) != 1:
                return None
            if not board[target]:
                # In passing.
                passed = target + back
                if board[passed] != ("p" if whites else "P"):
                    return None
                board[passed] = ""
        elif board[target]:
            return None
        elif not board[start] and target // 8 == (4 if whites else 3):
            start += back
        if board[start] != man:
            return None
        board[start] = ""
        board[target] = man if into is None else into if whites else into.lower()
        if into is None:
            return "step", start, target, ""
        return "promote", start, target, ("w" if whites else "b") + into

    def _is_safe(self, start: int, target: int, whites: bool) -> bool:
        """Whether the king is not attacked if this piece goes there."""
        board = self._board
        held = board[start], board[target]
        board[start], board[target] = "", held[0]
        king = target if held[0] in "Kk" else self._kings[whites]
        is_safe = not self._is_attacked(king, not whites)
        board[start], board[target] = held
        return is_safe

    def _is_attacked(self, cell: int, whites: bool) -> bool:
        """Whether a piece of this side attacks a cell."""
        board = self._board
        return any(board[start] == man for man, start in self._attackers(cell, whites))

    def _attackers(self, cell: int, whites: bool) -> Iterator[tuple[str, int]]:
        """The cells from which a cell may be attacked, as the board stands, each with the piece that would do it."""
        board = self._board
        for piece in "QRBNK":
            man = piece if whites else piece.lower()
            for ray in _rays(piece, cell):
                start = next((c for c in ray if board[c]), None)
                if start is not None:
                    yield man, start
        back = 1 if whites else -1
        for aside in (1, -1):
            for start in _line(cell, (aside, back), 1):
                yield "P" if whites else "p", start
