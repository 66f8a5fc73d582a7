"""Limits on the text of a rules file, checked in one pass before it is parsed."""

from __future__ import annotations

import re

from pwtool.lang.limits import (
    MAX_CELLS,
    MAX_CHAIN,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NAME,
    MAX_ON_CELLS,
    MAX_TEXT,
    MAX_WORDS,
)
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told, mark

NAME_PARTS = mark("name parts with `define` or `let`")
# A text that is not closed goes on to the end of its line: looked for in another way, each of its signs would begin one.
_TOKENS = re.compile(
    r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?|#[^\n]*|\[[#._A-Za-z0-9+/ \t\r\n]*+\]|^(?=\S)|[0-9]+|\btop of\b|\w+|[^\s\w]',
    re.MULTILINE,
)


def out_of_bounds(file: SourceFile) -> Diagnostic | None:
    """The first place where a file exceeds a limit: deep nesting, long chains of operators, numbers with too many
    digits, long names and texts, pictures larger than any grid, too many words.
    """
    depth = run = chain = words = 0
    for match in _TOKENS.finditer(file.text):
        sign = match.group()
        if not sign:
            chain = 0
            continue
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(0, depth - 1)
        elif sign in ("not", "count", "sum", "top of", "if", "-"):
            run += 1
            chain += sign == "-"
        elif sign in ("and", "or", "+", "*"):
            chain += 1
            run = 0
        elif sign[0] not in '"#[':
            run = 0
        words += sign[0] != "#"
        if words > MAX_WORDS:
            message = Told("the file has more than {most} words and signs", most=str(MAX_WORDS))
            return _beyond(file, match, message, mark("make several files of it"))
        if len(sign) > MAX_DIGITS and (problem := _too_long(sign)):
            return Diagnostic.of(*problem, Span(file, match.start(), match.end()))
        if depth + run > MAX_DEPTH:
            return _beyond(file, match, Told("nested more than {most} levels deep", most=MAX_DEPTH), NAME_PARTS)
        if chain > MAX_CHAIN:
            return _beyond(file, match, Told("more than {most} operators in one declaration", most=MAX_CHAIN), NAME_PARTS)  # fmt: skip
    return None


def _too_long(sign: str) -> tuple[str, str] | None:
    """The problem with a single word, text, number or picture that is too long, or None."""
    if sign.isdigit():
        return "PW306", Told("a number has at most {most} digits", most=MAX_DIGITS)
    if sign[0] == '"':
        told = Told("a text has at most {most} characters", most=str(MAX_TEXT))
        return ("PW103", told) if len(sign) > MAX_TEXT else None
    if sign[0] == "[":
        # Piles are drawn as one sign for each cell: the cells are what grows with it.
        cells = len(sign[1:-1].replace("/", " ").split())
        if cells > MAX_CELLS:
            return "PW103", Told("a picture has at most {most} cells", most=str(MAX_CELLS))
        told = Told("a picture has at most {most} characters", most=str(MAX_ON_CELLS))
        return ("PW103", told) if len(sign) > MAX_ON_CELLS else None
    if sign[0] == "#":
        return None
    return ("PW103", Told("a name has at most {most} characters", most=MAX_NAME)) if len(sign) > MAX_NAME else None


def _beyond(file: SourceFile, match: re.Match[str], message: str, help_line: str) -> Diagnostic:
    return Diagnostic.of("PW103", message, Span(file, match.start(), match.end()), help=help_line)
