"""Records as callers pass them: paths, texts, bytes, dictionaries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain
from typing import Any

from pwtool.records.file_contents import format_in
from pwtool.records.file_names import NOTATION
from pwtool.records.inputs import Document, Text, find_paths, games_of, identity_of, read_texts
from pwtool.records.json_text import MAX_DEPTH, MAX_DIGITS
from pwtool.text import Diagnostic
from pwtool.text.words import shorten

RECORD = "<record>"
_MAX_PLACE = 80
_BYTE_ORDER_MARK = "\ufeff"
_TOO_LARGE: int = 10**MAX_DIGITS
_BLOBS = (str, bytes, bytearray, memoryview)
"""Sequences other than lists."""
Source = str | bytes | os.PathLike[str] | Mapping[str, Any]
"""A record or position: the path of a file, its text (JSON, a game in notation or in the format of another program), or
the JSON as a dictionary (any mapping).
"""


def read_one(source: Source) -> Document:
    """The only document of a source. Raises `ValueError` for an archive or a folder."""
    texts = list(_first_two(_texts(source)))
    if len(texts) != 1:
        named = shorten(repr(os.fspath(source)), _MAX_PLACE)  # type: ignore[arg-type]
        raise ValueError(f"{named} is not one game; check_many() takes archives and folders")
    return texts[0].document() if isinstance(texts[0], Text) else texts[0]


def read_many(sources: Source | Iterable[Source], once: bool = False) -> Iterator[Text | Document]:
    """All documents: archives line by line, folders file by file. Files that are not records by their names, and JSON of
    another kind, are left out; `once`: so are files that were named before, alone or in a folder.
    """
    if isinstance(sources, str | bytes | os.PathLike | Mapping):
        sources = [sources]
    if not isinstance(sources, Iterable):
        raise TypeError(f"records are a path or an iterable of records, not {type(sources).__name__}")
    seen: set[str] | None = set() if once else None
    for number, source in enumerate(sources, 1):
        yield from _texts(source, f"<record {number}>", seen)


def _texts(source: Source, name: str = RECORD, seen: set[str] | None = None) -> Iterator[Text | Document]:
    if isinstance(source, Mapping):
        written = _written(source, name)
        yield Document(name, None, (written,)) if isinstance(written, Diagnostic) else written
    elif isinstance(source, bytes) or (isinstance(source, str) and (_is_json(source) or "\n" in source)):
        data = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
        form = format_in(data)
        if form is not None:
            yield from games_of(BytesIO(data), name, form, name)
        elif isinstance(source, bytes) or _is_json(source):
            yield Text(name, name, data, command=name)
        else:
            yield Text(name + NOTATION, name, data, command=name)
    elif isinstance(source, str | os.PathLike):
        paths, problems = find_paths([os.fspath(source)])
        if seen is not None:
            paths = [path for path in paths if identity_of(path) not in seen]
            seen.update(map(identity_of, paths))
        wrong = (Document(problem.file or name, None, (problem,)) for problem in problems)
        found = chain(wrong, chain.from_iterable(map(read_texts, paths)))
        yield from (text for text in found if not text.is_note)
    else:
        raise TypeError(f"a record is a path, a text, bytes or a mapping, not {type(source).__name__}")


def _is_json(text: str) -> bool:
    """Whether a text is JSON rather than a path; an empty text is not a path either."""
    inner = text.removeprefix(_BYTE_ORDER_MARK).lstrip()
    return not inner or inner[0] in "{["


def _written(source: Mapping[str, Any], name: str) -> Text | Diagnostic:
    """A dictionary as JSON text, or the reason why it cannot be written."""
    try:
        return Text(name, name, json.dumps(source, default=_plain).encode(), command=name)
    except (TypeError, ValueError, RecursionError):
        found = _unwritable(source)
        if found is None:
            # Not of its values: one of its own methods raised.
            raise
    path, message, help_line = found
    place = shorten(".".join(map(str, path)), _MAX_PLACE)
    return Diagnostic("PW701", f"`{place}`: {message}", file=name, help=help_line, data={"path": list(path)})


def _plain(value: Any) -> Any:
    """Convert mappings and sequences that `json` does not know."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, _BLOBS):
        return list(value)
    raise TypeError


def _unwritable(source: Mapping[str, Any]) -> tuple[tuple[str | int, ...], str, str | None] | None:
    """The first value that JSON does not have: its place, the problem and a suggestion. A value that contains itself
    counts as nested too deeply.
    """
    open_values: list[tuple[tuple[str | int, ...], Any]] = [((), source)]
    while open_values:
        path, value = open_values.pop()
        inner: list[tuple[Any, Any]] = []
        if isinstance(value, Mapping):
            inner = list(value.items())
        elif isinstance(value, Sequence) and not isinstance(value, _BLOBS):
            inner = list(enumerate(value))
        elif isinstance(value, int):
            if _is_large(value):
                return path, "the number is too large", None
        elif value is not None and not isinstance(value, str | float):
            message = f"JSON has no value of the type `{type(value).__name__}`"
            return path, message, "it has dictionaries, lists, texts, numbers, True, False and None"
        if inner and len(path) >= MAX_DEPTH:
            return path, f"nested more than {MAX_DEPTH} levels deep", None
        for key, _ in inner:
            if isinstance(key, int) and _is_large(key):
                return path, "a key is too large a number", "keys are texts"
            if key is not None and not isinstance(key, str | int | float):
                return path, f"a key is of the type `{type(key).__name__}`", "keys are texts"
        open_values += [((*path, key if isinstance(key, int) else str(key)), part) for key, part in reversed(inner)]
    return None


def _is_large(number: int) -> bool:
    return abs(number) >= _TOO_LARGE


def _first_two(texts: Iterator[Text | Document]) -> Iterator[Text | Document]:
    for text, _ in zip(texts, range(2), strict=False):
        yield text
