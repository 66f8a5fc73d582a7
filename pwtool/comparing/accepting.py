"""Which rulesets accept a document, and the first thing that each of the others refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pwtool.checking.documents import (
    Loaded,
    check_loaded,
    choose_rulebook,
    decode_loaded,
    own_address,
    played_of,
    summarize,
)
from pwtool.checking.report import FileResult, Verdict
from pwtool.play.replay import replay_record
from pwtool.records.shelf import Shelf
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from pwtool.text.speech import Speech, Told
from pwtool.why.findings import Place, to_diagnostics

# With more variants than this, only each one alone and all of them together are tried.
MAX_VARIANTS = 4


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


def known_rulesets(shelf: Shelf, loaded: Loaded, more: Sequence[str] = ()) -> list[str]:
    """The rulesets to try for a document: all those of the game that it names, or of every game if it names none."""
    library = shelf.library
    named = loaded.named_ruleset()
    game = _game(named) if named else None
    games = [game] if game is not None and game in library.games() else library.games()
    allowed = own_address(loaded, shelf)
    own = [allowed] if isinstance(allowed, str) else []
    return list(dict.fromkeys([*more, *own, *(a for name in games for a in addresses_of(library, name))]))


def try_rulesets(loaded: Loaded, shelf: Shelf, more: Sequence[str], language: str) -> Candidates:
    """The answers of all rulesets that can judge the document; if none can read it, why the first of them cannot."""
    answers: list[Answer] = []
    unreadable: tuple[Diagnostic, ...] = ()
    for address in known_rulesets(shelf, loaded, more):
        # An edition may exclude a variant, and a record may name a ruleset that is not installed.
        if shelf.get(address).value is None:
            continue
        answer = _ask(loaded, shelf, address, language)
        if answer.verdict is Verdict.UNREADABLE:
            unreadable = unreadable or ((answer.first,) if answer.first else ())
        answers.append(answer)
    readable = [a for a in answers if a.verdict is not Verdict.UNREADABLE]
    if not readable:
        return Candidates(loaded.document.name, (), unreadable)
    # A ruleset of another game that cannot read the document says nothing about it.
    games = {_game(a.address) for a in readable}
    shown = [a for a in answers if a.verdict is not Verdict.UNREADABLE or _game(a.address) in games]
    return Candidates(loaded.document.name, tuple(sorted(shown, key=_rank)))


def _rank(answer: Answer) -> tuple[int, int]:
    order = (Verdict.CLEAN, Verdict.UNDETERMINED, Verdict.FINDINGS, Verdict.UNREADABLE)
    return order.index(answer.verdict), -answer.turns


def _game(address: str) -> str:
    return address.partition("/")[0].partition("+")[0]


def _ask(loaded: Loaded, shelf: Shelf, address: str, language: str) -> Answer:
    answer, book = _answer(loaded, shelf, address, language), shelf.get(address).value
    if answer.first is not None:
        answer = replace(answer, first=answer.first.within(Speech(language)))
    return answer if book is None else replace(answer, version=book.game.ruleset.version)


def _answer(loaded: Loaded, shelf: Shelf, address: str, language: str) -> Answer:
    if loaded.is_state:
        result = check_loaded(loaded, shelf, address, language)
        return Answer(address, result.verdict, result.summary, next(iter(result.diagnostics), None), None, 0)
    chosen = choose_rulebook(loaded, shelf, address)
    if isinstance(chosen, FileResult):
        return Answer(address, chosen.verdict, (), next(iter(chosen.diagnostics), None))
    whole, book, _ = chosen
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        return Answer(address, record.verdict, (), next(iter(record.diagnostics), None))
    replay = replay_record(book.game, record, book.legal)
    place = Place(
        loaded.document.name, whole.locate, record.players, loaded.document.command, loaded.notation is not None
    )
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
    if certain and certain[0].path[:1] == ("setup",):
        findings += [f for f in certain if f.turn is not None][:1]
    diagnostics = to_diagnostics(book, findings, place, language)
    turns = replay.prefix[0] if replay.prefix is not None else len(record.turns)
    return Answer(
        address,
        Verdict.FINDINGS if certain else Verdict.UNDETERMINED,
        (),
        diagnostics[0],
        diagnostics[1] if len(diagnostics) > 1 else None,
        0 if findings[0].path[:1] == ("setup",) else turns,
        material=bool(certain) and all(f.path[:1] == ("setup",) for f in replay.findings),
    )
