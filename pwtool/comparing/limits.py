"""Proofs that no game can show a difference one way: every turn of one ruleset is gone through as far as its order of
play and its variables tell, everything else free to be anything.

Two rules may differ as formulas and yet not in play: what tells them apart never comes about. The variables of a turn
and the places in both orders of play make a finite set of situations; each is followed by every action with every case
of what its rules ask about. What is left open makes more possible than play has, so "none" is proven.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from pwtool.comparing.canonical import Env, Form, Names, contains
from pwtool.comparing.prover import Builder, Formula, TooMany, _cut
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, RuleModel, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.order import START

MAX_CASES = 60_000
MAX_SITUATIONS = 400
MAX_CELLS = 16
MAX_NUMBER = 6
_Values = tuple[Any, ...]
_Situation = tuple[frozenset[int], frozenset[int], _Values, _Values]


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known of the games that one ruleset allows and the other refuses under a row: the shortest turn that may
    end in it, as the names of its actions (None: it is proven that no game does), as far as order and variables tell.
    """

    turn: tuple[str, ...] | None


def reach(accepting: Game, refusing: Game, row: Row, rows: list[Row]) -> Reach | None:
    """Follow all turns of `accepting` to one that `refusing` refuses under a row's rule of an action, under its order of
    play, or for the variables that only one of them changes. None: that could not be followed.
    """
    games = (accepting, refusing)
    if any(s.actor is not None or s.guard is not None for g in games for s in g.ruleset.order.steps):
        return None
    if any(r.kind == "consequence" for r in rows) or any(g.ruleset.anytime for g in games):
        return None
    ours = [r.id for a in refusing.ruleset.actions.values() for r in a.rules]
    if row.kind == "action" and row.status == "different":
        asked = _rules_of_variables(accepting, refusing, row.name)
        found = [_followed(games, "rule", name) for name in asked] if asked is not None else [None]
        return next((one for one in found if one is None or one.turn is not None), Reach(None))
    if row.kind == "turn" or (row.kind == "rule" and row.name in ours):
        return _followed(games, row.kind, row.name)
    return None


def _followed(games: tuple[Game, Game], kind: str, name: str) -> Reach | None:
    try:
        return Reach(_Turns(*games, kind, name, not _moves_differ(*games)).shown())
    except TooMany:
        return None


def _rules_of_variables(accepting: Game, refusing: Game, name: str) -> list[str] | None:
    """The rules of actions through which an action can differ that changes other variables; None: it differs in more."""
    written = []
    for game in (accepting, refusing):
        names = {v.number: v for v in game.ruleset.variables.values()}
        effects = game.ruleset.actions[name].effects
        written.append({names[e.number].name: names[e.number].per for e in effects if e.kind in ("add", "set")})
    changed = written[0].keys() ^ written[1].keys()
    if not changed or _moves_differ(accepting, refusing, [name]):
        return None
    if any((written[0] | written[1])[v] != "turn" for v in changed):
        return None
    ruleset = refusing.ruleset
    numbers = {v.number for v in ruleset.variables.values() if v.name in changed}
    if any(numbers & (_read(r.when, {}) | _read(r.require, {})) for r in ruleset.turn_rules):
        return None
    return [r.id for a in ruleset.actions.values() for r in a.rules if numbers & _variables_of(r, a)]


def _moves_differ(first: Game, second: Game, only: list[str] | None = None) -> bool:
    """Whether an action that both have (one of `only`) moves things in another way: then the same game stands differently in both."""
    names = Names(first.ruleset), Names(second.ruleset)
    both = first.ruleset.actions.keys() & second.ruleset.actions.keys()
    for name in both if only is None else both & set(only):
        moved = []
        for game, known in zip((first, second), names, strict=True):
            action = game.ruleset.actions[name]
            env = known.locals_of(action)
            moved.append(
                [
                    (
                        e.kind,
                        e.source,
                        e.slot if e.source == "parameter" else -1,
                        *(known.form(x, env) for x in (e.when, e.value, e.target, e.cell)),
                    )
                    for e in action.effects
                    if e.kind not in ("add", "set")
                ]
            )
        if moved[0] != moved[1]:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Step:
    """One action as both rulesets see it: the rules of the first, the rule in question, the changes of variables."""

    cases: list[dict[Form, Any]]
    allowed: tuple[Formula, ...]
    asked: Formula | None
    changes: tuple[tuple[int, int, bool, Formula, Formula], ...]


class _Turns:
    """All turns of the first ruleset that the second's order allows too."""

    def __init__(self, first: Game, second: Game, kind: str, name: str, shared: bool) -> None:
        self.games, self.kind, self.name, self.shared = (first, second), kind, name, shared
        board = first.ruleset.board
        self.cells = list(range(board.width * board.height)) if board is not None else [0, 1]
        if len(self.cells) > MAX_CELLS:
            raise TooMany
        relevant = self._relevant()
        self.tracked = tuple(
            [v for v in g.ruleset.variables.values() if _can_follow(v) and v.name in relevant] for g in self.games
        )
        self.steps: dict[str, _Step] = {}

    def shown(self) -> tuple[str, ...] | None:
        """A shortest turn that may show the difference."""
        first, second = (g.ruleset for g in self.games)
        names = [{a.number: a.name for a in r.actions.values()} for r in (first, second)]
        start: _Situation = (START, START, *(tuple(self._initial(v) for v in side) for side in self.tracked))  # type: ignore[assignment]
        seen: set[_Situation] = {start}
        pending: deque[tuple[_Situation, tuple[str, ...]]] = deque([(start, ())])
        while pending:
            (ours, theirs, *values), turn = pending.popleft()
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

    def _outcomes(self, name: str, values: tuple[_Values, _Values]) -> Iterator[tuple[tuple[_Values, _Values], bool]]:
        """What the variables may be after an action that the first allows, and whether the rule in question holds."""
        step = self.steps.get(name)
        if step is None:
            step = self.steps[name] = self._step(name)
        known: dict[Form, Any] = {}
        for side in (0, 1):
            for variable, value in zip(self.tracked[side], values[side], strict=True):
                known["value", side, variable.name] = value
        found = set()
        for case in step.cases:
            facts = {**known, **case}
            if all(rule(facts) for rule in step.allowed):
                after = self._changed(step, values, facts)
                found.add((self._canonical(after), step.asked is None or bool(step.asked(facts))))
        yield from found

    def _step(self, name: str) -> _Step:
        models = [g.ruleset.actions.get(name) for g in self.games]
        domains: dict[Form, list[Any]] = {}
        constants: set[int] = {0}
        asked: Formula | None = None
        changes: list[tuple[int, int, bool, Formula, Formula]] = []
        builders = [
            _TurnBuilder(g, side, self.tracked[side], self.cells, domains, constants, self.shared)
            for side, g in enumerate(self.games)
        ]
        rule = None
        if models[1] is not None and self.kind == "rule":
            rule = next((r for r in models[1].rules if r.id == self.name), None)
        if rule is not None and models[1] is not None:
            asked = _holds(builders[1], rule, models[1])
        for side, model in enumerate(models):
            places = {v.number: at for at, v in enumerate(self.tracked[side])}
            for e in model.effects if model is not None else ():
                if e.kind in ("add", "set") and e.number in places and model is not None:
                    env = builders[side].names.locals_of(model)
                    when = builders[side].formula(e.when, env)
                    changes.append(
                        (side, places[e.number], e.kind == "add", when, builders[side].formula(e.value, env))
                    )
        fixed, allowed = self._allowed(models[0], builders[0], domains, constants)
        _cut(domains, constants)
        if prod(len(d) for d in domains.values()) > MAX_CASES:
            raise TooMany
        cases = (dict(zip(domains, case, strict=True)) for case in product(*domains.values()))
        # What does not ask for a variable is settled once for all situations.
        return _Step([c for c in cases if all(rule(c) for rule in fixed)], tuple(allowed), asked, tuple(changes))

    def _relevant(self) -> set[str]:
        """The variables that can have a say: those of the rule in question and of the first ruleset's rules on the same
        things, and those that these depend on.
        """
        found: set[str] = set()
        for game in self.games:
            names = {v.number: v.name for v in game.ruleset.variables.values()}
            if self.kind == "turn":
                found |= {v.name for v in game.ruleset.variables.values() if v.type.kind in ("cell", "list")}
            for action in game.ruleset.actions.values():
                if any(r.id == self.name for r in action.rules):
                    found |= {
                        names[x]
                        for r in action.rules
                        for x in _variables_of(r, action)
                        if _shares(r, self.name, action)
                    }
        before = -1
        while before != len(found):
            before = len(found)
            for game in self.games:
                names = {v.number: v.name for v in game.ruleset.variables.values()}
                for action in game.ruleset.actions.values():
                    for e in action.effects:
                        if e.kind in ("add", "set") and names[e.number] in found:
                            found |= {names[x] for y in (e.when, e.value) for x in _read(y, dict(_lets(action)))}
        return found

    def _allowed(
        self, model: ActionModel | None, builder: _TurnBuilder, domains: dict[Form, list[Any]], constants: set[int]
    ) -> tuple[list[Formula], list[Formula]]:
        """The rules of the first ruleset that have a say here, without and with variables. Those left out only make
        more possible.
        """
        found: tuple[list[Formula], list[Formula]] = ([], [])
        asked = set(domains)
        for rule in model.rules if model is not None else ():
            trial, numbers = dict(domains), set(constants)
            probe = _TurnBuilder(self.games[0], 0, self.tracked[0], self.cells, trial, numbers, self.shared)
            assert model is not None
            _holds(probe, rule, model)
            own: dict[Form, list[Any]] = {}
            _holds(_TurnBuilder(self.games[0], 0, self.tracked[0], self.cells, own, set(), self.shared), rule, model)
            tracked = {v.number for v in self.tracked[0]} & _variables_of(rule, model)
            _cut(trial, numbers)
            if (tracked or asked & own.keys()) and prod(len(d) for d in trial.values()) <= MAX_CASES:
                found[bool(tracked)].append(_holds(builder, rule, model))
        return found

    def _changed(self, step: _Step, values: tuple[_Values, _Values], facts: dict[Form, Any]) -> tuple[_Values, _Values]:
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
                if abs(after[side][at]) > MAX_NUMBER:
                    raise TooMany
        return tuple(after[0]), tuple(after[1])

    def _canonical(self, values: tuple[_Values, _Values]) -> tuple[_Values, _Values]:
        """The same with the cells numbered by what is known of them: which cell it is makes no difference."""
        flat = [(v, x) for side in (0, 1) for v, x in zip(self.tracked[side], values[side], strict=True)]
        spots = [x for v, x in flat if v.type.kind in ("cell", "list")]

        def marks(cell: int) -> list[bool]:
            return [cell in x if isinstance(x, frozenset) else x == cell for x in spots]

        order = sorted(self.cells, key=lambda c: (marks(c), c), reverse=True)
        new = {old: at for at, old in enumerate(order)}

        def renamed(v: VariableModel, x: Any) -> Any:
            if v.type.kind == "list":
                return frozenset(new[c] for c in x)
            return new[x] if v.type.kind == "cell" and x is not None else x

        first, second = (
            tuple(renamed(v, x) for v, x in zip(self.tracked[side], values[side], strict=True)) for side in (0, 1)
        )
        return first, second

    def _initial(self, variable: VariableModel) -> Any:
        if variable.type.kind == "list":
            return frozenset()
        if variable.initial is None:
            return False if variable.type.kind == "bool" else None
        assert isinstance(variable.initial, ir.Const)
        return variable.initial.value


class _TurnBuilder(Builder):
    """Formulas that know the variables of a turn and tell cells apart; all else is a fact that may be anything."""

    def __init__(
        self, game: Game, side: int, tracked: list[VariableModel], cells: list[int], domains: dict[Form, list[Any]],
        constants: set[int], shared: bool,
    ) -> None:  # fmt: skip
        super().__init__(Names(game.ruleset), domains, constants)
        self.shared = shared
        self.side, self.cells = side, cells
        self.tracked = {v.number: v.name for v in tracked}

    def formula(self, expr: Expr | None, env: Env) -> Formula:
        """The condition as a function of the facts."""
        match expr:
            case ir.Variable(number=number) if number in self.tracked:
                key = ("value", self.side, self.tracked[number])
                return lambda f: f[key]
            case ir.In(items=ir.Variable(number=number)) if number in self.tracked and expr.item.type.kind == "cell":
                a, b = self.formula(expr.item, env), self.formula(expr.items, env)
                return lambda f: a(f) in b(f)
        return super().formula(expr, env)

    def is_plain(self, sign: ir.Sign, kinds: set[str]) -> bool:
        """Whether a comparison is between cells or between other values that can be gone through."""
        return super().is_plain(sign, kinds) or (sign in ("==", "!=") and kinds <= {"cell", "nothing"})

    def fact(self, form: Form, type_: Type) -> Formula:
        """What asks for a cell, a variable, other rules, or a place to which the two move other things, may differ
        between them.
        """
        own = type_.kind == "cell" or not self.shared or contains(form, ir.Variable, ir.Can, ir.Fulfils)
        if own and form[0] != "parameter":
            form = ("side", self.side, form)
        return super().fact(form, type_)

    def domain(self, type_: Type) -> list[Any]:
        """What a fact of a type may be: the cells are those of the board."""
        if type_.kind != "cell":
            return super().domain(type_)
        return [*self.cells, None] if type_.optional else self.cells


def _holds(builder: Builder, rule: RuleModel, owner: ActionModel) -> Formula:
    env = builder.names.locals_of(owner)
    when, require = builder.formula(rule.when, env), builder.formula(rule.require, env)
    return lambda f: not when(f) or require(f)


def _lets(action: ActionModel) -> Iterator[tuple[int, Expr]]:
    return ((slot, value) for _, slot, value in action.lets)


def _read(expr: Expr | None, lets: dict[int, Expr]) -> set[int]:
    """The numbers of the variables that an expression reads, through named values too."""
    found: set[int] = set()
    for part in walk(expr) if expr is not None else ():
        if isinstance(part, ir.Variable):
            found.add(part.number)
        elif isinstance(part, ir.Local):
            found |= _read(lets.get(part.slot), lets)
    return found


def _variables_of(rule: RuleModel, action: ActionModel) -> set[int]:
    lets = dict(_lets(action))
    return _read(rule.when, lets) | _read(rule.require, lets)


def _slots(rule: RuleModel) -> set[int]:
    both = (part for expr in (rule.when, rule.require) if expr is not None for part in walk(expr))
    return {part.slot for part in both if isinstance(part, ir.Local)}


def _shares(rule: RuleModel, name: str, action: ActionModel) -> bool:
    """Whether a rule asks for something that the named rule of the same action asks for too."""
    asked = next(r for r in action.rules if r.id == name)
    return not _slots(rule).isdisjoint(_slots(asked))


def _can_follow(variable: VariableModel) -> bool:
    kind = variable.type.kind
    if variable.per != "turn" or not isinstance(variable.initial, ir.Const | None):
        return False
    if kind == "list":
        return variable.type.element is not None and variable.type.element.kind == "cell"
    return kind in ("int", "bool", "cell")
