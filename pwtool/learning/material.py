"""Other decks, and other pictures of where things lie at the beginning, as texts of items."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from pwtool.lang import tree as n
from pwtool.learning.texts import Written

MORE = (1, -1, 2, -2, 3, -3)
"""How many things more a deck or a cell may have."""


def other_decks(written: Written) -> Iterator[str]:
    """A deck with more or fewer of one card, of all that it has as often, or of all."""
    if not isinstance(written.node, n.Deck):
        return
    for part in written.node.parts:
        counts = _counts(written, part)
        some = [[one] for one in counts] + [[c for c in counts if c[2] == held] for held in {c[2] for c in counts}]
        for chosen in some:
            for more in MORE:
                yield _counted(written, [(start, end, held + more) for start, end, held in chosen])
        for times in (2, 3):
            yield _counted(written, [(start, end, held * times) for start, end, held in counts])


def _counts(written: Written, part: n.DeckPart) -> list[tuple[int, int, int]]:
    """Where the cards of a part are named with their numbers, and the numbers."""
    start = last = written.span(part)[0]
    if part.every:
        text = written.text[start:]
        return [(start, start + text.index("all") + len("all"), part.every)]
    found = []
    for name, held in part.cards:
        at, end = written.span(name)
        number = re.search(r"\d+\s+$", written.text[last:at])
        found.append((at if number is None else last + number.start(), end, held))
        last = end
    return found


def _counted(written: Written, places: list[tuple[int, int, int]]) -> str:
    """The deck with other numbers; without the cards of which none is left."""
    text = written.text
    for start, end, now in sorted(places, reverse=True):
        name = re.sub(r"^\d+\s+", "", text[start:end])
        text = text[:start] + (f"{now} {name}" if now > 1 else name if now == 1 else "") + text[end:]
    return text


def other_pictures(written: Written) -> Iterator[str]:
    """A picture with nothing in one cell, or in all that are alike; with more or fewer things in it, where cells have several; or with
    two neighbours that changed places.
    """
    picture = written.node.board if isinstance(written.node, n.SetupStep) else None
    if picture is None:
        return
    alike = defaultdict(list)
    for cell in picture.cells:
        alike[cell.content].append(cell)
    has_heaps = any("+" in content for content in alike)
    for content, cells in alike.items():
        held = content.split("+")
        sizes = [0, *(len(held) + more for more in MORE)] if has_heaps and len({*held}) == 1 else [0]
        for chosen in ([cell] for cell in cells), [cells]:
            for some in chosen:
                for size in sizes:
                    heap = "+".join(held[:1] * size) or "."
                    yield _laid(written, [(cell, heap) for cell in some])
    for one, other in pairwise(picture.cells):
        if one.row == other.row and one.column + 1 == other.column:
            yield _laid(written, [(one, other.content), (other, one.content)])


def _laid(written: Written, contents: list[tuple[n.PictureCell, str]]) -> str:
    """The picture with other contents of cells."""
    text = written.text
    for cell, content in sorted(contents, key=lambda entry: -entry[0].span.start):
        start, end = written.span(cell)
        text = text[:start] + content + text[end:]
    return text
