"""Whether a game that is written in the format of another program can be read by those who have nothing but the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwtool.checking.documents import choose_rulebook, decode_loaded, imported
from pwtool.checking.report import FileResult
from pwtool.records.importers.formats import GameText
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import Severity

__all__ = ["why_unread"]


def why_unread(record: Mapping[str, Any], notes: GameText, form: str, ruleset_store: RulesetStore) -> str | None:
    """Why nobody could judge a game of which this is read, by the rules that it states itself; None if it can be judged."""
    document = Document(notes.file.name, notes.file, form=form)
    chosen = choose_rulebook(imported(document, notes.file, dict(record), notes), ruleset_store, None)
    found = chosen if isinstance(chosen, FileResult) else decode_loaded(chosen[0], chosen[1])
    if not isinstance(found, FileResult):
        return None
    return next(d.message for d in found.diagnostics if d.level is Severity.ERROR)
