"""What is allowed and never happens although there were many chances: a suspicion, never a rule.

A stricter version of an item is one that refuses none of the games. How often what it refuses could have been done, and how
often players at random would have done it, says how strange that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from msgspec import Struct

from pwtool.lang.merged import Key
from pwtool.learning.chances import Asked, Use, known_decisions, missed_by
from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import Item, Variant, variants
from pwtool.learning.learned import Suspicion
from pwtool.learning.search import Search
from pwtool.learning.states import State
from pwtool.learning.texts import Written, written
from pwtool.learning.trying import CHEAP, alike_names
from pwtool.learning.words import differing
from pwtool.learning.workers import Under

TRIED = 150
"""The number of stricter versions that are tried."""
GAMES, COUNTED = 3, 60
"""In so many clean games chances are looked for, and in so many they are counted."""
EXPECTED = 7.0
"""How often players at random would have to have done it: then it never happens once in a thousand times."""
KINDS = ("number", "sign", "how often", "condition left out")
MOST = 5


def suspicions_of(search: Search, state: State) -> list[Suspicion]:
    """The strangest things that are allowed by the learned rules and never happen in the games, one for each item."""
    clean = [at for at, seen in enumerate(state.seen) if seen.clean]
    if not clean:
        return []
    found: dict[Key, Suspicion] = {}
    likely: dict[Key, Variant] = {}
    rules, stricter = state.rules, list(islice(_variants(state.rules), TRIED))
    changes = tuple(step.variant for step in state.steps)
    under = Under(state.address, rules.hashes[0], changes, (), tuple(clean[:GAMES]))
    all_missed = search.workers.map(missed, under, rules, (variant for _, variant in stricter))
    for (here, variant), seen in zip(stricter, all_missed, strict=True):
        chances, expected = 0.0, 0.0
        if seen.games:
            share = len(clean) / seen.games
            chances, expected = seen.chances * share, seen.expected * share
        key = variant.key
        if expected < EXPECTED or (key in found and expected <= found[key].expected):
            continue
        merged = applied(rules.merged, variant)
        made = None if merged is None else Rules.of(state.address, merged, rules)
        if made is not None and all(made.judge(search.samples[at]).clean for at in clean[GAMES:]):
            before, after = differing(here.text, variant.text)
            text = str(getattr(rules.merged.items[key], "text", ""))
            found[key] = Suspicion(key, variant.kind, text, before or "", after, seen.games, round(chances), expected)
            likely[key] = variant
    # What a few games promise is counted: others may be longer, or cut.
    under = Under(state.address, rules.hashes[0], changes, (), tuple(clean[:COUNTED]))
    for (key, suspected), seen in zip(
        [*found.items()], search.workers.map(missed, under, rules, likely.values()), strict=True
    ):
        if seen.expected < EXPECTED:
            del found[key]
        else:
            found[key] = replace(suspected, games=seen.games, chances=seen.chances, expected=seen.expected)
    return sorted(found.values(), key=lambda suspicion: -suspicion.expected)[:MOST]


def _variants(rules: Rules) -> Iterator[tuple[Written, Variant]]:
    """The versions of rules and of the turn that may be stricter, each with the text of the item."""
    names = alike_names(rules.game.ruleset, rules.merged)
    for key in rules.merged.items:
        here = written(rules.merged.items, key) if key[0] in ("rule", "turn") else None
        if here is None:
            continue
        for variant in variants(Item(key, here, rules.merged.items, names), lambda price: price < CHEAP):
            if variant.kind in KINDS and (variant.dial is None or abs(variant.dial[2] - _old(here, variant.dial)) <= 2):
                yield here, variant


def _old(here: Written, dial: tuple[int, int, int]) -> int:
    return int(here.text[dial[0] : dial[1]])


def _decisions(rules: Rules, sample: Sample) -> list[Asked] | None:
    """What could be done in a clean game, found once for each of the rules; None if nobody knows."""
    key = rules.hashes[0]
    if key not in sample.decisions:
        record = rules.record(sample)
        sample.decisions[key] = None if record is None else known_decisions(rules, record)
    known: list[Asked] | None = sample.decisions[key]
    return known


class Missed(Struct, frozen=True):
    """In how many games was looked, in how many decisions in them something was possible that stricter rules refuse, and how often
    players at random would have done that.
    """

    games: int = 0
    chances: int = 0
    expected: float = 0.0


def missed(under: Under, variant: Variant, rules: Rules, samples: Sequence[Sample]) -> Missed:
    """What rules with a change refuse that was possible in some clean games; nothing if they are not stricter, or refuse what was done."""
    looked_at = [samples[at] for at in under.probes]
    merged = applied(rules.merged, variant)
    stricter = None if merged is None else Rules.of(under.address, merged, rules)
    if stricter is None or not all(stricter.judge(sample).clean for sample in looked_at):
        return Missed()
    uses: list[Use] = []
    for sample in looked_at:
        record, known = stricter.record(sample), _decisions(rules, sample)
        if record is None or known is None:
            continue
        use = missed_by(known, stricter, record)
        if use is None:
            return Missed()
        uses.append(use)
    return Missed(len(uses), sum(use.chances for use in uses), sum(use.expected for use in uses))
