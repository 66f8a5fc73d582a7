"""What effects do to variables, and whether these stay within their bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import Between, between, either, high_of, is_unknown, low_of, total
from pwtool.eval.values import UNKNOWN
from pwtool.eval.work import TooMuchWork
from pwtool.ir.bounds import Step
from pwtool.ir.model import EffectModel
from pwtool.ir.types import Type
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.state import State
from pwtool.text.speech import Told

Effect = Callable[[State, list[Any]], None]


class Overflows(Exception):
    """An effect exceeds a bound: of what, and how."""

    def __init__(self, name: str, fact: facts.Bound) -> None:
        super().__init__(name)
        self.name, self.fact = name, fact


class FaultyRules(TooMuchWork):
    """The rules go wrong, and nobody's action is to blame: nothing more can be found out. `code` is that of the finding,
    `rule` names the consequence or action.
    """

    def __init__(self, code: str, rule: str, fact: facts.Endless | facts.OutOfBounds) -> None:
        super().__init__()
        self.code, self.rule, self.fact = code, rule, fact
        self.args = (_why(fact),)


def unjudged(why: TooMuchWork, path: Path, rule: str | None, turn: int | None = None) -> Finding:
    """The finding that something could not be judged, because it takes too much work or the rules go wrong."""
    if isinstance(why, FaultyRules):
        return Finding(why.code, path, why.rule, why.fact, turn)
    return Finding("PW617", path, rule, facts.TooMuch(), turn)


def _why(fact: facts.Endless | facts.OutOfBounds) -> Told:
    """What is wrong with the rules, with the names that they use."""
    name = f"`{fact.name}`"
    if isinstance(fact, facts.Endless):
        return Told("{name} comes again and again", name=name)
    return Told("{name} exceeds a bound: {what}", name=name, what=bound_words(fact.bound))


def bound_words(fact: facts.Bound) -> Told:
    """How an effect exceeds a bound."""
    match fact:
        case facts.OutOfRange(variable, value, low, high):
            shown = value if isinstance(value, int) else f"{low_of(value)}..{high_of(value)}"
            return Told(
                "{variable} would be {value}, it goes from {low} to {high}",
                variable=f"`{variable}`", value=str(shown), low=str(low), high=str(high),
            )  # fmt: skip
        case facts.NoCell(zone):
            return Told("there is no cell of {zone} for it", zone=f"`{zone}`")
        case facts.SlotTaken(zone):
            return Told("{zone} already holds one thing", zone=f"`{zone}`")


def change(model: EffectModel, backend: Backend) -> Effect:
    """Set a variable, or add to it."""
    number = model.number
    assert model.value is not None
    value = backend.compile(model.value)
    exact, kept = not backend.three_valued, _kept(list(backend.ruleset.variables.values())[number].type)
    if model.seat is not None:
        return _of_one_player(number, backend.compile(model.seat), value, model.kind == "add", kept)
    if model.kind == "set":

        def set_variable(state: State, e: list[Any]) -> None:
            found = value(state, e)
            state.variables[number] = list(found) if isinstance(found, list) else found if exact else kept(found)

        return set_variable

    def add(state: State, e: list[Any]) -> None:
        held = state.variables[number]
        if isinstance(held, list):
            # Adding nothing has no effect; if the thing is unknown, the whole collection becomes unknown.
            thing = value(state, e)
            if thing is UNKNOWN:
                state.variables[number] = UNKNOWN
            elif thing is not None:
                held.append(thing)
        elif exact:
            state.variables[number] = held + value(state, e)
        else:
            state.variables[number] = kept(total([held, value(state, e)]))

    return add


def _kept(type_: Type) -> Callable[[Any], Any]:
    """What a variable may be after a change that is legal: of a number that is known only by its bounds, no more than its own."""
    low, high = type_.low, type_.high

    def within(value: Any) -> Any:
        if not isinstance(value, Between) or type_.kind != "int" or value.low > high or value.high < low:
            return value
        return between(max(value.low, low), min(value.high, high))

    return within


def _of_one_player(number: int, seat: Evaluator, value: Evaluator, adds: bool, kept: Callable[[Any], Any]) -> Effect:
    """Set or add to one player's value of a per-player variable. If the player is unknown, it may be anybody's."""

    def change(state: State, e: list[Any]) -> None:
        held, whose, new = state.variables[number], seat(state, e), value(state, e)
        if not is_unknown(whose):
            held[whose] = kept(total([held[whose], new]) if adds else new)
            return
        for at, before in enumerate(held):
            held[at] = kept(either(before, total([before, new]) if adds else new))

    return change


def perhaps(effect: Effect, surely: Effect, when: Evaluator, model: EffectModel) -> Effect:
    """An effect on a variable, which becomes unknown if it is unknown whether the effect happens; `surely` is carried
    out if it does.
    """
    number, each = model.number, model.seat is not None

    def guarded(state: State, e: list[Any]) -> None:
        holds = when(state, e)
        if holds is UNKNOWN:
            before = state.variables[number]
            state.variables[number] = list(before) if isinstance(before, list) else before
            effect(state, e)
            after = state.variables[number]
            state.variables[number] = list(map(either, before, after)) if each else either(before, after)
        elif holds:
            surely(state, e)

    return guarded


def within_bounds(effect: Effect, step: Step, backend: Backend) -> Effect:
    """An effect on a number that raises `Overflows` if the number would be out of its bounds, and leaves it as it is
    then, or if it need not be carried out.
    """
    model = step.effect
    variable = list(backend.ruleset.variables.values())[model.number]
    name, low, high = variable.name, variable.type.low, variable.type.high
    assert model.value is not None
    number, done, adds, exact = model.number, step.done, model.kind == "add", not backend.three_valued
    value, seat, kept = backend.compile(model.value), backend.condition(model.seat), _kept(variable.type)

    def check(state: State, e: list[Any]) -> None:
        holder, key = state.variables, number
        if seat is not None:
            key = seat(state, e)
            if is_unknown(key):
                # Whoever it is may keep within the bounds.
                if done:
                    effect(state, e)
                return
            holder = holder[number]
        new = value(state, e)
        if adds:
            new = holder[key] + new if exact else total([holder[key], new])
        if isinstance(new, int):
            if not low <= new <= high:
                raise Overflows(name, facts.OutOfRange(name, new, low, high))
        elif isinstance(new, Between) and (high_of(new) < low or low_of(new) > high):
            raise Overflows(name, facts.OutOfRange(name, new, low, high))
        if done:
            holder[key] = kept(new)

    return check
