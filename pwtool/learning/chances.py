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
from pwtool.play.play import Play
from pwtool.play.record import Move, Record
from pwtool.play.selfplay import Option, Unplayable, legal_options, lists_all

END = 0.4
"""How often players at random end a turn that may end."""
Moment = tuple[Play, Callable[[], list[Option]], bool, Move | None]
_UNKNOWN = (TooMuchWork, FaultyRules, Unplayable, RecursionError, IndexError, KeyError, TypeError)
"""What may go wrong in a game that other rules play."""


class _NotStricter(Exception):
    """Rules allow something that others forbid."""


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
    """The decisions of a game, as long as it is not over: the position, a function that tells what is legal in it, whether the turn may
    end, and what is done (None: the turn ends).
    """
    play = opening(rules.game, record, rules.legal)[0]

    def options() -> list[Option]:
        return legal_options(play, Chance(0))

    for turn in record.turns:
        if play.over:
            return
        play.begin_turn(turn.player)
        moves = [move for move in turn.moves if not move.consequence]
        for number, move in enumerate(moves):
            if play.over:
                return
            yield play, options, bool(number) and play.may_end_turn(), move
            play.do(move.number, move.actor, move.arguments)
        if not play.over:
            if moves:
                yield play, options, play.may_end_turn(), None
            play.derive_consequences()
        play.end_turn()


def decisions(rules: Rules, record: Record, counted: Counted) -> Iterator[Decision]:
    """The decisions of a game that rules find clean. What is `counted` is not counted again, and what is not yet, is added."""
    for number, (_, options, may_end, move) in enumerate(moments(rules, record)):
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
    it, how often players at random would have done that, and whether it was done. `at_least`: in more decisions, perhaps, because
    not all ways to do something were looked at.
    """

    chances: int = 0
    expected: float = 0.0
    used: bool = False
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision as it can be compared between rules: the `options`, each without what chance decides in it and with its kind of action;
    whether the turn may end, what was done (None: the turn ended), and whether the rules allow that. `allows` tells it of any action,
    until the next decision; `complete`: whether all options are listed.
    """

    options: dict[str, Option]
    may_end: bool
    done: str | None
    allowed: bool
    allows: Callable[[Option], bool]
    complete: bool = True

    def beyond(self, other: Asked) -> list[tuple[int, int]]:
        """The kinds of the options that were not there with other rules, each as often as there are ways."""
        new = (option for told, option in self.options.items() if told not in other.options)
        return [option[:2] for option in new if other.complete or not other.allows(option)]


def asked(rules: Rules, record: Record) -> Iterator[Asked]:
    """The decisions of a game, as far as rules play it."""
    for play, options, may_end, move in moments(rules, record):

        def allows(option: Option, play: Play = play) -> bool:
            return option[:2] in play.all_steps() and play.is_legal(*option)

        done = None if move is None else (move.number, move.actor, move.arguments)
        yield Asked(
            {_asked(rules, option): option for option in options()},
            may_end,
            None if done is None else _asked(rules, done),
            may_end if done is None else allows(done),
            allows,
            lists_all(play),
        )


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
        return any(old[2] != new[2] or len(old[1]()) != len(new[1]()) for old, new in pairs)
    except _UNKNOWN:
        return True


def missed_by(known: Sequence[Asked], stricter: Rules, record: Record) -> Use | None:
    """How what stricter rules forbid could have been used in a game with `known` decisions; None if they are not stricter: they
    allow something that was not possible, or cannot be played.
    """

    def pairs() -> Iterator[tuple[Asked, Asked]]:
        for old, new in zip(known, asked(stricter, record), strict=False):
            if new.options.keys() - old.options.keys() or (new.may_end and not old.may_end):
                raise _NotStricter
            yield new, old

    try:
        return _use(pairs())
    except (_NotStricter, *_UNKNOWN):
        return None


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
    chances, expected, at_least = 0, 0.0, False
    for before, after in pairs:
        new, ends = after.beyond(before), after.may_end and not before.may_end
        used = after.allowed and not before.allowed
        at_least |= not after.complete and not (new or ends or used)
        if not (new or ends or used):
            continue
        kinds = Counter(option[:2] for option in after.options.values())
        chances += 1
        share = (1 - END if after.may_end else 1.0) / max(1, len(kinds))
        expected += sum(share / kinds[kind] for kind in new)
        expected += (END if after.options else 1.0) if ends else 0.0
        if used:
            return Use(chances, expected, True, at_least)
    return Use(chances, expected, False, at_least)


def _asked(rules: Rules, option: Option) -> str:
    """An action without what chance decides in it."""
    number, actor, arguments = option
    model = rules.game.action(number)
    # A collection may be written in any order.
    chosen = [
        sorted(argument) if parameter.kind in ("elements", "tops") else argument
        for parameter, argument in zip(model.parameters, arguments, strict=True)
        if not parameter.chance and parameter.kind != "order"
    ]
    return f"{model.name} {actor} {chosen}"
