"""The effects of actions on a position: functions compiled once for known positions and once for positions with
unknowns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, read_by, written_by_effect
from pwtool.ir.bounds import Step
from pwtool.ir.model import EffectModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import parts_of
from pwtool.play import facts
from pwtool.play.changes import Effect, Overflows, change, perhaps, within_bounds
from pwtool.play.orders import component_of, not_the_same, part_of
from pwtool.play.state import State

if TYPE_CHECKING:
    from pwtool.play.actions import Runner


def remove(items: list[Any], item: Any) -> None:
    """Take an item out, or an unseen one instead; if a record names something that is not there, follow it as far as possible."""
    if item in items:
        items.remove(item)
    elif UNSEEN in items:
        items.remove(UNSEEN)


def remove_first(items: Any, item: Any) -> bool:
    """Take out the first such thing; returns whether there was one."""
    if item not in items:
        return False
    items.remove(item)
    return True


def remove_last(items: Any, item: Any) -> bool:
    """Take out the last such thing; returns whether there was one."""
    for at in range(len(items) - 1, -1, -1):
        if items[at] == item:
            del items[at]
            return True
    return False


PutDown = Callable[[State, list[Any], list[Any]], None]


def _put_down(step: Step, backend: Backend) -> PutDown:
    """Put things down. On trial it raises `Overflows` if there is no room, and changes nothing if it need not be done."""
    model = step.effect
    assert isinstance(model.target, ir.Zone)
    target, cell, done = backend.compile(model.target), backend.condition(model.cell), step.done
    name = list(backend.ruleset.zones)[model.target.zone]
    if cell is not None:

        def to_grid(state: State, e: list[Any], items: list[Any]) -> None:
            if items:
                grid = target(state, e)
                state.boards.pop(id(grid), None)
                grid.setdefault(cell(state, e), []).extend(items)

        def to_cell(state: State, e: list[Any], items: list[Any]) -> None:
            if items and cell(state, e) is None:
                raise Overflows(name, facts.NoCell(name))
            if done:
                to_grid(state, e, items)

        return to_cell if step.asked else to_grid

    def to_zone(state: State, e: list[Any], items: list[Any]) -> None:
        target(state, e).extend(items)

    def to_slot(state: State, e: list[Any], items: list[Any]) -> None:
        slot = target(state, e)
        if items and len(slot) + len(items) > 1:
            raise Overflows(name, facts.SlotTaken(name))
        if done:
            slot.extend(items)

    return to_slot if step.asked else to_zone


def compile_effect(step: Step, runner: Runner, backend: Backend) -> Effect:
    """Compile an effect of an action. On trial it raises `Overflows` if it exceeds a bound."""
    model = step.effect
    when = backend.condition(model.when)
    plain = _plain_effect(step, runner, backend)
    number = model.kind in ("add", "set")
    surely = within_bounds(plain, step, backend) if number and step.asked else plain
    if backend.three_valued:
        surely = _where_known(surely, model, backend)
    if model.moves_parameter and model.slot in runner.moved:
        surely = _once(surely, runner.moved[model.slot])
    if when is None:
        return surely
    if backend.three_valued and number and step.done:
        return perhaps(plain, surely, when, model)
    # Numbers may be unknown; where things and tokens lie may not.
    loses = backend.three_valued and not number

    def guarded(state: State, e: list[Any]) -> None:
        holds = when(state, e)
        if holds is UNKNOWN:
            state.lost |= loses
        elif holds:
            surely(state, e)

    return guarded


def _once(effect: Effect, mark: int) -> Effect:
    """A thing that has moved is no longer there to be moved."""

    def once(state: State, e: list[Any]) -> None:
        if not e[mark]:
            e[mark] = True
            effect(state, e)

    return once


def _where_known(effect: Effect, model: EffectModel, backend: Backend) -> Effect:
    """Moves to or from an unknown place do nothing, nor do moves of unknown things; from then on the position counts
    as lost.
    """
    if model.kind in ("add", "set"):
        return effect
    known = (model.target, model.cell, model.amount, model.value if model.kind in ("move", "turn") else None)
    places = [backend.compile(x) for x in known if x is not None]

    def where_known(state: State, e: list[Any]) -> None:
        if any(is_unknown(place(state, e)) for place in places):
            state.lost = True
        else:
            effect(state, e)

    return where_known


def _plain_effect(step: Step, runner: Runner, backend: Backend) -> Effect:
    model = step.effect
    if model.kind == "move":
        return _move(step, runner, backend)
    if model.kind == "shuffle":
        return _shuffle(model, runner, backend)
    if model.kind == "turn":
        return _turn(model, backend)
    if model.kind == "each":
        return _each(step, runner, backend)
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
    return change(model, backend)


def _each(step: Step, runner: Runner, backend: Backend) -> Effect:
    """The same effects for each element of a collection as it was before the loop."""
    model = step.effect
    slot, elements = model.slot, backend.compile(_that_matter(model, runner, backend))
    effects = [compile_effect(inner, runner, backend) for inner in step.steps]

    def each(state: State, e: list[Any]) -> None:
        found = elements(state, e)
        if found is UNKNOWN:
            state.lost = True
            return
        for element in list(found):
            e[slot] = element
            for effect in effects:
                effect(state, e)

    return each


FEW = 8
"""For no more constants than this, it is not worth finding out beforehand which of them matter."""


def _that_matter(model: EffectModel, runner: Runner, backend: Backend) -> Expr:
    """The collection of a `for each`; of many constants only those for which an effect can apply, as far as that does
    not depend on what the loop changes.
    """
    value = model.value
    assert value is not None
    if backend.three_valued or not isinstance(value, ir.Const) or len(value.value) <= FEW:
        return value
    written = frozenset[Place]().union(*(written_by_effect(inner, runner.model) for inner in model.effects))
    asked: Expr = ir.FALSE
    for inner in model.effects:
        known = [] if inner.when is None else list(takewhile(lambda x: _is_kept(x, written), parts_of(inner.when)))
        if not known:
            return value
        asked = ir.Or(asked, reduce(ir.And, known))
    return ir.Where(value.type, model.slot, value, asked)


def _is_kept(condition: Expr, written: frozenset[Place]) -> bool:
    """Whether a condition reads nothing that is written, and nothing that may depend on it."""
    read = read_by(condition)
    return not read & written and all(kind in ("variable", "zone") for kind, _ in read)


def _shuffle(model: EffectModel, runner: Runner, backend: Backend) -> Effect:
    """Put a pile into a random order. An order of other things, which no record should have, changes nothing. Unseen
    things that it names become known, and things that it leaves open become unknown.
    """
    parameter = runner.places[model.slot]
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


def _turn(model: EffectModel, backend: Backend) -> Effect:
    """Things that stay where they are and get another state. Unseen ones do not say what they become, so that the position
    counts as lost; unless none of them changes.
    """
    assert model.value is not None
    place = model.value if model.origin is None else model.origin
    value, pile_of, faces = backend.compile(model.value), backend.compile(place), model.faces
    grid = backend.compile(place.grid) if isinstance(place, ir.PileAt) else None
    several, last = model.value.type.is_collection, model.source == "last"
    component = (model.value.type.element or model.value.type).component

    def turn(state: State, e: list[Any]) -> None:
        found, pile = value(state, e), pile_of(state, e)
        for thing in list(found) if several else [found]:
            there = [at for at, one in enumerate(pile) if one == thing]
            if thing == UNSEEN or (not there and UNSEEN in pile):
                may_be = [face for face, count in state.pool.get(component, {}).items() if count > 0]
                state.lost |= not may_be or any(faces[face] != face for face in may_be)
            elif there:
                at = there[-1 if last else 0]
                pile[at] = faces[thing]
        if grid is not None:
            state.boards.pop(id(grid(state, e)), None)

    return turn


def _move(step: Step, runner: Runner, backend: Backend) -> Effect:
    model, put_down = step.effect, _put_down(step, backend)
    slot = model.slot
    parameter = runner.places.get(slot, 0)
    if model.source == "parameter":
        origin = runner.origins[parameter]
        assert origin is not None
        take_from: Evaluator = origin
        single = runner.model.parameters[parameter].kind == "element"
        if not step.done:
            # Whether there is room for it is all that matters.
            return lambda state, e: put_down(state, e, [e[slot]])
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
    return _move_out(step, backend, put_down)


def _move_out(step: Step, backend: Backend, put_down: PutDown) -> Effect:
    """The things that leave a zone without being named."""
    model = step.effect
    assert model.value is not None
    value = backend.compile(model.value)
    place = model.value if model.origin is None else model.origin
    tidy = _tidy(place, backend)
    if model.source in ("found", "last"):
        taken = remove_last if model.source == "last" else remove_first
        origin = backend.compile(place)

        def move_found(state: State, e: list[Any]) -> None:
            thing = value(state, e)
            if thing is not None and taken(origin(state, e), thing):
                if tidy is not None:
                    tidy(state, e)
                put_down(state, e, [thing])

        return move_found
    if not step.done:
        return lambda state, e: put_down(state, e, value(state, e)[-1:])
    amount = None if model.amount is None else backend.compile(model.amount)
    whole = model.source == "whole"

    def move(state: State, e: list[Any]) -> None:
        pile = value(state, e)
        many = len(pile) if whole else min(len(pile), 1 if amount is None else amount(state, e))
        if many > 0:
            moved = pile[len(pile) - many :]
            del pile[len(pile) - many :]
            if tidy is not None:
                tidy(state, e)
            put_down(state, e, moved)

    return move


def _tidy(source: Expr, backend: Backend) -> Effect | None:
    """A cell whose last card has left is no longer in use, and the grid counts as changed; None if the things did not leave a cell."""
    if not isinstance(source, ir.PileAt):
        return None
    grid, cell = backend.compile(source.grid), backend.compile(source.cell)

    def drop_empty(state: State, e: list[Any]) -> None:
        cells, at = grid(state, e), cell(state, e)
        state.boards.pop(id(cells), None)
        if at in cells and not cells[at]:
            del cells[at]

    return drop_empty
