"""The input of the formatter: the tokens of a rules file as written, with what precedes each of them.

Only spaces, line breaks and comments come between two tokens, so a text with the same tokens in the same order means
the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from lark import Token, Tree

from pwtool.lang.tables import rules_parser
from pwtool.text.data import read_grammar

_BETWEEN = re.compile(r"#[^\n]*|\n")
_SIGNS = re.compile(r"[\[\]/]|[^\s/\[\]]+")
_TIGHT_BEFORE = frozenset({",", ":", ")", "]", ".", "..", "?"})
_TIGHT_AFTER = frozenset({"(", "[", ".", ".."})
# Signs that cling to what stands before them in these constructs and stand apart in others; the last three on both sides.
_CLINGING = {
    ("any_number", "*"), ("one_or_more", "+"), ("exactly_times", "}"), ("call", "("), ("define", "("), ("call_example", "("),
    ("indexed", "["), ("zone_size", "["), ("example_index", "["), ("example_cell", "["), ("given_token", "["),
}  # fmt: skip
_CLINGING_TWICE = {("address", "/"), ("address", "+"), ("exactly_times", "{")}
# Tokens that are no words or signs of the language.
ANY_TEXT = frozenset({"NAME", "CODE", "INT", "SIGNED", "SIZE", "STRING", "PICTURE"})
# Words that begin lines of one kind.
_KINDS = {
    "yes": "no",
    "then": "no",
    "require": "when",
    "because": "when",
    "choose": "deal",
    "put": "deal",
    "first": "deal",
}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. `behind`: it comes after something on its line; `blank`: an empty line comes before it. `column`: see
    `Leaf`.
    """

    text: str
    behind: bool
    blank: bool
    column: int


@dataclass(slots=True)
class Leaf:
    """A token and what the author has before it: `breaks` line breaks (`blank`: they include an empty line), or a
    `run` of spaces; `column` is counted from the first sign of the author's line, `indent` is the space before
    that.

    In the formatted text there are `space` spaces before it, or more to align it with other lines. `parted`: what comes
    before it has to be on another line. `kind`: lines that begin with leaves of the same kind may be aligned.
    """

    text: str
    construct: str
    kind: str
    breaks: int
    blank: bool
    run: int
    indent: int
    column: int
    comments: tuple[Comment, ...]
    space: int = 1
    parted: bool = False

    @property
    def forced(self) -> bool:
        """Whether the line has to break before it, whatever the layout prefers."""
        return self.parted or bool(self.comments)


@dataclass(slots=True)
class Tokens:
    """The concrete tree of a file, the leaves for its tokens (one for each sign of a picture), and the comments after
    the last one.
    """

    tree: Tree[Token]
    leaves: list[Leaf]
    of_token: dict[int, list[Leaf]]
    rest: tuple[Comment, ...]


@cache
def _two_words() -> frozenset[str]:
    """Pairs of signs that mean something else if a line break separates them."""
    return frozenset(" ".join(words) for words in re.findall(r"/(\w+)\[ \\t\]\+(\w+)\\b/", read_grammar("rules.lark")))


def read_tokens(text: str) -> Tokens:
    """The tokens of a text that is known to follow the grammar."""
    tree = rules_parser(every_token=True).parse(text)
    reader = _Reader(text)
    for construct, token in _in_order(tree):
        reader.take(construct, token)
    _space_out(reader.leaves)
    return Tokens(tree, reader.leaves, reader.of_token, reader.between(len(text))[0])


def _in_order(tree: Tree[Token]) -> Iterator[tuple[str, Token]]:
    pending: list[tuple[str, Token | Tree[Token]]] = [("", tree)]
    while pending:
        construct, node = pending.pop()
        if isinstance(node, Token):
            yield construct, node
        else:
            pending += [(str(node.data), child) for child in reversed(node.children)]


@dataclass(slots=True)
class _Reader:
    text: str
    end: int = 0
    leaves: list[Leaf] = field(default_factory=list)
    of_token: dict[int, list[Leaf]] = field(default_factory=dict)

    def take(self, construct: str, token: Token) -> None:
        start = token.start_pos or 0
        if token.type == "PICTURE":
            signs = _SIGNS.finditer(token)
            leaves = [self._leaf("picture", "", m.group(), start + m.start(), start + m.end()) for m in signs]
        else:
            # A sign of two words may have any blanks inside; a text is kept as it is.
            text = str(token) if token.type == "STRING" else " ".join(token.split())
            kind = "" if token.type in ANY_TEXT else _KINDS.get(text, text)
            kind = construct if construct == "kind" else kind
            leaves = [self._leaf(construct, kind, text, start, start + len(token))]
        self.of_token[id(token)] = leaves

    def _leaf(self, construct: str, kind: str, text: str, start: int, end: int) -> Leaf:
        comments, breaks, blank = self.between(start)
        indent, column = self._columns(start)
        leaf = Leaf(text, construct, kind, breaks, blank, 0 if breaks else start - self.end, indent, column, comments)
        self.leaves.append(leaf)
        self.end = end
        return leaf

    def _columns(self, at: int) -> tuple[int, int]:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        column = len(line.lstrip())
        return len(line) - column, column

    def between(self, until: int) -> tuple[tuple[Comment, ...], int, bool]:
        """What follows the last token: the comments, the number of line breaks, and whether an empty line comes last."""
        comments: list[Comment] = []
        breaks = since = 0
        for match in _BETWEEN.finditer(self.text, self.end, until):
            if match.group() == "\n":
                breaks += 1
                since += 1
                continue
            behind = not breaks and bool(self.leaves)
            comments.append(Comment(match.group().rstrip(), behind, since > 1, self._columns(match.start())[1]))
            since = 0
        return tuple(comments), breaks, since > 1


def _space_out(leaves: list[Leaf]) -> None:
    for before, leaf in zip([None, *leaves], leaves, strict=False):
        leaf.space = _space(before, leaf) if before else 0
        leaf.parted = before is not None and leaf.breaks > 0 and f"{before.text} {leaf.text}" in _two_words()


def _space(left: Leaf, right: Leaf) -> int:
    if right.construct == "picture" and right.text != "[":
        return max(1, right.run)
    signs = (right.construct, right.text), (left.construct, left.text)
    if right.text in _TIGHT_BEFORE or left.text in _TIGHT_AFTER or signs[0] in _CLINGING:
        return 0
    if signs[0] in _CLINGING_TWICE or signs[1] in _CLINGING_TWICE:
        return 0
    minus = signs[1] in (("negative", "-"), ("negative_bound", "-"))
    return 0 if minus and (right.text.isdigit() or right.construct == "name") else 1
