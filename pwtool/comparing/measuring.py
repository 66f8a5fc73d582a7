"""What a change of rules means for an archive: kernels say which games are legal and compute their scores; the engine
judges the rest and everything that needs an explanation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded, load_document, own_address
from pwtool.checking.pieces import BATCH
from pwtool.checking.report import FileResult
from pwtool.comparing.impact import FORM, GameImpact, Impact, Judged, judge
from pwtool.ir.access import read_by, written_by_effect
from pwtool.kernel import MIN_GAMES
from pwtool.records.inputs import Document, Text
from pwtool.records.json_form import Malformed
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.checking.kernels import Kernels
    from pwtool.kernel.run import Reply

MAX_SEARCHED = 10
"""The number of games of an archive whose root causes are searched for; each search takes as long as about fifty replays."""
CLAIMS = frozenset(("PW605", "PW606", "PW608"))
"""Codes of findings about what a record says about consequences and its result, which do not count here."""


def measure_impact(
    texts: Iterable[Text | Document | FileResult],
    addresses: tuple[str, str],
    shelves: tuple[RulesetStore, RulesetStore],
    kernel: bool = True,
) -> Impact:
    """Judge every document under both rulesets, each from its own store (with its own readings); positions, which have no play,
    are left out. `kernel`: whether kernels may judge.
    """
    sides = tuple(
        _Side(address, ruleset_store, kernel) for address, ruleset_store in zip(addresses, shelves, strict=True)
    )
    measuring = _Measuring(sides)
    stream = iter(texts)
    games: list[GameImpact] = []
    while batch := list(islice(stream, BATCH)):
        games += measuring.judge(batch)
    unsearched = sum(side.unsearched for side in sides)
    return Impact(*addresses, tuple(games), measuring.positions, unsearched)


class _Side(Struct):
    """One of the two rulesets. `searched` and `unsearched` count the games in which root causes were searched for, and those in
    which they were not.
    """

    address: str
    ruleset_store: RulesetStore
    kernel: bool
    kernels: Kernels | None = None
    searched: int = 0
    unsearched: int = 0
    _lines: frozenset[str] | None = None

    @property
    def lines_of_consequences(self) -> frozenset[str]:
        """The score lines that depend on what consequences change."""
        if self._lines is None:
            book = self.ruleset_store.get(self.address).value
            assert book is not None
            ruleset = book.game.ruleset
            models = ruleset.consequences.values()
            written = frozenset(place for m in models for e in m.effects for place in written_by_effect(e, m))
            self._lines = frozenset(s.name for s in ruleset.scores if not written.isdisjoint(read_by(s.value)))
        return self._lines

    def replies(self, batch: list[Text | Document | FileResult]) -> list[Reply | None]:
        """What the kernel says about the games of a batch, ignoring wrong claims in them; None where the engine has to judge."""
        found: list[Reply | None] = [None] * len(batch)
        if self.kernels is None and self.kernel and len(batch) >= MIN_GAMES:
            from pwtool.checking.kernels import Kernels

            self.kernels = Kernels.installed(self.ruleset_store)
            self.kernel = self.kernels is not None
        if self.kernels is None:
            return found
        texts = {at: text for at, text in enumerate(batch) if isinstance(text, Text)}
        found = self._asked(texts, found)
        claims = {at: text for at, text in texts.items() if (reply := found[at]) is not None and _about_claims(reply)}
        return self._asked({at: self._bare(text) for at, text in claims.items()}, found)

    def _asked(self, texts: dict[int, Text], found: list[Reply | None]) -> list[Reply | None]:
        assert self.kernels is not None
        from pwtool.checking.kernels import record_of

        replies = self.kernels.replies([record_of(text, None) for text in texts.values()], [self.address])
        asked = {at: reply.get(self.address) for at, reply in zip(texts, replies, strict=True)}
        return [asked.get(at, known) for at, known in enumerate(found)]

    def _bare(self, text: Text) -> Text:
        """A record that a kernel has read, reduced as by `impact.bare`."""
        book = self.ruleset_store.get(self.address).value
        assert book is not None
        data = json.loads(text.data)
        consequences = book.game.ruleset.consequences
        for turn in data["turns"]:
            turn["actions"] = [a for a in turn.get("actions", ()) if a.get("action") not in consequences]
        data.pop("recorded", None)
        if "result" in data:
            data["result"] = {}
        return Text(text.name, text.file, json.dumps(data).encode())

    def clean(self, text: Text, reply: Reply) -> Judged:
        """What is known about a game that the kernel found legal."""
        book = self.ruleset_store.get(self.address).value
        assert book is not None
        if not reply.over:
            return Judged("legal")
        names: list[str] = json.loads(text.data)["players"]
        scores = [score.name for score in book.game.ruleset.scores]
        lines = {p: dict(zip(scores, worth, strict=True)) for p, worth in zip(names, reply.lines, strict=True)}
        totals = dict(zip(names, reply.totals, strict=True))
        return Judged("legal", totals=totals, winners=tuple(names[p] for p in reply.ranking[0]), lines=lines)

    def judge(self, text: Text | Document, loaded: Loaded | FileResult | None) -> Judged:
        """What the engine says about a game; root causes are searched for in the first ones."""
        search = self.searched < MAX_SEARCHED
        judged = self._read(text, search) if loaded is None and isinstance(text, Text) else None
        if judged is None:
            judged = self._judge_loaded(loaded if loaded is not None else _load(text), search)
        self.searched += judged.searched and search
        self.unsearched += judged.searched and not search
        return judged

    def _read(self, text: Text, search: bool) -> Judged | None:
        """The same for a record that a kernel has read: the places of its parts in the file need not be known."""
        book = self.ruleset_store.get(self.address).value
        assert book is not None
        try:
            return judge(book.decoder.record(json.loads(text.data)), book, search)
        except (Malformed, ValueError, RecursionError):
            return None

    def _judge_loaded(self, loaded: Loaded | FileResult, search: bool) -> Judged:
        if isinstance(loaded, FileResult):
            return _unread(loaded)
        chosen = choose_rulebook(loaded, self.ruleset_store, self.address)
        if isinstance(chosen, FileResult):
            return _unread(chosen)
        record = decode_loaded(chosen[0], chosen[1])
        if not isinstance(record, FileResult):
            return judge(record, chosen[1], search)
        other = _other_game(loaded, self.ruleset_store, chosen[1])
        return Judged("unreadable", (FORM,), message=other) if other else _unread(record)


class _Measuring(Struct):
    """Judges batches under two rulesets."""

    sides: tuple[_Side, ...]
    positions: int = 0

    def judge(self, batch: list[Text | Document | FileResult]) -> Iterator[GameImpact]:
        """The games of a batch, in order."""
        replies = [side.replies(batch) for side in self.sides]
        for at, text in enumerate(batch):
            if isinstance(text, FileResult):
                broken = _unread(text)
                yield GameImpact(text.name, broken, broken)
                continue
            known = [reply[at] for reply in replies]
            loaded = None if None not in known else _load(text)
            if isinstance(loaded, Loaded) and loaded.is_state:
                self.positions += 1
                continue
            yield self._game(text, known, loaded)

    def _game(self, text: Text | Document, known: list[Reply | None], loaded: Loaded | FileResult | None) -> GameImpact:
        def judged(side: _Side, reply: Reply | None) -> Judged:
            if reply is not None and reply.is_clean and isinstance(text, Text):
                return side.clean(text, reply)
            return side.judge(text, loaded)

        first, second = (judged(side, reply) for side, reply in zip(self.sides, known, strict=True))
        game = GameImpact(text.name, first, second)
        if any(side.lines_of_consequences.intersection(game.other_lines) for side in self.sides):
            # Only the engine can tell which consequences differed.
            if first.happened is None:
                first = self.sides[0].judge(text, loaded)
            if second.happened is None:
                second = self.sides[1].judge(text, loaded)
            return GameImpact(text.name, first, second)
        # Consequences are no cause for lines that do not depend on them, whoever judged the game.
        return GameImpact(text.name, replace(first, happened=None), replace(second, happened=None))


def _about_claims(reply: Reply) -> bool:
    return not reply.is_clean and reply.code in CLAIMS


def _load(text: Text | Document) -> Loaded | FileResult:
    return load_document(text.document() if isinstance(text, Text) else text)


def _unread(result: FileResult) -> Judged:
    first = result.diagnostics[0] if result.diagnostics else None
    return Judged(
        "unreadable", (FORM,), message=first.message if first else "", help=(first.help or "") if first else ""
    )


def _other_game(loaded: Loaded, ruleset_store: RulesetStore, book: Rulebook) -> str:
    """In words, that a record names another game, which says more than a list of everything that is missing; "" if it does not."""
    named = own_address(loaded, ruleset_store)
    own = ruleset_store.get(named).value if isinstance(named, str) else None
    names = [b.game.ruleset.layer_names()[0] for b in (own, book) if b is not None]
    if names[0] == names[-1]:
        return ""
    return Told("this is a game of {name}, not of {other}", name=f"`{names[0]}`", other=f"`{names[1]}`")
