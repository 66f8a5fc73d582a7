"""The signs next to and around the cards of a pattern: amounts, words in boxes, turned and mirrored."""

from __future__ import annotations

from pwtool.show.svg.writer import (
    INK,
    NOTHING,
    PAPER,
    SOFT,
    Drawing,
    element,
    group,
    label,
    measure,
    pad,
    place,
    rect,
    words,
)


def draw_amount(text: str) -> Drawing:
    """How many are wanted, in large letters close to what follows."""
    width = measure(text, 20, bold=True)
    return Drawing(width, 26, words(text, width, 20, 20, bold=True, anchor="end"))


def draw_tall(card: Drawing, size: float, below: int = 4) -> Drawing:
    """A card on a pile, with this many below it."""
    edges = ""
    for layer in range(below, 0, -1):
        edges += rect(0.5, layer * 4 + 0.5, size - 1, size - 1, size * 0.13, fill=PAPER, stroke="#4a4a4a")
    return Drawing(size, size + 16, edges + card.body)  # as high as any, so that piles are aligned


def draw_box(drawing: Drawing, around: float = 10) -> Drawing:
    if not drawing.width:
        return NOTHING
    inner = pad(drawing, around)
    box = rect(0.5, 0.5, inner.width - 1, inner.height - 1, 8, fill="none", stroke=SOFT, stroke_dasharray="5 4")
    return Drawing(inner.width, inner.height, box + inner.body)


def draw_chip(text: str) -> Drawing:
    """Words in a small box."""
    size = 14
    lines = label(text, size, width=240, center=True)
    width, height = max(lines.width, measure("=", size)) + 16, lines.height + 7
    box = rect(0.5, 0.5, width - 1, height - 1, 6, fill="#f1f1f1", stroke="#9a9a9a")
    return Drawing(width, height, box + place(lines, 8, 3))


def draw_turned(title: str) -> Drawing:
    """A sign: the shape may be turned by quarters."""
    arc = "M18.4 8.1A8 8 0 1 0 20 13"
    body = element("path", d=arc, stroke=INK, stroke_width=2, fill="none")
    body += element("path", d="M20.6 2.5V9.6H13.5z", fill=INK)
    return Drawing(24, 24, group(body, title))


def draw_mirrored(title: str) -> Drawing:
    """A sign: the shape may be mirrored."""
    body = element("path", d="M12 2V22", stroke=INK, stroke_width=1.4, stroke_dasharray="3 2.4", fill="none")
    body += element("path", d="M9.5 6V18L1.5 18z", fill=INK)
    body += element("path", d="M14.5 6V18L22.5 18z", fill="none", stroke=INK, stroke_width=1.4)
    return Drawing(24, 24, group(body, title))
