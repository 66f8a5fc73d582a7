"""Root causes: which findings would remain without the earlier mistakes?

At the first mistake of a record, small corrections are tried: each similar legal action, none, another player, one more
action, another turn, ...; the rest is judged after each of them. A finding that disappears after a correction that
leaves fewer findings than before follows from the mistake; a finding that remains after all of them is a separate mistake.
Then the next mistake is examined, after the correction that leaves the fewest findings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING, TypeVar

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
from pwtool.play.replay import Replay
from pwtool.why.elsewhere import Passed, elsewhere
from pwtool.why.judging import ACTION, COPIED_TURNS, Budget, Judge, OutOfBudget
from pwtool.why.repairs import Repair, numbered, repairs

if TYPE_CHECKING:
    from pwtool.kernel.run import Reply
    from pwtool.why.trials import Trials

MAX_CAUSES = 40
MAX_JUDGED = 45_000
"""The budget for telling causes apart."""
MAX_BESIDE = 15_000
"""The additional budget for corrections in another place than the one where a mistake shows."""
FIRST_TRIALS, MOST_TRIALS = 8, 64
"""How many corrections a kernel judges in one call: more each time."""
T = TypeVar("T")

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


def mark_causes(
    game: Game, replay: Replay, legal: LegalActions, trials: Trials | None = None, judge: Judge | None = None
) -> Causes:
    """Find the root causes of a replay's findings and mark the other findings as following from them. With `trials`, a
    kernel looks for the corrections that leave nothing. `judge`: what made the replay, if it kept the turns.

    Findings that exist only in a corrected game are not reported: nobody knows what would have been played then.
    """
    search = _Search(game, legal, replay, trials, judge)
    try:
        with game.work.limited(MAX_CAUSES_WORK):
            search.run()
    except (OutOfBudget, TooMuchWork):
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

    def __init__(
        self, game: Game, legal: LegalActions, replay: Replay, trials: Trials | None, judge: Judge | None
    ) -> None:
        self.game, self.legal, self.trials = game, legal, trials
        self.budget = Budget(MAX_JUDGED)
        self.beside = Budget(MAX_BESIDE, MAX_BESIDE_WORK)
        self.right = Budget(MAX_JUDGED, MAX_CAUSES_WORK)
        # Whether one changed value removes all findings about the last cause's action.
        self.one_mistake = False
        self.causes = Causes()
        self.record = numbered(judged_part(replay))
        self.judge = judge if not replay.cut else None
        self.left = {key_of(finding) for finding in replay.findings if not finding.undetermined}
        self.undetermined = {key_of(finding) for finding in replay.findings if finding.undetermined}

    def run(self) -> None:
        """Examine one cause after another."""
        if not self.left:
            return
        judged = self._as_it_is()
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

    def _as_it_is(self) -> Judge:
        """The replay of the record as it is, whatever the cost: it was judged before."""
        if self.judge is None:
            # Nor do its steps count: who made the replay does not matter.
            work = self.game.work
            before, work.left = work.left, sys.maxsize
            judged = Judge(self.game, self.record, self.legal, Budget(sys.maxsize)).judge()
            work.left = before
            return judged
        self.judge.record = self.record
        return self.judge

    def _first(self, judged: Judge, seen: set[Path]) -> list[Finding]:
        """The findings in the first place that is still to be explained."""
        left = [f for f in judged.certain if key_of(f) in self.left and f.place not in seen]
        if left and isinstance(left[0].fact, _MATERIAL):
            # A card that is there too often in one place is missing in another.
            return [f for f in left if isinstance(f.fact, _MATERIAL)]
        return [f for f in left if f.place == left[0].place]

    def _of_result(self, judged: Judge) -> list[Finding]:
        """The causes of a wrong result: in the result itself, or in one earlier thing that is legal and nevertheless wrong."""
        left = [f for f in judged.certain if key_of(f) in self.left]
        causes = _result_causes(judged.record, left, self.causes.findings)
        if len(causes) > 1 and self._elsewhere(judged, len(judged.record.turns)) is not None:
            return causes[:1]
        return causes

    def _corrected(self, judged: Judge, group: list[Finding]) -> Judge:
        """The replay after the best correction of a mistake: one that leaves nothing, here or elsewhere, or the one that leaves
        the fewest findings. Those that disappear after any good correction follow from the mistake.
        """
        turn = None if group[0].path[0] in _SETUP else _number_of(judged.record, group[0].path)
        self.one_mistake = False
        start = None if turn is None else judged.before.get(turn)
        if turn is not None and start is None:
            return judged
        begun = start.play if start is not None else judged.play
        right, tried = self._first_right(judged, turn, group, begun)
        if right is None and turn is not None:
            right = self._elsewhere(judged, turn)
            self.one_mistake = right is not None
        if right is not None:
            self.left &= {key_of(finding) for finding in self.causes.findings}
            self.undetermined &= {key_of(finding) for finding in right.findings}
            return right
        best, move, begins = judged, None, None
        for repair in tried or repairs(self.game, judged.record, turn, group, begun):
            base = None if repair.whole else judged
            other = self._repaired(repair, judged, turn)
            if not self._is_better(other, judged):
                continue
            self.one_mistake |= repair.single and not any(f.place == group[0].place for f in other.certain)
            if len(other.certain) < len(best.certain):
                best, move, begins = other, repair.move, base
            if not other.certain:
                break
        if best.certain and best is not judged:
            # The search continues from here.
            best = Judge(self.game, best.record, self.legal, self.budget, earlier=begins, turn=turn or 0).judge()
        if best is not judged:
            self.undetermined &= {key_of(f) for f in best.findings if f.undetermined}
        if move is not None:
            self.causes.moves[group[0].place] = move
        return best

    def _repaired(self, repair: Repair, judged: Judge, turn: int | None) -> Judge:
        """The replay after a correction, as long as it is better."""
        base, most = None if repair.whole else judged, len(judged.certain)
        return Judge(self.game, repair.record, self.legal, self.budget, most, False, base, turn or 0).judge()

    def _is_better(self, other: Judge, judged: Judge) -> bool:
        """Whether a corrected record has fewer findings; those that disappear follow from the mistake."""
        if other.no_better or len(other.certain) >= len(judged.certain):
            return False
        if _not_over(other) and not _not_over(judged):
            # A game that is not over says nothing about the result.
            return False
        self.left &= {key_of(finding) for finding in other.certain} | {key_of(f) for f in self.causes.findings}
        return True

    def _mends(self, repair: Repair, judged: Judge, turn: int | None, group: list[Finding]) -> bool:
        """Whether a correction leaves nothing in the place of a mistake, and less than before."""
        other = self._repaired(repair, judged, turn)
        return self._is_better(other, judged) and not any(f.place == group[0].place for f in other.certain)

    def _first_right(
        self, judged: Judge, turn: int | None, group: list[Finding], begun: Play
    ) -> tuple[Judge | None, list[Repair]]:
        """The replay after the first correction of a mistake that leaves nothing: then all others follow from it. If there
        is none, all corrections that were tried; none if that was given up.
        """
        before: list[Repair] = []
        every: list[Repair] = []

        def tried() -> Iterator[Repair]:
            for repair in repairs(self.game, judged.record, turn, group, begun):
                before.append(repair)
                yield repair
            every.extend(before)

        found = self._limited(self.right, lambda: self._leaves_nothing(tried(), judged, turn or 0, self.right))
        if found is None:
            return None, every
        repair, right = found
        self.one_mistake = repair.single
        if not repair.single and len(_causes_here(group)) > 1:
            earlier = takewhile(lambda one: one is not repair, before)
            self.one_mistake = any(self._mends(one, judged, turn, group) for one in earlier if one.single)
        if repair.move is not None:
            self.causes.moves[group[0].place] = repair.move
        return right, []

    def _elsewhere(self, judged: Judge, turn: int) -> Judge | None:
        """The replay after one correction in another place that fixes all the rest, if there is one."""

        def positions(number: int) -> Callable[[], list[Play]]:
            begins = (self.game, judged.record, self.legal, self.beside)
            return cache(lambda: Judge(*begins, keep=False, earlier=judged, turn=number).within(number))

        def right() -> Judge | None:
            passed = {number: Passed(before.play, positions(number)) for number, before in judged.before.items()}
            others = elsewhere(self.game, judged.record, turn, judged.certain, passed)
            found = self._leaves_nothing(others, judged, 0, self.beside)
            return None if found is None else found[1]

        return self._limited(self.beside, right)

    def _limited(self, budget: Budget, search: Callable[[], T | None]) -> T | None:
        """What a search finds within a budget of its own; it takes nothing from that for telling causes apart."""
        work, found = self.game.work, None
        before = work.left
        with suppress(OutOfBudget, TooMuchWork), work.limited(budget.work):
            found = search()
        budget.work -= before - work.left
        work.left = before
        return found

    def _leaves_nothing(
        self, tried: Iterator[Repair], base: Judge, turn: int, budget: Budget
    ) -> tuple[Repair, Judge] | None:
        """The first correction that leaves nothing, and the replay after it."""
        size, most = (1, 1) if self.trials is None else (FIRST_TRIALS, MOST_TRIALS)
        while some := list(islice(tried, size)):
            firsts = [turn if repair.turn is None else repair.turn for repair in some]
            records = [(one.record, None if one.whole else first) for one, first in zip(some, firsts, strict=True)]
            replies = [None] if self.trials is None else self.trials.replies(records, base.record)
            for repair, number, reply in zip(some, firsts, replies, strict=True):
                begins = None if repair.whole else base
                if reply is not None:
                    budget.pay(_cost(repair.record, 0 if repair.whole else number, reply))
                    if not reply.is_clean:
                        continue
                other = Judge(self.game, repair.record, self.legal, budget, 1, False, begins, number)
                if reply is not None or not other.judge().no_better:
                    return repair, other
            size = min(2 * size, most)
        return None


def _cost(record: Record, first: int, reply: Reply) -> int:
    """What it costs to judge a record from a turn on, as far as a kernel did."""
    begun = record.turns[first : reply.turns]
    actions = sum(not move.consequence for turn in begun for move in turn.moves)
    if begun and reply.action is not None:
        actions -= sum(not move.consequence for move in begun[-1].moves[reply.action + 1 :])
    return len(record.turns) // COPIED_TURNS + len(begun) + ACTION * actions


def _not_over(judged: Judge) -> bool:
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
