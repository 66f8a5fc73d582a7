"""What lies on the table as data: every zone with its contents, and the changes from one position to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pwtool.eval.values import UNSEEN, Cell, bounds
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ZoneModel
from pwtool.play.state import State
from pwtool.show.html.playing.pictures import ROOM, SIDE, Pictures
from pwtool.show.svg.grounds import Box, Ground, body_on, box_of, layer_offset
from pwtool.show.svg.places import Place, Places, letter
from pwtool.why.moves import Moves

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


class Table(Places):
    """What lies in the places of a game, as the numbers of pictures."""

    def __init__(self, moves: Moves, pictures: Pictures) -> None:
        super().__init__(moves)
        self.pictures = pictures

    # ---- contents

    def contents(self, state: State) -> list[Content]:
        """The contents of every place in a position."""
        tokens = {spot: letter(token) for spot, token in self.tokens(state).items()}
        return [self._content(place, state, tokens) for place in self.places]

    def _content(self, place: Place, state: State, tokens: Mapping[tuple[int, int, Cell], str]) -> Content:
        zone, content = place.zone, place.content(state)
        if zone is None:
            if self.is_die(place):
                return [self.pictures.die(content), 1] if content else []
            return self.told(place, state)
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
            if self.is_die(place):
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
                trays = zip(self.beside(host), self._board(host).beside, strict=True)
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
            box = box_of(zone)
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
        beside = [(side, name) for _, side, name in self.beside(place)]
        return Ground(zone, self.looks.zone(zone), box or box_of(zone), SIDE, 2 * ROOM, beside=beside)

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
