"""Kernels at work on batches of documents: each is made when enough games of its ruleset have come."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from pwtool.checking.documents import summarize
from pwtool.checking.report import FileResult, Played, Verdict
from pwtool.kernel import MIN_GAMES, run
from pwtool.kernel.module import Uncompilable
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED, Instance, Reply
from pwtool.records.inputs import NOTATION, Document, Text, foreign_suffix
from pwtool.records.shelf import Rulebook, Shelf
from pwtool.text import Diagnostic, Severity

MAX_ASKED = 10_000
MAX_MADE = 16
"""How many addresses are counted, and how many kernels are kept, at once."""
_RULESET = re.compile(rb'"ruleset"\s*:\s*"([A-Za-z_][\w/+]{0,200})"')


class _Head(msgspec.Struct):
    """What is told of a record beside what a kernel says."""

    players: list[str]
    id: str | None = None


@dataclass(slots=True)
class Kernels:
    """The kernels of rulesets; each is made when enough games have asked for it."""

    shelf: Shelf
    _asked: Counter[str] = field(default_factory=Counter)
    _made: dict[str, Instance | None] = field(default_factory=dict)

    def get(self, address: str, games: int) -> Instance | None:
        """The kernel that judges so many more games of a ruleset; None where it has none, or few games."""
        if len(self._asked) >= MAX_ASKED and address not in self._asked:
            # Records name rulesets as they like: counting begins again.
            self._asked.clear()
        self._asked[address] += games
        if self._asked[address] < MIN_GAMES:
            return None
        if address not in self._made:
            if len(self._made) >= MAX_MADE:
                del self._made[next(iter(self._made))]
            book = self.shelf.get(address).value
            self._made[address] = None if book is None else _make(book)
        return self._made[address]

    def judge(self, batch: Sequence[Text | Document], addresses: Sequence[str | None]) -> list[dict[str | None, Reply]]:
        """What kernels say of the documents of a batch under each of these addresses (None: the ruleset that each names)."""
        judged: list[dict[str | None, Reply]] = [{} for _ in batch]
        for address in addresses:
            groups: dict[str, list[int]] = {}
            for at, text in enumerate(batch):
                wanted = address or _named_ruleset(text)
                if wanted is not None and isinstance(text, Text) and _may_be_record(text):
                    groups.setdefault(wanted, []).append(at)
            for wanted, places in groups.items():
                instance = self.get(wanted, len(places))
                if instance is None:
                    continue
                texts = {at: text.data for at in places if isinstance(text := batch[at], Text)}
                for at, reply in self._replies(wanted, instance, texts, own=address is None):
                    if reply.verdict != NOT_MINE:
                        judged[at][address] = reply
        return judged

    def _replies(
        self, address: str, instance: Instance, texts: dict[int, bytes], own: bool
    ) -> Iterator[tuple[int, Reply]]:
        """What a kernel says of these texts. Where it fails, or takes too long, each is judged by itself, and the engine
        has those with which it fails then.
        """
        try:
            answers = instance.check(list(texts.values()), own)
        except run.failures():
            self._made[address] = fresh = instance.runner.instance()
            if len(texts) > 1:
                for at, text in texts.items():
                    yield from self._replies(address, self._made[address] or fresh, {at: text}, own)
            return
        for number, at in enumerate(texts):
            yield at, answers[number]

    def result(self, text: Text, address: str, reply: Reply) -> FileResult:
        """The result for a clean game, with how it went."""
        book = self.shelf.get(address).value
        assert book is not None
        ruleset = book.game.ruleset
        head = _head(text.data)
        names = list(ruleset.objectives)
        claims = {names[goal]: turn or None for goal, turn in reply.claims} if ruleset.claiming else {}
        played = Played(tuple(head.players), reply.turns, reply.actions, reply.over, claims=claims, id=head.id)
        if reply.over:
            names = [score.name for score in ruleset.scores]
            played = replace(
                played, totals=tuple(reply.totals), lines=tuple(dict(zip(names, lines, strict=True)) for lines in reply.lines),
                ranking=tuple(map(tuple, reply.ranking)), ending=ruleset.endings[reply.ending].name,
                ending_turn=reply.ending_turn,
            )  # fmt: skip
        summary = summarize(ruleset, played)
        return FileResult(text.name, address, Verdict.CLEAN, (), summary, played=played, version=ruleset.version)


def _head(data: bytes) -> _Head:
    try:
        return msgspec.json.decode(data, type=_Head)
    except msgspec.MsgspecError:
        # A byte order mark, or half of a surrogate pair: Python's own reader takes both.
        found = json.loads(data)
        return _Head(found["players"], found.get("id"))


def _make(book: Rulebook) -> Instance | None:
    try:
        return book.runner().instance()
    except Uncompilable:
        return None


def _named_ruleset(text: Text | Document) -> str | None:
    """The ruleset that a record seems to name; its kernel makes sure that it does."""
    found = _RULESET.search(text.data) if isinstance(text, Text) else None
    try:
        return found.group(1).decode() if found else None
    except UnicodeDecodeError:
        return None


def _may_be_record(text: Text) -> bool:
    return not text.name.endswith(NOTATION) and foreign_suffix(text.name) is None and len(text.data) <= text.limit


def compared(result: FileResult, reply: Reply, text: Text) -> FileResult:
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
    # What took the engine too much work is not known to differ.
    if same or any(d.code == "PW617" for d in result.diagnostics):
        return result
    with tempfile.NamedTemporaryFile("wb", prefix="pwtool-disagreement-", suffix=".json", delete=False) as kept:
        kept.write(text.data)
    message = f"the kernel and the engine disagree: the kernel says {said}"
    found = Diagnostic("PW901", message, file=text.name, help=f"the game is kept in {kept.name}, please report it")
    return replace(result, diagnostics=(*result.diagnostics, found))
