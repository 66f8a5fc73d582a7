"""From the JSON text of a record to its packed form.

Whatever the decoder of `pwtool/records` would refuse, and whatever is not known here (unseen things, what turned up
later), is not read: the engine takes such a record. Parts are read in any order; those in the order in which records
are written are read without being passed over first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.ir.types import Type
from pwtool.kernel import material
from pwtool.kernel.layout import NONE, WORD, Uncompilable
from pwtool.kernel.wasm.code import Code, Expression, Local
from pwtool.kernel.wasm.judge import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES
from pwtool.kernel.wasm.kernel import Kernel
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.text import Text

FORMAT = "pwtool/1"
UNSEEN_CODE = "?"
MAX_NAME = 80
MAX_TURNS = 100_000
MARKS = ("!", "?", "!!", "??", "!?", "?!")
_COLON, _COMMA, _QUOTE, _END_BRACE, _END_BRACKET = 0x3A, 0x2C, 0x22, 0x7D, 0x5D
_TOP = (
    "format", "ruleset", "version", "id", "players", "recorded", "meta", "comment", "setup", "turns", "result",
)  # fmt: skip
Body = Callable[[], None]


class Reader:
    """Writes the functions that read records of one ruleset."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.ruleset, self.layout = kernel, kernel.ruleset, kernel.layout
        self.text = Text(kernel)
        reserve, most = kernel.layout.reserve, self.layout.max_players
        self.names = reserve(most * 2 * WORD)
        self.goals = reserve(max(1, self.layout.goals) * WORD)
        self.totals, self.parts = reserve(most * WORD), reserve(max(1, most * len(self.ruleset.scores)) * WORD)
        self.ranks = reserve(most * WORD)
        self.end = reserve(2 * WORD)
        variable = kernel.module.variable
        self.out, self.limit = variable(), variable()
        self.own, self.other_ruleset = variable(), variable()
        """Whether a record has to name this ruleset and version; whether it names another ruleset."""
        self.flags, self.recorded, self.rank_count = variable(), variable(), variable()
        self.names_from, self.names_to = variable(), variable()
        """Where in the text the list of the players' names stands."""
        self.models: list[ActionModel] = [*self.ruleset.actions.values(), *self.ruleset.consequences.values()]
        self.action_names = {model.name: number for number, model in enumerate(self.models)}
        names = dict.fromkeys(p.name for model in self.models for p in model.parameters)
        self.action_keys = {name: n for n, name in enumerate(["action", "by", "reveal", "mark", "comment", *names])}

    # ---- what is written

    def put(self, code: Code, value: Expression | int) -> None:
        """One word more of the packed record."""
        out = code.global_(self.out)
        code.store(out, value)
        out.set(out + WORD)

    def room(self, code: Code) -> None:
        """Give up where the packed record would grow over its limit."""
        self.text.fail_unless(code, code.global_(self.out) < code.global_(self.limit))

    def number(self, code: Code) -> Expression:
        """What was read last."""
        return code.global_(self.text.number)

    # ---- objects

    def key(self, code: Code, at: Local, words: Mapping[str, int], seen: Local, found: Local) -> None:
        """The key of a member and its colon: `found` is its number among `words`; none comes twice."""
        self.text.read(code, at, self.text.word(words))
        found.set(self.number(code))
        bit = code.value(1) << found
        self.text.fail_unless(code, (seen & bit).is_zero())
        seen.set(seen | bit)
        self.text.sign(code, at, _COLON)

    def members(self, words: Mapping[str, int], slots: int) -> Function:
        """`(at)`: an object with members of these names alone: for each where its value stands, 0 for one that is not
        there.
        """

        def write(code: Code) -> None:
            at = code.arguments[0]
            found = code.local()
            code.fill(slots, 0, len(words) * WORD)

            def member() -> None:
                self.text.read(code, at, self.text.word(words))
                found.set(self.number(code) * WORD + slots)
                self.text.fail_unless(code, found.word().is_zero())
                self.text.sign(code, at, _COLON)
                code.store(found, at)
                self.text.read(code, at, self.text.skip(), 0)

            self.text.each_member(code, at, member)
            at.write()

        return self.text.function(("members", slots, *words), 1, write)

    # ---- names

    def player(self) -> Function:
        """`(at)`: the name of a player; `number` is the seat."""

        def write(code: Code) -> None:
            at = code.local(code.call(self.text.string(), code.arguments[0]))
            self.text.fail_unless(code, at)
            start, size = code.global_(self.text.string_at), code.global_(self.text.string_size)
            name, seat = code.local(self.names), code.local(0)
            with code.block() as nobody, code.loop() as again:
                code.branch_if(nobody, seat >= code.global_(self.kernel.players))
                same = code.call(self.text.same(), name.word(), start, size)
                with code.when(code.both(name.word(WORD).equals(size), same)):
                    code.global_(self.text.number).set(seat)
                    code.leave(at)
                name.add(2 * WORD)
                seat.add(1)
                code.branch(again)
            code.value(0).write()

        return self.text.function(("player",), 1, write)

    def _players(self, code: Code, at: Local) -> None:
        """The list of the players' names."""
        seat, count, sign = code.local(0), code.local(), code.local()
        start, size = code.global_(self.text.string_at), code.global_(self.text.string_size)

        def name() -> None:
            self.text.fail_unless(code, seat < self.layout.max_players)
            code.global_(self.kernel.players).set(seat)
            # Another one of the same name would be found.
            self.text.fail_unless(code, code.call(self.player(), at).is_zero())
            self.text.read(code, at, self.text.string())
            self.text.fail_unless(code, size)
            count.set(0)
            sign.set(start)
            with code.block() as done, code.loop() as again:
                code.branch_if(done, sign >= start + size)
                count.set(count + (sign.byte() & 0xC0).differs(0x80))
                sign.add(1)
                code.branch(again)
            self.text.fail_unless(code, count <= MAX_NAME)
            code.store(seat * (2 * WORD), start, self.names)
            code.store(seat * (2 * WORD), size, self.names + WORD)
            seat.add(1)

        self.text.each_element(code, at, name)
        self.text.fail_unless(code, seat)
        code.global_(self.kernel.players).set(seat)

    def goal(self) -> Function:
        """`(at)`: the name of an objective in play; `number` is its number among these."""

        def write(code: Code) -> None:
            words = {name: number for number, name in enumerate(self.ruleset.objectives)}
            at = code.local(code.call(self.text.word(words), code.arguments[0]))
            self.text.fail_unless(code, at)
            number = code.global_(self.text.number)
            for goal in range(self.layout.goals):
                with code.when(code.value(self.goals + goal * WORD).word().equals(number)):
                    number.set(goal)
                    code.leave(at)
            # One that is not in play is for the engine to tell.
            code.value(0).write()

        return self.text.function(("goal",), 1, write)

    # ---- values

    def value(self, type_: Type) -> Function:
        """`(at)`: a value of a type; `number` is it."""
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

    def _cell(self) -> Function:
        def write(code: Code) -> None:
            at, column = code.arguments[0], code.local()
            text = self.text
            text.sign(code, at, 0x5B)
            text.read(code, at, text.integer())
            column.set(self.number(code))
            text.fail_unless(code, (column + 999).below(1999))
            text.sign(code, at, _COMMA)
            text.read(code, at, text.integer())
            text.fail_unless(code, (self.number(code) + 999).below(1999))
            text.fail_unless(code, at.byte().equals(_END_BRACKET))
            code.global_(text.number).set((self.number(code) << 16) | (column & 0xFFFF))
            (at + 1).write()

        return self.text.function(("cell",), 1, write)

    def _one_of(self, type_: Type) -> Function:
        """A number, a truth value, or a value of one of several types."""
        options = type_.options if type_.kind == "key" else (type_,)
        words: dict[str, int] = {}
        ranges: list[tuple[int, int]] = []
        for option in options:
            if option.kind == "member":
                words |= self._members(option)
            elif option.kind == "int":
                ranges.append((option.low, option.high))
            elif option.kind != "bool":
                raise Uncompilable(f"a record cannot hold {type_}")
        truth = any(option.kind == "bool" for option in options)

        def write(code: Code) -> None:
            at, text = code.arguments[0], self.text
            if words:
                with code.when(at.byte().equals(_QUOTE)):
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

        return self.text.function(("one of", *words, *ranges, truth), 1, write)

    def faces(self, component: str) -> Function:
        """`(at)`: a list of things, written as a pile."""

        def write(code: Code) -> None:
            at, start = code.arguments[0], code.local(code.global_(self.out))
            self.put(code, 0)

            def thing() -> None:
                self.text.read(code, at, self.value(Type("face", component=component)))
                self.room(code)
                self.put(code, self.number(code))

            self.text.each_element(code, at, thing)
            code.store(start, (code.global_(self.out) - start).shifted_down(2) - 1)
            at.write()

        return self.text.function(("things", component), 1, write)

    def argument(self, p: ParameterModel) -> Function:
        """`(at)`: the argument of an action, written as packed records have it."""

        def write(code: Code) -> None:
            at = code.arguments[0]
            if p.kind == "elements":
                code.call(self.faces((p.type.element or p.type).component), at).write()
            elif p.kind == "tops":
                self._tops(code, at, (p.type.element or p.type).component)
            elif p.each:
                self._named(code, at, p.type.element or p.type)
            else:
                self.text.read(code, at, self.value(p.type))
                self.put(code, self.number(code))
                at.write()

        return self.text.function(("argument", p.kind, p.each, str(p.type), repr(p.type)), 1, write)

    def _tops(self, code: Code, at: Local, component: str) -> None:
        """An object from the numbers of piles to things: a pile of the things, then the numbers."""
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

        def top() -> None:
            self.text.fail_unless(code, count < most)
            number.set(0)
            sign.set(at + 1)
            self.text.fail_unless(code, at.byte().equals(_QUOTE))
            self.text.fail_unless(code, (sign.byte() - 0x31).below(9))
            with code.loop() as again, code.when((sign.byte() - 0x30).below(10)):
                number.set(number * 10 + sign.byte() - 0x30)
                sign.add(1)
                self.text.fail_unless(code, sign - at <= 5)
                code.branch(again)
            self.text.fail_unless(code, sign.byte().equals(_QUOTE))
            at.set(sign + 1)
            self.text.blanks(code, at)
            self.text.sign(code, at, _COLON)
            self.text.read(code, at, self.value(Type("face", component=component)))
            other.set(0)
            with code.block() as new, code.loop() as again:
                code.branch_if(new, other >= count)
                self.text.fail_unless(code, (other * WORD).word(numbers).differs(number))
                other.add(1)
                code.branch(again)
            code.store(count * WORD, number, numbers)
            self.room(code)
            self.put(code, self.number(code))
            count.add(1)

        self.text.each_member(code, at, top)
        code.store(start, count)
        out = code.global_(self.out)
        code.copy(out, code.value(numbers), count * WORD)
        out.set(out + count * WORD)
        at.write()

    def _named(self, code: Code, at: Local, type_: Type) -> None:
        """An object with a value for every player: the values by seat."""
        out, players = code.global_(self.out), code.global_(self.kernel.players)
        start, seat, count = code.local(out), code.local(), code.local(0)
        code.fill(out, 0x80, players * WORD)
        out.set(out + players * WORD)
        nothing = -0x7F7F7F80

        def value() -> None:
            self.text.read(code, at, self.player())
            seat.set(self.number(code) * WORD + start)
            self.text.fail_unless(code, seat.word().equals(nothing))
            self.text.sign(code, at, _COLON)
            self.text.read(code, at, self.value(type_))
            code.store(seat, self.number(code))
            count.add(1)

        self.text.each_member(code, at, value)
        self.text.fail_unless(code, count.equals(players))
        at.write()

    # ---- the setup

    def setup(self) -> Function:
        """`(at)`: the setup, in the order of its steps."""
        steps = [step for step in self.ruleset.setup if step.recorded]
        names = [self.ruleset.goal_zone] * bool(self.ruleset.goal_zone) + [step.name for step in steps]
        words = {name: number for number, name in enumerate(names)}
        slots = self.layout.reserve(max(1, len(words)) * WORD)

        def write(code: Code) -> None:
            at = code.arguments[0]
            value = code.local()
            if not words:
                self.put(code, 0)
                self.text.each_member(code, at, lambda: code.leave(0))
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

        return self.text.function(("setup",), 1, write)

    def _goals(self, code: Code, at: Local) -> None:
        words = {name: number for number, name in enumerate(self.ruleset.objectives)}
        count, start = code.local(0), code.local(code.global_(self.out))
        self.put(code, 0)

        def goal() -> None:
            self.text.read(code, at, self.text.word(words))
            self.text.fail_unless(code, count < self.layout.goals)
            code.store(count * WORD, self.number(code), self.goals)
            self.put(code, self.number(code))
            count.add(1)

        self.text.each_element(code, at, goal)
        self.text.fail_unless(code, count.equals(self.layout.goals))
        code.store(start, count)

    def _dealt(self, code: Code, at: Local, step: SetupModel) -> None:
        zone = self.kernel.zone(step.zone)
        component = zone.element.component
        text = self.text

        def part() -> None:
            if step.amount == 1:
                text.read(code, at, self.value(zone.element))
                self.room(code)
                self.put(code, 1)
                self.put(code, self.number(code))
            else:
                self.room(code)
                text.read(code, at, self.faces(component))

        def listed(count: Expression | int, body: Body) -> None:
            number = code.local(0)

            def one() -> None:
                number.add(1)
                body()

            text.each_element(code, at, one)
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
        """An object with a part for every player: the parts in the order of the seats."""
        players = code.global_(self.kernel.players)
        slots = self.layout.reserve(self.layout.max_players * WORD)
        slot, seat, end = code.local(), code.local(0), code.local()
        code.fill(slots, 0, self.layout.max_players * WORD)

        def member() -> None:
            self.text.read(code, at, self.player())
            slot.set(self.number(code) * WORD + slots)
            self.text.fail_unless(code, slot.word().is_zero())
            self.text.sign(code, at, _COLON)
            code.store(slot, at)
            self.text.read(code, at, self.text.skip(), 0)
            seat.add(1)

        self.text.each_member(code, at, member)
        self.text.fail_unless(code, seat.equals(players))
        end.set(at)
        seat.set(0)
        with code.block() as done, code.loop() as again:
            code.branch_if(done, seat >= players)
            at.set((seat * WORD).word(slots))
            part()
            seat.add(1)
            code.branch(again)
        at.set(end)

    # ---- turns

    def turns(self) -> Function:
        """`(at)`: all turns: how many, then each."""

        def write(code: Code) -> None:
            at, count, start = code.arguments[0], code.local(0), code.local(code.global_(self.out))
            self.put(code, 0)

            def turn() -> None:
                self.text.read(code, at, self._turn())
                count.add(1)
                self.text.fail_unless(code, count <= MAX_TURNS)

            self.text.each_element(code, at, turn)
            code.store(start, count)
            at.write()

        return self.text.function(("turns",), 1, write)

    def _turn(self) -> Function:
        rounds = self.ruleset.rounds
        words = {"actions": 0, "comment": 1} | ({} if rounds else {"player": 2})

        def write(code: Code) -> None:
            at, text = code.arguments[0], self.text
            start, seen, key, later = code.local(code.global_(self.out)), code.local(0), code.local(), code.local(0)
            self.room(code)
            self.put(code, -1)
            self.put(code, 0)

            def player() -> None:
                text.read(code, at, self.player())
                code.store(start, self.number(code))

            def actions() -> None:
                if rounds:
                    text.read(code, at, self._actions(), start)
                    return
                with code.when(seen & 1 << words["player"]):
                    text.read(code, at, self._actions(), start)
                    code.otherwise()
                    later.set(at)
                    text.read(code, at, text.skip(), 0)

            def member() -> None:
                self.key(code, at, words, seen, key)
                cases = [actions, lambda: text.read(code, at, text.string())]
                code.switch(key, cases if rounds else [*cases, player])

            text.each_member(code, at, member)
            wanted = 1 if rounds else 1 | 1 << words["player"]
            text.fail_unless(code, (seen & wanted).equals(wanted))
            with code.when(later):
                text.fail_unless(code, code.call(self._actions(), later, start))
            at.write()

        return self.text.function(("turn",), 1, write)

    def _actions(self) -> Function:
        """`(at, turn)`: the actions of a turn whose owner stands at `turn`; how many is noted behind it."""

        def write(code: Code) -> None:
            at, turn = code.arguments
            count, out, quick = code.local(0), code.local(), code.local()

            def action() -> None:
                self.room(code)
                out.set(code.global_(self.out))
                quick.set(code.call(self._quick_action(), at, turn.word()))
                with code.when(quick.is_zero()):
                    code.global_(self.out).set(out)
                    quick.set(code.call(self._any_action(), at, turn.word()))
                    self.text.fail_unless(code, quick)
                at.set(quick)
                self.text.blanks(code, at)
                count.add(1)

            self.text.each_element(code, at, action)
            code.store(turn, count, WORD)
            at.write()

        return self.text.function(("actions",), 2, write)

    def _begin_action(self, code: Code, number: int, actor: Expression) -> None:
        """The head of a packed action or consequence."""
        consequences = number - len(self.ruleset.actions)
        self.put(code, number if consequences < 0 else -1 - consequences)
        self.put(code, -1 if self.models[number].joint else actor)

    def _needs_by(self, model: ActionModel) -> bool:
        return self.ruleset.rounds and not model.joint and not model.is_consequence

    def _quick_action(self) -> Function:
        """`(at, owner)`: an action whose parts stand as they are written usually."""

        def write(code: Code) -> None:
            at, owner = code.arguments
            text, kind = self.text, code.local()
            text.sign(code, at, 0x7B)
            text.skip_literal(code, at, b'"action"')
            text.sign(code, at, _COLON)
            text.read(code, at, text.word(self.action_names))
            kind.set(self.number(code))

            def case(number: int, model: ActionModel) -> Body:
                def read() -> None:
                    actor: Expression = owner
                    if self._needs_by(model):
                        text.sign(code, at, _COMMA)
                        text.skip_literal(code, at, b'"by"')
                        text.sign(code, at, _COLON)
                        text.read(code, at, self.player())
                        actor = self.number(code)
                    self._begin_action(code, number, actor)
                    for p in model.parameters:
                        text.sign(code, at, _COMMA)
                        text.skip_literal(code, at, f'"{p.name}"'.encode())
                        text.sign(code, at, _COLON)
                        text.read(code, at, self.argument(p))
                    text.fail_unless(code, at.byte().equals(_END_BRACE))

                return read

            code.switch(kind, [case(number, model) for number, model in enumerate(self.models)])
            (at + 1).write()

        return self.text.function(("quick action",), 2, write)

    def _any_action(self) -> Function:
        """`(at, owner)`: an action, however its parts stand."""
        slots = self.layout.reserve(len(self.action_keys) * WORD)

        def slot(code: Code, name: str) -> Expression:
            return code.value(slots + self.action_keys[name] * WORD).word()

        def write(code: Code) -> None:
            at, owner = code.arguments
            text, value, actor = self.text, code.local(), code.local(owner)
            at.set(code.call(self.members(self.action_keys, slots), at))
            text.fail_unless(code, at)
            value.set(slot(code, "action"))
            text.fail_unless(code, value)
            text.fail_unless(code, code.call(text.word(self.action_names), value))
            kind = code.local(self.number(code))
            # What turned up is for records with unseen things.
            text.fail_unless(code, slot(code, "reveal").is_zero())
            for name in ("comment", "mark"):
                value.set(slot(code, name))
                with code.when(value):
                    text.fail_unless(code, value.byte().equals(_QUOTE))
                    if name == "mark":
                        marks = {mark: number for number, mark in enumerate(MARKS)}
                        text.fail_unless(code, code.call(text.word(marks), value))
            value.set(slot(code, "by"))
            with code.when(value):
                text.fail_unless(code, code.call(self.player(), value))
                actor.set(self.number(code))

            def case(number: int, model: ActionModel) -> Body:
                def read() -> None:
                    if model.joint:
                        text.fail_unless(code, value.is_zero())
                    if self._needs_by(model):
                        text.fail_unless(code, value)
                    self._begin_action(code, number, actor)
                    known = {p.name for p in model.parameters}
                    for name in list(self.action_keys)[5:]:
                        if name not in known:
                            text.fail_unless(code, slot(code, name).is_zero())
                    for p in model.parameters:
                        value.set(slot(code, p.name))
                        with code.when(value):
                            text.fail_unless(code, code.call(self.argument(p), value))
                            code.otherwise()
                            if p.kind == "derived":
                                self.put(code, NONE)
                            else:
                                code.leave(0)

                return read

            code.switch(kind, [case(number, model) for number, model in enumerate(self.models)])
            at.write()

        return self.text.function(("any action",), 2, write)

    # ---- the result

    def result(self) -> Function:
        """`(at)`: the result, kept until the turns are written."""
        words = {"scores": 0, "parts": 1, "ranking": 2, "end": 3}

        def write(code: Code) -> None:
            at, text = code.arguments[0], self.text
            seen, key = code.local(0), code.local()
            flags = code.global_(self.flags)
            flags.set(HAS_RESULT)
            most = self.layout.max_players
            for address, size in ((self.totals, most), (self.parts, max(1, most * len(self.ruleset.scores)))):
                self._fill(code, address, size)

            def scores() -> None:
                flags.set(flags | HAS_SCORES)
                self._per_player(code, at, lambda seat: self._integer_to(code, at, seat * WORD + self.totals))

            def parts() -> None:
                flags.set(flags | HAS_PARTS)
                self._per_player(code, at, lambda seat: self._lines(code, at, seat))

            def ranking() -> None:
                flags.set(flags | HAS_RANKING)
                self._ranking(code, at)

            def member() -> None:
                self.key(code, at, words, seen, key)
                code.switch(key, [scores, parts, ranking, lambda: self._end(code, at)])

            text.each_member(code, at, member)
            at.write()

        return self.text.function(("result",), 1, write)

    def _fill(self, code: Code, address: int, size: int) -> None:
        for at in range(size):
            code.store(address, NONE, at * WORD)

    def _integer_to(self, code: Code, at: Local, slot: Expression) -> None:
        """A whole number where none was written before."""
        self.text.fail_unless(code, slot.word().equals(NONE))
        self.text.read(code, at, self.text.integer())
        code.store(slot, self.number(code))

    def _per_player(self, code: Code, at: Local, body: Callable[[Local], None]) -> None:
        seat, seen = code.local(), code.local(0)

        def member() -> None:
            self.text.read(code, at, self.player())
            seat.set(self.number(code))
            self.text.sign(code, at, _COLON)
            bit = code.value(1) << (seat & 31)
            self.text.fail_unless(code, (seen & bit).is_zero())
            seen.set(seen | bit)
            body(seat)

        if self.layout.max_players > 31:
            raise Uncompilable("more players than a result is read for")
        self.text.each_member(code, at, member)

    def _lines(self, code: Code, at: Local, seat: Local) -> None:
        words = {score.name: number for number, score in enumerate(self.ruleset.scores)}
        slot = code.local()

        def line() -> None:
            self.text.read(code, at, self.text.word(words))
            slot.set((seat * len(words) + self.number(code)) * WORD + self.parts)
            self.text.sign(code, at, _COLON)
            self._integer_to(code, at, slot)

        self.text.each_member(code, at, line)

    def _ranking(self, code: Code, at: Local) -> None:
        places, names = code.local(0), code.local()
        slot = code.local()
        code.fill(self.ranks, 0xFF, self.layout.max_players * WORD)

        def place() -> None:
            names.set(0)

            def name() -> None:
                self.text.read(code, at, self.player())
                slot.set(self.number(code) * WORD + self.ranks)
                self.text.fail_unless(code, slot.word() < 0)
                code.store(slot, places)
                names.add(1)

            self.text.each_element(code, at, name)
            self.text.fail_unless(code, names)
            places.add(1)

        self.text.each_element(code, at, place)
        code.global_(self.rank_count).set(places)

    def _end(self, code: Code, at: Local) -> None:
        words = {"rule": 0, "turn": 1}
        endings = {ending.name: number for number, ending in enumerate(self.ruleset.endings)}
        seen, key = code.local(0), code.local()

        def member() -> None:
            self.key(code, at, words, seen, key)
            rule = self.text.word(endings)
            code.switch(
                key, [lambda: self.text.read(code, at, rule), lambda: self.text.read(code, at, self.text.integer())]
            )
            code.store(key * WORD, self.number(code), self.end)

        with code.when(self.text.literal(code, at, b"null")):
            self.text.skip_literal(code, at, b"null")
            code.otherwise()
            seen.set(0)
            self.text.each_member(code, at, member)

    def _put_result(self, code: Code) -> None:
        """Write what was kept of the result."""
        flags, players, lines = code.global_(self.flags), code.global_(self.kernel.players), len(self.ruleset.scores)
        out = code.global_(self.out)
        self.put(code, flags)
        with code.when(flags & HAS_PARTS):
            code.copy(out, code.value(self.parts), players * (lines * WORD))
            out.set(out + players * (lines * WORD))
        with code.when(flags & HAS_SCORES):
            code.copy(out, code.value(self.totals), players * WORD)
            out.set(out + players * WORD)
        with code.when(flags & HAS_RANKING):
            self.put(code, code.global_(self.rank_count))
            code.copy(out, code.value(self.ranks), players * WORD)
            out.set(out + players * WORD)
        with code.when(flags):
            self.put(code, code.value(self.end).word())
            self.put(code, code.value(self.end + WORD).word())

    # ---- the whole record

    def record(self) -> Function:
        """`(text, size, out, room, own)`: read a record into `room` bytes at `out`; how many words it has, 0 where it is not
        read. With `own` it has to name this ruleset, and no other version of it.
        """
        made, code = self.kernel.function("read", 5, exported=True)
        start, size, out, room, own = code.arguments
        text, at, end = self.text, code.local(start), code.local(start + size)
        code.global_(self.out).set(out + 2 * WORD)
        code.global_(self.limit).set(out + room - 4096)
        code.global_(self.own).set(own)
        for variable in (self.other_ruleset, self.flags, self.recorded, self.kernel.players):
            code.global_(variable).set(0)
        code.store(self.end, NONE)
        code.store(self.end, NONE, WORD)
        self.text.begin(code)
        seen, key = code.local(0), code.local()
        later = {name: code.local(0) for name in ("setup", "turns", "result")}
        mask_at = code.local(0)
        bits = {name: 1 << number for number, name in enumerate(_TOP)}

        def when_ready(name: str, needs: int, function: Function, then: Body = lambda: None) -> Body:
            def read() -> None:
                ready = (seen & needs).equals(needs)
                for needed in ("setup", "turns"):
                    if needs & bits[needed]:
                        ready = ready & later[needed].is_zero()
                with code.when(ready):
                    text.read(code, at, function)
                    then()
                    code.otherwise()
                    later[name].set(at)
                    text.read(code, at, text.skip(), 0)

            return read

        def after_setup() -> None:
            mask_at.set(code.global_(self.out))
            self.put(code, 0)

        def ruleset() -> None:
            text.read(code, at, text.string())
            other = code.both(own, text.is_text(code, self.ruleset.address).is_zero())
            with code.when(other):
                code.global_(self.other_ruleset).set(1)
                code.leave(0)

        def version() -> None:
            text.read(code, at, text.string())
            text.fail_unless(code, code.one_of(own.is_zero(), text.is_text(code, self.ruleset.version)))

        def form() -> None:
            text.read(code, at, text.string())
            text.fail_unless(code, text.is_text(code, FORMAT))

        def meta() -> None:
            text.fail_unless(code, at.byte().equals(0x7B))
            text.read(code, at, text.skip(), 0)

        def string() -> None:
            text.read(code, at, text.string())

        def names() -> None:
            code.global_(self.names_from).set(at - start)
            self._players(code, at)
            code.global_(self.names_to).set(at - start)

        players = bits["players"]
        cases: dict[str, Body] = {
            "format": form, "ruleset": ruleset, "version": version, "id": string, "comment": string, "meta": meta,
            "players": names, "recorded": lambda: self._recorded(code, at),
            "setup": when_ready("setup", players, self.setup(), after_setup),
            "turns": when_ready("turns", players | bits["setup"], self.turns()),
            "result": when_ready("result", players, self.result()),
        }  # fmt: skip

        def member() -> None:
            self.key(code, at, {name: number for number, name in enumerate(_TOP)}, seen, key)
            code.switch(key, [cases[name] for name in _TOP])

        self.text.blanks(code, at)
        text.each_member(code, at, member, to_end=False)
        # What stands behind it may be another text: neither this one nor the blanks after it may be part of that.
        text.fail_unless(code, at <= end)
        self.text.blanks(code, at)
        text.fail_unless(code, at >= end)
        wanted = bits["format"] | players | bits["turns"]
        text.fail_unless(code, (seen & wanted).equals(wanted))
        with code.when(own):
            text.fail_unless(code, seen & bits["ruleset"])
        if any(step.recorded for step in self.ruleset.setup) or self.ruleset.goal_zone:
            text.fail_unless(code, seen & bits["setup"])
        else:
            with code.when((seen & bits["setup"]).is_zero()):
                self.put(code, 0)
                after_setup()
        for name, function, then in (
            ("setup", self.setup(), after_setup), ("turns", self.turns(), None), ("result", self.result(), None),
        ):  # fmt: skip
            with code.when(later[name]):
                text.fail_unless(code, code.call(function, later[name]))
                if then is not None:
                    then()
        code.store(mask_at, code.global_(self.recorded))
        self._put_result(code)
        words = code.local((code.global_(self.out) - out).shifted_down(2))
        code.store(out, words)
        code.store(out, code.global_(self.kernel.players), WORD)
        words.write()
        return made

    def _recorded(self, code: Code, at: Local) -> None:
        words = {name: number for number, name in enumerate(self.ruleset.consequences)}
        if len(words) > 31:
            raise Uncompilable("it has too many consequences")

        def name() -> None:
            self.text.read(code, at, self.text.word(words))
            mask = code.global_(self.recorded)
            mask.set(mask | (code.value(1) << self.number(code)))

        self.text.each_element(code, at, name)
