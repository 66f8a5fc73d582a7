"""The games that the benchmarks check: the 72 recorded ones, repeated, some made illegal."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import measuring  # noqa: F401 - makes the tests' helpers importable

from pwtool.kernel.run import CLEAN, REFUSED, Instance, Runner
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from tests.support import full_record, raw_games

BATCH = 96
"""How many games go to a kernel in one call."""
EVERY = 20
"""Of so many games one is illegal in an archive with illegal games: 5 %."""


@dataclass(slots=True)
class Batch:
    """Games of one ruleset for one call of a kernel."""

    address: str
    texts: list[bytes]
    packed: bytes


class Games:
    """Recorded games, repeated until there are `count`, each with an id of its own."""

    def __init__(self, count: int) -> None:
        self.records: list[dict[str, Any]] = [full_record(raw) for _, raw in raw_games("base", "advanced")]
        if len(self.records) != 72:
            raise SystemExit(f"expected 72 recorded games, found {len(self.records)}")
        self.count = count
        self.actions = [sum(len(turn["actions"]) for turn in record["turns"]) for record in self.records]
        self.ruleset_store = RulesetStore(Library())

    @cached_property
    def texts(self) -> list[bytes]:
        """All games as compact JSON."""
        return [self._text(number) for number in range(self.count)]

    def _text(self, number: int) -> bytes:
        return _dumped({**self.records[number % len(self.records)], "id": f"game-{number}"})

    def address(self, number: int) -> str:
        """The ruleset of a game."""
        return str(self.records[number % len(self.records)]["ruleset"])

    def book(self, address: str) -> Rulebook:
        """The rulebook at an address."""
        book = self.ruleset_store.get(address).value
        assert book is not None, address
        return book

    @cached_property
    def addresses(self) -> list[str]:
        """The rulesets of all games."""
        return sorted({str(record["ruleset"]) for record in self.records})

    @cached_property
    def runners(self) -> dict[str, Runner]:
        """The kernels of all rulesets."""
        return {a: self.book(a).runner() for a in self.addresses}

    def instances(self) -> dict[str, Instance]:
        """Fresh instances of all kernels, for one thread."""
        return {address: runner.instance() for address, runner in self.runners.items()}

    @cached_property
    def batches(self) -> list[Batch]:
        """All games in batches."""
        instances = self.instances()
        found: list[Batch] = []
        for address in self.addresses:
            texts = [text for number, text in enumerate(self.texts) if self.address(number) == address]
            for at in range(0, len(texts), BATCH):
                some = texts[at : at + BATCH]
                packed = [instances[address].pack(text, own=True) for text in some]
                words = b"".join(record.tobytes() for record in packed if record is not None)
                found.append(Batch(address, some, words if None not in packed else b""))
        return found

    def with_illegal(self, seed: int = 1) -> list[bytes]:
        """The same games, one of each twenty made illegal by a change."""
        rng, instances = random.Random(seed), self.instances()
        texts = list(self.texts)
        for start in range(0, self.count - EVERY + 1, EVERY):
            number = start + rng.randrange(EVERY)
            record = {**self.records[number % len(self.records)], "id": f"game-{number}"}
            verdict = CLEAN
            while verdict != REFUSED:
                texts[number] = _changed(record, rng)
                verdict = instances[self.address(number)].check([texts[number]], own=True)[0].verdict
        return texts


def write_archive(path: Path, games: Games, count: int) -> None:
    """So many games, each with an id of its own, on the disk: nothing is left to be written while they are read."""
    before, behind = b'"id":"game-', b'"'
    with path.open("wb") as stream:
        for number in range(count):
            text = games.texts[number % len(games.texts)]
            start = text.rindex(before) + len(before)
            stream.write(text[:start] + str(number).encode() + text[text.index(behind, start) :] + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def _dumped(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def _changed(record: dict[str, Any], rng: random.Random) -> bytes:
    """The record with one change, which mostly is against a rule."""
    changed = json.loads(_dumped(record))
    turns = changed["turns"]
    turn = rng.choice([turn for turn in turns if turn["actions"]])
    actions = turn["actions"]
    action = rng.choice(actions)
    match rng.randrange(5):
        case 0:
            turns.remove(turn)
        case 1:
            actions.append(dict(action))
        case 2:
            actions.remove(action)
        case 3:
            name = rng.choice(changed["players"])
            changed["result"]["scores"][name] += 1
        case _:
            cells = [a for t in turns for a in t["actions"] if "at" in a]
            rng.choice(cells)["at"][0] += rng.choice((-1, 1, 3))
    return _dumped(changed)
