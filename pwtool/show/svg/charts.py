"""Charts for pages: written in Vega-Lite, drawn by `vl-convert` (the extra `report`) without a browser or a network.

Colors are variables of the page's style, so that a chart is dark if the page is; a chart is as wide as a phone and
grows with its container.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from math import ceil, log10
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pwtool.text.speech import Speech
from pwtool.text.terminal import escape
from pwtool.text.words import shorten

WIDTH = 350
"""The width of a chart in pixels; on a phone, its letters are as large as the text around it."""
ROW = 25
LABEL = 26
"""The most characters of a label next to a bar."""
SERIES = ("var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)")
VERSION = "5.20"
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_AXIS: dict[str, Any] = {
    "labelColor": "var(--soft)", "titleColor": "var(--soft)", "gridColor": "var(--grid)", "domainColor": "var(--line)",
    "ticks": False, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 6,
    "labelLimit": 180, "labelOverlap": True, "labelSeparation": 8, "domain": False,
}  # fmt: skip
_LEGEND: dict[str, Any] = {
    "orient": "top", "title": None, "labelColor": "var(--soft)", "labelFontSize": 12, "symbolType": "square", "offset": 4,
    "labelLimit": 300, "columns": 2, "symbolStrokeWidth": 0, "symbolOpacity": 1,
}  # fmt: skip
_TAGS = {"svg", "g", "path", "line", "rect", "circle", "text"}
_ATTRIBUTES = {
    "transform", "d", "x", "y", "x2", "y2", "width", "height", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity",
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
    """Bars one below the other; those with the same label are stacked and share its total. `colors` are by series."""
    names = _named(b.label for b in bars)
    values = [
        {"at": at, "label": names[b.label], "value": b.value, "text": b.text, "series": b.series}
        for at, b in enumerate(bars)
    ]
    bar: dict[str, Any] = {
        "mark": {"type": "bar", "height": {"band": 0.68}, **({} if colors else {"color": SERIES[0]})},
        "encoding": {"order": {"field": "at", "type": "quantitative"}},
    }
    if colors:
        bar["encoding"]["color"] = _color(colors)
    text = {
        "mark": {"type": "text", "align": "left", "dx": 5, "color": "var(--ink)", "fontSize": 12},
        "encoding": {"text": {"field": "text", "type": "nominal"}},
    }
    longest = max((len(b.text) for b in bars), default=0)
    totals: dict[str, float] = {}
    for b in bars:
        totals[b.label] = totals.get(b.label, 0) + b.value
    most = max(totals.values(), default=0)
    scale: dict[str, Any] = {"nice": False, "domainMin": 0}
    if not colors and longest:
        # Room for the text after the longest bar.
        scale["domainMax"] = (most or 1) * (1 + longest * 0.032)
    x = {
        "field": "value",
        "type": "quantitative",
        "title": axis or None,
        "scale": scale,
        "axis": _axis(percent, not colors, most, most if percent else None),
    }
    spec = {"layer": [bar] if colors else [bar, text], "encoding": {"y": _labels(values), "x": x}}
    return _draw(spec, values, speech)


def draw_ranges(ranges: Sequence[Range], axis: str, speech: Speech, percent: bool = False, zero: bool = False) -> str:
    """Values with their intervals, one below the other; with several series, colors tell them apart. `zero`: whether
    the axis starts at zero.
    """
    names, kinds = _named(r.label for r in ranges), _named(r.series for r in ranges)
    series = {name: SERIES[at % len(SERIES)] for at, name in enumerate(kinds.values())}
    values = [
        {
            "label": names[r.label],
            "low": r.low,
            "value": r.value,
            "high": r.high,
            "series": kinds[r.series],
            "even": r.even,
        }
        for r in ranges
    ]
    several = len(series) > 1
    color = {"color": _color(series)} if several else {}
    fixed = {} if several else {"color": SERIES[0]}
    apart = {"yOffset": {"field": "series", "type": "nominal", "scale": {"domain": list(series)}}} if several else {}
    ends = [end for r in ranges for end in (r.low, r.value, r.high, r.value if r.even is None else r.even)] + [
        0.0
    ] * zero
    x = {
        "field": "low", "type": "quantitative", "title": axis or None, "scale": {"zero": zero, "nice": True},
        "axis": _axis(percent, True, extent=max(ends, default=0) - min(ends, default=0)),
    }  # fmt: skip
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.45, **fixed}, "encoding": {"x": x, "x2": {"field": "high"}, **color, **apart}},
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, **fixed},
            "encoding": {"x": {**x, "field": "value"}, **color, **apart},
        },
    ]  # fmt: skip
    if any(r.even is not None for r in ranges):
        tick = {"type": "tick", "thickness": 2, "size": 18, "color": "var(--ink)"}
        layers.insert(0, {"mark": tick, "encoding": {"x": {**x, "field": "even"}}})
    return _draw({"layer": layers, "encoding": {"y": _labels(values)}}, values, speech, len(series))


def draw_lines(points: Sequence[Point], across: str, up: str, speech: Speech) -> str:
    """Steps over an axis, one line for each series; a point is the middle of its step."""
    kinds = _named(p.series for p in points)
    series = {name: SERIES[at % len(SERIES)] for at, name in enumerate(kinds.values())}
    values = [{"x": p.x, "y": p.y, "series": kinds[p.series]} for p in points]
    # There is no half of what is counted.
    whole = {"tickMinStep": 1} if max(p.x for p in points) - min(p.x for p in points) >= 1 else {}
    mark: dict[str, Any] = {
        "type": "area", "interpolate": "step", "line": {"strokeWidth": 2}, "fillOpacity": 0.18,
        **({} if len(series) > 1 else {"color": SERIES[0], "line": {"strokeWidth": 2, "color": SERIES[0]}}),
    }  # fmt: skip
    encoding = {
        "x": {"field": "x", "type": "quantitative", "title": across, "scale": {"zero": False, "nice": False}, "axis": {"grid": False, "tickCount": 6, **whole}},
        "y": {"field": "y", "type": "quantitative", "title": up, "stack": None, "axis": {"tickCount": 4}},
        **({"color": _color(series)} if len(series) > 1 else {}),
    }  # fmt: skip
    return _draw({"mark": mark, "encoding": encoding, "height": 170}, values, speech)


def _named(texts: Iterable[str]) -> dict[str, str]:
    """Labels for a chart: short, on one line, distinct, without characters that XML forbids."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text not in found:
            name, number = shorten(escape(text), LABEL), 1
            while name in taken:
                number += 1
                name = f"{shorten(escape(text), LABEL - 4)} ({number})"
            found[text] = name
            taken.add(name)
    return found


def _axis(percent: bool, grid: bool, most: float = 0, extent: float | None = None) -> dict[str, Any]:
    # Ticks are at least a twentieth of the axis apart: with these digits, all their labels differ.
    digits = max(0, ceil(-log10(extent / 20)) - 2) if extent else 0
    # There is room for letters after the longest bar, but no share exceeds 100 %.
    shares = {"format": f".{min(digits, 15)}~%", "labelExpr": "datum.value > 1 + 1e-9 ? '' : datum.label"}
    # The axis shows no halves for small numbers of games.
    few = {"values": list(range(int(most) + 1))} if 0 < most <= 5 and not percent else {}
    return {"tickCount": 5, "grid": grid, **(shares if percent else {}), **few}


def _color(series: dict[str, str]) -> dict[str, Any]:
    scale = {"domain": list(series), "range": list(series.values())}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": _LEGEND}


def _labels(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The labels at the left, in order of appearance."""
    names = list(dict.fromkeys(value["label"] for value in values))
    return {
        "field": "label", "type": "nominal", "sort": names, "title": None,
        "axis": {"labelColor": "var(--ink)", "labelOverlap": False}, "scale": {"domain": names},
    }  # fmt: skip


def _draw(spec: dict[str, Any], values: Sequence[dict[str, Any]], speech: Speech, rows: int = 1) -> str:
    import vl_convert

    height: Any = {"height": {"step": ROW if rows < 3 else 9 * rows, "for": "position"}}
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": None,
        "width": WIDTH,
        **height,
        **spec,
        "data": {"values": list(values)},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "top": 2, "right": 16, "bottom": 2},
        "config": {"view": {"stroke": None}, "font": _FONT, "axis": _AXIS, "aria": False},
    }
    point, comma, percent = map(speech.digits, ".,%")
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
