"""The search for the smallest change under which games are clean, apart from slips.

It is a best-first search. A state is a ruleset with some changes; what it costs is their price, and for the games that it
still refuses the price of excusing them or, if many are refused alike, of one more change. The changes that are tried are
those of items that may be behind a refusal (`near.py`), each on a few games of that refusal before all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush, nsmallest
from itertools import count
from math import inf

from pwtool.learning.judging import Rules, Sample, Seen, applied, judge_all
from pwtool.learning.kinds import Item, Variant, variants
from pwtool.learning.noting import Notes
from pwtool.learning.sisters import sister_variants, trimmed
from pwtool.learning.states import Budget, Prices, State, Step, Trial, by_rule, refusing
from pwtool.learning.texts import written
from pwtool.learning.trying import Trying
from pwtool.learning.weighing import Weighing
from pwtool.learning.workers import Workers
from pwtool.records.ruleset_store import RulesetStore

TARGETS = 3
"""The number of refusals, the most frequent first, for which changes are tried under each ruleset."""
EXPANDED = 10
"""The number of rulesets whose refusals are looked into."""
TRIED = 4_000
"""The number of changes that are tried in all."""
CLOSE = 1.5
"""States that cost this much more than the best one may still explain the games better."""
NEXT = 0.05
"""The price of each step from the refusing rule to the changed item."""
UNREAD = ("PW702", "PW617")
UNREADABLE = 3
"""Games that a ruleset cannot even read need that many changes, as a rule."""
UNEXPLAINED = 0.1
"""If the best explanation leaves this share of the games refused alike, more changes are tried."""
LAYER = 0.05
"""The price of a variant of a known ruleset."""
EACH_TARGET = 700
"""The number of changes that are tried for one refusal."""
NATS = 6.0
"""The price of an excused game, as the logarithm of a probability."""
WEIGHED = 14
"""The number of changes with the same verdicts that are weighed by how surprising the games are under them."""
TOLD = 4
MORE_TOLD = 16
"""How many games are looked at for that, and for changes that are still alike."""
BETTER = 2
"""The number of changes that are followed because they explain more than the one that was looked into."""
IN_OWN_WORDS = 200
"""The number of changes more that are tried for each other known ruleset, of the items and kinds that explain the games."""
BRANCHES, KEPT = 5, 24
"""The number of changes that are followed from each ruleset, and of those with the same verdicts that are kept."""
RIVALS = 12
"""The number of other changes that are tried in place of each one of the best state."""
MUCH = 0.5
"""By how much another state has to promise to be better than the best one so far, to be looked into."""


@dataclass(slots=True)
class Search:
    """A search over some games, with the rulesets that it begins from."""

    ruleset_store: RulesetStore
    samples: list[Sample]
    prices: Prices = field(default_factory=Prices)
    budget: Budget = field(default_factory=lambda: Budget(TRIED))
    progress: Callable[[str], None] | None = None
    jobs: int = 1
    states: list[State] = field(default_factory=list)
    starts: list[State] = field(default_factory=list)
    """The known rulesets without changes."""
    met: list[State] = field(default_factory=list)
    """States that were met when another one was looked into, and that may be better."""
    _hopeless: set[object] = field(default_factory=set)
    _sisters: dict[str, list[Variant]] = field(default_factory=dict)
    _due: dict[tuple[str, str], float] = field(default_factory=dict)
    """What a change costs for the refusals of a rule of a known ruleset that matters in few games."""
    weighing: Weighing = field(init=False)
    workers: Workers = field(init=False)
    notes: Notes = field(init=False)

    def __post_init__(self) -> None:
        self.weighing, self.notes = Weighing(self.samples), Notes(self.samples)
        self.workers = Workers(self.ruleset_store, self.samples, self.jobs)

    @property
    def games(self) -> float:
        """The number of games that the samples stand for."""
        return round(sum(sample.weight for sample in self.samples))

    def run(self, addresses: Iterable[str], before: State | None = None) -> list[State]:
        """The states that were looked into, and those that need no more, the best first; `before` is what was learned from fewer of
        the games.
        """
        numbers = count()
        queue: list[tuple[float, float, int, State]] = []

        def push(state: State) -> None:
            # Of what promises the same, first what is nearer to it.
            heappush(queue, (state.cost, -self.reached(state), next(numbers), state))

        for address in addresses:
            state = self.start(address)
            if state is not None:
                self.starts.append(state)
                push(state)
                if before is not None and before.steps and before.address == address:
                    again = self.remade(state, [(step.variant, step) for step in before.steps])
                    if again is not None:
                        self.looked_into(again, sharpen=False)
                        push(again)
        known: set[object] = set()
        expanded, extended = 0, False
        while queue and expanded < EXPANDED:
            if self.states and queue[0][0] >= min(map(self.outlay, self.states)) - MUCH:
                break
            state = heappop(queue)[-1]
            key = state.address, tuple(sorted(str(step.variant.key) for step in state.steps)), tuple(state.seen)
            if key in known or not self.is_promising(state):
                continue
            known.add(key)
            if not any(state is other for other in self.states):
                self.looked_into(state)
            targets = self.targets(state)
            least = min(self.states, key=self.outlay)
            if targets and not self.budget.has_left and self.unexplained(least):
                # What explains most of the games may explain all with one more change, or another known ruleset.
                if state is least:
                    self.budget.most = self.budget.tried + EACH_TARGET * len(targets)
                elif not extended and not state.steps:
                    extended, self.budget.most = True, self.budget.most + TRIED
            if not targets or not self.budget.has_left:
                continue
            expanded += 1
            if self.progress is not None:
                self.progress(f"{state.address}, {len(state.steps)} changes, {self.budget.tried} tried")
            following = self.following(state, targets)
            for made in following:
                push(made)
            best = min(following, key=self.outlay, default=state)
            if self.outlay(best) < min(map(self.outlay, self.states)):
                self.looked_into(best)
            while self.met:
                push(self.met.pop())
        self.states += [s for *_, s in queue if not any(s is other for other in self.states)]
        if self.states:
            self.states += self.reconsidered(min(self.states, key=self.outlay))
            self.states += self.elsewhere(min(self.states, key=self.outlay))
        self.states = [state for state in self.states if not self.is_refuted(state)]
        return self.ranked()

    def unexplained(self, state: State) -> set[str]:
        """The rules that refuse a large share of the games."""
        rules = by_rule(state.groups(self.samples).items())
        return {
            rule for rule, weight in rules.items() if weight > max(UNEXPLAINED * self.games, self.prices.of(self.games))
        }

    def looked_into(self, state: State, sharpen: bool = True) -> None:
        """Keep a state, with the best of the changes that have the same verdicts as its last one, unless games refute it."""
        if state.steps and sharpen:
            self.sharpen(state)
        if not self.is_refuted(state):
            self.states.append(state)

    def is_refuted(self, state: State) -> bool:
        """Whether too many games for slips are refused sooner than under the known ruleset."""
        start = next(start for start in self.starts if start.address == state.address)
        places = zip(self.samples, start.seen, state.seen, strict=True)
        against = sum(s.weight for s, old, new in places if new.place < old.place)
        return against * self.prices.slip > self.prices.of(self.games)

    def elsewhere(self, best: State) -> list[State]:
        """The changes of a state made to the other known rulesets, which may explain the games as well."""
        found: list[State] = []
        most = self.outlay(best) + CLOSE
        for start in self.starts if best.steps else ():
            # One that has to be changed for other reasons too explains the games worse.
            if start.address == best.address or start.cost > most:
                continue
            again = self.remade(start, [(step.variant, step) for step in best.steps], most)
            found += [
                s for s in (again, self.in_own_words(start, best, most)) if s is not None and self.outlay(s) <= most
            ]
        return found

    def in_own_words(self, start: State, best: State, most: float) -> State | None:
        """Changes of the same items and kinds as those of a state, made to another known ruleset that has other words there; None if
        it has the same words, or such changes do not help.
        """
        base, own = best.steps[0].before.rules.merged.items, start.rules.merged.items
        alike = {step.variant.key: base.get(step.variant.key) == own.get(step.variant.key) for step in best.steps}
        if all(alike.values()):
            return None
        same_words = [(step.variant, step) for step in best.steps if alike[step.variant.key]]
        state = self.remade(start, same_words) if same_words else start
        if state is None or self.estimate(state) > most:
            return None
        self.budget.most += IN_OWN_WORDS
        for step in best.steps:
            found: list[Trial] = []
            targets = [] if alike[step.variant.key] else self.targets(state)
            for target in targets:
                trying = self.trying(state, target)
                item = trying.made(step.variant.key)
                for variant in () if item is None else variants(item):
                    if variant.kind == step.variant.kind and (variant.dial or ())[2:] == (step.variant.dial or ())[2:]:
                        trying.attempt(variant)
                found += trying.found
            if targets and not found:
                return None
            if found:
                first, *others = self.furthest(found)
                same = [first, *(trial for trial in others if trial.seen == first.seen)]
                made = self.collapsed(state, first, [], targets)
                last = self.least_surprising(made, same)
                state = self.collapsed(state, last, [trial for trial in same if trial is not last], targets)
        state.cost = state.cost if state is start else self.estimate(state)
        # Without a change, it is known already.
        return None if state is start else state

    def remade(self, start: State, changes: Sequence[tuple[Variant, Step]], most: float = inf) -> State | None:
        """The state after these changes, each in place of a step; None if they do not load together, or if it costs more than `most`."""
        state = start
        for variant, step in changes:
            merged = applied(state.rules.merged, variant)
            rules = None if merged is None else Rules.of(start.address, merged, state.rules)
            if rules is None:
                return None
            price = state.price + self.price(variant)
            seen = self.judged(rules, most - price) if variant is changes[-1][0] else judge_all(rules, self.samples)
            if seen is None:
                return None
            steps = (*state.steps, Step(Trial(variant, rules, seen), [], state, step.targets))
            state = State(start.address, rules, seen, steps, price)
        state.cost = self.estimate(state)
        return state

    def judged(self, rules: Rules, most: float) -> list[Seen] | None:
        """How far each game is accepted; None if the games that are refused cost more than `most`."""
        found, left = list[Seen](), most
        for sample in self.samples:
            found.append(rules.judge(sample))
            left -= 0.0 if found[-1].clean else self.prices.slip * sample.weight
            if left < 0:
                return None
        return found

    def reconsidered(self, best: State) -> list[State]:
        """The best state with another change in place of one of its own: one that was dearer, but explains more games or is less
        surprising now that all else is known.
        """
        found: list[State] = []
        for number, step in enumerate(best.steps):
            rivals = list(step.rivals)
            tried = {(t.variant.key, t.variant.text) for t in (step.trial, *step.others, *step.rivals)}
            for target in step.targets:
                slips = self.slips(best, step.before)
                open_ = [at for at in self.inside(step.before, target) if at not in slips and not best.seen[at].clean]
                often = sum(self.samples[at].weight for at in open_) > self.prices.share * self.games
                if often and self.budget.has_left:
                    trying = self.trying(step.before, target)
                    trying.known = tried
                    trying.all(target, (False,))
                    rivals += trying.found
            most = self.outlay(best) + CLOSE
            start = best.steps[0].before
            for trial in self.furthest(rivals):
                changes = [(trial.variant if at == number else s.variant, s) for at, s in enumerate(best.steps)]
                alone = self.collapsed(start, trial, [], step.targets) if len(changes) == 1 else None
                state = alone or self.remade(start, changes, most)
                if state is not None and self.outlay(state) <= most:
                    found.append(state)
        return found

    def furthest(self, trials: Iterable[Trial]) -> list[Trial]:
        """The changes that make most games clean."""
        return nsmallest(RIVALS, trials, key=lambda trial: (-self.reached(trial), self.price(trial.variant)))

    def ranked(self) -> list[State]:
        """The states, the best first: by what they cost and, where that is about the same, by how surprising the games are."""
        self.states.sort(key=lambda s: (self.outlay(s), -sum(min(seen.place[0], 1 << 20) for seen in s.seen)))
        least = self.outlay(self.states[0]) if self.states else 0.0
        near = [state for state in self.states if self.outlay(state) <= least + CLOSE][:WEIGHED]
        games = [at for at in range(len(self.samples)) if all(state.seen[at].clean for state in near)]
        left = near if len(near) > 1 else []
        for most in (TOLD, MORE_TOLD):
            # A few games do not tell those apart that differ little.
            nats = self.surprises(left, games[:most])
            closest = min(nats.values(), default=0.0) + NATS
            left.sort(key=lambda state: nats.get(id(state), inf))
            near = [*left, *(state for state in near if not any(state is other for other in left))]
            left = [state for state in left if nats.get(id(state), inf) <= closest]
        return [*near, *(state for state in self.states if not any(state is other for other in near))]

    def surprises(self, states: list[State], games: list[int]) -> dict[int, float]:
        """What states cost and how surprising these games are under them, of those that may be the best one."""
        nats: dict[int, float] = {}
        for state in states:
            total: float | None = NATS * self.outlay(state)
            for at in games:
                told = self.weighing.surprise(state.rules, at, state.seen[at])
                total = None if told is None or total is None else total + told
                if total is None or total > min(nats.values(), default=inf) + NATS:
                    # It is not the best one, however it goes on.
                    break
            if total is not None and total <= min(nats.values(), default=inf) + NATS:
                nats[id(state)] = total
        return nats

    # ---- which of several changes with the same verdicts

    def sharpen(self, state: State) -> None:
        """Choose, of the changes that have the same verdicts as the last one, the one under which the games are least
        surprising. If what it allows was used too seldom, changes of other kinds are tried too.
        """
        step = state.steps[-1]
        best = self.least_surprising(state, [step.trial, *step.others])
        if self.weighing.is_loose(step.before, best):
            more = []
            for target in step.targets:
                trying = self.trying(step.before, target)
                trying.known = {(t.variant.key, t.variant.text) for t in (step.trial, *step.others)}
                trying.all(target, (False, True))
                more += [trial for trial in trying.found if trial.seen == state.seen]
                self.met += self.better(state, trying.found)
            best = self.least_surprising(state, [best, *more])
            if self.weighing.is_loose(step.before, best):
                # One change of the item may not be enough: a number in it too.
                more += self.tightened(step, best, state)
                best = self.least_surprising(state, [best, *more])
            step.others += more
        others = [trial for trial in (step.trial, *step.others) if trial is not best]
        last = replace(step, trial=best, others=others)
        state.price += self.price(best.variant) - self.price(step.trial.variant)
        state.rules, state.steps = best.rules, (*state.steps[:-1], last)
        state.cost = self.estimate(state)

    def better(self, state: State, trials: Iterable[Trial]) -> list[State]:
        """States after a change in place of the last one that explains more games than it costs more."""
        step, found = state.steps[-1], list[State]()
        for trial in self.furthest(trials):
            made = self.collapsed(step.before, trial, [], step.targets)
            made.cost = self.estimate(made)
            if self.outlay(made) < self.outlay(state) - MUCH:
                found.append(made)
        return sorted(found, key=self.outlay)[:BETTER]

    def tightened(self, step: Step, best: Trial, state: State) -> list[Trial]:
        """A change together with a number in the same item."""
        trying = self.trying(step.before, step.targets[0])
        trying.together(best.variant)
        return [trial for trial in trying.found if trial.seen == state.seen]

    def trying(self, state: State, target: tuple[str, str, str]) -> Trying:
        """What tries changes under a ruleset, for a refusal."""
        inside, less = self.inside(state, target), self.prices.of(self.games) - self.due(state, refusing(target))
        changes = tuple(step.variant for step in state.steps)
        return Trying(
            self.samples, self.budget, self.sisters(state), state, inside, self.workers, changes,
            most=EACH_TARGET, less=less, noted=self.notes.under(state.address, state.rules, state.seen),
        )  # fmt: skip

    def inside(self, state: State, target: tuple[str, str, str]) -> list[int]:
        """The games that a refusal stops."""
        return [at for at, seen in enumerate(state.seen) if not seen.clean and target in seen.groups]

    def least_surprising(self, state: State, trials: list[Trial]) -> Trial:
        """The change with the smallest sum of its price and of the surprise of some games, as far as they are accepted."""
        trials = sorted(trials, key=lambda trial: self.price(trial.variant))[:WEIGHED]
        trials = self.weighing.without_oddities(state.steps[-1].before, trials)
        if len(trials) == 1:
            return trials[0]
        for most in (TOLD, MORE_TOLD):
            # A few games do not tell those apart that differ little.
            weighed = self.weighed(state, trials, self.telling(state, most))
            trials = [trial for weight, _, trial in weighed if weight <= weighed[0][0] + NATS] or trials
            if len(trials) == 1:
                break
        return trials[0]

    def weighed(self, state: State, trials: list[Trial], games: list[int]) -> list[tuple[float, int, Trial]]:
        """Changes by their price and the surprise of some games, the best first."""
        found: list[tuple[float, int, Trial]] = []
        least = inf
        for number, trial in enumerate(trials):
            weight = self.weight(state, trial, games, least + NATS)
            if weight is not None:
                found.append((weight, number, trial))
                least = min(least, weight)
        return sorted(found, key=lambda entry: entry[:2])

    def weight(self, state: State, trial: Trial, games: Iterable[int], most: float = inf) -> float | None:
        """The price of a change and the surprise of these games under it, as the logarithm of a probability; None if nobody knows, or
        if it is above `most`.
        """
        weight = NATS * self.price(trial.variant)
        for at in games:
            told = self.weighing.surprise(trial.rules, at, state.seen[at])
            if told is None:
                return None
            weight += told
            if weight > most:
                return None
        return weight

    def telling(self, state: State, most: int = TOLD) -> list[int]:
        """Some games that are accepted furthest, those that the last change lets get further first."""
        before = state.steps[-1].before.seen
        order = sorted(
            range(len(self.samples)),
            key=lambda at: (not state.seen[at].clean, state.seen[at].place <= before[at].place, at),
        )
        return order[:most]

    def start(self, address: str) -> State | None:
        """A known ruleset without changes."""
        book = self.ruleset_store.get(address).value
        rules = None if book is None else Rules.of(address, trimmed(book.game.ruleset.merged))
        if rules is None:
            return None
        state = State(address, rules, judge_all(rules, self.samples), price=LAYER * address.count("+"))
        state.refusals = [rules.refusals(sample) for sample in self.samples]
        groups = Counter[tuple[str, str, str]]()
        for sample, refusals in zip(self.samples, state.refusals, strict=True):
            for group in refusals:
                groups[group] += sample.weight  # type: ignore[assignment]
        often = by_rule(groups.items())
        for rule, weight in often.items():
            if self.prices.change < (enough := weight * self.prices.slip) <= self.prices.of(self.games):
                # Where few games could have broken a rule, fewer are enough.
                due = self.prices.of(self.weighing.games_about(state, rule))
                self._due |= {(address, rule): due} if due < enough else {}
        dues = {rule: self.due(state, rule) for rule in often}
        alike = sum(min(self.prices.slip * n, dues[rule]) for rule, n in often.items() if n > dues[rule])
        state.cost = max(self.estimate(state), state.price + alike)
        return state

    def due(self, state: State, rule: str) -> float:
        """What a change costs for what a rule refuses."""
        return self._due.get((state.address, rule), self.prices.of(self.games))

    def outlay(self, state: State) -> float:
        """What a state costs if every game that it refuses is excused."""
        refused = sum(s.weight for s, seen in zip(self.samples, state.seen, strict=True) if not seen.clean)
        return state.price + self.prices.slip * refused

    def estimate(self, state: State, without: Collection[int] = ()) -> float:
        """What a state costs if one more change explains all games that one rule refuses; `without` some games."""
        return state.price + sum(
            min(self.prices.slip * weight, self.due(state, rule) * (UNREADABLE if rule in UNREAD else 1))
            for rule, weight in by_rule(state.groups(self.samples, without).items()).items()
        )

    def targets(self, state: State) -> list[tuple[str, str, str]]:
        """The refusals by rules that refuse too many games for slips."""
        groups = state.groups(self.samples)
        often = {rule: weight * self.prices.slip for rule, weight in by_rule(groups.items()).items()}
        rules = [(group, refusing(group)) for group, _ in groups.most_common()]
        return [group for group, rule in rules if often[rule] > self.due(state, rule)][:TARGETS]

    def is_promising(self, state: State) -> bool:
        """Whether a state may become better than the best one so far. A game that the best one refuses, for a reason for which this
        one would refuse it too, stays a slip whatever is changed for the other games.
        """
        best = min(self.states, key=self.outlay, default=None)
        if best is None or best is state:
            return True
        if not state.steps and best.steps and state.seen == best.steps[0].before.seen:
            # It is refused like the ruleset that was changed: the same changes are made to it later.
            return False
        slips = self.slips(best, state)
        wrong = self.prices.slip * sum(self.samples[at].weight for at in slips)
        return self.estimate(state, slips) + wrong < self.outlay(best) - MUCH

    def slips(self, best: State, state: State) -> set[int]:
        """The games that one state refuses for a reason for which another one would refuse them too; but for reasons for which it was
        changed, because another change may explain more games.
        """
        targets = {target for step in best.steps for target in step.helped()}
        often = self.unexplained(best) if best.steps else ()
        return {
            at
            for at, seen in enumerate(best.seen)
            if not seen.clean and seen.group not in targets and refusing(seen.group) not in often
            if state.seen[at].place <= seen.place
            if state.refused_for(at, self.samples[at], seen.group)
        }

    # ---- one more change

    def following(self, state: State, targets: list[tuple[str, str, str]]) -> list[State]:
        """The states after one more change that helps."""
        found: list[Trial] = []
        changed = tuple(sorted((step.variant.key, step.variant.kind) for step in state.steps))
        for target in targets:
            # What no change helped with another number in the same place is not looked into again.
            if (state.address, changed, target) not in self._hopeless:
                trying = self.trying(state, target)
                trying.all(target, (True, False))
                found += trying.found
                if not trying.found:
                    self._hopeless.add((state.address, changed, target))
        by_verdicts: dict[tuple[Seen, ...], list[Trial]] = defaultdict(list)
        for trial in found:
            by_verdicts[tuple(trial.seen)].append(trial)
        states = []
        for alike in by_verdicts.values():
            alike.sort(key=lambda trial: self.price(trial.variant))
            best = alike[0]
            made = self.collapsed(state, best, alike[1:KEPT], targets)
            made.steps[-1].rivals += self.furthest(trial for trial in found if trial.seen != best.seen)
            made.cost = self.estimate(made)
            states.append(made)
        states.sort(key=lambda made: (made.cost, -self.reached(made)))
        return states[:BRANCHES]

    def collapsed(self, state: State, best: Trial, others: list[Trial], targets: list[tuple[str, str, str]]) -> State:
        """The state after one more change; of an item that was changed before, the last change counts alone if it could have been
        made at first.
        """
        earlier = next((s for s in state.steps if s.variant.key == best.variant.key and not s.variant.more), None)
        if earlier is not None:
            items = earlier.before.rules.merged.items
            found = written(items, best.variant.key) if best.variant.key in items else None
            item = None if found is None else Item(best.variant.key, found, items, {})
            if best.variant.text is None or (
                item is not None and any(v.text == best.variant.text for v in variants(item))
            ):
                kept = tuple(step for step in state.steps if step is not earlier)
                price = state.price - self.price(earlier.variant) + self.price(best.variant)
                last = Step(best, others, earlier.before if not kept else state, targets)
                return State(state.address, best.rules, best.seen, (*kept, last), price)
        steps = (*state.steps, Step(best, others, state, targets))
        return State(state.address, best.rules, best.seen, steps, state.price + self.price(best.variant))

    def reached(self, state: State | Trial) -> float:
        """How many games are clean."""
        return sum(s.weight for s, seen in zip(self.samples, state.seen, strict=True) if seen.clean)

    def price(self, variant: Variant) -> float:
        """The price of a change; one of more items costs a little more."""
        gone = 0.02 if variant.text is None and variant.kind == "sister" else 0.0
        gone += 0.0 if variant.dial is None else 0.1 * (1 - 1 / (1 + variant.far / 100))
        return self.prices.of(self.games) + variant.price + 0.1 * len(variant.more) + NEXT * variant.distance + gone

    def sisters(self, state: State) -> list[Variant]:
        """What other rulesets of the game have instead."""
        key = f"{state.address} {[(step.variant.key, step.variant.text) for step in state.steps]}"
        if key not in self._sisters:
            merged = state.rules.merged
            self._sisters[key] = sister_variants(merged.items, merged, state.address, self.ruleset_store)
        return self._sisters[key]
