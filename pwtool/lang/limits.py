"""Limits on rules files and on games in notation, separate from the parsers so that reading a file does not import
Lark.
"""

from itertools import islice

from pwtool.text.regex import regex

MAX_BYTES = 1 << 20
MAX_DEPTH = 60
MAX_CHAIN = 250
MAX_DIGITS = 9
MAX_WORDS = 30_000
MAX_NAME = 200
MAX_TEXT = 10_000
MAX_CELLS = 1000
MAX_ON_CELLS = 20_000
MAX_NOTATION = 1 << 20
MAX_NOTATION_WORDS = 100_000
_NOTATION_WORD = regex(r'[^\s;:,+@=/!?{}">]+|\S')


def is_long_notation(text: str) -> bool:
    """Whether a game in notation is too long to be read; every sign counts as a word."""
    return len(text) > MAX_NOTATION or any(
        True for _ in islice(_NOTATION_WORD.finditer(text), MAX_NOTATION_WORDS, None)
    )
