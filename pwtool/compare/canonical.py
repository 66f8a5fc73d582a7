"""Expressions of different rulesets in one form: names instead of numbers, named values written out, parts that may
change places in a fixed order. Two expressions with the same form mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwtool.ir.model import ActionModel, Expr, Ruleset

Form = tuple[Any, ...]
_SWAPPED = {"gt": "lt", "ge": "le"}
_BOUND = {"quant": 2, "shape": 2, "pick": 1}


class Names:
    """What the numbers in the expressions of one ruleset stand for."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.zones = {z.number: z.name for z in ruleset.zones.values()}
        self.variables = {v.number: v.name for v in ruleset.variables.values()}
        self.tokens = {t.number: t.name for t in ruleset.tokens.values()}

    def locals_of(self, action: ActionModel) -> dict[int, Form | Expr]:
        """The locals of an action: parameters by name, named values by their expression."""
        found: dict[int, Form | Expr] = {p.slot: ("parameter", p.name) for p in action.parameters}
        found |= {slot: value for _, slot, value in action.lets}
        return found

    def form(self, expr: Expr | None, env: Mapping[int, Form | Expr] | None = None, depth: int = 0) -> Form:
        """The form of an expression."""
        if expr is None:
            return ("none",)
        env = env or {}
        if expr.op == "slot":
            held = env.get(expr.data)
            if isinstance(held, Expr):
                return self.form(held, env, depth)
            return held if held is not None else ("local", expr.data)
        if expr.op == "let":
            return self.form(expr.args[1], {**env, expr.data: self.form(expr.args[0], env, depth)}, depth)
        if expr.op in ("count_where", "sum_where"):
            return self._loop(expr, expr.data, (), env, depth)
        if expr.op in _BOUND:
            return self._bound(expr, env, depth)
        args = [self.form(arg, env, depth) for arg in expr.args]
        return _ordered(expr.op, args, self._data(expr))

    def _loop(self, expr: Expr, slot: int, data: Form, env: Mapping[int, Form | Expr], depth: int) -> Form:
        domain = self.form(expr.args[0], env, depth)
        body = self.form(expr.args[1], {**env, slot: ("bound", depth)}, depth + 1)
        return (expr.op, data, domain, body)

    def _bound(self, expr: Expr, env: Mapping[int, Form | Expr], depth: int) -> Form:
        slot = expr.data[_BOUND[expr.op]] if expr.op != "pick" else expr.data[1]
        if expr.op == "pick":
            return self._loop(expr, slot, (expr.data[0],), env, depth)
        kind, number = expr.data[0], expr.data[1]
        places = tuple(sorted(expr.data[3])) if expr.op == "shape" else ()
        body = self.form(expr.args[1], {**env, slot: ("bound", depth)}, depth + 1)
        domain = self.form(expr.args[0], env, depth)
        if kind == "no":
            return ("not", (), (expr.op, ("some", 1, places), domain, body))
        if kind == "every" and expr.op == "quant":
            return ("not", (), (expr.op, ("some", 1, places), domain, _negated(body)))
        if kind == "least" and number == 1:
            kind = "some"
        return (expr.op, (kind, number if kind not in ("some", "every") else 1, places), domain, body)

    def _data(self, expr: Expr) -> Form:
        data = expr.data
        match expr.op:
            case "zone" | "zone_index":
                return (self.zones[data],)
            case "family":
                return (self.zones[data[0]], data[1])
            case "var":
                return (self.variables[data],)
            case "holds" | "token_on" | "token_place":
                return (self.tokens[data],)
            case "const" if expr.type.kind == "face" and isinstance(data, int):
                return (self.ruleset.components[expr.type.component].codes[data],)
        return data if isinstance(data, tuple) else () if data is None and expr.op != "const" else (data,)


def _negated(form: Form) -> Form:
    if form[0] == "not":
        inner: Form = form[2]
        return inner
    return ("not", (), form)


def _ordered(op: str, args: list[Form], data: Form) -> Form:
    if op == "not":
        return _negated(args[0])
    if op == "ne":
        return ("not", (), _ordered("eq", args, data))
    if op in _SWAPPED:
        return _ordered(_SWAPPED[op], args[::-1], data)
    if op in ("and", "or", "add"):
        parts = [part for arg in args for part in (arg[2:] if arg[0] == op else (arg,))]
        unique = dict.fromkeys(parts) if op != "add" else parts
        return (op, data, *sorted(unique, key=repr))
    if op in ("eq", "mul", "concat"):
        return (op, data, *sorted(args, key=repr))
    return (op, data, *args)
