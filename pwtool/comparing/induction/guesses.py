"""Guesses about positions: what may always hold at a place in play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain, combinations, islice, product
from typing import Any

from msgspec import Struct

from pwtool.comparing.induction.piles import Pile, Squares
from pwtool.comparing.induction.position import Places, alike
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import Open, Value, conj, disj, equal, implied, negated
from pwtool.comparing.items import expressions
from pwtool.ir import nodes as ir
from pwtool.ir.grids import BESIDE
from pwtool.ir.model import Ruleset, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, walk

Readers = Sequence[Reader]
MOST_DEPENDENCES = 600
"""So many dependences of conditions are asked about."""
MOST_BLANK = 36
"""Of each cell of a grid with no more cells than this it is asked whether anything ever comes there, and whether only when
something lies on all cells beside it.
"""


class Guess(Struct, frozen=True):
    """Something that may hold. `kind`: `same` (both games have the same value of a variable), `holds`, `fails`, `present`, `absent`,
    `first` (a number has its first value) or `later`, `condition`, one that the rules have, or its `negation`, for
    the owner of the turn or for the player `actor`, and those of `_BY_KIND`; of the game `side`.
    """

    kind: str
    name: str = ""
    side: int = 0
    number: int = 0
    condition: Expr | None = None
    slot: int | None = None
    actor: int | None = None

    @property
    def _told(self) -> tuple[Any, ...]:
        return self.kind, self.name, self.side, self.number, self.actor, id(self.condition)

    def __hash__(self) -> int:
        return hash(self._told)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guess) and self._told == other._told

    @property
    def key(self) -> Guess:
        """What distinguishes it from other guesses, whatever is known about its numbers."""
        return self

    @property
    def asks_owner(self) -> bool:
        """Whether it may depend on whose turn it is."""
        return self.condition is not None and self.actor is None

    def allows(self, known: object) -> bool:
        """Whether it follows from what is known of the same."""
        return known == self

    def reads(self, places: Sequence[Places]) -> frozenset[tuple[int, str, str]] | None:
        """The games, kinds and names of what it is about; None if that cannot be listed."""
        if self.kind == "same":
            return frozenset((side, "variable", self.name) for side in (0, 1))
        if self.condition is not None:
            read = places[self.side].read(self.condition)
            named = places[self.side].known
            if read is None or not read <= named.keys():
                return None
            return frozenset((self.side, place[0], named[place]) for place in read)
        return frozenset([(self.side, "zone" if self.kind in _BY_KIND else "variable", self.name)])

    def term(self, readers: Readers) -> Any:
        """It, in the positions of both readers. Raises `Open` or `Unread` if that has no terms."""
        if self.kind == "same":
            return alike(*(reader.position.variables[self.name] for reader in readers))
        reader = readers[self.side]
        if self.condition is not None:
            e = {} if self.slot is None else {self.slot: Value((self.number,))}
            holds = (reader if self.actor is None else reader.of(self.actor)).condition(self.condition, e)
            return holds if self.kind == "condition" else negated(holds)
        if self.kind in _BY_KIND:
            return _BY_KIND[self.kind](self, reader)
        held = reader.position.variables[self.name]
        if isinstance(held, list):
            return conj(*(self._of(x) for x in held))
        return self._of(held)

    def _of(self, held: Any) -> Any:
        if not isinstance(held, Value):
            raise Open
        match self.kind:
            case "holds":
                return held.holds
            case "fails":
                return negated(held.holds)
            case "present":
                return negated(held.absent)
            case "absent":
                return held.absent
            case "first":
                return equal(held.parts[0], self.number)
            case "later":
                return negated(equal(held.parts[0], self.number))
        raise Open

    def wider(self, readers: Readers, model: Any) -> None:
        """Nothing is left of it when play breaks it."""


Literals = tuple[Guess, Guess]
"""A guess, and its contrary."""


class Either(Struct, frozen=True):
    """At least one of two guesses holds."""

    one: Guess
    other: Guess

    kind = "either"

    @property
    def key(self) -> Either:
        """What distinguishes it from other guesses."""
        return self

    @property
    def asks_owner(self) -> bool:
        """Whether it may depend on whose turn it is."""
        return self.one.asks_owner or self.other.asks_owner

    def allows(self, known: object) -> bool:
        """Whether it follows from what is known of the same."""
        return known == self

    def reads(self, places: Sequence[Places]) -> frozenset[tuple[int, str, str]] | None:
        """The games, kinds and names of what it is about; None if that cannot be listed."""
        first, second = self.one.reads(places), self.other.reads(places)
        return None if first is None or second is None else first | second

    def term(self, readers: Readers) -> Any:
        """It, in the positions of both readers. Raises `Open` or `Unread` if that has no terms."""
        return disj(self.one.term(readers), self.other.term(readers))

    def wider(self, readers: Readers, model: Any) -> None:
        """Nothing is left of it when play breaks it."""


def guesses(a: Ruleset, b: Ruleset, conditions: bool) -> list[Guess | Either]:
    """What may hold at a place in two games that are played alike; `conditions`: those of the rules, too."""
    found: list[Guess | Either] = [Guess("same", v) for v in a.variables if v in b.variables]
    for side, ruleset in enumerate((a, b)):
        for v in ruleset.variables.values():
            found += chain(*_of_variable(v, side))
        if conditions:
            found += _of_seats(ruleset, side)
            found += chain(*_of_conditions(ruleset, side))
    flags = [literals[0] for v in a.variables.values() for literals in _of_variable(v, 0) if not v.each]
    for zone in a.zones.values():
        if zone.kind == "grid":
            few = range(zone.grid.size if zone.grid.size <= MOST_BLANK else 0)
            found += [Guess(kind, zone.name, 0, at) for at in few for kind in ("blank", "enclosed")]
            found += [Guess("single", zone.name), *(Guess("filled", zone.name, 0, at) for at in range(len(BESIDE)))]
        elif all(name != "goal" for name, _ in zone.dimensions):
            count = 1
            for name, size in zone.dimensions:
                count *= a.max_players if name == "player" else size
            found += [Guess(kind, zone.name, 0, at) for at in range(min(count, 8)) for kind in ("empty", "used")]
            found += [Guess("owned", zone.name)] if zone.dimensions and zone.dimensions[0][0] == "player" else []
            found += [Either(flag, Guess("nothing", zone.name)) for flag in flags]
    return found


def dependences(a: Ruleset, b: Ruleset, parts: Sequence[Iterable[Expr]], related: Set[str]) -> list[Either]:
    """How the conditions in the `parts` that differ, and the `related` variables, may depend on others: one of two holds, or does
    not. The likeliest come first; no more than `MOST_DEPENDENCES` are returned.
    """
    changed: list[Literals] = []
    others: list[Literals] = []
    for side, ruleset in enumerate((a, b)):
        wanted = {part: None for expr in parts[side] for part in walk(expr)}
        known = {one.condition: None for one, _ in chain(changed, others)}
        for literals in _of_conditions(ruleset, side):
            if literals[0].condition not in known:
                (changed if literals[0].condition in wanted else others).append(literals)
        for v in ruleset.variables.values():
            if side and not related & {v.name}:
                continue
            of_variable = [*_of_variable(v, side), *_of_number(v, side)]
            if v.name in related:
                changed[:0] = of_variable
            else:
                others[:0] = of_variable
    zones: list[Literals] = [
        (Guess("nothing", z), Guess("something", z)) for z, zone in a.zones.items() if zone.kind != "grid"
    ]
    pairs = chain(combinations(changed, 2), product(changed, [*zones, *others]))
    equal_unless = product(chain(*changed, *others), sorted(related & a.variables.keys() & b.variables.keys()))
    return [
        *(Either(Guess("same", v), x) for x, v in islice(equal_unless, MOST_DEPENDENCES // 4) if x.name != v),
        *(Either(x, y) for one, other in islice(pairs, MOST_DEPENDENCES // 4) for x, y in product(one, other)),
    ]


def of_everybody(a: Ruleset, b: Ruleset, parts: Sequence[Iterable[Expr]]) -> Iterator[Guess]:
    """The conditions about a player who acts that decide whether the game or a turn goes on, or that are in the `parts` that
    differ: of every player.
    """
    for side, ruleset in enumerate((a, b)):
        asked = {
            x: None for expr in (*parts[side], *expressions((ruleset.endings, ruleset.turn_rules))) for x in walk(expr)
        }
        for part in asked:
            if part.type.kind == "bool" and not free_locals(part) and any(isinstance(x, ir.Actor) for x in walk(part)):
                for seat, kind in product(range(ruleset.max_players), ("condition", "negation")):
                    yield Guess(kind, "", side, 0, part, None, seat)


def _pile(guess: Guess, reader: Reader) -> Pile:
    held = reader.position.zones[guess.name]
    pile = held[guess.number] if guess.number < len(held) else None
    if not isinstance(pile, Pile):
        raise Open
    return pile


def _squares(guess: Guess, reader: Reader) -> list[Squares]:
    held = [grid for grid in reader.position.zones[guess.name] if isinstance(grid, Squares)]
    if not held:
        raise Open
    return held


def _filled(guess: Guess, reader: Reader) -> Any:
    """What lies on a cell of a grid has something beside it in a direction."""
    right, down = BESIDE[guess.number]
    pairs = [
        (pile, grid.piles[x + right, y + down])
        for grid in _squares(guess, reader)
        for (x, y), pile in grid.piles.items()
        if (x + right, y + down) in grid.piles
    ]
    return conj(*(implied(pile.some, beside.some) for pile, beside in pairs))


def _enclosed(guess: Guess, reader: Reader) -> Any:
    """If something lies on a cell, something lies on all cells beside it."""
    found = []
    for grid in _squares(guess, reader):
        (x, y), pile = [*grid.piles.items()][guess.number]
        beside = (grid.piles.get((x + right, y + down)) for right, down in BESIDE)
        found.append(implied(pile.some, conj(*(other.some for other in beside if other is not None))))
    return conj(*found)


def _nothing(guess: Guess, reader: Reader) -> Any:
    """Nothing lies in a zone, that of any player."""
    piles = reader.position.zones[guess.name]
    if not all(isinstance(pile, Pile) for pile in piles):
        raise Open
    return conj(*(negated(pile.some) for pile in piles))


def _owned(guess: Guess, reader: Reader) -> Any:
    """Nothing lies in a player's zone that belongs to another player."""
    world, zone = reader.world, reader.ruleset.zones[guess.name]
    held = reader.position.zones[guess.name]
    owners = _owners(reader.ruleset, zone)
    if owners is None or len(held) != world.players or not all(isinstance(pile, Pile) for pile in held):
        raise Open
    return conj(
        *(
            equal(pile.count(v), 0)
            for seat, pile in enumerate(held)
            for v in pile.values
            if owners[v] not in (seat, None)
        )
    )


def _owners(ruleset: Ruleset, zone: ZoneModel) -> Sequence[int | None] | None:
    """Who owns each thing that may lie in a zone."""
    if zone.element.kind != "face":
        return None
    attributes = ruleset.components[zone.element.component].attributes.values()
    return next((x.table for x in attributes if x.type.kind == "player"), None)


_BY_KIND: dict[str, Callable[[Guess, Reader], Any]] = {
    "empty": lambda guess, reader: negated(_pile(guess, reader).some),
    "used": lambda guess, reader: _pile(guess, reader).some,
    "single": lambda guess, reader: conj(
        *(_is_single(pile) for grid in _squares(guess, reader) for pile in grid.piles.values())
    ),
    "blank": lambda guess, reader: negated(
        disj(*([*grid.piles.values()][guess.number].some for grid in _squares(guess, reader)))
    ),
    "filled": _filled,
    "enclosed": _enclosed,
    "owned": _owned,
    "nothing": _nothing,
    "something": lambda guess, reader: negated(_nothing(guess, reader)),
}


def _is_single(pile: Pile) -> Any:
    return pile.size <= 1


def _of_variable(v: VariableModel, side: int) -> Iterator[Literals]:
    match v.type.kind:
        case "bool":
            yield Guess("holds", v.name, side), Guess("fails", v.name, side)
        case _ if v.type.optional:
            yield Guess("present", v.name, side), Guess("absent", v.name, side)


def _of_number(v: VariableModel, side: int) -> Iterator[Literals]:
    begins = v.initial.value if isinstance(v.initial, ir.Const) else None
    if v.type.kind == "int" and not v.type.optional and type(begins) is int:
        yield Guess("later", v.name, side, begins), Guess("first", v.name, side, begins)


def _of_conditions(ruleset: Ruleset, side: int) -> Iterator[Literals]:
    """The conditions of the rules that ask about the position alone."""
    asked: dict[Expr, None] = {}
    for expr in expressions(ruleset):
        for part in walk(expr):
            if part.type.kind == "bool" and not isinstance(part, ir.Const) and not free_locals(part):
                asked.setdefault(part)
    for condition in asked:
        yield Guess("condition", "", side, 0, condition), Guess("negation", "", side, 0, condition)


def _of_seats(ruleset: Ruleset, side: int) -> Iterator[Guess]:
    """The conditions of the rules that are asked of every player, and ask about nothing else than the position."""
    for expr in expressions(ruleset):
        for part in walk(expr):
            if isinstance(part, ir.Quantified) and isinstance(part.domain, ir.Players):
                for seat in range(ruleset.max_players) if free_locals(part.body) <= {part.slot} else ():
                    yield Guess("condition", "", side, seat, part.body, part.slot)
                    yield Guess("negation", "", side, seat, part.body, part.slot)
