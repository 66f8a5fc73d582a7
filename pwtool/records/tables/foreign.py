"""Tables of other programs: a column with the texts of records, or records in columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pwtool.records.inputs import MAX_FILE, Document, Text
from pwtool.records.tables.bounds import Malformed, TooLarge, check_value
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.text.terminal import dump_json
from pwtool.text.words import quoted

NAMES = ("record", "text", "json", "game", "data")
"""Possible names of a column of records."""
KEYS = ("format", "turns")
"""Columns that show that a row is a record."""


class NoRecords(Exception):
    """A table without known records; the argument says why."""


def column_of(schema: Any) -> str | None:
    """The column of records; None if each row is one. Raises `NoRecords`."""

    names = [name for name in NAMES if name in schema.names]
    usable = _usable(schema)
    if usable:
        return usable[0]
    if all(key in schema.names for key in KEYS):
        return None
    if names:
        kind = schema.field(names[0]).type
        raise NoRecords(
            Told(
                "the column {name} has the type {type}: texts (`string`, `binary`) and records (`struct`) are read",
                name=quoted(names[:1]),
                type=f"`{kind}`",
            )
        )
    raise NoRecords(
        Told(
            "no column contains records; it would be called {names}, or there would be those of a record ({keys})",
            names=quoted(NAMES),
            keys=quoted(KEYS),
        )
    )


def _usable(schema: Any) -> list[str]:
    """The columns that may hold records, the likeliest first."""
    import pyarrow as pa

    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    found = []
    for name in (name for name in NAMES if name in schema.names):
        kind = schema.field(name).type
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        if pa.types.is_struct(kind) or any(test(inner) for test in tests):
            found.append(name)
    return found


def rows_of(batch: Any, file: str, before: int) -> Iterator[Text | Document]:
    """The records of a batch that follows this many rows."""
    import pyarrow as pa

    name = column_of(batch.schema)
    column = batch.to_struct_array() if name is None else batch.column(batch.schema.names.index(name))
    structured = pa.types.is_struct(column.type)
    others = {} if name is None else {other: batch.column(other) for other in _usable(batch.schema) if other != name}
    for at in range(len(column)):
        line = before + at + 1
        called = f"{file}:{line}"
        problem = ""
        data = b""
        try:
            if not column[at].is_valid:
                problem = Told("there is no record in this row")
            elif structured:
                check_value(column, at)
                data = dump_json(_plain(column[at].as_py(maps_as_pydicts="strict"), column.type)).encode()
            else:
                data = _bytes(column[at])
        except TooLarge as error:
            problem = error.args[0]
        except (Malformed, ValueError, TypeError, KeyError, OverflowError, RecursionError, pa.ArrowException):
            problem = Told("the columns of this row are not a record")
        if problem:
            yield Document(called, None, (Diagnostic("PW703", problem, file=called),), called)
        elif b"\n" in data.rstrip():
            yield Text(called, called, data, limit=MAX_FILE, command=called)
        else:
            yield Text(called, file, data, line, MAX_FILE, called)
        for other, held in others.items():
            if _is_record(held[at]):
                message = Told(
                    "another record, in the column `{other}`, is not read: the one in `{name}` is",
                    other=other,
                    name=name,
                )
                yield Document(called, None, (Diagnostic("PW703", message, file=called),), called)


def _is_record(value: Any) -> bool:
    """Whether a value of a column beside that of the records looks like a record."""
    if not value.is_valid:
        return False
    if hasattr(value, "keys"):
        return set(KEYS) <= set(value.keys())
    start = _bytes(value)[:200].lstrip()
    return start.startswith(b"{") and b'"format"' in start


def _bytes(value: Any) -> bytes:
    inner = value.value if hasattr(value, "dictionary") else value
    return bytes(memoryview(inner.as_buffer()))


def _plain(value: Any, kind: Any) -> Any:
    """A value of a column as JSON data, without nulls, which stand for columns that only other rows have. Text of the type JSON,
    which DuckDB gives what has another form in each row, is what it says.
    """
    import pyarrow as pa

    if getattr(kind, "extension_name", "") == "arrow.json":
        return json.loads(value)
    if isinstance(value, float) and value.is_integer():
        # Whole numbers beside a row without one.
        return int(value)
    if pa.types.is_struct(kind):
        held = {name: value[name] for name in value if value[name] is not None}
        return {name: _plain(inner, kind.field(name).type) for name, inner in held.items()}
    if pa.types.is_map(kind):
        return {key: _plain(inner, kind.item_type) for key, inner in value.items() if inner is not None}
    return [_plain(inner, kind.value_type) for inner in value] if isinstance(value, list) else value
