"""Why a rule said no: the values of its parts, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtool.eval.interpreter import Traced
from pwtool.eval.kleene import Between
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.model import RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.state import State

MAX_VALUES = 8
MAX_TEXT = 60
MAX_ITEMS = 12

_ALLOWED = {
    "<=": "at most {} allowed",
    "<": "less than {} needed",
    ">=": "at least {} needed",
    ">": "more than {} needed",
    "==": "{} needed",
}


def explain_rule(
    game: Game, rule: RuleModel, state: State, e: list[Any], names: list[str]
) -> tuple[tuple[tuple[str, str], ...], str | None, set[tuple[Any, ...]]]:
    """The values of a rule's parts, a sentence saying what was wrong, and what was read to find out."""
    interpreter = game.interpreter
    interpreter.trace, interpreter.reads = [], set()
    try:
        if rule.when is not None:
            interpreter.evaluate(rule.when, state, list(e))
        interpreter.evaluate(rule.require, state, list(e))
        trace, reads = interpreter.trace, interpreter.reads
    finally:
        interpreter.trace = interpreter.reads = None
    return _values(game, trace, names), _sentence(game, rule.require, trace, names), reads


# Operations whose value tells a reader something; conditions made of others do not.
_TELLING = (
    ir.Local | ir.Variable | ir.Attribute | ir.Coordinate | ir.PlayerAfter | ir.EachAt | ir.Pick | ir.Table | ir.Item
    | ir.Top | ir.Count | ir.CountWhere | ir.Sum | ir.SumAttribute | ir.SumWhere | ir.TokenPlace | ir.Holds | ir.TokenOn
    | ir.PileAt | ir.Tops | ir.Flat
)  # fmt: skip


def _values(game: Game, trace: list[Traced], names: list[str]) -> tuple[tuple[str, str], ...]:
    inside = {id(part) for entry in trace for part in _repeated(entry.expr)}
    seen: dict[str, str] = {}
    for entry in trace:
        text = _text(entry.expr)
        if text is None or not isinstance(entry.expr, _TELLING) or id(entry.expr) in inside or text in seen:
            continue
        shown = format_value(game, entry.expr.type, entry.value, names)
        if shown is not None and shown != text:
            seen[text] = shown
    return tuple(list(seen.items())[:MAX_VALUES])


def _repeated(expr: Expr) -> Iterator[Expr]:
    """The parts that are evaluated once for every element: none of their values is the one that decided."""
    return walk(expr.body) if isinstance(expr, ir.Loop) else iter(())


def _text(expr: Expr) -> str | None:
    if expr.span is None:
        return None
    text = " ".join(expr.span.text.split())
    return text if 0 < len(text) <= MAX_TEXT else None


def _sentence(game: Game, require: Expr, trace: list[Traced], names: list[str]) -> str | None:
    found = {id(entry.expr): entry.value for entry in trace}
    if isinstance(require, ir.Compare) and require.sign in _ALLOWED:
        left, right = require.left, require.right
        text = _text(left)
        a, b = found.get(id(left)), found.get(id(right))
        shown, wanted = format_value(game, left.type, a, names), format_value(game, right.type, b, names)
        if text and shown is not None and wanted is not None:
            return f"{text} is {shown}, {_ALLOWED[require.sign].format(wanted)}"
    return None


def format_value(game: Game, type_: Type, value: Any, names: list[str]) -> str | None:
    """A value as a person writes it; None for what is too large to show."""
    if value is UNKNOWN:
        return "unknown"
    if value is None:
        return "nothing"
    if isinstance(value, Between):
        return str(value)
    if type_.kind == "bool" or isinstance(value, bool):
        return "true" if value else "false"
    if type_.kind == "face":
        return face_code(game, type_.component, value)
    if type_.kind == "player":
        return names[value] if 0 <= value < len(names) else str(value)
    if type_.kind == "cell" and isinstance(value, tuple):
        return f"({value[0]}, {value[1]})"
    if isinstance(value, int | str):
        return str(value)
    element = type_.element
    if isinstance(value, list | tuple) and element is not None and len(value) <= MAX_ITEMS:
        parts = [format_value(game, element, item, names) for item in value]
        if all(p is not None for p in parts):
            return "{" + " ".join(str(p) for p in parts) + "}"
    return None


def face_code(game: Game, component: str, face: int) -> str:
    """The code of a face, `?` for one nobody saw."""
    return "?" if face == UNSEEN else game.ruleset.components[component].codes[face]
