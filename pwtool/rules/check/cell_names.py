"""The names that a grid gives to its cells: letters and numbers, or a picture; and the lines that join them."""

from __future__ import annotations

import re
from functools import reduce
from itertools import pairwise

from pwtool.ir.grids import Cells, cells_of
from pwtool.ir.model import ZoneModel
from pwtool.lang import tree as n
from pwtool.rules.check.scope import Declared
from pwtool.text import did_you_mean
from pwtool.text.speech import Told

CODE = re.compile("[A-Za-z0-9_]+")
"""The letters of a code, and of the name of a cell."""
_CORNER = re.compile("([A-Za-z]{1,2})([0-9]{1,3})")
_LAST = 26 * 27
"""The number of the column `zz`."""
_SKIPPED = "i"
"""The letter that many boards leave out."""
_Names = tuple[str, ...]


def cell_names(node: n.CellNames | None, kind: n.ZoneKind, declared: Declared) -> tuple[_Names, _Names, _Names]:
    """The names of the columns, of the rows, and of the cells if each has its own."""
    nothing: tuple[_Names, _Names, _Names] = (), (), ()
    if node is None:
        return nothing
    if kind.kind != "grid" or kind.floating:
        declared.report("PW301", "only the cells of a grid that does not float have names", node.span)
        return nothing
    if node.picture is not None:
        return (), (), _names_in(node.picture, kind, declared)
    first, last = _CORNER.fullmatch(node.first), _CORNER.fullmatch(node.last)
    if first is None or last is None:
        wrong = node.last if first is not None else node.first
        help_line = 'one or two letters and a number up to 999, as in `named "a8".."h1"`'
        declared.report("PW306", "`{wrong}` is no letter with a number", node.span, help_line, wrong=wrong)
        return nothing
    letters = _letters(first[1], last[1])
    if len(letters) == kind.width + 1 and _SKIPPED not in (letters[0].casefold(), letters[-1].casefold()):
        letters = tuple(letter for letter in letters if letter.casefold() != _SKIPPED)
    numbers = tuple(map(str, _counted(int(first[2]), int(last[2]))))
    if (len(letters), len(numbers)) != (kind.width, kind.height):
        message = "these corners make {size} cells, the grid has {room}"
        declared.report(
            "PW306", message, node.span, _corners(first, last, kind), size=f"{len(letters)}x{len(numbers)}", room=f"{kind.width}x{kind.height}",
        )  # fmt: skip
        return nothing
    if (letters[0] + numbers[0], letters[-1] + numbers[-1]) != (node.first, node.last):
        message = "these corners would be called `{first}` and `{last}`"
        declared.report(
            "PW306", message, node.span, "write both with small letters or both with capitals, and no 0 before a number",
            first=f"{letters[0]}{numbers[0]}", last=f"{letters[-1]}{numbers[-1]}",
        )  # fmt: skip
        return nothing
    return letters, numbers, ()


def _corners(first: re.Match[str], last: re.Match[str], kind: n.ZoneKind) -> str | None:
    """The corners that would fit a grid, counted from the same first column in the same direction; None if there are none."""
    start = _place(first[1])
    end = start + (kind.width - 1 if _place(last[1]) >= start else 1 - kind.width)
    low = max(1, min(int(first[2]), int(last[2])))
    rows = (low, low + kind.height - 1)
    top, bottom = reversed(rows) if int(first[2]) > int(last[2]) else rows
    if not 0 < end <= _LAST:
        return None
    named = f'named "{_word(start, first[1])}{top}".."{_word(end, first[1])}{bottom}"'
    return Told("the corners of this grid: `{named}`", named=named)


def _letters(first: str, last: str) -> _Names:
    """The columns from one to another, as in a spreadsheet: `z` is followed by `aa`."""
    return tuple(_word(number, first) for number in _counted(_place(first), _place(last)))


def _place(word: str) -> int:
    return reduce(lambda number, letter: 26 * number + ord(letter) - 96, word.lower(), 0)


def _word(number: int, like: str) -> str:
    """The letters of a column, small or large as those of another."""
    more, at = divmod(number - 1, 26)
    word = (_word(more, like) if more else "") + chr(97 + at)
    return word.upper() if like.isupper() else word


def _counted(first: int, last: int) -> range:
    """All numbers from one to another, up or down."""
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)


def _names_in(picture: n.Picture, kind: n.ZoneKind, declared: Declared) -> _Names:
    """The names in a picture of a grid, row by row."""
    if (picture.width, picture.height) != (kind.width, kind.height):
        message = "this picture is {size}, the grid {room}"
        declared.report("PW102", message, picture.span, size=f"{picture.width}x{picture.height}", room=f"{kind.width}x{kind.height}")  # fmt: skip
        return ()
    names: dict[tuple[int, int], str] = {}
    there = None if kind.mask is None else {(cell.column, cell.row) for cell in kind.mask.cells}
    for cell in picture.cells:
        if there is not None and (cell.column, cell.row) not in there:
            declared.report("PW102", "the grid has no cell here that could be called `{content}`", cell.span, "write `.`", content=cell.content)  # fmt: skip
        elif not CODE.fullmatch(cell.content) or cell.content == "_":
            message = "`{content}` is no name of a cell: letters and digits, or `.` for a cell without a name"
            declared.report("PW102", message, cell.span, content=cell.content)
        elif cell.content.casefold() in {name.casefold() for name in names.values()}:
            declared.report("PW202", "two cells are called `{content}`", cell.span, content=cell.content)
        else:
            names[cell.column, cell.row] = cell.content
    return tuple(names.get((x, y), "") for y in range(kind.height) for x in range(kind.width))


def joined_cells(node: n.Joins, zone: ZoneModel, declared: Declared) -> tuple[Cells, ...]:
    """The cells of the lines that join them."""
    if zone.kind != "grid" or zone.floating:
        declared.report("PW301", "only the cells of a grid that does not float are joined", node.span)
        return ()
    if not zone.names_cells:
        if node.named is None:
            help_line = 'name them: `named "a8".."h1" joined "a8 b8 c8"`'
            declared.report("PW209", "lines join cells by their names, and these have none", node.span, help_line)
        return ()
    lines = []
    for text in node.lines:
        cells = [(name, zone.cell_named(name)) for name in text.split()]
        known = [zone.own_name(cell) for cell in cells_of(zone.grid) if zone.own_name(cell)]
        for name, cell in cells:
            if cell is None:
                declared.report("PW201", "`{zone}` has no cell `{name}`", node.span, did_you_mean(name, known), zone=zone.name, name=name)  # fmt: skip
        line = [cell for _, cell in cells if cell is not None]
        if len(line) < len(cells):
            continue
        if len(line) < 2 or any(one == other for one, other in pairwise(line)):
            declared.report("PW306", "`{text}` joins no two cells", node.span, text=text)
        lines.append(tuple(line))
    return tuple(lines)
