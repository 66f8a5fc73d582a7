"""PNG pictures: an extra, so that drawing SVG needs no library."""

from __future__ import annotations

_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    '<text x="0" y="16" font-size="16" font-family="Arial, Helvetica, \'Liberation Sans\', \'DejaVu Sans\', sans-serif">{}</text></svg>'
)


class NoRenderer(Exception):
    """The picture cannot be converted here; `help` says what to do."""

    def __init__(self, message: str, help_line: str) -> None:
        super().__init__(message)
        self.help = help_line


def to_png(svg: str) -> bytes:
    """The picture as PNG, twice as large; raises `NoRenderer`."""
    try:
        import resvg_py
    except ImportError as error:
        raise NoRenderer(
            "PNG pictures need the extra `png`", "`pip install 'pwtool[png]'`, or write a .svg file"
        ) from error
    if resvg_py.svg_to_bytes(svg_string=_PROBE.format("0")) == resvg_py.svg_to_bytes(svg_string=_PROBE.format("")):
        raise NoRenderer(
            "there is no font on this machine to write with", "install one, such as DejaVu Sans, or write a .svg file"
        )
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2.0))
