"""Actions ready to run: rules and effects of a ruleset, compiled once for known positions and once for positions with
unknowns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pwtool.eval.backend import Backend, Evaluator, Let, Refuse
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, written_by_effect
from pwtool.ir.bounds import Step, carried_out, in_full, kept_values, on_trial
from pwtool.ir.model import ActionModel, ParameterModel, RuleModel, Ruleset, refusal
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, walk
from pwtool.play import facts
from pwtool.play.changes import FaultyRules, Overflows
from pwtool.play.effects import compile_effect
from pwtool.play.orders import component_of, not_the_same, part_of
from pwtool.play.state import State

Rule = tuple[RuleModel, Evaluator]
"""A rule, and whether it refuses."""


class Runner:
    """One action (or consequence) of a ruleset, compiled by one backend."""

    __slots__ = (
        "apart",
        "blank",
        "bound",
        "cells",
        "compute",
        "derive",
        "effects",
        "given",
        "goals",
        "is_due",
        "lets",
        "model",
        "moved",
        "ordered",
        "origins",
        "places",
        "positions",
        "refusals",
        "rules",
        "slots",
        "sources",
        "tops",
        "trial",
    )

    def __init__(self, model: ActionModel, ruleset: Ruleset, backend: Backend) -> None:
        self.model = model
        parameters = model.parameters
        moves = Counter(e.slot for e in model.effects if e.moves_parameter)
        # A parameter with several moves is moved by the first that applies: whether one has is kept after all other locals.
        self.moved = {slot: ruleset.slots + len(parameters) + i for i, (slot, n) in enumerate(moves.items()) if n > 1}
        self.slots = ruleset.slots + len(parameters) + len(moves)
        self.blank: list[Any] = [None] * self.slots
        self.origins = [None if p.origin is None or p.kind == "cell" else backend.compile(p.origin) for p in parameters]
        # The positions of the cards of a `tops` parameter are kept in an extra local, after all others.
        self.positions = [ruleset.slots + i for i, _ in enumerate(parameters)]
        self.tops = any(p.kind == "tops" for p in parameters)
        self.sources = [
            (p, origin, extra)
            for p, origin, extra in zip(parameters, self.origins, self.positions, strict=True)
            if origin is not None
        ]
        self.ordered = {number for number, zone in enumerate(ruleset.zones.values()) if zone.kind != "bag"}
        kept = kept_values(model)
        self.lets = [Let(slot, value, slot in kept) for _, slot, value in model.lets]
        self.rules = [Refuse(refusal(r.when, r.require)) for r in model.rules]
        self.bound = [p.slot for p in parameters]
        # The parameters that name objectives, and cells of a grid that does not float, with their places.
        self.goals = [(at, p) for at, p in enumerate(parameters) if p.type.kind == "goal"]
        zones = list(ruleset.zones.values())
        self.cells = [(at, p) for at, p in enumerate(parameters) if p.kind == "cell" and not zones[p.zone].floating]
        self.given = [p.slot for p in parameters if p.kind != "derived"]
        derived = [Let(p.slot, p.origin) for p in parameters if p.kind == "derived" and p.origin is not None]
        self.compute = backend.allows(self.lets)
        """Computes the named values."""
        self.derive = backend.allows([*derived, *self.lets])
        """Computes the derived parameters and the named values of a consequence."""
        self.refusals = backend.refusals(self.rules)
        # A consequence is rarely due: cheap rules are evaluated first, before anything is derived.
        given = set(self.given)
        ranks = [2 if _is_costly(r.require) else 0 if _reads_only(r, given) else 1 for r in model.rules]
        first, second, last = ([r for r, rank in zip(self.rules, ranks, strict=True) if rank == n] for n in range(3))
        self.is_due = backend.allows([*first, *derived, *self.lets, *second, *last])
        """Whether no rule refuses a consequence with the parameters that are given (for known positions)."""
        self.places = {p.slot: i for i, p in enumerate(parameters)}
        steps = on_trial(model, ruleset)
        self.effects = [compile_effect(step, self, backend) for step in in_full(model, ruleset)]
        self.trial = [compile_effect(step, self, backend) for step in steps]
        """The effects that show whether a bound is exceeded, with their checks."""
        self.apart = changed_places(model, steps) if backend.three_valued or any(s.changes for s in steps) else None
        """The zones and variables that these change; None: nothing at all."""
        if self.moved:
            marks = list(self.moved.values())

            def begin(state: State, e: list[Any]) -> None:
                for mark in marks:
                    e[mark] = False

            self.effects.insert(0, begin)
            if self.trial:
                self.trial.insert(0, begin)

    def bind(self, arguments: Sequence[Any]) -> list[Any]:
        """Locals with the arguments in their slots; a `tops` argument is a list of (pile number, face)."""
        e = self.blank.copy()
        if not self.tops:
            for slot, argument in zip(self.bound, arguments, strict=True):
                e[slot] = argument
            return e
        for parameter, argument, extra in zip(self.model.parameters, arguments, self.positions, strict=True):
            if parameter.kind == "tops":
                e[extra] = argument
                e[parameter.slot] = [face for _, face in argument]
            else:
                e[parameter.slot] = argument
        return e

    def arguments(self, e: list[Any]) -> tuple[Any, ...]:
        """The bound arguments, as `bind` takes them."""
        return tuple(
            e[extra] if p.kind == "tops" else e[p.slot]
            for p, extra in zip(self.model.parameters, self.positions, strict=True)
        )

    def bind_given(self, values: Sequence[Any]) -> list[Any]:
        """Locals of a consequence with the values of its parameters that are not derived."""
        e = self.blank.copy()
        for slot, value in zip(self.given, values, strict=True):
            e[slot] = value
        return e

    def given_bound(self, e: list[Any]) -> tuple[Any, ...]:
        """The values of the parameters of a consequence that are not derived, from its locals."""
        return tuple(e[slot] for slot in self.given)

    def given_named(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The same values, as a record names them."""
        return tuple(a for p, a in zip(self.model.parameters, arguments, strict=True) if p.kind != "derived")

    def judge(self, state: State, e: list[Any]) -> tuple[list[RuleModel], list[RuleModel]]:
        """The rules that refuse the action, and those that cannot be judged."""
        broken: list[RuleModel] = []
        unknown: list[RuleModel] = []
        for number, verdict in self.refusals(state, e):
            (unknown if verdict is UNKNOWN else broken).append(self.model.rules[number])
        return broken, unknown

    def apply(self, state: State, e: list[Any]) -> None:
        """Carry out the effects. Raises `FaultyRules` if one exceeds a bound that decides nothing about what is legal."""
        try:
            for effect in self.effects:
                effect(state, e)
        except Overflows as found:
            # In a lost position, that depends on unseen cards.
            if not state.lost:
                name = self.model.name
                raise FaultyRules("PW619", f"{name}.{found.name}", facts.OutOfBounds(name, found.fact)) from None

    def overflow(self, state: State, e: list[Any]) -> Overflows | None:
        """The first bound that an effect would exceed: a variable out of its range, a second thing in a slot, a missing
        cell. The effects are carried out one after the other, on a position apart. None if that depends on unseen cards.
        """
        if not self.trial:
            return None
        on_trial = state if self.apart is None else state.apart(*self.apart)
        try:
            for effect in self.trial:
                effect(on_trial, e)
        except Overflows as found:
            return None if on_trial.lost else found
        return None

    def unavailable(self, state: State, e: list[Any]) -> list[tuple[ParameterModel, Any]]:
        """Parameters whose cards are not where they have to be, each with the first card (or pile number) that is
        missing; for an order, what it leaves out and what it has too many of.
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
                elif parameter.zone in self.ordered and self._may_lie(state, parameter, left, face):
                    left.remove(UNSEEN)
                else:
                    missing.append((parameter, face))
                    break
        for parameter, left in unread:
            # An unread card may be any that lies there and is not named.
            if left:
                left.pop()
            else:
                missing.append((parameter, UNSEEN))
        return missing

    def _may_lie(self, state: State, parameter: ParameterModel, left: list[int], face: int) -> bool:
        """Whether one of several unseen cards of a pile may be this one; where there is but one, it was made known."""
        pool = state.pool.get(component_of(parameter))
        return left.count(UNSEEN) > 1 and pool is not None and pool[face] > 0


def _wrong_tops(
    parameter: ParameterModel, piles: list[list[int]], taken: list[tuple[int, int]]
) -> list[tuple[ParameterModel, Any]]:
    for number, face in taken:
        if not 1 <= number <= len(piles) or not piles[number - 1] or piles[number - 1][-1] != face:
            return [(parameter, (number, face))]
    return []


def changed_places(model: ActionModel, steps: Iterable[Step]) -> tuple[list[int], list[int]]:
    """The zones and the variables that steps of an action change, by number."""
    places = set[Place]()
    for step in carried_out(steps):
        if step.done and step.effect.kind != "each":
            places |= written_by_effect(step.effect, model)
    zones, variables = ([n for k, n in places if k == kind and isinstance(n, int)] for kind in ("zone", "variable"))
    return zones, variables


def _is_costly(expr: Expr) -> bool:
    return any(isinstance(part, ir.Fulfils) for part in walk(expr))


def _reads_only(rule: RuleModel, slots: set[int]) -> bool:
    return free_locals(rule.require) | free_locals(rule.when) <= slots


def compile_rule(model: RuleModel, backend: Backend) -> Rule:
    return model, backend.compile(refusal(model.when, model.require))
