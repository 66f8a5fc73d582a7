"""The parts of a recorded game as used by the template of its page, and what its file says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct, field

from pwtool.show.html.playing.pictures import Inked


class Note(Struct):
    """A remark or a finding at a moment: `step` is its number; `lines` have titles; `later`: whether it is a follow-up
    error; `unsure`: whether it is undetermined; `head`: what stands before the text, if not that something is refused.
    """

    step: int
    text: str
    where: str = ""
    rule: str = ""
    lines: Sequence[tuple[str, Sequence[str]]] = ()
    later: bool = False
    unsure: bool = False
    head: str = ""

    @property
    def kind(self) -> str:
        """`refused`, `unsure` (undetermined), or `later` (a follow-up error)."""
        return "later" if self.later else "unsure" if self.unsure else "refused"


class MoveView(Struct):
    """An entry of the list of moves, with what is wrong with it."""

    step: int
    words: Inked
    mark: str = ""
    comment: str = ""
    notes: list[Note] = field(default_factory=list)


class TurnView(Struct):
    """A turn in the list of moves; `label` is its number as players write it, `seat` whose turn it is (-1: nobody's)."""

    heading: str
    label: str
    seat: int
    moves: list[MoveView] = field(default_factory=list)
    comment: str = ""


class PlaceView(Struct):
    """A place that the script fills; a `layer` lies on or beside the board of another."""

    number: int
    label: str
    kind: str
    title: str


class ZoneView(Struct):
    """All places of one title, shown together."""

    title: str
    places: list[PlaceView]

    @property
    def is_grid(self) -> bool:
        return any(place.kind == "grid" for place in self.places)

    @property
    def is_value(self) -> bool:
        return all(place.kind == "value" for place in self.places)


class GoalView(Struct):
    """An objective in play; `is_wide`: whether its picture takes the full width."""

    title: str
    picture: Markup
    is_wide: bool
    zones: list[ZoneView]
    seats: list[tuple[int, str]]


class SeatView(Struct):
    """A player with their places."""

    name: str
    zones: list[ZoneView]


class Figure(Struct):
    """A drawn position for paper, with what is wrong in it."""

    caption: str
    notes: list[Note]
    drawing: Markup


class Annotations(Struct):
    """The annotations in the file of a game."""

    data: Any

    def game(self) -> str:
        """The comment on the whole game."""
        return _text(self.data, "comment")

    def turn(self, path: Sequence[str | int]) -> str:
        """The comment on a turn."""
        return _text(self._at(path[:2]), "comment")

    def action(self, path: Sequence[str | int]) -> tuple[str, str]:
        """The mark and the comment of an action."""
        found = self._at(path)
        return (_text(found, "mark"), _text(found, "comment")) if len(path) > 2 else ("", "")

    def _at(self, path: Sequence[str | int]) -> Any:
        found = self.data
        for key in path:
            if isinstance(found, dict) and isinstance(key, str):
                found = found.get(key)
            elif isinstance(found, list) and isinstance(key, int) and key < len(found):
                found = found[key]
            else:
                return None
        return found


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""
