"""Charts for pages: written in Vega-Lite, drawn by `vl-convert` (the extra `report`) without a browser or a network.

Colors are variables of the page's style, so that a chart is dark if the page is; a chart is as wide as a phone and
grows with its container.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from math import ceil, floor, log10
from textwrap import wrap
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pwtool.text.speech import Speech
from pwtool.text.terminal import escape

WIDTH = 350
"""The width of a chart in pixels; on a phone, its letters are as large as the text around it."""
ROW = 25
LABEL, LINE, MOST_LINES = 26, 14, 3
"""The most characters in a line of a label, its height, and the most lines of a label."""
TICKS = 5
"""About how many values an axis names."""
SERIES = ("var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
VERSION = "5.20"
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_AXIS: dict[str, Any] = {
    "labelColor": "var(--soft)", "titleColor": "var(--soft)", "gridColor": "var(--grid)", "domainColor": "var(--line)",
    "ticks": False, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 6,
    "labelLimit": 190, "labelOverlap": True, "labelSeparation": 8, "labelFlush": False, "labelLineHeight": LINE, "domain": False,
}  # fmt: skip
_LEGEND: dict[str, Any] = {
    "orient": "top", "title": None, "labelColor": "var(--soft)", "labelFontSize": 12, "symbolType": "square", "offset": 4,
    "labelLimit": 300, "columns": 2, "symbolStrokeWidth": 0, "symbolOpacity": 1,
}  # fmt: skip
_TAGS = {"svg", "g", "path", "line", "rect", "circle", "text", "tspan"}
_ATTRIBUTES = {
    "transform", "d", "x", "y", "dy", "x2", "y2", "width", "height", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity",
    "fill-opacity", "stroke-opacity", "text-anchor", "font-family", "font-size", "stroke-linecap", "stroke-miterlimit", "stroke-linejoin",
}  # fmt: skip


class Bar(NamedTuple):
    """A bar with the text at its end; `series` determines its color."""

    label: str
    value: float
    text: str = ""
    series: str = ""


class Range(NamedTuple):
    """A value with its interval, and (`even`) the expected value if nothing mattered."""

    label: str
    low: float
    value: float
    high: float
    series: str = ""
    even: float | None = None


class Point(NamedTuple):
    """A point of a line."""

    x: float
    y: float
    series: str = ""


def is_installed() -> bool:
    """Whether charts can be drawn here."""
    return find_spec("vl_convert") is not None


def draw_bars(
    bars: Sequence[Bar], axis: str, speech: Speech, colors: dict[str, str] | None = None, percent: bool = False
) -> str:
    """Bars one below the other; those with the same label are stacked. `colors` are by series. Nothing for a single bar."""
    if len(bars) < 2:
        return ""
    names = _named(b.label for b in bars)
    ends: dict[str, float] = dict.fromkeys(names, 0)
    values = []
    for b in bars:
        start, ends[b.label] = ends[b.label], ends[b.label] + b.value
        values.append(
            {"label": names[b.label], "start": start, "end": ends[b.label], "text": b.text, "series": b.series}
        )
    longest = max(len(b.text) for b in bars)
    low, high = min(0, *ends.values()), max(0, *ends.values())
    whole = not percent and all(float(end).is_integer() for end in ends.values())
    scale = _scale(low, high, axis, percent, whole)
    # Room for the text after the longest bar.
    scale["scale"]["domain"][1] += ((high - low) or 1) * longest * 0.032
    fill: dict[str, Any] = {"color": _color(colors)} if colors else {"color": {"value": SERIES[0]}}
    bar = {
        "mark": {"type": "bar", "height": {"band": 0.68}},
        "encoding": {"x": {"field": "start", **scale}, "x2": {"field": "end"}, **fill},
    }
    # The text stands right of a bar below zero, too: at its left are the labels.
    text = {
        "transform": [{"calculate": "max(datum.start, datum.end)", "as": "right"}],
        "mark": {"type": "text", "align": "left", "dx": 5, "color": "var(--ink)", "fontSize": 12},
        "encoding": {"x": {"field": "right", **scale}, "text": {"field": "text", "type": "nominal"}},
    }
    return _draw({"layer": [bar, text]}, values, speech)


def draw_ranges(ranges: Sequence[Range], axis: str, speech: Speech, percent: bool = False, zero: bool = False) -> str:
    """Values with their intervals, one below the other; with several series, colors and shapes tell them apart. `zero`:
    whether the axis starts at zero. Nothing for a single value.
    """
    if len(ranges) < 2:
        return ""
    names, kinds = _named(r.label for r in ranges), _named(r.series for r in ranges)
    series = {name: SERIES[at % len(SERIES)] for at, name in enumerate(kinds.values())}
    values = [{**r._asdict(), "label": names[r.label], "series": kinds[r.series]} for r in ranges]
    several = len(series) > 1
    color = {"color": _color(series)} if several else {"color": {"value": SERIES[0]}}
    shape = {"shape": {**_color(series), "scale": {"domain": list(series), "range": SHAPES}}} if several else {}
    apart = {"yOffset": {"field": "series", "type": "nominal", "scale": {"domain": list(series)}}} if several else {}
    ends = [end for r in ranges for end in (r.low, r.value, r.high, r.value if r.even is None else r.even)]
    low, high = min(ends + [0.0] * zero), max(ends)
    scale = _scale(low, high, axis, percent, not percent and all(float(end).is_integer() for end in ends), nice=True)
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.45}, "encoding": {"x": {"field": "low", **scale}, "x2": {"field": "high"}, **color, **apart}},
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1}, "encoding": {"x": {"field": "value", **scale}, **color, **shape, **apart}},
    ]  # fmt: skip
    if any(r.even is not None for r in ranges):
        tick = {"type": "tick", "thickness": 2, "size": 18, "color": "var(--ink)"}
        layers.insert(0, {"mark": tick, "encoding": {"x": {"field": "even", **scale}}})
    return _draw({"layer": layers}, values, speech, len(series))


def draw_lines(points: Sequence[Point], across: str, up: str, speech: Speech) -> str:
    """Shares of what is counted, as steps over an axis, one line for each series; a point is the middle of its step."""
    kinds = _named(p.series for p in points)
    series = {name: SERIES[at % len(SERIES)] for at, name in enumerate(kinds.values())}
    values = [{"x": p.x, "y": p.y, "series": kinds[p.series]} for p in points]
    left, right = min(p.x for p in points), max(p.x for p in points)
    color: dict[str, Any] = {"color": _color(series)} if len(series) > 1 else {"color": {"value": SERIES[0]}}
    x, y = _scale(left, right, across, whole=right - left >= 1), _scale(0, max(p.y for p in points), up, percent=True)
    spec = {
        "mark": {"type": "area", "interpolate": "step", "line": {"strokeWidth": 2}, "fillOpacity": 0.18},
        "encoding": {
            "x": {"field": "x", **x, "axis": {**x["axis"], "grid": False}}, "y": {"field": "y", "stack": None, **y}, **color,
        },
        "height": 170,
    }  # fmt: skip
    return _draw(spec, values, speech)


def _named(texts: Iterable[str]) -> dict[str, str]:
    """Labels for a chart: in few lines, distinct, without characters that XML forbids."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text not in found:
            lines = wrap(escape(text), LABEL, max_lines=MOST_LINES, placeholder=" …")
            name, number = "\n".join(lines), 1
            while name in taken:
                number += 1
                name = "\n".join([*lines[:-1], f"{lines[-1][: LABEL - 5]} ({number})"] if lines else [f"({number})"])
            found[text] = name
            taken.add(name)
    return found


def _scale(
    low: float, high: float, title: str, percent: bool = False, whole: bool = False, nice: bool = False
) -> dict[str, Any]:
    """An axis from one number to another, with round numbers on it that all differ; `nice`: it begins and ends with one.
    `whole`: there is no half of what it counts.
    """
    if low == high:
        low, high = min(low, 0), max(high, 0) or 1
    least = (high - low) / TICKS
    power = floor(log10(least))
    step, power = next(
        (n * 10.0**p, p) for n, p in ((1, power), (2, power), (5, power), (1, power + 1)) if n * 10.0**p >= least
    )
    if whole:
        step, power = max(step, 1), max(power, 0)
    first, last = (floor(low / step), ceil(high / step)) if nice else (ceil(low / step), floor(high / step))
    values = [round(number * step, max(0, -power)) for number in range(first, last + 1)]
    digits = max(0, -power - 2 * percent)
    return {
        "type": "quantitative", "title": title or None,
        "scale": {"zero": False, "nice": False, "domain": [values[0], values[-1]] if nice else [low, high]},
        "axis": {"values": values, "format": f",.{digits}{'%' if percent else 'f'}"},
    }  # fmt: skip


def _color(series: dict[str, str]) -> dict[str, Any]:
    scale = {"domain": list(series), "range": list(series.values())}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": _LEGEND}


def _draw(spec: dict[str, Any], values: Sequence[dict[str, Any]], speech: Speech, rows: int = 1) -> str:
    import vl_convert

    if "layer" in spec:
        # The labels at the left, in order of appearance.
        names = list(dict.fromkeys(value["label"] for value in values))
        # The middle of a label, not its first line, stands beside its bar.
        up = [{"test": f"length(split(datum.label, '\\n')) == {n}", "value": LINE * (1 - n) / 2} for n in (2, 3)]
        axis = {
            "labelColor": "var(--ink)", "labelOverlap": False, "labelExpr": "split(datum.label, '\\n')",
            "labelOffset": {"condition": up, "value": 0},
        }  # fmt: skip
        y = {"field": "label", "type": "nominal", "sort": names, "title": None, "axis": axis, "scale": {"domain": names}}  # fmt: skip
        lines = max(name.count("\n") for name in names) + 1
        step = max(ROW, 9 * rows, LINE * lines + 6)
        spec = {**spec, "encoding": {"y": y}, "height": {"step": step, "for": "position"}}
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": None,
        "width": WIDTH,
        **spec,
        "data": {"values": list(values)},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "top": 2, "right": 16, "bottom": 2},
        "config": {"view": {"stroke": None}, "font": _FONT, "axis": _AXIS, "aria": False},
    }
    point, comma, percent = map(speech.digits, (".", ",", " %"))
    numbers = {"decimal": point, "thousands": comma, "percent": percent, "grouping": [3], "currency": ["", ""]}
    return _cleaned(vl_convert.vegalite_to_svg(whole, vl_version=VERSION, format_locale=numbers))


def _cleaned(drawn: str) -> str:
    """A drawing that is safe for a page: shapes, letters and positions, without scripts, links or ids."""
    root = ElementTree.fromstring(drawn)
    width, height = root.get("width", "0"), root.get("height", "0")
    _clean(root)
    root.attrib.clear()
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("aria-hidden", "true")
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for name in set(element.attrib) - _ATTRIBUTES:
        del element.attrib[name]
    for child in list(element):
        tag = child.tag.rpartition("}")[2]
        painted = child.get("fill") or child.get("stroke")
        if tag not in _TAGS or (tag == "path" and not (painted and child.get("d"))):
            element.remove(child)
            continue
        _clean(child)
        if tag == "g" and not len(child):
            element.remove(child)
