"""From the JSON text of turns to their packed form."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import ActionModel
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import once
from pwtool.kernel.wasm.operands import Expression
from pwtool.kernel.wasm.values import COLON, COMMA, END_BRACE, QUOTE, ValueReader

MAX_TURNS = 100_000
MARKS = ("!", "?", "!!", "??", "!?", "?!")
Body = Callable[[], None]


class TurnReader(ValueReader):
    """Writes the functions that read turns and actions."""

    @once(1)
    def turns(self, code: Code) -> None:
        """`(at)`: all turns: their number, then each of them."""
        at, count, start = code.arguments[0], code.local(0), code.local(code.global_(self.out))
        self.put(code, 0)
        with self.text.each_element(code, at):
            self.text.read(code, at, self._turn())
            count.add(1)
            self.text.fail_unless(code, count <= MAX_TURNS)
        code.store(start, count)
        at.write()

    @once(1)
    def _turn(self, code: Code) -> None:
        rounds = self.ruleset.rounds
        words = {"actions": 0, "comment": 1} | ({} if rounds else {"player": 2})
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

        with text.each_member(code, at):
            self.key(code, at, words, seen, key)
            cases = [actions, lambda: text.read(code, at, text.string())]
            code.switch(key, cases if rounds else [*cases, player])
        wanted = 1 if rounds else 1 | 1 << words["player"]
        text.fail_unless(code, (seen & wanted).equals(wanted))
        with code.when(later):
            text.fail_unless(code, code.call(self._actions(), later, start))
        at.write()

    @once(2)
    def _actions(self, code: Code) -> None:
        """`(at, turn)`: the actions of a turn whose owner is stored at `turn`; their number is stored after it."""
        at, turn = code.arguments
        count, out, quick = code.local(0), code.local(), code.local()
        with self.text.each_element(code, at):
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
        code.store(turn, count, WORD)
        at.write()

    def _begin_action(self, code: Code, number: int, actor: Expression) -> None:
        """The head of a packed action or consequence."""
        consequences = number - len(self.ruleset.actions)
        self.put(code, number if consequences < 0 else -1 - consequences)
        self.put(code, -1 if self.models[number].joint else actor)

    def _needs_by(self, model: ActionModel) -> bool:
        return self.ruleset.rounds and not model.joint and not model.is_consequence

    @once(2)
    def _quick_action(self, code: Code) -> None:
        """`(at, owner)`: an action whose parts are in the usual order."""
        at, owner = code.arguments
        text, kind = self.text, code.local()
        text.sign(code, at, 0x7B)
        text.skip_literal(code, at, b'"action"')
        text.sign(code, at, COLON)
        text.read(code, at, text.word(self.action_names))
        kind.set(self.number(code))

        def case(number: int, model: ActionModel) -> Body:
            def read() -> None:
                actor: Expression = owner
                if self._needs_by(model):
                    text.sign(code, at, COMMA)
                    text.skip_literal(code, at, b'"by"')
                    text.sign(code, at, COLON)
                    text.read(code, at, self.player())
                    actor = self.number(code)
                self._begin_action(code, number, actor)
                for p in model.parameters:
                    text.sign(code, at, COMMA)
                    text.skip_literal(code, at, f'"{p.name}"'.encode())
                    text.sign(code, at, COLON)
                    text.read(code, at, self.argument(p))
                text.fail_unless(code, at.byte().equals(END_BRACE))

            return read

        code.switch(kind, [case(number, model) for number, model in enumerate(self.models)])
        (at + 1).write()

    @once(2)
    def _any_action(self, code: Code) -> None:
        """`(at, owner)`: an action with its parts in any order."""
        slots = self.layout.reserve(len(self.action_keys) * WORD)

        def slot(code: Code, name: str) -> Expression:
            return code.value(slots + self.action_keys[name] * WORD).word()

        at, owner = code.arguments
        text, value, actor = self.text, code.local(), code.local(owner)
        at.set(code.call(self.members(self.action_keys, slots), at))
        text.fail_unless(code, at)
        value.set(slot(code, "action"))
        text.fail_unless(code, value)
        text.fail_unless(code, code.call(text.word(self.action_names), value))
        kind = code.local(self.number(code))
        # Reveals only occur in records with unseen things.
        text.fail_unless(code, slot(code, "reveal").is_zero())
        for name in ("comment", "mark"):
            value.set(slot(code, name))
            with code.when(value):
                text.fail_unless(code, value.byte().equals(QUOTE))
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
                if model.is_consequence:
                    text.fail_unless(code, actor.equals(owner))
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
