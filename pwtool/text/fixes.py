"""Suggestions that can be applied: a stretch of a file and the text that should stand there."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from pwtool.text.source import SourceFile, Span


class Fix(Struct, frozen=True):
    """A change of one place. `safe`: what it writes is what was meant, beyond reasonable doubt; any other change is
    only offered. `title` says in words what it does (`write color`).
    """

    span: Span
    text: str
    title: str
    safe: bool = False


def choose_fixes(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes that can be applied together: in the order of the file, none touching another."""
    chosen: list[Fix] = []
    for fix in sorted(set(fixes), key=lambda f: (f.span.start, f.span.end)):
        if not chosen or fix.span.start >= chosen[-1].span.end:
            chosen.append(fix)
    return chosen


def apply_fixes(file: SourceFile, fixes: Iterable[Fix]) -> str:
    """The text of a file with these fixes applied; they do not overlap."""
    text = file.text
    for fix in sorted(fixes, key=lambda f: f.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text
