"""Two rulesets in lockstep, with kernels: random games under one, with each action and each end of a turn checked by
the other.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from pwtool.ir.model import ActionModel, Ruleset
from pwtool.kernel.run import CLEAN, NOT_MINE, Instance, Reply
from pwtool.play.record import Record
from pwtool.records.encoding import encode_record
from pwtool.records.packed import Unpacker
from pwtool.records.ruleset_store import Rulebook

BLOCK = 256
"""The number of games played and checked in one call."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A game played under one of two rulesets (`under`: 0 or 1) and the other one's answer: `same` is True if it allows every
    action and gives the same result; False if it refuses something, given by `code`, `rule`, `turn` and `action` as in a
    `Reply`; None if the kernels do not know.
    """

    seed: int
    under: int
    same: bool | None
    _words: array[int]
    _side: _Side
    _names: tuple[str, ...]
    code: str = ""
    rule: str = ""
    turn: int | None = None
    action: int | None = None

    @property
    def was_played(self) -> bool:
        """Whether there is a game."""
        return self.length > 1

    @property
    def length(self) -> int:
        """The numbers of its packed record."""
        return len(self._words)

    @property
    def record(self) -> Record | None:
        """The game; None if none could be played."""
        return self._side.unpacker.unpack(self._words, list(self._names)) if self.was_played else None


class Pair:
    """Two rulesets in kernels. Raises `Uncompilable` if one of them cannot be compiled."""

    def __init__(self, first: Rulebook, second: Rulebook) -> None:
        self.sides = (_Side(first), _Side(second))
        self.packed = _form(first.game.ruleset) == _form(second.game.ruleset)

    def play(self, names: list[str], seed: int, games: int, most_turns: int) -> Iterator[Asked]:
        """Games with the seed `seed`, the next one, and so on, each played under the first ruleset and under the second, of at most
        `most_turns` turns. Raises what `run.failures` names if a kernel stops.
        """
        for start in range(seed, seed + games, BLOCK):
            count = min(BLOCK, seed + games - start)
            asked = [list(self._under(under, names, start, count, most_turns)) for under in (0, 1)]
            for both in zip(*asked, strict=True):
                yield from both

    def _under(self, under: int, names: list[str], seed: int, games: int, most_turns: int) -> Iterator[Asked]:
        own, other = self.sides[under], self.sides[1 - under]
        played = list(own.instance.play(seed, games, len(names), most_turns))
        whole = [words for words in played if len(words) > 1]
        if self.packed:
            answers = iter(other.instance.judge(whole))
        else:
            answers = iter(other.instance.check([own.text(words, names) for words in whole], own=False))
        for number, words in enumerate(played, seed):
            reply = next(answers) if len(words) > 1 else None
            asked = Asked(number, under, _same(reply), words, own, tuple(names))
            if reply is not None and asked.same is False:
                asked = replace(asked, code=reply.code, rule=reply.rule, turn=reply.turn, action=reply.action)
            yield asked


class _Side:
    """One of two rulesets: its kernel, and its records as words and as text."""

    def __init__(self, book: Rulebook) -> None:
        self.game = book.game
        self.instance: Instance = book.runner().instance()
        self.unpacker = Unpacker(book.game.ruleset)

    def text(self, words: array[int], names: list[str]) -> bytes:
        """A packed game as JSON, without the ruleset under which it was played."""
        data = encode_record(self.game, self.unpacker.unpack(words, list(names)))
        return json.dumps({key: value for key, value in data.items() if key not in ("ruleset", "version")}).encode()


def _same(reply: Reply | None) -> bool | None:
    return None if reply is None or reply.verdict == NOT_MINE else reply.verdict == CLEAN


def _form(ruleset: Ruleset) -> Any:
    """What determines how records of random games are packed, and how much a kernel has room for: rulesets that agree in it can
    read each other's packed games. Actions that only shuffle at any time are never played at random.
    """

    def of_action(model: ActionModel) -> Any:
        return model.name, [(p.name, p.kind, p.type, p.zone, p.each) for p in model.parameters]

    zones = [(z.name, z.kind, z.element, z.dimensions) for z in ruleset.zones.values()]
    decks = {name: at for at, name in enumerate(dict.fromkeys(s.deck for s in ruleset.setup))}
    steps = [(s.name, s.kind, decks[s.deck], s.zone, s.spread, s.owner) for s in ruleset.setup if s.recorded]
    components = [
        (c.name, c.codes, [(n, a.type, list(a.table)) for n, a in c.attributes.items()])
        for c in ruleset.components.values()
    ]
    played = [(m.number, of_action(m)) for m in ruleset.actions.values() if m.number not in ruleset.idle]
    actions = played, [of_action(model) for model in ruleset.consequences.values()]
    lines = [score.name for score in ruleset.scores], [ending.name for ending in ruleset.endings]
    chosen = [s.amount for s in ruleset.setup if s.kind == "choose"]
    room = (
        ruleset.min_players,
        ruleset.max_players,
        chosen,
        [structs.replace(ruleset.decks[d], name="") for d in decks if d],
    )
    return zones, steps, components, actions, lines, list(ruleset.objectives), ruleset.goal_zone, room
