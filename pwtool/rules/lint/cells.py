"""Names in pictures that no condition mentions: they were meant as codes of cards but match any card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.lang.traversal import walk
from pwtool.rules.targets import Family
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told

_SIGNS = ("#", "_")


def check_cell_names(own: list[n.Document], merged: Merged, family: Family) -> list[Diagnostic]:
    """A finding for each pattern with a name for a cell that no condition mentions. The names of a shape may be used
    wherever the shape is used.
    """
    anywhere: set[str] = set()
    found: list[Diagnostic] = []
    for document in own:
        for node in _all(document):
            match node:
                case n.OverPicture(picture=picture, body=body):
                    found += _check(picture, _spoken_of(body), merged)
                case n.Placements(subject=n.Picture() as picture, body=body):
                    found += _check(picture, _spoken_of(body), merged)
                case n.Shape(picture=first, more=more) if family.words is not None:
                    # Few documents have shapes.
                    anywhere = anywhere or _spoken_anywhere(family) | family.words
                    for picture in (first, *more):
                        found += _check(picture, anywhere, merged)
    return found


def _all(document: n.Document) -> Iterator[n.Node]:
    for declaration in document.declarations:
        yield from walk(declaration)


def _spoken_anywhere(family: Family) -> set[str]:
    return {node.name for document in family.documents for node in _all(document) if isinstance(node, n.Name)}


def _spoken_of(body: n.Node | None) -> set[str]:
    return {node.name for node in walk(body) if isinstance(node, n.Name)} if body is not None else set()


def _check(picture: n.Picture, spoken_of: set[str], merged: Merged) -> list[Diagnostic]:
    names = {c.content: None for c in picture.cells if c.content not in _SIGNS and not c.content.isdigit()}
    silent = [name for name in names if name not in spoken_of]
    if not silent:
        return []
    name = silent[0]
    meant = _as_look(name, merged)
    place = _place(picture.span, name)
    if meant is None:
        help_line = "write `#` for any card, or say in the condition what holds of it"
    elif len(names) == 1 and all(c.content == name for c in picture.cells):
        said = " and ".join(f"all {part}" for part in meant)
        help_line = Told("a picture shows no looks: write `#` for each of the cells and say `{said}`", said=said)
    else:
        free = next(letter for letter in "abcdefgh" if letter not in names)
        said = " and ".join(f"{free}.{part}" for part in meant)
        help_line = Told("a picture does not show attributes: name each such cell, as in `{free}`, and write `{said}`", free=free, said=said)  # fmt: skip
    return [Diagnostic.of("PW415", "`{name}` is only a name for a cell here, any card may lie there", place, help=help_line, name=name)]  # fmt: skip


def _place(picture: Span, name: str) -> Span:
    found = re.search(rf"(?<![\w+]){re.escape(name)}(?![\w+])", picture.text)
    if found is None:
        return picture
    return Span(picture.file, picture.start + found.start(), picture.start + found.end())


def _as_look(name: str, merged: Merged) -> list[str] | None:
    """The conditions for a name that is read as the code of a card, or of a part of it; None if it is not one."""
    for item in merged.items.values():
        if isinstance(item, n.Component):
            found = _read(name, item.attributes)
            if found:
                return found
    return None


def _read(name: str, attributes: tuple[n.AttributeDeclaration, ...]) -> list[str] | None:
    said: list[str] = []
    left = name
    while left:
        for attribute in attributes:
            part, length = _begins(left, attribute)
            if part is not None:
                said.append(part)
                left = left[length:]
                break
        else:
            return None
    return said


def _begins(text: str, attribute: n.AttributeDeclaration) -> tuple[str | None, int]:
    """The attribute value at the beginning of a text, and how much of the text it takes."""
    name = attribute.name.name
    if attribute.kind == "enum":
        for member in attribute.members:
            for word in (member.name, member.code):
                if word and text.startswith(word):
                    return f"{name} == {member.name}", len(word)
    if attribute.kind == "flag":
        for word in (name, attribute.code):
            if word and text.startswith(word):
                return name, len(word)
    digits = re.match(r"\d+", text) if attribute.kind == "range" else None
    if digits and attribute.low <= int(digits[0]) <= attribute.high:
        return f"{name} == {int(digits[0])}", len(digits[0])
    return None, 0
