"""A ruleset under other names: what decides something stays as it is, for it refers to things by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from operator import is_, is_not
from typing import Any

import msgspec
from msgspec.structs import replace

from pwtool.ir import model as m
from pwtool.ir import nodes as ir
from pwtool.ir.types import Type
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged

Names = Mapping[Key, str]
"""New names by kind and name: `("zone", "board")`; an attribute is `card.color`, a value `card.color.green`, a parameter
`place.at`, the code of a face `card.K1`, and a rule has the new name of its whole id.
"""
_OF_ACTIONS = ("action", "consequence")
_NAMED: dict[type, str] = {
    m.DeckModel: "deck", m.ZoneModel: "zone", m.TokenModel: "token", m.VariableModel: "var", m.SetupModel: "setup",
    m.EndingModel: "ending", m.ScoreModel: "score", m.InvariantModel: "invariant", m.ObjectiveModel: "objective",
}  # fmt: skip


def renamed(ruleset: m.Ruleset, names: Names) -> m.Ruleset:
    """The ruleset with these names; those that are not listed stay."""
    if not names:
        return ruleset
    renaming = _Renaming(ruleset, names)
    found: m.Ruleset = renaming.of(ruleset)
    models = {
        kind: {model.name: model for model in getattr(found, kind).values()}
        for kind in ("components", "decks", "zones", "tokens", "variables", "actions", "consequences", "objectives")
    }
    return replace(found, **models, origin=m.Origin(read=lambda: renaming.merged(ruleset.merged)))


class _Renaming:
    def __init__(self, ruleset: m.Ruleset, names: Names) -> None:
        self.ruleset, self.names = ruleset, names
        # Of the values that divide a zone only the names are known.
        values = {key[1].rpartition(".")[2]: new for key, new in names.items() if key[0] == "value"}
        self.places = {old: new for old, new in values.items() if self._is_one(old)}

    def _is_one(self, value: str) -> bool:
        tables = [a.table for c in self.ruleset.components.values() for a in c.attributes.values()]
        return sum(value in table for table in tables) == 1

    def name(self, kind: str, own: str, of: str = "") -> str:
        """The new name of something, or of a part of something."""
        return self.names.get((kind, f"{of}.{own}" if of else own), own)

    def of(self, held: Any) -> Any:
        """A part of the model under the new names, the same one if nothing in it has one."""
        found: Any = held
        match held:
            case msgspec.Struct():
                fields = [name for name in held.__struct_fields__ if name != "span"]
                changes = {name: (getattr(held, name), self.of(getattr(held, name))) for name in fields}
                changes |= {name: (getattr(held, name), new) for name, new in self._own(held)}
                changed = {name: new for name, (old, new) in changes.items() if new is not old}
                found = replace(held, **changed) if changed else held
            case tuple():
                parts = tuple(map(self.of, held))
                found = held if all(map(is_, parts, held)) else parts
            case dict():
                parts = tuple(map(self.of, held.values()))
                found = held if all(map(is_, parts, held.values())) else dict(zip(held, parts, strict=True))
        return found

    def _own(self, x: msgspec.Struct) -> Iterator[tuple[str, Any]]:
        """The fields in which a part names something, with what they are now."""
        match x:
            case Type() if x.component:
                yield "component", self.name("component", x.component)
                yield "attribute", self.name("attribute", x.attribute, x.component)
            case ir.Attribute() | ir.Attributes() | ir.GroupSize():
                yield "component", self.name("component", x.component)
                yield "name", self.name("attribute", x.name, x.component)
            case ir.Const():
                yield "value", self._value(x.value, x.type)
            case ir.Can() | ir.After():
                yield "action", self.name("action", x.action)
            case m.ComponentModel():
                yield "name", self.name("component", x.name)
                attributes = [self._attribute(attribute, x.name) for attribute in x.attributes.values()]
                if any(map(is_not, attributes, x.attributes.values())):
                    yield "attributes", {attribute.name: attribute for attribute in attributes}
                if any(("code", f"{x.name}.{code}") in self.names for code in x.codes):
                    yield "codes", tuple(self.name("code", code, x.name) for code in x.codes)
                    yield "numbers", {self.name("code", code, x.name): face for code, face in x.numbers.items()}
            case m.ActionModel():
                kind = "consequence" if x.is_consequence else "action"
                yield "name", self.name(kind, x.name)
                parameters = tuple(replace(self.of(p), name=self.name("param", p.name, x.name)) for p in x.parameters)
                yield "parameters", x.parameters if parameters == x.parameters else parameters
            case m.RuleModel():
                yield "id", self.name("rule", x.id)
            case m.ZoneModel():
                yield "name", self.name("zone", x.name)
                places = tuple(self.places.get(place, place) for place in x.places)
                yield "places", x.places if places == x.places else places
            case m.DeckModel():
                yield "name", self.name("deck", x.name)
                yield "component", self.name("component", x.component)
            case m.SetupModel():
                yield "name", self.name("setup", x.name)
                yield "deck", self.name("deck", x.deck)
                if x.owner:
                    yield "owner", self.name("attribute", x.owner, self.ruleset.decks[x.deck].component)
            case m.Ruleset():
                yield "goal_zone", self.name("setup", x.goal_zone)
            case _ if type(x) in _NAMED:
                yield "name", self.name(_NAMED[type(x)], x.name)  # type: ignore[attr-defined]

    def _value(self, value: Any, type_: Type) -> Any:
        """A known value, or several, under the new names."""
        match value, type_:
            case str(), Type(kind="member"):
                return self.name("value", value, f"{type_.component}.{type_.attribute}")
            case str(), Type(kind="goal"):
                return self.name("objective", value)
            case tuple(), Type(element=Type()) if type_.element is not None:
                parts = tuple(self._value(part, type_.element) for part in value)
                return value if all(map(is_, parts, value)) else parts
            case _, Type(kind="key"):
                # Of several attributes, one has the value.
                others = (self._value(value, option) for option in type_.options)
                return next((other for other in others if other is not value), value)
        return value

    def _attribute(self, x: m.AttributeModel, component: str) -> m.AttributeModel:
        name, type_, of = self.name("attribute", x.name, component), self.of(x.type), f"{component}.{x.name}"
        table = x.table
        if x.type.kind == "member":
            table = tuple(value if value is None else self.name("value", value, of) for value in table)
        is_same = (name, type_, table) == (x.name, x.type, x.table)
        return x if is_same else replace(x, name=name, type=type_, table=table)

    # ---- the trees of the items

    def merged(self, merged: Merged) -> Merged:
        """The items under their new keys, and in the new names as far as a word says by itself what it means: words for readers
        are taken from where they are written. What is said of parts of them is found under both names.
        """

        def worded(said: dict[Key, Any]) -> dict[Key, Any]:
            return said | {self.key(key): words for key, words in said.items()}

        return replace(
            merged,
            items={self.key(key): self._said(node) for key, node in merged.items.items()},
            history={self.key(key): steps for key, steps in merged.history.items()},
            texts={language: worded(texts) for language, texts in merged.texts.items()},
            notes={language: worded(notes) for language, notes in merged.notes.items()},
            looks=worded(merged.looks),
        )

    def key(self, key: Key) -> Key:
        """The new key of an item, or of a part of one that has a text of its own."""
        kind, name = key
        if kind == "anytime":
            return kind, self.name("action", name)
        of, _, own = name.partition(".")
        if kind == "param":
            owner = next((self.names[k, of] for k in _OF_ACTIONS if (k, of) in self.names), of)
            return kind, f"{owner}.{self.name('param', own, of)}"
        if kind == "component" and own:
            values = (new for (kind, old), new in self.names.items() if kind == "value" and _is_value(old, of, own))
            part = self.names.get(("attribute", name)) or next(values, own)
            return kind, f"{self.name('component', of)}.{part}"
        return kind, self.name(kind, name)

    @cached_property
    def _words(self) -> dict[str, str]:
        last = {own.rpartition(".")[2]: new.rpartition(".")[2] for (_, own), new in self.names.items()}
        several = {f"{own}s": f"{new}s" for (kind, own), new in self.names.items() if kind == "component"}
        return {**several, **last}

    def _said(self, held: Any) -> Any:
        match held:
            case str():
                return ".".join([self._words.get(part, part) for part in held.split(".")])
            case tuple():
                return tuple(map(self._said, held))
            case n.Deck():
                return self._deck(held)
            case n.Node():
                return replace(held, **{name: self._said(getattr(held, name)) for name in n.fields(held)})
        return held

    def _deck(self, deck: n.Deck) -> n.Deck:
        """A deck, of which cards are counted by what it names."""
        of = deck.component.name

        def named(name: n.Name, kind: str, of: str = "") -> n.Name:
            return replace(name, name=self.name(kind, name.name, of))

        parts = tuple(
            replace(
                part,
                cards=tuple((named(code, "code", of), count) for code, count in part.cards),
                deck=part.deck and named(part.deck, "deck"),
            )
            for part in deck.parts
        )
        return replace(deck, name=named(deck.name, "deck"), component=named(deck.component, "component"), parts=parts)


def _is_value(name: str, component: str, value: str) -> bool:
    return name.startswith(f"{component}.") and name.endswith(f".{value}")
