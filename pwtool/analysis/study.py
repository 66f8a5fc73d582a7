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
    analysis = Analysis(game, [*names, *others])
    # What reads visible cards alone is counted among boards of visible cards, whatever the others read.
    flat = analysis.flat() if analysis.roots and analysis.space.tall else analysis
    measures: dict[str, Measure] = {}
    shares: dict[str, Fraction] = {}
    for name in analysis.roots:
        home = flat if name in flat.roots else analysis
        try:
            if name in names:
                measures[name] = home.measure(name)
            count = measures[name].count if name in names else home.count(home.diagram(name))
            shares[name] = Fraction(count, home.space.size)
        except TooLarge:
            analysis.give_up(name)
    studied = []
    for name in names:
        measure = measures.get(name)
        if measure is None:
            continue
        home = flat if name in flat.roots else analysis
        # What never or always holds stands to all others in the same way.
        beside = [o for o in (*names, *others) if o != name and o in shares and 0 < shares[o] < 1]
        relations = [_relation(analysis, name, o) for o in beside if 0 < shares[name] < 1]
        among = {o: shares[o] for o in officials if o != name and o in shares}
        studied.append(
            Studied(
                name, measure, home.space, home.count(home.connected), tuple(r for r in relations if r is not None),
                _rank(shares[name], among),
            )
        )  # fmt: skip
    findings: list[Diagnostic] = []
    for one in studied:
        findings += _findings(game, one)
    findings += _undecided(game, analysis, names)
    return Study(analysis, tuple(studied), tuple(others), tuple(findings))


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


def _findings(game: Game, one: Studied) -> list[Diagnostic]:
    objectives = game.ruleset.objectives
    objective, measure = objectives[one.name], one.measure
    address = game.ruleset.address
    if measure.count in (0, one.space.size):
        code, word = ("PW501", "no board") if measure.count == 0 else ("PW502", "every board")
        message = f"{word} fulfils the objective `{one.name}`"
        return [Diagnostic(code, message, objective.span, ruleset=address)]
    found = []
    # Of two that are the same the later one is told, and what the user's own file declares comes last.
    order = list(objectives)
    for relation in one.relations:
        other = objectives[relation.second]
        if relation.kind == "same" and order.index(one.name) > order.index(other.name):
            message = f"`{one.name}` is fulfilled by the same boards as `{other.name}`"
            found.append(
                Diagnostic("PW503", message, objective.span, ruleset=address, labels=(Label(other.span, "the other"),))
            )
    decks = measure.decks
    if decks and all(board is None for board in decks.values()):
        message = f"no board of the cards of the deck fulfils `{one.name}`"
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
