"""An arbitrary position of a game: zones, variables and tokens, as terms."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.piles import (
    Named,
    Pile,
    Squares,
    at_most_one_thing,
    no_things,
    one_named,
    one_of,
    same_piles,
)
from pwtool.comparing.induction.terms import Open, Unread, Value, World, conj, either, same
from pwtool.comparing.items import expressions
from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, read_by, read_by_effect, read_by_rules, written_by_effect
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, TokenModel, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import PLAYER, Type, cell
from pwtool.ir.walk import walk
from pwtool.play.state import zone_count

PILES = ("list", "pile", "bag")


def read_by_doing(model: ActionModel) -> frozenset[Place]:
    """Everything that decides what an action or a consequence does: not the values of variables that it sets first."""
    found, fresh = set(read_by_rules(replace(model, rules=()))), set[Place]()
    for effect in model.effects:
        written = written_by_effect(effect, model)
        found |= read_by_effect(effect) - fresh
        if effect.kind == "set" and effect.when is None and effect.seat is None:
            fresh |= written
        else:
            found |= written - fresh
    return frozenset(found)


class Places:
    """The names of the places of a position in one ruleset, and which of them its expressions read."""

    def __init__(self, names: Normalizer) -> None:
        self.names = names
        self.known: dict[Place, str] = {
            (kind, model.number): model.name
            for kind in ("variable", "zone", "token")
            for model in getattr(names.ruleset, f"{kind}s").values()
        }
        self._read: dict[int, frozenset[Place] | None] = {}

    def read(self, expr: Expr) -> frozenset[Place] | None:
        """What decides the value of an expression without locals; None if that is more than places with names."""
        if id(expr) not in self._read:
            found = read_by(expr)
            more = any(kind in ("action", "history") for kind, _ in found) or any(
                isinstance(part, ir.Total) for part in walk(expr)
            )
            self._read[id(expr)] = None if more else found
        return self._read[id(expr)]

    def decisive(self, expr: Expr) -> frozenset[Place] | None:
        """What decides the value of an expression, also through the actions that it asks about; None if that may be anything."""
        found, left, asked = set[Place](), set(read_by(expr)), [expr]
        while left:
            place = left.pop()
            if place in found:
                continue
            found.add(place)
            if place[0] == "action":
                model = self.names.ruleset.actions[str(place[1])]
                asked += expressions(model)
                left |= read_by_rules(model) | {("zone", p.zone) for p in model.parameters if p.kind == "cell"}
                left |= read_by_doing(model)
        anything = any(isinstance(part, ir.After) for x in asked for part in walk(x))
        return None if anything else frozenset(found)


class Position:
    """What lies in each zone (by name, in the order of its indices), what each variable holds, and where each token is."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.zones: dict[str, list[Any]] = {}
        self.variables: dict[str, Any] = {}
        self.tokens: dict[str, tuple[Value, Value]] = {}
        self.moment = 0
        self.alike: Container[str] | None = None
        """The actions that are possible here in both games or in none; None: no more than anywhere."""

    def copy(self) -> Position:
        """One that can be changed."""
        other = Position(self.world)
        other.zones = {name: list(held) for name, held in self.zones.items()}
        other.variables = {n: list(v) if isinstance(v, list) else v for n, v in self.variables.items()}
        other.tokens, other.moment, other.alike = dict(self.tokens), self.moment, self.alike
        return other

    @property
    def key(self) -> Any:
        """What identifies all of it."""
        parts = [self.world.key_of(held) for zones in self.zones.values() for held in zones]
        parts += [(name, self.world.key_of(held)) for name, held in sorted(self.variables.items())]
        parts += [self.world.key_of(part) for token in self.tokens.values() for part in token]
        return self.moment, *parts

    def key_of(self, names: dict[Place, str], places: Iterable[Place]) -> Any:
        """What identifies some places, which have names."""
        found: list[Any] = []
        for place in places:
            kind, name = place[0], names.get(place, "")
            if kind == "variable":
                found.append((name, self.world.key_of(self.variables[name])))
            elif kind == "zone":
                found.append((name, *map(self.world.key_of, self.zones[name])))
            elif kind == "token":
                found.append((name, *map(self.world.key_of, self.tokens[name])))
        return tuple(sorted(found, key=repr))

    # ---- arbitrary values

    def any_zones(
        self, zones: Iterable[ZoneModel], key: Any, counted: bool = False, single: Container[str] = ()
    ) -> None:
        """Anything may lie in these zones; `counted`: what lies there is among the things that the game has; `single`: the grids of
        which no cell has more than one.
        """
        for zone in zones:
            held = self.zones[zone.name] = []
            for at in range(zone_count(zone, self.world.players, self.world.goals)):
                held.append(any_zone(self.world, zone, (key, zone.name, at), counted, zone.name in single))

    def any_variable(self, variable: VariableModel, key: Any) -> None:
        """A variable may have any value."""
        if variable.each:
            seats = range(self.world.players)
            self.variables[variable.name] = [any_value(self.world, variable, (key, seat)) for seat in seats]
        else:
            self.variables[variable.name] = any_value(self.world, variable, key)

    def any_token(self, token: TokenModel, zone: ZoneModel, key: Any) -> None:
        """A token may be anywhere on its zone, or nowhere."""
        absent = self.world.symbol((key, "nowhere"), "bool")
        index = self.world.value((key, "index"), PLAYER)
        if zone_count(zone, self.world.players, self.world.goals) == 1:
            index = Value((0,))
        on = self.world.value((key, "cell"), cell(zone.grid))
        self.tokens[token.name] = (Value(index.parts, absent), Value(on.parts, absent))


def any_zone(world: World, zone: ZoneModel, key: Any, counted: bool = False, single: bool = False) -> Any:
    """A zone in which anything may lie; no more than one thing on each cell of a `single` grid."""
    if zone.kind == "grid" and zone.floating:
        return Named(world, key)
    values = world.values_of(zone.element)
    component = zone.element.component if counted and zone.element.kind == "face" else ""
    if zone.kind == "grid":
        make = at_most_one_thing if single else Pile
        return Squares(
            zone.grid, {at: make(world, (key, at), values, component=component) for at in cells_of(zone.grid)}
        )
    return (at_most_one_thing if zone.kind == "slot" else Pile)(world, key, values, component=component)


def any_pile(world: World, key: Any, element: Type | None) -> Any:
    """Any collection."""
    try:
        return Pile(world, key, world.values_of(element))
    except Unread:
        return Named(world, key)


def no_pile(world: World, element: Type | None) -> Any:
    """An empty collection."""
    try:
        return no_things(world, world.values_of(element))
    except Unread:
        return Named(world, "nothing", False)


def any_value(world: World, variable: VariableModel, key: Any) -> Any:
    """Any value of a variable, or of one player's."""
    if variable.type.kind in PILES:
        return any_pile(world, key, variable.type.element)
    return world.value(key, variable.type)


def empty_zone(world: World, zone: ZoneModel) -> Any:
    """A zone in which nothing lies."""
    if zone.kind == "grid" and zone.floating:
        return Named(world, "nothing", False)
    values = world.values_of(zone.element)
    if zone.kind == "grid":
        return Squares(zone.grid, {at: no_things(world, values) for at in cells_of(zone.grid)})
    return no_things(world, values)


def piles_of(held: Any) -> list[Any]:
    """The piles of a zone; None for what cannot be listed."""
    return list(held.piles.values()) if isinstance(held, Squares) else [held if isinstance(held, Pile) else None]


# ---- two positions ----------------------------------------------------------------------------------------------------


def merged(condition: Any, a: Any, b: Any) -> Any:
    """One of two things of the same kind."""
    if condition is True:
        return a
    if condition is False:
        return b
    if isinstance(a, Value):
        return either(condition, a, b)
    if isinstance(a, Pile):
        return one_of(condition, a, b)
    if isinstance(a, list):
        return [merged(condition, x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, Squares):
        return Squares(a.grid, {at: one_of(condition, a.piles[at], pile) for at, pile in b.piles.items()})
    return one_named(condition, a, b)


def alike(a: Any, b: Any, ordered: bool = True) -> Any:
    """A condition under which two things of the same kind are equal."""
    if isinstance(a, Value):
        return same(a, b)
    if isinstance(a, Pile):
        return same_piles(a, b, ordered)
    if isinstance(a, list):
        return conj(*(alike(x, y, ordered) for x, y in zip(a, b, strict=True)))
    if isinstance(a, Squares):
        return conj(*(same_piles(pile, b.piles[at], True) for at, pile in a.piles.items()))
    return bool(a.key == b.key)


def unlike(a: Position, b: Position, bags: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """For each zone and token of which two positions do not have the same, a condition under which it is equal."""
    for name, held in a.zones.items():
        if name not in b.zones:
            raise Open
        wanted = conj(*(alike(x, y, name not in bags) for x, y in zip(held, b.zones[name], strict=True)))
        if wanted is not True:
            yield name, wanted
    for name, token in a.tokens.items():
        wanted = conj(*(same(x, y) for x, y in zip(token, b.tokens[name], strict=True)))
        if wanted is not True:
            yield name, wanted
