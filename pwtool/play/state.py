"""The state of a game: where everything lies, the variables, whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import eq
from typing import Any, Protocol

from pwtool.eval.history import Kept
from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import UNSEEN, Cell, holds_unseen
from pwtool.ir.model import Ruleset, ZoneModel
from pwtool.ir.types import Type
from pwtool.text import InternalError


class Possibilities(Protocol):
    """Says whether an action is possible at all: `legal.LegalActions`."""

    def exists(self, state: State, action: str) -> Any: ...

    def ahead(self, state: State, action: str, e: list[Any]) -> State: ...


class State:
    """A position. `zones[z][i]` is one zone: a list, or a dictionary from cell to pile.

    `unseen` is true while a face somewhere is unknown; `pool` counts, for each component, the faces that no known card
    accounts for; `lost` is true once an effect depended on such a face, so that nobody knows any more what lies where.
    `history` has what each history kept of the positions at the beginning of turns, `blurred` whether something in them
    is unknown. `boards` caches results about grids that have not changed since, by their `id`. `faces` are the
    variables that hold things; a per-player variable is a list with a value for each seat. `possible` are the arguments
    that were last found for an action of a player, in this position or an earlier one of the game.
    """

    __slots__ = (
        "blurred",
        "boards",
        "faces",
        "goals",
        "history",
        "legal",
        "lost",
        "player",
        "players",
        "pool",
        "possible",
        "strides",
        "tokens",
        "totals",
        "unseen",
        "variables",
        "zones",
    )

    def __init__(self, ruleset: Ruleset, players: int, goals: list[str]) -> None:
        self.players = players
        self.goals = goals
        self.player = 0
        self.strides = [zone_strides(z, players, len(goals)) for z in ruleset.zones.values()]
        self.zones: list[list[Any]] = [
            [{} if z.kind == "grid" else [] for _ in range(zone_count(z, players, len(goals)))]
            for z in ruleset.zones.values()
        ]
        self.variables: list[Any] = [None] * len(ruleset.variables)
        self.faces = tuple(v.number for v in ruleset.variables.values() if "face" in (v.type.kind, _element(v.type)))
        self.tokens: list[tuple[int, Cell] | None] = [None] * len(ruleset.tokens)
        self.totals: list[int] | None = None
        self.legal: Possibilities | None = None
        self.unseen = False
        self.lost = False
        self.boards: dict[int, Any] = {}
        self.pool: dict[str, Counter[int]] = {}
        self.history: list[list[Kept | None]] = [[] for _ in ruleset.histories]
        self.blurred = False
        self.possible: dict[tuple[int, int], tuple[Any, ...]] = {}

    def can(self, action: str, player: int | None = None) -> Any:
        """Whether the player whose turn it is, or another one, can do an action at all: True, False or UNKNOWN."""
        if self.legal is None:
            raise InternalError(f"this position cannot tell whether `{action}` is possible")
        acting = self.player
        self.player = acting if player is None else player
        try:
            return self.legal.exists(self, action)
        finally:
            self.player = acting

    def ahead(self, action: str, e: list[Any]) -> State:
        """The position after an action with these locals."""
        if self.legal is None:
            raise InternalError(f"this position cannot tell where `{action}` leads")
        return self.legal.ahead(self, action, e)

    def copy(self, kept: State | None = None) -> State:
        """An independent copy; with another one that nobody changes, one to be kept that shares the zones that are alike there."""
        if kept is None:
            other = self.apart(range(len(self.zones)), range(len(self.variables)))
        else:
            other = self.apart((), range(len(self.variables)))
            other.zones = list(map(_kept, self.zones, kept.zones))
        other.history = [list(positions) for positions in self.history]
        return other

    def apart(self, zones: Iterable[int], variables: Iterable[int]) -> State:
        """A position that may be changed in these zones and variables, and in tokens; it shares the rest with this one."""
        other: State = object.__new__(State)
        other.players, other.goals, other.player, other.strides = self.players, self.goals, self.player, self.strides
        other.faces, other.history, other.blurred = self.faces, self.history, self.blurred
        other.possible = self.possible
        other.totals, other.legal, other.unseen, other.lost = self.totals, self.legal, self.unseen, self.lost
        other.zones, other.variables, other.tokens = list(self.zones), list(self.variables), list(self.tokens)
        other.boards = {}
        other.pool = {name: Counter(pool) for name, pool in self.pool.items()}
        for number in zones:
            other.zones[number] = list(map(_copied, self.zones[number]))
        for number in variables:
            if isinstance(held := self.variables[number], list):
                other.variables[number] = held[:]
        return other


def _copied(zone: Any) -> Any:
    return {cell: pile[:] for cell, pile in zone.items()} if isinstance(zone, dict) else zone[:]


def _kept(zones: list[Any], then: list[Any]) -> list[Any]:
    """The zones of a name as they were `then`, where the same lies there in the same order; copies of the others."""
    if zones and isinstance(zones[0], dict):
        # Dictionaries are equal whatever the order in which their cells came into use.
        pairs = zip(zones, then, strict=True)
        return [old if now == old and all(map(eq, now, old)) else _copied(now) for now, old in pairs]
    return then if zones == then else list(map(_copied, zones))


def _element(type_: Type) -> str:
    return type_.element.kind if type_.element is not None else ""


def zone_count(zone: ZoneModel, players: int, goals: int) -> int:
    """The number of zones of this name."""
    count = 1
    for size in _sizes(zone, players, goals):
        count *= size
    return count


def _sizes(zone: ZoneModel, players: int, goals: int) -> list[int]:
    return [{"player": players, "goal": goals}.get(name, size) for name, size in zone.dimensions]


def zone_strides(zone: ZoneModel, players: int, goals: int) -> tuple[int, ...]:
    """For each dimension, the distance between neighbours in the flat list of zones."""
    sizes = _sizes(zone, players, goals)
    strides = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return tuple(strides)


def zone_labels(zone: ZoneModel, players: list[str], goals: list[str]) -> list[tuple[Any, ...]]:
    """The indices of every zone of this name, as in a record: player names, objective names, numbers from 1."""
    labels: list[tuple[Any, ...]] = [()]
    for name, size in zone.dimensions:
        own: list[Any] = players if name == "player" else goals if name == "goal" else list(range(1, size + 1))
        labels = [(*label, part) for label in labels for part in own]
    return labels


def all_faces(zones: list[Any]) -> list[int]:
    """Every face that lies in these zones."""
    faces: list[int] = []
    for zone in zones:
        if isinstance(zone, dict):
            for pile in zone.values():
                faces += pile
        else:
            faces += zone
    return faces


def has_unseen(state: State) -> bool:
    """Whether something in a position is unknown."""
    return any(UNSEEN in all_faces(zones) for zones in state.zones) or keeps_unseen(state)


def keeps_unseen(state: State) -> bool:
    """Whether a variable contains an unseen thing, or was computed from one."""
    held = [v if isinstance(v, list) else [v] for v in state.variables]
    return holds_unseen(state) or any(any(map(is_unknown, v)) for v in held)
