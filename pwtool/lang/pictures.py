"""Grid pictures: `[ # # / # . ]`, rows separated by `/`, signs by spaces."""

from __future__ import annotations

import re
from collections import Counter

from pwtool.lang.tree import Picture, PictureCell
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark

SIGN_HELP = mark("use `#` for a card, `.` for any cell, `_` for an empty one, a number or a name")
_SIGN = re.compile(r"[^\s/]+")
_CONTENT = re.compile(r"\.|_|(#|\d+|[A-Za-z]\w*)\??|[A-Za-z]\w*(\+[A-Za-z]\w*)*")


def build_picture(span: Span, may_be_empty: bool = False) -> tuple[Picture, list[Diagnostic]]:
    """Read the picture at `span`, including its brackets. Problems are PW102, each at its row or sign; one without a card is one,
    unless it `may_be_empty`.
    """
    problems: list[Diagnostic] = []
    cells: list[PictureCell] = []
    widths: list[int] = []
    at = span.start + 1
    lines = span.text[1:-1].split("/")
    counts = Counter(len(_SIGN.findall(line)) for line in lines)
    # The row that differs is the wrong one; where two differ, the first is the model.
    common = max(counts, key=counts.__getitem__)
    for row, line in enumerate(lines):
        signs = list(_SIGN.finditer(line))
        row_span = Span(span.file, at + signs[0].start(), at + signs[-1].end()) if signs else span
        widths.append(len(signs))
        if not signs:
            problems.append(Diagnostic.of("PW102", "row {row} of the picture is empty", row_span, row=row + 1))
        elif common and len(signs) != common:
            message = "row {row} of the picture has {cells}, the other rows have {common}"
            if len(lines) == 2:
                message = "row {row} of the picture has {cells}, the other row has {common}"
            cells_here = Told("{count} cell", "{count} cells", len(signs))
            help_line = "give every row the same number of signs; `.` stands for any cell"
            problems.append(Diagnostic.of("PW102", message, row_span, help=help_line, row=row + 1, cells=cells_here, common=common))  # fmt: skip
        for column, sign in enumerate(signs):
            content = sign.group()
            place = Span(span.file, at + sign.start(), at + sign.end())
            if content in (".?", "_?"):
                help_line = "write `#?` for a cell where a card may lie or not, `.` for any cell"
                problems.append(Diagnostic.of("PW102", "`{content}` says nothing: no card is asked for", place, help=help_line, content=content))  # fmt: skip
            elif not _CONTENT.fullmatch(content):
                problems.append(Diagnostic.of("PW102", "`{sign}` is not a sign of a picture", place, help=SIGN_HELP, sign=content))  # fmt: skip
            elif content != ".":
                cells.append(PictureCell(place, row, column, content.removesuffix("?"), content.endswith("?")))
        at += len(line) + 1
    if not cells and not problems and not may_be_empty:
        problems.append(Diagnostic.of("PW102", "the picture asks for nothing", span, help="mark a cell with `#`"))
    width = max(widths, default=0)
    return Picture(span, width, len(widths), tuple(cells), turned=False, mirrored=False), problems
