"""Changes of the rules beneath: an item of the base becomes one of this file, to be written otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pwtool.lang.merged import Key, Merged
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.examples import edit_of
from pwtool.studio.refusing import Refused
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told

_POINTS = ("ambiguity", "erratum")
_WRITTEN_ONCE = ("turn", "round", "ranking", "players")
"""What declarations without a name begin with."""


def may_change(asked: DocumentContext, key: Key) -> bool:
    """Whether this file changes another ruleset and may change this item, which stands elsewhere."""
    analysis = asked.analysis
    if analysis.ruleset is None or not any(document.header.base is not None for document in analysis.own):
        return False
    return written_change(analysis.ruleset.merged, key, analysis.file.name) is not None


def change_item(asked: DocumentContext, key: Key, uri: Any) -> dict[str, Any]:
    """The edit that writes an item of the base at the end of this file, as a change; `uri` names files as the page does."""
    text = written_change(asked.valid.merged, key, asked.analysis.file.name) if may_change(asked, key) else None
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
    return file, path, len(file.text), "\n".join(["" if file.text.endswith("\n") else "\n", *lines, ""])


def written_change(merged: Merged, key: Key, file: str) -> str | None:
    """An item of another file as a change of it; None if it is written in a way that no change can have."""
    kind, name = key
    node = merged.items.get(key)
    if node is None or node.span.file.name == file:
        return None
    # What is indented is indented less at the margin.
    text = node.span.text.rstrip().replace("\n" + " " * (node.span.column - 1), "\n")
    word, _, rest = text.partition(" ")
    if kind == "rule" and word == "rule":
        # Inside its action it has no other name.
        text = f"rule {name} {rest.lstrip().partition(' ')[2].lstrip()}"
    elif kind == "setup" and word != "supply":
        text = text if word == "setup" else f"setup {text}"
    elif kind in _POINTS or (word != kind and word not in _WRITTEN_ONCE):
        return None
    return f"change {text}"
