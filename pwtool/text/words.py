"""Formatting text for readers: shortening, counting, naming and aligning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pwtool.text.regex import regex

_BLANKS = regex(r"[^\S\u202f]+")


def one_line(text: str) -> str:
    """A text on one line, with single spaces between its words; the narrow space that French puts before a sign stays."""
    return " ".join(text.split()) if text.isascii() else _BLANKS.sub(" ", text).strip()


def shorten(text: str, width: int) -> str:
    """A text of at most this many characters, with `…` at the end if it was cut."""
    return text if len(text) <= width else text[: width - 1] + "…"


def counted(count: int, noun: str, one: str = "", more: str = "") -> str:
    """`1 card`, `2 cards`, with a verb if given: `1 card is`, `2 cards are`."""
    return f"{count} {noun}{'s' * (count != 1)} {one if count == 1 else more}".rstrip()


def in_quotes(text: str) -> str:
    r"""A text as rules files write it, between quotes: `\"` and `\\` stand for themselves. It has to be one line."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


MAX_QUOTED = 80
"""How many characters of a name are shown."""


def quoted(names: Iterable[object], between: str = ", ", most: int | None = None) -> str:
    """Names as they are written in rules: `` `a`, `b` ``; only the first ones if there are more than `most`."""
    found = list(names if most is None else islice(names, most + 1))
    shown = [f"`{shorten(str(name), MAX_QUOTED)}`" for name in found[:most]]
    return between.join([*shown, "…"] if len(shown) < len(found) else shown)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with the same number of cells as lines, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
