"""The places of the parts of a record in its notation, and its errors, collected while the text is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pwtool.records.notation.words import Unclear
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.play.game import Game
    from pwtool.records.importers.stated import Agreed, Stated

Path = tuple[str | int, ...]


class Notes:
    """The places of values by their paths in the JSON form, the problems found; of a file of another program also
    what it states of its rules, and of a result that players agreed on, warnings, what a finding at some place should
    mention (`remarks`), the number of its side lines, and what a record has no place for.
    """

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.places: dict[Path, Span] = {}
        self.problems: list[Diagnostic] = []
        self.stated: list[Stated] = []
        self.agreed: Agreed | None = None
        self.warnings: list[Diagnostic] = []
        self.remarks: dict[Span, Told] = {}
        self.side_lines = 0
        self.left_out: Counter[str] = Counter()

    def report(self, code: str, span: Span, message: str, help_line: str | None = None) -> None:
        self.problems.append(Diagnostic(code, message, span, help=help_line))

    def warn(self, code: str, span: Span, message: str) -> None:
        self.warnings.append(Diagnostic(code, message, span))

    def state(
        self,
        span: Span | None,
        holds: Callable[[Game], bool],
        message: Told,
        help_line: Told | None = None,
        warns: bool = False,
    ) -> None:
        """Note something that holds only for some rulesets; `warns`: the moves can be judged by others, too."""
        from pwtool.records.importers.stated import Stated

        self.stated.append(Stated(holds, span, message, help_line, warns))

    def unclear(self, span: Span, unclear: Unclear) -> None:
        self.report(unclear.code, span, unclear.message, unclear.help)

    def locate(self, path: Sequence[str | int]) -> Span:
        """The place of the value at a path; if there is none, that of the innermost value on the way to it."""
        at = tuple(path)
        while at and at not in self.places:
            at = at[:-1]
        return self.places.get(at) or Span(self.file, 0, min(1, len(self.file.text)))
