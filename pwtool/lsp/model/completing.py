"""What could be written at a place of a rules file: keywords from the parser, names from the scopes of the check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pwtool.ir.grids import cells_of
from pwtool.ir.model import ComponentModel, Ruleset
from pwtool.ir.types import Type, describe_type
from pwtool.lang import tree as n
from pwtool.lang.look import LookBlock
from pwtool.lang.merged import Merged, key_of
from pwtool.lang.traversal import walk
from pwtool.lsp.model.analysis import Analysis, Checked, Seen
from pwtool.lsp.model.expecting import HERE, Expected, expected_at, with_something
from pwtool.lsp.model.names import NAMED, Known
from pwtool.lsp.model.workspace import Workspace
from pwtool.rules.build import build_ruleset
from pwtool.rules.check.cells import NAMED as DIRECTIONS
from pwtool.rules.check.cells import SEVERAL
from pwtool.rules.check.heights import HEIGHT, has_height
from pwtool.rules.check.material import build_component
from pwtool.rules.check.scope import Declared, Scope
from pwtool.rules.overlays import parts_of
from pwtool.text.speech import Told

MAX_FACES = 400
_MATERIAL = frozenset("players source section component deck zone token setup var define shape turn".split())
_PICTURE = re.compile(r"\[[#._?A-Za-z0-9+/ \t\r\n]*$")
_BASED = re.compile(r"^(?:edition|variant|part)\s+\w+\s+of\s+([\w/]*)\Z", re.MULTILINE)
_REMOVED = re.compile(r"^remove\s+\Z", re.MULTILINE)
_INDEXED = re.compile(r"([A-Za-z_]\w*)\s*$")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that could replace the range from `start` to `end`; those of lower `rank` come first."""

    text: str
    kind: str
    detail: str
    start: int
    end: int
    rank: int = 5


def completions(workspace: Workspace, path: Path, offset: int) -> list[Suggestion]:
    """What could be written at a place."""
    text = workspace.text(path)
    if text is None:
        return []
    offset = max(0, min(offset, len(text.text)))
    # Typing must not wait for a check: the declarations of the layers are taken from the last one.
    analysis = workspace.latest(path)
    ruleset = workspace.ruleset(path)
    components = _components(analysis, ruleset)
    based = _BASED.search(text.text[:offset])
    if based is not None:
        return _addresses(workspace, text.text, based.start(1), offset)
    expected = expected_at(text.file, offset)
    if expected is None:
        return _in_picture(components, text.text, offset)
    finder = _Finder(analysis, workspace.known(analysis), components, ruleset, expected)
    words = expected.words
    if _REMOVED.search(text.text[: expected.start]):
        # Only what there is can be removed.
        there = {kind for kind, _ in finder.known.items}
        words = tuple(word for word in words if word in there)
    found = [finder.suggestion(word, "keyword", Told("word of the language"), 7) for word in words]
    if expected.names:
        found += finder.names()
    unique: dict[str, Suggestion] = {}
    for suggestion in sorted(found, key=lambda s: s.rank):
        unique.setdefault(suggestion.text, suggestion)
    return list(unique.values())


def _addresses(workspace: Workspace, text: str, start: int, offset: int) -> list[Suggestion]:
    """The rulesets that an edition can be based on."""
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] in "_/"):
        end += 1
    library = workspace.library()
    games = library.games()
    found = [*games, *(f"{game}/{name}" for game in games for name in library.overlays(game)["edition"])]
    return [Suggestion(address, "file", "", start, end, 3) for address in found]


def _in_picture(components: list[ComponentModel], text: str, offset: int) -> list[Suggestion]:
    """Within a picture: the possible faces and the signs."""
    start = offset
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    line = text[max(0, start - 2000) : start]
    opened = _PICTURE.search(line)
    if opened is None or (
        '"' in line[line.rfind("\n") + 1 :].replace('\\"', "") and line[line.rfind("\n") + 1 :].count('"') % 2
    ):
        return []
    before = _INDEXED.search(line[: opened.start()])
    if before is not None and before[1] not in ("yes", "no", "some", "every", "exactly", "grid", "separate"):
        return []
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    signs = {"#": Told("any card"), "_": Told("an empty cell"), ".": Told("any cell")}
    found = [Suggestion(sign, "sign", words, start, end, 4) for sign, words in signs.items()]
    codes = [Suggestion(code, "face", said, start, end, 5) for code, said in _faces(components)]
    return found + codes[:MAX_FACES]


def _components(analysis: Analysis, ruleset: Ruleset | None) -> list[ComponentModel]:
    """The components of a ruleset; if it was never valid, those that can be built from it as it stands."""
    if ruleset is not None:
        return list(ruleset.components.values())
    nodes = [node for node in analysis.merged.items.values() if isinstance(node, n.Component)]
    return [build_component(node, Declared()) for node in nodes]


def _faces(components: Iterable[ComponentModel]) -> Iterator[tuple[str, str]]:
    """The codes of all faces, each with a description."""
    for component in components:
        for number, code in enumerate(component.codes):
            yield code, face_words(component, number)


def face_words(component: ComponentModel, number: int) -> str:
    """A face in words: `card, color yellow, value 3`."""
    said = [component.name]
    for attribute in component.attributes.values():
        value = attribute.table[number]
        if attribute.type.kind == "bool":
            said += [attribute.name] if value else []
        elif value is not None:
            said.append(f"{attribute.name} {value + 1 if attribute.type.kind == 'player' else value}")
    return ", ".join(said)


@dataclass
class _Finder:
    analysis: Analysis
    known: Known
    components: list[ComponentModel]
    ruleset: Ruleset | None
    expected: Expected

    def suggestion(self, text: str, kind: str, detail: str = "", rank: int = 5) -> Suggestion:
        return Suggestion(text, kind, detail, self.expected.start, self.expected.end, rank)

    def names(self) -> list[Suggestion]:
        """The names that are possible at the place."""
        declaration = with_something(self.expected)
        if declaration is None:
            return self.items(("zone", "var", "define", "component", "token"))
        place = _find(declaration)
        if place is None:
            return []
        parent, field = place
        return list(self.of_place(declaration, parent, field))

    def items(self, kinds: Iterable[str], rank: int = 3) -> list[Suggestion]:
        """The items of some kinds."""
        wanted = tuple(kinds)
        found = sorted((kind, name) for kind, name in self.known.items if kind in wanted and name)
        return [self.suggestion(name, kind, self.said(kind, name), rank) for kind, name in found]

    def said(self, kind: str, name: str) -> str:
        """A description of an item."""
        text = getattr(self.analysis.merged.items.get((kind, name)), "text", "")
        return f"{kind}: {text}" if text else kind

    def words(self, *words: str) -> list[Suggestion]:
        return [self.suggestion(word, "word", "", 2) for word in words]

    def of_place(self, declaration: n.Node, parent: n.Node, field: str) -> Iterator[Suggestion]:
        """The possible names in a field of a node."""
        if field == "name" and isinstance(declaration, n.Change) and parent is declaration.declaration:
            # A changed item must already exist.
            yield from self.items((key_of(parent)[0],))
            return
        match parent, field:
            case n.Zone(), "per":
                yield from self.words("player", "goal")
                yield from self.attributes(("member", "int"))
            case n.Zone() | n.Var(), "seen":
                yield from self.words("all", "owner", "none")
            case n.Var(), "per" | "each" | "over":
                yield from self.words("turn", "round", "game", "player")
                yield from self.attributes(("member", "int"))
            case n.Parameter(), "per":
                yield from self.words("player")
            case n.SetupStep(), "manner":
                yield from self.words("choice", "chance", "owner")
            case n.Var(), "type_name":
                yield from self.words("flag", "player", "goal", "cell", "cells")
                yield from self.attributes(("member",))
                yield from self.items(("component", "zone"))
            case n.Parameter(), "names":
                yield from self.words("goal", "player", "cell")
                yield from self.attributes(("member",))
                components = self.items(("component",))
                yield from components
                yield from (self.suggestion(f"{c.text}s", c.kind, Told("several of them"), 3) for c in components)
            case n.ConsequenceParameter(), "domain":
                yield from self.words("goal", "player")
            case n.Example(), "name":
                yield from self.items(("objective", "action", "rule", "invariant", "ending"))
                yield from self.words("score")
                for action in self.known.locals_of:
                    yield from self.suggested_parameters(action, f"{action}.")
            case n.Given(), "name":
                yield from self.items(("zone", "var", "token"))
                yield from self.words("player")
                if self.ruleset is None or self.ruleset.goal_zone:
                    yield from self.words("goals")
            case n.Remove() | n.Translation() | n.Note(), "name":
                yield from self.items((getattr(parent, "kind", ""),))
            case n.Effect(kind="add" | "take" | "set"), "what":
                yield from self.items(("var",))
            case n.Effect(kind="put" | "return"), "what":
                yield from self.items(("token",))
            case n.AddEffect(), "action":
                yield from self.items(("action", "consequence"))
            case n.Rule(), "name":
                yield from self.items(("action", "consequence"))
                yield from self.words("turn", "setup")
            case n.Include(), "name":
                others = self.analysis.path.parent.glob("*.rules")
                yield from (
                    self.suggestion(p.stem, "file", p.name, 3) for p in sorted(others) if p != self.analysis.path
                )
            case n.CallExample(), "arguments":
                yield from self.suggested_parameters(getattr(getattr(parent, "action", None), "name", ""), "")
                yield from self.values_and_faces()
                yield from self.cells
            case n.ItemSet() | n.Given(), _:
                yield from self.values_and_faces()
                yield from self.cells
            case n.DeckPart() | n.Picture(), _:
                yield from self.values_and_faces()
            case n.Attribute(), "name":
                yield from self.of_value(declaration, parent)
            case (n.SumOf() | n.Alike() | n.Extreme() | n.CountDistinct() | n.GroupSize(), "attribute"):
                yield from self.attributes(
                    ("member", "int") if not isinstance(parent, n.SumOf | n.Extreme) else ("int",)
                )
                if not isinstance(parent, n.GroupSize):
                    yield from self.height(self.components)
            case (n.OverNamed() | n.Placements(), "subject"):
                yield from self.items(("shape", "component"), 2)
                yield from self.words("pile", "buried")
            case _, _ if (type(parent), field) in NAMED:
                yield from self.items(NAMED[type(parent), field])
            case n.Binary(operator="fulfils"), "right":
                yield from self.items(("objective",))
                yield from self.in_scope(declaration, parent)
            case _, "name" | "variable" | "parameters":
                # A name that is declared here.
                pass
            case _:
                yield from self.in_scope(declaration, parent)

    def suggested_parameters(self, action: str, prefix: str) -> Iterator[Suggestion]:
        for name, symbol in self.known.locals_of.get(action, {}).items():
            if symbol.kind == "param":
                yield self.suggestion(prefix + name, "param", Told("parameter of {action}", action=action), 4)

    def attributes(self, kinds: Iterable[str] = ()) -> Iterator[Suggestion]:
        wanted = tuple(kinds)
        for component in self.components:
            for attribute in component.attributes.values():
                if not wanted or attribute.type.kind in wanted:
                    yield self.suggestion(
                        attribute.name,
                        "attribute",
                        Told("{type} of {component}", type=describe_type(attribute.type), component=component.name),
                        2,
                    )

    def values_and_faces(self) -> Iterator[Suggestion]:
        components = self.components
        for component in components:
            yield from self.values(component, None)
        faces = [self.suggestion(code, "face", words, 4) for code, words in _faces(components)]
        yield from faces[:MAX_FACES]
        yield from self.items(("objective",), 6)
        yield from self.words("none", "true", "false")

    @property
    def cells(self) -> Iterator[Suggestion]:
        """The names of cells that examples may use."""
        if self.ruleset is None:
            return
        for zone in self.ruleset.zones.values():
            for cell in cells_of(zone.grid) if zone.names_cells else ():
                if zone.own_name(cell) == self.ruleset.cell_name(cell, zone.grid):
                    yield self.suggestion(zone.own_name(cell), "cell", Told("cell of {zone}", zone=zone.name), 5)

    def values(self, component: ComponentModel, attribute: str | None, rank: int = 3) -> Iterator[Suggestion]:
        for model in component.attributes.values():
            if model.type.kind == "member" and attribute in (None, model.name):
                for value in dict.fromkeys(model.table):
                    yield self.suggestion(
                        str(value),
                        "value",
                        Told("{type} of {component}", type=model.name, component=component.name),
                        rank,
                    )

    # ---- expressions

    def checked(self, declaration: n.Node) -> Seen:
        """Check the declaration with something at the place; only uses the parts of the ruleset that it may refer to."""
        seen = Seen()
        merged = self.analysis.merged
        inner = declaration.declaration if isinstance(declaration, n.Change) else declaration
        if isinstance(inner, n.AddEffect):
            action = merged.items.get(("action", inner.action.name))
            inner = (
                replace(action, statements=(*action.statements, inner.effect))
                if isinstance(action, n.Action)
                else inner
            )
        items = {key: node for key, node in merged.items.items() if key[0] in _MATERIAL}
        if isinstance(inner, n.Rule):
            owner = inner.name.name.partition(".")[0]
            for key in (("action", owner), ("consequence", owner)):
                if key in merged.items:
                    items[key] = merged.items[key]
        if not isinstance(
            inner, n.Example | n.Remove | n.AddEffect | n.Texts | n.Notes | LookBlock | n.Include | n.Within | n.Without
        ):
            items |= {key_of(part): part for part in parts_of((inner,))}
        if merged.headers:
            focused = Merged(headers=merged.headers, items=items, history={key: [] for key in items})
            build_ruleset("", focused, seen.note, bounded=False)
        return seen

    def of_value(self, declaration: n.Node, parent: n.Node) -> Iterator[Suggestion]:
        """The attributes of the value before the dot."""
        value = getattr(parent, "value", parent)
        checked = [
            c
            for c in self.checked(declaration).in_file("")
            if c.node.span.start == value.span.start and c.node.span.end == value.span.end
        ]
        types = {_element(c.expr.type).kind: _element(c.expr.type) for c in checked}
        for type_ in types.values():
            if type_.kind == "cell":
                yield from self.words("row", "column")
            elif type_.kind == "direction":
                yield from self.words("rows", "columns")
            else:
                for component in self.components:
                    if component.name == type_.component and type_.kind in ("face", "place"):
                        for attribute in component.attributes.values():
                            yield self.suggestion(attribute.name, "attribute", describe_type(attribute.type), 1)
                        if any(has_height(c.expr) for c in checked):
                            yield from self.height([component])

    def height(self, components: Iterable[ComponentModel]) -> Iterator[Suggestion]:
        """The height of a card's pile, unless an attribute has that name."""
        if not any(HEIGHT in component.attributes for component in components):
            yield self.suggestion(HEIGHT, "word", Told("how many things lie there"), 2)

    def in_scope(self, declaration: n.Node, parent: n.Node) -> Iterator[Suggestion]:
        """All names in scope for an expression at the place."""
        seen = self.checked(declaration)
        here = next((c for c in seen.in_file("") if isinstance(c.node, n.Name) and c.node.name == HERE), None)
        if isinstance(parent, n.Binary) and parent.operator in ("==", "!="):
            yield from self.alike(seen, parent)
        if here is None:
            yield from self.items(("var", "zone", "define"))
            yield from self.words("player", "players", "true", "false")
            return
        yield from self.scoped(here)
        if here.scope.matched is not None and _of_each(declaration):
            yield from self.height([here.scope.declared.components[here.scope.matched.element.component]])

    def alike(self, seen: Seen, parent: n.Binary) -> Iterator[Suggestion]:
        """What the other side of a comparison can be equal to."""
        other = parent.left if getattr(parent.right, "name", None) == HERE else parent.right
        for checked in seen.in_file(""):
            if checked.node == other and checked.expr.type.kind == "member":
                for component in self.components:
                    if component.name == checked.expr.type.component:
                        yield from self.values(component, checked.expr.type.attribute, 0)

    def scoped(self, here: Checked) -> Iterator[Suggestion]:
        scope: Scope = here.scope
        declared = scope.declared
        for name, (_, type_) in scope.locals.items():
            yield self.suggestion(name, "local", describe_type(type_), 1)
        for name in scope.matched.names if scope.matched else ():
            yield self.suggestion(name, "letter", Told("cell of the picture"), 1)
        if scope.subject:
            subject = _element(scope.subject[1])
            for component in declared.components.values():
                if component.name == subject.component:
                    for attribute in component.attributes.values():
                        yield self.suggestion(attribute.name, "attribute", describe_type(attribute.type), 1)
        if scope.subject and scope.subject[1].kind == "pile":
            yield self.suggestion(HEIGHT, "word", Told("how many things lie there"), 2)
        if not scope.in_objective:
            yield from self.items(("var", "zone"), 2)
        yield from self.items(("define",), 3)
        if scope.board is not None:
            yield self.suggestion(scope.board.zone.element.component, "component", Told("all visible ones"), 3)
            yield self.suggestion("buried", "word", Told("those that lie below others"), 4)
        if scope.has_player:
            yield from self.words("player", *(["other player"] if declared.max_players == 2 else []))
        yield from self.words("players", "true", "false")
        if declared.goal_zone:
            yield self.suggestion("goals", "word", Told("the objectives in play"), 4)
        if scope.in_ranking:
            yield from self.words("total")
        for component in declared.components.values():
            yield from self.values(component, None, 4)
        yield from (self.suggestion(name, "word", Told("direction"), 8) for name in (*DIRECTIONS, *SEVERAL))
        faces = [self.suggestion(code, "face", words, 9) for code, words in _faces(declared.components.values())]
        yield from faces[:MAX_FACES]


def _of_each(declaration: n.Node) -> bool:
    """Whether the place follows `all`, `any` or `sum`, which range over the cells of a shape."""
    said = (
        part.operand
        for part in walk(declaration)
        if isinstance(part, n.Unary) and part.operator in ("all", "any", "sum")
    )
    return any(isinstance(part, n.Name) and part.name == HERE for operand in said for part in walk(operand))


def _element(type_: Type) -> Type:
    return type_.element if type_.kind == "pile" and type_.element is not None else type_


def _find(root: n.Node) -> tuple[n.Node, str] | None:
    """The node and its field that contain `HERE`."""
    for field in n.fields(root):
        found = _within(root, field, getattr(root, field))
        if found is not None:
            return found
    return None


def _within(parent: n.Node, field: str, value: Any) -> tuple[n.Node, str] | None:
    if isinstance(value, n.Name):
        return (parent, field) if HERE in value.name.split(".") else None
    if isinstance(value, str):
        return (parent, field) if value == HERE else None
    if isinstance(value, tuple):
        return next((found for part in value if (found := _within(parent, field, part)) is not None), None)
    if isinstance(value, n.Picture):
        return (value, "cells") if any(cell.content == HERE for cell in value.cells) else None
    return _find(value) if isinstance(value, n.Node) else None
