"""Facts in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, assert_never

from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.play import facts
from pwtool.play.actions import Runner
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.order import may_end, waiting_steps
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.play.state import State
from pwtool.text.words import quoted
from pwtool.why.describe import face_code, format_value
from pwtool.why.reasons import Reason, count_condition, explain_condition

MAX_CODES = 6
_NO_REASON = Reason((), None)


@dataclass(frozen=True, slots=True)
class Message:
    """A finding in words: the message, the values that decided with a sentence on them, notes and help."""

    text: str
    reason: Reason = _NO_REASON
    notes: tuple[str, ...] = ()
    help: str | None = None


class Messages:
    """Findings about one game or position in words; `names` are the players by seat. The texts of rules are in the
    reader's language.
    """

    def __init__(self, game: Game, names: list[str], language: str = "en") -> None:
        self.game = game
        self.names = names
        self.language = language
        self.cycle = game.ruleset.cycle

    def message(self, finding: Finding) -> Message:
        """What a finding says."""
        fact = finding.fact
        match fact:
            case facts.Broken():
                return self._broken(fact, finding)
            case facts.BrokenInvariant():
                return self._invariant(fact, finding)
            case facts.OutOfOrder() | facts.TooEarly() | facts.AfterConsequences():
                return self._order(fact, finding)
            case facts.WrongOrder():
                return self._wrong_order(fact)
            case facts.NotThere():
                return self._not_there(fact, finding)
            case facts.WrongTotal() | facts.WrongRanking() | facts.UnknownRanking():
                return self._computed(fact)
            case facts.NotOver():
                left = f"{fact.left} turns are left to play" if fact.left else "no ending is triggered"
                return Message("the record gives a result although the game is not over", notes=(left,))
            case facts.Stuck():
                return self._stuck(finding)
            case facts.Due():
                return Message(f"`{fact.runner.model.name}` is due and not recorded: {self._values(fact, finding)}")
            case facts.TooOften() | facts.Missing():
                return Message(self._cards(fact, dealt=finding.code == "PW609"))
            case _:
                return Message(self._plain(fact))

    def _plain(self, fact: facts.Plain) -> str:
        names, ruleset = self.names, self.game.ruleset
        match fact:
            case facts.PlayerCount():
                return f"{fact.players} players, the game is for {ruleset.min_players} to {ruleset.max_players}"
            case facts.GoalCount():
                return f"{fact.chosen} objectives are chosen, the game has {fact.wanted}"
            case facts.GoalTwice():
                return f"objective `{fact.goal}` is chosen twice"
            case facts.DealtAmount():
                return f"{fact.dealt} cards are dealt here, {fact.due} are due"
            case facts.Surplus():
                return f"{fact.count} card{'s' * (fact.count != 1)} more than the deck has"
            case facts.CardTotal():
                return f"{fact.there} cards are there, {fact.belong} belong to the game"
            case facts.WrongPlayer():
                return f"it is the turn of {names[fact.expected]}, not of {names[fact.player]}"
            case facts.AfterTheEnd():
                return "the game is over, nothing can be played any more"
            case facts.OutsideGrid():
                zone = self.game.zone_list[fact.parameter.zone]
                return f"({fact.cell[0]}, {fact.cell[1]}) lies outside of the {zone.width}x{zone.height} grid"
            case facts.OutOfRange():
                return f"{fact.variable} would be {fact.value}, it goes from {fact.low} to {fact.high}"
            case facts.NoCell():
                return f"there is no cell of {fact.zone} for it"
            case facts.SlotTaken():
                return f"{fact.zone} holds one thing already"
            case facts.CannotShow():
                return self._cannot_show(fact)
            case facts.Endless():
                return f"`{fact.name}` comes again after {fact.rounds:,} times: from here on nothing was judged"
            case facts.Lost():
                return f"what `{fact.name}` does depends on cards that nobody saw: from here on nothing was judged"
            case facts.PerhapsTooEarly():
                return f"whether the {self.cycle} ends too early cannot be known: `{fact.ending}` may have been reached"
            case facts.NotInPlay():
                goal = fact.parameter.type.kind == "goal"
                return f"objective `{fact.name}` is not in play" if goal else f"`{fact.name}` is not there"
            case facts.WrongValue():
                right = format_value(self.game, fact.parameter.type, fact.right, names)
                given = format_value(self.game, fact.parameter.type, fact.given, names)
                return f"{fact.parameter.name} is {right}, not {given}"
            case facts.PerhapsNotOver():
                return f"whether the game is over cannot be known: `{fact.ending}` may have been reached"
            case facts.WrongLine():
                return f"{fact.line} of {names[fact.player]} is {fact.right}, not {fact.given}"
            case facts.UnknownLine():
                return f"{fact.line} of {names[fact.player]} cannot be known, it is {fact.bounds}"
            case facts.NoFilling():
                return f"no filling of the unseen cards gives this result ({fact.fillings} are possible)"
            case facts.UnknownTotal():
                return f"the score of {names[fact.player]} cannot be known, it is {fact.bounds}"
            case facts.WrongEnding():
                return f"the game ends by {quoted(fact.right, ' or ')}, not by `{fact.given}`"
            case facts.UnknownEnding():
                return f"how the game ended cannot be known, by {quoted(fact.endings, ' or ')}"
            case facts.TooMuch():
                return "judging this takes more steps than one game has: from here on nothing was judged"
            case facts.WrongEndTurn():
                return f"the end is triggered in {self.cycle} {' or '.join(map(str, fact.right))}, not {fact.given}"
            case _:
                assert_never(fact)

    # ---- rules

    def _broken(self, fact: facts.Broken, finding: Finding) -> Message:
        text = self.game.ruleset.text(("rule", fact.rule.id), fact.rule.text, self.language)
        # The text says what is right; what is found is the opposite of it.
        text = f"{text}: cannot be known" if fact.unknown else f"broken: {text}"
        state = finding.state
        if state is None:
            return Message(text)
        try:
            with self.game.work.limited(MAX_TOLD_WORK):
                e = self._locals(fact.runner, fact.arguments, state) if fact.runner else self.game.locals()
                reason = explain_condition(self.game, fact.rule.when, fact.rule.require, state, e, self.names)
        except TooMuchWork:
            return Message(text)
        return Message(text, reason)

    def _locals(self, runner: Runner, arguments: tuple[Any, ...], state: State) -> list[Any]:
        """The locals of an action or consequence, on the machine that can judge the position."""
        machine, model = self.game.machine(state), runner.model
        if model.is_consequence:
            own = machine.consequences[self.game.consequence_numbers[model.name]]
            e = own.bind_given(arguments)
            own.derive(state, e)
            return e
        own = machine.actions[model.number]
        e = own.bind(arguments)
        own.compute(state, e)
        return e

    def _invariant(self, fact: facts.BrokenInvariant, finding: Finding) -> Message:
        invariant, state = fact.invariant, finding.state
        assert state is not None
        text = self.game.ruleset.text(("invariant", invariant.name), invariant.text, self.language)
        text += f" ({self.names[fact.player]})" if invariant.each_player else ""
        state.player = fact.player
        reason = count_condition(self.game, invariant.when, invariant.require, state, self.names)
        return Message(f"{text}: cannot be known" if fact.unknown else f"broken: {text}", reason)

    # ---- the order of play

    def _order(self, fact: facts.OutOfOrder | facts.TooEarly | facts.AfterConsequences, finding: Finding) -> Message:
        cycle, play = self.cycle, finding.play
        assert play is not None
        if isinstance(fact, facts.AfterConsequences):
            text = f"`{self.game.action(fact.action).name}` comes after the consequences of the {cycle}"
            return Message(text, help=f"consequences stand at the end of a {cycle}")
        known = self._options(play)
        if isinstance(fact, facts.TooEarly):
            help_line = f"here {' or '.join(known)} has to come" if known else None
            return Message(f"the {cycle} ends too early", notes=self._waiting(play), help=help_line)
        names, actor = self.names, fact.actor
        if may_end(self.game, play.places):
            known.append(f"the end of the {cycle}")
        by = f" by {names[actor]}" if actor not in (play.owner, EVERYBODY) else ""
        text = f"`{self.game.action(fact.action).name}`{by} is not possible at this point of the {cycle}"
        notes = (f"{names[actor]} acts in the turn of {names[play.owner]}",) if by and play.owner >= 0 else ()
        return Message(text, notes=notes, help=f"here {' or '.join(known) or 'nothing'} may come")

    def _options(self, play: Play) -> list[str]:
        """What the order of play allows now: `take`, `pick` by Ana."""
        return [
            f"`{self.game.action(number).name}`"
            + (f" by {self.names[actor]}" if actor not in (play.owner, EVERYBODY) else "")
            for number, actor in self._at_turn(play).all_steps()
        ]

    def _at_turn(self, play: Play) -> Play:
        """The game with its owner to act, whoever acted."""
        other = play.copy()
        other.act(other.owner)
        return other

    def _waiting(self, play: Play) -> tuple[str, ...]:
        """Why the steps that the order has next cannot come."""
        steps = waiting_steps(self.game, self._at_turn(play).state, play.places)
        return tuple(f"`{self.game.action(number).name}` cannot come: {why}" for number, why in dict(steps).items())

    def _stuck(self, finding: Finding) -> Message:
        play = finding.play
        assert play is not None
        name = "everybody" if play.owner == EVERYBODY else self.names[play.owner]
        options = quoted(dict.fromkeys(self.game.action(number).name for number, _ in play.next_steps()), " and ")
        text = f"the game stops: {name} has no legal action and the game is not over"
        return Message(text, notes=(f"by the order of play only {options} could come next",))

    # ---- things

    def _not_there(self, fact: facts.NotThere, finding: Finding) -> Message:
        parameter, state = fact.parameter, finding.state
        zone = self.game.zone_list[parameter.zone]
        assert state is not None
        if parameter.kind == "tops":
            return Message(self._wrong_top(fact, state))
        element = zone.element
        code = face_code(self.game, element.component, fact.item) if element.kind == "face" else str(fact.item)
        text = f"`{code}` is not in {zone.name}{self._whose(fact, state)}"
        if parameter.origin is None:
            return Message(text)
        e = self._locals(fact.runner, fact.arguments, state)
        held = self.game.interpreter.evaluate(parameter.origin, state, e)
        if not held:
            return Message(f"{text}, nothing is left there")
        shown = format_value(self.game, parameter.origin.type, sorted(held), self.names)
        return Message(text, Reason(((zone.name, shown or ""),), None))

    def _wrong_order(self, fact: facts.WrongOrder) -> Message:
        """An order that is not made of what lies there."""
        parameter, difference = fact.parameter, fact.difference
        zone = self.game.zone_list[parameter.zone].name + (" below the top" if parameter.below else "")
        component = (parameter.type.element or parameter.type).component

        def codes(faces: Counter[int]) -> str:
            shown = [f"`{face_code(self.game, component, face)}`" for face in sorted(faces.elements())]
            more = f" and {len(shown) - MAX_CODES} more" if len(shown) > MAX_CODES else ""
            return ", ".join(shown[:MAX_CODES]) + more

        wrong = [f"leaves out {codes(difference.left_out)}"] if difference.left_out else []
        wrong += [f"has {codes(difference.too_much)} too much"] if difference.too_much else []
        help_line = "name everything that lies there once, from bottom to top; `?` is what nobody saw"
        return Message(f"the new order of {zone} {' and '.join(wrong)}", help=help_line)

    def _whose(self, fact: facts.NotThere, state: State) -> str:
        """Of whom a zone is, when it is not the zone of the player who acts."""
        origin = fact.parameter.origin
        owner = origin.indices[0] if isinstance(origin, ir.Zone) and origin.indices else None
        if owner is None or owner.type.kind != "player" or isinstance(owner, ir.Actor):
            return ""
        e = self._locals(fact.runner, fact.arguments, state)
        seat = self.game.interpreter.evaluate(owner, state, e)
        return f" of {self.names[seat]}" if isinstance(seat, int) else ""

    def _wrong_top(self, fact: facts.NotThere, state: State) -> str:
        zone = self.game.zone_list[fact.parameter.zone]
        component, piles = zone.element.component, state.zones[zone.number]
        number, face = fact.item
        code = face_code(self.game, component, face)
        if not 1 <= number <= len(piles):
            return f"there is no {zone.name} {number}, they go from 1 to {len(piles)}"
        if not piles[number - 1]:
            return f"{zone.name} {number} is empty, `{code}` cannot come from it"
        top = face_code(self.game, component, piles[number - 1][-1])
        return f"`{top}` is on top of {zone.name} {number}, not `{code}`"

    def _cannot_show(self, fact: facts.CannotShow) -> str:
        zone = self.game.zone_list[fact.zone]
        code = face_code(self.game, zone.element.component, fact.face)
        if fact.top is None:
            return f"`{code}` cannot show on {zone.name} {fact.at + 1}, it is empty"
        top = face_code(self.game, zone.element.component, fact.top)
        if top == "?":
            return f"`{code}` cannot show there, every one that the deck has is known to lie elsewhere"
        return f"`{top}` shows there, not `{code}`"

    def _values(self, fact: facts.Due, finding: Finding) -> str:
        parts = []
        for p, value in zip(fact.runner.model.parameters, fact.values, strict=True):
            goal = p.type.kind == "goal" and finding.state is not None
            shown = finding.state.goals[value] if goal else format_value(self.game, p.type, value, self.names)  # type: ignore[union-attr]
            parts.append(f"{p.name} {shown}")
        return ", ".join(parts)

    def _cards(self, fact: facts.TooOften | facts.Missing, dealt: bool) -> str:
        if isinstance(fact, facts.TooOften):
            code = face_code(self.game, fact.component, fact.face)
            if dealt:
                return f"`{code}` is there more often than the deck has it ({fact.has})"
            times = "once" if fact.there == 1 else f"{fact.there} times"
            return f"`{code}` is there {times}, the game has {fact.has or 'none'}"
        codes = ", ".join(f"`{face_code(self.game, fact.component, f)}`" for f in fact.faces[:MAX_CODES])
        if dealt:
            return f"{fact.count} cards of the deck are missing" + (f": {codes}" if codes else "")
        return f"cards of the game are nowhere: {codes}"

    # ---- the result

    def _computed(self, fact: facts.WrongTotal | facts.WrongRanking | facts.UnknownRanking) -> Message:
        names = self.names
        if isinstance(fact, facts.WrongTotal):
            values = tuple((line, str(value)) for line, value in fact.lines)
            return Message(f"{names[fact.player]} has {fact.right} points, not {fact.given}", Reason(values, None))
        values = tuple((names[p], str(total)) for p, total in enumerate(fact.totals))
        if isinstance(fact, facts.UnknownRanking):
            return Message("the ranking cannot be known", Reason(values, None))
        if fact.right is None:
            return Message("no filling of the unseen cards gives this ranking", Reason(values, None))
        right = ", then ".join(" and ".join(names[p] for p in group) for group in fact.right)
        return Message(f"the ranking is {right}", Reason(values, None))
