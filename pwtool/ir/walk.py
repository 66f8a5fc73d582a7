"""Traversing expressions: operands, free locals, reads, copies with parts replaced.

This is the only place that takes expressions apart without knowing their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr


def operands(expr: Expr) -> list[Expr]:
    """The direct operands of this expression."""
    found: list[Expr] = []
    for value in msgspec.structs.astuple(expr):
        if isinstance(value, ir.Node):
            found.append(value)  # type: ignore[arg-type]
        elif type(value) is tuple and value and isinstance(value[0], ir.Node):
            found += value
    return found


def _operand_fields(expr: Expr) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """The fields that hold expressions, with their values."""
    for name in expr.__struct_fields__:
        value = getattr(expr, name)
        if isinstance(value, ir.Node):
            yield name, (value,)  # type: ignore[misc]
        elif isinstance(value, tuple) and value and isinstance(value[0], ir.Node):
            yield name, value


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all expressions below it, parents first."""
    pending = [expr]
    while pending:
        part = pending.pop()
        yield part
        pending += operands(part)[::-1]


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with a function applied to every operand; itself if nothing changes."""
    changed: dict[str, object] = {}
    for name, parts in _operand_fields(expr):
        after = tuple(change(part) for part in parts)
        if any(a is not b for a, b in zip(after, parts, strict=True)):
            changed[name] = after if isinstance(getattr(expr, name), tuple) else after[0]
    return msgspec.structs.replace(expr, **changed) if changed else expr


def bound_slot(expr: Expr) -> int | None:
    """The local that is bound while the expression's `body` is evaluated; None if there is none."""
    return expr.slot if isinstance(expr, ir.Let | ir.Loop) else None


def free_locals(expr: Expr | None) -> frozenset[int]:
    """The locals that an expression reads but does not bind itself."""
    if expr is None:
        return frozenset()
    if isinstance(expr, ir.Local):
        return frozenset((expr.slot,))
    slot = bound_slot(expr)
    found: set[int] = set()
    for name, parts in _operand_fields(expr):
        inner = frozenset().union(*map(free_locals, parts))
        found |= inner - {slot} if name == "body" else inner
    return frozenset(found)
