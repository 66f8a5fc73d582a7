"""Root causes: which findings would be left if the earlier mistakes had not been made?

A game is judged up to its first illegal action. There, small corrections are tried: leaving the action as it was
recorded and going on, each legal action like it, none, another player, one more action, ... The one after which the
game stays legal longest is taken, and judging goes on behind it up to the next illegal action. These are the causes;
what a replay as recorded finds beside them follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pwtool.ir import nodes as ir
from pwtool.ir.walk import free_locals, walk
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import Move, Record
from pwtool.play.replay import Cut, Replay, Replayer, turn_path
from pwtool.why.repairs import DUE, ORDER, OUT_OF_ORDER, Repair, key_of, repairs

MAX_CAUSES = 40
MAX_JUDGED = 20_000
"""How many actions are judged to tell causes apart; one in a position with unseen cards counts as `UNSEEN_WEIGHT`."""
UNSEEN_WEIGHT = 20


@dataclass(slots=True)
class Budget:
    """How many actions may still be judged."""

    left: int = MAX_JUDGED


@dataclass(slots=True)
class Causes:
    """The root causes of what is wrong with a game. `moves` are the actions that were judged on with instead of
    illegal ones, by the place of their cause; `complete` is false where the search was given up.
    """

    findings: list[Finding] = field(default_factory=list)
    undetermined: list[Finding] = field(default_factory=list)
    moves: dict[Path, Move] = field(default_factory=dict)
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Start:
    """Where judging begins: the game before turn number `turn`, None for the setup, and what is undetermined until
    then.
    """

    play: Play | None = None
    turn: int = 0
    unknown: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where a game stops to be legal: its turn (None: before the first, or at the result), what is wrong there, how
    many turns and moves are not judged, and where its turn began.
    """

    turn: int | None
    findings: list[Finding]
    left: tuple[int, int]
    start: _Start

    @property
    def at_result(self) -> bool:
        return self.turn is None and self.left == (0, 0)


class _Stopped(Exception):
    pass


class _Judge(Replayer):
    """A replay up to the first action, or end of a turn, that is illegal. What the repair allows is passed over."""

    def __init__(self, game: Game, repair: Repair, legal: LegalActions, budget: Budget) -> None:
        super().__init__(game, repair.record, legal)
        self.allowed = repair.allowed
        self.budget = budget
        self.wrong: list[Finding] = []
        self.start = _Start()
        self.current: int | None = None
        self.moves_left = 0

    def judge(self, start: _Start) -> _Stop | None:
        """Judge from where it begins; None when nothing is wrong any more."""
        turns = len(self.record.turns)
        self.findings.extend(start.unknown)
        if start.play is not None:
            self.play = self.replay.play = start.play.copy()
            self.revealer.state = self.play.state
        else:
            for finding in self.setup:
                self.note(finding)
            if self.wrong:
                return _Stop(None, self.wrong, (turns + 1, 0), _Start())
            if len(set(self.record.goals)) < len(self.record.goals):
                return None
        try:
            self.turns(start.turn)
        except _Stopped:
            left = (1, 0) if self.current is None else (turns - self.current, self.moves_left)
            return _Stop(self.current, self.wrong, left, self.start)
        return _Stop(None, self.wrong, (0, 0), self.start) if self.wrong else None

    def note(self, finding: Finding) -> None:
        if finding.undetermined:
            self.findings.append(finding)
        elif not self.is_allowed(finding):
            self.wrong.append(finding)
            if finding.path[0] == "turns" and finding.path[2:3] != ("actions",):
                raise _Stopped

    def is_allowed(self, finding: Finding) -> bool:
        if key_of(finding) in self.allowed:
            return True
        turn = finding.path[:2]
        if isinstance(finding.fact, facts.Due):
            return (DUE, None, turn) in self.allowed
        return isinstance(finding.fact, ORDER) and (OUT_OF_ORDER, None, turn) in self.allowed

    def turn(self, number: int) -> None:
        self.start = _Start(self.play.copy(), number, tuple(self.findings))
        self.current = number
        self.moves_left = len(self.record.turns[number].moves)
        super().turn(number)

    def action(self, where: Path, move: Move) -> None:
        self.budget.left -= UNSEEN_WEIGHT if self.play.state.unseen else 1
        if self.budget.left < 0:
            raise Cut
        super().action(where, move)
        self.moves_left -= 1
        if self.wrong:
            raise _Stopped

    def after_the_end(self, path: Path) -> None:
        super().after_the_end(path)
        if self.wrong:
            raise _Stopped

    def recorded_consequence(self, where: Path, runner: Any, move: Move) -> tuple[Any, ...] | None:
        found = super().recorded_consequence(where, runner, move)
        self.moves_left -= 1
        if self.wrong:
            raise _Stopped
        return found


def mark_causes(game: Game, replay: Replay, legal: LegalActions) -> Causes:
    """Find the root causes of what a replay found and mark its other findings as following from them.

    What is wrong only with a corrected game is not told: nobody knows what would have been played then.
    """
    causes = find_causes(game, replay, legal)
    own = {key_of(f) for f in (*causes.findings, *causes.undetermined)}
    for finding in replay.findings:
        finding.follows = key_of(finding) not in own
    return causes


def find_causes(game: Game, replay: Replay, legal: LegalActions) -> Causes:
    """The root causes of what is wrong with the record of a replay."""
    causes = Causes()
    budget = Budget()
    current = Repair(replay.record)
    judge = _Judge(game, current, legal, budget)
    try:
        stop = judge.judge(_Start())
        while stop is not None:
            if stop.at_result:
                causes.findings += _result_causes(current.record, stop.findings, causes.findings)
                break
            if len(causes.findings) >= MAX_CAUSES:
                causes.complete = False
                break
            here = _causes_here(stop.findings)
            causes.findings += here
            current, judge, stop = _best(game, current, stop, legal, budget)
            if current.move is not None:
                causes.moves[here[0].place] = current.move
    except Cut:
        causes.complete = False
    causes.undetermined = judge.findings
    return causes


def _best(
    game: Game, current: Repair, stop: _Stop, legal: LegalActions, budget: Budget
) -> tuple[Repair, _Judge, _Stop | None]:
    """The correction behind which the game stays legal longest, and where it stops then."""
    best: tuple[Repair, _Judge, _Stop | None] | None = None
    for repair in repairs(game, current, stop.turn, stop.findings):
        judge = _Judge(game, repair, legal, budget)
        again = judge.judge(_Start() if repair.whole or stop.turn is None else stop.start)
        if best is None or _left(again) < _left(best[2]):
            best = repair, judge, again
        if again is None:
            break
    assert best is not None
    return best


def _left(stop: _Stop | None) -> tuple[int, int, int]:
    """How much of a game is not judged; less is better."""
    return (-1, 0, 0) if stop is None else (*stop.left, len(stop.findings))


def _causes_here(findings: list[Finding]) -> list[Finding]:
    """Of what is wrong with one action, what does not follow from a thing that is not there."""
    missing = [f.fact for f in findings if isinstance(f.fact, facts.NotThere)]
    return [f for f in findings if not (isinstance(f.fact, facts.Broken) and _asks(f.fact, missing))]


def _asks(broken: facts.Broken, missing: list[facts.NotThere]) -> bool:
    """Whether a rule asks about a parameter that names what is not there, or about the zone where it is not."""
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
    """Of what is wrong with a result, what does not follow from its own wrong lines and totals, nor from what is wrong
    with the turn that the record stops in.
    """
    last = turn_path(record, len(record.turns) - 1) if record.turns else ()
    stopped = any(finding.path[:2] == last for finding in earlier)
    wrong_lines = {f.fact.player: f.fact for f in findings if isinstance(f.fact, facts.WrongLine)}
    outcome = record.outcome
    assert outcome is not None

    def follows(finding: Finding) -> bool:
        fact = finding.fact
        if isinstance(fact, facts.WrongTotal):
            lines = (outcome.parts or {}).get(fact.player, {})
            return fact.player in wrong_lines and fact.given == sum(lines.get(n, v) for n, v in fact.lines)
        if isinstance(fact, facts.WrongRanking):
            given = outcome.ranking or []
            scores = [{(outcome.scores or {}).get(player) for player in group} for group in given]
            # By the totals as recorded this is the order.
            wrong = any(isinstance(f.fact, facts.WrongTotal) for f in findings)
            return wrong and _falls([{s for s in group if s is not None} for group in scores])
        return stopped and isinstance(fact, facts.NotOver)

    return [f for f in findings if not follows(f)]


def _falls(groups: list[set[int]]) -> bool:
    """Whether every number of a group is at least as large as those of the groups behind it."""
    found = [g for g in groups if g]
    return all(min(a) >= max(b) for a, b in pairwise(found))
