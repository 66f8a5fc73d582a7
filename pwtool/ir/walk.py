"""Traversing expressions: operands, free locals, reads, copies with parts replaced.

This is the only place that takes expressions apart without knowing their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

import msgspec

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr

_FIELDS = {
    operation: tuple(name for name, kind in operation.__annotations__.items() if "Expr" in kind or "Attributes" in kind)
    for operation in ir.OPERATIONS
}
"""The fields of each operation that hold expressions."""


def operands(expr: Expr) -> list[Expr]:
    """The direct operands of this expression."""
    found: list[Expr] = []
    for name in _FIELDS[type(expr)]:
        value = getattr(expr, name)
        if type(value) is tuple:
            found += value
        elif value is not None:
            found.append(value)
    return found


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all expressions below it, parents first."""
    pending = [expr]
    while pending:
        part = pending.pop()
        yield part
        if _FIELDS[type(part)]:
            pending += operands(part)[::-1]


def parts_of(condition: Expr) -> Iterator[Expr]:
    """The conjuncts of a condition."""
    if isinstance(condition, ir.And):
        yield from parts_of(condition.left)
        yield from parts_of(condition.right)
    else:
        yield condition


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with a function applied to every operand; itself if nothing changes."""
    changed: dict[str, object] = {}
    for name in _FIELDS[type(expr)]:
        value = getattr(expr, name)
        if type(value) is tuple:
            after = tuple(map(change, value))
            if any(a is not b for a, b in zip(after, value, strict=True)):
                changed[name] = after
        elif value is not None and (made := change(value)) is not value:
            changed[name] = made
    return msgspec.structs.replace(expr, **changed) if changed else expr


_BINDING = (ir.Let, ir.Loop)
_AT_ONCE = ir.Top | ir.TopAt | ir.HeightAt | ir.Element | ir.PileAt | ir.Let | ir.If | ir.Else


def traversed(expr: Expr) -> list[Expr]:
    """The operands that are collections through which an operation goes; none if it reads one element or passes one on."""
    return [] if isinstance(expr, _AT_ONCE) else [part for part in operands(expr) if part.type.is_collection]


def bound_slot(expr: Expr) -> int | None:
    """The local that is bound while the expression's `body` is evaluated; None if there is none."""
    return expr.slot if isinstance(expr, _BINDING) else None


_TRYING = (ir.Can, ir.After)
_NONE = frozenset[int]()


def free_locals(expr: Expr | None) -> frozenset[int]:
    """The locals that an expression reads but does not bind itself."""
    if expr is None:
        return _NONE
    if type(expr) is ir.Local:
        return frozenset((expr.slot,))
    # This is asked of every part of every rule, and most parts read none: no set is made for them.
    found = _NONE
    for name in _FIELDS[type(expr)]:
        value = getattr(expr, name)
        if type(value) is tuple:
            for part in value:
                if inner := free_locals(part):
                    found = found | inner if found else inner
        elif value is not None and (inner := free_locals(value)):
            if name == "body" and isinstance(expr, _BINDING):
                inner -= {expr.slot}
            found = found | inner if found else inner
    return found


def locals_of(expr: Expr) -> set[int]:
    """All locals that an expression reads."""
    return {part.slot for part in walk(expr) if isinstance(part, ir.Local)}


def bound_in(expr: Expr) -> set[int]:
    """All locals that an expression binds."""
    return {part.slot for part in walk(expr) if isinstance(part, _BINDING)}


def unused_slot(*exprs: Expr) -> int:
    """A local that no expression reads or binds."""
    return 1 + max((slot for expr in exprs for slot in locals_of(expr) | bound_in(expr)), default=-1)


def replaced(expr: Expr, slot: int, value: Expr) -> Expr:
    """An expression with a value substituted for a local."""
    if isinstance(expr, ir.Local):
        return value if expr.slot == slot else expr
    return rebuilt(expr, lambda part: replaced(part, slot, value))


def with_values(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """An expression with the values of locals substituted, unless something in it binds the same local."""
    inside = bound_in(expr)
    for slot in sorted(free_locals(expr) & values.keys(), reverse=True):
        if not free_locals(values[slot]) & inside:
            rest = {s: value for s, value in values.items() if s != slot}
            expr = with_values(replaced(expr, slot, values[slot]), rest)
    return expr


def loops_in(expr: Expr) -> int:
    """How deeply loops are nested in an expression; a search for a possible action counts as more than one."""
    if isinstance(expr, _TRYING):
        return 2
    return max(map(loops_in, operands(expr)), default=0) + isinstance(expr, ir.Loop)


_JOINED = ir.Not | ir.And | ir.Or | ir.If | ir.Compare | ir.Arithmetic | ir.Else


def unchanged(x: Expr, slots: Set[int] | None = None) -> Iterator[Expr]:
    """The folds in a condition that do not depend on these locals, or on any."""
    same = not (free_locals(x) if slots is None else locals_of(x) & slots)
    if isinstance(x, ir.Can | ir.Repeats) or (traversed(x) and not x.type.is_collection):
        if same:
            yield x
    elif isinstance(x, ir.Let):
        if same:
            yield x
        else:
            yield from unchanged(x.value, slots)
            yield from unchanged(x.body, None if slots is None else slots | {x.slot})
    elif isinstance(x, _JOINED):
        for part in operands(x):
            yield from unchanged(part, slots)


def same_for_all(x: ir.Around) -> bool:
    """Whether all elements that are connected have the same group, which is then found once in a position."""
    return free_locals(x.body) <= {x.slot} and all(
        at in x.beside[other] for at, near in enumerate(x.beside) for other in near
    )


def like(x: ir.Around) -> object:
    """Equal for all that find the same groups, whatever they start from and whatever the local is called."""
    return type(x), x.cells, x.beside, replaced(x.body, x.slot, ir.Local(x.type.element or x.type, -1))
