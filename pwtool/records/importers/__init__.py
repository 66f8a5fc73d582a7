"""Importers read the formats of other programs.

The names exported here are the interface for importers in other packages, described in `docs/importers.md`.
"""

from pwtool.records.importers.formats import Draft, Format, GameText, JsonFormat, NoForm, ToldResult
from pwtool.records.importers.json_exports import Part
from pwtool.text.source import SourceFile

__all__ = ["Draft", "Format", "GameText", "JsonFormat", "NoForm", "Part", "SourceFile", "ToldResult"]
