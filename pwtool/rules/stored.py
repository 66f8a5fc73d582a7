"""Checked rulesets stored as data, so that the next start reads neither trees nor expressions.

An entry names the rules files that it was made from, with a hash of each: as long as they are unchanged, so is the
ruleset. It contains numbers, strings and the names of classes; reading one runs no code. The sources of a ruleset (the
trees of its layers) are only read on demand.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pwtool.ir import model, nodes
from pwtool.ir.model import Origin, Ruleset
from pwtool.ir.types import Type
from pwtool.rules.library import Library, read_rules
from pwtool.text import Result
from pwtool.text.blake2b import blake2b
from pwtool.text.source import SourceFile, Span
from pwtool.text.store import Store, fingerprint

if TYPE_CHECKING:
    from pwtool.lang.merged import Merged

_TUPLE, _LIST, _DICT, _SET, _SPAN, _TYPE, _ORIGIN = range(-7, 0)
SETTINGS = ("lang", "ir", "rules", "text")
"""The packages whose code determines a ruleset."""


def load_ruleset(address: str, library: Library, readings: tuple[str, ...] = ()) -> Result[Ruleset]:
    """The checked ruleset at an address, from the library's cache if possible."""
    if library.cache is None:
        from pwtool.rules import build

        return build.load_ruleset(address, library, readings)
    store = Store(library.cache / "rulesets")
    key = _key(address, library, readings)
    stored = store.get(key)
    found = None if stored is None else _decode(stored, address, library, readings)
    if found is not None and stored is not None:
        found.origin.stored = _name(key, stored)
        return Result(found)
    from pwtool.rules import build

    result = build.load_ruleset(address, library, readings)
    if result.value is not None and not result.diagnostics:
        encoded = _encode(result.value, library)
        if encoded is not None:
            store.put(key, encoded)
            result.value.origin.stored = _name(key, encoded)
    return result


def _name(key: str, stored: bytes) -> str:
    """The name of a stored form, which changes with the rules; its key changes with the program."""
    return key + blake2b(stored, digest_size=20).hexdigest()


def _key(address: str, library: Library, readings: tuple[str, ...]) -> str:
    asked = ascii([fingerprint(SETTINGS), address, str(library.folder), *readings])
    return blake2b(asked.encode(), digest_size=20).hexdigest()


def _classes() -> list[type[Any]]:
    """Every class in a checked ruleset."""
    found = (*vars(nodes).values(), *vars(model).values())
    return [c for c in found if isinstance(c, type) and issubclass(c, msgspec.Struct) and c not in (Type, Span)]


# ---- writing


def _encode(ruleset: Ruleset, library: Library) -> bytes | None:
    """A ruleset as bytes; None if it contains something that cannot be stored."""
    files = [(path, source) for path, source in library.opened.items()]
    writer = _Writer([source for _, source in files])
    try:
        body = writer.plain(ruleset)
        sources = [[*map(_written, (path, source.name)), _hash(source.text)] for path, source in files]
        written = {"files": sources, "names": list(writer.names), "types": writer.types, "ruleset": body}
        return msgspec.json.encode(written)
    except (TypeError, ValueError, RecursionError):
        return None


def _written(path: str) -> str:
    """The name of a file, which may have bytes that are no text."""
    return os.fsencode(path).decode("latin-1")


class _Writer:
    def __init__(self, files: list[SourceFile]) -> None:
        self.files = {id(file): number for number, file in enumerate(files)}
        self.classes = set(_classes())
        self.names: dict[str, int] = {}
        self.types: list[Any] = []
        self.known: dict[Type, int] = {}

    def plain(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is Span:
            return [_SPAN, self.files[id(value.file)], value.start, value.end]
        if kind is Type:
            return [_TYPE, self.type(value)]
        if kind is Origin:
            return [_ORIGIN]
        if kind in self.classes:
            number = self.names.setdefault(kind.__name__, len(self.names))
            parts = [self.plain(getattr(value, name)) for name in _fields(kind)]
            if issubclass(kind, nodes.Node):
                # There are many nodes: their places need no lists of their own.
                parts[-1:] = (parts[-1] or [None, None])[1:]
            return [number, *parts]
        if kind is tuple:
            return [_TUPLE, *map(self.plain, value)]
        if kind is list:
            return [_LIST, *map(self.plain, value)]
        if kind is frozenset:
            return [_SET, *map(self.plain, sorted(value))]
        if kind is dict:
            return [_DICT, *(self.plain(part) for pair in value.items() for part in pair)]
        raise TypeError(kind)

    def type(self, value: Type) -> int:
        if value not in self.known:
            plain = [self.plain(getattr(value, name)) for name in Type.__struct_fields__]
            self.known[value] = len(self.types)
            self.types.append(plain)
        return self.known[value]


def _fields(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a class in the order of its constructor; the place of a node comes last."""
    names: tuple[str, ...] = kind.__struct_fields__
    return (*(n for n in names if n != "span"), "span") if issubclass(kind, nodes.Node) else names


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


# ---- reading


def _decode(data: bytes, address: str, library: Library, readings: tuple[str, ...]) -> Ruleset | None:
    """A stored ruleset, None if its files have changed."""
    try:
        written = msgspec.json.decode(data)
        files = []
        for *names, known in written["files"]:
            path, name = (os.fsdecode(name.encode("latin-1")) for name in names)
            file = read_rules(Path(path), name)
            if not isinstance(file, SourceFile) or _hash(file.text) != known:
                return None
            files.append(file)

        def read_origin() -> Merged:
            from pwtool.rules.layers import merge_layers

            layers = library.layers(address)
            if layers.value is None:
                raise RuntimeError(f"the rules files of {address} changed while they were used")
            return merge_layers(layers.value, readings)

        found = _Reader(files, written, Origin(read=read_origin)).value(written["ruleset"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, AttributeError):
        return None
    return found if isinstance(found, Ruleset) else None


class _Reader:
    def __init__(self, files: list[SourceFile], written: dict[str, Any], origin: Origin) -> None:
        self.files, self.origin = files, origin
        by_name = {kind.__name__: kind for kind in _classes()}
        self.classes = [by_name[name] for name in written["names"]]
        self.is_node = [issubclass(kind, nodes.Node) for kind in self.classes]
        self.types: list[Type] = []
        for plain in written["types"]:
            self.types.append(Type(*map(self.value, plain)))

    def value(self, plain: Any) -> Any:
        if type(plain) is not list:
            return plain
        head = plain[0]
        if head == _SPAN:
            return Span(self.files[plain[1]], plain[2], plain[3])
        if head == _TYPE:
            return self.types[plain[1]]
        value = self.value
        parts = [value(part) if type(part) is list else part for part in plain[1:]]
        if head >= 0:
            if self.is_node[head]:
                end = parts.pop()
                if end is None:
                    return self.classes[head](*parts)
                *parts, file, start = parts
                return self.classes[head](*parts, span=Span(self.files[file], start, end))
            return self.classes[head](*parts)
        if head == _TUPLE:
            return tuple(parts)
        if head == _DICT:
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if head == _LIST:
            return parts
        return frozenset(parts) if head == _SET else self.origin
