"""The types of the rules language. Every type has bounds that are known when the ruleset is loaded."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from pwtool.ir.grids import Grid
from pwtool.text.speech import AnyOf, Told, mark

MAX_NUMBER = 10**15
"""No number in a game is larger: a ruleset in which one could be is refused (`pwtool.rules.intervals`)."""


class Type(msgspec.Struct, frozen=True):
    """`kind` is one of the names below; the other fields hold what that kind needs.

    bool; int (`low`, `high`); member (a value of an enumerated attribute: `component`, `attribute`); face
    (`component`); player; goal; cell (of `grid`, if known); direction (a step of `low` to `high` columns and rows);
    place (a cell of the current grid, by number, for the thing visible on it); key (one of several attributes,
    `options`); list, pile and bag (`element`); grid; family (several zones, `element` is the type of one); order (made
    by chance, never read); each (a value for every player, `element`); token; error (after a finding: fits everywhere).
    """

    kind: str
    low: int = 0
    high: int = 0
    component: str = ""
    attribute: str = ""
    element: Type | None = None
    options: tuple[Type, ...] = ()
    optional: bool = False
    grid: Grid | None = None

    @property
    def is_collection(self) -> bool:
        return self.kind in ("list", "pile", "bag", "grid", "family")

    def __str__(self) -> str:
        return describe_type(self)


BOOL = Type("bool")
PLAYER = Type("player")
GOAL = Type("goal")
ERROR = Type("error")
NOTHING = Type("nothing", optional=True)


def number(low: int, high: int) -> Type:
    return Type("int", low=low, high=high)


COUNT = number(0, MAX_NUMBER)
SUM = number(-MAX_NUMBER, MAX_NUMBER)
"""Types of numbers whose bounds are only computed for the whole ruleset."""


def interval(sign: Literal["+", "-", "*"], a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The bounds of a sum, difference or product of two numbers with these bounds."""
    if sign == "*":
        products = [x * y for x in a for y in b]
        return min(products), max(products)
    return (a[0] + b[0], a[1] + b[1]) if sign == "+" else (a[0] - b[1], a[1] - b[0])


def combined(sign: Literal["+", "-", "*"], a: Type, b: Type) -> Type:
    """The type of a sum, difference or product of two numbers."""
    low, high = interval(sign, (a.low, a.high), (b.low, b.high))
    return number(max(low, -MAX_NUMBER), min(high, MAX_NUMBER))


def cell(grid: Grid | None, optional: bool = False) -> Type:
    return Type("cell", grid=grid, optional=optional)


def direction(low: int, high: int, optional: bool = False) -> Type:
    return Type("direction", low=low, high=high, optional=optional)


def face(component: str) -> Type:
    return Type("face", component=component)


def place(component: str) -> Type:
    return Type("place", component=component)


def list_of(element: Type) -> Type:
    return Type("list", element=element)


def describe_type(t: Type) -> Told:
    """The type in words that a designer understands."""
    match t.kind:
        case "member":
            return Told("a {thing}", thing=t.attribute)
        case "face" | "place":
            return Told("a {thing}", thing=t.component)
        case "key":
            return Told("{types}", types=AnyOf(map(describe_type, t.options)))
        case "list" | "pile" | "bag":
            return Told(_OF[t.kind][0], things=_plural(t.element))
        case "each":
            return Told("{type} of every player", type=describe_type(t.element) if t.element else Told("a value"))
    return Told(_WORDS[t.kind][0])


def apart(a: Type, b: Type) -> tuple[Told, Told]:
    """Two types in words, with whose attribute each is where they would read the same."""
    first, second = describe_type(a), describe_type(b)
    if first == second and a.component and b.component and a.component != b.component:
        said = mark("{type} of `{component}`")
        return Told(said, type=first, component=a.component), Told(said, type=second, component=b.component)
    return first, second


def _plural(t: Type | None) -> str:
    if t is None:
        return Told("things")
    if t.kind in ("member", "face", "place"):
        thing = t.attribute if t.kind == "member" else t.component
        return thing if thing.endswith("s") else Told("{thing}s", thing=thing)
    if t.kind in _OF:
        return Told(_OF[t.kind][1], things=_plural(t.element))
    return Told(_WORDS[t.kind][1]) if t.kind in _WORDS else f"{describe_type(t).removeprefix('a ')}s"


_WORDS = {
    "bool": (mark("a condition"), mark("conditions")), "int": (mark("a number"), mark("numbers")), "player": (mark("a player"), mark("players")),
    "goal": (mark("a goal"), mark("goals")), "cell": (mark("a cell"), mark("cells")), "direction": (mark("a direction"), mark("directions")),
    "order": (mark("a order"), mark("orders")), "token": (mark("a token"), mark("tokens")), "grid": (mark("a grid"), mark("grids")),
    "family": (mark("several zones"), mark("several zones")), "nothing": (mark("nothing"), mark("nothings")), "error": ("a error", "errors"),
}  # fmt: skip
_OF = {
    "list": (mark("a collection of {things}"), mark("collection of {things}")),
    "pile": (mark("a pile of {things}"), mark("pile of {things}")), "bag": (mark("a bag of {things}"), mark("bag of {things}")),
}  # fmt: skip


def is_numeric(t: Type) -> bool:
    return t.kind in ("int", "error")


def comparable(a: Type, b: Type) -> bool:
    """Whether `==` between the two can ever be true."""
    if "error" in (a.kind, b.kind) or "nothing" in (a.kind, b.kind):
        return True
    if a.kind == "key":
        return any(comparable(o, b) for o in a.options)
    if b.kind == "key":
        return any(comparable(a, o) for o in b.options)
    if a.kind != b.kind:
        return False
    if a.kind in ("member", "face"):
        return (a.component, a.attribute) == (b.component, b.attribute)
    return not a.is_collection


def join(a: Type, b: Type) -> Type | None:
    """The type of a value that is one of the two, None if they have nothing in common."""
    optional = a.optional or b.optional
    if a.kind == "error" or b.kind == "nothing":
        return replace(a, optional=optional)
    if b.kind == "error" or a.kind == "nothing":
        return replace(b, optional=optional)
    if a.kind == b.kind and a.kind in ("int", "direction"):
        return Type(a.kind, low=min(a.low, b.low), high=max(a.high, b.high), optional=optional)
    if a.kind == b.kind and (a.component, a.attribute) == (b.component, b.attribute):
        element = a.element and b.element and join(a.element, b.element)
        grid = a.grid if a.grid == b.grid else None
        return replace(a, element=element or a.element, grid=grid, optional=optional)
    return None
