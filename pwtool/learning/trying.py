"""Trying changes under one ruleset, for the games that one refusal stops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.learning.judging import Rules, Sample, Seen, applied
from pwtool.learning.kinds import LARGE, Item, Variant, dialed, dials, variants
from pwtool.learning.near import Near
from pwtool.learning.noting import Noted, accepted
from pwtool.learning.states import Budget, State, Trial
from pwtool.learning.texts import written
from pwtool.learning.workers import Under, Workers, outcome

Place = tuple[int, int]
"""The beginning and the end of a number in the text of an item."""
PROBES = 4
"""The number of games of a refusal on which a change is tried first."""
CHEAP = 0.6
"""Kinds of changes below this price are tried first."""
FAR = 3
"""How far from the refusing rule items are looked for."""
SEEDS = 2
CLEARED = 0.5
"""If so many games of a refusal become clean, what is further away from the rule is not looked at."""
TWICE = 500
"""If nothing helps, so many pairs of changes are tried in each of the first items."""
NEAREST = 60
"""Of the numbers that a few games leave, so many are tried on all: those nearest to what is known."""
GRID = 10
"""Where more may help, so many of them are tried first, and then those around the best."""
_NO_RULES = "none"
TOGETHER = 0.3
"""The price of a number that changes together with something else in the same item."""


@dataclass(slots=True)
class Trying:
    """Changes tried under one ruleset for one refusal; `inside` are the games that it stops."""

    samples: Sequence[Sample]
    budget: Budget
    sisters: Sequence[Variant]
    state: State
    inside: list[int]
    workers: Workers
    changes: tuple[Variant, ...]
    """Those of the state, from the known ruleset on."""
    found: list[Trial] = field(default_factory=list)
    explained: bool = False
    """Whether a change gets nearly all of the games past the refusal."""
    cleared: bool = False
    """Whether a change makes many of them clean; one that only leaves the refusing rule out often does not."""
    distance: int = 0
    most: int = 0
    extra: float = 0.0
    """What numbers cost more because something else in the item changes too."""
    less: float = 0.0
    """What changes cost less because the refusing rule matters in few games."""
    noted: dict[tuple[Key, str | None], Noted] = field(default_factory=dict)
    """Which games each change accepts that was tried on all, also if it does not help."""
    known: set[tuple[Key, str | None]] = field(default_factory=set)
    """What was tried before and is not tried again."""
    _tried: set[tuple[Key, str | None]] = field(default_factory=set)
    _names: dict[str, tuple[str, ...]] | None = None
    _items: dict[Key, Item | None] = field(default_factory=dict)

    def all(self, target: tuple[str, str, str], passes: tuple[bool, ...]) -> None:
        """Try the changes of all items that may be behind a refusal, until one explains it."""
        near = Near(self.state.rules.merged.items)
        seeds = near.seeds(target[0], target[1])
        levels = list(near.around(seeds, FAR, near.away(*target[:2])))
        if passes[0]:
            for distance, keys in enumerate(levels):
                self.elsewhere(set(keys), distance)
        for cheap in passes:
            for distance, keys in enumerate(levels):
                if distance > 1 and (self.cleared or (self.explained and not cheap)):
                    break
                self.items(keys, cheap, distance)
            if self.explained and self.cleared:
                return
            if self.explained:
                break
        if not self.cleared:
            for key in seeds:
                if key[0] == "ending":
                    self.later(key)
        if not self.found:
            self.items(near.all(), True, FAR)
        if not self.found:
            for key in seeds[:SEEDS]:
                self.twice(key)

    def elsewhere(self, keys: Collection[Key], distance: int) -> None:
        """Try what other rulesets of the game have instead of some items."""
        self.distance = distance
        self.attempts(v for v in self.sisters if v.key in keys or any(key in keys for key, _ in v.more))

    def later(self, key: Key) -> None:
        """Try another number of last turns together with a number in the condition of an ending: neither helps alone."""
        self.distance = 0
        item = self.made(key)
        for first in () if item is None else variants(item, lambda price: price < CHEAP):
            merged = applied(self.state.rules.merged, first) if first.kind == "end" and first.text is not None else None
            found = None if merged is None else written(merged.items, key)
            if merged is None or found is None or not isinstance(found.node, n.Ending):
                continue
            condition = found.span(found.node.condition)
            self.extra = first.price + TOGETHER
            second = Item(key, found, merged.items, {})
            for place, turned in by_place(dials(second)).items():
                if condition[0] <= place[0] < condition[1]:
                    self.turn(second, place, turned)
            self.extra = 0.0

    def twice(self, key: Key) -> None:
        """Try two cheap changes of one item together."""
        self.distance = 0
        item = self.made(key)
        allowed = self.most
        self.most = len(self._tried) + TWICE
        for first in () if item is None else variants(item, lambda price: price < CHEAP):
            merged = None if first.text is None else applied(self.state.rules.merged, first)
            found = None if merged is None else written(merged.items, key)
            if merged is not None and found is not None:
                second = Item(key, found, merged.items, item.names if item is not None else {})
                self.attempts(
                    replace(variant, price=first.price + variant.price + TOGETHER, dial=None)
                    for variant in variants(second, lambda price: price < CHEAP)
                    if variant.dial is None or variant.far <= 1
                )
        self.most = allowed

    def items(self, keys: Iterable[Key], cheap: bool, distance: int) -> None:
        """Try the changes of items, the `cheap` kinds or the others; of each number first a few, then those that may help."""
        self.distance = distance
        if distance > 1 and not cheap:
            return
        first, numbers = list[Variant](), list[tuple[Item, Place, list[Variant]]]()
        for item in filter(None, map(self.made, keys)):
            wanted = list(variants(item, lambda price: (price < CHEAP) is cheap))
            first += (variant for variant in wanted if variant.dial is None)
            numbers += ((item, place, turned) for place, turned in by_place(wanted).items())
        self.attempts([*first, *(variant for number in numbers for variant in first_of(*number))])
        for number in numbers:
            self.turn(*number)

    def made(self, key: Key) -> Item | None:
        """An item as it is now, to be changed."""
        if key not in self._items:
            items = self.state.rules.merged.items
            if self._names is None:
                self._names = alike_names(self.state.rules.game.ruleset, self.state.rules.merged)
            found = written(items, key) if key in items else None
            self._items[key] = None if found is None else Item(key, found, items, self._names)
        return self._items[key]

    def turn(self, item: Item, place: Place, turned: list[Variant]) -> None:
        """Try other numbers in one place: the nearest and the extreme ones first; then, if one helps, all that may."""
        old = int(item.written.text[slice(*place)])
        helped = self.attempts(first_of(item, place, turned))
        if not helped and old >= LARGE:
            helped = self.between(item, place, old)
        elif not helped and self.distance == 0:
            # How much is dealt has to be right: what is nearer does not help.
            helped = self.attempts(turned[4:])
        if not helped:
            return
        helped += self.attempts(turned[4:])
        helped += self.beyond(item, place, turned, helped)
        best = max(helped, key=lambda t: (self.worth(t.seen), -abs(_number(t.variant) - old)))
        # The smallest change that explains as much lies between.
        most, number = self.worth(best.seen), _number(best.variant)
        low, high = sorted((old, number))
        tested = {_number(t.variant) for t in helped}
        if high - low > 60:
            step = -1 if number > old else 1
            while low + 1 < high:
                middle = (low + high) // 2
                tried = self.attempt(dialed(item, *place, middle))
                good = tried is not None and self.worth(tried.seen) >= most
                if (step < 0) is good:
                    high = middle
                else:
                    low = middle
            return
        self.attempts(dialed(item, *place, new) for new in range(low + 1, high) if new not in tested)

    def beyond(self, item: Item, place: Place, turned: list[Variant], helped: list[Trial]) -> list[Trial]:
        """The numbers around those that explain most, as far as the next ones that explain less: what explains more may lie
        between them.
        """
        old, found = int(item.written.text[slice(*place)]), list[Trial]()
        worth = dict.fromkeys((old, *map(_number, (*first_of(item, place, turned), *turned))), (0.0, 0.0))
        fresh = helped
        while fresh:
            worth |= {_number(trial.variant): self.worth(trial.seen) for trial in fresh}
            most = max(worth.values())
            best = [number for number, of in worth.items() if of == most]
            low = max((number for number in worth if number < min(best)), default=min(best))
            high = min((number for number in worth if number > max(best)), default=max(best))
            step = 1 if high - low <= NEAREST else (high - low) // GRID
            numbers = [number for number in range(low + step, high, step) if number not in worth]
            worth |= dict.fromkeys(numbers, (0.0, 0.0))
            fresh = self.attempts(dialed(item, *place, number) for number in numbers)
            found += fresh
        return found

    def between(self, item: Item, place: Place, old: int) -> list[Trial]:
        """Where a game is refused for one reason with some numbers and for another one with others: those between, as far as other
        games are not refused with them for the same reasons.
        """
        helped, codes = list[Trial](), dict[tuple[int, int], str]()

        def ask(new: int, at: int) -> str:
            if (new, at) not in codes:
                variant = dialed(item, *place, new)
                trial = self.attempt(variant)
                helped.extend([] if trial is None else [trial])
                merged = applied(self.state.rules.merged, variant)
                rules = None if merged is None else Rules.of(self.state.address, merged, self.state.rules)
                seen = None if rules is None else rules.judge(self.samples[at])
                codes[new, at] = _NO_RULES if seen is None else "" if seen.clean else seen.code
            return codes[new, at]

        def edge(bad: int, good: int, at: int) -> int:
            """The number farthest from `good`, towards one for which a game is refused, that it is not refused with for that reason."""
            code = ask(bad, at)
            while abs(good - bad) > 1:
                middle = (good + bad) // 2
                bad, good = (middle, good) if ask(middle, at) == code else (bad, middle)
            return good

        first, *others = dict.fromkeys((self.inside[0], *self.probes()))
        codes[old, first] = self.state.seen[first].code
        numbers = sorted((0, old // 4, old // 2, old, old * 2, old * 4))
        for low, high in pairwise(numbers):
            if "" not in (ask(low, first), ask(high, first)) and ask(low, first) != ask(high, first):
                # In between it may be refused for neither reason.
                numbers = sorted({*numbers, edge(low, high, first)})
        good = next((new for new in numbers if not ask(new, first)), None)
        if good is None:
            return helped
        below = [new for new in numbers if new < good and ask(new, first)]
        above = [new for new in numbers if new > good and ask(new, first)]
        least = edge(below[-1], good, first) if below else numbers[0]
        most = edge(above[0], good, first) if above else numbers[-1]
        for at in others:
            if least < most and ask(least, at) and ask(least, at) != ask(most, at):
                least = edge(least, most, at)
            if least < most and ask(most, at) and ask(least, at) != ask(most, at):
                most = edge(most, least, at)
        for new in sorted(range(least, most + 1), key=lambda new: abs(new - old))[:NEAREST]:
            ask(new, first)
        return helped

    def together(self, best: Variant) -> None:
        """Try a comparison sign, or the best change so far, together with a number in the same item."""
        item = self.made(best.key)
        signs = [] if item is None else [v for v in variants(item, lambda price: price < CHEAP) if v.kind == "sign"]
        for first in (best, *signs):
            merged = None if first.text is None else applied(self.state.rules.merged, first)
            found = None if merged is None else written(merged.items, first.key)
            if merged is None or found is None:
                continue
            numbers = dials(Item(first.key, found, merged.items, {}))
            self.attempts(replace(d, kind=first.kind, price=first.price + TOGETHER, dial=None) for d in numbers)

    def gain(self, seen: Sequence[Seen]) -> float:
        """How many more games get further than get less far."""
        pairs = zip(self.samples, self.state.seen, seen, strict=True)
        return sum(s.weight * ((new.place > old.place) - 3 * (new.place < old.place)) for s, old, new in pairs)

    def worth(self, seen: Sequence[Seen]) -> tuple[float, float]:
        """How much a change explains: its gain, and the games that are clean."""
        return self.gain(seen), sum(s.weight for s, one in zip(self.samples, seen, strict=True) if one.clean)

    def probes(self) -> list[int]:
        """Games from all parts of the collection, of each part the one that is refused earliest: it is judged in least time."""
        ends = [number * len(self.inside) // PROBES for number in range(PROBES + 1)]
        parts = [self.inside[one:other] for one, other in pairwise(ends) if one < other]
        return [min(part, key=lambda at: self.state.seen[at].place) for part in parts]

    def attempt(self, variant: Variant) -> Trial | None:
        """Try a change: on a few games of the refusal, then on all. It counts if more games get further than not."""
        return next(iter(self.attempts((variant,))), None)

    def attempts(self, variants: Iterable[Variant]) -> list[Trial]:
        """Try several changes; those that help. What was tried before is not tried again."""
        fresh: dict[tuple[Key, str | None], Variant] = {}
        asked = [((variant.key, variant.text), variant) for variant in variants]
        for text, variant in asked:
            has_left = len(self._tried) < self.most and self.budget.tried + len(fresh) < self.budget.most
            if has_left and text not in self._tried and text not in self.known:
                self._tried.add(text)
                fresh[text] = variant
        places = tuple(seen.place for seen in self.state.seen)
        state = self.state
        under = Under(state.address, state.rules.hashes[0], self.changes, places, tuple(self.probes()))
        outcomes = self.workers.map(outcome, under, state.rules, fresh.values())
        for variant, found in zip(fresh.values(), outcomes, strict=True):
            self.budget.tried += found.is_text
            if found.seen is None:
                continue
            price = variant.price + self.extra - self.less
            tried = replace(variant, distance=self.distance, price=price)
            noted = Noted(self.state.address, (*self.changes, tried), accepted(found.seen))
            self.noted.setdefault((variant.key, variant.text), noted)
            if self.gain(found.seen) > 0:
                self.helps(tried, found.seen)
        helped = {(trial.variant.key, trial.variant.text): trial for trial in self.found}
        return [helped[text] for text, _ in asked if text in helped]

    def helps(self, variant: Variant, seen: list[Seen]) -> None:
        """Keep a change that gets more games further than not."""
        merged = applied(self.state.rules.merged, variant)
        rules = None if merged is None else Rules.of(self.state.address, merged, self.state.rules)
        assert rules is not None, "it was made before"
        self.found.append(Trial(variant, rules, seen))
        past = sum(self.samples[at].weight for at in self.inside if seen[at].place > self.state.seen[at].place)
        whole = sum(self.samples[at].weight for at in self.inside)
        clean = sum(self.samples[at].weight for at in self.inside if seen[at].clean)
        worse = sum(
            s.weight for s, old, new in zip(self.samples, self.state.seen, seen, strict=True) if new.place < old.place
        )
        if past >= 0.8 * whole and not worse:
            self.explained = True
            self.cleared = self.cleared or clean >= CLEARED * whole


def first_of(item: Item, place: Place, turned: list[Variant]) -> list[Variant]:
    """Of the other numbers in one place the nearest and the extreme ones."""
    old = int(item.written.text[slice(*place)])
    return [*turned[:4], *(dialed(item, *place, new) for new in dict.fromkeys((0, 2 * old + 20)) if new != old)]


def by_place(found: Iterable[Variant]) -> dict[Place, list[Variant]]:
    """The variants that move a number, by the place of the number."""
    places: dict[Place, list[Variant]] = defaultdict(list)
    for variant in found:
        if variant.dial is not None:
            places[variant.dial[:2]].append(variant)
    return places


def _number(variant: Variant) -> int:
    assert variant.dial is not None
    return variant.dial[2]


def alike_names(ruleset: Ruleset, merged: Merged) -> dict[str, tuple[str, ...]]:
    """For each attribute, shape and zone, the others of its kind."""
    kinds: dict[object, list[str]] = defaultdict(list)
    for component in ruleset.components.values():
        for name, attribute in component.attributes.items():
            kinds["attribute", attribute.type.kind].append(name)
    for zone in ruleset.zones.values():
        kinds["zone", zone.kind, zone.element.kind, zone.dimensions, zone.element.component].append(zone.name)
    for (kind, name), node in merged.items.items():
        if isinstance(node, n.Shape):
            kinds[kind].append(name)
    found: dict[str, tuple[str, ...]] = {}
    for alike in kinds.values():
        for name in alike:
            found[name] = (*found.get(name, ()), *(other for other in dict.fromkeys(alike) if other != name))
    return found
