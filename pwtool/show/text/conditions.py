"""Conditions of objectives in words for players, for what pictures cannot show.

Sentences name the thing first and its condition after a colon (`largest group of the same color: at least 5`), which
works in every language whatever the thing is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text.captions import caption
from pwtool.text.words import one_line
from pwtool.why.voice import Voice, plain, raised

SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_SIDES = {">": "higher", "<": "lower"}


def written(node: n.Node) -> str:
    """A condition as its author wrote it, with mathematical signs, on one line."""
    match node:
        # If a number replaced a variable, the text no longer matches the tree.
        case n.Binary(operator=operator, left=n.Name(name=name), right=n.Number(value=value)) if operator in SIGNS:
            return f"{name} {SIGNS[operator]} {value}"
    text = one_line(node.span.text)
    for operator in ("==", "!=", "<=", ">="):
        text = text.replace(operator, SIGNS[operator])
    return text


@dataclass(frozen=True, slots=True)
class Sayings:
    """Words for the conditions of a ruleset in a language."""

    ruleset: Ruleset
    language: str = "en"

    def sentence(self, node: n.Node) -> str:
        """A condition in words; if there are none for it, as written."""
        return self.words(node) or written(node)

    def words(self, node: n.Node) -> str | None:
        """A condition in words, or None if there are none for it."""
        said = self._said(node)
        return None if said is None else raised(said)

    def attribute(self, name: str) -> str:
        """The name of an attribute, one of its values, or a component."""
        voice = Voice(self.language)
        texts = self.ruleset.merged.texts.get(self.language, {})
        for component in self.ruleset.components:
            found = texts.get(("component", f"{component}.{name}"))
            if found is not None:
                return found.text
        return voice.text(
            self.ruleset, ("component", name), caption(name, self.language) if name == "height" else plain(name)
        )

    def zone(self, node: n.Node) -> str:
        """The name of a grid."""
        named = node.value if isinstance(node, n.Index) else node
        return (
            Voice(self.language).called(self.ruleset, "zone", named.name)
            if isinstance(named, n.Name)
            else written(node)
        )

    # ---- conditions

    def one(self, component: str) -> str:
        """The name for one thing of a kind."""
        return caption(component, self.language) if component == "card" else component

    def _caption(self, key: str, *values: object) -> str:
        return caption(f"cond_{key}", self.language, *values)

    def _told(self, key: str, *parts: object) -> str | None:
        """The words with these parts; None if there are none for one of them."""
        return None if None in parts else self._caption(key, *parts)

    def _of(self, things: n.Node | None, said: str) -> str | None:
        """What is said of these things, or of all."""
        return said if things is None else self._told("told", self._things(things), said)

    def _said(self, node: n.Node) -> str | None:
        match node:
            case n.Binary(operator="and" | "or" as operator, left=left, right=right):
                return self._told(operator, self._said(left), self._said(right))
            case n.Unary(operator="not", operand=operand):
                return self._told("not", self._said(operand))
            case n.Binary(operator=operator, left=left, right=right) if operator in SIGNS:
                return self._compared(operator, left, right)
            case n.Name(name=name):
                definition = self.ruleset.merged.items.get(("define", name))
                return self._said(definition.body) if isinstance(definition, n.Define) else self.attribute(name)
            case n.Attribute(value=n.Name(name=owner), name=attribute):
                return self._caption("is_so", owner, self.attribute(_name(attribute)))
            case n.Unary(operator="any" | "all" as operator, operand=operand):
                whose = f"{operator}_piles" if self._is_of_height(operand) else operator
                return self._told(whose, self._said(operand))
            case n.Alike(operator=operator, attribute=attribute, operand=operand):
                return self._of(operand, self._caption(operator, self.attribute(attribute.name)))
            case n.Reads(operand=operand, values=values):
                return self._told("told", self._value(operand), " ".join(map(str, values)))
            case n.OverNamed(through=n.Node()) | n.OverPicture(through=n.Node()):
                return None
            case n.OverNamed():
                return self._over_named(node)
            case n.OverPicture(picture=picture):
                return self._over_shape(node, (picture,))
            case n.If(condition=condition, then=then, otherwise=otherwise):
                return self._told("if", *map(self._said, (condition, then, otherwise)))
            case n.OverDomain():
                return self._over_domain(node)
            case n.Test(operator="empty" | "connected" as operator, operand=operand):
                return self._of(operand, self._caption(operator))
        return None

    def _is_of_height(self, node: n.Node) -> bool:
        """Whether this refers to the height of piles: no card has an attribute of that name."""
        named = any(isinstance(part, n.Name) and part.name == "height" for part in walk(node))
        return named and not any("height" in component.attributes for component in self.ruleset.components.values())

    def _compared(self, operator: str, left: n.Node, right: n.Node) -> str | None:
        match left, right:
            case n.Attribute(value=n.Name(name=first), name=one), n.Attribute(
                value=n.Name(name=second), name=other
            ) if _name(one) == _name(other) and operator in ("==", "!="):
                key = "same_as" if operator == "==" else "other_than"
                return self._caption(key, first, second, self.attribute(_name(one)))
            case n.Name(name=first), n.Nothing() if operator in ("==", "!="):
                said = self._caption("nothing")
                return self._caption("told", first, said if operator == "==" else self._caption("not", said))
        value, bound = self._value(left), self._value(right)
        if value is None or bound is None:
            return None
        if isinstance(right, n.Name) and operator == "==":
            # A named value identifies its attribute.
            named = isinstance(left, n.Name) and right.name in self._members()
            return bound if named else self._caption("told", value, bound)
        if operator == "==" and isinstance(left, n.Name):
            return f"{value} {bound}"
        if not isinstance(right, n.Number):
            return f"{value} {SIGNS[operator]} {bound}"
        return self._caption("told", value, self._caption(operator, bound))

    def _members(self) -> set[str]:
        """The names of values, which identify their attribute."""
        attributes = (a for component in self.ruleset.components.values() for a in component.attributes.values())
        return {str(value) for attribute in attributes for value in attribute.table}

    def _over_named(self, node: n.OverNamed) -> str | None:
        shape = self.ruleset.merged.items.get(("shape", node.subject.name))
        if isinstance(shape, n.Shape):
            return self._over_shape(node, (shape.picture, *shape.more))
        things = self._told("with", self._kind(node.subject.name), self._said(node.body))
        return self._told("told", things, self._amount(node.quantifier))

    def _over_shape(self, node: n.OverNamed | n.OverPicture, pictures: tuple[n.Picture, ...]) -> str | None:
        asked = [] if node.body is None else [self._said(node.body)]
        if None in asked:
            return None
        placed = reduce(lambda first, other: self._caption("or", first, other), map(self._placed, pictures))
        apart = [caption("separate", self.language)] if node.separate else []
        things = self._caption("with", self._caption("shape"), "; ".join([placed, *apart, *map(str, asked)]))
        return self._caption("told", things, self._amount(node.quantifier))

    def _placed(self, picture: n.Picture) -> str:
        """The arrangement of a picture's cells, row by row."""
        cells = {(cell.row, cell.column): self._cell(cell) for cell in picture.cells}
        rows = [
            [cells.get((row, column)) or self._caption("anything") for column in range(picture.width)]
            for row in range(picture.height)
        ]
        said = [self._caption("row", number, ", ".join(row)) for number, row in enumerate(rows, 1)]
        ways = [way for way, may in (("turned", picture.turned), ("mirrored", picture.mirrored)) if may]
        return "; ".join([*said, *(caption(way, self.language) for way in ways)])

    def _cell(self, cell: n.PictureCell) -> str:
        if cell.content == "_":
            return self._caption("nothing")
        board = self.ruleset.board
        said = cell.content if cell.content != "#" or board is None else self.one(board.element.component)
        return self._caption("maybe", said) if cell.maybe else said

    def _over_domain(self, node: n.OverDomain) -> str | None:
        variable, things = node.variable.name, self._things(node.domain)
        higher = _outdoes(node)
        if higher is not None:
            return self._caption(_SIDES[higher[0]], self.attribute(higher[1]))
        said, kind = self._said(node.body), node.quantifier.kind
        things = self._told("other", things) if node.other else things
        if kind in ("some", "every", "no"):
            return self._told(f"{kind}_named", things, variable, said)
        return self._told("so_many_named", self._amount(node.quantifier), things, variable, said)

    def _amount(self, quantifier: n.Quantifier) -> str:
        match quantifier.kind:
            case "least" | "most" | "exactly":
                return self._caption(
                    {"least": ">=", "most": "<=", "exactly": "exactly"}[quantifier.kind], quantifier.number
                )
        return self._caption(f"{quantifier.kind}_amount")

    # ---- values and things

    def _value(self, node: n.Node) -> str | None:
        match node:
            case n.Number(value=value):
                return str(value)
            case n.Name(name=name):
                return self.attribute(name)
            case n.Attribute(value=n.Name(name=owner), name=attribute):
                return self._caption("of", self.attribute(_name(attribute)), owner)
            case n.Unary(operator="-", operand=operand):
                inner = self._value(operand)
                return None if inner is None else f"−{inner}"
            case n.Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
                values = [self._value(left), self._value(right)]
                return None if None in values else f"{values[0]} {'×' if operator == '*' else operator} {values[1]}"
            case n.Binary(operator="else", left=left, right=right):
                said = self._told("else", self._value(left), self._value(right))
                return said and f"({said})"
            case n.If(condition=condition, then=then, otherwise=otherwise):
                said = self._told("if", self._said(condition), self._value(then), self._value(otherwise))
                return said and f"({said})"
            case n.Unary(operator="count", operand=operand):
                return self._told("number", self._things(operand))
            case n.Unary(operator="sum", operand=n.Name(name=name)):
                return self._caption("sum", self.attribute(name))
            case n.Unary(operator="sum", operand=n.Comprehension(variable=variable, domain=domain, body=body)):
                return self._told("sum_of", self._things(domain), variable.name, self._value(body))
            case n.SumOf(attribute=attribute, operand=operand):
                return self._of(operand, self._caption("sum", self.attribute(attribute.name)))
            case n.GroupSize(which=which, attribute=attribute):
                return self._caption(which, self.attribute(attribute.name))
            case n.CountDistinct(attribute=attribute, operand=operand):
                return self._of(operand, self._caption("different", self.attribute(attribute.name)))
            case n.Extreme(which=which, attribute=attribute, operand=operand):
                return self._of(operand, self._caption(which, self.attribute(attribute.name)))
        return None

    def _things(self, node: n.Node) -> str | None:
        match node:
            case n.Name(name=name):
                return self._kind(name)
            case n.Range(low=low, high=high):
                return self._caption("range", low, high)
            case n.Comprehension(variable=variable, domain=domain, body=body):
                return self._told("with_named", self._things(domain), variable.name, self._said(body))
            case n.Where(operand=operand, condition=condition):
                return self._told("with", self._things(operand), self._said(condition))
            case n.Around(variable=variable, start=n.Name(name=start), body=body):
                return self._told("around", start, variable.name, self._said(body))
            case n.Unary(operator="neighbours" | "diagonal" as operator, operand=n.Name(name=name)):
                return self._caption(operator, name)
        return None

    def _kind(self, name: str) -> str:
        """The name of a collection on the board; a name of a picture or a variable stays as it is."""
        texts = self.ruleset.merged.texts.get(self.language, {})
        if name in self.ruleset.components:
            found = texts.get(("component", name))
            return found.text if found is not None else self._caption("cards") if name == "card" else plain(name)
        return self._caption(f"{name}s") if name in ("pile", "buried") else name


def _name(node: n.Node) -> str:
    return node.name if isinstance(node, n.Name) else written(node)


def _outdoes(node: n.OverDomain) -> tuple[str, str] | None:
    """`some c in x: every other d in x: c.value > d.value`: how, and in which attribute, one exceeds all others."""
    match node:
        case n.OverDomain(
            quantifier=n.Quantifier(kind="some"),
            variable=n.Name(name=one),
            body=n.OverDomain(
                quantifier=n.Quantifier(kind="every"),
                variable=n.Name(name=others),
                other=True,
                body=n.Binary(
                    operator=">" | "<" as operator,
                    left=n.Attribute(value=n.Name(name=left), name=first),
                    right=n.Attribute(value=n.Name(name=right), name=second),
                ),
            ),
        ) if _name(first) == _name(second) and {left, right} == {one, others}:
            return (operator if left == one else {">": "<", "<": ">"}[operator]), _name(first)
    return None
