"""From Lark's trees of the statements of a game in notation to nodes, with escapes resolved."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from lark import Token, Tree

from pwtool.records.notation.tree import Argument, Atom, Comment, Deed, Item, Joined, Reveal, Step
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

_ESCAPE = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "}": "}", "{": "{"}
Report = Callable[[int, int, str, str | None], None]
"""Receives an error: start, end, message and hint."""


def joined_lines(text: str) -> str:
    """The text on one line: a line break with surrounding spaces becomes one space."""
    lines = text.split("\n")
    return text if len(lines) == 1 else " ".join(part for line in lines if (part := line.strip(" \t\r")))


def unquote(word: str, span: Span, report: Report) -> str:
    """The value of a text in double quotes."""
    try:
        text = str(json.loads(word))
        text.encode("utf-8")
    except ValueError:
        report(span.start, span.end, Told("this escape does not exist"), Told('texts in `"` are written as in JSON'))
        return ""
    return text


def comment_text(span: Span, report: Report) -> str:
    """The value of a comment: its lines joined, its escapes resolved."""
    text = joined_lines(span.text[1:-1]).strip(" \t\r\n")

    def resolve(match: re.Match[str]) -> str:
        if match.group(1):
            try:
                found: str = json.loads(f'"{match.group(1)}"')
                found.encode("utf-8")
            except ValueError:
                report(span.start, span.end, Told("the comment contains half of a character"), None)
                return ""
            return found
        if match.group(2) not in _ESCAPES:
            help_line = Told("a backslash is written `\\\\`, a line break `\\n`, a closing brace `\\}`")
            report(span.start, span.end, Told("the escape `\\{value}` does not exist", value=match.group(2)), help_line)
            return ""
        return _ESCAPES[match.group(2)]

    return _ESCAPE.sub(resolve, text)


class Builder:
    """Makes nodes from a statement's tree; `base` is where the statement begins in the file."""

    def __init__(self, file: SourceFile, report: Report, base: int) -> None:
        self.file = file
        self.report = report
        self.base = base

    def span(self, tree: Tree[Token]) -> Span:
        return Span(self.file, self.base + tree.meta.start_pos, self.base + tree.meta.end_pos)

    def atom(self, node: Tree[Token] | Token) -> Atom:
        token = node if isinstance(node, Token) else node.children[0]
        assert isinstance(token, Token)
        start = self.base + (token.start_pos or 0)
        span = Span(self.file, start, start + len(token))
        quoted = token.type == "STRING"
        return Atom(unquote(token, span, self.report) if quoted else str(token), quoted, span)

    def comments(self, children: Sequence[Tree[Token] | Token]) -> tuple[Comment, ...]:
        found = []
        for child in children:
            if isinstance(child, Tree) and child.data == "comment":
                span = self.span(child)
                found.append(Comment(comment_text(span, self.report), span))
        return tuple(found)

    def joined(self, tree: Tree[Token]) -> Joined:
        return Joined(tuple(self._item(c) for c in tree.children if isinstance(c, Tree)), self.span(tree))

    def _item(self, tree: Tree[Token]) -> Item:
        sign = {"at": "@", "pair": ",", "empty": "-"}.get(tree.data, "")
        atoms = () if sign == "-" else tuple(self.atom(c) for c in tree.children)
        return Item(sign, atoms, self.span(tree))

    def step(self, tree: Tree[Token]) -> Step:
        said: list[Atom] = []
        comments: tuple[Comment, ...] = ()
        deed = None
        for child in tree.children:
            assert isinstance(child, Tree)
            if child.data == "said":
                said.append(self.atom(child.children[0]))
                comments += self.comments(child.children)
            else:
                deed = self._deed(child)
        return Step(tuple(said), comments, deed, self.span(tree))

    def _deed(self, tree: Tree[Token]) -> Deed:
        name, *rest = tree.children
        parts = [c for c in rest if isinstance(c, Tree)]
        mark = next((self.atom(c) for c in rest if isinstance(c, Token)), None)
        arguments = tuple(self._argument(c) for c in parts if c.data in ("argument", "named"))
        reveals = tuple(self._reveal(c) for c in parts if c.data == "reveal")
        return Deed(self.atom(name), arguments, reveals, mark, self.comments(rest), self.span(tree))

    def _argument(self, tree: Tree[Token]) -> Argument:
        name = self.atom(tree.children[0]) if tree.data == "named" else None
        each = tree.children[-1]
        assert isinstance(each, Tree)
        values = tuple(self.joined(c) for c in each.children if isinstance(c, Tree))
        return Argument(name, values, self.span(tree))

    def _reveal(self, tree: Tree[Token]) -> Reveal:
        parts = [c for c in tree.children if isinstance(c, Tree)]
        zone = self.atom(parts[0]) if parts else None
        return Reveal(zone, self.joined(parts[1]) if len(parts) > 1 else None, self.span(tree))
