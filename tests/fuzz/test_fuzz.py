"""The fuzzing itself: it finds what is planted, and a short run over all surfaces finds nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pwtool.lang.parser import parse_rules
from pwtool.records.json_form import Malformed
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, times
from tests.fuzz import campaign, mutations, seeds, targets, watching
from tests.fuzz.campaign import Campaign, file_name, summary
from tests.fuzz.generating import instance, plain_words, strategy
from tests.fuzz.promises import Said
from tests.fuzz.targets import TARGETS
from tests.fuzz.watching import Lines, attempt
from tests.kernel.judging import rulebook

RELAXED = settings(max_examples=times(8, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])


# ---- made from the grammar and from the schemas


@one_day_in(8)
@RELAXED
@given(strategy(lambda rng: mutations.by_schema(rng, b"")))
def test_what_a_schema_allows_is_judged(data: bytes) -> None:
    targets.record(data)
    targets.kernel(data)


@one_day_in(8)
@RELAXED
@given(strategy(lambda rng: mutations.by_notation(rng, rng.choice(seeds.notations()))))
def test_what_the_grammar_of_notation_makes_is_judged(data: bytes) -> None:
    targets.notation(data)


@one_day_in(8)
@RELAXED
@given(strategy(lambda rng: mutations.declarations(rng, rng.choice(seeds.rules()))))
def test_what_the_grammar_of_rules_makes_is_read(data: bytes) -> None:
    targets.rules(data)


@one_day_in(4)
def test_sentences_follow_their_grammar() -> None:
    rng, grammar = random.Random(1), seeds.rules_grammar()
    texts = [f'game g "G" {grammar.sentence(rng, "declaration")}' for _ in range(100)]
    told = [parse_rules(SourceFile("x.rules", text)).diagnostics for text in texts]
    assert sum(all(d.code != "PW101" for d in found) for found in told) > 70


def test_instances_follow_their_schema() -> None:
    rng, ruleset = random.Random(1), "tests/rulesets/harbour/game.rules"
    schema = next(schema for name, schema in seeds.schemas() if name == ruleset)
    decoder, read = rulebook(seeds.address_of(ruleset)).decoder, 0
    for _ in range(100):
        value = instance(rng, schema, schema, plain_words()[:2])
        try:
            decoder.record({**value, "players": list(plain_words()[:2])})
            read += 1
        except Malformed:
            continue
    assert read > 20


# ---- the loop


def planted(monkeypatch: pytest.MonkeyPatch, target: Callable[[bytes], Said]) -> Campaign:
    monkeypatch.setitem(campaign.TARGETS, "record", target)
    monkeypatch.setitem(campaign.SEEDS, "record", lambda: (b'{"a": [1, 2]}',))
    return Campaign(("record",), seed=1)


def test_a_planted_mistake_is_found_once_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> Said:
        if data.count(b"1") > 1:
            raise KeyError("two")
        return frozenset()

    run = planted(monkeypatch, broken)
    for _ in range(300):
        run.step("record")
    (found,) = run.found.values()
    assert (found.data, found.times > 1) == (b"11", True)
    assert "KeyError" in found.problem and "two" in found.trace
    assert "record: 1 kinds of findings" in summary(run)


@one_day_in(8)
def test_a_mistake_behind_steps_is_found_because_each_step_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def steep(data: bytes) -> Said:
        rare = (b"NaN", b"Infinity", b"//", b"\\ud800")
        reached = next((n for n, piece in enumerate(rare) if piece not in data), len(rare))
        if reached == len(rare):
            raise ValueError
        return frozenset((str(reached),))

    run = planted(monkeypatch, steep)
    # The more words records know, the longer it takes; by chance alone it would take millions.
    for _ in range(20_000):
        if run.found:
            break
        run.step("record")
    assert run.found and run.tallies["record"].kept >= 3


def test_an_input_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_: bytes) -> Said:
        while True:
            pass

    monkeypatch.setattr(watching, "STOP", 0.2)
    assert attempt(endless, b"").problem.startswith("more than")


def test_memory_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(_: bytes) -> Said:
        return frozenset((str(len(bytearray(64 << 20))),))

    monkeypatch.setattr(watching, "MUCH", 16 << 20)
    used = watching._memory()
    monkeypatch.setattr(watching, "_memory", iter((used, used + (64 << 20))).__next__)
    assert attempt(greedy, b"").problem == "more than 16 MiB"


def test_lines_are_counted_once() -> None:
    lines = Lines()
    counts = []
    for text in (b"{}", b"{}", b"[1, 2"):
        before = lines.known
        with lines.watched():
            targets.record(text)
        counts.append(lines.known - before)
    assert counts[0] > 10 and counts[1] == 0 and counts[2] > 0


@one_day_in(7)
def test_the_same_seed_makes_the_same_inputs() -> None:
    def made(seed: int) -> list[bytes]:
        rng = random.Random(seed)
        known = {target: tuple(campaign.SEEDS[target]()) for target in TARGETS}
        return [mutations.mutated(rng, target, rng.choice(known[target])) for target in TARGETS for _ in range(20)]

    assert made(1) == made(1) != made(2)


def test_an_input_is_named_by_what_it_holds(tmp_path: Path) -> None:
    names = {file_name("rules", b"a"), file_name("rules", b"b"), file_name("kernel", b"a")}
    assert len(names) == 3 and sorted(Path(name).suffix for name in names) == [".json", ".rules", ".rules"]
    for name in names:
        (tmp_path / name).touch()
    assert {target for target, _ in seeds.corpus(tmp_path)} == {"rules", "kernel"}


# ---- a short run


# About a minute of processor time together.
STEPS = {
    "record": 500, "notation": 900, "rules": 250, "archive": 120, "cache": 1500, "importer": 500, "kernel": 2500, "replay": 300,
    "pgn": 250, "sgf": 400, "pdn": 400, "wtb": 400,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_short_run_finds_nothing(target: str) -> None:
    run = Campaign((target,), seed=1, seeds_first=False)
    for _ in range(STEPS[target]):
        run.step(target)
    assert not run.found, "\n".join(f"{f.problem}\n{f.data!r}\n{f.trace}" for f in run.found.values())
