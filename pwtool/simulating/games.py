"""Measuring random games, whether played by a kernel or by the engine."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from pwtool.ir.model import ActionModel
from pwtool.kernel import material, run
from pwtool.kernel.answers import ENDLESS, NO_SETUP, Uncompilable
from pwtool.kernel.run import Instance
from pwtool.play.chance import Chance
from pwtool.play.record import Record
from pwtool.play.selfplay import MAX_TURNS, POLICIES, Endless, NoSetup, Unplayable, deal_at_random, play_game
from pwtool.records.ruleset_store import Rulebook

BLOCK = 64
"""The number of games played in one call."""


class Played(Struct):
    """A game. `counts`: how often each action was done and, at index -1 minus its number, each consequence; `goals`:
    the numbers of the objectives in play; `named`: those of them that something named, each with its turn; `idle`: the
    turns in which nothing was done that changes anything; `lines`, `totals`, `places` (-1: none) of the seats and
    `ending`: only if the game is `over`. `single`: in how many turns there was never more than one way to continue.
    `failed`: why it could not be played.
    """

    players: int
    counts: list[int] = field(default_factory=list)
    turns: int = 0
    idle: int = 0
    single: int = 0
    goals: list[int] = field(default_factory=list)
    named: list[tuple[int, int]] = field(default_factory=list)
    over: bool = False
    lines: list[list[int]] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    ending: int = -1
    failed: type[Exception] | None = None


class Player:
    """Plays one ruleset, with its kernel if it has one. A seed gives the same game either way."""

    def __init__(self, book: Rulebook, kernel: bool = True, policy: str = "random") -> None:
        self.policy = policy
        self.book, self.ruleset = book, book.game.ruleset
        self._reader = Reader(book)
        self._instance = self._start() if kernel and run.is_installed() else None

    def _start(self) -> Instance | None:
        try:
            return self.book.runner(greedy=self.policy == "greedy").instance()
        except Uncompilable:
            return None

    def play(self, players: int, seed: int, games: int, most_turns: int = MAX_TURNS) -> Iterator[Played]:
        """Games of `seed` and the seeds after it, none longer than `most_turns`."""
        for start in range(seed, seed + games, BLOCK):
            yield from self._block(players, start, min(BLOCK, seed + games - start), most_turns)

    def _block(self, players: int, seed: int, games: int, most_turns: int) -> Iterator[Played]:
        block: list[tuple[array[int], int]] = []
        if self._instance is not None:
            try:
                block = list(self._instance.play_counted(seed, games, players, most_turns))
            except run.failures():
                # It stopped in the middle of something.
                self._instance = self._instance.runner.instance()
        for number in range(games):
            words, single = block[number] if block else ((), 0)
            if len(words) > 1:
                game = self._reader.of_words(words)
                game.single = single
                yield game
            elif words and words[0] == NO_SETUP:
                yield Played(players, failed=NoSetup)
            elif words and words[0] == ENDLESS:
                yield Played(players, failed=Endless)
            else:
                yield self._by_engine(players, seed + number, most_turns)

    def _by_engine(self, players: int, seed: int, most_turns: int) -> Played:
        rng, book = Chance(seed), self.book
        policy = POLICIES[self.policy](rng)
        try:
            record = deal_at_random(book.game, [str(seat) for seat in range(players)], rng)
            play_game(book.game, record, policy, book.legal, most_turns, rng)
        except Unplayable as error:
            return Played(players, failed=type(error))
        game = self._reader.of_record(record)
        game.single = sum(policy.choices[turn] <= 1 for turn in range(1, game.turns + 1))
        return game


class Reader:
    """Reads games of one ruleset, as records or in the words of `docs/kernel.md`."""

    def __init__(self, book: Rulebook) -> None:
        self.ruleset = ruleset = book.game.ruleset
        self.steps = [step for step in ruleset.setup if step.recorded]
        self.objectives = list(ruleset.objectives)
        self.endings = [ending.name for ending in ruleset.endings]
        self.lines = [score.name for score in ruleset.scores]
        # By the number in the words: that of a consequence is -1 minus its own.
        self.models: list[ActionModel] = [*ruleset.actions.values(), *reversed(ruleset.consequences.values())]
        self.busy = [bool(model.effects or model.parameters) for model in self.models]
        self.sizes = [_size(model) for model in self.models]

    def of_words(self, words: array[int] | tuple[int, ...]) -> Played:
        """The game that packed words describe."""
        players, amount = words[1], words[2]
        game = Played(players, [0] * len(self.models), goals=list(words[3 : 3 + amount]))
        at = 3 + amount
        for step in self.steps:
            for _ in range(material.places(self.ruleset, step, players, amount)):
                at += 1 + words[at]
        game.turns = words[at + 1]
        at += 2
        counts, busy, sizes = game.counts, self.busy, self.sizes
        for turn in range(1, game.turns + 1):
            moves = words[at + 1]
            at += 2
            idle = True
            for _ in range(moves):
                number = words[at]
                counts[number] += 1
                if busy[number]:
                    idle = False
                size = sizes[number]
                at = at + size if size else self._behind(words, at, turn, game)
            game.idle += idle
        if words[at]:
            self._read_result(words, at + 1, game)
        return game

    def _behind(self, words: array[int] | tuple[int, ...], at: int, turn: int, game: Played) -> int:
        """The end of an action whose size varies, or which may name an objective."""
        model = self.models[words[at]]
        at += 2
        for p in model.parameters:
            if p.kind == "tops":
                at += 1 + 2 * words[at]
            elif p.listed:
                at += 1 + words[at]
            else:
                size = game.players if p.each else 1
                if p.type.kind == "goal":
                    game.named += [(game.goals[number], turn) for number in words[at : at + size] if number >= 0]
                at += size
        return at

    def _read_result(self, words: array[int] | tuple[int, ...], at: int, game: Played) -> None:
        """Read the result of a game that is over; it says everything there is to say."""
        players, lines = game.players, len(self.lines)
        game.over = True
        game.lines = [list(words[at + seat * lines : at + (seat + 1) * lines]) for seat in range(players)]
        at += players * lines
        game.totals = list(words[at : at + players])
        at += players + 1
        game.places = list(words[at : at + players])
        game.ending = words[at + players]

    def of_record(self, record: Record) -> Played:
        """The game of a record that random play produced."""
        numbers = {name: number for number, name in enumerate(self.objectives)}
        game = Played(len(record.players), [0] * len(self.models), len(record.turns))
        game.goals = [numbers[goal] for goal in record.goals]
        for at, turn in enumerate(record.turns, 1):
            idle = True
            for move in turn.moves:
                number = -1 - move.number if move.consequence else move.number
                game.counts[number] += 1
                idle = idle and not self.busy[number]
                for p, argument in zip(self.models[number].parameters, move.arguments, strict=True):
                    if p.type.kind == "goal":
                        said = argument if p.each else (argument,)
                        game.named += [(game.goals[number], at) for number in said if number is not None]
            game.idle += idle
        outcome = record.outcome
        if outcome is not None:
            assert outcome.parts is not None and outcome.scores is not None and outcome.ranking is not None
            assert outcome.ending is not None
            seats = range(game.players)
            places = {seat: place for place, group in enumerate(outcome.ranking) for seat in group}
            game.over = True
            game.lines = [[outcome.parts[seat][line] for line in self.lines] for seat in seats]
            game.totals = [outcome.scores[seat] for seat in seats]
            game.places = [places.get(seat, -1) for seat in seats]
            game.ending = self.endings.index(outcome.ending)
        return game


def _size(model: ActionModel) -> int:
    """The number of words that an action always has; 0 if it varies or the action has to be examined."""
    simple = all(not (p.kind == "tops" or p.listed or p.each) and p.type.kind != "goal" for p in model.parameters)
    return 2 + len(model.parameters) if simple else 0
