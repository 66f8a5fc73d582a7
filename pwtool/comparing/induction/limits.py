"""Limits of numbers at a place in play: how large a variable, a collection, or a sum of two of them ever is.

A limit begins with what is seen first and is raised by what breaks it, at last to a number that the rules speak of, so that this
comes to an end (P. Cousot, N. Halbwachs, Automatic discovery of linear restraints among variables of a program, POPL 1978; sums
with given factors: S. Sankaranarayanan et al., Scalable analysis of linear systems using mathematical programming, VMCAI 2005).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import combinations, product
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from pwtool.comparing.induction.guesses import Readers
from pwtool.comparing.induction.piles import Pile
from pwtool.comparing.induction.position import PILES
from pwtool.comparing.induction.terms import Open, Value, conj, disj, equal, is_plain, times, total
from pwtool.comparing.items import expressions
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by
from pwtool.ir.model import Ruleset, VariableModel, ZoneModel
from pwtool.ir.walk import walk

RAISED = 1
"""So often a limit is raised to what was seen, and then to the numbers of the rules."""
MOST_NUMBERS = 8
"""So many numbers of the rules are tried for one variable."""
_RATIOS = ((1, -1), (1, 1), (2, -1), (1, -2), (2, 1), (1, 2), (3, -1), (1, -3), (10, -1), (1, -10))
"""Factors by which the values of a variable in one game may follow from those in the other."""
_SUMS = ((1, 1), (1, -1), (1, 2), (2, 1))
"""Factors of two variables of one game."""
MOST_VALUES = 6
"""A number that has more values than this is not told by them."""
_DIVISORS = (2, 3)


class Amount(Struct, frozen=True):
    """A number in a position of the game `side`: a `variable`, its size if it is a collection, its `sum` over all players, or what
    lies in a `zone`, in all or in that of one player (`seat`).
    """

    side: int
    kind: Literal["variable", "sum", "zone"]
    name: str
    seat: int | None = None

    @property
    def place(self) -> tuple[int, str, str]:
        """The game, kind and name of what it is about."""
        return self.side, "zone" if self.kind == "zone" else "variable", self.name

    def terms(self, readers: Readers) -> list[Any]:
        """It, for each player if everybody has one of their own. Raises `Open` if it has no terms."""
        position = readers[self.side].position
        if self.kind == "zone":
            zones = position.zones[self.name]
            if self.seat is not None and self.seat >= len(zones):
                raise Open
            return [total(_size(pile) for pile in (zones if self.seat is None else [zones[self.seat]]))]
        held = position.variables[self.name]
        each = [_size(one) for one in held] if isinstance(held, list) else [_size(held)]
        return [total(each)] if self.kind == "sum" else each


def _size(held: Any) -> Any:
    if isinstance(held, Pile):
        return held.size
    if not isinstance(held, Value) or held.absent is not False:
        raise Open
    return held.parts[0]


class Limit(Struct, frozen=True):
    """A sum of amounts, each times a factor, is between `low` and `high`, each of them None if it has no limit; nothing is, as long as
    nothing was `seen`. `numbers` are those of the rules, in order; a sum without such numbers has one value or no limit.
    """

    parts: tuple[tuple[int, Amount], ...]
    numbers: tuple[int, ...] = ()
    low: int | None = None
    high: int | None = None
    seen: int = 0

    kind = "limit"
    asks_owner = False

    @property
    def key(self) -> tuple[tuple[int, Amount], ...]:
        """What distinguishes it from other limits."""
        return self.parts

    def allows(self, known: object) -> bool:
        """Whether it follows from what is known of the same sum."""
        if not isinstance(known, Limit):
            return False
        low = self.low is None or (known.low is not None and known.low >= self.low)
        high = self.high is None or (known.high is not None and known.high <= self.high)
        return not self.seen or (low and high)

    def reads(self, places: Any) -> frozenset[tuple[int, str, str]]:
        """The games, kinds and names of what it is about."""
        return frozenset(x.place for _, x in self.parts)

    def sums(self, readers: Readers) -> list[Any]:
        """Every sum that is limited. Raises `Open` if one has no terms."""
        terms = [[times(factor, x) for x in amount.terms(readers)] for factor, amount in self.parts]
        return terms[0] if len(terms) == 1 else [x + y for x, y in zip(*terms, strict=True)]

    def term(self, readers: Readers) -> Any:
        """The limit, in the positions of both readers."""
        sums = self.sums(readers)
        if not self.seen:
            return False
        low = (x >= self.low for x in sums) if self.low is not None else ()
        high = (x <= self.high for x in sums) if self.high is not None else ()
        return conj(*low, *high)

    def wider(self, readers: Readers, model: Any) -> Limit | None:
        """The limit after a position, that of a model if there is one, broke it; None if it is given up."""
        seen = [n for n in (_in_model(x, model) for x in self.sums(readers)) if n is not None]
        if not seen:
            return None
        low: int | None = min(seen)
        high: int | None = max(seen)
        if self.seen:
            low = None if self.low is None else min(*seen, self.low)
            high = None if self.high is None else max(*seen, self.high)
            if not self.numbers and low != high:
                return None
        if self.seen > RAISED:
            if low != self.low:
                low = next((n for n in reversed(self.numbers) if n <= min(seen)), None)
            if high != self.high:
                high = next((n for n in self.numbers if n >= max(seen)), None)
        return None if low is None and high is None else replace(self, low=low, high=high, seen=self.seen + 1)


class Values(Struct, frozen=True):
    """An amount has one of few `values`: what it is itself, or what is left of it when it is divided by a `divisor`."""

    amount: Amount
    divisor: int = 0
    values: frozenset[int] = frozenset()

    kind = "values"
    asks_owner = False

    @property
    def key(self) -> tuple[Amount, int]:
        """What distinguishes it from others."""
        return self.amount, self.divisor

    def allows(self, known: object) -> bool:
        """Whether it follows from what is known of the same amount."""
        return isinstance(known, Values) and (not self.values or known.values <= self.values)

    def reads(self, places: Any) -> frozenset[tuple[int, str, str]]:
        """The games, kinds and names of what it is about."""
        return frozenset([self.amount.place])

    def term(self, readers: Readers) -> Any:
        """It, in the positions of both readers."""
        return conj(*(disj(*(equal(x, n) for n in sorted(self.values))) for x in self._terms(readers)))

    def _terms(self, readers: Readers) -> list[Any]:
        terms = self.amount.terms(readers)
        return [x % self.divisor for x in terms] if self.divisor else terms

    def wider(self, readers: Readers, model: Any) -> Values | None:
        """With the values that a position has, that of a model if there is one; None if these are too many."""
        seen = {n for n in (_in_model(x, model) for x in self._terms(readers)) if n is not None}
        found = self.values | seen
        many = len(found) >= self.divisor if self.divisor else len(found) > MOST_VALUES
        return None if many or not seen else replace(self, values=found)


def values(a: Ruleset, b: Ruleset, related: Set[str]) -> Iterator[Values]:
    """The `related` variables and zones that may have few values, or only even numbers or such."""
    for side, ruleset in enumerate((a, b)):
        for v in ruleset.variables.values():
            if v.name in related and v.type.kind == "int" and not v.type.optional:
                yield from (Values(Amount(side, "variable", v.name), divisor) for divisor in (0, *_DIVISORS))
    for zone in a.zones.values():
        if zone.name in related and zone.kind != "grid" and all(name != "goal" for name, _ in zone.dimensions):
            yield from (Values(Amount(0, "zone", zone.name), divisor) for divisor in _DIVISORS)


def limits(a: Ruleset, b: Ruleset, related: Set[str]) -> Iterator[Limit]:
    """What may be limited at a place in two games that are played alike: every number, and what is in zones that may count it. For
    the `related` variables also what they have to do with other variables of the game, and with themselves in the other one.
    """
    known = {
        v.name: [0, 1, 2] if v.type.kind in PILES else _numbers(v.name, (a, b))
        for r in (a, b)
        for v in r.variables.values()
    }
    for side, ruleset in enumerate((a, b)):
        for v in ruleset.variables.values():
            if v.type.kind in PILES or v.type.kind == "int":
                yield _limit([(1, side, v)], [known[v.name]])
                if v.each and v.name in related and not v.type.optional:
                    yield Limit(((1, Amount(side, "sum", v.name)),))
        numbered = [v for v in ruleset.variables.values() if _is_number(v)]
        for v, w in combinations(numbered, 2):
            if v.name in related or w.name in related:
                for f, g in _SUMS:
                    yield _limit([(f, side, v), (g, side, w)], [known[v.name], known[w.name]])
    for v, zone in product(a.variables.values(), a.zones.values()):
        if _is_number(v) and zone.kind != "grid" and all(name != "goal" for name, _ in zone.dimensions):
            yield _limit([(1, 0, v), (-1, 0, zone)])
    for zone in a.zones.values():
        if zone.name in related and zone.kind != "grid" and [name for name, _ in zone.dimensions] == ["player"]:
            # Players may have as many, or one more than the other.
            for seat in range(1, a.max_players):
                first, other = (Amount(0, "zone", zone.name, at) for at in (0, seat))
                yield Limit(((1, first), (-1, other)), (-1, 0, 1))
    for name in sorted(related & a.variables.keys() & b.variables.keys()):
        v, w = a.variables[name], b.variables[name]
        if _is_number(v) and _is_number(w):
            for f, g in _RATIOS:
                yield _limit([(f, 0, v), (g, 1, w)])


def _limit(parts: list[tuple[int, int, VariableModel | ZoneModel]], known: list[list[int]] | None = None) -> Limit:
    """A limit, with the numbers that such a sum has where its parts are numbers of the rules."""
    amounts = [
        (f, Amount(side, "zone" if isinstance(model, ZoneModel) else "variable", model.name))
        for f, side, model in parts
    ]
    some = product(*([f * n for n in numbers] for (f, _), numbers in zip(amounts, known, strict=True))) if known else ()
    return Limit(tuple(amounts), tuple(sorted({*map(sum, some)})))


def _in_model(term: Any, model: Any) -> int | None:
    if is_plain(term):
        return int(term)
    return None if model is False else int(model.eval(term, model_completion=True).as_long())


def _is_number(variable: VariableModel) -> bool:
    return (variable.type.kind == "int" or variable.type.kind in PILES) and not (
        variable.each or variable.type.optional
    )


def _numbers(name: str, rulesets: tuple[Ruleset, Ruleset]) -> list[int]:
    """The numbers that a variable is compared with, and those beside them, the first value, and the bounds that it has."""
    found: set[int] = set()
    declared: set[int] = set()
    for ruleset in rulesets:
        variable = ruleset.variables.get(name)
        if variable is None:
            continue
        declared |= {variable.type.low, variable.type.high}
        if isinstance(variable.initial, ir.Const) and type(variable.initial.value) is int:
            found |= {variable.initial.value, variable.initial.value + 1}
        for part in (part for expr in expressions(ruleset) for part in walk(expr)):
            if isinstance(part, ir.Compare) and ("variable", variable.number) in read_by(part):
                for side in (part.left, part.right):
                    if isinstance(side, ir.Const) and type(side.value) is int:
                        found |= {side.value - 1, side.value, side.value + 1}
                    elif isinstance(side, ir.Count) and isinstance(side.of, ir.Players):
                        found |= {*range(ruleset.min_players, ruleset.max_players + 1)}
    start = min(found, default=0)
    return sorted({*sorted(found, key=lambda n: abs(n - start))[:MOST_NUMBERS], *declared})
