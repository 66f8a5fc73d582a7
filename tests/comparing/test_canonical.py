"""Expressions with the same normal form mean the same: changed at random, a form that stays is one that may stay."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import FALSE, TRUE, NormalForm, all_of, any_of, negated
from pwtool.comparing.items import ON_GRID
from pwtool.eval.kleene import is_unknown
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.types import cell, number
from pwtool.ir.walk import operands, rebuilt
from pwtool.play.game import Game
from tests.daily import one_day_in
from tests.kernel.asking import positions
from tests.kernel.batches import GAMES, Author, checked

SIGNS = ("==", "!=", "<", "<=", ">", ">=")
FRESH = 60
"""A local that no expression has."""
KINDS = ("some", "every", "no", "least", "most", "exactly")


def changed(expr: Expr, rng: random.Random) -> Expr:
    """The expression with one operation changed, to the same or to something else."""
    spots = [*_spots(expr)]
    spot = rng.choice(spots)
    new = _other(spot, rng)

    def put(part: Expr) -> Expr:
        return new if part is spot else rebuilt(part, put)

    return put(expr)


def _spots(expr: Expr) -> Iterator[Expr]:
    yield expr
    for part in operands(expr):
        yield from _spots(part)


def _negative(expr: Expr) -> Expr:
    return ir.Arithmetic(expr.type, "-", ir.Const(number(0, 0), 0), expr)


def _other(expr: Expr, rng: random.Random) -> Expr:
    one = ir.Const(number(1, 1), 1)
    ways: list[Expr] = []
    match expr:
        case ir.Compare():
            turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}[expr.sign]
            ways = [
                replace(expr, left=expr.right, right=expr.left, sign=turned),  # type: ignore[arg-type]
                replace(expr, left=expr.right, right=expr.left),
                replace(expr, sign=rng.choice(SIGNS if expr.left.type.kind == "int" else SIGNS[:2])),  # type: ignore[arg-type]
            ]
            numbers = all(side.type.kind == "int" and not side.type.optional for side in (expr.left, expr.right))
            if numbers and expr.sign not in ("==", "!="):
                more = ir.Arithmetic(number(-999, 999), "+", expr.right, one)
                step = {"<": ("<=", expr.left, expr.right), "<=": ("<", expr.left, more),
                        ">": (">=", expr.left, more), ">=": (">", expr.left, expr.right)}[expr.sign]  # fmt: skip
                ways.append(ir.Compare(*step))
        case ir.And() | ir.Or():
            contrary = ir.Or if isinstance(expr, ir.And) else ir.And
            ways = [
                type(expr)(expr.right, expr.left),
                ir.Not(contrary(ir.Not(expr.left), ir.Not(expr.right))),
                contrary(expr.left, expr.right),
                expr.left,
            ]
        case ir.Not():
            ways = [expr.operand, ir.Not(expr)]
        case ir.Arithmetic():
            ways = [
                replace(expr, left=expr.right, right=expr.left),
                replace(expr, sign=rng.choice(("+", "-", "*"))),
                _negative(_negative(expr)),
            ]
        case ir.Concat():
            ways = [replace(expr, left=expr.right, right=expr.left)]
        case ir.Empty():
            ways = [
                ir.Compare(rng.choice(("<", "<=", "==")), ir.Count(expr.of), one),
                ir.Compare("==", ir.Count(expr.of), ir.Const(number(0, 0), 0)),
            ]
        case ir.Quantified():
            ways = [
                replace(expr, kind=rng.choice(KINDS), number=rng.randrange(3)),
                ir.Compare(
                    rng.choice(SIGNS),
                    ir.CountWhere(expr.slot, expr.domain, expr.body),
                    ir.Const(number(0, 2), rng.randrange(3)),
                ),
                ir.Not(replace(expr, kind={"some": "no", "no": "some"}.get(expr.kind, expr.kind))),
                replace(expr, body=ir.Not(expr.body), kind={"every": "no", "no": "every"}.get(expr.kind, expr.kind)),
            ]
        case ir.CountWhere():
            ways = [
                ir.Arithmetic(expr.type, "-", ir.Count(expr.domain), replace(expr, body=ir.Not(expr.body))),
                replace(expr, body=ir.Not(expr.body)),
                ir.SumWhere(expr.slot, expr.domain, ir.If(number(0, 1), expr.body, one, ir.Const(number(0, 0), 0))),
            ]
        case ir.Sum(of=ir.Attributes(of=things) as of) if things.type.element and not things.type.element.optional:
            worth = ir.Attribute(number(-999, 999), ir.Local(things.type.element, FRESH), of.component, of.name)
            ways = [
                ir.SumWhere(FRESH, things, worth),
                ir.SumWhere(FRESH, things, ir.Arithmetic(number(-999, 999), "*", ir.Const(number(2, 2), 2), worth)),
                ir.Arithmetic(number(-999, 999), "+", expr, ir.Count(things)),
            ]
        case ir.Table():
            (key, value), *rest = expr.rows
            asked = ir.Compare(rng.choice(("==", "<=")), expr.operand, ir.Const(number(key, key), key))
            first = ir.Const(number(value, value), value)
            ways = [ir.If(expr.type, asked, first, replace(expr, rows=tuple(rest)))] if rest else []
            ways.append(replace(expr, rows=tuple(reversed(expr.rows))))
        case ir.Alike(kind="same", of=ir.Attributes(of=ir.Concat(left=rest, right=ir.Values(items=(last,)))) as of) if (
            last.type.kind == "face" and not last.type.optional
        ):
            one_of, other = (
                ir.Attribute(last.type, thing, of.component, of.name) for thing in (ir.Local(last.type, FRESH), last)
            )
            ways = [ir.Quantified(kind, 0, FRESH, rest, ir.Compare("==", one_of, other)) for kind in ("every", "some")]  # type: ignore[arg-type]
        case ir.In(items=ir.Neighbours() as beside):
            swapped = ir.Neighbours(expr.item, beside.on, beside.diagonally)
            ways = [ir.In(beside.cell, swapped), ir.In(beside.cell, beside)]
            ways.append(
                ir.Quantified("some", 0, FRESH, beside, ir.Compare("==", ir.Local(cell(beside.on), FRESH), expr.item))
            )
        case ir.Count(of=ir.Concat() as both):
            ways = [ir.Arithmetic(expr.type, "+", ir.Count(both.left), ir.Count(both.right))]
        case ir.If():
            ways = [
                replace(expr, condition=ir.Not(expr.condition), then=expr.otherwise, otherwise=expr.then),
                replace(expr, then=expr.otherwise, otherwise=expr.then),
            ]
        case ir.Const() if expr.type.kind == "int":
            ways = [replace(expr, value=expr.value + 1)]
    if expr.type.kind == "bool" and not expr.type.optional:
        ways += [ir.Not(ir.Not(expr)), ir.And(expr, expr), ir.Or(expr, ir.Const(expr.type, False)), ir.Not(expr)]
    if expr.type.kind == "int" and not expr.type.optional:
        ways.append(ir.Arithmetic(number(-999, 999), "-", ir.Arithmetic(number(-999, 999), "+", expr, one), one))
    return rng.choice(ways) if ways else expr


def run_batch(game: str, seed: int, size: int, tries: int, count: int) -> Counter[str]:
    rng = random.Random(f"{game} {seed}")
    _, ruleset, _ = checked(Author(game, rng, 4).batch(size))
    names = Normalizer(ruleset)
    playing = Game(ruleset)
    exprs = [i.require for i in ruleset.invariants] + [s.value for s in ruleset.scores]
    alike: list[tuple[Expr, Expr]] = []
    met: Counter[str] = Counter()
    for expr in exprs:
        form = names.form(expr)
        for _ in range(tries):
            other = expr
            for _ in range(rng.randint(1, 3)):
                other = changed(other, rng)
            met["tried"] += 1
            if other != expr and names.form(other) == form:
                alike.append((expr, other))
    met["alike"] = len(alike)
    for _, play in positions(playing, rng, count):
        for actor in range(play.state.players):
            play.state.player = actor
            for expr, other in alike:
                try:
                    values = [_value(playing, x, play.state) for x in (expr, other)]
                except IndexError:
                    # A number that was changed names a zone that is not there.
                    continue
                if not any(is_unknown(v) for v in values):
                    met["compared"] += 1
                    assert values[0] == values[1], (expr, other, values)
    return met


def _value(game: Game, expr: Expr, state: Any) -> Any:
    return game.interpreter.evaluate(expr, state, [None] * (game.ruleset.slots + FRESH))


@one_day_in(8)
@pytest.mark.parametrize("game", GAMES)
def test_the_same_form_means_the_same(game: str) -> None:
    met = run_batch(game, 1, 80, 8, 4)
    assert met["alike"] > met["tried"] / 10 and met["compared"] > 300


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 14))
@pytest.mark.parametrize("game", GAMES)
def test_the_same_form_means_the_same_in_many(game: str, seed: int) -> None:
    assert run_batch(game, seed, 120, 20, 6)["compared"] > 500


@one_day_in(8)
def test_what_is_changed_is_looked_for() -> None:
    """Each of the newer rewrites is met in expressions at random, both where it holds and where it does not."""
    met: Counter[tuple[str, bool]] = Counter()
    for game in GAMES:
        rng = random.Random(f"{game} ways")
        _, ruleset, _ = checked(Author(game, rng, 4).batch(200))
        names = Normalizer(ruleset)
        for expr in [i.require for i in ruleset.invariants] + [s.value for s in ruleset.scores]:
            for spot in _spots(expr):
                if isinstance(spot, ir.Sum | ir.Table):
                    met[type(spot).__name__, names.form(_other(spot, rng), ANY) == names.form(spot, ANY)] += 1
    assert {name for name, same in met if same} == {"Sum", "Table"}, met


class _Any(dict[int, NormalForm]):
    def __missing__(self, slot: int) -> NormalForm:
        return ("bound", slot + 100)


ANY = _Any()


# ---- single rewrites -------------------------------------------------------------------------------------------------


A: NormalForm = ("parameter", "a")
B: NormalForm = ("parameter", "b")


def below(bound: int, *terms: NormalForm) -> NormalForm:
    return ("Below", (-bound, *([1] * len(terms))), *terms)


def test_conditions_together() -> None:
    assert all_of([A, B, A]) == all_of([B, A])
    assert all_of([A, negated(A)]) == FALSE and any_of([A, negated(A)]) == TRUE
    assert any_of([A, B]) == negated(all_of([negated(A), negated(B)]))
    assert all_of([below(3, A), below(5, A)]) == below(3, A)
    assert all_of([negated(below(3, A)), negated(below(5, A))]) == negated(below(5, A))
    assert any_of([below(3, A), below(5, A)]) == below(5, A)
    assert all_of([below(3, A), negated(below(3, A))]) == all_of([below(3, A), negated(below(5, A))]) == FALSE
    assert all_of([below(5, A), negated(below(3, A))]) != FALSE
    assert all_of([below(3, A), below(5, B)])[0] == "And"


def test_the_locals_of_an_objective_are_its_piles_and_tops() -> None:
    assert set(ON_GRID) == {0, 1}
