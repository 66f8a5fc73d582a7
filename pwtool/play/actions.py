"""Actions ready to run: rules and effects of a ruleset compiled once, for known positions and for such with
unknowns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import either, total
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel, Ruleset, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, walk
from pwtool.play import facts
from pwtool.play.orders import component_of, not_the_same, part_of
from pwtool.play.state import State

Effect = Callable[[State, list[Any]], None]
Rule = tuple[RuleModel, Evaluator | None, Evaluator]
Overflow = tuple[str, facts.OutOfRange | facts.NoCell | facts.SlotTaken]
"""The name of what would overflow, and how."""


class Runner:
    """One action (or consequence) of a ruleset, compiled by one backend."""

    __slots__ = (
        "at_once",
        "blank",
        "bounded",
        "derived",
        "effects",
        "given",
        "lets",
        "model",
        "origins",
        "positions",
        "rules",
        "rules_given",
        "slots",
        "sources",
        "tops",
    )

    def __init__(self, model: ActionModel, ruleset: Ruleset, backend: Backend) -> None:
        self.model = model
        parameters = model.parameters
        self.slots = ruleset.slots + len(parameters)
        self.blank: list[Any] = [None] * self.slots
        self.origins = [None if p.origin is None or p.kind == "cell" else backend.compile(p.origin) for p in parameters]
        # Where the cards of a `tops` parameter lie is kept in an extra local, behind all others.
        self.positions = [ruleset.slots + i for i, _ in enumerate(parameters)]
        self.tops = any(p.kind == "tops" for p in parameters)
        self.sources = [
            (p, origin, extra)
            for p, origin, extra in zip(parameters, self.origins, self.positions, strict=True)
            if origin is not None
        ]
        self.lets = [(slot, backend.value(value)) for _, slot, value in model.lets]
        self.rules = [compile_rule(r, backend) for r in model.rules]
        self.given = [p.slot for p in parameters if p.kind != "derived"]
        self.derived = [(p.slot, origin) for p, origin, _ in self.sources if p.kind == "derived"]
        # A consequence mostly does not happen: the cheap rules are asked first, before anything is derived.
        self.at_once = [r for r in self.rules if not _is_costly(r[0].require) and _reads_only(r[0], set(self.given))]
        self.rules_given = sorted(
            (r for r in self.rules if r not in self.at_once), key=lambda r: _is_costly(r[0].require)
        )
        by_slot = {p.slot: i for i, p in enumerate(parameters)}
        self.effects = [_effect(e, self, backend, by_slot.get(e.slot, 0)) for e in model.effects]
        self.bounded = [
            b
            for at, e in enumerate(model.effects)
            if not _makes_room(model.effects[:at], e)
            and (b := _bound(e, model.effects[:at], ruleset, backend)) is not None
        ]

    def bind(self, arguments: Sequence[Any]) -> list[Any]:
        """Locals with the arguments in their places; a `tops` argument is a list of (pile number, face)."""
        e = self.blank.copy()
        if not self.tops:
            for parameter, argument in zip(self.model.parameters, arguments, strict=True):
                e[parameter.slot] = argument
            return e
        for parameter, argument, extra in zip(self.model.parameters, arguments, self.positions, strict=True):
            if parameter.kind == "tops":
                e[extra] = argument
                e[parameter.slot] = [face for _, face in argument]
            else:
                e[parameter.slot] = argument
        return e

    def arguments(self, e: list[Any]) -> tuple[Any, ...]:
        """The arguments that are bound, as `bind` takes them."""
        return tuple(
            e[extra] if p.kind == "tops" else e[p.slot]
            for p, extra in zip(self.model.parameters, self.positions, strict=True)
        )

    def bind_given(self, values: Sequence[Any]) -> list[Any]:
        """Locals of a consequence with the values of those parameters that are not derived."""
        e = self.blank.copy()
        for slot, value in zip(self.given, values, strict=True):
            e[slot] = value
        return e

    def derive(self, state: State, e: list[Any]) -> None:
        """Compute the derived parameters and the named values of a consequence."""
        for slot, origin in self.derived:
            e[slot] = origin(state, e)
        self.compute(state, e)

    def compute(self, state: State, e: list[Any]) -> None:
        """Compute the named values."""
        for slot, value in self.lets:
            e[slot] = value(state, e)

    def broken(self, state: State, e: list[Any]) -> list[RuleModel]:
        """The rules that refuse the action (for known positions)."""
        return [
            model for model, when, require in self.rules if (when is None or when(state, e)) and not require(state, e)
        ]

    def is_due(self, state: State, e: list[Any]) -> bool:
        """Whether no rule refuses a consequence whose given parameters are bound; the rest is derived on the way (for
        known positions).
        """
        for _, when, require in self.at_once:
            if (when is None or when(state, e)) and not require(state, e):
                return False
        self.derive(state, e)
        for _, when, require in self.rules_given:  # noqa: SIM110 - asked three times a turn; `all` with a generator costs twice as much
            if (when is None or when(state, e)) and not require(state, e):
                return False
        return True

    def judge(self, state: State, e: list[Any]) -> tuple[list[RuleModel], list[RuleModel]]:
        """The rules that refuse the action and those that cannot be judged."""
        broken, unknown = [], []
        for model, when, require in self.rules:
            verdict = judge_rule(when, require, state, e)
            if verdict is UNKNOWN:
                unknown.append(model)
            elif not verdict:
                broken.append(model)
        return broken, unknown

    def apply(self, state: State, e: list[Any]) -> None:
        """Carry out the effects."""
        for effect in self.effects:
            effect(state, e)

    def overflow(self, state: State, e: list[Any]) -> Overflow | None:
        """What an effect would push out of its bounds: a variable out of its range, a second thing into a slot."""
        for bound in self.bounded:
            found = bound(state, e)
            if found is not None:
                return found
        return None

    def unavailable(self, state: State, e: list[Any]) -> list[tuple[ParameterModel, Any]]:
        """Parameters whose cards are not where they have to be, each with the first card (or pile number) that is
        missing; of an order what it leaves out and what it has too much.
        """
        missing: list[tuple[ParameterModel, Any]] = []
        used: dict[int, list[int]] = {}
        unread: list[tuple[ParameterModel, list[int]]] = []
        for parameter, origin, extra in self.sources:
            zone = origin(state, e)
            if parameter.kind == "tops":
                missing += _wrong_tops(parameter, zone, e[extra])
                continue
            value = e[parameter.slot]
            if parameter.kind == "order":
                wrong = not_the_same(part_of(parameter, zone), value, state.pool.get(component_of(parameter)))
                missing += [] if wrong is None else [(parameter, wrong)]
                continue
            faces = [value] if parameter.kind == "element" else value
            if not faces:
                continue
            left = used.get(id(zone))
            if left is None:
                left = used[id(zone)] = list(zone)
            for face in faces:
                if face in left:
                    left.remove(face)
                elif face == UNSEEN:
                    unread.append((parameter, left))
                else:
                    missing.append((parameter, face))
                    break
        for parameter, left in unread:
            # A card that nobody could read may be any that lies there and is not named.
            if left:
                left.pop()
            else:
                missing.append((parameter, UNSEEN))
        return missing


def _wrong_tops(
    parameter: ParameterModel, piles: list[list[int]], taken: list[tuple[int, int]]
) -> list[tuple[ParameterModel, Any]]:
    for number, face in taken:
        if not 1 <= number <= len(piles) or not piles[number - 1] or piles[number - 1][-1] != face:
            return [(parameter, (number, face))]
    return []


def _is_costly(expr: Expr) -> bool:
    return any(isinstance(part, ir.Fulfils) for part in walk(expr))


def _reads_only(rule: RuleModel, slots: set[int]) -> bool:
    return free_locals(rule.require) | free_locals(rule.when) <= slots


def compile_rule(model: RuleModel, backend: Backend) -> Rule:
    return model, backend.condition(model.when), backend.compile(model.require)


def judge_rule(when: Evaluator | None, require: Evaluator, state: State, e: list[Any]) -> Any:
    """True, False or UNKNOWN: a rule holds where its `when` does not."""
    applies = True if when is None else when(state, e)
    if applies is not UNKNOWN and not applies:
        return True
    verdict = require(state, e)
    if applies is UNKNOWN and (verdict is UNKNOWN or not verdict):
        return UNKNOWN
    return verdict


def remove(items: list[Any], item: Any) -> None:
    """Take an item out, or an unseen one in its place; a record that names what is not there is followed as far as
    it goes.
    """
    if item in items:
        items.remove(item)
    elif UNSEEN in items:
        items.remove(UNSEEN)


def _put_down(target: Evaluator, cell: Evaluator | None) -> Callable[[State, list[Any], list[Any]], None]:
    if cell is None:

        def to_zone(state: State, e: list[Any], items: list[Any]) -> None:
            target(state, e).extend(items)

        return to_zone

    def to_grid(state: State, e: list[Any], items: list[Any]) -> None:
        if items:
            grid = target(state, e)
            state.boards.pop(id(grid), None)
            grid.setdefault(cell(state, e), []).extend(items)

    return to_grid


def _effect(model: EffectModel, runner: Runner, backend: Backend, parameter: int) -> Effect:
    when = backend.condition(model.when)
    plain = _plain_effect(model, runner, backend, parameter)
    if backend.three_valued:
        plain = _where_known(plain, model, backend)
    if when is None:
        return plain
    if backend.three_valued and model.kind in ("add", "set"):
        return _perhaps(plain, when, model.number)

    def guarded(state: State, e: list[Any]) -> None:
        holds = when(state, e)
        if holds is not UNKNOWN and holds:
            plain(state, e)

    return guarded


def _perhaps(effect: Effect, when: Evaluator, number: int) -> Effect:
    """An effect on a variable, which is known no longer where nobody knows whether the effect happens."""

    def guarded(state: State, e: list[Any]) -> None:
        holds = when(state, e)
        if holds is UNKNOWN:
            before = state.variables[number]
            state.variables[number] = list(before) if isinstance(before, list) else before
            effect(state, e)
            state.variables[number] = either(before, state.variables[number])
        elif holds:
            effect(state, e)

    return guarded


def _where_known(effect: Effect, model: EffectModel, backend: Backend) -> Effect:
    """What would go to or come from a place that nobody knows stays where it is."""
    places = [
        backend.compile(x) for x in (model.target, model.cell, model.value) if x is not None and x.type.kind != "int"
    ]
    if model.kind in ("add", "set"):
        return effect

    def known(state: State, e: list[Any]) -> None:
        if not any(place(state, e) is UNKNOWN for place in places):
            effect(state, e)

    return known


def _makes_room(earlier: tuple[EffectModel, ...], effect: EffectModel) -> bool:
    """Whether what lies where something goes has left before, by an effect of the same action."""
    moves = [e for e in earlier if e.kind == "move" and e.when is None]
    return effect.kind == "move" and any(effect.target in (e.value, e.origin) for e in moves)


def _bound(
    model: EffectModel, earlier: tuple[EffectModel, ...], ruleset: Ruleset, backend: Backend
) -> Callable[[State, list[Any]], Overflow | None] | None:
    """For an effect on something bounded: a function that names what would overflow and how."""
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
        name, number, low, high = variable.name, variable.number, variable.type.low, variable.type.high
        value, adds = backend.compile(model.value), model.kind == "add"
        before = _held_before(number, earlier, backend)

        def variable_overflow(state: State, e: list[Any]) -> Overflow | None:
            change = value(state, e)
            held = before(state, e) if adds else 0
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
        return _cell_bound(zone, backend.compile(model.cell)) if model.cell.type.optional else None
    return _slot_bound(zone, backend.compile(model.target)) if zone.kind == "slot" else None


def _held_before(number: int, earlier: tuple[EffectModel, ...], backend: Backend) -> Evaluator:
    """The number that a variable is behind earlier effects of the same action; UNKNOWN where that is not known."""
    steps = [
        (backend.condition(e.when), backend.compile(e.value), e.kind == "add")
        for e in earlier
        if e.kind in ("add", "set") and e.number == number and e.value is not None
    ]
    if not steps:
        return lambda state, e: state.variables[number]

    def held(state: State, e: list[Any]) -> Any:
        found = state.variables[number]
        for when, value, adds in steps:
            holds = True if when is None else when(state, e)
            if holds is UNKNOWN:
                return UNKNOWN
            if holds:
                found = total([found, value(state, e)]) if adds else value(state, e)
        return found

    return held


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


def _plain_effect(model: EffectModel, runner: Runner, backend: Backend, parameter: int) -> Effect:
    if model.kind == "move":
        return _move(model, runner, backend, parameter)
    if model.kind == "shuffle":
        return _shuffle(model, runner, backend, parameter)
    number = model.number
    if model.kind == "put":
        assert model.target is not None and model.cell is not None
        index, cell = backend.compile(model.target), backend.compile(model.cell)

        def put(state: State, e: list[Any]) -> None:
            state.tokens[number] = (index(state, e), cell(state, e))

        return put
    if model.kind == "return":

        def give_back(state: State, e: list[Any]) -> None:
            state.tokens[number] = None

        return give_back
    assert model.value is not None
    value = backend.compile(model.value)
    if model.kind == "set":

        def set_variable(state: State, e: list[Any]) -> None:
            found = value(state, e)
            state.variables[number] = list(found) if isinstance(found, list) else found

        return set_variable

    exact = not backend.three_valued

    def add(state: State, e: list[Any]) -> None:
        held = state.variables[number]
        if isinstance(held, list):
            held.append(value(state, e))
        elif exact:
            state.variables[number] = held + value(state, e)
        else:
            state.variables[number] = total([held, value(state, e)])

    return add


def _shuffle(model: EffectModel, runner: Runner, backend: Backend, parameter: int) -> Effect:
    """Bring a pile into the order that chance made. One of other things, which no record should have, changes nothing. What
    it names of unseen things is known then, what it leaves unread is known no longer.
    """
    origin, named = runner.origins[parameter], runner.model.parameters[parameter]
    assert origin is not None
    pile_of: Evaluator = origin
    clear_up = None if named.origin is None else _tidy(named.origin, backend)
    slot, component = model.slot, component_of(named)

    def shuffle(state: State, e: list[Any]) -> None:
        pile, order = pile_of(state, e), e[slot]
        there = part_of(named, pile)
        if not_the_same(there, order, state.pool.get(component)) is None:
            if UNSEEN in there or UNSEEN in order:
                pool = state.pool.setdefault(component, Counter())
                pool.update(face for face in there if face != UNSEEN)
                pool.subtract(face for face in order if face != UNSEEN)
            pile[: len(order)] = order
            if clear_up is not None:
                clear_up(state, e)

    return shuffle


def _move(model: EffectModel, runner: Runner, backend: Backend, parameter: int) -> Effect:
    assert model.target is not None
    put_down = _put_down(backend.compile(model.target), backend.condition(model.cell))
    slot = model.slot
    if model.source == "parameter":
        origin = runner.origins[parameter]
        assert origin is not None
        take_from: Evaluator = origin
        single = runner.model.parameters[parameter].kind == "element"
        place = runner.model.parameters[parameter].origin
        clear_up = _tidy(place, backend) if place is not None else None

        def move_parameter(state: State, e: list[Any]) -> None:
            faces = [e[slot]] if single else e[slot]
            zone = take_from(state, e)
            for face in faces:
                remove(zone, face)
            if clear_up is not None:
                clear_up(state, e)
            put_down(state, e, faces)

        return move_parameter
    if model.source == "tops":
        origin = runner.origins[parameter]
        assert origin is not None
        piles_of: Evaluator = origin
        extra = runner.positions[parameter]

        def move_tops(state: State, e: list[Any]) -> None:
            piles = piles_of(state, e)
            for number, _ in e[extra]:
                if 1 <= number <= len(piles) and piles[number - 1]:
                    piles[number - 1].pop()
            put_down(state, e, e[slot])

        return move_tops
    assert model.value is not None
    value = backend.compile(model.value)
    if model.source == "whole":

        def move_whole(state: State, e: list[Any]) -> None:
            zone = value(state, e)
            items = list(zone)
            zone.clear()
            put_down(state, e, items)

        return move_whole

    tidy = _tidy(model.value, backend)

    def move_top(state: State, e: list[Any]) -> None:
        pile = value(state, e)
        if pile:
            moved = pile.pop()
            if tidy is not None:
                tidy(state, e)
            put_down(state, e, [moved])

    return move_top


def _tidy(source: Expr, backend: Backend) -> Effect | None:
    """A cell whose last card has left is no longer in use, a grid that something left has changed; None where what was
    left is no cell.
    """
    if not isinstance(source, ir.PileAt):
        return None
    grid, cell = backend.compile(source.grid), backend.compile(source.cell)

    def drop_empty(state: State, e: list[Any]) -> None:
        cells, at = grid(state, e), cell(state, e)
        state.boards.pop(id(cells), None)
        if at in cells and not cells[at]:
            del cells[at]

    return drop_empty
