"""Explaining a failing example: what was expected, the actual result, and which part decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pwtool.eval.values import Grid, by_cell
from pwtool.ir import nodes as ir
from pwtool.ir.model import RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import operands
from pwtool.lang import tree as n
from pwtool.play.changes import bound_words
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.score import score_game
from pwtool.play.state import State
from pwtool.text.speech import Listed, Told
from pwtool.text.words import one_line
from pwtool.why.deciding import Decider
from pwtool.why.examples import BadExample, ExampleRunner, Failed
from pwtool.why.reasons import explain_condition


@dataclass(frozen=True, slots=True)
class Failure:
    """`state` is the position (for a board example: with the board in the first grid); `zones` the names of the zones that the
    example gives; `reasons` say what decided.
    """

    expected: str
    actual: str
    state: State | None
    zones: tuple[str, ...]
    reasons: tuple[str, ...]


def explain_failure(game: Game, failed: Failed) -> Failure | None:
    """The explanation of a failed example; None if it cannot even be built."""
    outcome = failed.outcome
    if outcome is None:
        return None
    runner = ExampleRunner(game, failed.example)
    try:
        if outcome.kind == "then":
            return _score(game, runner, outcome)
        if isinstance(outcome.what, n.Picture):
            return _board(game, runner, outcome, outcome.what)
        if isinstance(outcome.what, n.CallExample):
            return _call(game, runner, outcome, outcome.what)
        return _condition(game, runner, outcome)
    except BadExample:
        return None


def _names(state: State) -> list[str]:
    return [Told("player {number}", number=str(seat)) for seat in range(1, state.players + 1)]


def _zones(runner: ExampleRunner) -> tuple[str, ...]:
    names = [g.name.name for g in runner.example.givens if g.name is not None]
    return tuple(dict.fromkeys(name for name in names if name in runner.game.ruleset.zones))


def objective_locals(game: Game, name: str, grid: Grid) -> list[Any]:
    """The locals with which an objective is judged on a grid."""
    board = game.ruleset.board
    assert board is not None
    e: list[Any] = [None] * max(game.ruleset.slots, game.ruleset.objectives[name].slots)
    e[0] = by_cell(grid, board.width, board.height, board.floating)
    e[1] = [pile[-1] for pile in e[0] if pile]
    return e


def _board(game: Game, runner: ExampleRunner, outcome: n.Outcome, picture: n.Picture) -> Failure:
    board = game.ruleset.board
    assert board is not None
    grid = runner.grid(picture, board.element.component)
    state = State(game.ruleset, 1, [])
    state.zones[board.number][0] = grid
    decider = Decider(game, state, objective_locals(game, runner.name, grid), _names(state))
    if board.floating and grid:
        decider.offset = (min(x for x, _ in grid), min(y for _, y in grid))
    wanted = outcome.kind == "yes"
    words = {True: Told("the board fulfils the objective"), False: Told("the board does not fulfil the objective")}
    reasons = decider.reasons(game.ruleset.objectives[runner.name].condition)
    return Failure(words[wanted], words[not wanted], state, (board.name,), tuple(reasons))


def _call(game: Game, runner: ExampleRunner, outcome: n.Outcome, call: n.CallExample) -> Failure:
    state = runner.state()
    found = runner.refusals(call, state)
    model = found.model
    if model.is_consequence:
        action = game.careful.consequences[game.consequence_numbers[model.name]]
        e = Play(game, state).consequence_locals(action, runner.arguments(action, call, state))
    else:
        action = game.careful.actions[model.number]
        e = action.bind(runner.arguments(action, call, state))
        if not found.strange:
            action.compute(state, e)
    rules = {rule.id: rule for rule in model.rules}
    reasons: list[str] = []
    if outcome.kind == "yes":
        for rule in found.rules:
            reasons += _rule_reasons(game, rule, state, e, f"{rule.id}: ")
        others = [(p.name, Told("it does not lie where it has to")) for p in found.missing]
        others += [(p.name, Told("it cannot have this value")) for p in found.strange]
        if found.bound is not None:
            others.append((found.bound.name, bound_words(found.bound.fact)))
        reasons += [Told("{head}: {text}", head=f"{model.name}.{name}", text=text) for name, text in others]
    elif runner.name in rules:
        reasons += _rule_reasons(game, rules[runner.name], state, e, f"{runner.name}: ")
    else:
        reasons += [
            Told(
                "{name}: it lies where it has to, in {zone}", name=runner.name, zone=f"`{one_line(p.origin.span.text)}`"
            )
            for p in model.parameters
            if f"{model.name}.{p.name}" == runner.name and p.origin is not None and p.origin.span is not None
        ]
    refused = Told("refused by {names}", names=Listed(found.names)) if found.names else Told("legal")
    by = Told("refused") if runner.name == model.name else Told("refused by {names}", names=runner.name)
    return Failure(Told("legal") if outcome.kind == "yes" else by, refused, state, _zones(runner), tuple(reasons))


def _rule_reasons(game: Game, rule: RuleModel, state: State, e: list[Any], head: str = "") -> list[str]:
    decider = Decider(game, state, list(e), _names(state))
    if rule.when is not None:
        applies = game.interpreter.evaluate(rule.when, state, list(e))
        reasons = decider.reasons(rule.when)
        if not applies:
            return _headed(head, [Told("it does not apply here, its `when` does not hold"), *reasons])
    values = explain_condition(game, rule.when, rule.require, state, list(e), _names(state)).values
    lines = decider.reasons(rule.require)
    known = " ".join(lines)
    rest = [f"{name} = {value}" for name, value in values if f"{name} is {value}" not in known and name not in known]
    if rest:
        lines.append(Told("where {values}", values=Listed(rest[:4])))
    return _headed(head, lines)


def _headed(head: str, lines: list[str]) -> list[str]:
    """Lines after a head, below each other."""
    return [Told("{head}{line}", head=head if at == 0 else " " * len(head), line=line) for at, line in enumerate(lines)]


def _condition(game: Game, runner: ExampleRunner, outcome: n.Outcome) -> Failure:
    ruleset, state = game.ruleset, runner.state()
    wanted = outcome.kind == "yes"
    expected, actual = (Told("it holds"), Told("it does not hold"))
    if not wanted:
        expected, actual = actual, expected
    rule = next((r for r in (*ruleset.turn_rules, *ruleset.setup_rules) if r.id == runner.name), None)
    reasons: list[str] = []
    if rule is not None:
        reasons = _rule_reasons(game, rule, state, game.locals())
    for invariant in ruleset.invariants:
        if invariant.name != runner.name:
            continue
        for seat in range(state.players) if invariant.each_player else [0]:
            state.player = seat
            if bool(runner.judge(invariant.when, invariant.require, state)) != wanted or not wanted:
                reasons = _parts(game, invariant.when, invariant.require, state)
                break
        state.player = 0
    for ending in ruleset.endings:
        if ending.name == runner.name:
            reasons = Decider(game, state, game.locals(), _names(state)).reasons(ending.condition)
    return Failure(expected, actual, state, _zones(runner), tuple(reasons))


def _parts(game: Game, when: Expr | None, require: Expr, state: State) -> list[str]:
    decider = Decider(game, state, game.locals(), _names(state))
    if when is not None and not game.interpreter.evaluate(when, state, game.locals()):
        return [Told("it does not apply here, its `when` does not hold"), *decider.reasons(when)]
    return decider.reasons(require)


def _choices(game: Game, expr: Expr, state: State) -> list[str]:
    """The results of the choices and the counted shapes inside a number."""
    lines: list[str] = []
    decider = Decider(game, state, game.locals(), _names(state))
    if isinstance(expr, ir.If):
        lines += decider.reasons(expr.condition)
    elif isinstance(expr, ir.CountWhere) and isinstance(expr.domain, ir.Places) and expr.span is not None:
        count = game.interpreter.evaluate(expr, state, game.locals())
        lines.append(Told("{text}: {count} places", text=one_line(expr.span.text), count=str(count)))
    elif not isinstance(expr, ir.CountWhere | ir.SumWhere | ir.Quantified | ir.Let):
        lines += [line for operand in operands(expr) for line in _choices(game, operand, state)]
    return lines


def _score(game: Game, runner: ExampleRunner, outcome: n.Outcome) -> Failure:
    assert outcome.name is not None
    state = runner.state()
    result = score_game(game, state)
    name = outcome.name.name
    lines = {**result.parts[0], "total": result.totals[0]}
    said = ", ".join(f"{line} {value}" for line, value in lines.items())
    reasons = [] if name != "total" else [said]
    for score in game.ruleset.scores:
        if score.name == name:
            values = explain_condition(game, None, score.value, state, game.locals(), _names(state)).values
            reasons += [Told("{condition} is {value}", condition=text, value=value) for text, value in values]
            reasons += _choices(game, score.value, state)
    return Failure(f"{name} = {outcome.number}", f"{name} = {lines[name]}", state, _zones(runner), tuple(reasons))
