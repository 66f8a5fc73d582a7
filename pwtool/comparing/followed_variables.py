"""Which variables are followed when two games are explored by their variables: those that may differ, and those that matter
to what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.items import Items, expressions, timing
from pwtool.comparing.premises import named_values, variables_of, variables_read
from pwtool.comparing.prover import TooMany
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by
from pwtool.ir.model import ActionModel, EndingModel, ParameterModel, Ruleset, VariableModel
from pwtool.ir.types import BOOL, SUM
from pwtool.ir.walk import walk

__all__ = ["Pair", "can_follow", "can_lack", "is_number"]


class Pair:
    """Two rulesets that differ in nothing but variables, rules of actions and turns, orders of play and endings: everything
    else would be in the rows. Raises `TooMany` for what is not followed.
    """

    def __init__(self, first: Ruleset, second: Ruleset, rows: Sequence[Row]) -> None:
        self.rulesets = (first, second)
        self.names = (Normalizer(first), Normalizer(second))
        self.makers = tuple(Items(n, list(range(first.min_players, first.max_players + 1))) for n in self.names)
        self.rows = {(r.kind, r.name) for r in rows if r.nature != "wording"}
        self.reworded = {(r.kind, r.name) for r in rows if r.status == "reworded"}
        """What says the same in both, wherever it is asked."""
        a, b = self.rulesets
        alike = [
            (a.min_players, a.max_players, a.rounds) == (b.min_players, b.max_players, b.rounds),
            a.actions.keys() == b.actions.keys(), a.variables.keys() == b.variables.keys(),
            self._forms("consequences") == self._forms("consequences", 1),
            [self._ending(0, e) for e in a.endings] == [self._ending(1, e) for e in b.endings],
        ]  # fmt: skip
        if not all(alike) or any(s.guard is not None for r in self.rulesets for s in r.anytime):
            raise TooMany
        # What an action leads to, and how often a position came, is not followed.
        parts = {type(part) for r in self.rulesets for x in expressions(r) for part in walk(x)}
        if parts & {ir.After, ir.Can, ir.Repeats}:
            raise TooMany
        self.actions = {name: (a.actions[name], b.actions[name]) for name in a.actions}
        for models in self.actions.values():
            asked = [maker.asked(_without_bounds(model)) for maker, model in zip(self.makers, models, strict=True)]
            if asked[0] != asked[1] or timing(models[0]) != timing(models[1]):
                raise TooMany
        both = [(v, b.variables[name]) for name, v in a.variables.items() if name not in self._bound()]
        self.can_follow = {v.name for v, w in both if can_follow(v) and can_follow(w)}
        self.can_lack = {v.name for v, w in both if can_lack(v) and can_lack(w)} - self.unlike() - self._set_in_loops()
        """The variables of which it can be followed whether they have a value: the same one in both games."""

    def _forms(self, kind: str, side: int = 0) -> list[Any]:
        """What actions or consequences are, with their rules."""
        maker, names = self.makers[side], self.names[side]
        return [
            (m.name, maker.action(m), [maker.form(rule, names.locals_of(m)) for rule in m.rules])
            for m in getattr(self.rulesets[side], kind).values()
        ]

    def _ending(self, side: int, ending: EndingModel) -> Any:
        """What an ending is beside its condition."""
        return ending.name, self.makers[side].form(replace(ending, condition=ir.Const(BOOL, True)))

    def _bound(self) -> set[str]:
        """The variables that consequences read or change."""
        found = set()
        for r in self.rulesets:
            numbers = {v.number: v.name for v in r.variables.values()}
            for c in r.consequences.values():
                found |= {numbers[n] for x in expressions(c) for n in numbers_in(x)}
                found |= {numbers[e.number] for e in c.all_effects if e.kind in ("add", "set")}
        return found

    def _set_in_loops(self) -> set[str]:
        """The variables that effects for each of some things change."""
        return {
            self.names[side].variables[inner.number]
            for side, r in enumerate(self.rulesets) for a in r.actions.values() for e in a.effects
            for inner in e.all if e.kind == "each" and inner.kind in ("add", "set")
        }  # fmt: skip

    def unlike(self) -> set[str]:
        """The variables that are declared or changed differently."""
        first, second = self.rulesets
        found = {
            name for name in first.variables
            if self.makers[0].form(replace(first.variables[name], seen="")) != self.makers[1].form(replace(second.variables[name], seen=""))
        }  # fmt: skip
        for models in self.actions.values():
            changes = [self._changes(side, model) for side, model in enumerate(models)]
            found |= {
                name for name in changes[0].keys() | changes[1].keys() if changes[0].get(name) != changes[1].get(name)
            }
        return found

    def _changes(self, side: int, model: ActionModel) -> dict[str, list[Any]]:
        """The effects of an action on each variable."""
        found: dict[str, list[Any]] = {}
        env = self.makers[side].locals_of_effects(model)
        for e in model.effects:
            for inner in e.all:
                if inner.kind in ("add", "set"):
                    name = self.names[side].variables[inner.number]
                    found.setdefault(name, []).append(self.makers[side].effect(e, env))
        return found

    def choices(self) -> Iterator[frozenset[str]]:
        """What may be followed: the variables that what differs asks about, then more and more of those that the same actions
        ask about.
        """
        found, before = self.unlike() | self._asked(lambda kind, name: (kind, name) in self.rows), None
        while found != before:
            before = set(found)
            yield self._closed(found)
            for read in self._read_together():
                found |= read if found & read else set()
        yield self._closed(found | self.can_follow | self.can_lack)

    def _asked(self, wanted: Callable[[str, str], bool]) -> set[str]:
        """The variables that rules, endings and guards read."""
        found = set()
        for r in self.rulesets:
            numbers = {v.number: v.name for v in r.variables.values()}
            read = [variables_of(rule, a) for a in r.actions.values() for rule in a.rules if wanted("rule", rule.id)]
            plain = [x for rule in r.turn_rules if wanted("rule", rule.id) for x in (rule.when, rule.require)]
            plain += [e.condition for e in r.endings if wanted("ending", e.name)]
            plain += [s.guard for s in r.order.steps]
            read += [numbers_in(x) for x in plain if x is not None]
            found |= {numbers[n] for some in read for n in some}
        return found

    def _read_together(self) -> Iterator[set[str]]:
        """The variables that each action, with its rules, reads and changes."""
        for r in self.rulesets:
            numbers = {v.number: v.name for v in r.variables.values()}
            for a in r.actions.values():
                yield {numbers[n] for x in expressions(a) for n in numbers_in(x)} | {
                    numbers[e.number] for e in a.all_effects if e.kind in ("add", "set")
                }

    def _closed(self, names: set[str]) -> frozenset[str]:
        """With the variables whose changes read them, and those that their changes read; without what other effects read.
        Raises `TooMany` if what may differ cannot be followed.
        """
        unlike = self.unlike()
        found, before = set(names), set[str]()
        while found != before:
            before = set(found)
            found |= {
                written
                for read, written in self._dependencies()
                if found & {read, written}
                for written in (read, written)
            }
        found &= self.can_follow | self.can_lack
        while out := {name for name in found & self.can_follow if self._read_elsewhere(name, found & self.can_follow)}:
            found -= out
        if not unlike <= found:
            raise TooMany
        return frozenset(found)

    def _dependencies(self) -> Iterator[tuple[str, str]]:
        """The variables that changes of others read: which, and of what."""
        for side, r in enumerate(self.rulesets):
            numbers = self.names[side].variables
            for action in r.actions.values():
                lets = named_values(action)
                for e in action.all_effects:
                    if e.kind in ("add", "set"):
                        for read in variables_read(e.when, lets) | variables_read(e.value, lets):
                            yield numbers[read], numbers[e.number]

    def _read_elsewhere(self, name: str, followed: Collection[str]) -> bool:
        """Whether effects that are not followed read a variable, or change it together with something else."""
        for side, r in enumerate(self.rulesets):
            numbers = self.names[side].variables
            for action in r.actions.values():
                lets = named_values(action)
                for e in action.effects:
                    if e.kind in ("add", "set") and numbers[e.number] in followed:
                        continue
                    parts = [x for inner in e.all for x in inner.parts if x is not None]
                    if any(name == numbers[n] for x in parts for n in variables_read(x, lets)):
                        return True
                    if any(i.kind in ("add", "set") and numbers[i.number] == name for i in e.all):
                        return True
        return False


def numbers_in(expr: ir.Expr) -> set[int]:
    """The numbers of the variables that an expression reads."""
    return {int(number) for kind, number in read_by(expr) if kind == "variable"}


def _without_bounds(model: ActionModel) -> ActionModel:
    """An action whose numbers may be any."""
    parameters = tuple(replace(p, type=SUM) if is_number(p) else p for p in model.parameters)
    return replace(model, parameters=parameters)


def is_number(parameter: ParameterModel) -> bool:
    """Whether somebody names a plain number, whose bounds may be others."""
    return parameter.kind == "number" and parameter.type.kind == "int" and not (parameter.each or parameter.chance)


def can_follow(variable: VariableModel) -> bool:
    """Whether the values of a variable can be followed: numbers and flags that begin with a known value."""
    is_known = variable.initial is not None or variable.type.kind == "bool"
    return (
        variable.type.kind in ("int", "bool")
        and not variable.each
        and is_known
        and isinstance(variable.initial, ir.Const | None)
    )


def can_lack(variable: VariableModel) -> bool:
    """Whether it can be followed if a variable has a value, whatever it is."""
    return variable.type.optional and variable.initial is None and not variable.each and variable.type.kind != "list"
