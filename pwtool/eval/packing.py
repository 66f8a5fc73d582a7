"""The largest number of places that share no card."""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.eval.work import Work


def bits(cells: Iterable[int]) -> int:
    """Cells as the bits of a number."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


def most_apart(places: Iterable[int], most: int, work: Work) -> int:
    """The greatest number of places (their cells as bits) of which no two share a cell, `most` where it is that or more."""
    known = sorted(set(places), key=lambda place: (place.bit_count(), place))
    # A place inside of another one may be taken wherever that one may.
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
