"""From the JSON text of a setup to its packed form."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import SetupModel
from pwtool.kernel import material
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import once
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.values import COLON, ValueReader

Body = Callable[[], None]


class SetupReader(ValueReader):
    """Writes the function that reads setups."""

    @once(1)
    def setup(self, code: Code) -> None:
        """`(at)`: the setup, in the order of its steps."""
        steps = [step for step in self.ruleset.setup if step.recorded]
        names = [self.ruleset.goal_zone] * bool(self.ruleset.goal_zone) + [step.name for step in steps]
        words = {name: number for number, name in enumerate(names)}
        slots = self.layout.reserve(max(1, len(words)) * WORD)
        at = code.arguments[0]
        value = code.local()
        if not words:
            self.put(code, 0)
            with self.text.each_member(code, at):
                code.leave(0)
            at.write()
            return
        at.set(code.call(self.members(words, slots), at))
        self.text.fail_unless(code, at)
        for number in range(len(words)):
            self.text.fail_unless(code, code.value(slots + number * WORD).word())
        if self.ruleset.goal_zone:
            value.set(code.value(slots).word())
            self._goals(code, value)
        else:
            self.put(code, 0)
        for step in steps:
            value.set(code.value(slots + words[step.name] * WORD).word())
            self._dealt(code, value, step)
        at.write()

    def _goals(self, code: Code, at: Local) -> None:
        words = {name: number for number, name in enumerate(self.ruleset.objectives)}
        count, start = code.local(0), code.local(code.global_(self.out))
        self.put(code, 0)
        with self.text.each_element(code, at):
            self.text.read(code, at, self.text.word(words))
            self.text.fail_unless(code, count < self.layout.goals)
            code.store(count * WORD, self.number(code), self.goals)
            self.put(code, self.number(code))
            count.add(1)
        self.text.fail_unless(code, count.equals(self.layout.goals))
        code.store(start, count)

    def _dealt(self, code: Code, at: Local, step: SetupModel) -> None:
        zone = self.kernel.zone(step.zone)
        text = self.text

        def part() -> None:
            if step.amount == 1:
                self.room(code)
                self.put(code, 1)
                self.put_read(code, at, self.value(zone.element))
            else:
                self.room(code)
                text.read(code, at, self.things(zone.element))

        def listed(count: Expression | int, body: Body) -> None:
            number = code.local(0)
            with text.each_element(code, at):
                number.add(1)
                body()
            text.fail_unless(code, number.equals(count))

        if step.spread:
            listed(zone.height, lambda: listed(zone.width, part))
        elif not zone.dimensions:
            part()
        elif zone.dimensions[0][0] == "number" and len(zone.dimensions) == 1:
            listed(material.places(self.ruleset, step, 0, 0), part)
        elif zone.dimensions == (("player", 0),):
            self._by_player(code, at, part)
        else:
            raise Uncompilable(f"`{step.name}` is dealt to zones that are divided twice")

    def _by_player(self, code: Code, at: Local, part: Body) -> None:
        """An object with one part for every player: the parts in seat order."""
        self.by_key(code, at, self.player(), self.layout.max_players, code.global_(self.kernel.players), part)

    def by_key(self, code: Code, at: Local, key: Function, most: int, count: Expression, part: Body) -> None:
        """An object with one part for every key, of which there are `count` (at most `most`): the parts in the order of
        the keys' numbers.
        """
        slots = self.layout.reserve(max(1, most) * WORD)
        slot, number, end = code.local(), code.local(0), code.local()
        code.fill(slots, 0, max(1, most) * WORD)
        with self.text.each_member(code, at):
            self.text.read(code, at, key)
            slot.set(self.number(code) * WORD + slots)
            self.text.fail_unless(code, slot.word().is_zero())
            self.text.sign(code, at, COLON)
            code.store(slot, at)
            self.text.read(code, at, self.text.skip(), 0)
            number.add(1)
        self.text.fail_unless(code, number.equals(count))
        end.set(at)
        number.set(0)
        with code.while_below(number, count):
            at.set((number * WORD).word(slots))
            part()
        at.set(end)
