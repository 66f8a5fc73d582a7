"""Why something on the table cannot be used now: ways to do each action with it, and which rules refuse them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct

from pwtool.eval.values import Cell
from pwtool.ir.looks import looks_of
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.play.chance import Chance
from pwtool.play.legal import Arguments, stages
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.why.refusals import refusals

TRIES = 200
"""How many random ways of an action are tried for what its parameters may be, to count what refuses them."""
MAX_NAMED = 50_000
"""How often a parameter is given a value in the search for the way that the least refuses."""


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
    """An action that could be about a thing. `way` is one of the ways that the least refuses, and of these one that names the fewest
    things (its arguments are None if there is nothing to do it with), `refused_by` names that: rules, parameters, bounds. Of `tried`
    different ways, `open` are legal, and `rules` says how many each of those refuses. `in_order`: the order of play allows the action
    now.
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
    return sorted(found, key=lambda one: (not one.in_order, not one.tried, len(one.refused_by)))


def _closed(play: Play, number: int, actor: int, things: Sequence[Thing], in_order: bool) -> Closed | None:
    runner, state, rng = play.game.machine(play.state).actions[number], play.state, Chance(0)
    ways: dict[str, _Way] = {}
    could = False
    for named in _named(play, runner.model, max(0, actor), things):
        best: _Way | None = None
        could = True
        for _ in range(TRIES):
            arguments = play.legal.at_random(state, number, rng, named)
            if arguments is None:
                break
            way = _Way(arguments, tuple(refusals(play.game, runner, state, arguments).names))
            # Arguments hold lists.
            ways[repr(arguments)] = way
            best = way if best is None else min(best, way, key=_Way.distance)
        if best is not None:
            nearest = _Search(play, number, named, best).best
            ways[repr(nearest.arguments)] = nearest
    if not ways:
        # Nothing is there to do it with, whatever it names; of another thing than it may name nothing is told.
        none = not things or (could and play.legal.at_random(state, number, rng) is None)
        return Closed((number, actor, None), (), 0, 0, Counter(), in_order) if none else None
    nearest = min(ways.values(), key=_Way.distance)
    rules = Counter(name for way in ways.values() for name in way.refused_by)
    legal = sum(not way.refused_by for way in ways.values())
    return Closed((number, actor, nearest.arguments), nearest.refused_by, len(ways), legal, rules, in_order)


class _Way(Struct, frozen=True):
    arguments: Arguments
    refused_by: tuple[str, ...]

    def distance(self) -> tuple[int, int]:
        """How far it is from being legal: what refuses it, then how many things it names."""
        return len(self.refused_by), sum(len(one) for one in self.arguments if isinstance(one, list))


class _Search:
    """Looks for a way that less refuses than the `best` so far. A way of which the rules that can be decided refuse as much is not gone
    further, so this is complete unless there is too much to name.
    """

    def __init__(self, play: Play, number: int, named: dict[int, object], best: _Way) -> None:
        machine = play.game.machine(play.state)
        self.play, self.named, self.best = play, named, best
        self.runner, self.left = machine.actions[number], MAX_NAMED
        self.stages = [
            machine.backend.refusals([*stage.lets, *(refuse for _, refuse in stage.rules)])
            for stage in stages(self.runner)
        ]
        e = self.runner.blank.copy()
        self._extend(e, (), self._refused(0, e), 0)

    def _extend(self, e: list[Any], chosen: Arguments, refused: int, things: int) -> None:
        at, state = len(chosen), self.play.state
        if at == len(self.runner.model.parameters):
            found = refusals(self.play.game, self.runner, state, chosen).names
            self.best = min(self.best, _Way(chosen, tuple(found)), key=_Way.distance)
            return
        parameter = self.runner.model.parameters[at]
        for candidate in self.play.legal.candidates(self.runner, parameter, at, None, state, e, chosen):
            many = parameter.kind in ("elements", "tops")
            if at in self.named and not (self.named[at] in candidate if many else self.named[at] == candidate):
                continue
            self.left -= 1
            if self.left < 0:
                return
            if parameter.kind == "tops":
                e[self.runner.positions[at]] = candidate
            e[parameter.slot] = [face for _, face in candidate] if parameter.kind == "tops" else candidate
            now = refused + self._refused(at + 1, e), things + (len(candidate) if isinstance(candidate, list) else 0)
            if now < self.best.distance():
                self._extend(e, (*chosen, candidate), *now)

    def _refused(self, stage: int, e: list[Any]) -> int:
        return sum(verdict is True for _, verdict in self.stages[stage](self.play.state, e))


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
