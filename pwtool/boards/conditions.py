"""Analysis of an objective's condition before it becomes a circuit: what is known about its parts, and whether it
depends on corners.
"""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.boards.encoding import Encoding
from pwtool.ir.model import ComponentModel, ObjectiveModel
from pwtool.kernel import form as f
from pwtool.kernel.form import Form
from pwtool.kernel.lower import lower


def known_condition(objective: ObjectiveModel, encoding: Encoding) -> Form:
    """The condition of an objective, in the form in which it is computed."""
    return with_known(lower(objective.condition), encoding.component)


def notices_corner(x: Form, width: int, height: int) -> bool:
    """Whether some picture of a condition could notice where the grid begins: it has cells that must be empty, or it cannot lie
    everywhere that its cells would fit, such as a picture with an empty border.
    """
    return any(
        any(free for _, free in part.places) or not _lies_everywhere([n for n, _ in part.places], width, height)
        for part in f.walk(x)
        if isinstance(part, f.Places)
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


def with_known(x: Form, component: ComponentModel) -> Form:
    """The same condition, simplified: where a part of an `and` fixes the value of a card's attribute, the other parts need not
    read it, so fewer kinds of cards have to be distinguished.
    """
    x = f.rebuilt(x, lambda part: with_known(part, component))
    if not isinstance(x, f.And):
        return x
    right = _replaced(x.right, dict(_facts(x.left, component)))
    return f.And(_replaced(x.left, dict(_facts(right, component))), right)


def _facts(x: Form, component: ComponentModel) -> Iterator[tuple[Form, Form]]:
    match x:
        case f.And():
            yield from _facts(x.left, component)
            yield from _facts(x.right, component)
        case (
            f.Equal(left=f.Attribute(of=f.Local()) as of, right=f.Const() as value)
            | f.Equal(left=f.Const() as value, right=f.Attribute(of=f.Local()) as of)
        ) if value.value in component.attributes[of.name].table:
            yield of, value


def _replaced(x: Form, known: dict[Form, Form]) -> Form:
    if not known:
        return x
    return known[x] if x in known else f.rebuilt(x, lambda part: _replaced(part, known))
