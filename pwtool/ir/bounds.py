"""Which effects may exceed a bound, what has to be carried out to find out, and what chance decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, read_by, read_by_effect, taken_from, written_by_effect
from pwtool.ir.model import ActionModel, EffectModel, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals, operands


class Step(msgspec.Struct, frozen=True):
    """An effect to carry out. `asked`: its bound is checked when it sets a value or puts something down; `done`: it
    changes the position, which an effect need not do on trial if no later check depends on it. `steps` are those of
    `for each`.
    """

    effect: EffectModel
    asked: bool = False
    done: bool = True
    steps: tuple[Step, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether it, or one of its steps, changes the position."""
        return any(step.changes for step in self.steps) if self.effect.kind == "each" else self.done


def carried_out(steps: Iterable[Step]) -> Iterator[Step]:
    """All steps, with those of loops."""
    for step in steps:
        yield step
        yield from carried_out(step.steps)


class Declares(Protocol):
    """A ruleset, or what is known of one while it is built."""

    @property
    def variables(self) -> Mapping[str, VariableModel]:
        """The variables by name."""

    @property
    def zones(self) -> Mapping[str, ZoneModel]:
        """The zones by name."""


def in_full(action: ActionModel, declared: Declares) -> tuple[Step, ...]:
    """All effects, in order. Those are checked whose bounds decide nothing about what is legal: all of consequences,
    and of actions those whose numbers depend on chance.
    """
    bounded, drawn = _Bounded(declared), changed_by_chance(action)

    def step(effect: EffectModel) -> Step:
        by_rules = action.is_consequence or (effect.kind in ("add", "set") and effect.number in drawn)
        return Step(effect, by_rules and bounded.may_exceed(effect), steps=tuple(map(step, effect.effects)))

    return tuple(map(step, action.effects))


def on_trial(action: ActionModel, declared: Declares) -> tuple[Step, ...]:
    """The effects that show whether an action would exceed a bound, in order: those whose bounds are checked, and those
    that change what these read. Consequences are not tried, and what chance decides is only checked in full.
    """
    return () if action.is_consequence else tuple(_Trial(action, declared).steps(action.effects, set()))


class _Bounded:
    """What has bounds that an effect may exceed."""

    def __init__(self, declared: Declares) -> None:
        self.numbers = {v.number: v.type for v in declared.variables.values() if v.type.kind == "int"}
        self.slots = {z.number for z in declared.zones.values() if z.kind == "slot"}

    def may_exceed(self, effect: EffectModel) -> bool:
        """Whether an effect may exceed a bound, as far as its types tell."""
        if effect.kind in ("add", "set"):
            bounds = self.numbers.get(effect.number)
            return bounds is not None and not (effect.kind == "set" and _always_within(effect.value, bounds))
        slot = isinstance(effect.target, ir.Zone) and effect.target.zone in self.slots
        return effect.kind == "move" and (slot or may_lack_its_cell(effect))


def _always_within(value: Expr | None, bounds: Type) -> bool:
    if value is None or value.type.kind != "int" or value.type.optional:
        return False
    return bounds.low <= value.type.low and value.type.high <= bounds.high


class _Trial:
    """The steps on trial for one action, found from the last effect to the first."""

    def __init__(self, action: ActionModel, declared: Declares) -> None:
        self.action = action
        self.bounded, self.drawn = _Bounded(declared), changed_by_chance(action)
        self.single = {p.slot for p in action.parameters if p.kind == "element"}

    def steps(self, effects: Iterable[EffectModel], wanted: set[Place]) -> list[Step]:
        """The steps among these effects, before others that depend on the places in `wanted`; adds what they depend on."""
        found = [self._step(effect, wanted) for effect in reversed(tuple(effects))]
        return [step for step in reversed(found) if step is not None]

    def _step(self, effect: EffectModel, wanted: set[Place]) -> Step | None:
        if effect.kind == "each":
            steps, size = self.steps(effect.effects, wanted), -1
            while size != len(wanted):
                # A round depends on what the rounds before it changed.
                size = len(wanted)
                steps = self.steps(effect.effects, wanted)
            wanted |= read_by(effect.value) if steps else frozenset()
            return Step(effect, steps=tuple(steps)) if steps else None
        number = effect.kind in ("add", "set")
        asked = self.bounded.may_exceed(effect) and not (number and effect.number in self.drawn)
        # Whether an action is possible depends on everything.
        done = any(kind == "action" for kind, _ in wanted) or not wanted.isdisjoint(_written(effect, self.action))
        done |= asked and effect.kind == "move" and not self._puts_one(effect)
        if not asked and not done:
            return None
        wanted |= _read(effect)
        return Step(effect, asked, done)

    def _puts_one(self, effect: EffectModel) -> bool:
        """Whether at most one thing moves, from another zone: then there is room or not, before it moves as after."""
        one = effect.source == "top" or (effect.source == "parameter" and effect.slot in self.single)
        return one and taken_from(effect, self.action).isdisjoint(read_by(effect.target, effect.cell))


def _read(effect: EffectModel) -> frozenset[Place]:
    """What an effect depends on, the number that it adds to included, and whether what it moves has already moved."""
    own = {("variable", effect.number)} if effect.kind == "add" else set()
    return read_by_effect(effect) | own | _mark(effect)


def _written(effect: EffectModel, action: ActionModel) -> frozenset[Place]:
    return written_by_effect(effect, action) | _mark(effect)


def _mark(effect: EffectModel) -> frozenset[Place]:
    return frozenset({("moved", effect.slot)} if effect.moves_parameter else ())


def may_lack_its_cell(effect: EffectModel) -> bool:
    """Whether an effect may have no cell to move something to: the cell may be absent, and the effect has no condition
    that excludes this.
    """
    if effect.cell is None or not effect.cell.type.optional:
        return False
    asked = [] if effect.when is None else [effect.when]
    while asked:
        part = asked.pop()
        if isinstance(part, ir.And):
            asked += [part.left, part.right]
        elif isinstance(part, ir.Compare) and part.sign == "!=" and part.left == effect.cell:
            nothing = isinstance(part.right, ir.Const) and part.right.value is None
            if nothing:
                return False
    return True


def kept_values(action: ActionModel) -> frozenset[int]:
    """The named values that have to be stored before the first effect: effects, or conditions after the action, read
    them when the collection that they were made of has changed.
    """
    written = frozenset[Place]().union(*(written_by_effect(effect, action) for effect in action.effects))
    ahead = [part.body for rule in action.rules for part in _aheads(rule.when, rule.require)]
    later = frozenset[int]().union(
        *(free_locals(part) for effect in action.all_effects for part in effect.parts), *map(free_locals, ahead)
    )
    found: set[int] = set()
    for _, slot, value in reversed(action.lets):
        if slot in later:
            later |= free_locals(value)
            if value.type.is_collection and (ahead or read_by(value) & written):
                found.add(slot)
    return frozenset(found)


def _aheads(*exprs: Expr | None) -> list[ir.After]:
    pending, found = [x for x in exprs if x is not None], list[ir.After]()
    while pending:
        part = pending.pop()
        found += [part] if isinstance(part, ir.After) else []
        pending += operands(part)
    return found


# ---- chance ----------------------------------------------------------------------------------------------------------


def made_by_chance(action: ActionModel) -> frozenset[int]:
    """The locals that depend on a random draw."""
    found = {p.slot for p in action.parameters if p.chance}
    for _, slot, value in action.lets:
        if not found.isdisjoint(free_locals(value)):
            found.add(slot)
    return frozenset(found)


def changed_by_chance(action: ActionModel) -> frozenset[int]:
    """The variables for which chance decides how an action changes them."""
    return frozenset(number for kind, number in _Drawn(action).varies if kind == "variable" and isinstance(number, int))


def moved_by_chance(action: ActionModel) -> list[EffectModel]:
    """The moves for which chance decides whether, or where, there is room for something."""
    return _Drawn(action).moves


class _Drawn:
    """What chance decides about the effects of an action, one after the other. `varies` are the places in which it
    decides what a value is or how many things lie there, `mixed` those in which it only decides which things.
    """

    def __init__(self, action: ActionModel) -> None:
        self.action = action
        self.locals = set(made_by_chance(action))
        self.varies, self.mixed = set[Place](), set[Place]()
        self.moves: list[EffectModel] = []
        if action.shuffles:
            self._go(action.effects, False)

    def _go(self, effects: tuple[EffectModel, ...], around: bool) -> None:
        for effect in effects:
            if effect.kind == "each":
                around_it = around or self._hangs(effect.value)
                self.locals |= {effect.slot} if around_it else set()
                size = -1
                while size != len(self.varies) + len(self.mixed):
                    # A round depends on what the rounds before it changed.
                    size = len(self.varies) + len(self.mixed)
                    self._go(effect.effects, around_it)
            elif effect.kind == "shuffle":
                self.mixed |= written_by_effect(effect, self.action)
            elif effect.kind == "move":
                self._move(effect, around)
            elif around or any(map(self._hangs, effect.parts)):
                self.varies |= written_by_effect(effect, self.action)

    def _move(self, effect: EffectModel, around: bool) -> None:
        places = taken_from(effect, self.action) | written_by_effect(effect, self.action)
        which = effect.value if effect.source in ("found", "last") else None
        where = (effect.when, effect.target, effect.cell, effect.origin, effect.amount, which)
        if around or any(map(self._hangs, where)) or self.varies & _mark(effect):
            self.varies |= places | _mark(effect)
            self.moves.append(effect)
            return
        if self.varies & read_by(effect.target):
            self.moves.append(effect)
        if self.varies & taken_from(effect, self.action):
            self.varies |= places
        if (effect.moves_parameter and effect.slot in self.locals) or self.mixed & places:
            self.mixed |= places

    def _hangs(self, expr: Expr | None) -> bool:
        """Whether chance decides the value of an expression."""
        if expr is None:
            return False
        if not self.locals.isdisjoint(free_locals(expr)):
            return True
        read = read_by(expr)
        if any(kind == "action" for kind, _ in read):
            return bool(self.varies or self.mixed)
        return bool(self.varies & read or self.mixed & read_by(*_contents(expr)))


def _contents(expr: Expr) -> list[Expr]:
    """The parts of an expression in which it matters which things lie somewhere, not only how many."""
    if isinstance(expr, ir.Count | ir.Empty) and isinstance(expr.of, ir.Zone | ir.PileAt):
        parts = [part for x in operands(expr.of) for part in (operands(x) if isinstance(x, ir.Zone) else [x])]
        return [part for x in parts for part in _contents(x)]
    if isinstance(expr, ir.Zone | ir.Family):
        return [expr]
    inside = operands(expr)
    return [part for x in inside for part in _contents(x)] if inside else [expr]
