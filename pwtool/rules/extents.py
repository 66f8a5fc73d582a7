"""How large values can become: the number of elements of collections, and the bounds of numbers.

Every zone, number and collection is bounded, so both follow from a ruleset before a game is played: numbers by interval
arithmetic (R. E. Moore, Interval Analysis, 1966). `intervals.py` collects the bounds of a whole ruleset, and `cost.py`
the number of steps that judging takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.grids import DIAGONAL, FAR
from pwtool.ir.model import ActionModel, ComponentModel, DeckModel, ParameterModel, SetupModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type, interval
from pwtool.ir.walk import bound_slot, operands

KEPT = 100
"""The usual number of things or cells in a variable."""

TURNS = 100
"""The usual number of turns of a game."""

CAP = 10**15
"""Larger values are not distinguished."""

MOST = 10**9
"""No list that grows during a game is longer: it would not fit into memory."""


class Extent(Struct, frozen=True):
    """The maximum number of elements of a value, and of things in each of them (for piles); the bounds of the numbers
    in it.
    """

    count: int = 1
    each: int = 1
    things: int = 0
    low: int = 0
    high: int = 0

    @property
    def all(self) -> int:
        """The things in all elements together."""
        return min(self.count * self.each, self.things or CAP)

    @property
    def magnitude(self) -> int:
        """The largest absolute value."""
        return max(-self.low, self.high)

    def sized(self, count: int, each: int = 1, things: int = 0) -> Extent:
        """Another size, with the same numbers."""
        return Extent(count, each, things, self.low, self.high)

    def summed(self) -> Extent:
        """The sum of all its numbers, and of any part of them."""
        return Extent(low=min(0, self.count * self.low), high=max(0, self.count * self.high))


ONE = Extent()


class Table(Struct, frozen=True):
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


class Extents(Struct):
    """Measures expressions. `kept` and `turns` are the numbers of things in a variable and of turns that are assumed;
    with `proven`, also a floating grid counts with all cells on which things can lie. `watch` is called for each
    expression, and `total` is the bounds of a player's total.
    """

    table: Table
    kept: int = KEPT
    turns: int = TURNS
    proven: bool = False
    watch: Callable[[Expr, Extent], None] | None = None
    total: Extent = ONE
    loose: Mapping[int, Extent] = field(default_factory=dict)
    """The bounds of variables that may leave their ranges."""
    locals: dict[int, Extent] = field(default_factory=dict)
    _known: dict[int, tuple[Expr, dict[int, Extent], Extent]] = field(default_factory=dict)
    _read: dict[int, Extent] = field(default_factory=dict)

    def of(self, x: Expr) -> Extent:
        """The maximum size of the value of an expression, given those of its locals."""
        # Parts that several expressions share are examined once, as long as the same is known of their locals.
        known = self._known.get(id(x))
        if known is None or any(self.locals.get(slot) != extent for slot, extent in known[1].items()):
            outer, self._read = self._read, {}
            try:
                found = _capped(self._measure(x))
                if self.watch is not None:
                    self.watch(x, found)
                known = self._known[id(x)] = x, self._read, found
            finally:
                self._read = outer
        slot = bound_slot(x)
        self._read |= {s: extent for s, extent in known[1].items() if s != slot}
        return known[2]

    def bound(self, model: ActionModel) -> dict[int, Extent]:
        """The extents of the parameters and named values of an action, which are then its locals."""
        self.locals = {}
        for p in model.parameters:
            self.locals[p.slot] = self._parameter(p)
        for _, slot, value in model.lets:
            self.locals[slot] = self.of(value)
        return dict(self.locals)

    def _parameter(self, p: ParameterModel) -> Extent:
        if p.kind == "derived" and p.origin is not None:
            return self.of(p.origin)
        element = p.type.element or p.type
        if p.origin is not None and element.kind == "int":
            # Things that lie in a zone.
            found = lying(self.table.zones)
        else:
            low, high = (element.low, element.high) if element.kind == "int" else (0, 0)
            found = Extent(low=low, high=high)
        if p.listed:
            return found.sized(self.table.held(element))
        if p.kind == "tops":
            return found.sized(self.table.instances(self.table.zones[p.zone], 1))
        return found.sized(self.table.players if p.each else 1)

    def _measure(self, x: Expr) -> Extent:
        match x:
            case ir.Local():
                found = self.locals.get(x.slot)
                if found is None:
                    found = self._declared(x.type) if self.proven else ONE
                self._read[x.slot] = found
                return found
            case ir.Let():
                self.locals[x.slot] = self.of(x.value)
                return self.of(x.body)
            case ir.Pick() | ir.Where() | ir.CountWhere() | ir.SumWhere() | ir.Quantified():
                domain = self.of(x.domain)
                self.locals[x.slot] = element = domain.sized(domain.each)
                body = self.of(x.body)
                match x:
                    case ir.Where():
                        return domain
                    case ir.CountWhere():
                        return Extent(high=x.domain.most if isinstance(x.domain, ir.Places) else domain.count)
                    case ir.SumWhere():
                        return body.sized(domain.count).summed()
                return element
            case ir.Around():
                self.of(x.start)
                self.locals[x.slot] = ONE
                self.of(x.body)
                return Extent(len(x.cells))
        parts = [self.of(part) for part in operands(x)]
        first = parts[0] if parts else ONE
        match x:
            case ir.Const():
                return _constant(x)
            case ir.Variable():
                kept = self.kept if x.type.is_collection else self.table.players if x.type.kind == "each" else 1
                return self.loose.get(x.number, self._declared(x.type)).sized(kept)
            case ir.Total():
                return self.total
            case ir.Players():
                return Extent(self.table.players)
            case ir.Goals():
                return Extent(self.table.goals)
            case ir.Zone():
                return self._zone(x.zone)
            case ir.Family():
                count, one = self.table.instances(self.table.zones[x.zone], x.open), self._zone(x.zone)
                return one.sized(count, max(one.all, one.count), one.things)
            case ir.PileAt():
                return first.sized(first.each)
            case ir.Piles():
                return first
            case ir.PilesByCell():
                return first.sized(max(first.count, x.width * x.height), first.each, first.things)
            case ir.Each(part="top"):
                return first.sized(first.count)
            case ir.Each(part="all" | "covered"):
                return first.sized(first.all)
            case ir.Each() | ir.Without():
                return first
            case ir.Top() | ir.TopAt() | ir.Element() | ir.Extreme():
                return first.sized(1)
            case ir.HeightAt():
                return Extent(high=first.each)
            case ir.TopsAt():
                return first.sized(parts[1].count)
            case ir.Values():
                joined = reduce(_either, parts, ONE)
                return joined.sized(len(parts), joined.each)
            case ir.Places():
                size = max((len(marked) for marked in x.cells or [needs for needs, _ in x.places]), default=0)
                return first.sized(len(x.places), size)
            case ir.Beside():
                return Extent(max(map(len, x.beside), default=0))
            case ir.Neighbours():
                return Extent(len(DIAGONAL if x.diagonally else x.on.beside))
            case ir.Ray() | ir.Between():
                return Extent(2 * FAR if self.proven and x.on.floating else max(x.on.width, x.on.height) - 1)
            case ir.Attribute():
                return self._attribute(x.component, x.name)
            case ir.Attributes():
                return self._attribute(x.component, x.name).sized(first.count)
            case ir.Coordinate() if x.cell.type.kind == "direction":
                return first
            case ir.Coordinate():
                return self._declared(x.type)
            case ir.Table():
                values = [value for key, value in x.rows if first.low <= key <= first.high]
                values += [] if x.otherwise is None else [x.otherwise]
                return Extent(low=min(values, default=0), high=max(values, default=0))
            case ir.Count():
                return Extent(high=first.count)
            case ir.Sum():
                return first.summed()
            case ir.CountDistinct():
                kinds = set(self.table.components[x.of.component].attributes[x.of.name].table)
                return Extent(high=min(first.count, len(kinds)))
            case ir.GroupSize():
                return Extent(high=first.count)
            case ir.Repeats():
                return Extent(high=self.turns)
            case ir.Concat():
                return _either(first, parts[1]).sized(first.count + parts[1].count, max(first.each, parts[1].each))
            case ir.If() | ir.Else():
                return _either(*parts[-2:])
            case ir.Arithmetic() | ir.Steps():
                if isinstance(x, ir.Steps) and x.left.type.kind == "cell":
                    return Extent(low=x.type.low, high=x.type.high)
                low, high = interval(x.sign, (first.low, first.high), (parts[1].low, parts[1].high))
                return Extent(low=low, high=high)
            case ir.Direction():
                return _either(first, parts[1])
        return self._declared(x.type)

    def _declared(self, type_: Type) -> Extent:
        """What a type says of a value of which nothing else is known."""
        inner = type_.element or type_
        low, high = (inner.low, inner.high) if inner.kind in ("int", "direction") else (0, 0)
        return Extent(self.kept, self.kept, 0, low, high) if type_.is_collection else Extent(low=low, high=high)

    def _attribute(self, component: str, name: str) -> Extent:
        values = self.table.components[component].attributes[name].table
        numbers = [value for value in values if type(value) is int]
        return Extent(low=min(numbers, default=0), high=max(numbers, default=0))

    def _zone(self, number: int) -> Extent:
        zone = self.table.zones[number]
        held = self.table.held(zone.element)
        numbers = ONE if zone.element.kind == "face" else lying(self.table.zones)
        if zone.kind == "grid":
            cells = held if self.proven and zone.floating else self.table.cells(zone)
            return numbers.sized(min(cells, held), held, held)
        return numbers.sized(min(1, held) if zone.kind == "slot" else held)


def lying(zones: Iterable[ZoneModel]) -> Extent:
    """The bounds of the numbers that lie in zones: they may move from one to another."""
    found = [z.element for z in zones if z.element.kind == "int"]
    return Extent(low=min((t.low for t in found), default=0), high=max((t.high for t in found), default=0))


def _constant(x: ir.Const) -> Extent:
    values = x.value if isinstance(x.value, tuple) and x.type.is_collection else (x.value,)
    flat = [n for value in values for n in (value if isinstance(value, tuple) else (value,)) if type(n) is int]
    count = len(x.value) if isinstance(x.value, tuple) else 1
    return Extent(count, low=min(flat, default=0), high=max(flat, default=0))


def _either(one: Extent, other: Extent) -> Extent:
    return Extent(
        max(one.count, other.count), max(one.each, other.each), max(one.things, other.things), min(one.low, other.low),
        max(one.high, other.high),
    )  # fmt: skip


def _capped(extent: Extent) -> Extent:
    if max(extent.count, extent.each, -extent.low, extent.high) <= CAP:
        return extent
    return replace(
        extent, count=min(CAP, extent.count), each=min(CAP, extent.each), low=max(-CAP - 1, extent.low),
        high=min(CAP + 1, extent.high),
    )  # fmt: skip
