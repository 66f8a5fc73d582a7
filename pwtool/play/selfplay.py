"""Random games: a setup dealt at random, then legal actions until the game is over.

The result is an ordinary record. The same random number generator gives the same game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from pwtool.ir.model import ActionModel
from pwtool.play import facts
from pwtool.play.chance import Chance
from pwtool.play.changes import FaultyRules
from pwtool.play.game import Game
from pwtool.play.legal import Arguments, LegalActions
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import Move, Outcome, Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.score import score_game
from pwtool.play.setup import build_state, deck_counts, places
from pwtool.play.state import State

Option = tuple[int, int, Arguments]
Policy = Callable[[Play, list[Option], bool], Option | None]
"""Chooses one of the legal actions (number, actor, arguments); None ends the turn, if that is allowed, or says that there is no action."""

MAX_DEALS = 1000
MAX_ACTIONS = 10_000
MAX_TURNS = 10_000
"""A game that a command plays stops after this many turns."""
MAX_JOINT = 2_000
MAX_DRAWN = 200


class Unplayable(Exception):
    """The rules do not let a game be played to its end."""


class NoSetup(Unplayable):
    """No setup that the rules allow was found."""

    def __init__(self) -> None:
        super().__init__(f"in {MAX_DEALS:,} deals there was no setup that the rules allow")


class Endless(Unplayable):
    """A turn went on for `MAX_ACTIONS` actions, or a consequence happens again and again."""

    def __init__(self, why: str = f"a turn went on for {MAX_ACTIONS:,} actions and did not end") -> None:
        super().__init__(why)


class OutOfBounds(Unplayable):
    """A consequence, or chance, takes a number out of its bounds, or a second thing into a slot."""


@contextmanager
def playable() -> Iterator[None]:
    """Raises `Endless` or `OutOfBounds` if the rules go wrong inside the block."""
    try:
        yield
    except FaultyRules as fault:
        raise (Endless if isinstance(fault.fact, facts.Endless) else OutOfBounds)(fault.args[0]) from None


class Player:
    """Plays for all seats, and counts for each turn the largest number of ways to go on. `early`: also offer actions
    that look ahead before they are judged, and judge the chosen one.
    """

    early = False

    def __init__(self, rng: Chance) -> None:
        self.rng = rng
        self.choices: Counter[int] = Counter()

    def __call__(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        self.choices[play.turn] = max(self.choices[play.turn], len(options) + may_end)
        return self.choose(play, options, may_end)

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        """One of the options, or None."""
        raise NotImplementedError


class RandomPolicy(Player):
    """Each kind of action is equally likely, then each way to do it; a turn that may end does so in two of five cases.
    An action that looks ahead and turns out not to be legal is dropped when it is drawn.
    """

    early = True

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        rng = self.rng
        if may_end and (not options or rng.below(5) < 2):
            return None
        ways: dict[tuple[int, int], list[Option]] = {}
        for option in options:
            ways.setdefault(option[:2], []).append(option)
        kinds = [ways[kind] for kind in sorted(ways)]
        while kinds:
            kind = rng.below(len(kinds))
            left = kinds[kind]
            at = rng.below(len(left))
            chosen = left[at]
            if chosen[0] not in play.game.judged_late or play.is_legal(*chosen):
                return chosen
            left[at] = left[-1]
            left.pop()
            if not left:
                kinds[kind] = kinds[-1]
                kinds.pop()
        return None


class GreedyPolicy(Player):
    """The action that gives the player the most points at once, including its consequences; ties are equally likely.
    Ending the turn counts as zero, as do chance and actions of all players at once.
    """

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        if not options:
            return None
        standing = score_game(play.game, play.state).totals
        ways: list[Option | None] = [*sorted(options, key=lambda option: option[:2]), *[None] * may_end]
        gains = [0 if option is None else self._gain(play, option, standing) for option in ways]
        most = max(gains)
        best = [option for option, gain in zip(ways, gains, strict=True) if gain == most]
        return best[self.rng.below(len(best))]

    def _gain(self, play: Play, option: Option, standing: list[int]) -> int:
        number, actor, arguments = option
        if actor < 0 or play.game.action(number).shuffles:
            return 0
        other = play.copy()
        other.act(actor)
        runner = other.game.machine(other.state).actions[number]
        e = runner.bind(arguments)
        runner.compute(other.state, e)
        other.carry_out(runner, e, other.places)
        for _ in other.following(each_action=True):
            pass
        return int(score_game(other.game, other.state).totals[actor]) - standing[actor]


def random_policy(rng: Chance) -> Policy:
    """The policy of random games."""
    return RandomPolicy(rng)


POLICIES: dict[str, type[Player]] = {"random": RandomPolicy, "greedy": GreedyPolicy}
"""The policies by the names that commands use."""


def deal_at_random(game: Game, names: list[str], rng: Chance) -> Record:
    """A record with a setup that the rules accept and no turn yet. Raises `NoSetup` if none is found."""
    for _ in range(MAX_DEALS):
        record = _deal(game, names, rng)
        if not build_state(game, record)[1]:
            return record
    raise NoSetup


def _deal(game: Game, names: list[str], rng: Chance) -> Record:
    ruleset = game.ruleset
    record = Record(names, [], {}, [], ruleset.address, ruleset.version)
    decks: dict[str, list[int]] = {}
    for step in ruleset.setup:
        if step.kind == "choose":
            record.goals = rng.sample(ruleset.objectives, step.amount)
    for step in ruleset.setup:
        if not step.recorded:
            continue
        if step.deck not in decks:
            decks[step.deck] = rng.shuffled(sorted(deck_counts(game, step.deck, len(names)).elements()))
        deck = decks[step.deck]
        count = places(game, step, State(ruleset, len(names), record.goals))
        taken = step.amount * count or len(deck)
        cards, decks[step.deck] = deck[:taken], deck[taken:]
        record.setup[step.name] = [cards[at::count] for at in range(count)]
    return record


def play_game(
    game: Game,
    record: Record,
    policy: Policy,
    legal: LegalActions | None = None,
    max_turns: int | None = None,
    rng: Chance | None = None,
    unfinished: bool = False,
) -> Play:
    """Continue from the setup of `record` until the game is over, nobody can move, or `max_turns` are played, and write
    the turns, the consequences and the result into the record; `unfinished`: also the actions of a last turn that cannot
    end. `rng` selects the options if there are very many joint actions.
    """
    rng = rng or Chance(0)
    play = opening(game, record, legal)[0]
    record.recorded = frozenset(game.ruleset.recordable)
    while not play.over and (max_turns is None or len(record.turns) < max_turns):
        moves: list[Move] = []
        turn = play_turn(play, policy, rng, moves)
        if turn is None:
            if unfinished and moves:
                record.turns.append(Turn(play.owner, moves))
            # The position is that of the record.
            return replay_record(game, record, legal).play
        record.turns.append(turn)
    if play.over:
        record.outcome = outcome_of(play)
    return play


def legal_options(play: Play, rng: Chance, idle: bool = False, early: bool = False) -> list[Option]:
    """All legal actions; if joint actions are possible in very many ways, a random selection of them. `idle`: also
    those that only shuffle at any time, which random play leaves to the players. `early`: also actions that are judged
    late and may not be legal.
    """
    found: list[Option] = []
    for number, actor in play.all_steps() if idle else play.next_steps():
        model = play.game.action(number)
        domains = _joint_domains(play, model)
        if not domains:
            unasked = early and number in play.game.judged_late
            found += [(number, actor, arguments) for arguments in play.arguments(number, actor, early=unasked)]
            continue
        drawn = (
            tuple(
                tuple(rng.choice(d) for _ in range(play.state.players)) if p.each else rng.choice(d)
                for d, p in zip(domains, model.parameters, strict=True)
            )
            for _ in range(MAX_DRAWN)
        )
        legal = [(number, actor, arguments) for arguments in drawn if play.is_legal(number, actor, arguments)]
        found += legal or [(number, actor, arguments) for arguments in play.arguments(number, actor, 1)]
    return found


def _joint_domains(play: Play, model: ActionModel) -> list[list[Any]]:
    """The values of each parameter of a joint action with more ways than are listed; empty if all are listed."""
    domains = [play.legal.values(play.state, p) for p in model.parameters] if model.joint else []
    each = zip(domains, model.parameters, strict=False)
    ways = prod(len(d) ** (play.state.players if p.each else 1) for d, p in each)
    return domains if ways > MAX_JOINT else []


def lists_all(play: Play) -> bool:
    """Whether `legal_options` has all legal actions now, and not only some ways to do a joint one."""
    return not any(_joint_domains(play, play.game.action(number)) for number, _ in play.next_steps())


def play_turn(play: Play, policy: Policy, rng: Chance, moves: list[Move] | None = None) -> Turn | None:
    """One turn or round with all its consequences; None if nobody can do anything (the turn is then not counted). What is
    done is added to `moves`. Raises `Endless`, `OutOfBounds`, and `TooMuchWork` if finding the legal actions takes too long.
    """
    with play.game.work.limited(), playable():
        return _turn(play, policy, rng, [] if moves is None else moves)


def _turn(play: Play, policy: Policy, rng: Chance, moves: list[Move]) -> Turn | None:
    play.begin_turn(play.next_player())
    while not play.over:
        options = legal_options(play, rng, early=getattr(policy, "early", False))
        may_end = bool(moves) and play.may_end_turn()
        chosen = policy(play, options, may_end) if options or may_end else None
        if chosen is None:
            if may_end:
                break
            play.turn -= 1
            return None
        if len(moves) >= MAX_ACTIONS:
            raise Endless
        number, actor, arguments = chosen
        arguments = play.drawn(number, actor, arguments, rng)
        moves.append(Move(number, arguments, len(moves), actor))
        play.do(number, actor, arguments)
    for runner, e in play.derive_consequences():
        values = tuple(e[p.slot] for p in runner.model.parameters)
        number = play.game.consequence_numbers[runner.model.name]
        moves.append(Move(number, values, len(moves), play.owner, consequence=True))
    turn = Turn(play.owner, moves)
    play.end_turn()
    return turn


def outcome_of(play: Play) -> Outcome:
    """The result of a game that is over, as in a record."""
    result = score_game(play.game, play.state)
    outcome = Outcome(dict(enumerate(result.totals)), dict(enumerate(result.parts)), result.ranking)
    if play.trigger is not None:
        outcome.ending = play.game.ruleset.endings[play.trigger[0]].name
        outcome.ending_turn = play.trigger[1]
    return outcome
