"""Whether one condition implies another, decided over all values of what they ask about.

A condition is a formula over facts: numbers with bounds, values of attributes, and conditions that both sides share and
that stay closed. Two facts with the same form (`canonical.py`) are one. Every combination of values is gone through;
numbers with far bounds are cut off beyond what all other facts and constants together can reach: further out no
comparison of their sums changes its verdict. Facts are taken to be independent of each other: "implies" is proven, "does
not imply" may be more than play can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from pwtool.compare.canonical import Form, Names
from pwtool.ir.model import Expr
from pwtool.ir.types import Type

MAX_CASES = 300_000
_SMALL = 60
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a is not None and b is not None and a < b,
    "le": lambda a, b: a is not None and b is not None and a <= b,
    "gt": lambda a, b: a is not None and b is not None and a > b,
    "ge": lambda a, b: a is not None and b is not None and a >= b,
}
_Facts = dict[Form, Any]
Formula = Callable[[_Facts], Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two conditions can hold without the other; None: too many cases to go through."""

    only_first: bool | None
    only_second: bool | None
    cases: int = 0

    @property
    def same(self) -> bool | None:
        """Whether they are equivalent."""
        if self.only_first is None or self.only_second is None:
            return None
        return not self.only_first and not self.only_second


class Builder:
    """Turns conditions of one ruleset into formulas over shared facts."""

    def __init__(self, names: Names, domains: dict[Form, list[Any]], constants: set[int]) -> None:
        self.names = names
        self.domains = domains
        self.constants = constants

    def formula(self, expr: Expr | None, env: Mapping[int, Form | Expr]) -> Formula:
        """The condition (None: always true) as a function of the facts."""
        if expr is None:
            return lambda f: True
        if expr.op == "slot" and isinstance(env.get(expr.data), Expr):
            inner = env[expr.data]
            assert isinstance(inner, Expr)
            return self.formula(inner, env)
        if expr.op == "let":
            return self.formula(expr.args[1], {**env, expr.data: self.names.form(expr.args[0], env)})
        method = getattr(self, "_" + expr.op, None)
        if method is not None and not (expr.op in _COMPARE and not _is_plain(expr)):
            found: Formula = method(expr, env)
            return found
        return self._fact(expr, env)

    def _fact(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        form = self.names.form(expr, env)
        negated = form[0] == "not"
        if negated:
            form = form[2]
        self.domains.setdefault(form, _domain(expr.type, self.names))
        if negated:
            return lambda f: not f[form]
        return lambda f: f[form]

    def _const(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        value = expr.data
        if isinstance(value, int) and not isinstance(value, bool) and expr.type.kind == "int":
            self.constants.add(value)
        return lambda f: value

    def _not(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        inner = self.formula(expr.args[0], env)
        return lambda f: not inner(f)

    def _and(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        return lambda f: a(f) and b(f)

    def _or(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        return lambda f: a(f) or b(f)

    def _if(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        c, a, b = (self.formula(arg, env) for arg in expr.args)
        return lambda f: a(f) if c(f) else b(f)

    def _else(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)

        def value(f: _Facts) -> Any:
            found = a(f)
            return b(f) if found is None else found

        return value

    def _compare(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        compare = _COMPARE[expr.op]
        return lambda f: compare(a(f), b(f))

    _eq = _ne = _lt = _le = _gt = _ge = _compare

    def _add(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        return lambda f: a(f) + b(f)

    def _sub(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        return lambda f: a(f) - b(f)

    def _mul(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a, b = self.formula(expr.args[0], env), self.formula(expr.args[1], env)
        return lambda f: a(f) * b(f)

    def _neg(self, expr: Expr, env: Mapping[int, Form | Expr]) -> Formula:
        a = self.formula(expr.args[0], env)
        return lambda f: -a(f)


def _is_plain(expr: Expr) -> bool:
    """Whether a comparison is between numbers or between values of attributes, whose domains can be gone through."""
    kinds = {arg.type.kind for arg in expr.args}
    return kinds <= {"int", "nothing"} or kinds <= {"member", "nothing"} or kinds <= {"bool"}


def _domain(type_: Type, names: Names) -> list[Any]:
    if type_.kind == "bool":
        return [False, True]
    found: list[Any]
    if type_.kind == "int":
        found = list(range(type_.low, type_.high + 1))
    elif type_.kind == "member":
        table = names.ruleset.components[type_.component].attributes[type_.attribute].table
        found = list(dict.fromkeys(table))
    else:
        found = [0]
    return [*found, None] if type_.optional else found


def compare_formulas(
    first: Callable[[Builder], Formula], second: Callable[[Builder], Formula], names: tuple[Names, Names]
) -> Comparison:
    """Go through all facts; the two functions make the formulas of two conditions."""
    return _go_through(first, second, names, bool)


def compare_values(
    first: Callable[[Builder], Formula], second: Callable[[Builder], Formula], names: tuple[Names, Names]
) -> Comparison:
    """Go through all facts for two numbers; where they differ anywhere, the comparison says so both ways."""
    found = _go_through(first, second, names, lambda value: value)
    differ = None if found.same is None else not found.same
    return Comparison(differ, differ, found.cases)


def _go_through(
    first: Callable[[Builder], Formula],
    second: Callable[[Builder], Formula],
    names: tuple[Names, Names],
    read: Callable[[Any], Any],
) -> Comparison:
    domains: dict[Form, list[Any]] = {}
    constants: set[int] = {0}
    a = first(Builder(names[0], domains, constants))
    b = second(Builder(names[1], domains, constants))
    _cut(domains, constants)
    forms = list(domains)
    cases = prod(len(domains[form]) for form in forms)
    if cases > MAX_CASES:
        return Comparison(None, None, cases)
    only = [False, False]
    for values in product(*(domains[form] for form in forms)):
        facts = dict(zip(forms, values, strict=True))
        left, right = read(a(facts)), read(b(facts))
        if left != right:
            only[0 if left else 1] = True
            if all(only):
                break
    return Comparison(only[0], only[1], cases)


def _cut(domains: dict[Form, list[Any]], constants: set[int]) -> None:
    """Cut far bounds where no comparison can tell numbers apart any more."""
    numbers = {
        form: [v for v in values if isinstance(v, int) and not isinstance(v, bool)] for form, values in domains.items()
    }
    large = [form for form, values in numbers.items() if len(values) > _SMALL]
    reach = sum(max(map(abs, values), default=0) for form, values in numbers.items() if form not in large)
    reach = (reach + sum(map(abs, constants)) + 2) * max(1, len(large))
    for form in large:
        domains[form] = [v for v in domains[form] if not isinstance(v, int) or -reach <= v <= reach]
