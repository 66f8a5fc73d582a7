"""Kernels judge games as the engine does: recorded, damaged and played ones, records and texts of all kinds."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import wasmtime

from pwtool.kernel import machine
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer, changed_text
from tests.kernel.judging import (
    CLASSICS,
    GAMES,
    MOVING,
    NOTHING,
    ROOT,
    SHIPPED,
    Bench,
    Data,
    agree,
    bench,
    by_engine,
    dumped,
    engine_game,
    judged,
    labels,
    of_text,
    plays,
    readings,
    recorded_games,
    sample,
    short,
    written,
)
from tests.support import ADDRESSES, book, imported, raw_games

SEED = int(os.environ.get("PWTOOL_SEED", random.SystemRandom().randrange(1 << 32)))
EVERY_GAME = pytest.mark.parametrize("address", some(GAMES, 6), ids=short)
EVERY_TABLE = pytest.mark.parametrize(("address", "players"), some(plays(), 6), ids=labels(plays()))


def held_together(here: Bench, texts: Sequence[bytes]) -> Counter[tuple[int, int]]:
    """Kernel and engine on each of these texts; how often they said what."""
    said, right = judged(here, texts), [of_text(here, text) for text in texts]
    for text, ours, theirs in zip(texts, said, right, strict=True):
        assert agree(here, ours, theirs), (ours, theirs, text.decode("utf-8", "backslashreplace"))
    return Counter((r.verdict, s.verdict) for r, s in zip(right, said, strict=True))


# ---- games that people played ----------------------------------------------------------------------------------------


def notated(text: str) -> Data:
    """A game in notation as a record."""
    tree = parse_notation(SourceFile("game", text)).value
    assert tree is not None
    address = next(line.split()[1] for line in text.splitlines() if line.startswith("ruleset:"))
    read = read_notation(tree, book(address).game).value
    assert read is not None
    data: Data = read.data
    return data


def examples() -> dict[str, Data]:
    """The games in the folder of examples, by file."""
    found = {p.name: json.loads(p.read_text("utf-8")) for p in sorted((ROOT / "examples" / "records").glob("*.json"))}
    return found | {
        p.name: notated(p.read_text("utf-8")) for p in sorted((ROOT / "examples" / "notation").glob("*.pwn"))
    }


@one_day_in(4)
@pytest.mark.parametrize(("name", "record"), examples().items(), ids=examples())
def test_the_examples_are_judged_alike(name: str, record: Data) -> None:
    here = bench(record["ruleset"])
    said = held_together(here, [dumped(record), (json.dumps(record, indent=1, ensure_ascii=False)).encode()])
    # Only what nobody saw is left to the engine.
    assert all((s == NOT_MINE) == (name == "unseen.json") for _, s in said)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("address", some([*ADDRESSES], 2))
def test_recorded_games_are_judged_alike_by_every_rulebook(address: str, step: int) -> None:
    said = held_together(bench(address), [dumped(record) for record in recorded_games()[::step]])
    # Goals of the one edition that the other does not know cannot be read by either.
    assert not {(CLEAN, NOT_MINE), (REFUSED, NOT_MINE)} & set(said)
    # Where nobody can go on, the engine looks whether the last turn could have.
    stalled = held_together(bench(address), [dumped(imported(raw)) for _, raw in raw_games("anomalies")])
    assert (CLEAN, NOT_MINE) not in stalled


def test_recorded_games_are_clean_by_their_own_rulebook() -> None:
    for address in sorted({record["ruleset"] for record in recorded_games()}):
        texts = [dumped(record) for record in recorded_games() if record["ruleset"] == address]
        verdicts = judged(bench(address), texts, own=True)
        assert {v.verdict for v in verdicts} == {CLEAN} and all(v.over and v.ranking for v in verdicts)


# ---- games that the engine plays -------------------------------------------------------------------------------------


def check_self_play(address: str, players: int, seeds: range) -> None:
    here = bench(address)
    for seed in seeds:
        record = engine_game(address, players, seed, max_turns=(400, 400, 5)[seed % 3])
        (said,) = judged(here, [dumped(written(address, record))], own=True)
        assert said == by_engine(here, record), seed
        # A standstill is refused; nothing else of a game that was played by the rules.
        assert said.verdict == CLEAN or said.code == "PW612"


@one_day_in(8)
@EVERY_TABLE
def test_played_games_are_judged_alike_and_none_is_left_to_the_engine(address: str, players: int) -> None:
    check_self_play(address, players, range(3))


@pytest.mark.slow
@EVERY_TABLE
def test_many_played_games_are_judged_alike(address: str, players: int) -> None:
    check_self_play(address, players, range(100, 140))


def stopped(record: Data, rng: random.Random) -> Data:
    """The game up to some action, without its result."""
    found: Data = json.loads(json.dumps({key: value for key, value in record.items() if key != "result"}))
    del found["turns"][rng.randint(1, len(found["turns"])) :]
    actions = found["turns"][-1]["actions"]
    del actions[rng.randint(0, len(actions)) :]
    return found


def check_stopped(address: str, count: int) -> None:
    rng = random.Random(7)
    changer, games = Changer(address, rng), [g for g in sample(address, 12) if g["turns"]]
    # Nothing is wrong with a game that goes on, wherever its record stops; one that nobody can go on with is another matter.
    here, texts = bench(address), [dumped(stopped(rng.choice(games), rng)) for _ in range(count)]
    said = held_together(here, [text for text in texts if of_text(here, text).code != "PW612"])
    assert set(said) == {(CLEAN, CLEAN)}, said
    held_together(here, [dumped(changer.changed(stopped(rng.choice(games), rng))) for _ in range(count)])


@one_day_in(8)
@EVERY_GAME
def test_a_record_may_stop_anywhere(address: str) -> None:
    check_stopped(address, 30)


@pytest.mark.slow
@EVERY_GAME
def test_many_records_may_stop_anywhere(address: str) -> None:
    check_stopped(address, 500)


@one_day_in(8)
@pytest.mark.parametrize("address", [a for a in MOVING if short(a) in ("slide", "spill")], ids=short)
def test_what_follows_may_be_told_in_part(address: str) -> None:
    """Records that name only some kinds of consequences, or stop behind some of those of a turn."""
    here, rng, texts = bench(address), random.Random(3), []
    told = list(here.ruleset.recordable)
    for seed in range(40):
        record = written(address, engine_game(address, 2, seed, max_turns=(400, 6)[seed % 2]))
        record["recorded"] = sorted(rng.sample(told, rng.randrange(len(told) + 1)))
        for turn in record["turns"]:
            turn["actions"] = [a for a in turn["actions"] if a["action"] not in {*told} - {*record["recorded"]}]
        if seed % 2:
            record.pop("result", None)
            last = record["turns"][-1]["actions"]
            del last[rng.randint(sum(a["action"] not in told for a in last), len(last)) :]
        texts.append(dumped(record))
    # A standstill is refused, nothing else.
    said = held_together(here, [text for text in texts if of_text(here, text).code != "PW612"])
    assert set(said) == {(CLEAN, CLEAN)} and said.total() > 35


def test_a_last_turn_may_go_on_where_the_next_one_could_not_begin() -> None:
    address = next(address for address in MOVING if short(address) == "spill")
    here, texts = bench(address), []
    for seed in (14, 37, 55, 94, 115):
        record = written(address, engine_game(address, 2 + seed % 2, seed, max_turns=400))
        record.pop("result", None)
        actions = [action for action in record["turns"][-1]["actions"] if action["action"] == "pour"]
        for count in range(1, len(actions)):
            last = {**record["turns"][-1], "actions": actions[:count]}
            texts.append(dumped({**record, "turns": [*record["turns"][:-1], last]}))
    said = held_together(here, texts)
    assert said[CLEAN, NOT_MINE] >= 5 and said.keys() <= {(CLEAN, CLEAN), (CLEAN, NOT_MINE)}, said


# ---- damage ----------------------------------------------------------------------------------------------------------


def check_damage(address: str, count: int, seed: int) -> None:
    rng = random.Random(seed)
    changer, games = Changer(address, rng), sample(address, 12 if count < 200 else 60)
    said = held_together(bench(address), [dumped(changer.changed(rng.choice(games))) for _ in range(count)])
    assert said[REFUSED, REFUSED] > count // 5 and said[CLEAN, CLEAN] > count // 20, said
    # Kernels leave little to the engine of what can be read: names that are too long, what turned up later.
    assert said[CLEAN, NOT_MINE] + said[REFUSED, NOT_MINE] < count // 10, said


@one_day_in(8)
@EVERY_GAME
def test_damaged_records_are_judged_alike(address: str) -> None:
    check_damage(address, 70, 1)


@pytest.mark.slow
@EVERY_GAME
def test_many_damaged_records_are_judged_alike(address: str) -> None:
    """With other changes each time: `PWTOOL_SEED` repeats them, `PWTOOL_COUNT` changes their number."""
    print(f"PWTOOL_SEED={SEED}")
    check_damage(address, int(os.environ.get("PWTOOL_COUNT", "1000")), SEED)


@pytest.mark.slow
@pytest.mark.parametrize("address", CLASSICS)
def test_many_games_of_classics_are_judged_alike(address: str) -> None:
    """One record in four as it was played, the others damaged; seed and number as above."""
    print(f"PWTOOL_SEED={SEED}")
    count, rng = int(os.environ.get("PWTOOL_COUNT", "1000")), random.Random(SEED)
    changer, games = Changer(address, rng), sample(address, 24)
    picked = ((rng.choice(games), rng.random() < 0.25) for _ in range(count))
    said = held_together(bench(address), [dumped(g if whole else changer.changed(g)) for g, whole in picked])
    assert said[REFUSED, REFUSED] > count // 20 and said[CLEAN, CLEAN] > count // 20, said
    assert said[CLEAN, NOT_MINE] + said[REFUSED, NOT_MINE] < count // 10, said


def check_texts(address: str, count: int, seed: int) -> None:
    rng = random.Random(seed)
    changer, games = Changer(address, rng), sample(address, 12 if count < 200 else 60)
    records = [changer.changed(game) if rng.random() < 0.3 else game for game in rng.choices(games, k=count)]
    said = held_together(bench(address), [changed_text(record, rng) for record in records])
    assert said[NOT_MINE, NOT_MINE] > count // 4 and said[CLEAN, CLEAN] + said[REFUSED, REFUSED] > count // 10, said


@one_day_in(4)
@EVERY_GAME
def test_damaged_texts_are_read_as_the_engine_reads_them_or_left_to_it(address: str) -> None:
    check_texts(address, 70, 5)


@pytest.mark.slow
@EVERY_GAME
def test_many_damaged_texts_are_read_alike(address: str) -> None:
    check_texts(address, 1500, 4)


@pytest.mark.parametrize("address", ["paper_world/gamepark", "pierre_papier_morpion"])
def test_a_text_that_is_cut_is_no_record_wherever_it_is_cut(address: str) -> None:
    text = dumped(min(sample(address, 12), key=lambda record: len(dumped(record))))
    cuts = [text[:size] for size in range(0, len(text), 1 + len(text) // 1500)]
    assert set(judged(bench(address), cuts)) == {NOTHING}
    # What stands behind a text is not a part of it.
    assert judged(bench(address), [text, text[:-1], text])[1] == NOTHING


@pytest.mark.parametrize("word", ["by", "action", "player", "turns", "P1", "duel", "pierre_papier_morpion"])
def test_a_zero_is_no_part_of_a_word(word: str) -> None:
    text = dumped(sample("pierre_papier_morpion", 12)[0])
    if (quoted := f'"{word}"'.encode()) in text:
        assert judged(bench("pierre_papier_morpion"), [text.replace(quoted, quoted[:-1] + b'\0"', 1)]) == [NOTHING]


def test_a_text_is_judged_alike_wherever_it_stands() -> None:
    here, rng = bench("paper_world/gamepark"), random.Random(5)
    changer, games = Changer(here.ruleset.address, rng), sample(here.ruleset.address, 12)
    texts = [dumped(changer.changed(rng.choice(games))) for _ in range(60)]
    alone = [judged(here, [text])[0] for text in texts]
    assert judged(here, texts) == alone and judged(here, texts[::-1]) == alone[::-1]
    assert judged(here, texts, instance=here.runner.instance()) == alone
    assert judged(here, []) == []


def check_readings(addresses: Sequence[str], count: int) -> None:
    rng = random.Random(6)
    for address in addresses:
        changer, games = Changer(address, rng), sample(address, 12)
        said = held_together(bench(address), [dumped(game) for game in games])
        assert not said[CLEAN, NOT_MINE] and not said[REFUSED, NOT_MINE]
        held_together(bench(address), [dumped(changer.changed(rng.choice(games))) for _ in range(count)])


@one_day_in(7)
def test_every_other_reading_of_the_rules_is_judged_alike() -> None:
    addresses = [*readings("paper_world"), *readings("pierre_papier_morpion+bonus")]
    assert len(addresses) > 5
    check_readings(addresses, 30)


@pytest.mark.slow
@pytest.mark.parametrize("address", [a for a in SHIPPED if a != "paper_world"])
def test_every_other_reading_of_all_editions_is_judged_alike(address: str) -> None:
    check_readings(readings(address), 150)


# ---- which ruleset ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "mine"),
    [
        ({"ruleset": "paper_world/gamepark"}, True), ({"ruleset": "paper_world"}, False), ({"ruleset": ""}, False), ({}, False),
        ({"ruleset": "paper_world/gamepark", "version": "VERSION"}, True),
        ({"ruleset": "paper_world/gamepark", "version": "0123456789ab"}, False),
        ({"ruleset": "paper_world/gamepark+advanced"}, False), ({"version": "VERSION"}, False),
    ],
)  # fmt: skip
def test_only_its_own_games_are_judged_where_that_is_asked_for(named: dict[str, Any], mine: bool) -> None:
    here = bench("paper_world/gamepark")
    record = {k: v for k, v in sample("paper_world/gamepark", 12)[0].items() if k not in ("ruleset", "version")}
    named = {k: here.ruleset.version if v == "VERSION" else v for k, v in named.items()}
    for text in (dumped(named | record), dumped(record | named)):
        (own,), (any_,) = judged(here, [text], own=True), judged(here, [text])
        assert (own.verdict == CLEAN) == mine and (own == NOTHING) == (not mine)
        assert any_ == of_text(here, text) and any_.verdict == CLEAN


def test_a_memory_that_the_system_still_holds_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PAUSE", 0)
    tried: list[int] = []

    def made() -> str:
        tried.append(1)
        if len(tried) < 3:
            raise wasmtime.WasmtimeError("cannot add seals to the memfd")
        return "made"

    assert machine.patiently(made) == "made"

    def broken() -> str:
        tried.clear()
        raise wasmtime.WasmtimeError("no memory is left")

    with pytest.raises(wasmtime.WasmtimeError, match="no memory"):
        machine.patiently(broken)
