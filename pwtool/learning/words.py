"""Changes of texts in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]+")


def differing(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """The parts in which two texts of an item differ, with whole words around them."""
    if before is None or after is None:
        return _one_line(before), _one_line(after)
    one, other = (list(_TOKEN.findall(text)) for text in (before, after))
    blocks = [b for b in SequenceMatcher(None, one, other, autojunk=False).get_opcodes() if b[0] != "equal"]
    if not blocks:
        return _one_line(before), _one_line(after)
    first, last = blocks[0], blocks[-1]
    starts = [_back(one, first[1]), _back(other, first[3])]
    ends = [_on(one, last[2]), _on(other, last[4])]
    return _one_line("".join(one[starts[0] : ends[0]])), _one_line("".join(other[starts[1] : ends[1]]))


def _back(tokens: Sequence[str], at: int) -> int:
    """Two words before a place, in the same line."""
    words = 0
    while at > 0 and words < 3 and "\n" not in tokens[at - 1]:
        at -= 1
        words += not tokens[at].isspace()
    return at


def _on(tokens: Sequence[str], at: int) -> int:
    words = 0
    while at < len(tokens) and words < 2 and "\n" not in tokens[at]:
        words += not tokens[at].isspace()
        at += 1
    return at


def _one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())
