"""The loops of compiled expressions: quantifiers, counts, sums, and the search for shapes on a grid.

Each takes compiled parts and gives one function of (position, locals); `slot` is the local that holds the element at
hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Evaluator = Callable[[Any, list[Any]], Any]
Placements = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def pick(which: str, slot: int, domain: Evaluator, body: Evaluator) -> Evaluator:
    """The first (or last) element for which the body holds, else None."""
    backwards = which == "last"

    def picked(s: Any, e: list[Any]) -> Any:
        items = domain(s, e)
        for item in reversed(items) if backwards else items:
            e[slot] = item
            if body(s, e):
                return item
        return None

    return picked


def count(slot: int, domain: Evaluator, body: Evaluator) -> Evaluator:
    """For how many elements the body holds."""

    def counted(s: Any, e: list[Any]) -> int:
        found = 0
        for item in domain(s, e):
            e[slot] = item
            if body(s, e):
                found += 1
        return found

    return counted


def total(slot: int, domain: Evaluator, body: Evaluator) -> Evaluator:
    """The sum of the body over all elements."""

    def summed(s: Any, e: list[Any]) -> int:
        found = 0
        for item in domain(s, e):
            e[slot] = item
            found += body(s, e)
        return found

    return summed


def quantify(kind: str, number: int, slot: int, domain: Evaluator, body: Evaluator) -> Evaluator:
    """`some`, `every`, `no`, or a number of elements for which the body holds."""
    if kind not in ("some", "every", "no"):
        counted = count(slot, domain, body)
        return lambda s, e: verdict(kind, counted(s, e), number)
    stop_on: bool = kind != "every"
    result: bool = kind == "some"

    def search(s: Any, e: list[Any]) -> bool:
        for item in domain(s, e):
            e[slot] = item
            if bool(body(s, e)) is stop_on:
                return result
        return not result

    return search


def over_faces(kind: str, number: int, domain: Evaluator, table: tuple[Any, ...]) -> Evaluator:
    """The same for a body that reads one face and nothing else: `table` has its verdict for every face."""
    holds = table.__getitem__
    if kind == "some":
        return lambda s, e: any(map(holds, domain(s, e)))
    if kind == "every":
        return lambda s, e: all(map(holds, domain(s, e)))
    if kind == "no":
        return lambda s, e: not any(map(holds, domain(s, e)))
    return lambda s, e: verdict(kind, sum(map(holds, domain(s, e))), number)


def match(kind: str, number: int, slot: int, placements: Placements, piles: Evaluator, body: Evaluator) -> Evaluator:
    """The placements of a shape on piles by cell number; the body sees the visible faces of its cells."""

    def matched(s: Any, e: list[Any]) -> Any:
        cells = piles(s, e)
        found = covered = 0
        for needs, free in placements:
            faces = []
            for at in needs:
                pile = cells[at]
                if pile is None:
                    break
                faces.append(pile[-1])
            else:
                if free and any(cells[at] is not None for at in free):
                    continue
                covered += 1
                e[slot] = faces
                if body(s, e):
                    if kind == "some":
                        return True
                    found += 1
        return found == covered if kind == "every" else verdict(kind, found, number)

    return matched


def verdict(kind: str, found: int, number: int) -> Any:
    """What a quantifier says of a number of cases found."""
    if kind == "count":
        return found
    if kind == "some":
        return found > 0
    if kind == "no":
        return found == 0
    if kind == "least":
        return found >= number
    if kind == "most":
        return found <= number
    return found == number
