"""What callers hand in: paths, texts, dictionaries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pwtool.records.inputs import NOTATION, Document, Text, find_paths, read_texts

RECORD = "<record>"
Source = str | bytes | os.PathLike[str] | Mapping[str, Any]
"""A record or position: the path of a file, its text (JSON, or a game in notation), or the JSON as a dictionary."""


def read_one(source: Source) -> Document:
    """The one document of a source; raises `ValueError` for an archive or a folder."""
    texts = list(_first_two(_texts(source)))
    if len(texts) != 1:
        raise ValueError(f"{os.fspath(source)!r} is not one game, check_many() takes archives and folders")  # type: ignore[arg-type]
    return texts[0].document() if isinstance(texts[0], Text) else texts[0]


def read_many(sources: Source | Iterable[Source]) -> Iterator[Text | Document]:
    """All documents: archives line by line, folders file by file."""
    if isinstance(sources, str | bytes | os.PathLike | Mapping):
        sources = [sources]
    for number, source in enumerate(sources, 1):
        yield from _texts(source, f"<record {number}>")


def _texts(source: Source, name: str = RECORD) -> Iterator[Text | Document]:
    if isinstance(source, Mapping):
        yield Text(name, name, json.dumps(source).encode(), command=name)
    elif isinstance(source, bytes):
        yield Text(name, name, source, command=name)
    elif isinstance(source, str) and (not source.strip() or source.lstrip().startswith("{")):
        yield Text(name, name, source.encode("utf-8", "surrogatepass"), command=name)
    elif isinstance(source, str) and "\n" in source:
        yield Text(name + NOTATION, name, source.encode("utf-8", "surrogatepass"), command=name)
    else:
        paths, problems = find_paths([os.fspath(source)])
        for problem in problems:
            yield Document(problem.file or name, None, (problem,))
        for path in paths:
            yield from read_texts(path)


def _first_two(texts: Iterator[Text | Document]) -> Iterator[Text | Document]:
    for text, _ in zip(texts, range(2), strict=False):
        yield text
