"""The compact form of games: kernels read it as the texts that it unpacks to, and nothing else, whoever wrote the bytes."""

from __future__ import annotations

import random
from array import array

import pytest

from pwtool.kernel.run import NOT_MINE
from pwtool.records.tables.compact import Damaged, Unpackable, pack_game, unpack_game
from pwtool.records.tables.vocabulary import vocabulary_of
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer
from tests.kernel.judging import (
    GAMES,
    NOTHING,
    Bench,
    Data,
    Verdict,
    bench,
    dumped,
    judged,
    read_by_engine,
    sample,
    short,
    verdicts,
)
from tests.support import few_or_many

EVERY_GAME = pytest.mark.parametrize("address", some(GAMES, 4), ids=short)


def of_compact(here: Bench, games: list[tuple[bytes, int]]) -> list[Verdict]:
    """What the kernel says of compact games."""
    table = array("I")
    at = 0
    for data, players in games:
        table.extend((at, len(data), players))
        at += len(data)
    block = b"".join(data for data, _ in games)
    return verdicts(here, here.instance.check_compact(block, table.tobytes(), len(games)))


def beside(game: Data) -> Data:
    """What stands in columns of its own."""
    return {key: game[key] for key in ("ruleset", "version", "id", "players", "meta") if key in game}


@one_day_in(8)
@EVERY_GAME
def test_what_is_packed_unpacks_to_the_same_and_is_judged_alike(address: str) -> None:
    here, rng = bench(address), random.Random(3)
    words = vocabulary_of(here.ruleset)
    assert not words.problem()
    changer, games = Changer(address, rng), list(sample(address, 12))
    games += [changer.changed(rng.choice(games)) for _ in range(60)]
    packed = []
    for game in games:
        record = read_by_engine(here, dumped(game))
        if record is None:
            continue
        try:
            data = pack_game(record, words)
        except Unpackable:
            continue
        packed.append((game, data, record.players))
        again = beside(game) | unpack_game(data, record.players, words)
        back = read_by_engine(here, dumped(again))
        assert back is not None and here.packer.pack(back) == here.packer.pack(record)
    assert len(packed) > 12
    said = of_compact(here, [(data, len(players)) for _, data, players in packed])
    texts = judged(here, [dumped(game) for game, _, _ in packed])
    for (_, data, players), one, other in zip(packed, said, texts, strict=True):
        assert other in (one, NOTHING) or len(players) > here.ruleset.max_players, (one, other, data)
        assert one.verdict != NOT_MINE or other == NOTHING


def changed(data: bytes, rng: random.Random) -> bytes:
    """The bytes with some of them changed, left out or added."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(made))
        match rng.randrange(5):
            case 0:
                made[at] = rng.randrange(256)
            case 1:
                made[at] = max(0, min(255, made[at] + rng.choice((-2, -1, 1, 2))))
            case 2:
                del made[at : at + rng.choice((1, 1, 1, 4))]
            case 3:
                made[at:at] = rng.randbytes(rng.choice((1, 1, 3)))
            case _:
                other = rng.randrange(len(made))
                made[at], made[other] = made[other], made[at]
        made = made or bytearray(b"\0")
    return bytes(made)


@one_day_in(4)
@pytest.mark.parametrize("times", few_or_many(150, 5000))
@EVERY_GAME
def test_damaged_bytes_are_judged_as_what_they_unpack_to(address: str, times: int) -> None:
    here, rng = bench(address), random.Random(times)
    words = vocabulary_of(here.ruleset)
    games = []
    for game in sample(address, 12):
        record = read_by_engine(here, dumped(game))
        assert record is not None
        games.append((pack_game(record, words), record.players))
    tried = [(changed(data, rng), players) for data, players in (rng.choice(games) for _ in range(times))]
    said = of_compact(here, [(data, len(players)) for data, players in tried])
    read = 0
    for (data, players), one in zip(tried, said, strict=True):
        try:
            game = {"ruleset": address, "players": players} | unpack_game(data, players, words)
        except Damaged:
            assert one == NOTHING
            continue
        (other,) = judged(here, [dumped(game)])
        assert one in (other, NOTHING), (one, other)
        read += one != NOTHING
    assert read > times // 40


def test_noise_is_not_read() -> None:
    here, rng = bench("paper_world/gamepark"), random.Random(1)
    tried = [(rng.randbytes(rng.randrange(2000)), rng.randrange(8)) for _ in range(400)]
    assert set(of_compact(here, tried)) == {NOTHING}
