"""Checking an expression: which function checks which node. The functions register themselves here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.nodes import Expr
from pwtool.lang import tree as n
from pwtool.rules.check.scope import Scope
from pwtool.rules.check.unknown import numbers_of
from pwtool.text import Fix
from pwtool.text.speech import Told
from pwtool.text.words import one_line, quoted

MAX_SHOWN = 50
_ONE_WORD = re.compile(r"[\w.]+(?:\[[^\]]*\])?")
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
    declared = scope.declared
    declared.count()
    declared.deeper()
    found = _CHECKS[type(node)](node, scope)
    declared.level -= 1
    if declared.watch is not None:
        declared.watch(node, scope, found)
    return found


def expect_bool(expr: Expr, scope: Scope) -> Expr:
    if expr.type.kind not in ("bool", "error"):
        message = "this is {type}, a condition is needed"
        return scope.declared.report("PW301", message, expr.span, _compared(expr, scope), type=expr.type)
    return expr


def _compared(expr: Expr, scope: Scope) -> str | None:
    """How to turn a value into a condition."""
    if expr.type.is_collection:
        return Told("say what is asked of it: `... is empty`, `count ... > 0`, `some c in ...: ...`")
    text = _text(expr)
    if text is None:
        return None
    if " where " in text:
        return Told("`where` reaches as far to the right as it can: write `(... where ...)` in brackets")
    if isinstance(expr, ir.Const):
        attribute = expr.type.attribute or "..."
        return Told("compare something with it: `{attribute} == {text}`", attribute=attribute, text=text)
    if expr.type.kind == "int":
        return Told("compare it, as in `{text} == 3`", text=text)
    is_one = expr.type.kind in ("member", "player")
    return _of_a_thing(expr, scope) or (Told("compare it: `{text} == ...`", text=text) if is_one else None)


def attribute_of(text: str, name: str) -> str:
    """An attribute of what is written there: `card.rank`, `(top of pile).rank`."""
    return f"{text}.{name}" if _ONE_WORD.fullmatch(text) else f"({text}).{name}"


def _of_a_thing(expr: Expr, scope: Scope) -> str | None:
    """The numeric attributes of a thing, if one of them may be meant."""
    text, numbers = _text(expr), numbers_of(expr.type, scope)
    if text is None or not numbers:
        return None
    return Told(
        "one of its numbers may be meant: {numbers}", numbers=quoted(attribute_of(text, name) for name in numbers)
    )


def _text(expr: Expr) -> str | None:
    """The text of an expression, if it is short."""
    text = one_line(expr.span.text) if expr.span else ""
    return text if 0 < len(text) <= MAX_SHOWN else None


def expect_number(expr: Expr, scope: Scope) -> Expr:
    if not t.is_numeric(expr.type):
        message = "this is {type}, a number is needed"
        fix = counting(expr)
        help_line = Told("to count them write `{text}`", text=fix.text) if fix else _of_a_thing(expr, scope)
        if expr.type.kind == "bool" and (text := _text(expr)):
            help_line = Told("a number that depends on it: `if {text} then 1 else 0`", text=text)
        if expr.type.kind == "each" and (text := _text(expr)):
            help_line = Told("say whose it is: `{text}[player]`", text=text)
        return scope.declared.report("PW301", message, expr.span, help_line, fix, type=expr.type)
    if expr.type.optional:
        text, meant = _text(expr), _otherwise(expr)
        fix = Fix(expr.span, meant) if text and expr.span else None
        return scope.declared.report("PW301", "this may have no value", expr.span, instead_of_nothing(expr), fix)
    return expr


def counting(expr: Expr) -> Fix | None:
    """The number of things where the things are written."""
    text = _text(expr) if expr.type.is_collection else None
    # Behind `count`, more than a name could mean something else.
    return Fix(expr.span, f"count {text}") if expr.span and text and re.fullmatch(r"\w+(\[[^\[\]]*\])?", text) else None


def value_beside(found: Expr, type_: t.Type, scope: Scope) -> Expr:
    """A value that two attributes have, next to a value of this type: it is one of the same attribute."""
    of = type_.element or type_
    if not (isinstance(found, ir.Const) and found.type.kind == of.kind == "member"):
        return found
    known = scope.declared.components[of.component].attributes[of.attribute].table
    return replace(found, type=replace(of, optional=False)) if found.value in known else found


def instead_of_nothing(expr: Expr) -> str:
    """The hint if a value may be absent where one is needed."""
    return Told("give a default: `{text}`", text=_otherwise(expr))


def _otherwise(expr: Expr) -> str:
    return f"({_text(expr) or '...'} else {0 if expr.type.kind == 'int' else '...'})"
