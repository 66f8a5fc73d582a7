"""What is allowed and never happens although there were many chances: a suspicion, never a rule.

A stricter version of an item is one that refuses none of the games. How often what it refuses could have been done, and how
often players at random would have done it, says how strange that is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pwtool.lang.merged import Key
from pwtool.learning.chances import Asked, known_decisions, missed_by
from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import Item, variants
from pwtool.learning.learned import Suspicion
from pwtool.learning.search import Search
from pwtool.learning.states import State
from pwtool.learning.texts import Written, written
from pwtool.learning.trying import CHEAP, alike_names
from pwtool.learning.words import differing

TRIED = 150
"""The number of stricter versions that are tried."""
GAMES = 3
"""The number of clean games in which chances are counted."""
EXPECTED = 7.0
"""How often players at random would have to have done it: then it never happens once in a thousand times."""
KINDS = ("number", "sign", "how often", "condition left out")
MOST = 5


def suspicions_of(search: Search, state: State) -> list[Suspicion]:
    """The strangest things that are allowed by the learned rules and never happen in the games, one for each item."""
    clean = [s for s, seen in zip(search.samples, state.seen, strict=True) if seen.clean]
    if not clean:
        return []
    found: dict[Key, Suspicion] = {}
    tried = 0
    rules, looked_at = state.rules, clean[:GAMES]
    records = [rules.record(sample) for sample in looked_at]
    known = [None if record is None else known_decisions(rules, record) for record in records]
    names = alike_names(rules.game.ruleset, rules.merged)
    for key in rules.merged.items:
        here = written(rules.merged.items, key) if key[0] in ("rule", "turn") else None
        if here is None:
            continue
        for variant in variants(Item(key, here, rules.merged.items, names), lambda price: price < CHEAP):
            if variant.kind not in KINDS or tried >= TRIED:
                continue
            if variant.dial is not None and abs(variant.dial[2] - _old(here, variant.dial)) > 2:
                continue
            merged = applied(rules.merged, variant)
            stricter = None if merged is None else Rules.of(state.address, merged, rules)
            tried += 1
            if stricter is None or not all(stricter.judge(sample).clean for sample in looked_at):
                continue
            chances, expected = _missed(looked_at, known, stricter, len(clean))
            if expected < EXPECTED or (key in found and expected <= found[key].expected):
                continue
            if all(stricter.judge(sample).clean for sample in clean[GAMES:]):
                before, after = differing(here.text, variant.text)
                text = str(getattr(rules.merged.items[key], "text", ""))
                found[key] = Suspicion(key, variant.kind, text, before or "", after, chances, expected)
    return sorted(found.values(), key=lambda suspicion: -suspicion.expected)[:MOST]


def _old(here: Written, dial: tuple[int, int, int]) -> int:
    return int(here.text[dial[0] : dial[1]])


def _missed(
    samples: Sequence[Sample], known: Sequence[Sequence[Asked] | None], stricter: Rules, clean: int
) -> tuple[int, float]:
    """In how many decisions something was possible that stricter rules refuse, and how often that would have been done; in all
    `clean` games, as those that were looked at show.
    """
    chances, expected, looked = 0, 0.0, 0
    for sample, decisions in zip(samples, known, strict=True):
        record = stricter.record(sample)
        if record is None or decisions is None:
            continue
        use = missed_by(decisions, stricter, record)
        if use is None:
            # It is not stricter.
            return 0, 0.0
        looked += 1
        chances, expected = chances + use.chances, expected + use.expected
    share = clean / looked if looked else 0.0
    return round(chances * share), expected * share
