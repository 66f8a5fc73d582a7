"""Why a rule refused: the values of its parts, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pwtool.eval.position_reader import Traced
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.text.speech import mark
from pwtool.text.words import one_line
from pwtool.why.describe import format_value
from pwtool.why.voice import PLAIN, Voice

MAX_VALUES = 8
MAX_TEXT = 60

_ALLOWED = {
    "<=": mark("{condition} is {value}, at most {wanted} allowed"),
    "<": mark("{condition} is {value}, less than {wanted} needed"),
    ">=": mark("{condition} is {value}, at least {wanted} needed"),
    ">": mark("{condition} is {value}, more than {wanted} needed"),
    "==": mark("{condition} is {value}, {wanted} needed"),
}

# Operations whose value is informative for a reader; conditions that are composed of others are not.
_TELLING = (
    ir.Local | ir.Variable | ir.Attribute | ir.Coordinate | ir.PlayerAfter | ir.Element | ir.Pick | ir.Table
    | ir.Top | ir.HeightAt | ir.Count | ir.CountWhere | ir.Sum | ir.SumWhere | ir.PileAt
)  # fmt: skip
# For an invariant, which is about a whole position, only the numbers.
_NUMBERS = ir.Count | ir.SumWhere | ir.Sum | ir.CountWhere


@dataclass(frozen=True, slots=True)
class Reason:
    """The parts of a condition with their values, and a sentence if the condition is a plain comparison, with the part that it is
    `about`.
    """

    values: tuple[tuple[str, str], ...]
    sentence: str | None = None
    about: str | None = None
    ago: tuple[int, ...] = ()
    """How many turns before this one the position was the same, if the condition asks for that."""


def explain_condition(
    game: Game, when: Expr | None, require: Expr, state: State, e: list[Any], names: list[str], voice: Voice = PLAIN
) -> Reason:
    """Why a rule does not hold in a position with these locals."""
    trace = _trace(game, when, require, state, e)
    ago = tuple(sorted({turns for entry in trace for turns in entry.ago}, reverse=True))
    return Reason(_values(game, trace, names, voice), *_sentence(game, require, trace, names, voice), ago)


def count_condition(
    game: Game, when: Expr | None, require: Expr, state: State, names: list[str], voice: Voice = PLAIN
) -> Reason:
    """The numbers that a condition on a whole position depends on."""
    found: dict[str, str] = {}
    for entry in _trace(game, when, require, state, game.locals()):
        text = _text(entry.expr)
        if isinstance(entry.expr, _NUMBERS) and text is not None:
            shown = format_value(game, entry.expr.type, entry.value, names, voice)
            if shown is not None:
                found.setdefault(text, shown)
    return Reason(tuple(list(found.items())[:4]))


def _trace(game: Game, when: Expr | None, require: Expr, state: State, e: list[Any]) -> list[Traced]:
    interpreter = game.interpreter
    interpreter.trace = []
    try:
        if when is not None:
            interpreter.evaluate(when, state, list(e))
        interpreter.evaluate(require, state, list(e))
        return interpreter.trace
    finally:
        interpreter.trace = None


def _values(game: Game, trace: list[Traced], names: list[str], voice: Voice) -> tuple[tuple[str, str], ...]:
    inside = {id(part) for entry in trace for part in _repeated(entry.expr)}
    has_names = any(zone.names_cells for zone in game.zone_list)
    seen: dict[str, str] = {}
    for entry in trace:
        text = _text(entry.expr)
        if text is None or not _is_telling(entry.expr) or id(entry.expr) in inside or text in seen:
            continue
        # Where cells have names, players do not count columns and rows.
        if has_names and (isinstance(entry.expr, ir.Coordinate) or entry.expr.type.kind == "direction"):
            continue
        shown = format_value(game, entry.expr.type, entry.value, names, voice)
        if shown is not None and shown != text:
            seen[text] = shown
    return tuple(list(seen.items())[:MAX_VALUES])


def _is_telling(expr: Expr) -> bool:
    match expr:
        case ir.Each(part="top" | "all"):
            return True
        case (
            ir.Compare(left=ir.TokenIndex())
            | ir.And(left=ir.Compare(left=ir.TokenIndex()))
            | ir.If(then=ir.TokenCell())
        ):
            # Where a token lies, and whether it lies there.
            return True
    return isinstance(expr, _TELLING)


def _repeated(expr: Expr) -> Iterator[Expr]:
    """The parts that are evaluated once for every element: no single value of theirs was decisive."""
    return walk(expr.body) if isinstance(expr, ir.Loop) else iter(())


def _text(expr: Expr) -> str | None:
    if expr.span is None:
        return None
    text = one_line(expr.span.text)
    return text if 0 < len(text) <= MAX_TEXT else None


def _sentence(
    game: Game, require: Expr, trace: list[Traced], names: list[str], voice: Voice
) -> tuple[str | None, str | None]:
    found = {id(entry.expr): entry.value for entry in trace}
    if isinstance(require, ir.Compare) and require.sign in _ALLOWED:
        left, right = require.left, require.right
        text = _text(left)
        a, b = found.get(id(left)), found.get(id(right))
        shown = format_value(game, left.type, a, names, voice)
        wanted = format_value(game, right.type, b, names, voice)
        if text and shown is not None and wanted is not None:
            return voice.say(_ALLOWED[require.sign], condition=text, value=shown, wanted=wanted), text
    return None, None
