"""A cache of parsed trees: plain JSON, addressed by content.

The key of a tree is the hash of the text, the grammar and what `fingerprint` says of the program: a change of it asks for
other entries. They are only data (numbers, texts and the names of node classes): reading one runs no code, and a damaged
one is parsed again.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import astuple

from pwtool.lang import look
from pwtool.lang import tree as nodes
from pwtool.lang.tree import Document, Node
from pwtool.text import Result
from pwtool.text.blake2b import blake2b
from pwtool.text.data import read_grammar
from pwtool.text.source import SourceFile, Span
from pwtool.text.store import Store, fingerprint

_CLASSES: dict[str, type[Node]] = {
    name: item for name, item in (vars(nodes) | vars(look)).items() if isinstance(item, type) and issubclass(item, Node)
}
_NAMES = {item: name for name, item in _CLASSES.items()}
_PLAIN = frozenset((str, int, bool, type(None)))


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
        with suppress(RecursionError, UnicodeEncodeError):
            store.put(_key(file), msgspec.json.encode(_encode(result.value)))
    return result


@cache
def _builder_fingerprint() -> bytes:
    # What turns text into nodes is part of the key, so that no change of it can be answered with an old tree.
    return blake2b(f"{fingerprint(('lang',))} {read_grammar('rules.lark')}".encode()).digest()


def _key(file: SourceFile) -> str:
    return blake2b(_builder_fingerprint() + file.text.encode("utf-8", "replace"), digest_size=32).hexdigest()


def _load(stored: bytes, file: SourceFile) -> Document | None:
    try:
        document = _decode(msgspec.json.decode(stored), file)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return document if isinstance(document, Document) else None


def _encode(value: Any) -> Any:
    kind = type(value)
    if kind is tuple:
        return [0, *map(_encode, value)]
    if kind not in _NAMES:
        return value
    span, *parts = astuple(value)
    return [_NAMES[kind], span.start, span.end, *[p if type(p) in _PLAIN else _encode(p) for p in parts]]


def _decode(value: Any, file: SourceFile) -> Any:
    if not isinstance(value, list):
        return value
    head = value[0]
    if head == 0:
        return tuple([_decode(v, file) for v in value[1:]])
    return _CLASSES[head](Span(file, value[1], value[2]), *[_decode(v, file) for v in value[3:]])
