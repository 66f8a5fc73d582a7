"""Conditions on the cells of a shape, or on one card, as signs on the cards; conditions without a sign are given in words.

Nothing is evaluated here: a condition is read as its author wrote it, and unknown parts are shown as written.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.show.svg.cards import SYMBOLS, ComponentArt, Face
from pwtool.show.svg.paints import TEXTURES, abstract_paint
from pwtool.show.text.conditions import SIGNS, Sayings

_TURNED_ROUND = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


class Marked(Struct, frozen=True):
    """The faces of a shape's cells with the signs of a condition, and the parts that had to stay words."""

    faces: tuple[Face, ...]
    said: tuple[str, ...] = ()


def conjuncts(node: n.Node | None) -> list[n.Node]:
    """The parts of a condition that must all hold."""
    return [] if node is None else parts_of(node, "and")


def parts_of(node: n.Node, operator: str) -> list[n.Node]:
    """The operands of a chain of `and` or `or`; the node itself if it is not one."""
    if isinstance(node, n.Binary) and node.operator == operator:
        return [*parts_of(node.left, operator), *parts_of(node.right, operator)]
    return [node]


def mark_cells(
    art: ComponentArt, faces: Sequence[Face], names: Sequence[str], body: n.Node | None, sayings: Sayings
) -> Marked:
    """A shape's cells with the signs of its condition. `names` are their names in the picture."""
    marked = Marked(tuple(faces))
    for part in conjuncts(body):
        marked = _mark_part(art, marked, names, part, sayings)
    return marked


def mark_card(art: ComponentArt, face: Face, body: n.Node | None, sayings: Sayings) -> tuple[Face, tuple[str, ...]]:
    """One card with the signs of a condition on it, and the words for the rest."""
    said: list[str] = []
    for part in conjuncts(body):
        found = _sign(art, face, part)
        # The height of a single pile is given in a sentence, and it is drawn this way.
        if found is None or found.high:
            said.append(sayings.sentence(part))
        else:
            face = found
    return face, tuple(said)


def _mark_part(art: ComponentArt, marked: Marked, names: Sequence[str], part: n.Node, sayings: Sayings) -> Marked:
    everywhere = range(len(marked.faces))
    found: Marked | None = None
    match part:
        case n.Alike():
            found = _alike(art, marked, names, part, sayings)
        case n.Reads(operand=n.Name(name=name), values=values) if name == art.figure:
            found = _each(marked, [_figure(f, str(v)) for f, v in zip(marked.faces, values, strict=False)], len(values))
        case n.Reads(operand=n.Name(name="height"), values=values) if "height" not in art.tables:
            found = _each(marked, [_high(f, "==", v) for f, v in zip(marked.faces, values, strict=False)], len(values))
        case (
            n.Unary(operator="all", operand=condition)
            | n.OverNamed(quantifier=n.Quantifier(kind="every"), subject=n.Name(name="pile"), grid=None, body=condition)
        ):
            found = _each(marked, [_sign(art, marked.faces[i], condition) for i in everywhere])
        case n.Unary(operator="not", operand=n.Unary(operator="any", operand=condition)):
            opposite = n.Unary(condition.span, "not", condition)
            found = _each(marked, [_sign(art, marked.faces[i], opposite) for i in everywhere])
        case n.Binary(
            operator=operator, left=n.Unary(operator="sum", operand=n.Name(name=name)), right=n.Number(value=value)
        ):
            if operator in SIGNS:
                found = replace(marked, said=(*marked.said, f"Σ {sayings.attribute(name)} {SIGNS[operator]} {value}"))
        case _:
            found = _named(art, marked, names, part)
    return found or replace(marked, said=(*marked.said, sayings.sentence(part)))


def _each(marked: Marked, faces: list[Face | None], wanted: int | None = None) -> Marked | None:
    shown = [f for f in faces if f is not None]
    if len(shown) != len(marked.faces) or (wanted is not None and wanted != len(marked.faces)):
        return None
    return replace(marked, faces=tuple(shown))


def _alike(art: ComponentArt, marked: Marked, names: Sequence[str], part: n.Alike, sayings: Sayings) -> Marked | None:
    """`same` and `distinct`: equal signs for equal values, different ones for different values."""
    if part.operand is None:
        chosen = list(range(len(marked.faces)))
        whose = ""
    elif isinstance(part.operand, n.Name) and part.operand.name in names:
        chosen = [i for i, name in enumerate(names) if name == part.operand.name]
        whose = f" ({part.operand.name})"
    else:
        return None
    attribute, distinct = part.attribute.name, part.operator == "distinct"
    if part.operator == "ascending":
        return None
    faces = list(marked.faces)
    signs = len(TEXTURES) if attribute == art.color else SYMBOLS
    # Cells that are compared with other cells get signs of their own: one sign would say that all are equal.
    alike = 0 if distinct else _sign_of_the_alike(faces, chosen, attribute == art.color)
    said = (*marked.said, f"{'≠' if distinct else '='} {sayings.attribute(attribute)}{whose}")
    if not distinct or len(chosen) <= signs:
        # As many cells as members: each member occurs, so the picture may show them.
        real = list(art.letters) if distinct and len(chosen) == len(art.letters) else []
        for place, i in enumerate(chosen):
            face = faces[i]
            if attribute == art.color and not face.letter and real:
                member = real[place]
                faces[i] = replace(face, paint=art.paints[member], letter=art.letters[member])
            elif attribute == art.color and not face.letter:
                faces[i] = replace(face, paint=abstract_paint(place if distinct else alike))
            elif attribute == art.figure and not face.figure and (face.symbol is None or not distinct):
                faces[i] = replace(face, symbol=place if distinct else alike)
    return Marked(tuple(faces), said)


def _sign_of_the_alike(faces: Sequence[Face], chosen: Sequence[int], colors: bool) -> int:
    """The number of the sign for equal cells: one that is already used for them, or the next free one."""
    paints = [abstract_paint(number) for number in range(len(TEXTURES))]

    def sign(face: Face) -> int | None:
        if not colors:
            return face.symbol
        return paints.index(face.paint) if face.paint in paints else None

    on_them = [found for i in chosen if (found := sign(faces[i])) is not None]
    taken = {sign(face) for face in faces} - {None}
    return on_them[0] if on_them else len(taken)


def _named(art: ComponentArt, marked: Marked, names: Sequence[str], part: n.Node) -> Marked | None:
    """A condition on the cells of one name: `x.value == 3`, `x.shiny`."""
    owner, condition = _without_name(part)
    if owner is None or condition is None or owner not in names:
        return None
    faces: list[Face] = []
    for face, name in zip(marked.faces, names, strict=True):
        found = _sign(art, face, condition) if name == owner else face
        if found is None:
            return None
        faces.append(found)
    return replace(marked, faces=tuple(faces))


def _without_name(part: n.Node) -> tuple[str | None, n.Node | None]:
    match part:
        case n.Attribute(value=n.Name(name=owner), name=attribute):
            return owner, attribute
        case n.Unary(operator="not", operand=n.Attribute(value=n.Name(name=owner), name=attribute)):
            return owner, n.Unary(part.span, "not", attribute)
        case n.Binary(operator=operator, left=n.Attribute(value=n.Name(name=owner), name=attribute), right=right):
            if operator in SIGNS and isinstance(right, n.Number | n.Name):
                return owner, n.Binary(part.span, operator, attribute, right)
    return None, None


def _sign(art: ComponentArt, face: Face, condition: n.Node) -> Face | None:
    """The card with a sign for the condition; None if there is none, or its place is taken."""
    match condition:
        case n.Binary(operator="and", left=left, right=right):
            first = _sign(art, face, left)
            return None if first is None else _sign(art, first, right)
        case n.Name(name=name) if name in art.flags:
            return replace(face, marks=(*face.marks, art.flags[name]))
        case n.Unary(operator="not", operand=n.Name(name=name)) if name in art.flags:
            return replace(face, crossed=(*face.crossed, art.flags[name]))
        case n.Binary(operator=operator, left=n.Number() as left, right=n.Name() as right) if operator in SIGNS:
            return _compared(art, face, _TURNED_ROUND[operator], right.name, left)
        case n.Binary(operator=operator, left=n.Name(name=name), right=right) if operator in SIGNS:
            return _compared(art, face, operator, name, right)
    return None


def _compared(art: ComponentArt, face: Face, operator: str, attribute: str, value: n.Node) -> Face | None:
    if attribute == art.figure and isinstance(value, n.Number):
        return _figure(face, f"{'' if operator == '==' else SIGNS[operator]}{value.value}")
    if attribute == "height" and attribute not in art.tables and isinstance(value, n.Number):
        return _high(face, operator, value.value)
    if not isinstance(value, n.Name | n.Number):
        return None
    word = value.name if isinstance(value, n.Name) else str(value.value)
    if attribute == art.figure and operator == "==":
        return _figure(face, art.word(attribute, word))
    if attribute == art.color and operator == "==" and word in art.paints:
        if face.letter and face.letter != art.letters[word]:
            return None
        return replace(face, paint=art.paints[word], letter=art.letters[word])
    if attribute in art.others and operator == "==" and not face.corner:
        return replace(face, corner=art.word(attribute, word))
    return None


def _figure(face: Face, figure: str) -> Face | None:
    if face.symbol is not None or face.figure not in ("", figure):
        return None
    return replace(face, figure=figure)


def _high(face: Face, operator: str, value: int) -> Face | None:
    """The card with a sign for the height of its pile: `3`, `3+` (three or more), `≤3`."""
    signs = {"==": f"{value}", ">=": f"{value}+", ">": f"{value + 1}+", "<=": f"≤{value}", "<": f"≤{value - 1}"}
    high = signs.get(operator, f"≠{value}")
    return replace(face, high=high) if face.high in ("", high) else None
