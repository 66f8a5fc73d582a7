"""Source files and the places in them that findings point at."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from msgspec import Struct

__all__ = ["SourceFile", "Span"]


class SourceFile(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """A text with the name that users know (a path, or `<stdin>`). `first_line` is the number of its first line in the
    file.
    """

    name: str
    text: str
    first_line: int = 1

    def __repr__(self) -> str:
        return f"SourceFile({self.name!r}, first_line={self.first_line})"

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line + self.first_line - 1, offset - self._line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (numbered as in `line_column`) without its end."""
        starts = self._line_starts
        line -= self.first_line - 1
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")


class Span(Struct, frozen=True):
    """A span of a source file: character offsets, end exclusive."""

    file: SourceFile
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.file.line_column(self.start)[0]

    @property
    def column(self) -> int:
        return self.file.line_column(self.start)[1]

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    def holds(self, other: Span | None) -> bool:
        """Whether another span of the same file lies within this one."""
        return (
            other is not None
            and other.file.name == self.file.name
            and self.start <= other.start
            and other.end <= self.end
        )

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}:{self.column}"
