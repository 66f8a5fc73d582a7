"""Expressions over an arbitrary position, as terms. What has no terms is a symbol: the same for the same expression over the
same things.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from itertools import combinations
from typing import Any, cast

from pwtool.comparing.induction.piles import (
    Items,
    Named,
    Pile,
    Squares,
    as_number,
    at_most_one,
    attribute_of,
    constant,
    in_use,
    not_below_0,
    one_of,
    picked,
    some_of,
    worth,
)
from pwtool.comparing.induction.position import Places, Position
from pwtool.comparing.induction.symbols import without_values
from pwtool.comparing.induction.terms import (
    NOTHING,
    Open,
    Unread,
    Value,
    World,
    chosen,
    conj,
    disj,
    either,
    equal,
    implied,
    inside,
    is_truth,
    less,
    negated,
    same,
    times,
    total,
    truth,
)
from pwtool.eval.geometry import GEOMETRY
from pwtool.ir import nodes as ir
from pwtool.ir.grids import DIAGONAL, near
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals, operands, walk
from pwtool.play.state import zone_strides

Locals = dict[int, Any]
"""What parameters, named values and elements stand for, by slot."""
_COLLECTIONS = ("list", "pile", "bag", "grid", "family")


class Reader:
    """Reads expressions of a ruleset for the player who acts. `alike`: the actions that are the same in both, with all they ask about."""

    def __init__(self, places: Places, position: Position, actor: int, alike: Container[str]) -> None:
        self.places, self.names, self.position, self.actor = places, places.names, position, actor
        self.alike = alike
        self.ruleset = places.names.ruleset
        self.world: World = position.world
        self.totals: Value | None = None
        self.strides = {
            z.number: zone_strides(z, self.world.players, self.world.goals) for z in self.ruleset.zones.values()
        }

    def of(self, actor: int) -> Reader:
        """The same for another player who acts. Raises `Open` if there is none."""
        if actor >= self.world.players:
            raise Open
        return Reader(self.places, self.position, actor, self.alike)

    # ---- entry points

    def condition(self, expr: Expr | None, e: Locals) -> Any:
        """A condition as a term; none holds always."""
        if expr is None:
            return True
        read = None if e else self.places.read(expr)
        if read is None:
            return self.value(expr, e).holds
        key = (id(expr), self.actor, self.position.key_of(self.places.known, read))
        if key not in self.world.conditions:
            self.world.conditions[key] = self.value(expr, e).holds
        return self.world.conditions[key]

    def value(self, expr: Expr, e: Locals) -> Value:
        """A scalar."""
        found = self.read(expr, e)
        if not isinstance(found, Value):
            raise Open
        return found

    def read(self, expr: Expr, e: Locals) -> Any:
        """What an expression stands for. Raises `Unread` for a collection that has no terms."""
        self.world.work.spend()
        try:
            return _READ[type(expr)](self, expr, e)
        except Unread:
            if expr.type.kind in _COLLECTIONS:
                raise
            return self.symbol(expr, e)

    def symbol(self, expr: Expr, e: Locals) -> Value:
        """An expression without terms, as a function of the scalars in it, named by the rest of it and what that reads."""
        values: list[Value] = []
        rest, slots = without_values(expr, frozenset(e), lambda x: self.value(x, e), values)
        named = e | {slot: Named(self.world, ("argument", at)) for at, slot in enumerate(slots)}
        try:
            return self.world.value(self.world.number(self.key(rest, named)), expr.type, values)
        except Unread:
            raise Open from None

    def key(self, expr: Expr, e: Locals) -> Any:
        """What identifies the value of an expression: its form, and all that it reads."""
        env: dict[int, Any] = {}
        for slot in free_locals(expr):
            held = e[slot]
            form = ("value", self.world.key_of(held))
            self.names.types[form] = next(p.type for p in walk(expr) if isinstance(p, ir.Local) and p.slot == slot)
            env[slot] = form
        parts = list(walk(expr))
        if any(isinstance(p, ir.Total) for p in parts):
            raise Open
        asked = {p.action for p in parts if isinstance(p, ir.Can | ir.After)}
        alike = self.alike if self.position.alike is None else self.position.alike
        if not all(name in alike for name in asked):
            raise Open
        # What a history has kept, which is the same in both games, only changes between turns.
        kept = bool(asked) or any(isinstance(p, ir.Repeats) for p in parts)
        places = self.places.decisive(expr)
        read = self.position.key if places is None else self.position.key_of(self.places.known, places)
        read = (self.position.moment, read) if kept else read
        who = self.actor if asked or any(isinstance(p, ir.Actor) for p in parts) else None
        return "symbol", self.names.form(expr, env), read, who

    def kept(self, expr: Expr, e: Locals) -> Any:
        """The value of an expression as it is now, for later; if it has no terms, what identifies it."""
        try:
            return self.read(expr, e)
        except Unread:
            return Named(self.world, self.key(expr, e))

    # ---- leaves

    def _const(self, x: ir.Const, e: Locals) -> Any:
        return constant(self.world, x.value, x.type)

    def _local(self, x: ir.Local, e: Locals) -> Any:
        found = e[x.slot]
        if isinstance(found, Named):
            raise Unread
        return found

    def _variable(self, x: ir.Variable, e: Locals) -> Any:
        return self.position.variables[self.names.variables[x.number]]

    def _actor(self, x: ir.Actor, e: Locals) -> Any:
        return Value((self.actor,))

    def _players(self, x: ir.Players, e: Locals) -> Any:
        return Items(tuple((True, Value((seat,))) for seat in range(self.world.players)))

    def _goals(self, x: ir.Goals, e: Locals) -> Any:
        return Items(tuple((True, Value((goal,))) for goal in range(self.world.goals)))

    def _total(self, x: ir.Total, e: Locals) -> Any:
        if self.totals is None:
            raise Open
        return self.totals

    def _let(self, x: ir.Let, e: Locals) -> Any:
        return self.read(x.body, {**e, x.slot: self.read(x.value, e)})

    # ---- zones

    def index(self, zone: int, indices: tuple[Expr, ...], e: Locals) -> Any:
        """Which of the zones of a name, as a term."""
        dimensions = next(z.dimensions for z in self.ruleset.zones.values() if z.number == zone)
        start = -1 if any(name == "number" for name, _ in dimensions) else 0
        parts = [self.value(x, e).parts[0] for x in indices]
        return total([start, *(times(s, p) for s, p in zip(self.strides[zone], parts, strict=False))])

    def _zone_index(self, x: ir.ZoneIndex, e: Locals) -> Any:
        return Value((self.index(x.zone, x.indices, e),))

    def _zone(self, x: ir.Zone, e: Locals) -> Any:
        held = self.position.zones[self.names.zones[x.zone]]
        at = self.index(x.zone, x.indices, e)
        if isinstance(at, int):
            if not 0 <= at < len(held):
                raise Unread
            return held[at]
        return picked(at, held)

    def _family(self, x: ir.Family, e: Locals) -> Any:
        held, strides = self.position.zones[self.names.zones[x.zone]], self.strides[x.zone]
        parts = [self.value(i, e).known for i in x.indices]
        start = sum(s * p for s, p in zip(strides, parts, strict=False))
        size = strides[-x.open - 1] if x.indices else len(held)
        return Items(tuple((True, pile) for pile in held[start : start + size]))

    def _pile_at(self, x: ir.PileAt, e: Locals) -> Any:
        grid, cell = self.read(x.grid, e), self.value(x.cell, e)
        values = self.world.values_of(x.type.element)
        return grid.at(cell, values) if isinstance(grid, Named) else grid.at(cell, self.world, values)

    def _piles(self, x: ir.Piles, e: Locals) -> Any:
        return in_use(self.read(x.grid, e))

    def _piles_by_cell(self, x: ir.PilesByCell, e: Locals) -> Any:
        grid = self.read(x.grid, e)
        if not isinstance(grid, Squares) or x.floating:
            raise Unread
        places = [grid.piles.get((at % x.width, at // x.width)) for at in range(x.width * x.height)]
        return Items(tuple((pile is not None, pile) for pile in places))

    def _each(self, x: ir.Each, e: Locals) -> Any:
        piles = in_use(self.read(x.piles, e))
        match x.part:
            case "pile":
                return piles
            case "top":
                return Items(tuple((there, pile.top) for there, pile in piles.there()), piles.ordered)
        things = [(there, pile, v) for there, pile in piles.there() for v in pile.values]
        if x.part == "all":
            return Items(tuple((chosen(there, p.count(v), 0), Value((v,))) for there, p, v in things), ordered=False)
        on_top = [chosen(there, as_number(conj(p.some, equal(p.top.parts[0], v))), 0) for there, p, v in things]
        counts = [chosen(there, p.count(v), 0) for there, p, v in things]
        less = [total([many, times(-1, one)]) for many, one in zip(counts, on_top, strict=True)]
        return Items(tuple((many, Value((v,))) for many, (_, _, v) in zip(less, things, strict=True)), ordered=False)

    def _top(self, x: ir.Top, e: Locals) -> Any:
        pile = self.read(x.pile, e)
        if not isinstance(pile, Pile):
            raise Unread
        return pile.top

    def _top_at(self, x: ir.TopAt, e: Locals) -> Any:
        return self._on_place(x.piles, x.at, e).top

    def _height_at(self, x: ir.HeightAt, e: Locals) -> Any:
        pile = self._on_place(x.piles, x.at, e)
        return Value((pile.size,), negated(pile.some))

    def _on_place(self, piles: Expr, at: Expr, e: Locals) -> Pile:
        items, place = self.read(piles, e), self.value(at, e).known
        pile = None if place is None else items.entries[place][1]
        if pile is None:
            raise Unread
        return cast("Pile", pile)

    # ---- things and collections

    def _attribute(self, x: ir.Attribute, e: Locals) -> Any:
        return self._with_attribute(x.component, x.name, self.value(x.of, e))

    def _with_attribute(self, component: str, name: str, face: Value) -> Value:
        return attribute_of(self.world, component, name, self.ruleset.components[component].attributes[name], face)

    def _attributes(self, x: ir.Attributes, e: Locals) -> Any:
        items = self.items(x.of, e)
        return Items(
            tuple((many, self._with_attribute(x.component, x.name, face)) for many, face in items.entries),
            items.ordered,
        )

    def items(self, expr: Expr, e: Locals) -> Items:
        """The elements of a collection."""
        found = self.read(expr, e)
        if isinstance(found, Pile):
            return found.items
        if isinstance(found, Squares):
            return found.in_use
        if not isinstance(found, Items):
            raise Unread
        return found

    def _coordinate(self, x: ir.Coordinate, e: Locals) -> Any:
        cell = self.value(x.cell, e)
        return NOTHING if cell.absent is True else Value((cell.parts[x.axis],), cell.absent)

    def _player_after(self, x: ir.PlayerAfter, e: Locals) -> Any:
        player = self.value(x.player, e)
        seat = player.parts[0]
        last = self.world.players - 1
        return Value((chosen(equal(seat, last), 0, total([seat, 1])),), player.absent)

    def _element(self, x: ir.Element, e: Locals) -> Any:
        of, at = self.read(x.of, e), self.value(x.at, e)
        held = [v for _, v in of.entries] if isinstance(of, Items) and all(m is True for m, _ in of.entries) else of
        if not isinstance(held, list):
            raise Unread
        number = at.parts[0]
        if not isinstance(number, int):
            return picked(number, held)
        if not 0 <= number < len(held):
            raise Unread
        return held[number]

    def _values(self, x: ir.Values, e: Locals) -> Any:
        return Items(tuple((True, self.read(item, e)) for item in x.items))

    def _table(self, x: ir.Table, e: Locals) -> Any:
        at = self.value(x.operand, e)
        found = constant(self.world, x.otherwise if x.otherwise is not None else x.rows[-1][1], x.type)
        for key, value in x.rows:
            found = either(equal(at.parts[0], key), constant(self.world, value, x.type), found)
        return Value(found.parts, disj(found.absent, at.absent))

    def _count(self, x: ir.Count, e: Locals) -> Any:
        found = self.read(x.of, e)
        return Value((found.size if isinstance(found, Pile) else self.items(x.of, e).size,))

    def _empty(self, x: ir.Empty, e: Locals) -> Any:
        found = self.read(x.of, e)
        if isinstance(found, Pile | Named):
            return truth(negated(found.some))
        return truth(negated(disj(*(there for there, _ in self.items(x.of, e).there()))))

    def _sum(self, x: ir.Sum, e: Locals) -> Any:
        return Value((total(worth(many, v) for many, v in self.items(x.of, e).entries),))

    def _alike_values(self, x: Expr, e: Locals) -> list[tuple[Any, Value]]:
        """The different values of a collection, each with how often it is there, if all are known."""
        found: dict[Any, list[Any]] = {}
        values: dict[Any, Value] = {}
        for many, value in self.items(x, e).counted():
            found.setdefault(value.known, []).append(many)
            values[value.known] = value
        return [(total(many), values[key]) for key, many in found.items()]

    def _count_distinct(self, x: ir.CountDistinct, e: Locals) -> Any:
        return Value((total(as_number(some_of(many)) for many, _ in self._alike_values(x.of, e)),))

    def _extreme(self, x: ir.Extreme, e: Locals) -> Any:
        # The last of them decides.
        values = sorted(self._alike_values(x.of, e), key=lambda pair: pair[1].known, reverse=x.which == "min")
        found = NOTHING
        for many, value in values:
            found = either(some_of(many), value, found)
        return found

    def _alike(self, x: ir.Alike, e: Locals) -> Any:
        if x.kind == "ascending":
            items = self.items(x.of, e)
            if not items.ordered:
                raise Unread
            ordered = combinations(items.there(), 2)
            return truth(conj(*(implied(conj(p, q), less(a, b)) for (p, a), (q, b) in ordered)))
        try:
            many = [count for count, _ in self._alike_values(x.of, e)]
        except Unread:
            entries = list(self.items(x.of, e).there())
            if not all(is_truth(m) for m, _ in self.items(x.of, e).entries):
                raise
            pairs = [(conj(p, q), same(a, b)) for (p, a), (q, b) in combinations(entries, 2)]
            apart = x.kind == "distinct"
            return truth(conj(*(implied(both, negated(met) if apart else met) for both, met in pairs)))
        if x.kind == "distinct":
            return truth(conj(*(at_most_one(m) for m in many)))
        there = [some_of(m) for m in many]
        return truth(conj(*(negated(conj(p, q)) for p, q in combinations(there, 2))))

    def _reads(self, x: ir.Reads, e: Locals) -> Any:
        items = self.items(x.of, e)
        if not items.ordered or not all(m is True for m, _ in items.entries):
            raise Unread
        wanted = [constant(self.world, v, cast("Type", x.of.type.element)) for v in x.values]
        return truth(conj(*(same(v, w) for (_, v), w in zip(items.entries, wanted, strict=True))))

    def _concat(self, x: ir.Concat, e: Locals) -> Any:
        a, b = self.items(x.left, e), self.items(x.right, e)
        return Items((*a.entries, *b.entries), a.ordered and b.ordered)

    def _without(self, x: ir.Without, e: Locals) -> Any:
        there = self._alike_values(x.left, e)
        left = {v.known: many for many, v in there}
        gone = {v.known: many for many, v in self._alike_values(x.right, e)}
        rest = [(total([many, times(-1, gone[key])]) if key in gone else many, key) for key, many in left.items()]
        values = {v.known: v for _, v in there}
        return Items(tuple((not_below_0(many), values[key]) for many, key in rest), ordered=False)

    def _in(self, x: ir.In, e: Locals) -> Any:
        item, items = self.value(x.item, e), self.items(x.items, e)
        return truth(disj(*(conj(there, same(item, other)) for there, other in items.there())))

    # ---- cells

    def _geometry(self, x: Any, e: Locals) -> Any:
        known = GEOMETRY[type(x)](x, *(self.value(part, e).known for part in operands(x)))
        return constant(self.world, known, x.type)

    def _neighbours(self, x: ir.Neighbours, e: Locals) -> Any:
        cell = self.value(x.cell, e)
        if x.on.joined:
            return constant(self.world, near(x.on, cell.known, x.diagonally), x.type)
        a, b = cell.parts
        there = [(total([a, dx]), total([b, dy])) for dx, dy in (DIAGONAL if x.diagonally else x.on.beside)]
        exists = negated(cell.absent)
        return Items(tuple((conj(exists, inside(x.on, *at)), Value(at)) for at in there))

    def _cell_at(self, x: ir.CellAt, e: Locals) -> Any:
        column, row = self.value(x.column, e), self.value(x.row, e)
        at = column.parts[0], row.parts[0]
        return Value(at, disj(column.absent, row.absent, negated(inside(x.on, *at))))

    def _direction(self, x: ir.Direction, e: Locals) -> Any:
        return Value((self.value(x.column, e).parts[0], self.value(x.row, e).parts[0]))

    def _steps(self, x: ir.Steps, e: Locals) -> Any:
        a, b = self.value(x.left, e), self.value(x.right, e)
        absent = disj(a.absent, b.absent)
        if a.absent is True or b.absent is True:
            return NOTHING
        if x.sign == "*":
            return Value(tuple(times(part, b.parts[0]) for part in a.parts), absent)
        sign = 1 if x.sign == "+" else -1
        return Value(tuple(total([p, times(sign, q)]) for p, q in zip(a.parts, b.parts, strict=True)), absent)

    def _moved(self, x: ir.Moved, e: Locals) -> Any:
        cell, step = self.value(x.cell, e), self.value(x.step, e)
        if cell.absent is True or step.absent is True:
            return NOTHING
        at = tuple(total([p, q]) for p, q in zip(cell.parts, step.parts, strict=True))
        return Value(at, disj(cell.absent, step.absent, negated(inside(x.on, *at))))

    # ---- tokens and actions

    def _token_index(self, x: ir.TokenIndex, e: Locals) -> Any:
        return self.position.tokens[self.names.tokens[x.token]][0]

    def _token_cell(self, x: ir.TokenCell, e: Locals) -> Any:
        return self.position.tokens[self.names.tokens[x.token]][1]

    def _as_symbol(self, x: Expr, e: Locals) -> Any:
        raise Unread

    # ---- logic and numbers

    def _and(self, x: ir.And, e: Locals) -> Any:
        return truth(conj(self.condition(x.left, e), self.condition(x.right, e)))

    def _or(self, x: ir.Or, e: Locals) -> Any:
        return truth(disj(self.condition(x.left, e), self.condition(x.right, e)))

    def _not(self, x: ir.Not, e: Locals) -> Any:
        return truth(negated(self.condition(x.operand, e)))

    def _if(self, x: ir.If, e: Locals) -> Any:
        condition = self.condition(x.condition, e)
        a, b = self.read(x.then, e), self.read(x.otherwise, e)
        if isinstance(a, Value) and isinstance(b, Value):
            return either(condition, a, b)
        if isinstance(a, Pile) and isinstance(b, Pile) and a.values == b.values:
            return one_of(condition, a, b)
        raise Unread

    def _else(self, x: ir.Else, e: Locals) -> Any:
        value = self.value(x.value, e)
        return either(value.absent, self.value(x.default, e), Value(value.parts))

    def _compare(self, x: ir.Compare, e: Locals) -> Any:
        a, b = self.read(x.left, e), self.read(x.right, e)
        if not isinstance(a, Value) or not isinstance(b, Value):
            raise Unread
        if x.sign in ("==", "!="):
            alike = same(a, b)
            return truth(alike if x.sign == "==" else negated(alike))
        if x.sign in (">", ">="):
            a, b = b, a
        there = conj(negated(a.absent), negated(b.absent))
        p, q = a.parts[0], b.parts[0]
        return truth(conj(there, p < q if x.sign in ("<", ">") else p <= q))

    def _arithmetic(self, x: ir.Arithmetic, e: Locals) -> Any:
        a, b = self.value(x.left, e), self.value(x.right, e)
        p, q = a.parts[0], b.parts[0]
        found = times(p, q) if x.sign == "*" else total([p, q if x.sign == "+" else times(-1, q)])
        return Value((found,), disj(a.absent, b.absent))

    # ---- folds

    def _bodies(self, x: Any, e: Locals) -> tuple[Items, list[Any]]:
        """The elements that a loop goes through, and what it asks of each."""
        items = self.items(x.domain, e)
        read: Callable[[Expr, Locals], Any] = self.condition if x.body.type.kind == "bool" else self.value
        return items, [read(x.body, {**e, x.slot: thing}) for _, thing in items.entries]

    def _pick(self, x: ir.Pick, e: Locals) -> Any:
        items, holds = self._bodies(x, e)
        entries = list(zip(items.there(), holds, strict=True))
        if not items.ordered:
            some = [(conj(there, met), thing) for (there, thing), met in entries]
            return self.world.one_of(some, self.symbol(x, e))
        found = NOTHING
        for (there, thing), met in entries if x.which == "last" else reversed(entries):
            if not isinstance(thing, Value):
                raise Unread
            found = either(conj(there, met), thing, found)
        return found

    def _where(self, x: ir.Where, e: Locals) -> Any:
        items, holds = self._bodies(x, e)
        kept = [
            (conj(many, met) if isinstance(many, bool) else chosen(met, many, False if is_truth(many) else 0), thing)
            for (many, thing), met in zip(items.entries, holds, strict=True)
        ]
        return Items(tuple(kept), items.ordered)

    def _counts(self, x: ir.CountWhere | ir.Quantified, e: Locals) -> Any:
        items, holds = self._bodies(x, e)
        return total(chosen(met, many, 0) for (many, _), met in zip(items.counted(), holds, strict=True))

    def _count_where(self, x: ir.CountWhere, e: Locals) -> Any:
        return Value((self._counts(x, e),))

    def _sum_where(self, x: ir.SumWhere, e: Locals) -> Any:
        items, values = self._bodies(x, e)
        return Value((total(worth(many, v) for (many, _), v in zip(items.entries, values, strict=True)),))

    def _quantified(self, x: ir.Quantified, e: Locals) -> Any:
        if x.kind in ("least", "most", "exactly"):
            many = self._counts(x, e)
            wanted = {"least": lambda: many >= x.number, "most": lambda: many <= x.number}
            return truth(wanted[x.kind]() if x.kind in wanted else equal(many, x.number))
        items, holds = self._bodies(x, e)
        there = [there for there, _ in items.there()]
        if x.kind == "every":
            return truth(conj(*(implied(p, met) for p, met in zip(there, holds, strict=True))))
        some = disj(*(conj(p, met) for p, met in zip(there, holds, strict=True)))
        return truth(some if x.kind == "some" else negated(some))


_SYMBOLS = {
    ir.TopsAt, ir.Connected, ir.Fits, ir.GroupSize, ir.Repeats, ir.Places, ir.Beside, ir.Can, ir.After, ir.Fulfils, ir.Around,
}  # fmt: skip
"""Operations without terms of their own."""


def _method(operation: type[ir.Node]) -> Callable[[Reader, Any, Locals], Any]:
    if operation in (ir.Ray, ir.Between):
        return Reader._geometry
    if operation in _SYMBOLS:
        return Reader._as_symbol
    name = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in operation.__name__)
    return cast("Callable[[Reader, Any, Locals], Any]", getattr(Reader, name))


_READ: Mapping[type[ir.Node], Callable[[Reader, Any, Locals], Any]] = {x: _method(x) for x in ir.OPERATIONS}
