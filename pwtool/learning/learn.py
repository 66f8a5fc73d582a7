"""From games to the rules by which they were played, with the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pwtool.checking.documents import Loaded, load_document
from pwtool.checking.explaining import Refusal, in_short
from pwtool.checking.report import FileResult
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.learning.chances import use_of
from pwtool.learning.corpus import OPEN, Corpus, Refused, is_refused, known_editions, rules_of, spread
from pwtool.learning.deciding import first_finding
from pwtool.learning.invariants import broken_invariants
from pwtool.learning.judging import Rules
from pwtool.learning.kinds import Variant
from pwtool.learning.learned import Change, Learned, Partial, Slip
from pwtool.learning.others import OTHERS, Others
from pwtool.learning.search import TRIED, Search
from pwtool.learning.sisters import trimmed
from pwtool.learning.states import Budget, Prices, State
from pwtool.learning.suspecting import suspicions_of
from pwtool.learning.texts import Items, text_of
from pwtool.learning.words import differing
from pwtool.learning.writing import edition_text
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import RULES, Library, split_address
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile

ROUNDS = 3
"""How often games that the learned rules refuse, of those that were not looked at, are learned from too."""
TRIED_UNSEEN = 300
"""The number of changes that are tried if all games have cards that nobody saw."""
NAMED = 3
"""The number of games that the reason of a change names."""
MOST_WRONG = 200
"""How many games that nothing explains are judged by the other known rulesets."""
LOOKED = 20
"""The number of games in which is counted how often a change could be used."""


class NothingToLearn(Exception):
    """There are no games, or no ruleset to begin from; the findings say why, and what is `left_out` is no game, or one of another
    game.
    """

    def __init__(
        self, message: str, findings: Sequence[Diagnostic] = (), left_out: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(message)
        self.findings, self.left_out = tuple(findings), tuple(left_out)


@dataclass(slots=True)
class Learner:
    """Learns from games by known rulesets (none: all those of the game that the first one names)."""

    ruleset_store: RulesetStore
    addresses: Sequence[str] = ()
    prices: Prices = field(default_factory=Prices)
    name: str = "house"
    decide: bool = True
    suspect: bool = True
    progress: Callable[[str], None] | None = None
    language: str = "en"
    jobs: int = 1
    """How many processes may try changes; more than one only where rules are read from files."""

    def learn(self, documents: Iterable[Document | Loaded | FileResult]) -> Learned:
        """What these games say. Raises `NothingToLearn`."""
        corpus, addresses = self._read(documents)
        books = {a: book for a in addresses if (book := self.ruleset_store.get(a).value) is not None}
        if not books:
            wrong = [d for a in addresses for d in self.ruleset_store.get(a).diagnostics]
            raise NothingToLearn("there is no ruleset to begin from", wrong)
        # Whoever says from what to begin means it, whatever the games name.
        games = [] if self.addresses else self.ruleset_store.library.games()
        corpus.keep_games_of(list(books.values()), addresses[0], games)
        if not corpus.names:
            raise NothingToLearn(f"there are no games of {addresses[0]}", (), corpus.left_out)
        verdicts: list[Refused | None] | None = None
        learned: State | None = None
        for last in reversed(range(ROUNDS)):
            samples = corpus.samples(books.values(), verdicts)
            budget = Budget(TRIED if corpus.known else TRIED_UNSEEN)
            search = Search(self.ruleset_store, samples, self.prices, budget, self.progress, self.jobs)
            with search.workers:
                states = search.run(books, learned)
                state = learned = states[0]
                book = self._book(state, books[state.address], {})
                verdicts = corpus.verdicts(book, rules_of(book))
                if not last or not self._has_more(corpus, verdicts, {sample.name for sample in samples}):
                    return self._told(corpus, search, states, books[state.address], verdicts)
        raise AssertionError("the last round tells what was learned")

    def _read(self, documents: Iterable[Document | Loaded | FileResult]) -> tuple[Corpus, list[str]]:
        corpus, addresses = Corpus(), list(self.addresses)
        findings: list[Diagnostic] = []
        told: set[str] = set()
        for document in documents:
            loaded = load_document(document) if isinstance(document, Document) else document
            if isinstance(loaded, FileResult):
                findings += loaded.diagnostics
                told.add(loaded.name)
            elif not addresses:
                addresses = known_editions(loaded, self.ruleset_store)
            corpus.add(loaded, self.ruleset_store, addresses[0] if self.addresses else None)
        if not corpus.names:
            raise NothingToLearn("there are no games", findings, [out for out in corpus.left_out if out[0] not in told])
        return corpus, addresses

    def _has_more(self, corpus: Corpus, verdicts: Sequence[Refused | None], looked: set[str]) -> bool:
        """Whether the learned rules refuse games alike that were not looked at, too many for slips."""
        most = self.prices.of(len(corpus.names)) / self.prices.slip
        refused = Counter(verdict[1] or verdict[0] for verdict in verdicts if is_refused(verdict))
        missed = [v for name, v in zip(corpus.names, verdicts, strict=True) if is_refused(v) and name not in looked]
        return any(refused[rule or code] > most for code, rule in missed)

    # ---- what is told

    def _told(
        self,
        corpus: Corpus,
        search: Search,
        states: list[State],
        base: Rulebook,
        verdicts: Sequence[Refused | None],
    ) -> Learned:
        state, games = states[0], len(corpus.names)
        known = corpus.verdicts(base, rules_of(base)) if state.steps else verdicts
        beside = Others.of(search, state)
        changes = self._changes(corpus, search, state, verdicts, beside)
        pairs = zip(known, verdicts, strict=True)
        explained = Counter(old[1] or old[0] for old, new in pairs if is_refused(old) and not is_refused(new))
        unexplained, partial = self.prices.unexplained(games, _refusals(verdicts), explained), None
        if changes and unexplained:
            # Games speak against them: something else is played.
            partial = _partial(changes, known, verdicts, {refusal[:2] for refusal in unexplained})
            state = next(start for start in search.starts if start.address == state.address)
            changes, verdicts, beside = [], known, Others.of(search, state)
            unexplained = tuple((code, rule, n) for (code, rule), n in _refusals(known).most_common())
        elif unexplained and not changes:
            partial = self._partial(corpus, search, state, verdicts)
        reasons = {change.key: _reason(change) for change in changes}
        broken = self._broken(search, state, base)
        book = self._book(state, base, reasons, broken)
        text = self._text(state, base, reasons, broken)
        near = tuple(
            other.address
            for other in states[1:]
            if not other.steps
            and not state.steps
            and any(seen.clean for seen in state.seen)
            and [seen.clean for seen in other.seen] == [seen.clean for seen in state.seen]
            and search.outlay(other) <= search.outlay(state) + 0.1
        )
        wrong = [n for n, verdict in enumerate(verdicts) if is_refused(verdict)]
        alike = {refusal[:2] for refusal in unexplained}
        refused = [(verdicts[n] in alike, self._slip(book, corpus, n, beside)) for n in wrong]
        slips, open_ = (tuple(slip for among, slip in refused if among is which) for which in (False, True))
        others = {s.address: s.rules for s in search.states if unexplained and not s.steps}
        for address in {change.source for change in changes if change.source and wrong}.difference(others):
            source = self.ruleset_store.get(address).value
            others |= {} if source is None else {address: rules_of(source)}
        elsewhere = [
            (address, sum(rules.judge(corpus.sample(n)).clean for n in spread(wrong, MOST_WRONG)))
            for address, rules in sorted(others.items())
            if address != state.address
        ]
        elsewhere = sorted(filter(lambda entry: entry[1], elsewhere), key=lambda entry: -entry[1])[:OTHERS]
        suspicions = suspicions_of(search, state) if self.suspect else ()
        return Learned(
            state.address, self.name, text, tuple(changes), games, sum(v is None for v in verdicts), slips,
            unexplained, tuple(corpus.left_out), tuple(suspicions), self.prices, search.budget.tried,
            (base.game, book.game), book.game.ruleset.version, near, tuple(elsewhere), _folder(state.address, base, self.ruleset_store.library),
            open_, tuple(name for name, verdict in zip(corpus.names, verdicts, strict=True) if verdict == OPEN), partial,
        )  # fmt: skip

    def _partial(self, corpus: Corpus, search: Search, state: State, known: Sequence[Refused | None]) -> Partial | None:
        """What explains many of the games that a known ruleset refuses, but refuses others."""
        enough = self.prices.of(len(corpus.names)) / self.prices.slip
        noted = search.notes.partial(state.address, state.seen, enough)
        rules = None if noted is None else Rules.made(state.address, state.rules.merged, noted.items.values())
        if noted is None or rules is None:
            return None
        verdicts = corpus.verdicts(rules.book(), rules)
        pairs = zip(corpus.names, known, verdicts, strict=True)
        names = tuple(name for name, old, new in pairs if is_refused(old) and not is_refused(new))
        changes = [self._change(state.rules.merged.items, one, names) for one in noted.items.values()]
        return _partial(changes, known, verdicts, set(filter(is_refused, verdicts)))

    def _broken(self, search: Search, state: State, base: Rulebook) -> set[Key]:
        """The invariants of the known ruleset that do not hold in the games."""
        if not state.steps:
            return set()
        book = self._book(state, base, {})
        # They hold in games that are clean without the changes.
        games = zip(search.samples, state.steps[0].before.seen, state.seen, strict=True)
        new = [sample for sample, known, seen in games if not known.clean and seen.clean and not seen.open]
        some = [state.rules.record(sample) for sample in spread(new, LOOKED)]
        return broken_invariants(book.game, book.legal, [record for record in some if record is not None])

    def _text(self, state: State, base: Rulebook, reasons: dict[Key, str], broken: Collection[Key] = ()) -> str:
        merged, address = base.game.ruleset.merged, state.address
        if split_address(address)[0] is not None:
            # An edition of a file can only be written as one of the ruleset that the file changes, with its changes, or of its game.
            address = merged.edition.base or merged.edition.name.name
            book = self.ruleset_store.get(address).value if merged.edition.base else None
            merged = merged if book is None else book.game.ruleset.merged
        kept = {key: node for key, node in merged.items.items() if key[0] == "invariant"}
        before = {**trimmed(merged).items, **kept}
        after = {**state.rules.merged.items, **{key: node for key, node in kept.items() if key not in broken}}
        title = f"{base.game.ruleset.title}, as played"
        reasons = {**reasons, **dict.fromkeys(broken, "it does not hold in these games")}
        # The examples of the file go on to say what they said of what stays as it was.
        own = base.game.ruleset.merged
        shown = [one for one in own.examples if one not in merged.examples and _is_as_it_was(one, own.items, after)]
        return edition_text(self.name, address, title, before, after, reasons, merged.texts, shown)

    def _book(self, state: State, base: Rulebook, reasons: dict[Key, str], broken: Collection[Key] = ()) -> Rulebook:
        """The learned rules, loaded from the text of their file; as they were tried if that does not load."""
        if not state.steps:
            return base
        path = (Path(split_address(state.address)[0] or "").parent / f"{self.name}.rules").as_posix()
        drafts = {**self.ruleset_store.library.drafts, path: self._text(state, base, reasons, broken)}
        library = Library(self.ruleset_store.library.folder, None, drafts=drafts)
        found = RulesetStore(library, self.ruleset_store.readings, self.ruleset_store.as_printed).get(path)
        return found.value if found.value is not None else state.rules.book()

    def _changes(
        self,
        corpus: Corpus,
        search: Search,
        state: State,
        verdicts: Sequence[Refused | None],
        others: Others,
    ) -> list[Change]:
        found = []
        last = {step.variant.key: number for number, step in enumerate(state.steps)}
        for number in sorted(last.values()):
            step = state.steps[number]
            without = self._without(state, number)
            names: tuple[str, ...] = ()
            if without is not None:
                refused = corpus.verdicts(without.book(), without)
                pairs = zip(corpus.names, verdicts, refused, strict=True)
                names = tuple(name for name, now, then in pairs if not is_refused(now) and is_refused(then))
            change = self._change(state.steps[0].before.rules.merged.items, step.variant, names)
            if without is not None:
                change = self._counted(change, search, state, without)
            told, more = others.told(number, without, self.language, self.decide)
            found.append(replace(change, others=told, more=more))
        return found

    def _without(self, state: State, number: int) -> Rules | None:
        """The learned rules without the changes of an item."""
        key = state.steps[number].variant.key
        return self._made(state, [step.variant for step in state.steps if step.variant.key != key])

    def _made(self, state: State, variants: Iterable[Variant]) -> Rules | None:
        """The known ruleset with these changes; None if they cannot be made together."""
        return Rules.made(state.address, state.steps[0].before.rules.merged, variants)

    def _change(self, items: Items, variant: Variant, names: tuple[str, ...]) -> Change:
        before, after = differing(text_of(items, variant.key), variant.text)
        text = str(getattr(items.get(variant.key), "text", ""))
        return Change(variant.key, variant.kind, text, before, after, variant.source, names)

    def _counted(self, change: Change, search: Search, state: State, without: Rules) -> Change:
        """With how often it could be used, and was."""
        tested = chances = used = looked = 0
        expected, at_least = 0.0, False
        clean = [s for s, seen in zip(search.samples, state.seen, strict=True) if seen.clean]
        for sample in spread(range(len(clean)), LOOKED):
            one, other = state.rules.record(clean[sample]), without.record(clean[sample])
            use = None if one is None or other is None else use_of(without, state.rules, one, other)
            if use is not None:
                looked, at_least = looked + 1, at_least or use.at_least
                tested, chances, used = tested + bool(use.chances), chances + use.chances, used + use.used
                expected += use.expected
        return replace(
            change, looked_at=looked, tested=tested, chances=chances, used=used, at_least=at_least, expected=expected
        )

    def _slip(self, book: Rulebook, corpus: Corpus, number: int, others: Others) -> Slip:
        """A game that is refused, and what would explain it."""
        name = corpus.names[number]
        explained = others.explaining(name, corpus.sample(number)) if others.wider else None
        return Slip(name, self._finding(book, corpus, number), explained)

    def _finding(self, book: Rulebook, corpus: Corpus, number: int) -> Diagnostic:
        """The first finding in a game that is probably wrong."""
        name = corpus.names[number]
        found = first_finding(book, name, corpus.texts[number], self.language)
        if found is not None:
            return found
        source = SourceFile(name, "")
        refusal = Refusal("PW608", "", None, None)
        return in_short(book, source, name, book.game.ruleset.address, refusal, self.language).diagnostics[0]


def _is_as_it_was(example: n.Example, known: Items, after: Items) -> bool:
    """Whether learned rules have what an example is about as it was known."""
    about = [key for key in known if key[1] == example.name.name]
    return bool(about) and all(after.get(key) == known[key] for key in about)


def _refusals(verdicts: Iterable[Refused | None]) -> Counter[Refused]:
    """How often each refusal is."""
    return Counter(verdict for verdict in verdicts if is_refused(verdict))


def _partial(
    changes: Sequence[Change], known: Sequence[Refused | None], verdicts: Sequence[Refused | None], left: set[Refused]
) -> Partial:
    """Changes that are not made, with what they leave refused, and what they refuse."""
    pairs = [(is_refused(old), new) for old, new in zip(known, verdicts, strict=True) if new in left]
    still, lost = (_refusals(new for old, new in pairs if old is which).most_common() for which in (True, False))
    clean = sum(verdict is None for verdict in verdicts)
    return Partial(tuple(changes), clean, tuple((*key, n) for key, n in still), tuple((*key, n) for key, n in lost))


def _folder(address: str, base: Rulebook, library: Library) -> Path | None:
    file, edition = split_address(address)[0], base.game.ruleset.merged.edition
    if file is None or (edition.base is not None and edition.base.partition("/")[0] in library.games()):
        return None
    path = Path(file).resolve()
    if edition.base is not None:
        return path.parent
    return (
        path.parent if (path.parent.name, path.name) == (edition.name.name, RULES) else path.parent / edition.name.name
    )


def _reason(change: Change) -> str:
    """Why the edition file has a change: the games that show it."""
    names = ", ".join(islice((_short(name) for name in change.games), NAMED))
    more = len(change.games) - NAMED
    if not names:
        return "no game is refused without it"
    count = len(change.games)
    shown = f"{count} {'game shows' if count == 1 else 'games show'} it: {names}"
    return shown + (f" and {more} more" if more > 0 else "")


def _short(name: str) -> str:
    """The name of a game without the folders that it is in."""
    return name.replace("\\", "/").rpartition("/")[2]
