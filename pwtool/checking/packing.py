"""Packing records: which ones can be packed, and which are kept as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from time import monotonic

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.documents import choose_rulebook, load_document
from pwtool.checking.pieces import Piece
from pwtool.checking.report import FileResult
from pwtool.checking.workers import WORTH
from pwtool.records.inputs import Document, Text
from pwtool.records.json_form import Malformed
from pwtool.records.ruleset_store import RulesetStore
from pwtool.records.tables.compact import Unpackable
from pwtool.records.tables.rows import Row, row_of
from pwtool.records.tables.vocabulary import Vocabulary, vocabulary_of
from pwtool.text import Diagnostic, Severity
from pwtool.text.processes import in_processes
from pwtool.text.terminal import dump_json


class Rows(Struct):
    """The rows of a piece, the vocabularies that they refer to by number, what could not be read at all, how many documents
    that were (`unread`), and what games in foreign formats have that records have no place for.
    """

    rows: list[Row] = field(default_factory=list)
    vocabularies: list[Vocabulary] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    unread: int = 0
    size: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


class Packer(Struct):
    """Packs documents; those that name no ruleset use the one at `address`."""

    ruleset_store: RulesetStore
    address: str | None = None
    _words: dict[tuple[str, bool], Vocabulary] = field(default_factory=dict)

    def pack(self, piece: Piece) -> Rows:
        """The rows of a piece."""
        made = Rows(size=piece.size)
        for text in piece.unpacked():
            self._add(text, made)
        return made

    def _add(self, text: Text | Document, made: Rows) -> None:
        document = text.document() if isinstance(text, Text) else text
        found = self._packed(document, made)
        if isinstance(found, Row):
            made.rows.append(found)
        elif isinstance(text, Text) and not document.is_notation and document.form is None:
            made.rows.append(Row(text=text.data.rstrip(b"\r\n")))
        else:
            made.problems += found
            # Files that are left out are a warning alone.
            made.unread += any(d.level is not Severity.WARNING for d in found)

    def _packed(self, document: Document, made: Rows) -> Row | tuple[Diagnostic, ...]:
        loaded = load_document(document)
        if isinstance(loaded, FileResult):
            return loaded.diagnostics
        named = loaded.named_ruleset()
        chosen = choose_rulebook(
            loaded,
            self.ruleset_store,
            None if named is not None and self.ruleset_store.get(named).value else self.address,
        )
        if isinstance(chosen, FileResult):
            return chosen.diagnostics
        loaded, book, address = chosen
        made.left_out.update(loaded.left_out)
        try:
            if loaded.is_state:
                raise Unpackable
            record = book.decoder.record(loaded.data)
            key = address, record.start is not None
            if key not in self._words:
                self._words[key] = vocabulary_of(book.game.ruleset, positions=record.start is not None)
            words = self._words[key]
            number = made.vocabularies.index(words) if words in made.vocabularies else len(made.vocabularies)
            row = row_of(loaded.data, record, words, number)
        except (Malformed, Unpackable):
            # For handwritten and foreign forms the data is as good as the text.
            return Row(text=dump_json(loaded.data).encode()) if loaded.document.is_notation or document.form else ()
        if number == len(made.vocabularies):
            made.vocabularies.append(words)
        return row


def pack_all(pieces: Iterable[Piece], packer: Packer, jobs: int) -> Iterator[Rows]:
    """Pack pieces in this many processes once there is enough work for them; rows come in the order of the pieces."""
    pieces = iter(pieces)
    begun = monotonic()
    while (jobs == 1 or monotonic() < begun + WORTH) and (piece := next(pieces, None)) is not None:
        yield packer.pack(piece)
    following = next(pieces, None)
    if following is not None:
        given = replace(packer, ruleset_store=packer.ruleset_store.in_a_worker(), _words={})
        for _, rows in in_processes(chain([following], pieces), jobs, _packing, given, packer.pack):
            yield rows


def _packing(packer: Packer) -> Callable[[Piece], Rows]:
    """The function that a worker applies to a piece."""
    return partial(_pack, packer=packer)


def _pack(piece: Piece, packer: Packer) -> Rows:
    return packer.pack(piece)
