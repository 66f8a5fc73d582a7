"""Where the lines of a rules file may break: the layout of every construct.

A layout is a tree of groups. A group contains leaves, groups and breaks: places where a line may end. The printer
breaks a line where the author did, and where the line would be too long; the kind of the group and the fields of the
break say which breaks go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Union

from lark import Token, Tree

from pwtool.lang.fmt.tokens import ANY_TEXT, Leaf, Tokens

Part = Union[Leaf, "Break", "Group"]
CLAUSES, CHAIN, BLOCK, ROWS, FILL = "clauses", "chain", "block", "rows", "fill"


@dataclass(slots=True)
class Break:
    """A place where a line may end. `kept`: the author's line ends there.

    `rank`: if a line is too long, breaks with the lowest rank come first. `eager`: breaks the line if the part after it
    takes several lines; `trailing`: if something before it does. `offset`: the indent of the next line. `item`: an
    empty line may follow. `closing`: a block ends there.
    """

    rank: int = 1
    eager: bool = False
    trailing: bool = False
    offset: int = 2
    item: bool = False
    closing: bool = False
    kept: bool = False


@dataclass(slots=True)
class Group:
    """Parts that are laid out together.

    `clauses`: any of the breaks may end a line, eager ones of the same rank together. `chain`: any of them, and the
    lines continue at the column where the first one began. `block`: all breaks or none. `rows`: like a block, but the
    author's lines inside stay and long ones are filled. `fill`: each line takes as much as fits. `aligned`: the lines
    continue in the column where the group begins.

    `width`: of its text on one line; `lead`: up to its first break; `broken`: it takes several lines in any case;
    `first`: its first leaf; `head`: up to the first line that has to end in it.
    """

    kind: str
    parts: list[Part]
    aligned: bool = False
    first: Leaf = field(init=False)
    width: int = field(init=False)
    lead: int = field(init=False)
    solid: bool = field(init=False)
    head: int = field(init=False)
    broken: bool = field(init=False)

    def __post_init__(self) -> None:
        self.first = first_leaf(self.parts[0])
        self.width, _ = measure(self.parts, stop=None)
        self.lead, stopped = measure(self.parts, stop="possible")
        self.solid = not stopped
        self.head, self.broken = measure(self.parts, stop="forced")


def measure(parts: Sequence[Part], stop: str | None) -> tuple[int, bool]:
    """The width of parts on one line, up to the first break that is `possible` or `forced`; and whether there is one."""
    width = 0
    for number, part in enumerate(parts):
        if isinstance(part, Break):
            if stop == "possible" or (stop == "forced" and part.kept):
                return width, True
            continue
        if stop and number and first_leaf(part).forced:
            return width, True
        if isinstance(part, Leaf):
            width += part.space + len(part.text)
        elif stop is None:
            width += part.width
        else:
            width += part.lead if stop == "possible" else part.head
            if part.broken if stop == "forced" else not part.solid:
                return width, True
    return width, False


def first_leaf(part: Part) -> Leaf:
    """The first leaf of a part that is not a break."""
    if isinstance(part, Break):
        raise TypeError("a group never begins with a break")
    return part.first if isinstance(part, Group) else part


_SEE = {"sees": Break(rank=4)}
_CLAUSE = {"when": Break(eager=True), "require": Break(eager=True)}
_REASON = {"cited_reason": Break(trailing=True), "plain_reason": Break(trailing=True)}
_VALUE = {"=": Break()}
_EFFECTS = "move_effect move_some_effect put_effect return_effect shuffle_effect turn_effect add_to_effect take_from_effect set_effect".split()
# Where a construct may be broken: before the parts with these names, and behind `=` and `:`.
_DECLARATIONS: dict[str, dict[str, Break]] = {
    "rule": _SEE | _CLAUSE,
    "free_rule": _SEE | _CLAUSE,
    "invariant": _SEE | {"BETWEEN": Break(rank=3)} | _CLAUSE,
    "ending": _SEE | {"when": Break(eager=True), "then": Break(eager=True)},
    "score": _SEE | _VALUE,
    **dict.fromkeys(("objective", "shape", "define", "let"), _VALUE),
    **dict.fromkeys(("choose_step", "deal_step", "put_step"), _SEE | {":": Break()}),
    "first_step": _SEE,
    **{effect: {"when": Break(), "=": Break(rank=2)} for effect in _EFFECTS},
    "for_each_effect": {":": Break()},
    "zone": {
        "per": Break(rank=2),
        "names_from": Break(rank=2),
        "names_of_each": Break(rank=2),
        "joins": Break(rank=2),
        "seen": Break(rank=2),
    },
    "var": _VALUE | {"seen": Break(rank=2)},
    "ambiguity": {"reads": Break(rank=2), "alternative": Break(eager=True), **_REASON},
    "erratum": {"printed": Break(rank=2), **_REASON},
    "note": {"sentence": Break(eager=True)},
    "single_note": {"sentence": Break(eager=True)},
    "add_effect": {**dict.fromkeys(_EFFECTS, Break(rank=3)), **_REASON},
    **dict.fromkeys(("without", "remove", "remove_single", "change"), _REASON),
}
# `for each player` may share its line with the `when` and the `require` behind it.
_EACH_PLAYER = _SEE | {
    "for_each": Break(eager=True), "require": Break(rank=2, eager=True), "when": Break(rank=3, eager=True),
}  # fmt: skip
_QUANTIFIED = {":": Break()}
_INSIDE: dict[str, dict[str, Break]] = {
    "cited_reason": {":": Break()},
    "if_expr": {"then": Break(), "else": Break()},
    "default": {"else": Break()},
    "compare": {"COMPARE": Break()},
    **dict.fromkeys(("over_named", "over_picture", "over_domain", "pick", "comprehension", "placements"), _QUANTIFIED),
}
# Operators in a row: what is said with `and` and `or` is one thing a line, sums and products fill their lines.
_CHAINS = {
    "or_expr": ({"or_expr"}, CHAIN),
    "and_expr": ({"and_expr"}, CHAIN),
    **dict.fromkeys(("plus", "minus"), ({"plus", "minus"}, FILL)),
    "times": ({"times"}, FILL),
}
# The sign behind which a list begins; its items stand between commas or `|`.
_LISTS = {
    "section": ":", "deck": "=", "put_step": ":", "ranking": "ranking", "sees": "see", "shape": "=", "enum_attribute": ":", "enum_state": ":",
    "choices": "{",
    "call": "(", "indexed": "[", "call_example": "(",
}  # fmt: skip
# Constructs with items in brackets, one a line, and those with rows of short things in braces.
_PARAMETERS = {"action", "consequence"}
_WITH_BRACES = "component setup texts notes looks alternative erratum within example for_each_block".split()
_BLOCKS = {*_WITH_BRACES, *_PARAMETERS}
_ROWS = {"deck_cards", "table", "table_attribute", "owner_attribute", "set_value", "feature_by", "beside_by_seat"}
_BRACKETS = {"{": "}", "(": ")"}
_ORDERS = {"turn", "round", "step", "group"}

_Node = Token | Tree[Token]


@dataclass(slots=True)
class LayoutBuilder:
    """Builds the layouts of a file's declarations."""

    tokens: Tokens

    def items(self) -> list[Group]:
        """The header and the declarations, one group each."""
        return [self._item(node) for node in self.tokens.tree.children]

    def _item(self, node: _Node) -> Group:
        return Group(CLAUSES, self._flat(node))

    def _first(self, node: _Node) -> Leaf:
        while isinstance(node, Tree):
            node = node.children[0]
        return self.tokens.of_token[id(node)][0]

    def _parts(self, node: _Node) -> list[Part]:
        """The parts of something inside a construct."""
        if isinstance(node, Token):
            leaves = self.tokens.of_token[id(node)]
            return [_picture(leaves)] if node.type == "PICTURE" else list(leaves)
        name = str(node.data)
        if name in _CHAINS:
            return [self._chain(node, *_CHAINS[name])]
        if name == "alternative" or name in _INSIDE:
            return [self._item(node)]
        if name == "joins":
            return self._lines_of_cells(*node.children)
        return self._flat(node)

    def _flat(self, node: _Node) -> list[Part]:
        """The parts of a construct, to be put into the surrounding group."""
        if isinstance(node, Token):
            return self._parts(node)
        name = str(node.data)
        if name in _ORDERS:
            return self._order(node)
        breaks = _DECLARATIONS.get(name) or _INSIDE.get(name) or {}
        nodes = node.children
        if any(_key(child) == "for_each" for child in nodes):
            breaks = _EACH_PLAYER
        parts: list[Part] = []
        at = 0
        while at < len(nodes):
            key = _key(nodes[at])
            if key in _BRACKETS and name in _BLOCKS | _ROWS and (key == "{" or name in _PARAMETERS):
                end = next(i for i in range(at, len(nodes)) if _key(nodes[i]) == _BRACKETS[key])
                parts.append(self._block(nodes[at : end + 1], ROWS if name in _ROWS else BLOCK))
                at = end + 1
                continue
            if key in breaks and key not in ("=", ":"):
                parts.append(self._break(breaks[key], nodes[at]))
            parts += self._parts(nodes[at])
            at += 1
            if key in ("yes", "no") and at < len(nodes):
                _keep_two(self._first(nodes[at]))
            if key in breaks and key in ("=", ":"):
                parts.append(self._break(breaks[key], nodes[at]))
            if key == _LISTS.get(name):
                end = next((i for i in range(at, len(nodes)) if _key(nodes[i]) in (")", "]", "sees")), len(nodes))
                parts += self._list(nodes[at:end])
                at = end
        return parts

    def _lines_of_cells(self, word: _Node, *lines: _Node) -> list[Part]:
        parts: list[Part] = []
        for line in lines:
            parts += [self._break(Break(offset=0), line)] if parts else []
            parts += self._parts(line)
        return [*self._parts(word), Group(FILL, parts)]

    def _break(self, place: Break, node: _Node) -> Break:
        return replace(place, kept=self._first(node).breaks > 0)

    def _list(self, nodes: list[_Node]) -> list[Part]:
        """The items of a list; a break before a comma moves behind it, and one after `|` in front of it."""
        parts: list[Part] = []
        for number, node in enumerate(nodes):
            sign, around = _key(node), nodes[number : number + 2]
            kept = any(self._first(part).breaks for part in around)
            if sign == "|":
                parts.append(Break(offset=0, kept=kept))
            parts += self._parts(node)
            if sign == ",":
                parts.append(Break(offset=0, kept=kept))
        return [Group(FILL, parts)] if parts else []

    def _block(self, nodes: list[_Node], kind: str) -> Group:
        """A bracketed list: one item per line, or rows of short things."""
        opening, *inner, closing = nodes
        parts = self._parts(opening)
        braces = _key(opening) == "{"
        for number, node in enumerate(inner):
            if isinstance(node, Token):
                parts += self._parts(node)
                continue
            first = self._first(node)
            if number and braces:
                _keep_two(
                    first,
                    always=kind == BLOCK
                    or _key(node) in ("table_row", "table_else", "table_key", "owner_row", "seat_side"),
                )
            parts.append(Break(item=braces and kind == BLOCK, kept=first.breaks > 0))
            parts += [self._item(node)] if kind == BLOCK else self._parts(node)
        last = self._first(closing)
        if inner or last.forced:
            parts.append(Break(offset=0, item=braces and kind == BLOCK, closing=True, kept=last.breaks > 0))
        return Group(kind, [*parts, *self._parts(closing)])

    def _chain(self, node: Tree[Token], family: set[str], kind: str) -> Group:
        links: list[list[_Node]] = []
        while True:
            first, *link = node.children
            links.append(link)
            if not isinstance(first, Tree) or str(first.data) not in family:
                break
            node = first
        parts = self._parts(first)
        for sign, operand in reversed(links):
            # A line that ends behind the sign is one that should end before it.
            kept = any(self._first(part).breaks for part in (sign, operand))
            parts += [Break(offset=0, kept=kept), *self._parts(sign), *self._parts(operand)]
        return Group(kind, parts)

    def _order(self, node: Tree[Token]) -> list[Part]:
        """The order of play, or brackets in it: lines continue below the first step."""
        parts: list[Part] = []
        for child in node.children:
            if _key(child) in ("choice", "sequence"):
                parts.append(Group(CLAUSES, self._steps(child), aligned=True))
            else:
                parts += self._parts(child)
        return parts

    def _steps(self, order: _Node) -> list[Part]:
        parts: list[Part] = []
        ways = order.children if isinstance(order, Tree) and order.data == "choice" else [order]
        for number, way in enumerate(ways):
            if isinstance(way, Token):
                kept = any(self._first(part).breaks for part in ways[number : number + 2])
                parts += [Break(eager=True, offset=0, kept=kept), *self._parts(way)]
                continue
            for place, step in enumerate(way.children):
                if place:
                    offset = 2 if len(ways) > 1 else 0
                    parts.append(Break(rank=2, eager=True, offset=offset, kept=self._first(step).breaks > 0))
                parts += self._parts(step)
        return parts


def _key(node: _Node) -> str:
    """The kind of a part of a construct: its rule, or the sign or keyword that it is."""
    if not isinstance(node, Token):
        return str(node.data)
    return "" if node.type in ANY_TEXT else node.type if node.type == "COMPARE" else str(node)


def _keep_two(leaf: Leaf, always: bool = False) -> None:
    """Two spaces between short things on one line, at least where the author has two or more."""
    leaf.space = 2 if always or leaf.run > 1 else leaf.space


def _picture(leaves: list[Leaf]) -> Group:
    """A picture: its rows stay where the author has them; a picture that is too wide has one row per line."""
    opened = leaves[1].breaks > 0
    parts: list[Part] = [leaves[0]]
    for before, leaf in pairwise(leaves):
        if leaf.text == "/":
            parts.append(Break(offset=2 if opened else 0, kept=leaf.breaks > 0))
        elif leaf.breaks and leaf.text == "]":
            parts.append(Break(rank=3, offset=0, closing=True, kept=True))
        elif leaf.breaks and before.text in ("[", "/"):
            parts.append(Break(rank=2, kept=True))
        parts.append(leaf)
    return Group(CLAUSES, parts, aligned=not opened)
