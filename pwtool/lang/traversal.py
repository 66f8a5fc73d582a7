"""Walking trees: all nodes below one, and a tree with one node replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from pwtool.lang.tree import Node, fields

_N = TypeVar("_N", bound=Node)


def children(node: Node) -> list[Node]:
    """The direct children of this node, in the order of the text."""
    found: list[Node] = []
    for value in astuple(node)[1:]:
        kind = type(value)
        if kind is tuple:
            _gather(value, found)
        elif kind is not str and value is not None and isinstance(value, Node):
            found.append(value)
    return found


def _gather(parts: tuple[Any, ...], found: list[Node]) -> None:
    for part in parts:
        if isinstance(part, Node):
            found.append(part)
        elif type(part) is tuple:
            _gather(part, found)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(children(node))


def exchange(root: _N, old: Node, new: Node) -> _N:
    """The tree with this very node (not an equal one elsewhere) replaced by another."""
    found: _N = _exchange(root, old, new)
    return found


def _exchange(value: Any, old: Node, new: Node) -> Any:
    if value is old:
        return new
    if isinstance(value, Node):
        changed = {}
        for name in fields(value):
            before = getattr(value, name)
            after = _exchange(before, old, new)
            if after is not before:
                changed[name] = after
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        parts = tuple(_exchange(part, old, new) for part in value)
        return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    return value
