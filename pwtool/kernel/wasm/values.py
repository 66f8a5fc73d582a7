"""From the JSON text of values to the packed form: names, faces, cells, numbers, arguments of actions."""

from __future__ import annotations

from collections.abc import Mapping

from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import WORD, range_of
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.text import Text

MAX_NAME = 80
COLON, COMMA, QUOTE, END_BRACE, END_BRACKET = 0x3A, 0x2C, 0x22, 0x7D, 0x5D


class ValueReader:
    """Writes the functions that read values of a ruleset."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel, self.ruleset, self.layout = kernel, kernel.ruleset, kernel.layout
        self.text = Text(kernel)
        reserve, most = kernel.layout.reserve, self.layout.max_players
        self.names = reserve(most * 2 * WORD)
        self.goals = reserve(max(1, self.layout.goals) * WORD)
        self.totals, self.parts = reserve(most * WORD), reserve(max(1, most * len(self.ruleset.scores)) * WORD)
        self.ranks = reserve(most * WORD)
        self.end = reserve(3 * WORD)
        variable = kernel.module.variable
        self.out, self.limit = variable(), variable()
        self.own, self.other_ruleset = variable(), variable()
        """Whether a record has to name this ruleset and version; whether it names another ruleset."""
        self.flags, self.recorded, self.rank_count = variable(), variable(), variable()
        self.names_at, self.id_at = [variable(), variable()], [variable(), variable()]
        """Where the list of the players' names, and the id, begin and end in the text."""
        self.models: list[ActionModel] = [*self.ruleset.actions.values(), *self.ruleset.consequences.values()]
        # Consequences of each action are not recorded.
        self.action_names = {m.name: number for number, m in enumerate(self.models) if not m.each_action}
        names = dict.fromkeys(p.name for model in self.models for p in model.parameters)
        self.action_keys = {name: n for n, name in enumerate(["action", "by", "reveal", "mark", "comment", *names])}

    # ---- output

    def put(self, code: Code, value: Expression | int) -> None:
        """Append a word to the packed record."""
        out = code.global_(self.out)
        code.store(out, value)
        out.set(out + WORD)

    def room(self, code: Code) -> None:
        """Give up if the packed record would exceed its limit."""
        self.text.fail_unless(code, code.global_(self.out) < code.global_(self.limit))

    def number(self, code: Code) -> Expression:
        """The last number read."""
        return code.global_(self.text.number)

    # ---- objects

    def key(self, code: Code, at: Local, words: Mapping[str, int], seen: Local, found: Local) -> None:
        """The key of a member and its colon: `found` is its index in `words`; each comes only once."""
        self.text.read(code, at, self.text.word(words))
        found.set(self.number(code))
        bit = code.value(1) << found
        self.text.fail_unless(code, (seen & bit).is_zero())
        seen.set(seen | bit)
        self.text.sign(code, at, COLON)

    def members(self, words: Mapping[str, int], slots: int) -> Function:
        """`(at)`: an object with members of these names only: for each the address of its value, 0 if it is absent."""

        def write(code: Code) -> None:
            at = code.arguments[0]
            found = code.local()
            code.fill(slots, 0, len(words) * WORD)
            with self.text.each_member(code, at):
                self.text.read(code, at, self.text.word(words))
                found.set(self.number(code) * WORD + slots)
                self.text.fail_unless(code, found.word().is_zero())
                self.text.sign(code, at, COLON)
                code.store(found, at)
                self.text.read(code, at, self.text.skip(), 0)
            at.write()

        return self.kernel.once(("members", slots, *words), write, 1)

    # ---- names

    @once(1)
    def player(self, code: Code) -> None:
        """`(at)`: the name of a player; `number` is the seat."""
        at = code.local(code.call(self.text.string(), code.arguments[0]))
        self.text.fail_unless(code, at)
        start, size = code.global_(self.text.string_at), code.global_(self.text.string_size)
        name, seat = code.local(self.names), code.local(0)
        with code.while_below(seat, code.global_(self.kernel.players)):
            same = code.call(self.text.same(), name.word(), start, size)
            with code.when(code.both(name.word(WORD).equals(size), same)):
                code.global_(self.text.number).set(seat)
                code.leave(at)
            name.add(2 * WORD)
        code.value(0).write()

    def _players(self, code: Code, at: Local) -> None:
        """The list of the players' names."""
        seat, count, sign = code.local(0), code.local(), code.local()
        start, size = code.global_(self.text.string_at), code.global_(self.text.string_size)
        with self.text.each_element(code, at):
            self.text.fail_unless(code, seat < self.layout.max_players)
            code.global_(self.kernel.players).set(seat)
            # Another player of the same name would be found.
            self.text.fail_unless(code, code.call(self.player(), at).is_zero())
            self.text.read(code, at, self.text.string())
            self.text.fail_unless(code, size)
            count.set(0)
            sign.set(start)
            with code.while_below(sign, start + size):
                count.set(count + (sign.byte() & 0xC0).differs(0x80))
            self.text.fail_unless(code, count <= MAX_NAME)
            code.store(seat * (2 * WORD), start, self.names)
            code.store(seat * (2 * WORD), size, self.names + WORD)
            seat.add(1)
        self.text.fail_unless(code, seat)
        code.global_(self.kernel.players).set(seat)

    @once(1)
    def goal(self, code: Code) -> None:
        """`(at)`: the name of an objective in play; `number` is its number among these."""
        words = {name: number for number, name in enumerate(self.ruleset.objectives)}
        at = code.local(code.call(self.text.word(words), code.arguments[0]))
        self.text.fail_unless(code, at)
        number = code.global_(self.text.number)
        for goal in range(self.layout.goals):
            with code.when(code.value(self.goals + goal * WORD).word().equals(number)):
                number.set(goal)
                code.leave(at)
        # The engine reports an objective that is not in play.
        code.value(0).write()

    # ---- values

    def value(self, type_: Type) -> Function:
        """`(at)`: a value of a type, stored in `number`."""
        text = self.text
        match type_.kind:
            case "face":
                codes = {c: n for n, c in enumerate(self.ruleset.components[type_.component].codes)}
                return text.word(codes)
            case "member":
                return text.word(self._members(type_))
            case "player":
                return self.player()
            case "goal":
                return self.goal()
            case "cell":
                return self._cell()
            case "int" | "bool" | "key":
                return self._one_of(type_)
        raise Uncompilable(f"a record cannot hold {type_}")

    def _members(self, type_: Type) -> dict[str, int]:
        table = self.ruleset.components[type_.component].attributes[type_.attribute].table
        return {name: self.layout.atom(name) for name in dict.fromkeys(table)}

    @once(1)
    def _cell(self, code: Code) -> None:
        at, column = code.arguments[0], code.local()
        text = self.text
        text.sign(code, at, 0x5B)
        text.read(code, at, text.integer())
        column.set(self.number(code))
        text.fail_unless(code, (column + 999).below(1999))
        text.sign(code, at, COMMA)
        text.read(code, at, text.integer())
        text.fail_unless(code, (self.number(code) + 999).below(1999))
        text.fail_unless(code, at.byte().equals(END_BRACKET))
        code.global_(text.number).set((self.number(code) << 16) | (column & 0xFFFF))
        (at + 1).write()

    def _one_of(self, type_: Type) -> Function:
        """A number, a truth value, or a value of one of several types."""
        options = type_.options if type_.kind == "key" else (type_,)
        words: dict[str, int] = {}
        ranges: list[tuple[int, int]] = []
        for option in options:
            if option.kind == "member":
                words |= self._members(option)
            elif option.kind == "int":
                ranges.append(range_of(option))
            elif option.kind != "bool":
                raise Uncompilable(f"a record cannot hold {type_}")
        truth = any(option.kind == "bool" for option in options)

        def write(code: Code) -> None:
            at, text = code.arguments[0], self.text
            if words:
                with code.when(at.byte().equals(QUOTE)):
                    code.leave(code.call(text.word(words), at))
            for word, value in ((b"true", 1), (b"false", 0)):
                if truth:
                    with code.when(text.literal(code, at, word)):
                        code.global_(text.number).set(value)
                        code.leave(at + len(word))
            if ranges:
                at.set(code.call(text.integer(), at))
                text.fail_unless(code, at)
                for low, high in ranges:
                    with code.when((self.number(code) - low).below(high - low + 1)):
                        code.leave(at)
            code.value(0).write()

        return self.kernel.once(("one of", *words, *ranges, truth), write, 1)

    def put_read(self, code: Code, at: Local, reader: Function) -> None:
        """Reads a value and writes its number."""
        self.text.read(code, at, reader)
        self.put(code, self.number(code))

    def things(self, type_: Type) -> Function:
        """`(at)`: a list of values of a type, written as a pile."""

        def write(code: Code) -> None:
            at, start = code.arguments[0], code.local(code.global_(self.out))
            self.put(code, 0)
            with self.text.each_element(code, at):
                self.room(code)
                self.put_read(code, at, self.value(type_))
            code.store(start, (code.global_(self.out) - start).shifted_down(2) - 1)
            at.write()

        return self.kernel.once(("values", repr(type_)), write, 1)

    def argument(self, p: ParameterModel) -> Function:
        """`(at)`: the argument of an action, written as in packed records."""

        def write(code: Code) -> None:
            at = code.arguments[0]
            if p.listed:
                code.call(self.things(p.type.element or p.type), at).write()
            elif p.kind == "tops":
                self._tops(code, at, (p.type.element or p.type).component)
            elif p.each:
                self._named(code, at, p.type.element or p.type)
            else:
                self.put_read(code, at, self.value(p.type))
                at.write()

        return self.kernel.once(("argument", p.kind, p.each, str(p.type), repr(p.type)), write, 1)

    def _tops(self, code: Code, at: Local, component: str) -> None:
        """An object from the numbers of piles to things: a pile of the things, followed by the numbers."""
        most = 64
        numbers = self.layout.reserve(most * WORD)
        start, count, number, sign, other = (
            code.local(code.global_(self.out)),
            code.local(0),
            code.local(),
            code.local(),
            code.local(),
        )
        self.put(code, 0)
        with self.text.each_member(code, at):
            self.text.fail_unless(code, count < most)
            number.set(0)
            sign.set(at + 1)
            self.text.fail_unless(code, at.byte().equals(QUOTE))
            self.text.fail_unless(code, (sign.byte() - 0x31).below(9))
            with code.while_((sign.byte() - 0x30).below(10)):
                number.set(number * 10 + sign.byte() - 0x30)
                sign.add(1)
                self.text.fail_unless(code, sign - at <= 5)
            self.text.fail_unless(code, sign.byte().equals(QUOTE))
            at.set(sign + 1)
            self.text.blanks(code, at)
            self.text.sign(code, at, COLON)
            self.text.read(code, at, self.value(Type("face", component=component)))
            other.set(0)
            with code.while_below(other, count):
                self.text.fail_unless(code, (other * WORD).word(numbers).differs(number))
            code.store(count * WORD, number, numbers)
            self.room(code)
            self.put(code, self.number(code))
            count.add(1)
        code.store(start, count)
        out = code.global_(self.out)
        code.copy(out, code.value(numbers), count * WORD)
        out.set(out + count * WORD)
        at.write()

    def _named(self, code: Code, at: Local, type_: Type) -> None:
        """An object with one value for every player: the values by seat."""
        out, players = code.global_(self.out), code.global_(self.kernel.players)
        start, seat, count = code.local(out), code.local(), code.local(0)
        code.fill(out, 0x80, players * WORD)
        out.set(out + players * WORD)
        nothing = -0x7F7F7F80
        with self.text.each_member(code, at):
            self.text.read(code, at, self.player())
            seat.set(self.number(code) * WORD + start)
            self.text.fail_unless(code, seat.word().equals(nothing))
            self.text.sign(code, at, COLON)
            self.text.read(code, at, self.value(type_))
            code.store(seat, self.number(code))
            count.add(1)
        self.text.fail_unless(code, count.equals(players))
        at.write()
