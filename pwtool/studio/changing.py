"""Changes of the rules beneath: an item of the base becomes one of this file, to be written otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.examples import edit_of
from pwtool.studio.refusing import Refused
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.words import in_quotes
from pwtool.why.voice import text_of

_POINTS = ("ambiguity", "erratum")
_WRITTEN_ONCE = ("turn", "round", "ranking", "players")
"""What declarations without a name begin with."""


def may_change(asked: DocumentContext, key: Key) -> bool:
    """Whether this file changes another ruleset and may change this item, which stands elsewhere."""
    analysis = asked.analysis
    if analysis.ruleset is None or not any(document.header.base is not None for document in analysis.own):
        return False
    return written_change(analysis.ruleset.merged, key, analysis.file.name) is not None


def change_item(asked: DocumentContext, key: Key, uri: Any, language: str) -> dict[str, Any]:
    """The edit that writes an item of the base at the end of this file, as a change, with its texts in a language, and the line that it
    begins in; an item that stands in this file needs none. `uri` names files as the page does.
    """
    merged, file = asked.valid.merged, asked.analysis.file
    node, path = merged.items.get(key), asked.home(file)
    if node is not None and path is not None and node.span.file.name == file.name:
        at = node.span.start
        return {**edit_of(file, path, at, at, "", uri), "line": node.span.line}
    text = written_change(merged, key, file.name, language) if may_change(asked, key) else None
    if text is None:
        raise Refused(Told("{name} cannot be changed here", name=f"`{key[1] or key[0]}`"))
    file, path, at, written = at_end(asked, key[1], [text])
    edit = edit_of(file, path, at, at, written, uri)
    return {**edit, "line": (file.text + written.rstrip("\n").removesuffix(text)).count("\n") + 1}


def at_end(asked: DocumentContext, name: str, lines: list[str]) -> tuple[SourceFile, Path, int, str]:
    """Where lines at the end of this file are written, and their text. Raises `Refused` if it may not be changed."""
    file = asked.analysis.file
    path = asked.home(file)
    if path is None:
        raise Refused(Told("the file of {name} cannot be changed here", name=f"`{name}`"))
    begin = "" if file.text.endswith("\n\n") else "\n" if file.text.endswith("\n") else "\n\n"
    return file, path, len(file.text), begin + "\n".join([*lines, ""])


def written_change(merged: Merged, key: Key, file: str, language: str = "en") -> str | None:
    """An item of another file as a change of it, with its texts in a language; None if it is written in a way that no change can have, or
    in several places.
    """
    kind, name = key
    node = merged.items.get(key)
    if node is None or node.span.file.name == file:
        return None
    rules = dict[Key, n.Node]()
    if isinstance(node, n.Action | n.Consequence):
        ever = [one for one in merged.history if one[0] == "rule" and one[1].startswith(f"{name}.")]
        rules = {one: merged.items[one] for one in ever if one in merged.items}
        if len(rules) < len(ever) or not all(_within(part, node) for part in (*rules.values(), *node.statements)):
            return None
    # What is indented is indented less at the margin.
    text = node.span.text.rstrip().replace("\n" + " " * (node.span.column - 1), "\n")
    translations, at = merged.texts.get(language, {}), 0
    for one, old in _texts(key, node, rules):
        found = text.find(old := in_quotes(old), at) if one in translations else -1
        if found >= 0:
            new = in_quotes(translations[one].text)
            text, at = text[:found] + new + text[found + len(old) :], found + len(new)
    word, _, rest = text.partition(" ")
    if kind == "rule" and word == "rule":
        # Inside its action it has no other name.
        text = f"rule {name} {rest.lstrip().partition(' ')[2].lstrip()}"
    elif kind == "setup" and word != "supply":
        text = text if word == "setup" else f"setup {text}"
    elif kind in _POINTS or (word != kind and word not in _WRITTEN_ONCE):
        return None
    return f"change {text}"


def _texts(key: Key, node: n.Node, rules: dict[Key, n.Node]) -> Iterator[tuple[Key, str]]:
    """The texts in an item, in their order."""
    yield key, text_of(node)
    if isinstance(node, n.Action):
        for parameter in node.parameters:
            yield ("param", f"{key[1]}.{parameter.name.name}"), parameter.text
    if isinstance(node, n.Action | n.Consequence):
        for one, rule in sorted(rules.items(), key=lambda found: found[1].span.start):
            yield one, text_of(rule)


def _within(part: n.Node, whole: n.Node) -> bool:
    return part.span.file is whole.span.file and whole.span.start <= part.span.start <= part.span.end <= whole.span.end
