"""What the sums say beyond the games that were played: intervals, and which differences chance alone does not explain.

With as many games as are required here, means are normal (the central limit theorem). Games of the same seed under two
rulesets may be correlated, so the variance of a difference of means includes their covariance; without it, it is
Welch's (Biometrika 34, 1947). Shares of games have Wilson's interval (J. Am. Stat. Assoc. 22, 1927). Among many
differences, Holm's procedure (Scand. J. Statist. 6, 1979) finds those beyond chance: the probability of any false
positive is at most 5 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import erfc, sqrt
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
FEW = 100
"""With fewer games no difference is called beyond chance."""


class Estimate(NamedTuple):
    """A mean over games with its interval; None if it has none."""

    games: int
    mean: float
    low: float | None
    high: float | None


class Difference(NamedTuple):
    """How far the mean under one ruleset is above that under another, with its interval, its p-value (None: too few
    games to say), and the p-value corrected for the number of differences.
    """

    difference: float
    low: float
    high: float
    p: float | None
    p_corrected: float | None = None

    @property
    def beyond_chance(self) -> bool:
        return self.p_corrected is not None and self.p_corrected < 1 - CONFIDENCE


def estimate(row: Sequence[int], divisor: int, share: bool) -> Estimate:
    """The mean of a row of `Sums`."""
    games, total, _ = row
    mean = total / games / divisor
    if share:
        return Estimate(games, mean, *_wilson(mean, games))
    if games < 2:
        return Estimate(games, mean, None, None)
    away = Z * sqrt(_variance(row) / games) / divisor
    return Estimate(games, mean, mean - away, mean + away)


def within(found: Estimate, is_part: bool) -> Estimate:
    """The same; if it `is_part` of a whole, its interval does not leave 0 to 1."""
    if not is_part or found.low is None or found.high is None:
        return found
    return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))


def difference(
    first: Sequence[int], second: Sequence[int], both: Sequence[int] | None, divisors: tuple[int, int]
) -> Difference | None:
    """The difference of two rows of `Sums`, with the row of `Pairs` for both; None if one has too few games."""
    games, others = first[0], second[0]
    if games < 2 or others < 2:
        return None
    one, other = divisors
    apart = Fraction(second[1], others * other) - Fraction(first[1], games * one)
    variance = _variance(first) / (games * one**2) + _variance(second) / (others * other**2)
    if both is not None and both[0] > 1:
        pairs, a, b, products = both
        common = (products - Fraction(a * b, pairs)) / (pairs - 1)
        variance -= 2 * common * pairs / (games * others * one * other)
    error = sqrt(max(Fraction(0), variance))
    away = Z * error
    p = None
    if min(games, others) >= FEW:
        p = erfc(abs(apart) / error / sqrt(2)) if error else float(not apart)
    return Difference(float(apart), apart - away, apart + away, p)


def corrected(found: Sequence[Difference]) -> list[Difference]:
    """The differences, each with its p-value corrected for the number of all of them."""
    order = sorted((d.p, at) for at, d in enumerate(found) if d.p is not None)
    result, highest = list(found), 0.0
    for number, (p, at) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - number)))
        result[at] = found[at]._replace(p_corrected=highest)
    return result


def _variance(row: Sequence[int]) -> Fraction:
    games, total, squares = row
    return (squares - Fraction(total * total, games)) / (games - 1)


def _wilson(share: float, games: int) -> tuple[float, float]:
    middle = (share + Z * Z / (2 * games)) / (1 + Z * Z / games)
    away = Z / (1 + Z * Z / games) * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    # Rounding errors do not separate an interval from its share.
    return max(0.0, min(share, middle - away)), min(1.0, max(share, middle + away))
