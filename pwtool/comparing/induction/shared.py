"""What two games have in common before anything is proven: what they declare, and the parts that have the same form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.actions import is_number
from pwtool.comparing.induction.position import Position, alike, read_by_doing
from pwtool.comparing.induction.terms import Open
from pwtool.comparing.items import Items, expressions, timing
from pwtool.comparing.premises import same_material
from pwtool.comparing.row import Row
from pwtool.ir import nodes as ir
from pwtool.ir.access import read_by, read_by_effect, read_by_rules, written_by_effect
from pwtool.ir.model import ActionModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import SUM
from pwtool.ir.walk import walk

_APART = ("objective", "variant", "component", "zone", "token", "deck")


def check_declared(a: Ruleset, b: Ruleset, rows: Sequence[Row]) -> None:
    """Raises `Open` if the two rulesets do not have the same things, steps of the setup, actions and lines of results."""
    if (a.min_players, a.max_players, a.rounds) != (b.min_players, b.max_players, b.rounds):
        raise Open
    if any(r.nature in ("material", "setup") and r.kind != "rule" for r in rows):
        raise Open
    if any(r.kind in _APART and r.nature != "wording" for r in rows):
        raise Open
    makers = [Items(Normalizer(r), list(range(a.min_players, a.max_players + 1))) for r in (a, b)]
    numbered = [
        {name: (c.codes, [(n, t.table) for n, t in c.attributes.items()]) for name, c in r.components.items()}
        for r in (a, b)
    ]
    declared = [
        (
            numbered[side], list(r.zones), list(r.tokens), r.goal_zone, sorted(r.objectives),
            [maker.step(s) for s in r.setup], sorted(r.actions), [maker.actions[n] for n in sorted(r.idle)],
            [(c.name, timing(c)) for c in r.consequences.values()],
            {c.name: maker.asked(_named(c)) for c in r.actions.values()}, {c.name: maker.asked(c) for c in r.consequences.values()},
            [(e.name, e.more_turns, e.others, e.at_once) for e in r.endings], [s.name for s in r.scores],
            [c.kind for c in r.ranking if c.value is None], [[maker.form(x) for x in items] for items in r.histories],
            {n: (v.each, replace(v.type, low=0, high=0, optional=False)) for n, v in r.variables.items() if n in a.variables and n in b.variables},
        )
        for side, (r, maker) in enumerate(zip((a, b), makers, strict=True))
    ]  # fmt: skip
    if declared[0] != declared[1] or not same_material(a, b):
        raise Open
    if any(kind == "action" for r in (a, b) for items in r.histories for kind, _ in read_by(*items)):
        raise Open


def _named(action: ActionModel) -> ActionModel:
    """An action with what somebody names to do it: numbers of any size, however many things a rule demands."""
    return replace(
        action,
        parameters=tuple(replace(p, exact=None, type=SUM if is_number(p) else p.type) for p in action.parameters),
    )


class AlikeParts:
    """The parts of two games that have the same form: they are equal wherever the variables that they read are. `reads` are the
    variables that each reads or changes, by its kind and name.
    """

    def __init__(self, a: Ruleset, b: Ruleset, makers: Sequence[Items]) -> None:
        parts = [list(_parts(r, maker)) for r, maker in zip((a, b), makers, strict=True)]
        other = {key: form for key, form, _ in parts[1]}
        names = names_of(a)
        self.bounded = {
            name
            for name, v in a.variables.items()
            if name not in b.variables
            or (v.type.low, v.type.high) != (b.variables[name].type.low, b.variables[name].type.high)
        }
        """The variables that only the first game has, or with other bounds."""
        self.changed_by_bounds = {
            action.name
            for action in a.actions.values()
            for effect in action.all_effects
            for p in written_by_effect(effect, action)
            if p[0] == "variable" and names[p][1] in self.bounded
        }
        self.reads: dict[tuple[str, str], set[str]] = {}
        for key, form, read in parts[0]:
            asks = any(kind == "action" for kind, _ in read)
            if other.get(key) == form and not asks and key[1] not in self.changed_by_bounds:
                self.reads[key] = {names[p][1] for p in read if p[0] == "variable"}

    def is_settled(self, there: tuple[Position, Position], kind: str, name: str) -> bool:
        """Whether a part is the same in both positions."""
        read = self.reads.get((kind, name))
        return read is not None and all(
            v in p.variables for v in read for p in there
        ) and all(alike(there[0].variables[v], there[1].variables[v]) is True for v in read)  # fmt: skip


def _parts(ruleset: Ruleset, maker: Items) -> Iterator[tuple[tuple[str, str], Any, frozenset[Any]]]:
    """The parts of a game that are compared, each with its form and what it reads or changes."""
    for model in (*ruleset.actions.values(), *ruleset.consequences.values()):
        rules = [maker.form(rule, maker.names.locals_of(model)) for rule in model.rules]
        read = frozenset(read_by_action(model))
        yield ("does", model.name), (maker.asked(model), maker.done(model)), read_by_doing(model)
        yield ("comes", model.name), rules, read
        for rule, form in zip(model.rules, rules, strict=True):
            yield ("rule", rule.id), form, read_by_rules(replace(model, rules=(rule,)))
    for ending in ruleset.endings:
        yield ("ending", ending.name), maker.form(ending.condition), read_by(ending.condition)
    for rule in ruleset.turn_rules:
        yield ("rule", rule.id), maker.form(rule), read_by(*expressions(rule))
    lines = [maker.form(score.value) for score in ruleset.scores], maker.form(ruleset.ranking)
    yield ("score", ""), lines, read_by(*expressions((ruleset.scores, ruleset.ranking)))


def asked_about(ruleset: Ruleset, parts: Iterable[Expr]) -> frozenset[str]:
    """The actions whose possibility expressions ask about, and those that their rules ask about."""
    found = {p.action for x in parts for p in walk(x) if isinstance(p, ir.Can | ir.After)}
    left = list(found)
    while left:
        model = ruleset.actions.get(left.pop())
        more = {p.action for x in expressions(model) for p in walk(x) if isinstance(p, ir.Can | ir.After)} - found
        found |= more
        left += more
    return frozenset(found)


def alike_actions(ruleset: Ruleset, changed: set[str]) -> frozenset[str]:
    """The actions that are the same in both games, with all that they ask about; none if a consequence is not, which may come
    after them.
    """
    if changed & ruleset.consequences.keys():
        return frozenset()
    return frozenset(
        name
        for name, action in ruleset.actions.items()
        if not changed & {name, *asked_about(ruleset, expressions(action))}
    )


def parts_of(ruleset: Ruleset, items: Iterable[tuple[str, str]]) -> list[Any]:
    """The parts of a ruleset in which items are, by kind and name."""
    found = list[Any]()
    for kind, name in items:
        model = ruleset.actions.get(name.split(".")[0]) or ruleset.consequences.get(name.split(".")[0])
        lines: Sequence[Any] = {"ending": ruleset.endings, "score": ruleset.scores}.get(kind, ())
        if model is not None:
            found.append(model)
        elif lines and name:
            found += [line for line in lines if line.name == name]
        elif kind != "var":
            found += [ruleset.turn_rules, ruleset.order, ruleset.endings, ruleset.scores, ruleset.ranking]
    return found


def treated_by(ruleset: Ruleset, items: Iterable[tuple[str, str]]) -> set[str]:
    """The variables and zones that items of a ruleset declare, read or change, by kind and name."""
    items = list(items)
    found = {name for kind, name in items if kind == "var"}
    if any(kind == "turn" for kind, _ in items):
        # Whatever changes in a turn may say how far it has come.
        found |= ruleset.variables.keys()
    parts = parts_of(ruleset, items)
    names = names_of(ruleset)
    places = {p for x in expressions(parts) for p in read_by(x)} | {
        p for model in parts if isinstance(model, ActionModel) for e in model.all_effects for p in written_by_effect(e, model)
    }  # fmt: skip
    return found | {names[p][1] for p in places if p in names and p[0] != "token"}


def names_of(ruleset: Ruleset) -> dict[Any, tuple[str, str]]:
    """The places of a position by number, with their kind and name."""
    return {
        (kind, model.number): (kind, name)
        for kind, models in (
            ("variable", ruleset.variables), ("zone", ruleset.zones), ("token", ruleset.tokens)
        )
        for name, model in models.items()
    }  # fmt: skip


def read_by_action(consequence: ActionModel) -> Iterator[Any]:
    """Everything that decides whether a consequence comes, and what it does."""
    yield from read_by_rules(consequence)
    for effect in consequence.all_effects:
        yield from read_by_effect(effect)
        if effect.kind == "add":
            yield ("variable", effect.number)
