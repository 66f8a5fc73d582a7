"""Suggestions that can be applied: a span of a file and its replacement."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import force_setattr

from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line


class Fix(Struct, frozen=True):
    """A change at one place. `safe`: the replacement is certainly what was meant; other changes are only offered.
    `title` describes it in words; without one it is *write* and the text.
    """

    span: Span
    text: str
    title: str = ""
    safe: bool = False

    def __post_init__(self) -> None:
        if not self.title:
            force_setattr(self, "title", Told("write `{text}`", text=one_line(self.text)))


def choose_fixes(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes that can be applied together: in the order of the file, without overlaps."""
    chosen: list[Fix] = []
    for fix in sorted(set(fixes), key=lambda f: (f.span.start, f.span.end)):
        if not chosen or fix.span.start >= chosen[-1].span.end:
            chosen.append(fix)
    return chosen


def apply_fixes(file: SourceFile, fixes: Iterable[Fix]) -> str:
    """The text of a file with these non-overlapping fixes applied."""
    text = file.text
    for fix in sorted(fixes, key=lambda f: f.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text
