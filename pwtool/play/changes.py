"""What effects do to variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import either, is_unknown, total
from pwtool.eval.values import UNKNOWN
from pwtool.ir.model import EffectModel
from pwtool.play.state import State

Effect = Callable[[State, list[Any]], None]


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


def perhaps(effect: Effect, when: Evaluator, model: EffectModel) -> Effect:
    """An effect on a variable, which becomes unknown if it is unknown whether the effect happens."""
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
            effect(state, e)

    return guarded
