"""Guesses about positions: what may always hold at a place in play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import product
from typing import Any

from msgspec import Struct

from pwtool.comparing.induction.piles import Pile, Squares
from pwtool.comparing.induction.position import Places, alike
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import Open, Value, conj, disj, equal, implied, negated
from pwtool.comparing.items import expressions
from pwtool.ir import nodes as ir
from pwtool.ir.grids import BESIDE
from pwtool.ir.model import Ruleset, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, walk

Readers = Sequence[Reader]


class Guess(Struct, frozen=True):
    """Something that may hold. `kind`: `same` (both games have the same value of a variable), `holds`, `fails`, `present`, `absent`,
    `condition`, one that the rules have, or its `negation`, and those of `_BY_KIND`; of the game `side`.
    """

    kind: str
    name: str = ""
    side: int = 0
    number: int = 0
    condition: Expr | None = None
    slot: int | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.name, self.side, self.number, id(self.condition)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guess) and (
            (self.kind, self.name, self.side, self.number) == (other.kind, other.name, other.side, other.number)
            and self.condition is other.condition
        )

    @property
    def key(self) -> Guess:
        """What distinguishes it from other guesses, whatever is known about its numbers."""
        return self

    @property
    def asks_owner(self) -> bool:
        """Whether it may depend on whose turn it is."""
        return self.condition is not None

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
        kind = "variable" if self.kind not in _BY_KIND or self.kind == "still" else "zone"
        first, *more = self.name.split(" ")
        return frozenset([(self.side, kind, first), *((self.side, "variable", flag) for flag in more)])

    def term(self, readers: Readers) -> Any:
        """It, in the positions of both readers. Raises `Open` or `Unread` if that has no terms."""
        if self.kind == "same":
            return alike(*(reader.position.variables[self.name] for reader in readers))
        reader = readers[self.side]
        if self.condition is not None:
            e = {} if self.slot is None else {self.slot: Value((self.number,))}
            holds = reader.condition(self.condition, e)
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
        raise Open

    def wider(self, readers: Readers, model: Any) -> None:
        """Nothing is left of it when play breaks it."""


def guesses(a: Ruleset, b: Ruleset, related: Set[str]) -> list[Guess]:
    """What may hold at a place in two games that are played alike; of the `related` variables also what they have to do with others."""
    found = [Guess("same", v) for v in a.variables if v in b.variables]
    for side, ruleset in enumerate((a, b)):
        for v in ruleset.variables.values():
            found += _of_variable(v, side)
        found += _of_conditions(ruleset, side)
    flags = [v.name for v in a.variables.values() if v.type.kind == "bool" or v.type.optional]
    for zone in a.zones.values():
        if zone.kind == "grid":
            found += [Guess("single", zone.name), *(Guess("filled", zone.name, 0, at) for at in range(len(BESIDE)))]
        elif all(name != "goal" for name, _ in zone.dimensions):
            count = 1
            for name, size in zone.dimensions:
                count *= a.max_players if name == "player" else size
            found += [Guess(kind, zone.name, 0, at) for at in range(min(count, 8)) for kind in ("empty", "used")]
            found += [Guess("unless", f"{zone.name} {flag}") for flag in flags]
    for side, ruleset in enumerate((a, b)):
        for v, flag in product(ruleset.variables.values(), flags):
            begins = v.initial.value if isinstance(v.initial, ir.Const) else None
            if related & {v.name, flag} and v.type.kind == "int" and type(begins) is int:
                found.append(Guess("still", f"{v.name} {flag}", side, begins))
    return found


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


def _holds_something(guess: Guess, reader: Reader) -> tuple[str, Any]:
    """The first of two names, and whether the variable of the second one holds something."""
    first, name = guess.name.split(" ")
    held = reader.position.variables[name]
    if not isinstance(held, Value):
        raise Open
    return first, held.holds if reader.ruleset.variables[name].type.kind == "bool" else negated(held.absent)


def _unless(guess: Guess, reader: Reader) -> Any:
    """Nothing lies in a zone unless a variable holds something."""
    zone, something = _holds_something(guess, reader)
    return disj(something, conj(*(negated(pile.some) for pile in reader.position.zones[zone])))


def _still(guess: Guess, reader: Reader) -> Any:
    """A number has its first value unless a variable holds something."""
    number, something = _holds_something(guess, reader)
    held = reader.position.variables[number]
    values = held if isinstance(held, list) else [held]
    return disj(something, conj(*(equal(x.parts[0], guess.number) for x in values)))


_BY_KIND: dict[str, Callable[[Guess, Reader], Any]] = {
    "empty": lambda guess, reader: negated(_pile(guess, reader).some),
    "used": lambda guess, reader: _pile(guess, reader).some,
    "single": lambda guess, reader: conj(
        *(_is_single(pile) for grid in _squares(guess, reader) for pile in grid.piles.values())
    ),
    "filled": _filled,
    "unless": _unless,
    "still": _still,
}


def _is_single(pile: Pile) -> Any:
    return pile.size <= 1


def _of_variable(v: VariableModel, side: int) -> Iterator[Guess]:
    match v.type.kind:
        case "bool":
            yield Guess("holds", v.name, side)
            yield Guess("fails", v.name, side)
        case _ if v.type.optional:
            yield Guess("present", v.name, side)
            yield Guess("absent", v.name, side)


def _of_conditions(ruleset: Ruleset, side: int) -> Iterator[Guess]:
    """The conditions of the rules that ask about the position alone."""
    asked: dict[Expr, None] = {}
    for expr in expressions(ruleset):
        for part in walk(expr):
            if isinstance(part, ir.Quantified) and _is_of_players(part):
                for seat in range(ruleset.max_players):
                    yield Guess("condition", "", side, seat, part.body, part.slot)
                    yield Guess("negation", "", side, seat, part.body, part.slot)
            if part.type.kind == "bool" and not isinstance(part, ir.Const) and not free_locals(part):
                asked.setdefault(part)
    for condition in asked:
        yield Guess("condition", "", side, 0, condition)
        yield Guess("negation", "", side, 0, condition)


def _is_of_players(part: ir.Quantified) -> bool:
    """Whether something is asked of every player, and of nothing else."""
    return isinstance(part.domain, ir.Players) and free_locals(part.body) <= {part.slot}
