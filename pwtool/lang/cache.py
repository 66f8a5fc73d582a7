"""A cache of parsed trees: plain JSON, found by content.

A stored tree is named by the hash of the text, the grammar and the program's version, so it can never be stale. It
is data
only (numbers, texts and the names of node classes): reading one runs nothing, and one that is damaged is parsed anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from pwtool import __version__
from pwtool.lang import tree as nodes
from pwtool.lang.tree import Document, Node
from pwtool.text import Result
from pwtool.text.data import read_grammar
from pwtool.text.source import SourceFile, Span

_CLASSES: dict[str, type[Node]] = {
    name: item for name, item in vars(nodes).items() if isinstance(item, type) and issubclass(item, Node)
}
_FIELDS = {item: tuple(f.name for f in fields(item) if f.name != "span") for item in _CLASSES.values()}


def parse_cached(file: SourceFile, folder: Path | None) -> Result[Document]:
    """The tree of a rules file, from the cache in `folder` (None: no cache) or parsed and then stored."""
    path = None
    if folder is not None:
        path = folder / f"{_key(file)}.json"
        document = _load(path, file)
        if document is not None:
            return Result(document)
    from pwtool.lang.parser import parse_rules

    result = parse_rules(file)
    if path is not None and result.value is not None and not result.diagnostics:
        _store(path, result.value)
    return result


@cache
def _builder_fingerprint() -> bytes:
    # What turns text into nodes is part of the key, so that no change of it can be answered with an old tree.
    parts = [__version__.encode(), read_grammar("rules.lark").encode()]
    parts += [p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"\0".join(parts)).digest()


def _key(file: SourceFile) -> str:
    return hashlib.sha256(_builder_fingerprint() + file.text.encode("utf-8", "replace")).hexdigest()


def default_cache_folder() -> Path | None:
    """The user's cache folder for trees; None when `PWTOOL_NO_CACHE` is set."""
    if os.environ.get("PWTOOL_NO_CACHE"):
        return None
    from platformdirs import user_cache_path

    return user_cache_path("pwtool", appauthor=False) / "trees"


def _load(path: Path, file: SourceFile) -> Document | None:
    try:
        document = _decode(json.loads(path.read_bytes()), file)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return document if isinstance(document, Document) else None


def _store(path: Path, document: Document) -> None:
    # A cache that cannot be written is no reason to fail: the tree is there, only the next start is slower.
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_encode(document), separators=(",", ":"))
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(name, path)
    except (OSError, RecursionError):
        return


def _encode(value: Any) -> Any:
    if isinstance(value, Node):
        return [
            type(value).__name__,
            value.span.start,
            value.span.end,
            *(_encode(getattr(value, f)) for f in _FIELDS[type(value)]),
        ]
    if isinstance(value, tuple):
        return [0, *map(_encode, value)]
    return value


def _decode(value: Any, file: SourceFile) -> Any:
    if not isinstance(value, list):
        return value
    head = value[0]
    if head == 0:
        return tuple([_decode(v, file) for v in value[1:]])
    return _CLASSES[head](Span(file, value[1], value[2]), *[_decode(v, file) for v in value[3:]])
