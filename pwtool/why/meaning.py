"""Whether a change leaves the meaning of a ruleset unchanged, as far as its conditions show."""

from __future__ import annotations

from typing import Any

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL
from pwtool.ir.walk import operands, rebuilt, walk
from pwtool.kernel.compiler import Compiler

# Expressions that depend only on a given face: their values for every face describe them completely.
_OF_FACES = ir.Attribute | ir.Const | ir.Compare | ir.And | ir.Or | ir.Not | ir.Arithmetic
_OPERAND = ir.Const(BOOL, None)
"""Replaces an operand whose form is recorded separately from the operation."""


def same_meaning(first: Ruleset, second: Ruleset) -> bool:
    """Whether all conditions of two rulesets are certainly equivalent, as they are after a square is rotated."""
    return conditions_of(first) == conditions_of(second)


def conditions_of(ruleset: Ruleset) -> list[Any]:
    """The conditions of a ruleset in a form that is equal only if they certainly mean the same."""
    form = _Fingerprint(ruleset)
    return [form.of_objective(name) for name in ruleset.objectives] + _others(form)


def same_but_objectives(first: Ruleset, second: Ruleset) -> bool:
    """Whether all conditions except those of objectives are certainly equivalent."""
    return _others(_Fingerprint(first)) == _others(_Fingerprint(second))


def _others(form: _Fingerprint) -> list[Any]:
    ruleset = form.ruleset
    found: list[Any] = []
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        found += [(form.of(r.when), form.of(r.require)) for r in action.rules]
        found += [form.of(value) for _, _, value in action.lets]
        found += [(e.kind, e.source, e.slot, e.number, *map(form.of, e.parts)) for e in action.all_effects]
    found += [(form.of(r.when), form.of(r.require)) for r in (*ruleset.turn_rules, *ruleset.setup_rules)]
    found += [(form.of(i.when), form.of(i.require)) for i in ruleset.invariants]
    found += [form.of(e.condition) for e in ruleset.endings]
    found += [form.of(s.value) for s in ruleset.scores]
    return found


def changed_objectives(first: Ruleset, second: Ruleset) -> list[str]:
    """The objectives that may mean something else in the second ruleset."""
    one, two = _Fingerprint(first), _Fingerprint(second)
    both = [name for name in first.objectives if name in second.objectives]
    return [name for name in both if one.of_objective(name) != two.of_objective(name)]


class _Fingerprint:
    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.compiler = Compiler(ruleset)
        self.on_grid = False

    def of_objective(self, name: str) -> Any:
        """The form of an objective, which is judged on one grid: the number of cards that can be visible there is known."""
        self.on_grid = True
        form = self.of(self.ruleset.objectives[name].condition)
        self.on_grid = False
        return form

    def of(self, expr: Expr | None) -> Any:
        if expr is None:
            return None
        table = self._table(expr)
        if table is not None:
            return table
        match expr:
            case ir.Compare(left=left, right=ir.Const(value=int(value))) if left.type.kind == "int":
                return self._interval(expr.sign, left, value)
            case ir.Alike():
                return expr.kind, expr.of.component, self._classes(expr), self.of(expr.of.of)
            case ir.Places():
                # The order in which the placements are tried makes no difference.
                places, cells = expr.in_order()
                expr = msgspec.structs.replace(expr, places=places, cells=cells)
        return rebuilt(expr, lambda _: _OPERAND), tuple(map(self.of, operands(expr)))

    def _interval(self, sign: ir.Sign, left: Expr, value: int) -> Any:
        """A comparison with a number as the numbers that satisfy it: for a number that is never below 0, `== 0` and `<= 0` are
        equivalent.
        """
        low, high, board = left.type.low, left.type.high, self.ruleset.board
        match left:
            case ir.Count(of=ir.Local(slot=1)) if self.on_grid and board is not None:
                # Local 1 of an objective holds the visible cards.
                high = board.width * board.height
        parts = {
            "==": [(value, value)], "!=": [(low, value - 1), (value + 1, high)], "<": [(low, value - 1)],
            "<=": [(low, value)], ">": [(value + 1, high)], ">=": [(value, high)],
        }[sign]  # fmt: skip
        kept = tuple((max(a, low), min(b, high)) for a, b in parts if max(a, low) <= min(b, high))
        # If there may be no value, only `!=` holds without one.
        return "number", self.of(left), kept, sign == "!=" and left.type.optional

    def _classes(self, expr: ir.Alike) -> tuple[int, ...]:
        """The classes of faces that an attribute distinguishes; two attributes with the same classes are equivalent."""
        table = self.ruleset.components[expr.of.component].attributes[expr.of.name].table
        values = sorted(set(table)) if expr.kind == "ascending" else list(dict.fromkeys(table))
        return tuple(values.index(v) for v in table)

    def _table(self, expr: Expr) -> Any:
        """A condition on one face as its values for all faces."""
        if expr.type.kind != "bool":
            return None
        faces: dict[int, str] = {}
        for part in walk(expr):
            if isinstance(part, ir.Local) and part.type.kind == "face":
                faces[part.slot] = part.type.component
            elif not isinstance(part, _OF_FACES):
                return None
        if len(faces) != 1:
            return None
        ((slot, component),) = faces.items()
        evaluate = self.compiler.compile(expr)
        e: list[Any] = [None] * (slot + 1)
        verdicts = []
        for face in range(len(self.ruleset.components[component].codes)):
            e[slot] = face
            verdicts.append(bool(evaluate(None, e)))
        return "face", slot, tuple(verdicts)
