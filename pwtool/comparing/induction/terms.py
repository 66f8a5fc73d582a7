"""Values of an arbitrary position as terms of the solver Z3.

A scalar is a `Value`: one term, or two for a cell or a direction, and whether it is absent. A `Pile` knows how many of each
thing it has and what lies on top. What is known is computed at once: numbers and truth values of Python are terms too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3
from msgspec import Struct

from pwtool.comparing.solver import own_context
from pwtool.ir.grids import FAR, Grid
from pwtool.ir.model import Ruleset
from pwtool.ir.types import MAX_NUMBER, Type

MOST_VALUES = 200
"""What may be one of more things than this is not counted one by one."""


class Unread(Exception):
    """Something has no terms of its own; what asks about it becomes a symbol without a meaning."""


class Open(Exception):
    """The proof cannot go on."""


# ---- terms ------------------------------------------------------------------------------------------------------------


def conj(*parts: Any) -> Any:
    """All conditions together."""
    left = [p for p in parts if p is not True]
    if any(p is False for p in left):
        return False
    return True if not left else _joined(z3.BoolRef, z3.Z3_mk_and, left)


def disj(*parts: Any) -> Any:
    """At least one of the conditions."""
    left = [p for p in parts if p is not False]
    if any(p is True for p in left):
        return True
    return False if not left else _joined(z3.BoolRef, z3.Z3_mk_or, left)


def _joined(kind: Any, make: Any, parts: list[Any], *numbers: int) -> Any:
    """Terms of one sort, and numbers of Python, as one. The solver's own functions ask each part first what it is, which takes most
    of their time.
    """
    if len(parts) == 1 and not numbers:
        return parts[0]
    context = parts[0].ctx
    asts = [part.ast for part in parts] + [_ast(number, context) for number in numbers]
    return kind(make(context.ref(), len(asts), (z3.Ast * len(asts))(*asts)), context)


def _ast(x: Any, context: Any) -> Any:
    """What the solver has for a number; those of Python are made once for each memory of it."""
    if not isinstance(x, int):
        return x.ast
    numerals = context.__dict__.setdefault("numerals", {})
    if x not in numerals:
        found = numerals[x] = z3.Z3_mk_int64(context.ref(), x, z3.IntSort(context).ast)
        z3.Z3_inc_ref(context.ref(), found)
    return numerals[x]


def _both(kind: Any, make: Any, a: Any, b: Any) -> Any:
    """Two numbers, not both of Python, as one term."""
    context = (b if is_plain(a) else a).ctx
    return kind(make(context.ref(), _ast(a, context), _ast(b, context)), context)


def negated(part: Any) -> Any:
    """The negation of a condition."""
    return not part if isinstance(part, bool) else z3.BoolRef(z3.Z3_mk_not(part.ctx.ref(), part.ast), part.ctx)


def implied(condition: Any, part: Any) -> Any:
    """Whether the second holds where the first does."""
    return disj(negated(condition), part)


def equal(a: Any, b: Any) -> Any:
    """Whether two terms have the same value."""
    if is_plain(a) and is_plain(b):
        return a == b
    if not is_plain(a) and not is_plain(b):
        return a.eq(b) or z3.BoolRef(z3.Z3_mk_eq(a.ctx.ref(), a.ast, b.ast), a.ctx)
    if isinstance(a, bool) or isinstance(b, bool):
        known, other = (a, b) if isinstance(a, bool) else (b, a)
        return other if known else negated(other)
    return _both(z3.BoolRef, z3.Z3_mk_eq, *((b, a) if is_plain(a) else (a, b)))


def chosen(condition: Any, a: Any, b: Any) -> Any:
    """One of two terms."""
    if isinstance(condition, bool):
        return a if condition else b
    if equal(a, b) is True:
        return a
    if isinstance(a, bool) or isinstance(b, bool) or z3.is_bool(a):
        return conj(implied(condition, a), disj(condition, b))
    context = condition.ctx
    ite = z3.Z3_mk_ite(context.ref(), condition.ast, _ast(a, context), _ast(b, context))
    return z3.ArithRef(ite, context)


def total(parts: Iterable[Any]) -> Any:
    """A sum."""
    parts = list(parts)
    known = sum(p for p in parts if isinstance(p, int))
    left = [p for p in parts if not isinstance(p, int)]
    return known if not left else _joined(z3.ArithRef, z3.Z3_mk_add, left, *([known] if known else []))


def above(a: Any, b: int) -> Any:
    """Whether a number is greater than one of Python."""
    return a > b if is_plain(a) else _both(z3.BoolRef, z3.Z3_mk_gt, a, b)


def times(a: Any, b: Any) -> Any:
    """A product."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, int) and known in (0, 1):
            return other if known else 0
    return a * b


def is_truth(x: Any) -> bool:
    """Whether a term is a truth value."""
    return isinstance(x, bool) or (not isinstance(x, int) and z3.is_bool(x))


def is_plain(x: Any) -> bool:
    """Whether Python knows the value of a term."""
    return isinstance(x, int)


class Value(Struct, frozen=True):
    """A scalar: its terms, and whether it is absent."""

    parts: tuple[Any, ...]
    absent: Any = False

    @property
    def holds(self) -> Any:
        """Whether a condition holds; one without a value does not."""
        return conj(negated(self.absent), self.parts[0])

    @property
    def known(self) -> Any:
        """The value as Python knows it. Raises `Unread` if it is not known."""
        if self.absent is True:
            return None
        if self.absent is not False or not all(map(is_plain, self.parts)):
            raise Unread
        return self.parts[0] if len(self.parts) == 1 else self.parts


NOTHING = Value((0,), True)


def truth(condition: Any) -> Value:
    """The value of a condition."""
    return Value((condition,))


def same(a: Value, b: Value) -> Any:
    """Whether two values are equal; nothing is equal to nothing."""
    if len(a.parts) != len(b.parts):
        # One of them is never there.
        return conj(a.absent, b.absent)
    equal_parts = conj(*map(equal, a.parts, b.parts))
    if equal_parts is True and equal(a.absent, b.absent) is True:
        return True
    there = conj(negated(a.absent), negated(b.absent), equal_parts)
    return disj(conj(a.absent, b.absent), there)


def either(condition: Any, a: Value, b: Value) -> Value:
    """One of two values."""
    if condition is True or condition is False:
        return a if condition else b
    parts = [x.parts for x in (a, b)]
    if len(parts[0]) != len(parts[1]):
        lacking = next((at for at, x in enumerate((a, b)) if x.absent is True), None)
        if lacking is None:
            raise Unread
        parts[lacking] = parts[1 - lacking]
    return Value(
        tuple(chosen(condition, x, y) for x, y in zip(*parts, strict=True)), chosen(condition, a.absent, b.absent)
    )


def less(a: Value, b: Value) -> Any:
    """Whether a number is less than another one; an absent one is not."""
    return conj(negated(a.absent), negated(b.absent), a.parts[0] < b.parts[0])


# ---- the symbols of one proof -----------------------------------------------------------------------------------------


class Work:
    """How much work is left for a proof: an operation that is read costs 1."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, steps: int = 1) -> None:
        """Count some work. Raises `Open` if there was too much."""
        self.left -= steps
        if self.left < 0:
            raise Open


class World:
    """The symbols of a proof for one number of players, with what is known about them."""

    def __init__(
        self, ruleset: Ruleset, players: int, goals: int, things: dict[str, dict[int, int]], work: Work
    ) -> None:
        self.ruleset, self.players, self.goals, self.things, self.work = ruleset, players, goals, things, work
        self.context = own_context()
        self.sorts = {"bool": z3.BoolSort(self.context), "int": z3.IntSort(self.context)}
        self.listed: set[str] = set()
        """The components of which all things are in play, in zones whose things are all asked about."""
        self.facts: list[Any] = []
        self.symbols: dict[Any, Any] = {}
        self.codes: dict[Any, int] = {}
        self.numbers: dict[Any, int] = {}
        self.held: dict[tuple[str, int], dict[Any, Any]] = {}
        """How many of each thing there are, by the component and its face, in each of the zones that were asked."""
        self.kept: list[Any] = []
        self.conditions: dict[Any, Any] = {}
        """Conditions that were read, by the expression, the actor and all that they read."""
        self.read: dict[Any, Any] = {}
        """What was read that is often read again: piles on unknown cells and attributes of unknown things, by all that they depend on."""
        self.told: dict[tuple[str, int], int] = {}
        self.picked: set[Any] = set()
        """The things that are looked for in collections without an order."""

    def code(self, value: Any) -> int:
        """A value of an attribute as a number that is no number of the game."""
        return self.codes.setdefault(value, MAX_NUMBER + 1 + len(self.codes))

    def number(self, key: Any) -> int:
        """A short name for a key."""
        return self.numbers.setdefault(key, len(self.numbers))

    def name_of(self, term: Any) -> Any:
        """What identifies a term: the same for equal terms."""
        if is_plain(term):
            return term
        # Numbers of terms are used again when nobody holds them.
        self.kept.append(term)
        return f"#{term.get_id()}"

    def key_of(self, x: Any) -> Any:
        """What identifies anything that an expression may stand for."""
        if isinstance(x, Value):
            return (*map(self.name_of, x.parts), self.name_of(x.absent))
        if isinstance(x, list):
            return self.number(("each", *map(self.key_of, x)))
        return x.key_in(self)

    def symbol(
        self, key: Any, sort: str, low: int | None = None, high: int | None = None, of: Sequence[Any] = ()
    ) -> Any:
        """The symbol of a key, a number or a truth value, always the same one; if it is one `of` other terms, their function."""
        place = (sort, key, *map(self.name_of, of))
        if place not in self.symbols:
            terms = [self.as_term(x) for x in of]
            name = f"{sort}{self.number(('function', sort, key, *(z3.is_bool(x) for x in terms)))}"
            made = (
                z3.Function(name, *(x.sort() for x in terms), self.sorts[sort])(*terms)
                if of
                else self._named(name, sort)
            )
            found = self.symbols[place] = made
            self.facts += [_both(z3.BoolRef, z3.Z3_mk_ge, found, low)] if low is not None else []
            self.facts += [_both(z3.BoolRef, z3.Z3_mk_le, found, high)] if high is not None else []
        return self.symbols[place]

    def _named(self, name: str, sort: str) -> Any:
        """A symbol of its own, made without what the solver's own functions ask first."""
        context = self.context
        ast = z3.Z3_mk_const(context.ref(), z3.Z3_mk_string_symbol(context.ref(), name), self.sorts[sort].ast)
        return (z3.BoolRef if sort == "bool" else z3.ArithRef)(ast, context)

    def as_term(self, x: Any) -> Any:
        """A term of the solver, also of what Python knows."""
        known = {bool: z3.BoolVal, int: z3.IntVal}.get(type(x))
        return x if known is None else known(x, self.context)

    def one_of(self, things: list[tuple[Any, Any]], found: Value) -> Value:
        """A symbol as one of some things, each with whether it is there: it is absent if none is. Raises `Unread` for collections."""
        if not all(isinstance(thing, Value) for _, thing in things):
            raise Unread
        key = self.key_of(found)
        if key not in self.picked:
            self.picked.add(key)
            self.facts += [
                equal(found.absent, negated(disj(*(there for there, _ in things)))),
                disj(found.absent, *(conj(there, same(Value(found.parts), thing)) for there, thing in things)),
            ]
        return found

    def value(self, key: Any, type_: Type, of: Iterable[Value] = ()) -> Value:
        """An unknown value of a type, which depends on that `of` others. Raises `Unread` if values of this type have no terms."""
        terms: list[Any] = []
        for one in of:
            # Where it is absent, its terms mean nothing.
            terms += [chosen(one.absent, False if is_truth(part) else 0, part) for part in one.parts]
            terms += [one.absent] if one.absent is not False else []
        place = ("value", key, *map(self.name_of, terms))
        if place not in self.symbols:
            self.symbols[place] = self._value(key, type_, terms)
        found: Value = self.symbols[place]
        return found

    def _value(self, key: Any, type_: Type, of: Sequence[Any]) -> Value:
        absent = self.symbol((key, "absent"), "bool", of=of) if type_.optional else False
        match type_.kind:
            case "bool":
                return Value((self.symbol(key, "bool", of=of),), absent)
            case "int":
                far = MAX_NUMBER
                low, high = (None if abs(end) >= far else end for end in (type_.low, type_.high))
                return Value((self.symbol(key, "int", low, high, of),), absent)
            case "player":
                return Value((self.symbol(key, "int", 0, self.players - 1, of),), absent)
            case "goal":
                return Value((self.symbol(key, "int", 0, self.goals - 1, of),), absent)
            case "face" | "member":
                values = self.values_of(type_)
                found = self.symbol(key, "int", min(values), max(values), of)
                if max(values) - min(values) >= len(values):
                    self.facts.append(z3.Or([found == v for v in values]))
                return Value((found,), absent)
            case "key" if {option.kind for option in type_.options} <= {"int", "member"}:
                found = self.symbol(key, "int", of=of)
                values = [v for option in type_.options for v in self.values_of(option)]
                self.facts.append(z3.Or([found == v for v in values]))
                return Value((found,), absent)
            case "cell" if type_.grid is not None:
                return Value(self._cell(key, type_.grid, of), absent)
            case "direction":
                return Value(tuple(self.symbol((key, a), "int", type_.low, type_.high, of) for a in (0, 1)), absent)
        raise Unread

    def _cell(self, key: Any, grid: Grid, of: Sequence[Any]) -> tuple[Any, ...]:
        if grid.floating:
            return tuple(self.symbol((key, axis), "int", -FAR, FAR, of) for axis in (0, 1))
        x, y = (self.symbol((key, a), "int", 0, size - 1, of) for a, size in enumerate((grid.width, grid.height)))
        if grid.mask:
            self.facts.append(inside(grid, x, y))
        return x, y

    def values_of(self, type_: Type | None) -> list[int]:
        """The codes of all things of a type. Raises `Unread` if they are too many, or cannot be listed."""
        match type_:
            case Type(kind="face"):
                found = list(range(len(self.ruleset.components[type_.component].codes)))
            case Type(kind="int") if type_.high - type_.low < MOST_VALUES:
                found = list(range(type_.low, type_.high + 1))
            case Type(kind="member"):
                table = self.ruleset.components[type_.component].attributes[type_.attribute].table
                found = list(dict.fromkeys(self.code(value) for value in table))
            case Type(kind="player"):
                found = list(range(self.players))
            case _:
                raise Unread
        if not 0 < len(found) <= MOST_VALUES:
            raise Unread
        return found

    def material(self) -> list[Any]:
        """There are no more things of a kind than the game has, and no fewer where all that is in play is listed: what is known of
        zones that were asked since the last time.
        """
        found = []
        for place, counts in self.held.items():
            component, face = place
            if component in self.things and self.told.get(place) != len(counts):
                self.told[place] = len(counts)
                most, there = self.things[component].get(face, 0), total(counts.values())
                found.append(there == most if component in self.listed else there <= most)
        return found


def inside(grid: Grid, x: Any, y: Any) -> Any:
    """Whether a column and a row are those of a cell."""
    if grid.floating:
        return True
    if is_plain(x) and is_plain(y):
        return grid.has((x, y))
    box = conj(_between(x, grid.width), _between(y, grid.height))
    holes = [(a, b) for b in range(grid.height) for a in range(grid.width) if not grid.has((a, b))]
    return conj(box, *(negated(conj(equal(x, a), equal(y, b))) for a, b in holes))


def _between(x: Any, size: int) -> Any:
    return 0 <= x < size if is_plain(x) else z3.And(x >= 0, x < size)
