"""Run-time bindings of the locals of a form, and properties of a form that are known without generating code. A local
is held by a local variable, the address of a pile, or several local variables (a vector), or it is another form that is
expanded where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import locals_of, parts_of, walk
from pwtool.kernel.wasm.operands import Expression


@dataclass(frozen=True, slots=True)
class Among:
    """Values that are known when the kernel is written, and the index of the current one."""

    values: tuple[Any, ...]
    number: Expression


@dataclass(frozen=True, slots=True)
class ValueOf:
    """A value. `grid` is the width and height of a grid if the value is certainly one of its cells; otherwise it may be `among` some."""

    value: Expression
    grid: tuple[int, int] | None = None
    among: Among | None = None


@dataclass(frozen=True, slots=True)
class PileOf:
    """The address of a pile, or (with its `zone`) of a grid."""

    address: Expression
    zone: int = -1


@dataclass(frozen=True, slots=True)
class VectorOf:
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class PlaceOf(VectorOf):
    """The values of a place of a shape, with its cells: the addresses of the words of their tops (`needs`) or, if cells
    may be missing, their numbers, which are then the values (`by_cell`).
    """

    tops: Expression
    needs: tuple[Expression, ...]
    by_cell: bool


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """A word for each player."""

    address: Expression


@dataclass(frozen=True, slots=True)
class BoardOf:
    """A grid by cell number: the tops (-1: none) and its piles (`pile(cell)` is an address)."""

    tops: Expression
    pile: Callable[[Expression], Expression]
    size: int


@dataclass(frozen=True, slots=True)
class WrittenOut:
    form: Expr
    scope: Scope


Binding = ValueOf | PileOf | VectorOf | ArrayOf | BoardOf | WrittenOut
Scope = Mapping[int, Binding]
Body = Callable[[Binding], None]


def coordinate(cell: Expression, axis: int) -> Expression:
    """The column or row of a cell."""
    return cell >> 16 if axis else (cell << 16) >> 16


def piles_of_cells(forms: Iterable[Expr], slots: frozenset[int]) -> list[ir.PileAt]:
    """The piles on cells that are used more than once, among those that these locals determine."""
    found = Counter(part for x in forms for part in walk(x) if isinstance(part, ir.PileAt))
    return [pile for pile, times in found.items() if times > 1 and locals_of(pile) <= slots and locals_of(pile)]


def conjuncts_inside(x: Expr) -> Iterator[Expr]:
    """The conjuncts of a condition, with named values expanded unless they depend on these locals."""
    for part in parts_of(x):
        if isinstance(part, ir.Let):
            yield from (inner for inner in conjuncts_inside(part.body) if part.slot not in locals_of(inner))
        else:
            yield part


_ALONE = (
    ir.Const | ir.Local | ir.Not | ir.And | ir.Or | ir.If | ir.Compare | ir.Arithmetic | ir.Coordinate
    | ir.CellAt | ir.Direction | ir.Steps | ir.Moved | ir.Table
)  # fmt: skip


def of_locals_alone(x: Expr) -> bool:
    """Whether a condition reads only locals and nothing of the position."""
    return all(isinstance(part, _ALONE) for part in walk(x))


def of_the_position(x: Expr) -> bool:
    """Whether a condition reads more than locals and the values that it binds itself."""
    return not all(isinstance(part, _ALONE | ir.Let) for part in walk(x))
