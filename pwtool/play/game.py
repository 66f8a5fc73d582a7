"""A ruleset ready to play: everything compiled once, for known positions (`fast`) and for any (`careful`)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pwtool.eval.backend import Backend
from pwtool.eval.work import Work
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by, taken_from
from pwtool.ir.ahead import judged_late
from pwtool.ir.model import ActionModel, Ruleset, VariableModel
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.material import in_blocks
from pwtool.play.actions import Runner, compile_rule
from pwtool.play.state import State

if TYPE_CHECKING:
    from pwtool.eval.interpreter import Interpreter


class Machine:
    """All actions, rules and score lines of a ruleset, compiled by one backend."""

    def __init__(self, ruleset: Ruleset, backend: Backend, like: Machine | None = None) -> None:
        self.backend = backend
        known = {} if like is None else {id(r.model): r for r in (*like.actions, *like.consequences)}
        self.actions: list[Runner] = [known.get(id(a)) or Runner(a, ruleset, backend) for a in ruleset.actions.values()]
        self.consequences: list[Runner] = [
            known.get(id(c)) or Runner(c, ruleset, backend) for c in ruleset.consequences.values()
        ]
        self.blocks = {each_action: _blocks(self, ruleset, each_action) for each_action in (False, True)}
        self.turn_rules = [compile_rule(r, backend) for r in ruleset.turn_rules]
        self.setup_rules = [compile_rule(r, backend) for r in ruleset.setup_rules]
        self.guards = [(backend.condition(s.actor), backend.condition(s.guard)) for s in ruleset.order.steps]
        self.anytime = [(backend.condition(s.actor)) for s in ruleset.anytime]
        self.endings = [backend.compile(e.condition) for e in ruleset.endings]
        self.scores = [backend.compile(s.value) for s in ruleset.scores]
        self.criteria = [(c.kind, backend.condition(c.value)) for c in ruleset.ranking]
        self.histories = [backend.history(number) for number in range(len(ruleset.histories))]
        self.cases = {s.name: [(values, backend.condition(when)) for values, when in s.cases] for s in ruleset.setup}
        self.initial = {
            v.number: backend.compile(v.initial)
            for v in ruleset.variables.values()
            if v.initial is not None and not isinstance(v.initial, ir.Const)
        }


class Block(Struct, frozen=True):
    """A sequence of consequences: by number, and how often the whole sequence is repeated."""

    runners: list[tuple[int, Runner]]
    rounds: int


def _blocks(machine: Machine, ruleset: Ruleset, each_action: bool) -> list[Block]:
    return [
        Block(
            [(number, machine.consequences[number]) for number, _ in block],
            max(1, *(m.rounds for _, m in block)),
        )
        for block in in_blocks(ruleset.consequences.values(), each_action)
    ]


def _fits(ruleset: Ruleset, other: Ruleset) -> bool:
    """Whether what is compiled for one ruleset means the same in another one: it reads the same declarations and objectives."""
    same = all(a is b for a, b in zip(ruleset.objectives.values(), other.objectives.values(), strict=False))
    declared = ruleset.zones is other.zones and ruleset.variables is other.variables
    return declared and same and (ruleset.slots, list(ruleset.objectives)) == (other.slots, list(other.objectives))


class Game:
    """A playable ruleset. What is compiled is taken from a game that it is `like`, as far as that has the same actions."""

    def __init__(self, ruleset: Ruleset, like: Game | None = None) -> None:
        self.ruleset = ruleset
        shared = like if like is not None and _fits(ruleset, like.ruleset) else None
        self.work: Work = Work() if shared is None else shared.work
        self.fast: Machine = Machine(ruleset, Compiler(ruleset, self.work), None if shared is None else shared.fast)
        self.action_numbers = {a.name: a.number for a in ruleset.actions.values()}
        self.consequence_numbers = {name: i for i, name in enumerate(ruleset.consequences)}
        self.zone_list = list(ruleset.zones.values())
        self.variable_list = list(ruleset.variables.values())
        self.decks: dict[tuple[str, int], Counter[int]] = {}
        self.steps: dict[tuple[frozenset[int], int], tuple[frozenset[int] | None, bool]] = {}
        self._first_values = {
            per: [(v.number, first_value(v), v.each) for v in self.variable_list if v.per == per]
            for per in ("game", "turn")
        }
        self.idle = ruleset.idle
        self.judged_late = frozenset(a.number for a in ruleset.actions.values() if judged_late(a))
        self.immediate = [number for number, ending in enumerate(ruleset.endings) if ending.at_once]

    @cached_property
    def interpreter(self) -> Interpreter:
        """The reference interpreter; most games never need it."""
        from pwtool.eval.interpreter import Interpreter

        return Interpreter(self.ruleset, self.work)

    @cached_property
    def receiving_zones(self) -> frozenset[int]:
        """The zones that some effect moves things to; all others only ever lose what was dealt to them."""
        models = (*self.ruleset.actions.values(), *self.ruleset.consequences.values())
        targets = [e.target for m in models for e in m.all_effects if e.kind == "move" and e.target is not None]
        return frozenset(t.zone for t in targets if isinstance(t, ir.Zone))

    @cached_property
    def turned_zones(self) -> frozenset[int]:
        """The zones in which things may lie whose state has changed: where it does, and wherever they move on from there."""
        models = (*self.ruleset.actions.values(), *self.ruleset.consequences.values())
        effects = [(e, m) for m in models for e in m.all_effects]
        found = {zone for e, m in effects if e.kind == "turn" for _, zone in taken_from(e, m)}
        moves = [(taken_from(e, m), read_by(e.target)) for e, m in effects if e.kind == "move"]
        before = -1
        while before != len(found):
            before = len(found)
            reached = [there for here, there in moves if any(zone in found for _, zone in here)]
            found |= {number for there in reached for kind, number in there if kind == "zone"}
        return frozenset(number for number in found if isinstance(number, int))

    @cached_property
    def careful(self) -> Machine:
        """The same, compiled by the reference interpreter, which supports unknowns."""
        return Machine(self.ruleset, self.interpreter)

    def machine(self, state: State) -> Machine:
        """The machine that can judge this state."""
        return self.careful if state.unseen or state.blurred else self.fast

    def remember(self, state: State) -> None:
        """Store the parts of a position that the histories of the ruleset need later."""
        for number, history in enumerate(self.machine(state).histories):
            found = history(state, self.locals())
            state.history[number].append(found)
            state.blurred |= found is None

    def locals(self) -> list[Any]:
        return [None] * self.ruleset.slots

    def fresh_variables(self, state: State, per: str) -> None:
        """Give the variables of a turn (or of the game) their initial values."""
        variables = state.variables
        for number, value, each in self._first_values[per]:
            variables[number] = [value] * state.players if each else value[:] if isinstance(value, list) else value
        initial = self.machine(state).initial
        own = state.player
        for variable in self.variable_list if initial else ():
            if variable.per == per and variable.number in initial:
                begin = initial[variable.number]
                if variable.each:
                    for seat in range(state.players):
                        state.player = seat
                        variables[variable.number][seat] = begin(state, self.locals())
                    state.player = own
                    continue
                value = begin(state, self.locals())
                variables[variable.number] = list(value) if variable.type.is_collection else value

    def action(self, number: int) -> ActionModel:
        return self.fast.actions[number].model


def first_value(variable: VariableModel) -> Any:
    """The initial value of a variable, as far as it does not depend on the position."""
    if variable.initial is not None:
        if not isinstance(variable.initial, ir.Const):
            return None
        value = variable.initial.value
        return list(value) if variable.type.is_collection else value
    if variable.type.is_collection:
        return []
    return False if variable.type.kind == "bool" else None
