"""Packed records: kernels and the engine pack alike, unpacking gives the record back, and packed games are judged as texts are."""

from __future__ import annotations

import random

import pytest

from pwtool.kernel.run import NOT_MINE
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer, changed_text
from tests.kernel.judging import (
    GAMES,
    NOTHING,
    ROOT,
    Bench,
    Data,
    bench,
    dumped,
    judged,
    of_text,
    read_by_engine,
    recorded_games,
    sample,
    short,
    verdicts,
    written,
)
from tests.kernel.packing import Unpackable

EVERY_GAME = pytest.mark.parametrize("address", some(GAMES, 6), ids=short)


def check_text(here: Bench, text: bytes) -> bool:
    """Whether the kernel reads a text: then it packs as the engine does, and judges both forms alike."""
    words = here.instance.pack(text, False)
    (said,) = judged(here, [text])
    if words is None:
        assert said == NOTHING
        return False
    record = read_by_engine(here, text)
    assert record is not None
    if len(set(record.goals)) == len(record.goals):
        # Of an objective that is there twice, which nobody accepts, each may name another one.
        assert words == here.packer.pack(record)
    assert here.packer.pack(here.packer.unpack(words, record.players)) == words
    assert verdicts(here, here.instance.judge([words])) == [said]
    return said.verdict != NOT_MINE


def check_texts(address: str, count: int, seed: int) -> None:
    here, rng = bench(address), random.Random(seed)
    changer, games = Changer(address, rng), sample(address, 12)
    texts = [dumped(game) for game in games]
    # Where nobody can go on, the engine looks whether the last turn could have.
    assert all(check_text(here, text) or of_text(here, text).code == "PW612" for text in texts)
    read = [check_text(here, dumped(changer.changed(rng.choice(games)))) for _ in range(count)]
    read += [check_text(here, changed_text(rng.choice(games), rng)) for _ in range(count)]
    assert sum(read) > count // 3


@EVERY_GAME
def test_kernel_and_engine_pack_alike_and_both_forms_are_judged_alike(address: str) -> None:
    check_texts(address, 25, 1)


@pytest.mark.slow
@EVERY_GAME
def test_many_texts_are_packed_alike(address: str) -> None:
    check_texts(address, 600, 2)


@EVERY_GAME
def test_unpacking_gives_the_record_back(address: str) -> None:
    """Nothing but names and comments is lost on the way."""
    here = bench(address)
    for game in sample(address, 12):
        record = here.rules.decoder.record(game)
        again = here.packer.unpack(here.packer.pack(record), record.players)
        assert kept(written(address, again)) == kept(written(address, record)) == kept(game)


def kept(game: Data) -> Data:
    """A record without what the packed form leaves out."""
    return {key: value for key, value in game.items() if key not in ("id", "version", "meta")}


def test_many_packed_games_lie_one_behind_the_other() -> None:
    here = bench("paper_world/gamepark")
    texts = [dumped(r) for r in recorded_games() if r["ruleset"] == here.ruleset.address]
    packed = [
        here.packer.pack(here.rules.decoder.record(r)) for r in recorded_games() if r["ruleset"] == here.ruleset.address
    ]
    together = here.instance.judge_block(b"".join(words.tobytes() for words in packed), len(packed))
    assert verdicts(here, together) == judged(here, texts)
    assert len(here.instance.judge([])) == 0


def test_what_nobody_saw_cannot_be_packed() -> None:
    here = bench("paper_world/gamepark")
    text = (ROOT / "examples" / "records" / "unseen.json").read_bytes()
    record = read_by_engine(here, text)
    assert record is not None
    with pytest.raises(Unpackable):
        here.packer.pack(record)
    assert here.instance.pack(text, False) is None


@one_day_in(7)
def test_nothing_is_packed_that_is_longer_than_the_room_for_it() -> None:
    here = bench("pierre_papier_morpion")
    game = sample("pierre_papier_morpion", 12)[0]
    endless = {**game, "turns": game["turns"] * 100_000}
    assert here.instance.pack(dumped(endless), False) is None
    assert check_text(here, dumped(game))
