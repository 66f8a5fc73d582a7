"""Whether one condition implies another, decided over all values of the facts in them.

A condition in normal form (`canonical.py`) is a formula over facts: numbers with bounds, values of attributes, and
opaque conditions that both sides share. Facts with the same form are one fact. Every combination of values is
enumerated; numbers with large bounds are cut off where no comparison distinguishes them any more. Facts are treated as
independent: "implies" is proven, "does not imply" may include cases that play cannot reach.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import factorial, prod
from typing import Any

from pwtool.comparing.canonical import Names
from pwtool.comparing.forms import Form
from pwtool.ir.types import BOOL, Type

MAX_CASES = 300_000
FEW = 400
"""Up to this many cases, starting a solver is not worthwhile."""
SAMPLES = 20_000
NEAR = 6
_SMALL = 60
_MANY = 100_000
"""Numbers with more values are not listed."""
ENDLESS = 999
"""As a bound of a number that is followed: there are more beyond it."""
_Facts = dict[Form, Any]
Formula = Callable[[_Facts], Any]


class TooMany(Exception):
    """There are too many cases to enumerate."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two conditions can hold without the other; None: unknown, because there are too many cases to enumerate."""

    only_first: bool | None
    only_second: bool | None
    cases: int = 0

    @property
    def whole(self) -> bool:
        """Whether all cases were enumerated, or a case was found in both directions."""
        return None not in (self.only_first, self.only_second)

    @property
    def same(self) -> bool | None:
        """Whether they are equivalent."""
        if self.only_first or self.only_second:
            return False
        return None if self.only_first is None or self.only_second is None else True


@dataclass(slots=True)
class Facts:
    """The facts of formulas: the possible values of each fact, and what determines how far numbers have to be followed.

    `sums` are the facts that are compared with one another, `factor` is the greatest factor and `constants` are all numbers
    that occur in comparisons; the values of a fact in `whole` are never cut off.
    """

    domains: dict[Form, list[Any]] = field(default_factory=dict)
    constants: set[int] = field(default_factory=lambda: {0})
    factor: int = 1
    chosen: int = 0
    sums: list[set[Form]] = field(default_factory=list)
    whole: set[Form] = field(default_factory=set)

    def copy(self) -> Facts:
        """A copy that can be extended."""
        return Facts(dict(self.domains), set(self.constants), self.factor, self.chosen, [*self.sums], set(self.whole))

    def cut(self) -> None:
        """Cut off values that no comparison can distinguish any more.

        Sums with factors of at most `factor` are compared with constants. If such comparisons have any solution in whole numbers,
        they have one that is no greater than the number of unknowns plus one, times the greatest determinant (A. Schrijver, Theory
        of Linear and Integer Programming, 1986, theorem 17.1).
        """
        numbers = {f: [v for v in d if type(v) is int] for f, d in self.domains.items()}
        large = {f for f, values in numbers.items() if len(values) > _SMALL and f not in self.whole}
        if any(_is_endless(numbers[f]) for f in self.whole):
            raise TooMany
        near = sum(max(map(abs, values), default=0) for f, values in numbers.items() if f not in large)
        # Where a number cannot be 0, its least value is one more constant of the comparisons.
        least = sum(min(map(abs, numbers[f])) for f in large)
        most = self.factor * (near + self.chosen + 1) + sum(map(abs, self.constants)) + least + 2
        for group in self._groups(large):
            count = len(group)
            reach = (count + 1) * factorial(count) * self.factor ** (count - 1) * most
            for form in group:
                low, high = (
                    limit if limit is not None else sign * reach
                    for limit, sign in zip(limits(numbers[form]), (-1, 1), strict=True)
                )
                others = [v for v in self.domains[form] if type(v) is not int]
                low, high = max(low, -reach), min(high, reach)
                # More than can be gone through serve for samples alone.
                step = max(1, (high - low - NEAR) // (MAX_CASES + 1))
                start = min(low + NEAR, high + 1)
                self.domains[form] = [*range(low, start), *range(start, high + 1, step), *others]

    def _groups(self, large: set[Form]) -> list[set[Form]]:
        """The facts with far bounds that are compared with one another, directly or through others."""
        groups = [{form} for form in large]
        for together in self.sums:
            joined = [group for group in groups if group & together]
            if len(joined) > 1:
                groups = [group for group in groups if not group & together] + [set().union(*joined)]
        return groups

    def all(self) -> Iterator[_Facts]:
        """Every combination of values."""
        forms = list(self.domains)
        for values in product(*self.domains.values()):
            yield dict(zip(forms, values, strict=True))

    def some(self, count: int) -> Iterator[_Facts]:
        """Random combinations of values, small numbers more often than large ones; the same ones every time."""
        rng = random.Random(0)
        for _ in range(count):
            near = rng.random() < 0.5
            yield {
                form: rng.choice(values[:NEAR] if near and len(values) > NEAR else values)
                for form, values in self.domains.items()
            }

    def cases(self) -> int:
        """The number of combinations of values."""
        return prod(len(values) for values in self.domains.values())


class Builder:
    """Turns conditions in normal form, of one or several rulesets, into formulas over shared facts."""

    def __init__(self, names: Sequence[Names], facts: Facts) -> None:
        self.names, self.facts = names, facts

    def type_of(self, form: Form) -> Type:
        """The type of the expression with this form."""
        for names in self.names:
            if form in names.types:
                return names.types[form]
        raise TooMany

    def formula(self, form: Form) -> Formula:
        """The condition as a function of the facts."""
        match form[0]:
            case "none":
                return lambda f: True
            case "Const":
                value = form[1][1]
                if type(value) is int:
                    self.facts.constants.add(value)
                return lambda f: value
            case "Not":
                a = self.formula(form[2])
                return lambda f: not a(f)
            case "Truth":
                a = self.formula(form[2])
                return lambda f: bool(a(f))
            case "And":
                parts = [self.formula(part) for part in form[2:]]
                return lambda f: all(part(f) for part in parts)
            case "Below":
                total = self._sum(form)
                return lambda f: total(f) < 0
            case "Zero":
                total = self._sum(form)
                return lambda f: total(f) == 0
            case "Linear":
                return self._sum(form)
            case "One":
                a = self.formula(form[2])
                self.facts.chosen += 1
                return lambda f: 1 if a(f) else 0
            case "If":
                c, a, b = (self.formula(part) for part in form[2:])
                return lambda f: a(f) if c(f) else b(f)
            case "Else":
                a, b = (self.formula(part) for part in form[2:])
                return lambda f: b(f) if (found := a(f)) is None else found
            case "Product":
                # It is not known how far numbers that are multiplied have to be followed.
                a, b = (self.whole(part) for part in form[2:])
                return lambda f: a(f) * b(f)
            case "Equal" if self.is_open(form):
                a, b = (self.formula(part) for part in form[2:])
                self._note(form)
                return lambda f: a(f) == b(f)
            case "Compare" if self.is_open(form):
                strict = form[1][0] == "<"
                a, b = (self.formula(part) for part in form[2:])
                self._note(form)

                def compared(f: _Facts) -> bool:
                    x, y = a(f), b(f)
                    return x is not None and y is not None and (x < y if strict else x <= y)

                return compared
        return self.fact(form, self.type_of(form))

    def whole(self, form: Form) -> Formula:
        """The formula of a number all of whose values have to be enumerated."""
        before = set(self.facts.domains)
        made = self.formula(form)
        self.facts.whole |= {f for f in self.facts.domains if f not in before} | ({form} & self.facts.domains.keys())
        self.facts.whole |= {part for part in form[2:] if part in self.facts.domains}
        return made

    def _sum(self, form: Form) -> Formula:
        constant, *factors = form[1]
        self.facts.constants.add(constant)
        self.facts.factor = max(self.facts.factor, *map(abs, factors))
        terms = [(factor, self.formula(part)) for factor, part in zip(factors, form[2:], strict=True)]
        self._note(form)
        return lambda f: constant + sum(factor * term(f) for factor, term in terms)

    def _note(self, form: Form) -> None:
        """The numbers of one comparison have to be followed together."""
        self.facts.sums.append({leaf for part in form[2:] for leaf in _leaves(part)})

    def is_open(self, form: Form) -> bool:
        """Whether a comparison is between values that can be enumerated: numbers, values of attributes, conditions."""
        kinds = {part[1][0] if part[0] == "Const" else self.type_of(part).kind for part in form[2:]}
        return any(kinds <= {kind, "nothing"} for kind in ("int", "member", "bool"))

    def fact(self, form: Form, type_: Type) -> Formula:
        """The fact that has this form."""
        known, own = self.facts.domains.get(form), self.domain(type_)
        if known is None or known == own:
            self.facts.domains[form] = own
        else:
            self.facts.domains[form] = list(dict.fromkeys([*known, *own]))
        return lambda f: f[form]

    def domain(self, type_: Type) -> list[Any]:
        """The possible values of a fact of a type."""
        found: list[Any]
        match type_.kind:
            case "bool":
                return [False, True]
            case "int":
                found = list(_followed(type_))
            case "member":
                attributes = [
                    c.attributes for n in self.names if (c := n.ruleset.components.get(type_.component)) is not None
                ]
                tables = [a[type_.attribute].table for a in attributes if type_.attribute in a]
                found = list(dict.fromkeys(v for table in tables for v in table))
            case "nothing":
                found = []
            case _:
                raise TooMany
        return [*found, None] if type_.optional else found


def _followed(type_: Type) -> range:
    """The numbers of a type; if they are many, those up to `ENDLESS` in each direction in which there are more."""
    low, high = type_.low, type_.high
    if high - low > _MANY:
        # A bound so near to the other end would leave only a few.
        low, high = (low if abs(low) < ENDLESS // 2 else -ENDLESS), (high if abs(high) < ENDLESS // 2 else ENDLESS)
    return range(low, high + 1)


def limits(values: Sequence[int]) -> tuple[int | None, int | None]:
    """The least and the greatest number that a fact may be; None: there may be lesser or greater ones."""
    low, high = min(values), max(values)
    return (None if low == -ENDLESS else low), (None if high == ENDLESS else high)


def _is_endless(values: Sequence[int]) -> bool:
    return bool(values) and None in limits(values)


def _leaves(form: Form) -> Iterator[Form]:
    """The parts of a number, without the conditions that choose between numbers."""
    yield form
    if form[0] in ("Linear", "Product", "Else", "If"):
        for part in form[3:] if form[0] == "If" else form[2:]:
            yield from _leaves(part)


def compare_conditions(first: Form, second: Form, names: tuple[Names, Names]) -> Comparison:
    """Compare two conditions in normal form over all facts, or let the solver do so if there are many cases and it is installed."""
    return _go_through(first, second, names, bool)


def compare_values(first: Form, second: Form, names: tuple[Names, Names]) -> Comparison:
    """Compare two numbers over all facts; if they differ anywhere, the result says so in both directions."""
    found = _go_through(first, second, names, lambda value: value)
    differ = None if found.same is None else not found.same
    return Comparison(differ, differ, found.cases)


def alike(first: Form, second: Form, names: tuple[Names, Names]) -> bool:
    """Whether two forms are the same part by part; conditions among the parts are compared over all cases."""
    if first == second:
        return True
    if first[0] in ("Const", "bound", "parameter") or first[:2] != second[:2] or len(first) != len(second):
        return _is_condition(first, names) and _is_condition(second, names) and bool(
            compare_conditions(first, second, names).same
        )  # fmt: skip
    if all(alike(a, b, names) for a, b in zip(first[2:], second[2:], strict=True)):
        return True
    return _is_condition(first, names) and bool(compare_conditions(first, second, names).same)


def _is_condition(form: Form, names: tuple[Names, Names]) -> bool:
    if form[0] in ("And", "Not", "Below", "Zero"):
        return True
    return any(form in known.types and known.types[form] == BOOL for known in names)


def _go_through(first: Form, second: Form, names: tuple[Names, Names], read: Callable[[Any], Any]) -> Comparison:
    facts = Facts()
    try:
        a = Builder(names, facts).formula(first)
        b = Builder(names, facts).formula(second)
    except TooMany:
        return Comparison(None, None, MAX_CASES)
    if facts.cases() > FEW:
        from pwtool.comparing.solver import ask_conditions, ask_values, is_installed

        ask = ask_conditions if read is bool else ask_values
        try:
            answer = ask(first, second, names, facts) if is_installed() else None
        except TooMany:
            # Something that is no fact stands in a part that the enumeration never reads.
            answer = None
        if answer is not None:
            return answer
    if read is not bool:
        # That two numbers are equal is a comparison too.
        facts.factor *= 2
        facts.sums.append({leaf for form in (first, second) for leaf in _leaves(form)})
    bounds = _bounds(facts, names)
    facts.sums += [{less, more} for less, more in bounds]
    try:
        facts.cut()
    except TooMany:
        return Comparison(None, None, MAX_CASES)
    cases = facts.cases()
    # A sample of too many cases can show that there is a difference, but not that there is none.
    whole = cases <= MAX_CASES
    only: list[bool | None] = [False, False] if whole else [None, None]
    for known in facts.all() if whole else facts.some(SAMPLES):
        if any(known[less] > known[more] for less, more in bounds):
            continue
        left, right = read(a(known)), read(b(known))
        if left != right:
            only[0 if left else 1] = True
            if all(only):
                break
    return Comparison(only[0], only[1], cases)


def _bounds(facts: Facts, names: tuple[Names, Names]) -> list[tuple[Form, Form]]:
    """Pairs of facts of which the first is never greater than the second: a count of some things is at most the number of things,
    and at most a count with a looser condition; what fits into a box fits into a larger one.
    """
    return [(a, b) for a, b in permutations(facts.domains, 2) if never_more(a, b, names)]


def never_more(a: Form, b: Form, names: tuple[Names, Names]) -> bool:
    """Whether the first of two facts is never greater than the second."""
    match a[0], b[0]:
        case "CountWhere", "Count":
            return bool(a[2] == b[2])
        case "CountWhere", "CountWhere" if a[2] == b[2]:
            return compare_conditions(a[3], b[3], names).only_first is False
        case "Placements" | "Separate", "Placements" if a[1:3] == b[1:3]:
            return compare_conditions(a[3], b[3], names).only_first is False
        case "Separate", "Separate" if a[1:3] == b[1:3]:
            return compare_conditions(a[3], b[3], names).only_first is False
        case "Fits", "Fits" if a[2:] == b[2:]:
            inner, outer = dict(a[1]), dict(b[1])
            return bool(inner["width"] <= outer["width"] and inner["height"] <= outer["height"])
    return False
