"""Suggestions for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A help line naming the closest known name, or the known names when they are few; None when neither helps."""
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    if 0 < len(names) <= 8:
        return "known here: " + ", ".join(f"`{n}`" for n in names)
    return None
