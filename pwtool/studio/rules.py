"""A ruleset as one reads it: the outline, what the examples show of it, and what random games do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from pwtool.lang.merged import Key
from pwtool.studio.background import Background, Measured, placed
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.outline import Outline, outline
from pwtool.studio.random_play import Play, told_of
from pwtool.text.source import Span
from pwtool.why.coverage import lacking_words
from pwtool.why.voice import Voice, raised

_JUDGED = ("rule", "invariant", "ending", "score", "objective")
"""The kinds of items that have conditions."""


class Mark(Struct):
    """What the examples show of conditions: `both` that they hold and that they do not, `none` of the two, or `part` of it; what lacks,
    in words.
    """

    state: str
    lacks: list[str]


class Marks(Struct):
    """The marks of items (`rule:turn.hand_limit`), and those of the lines of this file."""

    items: dict[str, Mark]
    lines: list[tuple[int, Mark]]


class Rules(Struct):
    """`marks` and `play` are None as long as they are not known; `busy`: more will be known soon."""

    outline: Outline
    marks: Marks | None
    play: Play | None
    busy: bool


def rules(asked: DocumentContext, background: Background, voice: Voice) -> Any:
    """What is known of the ruleset of a file; the rest is measured in the background."""
    measured = background.of(asked)
    busy = asked.analysis.ruleset is not None and (measured is None or not measured.done)
    marks = _marks(measured, asked, voice) if measured is not None else None
    play = told_of(measured, asked, voice) if measured is not None else None
    return msgspec.to_builtins(Rules(outline(asked, voice), marks, play, busy))


def _marks(measured: Measured, asked: DocumentContext, voice: Voice) -> Marks | None:
    if measured.shown is None:
        return None
    ruleset = asked.valid
    items: dict[str, list[tuple[int, list[str]]]] = {}
    lines: dict[int, list[tuple[int, list[str]]]] = {}
    spans = {key: node.span for key, node in ruleset.merged.items.items() if key[0] in _JUDGED}
    for place, part in placed(ruleset).items():
        shown = measured.shown.get(place, frozenset())
        lacks = tuple(value for value in (True, False) if value not in shown)
        found = len(shown), [raised(voice.tell(lacking_words(part, lacks)))] if lacks else []
        owner = _owner(spans, part.span)
        if owner is not None:
            items.setdefault(":".join(owner), []).append(found)
        if part.span.file.name == asked.analysis.file.name:
            lines.setdefault(part.span.line, []).append(found)
    return Marks(
        {name: _mark(found) for name, found in items.items()}, [(line, _mark(found)) for line, found in sorted(lines.items())]
    )  # fmt: skip


def _owner(spans: dict[Key, Span], part: Span) -> Key | None:
    """The item in which a condition stands."""
    inside = (
        key
        for key, span in spans.items()
        if span.file.name == part.file.name and span.start <= part.start and part.end <= span.end
    )
    return next(inside, None)


def _mark(found: Iterable[tuple[int, list[str]]]) -> Mark:
    counts, lacks = zip(*found, strict=True)
    state = "both" if min(counts) == 2 else "none" if max(counts) == 0 else "part"
    return Mark(state, list(dict.fromkeys(line for lines in lacks for line in lines)))
