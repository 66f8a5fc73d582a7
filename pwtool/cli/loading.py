"""The document that a command is about: its record or position, and the ruleset to judge it by."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.cli.common import fail, stop
from pwtool.play.record import Record
from pwtool.records.inputs import Document, read_documents
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.records.states import StateFile


def load_one(file: str, ruleset_store: RulesetStore, address: str | None) -> tuple[Loaded, Rulebook]:
    """The only document of a file and the ruleset to judge it by; stops the command if there is none."""
    documents = list(islice((one for one in read_documents(file) if not one.is_note), 2))
    if len(documents) > 1:
        fail(
            Told("`{file}` contains several games, but this command shows one", file=file),
            Told("name the line of the one you want: `{file}:1`", file=file),
        )
    return load(documents[0], ruleset_store, address)


def load(document: Document, ruleset_store: RulesetStore, address: str | None) -> tuple[Loaded, Rulebook]:
    """A document and the ruleset to judge it by; stops the command if there is none."""
    loaded = load_document(document)
    if isinstance(loaded, FileResult):
        stop(loaded.diagnostics)
    chosen = choose_rulebook(loaded, ruleset_store, address)
    if isinstance(chosen, FileResult):
        stop(chosen.diagnostics)
    return chosen[0], chosen[1]


def load_record(loaded: Loaded, book: Rulebook) -> Record:
    """The record of a document; stops the command if its form is wrong or it is a position."""
    if loaded.is_state:
        fail(
            Told("this is a position, but a recorded game is needed"),
            Told("`pwtool check` and `pwtool score` accept positions"),
        )
    record = decode_loaded(loaded, book)
    if isinstance(record, FileResult):
        stop(record.diagnostics)
    return record


def load_state(loaded: Loaded, book: Rulebook) -> StateFile:
    """The position of a document; stops the command if its form is wrong."""
    from pwtool.records.json_form import Malformed
    from pwtool.records.states import decode_state

    try:
        return decode_state(book.decoder, loaded.data)
    except Malformed as malformed:
        # Explaining the error takes the schema, which is only loaded for that.
        from pwtool.records.validation import diagnose

        stop(diagnose(book.decoder, loaded.data, malformed, loaded.locate, True))
