"""The maximum cost of judging, in steps: one for every evaluation of a part of an expression.

Every zone, number and collection is bounded, so the largest number of steps is known before a game is played. One walk
over the checked expressions adds them up; loops count with as many iterations as possible, with all things of the setup
in one place. Only what grows during a game counts at a usual size: a choice among `HAND` things or as many as were
dealt there, a variable with `KEPT` things, and the cells that can still belong to a floating grid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import assert_never

from pwtool.ir import nodes as ir
from pwtool.ir.grids import DIAGONAL
from pwtool.ir.model import (
    ActionModel,
    ComponentModel,
    DeckModel,
    EffectModel,
    ParameterModel,
    RuleModel,
    SetupModel,
    ZoneModel,
)
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals

HAND = 8
"""The number of things of a zone among which one chooses, unless the setup deals more there."""

KEPT = 100
"""The number of things or cells in a variable."""

CAP = 10**15
"""Larger values are not distinguished."""

BESIDE = 4
# The number of turns assumed for a game.
TURNS = 100
"""The number of neighbours of a cell."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The maximum number of elements of a value, and of things in each of them (for piles)."""

    count: int = 1
    each: int = 1
    things: int = 0

    @property
    def all(self) -> int:
        """The things in all elements together."""
        return min(self.count * self.each, self.things or CAP)


ONE = Extent()


@dataclass(frozen=True, slots=True)
class Table:
    """The maximum size of a game: players, objectives in play, things of each component, zones."""

    players: int
    goals: int
    components: Mapping[str, ComponentModel]
    zones: Sequence[ZoneModel]
    things: Mapping[str, int]
    numbers: int
    dealt: Mapping[int, int] = field(default_factory=dict)

    def instances(self, zone: ZoneModel, left: int | None = None) -> int:
        """The number of zones of a name, or of those left when only the last dimensions are open."""
        dimensions = zone.dimensions if left is None else zone.dimensions[len(zone.dimensions) - left :]
        return prod({"player": self.players, "goal": self.goals}.get(name, size) for name, size in dimensions)

    def held(self, element: Type) -> int:
        """The number of things of this kind."""
        return self.things.get(element.component, 0) if element.kind == "face" else self.numbers

    def cells(self, zone: ZoneModel) -> int:
        """The number of cells of a grid on which something can lie, or could be put."""
        if not zone.floating:
            return zone.grid.size
        # Around a single card, the grid can still grow to its full size in every direction; otherwise by one cell on each side.
        return max(zone.width + 2, 2 * zone.width - 1) * max(zone.height + 2, 2 * zone.height - 1)


def table_of(
    players: int,
    goals: int,
    components: Mapping[str, ComponentModel],
    decks: Mapping[str, DeckModel],
    zones: Sequence[ZoneModel],
    setup: Iterable[SetupModel],
) -> Table:
    """The things on the table after everything is dealt and put down."""
    table = Table(players, goals, components, zones, {}, 0)
    things = dict.fromkeys(components, 0)
    used: set[str] = set()
    dealt: dict[int, int] = {}
    numbers = 0
    for step in setup:
        if step.kind == "deal" and step.deck in decks:
            deck = decks[step.deck]
            held = sum(count for cards, _ in deck.parts for _, count in cards)
            dealt[step.zone] = dealt.get(step.zone, 0) + (step.amount or _largest_share(table, step, deck, held))
            if step.deck not in used:
                used.add(step.deck)
                things[deck.component] += held
        if step.kind == "put" and 0 <= step.zone < len(zones):
            zone = zones[step.zone]
            laid = sum(len(faces) for _, faces in step.board) * table.instances(zone)
            if zone.element.kind == "face":
                things[zone.element.component] += laid
            numbers += max((len(values) for values, _ in step.cases), default=0) * table.instances(zone)
    return Table(players, goals, components, zones, things, numbers, dealt)


def _largest_share(table: Table, step: SetupModel, deck: DeckModel, held: int) -> int:
    """The maximum that a zone receives if a whole deck is dealt, to one zone or spread evenly."""
    if step.owner:
        owners = table.components[deck.component].attributes[step.owner].table
        shares = Counter[int]()
        for cards, _ in deck.parts:
            for face, count in cards:
                shares[owners[face]] += count
        return max(shares.values(), default=0)
    return -(-held // max(1, table.instances(table.zones[step.zone])))


@dataclass(slots=True)
class Estimator:
    """Adds up the costs of expressions, actions and rules; `objectives` are the costs of objectives that others use."""

    table: Table
    actions: Mapping[str, ActionModel] = field(default_factory=dict)
    objectives: Mapping[str, int] = field(default_factory=dict)
    _locals: dict[int, Extent] = field(default_factory=dict)
    _known: dict[int, tuple[Expr, int, Extent]] = field(default_factory=dict)
    _ways: dict[str, int] = field(default_factory=dict)
    _rules: dict[int, tuple[RuleModel, int]] = field(default_factory=dict)
    _asked: int = 0
    following: int = 0

    # ---- expressions

    def cost(self, expr: Expr | None, inside: Mapping[int, Extent] | None = None) -> int:
        """The maximum number of steps of one evaluation. `inside` are the extents of the locals that are already
        bound.
        """
        if expr is None:
            return 0
        self._locals = dict(inside or {})
        self._known = {}
        return min(CAP, self._expr(expr)[0])

    def extent(self, expr: Expr, inside: Mapping[int, Extent]) -> Extent:
        """The maximum size of the value of an expression."""
        self._locals = dict(inside)
        self._known = {}
        return self._expr(expr)[1]

    def _expr(self, x: Expr) -> tuple[int, Extent]:
        # Parts that several expressions share are examined once.
        known = self._known.get(id(x))
        if known is None:
            cost, extent = self._measure(x)
            known = self._known[id(x)] = (x, min(CAP, cost), _capped(extent))
        return known[1], known[2]

    def _dearest(self) -> int:
        """The cost of the most expensive objective."""
        return max(self.objectives.values(), default=0)

    def _sum(self, *parts: Expr | None) -> int:
        return 1 + sum(self._expr(p)[0] for p in parts if p is not None)

    def _measure(self, x: Expr) -> tuple[int, Extent]:
        match x:
            case ir.Const():
                return 1, Extent(len(x.value)) if isinstance(x.value, tuple) else ONE
            case ir.Local():
                return 1, self._locals.get(x.slot, ONE)
            case ir.Variable():
                players = self.table.players if x.type.kind == "each" else 1
                return 1, Extent(KEPT) if x.type.is_collection else Extent(players)
            case ir.Actor() | ir.Total() | ir.Holds() | ir.TokenPlace():
                return 1, ONE
            case ir.Players():
                return 1 + self.table.players, Extent(self.table.players)
            case ir.Goals():
                return 1 + self.table.goals, Extent(self.table.goals)
            case ir.Let():
                value, self._locals[x.slot] = self._expr(x.value)
                body, extent = self._expr(x.body)
                return 1 + value + body, extent
            case ir.ZoneIndex():
                return self._sum(*x.indices), ONE
            case ir.Zone():
                return self._sum(*x.indices), self._zone(x.zone)
            case ir.Family():
                zone = self.table.zones[x.zone]
                count, one = self.table.instances(zone, x.open), self._zone(x.zone)
                return self._sum(*x.indices) + count, Extent(count, max(one.all, one.count), one.things)
            case ir.PileAt():
                return self._sum(x.grid, x.cell), Extent(self._expr(x.grid)[1].each)
            case ir.Piles() | ir.PilesByCell():
                cost, extent = self._expr(x.grid)
                cells = x.width * x.height if isinstance(x, ir.PilesByCell) else 0
                return 1 + cost + extent.count + cells, Extent(max(extent.count, cells), extent.each, extent.things)
            case ir.Filled():
                cost, extent = self._expr(x.piles)
                return 1 + cost + extent.count, extent
            case ir.Flat() | ir.Buried():
                cost, extent = self._expr(x.piles)
                return 1 + cost + extent.count + extent.all, Extent(extent.all)
            case ir.Top():
                return self._sum(x.pile), ONE
            case ir.Tops():
                cost, extent = self._expr(x.piles)
                return 1 + cost + extent.count, Extent(extent.count)
            case ir.TopAt() | ir.HeightAt():
                return self._sum(x.piles, x.at), ONE
            case ir.TopsAt():
                return self._sum(x.piles, x.cells), Extent(self._expr(x.cells)[1].count)
            case ir.Beside():
                most = max(map(len, x.beside), default=0)
                return self._sum(x.of) + most, Extent(most)
            case ir.Where():
                return self._loop(x), self._expr(x.domain)[1]
            case ir.Around():
                self._locals[x.slot] = ONE
                near = 1 + max(map(len, x.beside), default=0)
                return self._sum(x.start) + len(x.cells) * (near + self._expr(x.body)[0]), Extent(len(x.cells))
            case (
                ir.Attribute()
                | ir.Empty()
                | ir.Count()
                | ir.Sum()
                | ir.SumAttribute()
                | ir.CountDistinct()
                | ir.Extreme()
                | ir.Same()
                | ir.Distinct()
                | ir.Ascending()
            ):
                cost, extent = self._expr(x.of)
                return 1 + cost + extent.count, ONE
            case ir.Reads():
                return self._sum(x.of) + len(x.values), ONE
            case ir.Coordinate():
                return self._sum(x.cell) + 1, ONE
            case ir.Ray():
                count = max(x.on.width, x.on.height) - 1
                return self._sum(x.cell, x.step) + count, Extent(count)
            case ir.Between():
                count = max(x.on.width, x.on.height) - 1
                return self._sum(x.left, x.right) + count, Extent(count)
            case ir.Moved():
                return self._sum(x.cell, x.step), ONE
            case ir.CellAt() | ir.Direction():
                return self._sum(x.column, x.row), ONE
            case ir.Neighbours():
                count = len(DIAGONAL if x.diagonally else x.on.beside)
                return self._sum(x.cell) + count, Extent(count)
            case ir.PlayerAfter():
                return self._sum(x.player), ONE
            case ir.EachAt():
                return self._sum(x.values, x.player), ONE
            case ir.Item():
                return self._sum(x.items), ONE
            case ir.Items():
                return self._sum(x.items) + len(x.at), Extent(len(x.at))
            case ir.Table() | ir.Negative() | ir.Not():
                return self._sum(x.operand), ONE
            case ir.Append() | ir.Concat() | ir.Without():
                return self._joined(x)
            case ir.In():
                return self._sum(x.item, x.items) + self._expr(x.items)[1].count, ONE
            case ir.Connected():
                return self._sum(x.grid) + BESIDE * self._expr(x.grid)[1].count, ONE
            case ir.Fits():
                return self._sum(x.grid, x.cell) + self._expr(x.grid)[1].count, ONE
            case ir.GroupSize():
                return self._sum(x.piles) + BESIDE * self._expr(x.piles)[1].count, ONE
            case ir.Repeats():
                # Once for each turn so far, comparing what lies there.
                return self._sum(*x.items) + TURNS * sum(self._expr(item)[1].count for item in x.items), ONE
            case ir.TokenOn():
                return self._sum(x.index, x.cell), ONE
            case ir.Can():
                return self._sum(x.player) + self.listing(x.action), ONE
            case ir.After():
                return self._sum(x.body) + self._ahead(x.action), ONE
            case ir.Fulfils():
                return self._sum(x.grid, x.goal) + self._expr(x.grid)[1].count + self._dearest(), ONE
            case ir.And() | ir.Or() | ir.Compare() | ir.Arithmetic() | ir.Steps():
                return self._sum(x.left, x.right), ONE
            case ir.If():
                return self._sum(x.condition, x.then, x.otherwise), _larger(
                    self._expr(x.then)[1], self._expr(x.otherwise)[1]
                )
            case ir.Else():
                return self._sum(x.value, x.default), _larger(self._expr(x.value)[1], self._expr(x.default)[1])
            case ir.Pick() | ir.CountWhere() | ir.SumWhere() | ir.Quantified():
                return self._loop(x), ONE
            case ir.Placements():
                cells = sum(len(needs) + len(free) for needs, free in x.places) + sum(map(len, x.cells))
                size = max((len(marked) for marked in x.cells or [needs for needs, _ in x.places]), default=0)
                self._locals[x.slot] = Extent(size)
                piles, body = self._expr(x.piles)[0], self._expr(x.body)[0]
                apart = min(CAP, x.tries) if x.separate else 0
                return 1 + piles + cells + len(x.places) * (1 + body) + apart, ONE
        assert_never(x)

    def _ahead(self, name: str) -> int:
        """The cost of looking ahead: a copy of all things, the effects of the action and its immediate consequences."""
        outer = self._locals, self._known
        cost = sum(self.table.things.values()) + self.table.numbers
        if name in self.actions:
            inside = self.bound(self.actions[name])
            cost += sum(self.effect(e, inside) for e in self.actions[name].effects)
        cost += self.following
        self._locals, self._known = outer
        return min(CAP, cost)

    def _loop(self, x: ir.Pick | ir.Where | ir.CountWhere | ir.SumWhere | ir.Quantified) -> int:
        cost, extent = self._expr(x.domain)
        self._locals[x.slot] = Extent(extent.each)
        return 1 + cost + extent.count * (1 + self._expr(x.body)[0])

    def _joined(self, x: ir.Append | ir.Concat | ir.Without) -> tuple[int, Extent]:
        (left, one), (right, other) = self._expr(x.left), self._expr(x.right)
        if isinstance(x, ir.Without):
            return 1 + left + right + one.count * other.count, one
        more = 1 if isinstance(x, ir.Append) else other.count
        return 1 + left + right + one.count + more, Extent(one.count + more, max(one.each, other.each))

    def _zone(self, number: int) -> Extent:
        zone = self.table.zones[number]
        held = self.table.held(zone.element)
        if zone.kind == "grid":
            return Extent(min(self.table.cells(zone), held), held, held)
        return Extent(min(1, held) if zone.kind == "slot" else held)

    # ---- actions

    def bound(self, model: ActionModel) -> dict[int, Extent]:
        """The extents of the parameters and named values of an action."""
        found: dict[int, Extent] = {}
        for p in model.parameters:
            if p.kind == "derived" and p.origin is not None:
                found[p.slot] = self.extent(p.origin, found)
            else:
                found[p.slot] = Extent(self._named(p))
        for _, slot, value in model.lets:
            found[slot] = self.extent(value, found)
        return found

    def _named(self, p: ParameterModel) -> int:
        """The maximum number of things in an argument."""
        if p.listed:
            return self.table.held(p.type.element or p.type)
        if p.kind == "tops":
            return self._piles(p)
        return self.table.players if p.each else 1

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
            inner = {**inside, effect.slot: Extent(extent.each)}
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
            outer = self._locals, self._known
            known = self._ways[name] = min(CAP, self._listing(model))
            self._locals, self._known = outer
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


def _larger(one: Extent, other: Extent) -> Extent:
    return Extent(max(one.count, other.count), max(one.each, other.each), max(one.things, other.things))


def _capped(extent: Extent) -> Extent:
    return Extent(min(CAP, extent.count), min(CAP, extent.each), extent.things)
