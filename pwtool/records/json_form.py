"""The form of JSON values: what a place needs, and what is wrong with what stands there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from pwtool.ir.model import ZoneModel
from pwtool.play.state import zone_labels
from pwtool.records.words import (
    MAX_CELL,
    MAX_NAME,
    MAX_PLAYERS,
)
from pwtool.text.speech import Told
from pwtool.text.words import quoted

Path = tuple[str | int, ...]


class Malformed(Exception):
    """The first thing in a record that its schema does not allow. Never leaves `formats`."""

    def __init__(self, path: Path, message: str, help_line: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.help = help_line


def need(good: object, path: Path, message: str, **values: object) -> None:
    """Refuse a record in which this is not so; `values` fill the gaps of the message."""
    if not good:
        raise Malformed(path, Told(message, **values))


def entries(
    data: Any, path: Path, message: Told, known: Collection[str], what: Told
) -> Iterator[tuple[str, Any, Path]]:
    """The entries of an object, each with its place; refuses anything but objects, and unknown names."""
    if type(data) is not dict:
        raise Malformed(path, message)
    for name, value in data.items():
        if name not in known:
            raise Malformed((*path, name), no_such(what, name))
        yield name, value, (*path, name)


def no_such(what: str, name: object) -> Told:
    """The message for an unknown name; `what` is the expected kind."""
    return Told("there is no {what} {name}", what=what, name=quoted([name]))


def unknown(names: Collection[object], most: int | None = None) -> Told:
    """The message for unknown keys."""
    return Told("{names} is not known here", "{names} are not known here", len(names), names=quoted(names, most=most))


def known_keys(data: dict[str, Any], known: Collection[str], path: Path) -> None:
    """Refuse the first unknown key."""
    for key in data:
        if key not in known:
            raise Malformed((*path, key), unknown([key]), Told("known here: {names}", names=quoted(sorted(known))))


def read_players(data: dict[str, Any]) -> list[str]:
    """Read the names of the players, with which records and states begin."""
    names = data.get("players")
    if type(names) is not list or not names or not all(type(p) is str and 0 < len(p) <= MAX_NAME for p in names):
        raise Malformed(("players",), Told("`players` is a list of names"))
    need(len(names) <= MAX_PLAYERS, ("players",), "a record has at most {most} players", most=MAX_PLAYERS)
    if len(set(names)) < len(names):
        raise Malformed(("players",), Told("two players have the same name"))
    return names


def check_texts(data: dict[str, Any], keys: Sequence[str]) -> None:
    """Refuse the first of these keys whose value is not a text."""
    for key in keys:
        need(type(data.get(key, "")) is str, (key,), "`{key}` is a text", key=key)


def label_key(label: tuple[Any, ...]) -> str:
    """The key of one zone among those of its name: `Ana`, `3`, `Ana/first_goal`."""
    return "/".join(str(part) for part in label)


def is_list(zone: ZoneModel) -> bool:
    """Whether the zones of a name differ by number alone, so that they form a list."""
    return len(zone.dimensions) == 1 and zone.dimensions[0][0] == "number"


Decode = Callable[[Any, "Context"], Any]


class Context:
    """The names that a record's values refer to."""

    __slots__ = ("_labels", "goals", "players", "unseen")

    def __init__(self, players: list[str], goals: list[str]) -> None:
        self.players = {name: seat for seat, name in enumerate(players)}
        self.goals = {name: place for place, name in enumerate(goals)}
        self.unseen = False
        self._labels: dict[int, dict[str, int]] = {}

    def labels(self, zone: ZoneModel) -> dict[str, int]:
        """The place of each zone with a name, by the key that records use for it."""
        found = self._labels.get(zone.number)
        if found is None:
            keys = map(label_key, zone_labels(zone, list(self.players), list(self.goals)))
            found = self._labels[zone.number] = {key: at for at, key in enumerate(keys)}
        return found


class Wrong(Exception):
    """An invalid value; the caller knows its place."""


def read_cell(value: Any, context: Context | None = None) -> tuple[int, int]:
    """The cell for a list of two numbers; raises `Wrong`."""
    if type(value) is list and len(value) == 2:
        x, y = value
        if type(x) is int and type(y) is int and -MAX_CELL <= x <= MAX_CELL and -MAX_CELL <= y <= MAX_CELL:
            return (x, y)
    raise Wrong


def _wrong() -> Any:
    raise Wrong
