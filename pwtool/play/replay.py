"""Replaying a recorded game: is it legal, and if not, which rule refused which action?

After an illegal action, the replay continues as recorded. Findings are data; `pwtool/why` says afterwards why a rule
refused, and which findings only follow from others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.eval.values import UNKNOWN
from pwtool.eval.work import TooMuchWork, game_work
from pwtool.ir.model import ParameterModel, RuleModel
from pwtool.play import facts
from pwtool.play.actions import Runner
from pwtool.play.changes import FaultyRules, unjudged
from pwtool.play.fillings import legal_fillings, with_fillings
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.naming import not_in_play, outside, part_id
from pwtool.play.opening import begins_at_the_end, opening
from pwtool.play.order import may_end
from pwtool.play.outcome import check_outcome
from pwtool.play.paths import beginning, turn_of, turn_path
from pwtool.play.play import Play, endless
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.play.revealing import Revealer, names_unseen, with_revealed
from pwtool.play.score import Result, score_game, together
from pwtool.play.state import has_unseen

MAX_FINDINGS = 200

Observer = Callable[[Play, int, int | None], None]
Follower = Callable[[Play, Path, str, tuple[Any, ...]], None]


class Cut(Exception):
    """The replay stops: there are enough findings, or nothing more can be judged."""


class Replay(Struct):
    """The result of a replay. `prefix` is (complete turns, actions) before the first illegal one; `play` is the game at its
    end; `consequences` are those of the rules, in order: turn, seat, name and values; `result` is None if the game is not
    over or was not judged. `within`: the record stops before its last turn is over. `cut`: the rest was not judged.
    """

    record: Record
    findings: list[Finding]
    play: Play
    prefix: tuple[int, int] | None = None
    result: Result | None = None
    consequences: list[tuple[int, int, str, tuple[Any, ...]]] = field(default_factory=list)
    actions: int = 0
    within: bool = False
    cut: bool = False

    @property
    def clean(self) -> bool:
        return not self.findings


def replay_record(
    game: Game,
    record: Record,
    legal: LegalActions | None = None,
    observer: Observer | None = None,
    follower: Follower | None = None,
    most: int = MAX_FINDINGS,
) -> Replay:
    """Replay a record, until there are `most` findings unless something is unseen. `observer(play, turn, action)` is
    called before each action and, with action None, after each turn; `follower(play, path, name, values)` before each
    consequence, with the `path` of what causes it. A card of an unseen pile that turns up later has been there from the
    start: the record is judged again with these cards filled in.
    """
    legal = legal or LegalActions(game)
    if not record.has_unseen:
        return Replayer(game, record, legal, observer, follower, most=most).run()
    replayer = Replayer(game, record, legal)
    replay = replayer.run()
    known = with_revealed(game, record, replayer.revealer.revealed)
    if known is not record or observer or follower:
        replay = Replayer(game, known, legal, observer, follower).run()
    return with_fillings(game, replay, lambda one: Replayer(game, one, legal).run())


class Replayer:
    """One replay of a record as it is, from the setup or, if it has `begun`, from there, until there are `most` findings."""

    def __init__(
        self,
        game: Game,
        record: Record,
        legal: LegalActions,
        observer: Observer | None = None,
        follower: Follower | None = None,
        begun: Play | None = None,
        most: int = MAX_FINDINGS,
    ) -> None:
        self.game, self.legal, self.most = game, legal, most
        self.record = record
        self.observer = observer
        self.follower = follower
        self.setup: list[Finding] = []
        if begun is None:
            begun, self.setup = opening(game, record, legal)
        self.play, self.replay = begun, Replay(record, [], begun)
        self.findings = self.replay.findings
        self.revealer = Revealer(game, begun.state)
        self.actor = EVERYBODY
        self.place: Path = ("turns",)
        """What is judged."""
        self.in_turn = 0
        self.open_end = False
        # The game before the end of the last turn, which a record without a result may not have reached.
        self.last: Play | None = None
        # Findings at one point of the game share a copy of the game at that point.
        self.moment: Play | None = None

    def run(self) -> Replay:
        """Replay everything; nothing is judged after the most findings or too many steps."""
        try:
            moves = sum(len(turn.moves) for turn in self.record.turns)
            with self.game.work.limited(game_work(len(self.record.turns) + moves)):
                for finding in self.setup:
                    self.note(finding)
                if self.play.state.lost or len(set(self.record.goals)) < len(self.record.goals):
                    # What is unseen may have been turned; or what is claimed for an objective that is in play twice cannot be told.
                    raise Cut
                self.turns(0)
        except Cut:
            self.replay.cut = True
        except TooMuchWork as work:
            self.replay.cut = True
            turn = turn_of(self.play, self.record)
            path = beginning(self.record) if turn is None else turn_path(self.record, turn)
            self.findings.append(unjudged(work, path, None, None if turn is None else self.play.turn))
        return self.replay

    def turns(self, first: int) -> None:
        """All turns from `first` on, and the result, unless the rules go wrong."""
        try:
            for number in range(first, len(self.record.turns)):
                self.turn(number)
            self.end()
        except FaultyRules as fault:
            self.report(fault.code, self.place, fault.rule, fault.fact)
            raise Cut from None

    def note(self, finding: Finding) -> None:
        """Add a finding. Raises `Cut` if there are too many."""
        self.findings.append(finding)
        if len(self.findings) >= self.most or finding.code == "PW617":
            raise Cut

    def report(self, code: str, path: Path, rule: str | None, fact: facts.Fact) -> None:
        """A finding at this point of the game; an undetermined one does not end the valid prefix."""
        play = self.moment = self.moment or self.kept()
        actor = None if self.actor == EVERYBODY else self.actor
        finding = Finding(code, path, rule, fact, play.turn, actor, play, play.state)
        if self.replay.prefix is None and not finding.undetermined:
            self.replay.prefix = (play.turn - self.record.first, self.replay.actions)
        self.note(finding)

    def kept(self) -> Play:
        """A copy of the game for the findings."""
        return self.play.copy()

    # ---- a turn

    def turn(self, number: int) -> None:
        play, turn = self.play, self.record.turns[number]
        self.moment = None
        expected, over = play.next_player(), play.over
        play.begin_turn(turn.player)
        self.actor = turn.player
        self.in_turn = len(self.findings)
        path = self.place = turn_path(self.record, number)
        if over:
            # Nothing after the end is judged by other rules, and none of it counts.
            self.after_the_end(path)
            self.replay.actions += sum(not move.consequence for move in turn.moves)
            return
        if turn.player != expected:
            self.report("PW604", (*path, "player"), self.game.ruleset.cycle, facts.WrongPlayer(expected, turn.player))
        self.rest_of_turn(number, 0)

    def rest_of_turn(self, number: int, first: int) -> None:
        """The moves of a turn from `first` on, and its end."""
        play, turn = self.play, self.record.turns[number]
        path = turn_path(self.record, number)
        moves = turn.moves
        done = len(moves)
        for at in range(first, done):
            move = moves[at]
            if move.consequence:
                done = at
                break
            if self.observer:
                self.observer(play, number, at)
            if play.over:
                self.after_the_end((*path, "actions", move.index))
            else:
                self.action((*path, "actions", move.index), move)
                play.act(play.owner)
                self.actor = play.owner
            self.replay.actions += 1
        if not play.over:
            if number == len(self.record.turns) - 1 and self.record.outcome is None and done == len(moves):
                self.last = play.copy()
            self.replay.within = not self.end_of_turn(number, moves[done:])
        elif done < len(moves):
            self.after_the_end((*path, "actions", moves[done].index))
        if not self.replay.within:
            self.legal.suggest_next(play.state, self.record, number + 1)
            play.end_turn()
        state = play.state
        if state.unseen:
            state.unseen = has_unseen(state)
            state.boards.clear()
        if self.observer:
            self.observer(play, number, None)

    def after_the_end(self, path: Path) -> None:
        """The record continues although the game is over."""
        trigger = self.play.trigger
        ending = self.game.ruleset.endings[trigger[0]].name if trigger else None
        self.report("PW606", path, ending, facts.AfterTheEnd())

    # ---- an action

    def action(self, where: Path, move: Move) -> None:
        """Judge an action and carry it out as far as possible."""
        play, state, game = self.play, self.play.state, self.game
        self.moment = None
        self.place = where
        if self.record.has_unseen and names_unseen(move.arguments):
            state.unseen = True
        runner = game.machine(state).actions[move.number]
        places = play.after(move.number, move.actor)
        if not places:
            cycle = game.ruleset.cycle
            self.report("PW603", where, cycle, facts.OutOfOrder(move.number, move.actor))
            # Continue as if it had come at its time, so that what follows is judged.
            steps = game.ruleset.order.steps
            places = frozenset(i for i, s in enumerate(steps, 1) if s.action == move.number) or play.places
        elif state.unseen and play.after(move.number, move.actor, surely=True) != places:
            self.report("PW611", where, game.ruleset.cycle, facts.PerhapsOutOfOrder(move.number, move.actor))
        play.act(move.actor)
        self.actor = move.actor
        strange = not_in_play(runner, move)
        if strange is not None:
            parameter, name = strange
            self.report("PW602", (*where, parameter.name), part_id(runner, parameter), facts.NotInPlay(parameter, name))
            play.places = places
            return
        e = runner.bind(move.arguments)
        known = dict(self.revealer.revealed) if state.unseen else None
        if state.unseen:
            self.revealer.reveal_arguments(runner, e)
        self.moment = None
        missing = runner.unavailable(state, e)
        for parameter, item in missing:
            self.not_there(where, runner, e, parameter, item)
        if not missing and (beyond := outside(game, runner, move)) is not None:
            parameter, cell = beyond
            self.report(
                "PW602", (*where, parameter.name), part_id(runner, parameter), facts.OutsideGrid(parameter, cell)
            )
            play.places = places
            return
        runner.compute(state, e)
        broken, unknown = runner.judge(state, e)
        for rule in broken:
            self.rule_broken(where, rule, runner, runner.arguments(e))
        for rule in unknown:
            self.rule_broken(where, rule, runner, runner.arguments(e), unknown=True)
        overflow = runner.overflow(state, e)
        if overflow is not None:
            if not missing:
                self.report("PW602", where, f"{runner.model.name}.{overflow.name}", overflow.fact)
            play.places = places
            return
        play.carry_out(runner, e, places)
        self.moment = None
        self.lost(where, runner)
        self.follow(where, set(), each_action=True)
        play.look_for_end()
        for finding in self.revealer.reveal(where, move) if move.reveals else ():
            self.report(finding.code, finding.path, finding.rule, finding.fact)
        if known is not None and self.replay.prefix is not None:
            # After an illegal action, a record is no evidence of what was where from the start.
            self.revealer.revealed = known

    def not_there(self, where: Path, runner: Runner, e: list[Any], parameter: ParameterModel, item: Any) -> None:
        path: Path = (*where, parameter.name)
        if parameter.kind == "tops":
            path = (*path, str(item[0]))
        fact: facts.Fact = facts.NotThere(runner, runner.arguments(e), parameter, item)
        if isinstance(item, facts.Difference):
            fact = facts.WrongOrder(parameter, item)
        self.report("PW602", path, part_id(runner, parameter), fact)

    def rule_broken(
        self, where: Path, rule: RuleModel, runner: Runner | None, arguments: tuple[Any, ...], unknown: bool = False
    ) -> None:
        code = "PW611" if unknown else "PW601"
        self.report(code, where, rule.id, facts.Broken(rule, unknown, runner, arguments))

    # ---- the end of a turn

    def end_of_turn(self, number: int, moves: list[Move]) -> bool:
        """Whether the turn may end here, and its consequences; `moves` are the recorded ones. False if the record
        stops before the end of the turn.
        """
        play, game = self.play, self.game
        self.moment = None
        cycle, path = game.ruleset.cycle, turn_path(self.record, number)
        self.place = path
        if self.stops_within(number, moves):
            return False
        if not may_end(game, play.places) and not self.nothing_left(moves):
            if number == len(self.record.turns) - 1 and (ending := play.perhaps_over) is not None:
                self.report("PW611", path, ending, facts.PerhapsTooEarly(ending))
                return True
            self.report("PW615", path, cycle, facts.TooEarly())
        for model, refuses in game.machine(play.state).turn_rules:
            verdict = refuses(play.state, game.locals())
            if verdict:
                self.rule_broken(path, model, None, (), unknown=verdict is UNKNOWN)
        self.consequences(path, moves)
        return True

    def stops_within(self, number: int, moves: list[Move]) -> bool:
        """Whether the record stops before its last turn is over: it gives no result, the turn may not end here, and
        somebody can go on.
        """
        play = self.play
        record = self.record
        self.open_end = number == len(record.turns) - 1 and not record.is_whole
        if not self.open_end or moves or play.may_end_turn():
            return False
        return play.can_go_on()

    def nothing_left(self, moves: list[Move]) -> bool:
        """Whether nothing was done in this turn because all of it was refused."""
        return self.play.places == frozenset([0]) and not moves and len(self.findings) > self.in_turn

    def consequences(self, path: Path, moves: list[Move]) -> None:
        """The consequences of the turn: as the rules produce them if the record agrees; otherwise the recorded ones,
        followed by those that are still due.
        """
        play, game = self.play, self.game
        if moves and (noted := self.brought(path, moves)):
            self.follow(path, set(), each_action=False, noted=noted)
            return
        machine = game.machine(play.state)
        done: set[tuple[int, tuple[Any, ...]]] = set()
        for move in moves:
            where: Path = (*path, "actions", move.index)
            if not move.consequence:
                self.report("PW603", where, game.ruleset.cycle, facts.AfterConsequences(move.number))
                continue
            values = self.recorded_consequence(where, machine.consequences[move.number], move)
            if values is not None:
                done.add((move.number, values))
        self.follow(path, done, each_action=False)

    def brought(self, path: Path, moves: list[Move]) -> deque[tuple[Path, Move]]:
        """The recorded consequences of a turn if they are exactly those of the rules, of the kinds that the record
        writes down; none otherwise. A consequence that becomes due after it was checked is then not missing.
        """
        numbers, machine = self.game.consequence_numbers, self.game.machine(self.play.state)
        kinds = {numbers[name] for name in self.record.recorded}
        wanted = []
        for move in moves:
            if not move.consequence:
                return deque()
            kinds.add(move.number)
            wanted.append((move.number, machine.consequences[move.number].given_named(move.arguments)))
        found = []
        try:
            for runner, e in self.play.copy().following(each_action=False):
                if (number := numbers[runner.model.name]) in kinds:
                    found.append((number, runner.given_bound(e)))
        except FaultyRules:
            return deque()
        if (found[: len(wanted)] if self.open_end else found) != wanted:
            return deque()
        return deque(((*path, "actions", move.index), move) for move in moves)

    def follow(
        self,
        path: Path,
        done: set[tuple[int, tuple[Any, ...]]],
        each_action: bool,
        noted: deque[tuple[Path, Move]] | None = None,
    ) -> None:
        """Carry out the due consequences that were not `done` as recorded; repeated ones again. For those that are
        `noted`, the record contains each at its turn.
        """
        play = self.play
        for block in self.game.machine(play.state).blocks[each_action]:
            again, rounds = True, 0
            while again:
                again = False
                for number, runner in block.runners:
                    for e in play.consequence_cases(runner):
                        if done and not runner.model.repeated and (number, runner.given_bound(e)) in done:
                            continue
                        if not (
                            self.surely_due(path, runner, e, first=not rounds)
                            if play.state.unseen
                            else runner.is_due(play.state, e)
                        ):
                            continue
                        if rounds >= block.rounds:
                            raise endless(runner.model.name, rounds)
                        if noted and noted[0][1].number == number:
                            self.happen_as_noted(runner, e, *noted.popleft())
                        else:
                            self.due(path, runner, e)
                        again |= runner.model.repeated
                rounds += 1

    def surely_due(self, path: Path, runner: Runner, e: list[Any], first: bool) -> bool:
        """Whether a consequence is due whatever the unseen cards are; if it depends on them, that is reported once. Unless the
        record would say that it happened, nothing can be judged then if it changes something.
        """
        values = runner.given_bound(e)
        runner.derive(self.play.state, e)
        broken, unknown = runner.judge(self.play.state, e)
        for rule in unknown if first and not broken else ():
            self.rule_broken(path, rule, runner, values, unknown=True)
        if unknown and not broken and not self.is_recorded(runner) and runner.effects:
            self.play.state.lost = True
            self.lost(path, runner)
        return not broken and not unknown

    def is_recorded(self, runner: Runner) -> bool:
        """Whether the record contains a consequence wherever it is due."""
        return runner.model.name in self.record.recorded and not runner.model.each_action and not self.open_end

    def due(self, path: Path, runner: Runner, e: list[Any]) -> None:
        """Carry out a consequence that is due but not recorded; reported if the record should contain it."""
        name = runner.model.name
        if self.is_recorded(runner):
            values = tuple(e[p.slot] for p in runner.model.parameters)
            self.report("PW605", path, name, facts.Due(runner, values))
        self.happen(path, runner, e)

    def recorded_consequence(self, where: Path, runner: Runner, move: Move) -> tuple[Any, ...] | None:
        """Judge a recorded consequence and carry it out; returns the values of its parameters, or None if one of them
        is not in play.
        """
        play = self.play
        for parameter, argument in zip(runner.model.parameters, move.arguments, strict=True):
            if parameter.kind != "derived" and isinstance(argument, str):
                fact = facts.NotInPlay(parameter, argument)
                self.report("PW602", (*where, parameter.name), part_id(runner, parameter), fact)
                return None
        values = runner.given_named(move.arguments)
        e = play.consequence_locals(runner, values)
        broken, unknown = runner.judge(play.state, e)
        for rule in broken:
            self.rule_broken(where, rule, runner, values)
        for rule in unknown:
            self.rule_broken(where, rule, runner, values, unknown=True)
        if not broken:
            self.happen_as_noted(runner, e, where, move)
        return values

    def happen_as_noted(self, runner: Runner, e: list[Any], where: Path, move: Move) -> None:
        """Carry out a recorded consequence, and report computed values that are wrong."""
        for parameter, argument in zip(runner.model.parameters, move.arguments, strict=True):
            right = e[parameter.slot]
            if parameter.kind == "derived" and argument is not None and argument != right:
                wrong = facts.WrongValue(parameter, right, argument)
                self.report("PW601", (*where, parameter.name), part_id(runner, parameter), wrong)
        self.happen(where, runner, e)

    def happen(self, where: Path, runner: Runner, e: list[Any]) -> None:
        play = self.play
        values = tuple(e[p.slot] for p in runner.model.parameters)
        if self.follower:
            self.follower(play, where, runner.model.name, values)
        self.place = where
        runner.apply(play.state, e)
        self.moment = None
        self.replay.consequences.append((play.turn, play.owner, runner.model.name, values))
        self.lost(where, runner)

    def lost(self, where: Path, runner: Runner) -> None:
        """Stop if the position is lost."""
        if self.play.state.lost:
            self.report("PW611", where, runner.model.name, facts.Lost(runner.model.name))
            raise Cut

    # ---- the end of the record

    def end(self) -> None:
        """The end of the record: a stalled game, the result."""
        play, record, game = self.play, self.record, self.game
        self.check_stop()
        if play.over or (record.outcome is not None and record.is_whole):
            result, over = self.scored()
            self.replay.result = result
            if over and not play.over:
                play.left, play.unsure = 0, ()
            if record.outcome is not None:
                for finding in check_outcome(game, play, record, result, over):
                    self.note(finding)

    def scored(self) -> tuple[Result, bool | None]:
        """The result of the game, and whether it is over (None: that depends on unseen cards). If it is open and there
        are few legal fillings of the unseen cards, each of them is scored.
        """
        play = self.play
        certain = not play.unsure
        over = True if play.over else False if certain else None
        endings = self.game.ruleset.endings
        perhaps = tuple((endings[number].name, turn) for number, turn in filter(None, (play.trigger, *play.unsure)))
        result = replace(score_game(self.game, play.state), ended=perhaps)
        if not self.record.has_unseen or over is False or (certain and result.known):
            return result, over
        filled = self.filled()
        ended = [r.result for r in filled if r.play.over and r.result is not None]
        # Actions may name unread cards too: then a filling of the setup does not determine everything.
        open_ = any(r.play.unsure and not r.play.over for r in filled)
        if not filled or open_ or not all(r.known for r in ended):
            return result, over
        if not ended:
            return result, False
        return together(ended), True if len(ended) == len(filled) else None

    def filled(self) -> list[Replay]:
        """The game with every legal filling of its unseen cards; none if there are too many."""
        return legal_fillings(self.game, self.record, lambda one: Replayer(self.game, one, self.play.legal).run())

    def check_stop(self) -> None:
        """Report a record that stops although the game is not over and nobody can do anything; others are merely unfinished."""
        play, record = self.play, self.record
        if self.replay.within or play.over or play.unsure or any(not f.undetermined for f in self.findings):
            return
        probe = play.copy()
        probe.begin_turn(play.next_player())
        if any(there.can_go_on() for there in (probe, self.last) if there is not None) or begins_at_the_end(
            play, record
        ):
            return
        path = turn_path(record, len(record.turns) - 1) if record.turns else ("turns",)
        player = None if probe.owner == EVERYBODY else probe.owner
        cycle = self.game.ruleset.cycle
        self.note(Finding("PW612", path, cycle, facts.Stuck(), probe.turn, player, probe, probe.state))
