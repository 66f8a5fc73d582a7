"""Colors and textures that distinguish the members of an attribute, also without color vision and in print.

The colors are those of Okabe and Ito ("Color Universal Design", 2008), which people with any kind of color vision can
distinguish. Each member also has a texture, by its index in the attribute, and its letter is on every card.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from pwtool.show.svg.writer import element, number, path


class Paint(Struct, frozen=True):
    """A fill, the lines of a texture on it, and which texture; `edge` is the line around it."""

    fill: str
    line: str
    texture: str
    edge: str = "#1b1b1b"
    terminal: int | None = None
    """One of a terminal's 256 colors that is readable on dark and on light; None: the default text color."""


TEXTURES = ("rising", "dots", "level", "lattice", "falling", "rings", "upright", "checks", "dashes", "waves")

# Fill and line of each color; their contrast ratio is at least 3, so that the line can be seen.
_COLORS = {
    "yellow": ("#f0e442", "#5f5700"),
    "blue": ("#0072b2", "#ffffff"),
    "green": ("#009e73", "#ffffff"),
    "black": ("#262626", "#ffffff"),
    "orange": ("#e69f00", "#4f3500"),
    "red": ("#d55e00", "#ffffff"),
    "sky": ("#56b4e9", "#08324f"),
    "pink": ("#cc79a7", "#3d0f29"),
    "brown": ("#7a4a1e", "#ffffff"),
    "gray": ("#9a9a9a", "#1b1b1b"),
    "white": ("#fafafa", "#5a5a5a"),
}
_ON_TERMINALS = {
    "yellow": 178, "blue": 33, "green": 36, "orange": 208, "red": 203, "sky": 74, "pink": 170, "brown": 137, "gray": 245,
}  # fmt: skip
# The order in which members whose names are not colors get theirs.
_ORDER = ("orange", "blue", "green", "yellow", "black", "sky", "pink", "red", "brown", "gray", "white")
_WORDS = {
    "yellow": "yellow jaune gelb gold golden or",
    "blue": "blue bleu blau navy",
    "green": "green vert grün gruen",
    "black": "black noir schwarz dark",
    "orange": "orange",
    "red": "red rouge rot",
    "sky": "sky cyan turquoise türkis aqua",
    "pink": "pink purple violet rose rosa lila magenta violett",
    "brown": "brown brun braun marron",
    "gray": "gray grey gris grau silver",
    "white": "white blanc weiß weiss",
}
_NAMED = {word: color for color, words in _WORDS.items() for word in words.split()}

PLAIN = Paint("#e3e3e3", "#e3e3e3", "plain", "#4a4a4a")
HIDDEN = Paint("#d0d0d0", "#6a6a6a", "lattice", "#4a4a4a")


def paints_of(members: Sequence[tuple[str, str]]) -> tuple[Paint, ...]:
    """A paint for each member (name, code) of an attribute: the color in its name, otherwise the next free one."""
    named: list[str | None] = []
    for name, code in members:
        color = _NAMED.get(name.lower()) or ("black" if code == "K" else None)
        named.append(None if color in named else color)
    free = [color for color in _ORDER if color not in named] or list(_ORDER)
    paints = []
    taken = 0
    for at, color in enumerate(named):
        fill, line = _COLORS[color or free[taken % len(free)]]
        taken += color is None
        shown = _ON_TERMINALS.get(color or free[(taken - 1) % len(free)])
        paints.append(Paint(fill, line, TEXTURES[at % len(TEXTURES)], terminal=shown))
    return tuple(paints)


def abstract_paint(which: int) -> Paint:
    """A texture in grey for "some member": equal numbers mean equal members, whichever they are."""
    return Paint("#c9c9c9", "#333333", TEXTURES[which % len(TEXTURES)], "#333333")


# ---- textures ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def texture(paint: Paint, size: float, radius: float) -> str:
    """The lines or dots of a texture within a rounded square, drawn individually: shared patterns would need ids, which
    clash if several pictures are on one page.
    """
    inner = _Square(size, radius)
    step = size / 9
    width = max(size / 40, 0.8)
    lines = ""
    match paint.texture:
        case "rising":
            lines = "".join(inner.line(c, 1.0) for c in _steps(step * 1.3, 2 * size))
        case "falling":
            lines = "".join(inner.line(c - size, -1.0) for c in _steps(step * 1.3, 2 * size))
        case "lattice":
            lines = "".join(inner.line(c, 1.0) + inner.line(c - size, -1.0) for c in _steps(step * 1.5, 2 * size))
        case "level":
            lines = "".join(inner.level(y) for y in _steps(step * 0.72, size))
        case "upright":
            lines = "".join(inner.upright(x) for x in _steps(step * 0.72, size))
        case "dashes":
            lines = "".join(inner.level(y, size / 9) for y in _steps(step * 0.8, size))
        case "waves":
            lines = "".join(inner.wave(y, size / 8) for y in _steps(step * 1.1, size))
        case "dots" | "rings" | "checks":
            return inner.dots(paint, step)
    return element("path", d=lines, stroke=paint.line, stroke_width=width, fill="none") if lines else ""


def _steps(step: float, end: float) -> list[float]:
    return [step * (i + 0.5) for i in range(math.ceil(end / step)) if step * (i + 0.5) < end]


class _Square(Struct, frozen=True):
    """The rounded square that a texture fills."""

    size: float
    radius: float

    def inside(self, x: float, y: float, margin: float = 0.6) -> bool:
        """Whether a point is inside, at least `margin` away from the edge."""
        low, high = self.radius, self.size - self.radius
        near_x, near_y = min(max(x, low), high), min(max(y, low), high)
        if not (margin <= x <= self.size - margin and margin <= y <= self.size - margin):
            return False
        return math.hypot(x - near_x, y - near_y) <= max(self.radius - margin, 0) or (x == near_x or y == near_y)

    def clipped(self, points: list[tuple[float, float]]) -> str:
        """A line between the first and the last of the points that are inside; sampled, which is exact enough for the eye."""
        within = [p for p in points if self.inside(*p)]
        if len(within) < 3:
            return ""
        return path(within[0], within[-1])

    def line(self, c: float, slope: float) -> str:
        """A slanted line: x + y = c for slope 1, x - y = c for slope -1."""
        samples = [self.size * i / 120 for i in range(121)]
        return self.clipped([(x, c - x if slope > 0 else x - c) for x in samples])

    def level(self, y: float, gap: float = 0) -> str:
        xs = [x for i in range(121) if self.inside(x := self.size * i / 120, y)]
        if not xs:
            return ""
        if not gap:
            return f"M{number(xs[0])} {number(y)}H{number(xs[-1])}"
        dashes = ""
        x = xs[0]
        while x < xs[-1]:
            dashes += f"M{number(x)} {number(y)}H{number(min(x + gap * 0.6, xs[-1]))}"
            x += gap
        return dashes

    def upright(self, x: float) -> str:
        ys = [y for i in range(121) if self.inside(x, y := self.size * i / 120)]
        return f"M{number(x)} {number(ys[0])}V{number(ys[-1])}" if ys else ""

    def wave(self, y: float, length: float) -> str:
        starts = (i * length for i in range(math.floor(self.size / length)))
        inside = (x for x in starts if self.inside(x, y, 1) and self.inside(x + length, y, 1))
        return "".join(path((x, y), (x + length / 2, y - length / 3), (x + length, y)) for x in inside)

    def dots(self, paint: Paint, step: float) -> str:
        """Points, rings or little squares in a regular order."""
        size = {"dots": step * 0.24, "rings": step * 0.3, "checks": step * 0.25}[paint.texture]
        body = ""
        apart = step * (0.9 if paint.texture != "checks" else 0.75)
        for row, y in enumerate(_steps(apart, self.size)):
            for x in _steps(apart, self.size):
                at = x + (apart / 2 if row % 2 and paint.texture != "rings" else 0)
                band = min(at, y, self.size - at, self.size - y)
                # The middle of a card is covered by its window.
                if not self.inside(at, y, size + 0.6) or band > self.size * 0.26:
                    continue
                if paint.texture == "checks":
                    body += f"M{number(at - size)} {number(y - size)}h{number(2 * size)}v{number(2 * size)}h{number(-2 * size)}z"
                elif paint.texture == "dots":
                    # A line of no length with round ends: a fifth of the text of a circle, and drawn faster.
                    body += f"M{number(at)} {number(y)}h0"
                else:
                    body += (
                        f"M{number(at - size)} {number(y)}a{number(size)} {number(size)} 0 1 0 {number(2 * size)} 0"
                        f"a{number(size)} {number(size)} 0 1 0 {number(-2 * size)} 0z"
                    )
        if not body:
            return ""
        if paint.texture == "rings":
            return element("path", d=body, fill="none", stroke=paint.line, stroke_width=max(size * 0.4, 0.6))
        if paint.texture == "dots":
            return element("path", d=body, stroke=paint.line, stroke_width=2 * size, stroke_linecap="round")
        return element("path", d=body, fill=paint.line)
