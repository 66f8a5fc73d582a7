"""Results of checks, as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pwtool.checking.report import FileResult, Played
from pwtool.text import Diagnostic

Status = Literal["clean", "findings", "undetermined", "unreadable"]
Level = Literal["error", "warning", "undetermined", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or cannot be known.

    `code` is one that `pwtool explain` knows, and `rule` the name of the broken rule in the ruleset. `path` leads to
    the value in the record (`("turns", 22, "actions", 0)`), `line` and `column` are its position in the text, counted
    from 1, and `turn` is the turn in the game, counted from 1. If `follows` is true, an earlier finding explains this
    one.
    """

    code: str
    level: Level
    message: str
    rule: str | None = None
    turn: int | None = None
    player: str | None = None
    path: tuple[str | int, ...] = ()
    line: int | None = None
    column: int | None = None
    follows: bool = False
    help: str | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.code} {self.rule}: {self.message}" if self.rule else f"{self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended, by the names of its players: scores, score lines, the ranking (best first, ties together), and
    the ending with the turn that triggered it. Numbers and rankings that depend on unseen things are None.
    """

    scores: dict[str, int | None]
    lines: dict[str, dict[str, int | None]]
    ranking: list[list[str]] | None
    ending: str | None
    ending_turn: int | None

    @property
    def winners(self) -> list[str]:
        """The players in first place; empty if that is unknown."""
        return self.ranking[0] if self.ranking else []


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking one record or position.

    `status` is `clean`, `findings`, `undetermined` (it depends on unseen things) or `unreadable`. `cut_short` is true
    if judging stopped before the end of the record, because too much was wrong with it or it took too much work
    (PW616, PW617, PW618, PW619): what comes after the last finding is not known. `result` is None while the game is not over,
    or if judging stopped before it. `ruleset` and `version` name the rules that judged it, or are None if there were
    none.
    """

    name: str
    status: Status
    ruleset: str | None
    version: str | None
    findings: tuple[Finding, ...] = ()
    result: Result | None = field(default=None, hash=False)
    turns: int | None = None
    actions: int | None = None
    cut_short: bool = False
    _told: FileResult | None = field(default=None, repr=False, compare=False)

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return self.status == "clean"

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The root causes: the findings that no earlier one explains."""
        return tuple(finding for finding in self.findings if not finding.follows)

    def report(self, *, show_all: bool = False) -> str:
        """The verdict as `pwtool check` prints it."""
        from pwtool.checking.report import Report
        from pwtool.show import render

        assert self._told is not None
        return render(Report((self._told,), "pwtool", ""), "full", color=False, show_all=show_all)


def make_verdict(told: FileResult) -> Verdict:
    """Convert the result of checking a document."""
    played = told.played
    return Verdict(
        told.name, told.verdict.value, told.ruleset, told.version, tuple(map(_finding, told.diagnostics)),
        make_result(played) if played is not None and played.totals else None,
        played.turns if played is not None else None, played.actions if played is not None else None, told.cut_short, told,
    )  # fmt: skip


def make_result(played: Played) -> Result:
    """The result of a game that is over and was scored."""
    names = played.players
    ranking = None if played.ranking is None else [[names[seat] for seat in group] for group in played.ranking]
    return Result(
        dict(zip(names, played.totals, strict=True)), dict(zip(names, played.lines, strict=True)), ranking,
        played.ending, played.ending_turn,
    )  # fmt: skip


def _finding(diagnostic: Diagnostic) -> Finding:
    span, path, player = diagnostic.span, diagnostic.data.get("path"), diagnostic.data.get("player")
    return Finding(
        diagnostic.code, diagnostic.level.value, diagnostic.message, diagnostic.rule, diagnostic.turn,
        player if isinstance(player, str) else None, tuple(path) if isinstance(path, list) else (),
        span.line if span else None, span.column if span else None, diagnostic.follows, diagnostic.help, diagnostic.notes,
    )  # fmt: skip
