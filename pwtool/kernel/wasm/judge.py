"""Judging a packed record: the replay of the engine up to its first finding.

The checks and their order are those of `pwtool/play/replay.py`: the first finding there is the refusal here.
`docs/kernel.md` documents the packed form and the answer.
"""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.model import ActionModel
from pwtool.kernel import material
from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES, NOT_MINE, START, Answer, Uncompilable
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.wasm.actions import (
    APPLY,
    CUT_SHORT,
    ILLEGAL,
    IN_TURN,
    JUDGE,
    NOT_RECORDED,
    ORDER,
    OVER,
    PLAYER,
    RESULT,
    SETUP,
    STALLED,
    WRONG,
    Actions,
)
from pwtool.kernel.wasm.bindings import Scope
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.effects import Arguments
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.game import GameWriter
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import I64, Function
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.recorded_consequences import RecordedConsequences

BEGUN = 2
"""A turn that was begun only to see whether the game can go on, and that does not count yet."""


class Judge:
    """Writes the functions that judge games."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel, self.ruleset, self.layout = kernel, kernel.ruleset, kernel.layout
        self.shared = ModuleFunctions(kernel)
        self.actions = Actions(kernel, self.shared)
        self.table = GameWriter(kernel, self.shared, self.actions)
        self.answer = Answer(self.layout.max_players, len(self.ruleset.scores), self.layout.goals)
        self.models = list(self.ruleset.actions.values())
        self.outcomes = list(self.ruleset.consequences.values())
        self.turn_at = kernel.module.variable()
        self.action_at = kernel.module.variable()
        self.done_actions = kernel.module.variable()
        self.going = kernel.module.variable()
        """Whether a turn is under way: 1, or `BEGUN`."""
        self.log = kernel.module.variable()
        """The address at which the next consequence is noted; 0: it is not noted."""
        self.noted = RecordedConsequences(kernel)
        self.shared.leads = self._leads
        self.acts = [kernel.function(f"do {model.name}", 3) for model in self.models]
        for model, made in zip(self.models, self.acts, strict=True):
            self.actions.action(
                model,
                made,
                lambda code, actor, model=model: self.table.order.advance(code, model, actor),  # type: ignore[misc]
            )
        self.due = [self.actions.due(model) for model in self.outcomes]
        self.happen = [
            self.actions.happen(model, lambda code, values, number=number: self._log(code, number, values))  # type: ignore[misc]
            for number, model in enumerate(self.outcomes)
        ]
        self._after_action()
        self.recorded = [self.actions.recorded(m, h) for m, h in zip(self.outcomes, self.happen, strict=True)]
        self.set_up = self.table.setup()
        self.begin_turn = self.table.begin_turn()
        self.at_once = self.table.at_once()
        self.end_turn = self.table.end_turn()
        self.score, self.scores, self.ranks = self.table.score()
        self.actors = [self.table.order.actors(model) for model in self.models]
        self.do = self._do()
        self.follow = self._follow()
        self.may_stop = self._may_stop()

    def _log(self, code: Code, number: int, values: list[Expression]) -> None:
        self.noted.happens(code, number, self.outcomes[number], values)
        log = code.global_(self.log)
        with code.when(log):
            code.store(log, -1 - number)
            code.store(log, code.global_(self.kernel.owner), WORD)
            for at, value in enumerate(values):
                code.store(log, value, (2 + at) * WORD)
            log.set(log + (2 + len(values)) * WORD)

    # ---- steps

    def _do(self) -> Function:
        """`(action, arguments, actor, steps)`: an action by its number, followed by a check for an immediate ending; 0,
        or 1 if it is refused.
        """
        made, code = self.kernel.function("do", 4)
        action, arguments, actor, steps = code.arguments
        refused = code.local(0)
        code.switch(
            action,
            [lambda f=f: refused.set(code.call(f, arguments, actor, steps)) for f, _ in self.acts],  # type: ignore[misc]
        )
        with code.when(refused):
            code.leave(1)
        acting, owner = code.global_(self.kernel.actor), code.global_(self.kernel.owner)
        with code.when(steps & APPLY):
            acting.set(code.choose(actor > 0, actor, 0))
            code.do(self.at_once)
            acting.set(code.choose(owner > 0, owner, 0))
        code.value(0).write()
        return made

    def _follow(self) -> Function:
        """`(done, end, recorded)`: carry out every consequence that is due and not among the recorded ones from `done`
        to `end`; 1 if one is due of a kind that the record would name.
        """
        made, code = self.kernel.function("follow", 3)
        done, end, recorded = code.arguments

        def due(number: int, model: ActionModel, values: list[Expression]) -> Expression:
            due = code.call(self.due[number], *values)
            if model.repeated:
                return due
            return code.both(due, self._is_done(code, number, model, values, done, end).is_zero())

        def happens(number: int, model: ActionModel) -> None:
            with code.when((recorded & 1 << number).differs(0)):
                self.actions.refuse(code, NOT_RECORDED, model.name)

        self._blocks(code, False, due, happens)
        code.value(0).write()
        return made

    def _leads(self, code: Code, action: str, scope: Scope) -> None:
        """Carry out an action in the current position, with its consequences, without noting any."""
        model = self.ruleset.actions[action]
        if any(p.kind == "tops" for p in model.parameters):
            raise Uncompilable("it looks ahead at an action that takes the tops of piles")
        bound = dict(scope)
        for _, slot, _ in model.lets:
            if slot not in bound:
                write = Expressions(self.kernel, code, self.shared)
                bound[slot] = self.actions.let(code, write, model, slot, bound)
        self.actions.effects(code, model, Arguments(bound, {}, []))
        if any(outcome.each_action for outcome in self.outcomes):
            log = code.global_(self.log)
            with code.borrowed() as noted:
                noted.set(log)
                log.set(0)
                code.do(self.actions.after_action[0])
                log.set(noted)

    def _after_action(self) -> None:
        """Write the consequences of any action."""
        _, code = self.actions.after_action
        self._blocks(
            code, True, lambda number, model, values: code.call(self.due[number], *values), lambda number, model: None
        )

    def _blocks(
        self,
        code: Code,
        each_action: bool,
        due: Callable[[int, ActionModel, list[Expression]], Expression],
        happens: Callable[[int, ActionModel], None],
    ) -> None:
        """Code that carries out every consequence that is due, one after the other; repeated ones as often as they are due."""
        for block in material.in_blocks(self.outcomes, each_action):
            again, rounds = code.local(), code.local(0)
            with code.block() as done, code.loop() as once_more:
                again.set(0)
                for number, model in block:

                    def case(
                        values: list[Expression], number: int = number, model: ActionModel = model, again: Local = again
                    ) -> None:
                        with code.when(due(number, model, values)):
                            happens(number, model)
                            code.do(self.happen[number], *values)
                            again.set(1)

                    self.table.each_case(code, model, case)
                if not block[0][1].repeated:
                    continue
                code.branch_if(done, again.is_zero())
                rounds.add(1)
                with code.when(rounds > max(1, *(model.rounds for _, model in block))):
                    self.kernel.give_up(code)
                    code.branch(done)
                code.branch(once_more)

    def _is_done(
        self, code: Code, number: int, model: ActionModel, values: list[Expression], done: Local, end: Local
    ) -> Expression:
        """Whether the record contains this consequence."""
        given = [at for at, p in enumerate(model.parameters) if p.kind != "derived"]
        size = [2 + len(outcome.parameters) for outcome in self.outcomes]

        def write() -> None:
            with code.borrowed() as at, code.block(0x7F) as found:
                at.set(done)
                with code.until(at >= end) as (_, again):
                    same = at.word().equals(-1 - number)
                    for value, place in zip(values, given, strict=True):
                        same = same & at.word((2 + place) * WORD).equals(value)
                    with code.when(same):
                        code.value(1).write()
                        code.branch(found)
                    for other, words in enumerate(size):
                        if len(set(size)) == 1:
                            at.add(words * WORD)
                            break
                        with code.when(at.word().equals(-1 - other)):
                            at.add(words * WORD)
                            code.branch(again)
                code.value(0).write()

        return code.written(write)

    def _may_stop(self) -> Function:
        """`()`: 0 if the order of play and the rules for its end allow the turn to end, otherwise 1."""
        made, code = self.kernel.function("may stop", 0)
        with code.when(self.table.order.may_end(code).is_zero()):
            self.actions.refuse(code, CUT_SHORT, self.ruleset.cycle)
        for rule in self.ruleset.turn_rules:
            self.actions.judge(code, {}, rule, lambda rule=rule: self.actions.refuse(code, ILLEGAL, rule.id))  # type: ignore[misc]
        code.value(0).write()
        return made

    def can_go_on(self) -> Function:
        """`()`: whether anybody can do anything now."""
        made, code = self.kernel.function("can go on", 0)
        actor, owner = code.global_(self.kernel.actor), code.global_(self.kernel.owner)
        for model, actors in zip(self.models, self.actors, strict=True):
            if model.number in self.ruleset.idle:
                continue
            bits, seat = code.local(code.call(actors), I64), code.local()
            with code.until(bits.equals(0)):
                seat.set(bits.trailing_zeros().narrow() - 1)
                bits.set(bits & (bits - 1))
                actor.set(code.choose(seat > 0, seat, 0))
                with code.when(code.call(self.shared.can(model.name))):
                    # Who acts next is asked again, as seen by the owner of the turn.
                    actor.set(code.choose(owner > 0, owner, 0))
                    code.leave(1)
                actor.set(code.choose(owner > 0, owner, 0))
        code.value(0).write()
        return made

    # ---- a whole record

    def judge(self, can_go_on: Function) -> Function:
        """`(record, answer)`: judge a packed record; the verdict. `can_go_on` says whether anybody can act."""
        replay = self._replay(can_go_on)
        made, code = self.kernel.function("judge", 2, exported=True)
        record, answer = code.arguments
        code.global_(self.kernel.players).set(record.word(WORD))
        code.do(self.table.reset)
        for variable in (self.turn_at, self.done_actions, self.going, self.log, self.noted.next):
            code.global_(variable).set(0)
        code.global_(self.action_at).set(-1)
        verdict = code.local(code.call(replay, record))
        self.answer_words(code, verdict, answer)
        verdict.write()
        return made

    def answer_words(self, code: Code, verdict: Local, answer: Expression) -> None:
        """Write down what is known about the game."""
        with code.when(code.global_(self.kernel.beyond)):
            verdict.set(NOT_MINE)
        a = self.answer
        rule = code.global_(self.kernel.rule)
        for at, value in (
            (a.VERDICT, verdict), (a.CODE, rule.shifted_down(16)), (a.RULE, rule & 0xFFFF),
            (a.TURN, code.global_(self.turn_at)), (a.ACTION, code.global_(self.action_at)),
            (a.ACTIONS, code.global_(self.done_actions)), (a.TURNS, code.global_(self.kernel.turn) - code.global_(self.kernel.before)),
            (a.OVER, self.table.over(code)), (a.ENDING, code.global_(self.kernel.ending)),
            (a.ENDING_TURN, code.global_(self.kernel.ending_turn)), (a.PLAYERS, code.global_(self.kernel.players)),
            (a.BEFORE, code.global_(self.kernel.before)),
        ):  # fmt: skip
            code.store(answer, value, at * WORD)
        size = a.players * (1 + a.lines) * WORD
        code.copy(answer + a.TOTALS * WORD, code.value(self.scores), size)
        code.copy(answer + (a.TOTALS * WORD + size), code.value(self.ranks), (a.players + 1) * WORD)
        self.actions.claims.answer(code, answer + a.claims * WORD)

    def _replay(self, can_go_on: Function) -> Function:
        made, code = self.kernel.function("replay", 1)
        kernel, actions = self.kernel, self.actions
        at = code.local(code.arguments[0] + 2 * WORD)
        turn_at, action_at = code.global_(self.turn_at), code.global_(self.action_at)
        players, next_argument = code.global_(kernel.players), code.global_(actions.next_argument)
        low, high = self.ruleset.min_players, self.ruleset.max_players
        with code.when((players - low).below(high - low + 1).is_zero()):
            # Whether a position can be read at all is only found when it is laid out.
            with code.when(code.arguments[0].word(2 * WORD).equals(START)):
                code.leave(NOT_MINE)
            actions.refuse(code, SETUP, "setup.players")
        with code.when(code.call(self.set_up, at)):
            code.leave(1)
        at.set(next_argument)
        recorded, turns = code.local(at.word()), code.local(at.word(WORD))
        at.add(2 * WORD)
        before = code.global_(kernel.before)
        turn_at.set(before)
        number, owner, moves, done = code.local(0), code.local(), code.local(), code.local()
        with code.until(number >= turns) as (played, _):
            code.branch_if(played, code.global_(kernel.beyond))
            number.add(1)
            turn_at.set(before + number)
            action_at.set(-1)
            owner.set(at.word())
            moves.set(at.word(WORD))
            at.add(2 * WORD)
            over, expected = code.local(self.table.over(code)), code.local(self.table.next_player(code))
            code.do(self.begin_turn, owner)
            with code.when(over):
                self._over(code)
            with code.when(owner.differs(expected)):
                actions.refuse(code, PLAYER, "turn")
            done.set(0)
            with code.until(done >= moves) as (acted, _):
                code.branch_if(acted, at.word() < 0)
                action_at.set(done)
                done.add(1)
                with code.when(self.table.over(code)):
                    self._over(code)
                with code.when(code.call(self.do, at.word(), at + 2 * WORD, at.word(WORD), IN_TURN | JUDGE | APPLY)):
                    code.leave(1)
                code.global_(self.done_actions).set(code.global_(self.done_actions) + 1)
                at.set(next_argument)
            with code.when(self.table.over(code)):
                with code.when(done < moves):
                    action_at.set(done)
                    self._over(code)
                code.otherwise()
                action_at.set(-1)
                with code.when(code.call(self.may_stop)):
                    self._within(code, at, number >= turns, done >= moves, can_go_on)
                    code.leave(1)
                self._consequences(code, at, done, moves, recorded, number >= turns)
            code.do(self.end_turn)
        with code.when(code.global_(kernel.beyond)):
            code.leave(NOT_MINE)
        self._stop(code, at, can_go_on, turns)
        code.value(0).write()
        return made

    def _within(self, code: Code, at: Local, last: Expression, through: Expression, can_go_on: Function) -> None:
        """A record without a result may stop before its last turn is over, if somebody can go on."""
        rule, turn_at = code.global_(self.kernel.rule), code.global_(self.turn_at)
        with code.when(code.both(last, through)), code.when((at.word() & HAS_RESULT).is_zero()):
            refusal = code.local(rule)
            rule.set(0)
            with code.when(code.call(can_go_on)):
                turn_at.set(0)
                code.global_(self.going).set(1)
                code.leave(0)
            rule.set(refusal)

    def _over(self, code: Code) -> None:
        """Refuse what comes after the end; the rule in the answer is the ending."""
        for number, ending in enumerate(self.ruleset.endings):
            with code.when(code.global_(self.kernel.ending).equals(number)):
                self.actions.refuse(code, OVER, ending.name)

    def _consequences(
        self, code: Code, at: Local, done: Local, moves: Local, recorded: Local, last: Expression
    ) -> None:
        """The consequences as the rules produce them, if the record agrees; otherwise the recorded ones, then those that it omits."""
        action_at, noted = code.global_(self.action_at), self.noted

        def open_end(behind: Local) -> Expression:
            """A record without a result may stop before the consequences are written down."""
            return code.both(last, (behind.word() & HAS_RESULT).is_zero())

        def bring() -> None:
            nothing = code.value(0)
            code.do(self.follow, nothing, nothing, nothing)

        alike = noted.compare(code, at, done, moves, recorded, open_end, bring) if self.ruleset.recordable else None
        with code.block() as brought:
            if alike is not None:
                with code.when(alike):
                    wrong = code.global_(noted.wrong)
                    code.branch_if(brought, wrong.is_zero())
                    action_at.set(code.global_(noted.wrong_action))
                    code.global_(self.kernel.rule).set(wrong)
                    code.leave(1)
            first, refused = code.local(at), code.local()
            with code.until(done >= moves):
                action_at.set(done)
                done.add(1)
                with code.when(at.word() >= 0):
                    self.actions.refuse(code, ORDER, self.ruleset.cycle)
                refused.set(1)
                code.switch(
                    code.value(-1) - at.word(),
                    [lambda f=f: refused.set(code.call(f, at + 2 * WORD)) for f in self.recorded],  # type: ignore[misc]
                )
                with code.when(refused):
                    code.leave(1)
                at.set(code.global_(self.actions.next_argument))
            action_at.set(-1)
            with code.when(open_end(at)):
                recorded.set(0)
            with code.when(code.call(self.follow, first, at, recorded)):
                code.leave(1)

    def _stop(self, code: Code, at: Local, can_go_on: Function, turns: Local) -> None:
        """Where the record stops: can the game go on, and is its result right?"""
        turn_at, action_at, flags = code.global_(self.turn_at), code.global_(self.action_at), code.local(at.word())
        action_at.set(-1)
        with code.when(self.table.over(code).is_zero()):
            code.do(self.begin_turn, self.table.next_player(code))
            stuck = code.local(code.call(can_go_on).is_zero())
            # The turn that was begun to see that is not part of the record.
            code.global_(self.kernel.turn).set(code.global_(self.kernel.turn) - 1)
            with code.when(stuck):
                if self.kernel.starts:
                    # A position may be the end of its game: the engine looks.
                    with code.when(turns.is_zero() & code.arguments[0].word(2 * WORD).equals(START)):
                        code.leave(NOT_MINE)
                if self._may_go_on:
                    # The last turn need not be over: the engine looks whether it could have gone on.
                    with code.when((flags & HAS_RESULT).is_zero()):
                        code.leave(NOT_MINE)
                turn_at.set(turn_at + 1)
                self.actions.refuse(code, STALLED, self.ruleset.cycle)
            code.global_(self.going).set(BEGUN)
            turn_at.set(0)
            with code.when(flags & HAS_RESULT):
                ending = code.local(code.global_(self.kernel.ending))
                with code.when(ending < 0):
                    ending.set(self._claimed(code, at, flags))
                for number, model in enumerate(self.ruleset.endings):
                    with code.when(ending.equals(number)):
                        self.actions.refuse(code, RESULT, model.name)
                if self.ruleset.endings:
                    self.actions.refuse(code, RESULT, self.ruleset.endings[0].name)
            code.leave(0)
        turn_at.set(0)
        code.do(self.score)
        with code.when(flags):
            self._result(code, at, flags)

    @property
    def _may_go_on(self) -> bool:
        """Whether a turn that may end may also go on."""
        order = self.ruleset.order
        return bool(self.ruleset.anytime) or any(order.follow[place] for place in order.last)

    def _claimed(self, code: Code, at: Local, flags: Local) -> Expression:
        """The recorded ending, which follows the numbers."""
        players, lines = code.global_(self.kernel.players), len(self.ruleset.scores)
        place = code.local(at + WORD)
        for part, words in ((HAS_PARTS, players * lines), (HAS_SCORES, players), (HAS_RANKING, players + 1)):
            with code.when(flags & part):
                place.add(words * WORD)
        return place.word()

    def _result(self, code: Code, at: Local, flags: Local) -> None:
        """Compare the recorded result with the computed one."""
        players = code.global_(self.kernel.players)
        lines = len(self.ruleset.scores)
        seat, right = code.local(), code.local()
        at.add(WORD)

        def each_seat(body: list[tuple[str, int]]) -> None:
            """For each seat the recorded numbers, each with the address of the right one; absent numbers are not compared."""
            seat.set(0)
            with code.while_below(seat, players):
                for rule, place in body:
                    right.set((seat * ((1 + lines) * WORD)).word(self.scores + place * WORD))
                    with code.when(code.both(at.word().differs(NONE), at.word().differs(right))):
                        self.actions.refuse(code, WRONG, rule)
                    at.add(WORD)

        with code.when(flags & HAS_PARTS):
            each_seat([(f"score.{score.name}", 1 + number) for number, score in enumerate(self.ruleset.scores)])
        with code.when(flags & HAS_SCORES):
            each_seat([("score", 0)])
        with code.when(flags & HAS_RANKING):
            with code.when(at.word().differs(code.value(self.ranks + self.layout.max_players * WORD).word())):
                self.actions.refuse(code, WRONG, "ranking")
            at.add(WORD)
            seat.set(0)
            with code.while_below(seat, players):
                with code.when(at.word().differs((seat * WORD).word(self.ranks))):
                    self.actions.refuse(code, WRONG, "ranking")
                at.add(WORD)
        ending, turn = code.global_(self.kernel.ending), code.global_(self.kernel.ending_turn)
        wrong = code.both(at.word().differs(NONE), at.word().differs(ending))
        late = code.both(at.word(WORD).differs(NONE), at.word(WORD).differs(turn))
        with code.when(wrong | late):
            for number, model in enumerate(self.ruleset.endings):
                with code.when(ending.equals(number)):
                    self.actions.refuse(code, WRONG, model.name)
