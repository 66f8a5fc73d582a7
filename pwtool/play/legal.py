"""All legal actions of a position.

Parameters are tried one after the other; every rule is evaluated as soon as everything that it needs is known, so that
whole branches are pruned early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pwtool.eval.backend import Backend, Evaluator, Let, Refuse
from pwtool.eval.values import UNKNOWN, UNSEEN, bounds
from pwtool.eval.work import Sizes, TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.ahead import looks_ahead, rank
from pwtool.ir.bounds import in_full
from pwtool.ir.grids import FAR, cells_of
from pwtool.ir.model import ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals
from pwtool.play.actions import Runner, changed_places
from pwtool.play.candidates import cells_left, choices_of, orders_of, sorted_out, values_of
from pwtool.play.chance import Chance
from pwtool.play.game import Game, Machine
from pwtool.play.orders import part_of
from pwtool.play.record import Record
from pwtool.play.state import State

if TYPE_CHECKING:
    from pwtool.ir.narrowing import Narrowing, Sorting

Arguments = tuple[Any, ...]
_FACE = itemgetter(1)


class Plan:
    """For one action: which named values and rules can be decided after which parameter, cheap rules first; `early`
    without those that look ahead. `stages` say for no parameter, and for each, whether nothing refuses.
    """

    def __init__(self, runner: Runner, backend: Backend, early: bool) -> None:
        from pwtool.ir.narrowing import narrowings, sortings

        self.runner = runner
        model, sizes = runner.model, Sizes()
        tried = (
            frozenset[int]().union(*(free_locals(part) for e in model.all_effects for part in e.parts))
            if runner.trial
            else frozenset[int]()
        )
        self.stages: list[Evaluator] = []
        self.sizes: list[tuple[Expr | None, Expr] | None] = []
        self.narrowed: list[list[Narrowing]] = []
        self.sorted: list[list[Sorting]] = []
        at_once = [rule for rule in model.rules if not looks_ahead(rule)]
        decided = stages(runner, early)
        for number, stage in enumerate(decided):
            if stage.parameter is not None:
                self.sizes.append(_exact_size(stage.parameter, runner, stage.before))
                fixed = stage.parameter.kind == "cell"
                self.narrowed.append(narrowings(model, stage.parameter, stage.before) if fixed else [])
                several = stage.parameter.kind in ("elements", "tops")
                self.sorted.append(sortings(at_once, stage.parameter, stage.before) if several else [])
            values = [(let.slot, let.value) for let in stage.lets]
            rules = sorted(stage.rules, key=lambda r: (rank(r[0], values), _price(r[0], stage.lets, sizes)))
            later = tried.union(
                *(_reads(rule) for after in decided[number + 1 :] for rule, _ in after.rules),
                *(free_locals(let.value) for after in decided[number + 1 :] for let in after.lets),
            )
            self.stages.append(backend.allows(_staged(stage.lets, rules, later), kept=True))


class Stage(Struct, frozen=True):
    """What can be decided once a parameter has been chosen (None: before any), and the locals that are known `before` that."""

    parameter: ParameterModel | None
    before: set[int]
    lets: list[Let]
    rules: list[tuple[RuleModel, Refuse]]


def stages(runner: Runner, early: bool = False) -> list[Stage]:
    """The named values and rules of an action by the parameter after which they can be decided; `early` without rules that look ahead."""
    known: set[int] = set()
    lets, found = list(runner.lets), list[Stage]()
    rules = [r for r in zip(runner.model.rules, runner.rules, strict=True) if not (early and looks_ahead(r[0]))]
    for parameter in (None, *runner.model.parameters):
        before = known.copy()
        if parameter is not None:
            known.add(parameter.slot)
        ready: list[Let] = []
        while lets and free_locals(lets[0].value) <= known:
            known.add(lets[0].slot)
            ready.append(lets.pop(0))
        found.append(Stage(parameter, before, ready, [r for r in rules if _reads(r[0]) <= known]))
        rules = [r for r in rules if r not in found[-1].rules]
    return found


def _reads(rule: RuleModel) -> frozenset[int]:
    return free_locals(rule.require) | free_locals(rule.when)


def _needed(slots: frozenset[int], lets: list[Let]) -> list[Let]:
    """The named values that some locals are or depend on, in order."""
    wanted = set(slots)
    for let in reversed(lets):
        if let.slot in wanted:
            wanted |= free_locals(let.value)
    return [let for let in lets if let.slot in wanted]


def _price(rule: RuleModel, lets: list[Let], sizes: Sizes) -> int:
    """The cost of a rule together with the named values that it reads."""
    parts = [rule.require, *([] if rule.when is None else [rule.when])]
    return sum(map(sizes.steps, [*parts, *(let.value for let in _needed(_reads(rule), lets))]))


def _staged(lets: list[Let], rules: list[tuple[RuleModel, Refuse]], later: frozenset[int]) -> list[Let | Refuse]:
    """Each rule behind the named values that no earlier rule reads; then the named values that are read `later`."""
    left, steps = list(lets), list[Let | Refuse]()
    for rule, refuse in rules:
        first = _needed(_reads(rule), left)
        left = [let for let in left if let not in first]
        steps += [*first, refuse]
    return [*steps, *_needed(later, left)]


def _exact_size(parameter: ParameterModel, runner: Runner, known: set[int]) -> tuple[Expr | None, Expr] | None:
    """When, and how many cards a rule requires in a collection, in terms of what is known before it is chosen; None if
    no rule says `count p == ...`.
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

    def __init__(self, game: Game, like: LegalActions | None = None) -> None:
        self.game = game
        self._plans: dict[tuple[int, bool, bool], tuple[Plan, list[Any]]] = {}
        for (number, fast, early), plan in () if like is None else like._plans.items():
            # What is compiled for a game that this one is like.
            if fast and number < len(game.fast.actions) and game.fast.actions[number] is plan[0].runner:
                self._plans[number, fast, early] = plan
        self._led: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        """For each action the zones and variables that it changes, together with what follows immediately."""

    def _plan(self, machine: Machine, number: int, early: bool = False) -> tuple[Plan, list[Any]]:
        """The plan for an action; for each parameter when and how many things a rule requires and what rules say of each,
        or what they say about a cell.
        """
        key = (number, machine is self.game.fast, early)
        found = self._plans.get(key)
        if found is None:
            plan = Plan(machine.actions[number], machine.backend, early)
            compiled = machine.backend
            sizes: list[Any] = []
            for exact, said in zip(plan.sizes, plan.sorted, strict=True):
                when, size = (None, None) if exact is None else map(compiled.condition, exact)
                tests = [(compiled.condition(n.when), compiled.compile(n.test), n) for n in said]
                sizes.append((when, size, tests) if exact or tests else None)
            for at, narrowed in enumerate(plan.narrowed):
                if narrowed:
                    sizes[at] = [(compiled.condition(n.when), compiled.compile(n.value), n) for n in narrowed]
            found = self._plans[key] = (plan, sizes)
        return found

    def exists(self, state: State, action: str) -> Any:
        """Whether the player whose turn it is can do this action at all; UNKNOWN if it depends on unseen cards."""
        number = self.game.action_numbers[action]
        if not state.unseen:
            return self._exists(state, number)
        runner = self.game.careful.actions[number]
        perhaps = False
        for arguments in self.arguments(state, number):
            e = runner.bind(arguments)
            runner.compute(state, e)
            if not runner.judge(state, e)[1]:
                return True
            perhaps = True
        return UNKNOWN if perhaps or self._may_name_unseen(state, number) else False

    def _may_name_unseen(self, state: State, number: int) -> bool:
        """Whether an action may name something that nobody saw, in a place that the arguments before it tell."""
        machine = self.game.machine(state)
        runner, (plan, sizes) = machine.actions[number], self._plan(machine, number)
        parameters = runner.model.parameters
        e: list[Any] = [None] * runner.slots
        e.append({})

        def from_here(at: int, chosen: Arguments) -> bool:
            parameter, origin = parameters[at], runner.origins[at]
            if origin is not None and parameter.kind in ("element", "elements", "tops"):
                zone = origin(state, e)
                if any(UNSEEN in pile for pile in zone) if parameter.kind == "tops" else UNSEEN in zone:
                    return True
            if at + 1 == len(parameters):
                return False
            for candidate in self.candidates(runner, parameter, at, sizes[at], state, e, chosen):
                self.game.work.spend(1)
                if parameter.kind == "tops":
                    e[runner.positions[at]] = candidate
                e[parameter.slot] = [*map(_FACE, candidate)] if parameter.kind == "tops" else candidate
                if plan.stages[at + 1](state, e) and from_here(at + 1, (*chosen, candidate)):
                    return True
            return False

        return bool(parameters) and plan.stages[0](state, e) and from_here(0, ())

    def _exists(self, state: State, number: int) -> bool:
        key = number, state.player
        if key in state.possible and self._is_possible(state, number, state.possible[key]):
            return True
        found = next(self.arguments(state, number), None)
        if found is not None:
            self.suggest(state, number, state.player, found)
        return found is not None

    def suggest(self, state: State, number: int, player: int, arguments: Arguments) -> None:
        """Try these arguments first when it is asked whether a player can do an action, now or later: what was possible in an earlier
        position, or is done in the next turn of a record, most often is. Kept if they are cells of grids that do not float, so that
        they are candidates in every position.
        """
        if self._are_cells(number, arguments):
            state.possible[number, player] = arguments

    def suggest_next(self, state: State, record: Record, number: int) -> None:
        """Suggest what is done first in a turn of a record, before it is asked whether the game is over."""
        moves = record.turns[number].moves if number < len(record.turns) else ()
        if moves and not moves[0].consequence:
            self.suggest(state, moves[0].number, moves[0].actor, moves[0].arguments)

    def _are_cells(self, number: int, arguments: Arguments) -> bool:
        for parameter, argument in zip(self.game.fast.actions[number].model.parameters, arguments, strict=True):
            zone = self.game.zone_list[parameter.zone] if parameter.kind == "cell" and not parameter.chance else None
            if zone is None or zone.floating or not zone.grid.has(argument):
                return False
        return True

    def _is_possible(self, state: State, number: int, arguments: Arguments) -> bool:
        """Whether an action breaks no rule with these cells."""
        machine = self.game.machine(state)
        runner, (plan, _) = machine.actions[number], self._plan(machine, number)
        e: list[Any] = [None] * runner.slots
        e.append({})
        self.game.work.spend(len(arguments))
        if not plan.stages[0](state, e):
            return False
        for parameter, argument, stage in zip(runner.model.parameters, arguments, plan.stages[1:], strict=True):
            e[parameter.slot] = argument
            if not stage(state, e):
                return False
        return runner.overflow(state, e) is None

    def ahead(self, state: State, action: str, e: list[Any]) -> State:
        """The position after an action and its immediate consequences; it shares what these do not change with this one."""
        from pwtool.play.play import Play

        machine, number, locals_ = self.game.machine(state), self.game.action_numbers[action], list(e)
        runner = machine.actions[number]
        if number not in self._led:
            following = [r.model for block in machine.blocks[True] for _, r in block.runners]
            parts = [changed_places(model, in_full(model, self.game.ruleset)) for model in (runner.model, *following)]
            zones, variables = (frozenset[int]().union(*part) for part in zip(*parts, strict=True))
            self._led[number] = zones, variables
        self.game.work.ahead += 1
        after = state.apart(*self._led[number])
        runner.compute(state, locals_)
        # What exceeds a bound is not legal: its consequences would begin from what cannot be.
        overflows = runner.overflow(state, list(locals_)) is not None
        play = Play(self.game, after, self)
        runner.apply(after, locals_)
        if not overflows:
            for _ in play.following(each_action=True):
                pass
        return after

    def arguments(self, state: State, number: int, early: bool = False, every: bool = False) -> Iterator[Arguments]:
        """All arguments with which the action breaks no rule in this position; `early` without evaluating rules that
        look ahead. Unknown verdicts do not refuse. `every`: also all that chance may decide, and things in every order
        in which they can be named.
        """
        machine = self.game.machine(state)
        runner = machine.actions[number]
        plan, sizes = self._plan(machine, number, early)
        e: list[Any] = [None] * runner.slots
        # What is found once for all arguments.
        e.append({})
        if not plan.stages[0](state, e):
            return
        yield from self._extend(runner, plan, sizes, state, e, 0, (), every)

    def _extend(
        self,
        runner: Runner,
        plan: Plan,
        sizes: list[Any],
        state: State,
        e: list[Any],
        at: int,
        chosen: Arguments,
        every: bool,
    ) -> Iterator[Arguments]:
        parameters = runner.model.parameters
        if at == len(parameters):
            if runner.overflow(state, e) is None:
                yield chosen
            return
        parameter, work, stage, last = parameters[at], self.game.work, plan.stages[at + 1], at + 1 == len(parameters)
        candidates = self.candidates(runner, parameter, at, sizes[at], state, e, chosen)
        if every and (parameter.listed or parameter.kind == "tops"):
            candidates = (order for candidate in candidates for order in orders_of(candidate))
        slot, tops = parameter.slot, parameter.kind == "tops"
        # Chance decides which it becomes: one candidate stands for all.
        for candidate in islice(candidates, 1) if parameter.chance and not every else candidates:
            work.left -= 1
            if work.left < 0:
                raise TooMuchWork
            if tops:
                e[runner.positions[at]] = candidate
                e[slot] = list(map(_FACE, candidate))
            else:
                e[slot] = candidate
            if not stage(state, e):
                continue
            if not last:
                yield from self._extend(runner, plan, sizes, state, e, at + 1, (*chosen, candidate), every)
            elif runner.overflow(state, e) is None:
                yield (*chosen, candidate)

    def candidates(
        self,
        runner: Runner,
        parameter: ParameterModel,
        at: int,
        size: Any,
        state: State,
        e: list[Any],
        chosen: Arguments,
    ) -> Iterator[Any]:
        """What a parameter may name after those before it, fewest things first; by its `size`, as many as a rule asks for, and of cells
        those that rules do not exclude.
        """
        if parameter.kind in ("element", "elements"):
            faces = self._available(runner, at, state, e, chosen)
            if parameter.kind == "element":
                yield from sorted(set(faces))
                return
            wanted, taken = None, list[int]()
            if size is not None:
                if size[1] is not None and (size[0] is None or size[0](state, e) is True):
                    wanted = size[1](state, e)
                taken, faces = sorted_out(size[2], faces, faces, state, e)
            sizes = [wanted - len(taken)] if isinstance(wanted, int) else list(range(len(faces) + 1))
            for count in sizes:
                if 0 <= count <= len(faces):
                    choices = choices_of(sorted(faces), count)
                    yield from (sorted([*taken, *choice]) for choice in choices) if taken else choices
        elif parameter.kind == "order":
            # Chance decides which order it becomes: the current one stands for all.
            origin = runner.origins[at]
            assert origin is not None
            yield part_of(parameter, origin(state, e))
        elif parameter.kind == "tops":
            origin = runner.origins[at]
            assert origin is not None
            tops = [(i + 1, pile[-1]) for i, pile in enumerate(origin(state, e)) if pile and pile[-1] != UNSEEN]
            chosen_tops, free = ([], tops) if size is None else sorted_out(size[2], tops, [*map(_FACE, tops)], state, e)
            for count in range(len(free) + 1):
                yield from (sorted([*chosen_tops, *choice]) for choice in combinations(free, count))
        elif parameter.kind == "cell":
            zone = self.game.zone_list[parameter.zone]
            if size is None or zone.floating:
                yield from self._cells(parameter, state)
            else:
                found = cells_left(size, zone.width, zone.height, state, e)
                yield from filter(zone.grid.has, found) if zone.mask else found
        elif parameter.each:
            of_each = parameter.type.element or parameter.type
            self.game.work.spend(of_each.high - of_each.low if of_each.kind == "int" else 0)
            values = list(values_of(of_each, state, self.game))
            yield from product(values, repeat=state.players)
        else:
            yield from values_of(parameter.type, state, self.game)

    def drawn(self, state: State, number: int, arguments: Arguments, rng: Chance) -> Arguments:
        """Arguments with random values in place of the placeholders: every order, value or thing is equally likely."""
        runner = self.game.machine(state).actions[number]
        if not runner.model.shuffles:
            return arguments
        e: list[Any] = [None] * runner.slots
        found: list[Any] = []
        for at, (parameter, argument) in enumerate(zip(runner.model.parameters, arguments, strict=True)):
            drawn = argument
            if parameter.kind == "order":
                drawn = rng.shuffled(argument)
            elif parameter.chance and parameter.kind == "element":
                drawn = rng.choice(sorted(self._available(runner, at, state, e, tuple(found))))
            elif parameter.chance:
                drawn = rng.choice(list(self.candidates(runner, parameter, at, None, state, e, tuple(found))))
            e[parameter.slot] = [face for _, face in drawn] if parameter.kind == "tops" else drawn
            found.append(drawn)
        return tuple(found)

    def at_random(
        self, state: State, number: int, rng: Chance, named: Mapping[int, Any] | None = None
    ) -> Arguments | None:
        """Random arguments of things that are there, whatever the rules say of them; None if there is nothing to name.
        `named`: what some parameters name, by their places; a collection has it among others.
        """
        runner = self.game.machine(state).actions[number]
        e: list[Any] = [None] * runner.slots
        found: list[Any] = []
        for at, parameter in enumerate(runner.model.parameters):
            wanted = [named[at]] if named is not None and at in named else []
            things: list[Any]
            if parameter.kind == "elements":
                things = sorted(self._available(runner, at, state, e, tuple(found)))
            elif parameter.kind == "tops":
                origin = runner.origins[at]
                assert origin is not None
                things = [(i + 1, pile[-1]) for i, pile in enumerate(origin(state, e)) if pile and pile[-1] != UNSEEN]
            elif parameter.each:
                things = self.values(state, parameter)
            else:
                things = list(self.candidates(runner, parameter, at, None, state, e, tuple(found)))
            if not all(one in things for one in wanted) or not (things or parameter.kind in ("elements", "tops")):
                return None
            if parameter.kind in ("elements", "tops"):
                for one in wanted:
                    things.remove(one)
                argument: Any = sorted([*wanted, *rng.sample(things, rng.below(len(things) + 1))])
            elif parameter.each:
                argument = tuple(rng.choice(things) for _ in range(state.players))
            else:
                argument = wanted[0] if wanted else rng.choice(things)
            e[parameter.slot] = [face for _, face in argument] if parameter.kind == "tops" else argument
            found.append(argument)
        return tuple(found)

    def values(self, state: State, parameter: ParameterModel) -> list[Any]:
        """All values that one player may name for a parameter that is a value or a number."""
        return list(values_of(parameter.type.element or parameter.type, state, self.game))

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
        """The cells that may be named; on a floating grid, those that keep it within its declared size, and the
        neighbours of the cells in use.
        """
        zone = self.game.zone_list[parameter.zone]
        if not zone.floating:
            yield from cells_of(zone.grid)
            return
        owner = state.player if zone.dimensions else 0
        grid = state.zones[zone.number][owner]
        if not grid:
            yield (0, 0)
            return
        left, top, right, bottom = bounds(grid)
        wide, high = max(1, zone.width - (right - left + 1)), max(1, zone.height - (bottom - top + 1))
        for y in range(max(top - high, -FAR), min(bottom + high, FAR) + 1):
            for x in range(max(left - wide, -FAR), min(right + wide, FAR) + 1):
                yield (x, y)
