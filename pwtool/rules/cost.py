"""The maximum cost of judging, in steps: one for every evaluation of a part of an expression.

Every zone, number and collection is bounded, so the largest number of steps is known before a game is played. One walk
over the checked expressions adds them up; loops count with as many iterations as possible, with all things of the setup
in one place. Only what grows during a game counts at a usual size: a choice among `HAND` things or as many as were
dealt there, a variable with `KEPT` things, and the cells that can still belong to a floating grid.

What is found once counts once: groups of a position, and what rules ask of a position whatever the parameters are. Of
the candidates for parameters, a rule leaves `HALF` to the dearer rules behind it, as planners of queries assume of
predicates of which they know nothing (P. G. Selinger et al., Access Path Selection, 1979), down to one in `SPARED`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import prod

from msgspec import Struct, field

from pwtool.ir import nodes as ir
from pwtool.ir.ahead import looks_ahead
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals, like, operands, same_for_all, traversed, unchanged
from pwtool.rules.extents import CAP, TURNS, Extent, Extents, Table

HAND = 8
"""The number of things of a zone among which one chooses, unless the setup deals more there."""

BESIDE = 4
"""The number of neighbours of a cell."""


HALF = 2
SPARED = 16
"""Rules before it spare a rule at most all but one in so many candidates."""

_GIVEN = ir.Const | ir.Local | ir.Variable | ir.Let | ir.If | ir.Else
"""Collections that need not be made."""
_MEASURED = _GIVEN | ir.Zone | ir.PileAt | ir.Family | ir.Piles
"""Collections whose size is known without going through them."""


Found = dict[object, int]
"""What is found once, with its cost."""


class Estimator(Struct):
    """Adds up the costs of expressions, actions and rules; `objectives` are the costs of objectives that others use."""

    table: Table
    actions: Mapping[str, ActionModel] = field(default_factory=dict)
    objectives: Mapping[str, int] = field(default_factory=dict)
    on_trial: Collection[str] = ()
    """The actions whose effects are tried to see whether they exceed a bound."""
    extents: Extents = None  # type: ignore[assignment]  # made of the table
    _known: dict[int, tuple[Expr, int]] = field(default_factory=dict)
    _ways: dict[str, int] = field(default_factory=dict)
    _rules: dict[int, tuple[RuleModel, int, Found]] = field(default_factory=dict)
    _once: Found = field(default_factory=dict)
    _unchanged: frozenset[int] = frozenset()
    _asked: int = 0
    following: int = 0

    def __post_init__(self) -> None:
        self.extents = Extents(self.table)

    # ---- expressions

    def cost(self, expr: Expr | None, inside: Mapping[int, Extent] | None = None, found: Found | None = None) -> int:
        """The maximum number of steps of one evaluation. `inside` are the extents of the locals that are already
        bound. What is `found` once in a position is added there, or counts here.
        """
        if expr is None:
            return 0
        self.extent(expr, inside or {})
        self._known, outer, self._once = {}, self._once, {} if found is None else found
        steps = self._expr(expr) + (sum(self._once.values()) if found is None else 0)
        self._once = outer
        return min(CAP, steps)

    def extent(self, expr: Expr, inside: Mapping[int, Extent]) -> Extent:
        """The maximum size of the value of an expression, whose locals are then bound."""
        self.extents.locals = dict(inside)
        return self.extents.of(expr)

    def _expr(self, x: Expr) -> int:
        # Parts that several expressions share are examined once.
        known = self._known.get(id(x))
        if known is None:
            steps = min(CAP, 1 + self._measure(x))
            if id(x) in self._unchanged:
                self._once[x], steps = steps, 1
            known = self._known[id(x)] = x, steps
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
                steps = len(x.cells) * (near + self._expr(x.body))
                if same_for_all(x):
                    self._once[like(x)], steps = steps, 0
                return self._expr(x.start) + steps
            case ir.After():
                # What the parameters are is known already; groups are other ones.
                outer, self._once = self._once, {}
                steps = self._expr(x.body) + self._ahead(x.action) + sum(self._once.values())
                self._once = outer
                return steps
        steps = sum(map(self._expr, operands(x)))
        match x:
            case ir.Empty() | ir.Count() if isinstance(x.of, _MEASURED):
                return steps
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
            case ir.Fulfils():
                steps += self._dearest()
        # Going through collections, and making one.
        steps += sum(size(part).count for part in traversed(x))
        return steps + (size(x).count if x.type.kind in ("list", "family") and not isinstance(x, _GIVEN) else 0)

    def _ahead(self, name: str) -> int:
        """The cost of looking ahead: a copy of all things, the effects of the action and its immediate consequences."""
        outer = self.extents.locals, self._known, self._unchanged
        self._unchanged = frozenset()
        cost = sum(self.table.things.values()) + self.table.numbers
        if name in self.actions:
            inside = self.bound(self.actions[name])
            cost += sum(self.effect(e, inside) for e in self.actions[name].effects)
        cost += self.following
        self.extents.locals, self._known, self._unchanged = outer
        return min(CAP, cost)

    def dearest(self, exprs: Iterable[Expr | None], inside: Mapping[int, Extent]) -> Expr | None:
        """The innermost loop of these that takes most of the steps; None if they do not loop."""
        found = None
        parts = [x for x in exprs if x is not None]
        while parts:
            costs = [(self.cost(x, inside), x) for x in parts]
            steps, x = max(costs, key=lambda one: one[0])
            if 2 * steps < sum(cost for cost, _ in costs):
                break
            parts = operands(x)
            if isinstance(x, ir.Loop):
                found = x
                if not isinstance(x, ir.Around):
                    extent = self.extent(x.domain, inside)
                    inside = {**inside, x.slot: extent.sized(extent.each)}
                    if self.cost(x.domain, inside) > extent.count * self.cost(x.body, inside):
                        parts = [x.domain]
                    else:
                        parts = [x.body]
            elif isinstance(x, ir.Let):
                inside = {**inside, x.slot: self.extent(x.value, inside)}
        return found

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
        steps, found = self._apart(rule, inside)
        return min(CAP, steps + sum(found.values()))

    def _apart(self, rule: RuleModel, inside: Mapping[int, Extent] | None = None) -> tuple[int, Found]:
        """The cost of a rule, and what is found once however often the rule is evaluated in a position."""
        known = self._rules.get(id(rule))
        if known is not None:
            return known[1:]
        before, outer, found = self._asked, self._unchanged, Found()
        self._unchanged = frozenset(map(id, unchanged(rule.require)))
        steps = 1 + self.cost(rule.when, inside, found) + self.cost(rule.require, inside, found)
        self._unchanged = outer
        if before == self._asked:
            # Only the costs of other actions can change from one time to the next.
            self._rules[id(rule)] = rule, steps, found
        return steps, found

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
        chosen, for as many ways as there are up to then and the cheaper rules leave.
        """
        self._asked += 1
        known = self._ways.get(name)
        if known is None:
            model = self.actions[name]
            # Actions that ask for each other in a circle are reported elsewhere.
            self._ways[name] = 1
            known = self._ways[name] = min(CAP, sum(steps for _, steps in self.listed(model)))
        return known

    def listed(self, model: ActionModel) -> list[tuple[RuleModel | None, int]]:
        """What finding all legal ways of an action takes for each rule, and without any."""
        outer = self.extents.locals, self._known, self._once, self._unchanged
        self._unchanged = frozenset()
        inside = self.bound(model)
        stage = {p.slot: at for at, p in enumerate(model.parameters, 1)}
        rules: list[list[tuple[bool, int, RuleModel]]] = [[] for _ in range(len(model.parameters) + 1)]
        latest = 0
        named = dict[int, tuple[int, int, frozenset[int]]]()
        for _, slot, value in model.lets:
            # A named value depends on those before it.
            latest = max([latest, *(stage.get(used, 0) for used in free_locals(value))])
            stage[slot] = latest
            named[slot] = latest, self.cost(value, inside), free_locals(value)
        once = Found()
        first: dict[object, RuleModel] = {}
        for rule in model.rules:
            used = free_locals(rule.require) | free_locals(rule.when)
            steps, found = self._apart(rule, inside)
            rules[max([0, *(stage.get(slot, 0) for slot in used)])].append((looks_ahead(rule), steps, rule))
            for part, cost in found.items():
                once[part] = cost
                first.setdefault(part, rule)
        total: list[tuple[RuleModel | None, int]] = [(first[part], cost) for part, cost in once.items()]
        ways, spared = 1, 1
        for at, tried in enumerate(rules):
            if at:
                p = model.parameters[at - 1]
                total.append((None, -(-ways // spared) * self.cost(p.origin, inside)))
                ways *= self.candidates(p, model)
            total.append((None, -(-ways // spared)))
            for _, steps, rule in sorted(tried, key=lambda one: one[:2]):
                before = _taken(named, free_locals(rule.require) | free_locals(rule.when))
                total.append((rule, -(-ways // spared) * (before + steps)))
                spared = min(spared * HALF, SPARED) if at else spared
            left = [slot for slot, (latest, _, _) in named.items() if latest <= at]
            total.append((None, -(-ways // spared) * _taken(named, frozenset(left))))
        if model.name in self.on_trial:
            total.append((None, -(-ways // spared) * sum(self.effect(effect, inside) for effect in model.effects)))
        self.extents.locals, self._known, self._once, self._unchanged = outer
        return total


def _taken(named: dict[int, tuple[int, int, frozenset[int]]], slots: frozenset[int]) -> int:
    """The cost of named values and of those that they depend on, which are then known."""
    steps, wanted = 0, list(slots)
    while wanted:
        found = named.pop(wanted.pop(), None)
        if found is not None:
            steps += found[1]
            wanted += found[2]
    return steps


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
