"""Whether one condition implies another, decided over all values of the facts in them.

A condition in normal form (`canonical.py`) is a formula over facts: numbers with bounds, values of attributes, and
opaque conditions that both sides share. Facts with the same form are one fact. Every combination of values is
enumerated; numbers with large bounds are cut off where no comparison distinguishes them any more. Facts are treated as
independent: "implies" is proven, "does not imply" may include cases that play cannot reach.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import permutations, product
from math import factorial, prod
from typing import Any

from pwtool.comparing.canonical import Normalizer, either_type
from pwtool.comparing.forms import NormalForm
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
_Facts = dict[NormalForm, Any]
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


Size = dict[tuple[NormalForm, ...], int]
"""A bound of a number: products of facts, and how often each is counted at most; the empty product is a plain number."""


@dataclass(slots=True)
class Facts:
    """The facts of formulas: the possible values of each fact, and the comparisons, which determine how far numbers have to
    be followed. The values of a fact in `whole` are never cut off.
    """

    domains: dict[NormalForm, list[Any]] = field(default_factory=dict)
    compared: list[Size] = field(default_factory=list)
    whole: set[NormalForm] = field(default_factory=set)

    def copy(self) -> Facts:
        """A copy that can be extended."""
        return Facts(dict(self.domains), [*self.compared], set(self.whole))

    def cut(self) -> None:
        """Cut off values that no comparison can distinguish any more.

        Each case of the comparisons is a system of linear inequalities `Ax <= b`. What solves it is the sum of a mean of its vertices
        and of multiples of its rays; whole multiples of the rays can be left out. Vertices and rays are quotients of determinants
        (A. Schrijver, Theory of Linear and Integer Programming, 1986, theorem 17.1, here with a bound for each unknown).
        """
        numbers = {f: [v for v in d if type(v) is int] for f, d in self.domains.items()}
        # How far numbers that are multiplied have to be followed is not known.
        whole = self.whole | {f for size in self.compared for facts in size if len(facts) > 1 for f in facts}
        if any(_is_endless(numbers.get(f, ())) for f in whole):
            raise TooMany
        large = {f for f, values in numbers.items() if len(values) > _SMALL and f not in whole}
        for group in self._groups(large):
            for form, reach in self._reaches(group, {f: limits(numbers[f]) for f in group}).items():
                low, high = limits(numbers[form])
                low = -reach if low is None else max(low, -reach)
                high = reach if high is None else min(high, reach)
                others = [v for v in self.domains[form] if type(v) is not int]
                # More than can be gone through serve for samples alone.
                step = max(1, (high - low - NEAR) // (MAX_CASES + 1))
                start = min(low + NEAR, high + 1)
                self.domains[form] = [*range(low, start), *range(start, high + 1, step), *others]

    def _reaches(
        self, group: set[NormalForm], ends: dict[NormalForm, tuple[int | None, int | None]]
    ) -> dict[NormalForm, int]:
        """How far each of the facts that are compared with one another has to be followed."""
        factors = dict.fromkeys(group, 1)
        most = 0
        for size in self.compared:
            if any(f in group for facts in size for f in facts):
                # Strictly less is less by 1.
                most = max(most, 1 + self._rest(size, group))
                for form in group:
                    factors[form] = max(factors[form], size.get((form,), 0))
        # A bound that excludes 0 is one more inequality; another one only if it is nearer than the number is followed.
        for low, high in ends.values():
            most = max(most, low or 0, -(high or 0))
        while True:
            reaches = {
                form: factorial(len(group)) * prod(factors[f] for f in group if f != form) * (most + 1)
                for form in group
            }
            near = [abs(end) for f in group for end in ends[f] if end is not None and abs(end) < reaches[f]]
            if max(near, default=0) <= most:
                return reaches
            most = max(near)

    def _rest(self, size: Size, group: set[NormalForm]) -> int:
        """The greatest amount that is not a multiple of these facts."""
        return sum(
            count * prod(max((abs(v) for v in self.domains[f] if isinstance(v, int)), default=0) for f in facts)
            for facts, count in size.items()
            if not group.issuperset(facts) or not facts
        )

    def _groups(self, large: set[NormalForm]) -> list[set[NormalForm]]:
        """The facts with far bounds that are compared with one another, directly or through others."""
        groups = [{form} for form in large]
        for size in self.compared:
            together = {f for facts in size for f in facts}
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

    def __init__(self, names: Sequence[Normalizer], facts: Facts) -> None:
        self.names, self.facts = names, facts

    def type_of(self, form: NormalForm) -> Type:
        """The type of the expression with this form: whatever it may be in any of the rulesets."""
        found = [names.types[form] for names in self.names if form in names.types]
        if not found:
            raise TooMany
        return reduce(either_type, found)

    def formula(self, form: NormalForm) -> Formula:
        """The condition as a function of the facts."""
        match form[0]:
            case "none":
                return lambda f: True
            case "Const":
                value = form[1][1]
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
                self.facts.compared.append(self.size(form))
                return lambda f: total(f) < 0
            case "Zero":
                total = self._sum(form)
                self.facts.compared.append(self.size(form))
                return lambda f: total(f) == 0
            case "Linear":
                return self._sum(form)
            case "One":
                a = self.formula(form[2])
                return lambda f: 1 if a(f) else 0
            case "If":
                c, a, b = (self.formula(part) for part in form[2:])
                return lambda f: a(f) if c(f) else b(f)
            case "Else":
                a, b = (self.formula(part) for part in form[2:])
                return lambda f: b(f) if (found := a(f)) is None else found
            case "Product":
                a, b = (self.formula(part) for part in form[2:])
                return lambda f: a(f) * b(f)
            case "Equal" if self.is_open(form):
                a, b = (self.formula(part) for part in form[2:])
                self.facts.compared.append(_sum_of(map(self.size, form[2:])))
                return lambda f: a(f) == b(f)
            case "Compare" if self.is_open(form):
                strict = form[1][0] == "<"
                a, b = (self.formula(part) for part in form[2:])
                self.facts.compared.append(_sum_of(map(self.size, form[2:])))

                def compared(f: _Facts) -> bool:
                    x, y = a(f), b(f)
                    return x is not None and y is not None and (x < y if strict else x <= y)

                return compared
        return self.fact(form, self.type_of(form))

    def _sum(self, form: NormalForm) -> Formula:
        constant, *factors = form[1]
        terms = [(factor, self.formula(part)) for factor, part in zip(factors, form[2:], strict=True)]
        return lambda f: constant + sum(factor * term(f) for factor, term in terms)

    def size(self, form: NormalForm) -> Size:
        """A bound of a number whose formula was made, as a sum of multiples of facts."""
        match form[0]:
            case "Const":
                value = form[1][1]
                return {(): abs(value)} if isinstance(value, int) else {}
            case "One":
                return {(): 1}
            case "Below" | "Zero" | "Linear":
                constant, *factors = form[1]
                terms = [
                    {facts: abs(factor) * count for facts, count in self.size(part).items()}
                    for factor, part in zip(factors, form[2:], strict=True)
                ]
                return _sum_of([{(): abs(constant)}, *terms])
            case "If" | "Else":
                a, b = (self.size(part) for part in form[-2:])
                return {facts: max(a.get(facts, 0), b.get(facts, 0)) for facts in a | b}
            case "Product":
                a, b = (self.size(part) for part in form[2:])
                return _sum_of({x + y: m * n} for x, m in a.items() for y, n in b.items())
        type_ = self.type_of(form)
        key = self.key(form, type_)
        if key not in self.facts.domains and type_.kind != "bool":
            raise TooMany
        return {(key,): 1} if key in self.facts.domains else {(): 1}

    def is_open(self, form: NormalForm) -> bool:
        """Whether a comparison is between values that can be enumerated: numbers, values of attributes, conditions."""
        kinds = {part[1][0] if part[0] == "Const" else self.type_of(part).kind for part in form[2:]}
        return any(kinds <= {kind, "nothing"} for kind in ("int", "member", "bool"))

    def fact(self, form: NormalForm, type_: Type) -> Formula:
        """The fact that has this form."""
        key = self.key(form, type_)
        known, own = self.facts.domains.get(key), self.domain(type_)
        most = self._most(form) if form[0] in ("Count", "CountWhere") else None
        if most is not None:
            # The deck has no more of them.
            own = [value for value in own if value is None or value <= most]
        if known is None or known == own:
            self.facts.domains[key] = own
        else:
            self.facts.domains[key] = list(dict.fromkeys([*known, *own]))
        return lambda f: f[key]

    def _most(self, form: NormalForm) -> int | None:
        """How many things a count of those in one zone finds at most: as many as there are in the game."""
        collection = form[2]
        if collection[0] == "Each" and dict(collection[1])["part"] != "pile":
            # What lies in a zone, or on top there.
            collection = collection[2]
        if collection[0] != "Zone":
            return None
        found = []
        for names in self.names:
            zone = names.ruleset.zones.get(dict(collection[1])["zone"])
            counts = None if zone is None or zone.element.kind != "face" else names.things(zone.element.component)
            if zone is None or counts is None:
                return None
            wanted = _faces_of(form[3], names, zone.element.component) if form[0] == "CountWhere" else None
            found.append(sum(count for face, count in counts.items() if wanted is None or face in wanted))
        return max(found)

    def key(self, form: NormalForm, type_: Type) -> NormalForm:
        """The name of the fact that has this form."""
        return form

    def domain(self, type_: Type) -> list[Any]:
        """The possible values of a fact of a type."""
        found: list[Any]
        match type_.kind:
            case "bool":
                found = [False, True]
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


def _faces_of(condition: NormalForm, names: Normalizer, component: str) -> frozenset[int] | None:
    """The faces of a component for which a condition about the outermost element holds; None if it is about more than that."""
    model = names.ruleset.components[component]
    match condition:
        case ("Faces", codes, ("bound", 0)):
            return frozenset(face for face, code in enumerate(model.codes) if code in codes)
        case ("Equal", (), ("Attribute", owner, ("bound", 0)), ("Const", ("member", value))):
            return frozenset(
                face for face, own in enumerate(model.attributes[dict(owner)["name"]].table) if own == value
            )
    return None


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


def _sum_of(sizes: Iterable[Size]) -> Size:
    found: Size = {}
    for size in sizes:
        for facts, count in size.items():
            found[facts] = found.get(facts, 0) + count
    return found


def compare_conditions(first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer]) -> Comparison:
    """Compare two conditions in normal form over all facts, or let the solver do so if there are many cases and it is installed."""
    return _go_through(first, second, names, bool)


def compare_values(first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer]) -> Comparison:
    """Compare two numbers over all facts; if they differ anywhere, the result says so in both directions."""
    found = _go_through(first, second, names, lambda value: value)
    differ = None if found.same is None else not found.same
    return Comparison(differ, differ, found.cases)


def alike(first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer]) -> bool:
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


def _is_condition(form: NormalForm, names: tuple[Normalizer, Normalizer]) -> bool:
    if form[0] in ("And", "Not", "Below", "Zero"):
        return True
    return any(form in known.types and known.types[form] == BOOL for known in names)


def _go_through(
    first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer], read: Callable[[Any], Any]
) -> Comparison:
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
        size = Builder(names, facts).size
        facts.compared.append(_sum_of([size(first), size(second)]))
    bounds = _bounds(facts, names)
    facts.compared += [{(less,): 1, (more,): 1} for less, more in bounds]
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


def _bounds(facts: Facts, names: tuple[Normalizer, Normalizer]) -> list[tuple[NormalForm, NormalForm]]:
    """Pairs of facts of which the first is never greater than the second: a count of some things is at most the number of things,
    and at most a count with a looser condition; what fits into a box fits into a larger one.
    """
    return [(a, b) for a, b in permutations(facts.domains, 2) if never_more(a, b, names)]


def never_more(a: NormalForm, b: NormalForm, names: tuple[Normalizer, Normalizer]) -> bool:
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
