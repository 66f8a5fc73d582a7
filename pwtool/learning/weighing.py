"""How likely games are under rulesets, and how much of what a change allows was used in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pwtool.learning.chances import Counted, is_more_possible, surprise, use_of
from pwtool.learning.corpus import spread
from pwtool.learning.judging import Place, Rules, Sample, Seen, applied, until
from pwtool.learning.kinds import Variant
from pwtool.learning.states import State, Trial
from pwtool.rules.build import build_ruleset

USED = 12
"""How many games are looked at for how much a change was used."""
SELDOM = 20
"""In so many accepted games is looked whether a rule matters."""


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

    def games_about(self, start: State, rule: str) -> float:
        """In how many games a rule or an ending of a known ruleset forbids something, estimated from some of them; all if nobody knows."""
        key = next((key for kind in ("rule", "ending") if (key := (kind, rule)) in start.rules.merged.items), None)
        merged = None if key is None else applied(start.rules.merged, Variant(key, "dropped", None, 0.0))
        without = None if merged is None else Rules.of(start.address, merged, start.rules)
        clean = [sample for sample, seen in zip(self.samples, start.seen, strict=True) if seen.clean]
        looked = spread(clean, SELDOM)
        found = sum(s.weight for s in looked if without is None or self._matters(start.rules, without, s))
        free = 1 - found / max(1.0, sum(s.weight for s in looked))
        # Those that are refused may all be among them.
        return round(sum(s.weight for s in self.samples) - free * sum(s.weight for s in clean))

    def _matters(self, rules: Rules, without: Rules, sample: Sample) -> bool:
        record, other = rules.record(sample), without.record(sample)
        return record is None or other is None or is_more_possible(rules, without, record, other)

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
