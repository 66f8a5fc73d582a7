"""The nodes of `look { ... }`: how items are drawn."""

from __future__ import annotations

from pwtool.lang.tree import Name, Node


class Feature(Node, frozen=True):
    """One thing that is said of a look: its name, the words behind it, or words for each member (`by` an attribute) or seat; `zone` is
    the other zone that it names.
    """

    name: Name
    words: tuple[str, ...] = ()
    by: Name | None = None
    cases: tuple[tuple[Name, tuple[str, ...]], ...] = ()
    zone: Name | None = None


class Look(Node, frozen=True):
    """How an item is drawn. It never decides anything."""

    kind: str
    name: Name
    features: tuple[Feature, ...]


class LookBlock(Node, frozen=True):
    looks: tuple[Look, ...]
