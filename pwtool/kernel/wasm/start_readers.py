"""From the JSON text and the compact form of a position that a game begins from to its packed form."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import VariableModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import START
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.compact import CompactReader
from pwtool.kernel.wasm.kernel import once
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.order import EVERYBODY
from pwtool.kernel.wasm.setups import SetupReader
from pwtool.kernel.wasm.starts import kept
from pwtool.kernel.wasm.turns import MAX_TURNS
from pwtool.kernel.wasm.values import COMMA, END_BRACKET


class StartReader(SetupReader):
    """Writes the function that reads a position from the JSON text of a record."""

    @once(1)
    def start(self, code: Code) -> None:
        """`(at)`: the position, in the order of its packed form."""
        names = ["turn", "end", "zones", "tokens", "variables"] + ["player"] * (not self.ruleset.rounds)
        names += [self.ruleset.goal_zone] * bool(self.ruleset.goal_zone)
        words = {name: number for number, name in enumerate(names)}
        slots = self.layout.reserve(len(words) * WORD)
        at, value, text = code.arguments[0], code.local(), self.text

        def member(name: str, needed: bool = False) -> Expression:
            value.set(code.value(slots + words[name] * WORD).word())
            if needed:
                text.fail_unless(code, value)
            return value

        self.room(code)
        self.put(code, START)
        at.set(code.call(self.members(words, slots), at))
        text.fail_unless(code, at)
        if self.ruleset.rounds:
            self.put(code, EVERYBODY)
        else:
            member("player", needed=True)
            self.put_read(code, value, self.player())
        with code.when(member("turn")):
            self._turn_number(code, value)
            self.put(code, self.number(code) - 1)
            code.otherwise()
            self.put(code, 0)
        with code.when(member("end")):
            self._ended(code, value)
            code.otherwise()
            self.put(code, NONE)
            self.put(code, 0)
        if self.ruleset.goal_zone:
            member(self.ruleset.goal_zone, needed=True)
            self._goals(code, value)
        else:
            self.put(code, 0)
        member("zones", needed=True)
        self._each_member(code, value, [z.name for z in self.kernel.zones], lambda n, at: self._zone_at(code, at, n))
        member("tokens")
        self._each_member(code, value, list(self.ruleset.tokens), lambda n, at: self._token_at(code, at, n))
        member("variables")
        variables = kept(self.ruleset)
        self._each_member(
            code, value, [v.name for v in variables], lambda n, at: self._variable_at(code, at, variables[n])
        )
        at.write()

    def _turn_number(self, code: Code, at: Local) -> None:
        self.text.read(code, at, self.text.integer())
        self.text.fail_unless(code, (self.number(code) - 1).below(MAX_TURNS))

    def _ended(self, code: Code, at: Local) -> None:
        words = {"rule": 0, "turn": 1}
        slots = self.layout.reserve(2 * WORD)
        endings = {model.name: number for number, model in enumerate(self.ruleset.endings)}
        self.text.fail_unless(code, code.call(self.members(words, slots), at))
        for slot, read in ((slots, self.text.word(endings)), (slots + WORD, None)):
            at.set(code.value(slot).word())
            self.text.fail_unless(code, at)
            if read is None:
                self._turn_number(code, at)
            else:
                self.text.read(code, at, read)
            self.put(code, self.number(code))

    def _each_member(self, code: Code, at: Local, names: list[str], body: Callable[[int, Local], None]) -> None:
        """For each of these names its value in an object: its address, or 0 if it or the object is not there."""
        slots = self.layout.reserve(max(1, len(names)) * WORD)
        value = code.local()
        code.fill(slots, 0, max(1, len(names)) * WORD)
        with code.when(at):
            if names:
                read = self.members({name: number for number, name in enumerate(names)}, slots)
                self.text.fail_unless(code, code.call(read, at))
            else:
                with self.text.each_member(code, at):
                    code.leave(0)
        for number in range(len(names)):
            value.set(code.value(slots + number * WORD).word())
            body(number, value)

    def _null(self, code: Code, at: Local) -> Expression:
        """Whether there is nothing, or `null`."""
        return code.one_of(at.is_zero(), self.text.literal(code, at, b"null"))

    # ---- zones

    def _zone_at(self, code: Code, at: Local, number: int) -> None:
        zone = self.kernel.zone(number)

        def write(code: Code) -> None:
            at = code.arguments[0]
            self._divided(code, at, zone, 0)
            at.write()

        self.text.fail_unless(code, at)
        self.text.read(code, at, self.kernel.once(("zone", zone.name), write, 1))

    def _divided(self, code: Code, at: Local, zone: ZoneModel, depth: int) -> None:
        if depth == len(zone.dimensions):
            self._content(code, at, zone)
            return
        name, size = zone.dimensions[depth]
        if len(zone.dimensions) == 1 and name == "number":
            count = code.local(0)
            with self.text.each_element(code, at):
                count.add(1)
                self._content(code, at, zone)
            self.text.fail_unless(code, count.equals(size))
            return
        known = {"player": self.layout.max_players, "goal": self.layout.goals}.get(name, size)
        keys = self._keys(name, size)
        parts = code.global_(self.kernel.players) if name == "player" else code.value(known)
        self.by_key(code, at, keys, known, parts, lambda: self._divided(code, at, zone, depth + 1))

    def _keys(self, name: str, size: int) -> Function:
        """`(at)`: the key of one part of a dimension; `number` is its number."""
        if name == "number":
            return self.text.word({str(number + 1): number for number in range(size)})
        return self.player() if name == "player" else self.goal()

    def _content(self, code: Code, at: Local, zone: ZoneModel) -> None:
        if zone.kind == "slot":
            with code.when(self.text.literal(code, at, b"null")):
                self.put(code, 0)
                at.add(4)
                self.text.blanks(code, at)
                code.otherwise()
                self.put(code, 1)
                self.put_read(code, at, self.value(zone.element))
            return
        if zone.kind != "grid":
            self.text.read(code, at, self.things(zone.element))
            return
        start, count = code.local(code.global_(self.out)), code.local(0)
        text = self.text
        self.put(code, 0)
        with text.each_element(code, at):
            self.room(code)
            text.sign(code, at, 0x5B)
            with code.borrowed() as across:
                text.read(code, at, text.integer())
                across.set(self.number(code))
                text.sign(code, at, COMMA)
                text.read(code, at, text.integer())
                text.sign(code, at, COMMA)
                text.fail_unless(code, (across + 999).below(1999))
                text.fail_unless(code, (self.number(code) + 999).below(1999))
                self.put(code, (self.number(code) << 16) | (across & 0xFFFF))
            text.read(code, at, self.things(zone.element))
            text.sign(code, at, END_BRACKET)
            count.add(1)
        code.store(start, count)

    # ---- tokens and variables

    def _token_at(self, code: Code, at: Local, number: int) -> None:
        divided = bool(self.kernel.zone([*self.ruleset.tokens.values()][number].zone).dimensions)
        slots = self.layout.reserve(2 * WORD)
        with code.when(self._null(code, at)):
            self.put(code, NONE)
            self.put(code, NONE)
            code.otherwise()
            words = {"at": 0, "player": 1} if divided else {"at": 0}
            self.text.fail_unless(code, code.call(self.members(words, slots), at))
            if divided:
                at.set(code.value(slots + WORD).word())
                self.text.fail_unless(code, at)
                self.put_read(code, at, self.player())
            else:
                self.put(code, 0)
            at.set(code.value(slots).word())
            self.text.fail_unless(code, at)
            self.put_read(code, at, self._cell())

    def _variable_at(self, code: Code, at: Local, variable: VariableModel) -> None:
        type_ = variable.type

        def one() -> None:
            if not type_.optional:
                self.put_read(code, at, self.value(type_))
                return
            with code.when(self.text.literal(code, at, b"null")):
                self.put(code, NONE)
                code.otherwise()
                self.put_read(code, at, self.value(type_))

        self.room(code)
        with code.when(at.is_zero()):
            self.put(code, 0)
            code.otherwise()
            self.put(code, 1)
            if type_.is_collection:
                self.text.read(code, at, self.things(type_.element or type_))
            elif variable.each:
                players = code.global_(self.kernel.players)
                self.by_key(code, at, self.player(), self.layout.max_players, players, one)
            else:
                one()


class CompactStartReader(CompactReader):
    """Writes the function that reads a position from the compact form of a game."""

    @once(1)
    def start(self, code: Code) -> None:
        """`(at)`: the position, after the bytes that announce it."""
        at, value, count = code.arguments[0], code.local(), code.local()
        out, players = code.local(code.global_(self.out)), code.global_(self.kernel.players)
        self.put(code, START, out)
        value.set(EVERYBODY)
        if not self.ruleset.rounds:
            self._below(code, at, value, players)
        self.put(code, value, out)
        self.number(code, at, value)
        self.fail_unless(code, value.below(MAX_TURNS))
        self.put(code, value, out)
        self.number(code, at, value)
        self.fail_unless(code, value <= len(self.ruleset.endings))
        self.put(code, code.choose(value, value - 1, NONE), out)
        with code.when(value):
            self.number(code, at, value)
        self.put(code, value, out)
        self._goals(code, at, value, count, out)
        for zone in self.kernel.zones:
            self.read_by(code, self._places(zone), at, out)
        for token in self.ruleset.tokens.values():
            self._token(code, at, bool(self.kernel.zone(token.zone).dimensions), value, out)
        for variable in kept(self.ruleset):
            self._variable(code, at, variable, value, out)
        code.global_(self.out).set(out)
        at.write()

    def _places(self, zone: ZoneModel) -> Function:
        """`(at)`: what lies in each zone of a name."""

        def write(code: Code) -> None:
            at, count = code.arguments[0], code.local()
            out = code.local(code.global_(self.out))
            places: Expression = code.value(1)
            for name, size in zone.dimensions:
                known = {"player": code.global_(self.kernel.players), "goal": code.value(self.layout.goals)}
                places = places * known.get(name, code.value(size))

            def things() -> None:
                with code.borrowed() as number:
                    self.counted(code, at, number)
                    if zone.kind == "slot":
                        self.fail_unless(code, number <= 1)
                    self.put(code, number, out)
                    with self.times(code, number):
                        self._one(code, at, zone.element, out)

            def grid() -> None:
                self.counted(code, at, count)
                self.put(code, count, out)
                with self.times(code, count):
                    self._one(code, at, Type("cell"), out)
                    things()

            with self.times(code, places):
                (grid if zone.kind == "grid" else things)()
            code.global_(self.out).set(out)
            at.write()

        return self.kernel.once(("compact places", zone.name), write, 1)

    def _token(self, code: Code, at: Local, divided: bool, value: Local, out: Local) -> None:
        most = code.global_(self.kernel.players) + 1 if divided else code.value(2)
        self._below(code, at, value, most)
        self.put(code, code.choose(value, value - 1, NONE), out)
        with code.when(value):
            self._one(code, at, Type("cell"), out)
            code.otherwise()
            self.put(code, NONE, out)

    def _variable(self, code: Code, at: Local, variable: VariableModel, value: Local, out: Local) -> None:
        type_ = variable.type

        def one() -> None:
            if not type_.optional:
                self._one(code, at, type_, out)
                return
            self._below(code, at, value, 2)
            with code.when(value):
                self._one(code, at, type_, out)
                code.otherwise()
                self.put(code, NONE, out)

        self._below(code, at, value, 2)
        self.put(code, value, out)
        with code.when(value):
            if type_.is_collection:
                with code.borrowed() as count:
                    self.counted(code, at, count)
                    self.put(code, count, out)
                    with self.times(code, count):
                        self._one(code, at, type_.element or type_, out)
            elif variable.each:
                with self.times(code, code.global_(self.kernel.players)):
                    one()
            else:
                one()
