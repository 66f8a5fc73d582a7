"""From the JSON text of a result to its packed form."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES, HAS_STOPPED, STOPPED, Uncompilable
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import once
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.values import COLON, ValueReader


class ResultReader(ValueReader):
    """Writes the functions that read results."""

    @once(1)
    def result(self, code: Code) -> None:
        """`(at)`: the result, kept until the turns are written."""
        words = {"scores": 0, "parts": 1, "ranking": 2, "end": 3, "stopped": 4}
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

        def stopped() -> None:
            flags.set(flags ^ (HAS_RESULT | HAS_STOPPED))
            self.text.read(code, at, self.text.word({word: number for number, word in enumerate(STOPPED)}))
            code.store(2 * WORD, self.number(code), self.end)

        with text.each_member(code, at):
            self.key(code, at, words, seen, key)
            code.switch(key, [scores, parts, ranking, lambda: self._end(code, at), stopped])
        at.write()

    def _fill(self, code: Code, address: int, size: int) -> None:
        for at in range(size):
            code.store(address, NONE, at * WORD)

    def _integer_to(self, code: Code, at: Local, slot: Expression) -> None:
        """A whole number, if none was read before."""
        self.text.fail_unless(code, slot.word().equals(NONE))
        self.text.read(code, at, self.text.integer())
        code.store(slot, self.number(code))

    def _per_player(self, code: Code, at: Local, body: Callable[[Local], None]) -> None:
        seat, seen = code.local(), code.local(0)
        if self.layout.max_players > 31:
            raise Uncompilable("more players than a result is read for")
        with self.text.each_member(code, at):
            self.text.read(code, at, self.player())
            seat.set(self.number(code))
            self.text.sign(code, at, COLON)
            bit = code.value(1) << (seat & 31)
            self.text.fail_unless(code, (seen & bit).is_zero())
            seen.set(seen | bit)
            body(seat)

    def _lines(self, code: Code, at: Local, seat: Local) -> None:
        words = {score.name: number for number, score in enumerate(self.ruleset.scores)}
        slot = code.local()
        with self.text.each_member(code, at):
            self.text.read(code, at, self.text.word(words))
            slot.set((seat * len(words) + self.number(code)) * WORD + self.parts)
            self.text.sign(code, at, COLON)
            self._integer_to(code, at, slot)

    def _ranking(self, code: Code, at: Local) -> None:
        places, names = code.local(0), code.local()
        slot = code.local()
        code.fill(self.ranks, 0xFF, self.layout.max_players * WORD)
        with self.text.each_element(code, at):
            names.set(0)
            with self.text.each_element(code, at):
                self.text.read(code, at, self.player())
                slot.set(self.number(code) * WORD + self.ranks)
                self.text.fail_unless(code, slot.word() < 0)
                code.store(slot, places)
                names.add(1)
            self.text.fail_unless(code, names)
            places.add(1)
        code.global_(self.rank_count).set(places)

    def _end(self, code: Code, at: Local) -> None:
        words = {"rule": 0, "turn": 1}
        endings = {ending.name: number for number, ending in enumerate(self.ruleset.endings)}
        seen, key = code.local(0), code.local()
        with code.when(self.text.literal(code, at, b"null")):
            self.text.skip_literal(code, at, b"null")
            code.otherwise()
            seen.set(0)
            with self.text.each_member(code, at):
                self.key(code, at, words, seen, key)
                rule = self.text.word(endings)
                code.switch(
                    key, [lambda: self.text.read(code, at, rule), lambda: self.text.read(code, at, self.text.integer())]
                )
                code.store(key * WORD, self.number(code), self.end)

    def _put_result(self, code: Code) -> None:
        """Write the result that was kept."""
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
        with code.when(flags & HAS_STOPPED):
            self.put(code, code.value(self.end + 2 * WORD).word())
