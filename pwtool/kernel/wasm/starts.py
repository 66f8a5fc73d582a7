"""A game that begins from a position: from the packed position into memory.

What is wrong with a position is not said here: the engine judges such a record.
"""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import Ruleset, VariableModel, ZoneModel, refusal
from pwtool.kernel import material
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import MAX_LIST, NONE, WORD
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.actions import Actions
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.grids import column, row
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.order import EVERYBODY


def kept(ruleset: Ruleset) -> list[VariableModel]:
    """The variables of a position, in their order."""
    found = [v for v in ruleset.variables.values() if v.per == "game"]
    for variable in found:
        if variable.each and variable.type.is_collection:
            raise Uncompilable(f"`{variable.name}` is several things of each player")
    return found


class StartLoader:
    """Writes the function that lays out a packed position."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions, actions: Actions) -> None:
        self.kernel, self.shared, self.actions = kernel, shared, actions
        self.ruleset, self.layout = kernel.ruleset, kernel.layout

    def load(self, first_values: dict[str, Function]) -> Function:
        """`(position)`: lay it out; 0, or 1 after giving up if it is not right. `next_argument` is then the address after
        it.
        """
        made, code = self.kernel.function("begin from", 1)
        at = code.arguments[0]
        head = [code.local(at.word(number * WORD)) for number in range(4)]
        at.add(len(head) * WORD)
        self._goals(code, at)
        held = {
            name: self.layout.reserve(len(component.codes) * WORD)
            for name, component in self.ruleset.components.items()
        }
        for name, place in held.items():
            code.fill(place, 0, len(self.ruleset.components[name].codes) * WORD)
        for zone in self.kernel.zones:
            self._zone(code, at, zone, held)
        for token, place in zip(self.ruleset.tokens.values(), self.layout.tokens, strict=True):
            code.store(place, at.word())
            code.store(place, at.word(WORD), WORD)
            self._on_grid(code, at.word(WORD), self.kernel.zone(token.zone))
            at.add(2 * WORD)
        for values in first_values.values():
            code.do(values)
        for variable in kept(self.ruleset):
            self._variable(code, at, variable)
        code.global_(self.actions.next_argument).set(at)
        with code.when(code.global_(self.kernel.beyond)):
            code.leave(1)
        for name, place in held.items():
            self._conserved(code, name, place)
        self._progress(code, *head)
        self._invariants(code)
        code.value(0).write()
        return made

    def _unless(self, code: Code, condition: Expression) -> None:
        """Give up if a condition does not hold."""
        with code.when(condition.is_zero()):
            self.kernel.give_up(code)
            code.leave(1)

    def _goals(self, code: Code, at: Local) -> None:
        table, count = self.layout.goal_table, self.layout.goals
        self._unless(code, at.word().equals(count))
        code.copy(code.value(table), at + WORD, count * WORD)
        for one in range(count):
            for other in range(one):
                here, there = code.value(table + one * WORD).word(), code.value(table + other * WORD).word()
                self._unless(code, here.differs(there))
        at.add((1 + count) * WORD)

    def _zone(self, code: Code, at: Local, zone: ZoneModel, held: dict[str, int]) -> None:
        place = self.kernel.place(zone.number)
        counts = held[zone.element.component] if zone.element.kind == "face" else None
        left, slot = code.local(), code.local()

        def things(lay: Callable[[Expression], None]) -> None:
            left.set(at.word())
            at.add(WORD)
            with code.until(left <= 0):
                lay(at.word())
                if counts is not None:
                    slot.set(at.word() * WORD + counts)
                    code.store(slot, slot.word() + 1)
                at.add(WORD)
                left.add(-1)

        def content(zone_at: Expression) -> None:
            if zone.kind != "grid":
                things(lambda thing: self.shared.push(code, zone_at, thing, place.capacity))
                return
            cells, cell = code.local(at.word()), code.local()
            push, find = self.shared.grids.push(zone.number), self.shared.grids.find(zone.number)
            at.add(WORD)
            with code.until(cells <= 0):
                cell.set(at.word())
                self._on_grid(code, cell, zone)
                self._unless(code, code.call(find, zone_at, cell).word().is_zero())
                at.add(WORD)
                self._unless(code, at.word())
                things(lambda thing: code.do(push, zone_at, cell, thing))
                cells.add(-1)

        write = Expressions(self.kernel, code, self.shared)
        write.each_zone(zone.number, 0, code.value(place.address), lambda b: content(b.address))  # type: ignore[union-attr]

    def _on_grid(self, code: Code, cell: Expression, zone: ZoneModel | None) -> None:
        """Give up if a cell, unless it is `NONE`, is not one of a grid that does not float."""
        if zone is not None and not zone.floating:
            with code.when(cell.differs(NONE)):
                self._unless(code, self.kernel.inside(code, column(cell), row(cell), zone.grid))

    def _variable(self, code: Code, at: Local, variable: VariableModel) -> None:
        place = self.layout.variables[variable.number]
        type_ = variable.type.element or variable.type
        zone = next((z for z in self.kernel.zones if z.kind == "grid" and z.grid == type_.grid), None)
        zone = zone if type_.kind == "cell" else None
        there, end = code.local(at.word()), code.local()
        at.add(WORD)
        with code.when(there):
            if variable.type.is_collection:
                self._unless(code, at.word() <= MAX_LIST)
                end.set(at + (at.word() + 1) * WORD)
                code.copy(code.value(place), at, end - at)
                at.add(WORD)
            else:
                end.set(at + (code.global_(self.kernel.players) if variable.each else code.value(1)) * WORD)
                code.copy(code.value(place), at, end - at)
            with code.while_below(at, end, WORD):
                self._on_grid(code, at.word(), zone)

    # ---- checks

    def _conserved(self, code: Code, component: str, held: int) -> None:
        """Give up if a thing is lost or doubled."""
        players, faces = self.ruleset.max_players, len(self.ruleset.components[component].codes)
        counted = range(self.ruleset.min_players, players + 1)
        found = [material.material_of(self.ruleset, component, p, self.layout.goals) for p in counted]
        if None in found:
            return
        first = self.ruleset.components[component].first
        if first:
            was, turned = self.kernel.table(list(first)), code.local(0)
            with code.while_below(turned, faces * WORD, WORD):
                before = code.local(turned.word(was) * WORD)
                with code.when(before.differs(turned)):
                    code.store(before, before.word(held) + turned.word(held), held)
                    code.store(turned, 0, held)
        words: list[int] = []
        for one in found:
            assert one is not None
            words += [sum(one.whole.values()) + one.dealt]
            words += [one.whole[f] for f in range(faces)] + [one.whole[f] + one.partly[f] for f in range(faces)]
        table = code.local(
            (code.global_(self.kernel.players) - counted[0]) * ((1 + 2 * faces) * WORD) + self.kernel.table(words)
        )
        total, face = code.local(0), code.local(0)
        with code.while_below(face, faces * WORD, WORD):
            total.add(face.word(held))
            least, most = (table + face).word(WORD), (table + face).word((1 + faces) * WORD)
            self._unless(code, (face.word(held) >= least) & (face.word(held) <= most))
        self._unless(code, total.equals(table.word()))

    def _progress(self, code: Code, seat: Local, before: Local, ending: Local, turn: Local) -> None:
        """Whose turn it is, which one, and the ending that was triggered."""
        kernel = self.kernel
        players = code.global_(kernel.players)
        owner = code.global_(kernel.owner)
        code.global_(kernel.before).set(before)
        code.global_(kernel.turn).set(before)
        if self.ruleset.rounds:
            owner.set(code.choose(before, EVERYBODY, owner))
        else:
            self._unless(code, seat.below(players))
            owner.set(code.choose(seat, seat, players) - 1)
        code.global_(kernel.actor).set(code.choose(owner > 0, owner, 0))
        left = code.global_(kernel.left)
        for number, model in enumerate(self.ruleset.endings):
            with code.when(ending.equals(number)):
                each = code.value(1) if self.ruleset.rounds else players
                left.set((each - int(model.others)) * (model.more_turns or 0) - (before - turn))
                self._unless(code, (left >= 0) & (turn <= before))
                code.global_(kernel.ending).set(ending)
                code.global_(kernel.ending_turn).set(turn)

    def _invariants(self, code: Code) -> None:
        actor = code.global_(self.kernel.actor)
        own = code.local(actor)
        write = Expressions(self.kernel, code, self.shared)
        for invariant in self.ruleset.invariants:
            holds = write.value(lower(refusal(invariant.when, invariant.require)), {}).is_zero()
            if invariant.between:
                # A game may be over within a turn.
                holds = code.one_of(code.global_(self.kernel.left).is_zero(), holds)
            if not invariant.each_player:
                self._unless(code, holds)
                continue
            with self.kernel.each_player(code):
                self._unless(code, holds)
            actor.set(own)
