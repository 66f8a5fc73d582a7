"""The candidates for a parameter in a kernel: things, sets of things, cells, values, in the order in which
`pwtool/play/legal.py` tries them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import ExitStack

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.ahead import looks_ahead
from pwtool.ir.grids import FAR, Cell, cells_of
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.ir.narrowing import said_of_alone
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import free_locals, parts_of, with_values
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.layout import WORD
from pwtool.kernel.lower import lower, lower_value
from pwtool.kernel.wasm.actions import Actions
from pwtool.kernel.wasm.bindings import ArrayOf, Binding, PileOf, ValueOf, of_the_position
from pwtool.kernel.wasm.cellbits import Write
from pwtool.kernel.wasm.cellsets import CellSet
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.effects import Arguments
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.grids import column, row, slots_used
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I64
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local

MAX_FACES = 2048
Next = Callable[[], None]


class Candidates:
    """Writes the loops over the candidates for parameters."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions, actions: Actions) -> None:
        self.kernel, self.shared, self.actions = kernel, shared, actions
        self.layout, self.ruleset = kernel.layout, kernel.ruleset

    def _compute(self, code: Code, model: ActionModel, slots: frozenset[int], arguments: Arguments) -> None:
        """Compute these named values of an action, and those that they depend on, unless that is already done."""
        for _, slot, value in model.lets:
            if slot in slots and slot not in arguments.scope:
                self._compute(code, model, free_locals(value), arguments)
                write = Expressions(self.kernel, code, self.shared)
                arguments.scope[slot] = self.actions.let(code, write, model, slot, arguments.scope)

    def _candidates(
        self,
        code: Code,
        model: ActionModel,
        p: ParameterModel,
        arguments: Arguments,
        origins: dict[str, Local],
        then: Next,
    ) -> None:
        """Code that binds a parameter to each of its candidates and continues; if chance draws the value, one candidate stands for all."""
        if p.chance:
            with code.block() as enough:

                def once() -> None:
                    then()
                    code.branch(enough)

                self._candidates(code, model, replace(p, chance=False), arguments, origins, once)
            return
        if p.kind == "element" and self._alone(model, p):
            self._each_bit(code, p, arguments, origins, then)
        elif p.kind in ("element", "elements"):
            sorted_ = self.available(code, model, p, arguments, origins)
            if p.kind == "element":
                self._each_face(code, p, sorted_, arguments, then)
            else:
                self._each_choice(code, model, p, sorted_, arguments, then)
        elif p.kind == "order":
            self._order(code, p, arguments, then)
        elif p.kind == "tops":
            self._each_tops(code, p, arguments, then)
        elif p.kind == "cell":
            self._each_cell(code, model, p, arguments, then)
        elif p.each:
            self._each_naming(code, p, arguments, then)
        else:
            self._each_value(code, p, arguments, then)

    def _order(self, code: Code, p: ParameterModel, arguments: Arguments, then: Next) -> None:
        """The things in their current order: chance decides what it becomes."""
        space = code.value(self.kernel.list_space(self.kernel.place(p.zone).capacity))
        self.actions.orders.lies(code, p, arguments.scope, space)
        arguments.scope[p.slot] = PileOf(space)
        then()

    def available(
        self, code: Code, model: ActionModel, p: ParameterModel, arguments: Arguments, origins: dict[str, Local]
    ) -> int:
        """The address of a sorted list of the things that a parameter can take, without those taken by earlier parameters."""
        assert p.origin is not None
        write = Expressions(self.kernel, code, self.shared)
        component = self.ruleset.components[self.kernel.zone(p.zone).element.component]
        faces = len(component.codes)
        if faces > MAX_FACES:
            raise Uncompilable(f"`{component.name}` has too many faces")
        counts = self.layout.reserve(faces * WORD)
        space = self.kernel.list_space(self.kernel.place(p.zone).capacity)
        held = origins[p.name] = code.local(write.address(lower(p.origin), arguments.scope))
        code.fill(counts, 0, faces * WORD)
        slot = code.local()

        def count(thing: Expression, by: int) -> None:
            slot.set(thing * WORD + counts)
            code.store(slot, slot.word() + by)

        write.loop(held, lambda b: count(b.value, 1))  # type: ignore[union-attr]
        for other in model.parameters:
            if other.name == p.name:
                break
            if other.kind in ("element", "elements") and other.zone == p.zone:
                with code.when(origins[other.name].equals(held)):
                    bound = arguments.scope[other.slot]
                    if isinstance(bound, ValueOf):
                        count(bound.value, -1)
                    else:
                        assert isinstance(bound, PileOf)
                        write.loop(bound.address, lambda b: count(b.value, -1))  # type: ignore[union-attr]
        face, size, left = code.local(0), code.local(0), code.local()
        with code.while_below(face, faces):
            left.set((face * WORD).word(counts))
            with code.until(left <= 0):
                size.add(1)
                code.store(size * WORD, face, space)
                left.add(-1)
        code.store(space, size)
        return space

    def _alone(self, model: ActionModel, p: ParameterModel) -> bool:
        """Whether the things chosen are of few kinds and no earlier parameter takes from the same place."""
        earlier = model.parameters[: next(at for at, other in enumerate(model.parameters) if other.name == p.name)]
        shared = any(other.kind in ("element", "elements") and other.zone == p.zone for other in earlier)
        return not shared and len(self.ruleset.components[self.kernel.zone(p.zone).element.component].codes) <= 64

    def _each_bit(
        self, code: Code, p: ParameterModel, arguments: Arguments, origins: dict[str, Local], then: Next
    ) -> None:
        """The faces in the place that things are taken from, each once, as bits."""
        assert p.origin is not None
        write = Expressions(self.kernel, code, self.shared)
        held = origins[p.name] = code.local(write.address(lower(p.origin), arguments.scope))
        bits, face = code.local(0, I64), code.local()

        def note(found: Binding) -> None:
            assert isinstance(found, ValueOf)
            bits.set(bits | (code.value(1, I64) << found.value.wide()))

        write.loop(held, note)
        arguments.scope[p.slot] = ValueOf(face)
        with code.until(bits.equals(0)):
            face.set(bits.trailing_zeros().narrow())
            bits.set(bits & (bits - 1))
            then()

    def _each_face(self, code: Code, p: ParameterModel, space: int, arguments: Arguments, then: Next) -> None:
        at, face, before = code.local(space), code.local(), code.local(-1)
        arguments.scope[p.slot] = ValueOf(face)
        with code.until(at >= code.value(space).word() * WORD + space) as (_, again):
            at.add(WORD)
            face.set(at.word())
            code.branch_if(again, face.equals(before))
            before.set(face)
            then()

    def _each_choice(
        self, code: Code, model: ActionModel, p: ParameterModel, space: int, arguments: Arguments, then: Next
    ) -> None:
        """Collections of every size, or of the one that a rule requires, in order; equal ones once."""
        write = Expressions(self.kernel, code, self.shared)
        chosen = self.kernel.list_space(self.kernel.place(p.zone).capacity)
        arguments.scope[p.slot] = PileOf(code.value(chosen))
        count = code.value(space).word()
        low, high = code.local(0), code.local(count)
        for when, wanted in self._exact(model, p):
            self._compute(code, model, free_locals(when) | free_locals(wanted), arguments)
            size = code.local(write.value(lower(wanted), arguments.scope))
            applies = code.value(1) if when is None else write.value(lower(when), arguments.scope)
            with code.when(applies):
                low.set(size)
                high.set(code.choose(size < high, size, high))
            break
        self._combinations(
            code, low, high, count, lambda at: (at * WORD).word(space + WORD),
            lambda size: code.store(chosen, size),
            lambda number, at: code.store(number * WORD, (at * WORD).word(space + WORD), chosen + WORD), then,
        )  # fmt: skip

    def _known(self, model: ActionModel, p: ParameterModel) -> set[int]:
        """The locals that are known before a parameter is chosen."""
        known = set()
        for other in model.parameters:
            if other.name == p.name:
                break
            known.add(other.slot)
        for _, slot, value in model.lets:
            if free_locals(value) <= known:
                known.add(slot)
        return known

    def _exact(self, model: ActionModel, p: ParameterModel) -> list[tuple[Expr | None, Expr]]:
        """When, and how many things a rule requires in a collection, in terms of what is known before it is chosen."""
        known = self._known(model, p)
        for rule in model.rules:
            x = rule.require
            if not isinstance(x, ir.Compare) or x.sign != "==" or not free_locals(rule.when) <= known:
                continue
            for side, other_side in ((x.left, x.right), (x.right, x.left)):
                counted = isinstance(side, ir.Count) and isinstance(side.of, ir.Local) and side.of.slot == p.slot
                if counted and free_locals(other_side) <= known:
                    return [(rule.when, other_side)]
        return []

    def _combinations(
        self,
        code: Code,
        low: Local,
        high: Local,
        count: Expression,
        value: Callable[[Expression], Expression],
        begin: Callable[[Expression], None],
        choose: Callable[[Expression, Expression], None],
        then: Next,
    ) -> None:
        """For every size from `low` to `high`, all choices of this many of `count` sorted things, equal choices once;
        in lexicographic order.
        """
        places = self.layout.reserve((self.kernel.most_things + 1) * WORD)
        size, total = code.local(low), code.local(count)
        at, place, other = code.local(), code.local(), code.local()
        with code.when((low < 0) | (low > total)):
            size.set(high + 1)
        with code.until(size > high):
            place.set(0)
            with code.while_below(place, size):
                code.store(place * WORD, place, places)
            with code.block() as last, code.loop() as again:
                begin(size)
                place.set(0)
                with code.while_below(place, size):
                    choose(place, (place * WORD).word(places))
                then()
                # The last index that can move on to a greater thing does so; the ones after it follow closely.
                place.set(size)
                with code.loop() as back:
                    code.branch_if(last, place.is_zero())
                    place.add(-1)
                    at.set((place * WORD).word(places))
                    other.set(at)
                    with code.block() as greater, code.loop() as on:
                        other.add(1)
                        code.branch_if(greater, other >= total)
                        code.branch_if(on, value(other).equals(value(at)))
                    code.branch_if(back, other + size - place > total)
                with code.while_below(place, size):
                    code.store(place * WORD, other, places)
                    other.add(1)
                code.branch(again)
            size.add(1)

    def _each_tops(self, code: Code, p: ParameterModel, arguments: Arguments, then: Next) -> None:
        write = Expressions(self.kernel, code, self.shared)
        first, count, stride = self.actions.family(code, write, p, arguments.scope)
        most = self.kernel.place(p.zone).zone.dimensions[-1][1] or self.layout.max_players + self.layout.goals
        numbers, faces = self.layout.reserve(most * WORD), self.layout.reserve(most * WORD)
        chosen, places = self.kernel.list_space(most), self.layout.reserve(most * WORD)
        arguments.scope[p.slot] = PileOf(code.value(chosen))
        arguments.numbers[p.slot] = code.local(places)
        number, size, pile, total = code.local(0), code.local(0), code.local(), code.local(count)
        with code.until(number >= total) as (_, again):
            pile.set(first + number * stride)
            number.add(1)
            code.branch_if(again, pile.word().is_zero())
            code.store(size * WORD, number, numbers)
            code.store(size * WORD, (pile + pile.word() * WORD).word(), faces)
            size.add(1)

        def choose(place: Expression, at: Expression) -> None:
            code.store(place * WORD, (at * WORD).word(faces), chosen + WORD)
            code.store(place * WORD, (at * WORD).word(numbers), places)

        # Two piles with equal tops are still different: pile numbers are compared.
        self._combinations(
            code, code.local(0), code.local(size), size, lambda at: (at * WORD).word(numbers),
            lambda size: code.store(chosen, size), choose, then,
        )  # fmt: skip

    def _each_cell(self, code: Code, model: ActionModel, p: ParameterModel, arguments: Arguments, then: Next) -> None:
        place = self.kernel.grid(p.zone)
        zone = place.zone
        cell = code.local()
        box = [code.local(0), code.local(zone.width - 1), code.local(0), code.local(zone.height - 1)]
        if zone.floating:
            self._float(code, p, box)
            arguments.scope[p.slot] = ValueOf(cell)
            self._each_of_box(code, cell, box, then)
            return
        told = self.told(model, p)
        cells = [cell for cell in cells_of(zone.grid) if all(cell in found for found in told.values())]
        arguments.scope[p.slot] = ValueOf(cell, (zone.width, zone.height))
        at_once = self._at_once(code, model, p, arguments, told)
        if not (told or zone.mask or at_once):
            self._each_of_box(code, cell, box, then)
            return
        left = CellSet(self.kernel, code, zone.grid, cells)
        for said, applies, write_bits in at_once:
            with ExitStack() as stack:
                if applies is not None:
                    stack.enter_context(code.when(applies))
                left.keep_bits(write_bits(stack))
            arguments.said.add(said)
        left.each(cell, then)

    def _at_once(
        self, code: Code, model: ActionModel, p: ParameterModel, arguments: Arguments, told: Container[Expr]
    ) -> list[tuple[tuple[Expr | None, Expr], Expression | None, Write]]:
        """The restrictions of rules on a cell that can be evaluated for all cells at once from what is known before it:
        for each its condition and the restriction, whether it applies (None: always), and the cells that meet it.
        """
        known = self._known(model, p)
        write = Expressions(self.kernel, code, self.shared)
        grid, lets = self.kernel.zone(p.zone).grid, [(slot, value) for _, slot, value in model.lets]
        named = {slot: lower_value(value) for slot, value in lets if slot not in known}
        found: list[tuple[tuple[Expr | None, Expr], Expression | None, Write]] = []
        for rule in () if self.kernel.zone(p.zone).floating else model.rules:
            for part in () if looks_ahead(rule) else parts_of(rule.require):
                asked = with_values(lower(part), named)
                when = None if rule.when is None else with_values(lower(rule.when), named)
                slots = free_locals(asked) | (set() if when is None else free_locals(when))
                if (rule.when is None and part in told) or p.slot not in slots or not slots <= known | {p.slot}:
                    continue
                if when is not None and p.slot in free_locals(when):
                    asked, when = ir.Or(ir.Not(when), asked), None
                self._compute(code, model, frozenset(slots & known), arguments)
                bits = write.cells_where(asked, p.slot, grid, arguments.scope)
                if bits is not None:
                    applies = None if when is None else write.value(when, arguments.scope)
                    found.append(((rule.when, part), applies, bits))
        return found

    def told(self, model: ActionModel, p: ParameterModel) -> dict[Expr, set[Cell]]:
        """Restrictions that rules always put on a cell of a fixed grid, independent of anything else: for each, the cells that meet it."""
        found: dict[Expr, set[Cell]] = {}
        compiler, e = Compiler(self.ruleset), [None] * (self.ruleset.slots + len(model.parameters))
        for part in (part for rule in model.rules for part in said_of_alone(rule, p)):
            if of_the_position(lower(part)):
                continue
            holds, cells = compiler.of(lower(part)), set()
            for cell in cells_of(self.kernel.zone(p.zone).grid):
                e[p.slot] = cell  # type: ignore[call-overload]
                if holds(None, e):
                    cells.add(cell)
            found[part] = cells
        return found

    def _float(self, code: Code, p: ParameterModel, box: list[Local]) -> None:
        """The box in which a cell of a floating grid can lie."""
        place = self.kernel.grid(p.zone)
        zone = place.zone
        cell, x, y = code.local(), code.local(), code.local()
        low_x, high_x, low_y, high_y = box
        for local in box:
            local.set(0)
        seat = [code.global_(self.kernel.actor) if d == "player" else code.value(1) for d, _ in zone.dimensions]
        grid = code.local(self.kernel.zone_address(code, p.zone, seat))
        with code.when(grid.word(place.USED)):
            far = 1 << 20
            for local, value in ((low_x, far), (low_y, far), (high_x, -far), (high_y, -far)):
                local.set(value)
            with slots_used(code, grid) as slot:
                cell.set(self.shared.grids.cell(place, grid, slot))
                for low, high, part, of in ((low_x, high_x, x, column), (low_y, high_y, y, row)):
                    part.set(of(cell))
                    low.set(code.choose(part < low, part, low))
                    high.set(code.choose(part > high, part, high))
            for low, high, most in ((low_x, high_x, zone.width), (low_y, high_y, zone.height)):
                reach = code.local(low + (most - 1) - high)
                reach.set(code.choose(reach > 1, reach, code.value(1)))
                low.set(low - reach)
                high.set(high + reach)
                low.set(code.choose(low < -FAR, -FAR, low))
                high.set(code.choose(high > FAR, FAR, high))

    def _each_of_box(self, code: Code, cell: Local, box: list[Local], then: Next) -> None:
        low_x, high_x, low_y, high_y = box
        x, y = code.local(), code.local(low_y)
        with code.until(y > high_y):
            x.set(low_x)
            with code.until(x > high_x):
                cell.set((y << 16) | (x & 0xFFFF))
                then()
                x.add(1)
            y.add(1)

    def _each_value(self, code: Code, p: ParameterModel, arguments: Arguments, then: Next) -> None:
        number, value = code.local(0), code.local()
        arguments.scope[p.slot] = ValueOf(value)
        count, of = self.domain(code, p.type)
        with code.while_below(number, count):
            value.set(of(number))
            then()

    def domain(self, code: Code, type_: Type) -> tuple[Expression, Callable[[Expression], Expression]]:
        """How many values a parameter of this type can have, and a function from index to value."""
        if type_.kind == "player":
            return code.global_(self.kernel.players), lambda number: number
        if type_.kind == "goal":
            return code.value(self.layout.goals), lambda number: number
        values = self._fixed(type_)
        if values == list(range(values[0], values[0] + len(values))):
            return code.value(len(values)), lambda number: number + values[0]
        table = self.kernel.table(values)
        return code.value(len(values)), lambda number: (number * WORD).word(table)

    def _fixed(self, type_: Type) -> list[int]:
        match type_.kind:
            case "key":
                return [value for option in type_.options for value in self._fixed(option)]
            case "member":
                table = self.ruleset.components[type_.component].attributes[type_.attribute].table
                return [self.layout.atom(value) for value in dict.fromkeys(table)]
            case "int":
                if type_.high - type_.low > 100_000:
                    raise Uncompilable("a parameter has too many values")
                return list(range(type_.low, type_.high + 1))
            case "bool":
                return [0, 1]
        raise Uncompilable(f"a parameter is {type_}")

    def _each_naming(self, code: Code, p: ParameterModel, arguments: Arguments, then: Next) -> None:
        """The values that all players name at once: the last seat's value changes first."""
        numbers = self.layout.reserve(self.layout.max_players * WORD)
        named = self.layout.reserve(self.layout.max_players * WORD)
        arguments.scope[p.slot] = ArrayOf(code.value(named))
        players = code.global_(self.kernel.players)
        count, of = self.domain(code, p.type.element or p.type)
        seat = code.local()
        code.fill(numbers, 0, self.layout.max_players * WORD)
        with code.block() as done, code.loop() as again:
            seat.set(0)
            with code.while_below(seat, players):
                code.store(seat * WORD, of((seat * WORD).word(numbers)), named)
            then()
            with code.loop() as carry:
                code.branch_if(done, seat.is_zero())
                seat.add(-1)
                code.store(seat * WORD, (seat * WORD).word(numbers) + 1, numbers)
                code.branch_if(again, (seat * WORD).word(numbers) < count)
                code.store(seat * WORD, 0, numbers)
                code.branch(carry)
