"""The declarations of a rules file, read one by one: after an edit, only the changed ones are read again.

`parse_rules` reads a file as a whole. This module is for editors, which read the same file after every keystroke: the
tree contains everything that can be read even if there are errors elsewhere, and the errors are the same as those of
`parse_rules`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from pwtool.lang import tree as n
from pwtool.lang.mistakes.stuck import declarations
from pwtool.lang.parser import beyond_reading, blanked, build_tree, parse_rules, read_left
from pwtool.lang.reading import automaton
from pwtool.text import Diagnostic, Label
from pwtool.text.source import SourceFile, Span

MAX_KEPT = 5_000
_HEADER = "part a of a\n"
_N = TypeVar("_N")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Start and end of a declaration (including the comments after it)."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Read:
    """What could be read of a file: the tree of all declarations except the `broken` ones (None without a header), and
    the errors.
    """

    file: SourceFile
    document: n.Document | None
    problems: tuple[Diagnostic, ...]
    broken: tuple[Stretch, ...]

    @property
    def whole(self) -> n.Document | None:
        """The tree if the file has no errors."""
        return None if self.problems else self.document


@dataclass(frozen=True, slots=True)
class _Piece:
    """A declaration that was read on its own, and the place of its text."""

    document: n.Document
    problems: tuple[Diagnostic, ...]
    begins: int


class Reader:
    """Reads files and remembers their declarations by their text."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[bool, str], _Piece | None] = OrderedDict()

    def read(self, file: SourceFile) -> Read:
        """What can be read of a file, and its errors."""
        beyond = beyond_reading(file)
        if beyond is not None:
            return Read(file, None, (beyond,), (Stretch(0, len(file.text)),))
        stretches = _stretches(file)
        pieces = [self._piece(file.text[s.start : s.end], at == 0) for at, s in enumerate(stretches)]
        if None in pieces:
            return self._with_mistakes(file, stretches, pieces)
        return _assembled(file, stretches, pieces, ())

    def _piece(self, text: str, first: bool) -> _Piece | None:
        key = first, text
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        piece = self._known[key] = _read_piece(text, first)
        if len(self._known) > MAX_KEPT:
            self._known.popitem(last=False)
        return piece

    def _with_mistakes(self, file: SourceFile, stretches: list[Stretch], pieces: list[_Piece | None]) -> Read:
        left = file.text
        for at, stretch in enumerate(stretches):
            # What is unfinished is found out at the next declaration, which so has to be there.
            wanted = pieces[at] is None or (at > 0 and pieces[at - 1] is None)
            if at > 0 and not wanted:
                left = blanked(left, stretch.start, stretch.end)
        found = read_left(file, left)
        if not found.diagnostics:
            # What only can be read together with what follows stands at the beginning of a line inside of something else.
            whole = parse_rules(file)
            broken = () if whole.value is not None else (Stretch(0, len(file.text)),)
            return Read(file, whole.value, whole.diagnostics, broken)
        return _assembled(file, stretches, pieces, found.diagnostics)


def _stretches(file: SourceFile) -> list[Stretch]:
    starts, _ = declarations(file)
    edges = [0, *starts[1:], len(file.text)]
    return [Stretch(a, b) for a, b in pairwise(edges)]


def _read_piece(text: str, first: bool) -> _Piece | None:
    file = SourceFile("", text if first else _HEADER + text)
    tree = automaton().tree(file.text)
    if tree is None:
        return None
    document, problems = build_tree(file, tree)
    if document is None:
        return None
    return _Piece(document, tuple(problems), 0 if first else len(_HEADER))


def _assembled(
    file: SourceFile, stretches: list[Stretch], pieces: list[_Piece | None], found: tuple[Diagnostic, ...]
) -> Read:
    header = None
    declared: list[n.Node] = []
    problems = {(p.code, p.message, p.span): p for p in found}
    for at, (stretch, piece) in enumerate(zip(stretches, pieces, strict=True)):
        if piece is None:
            continue
        by = stretch.start - piece.begins
        if at == 0:
            header = moved(piece.document.header, file, by)
        declared += moved(piece.document.declarations, file, by)
        for problem in moved(piece.problems, file, by):
            problems.setdefault((problem.code, problem.message, problem.span), problem)
    broken = tuple(s for s, piece in zip(stretches, pieces, strict=True) if piece is None)
    document = None if header is None else n.Document(Span(file, 0, len(file.text)), header, tuple(declared))
    told = tuple(sorted(problems.values(), key=lambda p: p.span.start if p.span else -1))
    return Read(file, document, told, broken)


def moved(value: _N, file: SourceFile, by: int) -> _N:
    """Nodes or findings of a piece, moved to their place in the file."""
    return _moved(value, file, by)  # type: ignore[no-any-return]


_PLAIN = frozenset((str, int, bool, type(None)))


def _moved(value: Any, file: SourceFile, by: int) -> Any:
    if isinstance(value, n.Node):
        span, *parts = astuple(value)
        # Most of what nodes hold are words and numbers, which stand nowhere.
        moved = [part if type(part) in _PLAIN else _moved(part, file, by) for part in parts]
        return type(value)(Span(file, span.start + by, span.end + by), *moved)
    if type(value) is tuple:
        return tuple([part if type(part) in _PLAIN else _moved(part, file, by) for part in value])
    if isinstance(value, Span):
        return Span(file, value.start + by, value.end + by)
    if isinstance(value, Diagnostic):
        fix = None if value.fix is None else replace(value.fix, span=_moved(value.fix.span, file, by))
        labels = tuple(Label(_moved(label.span, file, by), label.text) for label in value.labels)
        return replace(value, span=_moved(value.span, file, by), labels=labels, fix=fix)
    return value


def declared_names(text: str) -> Iterator[str]:
    """The names that a broken declaration would declare, judging by its first words."""
    words = text.split(None, 3)[:3]
    yield from (word for word in words[1:] if word.isidentifier())
