"""Checking many documents: kernels judge what they can; the engine judges the rest and everything that needs an
explanation.

A verdict of a kernel is final, except for a few that the engine judges again; if it contradicts a clean one, it judges
all further games of that ruleset again. Games that are to be explained, and those that a kernel cannot read (unseen
things, notation, foreign forms), go to the engine. Results come in the order of the documents.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Union

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.documents import (
    Loaded,
    as_agreed,
    check_loaded,
    choose_rulebook,
    failed,
    load_document,
    load_draft,
    stated_otherwise,
    with_notes,
)
from pwtool.checking.explaining import Asked, Budget, Refusal, in_short
from pwtool.checking.pieces import BATCH, batches
from pwtool.checking.report import FileResult, Played, Verdict
from pwtool.kernel import MIN_GAMES
from pwtool.records.file_names import NOTATION
from pwtool.records.inputs import Document, Text, read_parts
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import Severity
from pwtool.text.speech import Speech, mark

if TYPE_CHECKING:
    from pwtool.checking.kernels import Judged, Kernels
    from pwtool.kernel.run import Reply
    from pwtool.records.importers.formats import Draft
    from pwtool.records.importers.stated import Stated
    from pwtool.records.tables.reading import Block
    from pwtool.why.findings import Words

FIRST, ONE_IN = 2, 8192
"""By default, the engine judges again the first clean games of each kernel, and one in so many of the others."""
DRAWN = 1024
"""These are drawn by so many bytes of their ends, where games differ."""
EXPLAINED = mark("refused, to be explained")
_Read = Union[Loaded, FileResult, "Draft", None]
"""What was read of a document."""


class Checker(Struct):
    """Checks documents under the rulesets at `addresses` (none: under the one that each names). `kernel`: whether
    kernels may judge; `audit`: the share (0 to 1) of what they judged that the engine judges again, None for a few;
    `heads`: whether it is needed who played a clean game of an archive, and how it went, `summaries`: in words, too;
    `causes`: whether to separate root causes from follow-up errors; `words`: what of the findings is put into words;
    `budget`: which refused games are explained; with `defers`, that is left to who sees all of them, and here the first
    ones of a piece are only kept; `remark` may add to what the engine says of a document; `runs`: whether clean games that
    follow each other are one result with their names where each is wanted.
    """

    ruleset_store: RulesetStore
    addresses: list[str]
    language: str = "en"
    kernel: bool = True
    audit: float | None = 0.0
    summaries: bool = True
    heads: bool = True
    causes: bool = True
    words: Words = "all"
    budget: Budget = field(default_factory=Budget)
    defers: bool = False
    remark: Callable[[FileResult, Loaded], FileResult] | None = None
    runs: bool = False
    _kernels: Kernels | None = None
    _audits: dict[str, int] = {}
    _distrusted: set[str] = set()
    """The rulesets for whose kernels an audit failed: the engine judges all further games again."""

    def begin_piece(self) -> None:
        """What comes now belongs to another piece: its first games may be explained, whatever came before."""
        if self.defers:
            self.budget = self.budget.renewed()

    def check(self, paths: Iterable[str]) -> Iterator[FileResult]:
        """The results for all documents of these files, for each document in the order of the addresses."""
        return self.check_texts(part for path in paths for part in read_parts(path))

    def check_texts(
        self, texts: Iterable[Text | Document | Block], each: bool = True, rows: list[bytes] | None = None
    ) -> Iterator[FileResult]:
        """The same for documents that were already read. Without `each`, clean games may be one result: games of a block of
        packed ones, and games of an archive of which nothing is wanted, or only their `rows`, which are added in time.
        """
        for batch in batches(texts):
            if not isinstance(batch, list):
                yield from self._of_block(batch, each or rows is not None)
                continue
            if self._kernels is None and self.kernel and len(batch) >= MIN_GAMES:
                self._kernels = self._new_kernels()
            yield from self._of_batch(batch, each, rows)

    def _trusts(self) -> bool:
        """Whether nothing but a kernel has to be asked about clean games."""
        return not (self.audit or self._distrusted or len(self.addresses) > 1)

    def _of_batch(
        self, batch: list[Text | Document], each: bool, rows: list[bytes] | None = None
    ) -> Iterator[FileResult]:
        """The results for documents; one for the clean games of an archive of which nothing else has to be said."""
        kernels = self._kernels
        read: list[_Read] = [None for _ in batch]
        judged = [] if kernels is None else self._judged(batch, read, kernels)
        gathered: dict[int, FileResult | None] = {}
        written: dict[int, bytes] | None = None if rows is None else {}
        # What is told of each game beside its name takes longer, unless its row says it.
        if kernels is not None and self._trusts() and not (self.heads if rows is None else each):
            for found in judged:
                gathered |= self._together(batch, read, found, kernels, written, each)
        known: list[dict[str | None, Reply]] = [{} for _ in batch]
        for found in judged if len(gathered) < len(batch) else ():
            found.tell(known, gathered)
        for at, text in enumerate(batch):
            if each and gathered and self._distrusted:
                # A kernel that was wrong is not believed for the rest.
                gathered.clear()
                for found in judged:
                    found.tell(known)
            if at not in gathered:
                yield from self._results(text, known[at], kernels, read[at])
                continue
            if rows is not None and written is not None:
                rows.append(written[at])
            if (result := gathered[at]) is not None:
                yield result

    def _together(
        self,
        batch: Sequence[Text | Document],
        read: list[_Read],
        found: Judged,
        kernels: Kernels,
        written: dict[int, bytes] | None,
        each: bool,
    ) -> dict[int, FileResult | None]:
        """The plain clean games of a batch by their places, with one result for those of a file, that of the first one, or for
        `each` (see `runs`). Their rows are `written`, if they are wanted; others are left out then.
        """
        kernel = found.answers.kernel
        ruleset = found.address or kernel.address
        if self.audit is None and self._audits.get(ruleset, 0) < FIRST:
            return {}
        results: dict[int, FileResult | None] = {}
        groups: dict[tuple[str, int], list[int]] = {}
        apart = 0
        holds: dict[int, bool] = {}
        from zlib import crc32

        writer = None if written is None else kernels.rows(ruleset, kernel)
        words = found.words() if writer is not None else {}
        for at in found.clean():
            text, loaded = batch[at], read[at]
            if not isinstance(text, Text) or text.name == text.file or isinstance(loaded, FileResult):
                continue
            if isinstance(loaded, Loaded) and (loaded.agreed is not None or loaded.warnings or loaded.side_lines):
                continue
            if self.audit is None and crc32(text.data[-DRAWN:]) % ONE_IN == 0:
                continue
            stated = () if loaded is None else loaded.stated
            if id(stated) not in holds:
                holds[id(stated)] = self._holds(stated, ruleset)
            if not holds[id(stated)]:
                continue
            if writer is not None and written is not None:
                row = writer.row(text, words[at]) if loaded is None else None
                if row is None:
                    continue
                written[at] = row
            apart += each and not (self.runs and at - 1 in results)
            groups.setdefault((text.file, apart), []).append(at)
            results[at] = None
        for games in groups.values():
            first, names = games[0], tuple([batch[at].name for at in games]) if each and len(games) > 1 else ()
            seats = Counter(words[at][kernel.answer.PLAYERS] for at in games) if writer is not None else None
            results[first] = FileResult(
                batch[first].name, ruleset, Verdict.CLEAN, documents=len(games), version=kernel.version, names=names,
                seats=seats,
            )  # fmt: skip
        return results

    def _holds(self, stated: Sequence[Stated], ruleset: str) -> bool:
        """Whether a ruleset is as files say."""
        book = self.ruleset_store.get(ruleset).value if stated else None
        return not stated or (book is not None and all(statement.holds(book.game) for statement in stated))

    def _judged(self, batch: Sequence[Text | Document], read: list[_Read], kernels: Kernels) -> list[Judged]:
        """What kernels say of the documents of a batch. Games in the formats of other programs are `read`; first as drafts,
        of which only clean ones count.
        """
        from pwtool.checking.kernels import record_of

        addresses = self.addresses or (None,)
        drafts = []
        for at, text in enumerate(batch):
            if not isinstance(text, Text) or text.form is None:
                continue
            loaded = read[at] = text.draft or load_draft(text) or self._loaded(text)
            if not isinstance(loaded, FileResult) and (not isinstance(loaded, Loaded) or loaded.draft is not None):
                drafts.append(at)
        judged = list(kernels.judge(list(map(record_of, batch, read)), addresses))
        clean = Counter(at for found in judged for at in found.clean())
        again = [at for at in drafts if clean[at] < len(addresses)]
        if not again:
            return judged
        for at in again:
            read[at] = self._loaded(batch[at])
        records = [record_of(batch[at], read[at]) for at in again]
        whole = [found.at(again) for found in kernels.judge(records, addresses)]
        return [*(found.without(again) for found in judged), *whole]

    def _of_block(self, block: Block, each: bool) -> Iterator[FileResult]:
        """The results for packed games: games that no kernel can take directly are judged as text."""
        addresses = self.addresses or (None,)
        if self._kernels is None and self.kernel:
            self._kernels = self._new_kernels()
        kernels = self._kernels
        judged = list(kernels.judge_block(block, addresses)) if kernels is not None else []
        self._audit_rows(block, judged)
        gathers = self._trusts() and not (each or self.heads)
        gathered: dict[int, FileResult | None] = {}
        firsts: dict[int, FileResult] = {}
        together = [(found, found.clean()) for found in judged] if gathers else []
        for found, clean in together:
            if clean:
                kernel = found.answers.kernel
                firsts[clean[0]] = FileResult(
                    block.name(clean[0]), found.address or kernel.address, Verdict.CLEAN, documents=len(clean),
                    version=kernel.version,
                )  # fmt: skip
        if sum(len(clean) for _, clean in together) == len(block):
            yield from (firsts[at] for at in sorted(firsts))
            return
        for _, clean in together:
            gathered |= dict.fromkeys(clean)
        gathered |= firsts
        known: list[dict[str | None, Reply]] = [{} for _ in range(len(block))]
        for found in judged:
            found.tell(known, gathered)
        texts: dict[int, Text | Document] = {}
        for at in range(len(block)):
            if at not in gathered and not self._is_done(known[at]):
                texts[at] = block.text(at)
        if kernels is not None:
            self._ask(kernels, texts, known)
        for at in range(len(block)):
            if at in texts:
                yield from self._results(texts[at], known[at], kernels)
            elif at not in gathered and kernels is not None:
                yield from self._of_row(block, at, known[at], kernels)
            elif (result := gathered[at]) is not None:
                yield result

    def _ask(self, kernels: Kernels, texts: dict[int, Text | Document], known: list[dict[str | None, Reply]]) -> None:
        """Let kernels judge the texts of rows that are still open."""
        addresses = self.addresses or (None,)
        asked = [at for at in texts if len(known[at]) < len(addresses)]
        for start in range(0, len(asked), BATCH):
            some = asked[start : start + BATCH]
            records = [text.data if isinstance(text := texts[at], Text) else None for at in some]
            for at, replies in zip(some, kernels.replies(records, addresses), strict=True):
                known[at] = replies | known[at]

    def _is_done(self, known: dict[str | None, Reply]) -> bool:
        """Whether the kernels' answer is complete."""
        wanted = self.addresses or (None,)
        if self.audit or self._distrusted:
            return False
        return all((reply := known.get(a)) is not None and reply.is_clean for a in wanted)

    def _audit_rows(self, block: Block, judged: list[Judged]) -> None:
        """Have the engine judge a few clean rows again, by their places in the table."""
        if self.audit is not None:
            return
        for found in judged:
            address = found.address or found.answers.kernel.address
            rows = found.rows
            # Going through all rows would take longer than judging them.
            regular = (at for at in range(-block.first % ONE_IN, len(block), ONE_IN))
            places = [n for at in regular if (n := bisect_left(rows, at)) < len(rows) and rows[n] == at]
            for number in [*range(min(FIRST, len(rows))), *places]:
                reply, text = found.answers[number], block.text(rows[number])
                is_wanted = number >= FIRST or self._is_sample(address, 1)
                if is_wanted and reply.is_clean and isinstance(text, Text) and address not in self._distrusted:
                    self._audited(text, found.address, address, reply)

    def _audited(self, text: Text, address: str | None, ruleset: str, reply: Reply) -> FileResult | None:
        """The engine's result for a clean game, if it contradicts the kernel, which is then no longer trusted."""
        self._audits[ruleset] = self._audits.get(ruleset, 0) + 1
        loaded = self._loaded(text)
        result = (
            loaded.within(Speech(self.language)) if isinstance(loaded, FileResult) else self._checked(loaded, address)
        )
        result = replace(result, by=mark("audit"))
        told = _compared(result, reply, text)
        if told is result:
            return None
        self._distrusted.add(ruleset)
        return told

    def _of_row(self, block: Block, at: int, known: dict[str | None, Reply], kernels: Kernels) -> Iterator[FileResult]:
        """The results for a clean packed game."""
        for address in self.addresses or (None,):
            reply = known[address]
            wanted = address or reply.kernel.address
            if self.heads:
                players, name = block.head(at)
                yield kernels.result(block.name(at), players, name, wanted, reply, self.summaries)
            else:
                yield FileResult(block.name(at), wanted, Verdict.CLEAN, version=reply.kernel.version)

    def _new_kernels(self) -> Kernels | None:
        from pwtool.checking.kernels import Kernels

        found = Kernels.installed(self.ruleset_store)
        self.kernel = found is not None
        return found

    def _results(
        self,
        text: Text | Document,
        known: dict[str | None, Reply],
        kernels: Kernels | None,
        loaded: _Read = None,
    ) -> Iterator[FileResult]:
        """The results for a document, with what kernels said; `loaded`: if it was already read, as those in the formats of
        other programs are.
        """
        if isinstance(text, Text) and text.draft is not None and text.draft is loaded:
            loaded = load_draft(text)
        assert loaded is None or isinstance(loaded, Loaded | FileResult)
        for address in self.addresses or (None,):
            reply = known.get(address)
            imported = loaded if isinstance(loaded, Loaded) else None
            if reply is not None and imported is not None:
                imported = self._as_stated(imported, address or reply.kernel.address)
                reply = None if imported is None else reply
            if reply is not None and reply.is_clean and not self._judges_again(text, address or reply.kernel.address):
                assert isinstance(text, Text) and kernels is not None
                ruleset = address or reply.kernel.address
                sampled = self.audit is None and self._is_sample(ruleset, _drawn(text))
                told = self._audited(text, address, ruleset, reply) if sampled else None
                yield self._clean(text, ruleset, reply, kernels, imported) if told is None else told
                continue
            shortens = self.budget.most is not None and isinstance(text, Text)
            if shortens and reply is not None and not reply.is_clean:
                assert isinstance(text, Text)
                short = self._in_short(text, address, reply, imported)
                if short is not None:
                    yield short
                    continue
                shortens = False
            by = _why_the_engine(text, reply) if kernels is not None else ""
            if loaded is None or (isinstance(loaded, Loaded) and loaded.draft is not None):
                loaded = self._loaded(text)
            if isinstance(loaded, FileResult):
                result = replace(loaded.within(Speech(self.language)), by=by)
                yield result if reply is None else _compared(result, reply, text)
                return
            explains, refused = self._explaining(text) if shortens else None, reply is not None and not reply.is_clean
            result = replace(self._checked(loaded, address, explains, refused), by=by)
            told = self._decided(result, loaded, address)
            yield _compared(result, reply, text) if told is result and reply is not None else told

    def _decided(self, result: FileResult, loaded: Loaded, address: str | None) -> FileResult:
        """What a kernel says of a game at which the engine gave up without a finding because of the work; otherwise the
        engine's result.
        """
        errors = [d.code for d in result.diagnostics if d.level is not Severity.WARNING]
        if errors != ["PW617"] or loaded.is_state or not self.kernel:
            return result
        kernels = self._kernels = self._kernels or self._new_kernels()
        chosen = choose_rulebook(loaded, self.ruleset_store, address)
        if kernels is None or isinstance(chosen, FileResult):
            return result
        from pwtool.checking.kernels import encoded, refused_by

        whole, book, ruleset = chosen
        # One game pays off here.
        kernels.get(ruleset, MIN_GAMES)
        reply = kernels.replies([encoded(whole.data)], [ruleset])[0].get(ruleset)
        if reply is None:
            return result
        name, players, own = whole.document.name, whole.data["players"], whole.data.get("id")
        refusal, imported = refused_by(reply), self._as_stated(whole, ruleset) or whole
        if refusal is None:
            return with_notes(
                as_agreed(kernels.result(name, players, own, ruleset, reply), whole, book.game), imported, self.language
            )
        played = Played(tuple(players), 0, 0, False, id=own)
        short = in_short(book, whole.source, name, ruleset, refusal, self.language, played, whole)
        return with_notes(short, imported, self.language)

    def _as_stated(self, imported: Loaded, ruleset: str) -> Loaded | None:
        """A game in the format of another program with the warnings of what it says of its rules; None if these are others."""
        if not imported.stated:
            return imported
        book = self.ruleset_store.get(ruleset).value
        found = () if book is None else stated_otherwise(imported, book.game)
        if book is None or any(d.level is Severity.ERROR for d in found):
            return None
        return replace(imported, warnings=(*imported.warnings, *found))

    def _in_short(
        self, text: Text, address: str | None, reply: Reply, imported: Loaded | None = None
    ) -> FileResult | None:
        """The result for a game that a kernel refuses; None if the engine explains it now."""
        from pwtool.checking.kernels import head_of, refused_by

        ruleset, refusal = address or reply.kernel.address, refused_by(reply)
        assert refusal is not None
        takes = self.budget.takes(ruleset, refusal)
        if takes and not self.defers:
            return None
        sampled = self._judges_again(text, ruleset) or (self.audit is None and _drawn(text) % ONE_IN == 0)
        # What is explained later is compared then.
        if sampled and not takes:
            loaded = self._loaded(text)
            if isinstance(loaded, FileResult):
                told = loaded.within(Speech(self.language))
            else:
                told = self._checked(loaded, address, lambda *_: False)
            return _compared(replace(told, by=mark("audit")), reply, text)
        head = head_of(text.data, reply, imported) if self.heads or text.name == text.file else None
        played = None if head is None else Played(tuple(head.players), 0, 0, False, id=head.id)
        asked = Asked(text.without_draft(), ruleset, refusal, by_kernel=True)
        short = self.short(asked, played, imported)
        return replace(short, asked=asked) if takes else short

    def short(self, asked: Asked, played: Played | None = None, imported: Loaded | None = None) -> FileResult:
        """The result for a refused game that is not explained."""
        if imported is None and asked.text.form is not None:
            loaded = self._loaded(asked.text)
            imported = loaded if isinstance(loaded, Loaded) else None
        book = self.ruleset_store.get(asked.ruleset).value
        assert book is not None
        name = asked.text.name
        short = in_short(book, asked.game, name, asked.ruleset, asked.refusal, self.language, played, imported)
        return short if imported is None else with_notes(short, imported, self.language)

    def explanation(self, asked: Asked) -> FileResult:
        """The engine's result for a game that was told in short."""
        loaded = self._loaded(asked.text)
        if isinstance(loaded, FileResult):
            result = loaded.within(Speech(self.language))
        else:
            result = self._checked(loaded, asked.ruleset if self.addresses else None, by_kernel=asked.by_kernel)
        if not asked.by_kernel:
            return result
        from pwtool.checking.kernels import compared

        return compared(replace(result, by=EXPLAINED), asked.refusal, asked.text)

    def _explaining(self, text: Text | Document) -> Callable[[str, Refusal], bool | Asked]:
        """Whether a game that the engine refuses is explained; if that is decided later, what is asked then."""

        def explains(ruleset: str, refusal: Refusal) -> bool | Asked:
            assert isinstance(text, Text)
            takes = self.budget.takes(ruleset, refusal)
            return Asked(text.without_draft(), ruleset, refusal, by_kernel=False) if takes and self.defers else takes

        return explains

    def _checked(
        self,
        loaded: Loaded,
        address: str | None,
        explains: Callable[[str, Refusal], bool | Asked] | None = None,
        by_kernel: bool = False,
    ) -> FileResult:
        """The engine's result; an internal error is a finding of its document. `explains`: as for `check_loaded`;
        `by_kernel`: whether a kernel refuses it.
        """
        try:
            trials = self._kernels.trials if by_kernel and self._kernels is not None else None
            asked = self.causes, explains, trials, self.words
            result = check_loaded(loaded, self.ruleset_store, address, self.language, *asked)
            return result if self.remark is None else self.remark(result, loaded)
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

    def _judges_again(self, text: Text | Document, ruleset: str) -> bool:
        """Whether the engine's result counts for a game that a kernel found clean: by its content, so that it is always the same."""
        if ruleset in self._distrusted:
            return True
        return bool(self.audit) and isinstance(text, Text) and _drawn(text) < (self.audit or 0) * (1 << 32)

    def _is_sample(self, ruleset: str, number: int) -> bool:
        """Whether a clean game belongs to those that are audited by default; `number` is one that it always has."""
        return self._audits.get(ruleset, 0) < FIRST or number % ONE_IN == 0

    def _clean(
        self, text: Text, address: str, reply: Reply, kernels: Kernels, imported: Loaded | None = None
    ) -> FileResult:
        from pwtool.checking.kernels import head_of

        alone, agreed = text.name == text.file, imported is not None and imported.agreed is not None
        if self.heads or alone or agreed:
            head = head_of(text.data, reply, imported)
            result = kernels.result(text.name, head.players, head.id, address, reply, self.summaries or alone)
        else:
            result = FileResult(text.name, address, Verdict.CLEAN, version=reply.kernel.version)
        if imported is None:
            return result
        book = self.ruleset_store.get(address).value if agreed else None
        result = result if book is None else as_agreed(result, imported, book.game)
        return with_notes(result, imported, self.language)


def _drawn(text: Text) -> int:
    """A number by which some documents are drawn, always the same."""
    from zlib import crc32  # Loading it takes too long for a single game.

    return crc32(text.data[-DRAWN:])


def _why_the_engine(text: Text | Document, reply: Reply | None) -> str:
    """Why a kernel's verdict is not sufficient."""
    if isinstance(text, Document):
        return mark("unreadable")
    if text.name.endswith(NOTATION):
        return mark("notation")
    if reply is None:
        return mark("unseen things, another form, or no kernel")
    return mark("audit") if reply.is_clean else EXPLAINED


def _compared(result: FileResult, reply: Reply, text: Text | Document) -> FileResult:
    from pwtool.checking.kernels import compared, refused_by

    assert isinstance(text, Text)
    return compared(result, refused_by(reply), text)
