"""Collections of an arbitrary position: things with how often each is there, piles, grids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from pwtool.comparing.induction.terms import (
    NOTHING,
    Unread,
    Value,
    World,
    above,
    chosen,
    conj,
    disj,
    either,
    equal,
    implied,
    is_plain,
    is_truth,
    negated,
    same,
    times,
    total,
)
from pwtool.ir.grids import Grid
from pwtool.ir.model import AttributeModel
from pwtool.ir.types import Type

FEW_VALUES = 8
"""Of a pile of at most one thing that may be one of so many, all numbers are known at once."""


class Items(Struct, frozen=True):
    """Things with how often each is there (a number or a truth value). `ordered`: in the order in which they are listed."""

    entries: tuple[tuple[Any, Any], ...]
    ordered: bool = True

    def there(self) -> Iterator[tuple[Any, Any]]:
        """Whether each is there at all."""
        for many, thing in self.entries:
            yield (many if is_truth(many) else some_of(many)), thing

    def counted(self) -> Iterator[tuple[Any, Any]]:
        """How often each is there, as a number."""
        for many, thing in self.entries:
            yield (as_number(many), thing)

    @property
    def size(self) -> Any:
        """The number of things."""
        return total(many for many, _ in self.counted())

    def key_in(self, world: World) -> Any:
        """What identifies it."""
        return world.number(("items", *((world.name_of(m), world.key_of(v)) for m, v in self.entries)))


def as_number(many: Any) -> Any:
    """A truth value as 1 or 0."""
    return chosen(many, 1, 0) if is_truth(many) else many


class Pile:
    """Things that lie in a zone or are held by a variable. `made` says how it came about: what its equality is read from. Those
    of a `component` are among the things that the game has. Of one that has at most one thing, `thing` is which, or the
    number that stands for `nothing`.
    """

    def __init__(
        self,
        world: World,
        key: Any,
        values: Sequence[int],
        made: tuple[Any, ...] = (),
        count: Callable[[int], Any] | None = None,
        top: Callable[[], Value] | None = None,
        component: str = "",
        thing: Any = None,
    ) -> None:
        self.world, self.key, self.values, self.made = world, world.number(key), values, made
        self.component, self.thing = component, thing
        self._count, self._top = count or self._any_count, top or self._any_top
        self._counts: dict[int, Any] = {}
        self._known_top: Value | None = None
        self._size: Any = None

    def key_in(self, world: World) -> Any:
        """What identifies it."""
        return self.key

    def count(self, value: int) -> Any:
        """How many of a thing it has."""
        if value not in self._counts:
            self._counts[value] = self._count(value)
        return self._counts[value]

    @property
    def size(self) -> Any:
        """The number of things."""
        if self._size is None and self.thing is not None:
            self._size = self._numbered("size", self.some)
        elif self._size is None:
            self._size = total(self.count(v) for v in self.values)
        return self._size

    @property
    def some(self) -> Any:
        """Whether there is anything."""
        return some_of(self.size) if self.thing is None else negated(equal(self.thing, nothing(self.values)))

    @property
    def top(self) -> Value:
        """What lies on top."""
        if self._known_top is None:
            self._known_top = self._top()
        return self._known_top

    @property
    def items(self) -> Items:
        """Its things, whatever their order."""
        return Items(tuple((self.count(v), Value((v,))) for v in self.values), ordered=False)

    def _any_count(self, value: int) -> Any:
        if self.thing is None:
            found = self.world.symbol((self.key, value), "int", 0)
        else:
            found = self._numbered(value, equal(self.thing, value))
        if self.component:
            self.world.held.setdefault((self.component, value), {})[self.key] = found
        return found

    def _numbered(self, what: Any, condition: Any) -> Any:
        """A condition as 1 or 0: of an arbitrary pile a number of its own."""
        if self.made or isinstance(self.thing, int):
            return as_number(condition)
        found = self.world.symbol((self.key, what), "int", 0, 1)
        self.world.facts.append(equal(equal(found, 1), condition))
        return found

    def _any_top(self) -> Value:
        if self.thing is not None:
            return NOTHING if self.some is False else Value((self.thing,), negated(self.some))
        top = self.world.symbol((self.key, "top"), "int", min(self.values), max(self.values))
        some = self.some
        self.world.facts += [implied(conj(some, equal(top, v)), above(self.count(v), 0)) for v in self.values]
        if max(self.values) - min(self.values) >= len(self.values):
            self.world.facts.append(disj(*(equal(top, v) for v in self.values)))
        return Value((top,), negated(some))


def nothing(values: Sequence[int]) -> int:
    """The number that stands for no thing, where any of these may be."""
    return min(values, default=0) - 1


def at_most_one_thing(world: World, key: Any, values: Sequence[int], component: str = "") -> Pile:
    """Any pile that has no more than one thing."""
    none = nothing(values)
    thing = world.symbol((world.number(key), "thing"), "int", none, max(values))
    if max(values) - none > len(values):
        world.facts.append(disj(*(equal(thing, v) for v in (none, *values))))
    found = Pile(world, key, values, component=component, thing=thing)
    if len(values) <= FEW_VALUES:
        # Sums over many piles are easier for the solver if it knows how the numbers of one are related.
        world.facts.append(total(found.count(v) for v in values) == found.size)
    return found


def no_things(world: World, values: Sequence[int]) -> Pile:
    """A pile without things."""
    return Pile(world, "empty", values, thing=nothing(values))


def with_one(pile: Pile, thing: Value) -> Pile:
    """A pile with one more thing on top."""
    key = ("with", pile.key, pile.world.key_of(thing))
    if pile.thing is not None and pile.some is False:
        return Pile(pile.world, key, pile.values, ("with", pile, thing), top=lambda: thing, thing=thing.parts[0])
    return Pile(
        pile.world, key, pile.values, ("with", pile, thing),
        lambda v: total([pile.count(v), as_number(equal(thing.parts[0], v))]),
        lambda: thing,
    )  # fmt: skip


def without_top(pile: Pile) -> Pile:
    """A pile, which is not empty, without its top."""
    if pile.made and pile.made[0] == "with":
        below: Pile = pile.made[1]
        return below
    if pile.thing is not None:
        return no_things(pile.world, pile.values)
    key = ("without top", pile.key)
    return Pile(
        pile.world, key, pile.values, ("without top", pile),
        lambda v: total([pile.count(v), times(-1, as_number(equal(pile.top.parts[0], v)))]),
    )  # fmt: skip


def changed(pile: Pile, how: Any, by: Items, sign: int) -> Pile:
    """A pile to which things are added, or from which they are taken, `how` naming what is done with which things."""
    return Pile(
        pile.world, (how, sign, pile.key, pile.world.key_of(by)), pile.values, (),
        lambda v: total([pile.count(v), times(sign, _count_in(by, v))]),
    )  # fmt: skip


def _count_in(items: Items, value: int) -> Any:
    return total(chosen(equal(x.parts[0], value), many, 0) for many, x in items.counted())


def one_of(condition: Any, a: Pile, b: Pile) -> Pile:
    """One of two piles."""
    if isinstance(condition, bool):
        return a if condition else b
    if a.key == b.key:
        return a
    world = a.world
    key = ("one of", world.name_of(condition), a.key, b.key)
    if a.thing is not None and b.thing is not None and a.values == b.values:
        thing = chosen(condition, a.thing, b.thing)
        return Pile(world, key, a.values, ("one of", condition, a, b), thing=thing)
    return Pile(
        world, key, a.values, ("one of", condition, a, b),
        lambda v: chosen(condition, a.count(v), b.count(v)), lambda: either(condition, a.top, b.top),
    )  # fmt: skip


def same_piles(a: Pile, b: Pile, ordered: bool) -> Any:
    """A condition under which two piles are equal: with the same things, in the same order if that matters."""
    if a.key == b.key:
        return True
    if a.thing is not None and b.thing is not None and a.values == b.values:
        return equal(a.thing, b.thing)
    alike = conj(*(equal(a.count(v), b.count(v)) for v in a.values))
    return alike if not ordered or len(a.values) == 1 else disj(_in_order(a, b), conj(alike, at_most_one(a.size)))


def _in_order(a: Pile, b: Pile) -> Any:
    if a.key == b.key:
        return True
    for one, other in ((a, b), (b, a)):
        if one.made and one.made[0] == "one of":
            _, condition, x, y = one.made
            return conj(implied(condition, _in_order(x, other)), disj(condition, _in_order(y, other)))
    if not a.made or not b.made or a.made[0] != b.made[0]:
        return False
    below = _in_order(a.made[1], b.made[1])
    return below if a.made[0] == "without top" else conj(below, same(a.made[2], b.made[2]))


class Squares(Struct, frozen=True):
    """A grid: the pile on each cell."""

    grid: Grid
    piles: dict[tuple[int, int], Pile]

    def at(self, cell: Value, world: World, values: Sequence[int]) -> Pile:
        """The pile on a cell; empty where there is no cell."""
        found = no_things(world, values)
        if cell.absent is True:
            return found
        x, y = cell.parts
        if is_plain(x) and is_plain(y):
            there = self.piles.get((x, y), found)
            return one_of(cell.absent, found, there)
        key = ("on", (*self.piles,), self.key_in(world), (*values,), world.key_of(cell))
        if key not in world.read:
            world.work.spend(len(self.piles))
            for (a, b), pile in self.piles.items():
                found = one_of(conj(negated(cell.absent), equal(x, a), equal(y, b)), pile, found)
            world.read[key] = found
        known: Pile = world.read[key]
        return known

    def key_in(self, world: World) -> Any:
        """What identifies it."""
        return world.number(("squares", *(pile.key for pile in self.piles.values())))

    @property
    def in_use(self) -> Items:
        """The piles that are not empty."""
        return Items(tuple((pile.some, pile) for pile in self.piles.values()), ordered=False)


class Named:
    """A floating grid, or a collection without terms: nothing is known of it but what it is called, and whether there is anything."""

    def __init__(self, world: World, key: Any, some: Any = None) -> None:
        self.world, self.key = world, world.number(key)
        self.some = world.symbol((self.key, "some"), "bool") if some is None else some

    def key_in(self, world: World) -> Any:
        """What identifies it."""
        return self.key

    def at(self, cell: Value, values: Sequence[int]) -> Pile:
        """The pile on a cell."""
        return Pile(self.world, ("on", self.key, self.world.key_of(cell)), values)


def one_named(condition: Any, a: Named, b: Named) -> Named:
    """One of two that are only named."""
    if a.key == b.key:
        return a
    key = ("one of", a.world.name_of(condition), a.key, b.key)
    return Named(a.world, key, chosen(condition, a.some, b.some))


def picked(at: Any, held: list[Any]) -> Any:
    """The element of a list that a term says."""
    found = held[-1]
    for number_, other in enumerate(held[:-1]):
        here = equal(at, number_)
        if isinstance(found, Pile) and isinstance(other, Pile):
            found = one_of(here, other, found)
        elif isinstance(found, Value) and isinstance(other, Value):
            found = either(here, other, found)
        elif isinstance(found, Squares) and isinstance(other, Squares):
            found = Squares(found.grid, {c: one_of(here, other.piles[c], p) for c, p in found.piles.items()})
        elif isinstance(found, Named) and isinstance(other, Named):
            found = one_named(here, other, found)
        else:
            raise Unread
    return found


def in_use(held: Any) -> Items:
    """The piles of a grid, or of several zones, that are not empty."""
    if isinstance(held, Squares):
        return held.in_use
    if isinstance(held, Items) and all(isinstance(pile, Pile) for _, pile in held.entries):
        return Items(tuple((conj(there, pile.some), pile) for there, pile in held.there()), held.ordered)
    raise Unread


def worth(many: Any, value: Value) -> Any:
    """What so many things of a value are worth."""
    return chosen(many, value.parts[0], 0) if is_truth(many) else times(many, value.parts[0])


def some_of(many: Any) -> Any:
    """Whether a thing is there at all."""
    return above(many, 0)


def at_most_one(many: Any) -> Any:
    """Whether a thing is there no more than once."""
    return negated(above(many, 1))


def not_below_0(many: Any) -> Any:
    """A number, or 0 if it is less."""
    return max(many, 0) if isinstance(many, int) else chosen(many >= 0, many, 0)


def constant(world: World, value: Any, type_: Type) -> Any:
    """A value that is written in the rules. Raises `Unread` if it has no terms."""
    if value is None:
        return NOTHING
    if isinstance(value, list | tuple) and type_.is_collection:
        if type_.element is None:
            raise Unread
        element = type_.element
        return Items(tuple((True, constant(world, x, element)) for x in value))
    if isinstance(value, tuple):
        return Value(tuple(value))
    return Value((value if isinstance(value, int) else world.code(value),))


def attribute_of(world: World, component: str, name: str, model: AttributeModel, face: Value) -> Value:
    """The attribute of a thing; what is the same in both games is read once."""
    if face.absent is True:
        return Value(constant(world, model.table[0], model.type).parts, True)
    key, code = ("attribute", component, name, world.key_of(face)), face.parts[0]
    if key not in world.read:
        values = [constant(world, v, model.type) for v in model.table]
        found = values[code] if isinstance(code, int) else values[-1]
        for alike in dict.fromkeys(values[:-1]) if not isinstance(code, int) else ():
            found = either(disj(*(equal(code, f) for f, v in enumerate(values) if v == alike)), alike, found)
        world.read[key] = Value(found.parts, disj(face.absent, found.absent))
    read: Value = world.read[key]
    return read
