"""The reference interpreter: what every operation means, with unknowns and with a trace.

A condition is True, False or UNKNOWN (strong Kleene logic: S. C. Kleene, Introduction to Metamathematics, 1952, section
64). A number that cannot be known exactly is `Between` two bounds. If everything is known, the values equal those of
functions that `pwtool/kernel/python.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pwtool.eval.backend import Evaluator
from pwtool.eval.disjoint_sets import bits, most_apart
from pwtool.eval.geometry import GEOMETRY
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
    quantified,
    same_face,
    total,
)  # fmt: skip
from pwtool.eval.position_reader import PositionReader, Traced, Unknowable
from pwtool.eval.values import UNKNOWN, UNSEEN, by_cell, holds_unseen
from pwtool.eval.work import FREE, INTERPRETED
from pwtool.ir import nodes as ir
from pwtool.ir.model import ObjectiveModel
from pwtool.ir.nodes import Expr
from pwtool.text import InternalError


def _known_collection(x: ir.Local | ir.Variable, value: Any) -> Any:
    if value is UNKNOWN and x.type.is_collection:
        raise Unknowable
    return value


class Interpreter(PositionReader):
    """Evaluates the expressions of one ruleset. Set `trace` to a list to record every evaluated part."""

    def evaluate(self, expr: Expr, s: Any, e: list[Any]) -> Any:
        """The value of an expression in a position with these locals."""
        try:
            value = OPERATIONS[type(expr)](self, expr, s, e)
        except Unknowable:
            if expr.type.kind not in ("bool", "int"):
                raise
            value = UNKNOWN
        if self.trace is not None:
            self.trace.append(Traced(expr, value))
        return value

    def compile(self, expr: Expr) -> Evaluator:

        def evaluate(s: Any, e: list[Any]) -> Any:
            steps = self.sizes.steps(expr)
            if steps > FREE:
                self.work.spend(steps)
            outer, self.found = self.found, {}
            try:
                return self.evaluate(expr, s, e)
            except Unknowable:
                return UNKNOWN
            finally:
                self.found = outer

        return evaluate

    def objective(self, name: str) -> Callable[[Any, Any], Any]:
        """A function of (position, grid): whether the grid fulfils the objective, or UNKNOWN."""
        return partial(self.holds, self.ruleset.objectives[name])

    def holds(self, objective: ObjectiveModel, s: Any, grid: Any) -> Any:
        """Whether a grid fulfils an objective, or UNKNOWN."""
        board = self.ruleset.board
        if board is None:
            raise InternalError("objectives without a board")
        e: list[Any] = [None] * objective.slots
        e[0] = cells = by_cell(grid, board.width, board.height, board.floating)
        e[1] = [pile[-1] for pile in cells if pile]
        return self.evaluate(objective.condition, s, e)

    # ---- leaves

    def _const(self, x: ir.Const, s: Any, e: list[Any]) -> Any:
        return x.value

    def _local(self, x: ir.Local, s: Any, e: list[Any]) -> Any:
        return _known_collection(x, e[x.slot])

    def _variable(self, x: ir.Variable, s: Any, e: list[Any]) -> Any:
        self._note("var", x.number)
        return _known_collection(x, s.variables[x.number])

    def _actor(self, x: ir.Actor, s: Any, e: list[Any]) -> Any:
        return s.player

    def _players(self, x: ir.Players, s: Any, e: list[Any]) -> Any:
        return list(range(s.players))

    def _goals(self, x: ir.Goals, s: Any, e: list[Any]) -> Any:
        return list(range(len(s.goals)))

    def _total(self, x: ir.Total, s: Any, e: list[Any]) -> Any:
        return s.totals[s.player]

    def _let(self, x: ir.Let, s: Any, e: list[Any]) -> Any:
        e[x.slot] = self.evaluate(x.value, s, e)
        return self.evaluate(x.body, s, e)

    # ---- tokens, actions, objectives

    def _token(self, number: int, s: Any) -> Any:
        self._note("token", number)
        return s.tokens[number]

    def _token_index(self, x: ir.TokenIndex, s: Any, e: list[Any]) -> Any:
        place = self._token(x.token, s)
        return None if place is None else place[0]

    def _token_cell(self, x: ir.TokenCell, s: Any, e: list[Any]) -> Any:
        place = self._token(x.token, s)
        return None if place is None else place[1]

    def _can(self, x: ir.Can, s: Any, e: list[Any]) -> Any:
        if x.player is None:
            return s.can(x.action)
        player = self.evaluate(x.player, s, e)
        return UNKNOWN if player is UNKNOWN else s.can(x.action, player)

    def _after(self, x: ir.After, s: Any, e: list[Any]) -> Any:
        after = s.ahead(x.action, e)
        return UNKNOWN if after.lost else self.evaluate(x.body, after, e)

    def _fulfils(self, x: ir.Fulfils, s: Any, e: list[Any]) -> Any:
        grid = self._whole_grid(x.grid, s, e)
        goal = self.evaluate(x.goal, s, e)
        return self.objective(s.goals[goal])(s, grid)

    # ---- logic and numbers

    def _and(self, x: ir.And, s: Any, e: list[Any]) -> Any:
        left = self.evaluate(x.left, s, e)
        if left is not UNKNOWN and not left:
            return False
        right = self.evaluate(x.right, s, e)
        return all_of([left, right])

    def _or(self, x: ir.Or, s: Any, e: list[Any]) -> Any:
        left = self.evaluate(x.left, s, e)
        if left is not UNKNOWN and left:
            return True
        right = self.evaluate(x.right, s, e)
        return any_of([left, right])

    def _not(self, x: ir.Not, s: Any, e: list[Any]) -> Any:
        return negate(self.evaluate(x.operand, s, e))

    def _if(self, x: ir.If, s: Any, e: list[Any]) -> Any:
        condition = self.evaluate(x.condition, s, e)
        if condition is UNKNOWN:
            then, otherwise = self.evaluate(x.then, s, e), self.evaluate(x.otherwise, s, e)
            if x.type.kind == "int":
                return between(min(low_of(then), low_of(otherwise)), max(high_of(then), high_of(otherwise)))
            return then if then == otherwise else UNKNOWN
        return self.evaluate(x.then if condition else x.otherwise, s, e)

    def _else(self, x: ir.Else, s: Any, e: list[Any]) -> Any:
        value = self.evaluate(x.value, s, e)
        if value is UNKNOWN and x.type.kind == "int":
            default, type_ = self.evaluate(x.default, s, e), x.value.type
            return between(min(type_.low, low_of(default)), max(type_.high, high_of(default)))
        return self.evaluate(x.default, s, e) if value is None else value

    def _compare(self, x: ir.Compare, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.left, s, e), self.evaluate(x.right, s, e)
        if x.sign in ("==", "!="):
            alike = same_face if "face" in (x.left.type.kind, x.right.type.kind) else equal
            verdict = alike(a, b)
            return verdict if x.sign == "==" else negate(verdict)
        if a is None or b is None:
            return False
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if x.sign in (">", ">="):
            a, b = b, a
        return less(a, b) if x.sign in ("<", ">") else negate(less(b, a))

    def _arithmetic(self, x: ir.Arithmetic, s: Any, e: list[Any]) -> Any:
        a, b = self.evaluate(x.left, s, e), self.evaluate(x.right, s, e)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        match x.sign:
            case "+":
                return between(low_of(a) + low_of(b), high_of(a) + high_of(b))
            case "-":
                return between(low_of(a) - high_of(b), high_of(a) - low_of(b))
            case "*":
                products = [i * j for i in (low_of(a), high_of(a)) for j in (low_of(b), high_of(b))]
                return between(min(products), max(products))

    def _table(self, x: ir.Table, s: Any, e: list[Any]) -> Any:
        value, values = self.evaluate(x.operand, s, e), dict(x.rows)
        if not is_unknown(value):
            return values.get(value, x.otherwise)
        if value is UNKNOWN:
            value = Between(x.operand.type.low, x.operand.type.high)
        possible = [v for key, v in x.rows if value.low <= key <= value.high]
        if x.otherwise is not None and len(possible) <= value.high - value.low:
            possible.append(x.otherwise)
        return between(min(possible), max(possible))

    # ---- quantifiers

    def _pick(self, x: ir.Pick, s: Any, e: list[Any]) -> Any:
        items = self.evaluate(x.domain, s, e)
        self.work.spend(max(INTERPRETED, self.sizes.steps(x.body)) * len(items))
        for item in reversed(items) if x.which == "last" else items:
            e[x.slot] = item
            verdict = self.evaluate(x.body, s, e)
            if verdict is UNKNOWN:
                return UNKNOWN
            if verdict:
                return item
        return None

    def _verdicts(self, x: ir.CountWhere | ir.Quantified, s: Any, e: list[Any]) -> list[Any]:
        """The verdict for each element, in any order. Unseen cards are different cards: at most as many of them fulfil
        a condition as the deck still has cards that do, and at least as many as are left when it has no more cards that
        do not.
        """
        if isinstance(x.domain, ir.Places):
            return self._placed(x, x.domain, s, e)
        until = None
        if isinstance(x, ir.Quantified) and not self.is_watched:
            until = _DECISIVE.get(x.kind)
        items, results = self._bodies(x, s, e, until)
        if until is not None and results and results[-1] is until:
            return results
        known = [verdict for verdict in results if verdict is not UNKNOWN]
        element, open_ = x.domain.type.element, len(results) - len(known)
        if not open_ or element is None or element.kind != "face":
            return results
        pool = {} if holds_unseen(s) else s.pool.get(element.component, {})
        left = [(face, count) for face, count in pool.items() if count > 0]
        if not left or any(v is UNKNOWN and item != UNSEEN for item, v in zip(items, results, strict=True)):
            # Something other than the identity of these cards is unknown.
            return results
        self.work.spend(INTERPRETED * len(left))
        yes = no = 0
        for face, count in left:
            e[x.slot] = face
            verdict = self.evaluate(x.body, s, e)
            yes += count if verdict is UNKNOWN or verdict else 0
            no += count if verdict is UNKNOWN or not verdict else 0
        some, others = max(0, open_ - no), max(0, open_ - yes)
        return [*known, *[True] * some, *[False] * others, *[UNKNOWN] * (open_ - some - others)]

    def _count_where(self, x: ir.CountWhere, s: Any, e: list[Any]) -> Any:
        results = self._verdicts(x, s, e)
        certain = sum(1 for r in results if r is not UNKNOWN and r)
        return between(certain, certain + sum(1 for r in results if r is UNKNOWN))

    def _sum_where(self, x: ir.SumWhere, s: Any, e: list[Any]) -> Any:
        return total(self._bodies(x, s, e)[1])

    def _quantified(self, x: ir.Quantified, s: Any, e: list[Any]) -> Any:
        return quantified(x.kind, x.number, self._verdicts(x, s, e))

    def _places(self, x: ir.Places, s: Any, e: list[Any]) -> Any:
        return [held for _, held in x.lying(self.evaluate(x.piles, s, e))]

    def _placed(self, x: ir.CountWhere | ir.Quantified, of: ir.Places, s: Any, e: list[Any]) -> list[Any]:
        """The verdict for each place of a shape; with `separate`, for as many as share no card."""
        cells: list[Any] = self.evaluate(of.piles, s, e)
        found = []
        self.work.spend(max(INTERPRETED, self.sizes.steps(x.body)) * len(of.places))
        for place, held in of.lying(cells):
            e[x.slot] = held
            found.append((bits(place), self.evaluate(x.body, s, e)))
        verdicts = [v for _, v in found]
        if not of.separate:
            return verdicts
        asked = of.most if not isinstance(x, ir.Quantified) or x.asked is None else min(x.asked, of.most)
        sure = most_apart([place for place, v in found if v is not UNKNOWN and v], asked, self.work)
        if all(v is not UNKNOWN for v in verdicts):
            return [True] * sure
        perhaps = most_apart([place for place, v in found if v is UNKNOWN or v], asked, self.work)
        return [True] * sure + [UNKNOWN] * (perhaps - sure)


_DECISIVE = {"some": True, "no": True, "every": False}
"""The verdict on one element that decides a quantifier."""


def _method(operation: type[ir.Node]) -> Callable[[Interpreter, Any, Any, list[Any]], Any]:
    """How an operation is evaluated. Its method is called as it is: `_count_where` for `CountWhere`."""
    if operation in GEOMETRY:
        return Interpreter._on_cells
    name = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in operation.__name__)
    return getattr(Interpreter, name)  # type: ignore[no-any-return]


OPERATIONS = {operation: _method(operation) for operation in ir.OPERATIONS}
