"""Why something on the table cannot be used now: ways to do each action with it, and which rules refuse them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from pwtool.eval.values import Cell
from pwtool.ir.looks import looks_of
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.play.chance import Chance
from pwtool.play.legal import Arguments
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.play.selfplay import Option
from pwtool.why.refusals import refusals

TRIES = 200
"""How many random ways of an action are tried for what its parameters may be."""


class Thing(Struct, frozen=True):
    """Something on the table: a cell of a zone, or a thing in it (its face); `index` is the number of the pile among those of its
    zone, `owner` the seat that it belongs to (-1: to none).
    """

    zone: int
    index: int
    owner: int
    cell: Cell | None = None
    face: int = -1


class Closed(Struct, frozen=True):
    """An action that could be about a thing. `way` is one of the ways that the least refuses (its arguments are None if there is nothing
    to do it with), `refused_by` names that: rules, parameters, bounds. Of `tried` different ways, `open` are legal, and `rules` says how
    many each of those refuses. `in_order`: the order of play allows the action now.
    """

    way: tuple[int, int, Arguments | None]
    refused_by: tuple[str, ...]
    tried: int
    open: int
    rules: Counter[str]
    in_order: bool


def closed_ways(play: Play, things: Sequence[Thing]) -> list[Closed]:
    """For each action that could name these things, in this order: how it is refused; without things, for each that is not possible
    now. Those that the order of play allows come first, and of these those that are nearly legal. The position is not changed. Raises
    `TooMuchWork`.
    """
    steps = play.all_steps()
    now = dict(reversed(steps))
    possible = set[int]()
    if not things:
        possible = {number for number, actor in steps if play.arguments(number, actor, 1)}
    found = []
    try:
        for number, model in enumerate(play.game.ruleset.actions.values()):
            if number in possible:
                continue
            # In a round, the first player stands for all where nobody's time has come.
            actor = now.get(number, EVERYBODY if model.joint else max(0, play.owner))
            play.act(actor)
            closed = _closed(play, number, actor, things, number in now)
            if closed is not None:
                found.append(closed)
    finally:
        play.act(play.owner)
    return sorted(found, key=lambda one: (not one.in_order, len(one.refused_by)))


def _closed(play: Play, number: int, actor: int, things: Sequence[Thing], in_order: bool) -> Closed | None:
    runner, state, rng = play.game.machine(play.state).actions[number], play.state, Chance(0)
    ways: dict[str, tuple[tuple[str, ...], Option]] = {}
    rules: Counter[str] = Counter()
    legal = 0
    for named in _named(play, runner.model, max(0, actor), things):
        for _ in range(TRIES):
            arguments = play.legal.at_random(state, number, rng, named)
            if arguments is None:
                break
            # Arguments hold lists.
            key = repr(arguments)
            if key in ways:
                continue
            names = tuple(refusals(play.game, runner, state, arguments).names)
            rules.update(names)
            legal += not names
            ways[key] = names, (number, actor, arguments)
    if not ways:
        return None if things else Closed((number, actor, None), (), 0, 0, rules, in_order)
    names, nearest = min(ways.values(), key=lambda way: len(way[0]))
    return Closed(nearest, names, len(ways), legal, rules, in_order)


def _named(play: Play, model: ActionModel, seat: int, things: Sequence[Thing]) -> Iterator[dict[int, object]]:
    """The parameters that could name all things, one after the other: their places, each with what it names."""
    numbers = [at for at, parameter in enumerate(model.parameters) if not (parameter.chance or parameter.each)]
    for chosen in combinations(numbers, len(things)):
        found = {}
        for at, thing in zip(chosen, things, strict=True):
            value = _value(play, model.parameters[at], seat, thing)
            if value is None:
                break
            found[at] = value
        else:
            yield found


def _value(play: Play, parameter: ParameterModel, seat: int, thing: Thing) -> object:
    """What a parameter names if it names a thing; None if it cannot."""
    if thing.cell is not None:
        if parameter.kind != "cell":
            return None
        zone = play.game.zone_list[parameter.zone]
        shown = looks_of(play.game.ruleset).zone(zone).on
        host = play.game.ruleset.zones[shown].number if shown else zone.number
        return thing.cell if thing.zone in (zone.number, host) else None
    if parameter.zone != thing.zone:
        return None
    if parameter.kind == "tops":
        return thing.index + 1, thing.face
    return thing.face if parameter.kind in ("element", "elements") and thing.owner in (-1, seat) else None
