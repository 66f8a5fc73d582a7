"""A small writer of SVG: elements as text, pieces of a picture that know their size, measuring and wrapping text.

Everything here is a pure function of its arguments, so the same picture is always the same file.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from pwtool.show.svg.widths import BOLD, REGULAR
from pwtool.text.terminal import escape

SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"
MONO = "'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, 'Courier New', monospace"
INK = "#1b1b1b"
SOFT = "#5a5a5a"
FAINT = "#b9b9b9"
PAPER = "#ffffff"
MARK = "#c2410c"

_UNKNOWN = 1.05
"""The assumed width of a letter that is in no table."""


class Drawing(Struct, frozen=True):
    """A piece of a picture: its size in pixels and the elements in it, the upper left corner at (0, 0)."""

    width: float
    height: float
    body: str


NOTHING = Drawing(0, 0, "")


def number(value: float) -> str:
    """A number for SVG: at most two decimals, no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def quote(text: str) -> str:
    """Text for an element or an attribute: no markup, and no character that XML does not allow."""
    return html.escape(escape(text), quote=False).replace('"', "&quot;").replace("'", "&#39;")


def element(name: str, body: str = "", **attributes: str | float | None) -> str:
    """An element; `_` in a name stands for `-`, an attribute that is None is left out. `body` is markup already."""
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            written = quote(value) if isinstance(value, str) else number(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{written}"')
    head = " ".join(parts)
    return f"<{head}>{body}</{name}>" if body else f"<{head}/>"


def rect(
    x: float, y: float, width: float, height: float, rx: float | None = None, **attributes: str | float | None
) -> str:
    """A rectangle from its upper left corner, with rounded corners if `rx` is given."""
    kind = attributes.pop("class_", None)
    return element("rect", "", class_=kind, x=x, y=y, width=width, height=height, rx=rx, **attributes)


def circle(x: float, y: float, r: float, **attributes: str | float | None) -> str:
    """A circle around a point."""
    return element("circle", "", cx=x, cy=y, r=r, **attributes)


def path(*points: tuple[float, float], closed: bool = False) -> str:
    """The data of a line from point to point."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "z" * closed


def group(body: str, title: str = "") -> str:
    """Elements that belong together, with a name for screen readers and pointers."""
    if not body:
        return ""
    return element("g", (element("title", quote(title)) if title else "") + body)


def place(drawing: Drawing, x: float, y: float, turned: float = 0) -> str:
    """The elements of a drawing, moved to a place and turned around its middle, in degrees."""
    if not drawing.body:
        return ""
    middle = f"{number(drawing.width / 2)} {number(drawing.height / 2)}"
    rotation = f" rotate({number(turned)} {middle})" if turned else ""
    return element("g", drawing.body, transform=f"translate({number(x)} {number(y)}){rotation}")


# ---- text ----------------------------------------------------------------------------------------------------------


def measure(text: str, size: float, bold: bool = False, mono: bool = False) -> float:
    """The maximum width of a text in the requested fonts, one of which the reader's machine has."""
    known = BOLD if bold else REGULAR
    return size * sum(_width(c, 0.61 if mono else known.get(c, _UNKNOWN)) for c in text)


def _width(c: str, own: float) -> float:
    if unicodedata.category(c) in ("Mn", "Me"):
        return 0.0
    return max(own, 1.0) if unicodedata.east_asian_width(c) in "WF" else own


def fit_text(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, cut with `…` if it would be wider."""
    if measure(text, size, bold) <= width:
        return text
    while text and measure(text + "…", size, bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, width: float, size: float, bold: bool = False, mono: bool = False) -> list[str]:
    """The text in lines of at most this width; a word that is wider is broken."""
    lines: list[str] = []
    line = ""
    for word in escape(text).split():
        rest = word
        candidate = f"{line} {rest}" if line else rest
        if measure(candidate, size, bold, mono) <= width:
            line = candidate
            continue
        if line:
            lines.append(line)
        while measure(rest, size, bold, mono) > width and len(rest) > 1:
            cut = len(rest) - 1
            while cut > 1 and measure(rest[:cut], size, bold, mono) > width:
                cut -= 1
            lines.append(rest[:cut])
            rest = rest[cut:]
        line = rest
    return [*lines, line] if line else lines


def label(
    text: str,
    size: float = 13,
    *,
    bold: bool = False,
    mono: bool = False,
    fill: str = INK,
    width: float | None = None,
    center: bool = False,
) -> Drawing:
    """A text as a drawing, wrapped if a width is given."""
    lines = wrap(text, width, size, bold, mono) if width is not None else [escape(text)]
    if not lines:
        return NOTHING
    widest = max(measure(line, size, bold, mono) for line in lines)
    step = size * 1.35
    body = ""
    for at, line in enumerate(lines):
        x = widest / 2 if center else 0
        y = at * step + size
        body += words(line, x, y, size, bold=bold, mono=mono, fill=fill, anchor="middle" if center else None)
    return Drawing(widest, (len(lines) - 1) * step + size * 1.25, body)


def words(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    bold: bool = False,
    mono: bool = False,
    fill: str = INK,
    anchor: str | None = None,
) -> str:
    """A text element with its baseline at y."""
    return element(
        "text", quote(text), x=x, y=y, font_size=size, fill=fill, font_weight="bold" if bold else None,
        font_family=MONO if mono else None, text_anchor=anchor,
    )  # fmt: skip


def centered(
    text: str, x: float, y: float, size: float, room: float | None = None, bold: bool = True, fill: str = INK
) -> str:
    """A text around a point, in smaller letters if it would be wider than the `room` for it."""
    if room is not None:
        size *= min(1, room / max(measure(text, size, bold), 0.1))
    return words(text, x, y + size * 0.36, size, bold=bold, fill=fill, anchor="middle")


# ---- putting drawings together -------------------------------------------------------------------------------------


def beside(drawings: Iterable[Drawing], gap: float = 8, middle: bool = True) -> Drawing:
    """Drawings in a row, aligned at the middle or at the top."""
    shown = [d for d in drawings if d.width]
    if not shown:
        return NOTHING
    height = max(d.height for d in shown)
    x = 0.0
    body = ""
    for drawing in shown:
        body += place(drawing, x, (height - drawing.height) / 2 if middle else 0)
        x += drawing.width + gap
    return Drawing(x - gap, height, body)


def stack(drawings: Iterable[Drawing], gap: float = 8, center: bool = False) -> Drawing:
    """Drawings one below the other, aligned left or centered."""
    shown = [d for d in drawings if d.width]
    if not shown:
        return NOTHING
    width = max(d.width for d in shown)
    y = 0.0
    body = ""
    for drawing in shown:
        body += place(drawing, (width - drawing.width) / 2 if center else 0, y)
        y += drawing.height + gap
    return Drawing(width, y - gap, body)


def flow(
    drawings: Sequence[Drawing], width: float, gap: float = 8, line_gap: float | None = None, middle: bool = True
) -> Drawing:
    """Drawings in rows; a new row begins if the width is exceeded."""
    rows: list[list[Drawing]] = [[]]
    used = 0.0
    for drawing in drawings:
        if not drawing.width:
            continue
        if rows[-1] and used + drawing.width > width:
            rows.append([])
            used = 0.0
        rows[-1].append(drawing)
        used += drawing.width + gap
    return stack([beside(row, gap, middle) for row in rows], gap if line_gap is None else line_gap)


def pad(drawing: Drawing, around: float) -> Drawing:
    """A drawing with a margin."""
    return Drawing(drawing.width + 2 * around, drawing.height + 2 * around, place(drawing, around, around))


def panel(drawing: Drawing, around: float = 14, width: float = 0) -> Drawing:
    """A drawing in a box with a thin border."""
    wide, high = max(drawing.width + 2 * around, width), drawing.height + 2 * around
    box = rect(0.5, 0.5, wide - 1, high - 1, 8, fill=PAPER, stroke=FAINT)
    return Drawing(wide, high, box + place(drawing, around, around))


def to_svg(drawing: Drawing, title: str, description: str = "", *, inline: bool = False) -> str:
    """The whole picture: a file on a white background, or (`inline`) an element of a page."""
    width, height = number(drawing.width), number(drawing.height)
    head = element("title", quote(title)) + (element("desc", quote(description)) if description else "")
    ground = "" if inline else element("rect", width=drawing.width, height=drawing.height, fill=PAPER)
    markup = element(
        "svg", head + ground + drawing.body, xmlns="http://www.w3.org/2000/svg", width=width, height=height,
        viewBox=f"0 0 {width} {height}", role="img", aria_label=title if inline else None, font_family=SANS,
    )  # fmt: skip
    return markup if inline else f'<?xml version="1.0" encoding="UTF-8"?>\n{markup}\n'
