"""Pictures of boards and whole positions: every zone with its contents, shared ones first, then each player's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pwtool.eval.values import UNSEEN, Cell, bounds
from pwtool.ir.looks import ZoneLook, looks_of
from pwtool.ir.model import Ruleset, TokenModel, ZoneModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.show.svg.cards import (
    ComponentArt,
    Face,
    component_art,
    draw_coin,
    draw_empty,
    draw_face,
    draw_marked,
    draw_token,
)
from pwtool.show.svg.grounds import Ground, body_on, box_of, layer_offset
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.pieces import draw_pips
from pwtool.show.svg.places import Place, Places, letter
from pwtool.show.svg.writer import (
    NOTHING,
    SOFT,
    Drawing,
    beside,
    element,
    fit_text,
    flow,
    label,
    pad,
    panel,
    place,
    stack,
    to_svg,
)  # fmt: skip
from pwtool.text.captions import caption
from pwtool.why.drawing import draw_state, drawn_part
from pwtool.why.marks import NO_MARKS, Marks

CELL = 60
CARD = 48
MAX_GRID = 460
MAX_BOARD = 540
MAX_SINGLE = 12
PAGE = 1060
GAP = 8
MINIATURE = 0.6
USUAL = ZoneLook()


@dataclass(frozen=True, slots=True)
class Spot:
    """What lies on a cell: the visible face, how many below it, the letter of a token on it."""

    face: Face
    below: int = 0
    token: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a board: at which side, what it is called, the things in it as squares."""

    side: str
    name: str
    things: Sequence[Drawing]


def draw_cells(
    spots: Mapping[Cell, Spot],
    box: tuple[int, int, int, int],
    room: tuple[bool, bool] = (False, False),
    marked: Collection[Cell] = (),
    zone: ZoneModel | None = None,
    look: ZoneLook = USUAL,
    below: Sequence[Mapping[Cell, Spot]] = (),
    beside: Sequence[Beside] = (),
) -> Drawing:
    """A grid from (left, top) to (right, bottom), with what its columns and rows are called if the `zone` is known;
    `room`: whether it may still grow to the sides, up and down; `marked`: cells to frame; `below`: what lies on the same cells in
    other zones; `beside`: what stands at its sides.
    """
    whole, (box, rest) = box, drawn_part([*spots, *(cell for layer in below for cell in layer)], box, zone=zone)
    columns, rows = box[2] - box[0] + 1, box[3] - box[1] + 1
    slanted = columns + (0.5 * (rows - 1) if zone is not None and zone.hexagonal else 0)
    if look.ground == "cards":
        size, gap = max(14.0, min(CELL, MAX_GRID / slanted - GAP, MAX_GRID / rows - GAP)), float(GAP)
    else:
        size = max(14.0, min(CELL, MAX_BOARD / slanted / 1.1, MAX_BOARD / rows / 1.1))
        gap = size / 10
    ground = Ground(zone, look, box, size, gap, room, [(one.side, one.name) for one in beside])
    body = ground.body
    for at, layer in enumerate([*below, spots]):
        dx, dy, scale = layer_offset(at, len(below))
        side = size * scale
        for cell, spot in layer.items():
            if cell in ground.centers:
                x, y = ground.centers[cell]
                drawn = draw_face(spot.face, side, spot.below, spot.token)
                body += place(
                    drawn, x - side / 2 + dx * size, y - side / 2 + dy * size, 90 if cell in ground.upright else 0
                )
    for cell in marked:
        if cell in ground.centers:
            x, y = ground.centers[cell]
            body += place(draw_marked(Drawing(size, size, "")), x - size / 2, y - size / 2)
    for one, tray in zip(beside, ground.beside, strict=True):
        for thing, (x, y, scale) in zip(one.things, tray.line(len(one.things), size), strict=True):
            body += place(_scaled(thing, size * scale, size * scale, 2), x - size * scale / 2, y - size * scale / 2)
    drawn = Drawing(ground.width, ground.height, body)
    return drawn if box == whole else stack([drawn, label(rest, 11, fill=SOFT, width=MAX_GRID)], 4)


def draw_picture(ruleset: Ruleset, zone: ZoneModel, picture: n.Picture, bare: bool = False) -> Drawing:
    """A board written as in examples: `Y1+Y2` is a pile from bottom to top, `_` and `.` hold nothing, `#` any card.
    With `bare`, only what is written is drawn.
    """
    component = ruleset.components[zone.element.component]
    art = component_art(ruleset, component)
    spots: dict[Cell, Spot] = {}
    for cell in picture.cells:
        if cell.content == "_":
            continue
        codes = cell.content.split("+")
        face = art.blank() if codes[-1] == "#" else art.face(component.numbers[codes[-1]])
        spots[cell.column, cell.row] = Spot(face, len(codes) - 1)
    if not zone.floating:
        look = looks_of(ruleset).zone(zone)
        return draw_cells(spots, box_of(zone), zone=zone, look=look)
    if bare:
        return draw_cells(spots, (0, 0, picture.width - 1, picture.height - 1))
    room = (picture.width < zone.width, picture.height < zone.height)
    return draw_cells(spots, (0, 0, picture.width - 1, picture.height - 1), room, zone=zone)


# ---- positions -----------------------------------------------------------------------------------------------------


class Positions(Places):
    """Draws positions of a game between these players, in their language."""

    @cached_property
    def board(self) -> Place | None:
        """The only grid, if it is a board that all share: it comes first, and needs no name."""
        grids = [place for place in self.places if place.is_grid and self.host(place) is None]
        alone = len(grids) == 1 and grids[0].zone is not None and not grids[0].zone.dimensions
        return grids[0] if alone and self._look(grids[0]).ground != "cards" else None

    def picture(self, state: State, title: str, notes: Sequence[str] = ()) -> str:
        """The whole position as an SVG file."""
        lines = [label(fit_text(title, PAGE, 20, bold=True), 20, bold=True)]
        lines += [label(note, 13, fill=SOFT, width=PAGE) for note in notes if note]
        drawn = stack([stack(lines, 4), self.draw(state)], 16)
        text = "\n".join(draw_state(self.game, state, list(self.moves.names), voice=self.moves.voice))
        return to_svg(pad(drawn, 18), title, text)

    def draw(self, state: State, marks: Marks = NO_MARKS) -> Drawing:
        """The position without its title; the things named by `marks` are framed."""
        first = self.board
        # Beside a board, a place where nothing lies says nothing.
        shared = [
            group
            for group in self.own()
            if group[0].variable or first is None or (group[0] is not first and any(p.content(state) for p in group))
        ]
        common = flow([self._named(group, state, marks) for group in shared], PAGE, 26, 18, middle=False)
        if first is not None:
            common = stack([self._grid(first, state, marks), common], 18)
        goals = [self._goal(at, name, state) for at, name in enumerate(state.goals)]
        players = [self._player(state, player, marks) for player in range(len(self.moves.names))]
        boxes = [flow(_same_height(goals, middle=True), PAGE, 12), common, flow(_same_height(players), PAGE, 14)]
        return stack([*boxes, self._tokens(state)], 20)

    def _player(self, state: State, player: int, marks: Marks) -> Drawing:
        name = label(fit_text(self.moves.names[player], 300, 17, bold=True), 17, bold=True)
        drawn = [(group[0].is_grid, self._named(group, state, marks)) for group in self.own(player)]
        grids, others = ([one for is_grid, one in drawn if is_grid == wanted] for wanted in (True, False))
        if not any(one.width for _, one in drawn):
            return NOTHING
        width = 470 if len(self.moves.names) > 1 else PAGE
        return stack([name, beside(grids, 16, middle=False), flow(others, width, 24, 12, middle=False)], 10)

    def _goal(self, at: int, name: str, state: State) -> Drawing:
        """An objective in play: its picture small, its title, and what lies at it."""
        picture = _scaled(Patterns(self.game.ruleset, self.moves.voice.language).objective(name), 220, 130)
        contents = []
        for one in (one for group in self.own(goal=at) for one in group):
            heading = fit_text(f"{one.title} {one.label}".rstrip(), 150, 12)
            contents.append(beside([label(heading, 12, fill=SOFT), self._content(one, state)], 6))
        title = label(self.moves.goal(name), 14, bold=True, width=170)
        return beside([picture, stack([title, *contents], 6)], 14)

    def _named(self, group: Sequence[Place], state: State, marks: Marks) -> Drawing:
        """All places with a name that are shared or belong to one player, with the name above."""
        heading = label(group[0].title, 13, bold=True, fill=SOFT)
        if group[0].variable is not None:
            shown = self._value(group[0], state)
            return stack([heading, shown], 5) if shown.width else NOTHING
        drawn = []
        for one in group:
            if one.label and one.of_goal and not one.content(state):
                continue
            content = self._content(one, state, marks)
            sub = label(fit_text(one.label, 150, 11), 11, fill=SOFT)
            drawn.append(stack([content, sub], 3, center=True) if one.label else content)
        return stack([heading, flow(drawn, 470, 9, 9, middle=False) if drawn else _none()], 5)

    def _value(self, place: Place, state: State) -> Drawing:
        """A variable as a die or in words; nothing if it has no value."""
        value = place.content(state)
        if value is None or value == [] or (self.is_die(place) and not value):
            return NOTHING
        if self.is_die(place) and isinstance(value, int):
            return Drawing(CARD, CARD, draw_pips(value, CARD))
        return label(fit_text(self.told(place, state), 200, 15), 15)

    def _content(self, place: Place, state: State, marks: Marks = NO_MARKS) -> Drawing:
        """What lies in one zone."""
        assert place.zone is not None
        if place.is_grid:
            return self._grid(place, state, marks)
        things = self._things(place, state, marks)
        if place.zone.element.kind == "face" and place.zone.kind != "bag":
            return things[0] if things else draw_empty(CARD)
        if not things:
            return _none()
        return flow(things, 470, 8, 8) if place.zone.element.kind == "face" else beside(things, 4)

    def _things(self, place: Place, state: State, marks: Marks, coin: float = 30) -> list[Drawing]:
        """The things in a zone that is no grid: of a pile what is on top."""
        assert place.zone is not None
        content, marked = place.content(state), marks.things_of(place.zone, place.index)
        if place.zone.element.kind != "face":
            return [draw_coin(str(item), coin) for item in content]
        art = self._art(place.zone)
        if place.zone.kind == "bag":
            return _squares(art, content, marked)
        top = [draw_face(art.face(item), CARD, len(content) - 1) for item in content[-1:]]
        return [draw_marked(one) if content[-1] in marked else one for one in top]

    def _look(self, place: Place) -> ZoneLook:
        assert place.zone is not None
        return self.looks.zone(place.zone)

    def _grid(self, place: Place, state: State, marks: Marks) -> Drawing:
        zone, look = place.zone, self._look(place)
        assert zone is not None
        tokens, index = self.tokens(state), place.index
        spots, *below = (self._spots(z, state, index, tokens) for z in (zone, *self.sharing.get(zone.name, ())))
        about = marks.cells_of(zone, index)
        if not zone.floating:
            there = [Beside(side, name, self._things(p, state, marks, CARD)) for p, side, name in self.beside(place)]
            return draw_cells(spots, box_of(zone), (False, False), about, zone, look, below, there)
        if not spots:
            return _none()
        box = bounds([*spots, *about])
        room = (box[2] - box[0] + 1 < zone.width, box[3] - box[1] + 1 < zone.height)
        return draw_cells(spots, box, room, about, zone, look)

    def _spots(self, zone: ZoneModel, state: State, index: int, tokens: Mapping[Any, TokenModel]) -> dict[Cell, Spot]:
        """What lies on the cells of a grid."""
        art, look = self._art(zone) if zone.element.kind == "face" else None, self.looks.zone(zone)
        spots = {}
        for cell, pile in state.zones[zone.number][index].items():
            if pile:
                face = art.face(pile[-1], body_on(look, cell)) if art else Face(str(pile[-1]), figure=str(pile[-1]))
                token = tokens.get((zone.number, index, cell))
                spots[cell] = Spot(face, len(pile) - 1, letter(token) if token else "")
        return spots

    def _art(self, zone: ZoneModel) -> ComponentArt:
        return component_art(self.game.ruleset, self.game.ruleset.components[zone.element.component])

    def _tokens(self, state: State) -> Drawing:
        """The meanings of the token letters."""
        named = [(letter(token), self.called(token)) for token in self.tokens(state).values()]
        return flow([beside([draw_token(sign), label(name, 13)], 6) for sign, name in named], PAGE, 18)


def _same_height(drawings: Sequence[Drawing], middle: bool = False) -> list[Drawing]:
    """Each drawing in a box; all boxes have the same height."""
    height = max((d.height for d in drawings), default=0)
    drop = [(height - d.height) / 2 if middle else 0 for d in drawings]
    return [panel(Drawing(d.width, height, place(d, 0, y))) for d, y in zip(drawings, drop, strict=True) if d.width]


def _none() -> Drawing:
    return label("–", 15, fill=SOFT)


def _squares(art: ComponentArt, content: Sequence[int], marked: Collection[int]) -> list[Drawing]:
    """A bag: its cards in order. Equal cards are drawn together if there are many, unseen ones always; one of each face
    in `marked` is framed.
    """
    counts = Counter(content)
    order = sorted(counts, key=lambda item: (item == UNSEEN, item))
    drawn: list[Drawing] = []
    for item in order:
        together = item == UNSEEN or len(content) > MAX_SINGLE
        same = [draw_face(art.face(item), CARD)] * counts[item]
        if together:
            same = [draw_face(art.face(item), CARD, times=counts[item] if counts[item] > 1 else 0)]
        if item in marked:
            same[0] = draw_marked(same[0])
        drawn += same
    return drawn


def _scaled(drawing: Drawing, width: float, height: float, most: float = MINIATURE) -> Drawing:
    """A drawing scaled to fit."""
    factor = min(width / max(drawing.width, 1), height / max(drawing.height, 1), most)
    body = element("g", drawing.body, transform=f"scale({factor:.4f})") if drawing.body else ""
    return Drawing(drawing.width * factor, drawing.height * factor, body)


def turn_title(game: Game, turn: int | None, count: int, language: str) -> str:
    """The title of a position: the beginning of a turn, or (None) the position after the last turn."""
    cycle = game.ruleset.cycle
    return caption(f"after_{cycle}", language, count) if turn is None else f"{caption(cycle, language)} {turn}"
