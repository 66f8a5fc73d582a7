"""Pictures on a grid: all placements of a picture, turned and mirrored if allowed.

The number of a cell in a w x h grid is `row * w + column`. A floating grid is handled with its bounding box in the top left
corner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pwtool.ir.model import ZoneModel
from pwtool.lang.tree import Picture
from pwtool.rules.check.scope import Declared
from pwtool.text import Diagnostic
from pwtool.text.words import one_line

# The cells that need a card, in the picture's reading order, and the cells that must be empty.
Placement = tuple[tuple[int, ...], tuple[int, ...]]
Fixed = tuple[int, tuple[str, str], int]
Cell = tuple[int, int]
Cells = list[Cell]
# By the cells with a card, the empty ones and those that may be missing: the cells in the picture's reading order, and how many
# rows and columns the whole picture may extend beyond the upper and the left edge of what lies there.
Ways = dict[tuple[frozenset[Cell], frozenset[Cell], frozenset[Cell]], tuple[Cells, set[Cell]]]


class Lying(NamedTuple):
    """One orientation of a picture: its cells with a card, including those that may be missing, in the reading order of the picture
    as drawn; its empty cells; the size of the space that it takes.
    """

    cells: Cells
    clear: Cells
    maybe: frozenset[Cell]
    width: int
    height: int

    @property
    def needs(self) -> Cells:
        return [cell for cell in self.cells if cell not in self.maybe]

    def moved(self, rows: int, columns: int) -> Lying:
        """The same, moved by that many rows down and columns to the right."""

        def cell(of: Cell) -> Cell:
            return of[0] + rows, of[1] + columns

        cells, clear, maybe = map(cell, self.cells), map(cell, self.clear), map(cell, self.maybe)
        return Lying(list(cells), list(clear), frozenset(maybe), self.width, self.height)


class Shape(NamedTuple):
    """The placements of a shape (`once`: without duplicates), its number of marked cells (None if it varies), its named cells and its
    fixed values; whether cells of it may be `missing`, and which of the first picture (`maybe`); all marked cells of each
    placement, None beyond the grid.
    """

    placements: tuple[Placement, ...]
    once: bool
    size: int | None
    names: dict[str, tuple[int, ...]]
    fixed: list[Fixed]
    missing: bool
    maybe: frozenset[int]
    cells: tuple[tuple[int | None, ...], ...]

    @property
    def marked(self) -> int | None:
        """The number of cells that every picture marks, None if it varies."""
        sizes = {len(cells) for cells in self.cells}
        return sizes.pop() if len(sizes) == 1 else None


def _picture(
    picture: Picture, board: ZoneModel, declared: Declared
) -> tuple[Ways, int, dict[str, tuple[int, ...]], list[Fixed]] | None:
    """The ways, number of marked cells, named cells and fixed values of a picture; None after an error."""
    diagnostics = declared.diagnostics
    if picture.line and picture.width < 2:
        diagnostics.append(Diagnostic.of("PW305", "a line has two cells or more", picture.span))
        return None
    marked = [c for c in picture.cells if c.content != "_"]
    if all(c.maybe for c in marked) and marked:
        message = "every card of this picture may be missing"
        diagnostics.append(
            Diagnostic.of("PW102", message, picture.span, help="leave out the `?` of one that is always there")
        )
        return None
    ways = _ways(picture, board)
    if picture.line and not ways:
        message = "the grid has no `{picture}`"
        diagnostics.append(Diagnostic.of("PW305", message, picture.span, picture=one_line(picture.span.text)))
        return None
    fits = any(w <= board.width and h <= board.height for w, h in _sizes(picture, board.hexagonal))
    if not fits and not picture.line:
        message = "a picture of {size} cells does not fit on a {room} grid"
        diagnostics.append(
            Diagnostic.of("PW305", message, picture.span, size=f"{picture.width}x{picture.height}", room=f"{board.width}x{board.height}")
        )  # fmt: skip
        return None
    component = declared.components[board.element.component]
    names: dict[str, tuple[int, ...]] = {}
    fixed: list[Fixed] = []
    for number, cell in enumerate(marked):
        if cell.content.isdigit():
            ranges = [a for a in component.attributes.values() if a.type.kind == "int" and a.in_code]
            value = int(cell.content)
            if len(ranges) != 1:
                diagnostics.append(
                    Diagnostic.of(
                        "PW102", "numbers in a picture need a component with one numbered attribute", cell.span
                    )
                )
                return None
            if not ranges[0].type.low <= value <= ranges[0].type.high:
                low, high = ranges[0].type.low, ranges[0].type.high
                message = "no {name} is {value}, it goes from {low} to {high}"
                if declared.is_own(cell.span):
                    diagnostics.append(Diagnostic.of("PW306", message, cell.span, name=ranges[0].name, value=value, low=low, high=high))  # fmt: skip
                    return None
                declared.warn("PW306", message, cell.span)
            fixed.append((number, (component.name, ranges[0].name), value))
        elif cell.content != "#":
            if "+" in cell.content:
                diagnostics.append(Diagnostic.of("PW102", "a pattern has one sign a cell", cell.span))
                return None
            names[cell.content] = (*names.get(cell.content, ()), number)
    return ways, len(marked), names, fixed


def _ways(picture: Picture, board: ZoneModel) -> Ways:
    """All ways in which a picture can lie on a grid, by the cells that matter: `.` stands for any cell."""
    found: Ways = {}
    if picture.line and board.joined:
        for line in board.joined:
            for start in range(len(line) - picture.width + 1):
                cells = [(row, column) for column, row in line[start : start + picture.width]]
                if len(set(cells)) == len(cells):
                    found.setdefault((frozenset(cells), frozenset(), frozenset()), (cells, {(0, 0)}))
        return found
    for lying in _orientations(picture, board.hexagonal):
        if board.floating and (lying.width > board.width or lying.height > board.height):
            # What lies beyond the cards has to fit the grid, too.
            continue
        for place, over in _places(lying, board):
            needs = place.needs
            if board.floating or all(board.grid.has((column, row)) for row, column in (*needs, *place.clear)):
                key = frozenset(needs), frozenset(place.clear), place.maybe
                found.setdefault(key, (place.cells, set()))[1].add(over)
    return found


def _placements(ways: Ways, board: ZoneModel) -> tuple[tuple[Placement, ...], bool, tuple[tuple[int | None, ...], ...]]:
    """The placements of all ways, whether they are distinct, and all marked cells of each. A way has one placement for every minimal
    extent beyond the edges, and one for every place in which its optional cells can lie.
    """
    found: list[Placement] = []
    marked: list[tuple[int | None, ...]] = []
    for (needs, clear, _), (cells, overs) in ways.items():
        for over in sorted(overs):
            if any(other != over and other[0] <= over[0] and other[1] <= over[1] for other in overs):
                continue
            beyond = [
                (row, column)
                for row in range(board.height)
                for column in range(board.width)
                if row >= board.height - over[0] or column >= board.width - over[1]
            ]
            inside = [cell for cell in sorted(clear) if min(cell) >= 0]
            numbers = [_number(cell, board) for cell in cells]
            found.append(
                (
                    tuple(r * board.width + c for r, c in cells if (r, c) in needs),
                    tuple(r * board.width + c for r, c in dict.fromkeys([*inside, *beyond])),
                )
            )
            marked.append(tuple(numbers))
    return tuple(found), len(found) == len({key[:2] for key in ways}), tuple(marked)


def _number(cell: Cell, board: ZoneModel) -> int | None:
    """The number of a cell, None beyond the grid."""
    row, column = cell
    inside = 0 <= row < board.height and 0 <= column < board.width
    return row * board.width + column if inside and (board.floating or board.grid.has((column, row))) else None


def _orders(picture: Picture, hexagonal: bool) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """The orders in which a picture, turned or mirrored as it allows, covers the same cells: for each, the number of the cell, in the
    picture's reading order, that every cell is mapped to, and the space that the picture takes around the cells. The first order
    is the identity.
    """
    found: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    ways = [_trimmed(lying) for lying in _orientations(picture, hexagonal)]
    first = ways[0][0]
    for turned, over in ways:
        same = set(turned.cells) == set(first.cells) and turned.maybe == first.maybe
        if same and set(turned.clear) == set(first.clear):
            order = tuple(first.cells.index(cell) for cell in turned.cells)
            found.setdefault(order, set()).add((*over, turned.width, turned.height))
    return found


def _trimmed(lying: Lying) -> tuple[Lying, Cell]:
    """A picture with its cells counted from the first row and column that contain a cell that matters, and these two."""
    top, left = (min((cell[axis] for cell in (*lying.needs, *lying.clear)), default=0) for axis in (0, 1))
    return lying.moved(-top, -left), (top, left)


def check_shape(pictures: tuple[Picture, ...], board: ZoneModel, declared: Declared) -> Shape | None:
    """A shape of one or several pictures; None after an error."""
    diagnostics = declared.diagnostics
    found = [_picture(p, board, declared) for p in pictures]
    parts = [part for part in found if part is not None]
    if len(parts) < len(found):
        return None
    lettered = any(part[2] or part[3] for part in parts)
    if len(parts) > 1 and lettered and not _agree(pictures, board.hexagonal, diagnostics):
        return None
    ways: Ways = {}
    orders = orders_of(pictures, board.hexagonal) or []
    for picture, part in zip(pictures, parts, strict=True):
        order = _order(pictures[0], picture) if len(parts) > 1 and lettered else None
        for key, (cells, overs) in part[0].items():
            ordered = [cells[at] for at in order] if order is not None else cells
            other, all_overs = ways.setdefault(key, (ordered, set()))
            all_overs.update(overs)
            if order is not None and not any([other[at] for at in one] == ordered for one in orders):
                message = "this picture lies on the same cells as one before it, with other letters"
                help_line = "write one picture with `turned` or `mirrored`"
                diagnostics.append(Diagnostic.of("PW102", message, picture.span, help=help_line))
                return None
    signs = [c for c in pictures[0].cells if c.content != "_"]
    maybe = frozenset(at for at, cell in enumerate(signs) if cell.maybe)
    missing = any(cell.maybe for picture in pictures for cell in picture.cells)
    sizes = {part[1] for part in parts}
    size = sizes.pop() if len(sizes) == 1 and not missing else None
    names, fixed = (parts[0][2], parts[0][3]) if lettered else ({}, [])
    placements, once, cells_of = _placements(ways, board)
    return Shape(placements, once, size, names, fixed, missing, maybe, cells_of)


def orders_of(pictures: tuple[Picture, ...], hexagonal: bool) -> list[tuple[int, ...]] | None:
    """The orders in which the cells of a shape can be read in the same place, by their numbers in its first picture; empty if several
    pictures of unnamed cards have no common order. None if the orders depend on the place, because some of them need a different
    space around the cells.
    """
    if len(pictures) > 1 and all(cell.content in ("#", "_") for cell in pictures[0].cells):
        return []
    found = [_orders(picture, hexagonal) for picture in pictures]
    if any(len({frozenset(rooms) for rooms in orders.values()}) > 1 for orders in found):
        return None
    return list(found[0])


def _signs(picture: Picture) -> list[str]:
    return [cell.sign for cell in picture.cells if cell.content != "_"]


def _order(first: Picture, picture: Picture) -> tuple[int, ...] | None:
    """For each cell of the first picture, the number of the cell with the same sign in another one; equal signs keep their order. None
    if the signs differ.
    """
    signs = _signs(picture)
    if sorted(signs) != sorted(_signs(first)):
        return None
    left: dict[str, list[int]] = {}
    for number, sign in enumerate(signs):
        left.setdefault(sign, []).append(number)
    return tuple(left[sign].pop(0) for sign in _signs(first))


def _agree(pictures: tuple[Picture, ...], hexagonal: bool, diagnostics: list[Diagnostic]) -> bool:
    """Whether all pictures of a shape name the same cells and can be read in the same orders."""
    wanted = set(_orders(pictures[0], hexagonal))
    for picture in pictures[1:]:
        order = _order(pictures[0], picture)
        if order is None:
            message = "where one picture of a shape has letters or numbers, all have the same ones, each as often"
            diagnostics.append(Diagnostic.of("PW102", message, picture.span))
            return False
        places = {number: at for at, number in enumerate(order)}
        own = {tuple(places[one[at]] for at in order) for one in _orders(picture, hexagonal)}
        if own != wanted:
            message = "this picture can be read on its cells in other orders than the first of the shape"
            help_line = "give both the same `turned` and `mirrored`, or make two shapes of them"
            diagnostics.append(Diagnostic.of("PW102", message, picture.span, help=help_line))
            return False
    return True


def _sizes(picture: Picture, hexagonal: bool) -> list[tuple[int, int]]:
    return [(lying.width, lying.height) for lying in _orientations(picture, hexagonal)]


def _places(lying: Lying, board: ZoneModel) -> Iterator[tuple[Lying, Cell]]:
    """All placements of a picture. On a floating grid, a picture may extend beyond the upper and the left edge of what lies there with
    cells that need no card: then that many rows or columns at the opposite end of the grid are unused.
    """
    over = [min((cell[axis] for cell in lying.needs), default=0) if board.floating else 0 for axis in (0, 1)]
    for top in range(-over[0], board.height - lying.height + 1):
        for left in range(-over[1], board.width - lying.width + 1):
            yield lying.moved(top, left), (max(0, -top), max(0, -left))


def _as_drawn(picture: Picture) -> Lying:
    """A picture as drawn. Border rows and columns in which all cells may be missing take no space: they may lie beyond the grid."""
    spans = []
    for axis, size in ((0, picture.height), (1, picture.width)):
        lines = [[c for c in picture.cells if (c.row, c.column)[axis] == at] for at in range(size)]
        solid = [at for at, line in enumerate(lines) if not line or not all(c.maybe for c in line)]
        spans.append((solid[0], solid[-1] - solid[0] + 1))
    cells = [(c.row, c.column) for c in picture.cells if c.content != "_"]
    clear = [(c.row, c.column) for c in picture.cells if c.content == "_"]
    maybe = frozenset((c.row, c.column) for c in picture.cells if c.maybe)
    (top, height), (left, width) = spans
    return Lying(cells, clear, maybe, width, height).moved(-top, -left)


def _orientations(picture: Picture, hexagonal: bool) -> list[Lying]:
    drawn = _as_drawn(picture)
    if hexagonal:
        return _on_hexagons(drawn, picture)
    found = [drawn]
    if picture.line:
        oblique = [(at, at) for at in range(picture.width)]
        found.append(Lying(oblique, [], frozenset(), picture.width, picture.width))
    if picture.mirrored:
        found.append(_changed(drawn, lambda r, c: (r, drawn.width - 1 - c), drawn.width, drawn.height))
    if picture.turned:
        for upright in list(found):
            ways = [upright]
            for _ in range(3):
                ways.append(_turned(ways[-1]))
            found += ways[1:]
    return found


def _changed(lying: Lying, change: Callable[[int, int], Cell], width: int, height: int) -> Lying:
    cells, clear = [change(*cell) for cell in lying.cells], [change(*cell) for cell in lying.clear]
    return Lying(cells, clear, frozenset(change(*cell) for cell in lying.maybe), width, height)


def _turned(lying: Lying) -> Lying:
    """The picture after one more quarter turn."""
    return _changed(lying, lambda r, c: (c, lying.height - 1 - r), lying.height, lying.width)


def _on_hexagons(drawn: Lying, picture: Picture) -> list[Lying]:
    """All orientations on a hexagonal grid: in six directions, each also mirrored."""
    found: list[Lying] = []
    for mirror in (False, True) if picture.mirrored else (False,):
        lying = _changed(drawn, lambda r, c: (r, -c - r), 0, 0) if mirror else drawn
        for _ in range(6 if picture.turned else 1):
            trimmed, _ = _trimmed(lying)
            height, width = (1 + max(cell[axis] for cell in (*trimmed.needs, *trimmed.clear)) for axis in (0, 1))
            found.append(trimmed._replace(width=width, height=height))
            lying = _changed(lying, lambda r, c: (r + c, -r), 0, 0)
    return found
