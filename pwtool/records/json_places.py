"""The places of values in a JSON text.

Only the lists and objects on the way to a requested place are parsed; everything else is skipped, so finding a place
costs no more than reading the text did.
"""

from __future__ import annotations

import json
import re
from collections.abc import MutableSequence, Sequence

from pwtool.records.json_text import STRING, skip_space
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span

_SCALAR = regex(r'[^\s,:"\[\]{}]++')
_TEXT = r'"(?:[^"\\]++|\\.)*+"'
_INNERMOST = rf'[\[{{](?:[^"\[\]{{}}]++|{_TEXT})*+[\]}}]'
"""A list or an object without inner ones."""
_DECODER = json.JSONDecoder(strict=False)
_STEP = regex(rf"{_TEXT}|{_INNERMOST}|[\[\]{{}}]", re.DOTALL)


class JsonMap:
    """The places of the values in a JSON text; parts already scanned are kept for later lookups."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._lists: dict[int, MutableSequence[int]] = {}
        self._objects: dict[int, dict[str, int]] = {}
        self._ends: dict[int, int | None] = {}

    def span(self, path: Sequence[str | int]) -> Span:
        """The place of the value at a path; if there is none, that of the innermost value on the way to it."""
        start = skip_space(self.file.text, 0)
        for key in path:
            inner = self._member(start, key)
            if inner is None:
                break
            start = inner
        end = self._end(start)
        return Span(self.file, 0, min(1, len(self.file.text))) if end is None else Span(self.file, start, end)

    def _member(self, at: int, key: str | int) -> int | None:
        """Where a member of the list or object at `at` starts."""
        if type(key) is int:
            starts = self._list(at)
            return starts[key] if 0 <= key < len(starts) else None
        found = self._object(at).get(key) if type(key) is str else None
        return None if found is None else self._behind_key(found)

    def _behind_key(self, at: int) -> int | None:
        """Where the value starts that belongs to the key at `at`."""
        match = STRING.match(self.file.text, at)
        colon = skip_space(self.file.text, match.end()) if match else at
        return skip_space(self.file.text, colon + 1) if self.file.text[colon : colon + 1] == ":" else None

    def _list(self, at: int) -> MutableSequence[int]:
        """Where the elements of the list at `at` start; none if there is no list."""
        starts = self._lists.get(at)
        if starts is None:
            from array import array

            starts = self._lists[at] = array("q")
            start = self._entered(at, "[")
            while start is not None and (end := _end_of(self.file.text, start)) is not None:
                starts.append(start)
                start = self._next(end)
        return starts

    def _object(self, at: int) -> dict[str, int]:
        """Where the keys of the object at `at` start; none if there is no object."""
        keys = self._objects.get(at)
        if keys is None:
            keys = self._objects[at] = {}
            text = self.file.text
            key = self._entered(at, "{")
            while key is not None and (match := STRING.match(text, key)) is not None:
                start = self._behind_key(key)
                end = None if start is None else _end_of(text, start)
                if end is None:
                    break
                keys[json.loads(match.group())] = key
                key = self._next(end)
        return keys

    def _entered(self, at: int, bracket: str) -> int | None:
        text = self.file.text
        return skip_space(text, at + 1) if text[at : at + 1] == bracket else None

    def _next(self, end: int) -> int | None:
        """Where the member starts that follows one ending at `end`."""
        text = self.file.text
        comma = skip_space(text, end)
        return skip_space(text, comma + 1) if text[comma : comma + 1] == "," else None

    def _end(self, start: int) -> int | None:
        if start not in self._ends:
            self._ends[start] = _end_of(self.file.text, start)
        return self._ends[start]


def _end_of(text: str, start: int) -> int | None:
    """Where the value that starts here ends; None if it does not end."""
    if text[start : start + 1] not in ("[", "{"):
        match = STRING.match(text, start) or _SCALAR.match(text, start)
        return match.end() if match else None
    try:
        # The reader in C; what it refuses is gone through all the same.
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        pass
    depth = 0
    for step in _STEP.finditer(text, start):
        if step.end() - step.start() == 1:
            depth += 1 if step.group() in "[{" else -1
        if depth == 0:
            return step.end()
    return None
