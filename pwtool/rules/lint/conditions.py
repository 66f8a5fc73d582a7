"""Conditions that say less than they seem to: parts that repeat, exclude or cancel each other."""

from __future__ import annotations

from itertools import combinations

from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic, Fix, Label
from pwtool.text.source import Span
from pwtool.text.words import one_line

_ORDER = {"==", "!=", "<", "<=", ">", ">="}
# Expressions that extend as far to the right as possible and need brackets if something follows.
_OPEN = (n.If, n.OverNamed, n.OverPicture, n.OverDomain, n.Pick, n.Around)


def check_conditions(document: n.Document) -> list[Diagnostic]:
    """The findings about all conditions of a document."""
    found: list[Diagnostic] = []
    for declaration in document.declarations:
        below: set[int] = set()
        for node in walk(declaration):
            match node:
                case n.Binary(operator="and" | "or"):
                    # A chain is examined once, from its top.
                    if id(node) not in below:
                        found += _chain(node)
                    if isinstance(node.left, n.Binary) and node.left.operator == node.operator:
                        below.add(id(node.left))
                case n.Unary(operator="not"):
                    found += _negation(node)
                case n.Binary() if node.operator in _ORDER and node.left == node.right:
                    found.append(_itself(node))
                case n.Quantifier(kind="least" | "most" | "exactly", number=0):
                    found.append(_none_counted(node))
                case n.If() if node.then == node.otherwise:
                    message = "both branches are the same, so the condition has no effect"
                    found.append(Diagnostic.of("PW406", message, node.span, help="write only the branch"))
    return found


def _itself(node: n.Binary) -> Diagnostic:
    message = "`{what}` is compared with itself, this never holds"
    if node.operator == "==":
        message = "`{what}` is compared with itself, this always holds"
    if node.operator in ("<=", ">="):
        # Nothing is not as large as nothing.
        message = "`{what}` is compared with itself, this holds wherever it has a value"
    help_line = "one of the two sides is meant to be something else"
    return Diagnostic.of("PW406", message, node.span, help=help_line, what=one_line(node.left.span.text))


def _none_counted(node: n.Quantifier) -> Diagnostic:
    if node.kind == "least":
        return Diagnostic.of("PW406", "`at least 0` always holds", node.span, help="write how many there have to be")
    words = {"most": "at most", "exactly": "exactly"}[node.kind]
    message = "`{words} 0` is the same as `no`"
    return Diagnostic.of("PW406", message, node.span, help="write `no`", fix=Fix(node.span, "no", safe=True), words=words)  # fmt: skip


# ---- chains of `and` and `or`


def _operands(node: n.Node, operator: str) -> list[tuple[n.Node, Span | None]]:
    """The operands of a chain, each with the span to remove it (None for the first)."""
    if not (isinstance(node, n.Binary) and node.operator == operator):
        return [(node, None)]
    between = node.span.file.text[node.left.span.end : node.right.span.start]
    whole = Span(node.span.file, node.left.span.end, node.right.span.end)
    plain = between.strip() == operator
    return [*_operands(node.left, operator), (node.right, whole if plain else None)]


def _chain(node: n.Binary) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    operands = _operands(node, node.operator)
    repeated: set[int] = set()
    for at, (operand, gap) in enumerate(operands):
        first = next((o for o, _ in operands[:at] if o == operand), None)
        if first is None:
            continue
        repeated.add(id(operand))
        found.append(
            Diagnostic.of(
                "PW408", "the condition asks for the same thing twice: `{what}`", operand.span,
                labels=(Label(first.span, "asked here"),), help="leave one of them out, or write what you meant",
                fix=Fix(gap, "", "leave it out", safe=True) if gap is not None else None, what=one_line(operand.span.text),
            )
        )  # fmt: skip
    conditions = [o for o, _ in operands if id(o) not in repeated]
    for first, second in combinations(conditions, 2):
        if isinstance(first, n.Binary) and isinstance(second, n.Binary):
            problem = _exclusive(node, first, second)
            if problem:
                found.append(problem)
    return found


def _exclusive(node: n.Binary, first: n.Binary, second: n.Binary) -> Diagnostic | None:
    """`x == 1 and x == 2`, `x != 1 or x != 2`."""
    wanted = "==" if node.operator == "and" else "!="
    if first.operator != wanted or second.operator != wanted or first.left != second.left:
        return None
    if not (_is_fixed(first.right) and _is_fixed(second.right)) or first.right == second.right:
        return None
    what, a, b = one_line(first.left.span.text), one_line(first.right.span.text), one_line(second.right.span.text)
    if node.operator == "and":
        message = "`{what}` is never `{a}` and `{b}` at once, this never holds"
        help_line = "write `or` where either will do: `{what} == {a} or {what} == {b}`"
    else:
        message = "`{what}` is always unlike `{a}` or unlike `{b}`, this always holds"
        help_line = "write `and` where it may be neither: `{what} != {a} and {what} != {b}`"
    return Diagnostic.of("PW406", message, node.span, help=help_line, what=what, a=a, b=b)


def _is_fixed(node: n.Node) -> bool:
    # Two names may mean the same player or card: only numbers are known to differ without asking what names mean.
    return isinstance(node, n.Number)


# ---- negations


def _negation(node: n.Unary) -> list[Diagnostic]:
    inner = node.operand
    if not (isinstance(inner, n.Unary) and inner.operator == "not") or inner.span == node.span:
        return []
    kept = inner.operand
    # In `x is not empty` the second `not` belongs to the test.
    text = _plain_test(kept) if inner.span == kept.span else one_line(kept.span.text)
    if isinstance(kept, _OPEN) or (isinstance(kept, n.Binary) and kept.operator in ("and", "or")):
        text = f"({text})"
    return [
        Diagnostic.of("PW407", "the two negations cancel each other", node.span, help="write `{text}`", fix=Fix(node.span, text, safe=True), text=text)
    ]  # fmt: skip


def _plain_test(test: n.Node) -> str:
    before, _, after = one_line(test.span.text).rpartition(" is not ")
    return f"{before} is {after}"
