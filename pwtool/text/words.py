"""Plain words for a reader: how much of a text is shown, how things are counted, named and lined up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

_BLANKS = re.compile(r"[^\S\u202f]+")


def one_line(text: str) -> str:
    """A text on one line, its words one space apart; a narrow blank that French sets before a sign stays."""
    return " ".join(text.split()) if text.isascii() else _BLANKS.sub(" ", text).strip()


def shorten(text: str, width: int) -> str:
    """A text of at most so many characters; `…` ends one that goes on."""
    return text if len(text) <= width else text[: width - 1] + "…"


def counted(count: int, noun: str, one: str = "", more: str = "") -> str:
    """`1 card`, `2 cards`, with a verb where one is given: `1 card is`, `2 cards are`."""
    return f"{count} {noun}{'s' * (count != 1)} {one if count == 1 else more}".rstrip()


MAX_QUOTED = 80
"""How many characters of a name are shown."""


def quoted(names: Iterable[object], between: str = ", ", most: int | None = None) -> str:
    """Names as they are written in rules: `` `a`, `b` ``; of more than `most` the first ones."""
    found = list(names if most is None else islice(names, most + 1))
    shown = [f"`{shorten(str(name), MAX_QUOTED)}`" for name in found[:most]]
    return between.join([*shown, "…"] if len(shown) < len(found) else shown)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of as many cells each as lines, the cells of a column one under the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
