"""Expressions without terms, as functions of the scalars in them."""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress

from pwtool.comparing.induction.terms import Open, Unread, Value
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import bound_slot, free_locals, rebuilt, unused_slot


def without_values(
    expr: Expr, known: Set[int], read: Callable[[Expr], Value], values: list[Value]
) -> tuple[Expr, range]:
    """An expression with locals in the place of the scalars in it that have terms, which are added to `values`, and these locals.
    `known` are the locals that have values where the expression stands.
    """
    free = max([unused_slot(expr) - 1, *known]) + 1

    def part(x: Expr, inside: frozenset[int]) -> Expr:
        if not isinstance(x, ir.Const) and not x.type.is_collection and free_locals(x) <= known - inside:
            with suppress(Unread, Open):
                value = read(x)
                if x.type.kind == "player" and value.absent is False and isinstance(value.parts[0], int):
                    return ir.Const(type=x.type, value=value.parts[0])
                values.append(value)
                return ir.Local(type=x.type, slot=free + len(values) - 1)
        return below(x, inside)

    def below(x: Expr, inside: frozenset[int]) -> Expr:
        if isinstance(x, ir.After):
            # It is about another position.
            return x
        bound = bound_slot(x)
        more = inside if bound is None else inside | {bound}
        return rebuilt(x, lambda y: part(y, more))

    rest = below(expr, frozenset())
    return rest, range(free, free + len(values))
