"""What lies on the table as data: every zone with its contents, and the changes from one position to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pwtool.eval.values import UNSEEN, Cell, bounds
from pwtool.ir.grids import cells_of
from pwtool.ir.looks import looks_of
from pwtool.ir.model import VariableModel, ZoneModel
from pwtool.play.state import State, zone_labels
from pwtool.show.html.playing.pictures import ROOM, SIDE, Pictures
from pwtool.show.svg.grounds import Box, Ground, body_on, layer_offset
from pwtool.why.describe import table_value
from pwtool.why.drawing import is_per_player
from pwtool.why.moves import Moves
from pwtool.why.voice import raised

MAX_SIDE = 24
"""A floating grid that extends over more cells than this in a direction is drawn around the middle of the used area."""
MOST_FANNED = 26
"""The most cards that are held as a fan."""
MOST_SINGLE = 12
"""If there are more things than this in one place, equal ones are drawn together."""

Content = Any
"""For a grid, a dictionary from cell to [picture, count, token]; for a pile, [picture, count]; for a variable, a text;
otherwise a list of pictures.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """One of the zones with a name, or a variable (`zone` None). `owner` is a seat, `goal` the number of an objective,
    -1: none; `label` distinguishes it from others of its name.
    """

    title: str
    label: str
    zone: ZoneModel | None = None
    index: int = 0
    owner: int = -1
    goal: int = -1
    variable: VariableModel | None = None

    @property
    def is_grid(self) -> bool:
        return self.zone is not None and self.zone.kind == "grid"


class Table:
    """The places of a game between these players, in display order."""

    def __init__(self, moves: Moves, pictures: Pictures) -> None:
        self.moves, self.pictures = moves, pictures
        self.game = moves.game
        self.looks = looks_of(moves.game.ruleset)
        self.sharing = self.looks.layers(self.game.zone_list)
        self.places = [*self._zones(), *self._variables()]
        self._at = {(p.zone.number, p.index): n for n, p in enumerate(self.places) if p.zone is not None}

    def _zones(self) -> Iterable[Place]:
        goals = list(self.moves.goals)
        for zone in self._shown():
            kinds = [kind for kind, _ in zone.dimensions]
            for index, label in enumerate(zone_labels(zone, list(map(str, range(len(self.moves.names)))), goals)):
                parts, owner, goal = list(zip(kinds, label, strict=True)), -1, -1
                if is_per_player(zone):
                    owner = int(parts.pop(0)[1])
                if parts and parts[0][0] == "goal" and owner < 0:
                    goal = goals.index(parts.pop(0)[1])
                yield Place(
                    self.moves.zone(zone), ", ".join(self._part(zone, *p) for p in parts), zone, index, owner, goal
                )

    def _shown(self) -> Iterable[ZoneModel]:
        """The zones that are shown: those on or beside the board of another right behind it."""
        for zone in self.game.zone_list:
            look = self.looks.zone(zone)
            if not (look.hidden or look.on or look.beside):
                beside = (z for z in self.game.zone_list if self.looks.zone(z).beside == zone.name)
                yield from (zone, *self.sharing.get(zone.name, ()), *beside)

    def _part(self, zone: ZoneModel, kind: str, value: Any) -> str:
        if kind == "goal":
            return self.moves.goal(value)
        return self.moves.names[int(value)] if kind == "player" else zone.place_name(value)

    def _variables(self) -> Iterable[Place]:
        for variable in self.game.variable_list:
            if not self.looks.shows(variable):
                continue
            title = raised(self.moves.voice.called(self.game.ruleset, "var", variable.name))
            if variable.each:
                for seat in range(len(self.moves.names)):
                    yield Place(title, "", owner=seat, variable=variable)
            else:
                yield Place(title, "", variable=variable)

    def host(self, place: Place) -> int | None:
        """The number of the place on or beside whose board another is."""
        if place.zone is None:
            return None
        look = self.looks.zone(place.zone)
        name = look.on or (look.beside if look.side(place.owner) else "")
        if not name:
            return None
        host = self.game.ruleset.zones[name]
        return self.find(host.number, place.index if host.dimensions else 0)

    def _beside(self, host: Place) -> list[tuple[Place, str, str]]:
        """What stands beside a board, with its side and name."""
        assert host.zone is not None
        found = self.looks.beside(host.zone, self.game.zone_list, len(self.moves.names))
        names = self.looks.names_beside(host.zone, self.game.zone_list, self.moves.names, self.moves.zone)
        places = (self.places[self._at[zone.number, max(seat, host.index)]] for zone, seat, _ in found)
        return [(place, side, name) for place, (_, _, side), name in zip(places, found, names, strict=True)]

    def find(self, zone: int, index: int) -> int | None:
        """The number of a zone's place."""
        return self._at.get((zone, index))

    # ---- contents

    def contents(self, state: State) -> list[Content]:
        """The contents of every place in a position."""
        tokens: dict[tuple[int, int, Cell], str] = {}
        for token in self.game.ruleset.tokens.values():
            spot = state.tokens[token.number]
            if spot is not None:
                tokens[token.zone, spot[0], spot[1]] = token.name[:1].upper()
        return [self._content(place, state, tokens) for place in self.places]

    def _content(self, place: Place, state: State, tokens: dict[tuple[int, int, Cell], str]) -> Content:
        zone, variable = place.zone, place.variable
        if zone is None:
            assert variable is not None
            value = state.variables[variable.number]
            value = value[place.owner] if variable.each else value
            if self.looks.variables.get(variable.name) == "die":
                return [self.pictures.die(value), 1] if value else []
            return table_value(self.game, variable.type, value, self.moves.names, state.goals, self.moves.voice)
        content = state.zones[zone.number][place.index]
        if zone.kind == "grid":
            look = self.looks.zone(zone)
            lying: dict[Cell, list[Any]] = {
                cell: [self.picture(zone, pile[-1], len(pile), body_on(look, cell)), len(pile)]
                for cell, pile in content.items()
                if pile
            }
            for (number, index, cell), letter in tokens.items():
                if (number, index) == (zone.number, place.index):
                    lying.setdefault(cell, [-1, 0]).append(letter)
            return lying
        if zone.kind == "pile" and zone.element.kind == "face":
            return [self.picture(zone, content[-1], len(content)), len(content)] if content else []
        if zone.kind == "bag" and zone.element.kind == "face":
            content = sorted(content, key=lambda face: (face == UNSEEN, face))
        return [self.picture(zone, item) for item in content]

    def picture(self, zone: ZoneModel, item: Any, height: int = 1, body: str = "") -> int:
        """The number of the picture for what lies in a zone, on top of a pile of this height; `body`: another than its own."""
        if zone.element.kind == "face":
            return self.pictures.face(self.game.ruleset, zone.element.component, item, self.moves.voice, height, body)
        return self.pictures.coin(str(item))

    def owners(self) -> dict[int, int]:
        """Whose the things of grids are, by their pictures, where each belongs to a player."""
        found: dict[int, int] = {}
        for zone in self.game.zone_list:
            component = self.game.ruleset.components.get(zone.element.component)
            attributes = () if component is None or zone.kind != "grid" else component.attributes.values()
            seats = next((one.table for one in attributes if one.type.kind == "player"), ())
            found |= {self.picture(zone, face): seat for face, seat in enumerate(seats) if isinstance(seat, int)}
        return found

    # ---- data for the page

    def described(
        self, positions: Sequence[Sequence[Content]], named: Iterable[tuple[int, Cell]]
    ) -> list[dict[str, Any]]:
        """Each place: its kind, who owns and who sees it; for a grid, the cells that are ever used or `named`; for
        others, the most that ever lies there.
        """
        beyond: dict[int, set[Cell]] = {}
        for number, cell in named:
            beyond.setdefault(number, set()).add(cell)
        return [
            self._described(place, [contents[n] for contents in positions], beyond.get(n, set()))
            for n, place in enumerate(self.places)
        ]

    def _described(self, place: Place, contents: Sequence[Content], named: set[Cell]) -> dict[str, Any]:
        zone = place.zone
        if zone is None:
            assert place.variable is not None
            seen = place.variable.seen
            if self.looks.variables.get(place.variable.name) == "die":
                hidden = {"s": seen, "b": self.pictures.coin("?")} if seen != "all" else {}
                return {"k": "pile", "o": place.owner, "n": 1, **hidden}
            return {"k": "value", "o": place.owner, **({"s": seen} if seen != "all" else {})}
        shown: dict[str, Any] = {"k": zone.kind, "o": place.owner}
        if zone.element.kind == "face":
            shown |= {"s": zone.seen, "b": self.picture(zone, UNSEEN)} if zone.seen != "all" else {}
            if self.looks.component(zone.element.component).counted:
                shown["u"] = 1
            if self.looks.component(zone.element.component).body != "card":
                shown["e"] = 1
        else:
            shown["k"] = "bag" if zone.kind != "grid" else "grid"
        if zone.kind != "grid":
            if (at := self.host(place)) is not None:
                host = self.places[at]
                trays = zip(self._beside(host), self._board(host).beside, strict=True)
                tray = next(tray for (one, *_), tray in trays if one is place)
                shown |= {"on": at, "box": tray.box, "in": tray.inside}
            most = max(map(len, contents), default=0)
            upright = zone.element.kind == "face" and self.looks.component(zone.element.component).body == "portrait"
            if upright:
                shown["tall"] = 1
                if shown["k"] != "pile" and max(len(set(content)) for content in contents) <= MOST_FANNED:
                    shown["fan"] = 1
            if shown["k"] == "bag" and most > MOST_SINGLE:
                # Many things: equal ones are shown together.
                return shown | {"q": 1, "n": max(len(set(content)) for content in contents)}
            return shown | {"n": 1 if shown["k"] == "pile" else most}
        if zone.floating:
            used = {cell for content in contents for cell in content} | named
            left, top, right, bottom = bounds(sorted(used)) if used else (0, 0, 0, 0)
            box = (left, top, min(right, left + MAX_SIDE - 1), min(bottom, top + MAX_SIDE - 1))
        else:
            box = (0, 0, zone.width - 1, zone.height - 1)
        return shown | self._ground(place, zone, box)

    def _ground(self, place: Place, zone: ZoneModel, box: Box) -> dict[str, Any]:
        """The board of a grid as the script draws on it: its size, its drawing, the middle of each cell. A zone on the board of another
        names that place, and where its things lie on a cell.
        """
        shown: dict[str, Any] = {"x": box, **({"floats": 1} if zone.floating else {})}
        if zone.columns:
            shown |= {"c": zone.columns, "r": zone.rows}
        elif zone.names:
            shown["l"] = {f"{x},{y}": name for x, y in cells_of(zone.grid) if (name := zone.own_name((x, y)))}
        if zone.hexagonal:
            shown["h"] = 1
        if zone.mask:
            cells = ((x, y) for y in range(zone.height) for x in range(zone.width))
            shown["m"] = [f"{x},{y}" for x, y in cells if not zone.grid.has((x, y))]
        look = self.looks.zone(zone)
        if look.on:
            layers = self.sharing[look.on]
            return shown | {"on": self.host(place), "d": layer_offset(layers.index(zone), len(layers))}
        below = len(self.sharing.get(zone.name, ()))
        ground = self._board(place, box)
        if ground.upright:
            shown["t"] = [f"{x},{y}" for x, y in sorted(ground.upright)]
        centers = {f"{x},{y}": (round(a, 1), round(b, 1)) for (x, y), (a, b) in ground.centers.items()}
        size = {"w": round(ground.width, 1), "high": round(ground.height, 1)}
        return shown | size | {"g": ground.body, "at": centers, "d": layer_offset(below, below)}

    def _board(self, place: Place, box: Box | None = None) -> Ground:
        """The board of a grid, the whole of it or a part."""
        zone = place.zone
        assert zone is not None
        beside, whole = [(side, name) for _, side, name in self._beside(place)], (0, 0, zone.width - 1, zone.height - 1)
        return Ground(zone, self.looks.zone(zone), box or whole, SIDE, 2 * ROOM, beside=beside)

    def start(self, contents: Sequence[Content]) -> list[Content]:
        """The contents of the first position."""
        return [_keyed(content) if isinstance(content, dict) else content for content in contents]

    def changes(self, before: Sequence[Content], after: Sequence[Content]) -> list[list[Any]]:
        """The differences of another position: each changed place with its new content; for a grid, only the cells that differ."""
        found: list[list[Any]] = []
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            if old == new:
                continue
            if isinstance(new, dict):
                cells = sorted(cell for cell in old.keys() | new.keys() if old.get(cell) != new.get(cell))
                found.append([number, [[f"{x},{y}", *new.get((x, y), ())] for x, y in cells]])
            else:
                found.append([number, new])
        return found


def _keyed(content: dict[Cell, list[Any]]) -> dict[str, list[Any]]:
    return {f"{x},{y}": what for (x, y), what in content.items()}
