"""Changes of records and of their texts at random: mostly into such that can still be read."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from typing import Any

from pwtool.kernel.answers import STOPPED
from tests.kernel.judging import Data, dumped, rulebook


@cache
def vocabulary(address: str) -> tuple[str, ...]:
    """Every word that a record of a ruleset may hold, and some that none may."""
    ruleset = rulebook(address).game.ruleset
    words = [*ruleset.actions, *ruleset.consequences, *ruleset.objectives, *ruleset.zones]
    for component in ruleset.components.values():
        words += component.codes
        words += [v for a in component.attributes.values() for v in a.table if isinstance(v, str)]
    words += [score.name for score in ruleset.scores] + [ending.name for ending in ruleset.endings]
    return tuple(dict.fromkeys((*words, "?", "nobody", "")))


def copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


class Changer:
    """Changes records of one ruleset at random: mostly into such that can still be read."""

    def __init__(self, address: str, rng: random.Random) -> None:
        self.address, self.rng = address, rng
        self.words = vocabulary(address)
        self.ruleset = rulebook(address).game.ruleset
        self.done: Counter[str] = Counter()

    def changed(self, record: Data) -> Data:
        """The record with one or a few changes."""
        record = copied(record)
        kinds = (
            self.anything, self.anything, self.number, self.word, self.cell, self.player, self.goal, self.turns,
            self.turns, self.result, self.recorded, self.exchanged, self.moved, self.borrowed, self.setup, self.keys,
            self.cut,
        )  # fmt: skip
        chosen = self.rng.choices(kinds, k=self.rng.choice((1, 1, 1, 1, 2, 3)))
        # What may leave no record behind comes last.
        for kind in sorted(chosen, key=lambda kind: kind in (self.anything, self.keys)):
            self.done[kind.__name__] += 1
            kind(record)
        return record

    def places(self, value: Any, wanted: type | tuple[type, ...] = object) -> list[tuple[Any, Any]]:
        """Every (holder, key) below a value that leads to a value of a type."""
        found: list[tuple[Any, Any]] = []
        rest = [value]
        while rest:
            at = rest.pop()
            for key, inner in at.items() if isinstance(at, dict) else enumerate(at):
                if isinstance(inner, wanted):
                    found.append((at, key))
                if isinstance(inner, dict | list):
                    rest.append(inner)
        return found

    def some(self, value: Any, wanted: type | tuple[type, ...] = object) -> tuple[Any, Any] | None:
        found = self.places(value, wanted)
        return self.rng.choice(found) if found else None

    def action(self, record: Data) -> tuple[Data, list[Data], int] | None:
        """A turn, its actions, and the place of one of them."""
        turns = [t for t in record["turns"] if isinstance(t, dict) and t.get("actions")]
        if not turns:
            return None
        turn = self.rng.choice(turns)
        return turn, turn["actions"], self.rng.randrange(len(turn["actions"]))

    def anything(self, record: Data) -> None:
        """Something is left out, repeated, exchanged, or replaced by something of its kind."""
        part = self.rng.choice(("turns", "turns", "turns", "setup", "result", "recorded", "players"))
        place = self.some(record.get(part, []))
        if place is None:
            return
        holder, key = place
        value = holder[key]
        if isinstance(holder, list):
            match self.rng.randrange(5):
                case 0:
                    del holder[key]
                    return
                case 1:
                    holder.insert(key, copied(value))
                    return
                case 2:
                    other = self.rng.randrange(len(holder))
                    holder[key], holder[other] = holder[other], holder[key]
                    return
        alike = [(h, k) for h, k in self.places(record.get(part, [])) if type(h[k]) is type(value)]
        other_holder, other_key = self.rng.choice(alike)
        holder[key] = copied(other_holder[other_key])

    def number(self, record: Data) -> None:
        place = self.some(record["turns"] + [record.get("result", {})], int)
        if place is not None:
            place[0][place[1]] += self.rng.choice((-1, 1, 1, 2, -2, 5, 1000))

    def word(self, record: Data) -> None:
        place = self.some(record["turns"] + [record.get("setup", {})], str)
        if place is not None:
            place[0][place[1]] = self.rng.choice((*self.words, *map(str, record["players"])))

    def cell(self, record: Data) -> None:
        cells = [
            (holder, key)
            for holder, key in self.places(record["turns"], list)
            if len(holder[key]) == 2 and all(type(part) is int for part in holder[key])
        ]
        if cells:
            holder, key = self.rng.choice(cells)
            holder[key][self.rng.randrange(2)] += self.rng.choice((-1, 1, 2, -3))

    def player(self, record: Data) -> None:
        """Somebody else, another name, one player more or less."""
        named = [str(name) for name in record["players"]]
        match self.rng.randrange(6):
            case 0 if record["turns"]:
                turn = self.rng.choice(record["turns"])
                if isinstance(turn, dict):
                    turn["player"] = self.rng.choice(named or ["P1"])
            case 1 | 2:
                found = self.action(record)
                if found is not None and isinstance(found[1][found[2]], dict):
                    found[1][found[2]]["by"] = self.rng.choice([*named, "nobody"])
            case 3:
                self.rng.shuffle(record["players"])
            case 4:
                self.exchange_words(
                    record, self.rng.choice(named or ["P1"]), self.rng.choice(("Zoë", "a" * 81, "P2", ""))
                )
            case _:
                record["players"].insert(self.rng.randrange(len(named) + 1), self.rng.choice(("P9", *named)))

    def exchange_words(self, record: Data, old: str, new: str) -> None:
        """Another name for a player, wherever it stands."""
        text = json.dumps(record).replace(json.dumps(old), json.dumps(new))
        record.clear()
        record.update(json.loads(text))

    def goal(self, record: Data) -> None:
        zone = self.ruleset.goal_zone
        goals = record.get("setup", {}).get(zone) if zone else None
        if isinstance(goals, list) and goals:
            match self.rng.randrange(4):
                case 0:
                    self.rng.shuffle(goals)
                case 1:
                    goals[self.rng.randrange(len(goals))] = goals[0]
                case _:
                    # The claims of the game are no longer right, or still are, whatever the new objectives ask for.
                    goals[self.rng.randrange(len(goals))] = self.rng.choice(list(self.ruleset.objectives))

    def turns(self, record: Data) -> None:
        turns = record["turns"]
        if not turns:
            return
        at, other = self.rng.randrange(len(turns)), self.rng.randrange(len(turns))
        match self.rng.randrange(5):
            case 0:
                del turns[at]
            case 1:
                turns.insert(at, copied(turns[other]))
            case 2:
                turns[at], turns[other] = turns[other], turns[at]
            case 3:
                turns.append(copied(turns[other]))
            case _:
                turns[at] = {**turns[at], "actions": copied(turns[other].get("actions", []))}

    def cut(self, record: Data) -> None:
        """The game stops earlier, with its result or without it."""
        del record["turns"][self.rng.randrange(len(record["turns"]) + 1) :]
        if self.rng.random() < 0.7:
            record.pop("result", None)

    def result(self, record: Data) -> None:
        result = record.get("result")
        if not result:
            record["result"] = {"scores": {str(name): 0 for name in record["players"]}}
            return
        if self.rng.random() < 0.3:
            # What rules did not end the players may have.
            result["stopped"] = self.rng.choice((*STOPPED, "tea", None))
            return
        if self.rng.random() < 0.2:
            result.pop(self.rng.choice(list(result)))
            return
        place = self.some(result)
        if place is None:
            return
        holder, key = place
        if isinstance(holder[key], int):
            holder[key] += self.rng.choice((-1, 1, 3))
        elif isinstance(holder, dict) and self.rng.random() < 0.5:
            del holder[key]
        elif isinstance(holder[key], list):
            self.rng.shuffle(holder[key])

    def recorded(self, record: Data) -> None:
        """Claims that are announced and missing, there and not announced."""
        consequences = set(self.ruleset.consequences)
        match self.rng.randrange(3):
            case 0:
                record["recorded"] = self.rng.choice(([], sorted(consequences), ["take"]))
            case 1:
                for turn in record["turns"]:
                    turn["actions"] = [a for a in turn["actions"] if a.get("action") not in consequences]
                record.pop("recorded", None)
            case _:
                record["recorded"] = sorted(consequences)
                found = self.action(record)
                if found is not None and consequences:
                    found[1].append({"action": self.rng.choice(sorted(consequences)), **self.arguments(record)})

    def arguments(self, record: Data) -> Data:
        goals = record.get("setup", {}).get(self.ruleset.goal_zone) or ["nine_piles"]
        return {"goal": self.rng.choice(goals)} | (
            {"prize": self.rng.randrange(1, 5)} if self.rng.random() < 0.8 else {}
        )

    def exchanged(self, record: Data) -> None:
        """Two actions of one kind change places, with their turns or only one of their arguments."""
        actions = [a for t in record["turns"] for a in t.get("actions", []) if isinstance(a, dict)]
        if not actions:
            return
        one = self.rng.choice(actions)
        other = self.rng.choice([a for a in actions if a.get("action") == one.get("action")])
        keys = [key for key in one if key in other and key != "action"]
        for key in keys if self.rng.random() < 0.3 else keys and [self.rng.choice(keys)]:
            one[key], other[key] = other[key], one[key]

    def moved(self, record: Data) -> None:
        """An action in another place of its turn or in another turn."""
        found = self.action(record)
        if found is not None:
            action = found[1].pop(found[2])
            turn = self.rng.choice((found[0], self.rng.choice(record["turns"])))
            turn["actions"].insert(self.rng.randrange(len(turn["actions"]) + 1), action)

    def borrowed(self, record: Data) -> None:
        """An action more, taken from elsewhere in the game."""
        one, other = self.action(record), self.action(record)
        if one is not None and other is not None:
            one[1].insert(self.rng.randrange(len(one[1]) + 1), copied(other[1][other[2]]))

    def setup(self, record: Data) -> None:
        """Two things of the setup change places: often nothing becomes illegal before they turn up."""
        found = [p for p in self.places(record.get("setup", {}), str) if p[0] is not record["setup"].get("goals")]
        if found:
            (one, at), (other, there) = self.rng.choice(found), self.rng.choice(found)
            one[at], other[there] = other[there], one[at]

    def keys(self, record: Data) -> None:
        """A key that is missing, that nobody knows, that is allowed and says nothing."""
        holders = [record, *(h[k] for h, k in self.places(record, dict))]
        holder = self.rng.choice(holders)
        match self.rng.randrange(5):
            case 0 if holder:
                holder.pop(self.rng.choice(list(holder)))
            case 1:
                holder["what"] = 1
            case 2:
                holder["comment"] = self.rng.choice(("so be it", "", 3))
            case 3:
                holder["mark"] = self.rng.choice(("!?", "!!", "???", "!", 1))
            case _:
                holder["reveal"] = {}


# ---- changes of a text -----------------------------------------------------------------------------------------------

PIECES = (
    b'"', b"\\", b",", b":", b"{", b"}", b"[", b"]", b"0", b"1", b"-", b".", b"e5", b"1.0", b"-0", b"01", b"1e0", b"9999999999",
    b"123456789012345678901234567890123", b"true", b"false", b"null", b"NaN", b"Infinity", b"\0", b"\x01", b"\x7f", b"\x80",
    b"\xc0\xaf", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf0\x9f\x83\x8f", b"\xf4\x90\x80\x80", b"\xff", b"\xef\xbb\xbf",
    b"\\u0041", b"\\u00e9", b"\\ud83c\\udccf", b"\\ud800", b"\\n", b"\\x", b"\\u12", b"\\/", b"//", b"/* */", b"[[[[]]]]",
)  # fmt: skip
KEYS = (
    b'"":0,', b'"x":1,', b'"id":"x",', b'"id":"\\ud83c\\udccf",', b'"mark":"!",', b'"mark":"?",', b'"comment":"so",',
    b'"comment":"\\u0000",', b'"comment":"\xe2\x80\xa8\xf0\x9f\x83\x8f",', b'"comment":"\\ud800",', b'"comment":1,',
    b'"meta":{"a":[1,{"b":null}]},', b'"meta":{"a":1,"a":1},', b'"meta":{"n":-1.5e-3,"t":[true,false]},', b'"meta":{"n":1e999},',
    b'"meta":{"\xc3\xa9":"\\u00e9"},', b'"meta":{"deep":' + b"[" * 70 + b"]" * 70 + b"},", b'"by":"P1",', b'"player":"P1",',
)  # fmt: skip
BLANKS = (b" ", b"\n", b"\t", b"\r\n", b"  \n  ", b"\x0b", b"\xc2\xa0")
OTHER_WORDS = {
    "players": "Players",
    "turns": "turn",
    "action": "actions",
    "setup": "set\\u0075p",
    "format": "form\\u0061t",
}


def changed_text(record: Data, rng: random.Random) -> bytes:
    """A record as text in one of many ways, mostly with a few signs of it changed."""
    text = rng.choice((dumped, spread_out, in_another_order, escaped))(record)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(12):
            case 0:
                text = text[:at] + text[at + rng.choice((1, 1, 2, 10)) :]
            case 1:
                text = text[:at]
            case 2:
                text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]
            case 3:
                end = rng.randrange(len(text) + 1)
                text = text[:at] + text[end : end + rng.choice((1, 5, 40))] + text[at:]
            case 4:
                word = rng.choice(list(OTHER_WORDS))
                text = text.replace(f'"{word}"'.encode(), f'"{OTHER_WORDS[word]}"'.encode(), rng.choice((1, 1, -1)))
            case 5:
                text = text[:at] + rng.choice(PIECES) + text[at + rng.choice((0, 0, 1)) :]
            case 6:
                text = inserted(text, at, b":[,", rng.choice(PIECES))
            case 7 | 8:
                text = inserted(text, at, b"{}[],:", rng.choice(BLANKS))
            case 9:
                text = inserted(text, 0, b"{", rng.choice(KEYS))
            case _:
                text = inserted(text, at, b"{", rng.choice(KEYS))
    return text


def inserted(text: bytes, at: int, signs: bytes, piece: bytes) -> bytes:
    """The text with a piece more, behind the next one of these signs."""
    while at < len(text) and text[at] not in signs:
        at += 1
    return text[: at + 1] + piece + text[at + 1 :]


def spread_out(record: Data) -> bytes:
    return json.dumps(record, indent=2, ensure_ascii=False).replace("\n", "\r\n").encode()


def in_another_order(record: Data) -> bytes:
    """The same with all keys sorted."""
    return json.dumps(record, sort_keys=True).encode()


def escaped(record: Data) -> bytes:
    """The same with some letters written as escapes."""
    return dumped(record).replace(b"a", b"\\u0061").replace(b"/", b"\\/")
