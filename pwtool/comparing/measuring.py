"""What a change of rules means for an archive: kernels say which games are legal and compute their scores; the engine
judges the rest and everything that needs an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace as replaced

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded, load_document, own_address
from pwtool.checking.pieces import BATCH
from pwtool.checking.report import FileResult
from pwtool.comparing.evidence import under_names_of
from pwtool.comparing.impact import FORM, GameImpact, Impact, Judged, bare, claims_of, judge
from pwtool.ir.access import read_by, written_by_effect
from pwtool.kernel import MIN_GAMES
from pwtool.records.inputs import Document, Text
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.checking.kernels import Kernels
    from pwtool.kernel.run import Reply

MAX_SEARCHED = 10
"""The number of games of an archive whose root causes are searched for; each search takes as long as about fifty replays."""


def measure_impact(
    texts: Iterable[Text | Document | FileResult],
    addresses: tuple[str, str],
    shelves: tuple[RulesetStore, RulesetStore],
    kernel: bool = True,
) -> Impact:
    """Judge every document under both rulesets, each from its own store (with its own readings); positions, which have no play,
    are left out. `kernel`: whether kernels may judge.
    """
    books = [ruleset_store.get(address).value for address, ruleset_store in zip(addresses, shelves, strict=True)]
    assert books[0] is not None and books[1] is not None
    sides = (
        _Side(addresses[0], shelves[0], books[0], claims_of(books[0], books[1]), (addresses[1], shelves[1]), kernel),
        _Side(addresses[1], shelves[1], books[1], claims_of(books[1], books[0]), (addresses[0], shelves[0]), kernel),
    )
    measuring = _Measuring(sides)
    stream = iter(texts)
    games: list[GameImpact] = []
    while batch := list(islice(stream, BATCH)):
        games += measuring.judge(batch)
    unsearched = sum(side.unsearched for side in sides)
    return Impact(*addresses, tuple(games), measuring.positions, unsearched)


class _Side(Struct):
    """One of the two rulesets. `claims` are the actions of records that are not its players', `other` is the other ruleset.
    `searched` and `unsearched` count the games in which root causes were searched for, and those in which they were not.
    """

    address: str
    ruleset_store: RulesetStore
    book: Rulebook
    claims: frozenset[str]
    other: tuple[str, RulesetStore]
    kernel: bool
    kernels: Kernels | None = None
    searched: int = 0
    unsearched: int = 0
    _lines: frozenset[str] | None = None
    _named: tuple[Rulebook, frozenset[str]] | None = None

    @property
    def lines_of_consequences(self) -> frozenset[str]:
        """The score lines that depend on what consequences change."""
        if self._lines is None:
            ruleset = self.book.game.ruleset
            models = ruleset.consequences.values()
            written = frozenset(place for m in models for e in m.effects for place in written_by_effect(e, m))
            self._lines = frozenset(s.name for s in ruleset.scores if not written.isdisjoint(read_by(s.value)))
        return self._lines

    @property
    def in_other_words(self) -> tuple[Rulebook, frozenset[str]] | None:
        """The ruleset under the names of the other one, for records in its words, with the claims there; None if both have the same names."""
        if self._named is None:
            address, ruleset_store = self.other
            other = ruleset_store.get(address).value
            book = self.book if other is None else under_names_of(self.book, other)
            claims = self.claims if other is None else claims_of(book, other)
            self._named = book, claims
        return None if self._named[0] is self.book else self._named

    def replies(self, batch: list[Loaded | FileResult]) -> list[Reply | None]:
        """What the kernel says about the games of a batch; None where the engine has to judge."""
        if self.kernels is None and self.kernel and len(batch) >= MIN_GAMES:
            from pwtool.checking.kernels import Kernels

            self.kernels = Kernels.installed(self.ruleset_store)
            self.kernel = self.kernels is not None
        if self.kernels is None:
            return [None] * len(batch)
        replies = self.kernels.replies([self._text(loaded) for loaded in batch], [self.address])
        return [reply.get(self.address) for reply in replies]

    def _text(self, loaded: Loaded | FileResult) -> bytes | None:
        """What a kernel reads of a record."""
        if isinstance(loaded, FileResult) or loaded.document.form is not None or loaded.notation is not None:
            return None
        return msgspec.json.encode(bare(loaded.data, self.claims))

    def clean(self, loaded: Loaded, reply: Reply) -> Judged:
        """What is known about a game that the kernel found legal."""
        if not reply.over:
            return Judged("legal", over=False)
        names: list[str] = loaded.data["players"]
        scores = [score.name for score in self.book.game.ruleset.scores]
        lines = {p: dict(zip(scores, worth, strict=True)) for p, worth in zip(names, reply.lines, strict=True)}
        totals = dict(zip(names, reply.totals, strict=True))
        winners = tuple(names[p] for p in reply.ranking[0])
        return Judged("legal", totals=totals, winners=winners, lines=lines, over=True)

    def judge(self, loaded: Loaded) -> Judged:
        """What the engine says about a game; root causes are searched for in the first ones."""
        chosen = choose_rulebook(loaded, self.ruleset_store, self.address)
        if isinstance(chosen, FileResult):
            refused = chosen
            if loaded.notation is not None:
                # It may have words of the other ruleset, in its claims and its result too.
                address, ruleset_store = self.other
                chosen = choose_rulebook(loaded, ruleset_store, address)
            if isinstance(chosen, FileResult):
                return _unread(refused)
        book = self.book
        record = decode_loaded(replaced(chosen[0], data=bare(chosen[0].data, self.claims)), book)
        if isinstance(record, FileResult) and (named := self.in_other_words) is not None:
            again = decode_loaded(replaced(chosen[0], data=bare(chosen[0].data, named[1])), named[0])
            book, record = (book, record) if isinstance(again, FileResult) else (named[0], again)
        if isinstance(record, FileResult):
            other = _other_game(loaded, self.ruleset_store, self.book)
            return Judged("unreadable", (FORM,), message=other) if other else _unread(record)
        search = self.searched < MAX_SEARCHED
        judged = judge(record, book, search)
        self.searched += judged.searched and search
        self.unsearched += judged.searched and not search
        return judged


class _Measuring(Struct):
    """Judges batches under two rulesets."""

    sides: tuple[_Side, _Side]
    positions: int = 0

    def judge(self, batch: list[Text | Document | FileResult]) -> Iterator[GameImpact]:
        """The games of a batch, in order."""
        read = [text if isinstance(text, FileResult) else _load(text) for text in batch]
        replies = [side.replies(read) for side in self.sides]
        for loaded, *known in zip(read, *replies, strict=True):
            if isinstance(loaded, FileResult):
                broken = _unread(loaded)
                yield GameImpact(loaded.name, broken, broken)
            elif loaded.is_state:
                self.positions += 1
            else:
                yield self._game(loaded, known)

    def _game(self, loaded: Loaded, known: list[Reply | None]) -> GameImpact:
        first, second = (
            side.judge(loaded) if reply is None or not reply.is_clean else side.clean(loaded, reply)
            for side, reply in zip(self.sides, known, strict=True)
        )
        name = loaded.document.name
        game = GameImpact(name, first, second)
        if any(side.lines_of_consequences.intersection(game.other_lines) for side in self.sides):
            # Only the engine can tell which consequences differed.
            if first.happened is None:
                first = self.sides[0].judge(loaded)
            if second.happened is None:
                second = self.sides[1].judge(loaded)
            return GameImpact(name, first, second)
        # Consequences are no cause for lines that do not depend on them, whoever judged the game.
        return GameImpact(name, replace(first, happened=None), replace(second, happened=None))


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
