"""Which games each change accepts that was tried on all of them, whether the search followed it or not.

The search keeps what helps. What is told of the result is about everything that was tried: a change that accepts as many games or
more is another explanation, and one that refuses some games to accept others may be the rule of some of the players.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pwtool.lang.merged import Key
from pwtool.learning.judging import Rules, Sample, Seen
from pwtool.learning.kinds import Variant
from pwtool.learning.states import refusing

Under = tuple[str, str]
"""A ruleset in which changes are tried: the address of the known one, and what its items mean."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The changes of a known ruleset, of which the last one was tried, and the games that are accepted with them, as bits."""

    address: str
    changes: tuple[Variant, ...]
    accepted: int

    @property
    def variant(self) -> Variant:
        """The change that was tried."""
        return self.changes[-1]

    @property
    def items(self) -> dict[Key, Variant]:
        """The last change of each item."""
        return {variant.key: variant for variant in self.changes}


@dataclass(slots=True)
class Notes:
    """What was tried under each ruleset."""

    samples: Sequence[Sample]
    tried: dict[Under, dict[tuple[Key, str | None], Noted]] = field(default_factory=dict)
    before: dict[Under, int] = field(default_factory=dict)
    """The games that each of the rulesets accepts."""

    def under(self, address: str, rules: Rules, seen: Sequence[Seen]) -> dict[tuple[Key, str | None], Noted]:
        """What was tried under rules that have seen the games like this."""
        key = address, rules.hashes[0]
        self.before[key] = accepted(seen)
        return self.tried.setdefault(key, {})

    def all(self) -> Iterator[Noted]:
        """Everything that was tried."""
        for tried in self.tried.values():
            yield from tried.values()

    def partial(self, address: str, seen: Sequence[Seen], enough: float) -> Noted | None:
        """What explains most of the games that a known ruleset refuses, less those that it refuses instead; None if nothing that was tried
        explains more than `enough` of them, or all that one rule refuses.
        """
        clean, refused = accepted(seen), dict[str, int]()
        for at, one in enumerate(seen):
            if not one.clean:
                refused[refusing(one.group)] = refused.get(refusing(one.group), 0) | 1 << at

        def gained(one: Noted) -> float:
            return self.games(one.accepted & ~clean)

        def is_much(one: Noted) -> bool:
            return gained(one) > enough or any(games & ~one.accepted == 0 for games in refused.values())

        return max(
            (one for one in self.all() if one.address == address and is_much(one)),
            key=lambda one: (
                gained(one) - self.games(clean & ~one.accepted), gained(one), -len(one.items), -sum(v.price for v in one.items.values()),
                *(-v.far for v in one.items.values()),
            ),
            default=None,
        )  # fmt: skip

    def games(self, bits: int) -> float:
        """How many games these stand for."""
        return sum(sample.weight for at, sample in enumerate(self.samples) if bits >> at & 1)

    def names(self, bits: int) -> tuple[str, ...]:
        """The names of these games."""
        return tuple(sample.name for at, sample in enumerate(self.samples) if bits >> at & 1)


def accepted(seen: Sequence[Seen]) -> int:
    """The games that are clean, as bits."""
    return sum(1 << at for at, one in enumerate(seen) if one.clean)
