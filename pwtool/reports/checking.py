"""Checking documents: which form, which ruleset, what the engine finds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pwtool.diagnostics import Diagnostic, Severity
from pwtool.engine.position import check_position
from pwtool.engine.record import Record
from pwtool.engine.replay import Replay, replay_record
from pwtool.formats.decoding import Malformed
from pwtool.formats.inputs import Document
from pwtool.formats.json_text import JsonMap, load_json
from pwtool.formats.shelf import Rulebook, Shelf
from pwtool.formats.states import decode_state
from pwtool.formats.words import FORMAT, STATE_FORMAT
from pwtool.reports.report import FileResult, Verdict
from pwtool.source import SourceFile


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document read: its source, its JSON, whether it is a state."""

    document: Document
    source: SourceFile
    data: Any

    @property
    def is_state(self) -> bool:
        return isinstance(self.data, dict) and self.data.get("format") == STATE_FORMAT

    def named_ruleset(self) -> str | None:
        """The ruleset that the document itself names."""
        address = self.data.get("ruleset") if isinstance(self.data, dict) else None
        return address if isinstance(address, str) else None


def unreadable(name: str, diagnostics: tuple[Diagnostic, ...], ruleset: str | None = None) -> FileResult:
    return FileResult(name, ruleset, Verdict.UNREADABLE, diagnostics)


def load_document(document: Document) -> Loaded | FileResult:
    """The JSON of a document, or why there is none."""
    if document.source is None:
        return unreadable(document.name, document.diagnostics)
    result = load_json(document.source)
    if result.value is None:
        return unreadable(document.name, result.diagnostics)
    return Loaded(document, document.source, result.value)


def choose_rulebook(loaded: Loaded, shelf: Shelf, address: str | None) -> tuple[Rulebook, str] | FileResult:
    """The ruleset to judge by: the one given, else the one that the document names."""
    wanted = address or loaded.named_ruleset()
    name = loaded.document.name
    if wanted is None:
        if not isinstance(loaded.data, dict) or loaded.data.get("format") not in (FORMAT, STATE_FORMAT):
            return unreadable(name, (_no_form(loaded),))
        span = JsonMap(loaded.source).span(())
        message = "the record names no ruleset"
        diagnostic = Diagnostic(
            "PW706", message, replace(span, end=span.start + 1), help="give one with --rules, `pwtool rules` lists all"
        )
        return unreadable(name, (diagnostic,))
    result = shelf.get(wanted)
    if result.value is None:
        diagnostics = result.diagnostics
        if address is None:
            span = JsonMap(loaded.source).span(("ruleset",))
            diagnostics = tuple(replace(d, span=span) if d.span is None else d for d in diagnostics)
        return unreadable(name, diagnostics, wanted)
    return result.value, wanted


def _no_form(loaded: Loaded) -> Diagnostic:
    span = JsonMap(loaded.source).span(("format",))
    hint = 'a record says `"format": "pwtool/1"`'
    if isinstance(loaded.data, dict) and "moves" in loaded.data and "setup" in loaded.data:
        hint = "this looks like a foreign record: `pwtool import` turns it into one of ours"
    return Diagnostic(
        "PW702", "this is neither a record nor a state", replace(span, end=min(span.end, span.start + 1)), help=hint
    )


def decode_loaded(loaded: Loaded, book: Rulebook) -> Record | FileResult:
    """The record in the engine's form, or everything that is wrong with its form."""
    try:
        return book.decoder.record(loaded.data)
    except Malformed as malformed:
        return _malformed(loaded, book, malformed)


def _malformed(loaded: Loaded, book: Rulebook, malformed: Malformed) -> FileResult:
    from pwtool.formats.validation import diagnose

    locate = JsonMap(loaded.source).span
    found = diagnose(book.decoder, loaded.data, malformed, locate, loaded.is_state)
    return unreadable(loaded.document.name, tuple(found), book.game.ruleset.address)


def check_loaded(loaded: Loaded, shelf: Shelf, address: str | None, language: str) -> FileResult:
    """Check a document against one ruleset."""
    chosen = choose_rulebook(loaded, shelf, address)
    if isinstance(chosen, FileResult):
        return chosen
    book, wanted = chosen
    if loaded.is_state:
        return _check_state(loaded, book, wanted, language, address is None)
    record = decode_loaded(loaded, book)
    if isinstance(record, FileResult):
        return record
    replay = replay_record(book.game, record, book.legal)
    changed = _version_changed(loaded, record.version, book) if address is None else ()
    if replay.clean and not changed:
        return FileResult(loaded.document.name, wanted, Verdict.CLEAN, (), summarize(book, replay))
    from pwtool.engine.repair import mark_followers
    from pwtool.reports.findings import Place, to_diagnostics

    repairs = mark_followers(book.game, replay, book.legal)
    place = Place(loaded.document.name, JsonMap(loaded.source).span, record.players, loaded.document.command)
    diagnostics = (*changed, *to_diagnostics(book, replay.findings, place, language, repairs))
    return FileResult(loaded.document.name, wanted, verdict_of(diagnostics), diagnostics, summarize(book, replay))


def _version_changed(loaded: Loaded, version: str | None, book: Rulebook) -> tuple[Diagnostic, ...]:
    now = book.game.ruleset.version
    if version is None or version == now:
        return ()
    message = f"the record was made for version {version} of `{book.game.ruleset.address}`, here is {now}"
    help_line = (
        f"judge it by today's rules with --rules {book.game.ruleset.address}, or note the new version in the record"
    )
    return (Diagnostic("PW613", message, JsonMap(loaded.source).span(("version",)), help=help_line),)


def _check_state(loaded: Loaded, book: Rulebook, wanted: str, language: str, own_ruleset: bool) -> FileResult:
    try:
        state = decode_state(book.decoder, loaded.data)
    except Malformed as malformed:
        return _malformed(loaded, book, malformed)
    findings = check_position(book.game, state.state, state.names, state.missing)
    changed = _version_changed(loaded, state.version, book) if own_ruleset else ()
    name = loaded.document.name
    if not findings and not changed:
        return FileResult(name, wanted, Verdict.CLEAN, (), ("position",))
    from pwtool.reports.findings import Place, to_diagnostics

    place = Place(name, JsonMap(loaded.source).span, state.names, loaded.document.command)
    diagnostics = (*changed, *to_diagnostics(book, findings, place, language))
    return FileResult(name, wanted, verdict_of(diagnostics), diagnostics, ("position",))


def verdict_of(diagnostics: tuple[Diagnostic, ...]) -> Verdict:
    """The verdict that findings add up to; warnings alone leave a record clean."""
    levels = {d.level for d in diagnostics}
    if Severity.ERROR in levels:
        return Verdict.FINDINGS
    return Verdict.UNDETERMINED if Severity.UNDETERMINED in levels else Verdict.CLEAN


def summarize(book: Rulebook, replay: Replay) -> tuple[str, ...]:
    """A record in a few words: turns, actions, how it ended."""
    turns, actions = len(replay.record.turns), replay.actions
    cycle = book.game.ruleset.cycle
    words = [f"{turns} {cycle}{'s' * (turns != 1)}, {actions} action{'s' * (actions != 1)}"]
    result = replay.result
    if replay.play.over and result is not None and result.ranking:
        winners = " and ".join(replay.record.players[p] for p in result.ranking[0])
        if result.replayed:
            words.append(f"a full tie between {winners}, to be played again")
        else:
            words.append(f"won by {winners} with {result.totals[result.ranking[0][0]]}")
    elif not replay.play.over:
        words.append("not finished")
    return tuple(words)
