"""What the parser accepts at a place of a rules file, and a text with a placeholder there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lark import Token, UnexpectedInput
from lark.parsers.lalr_interactive_parser import InteractiveParser

from pwtool.lang import tree as n
from pwtool.lang.mistakes.explain import is_keyword
from pwtool.lang.mistakes.stuck import declarations
from pwtool.lang.parser import build_tree
from pwtool.lang.reading import automaton
from pwtool.lang.tables import rules_parser
from pwtool.text.source import SourceFile

HERE = "zz_here_zz"
"""A placeholder for what is to be written."""
_HEADER = "part a of a\n"
_CLOSING = 60
_MAX_PIECE = 20_000
_PHRASES = {
    "AT_LEAST": "at least", "AT_MOST": "at most", "TOP_OF": "top of", "TOPS_OF": "tops of", "CARDS_OF": "cards of",
    "NEIGHBOURS_OF": "neighbours of", "GROUP_OF": "largest group of same", "CELLS_OF": "cells of", "CELLS_AT": "cells at", "CELLS_FROM": "cells from",
    "CELLS_BETWEEN": "cells between", "REPEATS_OF": "repeats of", "PLAYER_AFTER": "player after", "AT_ONCE": "at once",
    "BY_CHANCE": "by chance", "AFTER_THIS": "after this", "FOR_EACH": "for each", "AFTER_EACH": "after each action",
    "BETWEEN": "between turns", "PLACE_OF": "place of", "ORDER_OF": "order of", "BELOW_TOP": "below top", "SEAT": "seat 1",
    "GROUP": "group", "OTHER": "other", "SEPARATE": "separate", "EXTREME": "max",
}  # fmt: skip
_SAMPLES = {
    "RSQB": "]", "RPAR": ")", "RBRACE": "}", "COLON": ":", "EQUAL": "=", "LPAR": "(", "LBRACE": "{", "NAME": "true", "INT": "1",
    "SIGNED": "1", "STRING": '""', "PICTURE": "[ # ]", "SIZE": "1x1", "COMPARE": "==", "__ANON_0": "..", "__ANON_1": "+=",
}  # fmt: skip
# Shortest endings of an unfinished declaration, tried in this order.
_ENDING = (
    *("RSQB", "RPAR", "RBRACE", "COLON", "EQUAL", "THEN", "ELSE", "REQUIRE", "IN", "OF", "TO", "TOWARDS", "AROUND"),
    *("NAME", "STRING", "INT", "SIGNED", "PICTURE", "SIZE", "LPAR", "LBRACE", "STOP", "YES", "__ANON_0", "BY", "PER", "AND", "COMPARE"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """A place to write at: the text from `start` to `end` is replaced. `words` are the possible keywords; `names`:
    whether a name is possible; `begins`: whether a declaration may begin there.
    """

    start: int
    end: int
    words: tuple[str, ...]
    names: bool
    begins: bool
    piece: str
    behind: str
    parser: InteractiveParser | None


def expected_at(file: SourceFile, offset: int) -> Expected | None:
    """What the parser accepts at a place; None within texts and comments, or if the text before it cannot be parsed."""
    text = file.text
    start = offset = max(0, min(offset, len(text)))
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    starts, _ = declarations(file)
    first = next((s for s in reversed(starts) if s < start), 0)
    after = next((s for s in starts if s > first and s >= end), len(text))
    piece, behind = text[first:start], text[end:after]
    if len(piece) > _MAX_PIECE or _in_words(piece):
        return None
    is_first = not starts or first == starts[0]
    parser = _read(piece if is_first else _HEADER + piece)
    if parser is None:
        return None
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
    at_line_start = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    words = [_PHRASES.get(t) or t.lower() for t in accepted if t in _PHRASES or is_keyword(t)]
    begins = "OBJECTIVE" in accepted and at_line_start
    if {"OBJECTIVE", "$END"} <= accepted and not at_line_start:
        # What stands before is complete, and the next declaration begins in a line of its own.
        words = [word for word in words if word.upper() not in _beginnings()]
    names = bool(accepted & {"NAME", "CODE"})
    return Expected(start, end, tuple(sorted(words)), names, begins, "" if is_first else piece, behind, parser)


@cache
def _beginnings() -> frozenset[str]:
    """The words that begin a declaration and never occur in an expression."""
    parser = _read(_HEADER)
    accepted: set[str] = parser.accepts() if parser is not None else set()  # type: ignore[no-untyped-call]
    return frozenset(accepted)


def _in_words(piece: str) -> bool:
    """Whether a place is within a text or a comment."""
    line = piece[piece.rfind("\n") + 1 :]
    rest = re.sub(r'"(?:[^"\\]|\\.)*"|\[[#._?A-Za-z0-9+/ \t]*(?:\]|$)', "", line)
    return '"' in rest or "#" in rest


def _read(text: str) -> InteractiveParser | None:
    parser = rules_parser().parse_interactive(text)
    try:
        parser.exhaust_lexer()
    except UnexpectedInput:
        return None
    return parser


def with_something(expected: Expected) -> n.Node | None:
    """The declaration around a place with `HERE` in it: as it stands, or completed in the shortest way."""
    found = _parsed(expected.piece + HERE + expected.behind)
    if found is not None or expected.parser is None:
        return found
    line = expected.behind.partition("\n")[0]
    return _parsed(expected.piece + HERE + line) or _parsed(expected.piece + _ended(expected.parser))


def _parsed(piece: str) -> n.Node | None:
    file = SourceFile("", _HEADER + piece)
    tree = automaton().tree(file.text)
    document = None if tree is None else build_tree(file, tree)[0]
    return document.declarations[-1] if document is not None and document.declarations else None


def _ended(parser: InteractiveParser) -> str:
    """A name and what has to follow it."""
    state = parser.copy()  # type: ignore[no-untyped-call]
    written = [HERE]
    if not _feed(state, "NAME"):
        return HERE
    for _ in range(_CLOSING):
        if _may(state, "$END"):
            break
        choices = state.choices()
        order = (*(t for t in _ENDING if t in choices), *sorted(t for t in choices if is_keyword(t)))
        token = next((t for t in order if _may(state, t)), None)
        if token is None:
            break
        _feed(state, token)
        written.append(_SAMPLES.get(token) or token.lower())
    return " ".join(written)


def _may(state: InteractiveParser, token: str) -> bool:
    return _feed(state.copy(), token)  # type: ignore[no-untyped-call]


def _feed(state: InteractiveParser, token: str) -> bool:
    try:
        state.feed_token(Token(token, ""))
    except UnexpectedInput:
        return False
    return True
