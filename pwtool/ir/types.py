"""The types of the rules language. Every type has bounds that are known when the ruleset is loaded."""

from __future__ import annotations

import msgspec


class Type(msgspec.Struct, frozen=True):
    """`kind` is one of the names below; the other fields hold what that kind needs.

    bool; int (`low`, `high`); member (a value of an enumerated attribute: `component`, `attribute`); face
    (`component`);
    player; goal; cell; key (one of several attributes, `options`); list, pile and bag (`element`); grid; family
    (several
    zones, `element` is one zone's type); order (what chance makes, nothing reads it);
    each (a value for every player, `element`); token; error (after a finding:
    fits everywhere).
    """

    kind: str
    low: int = 0
    high: int = 0
    component: str = ""
    attribute: str = ""
    element: Type | None = None
    options: tuple[Type, ...] = ()
    optional: bool = False

    @property
    def is_collection(self) -> bool:
        return self.kind in ("list", "pile", "bag", "grid", "family")

    def __str__(self) -> str:
        return describe_type(self)


BOOL = Type("bool")
PLAYER = Type("player")
GOAL = Type("goal")
CELL = Type("cell")
ERROR = Type("error")
NOTHING = Type("nothing", optional=True)


def number(low: int, high: int) -> Type:
    return Type("int", low=low, high=high)


def face(component: str) -> Type:
    return Type("face", component=component)


def list_of(element: Type) -> Type:
    return Type("list", element=element)


def describe_type(t: Type) -> str:
    """The type in words a designer knows."""
    match t.kind:
        case "bool":
            return "a condition"
        case "int":
            return "a number"
        case "member":
            return f"a {t.attribute}"
        case "face":
            return f"a {t.component}"
        case "key":
            return " or ".join(describe_type(o) for o in t.options)
        case "list" | "pile" | "bag":
            kind = "collection" if t.kind == "list" else t.kind
            return f"a {kind} of {_plural(t.element)}"
        case "grid":
            return "a grid"
        case "each":
            return f"{describe_type(t.element) if t.element else 'a value'} of every player"
        case "family":
            return "several zones"
        case "nothing":
            return "nothing"
    return f"a {t.kind}"


def _plural(t: Type | None) -> str:
    if t is None:
        return "things"
    words = describe_type(t).removeprefix("a ").removeprefix("an ")
    return words if words.endswith("s") else words + "s"


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
    """The type of a value that is one of the two, None when they have nothing in common."""
    optional = a.optional or b.optional
    if a.kind == "error" or b.kind == "nothing":
        return Type(a.kind, a.low, a.high, a.component, a.attribute, a.element, a.options, optional)
    if b.kind == "error" or a.kind == "nothing":
        return Type(b.kind, b.low, b.high, b.component, b.attribute, b.element, b.options, optional)
    if a.kind == b.kind == "int":
        return Type("int", low=min(a.low, b.low), high=max(a.high, b.high), optional=optional)
    if a.kind == b.kind and (a.component, a.attribute) == (b.component, b.attribute):
        return Type(a.kind, a.low, a.high, a.component, a.attribute, a.element, a.options, optional)
    return None
