"""The result of a check, ready to be rendered."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from msgspec import Struct

from pwtool.text import Diagnostic


class Verdict(StrEnum):
    """What a check concluded of one document."""

    CLEAN = "clean"
    FINDINGS = "findings"
    UNDETERMINED = "undetermined"
    UNREADABLE = "unreadable"


class Played(Struct, frozen=True):
    """How a recorded game went: players by seat, what was played, and of a game that is over the totals and score lines
    of each seat (None: not known), the seats that share each place, best first (None: not known), which ending was
    triggered in which turn.
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


class FileResult(Struct, frozen=True):
    """The verdict on one document under one ruleset (or on `documents` clean ones of an archive), of which `version` names
    the very rules. `summary` says it in a few words; `played` is None for what is no game that could be read.
    """

    name: str
    ruleset: str | None
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...] = ()
    summary: tuple[str, ...] = ()
    documents: int = 1
    played: Played | None = None
    version: str | None = None

    @property
    def rules(self) -> str:
        """The rules that judged, as people are told: address and version."""
        return " ".join(part for part in (self.ruleset, self.version) if part)


_EXIT = {Verdict.CLEAN: 0, Verdict.FINDINGS: 1, Verdict.UNREADABLE: 2, Verdict.UNDETERMINED: 3}
_PRECEDENCE = (101, 2, 1, 3, 0)


class Report(Struct, frozen=True):
    """All results of one run."""

    results: tuple[FileResult, ...]
    tool: str
    version: str

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many documents got which verdict."""
        found: Counter[Verdict] = Counter()
        for result in self.results:
            found[result.verdict] += result.documents
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings, 2 unreadable, 3 undetermined, 101 internal; the worst of all documents."""
        codes = {_EXIT[r.verdict] for r in self.results}
        if any(d.code == "PW901" for r in self.results for d in r.diagnostics):
            codes.add(101)
        return worst(codes)


def worst(codes: set[int]) -> int:
    """Of several exit codes the one that tells most."""
    return next((code for code in _PRECEDENCE if code in codes), 0)
