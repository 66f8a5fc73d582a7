"""The reference interpreter: what every operation means, with unknowns and with a trace.

A condition is True, False or UNKNOWN (strong Kleene logic: S. C. Kleene, Introduction to Metamathematics, 1952,
section 64). A number that
cannot be known exactly is `Between` two bounds. Where everything is known the values equal those of `closures.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pwtool.eval.kleene import (
    Between,
    all_of,
    any_of,
    between,
    equal,
    high_of,
    is_unknown,
    less,
    low_of,
    negate,
    one_of,
    quantified,
    same_face,
    total,
)  # fmt: skip
from pwtool.eval.values import UNKNOWN, UNSEEN, by_cell, connected, fits, group_sizes, without
from pwtool.ir.model import Expr, Ruleset
from pwtool.ir.types import Type
from pwtool.text import InternalError


@dataclass(slots=True)
class Traced:
    """One evaluated part of a condition."""

    expr: Expr
    value: Any


class _Unknowable(Exception):
    """Something lies in a place that cannot be known. Never leaves the interpreter: what depends on it is UNKNOWN."""


class Interpreter:
    """Evaluates the expressions of one ruleset. Set `trace` to a list to have every part written down."""

    three_valued = True

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.trace: list[Traced] | None = None
        self.reads: set[tuple[Any, ...]] | None = None
        self._numbered = [any(d == "number" for d, _ in z.dimensions) for z in ruleset.zones.values()]

    def evaluate(self, expr: Expr, s: Any, e: list[Any]) -> Any:
        """The value of an expression in a position with these locals."""
        try:
            value = _OPERATIONS[expr.op](self, expr, s, e)
        except _Unknowable:
            if expr.type.kind not in ("bool", "int"):
                raise
            value = UNKNOWN
        if self.trace is not None:
            self.trace.append(Traced(expr, value))
        return value

    def compile(self, expr: Expr) -> Callable[[Any, list[Any]], Any]:
        """The expression as a function, in the shape that `compiled.Compiler` has."""

        def evaluate(s: Any, e: list[Any]) -> Any:
            try:
                return self.evaluate(expr, s, e)
            except _Unknowable:
                return UNKNOWN

        return evaluate

    def condition(self, expr: Expr | None) -> Callable[[Any, list[Any]], Any] | None:
        return None if expr is None else self.compile(expr)

    def objective(self, name: str) -> Callable[[Any, Any], Any]:
        """A function of (position, grid): whether the grid fulfils the objective, or UNKNOWN."""
        objective, board = self.ruleset.objectives[name], self.ruleset.board
        if board is None:
            raise InternalError("objectives without a board")

        def holds(s: Any, grid: Any) -> Any:
            e: list[Any] = [None] * objective.slots
            e[0] = cells = by_cell(grid, board.width, board.height, board.floating)
            e[1] = [pile[-1] for pile in cells if pile]
            return self.evaluate(objective.condition, s, e)

        return holds

    # ---- what is read, for telling first causes from what follows

    def _note(self, *key: Any) -> None:
        if self.reads is not None:
            self.reads.add(key)

    # ---- leaves

    def _const(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return x.data

    def _slot(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return e[x.data]

    def _var(self, x: Expr, s: Any, e: list[Any]) -> Any:
        self._note("var", x.data)
        return s.variables[x.data]

    def _player(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return s.player

    def _players(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return list(range(s.players))

    def _goals(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return list(range(len(s.goals)))

    def _total(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return s.totals[s.player]

    def _let(self, x: Expr, s: Any, e: list[Any]) -> Any:
        e[x.data] = self.evaluate(x.args[0], s, e)
        return self.evaluate(x.args[1], s, e)

    # ---- zones

    def _index(self, zone: int, args: Iterable[Expr], s: Any, e: list[Any]) -> int:
        at = -1 if self._numbered[zone] else 0
        for stride, arg in zip(s.strides[zone], args, strict=False):
            at += stride * self._known(arg, s, e)
        return at

    def _known(self, x: Expr, s: Any, e: list[Any]) -> Any:
        """The value of what says where something lies."""
        value = self.evaluate(x, s, e)
        if is_unknown(value):
            raise _Unknowable
        return value

    def _zone_index(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return self._index(x.data, x.args, s, e)

    def _zone(self, x: Expr, s: Any, e: list[Any]) -> Any:
        at = self._index(x.data, x.args, s, e)
        if x.type.kind != "grid":
            self._note("zone", x.data, at)
        return s.zones[x.data][at]

    def _family(self, x: Expr, s: Any, e: list[Any]) -> Any:
        zone, open_dimensions = x.data
        strides = s.strides[zone]
        start = sum(stride * self._known(arg, s, e) for stride, arg in zip(strides, x.args, strict=False))
        size = strides[-open_dimensions - 1] if x.args else len(s.zones[zone])
        for at in range(start, start + size):
            self._note("zone", zone, at)
        return s.zones[zone][start : start + size]

    def _pile_at(self, x: Expr, s: Any, e: list[Any]) -> Any:
        grid, cell = self.evaluate(x.args[0], s, e), self._known(x.args[1], s, e)
        if x.args[0].op == "zone":
            self._note("cell", x.args[0].data, self._index(x.args[0].data, x.args[0].args, s, e), cell)
        return grid.get(cell, [])

    def _whole_grid(self, x: Expr, s: Any, e: list[Any]) -> Any:
        value = self.evaluate(x, s, e)
        if x.op == "zone":
            self._note("zone", x.data, self._index(x.data, x.args, s, e))
        return value

    def _piles(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return list(self._whole_grid(x.args[0], s, e).values())

    def _cells(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return by_cell(self._whole_grid(x.args[0], s, e), *x.data)

    def _filled(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return [pile for pile in self.evaluate(x.args[0], s, e) if pile]

    def _flat(self, x: Expr, s: Any, e: list[Any]) -> Any:
        value = self._whole_grid(x.args[0], s, e)
        return [card for pile in (value.values() if isinstance(value, dict) else value) for card in pile]

    def _top(self, x: Expr, s: Any, e: list[Any]) -> Any:
        pile = self.evaluate(x.args[0], s, e)
        return pile[-1] if pile else None

    def _tops(self, x: Expr, s: Any, e: list[Any]) -> Any:
        value = self._whole_grid(x.args[0], s, e)
        return [pile[-1] for pile in (value.values() if isinstance(value, dict) else value) if pile]

    # ---- attributes and collections

    def _attribute_type(self, attribute: tuple[str, str]) -> tuple[Type, tuple[Any, ...]]:
        model = self.ruleset.components[attribute[0]].attributes[attribute[1]]
        return model.type, model.table

    def _read_attribute(self, attribute: tuple[str, str], face: Any, s: Any) -> Any:
        if face is None:
            return None
        type_, table = self._attribute_type(attribute)
        if face != UNSEEN:
            return table[face]
        pool = getattr(s, "pool", {}).get(attribute[0])
        values = {table[f] for f, count in pool.items() if count > 0} if pool else set(table)
        if not values:
            values = set(table)
        if type_.kind == "int":
            return between(min(values), max(values))
        return UNKNOWN if type_.kind == "bool" and len(values) > 1 else one_of(values)

    def _attr(self, x: Expr, s: Any, e: list[Any]) -> Any:
        face = self.evaluate(x.args[0], s, e)
        # Which face was picked is not known, perhaps none was.
        return UNKNOWN if face is UNKNOWN else self._read_attribute(x.data, face, s)

    def _values(self, x: Expr, s: Any, e: list[Any]) -> list[Any]:
        return [self._read_attribute(x.data[:2], face, s) for face in self.evaluate(x.args[0], s, e)]

    def _buried(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return [face for pile in self.evaluate(x.args[0], s, e) if pile for face in pile[:-1]]

    def _group_size(self, x: Expr, s: Any, e: list[Any]) -> Any:
        which, attribute, width = x.data
        piles = self.evaluate(x.args[0], s, e)
        values = [(self._read_attribute(attribute, pile[-1], s),) if pile else None for pile in piles]
        choose = max if which == "largest" else min
        # More cards that may be alike make groups larger, never smaller: the two extremes are the bounds.
        least = group_sizes(values, width, lambda a, b: equal(a[0], b[0]) is True)
        most = group_sizes(values, width, lambda a, b: equal(a[0], b[0]) is not False)
        return between(choose(least, default=0), choose(most, default=0))

    def _coordinate(self, x: Expr, s: Any, e: list[Any]) -> Any:
        cell = self._known(x.args[0], s, e)
        return None if cell is None else cell[x.data]

    def _after(self, x: Expr, s: Any, e: list[Any]) -> Any:
        player = self.evaluate(x.args[0], s, e)
        return player if player is None or player is UNKNOWN else (player + 1) % s.players

    def _each_at(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return self.evaluate(x.args[0], s, e)[self._known(x.args[1], s, e)]

    def _item(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return self.evaluate(x.args[0], s, e)[x.data]

    def _items(self, x: Expr, s: Any, e: list[Any]) -> Any:
        faces = self.evaluate(x.args[0], s, e)
        return [faces[i] for i in x.data]

    def _count(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return len(self._whole_grid(x.args[0], s, e))

    def _empty(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return not self._whole_grid(x.args[0], s, e)

    def _sum(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return total(self.evaluate(x.args[0], s, e))

    def _sum_attr(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return total(self._values(x, s, e))

    def _same(self, x: Expr, s: Any, e: list[Any]) -> Any:
        values = self._values(x, s, e)
        known = [v for v in values if not is_unknown(v)]
        if any(v != known[0] for v in known):
            return False
        return True if len(known) == len(values) or len(values) == 1 else UNKNOWN

    def _distinct(self, x: Expr, s: Any, e: list[Any]) -> Any:
        values = self._values(x, s, e)
        known = [v for v in values if not is_unknown(v)]
        if len(set(known)) < len(known):
            return False
        if len(known) == len(values):
            return True
        # More cards than values: two have to agree, whatever the unseen ones are.
        return False if len(values) > len(set(self._attribute_type(x.data)[1])) else UNKNOWN

    def _ascending(self, x: Expr, s: Any, e: list[Any]) -> Any:
        values = self._values(x, s, e)
        return all_of([less(a, b) for a, b in pairwise(values)])

    def _reads(self, x: Expr, s: Any, e: list[Any]) -> Any:
        values = self._values(x, s, e)
        return all_of([equal(value, wanted) for value, wanted in zip(values, x.data[2], strict=True)])

    def _append(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return [*self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e)]

    def _concat(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return [*self.evaluate(x.args[0], s, e), *self.evaluate(x.args[1], s, e)]

    def _without(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return without(self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e))

    def _in(self, x: Expr, s: Any, e: list[Any]) -> Any:
        item, items = self.evaluate(x.args[0], s, e), self._whole_grid(x.args[1], s, e)
        alike = same_face if x.args[0].type.kind == "face" else equal
        return any_of([alike(item, other) for other in items])

    def _neighbours(self, x: Expr, s: Any, e: list[Any]) -> Any:
        at_x, at_y = self._known(x.args[0], s, e)
        return [(at_x + 1, at_y), (at_x - 1, at_y), (at_x, at_y + 1), (at_x, at_y - 1)]

    def _connected(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return connected(self._whole_grid(x.args[0], s, e))

    def _fits(self, x: Expr, s: Any, e: list[Any]) -> Any:
        grid = self._whole_grid(x.args[0], s, e)
        cell = self.evaluate(x.args[1], s, e) if len(x.args) > 1 else None
        width, height = x.data
        return fits(grid, width, height, cell)

    # ---- tokens, actions, objectives

    def _token(self, number: int, s: Any) -> Any:
        self._note("token", number)
        return s.tokens[number]

    def _holds(self, x: Expr, s: Any, e: list[Any]) -> Any:
        place = self._token(x.data, s)
        return place is not None and place[0] == s.player

    def _token_on(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return self._token(x.data, s) == (self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e))

    def _token_place(self, x: Expr, s: Any, e: list[Any]) -> Any:
        place = self._token(x.data, s)
        return place[1] if place is not None and place[0] == s.player else None

    def _can(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return s.can(x.data)

    def _fulfils(self, x: Expr, s: Any, e: list[Any]) -> Any:
        grid = self._whole_grid(x.args[0], s, e)
        goal = self.evaluate(x.args[1], s, e)
        return self.objective(s.goals[goal])(s, grid)

    # ---- logic and numbers

    def _and(self, x: Expr, s: Any, e: list[Any]) -> Any:
        left = self.evaluate(x.args[0], s, e)
        if left is not UNKNOWN and not left:
            return False
        right = self.evaluate(x.args[1], s, e)
        return all_of([left, right])

    def _or(self, x: Expr, s: Any, e: list[Any]) -> Any:
        left = self.evaluate(x.args[0], s, e)
        if left is not UNKNOWN and left:
            return True
        right = self.evaluate(x.args[1], s, e)
        return any_of([left, right])

    def _not(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return negate(self.evaluate(x.args[0], s, e))

    def _if(self, x: Expr, s: Any, e: list[Any]) -> Any:
        condition = self.evaluate(x.args[0], s, e)
        if condition is UNKNOWN:
            then, otherwise = self.evaluate(x.args[1], s, e), self.evaluate(x.args[2], s, e)
            if x.type.kind == "int":
                return between(min(low_of(then), low_of(otherwise)), max(high_of(then), high_of(otherwise)))
            return then if then == otherwise else UNKNOWN
        return self.evaluate(x.args[1] if condition else x.args[2], s, e)

    def _else(self, x: Expr, s: Any, e: list[Any]) -> Any:
        value = self.evaluate(x.args[0], s, e)
        if value is UNKNOWN and x.type.kind == "int":
            default, type_ = self.evaluate(x.args[1], s, e), x.args[0].type
            return between(min(type_.low, low_of(default)), max(type_.high, high_of(default)))
        return self.evaluate(x.args[1], s, e) if value is None else value

    def _eq(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return self._equal_parts(x, s, e)

    def _ne(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return negate(self._equal_parts(x, s, e))

    def _equal_parts(self, x: Expr, s: Any, e: list[Any]) -> Any:
        alike = same_face if "face" in (x.args[0].type.kind, x.args[1].type.kind) else equal
        return alike(self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e))

    def _order(self, x: Expr, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e)
        if a is None or b is None:
            return False
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if x.op in ("gt", "ge"):
            a, b = b, a
        return less(a, b) if x.op in ("lt", "gt") else negate(less(b, a))

    def _add(self, x: Expr, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        return between(low_of(a) + low_of(b), high_of(a) + high_of(b))

    def _sub(self, x: Expr, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        return between(low_of(a) - high_of(b), high_of(a) - low_of(b))

    def _mul(self, x: Expr, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.args[0], s, e), self.evaluate(x.args[1], s, e)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        products = [i * j for i in (low_of(a), high_of(a)) for j in (low_of(b), high_of(b))]
        return between(min(products), max(products))

    def _neg(self, x: Expr, s: Any, e: list[Any]) -> Any:
        a = self.evaluate(x.args[0], s, e)
        return UNKNOWN if a is UNKNOWN else between(-high_of(a), -low_of(a))

    def _table(self, x: Expr, s: Any, e: list[Any]) -> Any:
        rows, otherwise = x.data
        value, values = self.evaluate(x.args[0], s, e), dict(rows)
        if not is_unknown(value):
            return values.get(value, otherwise)
        if value is UNKNOWN:
            value = Between(x.args[0].type.low, x.args[0].type.high)
        possible = [v for key, v in rows if value.low <= key <= value.high]
        if otherwise is not None and len(possible) <= value.high - value.low:
            possible.append(otherwise)
        return between(min(possible), max(possible))

    # ---- quantifiers

    def _pick(self, x: Expr, s: Any, e: list[Any]) -> Any:
        which, slot = x.data
        items = self.evaluate(x.args[0], s, e)
        for item in reversed(items) if which == "last" else items:
            e[slot] = item
            verdict = self.evaluate(x.args[1], s, e)
            if verdict is UNKNOWN:
                return UNKNOWN
            if verdict:
                return item
        return None

    def _each(self, x: Expr, slot: int, s: Any, e: list[Any]) -> list[Any]:
        results = []
        for item in self.evaluate(x.args[0], s, e):
            e[slot] = item
            results.append(self.evaluate(x.args[1], s, e))
        return results

    def _count_where(self, x: Expr, s: Any, e: list[Any]) -> Any:
        results = self._each(x, x.data, s, e)
        certain = sum(1 for r in results if r is not UNKNOWN and r)
        return between(certain, certain + sum(1 for r in results if r is UNKNOWN))

    def _sum_where(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return total(self._each(x, x.data, s, e))

    def _quant(self, x: Expr, s: Any, e: list[Any]) -> Any:
        kind, number, slot = x.data
        return quantified(kind, number, self._each(x, slot, s, e))

    def _shape(self, x: Expr, s: Any, e: list[Any]) -> Any:
        kind, number, slot, placements = x.data
        cells: list[Any] = self.evaluate(x.args[0], s, e)
        results = []
        for needs, free in placements:
            if all(cells[at] for at in needs) and not any(cells[at] for at in free):
                e[slot] = [cells[at][-1] for at in needs]
                results.append(self.evaluate(x.args[1], s, e))
        return quantified(kind, number, results)


_OPERATIONS: dict[str, Callable[[Interpreter, Expr, Any, list[Any]], Any]] = {
    name: getattr(Interpreter, "_" + name)
    for name in [
        "const",
        "slot",
        "var",
        "player",
        "players",
        "goals",
        "total",
        "let",
        "zone_index",
        "zone",
        "family",
        "pile_at",
        "piles",
        "cells",
        "filled",
        "flat",
        "top",
        "tops",
        "attr",
        "buried",
        "group_size",
        "coordinate",
        "after",
        "each_at",
        "table",
        "item",
        "items",
        "count",
        "empty",
        "sum",
        "sum_attr",
        "same",
        "distinct",
        "ascending",
        "reads",
        "append",
        "concat",
        "without",
        "in",
        "neighbours",
        "connected",
        "fits",
        "holds",
        "token_on",
        "token_place",
        "can",
        "fulfils",
        "and",
        "or",
        "not",
        "if",
        "else",
        "eq",
        "ne",
        "add",
        "sub",
        "mul",
        "neg",
        "pick",
        "count_where",
        "sum_where",
        "quant",
        "shape",
    ]
} | dict.fromkeys(("lt", "le", "gt", "ge"), Interpreter._order)
