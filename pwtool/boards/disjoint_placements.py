"""Whether a given number of placements of a shape that share no card fulfil a condition, as a node of a circuit: all ways to
choose them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pwtool.boards.circuit import FALSE, Circuit
from pwtool.boards.symbols import Unsupported
from pwtool.text.speech import Told

MAX_WAYS = 20_000


@dataclass(frozen=True, slots=True)
class Spot:
    """A placement: the node that says whether it fulfils the condition, its cells with a card, and those that may lack one."""

    holds: int
    needs: frozenset[int]
    maybe: frozenset[int]

    def meets(self, other: Spot) -> bool:
        """Whether two placements certainly share a card wherever both occur."""
        return not (self.needs.isdisjoint(other.needs | other.maybe) and other.needs.isdisjoint(self.maybe))


def any_apart(circuit: Circuit, spots: list[Spot], number: int, filled: Callable[[int], int]) -> int:
    """Whether that many placements that share no card fulfil the condition; `filled` is the node that says whether a cell has a card."""
    spots = [spot for spot in spots if spot.holds != FALSE]
    ways: list[int] = []
    for chosen in _families(spots, number, []):
        # A card may lie where both placements would have none.
        shared = {c for at, one in enumerate(chosen) for other in chosen[:at] for c in one.maybe & other.maybe}
        clear = [circuit.not_(filled(cell)) for cell in sorted(shared)]
        ways.append(circuit.all_of([*(spot.holds for spot in chosen), *clear]))
        if len(ways) > MAX_WAYS:
            raise Unsupported(Told("there are more than {most} ways to keep its places apart", most=MAX_WAYS))
    return circuit.any_of(ways)


def _families(spots: list[Spot], number: int, chosen: list[Spot]) -> Iterator[list[Spot]]:
    """All ways to choose that many further placements that need not overlap."""
    if number == 0:
        yield chosen
        return
    for at in range(len(spots) - number + 1):
        left = [other for other in spots[at + 1 :] if not spots[at].meets(other)]
        yield from _families(left, number - 1, [*chosen, spots[at]])
