"""The steps that a question about a position really takes: the interpreter counts every part that it evaluates. What the
engine finds once in a position (groups, and what rules ask whatever the parameters are) is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pwtool.eval.interpreter import Interpreter
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import like, loops_in, same_for_all, unchanged
from pwtool.play.chance import Chance
from pwtool.play.game import Game, Machine
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.rules import bounds
from tests.support import book


class Counting(Interpreter):
    """Counts the evaluated parts since the last question."""

    steps = 0

    def begin(self) -> None:
        self.steps, self.kept, self.once = 0, dict[Any, Any](), set[int]()
        for action in self.ruleset.actions.values():
            for rule in action.rules:
                self.once |= {id(x) for x in unchanged(rule.require) if loops_in(x)}

    def evaluate(self, expr: Expr, s: Any, e: list[Any]) -> Any:
        self.steps += 1
        key: object = None
        if id(expr) in self.once:
            key = id(s), id(expr)
        elif isinstance(expr, ir.Around) and same_for_all(expr):
            key = id(s), like(expr), super().evaluate(expr.start, s, e)
        if key is None:
            return super().evaluate(expr, s, e)
        if key not in self.kept:
            # The position is kept too, so that no other one gets its id.
            self.kept[key] = s, super().evaluate(expr, s, e)
            if isinstance(expr, ir.Around):
                for cell in self.kept[key][1]:
                    self.kept[(*key[:2], cell)] = self.kept[key]  # type: ignore[index]
        return self.kept[key][1]


def counted(address: str, games: int = 2, turns: int = 60, every: int = 9) -> Iterator[tuple[str, int, int]]:
    """For finding what is legal of each action, for endings and score lines: the estimate, and the most that was counted
    in positions of random games.
    """
    rules = book(address)
    ruleset = rules.game.ruleset
    game = Game(ruleset)
    backend = Counting(ruleset, game.work)
    machine = game.fast = Machine(ruleset, backend)
    legal = LegalActions(game)
    most: dict[str, int] = {}

    def note(name: str, ask: Callable[[], object]) -> None:
        backend.begin()
        ask()
        most[name] = max(most.get(name, 0), backend.steps)

    players = max(2, ruleset.min_players) if ruleset.max_players > 1 else 1
    for seed in range(games):
        rng, passed = Chance(seed), 0
        record = deal_at_random(rules.game, [f"p{seat}" for seat in range(players)], rng)
        play_game(rules.game, record, random_policy(rng), rules.legal, turns, rng)

        def observe(play: Play, turn: int, action: int | None) -> None:
            nonlocal passed
            passed += 1
            # Games of few turns have a first position too.
            if passed % every != 1:
                return
            state = play.state.copy()
            state.legal = legal
            for model in ruleset.actions.values():
                note(f"listing {model.name}", lambda number=model.number: list(legal.arguments(state, number)))
            for ending, holds in zip(ruleset.endings, machine.endings, strict=True):
                note(f"ending {ending.name}", lambda holds=holds: holds(state, game.locals()))
            for score, value in zip(ruleset.scores, machine.scores, strict=True):
                note(f"score {score.name}", lambda value=value: value(state, game.locals()))

        replay_record(rules.game, record, rules.legal, observe)
    estimator = bounds._estimator(ruleset)
    for model in ruleset.actions.values():
        yield f"listing {model.name}", estimator.listing(model.name), most.get(f"listing {model.name}", 0)
    for ending in ruleset.endings:
        yield f"ending {ending.name}", estimator.cost(ending.condition), most.get(f"ending {ending.name}", 0)
    for score in ruleset.scores:
        yield f"score {score.name}", estimator.cost(score.value), most.get(f"score {score.name}", 0)
