"""Groups of adjacent cards that are alike, as parts of a circuit.

A group of at least `n` cards contains a connected set of exactly `n`. So all connected sets of `n` cells are enumerated;
on the small boards of card games there are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pwtool.boards.circuit import TRUE
from pwtool.boards.symbols import PileOf, Unsupported
from pwtool.boards.values import Values
from pwtool.text.speech import Told

MAX_SETS = 20_000


class Groups:
    """The groups on a board: `piles` by cell number (None beyond the board), alike in the attribute `name`. If `thorough`, all
    neighbours in a group are compared, although fewer comparisons would do.
    """

    def __init__(
        self, values: Values, piles: Sequence[PileOf | None], name: str, width: int, thorough: bool = False
    ) -> None:  # fmt: skip
        self.values, self.circuit = values, values.circuit
        self.piles, self.name, self.width, self.thorough = piles, name, width, thorough
        self._levels: list[dict[int, int]] = [{}]
        self._pairs: dict[tuple[int, int], int] = {}
        self._near = [self._beside(at) for at in range(len(piles))]

    def largest(self, size: int) -> int:
        """Whether the largest group has at least that many cards."""
        return self.circuit.any_of(self._sets(size).values())

    def smallest(self, size: int) -> int:
        """Whether there are groups and the smallest has at least that many cards."""
        circuit, sets = self.circuit, self._sets(size)
        every = [circuit.any_of(self._there(at) for at in range(len(self.piles)) if self.piles[at] is not None)]
        for at, pile in enumerate(self.piles):
            if pile is not None:
                member = circuit.any_of(node for cells, node in sets.items() if cells >> at & 1)
                every.append(circuit.or_(circuit.not_(self._there(at)), member))
        return circuit.all_of(every)

    def _there(self, at: int) -> int:
        pile = self.piles[at]
        assert pile is not None
        return self.values.filled_at(pile)

    def _sets(self, size: int) -> dict[int, int]:
        """The connected sets of that many cells, as masks, each with the node that says whether all of them are filled and alike."""
        while len(self._levels) <= size:
            self._levels.append(self._grown(self._levels[-1]) if len(self._levels) > 1 else self._single())
        return self._levels[size]

    def _single(self) -> dict[int, int]:
        return {1 << at: self._there(at) for at, pile in enumerate(self.piles) if pile is not None}

    def _grown(self, smaller: dict[int, int]) -> dict[int, int]:
        """Every set, enlarged by one neighbour."""
        found: dict[int, int] = {}
        for cells, node in smaller.items():
            for at in range(len(self.piles)):
                if not cells >> at & 1:
                    continue
                for other in self._near[at]:
                    more = cells | 1 << other
                    if more == cells or more in found:
                        continue
                    if len(found) >= MAX_SETS:
                        raise Unsupported(Told("the grid has too many groups to examine"))
                    parts = self._all_alike(more) if self.thorough else [node, self._alike(at, other)]
                    found[more] = self.circuit.all_of(parts)
        return found

    def _all_alike(self, cells: int) -> Iterator[int]:
        for at in range(len(self.piles)):
            if cells >> at & 1:
                yield from (self._alike(at, other) for other in self._near[at] if other > at and cells >> other & 1)

    def _beside(self, at: int) -> list[int]:
        near = [at - self.width, at + self.width]
        near += [at - 1] * (at % self.width > 0) + [at + 1] * (at % self.width < self.width - 1)
        return [other for other in near if 0 <= other < len(self.piles) and self.piles[other] is not None]

    def _alike(self, a: int, b: int) -> int:
        first, second = self.piles[a], self.piles[b]
        if first is None or second is None or a == b:
            return TRUE
        found = self._pairs.get((a, b))
        if found is None:
            alike = self.values.alike(self.values.top_of(first), self.values.top_of(second), self.name)
            found = self._pairs[a, b] = self.circuit.all_of([self._there(a), self._there(b), alike])
        return found
