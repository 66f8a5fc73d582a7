"""What is known about the thing at a place of a rules file: what it is, what it means, its picture and its rarity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pwtool.ir.model import Ruleset
from pwtool.ir.types import Type, describe_type
from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.lsp.model.analysis import Analysis
from pwtool.lsp.model.completing import face_words
from pwtool.lsp.model.names import Occurrence, Symbol
from pwtool.lsp.model.studies import Rarity
from pwtool.lsp.model.workspace import Workspace
from pwtool.play.game import Game
from pwtool.show.svg.named import draw_named
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark
from pwtool.text.words import one_line
from pwtool.why.citing import reason_text
from pwtool.why.findings import cited
from pwtool.why.voice import PLAIN, Voice, text_of

MAX_WRITTEN = 1_500
_KINDS = {
    "let": Told("named value"), "letter": Told("cell of the picture"), "param": Told("parameter"), "var": Told("variable"),
    "define": Told("definition"), "reading": Told("reading"), "expression": Told("expression"), "attribute": Told("attribute"),
    "value": Told("value"), "source": Told("source"), "section": Told("section"), "record": Told("record"),
}  # fmt: skip


@dataclass(frozen=True)
class Description:
    """A thing of the rules: kind and name, text for players, type, source text and place, further facts, picture (SVG),
    rarity; `drawn` is a position drawn with letters.
    """

    kind: str
    name: str
    span: Span
    text: str = ""
    type: str = ""
    written: str = ""
    place: str = ""
    told: tuple[str, ...] = ()
    picture: str = ""
    rarity: Rarity | None = None
    drawn: str = ""

    @property
    def title(self) -> Told:
        """A short title."""
        kind = _KINDS.get(self.kind) or Told(self.kind)
        if not self.type:
            return Told("{kind} {name}", kind=kind, name=self.name)
        return Told("{kind} {name}: {type}", kind=kind, name=self.name, type=self.type)


def describe(
    workspace: Workspace, path: Path, offset: int, rarities: dict[str, Rarity] | None = None, voice: Voice = PLAIN
) -> Description | None:
    """Describe the thing at a place, with what players read of it in a language; `rarities` are those of the objectives, if known."""
    analysis = workspace.analysis(path)
    occurrence = workspace.name_at(path, offset)
    if occurrence is not None:
        return _of_symbol(workspace, analysis, occurrence, rarities or {}, voice)
    return (
        _of_face(workspace, path, offset)
        or _of_expression(analysis, offset)
        or _of_objective(workspace, analysis, offset, rarities or {}, voice)
    )


def _of_symbol(
    workspace: Workspace, analysis: Analysis, occurrence: Occurrence, rarities: dict[str, Rarity], voice: Voice
) -> Description | None:
    symbol, merged = occurrence.symbol, analysis.merged
    node = _node_of(merged, symbol)
    type_ = _type_at(analysis, occurrence.span)
    if node is None:
        whole = occurrence.whole.text if occurrence.whole is not None else ""
        return Description(
            symbol.kind, symbol.short, occurrence.span, type=type_, written=one_line(whole)[:MAX_WRITTEN]
        )
    ruleset = workspace.ruleset(analysis.path)
    name = symbol.name if symbol.kind in ("rule", "reading", "param") else symbol.short
    text = text_of(node)
    if ruleset is not None and text:
        text = voice.text(ruleset, (symbol.kind, symbol.name), text)
    is_drawn = ruleset is not None and symbol.kind in ("objective", "shape")
    return Description(
        symbol.kind, name, occurrence.span, text, type_, _written(node),
        f"{node.span.file.name}:{node.span.line}", _told(ruleset, merged, symbol, node, voice),
        _picture(ruleset, symbol, voice) if is_drawn and ruleset is not None else "",
        rarities.get(symbol.name) if symbol.kind == "objective" else None,
    )  # fmt: skip


def _node_of(merged: Merged, symbol: Symbol) -> n.Node | None:
    """The declaration of a name."""
    head, _, tail = symbol.name.partition(".")
    item = merged.items.get((symbol.kind, symbol.name))
    if item is not None:
        return item
    match symbol.kind:
        case "attribute" | "value":
            component = merged.items.get(("component", head))
            if isinstance(component, n.Component):
                return next((a for a in component.attributes if a.name.name == tail.partition(".")[0]), None)
        case "param" | "let":
            owner = merged.items.get(("action", head)) or merged.items.get(("consequence", head))
            if isinstance(owner, n.Action | n.Consequence):
                parts = (*owner.parameters, *(s for s in owner.statements if isinstance(s, n.Let)))
                return next((p for p in parts if p.name.name == tail), None)
        case "reading":
            point = merged.items.get(("ambiguity", head))
            if isinstance(point, n.Ambiguity):
                return next((a for a in point.alternatives if a.name.name == tail), None)
        case "letter":
            return merged.items.get(("shape", head)) if tail else None
    return None


def _type_at(analysis: Analysis, span: Span) -> str:
    """The type of what is at a place, in words."""
    found = [c for c in analysis.seen.in_file(span.file.name) if c.node.span == span or _named_so(c.node, span)]
    types = [c.expr.type for c in found if c.expr.type.kind != "error"]
    return type_words(types[0]) if types else ""


def _named_so(node: n.Node, span: Span) -> bool:
    return isinstance(node, n.Attribute | n.Call) and node.name.span == span


def type_words(type_: Type) -> Told:
    """A type with its bounds: `a number from 1 to 5, or nothing`."""
    words = describe_type(type_)
    if type_.kind == "int" and abs(type_.low) < 10**9 and abs(type_.high) < 10**9:
        if type_.low == type_.high:
            words = Told("{type}, always {number}", type=words, number=str(type_.low))
        else:
            words = Told("{type} from {low} to {high}", type=words, low=str(type_.low), high=str(type_.high))
    return Told("{type}, or nothing", type=words) if type_.optional and type_.kind != "nothing" else words


def _written(node: n.Node) -> str:
    lines = node.span.text.rstrip().split("\n")
    # Further lines are indented as much as the declaration, which begins its line here.
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    less = min(indents, default=0) if isinstance(node, n.Rule) else min([*indents, node.span.column - 1])
    text = "\n".join([lines[0], *(line[less:] if line[:less].isspace() else line for line in lines[1:])])
    return text if len(text) <= MAX_WRITTEN else text[:MAX_WRITTEN] + " ..."


def _told(ruleset: Ruleset | None, merged: Merged, symbol: Symbol, node: n.Node, voice: Voice) -> tuple[str, ...]:
    """Where it comes from, and how layers changed it."""
    if ruleset is None:
        return ()
    told = []
    source = cited(Game(ruleset), node, voice)
    if source:
        told.append(Told("source: {source}", source=source))
    steps = merged.history.get((symbol.kind, symbol.name), [])
    for step in steps if len(steps) > 1 else ():
        reason = reason_text(ruleset, step.reason, voice)
        changed = Told(_VERBS[step.verb], layer=step.layer)
        told.append(Told("{head}: {text}", head=changed, text=reason) if reason else changed)
    return tuple(told)


_VERBS = {
    "adds": mark("{layer} adds it"), "changes": mark("{layer} changes it"), "removes": mark("{layer} removes it"),
}  # fmt: skip


def _picture(ruleset: Ruleset, symbol: Symbol, voice: Voice) -> str:
    kind = (symbol.kind, symbol.name)
    return (
        (draw_named(ruleset, symbol.name, voice.language) or "")
        if kind in ruleset.merged.items and ruleset.board
        else ""
    )


def _of_face(workspace: Workspace, path: Path, offset: int) -> Description | None:
    """The code of a face, anywhere in the text."""
    analysis, ruleset = workspace.analysis(path), workspace.ruleset(path)
    text = workspace.text(path)
    if ruleset is None or text is None:
        return None
    start, end = text.word_at(offset)
    code = text.text[start:end]
    for component in ruleset.components.values():
        if code in component.numbers:
            words = face_words(component, component.numbers[code])
            return Description(component.name, code, Span(analysis.file, start, end), words)
    return None


def _of_expression(analysis: Analysis, offset: int) -> Description | None:
    """The smallest expression around a place."""
    found = analysis.seen.at(analysis.file.name, offset)
    if found is None or found.expr.type.kind in ("error", "nothing"):
        return None
    span = found.node.span
    return Description("expression", one_line(span.text)[:80], span, type=type_words(found.expr.type))


def _of_objective(
    workspace: Workspace, analysis: Analysis, offset: int, rarities: dict[str, Rarity], voice: Voice
) -> Description | None:
    """The objective or shape around a place."""
    for occurrence in workspace.names(analysis.path):
        whole = occurrence.whole
        if (
            whole is not None
            and occurrence.symbol.kind in ("objective", "shape")
            and whole.start <= offset <= whole.end
        ):
            return _of_symbol(workspace, analysis, occurrence, rarities, voice)
    return None


def described_item(
    workspace: Workspace, path: Path, offset: int, rarities: dict[str, Rarity] | None = None, voice: Voice = PLAIN
) -> Description | None:
    """The objective, shape or other declaration that a place belongs to, for a panel next to the text."""
    analysis = workspace.analysis(path)
    around = [
        o for o in workspace.names(path)
        if o.whole is not None and o.symbol.within is None and o.whole.start <= offset <= o.whole.end
    ]  # fmt: skip
    named = workspace.name_at(path, offset)
    if named is not None and named.symbol.kind in ("objective", "shape"):
        return _of_symbol(workspace, analysis, named, rarities or {}, voice)
    if not around:
        return describe(workspace, path, offset, rarities, voice)
    drawn = [o for o in around if o.symbol.kind in ("objective", "shape")]
    smallest = min(drawn or around, key=lambda o: o.whole.end - o.whole.start if o.whole is not None else 0)
    return _of_symbol(workspace, analysis, smallest, rarities or {}, voice)
