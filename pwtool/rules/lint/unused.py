"""Declared names that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.lang import tree as n
from pwtool.lang.traversal import children, walk
from pwtool.rules.lint.places import whole_lines
from pwtool.rules.targets import Family
from pwtool.text import Diagnostic, Fix

_DECLARATIONS: dict[type[n.Node], tuple[str, str]] = {
    n.Define: ("definition", "uses"), n.Var: ("variable", "reads"), n.Zone: ("zone", "uses"), n.Deck: ("deck", "deals"),
    n.Token: ("token", "uses"), n.Shape: ("shape", "looks for"), n.Section: ("section", "is read from"),
    n.Source: ("source", "cites"),
}  # fmt: skip
_NAMED = {*_DECLARATIONS, n.Let, n.Action, n.Consequence, n.Rule, n.Objective, n.Ending, n.Score, n.Invariant}


def check_unused(own: list[n.Document], family: Family) -> list[Diagnostic]:
    """A finding for each name that some document declares and none of its family uses."""
    if family.words is None:
        return []
    used = set(family.words)
    for document in family.documents:
        for declaration in document.declarations:
            used |= set(_uses(declaration))
    found: list[Diagnostic] = []
    for document in own:
        for declaration in document.declarations:
            for node in walk(declaration):
                if isinstance(node, n.Change):
                    continue
                kind = _DECLARATIONS.get(type(node))
                name = getattr(node, "name", None)
                if kind is not None and isinstance(name, n.Name) and name.name not in used:
                    found.append(_unused(kind, name, node))
                if isinstance(node, n.Action | n.Consequence):
                    found += _unused_lets(node, family)
    return found


def _unused(kind: tuple[str, str], name: n.Name, node: n.Node) -> Diagnostic:
    word, verb = kind
    if word == "section":
        message = f"no rule names the section `{name.name}`"
    else:
        message = f"nothing {verb} the {word} `{name.name}`"
    fix: Fix | None = Fix(whole_lines(node.span), "", f"remove `{name.name}`")
    help_line = "use it or remove it"
    if word == "variable":
        help_line = "a rule reads it, or it can be removed with the effects that set it"
        fix = None if _is_set(node) else fix
    return Diagnostic("PW401", message, name.span, help=help_line, fix=fix)


def _is_set(node: n.Node) -> bool:
    name = node.name.name  # type: ignore[attr-defined]
    return any(f"{name} {sign}" in node.span.file.text for sign in ("+=", "-=", "="))


def _uses(node: n.Node) -> Iterator[str]:
    """The names that a tree uses, without the name that a declaration gives, and without names that are only set."""
    if isinstance(node, n.Effect) and node.kind in ("add", "take", "set"):
        for child in children(node):
            if child is not node.what:
                yield from _uses(child)
        return
    if isinstance(node, n.Remove):
        # What a layer removes was meant for others; it says nothing about use.
        return
    given = getattr(node, "name", None) if type(node) in _NAMED else None
    if isinstance(node, n.Name):
        yield node.name
    for child in children(node):
        if child is not given:
            yield from _uses(child)


def _unused_lets(action: n.Action | n.Consequence, family: Family) -> list[Diagnostic]:
    lets = [s for s in action.statements if isinstance(s, n.Let)]
    if not lets:
        return []
    used = {name for s in action.statements for name in _uses(s) if not isinstance(s, n.Let)}
    used |= {name for let in lets for name in _uses(let.value)} | (family.words or frozenset())
    prefix = f"{action.name.name}."
    for document in family.documents:
        for declaration in document.declarations:
            for node in walk(declaration):
                outside = isinstance(node, n.Rule) and node.name.name.startswith(prefix)
                again = isinstance(node, n.AddEffect | n.Action) and (
                    (node.action if isinstance(node, n.AddEffect) else node.name).name == action.name.name
                )
                if outside or again:
                    used |= {name for child in children(node) for name in _uses(child) if child is not node}
    return [
        Diagnostic(
            "PW401",
            f"nothing uses the value `{let.name.name}`",
            let.name.span,
            help="use it or remove it",
            fix=Fix(whole_lines(let.span), "", f"remove `{let.name.name}`"),
        )
        for let in lets
        if let.name.name not in used
    ]
