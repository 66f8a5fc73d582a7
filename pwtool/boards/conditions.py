"""Analysis of an objective's condition before it becomes a circuit: what is known about its parts, and whether it
depends on corners.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from pwtool.boards.encoding import Encoding
from pwtool.ir import nodes as ir
from pwtool.ir.model import ComponentModel, ObjectiveModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import rebuilt, walk
from pwtool.kernel.lower import lower


def known_condition(objective: ObjectiveModel, encoding: Encoding) -> Expr:
    """The condition of an objective as it is computed."""
    return with_known(lower(objective.condition), encoding.component)


def notices_corner(x: Expr, width: int, height: int) -> bool:
    """Whether some picture of a condition could notice where the grid begins: it has cells that must be empty, or it cannot lie
    everywhere that its cells would fit, such as a picture with an empty border.
    """
    return any(
        any(free for _, free in part.places) or not _lies_everywhere([n for n, _ in part.places], width, height)
        for part in walk(x)
        if isinstance(part, ir.Places)
    )


def _lies_everywhere(placements: list[tuple[int, ...]], width: int, height: int) -> bool:
    known = {tuple(needs) for needs in placements}
    for needs in known:
        columns, rows = [at % width for at in needs], [at // width for at in needs]
        for down in range(-min(rows, default=0), height - max(rows, default=0)):
            for aside in range(-min(columns, default=0), width - max(columns, default=0)):
                if tuple(at + down * width + aside for at in needs) not in known:
                    return False
    return True


def with_known(x: Expr, component: ComponentModel) -> Expr:
    """The same condition, simplified: where a part of an `and` fixes the value of a card's attribute, the other parts need not
    read it, so fewer kinds of cards have to be distinguished.
    """
    x = rebuilt(x, lambda part: with_known(part, component))
    if not isinstance(x, ir.And):
        return x
    right = _replaced(x.right, dict(_facts(x.left, component)))
    return replace(x, left=_replaced(x.left, dict(_facts(right, component))), right=right)


def _facts(x: Expr, component: ComponentModel) -> Iterator[tuple[Expr, Expr]]:
    match x:
        case ir.And():
            yield from _facts(x.left, component)
            yield from _facts(x.right, component)
        case (
            ir.Compare(sign="==", left=ir.Attribute(of=ir.Local()) as of, right=ir.Const() as value)
            | ir.Compare(sign="==", left=ir.Const() as value, right=ir.Attribute(of=ir.Local()) as of)
        ) if value.value in component.attributes[of.name].table:
            yield of, value


def _replaced(x: Expr, known: dict[Expr, Expr]) -> Expr:
    if not known:
        return x
    return known[x] if x in known else rebuilt(x, lambda part: _replaced(part, known))
