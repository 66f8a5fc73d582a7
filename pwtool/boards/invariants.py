"""What the invariants say about boards: which cards may lie on which, how high a pile may be, whether the board is
connected. Proofs ignore everything else that they say about a board, and name it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TypeGuard

from pwtool.ir import nodes as ir
from pwtool.ir.model import InvariantModel, Ruleset
from pwtool.ir.nodes import COMPARE, Expr
from pwtool.ir.walk import walk

_SIGNS = {**COMPARE, "+": operator.add, "-": operator.sub, "*": operator.mul}
# What has a state of its own, apart from the zones.
_ELSEWHERE = (ir.TokenIndex, ir.TokenCell, ir.Variable, ir.Goals, ir.Repeats, ir.Can)


def pile_rules(ruleset: Ruleset) -> list[tuple[str, str]]:
    """What the invariants say about every pile of the board: (`same` or `ascending`, attribute)."""
    return [
        (part.kind, part.of.name)
        for invariant in ruleset.invariants
        if _always(invariant)
        for loop, part in _parts(invariant.require, ruleset)
        if loop is not None and _is_of_pile(part, loop, ruleset)
    ]


def tallest_allowed(ruleset: Ruleset, most: int) -> int:
    """The greatest height, at most `most`, that the invariants allow for a pile."""
    heights = list(range(1, most + 1))
    for invariant in ruleset.invariants:
        if _always(invariant):
            for loop, part in _parts(invariant.require, ruleset):
                if loop is not None:
                    heights = [h for h in heights if _of_height(part, loop, h, ruleset) is not False]
    return max(heights, default=1)


def stays_connected(ruleset: Ruleset) -> bool:
    """Whether an invariant says that the board is connected."""
    return any(
        isinstance(part, ir.Connected) and _is_board(part.grid, ruleset)
        for invariant in ruleset.invariants
        if _always(invariant)
        for _, part in _parts(invariant.require, ruleset)
    )


def not_looked_at(ruleset: Ruleset, tallest: int) -> list[str]:
    """The invariants about the board alone that proofs do not take into account: some of the boards that proofs count may
    violate them.
    """
    return [
        invariant.name
        for invariant in ruleset.invariants
        if _of_board_alone(invariant, ruleset)
        and not (
            _always(invariant) and all(_kept(*said, tallest, ruleset) for said in _parts(invariant.require, ruleset))
        )
    ]


def _always(invariant: InvariantModel) -> bool:
    return not invariant.between and invariant.when is None


def _of_board_alone(invariant: InvariantModel, ruleset: Ruleset) -> bool:
    assert ruleset.board is not None
    parts = [part for x in (invariant.require, invariant.when) if x is not None for part in walk(x)]
    zones = {part.zone for part in parts if isinstance(part, ir.Zone)}
    families = any(isinstance(part, ir.Family) for part in parts)
    return zones == {ruleset.board.number} and not families and not any(isinstance(part, _ELSEWHERE) for part in parts)


def _parts(x: Expr, ruleset: Ruleset) -> Iterator[tuple[ir.Quantified | None, Expr]]:
    """The parts that must all hold; a part about every pile of the board comes with its quantifier."""
    if isinstance(x, ir.And):
        yield from _parts(x.left, ruleset)
        yield from _parts(x.right, ruleset)
    elif isinstance(x, ir.Quantified) and x.kind in ("every", "no") and _goes_through(x.domain, ruleset):
        body: Expr = ir.Not(x.body, span=x.body.span) if x.kind == "no" else x.body
        yield from ((x, part) for _, part in _parts(body, ruleset))
    else:
        yield None, x


def _kept(loop: ir.Quantified | None, part: Expr, tallest: int, ruleset: Ruleset) -> bool:
    """Whether the counted boards are exactly those on which this part of an invariant holds."""
    assert ruleset.board is not None
    board = ruleset.board
    if loop is None:
        if isinstance(part, ir.Fits) and _is_board(part.grid, ruleset):
            return part.cell is None and part.width >= board.width and part.height >= board.height
        if isinstance(part, ir.Not) and isinstance(part.operand, ir.Empty):
            return _is_board(part.operand.of, ruleset) and stays_connected(ruleset)
        return isinstance(part, ir.Connected) and _is_board(part.grid, ruleset)
    if isinstance(part, ir.Alike) and part.kind != "distinct":
        return _is_of_pile(part, loop, ruleset)
    least = 0 if isinstance(loop.domain, ir.Const) else 1
    return all(_of_height(part, loop, h, ruleset) is True for h in range(least, tallest + 1))


def _is_board(x: Expr, ruleset: Ruleset) -> bool:
    if isinstance(x, ir.Piles):
        x = x.grid
    return ruleset.board is not None and isinstance(x, ir.Zone) and x.zone == ruleset.board.number


def _goes_through(x: Expr, ruleset: Ruleset) -> bool:
    """Whether this collection is all piles of the board, or all its cells."""
    board = ruleset.board
    if isinstance(x, ir.Const) and isinstance(x.value, tuple) and board is not None:
        return x.type.element is not None and x.type.element.kind == "cell" and len(x.value) == board.grid.size
    return _is_board(x, ruleset)


def _is_of_pile(x: Expr, loop: ir.Quantified, ruleset: Ruleset) -> TypeGuard[ir.Alike]:
    """Whether this compares an attribute of the things in the current pile with each other."""
    return isinstance(x, ir.Alike) and x.kind != "distinct" and _is_pile(x.of.of, loop, ruleset)


def _is_pile(x: Expr, loop: ir.Quantified, ruleset: Ruleset) -> bool:
    """Whether this is the current pile, or the pile on the current cell."""
    if isinstance(x, ir.PileAt) and isinstance(loop.domain, ir.Const):
        return _is_board(x.grid, ruleset) and isinstance(x.cell, ir.Local) and x.cell.slot == loop.slot
    return not isinstance(loop.domain, ir.Const) and isinstance(x, ir.Local) and x.slot == loop.slot


def _of_height(x: Expr, loop: ir.Quantified, height: int, ruleset: Ruleset) -> bool | int | None:
    """The value for a pile of this height, if the expression reads nothing but the height; otherwise None."""

    def value(part: Expr) -> bool | int | None:
        return _of_height(part, loop, height, ruleset)

    match x:
        case ir.Const(value=bool() | int() as known):
            return known
        case ir.Count() if _is_pile(x.of, loop, ruleset):
            return height
        case ir.Empty() if _is_pile(x.of, loop, ruleset):
            return height == 0
        case ir.Not():
            told = value(x.operand)
            return None if told is None else not told
        case ir.And() | ir.Or():
            decisive = isinstance(x, ir.Or)
            sides = (value(x.left), value(x.right))
            return decisive if decisive in sides else None if None in sides else not decisive
        case ir.If():
            told = value(x.condition)
            return None if told is None else value(x.then if told else x.otherwise)
        case ir.Compare() | ir.Arithmetic():
            left, right = value(x.left), value(x.right)
            if left is None or right is None:
                return None
            return _SIGNS[x.sign](left, right)  # type: ignore[no-any-return]
    return None
