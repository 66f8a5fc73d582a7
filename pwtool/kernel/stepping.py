"""A running game in a kernel: legal actions, one action at a time. `docs/kernel.md` documents the exported functions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from pwtool.kernel.run import FUEL_EACH_PLAYED, ROOM, Answers, Instance, Reply, Runner
from pwtool.kernel.wasm.stepping import IS_OVER, MAY_END, OPTIONS_AT

STEPS = ("legal", "act", "end turn", "step", "answer", "judge")


class Beyond(Exception):
    """The position exceeds a bound of kernels."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A position: whether the turn may end, whether the game is over, whose turn it is (-1: a round), and the words of
    all legal actions, one after the other.
    """

    may_end: bool
    over: bool
    owner: int
    count: int
    options: Sequence[int]


class Stepper(Instance):
    """A kernel with one game in its memory."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        for name in STEPS:
            self._exports[name] = self._machine.function(name)
        self._make_room(ROOM)
        self._answer_at = self._begin + ROOM - self.kernel.answer.size * 4

    def begin(self, record: array[int]) -> Reply:
        """Play a packed record and continue from its end."""
        self._machine.write(self._begin, record.tobytes())
        self._call("judge", self._begin, self._answer_at)
        return self._reply()

    def legal(self) -> Moment:
        """The legal actions now; begins the next turn if none is under way. Raises `Beyond`."""
        words = self._call("legal", self._begin, ROOM // 2)
        if not words:
            raise Beyond
        found = self._machine.read(self._begin, 4 * words)
        flags = found[1]
        return Moment(bool(flags & MAY_END), bool(flags & IS_OVER), found[2], found[0], found[OPTIONS_AT:])

    def act(self, action: Sequence[int]) -> bool:
        """Carry out an action, packed as in a turn; False if it is refused."""
        self._machine.write(self._begin, array("i", action).tobytes())
        return not self._call("act", self._begin)

    def step(self, action: Sequence[int] = ()) -> tuple[int, Moment]:
        """Carry out an action (none: nothing), and end the turns in which nothing else is left to do: how many, and what
        is legal then. Raises `Beyond`, also if the action is refused.
        """
        asked, out = self._begin, self._begin + ROOM // 4
        self._machine.write(self.kernel.step, array("i", (asked if action else 0, out, ROOM // 4)).tobytes())
        if action:
            self._machine.write(asked, array("i", action).tobytes())
        self._call("step")
        (words,) = self._machine.read(self.kernel.step + 12, 4)
        if not words:
            raise Beyond
        ended, count, flags, owner, *options = self._machine.read(out, 4 * words).tolist()
        return ended, Moment(bool(flags & MAY_END), bool(flags & IS_OVER), owner, count, options)

    def end_turn(self) -> bool:
        """End the turn, with its consequences; False if it may not end."""
        return not self._call("end turn")

    def reply(self) -> Reply:
        """The kernel's answer for the game so far, with the scores as if it ended here."""
        self._call("answer", self._answer_at)
        return self._reply()

    def _call(self, name: str, *arguments: int) -> int:
        self._machine.fuel(FUEL_EACH_PLAYED)
        found = self._exports[name](*arguments)
        return int(found or 0)

    def _reply(self) -> Reply:
        return Answers(self.kernel, self._machine.read(self._answer_at, self.kernel.answer.size * 4))[0]


__all__ = ["Beyond", "Moment", "Stepper"]
