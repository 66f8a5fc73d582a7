"""Conditions that extend further than they seem to: `no card: red and count card >= 6` tests the count for each card."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic, Fix, Label
from pwtool.text.source import Span
from pwtool.text.words import one_line

_OVER = (n.OverNamed, n.OverPicture, n.OverDomain)
_ORDER = frozenset(("==", "!=", "<", "<=", ">", ">="))


def check_reach(document: n.Document) -> list[Diagnostic]:
    """The findings about quantifiers of a document that include, at their end, a part that does not depend on their
    subject.
    """
    return [
        problem
        for declaration in document.declarations
        for node in walk(declaration)
        if isinstance(node, _OVER) and (problem := _swallowed(node)) is not None
    ]


def _swallowed(node: n.OverNamed | n.OverPicture | n.OverDomain) -> Diagnostic | None:
    body = node.body
    if not isinstance(body, n.Binary) or body.operator not in ("and", "or"):
        return None
    # After `some` or `at least`, brackets do not change the meaning of such an `and`; brackets that are written are intended.
    if (node.quantifier.kind in ("some", "least") and body.operator == "and") or _bracketed(body):
        return None
    left, right = body.left, body.right
    own = {node.variable.name} if isinstance(node, n.OverDomain) else set()
    if not _stands_alone(right) or _mentioned(right) & own or _outer_cells(right):
        return None
    alone = one_line(right.span.text)
    start = node.span.file.text[node.span.start : body.span.start].split(":")[0]
    meant = Span(node.span.file, node.span.start, left.span.end)
    return Diagnostic.of(
        "PW414", "`{alone}` does not depend on `{start}`, but is tested for each", right.span, labels=(Label(node.span, "this extends to the end"),),
        help="put what belongs together in brackets: `({meant}) {operator} {alone}`",
        fix=Fix(meant, f"({meant.text})", "put the brackets there", safe=False), alone=alone, start=one_line(start), meant=one_line(meant.text),
        operator=body.operator,
    )  # fmt: skip


def _bracketed(body: n.Binary) -> bool:
    before = body.span.file.text[: body.span.start].rstrip()
    return (body.span.text.startswith("(") and body.span.text.endswith(")")) or before.endswith("(")


def _stands_alone(node: n.Node) -> bool:
    """Whether a part is about the whole board: a quantifier of its own, or a number that is counted over it."""
    match node:
        case n.OverNamed() | n.OverPicture():
            return True
        case n.Binary(operator=operator, left=n.Unary(operator="count") | n.GroupSize(), right=n.Number()):
            return operator in _ORDER
    return False


def _mentioned(node: n.Node) -> set[str]:
    return {part.name for part in walk(node) if isinstance(part, n.Name)}


def _outer_cells(node: n.Node) -> bool:
    """Whether it uses a cell or a variable that is named outside it."""
    named = {c.content for part in walk(node) if isinstance(part, n.Picture) for c in part.cells}
    named |= {part.variable.name for part in walk(node) if isinstance(part, n.OverDomain | n.Pick | n.Around)}
    return any(
        isinstance(part, n.Attribute) and isinstance(part.value, n.Name) and part.value.name not in named
        for part in walk(node)
    )
