"""All items of a ruleset after its layers were applied: the trees, and what each layer changed."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, field

from pwtool.lang import tree as n
from pwtool.lang.look import Look
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark

Key = tuple[str, str]
_N = TypeVar("_N", bound=n.Node)

_KINDS: dict[type[n.Node], str] = {
    n.Source: mark("source"), n.Section: mark("section"), n.Component: mark("component"), n.Deck: mark("deck"), n.Zone: mark("zone"), n.Token: mark("token"),
    n.SetupStep: mark("setup"), n.Anytime: mark("anytime"), n.Var: mark("var"), n.Define: mark("define"), n.Action: mark("action"), n.Rule: mark("rule"),
    n.Consequence: mark("consequence"), n.Ending: mark("ending"), n.Score: mark("score"), n.Invariant: mark("invariant"), n.Shape: mark("shape"),
    n.Objective: mark("objective"), n.Ambiguity: mark("ambiguity"), n.Erratum: mark("erratum"),
}  # fmt: skip
_SINGLE: dict[type[n.Node], str] = {n.Players: mark("players"), n.Turn: mark("turn"), n.Ranking: mark("ranking")}


class Step(Struct, frozen=True):
    """What one layer did to an item: `verb` is `adds`, `changes` or `removes`."""

    layer: str
    verb: str
    reason: n.Reason | None
    before: n.Node | None
    after: n.Node | None


class Earlier(Struct, frozen=True):
    """What the layers before a layer say: their examples and score lines, and for each action its parameters and its rules; and where
    its own files have `changed` items so far.
    """

    layer: str
    examples: list[n.Example]
    scores: set[Key]
    actions: dict[str, tuple[tuple[n.Node, ...], list[n.Node]]]
    changed: dict[Key, Span]


class Merged(Struct):
    """All items of a ruleset after its layers were applied, in order, with the history of each."""

    headers: list[n.Header] = field(default_factory=list)
    items: dict[Key, n.Node] = field(default_factory=dict)
    history: dict[Key, list[Step]] = field(default_factory=dict)
    examples: list[n.Example] = field(default_factory=list)
    texts: dict[str, dict[Key, n.Translation]] = field(default_factory=dict)
    notes: dict[str, dict[Key, n.Note]] = field(default_factory=dict)
    looks: dict[Key, Look] = field(default_factory=dict)
    without: dict[str, n.Without] = field(default_factory=dict)
    within: dict[str, list[tuple[str, n.Within]]] = field(default_factory=dict)
    """What layers change when they are played with a variant: each with the name of its layer."""
    restated: set[Key] = field(default_factory=set)
    """Open points of which later layers have changed all that they are about: what they were read as says nothing here."""
    own: frozenset[str] = frozenset()
    """The files of the last layer, by their names in findings."""
    earlier: Earlier | None = None
    """What there was before the layer that is applied, which may have several files."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    advises: bool = True
    """Whether anybody reads what findings advise: to look for a name like another takes time."""

    def of_kind(self, node_type: type[_N]) -> list[_N]:
        """The items of this type."""
        return [item for item in self.items.values() if isinstance(item, node_type)]

    @property
    def edition(self) -> n.Header:
        """The header of the edition that is played, whatever its variants; of the game if there is none."""
        return next((h for h in reversed(self.headers) if h.kind != "variant"), self.headers[0])


def key_of(node: n.Node) -> Key:
    """The key of an item: its kind and its name."""
    if type(node) in _SINGLE:
        return _SINGLE[type(node)], ""
    name = node.action.name if isinstance(node, n.Anytime) else node.name.name  # type: ignore[attr-defined]
    return _KINDS[type(node)], name


def describe(key: Key) -> str:
    """A key in words: `rule move.once`, `turn`."""
    return f"{key[0]} {key[1]}".strip()


def quoted(key: Key) -> str:
    """A key in a finding: rule `move.once`, `turn`."""
    return Told("{kind} {name}", kind=Told(key[0]), name=f"`{key[1]}`") if key[1] else f"`{key[0]}`"
