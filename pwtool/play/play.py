"""Turns, consequences, endings. Replay, legal actions and random play all use this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from pwtool.eval.values import UNKNOWN
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ParameterModel, RuleModel
from pwtool.play import facts
from pwtool.play.actions import Runner
from pwtool.play.chance import Chance
from pwtool.play.changes import FaultyRules
from pwtool.play.game import Game
from pwtool.play.legal import Arguments, LegalActions
from pwtool.play.order import START, advance, may_end, next_steps
from pwtool.play.record import EVERYBODY
from pwtool.play.state import State


def endless(name: str, rounds: int) -> FaultyRules:
    """The error that a repeated consequence happens more often than it may."""
    return FaultyRules("PW618", name, facts.Endless(name, rounds))


def turns_after(game: Game, number: int, players: int) -> int:
    """How many turns are left when an ending is triggered."""
    ending = game.ruleset.endings[number]
    each = 1 if game.ruleset.rounds else players
    return (ending.more_turns or 0) * (each - 1 if ending.others else each)


class Play:
    """A game under way: the position, the progress of its turn, and whether the end has been triggered.

    `owner` is the seat whose turn it is, `EVERYBODY` in a round; `state.player` is the actor, and the owner between
    actions. `unsure` are endings that may have been reached, depending on unseen cards, with their turns. `left` is the
    number of turns still to play after an ending was triggered (`trigger`: its number and the turn, counted from 1).
    """

    __slots__ = ("game", "left", "legal", "owner", "places", "state", "trigger", "turn", "unsure")

    def __init__(self, game: Game, state: State, legal: LegalActions | None = None) -> None:
        self.game = game
        self.state = state
        self.legal = legal or LegalActions(game)
        state.legal = self.legal
        self.places = START
        # Before the first turn, that is the seat after which its player comes.
        self.owner = state.players - 1
        self.turn = 0
        self.left: int | None = None
        self.trigger: tuple[int, int] | None = None
        self.unsure: tuple[tuple[int, int], ...] = ()

    @property
    def over(self) -> bool:
        """Whether the game is certainly over."""
        return self.left == 0 and not any(self._goes_to(one) > self.turn for one in self.unsure)

    def _goes_to(self, triggered: tuple[int, int]) -> int:
        """The last turn of a game whose ending was triggered in a turn."""
        number, turn = triggered
        return turn + turns_after(self.game, number, self.state.players)

    def copy(self, kept: Play | None = None) -> Play:
        """An independent copy; one to be kept may share with another `kept` one (`State.copy`)."""
        other: Play = object.__new__(Play)
        other.game, other.legal = self.game, self.legal
        other.state = self.state.copy(None if kept is None else kept.state)
        other.places, other.turn, other.left, other.trigger = self.places, self.turn, self.left, self.trigger
        other.owner, other.unsure = self.owner, self.unsure
        return other

    def begin_turn(self, player: int) -> None:
        """Begin the next turn, of this seat (`EVERYBODY`: a round)."""
        if self.unsure:
            self._goes_beyond()
        if self.game.ruleset.histories:
            # The last actor is the player of the previous turn; before the first turn, the seat before its player.
            self.act(self.owner)
            self.game.remember(self.state)
        self.turn += 1
        self.owner = player
        self.act(player)
        self.places = START
        self.game.fresh_variables(self.state, "turn")

    def _goes_beyond(self) -> None:
        """If play continues, endings after which there would be no turn cannot have been reached. Where a later one would
        have ended the game, one of the others was.
        """
        self.unsure = tuple(sorted((one for one in self.unsure if self._goes_to(one) > self.turn), key=self._goes_to))
        if self.left == 0 and self.unsure:
            self.trigger, self.unsure = self.unsure[-1], self.unsure[:-1]
            self.left = self._goes_to(self.trigger) - self.turn

    def _goes_on(self) -> None:
        """If a turn continues, an ending that stops it cannot have been reached."""
        if self.unsure:
            endings = self.game.ruleset.endings
            self.unsure = tuple(one for one in self.unsure if endings[one[0]].more_turns)

    def act(self, actor: int) -> None:
        """Set the actor from now on; actions of all players at once, and what happens between actions of a round,
        belong to nobody in particular.
        """
        self.state.player = actor if actor > 0 else 0

    def after(self, action: int, actor: int, surely: bool = False) -> frozenset[int]:
        """The places in the order of play after an action; empty if it is not its time, or not `surely`."""
        return advance(self.game, self.state, self.places, action, actor, surely)

    def apply(self, runner: Runner, e: list[Any], places: frozenset[int]) -> None:
        """Carry out an action whose rules were judged, with its consequences, and check for an ending `at once`."""
        self.carry_out(runner, e, places)
        for _ in self.following(each_action=True):
            pass
        self.look_for_end()

    def carry_out(self, runner: Runner, e: list[Any], places: frozenset[int]) -> None:
        """Carry out an action whose rules were judged; the actor does not change."""
        runner.apply(self.state, e)
        self.places = places

    def look_for_end(self) -> None:
        """Check for an ending `at once`, after an action and all its consequences, first for the actor, then for the
        owner of the turn.
        """
        self._goes_on()
        for number in self.game.immediate:
            verdict = self.game.machine(self.state).endings[number](self.state, self.game.locals())
            if verdict is UNKNOWN:
                self.unsure += ((number, self.turn),)
            elif verdict and not self.over:
                # Whatever was triggered before: this ends the game now.
                self.trigger, self.left = (number, self.turn), 0
                self.unsure = tuple(one for one in self.unsure if self._goes_to(one) == self.turn == one[1])
        self.act(self.owner)

    def do(self, action: int, actor: int, arguments: Arguments) -> None:
        """Carry out a legal action."""
        places = self.after(action, actor)
        self.act(actor)
        runner = self.game.machine(self.state).actions[action]
        e = runner.bind(arguments)
        runner.compute(self.state, e)
        self.apply(runner, e, places)

    def next_steps(self) -> list[tuple[int, int]]:
        """The actions that the order of play allows now, regardless of their own rules: (action, actor). Actions that
        only shuffle are left out because they do not advance the game.
        """
        if not self.game.idle:
            return self.all_steps()
        return [step for step in self.all_steps() if step[0] not in self.game.idle]

    def all_steps(self) -> list[tuple[int, int]]:
        """The same, including actions that only shuffle."""
        return [] if self.over else next_steps(self.game, self.state, self.places)

    def arguments(
        self, action: int, actor: int, limit: int | None = None, early: bool = False, every: bool = False
    ) -> list[Arguments]:
        """The arguments with which `actor` can legally do an action now; with `early`, rules that look ahead are not
        evaluated; at most `limit` are tried. `every`: whatever chance decides, and things in every order.
        """
        self.act(actor)
        try:
            return list(islice(self.legal.arguments(self.state, action, early, every), limit))
        finally:
            self.act(self.owner)

    def drawn(self, action: int, actor: int, arguments: Arguments, rng: Chance) -> Arguments:
        """The arguments of a legal action with random values drawn."""
        self.act(actor)
        try:
            return self.legal.drawn(self.state, action, arguments, rng)
        finally:
            self.act(self.owner)

    def is_legal(self, action: int, actor: int, arguments: Arguments) -> bool:
        """Whether the rules of an action accept it from this player now, regardless of the order of play."""
        self.act(actor)
        try:
            runner = self.game.machine(self.state).actions[action]
            e = runner.bind(arguments)
            if runner.unavailable(self.state, e):
                return False
            runner.compute(self.state, e)
            return not runner.judge(self.state, e)[0] and runner.overflow(self.state, e) is None
        finally:
            self.act(self.owner)

    def legal_actions(self) -> list[tuple[int, int, Arguments]]:
        """Every legal action now, as (action number, actor, arguments)."""
        return [
            (number, actor, arguments)
            for number, actor in self.all_steps()
            for arguments in self.arguments(number, actor)
        ]

    def can_go_on(self) -> bool:
        """Whether anybody has, or may have, a legal action now."""
        if not self.state.unseen:
            return any(self.arguments(number, actor, 1) for number, actor in self.next_steps())
        return any(self._perhaps(number, actor) for number, actor in self.next_steps())

    def _perhaps(self, action: int, actor: int) -> bool:
        self.act(actor)
        try:
            verdict = self.state.can(self.game.action(action).name)
        finally:
            self.act(self.owner)
        return verdict is UNKNOWN or bool(verdict)

    def broken_turn_rules(self) -> list[RuleModel]:
        """The rules that forbid ending the turn now."""
        machine = self.game.machine(self.state)
        return [model for model, refuses in machine.turn_rules if refuses(self.state, self.game.locals()) is True]

    def may_end_turn(self) -> bool:
        """Whether the order of play and the rules for the end of a turn allow stopping here, or the game is over."""
        return self.over or (may_end(self.game, self.places) and not self.broken_turn_rules())

    def consequence_cases(self, runner: Runner) -> Iterator[list[Any]]:
        """The locals of a consequence for every value of its parameters, one after the other, before anything is derived."""
        domains = [self._domain(p) for p in runner.model.parameters if p.kind != "derived"]
        if len(domains) > 1:
            self.game.work.spend(prod(map(len, domains)))
        return map(runner.bind_given, product(*domains))

    def _domain(self, p: ParameterModel) -> Sequence[Any]:
        """All values that a parameter of a consequence may have now; on a floating grid, the cells in use."""
        if p.kind == "cell":
            zone = self.game.zone_list[p.zone]
            if not zone.floating:
                return cells_of(zone.grid)
            return sorted({cell for grid in self.state.zones[p.zone] for cell in grid}, key=lambda c: (c[1], c[0]))
        return range(len(self.state.goals)) if p.type.kind == "goal" else range(self.state.players)

    def consequence_locals(self, runner: Runner, values: Arguments) -> list[Any]:
        """The locals of a consequence for these values of its parameters."""
        e = runner.bind_given(values)
        runner.derive(self.state, e)
        return e

    def is_due(self, runner: Runner, e: list[Any]) -> bool:
        """Whether a consequence with these parameters happens now; completes its locals. If unseen cards decide that, the
        position is lost where it would change anything.
        """
        if not self.state.unseen:
            return bool(runner.is_due(self.state, e))
        runner.derive(self.state, e)
        broken, unknown = runner.judge(self.state, e)
        self.state.lost |= bool(unknown and not broken and runner.effects)
        return not broken and not unknown

    def derive_consequences(self) -> list[tuple[Runner, list[Any]]]:
        """Carry out every consequence that is due; each with its locals before it happened."""
        return [] if self.over else list(self.following(each_action=False))

    def following(self, each_action: bool) -> Iterator[tuple[Runner, list[Any]]]:
        """Carry out the consequences of an action or a turn; each with its locals before it happened. Raises
        `FaultyRules` if a repeated one happens more often than it may, or one exceeds a bound.
        """
        for block in self.game.machine(self.state).blocks[each_action]:
            again, rounds = True, 0
            while again:
                again = False
                for _, runner in block.runners:
                    for e in self.consequence_cases(runner):
                        if self.is_due(runner, e):
                            if rounds >= block.rounds:
                                raise endless(runner.model.name, rounds)
                            runner.apply(self.state, e)
                            yield runner, e
                            again |= runner.model.repeated
                rounds += 1

    def end_turn(self) -> None:
        """Count the turn and check whether an ending is triggered. Consequences have to be carried out before."""
        if self.left is not None:
            self.left = max(0, self.left - 1)
            return
        machine = self.game.machine(self.state)
        for number, ending in enumerate(self.game.ruleset.endings):
            if ending.at_once:
                continue
            verdict = machine.endings[number](self.state, self.game.locals())
            if verdict is UNKNOWN:
                self.unsure += ((number, self.turn),)
            elif verdict:
                self.trigger = (number, self.turn)
                self.left = turns_after(self.game, number, self.state.players)
                return

    @property
    def perhaps_over(self) -> str | None:
        """The ending that this turn may have reached."""
        return next((self.game.ruleset.endings[number].name for number, turn in self.unsure if turn == self.turn), None)

    def next_player(self) -> int:
        """Who plays the next turn."""
        if self.game.ruleset.rounds:
            return EVERYBODY
        return (self.owner + 1) % self.state.players
