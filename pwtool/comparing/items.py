"""Everything that matters in a ruleset, item by item, in a form that is equal only if two rulesets mean the same.

Everything in the model of a ruleset counts except what is listed here as wording, or as numbers that are only names
within one ruleset. So anything new in the model makes rulesets different until it is listed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.expression_queries import Env, type_of
from pwtool.comparing.forms import NormalForm
from pwtool.ir import model as m
from pwtool.ir import nodes as ir
from pwtool.ir.access import in_conflict, read_by, written_by_effect
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.material import deck_counts
from pwtool.lang.merged import Key

WORDS: dict[type[Any], frozenset[str]] = {
    m.AttributeModel: frozenset({"name"}),
    m.ComponentModel: frozenset({"name", "numbers", "choice"}),
    m.DeckModel: frozenset({"name"}),
    # What is side by side is said again wherever something asks about it.
    m.ZoneModel: frozenset({"name", "number", "columns", "rows", "names", "joined"}),
    m.TokenModel: frozenset({"name", "number"}),
    m.VariableModel: frozenset({"name", "number"}),
    m.SetupModel: frozenset({"name", "text", "sees", "span"}),
    m.RuleModel: frozenset({"id", "text", "sees", "span"}),
    m.ParameterModel: frozenset({"text", "span", "slot"}),
    m.EffectModel: frozenset(),
    m.ActionModel: frozenset({"name", "number", "text", "lets", "rules", "slots", "span", "is_consequence"}),
    m.OrderStep: frozenset(),
    m.OrderModel: frozenset(),
    m.EndingModel: frozenset({"name", "text", "sees", "span"}),
    m.ScoreModel: frozenset({"name", "text", "sees", "span"}),
    m.CriterionModel: frozenset(),
    m.InvariantModel: frozenset({"name", "text", "sees", "span"}),
    m.ObjectiveModel: frozenset({"name", "text", "slots", "span"}),
    m.Ruleset: frozenset({"address", "title", "version", "slots", "histories", "origin", "board"}),
}
"""The fields that make no difference in a game: words, places in files, names under which an item is found and numbers that
follow the order of declarations. The rules of an action are items of their own, its named values are written out where
they are used, and the board is one of the zones.
"""

_IN_ORDER = (ir.Pick, ir.Reads, ir.Element)
"""What asks for the order of things in a collection, beside `ascending`."""
ON_GRID: Env = {0: ("piles",), 1: ("tops",)}
"""The locals of an objective."""


def reachable(ruleset: m.Ruleset) -> set[str]:
    """The actions that occur in some turn, and those that conditions ask about."""
    names = {a.number: a.name for a in ruleset.actions.values()}
    found = {names[s.action] for s in (*ruleset.order.steps, *ruleset.anytime) if s.action in names}
    asked = {part.action for expr in expressions(ruleset) for part in walk(expr) if isinstance(part, ir.Can)}
    return found | asked


def zones_in_use(ruleset: m.Ruleset) -> set[str]:
    """The zones that are used in dealing, taking, placing or conditions."""
    numbers = {number for kind, number in read_by(*expressions(ruleset)) if kind == "zone"}
    numbers |= {step.zone for step in ruleset.setup} | {token.zone for token in ruleset.tokens.values()}
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        numbers |= {p.zone for p in action.parameters}
        numbers |= {number for e in action.effects for kind, number in written_by_effect(e, action) if kind == "zone"}
    kept = {ruleset.board.name} if ruleset.board is not None else set()
    return kept | {zone.name for zone in ruleset.zones.values() if zone.number in numbers}


def decks_in_use(ruleset: m.Ruleset) -> set[str]:
    """The decks that are dealt; what others are made of shows in those."""
    return {step.deck for step in ruleset.setup if step.deck}


def components_in_use(ruleset: m.Ruleset) -> set[str]:
    """The components that lie in zones or are dealt, and those that anything asks about."""
    actions = (*ruleset.actions.values(), *ruleset.consequences.values())
    used = zones_in_use(ruleset)
    types = [zone.element for zone in ruleset.zones.values() if zone.name in used]
    types += [v.type for v in ruleset.variables.values()]
    types += [p.type for action in actions for p in action.parameters]
    parts = [part for x in expressions(ruleset) for part in walk(x)]
    named = {getattr(part, "component", "") for part in parts} | {
        ruleset.decks[name].component for name in decks_in_use(ruleset)
    }
    return named.union(*(_components_of(type_) for type_ in [*types, *(part.type for part in parts)]))


def _components_of(type_: Type | None) -> set[str]:
    """The components that a type is about."""
    if type_ is None:
        return set()
    return {type_.component}.union(_components_of(type_.element), *map(_components_of, type_.options))


def expressions(model: Any) -> Iterator[Expr]:
    """Every expression in a model or in a part of one."""
    if isinstance(model, ir.Node):
        yield model  # type: ignore[misc]
    elif isinstance(model, msgspec.Struct):
        for name in model.__struct_fields__:
            if name != "origin" or not isinstance(model, m.Ruleset):
                yield from expressions(getattr(model, name))
    elif isinstance(model, dict):
        for held in model.values():
            yield from expressions(held)
    elif isinstance(model, tuple | list):
        for held in model:
            yield from expressions(held)


class Items:
    """The forms of the items of one ruleset."""

    def __init__(self, names: Normalizer, counts: list[int]) -> None:
        self.names, self.ruleset, self.counts = names, names.ruleset, counts
        self.actions = {a.number: a.name for a in names.ruleset.actions.values()}

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the order in which things come into a bag may make a difference."""
        return asks_for_order(self.ruleset)

    def items(self) -> Iterator[tuple[Key, NormalForm]]:
        """The items, each under the key of its declaration."""
        ruleset = self.ruleset
        used = reachable(ruleset)
        for name in ruleset.__struct_fields__:
            if name in WORDS[m.Ruleset]:
                continue
            held = getattr(ruleset, name)
            match name:
                case "min_players" | "max_players" | "goal_zone" | "rounds":
                    yield ("ruleset", name), (held,)
                case "components" | "zones" | "tokens" | "objectives":
                    env = ON_GRID if name == "objectives" else {}
                    yield from (((name.removesuffix("s"), key), self.form(item, env)) for key, item in held.items())
                case "variables":
                    yield from ((("var", self.names.variables[v.number]), self.form(v)) for v in held.values())
                case "decks":
                    yield from ((("deck", key), self.deck(item)) for key, item in held.items())
                case "setup":
                    yield from ((("setup", item.name), self.step(item)) for item in held)
                    yield ("setup", ""), tuple(item.name for item in held)
                case "setup_rules" | "turn_rules":
                    yield from ((("rule", item.id), (name, self.form(item))) for item in held)
                case "actions" | "consequences":
                    kept = [a for key, a in held.items() if key in used or name == "consequences"]
                    for action in kept:
                        yield (name.removesuffix("s"), action.name), self.action(action)
                        env = self.names.locals_of(action)
                        yield from ((("rule", rule.id), (name, self.form(rule, env))) for rule in action.rules)
                    if name == "consequences":
                        yield ("consequence", ""), tuple(action.name for action in kept)
                case "order":
                    yield ("turn", ""), self.form(held)
                case "anytime":
                    yield from ((("anytime", self.actions[item.action]), self.form(item)) for item in held)
                case "endings" | "scores" | "invariants":
                    yield from (((name.removesuffix("s"), item.name), self.form(item)) for item in held)
                    if name == "endings":
                        yield ("ending", ""), tuple(item.name for item in held)
                case "ranking":
                    yield ("ranking", ""), self.form(held)
                case _:
                    yield ("ruleset", name), self.form(held)

    def action(self, action: m.ActionModel) -> NormalForm:
        """What an action needs and does; its rules are items of their own."""
        return (*self.asked(action), *self.done(action), *timing(action))

    def asked(self, action: m.ActionModel) -> NormalForm:
        """The arguments of an action, by name: their order makes no difference."""
        env = self.names.locals_of(action)
        named = [(str(self.names.locals_of(action)[p.slot][1]), p) for p in action.parameters]  # type: ignore[index]
        return tuple((name, self.form(p, env)[1:]) for name, p in sorted(named, key=lambda pair: pair[0]))

    def done(self, action: m.ActionModel) -> NormalForm:
        """The effects of an action; those whose order makes no difference are in a fixed order."""
        env = self.locals_of_effects(action)
        bags = {z.number for z in self.ruleset.zones.values() if z.kind == "bag"}
        left = [(self.effect(e, env), e) for e in action.effects]
        found = []
        while left:
            free = [
                at
                for at, (_, e) in enumerate(left)
                if not any(in_conflict(f, e, action, bags, self.is_ordered) for _, f in left[:at])
            ]
            found.append(left.pop(min(free, key=lambda at: repr(left[at][0])))[0])
        return tuple(found)

    def locals_of_effects(self, action: m.ActionModel) -> Env:
        """What the locals of an action stand for in its effects: a named value keeps what it was before them."""
        env = dict(self.names.locals_of(action))
        changed = {place for e in action.effects for place in written_by_effect(e, action)}
        for _, slot, value in action.lets:
            if any(place in changed or place[0] in ("action", "token") for place in read_by(value)):
                env[slot] = ("Before", (), self.names.form(value, env))
                self.names.types[env[slot]] = type_of(value)  # type: ignore[index]
        return env

    def each(self, effect: m.EffectModel, env: Env, depth: int) -> NormalForm:
        """Effects for each element, which is identified by the number of enclosing loops; the effects keep their order."""
        assert effect.value is not None
        element: NormalForm = ("each", (depth, repr(self.form(effect.value.type.element))))
        if effect.value.type.element is not None:
            self.names.types[element] = effect.value.type.element
        inside = tuple(self.effect(e, {**env, effect.slot: element}, depth + 1) for e in effect.effects)
        own = msgspec.structs.replace(effect, effects=())
        return (*self.form(own, env), ("effects", inside))

    def effect(self, effect: m.EffectModel, env: Env, depth: int = 0) -> NormalForm:
        """An effect. Setting a number to its own value plus something is an addition."""
        if effect.kind == "each":
            return self.each(effect, env, depth)
        form = dict(self.form(effect, env))
        value = form["value"]
        held: NormalForm = ("Variable", (form["number"],))
        if effect.seat is not None:
            held = ("Element", (), held, form["seat"])
        if effect.kind == "set" and value is not None and value[0] == "Linear":
            terms = dict(zip(value[2:], value[1][1:], strict=True))
            if terms.pop(held, 0) == 1:
                form |= {"kind": "add", "value": self.names.number((value[1][0], terms))}
        return tuple(form.items())

    def deck(self, deck: m.DeckModel) -> NormalForm:
        """How many of each card there are, for each number of players."""
        codes = self.ruleset.components[deck.component].codes
        counted = [deck_counts(self.ruleset, deck.name, players) for players in self.counts]
        return (deck.component, *(tuple(sorted((codes[f], n) for f, n in c.items() if n)) for c in counted))

    def pools(self) -> dict[str, NormalForm]:
        """What the steps of the setup deal from, by the name of the deck: its cards, and all steps that share them. No
        record mentions decks, so that their names say nothing.
        """
        sharing: dict[str, list[str]] = {}
        for step in self.ruleset.setup:
            if step.deck:
                sharing.setdefault(step.deck, []).append(step.name)
        return {name: (*self.deck(self.ruleset.decks[name]), *sorted(steps)) for name, steps in sharing.items()}

    def step(self, step: m.SetupModel) -> NormalForm:
        """A step of the setup; its cases are written out for each number of players if they ask about nothing else."""
        asked = [part for _, when in step.cases if when is not None for part in walk(when)]
        if not all(
            isinstance(p, ir.Players | ir.Count | ir.Const | ir.Compare | ir.And | ir.Or | ir.Not) for p in asked
        ):
            return (self.form(self.dealt(step)),)
        compiler = Compiler(self.ruleset)
        tests = [None if when is None else compiler.compile(when) for _, when in step.cases]
        table = []
        for players in self.counts:
            state = _Counted(players)
            met = (v for (v, _), test in zip(step.cases, tests, strict=True) if test is None or test(state, []))
            table.append(next(met, ()))
        return (*self.form(msgspec.structs.replace(self.dealt(step), cases=())), ("cases", *table))

    def dealt(self, step: m.SetupModel) -> m.SetupModel:
        """A step with what it deals from instead of the name of the deck."""
        return msgspec.structs.replace(step, deck=repr(self.pools()[step.deck]) if step.deck else "")

    def form(self, held: Any, env: Env | None = None) -> Any:
        """The form of any part of the model: names instead of numbers, no words."""
        env = env or {}
        match held:
            case ir.Node():
                return self.names.form(held, env)  # type: ignore[arg-type]
            case m.ComponentModel():
                attributes = {name: self.form(attribute) for name, attribute in held.attributes.items()}
                rows = {c: [a.table[at] for a in held.attributes.values()] for at, c in enumerate(held.codes)}
                for face, before in enumerate(held.first):
                    rows[held.codes[face]].append(held.codes[before])
                return tuple(attributes.items()), tuple(sorted((code, tuple(row)) for code, row in rows.items()))
            case msgspec.Struct() if type(held) in WORDS:
                fields = (name for name in held.__struct_fields__ if name not in WORDS[type(held)])
                return tuple((name, self.field(held, name, env)) for name in fields)
            case Type(kind="cell"):
                return ("Type", "cell", held.optional)
            case Type(kind="key"):
                return ("key", held.optional, *sorted((self.form(option) for option in held.options), key=repr))
            case msgspec.Struct():
                return (type(held).__name__, *(self.form(getattr(held, f), env) for f in held.__struct_fields__))
            case tuple():
                return tuple(self.form(part, env) for part in held)
            case dict():
                return tuple((key, self.form(part, env)) for key, part in held.items())
            case frozenset():
                return tuple(sorted(held))
        return held

    def field(self, model: Any, name: str, env: Env) -> Any:
        """The form of one field, by name if it is a number that stands for something."""
        held = getattr(model, name)
        match model, name:
            case m.AttributeModel(), "table":
                return ()  # written out by code, whatever the order of the codes
            case ((m.TokenModel() | m.SetupModel() | m.ParameterModel()), "zone"):
                return self.names.zones.get(held, "")
            case m.OrderStep(), "action":
                return self.actions.get(held, "")
            case m.SetupModel(), "board" if held:
                faces = self.faces(model)
                return tuple((cell, tuple(faces[f] for f in laid)) for cell, laid in held)
            case m.EffectModel(), "number":
                names = {"add": self.names.variables, "set": self.names.variables, "put": self.names.tokens,
                         "return": self.names.tokens}.get(model.kind, {})  # fmt: skip
                return names.get(held, held)
            case m.EffectModel(), "slot" if model.kind == "each":
                return 0
            case m.EffectModel(), "faces" if held:
                # What each face becomes, by code: they may be numbered otherwise.
                assert model.value is not None
                thing = model.value.type.element or model.value.type
                codes = self.ruleset.components[thing.component].codes
                return tuple(sorted((codes[face], codes[to]) for face, to in enumerate(held)))
            case m.EffectModel(), "slot":
                return env.get(held, held) if model.source in ("parameter", "tops") else held
        return self.form(held, env)

    def faces(self, step: m.SetupModel) -> tuple[str, ...]:
        """The codes of the faces that a step lays out."""
        zone = next(z for z in self.ruleset.zones.values() if z.number == step.zone)
        return self.ruleset.components[zone.element.component].codes


def timing(action: m.ActionModel) -> NormalForm:
    """When a consequence is checked."""
    rounds = 0 if action.counted else action.rounds
    return (("each action", action.each_action), ("repeated", action.repeated, action.counted, rounds))


class _Counted:
    """Everything that a case of the setup may ask about: the number of players."""

    def __init__(self, players: int) -> None:
        self.players = players


def asks_for_order(ruleset: m.Ruleset) -> bool:
    """Whether anything may depend on the order in which a bag is kept, or in which the cells of a grid were first used."""

    def of_bag(x: Any) -> bool:
        # A named value may be made from one.
        return any(
            part.type.kind == "bag"
            or isinstance(part, ir.Each | ir.Piles)
            or (isinstance(part, ir.Local | ir.Variable) and part.type.is_collection)
            for part in walk(x)
        )

    def in_order(x: Any) -> bool:
        if isinstance(x, ir.Compare):
            return (x.left.type.is_collection or x.right.type.is_collection) and of_bag(x)
        asks = isinstance(x, _IN_ORDER) or (isinstance(x, ir.Alike) and x.kind == "ascending")
        return asks and of_bag(x)

    def moved(e: m.EffectModel) -> bool:
        return any(of_bag(x) for x in (e.origin, e.value) if x is not None)

    models: list[m.ActionModel] = [*ruleset.actions.values(), *ruleset.consequences.values()]
    return any(in_order(part) for x in expressions(ruleset) for part in walk(x)) or any(
        moved(e) for model in models for e in model.all_effects
    )
