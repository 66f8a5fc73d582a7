"""Arguments other than records: numbers and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from operator import index
from typing import SupportsIndex

from pwtool.records.words import MAX_NAME


def whole_number(name: str, value: int, least: int | None = None) -> int:
    """Check an integer of at least `least`. Raises `TypeError` and `ValueError`."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"`{name}` is a whole number, not {type(value).__name__}") from None
    if least is not None and number < least:
        raise ValueError(f"`{name}` is at least {least}")
    return number


def share(name: str, value: float) -> float:
    """Check a number from 0 to 1. Raises `TypeError` and `ValueError`."""
    if not isinstance(value, int | float):
        raise TypeError(f"`{name}` is a number, not {type(value).__name__}")
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` is a share, from 0 to 1")
    return value


def amount(name: str, value: float) -> float:
    """Check a number that is finite and not negative. Raises `TypeError` and `ValueError`."""
    if not isinstance(value, int | float):
        raise TypeError(f"`{name}` is a number, not {type(value).__name__}")
    if not 0 <= value < inf:
        raise ValueError(f"`{name}` is a number from 0 on")
    return value


def text(name: str, value: str) -> str:
    """Check a text. Raises `TypeError`."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is a text, not {type(value).__name__}")
    return value


def player_names(players: int | Sequence[str], possible: range) -> list[str]:
    """Names for a number of players, or the given ones. Raises `ValueError` for names that are not valid in a record."""
    if isinstance(players, str) or not isinstance(players, SupportsIndex | Iterable):
        raise TypeError(f"`players` is a number or a list of names, not {type(players).__name__}")
    names = [] if isinstance(players, SupportsIndex) else list(players)
    count = index(players) if isinstance(players, SupportsIndex) else len(names)
    if count not in possible:
        raise ValueError(f"the game is for {possible[0]} to {possible[-1]} players")
    if not names:
        return [f"P{seat}" for seat in range(1, count + 1)]
    for name in names:
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not _is_whole_text(name):
            raise ValueError(f"{name!r} is not a player's name: a text of 1 to {MAX_NAME} characters")
    if len(set(names)) < len(names):
        raise ValueError("two players have the same name")
    return names


def _is_whole_text(text: str) -> bool:
    """Whether a text contains no half of a surrogate pair, which no file can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
