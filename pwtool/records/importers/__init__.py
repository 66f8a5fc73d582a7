"""Importers: what turns the exports of other implementations into our records.

A name leads to a function that is imported only when it is asked for, so a run pays for no importer it does not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from pwtool.records.importers.foreign import Locate
from pwtool.text import Result
from pwtool.text.source import SourceFile

__all__ = ["IMPORTERS", "Importer", "Locate", "find_importer", "recognise"]


class Importer(Protocol):
    """Turns parsed JSON of `file` into one of our records, or into findings (PW704) that say why it cannot."""

    def __call__(self, data: object, file: SourceFile, locate: Locate | None = None) -> Result[dict[str, object]]: ...


def _gamepark() -> Importer:
    from pwtool.records.importers.gamepark import import_gamepark

    return import_gamepark


IMPORTERS: Mapping[str, Callable[[], Importer]] = MappingProxyType({"gamepark": _gamepark})

# What every export of an implementation has at its top, and no record of ours.
_SIGNS: Mapping[str, frozenset[str]] = MappingProxyType({"gamepark": frozenset(("moves", "setup"))})


def find_importer(name: str) -> Importer | None:
    """The importer of this name; None when there is none (`IMPORTERS` lists the names)."""
    load = IMPORTERS.get(name)
    return load() if load is not None else None


def recognise(data: object) -> str | None:
    """The importer for an export that looks like one of its implementation; whether it is one, only importing it tells."""
    keys = data.keys() if isinstance(data, dict) else frozenset[str]()
    return next((name for name, signs in _SIGNS.items() if signs <= keys), None)
