"""The tables of the grammar as they are stored, and how words are told apart."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from pwtool.text.data import data_folder, read_grammar

GRAMMAR = "rules.lark"
TABLES = "rules.tables.json"

Plain = dict[str, Any]


def stored_tables() -> Plain | None:
    """The tables beside the grammar, if they are those of this grammar, and whole."""
    try:
        data = (data_folder("grammar") / TABLES).read_bytes().replace(b"\r\n", b"\n")
        tables = json.loads(data)
        # The sum is in the third line.
        is_whole = tables["sum"] == hash_of(data.split(b"\n", 3)[3])
        return tables if is_whole and tables["made for"][1] == grammar_hash() else None
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def grammar_hash() -> str:
    """A hash of the grammar, by which its tables know it."""
    return hash_of(read_grammar(GRAMMAR).encode())


def hash_of(data: bytes) -> str:
    """A hash in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# ---- terminals


Match = Callable[[str, int, int], str | None]
"""What a terminal matches at a place of a text that ends at another one."""
_LITERAL = re.compile(r"[A-Za-z](?=[A-Za-z\\\[])[^|]*")
_KEYWORD = re.compile(r"([A-Za-z]+)\\b")


@cache
def first_of(pattern: str) -> str:
    """The character with which everything begins that this matches; "" if there are several."""
    return pattern[0] if _LITERAL.fullmatch(pattern) else ""


@cache
def matching(pattern: str) -> Match:
    """What a terminal with this pattern matches."""
    keyword = _KEYWORD.fullmatch(pattern)
    if keyword is not None:
        return partial(_keyword_at, keyword[1])
    match = re.compile(pattern).match
    return lambda text, at, end: found.group() if (found := match(text, at, end)) else None


def _keyword_at(word: str, text: str, at: int, end: int) -> str | None:
    behind = at + len(word)
    if not text.startswith(word, at, end):
        return None
    return word if behind == end or not (text[behind].isalnum() or text[behind] == "_") else None
