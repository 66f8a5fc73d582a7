"""What effects do to variables, and whether these stay within their bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import Between, either, high_of, is_unknown, low_of, total
from pwtool.eval.values import UNKNOWN
from pwtool.ir.bounds import Step
from pwtool.ir.model import EffectModel
from pwtool.play import facts
from pwtool.play.state import State

Effect = Callable[[State, list[Any]], None]


class Overflows(Exception):
    """An effect on trial exceeds a bound: of what, and how."""

    def __init__(self, name: str, fact: facts.OutOfRange | facts.NoCell | facts.SlotTaken) -> None:
        super().__init__(name)
        self.name, self.fact = name, fact


def change(model: EffectModel, backend: Backend) -> Effect:
    """Set a variable, or add to it."""
    number = model.number
    assert model.value is not None
    value = backend.compile(model.value)
    if model.seat is not None:
        return _of_one_player(number, backend.compile(model.seat), value, model.kind == "add")
    if model.kind == "set":

        def set_variable(state: State, e: list[Any]) -> None:
            found = value(state, e)
            state.variables[number] = list(found) if isinstance(found, list) else found

        return set_variable

    exact = not backend.three_valued

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
            state.variables[number] = total([held, value(state, e)])

    return add


def _of_one_player(number: int, seat: Evaluator, value: Evaluator, adds: bool) -> Effect:
    """Set or add to one player's value of a per-player variable. If the player is unknown, it may be anybody's."""

    def change(state: State, e: list[Any]) -> None:
        held, whose, new = state.variables[number], seat(state, e), value(state, e)
        if not is_unknown(whose):
            held[whose] = total([held[whose], new]) if adds else new
            return
        for at, before in enumerate(held):
            held[at] = either(before, total([before, new]) if adds else new)

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
    """An effect on a number that raises `Overflows` if the number is out of its bounds then. If it need not be carried
    out, only the new number is computed.
    """
    model = step.effect
    variable = list(backend.ruleset.variables.values())[model.number]
    name, low, high = variable.name, variable.type.low, variable.type.high
    new = _after(effect, model) if step.done else _instead(model, backend)
    seat = backend.condition(model.seat)

    def check(state: State, e: list[Any]) -> None:
        whose = None if seat is None else seat(state, e)
        found = new(state, e, whose)
        if isinstance(found, int):
            if not low <= found <= high:
                raise Overflows(name, facts.OutOfRange(name, found, low, high))
        elif isinstance(found, Between) and (high_of(found) < low or low_of(found) > high):
            raise Overflows(name, facts.OutOfRange(name, found, low, high))

    return check


New = Callable[[State, list[Any], Any], Any]
"""A function for the new value of a variable, for this seat if it is per player."""


def _after(effect: Effect, model: EffectModel) -> New:
    """The value once an effect is carried out."""
    number = model.number

    def after(state: State, e: list[Any], whose: Any) -> Any:
        effect(state, e)
        return _held(state, number, whose)

    return after


def _instead(model: EffectModel, backend: Backend) -> New:
    """The value that an effect would give."""
    assert model.value is not None
    number, value, exact = model.number, backend.compile(model.value), not backend.three_valued
    if model.kind == "set":
        return lambda state, e, whose: value(state, e)
    if exact:
        return lambda state, e, whose: _held(state, number, whose) + value(state, e)
    return lambda state, e, whose: total([_held(state, number, whose), value(state, e)])


def _held(state: State, number: int, whose: Any) -> Any:
    held = state.variables[number]
    return held if whose is None else UNKNOWN if is_unknown(whose) else held[whose]
