"""Both games explored together as far as their variables and orders of play go: everything else may be anything, but is the
same in both.

A situation is where both orders of play are, and the values of the variables that are followed, in each game. From each
situation every action with every case of what its rules, guards and changes ask about is taken in both. If both always
allow the same, turns may end alike, and endings come alike, then by induction over the actions no game that begins with a
setup tells the two apart. This allows more than real play does, so it proves that there is no difference, and never
that there is one (an existential abstraction: E. Clarke, O. Grumberg, D. Long, Model Checking and Abstraction, 1994).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace as replace_row
from typing import Any

from msgspec import Struct

from pwtool.comparing.followed_formulas import MAX_NUMBER, FollowingBuilder, held
from pwtool.comparing.followed_variables import Pair, can_follow, is_number
from pwtool.comparing.forms import TRUE, NormalForm
from pwtool.comparing.items import expressions
from pwtool.comparing.premises import named_values, variables_read
from pwtool.comparing.prover import Facts, Formula, TooMany
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by
from pwtool.ir.bounds import changed_by_chance
from pwtool.ir.model import ActionModel, EffectModel, EndingModel, OrderStep, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.order import START
from pwtool.text.speech import Told

__all__ = ["settle_by_variables"]

MAX_CASES = 4_000
"""Of what one action, one end of a turn asks about."""
MAX_SITUATIONS = 4_000
MAX_TRIED = 400_000
"""The number of cases that are tried in all situations."""
_SETTLED = ("rule", "action", "turn", "var", "ending")
"""The kinds of rows that are about play."""
_Values = tuple[Any, ...]


class _Situation(Struct, frozen=True):
    """Where both orders of play are, the values of the variables in both, and how many more turns there are at most once an
    ending was reached.
    """

    places: tuple[frozenset[int], frozenset[int]]
    values: tuple[_Values, _Values]
    left: int | None = None


class _Unlike(Exception):
    """The two games may differ."""


def settle_by_variables(first: Game, second: Game, rows: list[Row]) -> list[Row]:
    """The rows, those about play without effect if the two games are the same in all situations."""
    real = [r for r in rows if r.nature in ("semantic", "material", "setup", "position")]
    if not real or any(r.nature != "semantic" or r.kind not in _SETTLED for r in real):
        return rows
    number = _explored(first, named_alike(second, first, rows), rows)
    if number is None:
        return rows
    proof = Told("no game from a setup shows it: all {count} situations of turns and variables", count=number)
    return [
        replace_row(r, nature="wording", status="no_effect", direction="", proof=proof, example="") if r in real else r
        for r in rows
    ]


def _explored(first: Game, second: Game, rows: list[Row]) -> int | None:
    """The number of situations in which the two are the same; None if they may differ in one."""
    try:
        pair = Pair(first.ruleset, second.ruleset, rows)
        choices = list(dict.fromkeys(pair.choices()))
    except TooMany:
        return None
    for names in choices:
        try:
            return _Explorer(pair, names).run()
        except (_Unlike, TooMany):
            continue
    return None


class _Step(Struct):
    """What an action asks about and does, in both games: the cases, the conditions of its rules, the guards and actors of the
    places in the order of play, and the changes of variables in their order (which, whether it adds, when, the value).
    """

    cases: list[dict[NormalForm, Any]]
    rules: tuple[list[Formula], list[Formula]]
    places: tuple[dict[int, list[Formula]], dict[int, list[Formula]]]
    anytime: bool
    changes: tuple[list[tuple[int, bool, Formula, Formula]], list[tuple[int, bool, Formula, Formula]]]
    drawn: tuple[frozenset[int], frozenset[int]]
    """The variables, by number, that chance changes."""


class _Asked(Struct):
    """Conditions that are compared at the end of a turn, or after an action: the cases, and each condition in both games."""

    cases: list[dict[NormalForm, Any]]
    conditions: list[tuple[Formula, Formula]]


class _Explorer:
    """All situations of two games in which these variables are followed."""

    def __init__(self, pair: Pair, names: Collection[str]) -> None:
        self.pair = pair
        self.tracked = tuple([r.variables[name] for name in sorted(names)] for r in pair.rulesets)
        self.equal = [at for at, v in enumerate(self.tracked[0]) if self._is_read_as_it_is(v.name)]
        """The variables that something reads which is the same in both: they have to be equal."""
        self.steps: dict[str, _Step] = {}
        self.endings = {at_once: self._endings(at_once) for at_once in (False, True)}
        self.turn_rules = self._turn_rules()
        self.tried = 0

    def run(self) -> int:
        """The number of situations. Raises `_Unlike` if the games may differ in one."""
        begin = self._situation((START, START), tuple(tuple(map(_initial, side)) for side in self.tracked), None)  # type: ignore[arg-type]
        if any(type(value) is int and abs(value) > MAX_NUMBER for side in begin.values for value in side):
            raise TooMany
        seen, pending = {begin}, deque([begin])
        while pending:
            for following in self._following(pending.popleft()):
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
            if len(seen) > MAX_SITUATIONS or self.tried > MAX_TRIED:
                raise TooMany
        return len(seen)

    def _situation(
        self, places: tuple[frozenset[int], frozenset[int]], values: tuple[_Values, _Values], left: int | None
    ) -> _Situation:
        if any(values[0][at] != values[1][at] for at in self.equal):
            raise _Unlike
        return _Situation(places, values, left)

    def _following(self, now: _Situation) -> Iterator[_Situation]:
        yield from self._after_the_turn(now)
        orders = [r.order for r in self.pair.rulesets]
        known = [{a.number: a.name for a in r.actions.values()} for r in self.pair.rulesets]
        reached: list[dict[str, list[int]]] = [{}, {}]
        for side in (0, 1):
            for place in sorted(frozenset().union(*(orders[side].follow[at] for at in now.places[side]))):
                reached[side].setdefault(known[side][orders[side].steps[place - 1].action], []).append(place)
        anytime = {known[0][s.action] for s in self.pair.rulesets[0].anytime}
        for name in sorted(reached[0].keys() | reached[1].keys() | anytime):
            places = reached[0].get(name, []), reached[1].get(name, [])
            for after, values in self._outcomes(name, places, now):
                following = self._situation(after, values, now.left)
                if not self._is_over(values):
                    yield following

    def _outcomes(
        self, name: str, places: tuple[list[int], list[int]], now: _Situation
    ) -> set[tuple[tuple[frozenset[int], frozenset[int]], tuple[_Values, _Values]]]:
        """Where an action that both games allow may lead."""
        step = self.steps.get(name) or self.steps.setdefault(name, self._step(name))
        found = set()
        held = self._known(now.values)
        self.tried += len(step.cases)
        for case in step.cases:
            facts = case | held
            after: list[tuple[frozenset[int], _Values] | None] = []
            for side in (0, 1):
                there = frozenset(p for p in places[side] if all(ask(facts) for ask in step.places[side][p]))
                if not there and step.anytime:
                    there = now.places[side]
                values = (
                    self._changed(side, step, now.values[side], facts)
                    if there and all(rule(facts) for rule in step.rules[side])
                    else None
                )
                after.append(None if values is None else (there, values))
            if (after[0] is None) != (after[1] is None):
                raise _Unlike
            if after[0] is not None and after[1] is not None:
                found.add(((after[0][0], after[1][0]), (after[0][1], after[1][1])))
        return found

    def _changed(self, side: int, step: _Step, values: _Values, facts: dict[NormalForm, Any]) -> _Values | None:
        """The values after the changes, one after the other; None if one exceeds its bounds: the action is refused then."""
        after = list(values)
        now = facts if not step.changes[side] else dict(facts)
        for at, adds, when, value in step.changes[side]:
            if not when(now):
                continue
            new = value(now)
            if type(new) not in (int, bool):
                # A value that may be missing.
                raise TooMany
            new = after[at] + new if adds else new
            variable = self.tracked[side][at]
            if variable.type.kind == "int":
                if not variable.type.low <= new <= variable.type.high:
                    if variable.number in step.drawn[side]:
                        # Nobody is refused what chance does: that is a fault of the rules.
                        raise TooMany
                    return None
                if abs(new) > MAX_NUMBER:
                    raise TooMany
            after[at] = now["value", side, variable.name] = new
        return tuple(after)

    def _after_the_turn(self, now: _Situation) -> Iterator[_Situation]:
        ends = [not at.isdisjoint(r.order.last) for at, r in zip(now.places, self.pair.rulesets, strict=True)]
        if ends[0] != ends[1]:
            raise _Unlike
        if not ends[0]:
            return
        # What consequences do is not known here: whatever an ending asks about may have changed.
        if not self._same(self.turn_rules, now.values)[0]:
            return
        begun = tuple(
            tuple(_initial(v) if v.per == "turn" else value for v, value in zip(side, values, strict=True))
            for side, values in zip(self.tracked, now.values, strict=True)
        )
        places = (START, START)
        if now.left is not None:
            if now.left > 1:
                yield self._situation(places, begun, now.left - 1)  # type: ignore[arg-type]
            return
        asked, open_ = self.endings[False]
        each = 1 if self.pair.rulesets[0].rounds else self.pair.rulesets[0].max_players
        lefts: list[int | None] = [None]
        for ending, ask in asked:
            may, must = self._same(ask, now.values)
            lefts += [(ending.more_turns or 0) * each] if may else []
            if must:
                lefts.remove(None)
                break
        lefts += [(ending.more_turns or 0) * each for ending in open_]
        for left in dict.fromkeys(lefts):
            if left != 0:
                yield self._situation(places, begun, left)  # type: ignore[arg-type]

    def _is_over(self, values: tuple[_Values, _Values]) -> bool:
        """Whether an ending surely stops the game at once."""
        # All are compared, whichever comes first.
        surely = [self._same(ask, values)[1] for _, ask in self.endings[True][0]]
        return any(surely)

    def _same(self, asked: _Asked, values: tuple[_Values, _Values]) -> tuple[bool, bool]:
        """Whether conditions may, and whether they must hold, all of them. Raises `_Unlike` if they may hold in only one game."""
        held = self._known(values)
        self.tried += len(asked.cases)
        found = set()
        for case in asked.cases:
            facts = case | held
            holds = [all(condition[side](facts) for condition in asked.conditions) for side in (0, 1)]
            if holds[0] != holds[1]:
                raise _Unlike
            found.add(holds[0])
        return True in found, False not in found

    def _known(self, values: tuple[_Values, _Values]) -> dict[Any, Any]:
        return {
            ("value", side, v.name): value
            for side in (0, 1)
            for v, value in zip(self.tracked[side], values[side], strict=True)
        }

    def _step(self, name: str) -> _Step:
        pair, facts = self.pair, Facts()
        models = pair.actions[name]
        rules: tuple[list[Formula], list[Formula]] = ([], [])
        builders = [FollowingBuilder(pair.names, side, self.tracked[side], facts) for side in (0, 1)]
        forms = [self._rules(side, models[side]) for side in (0, 1)]
        for ours, theirs in zip(*(sorted(m.parameters, key=lambda p: p.name) for m in models), strict=True):
            if is_number(ours) and ours.type != theirs.type:
                # Each game takes the numbers within its own bounds.
                key, bounds = ("parameter", ours.name), [range(p.type.low, p.type.high + 1) for p in (ours, theirs)]
                if sum(map(len, bounds)) > MAX_CASES:
                    raise TooMany
                facts.domains[key] = sorted({*bounds[0], *bounds[1]})
                facts.whole.add(key)
                for side in (0, 1):
                    rules[side].append(_is_within(key, bounds[side]))
        for side in (0, 1):
            for rule, form in forms[side].items():
                if builders[side].follows(form) or (
                    form not in forms[1 - side].values() and ("rule", rule) not in pair.reworded
                ):
                    rules[side].append(builders[side].formula(form))
        places: tuple[dict[int, list[Formula]], dict[int, list[Formula]]] = ({}, {})
        steps = [
            {p: s for p, s in enumerate(r.order.steps, 1) if s.action == models[side].number}
            for side, r in enumerate(pair.rulesets)
        ]
        actors = {self._actor(side, s) for side in (0, 1) for s in steps[side].values()}
        anytime = [s for s in pair.rulesets[0].anytime if s.action == models[0].number]
        if anytime and any(steps):
            raise TooMany
        for side in (0, 1):
            for p, s in steps[side].items():
                guard = TRUE if s.guard is None else pair.names[side].condition(s.guard)
                asks = [builders[side].formula(guard)] if guard != TRUE else []
                if len(actors) > 1:
                    # Whether whoever does it is the one who is to do it.
                    facts.domains["actor", self._actor(side, s)] = [False, True]
                    asks.append(held(("actor", self._actor(side, s))))
                places[side][p] = asks
        changes = self._changes(models, builders)
        for builder in builders:
            builder.stage = 0
        for form in forms[0].values():
            # What both ask, too, as far as it is about the same: leaving it out would only allow more.
            if form in forms[1].values() and not builders[0].follows(form) and builders[0].shares(form):
                condition = builders[0].formula(form)
                for side in (0, 1):
                    rules[side].append(condition)
        drawn = changed_by_chance(models[0]), changed_by_chance(models[1])
        return _Step(self._cases(facts, models[0]), rules, places, bool(anytime), changes, drawn)

    def _cases(self, facts: Facts, model: ActionModel | None = None) -> list[dict[NormalForm, Any]]:
        """All cases of what is asked; things that an action names from a place have to be there."""
        facts.cut()
        if facts.cases() > MAX_CASES:
            raise TooMany
        names, there = self.pair.names[0], []
        env = {} if model is None else names.locals_of(model)
        for p in () if model is None else model.parameters:
            held = ("at", 0, ("Count", (), names.form(p.origin, env)))
            named = ("at", 0, ("Count", (), ("parameter", p.name)))
            if p.origin is not None and p.kind in ("element", "elements") and held in facts.domains:
                there.append((held, named if named in facts.domains else None, int(p.kind == "element")))
        return [
            case for case in facts.all()
            if all(case[held] >= (least if named is None else case[named]) for held, named, least in there)
        ]  # fmt: skip

    def _rules(self, side: int, model: ActionModel) -> dict[str, NormalForm]:
        names = self.pair.names[side]
        return {rule.id: names.rule(rule, names.locals_of(model)) for rule in model.rules}

    def _actor(self, side: int, step: OrderStep) -> Any:
        """Who does a step; None: the player whose turn it is."""
        if step.actor is None or isinstance(step.actor, ir.Actor):
            return None
        return self.pair.names[side].form(step.actor)

    def _changes(self, models: tuple[ActionModel, ActionModel], builders: list[FollowingBuilder]) -> Any:
        """The changes of the variables that are followed; everything else that the action does has to be the same."""
        changes: tuple[list[Any], list[Any]] = ([], [])
        others: list[list[Any]] = [[], []]
        for side, model in enumerate(models):
            places = {v.number: at for at, v in enumerate(self.tracked[side])}
            names, maker = self.pair.names[side], self.pair.makers[side]
            lets = named_values(model)
            env = maker.locals_of_effects(model)
            written: set[int] = set()
            for e in model.effects:
                is_same = (
                    e.kind not in ("add", "set")
                    or e.number not in places
                    or not can_follow(self.tracked[side][places[e.number]])
                )
                if e.kind in ("add", "set") and e.number in places and _sees_before(e, lets, written):
                    raise TooMany
                if is_same:
                    if e.kind == "set" and e.number in places:
                        written.add(e.number)
                        when = builders[side].formula(names.condition(e.when, env))
                        changes[side].append(
                            (places[e.number], False, when, builders[side].has_value(names.form(e.value, env)))
                        )
                    others[side].append(maker.effect(e, env))
                    # What is asked from now on may have other answers.
                    builders[side].stage += 1
                    continue
                if e.seat is not None:
                    raise TooMany
                when = builders[side].formula(names.condition(e.when, env))
                form = names.form(e.value, env)
                value = builders[side].formula(form)
                builders[side].keep(form)
                changes[side].append((places[e.number], e.kind == "add", when, value))
                written.add(e.number)
        if others[0] != others[1]:
            raise _Unlike
        return changes

    def _turn_rules(self) -> _Asked:
        forms = [
            {rule.id: names.rule(rule, {}) for rule in r.turn_rules}
            for names, r in zip(self.pair.names, self.pair.rulesets, strict=True)
        ]
        facts = Facts()
        builders = [FollowingBuilder(self.pair.names, side, self.tracked[side], facts) for side in (0, 1)]
        chosen: list[list[Formula]] = [[], []]
        for side in (0, 1):
            for rule, form in forms[side].items():
                if builders[side].follows(form) or (
                    form not in forms[1 - side].values() and ("rule", rule) not in self.pair.reworded
                ):
                    chosen[side].append(builders[side].formula(form))
        return _Asked(self._cases(facts), [(_all(chosen[0]), _all(chosen[1]))])

    def _endings(self, at_once: bool) -> tuple[list[tuple[EndingModel, _Asked]], list[EndingModel]]:
        """The endings that are compared, and those that are the same whatever the variables are."""
        asked, same = [], []
        for models in zip(*(r.endings for r in self.pair.rulesets), strict=True):
            if models[0].at_once != at_once:
                continue
            facts = Facts()
            builders = [FollowingBuilder(self.pair.names, side, self.tracked[side], facts) for side in (0, 1)]
            forms = [n.condition(e.condition) for n, e in zip(self.pair.names, models, strict=True)]
            if not any(b.follows(form) for b, form in zip(builders, forms, strict=True)) and (
                forms[0] == forms[1] or ("ending", models[0].name) in self.pair.reworded
            ):
                same.append(models[0])
                continue
            pair = builders[0].formula(forms[0]), builders[1].formula(forms[1])
            asked.append((models[0], _Asked(self._cases(facts), [pair])))
        return asked, same

    def _is_read_as_it_is(self, name: str) -> bool:
        """Whether something reads a variable that is not compared here: scores, the ranking, what an action can name, who acts, the
        rules of the setup.
        """
        for r in self.pair.rulesets:
            place = ("variable", r.variables[name].number)
            actions = r.actions.values()
            parts: list[Any] = [a.rules for a in actions] + [a.effects for a in actions] + [a.lets for a in actions]
            parts += [r.turn_rules, tuple(e.condition for e in r.endings), tuple(s.guard for s in r.order.steps)]
            compared = {id(x) for part in parts for x in expressions(part)}
            if any(place in read_by(x) for x in expressions(r) if id(x) not in compared):
                return True
        return False


def _is_within(key: Any, values: range) -> Formula:
    return lambda facts: facts[key] in values


def _all(conditions: list[Formula]) -> Formula:
    return lambda facts: all(condition(facts) for condition in conditions)


def _sees_before(effect: EffectModel, lets: dict[int, Expr], written: set[int]) -> bool:
    """Whether an effect reads a named value, which keeps what it was before, of a variable that has changed since."""
    return any(written & variables_read(lets[slot], lets) for slot in _slots(effect, lets))


def _slots(effect: EffectModel, lets: Collection[int]) -> set[int]:
    """The named values that an effect reads."""
    parts = [part for x in effect.parts if x is not None for part in walk(x)]
    return {part.slot for part in parts if isinstance(part, ir.Local) and part.slot in lets}


def _initial(variable: VariableModel) -> Any:
    return variable.initial.value if isinstance(variable.initial, ir.Const) else False
