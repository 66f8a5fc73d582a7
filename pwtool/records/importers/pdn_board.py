"""The board of checkers, as far as reading its games needs it: where men stand, and the ways of captures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

__all__ = [
    "CELLS", "LAST", "MEN", "NUMBERS", "OVER", "SQUARES", "START", "STEPS", "Board", "is_capture", "passes", "sign_of",
]  # fmt: skip

SQUARES = 32
MEN = 12
"""With how many men each side begins."""
CELLS: Sequence[tuple[int, int]] = (
    (-1, -1),
    *((6 - 2 * (n % 4) + (n // 4) % 2, 7 - n // 4) for n in range(SQUARES)),
)
"""The cells of the squares, which are numbered from 1: each row from the right, the lowest row first."""
START: Sequence[int] = (0, *[1] * MEN, *[0] * 8, *[-1] * MEN)
"""What stands on each square: of the side that moves first 1 (a man) or 2 (a king), of the other -1 or -2."""
SIGNS: Mapping[int, str] = MappingProxyType({1: "b", 2: "bK", -1: "w", -2: "wK", 0: ""})
"""How the ruleset writes each of them."""
NUMBERS: Mapping[tuple[int, int], int] = MappingProxyType({cell: n for n, cell in enumerate(CELLS) if n})
_AHEAD: Mapping[int, tuple[int, ...]] = MappingProxyType({1: (-1,), -1: (1,), 2: (-1, 1), -2: (-1, 1), 0: ()})
"""In which directions each piece goes from row to row."""
LAST = MappingProxyType({1: range(29, 33), -1: range(1, 5)})
"""The squares on which a man is crowned."""


def _beside(square: int, ahead: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The squares next to one in these directions, each with the one behind it (0: off the board)."""
    x, y = CELLS[square]
    found = (
        (NUMBERS.get((x + aside, y + a), 0), NUMBERS.get((x + 2 * aside, y + 2 * a), 0))
        for a in ahead
        for aside in (-1, 1)
    )
    return tuple((near, behind) for near, behind in found if near)


_BESIDE: Mapping[int, Sequence[tuple[tuple[int, int], ...]]] = MappingProxyType(
    {piece: ((), *(_beside(n, ahead) for n in range(1, SQUARES + 1))) for piece, ahead in _AHEAD.items()}
)
OVER: Mapping[tuple[int, int], int] = MappingProxyType(
    {(n, to): near for n in range(1, SQUARES + 1) for near, to in _BESIDE[2][n] if to}
)
"""The square between the two squares of a jump."""
STEPS: Sequence[tuple[int, int]] = tuple((n, to) for n in range(1, SQUARES + 1) for to, _ in _BESIDE[2][n])
"""The two squares of each step that a king may make."""


class Board:
    """A position. Moves are made whether or not the rules allow them."""

    def __init__(self, pieces: Sequence[int] = START) -> None:
        self.pieces = list(pieces)

    @staticmethod
    def crowned(piece: int, to: int) -> int:
        """What a piece is that gets to a square: in the last row, a man becomes a king."""
        return piece * 2 if to in LAST.get(piece, ()) else piece

    def move(self, start: int, to: int, over: Sequence[int] = ()) -> None:
        """Put a piece on another square, and take those on the squares that it jumps `over`."""
        pieces = self.pieces
        pieces[to], pieces[start] = pieces[start], 0
        for square in over:
            pieces[square] = 0
        if not 4 < to < 29:
            pieces[to] = self.crowned(pieces[to], to)

    def jump(self, way: Sequence[int]) -> bool:
        """Move over the pieces between these squares, which are taken; whether the piece has to go on."""
        pieces, piece, end = self.pieces, self.pieces[way[0]], way[-1]
        for start, to in pairwise(way):
            pieces[OVER[start, to]] = 0
            self.move(start, to)
        return pieces[end] == piece and any(
            behind and pieces[near] * piece < 0 and not pieces[behind] for near, behind in _BESIDE[piece][end]
        )

    def play(self, way: Sequence[int]) -> int:
        """Make a move, a step or a capture. The square on which the rules make the piece go on, otherwise 0."""
        if not is_capture(way):
            self.move(way[0], way[-1])
            return 0
        is_possible = way in self.ways(way[0], complete=False)
        return way[-1] if self.jump(way) and is_possible else 0

    def takes_at_once(self, start: int, to: int) -> bool:
        """Whether a man takes with a single jump. Its captures all go ahead: no other way leads there."""
        piece, pieces = self.pieces[start], self.pieces
        return (
            abs(piece) == 1
            and not pieces[to]
            and any(behind == to and pieces[near] * piece < 0 for near, behind in _BESIDE[piece][start])
        )

    def meant(self, squares: list[int]) -> list[list[int]]:
        """What a move may be that names these squares: all on which the piece stands one after the other, those that are
        named and by the rules perhaps others between them. One that the rules refuse is what it says.
        """
        start, end = squares[0], squares[-1]
        if len(squares) == 2 and (self.takes_at_once(start, end) or abs(CELLS[start][0] - CELLS[end][0]) == 1):
            return [squares]
        # A capture that has to go on is one that the rules refuse.
        rest = (way for way in self.ways(start, complete=False) if passes(way, squares))
        return self.captures(squares) or [next(rest, squares)]

    def captures(self, squares: list[int]) -> list[list[int]]:
        """The ways of a capture that passes these squares; only one if all are named."""
        ways = [way for way in self.ways(squares[0]) if passes(way, squares)]
        return [squares] if squares in ways else ways

    def ways(self, start: int, complete: bool = True) -> list[list[int]]:
        """The ways of captures from a square: the squares on which the piece stands one after the other. Those that have
        to go on are only told if not `complete`.
        """
        piece, pieces = self.pieces[start], self.pieces
        found: list[list[int]] = []
        pieces[start] = 0
        self._find([start], piece, complete, found)
        pieces[start] = piece
        return found

    def _find(self, way: list[int], piece: int, complete: bool, found: list[list[int]]) -> None:
        pieces, goes_on = self.pieces, False
        is_crowned = len(way) > 1 and way[-1] in LAST.get(piece, ())
        for near, behind in () if is_crowned else _BESIDE[piece][way[-1]]:
            taken = pieces[near]
            if behind and taken * piece < 0 and not pieces[behind]:
                goes_on = True
                pieces[near] = 0
                self._find([*way, behind], piece, complete, found)
                pieces[near] = taken
        if len(way) > 1 and not (goes_on and complete):
            found.append(way)

    def can_step(self, start: int, to: int, side: int) -> bool:
        """Whether a piece of this side may step to a square: not if it or another one can jump."""
        pieces = self.pieces
        steps = (
            pieces[start] * side > 0 and not pieces[to] and any(to == near for near, _ in _BESIDE[pieces[start]][start])
        )
        return steps and not any(self.ways(square) for square in range(1, SQUARES + 1) if pieces[square] * side > 0)

    def is_legal(self, way: Sequence[int], side: int) -> bool:
        """Whether the rules allow this side a step or a whole capture."""
        if not is_capture(way):
            return self.can_step(way[0], way[-1], side)
        return self.pieces[way[0]] * side > 0 and way in self.ways(way[0])

    def can_move(self, side: int) -> bool:
        """Whether a side (1 or -1) has a step or a jump."""
        pieces = self.pieces
        return any(
            not pieces[near] or (behind and pieces[near] * piece < 0 and not pieces[behind])
            for square, piece in enumerate(pieces)
            if piece * side > 0
            for near, behind in _BESIDE[piece][square]
        )


def is_capture(way: Sequence[int]) -> bool:
    """Whether a way is one of jumps."""
    return all(step in OVER for step in pairwise(way))


def sign_of(way: Sequence[int]) -> str:
    """The sign between the squares of a move: that of a capture also if no piece is between them but jumps could lead there,
    since nobody steps so far.
    """
    (x, y), (to_x, to_y) = CELLS[way[0]], CELLS[way[-1]]
    return "x" if is_capture(way) or (x - to_x) % 2 == (y - to_y) % 2 == 0 else "-"


def passes(way: Sequence[int], squares: Sequence[int]) -> bool:
    """Whether a way begins and ends as it is told, and passes the squares between in their order."""
    if way[-1] != squares[-1]:
        return False
    rest = iter(way[1:-1])
    return all(square in rest for square in squares[1:-1])
