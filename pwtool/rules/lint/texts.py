"""The texts for players."""

from __future__ import annotations

import re

from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic, Fix
from pwtool.text.source import Span
from pwtool.text.words import one_line

_TEXT = re.compile(r'"((?:[^"\\\n]|\\["\\])*)"')


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
    words = {
        n.Objective: "objective",
        n.Rule: "rule",
        n.Ending: "ending",
        n.Score: "score line",
        n.Invariant: "invariant",
    }
    word = words.get(type(node))
    if word is None:
        return []
    help_line = f'write it after the name: `{name.name.rpartition(".")[2]} "..."`'
    message = f"the {word} `{name.name}` has no text for the players"
    return [Diagnostic("PW410", message, name.span, help=help_line)]


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
    written = tidy.replace("\\", "\\\\").replace('"', '\\"')
    fix = Fix(span, f'"{written}"', f'write `"{tidy}"`', safe=True)
    return Diagnostic("PW411", message, span, help=f'write `"{tidy}"`', fix=fix)
