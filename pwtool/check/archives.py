"""Checking many documents: kernels judge what they can, the engine the rest and whatever has to be explained.

A clean verdict of a kernel is final; what it refuses, and what is not its own (unseen things, notation, foreign
forms), the engine judges. Results come in the order of the documents.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pwtool.check.documents import check_loaded, count_played, load_document, tell_winners
from pwtool.check.report import FileResult, Verdict
from pwtool.ir.model import Ruleset
from pwtool.kernel import run
from pwtool.kernel.module import Uncompilable, compile_kernel
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED, Instance, Reply
from pwtool.records.inputs import NOTATION, Document, Text, read_texts
from pwtool.records.shelf import Shelf
from pwtool.text import Diagnostic, Severity

MIN_GAMES = 20
"""From so many games of a ruleset on its kernel is worth its making."""
BATCH = 96
MAX_BATCH = 4 << 20
"""How many documents, and bytes, go to kernels in one call."""
_RULESET = re.compile(rb'"ruleset"\s*:\s*"([^"\\]{1,200})"')


@dataclass(slots=True)
class Kernels:
    """The kernels of rulesets; each is made when enough games have asked for it."""

    shelf: Shelf
    _asked: Counter[str] = field(default_factory=Counter)
    _made: dict[str, Instance | None] = field(default_factory=dict)

    def get(self, address: str, games: int) -> Instance | None:
        """The kernel that judges so many more games of a ruleset; None where it has none, or few games."""
        self._asked[address] += games
        if self._asked[address] < MIN_GAMES:
            return None
        if address not in self._made:
            book = self.shelf.get(address).value
            self._made[address] = None if book is None else _make(book.game.ruleset)
        return self._made[address]

    def drop(self, address: str) -> None:
        """A kernel that failed is not asked again."""
        self._made[address] = None


def _make(ruleset: Ruleset) -> Instance | None:
    try:
        return run.Runner(compile_kernel(ruleset)).instance()
    except Uncompilable:
        return None


@dataclass(slots=True)
class Checker:
    """Checks documents under the rulesets at `addresses` (none: under the one that each names). `kernel`: whether kernels
    may judge; `audit`: the share (0 to 1) of what they judged that the engine judges again; `summaries`: whether anybody
    reads the summary of a clean game of an archive.
    """

    shelf: Shelf
    addresses: list[str]
    language: str = "en"
    kernel: bool = True
    audit: float = 0.0
    summaries: bool = True

    def check(self, paths: Iterable[str]) -> Iterator[FileResult]:
        """The results for all documents of these files, for each document in the order of the addresses."""
        kernels = Kernels(self.shelf) if self.kernel and run.is_installed() else None
        begun = False
        for batch in _batches(text for path in paths for text in read_texts(path)):
            begun = begun or len(batch) >= MIN_GAMES
            judged = self._judge(batch, kernels) if kernels is not None and begun else [{} for _ in batch]
            for text, known in zip(batch, judged, strict=True):
                yield from self._results(text, known)

    def _judge(self, batch: list[Text | Document], kernels: Kernels) -> list[dict[str | None, Reply]]:
        """What kernels say of the documents of a batch, by the address under which they were judged."""
        judged: list[dict[str | None, Reply]] = [{} for _ in batch]
        for address in self.addresses or (None,):
            groups: dict[str, list[int]] = {}
            for at, text in enumerate(batch):
                wanted = address or _named_ruleset(text)
                if wanted is not None and isinstance(text, Text) and _may_be_record(text):
                    groups.setdefault(wanted, []).append(at)
            for wanted, places in groups.items():
                instance = kernels.get(wanted, len(places))
                if instance is None:
                    continue
                texts = [text.data for at in places if isinstance(text := batch[at], Text)]
                try:
                    answers = instance.check(texts, own=address is None)
                except run.failures():
                    kernels.drop(wanted)
                    continue
                for at, verdict, number in zip(
                    places, answers.column(answers.kernel.answer.VERDICT), range(len(places)), strict=True
                ):
                    if verdict != NOT_MINE:
                        judged[at][address] = answers[number]
        return judged

    def _results(self, text: Text | Document, known: dict[str | None, Reply]) -> Iterator[FileResult]:
        loaded = None
        for address in self.addresses or (None,):
            reply = known.get(address)
            if reply is not None and reply.verdict == CLEAN and not self._is_audited():
                assert isinstance(text, Text)
                yield self._clean(text, address, reply)
                continue
            if loaded is None:
                loaded = load_document(text.document() if isinstance(text, Text) else text)
            if isinstance(loaded, FileResult):
                yield _compared(loaded, reply, text) if reply is not None and isinstance(text, Text) else loaded
                return
            result = check_loaded(loaded, self.shelf, address, self.language)
            if reply is not None and isinstance(text, Text):
                result = _compared(result, reply, text)
            yield result

    def _is_audited(self) -> bool:
        return self.audit > 0 and random.random() < self.audit

    def _clean(self, text: Text, address: str | None, reply: Reply) -> FileResult:
        wanted = address or reply.kernel.address
        told = self.summaries or text.name == text.file
        return FileResult(text.name, wanted, Verdict.CLEAN, (), self._summary(text, wanted, reply) if told else ())

    def _summary(self, text: Text, address: str, reply: Reply) -> tuple[str, ...]:
        book = self.shelf.get(address).value
        assert book is not None
        ruleset = book.game.ruleset
        played = count_played(ruleset, reply.turns, reply.actions)
        if not reply.over:
            return (played, "not finished")
        start, end = reply.names
        names, first = json.loads(text.data[start:end]), reply.ranking[0]
        return (played, tell_winners(ruleset, [names[seat] for seat in first], reply.totals[first[0]]))


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


def _named_ruleset(text: Text | Document) -> str | None:
    """The ruleset that a record seems to name; its kernel makes sure that it does."""
    found = _RULESET.search(text.data) if isinstance(text, Text) else None
    try:
        return found.group(1).decode() if found else None
    except UnicodeDecodeError:
        return None


def _may_be_record(text: Text) -> bool:
    return not text.name.endswith(NOTATION) and len(text.data) <= text.limit


def _compared(result: FileResult, reply: Reply, text: Text) -> FileResult:
    """The engine's result, with an internal error where the kernel said otherwise; the game is kept then."""
    first = next((d for d in result.diagnostics if d.level is Severity.ERROR), None)
    said = "clean"
    same = reply.verdict == CLEAN and first is None
    if reply.verdict == REFUSED:
        said = f"{reply.code} {reply.rule}" + (f" in turn {reply.turn}" if reply.turn else "")
        path = first.data["path"] if first is not None else []
        action = path[3] if isinstance(path, list) and path[2:3] == ["actions"] else None
        same = first is not None and (first.code, first.rule or "", first.turn) == (reply.code, reply.rule, reply.turn)
        same = same and action == reply.action
    if same:
        return result
    with tempfile.NamedTemporaryFile("wb", prefix="pwtool-disagreement-", suffix=".json", delete=False) as kept:
        kept.write(text.data)
    message = f"the kernel and the engine disagree: the kernel says {said}"
    found = Diagnostic("PW901", message, file=text.name, help=f"the game is kept in {kept.name}, please report it")
    return replace(result, diagnostics=(*result.diagnostics, found))
