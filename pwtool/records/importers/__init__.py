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

# What every export of a program has at its top, and no record of ours. Only of importers that come with pwtool: what a
# file looks like is asked whenever one is no record, and then no other package is looked for.
_SIGNS: Mapping[str, frozenset[str]] = MappingProxyType({"gamepark": frozenset(("moves", "setup"))})


def recognise(data: object) -> str | None:
    """The importer for an export that looks like one of its program; only importing it tells whether it really is one."""
    keys = data.keys() if isinstance(data, dict) else frozenset[str]()
    return next((name for name, signs in _SIGNS.items() if signs <= keys), None)
