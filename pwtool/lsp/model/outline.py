"""The outline of a rules file, and its folding ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from pwtool.lang import tree as n
from pwtool.lang.look import LookBlock
from pwtool.lang.mistakes.stuck import declarations
from pwtool.lang.pieces import Read
from pwtool.lsp.model.names import name_span
from pwtool.text.source import SourceFile, Span

_COMMENTS = re.compile(r"(?:^[ \t]*#[^\n]*\n?){2,}", re.MULTILINE)
_BRACKETS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\[[#._?A-Za-z0-9+/ \t\r\n]*\]|#[^\n]*|[({\[]|[)}\]]')


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration: its kind, name and description, its place and that of its name, its parts."""

    kind: str
    name: str
    detail: str
    whole: Span
    title: Span
    parts: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """A folding range; `comment`: whether it is a comment."""

    span: Span
    comment: bool = False


def outline(read: Read) -> list[Entry]:
    """The declarations of a file in order; for one that cannot be parsed, its first words."""
    found: list[Entry] = []
    if read.document is not None:
        header = read.document.header
        found.append(_entry(header.kind, header.name.name, header.text, header, header.name.span))
        found += [entry for node in read.document.declarations if (entry := _declared(node)) is not None]
    for stretch in read.broken:
        text = read.file.text[stretch.start : stretch.end]
        words = text.split(None, 2)
        if len(words) > 1 and words[0].isidentifier():
            span = Span(read.file, stretch.start, stretch.start + len(text.rstrip()))
            found.append(Entry(words[0], words[1], "cannot be read", span, Span(read.file, span.start, span.start)))
    return sorted(found, key=lambda entry: entry.whole.start)


def _entry(kind: str, name: str, detail: str, node: n.Node, title: Span, parts: tuple[Entry, ...] = ()) -> Entry:
    title = title if node.span.start <= title.start and title.end <= node.span.end else node.span
    return Entry(kind, name or kind, detail, node.span, title, parts)


def _declared(node: n.Node, changed: str = "") -> Entry | None:
    """The outline's entry for a declaration; None if it is not shown."""
    match node:
        case n.Change(declaration=inner):
            entry = _declared(inner, "change")
            return (
                None if entry is None else Entry(entry.kind, entry.name, "changed", node.span, entry.title, entry.parts)
            )
        case n.Remove(kind=kind, name=name):
            return _entry(kind, name.name, "removed", node, name.span if name.name else node.span)
        case n.AddEffect(action=action):
            return _entry("action", action.name, "one effect more", node, action.span)
        case n.Turn(rounds=rounds):
            return _entry("turn", "round" if rounds else "turn", "", node, node.span)
        case n.Players(low=low, high=high):
            return _entry("players", "players", f"{low} to {high}", node, node.span)
        case n.Ranking():
            return _entry("ranking", "ranking", "", node, node.span)
        case n.Texts(language=language) | n.Notes(language=language):
            kind = "texts" if isinstance(node, n.Texts) else "notes"
            return _entry(kind, f"{kind} {language.name}", "", node, language.span)
        case LookBlock():
            return _entry("look", "look", "", node, node.span)
        case n.Component(name=name, attributes=attributes):
            parts = tuple(_entry("attribute", a.name.name, a.kind, a, a.name.span) for a in attributes)
            return _entry("component", name.name, "", node, name.span, parts)
        case n.Action(name=name, text=text) | n.Consequence(name=name, text=text):
            rules = [s for s in node.statements if isinstance(s, n.Rule)]
            parts = tuple(_entry("rule", r.name.name, r.text, r, r.name.span) for r in rules)
            return _entry(
                "action" if isinstance(node, n.Action) else "consequence", name.name, text, node, name.span, parts
            )
        case n.Ambiguity(name=name, text=text):
            parts = tuple(_entry("reading", a.name.name, a.text, a, a.name.span) for a in node.alternatives)
            return _entry("ambiguity", name.name, text, node, name.span, parts)
        case n.Within(variant=name) | n.Without(variant=name) | n.Include(name=name):
            return _entry(type(node).__name__.lower(), name.name, "", node, name.span)
        case n.Anytime(action=name):
            return _entry("anytime", name.name, "", node, name.span)
    named = getattr(node, "name", None)
    if not isinstance(named, n.Name):
        return None
    kind = "setup" if isinstance(node, n.SetupStep) else type(node).__name__.lower()
    title = named.span if named.span.text == named.name else name_span(node, named.name.rpartition(".")[2])
    return _entry(kind, named.name, getattr(node, "text", "") or changed, node, title)


def folds(read: Read) -> list[Fold]:
    """Folding ranges for declarations, brackets, and comments of several lines."""
    file = read.file
    found = [Fold(Span(file, begin, end)) for begin, end in _declared_lines(file)]
    stack: list[int] = []
    for match in _BRACKETS.finditer(file.text):
        sign = match.group()
        if sign in "({[":
            stack.append(match.start())
        elif sign in ")}]" and stack:
            found.append(Fold(Span(file, stack.pop(), match.start())))
    for match in _COMMENTS.finditer(file.text):
        found.append(Fold(Span(file, match.start(), match.start() + len(match.group().rstrip())), True))
    unique: dict[int, Fold] = {}
    for fold in found:
        first, last = fold.span.line, file.line_column(fold.span.end)[0]
        known = unique.get(first)
        if last > first and (known is None or known.span.end < fold.span.end):
            unique[first] = fold
    return [unique[line] for line in sorted(unique)]


def _declared_lines(file: SourceFile) -> list[tuple[int, int]]:
    starts, _ = declarations(file)
    edges = [*starts, len(file.text)]
    found = []
    for begin, end in pairwise(edges):
        lines = file.text[begin:end].split("\n")
        # Comments after a declaration are about the next one.
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()
        found.append((begin, begin + len("\n".join(lines))))
    return found
