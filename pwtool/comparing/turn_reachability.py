"""Proofs that no game can show a difference in one direction: every turn of one ruleset is enumerated as far as its
order of play and its variables go; everything else is unrestricted.

Two rules may differ as formulas but not in play, because the situation that distinguishes them never occurs. The
variables of a turn and the places in both orders of play make a finite set of situations; from each, every action with
every case of what its rules ask about is followed. This allows more than real play does, so "none" is proven.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import ELSEWHERE, NormalForm, contains
from pwtool.comparing.items import expressions
from pwtool.comparing.premises import (
    named_values,
    only_counts_differ,
    rules_that_read,
    same_material,
    unlike_variables,
    variables_of,
    variables_read,
)
from pwtool.comparing.prover import Builder, Facts, Formula, Size, TooMany
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by_effect, written_by_effect
from pwtool.ir.model import ActionModel, RuleModel, VariableModel
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.order import START

MAX_CASES = 60_000
MAX_SITUATIONS = 400
MAX_NUMBER = 6
"""The greatest absolute value up to which a variable of a turn is followed."""
CELLS = 10
"""The number of cells that are told apart in one situation. A grid may have more or fewer."""
_Values = tuple[Any, ...]
_Situation = tuple[frozenset[int], frozenset[int], _Values, _Values]
_Outcomes = dict[tuple[tuple[_Values, _Values], bool], None]
"""Values after an action and whether it is allowed: a set in the order in which they were found."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known about the games that one ruleset allows and the other refuses under a row: the shortest turn that may end in
    such a refusal, as the names of its actions (None: it is proven that no game does), as far as order and variables tell.
    """

    turn: tuple[str, ...] | None


class Reachability:
    """What is known about games that `accepting` allows and `refusing` refuses, for each of the rows in which they differ."""

    def __init__(self, accepting: Game, refusing: Game, rows: list[Row]) -> None:
        self.games, self.rows = (accepting, refusing), rows
        self.rulesets = (accepting.ruleset, refusing.ruleset)

    @cached_property
    def is_followed(self) -> bool:
        """Whether turns can be followed at all."""
        games = self.games
        if any(s.actor is not None or s.guard is not None for r in self.rulesets for s in r.order.steps):
            return False
        if any(isinstance(part, ir.After) for r in self.rulesets for x in expressions(r) for part in walk(x)):
            # What an action leads to is not followed.
            return False
        if any(c.each_action for r in self.rulesets for c in r.consequences.values()):
            # Consequences in the middle of a turn are not followed.
            return False
        consequences = (row for row in self.rows if row.kind == "consequence" and row.status != "reworded")
        if any(consequences) or any(r.rounds for r in self.rulesets):
            return False
        # Shuffling is possible at any time, too: it neither advances a turn nor changes anything that is followed.
        if any(s.action not in g.idle for g in games for s in g.ruleset.anytime):
            return False
        return same_material(*self.rulesets)

    @cached_property
    def unlike(self) -> frozenset[str] | None:
        """The variables that may differ after the same actions; None: more than variables may differ."""
        return unlike_variables(*self.rulesets)

    def reach(self, row: Row) -> Reach | None:
        """Follow all turns of `accepting` to one that `refusing` refuses, because of the row's rule of an action, its order of play, or
        the variables that only one of them changes. None: the turns could not be followed.
        """
        if not self.is_followed:
            return None
        games, (first, second), unlike = self.games, self.rulesets, self.unlike
        shared = unlike is not None
        # The turns that are followed are those of the order of play; actions outside it are in none of them.
        ours = [r.id for a in second.actions.values() if a.number not in games[1].idle for r in a.rules]
        if row.kind == "turn" or (row.kind == "rule" and row.name in ours):
            return _followed(games, row.kind, row.name, shared)
        if row.kind != "action" or row.status != "different" or unlike is None:
            return None
        if not only_counts_differ(first, second, row.name, unlike):
            return None
        asked = rules_that_read(second, unlike)
        if asked is None or not asked.keys() <= set(ours) or rules_that_read(first, unlike) is None:
            return None
        # Every rule that what the two change differently can break, and the bounds of these variables: with a rule that reads them, as
        # other rules about the same keep both in check.
        bounded = {v.name for v in second.variables.values() if v.name in unlike and v.type.kind == "int"}
        questions = [("rule", name, read & bounded) for name, read in asked.items()]
        left = frozenset(bounded.difference(*(read for _, _, read in questions)))
        questions += [("bounds", "", left)] if left else []
        found = [_followed(games, kind, name, shared, read) for kind, name, read in questions]
        return next((one for one in found if one is None or one.turn is not None), Reach(None))


def _followed(
    games: tuple[Game, Game], kind: str, name: str, shared: bool, bounded: frozenset[str] = frozenset()
) -> Reach | None:
    try:
        return Reach(_Turns(*games, kind, name, shared, bounded).shown())
    except TooMany:
        return None


@dataclass(frozen=True, slots=True)
class _Step:
    """One action as both rulesets see it: the rules of the first, the rule in question, the changes of variables."""

    cases: list[dict[NormalForm, Any]]
    allowed: tuple[Formula, ...]
    asked: Formula | None
    changes: tuple[tuple[int, int, bool, Formula, Formula], ...]
    cells: int
    """How many cells it can name."""


class _Turns:
    """All turns of the first ruleset that the second's order of play also allows.

    A situation has no cells of a grid, only which combinations of the variables hold one: what a turn can lead to does not depend
    on which cells these are, and there is always another one. Where a list holds a cell, it may hold as many more as the next
    action can name.
    """

    def __init__(
        self, first: Game, second: Game, kind: str, name: str, shared: bool, bounded: frozenset[str] = frozenset()
    ) -> None:
        self.games, self.kind, self.name, self.shared, self.bounded = (first, second), kind, name, shared, bounded
        self.names = (Normalizer(first.ruleset), Normalizer(second.ruleset))
        self.cells: list[Any] = [("cell", number) for number in range(CELLS)]
        relevant = self._relevant()
        self.tracked = tuple(
            [v for v in g.ruleset.variables.values() if _can_follow(v) and v.name in relevant] for g in self.games
        )
        followed = {v.name for v in self.tracked[1]}
        if not bounded <= followed or any(self._comes_with(side) for side in (0, 1)):
            raise TooMany
        self.steps: dict[str, _Step] = {}
        self.outcomes: dict[tuple[str, tuple[_Values, _Values]], _Outcomes] = {}

    def _comes_with(self, side: int) -> bool:
        """Whether consequences change what is followed."""
        effects = [e for c in self.games[side].ruleset.consequences.values() for e in c.all_effects]
        written = {e.number for e in effects if e.kind in ("add", "set")}
        return any(v.number in written for v in self.tracked[side])

    def shown(self) -> tuple[str, ...] | None:
        """A shortest turn that may show the difference."""
        first, second = (g.ruleset for g in self.games)
        names = [{a.number: a.name for a in r.actions.values()} for r in (first, second)]
        start: _Situation = (START, START, *(tuple(self._initial(v) for v in side) for side in self.tracked))  # type: ignore[assignment]
        seen: set[_Situation] = {start}
        pending: deque[tuple[_Situation, tuple[str, ...]]] = deque([(start, ())])
        asked = self._asked_about()
        while pending:
            (ours, theirs, *values), turn = pending.popleft()
            for name in asked:
                if not all(fine for _, fine in self._outcomes(name, (values[0], values[1]))):
                    return (*turn, name)
            if self.kind == "turn" and ours != START and ours & first.order.last and not theirs & second.order.last:
                return turn
            follow = {names[0][first.order.steps[p - 1].action] for at in ours for p in first.order.follow[at]}
            for name in sorted(follow):
                reached = [
                    frozenset(
                        p for at in places for p in r.order.follow[at] if known[r.order.steps[p - 1].action] == name
                    )
                    for r, known, places in ((first, names[0], ours), (second, names[1], theirs))
                ]
                for after, fine in self._outcomes(name, (values[0], values[1])):
                    if not fine or (self.kind == "turn" and not reached[1]):
                        return (*turn, name)
                    if not reached[1]:
                        continue
                    situation = (reached[0], reached[1], *after)
                    if situation not in seen:
                        seen.add(situation)
                        pending.append((situation, (*turn, name)))
                        if len(seen) > MAX_SITUATIONS:
                            raise TooMany
        return None

    def _asked_about(self) -> list[str]:
        """The actions with the rule in question of which something asks whether they can be done, wherever the order of play is."""
        models = self.games[1].ruleset.actions.values()
        named = [a.name for a in models if any(r.id == self.name for r in a.rules)]
        rulesets = [g.ruleset for g in self.games]
        effects = [e for r in rulesets for a in r.actions.values() for e in a.effects]
        if _can(effects) & set(named):
            # Between two effects variables have values that are not followed.
            raise TooMany
        asked = _can(rulesets)
        return [name for name in named if name in asked]

    def _outcomes(self, name: str, values: tuple[_Values, _Values]) -> _Outcomes:
        """The possible values of the variables after an action that the first allows, and whether the second allows it, as far as it is
        asked.
        """
        found = self.outcomes.get((name, values))
        if found is not None:
            return found
        if any(type(value) is int and abs(value) > MAX_NUMBER for side in values for value in side):
            raise TooMany
        step = self.steps.get(name)
        if step is None:
            step = self.steps[name] = self._step(name)
        # Most cases change the variables alike.
        changed: dict[tuple[tuple[_Values, _Values], bool], None] = {}
        for held in self._spread(values, step.cells):
            known: dict[NormalForm, Any] = {}
            for side in (0, 1):
                for variable, value in zip(self.tracked[side], held[side], strict=True):
                    known["value", side, variable.name] = value
            for case in step.cases:
                facts = known | case
                if all(rule(facts) for rule in step.allowed):
                    changed[self._changed(step, held, facts), step.asked is None or bool(step.asked(facts))] = None
        found = {(self._canonical(after), fine and self._in_bounds(after[1])): None for after, fine in changed}
        self.outcomes[name, values] = found
        return found

    def _in_bounds(self, values: _Values) -> bool:
        return all(
            v.type.low <= value <= v.type.high
            for v, value in zip(self.tracked[1], values, strict=True)
            if v.name in self.bounded
        )

    def _step(self, name: str) -> _Step:
        models = [g.ruleset.actions.get(name) for g in self.games]
        facts = Facts()
        asked: Formula | None = None
        changes: list[tuple[int, int, bool, Formula, Formula]] = []
        builders = [self._builder(side, facts) for side in (0, 1)]
        rule = None
        if models[1] is not None and self.kind == "rule":
            rule = next((r for r in models[1].rules if r.id == self.name), None)
        if rule is not None and models[1] is not None:
            asked = builders[1].formula(self.names[1].rule(rule, self.names[1].locals_of(models[1])))
        for side, model in enumerate(models):
            places = {v.number: at for at, v in enumerate(self.tracked[side])}
            if any(e.kind == "each" and places.keys() & {i.number for i in e.all if i.kind in ("add", "set")}
                   for e in (model.effects if model is not None else ())):  # fmt: skip
                # The number of repetitions is not followed.
                raise TooMany
            for number, e in enumerate(model.effects if model is not None else ()):
                if e.kind in ("add", "set") and e.number in places and model is not None:
                    earlier = frozenset().union(*(written_by_effect(x, model) for x in model.effects[:number]))
                    looked = read_by_effect(e) | {("variable", e.number)}
                    if looked & earlier or (earlier and any(place[0] == "action" for place in looked)):
                        # It sees what an earlier effect has changed.
                        raise TooMany
                    kind = self.tracked[side][places[e.number]].type.kind
                    if kind == "list" and (e.value is None or (e.kind == "add") != (e.value.type.kind == "cell")):
                        # Only single cells are added, and only whole lists are set.
                        raise TooMany
                    env = self.names[side].locals_of(model)
                    when = builders[side].formula(self.names[side].condition(e.when, env))
                    form = self.names[side].form(e.value, env)
                    value = builders[side].formula(form)
                    # Other actions compare what it becomes: none of its values can be left out.
                    own = Facts()
                    self._builder(side, own).formula(form)
                    facts.whole |= own.domains.keys() if kind == "int" else set()
                    changes.append((side, places[e.number], e.kind == "add", when, value))
        fixed, allowed = self._allowed(models[0], builders[0], facts)
        facts.cut()
        if facts.cases() > MAX_CASES:
            raise TooMany
        # What does not read a variable is settled once for all situations.
        cells = sum(self.cells[0] in domain for domain in facts.domains.values())
        cases = [c for c in facts.all() if all(rule(c) for rule in fixed)]
        return _Step(cases, tuple(allowed), asked, tuple(changes), cells)

    def _builder(self, side: int, facts: Facts) -> _TurnBuilder:
        return _TurnBuilder(self.names, side, self.tracked[side], self.cells, facts, self.shared)

    def _relevant(self) -> set[str]:
        """The variables that may matter: those of the rule in question and of the first ruleset's rules about the same things, and
        those that these depend on.
        """
        found = set(self.bounded)
        for game in self.games:
            names = {v.number: v.name for v in game.ruleset.variables.values()}
            if self.kind == "turn":
                found |= {v.name for v in game.ruleset.variables.values() if v.type.kind in ("cell", "list")}
            for action in game.ruleset.actions.values():
                if any(r.id == self.name for r in action.rules):
                    found |= {
                        names[x] for r in action.rules for x in variables_of(r, action) if _shares(r, self.name, action)
                    }
        before = -1
        while before != len(found):
            before = len(found)
            for game in self.games:
                names = {v.number: v.name for v in game.ruleset.variables.values()}
                for action in game.ruleset.actions.values():
                    for e in action.all_effects:
                        if e.kind in ("add", "set") and names[e.number] in found:
                            found |= {
                                names[x] for y in (e.when, e.value) for x in variables_read(y, named_values(action))
                            }
        return found

    def _allowed(
        self, model: ActionModel | None, builder: _TurnBuilder, facts: Facts
    ) -> tuple[list[Formula], list[Formula]]:
        """The rules of the first ruleset that matter here, without and with variables. Leaving rules out only allows more."""
        found: tuple[list[Formula], list[Formula]] = ([], [])
        asked = set(facts.domains)
        for rule in model.rules if model is not None else ():
            assert model is not None
            form = self.names[0].rule(rule, self.names[0].locals_of(model))
            trial, own = facts.copy(), Facts()
            self._builder(0, trial).formula(form)
            self._builder(0, own).formula(form)
            tracked = {v.number for v in self.tracked[0]} & variables_of(rule, model)
            trial.cut()
            if (tracked or asked & own.domains.keys()) and trial.cases() <= MAX_CASES:
                found[bool(tracked)].append(builder.formula(form))
        return found

    def _changed(
        self, step: _Step, values: tuple[_Values, _Values], facts: dict[NormalForm, Any]
    ) -> tuple[_Values, _Values]:
        after = [list(values[0]), list(values[1])]
        for side, at, adds, when, value in step.changes:
            if not when(facts):
                continue
            new = value(facts)
            held = after[side][at]
            if not adds:
                after[side][at] = new
            elif isinstance(held, frozenset):
                after[side][at] = held | {new}
            else:
                after[side][at] = held + new
        return tuple(after[0]), tuple(after[1])

    def _canonical(self, values: tuple[_Values, _Values]) -> tuple[_Values, _Values]:
        """The same with one cell for each combination of variables that hold one."""
        marks = self._marks(values)
        kept = sorted({m: cell for cell, m in marks.items() if any(m)}.items(), reverse=True)
        new = {cell: name for name, (_, cell) in zip(self.cells, kept, strict=False)}

        def renamed(v: VariableModel, x: Any) -> Any:
            if v.type.kind == "list":
                return frozenset(new[c] for c in x if c in new)
            if v.type.kind != "cell" or x is None:
                return x
            if x not in new:
                # A certain cell of the board, which is none of those that are told apart.
                raise TooMany
            # A single cell is the only one with its combination.
            return new[x]

        first, second = (
            tuple(renamed(v, x) for v, x in zip(self.tracked[side], values[side], strict=True)) for side in (0, 1)
        )
        return first, second

    def _marks(self, values: tuple[_Values, _Values]) -> dict[int, tuple[bool, ...]]:
        """For each cell, which of the variables hold it."""
        held = [
            x if v.type.kind == "list" else (x,)
            for side in (0, 1)
            for v, x in zip(self.tracked[side], values[side], strict=True)
            if v.type.kind in ("cell", "list")
        ]
        return {cell: tuple([cell in cells for cells in held]) for cell in self.cells}

    def _spread(self, values: tuple[_Values, _Values], more: int) -> Iterator[tuple[_Values, _Values]]:
        """The situations that are the same but for the number of cells, as far as an action that names so many can tell."""
        flat = [v for side in self.tracked for v in side if v.type.kind in ("cell", "list")]
        marks = self._marks(values)
        held = [cell for cell, m in marks.items() if any(m)]
        # What a single variable holds is one cell.
        open_ = [c for c in held if all(v.type.kind == "list" for v, mark in zip(flat, marks[c], strict=True) if mark)]
        if len(held) + more * (len(open_) + 1) > len(self.cells):
            raise TooMany
        for counts in product(range(more + 1), repeat=len(open_)):
            free = iter(self.cells[len(held) :])
            like = {
                cell: [cell, *(next(free) for _ in range(count))] for cell, count in zip(open_, counts, strict=True)
            }
            yield tuple(  # type: ignore[misc]
                tuple(
                    frozenset(c for cell in x for c in like.get(cell, [cell])) if v.type.kind == "list" else x
                    for v, x in zip(self.tracked[side], values[side], strict=True)
                )
                for side in (0, 1)
            )

    def _initial(self, variable: VariableModel) -> Any:
        if variable.type.kind == "list":
            return frozenset()
        if variable.initial is None:
            return False if variable.type.kind == "bool" else None
        assert isinstance(variable.initial, ir.Const)
        if variable.type.kind == "cell" and variable.initial.value is not None:
            # Cells are told apart only by the variables that hold them.
            raise TooMany
        return variable.initial.value


class _TurnBuilder(Builder):
    """Formulas that know the variables of a turn and distinguish cells; everything else is an unrestricted fact."""

    def __init__(
        self, names: tuple[Normalizer, Normalizer], side: int, tracked: list[VariableModel], cells: list[int], facts: Facts,
        shared: bool,
    ) -> None:  # fmt: skip
        super().__init__(names, facts)
        self.shared = shared
        self.side, self.cells = side, cells
        self.tracked = {("Variable", (v.name,)): v.name for v in tracked}

    def formula(self, form: NormalForm) -> Formula:
        """The condition as a function of the facts."""
        if form[0] == "Const" and form[1][0] == "cell":
            # Cells have no names here.
            raise TooMany
        if form in self.tracked:
            key = ("value", self.side, self.tracked[form])
            return lambda f: f[key]
        if form[0] == "In" and form[3] in self.tracked and self.type_of(form[2]).kind == "cell":
            a, b = self.formula(form[2]), self.formula(form[3])
            return lambda f: a(f) in b(f)
        return super().formula(form)

    def size(self, form: NormalForm) -> Size:
        """A bound of a number whose formula was made, as a sum of multiples of facts."""
        return {(): MAX_NUMBER} if form in self.tracked else super().size(form)

    def is_open(self, form: NormalForm) -> bool:
        """Whether a comparison is between cells or between other values that can be enumerated. Whether a token lies on a cell
        is one fact: it is the same in both rulesets, and nothing follows the token.
        """
        if any(part[0] == "TokenCell" for part in form[2:]):
            return False
        kinds = {part[1][0] if part[0] == "Const" else self.type_of(part).kind for part in form[2:]}
        return super().is_open(form) or (form[0] == "Equal" and kinds <= {"cell", "nothing"})

    def key(self, form: NormalForm, type_: Type) -> NormalForm:
        """A fact that depends on a cell, a variable, other rules, or a place to which the two rulesets move different things may
        differ between them.
        """
        own = type_.kind == "cell" or not self.shared or contains(form, *ELSEWHERE)
        return ("side", self.side, form) if own and form[0] != "parameter" else form

    def domain(self, type_: Type) -> list[Any]:
        """The possible values of a fact of a type: cells are those of the board."""
        if type_.kind != "cell":
            return super().domain(type_)
        return [*self.cells, None] if type_.optional else self.cells


def _can(models: Iterable[Any]) -> set[str]:
    """The actions of which something in these models asks whether they can be done."""
    return {p.action for m in models for x in expressions(m) for p in walk(x) if isinstance(p, ir.Can)}


def _slots(rule: RuleModel) -> set[int]:
    both = (part for expr in (rule.when, rule.require) if expr is not None for part in walk(expr))
    return {part.slot for part in both if isinstance(part, ir.Local)}


def _shares(rule: RuleModel, name: str, action: ActionModel) -> bool:
    """Whether a rule is the named one of the same action, or depends on something that this one also depends on."""
    asked = next(r for r in action.rules if r.id == name)
    return rule is asked or not _slots(rule).isdisjoint(_slots(asked))


def _can_follow(variable: VariableModel) -> bool:
    kind = variable.type.kind
    if variable.per != "turn" or variable.each or not isinstance(variable.initial, ir.Const | None):
        return False
    if kind == "list":
        return variable.type.element is not None and variable.type.element.kind == "cell"
    return kind in ("int", "bool", "cell")
