"""A cache of parsed trees: plain JSON, addressed by content.

The key of a tree is the hash of the text, the grammar and the program's version, so an entry is never stale. It is only
data (numbers, texts and the names of node classes): reading an entry runs no code, and a damaged entry is parsed again.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pwtool import __version__
from pwtool.lang import look
from pwtool.lang import tree as nodes
from pwtool.lang.tree import Document, Node, fields
from pwtool.text import Result
from pwtool.text.data import read_grammar
from pwtool.text.source import SourceFile, Span
from pwtool.text.store import Store

_CLASSES: dict[str, type[Node]] = {
    name: item for name, item in (vars(nodes) | vars(look)).items() if isinstance(item, type) and issubclass(item, Node)
}
_FIELDS = {item: fields(item) for item in _CLASSES.values()}


def parse_cached(file: SourceFile, folder: Path | None) -> Result[Document]:
    """The tree of a rules file, from the cache in `folder` (None: no cache), or parsed and then stored."""
    store = None if folder is None else Store(folder / "trees")
    if store is not None:
        stored = store.get(_key(file))
        document = None if stored is None else _load(stored, file)
        if document is not None:
            return Result(document)
    from pwtool.lang.parser import parse_rules

    result = parse_rules(file)
    if store is not None and result.value is not None and not result.diagnostics:
        with suppress(RecursionError):
            store.put(_key(file), json.dumps(_encode(result.value), separators=(",", ":")).encode())
    return result


@cache
def _builder_fingerprint() -> bytes:
    # What turns text into nodes is part of the key, so that no change of it can be answered with an old tree.
    parts = [__version__.encode(), read_grammar("rules.lark").encode()]
    parts += [p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"\0".join(parts)).digest()


def _key(file: SourceFile) -> str:
    return hashlib.sha256(_builder_fingerprint() + file.text.encode("utf-8", "replace")).hexdigest()


def _load(stored: bytes, file: SourceFile) -> Document | None:
    try:
        document = _decode(json.loads(stored), file)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return document if isinstance(document, Document) else None


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
