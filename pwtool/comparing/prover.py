"""Whether one condition implies another, decided over all values of what they ask about.

A condition is a formula over facts: numbers with bounds, values of attributes, and conditions that both sides share and
that stay closed. Two facts with the same form (`canonical.py`) are one. Every combination of values is gone through;
numbers with far bounds are cut off beyond what all other facts and constants together can reach: further out no
comparison of their sums changes its verdict. Facts are taken to be independent of each other: "implies" is proven, "does
not imply" may be more than play can reach.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from pwtool.comparing.canonical import Env, Form, Names
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type

MAX_CASES = 300_000
_SMALL = 60
_COMPARE: dict[ir.Sign, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": lambda a, b: a is not None and b is not None and a < b,
    "<=": lambda a, b: a is not None and b is not None and a <= b,
    ">": lambda a, b: a is not None and b is not None and a > b,
    ">=": lambda a, b: a is not None and b is not None and a >= b,
}
_CALCULATE: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_Facts = dict[Form, Any]
Formula = Callable[[_Facts], Any]


class TooMany(Exception):
    """More than can be gone through."""


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

    def formula(self, expr: Expr | None, env: Env) -> Formula:
        """The condition (None: always true) as a function of the facts."""
        match expr:
            case None:
                return lambda f: True
            case ir.Local() if isinstance(held := env.get(expr.slot), ir.Node):
                return self.formula(held, env)
            case ir.Let():
                return self.formula(expr.body, {**env, expr.slot: self.names.form(expr.value, env)})
            case ir.Const():
                value = expr.value
                if isinstance(value, int) and not isinstance(value, bool) and expr.type.kind == "int":
                    self.constants.add(value)
                return lambda f: value
            case ir.Not():
                a = self.formula(expr.operand, env)
                return lambda f: not a(f)
            case ir.And():
                a, b = self.formula(expr.left, env), self.formula(expr.right, env)
                return lambda f: a(f) and b(f)
            case ir.Or():
                a, b = self.formula(expr.left, env), self.formula(expr.right, env)
                return lambda f: a(f) or b(f)
            case ir.If():
                c, a, b = (self.formula(part, env) for part in (expr.condition, expr.then, expr.otherwise))
                return lambda f: a(f) if c(f) else b(f)
            case ir.Else():
                a, b = self.formula(expr.value, env), self.formula(expr.default, env)
                return lambda f: b(f) if (found := a(f)) is None else found
            case ir.Compare() if self.is_plain(expr.sign, {expr.left.type.kind, expr.right.type.kind}):
                a, b, compare = self.formula(expr.left, env), self.formula(expr.right, env), _COMPARE[expr.sign]
                return lambda f: compare(a(f), b(f))
            case ir.Arithmetic():
                a, b, calculate = self.formula(expr.left, env), self.formula(expr.right, env), _CALCULATE[expr.sign]
                return lambda f: calculate(a(f), b(f))
            case ir.Negative():
                a = self.formula(expr.operand, env)
                return lambda f: -a(f)
            case _:
                return self._fact(expr, env)

    def is_plain(self, sign: ir.Sign, kinds: set[str]) -> bool:
        """Whether a comparison is between numbers or between values of attributes, whose domains can be gone through."""
        return kinds <= {"int", "nothing"} or kinds <= {"member", "nothing"} or kinds <= {"bool"}

    def _fact(self, expr: Expr, env: Env) -> Formula:
        """What stays closed: it may be anything, and is the same wherever it has the same form."""
        form = self.names.form(expr, env)
        if form[0] != "Not":
            return self.fact(form, expr.type)
        a = self.fact(form[2], expr.type)
        return lambda f: not a(f)

    def fact(self, form: Form, type_: Type) -> Formula:
        """The fact that has this form."""
        self.domains.setdefault(form, self.domain(type_))
        return lambda f: f[form]

    def domain(self, type_: Type) -> list[Any]:
        """What a fact of a type may be."""
        found: list[Any]
        match type_.kind:
            case "bool":
                return [False, True]
            case "int":
                found = list(range(type_.low, type_.high + 1))
            case "member":
                table = self.names.ruleset.components[type_.component].attributes[type_.attribute].table
                found = list(dict.fromkeys(table))
            case "nothing":
                found = []
            case _:
                raise TooMany
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
    try:
        a = first(Builder(names[0], domains, constants))
        b = second(Builder(names[1], domains, constants))
    except TooMany:
        return Comparison(None, None, MAX_CASES)
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
