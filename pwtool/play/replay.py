"""Replaying a recorded game: is it legal, and if not, which rule refused which action, and why.

After an illegal action the replay goes on as recorded. What an illegal action changed is remembered, and a later
finding that was read
from such a place is marked as following from it; the others are causes of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pwtool.eval.kleene import is_unknown
from pwtool.ir import nodes as ir
from pwtool.ir.model import ParameterModel, RuleModel
from pwtool.ir.walk import free_locals
from pwtool.play.actions import Runner, judge_rule
from pwtool.play.explain import explain_rule, face_code, format_value
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.order import may_end, waiting_steps
from pwtool.play.outcome import check_outcome
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record, Turn
from pwtool.play.revealing import Revealer, names_unseen, with_revealed
from pwtool.play.score import Result, score_game
from pwtool.play.setup import build_state
from pwtool.play.state import State, has_unseen
from pwtool.play.taint import Taint

MAX_FINDINGS = 200

Observer = Callable[[Play, int, int | None], None]


@dataclass(slots=True)
class Replay:
    """What a replay found. `prefix` is (whole turns, actions of the next turn) before the first illegal one;
    `play` the game at its end;
    `claims` the consequences in order: turn, seat, name and values; `result` None while the game is not over."""

    record: Record
    findings: list[Finding]
    play: Play
    prefix: tuple[int, int] | None
    result: Result | None
    consequences: list[tuple[int, int, str, tuple[Any, ...]]] = field(default_factory=list)
    actions: int = 0

    @property
    def clean(self) -> bool:
        return not self.findings


def replay_record(
    game: Game, record: Record, legal: LegalActions | None = None, observer: Observer | None = None
) -> Replay:
    """Replay a record. `observer(play, turn, action)` is called before each action and, with action None, after
    each turn.

    A card of an unseen pile that turns up later has lain there from the start: with what turned up filled in, the
    record is judged again.
    """
    legal = legal or LegalActions(game)
    replayer = _Replayer(game, record, legal, None if record.has_unseen else observer)
    replay = replayer.run()
    if not record.has_unseen:
        return replay
    known = with_revealed(game, record, replayer.revealer.revealed)
    return _Replayer(game, known, legal, observer).run() if known is not record or observer else replay


class _Replayer:
    def __init__(self, game: Game, record: Record, legal: LegalActions, observer: Observer | None) -> None:
        self.game = game
        self.record = record
        self.observer = observer
        state, findings = build_state(game, record)
        self.findings: list[Finding] = findings
        self.play = Play(game, state, legal)
        self.taint = Taint(game)
        self.replay = Replay(record, findings, self.play, None, None)
        self.turn_findings = 0
        self.actor = EVERYBODY
        self.last = False
        self.revealer = Revealer(game, state)

    def run(self) -> Replay:
        game, play, record = self.game, self.play, self.record
        if record.goals and len(set(record.goals)) != len(record.goals):
            return self.replay
        for number, turn in enumerate(record.turns):
            if len(self.findings) >= MAX_FINDINGS:
                break
            self.turn(number, turn)
        self.check_stop()
        if play.over or record.outcome is not None:
            self.replay.result = score_game(game, play.state)
            if record.outcome is not None:
                # What a turn that ended too early lacks, no place of the position shows.
                wrong = any(f.code == "PW615" for f in self.findings)
                for finding in check_outcome(game, play, record, self.replay.result):
                    finding.follows = self.taint.marked or wrong
                    self.findings.append(finding)
        return self.replay

    # ---- a turn

    def turn(self, number: int, turn: Turn) -> None:
        play, state = self.play, self.play.state
        expected = play.next_player()
        over = play.over
        play.begin_turn(turn.player)
        self.actor = turn.player
        self.turn_findings = len(self.findings)
        self.last = number == len(self.record.turns) - 1
        self.taint.begin_turn()
        path: Path = ("turns", number)
        if over:
            # Nothing that comes after the end is judged by other rules, and nothing of it counts.
            self.after_the_end(path)
            self.replay.actions += sum(not move.consequence for move in turn.moves)
            return
        if turn.player != expected:
            names = self.record.players
            message = f"it is the turn of {names[expected]}, not of {names[turn.player]}"
            self.report(Finding("PW604", message, (*path, "player"), "turn"))
        done = len(turn.moves)
        for at, move in enumerate(turn.moves):
            if move.consequence:
                done = at
                break
            if self.observer:
                self.observer(play, number, at)
            self.action(path, move)
            play.act(play.owner)
            self.actor = play.owner
            self.replay.actions += 1
        if not play.over:
            self.end_of_turn(path, turn.moves[done:])
        elif done < len(turn.moves):
            self.after_the_end((*path, "actions", turn.moves[done].index))
        play.end_turn()
        if state.unseen:
            state.unseen = has_unseen(state)
        if self.observer:
            self.observer(play, number, None)

    def action(self, path: Path, move: Move) -> None:
        play, state, game = self.play, self.play.state, self.game
        if play.over:
            self.after_the_end((*path, "actions", move.index))
            return
        if self.record.has_unseen and names_unseen(move.arguments):
            state.unseen = True
        runner = game.machine(state).actions[move.number]
        where: Path = (*path, "actions", move.index)
        places = play.after(move.number, move.actor)
        wrong_actor = not places and move.actor not in {actor for _, actor in play.next_steps()}
        if not places:
            self.out_of_order(where, runner, move)
            # Go on as if it had come at its time, so that what follows is judged.
            order = game.ruleset.order
            places = frozenset(i + 1 for i, s in enumerate(order.steps) if s.action == move.number) or play.places
        play.act(move.actor)
        self.actor = move.actor
        e = runner.bind(move.arguments)
        known = dict(self.revealer.revealed) if state.unseen else None
        if state.unseen:
            self.revealer.reveal_arguments(runner, e)
        missing = runner.unavailable(state, e)
        impossible = self.impossible(runner, move) if not missing else None
        if missing or impossible:
            self.not_available(where, runner, e, missing, impossible)
            if impossible:
                play.places = places
                return
        runner.compute(state, e)
        if state.unseen:
            broken, unknown = runner.judge(state, e)
        else:
            broken, unknown = runner.broken(state, e), []
        first = len(self.findings)
        for rule in broken:
            self.rule_broken(where, rule, e, runner, "PW601")
        for rule in unknown:
            self.rule_broken(where, rule, e, runner, "PW611")
        if missing:
            # The rules that were asked about a card that is not there: what they say follows from that.
            lacking = {parameter.slot for parameter, _ in missing}
            empty = set().union(*(self.reads_of(p.origin, e) for p, _ in missing if p.origin is not None))
            for finding, rule in zip(self.findings[first:], (*broken, *unknown), strict=True):
                if lacking & self.asked(runner, rule) or empty & finding.reads:
                    finding.follows = True
        overflow = runner.overflow(state, e) if runner.bounded and not missing else None
        if overflow:
            self.report(Finding("PW602", overflow[1], where, f"{runner.model.name}.{overflow[0]}"))
            play.places = places
            return
        before = state.copy() if missing or broken or wrong_actor else None
        play.apply(runner, e, places)
        if before is not None:
            self.taint.mark_changes(before, state)
        for finding in self.revealer.reveal(where, move):
            self.report(finding)
        if known is not None and self.replay.prefix is not None:
            # After something illegal a record is no witness of what lay where from the start.
            self.revealer.revealed = known

    def impossible(self, runner: Runner, move: Move) -> tuple[ParameterModel, str] | None:
        """A cell outside of a grid that does not float."""
        for parameter, argument in zip(runner.model.parameters, move.arguments, strict=True):
            if parameter.kind == "cell":
                zone = self.game.zone_list[parameter.zone]
                x, y = argument
                if not zone.floating and not (0 <= x < zone.width and 0 <= y < zone.height):
                    return parameter, f"({x}, {y}) lies outside of the {zone.width}x{zone.height} grid"
        return None

    # ---- findings

    def report(self, finding: Finding, state: State | None = None) -> None:
        """Note a finding; an undetermined one leaves the valid prefix alone."""
        play = self.play
        finding.turn, finding.player = play.turn, None if self.actor == EVERYBODY else self.actor
        finding.owner = play.owner
        finding.state = state or play.state.copy()
        finding.places = play.places
        finding.follows = self.taint.explains(finding.reads) or (
            finding.code in ("PW603", "PW615", "PW606") and self.earlier(finding.code)
        )
        self.findings.append(finding)
        if self.replay.prefix is None and not finding.undetermined:
            self.replay.prefix = (play.turn - 1, self.replay.actions)

    def earlier(self, code: str) -> bool:
        """Whether an earlier finding makes this kind of finding a mere consequence."""
        if code == "PW606":
            return any(f.code == "PW606" for f in self.findings)
        return any(not f.undetermined for f in self.findings[self.turn_findings :])

    def ending_rule(self) -> str | None:
        trigger = self.play.trigger
        return self.game.ruleset.endings[trigger[0]].name if trigger else None

    def out_of_order(self, where: Path, runner: Runner, move: Move) -> None:
        play, cycle = self.play, self.game.ruleset.cycle
        known = self.options()
        if may_end(self.game, play.places):
            known.append(f"end of {cycle}")
        options = " or ".join(known) or "nothing"
        names = self.record.players
        by = f" by {names[move.actor]}" if move.actor not in (play.owner, EVERYBODY) else ""
        message = f"`{runner.model.name}`{by} is not possible at this point of the {cycle}"
        notes = (f"{names[move.actor]} acts in the turn of {names[play.owner]}",) if by and play.owner >= 0 else ()
        self.report(Finding("PW603", message, where, cycle, help=f"here {options} may come", notes=notes))

    def options(self) -> list[str]:
        """What the order of play allows now, in words: `take`, `pick` by Ana."""
        play, names = self.play, self.record.players
        return [
            f"`{self.game.action(number).name}`"
            + (f" by {names[actor]}" if actor not in (play.owner, EVERYBODY) else "")
            for number, actor in play.next_steps()
        ]

    def waiting(self) -> tuple[str, ...]:
        """Why the steps that the order has next cannot come, in words."""
        play = self.play
        steps = waiting_steps(self.game, play.state, play.places)
        return tuple(f"`{self.game.action(number).name}` cannot come: {why}" for number, why in dict(steps).items())

    def after_the_end(self, path: Path) -> None:
        """Something was played although the game is over."""
        message = "the game is over, nothing can be played any more"
        self.report(Finding("PW606", message, path, self.ending_rule()))

    def not_available(
        self,
        where: Path,
        runner: Runner,
        e: list[Any],
        missing: list[tuple[ParameterModel, Any]],
        impossible: tuple[ParameterModel, str] | None,
    ) -> None:
        for parameter, what in missing:
            place = self.game.zone_list[parameter.zone]
            reads = self.taint.zone_reads(parameter, self.play.state, what)
            if isinstance(parameter.origin, ir.PileAt):
                reads |= self.reads_of(parameter.origin, e)
            if parameter.kind == "tops":
                number, face = what
                message = self.wrong_top(place.name, number, face, parameter)
                self.report(
                    Finding(
                        "PW602",
                        message,
                        (*where, parameter.name, str(number)),
                        self.parameter_id(runner, parameter),
                        reads=reads,
                    )
                )
                continue
            code = face_code(self.game, place.element.component, what) if place.element.kind == "face" else str(what)
            message = f"`{code}` is not in {place.name}{self.whose(parameter, e)}"
            origin = runner.origins[runner.model.parameters.index(parameter)]
            held = origin(self.play.state, e) if origin else []
            shown = (
                format_value(self.game, parameter.origin.type, sorted(held), self.record.players)
                if parameter.origin
                else None
            )
            values = ((place.name, shown),) if shown else ()
            self.report(
                Finding(
                    "PW602",
                    message,
                    (*where, parameter.name),
                    self.parameter_id(runner, parameter),
                    values=values,
                    reads=reads,
                )
            )
        if impossible:
            parameter, message = impossible
            self.report(Finding("PW602", message, (*where, parameter.name), self.parameter_id(runner, parameter)))

    def whose(self, parameter: ParameterModel, e: list[Any]) -> str:
        """Of whom a zone is, when it is not the zone of the player who acts."""
        origin = parameter.origin
        owner = origin.indices[0] if isinstance(origin, ir.Zone) and origin.indices else None
        if owner is None or owner.type.kind != "player" or isinstance(owner, ir.Actor):
            return ""
        seat = self.game.interpreter.evaluate(owner, self.play.state, list(e))
        return f" of {self.record.players[seat]}" if isinstance(seat, int) else ""

    def wrong_top(self, zone: str, number: int, face: int, parameter: ParameterModel) -> str:
        component = self.game.zone_list[parameter.zone].element.component
        piles = self.play.state.zones[parameter.zone]
        code = face_code(self.game, component, face)
        if not 1 <= number <= len(piles):
            return f"there is no {zone} {number}, they go from 1 to {len(piles)}"
        if not piles[number - 1]:
            return f"{zone} {number} is empty, `{code}` cannot come from it"
        return f"`{face_code(self.game, component, piles[number - 1][-1])}` is on top of {zone} {number}, not `{code}`"

    @staticmethod
    def parameter_id(runner: Runner, parameter: ParameterModel) -> str:
        return f"{runner.model.name}.{parameter.name}"

    def rule_broken(self, where: Path, rule: RuleModel, e: list[Any], runner: Runner, code: str) -> None:
        values, sentence, reads = explain_rule(self.game, rule, self.play.state, e, self.record.players)
        for name, _, let in runner.model.lets:
            if any(name == text for text, _ in values):
                reads |= self.reads_of(let, e)
        message = rule.text if code == "PW601" else f"{rule.text}: cannot be known"
        self.report(Finding(code, message, where, rule.id, values=values, sentence=sentence, reads=reads))

    def asked(self, runner: Runner, rule: RuleModel) -> set[int]:
        """The parameters and named values that a rule asks about, those behind named values too."""
        slots = set(free_locals(rule.require) | free_locals(rule.when))
        for _, slot, value in reversed(runner.model.lets):
            if slot in slots:
                slots |= free_locals(value)
        return slots

    def reads_of(self, expr: Any, e: list[Any]) -> set[tuple[Any, ...]]:
        interpreter = self.game.interpreter
        interpreter.reads = set()
        try:
            interpreter.evaluate(expr, self.play.state, list(e))
            return interpreter.reads
        finally:
            interpreter.reads = None

    # ---- the end of a turn

    def end_of_turn(self, path: Path, moves: list[Move]) -> None:
        play, game = self.play, self.game
        cycle = game.ruleset.cycle
        if not may_end(game, play.places) and not (
            play.places == frozenset([0]) and not moves and self.earlier("PW615")
        ):
            options = " or ".join(self.options())
            if self.last and play.unsure is not None and play.unsure[1] == play.turn:
                ending = game.ruleset.endings[play.unsure[0]].name
                message = f"whether the {cycle} ends too early cannot be known: `{ending}` may have been reached"
                self.report(Finding("PW611", message, path, ending))
                return
            self.report(
                Finding(
                    "PW615",
                    f"the {cycle} ends too early",
                    path,
                    cycle,
                    notes=self.waiting(),
                    help=f"here {options} has to come" if options else None,
                )
            )
        machine = game.machine(play.state)
        for model, when, require in machine.turn_rules:
            verdict = self.judge(when, require)
            if verdict is not True:
                values, sentence, reads = explain_rule(game, model, play.state, game.locals(), self.record.players)
                code = "PW601" if verdict is False else "PW611"
                self.report(Finding(code, model.text, path, model.id, values=values, sentence=sentence, reads=reads))
        self.consequences(path, moves)

    def judge(self, when: Any, require: Any) -> Any:
        verdict = judge_rule(when, require, self.play.state, self.game.locals())
        return verdict if is_unknown(verdict) else bool(verdict)

    def consequences(self, path: Path, moves: list[Move]) -> None:
        play, game = self.play, self.game
        machine = game.machine(play.state)
        done: set[tuple[int, tuple[Any, ...]]] = set()
        for move in moves:
            where: Path = (*path, "actions", move.index)
            if not move.consequence:
                runner = machine.actions[move.number]
                cycle = game.ruleset.cycle
                message = f"`{runner.model.name}` comes after the consequences of the {cycle}"
                self.report(Finding("PW603", message, where, cycle, help=f"consequences stand at the end of a {cycle}"))
                continue
            self.recorded_consequence(where, machine.consequences[move.number], move, done)
        for number, runner in enumerate(machine.consequences):
            name = runner.model.name
            for e in play.consequence_cases(runner):
                if not play.state.unseen and not runner.allows(play.state, e):
                    continue
                values = tuple(e[p.slot] for p in runner.model.parameters if p.kind != "derived")
                if (number, values) in done:
                    continue
                broken, unknown = runner.judge(play.state, e)
                if unknown and not broken:
                    for rule in unknown:
                        self.rule_broken(path, rule, e, runner, "PW611")
                elif not broken:
                    shown = self.show(runner, e)
                    if name in self.record.recorded:
                        message = f"`{name}` is due and not recorded: {shown}"
                        self.report(Finding("PW605", message, path, name, reads=self.consequence_reads(runner, e)))
                    self.finish(runner, e)

    def recorded_consequence(
        self, where: Path, runner: Runner, move: Move, done: set[tuple[int, tuple[Any, ...]]]
    ) -> None:
        play = self.play
        parameters = runner.model.parameters
        given = [(p, a) for p, a in zip(parameters, move.arguments, strict=True) if p.kind != "derived"]
        for parameter, argument in given:
            if isinstance(argument, str):
                message = (
                    f"objective `{argument}` is not in play"
                    if parameter.type.kind == "goal"
                    else f"`{argument}` is not there"
                )
                self.report(Finding("PW602", message, (*where, parameter.name), self.parameter_id(runner, parameter)))
                return
        values = tuple(a for _, a in given)
        e = play.consequence_locals(runner, values)
        broken, unknown = runner.judge(play.state, e)
        for rule in broken:
            self.rule_broken(where, rule, e, runner, "PW601")
        for rule in unknown:
            self.rule_broken(where, rule, e, runner, "PW611")
        wrong = False
        for parameter, argument in zip(parameters, move.arguments, strict=True):
            if parameter.kind == "derived" and argument is not None and argument != e[parameter.slot] and not broken:
                right = format_value(self.game, parameter.type, e[parameter.slot], self.record.players)
                shown = format_value(self.game, parameter.type, argument, self.record.players)
                message = f"{parameter.name} is {right}, not {shown}"
                self.report(Finding("PW601", message, (*where, parameter.name), self.parameter_id(runner, parameter)))
                wrong = True
        done.add((move.number, values))
        if not broken:
            self.finish(runner, e)
        elif not wrong:
            before = play.state.copy()
            self.taint.mark_changes(before, play.state)

    def finish(self, runner: Runner, e: list[Any]) -> None:
        play = self.play
        values = tuple(e[p.slot] for p in runner.model.parameters)
        runner.apply(play.state, e)
        self.replay.consequences.append((play.turn, play.owner, runner.model.name, values))

    def consequence_reads(self, runner: Runner, e: list[Any]) -> set[tuple[Any, ...]]:
        reads: set[tuple[Any, ...]] = set()
        for rule in runner.model.rules:
            reads |= self.reads_of(rule.require, e)
        return reads

    def show(self, runner: Runner, e: list[Any]) -> str:
        parts = []
        for p in runner.model.parameters:
            value = e[p.slot]
            text = (
                self.play.state.goals[value]
                if p.type.kind == "goal"
                else format_value(self.game, p.type, value, self.record.players)
            )
            parts.append(f"{p.name} {text}")
        return ", ".join(parts)

    # ---- where the record stops

    def check_stop(self) -> None:
        """A record that stops although the game is not over and nobody can do anything is a finding; others are
        unfinished.
        """
        play, record = self.play, self.record
        if play.over or play.state.unseen or any(not f.undetermined for f in self.findings):
            return
        probe = play.copy()
        probe.begin_turn(play.next_player())
        steps = probe.next_steps()
        if any(probe.arguments(number, actor, 1) for number, actor in steps):
            return
        name = "everybody" if probe.owner == EVERYBODY else record.players[probe.owner]
        path: Path = ("turns", len(record.turns) - 1) if record.turns else ("turns",)
        message = f"the game stops: {name} has no legal action and the game is not over"
        options = ", ".join(f"`{self.game.action(number).name}`" for number, _ in steps)
        finding = Finding(
            "PW612",
            message,
            path,
            self.game.ruleset.cycle,
            notes=(f"neither is possible: {options}",),
            turn=probe.turn,
            player=None if probe.owner == EVERYBODY else probe.owner,
        )
        finding.state, finding.places = probe.state, probe.places
        self.findings.append(finding)
