"""Every expression of a batch asked of all evaluators: a kernel with one more function for each, Python functions, the interpreter."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import wasmtime
from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, ParameterModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import MAX_NUMBER
from pwtool.ir.walk import free_locals, walk
from pwtool.kernel.answers import Answer, Uncompilable
from pwtool.kernel.layout import MAX_LIST, WORD, Layout
from pwtool.kernel.limits import MAX_TURNS, check_expression
from pwtool.kernel.lower import lower
from pwtool.kernel.run import CLEAN, REFUSED
from pwtool.kernel.wasm.actions import STALLED, Actions
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.judge import Judge
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.legal import Legal
from pwtool.kernel.wasm.module import PAGE
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from pwtool.play.score import score_game
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.rules.bounds import on_board
from pwtool.rules.extents import Extent
from pwtool.rules.intervals import Intervals
from tests.kernel.batches import base
from tests.kernel.packing import Packer

ROOM = 1 << 20


@dataclass(frozen=True, slots=True)
class Question:
    """An expression, with the action whose parameters and named values it speaks of; or an objective by its name."""

    name: str
    expr: Expr
    model: ActionModel | None = None
    objective: str = ""


def questions(ruleset: Ruleset) -> Iterator[Question]:
    """Everything in a ruleset that has a value of its own."""
    for invariant in ruleset.invariants:
        yield from (Question(invariant.name, x) for x in (invariant.when, invariant.require) if x is not None)
    yield from (Question(score.name, score.value) for score in ruleset.scores)
    yield from (Question(f"key {at}", c.value) for at, c in enumerate(ruleset.ranking) if c.value is not None)
    yield from (Question(name, o.condition, objective=name) for name, o in ruleset.objectives.items())
    for model in (*ruleset.actions.values(), *ruleset.consequences.values()):
        for name, slot, value in model.lets:
            if not value.type.is_collection:
                local = ir.Local(type=value.type, slot=slot)
                yield Question(f"{model.name}.{name}", local, with_parts(model, local))
        for rule in model.rules:
            for x in (rule.when, rule.require):
                if x is not None:
                    yield Question(rule.id, x, with_parts(model, x))


def with_parts(model: ActionModel, expr: Expr) -> ActionModel:
    """The action with those named values alone that an expression needs."""
    needed = set(free_locals(expr))
    lets: list[Any] = []
    for let in reversed(model.lets):
        if let[1] in needed:
            needed |= free_locals(let[2])
            lets.insert(0, let)
    return replace(model, lets=tuple(lets), rules=())


class Bounds:
    """The bounds of all parts of questions, by their ids, and which parts are too large for a kernel."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.found: dict[int, Extent] = {}
        self.large: set[int] = set()
        self.intervals = Intervals(ruleset, self._note, MAX_LIST, MAX_TURNS)
        self.intervals.extents.total = self.intervals.total()

    def _note(self, x: Expr, extent: Extent) -> None:
        self.found[id(x)] = extent
        try:
            check_expression(x, extent)
        except Uncompilable:
            self.large.add(id(x))

    def are_large(self, question: Question) -> bool:
        """Whether a kernel with this question is refused."""
        inside: dict[int, Extent] = {}
        roots = [question.expr]
        if question.objective:
            inside = on_board(self.intervals.ruleset, self.intervals.extents.table)
        if question.model is not None:
            inside = self.intervals.extents.bound(question.model)
            roots += [value for _, _, value in question.model.lets]
        self.intervals.of(question.expr, inside)
        return any(id(part) in self.large for root in roots for part in walk(root))

    def is_allowed(self, x: Expr) -> bool:
        """Whether the language allows its numbers."""
        self.intervals.of(x)
        return all(self.found[id(part)].magnitude <= MAX_NUMBER for part in walk(x))

    def hold(self, x: Expr, value: Any) -> bool:
        """Whether a value lies within the bounds of its expression."""
        if type(value) is not int or x.type.kind != "int":
            return True
        extent = self.found.get(id(x))
        return extent is None or extent.low <= value <= extent.high


class Asked:
    """A kernel that answers the questions of a ruleset. `left_out` tells why one cannot be compiled; `large` are those
    that are left out because of their numbers.
    """

    def __init__(self, ruleset: Ruleset, game: str, asked: Iterable[Question] | None = None) -> None:
        """`asked` are other questions than those of the ruleset itself."""
        self.left_out: dict[str, str] = {}
        self.large: list[Question] = []
        self.questions: list[Question] = []
        self.bounds = Bounds(ruleset)
        kernel: KernelWriter | None = None
        for question in questions(ruleset) if asked is None else asked:
            if self.bounds.are_large(question):
                self.large.append(question)
                continue
            if kernel is None:
                kernel = KernelWriter(ruleset)
                shared = ModuleFunctions(kernel)
            try:
                self._write(kernel, shared, question, f"trial {question.name}")
                self.questions.append(question)
            except Uncompilable as reason:
                self.left_out[question.name] = str(reason)
                kernel = None
        plain = base(game)
        kept = {q.objective for q in self.questions if q.objective} if asked is None else plain.objectives.keys()
        objectives = {name: ruleset.objectives[name] for name in kept}
        self.ruleset = replace(
            ruleset, actions={name: ruleset.actions[name] for name in plain.actions}, consequences=plain.consequences,
            scores=plain.scores, ranking=plain.ranking, objectives=objectives, invariants=plain.invariants,
        )  # fmt: skip
        self.packer, self.layout = Packer(self.ruleset), Layout(ruleset)
        self._start(self._module())

    def _write(self, kernel: KernelWriter, shared: ModuleFunctions, question: Question, name: str) -> None:
        """`(arguments, actor)`: the value of a question."""
        made, code = kernel.function(name, 2, exported=True)
        at, actor = code.arguments
        code.global_(kernel.actor).set(actor)
        if question.objective:
            board = kernel.ruleset.board
            assert board is not None
            place = kernel.place(board.number)
            at.set(actor * place.size + place.address if board.dimensions else place.address)
            code.call(shared.objective(question.objective), at).write()
        else:
            self._value(kernel, shared, code, question).write()
        assert made.code

    def _value(self, kernel: KernelWriter, shared: ModuleFunctions, code: Code, question: Question) -> Any:
        x = lower(question.expr)
        if question.model is None:
            return Expressions(kernel, code, shared).value(x, {})
        actions = Actions(kernel, shared)
        scope = actions.read(code, question.model, code.arguments[0]).scope
        write = actions.prepared(code, question.model, scope)
        actions.lets(code, question.model, scope, write)
        return write.value(x, scope)

    def _module(self) -> bytes:
        kernel = KernelWriter(self.ruleset)
        judge = Judge(kernel)
        legal = Legal(kernel, judge.shared, judge.actions)
        judge.judge(judge.can_go_on())
        _, code = kernel.function("score", 0, None, exported=True)
        code.do(judge.score)
        for number, question in enumerate(self.questions):
            self._write(kernel, judge.shared, question, f"question {number}")
        done: set[str] = set()
        while missing := set(judge.shared.exists) - done:
            done |= missing
            for name in missing:
                legal.exists(self.ruleset.actions[name], judge.shared.exists[name])
        _, code = kernel.function("beyond", 0, exported=True)
        code.global_(kernel.beyond).write()
        judge.table.finish()
        kernel.module.pages = kernel.layout.free // PAGE + 1 + ROOM // PAGE
        self.free = (kernel.layout.free + 7) & ~7
        return kernel.module.encode()

    def _start(self, module: bytes) -> None:
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        exports = wasmtime.Instance(self.store, wasmtime.Module(engine, module), []).exports(self.store)
        self.memory: Any = exports["memory"]
        self.call: dict[str, Any] = {
            name: exports[name]
            for name in ["judge", "score", "beyond", *(f"question {n}" for n in range(len(self.questions)))]
        }

    # ---- asking

    def put(self, words: Any) -> int:
        """Words in memory: their address."""
        self.memory.write(self.store, b"".join((w & 0xFFFFFFFF).to_bytes(WORD, "little") for w in words), self.free)
        return self.free

    def position(self, words: Any) -> bool:
        """Take the position at the end of a packed record; whether nothing is wrong with it but a standstill."""
        at = self.free + ROOM // 2
        verdict = self.call["judge"](self.store, self.put(words), at)
        code = int.from_bytes(
            self.memory.read(self.store, at + Answer.CODE * WORD, at + Answer.CODE * WORD + WORD), "little"
        )
        return verdict == CLEAN or (verdict == REFUSED and code == STALLED)

    def score(self) -> None:
        self.call["score"](self.store)

    def answer(self, number: int, words: list[int], actor: int) -> int | None:
        """The answer to a question; None where a bound was passed."""
        found: int = self.call[f"question {number}"](self.store, self.put(words), actor)
        return None if self.call["beyond"](self.store) else found

    # ---- what the engine has

    def word(self, value: Any, expr: Expr) -> int:
        """How a kernel holds a value."""
        return int(bool(value)) if expr.type.kind == "bool" else self.layout.atom(value)

    def words(self, model: ActionModel, arguments: list[Any]) -> list[int]:
        """How a kernel holds arguments."""
        found: list[int] = []
        for p, value in zip(model.parameters, arguments, strict=True):
            if p.each:
                found += [self.layout.atom(part) for part in value]
            elif p.listed:
                found += [len(value), *value]
            elif p.kind == "tops":
                found += [len(value), *(face for _, face in value), *(pile for pile, _ in value)]
            else:
                found.append(self.layout.atom(value))
        return found


# ---- positions and arguments -----------------------------------------------------------------------------------------


def positions(game: Game, rng: random.Random, count: int) -> Iterator[tuple[Any, Play]]:
    """Positions between turns, each with the record that leads there."""
    ruleset = game.ruleset
    for _ in range(count):
        chance = Chance(rng.randrange(1 << 32))
        players = rng.randint(ruleset.min_players, ruleset.max_players)
        record = deal_at_random(game, [f"P{seat}" for seat in range(players)], chance)
        play_game(game, record, random_policy(chance), None, rng.choice((0, 2, 6, 12, 25, 40)), chance)
        play = replay_record(game, record).play
        if not play.over:
            play.begin_turn(play.next_player())
        play.state.totals = list(score_game(game, play.state.copy()).totals)
        yield record, play


def some_arguments(game: Game, play: Play, model: ActionModel, rng: random.Random) -> list[Any] | None:
    """Arguments whose things are there; None where nothing is."""
    found: list[Any] = []
    for p in model.parameters:
        options = list(_options(game, play, p))
        if p.each:
            found.append(tuple(rng.choice(options) for _ in range(play.state.players)))
        elif p.kind == "elements":
            found.append(rng.sample(options, rng.randint(0, min(3, len(options)))))
        elif p.kind == "tops":
            found.append(sorted(rng.sample(options, rng.randint(0, len(options)))))
        elif options:
            found.append(rng.choice(options))
        else:
            return None
    return found


def _options(game: Game, play: Play, p: ParameterModel) -> Any:
    state = play.state
    if p.kind in ("element", "elements", "tops"):
        assert p.origin is not None
        held = game.interpreter.evaluate(p.origin, state, game.locals())
        return [(n, pile[-1]) for n, pile in enumerate(held, 1) if pile] if p.kind == "tops" else held
    if p.kind == "cell":
        zone = game.zone_list[p.zone]
        low = -2 if zone.floating else 0
        return [(x, y) for y in range(low, zone.height) for x in range(low, zone.width)]
    return play.legal.values(state, p)
