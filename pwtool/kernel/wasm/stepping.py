"""A running game in a kernel, one action at a time: the legal actions, and the effect of one."""

from __future__ import annotations

from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.actions import APPLY, IN_TURN, JUDGE
from pwtool.kernel.wasm.chance import RandomPlay
from pwtool.kernel.wasm.judge import BEGUN, Judge
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import Function

MAY_END, IS_OVER = 1, 2
"""Properties of a position: bits of a word."""
MOST_ENDED = 1000
"""So many turns in a row may have no actions."""
OPTIONS_AT = 3
"""The legal actions begin after this many words: their number, these bits, the seat whose turn it is."""


class Stepping:
    """Writes the functions that continue from where `judge` left a game."""

    def __init__(self, kernel: KernelWriter, judge: Judge, random: RandomPlay) -> None:
        self.kernel, self.judge, self.random = kernel, judge, random
        self.asked = kernel.layout.reserve(4 * WORD)

    def write(self) -> None:
        """Write all functions."""
        legal, act, end_turn = self._legal(), self._act(), self._end_turn()
        self._step(legal, act, end_turn)
        self._answer()

    def _step(self, legal: Function, act: Function, end_turn: Function) -> None:
        """`()`: `act` (0: nothing), end the turns in which nothing else is left to do, and write their number and what
        `legal` lists. Arguments and result are the words at `asked`: the action, `out`, the room, and the number of words
        at `out`, 0 if the action is refused or `legal` fails. (What calls a module from Python takes longer to convert
        arguments than a small game takes for a move.)
        """
        _, code = self.kernel.function("step", 0, None, exported=True)
        asked = code.value(self.asked)
        action, out, room = (code.local(asked.word(at * WORD)) for at in range(3))
        code.store(0, 0, self.asked + 3 * WORD)
        with code.when(action), code.when(code.call(act, action)):
            code.leave()
        words, ended = code.local(), code.local(0)
        with code.loop() as again:
            words.set(code.call(legal, out + WORD, room - WORD))
            with code.when(words.is_zero()):
                code.leave()
            # No actions, the game is not over, and the turn may end.
            with code.when(code.both(out.word(WORD).is_zero(), out.word(2 * WORD).equals(MAY_END))):
                code.do(end_turn)
                ended.set(ended + 1)
                code.branch_if(again, ended < MOST_ENDED)
        code.store(out, ended)
        code.store(0, words + 1, self.asked + 3 * WORD)

    def _legal(self) -> Function:
        """`(out, room)`: begin the next turn if none is under way, and list the legal actions: the number of words at
        `out`, 0 if the room is too small or a bound was exceeded.
        """
        made, code = self.kernel.function("legal", 2, exported=True)
        out, room = code.arguments
        judge, kernel = self.judge, self.kernel
        over, going = code.local(judge.table.over(code)), code.global_(judge.going)
        with code.when(code.both(over.is_zero(), going.is_zero())):
            code.do(judge.begin_turn, judge.table.next_player(code))
            going.set(1)
        with code.when(going.equals(BEGUN)):
            turn = code.global_(kernel.turn)
            turn.set(turn + 1)
            going.set(1)
        ends, kinds, kind = code.local(0), code.local(0), code.local(0)
        count, at, entry, to = code.local(0), code.local(), code.local(), code.local(out + OPTIONS_AT * WORD)
        option_to = code.global_(self.random.option_to)
        start, after = code.local(), code.local()
        with code.when(over.is_zero()):
            ends.set(code.call(judge.may_stop).is_zero())
            self.random.list_kinds(code, kinds, self.random.ways)
        with code.until(kind >= kinds):
            entry.set(kind * (4 * WORD) + self.random.kinds)
            kind.add(1)
            at.set(entry.word(2 * WORD))
            with code.while_(at < entry.word(2 * WORD) + entry.word(3 * WORD)):
                start.set((at * WORD).word(self.random.pointers))
                at.add(1)
                # The arguments of an action end where those of the next begin.
                after.set(option_to)
                with code.when(at < code.global_(self.random.option_count)):
                    after.set((at * WORD).word(self.random.pointers))
                with code.when(to + (after - start) + 2 * WORD > out + room):
                    code.leave(0)
                code.store(to, entry.word())
                code.store(to, entry.word(WORD), WORD)
                code.copy_words(to + 2 * WORD, start, (after - start).shifted_down(2))
                to.set(to + (after - start) + 2 * WORD)
                count.add(1)
        with code.when(code.global_(kernel.beyond)):
            code.leave(0)
        code.store(out, count)
        code.store(out, ends * MAY_END + over * IS_OVER, WORD)
        code.store(out, code.global_(kernel.owner), 2 * WORD)
        (to - out).shifted_down(2).write()
        return made

    def _act(self) -> Function:
        """`(action)`: carry out an action, packed as in a turn: 0, or 1 if it is refused."""
        made, code = self.kernel.function("act", 1, exported=True)
        action = code.arguments[0]
        judge = self.judge
        with code.when(
            code.call(judge.do, action.word(), action + 2 * WORD, action.word(WORD), IN_TURN | JUDGE | APPLY)
        ):
            code.leave(1)
        done = code.global_(judge.done_actions)
        done.set(done + 1)
        with code.when(judge.table.over(code)):
            code.global_(judge.going).set(0)
            code.do(judge.end_turn)
        code.value(0).write()
        return made

    def _end_turn(self) -> Function:
        """`()`: end the turn, with its consequences: 0, or 1 if it may not end."""
        made, code = self.kernel.function("end turn", 0, exported=True)
        judge = self.judge
        with code.when(judge.table.over(code) | code.global_(judge.going).differs(1)):
            code.leave(1)
        with code.when(code.call(judge.may_stop)):
            code.leave(1)
        nothing = code.value(0)
        code.global_(judge.log).set(0)
        code.do(judge.follow, nothing, nothing, nothing)
        code.global_(judge.going).set(0)
        code.do(judge.end_turn)
        code.value(0).write()
        return made

    def _answer(self) -> None:
        """`(answer)`: what `judge` would answer for the game so far, with the scores as if it ended here."""
        _, code = self.kernel.function("answer", 1, None, exported=True)
        answer = code.arguments[0]
        code.do(self.judge.score)
        verdict = code.local(0)
        self.judge.answer_words(code, verdict, answer)
