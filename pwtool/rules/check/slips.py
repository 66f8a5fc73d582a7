"""Mistakes in conditions that parse but make no sense, with what their authors probably meant."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pwtool.ir.nodes import Expr
from pwtool.lang import tree as n
from pwtool.rules.check.scope import Scope
from pwtool.text import Fix, closest, is_slip
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line, quoted


def minus_for_range(node: n.Node, scope: Scope) -> Expr | None:
    """The finding about `every v in 1-5: ...`, None for anything else."""
    if not (isinstance(node, n.Binary) and node.operator == "-"):
        return None
    if not (isinstance(node.left, n.Number) and isinstance(node.right, n.Number)):
        return None
    meant = f"{node.left.value}..{node.right.value}"
    fix = Fix(node.span, meant, safe=True)
    message = "`{text}` is a single number"
    return scope.declared.report("PW301", message, node.span, "a range is written `{meant}`", fix, text=one_line(node.span.text), meant=meant)  # fmt: skip


def brackets_missing(node: n.Binary, told: int, check: Callable[[n.Node], Expr], scope: Scope) -> Expr | None:
    """The finding about `cells from c towards -1 * d`, which multiplies the cells: in place of those since `told`, if all is well
    with brackets around the end; None for anything else.
    """
    first, diagnostics = node.left, scope.declared.diagnostics
    meant: n.Node
    text, end = node.span.file.text, node.span.end
    if isinstance(first, n.Binary) and first.operator in ("towards", "between"):
        last, meant = first.right, replace(first, span=node.span, right=replace(node, left=first.right))
    elif isinstance(first, n.Unary) and first.operator not in ("-", "not"):
        last, meant = first.operand, replace(first, span=node.span, operand=replace(node, left=first.operand))
    else:
        return None
    if ")" in text[last.span.end : node.right.span.start]:
        return None
    found = diagnostics[told:]
    del diagnostics[told:]
    sound = check(meant).type.kind != "error"
    # A value that may be absent is the next thing to mend, not a sign that something else was meant.
    sound = sound or all(d.message.startswith("this may be no ") for d in diagnostics[told:])
    if not sound:
        diagnostics[told:] = found
        return None
    del diagnostics[told:]
    start = last.span.start
    written = f"({one_line(text[start:end])})"
    whole = one_line(text[node.span.start : start]) + f" {written}"
    fix = Fix(Span(node.span.file, start, end), f"({text[start:end]})")
    message = "`{first}` goes together before `{operator}`"
    return scope.declared.report(
        "PW301", message, node.span, "put brackets around the end: `{whole}`", fix, first=one_line(first.span.text), operator=node.operator,
        whole=whole,
    )  # fmt: skip


def counted_value(node: n.Unary, scope: Scope) -> Expr | None:
    """The finding about `count ATTRIBUTE`, `count VALUE`, `count 5`: only things that have values are counted, not values."""
    board, value = scope.board, node.operand
    component = None if board is None else scope.declared.components.get(board.zone.element.component)
    if component is None or not isinstance(value, n.Name | n.Number):
        return None
    has = None
    if isinstance(value, n.Number):
        numbered = [a.name for a in component.attributes.values() if a.type.kind == "int" and a.in_code]
        has = f"{numbered[0]} == {value.value}" if numbered else None
    elif value.name not in scope.locals:
        attribute = component.attributes.get(value.name)
        if attribute is not None and attribute.type.kind == "bool":
            has = value.name
        for other in component.attributes.values():
            if other.type.kind == "member" and value.name in other.table:
                has = f"{other.name} == {value.name}"
    if has is None:
        return None
    name, written = component.name, one_line(value.span.text)
    help_line = "count the {name}s that have it: `at least 3 {name}: {has}`, `exactly 3 {name}: {has}`"
    return scope.declared.report("PW301", "`{text}` cannot be counted", node.span, help_line, text=written, name=name, has=has)  # fmt: skip


def all_for_one(left: Expr, right: Expr, scope: Scope) -> str | None:
    """What to write for `some card: card == Y5`, where the name means all cards."""
    if scope.subject is None or scope.board is None or scope.subject[1].kind != "face":
        return None
    together, one = (left, right) if left.type.is_collection else (right, left)
    if together != scope.board.faces or one.type.kind != "face" or one.span is None:
        return None
    name, face = scope.board.zone.element.component, one_line(one.span.text)
    return Told("`{name}` means all of them; give each a name: `some c in {name}: c == {face}`", name=name, face=face)


def shape_missing(subject: n.Name, known: list[str], scope: Scope) -> str | None:
    """How to draw an undeclared shape, if no similar name is known."""
    near = closest(subject.name, known)
    if scope.board is None or (near is not None and is_slip(subject.name, near)):
        return None
    shapes = scope.declared.shapes
    if 0 < len(shapes) <= 8:
        message = "shapes here are {shapes}; draw it in its place: `some [ # # # ]: ...`, or declare it: `shape {name} = [ # # # ]`"
        return Told(message, shapes=quoted(shapes), name=subject.name)
    return Told("draw it in its place: `some [ # # # ]: ...`, or declare it: `shape {name} = [ # # # ]`", name=subject.name)  # fmt: skip
