"""Which conditions, and which parts of them, the examples of a ruleset make true and false."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from pwtool.eval.position_reader import Traced
from pwtool.eval.values import UNKNOWN
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import operands
from pwtool.play.game import Game
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line, shorten
from pwtool.why.examples import BadExample, ExampleRunner, failed_examples

MAX_TEXT = 60
_Place = tuple[str, int, int, type[ir.Node]]


@dataclass(frozen=True, slots=True)
class Part:
    """A condition or a part of one: the item that it belongs to, its role there (`when`, `and`, ...) and its location."""

    owner: str
    role: str
    expr: Expr
    span: Span

    @property
    def place(self) -> _Place:
        return _place(self.expr, self.span)


def _place(expr: Expr, span: Span) -> _Place:
    # `x is not empty` and the test inside it have the same location and opposite values.
    return span.file.name, span.start, span.end, type(expr)


@dataclass(frozen=True, slots=True)
class Coverage:
    """All parts, and whether the examples made each location true, false or both."""

    parts: tuple[Part, ...]
    seen: dict[_Place, set[bool]]

    def lacking(self) -> list[tuple[Part, tuple[bool, ...]]]:
        """The parts that no example makes true, or that none makes false."""
        found = []
        for part in self.parts:
            lacks = tuple(v for v in (True, False) if v not in self.seen.get(part.place, set()))
            if lacks:
                found.append((part, lacks))
        return found


class _Seen(list[Traced]):
    """A trace that records only what was true and what was false."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[_Place, set[bool]] = {}

    def append(self, entry: Traced) -> None:
        span = entry.expr.span
        if span is not None and entry.expr.type.kind == "bool" and entry.value is not UNKNOWN:
            self.values.setdefault(_place(entry.expr, span), set()).add(bool(entry.value))


def measure_coverage(ruleset: Ruleset, only: str | None = None, files: frozenset[str] | None = None) -> Coverage:
    """Run all examples and record the values of each condition of the ruleset (of the item `only`, of those written in `files`)."""
    measuring = measure_in_steps(ruleset)
    while True:
        try:
            next(measuring)
        except StopIteration as done:
            found: Coverage = done.value
            break
    parts = [p for p in found.parts if only is None or only in (p.owner, p.owner.partition(".")[0])]
    return Coverage(tuple(p for p in parts if files is None or p.span.file.name in files), found.seen)


def measure_in_steps(ruleset: Ruleset, each: int = sys.maxsize) -> Generator[None, None, Coverage]:
    """Run all examples, with a pause after each. Raises `TooMuchWork` if one takes more than `each` steps."""
    game = Game(ruleset)
    trace = _Seen()
    game.interpreter.trace = trace
    for example in ruleset.merged.examples:
        with game.work.limited(each):
            for _ in failed_examples(game, [example]):
                pass
        yield
    with game.work.limited(each):
        _watch_scores(game)
    return Coverage(conditions(ruleset), trace.values)


def conditions(ruleset: Ruleset) -> tuple[Part, ...]:
    """All conditions of a ruleset and their parts, in the order of the rules; each place once."""
    return tuple({part.place: part for part in _parts(ruleset)}.values())


def _watch_scores(game: Game) -> None:
    """Judge the score lines that examples mention once more, for the first player only and with the trace."""
    for example in game.ruleset.merged.examples:
        names = {o.name.name for o in example.outcomes if o.kind == "then" and o.name is not None}
        for score in game.ruleset.scores:
            if names & {score.name, "total"}:
                try:
                    state = ExampleRunner(game, example).state()
                except BadExample:
                    continue
                game.interpreter.evaluate(score.value, state, game.locals())


def _parts(ruleset: Ruleset) -> Iterator[Part]:
    for objective in ruleset.objectives.values():
        yield from _below(objective.name, "condition", objective.condition)
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        for rule in action.rules:
            yield from _rule(rule.id, rule.when, rule.require)
    for rule in (*ruleset.turn_rules, *ruleset.setup_rules):
        yield from _rule(rule.id, rule.when, rule.require)
    for invariant in ruleset.invariants:
        yield from _rule(invariant.name, invariant.when, invariant.require)
    for ending in ruleset.endings:
        yield from _below(ending.name, "condition", ending.condition)
    for score in ruleset.scores:
        for condition in _choices(score.value):
            yield from _below(score.name, "if", condition)


def _rule(owner: str, when: Expr | None, require: Expr) -> Iterator[Part]:
    if when is not None:
        yield from _below(owner, "when", when)
    yield from _below(owner, "require", require)


def _choices(expr: Expr) -> Iterator[Expr]:
    """The conditions of the choices inside a number."""
    rest = operands(expr)
    if isinstance(expr, ir.If):
        yield expr.condition
        rest = [expr.then, expr.otherwise]
    for operand in rest:
        yield from _choices(operand)


def _below(owner: str, role: str, expr: Expr) -> Iterator[Part]:
    """A condition and its parts: operands, conditions on each element, on each placement of a shape."""
    if isinstance(expr, ir.Const):
        return
    if expr.span is not None:
        yield Part(owner, role, expr, expr.span)
    match expr:
        case ir.And() | ir.Or():
            for operand in operands(expr):
                yield from _below(owner, "and" if isinstance(expr, ir.And) else "or", operand)
        case ir.Not(operand=ir.And(left=ir.Compare(left=ir.TokenIndex()))):
            # Where a token does not lie.
            pass
        case ir.Not(operand=ir.And() | ir.Or() | ir.Quantified()):
            yield from _below(owner, "not", expr.operand)
        case ir.Not():
            pass
        case ir.Quantified(domain=ir.Places()) | ir.CountWhere(domain=ir.Places()):
            yield from _shape_body(owner, expr, expr.body)
        case ir.Quantified():
            yield from _below(owner, expr.kind, expr.body)
        case ir.Let():
            yield from _below(owner, role, expr.body)
        case ir.If():
            for operand in operands(expr):
                yield from _below(owner, "if", operand)
        case _:
            for operand in operands(expr):
                for condition in _choices(operand):
                    yield from _below(owner, "if", condition)


def _shape_body(owner: str, shape: ir.Quantified | ir.CountWhere, body: Expr) -> Iterator[Part]:
    """The condition on the cells; the numbers drawn in a picture are parts of the picture."""
    if isinstance(body, ir.And) and body.span == shape.span:
        yield from _shape_body(owner, shape, body.left)
        yield from _shape_body(owner, shape, body.right)
    elif not (isinstance(body, ir.Compare) and body.sign == "==" and body.left.span is None):
        yield from _below(owner, "shape", body)


def coverage_findings(coverage: Coverage) -> list[Diagnostic]:
    """A finding for each part that the examples do not cover."""
    found = []
    for part, lacks in coverage.lacking():
        where = Told("in {item}", item=part.owner)
        if part.role in ("when", "require"):
            where = Told("in {item}, its {part}", item=part.owner, part=f"`{part.role}`")
        found.append(Diagnostic("PW412", lacking_words(part, lacks), part.span, where=where, data={"item": part.owner}))
    return found


def lacking_words(part: Part, lacks: tuple[bool, ...]) -> str:
    """What no example shows of a condition."""
    text = shorten(one_line(part.span.text), MAX_TEXT)
    if len(lacks) > 1:
        return Told("no example makes `{text}` true, and none makes it false", text=text)
    return (
        Told("no example makes `{text}` true", text=text)
        if lacks[0]
        else Told("no example makes `{text}` false", text=text)
    )


def coverage_line(coverage: Coverage) -> str:
    """The coverage, on one line."""
    sides = 2 * len(coverage.parts)
    lacking: list[Any] = [value for _, lacks in coverage.lacking() for value in lacks]
    message = "{shown} of {sides} outcomes of {count} conditions and parts are shown by examples"
    return Told(message, shown=str(sides - len(lacking)), sides=str(sides), count=str(len(coverage.parts)))
