"""Whether a shape lies anywhere on a grid that does not float: tested for all places at once, using the bits of the things on it."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from functools import reduce

from pwtool.ir import nodes as ir
from pwtool.ir.grids import Grid
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, replaced, unused_slot
from pwtool.kernel.layout import NONE
from pwtool.kernel.wasm.bindings import Scope
from pwtool.kernel.wasm.cell_sets import CellSets
from pwtool.kernel.wasm.cellbits import Bits, Write, is_small, joined, pile_on, top_on

Offsets = tuple[tuple[int, ...], tuple[int, ...]]


class ShapeBits(CellSets):
    """Writes checks for shapes on grids."""

    def lies_anywhere(self, x: ir.Quantified, scope: Scope) -> Write | None:
        """The cells at which a place of a shape begins for which something holds; None if that cannot be decided for all places at once."""
        places = x.domain
        if not isinstance(places, ir.Places) or places.cells:
            return None
        board = places.piles
        if not isinstance(board, ir.PilesByCell) or not isinstance(board.grid, ir.Zone) or board.grid.indices:
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
        empty = self.cells_where(ir.Empty(pile_on(board.grid, x.slot)), x.slot, grid, scope)
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

    def _of_things(self, x: Expr, slot: int, pile: ir.Zone, grid: Grid, scope: Scope) -> list[Write] | None:
        """Sets of cells; something holds for the things of a place if one of the sets contains all its cells."""
        fresh = max(unused_slot(x), slot + 1)
        match x:
            case ir.Const(value=True):
                lies = self.cells_where(_lies(pile, fresh), fresh, grid, scope)
                return None if lies is None else [lies]
            case ir.Alike(kind="same", of=ir.Attributes(of=ir.Local(slot=of)) as attributes) if of == slot:
                kept = self.kernel.watch.of(pile.zone, (attributes.component, attributes.name))
                if kept is None:
                    return None
                places = [at for value, at in kept.bits.items() if value != NONE]
                return [lambda stack, at=at: self.held_bits(self.code.value(at), grid) for at in places]  # type: ignore[misc]
            case ir.Not(operand=ir.Quantified(kind="some", domain=ir.Local(slot=of), body=asked) as every) if (
                of == slot and slot not in free_locals(asked)
            ):
                top = top_on(pile, fresh)
                holds = ir.And(_lies(pile, fresh), ir.Not(replaced(asked, every.slot, top)))
                found = self.cells_where(holds, fresh, grid, scope)
                return None if found is None else [found]
            case ir.And():
                left, right = (self._of_things(side, slot, pile, grid, scope) for side in (x.left, x.right))
                if left is None or right is None:
                    return None
                return [joined(a, b, lambda p, q: p & q) for a in left for b in right]
            case ir.Or():
                left, right = (self._of_things(side, slot, pile, grid, scope) for side in (x.left, x.right))
                return None if left is None or right is None else left + right
        if slot in free_locals(x):
            return None
        all_alike, lies = (
            self.cells_where(x, fresh, grid, scope),
            self.cells_where(_lies(pile, fresh), fresh, grid, scope),
        )
        return None if all_alike is None or lies is None else [joined(all_alike, lies, lambda p, q: p & q)]


def _lies(pile: ir.Zone, slot: int) -> Expr:
    """Whether a cell is occupied."""
    return ir.Not(ir.Empty(pile_on(pile, slot)))


__all__ = ["ShapeBits"]
