"""Values that only depend on a few cells, on the actor and on constants: looked up in tables that are computed when the
kernel is generated.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import bound_in, free_locals, operands, replaced, unused_slot, walk
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.layout import NONE, WORD, GridPlace
from pwtool.kernel.wasm.bindings import Scope, ValueOf, WrittenOut
from pwtool.kernel.wasm.cells import OnGrids
from pwtool.kernel.wasm.operands import Expression

MOST_ENTRIES = 1 << 14
FEW = 8
"""This many cheap operations are as fast as a table."""
_READING_NOTHING = (
    ir.Const | ir.Local | ir.Let | ir.Actor | ir.Variable | ir.Not | ir.And | ir.Or | ir.If | ir.Else | ir.Compare
    | ir.Arithmetic | ir.Table | ir.Coordinate | ir.CellAt | ir.Direction | ir.Steps | ir.Moved | ir.Values | ir.Neighbours
    | ir.Ray | ir.Between | ir.Where | ir.Concat | ir.Quantified | ir.Empty | ir.Count | ir.CountWhere | ir.Sum | ir.SumWhere
    | ir.Pick | ir.In
)  # fmt: skip
_OF_SEATS = ir.PlayerAfter | ir.Players
_CHEAP = (
    ir.Const | ir.Local | ir.Actor | ir.Variable | ir.Not | ir.And | ir.Or | ir.Compare | ir.Arithmetic | ir.Coordinate
)  # fmt: skip


class _Seen:
    """The part of a position that such a value reads."""

    def __init__(self, players: int, variables: int) -> None:
        self.players, self.player = players, 0
        self.variables: list[Any] = [None] * variables


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Something that a value depends on, all its possible values, and the index of the current one."""

    of: ir.Local | ir.Variable | ir.Actor
    values: tuple[Any, ...]
    number: Expression


@dataclass(frozen=True, slots=True)
class Tabled:
    """All possible values of a form, and the index of the current one."""

    form: Expr
    values: tuple[Any, ...]
    number: Expression


class Tables(OnGrids):
    """Writes values that are looked up in tables."""

    @abstractmethod
    def zone_of(self, x: Expr, scope: Scope) -> int:
        """The zone of a grid or pile."""

    @abstractmethod
    def address(self, x: Expr, scope: Scope) -> Expression:
        """The address of a pile or a grid."""

    def looked_up(self, x: Expr, scope: Scope) -> Expression | None:
        """A value from a table; None if it depends on more than a table can hold, or is as fast to compute."""
        if isinstance(x, ir.Const | ir.Local | ir.Actor | ir.Variable):
            return None
        tabled = self.tabled(x, scope)
        if tabled is None or not _is_dear(tabled.form):
            return None
        atoms = [self.kernel.layout.atom(value) for value in tabled.values]
        if len(set(atoms)) == 1:
            return self.code.value(atoms[0])
        if all(atom in (0, 1) for atom in atoms):
            return tabled.number.byte(self.kernel.data(bytes(atoms)))
        return (tabled.number * WORD).word(self.kernel.table(atoms))

    def tabled(self, x: Expr, scope: Scope, of: type | None = None) -> Tabled | None:
        """A value by everything that it can depend on (with `of`, only on that kind); None if that is too much."""
        found = self._known(x, scope)
        if found is None or (of is not None and not all(isinstance(leaf.of, of) for leaf in found[1])):
            return None
        values = self._values(*found)
        return None if values is None else Tabled(found[0], values, self._number(found[1]))

    def tabled_by(
        self, x: Expr, scope: Scope, slot: int, grid: tuple[int, int]
    ) -> tuple[list[tuple[Any, ...]], Expression] | None:
        """A value that depends on one cell of a grid and on other things: for each combination of these a row with its
        value for each cell, and the index of the current row; None if that is too much.
        """
        found = self._known(x, {**scope, slot: ValueOf(self.code.value(0), grid)})
        if found is None:
            return None
        others = [leaf for leaf in found[1] if not ir.is_local(leaf.of, slot)]
        own = [leaf for leaf in found[1] if ir.is_local(leaf.of, slot)]
        values = self._values(found[0], [*others, *own])
        if not own or values is None:
            return None
        size = grid[0] * grid[1]
        return [values[at : at + size] for at in range(0, len(values), size)], self._number(others)

    def _known(self, x: Expr, scope: Scope) -> tuple[Expr, list[_Leaf]] | None:
        """A form with its locals resolved, and what it depends on; None if that is too much."""
        if not self._reads_nothing(x):
            return None
        resolved = self._resolved(x, scope)
        if resolved is None or not self._reads_nothing(resolved):
            return None
        leaves = list(self._leaves(resolved, scope))
        known = [leaf for leaf in leaves if leaf is not None]
        if len(known) < len(leaves) or prod(len(leaf.values) for leaf in known) > MOST_ENTRIES:
            return None
        return resolved, known

    def _values(self, x: Expr, leaves: list[_Leaf]) -> tuple[Any, ...] | None:
        key = (x, tuple((leaf.of, leaf.values) for leaf in leaves))
        if key not in self.kernel.tabled:
            self.kernel.tabled[key] = self._computed(x, leaves)
        return self.kernel.tabled[key]

    def _number(self, leaves: list[_Leaf]) -> Expression:
        """The combined index of several leaves."""
        number: Expression | None = None
        for leaf in leaves:
            if len(leaf.values) > 1:
                number = leaf.number if number is None else number * len(leaf.values) + leaf.number
        return self.code.value(0) if number is None else number

    def _reads_nothing(self, x: Expr) -> bool:
        """Whether a form reads nothing of a position except locals, variables and the actor."""
        known = self.kernel.reading.get(id(x))
        if known is None:
            read = isinstance(x, _READING_NOTHING) or (self.kernel.has_so_many_players and isinstance(x, _OF_SEATS))
            known = self.kernel.reading[id(x)] = x, read and all(map(self._reads_nothing, operands(x)))
        return known[1]

    def _resolved(self, x: Expr, scope: Scope) -> Expr | None:
        """A form with its locals resolved; None if they cannot be substituted."""
        inside = bound_in(x)
        for slot in free_locals(x):
            bound = scope.get(slot)
            if not isinstance(bound, WrittenOut):
                continue
            value = self._resolved(bound.form, bound.scope)
            if value is None or any(s in inside or bound.scope.get(s) is not scope.get(s) for s in free_locals(value)):
                return None
            x = replaced(x, slot, value)
        return x

    def _leaves(self, x: Expr, scope: Scope) -> Iterator[_Leaf | None]:
        """The leaves that a form depends on; None if they can be too many."""
        locals_ = {part.slot: part for part in walk(x) if isinstance(part, ir.Local)}
        found: list[ir.Local | ir.Variable | ir.Actor] = [locals_[slot] for slot in sorted(free_locals(x))]
        found += dict.fromkeys(part for part in walk(x) if isinstance(part, ir.Variable | ir.Actor))
        for of in found:
            match of:
                case ir.Local():
                    yield self._of_local(of, scope)
                case ir.Variable():
                    yield self._of_variable(of)
                case ir.Actor():
                    yield _Leaf(of, tuple(range(self.kernel.layout.max_players)), self.value(of, scope))

    def _of_local(self, x: ir.Local, scope: Scope) -> _Leaf | None:
        bound = scope.get(x.slot)
        if not isinstance(bound, ValueOf):
            return None
        if bound.among is not None:
            return _Leaf(x, bound.among.values, bound.among.number)
        if bound.grid is None:
            return None
        return _Leaf(x, _cells(*bound.grid), self.number_of(bound.value, bound.grid[0]))

    def _of_variable(self, x: ir.Variable) -> _Leaf | None:
        type_ = list(self.kernel.ruleset.variables.values())[x.number].type
        held = self.value(x, {})
        if type_.kind == "bool" and not type_.optional:
            return _Leaf(x, (False, True), held)
        if type_.kind != "cell" or type_.grid is None or type_.grid.floating:
            return None
        cells, number = _cells(type_.grid.width, type_.grid.height), self.number_of(held, type_.grid.width)
        if type_.optional:
            return _Leaf(x, (*cells, None), self.code.choose(held.equals(NONE), len(cells), number))
        return _Leaf(x, cells, number)

    def _computed(self, x: Expr, leaves: list[_Leaf]) -> tuple[Any, ...] | None:
        """The value of a form for every combination of its leaves; None if it never has one."""
        ruleset = self.kernel.ruleset
        of = Compiler(ruleset).of(x)
        s = _Seen(ruleset.max_players, len(ruleset.variables))
        e: list[Any] = [None] * unused_slot(x)
        found: list[Any] = []
        missing = 0
        for values in product(*(leaf.values for leaf in leaves)):
            for leaf, value in zip(leaves, values, strict=True):
                match leaf.of:
                    case ir.Local(slot=slot):
                        e[slot] = value
                    case ir.Variable(number=number):
                        s.variables[number] = value
                    case _:
                        s.player = value
            try:
                found.append(of(s, e))
            except (TypeError, AttributeError):
                # It is only evaluated if something else holds.
                found.append(False)
                missing += 1
        return None if missing == len(found) else tuple(found)

    # ---- addresses of cells

    def spot(self, x: ir.PileAt, scope: Scope, first: int, size: int, nowhere: int) -> Expression | None:
        """The address of what a grid stores for a cell, `nowhere` if it is not a cell of the grid: for the first cell
        it is at `first` in the grid, for each next one this many bytes further. None if that is unknown.
        """
        place = self.kernel.grid(self.zone_of(x.grid, scope))
        zone = place.zone
        if zone.floating:
            return None
        bound = scope.get(x.cell.slot) if isinstance(x.cell, ir.Local) else None
        if isinstance(bound, ValueOf) and bound.grid == (zone.width, zone.height):
            return self.address(x.grid, scope) + self.number_of(bound.value, zone.width) * size + first
        if not isinstance(x.grid, ir.Zone) or x.grid.indices:
            return None
        tabled = self.tabled(x.cell, scope)
        if tabled is None:
            return None
        addresses = [
            place.address + first + (cell[1] * zone.width + cell[0]) * size if cell and zone.grid.has(cell) else nowhere
            for cell in tabled.values
        ]
        if len(set(addresses)) == 1:
            return self.code.value(addresses[0])
        return (tabled.number * WORD).word(self.kernel.table(addresses))

    def top_word(self, x: Expr, scope: Scope) -> Expression | None:
        """The top of the pile on a cell, -1 if it is empty; None if it is not such a pile, or its cell is unknown."""
        if not isinstance(x, ir.PileAt):
            return None
        zone = self.zone_of(x.grid, scope)
        place = self.kernel.place(zone)
        if not isinstance(place, GridPlace):
            return None
        found = self.spot(x, scope, place.tops, WORD, self.kernel.table([-1]))
        return None if found is None else found.word()


def _cells(width: int, height: int) -> tuple[tuple[int, int], ...]:
    return tuple((x, y) for y in range(height) for x in range(width))


def _is_dear(x: Expr) -> bool:
    parts = list(walk(x))
    return len(parts) > FEW or not all(map(_is_cheap, parts))


def _is_cheap(x: Expr) -> bool:
    return isinstance(x, _CHEAP) and not (isinstance(x, ir.Arithmetic) and x.sign == "*")
