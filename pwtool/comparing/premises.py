"""Conditions for following turns of two rulesets side by side: the same things in the same places, and variables that
only affect what is followed.

Every condition is about the two rulesets as a whole, not about the difference in question: what one difference leaves alone,
another one may change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.items import Items, expressions, timing
from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, read_by, read_by_effect, read_by_rules
from pwtool.ir.model import ActionModel, EffectModel, RuleModel, Ruleset, SetupModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk


def same_material(first: Ruleset, second: Ruleset) -> bool:
    """Whether everything that both have by the same name is the same: components, the shape of zones, tokens."""
    makers = [Items(Normalizer(r), []) for r in (first, second)]
    for kind in ("components", "zones", "tokens"):
        ours, theirs = getattr(first, kind), getattr(second, kind)
        for name in ours.keys() & theirs.keys():
            # Who can see a zone makes no difference to any game.
            pair = [replace(x, seen="") if isinstance(x, ZoneModel) else x for x in (ours[name], theirs[name])]
            if makers[0].form(pair[0]) != makers[1].form(pair[1]):
                return False
    return True


def unlike_variables(first: Ruleset, second: Ruleset) -> frozenset[str] | None:
    """The variables that may differ after the same actions under both; None: more than variables may differ.

    They are declared or changed differently, or computed from one that is. Every effect on anything else is the same in both and
    reads none of them, so by induction over the actions that both allow, everything else stays the same.
    """
    rulesets = (first, second)
    makers = [Items(Normalizer(r), list(range(first.min_players, first.max_players + 1))) for r in rulesets]
    laid = [[maker.step(_recorded(s)) for s in r.setup] for maker, r in zip(makers, rulesets, strict=True)]
    if laid[0] != laid[1] or not _happen_alike(makers):
        return None
    pairs = [
        [getattr(r, kind)[name] for r in rulesets]
        for kind in ("actions", "consequences")
        for name in getattr(first, kind).keys() & getattr(second, kind).keys()
    ]
    if any(makers[0].asked(a) != makers[1].asked(b) for a, b in pairs):
        # What an action names may come from elsewhere.
        return None
    declared = [{v.name: makers[0].form(replace(v, seen="")) for v in r.variables.values()} for r in rulesets]
    unlike = {name for name in declared[0] | declared[1] if declared[0].get(name) != declared[1].get(name)}
    before = -1
    while before != len(unlike):
        before = len(unlike)
        for models in pairs:
            left = [_without(r, model, unlike) for r, model in zip(rulesets, models, strict=True)]
            done = [maker.done(model) for maker, model in zip(makers, left, strict=True)]
            # If only their order differs, any of them may have another value.
            unequal = [*_left_over(*done), *_left_over(*done[::-1])] or [f for f in done[0] if done[0] != done[1]]
            for ruleset, maker, model in zip(rulesets, makers, left, strict=True):
                numbers = _numbers(ruleset, unlike)
                hanging = [e for e in model.effects if read_by_effect_of(model, e) & numbers or _asks(e)]
                unequal += [form for e in hanging for form in maker.done(replace(model, effects=(e,)))]
            for form in unequal:
                written = _counted_by(dict(form))
                if written is None:
                    return None
                unlike |= written
    for ruleset in rulesets:
        reads = frozenset().union(*(_when(c) for c in ruleset.consequences.values()))
        if reads & _numbers(ruleset, unlike) or any(kind == "action" for kind, _ in reads):
            # They may come in other cases.
            return None
    return frozenset(unlike)


def _recorded(step: SetupModel) -> SetupModel:
    """A step of the setup without what a record says about it: how many things of which deck went where, who begins."""
    if step.recorded:
        return replace(step, deck="", amount=0, rest=False, manner="", cases=())
    return replace(step, manner="", amount=0, cases=()) if step.kind in ("first", "choose") else step


def _happen_alike(makers: list[Items]) -> bool:
    """Whether the same consequences come, under the same conditions."""
    found = []
    for maker in makers:
        models = maker.ruleset.consequences.values()
        rules = [
            (maker.asked(c), timing(c), [maker.form(rule, maker.names.locals_of(c)) for rule in c.rules])
            for c in models
        ]
        found.append(([c.name for c in models], rules))
    return found[0] == found[1]


def _when(consequence: ActionModel) -> frozenset[Place]:
    """What decides whether a consequence comes, and for what."""
    return read_by_rules(consequence) | read_by(*(p.origin for p in consequence.parameters))


def _asks(effect: EffectModel) -> bool:
    """Whether an effect asks about rules or objectives, which may be others."""
    parts = [part for inner in effect.all for x in inner.parts if x is not None for part in walk(x)]
    return any(isinstance(part, ir.Can | ir.After | ir.Fulfils) for part in parts)


def _numbers(ruleset: Ruleset, names: Collection[str]) -> frozenset[Place]:
    return frozenset(("variable", v.number) for v in ruleset.variables.values() if v.name in names)


def _without(ruleset: Ruleset, action: ActionModel, names: Collection[str]) -> ActionModel:
    """An action without the effects that only change some variables."""
    numbers = {number for _, number in _numbers(ruleset, names)}
    kept = [
        e for e in action.effects
        if not all(inner.kind == "each" or (inner.kind in ("add", "set") and inner.number in numbers) for inner in e.all)
    ]  # fmt: skip
    return replace(action, effects=tuple(kept))


def _left_over(forms: Sequence[NormalForm], others: Sequence[NormalForm]) -> list[NormalForm]:
    """The forms that the others lack, as often as they lack them."""
    left = list(others)
    found = []
    for form in forms:
        if form in left:
            left.remove(form)
        else:
            found.append(form)
    return found


def _counted_by(form: dict[str, Any]) -> set[str] | None:
    """The variables that an effect changes; None if it does anything else."""
    if form["kind"] in ("add", "set"):
        return {form["number"]}
    if form["kind"] != "each":
        return None
    inner = [_counted_by(dict(effect)) for effect in form["effects"]]
    return None if None in inner else set().union(*(names for names in inner if names is not None))


def read_by_effect_of(action: ActionModel, effect: EffectModel) -> frozenset[Place]:
    """What an effect of an action reads, including through the action's named values."""
    lets = named_values(action)
    found, asked = read_by_effect(effect), {part for inner in effect.all for part in inner.parts if part is not None}
    pending = list(asked)
    while pending:
        for part in walk(pending.pop()):
            if isinstance(part, ir.Local) and (value := lets.get(part.slot)) is not None and value not in asked:
                asked.add(value)
                pending.append(value)
                found |= read_by(value)
    return found


def only_counts_differ(first: Ruleset, second: Ruleset, name: str, unlike: Collection[str]) -> bool:
    """Whether two actions of a name need the same things and differ at most in what they do to some variables of a turn."""
    rulesets = (first, second)
    makers = [Items(Normalizer(r), []) for r in rulesets]
    models = [_without(r, r.actions[name], unlike) for r in rulesets]
    variables = [v for r in rulesets for v in r.variables.values() if v.name in unlike]
    forms = [(maker.asked(m), maker.done(m), timing(m)) for maker, m in zip(makers, models, strict=True)]
    # Whose variable of several players changes is not followed.
    return forms[0] == forms[1] and all(v.per == "turn" and not v.each for v in variables)


def rules_that_read(ruleset: Ruleset, names: Collection[str]) -> dict[str, frozenset[str]] | None:
    """The rules of actions that read some variables, each with those; None: something else reads them too, so that no turn shows what
    they change.
    """
    numbers = _numbers(ruleset, names)
    actions = ruleset.actions.values()
    followed = [x for a in actions for r in a.rules for x in (r.when, r.require)]
    followed += [value for a in actions for _, _, value in a.lets]
    followed += [x for a in actions for e in a.all_effects if e.kind in ("add", "set") for x in (e.when, e.value)]
    known = {id(x) for x in followed if x is not None}
    if any(numbers & read_by(x) for x in expressions(ruleset) if id(x) not in known):
        return None
    known_as = {v.number: v.name for v in ruleset.variables.values() if v.name in names}
    found = {r.id: {known_as[n] for n in variables_of(r, a) if n in known_as} for a in actions for r in a.rules}
    return {name: frozenset(read) for name, read in found.items() if read}


def named_values(action: ActionModel) -> dict[int, Expr]:
    """The named values of an action, by slot."""
    return {slot: value for _, slot, value in action.lets}


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
    lets = named_values(action)
    return variables_read(rule.when, lets) | variables_read(rule.require, lets)
