"""Pictures of objectives and shapes as their author wrote them: the cells of each shape with signs for their
conditions, example cards for conditions on single cards, and words in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.show.svg.cards import ComponentArt, Face, component_art, draw_empty, draw_face, draw_forbidden
from pwtool.show.svg.conditions import conjuncts, mark_card, mark_cells, parts_of
from pwtool.show.svg.signs import draw_amount, draw_box, draw_chip, draw_mirrored, draw_tall, draw_turned
from pwtool.show.svg.writer import SOFT, Drawing, beside, flow, label, pad, place, stack, to_svg
from pwtool.show.text.conditions import SIGNS, Sayings, written
from pwtool.text.captions import caption
from pwtool.text.words import one_line

CELL = 52
ROW_WIDTH = 470
MAX_SHAPE = 320
MAX_EXAMPLES = 12


class Shown(NamedTuple):
    """An objective or a shape: its title, how it is written in the rules, what that says, and its picture."""

    title: str
    written: str
    said: str
    picture: Drawing


class Patterns(Struct, frozen=True):
    """Draws the conditions of a ruleset's objectives, with the few words in one language."""

    ruleset: Ruleset
    language: str = "en"

    @property
    def sayings(self) -> Sayings:
        """The words for this ruleset's conditions."""
        return Sayings(self.ruleset, self.language)

    # ---- whole pictures

    def shown(self, item: n.Objective | n.Shape) -> Shown:
        """An objective or a shape with its words; a shape is only known as it is written."""
        name = item.name.name
        if isinstance(item, n.Shape):
            written = one_line(item.span.text)
            return Shown(name, written, written, self.shape(name))
        title, node = self.ruleset.text(("objective", name), item.text or name, self.language), item.condition
        return Shown(title, one_line(node.span.text), self.sayings.sentence(node), self.condition(node))

    def objective(self, name: str) -> Drawing:
        """The picture of an objective, without its title."""
        node = self.ruleset.merged.items[("objective", name)]
        return self.condition(cast(n.Objective, node).condition)

    def shape(self, name: str) -> Drawing:
        """The pictures of a shape; each of them counts."""
        node = cast(n.Shape, self.ruleset.merged.items[("shape", name)])
        art = self._art(None)
        return self._joined([self._grid(p, art, None) for p in (node.picture, *node.more)], "or")

    def titled(self, item: n.Objective | n.Shape) -> str:
        """The picture of an item as an SVG file, with its title and what is written below."""
        title, written, said, picture = self.shown(item)
        width = max(picture.width, 250)
        heading = label(title, 17, bold=True, width=width, center=True)
        below = stack([heading, label(written, 12, mono=True, fill=SOFT, width=width, center=True)], 5, center=True)
        return to_svg(pad(stack([picture, below], 14, center=True), 16), title, said)

    # ---- conditions

    def condition(self, node: n.Node) -> Drawing:
        """A condition on the board; if it cannot be drawn, it is shown as written."""
        match node:
            case n.Binary(operator="and" | "or" as operator):
                drawn = [self._nested(part, operator) for part in parts_of(node, operator)]
                return self._joined(drawn, operator)
            case n.Unary(operator="not", operand=operand):
                return beside([self._word("not"), draw_box(self.condition(operand))], 8)
            case n.OverNamed(subject=subject):
                drawing = self._over_named(node, subject.name)
            case n.OverPicture(picture=picture):
                drawing = self._shapes((picture,), node, _times(node.quantifier))
            case n.OverDomain():
                drawing = self._over_domain(node)
            case n.Binary(
                operator=operator, left=n.Unary(operator="count", operand=counted), right=n.Number(value=value)
            ):
                drawing = self._counted(counted, operator, value)
            case n.Name(name=name):
                definition = self.ruleset.merged.items.get(("define", name))
                drawing = self.condition(definition.body) if isinstance(definition, n.Define) else None
            case _:
                drawing = None
        if drawing is not None:
            return drawing
        said = self.sayings.words(node)
        return draw_box(label(said or written(node), 14, mono=said is None, width=280, center=True), 12)

    def _nested(self, part: n.Node, outer: str) -> Drawing:
        drawing = self.condition(part)
        mixed = isinstance(part, n.Binary) and part.operator in ("and", "or") and part.operator != outer
        return draw_box(drawing) if mixed else drawing

    def _over_named(self, node: n.OverNamed, subject: str) -> Drawing | None:
        shape = self.ruleset.merged.items.get(("shape", subject))
        if isinstance(shape, n.Shape):
            return self._shapes((shape.picture, *shape.more), node, _times(node.quantifier))
        art = self._art(node.grid)
        if art is None or subject not in (art.component, "pile"):
            return None
        kind, amount = node.quantifier.kind, node.quantifier.number
        shown = amount if kind in ("least", "most", "exactly") else 1
        sign = _amount(node.quantifier)
        if kind == "every":
            sign = caption("every", self.language)
        return self._examples(art, subject, node.body, shown, sign, node.grid)

    def _over_domain(self, node: n.OverDomain) -> Drawing | None:
        domain, kind = node.domain, node.quantifier.kind
        if not isinstance(domain, n.Range) or domain.high - domain.low > 8 or kind not in ("every", "some"):
            return None
        values = [n.Number(domain.span, value) for value in range(domain.low, domain.high + 1)]
        parts = [self.condition(_substituted(node.body, node.variable.name, value)) for value in values]
        return self._joined(parts, "and" if kind == "every" else "or", gap=5)

    def _counted(self, counted: n.Node, operator: str, value: int) -> Drawing | None:
        if operator not in SIGNS:
            return None
        sign = f"{SIGNS[operator]} {value}"
        art = self._art(None)
        if isinstance(counted, n.Name) and art is not None and counted.name in (art.component, "pile"):
            return self._examples(art, counted.name, None, value, sign, None)
        if isinstance(counted, n.Placements):
            subject = counted.subject
            shape = self.ruleset.merged.items.get(("shape", subject.name)) if isinstance(subject, n.Name) else None
            if isinstance(shape, n.Shape):
                return self._shapes((shape.picture, *shape.more), counted, f"{sign} ×")
            if isinstance(subject, n.Picture):
                return self._shapes((subject,), counted, f"{sign} ×")
        return None

    # ---- shapes

    def _shapes(
        self, pictures: Sequence[n.Picture], node: n.OverNamed | n.OverPicture | n.Placements, sign: str
    ) -> Drawing:
        """Every picture of a shape with every alternative of its condition."""
        body, grid, art = node.body, node.grid, self._art(node.grid)
        bodies: list[n.Node | None] = [*parts_of(body, "or")] if body is not None else [None]
        parts = [self._grid(p, art, b) for b in bodies for p in pictures]
        drawn = self._joined(parts, "or")
        said = [] if grid is None else [self._on(grid)]
        said += [draw_chip(caption("separate", self.language))] if node.separate else []
        if said:
            drawn = stack([drawn, *said], 6, center=True)
        if sign == "every":
            sign = caption("every", self.language)
        return self._counted_as(sign, drawn, len(parts))

    def _counted_as(self, sign: str, drawing: Drawing, parts: int) -> Drawing:
        """The number that is wanted, in front of the drawing; in a box if there are alternatives."""
        if not sign:
            return drawing
        return beside([draw_amount(sign), draw_box(drawing) if parts > 1 else drawing], 12)

    def _on(self, grid: n.Node) -> Drawing:
        return draw_chip(f"{caption('on', self.language)} {self.sayings.zone(grid)}")

    def _grid(self, picture: n.Picture, art: ComponentArt | None, body: n.Node | None) -> Drawing:
        """One picture: its cells with their signs, remaining words below, turned and mirrored at the side."""
        gap = 4
        size = max(16.0, min(CELL, MAX_SHAPE / picture.width - gap, MAX_SHAPE / picture.height - gap))
        cells = [c for c in picture.cells if c.content != "_"]
        names = [c.content if c.content != "#" and not c.content.isdigit() else "" for c in cells]
        faces = [
            Face(_spoken(c.content, self.language), figure=c.content if c.content.isdigit() else "", maybe=c.maybe)
            for c in cells
        ]
        said: tuple[str, ...] = ()
        if art is not None:
            marked = mark_cells(art, faces, names, body, self.sayings)
            faces, said = list(marked.faces), marked.said
        elif body is not None:
            said = (self.sayings.sentence(body),)
        # Only the cells that a condition speaks of need their names shown.
        spoken_of = {part.name for part in walk(body) if isinstance(part, n.Name)} if body is not None else ()
        by_place = {(c.row, c.column): (f, name) for c, f, name in zip(cells, faces, names, strict=True)}
        crossed = {(c.row, c.column) for c in picture.cells if c.content == "_"}
        drawn = ""
        for row in range(picture.height):
            for column in range(picture.width):
                at = (row, column)
                if at in by_place:
                    face, name = by_place[at]
                    if name in spoken_of:
                        face = (
                            replace(face, corner=name)
                            if face.figure or face.symbol is not None or face.letter
                            else replace(face, figure=name)
                        )
                    cell = draw_face(face, size)
                elif at in crossed:
                    cell = draw_forbidden(size)
                else:
                    cell = draw_empty(size, dashed=True)
                drawn += place(cell, column * (size + gap), row * (size + gap))
        grid = Drawing(picture.width * (size + gap) - gap, picture.height * (size + gap) - gap, drawn)
        ways = [draw_turned(caption("turned", self.language))] if picture.turned else []
        ways += [draw_mirrored(caption("mirrored", self.language))] if picture.mirrored else []
        with_ways = beside([grid, stack(ways, 6)], 10)
        chips = flow([draw_chip(text) for text in said], max(with_ways.width, 260), 6)
        return stack([with_ways, chips], 9, center=True)

    # ---- cards

    def _examples(
        self, art: ComponentArt, subject: str, body: n.Node | None, amount: int, sign: str, grid: n.Node | None
    ) -> Drawing:
        """This many cards for which a condition on one card holds."""
        alternatives: list[n.Node | None] = [*parts_of(body, "or")] if body is not None else [None]
        # If each card may be of either kind, one of each is shown: a row of one kind would say too much.
        shown = amount if 0 < amount <= MAX_EXAMPLES and len(alternatives) == 1 else 1
        columns = 5 if shown > 4 else shown
        board = self.ruleset.board
        if body is None and board is not None and shown > 4:
            # Cards that may lie anywhere: drawn in rows they would look like a shape, unless they fill the grid.
            full = shown == board.width * board.height and board.width <= 5
            shown, columns = (shown, board.width) if full else (1, 1)
        drawn = []
        for alternative in alternatives:
            face, said = mark_card(art, art.blank(self.sayings.one(art.component)), alternative, self.sayings)
            card = draw_face(face, CELL)
            if subject == "pile":
                card = draw_tall(card, CELL, *_cards_below(alternative))
            rows = [beside([card] * min(columns, shown - at), 5) for at in range(0, shown, columns)]
            chips = flow([draw_chip(text) for text in said], 260, 6)
            drawn.append(stack([stack(rows, 5), chips], 9, center=True))
        cards = self._joined(drawn, "or")
        if shown != amount and sign and not sign.endswith("×"):
            sign += " ×"
        if grid is not None:
            cards = stack([cards, self._on(grid)], 6, center=True)
        return self._counted_as(sign, cards, len(drawn))

    # ---- parts

    def _art(self, grid: n.Node | None) -> ComponentArt | None:
        """The look of what lies on a grid; by default the grid that objectives look at."""
        zone = self.ruleset.board
        node = grid.value if isinstance(grid, n.Index) else grid
        if isinstance(node, n.Name):
            zone = self.ruleset.zones.get(node.name)
        if zone is None or zone.element.component not in self.ruleset.components:
            return None
        return component_art(self.ruleset, self.ruleset.components[zone.element.component])

    def _word(self, word: str) -> Drawing:
        return label(caption(word, self.language), 15, bold=True, fill=SOFT)

    def _joined(self, drawings: Sequence[Drawing], word: str, gap: float = 10) -> Drawing:
        """Parts side by side with a word in between, in several rows if there are many."""
        pieces: list[Drawing] = []
        for at, drawing in enumerate(drawings):
            last = at == len(drawings) - 1
            pieces.append(drawing if last else beside([drawing, self._word(word)], gap))
        return flow(pieces, max(ROW_WIDTH, max((p.width for p in pieces), default=0)), gap, 12)


def _substituted(node: n.Node, name: str, value: n.Number) -> n.Node:
    """The tree with a number instead of a variable."""
    changes: dict[str, Any] = {}
    for field in n.fields(node):
        part = getattr(node, field)
        if isinstance(part, n.Name) and part.name == name and field != "name":
            changes[field] = value
        elif isinstance(part, n.Node):
            changes[field] = _substituted(part, name, value)
    return replace(node, **changes) if changes else node


def _cards_below(body: n.Node | None) -> tuple[int, ...]:
    """The number of cards under the top one of a pile if a condition gives its exact height; otherwise nothing."""
    for part in conjuncts(body):
        match part:
            case n.Binary(operator="==", left=n.Name(name="height"), right=n.Number(value=height)):
                return (min(max(height - 1, 0), 4),)
    return ()


def _amount(quantifier: n.Quantifier) -> str:
    match quantifier.kind:
        case "least":
            return f"≥ {quantifier.number}"
        case "most":
            return f"≤ {quantifier.number}"
        case "exactly":
            return f"= {quantifier.number}"
        case "no":
            return "0 ×"
    return ""


def _times(quantifier: n.Quantifier) -> str:
    """How often a shape is wanted; `every` is expressed in the reader's language."""
    if quantifier.kind == "every":
        return "every"
    amount = _amount(quantifier)
    return f"{amount} ×" if amount and quantifier.kind != "no" else amount


def _spoken(content: str, language: str) -> str:
    return content if content.isdigit() else caption("card", language)
