"""What the rules of a ruleset refuse in random games: random ways to do each action are tried at every moment, and judged
by every rule, also those that another rule refuses. It says why a game got stuck, and finds rules that refuse nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import suppress

from msgspec import Struct, field

from pwtool.eval.values import UNKNOWN
from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import ActionModel, RuleModel
from pwtool.play.chance import Chance
from pwtool.play.opening import opening
from pwtool.play.order import may_end
from pwtool.play.play import Play
from pwtool.play.selfplay import Option, RandomPolicy, Unplayable, deal_at_random, play_game
from pwtool.records.ruleset_store import Rulebook

TRIES = 4
"""How often each action is tried at a moment."""
LAST_TRIES = 100
"""How often each action is tried where a game got stuck."""
MOST_TRIES = 3_000
MOST_MOMENTS = 300
"""The most tries, and moments of games, for finding rules that refuse nothing."""

MOST_NAMED = 3
"""The most rules that are named where none refused all ways."""


class Hurdle(Struct, frozen=True):
    """Why one way to go on is closed: the action (None: the end of the turn), the rules that refused every way to do it,
    and how many ways were tried (0: there was nothing to do it with). Where no rule refused all, `some` are those that
    refused most, with how many.
    """

    action: str | None
    rules: tuple[RuleModel, ...]
    tried: int
    some: tuple[tuple[RuleModel, int], ...] = ()


class Refusals(Struct):
    """How often each action was tried, and the end of a turn (the empty name), and which rules refused how often;
    `games` is the number of games that were looked at.
    """

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    games: int = 0
    actions: dict[str, str] = field(default_factory=dict)
    """The action of each rule that was watched; empty for those of the end of a turn."""

    def hurdle(self, model: ActionModel) -> Hurdle:
        """The rules of an action that refused each try, or most of them."""
        tried = self.tried[model.name]
        times = sorted(((rule, self.refused[rule.id]) for rule in model.rules), key=lambda found: -found[1])
        every = tuple(rule for rule in model.rules if tried and self.refused[rule.id] == tried)
        some = () if every else tuple(found for found in times[:MOST_NAMED] if found[1])
        return Hurdle(model.name, every, tried, some)

    def times(self, rule: str) -> int:
        """How often a rule that was watched could have refused."""
        return self.tried[self.actions[rule]]


class _Enough(Exception):
    """Everything was seen, or as much as may be looked at."""


class _Watcher(RandomPolicy):
    """Plays at random and remembers the game; `watching` is told of each moment, and draws from its own numbers."""

    def __init__(self, seed: int, watching: _Watching | None = None) -> None:
        super().__init__(Chance(seed))
        self.last: Play | None = None
        self.watching = watching

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        self.last = play
        if self.watching is not None:
            self.watching.look(play)
        return super().choose(play, options, may_end)


class _Watching:
    """Tries some actions at every moment, and others until each of these rules has refused something."""

    def __init__(self, book: Rulebook, always: Collection[str], rules: Collection[str]) -> None:
        self.rng, self.always = Chance(0), always
        self.open: dict[str, set[str]] = {}
        ruleset = book.game.ruleset
        self.found = Refusals()
        for name, watched in (*((a.name, a.rules) for a in ruleset.actions.values()), ("", ruleset.turn_rules)):
            self.open[name] = {rule.id for rule in watched if rule.id in rules}
            self.found.actions |= dict.fromkeys(self.open[name], name)
        self.moments = 0

    @property
    def is_done(self) -> bool:
        return not (self.always or any(self.open.values()))

    def look(self, play: Play) -> None:
        """Try what is left at one moment of a game. Raises `_Enough`."""
        found = self.found
        self.moments += 1
        for number, actor in play.next_steps():
            name = play.game.action(number).name
            if name in self.always or self.open[name]:
                _try(play, number, actor, TRIES, self.rng, found)
                self.open[name].difference_update(found.refused)
        if self.open[""] and may_end(play.game, play.places):
            found.tried[""] += 1
            found.refused.update(rule.id for rule in play.broken_turn_rules())
            self.open[""].difference_update(found.refused)
        if self.is_done or found.tried.total() > MOST_TRIES or self.moments > MOST_MOMENTS:
            raise _Enough


def _try(play: Play, number: int, actor: int, times: int, rng: Chance, found: Refusals) -> None:
    """Judge random ways to do an action."""
    runner = play.game.machine(play.state).actions[number]
    play.act(actor)
    try:
        for _ in range(times):
            arguments = play.legal.at_random(play.state, number, rng)
            if arguments is None:
                return
            e = runner.bind(arguments)
            runner.compute(play.state, e)
            found.tried[runner.model.name] += 1
            found.refused.update(
                runner.model.rules[at].id for at, verdict in runner.refusals(play.state, e) if verdict is not UNKNOWN
            )
    finally:
        play.act(play.owner)


def refusals(
    book: Rulebook, counts: tuple[int, ...], games: int, always: Collection[str], rules: Collection[str]
) -> Refusals:
    """What is refused in random games for each of these numbers of players, in turns: of the actions `always`, and of the
    others until each of the `rules` has refused something; at most as much as the bounds of this module allow.
    """
    watching = _Watching(book, always, rules)
    if watching.is_done:
        return watching.found
    with suppress(_Enough, TooMuchWork):
        for at in range(games * len(counts)):
            watching.found.games += 1
            with suppress(Unplayable):
                _play(book, counts[at % len(counts)], 1 + at // len(counts), MOST_MOMENTS, watching)
    return watching.found


def _play(book: Rulebook, players: int, seed: int, most_turns: int, watching: _Watching | None = None) -> Play:
    """The position at the end of a random game, also in the middle of a turn."""
    watcher = _Watcher(seed, watching)
    record = deal_at_random(book.game, [str(seat) for seat in range(players)], watcher.rng)
    play_game(book.game, record, watcher, book.legal, most_turns, watcher.rng)
    if watcher.last is not None:
        return watcher.last
    play = opening(book.game, record, book.legal)[0]
    play.begin_turn(play.next_player())
    return play


def hurdles(book: Rulebook, players: int, seed: int, most_turns: int) -> list[Hurdle]:
    """What forbids to go on at the end of a random game that got stuck; nothing if looking takes too long."""
    found: list[Hurdle] = []
    with suppress(TooMuchWork, Unplayable):
        play = _play(book, players, seed, most_turns)
        if may_end(play.game, play.places):
            found.append(Hurdle(None, tuple(play.broken_turn_rules()), 1))
        with play.game.work.limited():
            for number, actor in play.next_steps():
                seen = Refusals()
                _try(play, number, actor, LAST_TRIES, Chance(seed), seen)
                found.append(seen.hurdle(play.game.action(number)))
    return found
