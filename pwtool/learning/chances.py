"""What could have been done at each decision of a game, and how likely what was done is if players choose at random.

A change that allows much of which players never made use explains the games worse than one that allows less. Only
differences between explanations count, so that it does not matter much that nobody plays at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log, prod

from pwtool.eval.work import TooMuchWork
from pwtool.learning.judging import Rules
from pwtool.play.chance import Chance
from pwtool.play.changes import FaultyRules
from pwtool.play.opening import opening
from pwtool.play.record import Move, Record
from pwtool.play.selfplay import Option, Unplayable, legal_options

END = 0.4
"""How often players at random end a turn that may end."""
Moment = tuple[Callable[[], list[Option]], bool, Move | None]
_UNKNOWN = (TooMuchWork, FaultyRules, Unplayable, RecursionError, IndexError, KeyError, TypeError)
"""What may go wrong in a game that other rules play."""
Counted = dict[int, tuple[int, int]]
"""The kinds of actions at each decision of a game, and the ways to do the chosen one."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: how many kinds of actions there were, how many ways to do the chosen one, whether the turn could have
    ended, and whether it did.
    """

    kinds: int
    ways: int
    may_end: bool
    ended: bool
    drawn: int = 1
    """How many numbers chance could have drawn instead."""

    @property
    def surprise(self) -> float:
        """Minus the logarithm of its probability."""
        if self.ended:
            return -log(END) if self.kinds else 0.0
        rest = 1 - END if self.may_end else 1.0
        return log(max(1, self.kinds)) + log(max(1, self.ways)) + log(self.drawn) - log(rest)


def moments(rules: Rules, record: Record) -> Iterator[Moment]:
    """The decisions of a game that rules find clean: a function that tells what is legal, whether the turn may end, and what is
    done (None: the turn ends).
    """
    play = opening(rules.game, record, rules.legal)[0]
    rng = Chance(0)

    def options() -> list[Option]:
        return legal_options(play, rng)

    for turn in record.turns:
        if play.over:
            return
        play.begin_turn(turn.player)
        moves = [move for move in turn.moves if not move.consequence]
        for number, move in enumerate(moves):
            yield options, bool(number) and play.may_end_turn(), move
            play.do(move.number, move.actor, move.arguments)
        if not play.over:
            if moves and play.may_end_turn():
                yield options, True, None
            play.derive_consequences()
        play.end_turn()


def decisions(rules: Rules, record: Record, counted: Counted) -> Iterator[Decision]:
    """The decisions of a game that rules find clean. What is `counted` is not counted again, and what is not yet, is added."""
    for number, (options, may_end, move) in enumerate(moments(rules, record)):
        if number not in counted:
            legal = options()
            chosen = None if move is None else (move.number, move.actor)
            counted[number] = len({option[:2] for option in legal}), sum(option[:2] == chosen for option in legal)
        yield Decision(*counted[number], may_end, move is None, 1 if move is None else _drawn(rules, move))


def _drawn(rules: Rules, move: Move) -> int:
    """How many numbers chance could have drawn in an action."""
    parameters = rules.game.action(move.number).parameters
    return prod(p.type.high - p.type.low + 1 for p in parameters if p.chance and p.type.kind == "int")


def surprise(rules: Rules, record: Record, counted: Counted) -> float | None:
    """How unlikely a game is, in nats; None if it cannot be played through. `counted` is as for `decisions`."""
    if record.has_unseen or record.start is not None:
        return None
    try:
        return sum(decision.surprise for decision in decisions(rules, record, counted))
    except (TooMuchWork, FaultyRules, Unplayable, RecursionError, IndexError, KeyError):
        return None


@dataclass(frozen=True, slots=True)
class Use:
    """How a change of rules was used in a game, up to its first use: in how many decisions something was possible only with
    it, how often players at random would have done that, and whether it was done.
    """

    chances: int = 0
    expected: float = 0.0
    used: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision as it can be compared between rules: the `options`, each with its kind of action, without what chance decides in
    it; whether the turn may end, and what was done (None: the turn ended).
    """

    options: list[tuple[str, tuple[int, int]]]
    may_end: bool
    done: str | None

    def beyond(self, other: Asked) -> list[tuple[str, tuple[int, int]]]:
        """The options that were not there with other rules."""
        old = {told for told, _ in other.options}
        return [option for option in self.options if option[0] not in old]


def asked(rules: Rules, record: Record) -> Iterator[Asked]:
    """The decisions of a game that rules find clean."""
    for options, may_end, move in moments(rules, record):
        done = None if move is None else _asked(rules, (move.number, move.actor, move.arguments))
        yield Asked([(_asked(rules, option), option[:2]) for option in options()], may_end, done)


def use_of(before: Rules, after: Rules, record: Record, other: Record | None = None) -> Use | None:
    """How what only `after` allows was used in a game; `other` is the game as `before` reads it. None if nobody knows."""
    if record.has_unseen or record.start is not None:
        return None
    if only_ends_differ(before, after):
        return Use()
    try:
        return _use(zip(asked(before, other or record), asked(after, record), strict=False))
    except _UNKNOWN:
        return None


def only_ends_differ(before: Rules, after: Rules) -> bool:
    """Whether rules only differ in when and how a game ends: as long as it goes on, the same can be chosen."""
    return before.hashes[1] == after.hashes[1]


def is_more_possible(before: Rules, after: Rules, record: Record, other: Record) -> bool:
    """Whether looser rules allowed more in a game at some decision, or nobody knows; `other` is the game as they read it."""
    if record.has_unseen or record.start is not None:
        return True
    if only_ends_differ(before, after):
        return False
    try:
        pairs = zip(moments(before, record), moments(after, other), strict=False)
        return any(old[1] != new[1] or len(old[0]()) != len(new[0]()) for old, new in pairs)
    except _UNKNOWN:
        return True


def missed_by(known: Sequence[Asked], stricter: Rules, record: Record) -> Use | None:
    """How what stricter rules forbid could have been used in a game with `known` decisions; None if they are not stricter: they
    allow something that was not possible, or cannot be played.
    """
    pairs: list[tuple[Asked, Asked]] = []
    try:
        for old, new in zip(known, asked(stricter, record), strict=False):
            if new.beyond(old) or (new.may_end and not old.may_end):
                return None
            pairs.append((new, old))
    except _UNKNOWN:
        return None
    return _use(pairs)


def known_decisions(rules: Rules, record: Record) -> list[Asked] | None:
    """The decisions of a game that rules find clean; None if nobody knows."""
    if record.has_unseen or record.start is not None:
        return None
    try:
        return list(asked(rules, record))
    except _UNKNOWN:
        return None


def _use(pairs: Iterable[tuple[Asked, Asked]]) -> Use:
    """How what was possible only with the second ones of two rules was used."""
    chances, expected = 0, 0.0
    for before, after in pairs:
        new, ends = after.beyond(before), after.may_end and not before.may_end
        if not new and not ends:
            continue
        kinds = Counter(kind for _, kind in after.options)
        chances += 1
        share = (1 - END if after.may_end else 1.0) / max(1, len(kinds))
        expected += sum(share / kinds[kind] for _, kind in new)
        expected += (END if after.options else 1.0) if ends else 0.0
        if ends if after.done is None else after.done in {told for told, _ in new}:
            return Use(chances, expected, True)
    return Use(chances, expected)


def _asked(rules: Rules, option: Option) -> str:
    """An action without what chance decides in it."""
    number, actor, arguments = option
    model = rules.game.action(number)
    # A collection may be written in any order.
    chosen = [
        sorted(map(str, argument)) if isinstance(argument, list | tuple) else argument
        for parameter, argument in zip(model.parameters, arguments, strict=True)
        if not parameter.chance and parameter.kind != "order"
    ]
    return f"{model.name} {actor} {chosen}"
