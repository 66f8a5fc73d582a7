"""Small changes of a ruleset's items, like typical mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import exchange, walk
from pwtool.text.source import Span
from pwtool.text.words import one_line

MUTATED = (n.Objective, n.Rule, n.Invariant, n.Ending, n.Score, n.Shape, n.Define)
_COMPARED = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": ("!=", ">=", "<="), "!=": ("==",)}
_ALIKE = {"same": "distinct", "distinct": "same"}
_KINDS = {"some": "every", "every": "some", "least": "exactly", "exactly": "least", "most": "exactly"}
_WORDS = {"least": "at least", "most": "at most"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed item: the new item, where it differs, and both texts of that place."""

    item: n.Node
    span: Span
    before: str
    after: str


_Change = tuple[n.Node, n.Node, Span, str, str]


def mutants_of(item: n.Node, ruleset: Ruleset) -> Iterator[Mutant]:
    """Every small change of an item; not all of them give rules that load."""
    attributes = _attributes(ruleset)
    seen: list[n.Node] = [item]
    for old, new, span, before, after in _changes(item, attributes):
        changed = exchange(item, old, new)
        if changed not in seen:
            seen.append(changed)
            yield Mutant(changed, span, before, after)
    if isinstance(item, n.Rule | n.Invariant) and item.when is not None:
        span = item.when.span
        yield Mutant(replace(item, when=None), span, f"when {one_line(item.when.span.text)}", "always")


def _attributes(ruleset: Ruleset) -> dict[str, tuple[str, ...]]:
    """For each attribute, the others of the same kind."""
    found: dict[str, tuple[str, ...]] = {}
    for component in ruleset.components.values():
        for name, model in component.attributes.items():
            others = [
                a.name for a in component.attributes.values() if a.type.kind == model.type.kind and a.name != name
            ]
            found[name] = (*found.get(name, ()), *others)
    return found


def _changes(item: n.Node, attributes: dict[str, tuple[str, ...]]) -> Iterator[_Change]:
    roots = _conditions(item)
    for root in roots:
        yield from _negated(root)
        for node in walk(root):
            yield from _of_node(node, attributes)
    if isinstance(item, n.Shape):
        for picture in (item.picture, *item.more):
            yield from _of_picture(picture)


def _conditions(item: n.Node) -> list[n.Node]:
    match item:
        case n.Rule() | n.Invariant():
            return [part for part in (item.when, item.require) if part is not None]
        case n.Objective() | n.Ending():
            return [item.condition]
        case n.Score():
            return [item.value]
        case n.Define():
            return [item.body]
    return []


def _negated(node: n.Node) -> Iterator[_Change]:
    if isinstance(node, n.Unary) and node.operator == "not":
        return
    text = one_line(node.span.text)
    yield node, n.Unary(node.span, "not", node), node.span, text, f"not {text}"


def _of_node(node: n.Node, attributes: dict[str, tuple[str, ...]]) -> Iterator[_Change]:
    span = node.span
    match node:
        case n.Number():
            for value in (node.value + 1, node.value - 1):
                if value >= 0:
                    yield node, replace(node, value=value), span, str(node.value), str(value)
        case n.Range():
            for low, high in ((node.low + 1, node.high), (node.low, node.high - 1), (node.low, node.high + 1)):
                if low <= high:
                    new = replace(node, low=low, high=high)
                    yield node, new, span, f"{node.low}..{node.high}", f"{low}..{high}"
        case n.Quantifier():
            yield from _of_quantifier(node)
        case n.OverNamed(separate=True) | n.OverPicture(separate=True) | n.Placements(separate=True):
            yield node, replace(node, separate=False), span, "separate", "not separate"
        case n.Binary():
            yield from _of_binary(node)
        case n.Unary(operator="not"):
            yield node, node.operand, span, one_line(node.span.text), _without_not(node)
        case n.Unary(operator="all" | "any"):
            other = "any" if node.operator == "all" else "all"
            yield node, replace(node, operator=other), span, node.operator, other
        case n.Alike():
            if node.operator in _ALIKE:
                yield node, replace(node, operator=_ALIKE[node.operator]), span, node.operator, _ALIKE[node.operator]
        case n.Reads():
            for at, value in enumerate(node.values):
                values = (*node.values[:at], value + 1, *node.values[at + 1 :])
                words = [" ".join(map(str, v)) for v in (node.values, values)]
                yield node, replace(node, values=values), span, words[0], words[1]
        case n.Fits():
            for size in ((node.width - 1, node.height), (node.width + 1, node.height + 1)):
                if size[0] > 0:
                    resized = replace(node, width=size[0], height=size[1])
                    yield node, resized, span, f"{node.width}x{node.height}", f"{size[0]}x{size[1]}"
        case n.Pick():
            other = "last" if node.which == "first" else "first"
            yield node, replace(node, which=other), span, node.which, other
        case n.Picture():
            yield from _of_picture(node)
        case n.Name() if node.name in attributes:
            for other in attributes[node.name]:
                yield node, replace(node, name=other), span, node.name, other


def _of_quantifier(node: n.Quantifier) -> Iterator[_Change]:
    text = _words(node)
    numbered = node.kind in ("least", "most", "exactly")
    if numbered:
        for number in (node.number + 1, node.number - 1):
            # `at least 0` always holds and is a change of another kind.
            if number > 0:
                new = replace(node, number=number)
                yield node, new, node.span, text, _words(new)
    if node.kind in _KINDS:
        new = replace(node, kind=_KINDS[node.kind], number=node.number if numbered else 1)
        yield node, new, node.span, text, _words(new)


def _words(node: n.Quantifier) -> str:
    kind = _WORDS.get(node.kind, node.kind)
    return f"{kind} {node.number}" if node.kind in ("least", "most", "exactly") else kind


def _of_binary(node: n.Binary) -> Iterator[_Change]:
    span = node.span
    if node.operator in _COMPARED:
        at = _operator_span(node)
        for other in _COMPARED[node.operator]:
            yield node, replace(node, operator=other), at, node.operator, other
    if node.operator in ("and", "or"):
        other = "or" if node.operator == "and" else "and"
        yield node, replace(node, operator=other), _operator_span(node), node.operator, other
        yield node, node.left, span, one_line(node.span.text), one_line(node.left.span.text)
        yield node, node.right, span, one_line(node.span.text), one_line(node.right.span.text)
        for operand in (node.left, node.right):
            if not (isinstance(operand, n.Binary) and operand.operator == node.operator):
                yield from _negated(operand)


def _operator_span(node: n.Binary) -> Span:
    text, start = node.span.file.text, node.left.span.end
    at = text.find(node.operator, start, node.right.span.start)
    return Span(node.span.file, at, at + len(node.operator)) if at >= 0 else node.span


def _without_not(node: n.Unary) -> str:
    if node.operand.span == node.span:
        return one_line(node.span.text).replace(" is not ", " is ")
    return one_line(node.operand.span.text)


# ---- pictures


def _of_picture(picture: n.Picture) -> Iterator[_Change]:
    for turned, mirrored in ((not picture.turned, picture.mirrored), (picture.turned, not picture.mirrored)):
        yield _picture_change(picture, replace(picture, turned=turned, mirrored=mirrored))
    if len(picture.cells) > 1:
        for cell in picture.cells:
            yield _picture_change(picture, replace(picture, cells=tuple(c for c in picture.cells if c is not cell)))
        for cell in picture.cells:
            if cell.maybe:
                sure = tuple(replace(c, maybe=False) if c is cell else c for c in picture.cells)
                yield _picture_change(picture, replace(picture, cells=sure))
    marked = {(c.row, c.column) for c in picture.cells}
    for row in range(picture.height):
        for column in range(picture.width):
            if (row, column) not in marked:
                cell = n.PictureCell(picture.span, row, column, "#")
                cells = sorted((*picture.cells, cell), key=lambda c: (c.row, c.column))
                yield _picture_change(picture, replace(picture, cells=tuple(cells)))


def _picture_change(old: n.Picture, new: n.Picture) -> _Change:
    return old, new, old.span, draw_picture(old), draw_picture(new)


def draw_picture(picture: n.Picture) -> str:
    """A picture as written in a rules file."""
    signs = {(c.row, c.column): c.sign for c in picture.cells}
    rows = [" ".join(signs.get((r, c), ".") for c in range(picture.width)) for r in range(picture.height)]
    words = ["turned"] * picture.turned + ["mirrored"] * picture.mirrored
    return " ".join([f"[ {' / '.join(rows)} ]", *words])
