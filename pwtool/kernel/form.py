"""The form that every back end runs: expressions lowered to a few operations on integers, piles and sequences.

`lower.py` makes it from checked expressions; Python functions (`python.py`), WebAssembly (`wasm/`) and circuits
(`pwtool/boards/gates.py`) are made from it. A *value* is an integer, a truth value, a member's name, a cell or nothing
(None); a *pile* is a pile, bag or slot, a list that a parameter or a variable holds, or a grid; a *vector* is a fixed
number of values (what a shape matched, what each player named); a *sequence* is traversed from its first element.
Nothing here has a type: the ruleset has already been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from pwtool.ir.grids import Grid
from pwtool.ir.nodes import Placement


class Op(msgspec.Struct, frozen=True):
    """The base of all operations."""


# ---- values ----------------------------------------------------------------------------------------------------------


class Const(Op, frozen=True):
    value: Any


class Face(Op, frozen=True):
    """A thing, by the number of its face."""

    face: int


class Local(Op, frozen=True):
    """The content of a local: a value, a pile or a vector."""

    slot: int


class Let(Op, frozen=True):
    """`body` with the local `slot` bound to `value`, which may be anything."""

    slot: int
    value: Form
    body: Form


class Variable(Op, frozen=True):
    """The value of a variable; for a collection, its pile."""

    number: int


class Actor(Op, frozen=True):
    """The seat of the player who acts."""


class Total(Op, frozen=True):
    """The actor's total; only used for the ranking."""


class TokenIndex(Op, frozen=True):
    """The grid of its zone that a token lies on, by index; nothing if it lies on none."""

    token: int


class TokenCell(Op, frozen=True):
    """The cell that a token lies on."""

    token: int


class ZoneIndex(Op, frozen=True):
    """The index of a zone in the flat list of the zones of its name."""

    zone: int
    indices: tuple[Form, ...]


class Not(Op, frozen=True):
    operand: Form


class And(Op, frozen=True):
    left: Form
    right: Form


class Or(Op, frozen=True):
    left: Form
    right: Form


class If(Op, frozen=True):
    condition: Form
    then: Form
    otherwise: Form


class Else(Op, frozen=True):
    """`value`, or `default` if it is nothing."""

    value: Form
    default: Form


class Equal(Op, frozen=True):
    """Whether two values are equal; nothing is equal only to nothing."""

    left: Form
    right: Form


class Less(Op, frozen=True):
    """Whether one number is less than another; neither is nothing."""

    left: Form
    right: Form


class Add(Op, frozen=True):
    left: Form
    right: Form


class Subtract(Op, frozen=True):
    left: Form
    right: Form


class Multiply(Op, frozen=True):
    left: Form
    right: Form


class Lookup(Op, frozen=True):
    """The number that a table gives for another; `otherwise` if it has no row."""

    operand: Form
    rows: tuple[tuple[int, int], ...]
    otherwise: int | None


class Attribute(Op, frozen=True):
    """An attribute of a thing; with `optional`, nothing for nothing."""

    of: Form
    component: str
    name: str
    optional: bool


class ByFace(Op, frozen=True):
    """A value that depends on one thing alone, as a table by face; made by `wasm/tables.py`."""

    of: Form
    table: tuple[Any, ...]


class Coordinate(Op, frozen=True):
    """The column (0) or row (1) of a cell; with `optional`, nothing for no cell."""

    cell: Form
    axis: int
    optional: bool


class CellAt(Op, frozen=True):
    """The cell of a grid at a column and row; nothing if there is no such cell, or either number is nothing."""

    column: Form
    row: Form
    on: Grid


class Direction(Op, frozen=True):
    """A step by a number of columns and rows."""

    column: Form
    row: Form


class Steps(Op, frozen=True):
    """Two steps in succession, the step from the second of two cells to the first, or a multiple of a step; with
    `optional`, nothing for nothing.
    """

    sign: Literal["+", "-", "*"]
    left: Form
    right: Form
    optional: bool


class Moved(Op, frozen=True):
    """The cell that a step leads to from a cell; nothing outside the grid, and for nothing."""

    cell: Form
    step: Form
    on: Grid


class Next(Op, frozen=True):
    """The next seat; with `optional`, nothing for nobody."""

    player: Form
    optional: bool


class Top(Op, frozen=True):
    """The top thing of a pile; nothing if the pile is empty."""

    pile: Form


class Element(Op, frozen=True):
    """One value of a vector."""

    vector: Form
    index: Form


class Can(Op, frozen=True):
    """Whether the actor, or another player, can do an action at all."""

    action: str
    player: Form | None = None


class After(Op, frozen=True):
    """Whether the body holds in the position after an action, whose parameters are locals."""

    action: str
    body: Form


class Fulfils(Op, frozen=True):
    """Whether a grid fulfils an objective in play."""

    grid: Form
    goal: Form


# ---- piles -----------------------------------------------------------------------------------------------------------


class Pile(Op, frozen=True):
    """A zone of the position."""

    zone: int
    indices: tuple[Form, ...]


class PileAt(Op, frozen=True):
    """The pile on a cell of a grid; an empty one if nothing lies there."""

    grid: Form
    cell: Form


# ---- sequences -------------------------------------------------------------------------------------------------------


class TopAt(Op, frozen=True):
    """The top on a cell of a board, by cell number; with `optional`, nothing for an empty cell and for no number."""

    piles: Form
    at: Form
    optional: bool


class HeightAt(Op, frozen=True):
    """How many things lie on a cell of a board, by cell number; with `optional`, nothing for an empty cell and for no number."""

    piles: Form
    at: Form
    optional: bool


class Values(Op, frozen=True):
    """These values, in order."""

    items: tuple[Form, ...]


class Held(Op, frozen=True):
    """The things in a pile, from bottom to top; the values of a vector."""

    pile: Form


class Seats(Op, frozen=True):
    """All players."""


class GoalsInPlay(Op, frozen=True):
    """The objectives in play, by number."""


class Near(Op, frozen=True):
    """The cells of a grid adjacent to a cell, or those that touch it at a corner."""

    cell: Form
    on: Grid
    diagonally: bool


class Ray(Op, frozen=True):
    """The cells reached by repeating a step. A step that is not a constant leads to one of the eight surrounding cells."""

    cell: Form
    step: Form
    on: Grid


class Between(Op, frozen=True):
    """The cells between two cells in a line."""

    left: Form
    right: Form
    on: Grid


class Piles(Op, frozen=True):
    """The zones of a name, with the last `open` dimensions left open."""

    zone: int
    open: int
    indices: tuple[Form, ...]


class Used(Op, frozen=True):
    """The nonempty piles of a grid, in the order in which their cells came into use."""

    grid: Form


class Board(Op, frozen=True):
    """The piles of a grid by cell number, nothing for an empty cell; a floating grid is moved to the upper left corner."""

    grid: Form
    width: int
    height: int
    floating: bool


class Each(Op, frozen=True):
    """For each nonempty pile: the pile, its top, all things in it, or all but the top."""

    piles: Form
    part: Literal["pile", "top", "all", "covered"]


class Attributes(Op, frozen=True):
    """An attribute of each thing."""

    of: Form
    component: str
    name: str


class TopsAt(Op, frozen=True):
    """The tops on cells of a board, by cell number."""

    piles: Form
    cells: Form


class Beside(Op, frozen=True):
    """Those of `cells` that are adjacent to one of them; `beside` lists, for each cell, the indices of its neighbours in `cells`."""

    of: Form
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]


class Around(Op, frozen=True):
    """Those of `cells`, in order, that are connected to `start` (by `beside`) through cells for which the body holds."""

    slot: int
    start: Form
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]
    body: Form


class Where(Op, frozen=True):
    """The elements of a sequence for which the body holds."""

    slot: int
    sequence: Form
    body: Form


class Chain(Op, frozen=True):
    left: Form
    right: Form


class Minus(Op, frozen=True):
    """The multiset difference of two sequences."""

    left: Form
    right: Form


class Places(Op, frozen=True):
    """The places of a shape on the piles of a board: for each place the vector of the tops on its cells or, with
    `cells`, of the numbers of these cells, nothing for one outside the grid.
    """

    places: tuple[Placement, ...]
    piles: Form
    cells: tuple[tuple[int | None, ...], ...] = ()


# ---- folds over a sequence; `slot` holds the element while `body` is computed ----------------------------------------


class Any_(Op, frozen=True):
    """Whether the body holds for some element; without a body, whether there is one."""

    slot: int
    sequence: Form
    body: Form | None


class AtLeast(Op, frozen=True):
    """Whether the body holds for at least `number` elements, 2 or more."""

    number: int
    slot: int
    sequence: Form
    body: Form


class Separate(Op, frozen=True):
    """Whether the body holds for at least `number` places of a shape, 2 or more, of which no two share a card."""

    number: int
    slot: int
    sequence: Places
    body: Form


class Count(Op, frozen=True):
    """The number of elements for which the body holds; without a body, of all."""

    slot: int
    sequence: Form
    body: Form | None


class Sum(Op, frozen=True):
    """The sum of the body over all elements; without a body, of the elements themselves."""

    slot: int
    sequence: Form
    body: Form | None


class First(Op, frozen=True):
    """The first element for which the body holds, or the last with `backwards`; nothing if there is none."""

    slot: int
    sequence: Form
    body: Form
    backwards: bool


class Alike(Op, frozen=True):
    """Whether all values of a sequence are equal, all are different, or each is greater than the one before."""

    kind: Literal["same", "distinct", "ascending"]
    sequence: Form


class Different(Op, frozen=True):
    """The number of different values in a sequence."""

    sequence: Form


class Extreme(Op, frozen=True):
    """The greatest or least value of a sequence; nothing if it is empty."""

    which: Literal["max", "min"]
    sequence: Form


class Contains(Op, frozen=True):
    sequence: Form
    item: Form


class Connected(Op, frozen=True):
    """Whether the used cells of a grid are connected side by side."""

    grid: Form


class Fits(Op, frozen=True):
    """Whether the used cells, together with `cell`, fit in a box of this size."""

    grid: Form
    cell: Form | None
    width: int
    height: int


class Repeats(Op, frozen=True):
    """How often the part of the position that a history keeps was the same at the beginning of an earlier turn."""

    number: int


class Group(Op, frozen=True):
    """The size of the largest or smallest group of connected piles of a board whose tops agree in an attribute."""

    piles: Form
    which: Literal["largest", "smallest"]
    component: str
    name: str
    width: int


Form = (
    Const | Face | Local | Let | Variable | Actor | Total | TokenIndex | TokenCell | ZoneIndex
    | Not | And | Or | If | Else | Equal | Less | Add | Subtract | Multiply | Lookup
    | Attribute | ByFace | Coordinate | CellAt | Direction | Steps | Moved | Next | Top | Element | Can | After | Fulfils
    | Pile | PileAt | TopAt | HeightAt
    | Values | Held | Seats | GoalsInPlay | Near | Ray | Between | Piles | Used | Board | Each | Attributes | TopsAt | Beside
    | Around | Where | Chain | Minus | Places
    | Any_ | AtLeast | Separate | Count | Sum | First | Alike | Different | Extreme | Contains | Connected | Fits | Repeats | Group
)  # fmt: skip

NOTHING = Const(None)
TRUE = Const(True)
FALSE = Const(False)

OPERATIONS: tuple[type[Op], ...] = Form.__args__
"""Every class of `Form`."""


def parts(x: Form) -> Iterator[Form]:
    """The direct operands of this operation."""
    for name in x.__struct_fields__:
        value = getattr(x, name)
        if isinstance(value, Op):
            yield value  # type: ignore[misc]
        elif isinstance(value, tuple) and value and isinstance(value[0], Op):
            yield from value


def walk(x: Form) -> Iterator[Form]:
    """The operation and all operations below it, parents first."""
    yield x
    for part in parts(x):
        yield from walk(part)


def rebuilt(x: Form, change: Callable[[Form], Form]) -> Form:
    """The operation with a function applied to each of its parts."""
    changed: dict[str, Any] = {}
    for name in x.__struct_fields__:
        value = getattr(x, name)
        if isinstance(value, Op):
            changed[name] = change(value)  # type: ignore[arg-type]
        elif isinstance(value, tuple) and value and isinstance(value[0], Op):
            changed[name] = tuple(change(part) for part in value)
    return msgspec.structs.replace(x, **changed) if changed else x


def depth(x: Form) -> int:
    """How deeply loops are nested in a form; a search for a possible action counts as more than one."""
    inner = max(map(depth, parts(x)), default=0)
    if isinstance(x, Can | After):
        return 2
    return inner + isinstance(x, Any_ | AtLeast | Separate | Count | Sum | First | Where | Around)
