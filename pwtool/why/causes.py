"""Root causes: which findings would remain without the earlier mistakes?

At the first mistake of a record, small corrections are tried: each similar legal action, none, another player, one more
action, another turn, ...; the rest is judged after each of them. A finding that disappears after a correction that
leaves fewer findings than before follows from the mistake; a finding that remains after all of them is a separate mistake.
Then the next mistake is examined, after the correction that leaves the fewest findings.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from pwtool.eval.kleene import equal, total
from pwtool.eval.work import MAX_BESIDE_WORK, MAX_CAUSES_WORK, TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.walk import free_locals, walk
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.paths import turn_path
from pwtool.play.play import Play
from pwtool.play.record import Move, Outcome, Record
from pwtool.play.replay import Cut, Replay, Replayer
from pwtool.why.elsewhere import Passed, elsewhere
from pwtool.why.repairs import numbered, repairs

MAX_CAUSES = 40
MAX_JUDGED = 45_000
"""The budget for telling causes apart: judging an action costs `ACTION`, in a position with unseen cards `UNSEEN_ACTION`, a
turn and a finding one each.
"""
MAX_BESIDE = 15_000
"""The additional budget for corrections in another place than the one where a mistake shows."""
ACTION = 2
UNSEEN_ACTION = 40
COPIED_TURNS = 100
"""This many turns of a record that is changed in one place cost one."""

Key = tuple[str, str | None, Path]


def key_of(finding: Finding) -> Key:
    """A key that is equal for equal findings."""
    return finding.code, finding.rule, finding.path


@dataclass(slots=True)
class Causes:
    """The root causes of a game's findings, the last one examined among them. `moves` are the actions that were assumed instead of
    illegal ones, by the place of their cause; `complete` is false if the search was given up.
    """

    findings: list[Finding] = field(default_factory=list)
    moves: dict[Path, Move] = field(default_factory=dict)
    complete: bool = True


@dataclass(slots=True)
class _Budget:
    """The number of actions that may still be judged."""

    left: int


class _OutOfBudget(Exception):
    pass


class _NoBetter(Exception):
    """A correction leaves as many findings after it as there were without it."""


@dataclass(frozen=True, slots=True)
class _Start:
    """The game before a turn, and the findings until then."""

    play: Play
    found: tuple[Finding, ...]


class _Judge(Replayer):
    """A replay that keeps the position before turns, so that another replay can begin there: before turns with findings, before all
    turns (`all`), or before none (`none`) if only the findings are wanted. It begins at the setup or, if that was kept, at
    the `turn` of an `earlier` replay, whose record is the same until there.
    """

    def __init__(
        self,
        game: Game,
        record: Record,
        legal: LegalActions,
        budget: _Budget,
        most: int = sys.maxsize,
        keep: Literal["none", "wrong", "all"] = "wrong",
        earlier: _Judge | None = None,
        turn: int = 0,
    ) -> None:
        start = None if earlier is None else earlier.starts.get(turn)
        super().__init__(game, record, legal, begun=None if start is None else start.play.copy())
        self.begin = None if start is None else (turn, start)
        self.budget = budget
        self.room = most
        self.keep = keep
        self.no_better = False
        self.starts: dict[int, _Start] = {}
        if earlier is not None and start is not None:
            self.starts = {number: kept for number, kept in earlier.starts.items() if number < turn}
        self.passed: dict[int, Passed] = {}

    def judge(self) -> _Judge:
        """Judge everything from where it begins; stop at `most` findings."""
        self.pay(len(self.record.turns) // COPIED_TURNS)
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
        self.pay(1)
        self.room -= not finding.undetermined
        if self.room <= 0:
            raise _NoBetter

    def turn(self, number: int) -> None:
        """Judge a turn; corrections begin only at a turn with a finding, or at the turn in which the record stops."""
        self.pay(1)
        if self.keep == "none":
            super().turn(number)
            return
        start = _Start(self.play.copy(), tuple(self.findings))
        self.starts[number] = start
        if self.keep == "all":
            self.passed[number] = Passed(start.play)
        super().turn(number)
        if self.keep == "wrong" and len(self.findings) == len(start.found) and number < len(self.record.turns) - 1:
            del self.starts[number]

    def kept(self) -> Play:
        """The current state of the game, for the findings."""
        return self.play if self.keep == "none" else super().kept()

    def pay(self, cost: int) -> None:
        """Take from the budget. Raises `_OutOfBudget`."""
        self.budget.left -= cost
        if self.budget.left < 0:
            raise _OutOfBudget

    def action(self, where: Path, move: Move) -> None:
        self.pay(UNSEEN_ACTION if self.play.state.unseen else ACTION)
        self.stand()
        super().action(where, move)

    def end_of_turn(self, number: int, moves: list[Move]) -> bool:
        self.stand()
        return super().end_of_turn(number, moves)

    def stand(self) -> None:
        """Keep the current state of the game within a turn."""
        if self.keep == "all":
            self.passed[len(self.passed) - 1].positions.append(self.play.copy())

    @property
    def certain(self) -> list[Finding]:
        """The findings that hold whatever the unseen cards are."""
        return [finding for finding in self.findings if not finding.undetermined]


def mark_causes(game: Game, replay: Replay, legal: LegalActions) -> Causes:
    """Find the root causes of a replay's findings and mark the other findings as following from them.

    Findings that exist only in a corrected game are not reported: nobody knows what would have been played then.
    """
    search = _Search(game, legal, replay)
    try:
        with game.work.limited(MAX_CAUSES_WORK):
            search.run()
    except (_OutOfBudget, TooMuchWork):
        search.causes.complete = False
        # The first finding is a cause, however little was found out.
        search.causes.findings = search.causes.findings or [f for f in replay.findings if not f.undetermined][:1]
    own = {key_of(finding) for finding in search.causes.findings}
    for finding in replay.findings:
        key = key_of(finding)
        if finding.code == "PW617":
            continue
        finding.follows = key not in search.undetermined if finding.undetermined else key not in own
    return search.causes


def mark_first(replay: Replay) -> Causes:
    """Take the first finding as the cause of all others, without a search."""
    certain = [finding for finding in replay.findings if not finding.undetermined]
    first = [finding for finding in certain if finding.place == certain[0].place]
    places = {id(finding) for finding in first}
    for finding in replay.findings:
        finding.follows = bool(first) and id(finding) not in places and finding.code != "PW617"
    return Causes(first, complete=len(first) == len(certain))


class _Search:
    """The search for the causes of one record."""

    def __init__(self, game: Game, legal: LegalActions, replay: Replay) -> None:
        self.game, self.legal = game, legal
        self.budget = _Budget(MAX_JUDGED)
        self.beside = _Budget(MAX_BESIDE)
        self.beside_work = MAX_BESIDE_WORK
        # Whether one changed value removes all findings about the last cause's action.
        self.one_mistake = False
        self.causes = Causes()
        self.record = numbered(judged_part(replay))
        self.left = {key_of(finding) for finding in replay.findings if not finding.undetermined}
        self.undetermined = {key_of(finding) for finding in replay.findings if finding.undetermined}

    def run(self) -> None:
        """Examine one cause after another."""
        if not self.left:
            return
        # The record as it is gets judged whatever the cost: it was judged before.
        judged = _Judge(self.game, self.record, self.legal, _Budget(sys.maxsize)).judge()
        seen: set[Path] = set()
        while True:
            group = self._first(judged, seen)
            if not group:
                return
            if group[0].path[0] not in ("turns", *_SETUP):
                self.causes.findings += self._of_result(judged)
                return
            if len(self.causes.findings) >= MAX_CAUSES:
                self.causes.complete = False
                return
            seen.add(group[0].place)
            here = _causes_here(group)
            self.causes.findings += here
            if isinstance(group[0].fact, _ORDER):
                # Once a turn is out of order, whatever comes next in it is out of order too.
                later = (f for f in judged.certain if f.path[:2] == group[0].path[:2] and isinstance(f.fact, _ORDER))
                self.left -= {key_of(finding) for finding in later} - {key_of(f) for f in group}
            judged = self._corrected(judged, group)
            if self.one_mistake:
                self.causes.findings = [f for f in self.causes.findings if f not in here[1:]]

    def _first(self, judged: _Judge, seen: set[Path]) -> list[Finding]:
        """The findings in the first place that is still to be explained."""
        left = [f for f in judged.certain if key_of(f) in self.left and f.place not in seen]
        if left and isinstance(left[0].fact, _MATERIAL):
            # A card that is there too often in one place is missing in another.
            return [f for f in left if isinstance(f.fact, _MATERIAL)]
        return [f for f in left if f.place == left[0].place]

    def _of_result(self, judged: _Judge) -> list[Finding]:
        """The causes of a wrong result: in the result itself, or in one earlier thing that is legal and nevertheless wrong."""
        left = [f for f in judged.certain if key_of(f) in self.left]
        causes = _result_causes(judged.record, left, self.causes.findings)
        if len(causes) > 1 and self._elsewhere(judged, len(judged.record.turns)) is not None:
            return causes[:1]
        return causes

    def _corrected(self, judged: _Judge, group: list[Finding]) -> _Judge:
        """The replay after the best correction of a mistake; findings that disappear after any good correction follow from it."""
        turn = None if group[0].path[0] in _SETUP else _number_of(judged.record, group[0].path)
        best, move, begins = judged, None, None
        self.one_mistake = False
        start = None if turn is None else judged.starts.get(turn)
        if turn is not None and start is None:
            return judged
        begun = start.play if start is not None else judged.play
        for repair in repairs(self.game, judged.record, turn, group, begun):
            base = None if repair.whole else judged
            other = _Judge(
                self.game, repair.record, self.legal, self.budget, len(judged.certain), "none", base, turn or 0
            ).judge()
            if not self._is_better(other, judged):
                continue
            self.one_mistake |= repair.single and not any(f.place == group[0].place for f in other.certain)
            if len(other.certain) < len(best.certain):
                best, move, begins = other, repair.move, base
            if not other.certain:
                break
        if best.certain and turn is not None:
            right = self._elsewhere(judged, turn)
            if right is not None:
                best, move, self.one_mistake = right, None, True
                self.left &= {key_of(f) for f in self.causes.findings}
        if best.certain and best is not judged:
            # The search continues from here.
            best = _Judge(self.game, best.record, self.legal, self.budget, earlier=begins, turn=turn or 0).judge()
        if best is not judged:
            self.undetermined &= {key_of(f) for f in best.findings if f.undetermined}
        if move is not None:
            self.causes.moves[group[0].place] = move
        return best

    def _is_better(self, other: _Judge, judged: _Judge) -> bool:
        """Whether a corrected record has fewer findings; those that disappear follow from the mistake."""
        if other.no_better or len(other.certain) >= len(judged.certain):
            return False
        if _not_over(other) and not _not_over(judged):
            # A game that is not over says nothing about the result.
            return False
        self.left &= {key_of(finding) for finding in other.certain} | {key_of(f) for f in self.causes.findings}
        return True

    def _elsewhere(self, judged: _Judge, turn: int) -> _Judge | None:
        """The replay after one correction in another place that fixes all the rest, if there is one."""
        work, found = self.game.work, None
        before = work.left
        with suppress(_OutOfBudget, TooMuchWork), work.limited(self.beside_work):
            found = self._made_right(judged, turn)
        # These additional attempts take nothing from the budget of the search itself.
        self.beside_work -= before - work.left
        work.left = before
        return found

    def _made_right(self, judged: _Judge, turn: int) -> _Judge | None:
        whole = _Judge(self.game, judged.record, self.legal, self.beside, keep="all").judge()
        for repair in elsewhere(self.game, judged.record, turn, judged.certain, whole.passed):
            base = None if repair.whole else whole
            other = _Judge(self.game, repair.record, self.legal, self.beside, 1, "none", base, repair.turn or 0).judge()
            if not other.no_better:
                return other
        return None


def _not_over(judged: _Judge) -> bool:
    return any(isinstance(finding.fact, facts.NotOver) for finding in judged.certain)


def judged_part(replay: Replay) -> Record:
    """The record up to where a replay of it stopped."""
    record, turn = replay.record, replay.play.turn - replay.record.first
    if not replay.cut:
        return record
    turns = record.turns[: turn + 1]
    path = replay.findings[-1].path
    if turns and path[2:3] == ("actions",) and path[:2] == turn_path(record, turn):
        turns[-1] = replace(turns[-1], moves=[m for m in turns[-1].moves if m.index <= int(path[3])])
    return replace(record, turns=turns, outcome=None, whole=False)


_SETUP = ("players", "setup", "start")
_MATERIAL = facts.TooOften | facts.Missing
_ORDER = facts.OutOfOrder | facts.TooEarly | facts.AfterConsequences


def _number_of(record: Record, path: Path) -> int | None:
    """The number of the turn at a place in the file."""
    for number, turn in enumerate(record.turns):
        if path[1:2] == (number if turn.index is None else turn.index,):
            return number
    return None


def _causes_here(findings: list[Finding]) -> list[Finding]:
    """The findings about one action, without those that follow from its being out of order or from a card that is not there; for a
    card that the deck does not have, the finding about the card that it replaces.
    """
    if isinstance(findings[0].fact, _ORDER):
        return findings[:1]
    often = [f for f in findings if isinstance(f.fact, facts.TooOften)]
    if often:
        lacking = (face for f in findings if isinstance(f.fact, facts.Missing) for face in f.fact.faces)
        return often if len(list(lacking)) <= len(often) else findings
    missing = [f.fact for f in findings if isinstance(f.fact, facts.NotThere)]
    return [f for f in findings if not (isinstance(f.fact, facts.Broken) and _asks(f.fact, missing))]


def _asks(broken: facts.Broken, missing: list[facts.NotThere]) -> bool:
    """Whether a rule reads a parameter that names something that is not there, or the zone where it is missing."""
    slots = {fact.parameter.slot for fact in missing}
    zones = {fact.parameter.zone for fact in missing}
    lets = broken.runner.model.lets if broken.runner is not None else ()
    asked = set(free_locals(broken.rule.when) | free_locals(broken.rule.require))
    parts = [part for part in (broken.rule.when, broken.rule.require) if part is not None]
    for _, slot, value in reversed(lets):
        if slot in asked:
            asked |= free_locals(value)
            parts.append(value)
    read = {node.zone for part in parts for node in walk(part) if isinstance(node, ir.Zone)}
    return bool(asked & slots or read & zones)


def _result_causes(record: Record, findings: list[Finding], earlier: list[Finding]) -> list[Finding]:
    """The findings about a result, without those that follow from its own wrong lines and totals; that the game is not over follows
    from the findings about the turn in which the record stops.
    """
    last = turn_path(record, len(record.turns) - 1) if record.turns else ()
    stopped = any(finding.path[:2] == last for finding in earlier)
    findings = [f for f in findings if not (stopped and isinstance(f.fact, facts.NotOver))]
    results = [finding for finding in findings if finding.path[0] == "result"]
    assert record.outcome is not None
    return [finding for finding in results if not _follows(finding, results, record.outcome)]


def _follows(finding: Finding, findings: list[Finding], outcome: Outcome) -> bool:
    fact = finding.fact
    if isinstance(fact, facts.WrongTotal):
        lines = (outcome.parts or {}).get(fact.player, {})
        wrong = any(isinstance(f.fact, facts.WrongLine) and f.fact.player == fact.player for f in findings)
        added = total(lines.get(name, value) for name, value in fact.lines)
        return wrong and equal(fact.given, added) is not False
    if isinstance(fact, facts.WrongRanking):
        scores = outcome.scores or {}
        groups = [[scores[player] for player in group if player in scores] for group in outcome.ranking or []]
        wrong = any(isinstance(f.fact, facts.WrongTotal) for f in findings)
        return wrong and _falls([group for group in groups if group])
    return False


def _falls(groups: list[list[int]]) -> bool:
    """Whether every number of a group is at least as large as those of the groups after it."""
    return all(min(a) >= max(b) for a, b in pairwise(groups))
