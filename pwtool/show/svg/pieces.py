"""Pieces that are no cards: discs, figures, heaps. What they look like is declared with the rules."""

from __future__ import annotations

import math

from msgspec import Struct

from pwtool.ir.looks import HEAPS
from pwtool.show.svg.writer import INK, PAPER, centered, circle, element, measure, number, rect, words

_DRAWN = 24
"""The most things of a heap that are drawn; how many there are is written beside them."""
_GOLDEN = math.pi * (3 - math.sqrt(5))
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


class Piece(Struct, frozen=True):
    """What a piece shows: its body and color, a figure (a sign, and the paths of its drawing), and a word."""

    body: str
    fill: str
    sign: str = ""
    paths: tuple[str, ...] = ()
    word: str = ""

    @property
    def is_dark(self) -> bool:
        """Whether light lines are seen on it."""
        return brightness(self.fill) < 0.4

    @property
    def letter(self) -> str:
        """What a terminal writes: of two signs the one for its brightness; a disc without a sign is a circle, "" if there is none."""
        if len(self.sign) == 2 and not self.sign.isascii():
            return self.sign[self.is_dark]
        if self.sign or self.body != "disc" or self.word:
            return self.sign
        return "●" if brightness(self.fill) < 0.7 else "○"

    @property
    def ink(self) -> str:
        return "#f4efe4" if self.is_dark else INK


def brightness(color: str) -> float:
    """The relative luminance of a color, `#rrggbb`, as the contrast rules of WCAG 2 define it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def draw_piece(piece: Piece, size: float, count: int = 1) -> str:
    """A piece in a square of this size, or a heap of `count` of them."""
    match piece.body:
        case "disc":
            return _disc(piece, size)
        case "figure":
            return _figure(piece, size, size * 1.08)
        case body if body in HEAPS:
            return _heap(piece, size, count)
        case "bar":
            high = size * 0.2
            return rect(0, (size - high) / 2, size, high, high / 2, fill=piece.fill, stroke=INK)
        case "die":
            return _box(piece, size * 0.08, size * 0.84, size * 0.84) + _pips(piece, size)
        case "portrait":
            wide = size * 0.72
            return _box(piece, (size - wide) / 2, wide, size, fill=PAPER) + _printed(piece, size, wide)
    side = size * 0.92
    return _box(piece, size * 0.04, side, side) + _centred(piece, size)


def draw_pips(value: int, size: float) -> str:
    """A die that shows a number."""
    die = Piece("die", "#fafafa", word=str(value))
    return draw_piece(die, size)


def _disc(piece: Piece, size: float) -> str:
    disc = circle(size / 2, size / 2, size * 0.43, fill=piece.fill, stroke=INK, stroke_width=size / 40)
    return disc + (_centred(piece, size) if piece.sign or piece.word else "")


def _figure(piece: Piece, size: float, side: float) -> str:
    """The drawing of a figure, or its sign, in the middle of a square: closed paths are filled, open ones are lines on them."""
    corner = (size - side) / 2
    if not piece.paths:
        return centered(piece.letter, size / 2, size / 2, side * 0.75, side, fill=piece.fill)
    # Lines are drawn on closed shapes; where there are none, they are the figure.
    line = piece.ink if any(path.rstrip()[-1] in "zZ" for path in piece.paths) else piece.fill
    drawn = ""
    for path in piece.paths:
        closed = path.rstrip()[-1] in "zZ"
        drawn += element(
            "path", d=path, fill=piece.fill if closed else "none", stroke=INK if closed else line,
            stroke_width=3 if closed else 3.4, stroke_linejoin="round", stroke_linecap="round",
        )  # fmt: skip
    scale = f"translate({number(corner)} {number(corner)}) scale({side / 100:.4f})"
    return element("g", drawn, transform=scale)


def _centred(piece: Piece, size: float) -> str:
    """The figure of a piece in its middle, or its word."""
    if piece.sign:
        return _figure(Piece("figure", piece.ink, piece.letter, piece.paths), size, size * 0.62)
    return centered(piece.word, size / 2, size / 2, size * (0.46 if len(piece.word) < 3 else 0.3), fill=piece.ink)


def _printed(piece: Piece, size: float, wide: float) -> str:
    """A card as in a hand: the word in its corner, the figure large below it."""
    left = (size - wide) / 2 + size * 0.06
    body = ""
    if piece.word:
        large = min(size * (0.36 if piece.sign else 0.5), wide * 0.84 / max(measure(piece.word, 1, bold=True), 0.1))
        at = (left, None) if piece.sign else (size / 2, "middle")
        y = size * 0.37 if piece.sign else size * 0.68
        body = words(piece.word, at[0], y, large, bold=True, fill=piece.fill, anchor=at[1])
    if piece.sign:
        drawn = _figure(Piece("figure", piece.fill, piece.sign, piece.paths), size, size * 0.5)
        body += element("g", drawn, transform=f"translate({number(size * 0.06)} {number(size * 0.19)})")
    return body


def _box(piece: Piece, left: float, wide: float, high: float, fill: str = "") -> str:
    top = left if high <= wide else 0.5
    high -= 1 if high > wide else 0
    return rect(left, top, wide, high, wide * 0.13, fill=fill or piece.fill, stroke=INK, stroke_width=1.2)


def _pips(piece: Piece, size: float) -> str:
    places = _PIPS.get(int(piece.word)) if piece.word.isdigit() else None
    if places is None:
        return _centred(piece, size)
    step, radius = size * 0.23, size * 0.08
    return "".join(circle(size / 2 + x * step, size / 2 + y * step, radius, fill=piece.ink) for x, y in places)


def _heap(piece: Piece, size: float, count: int) -> str:
    shown = min(count, _DRAWN)
    body = ""
    if piece.body == "stick":
        step = min(size * 0.17, size * 0.9 / shown)
        first = (size - step * (shown - 1)) / 2
        for at in range(shown):
            left = first + at * step - size * 0.04
            body += rect(left, size * 0.17, size * 0.08, size * 0.58, 2, fill=piece.fill, stroke=INK, stroke_width=0.8)
    else:
        radius = size * (0.075 if shown > 9 else 0.095)
        spread = min(size * 0.28, radius * 1.2 * math.sqrt(shown))
        for at in range(shown):
            away = spread * math.sqrt((at + 0.5) / shown) if shown > 1 else 0
            x, y = size / 2 + away * math.cos(at * _GOLDEN), size * 0.4 + away * math.sin(at * _GOLDEN)
            body += circle(x, y, radius, fill=piece.fill, stroke=INK, stroke_width=0.9)
    large = size * 0.25
    # The light rim keeps the number legible on whatever it lies.
    return body + element(
        "text", str(count), x=size / 2, y=size * 0.95, font_size=large, font_weight="bold", text_anchor="middle", fill=INK, stroke=PAPER,
        stroke_width=size / 20, stroke_linejoin="round", paint_order="stroke",
    )  # fmt: skip
