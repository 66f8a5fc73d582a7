"""Checking an expression: which function checks which node. The functions register themselves here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pwtool.semantics import types as t
from pwtool.semantics.model import Expr
from pwtool.semantics.scope import Scope
from pwtool.syntax import nodes as n

MANY = 999
_F = TypeVar("_F", bound=Callable[..., Expr])
_CHECKS: dict[type[n.Node], Callable[[Any, Scope], Expr]] = {}


def checks(node_type: type[n.Node]) -> Callable[[_F], _F]:
    """Register a function as the one that checks nodes of this type."""

    def register(function: _F) -> _F:
        _CHECKS[node_type] = function
        return function

    return register


def check_condition(node: n.Node, scope: Scope) -> Expr:
    """An expression that has to be a condition."""
    return expect_bool(check(node, scope), scope)


def check(node: n.Node, scope: Scope) -> Expr:
    """The resolved form of an expression; findings go to the scope's ruleset."""
    return _CHECKS[type(node)](node, scope)


def expect_bool(expr: Expr, scope: Scope) -> Expr:
    if expr.type.kind not in ("bool", "error"):
        return scope.declared.report("PW301", f"this is {expr.type}, a condition is needed", expr.span)
    return expr


def expect_number(expr: Expr, scope: Scope) -> Expr:
    if not t.is_numeric(expr.type):
        return scope.declared.report("PW301", f"this is {expr.type}, a number is needed", expr.span)
    if expr.type.optional:
        return scope.declared.report(
            "PW301", "this may have no value", expr.span, "say what counts then: `(... else 0)`"
        )
    return expr
