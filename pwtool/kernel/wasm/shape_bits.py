"""Whether a shape lies anywhere on a grid that does not float: tested for all places at once, using the bits of the things on it."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from functools import reduce

from pwtool.ir.grids import Grid
from pwtool.kernel import form as f
from pwtool.kernel.form import Form
from pwtool.kernel.layout import NONE
from pwtool.kernel.locals import BINDING, free_of, replaced
from pwtool.kernel.wasm.bindings import Scope
from pwtool.kernel.wasm.cell_sets import CellSets
from pwtool.kernel.wasm.cellbits import Bits, Write, is_small, joined

Offsets = tuple[tuple[int, ...], tuple[int, ...]]


class ShapeBits(CellSets):
    """Writes checks for shapes on grids."""

    def lies_anywhere(self, x: f.Any_, scope: Scope) -> Write | None:
        """The cells at which a place of a shape begins for which something holds; None if that cannot be decided for all places at once."""
        places = x.sequence
        if not isinstance(places, f.Places) or places.cells or x.body is None:
            return None
        board = places.piles.pile if isinstance(places.piles, f.Held) else places.piles
        if not isinstance(board, f.Board) or not isinstance(board.grid, f.Pile) or board.grid.indices:
            return None
        zone = self.kernel.zone(board.grid.zone)
        grid = zone.grid
        if not is_small(grid) or (board.width, board.height) != (zone.width, zone.height):
            return None
        shapes: dict[Offsets, list[int]] = defaultdict(list)
        for needs, free in places.places:
            if not needs:
                return None
            first = needs[0]
            shapes[tuple(cell - first for cell in needs), tuple(cell - first for cell in free)].append(first)
        if 2 * len(shapes) > len(places.places):
            return None
        kinds = self._of_things(x.body, x.slot, board.grid, grid, scope)
        empty = self.cells_where(f.Not(_lies(board.grid, x.slot)), x.slot, grid, scope)
        if kinds is None or empty is None:
            return None

        def write(stack: ExitStack) -> Bits:
            free = self.in_locals(empty(stack), stack) if any(offsets[1] for offsets in shapes) else []
            found: list[Bits] = []
            for kind in kinds:
                things = self.in_locals(kind(stack), stack)
                for (needs, none), starts in shapes.items():
                    mask = self.of_numbers(starts, grid)
                    parts = [self.moved_by(things, by, mask) for by in needs]
                    parts += [self.moved_by(free, by, mask) for by in none]
                    found.append(reduce(lambda a, b: [p & q for p, q in zip(a, b, strict=True)], parts))
            return reduce(lambda a, b: [p | q for p, q in zip(a, b, strict=True)], found)

        return write

    def _of_things(self, x: Form, slot: int, pile: f.Pile, grid: Grid, scope: Scope) -> list[Write] | None:
        """Sets of cells; something holds for the things of a place if one of the sets contains all its cells."""
        fresh = 1 + max((part.slot for part in f.walk(x) if isinstance(part, f.Local | BINDING)), default=slot)
        match x:
            case f.Const(value=True):
                lies = self.cells_where(_lies(pile, fresh), fresh, grid, scope)
                return None if lies is None else [lies]
            case f.Alike(kind="same", sequence=f.Attributes(of=f.Held(pile=f.Local(slot=of))) as attributes) if (
                of == slot
            ):
                kept = self.kernel.watch.of(pile.zone, (attributes.component, attributes.name))
                if kept is None:
                    return None
                places = [at for value, at in kept.bits.items() if value != NONE]
                return [lambda stack, at=at: self.held_bits(self.code.value(at), grid) for at in places]  # type: ignore[misc]
            case f.Not(operand=f.Any_(sequence=f.Held(pile=f.Local(slot=of)), body=asked) as every) if (
                of == slot and asked is not None and slot not in free_of(asked)
            ):
                top = f.Top(f.PileAt(pile, f.Local(fresh)))
                holds = f.And(_lies(pile, fresh), f.Not(replaced(asked, every.slot, top)))
                found = self.cells_where(holds, fresh, grid, scope)
                return None if found is None else [found]
            case f.And():
                left, right = (self._of_things(side, slot, pile, grid, scope) for side in (x.left, x.right))
                if left is None or right is None:
                    return None
                return [joined(a, b, lambda p, q: p & q) for a in left for b in right]
            case f.Or():
                left, right = (self._of_things(side, slot, pile, grid, scope) for side in (x.left, x.right))
                return None if left is None or right is None else left + right
        if slot in free_of(x):
            return None
        all_alike, lies = (
            self.cells_where(x, fresh, grid, scope),
            self.cells_where(_lies(pile, fresh), fresh, grid, scope),
        )
        return None if all_alike is None or lies is None else [joined(all_alike, lies, lambda p, q: p & q)]


def _lies(pile: f.Pile, slot: int) -> Form:
    """Whether a cell is occupied."""
    return f.Any_(-1, f.Held(f.PileAt(pile, f.Local(slot))), None)


__all__ = ["ShapeBits"]
