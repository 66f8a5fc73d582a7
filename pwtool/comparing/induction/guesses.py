"""Guesses about positions: what may always hold at a place in play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from pwtool.comparing.induction.piles import Pile, Squares
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import Open, Value, conj, disj, equal, implied, negated, total
from pwtool.comparing.items import expressions
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by
from pwtool.ir.grids import BESIDE
from pwtool.ir.model import Ruleset, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, walk

MOST_NUMBERS = 6
"""So many bounds of a variable are tried in each direction."""


class Guess(Struct, frozen=True):
    """Something that may hold. `kind`: `same` (both games have the same value of a variable), `least`, `most`, `holds`, `fails`,
    `present`, `absent`, `empty` (a zone), `condition`, one that the rules have, or its `negation`; of the game `side`.
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

    def term(self, reader: Reader) -> Any:
        """It, in the position of a reader. Raises `Open` or `Unread` if that has no terms."""
        if self.condition is not None:
            e = {} if self.slot is None else {self.slot: Value((self.number,))}
            holds = reader.condition(self.condition, e)
            return holds if self.kind == "condition" else negated(holds)
        if self.kind in _OF_ZONES:
            return _OF_ZONES[self.kind](self, reader)
        held = reader.position.variables[self.name]
        if isinstance(held, list):
            return conj(*(self._of(x) for x in held))
        return self._of(held)

    def _of(self, held: Any) -> Any:
        if isinstance(held, Pile):
            return {"least": lambda: held.size >= self.number, "most": lambda: held.size <= self.number}[self.kind]()
        if not isinstance(held, Value):
            raise Open
        match self.kind:
            case "least":
                return held.parts[0] >= self.number
            case "most":
                return held.parts[0] <= self.number
            case "holds":
                return held.holds
            case "fails":
                return negated(held.holds)
            case "present":
                return negated(held.absent)
            case "absent":
                return held.absent
        raise Open


def guesses(a: Ruleset, b: Ruleset) -> list[Guess]:
    """What may hold at a place in two games that are played alike."""
    found = [Guess("same", v) for v in a.variables if v in b.variables]
    numbers = {v: sorted({n for r in (a, b) for n in _numbers(r, v)}) for v in a.variables.keys() | b.variables.keys()}
    for side, ruleset in enumerate((a, b)):
        for v in ruleset.variables.values():
            found += _of_variable(v, side, numbers[v.name])
        found += _of_conditions(ruleset, side)
    numbered = [v.name for v in a.variables.values() if v.type.kind == "int" and not v.each]
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
            found += [Guess("counts", f"{zone.name} {number}") for number in numbered]
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


def _unless(guess: Guess, reader: Reader) -> Any:
    """Nothing lies in a zone unless a variable holds something."""
    zone, name = guess.name.split(" ")
    held = reader.position.variables[name]
    if not isinstance(held, Value):
        raise Open
    flag = held.holds if reader.ruleset.variables[name].type.kind == "bool" else negated(held.absent)
    piles = reader.position.zones[zone]
    return disj(flag, conj(*(negated(pile.some) for pile in piles)))


def _counts(guess: Guess, reader: Reader) -> Any:
    """A variable is the number of things in the zones of a name."""
    zone, name = guess.name.split(" ")
    held = reader.position.variables[name]
    if not isinstance(held, Value):
        raise Open
    return equal(held.parts[0], total(pile.size for pile in reader.position.zones[zone]))


_OF_ZONES: dict[str, Callable[[Guess, Reader], Any]] = {
    "empty": lambda guess, reader: negated(_pile(guess, reader).some),
    "used": lambda guess, reader: _pile(guess, reader).some,
    "single": lambda guess, reader: conj(
        *(_is_single(pile) for grid in _squares(guess, reader) for pile in grid.piles.values())
    ),
    "filled": _filled,
    "unless": _unless,
    "counts": _counts,
}


def _is_single(pile: Pile) -> Any:
    return pile.size <= 1


def _of_variable(v: VariableModel, side: int, numbers: list[int]) -> Iterator[Guess]:
    match v.type.kind:
        case "int":
            within = [n for n in numbers if v.type.low <= n <= v.type.high]
            start = v.initial.value if isinstance(v.initial, ir.Const) else v.type.low
            within = sorted({start, *sorted(within, key=lambda n: abs(n - start))[:MOST_NUMBERS]})
            yield from (Guess("least", v.name, side, n) for n in within if n > v.type.low)
            yield from (Guess("most", v.name, side, n) for n in within if n < v.type.high)
        case "list" | "bag" | "pile":
            yield from (Guess("most", v.name, side, n) for n in (0, 1, 2))
            yield Guess("least", v.name, side, 1)
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


def _numbers(ruleset: Ruleset, name: str) -> Iterator[int]:
    """The numbers that a variable is compared with, and those beside them."""
    variable = ruleset.variables.get(name)
    if variable is None:
        return
    for expr in expressions(ruleset):
        for part in walk(expr):
            if isinstance(part, ir.Compare) and ("variable", variable.number) in read_by(part):
                for side in (part.left, part.right):
                    if isinstance(side, ir.Const) and type(side.value) is int:
                        yield from (side.value - 1, side.value, side.value + 1)
    if isinstance(variable.initial, ir.Const) and isinstance(variable.initial.value, int):
        yield from (variable.initial.value, variable.initial.value + 1)
