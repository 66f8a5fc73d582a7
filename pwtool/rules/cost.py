"""The maximum cost of judging, in steps: one for every evaluation of a part of an expression.

Every zone, number and collection is bounded, so the largest number of steps is known before a game is played. One walk
over the checked expressions adds them up; loops count with as many iterations as possible, with all things of the setup
in one place. Only what grows during a game counts at a usual size: a choice among `HAND` things or as many as were
dealt there, a variable with `KEPT` things, and the cells that can still belong to a floating grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals, operands, traversed
from pwtool.rules.extents import CAP, TURNS, Extent, Extents, Table

HAND = 8
"""The number of things of a zone among which one chooses, unless the setup deals more there."""

BESIDE = 4
"""The number of neighbours of a cell."""


_GIVEN = ir.Const | ir.Local | ir.Variable | ir.Let | ir.If | ir.Else
"""Collections that need not be made."""


@dataclass(slots=True)
class Estimator:
    """Adds up the costs of expressions, actions and rules; `objectives` are the costs of objectives that others use."""

    table: Table
    actions: Mapping[str, ActionModel] = field(default_factory=dict)
    objectives: Mapping[str, int] = field(default_factory=dict)
    extents: Extents = field(init=False)
    _known: dict[int, tuple[Expr, int]] = field(default_factory=dict)
    _ways: dict[str, int] = field(default_factory=dict)
    _rules: dict[int, tuple[RuleModel, int]] = field(default_factory=dict)
    _asked: int = 0
    following: int = 0

    def __post_init__(self) -> None:
        self.extents = Extents(self.table)

    # ---- expressions

    def cost(self, expr: Expr | None, inside: Mapping[int, Extent] | None = None) -> int:
        """The maximum number of steps of one evaluation. `inside` are the extents of the locals that are already
        bound.
        """
        if expr is None:
            return 0
        self.extent(expr, inside or {})
        self._known = {}
        return self._expr(expr)

    def extent(self, expr: Expr, inside: Mapping[int, Extent]) -> Extent:
        """The maximum size of the value of an expression, whose locals are then bound."""
        self.extents.locals = dict(inside)
        return self.extents.of(expr)

    def _expr(self, x: Expr) -> int:
        # Parts that several expressions share are examined once.
        known = self._known.get(id(x))
        if known is None:
            known = self._known[id(x)] = x, min(CAP, 1 + self._measure(x))
        return known[1]

    def _dearest(self) -> int:
        """The cost of the most expensive objective."""
        return max(self.objectives.values(), default=0)

    def _measure(self, x: Expr) -> int:
        """The steps in addition to the evaluation itself."""
        size = self.extents.of
        match x:
            case ir.Pick() | ir.Where() | ir.CountWhere() | ir.SumWhere() | ir.Quantified():
                steps = self._expr(x.domain) + size(x.domain).count * (1 + self._expr(x.body))
                if isinstance(x.domain, ir.Places) and x.domain.separate:
                    asked = x.asked if isinstance(x, ir.Quantified) else None
                    steps += min(CAP, x.domain.tries(asked))
                return steps
            case ir.Around():
                near = 1 + max(map(len, x.beside), default=0)
                return self._expr(x.start) + len(x.cells) * (near + self._expr(x.body))
        steps = sum(map(self._expr, operands(x)))
        match x:
            case ir.Places():
                return steps + sum(len(needs) + len(free) for needs, free in x.places) + sum(map(len, x.cells))
            case ir.Without():
                return steps + size(x.left).count * size(x.right).count
            case ir.Connected() | ir.GroupSize():
                return steps + BESIDE * size(operands(x)[0]).count
            case ir.Repeats():
                # Once for each turn so far, comparing what lies there.
                return steps + TURNS * sum(size(item).count for item in x.items)
            case ir.Can():
                return steps + self.listing(x.action)
            case ir.After():
                # What the parameters are is known already.
                return self._expr(x.body) + self._ahead(x.action)
            case ir.Fulfils():
                steps += self._dearest()
        # Going through collections, and making one.
        steps += sum(size(part).count for part in traversed(x))
        return steps + (size(x).count if x.type.kind in ("list", "family") and not isinstance(x, _GIVEN) else 0)

    def _ahead(self, name: str) -> int:
        """The cost of looking ahead: a copy of all things, the effects of the action and its immediate consequences."""
        outer = self.extents.locals, self._known
        cost = sum(self.table.things.values()) + self.table.numbers
        if name in self.actions:
            inside = self.bound(self.actions[name])
            cost += sum(self.effect(e, inside) for e in self.actions[name].effects)
        cost += self.following
        self.extents.locals, self._known = outer
        return min(CAP, cost)

    # ---- actions

    def bound(self, model: ActionModel) -> dict[int, Extent]:
        """The extents of the parameters and named values of an action."""
        return self.extents.bound(model)

    def _piles(self, p: ParameterModel) -> int:
        return self.table.instances(self.table.zones[p.zone], 1)

    def once(self, model: ActionModel) -> int:
        """The cost of judging an action and carrying it out."""
        inside = self.bound(model)
        cost = sum(1 + self.cost(p.origin, inside) for p in model.parameters)
        cost += sum(self.cost(value, inside) for _, _, value in model.lets)
        cost += sum(self.rule(rule, inside) for rule in model.rules)
        return min(CAP, cost + sum(self.effect(effect, inside) for effect in model.effects))

    def effect(self, effect: EffectModel, inside: Mapping[int, Extent]) -> int:
        """The cost of carrying out an effect."""
        cost = 1 + sum(self.cost(part, inside) for part in effect.parts)
        if effect.kind == "each" and effect.value is not None:
            extent = self.extent(effect.value, inside)
            inner = {**inside, effect.slot: extent.sized(extent.each)}
            cost += extent.count * (1 + sum(self.effect(e, inner) for e in effect.effects))
        return min(CAP, cost)

    def rule(self, rule: RuleModel, inside: Mapping[int, Extent] | None = None) -> int:
        """The cost of a rule; `inside` are the extents of what its action binds."""
        known = self._rules.get(id(rule))
        if known is not None:
            return known[1]
        before = self._asked
        steps = 1 + self.cost(rule.when, inside) + self.cost(rule.require, inside)
        if before == self._asked:
            # Only the costs of other actions can change from one time to the next.
            self._rules[id(rule)] = rule, steps
        return steps

    def ways(self, model: ActionModel) -> int:
        """The maximum number of ways to choose the parameters of an action or a consequence."""
        return min(CAP, prod(self.candidates(p, model) for p in model.parameters))

    def candidates(self, p: ParameterModel, model: ActionModel) -> int:
        """The maximum number of values of a parameter."""
        if p.chance:
            return 1
        match p.kind:
            case "element":
                faces = len(self.table.components[p.type.component].codes) if p.type.component else 1
                return max(1, min(faces, self._chosen_from(p, p.type)))
            case "elements":
                held = self._chosen_from(p, p.type.element or p.type)
                most = min(held, _most(p, model))
                return int(2**held) if most == held else min(CAP, sum(_choose(held, k) for k in range(most + 1)))
            case "tops":
                return int(2 ** min(self._piles(p), 60))
            case "cell":
                return self.table.cells(self.table.zones[p.zone]) if p.zone >= 0 else 1
            case "derived" | "order":
                return 1
        values = self._values(p.type.element or p.type)
        # Together the players have that many ways for each of them.
        return int(values ** min(self.table.players, 60)) if p.each else values

    def _chosen_from(self, p: ParameterModel, element: Type) -> int:
        """The number of things of a zone among which one chooses."""
        return min(max(HAND, self.table.dealt.get(p.zone, 0)), self.table.held(element))

    def _values(self, type_: Type) -> int:
        match type_.kind:
            case "key":
                return sum(map(self._values, type_.options))
            case "member":
                return len(set(self.table.components[type_.component].attributes[type_.attribute].table))
            case "int":
                return max(1, type_.high - type_.low + 1)
            case "player":
                return self.table.players
            case "goal":
                return max(1, self.table.goals)
        return 2

    def take_as_cheap(self, names: Iterable[str]) -> None:
        """Ignore the cost of finding the legal ways of these actions, which is reported separately."""
        self._ways = dict.fromkeys(names, 1)

    def listing(self, name: str) -> int:
        """The cost of finding all legal ways of an action: every rule is evaluated as soon as its parameters are
        chosen, for as many ways as there are up to then.
        """
        self._asked += 1
        known = self._ways.get(name)
        if known is None:
            model = self.actions[name]
            # Actions that ask for each other in a circle are reported elsewhere.
            self._ways[name] = 1
            outer = self.extents.locals, self._known
            known = self._ways[name] = min(CAP, self._listing(model))
            self.extents.locals, self._known = outer
        return known

    def _listing(self, model: ActionModel) -> int:
        inside = self.bound(model)
        stage = {p.slot: at for at, p in enumerate(model.parameters, 1)}
        costs = [1] * (len(model.parameters) + 1)
        latest = 0
        for _, slot, value in model.lets:
            # A named value depends on those before it.
            latest = max([latest, *(stage.get(used, 0) for used in free_locals(value))])
            stage[slot] = latest
            costs[latest] += self.cost(value, inside)
        for rule in model.rules:
            used = free_locals(rule.require) | free_locals(rule.when)
            costs[max([0, *(stage.get(slot, 0) for slot in used)])] += self.rule(rule, inside)
        total, ways = costs[0], 1
        for at, p in enumerate(model.parameters, 1):
            total += ways * self.cost(p.origin, inside)
            ways *= self.candidates(p, model)
            total += ways * costs[at]
        return total


def _most(p: ParameterModel, model: ActionModel) -> int:
    """The number of things that a rule allows for a parameter that takes several: `require count p == ...`, if it
    always applies, or applies whenever another rule requires it anyway.
    """
    found = CAP
    held = [None, *(rule.require for rule in model.rules if rule.when is None)]
    for rule in model.rules:
        require = rule.require
        if rule.when not in held or not isinstance(require, ir.Compare) or require.sign != "==":
            continue
        for side, other in ((require.left, require.right), (require.right, require.left)):
            if isinstance(side, ir.Count) and isinstance(side.of, ir.Local) and side.of.slot == p.slot:
                found = min(found, max(0, other.type.high))
    return found


def _choose(n: int, k: int) -> int:
    return prod(range(n - k + 1, n + 1)) // prod(range(1, k + 1))
