"""Reading what pages show: numbers as they are rounded, and the axes of charts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from xml.etree import ElementTree

_PLACE = re.compile(r"translate\(\s*(-?[\d.e-]+)[, ]+(-?[\d.e-]+)\s*\)")


def agrees(shown: str, exact: Fraction | float, percent: bool = False) -> bool:
    """Whether a number on a page is a right rounding: nothing but 0 is 0, and nothing but all of them is 100 %."""
    exact = Fraction(exact) * (100 if percent else 1)
    text = shown.replace(",", "").removesuffix("%").strip()
    digits = len(text.partition(".")[2])
    value = Fraction(text.lstrip("<>+"))
    if text[0] == "<":
        return 0 < exact < value
    if text[0] == ">":
        return value < exact < (100 if percent else 0)
    if value == 0 or (percent and value == 100):
        return abs(value - exact) < Fraction(1, 10**12)
    return abs(value - exact) <= Fraction(1, 2 * 10**digits) + Fraction(1, 10**9)


def axes(svg: str) -> Iterator[list[tuple[float, float, int]]]:
    """The axes of a chart: for each label that is a number its position, value, and number of decimal places."""
    across: dict[str, list[tuple[float, float, int]]] = {}
    upwards: dict[str, list[tuple[float, float, int]]] = {}
    for text in ElementTree.fromstring(svg).iter("text"):
        said = (text.text or "").replace(",", "").replace("\u2212", "-").strip()
        number = re.fullmatch(r"(-?\d+(?:\.(\d+))?)( ?%)?", said)
        place = _PLACE.search(text.get("transform", ""))
        if number is not None and place is not None and text.get("fill") == "var(--soft)":
            tick = (float(number[1]), len(number[2] or ""))
            across.setdefault(place[2], []).append((float(place[1]), *tick))
            upwards.setdefault(place[1], []).append((float(place[2]), *tick))
    # Labels of one axis are on a line.
    yield from (ticks for axis in (across, upwards) for ticks in axis.values() if len(ticks) > 1)


def check_axes(page: str) -> int:
    """Check that no axis has two equal labels, and that labels stand where their values are; returns how many axes
    there are.
    """
    count = 0
    for svg in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL):
        for ticks in axes(svg):
            count += 1
            values = [value for _, value, _ in ticks]
            assert len(set(values)) == len(values), values
            (first, low, _), (last, high, _) = min(ticks), max(ticks)
            for where, value, digits in ticks:
                exact = low + (high - low) * (where - first) / (last - first)
                # Positions are rounded to pixels.
                pixels = 2 * abs(high - low) / abs(last - first)
                assert abs(value - exact) <= 10**-digits + pixels, (values, value, exact)
    return count
