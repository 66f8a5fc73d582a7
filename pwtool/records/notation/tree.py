"""The tree of a game in notation, as written and before a ruleset is applied."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.text.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Atom:
    """A word, a number, `?`, or a text in double quotes (then `text` is its value)."""

    text: str
    quoted: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Item:
    """An atom, or two with `@` (what, where) or `,` (a cell) between them; otherwise the sign is `-`."""

    sign: str
    atoms: tuple[Atom, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Joined:
    """Items with `+` between them."""

    items: tuple[Item, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """A value of an action, by position or by name; several values (`R/P`) are those of all players."""

    name: Atom | None
    values: tuple[Joined, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Reveal:
    """`> supply K2@3`: what shows on piles afterwards."""

    zone: Atom | None
    shown: Joined | None
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """The text of a comment in braces, with escapes resolved."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with its arguments, reveals, mark and comments."""

    name: Atom
    arguments: tuple[Argument, ...]
    reveals: tuple[Reveal, ...]
    mark: Atom | None
    comments: tuple[Comment, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """The text between two `;` of a turn: names with a colon, comments after them, an action."""

    said: tuple[Atom, ...]
    comments: tuple[Comment, ...]
    deed: Deed | None
    span: Span


@dataclass(frozen=True, slots=True)
class Turn:
    """A numbered turn or round. `intact`: without a syntax error."""

    number: int
    number_span: Span
    comments: tuple[Comment, ...]
    steps: tuple[Step, ...]
    span: Span
    intact: bool = True


@dataclass(frozen=True, slots=True)
class Header:
    """A line `key: value` at the beginning; the value as written, its lines joined by single spaces."""

    key: Atom
    value: str
    value_span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a block: its values, and the signs `; / > =` between them."""

    key: Atom
    parts: tuple[Joined | Atom, ...]
    span: Span
    intact: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """`setup`, `start` or `result` with its entries."""

    entries: tuple[Entry, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Notation:
    """A game as written."""

    file: SourceFile
    headers: tuple[Header, ...]
    comments: tuple[Comment, ...]
    setup: Block | None
    start: Block | None
    turns: tuple[Turn, ...]
    result: Block | None
