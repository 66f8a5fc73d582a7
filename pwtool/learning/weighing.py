"""How likely games are under rulesets, and how much of what a change allows was used in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pwtool.learning.chances import Counted, surprise, use_of
from pwtool.learning.judging import Place, Rules, Sample, Seen, until
from pwtool.learning.states import State, Trial
from pwtool.rules.build import build_ruleset

USED = 12
"""How many games are looked at for how much a change was used."""


@dataclass(slots=True)
class Weighing:
    """What is known of the games so far; equal rulesets that are reached on several ways are asked once."""

    samples: list[Sample]
    _surprises: dict[tuple[str, int, Place], float | None] = field(default_factory=dict)
    _counted: dict[tuple[str, int], Counted] = field(default_factory=dict)

    def surprise(self, rules: Rules, at: int, seen: Seen) -> float | None:
        """How surprising a game is, as far as it is accepted."""
        # By what the rules say: they may be reached on several ways, and need not be kept.
        whole, going_on = rules.hashes
        key = whole, at, seen.place
        if key not in self._surprises:
            record = rules.record(self.samples[at])
            counted = self._counted.setdefault((going_on, at), {})
            self._surprises[key] = None if record is None else surprise(rules, until(record, seen.place), counted)
        return self._surprises[key]

    def without_oddities(self, before: State, trials: list[Trial]) -> list[Trial]:
        """The changes that make no rules of which a designer would be warned, such as a comparison that never holds; all if each does."""
        if len(trials) < 2:
            return trials
        usual = _warnings(before.rules)
        return [trial for trial in trials if _warnings(trial.rules) <= usual] or trials

    def is_loose(self, before: State, trial: Trial) -> bool:
        """Whether players made much less use of what a change allows than players at random would."""
        expected, used = 0.0, 0
        games = [at for at in range(len(self.samples)) if not trial.seen[at].code][:USED]
        for at in games:
            one, other = trial.rules.record(self.samples[at]), before.rules.record(self.samples[at])
            use = None if one is None or other is None else use_of(before.rules, trial.rules, one, other)
            if use is not None:
                expected, used = expected + use.expected, used + use.used
        return expected > 2 and used < 0.6 * expected


def _warnings(rules: Rules) -> Counter[str]:
    """How often each code is among the findings of a ruleset."""
    return Counter(d.code for d in build_ruleset(rules.game.ruleset.address, rules.merged, bounded=False).diagnostics)
