"""Checked expressions: one class for each operation, with resolved names and known types.

`Expr` is the union of all classes, so that a `match` over it can be exhaustive. `pwtool/eval/interpreter.py` defines
what an operation means; `walk.py` traverses expressions and knows what they read. Conditions are of type `bool` and do
not carry a type of their own. A field that holds an expression is annotated `Expr`, `Expr | None` or `tuple[Expr,
...]`: `walk.py` finds the operands by the values of the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any, Literal

import msgspec

from pwtool.ir.grids import Grid
from pwtool.ir.types import BOOL, GOAL, PLAYER, Type, cell, list_of, number
from pwtool.text.source import Span

MANY = 999
"""The greatest number of things that is counted with: an upper bound in types, not in play."""

Sign = Literal["==", "!=", "<", "<=", ">", ">="]
Kind = Literal["some", "every", "no", "least", "most", "exactly", "count"]
"""Kinds of quantifiers; `count` gives the number itself."""

Placement = tuple[tuple[int, ...], tuple[int, ...]]
"""A place of a shape on a grid: the cells that need a thing, in the shape's reading order, and those that must be empty."""


class Node(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The base of all expressions. Two are equal when they say the same, wherever they stand (`span`)."""

    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__ if name != "span")

    def __ne__(self, other: object) -> bool:
        # Without this one a struct compares by identity.
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.__struct_fields__ if name != "span")))


class Condition(Node, frozen=True):
    """An expression that is true, false or unknown."""

    @property
    def type(self) -> Type:
        return BOOL


class Counted(Node, frozen=True):
    """A number of things, 0 or more."""

    @property
    def type(self) -> Type:
        return number(0, MANY)


class Summed(Node, frozen=True):
    """A sum, whose bounds are not followed."""

    @property
    def type(self) -> Type:
        return number(-MANY, MANY)


# ---- leaves ----------------------------------------------------------------------------------------------------------


class Const(Node, frozen=True):
    """A value known when the ruleset is loaded; None is the absent value."""

    type: Type
    value: Any


class Local(Node, frozen=True):
    """A parameter, a named value or the element at hand of a quantifier, by its slot."""

    type: Type
    slot: int


class Variable(Node, frozen=True):
    type: Type
    number: int


class Actor(Node, frozen=True):
    """`player`: the player who acts, between actions the one whose turn it is."""

    @property
    def type(self) -> Type:
        return PLAYER


class Players(Node, frozen=True):
    """All players, by seat."""

    @property
    def type(self) -> Type:
        return list_of(PLAYER)


class Goals(Node, frozen=True):
    """All objectives in play."""

    @property
    def type(self) -> Type:
        return list_of(GOAL)


class Total(Summed, frozen=True):
    """The actor's total, while players are ranked."""


class Let(Node, frozen=True):
    """`body` with the local `slot` holding `value`."""

    slot: int
    value: Expr
    body: Expr

    @property
    def type(self) -> Type:
        return self.body.type


# ---- zones -----------------------------------------------------------------------------------------------------------


class ZoneIndex(Node, frozen=True):
    """Which of the zones of a name: its place in their flat list."""

    zone: int
    indices: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return PLAYER


class Zone(Node, frozen=True):
    """One zone, all its indices given."""

    type: Type
    zone: int
    indices: tuple[Expr, ...]


class Family(Node, frozen=True):
    """The zones of a name whose last `open` dimensions are left open."""

    type: Type
    zone: int
    open: int
    indices: tuple[Expr, ...]


class PileAt(Node, frozen=True):
    """The pile on a cell of a grid; empty where nothing lies."""

    type: Type
    grid: Expr
    cell: Expr


class Piles(Node, frozen=True):
    """The piles of a grid that are not empty."""

    type: Type
    grid: Expr


class PilesByCell(Node, frozen=True):
    """The piles of a grid by cell number (row by row), None where nothing lies; a floating grid is moved into the
    upper left corner first.
    """

    type: Type
    grid: Expr
    width: int
    height: int
    floating: bool


class Filled(Node, frozen=True):
    """The piles that are not empty, of piles by cell number."""

    type: Type
    piles: Expr


class Flat(Node, frozen=True):
    """All things of several piles or of a grid."""

    type: Type
    piles: Expr


class Buried(Node, frozen=True):
    """All things but the top ones, of piles by cell number."""

    type: Type
    piles: Expr


class Top(Node, frozen=True):
    """The uppermost thing of a pile, None of an empty one."""

    type: Type
    pile: Expr


class Tops(Node, frozen=True):
    """The uppermost things of several piles or of a grid."""

    type: Type
    piles: Expr


class TopAt(Node, frozen=True):
    """The uppermost thing on the cell of this number, of piles by cell number; None where none lies, and of no number."""

    type: Type
    piles: Expr
    at: Expr


class HeightAt(Node, frozen=True):
    """How many things lie on the cell of this number, of piles by cell number; None where none lies, and of no number."""

    type: Type
    piles: Expr
    at: Expr


class TopsAt(Node, frozen=True):
    """The uppermost things on cells of these numbers, on each of which something lies."""

    type: Type
    piles: Expr
    cells: Expr


# ---- things and collections ------------------------------------------------------------------------------------------


class Attribute(Node, frozen=True):
    """An attribute of a thing; None of nothing."""

    type: Type
    of: Expr
    component: str
    name: str


class Coordinate(Node, frozen=True):
    """The column (0) or row (1) of a cell; None of no cell."""

    type: Type
    cell: Expr
    axis: int


class PlayerAfter(Node, frozen=True):
    """The next player in seating order; None of nobody."""

    player: Expr

    @property
    def type(self) -> Type:
        return self.player.type


class EachAt(Node, frozen=True):
    """What one player named, of a parameter that all players name at once."""

    type: Type
    values: Expr
    player: Expr


class Item(Node, frozen=True):
    """One of the things that a shape matched, by its place in reading order."""

    type: Type
    items: Expr
    at: int


class Items(Node, frozen=True):
    """Some of the things that a shape matched, by their places in reading order."""

    type: Type
    items: Expr
    at: tuple[int, ...]


class Table(Node, frozen=True):
    """A number looked up by another; `otherwise` None: every number has a row."""

    type: Type
    operand: Expr
    rows: tuple[tuple[int, int], ...]
    otherwise: int | None


class Count(Counted, frozen=True):
    """How many things a collection holds; of a grid, how many piles."""

    of: Expr


class Empty(Condition, frozen=True):
    of: Expr


class Sum(Summed, frozen=True):
    """The sum of a collection of numbers."""

    of: Expr


class SumAttribute(Summed, frozen=True):
    """The sum of an attribute of things."""

    of: Expr
    component: str
    name: str


class CountDistinct(Counted, frozen=True):
    """How many different values things have of an attribute."""

    of: Expr
    component: str
    name: str


class Extreme(Node, frozen=True):
    """The greatest or least value that things have of an attribute; None of no things."""

    type: Type
    which: Literal["max", "min"]
    of: Expr
    component: str
    name: str


class Same(Condition, frozen=True):
    """Whether all things agree in an attribute."""

    of: Expr
    component: str
    name: str


class Distinct(Condition, frozen=True):
    """Whether no two things agree in an attribute."""

    of: Expr
    component: str
    name: str


class Ascending(Condition, frozen=True):
    """Whether an attribute grows from each thing to the next."""

    of: Expr
    component: str
    name: str


class Reads(Condition, frozen=True):
    """Whether an attribute of the things is, in order, each of `values`."""

    of: Expr
    component: str
    name: str
    values: tuple[int, ...]


class Append(Node, frozen=True):
    """A collection and one thing more."""

    type: Type
    left: Expr
    right: Expr


class Concat(Node, frozen=True):
    """One collection followed by another."""

    type: Type
    left: Expr
    right: Expr


class Without(Node, frozen=True):
    """A collection less another, counted: two equal things less one leave one."""

    type: Type
    left: Expr
    right: Expr


class In(Condition, frozen=True):
    item: Expr
    items: Expr


# ---- grids -----------------------------------------------------------------------------------------------------------


class Neighbours(Node, frozen=True):
    """The cells of a grid that lie beside a cell (right, left, below, above, of a hexagonal one two more), or those that
    touch it at a corner.
    """

    cell: Expr
    on: Grid
    diagonally: bool = False

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class CellAt(Node, frozen=True):
    """The cell of a grid in a column and a row; None where the grid has none there."""

    column: Expr
    row: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return cell(self.on, optional=True)


class Direction(Node, frozen=True):
    """A step of so many columns and rows."""

    type: Type
    column: Expr
    row: Expr


class Steps(Node, frozen=True):
    """Two steps one after the other, the step from the second of two cells to the first, or (`*`) a step so many times; of
    nothing, nothing.
    """

    type: Type
    sign: Literal["+", "-", "*"]
    left: Expr
    right: Expr


class Moved(Node, frozen=True):
    """The cell to which a step leads from a cell; None outside of the grid, of no cell and by no step."""

    cell: Expr
    step: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return cell(self.on, optional=True)


class Ray(Node, frozen=True):
    """The cells to which a step leads again and again, in order, as far as the grid goes."""

    cell: Expr
    step: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class Between(Node, frozen=True):
    """The cells between two that lie in a row, a column or a diagonal, in order; else none."""

    left: Expr
    right: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class Beside(Node, frozen=True):
    """What lies beside an element of a graph that is known: `beside` are, for each of `cells`, the places in `cells` of those
    that lie beside it. Of what is no such element, nothing.
    """

    type: Type
    of: Expr
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]


class Connected(Condition, frozen=True):
    """Whether the cells in use hang together side by side."""

    grid: Expr


class Fits(Condition, frozen=True):
    """Whether the cells in use, and `cell` with them, lie within a box of this size."""

    grid: Expr
    cell: Expr | None
    width: int
    height: int


class Repeats(Counted, frozen=True):
    """How often all of `items` were the same when an earlier turn began; `number` is that of the history that is kept."""

    number: int
    items: tuple[Expr, ...]


class GroupSize(Node, frozen=True):
    """How many piles the largest or smallest group has whose tops hang together and agree in an attribute; 0 without any."""

    type: Type
    piles: Expr
    which: Literal["largest", "smallest"]
    component: str
    name: str
    width: int


# ---- tokens, actions, objectives -------------------------------------------------------------------------------------


class Holds(Condition, frozen=True):
    """Whether a token lies on the actor's grid."""

    token: int


class TokenOn(Condition, frozen=True):
    """Whether a token lies on this cell of this grid (`index`: which of the grids of its zone)."""

    token: int
    index: Expr
    cell: Expr


class TokenPlace(Node, frozen=True):
    """The cell of the actor's grid on which a token lies; None where it is not there."""

    token: int
    on: Grid

    @property
    def type(self) -> Type:
        return cell(self.on, optional=True)


class Can(Condition, frozen=True):
    """Whether the actor, or another player, can do an action at all."""

    action: str
    player: Expr | None = None


class After(Condition, frozen=True):
    """Whether `body` holds in the position to which an action leads, with what follows from it at once. `parameters` are the
    locals that the action needs.
    """

    action: str
    parameters: tuple[Expr, ...]
    body: Expr


class Fulfils(Condition, frozen=True):
    grid: Expr
    goal: Expr


# ---- logic and numbers -----------------------------------------------------------------------------------------------


class And(Condition, frozen=True):
    left: Expr
    right: Expr


class Or(Condition, frozen=True):
    left: Expr
    right: Expr


class Not(Condition, frozen=True):
    operand: Expr


class If(Node, frozen=True):
    type: Type
    condition: Expr
    then: Expr
    otherwise: Expr


class Else(Node, frozen=True):
    """`value`, or `default` where there is none."""

    type: Type
    value: Expr
    default: Expr


class Compare(Condition, frozen=True):
    """`==` and `!=` compare any two values, the others numbers; a number that is absent is neither more nor less."""

    sign: Sign
    left: Expr
    right: Expr


class Arithmetic(Node, frozen=True):
    type: Type
    sign: Literal["+", "-", "*"]
    left: Expr
    right: Expr


class Negative(Node, frozen=True):
    type: Type
    operand: Expr


# ---- what goes through a collection: `slot` holds the element at hand while `body` is evaluated ------------------------


class Pick(Node, frozen=True):
    """The first or last element for which `body` holds; None where there is none."""

    type: Type
    which: Literal["first", "last"]
    slot: int
    domain: Expr
    body: Expr


class Where(Node, frozen=True):
    """The elements for which `body` holds."""

    type: Type
    slot: int
    domain: Expr
    body: Expr


class Around(Node, frozen=True):
    """The elements of a known graph (as in `Beside`) that hang together with `start` through elements for which `body` holds,
    in the order of `cells`; none where it does not hold for `start` itself.
    """

    type: Type
    slot: int
    start: Expr
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]
    body: Expr


class CountWhere(Counted, frozen=True):
    """For how many elements `body` holds."""

    slot: int
    domain: Expr
    body: Expr


class SumWhere(Summed, frozen=True):
    """The sum of `body` over all elements."""

    slot: int
    domain: Expr
    body: Expr


class Quantified(Condition, frozen=True):
    """Whether `body` holds for some, every, no, or a number of elements."""

    kind: Kind
    number: int
    slot: int
    domain: Expr
    body: Expr


class Placements(Node, frozen=True):
    """In how many places of a shape on `piles` (by cell number) `body` holds: of the tops there in reading order or, with `cells`,
    of these cells of each place, by their numbers, None of one beyond the grid. `separate`: so many that no two of them share a
    card.
    """

    type: Type
    kind: Kind
    number: int
    slot: int
    places: tuple[Placement, ...]
    piles: Expr
    body: Expr
    cells: tuple[tuple[int | None, ...], ...] = ()
    separate: bool = False

    @property
    def most(self) -> int:
        """So many places share no card, or fewer."""
        if not self.separate or not self.places:
            return len(self.places)
        cells = {cell for needs, _ in self.places for cell in needs}
        return min(len(self.places), len(cells) // min(len(needs) for needs, _ in self.places))

    @property
    def asked(self) -> int:
        """So many separate places are looked for, and no more of them."""
        wanted = {"least": self.number, "most": self.number + 1, "exactly": self.number + 1}.get(self.kind, self.most)
        return min(wanted, self.most)

    @property
    def tries(self) -> int:
        """No more steps than these are taken to find so many places that are separate."""
        return sum(comb(len(self.places), number) for number in range(self.asked)) * len(self.places)

    def in_order(self) -> tuple[tuple[Placement, ...], tuple[tuple[int | None, ...], ...]]:
        """Its places and their cells in an order of their own."""
        if not self.cells:
            return tuple(sorted(self.places)), ()
        pairs = sorted(zip(self.places, self.cells, strict=True), key=repr)
        return tuple(place for place, _ in pairs), tuple(cells for _, cells in pairs)

    def lying(self, piles: Sequence[Any]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
        """Where it lies on piles by cell number: the cells of its cards, and what the local holds."""
        for at, (needs, free) in enumerate(self.places):
            if all(piles[cell] for cell in needs) and not any(piles[cell] for cell in free):
                if self.cells:
                    cells = self.cells[at]
                    yield tuple(cell for cell in cells if cell is not None and piles[cell]), list(cells)
                else:
                    yield needs, [piles[cell][-1] for cell in needs]


Expr = (
    Const | Local | Variable | Actor | Players | Goals | Total | Let
    | ZoneIndex | Zone | Family | PileAt | Piles | PilesByCell | Filled | Flat | Buried | Top | Tops | TopAt | HeightAt | TopsAt
    | Attribute | Coordinate | PlayerAfter | EachAt | Item | Items | Table
    | Count | Empty | Sum | SumAttribute | CountDistinct | Extreme | Same | Distinct | Ascending | Reads | Append | Concat | Without | In
    | Neighbours | Beside | CellAt | Direction | Steps | Moved | Ray | Between | Connected | Fits | GroupSize | Repeats
    | Holds | TokenOn | TokenPlace | Can | After | Fulfils
    | And | Or | Not | If | Else | Compare | Arithmetic | Negative
    | Pick | Where | Around | CountWhere | SumWhere | Quantified | Placements
)  # fmt: skip

Loop = Pick | Where | Around | CountWhere | SumWhere | Quantified | Placements
"""What evaluates its body once for every element, held by the local `slot`."""

OPERATIONS: tuple[type[Node], ...] = Expr.__args__
"""Every class of `Expr`."""
