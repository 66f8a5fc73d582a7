"""The objectives of a ruleset, or of one file of it, studied: measures, relations, ranks and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pwtool.analysis.diagrams import TooLarge
from pwtool.analysis.proofs import Analysis, Measure, Relation
from pwtool.analysis.search import Board
from pwtool.analysis.spaces import Space
from pwtool.diagnostics import Diagnostic, Label
from pwtool.engine.game import Game
from pwtool.semantics.model import Ruleset


@dataclass(frozen=True, slots=True)
class Rank:
    """Where an objective stands among others by the exact share of boards that fulfil it: how many of them are rarer
    and how many more frequent, with the nearest of both.
    """

    of: int
    rarer: int
    nearest_rarer: str | None
    nearest_frequent: str | None


@dataclass(frozen=True, slots=True)
class Studied:
    """One objective: its measure among all boards of `space`, of which `connected` hang together, how it stands to the
    others, its rank among them.
    """

    name: str
    measure: Measure
    space: Space
    connected: int
    relations: tuple[Relation, ...]
    rank: Rank | None


@dataclass(frozen=True, slots=True)
class Study:
    """What was found out of some objectives of a ruleset; `others` are those they were compared with."""

    analysis: Analysis
    studied: tuple[Studied, ...]
    others: tuple[str, ...]
    findings: tuple[Diagnostic, ...]

    def witness(self, relation: Relation, first: bool, second: bool) -> Board | None:
        """A smallest board on which the two objectives are so, None when there is none or none was found in time."""
        try:
            return self.analysis.smallest({relation.first: first, relation.second: second})
        except TooLarge:
            return None


def own_objectives(ruleset: Ruleset, file: Path) -> list[str]:
    """The objectives that a file of a ruleset (with the parts it takes in) adds or changes."""
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
    analysis, shares = counted.analysis, counted.shares
    studied = []
    for name, measure in counted.measures.items():
        home = counted.home(name)
        relations = [_relation(analysis, name, o) for o in counted.comparable(name)]
        among = {o: shares[o] for o in officials if o != name and o in shares}
        studied.append(
            Studied(
                name, measure, home.space, home.count(home.connected), tuple(r for r in relations if r is not None),
                _rank(shares[name], among),
            )
        )  # fmt: skip
    findings: list[Diagnostic] = []
    for one in studied:
        findings += _findings(game, one.name, one.measure, one.space, one.relations)
    findings += _undecided(game, analysis, names)
    return Study(analysis, tuple(studied), tuple(others), tuple(findings))


def prove_faults(game: Game, names: Sequence[str]) -> list[Diagnostic]:
    """Which of these objectives are proven to be fulfilled never, always, beyond the deck, or by the same boards as
    another one of the ruleset. What cannot be decided is passed over: that is for `study_objectives` to say.
    """
    counted = _Counted(game, names, [n for n in game.ruleset.objectives if n not in names])
    found = []
    for name, measure in counted.measures.items():
        # Only those of which equally many boards fulfil both can be the same.
        alike = [o for o in counted.comparable(name) if counted.shares[o] == counted.shares[name]]
        relations = [r for o in alike if (r := _relation(counted.analysis, name, o)) is not None]
        found += _findings(game, name, measure, counted.home(name).space, relations)
    return found


class _Counted:
    """Some objectives measured and others counted, each among the boards that it tells apart: what reads visible cards
    alone is counted among boards of visible cards, whatever the others read.
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
                count = self.measures[name].count if name in names else home.count(home.diagram(name))
                self.shares[name] = Fraction(count, home.space.size)
            except TooLarge:
                self.analysis.give_up(name)
        self.measures = {name: self.measures[name] for name in names if name in self.measures}

    def home(self, name: str) -> Analysis:
        """The analysis in whose space of boards an objective is counted."""
        return self.flat if name in self.flat.roots else self.analysis

    def comparable(self, name: str) -> list[str]:
        """The others to compare with: what never or always holds stands to all others in the same way."""
        if not 0 < self.shares[name] < 1:
            return []
        return [o for o in self.names if o != name and o in self.shares and 0 < self.shares[o] < 1]


def _relation(analysis: Analysis, name: str, other: str) -> Relation | None:
    try:
        return analysis.relation(name, other)
    except TooLarge:
        return None


def _rank(share: Fraction, among: dict[str, Fraction]) -> Rank | None:
    if not among:
        return None
    rarer = {n: c for n, c in among.items() if c < share}
    frequent = {n: c for n, c in among.items() if c > share}
    return Rank(
        len(among), len(rarer), max(rarer, key=lambda n: rarer[n], default=None),
        min(frequent, key=lambda n: frequent[n], default=None),
    )  # fmt: skip


def _findings(game: Game, name: str, measure: Measure, space: Space, relations: Sequence[Relation]) -> list[Diagnostic]:
    objectives = game.ruleset.objectives
    objective = objectives[name]
    address = game.ruleset.address
    if measure.count in (0, space.size):
        code, word = ("PW501", "no board") if measure.count == 0 else ("PW502", "every board")
        message = f"{word} fulfils the objective `{name}`"
        return [Diagnostic(code, message, objective.span, ruleset=address)]
    found = []
    # Of two that are the same the later one is told, and what the user's own file declares comes last.
    order = list(objectives)
    for relation in relations:
        other = objectives[relation.second]
        if relation.kind == "same" and order.index(name) > order.index(other.name):
            message = f"`{name}` is fulfilled by the same boards as `{other.name}`"
            found.append(
                Diagnostic("PW503", message, objective.span, ruleset=address, labels=(Label(other.span, "the other"),))
            )
    decks = measure.decks
    if decks and all(board is None for board in decks.values()):
        message = f"no board of the cards of the deck fulfils `{name}`"
        found.append(Diagnostic("PW504", message, objective.span, ruleset=address))
    return found


def _undecided(game: Game, analysis: Analysis, names: Sequence[str]) -> list[Diagnostic]:
    return [
        Diagnostic(
            "PW505", f"nothing can be proven of `{name}`: {found.reason}", found.span, ruleset=game.ruleset.address
        )
        for name, found in analysis.undecided.items()
        if name in names
    ]
