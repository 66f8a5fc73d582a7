"""The loop: inputs are changed and tried, those that lead to something new are kept and changed further."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import SUFFIXES, TARGETS, entries
from tests.fuzz.watching import OUT_OF_TIME, SLOW, Lines, Outcome, attempt

CORPUS = Path(__file__).parent / "corpus"
SEEDS: dict[str, Callable[[], Iterable[bytes]]] = {
    "record": seeds.records, "notation": seeds.notations, "rules": seeds.rules, "archive": seeds.archives,
    "cache": entries, "importer": seeds.foreign, "kernel": seeds.records,
    "replay": seeds.records, "wtb": seeds.othello_files,
    **{form: partial(seeds.foreign_games, form) for form in seeds.WRITTEN},
}  # fmt: skip
TRACED = 4
"""One of so many inputs is followed line by line."""
MOST_KEPT = 3000
SHRINKS = 400


@dataclass(slots=True)
class Found:
    """The first input of a kind that something is wrong with."""

    target: str
    problem: str
    data: bytes
    trace: str = ""
    times: int = 1


@dataclass(slots=True)
class Tally:
    """What was done with one target."""

    inputs: int = 0
    seconds: float = 0.0
    lines: int = 0
    said: int = 0
    kept: int = 0
    slowest: float = 0.0


@dataclass
class Campaign:
    """Inputs for these targets, all from one seed."""

    targets: tuple[str, ...]
    seed: int = 0
    found: dict[tuple[str, str], Found] = field(default_factory=dict)
    slow: dict[tuple[str, str], Found] = field(default_factory=dict)
    tell: Callable[[str, Found], None] = lambda kind, found: None
    seeds_first: bool = True

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.lines = Lines()
        self.said: dict[str, set[str]] = {target: set() for target in self.targets}
        self.tallies = {target: Tally() for target in self.targets}
        self.kept: dict[str, list[bytes]] = {target: [] for target in self.targets}
        self.seeds = {target: tuple(SEEDS[target]()) for target in self.targets}
        for target in self.targets:
            for data in self.seeds[target] if self.seeds_first else ():
                self.try_one(target, data, is_seed=True)
            self.tallies[target] = Tally()

    def run(self, seconds: float) -> None:
        """Every target gets the same share of the time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            target = min(self.targets, key=lambda name: self.tallies[name].seconds)
            self.step(target)

    def step(self, target: str) -> Outcome:
        """One input more: a seed, or one that was kept, changed."""
        kept = self.kept[target]
        pool = (
            kept[-200:]
            if kept and self.rng.random() < 0.25
            else kept
            if kept and self.rng.random() < 0.4
            else self.seeds[target]
        )
        start = time.process_time()
        data = mutated(self.rng, target, self.rng.choice(pool))
        outcome = self.try_one(target, data)
        tally = self.tallies[target]
        tally.inputs += 1
        tally.seconds += time.process_time() - start
        return outcome

    def try_one(self, target: str, data: bytes, is_seed: bool = False) -> Outcome:
        tally = self.tallies[target]
        known, traced = self.lines.known, is_seed or self.rng.randrange(TRACED) == 0
        with self.lines.watched() if traced else nullcontext():
            outcome = attempt(TARGETS[target], data)
        if traced and outcome.problem == OUT_OF_TIME:
            # To be followed line by line takes time of its own.
            outcome = attempt(TARGETS[target], data)
        new_lines = self.lines.known - known
        new = outcome.said - self.said[target]
        self.said[target] |= new
        tally.lines += new_lines
        tally.said += len(new)
        if (new or new_lines) and not is_seed and not outcome.problem and outcome.seconds < SLOW / 4:
            tally.kept += 1
            self.kept[target].append(data)
            if len(self.kept[target]) > MOST_KEPT:
                self.kept[target].pop(self.rng.randrange(MOST_KEPT))
        if outcome.problem:
            self._note("finding", target, outcome.problem, data, outcome.trace)
        elif not is_seed:
            if outcome.seconds > SLOW:
                # Loading something for the first time, or being followed, is not the input's fault.
                outcome = attempt(TARGETS[target], data)
            tally.slowest = max(tally.slowest, outcome.seconds)
            if outcome.seconds > SLOW:
                self._note(
                    "slow",
                    target,
                    f"about {2 ** round(outcome.seconds).bit_length()} s",
                    data,
                    f"{outcome.seconds:.1f} s",
                )
        return outcome

    def _note(self, kind: str, target: str, problem: str, data: bytes, trace: str) -> None:
        notes = self.found if kind == "finding" else self.slow
        known = notes.get((target, problem))
        if known is not None:
            known.times += 1
            return
        if kind == "finding" and not problem.startswith("more than"):
            data = shrunk(target, data, problem)
        found = notes[target, problem] = Found(target, problem, data, trace)
        self.tell(kind, found)


def shrunk(target: str, data: bytes, problem: str) -> bytes:
    """A smaller input that fails in the same way, by leaving out stretches for as long as tries are left."""
    left, size = SHRINKS, max(1, len(data) // 2)
    while left > 0:
        at, smaller = 0, data
        while at < len(smaller) and left > 0:
            tried = smaller[:at] + smaller[at + size :]
            left -= 1
            if attempt(TARGETS[target], tried).problem == problem:
                smaller = tried
            else:
                at += size
        if size == 1 and smaller == data:
            break
        data, size = smaller, max(1, size // 2)
    return data


def file_name(target: str, data: bytes) -> str:
    return f"{target}-{hashlib.blake2b(data, digest_size=6).hexdigest()}{SUFFIXES.get(target, '.json')}"


def summary(campaign: Campaign) -> list[str]:
    """What was done, a line for each target."""
    lines = [f"{'target':<10}{'inputs':>9}{'a second':>10}{'new lines':>11}{'new said':>10}{'kept':>7}{'slowest':>10}"]
    for target, tally in campaign.tallies.items():
        rate = tally.inputs / tally.seconds if tally.seconds else 0.0
        lines.append(
            f"{target:<10}{tally.inputs:>9}{rate:>10.0f}{tally.lines:>11}{tally.said:>10}{tally.kept:>7}{tally.slowest:>8.2f} s"
        )
    total, seconds = sum(t.inputs for t in campaign.tallies.values()), sum(t.seconds for t in campaign.tallies.values())
    lines.append(f"{'all':<10}{total:>9}{total / seconds if seconds else 0:>10.0f}")
    counts = Counter(name for name, _ in campaign.found)
    lines += [f"{target}: {count} kinds of findings" for target, count in counts.items()]
    return lines
