"""The ground of a grid: the board without what lies on it, and where its cells are. Pages and pictures draw the same one.

Shapes have a class for the colors of a page beside the color that a picture shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pwtool.eval.values import Cell
from pwtool.ir.grids import near
from pwtool.ir.looks import SIDES, ZoneLook
from pwtool.ir.model import ZoneModel
from pwtool.show.svg.writer import FAINT, SOFT, centered, circle, element, fit_text, number, path, rect, words

MARGIN = 24.0
"""The room for what columns and rows are called; larger beside a board of more than `_USUAL`, which is shown smaller."""
_USUAL = 560.0
_TONES = {
    "": ("#f6f5f2", "#ebe9e3", "#8a8a8a"),
    "paper": ("#f6f1e4", "#e6dcc4", "#7d7357"),
    "wood": ("#e3c488", "#d2ae6b", "#4a3413"),
    "brown": ("#eddcc0", "#b08860", "#6a4a2a"),
    "green": ("#3f8f68", "#337a58", "#123d2a"),
    "blue": ("#dbe7f2", "#4f7fb5", "#2d4f6f"),
    "gray": ("#e8e8e8", "#b6b6b6", "#4a4a4a"),
}
"""The light, the dark cells and the lines of each tone."""
_HIGH = math.sqrt(3) / 2
"""The height of a row of hexagons whose columns are 1 apart."""
_EVEN = ("cards", "hexes")

Box = tuple[int, int, int, int]
Around = tuple[float, float, float, float]
"""Left, top, width, height."""


def box_of(zone: ZoneModel) -> Box:
    """The box of a grid that does not float."""
    return 0, 0, zone.width - 1, zone.height - 1


@dataclass(frozen=True, slots=True)
class Tray:
    """A place beside a board: its box, and the part of it in which things lie, along its longer side."""

    box: Around
    inside: Around

    @property
    def named_left(self) -> bool:
        """Whether its name is to the left of what lies there, not above."""
        return self.inside[0] > self.box[0]

    def line(self, count: int, size: float) -> list[tuple[float, float, float]]:
        """Where so many things of a size lie: the middle of each, and their scale."""
        left, top, wide, high = self.inside
        step = min(size, max(wide, high) / max(count, 1), wide, high)
        x, y, along = left + wide / 2, top + high / 2, [(at - (count - 1) / 2) * step for at in range(count)]
        return [(x + off, y, step / size) if wide > high else (x, y + off, step / size) for off in along]


class Ground:
    """The board from (left, top) to (right, bottom), for things of a `size` with a `gap` between them: its size, its drawing (`body`),
    the middle of each cell, the cells whose things lie upright, the places beside it. Without a `zone`, columns and rows have no
    names. `room`: whether it may still grow to the sides, up and down; `beside`: the side and the name of each place beside it.
    """

    def __init__(
        self,
        zone: ZoneModel | None,
        look: ZoneLook,
        box: Box,
        size: float,
        gap: float,
        room: tuple[bool, bool] = (False, False),
        beside: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.zone, self.look, self.size, self.step, self.gap = zone, look, size, size + gap, gap
        self.left, self.top, self.right, self.bottom = box
        self.columns, self.rows = self.right - self.left + 1, self.bottom - self.top + 1
        self.grid = None if zone is None or zone.floating else zone.grid
        hexagonal = self.grid is not None and self.grid.hexagonal
        self.slant: float = 0.5 if hexagonal else 0.0
        self.row_step = self.step * (_HIGH if hexagonal and look.ground == "hexes" else 1.0)
        # How far the cells reach.
        self.wide = (self.columns + self.slant * (self.rows - 1)) * self.step
        self.high = (self.rows - 1) * self.row_step + self.step
        self.light, self.dark, self.line = _TONES[look.tone]
        self.grown = max(1.0, self.wide / _USUAL, self.high / _USUAL)
        self.letters = min(12.0, size * 0.5) * self.grown
        self.margin = MARGIN * self.grown
        self.headed = zone is not None and not zone.names and (look.ground != "dots" or bool(zone.columns))
        stub = size * 0.42 + gap
        self.stubs = (stub if room[0] else 0.0, stub if room[1] else 0.0)
        frame = 0.0 if look.ground in _EVEN and not look.edges else 6.0
        self.x0 = (self.margin if self.headed else 3.0) + frame + self.stubs[0]
        self.y0 = (self.margin if self.headed and look.ground == "cards" else 3.0) + frame + self.stubs[1]
        if look.ground == "hexes":
            self.y0 += self.step * 0.2
        self.band = self.step * 0.3 if look.edges else 0.0
        self.named_beside = beside
        self.room = {side: self.step * 1.06 if any(s == side for s, _ in beside) else 0.0 for side in SIDES}
        self.x0 += self.band + self.room["left"]
        self.y0 += self.room["top"]
        self.frame = frame
        self.width = self.x0 + self.wide + frame + self.band + 3 + self.stubs[0] + self.room["right"]
        below = self.margin if self.headed and look.ground != "cards" else 3.0
        self.height = self.y0 + self.high + frame + below + self.stubs[1] + self.room["bottom"]
        if look.ground == "hexes":
            self.height += self.step * 0.2
        self.centers = {cell: self.center(cell) for cell in self.there()}
        self.upright = {c for c in self.centers if look.ground == "dots" and c[1] % 2 == 1 and c[0] % 2 == 0}
        self.beside = [self.tray(at) for at in range(len(beside))]

    @cached_property
    def body(self) -> str:
        trays = zip(self.named_beside, self.beside, strict=True)
        parts = [self.board(), *map(self.cell, self.centers), self.names(), self.growth()]
        return "".join([*parts, *(self.drawn_tray(name, tray) for (_, name), tray in trays)])

    def there(self) -> Iterator[Cell]:
        for y in range(self.top, self.bottom + 1):
            for x in range(self.left, self.right + 1):
                if self.grid is None or self.grid.has((x, y)):
                    yield x, y

    def center(self, cell: Cell) -> tuple[float, float]:
        x, y = cell[0] - self.left, cell[1] - self.top
        return (
            self.x0 + (x + self.slant * y + 0.5) * self.step,
            self.y0 + y * self.row_step + 0.5 * self.step,
        )

    # ---- what is below the cells

    def board(self) -> str:
        if self.look.ground in _EVEN:
            return self.edges() if self.look.edges else ""
        # Names of columns and rows are outside the board, and what stands beside it is outside of these.
        around, more = self.frame, {side: 0.0 if self.headed else room for side, room in self.room.items()}
        box = element(
            "rect", class_="board", x=self.x0 - around - more["left"], y=self.y0 - around - more["top"],
            width=self.columns * self.step + 2 * around + more["left"] + more["right"],
            height=self.rows * self.step + 2 * around + more["top"] + more["bottom"], rx=6,
            fill=self.dark if self.look.ground == "holes" else self.light, stroke=self.line, stroke_width=1.5,
        )  # fmt: skip
        return box + (self.lines() if self.look.ground == "points" else "")

    def lines(self) -> str:
        """The lines between points: those that are declared, else between all cells that lie beside each other."""
        lines = self.look.joined
        if not lines and self.grid is not None:
            lines = tuple((cell, other) for cell in self.centers for other in near(self.grid, cell) if other > cell)
        d, width = "".join(path(*map(self.center, cells)) for cells in lines), max(self.size / 40, 1)
        body = element("path", d=d, stroke=self.line, stroke_width=width, fill="none") if d else ""
        return body + "".join(
            circle(*self.center(cell), self.size * 0.11, fill=self.line) for cell in sorted(self.look.stars)
        )

    def edges(self) -> str:
        """A band behind the outer cells of each side that has a color."""
        sides = {
            "top": [(x, self.top) for x in range(self.left, self.right + 1)],
            "bottom": [(x, self.bottom) for x in range(self.left, self.right + 1)],
            "left": [(self.left, y) for y in range(self.top, self.bottom + 1)],
            "right": [(self.right, y) for y in range(self.top, self.bottom + 1)],
        }
        away = {"top": (0.0, -1.0), "bottom": (0.0, 1.0), "left": (-1.0, -0.3), "right": (1.0, 0.3)}
        body = ""
        for side, color in self.look.edges.items():
            dx, dy = (part * self.step * 0.3 for part in away[side])
            d = path(*((x + dx, y + dy) for x, y in map(self.center, sides[side])))
            for stroke, width in ((self.line, self.step * 0.7 + 2.4), (color, self.step * 0.7)):
                body += element(
                    "path", d=d, stroke=stroke, stroke_width=width, fill="none", stroke_linecap="round", stroke_linejoin="round"
                )  # fmt: skip
        return body

    # ---- the cells

    def cell(self, cell: Cell) -> str:
        x, y = self.center(cell)
        half, odd = self.step / 2, (cell[0] + cell[1]) % 2 == 1
        body = ""
        match self.look.ground:
            case "cards":
                inner = self.size / 2 - 1
                chequered = self.grid is not None and not self.zone_masked and not self.slant
                kind, side = f"cell {'odd' if odd and chequered else 'even'}", 2 * inner
                body = rect(
                    x - inner, y - inner, side, side, self.size * 0.12, class_=kind, fill="none", stroke="#8a8a8a"
                )
            case "squares":
                body = rect(x - half, y - half, self.step, self.step, fill=self.dark if odd else self.light)
            case "plain":
                body = rect(x - half, y - half, self.step, self.step, fill="none", stroke=self.line, stroke_width=1.2)
            case "hexes":
                across = self.step / (2 * _HIGH)
                points = (
                    (x + across * math.sin(turn * math.pi / 3), y - across * math.cos(turn * math.pi / 3))
                    for turn in range(6)
                )
                body = element(
                    "polygon", points=" ".join(f"{number(a)},{number(b)}" for a, b in points), fill=self.light, stroke=self.line,
                    stroke_width=1.2,
                )  # fmt: skip
            case "pits":
                body = circle(x, y, half * 0.94, fill=self.dark, stroke=self.line, stroke_width=1.2)
            case "holes":
                body = circle(x, y, self.size * 0.45, fill="#f4f4f2", stroke=self.line, stroke_width=1.2)
            case "dots":
                if cell[0] % 2 == 0 and cell[1] % 2 == 0:
                    body = circle(x, y, self.size * 0.12, fill=self.line)
                elif odd:
                    along = "M{0} {2}H{1}" if cell[0] % 2 else "M{2} {0}V{1}"
                    middle, other = (x, y) if cell[0] % 2 else (y, x)
                    d = along.format(number(middle - half), number(middle + half), number(other))
                    body = element("path", d=d, stroke=self.line, stroke_width=1, stroke_dasharray="2 5", fill="none")
        return body + self.own_name(cell, x, y)

    @property
    def zone_masked(self) -> bool:
        return self.zone is not None and bool(self.zone.mask)

    def own_name(self, cell: Cell, x: float, y: float) -> str:
        """The name of a cell that has one of its own: in the middle of a card's place, small in the corner of a square or beside a pit."""
        name = self.zone.own_name(cell) if self.zone is not None and self.zone.names else ""
        if not name:
            return ""
        if self.look.ground in ("squares", "plain", "hexes", "pits", "holes"):
            # What fills its cell leaves little room in the corner.
            size = self.size * (0.15 if self.look.ground in ("pits", "holes") else 0.2)
            x, y = x - self.step * 0.46, y - self.step * 0.5 + size
            return element(
                "text", name, class_="own", x=x, y=y, font_size=size, fill=self.light if self.look.ground == "squares" else self.line
            )  # fmt: skip
        return centered(name, x, y, self.letters, bold=False, fill=SOFT)

    # ---- what is beside the cells

    def names(self) -> str:
        """What columns and rows are called: above places for cards, below other boards."""
        zone = self.zone
        if zone is None or not self.headed:
            return ""
        every = 5 if self.columns > 30 else 1
        last = self.y0 + self.high + self.frame
        at = 16.0 * self.grown + self.room["top"] if self.look.ground == "cards" else last + 17 * self.grown
        if self.look.ground == "hexes":
            at = last + self.step * 0.2 + 13 * self.grown
        row = self.top if self.look.ground == "cards" else self.bottom
        body = ""
        for x in range(self.left, self.right + 1, every):
            body += self.named(zone.column_name(x), self.center((x, row))[0], at)
        for y in range(self.top, self.bottom + 1):
            first, middle = self.center((self.left, y))
            beside = (
                first - self.step / 2 - self.frame - 9.0 * self.grown - (self.step * 0.15 if self.look.edges else 0)
            )
            beside = 12.0 * self.grown + self.stubs[0] + self.room["left"] if not self.slant else beside
            body += self.named(zone.row_name(y), beside, middle + 4 * self.grown)
        return body

    def named(self, text: str, x: float, y: float) -> str:
        return words(text, x, y, self.letters, fill=SOFT, anchor="middle")

    def tray(self, at: int) -> Tray:
        """A place beside the board: those on one side share its length. Things lie below its name, or to the right of it; in a pit in
        the middle.
        """
        side = self.named_beside[at][0]
        deep, alike = self.room[side], [n for n, (other, _) in enumerate(self.named_beside) if other == side]
        lettered = "top" if self.look.ground == "cards" else "bottom"
        in_row, inset, ends = side in ("top", "bottom"), self.step * 0.03, 2 if self.look.ground == "pits" else 1
        away = (self.step * 0.2 if self.look.ground == "hexes" else 0.0) if in_row else self.band
        away += self.frame + (self.margin if side in ("left", lettered) else 3.0) if self.headed else 0.0
        part = (self.wide if in_row else self.high) / len(alike)
        along, long, deep = part * alike.index(at) + inset, part - 2 * inset, deep - 2 * inset
        if in_row:
            y = self.y0 + self.high + away + inset if side == "bottom" else self.y0 - away - deep - inset
            box = (self.x0 + along, y, long, deep)
        else:
            x = self.x0 + self.wide + away + inset if side == "right" else self.x0 - away - deep - inset
            box = (x, self.y0 + along, deep, long)
        x, y, wide, high = box
        if wide > 2 * max(high, self.size):
            return Tray(box, (x + wide * 0.3, y, wide * (1 - 0.3 * ends), high))
        named = self.size * 0.36
        return Tray(box, (x, y + named, wide, high - ends * named))

    def drawn_tray(self, name: str, tray: Tray) -> str:
        """A place beside the board, with what it is called at its top or left."""
        left, top, wide, high = tray.box
        is_pit, size = self.look.ground == "pits", self.size * 0.2
        kind, fill = "cell even" if self.look.ground == "cards" else None, self.dark if is_pit else self.light
        round_ = min(wide, high) * (0.45 if is_pit else 0.1)
        body = rect(left, top, wide, high, round_, class_=kind, fill=fill, stroke=self.line, stroke_width=1.2)
        x, y, room = left + wide / 2, top + size * 1.35, wide - size * (2 if is_pit else 0.6)
        if tray.named_left:
            x, y, room = left + wide * 0.15, top + high / 2 + size * 0.36, wide * 0.26
        shown = fit_text(name, room, size)
        return body + element(
            "text", shown, class_="own", x=x, y=y, font_size=size, text_anchor="middle", fill=self.line
        )

    def growth(self) -> str:
        """Places beyond the edge of a board that may still grow."""
        body = ""
        size, stub = self.size, self.size * 0.42
        right, low = self.x0 + self.columns * self.step, self.y0 + self.rows * self.step
        if self.stubs[0]:
            for row in range(self.rows):
                y = self.y0 + row * self.step + self.gap / 2
                body += _stub(self.x0 - stub - self.gap / 2, y, stub, size) + _stub(right + self.gap / 2, y, stub, size)
        if self.stubs[1]:
            for column in range(self.columns):
                x = self.x0 + column * self.step + self.gap / 2
                body += _stub(x, self.y0 - stub - self.gap / 2, size, stub) + _stub(x, low + self.gap / 2, size, stub)
        return body


def _stub(x: float, y: float, width: float, height: float) -> str:
    return rect(x + 1, y + 1, width - 2, height - 2, 6, fill="none", stroke=FAINT, stroke_dasharray="2 4")


def body_on(look: ZoneLook, cell: Cell) -> str:
    """The body that things have on a cell, "" for their own: between dots, what fills a box is no line."""
    return "tile" if look.ground == "dots" and cell[0] % 2 and cell[1] % 2 else ""


def layer_offset(at: int, below: int) -> tuple[float, float, float]:
    """Where things of a layer lie on their cell if `below` layers lie under the last one: the shift to the right and down in sizes of
    a thing, and their scale.
    """
    if not below:
        return 0.0, 0.0, 1.0
    if at == below:
        return 0.0, 0.0, 0.84
    shift = 0.14 * (1 - 2 * at / max(1, below - 1)) if below > 1 else 0.14
    return shift, shift, 0.7
