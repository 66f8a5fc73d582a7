"""The tables of the grammar as they are stored, and how words are told apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec

from pwtool.text.blake2b import blake2b
from pwtool.text.data import data_folder, read_grammar
from pwtool.text.regex import regex

GRAMMAR = "rules.lark"
TABLES = "rules.tables.json"

Plain = dict[str, Any]


def stored_tables() -> Plain | None:
    """The tables beside the grammar, if they are those of this grammar, and whole."""
    try:
        data = (data_folder("grammar") / TABLES).read_bytes().replace(b"\r\n", b"\n")
        tables: Plain = msgspec.json.decode(data)
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
    return blake2b(data, digest_size=32).hexdigest()


# ---- terminals


Match = Callable[[str, int, int], str | None]
"""What a terminal matches at a place of a text that ends at another one."""
_FIRST = re.compile(r"""(\[[^\]^\\]+\]|\\[^A-Za-z0-9]|[A-Za-z",:=#/])(?![?*{])""")
_BEGIN = re.compile(r"(?:(?:\\[^A-Za-z0-9]|[A-Za-z\",:=#/])(?![?*+{]))+")
_ATOM = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\([^()]*\)")
_KEYWORD = re.compile(r"([A-Za-z]+)\\b")


@cache
def first_of(pattern: str) -> frozenset[str] | None:
    """The characters with which everything begins that this matches; None if it is not known."""
    found, rest = _FIRST.match(pattern), _ATOM.sub("", pattern)
    while rest != (outside := _GROUP.sub("", rest)):
        rest = outside
    if found is None or "|" in rest:
        return None
    first = found[1]
    return frozenset(filter(re.compile(first).match, map(chr, range(128)))) if first[0] == "[" else frozenset(first[-1])


@cache
def matching(pattern: str) -> Match:
    """What a terminal with this pattern matches."""
    keyword = _KEYWORD.fullmatch(pattern)
    if keyword is not None:
        return partial(_keyword_at, keyword[1])
    begin, whole = None if first_of(pattern) is None else _BEGIN.match(pattern), regex(pattern)
    if begin is None:
        return lambda text, at, end: found.group() if (found := whole.match(text, at, end)) else None
    # Compiled only if what it begins with is there.
    return partial(_beginning_at, re.sub(r"\\(.)", r"\1", begin[0]), None if begin[0] == pattern else whole)


def _keyword_at(word: str, text: str, at: int, end: int) -> str | None:
    behind = at + len(word)
    if not text.startswith(word, at, end):
        return None
    return word if behind == end or not (text[behind].isalnum() or text[behind] == "_") else None


def _beginning_at(begin: str, whole: re.Pattern[str] | None, text: str, at: int, end: int) -> str | None:
    if not text.startswith(begin, at, end):
        return None
    if whole is None:
        return begin
    found = whole.match(text, at, end)
    return found.group() if found else None
