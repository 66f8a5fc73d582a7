"""The picture of an objective or a shape of a ruleset, by name."""

from __future__ import annotations

from typing import Any

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.show.svg.patterns import Patterns


def named_item(ruleset: Ruleset, name: str) -> n.Objective | n.Shape | None:
    """The objective with this name, otherwise the shape."""
    objective, shape = (ruleset.merged.items.get((kind, name)) for kind in ("objective", "shape"))
    return objective if isinstance(objective, n.Objective) else shape if isinstance(shape, n.Shape) else None


def draw_named(ruleset: Ruleset, name: str, language: str) -> str | None:
    """The picture of the item found by `named_item`, with its title and source text; None if there is no such item."""
    item = named_item(ruleset, name)
    return None if item is None else Patterns(ruleset, language).titled(item)


def named_data(ruleset: Ruleset, name: str, language: str) -> dict[str, Any]:
    """The same as data: the source text, its meaning, and the cells of all pictures in it and in the shapes that it names."""
    item = named_item(ruleset, name)
    assert item is not None
    shown, is_shape = Patterns(ruleset, language).shown(item), isinstance(item, n.Shape)
    return {
        "kind": "shape" if is_shape else "objective", "ruleset": ruleset.address, "name": name, "title": shown.title,
        "written": shown.written, "says": None if is_shape else shown.said,
        "pictures": [_picture_data(picture) for picture in _pictures(ruleset, item)],
    }  # fmt: skip


def _pictures(ruleset: Ruleset, item: n.Node) -> list[n.Picture]:
    found: list[n.Picture] = []
    for node in walk(item):
        if isinstance(node, n.Picture):
            found.append(node)
        elif isinstance(node, n.OverNamed):
            shape = ruleset.merged.items.get(("shape", node.subject.name))
            found += [p for p in walk(shape) if isinstance(p, n.Picture)] if shape is not None else []
    return found


def _picture_data(picture: n.Picture) -> dict[str, Any]:
    return {
        "width": picture.width, "height": picture.height, "turned": picture.turned, "mirrored": picture.mirrored,
        "cells": [{"at": [cell.column, cell.row], "sign": cell.sign} for cell in picture.cells],
    }  # fmt: skip
