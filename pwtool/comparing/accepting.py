"""Which rulesets accept a document, and the first thing that each of the others refuses; which near ones accept what one
refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

from msgspec.structs import replace as replace_struct

from pwtool.checking.documents import (
    Loaded,
    check_loaded,
    choose_rulebook,
    decode_loaded,
    own_address,
    place_of,
    played_of,
    summarize,
)
from pwtool.checking.report import FileResult, Verdict
from pwtool.comparing.impact import in_setup
from pwtool.play.replay import replay_record
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library, split_address
from pwtool.text import Diagnostic, Severity
from pwtool.text.speech import Speech, Told
from pwtool.why.findings import to_diagnostics

# With more variants than this, only each one alone and all of them together are tried.
MAX_VARIANTS = 4
MAX_NEAR = 16
"""The number of near rulesets that are tried for a document."""
MAX_KINDS = 20
"""The number of kinds of findings for which near rulesets are tried in one run."""
MAX_TRIED = 3
"""The number of documents that are tried for each kind of finding, as long as nothing accepts one."""
MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What one ruleset says about one document.

    `first` is the first finding in the order of play; if `first` is about the setup, `action` is the first one about an action.
    `turns` counts the whole turns before the first refused action (-1: the document cannot be read); `version` is the ruleset's.
    """

    address: str
    verdict: Verdict
    summary: tuple[Told, ...] = ()
    first: Diagnostic | None = None
    action: Diagnostic | None = None
    turns: int = -1
    version: str | None = None
    material: bool = False
    """Whether all its findings are about what was dealt: with other components the game would fit."""

    @property
    def fits(self) -> bool:
        return self.verdict is Verdict.CLEAN


@dataclass(frozen=True, slots=True)
class Candidates:
    """The answers to one document: first those that fit, then by how far the game is accepted."""

    name: str
    answers: tuple[Answer, ...]
    unreadable: tuple[Diagnostic, ...] = ()
    unread: frozenset[str] = frozenset()
    """The rulesets that cannot read the document."""

    @property
    def fitting(self) -> list[str]:
        """The rulesets that accept the document."""
        return [a.address for a in self.answers if a.fits]


def addresses_of(library: Library, game: str) -> list[str]:
    """Every edition of a game (the game itself if it has none), alone and with its variants."""
    found = library.overlays(game)
    bases = [f"{game}/{edition}" for edition in found["edition"]] or [game]
    names = found["variant"]
    sizes = range(len(names) + 1) if len(names) <= MAX_VARIANTS else (0, 1, len(names))
    chosen = ["".join(f"+{name}" for name in part) for size in sizes for part in combinations(names, size)]
    return [base + variants for variants in chosen for base in bases]


def near_rulesets(library: Library, address: str) -> list[str]:
    """The rulesets next to one of the library: with a variant less, with a variant more, of another edition."""
    base, *variants = address.split("+")
    game, _, edition = base.partition("/")
    if split_address(address)[0] is not None or game not in library.games():
        return []
    found = library.overlays(game)
    less = ["+".join((base, *(v for v in variants if v != name))) for name in variants]
    more = [f"{address}+{name}" for name in found["variant"] if name not in variants]
    others = ["+".join((f"{game}/{name}", *variants)) for name in found["edition"] if name != edition]
    return [*less, *more, *others][:MAX_NEAR]


@dataclass(slots=True)
class Nearby:
    """Names the near rulesets that accept a document which one refuses, at its first finding: once for each kind of finding
    under each ruleset, of whose documents the first few are tried.
    """

    ruleset_store: RulesetStore
    language: str
    tried: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _near: dict[str, list[str]] = field(default_factory=dict)

    def tell(self, result: FileResult, load: Callable[[], Loaded | FileResult]) -> FileResult:
        """The result, with a note if a near ruleset accepts the document that `load` reads."""
        at = next((n for n, d in enumerate(result.diagnostics) if not d.follows and d.level is Severity.ERROR), None)
        if at is None or result.ruleset is None:
            return result
        first = result.diagnostics[at]
        kind = (result.ruleset, first.code, first.rule or "")
        if first.code in _NOT_OF_RULES or self.tried[kind] >= MAX_TRIED or len(self.tried) > MAX_KINDS:
            return result
        self.tried[kind] += 1
        near = self._near.get(result.ruleset)
        if near is None:
            near = self._near[result.ruleset] = near_rulesets(self.ruleset_store.library, result.ruleset)
        loaded = load() if near else result
        if isinstance(loaded, FileResult):
            return result
        accepting = (f"`{address}`" for address in near if _accepts(loaded, self.ruleset_store, address))
        found = list(islice(accepting, MAX_NAMED))
        if not found:
            return result
        self.tried[kind] = MAX_TRIED
        note = Speech(self.language).many(
            "{rulesets} accepts it", "{rulesets} accept it", len(found), rulesets=", ".join(found)
        )
        noted = replace_struct(first, notes=(*first.notes, note))
        return replace_struct(result, diagnostics=(*result.diagnostics[:at], noted, *result.diagnostics[at + 1 :]))


# The version that a record names, and internal errors.
_NOT_OF_RULES = ("PW613", "PW901")


def _accepts(loaded: Loaded, ruleset_store: RulesetStore, address: str) -> bool:
    if loaded.is_state:
        return check_loaded(loaded, ruleset_store, address, "en").verdict is Verdict.CLEAN
    chosen = choose_rulebook(loaded, ruleset_store, address)
    if isinstance(chosen, FileResult):
        return False
    whole, book, _ = chosen
    record = decode_loaded(whole, book)
    return not isinstance(record, FileResult) and replay_record(book.game, record, book.legal, most=1).clean


def known_rulesets(ruleset_store: RulesetStore, loaded: Loaded, more: Sequence[str] = ()) -> list[str]:
    """The rulesets to try for a document: all those of the game that it names, or of every game if it names none."""
    library = ruleset_store.library
    named = loaded.named_ruleset()
    game = _game(named) if named else None
    games = [game] if game is not None and game in library.games() else library.games()
    allowed = own_address(loaded, ruleset_store)
    own = [allowed] if isinstance(allowed, str) else []
    return list(dict.fromkeys([*more, *own, *(a for name in games for a in addresses_of(library, name))]))


def files_below(ruleset_store: RulesetStore, address: str) -> list[str]:
    """The rules files that a ruleset of files builds on."""
    book = ruleset_store.get(address).value
    names = [] if book is None else [header.span.file.name for header in book.game.ruleset.merged.headers]
    return [name for name in names if split_address(name)[0] is not None]


def try_rulesets(
    loaded: Loaded, ruleset_store: RulesetStore, more: Sequence[str], language: str, without: Collection[str] = ()
) -> Candidates:
    """The answers of all rulesets that can judge the document, some of them left out; if none can read it, why the one that
    gets furthest cannot.
    """
    answers: list[Answer] = []
    for address in known_rulesets(ruleset_store, loaded, more):
        # An edition may exclude a variant, and a record may name a ruleset that is not installed.
        if address in without or ruleset_store.get(address).value is None:
            continue
        answers.append(_ask(loaded, ruleset_store, address, language))
    readable = [a for a in answers if a.verdict is not Verdict.UNREADABLE]
    unread = frozenset(without) | {a.address for a in answers if a.verdict is Verdict.UNREADABLE}
    if not readable:
        problems = [a.first for a in answers if a.first is not None]
        furthest = max(problems, key=lambda d: d.span.start if d.span else 0, default=None)
        return Candidates(loaded.document.name, (), () if furthest is None else (furthest,), unread)
    # A ruleset of another game that cannot read the document says nothing about it.
    games = {_game(a.address) for a in readable}
    shown = [a for a in answers if a.verdict is not Verdict.UNREADABLE or _game(a.address) in games]
    return Candidates(loaded.document.name, tuple(sorted(shown, key=_rank)), unread=unread)


def _rank(answer: Answer) -> tuple[int, int]:
    order = (Verdict.CLEAN, Verdict.UNDETERMINED, Verdict.FINDINGS, Verdict.UNREADABLE)
    return order.index(answer.verdict), -answer.turns


def _game(address: str) -> str:
    return address.partition("/")[0].partition("+")[0]


def _ask(loaded: Loaded, ruleset_store: RulesetStore, address: str, language: str) -> Answer:
    answer, book = _answer(loaded, ruleset_store, address, language), ruleset_store.get(address).value
    if answer.first is not None:
        answer = replace(answer, first=answer.first.within(Speech(language)))
    return answer if book is None else replace(answer, version=book.game.ruleset.version)


def _answer(loaded: Loaded, ruleset_store: RulesetStore, address: str, language: str) -> Answer:
    if loaded.is_state:
        result = check_loaded(loaded, ruleset_store, address, language)
        return Answer(address, result.verdict, result.summary, next(iter(result.diagnostics), None), None, 0)
    chosen = choose_rulebook(loaded, ruleset_store, address)
    if isinstance(chosen, FileResult):
        return Answer(address, chosen.verdict, (), next(iter(chosen.diagnostics), None))
    whole, book, _ = chosen
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        return Answer(address, record.verdict, (), next(iter(record.diagnostics), None))
    replay = replay_record(book.game, record, book.legal)
    place = place_of(whole, record.players, record)
    if replay.clean:
        return Answer(
            address,
            Verdict.CLEAN,
            summarize(book.game.ruleset, played_of(book.game, replay)),
            None,
            None,
            len(record.turns),
        )
    certain = [f for f in replay.findings if not f.undetermined]
    findings = (certain or replay.findings)[:1]
    if certain and in_setup(certain[0]):
        findings += [f for f in certain if f.turn is not None][:1]
    diagnostics = to_diagnostics(book, findings, place, language)
    turns = replay.prefix[0] if replay.prefix is not None else len(record.turns)
    return Answer(
        address,
        Verdict.FINDINGS if certain else Verdict.UNDETERMINED,
        (),
        diagnostics[0],
        diagnostics[1] if len(diagnostics) > 1 else None,
        0 if in_setup(findings[0]) else turns,
        material=bool(certain) and all(map(in_setup, replay.findings)),
    )
