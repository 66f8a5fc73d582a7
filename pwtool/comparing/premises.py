"""Conditions for following turns of two rulesets side by side: the same things in the same places, and variables that
only affect what is followed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from pwtool.comparing.canonical import Names
from pwtool.comparing.items import Items, expressions, timing
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by, read_by_effect, read_by_rules
from pwtool.ir.model import ActionModel, RuleModel, Ruleset, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk

MAX_NUMBER = 6
"""The greatest absolute value up to which a variable of a turn is followed."""


def same_material(first: Ruleset, second: Ruleset) -> bool:
    """Whether everything that both have by the same name is the same: components, the shape of zones, tokens."""
    makers = [Items(Names(r), []) for r in (first, second)]
    for kind in ("components", "zones", "tokens"):
        ours, theirs = getattr(first, kind), getattr(second, kind)
        for name in ours.keys() & theirs.keys():
            # Who can see a zone makes no difference to any game.
            pair = [replace(x, seen="") if isinstance(x, ZoneModel) else x for x in (ours[name], theirs[name])]
            if makers[0].form(pair[0]) != makers[1].form(pair[1]):
                return False
    return True


def rules_of_variables(accepting: Ruleset, refusing: Ruleset, name: str, rows: list[Row]) -> list[str] | None:
    """The rules of actions in which an action that changes other variables can differ; None: it differs in more than these."""
    rulesets = (accepting, refusing)
    written = []
    for ruleset in rulesets:
        variables = {v.number: v for v in ruleset.variables.values()}
        effects = [e for e in ruleset.actions[name].all_effects if e.kind in ("add", "set")]
        written.append({variables[e.number].name: variables[e.number] for e in effects})
    changed = written[0].keys() ^ written[1].keys()
    if not changed or any((written[0] | written[1])[v].per != "turn" for v in changed):
        return None
    if any(v.each for v in (written[0] | written[1]).values()):
        # Whose variable changes may differ too.
        return None
    first, second = (_asking(ruleset, changed) for ruleset in rulesets)
    if first is None or second is None:
        return None
    if any(v in refusing.variables and not _has_room(refusing, v) for v in changed):
        return None
    told = {r.name for r in rows if r.kind == "rule" and r.nature != "wording"}
    asked_about = {
        part.action for r in rulesets for x in expressions(r) for part in walk(x) if isinstance(part, ir.Can)
    }
    read_there = {r.id for x in rulesets for a in asked_about & x.actions.keys() for r in x.actions[a].rules}
    if (first | second) & read_there and not (first | second) & told:
        # Whether an action can be done at all may differ, and where that is asked is not followed.
        return None
    return [r.id for a in refusing.actions.values() for r in a.rules if r.id in second]


def _asking(ruleset: Ruleset, names: Collection[str]) -> set[str] | None:
    """The rules of actions that read some variables; None: something else, which no turn shows, reads them too."""
    numbers = {("variable", v.number) for v in ruleset.variables.values() if v.name in names}
    own = [x for a in ruleset.actions.values() for r in a.rules for x in (r.when, r.require)]
    own += [value for a in ruleset.actions.values() for _, _, value in a.lets]
    own += [
        x
        for a in ruleset.actions.values()
        for e in a.all_effects
        if e.kind in ("add", "set")
        for x in (e.when, e.value, e.seat)
    ]
    followed = {id(x) for x in own if x is not None}
    if any(numbers & read_by(x) for x in expressions(ruleset) if id(x) not in followed):
        return None
    return {
        r.id
        for a in ruleset.actions.values()
        for r in a.rules
        if numbers & {("variable", n) for n in variables_of(r, a)}
    }


def _has_room(ruleset: Ruleset, name: str) -> bool:
    """Whether a number can take all values that are followed, so that nothing is refused for leaving its bounds."""
    variable = ruleset.variables[name]
    if variable.type.kind != "int":
        return True
    asked = _asking(ruleset, [name])
    loops = [e for a in ruleset.actions.values() for e in a.effects if e.kind == "each"]
    if any(inner.kind in ("add", "set") and inner.number == variable.number for e in loops for inner in e.all):
        return False
    adds = [
        e.value for a in ruleset.actions.values() for e in a.effects if e.number == variable.number and e.kind == "add"
    ]
    grows = all(isinstance(x, ir.Const) and x.value >= 0 for x in adds)
    sets = any(e.kind == "set" and e.number == variable.number for a in ruleset.actions.values() for e in a.effects)
    low = variable.type.low <= (0 if grows and not sets else -MAX_NUMBER)
    return bool(asked) and low and variable.type.high >= MAX_NUMBER


def same_positions(first: Ruleset, second: Ruleset) -> bool:
    """Whether the same actions lead to the same things in the same places in both."""
    rulesets = (first, second)
    makers = [Items(Names(r), list(range(first.min_players, first.max_players + 1))) for r in rulesets]
    laid = [[maker.step(s) for s in r.setup if s.kind == "put"] for maker, r in zip(makers, rulesets, strict=True)]
    if laid[0] != laid[1]:
        return False
    unlike: set[str] = set()
    for kind in ("actions", "consequences"):
        both = getattr(first, kind).keys() & getattr(second, kind).keys()
        for name in both:
            models = [getattr(r, kind)[name] for r in rulesets]
            if timing(models[0]) != timing(models[1]):
                return False
            parts = [_parted(model) for model in models]
            moves = [maker.done(moved) for maker, (moved, _) in zip(makers, parts, strict=True)]
            counts = [maker.done(counted) for maker, (_, counted) in zip(makers, parts, strict=True)]
            if moves[0] != moves[1]:
                return False
            if counts[0] != counts[1]:
                unlike |= {v.name for r, m in zip(rulesets, models, strict=True) for v in _counted_in(r, m)}
    unlike |= {name for name in first.variables.keys() & second.variables.keys()
               if makers[0].form(replace(first.variables[name], seen="")) != makers[1].form(replace(second.variables[name], seen=""))}  # fmt: skip
    return not any(_moves_by(ruleset, unlike) for ruleset in rulesets)


def _parted(action: ActionModel) -> tuple[ActionModel, ActionModel]:
    """The same action twice: with only the effects that move things, and with only those that count."""
    counts = tuple(e for e in action.effects if e.kind in ("add", "set"))
    return replace(action, effects=tuple(e for e in action.effects if e not in counts)), replace(action, effects=counts)


def _counted_in(ruleset: Ruleset, action: ActionModel) -> list[VariableModel]:
    numbers = {e.number for e in action.all_effects if e.kind in ("add", "set")}
    return [v for v in ruleset.variables.values() if v.number in numbers]


def _moves_by(ruleset: Ruleset, names: set[str]) -> bool:
    """Whether what moves depends on some variables, or on others that are computed from them."""
    numbers = {("variable", v.number) for v in ruleset.variables.values() if v.name in names}
    actions = [*ruleset.actions.values(), *ruleset.consequences.values()]
    before = -1
    while before != len(numbers):
        before = len(numbers)
        for action in actions:
            lets = [value for _, _, value in action.lets]
            for e in action.effects:
                if numbers & (read_by_effect(e) | read_by(*lets)):
                    numbers |= {("variable", inner.number) for inner in e.all if inner.kind in ("add", "set")}
    for action in actions:
        named_values = {slot: value for _, slot, value in action.lets}
        for e in action.all_effects:
            if e.kind not in ("add", "set"):
                exprs = [x for x in e.parts if x is not None]
                named = [
                    named_values[part.slot]
                    for x in exprs
                    for part in walk(x)
                    if isinstance(part, ir.Local) and part.slot in named_values
                ]
                if numbers & read_by(*exprs, *named):
                    return True
    # The consequences of an action are computed separately.
    return any(
        numbers & (read_by_rules(c) | read_by(*(p.origin for p in c.parameters))) for c in ruleset.consequences.values()
    )


def named_values(action: ActionModel) -> Iterator[tuple[int, Expr]]:
    return ((slot, value) for _, slot, value in action.lets)


def variables_read(expr: Expr | None, lets: dict[int, Expr]) -> set[int]:
    """The numbers of the variables that an expression reads, including through named values."""
    found: set[int] = set()
    for part in walk(expr) if expr is not None else ():
        if isinstance(part, ir.Variable):
            found.add(part.number)
        elif isinstance(part, ir.Local):
            found |= variables_read(lets.get(part.slot), lets)
    return found


def variables_of(rule: RuleModel, action: ActionModel) -> set[int]:
    lets = dict(named_values(action))
    return variables_read(rule.when, lets) | variables_read(rule.require, lets)
