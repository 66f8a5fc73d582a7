"""What a parameter may name: the cells that rules leave, the choices of things from a collection, the values of a type."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any, TypeVar

from pwtool.eval.values import UNKNOWN
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.state import State

T = TypeVar("T")
MAX_AT_ONCE = 1000
"""How many sets of cards are enumerated in one batch."""


def cells_left(said: list[Any], width: int, height: int, state: State, e: list[Any]) -> Iterator[tuple[int, int]]:
    """The cells of a grid that does not float, in order, without those that the rules exclude."""
    low, high = [0, 0], [width - 1, height - 1]
    cells: set[Any] | None = None
    for when, value, narrowing in said:
        if when is not None and when(state, e) is not True:
            continue
        found = value(state, e)
        if narrowing.kind == "in":
            if isinstance(found, list | tuple | set | frozenset):
                cells = set(found) if cells is None else cells.intersection(found)
            continue
        if not isinstance(found, int):
            continue
        axis, sign = narrowing.kind == "row", narrowing.sign
        if sign in ("==", ">=", ">"):
            low[axis] = max(low[axis], found + (sign == ">"))
        if sign in ("==", "<=", "<"):
            high[axis] = min(high[axis], found - (sign == "<"))
    if cells is not None:
        inside = (c for c in cells if low[0] <= c[0] <= high[0] and low[1] <= c[1] <= high[1])
        yield from sorted(inside, key=lambda c: (c[1], c[0]))
        return
    for y in range(low[1], high[1] + 1):
        for x in range(low[0], high[0] + 1):
            yield (x, y)


def sorted_out(
    said: list[Any], things: list[T], faces: list[int], state: State, e: list[Any]
) -> tuple[list[T], list[T]]:
    """The things of these faces that a collection has to have according to the rules, and those that it may have."""
    if not said:
        return [], things
    taken, free = list[T](), list[T]()
    heard = [(test, sorting) for when, test, sorting in said if when is None or when(state, e) is True]
    for thing, face in zip(things, faces, strict=True):
        has_to = False
        for test, sorting in heard:
            e[sorting.slot] = face
            truth = test(state, e)
            if truth is UNKNOWN or bool(truth) is not sorting.outcome:
                continue
            if not sorting.taken:
                break
            has_to = True
        else:
            (taken if has_to else free).append(thing)
    return taken, free


def choices_of(faces: list[int], count: int) -> Iterator[list[int]]:
    """All choices of this many of these faces, which are sorted; equal faces are not distinguished."""
    if comb(len(faces), count) <= MAX_AT_ONCE:
        yield from map(list, sorted(set(combinations(faces, count))))
        return
    # Too many to list at once: one after the other, in the same order, each the next larger one.
    chosen = faces[:count]
    last = faces[len(faces) - count :]
    while True:
        yield chosen.copy()
        at = next((at for at in reversed(range(count)) if chosen[at] < last[at]), None)
        if at is None:
            return
        start = bisect_right(faces, chosen[at])
        chosen[at:] = faces[start : start + count - at]


def orders_of(things: list[Any]) -> Iterator[list[Any]]:
    """Every order of these things; equal ones are not distinguished."""
    if not things:
        yield []
    for first in dict.fromkeys(things):
        rest = things.copy()
        rest.remove(first)
        yield from ([first, *later] for later in orders_of(rest))


def values_of(type_: Type, state: State, game: Game) -> Iterator[Any]:
    if type_.kind == "key":
        for option in type_.options:
            yield from values_of(option, state, game)
    elif type_.kind == "member":
        table = game.ruleset.components[type_.component].attributes[type_.attribute].table
        yield from dict.fromkeys(table)
    elif type_.kind == "int":
        yield from range(type_.low, type_.high + 1)
    elif type_.kind == "bool":
        yield from (False, True)
    elif type_.kind == "player":
        yield from range(state.players)
    elif type_.kind == "goal":
        yield from range(len(state.goals))
