"""Rulesets with changes, and how far games are accepted under them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from pwtool.learning.judging import Rules, Sample, Seen
from pwtool.learning.kinds import Variant

SLIPS = 0.05
"""This share of the games may be slips that are refused alike, and twice that of all slips."""
AGAINST = 0.25
"""The share of the games that a change explains that may still be refused by the rule that refused those."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What explanations cost: a `change`, and for each game that is excused a `slip`. A change has to explain more games
    than its price; in many games more of them may be wrong alike, so that it costs `share` of all games more.
    """

    change: float = 2.0
    slip: float = 1.0
    share: float = 0.01

    def of(self, games: float) -> float:
        """The price of a change that explains so many games in all."""
        return self.change + self.share * games

    def unexplained(
        self, games: int, refused: Counter[tuple[str, str]], explained: Counter[str]
    ) -> tuple[tuple[str, str, int], ...]:
        """Which refusals (code and rule) of so many games are too frequent for slips, with their games: all if those are many
        together, and those by one rule if they are many alike, or not much fewer than it refused of the games that are `explained`.
        """
        price, often = self.of(games) / self.slip, by_rule(refused.items())
        slips = max(price, SLIPS * games)
        all_ = refused.total() > min(2 * slips, games / 2)

        def most(rule: str) -> float:
            return min(slips, max(price, AGAINST * explained[rule])) if explained[rule] else slips

        return tuple(
            (code, rule, count)
            for (code, rule), count in refused.most_common()
            if all_ or often[rule or code] > most(rule or code)
        )


@dataclass(slots=True)
class Trial:
    """A change of a ruleset, and how far games are accepted with it."""

    variant: Variant
    rules: Rules
    seen: list[Seen]


@dataclass(slots=True)
class Step:
    """A change that was made, other changes that have the same verdicts, and the state before, in which they were tried for these
    refusals.
    """

    trial: Trial
    others: list[Trial]
    before: State
    targets: list[tuple[str, str, str]]
    rivals: list[Trial] = field(default_factory=list)
    """Changes with other verdicts that help as well."""

    @property
    def variant(self) -> Variant:
        """The change."""
        return self.trial.variant

    def helped(self) -> set[tuple[str, str, str]]:
        """The refusals past which the change gets games."""
        pairs = zip(self.before.seen, self.trial.seen, strict=True)
        return {group for old, new in pairs if new.place > old.place for group in old.groups}


@dataclass(slots=True)
class State:
    """A ruleset with changes, and how far games are accepted under it."""

    address: str
    rules: Rules
    seen: list[Seen]
    steps: tuple[Step, ...] = ()
    price: float = 0.0
    cost: float = 0.0
    refusals: list[set[tuple[str, str, str]]] | None = None
    """What refuses each game, also after its first refusal, if that was looked at."""

    def refused_for(self, at: int, sample: Sample, group: tuple[str, str, str]) -> bool:
        """Whether a refusal is among those of a game."""
        if self.seen[at].group == group:
            return True
        return group in (self.rules.refusals(sample) if self.refusals is None else self.refusals[at])

    def groups(self, samples: Sequence[Sample], without: Collection[int] = ()) -> Counter[tuple[str, str, str]]:
        """How many games each refusal stops, `without` some of the games."""
        found: Counter[tuple[str, str, str]] = Counter()
        for at, (sample, seen) in enumerate(zip(samples, self.seen, strict=True)):
            for group in () if seen.clean or at in without else seen.groups:
                found[group] += sample.weight  # type: ignore[assignment]
        return found


@dataclass(slots=True)
class Budget:
    """How many changes may be tried in all, and how many were."""

    most: int
    tried: int = 0

    @property
    def has_left(self) -> bool:
        """Whether more may be tried."""
        return self.tried < self.most


def by_rule(groups: Iterable[tuple[tuple[str, ...], float]]) -> Counter[str]:
    """How many games each rule refuses, however it does: one that says when a game is over refuses what comes after the end, and
    results before it.
    """
    found: Counter[str] = Counter()
    for group, weight in groups:
        found[refusing(group)] += weight  # type: ignore[assignment]
    return found


def refusing(group: tuple[str, ...]) -> str:
    """The rule that refuses a game; the code if there is none."""
    return group[1] or group[0]
