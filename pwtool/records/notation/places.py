"""The places of the parts of a record in its notation, and its errors, collected while the text is read."""

from __future__ import annotations

from collections.abc import Sequence

from pwtool.records.notation.words import Unclear
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span

Path = tuple[str | int, ...]


class Notes:
    """The places of values by their paths in the JSON form, the problems found, and the number of side lines."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.places: dict[Path, Span] = {}
        self.problems: list[Diagnostic] = []
        self.side_lines = 0

    def report(self, code: str, span: Span, message: str, help_line: str | None = None) -> None:
        self.problems.append(Diagnostic(code, message, span, help=help_line))

    def unclear(self, span: Span, unclear: Unclear) -> None:
        self.report(unclear.code, span, unclear.message, unclear.help)

    def locate(self, path: Sequence[str | int]) -> Span:
        """The place of the value at a path; if there is none, that of the innermost value on the way to it."""
        at = tuple(path)
        while at and at not in self.places:
            at = at[:-1]
        return self.places.get(at) or Span(self.file, 0, min(1, len(self.file.text)))
