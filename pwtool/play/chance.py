"""Random numbers that are the same everywhere: SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, "Fast Splittable
Pseudorandom Number Generators", OOPSLA 2014), bounded without bias (D. Lemire, "Fast Random Integer Generation in
an Interval", ACM TOMACS 2019). The engine and the kernel draw the same numbers in the same order, so a seed gives
the same game in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
_MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Chance:
    """A source of random numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _MASK

    def next(self) -> int:
        """The next 64 bits."""
        self.state = self.state + STEP & _MASK
        z = self.state
        z = (z ^ z >> 30) * FIRST & _MASK
        z = (z ^ z >> 27) * SECOND & _MASK
        return z ^ z >> 31

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1, uniformly distributed; `count` is from 1 to 2^32 - 1."""
        product = (self.next() >> 32) * count
        if product & 0xFFFFFFFF < count:
            least = ((1 << 32) - count) % count
            while product & 0xFFFFFFFF < least:
                product = (self.next() >> 32) * count
        return product >> 32

    def choice(self, items: Sequence[_T]) -> _T:
        """One of several things, uniformly."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Things in a random order (R. Durstenfeld, "Algorithm 235", CACM 1964)."""
        made = list(items)
        for last in range(len(made) - 1, 0, -1):
            other = self.below(last + 1)
            made[last], made[other] = made[other], made[last]
        return made

    def sample(self, items: Iterable[_T], count: int) -> list[_T]:
        """A number of things from a collection, in random order."""
        made = list(items)
        for at in range(count):
            other = at + self.below(len(made) - at)
            made[at], made[other] = made[other], made[at]
        return made[:count]
