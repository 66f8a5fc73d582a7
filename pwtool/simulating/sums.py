"""Sums of measures over games: integers, so that the order of addition does not matter, and as few of them for a
million games as for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from pwtool.simulating.measures import Key


class Sums(Struct):
    """For each measure, the number of games that have it, its sum and the sum of its squares."""

    of: dict[Key, list[int]] = field(default_factory=dict)

    def add(self, found: Mapping[Key, int]) -> None:
        of = self.of
        for key, value in found.items():
            row = of.get(key)
            if row is None:
                of[key] = [1, value, value * value]
            else:
                row[0] += 1
                row[1] += value
                row[2] += value * value

    def merge(self, other: Sums) -> None:
        _merge(self.of, other.of)


class Pairs(Struct):
    """For each measure, the number of seeds whose games under two rulesets both have it; over these, its sums under the
    one and under the other, and the sum of the products.
    """

    of: dict[Key, list[int]] = field(default_factory=dict)

    def add(self, first: Mapping[Key, int], second: Mapping[Key, int]) -> None:
        of = self.of
        for key, a in first.items():
            b = second.get(key)
            if b is None:
                continue
            row = of.get(key)
            if row is None:
                of[key] = [1, a, b, a * b]
            else:
                row[0] += 1
                row[1] += a
                row[2] += b
                row[3] += a * b

    def merge(self, other: Pairs) -> None:
        _merge(self.of, other.of)


class Tally(Struct):
    """The sums for games with a number of players under each ruleset, and the pairs of the first with each other one."""

    sums: list[Sums]
    pairs: list[Pairs]

    @staticmethod
    def empty(rulesets: int) -> Tally:
        return Tally([Sums() for _ in range(rulesets)], [Pairs() for _ in range(rulesets - 1)])

    def add(self, games: Iterable[Mapping[Key, int]]) -> None:
        """Add the games of one seed, one under each ruleset."""
        first, *others = games
        self.sums[0].add(first)
        for found, sums, pairs in zip(others, self.sums[1:], self.pairs, strict=True):
            sums.add(found)
            pairs.add(first, found)

    def merge(self, other: Tally) -> None:
        for mine, theirs in zip(self.sums, other.sums, strict=True):
            mine.merge(theirs)
        for both, added in zip(self.pairs, other.pairs, strict=True):
            both.merge(added)


def _merge(into: dict[Key, list[int]], other: dict[Key, list[int]]) -> None:
    for key, row in other.items():
        into[key] = [mine + theirs for mine, theirs in zip(into.get(key) or [0] * len(row), row, strict=True)]
