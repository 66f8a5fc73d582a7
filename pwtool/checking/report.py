"""The result of a check, ready to be rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.text import Diagnostic
from pwtool.text.speech import Speech, Told

if TYPE_CHECKING:
    from pwtool.checking.explaining import Asked


class NotKept(Exception):
    """A part of the results cannot be written; the argument says why."""


class Verdict(StrEnum):
    """What a check concluded about one document."""

    CLEAN = "clean"
    FINDINGS = "findings"
    UNDETERMINED = "undetermined"
    UNREADABLE = "unreadable"


class Played(Struct, frozen=True):
    """How a recorded game went: players by seat, and what was played. If the game is over: totals and score lines of
    each seat (None: not known), the seats that share each place, best first (None: not known), and which ending was
    triggered in which turn. `claims` maps the objectives in play to the turn of the first claim (None: nobody claimed
    it); `id` is the record's own name; `unseen`: whether it has things that nobody saw.
    """

    players: tuple[str, ...]
    turns: int
    actions: int
    over: bool
    totals: tuple[int | None, ...] = ()
    lines: tuple[dict[str, int | None], ...] = ()
    ranking: tuple[tuple[int, ...], ...] | None = None
    ending: str | None = None
    ending_turn: int | None = None
    claims: dict[str, int | None] = field(default_factory=dict)
    unseen: bool = False
    id: str | None = None


class FileResult(Struct, frozen=True):
    """The verdict on one document under one ruleset (or on `documents` clean ones of an archive, or on none: the warnings
    are about files that were left out); `version` is that of
    the ruleset. `summary` is the verdict in a few words; `played` is None if the document is not a readable game. `by`
    is why the engine judged it in a run in which kernels judge; `together`: whether it stands for clean games of an
    archive; `cut_short`: whether judging stopped before the end of the document; `side_lines`: how many lines of play
    beside the game were not judged; `explained` is false if only the first refusal is told, `asked` is the game if it may
    be explained later. `seats`: how many of several games have so many players, if their rows are known; `names` are those
    of several, if each is listed.
    """

    name: str
    ruleset: str | None
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...] = ()
    summary: tuple[Told, ...] = ()
    documents: int = 1
    played: Played | None = None
    version: str | None = None
    by: str = ""
    together: bool = False
    side_lines: int = 0
    cut_short: bool = False
    explained: bool = True
    asked: Asked | None = None
    seats: dict[int, int] | None = None
    names: tuple[str, ...] = ()

    def told(self, follow_ups: bool = False) -> list[Diagnostic]:
        """The findings, without those that only follow from others unless they are wanted."""
        return [d for d in self.diagnostics if follow_ups or not d.follows]

    def within(self, speech: Speech) -> FileResult:
        """The same in a language."""
        if not self.diagnostics:
            return self
        return replace(self, diagnostics=tuple(d.within(speech) for d in self.diagnostics))

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing more to say about it than that it is clean."""
        return self.verdict is Verdict.CLEAN and not self.diagnostics and not self.cut_short

    @property
    def rules(self) -> str:
        """The rules that judged, as shown to people: address and version."""
        if self.ruleset and self.version:
            return f"{self.ruleset} {self.version}"
        return self.ruleset or self.version or ""


def beside(side_lines: int) -> tuple[Told, ...]:
    """How many side lines were not judged, in words."""
    if not side_lines:
        return ()
    return (Told("{count} side line not judged", "{count} side lines not judged", side_lines),)


_EXIT = {Verdict.CLEAN: 0, Verdict.FINDINGS: 1, Verdict.UNREADABLE: 2, Verdict.UNDETERMINED: 3}
_PRECEDENCE = (101, 2, 1, 3, 0)


class Report(Struct, frozen=True):
    """Results of one run, in a language. `whole` are the numbers of all documents and the exit code, if only some of the
    results are shown.
    """

    results: tuple[FileResult, ...]
    tool: str
    version: str
    language: str = "en"
    whole: tuple[dict[Verdict, int], int] | None = None

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of documents for each verdict."""
        if self.whole is not None:
            return self.whole[0]
        found: Counter[Verdict] = Counter()
        for result in self.results:
            found[result.verdict] += result.documents
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """The worst exit code of all documents (`exit_of`)."""
        if self.whole is not None:
            return self.whole[1]
        return exit_of(
            {r.verdict for r in self.results}, any(d.code == "PW901" for r in self.results for d in r.diagnostics)
        )


def exit_of(verdicts: Iterable[str], mistakes: bool) -> int:
    """0 clean, 1 findings, 2 unreadable, 3 undetermined, 101 internal; the worst of all."""
    return worst({_EXIT[Verdict(verdict)] for verdict in verdicts} | ({101} if mistakes else set()))


def worst(codes: set[int]) -> int:
    """The most informative of several exit codes."""
    return next((code for code in _PRECEDENCE if code in codes), 0)


class Gathered(Struct):
    """Results in which the clean games of an archive under the same rules are one, and with `reasons` those that cannot be judged for
    the same reason, at the place of the first of them: who reads them needs no list, but a report in a file has all.
    """

    reasons: bool = False
    results: list[FileResult] = field(default_factory=list)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, result: FileResult) -> None:
        """Append a result, or merge it into the one for its archive."""
        file = archive_of(result)
        if file is None:
            reason = _reason_of(result) if self.reasons else None
            if reason is None:
                self.results.append(result)
                return
            place = self._places.setdefault(reason, len(self.results))
            first = self.results[place] if place < len(self.results) else replace(result, documents=0)
            self.results[place : place + 1] = [replace(first, documents=first.documents + result.documents)]
            return
        place = self._places.setdefault((file, result.rules), len(self.results))
        before = (
            self.results[place] if place < len(self.results) else FileResult(file, None, Verdict.CLEAN, documents=0)
        )
        games, side_lines = result.documents + before.documents, result.side_lines + before.side_lines
        self.results[place : place + 1] = [_together(file, result, games, side_lines)]

    def take_found(self) -> list[FileResult]:
        """Remove and return everything but the clean games of archives."""
        taken = [r for r in self.results if not r.together]
        self.results = [r for r in self.results if r.together]
        self._places = {(r.name, r.rules): at for at, r in enumerate(self.results)}
        return taken


def _reason_of(result: FileResult) -> tuple[str, str] | None:
    """The archive with a game that cannot be judged, and the only reason why, which others have, too; None for other results."""
    file, colon, line = result.name.rpartition(":")
    if not (colon and line.replace(".", "").isdigit() and result.verdict is Verdict.UNREADABLE):
        return None
    if result.asked is not None or [d.code for d in result.diagnostics] not in (["PW704"], ["PW706"]):
        return None
    return file, str(result.diagnostics[0].message)


def archive_of(result: FileResult) -> str | None:
    """The archive with whose clean games a result is merged; None if it is told alone."""
    if result.together:
        return result.name
    file, colon, line = result.name.rpartition(":")
    return file if result.is_plain and colon and line.replace(".", "").isdigit() else None


def _together(file: str, result: FileResult, games: int, side_lines: int) -> FileResult:
    """So many clean games of an archive as one result, `result` is that of one of them."""
    summary = (Told("{count} game", "{count} games", games), *beside(side_lines))
    return FileResult(
        file, result.ruleset, Verdict.CLEAN, (), summary, games, version=result.version, together=True,
        side_lines=side_lines,
    )  # fmt: skip


def gather(results: Iterable[FileResult]) -> list[FileResult]:
    """The results of a piece, gathered."""
    gathered = Gathered()
    for result in results:
        gathered.add(result)
    return gathered.results
