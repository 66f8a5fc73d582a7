"""Earlier positions: what is kept of them, and how often the current one has occurred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pwtool.eval.kleene import between, is_unknown
from pwtool.eval.values import UNSEEN
from pwtool.ir.types import Type

Kept = tuple[Any, ...]
"""The part of a position that a history keeps."""


def kept(types: Sequence[Type], values: Sequence[Any]) -> Kept | None:
    """The part that is compared with other positions; None if it is not completely known."""
    parts = [_part(type_, value) for type_, value in zip(types, values, strict=True)]
    return None if None in parts else tuple(parts)


def _part(type_: Type, value: Any) -> Kept | None:
    if is_unknown(value):
        return None
    if type_.kind == "grid":
        # Asked in every turn of every game, so that it is written for speed.
        piles = [(cell, tuple(pile)) for cell, pile in value.items() if pile]
        for _, pile in piles:
            if UNSEEN in pile:
                return None
        piles.sort()
        return tuple(piles)
    if type_.kind == "family" and type_.element is not None:
        parts = [_part(type_.element, zone) for zone in value]
        return None if None in parts else tuple(parts)
    if type_.is_collection:
        faces = type_.element is not None and type_.element.kind == "face"
        if faces and UNSEEN in value:
            return None
        # In a bag things have no order.
        return tuple(sorted(value)) if type_.kind == "bag" else tuple(value)
    return None if type_.kind == "face" and value == UNSEEN else (value,)


def times_before(history: Sequence[Kept | None], now: Kept | None) -> Any:
    """How often a position occurred before; a number between bounds if not everything is known."""
    if now is None:
        return between(0, len(history))
    sure = history.count(now)
    return between(sure, sure + history.count(None))
