"""Pictures of cards, coins and empty places, derived from the attributes of a component.

The first attribute with members gives color, texture and letter; the first number the large digit, or, if there is
none, the second attribute with members; flags are small round marks; other parts of a card's code are printed small in
a corner.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as replace_struct

from pwtool.eval.values import UNSEEN
from pwtool.ir.looks import COLORS, HEAPS, ComponentLook, looks_of, member_name
from pwtool.ir.model import ComponentModel, Ruleset
from pwtool.lang import tree as n
from pwtool.show.svg.paints import HIDDEN, PLAIN, Paint, paints_of, texture
from pwtool.show.svg.pieces import Piece, draw_piece
from pwtool.show.svg.writer import (
    FAINT,
    INK,
    MARK,
    PAPER,
    SOFT,
    Drawing,
    centered,
    circle,
    element,
    group,
    measure,
    number,
    path,
    rect,
    words,
)  # fmt: skip

SYMBOLS = 9


class Face(Struct, frozen=True):
    """What a card shows. `symbol` replaces the figure for "some value"; `crossed` marks must be absent; `name` is what
    a screen reader says; `maybe`: whether the card may be missing; `high`: the height of its pile.
    """

    name: str
    paint: Paint = PLAIN
    figure: str = ""
    symbol: int | None = None
    letter: str = ""
    corner: str = ""
    marks: tuple[str, ...] = ()
    crossed: tuple[str, ...] = ()
    maybe: bool = False
    high: str = ""
    piece: Piece | None = None
    """What it looks like if it is no card."""

    @property
    def below(self) -> int:
        """The number of cards below it, or at least that many, as the condition on the pile's height says."""
        least = self.high.removesuffix("+")
        return int(least) - 1 if least.isdigit() else 0


class ComponentArt(Struct, frozen=True):
    """The look of a component's faces. Names are those of its attributes, empty if it has none."""

    component: str
    color: str
    figure: str
    letters: dict[str, str]
    paints: dict[str, Paint]
    flags: dict[str, str]
    others: tuple[str, ...]
    codes: tuple[str, ...]
    tables: dict[str, tuple[Any, ...]]
    member_letters: dict[tuple[str, str], str]
    look: ComponentLook

    def face(self, item: int, body: str = "") -> Face:
        """The face with this number; `UNSEEN` is the back of a card. `body`: another than its own."""
        if item == UNSEEN:
            back = Piece(self.look.body, HIDDEN.fill, word="?") if self.look.body in ("disc", "tile") else None
            return Face("?", HIDDEN, "?", piece=back)
        paint, letter, figure = PLAIN, "", ""
        if self.color:
            member = self.tables[self.color][item]
            paint, letter = self.paints[member], self.letters[member]
        if self.figure:
            figure = self.word(self.figure, self.tables[self.figure][item])
        else:
            figure, letter = letter, ""
        marks = tuple(code for name, code in self.flags.items() if self.tables[name][item])
        corner = " ".join(self.word(name, self.tables[name][item]) for name in self.others)
        name = self.codes[item]
        shown = figure if figure or marks or corner else name
        return Face(name, paint, shown, None, letter, corner, marks, piece=self.piece(item, body))

    def piece(self, item: int, body: str = "") -> Piece | None:
        """What a face looks like if it is no card."""
        look = replace_struct(self.look, body=body) if body else self.look
        if look.body == "card":
            return None
        color = look.color.get(self._member(look.color_by, item), COLORS["light"])
        figure = look.figure.get(self._member(look.figure_by, item), ())
        said = [a for a in (self.color, self.figure, *self.others) if a]
        word = " ".join(self.word(a, self.tables[a][item]) for a in said if a not in (look.color_by, look.figure_by))
        sign = figure[0] if figure else ""
        if not (sign or word) and (look.body in ("figure", "portrait", "tile") or look.figure):
            word = sign = self.codes[item]
        return Piece(look.body, color, sign if figure or look.body == "figure" else "", figure[1:], word)

    def _member(self, attribute: str, item: int) -> str:
        return member_name(self.tables[attribute][item]) if attribute else ""

    def word(self, attribute: str, value: Any) -> str:
        """A value as printed on a card."""
        label = self.look.label.get(member_name(value)) if attribute == self.look.label_by else None
        return label or self.member_letters.get((attribute, str(value)), str(value))

    def blank(self, name: str = "") -> Face:
        """A card of which only the name is known."""
        return Face(name or self.component)


def component_art(ruleset: Ruleset, component: ComponentModel) -> ComponentArt:
    """The look of a component, derived from its declaration."""
    node = ruleset.merged.items.get(("component", component.name))
    declared = node.attributes if isinstance(node, n.Component) else ()
    enums = [a for a in declared if a.kind == "enum"]
    numbers = [a for a in declared if a.kind == "range"]
    first = enums[0] if enums else None
    figure = next(iter([*numbers, *enums[1:]]), None)
    members = [(m.name, m.code or m.name) for m in first.members] if first else []
    paints = dict(zip((m[0] for m in members), paints_of(members), strict=True))
    return ComponentArt(
        component.name,
        first.name.name if first else "",
        figure.name.name if figure is not None else "",
        dict(members),
        paints,
        {a.name.name: a.code or a.name.name for a in declared if a.kind == "flag"},
        tuple(a.name.name for a in (*enums[1:], *numbers) if a is not figure),
        component.codes,
        {name: a.table for name, a in component.attributes.items()},
        {(a.name.name, m.name): m.code or m.name for a in enums for m in a.members},
        looks_of(ruleset).component(component.name),
    )


# ---- drawing -------------------------------------------------------------------------------------------------------


def draw_face(face: Face, size: float = 60, below: int = 0, token: str = "", times: int = 0) -> Drawing:
    """A card, seen from above, with `below` cards under it and a token with this letter on it; `times` is the number of equal cards."""
    title = (
        face.name
        + (f", height {face.high}" if face.high else "")
        + (f" +{below}" if below else "")
        + (f" ×{times}" if times else "")
    )
    body = _card(face, size, below) if face.piece is None else draw_piece(face.piece, size, max(below + 1, times))
    counted = face.piece is not None and face.piece.body in HEAPS
    if face.maybe:
        body += _badge("?", size * 0.86, size * 0.1, size)
    if (below or times) and not counted:
        body += _badge(f"+{below}" if below else f"×{times}", size * 0.86, size * 0.1, size)
    if face.high:
        body += _badge(face.high, size * 0.14, size * 0.93, size, dark=True)
    if token:
        body += _token(token, size * 0.12, size * 0.88, size)
    return Drawing(size, size, group(body, title))


def _card(face: Face, size: float, below: int) -> str:
    """A square card, with the edges of those below it."""
    radius = size * 0.13
    layers = ""
    for layer in range(min(below or face.below, 3), 0, -1):
        shift = layer * size * 0.035
        layers += rect(shift + 0.5, shift + 0.5, size - 1, size - 1, radius, fill=PAPER, stroke="#4a4a4a")
    whole, edge, frame = (0.5, 0.5, size - 1, size - 1, radius), face.paint.edge, size * 0.17
    body = rect(*whole, fill=face.paint.fill) + texture(face.paint, size, radius)
    body += rect(*whole, fill="none", stroke=edge, stroke_width=max(size / 45, 1))
    inner = size - 2 * frame
    body += rect(frame, frame, inner, inner, radius * 0.6, fill=PAPER, stroke=edge, stroke_width=max(size / 80, 0.7))
    return layers + body + _inside(face, size, frame)


def draw_marked(drawing: Drawing) -> Drawing:
    """A card or a cell in a conspicuous frame."""
    line = max(drawing.width / 14, 2.5)
    wide, high = drawing.width + 2 * line, drawing.height + 2 * line
    frame = rect(-line, -line, wide, high, drawing.width * 0.17, fill="none", stroke=MARK, stroke_width=line)
    return Drawing(drawing.width, drawing.height, drawing.body + frame)


def _inside(face: Face, size: float, frame: float) -> str:
    """The contents of the window: large in the middle, small in the corners."""
    body = ""
    small = size * 0.19
    room = size - 2 * frame - size * 0.06
    if face.letter and face.symbol is None and not (face.figure or face.marks or face.crossed):
        # On a card that shows only its color, the letter is what can be read.
        face = replace_struct(face, figure=face.letter, letter="")
    busy = bool(face.letter or face.marks or face.corner or face.crossed)
    if face.symbol is not None:
        body += draw_symbol(face.symbol, size / 2, size * (0.53 if busy else 0.5), size * 0.17)
    elif face.figure:
        body += centered(face.figure, size / 2, size * (0.53 if busy else 0.5), size * (0.42 if busy else 0.46), room)
    if face.letter:
        fitted = min(small, small * room * 0.55 / max(measure(face.letter, small, True), 0.1))
        body += words(face.letter, frame + size * 0.04, frame + size * 0.02 + small * 0.82, fitted, bold=True)
    if face.corner:
        fitted = min(small, small * room * 0.5 / max(measure(face.corner, small, True), 0.1))
        body += words(
            face.corner, size - frame - size * 0.04, frame + size * 0.02 + small * 0.82, fitted, bold=True, anchor="end"
        )
    marks = [(code, False) for code in face.marks] + [(code, True) for code in face.crossed]
    if len(marks) == 1 and face.symbol is None and not (face.figure or face.letter or face.corner):
        # Nothing else is known of the card, so the text may be large.
        return _mark(*marks[0], size / 2, size / 2, size * 0.22)
    for at, (code, crossed) in enumerate(reversed(marks)):
        body += _mark(code, crossed, size - frame - size * (0.04 + 0.2 * at), size - frame - size * 0.04, size * 0.105)
    return body


def _mark(code: str, crossed: bool, x: float, y: float, radius: float) -> str:
    ground, ink = (PAPER, INK) if crossed else (INK, PAPER)
    body = circle(x, y, radius, fill=ground, stroke=ink, stroke_width=radius * 0.2)
    body += centered(code, x, y, radius * 1.35, radius * 1.7, fill=ink)
    if crossed:
        d = path((x - radius, y + radius), (x + radius, y - radius))
        body += element("path", d=d, stroke=INK, stroke_width=radius * 0.22, fill="none")
    return body


def _badge(text: str, x: float, y: float, size: float, dark: bool = False) -> str:
    """A small figure on the edge of a card: the number of cards below or (`dark`) the height of the pile."""
    font = max(size * 0.19, 8)
    wide = max(measure(text, font, bold=True) + font * 0.5, font * 1.4)
    # The badge may extend over the edge of the card, but no farther than the gap between two cards.
    left = max(min(x - wide / 2, size + 3 - wide), -3)
    top = max(y - font * 0.65, -3)
    fill, ink = (INK, PAPER) if dark else (PAPER, INK)
    box = rect(left, top, wide, font * 1.3, font * 0.65, fill=fill, stroke=INK)
    return box + words(text, left + wide / 2, top + font, font, bold=True, fill=ink, anchor="middle")


def _token(letter: str, x: float, y: float, size: float) -> str:
    """A token on a card: a dark diamond with its letter."""
    r = size * 0.2
    x, y = max(x, r - 4), min(y, size + 4 - r)
    d = path((x, y - r), (x + r, y), (x, y + r), (x - r, y), closed=True)
    body = element("path", d=d, fill=INK, stroke=PAPER, stroke_width=max(size / 40, 1))
    return body + centered(letter, x, y, r * 0.95, r * 1.1, fill=PAPER)


def draw_token(letter: str) -> Drawing:
    """A token on its own, for a legend."""
    size = 24.0
    return Drawing(size, size, _token(letter, size / 2, size / 2, size * 2.2))


def draw_coin(text: str, size: float = 30) -> Drawing:
    """A token with a value."""
    middle = size / 2
    body = circle(middle, middle, middle - 0.75, fill="#f4f4f4", stroke=INK, stroke_width=1.5)
    body += circle(middle, middle, middle - size * 0.12, fill="none", stroke=SOFT, stroke_width=0.8)
    return Drawing(size, size, group(body + centered(text, middle, middle, size * 0.5, size * 0.72), text))


def draw_empty(size: float, dashed: bool = False) -> Drawing:
    """An empty place; dashed if something could still be placed there."""
    return Drawing(size, size, group(_edge(size, FAINT if dashed else "#8a8a8a", 1, "3 4" if dashed else None)))


def _edge(size: float, stroke: str, width: float, dashes: str | None = None) -> str:
    """The edge of a place without a card."""
    inner = size - 3
    return rect(
        1.5, 1.5, inner, inner, size * 0.12, fill="none", stroke=stroke, stroke_width=width, stroke_dasharray=dashes
    )


def draw_forbidden(size: float) -> Drawing:
    """A place that has to stay empty: crossed out."""
    low, high = size * 0.22, size * 0.78
    cross = path((low, low), (high, high)) + path((high, low), (low, high))
    lines = element("path", d=cross, stroke=SOFT, stroke_width=max(size / 24, 1.2), fill="none", stroke_linecap="round")
    return Drawing(size, size, group(_edge(size, SOFT, 1.2) + lines, "empty"))


def draw_symbol(which: int, x: float, y: float, r: float) -> str:
    """A sign for "some value": equal signs mean equal values, other signs other values."""
    match which % SYMBOLS:
        case 0:
            return circle(x, y, r * 0.9, fill=INK)
        case 1:
            return rect(x - r * 0.82, y - r * 0.82, r * 1.64, r * 1.64, fill=INK)
        case 5:
            return circle(x, y, r * 0.78, fill="none", stroke=INK, stroke_width=r * 0.36)
        case 6:
            return rect(x - r * 0.72, y - r * 0.72, r * 1.44, r * 1.44, fill="none", stroke=INK, stroke_width=r * 0.36)
        case 7:
            d = f"M{number(x - r)} {number(y)}H{number(x + r)}M{number(x)} {number(y - r)}V{number(y + r)}"
            return element("path", d=d, stroke=INK, stroke_width=r * 0.5, fill="none")
        case 2:
            points = [_point(x, y + r * 0.15, r * 1.12, i * 120 - 90) for i in range(3)]
        case 3:
            points = [_point(x, y, r * 1.12, i * 90) for i in range(4)]
        case 4:
            points = [_point(x, y, r * (1.1 if i % 2 == 0 else 0.45), i * 36 - 90) for i in range(10)]
        case _:
            points = [_point(x, y, r, i * 60) for i in range(6)]
    return element("polygon", points=" ".join(points), fill=INK)


def _point(x: float, y: float, r: float, degrees: float) -> str:
    angle = math.radians(degrees)
    return f"{number(x + r * math.cos(angle))},{number(y + r * math.sin(angle))}"
