"""The spans of text that a fix removes."""

from __future__ import annotations

from pwtool.text.source import Span


def whole_lines(span: Span) -> Span:
    """The span with the following line end if nothing else is on its lines, otherwise with the spaces before it."""
    text = span.file.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if text[start : span.start].strip() or text[span.end : end].strip():
        before = span.start - len(text[: span.start]) + len(text[: span.start].rstrip(" \t"))
        return Span(span.file, max(start, before), span.end)
    return Span(span.file, start, end)
