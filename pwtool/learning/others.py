"""Other changes that explain the games as a learned one does: of all that were tried, those that accept the same games or more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pwtool.learning.deciding import PROOF, decided
from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import Variant
from pwtool.learning.learned import SURE, Explanation
from pwtool.learning.noting import accepted
from pwtool.learning.search import MORE_TOLD, NATS, TOLD, Search
from pwtool.learning.states import State, Trial
from pwtool.learning.texts import text_of
from pwtool.learning.words import differing
from pwtool.learning.workers import Under

OTHERS = 3
"""The number of other explanations that are told."""
WEIGHED, WIDER = 8, 4
"""For so many of them is told how likely they are, so many that accept more games among them."""


@dataclass(frozen=True, slots=True)
class Other:
    """A change in place of one that was made, the rules with it, and which games they accept that the learned ones refuse, as bits."""

    variant: Variant
    rules: Rules
    more: int = 0


@dataclass(slots=True)
class Others:
    """What else explains the games that a state explains."""

    search: Search
    state: State
    wider: list[Other]
    """What accepts all of them, and some that the state refuses."""

    @staticmethod
    def of(search: Search, state: State) -> Others:
        """So far, what was tried under the rules of the state itself."""
        found = Others(search, state, [])
        noted = search.notes.tried.get((state.address, state.rules.hashes[0]), {}).values()
        clean = accepted(state.seen)
        more = (one for one in noted if not clean & ~one.accepted and one.accepted & ~clean)
        found.wider += found._made(state.rules, ((one.variant, one.accepted) for one in more))
        return found

    def _made(self, rules: Rules, tried: Iterable[tuple[Variant, int]]) -> Iterator[Other]:
        """Changes of rules with the games that are accepted with them."""
        clean = accepted(self.state.seen)
        for variant, bits in tried:
            merged = applied(rules.merged, variant)
            made = None if merged is None else Rules.of(self.state.address, merged, rules)
            if made is not None:
                yield Other(variant, made, bits & ~clean)

    def instead(self, number: int, without: Rules) -> list[Other]:
        """What was tried that accepts the same games or more in place of a change; `without` are the learned rules without it."""
        search, state, step = self.search, self.state, self.state.steps[number]
        clean, notes = accepted(state.seen), search.notes.tried
        direct = [*notes.get((state.address, without.hashes[0]), {}).values()]
        # Another text of the same item counts alone.
        again = notes.get((state.address, state.rules.hashes[0]), {}).values()
        direct += [one for one in again if one.variant.key == step.variant.key and not step.variant.more]
        tried = {(one.variant.key, one.variant.text): (one.variant, one.accepted) for one in direct}
        if without.hashes[0] != step.before.rules.hashes[0]:
            # It was tried before the later changes were made.
            early = notes.get((state.address, step.before.rules.hashes[0]), {})
            asked = [
                one.variant for text, one in early.items() if text not in tried and self._fits(one.variant, number)
            ]
            tried |= {(v.key, v.text): (v, bits) for v, bits in self._judged(without, number, asked)}
        alike = ((variant, bits) for variant, bits in tried.values() if not clean & ~bits)
        # One that is the same in other words is told once.
        found: dict[str, Other] = {}
        for other in sorted(self._made(without, alike), key=lambda other: search.price(other.variant)):
            found.setdefault(other.rules.hashes[0], other)
        found.pop(state.rules.hashes[0], None)
        self.wider += (other for other in found.values() if other.more)
        return [*found.values()]

    def _fits(self, variant: Variant, number: int) -> bool:
        """Whether a change does not undo a later one."""
        keys = {step.variant.key for at, step in enumerate(self.state.steps) if at != number}
        return variant.key not in keys

    def _judged(self, rules: Rules, number: int, variants: Sequence[Variant]) -> Iterator[tuple[Variant, int]]:
        """Which games changes of rules accept, of those that accept all that the state does."""
        state, key = self.state, self.state.steps[number].variant.key
        before = state.steps[number].before.seen
        clean = [at for at, seen in enumerate(state.seen) if seen.clean]
        clean.sort(key=lambda at: before[at].clean)
        changes = tuple(step.variant for step in state.steps if step.variant.key != key)
        under = Under(state.address, rules.hashes[0], changes, (), tuple(clean))
        for variant, bits in zip(variants, self.search.workers.map(accepting, under, rules, variants), strict=True):
            if bits is not None:
                yield variant, bits

    def elsewhere(self, number: int) -> int:
        """How many changes that were tried together with others, or of other known rulesets, accept the same games or more, although what
        they were tried with did not.
        """
        state, notes, clean = self.state, self.search.notes, accepted(self.state.seen)
        change = state.steps[number].variant
        rest = {(step.variant.key, step.variant.text) for step in state.steps if step.variant.key != change.key}
        found = set[object]()
        for (address, meaning), tried in notes.tried.items():
            if not clean & ~notes.before[address, meaning]:
                continue
            for one in tried.values():
                items = {(variant.key, variant.text) for variant in one.items.values()}
                is_in_place = address == state.address and rest <= items and len(items - rest) <= 1
                if not (clean & ~one.accepted or is_in_place or (change.key, change.text) in items):
                    found.add((address, frozenset(items)))
        return len(found)

    def told(
        self, number: int, without: Rules | None, language: str, by_games: bool
    ) -> tuple[tuple[Explanation, ...], int]:
        """The next best explanations for a change, with the games that decide, and how many more there are."""
        search, state, step = self.search, self.state, self.state.steps[number]
        # If the later changes cannot be made without this one, they are left out.
        rules = step.before.rules if without is None else without
        steps = step.before.steps if without is None else state.steps
        if without is None:
            others = [Other(trial.variant, trial.rules) for trial in step.others]
            others = [*{other.rules.hashes[0]: other for other in others}.values()]
        else:
            others = self.instead(number, without)
        whole = self.elsewhere(number)
        if not others:
            return (), whole
        left = self._weighed(number, others, step.trial.rules if without is None else state.rules)
        beside = len(others) - len(left)
        items = step.before.rules.merged.items
        changes = tuple(s.variant for s in steps if s.variant.key != step.variant.key)
        under = Under(state.address, rules.hashes[0], changes, (), ())
        decide = partial(decided, step.variant, language, by_games, PROOF / max(1, min(OTHERS, len(left))))
        found: list[Explanation] = []
        while left and len(found) < OTHERS:
            asked, left = left[: OTHERS - len(found)], left[OTHERS - len(found) :]
            # Without a look at games, those are compared that could not be told apart.
            open_ = [other.variant for nats, other in asked if by_games or (nats is not None and nats < SURE)]
            games_of = dict(zip(open_, search.workers.map(decide, under, rules, open_), strict=True))
            for nats, other in asked:
                game = games_of.get(other.variant, ("", None))
                # One that is proven to mean the same is no other explanation.
                if game is not None:
                    names, variant = search.notes.names(other.more), other.variant
                    before, after = differing(text_of(items, variant.key), variant.text)
                    found.append(Explanation(variant.key, variant.kind, before or "", after, nats, *game, names))
        return tuple(found), len(left) + beside + whole

    def _weighed(self, number: int, others: list[Other], rules: Rules) -> list[tuple[float | None, Other]]:
        """Some of these, the cheapest, with how much less likely the games are under them; the most likely one first, and one that accepts
        more games among those that are told.
        """
        search, state = self.search, self.state
        some = [other for other in others if other.more][:WIDER]
        some += [other for other in others if not any(other is one for one in some)][: WEIGHED - len(some)]
        games = search.telling(state, MORE_TOLD if any(other.more for other in some) else TOLD)
        best = search.weight(state, Trial(state.steps[number].variant, rules, state.seen), games)
        weighed: list[tuple[float | None, Other]] = []
        for other in some:
            nats = search.weight(state, Trial(other.variant, other.rules, state.seen), games)
            if nats is not None and best is not None:
                # Games that are accepted need not be excused.
                nats -= best + NATS * search.prices.slip * search.notes.games(other.more)
            weighed.append((None if best is None else nats, other))
        weighed.sort(key=lambda entry: (entry[0] is None, entry[0] or 0.0))
        wider = next((at for at, (_, other) in enumerate(weighed) if other.more), 0)
        if wider >= OTHERS:
            weighed.insert(OTHERS - 1, weighed.pop(wider))
        return weighed

    def explaining(self, name: str, sample: Sample | None) -> Explanation | None:
        """What accepts a game that is probably wrong, and all that the learned rules accept; None if nothing that was tried does."""
        at = {one.name: at for at, one in enumerate(self.search.samples)}.get(name)
        state = self.state
        items = (state.steps[0].before if state.steps else state).rules.merged.items
        for other in sorted(self.wider, key=lambda other: self.search.price(other.variant)):
            is_clean = (
                other.rules.judge(sample).clean if at is None and sample else at is not None and other.more >> at & 1
            )
            if is_clean:
                variant, names = other.variant, self.search.notes.names(other.more)
                before, after = differing(text_of(items, variant.key), variant.text)
                return Explanation(variant.key, variant.kind, before or "", after, None, games=names)
        return None


def accepting(under: Under, variant: Variant, rules: Rules, samples: Sequence[Sample]) -> int | None:
    """Which games rules with a change accept, as bits; None if not all that they should."""
    merged = applied(rules.merged, variant)
    made = None if merged is None else Rules.of(under.address, merged, rules)
    if made is None or not all(made.judge(samples[at]).clean for at in under.probes):
        return None
    return accepted([made.judge(sample) for sample in samples])
