"""Checking many documents: kernels judge what they can, the engine the rest and whatever has to be explained.

A clean verdict of a kernel is final; what it refuses, and what is not its own (unseen things, notation, foreign
forms), the engine judges. Results come in the order of the documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pwtool.checking.documents import Loaded, check_loaded, failed, load_document
from pwtool.checking.report import FileResult, Verdict
from pwtool.kernel import MIN_GAMES
from pwtool.records.inputs import NOTATION, Document, Text, read_texts
from pwtool.records.shelf import Shelf

if TYPE_CHECKING:
    from pwtool.checking.kernels import Kernels
    from pwtool.kernel.run import Reply

BATCH = 96
MAX_BATCH = 4 << 20
"""How many documents, and bytes, go to kernels in one call."""


class Checker(Struct):
    """Checks documents under the rulesets at `addresses` (none: under the one that each names). `kernel`: whether kernels
    may judge; `audit`: the share (0 to 1) of what they judged that the engine judges again; `summaries`: whether anybody
    reads the summary of a clean game of an archive; `causes`: whether it is found out what caused what.
    """

    shelf: Shelf
    addresses: list[str]
    language: str = "en"
    kernel: bool = True
    audit: float = 0.0
    summaries: bool = True
    causes: bool = True
    _kernels: Kernels | None = None

    def check(self, paths: Iterable[str]) -> Iterator[FileResult]:
        """The results for all documents of these files, for each document in the order of the addresses."""
        return self.check_texts(text for path in paths for text in read_texts(path))

    def check_texts(self, texts: Iterable[Text | Document]) -> Iterator[FileResult]:
        """The same for documents that are read already."""
        for batch in _batches(texts):
            if self._kernels is None and self.kernel and len(batch) >= MIN_GAMES:
                self._kernels = self._new_kernels()
            kernels = self._kernels
            judged = kernels.judge(batch, self.addresses or (None,)) if kernels is not None else [{} for _ in batch]
            for text, known in zip(batch, judged, strict=True):
                yield from self._results(text, known, kernels)

    def _new_kernels(self) -> Kernels | None:
        from pwtool.kernel.run import is_installed

        if not is_installed():
            self.kernel = False
            return None
        from pwtool.checking.kernels import Kernels

        return Kernels(self.shelf)

    def _results(
        self, text: Text | Document, known: dict[str | None, Reply], kernels: Kernels | None
    ) -> Iterator[FileResult]:
        loaded = None
        for address in self.addresses or (None,):
            reply = known.get(address)
            is_audited = reply is not None and self._is_audited()
            if reply is not None and reply.is_clean and not is_audited:
                assert isinstance(text, Text) and kernels is not None
                yield self._clean(text, address or reply.kernel.address, reply, kernels)
                continue
            by = _why_the_engine(text, reply) if kernels is not None else ""
            if loaded is None:
                loaded = self._loaded(text)
            if isinstance(loaded, FileResult):
                result = replace(loaded, by=by)
                yield result if reply is None else _compared(result, reply, text)
                return
            result = replace(self._checked(loaded, address), by=by)
            yield result if reply is None else _compared(result, reply, text)

    def _checked(self, loaded: Loaded, address: str | None) -> FileResult:
        """The engine's result; a mistake of this program is a finding of the document that shows it."""
        try:
            return check_loaded(loaded, self.shelf, address, self.language, self.causes)
        except Exception as error:
            if os.environ.get("PWTOOL_TRACEBACK"):
                raise
            return failed(loaded.document.name, address, error)

    def _loaded(self, text: Text | Document) -> Loaded | FileResult:
        try:
            return load_document(text.document() if isinstance(text, Text) else text)
        except Exception as error:
            if os.environ.get("PWTOOL_TRACEBACK"):
                raise
            return failed(text.name, None, error)

    def _is_audited(self) -> bool:
        if self.audit <= 0:
            return False
        import random

        return random.random() < self.audit

    def _clean(self, text: Text, address: str, reply: Reply, kernels: Kernels) -> FileResult:
        if self.summaries or text.name == text.file:
            return kernels.result(text, address, reply)
        return FileResult(text.name, address, Verdict.CLEAN, version=reply.kernel.version)


def _why_the_engine(text: Text | Document, reply: Reply | None) -> str:
    """Why a kernel's verdict does not stand alone."""
    if isinstance(text, Document):
        return "unreadable"
    if text.name.endswith(NOTATION):
        return "notation"
    if reply is None:
        return "unseen things, another form, or no kernel"
    return "audit" if reply.is_clean else "refused, to be explained"


def _compared(result: FileResult, reply: Reply, text: Text | Document) -> FileResult:
    from pwtool.checking.kernels import compared

    assert isinstance(text, Text)
    return compared(result, reply, text)


def _batches(texts: Iterable[Text | Document]) -> Iterator[list[Text | Document]]:
    batch: list[Text | Document] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text.data) if isinstance(text, Text) else 0
        if len(batch) >= BATCH or size >= MAX_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
