"""Games that the program plays, one for each seed: by the kernel of the ruleset if there is one, otherwise by the
engine. A seed gives the same game in both.
"""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.kernel import MIN_GAMES, run
from pwtool.kernel.answers import ENDLESS, NO_SETUP, Uncompilable
from pwtool.play.chance import Chance
from pwtool.play.record import Record
from pwtool.play.selfplay import POLICIES, Endless, NoSetup, deal_at_random, play_game
from pwtool.records.packed import Unpacker
from pwtool.records.ruleset_store import Rulebook

BLOCK = 64
"""The number of games played in one call."""


def play_many(
    book: Rulebook, names: list[str], seed: int, games: int, most_turns: int, policy: str = "random"
) -> Iterator[Record]:
    """Games of `seed` and the seeds after it, none longer than `most_turns`; the id of each contains its seed. Raises
    `NoSetup` and `Endless`.
    """
    played = 0
    if games >= MIN_GAMES and run.is_installed():
        for record in _by_kernel(book, names, seed, games, most_turns, policy):
            yield _with_id(record or _by_engine(book, names, seed + played, most_turns, policy), seed + played)
            played += 1
    for number in range(played, games):
        yield _with_id(_by_engine(book, names, seed + number, most_turns, policy), seed + number)


def _by_kernel(
    book: Rulebook, names: list[str], seed: int, games: int, most_turns: int, policy: str
) -> Iterator[Record | None]:
    """The games, None for one that exceeds a limit of kernels; fewer if no kernel can be made or it fails."""
    try:
        instance = book.runner(greedy=policy == "greedy").instance()
    except Uncompilable:
        return
    unpacker = Unpacker(book.game.ruleset)
    for start in range(0, games, BLOCK):
        try:
            block = list(instance.play(seed + start, min(BLOCK, games - start), len(names), most_turns))
        except run.failures():
            return
        for words in block:
            if len(words) > 1:
                yield unpacker.unpack(words, list(names))
            elif words[0] == NO_SETUP:
                raise NoSetup
            elif words[0] == ENDLESS:
                raise Endless
            else:
                yield None


def _by_engine(book: Rulebook, names: list[str], seed: int, most_turns: int, policy: str) -> Record:
    rng = Chance(seed)
    record = deal_at_random(book.game, list(names), rng)
    play_game(book.game, record, POLICIES[policy](rng), book.legal, most_turns, rng)
    return record


def _with_id(record: Record, seed: int) -> Record:
    record.id = f"seed-{seed}"
    return record
