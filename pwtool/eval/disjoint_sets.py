"""The largest number of places that share no card."""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.eval.work import Work


def bits(cells: Iterable[int]) -> int:
    """Cells as bits of a number."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


def most_apart(places: Iterable[int], most: int, work: Work) -> int:
    """The greatest number of places (given as bits of their cells) of which no two share a cell, or `most` if it is at least that."""
    known = sorted(set(places), key=lambda place: (place.bit_count(), place))
    # A place inside another one can always be taken instead of it.
    kept: list[int] = []
    for place in known:
        if not any(place & other == other for other in kept):
            kept.append(place)
    best = 0

    def further(at: int, taken: int, count: int) -> None:
        nonlocal best
        best = max(best, count)
        work.spend(1)
        for number in range(at, len(kept)):
            if best >= most or count + len(kept) - number <= best:
                return
            if not kept[number] & taken:
                further(number + 1, taken | kept[number], count + 1)

    further(0, 0, 0)
    return min(best, most)
