"""The texts for players."""

from __future__ import annotations

import re

from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic, Fix
from pwtool.text.source import Span
from pwtool.text.speech import mark
from pwtool.text.words import in_quotes, one_line

_TEXT = re.compile(r'"((?:[^"\\\n]|\\["\\])*)"')

_MISSING: dict[type[n.Node], str] = {
    n.Objective: mark("the objective `{name}` has no text for the players"), n.Rule: mark("the rule `{name}` has no text for the players"),
    n.Ending: mark("the ending `{name}` has no text for the players"), n.Score: mark("the score line `{name}` has no text for the players"),
    n.Invariant: mark("the invariant `{name}` has no text for the players"),
}  # fmt: skip


def check_texts(document: n.Document) -> list[Diagnostic]:
    """Objectives and rules without a text; texts that end with a full stop or have superfluous spaces."""
    found: list[Diagnostic] = []
    for declaration in document.declarations:
        for node in walk(declaration):
            text = getattr(node, "text", None)
            if not isinstance(text, str) or isinstance(node, n.Header | n.Example | n.Parameter):
                continue
            name = getattr(node, "name", None)
            if not isinstance(name, n.Name):
                continue
            if not text.strip():
                found += _missing(node, name)
                continue
            problem = _untidy(node, name, text)
            if problem:
                found.append(problem)
    return found


def _missing(node: n.Node, name: n.Name) -> list[Diagnostic]:
    message = _MISSING.get(type(node))
    if message is None:
        return []
    help_line = 'write it after the name: `{short} "..."`'
    short = name.name.rpartition(".")[2]
    return [Diagnostic.of("PW410", message, name.span, help=help_line, short=short, name=name.name)]


def _untidy(node: n.Node, name: n.Name, text: str) -> Diagnostic | None:
    tidy = one_line(text)
    stop = tidy.endswith(".") and not tidy.endswith("..") and tidy.count(".") == 1
    tidy = tidy.removesuffix(".") if stop else tidy
    if tidy == text:
        return None
    at = _TEXT.search(node.span.file.text, name.span.end, node.span.end)
    if at is None:
        return None
    span = Span(node.span.file, at.start(), at.end())
    message = "the text ends with a full stop" if stop else "the text has spaces at its ends, or several in a row"
    fix = Fix(span, in_quotes(tidy), 'write `"{tidy}"`', safe=True)
    return Diagnostic.of("PW411", message, span, help='write `"{tidy}"`', fix=fix, tidy=tidy)
