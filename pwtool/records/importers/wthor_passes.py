"""Where somebody has to pass in games of Othello of which only the other moves are known, and which of them are over.

Many games are played at once: a board has 64 bits, and the boards of all games stand side by side in one large number,
so that each operation on it is done in all games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["NOT_OVER", "play_moves"]

NOT_OVER = 255
"""What stands for the discs of a game that can go on."""

_BYTES = 8
_BOARD = (1 << 64) - 1
_BITS = tuple(
    (1 << (8 * (byte // 10 - 1) + byte % 10 - 1) if 1 <= byte // 10 <= 8 and 1 <= byte % 10 <= 8 else 0).to_bytes(
        _BYTES, "little"
    )
    for byte in range(256)
)
"""The bit of the cell that a byte names: row, then column, as two decimal digits."""
_BLACK, _WHITE = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36
_INNER_COLUMNS, _INNER_ROWS = 0x7E7E7E7E7E7E7E7E, 0x00FFFFFFFFFFFF00
_DIRECTIONS = (
    (1, _INNER_COLUMNS),
    (8, _INNER_ROWS),
    (7, _INNER_COLUMNS & _INNER_ROWS),
    (9, _INNER_COLUMNS & _INNER_ROWS),
)
"""By how many bits cells are apart, and which discs may lie between two others: nothing runs over an edge then."""


def play_moves(moves: Sequence[bytes]) -> list[tuple[int, int]]:
    """For each game the moves before which the other side has to pass, as bits, and Black's discs at the end, `NOT_OVER` if
    somebody can still move, or has made a move that is not legal. `moves` has the first move of each game, then the second (one byte each, 0 behind the last).
    A pass is found where the side whose turn it is has no legal move and the other one has some, whether or not its move
    is one of them.
    """
    found = [0] * len(moves[0])
    boards = _Boards(len(found))
    mine, other = boards.all(_BLACK), boards.all(_WHITE)
    turns, illegal = 0, set[int]()
    for number, bytes_ in enumerate(moves):
        move = int.from_bytes(b"".join(map(_BITS.__getitem__, bytes_)), "little")
        if not move:
            break
        turned = boards.turned(move, mine, other)
        if on_discs := move & (mine | other):
            turned &= ~boards.whole(on_discs)
        # Those that turn nothing: a pass before, or an illegal move.
        idle = boards.picks(move, but=turned)
        if idle:
            swapped, cells = 0, 0
            for at, of_other in boards.passing(idle, move, mine, other):
                found[at] |= 1 << number
                swapped |= _BOARD << 64 * at
                cells |= of_other << 64 * at
            swapped &= mine ^ other
            mine, other, turned = mine ^ swapped, other ^ swapped, turned | cells
            illegal.update(boards.picks(move, but=turned))
        # What is put on a disc is illegal; whatever follows does not matter then.
        mine, other = other & ~turned, mine | move | turned
        turns += 1
    ends = [boards.each(one) for one in (mine, other, boards.moves(mine, other) | boards.moves(other, mine))]
    counted = [
        NOT_OVER if left else (b if (turns + passes.bit_count()) % 2 else a).bit_count()
        for passes, a, b, left in zip(found, *ends, strict=True)
    ]
    for at in illegal:
        counted[at] = NOT_OVER
    return [*zip(found, counted, strict=True)]


class _Boards:
    """So many boards side by side."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ones = int.from_bytes(b"\1".ljust(_BYTES, b"\0") * count, "little")
        self._directions = [(by, self.all(inner)) for by, inner in _DIRECTIONS]
        self._low = self.all(_BOARD >> 1)

    def all(self, board: int) -> int:
        """The same on every board."""
        return board * self.ones

    def turned(self, move: int, mine: int, other: int) -> int:
        """What is turned on each board if the side to which `mine` belongs lays one disc there (one bit of `move`)."""
        turned = 0
        for by, inner in self._directions:
            between = other & inner
            two = between & between << by
            line = between & move << by
            line |= between & line << by
            line |= two & line << 2 * by
            line |= two & line << 2 * by
            turned |= line & self.whole(mine & line << by)
            two = between & between >> by
            line = between & move >> by
            line |= between & line >> by
            line |= two & line >> 2 * by
            line |= two & line >> 2 * by
            turned |= line & self.whole(mine & line >> by)
        return turned

    def moves(self, mine: int, other: int) -> int:
        """The legal moves of a side on each board."""
        found = 0
        for by, inner in self._directions:
            between = other & inner
            left, right = between & mine << by, between & mine >> by
            for _ in range(5):
                left |= between & left << by
                right |= between & right >> by
            found |= left << by | right >> by
        return found & ~(mine | other)

    def picks(self, bits: int, but: int) -> list[int]:
        """The numbers of the boards that have some of these bits and none of the others."""
        left, found = self._any(bits) & ~self._any(but), []
        while left:
            at = left.bit_length() - 1
            left ^= 1 << at
            found.append(at // 64)
        return found

    def passing(self, numbers: Sequence[int], *bits: int) -> Iterator[tuple[int, int]]:
        """Those of these boards on which the side to which `mine` belongs has to pass, and what this move of the other one
        turns; `bits`: the move, `mine`, and the discs of the other.
        """
        some, data = _Boards(len(numbers)), [one.to_bytes(_BYTES * self.count, "little") for one in bits]
        parts = [b"".join([one[_BYTES * at : _BYTES * at + _BYTES] for at in numbers]) for one in data]
        move, mine, other = (int.from_bytes(part, "little") for part in parts)
        turned = some.turned(move, other, mine)
        for at in some.picks(some.moves(other, mine), but=some.moves(mine, other)):
            yield numbers[at], turned >> 64 * at & _BOARD

    def each(self, bits: int) -> list[int]:
        """The boards one by one."""
        data = bits.to_bytes(_BYTES * self.count, "little")
        return [int.from_bytes(data[at : at + _BYTES], "little") for at in range(0, len(data), _BYTES)]

    def whole(self, bits: int) -> int:
        """All bits of the boards that have at least one of these."""
        ones = self._any(bits)
        return (ones << 64) - ones

    def _any(self, bits: int) -> int:
        """The lowest bit of each board that has at least one of these."""
        return ((bits & self._low) + self._low | bits) >> 63 & self.ones
