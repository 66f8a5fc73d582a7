"""From the compact form of a game, as in tables, to the packed form.

The bytes are untrusted: a value that is invalid at its place is not read, so that the result is exactly what unpacking
the same bytes (`pwtool/records/tables/compact.py`) gives. `docs/kernel.md` documents the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.ir.types import Type
from pwtool.kernel import material
from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES, HAS_STOPPED, STOPPED, Uncompilable
from pwtool.kernel.layout import MEMBER, NONE, WORD, range_of
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.turns import MAX_TURNS

MAX_GAME = 256 << 10
MAX_NUMBER = 999_999_999
MAX_CELL = 999
MAX_PLACE = 9999
MAX_TOPS = 64
BEGINS = b"\x80\x00"
"""What a game begins with that begins from a position: no number is written like that."""


class CompactReader:
    """Writes the function that reads compact games of one ruleset. Internally, each function takes the address of a
    byte and returns the address after what it read, or 0. Where it writes to is in a local while a function runs, and
    in `out` between two of them.
    """

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel, self.ruleset, self.layout = kernel, kernel.ruleset, kernel.layout
        variable = kernel.module.variable
        self.out, self.stop = variable(), variable()
        self.read = variable()
        """The last long number read."""
        self.models = [*self.ruleset.actions.values(), *self.ruleset.consequences.values()]

    # ---- small steps

    def fail_unless(self, code: Code, condition: Expression) -> None:
        with code.when(condition.is_zero()):
            code.leave(0)

    def put(self, code: Code, value: Expression | int, out: Local) -> None:
        """Append a word."""
        code.store(out, value)
        out.add(WORD)

    def read_by(self, code: Code, function: Function, at: Local, out: Local) -> None:
        """Let another function read on from `at`."""
        code.global_(self.out).set(out)
        at.set(code.call(function, at))
        self.fail_unless(code, at)
        out.set(code.global_(self.out))

    def number(self, code: Code, at: Local, value: Local, valid: int | None = None) -> None:
        """A number that is not negative. If only numbers below `valid` are valid here and these take one byte, no more is
        read: the first byte of a longer number is too large as well.
        """
        value.set(at.byte())
        at.add(1)
        if valid is not None and valid <= 128:
            return
        with code.when(value > 127):
            at.set(code.call(self._long(), at, value))
            self.fail_unless(code, at)
            value.set(code.global_(self.read))

    @once(2)
    def _long(self, code: Code) -> None:
        """`(at, first)`: the rest of a number of more than one byte; `read` is the number."""
        at, value = code.arguments
        shift, byte = code.local(0), code.local()
        value.set(value & 127)
        with code.loop() as again:
            shift.add(7)
            byte.set(at.byte())
            at.add(1)
            self.fail_unless(code, (shift.equals(28) & (byte > 7)).is_zero())
            value.set(value | (byte & 127) << shift)
            with code.when(byte > 127):
                self.fail_unless(code, shift < 28)
                code.branch(again)
        # Each number has only one encoding.
        self.fail_unless(code, byte)
        code.global_(self.read).set(value)
        at.write()

    def unsigned(self, value: Local) -> Expression:
        """Undo the encoding of signed numbers: doubled, and odd if negative."""
        code = value.code
        return value.shifted_down(1) ^ (code.value(0) - (value & 1))

    def signed(self, code: Code, at: Local, value: Local) -> None:
        self.number(code, at, value)
        value.set(self.unsigned(value))
        self.fail_unless(code, (value + MAX_NUMBER).below(2 * MAX_NUMBER + 1))

    def maybe(self, code: Code, at: Local, value: Local) -> None:
        """A number, or none."""
        self.number(code, at, value)
        with code.when(value):
            value.set(value - 1)
            value.set(self.unsigned(value))
            self.fail_unless(code, (value + MAX_NUMBER).below(2 * MAX_NUMBER + 1))
            code.otherwise()
            value.set(NONE)

    def counted(self, code: Code, at: Local, count: Local) -> None:
        """The number of elements that follow; each takes at least a byte."""
        self.number(code, at, count)
        self.fail_unless(code, count <= code.global_(self.stop) - at)

    @contextmanager
    def times(self, code: Code, count: Local | Expression | int) -> Iterator[None]:
        """Code that is repeated this many times."""
        with code.borrowed() as left:
            left.set(count)
            with code.block() as done:
                code.branch_if(done, left <= 0)
                with code.loop() as again:
                    yield
                    left.add(-1)
                    code.branch_if(again, left)

    # ---- the game

    def record(self) -> Function:
        """`(at, size, players, out)`: a game into a packed record; its number of words, 0 if it is not read."""
        made, code = self.kernel.function("read compact", 4)
        at, size, players, out = code.arguments
        value, count = code.local(), code.local()
        low, high = 1, self.layout.max_players
        self.fail_unless(code, size.below(MAX_GAME + 1))
        self.fail_unless(code, (players - low).below(high - low + 1))
        code.global_(self.stop).set(at + size)
        code.global_(self.kernel.players).set(players)
        start = code.local(out)
        out.add(2 * WORD)
        begins = self.start()
        if begins is None:
            self._setup(code, at, value, count, out)
        else:
            with code.when(at.half().equals(int.from_bytes(BEGINS, "little"))):
                at.add(len(BEGINS))
                self.read_by(code, begins, at, out)
                code.otherwise()
                self._setup(code, at, value, count, out)
        mask = sum(
            1 << n for n, c in enumerate(self.ruleset.consequences.values()) if c.name in self.ruleset.recordable
        )
        self.number(code, at, value)
        self.fail_unless(code, (value & ~mask).is_zero())
        self.put(code, value, out)
        self.counted(code, at, count)
        self.fail_unless(code, count <= MAX_TURNS)
        self.put(code, count, out)
        with self.times(code, count):
            self.read_by(code, self._turn(), at, out)
        self.read_by(code, self._outcome(), at, out)
        self.fail_unless(code, at.equals(code.global_(self.stop)))
        words = code.local((out - start).shifted_down(2))
        code.store(start, words)
        code.store(start, players, WORD)
        words.write()
        return made

    def start(self) -> Function | None:
        """`(at)`: the position that a game begins from; None: no such game is read."""
        return None

    def _goals(self, code: Code, at: Local, value: Local, count: Local, out: Local) -> None:
        """The objectives in play."""
        if self.ruleset.goal_zone:
            self.number(code, at, count)
            self.fail_unless(code, count.equals(self.layout.goals))
            self.put(code, count, out)
            for _ in range(self.layout.goals):
                self._below(code, at, value, len(self.ruleset.objectives))
                self.put(code, value, out)
        else:
            self.put(code, 0, out)

    def _setup(self, code: Code, at: Local, value: Local, count: Local, out: Local) -> None:
        self._goals(code, at, value, count, out)
        for step in self.ruleset.setup:
            if step.recorded:
                self._dealt(code, at, step, value, out)

    def _dealt(self, code: Code, at: Local, step: SetupModel, value: Local, out: Local) -> None:
        zone = self.kernel.zone(step.zone)
        faces = len(self.ruleset.components[zone.element.component].codes)
        places: Expression | int
        if step.spread or not zone.dimensions or zone.dimensions[0][0] == "number":
            if len(zone.dimensions) > 1 and not step.spread:
                raise Uncompilable(f"`{step.name}` is dealt to zones that are divided twice")
            places = material.places(self.ruleset, step, 0, 0)
        elif zone.dimensions == (("player", 0),):
            places = code.global_(self.kernel.players)
        else:
            raise Uncompilable(f"`{step.name}` is dealt to zones that are divided twice")
        self.fail_unless(code, code.value(places) <= code.global_(self.stop) - at)
        with self.times(code, places):
            if step.amount == 1:
                self.put(code, 1, out)
                self._below(code, at, value, faces)
                self.put(code, value, out)
            else:
                self.read_by(code, self._pile(faces), at, out)

    @once(1)
    def _pile(self, code: Code, faces: int) -> None:
        """`(at)`: a number of things, and the things."""
        at, count, out = code.arguments[0], code.local(), code.local(code.global_(self.out))
        self.counted(code, at, count)
        self.put(code, count, out)
        self._faces(code, at, count, faces, out)
        code.global_(self.out).set(out)
        at.write()

    def _faces(self, code: Code, at: Local, count: Local, faces: int, out: Local) -> None:
        """This many things."""
        with code.borrowed() as value, self.times(code, count):
            self._below(code, at, value, faces)
            self.put(code, value, out)

    @once(1)
    def _turn(self, code: Code) -> None:
        """`(at)`: a turn: its player, the number of moves, and the moves."""
        at, owner, moves = code.arguments[0], code.local(-1), code.local()
        players, out = code.local(code.global_(self.kernel.players)), code.local(code.global_(self.out))
        if not self.ruleset.rounds:
            self._below(code, at, owner, players)
        self.counted(code, at, moves)
        self.put(code, owner, out)
        self.put(code, moves, out)
        with self.times(code, moves):
            self._move(code, at, owner, players, out)
        code.global_(self.out).set(out)
        at.write()

    def _move(self, code: Code, at: Local, owner: Local, players: Local, out: Local) -> None:
        """An action or a consequence."""
        with code.borrowed() as kind, code.borrowed() as who, code.block() as known:
            self.number(code, at, kind, valid=len(self.models))
            self._below(code, at, who, players + 1)
            # An actor whose turn it is would have been left out.
            self.fail_unless(code, code.one_of(who.is_zero(), (who - 1).differs(owner)))

            def case(number: int, model: ActionModel) -> Callable[[], None]:
                def read() -> None:
                    if model.each_action:
                        code.leave(0)
                        return
                    self._head(code, number, model, owner, who, out)
                    for p in model.parameters:
                        self._argument(code, at, p, out)
                    code.branch(known)

                return read

            code.switch(kind, [case(number, model) for number, model in enumerate(self.models)])
            code.leave(0)

    def _head(self, code: Code, number: int, model: ActionModel, owner: Local, who: Local, out: Local) -> None:
        consequence = number - len(self.ruleset.actions)
        self.put(code, number if consequence < 0 else -1 - consequence, out)
        if model.joint or model.is_consequence:
            self.fail_unless(code, who.is_zero())
            self.put(code, -1 if model.joint else owner, out)
            return
        if self.ruleset.rounds:
            self.fail_unless(code, who)
        self.put(code, code.choose(who, who - 1, owner), out)

    def _argument(self, code: Code, at: Local, p: ParameterModel, out: Local) -> None:
        element = p.type.element or p.type
        if p.kind == "derived":
            with code.borrowed() as there:
                self._below(code, at, there, 2)
                with code.when(there):
                    self._one(code, at, p.type, out)
                    code.otherwise()
                    self.put(code, NONE, out)
        elif p.listed or p.kind == "tops":
            read = self._pile if p.listed else self._tops
            self.read_by(code, read(self._count_of(element)), at, out)
        elif p.each:
            with self.times(code, code.global_(self.kernel.players)):
                self._one(code, at, element, out)
        else:
            self._one(code, at, p.type, out)

    def _count_of(self, type_: Type) -> int:
        if type_.kind != "face":
            raise Uncompilable(f"a record cannot hold a list of {type_}")
        return len(self.ruleset.components[type_.component].codes)

    @once(1)
    def _tops(self, code: Code, faces: int) -> None:
        """`(at)`: things, and the numbers of the piles that they come from, all different."""
        at, count, value, seen = code.arguments[0], code.local(), code.local(), code.local()
        out, start = code.local(code.global_(self.out)), code.local()
        self.counted(code, at, count)
        self.fail_unless(code, count <= MAX_TOPS)
        self.put(code, count, out)
        self._faces(code, at, count, faces, out)
        start.set(out)
        with self.times(code, count):
            self.number(code, at, value)
            self.fail_unless(code, (value - 1).below(MAX_PLACE))
            seen.set(start)
            with code.while_below(seen, out, WORD):
                self.fail_unless(code, seen.word().differs(value))
            self.put(code, value, out)
        code.global_(self.out).set(out)
        at.write()

    def _one(self, code: Code, at: Local, type_: Type, out: Local) -> None:
        """One value of a type."""
        with code.borrowed() as value:
            self._value(code, at, value, type_)
            self.put(code, value, out)

    def _value(self, code: Code, at: Local, value: Local, type_: Type) -> None:
        match type_.kind:
            case "face":
                self._below(code, at, value, self._count_of(type_))
            case "bool":
                self._below(code, at, value, 2)
            case "player":
                self._below(code, at, value, code.global_(self.kernel.players))
            case "goal":
                self._below(code, at, value, self.layout.goals)
            case "int":
                self.signed(code, at, value)
                self._within(code, value, [type_])
            case "member":
                self.number(code, at, value)
                self._member(code, value, [type_])
            case "cell":
                with code.borrowed() as row:
                    self.signed(code, at, value)
                    self.fail_unless(code, (value + MAX_CELL).below(2 * MAX_CELL + 1))
                    self.signed(code, at, row)
                    self.fail_unless(code, (row + MAX_CELL).below(2 * MAX_CELL + 1))
                    value.set((row << 16) | (value & 0xFFFF))
            case "key":
                self.number(code, at, value)
                self._key(code, value, type_)
            case _:
                raise Uncompilable(f"a record cannot hold {type_}")

    def _below(self, code: Code, at: Local, value: Local, count: Expression | int) -> None:
        """A number less than `count`, which is a fixed one or a number of players."""
        self.number(code, at, value, count if isinstance(count, int) else self.layout.max_players + 1)
        self.fail_unless(code, value.below(count))

    def _within(self, code: Code, value: Local, options: list[Type]) -> None:
        found: Expression = code.value(0)
        for low, high in map(range_of, options):
            found = found | (value - low).below(high - low + 1)
        self.fail_unless(code, found)

    def _member(self, code: Code, value: Local, options: list[Type]) -> None:
        """The number of a member of one of these attributes becomes its word."""
        known = bytearray(len(self.layout.members))
        for option in options:
            for name in self.ruleset.components[option.component].attributes[option.attribute].table:
                known[self.layout.members[str(name)] - MEMBER] = 1
        self.fail_unless(code, value.below(len(known)))
        self.fail_unless(code, value.byte(self.kernel.data(bytes(known) + b"\0" * 8)))
        value.set(value + MEMBER)

    def _key(self, code: Code, value: Local, type_: Type) -> None:
        kinds = {kind: [o for o in type_.options if o.kind == kind] for kind in ("member", "int", "bool")}
        if sum(map(len, kinds.values())) < len(type_.options):
            raise Uncompilable(f"a record cannot hold {type_}")
        odd = code.local(value & 1)
        value.set(value.shifted_down(1))
        with code.when(odd):
            if kinds["member"]:
                self._member(code, value, kinds["member"])
            else:
                code.leave(0)
            code.otherwise()
            value.set(self.unsigned(value))
            ranges = kinds["int"] + [Type("int", 0, 1)] * bool(kinds["bool"])
            self._within(code, value, ranges)

    @once(1)
    def _outcome(self, code: Code) -> None:
        """`(at)`: what the record says about the end."""
        at, flags, value = code.arguments[0], code.local(), code.local()
        players, lines = code.global_(self.kernel.players), len(self.ruleset.scores)
        places, found, out = code.local(), code.local(), code.local(code.global_(self.out))
        self.number(code, at, flags)
        self.put(code, flags, out)
        with code.when(flags.is_zero()):
            code.global_(self.out).set(out)
            code.leave(at)
        self.fail_unless(code, ((flags & HAS_RESULT) + flags.shifted_down(4)).equals(1))

        def line() -> None:
            self.maybe(code, at, value)
            self.put(code, value, out)

        with code.when(flags & HAS_PARTS), self.times(code, players * lines):
            line()
        with code.when(flags & HAS_SCORES), self.times(code, players):
            line()
        with code.when(flags & HAS_RANKING):
            self.counted(code, at, places)
            self.fail_unless(code, places <= players)
            self.put(code, places, out)
            found.set(0)
            with self.times(code, players):
                self.number(code, at, value)
                self.fail_unless(code, value <= places)
                with code.when(value):
                    found.set(found | code.value(1) << (value - 1))
                self.put(code, value - 1, out)
            # Each rank has at least one player.
            self.fail_unless(code, found.equals((code.value(1) << places) - 1))
        self.number(code, at, value)
        self.fail_unless(code, value <= len(self.ruleset.endings))
        self.put(code, code.choose(value, value - 1, NONE), out)
        line()
        with code.when(flags & HAS_STOPPED):
            self.number(code, at, value)
            self.fail_unless(code, value < len(STOPPED))
            self.put(code, value, out)
        code.global_(self.out).set(out)
        at.write()


__all__ = ["CompactReader"]
