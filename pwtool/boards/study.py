"""The study of the objectives of a ruleset, or of one of its files: measures, relations, ranks and faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pwtool.boards.chance import found_board
from pwtool.boards.diagrams import TooLarge
from pwtool.boards.faults import beyond_deck, never_or_always, prove_faults, repeated
from pwtool.boards.proofs import Analysis, Measure, Relation
from pwtool.boards.spaces import Space
from pwtool.eval.values import Grid
from pwtool.ir.model import Ruleset
from pwtool.play.game import Game
from pwtool.text import Diagnostic


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of an objective among `of` others: how many of them are harder (`rarer`) and how many equally hard (`equal`).

    `by` says what is compared: the exact `share` of boards that fulfil it, with its neighbours on both sides, if they are
    counted among the same boards (`apart` others are not); otherwise the fewest `cards` with which it can be fulfilled.
    """

    by: str
    of: int
    rarer: int
    equal: int
    apart: int
    nearest_rarer: str | None
    nearest_frequent: str | None


@dataclass(frozen=True, slots=True)
class Studied:
    """One objective: its measure among all boards of `space`, of which `connected` are connected, its relations to the others
    (`unrelated` are those whose relation is undecided) and its rank among them.
    """

    name: str
    measure: Measure
    space: Space
    connected: int
    relations: tuple[Relation, ...]
    rank: Rank | None
    unrelated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Open:
    """An undecided objective, and why; if it depends only on the grid (`of_grid`), a board that fulfils it and one that does
    not, where they were found.
    """

    name: str
    reason: str
    of_grid: bool
    fulfils: Grid | None
    fails: Grid | None


@dataclass(frozen=True, slots=True)
class Study:
    """The results for some objectives of a ruleset; `open` are those about which nothing could be proven, `others` those they
    were compared with. Objectives that read only visible cards are compared among boards of visible cards, in `flat`.
    """

    analysis: Analysis
    studied: tuple[Studied, ...]
    open: tuple[Open, ...]
    others: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    flat: Analysis

    def witness(self, relation: Relation, first: bool, second: bool) -> Grid | None:
        """A smallest board with these verdicts of the two objectives, None if there is none or none was found in time."""
        flat = relation.first in self.flat.roots and relation.second in self.flat.roots
        analysis = self.flat if flat else self.analysis
        try:
            board = analysis.smallest({relation.first: first, relation.second: second})
        except TooLarge:
            return None
        return None if board is None else analysis.space.grid(board)


def own_objectives(ruleset: Ruleset, file: Path) -> list[str]:
    """The objectives that a file of a ruleset (with the parts it includes) adds or changes."""
    names: set[str] = set()
    for header in ruleset.merged.headers:
        if Path(header.span.file.name).resolve() == file.resolve():
            names = {header.name.name, f"{header.base}/{header.name.name}"}
    return [
        name
        for name in ruleset.objectives
        if any(step.layer in names and step.verb != "removes" for step in ruleset.merged.history["objective", name])
    ]


def study_objectives(game: Game, names: Sequence[str], officials: Sequence[str], more: Sequence[str] = ()) -> Study:
    """Study these objectives, compared with each other, with `officials` and with `more`; ranked among `officials`."""
    others = [n for n in (*more, *officials) if n not in names]
    counted = _Counted(game, names, others)
    analysis = counted.analysis
    studied = []
    for name, measure in counted.measures.items():
        home = counted.home(name)
        relations = [counted.relation(name, o) for o in counted.comparable(name)]
        studied.append(
            Studied(
                name, measure, home.space, home.count(home.connected), tuple(r for r in relations if r is not None),
                _ranked(counted, name, officials), counted.open_relations(name, relations),
            )
        )  # fmt: skip
    findings: list[Diagnostic] = []
    players = len(list(analysis.dealt()))
    for one in studied:
        findings += _findings(game, one, players)
    undecided = [name for name in names if name not in counted.measures]
    findings += _undecided(game, analysis, undecided)
    still = tuple(_open(counted, name) for name in undecided)
    return Study(analysis, tuple(studied), still, tuple(others), tuple(findings), counted.flat)


def _open(counted: _Counted, name: str) -> Open:
    undecided = counted.analysis.undecided[name]
    fulfils = fails = None
    if undecided.of_grid:
        fulfils, fails = (found_board(counted.home(name), name, holds) for holds in (True, False))
    return Open(name, undecided.reason, undecided.of_grid, fulfils, fails)


class _Counted:
    """Some objectives measured and others counted, each among the boards that it distinguishes: objectives that read only
    visible cards are counted among boards of visible cards, whatever the others read.
    """

    def __init__(self, game: Game, names: Sequence[str], others: Sequence[str]) -> None:
        self.names = [*names, *others]
        self.analysis = Analysis(game, self.names)
        self.flat = self.analysis.flat() if self.analysis.roots and self.analysis.space.tall else self.analysis
        self.measures: dict[str, Measure] = {}
        self.shares: dict[str, Fraction] = {}
        for name in self.analysis.roots:
            home = self.home(name)
            try:
                if name in names:
                    self.measures[name] = home.measure(name)
                count = self.measures[name].count if name in names else home.number(name)
                self.shares[name] = Fraction(count, home.space.size)
            except TooLarge:
                self.analysis.give_up(name)
        self.measures = {name: self.measures[name] for name in names if name in self.measures}

    def home(self, name: str) -> Analysis:
        """The analysis whose space of boards is used to count an objective."""
        return self.flat if name in self.flat.roots else self.analysis

    def comparable(self, name: str) -> list[str]:
        """The others to compare with, without those that never or always hold: their relation to all others is trivial."""
        if not 0 < self.shares[name] < 1:
            return []
        return [o for o in self.names if o != name and o in self.shares and 0 < self.shares[o] < 1]

    def relation(self, name: str, other: str) -> Relation | None:
        """The relation of two objectives, None if it is undecided."""
        flat = name in self.flat.roots and other in self.flat.roots
        try:
            return (self.flat if flat else self.analysis).relation(name, other)
        except TooLarge:
            return None

    def open_relations(self, name: str, relations: Sequence[Relation | None]) -> tuple[str, ...]:
        """The others whose relation to an objective is undecided."""
        related = [o for o, r in zip(self.comparable(name), relations, strict=True) if r is None]
        undecided = [o for o in self.names if o != name and o not in self.shares and 0 < self.shares[name] < 1]
        return (*related, *undecided)


def _ranked(counted: _Counted, name: str, officials: Sequence[str]) -> Rank | None:
    """The rank among others: by the share of boards if most of them are counted among the same boards, otherwise by the fewest
    cards, which is a common measure for all of them.
    """
    others = [o for o in officials if o != name and o in counted.shares]
    home = counted.home(name)
    share = counted.shares[name]
    among = {o: counted.shares[o] for o in others if counted.home(o) is home}
    if among and 2 * len(among) >= len(others):
        rarer = {n: c for n, c in among.items() if c < share}
        frequent = {n: c for n, c in among.items() if c > share}
        return Rank(
            "share", len(among), len(rarer), len(among) - len(rarer) - len(frequent), len(others) - len(among),
            max(rarer, key=lambda n: rarer[n], default=None), min(frequent, key=lambda n: frequent[n], default=None),
        )  # fmt: skip
    try:
        own = home.fewest(name)
        cards = {o: counted.home(o).fewest(o) for o in others}
    except TooLarge:
        return None
    known = {o: c for o, c in cards.items() if c is not None}
    if own is None or not known:
        return None
    more = sum(c > own for c in known.values())
    return Rank("cards", len(known), more, sum(c == own for c in known.values()), 0, None, None)


def _findings(game: Game, one: Studied, players: int) -> list[Diagnostic]:
    if one.measure.count in (0, one.space.size):
        return [never_or_always(game, one.name, one.measure.count != 0)]
    found = []
    # Of two equal objectives the later one is reported, once; those that the user's own file declares come last.
    order = list(game.ruleset.objectives)
    same = [r.second for r in one.relations if r.kind == "same" and order.index(r.second) < order.index(one.name)]
    if same:
        found.append(repeated(game, one.name, min(same, key=order.index)))
    decks = one.measure.decks
    # The deck of a number of players that is undecided may suffice.
    if decks and len(decks) == players and all(board is None for board in decks.values()):
        found.append(beyond_deck(game, one.name))
    return found


def _undecided(game: Game, analysis: Analysis, names: Sequence[str]) -> list[Diagnostic]:
    found = []
    for name in names:
        why = analysis.undecided[name]
        message = "nothing can be proven about `{name}`: {reason}"
        found.append(Diagnostic.of("PW505", message, why.span, ruleset=game.ruleset.address, name=name, reason=why.reason))  # fmt: skip
    return found


__all__ = ["Open", "Rank", "Studied", "Study", "own_objectives", "prove_faults", "study_objectives"]
