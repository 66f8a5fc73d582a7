"""Findings. A user's mistake is a value of this module, never an exception."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from os.path import basename
from typing import Any, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from pwtool.text.codes import CODES
from pwtool.text.fixes import Fix
from pwtool.text.source import Span
from pwtool.text.speech import Speech, Told, told_later

T = TypeVar("T")

MAX_MISTAKES = 50
"""Checking a ruleset stops after this many mistakes."""
MAX_PROBLEMS = 20
"""The number of findings about the form of a file that are reported."""


class InternalError(Exception):
    """An error of the program itself, not of its user: exit code 101."""


class Severity(StrEnum):
    """How much a finding counts in the verdict; a note does not count."""

    ERROR = "error"
    WARNING = "warning"
    UNDETERMINED = "undetermined"
    NOTE = "note"


class Label(Struct, frozen=True):
    """A second place that explains a finding."""

    span: Span
    text: str


class Detail(Struct, frozen=True):
    """A titled part of a finding in the full report: `rule`, `source`, `board`, `legal`, `more` ...; `short` lines are
    shown side by side.
    """

    title: str
    lines: tuple[str, ...]
    short: bool = False

    @property
    def shown(self) -> tuple[str, ...]:
        """The lines as people read them."""
        return (", ".join(self.lines),) if self.short else self.lines


class Diagnostic(Struct, frozen=True, eq=False):
    """One finding.

    `code` is a key of `CODES`; `rule` is the name of a broken rule in the ruleset (`move.once`); `where` is the place
    in words (`turn 31, Ana`); `follows` is true if an earlier finding in the same file explains this one; `fix` is a
    change of the text that would resolve it.
    """

    code: str
    message: str
    span: Span | None = None
    file: str | None = None
    rule: str | None = None
    ruleset: str | None = None
    where: str | None = None
    turn: int | None = None
    severity: Severity | None = None
    labels: tuple[Label, ...] = ()
    details: tuple[Detail, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    follows: bool = False
    fix: Fix | None = None
    data: dict[str, object] = field(default_factory=dict)

    @staticmethod
    def of(
        code: str, message: str, span: Span | None = None, /, help: str | None = None, fix: Fix | None = None,
        labels: tuple[Label, ...] = (), notes: tuple[str, ...] = (), details: tuple[Detail, ...] = (), severity: Severity | None = None,
        file: str | None = None, ruleset: str | None = None, where: str | None = None, data: dict[str, object] | None = None, **values: Any,
    ) -> Diagnostic:  # fmt: skip
        """A finding whose texts can be translated, those of its labels and of its fix too; `values` fill their gaps."""
        return Diagnostic(
            code, told_later(message, values), span, file, ruleset=ruleset, where=where, severity=severity, details=details,
            labels=tuple(Label(label.span, told_later(label.text, values)) for label in labels),
            notes=tuple(told_later(note, values) for note in notes), help=help and told_later(help, values),
            fix=fix and replace(fix, title=told_later(fix.title, values)), data=data or {},
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def _told(self) -> tuple[object, ...]:
        """The identity of a finding: everything except the data, which repeat it for programs."""
        return astuple(self)[:-1]

    def within(self, speech: Speech) -> Diagnostic:
        """The same finding in a language."""
        return replace(
            self,
            message=speech.tell(self.message),
            where=self.where and speech.tell(self.where),
            help=self.help and speech.tell(self.help),
            labels=tuple(replace(label, text=speech.tell(label.text)) for label in self.labels),
            details=tuple(replace(detail, lines=tuple(map(speech.tell, detail.lines))) for detail in self.details),
            notes=tuple(map(speech.tell, self.notes)),
            fix=self.fix and replace(self.fix, title=speech.tell(self.fix.title)),
        )

    @property
    def level(self) -> Severity:
        """The given severity, or else the default of its code."""
        return self.severity or Severity(CODES[self.code].severity)

    @property
    def slug(self) -> str:
        return CODES[self.code].slug


def first_problems(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings about the form of a file that are reported: at most `MAX_PROBLEMS`. If there are more, the last of
    these says so.
    """
    kept = tuple(found[:MAX_PROBLEMS])
    if len(found) <= MAX_PROBLEMS:
        return kept
    more = Told("there are more errors of this kind than are listed here")
    return (*kept[:-1], replace(kept[-1], notes=(*kept[-1].notes, more)))


def too_many(found: Sequence[Diagnostic]) -> bool:
    """Whether there are so many mistakes that checking stops; what is only warned of does not count."""
    return sum(diagnostic.level is Severity.ERROR for diagnostic in found) >= MAX_MISTAKES


class Result(Struct, Generic[T], frozen=True):
    """The result of a pass and its findings. `value` is None if there is nothing to continue with."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value and no finding is an error."""
        return self.value is not None and not any(d.level is Severity.ERROR for d in self.diagnostics)


def mistake(error: Exception) -> Diagnostic:
    """The message for an internal error: which one and where."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = f" in {basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame is not None else ""
    said = f": {error}" if isinstance(error, InternalError) and str(error) else ""
    message = Told("internal error{more} ({kind}{place})", more=said, kind=type(error).__name__, place=place)
    help_line = Told(
        "please report it with the file and the command; {setting} shows more", setting="PWTOOL_TRACEBACK=1"
    )
    return Diagnostic("PW901", message, help=help_line)
