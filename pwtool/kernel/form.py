"""The form that every back end runs: expressions lowered to a few operations on integers, piles and sequences.

`lower.py` makes it from checked expressions; closures (`closures.py`), WebAssembly (`wasm/`) and circuits
(`pwtool/boards/gates.py`) are made from it. A *value* is an integer, a truth value, a member's name, a cell or
nothing (None); a *pile* is a pile, bag or slot, a list that a parameter or a variable holds, or a grid; a *vector* is
a fixed number of values (what a shape matched, what each player named); a *sequence* is gone through from its first
element. Nothing here has a type: the ruleset was checked before.
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
    """What a local holds: a value, a pile or a vector."""

    slot: int


class Let(Op, frozen=True):
    """`body` with the local `slot` holding `value`, which may be anything."""

    slot: int
    value: Form
    body: Form


class Variable(Op, frozen=True):
    """A variable's value; the pile of one that is a collection."""

    number: int


class Actor(Op, frozen=True):
    """The seat of the player who acts."""


class Total(Op, frozen=True):
    """The actor's total, while players are ranked."""


class TokenIndex(Op, frozen=True):
    """Which grid of its zone a token lies on; nothing where it lies nowhere."""

    token: int


class TokenCell(Op, frozen=True):
    """The cell that a token lies on."""

    token: int


class ZoneIndex(Op, frozen=True):
    """The place of a zone in the flat list of those of its name."""

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
    """`value`, or `default` where it is nothing."""

    value: Form
    default: Form


class Equal(Op, frozen=True):
    """Whether two values are equal; nothing is equal to nothing alone."""

    left: Form
    right: Form


class Less(Op, frozen=True):
    """Whether one number is less than another; both are there."""

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
    """The number that a table has for another; `otherwise` where it has no row."""

    operand: Form
    rows: tuple[tuple[int, int], ...]
    otherwise: int | None


class Attribute(Op, frozen=True):
    """An attribute of a thing; with `optional`, nothing of nothing."""

    of: Form
    component: str
    name: str
    optional: bool


class ByFace(Op, frozen=True):
    """A value that depends on one thing alone, by its face: made by `tabulate.py`."""

    of: Form
    table: tuple[Any, ...]


class Coordinate(Op, frozen=True):
    """The column (0) or row (1) of a cell; with `optional`, nothing of no cell."""

    cell: Form
    axis: int
    optional: bool


class Offset(Op, frozen=True):
    """The cell so many columns and rows further."""

    cell: Form
    columns: int
    rows: int


class CellAt(Op, frozen=True):
    """The cell of a grid in a column and a row; nothing where it has none there, or one of them is nothing."""

    column: Form
    row: Form
    on: Grid


class Direction(Op, frozen=True):
    """A step of so many columns and rows."""

    column: Form
    row: Form


class Steps(Op, frozen=True):
    """Two steps one after the other, the step from the second of two cells to the first, or a step so many times; with
    `optional`, nothing of nothing.
    """

    sign: Literal["+", "-", "*"]
    left: Form
    right: Form
    optional: bool


class Moved(Op, frozen=True):
    """The cell to which a step leads from a cell; nothing outside of the grid, and of nothing."""

    cell: Form
    step: Form
    on: Grid


class Next(Op, frozen=True):
    """The next seat; with `optional`, nothing after nobody."""

    player: Form
    optional: bool


class Top(Op, frozen=True):
    """The uppermost thing of a pile; nothing of an empty one."""

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
    """Whether the body holds in the position to which an action leads, whose parameters are locals."""

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
    """The pile on a cell of a grid; an empty one where nothing lies."""

    grid: Form
    cell: Form


# ---- sequences -------------------------------------------------------------------------------------------------------


class TopAt(Op, frozen=True):
    """The top on a cell of a board, by its number; with `optional`, nothing where nothing lies and of no number."""

    piles: Form
    at: Form
    optional: bool


class HeightAt(Op, frozen=True):
    """How many things lie on a cell of a board, by its number; with `optional`, nothing where none lies and of no number."""

    piles: Form
    at: Form
    optional: bool


class Values(Op, frozen=True):
    """These values, in order."""

    items: tuple[Form, ...]


class Held(Op, frozen=True):
    """What lies in a pile, from bottom to top; the values of a vector."""

    pile: Form


class Seats(Op, frozen=True):
    """All players."""


class GoalsInPlay(Op, frozen=True):
    """The objectives in play, by number."""


class Near(Op, frozen=True):
    """The cells of a grid that lie beside a cell, or touch it at a corner."""

    cell: Form
    on: Grid
    diagonally: bool


class Ray(Op, frozen=True):
    """The cells to which a step leads again and again. One that is not a constant goes to one of the eight cells around."""

    cell: Form
    step: Form
    on: Grid


class Between(Op, frozen=True):
    """The cells between two that lie in a line."""

    left: Form
    right: Form
    on: Grid


class Piles(Op, frozen=True):
    """The zones of a name whose last `open` dimensions are left open."""

    zone: int
    open: int
    indices: tuple[Form, ...]


class Used(Op, frozen=True):
    """The piles of a grid that are not empty, in the order in which their cells came into use."""

    grid: Form


class Board(Op, frozen=True):
    """The piles of a grid by cell number, nothing where none lies; a floating grid is moved into the upper left corner."""

    grid: Form
    width: int
    height: int
    floating: bool


class Each(Op, frozen=True):
    """Of each pile that is not empty: the pile, its top, all things in it, or all but the top."""

    piles: Form
    part: Literal["pile", "top", "all", "covered"]


class Attributes(Op, frozen=True):
    """An attribute of each thing."""

    of: Form
    component: str
    name: str


class TopsAt(Op, frozen=True):
    """The tops on cells of a board, by their numbers."""

    piles: Form
    cells: Form


class Beside(Op, frozen=True):
    """Those of `cells` that lie beside one of them: `beside` are their places in `cells`, for each."""

    of: Form
    cells: tuple[Any, ...]
    beside: tuple[tuple[int, ...], ...]


class Around(Op, frozen=True):
    """Those of `cells`, in order, that hang together with `start` (by `beside`) through some for which the body holds."""

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
    """A sequence less another, counted."""

    left: Form
    right: Form


class Places(Op, frozen=True):
    """Where a shape lies on the piles of a board: for each place the vector of the tops on its cells or, with `cells`, that of the
    numbers of these cells, nothing for one beyond the grid.
    """

    places: tuple[Placement, ...]
    piles: Form
    cells: tuple[tuple[int | None, ...], ...] = ()


# ---- what goes through a sequence; `slot` holds the element while `body` is computed -----------------------------------


class Any_(Op, frozen=True):
    """Whether the body holds for an element; without a body, whether there is one."""

    slot: int
    sequence: Form
    body: Form | None


class AtLeast(Op, frozen=True):
    """Whether the body holds for so many elements; `number` is 2 or more."""

    number: int
    slot: int
    sequence: Form
    body: Form


class Separate(Op, frozen=True):
    """Whether the body holds for so many places of a shape of which no two share a card; `number` is 2 or more."""

    number: int
    slot: int
    sequence: Places
    body: Form


class Count(Op, frozen=True):
    """For how many elements the body holds; without a body, how many there are."""

    slot: int
    sequence: Form
    body: Form | None


class Sum(Op, frozen=True):
    """The sum of the body over all elements; without a body, of the elements."""

    slot: int
    sequence: Form
    body: Form | None


class First(Op, frozen=True):
    """The first element for which the body holds, `backwards` the last; nothing where there is none."""

    slot: int
    sequence: Form
    body: Form
    backwards: bool


class Alike(Op, frozen=True):
    """Whether all values of a sequence are the same, no two are, or each is more than the one before."""

    kind: Literal["same", "distinct", "ascending"]
    sequence: Form


class Different(Op, frozen=True):
    """How many different values a sequence has."""

    sequence: Form


class Extreme(Op, frozen=True):
    """The greatest or least value of a sequence; nothing of an empty one."""

    which: Literal["max", "min"]
    sequence: Form


class Contains(Op, frozen=True):
    sequence: Form
    item: Form


class Connected(Op, frozen=True):
    """Whether the used cells of a grid hang together side by side."""

    grid: Form


class Fits(Op, frozen=True):
    """Whether the used cells, and `cell` with them, lie within a box of this size."""

    grid: Form
    cell: Form | None
    width: int
    height: int


class Repeats(Op, frozen=True):
    """How often what a history keeps was as it is now when an earlier turn began."""

    number: int


class Group(Op, frozen=True):
    """The size of the largest or smallest group of piles of a board whose tops hang together and agree in an attribute."""

    piles: Form
    which: Literal["largest", "smallest"]
    component: str
    name: str
    width: int


Form = (
    Const | Face | Local | Let | Variable | Actor | Total | TokenIndex | TokenCell | ZoneIndex
    | Not | And | Or | If | Else | Equal | Less | Add | Subtract | Multiply | Lookup
    | Attribute | ByFace | Coordinate | Offset | CellAt | Direction | Steps | Moved | Next | Top | Element | Can | After | Fulfils
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
    """The operations right below this one."""
    for name in x.__struct_fields__:
        value = getattr(x, name)
        if isinstance(value, Op):
            yield value  # type: ignore[misc]
        elif isinstance(value, tuple) and value and isinstance(value[0], Op):
            yield from value


def walk(x: Form) -> Iterator[Form]:
    """The operation and everything below it, each before its parts."""
    yield x
    for part in parts(x):
        yield from walk(part)


def rebuilt(x: Form, change: Callable[[Form], Form]) -> Form:
    """The operation with each of its parts changed."""
    changed: dict[str, Any] = {}
    for name in x.__struct_fields__:
        value = getattr(x, name)
        if isinstance(value, Op):
            changed[name] = change(value)  # type: ignore[arg-type]
        elif isinstance(value, tuple) and value and isinstance(value[0], Op):
            changed[name] = tuple(change(part) for part in value)
    return msgspec.structs.replace(x, **changed) if changed else x


def depth(x: Form) -> int:
    """How deeply loops are nested in a form; to look for a possible action is more than one."""
    inner = max(map(depth, parts(x)), default=0)
    if isinstance(x, Can | After):
        return 2
    return inner + isinstance(x, Any_ | AtLeast | Separate | Count | Sum | First | Where | Around)
