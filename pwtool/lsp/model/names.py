"""Where names are written in a rules file, and what each of them means. This uses the tree alone, so it also works if
other parts of the ruleset have errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pwtool.lang import tree as n
from pwtool.lang.look import Look, LookBlock
from pwtool.lang.merged import Merged
from pwtool.text.source import Span

Scope = Mapping[str, "Symbol"]
EXPRESSED = ("var", "zone", "define", "token", "component")
"""The kinds that expressions can refer to and whose names are unique in a ruleset."""
ITEMS = ("objective", "rule", "invariant", "ending", "score", "action", "consequence", "param")
_DIRECTIONS = frozenset("right left down up down_right down_left up_right up_left".split())
WORDS = (
    frozenset("player players goals true false total height buried directions diagonals".split())
    | _DIRECTIONS
    | {"other player", "all directions"}
)
"""Names that are built in."""
_PART = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Symbol:
    """The meaning of a name: its kind, and its name in the ruleset (`action.parameter`); `within` is where a local name is declared."""

    kind: str
    name: str
    within: Span | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """A key that is the same wherever the name is written."""
        if self.within is None:
            return self.kind, self.name, "", 0
        return self.kind, self.name, self.within.file.name, self.within.start

    @property
    def short(self) -> str:
        """The name as it is written."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where a name is written. `declares`: whether it is declared here; `whole` is then the whole declaration."""

    span: Span
    symbol: Symbol
    declares: bool = False
    whole: Span | None = None


@dataclass(frozen=True)
class Known:
    """The declarations in the layers of a ruleset, by name as written."""

    items: frozenset[tuple[str, str]]
    attributes: Mapping[str, tuple[str, ...]]
    values: Mapping[str, tuple[str, ...]]
    locals_of: Mapping[str, Scope]
    letters: Mapping[str, Scope]
    same: Mapping[tuple[str, str], Symbol]
    """What a name also stands for: a choice is a component with one attribute, a supply a deck, a zone and a step of the
    setup; a step that puts things somewhere is called like the zone.
    """

    def named(self, name: str, kinds: tuple[str, ...]) -> Symbol | None:
        """The item with this name of one of these kinds."""
        return next((Symbol(kind, name) for kind in kinds if (kind, name) in self.items), None)

    def attribute(self, name: str, component: str = "") -> Symbol | None:
        """An attribute; if several components have it, that of the given component or of the first one."""
        owners = self.attributes.get(name, ())
        if not owners:
            return None
        return Symbol("attribute", f"{component if component in owners else owners[0]}.{name}")

    def value(self, name: str) -> Symbol | None:
        """A value of an attribute."""
        found = self.values.get(name)
        return Symbol("value", f"{found[0]}.{name}") if found else None


def known_of(merged: Merged) -> Known:
    """The declarations of a ruleset."""
    attributes: dict[str, tuple[str, ...]] = {}
    values: dict[str, tuple[str, ...]] = {}
    locals_of: dict[str, Scope] = {}
    letters: dict[str, Scope] = {}
    same: dict[tuple[str, str], Symbol] = {}
    for (_, name), node in merged.items.items():
        if isinstance(node, n.Component) and node.choice:
            same["component", name] = Symbol("attribute", f"{name}.{name}")
        zone = merged.items.get(("zone", name))
        if isinstance(node, n.SetupStep) and isinstance(zone, n.Zone):
            if zone.name.span == node.name.span:
                same["deck", name] = Symbol("zone", name)
            if node.kind == "put" or zone.name.span == node.name.span:
                same["setup", name] = Symbol("zone", name)
        if isinstance(node, n.Component):
            for attribute in node.attributes:
                attributes[attribute.name.name] = (*attributes.get(attribute.name.name, ()), name)
                for member in attribute.members:
                    values[member.name] = (*values.get(member.name, ()), f"{name}.{attribute.name.name}")
        if isinstance(node, n.Action | n.Consequence):
            locals_of[name] = _locals(node)
        if isinstance(node, n.Shape):
            letters[name] = _letters((node.picture, *node.more), "letter", f"{name}.")
    items = frozenset(merged.items) | {
        ("reading", f"{node.name.name}.{a.name.name}")
        for node in merged.items.values()
        if isinstance(node, n.Ambiguity)
        for a in node.alternatives
    }
    return Known(items, attributes, values, locals_of, letters, same)


def _locals(node: n.Action | n.Consequence) -> dict[str, Symbol]:
    """The names that an action's rules may use, wherever these are written."""
    lets = [s.name for s in node.statements if isinstance(s, n.Let)]
    names = [*(p.name for p in node.parameters), *lets]
    kinds = ["param"] * len(node.parameters) + ["let"] * len(lets)
    return {o.name: Symbol(kind, f"{node.name.name}.{o.name}") for o, kind in zip(names, kinds, strict=True)}


def _letters(pictures: tuple[n.Picture, ...], kind: str, prefix: str, within: Span | None = None) -> dict[str, Symbol]:
    found: dict[str, Symbol] = {}
    for picture in pictures:
        for cell in picture.cells:
            if _PART.fullmatch(cell.content) and cell.content != "_":
                found.setdefault(cell.content, Symbol(kind, prefix + cell.content, within))
    return found


def find_names(document: n.Document, known: Known) -> list[Occurrence]:
    """All names in a document that mean something, in the order of the text."""
    finder = _Finder(known)
    finder.header(document.header)
    for node in document.declarations:
        finder.declaration(node)
    unique = {(o.span.start, o.span.end): o for o in finder.found}
    return sorted(unique.values(), key=lambda o: o.span.start)


def name_span(node: n.Node, name: str) -> Span:
    """The place of a node's name: a node begins with its kind and its name."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", node.span.text)
    start = node.span.start + (found.start() if found else 0)
    return Span(node.span.file, start, start + len(name) if found else node.span.end)


NAMED: dict[tuple[type[n.Node], str], tuple[str, ...]] = {
    (n.Deck, "component"): ("component",), (n.DeckPart, "deck"): ("deck",), (n.ZoneKind, "component"): ("component",),
    (n.Token, "zone"): ("zone",), (n.SetupStep, "what"): ("deck",), (n.SetupStep, "to"): ("zone",),
    (n.SetupStep, "sees"): ("section",), (n.Step, "action"): ("action",), (n.Anytime, "action"): ("action",),
    (n.Var, "type_name"): ("component", "zone"), (n.Rule, "sees"): ("section",), (n.ConsequenceParameter, "grid"): ("zone",),
    (n.Ending, "sees"): ("section",), (n.Score, "sees"): ("section",), (n.Invariant, "sees"): ("section",),
    (n.Given, "name"): ("zone", "var", "token", "setup"), (n.Outcome, "name"): ("score",), (n.CallExample, "action"): ("action", "consequence"),
    (n.Cite, "source"): ("source",), (n.TokenQuery, "token"): ("token",), (n.Can, "action"): ("action",),
    (n.OverNamed, "subject"): ("shape", "component"), (n.Pair, "grid"): ("zone",), (n.Call, "name"): ("define",),
    (n.Placements, "subject"): ("shape", "component"),
}  # fmt: skip
"""The kinds of items that a node's field refers to."""
_DECLARED: dict[type[n.Node], str] = {
    n.Source: "source", n.Section: "section", n.Component: "component", n.Deck: "deck", n.Zone: "zone", n.Token: "token",
    n.SetupStep: "setup", n.Var: "var", n.Define: "define", n.Action: "action", n.Consequence: "consequence", n.Ending: "ending",
    n.Score: "score", n.Invariant: "invariant", n.Shape: "shape", n.Objective: "objective", n.Ambiguity: "ambiguity", n.Erratum: "erratum",
}  # fmt: skip
_OF_ATTRIBUTE = {(kind, "attribute") for kind in (n.SumOf, n.Alike, n.Extreme, n.CountDistinct, n.GroupSize)}


@dataclass
class _Finder:
    """Walks through a document. `component` is the one whose attributes the current declaration refers to."""

    known: Known
    found: list[Occurrence] = field(default_factory=list)
    component: str = ""

    def note(self, span: Span, symbol: Symbol | None, declares: bool = False, whole: Span | None = None) -> None:
        if symbol is not None and span.end - span.start == len(symbol.short) and span.text == symbol.short:
            if symbol.within is None and (also := self.known.same.get((symbol.kind, symbol.name))) is not None:
                declares, symbol = declares and symbol.kind != "setup", also
            self.found.append(Occurrence(span, symbol, declares, whole))

    # ---- files

    def header(self, header: n.Header) -> None:
        if header.kind != "part":
            self.note(header.name.span, Symbol(header.kind, header.name.name), True, header.span)

    # ---- declarations

    def declaration(self, node: n.Node, changes: bool = False) -> None:
        match node:
            case n.Change(declaration=inner, reason=reason):
                self.declaration(inner, changes=True)
                self.visit(reason, {})
            case n.Remove(kind=kind, name=name, reason=reason):
                self.worded(kind, name)
                self.visit(reason, {})
            case Look(kind=kind, name=name, features=features):
                self.worded(kind, name)
                for zone in (feature.zone for feature in features if feature.zone is not None):
                    self.note(zone.span, Symbol("zone", zone.name))
            case n.Translation(kind=kind, name=name) | n.Note(kind=kind, name=name):
                self.worded(kind, name)
            case n.Texts(translations=words) | n.Notes(notes=words) | LookBlock(looks=words):
                for part in words:
                    self.declaration(part)
            case n.AddEffect(action=action, effect=effect, reason=reason):
                self.note(action.span, self.known.named(action.name, ("action",)))
                self.visit(effect, self.known.locals_of.get(action.name, {}))
                self.visit(reason, {})
            case n.Include() | n.Header():
                pass
            case n.Within(declarations=inside):
                for within in inside:
                    self.declaration(within)
            case n.Erratum(printed=inside):
                self.declared(node, node.name, "erratum", changes)
                for within in inside:
                    self.declaration(within, changes=True)
                self.visit(node.reason, {})
            case n.Ambiguity(alternatives=alternatives):
                self.declared(node, node.name, "ambiguity", changes)
                for alternative in alternatives:
                    symbol = Symbol("reading", f"{node.name.name}.{alternative.name.name}")
                    self.note(alternative.name.span, symbol, True, alternative.span)
                    for within in alternative.declarations:
                        self.declaration(within, changes=True)
                self.visit(node.reason, {})
            case n.Component():
                self.of_component(node, changes)
            case n.Rule():
                self.free_rule(node, changes)
            case n.Action() | n.Consequence():
                self.action(node, changes)
            case n.Example():
                self.example(node)
            case n.Shape(picture=picture, more=more):
                self.declared(node, node.name, "shape", changes)
                self.pictures((picture, *more), _letters((picture, *more), "letter", f"{node.name.name}."), True)
            case n.Define(name=name, parameters=parameters, body=body):
                self.declared(node, name, "define", changes)
                self.visit(body, self.bound({}, *parameters))
            case _:
                declared = _DECLARED.get(type(node))
                if declared is not None:
                    self.declared(node, node.name, declared, changes)  # type: ignore[attr-defined]
                self.fields(node, {})
                if isinstance(node, n.SetupStep):
                    self.dealt_by(node)

    def dealt_by(self, node: n.SetupStep) -> None:
        """The attribute that says who gets what is dealt."""
        written = re.search(r"\bby\s+(\w+)[^\"]*\Z", node.span.text)
        if written is not None and node.manner == written[1] and written[1] not in ("chance", "choice"):
            place = Span(node.span.file, node.span.start + written.start(1), node.span.start + written.end(1))
            self.note(place, self.known.attribute(written[1]))

    def declared(self, node: n.Node, name: n.Name, kind: str, changes: bool) -> None:
        self.note(name.span, Symbol(kind, name.name), not changes, node.span)

    def worded(self, kind: str, name: n.Name) -> None:
        """A reference by kind and name (for removals, translations and notes); the name may be that of a part."""
        parts = list(_PART.finditer(name.span.text))
        names = name.name.split(".")
        at = [Span(name.span.file, name.span.start + p.start(), name.span.start + p.end()) for p in parts]
        if len(at) != len(names) or not name.name:
            return
        self.qualified(kind, names, at)

    def qualified(self, kind: str, names: list[str], at: list[Span]) -> None:
        whole = ".".join(names)
        match kind, len(names):
            case "rule", _:
                self.note(at[0], self.known.named(names[0], ("action", "consequence")))
                self.note(at[-1], Symbol("rule", whole))
            case "param", 2:
                self.note(at[0], self.known.named(names[0], ("action", "consequence")))
                self.note(at[1], self.known.locals_of.get(names[0], {}).get(names[1]))
            case "reading", 2:
                self.note(at[0], Symbol("ambiguity", names[0]))
                self.note(at[1], Symbol("reading", whole))
            case "reading", 1:
                self.note(at[0], Symbol("ambiguity", names[0]))
            case "component", 2:
                self.note(at[0], Symbol("component", names[0]))
                attribute = Symbol("attribute", whole)
                is_one = names[0] in self.known.attributes.get(names[1], ())
                self.note(at[1], attribute if is_one else self.known.value(names[1]))
            case _, 1:
                self.note(at[0], Symbol(kind, whole))

    def of_component(self, node: n.Component, changes: bool) -> None:
        self.declared(node, node.name, "component", changes)
        for attribute in node.attributes:
            owner = f"{node.name.name}.{attribute.name.name}"
            self.note(attribute.name.span, Symbol("attribute", owner), not changes, attribute.span)
            for member in attribute.members:
                span = Span(member.span.file, member.span.start, member.span.start + len(member.name))
                self.note(span, Symbol("value", f"{owner}.{member.name}"), not changes, member.span)
            if attribute.key is None:
                continue
            self.note(attribute.key.span, Symbol("attribute", f"{node.name.name}.{attribute.key.name}"))
            rows = attribute.span.text.partition("{")
            begin = attribute.span.start + len(rows[0]) + 1
            for row in re.finditer(r"([A-Za-z_]\w*)\s*:", rows[2]):
                span = Span(attribute.span.file, begin + row.start(1), begin + row.end(1))
                self.note(span, Symbol("value", f"{node.name.name}.{attribute.key.name}.{row[1]}"))

    def free_rule(self, node: n.Rule, changes: bool) -> None:
        names = node.name.name.split(".")
        spans = [Span(node.name.span.file, node.name.span.start + p.start(), node.name.span.start + p.end())
                 for p in _PART.finditer(node.name.span.text)]  # fmt: skip
        if node.name.span.text.split(".")[0].strip() == names[0] and len(spans) == len(names):
            self.note(spans[0], self.known.named(names[0], ("action", "consequence")))
        if spans:
            self.note(spans[-1], Symbol("rule", node.name.name), not changes, node.span)
        self.fields(node, self.known.locals_of.get(names[0], {}), but=("name",))

    def action(self, node: n.Action | n.Consequence, changes: bool) -> None:
        kind = _DECLARED[type(node)]
        self.declared(node, node.name, kind, changes)
        own = _locals(node)
        scope: dict[str, Symbol] = {}
        for parameter in node.parameters:
            self.fields(parameter, scope, but=("name", "names", "per", "domain"))
            for name in getattr(parameter, "names", ()):
                singular = name.name.removesuffix("s")
                kinds = ("component",) if parameter.kind == "element" else ("zone",)  # type: ignore[union-attr]
                self.note(name.span, self.known.named(name.name, kinds) or self.known.attribute(name.name))
                if self.known.named(singular, kinds):
                    span = Span(name.span.file, name.span.start, name.span.start + len(singular))
                    self.note(span, self.known.named(singular, kinds))
            self.note(parameter.name.span, own[parameter.name.name], not changes, parameter.span)
            scope[parameter.name.name] = own[parameter.name.name]
        # Rules can use all named values, including later ones.
        for statement in node.statements:
            if isinstance(statement, n.Rule):
                symbol = Symbol("rule", f"{node.name.name}.{statement.name.name}")
                self.note(statement.name.span, symbol, not changes, statement.span)
                self.fields(statement, own, but=("name",))
            elif isinstance(statement, n.Let):
                self.visit(statement.value, own)
                self.note(statement.name.span, own[statement.name.name], not changes, statement.span)
            else:
                self.visit(statement, own)

    # ---- examples

    def example(self, node: n.Example) -> None:
        names = node.name.name.split(".")
        spans = [Span(node.name.span.file, node.name.span.start + p.start(), node.name.span.start + p.end())
                 for p in _PART.finditer(node.name.span.text)]  # fmt: skip
        if len(names) == 1 and spans:
            of_action = any(isinstance(outcome.what, n.CallExample) for outcome in node.outcomes)
            self.note(spans[0], self.known.named(names[0], ("action", "consequence") if of_action else ITEMS))
        elif len(spans) == len(names) == 2:
            whole = node.name.name
            param = self.known.locals_of.get(names[0], {}).get(names[1])
            is_rule = ("rule", whole) in self.known.items
            self.note(spans[0], self.known.named(names[0], ("action", "consequence")))
            self.note(spans[1], Symbol("rule", whole) if is_rule else param)
        for given in node.givens:
            self.fields(given, {})
        for outcome in node.outcomes:
            self.fields(outcome, {}, but=("what",))
            call = outcome.what
            if not isinstance(call, n.CallExample):
                continue
            self.note(call.action.span, self.known.named(call.action.name, ("action", "consequence")))
            within = self.known.locals_of.get(call.action.name, {})
            at = call.action.span.end
            for argument, value in call.arguments:
                written = Span(value.span.file, at, value.span.start)
                if argument and (found := re.search(rf"\b{argument}\s*:\s*$", written.text)):
                    start = written.start + found.start()
                    self.note(Span(value.span.file, start, start + len(argument)), within.get(argument))
                self.visit(value, {})
                at = value.span.end

    # ---- expressions

    def fields(self, node: n.Node, scope: Scope, but: tuple[str, ...] = ()) -> None:
        for name in n.fields(node):
            if name in but:
                continue
            value = getattr(node, name)
            for part in value if isinstance(value, tuple) else (value,):
                self.part(node, name, part, scope)

    def part(self, node: n.Node, name: str, part: Any, scope: Scope) -> None:
        if isinstance(part, tuple):
            for inner in part:
                self.part(node, name, inner, scope)
            return
        if isinstance(node, n.Effect) and node.kind == "turn" and name == "target":
            state: Any = part.operand if isinstance(part, n.Unary) else part
            self.note(state.span, self.known.attribute(state.name) or self.known.value(state.name))
            return
        if not isinstance(part, n.Name):
            self.visit(part, scope)
            return
        place = (type(node), name)
        if place in NAMED:
            symbol = self.known.named(part.name, NAMED[place])
            if symbol is None and place == (n.Var, "type_name"):
                symbol = self.known.attribute(part.name)
            self.note(part.span, symbol)
        elif place in _OF_ATTRIBUTE or place in ((n.Attribute, "name"), (n.Var, "over"), (n.Zone, "per")):
            self.note(part.span, self.known.attribute(part.name))
        elif place == (n.Binary, "right") and getattr(node, "operator", "") == "fulfils":
            self.note(part.span, scope.get(part.name) or self.known.named(part.name, ("objective",)))
        elif name not in ("name", "per", "each", "seen", "variable"):
            self.name(part, scope)

    def name(self, node: n.Name, scope: Scope) -> None:
        """A name in an expression."""
        name = node.name
        symbol = scope.get(name)
        if symbol is None and name in _DIRECTIONS:
            symbol = self.known.named(name, EXPRESSED)
        elif symbol is None and name not in WORDS:
            symbol = (
                self.known.named(name, EXPRESSED)
                or self.known.attribute(name)
                or self.known.value(name)
                or self.known.named(name, ("objective",))
            )
        self.note(node.span, symbol)

    def bound(self, scope: Scope, *names: n.Name, within: Span | None = None) -> dict[str, Symbol]:
        """The scope with new names added."""
        found = dict(scope)
        for name in names:
            symbol = Symbol("local", name.name, name.span)
            self.note(name.span, symbol, True, within or name.span)
            found[name.name] = symbol
        return found

    def pictures(self, pictures: tuple[n.Picture, ...], letters: Scope, declares: bool) -> None:
        for picture in pictures:
            for cell in picture.cells:
                span = Span(cell.span.file, cell.span.start, cell.span.start + len(cell.content))
                self.note(span, letters.get(cell.content), declares, cell.span)

    def domain(self, node: Any, scope: Scope, inner: Scope) -> None:
        """What a loop goes over; the condition of a `where` may name the variable of the loop."""
        if isinstance(node, n.Where) and node.variable is None:
            self.domain(node.operand, scope, inner)
            self.visit(node.condition, inner)
        else:
            self.visit(node, scope)

    def visit(self, node: Any, scope: Scope) -> None:
        """An expression or an effect, with the names in scope around it."""
        match node:
            case n.Name():
                self.name(node, scope)
            case n.OverDomain(variable=variable, domain=domain, body=body) | n.Pick(
                variable=variable, domain=domain, body=body
            ) | n.Comprehension(variable=variable, domain=domain, body=body):  # fmt: skip
                inner = self.bound(scope, variable, within=node.span)
                self.domain(domain, scope, inner)
                self.visit(body, inner)
            case n.Around(variable=variable, start=start, body=body):
                self.visit(start, scope)
                self.visit(body, self.bound(scope, variable, within=node.span))
            case n.Where(operand=operand, condition=condition, variable=named):
                self.visit(operand, scope)
                self.visit(condition, scope if named is None else self.bound(scope, named, within=node.span))
            case n.ForEach(variable=variable, domain=domain, effects=effects):
                inner = self.bound(scope, variable, within=node.span)
                self.domain(domain, scope, inner)
                for effect in effects:
                    self.visit(effect, inner)
            case n.OverPicture(picture=picture, body=body, grid=grid, through=through):
                self.visit(through, scope)
                letters = _letters((picture,), "letter", "", picture.span)
                self.pictures((picture,), letters, True)
                self.visit(grid, scope)
                self.visit(body, {**scope, **letters})
            case n.OverNamed(subject=subject, body=body, grid=grid, through=through):
                self.visit(through, scope)
                self.note(subject.span, self.known.named(subject.name, ("shape", "component")))
                self.visit(grid, scope)
                self.visit(body, {**scope, **self.known.letters.get(subject.name, {})})
            case n.Placements(subject=subject, grid=grid, body=body):
                self.visit(grid, scope)
                inner = dict(scope)
                if isinstance(subject, n.Name):
                    self.note(subject.span, self.known.named(subject.name, ("shape", "component")))
                    inner |= self.known.letters.get(subject.name, {})
                self.visit(body, inner)
            case n.Attribute(value=value, name=name):
                self.visit(value, scope)
                self.note(name.span, self.known.attribute(name.name))
            case n.Picture() | None:
                pass
            case n.Node():
                self.fields(node, scope)
            case tuple():
                for part in node:
                    self.visit(part, scope)


def with_types(found: list[Occurrence], components: Mapping[int, str]) -> list[Occurrence]:
    """The names, with attributes of the component that the check determined at their place."""
    return [
        replace(o, symbol=Symbol("attribute", f"{components[o.span.start]}.{o.symbol.short}"))
        if o.symbol.kind == "attribute" and o.span.start in components
        else o
        for o in found
    ]
