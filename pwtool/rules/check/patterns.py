"""Pictures on a grid: all the places where a picture can lie, turned and mirrored as it allows.

A cell of a w x h grid has the number `row * w + column`. A grid that floats is looked at with its bounding box in the upper left
corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pwtool.ir.model import ComponentModel, ZoneModel
from pwtool.lang.tree import Picture
from pwtool.text import Diagnostic

# The cells that need a card, in the picture's reading order, and the cells that have to be empty.
Placement = tuple[tuple[int, ...], tuple[int, ...]]
Fixed = tuple[int, tuple[str, str], int]
Cells = list[tuple[int, int]]
Lying = tuple[Cells, Cells, int, int]
# By the cells with a card and those without: the first in the picture's reading order, and by how many rows and columns the
# whole picture may reach over the upper and the left edge of what lies there.
Ways = dict[
    tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]],
    tuple[Cells, set[tuple[int, int]]],
]


class Shape(NamedTuple):
    """Where a shape can lie (`once`: no placement is there twice), its number of marked cells (None where its pictures differ in
    it), its named cells and its fixed values.
    """

    placements: tuple[Placement, ...]
    once: bool
    size: int | None
    names: dict[str, tuple[int, ...]]
    fixed: list[Fixed]


def _picture(
    picture: Picture, board: ZoneModel, components: dict[str, ComponentModel], diagnostics: list[Diagnostic]
) -> tuple[Ways, int, dict[str, tuple[int, ...]], list[Fixed]] | None:
    """Ways to lie, number of marked cells, named cells and fixed values of a picture; None after a finding."""
    marked = [c for c in picture.cells if c.content != "_"]
    fits = any(w <= board.width and h <= board.height for w, h in _sizes(picture, board.hexagonal))
    if not fits:
        message = (
            f"a picture of {picture.width}x{picture.height} cells does not fit on a {board.width}x{board.height} grid"
        )
        diagnostics.append(Diagnostic("PW305", message, picture.span))
        return None
    component = components[board.element.component]
    names: dict[str, tuple[int, ...]] = {}
    fixed: list[Fixed] = []
    for number, cell in enumerate(marked):
        if cell.content.isdigit():
            ranges = [a for a in component.attributes.values() if a.type.kind == "int" and a.in_code]
            value = int(cell.content)
            if len(ranges) != 1:
                diagnostics.append(
                    Diagnostic("PW102", "numbers in a picture need a component with one numbered attribute", cell.span)
                )
                return None
            if not ranges[0].type.low <= value <= ranges[0].type.high:
                low, high = ranges[0].type.low, ranges[0].type.high
                diagnostics.append(
                    Diagnostic("PW306", f"no {ranges[0].name} is {value}, it goes from {low} to {high}", cell.span)
                )
                return None
            fixed.append((number, (component.name, ranges[0].name), value))
        elif cell.content != "#":
            if "+" in cell.content:
                diagnostics.append(Diagnostic("PW102", "a pattern has one sign a cell", cell.span))
                return None
            names[cell.content] = (*names.get(cell.content, ()), number)
    return _ways(picture, board), len(marked), names, fixed


def _ways(picture: Picture, board: ZoneModel) -> Ways:
    """All the ways in which a picture lies on a grid, by the cells that matter: its `.` are any cells."""
    needs = [(c.row, c.column) for c in picture.cells if c.content != "_"]
    clear = [(c.row, c.column) for c in picture.cells if c.content == "_"]
    found: Ways = {}
    for turned, empty, width, height in _orientations(needs, clear, picture, board.hexagonal):
        for need, free, over in _places(turned, empty, width, height, board):
            if board.floating or all(board.grid.has((column, row)) for row, column in (*need, *free)):
                found.setdefault((frozenset(need), frozenset(free)), (need, set()))[1].add(over)
    return found


def _placements(ways: Ways, board: ZoneModel) -> tuple[tuple[Placement, ...], bool]:
    """The placements of all ways, and whether each is there once: one that may reach over one edge or over another, and not
    over less, is there for each of them.
    """
    found: list[Placement] = []
    for (_, clear), (needs, overs) in ways.items():
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
            found.append(
                (
                    tuple(r * board.width + c for r, c in needs),
                    tuple(r * board.width + c for r, c in dict.fromkeys([*inside, *beyond])),
                )
            )
    return tuple(found), len(found) == len(ways)


def _orders(picture: Picture, hexagonal: bool) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """The ways in which a picture, turned or mirrored as it allows, covers the same cells in another order: for each the
    number of the cell, in the picture's reading order, that every cell falls on, and the room that it takes around the cells.
    The first leaves all where they are.
    """
    needs = [(c.row, c.column) for c in picture.cells if c.content != "_"]
    clear = [(c.row, c.column) for c in picture.cells if c.content == "_"]
    found: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    lying = _orientations(needs, clear, picture, hexagonal)
    first, empty, _ = _trimmed(*lying[0][:2])
    for cells, free_cells, width, height in lying:
        turned, free, over = _trimmed(cells, free_cells)
        if set(turned) == set(first) and set(free) == set(empty):
            found.setdefault(tuple(first.index(cell) for cell in turned), set()).add((*over, width, height))
    return found


def _trimmed(needs: Cells, clear: Cells) -> tuple[Cells, Cells, tuple[int, int]]:
    """The cells that matter of a picture, counted from the first row and column in which one lies."""
    top, left = (min((cell[axis] for cell in (*needs, *clear)), default=0) for axis in (0, 1))
    return [(r - top, c - left) for r, c in needs], [(r - top, c - left) for r, c in clear], (top, left)


def check_shape(
    pictures: tuple[Picture, ...],
    board: ZoneModel,
    components: dict[str, ComponentModel],
    diagnostics: list[Diagnostic],
) -> Shape | None:
    """A shape of one or several pictures; None after a finding."""
    found = [_picture(p, board, components, diagnostics) for p in pictures]
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
        for cells, (needs, overs) in part[0].items():
            ordered = [needs[at] for at in order] if order is not None else needs
            other, all_overs = ways.setdefault(cells, (ordered, set()))
            all_overs.update(overs)
            if order is not None and not any([other[at] for at in one] == ordered for one in orders):
                message = "this picture lies on the same cells as one before it, with other letters"
                help_line = "say so by `turned` or `mirrored` behind one picture"
                diagnostics.append(Diagnostic("PW102", message, picture.span, help=help_line))
                return None
    sizes = {part[1] for part in parts}
    names, fixed = (parts[0][2], parts[0][3]) if lettered else ({}, [])
    return Shape(*_placements(ways, board), sizes.pop() if len(sizes) == 1 else None, names, fixed)


def orders_of(pictures: tuple[Picture, ...], hexagonal: bool) -> list[tuple[int, ...]] | None:
    """The orders in which the cells of a shape can be read on the same place, by their numbers in its first picture; none
    where several pictures of cards without a name have no common order. None where it hangs on the place which there are:
    some need other room around the cells.
    """
    if len(pictures) > 1 and all(cell.content in ("#", "_") for cell in pictures[0].cells):
        return []
    found = [_orders(picture, hexagonal) for picture in pictures]
    if any(len({frozenset(rooms) for rooms in orders.values()}) > 1 for orders in found):
        return None
    return list(found[0])


def _signs(picture: Picture) -> list[str]:
    return [cell.content for cell in picture.cells if cell.content != "_"]


def _order(first: Picture, picture: Picture) -> tuple[int, ...] | None:
    """For each cell of the first picture the number of the cell of another one with the same sign, those of the same
    sign as they stand; None where the signs are others.
    """
    signs = _signs(picture)
    if sorted(signs) != sorted(_signs(first)):
        return None
    left: dict[str, list[int]] = {}
    for number, sign in enumerate(signs):
        left.setdefault(sign, []).append(number)
    return tuple(left[sign].pop(0) for sign in _signs(first))


def _agree(pictures: tuple[Picture, ...], hexagonal: bool, diagnostics: list[Diagnostic]) -> bool:
    """Whether all pictures of a shape name the same cells, and can be read in the same orders."""
    wanted = set(_orders(pictures[0], hexagonal))
    for picture in pictures[1:]:
        order = _order(pictures[0], picture)
        if order is None:
            message = "where one picture of a shape has letters or numbers, all have the same ones, each as often"
            diagnostics.append(Diagnostic("PW102", message, picture.span))
            return False
        places = {number: at for at, number in enumerate(order)}
        own = {tuple(places[one[at]] for at in order) for one in _orders(picture, hexagonal)}
        if own != wanted:
            message = "this picture can be read on its cells in other orders than the first of the shape"
            help_line = "give both the same `turned` and `mirrored`, or make two shapes of them"
            diagnostics.append(Diagnostic("PW102", message, picture.span, help=help_line))
            return False
    return True


def _sizes(picture: Picture, hexagonal: bool) -> list[tuple[int, int]]:
    if hexagonal:
        cells = [(c.row, c.column) for c in picture.cells]
        return [(width, height) for _, _, width, height in _on_hexagons(cells, [], picture)]
    sizes = [(picture.width, picture.height)]
    return [*sizes, (picture.height, picture.width)] if picture.turned else sizes


def _places(
    needs: Cells, clear: Cells, width: int, height: int, board: ZoneModel
) -> Iterator[tuple[Cells, Cells, tuple[int, int]]]:
    """All the places of a picture. Where a grid floats, a picture may reach over the upper and the left edge of what lies there
    with cells that need no card: as many rows or columns at the other end of the grid are not in use then.
    """
    over = [min((cell[axis] for cell in needs), default=0) if board.floating else 0 for axis in (0, 1)]
    for top in range(-over[0], board.height - height + 1):
        for left in range(-over[1], board.width - width + 1):
            moved = [[(r + top, c + left) for r, c in cells] for cells in (needs, clear)]
            yield moved[0], moved[1], (max(0, -top), max(0, -left))


def _on_hexagons(needs: Cells, clear: Cells, picture: Picture) -> list[Lying]:
    """All ways to lie on a hexagonal grid: in six directions, each also as in a mirror."""
    found: list[Lying] = []
    for mirror in (False, True) if picture.mirrored else (False,):
        cells = [[(r, -c - r) if mirror else (r, c) for r, c in part] for part in (needs, clear)]
        for _ in range(6 if picture.turned else 1):
            top, left = (min(cell[axis] for part in cells for cell in part) for axis in (0, 1))
            parts = [[(r - top, c - left) for r, c in part] for part in cells]
            height, width = (1 + max(cell[axis] for part in parts for cell in part) for axis in (0, 1))
            found.append((parts[0], parts[1], width, height))
            cells = [[(r + c, -r) for r, c in part] for part in cells]
    return found


def _orientations(needs: Cells, clear: Cells, picture: Picture, hexagonal: bool) -> list[Lying]:
    if hexagonal:
        return _on_hexagons(needs, clear, picture)
    width, height = picture.width, picture.height
    found = [(needs, clear, width, height)]
    if picture.mirrored:
        flip = [[(r, width - 1 - c) for r, c in cells] for cells in (needs, clear)]
        found.append((flip[0], flip[1], width, height))
    if picture.turned:
        for cells, free, w, h in list(found):
            current = (cells, free, w, h)
            for _ in range(3):
                cells_, free_, w_, h_ = current
                current = ([(c, h_ - 1 - r) for r, c in cells_], [(c, h_ - 1 - r) for r, c in free_], h_, w_)
                found.append(current)
    return found
