"""Replays with a budget that begin in the middle of another one: what is left after a correction?"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass

from msgspec import Struct

from pwtool.eval.work import TooMuchWork
from pwtool.play.changes import FaultyRules
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import Move, Record
from pwtool.play.replay import Cut, Replayer

ACTION = 2
UNSEEN_ACTION = 40
"""What it costs to judge an action, and one in a position with unseen cards; a turn and a finding cost one each."""
COPIED_TURNS = 100
"""This many turns of a record that is changed in one place cost one."""
MAX_KEPT = 1000
"""The game is kept before so many turns, and then before those with findings."""


class OutOfBudget(Exception):
    """A budget is used up."""


class _NoBetter(Exception):
    """A correction leaves as many findings after it as there were without it."""


@dataclass(slots=True)
class Budget:
    """The number of actions that may still be judged, and the steps that this may take."""

    left: int
    work: int = 0

    def pay(self, cost: int) -> None:
        """Take from the budget. Raises `OutOfBudget`."""
        self.left -= cost
        if self.left < 0:
            raise OutOfBudget


class Before(Struct, frozen=True):
    """The game before a turn, and the findings until then."""

    play: Play
    found: tuple[Finding, ...]


class Judge(Replayer):
    """A replay until there are `most` findings. With `keep`, it keeps the position before turns, so that another replay can
    begin there. It begins at the setup or, if that was kept, at the `turn` of an `earlier` replay, whose record is the same
    until there.
    """

    def __init__(
        self,
        game: Game,
        record: Record,
        legal: LegalActions,
        budget: Budget,
        most: int = sys.maxsize,
        keep: bool = True,
        earlier: Judge | None = None,
        turn: int = 0,
    ) -> None:
        start = None if earlier is None else earlier.before.get(turn)
        super().__init__(game, record, legal, begun=None if start is None else start.play.copy())
        self.begin = None if start is None else (turn, start)
        self.budget = budget
        self.room = most
        self.keep = keep
        self.no_better = False
        self.before: dict[int, Before] = {}
        self.stands: list[Play] | None = None
        if keep and earlier is not None and start is not None:
            self.before = {number: kept for number, kept in earlier.before.items() if number < turn}

    def judge(self) -> Judge:
        """Judge everything from where it begins. Raises `OutOfBudget` and `TooMuchWork`."""
        self.budget.pay(len(self.record.turns) // COPIED_TURNS)
        try:
            self._judge()
        except _NoBetter:
            self.no_better = True
        return self

    def _judge(self) -> None:
        if self.begin is None:
            self.run()
            if self.findings and self.findings[-1].code == "PW617":
                # What comes after it is unknown.
                raise TooMuchWork
            return
        turn, start = self.begin
        try:
            for finding in start.found:
                self.note(finding)
            self.turns(turn)
        except Cut:
            self.replay.cut = True

    def note(self, finding: Finding) -> None:
        super().note(finding)
        self.budget.pay(1)
        self.room -= not finding.undetermined
        if self.room <= 0:
            raise _NoBetter

    def turn(self, number: int) -> None:
        self.budget.pay(1)
        if not self.keep:
            super().turn(number)
            return
        before = self.before.get(number - 1)
        play = self.play.copy(None if before is None else before.play)
        before = self.before[number] = Before(play, tuple(self.findings))
        super().turn(number)
        if number >= MAX_KEPT and len(self.findings) == len(before.found) and number < len(self.record.turns) - 1:
            del self.before[number]

    def kept(self) -> Play:
        """The current state of the game, for the findings."""
        return super().kept() if self.keep else self.play

    def action(self, where: Path, move: Move) -> None:
        self.budget.pay(UNSEEN_ACTION if self.play.state.unseen else ACTION)
        self.stand()
        super().action(where, move)

    def end_of_turn(self, number: int, moves: list[Move]) -> bool:
        self.stand()
        return super().end_of_turn(number, moves)

    def stand(self) -> None:
        """Keep the current state of the game within a turn, if asked."""
        if self.stands is not None:
            self.stands.append(self.play.copy())

    def within(self, number: int) -> list[Play]:
        """The game before each action of the turn at which it begins, and after the last one."""
        self.stands = []
        with suppress(Cut, FaultyRules):
            self.turn(number)
        return self.stands

    @property
    def certain(self) -> list[Finding]:
        """The findings that hold whatever the unseen cards are."""
        return [finding for finding in self.findings if not finding.undetermined]


def whole(game: Game, record: Record, legal: LegalActions) -> Judge:
    """What has replayed a whole record, with what telling causes apart needs of it."""
    judge = Judge(game, record, legal, Budget(sys.maxsize))
    judge.run()
    return judge
