"""The interface between kernels and their callers: verdicts, what a packed record says about its end, the layout of
answers.
"""

from __future__ import annotations

from dataclasses import dataclass

CLEAN, REFUSED, NOT_MINE = 0, 1, 2
"""The verdicts."""
HAS_RESULT, HAS_SCORES, HAS_PARTS, HAS_RANKING = 1, 2, 4, 8
"""What a packed record says of the end of its game: bits of a word."""
MOST_COUNTED = 4096
"""Of so many games of a call it is told in how many turns there was nothing to choose."""


class Uncompilable(Exception):
    """A ruleset that the kernel cannot hold: the engine judges its games. The argument says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where in an answer what stands, in words. The totals are followed by the score lines of each seat (all of one seat
    together), the ranks of the seats, the number of ranks, and for each objective in play its number and the turn of its first
    claim.
    """

    players: int
    lines: int
    goals: int

    VERDICT, CODE, RULE, TURN, ACTION, TURNS, ACTIONS, OVER, ENDING, ENDING_TURN, PLAYERS, NAMES, NAMES_END, TOTALS = (
        range(14)
    )

    @property
    def claims(self) -> int:
        """Where the objectives begin."""
        return self.TOTALS + self.players * (1 + self.lines) + self.players + 1

    @property
    def size(self) -> int:
        """How many words an answer has."""
        return self.claims + 2 * self.goals
