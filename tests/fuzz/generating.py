"""Texts made from a grammar and values made from a JSON schema, with every choice drawn from a random generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from lark import Lark
from lark.grammar import NonTerminal, Symbol

MAX_DEPTH = 12

Vocabulary = Mapping[str, tuple[str, ...]]
"""What stands for each terminal in texts that people wrote."""


class Grammar:
    """The rules of a grammar, and which way out of each is the shortest."""

    def __init__(self, lark: Lark, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.rules: dict[str, list[list[Symbol]]] = {}
        for rule in lark.rules:
            self.rules.setdefault(rule.origin.name, []).append(list(rule.expansion))
        self.costs: dict[str, int] = {}
        while True:
            found = {name: min(map(self._cost, ways)) for name, ways in self.rules.items()}
            if found == self.costs:
                break
            self.costs = found

    def _cost(self, way: Iterable[Symbol]) -> int:
        return 1 + max((self.costs.get(s.name, 99) for s in way if isinstance(s, NonTerminal)), default=0)

    def words(self, rng: random.Random, name: str, depth: int = 0) -> list[str]:
        """The words of a sentence that this rule makes. Deep inside only short ways are taken."""
        ways = self.rules.get(name)
        if ways is None:
            known = self.vocabulary.get(name)
            return [rng.choice(known)] if known else []
        if depth > MAX_DEPTH:
            least = min(map(self._cost, ways))
            ways = [way for way in ways if self._cost(way) == least]
        return [word for symbol in rng.choice(ways) for word in self.words(rng, symbol.name, depth + 1)]

    def sentence(self, rng: random.Random, name: str) -> str:
        return " ".join(self.words(rng, name))


def instance(rng: random.Random, schema: Any, whole: Mapping[str, Any], words: tuple[str, ...]) -> Any:
    """A value that a schema allows, but for what its parts together forbid. Free texts are taken from `words`."""
    if not isinstance(schema, dict):
        return rng.choice((None, 0, True, "x"))
    make: Callable[[Any], Any] = lambda part: instance(rng, part, whole, words)  # noqa: E731
    if "$ref" in schema:
        return make(whole["$defs"][schema["$ref"].rpartition("/")[2]])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"]) if schema["enum"] else None
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return make(rng.choice(schema[key]))
    kind = schema.get("type")
    match rng.choice(kind) if isinstance(kind, list) else kind:
        case "object":
            return _object(rng, schema, make, words)
        case "array":
            first = [make(part) for part in schema.get("prefixItems", ())]
            least, most = schema.get("minItems", 0), schema.get("maxItems", 6)
            count = rng.randint(min(least, most), max(least, min(most, least + 4)))
            return first + [make(schema.get("items", True)) for _ in range(count - len(first))]
        case "integer":
            low, high = schema.get("minimum", -3), schema.get("maximum", 40)
            return rng.choice((low, high, *(rng.randint(low, high) for _ in range(4))))
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
    return rng.choice(words)


def _object(rng: random.Random, schema: Any, make: Callable[[Any], Any], words: tuple[str, ...]) -> dict[str, Any]:
    needed = schema.get("required", ())
    known = schema.get("properties", {})
    found = {key: make(part) for key, part in known.items() if key in needed or rng.random() < 0.5}
    if "if" in schema:
        branch = schema.get("then" if all(key in found for key in schema["if"]["required"]) else "else", {})
        found = {key: value for key, value in found.items() if branch.get("properties", {}).get(key) is not False}
        found |= {key: make(known[key]) for key in branch.get("required", ()) if key not in found}
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        # Mostly something for everybody: such objects hold what belongs to the players.
        keys = words if rng.random() < 0.8 else rng.choices(words, k=rng.randrange(4))
        found |= {key: make(more) for key in keys[:8]}
    return found


def strategy(make: Callable[[random.Random], Any]) -> st.SearchStrategy[Any]:
    """What a function makes of a random generator, as a strategy: Hypothesis draws, and shrinks, each choice."""
    return st.randoms(use_true_random=False).map(make)


@cache
def plain_words() -> tuple[str, ...]:
    """Names and texts: usual ones, and such that are easily taken for something else."""
    return (
        *("Ana", "Ben", "P1", "P2", "P3", "1", "2", "3", "?", "", "none", "a b", "Zoë", "x" * 81, "\u2028", "\x1b[31m"),
        *("null", "-1", "0x1", "\U0001f0cf", "R1", "constructor", "__class__", "}", '"', "\\", "12.", "é\u0301"),
    )
