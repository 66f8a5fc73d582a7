"""Whether a game that is written in the format of another program can be read by those who have nothing but the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwtool.checking.documents import Loaded, check_loaded, choose_rulebook, decode_loaded, imported
from pwtool.checking.report import FileResult, Verdict
from pwtool.records.importers.formats import GameText
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import Severity

__all__ = ["is_judged_alike", "why_unread"]


def _again(record: Mapping[str, Any], notes: GameText, form: str) -> Loaded:
    return imported(Document(notes.file.name, notes.file, form=form), notes.file, dict(record), notes)


def why_unread(record: Mapping[str, Any], notes: GameText, form: str, ruleset_store: RulesetStore) -> str | None:
    """Why nobody could judge a game of which this is read, by the rules that it states itself; None if it can be judged."""
    chosen = choose_rulebook(_again(record, notes, form), ruleset_store, None)
    found = chosen if isinstance(chosen, FileResult) else decode_loaded(chosen[0], chosen[1])
    if not isinstance(found, FileResult):
        return None
    return next(d.message for d in found.diagnostics if d.level is Severity.ERROR)


def is_judged_alike(
    loaded: Loaded, address: str, record: Mapping[str, Any], notes: GameText, form: str, ruleset_store: RulesetStore
) -> bool:
    """Whether a game that is read again with other turns is still the same to whoever judges it: nobody refuses either of them."""
    given = check_loaded(loaded, ruleset_store, address, "en", causes=False)
    again = check_loaded(_again(record, notes, form), ruleset_store, None, "en", causes=False)
    return given.verdict is again.verdict and given.verdict in (Verdict.CLEAN, Verdict.UNDETERMINED)
