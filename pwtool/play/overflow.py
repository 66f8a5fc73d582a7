"""Effects that would exceed a bound: numbers out of range, a second thing in a slot, a thing on a missing cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import is_unknown, total
from pwtool.eval.values import UNKNOWN
from pwtool.ir import nodes as ir
from pwtool.ir.access import changed_by_chance, may_lack_its_cell
from pwtool.ir.model import ActionModel, EffectModel, Ruleset, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.play import facts
from pwtool.play.state import State

Overflow = tuple[str, facts.OutOfRange | facts.NoCell | facts.SlotTaken]
"""The name of the thing that would overflow, and how."""


Bound = Callable[[State, list[Any]], Overflow | None]


def compile_bounds(model: ActionModel, ruleset: Ruleset, backend: Backend) -> list[Bound]:
    """For each effect on something bounded, a function that reports an overflow."""
    found: list[Bound] = []
    unasked = changed_by_chance(model)
    for at, effect in enumerate(model.effects):
        if effect.kind == "each":
            found += _in_loop(effect, model.effects[:at], unasked, ruleset, backend)
        elif effect.kind in ("add", "set") and effect.number in unasked:
            continue
        elif not _makes_room(model.effects[:at], effect):
            bound = _bound(effect, model.effects[:at], ruleset, backend)
            found += [] if bound is None else [bound]
    return found


def _makes_room(earlier: tuple[EffectModel, ...], effect: EffectModel) -> bool:
    """Whether the thing at the target has left before, through an effect of the same action."""
    moves = [e for e in earlier if e.kind == "move" and e.when is None]
    return effect.kind == "move" and any(effect.target in (e.value, e.origin) for e in moves)


def _in_loop(
    effect: EffectModel, earlier: tuple[EffectModel, ...], unasked: frozenset[int], ruleset: Ruleset, backend: Backend
) -> list[Bound]:
    """The bounds that `for each` would exceed: numbers, step by step, and slots."""
    found: list[Bound] = []
    changed = {e.number for e in effect.all if e.kind in ("add", "set")} - unasked
    for variable in ruleset.variables.values():
        if variable.number in changed and variable.type.kind == "int":
            found.append(_number_in_loop(effect, earlier, variable, backend))
    slots = _slots_in_loop(effect, ruleset, backend)
    if slots is not None:
        found.append(slots)
    return found


def _number_in_loop(
    effect: EffectModel, earlier: tuple[EffectModel, ...], variable: VariableModel, backend: Backend
) -> Bound:
    before = _behind(variable, earlier, backend)
    step = _step(effect, variable.number, backend)
    name, low, high = variable.name, variable.type.low, variable.type.high
    assert step is not None
    steps = step

    def number_overflow(state: State, e: list[Any]) -> Overflow | None:
        for value in steps(state, e, before(state, e)):
            if isinstance(value, int) and not low <= value <= high:
                return name, facts.OutOfRange(name, value, low, high)
        return None

    return number_overflow


def _slots_in_loop(effect: EffectModel, ruleset: Ruleset, backend: Backend) -> Bound | None:
    """A slot that `for each` puts something into although it is occupied."""
    when = backend.condition(effect.when)
    if effect.kind != "each":
        bound = _plain_bound(effect, (), ruleset, backend) if effect.kind == "move" else None
        if bound is None or when is None:
            return bound
        asked: Bound = bound

        def where_it_applies(state: State, e: list[Any]) -> Overflow | None:
            holds = when(state, e)
            return asked(state, e) if holds is not UNKNOWN and holds else None

        return where_it_applies
    inside = [
        bound
        for at, inner in enumerate(effect.effects)
        if not _makes_room(effect.effects[:at], inner)
        and (bound := _slots_in_loop(inner, ruleset, backend)) is not None
    ]
    if not inside or effect.value is None:
        return None
    elements, slot = backend.compile(effect.value), effect.slot

    def slot_overflow(state: State, e: list[Any]) -> Overflow | None:
        found = elements(state, e)
        for element in list(found) if found is not UNKNOWN else ():
            e[slot] = element
            for bound in inside:
                overflow = bound(state, e)
                if overflow is not None:
                    return overflow
        return None

    return slot_overflow


def _bound(model: EffectModel, earlier: tuple[EffectModel, ...], ruleset: Ruleset, backend: Backend) -> Bound | None:
    """For an effect on something bounded: a function that reports an overflow."""
    when = backend.condition(model.when)
    plain = _plain_bound(model, earlier, ruleset, backend)
    if plain is None or when is None:
        return plain

    def where_it_applies(state: State, e: list[Any]) -> Overflow | None:
        holds = when(state, e)
        return plain(state, e) if holds is not UNKNOWN and holds else None

    return where_it_applies


def _plain_bound(
    model: EffectModel, earlier: tuple[EffectModel, ...], ruleset: Ruleset, backend: Backend
) -> Callable[[State, list[Any]], Overflow | None] | None:
    if model.kind in ("add", "set") and model.value is not None:
        variable = next(v for v in ruleset.variables.values() if v.number == model.number)
        if variable.type.kind != "int":
            return None
        name, low, high = variable.name, variable.type.low, variable.type.high
        value, adds = backend.compile(model.value), model.kind == "add"
        before, seat = _behind(variable, earlier, backend), backend.condition(model.seat)

        def variable_overflow(state: State, e: list[Any]) -> Overflow | None:
            change = value(state, e)
            whose = 0 if seat is None else seat(state, e)
            held = 0 if not adds else UNKNOWN if is_unknown(whose) else before(state, e)[whose]
            if not isinstance(change, int) or not isinstance(held, int) or low <= held + change <= high:
                return None
            return name, facts.OutOfRange(name, held + change, low, high)

        return variable_overflow
    if model.kind != "move" or model.target is None:
        return None
    zone = next((z for z in ruleset.zones.values() if _is_zone(model.target, z.number)), None)
    if zone is None:
        return None
    if model.cell is not None:
        return _cell_bound(zone, backend.compile(model.cell)) if may_lack_its_cell(model) else None
    return _slot_bound(zone, backend.compile(model.target)) if zone.kind == "slot" else None


Held = Callable[[State, list[Any]], list[Any]]
"""A function for the value of a variable, for each seat if it is per player; UNKNOWN if it is unknown."""


def _behind(variable: VariableModel, earlier: tuple[EffectModel, ...], backend: Backend) -> Held:
    """The value of a variable after earlier effects of the same action."""
    number, each = variable.number, variable.each
    steps = [step for e in earlier if (step := _step(e, number, backend)) is not None]

    def held(state: State, e: list[Any]) -> list[Any]:
        box = list(state.variables[number]) if each else [state.variables[number]]
        for step in steps:
            for _ in step(state, e, box):
                pass
        return box

    return held


Step = Callable[[State, list[Any], list[Any]], Iterator[Any]]
"""Applies an effect to a number, which is held in a list, and yields after each change."""


def _step(effect: EffectModel, number: int, backend: Backend) -> Step | None:
    """The value that an effect gives to a number, based on the position before the action; None if it does not change
    it.
    """
    assert effect.value is not None or effect.kind not in ("add", "set", "each")
    if effect.kind == "each" and effect.value is not None:
        elements, slot = backend.compile(effect.value), effect.slot
        inside = [step for inner in effect.effects if (step := _step(inner, number, backend)) is not None]

        def go_through(state: State, e: list[Any], held: list[Any]) -> Iterator[Any]:
            found = elements(state, e)
            if found is UNKNOWN:
                held[:] = [UNKNOWN] * len(held)
                return
            for element in list(found):
                e[slot] = element
                for step in inside:
                    yield from step(state, e, held)

        return go_through if inside else None
    if effect.kind not in ("add", "set") or effect.number != number or effect.value is None:
        return None
    when, value, adds = backend.condition(effect.when), backend.compile(effect.value), effect.kind == "add"
    whose = backend.condition(effect.seat)

    def change(state: State, e: list[Any], held: list[Any]) -> Iterator[Any]:
        holds, at = True if when is None else when(state, e), 0 if whose is None else whose(state, e)
        if is_unknown(at):
            held[:] = [UNKNOWN] * len(held)
            return
        if holds is UNKNOWN:
            held[at] = UNKNOWN
        elif holds:
            held[at] = total([held[at], value(state, e)]) if adds else value(state, e)
        yield held[at]

    return change


def _cell_bound(zone: ZoneModel, cell: Evaluator) -> Callable[[State, list[Any]], Overflow | None]:
    def cell_lacks(state: State, e: list[Any]) -> Overflow | None:
        return (zone.name, facts.NoCell(zone.name)) if cell(state, e) is None else None

    return cell_lacks


def _slot_bound(zone: ZoneModel, target: Evaluator) -> Callable[[State, list[Any]], Overflow | None]:
    def slot_overflow(state: State, e: list[Any]) -> Overflow | None:
        return (zone.name, facts.SlotTaken(zone.name)) if target(state, e) else None

    return slot_overflow


def _is_zone(expr: Expr | None, number: int) -> bool:
    return isinstance(expr, ir.Zone) and expr.zone == number
