"""The cost of judging: a budget of steps, so that no rules and no record keep it running forever.

A step is a candidate for an argument of an action, a case of a consequence, or an iteration of a loop that contains
another loop. Steps are used instead of seconds so that the same game always gives the same result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk

Sequence = Callable[[Any, list[Any]], Any]

MAX_WORK = 150_000
"""The steps for one game or one question about it; the largest recorded games need less than a fiftieth."""
WORK_EACH = (500, 8_000), (3_000, 1_000), (sys.maxsize, 100)
"""The steps that each turn and each action of a game add: for the first ones, as many as there are in a game on a large board,
whose rules may ask much of all of it; for as many as a very long game has; and for later ones, so that a huge record does not
get a huge budget.
"""
INTERPRETED = 4
"""The steps for one round of an interpreted loop, as with unseen cards; more if its body is large."""
PARTS = 8
"""This many interpreted parts, once or in one round, are a step."""
FREE = 100
"""An interpreted expression that takes at most this many steps and is not in a loop costs nothing."""
MAX_CAUSES_WORK = 60_000
"""The steps for telling root causes from follow-up errors."""
MAX_BESIDE_WORK = 20_000
"""The additional steps for corrections in another place than where a mistake shows."""
MAX_TOLD_WORK = 20_000
"""The steps for explaining one finding."""


def game_work(moves: int) -> int:
    """The steps for one game with this many turns and actions together."""
    found, begin = MAX_WORK, 0
    for end, each in WORK_EACH:
        found += each * max(min(moves, end) - begin, 0)
        begin = end
    return found


class TooMuchWork(Exception):
    """A budget is used up."""

    def __init__(self) -> None:
        super().__init__("this takes more steps to find out than one question has")


class Work:
    """The rest of a budget; without `limited` there is no bound. `ahead` counts the positions that were looked at after an action,
    beside the steps: of these a game may have many.
    """

    __slots__ = ("ahead", "left")

    def __init__(self) -> None:
        self.left = sys.maxsize
        self.ahead = 0

    def spend(self, steps: int) -> None:
        """Take steps from the budget. Raises `TooMuchWork`."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork

    def counted(self, sequence: Sequence, size: int | None = None, each: int = 1) -> Sequence:
        """The elements of a loop, with a step counted for every `each` of them; `size` is given for iterables without a length."""

        def steps(s: Any, e: list[Any]) -> Any:
            found = sequence(s, e)
            self.left -= (len(found) if size is None else size) // each
            if self.left < 0:
                raise TooMuchWork
            return found

        return steps

    @contextmanager
    def limited(self, steps: int = MAX_WORK) -> Iterator[None]:
        """At most this many steps inside the block; they count for the outer budget too."""
        before = self.left
        self.left = start = min(before, steps)
        try:
            yield
        finally:
            self.left = before - (start - self.left)


class Sizes:
    """The sizes of expressions in steps, each computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, Expr]] = {}

    def steps(self, expr: Expr) -> int:
        """One step for every `PARTS` parts of an expression."""
        known = self._known.get(id(expr))
        if known is None:
            # The expression is kept too, so that no other one gets its id.
            known = self._known[id(expr)] = sum(1 for _ in walk(expr)) // PARTS, expr
        return known[0]
