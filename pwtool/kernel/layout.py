"""The layout of a position in the memory of a kernel: 32-bit words at fixed addresses.

A pile (also a bag, a slot, a list in a parameter or variable) is its number of things followed by the things, from
bottom to top. A grid is a header, the slots of its used cells in the order in which they came into use, the cell of
each slot (on a floating grid), the top of each slot, and a pile for each slot. On a grid that does not float, slot and
cell number are the same. A floating grid also has a map of 16 x 16 words from column and row, both modulo 16, to the
number of the slot (0: none). Two used cells with the same entry are too far apart for the kernel.
"""

from __future__ import annotations

from msgspec import Struct

from pwtool.ir.model import Ruleset, VariableModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.material import laid_out

WORD = 4
NONE = -(1 << 31)
"""The number for an absent value."""
MEMBER = 3 << 29
"""Members of enumerated attributes are numbered from here on, so that none is equal to a number in the rules."""
MAX_LIST = 512
MAX_CELLS = 64
MAX_NUMBER = 1 << 28
MAX_MEMORY = 64 << 20


def range_of(type_: Type) -> tuple[int, int]:
    """The least and the greatest number of a type that a kernel may meet: no larger one is computed, and a record that
    has one is left to the engine.
    """
    return max(type_.low, -MAX_NUMBER), min(type_.high, MAX_NUMBER)


def packed_cell(x: int, y: int) -> int:
    """A cell as one number."""
    value = (y << 16) | (x & 0xFFFF)
    return value - (1 << 32) if value >= 1 << 31 else value


class PilePlace(Struct, frozen=True):
    """The piles of a zone: the address of the first, how many things each holds at most, the distance between piles in
    bytes, and for each dimension the distance between neighbours, computed for the largest number of players.
    """

    zone: ZoneModel
    address: int
    capacity: int
    size: int
    strides: tuple[int, ...]
    count: int


class GridPlace(PilePlace, frozen=True):
    """The grids of a zone; the offsets are those of the parts within one grid."""

    slots: int
    cells: int
    tops: int
    piles: int
    pile_size: int
    map: int

    MAP_SIZE = 16
    USED = WORD
    BOX = 2 * WORD
    ORDER = 7 * WORD


class Layout:
    """The addresses in the positions of one ruleset. `free` is the first unused address, from which `reserve` allocates."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.free = 1024
        self.goals = next((s.amount for s in ruleset.setup if s.kind == "choose"), 0)
        self.max_players = ruleset.max_players
        self.members: dict[str, int] = {}
        for component in ruleset.components.values():
            for attribute in component.attributes.values():
                for value in attribute.table if attribute.type.kind == "member" else ():
                    self.members.setdefault(value, MEMBER + len(self.members))
        # An empty pile, used wherever nothing lies.
        self.empty = self.reserve(2 * WORD)
        self.state = self.free
        self.variables = [self._variable(v) for v in ruleset.variables.values()]
        self.tokens = [self.reserve(2 * WORD) for _ in ruleset.tokens]
        self.goal_table = self.reserve(max(1, self.goals) * WORD)
        self.totals = self.reserve(self.max_players * WORD)
        self.zones = [self._zone(z) for z in ruleset.zones.values()]

    def reserve(self, size: int) -> int:
        """Allocate bytes and return their address."""
        at = self.free
        self.free += (size + 7) & ~7
        if self.free > MAX_MEMORY:
            raise Uncompilable("its positions take too much memory")
        return at

    def atom(self, value: object) -> int:
        """The number that represents a value of the language."""
        match value:
            case None:
                return NONE
            case bool():
                return int(value)
            case int():
                if abs(value) > MAX_NUMBER:
                    raise Uncompilable(f"it counts to {value}")
                return value
            case str():
                return self.members[value]
            case (int() as x, int() as y):
                return packed_cell(x, y)
        raise Uncompilable(f"it has the value {value!r}")

    def capacity(self, zone: ZoneModel) -> int:
        """How many things one zone can hold at most: none are created or destroyed during a game."""
        if zone.element.kind == "face":
            players = range(self.ruleset.min_players, self.max_players + 1)
            return max(1, *(laid_out(self.ruleset, zone.element.component, p, self.goals) for p in players))
        total = 0
        for step in self.ruleset.setup:
            if step.kind == "put":
                other = next(z for z in self.ruleset.zones.values() if z.number == step.zone)
                most = max((len(values) for values, _ in step.cases), default=0)
                total += most * self._count(other) if other.element.kind == "int" else 0
        return max(1, total)

    def _count(self, zone: ZoneModel) -> int:
        count = 1
        for size in self.sizes(zone):
            count *= size
        return count

    def sizes(self, zone: ZoneModel) -> list[int]:
        """The sizes of a zone's dimensions for the largest number of players."""
        known = {"player": self.max_players, "goal": self.goals}
        return [known.get(name, size) for name, size in zone.dimensions]

    def _zone(self, zone: ZoneModel) -> PilePlace:
        capacity, count = self.capacity(zone), self._count(zone)
        pile_size = (1 + capacity) * WORD
        size, slots, cells, tops, piles, map_ = pile_size, 0, 0, 0, 0, 0
        if zone.kind == "grid":
            slots = zone.width * zone.height
            if zone.floating:
                slots = min(capacity, max(MAX_CELLS, 4 * slots))
            cells = GridPlace.ORDER + slots * WORD
            tops = cells + (slots * WORD if zone.floating else 0)
            map_ = tops + slots * WORD
            piles = map_ + (GridPlace.MAP_SIZE**2 * WORD if zone.floating else 0)
            size = piles + slots * pile_size
        strides = [size] * len(zone.dimensions)
        sizes = self.sizes(zone)
        for at in range(len(sizes) - 2, -1, -1):
            strides[at] = strides[at + 1] * sizes[at + 1]
        address = self.reserve(size * count)
        if zone.kind == "grid":
            return GridPlace(
                zone, address, capacity, size, tuple(strides), count, slots, cells, tops, piles, pile_size, map_
            )  # fmt: skip
        return PilePlace(zone, address, capacity, size, tuple(strides), count)

    def _variable(self, variable: VariableModel) -> int:
        if variable.type.is_collection:
            return self.reserve((1 + MAX_LIST) * WORD)
        return self.reserve((self.max_players if variable.each else 1) * WORD)
