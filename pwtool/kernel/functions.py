"""The building blocks of closures: each takes the functions of its operands and returns a function of (position, locals)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from pwtool.eval.backend import Evaluator
from pwtool.eval.disjoint_sets import bits, most_apart
from pwtool.eval.work import Work
from pwtool.ir.grids import AROUND, Cell, Cells, Grid, cells_of, near, near_all, rays_all, towards
from pwtool.ir.nodes import Placement
from pwtool.kernel.form import Places


def make_and(operands: list[Evaluator]) -> Evaluator:
    """Whether all conditions hold, in order; three at a time, because a call costs more than most conditions."""
    if len(operands) > 3:
        operands = [*operands[:2], make_and(operands[2:])]
    if len(operands) == 2:
        left, right = operands
        return lambda s, e: left(s, e) and right(s, e)
    first, second, third = operands
    return lambda s, e: first(s, e) and second(s, e) and third(s, e)


def make_let(slot: int, value: Evaluator, body: Evaluator) -> Evaluator:
    def let(s: Any, e: list[Any]) -> Any:
        e[slot] = value(s, e)
        return body(s, e)

    return let


def make_else(value: Evaluator, default: Evaluator) -> Evaluator:
    def otherwise(s: Any, e: list[Any]) -> Any:
        found = value(s, e)
        return default(s, e) if found is None else found

    return otherwise


def make_looked_up(of: Evaluator, table: tuple[Any, ...], optional: bool) -> Evaluator:
    if not optional:
        return lambda s, e: table[of(s, e)]

    def looked_up(s: Any, e: list[Any]) -> Any:
        face = of(s, e)
        return None if face is None else table[face]

    return looked_up


def make_coordinate(cell: Evaluator, axis: int, optional: bool) -> Evaluator:
    if not optional:
        return lambda s, e: cell(s, e)[axis]

    def coordinate(s: Any, e: list[Any]) -> Any:
        found = cell(s, e)
        return None if found is None else found[axis]

    return coordinate


def make_near(cell: Evaluator, grid: Grid, diagonally: bool) -> Evaluator:
    if not grid.floating:
        return make_listed(cell, near_all(grid, diagonally))
    return lambda s, e: near(grid, cell(s, e), diagonally)


def make_cell(column: Evaluator, row: Evaluator, grid: Grid) -> Evaluator:
    cells = None if grid.floating else {cell: cell for cell in cells_of(grid)}
    if cells is not None:
        return lambda s, e: cells.get((column(s, e), row(s, e)))

    def cell(s: Any, e: list[Any]) -> Any:
        x, y = column(s, e), row(s, e)
        return (x, y) if x is not None and y is not None and grid.has((x, y)) else None

    return cell


def make_listed(cell: Evaluator, lists: Mapping[Cell, Cells]) -> Evaluator:
    """A list looked up by a cell; empty for no cell."""
    return lambda s, e: lists.get(cell(s, e), ())


def make_steps(sign: str, left: Evaluator, right: Evaluator, optional: bool) -> Evaluator:
    def steps(s: Any, e: list[Any]) -> Any:
        one, other = left(s, e), right(s, e)
        if optional and (one is None or other is None):
            return None
        if sign == "*":
            return one[0] * other, one[1] * other
        if sign == "+":
            return one[0] + other[0], one[1] + other[1]
        return one[0] - other[0], one[1] - other[1]

    return steps


def make_moved(cell: Evaluator, step: Evaluator, grid: Grid) -> Evaluator:
    cells = None if grid.floating else {cell: cell for cell in cells_of(grid)}

    def there(s: Any, e: list[Any]) -> Any:
        at, by = cell(s, e), step(s, e)
        if at is None or by is None:
            return None
        found = at[0] + by[0], at[1] + by[1]
        return cells.get(found) if cells is not None else found if grid.has(found) else None

    return there


def make_ray(cell: Evaluator, step: Evaluator, grid: Grid) -> Evaluator:
    rays = {around: rays_all(grid, around) for around in AROUND}
    return lambda s, e: rays[step(s, e)].get(cell(s, e), ())


def make_between(left: Evaluator, right: Evaluator, grid: Grid) -> Evaluator:
    rays = {around: rays_all(grid, around) for around in AROUND}

    def between(s: Any, e: list[Any]) -> Cells:
        one, other = left(s, e), right(s, e)
        step = towards(grid, one, other)
        found = () if step is None else rays[step].get(one, ())
        distance = max(abs(other[0] - one[0]), abs(other[1] - one[1]))
        return found[: distance - 1] if len(found) >= distance else ()

    return between


def make_next(player: Evaluator, optional: bool) -> Evaluator:
    if not optional:
        return lambda s, e: (player(s, e) + 1) % s.players

    def following(s: Any, e: list[Any]) -> Any:
        seat = player(s, e)
        return None if seat is None else (seat + 1) % s.players

    return following


def make_top(pile: Evaluator) -> Evaluator:
    def top(s: Any, e: list[Any]) -> Any:
        things = pile(s, e)
        return things[-1] if things else None

    return top


def make_top_at(piles: Evaluator, at: Evaluator) -> Evaluator:
    def top(s: Any, e: list[Any]) -> Any:
        number = at(s, e)
        pile = None if number is None else piles(s, e)[number]
        return pile[-1] if pile else None

    return top


def make_height_at(piles: Evaluator, at: Evaluator) -> Evaluator:
    def height(s: Any, e: list[Any]) -> Any:
        number = at(s, e)
        pile = None if number is None else piles(s, e)[number]
        return len(pile) if pile else None

    return height


def make_tops_at(piles: Evaluator, cells: Evaluator) -> Evaluator:
    def tops(s: Any, e: list[Any]) -> list[Any]:
        found = piles(s, e)
        return [found[at][-1] for at in cells(s, e)]

    return tops


def make_beside(of: Evaluator, cells: tuple[Any, ...], beside: tuple[tuple[int, ...], ...]) -> Evaluator:
    known = {value: [cells[at] for at in near] for value, near in zip(cells, beside, strict=True)}
    return lambda s, e: known.get(of(s, e), ())


def make_values(items: list[Evaluator]) -> Evaluator:
    return lambda s, e: [item(s, e) for item in items]


def make_each(piles: Evaluator, part: str) -> Evaluator:
    match part:
        case "pile":
            return lambda s, e: [pile for pile in piles(s, e) if pile]
        case "top":
            return lambda s, e: [pile[-1] for pile in piles(s, e) if pile]
        case "all":
            return lambda s, e: list(chain.from_iterable(piles(s, e)))
    return lambda s, e: [thing for pile in piles(s, e) if pile for thing in pile[:-1]]


def make_placed(
    places: tuple[Placement, ...], piles: Evaluator, numbers: tuple[tuple[int | None, ...], ...]
) -> Evaluator:
    if numbers:
        return _make_numbered(places, piles, numbers)

    def vectors(s: Any, e: list[Any]) -> Iterator[list[Any]]:
        cells = piles(s, e)
        for needs, free in places:
            vector = []
            for at in needs:
                pile = cells[at]
                if pile is None:
                    break
                vector.append(pile[-1])
            else:
                if not free or not any(cells[at] is not None for at in free):
                    yield vector

    return vectors


def _make_numbered(
    places: tuple[Placement, ...], piles: Evaluator, numbers: tuple[tuple[int | None, ...], ...]
) -> Evaluator:
    known = [(*place, cells) for place, cells in zip(places, numbers, strict=True)]

    def vectors(s: Any, e: list[Any]) -> Iterator[tuple[int | None, ...]]:
        cells = piles(s, e)
        for needs, free, vector in known:
            if all(cells[at] is not None for at in needs) and not any(cells[at] is not None for at in free):
                yield vector

    return vectors


def make_separate(x: Places, piles: Evaluator, slot: int, body: Evaluator, number: int, work: Work) -> Evaluator:
    """Whether a condition holds for a number of places that share no card."""
    marked = x.cells or ((),) * len(x.places)
    known = [(*place, bits(place[0]), cells) for place, cells in zip(x.places, marked, strict=True)]

    def apart(s: Any, e: list[Any]) -> bool:
        lies, found = piles(s, e), []
        for needs, free, place, cells in known:
            if all(lies[at] is not None for at in needs) and not any(lies[at] is not None for at in free):
                e[slot] = cells or [lies[at][-1] for at in needs]
                if body(s, e):
                    found.append(
                        bits(at for at in cells if at is not None and lies[at] is not None) if cells else place
                    )
        return len(found) >= number and most_apart(found, number, work) == number

    return apart


def make_any(sequence: Evaluator, slot: int, body: Evaluator) -> Evaluator:
    def some(s: Any, e: list[Any]) -> bool:
        for item in sequence(s, e):
            e[slot] = item
            if body(s, e):
                return True
        return False

    return some


def holding(items: Iterable[Any], slot: int, body: Evaluator, s: Any, e: list[Any]) -> Iterator[Any]:
    for item in items:
        e[slot] = item
        if body(s, e):
            yield item


def make_sum(sequence: Evaluator, slot: int, body: Evaluator | None) -> Evaluator:
    """The sum over a sequence, of its elements or of the body for each."""
    if body is None:
        return lambda s, e: sum(sequence(s, e))

    def summed(s: Any, e: list[Any]) -> int:
        found = 0
        for item in sequence(s, e):
            e[slot] = item
            found += body(s, e)
        return found

    return summed


def make_first(sequence: Evaluator, slot: int, body: Evaluator, backwards: bool) -> Evaluator:
    def picked(s: Any, e: list[Any]) -> Any:
        items = sequence(s, e)
        return next(holding(reversed(items) if backwards else items, slot, body, s, e), None)

    return picked


def make_same(sequence: Evaluator) -> Evaluator:
    def same(s: Any, e: list[Any]) -> bool:
        values = sequence(s, e)
        return values.count(values[0]) == len(values) if values else True

    return same


def make_distinct(sequence: Evaluator) -> Evaluator:
    def distinct(s: Any, e: list[Any]) -> bool:
        values = sequence(s, e)
        return len(set(values)) == len(values)

    return distinct


def make_ascending(sequence: Evaluator) -> Evaluator:
    return lambda s, e: all(a < b for a, b in pairwise(sequence(s, e)))


ALIKE = {"same": make_same, "distinct": make_distinct, "ascending": make_ascending}
