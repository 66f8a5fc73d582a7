"""Checked expressions: one class for each operation, with resolved names and known types.

`Expr` is the union of all classes, so that a `match` over it can be exhaustive. `pwtool/eval/interpreter.py` defines
what an operation means; `walk.py` traverses expressions and knows what they read. Conditions are of type `bool` and do
not carry a type of their own. A field that holds an expression is annotated `Expr`, `Expr | None` or `tuple[Expr,
...]`: `walk.py` finds the operands by the values of the fields.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any, Literal

import msgspec
from msgspec.structs import astuple, replace

from pwtool.ir.grids import Grid
from pwtool.ir.types import BOOL, COUNT, GOAL, PLAYER, SUM, Type, cell, list_of, number
from pwtool.ir.types import NOTHING as NONE
from pwtool.text.source import Span

Sign = Literal["==", "!=", "<", "<=", ">", ">="]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
TURNED: dict[Sign, Sign] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The sign of a comparison whose sides change places."""
Kind = Literal["some", "every", "no", "least", "most", "exactly"]
"""Kinds of quantifiers."""
Counting = Kind | Literal["count"]
"""A kind of quantifier, or the number itself."""

Placement = tuple[tuple[int, ...], tuple[int, ...]]
"""A place of a shape on a grid: the cells that need a thing, in the shape's reading order, and those that must be empty."""


class Node(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The base of all expressions. Two are equal if they mean the same, wherever they are written (`span`)."""

    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # `span` is the last field, as it is given by name.
        return astuple(self)[:-1] == astuple(other)[:-1]

    def __ne__(self, other: object) -> bool:
        # Without this method, a struct compares by identity.
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), astuple(self)[:-1]))


class Condition(Node, frozen=True):
    """An expression that is true, false or unknown."""

    @property
    def type(self) -> Type:
        return BOOL


class Counted(Node, frozen=True):
    """A number of things, 0 or more."""

    @property
    def type(self) -> Type:
        return COUNT


class Summed(Node, frozen=True):
    """A sum."""

    @property
    def type(self) -> Type:
        return SUM


# ---- leaves ----------------------------------------------------------------------------------------------------------


class Const(Node, frozen=True):
    """A value known when the ruleset is loaded; None is the absent value."""

    type: Type
    value: Any


class Local(Node, frozen=True):
    """A parameter, a named value or the current element of a quantifier, by its slot."""

    type: Type
    slot: int


class Variable(Node, frozen=True):
    type: Type
    number: int


class Actor(Node, frozen=True):
    """`player`: the player who acts; between actions, the one whose turn it is."""

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
    """The actor's total; only used for the ranking."""


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
    """Which of the zones of a name: its index in their flat list."""

    zone: int
    indices: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return PLAYER


class Zone(Node, frozen=True):
    """One zone, with all indices."""

    type: Type
    zone: int
    indices: tuple[Expr, ...]


class Family(Node, frozen=True):
    """The zones of a name, with the last `open` dimensions left open."""

    type: Type
    zone: int
    open: int
    indices: tuple[Expr, ...]


class PileAt(Node, frozen=True):
    """The pile on a cell of a grid; empty if nothing lies there."""

    type: Type
    grid: Expr
    cell: Expr


class Piles(Node, frozen=True):
    """The nonempty piles of a grid."""

    type: Type
    grid: Expr


class PilesByCell(Node, frozen=True):
    """The piles of a grid by cell number (row by row), None for an empty cell; a floating grid is moved to the upper left corner first."""

    type: Type
    grid: Expr
    width: int
    height: int
    floating: bool


class Each(Node, frozen=True):
    """For each nonempty pile, of several piles or of a grid: the pile, its top, all things in it, or all but the top."""

    type: Type
    piles: Expr
    part: Literal["pile", "top", "all", "covered"]


class Top(Node, frozen=True):
    """The top thing of a pile, None if it is empty."""

    type: Type
    pile: Expr


class TopAt(Node, frozen=True):
    """The top thing on the cell of this number, of piles by cell number; None for an empty cell and for no number."""

    type: Type
    piles: Expr
    at: Expr


class HeightAt(Node, frozen=True):
    """The number of things on the cell of this number, of piles by cell number; None for an empty cell and for no number."""

    type: Type
    piles: Expr
    at: Expr


class TopsAt(Node, frozen=True):
    """The top things on cells of these numbers, none of which is empty."""

    type: Type
    piles: Expr
    cells: Expr


# ---- things and collections ------------------------------------------------------------------------------------------


class Attribute(Node, frozen=True):
    """An attribute of a thing; None for nothing."""

    type: Type
    of: Expr
    component: str
    name: str


class Attributes(Node, frozen=True):
    """An attribute of each thing in a collection."""

    type: Type
    of: Expr
    component: str
    name: str


class Coordinate(Node, frozen=True):
    """The column (0) or row (1) of a cell; None for no cell."""

    type: Type
    cell: Expr
    axis: int


class PlayerAfter(Node, frozen=True):
    """The next player in seating order; None for nobody."""

    player: Expr

    @property
    def type(self) -> Type:
        return self.player.type


class Element(Node, frozen=True):
    """One of several values, by index: of the things that a shape matched, in reading order, or of what each player named."""

    type: Type
    of: Expr
    at: Expr


class Values(Node, frozen=True):
    """These values, in order."""

    type: Type
    items: tuple[Expr, ...]


class Table(Node, frozen=True):
    """A number looked up by another; `otherwise` None: every number has a row."""

    type: Type
    operand: Expr
    rows: tuple[tuple[int, Any], ...]
    otherwise: int | None


class Count(Counted, frozen=True):
    """The number of things in a collection; for a grid, of piles."""

    of: Expr


class Empty(Condition, frozen=True):
    of: Expr


class Sum(Summed, frozen=True):
    """The sum of a collection of numbers."""

    of: Expr


class CountDistinct(Counted, frozen=True):
    """The number of different values."""

    of: Attributes


class Extreme(Node, frozen=True):
    """The greatest or least of several values; None if there are none."""

    type: Type
    which: Literal["max", "min"]
    of: Attributes


class Alike(Condition, frozen=True):
    """Whether all values are equal, all are different, or each is greater than the one before."""

    kind: Literal["same", "distinct", "ascending"]
    of: Attributes


class Reads(Condition, frozen=True):
    """Whether several values are, in order, each of `values`."""

    of: Attributes
    values: tuple[int, ...]


class Concat(Node, frozen=True):
    """One collection followed by another."""

    type: Type
    left: Expr
    right: Expr


class Without(Node, frozen=True):
    """The multiset difference of two collections: two equal things less one leave one."""

    type: Type
    left: Expr
    right: Expr


class In(Condition, frozen=True):
    item: Expr
    items: Expr


# ---- grids -----------------------------------------------------------------------------------------------------------


class Neighbours(Node, frozen=True):
    """The cells of a grid adjacent to a cell (right, left, below, above; two more on a hexagonal grid), or those that
    touch it at a corner.
    """

    cell: Expr
    on: Grid
    diagonally: bool = False

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class CellAt(Node, frozen=True):
    """The cell of a grid at a column and row; None if the grid has none there."""

    column: Expr
    row: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return cell(self.on, optional=True)


class Direction(Node, frozen=True):
    """A step by a number of columns and rows."""

    type: Type
    column: Expr
    row: Expr


class Steps(Node, frozen=True):
    """Two steps in succession, the step from the second of two cells to the first, or (`*`) a multiple of a step; nothing for nothing."""

    type: Type
    sign: Literal["+", "-", "*"]
    left: Expr
    right: Expr


class Moved(Node, frozen=True):
    """The cell that a step leads to from a cell; None outside the grid, for no cell and for no step."""

    cell: Expr
    step: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return cell(self.on, optional=True)


class Ray(Node, frozen=True):
    """The cells reached by repeating a step, in order, to the edge of the grid."""

    cell: Expr
    step: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class Between(Node, frozen=True):
    """The cells between two cells in a row, a column or a diagonal, in order; otherwise none."""

    left: Expr
    right: Expr
    on: Grid

    @property
    def type(self) -> Type:
        return list_of(cell(self.on))


class Beside(Node, frozen=True):
    """The neighbours of an element in a known graph: `beside` lists, for each of `cells`, the indices of its neighbours
    in `cells`. Nothing if it is not an element.
    """

    type: Type
    of: Expr
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]


class Connected(Condition, frozen=True):
    """Whether the cells in use are connected side by side."""

    grid: Expr


class Fits(Condition, frozen=True):
    """Whether the cells in use, together with `cell`, fit in a box of this size."""

    grid: Expr
    cell: Expr | None
    width: int
    height: int


class Repeats(Counted, frozen=True):
    """How often all of `items` were the same at the beginning of an earlier turn; `number` is that of the history."""

    number: int
    items: tuple[Expr, ...]


class GroupSize(Node, frozen=True):
    """The number of piles in the largest or smallest group of connected piles whose tops agree in an attribute; 0 if there is none."""

    type: Type
    piles: Expr
    which: Literal["largest", "smallest"]
    component: str
    name: str
    width: int


# ---- tokens, actions, objectives -------------------------------------------------------------------------------------


class TokenIndex(Node, frozen=True):
    """The grid of its zone that a token lies on, by index; None if it lies on none."""

    token: int

    @property
    def type(self) -> Type:
        return replace(PLAYER, optional=True)


class TokenCell(Node, frozen=True):
    """The cell that a token lies on; None if it lies on none."""

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
    """Whether `body` holds in the position after an action with its immediate consequences. `parameters` are the locals
    that the action needs.
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
    """`value`, or `default` if it is absent."""

    type: Type
    value: Expr
    default: Expr


class Compare(Condition, frozen=True):
    """A comparison. `==` and `!=` compare any two values, the others numbers; an absent number is neither greater nor less."""

    sign: Sign
    left: Expr
    right: Expr


class Arithmetic(Node, frozen=True):
    type: Type
    sign: Literal["+", "-", "*"]
    left: Expr
    right: Expr


class Places(Node, frozen=True):
    """The places of a shape on `piles` (by cell number): for each place at which it lies, the tops there in reading
    order or, with `cells`, the numbers of these cells, None for a cell outside the grid. With `separate`, only places of
    which no two share a card are counted together.
    """

    type: Type
    places: tuple[Placement, ...]
    piles: Expr
    cells: tuple[tuple[int | None, ...], ...] = ()
    separate: bool = False

    @property
    def most(self) -> int:
        """An upper bound for the number of places that share no card."""
        if not self.separate or not self.places:
            return len(self.places)
        cells = {cell for needs, _ in self.places for cell in needs}
        return min(len(self.places), len(cells) // min(len(needs) for needs, _ in self.places))

    def tries(self, asked: int | None) -> int:
        """The search for so many separate places (None: for the most there are) takes at most so many steps."""
        wanted = self.most if asked is None else min(asked, self.most)
        return sum(comb(len(self.places), number) for number in range(wanted)) * len(self.places)

    def in_order(self) -> tuple[tuple[Placement, ...], tuple[tuple[int | None, ...], ...]]:
        """Its places with their cells in a canonical order."""
        if not self.cells:
            return tuple(sorted(self.places)), ()
        pairs = sorted(zip(self.places, self.cells, strict=True), key=repr)
        return tuple(place for place, _ in pairs), tuple(cells for _, cells in pairs)

    def lying(self, piles: Sequence[Any]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
        """The places where it lies on piles by cell number: the cells of its cards, and the value of the local."""
        for at, (needs, free) in enumerate(self.places):
            if all(piles[cell] for cell in needs) and not any(piles[cell] for cell in free):
                if self.cells:
                    cells = self.cells[at]
                    yield tuple(cell for cell in cells if cell is not None and piles[cell]), list(cells)
                else:
                    yield needs, [piles[cell][-1] for cell in needs]


# ---- folds over a collection: `slot` holds the current element while `body` is evaluated -----------------------------


class Pick(Node, frozen=True):
    """The first or last element for which `body` holds; None if there is none."""

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
    """The elements of a known graph (as in `Beside`) that are connected to `start` through elements for which `body`
    holds, in the order of `cells`; none if it does not hold for `start` itself.
    """

    type: Type
    slot: int
    start: Expr
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]
    body: Expr


class CountWhere(Node, frozen=True):
    """The number of elements for which `body` holds."""

    slot: int
    domain: Expr
    body: Expr

    @property
    def type(self) -> Type:
        return number(0, self.domain.most) if isinstance(self.domain, Places) else COUNT


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

    @property
    def asked(self) -> int | None:
        """So many elements for which `body` holds decide; None if all are counted."""
        return {"least": self.number, "most": self.number + 1, "exactly": self.number + 1}.get(self.kind)


Expr = (
    Const | Local | Variable | Actor | Players | Goals | Total | Let
    | ZoneIndex | Zone | Family | PileAt | Piles | PilesByCell | Each | Top | TopAt | HeightAt | TopsAt
    | Attribute | Attributes | Coordinate | PlayerAfter | Element | Values | Table
    | Count | Empty | Sum | CountDistinct | Extreme | Alike | Reads | Concat | Without | In
    | Neighbours | Beside | CellAt | Direction | Steps | Moved | Ray | Between | Connected | Fits | GroupSize | Repeats | Places
    | TokenIndex | TokenCell | Can | After | Fulfils
    | And | Or | Not | If | Else | Compare | Arithmetic
    | Pick | Where | Around | CountWhere | SumWhere | Quantified
)  # fmt: skip

Loop = Pick | Where | Around | CountWhere | SumWhere | Quantified
"""Operations that evaluate their body once for every element, held by the local `slot`."""

OPERATIONS: tuple[type[Node], ...] = Expr.__args__
"""Every class of `Expr`."""

TRUE = Const(type=BOOL, value=True)
FALSE = Const(type=BOOL, value=False)
NOTHING = Const(type=NONE, value=None)


def counted(kind: Counting, number: int, slot: int, domain: Expr, body: Expr, span: Span | None) -> Expr:
    """A quantifier, or the number of elements for which a condition holds."""
    if kind == "count":
        return CountWhere(slot, domain, body, span=span)
    return Quantified(kind, number, slot, domain, body, span=span)


def is_local(x: Expr, slot: int) -> bool:
    """Whether an expression is the local with this slot."""
    return isinstance(x, Local) and x.slot == slot
