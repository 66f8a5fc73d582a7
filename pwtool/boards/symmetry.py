"""Symmetries of objectives: cells or values of an attribute that can be exchanged on every board without changing the result.

Nothing is concluded from the text of an objective. It is computed again with the cells (or values) exchanged; since equal
parts of a circuit are shared, a symmetric objective gives the very same node, and otherwise nothing is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, prod
from typing import Any

from pwtool.boards.circuit import FALSE, TRUE
from pwtool.boards.conditions import known_condition, notices_corner
from pwtool.boards.encoding import Encoding, Spot
from pwtool.boards.gates import Gates, Locals
from pwtool.boards.numbers import Number
from pwtool.boards.symbols import Card, Items, PileOf, Unsupported, Value
from pwtool.ir import nodes as ir
from pwtool.ir.model import ObjectiveModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.text.speech import Told

Move = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """`moves` of cells (closed under composition), or `anywhere`: cells in any order; `alike` are the attributes whose values
    can be exchanged.
    """

    moves: frozenset[Move] = frozenset()
    anywhere: bool = False
    alike: frozenset[str] = frozenset()

    def both(self, other: Symmetry) -> Symmetry:
        """The symmetries of both."""
        moves = other.moves if self.anywhere else self.moves if other.anywhere else self.moves & other.moves
        return Symmetry(moves, self.anywhere and other.anywhere, self.alike & other.alike)

    def first(self, cells: Sequence[int]) -> tuple[int, ...]:
        """The first of all sets of cells equivalent to this one."""
        if self.anywhere:
            return tuple(range(len(cells)))
        return min((tuple(sorted(move[cell] for cell in cells)) for move in self.moves), default=tuple(cells))

    def within(self, cells: Sequence[int]) -> frozenset[Move] | None:
        """The moves that map a set of cells to itself, as permutations of its cells; None if all permutations do."""
        if self.anywhere:
            return None
        at = {cell: place for place, cell in enumerate(cells)}
        return frozenset(
            tuple(at[move[cell]] for cell in cells) for move in self.moves if all(move[cell] in at for cell in cells)
        )


def find_symmetry(objective: ObjectiveModel, encoding: Encoding) -> Symmetry:
    """The symmetries of an objective."""
    try:
        return _found(objective, encoding)
    except Unsupported:
        return Symmetry()


def _found(objective: ObjectiveModel, encoding: Encoding) -> Symmetry:
    board, condition = encoding.board, known_condition(objective, encoding)
    if board.floating and notices_corner(condition, board.width, board.height):
        return Symmetry()

    root = FALSE

    def same(moved: Moved) -> bool:
        return moved.condition(condition) == root

    cells = tuple(range(encoding.cells))
    root = Moved(encoding, cells).condition(condition)
    rows = [cells[at : at + board.width] for at in range(0, len(cells), board.width)]
    # All rotations and reflections of the grid follow from these two.
    turns = [[row[::-1] for row in rows], list(zip(*rows, strict=True))]
    if board.width != board.height:
        turns[1] = rows[::-1]
    moves = [tuple(cell for row in turn for cell in row) for turn in turns]
    found = [move for move in moves if same(Moved(encoding, move))]
    swap, cycle = (1, 0, *cells[2:]), (*cells[1:], 0)
    # Not worth a try: operations on neighbours or shapes depend on the cells, arithmetic depends on the values.
    by_place = any(isinstance(part, ir.Places | ir.Beside | ir.Around | ir.GroupSize) for part in walk(condition))
    anywhere = bool(found) and not by_place and all(same(Moved(encoding, move)) for move in (swap, cycle))
    computed = {
        part.name
        for whole in walk(condition)
        if isinstance(whole, ir.Arithmetic | ir.Sum | ir.SumWhere | ir.Extreme)
        or (isinstance(whole, ir.Compare) and whole.sign == "<")
        for part in walk(whole)
        if isinstance(part, ir.Attribute | ir.Attributes)
        and encoding.component.attributes[part.name].type.kind == "int"
    }
    alike = []
    read = {encoding.circuit.keys[node][0] for node in encoding.circuit.inputs_of([root])}  # type: ignore[index]
    for name in [a.name for a in encoding.component.attributes.values() if a.name in read and a.type.kind != "bool"]:
        if name in computed:
            continue
        values = encoding.values(name)
        root = Moved(encoding, cells, name, dict(zip(values, values, strict=True))).condition(condition)
        if all(same(Moved(encoding, cells, name, change)) for change in _changes(values)):
            alike.append(name)
    return Symmetry(_group(found, cells), anywhere, frozenset(alike))


def _changes(values: list[Any]) -> Iterator[dict[Any, Any]]:
    """Two exchanges of values from which all others follow."""
    yield dict(zip(values, [*values[1::-1], *values[2:]], strict=True))
    yield dict(zip(values, [*values[1:], values[0]], strict=True))


def _group(moves: Iterable[Move], cells: Move) -> frozenset[Move]:
    moves = list(moves)
    found, pending = {cells}, [cells]
    while pending:
        one = pending.pop()
        for move in moves:
            more = tuple(move[cell] for cell in one)
            if more not in found:
                found.add(more)
                pending.append(more)
    return frozenset(found)


_OF_A_GRID = (ir.Zone, ir.PileAt, ir.PilesByCell, ir.Piles, ir.Connected, ir.Fits)


class Moved(Gates):
    """Computes a condition with cells, and values of one attribute, exchanged."""

    thorough = True

    def __init__(
        self, encoding: Encoding, move: Move, name: str = "", values: dict[Any, Any] | None = None
    ) -> None:  # fmt: skip
        super().__init__(encoding)
        self.move, self.name, self.values = move, name, values or {}

    def condition(self, x: Expr) -> int:
        piles = [PileOf(cell) for cell in self.move]
        faces = Items(tuple((self.filled_at(pile), self.top_of(pile)) for pile in piles))
        return self.boolean(self.value(x, {0: Items(tuple((TRUE, pile) for pile in piles)), 1: faces}))

    def _value(self, x: Expr, e: Locals) -> Value:
        if isinstance(x, _OF_A_GRID):
            raise Unsupported(Told("it uses the grid as a whole"))
        return super()._value(x, e)

    def read(self, card: Card, name: str) -> Value:
        model = self.encoding.component.attributes[name]
        if self.values and not model.in_code and self.encoding.key_of(model) == self.name:
            raise Unsupported(Told("it reads an attribute that follows from the exchanged value"))
        if name == self.name and model.type.kind == "int":
            return Number.of_cases(self.circuit, {v: self.has(card, name, v) for v in self.encoding.values(name)})
        return super().read(card, name)

    def equal(self, a: Value, b: Value) -> int:
        if isinstance(a, Number) and isinstance(b, Number) and a.cases is not None and b.cases is not None:
            # Value by value: bits would not come out the same after an exchange.
            return self.circuit.any_of(self.circuit.and_(g, b.cases[v]) for v, g in a.cases.items() if v in b.cases)
        return super().equal(a, b)

    def has(self, card: Value, name: str, value: Any) -> int:
        if name != self.name or not isinstance(card, Card):
            return super().has(card, name, value)
        return self.circuit.any_of(
            super(Moved, self).has(Card(((g, of),)), name, self.values[value] if isinstance(of, Spot) else value)
            for g, of in card.options
        )


# ---- ways to assign interchangeable values ---------------------------------------------------------------------------


class Shared:
    """How some cells can share interchangeable kinds, numbered in order of first use: one representative of each class of
    equivalent ways, and the size of the class.
    """

    def __init__(self, ways: dict[tuple[int, ...], int]) -> None:
        self.ways, self.times = list(ways), list(ways.values())
        self._columns: dict[int, bytes] = {}
        self._planes: dict[tuple[int, int], int] = {}
        self._weights: dict[tuple[int, ...], dict[int, int]] = {}

    def __len__(self) -> int:
        return len(self.ways)

    def plane(self, at: int, kind: int) -> int:
        """The ways, as bits, that have this kind in this place."""
        found = self._planes.get((at, kind))
        if found is None:
            if at not in self._columns:
                self._columns[at] = bytes([way[at] for way in reversed(self.ways)])
            found = self._planes[at, kind] = int(
                self._columns[at].translate(b"0" * kind + b"1" + b"0" * (255 - kind)), 2
            )
        return found

    def weights(self, kinds: tuple[int, ...]) -> dict[int, int]:
        """The ways, as bits, by how many boards they stand for, of kinds with these weights."""
        found = self._weights.get(kinds)
        if found is None:
            own: list[int] = []
            for way, times in zip(self.ways, self.times, strict=True):
                shares = tuple(sorted([way.count(kind) for kind in range(max(way, default=-1) + 1)]))
                own.append(times * shared_weight(shares, kinds))
            found = self._weights[kinds] = {
                weight: int("".join(["1" if other == weight else "0" for other in reversed(own)]), 2)
                for weight in set(own)
            }
        return found


@lru_cache(maxsize=2048)
def ways_to_share(size: int, kinds: int, moves: frozenset[Move] | None) -> Shared:
    """The ways in which that many cells can share that many kinds; with `moves` of None, the cells may come in any order."""
    if moves is None:
        return Shared(dict(_by_shares(size, kinds)))
    found: dict[tuple[int, ...], int] = {}
    others = [move for move in moves if move != tuple(range(size))]
    if not others:
        return Shared(dict.fromkeys(_shared(size, kinds), 1))
    seen: set[tuple[int, ...]] = set()
    for way in _shared(size, kinds):
        if way not in seen:
            same = {way, *(_renamed([way[at] for at in move]) for move in others)}
            found[way] = len(same)
            if len(same) > 1:
                seen |= same
    return Shared(found)


@lru_cache(maxsize=1 << 14)
def shared_weight(shares: tuple[int, ...], weights: tuple[int, ...]) -> int:
    """How many boards result when each share of cells gets a kind of its own, for kinds with these weights."""
    if not shares:
        return 1
    return sum(
        weight ** shares[0] * shared_weight(shares[1:], weights[:at] + weights[at + 1 :])
        for at, weight in enumerate(weights)
    )


def _shared(size: int, kinds: int) -> Iterator[tuple[int, ...]]:
    ways: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for _ in range(size):
        ways = [
            ((*way, kind), max(used, kind + 1))
            for way, used in ways
            for kind in range(min(used + 1, kinds))
        ]  # fmt: skip
    return (way for way, _ in ways)


def _by_shares(size: int, kinds: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """How many cells have the first kind, the second and so on, in descending order; each with the number of ways that lead to
    these shares.
    """

    def shares(left: int, most: int, kinds: int) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
        elif kinds:
            for first in range(min(left, most), 0, -1):
                for others in shares(left - first, first, kinds - 1):
                    yield first, *others

    for own in shares(size, size, kinds):
        way = tuple(kind for kind, count in enumerate(own) for _ in range(count))
        equal = Counter(own)
        yield way, factorial(size) // prod(map(factorial, own)) // prod(map(factorial, equal.values()))


def _renamed(way: Sequence[int]) -> tuple[int, ...]:
    names: dict[int, int] = {}
    return tuple([names.setdefault(kind, len(names)) for kind in way])
