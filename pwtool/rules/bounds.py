"""Rulesets that are too expensive to judge: reports the item with its cost and the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from pwtool.ir.bounds import on_trial
from pwtool.ir.model import ActionModel, ObjectiveModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.lang.merged import quoted
from pwtool.rules.cost import Estimator
from pwtool.rules.extents import KEPT, Extent, Table, table_of
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Listed, Told, mark

MAX_STEPS = 100_000_000
MAX_ALL_STEPS = 300_000_000
MAX_JOINT_STEPS = 2_000_000_000
MAX_ZONES = 20_000
MAX_CARDS = 20_000
MOST_OFTEN = 10_000
"""A rule that is evaluated more often is not to blame for its cost, but the number of ways to choose parameters."""
_LESS = mark("loop over less: the cells of a row or beside another, a smaller grid, a shorter range")
_FEWER = mark("nest fewer loops, or {less}")


class _Share(Struct, frozen=True):
    """One item that is judged: its name, its place, its maximum number of steps, and how to reduce it."""

    name: str
    span: Span | None
    steps: int
    help: str = _FEWER
    most: int = MAX_STEPS
    exprs: tuple[Expr | None, ...] = ()
    inside: Mapping[int, Extent] = field(default_factory=dict)
    """What is evaluated, and the extents of the locals in it."""
    of: str = ""
    """The item whose own cost is a part of this."""


def check_cost(ruleset: Ruleset) -> list[Diagnostic]:
    """A finding for every item that is too expensive, or for the most expensive one if only the total is too high."""
    found = list(_too_much(ruleset))
    if found:
        return found
    estimator = _estimator(ruleset)
    found = list(_doubled(ruleset, estimator))
    if found:
        return found
    dear: list[_Share] = []
    blamed: list[str] = []
    for action in ruleset.actions.values():
        # An item that asks whether another action can be done is not blamed for the cost of that action.
        estimator.take_as_cheap(name for name in ruleset.actions if name != action.name)
        share = _listed(action, estimator)
        if share.steps > share.most:
            dear.append(share)
            blamed.append(action.name)
    estimator.take_as_cheap(blamed)
    shares = [s for s in _shares(ruleset, estimator) if s.name not in {d.name for d in dear}]
    alone = [s for s in shares if s.steps > s.most]
    dear = [s for s in dear if s.of not in {a.name for a in alone}] + alone
    if dear:
        message = "{name} may take about {steps} steps, at most {most} are possible"
        return [_finding(s, estimator, message, name=s.name, steps=s.steps, most=s.most) for s in dear]
    total = sum(s.steps for s in shares if s.most == MAX_STEPS)
    if total > MAX_ALL_STEPS:
        dearest = max(shares, key=lambda s: s.steps)
        message = "judging one position may take about {total} steps, at most {most} are possible; the most, {steps}, are for {name}"
        steps, name = dearest.steps, dearest.name
        return [_finding(dearest, estimator, message, total=total, most=MAX_ALL_STEPS, steps=steps, name=name)]
    return []


def _doubled(ruleset: Ruleset, estimator: Estimator) -> Iterator[Diagnostic]:
    """Variables that are set to more than one variable: done repeatedly, their size would double each time."""
    variables = list(ruleset.variables.values())
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        inside = estimator.bound(action)
        for effect in action.all_effects:
            variable = variables[effect.number] if effect.kind == "set" else None
            if variable is None or effect.value is None or not variable.type.is_collection:
                continue
            if estimator.extent(effect.value, inside).count >= 2 * KEPT:
                message = "`{variable}` could hold twice as much each time it is set"
                yield Diagnostic.of("PW308", message, effect.value.span, help="add one thing at a time, with `+=`", variable=variable.name)  # fmt: skip


def _finding(share: _Share, estimator: Estimator, message: str, **values: Any) -> Diagnostic:
    """A finding at the loop that takes most of the steps, if there is one."""
    loop = estimator.dearest(share.exprs, share.inside)
    return Diagnostic.of("PW308", message, (loop and loop.span) or share.span, help=share.help, less=Told(_LESS), **values)  # fmt: skip


def _too_much(ruleset: Ruleset) -> Iterator[Diagnostic]:
    """Rulesets that are too large to lay out."""
    header = ruleset.merged.headers[0].span
    table = table_for(ruleset)
    zones = sum(table.instances(zone) for zone in ruleset.zones.values())
    if zones > MAX_ZONES:
        message = "with {players} players there are {zones} zones, at most {most} are possible"
        yield Diagnostic.of(
            "PW308", message, header, help="divide zones less, or let fewer play", players=table.players, zones=zones, most=MAX_ZONES,
        )  # fmt: skip
    cards = sum(table.things.values()) + table.numbers
    if cards > MAX_CARDS:
        message = "{cards} things are laid out, at most {most} are possible"
        yield Diagnostic.of("PW308", message, header, help="deal fewer cards of each kind", cards=cards, most=MAX_CARDS)


def table_for(ruleset: Ruleset) -> Table:
    """The largest game of a ruleset."""
    goals = max((step.amount for step in ruleset.setup if step.kind == "choose"), default=0)
    zones = list(ruleset.zones.values())
    return table_of(ruleset.max_players, goals, ruleset.components, ruleset.decks, zones, ruleset.setup)


def _estimator(ruleset: Ruleset) -> Estimator:
    tried = {a.name for a in ruleset.actions.values() if on_trial(a, ruleset)}
    estimator = Estimator(table_for(ruleset), ruleset.actions, on_trial=tried)
    estimator.objectives = {n: _on_board(ruleset, o, estimator) for n, o in ruleset.objectives.items()}
    estimator.following = sum(
        estimator.once(c) * estimator.ways(c) * max(1, c.rounds) for c in ruleset.consequences.values() if c.each_action
    )
    return estimator


def most_steps(ruleset: Ruleset) -> int:
    """The maximum cost of judging one position with everything that can be done in it."""
    return sum(share.steps for share in _shares(ruleset, _estimator(ruleset)))


def objective_steps(ruleset: Ruleset, objective: ObjectiveModel) -> int:
    """The maximum cost of judging an objective on a full board, whatever the deck allows."""
    cells = 1 if ruleset.board is None else ruleset.board.width * ruleset.board.height
    estimator = Estimator(table_for(ruleset), ruleset.actions)
    return estimator.cost(objective.condition, {0: Extent(cells, 1, cells), 1: Extent(cells)})


def _on_board(ruleset: Ruleset, objective: ObjectiveModel, estimator: Estimator) -> int:
    return estimator.cost(objective.condition, on_board(ruleset, estimator.table))


def on_board(ruleset: Ruleset, table: Table) -> dict[int, Extent]:
    """The extents of the locals of an objective: the piles of a board, and the things on top."""
    board = ruleset.board
    if board is None:
        return {}
    cells, held = board.width * board.height, table.held(board.element)
    return {0: Extent(cells, held, held), 1: Extent(min(cells, held))}


def with_rounds(ruleset: Ruleset) -> Ruleset:
    """The same with the limit of repeated consequences if it is not written: one more than there are things and cells."""
    if not any(c.repeated and not c.rounds for c in ruleset.consequences.values()):
        return ruleset
    table = table_for(ruleset)
    cells = sum(z.width * z.height for z in ruleset.zones.values() if z.kind == "grid")
    most = 1 + sum(table.things.values()) + table.numbers + cells
    consequences = {
        name: msgspec.structs.replace(c, rounds=most, counted=True) if c.repeated and not c.rounds else c
        for name, c in ruleset.consequences.items()
    }
    return msgspec.structs.replace(ruleset, consequences=consequences)


def _listed(action: ActionModel, estimator: Estimator) -> _Share:
    ways = estimator.ways(action)
    name = Told("finding what is legal of action `{action}`, in {ways} ways to choose its parameters,", action=action.name, ways=ways)  # fmt: skip
    most, of = MAX_JOINT_STEPS if action.joint else MAX_STEPS, quoted(("action", action.name))
    parts = estimator.listed(action)
    of_rule = Counter[str]()
    for rule, steps in parts:
        of_rule[rule.id if rule is not None else ""] += steps
    (dearest, steps), *_ = of_rule.most_common(1)
    rules = {rule.id: rule for rule in action.rules}
    total = estimator.listing(action.name)
    if ways == 1 or (dearest and steps < total / 2):
        return _Share(name, action.span, total, _FEWER, most, of=of)
    if not dearest or estimator.rule(rules[dearest], estimator.bound(action)) * MOST_OFTEN < steps:
        *others, last = [f"`{p.name}`" for p in action.parameters]
        chosen = Told("{parameters} and {last}", parameters=Listed(others), last=last) if others else last
        help_line = Told("let players choose {chosen} from fewer values", chosen=chosen)
        if others:
            help_line = Told("choose {chosen} in two actions, one after the other, or from fewer values", chosen=chosen)
        return _Share(name, action.span, total, help_line, most, of=of)
    rule = rules[dearest]
    message = "most of it is rule `{rule}`: {less}; or put what refuses most ways into a rule of its own without loops: such rules are asked first"
    help_line = Told(message, rule=rule.id, less=Told(_LESS))
    inside = estimator.bound(action)
    return _Share(name, rule.span, total, help_line, most, (rule.when, rule.require), inside, of)


def _shares(ruleset: Ruleset, estimator: Estimator) -> Iterator[_Share]:
    """Everything that is judged in a position."""
    players = ruleset.max_players
    for action in ruleset.actions.values():
        yield _listed(action, estimator)
        inside = estimator.bound(action)
        for rule in action.rules:
            asked = rule.when, rule.require
            name = quoted(("rule", rule.id))
            yield _Share(name, rule.span, estimator.rule(rule, inside), exprs=asked, inside=inside)
        yield _Share(quoted(("action", action.name)), action.span, estimator.once(action))
    for consequence in ruleset.consequences.values():
        ways = estimator.ways(consequence)
        rounds = max(1, consequence.rounds)
        steps = estimator.once(consequence) * ways * rounds
        name = Told("consequence `{name}`, looked for in {ways} ways,", name=consequence.name, ways=ways)
        help_line = (
            mark("let the parameters be fewer, or from fewer values: name others by `name = ...`")
            if ways > 1
            else _FEWER
        )
        if consequence.repeated:
            again = mark("consequence `{name}`, looked for in {ways} ways up to {rounds} times,")
            name = Told(again, name=consequence.name, ways=ways, rounds=rounds)
            help_line = mark("write how often at most: `repeated at most 5 times`")
        yield _Share(name, consequence.span, steps, help_line)
    for rule in (*ruleset.turn_rules, *ruleset.setup_rules):
        yield _Share(quoted(("rule", rule.id)), rule.span, estimator.rule(rule), exprs=(rule.when, rule.require))
    for ending in ruleset.endings:
        name = quoted(("ending", ending.name))
        yield _Share(name, ending.span, estimator.cost(ending.condition), exprs=(ending.condition,))
    for score in ruleset.scores:
        name = quoted(("score", score.name))
        yield _Share(name, score.span, players * estimator.cost(score.value), exprs=(score.value,))
    for criterion in ruleset.ranking:
        span = criterion.value.span if criterion.value is not None else None
        yield _Share(Told("the ranking"), span, players * estimator.cost(criterion.value))
    for invariant in ruleset.invariants:
        steps = estimator.cost(invariant.when) + estimator.cost(invariant.require)
        name = quoted(("invariant", invariant.name))
        steps *= players if invariant.each_player else 1
        yield _Share(name, invariant.span, steps, exprs=(invariant.when, invariant.require))
    for name, objective in ruleset.objectives.items():
        inside = on_board(ruleset, estimator.table)
        what = quoted(("objective", name))
        yield _Share(what, objective.span, estimator.objectives[name], exprs=(objective.condition,), inside=inside)
    for step in (*ruleset.order.steps, *ruleset.anytime):
        for part in (step.actor, step.guard):
            if part is not None:
                yield _Share(Told("the order of play"), part.span, estimator.cost(part))
    for variable in ruleset.variables.values():
        if variable.initial is not None:
            name = Told("the first value of `{name}`", name=variable.name)
            yield _Share(name, variable.initial.span, estimator.cost(variable.initial))
    for put in ruleset.setup:
        steps = sum(estimator.cost(when) for _, when in put.cases)
        yield _Share(quoted(("setup", put.name)), put.span, steps)
    for deck in ruleset.decks.values():
        for _, when in deck.parts:
            if when is not None:
                yield _Share(quoted(("deck", deck.name)), when.span, estimator.cost(when))
