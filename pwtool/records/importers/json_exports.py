"""Reading JSON of other programs: a wrong type or a missing key becomes a finding, never an exception."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span
from pwtool.text.terminal import escape

__all__ = ["Part", "Path", "Problems", "shown"]

Path = tuple[str | int, ...]
Locate = Callable[[Sequence[str | int]], Span | None]

# A file of another kind is wrong everywhere; more findings than this tell nobody anything.
MOST_FINDINGS = 20


class Problems:
    """The findings of one import.

    `counted` gives names to the entries of top-level lists, so that a finding says `move 13` (counted from 1) instead
    of `moves[12]`.
    """

    def __init__(self, file: SourceFile, locate: Locate | None, counted: Mapping[str, str]) -> None:
        self._file = file
        self._locate = locate
        self._counted = counted
        self._found: list[Diagnostic] = []

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return tuple(self._found)

    def report(self, path: Path, text: str, *, help: str | None = None) -> None:
        """A finding at this path; the message is the place in words followed by `text`."""
        if len(self._found) >= MOST_FINDINGS:
            return
        self._found.append(
            Diagnostic(
                "PW704",
                escape(f"{self.place(path)} {text}"),
                span=self._span(path),
                file=self._file.name,
                where=_dotted(path) or None,
                help=help,
                data={"path": list(path)},
            )
        )

    def place(self, path: Path) -> str:
        match path:
            case ():
                return "the export"
            case (str(name), int(index), *rest) if name in self._counted:
                inner = f": `{_dotted(tuple(rest))}`" if rest else ""
                return f"{self._counted[name]} {index + 1}{inner}"
        return f"`{_dotted(path)}`"

    def _span(self, path: Path) -> Span | None:
        if self._locate is None:
            return None
        # The nearest enclosing part that exists: a finding about something missing points at what lacks it.
        for length in range(len(path), -1, -1):
            span = self._locate(path[:length])
            if span is not None:
                return span
        return None


class Part(Struct, frozen=True):
    """A value in the foreign file together with its path. Its methods report what is wrong and return None."""

    problems: Problems
    path: Path
    value: object

    def report(self, text: str, *, help: str | None = None) -> None:
        self.problems.report(self.path, text, help=help)

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def key(self, name: str) -> Part | None:
        """The value under a required key."""
        if not isinstance(self.value, dict):
            self.report(f"is {shown(self.value)} where an object is needed")
            return None
        if name not in self.value:
            self.report(f"lacks `{name}`")
            return None
        return Part(self.problems, (*self.path, name), self.value[name])

    def at(self, *names: str) -> Part | None:
        """The value under a chain of required keys."""
        part: Part | None = self
        for name in names:
            part = part.key(name) if part is not None else None
        return part

    def entries(self) -> list[Part] | None:
        if not isinstance(self.value, list):
            self.report(f"is {shown(self.value)} where a list is needed")
            return None
        return [Part(self.problems, (*self.path, index), value) for index, value in enumerate(self.value)]

    def number(self, low: int, high: int, what: str) -> int | None:
        """An integer from `low` to `high`; `what` describes it, as in `is 9 where a colour from 1 to 4 is needed`."""
        # JSON's true is an int in Python, but no number in the file.
        if isinstance(self.value, int) and not isinstance(self.value, bool) and low <= self.value <= high:
            return self.value
        self.report(f"is {shown(self.value)} where {what} is needed")
        return None

    def truth(self) -> bool | None:
        if isinstance(self.value, bool):
            return self.value
        self.report(f"is {shown(self.value)} where `true` or `false` is needed")
        return None

    def text(self) -> str | None:
        if isinstance(self.value, str) and self.value:
            return self.value
        self.report(f"is {shown(self.value)} where a text is needed")
        return None


def shown(value: object) -> str:
    """A foreign value for a message: short, printable, and never expanded (it may be endlessly deep)."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        # Escapes keep control characters and lone surrogates out of messages.
        return f"`{json.dumps(value[:40])}`" if len(value) <= 40 else "a long text"
    if isinstance(value, int) and not isinstance(value, bool):
        # Python refuses to print integers of thousands of digits.
        return f"`{value}`" if abs(value) < 10**15 else "a huge number"
    if value is None or isinstance(value, bool | float):
        return f"`{json.dumps(value)}`"
    return "something that is not a JSON value"


def _dotted(path: Path) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
