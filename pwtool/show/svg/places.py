"""The places of a table: every zone and every shown variable, whose it is, and on or beside which board it lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pwtool.eval.values import Cell
from pwtool.ir.looks import looks_of
from pwtool.ir.model import TokenModel, VariableModel, ZoneModel
from pwtool.play.state import State, zone_labels
from pwtool.why.describe import table_value
from pwtool.why.drawing import is_per_player
from pwtool.why.moves import Moves
from pwtool.why.voice import raised


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

    @property
    def of_goal(self) -> bool:
        """Whether there is one for each objective."""
        return self.zone is not None and self.zone.dimensions[-1:] != () and self.zone.dimensions[-1][0] == "goal"

    def content(self, state: State) -> Any:
        """What lies there in a position, or the value of the variable."""
        if self.zone is not None:
            return state.zones[self.zone.number][self.index]
        assert self.variable is not None
        value = state.variables[self.variable.number]
        return value[self.owner] if self.variable.each else value


class Places:
    """The places of a game between these players, in display order."""

    def __init__(self, moves: Moves) -> None:
        self.moves, self.game = moves, moves.game
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
        for variable in filter(self.looks.shows, self.game.variable_list):
            for seat in range(len(self.moves.names)) if variable.each else (-1,):
                yield Place(self.called(variable), "", owner=seat, variable=variable)

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

    def find(self, zone: int, index: int) -> int | None:
        """The number of a zone's place."""
        return self._at.get((zone, index))

    def own(self, owner: int = -1, goal: int = -1) -> list[list[Place]]:
        """The places of a seat, of an objective, or shared ones, without those on or beside the board of another: those of one zone
        together, in the order of the rules.
        """
        found = [p for p in self.places if (p.owner, p.goal) == (owner, goal) and self.host(p) is None]
        zones = sorted((p for p in found if p.zone is not None), key=_number)
        return [list(group) for _, group in groupby(zones, _number)] + [[p] for p in found if p.zone is None]

    def beside(self, host: Place) -> list[tuple[Place, str, str]]:
        """What stands beside a board, with its side and name."""
        assert host.zone is not None
        found = self.looks.beside(host.zone, self.game.zone_list, len(self.moves.names))
        names = self.looks.names_beside(host.zone, self.game.zone_list, self.moves.names, self.moves.zone)
        places = (self.places[self._at[zone.number, max(seat, host.index)]] for zone, seat, _ in found)
        return [(place, side, name) for place, (_, _, side), name in zip(places, found, names, strict=True)]

    def is_die(self, place: Place) -> bool:
        """Whether the value of a variable is shown by a die."""
        return place.variable is not None and self.looks.variables.get(place.variable.name) == "die"

    def told(self, place: Place, state: State) -> str:
        """The value of a variable in words."""
        assert place.variable is not None
        value, moves = place.content(state), self.moves
        return table_value(self.game, place.variable.type, value, moves.names, state.goals, moves.voice)

    def called(self, named: TokenModel | VariableModel) -> str:
        """The title of a token or of a variable."""
        kind = "token" if isinstance(named, TokenModel) else "var"
        return raised(self.moves.voice.called(self.game.ruleset, kind, named.name))

    def tokens(self, state: State) -> dict[tuple[int, int, Cell], TokenModel]:
        """The tokens that lie on grids, by the zone, its index and the cell."""
        tokens = self.game.ruleset.tokens.values()
        return {(t.zone, *spot): t for t in tokens if (spot := state.tokens[t.number]) is not None}


def _number(place: Place) -> int:
    assert place.zone is not None
    return place.zone.number


def letter(token: TokenModel) -> str:
    """What is written on a token."""
    return token.name[:1].upper()
