"""All legal actions of a position.

Parameters are tried one after the other; every rule is asked as soon as all it needs is known, so that whole
branches fall away early.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Any

from pwtool.eval.values import UNKNOWN, UNSEEN, bounds
from pwtool.eval.work import TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.model import ParameterModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals
from pwtool.play.actions import Runner, judge_rule
from pwtool.play.game import Game, Machine
from pwtool.play.orders import part_of
from pwtool.play.state import State

Arguments = tuple[Any, ...]
MAX_AT_ONCE = 1000
"""So many choices of cards are made in one go."""


class Plan:
    """For one action: which named values and rules can be settled after which parameter."""

    def __init__(self, runner: Runner) -> None:
        model = runner.model
        known: set[int] = set()
        lets = list(zip(model.lets, runner.lets, strict=True))
        rules = list(zip(model.rules, runner.rules, strict=True))
        self.stages: list[tuple[list[Any], list[Any]]] = []
        self.sizes: list[tuple[Expr | None, Expr] | None] = []
        for parameter in (None, *model.parameters):
            if parameter is not None:
                self.sizes.append(_exact_size(parameter, runner, known))
            if parameter is not None:
                known.add(parameter.slot)
            ready_lets = []
            for item in list(lets):
                (_, slot, value), compiled = item
                if free_locals(value) <= known:
                    known.add(slot)
                    ready_lets.append(compiled)
                    lets.remove(item)
                else:
                    break
            ready_rules = []
            for rule_item in list(rules):
                rule, compiled_rule = rule_item
                if free_locals(rule.require) | free_locals(rule.when) <= known:
                    ready_rules.append(compiled_rule)
                    rules.remove(rule_item)
            self.stages.append((ready_lets, ready_rules))


def _exact_size(parameter: ParameterModel, runner: Runner, known: set[int]) -> tuple[Expr | None, Expr] | None:
    """When, and how many cards a rule asks of a collection, by what is known before it is chosen; None when no rule says
    `count p == ...`.
    """
    if parameter.kind != "elements":
        return None
    for rule in runner.model.rules:
        require = rule.require
        if not isinstance(require, ir.Compare) or require.sign != "==" or not free_locals(rule.when) <= known:
            continue
        for side, other in ((require.left, require.right), (require.right, require.left)):
            counted = isinstance(side, ir.Count) and isinstance(side.of, ir.Local) and side.of.slot == parameter.slot
            if counted and free_locals(other) <= known:
                return rule.when, other
    return None


class LegalActions:
    """Enumerates legal actions of a game's positions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._plans: dict[int, tuple[Plan, list[Any]]] = {}

    def _plan(self, machine: Machine, number: int) -> tuple[Plan, list[Any]]:
        key = number if machine is self.game.fast else -1 - number
        found = self._plans.get(key)
        if found is None:
            plan = Plan(machine.actions[number])
            compiled = machine.backend
            sizes = [None if s is None else (compiled.condition(s[0]), compiled.compile(s[1])) for s in plan.sizes]
            found = self._plans[key] = (plan, sizes)
        return found

    def exists(self, state: State, action: str) -> Any:
        """Whether the player whose turn it is can do this action at all; UNKNOWN where unseen cards may decide it."""
        number = self.game.action_numbers[action]
        if not state.unseen:
            return next(self.arguments(state, number), None) is not None
        runner = self.game.careful.actions[number]
        perhaps = False
        for arguments in self.arguments(state, number):
            e = runner.bind(arguments)
            runner.compute(state, e)
            if not runner.judge(state, e)[1]:
                return True
            perhaps = True
        e = [None] * runner.slots
        for parameter, origin in zip(runner.model.parameters, runner.origins, strict=True):
            if origin is not None and not perhaps and parameter.kind in ("element", "elements", "tops"):
                zone = origin(state, e)
                perhaps = any(UNSEEN in pile for pile in zone) if parameter.kind == "tops" else UNSEEN in zone
        return UNKNOWN if perhaps else False

    def arguments(self, state: State, number: int) -> Iterator[Arguments]:
        """All arguments with which the action breaks no rule in this position. Unknown verdicts do not refuse."""
        machine = self.game.machine(state)
        runner = machine.actions[number]
        plan, sizes = self._plan(machine, number)
        e: list[Any] = [None] * runner.slots
        if not self._settle(plan.stages[0], state, e):
            return
        yield from self._extend(runner, plan, sizes, state, e, 0, ())

    def _extend(
        self, runner: Runner, plan: Plan, sizes: list[Any], state: State, e: list[Any], at: int, chosen: Arguments
    ) -> Iterator[Arguments]:
        parameters = runner.model.parameters
        if at == len(parameters):
            if not runner.bounded or runner.overflow(state, e) is None:
                yield chosen
            return
        parameter, work = parameters[at], self.game.work
        for candidate in self._candidates(runner, parameter, at, sizes[at], state, e, chosen):
            work.left -= 1
            if work.left < 0:
                raise TooMuchWork
            if parameter.kind == "tops":
                e[runner.positions[at]] = candidate
                e[parameter.slot] = [face for _, face in candidate]
            else:
                e[parameter.slot] = candidate
            if self._settle(plan.stages[at + 1], state, e):
                yield from self._extend(runner, plan, sizes, state, e, at + 1, (*chosen, candidate))

    def _settle(self, stage: tuple[list[Any], list[Any]], state: State, e: list[Any]) -> bool:
        lets, rules = stage
        for slot, value in lets:
            e[slot] = value(state, e)
        for _, when, require in rules:
            verdict = judge_rule(when, require, state, e)
            if verdict is not UNKNOWN and not verdict:
                return False
        return True

    def _candidates(
        self,
        runner: Runner,
        parameter: ParameterModel,
        at: int,
        size: Any,
        state: State,
        e: list[Any],
        chosen: Arguments,
    ) -> Iterator[Any]:
        if parameter.kind in ("element", "elements"):
            faces = self._available(runner, at, state, e, chosen)
            if parameter.kind == "element":
                yield from sorted(set(faces))
                return
            wanted = None
            if size is not None and (size[0] is None or size[0](state, e) is True):
                wanted = size[1](state, e)
            sizes = [wanted] if isinstance(wanted, int) else list(range(len(faces) + 1))
            for count in sizes:
                if 0 <= count <= len(faces):
                    yield from _choices(sorted(faces), count)
        elif parameter.kind == "order":
            # One for all: which it becomes is up to chance. As it lies is one of them.
            origin = runner.origins[at]
            assert origin is not None
            yield part_of(parameter, origin(state, e))
        elif parameter.kind == "tops":
            origin = runner.origins[at]
            assert origin is not None
            tops = [(i + 1, pile[-1]) for i, pile in enumerate(origin(state, e)) if pile and pile[-1] != UNSEEN]
            for count in range(len(tops) + 1):
                yield from map(list, combinations(tops, count))
        elif parameter.kind == "cell":
            yield from self._cells(parameter, state)
        elif parameter.each:
            of_each = parameter.type.element or parameter.type
            self.game.work.spend(of_each.high - of_each.low if of_each.kind == "int" else 0)
            values = list(_values(of_each, state, self.game))
            yield from product(values, repeat=state.players)
        else:
            yield from _values(parameter.type, state, self.game)

    def values(self, state: State, parameter: ParameterModel) -> list[Any]:
        """Every value that one player may name for a parameter that is a value or a number."""
        return list(_values(parameter.type.element or parameter.type, state, self.game))

    def _available(self, runner: Runner, at: int, state: State, e: list[Any], chosen: Arguments) -> list[int]:
        origin = runner.origins[at]
        assert origin is not None
        zone = origin(state, e)
        faces = [f for f in zone if f != UNSEEN]
        for earlier in range(at):
            other = runner.origins[earlier]
            if other is not None and runner.model.parameters[earlier].kind != "tops" and other(state, e) is zone:
                taken = chosen[earlier] if isinstance(chosen[earlier], list) else [chosen[earlier]]
                for face in taken:
                    if face in faces:
                        faces.remove(face)
        return faces

    def _cells(self, parameter: ParameterModel, state: State) -> Iterator[tuple[int, int]]:
        """The cells that may be named: of a grid that floats those with which it is no larger than it is declared, and
        those beside the cells in use.
        """
        zone = self.game.zone_list[parameter.zone]
        if not zone.floating:
            yield from ((x, y) for y in range(zone.height) for x in range(zone.width))
            return
        owner = state.player if zone.dimensions else 0
        grid = state.zones[zone.number][owner]
        if not grid:
            yield (0, 0)
            return
        left, top, right, bottom = bounds(grid)
        wide, high = max(1, zone.width - (right - left + 1)), max(1, zone.height - (bottom - top + 1))
        for y in range(top - high, bottom + high + 1):
            for x in range(left - wide, right + wide + 1):
                yield (x, y)


def _choices(faces: list[int], count: int) -> Iterator[list[int]]:
    """Every choice of so many of these faces, which are in order; equal ones are told apart by nothing."""
    if comb(len(faces), count) <= MAX_AT_ONCE:
        yield from map(list, sorted(set(combinations(faces, count))))
        return
    # Too many to have at once: one after the other, in the same order, each the next larger one.
    chosen = faces[:count]
    last = faces[len(faces) - count :]
    while True:
        yield chosen.copy()
        at = next((at for at in reversed(range(count)) if chosen[at] < last[at]), None)
        if at is None:
            return
        start = bisect_right(faces, chosen[at])
        chosen[at:] = faces[start : start + count - at]


def _values(type_: Type, state: State, game: Game) -> Iterator[Any]:
    if type_.kind == "key":
        for option in type_.options:
            yield from _values(option, state, game)
    elif type_.kind == "member":
        table = game.ruleset.components[type_.component].attributes[type_.attribute].table
        yield from dict.fromkeys(table)
    elif type_.kind == "int":
        yield from range(type_.low, type_.high + 1)
    elif type_.kind == "bool":
        yield from (False, True)
    elif type_.kind == "player":
        yield from range(state.players)
    elif type_.kind == "goal":
        yield from range(len(state.goals))
