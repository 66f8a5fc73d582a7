"""Duplicates: equal objectives, and examples that show the same."""

from __future__ import annotations

from typing import Any

from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.rules.lint.places import whole_lines
from pwtool.text import Diagnostic, Fix, Label


def check_objectives_repeated(own: list[n.Document], merged: Merged) -> list[Diagnostic]:
    """Objectives that are equal except for the names of shapes and variables."""
    shapes = {
        name: item for (kind, name), item in merged.items.items() if kind == "shape" and isinstance(item, n.Shape)
    }
    files = {id(document.header.span.file) for document in own}
    seen: dict[Any, n.Objective] = {}
    found: list[Diagnostic] = []
    for item in merged.items.values():
        if not isinstance(item, n.Objective):
            continue
        first = seen.setdefault(_form(item.condition, shapes, {}), item)
        if first is item or id(item.span.file) not in files:
            continue
        found.append(
            Diagnostic.of(
                "PW404", "the objective `{name}` is the same as `{other}`", item.name.span,
                labels=(Label(first.name.span, "the same"),), help="remove one of them, or change its condition",
                name=item.name.name, other=first.name.name,
            )
        )  # fmt: skip
    return found


def _form(value: Any, shapes: dict[str, n.Shape], bound: dict[str, int]) -> Any:
    """A tree as plain data that is equal for trees which only differ in names."""
    if isinstance(value, tuple):
        return tuple(_form(part, shapes, bound) for part in value)
    if not isinstance(value, n.Node):
        return value
    if isinstance(value, n.Name):
        return ("local", bound[value.name]) if value.name in bound else ("name", value.name)
    if isinstance(value, n.OverNamed) and value.subject.name in shapes:
        shape = shapes[value.subject.name]
        pictures = tuple(_form(p, shapes, bound) for p in (shape.picture, *shape.more))
        parts: tuple[Any, ...] = (value.quantifier, value.body, value.grid, value.separate)
        return ("picture", pictures, *(_form(part, shapes, bound) for part in parts))
    if isinstance(value, n.OverPicture):
        parts = (value.quantifier, value.body, value.grid, value.separate)
        return ("picture", (_form(value.picture, shapes, bound),), *(_form(part, shapes, bound) for part in parts))
    if isinstance(value, n.OverDomain | n.Comprehension | n.Pick | n.Around):
        inner = {**bound, value.variable.name: len(bound)}
        rest = [getattr(value, f) for f in n.fields(value) if f not in ("variable", "body")]
        return (type(value).__name__, _form(value.body, shapes, inner), *(_form(part, shapes, bound) for part in rest))
    return (type(value).__name__, *(_form(getattr(value, f), shapes, bound) for f in n.fields(value)))


def check_examples_repeated(own: list[n.Document], merged: Merged) -> list[Diagnostic]:
    """Examples that repeat an earlier one."""
    files = {id(document.header.span.file) for document in own}
    written = {id(node) for document in own for node in document.declarations if isinstance(node, n.Example)}
    seen: dict[Any, n.Outcome] = {}
    found: list[Diagnostic] = []
    for example in merged.examples:
        for outcome in example.outcomes:
            key = (example.name.name, example.givens, outcome)
            first = seen.setdefault(key, outcome)
            if first is outcome or id(outcome.span.file) not in files:
                continue
            alone = len(example.outcomes) == 1
            fix = None
            if not alone or id(example) in written:
                span = whole_lines(example.span if alone else outcome.span)
                fix = Fix(span, "", "remove it", safe=True)
            message = "the examples of `{name}` show this twice"
            label = Label(first.span, "shown here")
            found.append(
                Diagnostic.of("PW409", message, outcome.span, labels=(label,), help="remove one of them", fix=fix, name=example.name.name)
            )  # fmt: skip
    return found
