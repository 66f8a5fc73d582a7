"""Importers convert the exports of other programs into records.

The names exported here are the interface for importers in other packages, described in `docs/importers.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pwtool.records.importers.foreign import Locate, Part, Problems
from pwtool.records.importers.installed import Importer, find_importer, importer_names
from pwtool.text import Result
from pwtool.text.source import SourceFile

__all__ = [
    "Importer",
    "Locate",
    "Part",
    "Problems",
    "Result",
    "SourceFile",
    "find_importer",
    "importer_names",
    "recognise",
]

# Top-level keys that every export of a program has, and none of our records. Only for importers that come with pwtool:
# this is used whenever a file is not a record, and other packages should not be searched then.
_SIGNS: Mapping[str, frozenset[str]] = MappingProxyType({"gamepark": frozenset(("moves", "setup"))})


def recognise(data: object) -> str | None:
    """The importer for an export that looks like one of its program; only importing it shows whether it really is one."""
    keys = data.keys() if isinstance(data, dict) else frozenset[str]()
    return next((name for name, signs in _SIGNS.items() if signs <= keys), None)
