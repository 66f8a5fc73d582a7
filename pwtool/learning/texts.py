"""The text of items as an edition writes them, and changes of such texts.

A change is made in the text of an item, so that what is found can be written down as it was tried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, key_of
from pwtool.lang.parser import parse_rules
from pwtool.rules.overlays import parts_of
from pwtool.text.source import SourceFile
from pwtool.text.words import in_quotes

_HEAD = "part learned of it\n"
_FILE = "learned.rules"
_TOKEN = re.compile(r'"[^"\n]*"|#[^\n]*|\d+x\d+|\d+\.\.\d+|\w+|==|!=|<=|>=|\+=|\S')
Items = Mapping[Key, n.Node]


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number or sign in a text, and its place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """An item as text, and its tree; places in the tree are `HEAD` further on than in the text."""

    text: str
    node: n.Node

    def span(self, node: n.Node) -> tuple[int, int]:
        """Where a part of the tree is in the text."""
        return node.span.start - len(_HEAD), node.span.end - len(_HEAD)

    def of(self, node: n.Node) -> str:
        """The text of a part."""
        start, end = self.span(node)
        return self.text[start:end]

    def words(self) -> list[Word]:
        """The words outside of texts for players and comments."""
        found = (Word(m.start(), m.end(), m.group()) for m in _TOKEN.finditer(self.text))
        return [word for word in found if word.text[0] not in '"#']

    def changed(self, start: int, end: int, text: str) -> str:
        """The text with another part."""
        return self.text[:start] + text + self.text[end:]


@lru_cache(maxsize=20_000)
def parse_items(text: str) -> tuple[n.Node, ...] | None:
    """The declarations in a text; None if it is none."""
    document = parse_rules(SourceFile(_FILE, f"{_HEAD}{text}\n")).value
    return None if document is None else document.declarations


def items_of(text: str) -> dict[Key, n.Node] | None:
    """The items that a text declares, with the rules of actions apart."""
    declared = parse_items(text)
    return None if declared is None else {key_of(node): node for node in parts_of(declared)}


def written(items: Items, key: Key) -> Written | None:
    """The text of an item of a ruleset as it now is; None if it cannot be written alone."""
    node = items[key]
    text = _text(items, key, node)
    declared = parse_items(text)
    return Written(text, declared[0]) if declared is not None and len(declared) == 1 else None


def _text(items: Items, key: Key, node: n.Node) -> str:
    if isinstance(node, n.Action | n.Consequence):
        return _whole(items, node)
    if isinstance(node, n.Rule):
        return _named(node, node.name.name)
    if node.span.text.startswith("supply"):
        return _supplied(node)
    if isinstance(node, n.SetupStep):
        return f"setup {node.span.text}" if not node.span.text.startswith("setup") else node.span.text
    return node.span.text


def _supplied(node: n.Node) -> str:
    """One of the items that a supply stands for."""
    match node:
        case n.Deck(name=name, component=component, parts=(n.DeckPart(every=count),)):
            return f"deck {name.name} of {component.name} = {count} all"
        case n.Zone(name=name, kind=n.ZoneKind(component=n.Name(name=component)), per=per):
            return f"zone {name.name}: pile of {component}" + "".join(f" per {part.name}" for part in per)
        case n.SetupStep(name=name, text=text, manner=manner, sees=sees):
            by = f" by {manner}" if manner else ""
            see = f" see {', '.join(section.name for section in sees)}" if sees else ""
            return f"setup deal {name.name} {in_quotes(text)}: all of {name.name} to {name.name}{by}{see}"
    return node.span.text


def _named(rule: n.Rule, name: str) -> str:
    """A rule under this name."""
    text, span = rule.span.text, rule.name.span
    start, end = span.start - rule.span.start, span.end - rule.span.start
    return text[:start] + name + text[end:]


def _whole(items: Items, node: n.Action | n.Consequence) -> str:
    """An action with the rules and effects that it now has, wherever they are declared."""
    declared = parse_items(node.span.text)
    whole = declared[0] if declared is not None else None
    if not isinstance(whole, n.Action | n.Consequence):
        return node.span.text
    name, pieces, known = node.name.name, list[tuple[int, int, str]](), set[Key]()
    text, brace = node.span.text, node.span.text.rindex("}") if node.span.text.rstrip().endswith("}") else -1
    last = 0
    for statement in whole.statements:
        start, end = statement.span.start - len(_HEAD), statement.span.end - len(_HEAD)
        if isinstance(statement, n.Rule):
            key = ("rule", f"{name}.{statement.name.name}")
            known.add(key)
            now = items.get(key)
            pieces.append((start, end, _named(now, statement.name.name) if isinstance(now, n.Rule) else ""))
            last = end
    more = [
        _named(rule, key[1].partition(".")[2])
        for key, rule in items.items()
        if key not in known and key[0] == "rule" and key[1].startswith(f"{name}.") and isinstance(rule, n.Rule)
    ]
    inside = {s.span for s in whole.statements}
    effects = [s.span.text for s in node.statements if not _within(s, node)] if inside or node.statements else []
    if brace < 0:
        return text
    if more:
        first = next((s.span.start - len(_HEAD) for s in whole.statements if not isinstance(s, n.Rule | n.Let)), brace)
        at = last or first
        pieces.append((at, at, "".join(f"\n  {rule}" for rule in more) + "\n"))
    if effects:
        pieces.append((brace, brace, "".join(f"\n  {effect}" for effect in effects) + "\n"))
    for start, end, new in sorted(pieces, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _within(statement: n.Node, node: n.Node) -> bool:
    one, other = statement.span, node.span
    return one.file is other.file and other.start <= one.start and one.end <= other.end


def text_of(items: Items, key: Key) -> str | None:
    """The text of an item; None if there is none."""
    found = written(items, key) if key in items else None
    return None if found is None else found.text
