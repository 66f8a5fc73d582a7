"""Operations on grids in a kernel: finding the pile of a cell, placing and removing things, and properties of the shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD, GridPlace
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.operands import Expression, Local

_USED, _BOX, _ORDER = GridPlace.USED, GridPlace.BOX, GridPlace.ORDER
_FAR_OFF = 1 << 20


def column(cell: Expression) -> Expression:
    return (cell << 16) >> 16


def row(cell: Expression) -> Expression:
    return cell >> 16


@contextmanager
def slots_used(code: Code, grid: Expression) -> Iterator[Local]:
    """A loop over the used slots of a grid."""
    at, slot = code.local(0), code.local()
    with code.while_below(at, grid.word(_USED)):
        slot.set((grid + at * WORD).word(_ORDER))
        yield slot


class Grids:
    """Functions about grids, written when first asked for. A grid is given by its address."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel = kernel
        self._changing: list[Callable[[], None]] = []

    def finish(self) -> None:
        """Write the functions that change grids: what they keep up to date is only known after all others are written."""
        for write in self._changing:
            write()

    def _stamp(self, code: Code, zone: int, grid: Expression) -> None:
        """Note that a grid changes, if something is remembered about it."""
        board = self.kernel.ruleset.board
        if self.kernel.zone(zone).floating or (board is not None and board.number == zone):
            self.kernel.undo.stamp(code, grid)

    def _set_top(self, code: Code, zone: int, grid: Expression, slot: Expression, top: Expression | int) -> None:
        """Set the top of a slot, and the values kept about it."""
        place, undo = self.kernel.grid(zone), self.kernel.undo
        bit, word = code.local(), code.local()
        kept = self.kernel.watch.all_of(zone)
        if kept:
            bit.set(code.value(1) << slot)
            word.set(slot.shifted_down(5) * WORD)
        for watched in kept:
            table = self.kernel.table(watched.of_face)
            before = code.local((((grid + slot * WORD).word(place.tops) + 1) * WORD).word(table) + word)
            after = code.local(((code.value(top) + 1) * WORD).word(table) + word)
            with code.when(before.differs(after)):
                undo.store(code, before, before.word() & (bit ^ -1))
                undo.store(code, after, after.word() | bit)
        undo.store(code, grid + slot * WORD, top, place.tops)

    def _set_piled(self, code: Code, zone: int, slot: Expression, count: Expression) -> None:
        """Note whether several things lie in a slot, if that is kept."""
        piled, undo = self.kernel.watch.is_piled(zone), self.kernel.undo
        if piled is None:
            return
        place = code.local(slot.shifted_down(5) * WORD + piled)
        bit = code.local(code.value(1) << slot)
        with code.when((place.word() & bit).differs(0).differs(count > 1)):
            undo.store(code, place, place.word() ^ bit)

    @once(2)
    def slot(self, code: Code, zone: int) -> None:
        """`(grid, cell)`: the slot of a cell of a floating grid; -1 if the cell is not in use."""
        place = self.kernel.grid(zone)
        grid, cell = code.arguments
        slot = code.local(self._entry(grid, cell).word(place.map) - 1)
        with code.when(slot >= 0), code.when(self.cell(place, grid, slot).differs(cell)):
            code.leave(-1)
        slot.write()

    def _slot(self, code: Code, zone: int, grid: Expression, cell: Expression) -> Local:
        """The slot of a cell; -1 if the grid has no such cell, or if it floats and the cell is not in use."""
        place = self.kernel.grid(zone)
        if place.zone.floating:
            return code.local(code.call(self.slot(zone), grid, cell))
        at, down = code.local(column(cell)), code.local(row(cell))
        inside = self.kernel.inside(code, at, down, place.zone.grid)
        return code.local(code.choose(inside, down * place.zone.width + at, -1))

    def _entry(self, grid: Expression, cell: Expression) -> Expression:
        """The offset of the entry for a cell in the map of a floating grid."""
        size = GridPlace.MAP_SIZE
        return grid + ((cell & size - 1) | (cell.shifted_down(16) & size - 1) * size) * WORD

    def cell(self, place: GridPlace, grid: Expression, slot: Expression) -> Expression:
        """The cell of a slot."""
        if place.zone.floating:
            return (grid + slot * WORD).word(place.cells)
        return (slot // place.zone.width << 16) | slot % place.zone.width

    def pile(self, place: GridPlace, grid: Expression, slot: Expression) -> Expression:
        """The address of the pile of a slot."""
        return grid + slot * place.pile_size + place.piles

    @once(2)
    def find(self, code: Code, zone: int) -> None:
        """`(grid, cell)`: the address of the pile on a cell; of an empty one if nothing lies there."""
        place = self.kernel.grid(zone)
        grid, cell = code.arguments
        slot = self._slot(code, zone, grid, cell)
        pile = self.pile(place, grid, slot)
        code.choose(slot < 0, self.kernel.layout.empty, pile).write()

    @once(3, None)
    def push(self, code: Code, zone: int) -> None:
        """`(grid, cell, thing)`: put a thing on a cell."""
        self._changing.append(partial(self._push, code, zone))

    def _push(self, code: Code, zone: int) -> None:
        place, undo = self.kernel.grid(zone), self.kernel.undo
        grid, cell, thing = code.arguments
        slot = self._slot(code, zone, grid, cell)
        used = code.local(grid.word(_USED))
        if place.zone.floating:
            is_known = code.local(grid.word(_BOX).equals(grid.word()))
            with code.when(slot < 0):
                with code.when(used >= place.slots):
                    self.kernel.give_up(code)
                    code.leave()
                slot.set(0)
                with code.until(self.pile(place, grid, slot).word().is_zero()):
                    slot.add(1)
                undo.store(code, grid + slot * WORD, cell, place.cells)
                entry = code.local(self._entry(grid, cell))
                with code.when(entry.word(place.map)):
                    self.kernel.give_up(code)
                    code.leave()
                undo.store(code, entry, slot + 1, place.map)
        else:
            with code.when(slot < 0):
                self.kernel.give_up(code)
                code.leave()
        pile = code.local(self.pile(place, grid, slot))
        count = code.local(pile.word() + 1)
        with code.when(count > place.capacity):
            self.kernel.give_up(code)
            code.leave()
        with code.when(count.equals(1)):
            if zone in self.kernel.in_order:
                undo.store(code, grid + used * WORD, slot, _ORDER)
            undo.store(code, grid, used + 1, _USED)
        undo.store(code, pile + count * WORD, thing)
        undo.store(code, pile, count)
        self._set_top(code, zone, grid, slot, thing)
        self._set_piled(code, zone, slot, count)
        self._stamp(code, zone, grid)
        if place.zone.floating:
            with code.when(is_known):
                code.store(grid, grid.word(), _BOX)
                self._widen(code, grid, cell)

    def _box(self, code: Code, zone: int, grid: Expression) -> list[Expression]:
        """Code after which the box of the used cells is known: its lowest and highest column, and its lowest and highest
        row. Like a board, it is remembered as long as the grid does not change. An empty one is far off.
        """
        found = self._find_box(zone)
        if self.kernel.zone(zone).floating:
            with code.when(grid.word(_BOX).differs(grid.word())):
                code.do(found, grid)
        else:
            # Changes of a grid that does not float are not noted.
            code.do(found, grid)
        return [grid.word(_BOX + at * WORD) for at in range(1, 5)]

    @once(1)
    def _find_box(self, code: Code, zone: int) -> None:
        (grid,) = code.arguments
        code.store(grid, grid.word(), _BOX)
        for at, value in enumerate((_FAR_OFF, -_FAR_OFF) * 2, 1):
            code.store(grid, value, _BOX + at * WORD)
        cell = code.local()
        with slots_used(code, grid) as slot:
            cell.set(self.cell(self.kernel.grid(zone), grid, slot))
            self._widen(code, grid, cell)
        grid.write()

    def _widen(self, code: Code, grid: Expression, cell: Local) -> None:
        """Code that makes the box of a grid include a cell."""
        with code.borrowed() as at:
            for number, part in enumerate((column, row)):
                at.set(part(cell))
                low, high = _BOX + (1 + 2 * number) * WORD, _BOX + (2 + 2 * number) * WORD
                code.store(grid, code.choose(at < grid.word(low), at, grid.word(low)), low)
                code.store(grid, code.choose(at > grid.word(high), at, grid.word(high)), high)

    @once(2, None)
    def settle(self, code: Code, zone: int) -> None:
        """`(grid, cell)`: after something left the pile of a cell, update its top; an empty cell is no longer in use."""
        self._changing.append(partial(self._settle, code, zone))

    def _settle(self, code: Code, zone: int) -> None:
        place, undo = self.kernel.grid(zone), self.kernel.undo
        grid, cell = code.arguments
        slot = self._slot(code, zone, grid, cell)
        with code.when(slot < 0):
            code.leave()
        pile = code.local(self.pile(place, grid, slot))
        count = code.local(pile.word())
        self._stamp(code, zone, grid)
        self._set_piled(code, zone, slot, count)
        with code.when(count):
            self._set_top(code, zone, grid, slot, (pile + count * WORD).word())
            code.leave()
        with code.when((grid + slot * WORD).word(place.tops) < 0):
            code.leave()
        if zone in self.kernel.in_order:
            self._out_of_order(code, grid, slot)
        undo.store(code, grid, grid.word(_USED) - 1, _USED)
        if place.zone.floating:
            undo.store(code, self._entry(grid, cell), 0, place.map)
        self._set_top(code, zone, grid, slot, -1)

    def _out_of_order(self, code: Code, grid: Expression, slot: Expression) -> None:
        """Code that removes a slot from the order in which cells came into use."""
        undo = self.kernel.undo
        at, end = code.local(grid + _ORDER), code.local(grid + grid.word(_USED) * WORD + _ORDER)
        with code.loop() as again:
            with code.when(at >= end):
                code.leave()
            with code.when(at.word().differs(slot)):
                at.add(WORD)
                code.branch(again)
        undo.note_all(code, at, (end - at).shifted_down(2))
        code.copy_words(at, at + WORD, (end - at).shifted_down(2) - 1)

    def reset(self, code: Code, zone: int) -> None:
        """Code that empties all grids of a zone."""
        place = self.kernel.grid(zone)
        with code.borrowed() as grid:
            grid.set(place.address)
            with code.while_below(grid, place.address + place.size * place.count, place.size):
                if zone in self.kernel.in_order:
                    with slots_used(code, grid) as slot:
                        code.store(self.pile(place, grid, slot), 0)
                        if place.zone.floating:
                            code.store(self._entry(grid, self.cell(place, grid, slot)), 0, place.map)
                else:
                    with code.borrowed() as pile:
                        pile.set(grid + place.piles)
                        with code.loop() as each:
                            code.store(pile, 0)
                            pile.add(place.pile_size)
                            code.branch_if(each, pile < grid + (place.piles + place.slots * place.pile_size))
                code.store(grid, 1)
                code.store(grid, 0, _USED)
                code.store(grid, 0, _BOX)
                code.fill(grid + place.tops, 0xFF, place.slots * WORD)

    @once(1)
    def board(self, code: Code, zone: int) -> None:
        """`(grid)`: the tops of a floating grid, by cell number from its upper left corner (-1: none), followed by the
        addresses of its piles.
        """
        place = self.kernel.grid(zone)
        width, height = place.zone.width, place.zone.height
        size = width * height
        (grid,) = code.arguments
        buffers = self.kernel.remembered(place.count * (2 * size + 1) * WORD)
        buffer = code.local((grid - place.address) // place.size * ((2 * size + 1) * WORD) + buffers)
        with code.when(buffer.word(2 * size * WORD).equals(grid.word())):
            code.leave(buffer)
        code.store(buffer, grid.word(), 2 * size * WORD)
        if size <= 16:
            for at_ in range(size):
                code.store(buffer, -1, at_ * WORD)
        else:
            code.fill(buffer, 0xFF, size * WORD)
        left, _, top, _ = map(code.local, self._box(code, zone, grid))
        cell, at, down = code.local(), code.local(), code.local()
        with slots_used(code, grid) as slot:
            cell.set(self.cell(place, grid, slot))
            at.set(column(cell) - left)
            down.set(row(cell) - top)
            # Cells outside of a board that breaks the size rule are not part of any picture.
            with code.when((at < width) & (down < height)):
                at.set(buffer + (down * width + at) * WORD)
                code.store(at, (grid + slot * WORD).word(place.tops))
                code.store(at, self.pile(place, grid, slot), size * WORD)
        buffer.write()

    @once(2)
    def fits(self, code: Code, zone: int, width: int, height: int) -> None:
        """`(grid, cell)`: whether the used cells, and one more unless it is `NONE`, fit in a box of this size."""
        self.kernel.in_order.add(zone)
        grid, cell = code.arguments
        low_x, high_x, low_y, high_y = map(code.local, self._box(code, zone, grid))
        with code.when(cell.differs(NONE)), code.borrowed() as at:
            for low, high, part in ((low_x, high_x, column), (low_y, high_y, row)):
                at.set(part(cell))
                low.set(code.choose(at < low, at, low))
                high.set(code.choose(at > high, at, high))
        ((high_x - low_x < width) & (high_y - low_y < height)).write()

    @once(1)
    def connected(self, code: Code, zone: int) -> None:
        """`(grid)`: whether the used cells are connected side by side."""
        place = self.kernel.grid(zone)
        self.kernel.in_order.add(zone)
        (grid,) = code.arguments
        used = code.local(grid.word(_USED))
        with code.when(used < 2):
            code.leave(1)
        # The cells reached so far come first in a copy of the order; the neighbours of each are checked in turn.
        space = self.kernel.layout.reserve(place.slots * WORD)
        code.copy(code.value(space), grid + _ORDER, used * WORD)
        reached, asked, at = code.local(1), code.local(0), code.local()
        here, there, slot = code.local(), code.local(), code.local()
        with code.until(asked >= reached):
            here.set(self.cell(place, grid, (asked * WORD).word(space)))
            asked.add(1)
            at.set(reached)
            with code.while_below(at, used):
                slot.set((at * WORD).word(space))
                there.set(self.cell(place, grid, slot))
                beside = [
                    (column(here) - column(there)).equals(dx) & (row(here) - row(there)).equals(dy)
                    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
                ]
                with code.when(beside[0] | beside[1] | beside[2] | beside[3]):
                    code.store(at * WORD, (reached * WORD).word(space), space)
                    code.store(reached * WORD, slot, space)
                    reached.add(1)
        reached.equals(used).write()

    @once(3)
    def group(self, code: Code, width: int, height: int) -> None:
        """`(tops, table, largest)`: the size of the largest or smallest group of neighbours on a board that agree in an
        attribute, according to its table; 0 if there is none.
        """
        size = width * height
        if size > 1024:
            raise Uncompilable("it looks for groups on too large a board")
        tops, table, largest = code.arguments
        left, group = self.kernel.layout.reserve(size * WORD), self.kernel.layout.reserve(size * WORD)
        code.copy(code.value(left), tops, size * WORD)
        best, start, count, at = code.local(0), code.local(0), code.local(), code.local()
        here, other, value = code.local(), code.local(), code.local()

        def look(near: Expression) -> None:
            other.set(near)
            with (
                code.when((other * WORD).word(left) >= 0),
                code.when(((other * WORD).word(left) * WORD + table).word().equals(value)),
            ):
                code.store(count * WORD, other, group)
                count.add(1)
                code.store(other * WORD, -1, left)

        with code.while_below(start, size), code.when((start * WORD).word(left) >= 0):
            value.set(((start * WORD).word(left) * WORD + table).word())
            code.store(group, start)
            code.store(start * WORD, -1, left)
            count.set(1)
            at.set(0)
            with code.while_below(at, count):
                here.set((at * WORD).word(group))
                with code.when(here % width > 0):
                    look(here - 1)
                with code.when(here % width < width - 1):
                    look(here + 1)
                with code.when(here >= width):
                    look(here - width)
                with code.when(here < size - width):
                    look(here + width)
            better = code.choose(largest, count > best, (count < best) | best.is_zero())
            best.set(code.choose(better, count, best))
        best.write()
