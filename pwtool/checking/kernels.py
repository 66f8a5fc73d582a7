"""Kernels judge batches of documents; each is compiled once there are enough games of its ruleset."""

from __future__ import annotations

import json
import re
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace as replaced

from pwtool.checking.clean_rows import CleanRows
from pwtool.checking.documents import Loaded, summarize
from pwtool.checking.explaining import Refusal, refusal_of
from pwtool.checking.report import FileResult, Played, Verdict
from pwtool.ir.model import Ruleset
from pwtool.kernel import MIN_GAMES, run
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.module import Kernel
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED, Answers, Instance, Reply
from pwtool.records.file_names import NOTATION
from pwtool.records.importers.formats import Draft
from pwtool.records.inputs import Document, Text
from pwtool.records.ruleset_store import RulesetStore
from pwtool.records.tables.drafts import DraftPacker
from pwtool.records.tables.reading import Block, packed_rows
from pwtool.records.tables.vocabulary import Vocabulary, vocabulary_of
from pwtool.rules.library import MAX_ADDRESS
from pwtool.text import Diagnostic
from pwtool.why.trials import Trials

T = TypeVar("T")
MAX_ASKED = 10_000
MAX_MADE = 16
"""How many addresses are counted, and how many kernels are kept, at once."""
_RULESET = re.compile(rb'"ruleset"\s*:\s*"([A-Za-z_][\w/+]{0,200})"')
_NAME = re.compile(r"[A-Za-z_][\w/+]{0,200}", re.ASCII)


@dataclass(slots=True)
class Head:
    """What is reported of a record in addition to the kernel's answer."""

    players: list[str]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A kernel's answers for games: their places in a batch or a block, and an answer for each."""

    address: str | None
    rows: list[int]
    answers: Answers

    def clean(self) -> list[int]:
        """The places of the clean ones."""
        verdicts = self.answers.column(self.answers.kernel.answer.VERDICT)
        # Usually all are clean, and `CLEAN` is 0.
        if not any(verdicts):
            return self.rows
        return [at for at, verdict in zip(self.rows, verdicts, strict=True) if verdict == CLEAN]

    def words(self) -> dict[int, array[int]]:
        """The answers, by place."""
        words, size = self.answers.words, self.answers.size
        return {at: words[size * number : size * (number + 1)] for number, at in enumerate(self.rows)}

    def tell(self, known: list[dict[str | None, Reply]], settled: Container[int] = ()) -> None:
        """Add the answers to what is known of each game, but not of those that are `settled`."""
        for number, at in enumerate(self.rows):
            if at not in settled and (reply := self.answers[number]).verdict != NOT_MINE:
                known[at][self.address] = reply

    def at(self, places: Sequence[int]) -> Judged:
        """The same for games that have these places elsewhere."""
        return replace(self, rows=[places[row] for row in self.rows])

    def without(self, places: Container[int]) -> Judged:
        """The answers for other games than these."""
        kept = [number for number, at in enumerate(self.rows) if at not in places]
        return replace(self, rows=[self.rows[number] for number in kept], answers=self.answers.some(kept))


@dataclass(frozen=True, slots=True)
class Named:
    """The names behind the numbers in the answers of a kernel; of the objectives if games claim them."""

    ruleset: Ruleset
    objectives: list[str]
    scores: list[str]
    endings: list[str]

    @staticmethod
    def of(ruleset: Ruleset) -> Named:
        """The names of a ruleset."""
        objectives = list(ruleset.objectives) if ruleset.claiming else []
        return Named(ruleset, objectives, [s.name for s in ruleset.scores], [e.name for e in ruleset.endings])


@dataclass(slots=True)
class Kernels:
    """The kernels of rulesets; each is made once enough games have asked for it."""

    ruleset_store: RulesetStore
    _asked: Counter[str] = field(default_factory=Counter)
    _made: dict[str, Instance | None] = field(default_factory=dict)
    _words: dict[str, Vocabulary] = field(default_factory=dict)
    _packers: dict[str, DraftPacker] = field(default_factory=dict)
    _named: dict[str, Named] = field(default_factory=dict)
    _rows: dict[int, tuple[Kernel, CleanRows]] = field(default_factory=dict)

    @staticmethod
    def installed(ruleset_store: RulesetStore) -> Kernels | None:
        """The kernels, if this machine can run any."""
        return Kernels(ruleset_store) if run.is_installed() else None

    def get(self, address: str, games: int) -> Instance | None:
        """The kernel that judges this many more games of a ruleset; None if there is none, or too few games."""
        if len(self._asked) >= MAX_ASKED and address not in self._asked:
            # Records may name any number of rulesets: start counting again.
            self._asked.clear()
        self._asked[address] += games
        if self._asked[address] < MIN_GAMES:
            return None
        if address not in self._made:
            if len(self._made) >= MAX_MADE:
                oldest = next(iter(self._made))
                del self._made[oldest]
                self._words.pop(oldest, None)
                self._packers.pop(oldest, None)
            book = self.ruleset_store.get(address).value
            self._made[address] = None if book is None else _made_or_none(lambda: book.runner().instance())
        return self._made[address]

    def judge(self, records: Sequence[bytes | Draft | None], addresses: Sequence[str | None]) -> Iterator[Judged]:
        """The kernels' answers for the records of a batch (None: not one) under each of these addresses (None: the ruleset
        that each names).
        """
        for address in addresses:
            groups: dict[str, dict[int, bytes | Draft]] = {}
            for at, record in enumerate(records):
                if record is None:
                    continue
                wanted = address or (record.ruleset if isinstance(record, Draft) else _named_ruleset(record))
                if wanted is not None:
                    groups.setdefault(wanted, {})[at] = record
            for wanted, games in groups.items():
                if self.get(wanted, len(games)) is None:
                    continue
                packed = self._packed(wanted, games)
                others = {at: game for at, game in games.items() if at not in packed}
                texts = {at: text for at, game in others.items() if (text := _text_of(game)) is not None}
                yield from self._answers(wanted, address, packed, _check_packed)
                yield from self._answers(wanted, address, texts, _check_own if address is None else _check_texts)

    def replies(
        self, records: Sequence[bytes | Draft | None], addresses: Sequence[str | None]
    ) -> list[dict[str | None, Reply]]:
        """The same for each record by the addresses under which a kernel knows it."""
        known: list[dict[str | None, Reply]] = [{} for _ in records]
        for found in self.judge(records, addresses):
            found.tell(known)
        return known

    def _packed(self, address: str, games: dict[int, bytes | Draft]) -> dict[int, tuple[bytes, int]]:
        """The drafts that have a compact form, with the number of their players."""
        drafts = {at: game for at, game in games.items() if isinstance(game, Draft)}
        book = self.ruleset_store.get(address).value if drafts else None
        if book is None:
            return {}
        if address not in self._packers:
            self._packers[address] = DraftPacker(book.decoder, vocabulary_of(book.game.ruleset))
        pack = self._packers[address].pack
        return {at: (data, len(draft.players)) for at, draft in drafts.items() if (data := pack(draft)) is not None}

    def _answers(
        self, wanted: str, address: str | None, games: dict[int, T], check: Callable[[Instance, list[T]], Answers]
    ) -> Iterator[Judged]:
        """A kernel's answers for these games. If it fails or takes too long, each game is judged separately, and those
        with which it still fails go to the engine.
        """
        instance = self._made[wanted]
        if instance is None or not games:
            return
        try:
            answers = check(instance, list(games.values()))
        except run.failures():
            self._made[wanted] = _made_or_none(instance.runner.instance)
            if len(games) > 1:
                for at, game in games.items():
                    yield from self._answers(wanted, address, {at: game}, check)
            return
        yield Judged(address, [*games], answers)

    def trials(self, address: str) -> Trials | None:
        """What judges the corrections of a game, if there is a kernel of its ruleset."""
        if self.get(address, 1) is None:
            return None

        def check(games: dict[int, tuple[bytes, int]]) -> dict[int, Reply]:
            found = self._answers(address, None, games, _check_packed)
            return {at: judged.answers[number] for judged in found for number, at in enumerate(judged.rows)}

        return Trials(check, self._vocabulary(address))

    def _vocabulary(self, address: str) -> Vocabulary:
        if address not in self._words:
            book = self.ruleset_store.get(address).value
            assert book is not None
            self._words[address] = vocabulary_of(book.game.ruleset, positions=True)
        return self._words[address]

    def judge_block(self, block: Block, addresses: Sequence[str | None]) -> Iterator[Judged]:
        """The kernels' answers for packed rows under each of these addresses (None: the ruleset that each names)."""
        for address in addresses:
            for wanted in [address] if address is not None else block.rulesets():
                if len(wanted) > MAX_ADDRESS or (address is None and not _NAME.fullmatch(wanted)):
                    continue
                instance = self.get(wanted, len(block))
                if instance is None:
                    continue
                own = (instance.kernel.address, instance.kernel.version) if address is None else (None, None)
                packed = packed_rows(block, self._vocabulary(wanted), *own)
                try:
                    answers = instance.check_compact(packed.block, packed.table, len(packed.rows))
                except run.failures():
                    # Each is then judged as text.
                    self._made[wanted] = _made_or_none(instance.runner.instance)
                    continue
                yield Judged(address, packed.rows.tolist(), answers)

    def result(
        self, name: str, players: list[str], id_: str | None, address: str, reply: Reply, told: bool = True
    ) -> FileResult:
        """The result for a clean game of these players, with how it went, `told` also in words."""
        named = self._names(address)
        claims = {named.objectives[goal]: turn or None for goal, turn in reply.claims} if named.objectives else {}
        if reply.over:
            played = Played(
                tuple(players), reply.turns, reply.actions, True, tuple(reply.totals),
                tuple(dict(zip(named.scores, lines, strict=True)) for lines in reply.lines),
                tuple(map(tuple, reply.ranking)), named.endings[reply.ending], reply.ending_turn, claims, id=id_,
            )  # fmt: skip
        else:
            played = Played(tuple(players), reply.turns, reply.actions, False, claims=claims, id=id_)
        summary = summarize(named.ruleset, played) if told else ()
        return FileResult(name, address, Verdict.CLEAN, (), summary, played=played, version=named.ruleset.version)

    def _names(self, address: str) -> Named:
        if address not in self._named:
            book = self.ruleset_store.get(address).value
            assert book is not None
            self._named[address] = Named.of(book.game.ruleset)
        return self._named[address]

    def rows(self, address: str, kernel: Kernel) -> CleanRows:
        """What writes rows of clean games of a ruleset."""
        if id(kernel) not in self._rows:
            if len(self._rows) >= MAX_MADE:
                self._rows.clear()
            self._rows[id(kernel)] = kernel, CleanRows(kernel, self._names(address))
        return self._rows[id(kernel)][1]


def head_of(data: bytes, reply: Reply, loaded: Loaded | None = None) -> Head:
    """The head of a record that a kernel has read (`loaded` in the format of another program)."""
    if loaded is not None:
        return Head(loaded.data["players"], loaded.data.get("id"))
    (begin, end), (id_begin, id_end) = reply.names, reply.id
    if not end:
        # It read the packed form of this text.
        found = _decoded(data)
        return Head(found["players"], found.get("id"))
    return Head(_decoded(data[begin:end]), _decoded(data[id_begin:id_end]) if id_end else None)


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        # Half of a surrogate pair: Python's own reader accepts it.
        return json.loads(text)


def _made_or_none(make: Callable[[], Instance]) -> Instance | None:
    """A kernel; None if there is none or no memory for it, in which case the engine judges alone."""
    try:
        return make()
    except Uncompilable:
        return None
    except run.failures():
        return None


def _named_ruleset(record: bytes) -> str | None:
    """The ruleset that a record seems to name; its kernel verifies that."""
    found = _RULESET.search(record)
    try:
        return found.group(1).decode() if found else None
    except UnicodeDecodeError:
        return None


def _check_own(instance: Instance, texts: list[bytes]) -> Answers:
    """Judge records that have to name this ruleset."""
    return instance.check(texts, True)


def _check_texts(instance: Instance, texts: list[bytes]) -> Answers:
    return instance.check(texts, False)


def _check_packed(instance: Instance, games: list[tuple[bytes, int]]) -> Answers:
    """Judge games in compact form, each with the number of its players."""
    table = array("I")
    begin = 0
    for data, players in games:
        table.extend((begin, len(data), players))
        begin += len(data)
    return instance.check_compact(b"".join([data for data, _ in games]), table.tobytes(), len(games))


def _text_of(game: bytes | Draft) -> bytes | None:
    if not isinstance(game, Draft):
        return game
    try:
        return encoded(game.record())
    except LookupError:
        # An importer's mistake: its table lacks a turn.
        return None


def encoded(record: object) -> bytes | None:
    """The JSON text of a record; None if it has halves of surrogate pairs."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        return None


def record_of(text: Text | Document, loaded: Loaded | Draft | FileResult | None) -> bytes | Draft | None:
    """What may be a record: its JSON text, or a draft; `loaded`: what was read of a game in the format of another program."""
    if isinstance(loaded, Draft):
        return loaded
    if not isinstance(text, Text):
        return None
    if text.form is None:
        return None if text.name.endswith(NOTATION) or len(text.data) > text.limit else text.data
    if not isinstance(loaded, Loaded):
        return None
    return encoded(loaded.data) if loaded.draft is None else loaded.draft


def refused_by(reply: Reply) -> Refusal | None:
    """What a kernel says refuses a game; None for a clean one."""
    if reply.verdict != REFUSED:
        return None
    first = 1 if reply.turn is None else reply.before + 1
    return Refusal(reply.code, reply.rule, reply.turn, reply.action, first)


def compared(result: FileResult, refusal: Refusal | None, text: Text) -> FileResult:
    """The engine's result, with an internal error if what a kernel says refuses the game differs; such a game is kept."""
    said = "clean"
    if refusal is not None:
        said = f"{refusal.code} {refusal.rule}" + (f" in turn {refusal.turn}" if refusal.turn else "")
    # If the engine gave up because of the cost, no difference is known.
    if refusal_of(result) == refusal or any(d.code == "PW617" for d in result.diagnostics):
        return result
    with tempfile.NamedTemporaryFile("wb", prefix="pwtool-disagreement-", suffix=".json", delete=False) as kept:
        kept.write(text.data)
    help_line = f"the game is kept in {kept.name}, please report it; `--no-kernel` judges all games without kernels"
    message = f"the kernel and the engine disagree: the kernel says {said}"
    found = Diagnostic(
        "PW901",
        message,
        file=text.name,
        help=help_line,
    )
    return replaced(result, diagnostics=(*result.diagnostics, found))
