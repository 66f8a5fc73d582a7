"""Questions about an objective, answered for one set of filled cells after another, small sets first."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from pwtool.boards.decks import is_within
from pwtool.boards.search import Board
from pwtool.boards.splitting import SplitBoards, filled_sets
from pwtool.eval.values import connected

# How many boards with the fewest cards are checked for one that the deck holds.
MAX_BOARDS = 400
# How many boards are drawn from each set of cells.
DRAWN = 12

Filled = tuple[int, ...]


class SetCounts:
    """The boards of one objective, or of several together; every question raises `TooLarge` if there are too many cases. `parts`
    are the analyses of the single objectives that must hold (or not hold) there.
    """

    def __init__(self, apart: SplitBoards, width: int, parts: Sequence[tuple[SetCounts, bool]] = ()) -> None:
        self.apart, self.width, self.parts = apart, width, parts
        # Some of the boards, chosen at random.
        self.drawn: list[Board] = []
        self._rng = random.Random(1)
        self._counts: dict[Filled, int] = {}
        self._known: dict[Filled, bool] = {}
        self._firsts: dict[Filled, Filled] = {}
        self._whole = False

    def _hangs_together(self, filled: Filled) -> bool:
        return bool(filled) and connected({(at % self.width, at // self.width): [0] for at in filled})

    def _first(self, filled: Filled) -> Filled:
        """The first of all sets equivalent to this one; it is needed again and again."""
        found = self._firsts.get(filled)
        if found is None:
            found = self._firsts[filled] = self.apart.symmetry.first(filled)
        return found

    def _count(self, filled: Filled) -> int:
        filled = self._first(filled)
        found = self._counts.get(filled)
        if found is None:
            found = self._counts[filled] = 0 if self._ruled_out(filled) else self.apart.count(filled)
            if found:
                self._draw(filled)
        return found

    def _draw(self, filled: Filled) -> None:
        moves = list(self.apart.symmetry.moves)
        for board in islice(self.apart.boards(filled, self._rng), DRAWN):
            move = self._rng.choice(moves) if moves else range(len(board))
            self.drawn.append(tuple(board[cell] for cell in move))

    def _some(self, filled: Filled) -> bool:
        filled = self._first(filled)
        known = self._counts.get(filled)
        if known is not None:
            return known > 0
        if filled not in self._known:
            self._known[filled] = not self._ruled_out(filled) and self.apart.exists(filled)
        return self._known[filled]

    def _ruled_out(self, filled: Filled) -> bool:
        return any(part.rules_out(filled, holds) for part, holds in self.parts)

    def rules_out(self, filled: Filled, holds: bool) -> bool:
        """Whether it is known that with cards on exactly these cells the objective never (or always) holds."""
        count = self._counts.get(self._first(filled))
        return count is not None and count == (0 if holds else self.apart.whole ** len(filled))

    def count(self, together: bool = False) -> int:
        """How many boards there are (with connected cards)."""
        sets = list(filled_sets(self.apart.cells))
        if not self._whole:
            # If it is too much, the large sets show it first.
            for filled in reversed(sets):
                self._count(filled)
            self._whole = True
        return sum(self._count(filled) for filled in sets if not together or self._hangs_together(filled))

    def exists(self, together: bool = False) -> bool:
        """Whether there is a board (with connected cards)."""
        return next(self._sets(together), None) is not None

    def smallest(self, together: bool = False, filled: bool = False) -> Board | None:
        """A board with the fewest cards (with connected cards, at least one), None if there is none."""
        found = next((one for one in self._sets(together) if one or not filled), None)
        return None if found is None else next(self.apart.boards(found))

    def _sets(self, together: bool) -> Iterator[Filled]:
        for filled in filled_sets(self.apart.cells):
            if (not together or self._hangs_together(filled)) and self._some(filled):
                yield filled

    def within_deck(self, cards: Mapping[int, int]) -> Board | None:
        """One of the boards with the fewest cards that the deck holds; None if none was found, which proves nothing."""
        rng = random.Random(1)
        tried, least = 0, None
        for filled in self._sets(False):
            least = len(filled) if least is None else least
            if len(filled) > least:
                return None
            for board in self.apart.boards(filled, rng):
                if is_within(self.apart.space, board, cards):
                    return board
                tried += 1
                if tried >= MAX_BOARDS:
                    return None
        return None
