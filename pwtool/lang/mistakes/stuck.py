"""Where the parser stopped, and how a finding about it is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from pwtool.text import Diagnostic, Fix
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told, mark
from pwtool.text.words import shorten

DECLARATION = regex(
    r"^(?=(game|edition|variant|part|players|source|section|component|deck|zone|token|setup|turn|round|anytime|var|define"
    r"|action|rule|consequence|ending|score|ranking|invariant|shape|objective|example|change|remove|add|ambiguity"
    r"|erratum|without|include|texts|notes)\b"
    # Words of the language only before what is declared by them.
    r"|(choice)\s+\w+\s*\{|(supply)\s+\w+\s*\"|(look)\s*\{)",
    re.MULTILINE,
)
# A declaration may follow, or an operator: what stood before was a whole expression.
AFTER_EXPRESSION = frozenset(("AND", "OBJECTIVE"))
NAME_HELP = mark("names have letters from a to z, digits and `_`")
REACH = 80
# Comments may stand between.
_FAR = 2000
_COMMENTED = regex(r'"(?:[^"\\\n]|\\.)*"|\[[^\]\n"]*\]|#[^\n]*')
# No line is longer than this in common style; a line of a megabyte is not searched for what may be meant.
_LINE = 200


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0]) if found[0].startswith("#") else found[0]


@lru_cache(maxsize=4)
def declarations(file: SourceFile) -> tuple[list[int], list[str]]:
    """Where the declarations of a file begin, and the first word of each."""
    found = list(DECLARATION.finditer(file.text))
    return [m.start() for m in found], [m[m.lastindex or 0] for m in found]


class Stuck(Struct, frozen=True):
    """A place that breaks the grammar. `expected` are the terminals that are allowed there, `keywords` all keywords of
    the language; `mended` says whether the declaration can be read to its end once a fix is applied.
    """

    file: SourceFile
    span: Span
    expected: set[str]
    keywords: frozenset[str]
    mended: Callable[[Fix], bool]

    @property
    def text(self) -> str:
        """The text at the place."""
        return self.span.text

    @property
    def behind(self) -> bool:
        """Whether a complete expression comes before the place."""
        return bool(self.expected & AFTER_EXPRESSION)

    @property
    def begins_line(self) -> bool:
        """Whether only spaces come before it on its line."""
        return not self.file.text[self.line_start : self.span.start].strip()

    @property
    def line_start(self) -> int:
        """Where the line of the place begins."""
        return self.file.text.rfind("\n", 0, self.span.start) + 1

    def line_before(self) -> str:
        """The line up to the place, shortened."""
        return self.file.text[max(self.line_start, self.span.start - _LINE) : self.span.start]

    def line_behind(self) -> str:
        """The line from the place on, shortened."""
        return self.file.text[self.span.start : self.span.start + _LINE].partition("\n")[0]

    def word_before(self) -> Span | None:
        """The word right before the place, on its line."""
        line = self.line_before()
        found = re.search(r"(\w+)[ \t]*\Z", line)
        begin = self.span.start - len(line)
        return Span(self.file, begin + found.start(1), begin + found.end(1)) if found else None

    def said_before(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """The text before the place, without comments, up to a limit."""
        return re.search(pattern, self._window()[1])

    def group(self, found: re.Match[str], number: int | str) -> Span:
        """The place of a part of the match in `said_before`."""
        start = self._window()[0]
        return Span(self.file, start + found.start(number), start + found.end(number))

    def _window(self) -> tuple[int, str]:
        """The signs right before the place, and where they begin; all spaces and comments after the last are one
        space.
        """
        begin = max(0, self.span.start - _FAR)
        bare = _COMMENTED.sub(_blank, self.file.text[begin : self.span.start])
        text = bare.rstrip()
        start = max(0, len(text) - REACH)
        return begin + start, text[start:] + " " * (len(bare) > len(text))

    def declaration(self) -> tuple[int, str]:
        """Where the declaration around the place begins, and its first word."""
        starts, words = declarations(self.file)
        at = bisect_right(starts, self.span.start - 1)
        return (starts[at - 1], words[at - 1]) if at else (0, "")

    def unexpected(self) -> Told:
        """The place in words, if there is nothing better to say."""
        return unexpected(short(self.text)) if self.text else Told("the file ends too early")


def unexpected(text: str) -> Told:
    """What stands at a place, if there is nothing better to say."""
    return Told("unexpected `{text}`", text=text)


def told(message: str, span: Span, help_line: str | None, fix: Fix | None = None, /, **values: Any) -> Diagnostic:
    """The finding about a syntax error, whose gaps are filled; without a help line it is the fix that helps."""
    return Diagnostic.of(
        "PW101", message, span, help=fix.title if fix and help_line is None else help_line, fix=fix, **values
    )


def written(span: Span, text: str, safe: bool = True) -> Fix:
    """The fix that replaces what is at the place by a text."""
    return Fix(span, text, safe=safe)


def short(text: str) -> str:
    """A text on one line, shortened."""
    return shorten(" ".join(text.split()), 30)
