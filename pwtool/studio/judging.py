"""A recorded game that somebody pastes, judged by the rules as they stand in the editor."""

from __future__ import annotations

from typing import Any

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.lsp.model.records import Records
from pwtool.records.file_names import NOTATION
from pwtool.records.inputs import Text
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.refusing import Refused
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.why.voice import Voice

MAX_GAME = 400_000
"""The most characters of a game; a long one has a tenth of them."""


def judge_game(asked: DocumentContext, records: Records, text: str, voice: Voice) -> dict[str, Any]:
    """The verdict on a game in JSON or in notation, and what is wrong with it: what follows from something else last."""
    if len(text) > MAX_GAME:
        raise Refused(Told("this game is too long"))
    if asked.analysis.ruleset is None:
        raise Refused(Told("fix the mistakes in the rules first"))
    name = "game.json" if text.lstrip().startswith("{") else f"game{NOTATION}"
    loaded = load_document(Text(name, name, text.encode("utf-8", "surrogatepass")).document())
    try:
        result = (
            loaded
            if isinstance(loaded, FileResult)
            else check_loaded(loaded, records.ruleset_store(), asked.analysis.target.address, voice.language)
        )
    except ImportError as error:
        # The playground does without the packages that explain what is wrong with the form of a record.
        raise Refused(
            Told("this is not a game in the form that pwtool reads"),
            Told("{command} says where", command="`pwtool check`"),
        ) from error
    found = sorted(result.within(voice).diagnostics, key=lambda diagnostic: diagnostic.follows)
    return {"verdict": result.verdict.value, "findings": [_finding(diagnostic) for diagnostic in found]}


def _finding(found: Diagnostic) -> dict[str, Any]:
    line = found.span.line if found.span is not None else None
    return {
        "where": found.where, "text": found.message, "rule": found.rule, "help": found.help, "line": line, "follows": found.follows,
    }  # fmt: skip
