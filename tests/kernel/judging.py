"""What the tests of kernels share: a kernel for every ruleset, its answers held against the engine's, and games to judge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pwtool.ir.model import Ruleset
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED, Answers, Instance, Reply, Runner
from pwtool.lang import tree
from pwtool.play.chance import Chance
from pwtool.play.record import Record
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.encoding import encode_record
from pwtool.records.json_form import Malformed
from pwtool.records.json_text import decode_bytes, load_json
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Library
from tests.kernel.packing import Packer
from tests.support import ADDRESSES, book, full_record, raw_games

ROOT = Path(__file__).resolve().parents[2]
EDITIONS_OF_DUELS = ("pierre_papier_morpion", "pierre_papier_morpion/fr")
DUELS = tuple(e + m for e in EDITIONS_OF_DUELS for m in ("", "+bonus", "+binoculars", "+bonus+binoculars"))
SHIPPED = (*ADDRESSES, *DUELS)
EXAMPLES = tuple(str(ROOT / "rulesets" / "classics" / name / "game.rules") for name in ("tic_tac_toe", "connect_four"))
CLASSICS = tuple(sorted(path.parent.name for path in (ROOT / "rulesets" / "classics").glob("*/game.rules")))
UNSEEN = tuple(str(ROOT / "tests" / "rulesets" / name / "game.rules") for name in ("gulls", "harbour", "sandwich"))
SHUFFLED = (str(ROOT / "tests" / "rulesets" / "mole" / "game.rules"),)
MOVING = tuple(
    str(ROOT / "tests" / "kernel" / "rules" / name / "game.rules")
    for name in (
        "sweep", "slide", "spill", "dice", "siege", "wander", "ko", "marsh", "cairn", "veins", "expeditions", "tower"
    )
)  # fmt: skip
GAMES = (*SHIPPED, *EXAMPLES, *UNSEEN, *SHUFFLED, *MOVING)
Data = dict[str, Any]


def short(address: str) -> str:
    """The name of a ruleset in the names of tests."""
    return Path(address).parent.name if address.endswith(".rules") else address


def readings(address: str) -> list[str]:
    """The addresses of a ruleset with each other reading that can be adopted by itself, such as `paper_world two_piles=exactly_two`."""
    found = []
    for (_, name), node in book(address).game.ruleset.merged.items.items():
        alternatives = node.alternatives if isinstance(node, tree.Ambiguity) else ()
        found += [f"{address} {name}={alternative.name.name}" for alternative in alternatives]
        found += [f"{address} {name}=printed"] if isinstance(node, tree.Erratum) else []
    return [
        reading for reading in found if RulesetStore(Library(), (reading.split()[1],)).get(address).value is not None
    ]


@cache
def rulebook(address: str) -> Rulebook:
    """The rulebook at an address, behind which a reading may stand."""
    if " " not in address:
        return book(address)
    address, reading = address.split()
    found = RulesetStore(Library(), (reading,)).get(address).value
    assert found is not None
    return found


def seats(ruleset: Ruleset) -> range:
    """Every number of players."""
    return range(ruleset.min_players, ruleset.max_players + 1)


@cache
def plays() -> list[tuple[str, int]]:
    """Every ruleset with every number of players; none is loaded, because tests are found in each process."""
    library, found = Library(), list[tuple[str, int]]()
    for address in GAMES:
        layers = library.layers(address).value
        assert layers is not None, address
        (players,) = merge_layers(layers).of_kind(tree.Players)
        found += [(address, number) for number in range(players.low, players.high + 1)]
    return found


def labels(found: Iterable[tuple[str, int]]) -> list[str]:
    return [f"{short(address)} {number}" for address, number in found]


class Bench:
    """A ruleset with its kernel, its engine and what packs its records."""

    def __init__(self, rules: Rulebook, ruleset: Ruleset | None = None) -> None:
        """With a `ruleset` the kernel is one of that, the engine that of the rulebook."""
        self.rules, self.ruleset = rules, ruleset or rules.game.ruleset
        self.runner = Runner(compile_kernel(self.ruleset))
        self.instance = self.runner.instance()
        self.packer = Packer(self.ruleset)
        self.lines = [score.name for score in self.ruleset.scores]
        self.endings = [ending.name for ending in self.ruleset.endings]


@cache
def bench(address: str) -> Bench:
    return Bench(rulebook(address))


# ---- what the two say ------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What is said of a game: nothing of one that cannot be read; of a clean one how far it goes and how it ends."""

    verdict: int
    code: str = ""
    rule: str = ""
    turn: int | None = None
    action: int | None = None
    turns: int = 0
    actions: int = 0
    over: bool = False
    ending: str | None = None
    ending_turn: int = 0
    totals: tuple[int, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()
    ranking: tuple[tuple[int, ...], ...] = ()


NOTHING = Verdict(NOT_MINE)


def by_engine(bench: Bench, record: Record) -> Verdict:
    """The first finding of the engine, or what it computes of a clean game."""
    replay = replay_record(bench.rules.game, record, bench.rules.legal)
    if replay.findings:
        first = replay.findings[0]
        assert first.rule is not None, first
        action = first.path[3] if first.path[0] == "turns" and first.path[2:3] == ("actions",) else None
        assert action is None or isinstance(action, int)
        return Verdict(REFUSED, first.code, first.rule, first.turn, action)
    play, result = replay.play, replay.result
    said = Verdict(CLEAN, turns=play.turn - record.first + 1, actions=replay.actions, over=play.over)
    if play.trigger is not None:
        said = said._replace(ending=bench.endings[play.trigger[0]], ending_turn=play.trigger[1])
    if not play.over or result is None or result.ranking is None:
        assert not play.over
        return said
    return said._replace(
        totals=tuple(result.totals),
        lines=tuple(tuple(parts[line] for line in bench.lines) for parts in result.parts),
        ranking=tuple(tuple(sorted(place)) for place in result.ranking),
    )


def read_by_engine(bench: Bench, text: bytes) -> Record | None:
    """The record in a text by the whole path of the engine; None where there is none."""
    source = decode_bytes(text, "record").value
    loaded = None if source is None else load_json(source).value
    try:
        return None if loaded is None else bench.rules.decoder.record(loaded)
    except Malformed:
        return None


def of_text(bench: Bench, text: bytes) -> Verdict:
    record = read_by_engine(bench, text)
    return NOTHING if record is None else by_engine(bench, record)


def by_kernel(bench: Bench, reply: Reply) -> Verdict:
    """The same of what a kernel said."""
    if reply.verdict == NOT_MINE:
        return NOTHING
    if reply.verdict == REFUSED:
        return Verdict(REFUSED, reply.code, reply.rule, reply.turn, reply.action)
    assert reply.verdict == CLEAN
    answer = reply.kernel.answer
    said = Verdict(CLEAN, turns=reply.turns, actions=reply.actions, over=reply.over)
    if reply.words[answer.ENDING] >= 0:
        said = said._replace(
            ending=bench.endings[reply.words[answer.ENDING]], ending_turn=reply.words[answer.ENDING_TURN]
        )
    if not reply.over:
        return said
    return said._replace(
        totals=tuple(reply.totals),
        lines=tuple(map(tuple, reply.lines)),
        ranking=tuple(map(tuple, reply.ranking)),
    )


def judged(bench: Bench, texts: Sequence[bytes], own: bool = False, instance: Instance | None = None) -> list[Verdict]:
    """What a kernel says of texts that lie in one block."""
    answers = (instance or bench.instance).check(texts, own)
    assert len(answers) == len(texts)
    return verdicts(bench, answers)


def verdicts(bench: Bench, answers: Answers) -> list[Verdict]:
    return [by_kernel(bench, answers[at]) for at in range(len(answers))]


def dumped(record: Data) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def agree(bench: Bench, said: Verdict, right: Verdict) -> bool:
    """Whether a kernel says of a game nothing but what the engine says."""
    return said in (NOTHING, right)


# ---- games -----------------------------------------------------------------------------------------------------------


def names(players: int) -> list[str]:
    return [f"P{seat}" for seat in range(1, players + 1)]


def engine_game(address: str, players: int, seed: int, max_turns: int | None = None) -> Record:
    """The engine's game at random from a seed."""
    rules, rng = rulebook(address), Chance(seed)
    record = deal_at_random(rules.game, names(players), rng)
    play_game(rules.game, record, random_policy(rng), rules.legal, max_turns, rng)
    return record


def played_alike(address: str, players: int, seed: int, max_turns: int) -> Verdict:
    """What engine and kernel say of a game that both play; records and packed records keep all of it."""
    here = bench(address)
    (played,) = here.instance.play(seed, 1, players, max_turns)
    assert played == here.packer.pack(engine_game(address, players, seed, max_turns)), seed
    record = here.packer.unpack(played, names(players))
    (said,) = verdicts(here, here.instance.judge([played]))
    assert said == by_engine(here, record)
    assert here.packer.pack(here.rules.decoder.record(encode_record(here.rules.game, record))) == played
    return said


def written(address: str, record: Record) -> Data:
    return encode_record(rulebook(address).game, record)


@cache
def recorded_games() -> tuple[Data, ...]:
    """The games that people played, with everything that was said of them."""
    found = tuple(full_record(raw) for _, raw in raw_games("base", "advanced"))
    assert len(found) == 72
    return found


@cache
def sample(address: str, count: int) -> tuple[Data, ...]:
    """Games to be changed: recorded ones where there are some, others played by the kernel, some of them unfinished."""
    found = [record for record in recorded_games() if record["ruleset"] == address][: count // 2]
    here = bench(address)
    numbers = list(seats(here.ruleset))
    for seed in range(count - len(found)):
        most = (3, 8, 20, 400)[seed % 4]
        players = numbers[seed % len(numbers)]
        (words,) = here.instance.play(seed, 1, players, most)
        found.append(encode_record(here.rules.game, here.packer.unpack(words, names(players))))
    return tuple(found)
