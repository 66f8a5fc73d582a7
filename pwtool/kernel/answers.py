"""The interface between kernels and their callers: verdicts, what a packed record says about its end, the layout of
answers.
"""

from __future__ import annotations

from msgspec import Struct

CLEAN, REFUSED, NOT_MINE = 0, 1, 2
"""The verdicts."""
HAS_RESULT, HAS_SCORES, HAS_PARTS, HAS_RANKING, HAS_STOPPED = 1, 2, 4, 8, 16
"""How much of the end of its game a packed record gives: bits of a word. With any of them it has the first, if the rules
ended the game, or the last, if the players stopped it.
"""
FAILED, NO_SETUP, ENDLESS = 0, -1, -2
"""What random play answers in place of a number of words: a bound of the kernel was exceeded, there is no setup that the
rules accept, or a turn does not end.
"""
STOPPED = ("resignation", "agreement", "time", "forfeit", "adjudication", "abandonment", "unknown")
"""Why players may stop a game that the rules did not end."""
START = -1
"""The word in a packed record that a position follows, in place of the number of objectives in play."""
MOST_COUNTED = 4096
"""The most games of one call for which the number of turns without a choice is reported."""


class Uncompilable(Exception):
    """The ruleset exceeds a bound of kernels, so the engine judges its games. The argument says why."""


class Answer(Struct, frozen=True):
    """The layout of an answer, as offsets in words. The totals are followed by the score lines of each seat (all lines
    of one seat together), the ranks of the seats, the number of ranks, and for each objective in play its number and
    the turn of its first claim.
    """

    players: int
    lines: int
    goals: int

    VERDICT, CODE, RULE, TURN, ACTION, TURNS, ACTIONS, OVER, ENDING, ENDING_TURN = range(10)
    PLAYERS, NAMES, NAMES_END, ID, ID_END, BEFORE, TOTALS = range(10, 17)

    @property
    def claims(self) -> int:
        """The offset of the objectives."""
        return self.TOTALS + self.players * (1 + self.lines) + self.players + 1

    @property
    def size(self) -> int:
        """The size of an answer in words."""
        return self.claims + 2 * self.goals
