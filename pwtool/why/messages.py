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
from pwtool.play.order import Waiting, may_end, waiting_steps
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.play.state import State
from pwtool.why.describe import face_code, format_bounds, format_value
from pwtool.why.reasons import Reason, count_condition, explain_condition
from pwtool.why.voice import Voice

MAX_CODES = 6
_NO_REASON = Reason(())


@dataclass(frozen=True, slots=True)
class Message:
    """A finding in words: the message, the decisive values with a sentence about them, notes and help."""

    text: str
    reason: Reason = _NO_REASON
    notes: tuple[str, ...] = ()
    help: str | None = None


class Messages:
    """Findings about one game or position in words; `names` are the players by seat."""

    def __init__(self, game: Game, names: list[str], language: str = "en") -> None:
        self.game = game
        self.names = names
        self.voice = Voice(language)
        self.in_turns = game.ruleset.cycle == "turn"

    def message(self, finding: Finding) -> Message:
        """The words of a finding."""
        fact, voice = finding.fact, self.voice
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
            case facts.AfterTheEnd():
                return Message(self._over(finding.rule))
            case facts.NotOver():
                left = (
                    voice.many("{count} turn is left to play", "{count} turns are left to play", fact.left)
                    if fact.left
                    else voice.say("no ending is triggered")
                )
                return Message(voice.say("the record gives a result although the game is not over"), notes=(left,))
            case facts.Stuck():
                return self._stuck(finding)
            case facts.Due():
                name, values = self._called(fact.runner.model.name), self._values(fact, finding)
                return Message(voice.say("{name} is due and not recorded: {values}", name=name, values=values))
            case facts.TooOften() | facts.Missing():
                return Message(self._cards(fact, dealt=finding.code == "PW609"))
            case _:
                return Message(self._plain(fact))

    def _plain(self, fact: facts.Plain) -> str:
        names, ruleset, voice = self.names, self.game.ruleset, self.voice
        say = voice.say
        match fact:
            case facts.PlayerCount():
                return voice.many(
                    "{count} player, the game is for {low} to {high}", "{count} players, the game is for {low} to {high}",
                    fact.players, low=ruleset.min_players, high=ruleset.max_players,
                )  # fmt: skip
            case facts.GoalCount():
                return voice.many(
                    "{count} objective is chosen, the game has {wanted}", "{count} objectives are chosen, the game has {wanted}",
                    fact.chosen, wanted=fact.wanted,
                )  # fmt: skip
            case facts.GoalTwice():
                return say("objective {name} is chosen twice", name=self._goal(fact.goal))
            case facts.DealtAmount():
                return voice.many(
                    "{count} card is dealt here, {due} are due", "{count} cards are dealt here, {due} are due", fact.dealt, due=fact.due
                )  # fmt: skip
            case facts.Surplus():
                return voice.many(
                    "{count} card more than the deck has", "{count} cards more than the deck has", fact.count
                )
            case facts.CardTotal():
                return voice.many(
                    "{count} card is there, {belong} belong to the game", "{count} cards are there, {belong} belong to the game",
                    fact.there, belong=fact.belong,
                )  # fmt: skip
            case facts.WrongPlayer():
                expected, player = names[fact.expected], names[fact.player]
                return say("it is the turn of {expected}, not of {player}", expected=expected, player=player)
            case facts.OutsideGrid():
                zone = self.game.zone_list[fact.parameter.zone]
                cell, size = f"({fact.cell[0]}, {fact.cell[1]})", f"{zone.width}x{zone.height}"
                if fact.cell[0] in range(zone.width) and fact.cell[1] in range(zone.height):
                    return say("{cell} is none of the cells of the {size} grid", cell=cell, size=size)
                return say("{cell} lies outside of the {size} grid", cell=cell, size=size)
            case facts.OutOfBounds():
                name, what = self._called(fact.name), self._plain(fact.bound)
                return say("{name} exceeds a bound ({what}): from here on nothing was judged", name=name, what=what)
            case facts.OutOfRange():
                return say(
                    "{variable} would be {value}, it goes from {low} to {high}",
                    variable=fact.variable, value=format_bounds(fact.value, voice), low=fact.low, high=fact.high,
                )  # fmt: skip
            case facts.NoCell():
                return say("there is no cell of {zone} for it", zone=self._zone(fact.zone))
            case facts.SlotTaken():
                return say("{zone} already holds one thing", zone=self._zone(fact.zone))
            case facts.CannotShow():
                return self._cannot_show(fact)
            case facts.Endless():
                return say(
                    "{name} happens more than {count} times: from here on nothing was judged",
                    name=self._called(fact.name), count=voice.number(fact.rounds),
                )  # fmt: skip
            case facts.Lost():
                name = self._called(fact.name)
                return say(
                    "what {name} does depends on cards that nobody saw: from here on nothing was judged", name=name
                )
            case facts.PerhapsOutOfOrder():
                return say(
                    "whether {action} is possible at this point of the turn cannot be known"
                    if self.in_turns
                    else "whether {action} is possible at this point of the round cannot be known",
                    action=self._by(fact.action, fact.actor) if fact.actor >= 0 else self._action(fact.action),
                )
            case facts.PerhapsTooEarly():
                return say(
                    "whether the turn ends too early cannot be known: {ending} may have been reached"
                    if self.in_turns
                    else "whether the round ends too early cannot be known: {ending} may have been reached",
                    ending=self._ending(fact.ending),
                )
            case facts.NotInPlay():
                if fact.parameter.type.kind == "goal":
                    return say("objective {name} is not in play", name=self._goal(fact.name))
                return say("{name} is not there", name=f"`{fact.name}`")
            case facts.WrongValue():
                right = format_value(self.game, fact.parameter.type, fact.right, names, voice)
                given = format_value(self.game, fact.parameter.type, fact.given, names, voice)
                return say("{value} is {right}, not {given}", value=fact.parameter.name, right=right, given=given)
            case facts.PerhapsNotOver():
                return say(
                    "whether the game is over cannot be known: {ending} may have been reached",
                    ending=self._ending(fact.ending),
                )
            case facts.WrongLine():
                return say(
                    "{line} of {player} is {right}, not {given}",
                    line=self._line(fact.line), player=names[fact.player], right=format_bounds(fact.right, voice), given=fact.given,
                )  # fmt: skip
            case facts.UnknownLine():
                return say(
                    "{line} of {player} cannot be known, it is {bounds}",
                    line=self._line(fact.line), player=names[fact.player], bounds=format_bounds(fact.bounds, voice),
                )  # fmt: skip
            case facts.NothingFits():
                return voice.many(
                    "nothing wrong can be seen, but the only filling of the unseen cards is not legal",
                    "nothing wrong can be seen, but none of the {count} fillings of the unseen cards is legal",
                    fact.count,
                )
            case facts.PerhapsTurned():
                return say("what nobody saw may have been turned before: nothing is judged from here on")
            case facts.NoFilling():
                return voice.many(
                    "no filling of the unseen cards gives this result ({count} is possible)",
                    "no filling of the unseen cards gives this result ({count} are possible)",
                    fact.fillings,
                )
            case facts.UnknownTotal():
                bounds = format_bounds(fact.bounds, voice)
                return say(
                    "the score of {player} cannot be known, it is {bounds}", player=names[fact.player], bounds=bounds
                )
            case facts.WrongEnding():
                right, given = voice.joined([*map(self._ending, fact.right)], "or"), self._ending(fact.given)
                return say("the game ends by {right}, not by {given}", right=right, given=given)
            case facts.UnknownEnding():
                endings = voice.joined([*map(self._ending, fact.endings)], "or")
                return say("how the game ended cannot be known, by {endings}", endings=endings)
            case facts.TooMuch():
                return say("judging this game takes too many steps: from here on nothing was judged")
            case facts.WrongEndTurn():
                return say(
                    "the end is triggered in turn {right}, not {given}"
                    if self.in_turns
                    else "the end is triggered in round {right}, not {given}",
                    right=voice.joined([*map(str, fact.right)], "or"),
                    given=fact.given,
                )
            case _:
                assert_never(fact)

    # ---- names

    def _called(self, name: str) -> str:
        """The name of an action or a consequence."""
        kind = "consequence" if name in self.game.consequence_numbers else "action"
        return self.voice.told(self.game.ruleset, kind, name)

    def _action(self, number: int) -> str:
        return self._called(self.game.action(number).name)

    def _goal(self, name: str) -> str:
        return self.voice.told(self.game.ruleset, "objective", name)

    def _ending(self, name: str) -> str:
        return self.voice.told(self.game.ruleset, "ending", name)

    def _line(self, name: str) -> str:
        return self.voice.bare(self.game.ruleset, "score", name)

    def _zone(self, name: str) -> str:
        return self.voice.bare(self.game.ruleset, "zone", name)

    # ---- rules

    def _judged(self, text: str, unknown: bool) -> str:
        # The text says what is right; the finding says the opposite.
        if unknown:
            return self.voice.say("{rule}: cannot be known", rule=text)
        return self.voice.say("broken: {rule}", rule=text)

    def _broken(self, fact: facts.Broken, finding: Finding) -> Message:
        text = self.voice.text(self.game.ruleset, ("rule", fact.rule.id), fact.rule.text)
        text = self._judged(text, fact.unknown)
        state = finding.state
        if state is None:
            return Message(text)
        try:
            with self.game.work.limited(MAX_TOLD_WORK):
                e = self._locals(fact.runner, fact.arguments, state) if fact.runner else self.game.locals()
                reason = explain_condition(
                    self.game, fact.rule.when, fact.rule.require, state, e, self.names, self.voice
                )
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
        text = self.voice.text(self.game.ruleset, ("invariant", invariant.name), invariant.text)
        text += f" ({self.names[fact.player]})" if invariant.each_player else ""
        state.player = fact.player
        reason = count_condition(self.game, invariant.when, invariant.require, state, self.names, self.voice)
        return Message(self._judged(text, fact.unknown), reason)

    # ---- the order of play

    def _order(self, fact: facts.OutOfOrder | facts.TooEarly | facts.AfterConsequences, finding: Finding) -> Message:
        play, say = finding.play, self.voice.say
        help_line: str | None
        assert play is not None
        if isinstance(fact, facts.AfterConsequences):
            text = say(
                "{action} comes after the consequences of the turn"
                if self.in_turns
                else "{action} comes after the consequences of the round",
                action=self._action(fact.action),
            )
            help_line = say(
                "consequences come at the end of a turn" if self.in_turns else "consequences come at the end of a round"
            )
            return Message(text, help=help_line)
        known = self._options(play)
        if isinstance(fact, facts.TooEarly):
            help_line = say("expected here: {actions}", actions=self.voice.joined(known, "or")) if known else None
            text = say("the turn ends too early" if self.in_turns else "the round ends too early")
            return Message(text, notes=self._waiting(play), help=help_line)
        if may_end(self.game, play.places):
            known.append(say("the end of the turn" if self.in_turns else "the end of the round"))
        foreign = fact.actor not in (play.owner, EVERYBODY)
        action = self._by(fact.action, fact.actor) if foreign else self._action(fact.action)
        text = say(
            "{action} is not possible at this point of the turn"
            if self.in_turns
            else "{action} is not possible at this point of the round",
            action=action,
        )
        notes: tuple[str, ...] = ()
        if foreign and play.owner >= 0:
            actor, owner = self.names[fact.actor], self.names[play.owner]
            notes = (say("{player} acts in the turn of {other}", player=actor, other=owner),)
        help_line = (
            say("the order of play allows {actions} here", actions=self.voice.joined(known, "or"))
            if known
            else say("the order of play allows nothing here")
        )
        return Message(text, notes=notes, help=help_line)

    def _by(self, action: int, actor: int) -> str:
        return self.voice.say("{action} by {player}", action=self._action(action), player=self.names[actor])

    def _options(self, play: Play) -> list[str]:
        """What the order of play allows now: `take`, `pick` by Ana."""
        return [
            self._by(number, actor) if actor not in (play.owner, EVERYBODY) else self._action(number)
            for number, actor in self._at_turn(play).all_steps()
        ]

    def _at_turn(self, play: Play) -> Play:
        """The game with its owner to act, whoever acted."""
        other = play.copy()
        other.act(other.owner)
        return other

    def _waiting(self, play: Play) -> tuple[str, ...]:
        """Why the next steps of the order of play are not possible."""
        steps = waiting_steps(self.game, self._at_turn(play).state, play.places)
        return tuple(map(self._wait, {step.action: step for step in steps}.values()))

    def _wait(self, step: Waiting) -> str:
        action, written = self._action(step.action), f"`{step.written}`"
        if step.lacks == "player":
            return self.voice.say(
                "{action} cannot come: there is no player {condition}", action=action, condition=written
            )
        return self.voice.say("{action} cannot come: {condition} does not hold", action=action, condition=written)

    def _stuck(self, finding: Finding) -> Message:
        play, voice = finding.play, self.voice
        assert play is not None
        if play.owner == EVERYBODY:
            text = voice.say("the game stops: nobody has a legal action and the game is not over")
        else:
            name = self.names[play.owner]
            text = voice.say("the game stops: {player} has no legal action and the game is not over", player=name)
        options = dict.fromkeys(self._action(number) for number, _ in play.next_steps())
        note = voice.say("by the order of play only {actions} could come next", actions=voice.joined([*options], "and"))
        return Message(text, notes=(note,))

    # ---- things

    def _not_there(self, fact: facts.NotThere, finding: Finding) -> Message:
        parameter, state = fact.parameter, finding.state
        zone = self.game.zone_list[parameter.zone]
        assert state is not None
        if parameter.kind == "tops":
            return Message(self._wrong_top(fact, state))
        element = zone.element
        code = face_code(self.game, element.component, fact.item) if element.kind == "face" else str(fact.item)
        owner = self._owner(fact, state)
        card, name = f"`{code}`", self._zone(zone.name)
        text = (
            self.voice.say("{card} is not in {zone}", card=card, zone=name)
            if owner is None
            else self.voice.say("{card} is not in {zone} of {player}", card=card, zone=name, player=owner)
        )
        if parameter.origin is None:
            return Message(text)
        e = self._locals(fact.runner, fact.arguments, state)
        held = self.game.interpreter.evaluate(parameter.origin, state, e)
        if not held:
            return Message(self.voice.say("{finding}, nothing is left there", finding=text))
        shown = format_value(self.game, parameter.origin.type, sorted(held), self.names, self.voice)
        return Message(text, Reason(((zone.name, shown or ""),)))

    def _wrong_order(self, fact: facts.WrongOrder) -> Message:
        """An order that does not consist of the things that lie there."""
        parameter, difference, say = fact.parameter, fact.difference, self.voice.say
        zone = self._zone(self.game.zone_list[parameter.zone].name)
        component = (parameter.type.element or parameter.type).component
        zone = say("{zone} below the top", zone=zone) if parameter.below else zone
        left_out, too_much = (self._codes(component, part) for part in (difference.left_out, difference.too_much))
        if left_out and too_much:
            text = say(
                "the new order of {zone} leaves out {cards} and has {others} too many",
                zone=zone, cards=left_out, others=too_much,
            )  # fmt: skip
        elif left_out:
            text = say("the new order of {zone} leaves out {cards}", zone=zone, cards=left_out)
        else:
            text = say("the new order of {zone} has {others} too many", zone=zone, others=too_much)
        help_line = say("name everything that lies there once, from bottom to top; `?` is what nobody saw")
        return Message(text, help=help_line)

    def _codes(self, component: str, faces: Counter[int]) -> str:
        shown = [f"`{face_code(self.game, component, face)}`" for face in sorted(faces.elements())]
        listed, more = ", ".join(shown[:MAX_CODES]), len(shown) - MAX_CODES
        return (
            self.voice.many("{listed} and {count} more", "{listed} and {count} more", more, listed=listed)
            if more > 0
            else listed
        )

    def _owner(self, fact: facts.NotThere, state: State) -> str | None:
        """The owner of a zone, if it is not a zone of the player who acts."""
        origin = fact.parameter.origin
        owner = origin.indices[0] if isinstance(origin, ir.Zone) and origin.indices else None
        if owner is None or owner.type.kind != "player" or isinstance(owner, ir.Actor):
            return None
        e = self._locals(fact.runner, fact.arguments, state)
        seat = self.game.interpreter.evaluate(owner, state, e)
        return self.names[seat] if isinstance(seat, int) else None

    def _wrong_top(self, fact: facts.NotThere, state: State) -> str:
        zone = self.game.zone_list[fact.parameter.zone]
        component, piles, say = zone.element.component, state.zones[zone.number], self.voice.say
        number, face = fact.item
        card, name = f"`{face_code(self.game, component, face)}`", self._zone(zone.name)
        if not 1 <= number <= len(piles):
            return say(
                "there is no {zone} {number}, they go from 1 to {last}", zone=name, number=number, last=len(piles)
            )
        if not piles[number - 1]:
            return say("{zone} {number} is empty, {card} cannot come from it", zone=name, number=number, card=card)
        top = f"`{face_code(self.game, component, piles[number - 1][-1])}`"
        return say("{top} is on top of {zone} {number}, not {card}", top=top, zone=name, number=number, card=card)

    def _cannot_show(self, fact: facts.CannotShow) -> str:
        zone, say = self.game.zone_list[fact.zone], self.voice.say
        card = f"`{face_code(self.game, zone.element.component, fact.face)}`"
        if fact.top is None:
            name = self._zone(zone.name)
            return say("{card} cannot show on {zone} {number}, it is empty", card=card, zone=name, number=fact.at + 1)
        top = face_code(self.game, zone.element.component, fact.top)
        if top == "?":
            return say("{card} cannot show there, every one that the deck has is known to lie elsewhere", card=card)
        return say("{top} shows there, not {card}", top=f"`{top}`", card=card)

    def _values(self, fact: facts.Due, finding: Finding) -> str:
        parts = []
        for p, value in zip(fact.runner.model.parameters, fact.values, strict=True):
            shown = (
                self.voice.bare(self.game.ruleset, "objective", finding.state.goals[value])
                if p.type.kind == "goal" and finding.state is not None
                else str(format_value(self.game, p.type, value, self.names, self.voice))
            )
            # The names of a record's parts are in English.
            parts.append(f"{p.name} {shown}" if self.voice.language == "en" else shown)
        return ", ".join(parts)

    def _cards(self, fact: facts.TooOften | facts.Missing, dealt: bool) -> str:
        voice = self.voice
        if isinstance(fact, facts.TooOften):
            card = f"`{face_code(self.game, fact.component, fact.face)}`"
            if dealt:
                return voice.say("{card} is there more often than the deck has it ({has})", card=card, has=fact.has)
            if not fact.has:
                return voice.many(
                    "{card} is there once, the game has none", "{card} is there {count} times, the game has none", fact.there, card=card
                )  # fmt: skip
            return voice.many(
                "{card} is there once, the game has {has}", "{card} is there {count} times, the game has {has}",
                fact.there, card=card, has=fact.has,
            )  # fmt: skip
        codes = ", ".join(f"`{face_code(self.game, fact.component, f)}`" for f in fact.faces[:MAX_CODES])
        if not dealt:
            return voice.say("cards of the game are nowhere: {cards}", cards=codes)
        text = voice.many("{count} card of the deck is missing", "{count} cards of the deck are missing", fact.count)
        return voice.say("{finding}: {cards}", finding=text, cards=codes) if codes else text

    # ---- the result

    def _computed(self, fact: facts.WrongTotal | facts.WrongRanking | facts.UnknownRanking) -> Message:
        names, voice = self.names, self.voice
        if isinstance(fact, facts.WrongTotal):
            values = tuple((self._line(line), format_bounds(value, voice)) for line, value in fact.lines)
            text = voice.say(
                "{player} has {right} points, not {given}",
                player=names[fact.player], right=format_bounds(fact.right, voice), given=fact.given,
            )  # fmt: skip
            return Message(text, Reason(values))
        values = tuple((names[p], format_bounds(total, voice)) for p, total in enumerate(fact.totals))
        if isinstance(fact, facts.UnknownRanking):
            return Message(voice.say("the ranking cannot be known"), Reason(values))
        if fact.right is None:
            text = voice.say("no filling of the unseen cards gives this ranking")
            return Message(text, Reason(values))
        if len(fact.right) == 1:
            text = voice.say("the result is a draw")
        elif len(names) == 2:
            text = voice.say("{player} has won", player=names[fact.right[0][0]])
        else:
            places = [voice.joined([names[p] for p in group], "and") for group in fact.right]
            text = voice.say("the ranking is {ranking}", ranking=voice.caption("then").join(places))
        # Players seldom mistake who won; they did not see that the game was over.
        ended = None if fact.ending is None else self._over(fact.ending)
        return Message(text, Reason(values, ended))

    def _over(self, ending: str | None) -> str:
        if ending is None:
            return self.voice.say("the game is over, nothing can be played any more")
        return self.voice.say("the game is over: {ending}", ending=self.voice.item(self.game, ("ending", ending)))
