"""House editions that nobody is told: random changes of shipped rulesets, and games that are played by them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import Item, Variant, variants
from pwtool.learning.near import UNTOUCHED
from pwtool.learning.sisters import sister_variants, trimmed
from pwtool.learning.texts import written
from pwtool.learning.trying import alike_names
from pwtool.play.changes import FaultyRules
from pwtool.play.selfplay import Unplayable
from pwtool.records.encoding import encode_record
from pwtool.records.inputs import Document
from pwtool.records.random_records import play_many
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.build import build_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.text.store import cache_folder

GAMES = 40
DAMAGED = 2
SHOWN = 6
"""In so many games at least, the known edition has to refuse something; fewer may be slips."""
MAX_TURNS = 150
MOST_PLAYERS = 3
TRIES = 200


@dataclass(frozen=True)
class Truth:
    """A house edition: what it is based on, what it changes, its rules, and games by it, of which some are `damaged`."""

    address: str
    changes: list[Variant]
    rules: Rules
    games: list[dict[str, Any]]
    damaged: frozenset[int]

    def documents(self) -> list[Document]:
        """The games as files."""
        texts = [json.dumps({**game, "ruleset": self.address}) for game in self.games]
        return [Document(f"{n}.json", SourceFile(f"{n}.json", text), ()) for n, text in enumerate(texts)]


@cache
def store() -> RulesetStore:
    return RulesetStore(Library(cache=cache_folder()))


def base_rules(address: str) -> Rules:
    book = store().get(address).value
    assert book is not None
    rules = Rules.of(address, trimmed(book.game.ruleset.merged))
    assert rules is not None
    return rules


def all_changes(address: str, rules: Rules) -> dict[str, list[Variant]]:
    """Every change that is tried, by its kind."""
    found: dict[str, list[Variant]] = {}
    merged, names = rules.merged, alike_names(rules.game.ruleset, rules.merged)
    for key in merged.items:
        text = None if key[0] in (*UNTOUCHED, "component", "shape") else written(merged.items, key)
        for variant in () if text is None else variants(Item(key, text, merged.items, names)):
            found.setdefault(variant.kind, []).append(variant)
    for variant in sister_variants(merged.items, merged, address, store()):
        found.setdefault(variant.kind, []).append(variant)
    return found


def changed(address: str, changes: list[Variant]) -> Rules | None:
    """The rules with these changes; None if they do not load."""
    rules: Rules | None = base_rules(address)
    for change in changes:
        merged = None if rules is None else applied(rules.merged, change)
        rules = None if merged is None else Rules.of(address, merged)
    return rules


def truth(address: str, number: int, changes: int = 1) -> Truth:
    """The house edition with this number: `changes` at random that loads, can be played, and that the known edition refuses."""
    rng = random.Random(f"{address} {changes} {number}")
    base = base_rules(address)
    for _ in range(TRIES):
        chosen: list[Variant] = []
        rules: Rules | None = base
        while rules is not None and len(chosen) < changes:
            kinds = all_changes(address, rules)
            chosen.append(rng.choice(kinds[rng.choice(sorted(kinds))]))
            merged = applied(rules.merged, chosen[-1])
            rules = None if merged is None else Rules.of(address, merged)
        if rules is None or build_ruleset(address, rules.merged).value is None:
            continue
        games = played(rules, rng.randrange(1 << 20))
        if games is not None and all(game["turns"] for game in games) and _shows(base, rules, chosen, games):
            damaged = frozenset(rng.sample(range(GAMES), DAMAGED))
            spoilt = [damage(game, rng) if n in damaged else game for n, game in enumerate(games)]
            return Truth(address, chosen, rules, spoilt, damaged)
    raise AssertionError(f"no house edition of {address} was found")


def _shows(base: Rules, rules: Rules, chosen: list[Variant], games: list[dict[str, Any]]) -> bool:
    samples = [Sample("", game) for game in games]
    if not all(rules.judge(sample).clean for sample in samples):
        return False
    # Each change has to show: without it, the games are refused.
    less = [base]
    for number in range(len(chosen) if len(chosen) > 1 else 0):
        without = changed(rules.game.ruleset.address, [*chosen[:number], *chosen[number + 1 :]])
        less += [] if without is None else [without]
    return all(sum(not r.judge(s).clean for s in samples) >= SHOWN for r in less)


def played(rules: Rules, seed: int, games: int = GAMES) -> list[dict[str, Any]] | None:
    """Random games; None if the rules cannot be played."""
    try:
        return list(_played(rules, seed, games))
    except (Unplayable, FaultyRules):
        return None


def _played(rules: Rules, seed: int, games: int) -> Iterator[dict[str, Any]]:
    ruleset = rules.game.ruleset
    sizes = range(ruleset.min_players, max(ruleset.min_players, min(ruleset.max_players, MOST_PLAYERS)) + 1)
    for number, players in enumerate(sizes):
        share = games // len(sizes) + (number < games % len(sizes))
        for record in play_many(rules.book(), [f"P{i}" for i in range(players)], seed, share, MAX_TURNS):
            game = encode_record(rules.game, record)
            game.pop("version", None)
            yield game


def damage(game: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A game with an action left out or another argument, or with a wrong total."""
    spoilt = copy.deepcopy(game)
    while True:
        way, turn = rng.randrange(3), rng.choice(spoilt["turns"])
        if way == 0 and turn["actions"]:
            turn["actions"].pop(rng.randrange(len(turn["actions"])))
            return spoilt
        if way == 1 and turn["actions"]:
            action = rng.choice(turn["actions"])
            names = [name for name, value in action.items() if name != "action" and type(value) in (str, int)]
            other = [
                a[n] for t in spoilt["turns"] for a in t["actions"] for n in names if a.get(n, action[n]) != action[n]
            ]
            if names and other:
                action[rng.choice(names)] = rng.choice(other)
                return spoilt
        if way == 2 and spoilt.get("result", {}).get("scores"):
            scores = spoilt["result"]["scores"]
            scores[rng.choice(sorted(scores))] += rng.choice((-1, 1, 2))
            return spoilt


def refused(first: Rules, second: Rules, games: int, seed: int = 7) -> int:
    """How many random games under the first rules the second refuse."""
    return sum(not second.judge(Sample("", game)).clean for game in played(first, seed, games) or ())
