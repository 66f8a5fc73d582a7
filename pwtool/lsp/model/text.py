"""A text that is being edited: converts between lines and columns, as editors count them, and characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from pwtool.text.source import SourceFile

_LINE_END = re.compile(r"\r\n?")


def plain_lines(text: str) -> str:
    """A text with `\n` alone at the ends of its lines: no place of a line or column moves by that."""
    return _LINE_END.sub("\n", text)


@dataclass(frozen=True)
class Text:
    """The text of a document. Columns are counted in code units of the editor's encoding."""

    name: str
    text: str
    encoding: str = "utf-16"

    @cached_property
    def file(self) -> SourceFile:
        """The text as a source file for the checks."""
        return SourceFile(self.name, self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @property
    def lines(self) -> int:
        """The number of lines; a final line break is followed by an empty line."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """A line (from 0) without its end."""
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < self.lines else len(self.text)
        return self.text[start:end]

    def offset(self, line: int, column: int) -> int:
        """The character at a place. Columns beyond the line's end mean its end, lines beyond the last one the end of the text."""
        if line >= self.lines:
            return len(self.text)
        if line < 0:
            return 0
        text = self.line(line)
        if text.isascii() or self.encoding == "utf-32":
            return self._starts[line] + max(0, min(column, len(text)))
        units = 0
        for at, sign in enumerate(text):
            units += self._width(sign)
            # A place inside a character counts as before it.
            if units > column:
                return self._starts[line] + at
        return self._starts[line] + len(text)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column (both from 0) of a character."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        if before.isascii() or self.encoding == "utf-32":
            return line, len(before)
        return line, sum(map(self._width, before))

    def _width(self, sign: str) -> int:
        if self.encoding == "utf-16":
            return 2 if ord(sign) > 0xFFFF else 1
        return len(sign.encode("utf-8", "surrogatepass"))

    def changed(self, begin: tuple[int, int], end: tuple[int, int], text: str) -> Text:
        """The text with the part between two places replaced."""
        start, stop = sorted((self.offset(*begin), self.offset(*end)))
        # A line break may be assembled from two changes.
        return Text(self.name, plain_lines(self.text[:start] + text + self.text[stop:]), self.encoding)

    def word_at(self, offset: int) -> tuple[int, int]:
        """The range of the word around a place."""
        start = end = max(0, min(offset, len(self.text)))
        while start and (self.text[start - 1].isalnum() or self.text[start - 1] == "_"):
            start -= 1
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        return start, end
