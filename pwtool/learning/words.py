"""Changes of texts in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]+")


def differing(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """The parts in which two texts of an item differ, with whole words around them, and brackets that are closed."""
    if before is None or after is None:
        return _one_line(before), _one_line(after)
    one, other = (list(_TOKEN.findall(text)) for text in (before, after))
    blocks = [b for b in SequenceMatcher(None, one, other, autojunk=False).get_opcodes() if b[0] != "equal"]
    if not blocks:
        return _one_line(before), _one_line(after)
    first, last = blocks[0], blocks[-1]
    return _around(one, first[1], last[2]), _around(other, first[3], last[4])


def _around(tokens: Sequence[str], start: int, end: int) -> str | None:
    start = _back(tokens, start)
    return _one_line("".join(tokens[start : _on(tokens, start, end)]))


def _back(tokens: Sequence[str], at: int) -> int:
    """Three words before a place, in the same line, or more: where a bracket is closed, the name before it comes along."""
    words = closed = 0
    while at > 0 and (words < 3 or closed > 0) and "\n" not in tokens[at - 1]:
        at -= 1
        words += not tokens[at].isspace()
        closed += _closed(tokens[at])
    named = at > 0 and tokens[at][:1] in ("[", "(", ".") and tokens[at - 1].isidentifier()
    return at - named


def _on(tokens: Sequence[str], start: int, at: int) -> int:
    """Two words after a place, in the same line; more until brackets are closed, fewer if one is that was not opened there."""
    words, closed = 0, sum(map(_closed, tokens[start:at]))
    while (
        at < len(tokens) and (words < 2 or closed < 0) and "\n" not in tokens[at] and closed + _closed(tokens[at]) <= 0
    ):
        words += not tokens[at].isspace()
        closed += _closed(tokens[at])
        at += 1
    return at


def _closed(token: str) -> int:
    """How many more brackets a sign closes than it opens."""
    return sum((sign in "])}") - (sign in "[({") for sign in token)


def _one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())
