"""Expressions as Python closures: the fast way, for positions in which everything is known.

Each operation becomes one function of the position and the locals. Nothing is generated as text and nothing is
executed that this
file does not contain. `interpreter.py` is the reference; the differential tests hold both equal.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from pwtool.eval import loops
from pwtool.eval.values import by_cell, connected, fits, group_sizes, without
from pwtool.ir.model import Expr, ObjectiveModel, Ruleset

Evaluator = Callable[[Any, list[Any]], Any]
_COMPARE = {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}
_ORDER = ("lt", "le", "gt", "ge")


_PREDICATES = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"))


def _only_faces(expr: Expr, slots: dict[int, str]) -> bool:
    """Whether an expression reads nothing but attributes of faces in locals; the locals are noted in `slots`."""
    if expr.op == "attr":
        argument = expr.args[0]
        if argument.op != "slot" or argument.type.kind != "face" or argument.type.optional:
            return False
        slots[argument.data] = argument.type.component
        return True
    if expr.op == "const":
        return True
    return (expr.op in _PREDICATES or expr.op in ("add", "sub", "mul", "neg")) and all(
        _only_faces(a, slots) for a in expr.args
    )


class Compiler:
    """Compiles the expressions of one ruleset. Objectives are compiled when first asked for."""

    three_valued = False

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self._objectives: dict[str, Callable[[Any, Any], bool]] = {}
        self._numbered = [any(d == "number" for d, _ in z.dimensions) for z in ruleset.zones.values()]

    def compile(self, expr: Expr) -> Evaluator:
        """A function of (position, locals) that gives the value of the expression."""
        predicate = self._face_predicate(expr)
        if predicate is not None:
            slot, table = predicate
            return lambda s, e: table[e[slot]]
        return self._plain(expr)

    def _face_predicate(self, expr: Expr) -> tuple[int, tuple[Any, ...]] | None:
        """For a condition on one face and nothing else: the local that holds it, and the verdict for every face."""
        if expr.op not in _PREDICATES:
            return None
        slots: dict[int, str] = {}
        if not _only_faces(expr, slots) or len(slots) != 1:
            return None
        slot, component = next(iter(slots.items()))
        verdict = self._plain(expr)
        e: list[Any] = [None] * (slot + 1)
        table = []
        for face in range(len(self.ruleset.components[component].codes)):
            e[slot] = face
            table.append(bool(verdict(None, e)))
        return slot, tuple(table)

    def _plain(self, expr: Expr) -> Evaluator:
        method: Callable[[Expr], Evaluator] = getattr(self, "_" + expr.op)
        return method(expr)

    def condition(self, expr: Expr | None) -> Evaluator | None:
        return None if expr is None else self.compile(expr)

    def objective(self, name: str) -> Callable[[Any, Any], bool]:
        """A function of (position, grid) that tells whether the grid fulfils the objective."""
        found = self._objectives.get(name)
        if found is None:
            found = self._objectives[name] = self._compile_objective(self.ruleset.objectives[name])
        return found

    def _compile_objective(self, objective: ObjectiveModel) -> Callable[[Any, Any], bool]:
        board = self.ruleset.board
        assert board is not None
        width, height, floating, slots = board.width, board.height, board.floating, objective.slots
        condition = self.compile(objective.condition)

        def holds(s: Any, grid: Any) -> bool:
            e: list[Any] = [None] * slots
            e[0] = cells = by_cell(grid, width, height, floating)
            e[1] = [pile[-1] for pile in cells if pile]
            return condition(s, e)  # type: ignore[no-any-return]

        return holds

    # ---- leaves

    def _const(self, expr: Expr) -> Evaluator:
        value = expr.data
        return lambda s, e: value

    def _slot(self, expr: Expr) -> Evaluator:
        slot = expr.data
        return lambda s, e: e[slot]

    def _var(self, expr: Expr) -> Evaluator:
        number = expr.data
        return lambda s, e: s.variables[number]

    def _player(self, expr: Expr) -> Evaluator:
        return lambda s, e: s.player

    def _players(self, expr: Expr) -> Evaluator:
        return lambda s, e: range(s.players)

    def _goals(self, expr: Expr) -> Evaluator:
        return lambda s, e: range(len(s.goals))

    def _total(self, expr: Expr) -> Evaluator:
        return lambda s, e: s.totals[s.player]

    def _let(self, expr: Expr) -> Evaluator:
        value, body, slot = self.compile(expr.args[0]), self.compile(expr.args[1]), expr.data

        def let(s: Any, e: list[Any]) -> Any:
            e[slot] = value(s, e)
            return body(s, e)

        return let

    # ---- zones

    def _zone_index(self, expr: Expr) -> Evaluator:
        zone, minus = expr.data, 1 if self._numbered[expr.data] else 0
        args = [self.compile(a) for a in expr.args]
        if not args:
            return lambda s, e: 0
        if len(args) == 1:
            only = args[0]
            if minus:
                return lambda s, e: only(s, e) - 1
            return only

        def index(s: Any, e: list[Any]) -> int:
            at = -minus
            for stride, arg in zip(s.strides[zone], args, strict=True):
                at += stride * arg(s, e)
            return at

        return index

    def _zone(self, expr: Expr) -> Evaluator:
        zone = expr.data
        if len(expr.args) == 1 and expr.args[0].op == "player":
            return lambda s, e: s.zones[zone][s.player]
        index = self._zone_index(expr)
        return lambda s, e: s.zones[zone][index(s, e)]

    def _family(self, expr: Expr) -> Evaluator:
        zone, open_dimensions = expr.data
        args = [self.compile(a) for a in expr.args]
        if not args:
            return lambda s, e: s.zones[zone]

        def family(s: Any, e: list[Any]) -> Any:
            strides = s.strides[zone]
            start = sum(stride * arg(s, e) for stride, arg in zip(strides, args, strict=False))
            return s.zones[zone][start : start + strides[-open_dimensions - 1]]

        return family

    def _pile_at(self, expr: Expr) -> Evaluator:
        grid, cell = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: grid(s, e).get(cell(s, e), ())

    def _piles(self, expr: Expr) -> Evaluator:
        grid = self.compile(expr.args[0])
        return lambda s, e: list(grid(s, e).values())

    def _cells(self, expr: Expr) -> Evaluator:
        grid, (width, height, floating) = self.compile(expr.args[0]), expr.data
        return lambda s, e: by_cell(grid(s, e), width, height, floating)

    def _filled(self, expr: Expr) -> Evaluator:
        piles = self.compile(expr.args[0])
        return lambda s, e: [pile for pile in piles(s, e) if pile]

    def _flat(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        if expr.args[0].type.kind == "grid":
            return lambda s, e: [card for pile in value(s, e).values() for card in pile]
        return lambda s, e: [card for pile in value(s, e) for card in pile]

    def _top(self, expr: Expr) -> Evaluator:
        pile = self.compile(expr.args[0])

        def top(s: Any, e: list[Any]) -> Any:
            cards = pile(s, e)
            return cards[-1] if cards else None

        return top

    def _tops(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        if expr.args[0].type.kind == "grid":
            return lambda s, e: [pile[-1] for pile in value(s, e).values()]
        return lambda s, e: [pile[-1] for pile in value(s, e) if pile]

    # ---- attributes and collections

    def _attribute_table(self, attribute: tuple[str, str]) -> tuple[Any, ...]:
        return self.ruleset.components[attribute[0]].attributes[attribute[1]].table

    def _attr(self, expr: Expr) -> Evaluator:
        table = self._attribute_table(expr.data)
        argument = expr.args[0]
        if argument.op == "slot" and not argument.type.optional:
            slot = argument.data
            return lambda s, e: table[e[slot]]
        face = self.compile(argument)

        def attribute(s: Any, e: list[Any]) -> Any:
            value = face(s, e)
            return None if value is None else table[value]

        return attribute

    def _buried(self, expr: Expr) -> Evaluator:
        piles = self.compile(expr.args[0])
        return lambda s, e: [face for pile in piles(s, e) if pile for face in pile[:-1]]

    def _group_size(self, expr: Expr) -> Evaluator:
        piles, (which, attribute, width) = self.compile(expr.args[0]), expr.data
        table, choose = self._attribute_table(attribute), max if which == "largest" else min

        def size(s: Any, e: list[Any]) -> int:
            values = [table[pile[-1]] if pile else None for pile in piles(s, e)]
            return choose(group_sizes(values, width, eq), default=0)

        return size

    def _coordinate(self, expr: Expr) -> Evaluator:
        cell, at = self.compile(expr.args[0]), expr.data

        def coordinate(s: Any, e: list[Any]) -> Any:
            value = cell(s, e)
            return None if value is None else value[at]

        return coordinate

    def _after(self, expr: Expr) -> Evaluator:
        player = self.compile(expr.args[0])

        def after(s: Any, e: list[Any]) -> Any:
            value = player(s, e)
            return None if value is None else (value + 1) % s.players

        return after

    def _each_at(self, expr: Expr) -> Evaluator:
        values, player = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: values(s, e)[player(s, e)]

    def _item(self, expr: Expr) -> Evaluator:
        faces, at = self.compile(expr.args[0]), expr.data
        return lambda s, e: faces(s, e)[at]

    def _items(self, expr: Expr) -> Evaluator:
        faces, at = self.compile(expr.args[0]), expr.data
        return lambda s, e: [faces(s, e)[i] for i in at]

    def _count(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        return lambda s, e: len(value(s, e))

    def _empty(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        return lambda s, e: not value(s, e)

    def _sum(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        return lambda s, e: sum(value(s, e))

    def _sum_attr(self, expr: Expr) -> Evaluator:
        value, table = self.compile(expr.args[0]), self._attribute_table(expr.data)
        return lambda s, e: sum([table[face] for face in value(s, e)])

    def _same(self, expr: Expr) -> Evaluator:
        value, table = self.compile(expr.args[0]), self._attribute_table(expr.data)

        def same(s: Any, e: list[Any]) -> bool:
            faces = value(s, e)
            if not faces:
                return True
            first = table[faces[0]]
            return all(table[face] == first for face in faces)

        return same

    def _distinct(self, expr: Expr) -> Evaluator:
        value, table = self.compile(expr.args[0]), self._attribute_table(expr.data)

        def distinct(s: Any, e: list[Any]) -> bool:
            faces = value(s, e)
            return len({table[face] for face in faces}) == len(faces)

        return distinct

    def _ascending(self, expr: Expr) -> Evaluator:
        value, table = self.compile(expr.args[0]), self._attribute_table(expr.data)

        def ascending(s: Any, e: list[Any]) -> bool:
            values = [table[face] for face in value(s, e)]
            return all(a < b for a, b in pairwise(values))

        return ascending

    def _reads(self, expr: Expr) -> Evaluator:
        faces = self.compile(expr.args[0])
        component, attribute, values = expr.data
        table, wanted = self._attribute_table((component, attribute)), tuple(values)
        return lambda s, e: all(table[face] == value for face, value in zip(faces(s, e), wanted, strict=True))

    def _append(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: [*left(s, e), right(s, e)]

    def _concat(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: [*left(s, e), *right(s, e)]

    def _without(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: without(left(s, e), right(s, e))

    def _in(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) in right(s, e)

    def _neighbours(self, expr: Expr) -> Evaluator:
        cell = self.compile(expr.args[0])

        def neighbours(s: Any, e: list[Any]) -> Any:
            x, y = cell(s, e)
            return ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))

        return neighbours

    def _connected(self, expr: Expr) -> Evaluator:
        grid = self.compile(expr.args[0])
        return lambda s, e: connected(grid(s, e))

    def _fits(self, expr: Expr) -> Evaluator:
        grid, (width, height) = self.compile(expr.args[0]), expr.data
        if len(expr.args) == 1:
            return lambda s, e: fits(grid(s, e), width, height)
        cell = self.compile(expr.args[1])
        return lambda s, e: fits(grid(s, e), width, height, cell(s, e))

    # ---- tokens, actions, objectives

    def _holds(self, expr: Expr) -> Evaluator:
        number = expr.data

        def holds(s: Any, e: list[Any]) -> bool:
            place = s.tokens[number]
            return place is not None and place[0] == s.player

        return holds

    def _token_on(self, expr: Expr) -> Evaluator:
        index, cell, number = self.compile(expr.args[0]), self.compile(expr.args[1]), expr.data
        return lambda s, e: s.tokens[number] == (index(s, e), cell(s, e))

    def _token_place(self, expr: Expr) -> Evaluator:
        number = expr.data

        def token_place(s: Any, e: list[Any]) -> Any:
            place = s.tokens[number]
            return place[1] if place is not None and place[0] == s.player else None

        return token_place

    def _can(self, expr: Expr) -> Evaluator:
        name = expr.data
        return lambda s, e: s.can(name)

    def _fulfils(self, expr: Expr) -> Evaluator:
        grid, goal, objective = self.compile(expr.args[0]), self.compile(expr.args[1]), self.objective
        return lambda s, e: objective(s.goals[goal(s, e)])(s, grid(s, e))

    # ---- logic and numbers

    def _and(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) and right(s, e)

    def _or(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) or right(s, e)

    def _not(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        return lambda s, e: not value(s, e)

    def _if(self, expr: Expr) -> Evaluator:
        condition, then, otherwise = (self.compile(a) for a in expr.args)
        return lambda s, e: then(s, e) if condition(s, e) else otherwise(s, e)

    def _else(self, expr: Expr) -> Evaluator:
        value, default = self.compile(expr.args[0]), self.compile(expr.args[1])

        def otherwise(s: Any, e: list[Any]) -> Any:
            found = value(s, e)
            return default(s, e) if found is None else found

        return otherwise

    def _compare(self, expr: Expr) -> Evaluator:
        compare = _COMPARE[expr.op]
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        if expr.op in _ORDER and (expr.args[0].type.optional or expr.args[1].type.optional):

            def ordered(s: Any, e: list[Any]) -> bool:
                a, b = left(s, e), right(s, e)
                return a is not None and b is not None and compare(a, b)

            return ordered
        if expr.args[1].op == "const":
            constant = expr.args[1].data
            return lambda s, e: compare(left(s, e), constant)
        return lambda s, e: compare(left(s, e), right(s, e))

    _eq = _ne = _lt = _le = _gt = _ge = _compare

    def _add(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) + right(s, e)

    def _sub(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) - right(s, e)

    def _mul(self, expr: Expr) -> Evaluator:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])
        return lambda s, e: left(s, e) * right(s, e)

    def _neg(self, expr: Expr) -> Evaluator:
        value = self.compile(expr.args[0])
        return lambda s, e: -value(s, e)

    def _table(self, expr: Expr) -> Evaluator:
        operand, (rows, otherwise) = self.compile(expr.args[0]), expr.data
        values = dict(rows)
        return lambda s, e: values.get(operand(s, e), otherwise)

    # ---- quantifiers

    def _pick(self, expr: Expr) -> Evaluator:
        which, slot = expr.data
        return loops.pick(which, slot, self.compile(expr.args[0]), self.compile(expr.args[1]))

    def _count_where(self, expr: Expr) -> Evaluator:
        return loops.count(expr.data, self.compile(expr.args[0]), self.compile(expr.args[1]))

    def _sum_where(self, expr: Expr) -> Evaluator:
        return loops.total(expr.data, self.compile(expr.args[0]), self.compile(expr.args[1]))

    def _quant(self, expr: Expr) -> Evaluator:
        kind, number, slot = expr.data
        domain = self.compile(expr.args[0])
        predicate = self._face_predicate(expr.args[1])
        if predicate is not None and predicate[0] == slot:
            return loops.over_faces(kind, number, domain, predicate[1])
        return loops.quantify(kind, number, slot, domain, self.compile(expr.args[1]))

    def _shape(self, expr: Expr) -> Evaluator:
        kind, number, slot, placements = expr.data
        return loops.match(kind, number, slot, placements, self.compile(expr.args[0]), self.compile(expr.args[1]))
