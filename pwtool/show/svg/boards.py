"""Pictures of boards and whole positions: every zone with its contents, shared ones first, then each player's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pwtool.eval.values import UNSEEN, bounds
from pwtool.ir.looks import Looks, ZoneLook, looks_of
from pwtool.ir.model import Ruleset, TokenModel, ZoneModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.state import State, zone_labels
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
from pwtool.show.svg.grounds import Ground, body_on, layer_offset
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.pieces import draw_pips
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
from pwtool.why.describe import table_value
from pwtool.why.drawing import draw_state, drawn_part, is_per_player
from pwtool.why.marks import NO_MARKS, Marks
from pwtool.why.voice import Voice, raised

CELL = 60
CARD = 48
MAX_GRID = 460
MAX_BOARD = 540
MAX_SINGLE = 12
PAGE = 1060
GAP = 8
MINIATURE = 0.6
USUAL = ZoneLook()

Place = tuple[int, int]


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
    spots: Mapping[Place, Spot],
    box: tuple[int, int, int, int],
    room: tuple[bool, bool] = (False, False),
    marked: Collection[Place] = (),
    zone: ZoneModel | None = None,
    look: ZoneLook = USUAL,
    below: Sequence[Mapping[Place, Spot]] = (),
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
    spots: dict[Place, Spot] = {}
    for cell in picture.cells:
        if cell.content == "_":
            continue
        codes = cell.content.split("+")
        face = art.blank() if codes[-1] == "#" else art.face(component.numbers[codes[-1]])
        spots[cell.column, cell.row] = Spot(face, len(codes) - 1)
    if not zone.floating:
        look = looks_of(ruleset).zone(zone)
        return draw_cells(spots, (0, 0, zone.width - 1, zone.height - 1), zone=zone, look=look)
    if bare:
        return draw_cells(spots, (0, 0, picture.width - 1, picture.height - 1))
    room = (picture.width < zone.width, picture.height < zone.height)
    return draw_cells(spots, (0, 0, picture.width - 1, picture.height - 1), room, zone=zone)


# ---- positions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Positions:
    """Draws positions of a game between these players, with words in one language."""

    game: Game
    names: Sequence[str]
    language: str = "en"

    @cached_property
    def looks(self) -> Looks:
        return looks_of(self.game.ruleset)

    @cached_property
    def shown(self) -> list[ZoneModel]:
        """The zones that have a place of their own."""
        looks = [(zone, self.looks.zone(zone)) for zone in self.game.zone_list]
        return [zone for zone, look in looks if not (look.hidden or look.on)]

    @cached_property
    def board(self) -> ZoneModel | None:
        """The only grid, if it is a board that all share: it comes first, and needs no name."""
        grids = [zone for zone in self.shown if zone.kind == "grid"]
        if len(grids) != 1 or grids[0].dimensions or self.looks.zone(grids[0]).ground == "cards":
            return None
        return grids[0]

    @cached_property
    def sharing(self) -> dict[str, list[ZoneModel]]:
        return self.looks.layers(self.game.zone_list)

    def picture(self, state: State, title: str, notes: Sequence[str] = ()) -> str:
        """The whole position as an SVG file."""
        lines = [label(fit_text(title, PAGE, 20, bold=True), 20, bold=True)]
        lines += [label(note, 13, fill=SOFT, width=PAGE) for note in notes if note]
        drawn = stack([stack(lines, 4), self.draw(state)], 16)
        text = "\n".join(draw_state(self.game, state, list(self.names), voice=Voice(self.language)))
        return to_svg(pad(drawn, 18), title, text)

    def draw(self, state: State, marks: Marks = NO_MARKS) -> Drawing:
        """The position without its title; the things named by `marks` are framed."""
        shared = [z for z in self.shown if not is_per_player(z) and not self.looks.zone(z).side(-1)]
        per_goal = [z for z in shared if z.dimensions and z.dimensions[0][0] == "goal"]
        first = self.board
        others = [
            self._zone(zone, state, None, marks)
            for zone in shared
            # Beside a board, a place where nothing lies says nothing.
            if zone not in (first, *per_goal) and (first is None or any(state.zones[zone.number]))
        ]
        common = flow([*others, *self._values(state, None)], PAGE, 26, 18, middle=False)
        if first is not None:
            common = stack([self._grid(first, state, 0, marks), common], 18)
        goals = [self._goal(at, name, per_goal, state) for at, name in enumerate(state.goals)]
        players = [self._player(state, player, marks) for player in range(len(self.names))]
        boxes = [flow(_same_height(goals, middle=True), PAGE, 12), common, flow(_same_height(players), PAGE, 14)]
        return stack([*boxes, self._tokens(state)], 20)

    def _player(self, state: State, player: int, marks: Marks) -> Drawing:
        name = label(fit_text(self.names[player], 300, 17, bold=True), 17, bold=True)
        own = [z for z in self.shown if is_per_player(z) and not self.looks.zone(z).side(player)]
        grids = [self._zone(z, state, player, marks) for z in own if z.kind == "grid"]
        others = [self._zone(z, state, player, marks) for z in own if z.kind != "grid"]
        others += self._values(state, player)
        width = 470 if len(self.names) > 1 else PAGE
        return (
            stack([name, beside(grids, 16, middle=False), flow(others, width, 24, 12, middle=False)], 10)
            if own or others
            else NOTHING
        )

    def _values(self, state: State, player: int | None) -> list[Drawing]:
        """The variables of a player, or of the game, that are shown: as a die or as words."""
        drawn = []
        for variable in self.game.variable_list:
            look = self.looks.variables.get(variable.name)
            if not self.looks.shows(variable) or variable.each != (player is not None):
                continue
            value = state.variables[variable.number]
            value = value if player is None else value[player]
            if value is None or value == [] or (look == "die" and not value):
                continue
            heading = label(self._called("var", variable.name), 13, bold=True, fill=SOFT)
            if look == "die" and isinstance(value, int):
                shown = Drawing(CARD, CARD, draw_pips(value, CARD))
            else:
                text = table_value(self.game, variable.type, value, self.names, state.goals, Voice(self.language))
                shown = label(fit_text(text, 200, 15), 15)
            drawn.append(stack([heading, shown], 5))
        return drawn

    def _goal(self, at: int, name: str, zones: list[ZoneModel], state: State) -> Drawing:
        """An objective in play: its picture small, its title, and what lies at it."""
        title = Voice(self.language).item(self.game, ("objective", name))
        picture = _scaled(Patterns(self.game.ruleset, self.language).objective(name), 220, 130)
        contents = []
        for zone in zones:
            for index, parts in enumerate(zone_labels(zone, list(self.names), state.goals)):
                if parts[0] == state.goals[at]:
                    heading = " ".join([self._called("zone", zone.name), *(str(part) for part in parts[1:])])
                    heading = fit_text(heading, 150, 12)
                    contents.append(beside([label(heading, 12, fill=SOFT), self._content(zone, state, index)], 6))
        return beside([picture, stack([label(title, 14, bold=True, width=170), *contents], 6)], 14)

    def _zone(self, zone: ZoneModel, state: State, player: int | None, marks: Marks) -> Drawing:
        """All zones with a name that are shared or belong to one player, with the name above."""
        drawn: list[Drawing] = []
        for index, parts in enumerate(zone_labels(zone, list(map(str, range(state.players))), state.goals)):
            if player is not None and parts[0] != str(player):
                continue
            inner = parts[1:] if player is not None else parts
            content = self._content(zone, state, index, marks)
            if inner:
                if not state.zones[zone.number][index] and zone.dimensions[-1][0] == "goal":
                    continue
                sub = self._part_name(zone, inner)
                content = stack([content, label(fit_text(sub, 150, 11), 11, fill=SOFT)], 3, center=True)
            drawn.append(content)
        heading = label(self._called("zone", zone.name), 13, bold=True, fill=SOFT)
        return stack([heading, flow(drawn, 470, 9, 9, middle=False) if drawn else _none()], 5)

    def _called(self, kind: str, name: str) -> str:
        return raised(Voice(self.language).called(self.game.ruleset, kind, name))

    def _part_name(self, zone: ZoneModel, parts: tuple[Any, ...]) -> str:
        shown = []
        kinds = [kind for kind, _ in zone.dimensions][-len(parts) :]
        for kind, part in zip(kinds, parts, strict=True):
            if kind == "goal":
                shown.append(Voice(self.language).item(self.game, ("objective", part)))
            else:
                shown.append(self.names[int(part)] if kind == "player" else zone.place_name(part))
        return ", ".join(shown)

    def _content(self, zone: ZoneModel, state: State, index: int, marks: Marks = NO_MARKS) -> Drawing:
        """What lies in one zone."""
        content = state.zones[zone.number][index]
        if zone.kind == "grid":
            return self._grid(zone, state, index, marks)
        if zone.element.kind != "face":
            return beside([draw_coin(str(item)) for item in content], 4) if content else _none()
        art = self._art(zone)
        if zone.kind == "bag":
            return flow(_squares(art, content, marks.things_of(zone, index)), 470, 8, 8) if content else _none()
        if not content:
            return draw_empty(CARD)
        top = draw_face(art.face(content[-1]), CARD, len(content) - 1)
        return draw_marked(top) if content[-1] in marks.things_of(zone, index) else top

    def _beside(self, host: ZoneModel, state: State, index: int, marks: Marks) -> list[Beside]:
        """What stands beside a board."""
        found, trays = [], self.looks.beside(host, self.game.zone_list, state.players)
        names = self.looks.names_beside(
            host, self.game.zone_list, self.names, lambda one: self._called("zone", one.name)
        )
        for (zone, seat, side), name in zip(trays, names, strict=True):
            at = max(seat, index)
            content = state.zones[zone.number][at]
            if zone.element.kind != "face":
                things = [draw_coin(str(item), CARD) for item in content]
            elif zone.kind == "bag":
                things = _squares(self._art(zone), content, marks.things_of(zone, at))
            else:
                things = [self._content(zone, state, at, marks)] if content else []
            found.append(Beside(side, name, things))
        return found

    def _grid(self, zone: ZoneModel, state: State, index: int, marks: Marks) -> Drawing:
        spots = self._spots(zone, state, index)
        below = [self._spots(other, state, index) for other in self.sharing.get(zone.name, ())]
        look = self.looks.zone(zone)
        if not zone.floating:
            box = (0, 0, zone.width - 1, zone.height - 1)
            return draw_cells(
                spots,
                box,
                (False, False),
                marks.cells_of(zone, index),
                zone,
                look,
                below,
                self._beside(zone, state, index, marks),
            )
        if not spots:
            return _none()
        about = marks.cells_of(zone, index)
        box = bounds([*spots, *about])
        room = (box[2] - box[0] + 1 < zone.width, box[3] - box[1] + 1 < zone.height)
        return draw_cells(spots, box, room, about, zone, look)

    def _spots(self, zone: ZoneModel, state: State, index: int) -> dict[Place, Spot]:
        """What lies on the cells of a grid."""
        marked = {
            p[1]: token.name[:1].upper()
            for token, p in self._lying(state)
            if token.zone == zone.number and p[0] == index
        }
        art, look = self._art(zone) if zone.element.kind == "face" else None, self.looks.zone(zone)
        spots = {}
        for cell, pile in state.zones[zone.number][index].items():
            if pile:
                face = art.face(pile[-1], body_on(look, cell)) if art else Face(str(pile[-1]), figure=str(pile[-1]))
                spots[cell] = Spot(face, len(pile) - 1, marked.get(cell, ""))
        return spots

    def _art(self, zone: ZoneModel) -> ComponentArt:
        return component_art(self.game.ruleset, self.game.ruleset.components[zone.element.component])

    def _lying(self, state: State) -> list[tuple[TokenModel, tuple[int, Place]]]:
        tokens = self.game.ruleset.tokens.values()
        return [(token, spot) for token in tokens if (spot := state.tokens[token.number]) is not None]

    def _tokens(self, state: State) -> Drawing:
        """The meanings of the token letters."""
        lying = self._lying(state)
        return flow(
            [beside([draw_token(t.name[:1].upper()), label(self._called("token", t.name), 13)], 6) for t, _ in lying],
            PAGE,
            18,
        )


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
