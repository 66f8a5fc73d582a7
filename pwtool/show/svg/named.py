"""The picture of an objective or a shape of a ruleset, by name."""

from __future__ import annotations

from typing import Any

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.writer import to_svg
from pwtool.text.words import one_line


def named_item(ruleset: Ruleset, name: str) -> n.Objective | n.Shape | None:
    """The objective with this name, otherwise the shape."""
    objective, shape = (ruleset.merged.items.get((kind, name)) for kind in ("objective", "shape"))
    return objective if isinstance(objective, n.Objective) else shape if isinstance(shape, n.Shape) else None


def draw_named(ruleset: Ruleset, name: str, language: str) -> str | None:
    """The picture of the item found by `named_item`, with its title and source text; None if there is no such item."""
    patterns, item = Patterns(ruleset, language), named_item(ruleset, name)
    if isinstance(item, n.Objective):
        title, text = _title(ruleset, item, language), one_line(item.condition.span.text)
        said = patterns.sayings.sentence(item.condition)
        return to_svg(patterns.titled(patterns.objective(name), title, text), title, said)
    if item is None:
        return None
    text = one_line(item.span.text)
    return to_svg(patterns.titled(patterns.shape(name), name, text), name, text)


def named_data(ruleset: Ruleset, name: str, language: str) -> dict[str, Any]:
    """The same as data: the source text, its meaning, and the cells of all pictures in it and in the shapes that it names."""
    item = named_item(ruleset, name)
    assert item is not None
    data: dict[str, Any] = {
        "kind": "objective", "ruleset": ruleset.address, "name": name, "title": name, "written": one_line(item.span.text), "says": None,
    }  # fmt: skip
    if isinstance(item, n.Objective):
        data |= {"title": _title(ruleset, item, language), "written": one_line(item.condition.span.text)}
        data["says"] = Patterns(ruleset, language).sayings.sentence(item.condition)
    else:
        data["kind"] = "shape"
    return data | {"pictures": [_picture_data(picture) for picture in _pictures(ruleset, item)]}


def _title(ruleset: Ruleset, objective: n.Objective, language: str) -> str:
    return ruleset.text(("objective", objective.name.name), objective.text or objective.name.name, language)


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
