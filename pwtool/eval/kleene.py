"""Logic and numbers with unknowns: strong Kleene logic (S. C. Kleene, Introduction to Metamathematics, 1952, section
64) and numbers known only by their bounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from pwtool.eval.values import UNKNOWN, UNSEEN


class Between(Struct, frozen=True):
    """A number known only by its bounds; `low < high`."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


class OneOf(Struct, frozen=True):
    """One of several values; which one is unknown."""

    values: frozenset[Any]

    def __str__(self) -> str:
        values = sorted(self.values) if all(isinstance(v, int) for v in self.values) else sorted(map(str, self.values))
        return " or ".join(map(str, values))


def one_of(values: Iterable[Any]) -> Any:
    """The value that is one of these: itself if there is only one."""
    found = frozenset(values)
    return next(iter(found)) if len(found) == 1 else OneOf(found)


def between(low: int, high: int) -> Any:
    """The number between two bounds: itself if they are equal."""
    return low if low == high else Between(low, high)


def low_of(value: Any) -> int:
    """The least value that a number may have."""
    return value.low if isinstance(value, Between) else value


def high_of(value: Any) -> int:
    """The greatest value that a number may have."""
    return value.high if isinstance(value, Between) else value


def either(a: Any, b: Any) -> Any:
    """What is known about a value that is one of two: the value if they are equal, the bounds of both numbers, or nothing."""
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if a == b:
        return a
    numbers = all(isinstance(v, int | Between) and not isinstance(v, bool) for v in (a, b))
    return between(min(low_of(a), low_of(b)), max(high_of(a), high_of(b))) if numbers else UNKNOWN


def is_unknown(value: Any) -> bool:
    """Whether a value is not known exactly."""
    return value is UNKNOWN or isinstance(value, Between | OneOf)


def negate(value: Any) -> Any:
    """`not`."""
    return UNKNOWN if value is UNKNOWN else not value


def quantified(kind: str, number: int, results: list[Any]) -> Any:
    """The verdict of a quantifier, given the verdicts of its cases."""
    if kind == "some":
        return any_of(results)
    if kind == "every":
        return all_of(results)
    if kind == "no":
        return negate(any_of(results))
    low = sum(1 for r in results if r is not UNKNOWN and r)
    high = low + sum(1 for r in results if r is UNKNOWN)
    if kind == "count":
        return between(low, high)
    if kind == "least":
        return True if low >= number else False if high < number else UNKNOWN
    if kind == "most":
        return True if high <= number else False if low > number else UNKNOWN
    if low == high:
        return low == number
    return UNKNOWN if low <= number <= high else False


def all_of(results: list[Any]) -> Any:
    """`and` of all verdicts."""
    if any(r is not UNKNOWN and not r for r in results):
        return False
    return UNKNOWN if any(r is UNKNOWN for r in results) else True


def any_of(results: list[Any]) -> Any:
    """`or` of all verdicts."""
    if any(r is not UNKNOWN and r for r in results):
        return True
    return UNKNOWN if any(r is UNKNOWN for r in results) else False


def equal(a: Any, b: Any) -> Any:
    """Whether two values are equal; faces are compared by `same_face`."""
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if isinstance(a, OneOf) or isinstance(b, OneOf):
        possible = [x.values if isinstance(x, OneOf) else {x} for x in (a, b)]
        return False if possible[0].isdisjoint(possible[1]) else UNKNOWN
    if isinstance(a, Between) or isinstance(b, Between):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            return False
        return UNKNOWN if low_of(a) <= high_of(b) and low_of(b) <= high_of(a) else False
    return a == b


def same_face(a: Any, b: Any) -> Any:
    """Whether two faces are equal."""
    # An unseen face may be any face, but never `none`.
    if a is None or b is None:
        return a is b
    return UNKNOWN if UNSEEN in (a, b) else a == b


def less(a: Any, b: Any) -> Any:
    """Whether one number is less than another."""
    if high_of(a) < low_of(b):
        return True
    return False if low_of(a) >= high_of(b) else UNKNOWN


def total(values: Iterable[Any]) -> Any:
    """The sum of numbers."""
    low = high = 0
    for value in values:
        if value is UNKNOWN:
            return UNKNOWN
        low, high = low + low_of(value), high + high_of(value)
    return between(low, high)
