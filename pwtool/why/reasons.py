"""Why a rule refused: the values of its parts, and a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pwtool.eval.position_reader import Traced
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.text.source import Span
from pwtool.text.speech import mark
from pwtool.text.words import one_line
from pwtool.why.describe import format_value
from pwtool.why.voice import PLAIN, Voice

MAX_VALUES = 8
MAX_TEXT = 60
_SIMPLE = re.compile(r"[\w.]+(?:\[[^][]*\])?")

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
    given = _given(when, require)
    return Reason(_values(game, trace, given, names, voice), *_sentence(game, require, trace, names, voice), ago)


def count_condition(
    game: Game, when: Expr | None, require: Expr, state: State, names: list[str], voice: Voice = PLAIN
) -> Reason:
    """The numbers that a condition on a whole position depends on."""
    found: dict[str, str] = {}
    given = _given(when, require)
    for entry in _trace(game, when, require, state, game.locals()):
        text = _text(entry.expr, given) if isinstance(entry.expr, _NUMBERS) else None
        if text is not None:
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


_Given = Mapping[int, Expr]
"""What definitions were given for their parameters, by their slots."""


def _given(*conditions: Expr | None) -> _Given:
    parts = (part for condition in conditions if condition is not None for part in walk(condition))
    return {part.slot: part.value for part in parts if isinstance(part, ir.Let)}


def _values(
    game: Game, trace: list[Traced], given: _Given, names: list[str], voice: Voice
) -> tuple[tuple[str, str], ...]:
    inside = {id(part) for entry in trace for part in _repeated(entry.expr)}
    has_names = any(zone.names_cells for zone in game.zone_list)
    seen: dict[str, str] = {}
    for entry in trace:
        if not _is_telling(entry.expr) or id(entry.expr) in inside:
            continue
        text = _text(entry.expr, given)
        if text is None or text in seen:
            continue
        # Where cells have names, players do not count columns and rows.
        if has_names and (isinstance(entry.expr, ir.Coordinate) or entry.expr.type.kind == "direction"):
            continue
        shown = format_value(game, entry.expr.type, entry.value, names, voice)
        if shown is not None and shown != text:
            seen[text] = shown
    if has_names:
        # Players see in a pile what is counted there, lies on top, and what that can do.
        piles = [text for text, shown in seen.items() if shown.startswith("{")]
        seen = {text: shown for text, shown in seen.items() if not any(pile in text and pile != text for pile in piles)}
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


def _text(expr: Expr, given: _Given) -> str | None:
    """A part in the words of the rule, since those of a definition would have to be looked up; None if it has none, or
    too many.
    """
    span = expr.span
    if span is None:
        return None
    text = span.text
    for part in _parameters(expr, span, given):
        told = _text(given[part.slot], given)
        if told is None or part.span is None:
            return None
        before, behind = text[: part.span.start - span.start], text[part.span.end - span.start :]
        is_apart = before[-1:] in ("", "(", "[") and behind[:1] in ("", ")", "]")
        text = f"{before}{told if is_apart or _SIMPLE.fullmatch(told) else f'({told})'}{behind}"
    text = one_line(text)
    return text if 0 < len(text) <= MAX_TEXT else None


def _parameters(expr: Expr, span: Span, given: _Given) -> list[ir.Local]:
    """The parameters of definitions that stand in a text, the last one first. Of a definition that is used in it, its own
    ones stand elsewhere.
    """
    found = {
        part.span.start: part
        for part in walk(expr)
        if isinstance(part, ir.Local) and part.slot in given and part.span is not None and part.span.file is span.file
        if span.start <= part.span.start and part.span.end <= span.end
    }
    return [found[start] for start in sorted(found, reverse=True)]


def _sentence(
    game: Game, require: Expr, trace: list[Traced], names: list[str], voice: Voice
) -> tuple[str | None, str | None]:
    found = {id(entry.expr): entry.value for entry in trace}
    if isinstance(require, ir.Compare) and require.sign in _ALLOWED:
        left, right = require.left, require.right
        text = _text(left, {})
        a, b = found.get(id(left)), found.get(id(right))
        shown = format_value(game, left.type, a, names, voice)
        wanted = format_value(game, right.type, b, names, voice)
        if text and shown is not None and wanted is not None:
            return voice.say(_ALLOWED[require.sign], condition=text, value=shown, wanted=wanted), text
    return None, None
