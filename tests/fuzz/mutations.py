"""Changes of inputs at random: of their bytes, of their words, of the trees that they are. Everything comes from one
seeded generator, so a run can be repeated.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tests.fuzz import seeds
from tests.fuzz.generating import instance, plain_words
from tests.kernel.changes import KEYS, PIECES, Changer, changed_text, vocabulary

Mutation = Callable[[random.Random, bytes], bytes]
MAX_SIZE = 200_000

SIGNS = (
    *(
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b"\n\n",
        b"#",
        b";",
        b"/",
        b"+",
        b"@",
        b"=",
        b">",
        b"<",
        b"?",
        b"!",
        b"(",
        b")",
        b"|",
    ),
    *(b"*", b"_", b"'", b"&&", b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xae", b"\xcc\x81", b"\xd9\xa3", b"\xc2\xb2"),
)
JSON_WORD = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[\[\]{}:,]')
RULES_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|\.\.|[=<>!]=|\+=|\S|\s+')
NOTATION_WORD = re.compile(r'\{[^}]*\}|"(?:[^"\\]|\\.)*"|[^\s;:,+@=/!?{}">]+|\S|\s+')
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3.5, -0.0, 1e308, 10**9, 2**31, -(2**31), 2**63, 10**26, "", "?", " ", "x" * 300),
    *(
        [],
        {},
        [[]],
        [None],
        [0, 0],
        {"": None},
        {"1": "?"},
        "\x1b[31m\n",
        "\ud83c\udccf",
        "\u2028",
        "P1",
        "Ana",
        "K1",
        [0] * 60,
    ),
)


# ---- bytes


def damaged(rng: random.Random, data: bytes) -> bytes:
    """A few bytes left out, repeated, exchanged, put in."""
    at = rng.randrange(len(data) + 1)
    size = rng.choice((1, 1, 1, 2, 4, 16, 200))
    match rng.randrange(8):
        case 0:
            return data[:at] + data[at + size :]
        case 1:
            return data[:at] + data[at : at + size] * rng.choice((2, 2, 2, 3, 50)) + data[at + size :]
        case 2:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case 3:
            start = rng.randrange(len(data) + 1)
            return data[:at] + data[start : start + size] + data[at + rng.choice((0, size)) :]
        case 4 if at < len(data):
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        case 5:
            return data[:at] if rng.random() < 0.3 else data[:at] + data[at + 1 :]
    return data[:at] + rng.choice((*PIECES, *SIGNS)) + data[at + rng.choice((0, 0, 1)) :]


def lines(rng: random.Random, data: bytes) -> bytes:
    """A line left out, repeated, or moved elsewhere."""
    found = data.split(b"\n")
    line = found.pop(rng.randrange(len(found)))
    for _ in range(rng.choice((0, 1, 1, 2))):
        found.insert(rng.randrange(len(found) + 1), line)
    return b"\n".join(found)


# ---- words


def json_words(rng: random.Random, data: bytes) -> bytes:
    """A word or sign of a JSON text becomes another one, mostly one of the same text."""
    found = [match.span() for match in JSON_WORD.finditer(data)]
    if not found:
        return damaged(rng, data)
    start, end = rng.choice(found)
    if rng.random() < 0.3:
        new = rng.choice((*PIECES, *KEYS, *(json.dumps(odd).encode() for odd in ODD)))
    else:
        other, behind = rng.choice(found)
        new = data[other:behind]
    return data[:start] + new + data[end:]


def _words(rng: random.Random, data: bytes, pattern: re.Pattern[str], known: Sequence[str]) -> bytes:
    text = data.decode("utf-8", "replace")
    found = [match.span() for match in pattern.finditer(text)]
    if not found:
        return rng.choice(known).encode() + data
    start, end = rng.choice(found)
    match rng.randrange(5):
        case 0:
            new = ""
        case 1 | 2:
            new = rng.choice(known)
        case 3:
            new = " ".join(text[a:b] for a, b in [rng.choice(found), (start, end)])
        case _:
            other, behind = rng.choice(found)
            new = text[other:behind]
    return (text[:start] + new + text[end:]).encode("utf-8", "replace")


def rules_words(rng: random.Random, data: bytes) -> bytes:
    return _words(rng, data, RULES_WORD, seeds.rules_words())


def notation_words(rng: random.Random, data: bytes) -> bytes:
    ruleset = rng.choice(seeds.RULESETS)
    return _words(rng, data, NOTATION_WORD, (*vocabulary(seeds.address_of(ruleset)), *plain_words()))


def game_words(form: str) -> Mutation:
    """A word of a game in the format of another program becomes another one of some game in it."""

    def change(rng: random.Random, data: bytes) -> bytes:
        other = rng.choice(seeds.foreign_games(form)).decode("utf-8", "replace")
        known = [match[0] for match in NOTATION_WORD.finditer(other)]
        return _words(rng, data, NOTATION_WORD, known)

    return change


def numbers(rng: random.Random, data: bytes) -> bytes:
    """A number becomes another one."""
    found = [match.span() for match in re.finditer(rb"\d+", data)]
    if not found:
        return damaged(rng, data)
    start, end = rng.choice(found)
    old = int(data[start:end][:30])
    new = rng.choice(
        (0, 1, old + 1, max(0, old - 1), old * 10, 99, 100, 255, 400, 1000, 10**6, 10**9, 2**31, 2**64, 10**40)
    )
    return data[:start] + str(new).encode() + data[end:]


# ---- trees


def json_tree(rng: random.Random, data: bytes) -> bytes:
    """A value inside of a JSON value left out, repeated, exchanged with another, replaced, renamed, put one deeper."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return json_words(rng, data)
    places = _places(value)
    if not places:
        return json_words(rng, data)
    holder, key = rng.choice(places)
    other_holder, other_key = rng.choice(places)
    match rng.randrange(9):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder[key:key] = [holder[key]] * rng.choice((1, 1, 2, 40))
        case 2:
            holder[key], other_holder[other_key] = other_holder[other_key], holder[key]
            return _dumped(value) or data
        case 3 | 4:
            holder[key] = rng.choice(ODD)
        case 5:
            alike = [(h, k) for h, k in places if type(h[k]) is type(holder[key])]
            other_holder, other_key = rng.choice(alike)
            holder[key] = json.loads(json.dumps(other_holder[other_key]))
        case 6 if isinstance(holder, dict):
            words = [k for h, k in places if isinstance(h, dict)]
            holder[rng.choice((*words, *plain_words()))] = holder.pop(key)
        case 7 if type(holder[key]) is int:
            holder[key] += rng.choice((-1, 1, -2, 2, 1000, -1000))
        case _:
            holder[key] = rng.choice(([holder[key]], {"x": holder[key]}, str(holder[key]), [holder[key]] * 2))
    return _dumped(value) or data


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    rest = [value]
    while rest:
        at = rest.pop()
        for key, inner in at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ():
            found.append((at, key))
            if isinstance(inner, dict | list):
                rest.append(inner)
    return found


def _dumped(value: Any) -> bytes | None:
    try:
        return seeds.dumped(value)
    except (ValueError, RecursionError):
        # Exchanged with what holds it: a value without an end.
        return None


def games(rng: random.Random, data: bytes) -> bytes:
    """Another game, mostly one that can still be read; sometimes written in another way."""
    try:
        record = json.loads(data)
        changer = _changer(record["ruleset"] if record["ruleset"] in seeds.RULESETS else rng.choice(seeds.RULESETS))
        changer.rng = rng
        changed = changer.changed(record)
        return changed_text(changed, rng) if rng.random() < 0.2 else seeds.dumped(changed)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return json_tree(rng, data)


@cache
def _changer(ruleset: str) -> Changer:
    return Changer(seeds.address_of(ruleset), random.Random())


def rules_tree(rng: random.Random, data: bytes) -> bytes:
    """Parts of a rules file become other parts that the same rule of the grammar reads."""
    parts, places = seeds.rules_parts()
    if data not in places:
        return rules_words(rng, data)
    text = data.decode("utf-8", "replace")
    end = len(text) + 1
    for name, start, stop in sorted(rng.choices(places[data], k=rng.choice((1, 1, 2, 4))), key=lambda p: -p[1]):
        if stop <= end and name in parts:
            text = text[:start] + _part(rng, name) + text[stop:]
            end = start
    return text.encode("utf-8", "replace")


def _part(rng: random.Random, name: str) -> str:
    if rng.random() < 0.25:
        return seeds.rules_grammar().sentence(rng, name) if name in seeds.rules_grammar().rules else ""
    return rng.choice(seeds.rules_parts()[0][name])


def declarations(rng: random.Random, data: bytes) -> bytes:
    """A declaration more: one of another file, or one that the grammar makes."""
    if rng.random() < 0.5:
        new = seeds.rules_grammar().sentence(rng, "decl")
    else:
        new = rng.choice(seeds.rules_declarations())
    return data + b"\n" + new.encode("utf-8", "replace") + b"\n"


# ---- rebuilt


def by_schema(rng: random.Random, _: bytes) -> bytes:
    """A record or a position that its schema allows, mostly of players who are there."""
    ruleset, schema = rng.choice(seeds.schemas())
    players = plain_words()[: rng.choice((1, 2, 2, 3, 4))]
    words = players if rng.random() < 0.8 else plain_words()
    value = instance(rng, schema, schema, words)
    value |= {"ruleset": ruleset, "players": list(players)}
    value.pop("version", None)
    return seeds.dumped(value)


def by_notation(rng: random.Random, data: bytes) -> bytes:
    """The head of a game in notation with turns that the grammar makes."""
    head = re.split(rb"^1\. ", data, maxsplit=1, flags=re.MULTILINE)[0]
    grammar = seeds.notation_grammar()
    turns = [
        grammar.sentence(rng, rng.choice(("turn", "turn", "turn", "entry", "remark"))) for _ in range(rng.randrange(5))
    ]
    return head + "\n".join(turns).encode("utf-8", "replace")


def by_grammar(rng: random.Random, _: bytes) -> bytes:
    return seeds.rules_grammar().sentence(rng, "start").encode("utf-8", "replace")


# ---- which for what


def in_line(mutation: Mutation) -> Mutation:
    """The same within one line, such as a game of an archive."""

    def change(rng: random.Random, data: bytes) -> bytes:
        found = data.split(b"\n")
        at = rng.randrange(len(found))
        found[at] = mutation(rng, found[at])
        return b"\n".join(found)

    return change


MUTATIONS: dict[str, tuple[Mutation, ...]] = {
    "record": (games, games, games, json_tree, json_tree, json_words, numbers, damaged, lines, by_schema),
    "kernel": (games, games, games, json_tree, json_words, json_words, numbers, damaged, by_schema),
    "replay": (games, games, games, json_tree, by_schema),
    "notation": (notation_words, notation_words, notation_words, lines, numbers, damaged, damaged, by_notation),
    "rules": (rules_tree, rules_tree, rules_words, rules_words, declarations, declarations, lines, numbers, damaged, by_grammar),
    "archive": (in_line(games), in_line(json_tree), in_line(json_words), in_line(damaged), damaged, lines, lines),
    "cache": (json_tree, json_tree, json_words, numbers, damaged),
    "importer": (json_tree, json_tree, json_tree, json_words, numbers, damaged),
    **{form: (game_words(form),) * 3 + (lines, numbers, damaged, damaged) for form in seeds.WRITTEN},
    "wtb": (damaged,),
}  # fmt: skip
"""By target; those that stand twice are taken more often."""


def mutated(rng: random.Random, target: str, data: bytes) -> bytes:
    """An input with one or a few changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = rng.choice(MUTATIONS[target])(rng, data)
    return data[:MAX_SIZE]
