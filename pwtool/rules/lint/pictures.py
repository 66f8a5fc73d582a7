"""Pictures that need more room than they show."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.lang.traversal import children
from pwtool.text import Diagnostic, Fix
from pwtool.text.speech import Told


def check_pictures(document: n.Document) -> list[Diagnostic]:
    """A finding for each pattern with border rows or columns in which anything may lie. The boards of examples and of
    the setup are positions, not patterns.
    """
    found: list[Diagnostic] = []
    pending: list[n.Node] = list(reversed(document.declarations))
    while pending:
        node = pending.pop()
        if isinstance(node, n.Example | n.SetupStep):  # also one of another reading
            continue
        if isinstance(node, n.Picture) and node.cells:
            problem = _check(node)
            if problem:
                found.append(problem)
        pending += reversed(children(node))
    return found


def _check(picture: n.Picture) -> Diagnostic | None:
    top, bottom = min(c.row for c in picture.cells), max(c.row for c in picture.cells)
    left, right = min(c.column for c in picture.cells), max(c.column for c in picture.cells)
    rows = picture.height - (bottom - top + 1)
    columns = picture.width - (right - left + 1)
    if not rows and not columns:
        return None
    signs = {(c.row, c.column): c.sign for c in picture.cells}
    lines = [
        " ".join(signs.get((row, column), ".") for column in range(left, right + 1)) for row in range(top, bottom + 1)
    ]
    smaller = f"[ {' / '.join(lines)} ]"
    parts = [
        *([Told("{count} row", "{count} rows", rows)] if rows else []),
        *([Told("{count} column", "{count} columns", columns)] if columns else []),
    ]
    return Diagnostic.of(
        "PW405", "the picture has {parts} at its border in which anything may lie", picture.span,
        notes=("the border needs room on the grid too: the picture does not match at the edge",),
        help="write `{smaller}`; where the cells have to be empty, mark them with `_`", fix=Fix(picture.span, smaller),
        parts=parts, smaller=smaller,
    )  # fmt: skip
