"""The cells of a grid for which a condition holds, evaluated for all cells at once as bits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import reduce
from operator import and_, or_

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.grids import AROUND, DIAGONAL, Grid, Step, cells_of, moved, rays_all
from pwtool.ir.nodes import COMPARE, TURNED, Expr, Sign
from pwtool.ir.types import ERROR, cell
from pwtool.ir.walk import bound_in, free_locals, parts_of, rebuilt, replaced, unused_slot, walk
from pwtool.kernel.layout import NONE
from pwtool.kernel.wasm.bindings import Body, Scope, ValueOf
from pwtool.kernel.wasm.bitboards import LONG, longs_of
from pwtool.kernel.wasm.cellbits import Bits, CellBits, Write, bytes_of, is_small, joined
from pwtool.kernel.wasm.module import I64, Function
from pwtool.kernel.wasm.operands import Expression

MOST_CASES = 8
"""If there are more constants, or ways to get from a cell to another, they are not all tried."""
_LEFT_ALONE = ir.Can | ir.After | ir.Element | ir.Fulfils | ir.Repeats | ir.GroupSize
"""Operations that may be expensive, or invalid if another condition does not hold."""


class CellSets(CellBits):
    """Writes the sets of cells for which conditions hold."""

    # ---- conditions on a cell

    def cells_where(self, x: Expr, slot: int, grid: Grid, scope: Scope) -> Write | None:
        """The cells of a grid for which a condition on a local holds."""
        if slot not in free_locals(x):
            return self._for_all(x, grid, scope)
        rows = self.tabled_by(x, scope, slot, (grid.width, grid.height))
        if rows is not None:
            return self._from_rows(rows[0], rows[1], grid)
        match x:
            case ir.Not(operand=ir.Empty(of=ir.PileAt() as pile)):
                if not ir.is_local(pile.cell, slot):
                    return self._elsewhere(x, pile, ir.FALSE, slot, grid, scope)
                kept = self._kept(pile, slot, grid, None)
                if kept is None:
                    return None
                # No bit is set beyond the cells of the grid: such sets are counted as they are.
                at, whole = kept[NONE], self.constant(bytes_of((1 << grid.width * grid.height) - 1, grid), grid)
                return joined(lambda stack: self.held_bits(self.code.value(at), grid), whole, lambda a, b: a ^ b)
            case ir.Empty(of=ir.PileAt()):
                return _complement(self.cells_where(ir.Not(x), slot, grid, scope))
            case ir.Not():
                return _complement(self.cells_where(x.operand, slot, grid, scope))
            case ir.And() | ir.Or():
                left, right = (self.cells_where(side, slot, grid, scope) for side in (x.left, x.right))
                if left is None or right is None:
                    return None
                return joined(left, right, (lambda a, b: a & b) if isinstance(x, ir.And) else or_)
            case ir.If():
                asked = ir.Or(ir.And(x.condition, x.then), ir.And(ir.Not(x.condition), x.otherwise))
                return self.cells_where(asked, slot, grid, scope)
            case ir.Let():
                if free_locals(x.value) & bound_in(x.body) or isinstance(x.value, ir.Zone | ir.PileAt):
                    return None
                return self.cells_where(replaced(x.body, x.slot, x.value), slot, grid, scope)
            case (
                ir.Compare(sign="==", left=ir.Attribute(of=ir.Top(pile=ir.PileAt() as pile)) as side, right=other)
                | ir.Compare(sign="==", left=other, right=ir.Attribute(of=ir.Top(pile=ir.PileAt() as pile)) as side)
            ) if slot not in free_locals(other):
                if not ir.is_local(pile.cell, slot):
                    return self._elsewhere(x, pile, ir.Compare("==", ir.NOTHING, other), slot, grid, scope)
                return self._with_attribute(side, pile, other, slot, grid, scope)
            case ir.Compare(left=ir.Coordinate(cell=ir.Local(slot=of)) as side, right=other) if of == slot:
                return self._on_one_side(side, x.sign, other, slot, grid, scope)
            case ir.Compare(left=other, right=ir.Coordinate(cell=ir.Local(slot=of)) as side) if of == slot:
                return self._on_one_side(side, TURNED[x.sign], other, slot, grid, scope)
            case ir.Quantified(kind="some"):
                return self._any_where(x.domain, x.slot, x.body, slot, grid, scope)
        return None

    def _on_one_side(
        self, side: ir.Coordinate, sign: Sign, other: Expr, slot: int, grid: Grid, scope: Scope
    ) -> Write | None:
        """The cells whose column or row compares with a number."""
        if slot in free_locals(other) or other.type.optional or any(isinstance(p, _LEFT_ALONE) for p in walk(other)):
            return None
        # All numbers below those of the grid are alike, and all above.
        most = (grid.width, grid.height)[side.axis]
        places = [(at % grid.width, at // grid.width)[side.axis] for at in range(grid.width * grid.height)]
        rows = [[COMPARE[sign](place, number) for place in places] for number in range(-1, most + 1)]

        def write(stack: ExitStack) -> Bits:
            number = stack.enter_context(self.code.borrowed())
            number.set(self.value(other, scope) + 1)
            number.set(self.code.choose(number < 0, 0, number))
            number.set(self.code.choose(number > most + 1, most + 1, number))
            return self._from_rows(rows, number, grid)(stack)

        return write

    # ---- conditions on one cell by another

    def _any_where(self, x: Expr, of: int, body: Expr, slot: int, grid: Grid, scope: Scope) -> Write | None:
        """The cells for which something holds for some (local `of`) constant, adjacent cell, or cell in a line with them."""
        match x:
            case ir.Where():
                both = ir.And(replaced(x.body, x.slot, ir.Local(x.type.element or ERROR, of)), body)
                return self._any_where(x.domain, of, both, slot, grid, scope)
            case ir.Neighbours() if ir.is_local(x.cell, slot) and _alike(x.on, grid):
                steps = DIAGONAL if x.diagonally else x.on.beside
                holds = None if slot in free_locals(body) else self.cells_where(body, of, grid, scope)
                if holds is None:
                    return None
                return self._through_maps(holds, [_map_of(x.on, step) for step in steps], grid)
            case ir.Ray(step=ir.Const()) if ir.is_local(x.cell, slot) and _alike(x.on, grid):
                if slot in free_locals(body):
                    return None
                return self._along(x, of, body, ir.TRUE, of, grid, scope)
            case ir.Between() if _alike(x.on, grid) and slot not in free_locals(body):
                others = [end for end in (x.left, x.right) if not ir.is_local(end, slot)]
                holds = self.cells_where(body, of, grid, scope)
                if len(others) != 1 or slot in free_locals(others[0]) or holds is None:
                    return None
                return self._behind(others[0], holds, x.on, scope)
        constants = _constants(x)
        if constants is None or len(constants) > MOST_CASES:
            return self._related(x, of, body, slot, grid, scope)
        found = [self.cells_where(replaced(body, of, value), slot, grid, scope) for value in constants]
        known = [one for one in found if one is not None]
        return None if len(known) < len(found) else reduce(lambda a, b: joined(a, b, or_), known)

    def _related(self, x: Expr, of: int, body: Expr, slot: int, grid: Grid, scope: Scope) -> Write | None:
        """The cells for which something holds for some cell (local `of`) that is in a fixed relation with them."""
        through = self.cells_through(x, scope, again=True)
        parts = list(parts_of(body))
        related = [part for part in parts if slot in free_locals(part)]
        if through is None or not _alike(through[1], grid) or not all(of in free_locals(part) for part in related):
            return None
        size, dims = grid.width * grid.height, (grid.width, grid.height)
        both = {**scope, of: ValueOf(self.code.value(0), dims)}
        rows = self.tabled_by(reduce(ir.And, related), both, slot, dims) if related else None
        if rows is None or len(rows[0]) != size:
            return None
        maps = [[to if holds else None for holds in row] for to, row in enumerate(rows[0])]
        if len({to - at for one in maps for at, to in enumerate(one) if to is not None}) > 2 * MOST_CASES:
            return None
        rest = [self.cells_where(part, of, grid, scope) for part in parts if part not in related]
        known = [one for one in rest if one is not None]
        if len(known) < len(rest):
            return None
        return self._through_maps(reduce(lambda a, b: joined(a, b, and_), known, through[0]), maps, grid)

    def _behind(self, start: Expr, holds: Write, grid: Grid, scope: Scope) -> Write:
        """The cells in a line with a cell, beyond the first cell of a set."""
        longs = longs_of(grid.width * grid.height)
        size, most = longs * LONG, 64 * longs

        def write(stack: ExitStack) -> Bits:
            code = self.code
            number = stack.enter_context(self.held(stack.enter_context(self.number_in(start, grid, scope))))
            bits = self.in_locals(holds(stack), stack)
            found = [stack.enter_context(code.borrowed(I64)) for _ in bits]
            first = stack.enter_context(code.borrowed())
            for part in found:
                part.set(0)
            for step in grid.beside if grid.hexagonal else [step for step in AROUND if any(step)]:
                rays = rays_all(grid, step)
                rows = [rays.get((at % grid.width, at // grid.width), ()) for at in range(grid.width * grid.height)]
                # If there is no first cell, its number is one less than that of any cell, or one more than all.
                empty = bytes(size)
                lines = [self.bits_of(row, grid) for row in rows] + [empty] * (most + 1 - len(rows))
                table = self.kernel.data(b"".join([empty, *lines])) + size
                with ExitStack() as inside:
                    met = self.in_locals(
                        [a & b for a, b in zip(self.loaded(number, table, grid), bits, strict=True)], inside
                    )
                    first.set(self._first_of(met, step[1] * grid.width + step[0] > 0))
                    for part, behind in zip(found, self.loaded(first + 1, table - size, grid), strict=True):
                        part.set(part | behind)
            return list(found)

        return write

    def _first_of(self, bits: Bits, upwards: bool) -> Expression:
        """The least or greatest cell number in a set; for an empty set, one more or one less than any."""
        if upwards:
            number = bits[-1].trailing_zeros().narrow() + 64 * (len(bits) - 1)
            for at in range(len(bits) - 2, -1, -1):
                number = self.code.choose(bits[at].equals(0), number, bits[at].trailing_zeros().narrow() + 64 * at)
            return number
        number = self.code.value(63) - bits[0].leading_zeros().narrow()
        for at in range(1, len(bits)):
            number = self.code.choose(
                bits[at].equals(0), number, self.code.value(63 + 64 * at) - bits[at].leading_zeros().narrow()
            )
        return number

    def _elsewhere(self, x: Expr, pile: ir.PileAt, nowhere: Expr, slot: int, grid: Grid, scope: Scope) -> Write | None:
        """The cells for which something holds on another cell; `nowhere` is used if there is no such cell."""
        if slot in free_locals(pile.grid) or not _never(nowhere, scope):
            return None
        fresh = unused_slot(x)
        there = replace(pile, cell=ir.Local(cell(grid), fresh))
        here = rebuilt(x, lambda part: _with_pile(part, pile, there))
        match pile.cell:
            case ir.Pick(which="first", domain=ir.Ray(cell=ir.Local(slot=of), step=ir.Const()) as ray) if of == slot:
                if not _alike(ray.on, grid) or slot in free_locals(pile.cell.body):
                    return None
                return self._along(ray, pile.cell.slot, pile.cell.body, here, fresh, grid, scope)
        rows = self.tabled_by(pile.cell, scope, slot, (grid.width, grid.height))
        if rows is None or len(rows[0]) > 2:
            return None
        maps = [[None if c is None or not grid.has(c) else c[1] * grid.width + c[0] for c in row] for row in rows[0]]
        if any(len({to - at for at, to in enumerate(one) if to is not None}) > MOST_CASES for one in maps):
            return None
        holds = self.cells_where(here, fresh, grid, scope)
        if holds is None:
            return None
        if len(maps) == 1:
            return self._through_maps(holds, maps, grid)
        ways, number = [self._through_maps(holds, [one], grid) for one in maps], rows[1]

        def one_of(stack: ExitStack) -> Bits:
            first, second = (self.in_locals(way(stack), stack) for way in ways)
            return [self.code.choose(number, b, a) for a, b in zip(first, second, strict=True)]

        return one_of

    def in_locals(self, bits: Bits, stack: ExitStack) -> Bits:
        """A set stored in locals, to be used repeatedly."""
        found = [stack.enter_context(self.code.borrowed(I64)) for _ in bits]
        for local, part in zip(found, bits, strict=True):
            local.set(part)
        return list(found)

    def _through_maps(self, holds: Write, maps: Sequence[Sequence[int | None]], grid: Grid) -> Write:
        """The cells that some map leads to a cell of a set; a map has for each cell the number of another, or none."""
        moves: dict[int, set[int]] = {}
        for one in maps:
            for at, to in enumerate(one):
                if to is not None:
                    moves.setdefault(to - at, set()).add(at)

        def write(stack: ExitStack) -> Bits:
            bits = self.in_locals(holds(stack), stack)
            found = [self.moved_by(bits, by, self.of_numbers(cells, grid)) for by, cells in moves.items()]
            none = [self.code.value(0, I64) for _ in bits]
            return self.in_locals(reduce(lambda a, b: [p | q for p, q in zip(a, b, strict=True)], found, none), stack)

        return write

    def of_numbers(self, numbers: Iterable[int], grid: Grid) -> bytes:
        return self.bits_of([(at % grid.width, at // grid.width) for at in numbers], grid)

    def moved_by(self, bits: Bits, by: int, mask: bytes) -> Bits:
        """A set shifted so that each cell number is less by this much, limited to these cells."""
        words, rest = divmod(by, 64)
        found: Bits = []
        for at in range(len(bits)):
            part = int.from_bytes(mask[at * LONG : (at + 1) * LONG], "little")
            here: Expression | None = None
            for place, shift in ((at + words, -rest), (at + words + 1, 64 - rest)):
                if 0 <= place < len(bits) and abs(shift) < 64:
                    moved = (
                        bits[place].shifted_down(-shift)
                        if shift < 0
                        else bits[place] << shift
                        if shift
                        else bits[place]
                    )
                    here = moved if here is None else here | moved
            found.append(self.code.value(0, I64) if here is None or not part else here & self.code.value(part, I64))
        return found

    def _along(
        self, ray: ir.Ray, stop: int, stops: Expr, holds: Expr, slot: int, grid: Grid, scope: Scope
    ) -> Write | None:
        """The cells from which the first cell of a ray where `stops` holds is one for which something else holds."""
        assert isinstance(ray.step, ir.Const)
        rays = rays_all(ray.on, ray.step.value)
        stopped, good = self.cells_where(stops, stop, grid, scope), self.cells_where(holds, slot, grid, scope)
        if holds == ir.TRUE:
            good = stopped
        if stopped is None or good is None or not any(rays.values()):
            return None
        by = ray.step.value[1] * grid.width + ray.step.value[0]

        def ahead(bits: Bits, steps: int) -> Bits:
            cells = [c[1] * grid.width + c[0] for c, line in rays.items() if len(line) >= steps]
            return self.moved_by(bits, by * steps, self.of_numbers(cells, grid))

        def write(stack: ExitStack) -> Bits:
            goes_on = self.in_locals([part ^ -1 for part in self.in_locals(stopped(stack), stack)], stack)
            found = self.in_locals([a & (b ^ -1) for a, b in zip(good(stack), goes_on, strict=True)], stack)
            steps, longest = 1, max(map(len, rays.values()))
            while steps < longest:
                # This many cells are skipped at once.
                seen = [a | (b & c) for a, b, c in zip(found, goes_on, ahead(found, steps), strict=True)]
                found, on = self.in_locals(seen, stack), ahead(goes_on, steps)
                goes_on = self.in_locals([a & b for a, b in zip(goes_on, on, strict=True)], stack)
                steps *= 2
            return self.in_locals(ahead(found, 1), stack)

        return write

    # ---- groups

    def group_of(self, x: ir.Around, scope: Scope) -> tuple[Write, Grid] | None:
        """The cells that are connected with a cell, and their grid; None if they cannot be found as bits."""
        grid = self.kernel.grid_with(x.cells)
        if grid is None or not is_small(grid) or x.cells != cells_of(grid) or not any(x.beside):
            return None
        holds = self.cells_where(x.body, x.slot, grid, scope)
        if holds is None:
            return None
        longs = longs_of(grid.width * grid.height)
        fill, space = self.filling(grid, x.beside)

        def write(stack: ExitStack) -> Bits:
            with ExitStack() as inside:
                for at, part in enumerate(holds(inside)):
                    self.code.store_long(space, part, at * LONG)
                number = inside.enter_context(self.number_in(x.start, grid, scope))
                self.code.do(fill, number)
            return self.in_locals([self.code.value(space).long(at * LONG) for at in range(longs)], stack)

        return write, grid

    def each_of_group(self, x: ir.Around, scope: Scope, body: Body) -> bool:
        """Code for each cell of a group, if it can be found as bits; whether it can."""
        found = self.group_of(x, scope)
        if found is not None:
            with ExitStack() as stack:
                self.each_cell(found[0](stack), found[1], body)
        return found is not None

    @abstractmethod
    def filling(self, grid: Grid, beside: Sequence[Sequence[int]]) -> tuple[Function, int]:
        """`(number)`: reduce a set of cells to those that are connected with a cell, through those beside each by their
        indices in `cells_of`; and the address of the set.
        """

    def fill_from(self, number: Expression, space: int, grid: Grid, beside: Sequence[Sequence[int]]) -> None:
        """Code that reduces the set of cells at an address to those that are connected with a cell."""
        code, size = self.code, grid.width * grid.height
        numbers = [row * grid.width + column for column, row in cells_of(grid)]
        moves: dict[int, set[int]] = {}
        for at, near in zip(numbers, beside, strict=True):
            for to in near:
                moves.setdefault(numbers[to] - at, set()).add(at)
        masks = {by: self.of_numbers(cells, grid) for by, cells in moves.items()}
        row = self.kernel.data(b"".join(self.of_numbers([at] if at < size else [], grid) for at in range(size + 1)))
        with ExitStack() as stack:
            whole = self.in_locals(self.held_bits(code.value(space), grid), stack)
            ones = self.loaded(number, row, grid)
            found = [stack.enter_context(code.borrowed(I64)) for _ in whole]
            for local, one, part in zip(found, ones, whole, strict=True):
                local.set(one & part)
            grown, more = stack.enter_context(code.borrowed(I64)), stack.enter_context(code.borrowed(I64))
            # Cells of a word are beside cells of words that are as far away as the longest move.
            reach = 1 + max(map(abs, moves)) // 64
            with code.loop() as again:
                more.set(0)
                for at, local in enumerate(found):
                    close = found[max(0, at - reach) : at + reach + 1]
                    with code.when(reduce(or_, close).differs(0)):
                        parts = [self.moved_by(list(found), by, mask)[at] for by, mask in masks.items()]
                        grown.set(reduce(or_, parts) & whole[at] & (local ^ -1))
                        local.set(local | grown)
                        more.set(more | grown)
                code.branch_if(again, more.differs(0))
            for at, local in enumerate(found):
                code.store_long(space, local, at * LONG)

    # ---- sets that are kept up to date

    def _for_all(self, x: Expr, grid: Grid, scope: Scope) -> Write | None:
        """All cells or none: the condition does not depend on the cell."""
        if any(isinstance(part, _LEFT_ALONE) for part in walk(x)):
            return None

        def write(stack: ExitStack) -> Bits:
            whole = stack.enter_context(self.code.borrowed(I64))
            whole.set(self.code.value(0, I64) - self.value(x, scope).wide())
            return [whole] * longs_of(grid.width * grid.height)

        return write

    def _from_rows(self, rows: Sequence[Sequence[object]], number: Expression, grid: Grid) -> Write:
        made = [
            self.bits_of([(at % grid.width, at // grid.width) for at, holds in enumerate(row) if holds], grid)
            for row in rows
        ]
        if len(made) == 1:
            return self.constant(made[0], grid)
        return lambda stack: self.loaded(number, self.kernel.data(b"".join(made)), grid)

    def _kept(self, x: Expr, slot: int, grid: Grid, attribute: tuple[str, str] | None) -> dict[int, int] | None:
        """The address of the bits that are kept for what lies on each cell."""
        if (
            not isinstance(x, ir.PileAt)
            or not ir.is_local(x.cell, slot)
            or not isinstance(x.grid, ir.Zone)
            or x.grid.indices
        ):
            return None
        zone = self.kernel.zone(x.grid.zone)
        if zone.kind != "grid" or (zone.width, zone.height) != (grid.width, grid.height):
            return None
        kept = self.kernel.watch.of(x.grid.zone, attribute)
        return None if kept is None else kept.bits

    def held_bits(self, address: Expression, grid: Grid) -> Bits:
        return [address.long(at * LONG) for at in range(longs_of(grid.width * grid.height))]

    def _with_attribute(
        self, x: ir.Attribute, pile: Expr, wanted: Expr, slot: int, grid: Grid, scope: Scope
    ) -> Write | None:
        """The cells whose top has this attribute."""
        kept = self._kept(pile, slot, grid, (x.component, x.name))
        if kept is None or any(isinstance(part, _LEFT_ALONE) for part in walk(wanted)):
            return None
        none = self.kernel.data(bytes(longs_of(grid.width * grid.height) * LONG))

        def write(stack: ExitStack) -> Bits:
            if isinstance(wanted, ir.Const):
                return self.held_bits(self.code.value(kept.get(self.kernel.layout.atom(wanted.value), none)), grid)
            value, at = (
                stack.enter_context(self.held(self.value(wanted, scope))),
                stack.enter_context(self.code.borrowed()),
            )
            at.set(none)
            for atom, place in kept.items():
                at.set(self.code.choose(value.equals(atom), place, at))
            return self.held_bits(at, grid)

        return write


def _complement(write: Write | None) -> Write | None:
    """The other cells, with bits beyond those of the grid."""
    return None if write is None else lambda stack: [part ^ -1 for part in write(stack)]


def _alike(one: Grid, other: Grid) -> bool:
    """Whether the cells of two grids have the same numbers."""
    return not one.floating and (one.width, one.height) == (other.width, other.height)


def _map_of(grid: Grid, step: Step) -> list[int | None]:
    """For the number of each cell, the number of the cell that a step leads to."""
    found: list[int | None] = []
    for at in range(grid.width * grid.height):
        cell = at % grid.width, at // grid.width
        there = moved(grid, cell, step) if grid.has(cell) else None
        found.append(None if there is None else there[1] * grid.width + there[0])
    return found


def _constants(x: Expr) -> list[Expr] | None:
    """The elements of a sequence, if they are constants."""
    if isinstance(x, ir.Concat):
        left, right = _constants(x.left), _constants(x.right)
        return None if left is None or right is None else left + right
    if isinstance(x, ir.Values) and all(isinstance(part, ir.Const) for part in x.items):
        return list(x.items)
    return None


def _never(x: Expr, scope: Scope) -> bool:
    """Whether a condition on nothing is certainly false: it is compared with something."""
    match x:
        case ir.Compare(right=ir.Actor() | ir.PlayerAfter() as seat):
            return not seat.type.optional
        case ir.Compare(right=ir.Const(value=value)):
            return value is not None
        case ir.Compare(right=ir.Local(slot=slot)):
            bound = scope.get(slot)
            return isinstance(bound, ValueOf) and bound.among is not None and None not in bound.among.values
    return x == ir.FALSE


def _with_pile(x: Expr, pile: ir.PileAt, other: ir.PileAt) -> Expr:
    """An expression with another pile substituted for one."""
    return other if x == pile else rebuilt(x, lambda part: _with_pile(part, pile, other))
