"""Declared names that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pwtool.lang import tree as n
from pwtool.lang.traversal import children, walk
from pwtool.rules.lint.places import whole_lines
from pwtool.rules.targets import Family
from pwtool.text import Diagnostic, Fix
from pwtool.text.speech import mark

_DECLARATIONS: dict[type[n.Node], str] = {
    n.Define: mark("nothing uses the definition `{name}`"), n.Var: mark("nothing reads the variable `{name}`"),
    n.Zone: mark("nothing uses the zone `{name}`"), n.Deck: mark("nothing deals the deck `{name}`"),
    n.Token: mark("nothing uses the token `{name}`"), n.Shape: mark("nothing looks for the shape `{name}`"),
    n.Section: mark("no rule names the section `{name}`"), n.Source: mark("nothing cites the source `{name}`"),
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
    turned = {name for document in family.documents for part in document.declarations for name in _turned_to(part)}
    found: list[Diagnostic] = []
    for document in own:
        for declaration in document.declarations:
            for node in walk(declaration):
                if isinstance(node, n.Change):
                    continue
                message = _DECLARATIONS.get(type(node))
                name = getattr(node, "name", None)
                if message is not None and isinstance(name, n.Name) and name.name not in used:
                    found.append(_unused(message, name, node))
                if isinstance(node, n.Action | n.Consequence):
                    found += _unused_lets(node, family)
                if isinstance(node, n.AttributeDeclaration) and node.state and turned.isdisjoint(_states(node)):
                    message, help_line = (
                        "nothing turns a thing to `{name}`",
                        "turn something to it, or write it without `state`",
                    )
                    found.append(
                        Diagnostic.of("PW401", message, node.name.span, help=help_line, name=_states(node)[-1])
                    )
    return found


def _states(node: n.AttributeDeclaration) -> list[str]:
    """The states that a `turn` may name."""
    return [member.name for member in node.members] or [node.name.name]


def _turned_to(declaration: n.Node) -> Iterator[str]:
    """The states that something in a declaration turns to."""
    for node in walk(declaration):
        if isinstance(node, n.Effect) and node.kind == "turn":
            state = node.target.operand if isinstance(node.target, n.Unary) else node.target
            if isinstance(state, n.Name):
                yield state.name


def _unused(message: str, name: n.Name, node: n.Node) -> Diagnostic:
    fix: Fix | None = Fix(whole_lines(node.span), "", "remove `{name}`")
    help_line = "use it or remove it"
    if isinstance(node, n.Var):
        help_line = "a rule reads it, or it can be removed with the effects that set it"
        fix = None if _is_set(node) else fix
    return Diagnostic.of("PW401", message, name.span, help=help_line, fix=fix, name=name.name)


def _is_set(node: n.Node) -> bool:
    name = node.name.name  # type: ignore[attr-defined]
    # `left = 1`, `left[c] += 1`; not `left == 1`.
    return re.search(rf"\b{name}\s*(\[[^=]*\])?\s*[+-]?=(?!=)", node.span.file.text) is not None


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
        Diagnostic.of(
            "PW401", "nothing uses the value `{name}`", let.name.span, help="use it or remove it",
            fix=Fix(whole_lines(let.span), "", "remove `{name}`"), name=let.name.name,
        )
        for let in lets if let.name.name not in used
    ]  # fmt: skip
