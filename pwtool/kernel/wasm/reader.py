"""From the JSON text of a record to its packed form.

A record that the decoder of `pwtool/records` would refuse, or that contains something that the kernel does not support
(unseen things, later reveals), is not read, and the engine takes it. Parts are read in any order; in the usual order
none has to be skipped first.
"""

from __future__ import annotations

from collections.abc import Callable

from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Local
from pwtool.kernel.wasm.results import ResultReader
from pwtool.kernel.wasm.start_readers import StartReader
from pwtool.kernel.wasm.turns import TurnReader

FORMAT = "pwtool/1"
_TOP = (
    "format", "ruleset", "version", "id", "players", "recorded", "meta", "comment", "setup", "turns", "result",
    "$schema", "start",
)  # fmt: skip
Body = Callable[[], None]


class Reader(StartReader, TurnReader, ResultReader):
    """Writes the function that reads records of one ruleset."""

    def record(self) -> Function:
        """`(text, size, out, room, own)`: read a record into `room` bytes at `out`; its number of words, 0 if it is not
        read. With `own` it has to name this ruleset, and no other version of it.
        """
        made, code = self.kernel.function("read", 5, exported=True)
        start, size, out, room, own = code.arguments
        text, at, end = self.text, code.local(start), code.local(start + size)
        code.global_(self.out).set(out + 2 * WORD)
        code.global_(self.limit).set(out + room - 4096)
        code.global_(self.own).set(own)
        for variable in (self.other_ruleset, self.flags, self.recorded, self.kernel.players, *self.id_at):
            code.global_(variable).set(0)
        code.store(self.end, NONE)
        code.store(self.end, NONE, WORD)
        self.text.begin(code)
        seen, key = code.local(0), code.local()
        later = {name: code.local(0) for name in ("setup", "start", "turns", "result")}
        mask_at = code.local(0)
        bits = {name: 1 << number for number, name in enumerate(_TOP)}
        top = _TOP if self.kernel.starts else _TOP[:-1]

        def when_ready(name: str, needs: int, function: Function, then: Body = lambda: None) -> Body:
            def read() -> None:
                ready = (seen & needs).equals(needs)
                if needs & bits["setup"]:
                    ready = ready & (later["setup"] | later["start"]).is_zero()
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

        def start_instead() -> None:
            """A position comes in place of a setup."""
            text.fail_unless(code, (seen & bits["setup"]).is_zero())
            seen.set(seen | bits["setup"])
            when_ready("start", players, self.start(), after_setup)()

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

        def placed(found: list[int], read: Body) -> Body:
            def within() -> None:
                code.global_(found[0]).set(at - start)
                read()
                code.global_(found[1]).set(at - start)

            return within

        players = bits["players"]
        cases: dict[str, Body] = {
            "format": form, "ruleset": ruleset, "version": version, "id": placed(self.id_at, string), "comment": string, "$schema": string, "meta": meta,
            "players": placed(self.names_at, lambda: self._players(code, at)), "recorded": lambda: self._recorded(code, at),
            "setup": when_ready("setup", players, self.setup(), after_setup),
            "turns": when_ready("turns", players | bits["setup"], self.turns()),
            "result": when_ready("result", players, self.result()), "start": start_instead,
        }  # fmt: skip
        self.text.blanks(code, at)
        with text.each_member(code, at, to_end=False):
            self.key(code, at, {name: number for number, name in enumerate(top)}, seen, key)
            code.switch(key, [cases[name] for name in top])
        # Another text may follow: neither it nor the blanks after it may be part of this one.
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
            ("setup", self.setup(), after_setup), *([("start", self.start(), after_setup)] if self.kernel.starts else []),
            ("turns", self.turns(), None), ("result", self.result(), None),
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
        if len(self.ruleset.consequences) > 31:
            raise Uncompilable("it has too many consequences")
        words = {name: n for n, name in enumerate(self.ruleset.consequences) if name in self.ruleset.recordable}
        with self.text.each_element(code, at):
            self.text.read(code, at, self.text.word(words))
            mask = code.global_(self.recorded)
            mask.set(mask | (code.value(1) << self.number(code)))
