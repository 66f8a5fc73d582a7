"""The differences between two rulesets, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from msgspec import structs

from pwtool.comparing.canonical import Env, Form, Names
from pwtool.comparing.objectives import compare_objectives
from pwtool.comparing.orders import compare_orders
from pwtool.comparing.prover import Builder, Comparison, Formula, compare_formulas, compare_values
from pwtool.comparing.row import Row
from pwtool.comparing.settling import settle_rows
from pwtool.comparing.words import deck_difference, words_of
from pwtool.ir.model import ActionModel, EffectModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game


def compare_rulesets(first: Game, second: Game) -> list[Row]:
    """Every item in which two rulesets differ, in words or in meaning; what is the same is left out."""
    return settle_rows(first, second, differing_items(first, second))


def differing_items(first: Game, second: Game) -> list[Row]:
    """Every item in which two rulesets differ, each looked at by itself: what tells two rules apart may never come up."""
    return [*_Comparer(first, second).rows()]


def shared_items(first: Game, second: Game) -> int:
    """How many items say the same, word for word."""
    a, b = first.ruleset.merged.items, second.ruleset.merged.items
    return sum(1 for key, node in a.items() if key in b and b[key] == node)


class _Comparer:
    def __init__(self, first: Game, second: Game) -> None:
        self.games = (first, second)
        self.rulesets = (first.ruleset, second.ruleset)
        self.names = (Names(first.ruleset), Names(second.ruleset))
        self.items = (first.ruleset.merged.items, second.ruleset.merged.items)

    def rows(self) -> Iterator[Row]:
        yield from self.material()
        yield from self.order()
        for kind in ("actions", "consequences"):
            yield from self.actions(kind)
        yield from self.between_turns()
        yield from self.endings()
        yield from self.scores()
        yield from compare_objectives(*self.games)
        yield from self.invariants()
        yield from self.open_points()

    def texts(self, key: Key) -> tuple[str, str]:
        first, second = self.items
        return words_of(first.get(key)), words_of(second.get(key))

    def keys(self, *kinds: str) -> list[Key]:
        return [key for key in dict.fromkeys([*self.items[0], *self.items[1]]) if key[0] in kinds]

    def unequal(self, *kinds: str) -> Iterator[tuple[Key, n.Node | None, n.Node | None]]:
        for key in self.keys(*kinds):
            a, b = self.items[0].get(key), self.items[1].get(key)
            if a != b:
                yield key, a, b

    # ---- what is compared as written

    def material(self) -> Iterator[Row]:
        for key, a, b in self.unequal("component", "deck", "zone", "token", "players", "setup"):
            if a is not None and b is not None and _silent(a) == _silent(b):
                yield self.row(key, "wording", "reworded", "")
                continue
            nature = "material" if key[0] in ("component", "deck", "zone", "token") else "setup"
            shown = deck_difference(a, b) if isinstance(a, n.Deck) and isinstance(b, n.Deck) else ""
            yield self.row(key, nature, _status(a, b), "", "", shown)

    def open_points(self) -> Iterator[Row]:
        for key, a, b in self.unequal("ambiguity", "erratum"):
            if a is not None and b is not None and _as_said(a) == _as_said(b):
                continue
            nature = "clarification" if key[0] == "ambiguity" else "erratum"
            yield self.row(key, nature, _status(a, b), "")
        without = [r.merged.without for r in self.rulesets]
        for name in sorted(without[0].keys() ^ without[1].keys()):
            gone = name in without[0]
            status, direction = ("only_second", "permissive") if gone else ("only_first", "stricter")
            yield Row("variant", name, "semantic", status, direction, "not played" if gone else "can be played",
                      "can be played" if gone else "not played")  # fmt: skip

    def row(self, key: Key, nature: str, status: str, direction: str, proof: str = "", example: str = "") -> Row:
        return Row(key[0], key[1], nature, status, direction, *self.texts(key), proof, example)

    # ---- what is compared by its meaning

    def order(self) -> Iterator[Row]:
        found = compare_orders(*self.rulesets)
        if not found.same:
            words = [" ".join(w) for w in (found.only_first, found.only_second) if w]
            direction = _direction(found.only_first is not None, found.only_second is not None)
            yield self.row(("turn", ""), "semantic", "different", direction, "all turns", " / ".join(words))
        elif self.items[0].get(("turn", "")) != self.items[1].get(("turn", "")):
            yield self.row(("turn", ""), "wording", "reworded", "", "all turns of both orders")
        for key, a, b in self.unequal("anytime"):
            yield self.row(key, "semantic", _status(a, b), _direction(a is not None, b is not None))

    def actions(self, kind: str) -> Iterator[Row]:
        first, second = (getattr(r, kind) for r in self.rulesets)
        word = kind.removesuffix("s")
        for name in dict.fromkeys([*first, *second]):
            a, b = first.get(name), second.get(name)
            key = (word, name)
            if a is None or b is None:
                yield self.row(
                    key,
                    "semantic",
                    "only_second" if a is None else "only_first",
                    "permissive" if a is None else "stricter",
                )
                continue
            shapes = self.shape(0, a), self.shape(1, b)
            if shapes[0] != shapes[1]:
                # Who names the same things may do the same; what becomes of it is neither freer nor stricter.
                direction = "incomparable" if shapes[0][0] != shapes[1][0] else ""
                yield self.row(key, "semantic", "different", direction)
            elif self.items[0].get(key) != self.items[1].get(key):
                yield self.row(key, "wording", "reworded", "")
            yield from self.rules(a.rules, b.rules, (a, b))

    def shape(self, side: int, action: ActionModel) -> tuple[Form, Form]:
        """What an action asks for and does, without its rules and its names for values."""
        names = self.names[side]
        env = names.locals_of(action)

        def effect(e: EffectModel) -> Form:
            target = {"add": names.variables, "set": names.variables, "put": names.tokens, "return": names.tokens}.get(
                e.kind, {}
            )
            moved = env.get(e.slot) if e.source in ("parameter", "tops") else None
            held = moved if isinstance(moved, tuple) else None
            parts = [names.form(x, env) for x in (e.when, e.value, e.target, e.cell)]
            return (e.kind, e.source, held, target.get(e.number), *parts)

        parameters = tuple((p.name, p.kind, p.each, str(p.type), names.form(p.origin, env)) for p in action.parameters)
        return (parameters, tuple(effect(e) for e in action.effects))

    def rules(
        self,
        first: tuple[RuleModel, ...],
        second: tuple[RuleModel, ...],
        owners: tuple[ActionModel, ActionModel] | None,
    ) -> Iterator[Row]:
        a, b = {r.id: r for r in first}, {r.id: r for r in second}
        for name in dict.fromkeys([*a, *b]):
            key = ("rule", name)
            if name not in a or name not in b:
                status, direction = ("only_second", "stricter") if name not in a else ("only_first", "permissive")
                yield self.row(key, "semantic", status, direction)
                continue
            found = self.compare(_parts(a[name]), _parts(b[name]), owners)
            yield from self.judged(key, found, "semantic")

    def compare(
        self, first: list[Expr | None], second: list[Expr | None], owners: tuple[ActionModel, ActionModel] | None
    ) -> Comparison:
        """Two rules as formulas: where `when` holds, `require` has to."""
        envs: list[Env] = [{}, {}]
        if owners is not None:
            envs = [names.locals_of(owner) for names, owner in zip(self.names, owners, strict=True)]
        forms = [
            (names.form(when, env), names.form(require, env))
            for (when, require), names, env in zip((first, second), self.names, envs, strict=True)
        ]
        if forms[0] == forms[1]:
            return Comparison(False, False)

        def make(parts: list[Expr | None], env: Env) -> Callable[[Builder], Formula]:
            def build(builder: Builder) -> Formula:
                when, require = (builder.formula(part, env) for part in parts)
                return lambda f: not when(f) or require(f)

            return build

        return compare_formulas(make(first, envs[0]), make(second, envs[1]), self.names)

    def judged(self, key: Key, found: Comparison, nature: str) -> Iterator[Row]:
        """The row of a rule that was compared; none when both say it in the same words."""
        if found.same:
            if self.items[0].get(key) != self.items[1].get(key):
                proof = f"{found.cases:,} cases of what they ask about" if found.cases else "the same form"
                yield self.row(key, "wording", "reworded", "", proof)
            return
        if found.same is None:
            yield self.row(key, nature, "undecided", "", f"more than {found.cases:,} cases to go through")
            return
        proof = f"{found.cases:,} cases of what they ask about"
        direction = _direction(bool(found.only_first), bool(found.only_second))
        yield self.row(key, nature, "different", direction, proof)

    def between_turns(self) -> Iterator[Row]:
        yield from self.rules(self.rulesets[0].turn_rules, self.rulesets[1].turn_rules, None)
        for row in self.rules(self.rulesets[0].setup_rules, self.rulesets[1].setup_rules, None):
            yield replace(row, nature="setup") if row.nature == "semantic" else row

    def endings(self) -> Iterator[Row]:
        first, second = ({e.name: e for e in r.endings} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("ending", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "semantic", "only_second" if a is None else "only_first", "incomparable")
            elif (a.more_turns, a.others, a.at_once) != (b.more_turns, b.others, b.at_once):
                yield self.row(key, "semantic", "different", "incomparable")
            else:
                found = self.compare([None, a.condition], [None, b.condition], None)
                for row in self.judged(key, found, "semantic"):
                    # Ending earlier or later is neither freer nor stricter.
                    direction = "incomparable" if row.direction else ""
                    yield replace(row, direction=direction)

    def scores(self) -> Iterator[Row]:
        first, second = ({s.name: s for s in r.scores} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("score", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "semantic", "only_second" if a is None else "only_first", "")
            elif self.names[0].form(a.value) != self.names[1].form(b.value):
                yield self.valued(key, compare_values(_value(a.value), _value(b.value), self.names))
            elif self.items[0].get(key) != self.items[1].get(key):
                yield self.row(key, "wording", "reworded", "", "the same form")
        ranking = [
            [(c.kind, names.form(c.value)) for c in r.ranking]
            for r, names in zip(self.rulesets, self.names, strict=True)
        ]
        if ranking[0] != ranking[1]:
            yield self.row(("ranking", ""), "semantic", "different", "")

    def valued(self, key: Key, found: Comparison) -> Row:
        """The row of a number that is written otherwise."""
        if found.same is None:
            return self.row(key, "semantic", "undecided", "", f"more than {found.cases:,} cases to go through")
        status, nature = ("reworded", "wording") if found.same else ("different", "semantic")
        return self.row(key, nature, status, "", f"{found.cases:,} cases of what they ask about")

    def invariants(self) -> Iterator[Row]:
        first, second = ({i.name: i for i in r.invariants} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("invariant", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "position", "only_second" if a is None else "only_first", "")
            elif a.between != b.between:
                yield self.row(key, "position", "different", "permissive" if b.between else "stricter")
            else:
                yield from self.judged(key, self.compare([a.when, a.require], [b.when, b.require], None), "position")


def _value(expr: Expr) -> Callable[[Builder], Formula]:
    return lambda builder: builder.formula(expr, {})


def _parts(rule: RuleModel) -> list[Expr | None]:
    return [rule.when, rule.require]


def _direction(only_first: bool, only_second: bool) -> str:
    if only_first and only_second:
        return "incomparable"
    return "stricter" if only_first else "permissive" if only_second else ""


def _status(a: n.Node | None, b: n.Node | None) -> str:
    return "only_second" if a is None else "only_first" if b is None else "different"


def _as_said(node: n.Node) -> n.Node:
    """An open point by its words: what a reading changes is written anew where other things stand around it."""
    if isinstance(node, n.Ambiguity):
        alternatives = tuple(structs.replace(a, declarations=()) for a in node.alternatives)
        return structs.replace(node, reason=None, alternatives=alternatives)
    return structs.replace(node, reason=None) if isinstance(node, n.Erratum) else node


def _silent(node: n.Node) -> list[object]:
    """What decides in a node: everything but its words and citations."""
    return [getattr(node, name) for name in n.fields(node) if name not in ("text", "sees")]
